/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros of the kernels of complex products. */
#include "support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gpuarray/types.h>

#include "codegen/gen_complex.h"
#include "codegen/template.h"

static void check(const char *name, ga__strb *b) {
  assert_int_equal(b->err, GA_NO_ERROR);
  test_golden(name, ga__strb_text(b));
  ga__strb_clear(b);
}

static void test_macros(void **state) {
  const ga__macro macros[] = {{"MR", 6}, {"NV", 2}};
  ga__strb b = GA_STRB_INIT;

  (void)state;
  ga__gen_complex(&b, GA_CFLOAT, 16, 2, macros);
  check("complex_float_16", &b);
  ga__gen_complex(&b, GA_CDOUBLE, 4, 0, NULL);
  check("complex_double_4", &b);
}

static void test_templates(void **state) {
  static const char *const names[] = {
      "complex_pairs",    "dot_complex",       "gemm_complex_cpu",
      "gemm_complex_gpu", "gemm_complex_pack", "gemv_complex_cpu",
      "gemv_complex_gpu", "gemv_complex_join", "ger_complex"};

  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    assert_non_null(ga__template(names[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_macros),
      cmocka_unit_test(test_templates),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
