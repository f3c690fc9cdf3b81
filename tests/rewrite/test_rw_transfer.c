/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers that other rules leave over are cut; values stay. */
#include <stdlib.h>
#include <string.h>

#include "support/funcs.h"

#include <gpugraph/report.h>

static const float numbers[3] = {1, 2, 3};

/* exp of x, which went to the other context and back for nothing. */
static void test_cut_transfer(void **unused) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *far = gg_mul(gg_transfer(x, test_second_context()), gg_f32(g, 1));
  gg_var *y = gg_add(gg_transfer(far, test_context()), gg_f32(g, 1));
  GpuArray in, out = {0};
  char *fired = NULL;
  size_t bytes;
  FILE *text;
  gg_func *f;

  (void)unused;
  float_vector(&in, 3, numbers);
  for (int m = 0; m < 2; m++) {
    f = func_make(
        g, &(gg_func_spec){.inputs = GG_VARS(x),
                           .outputs = GG_VARS(y),
                           .mode = m == 0 ? GG_FAST_RUN : GG_NO_REWRITE});
    func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
    assert_floats(&out, (float[]){2, 3, 4}, 3);
    assert_int_equal(func_stats(f).transfers, m == 0 ? 0 : 2);
    text = open_memstream(&fired, &bytes);
    assert_non_null(text);
    assert_ok(gg_func_print_rewrites(f, text));
    fclose(text);
    assert_int_equal(strstr(fired, "cut transfer") != NULL, m == 0);
    free(fired);
    gg_func_free(f);
  }
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut_transfer)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
