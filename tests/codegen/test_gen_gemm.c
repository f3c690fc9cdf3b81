/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros of matrix product kernels. */
#include "support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/dtype.h"
#include "codegen/gen_gemm.h"
#include "codegen/template.h"

static void check(const char *name, ga__strb *b) {
  assert_int_equal(b->err, GA_NO_ERROR);
  test_golden(name, ga__strb_text(b));
  ga__strb_clear(b);
}

static void test_cpu(void **state) {
  const ga__gen_gemm_cpu g = {.typecode = GA_HALF,
                              .lanes = 16,
                              .mr = 8,
                              .nv = 2,
                              .kc = 256,
                              .panels = 4,
                              .a_packed = 1,
                              .b_unit = 2,
                              .c_unit = 1,
                              .wide = 1};
  ga__strb b = GA_STRB_INIT;

  (void)state;
  ga__gen_gemm_cpu_text(&b, &g);
  check("gemm_cpu_half", &b);
}

static void test_gemv(void **state) {
  const ga__gen_gemv cpu = {.typecode = GA_DOUBLE,
                            .lanes = 8,
                            .along = 2,
                            .parts = 1,
                            .rows = 4,
                            .line = 1};
  const ga__gen_gemv gpu = {
      .typecode = GA_FLOAT, .along = 1, .width = 32, .teams = 8, .unroll = 4};
  ga__strb b = GA_STRB_INIT;

  (void)state;
  ga__gen_gemv_text(&b, &cpu);
  check("gemv_cpu_double", &b);
  ga__gen_gemv_text(&b, &gpu);
  check("gemv_gpu_float", &b);
}

static void test_ger_and_dot(void **state) {
  ga__strb b = GA_STRB_INIT;

  (void)state;
  ga__gen_ger_text(&b, GA_FLOAT, 16, 1, 1);
  check("ger_cpu_float", &b);
  ga__gen_dot_text(&b, GA_FLOAT, 4, 1, 128, 0);
  check("dot_gpu_float", &b);
}

/* The operands of an instruction that has as many sums as a tile has halves of
 * columns. */
static void test_wgmma(void **state) {
  ga__strb b = GA_STRB_INIT;

  (void)state;
  ga__gen_gemm_wgmma_text(&b, &(ga__gen_gemm_mma){.typecode = GA_HALF,
                                                  .bm = 64,
                                                  .bn = 8,
                                                  .bk = 64,
                                                  .stages = 4,
                                                  .a_unit = 1,
                                                  .b_unit = 2});
  assert_non_null(strstr(ga__strb_text(&b),
                         "#define SIZE 2\n#define SUMS \"{%0,%1,%2,%3}\"\n"
                         "#define SUMS_OF(a) \"+f\"(a[0]), \"+f\"(a[1]), "
                         "\"+f\"(a[2]), \"+f\"(a[3])\n"
                         "#define DESC_A \"%4\"\n#define DESC_B \"%5\"\n"));
  ga__strb_clear(&b);
}

/* Lines that include a template are replaced by it. */
static void test_included(void **state) {
  static const char *const users[] = {"gemm_wgmma", "hgemm_mma"};

  (void)state;
  for (size_t i = 0; i < 2; i++) {
    assert_null(strstr(ga__template(users[i]), "#include"));
    assert_non_null(strstr(ga__template(users[i]), "mma_copy(uint to"));
  }
}

/* Every template that the macros stand in front of is embedded. */
static void test_templates(void **state) {
  static const char *const names[] = {"gemm_cpu",  "gemm_pack",  "gemm_gpu",
                                      "gemv_cpu",  "gemv_gpu",   "gemv_join",
                                      "ger",       "dot",        "hgemm_mma",
                                      "dgemm_mma", "gemm_align", "gemm_wgmma"};

  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    assert_non_null(ga__template(names[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cpu),         cmocka_unit_test(test_gemv),
      cmocka_unit_test(test_ger_and_dot), cmocka_unit_test(test_wgmma),
      cmocka_unit_test(test_included),    cmocka_unit_test(test_templates),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
