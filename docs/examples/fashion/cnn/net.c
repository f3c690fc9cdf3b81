/* SPDX-License-Identifier: BSD-2-Clause */
/* Three convolutions of 3 x 3 with batch normalisation, each behind a rectifier
 * and before a maximum of 2 x 2, and a dense layer behind dropout. */
#include "net.h"

#include <math.h>
#include <stdlib.h>

/* Of each convolution the filters, and what batch normalisation multiplies and
 * adds; of the dense layer the weights and the offsets. */
enum { PARAMS = 3 * LAYERS + 2, FLAT = 64 * 9 };

static const size_t channels[LAYERS + 1] = {1, FILTERS, 64, 64};
static const float momentum = 0.9f, decay = 5e-4f;

double net_draw(uint64_t *s) {
  *s ^= *s >> 12;
  *s ^= *s << 25;
  *s ^= *s >> 27;
  return (double)(*s * 2685821657736338717u >> 11) / 9007199254740992.0;
}

/* A shared array of numbers, `low` to `high`. */
static gg_var *share(gg_graph *g, unsigned int nd, const size_t *dims,
                     double low, double high, uint64_t *seed) {
  size_t n = 1;
  for (unsigned int i = 0; i < nd; i++)
    n *= dims[i];
  float *v = malloc(n * sizeof *v);
  if (v == NULL)
    return NULL;
  for (size_t i = 0; i < n; i++)
    v[i] = (float)(low + (high - low) * net_draw(seed));
  gg_var *r = gg_shared_host(g, "", GA_FLOAT, nd, dims, v);
  free(v);
  return r;
}

/* Filters of the size that keeps the variance of what goes through a rectified
 * layer (He et al. 2015), from a uniform distribution. */
static void share_layer(net *m, int i, uint64_t *seed) {
  const size_t dims[4] = {channels[i + 1], channels[i], 3, 3};
  const double most = sqrt(6.0 / (9.0 * (double)channels[i]));
  m->filters[i] = share(m->g, 4, dims, -most, most, seed);
  m->scale[i] = share(m->g, 1, dims, 1, 1, seed);
  m->offset[i] = share(m->g, 1, dims, 0, 0, seed);
  m->mean[i] = share(m->g, 1, dims, 0, 0, seed);
  m->variance[i] = share(m->g, 1, dims, 1, 1, seed);
}

/* Images as numbers around 0, [n, 1, 28, 28]. */
static gg_var *pixels(const net *m, gg_var *bytes) {
  gg_var *x = gg_mul(gg_cast(bytes, GA_FLOAT), gg_f32(m->g, 1.0f / 255));
  x = gg_div(gg_sub(x, gg_f32(m->g, 0.286f)), gg_f32(m->g, 0.353f));
  return gg_reshape(x, 4, (const int64_t[]){-1, 1, IMAGE_SIDE, IMAGE_SIDE});
}

/* Mirror half of the images. */
static gg_var *mirror(const net *m, gg_var *x, gg_var *batch) {
  gg_var *coin = gg_random_bernoulli(m->random, GG_DRAW_LIKE(GA_FLOAT, batch),
                                     gg_f32(m->g, 0.5f));
  coin = gg_reshape(coin, 4, (const int64_t[]){-1, 1, 1, 1});
  return gg_where(gg_gt(coin, gg_f32(m->g, 0.5f)), x, gg_flip(x, 3));
}

/* Convolution i, in training with the new running statistics. */
static gg_var *layer(const net *m, int i, gg_var *x, gg_update *statistics) {
  static const GpuConv same = {.nd = 2,
                               .stride = {1, 1},
                               .dilation = {1, 1},
                               .before = {1, 1},
                               .after = {1, 1},
                               .groups = 1};
  static const GpuPooling half = {
      .nd = 2, .size = {2, 2}, .stride = {2, 2}, .dilation = {1, 1}};
  gg_var *y[3] = {gg_conv(x, m->filters[i], &same), NULL, NULL};

  if (statistics == NULL)
    y[0] = gg_batch_norm(y[0], m->scale[i], m->offset[i], m->mean[i],
                         m->variance[i], 1e-5);
  else
    gg_batch_norm_train(y, y[0], m->scale[i], m->offset[i], m->mean[i],
                        m->variance[i], 0.1, 1, 1e-5);
  if (statistics != NULL) {
    statistics[2 * i] = (gg_update){m->mean[i], y[1]};
    statistics[2 * i + 1] = (gg_update){m->variance[i], y[2]};
  }
  return gg_pool_max(gg_relu(y[0]), &half);
}

