/* SPDX-License-Identifier: BSD-2-Clause */
/* XXH64 against published values, whole and in pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/xxh64.h"

static void test_known(void **state) {
  static const struct {
    const char *text;
    uint64_t sum;
  } known[] = {
      {"", 0xEF46DB3751D8E999u},
      {"a", 0xD24EC4F1A98C6E5Bu},
      {"abc", 0x44BC2CF5AD770999u},
      {"Nobody inspects the spammish repetition", 0xFBCEA83C8A378BF1u},
  };

  (void)state;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    assert_int_equal(ga__xxh64_of(known[i].text, strlen(known[i].text)),
                     known[i].sum);
}

/* However the bytes are cut. */
static void test_pieces(void **state) {
  unsigned char bytes[200];
  ga__xxh64 s;

  (void)state;
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)(i * 37 + 11);
  for (size_t n = 0; n <= sizeof bytes; n += 7) {
    uint64_t whole = ga__xxh64_of(bytes, n);
    for (size_t step = 1; step < 70; step += 3) {
      ga__xxh64_init(&s);
      for (size_t at = 0; at < n; at += step)
        ga__xxh64_add(&s, bytes + at, n - at < step ? n - at : step);
      assert_int_equal(ga__xxh64_end(&s), whole);
    }
  }
}

static void test_every_bit_counts(void **state) {
  unsigned char bytes[77] = {0};
  const uint64_t before = ga__xxh64_of(bytes, sizeof bytes);

  (void)state;
  for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
    bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    assert_int_not_equal(ga__xxh64_of(bytes, sizeof bytes), before);
    bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known),
      cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_every_bit_counts),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
