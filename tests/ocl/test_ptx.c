/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions completed after compiling; text only, needs no device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ocl/kernel/ptx.h"

static void test_complete(void **state) {
  ga__strb b = GA_STRB_INIT;

  (void)state;
  assert_int_equal(ga__ptx_complete(&b,
                                    "//\n.version 8.5\n.target sm_90\n"
                                    "\tadd %r1;\n\t//ptx one %r1;\n"
                                    "\t// a comment\n\t//ptx two;\n}\n",
                                    "sm_90a"),
                   GA_NO_ERROR);
  assert_string_equal(ga__strb_text(&b), "//\n.version 8.5\n.target sm_90a\n"
                                         "\tadd %r1;\n\tone %r1;\n"
                                         "\t// a comment\n\ttwo;\n}\n");
  ga__strb_clear(&b);
}

/* Another architecture, or no PTX at all. */
static void test_refuse(void **state) {
  static const char *const texts[] = {
      "", "\177ELF", "\n.target sm_80\n//ptx one;\n",
      "\n.target sm_90a\n//ptx one;\n", "\n.target sm_900\n"};
  ga__strb b = GA_STRB_INIT;

  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    assert_int_equal(ga__ptx_complete(&b, texts[i], "sm_90a"), GA_DEVSUP_ERROR);
    assert_string_equal(ga__err_text(GA_DEVSUP_ERROR),
                        "the program is not PTX for sm_90");
    assert_int_equal(b.n, 0);
  }
  ga__strb_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_complete),
                                     cmocka_unit_test(test_refuse)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
