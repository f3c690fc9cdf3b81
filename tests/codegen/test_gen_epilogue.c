/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of epilogues. */
#include "support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/dtype.h"
#include "codegen/gen_epilogue.h"

static void check(const char *name, const ga__gen_epilogue *g) {
  ga__strb b = GA_STRB_INIT;

  ga__gen_epilogue_text(&b, g);
  assert_int_equal(b.err, GA_NO_ERROR);
  test_golden(name, ga__strb_text(&b));
  ga__strb_clear(&b);
}

static const gpuelemwise_arg args[] = {
    {"o", GA_FLOAT, GE_WRITE},           {"bias", GA_HALF, GE_READ},
    {"s", GA_BOOL, GE_READ | GE_SCALAR}, {"m", GA_UBYTE, GE_READ},
    {"t", GA_FLOAT, GE_READ | GE_WRITE},
};

static void test_vector(void **state) {
  static const ga__lane_step steps[] = {GA_LANES_ALIGNED, GA_LANES_SAME,
                                        GA_LANES_SAME, GA_LANES_APART,
                                        GA_LANES_NEXT};
  const ga__gen_epilogue g = {.text = "o = acc + bias; t += o",
                              .axes = 2,
                              .typecode = GA_FLOAT,
                              .n = 5,
                              .args = args,
                              .lanes = 4,
                              .boolean = "int",
                              .steps = steps};

  (void)state;
  check("epilogue_vector", &g);
}

static void test_scalar(void **state) {
  const ga__gen_epilogue g = {.preamble = "#define TWICE(x) ((x) + (x))",
                              .axes = 2,
                              .text = "o = w_to_float(TWICE(acc))",
                              .typecode = GA_DOUBLE,
                              .n = 1,
                              .args = args,
                              .lanes = 1};

  (void)state;
  check("epilogue_scalar", &g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vector),
      cmocka_unit_test(test_scalar),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
