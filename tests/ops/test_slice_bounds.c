/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds of slices below the builders: what is not known, views, and what
 * reports show. */
#include "ops/shape/slice_bounds.h"
#include "support/graph_case.h"

static gg_var *slice(int64_t start, int64_t stop, int64_t step) {
  return gg_slice(gg_input(g, "x", GA_FLOAT, 1), 0, start, stop, step);
}

static void shows(int64_t start, int64_t stop, int64_t step, const char *want) {
  const gg_apply *const node = gg_var_owner(slice(start, stop, step));
  char buf[64];

  /* Every size of buffer: a part of the text, and no byte behind it. */
  for (size_t bytes = 1; bytes < sizeof buf; bytes++) {
    memset(buf, '!', sizeof buf);
    gg__slice_print(node, buf, bytes);
    const size_t n = strlen(want) < bytes ? strlen(want) : bytes - 1;
    assert_int_equal(strlen(buf), n);
    assert_memory_equal(buf, want, n);
    assert_int_equal(buf[bytes], '!');
  }
}

static void test_text(void **state) {
  (void)state;
  shows(1, 3, 1, "axis=0 1:3");
  shows(1, 3, 2, "axis=0 1:3:2");
  shows(GG_END, GG_END, -1, "axis=0 ::-1");
  shows(-2, GG_END, 1, "axis=0 -2:");
  shows(GG_END, INT64_MAX, INT64_MAX,
        "axis=0 :9223372036854775807:9223372036854775807");
}

static void test_unknown(void **state) {
  static const char *const names[3] = {"start", "stop", "step"};
  static const double one = 1;
  gg_var *const n = gg_input(g, "n", GA_LONG, 0);
  const gg_apply *const node =
      gg_var_owner(gg_slice_at(gg_input(g, "x", GA_FLOAT, 1), 0, n, n, n));
  gg__slice_props p;

  (void)state;
  for (unsigned int unknown = 0; unknown < 3; unknown++) {
    const double *number[4] = {NULL, &one, &one, &one};
    char want[64];

    number[1 + unknown] = NULL;
    snprintf(want, sizeof want, "the %s is not known before the call",
             names[unknown]);
    assert_code(GA_VALUE_ERROR, gg__slice_of(node, number, &p));
    assert_message(GA_VALUE_ERROR, want);
    gg_graph_reset_error(g);
  }
}

static void test_unknown_index(void **state) {
  gg_var *const n = gg_input(g, "n", GA_LONG, 0);
  const gg_apply *const node =
      gg_var_owner(gg_index_at(gg_input(g, "x", GA_FLOAT, 1), 0, n));
  static const double *const number[2] = {NULL, NULL};
  const gg_dims in[2] = {{1, {3}}, {0, {0}}};
  gg_dims dims;

  (void)state;
  assert_code(GA_VALUE_ERROR, node->op->shape(node, in, number, &dims));
  assert_message(GA_VALUE_ERROR, "the index is not known before the call");
  gg_graph_reset_error(g);
}

static void test_bad_steps(void **state) {
  static const double one = 1, zero = 0;
  const double *const number[4] = {NULL, &one, &one, &zero};
  gg_var *const n = gg_input(g, "n", GA_LONG, 0);
  const gg_apply *const node =
      gg_var_owner(gg_slice_at(gg_input(g, "x", GA_FLOAT, 1), 0, n, n, n));
  gg__slice_props p;

  (void)state;
  assert_code(GA_VALUE_ERROR, gg__slice_of(node, number, &p));
  assert_message(GA_VALUE_ERROR, "the step is 0");
  gg_graph_reset_error(g);
}

static void test_bad_bounds(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const real = gg_f32(g, 1), *const vector =
                                         gg_input(g, "v", GA_LONG, 1);
  gg_var *bound[3];

  (void)state;
  assert_false(gg__slice_bounds(&gg__op_slice_at, x, real, NULL, NULL, bound));
  assert_int_equal(gg_graph_status(g), GA_VALUE_ERROR);
  gg_graph_reset_error(g);
  assert_false(
      gg__slice_bounds(&gg__op_slice_at, x, NULL, NULL, vector, bound));
  assert_int_equal(gg_graph_status(g), GA_VALUE_ERROR);
  gg_graph_reset_error(g);
  assert_true(gg__slice_bounds(&gg__op_slice_at, x, NULL, NULL, NULL, bound));
}

/* The stride of one element that is left stays, whatever the step is. */
static void test_views(void **state) {
  const gg__slice_props one = {.start = 1, .stop = 2, .step = 3},
                        two = {.start = 2, .stop = GG_END, .step = -2},
                        none = {.start = 3, .stop = 1, .step = 1};

  (void)state;
  float_vector(&a, 3, (float[]){1, 2, 3});
  assert_ok(gg__slice_view(&one, &a, &b));
  assert_int_equal(b.dimensions[0], 1);
  assert_int_equal(b.strides[0], sizeof(float));
  assert_int_equal(b.offset, a.offset + sizeof(float));
  GpuArray_clear(&b);
  assert_ok(gg__slice_view(&two, &a, &b));
  assert_int_equal(b.dimensions[0], 2);
  assert_int_equal(b.strides[0], -2 * (ssize_t)sizeof(float));
  assert_int_equal(b.offset, a.offset + 2 * sizeof(float));
  GpuArray_clear(&b);
  assert_ok(gg__slice_view(&none, &a, &b));
  assert_int_equal(b.dimensions[0], 0);
  assert_int_equal(b.offset, a.offset);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_text, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_unknown, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_unknown_index, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_bad_steps, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_bad_bounds, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_views, graph_setup, graph_teardown),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
