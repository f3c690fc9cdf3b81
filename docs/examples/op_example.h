/* SPDX-License-Identifier: BSD-2-Clause */
/* What the examples of ops share: a device, and the values of a variable. */
#ifndef OP_EXAMPLE_H
#define OP_EXAMPLE_H

#include <float.h>
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static inline void example_fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

/* A graph on the default device. */
static inline gg_graph *example_open(void) {
  gpucontext *ctx = NULL;
  int err = gpucontext_open(&ctx, NULL);
  gg_graph *g = err == GA_NO_ERROR ? gg_graph_new(ctx) : NULL;

  if (g == NULL)
    example_fail("no device", gpucontext_error(NULL, err));
  return g;
}

/* A shared variable of rank 2, or 1 if `rows` is 0. */
static inline gg_var *example_shared(gg_graph *g, size_t rows, size_t columns,
                                     const float *v) {
  size_t dims[2] = {rows, columns};
  return gg_shared_host(g, "x", GA_FLOAT, rows != 0 ? 2 : 1,
                        rows != 0 ? dims : dims + 1, v);
}

/* Compile `v`, compute it, read its elements, and show the steps. */
static inline void example_read(gg_var *v, void *got, size_t bytes) {
  gg_graph *g = gg_var_graph(v);
  GpuArray out = {0};
  gg_func *f = NULL;
  int err = gg_func_new(&f, g, &(gg_func_spec){.outputs = GG_VARS(v)});

  if (v == NULL || err != GA_NO_ERROR)
    example_fail("compile", gg_graph_error(g));
  err = gg_func_call(f, NULL, (GpuArray *[]){&out});
  if (err != GA_NO_ERROR)
    example_fail("call", gg_func_error(f));
  err = GpuArray_read(got, bytes, &out);
  if (err != GA_NO_ERROR)
    example_fail("read", GpuArray_error(&out, err));
  gg_func_print(f, stdout);
  GpuArray_clear(&out);
  gg_func_free(f);
}

/* The elements of `v` are these, or the program ends with 1. */
static inline void example_expect(gg_var *v, unsigned int n,
                                  const float *want) {
  float got[32];

  example_read(v, got, n * sizeof *got);
  for (unsigned int i = 0; i < n; i++) {
    printf(" %g", (double)got[i]);
    /* Some devices flush what is smaller than FLT_MIN to 0. */
    if (!(fabsf(got[i] - want[i]) <= 1e-5f * fabsf(want[i]) + FLT_MIN))
      example_fail("\nwrong value", "see above");
  }
  printf("\n");
}

static inline int example_close(gg_graph *g) {
  gpucontext *ctx = gg_graph_context(g);

  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}

/* Outputs are like input 0: the rules of most ops here. */
static inline int example_infer(const gg_apply *a, gg_type *out) {
  for (unsigned int i = 0; i < a->n_out; i++)
    out[i] = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static inline int example_shape(const gg_apply *a, const gg_dims *in,
                                const double *const *host, gg_dims *out) {
  (void)host;
  for (unsigned int i = 1; i < a->n_in; i++)
    for (unsigned int k = 0; k < in[0].nd; k++)
      if (in[i].dim[k] != in[0].dim[k])
        return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: %zu and %zu", k,
                          in[0].dim[k], in[i].dim[k]);
  for (unsigned int i = 0; i < a->n_out; i++)
    out[i] = in[0];
  return GA_NO_ERROR;
}

static inline size_t example_count(const GpuArray *a) {
  size_t n = 1;

  for (unsigned int i = 0; i < a->nd; i++)
    n *= a->dimensions[i];
  return n;
}

#endif
