/* SPDX-License-Identifier: BSD-2-Clause */
/* The text in front of draws from MRG31k3p against golden files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gpuarray/types.h>

#include "codegen/gen_random.h"
#include "support/golden.h"

static void check(const char *name, ga_random what, int typecode,
                  unsigned int lanes) {
  ga__strb b = GA_STRB_INIT;

  ga__gen_random_mrg(&b, what, typecode, lanes);
  test_golden(name, ga__strb_text(&b));
  ga__strb_clear(&b);
}

static void test_macros(void **state) {
  (void)state;
  check("random_mrg_half", GA_RANDOM_UNIFORM, GA_HALF, 8);
  check("random_mrg_double", GA_RANDOM_NORMAL, GA_DOUBLE, 1);
  check("random_mrg_bits", GA_RANDOM_BITS, GA_ULONG, 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_macros)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
