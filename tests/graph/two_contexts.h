/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph over two contexts, and data for arrays in either. */
#ifndef GRAPH_TWO_CONTEXTS_H
#define GRAPH_TWO_CONTEXTS_H

#include "support/funcs.h"

enum { N = 1000 };

static gg_graph *g;
static gpucontext *here, *there;
static float data[N];

static int setup(void **state) {
  (void)state;
  here = test_context();
  there = test_second_context();
  g = gg_graph_new(here);
  test_fill(data, GA_FLOAT, N, -2, 2, 7);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

static gg_var *input(const char *name, gpucontext *ctx) {
  return gg_input_in(g, ctx, name, GA_FLOAT, 1, NULL);
}

/* A vector of the first n data in a context; cleared by the caller. */
static void vector_in(GpuArray *a, gpucontext *ctx, size_t n) {
  assert_ok(GpuArray_empty(a, ctx, GA_FLOAT, 1, &n, GA_C_ORDER));
  if (n != 0)
    assert_ok(GpuArray_write(a, data, n * sizeof *data));
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

#endif
