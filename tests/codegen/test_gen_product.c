/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros of the kernels of products. */
#include "support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/dtype.h"
#include "codegen/gen_product.h"
#include "codegen/template.h"

static void check(const char *name, ga__strb *b) {
  assert_int_equal(b->err, GA_NO_ERROR);
  test_golden(name, ga__strb_text(b));
  ga__strb_clear(b);
}

static void check_numbers(const char *name, int typecode, unsigned int lanes,
                          size_t n, const ga__macro *macros) {
  ga__strb b = GA_STRB_INIT;

  ga__gen_numbers(&b, typecode, lanes, n, macros);
  check(name, &b);
}

static void test_numbers(void **state) {
  const ga__macro gemm[] = {{"MR", 8},     {"NV", 2},       {"KC", 256},
                            {"PANELS", 4}, {"A_PACKED", 1}, {"B_PACKED", 0},
                            {"B_UNIT", 2}, {"C_UNIT", 1},   {"WIDE", 1}};
  const ga__macro ger[] = {{"SERIAL", 1}, {"VECTOR", 1}};
  const ga__macro dot[] = {{"VECTOR", 1}, {"GROUP", 128}, {"LAST", 0}};
  const ga__macro pairs[] = {{"MR", 6}, {"NV", 2}};

  (void)state;
  check_numbers("gemm_cpu_half", GA_HALF, 16, 9, gemm);
  check_numbers("gemm_cpu_bfloat", GA_BFLOAT, 16, 9, gemm);
  check_numbers("ger_cpu_float", GA_FLOAT, 16, 2, ger);
  check_numbers("dot_gpu_float", GA_FLOAT, 4, 3, dot);
  check_numbers("complex_float_16", GA_CFLOAT, 16, 2, pairs);
  check_numbers("complex_double_4", GA_CDOUBLE, 1, 0, NULL);
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

/* Parts of sums are floats, whatever the type of the factors. */
static void test_parts(void **state) {
  ga__strb b = GA_STRB_INIT;

  (void)state;
  ga__gen_gemm_mma_text(&b,
                        &(ga__gen_gemm_mma){.typecode = GA_HALF, .parts = 1});
  assert_non_null(strstr(ga__strb_text(&b), "#define T float\n"));
  assert_non_null(strstr(ga__strb_text(&b), "#define NARROW \"f16\"\n"));
  assert_non_null(strstr(ga__strb_text(&b), "#define PARTS 1\n"));
  ga__strb_clear(&b);
}

/* Lines that include a template are replaced by it. */
static void test_included(void **state) {
  static const char *const users[][2] = {{"gemm_wgmma", "mma_copy(uint to"},
                                         {"hgemm_mma", "mma_copy(uint to"},
                                         {"ger", "#define MUL_ADD(a, s, c)"}};

  (void)state;
  for (size_t i = 0; i < sizeof users / sizeof users[0]; i++) {
    assert_null(strstr(ga__template(users[i][0]), "#include"));
    assert_non_null(strstr(ga__template(users[i][0]), users[i][1]));
  }
}

/* Every template that the macros stand in front of is embedded. */
static void test_templates(void **state) {
  static const char *const names[] = {
      "gemm_cpu",      "gemm_pack",    "gemm_gpu",   "gemv_cpu",
      "gemv_gpu",      "gemv_join",    "ger",        "dot",
      "hgemm_mma",     "dgemm_mma",    "gemm_align", "gemm_wgmma",
      "complex_pairs", "gemm_as_real", "mma_join",   "product_put"};

  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    assert_non_null(ga__template(names[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),  cmocka_unit_test(test_gemv),
      cmocka_unit_test(test_wgmma),    cmocka_unit_test(test_parts),
      cmocka_unit_test(test_included), cmocka_unit_test(test_templates),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
