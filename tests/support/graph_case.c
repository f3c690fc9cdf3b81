/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph and arrays for each test. */
#include "support/graph_case.h"

#include <string.h>

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

void graph_refused(const void *made, const char *message) {
  assert_null(made);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

void graph_says(int code, const char *part) {
  assert_int_equal(gg_graph_status(g), code);
  if (strstr(gg_graph_error(g), part) == NULL)
    fail_msg("\"%s\" lacks \"%s\"", gg_graph_error(g), part);
  gg_graph_reset_error(g);
}
