/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs around listings share. A program has the name of its
 * document, and includes listing N as "N.h". Listings check nothing, so
 * listings_end() looks for the last error of the thread. */
#ifndef LISTINGS_H
#define LISTINGS_H

#include <gpuarray/create.h>
#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <stdlib.h>

static inline void check(int err) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "%s\n", gpuarray_error_text(err));
  exit(1);
}

/* The default device, without errors so far. */
static inline gpucontext *listings_begin(void) {
  gpucontext *ctx;

  check(gpucontext_open(&ctx, NULL));
  gpuarray_clear_error();
  return ctx;
}

static inline int listings_end(gpucontext *ctx) {
  check(gpuarray_error_code());
  gpucontext_deref(ctx);
  return 0;
}

/* Sizes of an array, as two arguments. */
#define SIZES(...)                                                             \
  sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t), (size_t[]) {               \
    __VA_ARGS__                                                                \
  }

/* The widest float dtype of the device. */
static inline int widest(gpucontext *ctx) {
  return gpucontext_caps(ctx)->fp64 ? GA_DOUBLE : GA_FLOAT;
}

/* A new array with each element `value`. */
static inline GpuArray filled(gpucontext *ctx, int dtype, double value,
                              unsigned int nd, const size_t *sizes) {
  GpuArray a, converted;

  check(GpuArray_empty(&a, ctx, widest(ctx), nd, sizes, GA_C_ORDER));
  check(GpuArray_fill(&a, GA_DOUBLE, &value));
  check(GpuArray_cast(&converted, &a, dtype, GA_C_ORDER));
  GpuArray_clear(&a);
  return converted;
}

/* A new vector of n integers or floats from the host, as `dtype`. */
static inline GpuArray vector(gpucontext *ctx, int dtype, size_t n,
                              const double *values) {
  GpuArray a, converted;

  check(GpuArray_empty(&a, ctx, widest(ctx), 1, &n, GA_C_ORDER));
  for (size_t i = 0; i < n; i++) {
    GpuArray one;
    const ssize_t at = (ssize_t)i;

    check(GpuArray_index(&one, &a, &at, &at, (ssize_t[]){0}));
    check(GpuArray_fill(&one, GA_DOUBLE, &values[i]));
    GpuArray_clear(&one);
  }
  check(GpuArray_cast(&converted, &a, dtype, GA_C_ORDER));
  GpuArray_clear(&a);
  return converted;
}

#define VECTOR(ctx, dtype, ...)                                                \
  vector(ctx, dtype, sizeof((double[]){__VA_ARGS__}) / sizeof(double),         \
         (double[]){__VA_ARGS__})

/* A shared variable with each element `value`. */
static inline gg_var *shared(gg_graph *g, int dtype, double value,
                             unsigned int nd, const size_t *sizes) {
  GpuArray a = filled(gg_graph_context(g), dtype, value, nd, sizes);
  gg_var *v = gg_shared(g, NULL, &a);

  GpuArray_clear(&a);
  return v;
}

/* A shared vector of these elements. */
#define SHARED_VECTOR(g, dtype, ...)                                           \
  shared_of(g, VECTOR(gg_graph_context(g), dtype, __VA_ARGS__))

static inline gg_var *shared_of(gg_graph *g, GpuArray a) {
  gg_var *v = gg_shared(g, NULL, &a);

  GpuArray_clear(&a);
  return v;
}

/* Compute each variable of a list that ends with NULL; all their inputs are
 * shared. */
static inline void compute(gg_graph *g, gg_var *const *vars) {
  if (gg_graph_status(g) != GA_NO_ERROR) {
    fprintf(stderr, "%s\n", gg_graph_error(g));
    exit(1);
  }
  for (size_t i = 0; vars[i] != NULL; i++) {
    GpuArray out = {0};

    check(gg_eval(vars[i], NULL, &out));
    check(GpuArray_sync(&out));
    GpuArray_clear(&out);
  }
}

/* The program `main` of listings about arrays and graphs. */
#define LISTINGS_MAIN(about)                                                   \
  int main(void) {                                                             \
    gpucontext *ctx = listings_begin();                                        \
    about(ctx);                                                                \
    return listings_end(ctx);                                                  \
  }

#endif
