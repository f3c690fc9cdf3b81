/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as text and back, whatever the bits and the locale. No device. */
#include <locale.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/literal.h"
#include "support/locale.h"
#include "support/roundtrip.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static uint64_t random_bits(void) {
  static uint64_t s = 88172645463325252u;

  s ^= s << 13;
  s ^= s >> 7;
  return s ^= s << 17;
}

/* Whatever the bits, the text has them. */
static void check_literal(int dtype, uint64_t bits) {
  const size_t size = ga__dtype_size(dtype);
  unsigned char p[8], q[8];
  ga__strb b = GA_STRB_INIT;

  memcpy(p, &bits, sizeof p);
  if (dtype == GA_BOOL)
    p[0] &= 1;
  gg__literal_print(dtype, p, &b);
  if (!gg__literal_parse(dtype, ga__strb_text(&b), b.n, q) ||
      memcmp(p, q, size) != 0)
    fail_msg("%s: %s", ga__dtype_name(dtype), ga__strb_text(&b));
  ga__strb_clear(&b);
}

static void check_literals(void) {
  static const int dtypes[] = {
      GA_BOOL, GA_BYTE,  GA_UBYTE, GA_SHORT, GA_USHORT, GA_INT,   GA_UINT,
      GA_LONG, GA_ULONG, GA_HALF,  GA_FLOAT, GA_DOUBLE, GA_BFLOAT};

  for (size_t i = 0; i < COUNT(dtypes); i++)
    for (int k = 0; k < 2000; k++)
      check_literal(dtypes[i], random_bits());
  for (uint64_t bits = 0; bits < 65536; bits += 7) {
    check_literal(GA_HALF, bits);
    check_literal(GA_BFLOAT, bits);
  }
}

static void test_literals(void **state) {
  (void)state;
  check_literals();
}

static void test_locale(void **state) {
  (void)state;
  test_comma_locale();
  check_literals();
  assert_same_text("k = float64[2] {0.5, -1e-07}\n");
  test_plain_locale();
}

/* A point of several bytes, where there is one. */
static void test_long_point(void **state) {
  (void)state;
  if (setlocale(LC_NUMERIC, "ps_AF.UTF-8") == NULL)
    skip();
  check_literals();
  test_plain_locale();
}

static void test_bad_literals(void **state) {
  static const char *const bad[] = {"",    "-",    "+",     ".",    "1 ",
                                    " 1",  "1..2", "0x",    "nan:", "nan:g",
                                    "1e",  "infx", "--1",   "1e5x", "nan:0",
                                    "INF", "nanx", "1_000", "1,5"};
  double room;

  (void)state;
  for (size_t i = 0; i < COUNT(bad); i++)
    for (int dtype = GA_BOOL; dtype <= GA_DOUBLE; dtype++)
      if (gg__literal_parse(dtype, bad[i], strlen(bad[i]), &room))
        fail_msg("%s is a %s", bad[i], ga__dtype_name(dtype));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_literals),
      cmocka_unit_test(test_locale),
      cmocka_unit_test(test_long_point),
      cmocka_unit_test(test_bad_literals),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
