/* SPDX-License-Identifier: BSD-2-Clause */
/* Every case, with gradients, through text and through a file: the same text
 * again, and the same results to the last bit. */
#include <stdlib.h>
#include <string.h>

#include "support/case_batch.h"
#include "support/roundtrip.h"

/* --- the text --- */

static const int dtypes[] = {GA_FLOAT, GA_DOUBLE, GA_HALF,   GA_BFLOAT, GA_INT,
                             GA_UINT,  GA_BYTE,   GA_USHORT, GA_BOOL};

static void check_text(case_batch *b) {
  const gg_func_spec spec = case_batch_spec(b);

  assert_ok(gg_graph_add_func(b->g, &spec));
  char *once = graph_text(b->g, 0);
  gg_graph *h = graph_of_text(NULL, once);

  char *twice = graph_text(h, 0);
  assert_string_equal(twice, once);
  assert_int_equal(gg_graph_size(h) <= gg_graph_size(b->g), 1);
  free(once);
  free(twice);
  gg_graph_free(h);
}

static void test_text(void **state) {
  case_batch *b = malloc(sizeof *b);

  (void)state;
  assert_non_null(b);
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
    for (int sizes = SIZES_KNOWN; sizes <= SIZES_OPEN; sizes++)
      for (size_t i = 0; i < n_op_cases;) {
        i = case_batch_begin(b, NULL, i, dtypes[d], (case_sizes)sizes, 1);
        check_text(b);
        case_batch_end(b);
      }
  free(b);
}

/* --- the values --- */

static void call(gg_graph *g, GpuArray *const *in, GpuArray *out) {
  GpuArray *outs[CASE_MOST];
  gg_func *f = NULL;

  for (unsigned int i = 0; i < CASE_MOST; i++)
    outs[i] = &out[i];
  if (gg_func_new(&f, g, gg_graph_func(g, "cases")) != GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(g));
  if (gg_func_call(f, in, outs) != GA_NO_ERROR)
    fail_msg("%s", gg_func_error(f));
  gg_func_free(f);
}

static void assert_same(const GpuArray *a, const GpuArray *b) {
  void *want = calloc(test_size(a) + 1, sizeof(double));

  assert_non_null(want);
  assert_int_equal(a->typecode, b->typecode);
  assert_int_equal(test_size(a), test_size(b));
  test_gather(a, want);
  test_array_equal(b, want);
  free(want);
}

static void check_values(case_batch *b) {
  const gg_func_spec spec = case_batch_spec(b);
  GpuArray *in[CASE_MOST], out[3][CASE_MOST] = {0};

  assert_ok(gg_graph_add_func(b->g, &spec));
  gg_graph *loaded = graph_of_file(test_context(), b->g);
  char *text = graph_text(b->g, 0);
  gg_graph *read = graph_of_text(test_context(), text);

  for (unsigned int i = 0; i < CASE_MOST; i++)
    in[i] = &b->in_array[i];
  call(b->g, in, out[0]);
  call(loaded, in, out[1]);
  call(read, in, out[2]);
  for (unsigned int i = 0; i < b->n_out; i++) {
    assert_same(&out[0][i], &out[1][i]);
    assert_same(&out[0][i], &out[2][i]);
  }
  for (unsigned int i = 0; i < CASE_MOST; i++)
    for (unsigned int k = 0; k < 3; k++)
      GpuArray_clear(&out[k][i]);
  free(text);
  gg_graph_free(loaded);
  gg_graph_free(read);
}

static void check_dtype(int dtype, case_sizes sizes, int gradients) {
  case_batch *b = malloc(sizeof *b);

  assert_non_null(b);
  for (size_t i = 0; i < n_op_cases;) {
    i = case_batch_begin(b, test_context(), i, dtype, sizes, gradients);
    if (b->n_runs != 0)
      check_values(b);
    case_batch_end(b);
  }
  free(b);
}

static void test_float32(void **state) {
  (void)state;
  check_dtype(GA_FLOAT, SIZES_OPEN, 1);
}

static void test_float16(void **state) {
  (void)state;
  test_need_full();
  check_dtype(GA_HALF, SIZES_KNOWN, 0);
}

static void test_int32(void **state) {
  (void)state;
  check_dtype(GA_INT, SIZES_KNOWN, 0);
}

static void test_bool(void **state) {
  (void)state;
  check_dtype(GA_BOOL, SIZES_OPEN, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text),    cmocka_unit_test(test_float32),
      cmocka_unit_test(test_float16), cmocka_unit_test(test_int32),
      cmocka_unit_test(test_bool),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