static gg_var *logits(const net *m, gg_var *x, gg_update *statistics) {
  for (int i = 0; i < LAYERS; i++)
    x = layer(m, i, x, statistics);
  x = gg_reshape(x, 2, (const int64_t[]){-1, FLAT});
  if (statistics != NULL)
    x = gg_dropout(m->random, x, 0.3);
  return gg_add(gg_dot(x, m->w), m->b);
}

/* v = momentum v - rate (grad + decay p), p = p + v. */
static void moves(const net *m, gg_var *rate, gg_var *p, gg_var *grad,
                  gg_update out[2]) {
  const gg_type *t = gg_var_type(p);
  size_t dims[4];
  for (unsigned int i = 0; i < t->nd; i++)
    dims[i] = (size_t)t->dims[i];
  uint64_t seed = 1;
  gg_var *speed = share(m->g, t->nd, dims, 0, 0, &seed);
  gg_var *way = gg_add(grad, gg_mul(p, gg_f32(m->g, decay)));
  gg_var *v = gg_sub(gg_mul(speed, gg_f32(m->g, momentum)), gg_mul(way, rate));
  out[0] = (gg_update){speed, v};
  out[1] = (gg_update){p, gg_add(p, v)};
}

static int build_train(net *m, const dataset *d) {
  gg_graph *g = m->g;
  gg_var *batch = gg_input(g, "batch", GA_INT, 1);
  gg_var *rate = gg_input(g, "rate", GA_FLOAT, 0);
  gg_var *x = pixels(m, gg_take(dataset_share(g, "images", &d->images), batch));
  gg_var *labels = gg_take(dataset_share(g, "labels", &d->labels), batch);
  gg_update updates[2 * LAYERS + 2 * PARAMS + 1] = {{NULL, NULL}};
  gg_var *p = gg_softmax(logits(m, mirror(m, x, batch), updates));
  gg_var *cost = gg_mean(gg_crossentropy(p, labels));
  gg_var *params[PARAMS], *grad[PARAMS] = {NULL};
  for (int i = 0; i < LAYERS; i++) {
    params[3 * i] = m->filters[i];
    params[3 * i + 1] = m->scale[i];
    params[3 * i + 2] = m->offset[i];
  }
  params[3 * LAYERS] = m->w;
  params[3 * LAYERS + 1] = m->b;
  if (gg_grad(grad, cost, PARAMS, params) != GA_NO_ERROR)
    return GA_VALUE_ERROR;
  for (int i = 0; i < PARAMS; i++)
    moves(m, rate, params[i], grad[i], &updates[2 * LAYERS + 2 * i]);
  return gg_func_new(
      &m->train, g,
      &(gg_func_spec){.name = "train",
                      .inputs = GG_VARS(batch, rate),
                      .outputs = GG_VARS(cost),
                      .updates = gg_random_updates(m->random, updates)});
}

/* The guesses for a batch of test images, and their probabilities. */
static int build_test(net *m, const dataset *d) {
  gg_var *batch = gg_input(m->g, "batch", GA_INT, 1);
  gg_var *x = gg_take(dataset_share(m->g, "test images", &d->images), batch);
  gg_var *y = logits(m, pixels(m, x), NULL);
  return gg_func_new(
      &m->test, m->g,
      &(gg_func_spec){.name = "test",
                      .inputs = GG_VARS(batch),
                      .outputs = GG_VARS(gg_argmax_axis(y, 1),
                                         gg_max_axis(gg_softmax(y), 1))});
}

int net_build(net *m, gpucontext *ctx, const dataset *train,
              const dataset *test) {
  const size_t dense[2] = {FLAT, CLASSES}, classes = CLASSES;
  const double most = sqrt(3.0 / FLAT);
  uint64_t seed = 1;
  m->g = gg_graph_new(ctx);
  m->random = gg_random_new(m->g, GG_PHILOX, 22);
  for (int i = 0; i < LAYERS; i++)
    share_layer(m, i, &seed);
  m->w = share(m->g, 2, dense, -most, most, &seed);
  m->b = share(m->g, 1, &classes, 0, 0, &seed);
  int err = build_train(m, train);
  return err == GA_NO_ERROR ? build_test(m, test) : err;
}

void net_clear(net *m) {
  gg_func_free(m->train);
  gg_func_free(m->test);
  gg_random_free(m->random);
  gg_graph_free(m->g);
}
