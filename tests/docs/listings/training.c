/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/training.md. */
#include "listings.h"
#include <gpugraph/nn.h>

static gg_var *net(gg_params *p, gg_var *x) {
  return gg_nn_dense(p, "out", x, 3, 0);
}

static gg_var *cost_of(gg_var *z, gg_var *y) {
  return gg_loss_cross_entropy(z, y, NULL);
}

#include "3.h"

static void layers(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = shared(g, GA_FLOAT, 1, SIZES(5, 784));
#include "1.h"
  gg_var *places = shared(g, GA_FLOAT, 1, SIZES(2, 5, 8));
  gg_func *f;

  check(gg_func_new(
      &f, g,
      &(gg_func_spec){
          .outputs = GG_VARS(logits, encoder(p, "first", places, 2, 16))}));
  gg_func_free(f);
  gg_params_free(p);
  gg_graph_free(g);
}

/* What the listings about training share. */
typedef struct trained {
  gpucontext *ctx;
  gg_graph *g;
  gg_params *p;
  gg_var *x, *y, *loss;
  gg_batches *b;
} trained;

static void minimise(trained *m) {
  gg_params *p = m->p;
  gg_var *x = m->x, *y = m->y, *cost = m->loss;
  GpuArray points = filled(m->ctx, GA_FLOAT, 1, SIZES(6, 4));
  GpuArray labels = filled(m->ctx, GA_INT, 1, SIZES(6));
#include "5.h"
  GpuArray_clear(&points);
  GpuArray_clear(&labels);
}

static void write_table(const char *path) {
  FILE *f = fopen(path, "w");

  if (f == NULL)
    exit(1);
  fprintf(f, "a,b,c,d,class\n");
  for (int i = 0; i < 60; i++)
    fprintf(f, "%d,%d,1,2,%d\n", i % 3, i % 7, i % 3);
  fclose(f);
}

static void step(trained *m, gg_func *train) {
  static float points[200][4];
  static int32_t classes[200];
  gg_host_array images = {
      .dtype = GA_FLOAT, .nd = 2, .dims = {200, 4}, .data = points};
  gg_host_array labels = {
      .dtype = GA_INT, .nd = 1, .dims = {200}, .data = classes};
  gpucontext *ctx = m->ctx;
  GpuArray losses[3] = {{0}}, *out[] = {&losses[0], &losses[1], &losses[2]};
  GpuArray *const *arrays;
  gg_batches *b;
#include "6.h"
  gg_batches_free(b);
}

static void loop(trained *m, gg_func *train) {
  gg_params *p = m->p;
  gg_batches *b = m->b;

  remove("state.safetensors");
#include "8.h"
}

static gg_func *report(trained *m, const gg_optimiser how,
                       const gg_update *updates) {
  gg_graph *g = m->g;
  gg_params *p = m->p;
  gg_var *x = m->x, *y = m->y, *loss = m->loss, *z = net(p, x);
  gg_batches *b = m->b;
  gg_func *train;
#include "9.h"
  check(gg_train(&t, NULL));
  return train;
}

static void train_all(gpucontext *ctx) {
  gg_batches *b;

  write_table("iris.csv");
#include "7.h"
  gg_graph *g = gg_graph_new(ctx);
  gg_params *p = gg_params_new(g, GA_FLOAT, 1);
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 4});
  gg_var *y = gg_input(g, "y", GA_INT, 1), *t = gg_params_step(p);
#define cost cost_of
#include "2.h"
#undef cost
  gg_params_training(p, 1);
#include "4.h"
  trained m = {
      .ctx = ctx, .g = g, .p = p, .x = x, .y = y, .loss = loss, .b = b};
  gg_func *train = report(&m, how, updates);

  loop(&m, train);
  step(&m, train);
  minimise(&m);
  gg_func_free(train);
  gg_batches_free(b);
  gg_params_free(p);
  gg_graph_free(g);
}

static void both(gpucontext *ctx) {
  layers(ctx);
  train_all(ctx);
}

LISTINGS_MAIN(both)
