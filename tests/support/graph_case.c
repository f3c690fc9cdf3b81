/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph and arrays for each test. */
#include "support/graph_case.h"

gg_graph *g;
GpuArray a, b, out, out2;

int graph_setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  return g == NULL;
}

int graph_teardown(void **state) {
  (void)state;
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&out);
  GpuArray_clear(&out2);
  gg_graph_free(g);
  g = NULL;
  return 0;
}
