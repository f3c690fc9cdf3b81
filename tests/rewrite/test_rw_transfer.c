/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers that other rules leave over are cut; values stay. */
#include <stdlib.h>
#include <string.h>

#include "support/funcs.h"

#include <gpugraph/report.h>

static const float numbers[3] = {1, 2, 3};

/* y of the numbers, with and without rewrites: `rule` fires if there is one,
 * the transfers become `transfers`. */
static void check(gg_var *x, gg_var *y, const float *want, size_t n,
                  const char *rule, size_t transfers) {
  GpuArray in, out = {0};
  gg_func *f;

  float_vector(&in, 3, numbers);
  for (int m = 0; m < 2; m++) {
    f = func_make(
        gg_var_graph(x),
        &(gg_func_spec){.inputs = GG_VARS(x),
                        .outputs = GG_VARS(y),
                        .mode = m == 0 ? GG_FAST_RUN : GG_NO_REWRITE});
    func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
    assert_floats(&out, want, n);
    if (m == 0)
      assert_int_equal(func_stats(f).transfers, transfers);
    char *text = func_rewrites(f);
    assert_int_equal(strstr(text, rule) != NULL, m == 0);
    free(text);
    gg_func_free(f);
  }
  GpuArray_clear(&in);
  GpuArray_clear(&out);
}

/* x + 1, which went to the other context and back for nothing. */
static void test_cut_transfer(void **unused) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *far = gg_mul(gg_transfer(x, test_second_context()), gg_f32(g, 1));

  (void)unused;
  check(x, gg_add(gg_transfer(far, test_context()), gg_f32(g, 1)),
        (float[]){2, 3, 4}, 3, "cut transfer", 0);
  gg_graph_free(g);
}

/* The last elements, backwards, and one; but not of what is wanted whole. */
static void test_part_of_transfer(void **unused) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *far = gg_transfer(x, test_second_context());
  gg_var *last = gg_slice(far, 0, GG_END, 0, -1);

  (void)unused;
  check(x, last, (float[]){3, 2}, 2, "part of transfer", 1);
  check(x, gg_index(far, 0, 1), (float[]){2}, 1, "part of transfer", 1);
  gg_graph_free(g);
}

static void test_whole_transfer(void **unused) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *far = gg_transfer(x, test_second_context());
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_index(far, 0, 1), far)});
  char *text = func_rewrites(f);

  (void)unused;
  assert_null(strstr(text, "part of transfer"));
  free(text);
  gg_func_free(f);
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut_transfer),
                                     cmocka_unit_test(test_part_of_transfer),
                                     cmocka_unit_test(test_whole_transfer)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
