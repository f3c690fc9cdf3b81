/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 against known digests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/sha256.h"

static void hex_of(const void *bytes, size_t n, char out[65]) {
  unsigned char digest[GA_SHA256_BYTES];
  ga__sha256 s;

  ga__sha256_init(&s);
  ga__sha256_add(&s, bytes, n);
  ga__sha256_end(&s, digest);
  ga__sha256_hex(digest, out);
}

static void test_published_vectors(void **state) {
  static const char *const vectors[][2] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb924"
           "27ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223"
              "b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039"
       "a33ce45964ff2167f6ecedd419db06c1"},
  };
  char hex[65];

  (void)state;
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    hex_of(vectors[i][0], strlen(vectors[i][0]), hex);
    assert_string_equal(hex, vectors[i][1]);
  }
}

static void test_a_million_letters(void **state) {
  unsigned char digest[GA_SHA256_BYTES];
  ga__sha256 s;
  char a[1000], hex[65];

  (void)state;
  memset(a, 'a', sizeof a);
  ga__sha256_init(&s);
  for (int i = 0; i < 1000; i++)
    ga__sha256_add(&s, a, sizeof a);
  ga__sha256_end(&s, digest);
  ga__sha256_hex(digest, hex);
  assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67"
                           "f1809a48a497200e046d39ccc7112cd0");
}

/* The digest of the digests of messages of 0 to 299 bytes, every padding
 * among them; the expected value was computed with Python's hashlib. */
static void test_every_length(void **state) {
  unsigned char message[300], digest[GA_SHA256_BYTES];
  ga__sha256 s, all;
  char hex[65];

  (void)state;
  ga__sha256_init(&all);
  for (size_t n = 0; n < sizeof message; n++) {
    for (size_t i = 0; i < n; i++)
      message[i] = (unsigned char)(i * 7 + n);
    ga__sha256_init(&s);
    ga__sha256_add(&s, message, n);
    ga__sha256_end(&s, digest);
    ga__sha256_add(&all, digest, sizeof digest);
  }
  ga__sha256_end(&all, digest);
  ga__sha256_hex(digest, hex);
  assert_string_equal(hex, "d5238871a46ac4a1a75ac3fb19d645b0"
                           "b3b9e5f35f5f720e2b240d605c6b694e");
}

static void test_pieces_join(void **state) {
  unsigned char message[500], whole[GA_SHA256_BYTES], pieces[GA_SHA256_BYTES];
  size_t at;
  ga__sha256 s;

  (void)state;
  for (size_t i = 0; i < sizeof message; i++)
    message[i] = (unsigned char)(i ^ i >> 3);
  ga__sha256_init(&s);
  ga__sha256_add(&s, message, sizeof message);
  ga__sha256_end(&s, whole);
  for (size_t piece = 1; piece < 200; piece++) {
    ga__sha256_init(&s);
    for (at = 0; at + piece <= sizeof message; at += piece)
      ga__sha256_add(&s, message + at, piece);
    ga__sha256_add(&s, message + at, sizeof message - at);
    ga__sha256_end(&s, pieces);
    assert_memory_equal(pieces, whole, sizeof whole);
  }
}

static void test_fields_do_not_run_together(void **state) {
  unsigned char one[GA_SHA256_BYTES], two[GA_SHA256_BYTES];
  ga__sha256 s;

  (void)state;
  ga__sha256_init(&s);
  ga__sha256_add_str(&s, "ab");
  ga__sha256_add_str(&s, "c");
  ga__sha256_end(&s, one);
  ga__sha256_init(&s);
  ga__sha256_add_str(&s, "a");
  ga__sha256_add_str(&s, "bc");
  ga__sha256_end(&s, two);
  assert_memory_not_equal(one, two, sizeof one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_published_vectors),
      cmocka_unit_test(test_a_million_letters),
      cmocka_unit_test(test_every_length),
      cmocka_unit_test(test_pieces_join),
      cmocka_unit_test(test_fields_do_not_run_together),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
