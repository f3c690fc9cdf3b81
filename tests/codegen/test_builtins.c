/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions of OpenCL C are declared for a text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "codegen/builtins.h"
#include "codegen/template.h"

/* The declarations for `text` behind `head`. The caller clears *b. */
static const char *declared(ga__strb *b, const char *head, const char *text) {
  assert_int_equal(ga__builtins_write(b, "", 0, NULL), 1);
  const size_t macros = b->n;

  ga__strb_reset(b);
  assert_int_equal(ga__builtins_write(b, head, 1, &text), 1);
  assert_int_equal(b->err, GA_NO_ERROR);
  return ga__strb_text(b) + macros;
}

static void check(const char *head, const char *text, const char *expected) {
  ga__strb b = GA_STRB_INIT;

  assert_string_equal(declared(&b, head, text), expected);
  ga__strb_clear(&b);
}

static void check_needs_header(const char *text, int needs) {
  ga__strb b = GA_STRB_INIT;

  assert_int_equal(ga__builtins_write(&b, "", 1, &text), !needs);
  ga__strb_clear(&b);
}

static void other_functions_need_the_header(void **state) {
  static const char *const others[] = {
      "length(x)",         "native_exp(x)",   "vload3(0, p)",
      "vload32(0, p)",     "convert_int3(x)", "convert_bool(x)",
      "printf(\"x\")",     "atomic_store(x)", "length (x)",
      "length * mix(x)",   "step + step(x)",  "half_exp - half_exp(x)",
      "read_imagef(i, x)", "atom_or(p, x)"};
  static const char *const own[] = {
      "my_length(x)",    "lengths(x)",          "x.s0",
      "/* length(x) */", "a_native_exp(x)",     "(length) * (step)-1",
      "x.step",          "half_n + 1 - half_n", "dot_sum(x)"};

  (void)state;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    check_needs_header(others[i], 1);
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    check_needs_header(own[i], 0);
}

/* With text that uses them, no prelude needs the header. */
static void preludes_do_without_the_header(void **state) {
  static const char *const preludes[] = {"prelude", "narrow", "cluda"};
  const char *text = "atom_xchg_dg(p, 1.0); atom_add_Lg(p, 1);";

  (void)state;
  for (size_t i = 0; i < sizeof preludes / sizeof preludes[0]; i++) {
    ga__strb b = GA_STRB_INIT;
    const char *head = ga__template(preludes[i]), *parts[] = {head, text};

    assert_non_null(head);
    assert_true(ga__builtins_write(&b, head, 1, &text));
    assert_true(ga__builtins_write(&b, "", 2, parts));
    ga__strb_clear(&b);
  }
}

static void each_function_is_declared_once(void **state) {
  (void)state;
  check("", "y = exp(exp(x)) + atan2(x, y);",
        "B_FLOATS(B_1, exp)\nB_FLOATS(B_2, atan2)\n");
  check("", "fmax(min(a, b), vload4(0, p))",
        "B_FMAX(fmax)\nB_MAX(min)\nB_VLOAD(4)\n");
  check("", "vstore(v, 0, p)",
        "B_VSTORE(2)\nB_VSTORE(4)\nB_VSTORE(8)\nB_VSTORE(16)\n");
}

static void names_within_names_and_comments_do_not_count(void **state) {
  (void)state;
  check("", "expo(x) my_exp(x) exp_(x) 2exp /* exp(x) */", "");
  check("", "/* never ended: sin(x)", "");
  check("", "a / b; sin(x)", "B_FLOATS(B_1, sin)\n");
}

static void macros_count_where_they_are_used(void **state) {
  static const char head[] = "#ifdef sin\n"
                             "#define ONE(x) two(x)\n"
                             "#endif\n"
                             "#define two(x) \\\n  cos(x)\n"
                             "#define three tan\n"
                             "static int f(int x) { return abs(x); }\n";

  (void)state;
  check(head, "", "B_INTEGERS(B_ABS, abs)\n");
  check(head, "ONE(3)", "B_INTEGERS(B_ABS, abs)\nB_FLOATS(B_1, cos)\n");
}

/* Which of two definitions holds is not known here. */
static void both_definitions_of_a_macro_count(void **state) {
  (void)state;
  check("#define f sin\n#define f cos\n", "f(x)",
        "B_FLOATS(B_1, sin)\nB_FLOATS(B_1, cos)\n");
}

static void conversions_have_types_widths_and_modes(void **state) {
  (void)state;
  check("", "convert_int4(x) convert_float_rtz(x) convert_uchar16_sat(x)",
        "B_CONVERT(int, 4, )\nB_CONVERT(float, , _rtz)\n"
        "B_CONVERT(uchar, 16, _sat)\n");
  check("", "reconvert_int(x)", "");
}

/* GA_JOIN(convert_uint, W_LANES) makes names of any width, and convert_ joined
 * with W_BOOL those of integers that are wide enough. */
static void joined_conversions_have_all_widths(void **state) {
  (void)state;
  check("", "JOIN(convert_float, N)",
        "B_CONVERT(float, , )\nB_CONVERT(float, 2, )\nB_CONVERT(float, 4, )\n"
        "B_CONVERT(float, 8, )\nB_CONVERT(float, 16, )\n");
  ga__strb b = GA_STRB_INIT;
  const char *text = declared(&b, "", "JOIN(JOIN(convert_, T), _sat)");
  assert_non_null(strstr(text, "B_CONVERT(char, 16, _sat)\n"));
  assert_non_null(strstr(text, "B_CONVERT(long, , )\n"));
  assert_null(strstr(text, "float"));
  assert_null(strstr(text, "uint"));
  ga__strb_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_functions_need_the_header),
      cmocka_unit_test(preludes_do_without_the_header),
      cmocka_unit_test(each_function_is_declared_once),
      cmocka_unit_test(names_within_names_and_comments_do_not_count),
      cmocka_unit_test(macros_count_where_they_are_used),
      cmocka_unit_test(both_definitions_of_a_macro_count),
      cmocka_unit_test(conversions_have_types_widths_and_modes),
      cmocka_unit_test(joined_conversions_have_all_widths),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
