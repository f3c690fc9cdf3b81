/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph/bare_graph.h"

gg_graph *g;

int bare_setup(void **state) {
  (void)state;
  g = gg_graph_new(NULL);
  return g == NULL;
}

int bare_teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

void assert_type(const gg_var *v, const char *want) {
  char text[160];

  if (v == NULL)
    fail_msg("expected %s: %s", want, gg_graph_error(g));
  assert_string_equal(gg_type_text(gg_var_type(v), text, sizeof text), want);
}

void assert_graph_error(int code, const char *message) {
  assert_int_equal(gg_graph_status(g), code);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
  assert_int_equal(gg_graph_status(g), GA_NO_ERROR);
}

gg_var *bare_sized(int dtype, unsigned int nd, const int64_t *dims) {
  return gg_input_sized(g, "x", dtype, nd, dims);
}
