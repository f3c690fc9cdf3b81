/* SPDX-License-Identifier: BSD-2-Clause */
/* What a function runs, what it costs, and messages of errors. */
#include <gpuarray/create.h>
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

/* End the program if a call failed. */
static void check(int err) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "%s\n", gpuarray_error_text(err));
  exit(1);
}

/* A matrix of ones on the device. */
static GpuArray ones(gpucontext *ctx, size_t rows, size_t columns) {
  GpuArray a;
  check(GpuArray_empty(&a, ctx, GA_FLOAT, 2, (size_t[]){rows, columns},
                       GA_C_ORDER));
  check(GpuArray_fill(&a, GA_FLOAT, &(float){1}));
  return a;
}

/* Measure a function. */
static void profile(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *y = gg_softmax(gg_mul(gg_tanh(x), gg_f32(g, 3)));
  gg_func *f;
  check(gg_func_new(&f, g,
                    &(gg_func_spec){.name = "rows",
                                    .inputs = GG_VARS(x),
                                    .outputs = GG_VARS(y),
                                    .flags = GG_PROFILE}));
  GpuArray a = ones(ctx, N, 10), out = {0};
  for (int i = 0; i < 5; i++)
    check(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));

  gg_profile_row row[8];
  size_t n = gg_func_profile_rows(f, row, 8);
  for (size_t i = 0; i < n; i++)
    printf("%s: %d calls, %s\n", row[i].label, (int)row[i].calls,
           row[i].seconds > 0 ? "measured" : "not measured");

  GpuArray_clear(&a);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
}

/* Sizes that never fit are found when the graph is built. */
static void clash(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 3});
  gg_var *w = gg_input_sized(g, "w", GA_FLOAT, 2, (int64_t[]){4, 5});
  gg_var *y = gg_dot(x, w);
  gg_func *f;
  int err = gg_func_new(
      &f, g, &(gg_func_spec){.inputs = GG_VARS(x, w), .outputs = GG_VARS(y)});
  printf("error %d: %s\n", err, gg_graph_error(g));
  gg_graph_free(g);
}

/* A guard names the op that makes the first NaN. */
static void guard(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *y = gg_mul(gg_log(gg_sub(x, gg_f32(g, 2))), x);
  gg_func *f;
  check(gg_func_new(&f, g,
                    &(gg_func_spec){.name = "risky",
                                    .inputs = GG_VARS(x),
                                    .outputs = GG_VARS(y),
                                    .flags = GG_NAN_GUARD}));
  GpuArray a = ones(ctx, 2, 3), out = {0};
  int err = gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  printf("error %d: %s\n", err, gg_func_error(f));
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
}

int main(void) {
  gpucontext *ctx;
  check(gpucontext_open(&ctx, NULL));
  profile(ctx);
  clash(ctx);
  guard(ctx);
  gpucontext_deref(ctx);
  return 0;
}
