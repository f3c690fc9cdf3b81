/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of loops share: a graph and arrays for each test, and short forms
 * on float32 data. A program includes it in its one file. */
#ifndef GRAPH_SCAN_FORMS_H
#define GRAPH_SCAN_FORMS_H

#include "support/funcs.h"

static gg_graph *g;
static GpuArray in, out, out2;
static const float ten[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

static inline int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  return g == NULL;
}

static inline int teardown(void **state) {
  (void)state;
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  GpuArray_clear(&out2);
  gg_graph_free(g);
  return 0;
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

static inline gg_var *vector(const char *name) {
  return gg_input(g, name, GA_FLOAT, 1);
}

static inline gg_var *constant(unsigned int nd, const size_t *dims,
                               const float *v) {
  return gg_constant(g, GA_FLOAT, nd, dims, v);
}

/* `v` needs no inputs and is these floats. */
static inline void expect(gg_var *v, const float *want, size_t n) {
  gg_func *f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(v)});

  func_run(f, NULL, (GpuArray *[]){&out});
  assert_floats(&out, want, n);
  gg_func_free(f);
}

/* The graph has refused something with this message. */
static inline void expect_error(const char *message) {
  assert_int_equal(gg_graph_status(g), GA_VALUE_ERROR);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

#endif
