/* SPDX-License-Identifier: BSD-2-Clause */
/* The journal of a cache: what its file holds while entries are tried, and that
 * nothing is left of it. */
#include "cache/cache_folder.h"

#include <fcntl.h>

#include "cache/journal.h"

static const char *journal_file(void) {
  static char file[400];

  snprintf(file, sizeof file, "%s/loading.0", path);
  return file;
}

/* The lowest descriptor that is free: the same before and after. */
static int free_descriptor(void) {
  const int fd = open("/dev/null", O_RDONLY);

  close(fd);
  return fd;
}

static void assert_records(const unsigned char *const *keys, size_t n) {
  static const unsigned char none[GA_SHA256_BYTES];
  unsigned char *bytes;
  size_t got;

  assert_int_equal(ga__file_read(journal_file(), &bytes, &got), GA_NO_ERROR);
  assert_int_equal(got, n * GA_SHA256_BYTES);
  for (size_t i = 0; i < n; i++)
    assert_memory_equal(bytes + i * GA_SHA256_BYTES,
                        keys[i] != NULL ? keys[i] : none, GA_SHA256_BYTES);
  ga__free(bytes);
}

static void test_records_are_used_again(void **state) {
  ga__journal j = GA_JOURNAL_INIT;
  unsigned char first[GA_SHA256_BYTES], second[GA_SHA256_BYTES];
  const long before = ga__alloc_live();
  const int fd = free_descriptor();

  (void)state;
  memset(first, 1, sizeof first);
  memset(second, 2, sizeof second);
  assert_int_equal(ga__dir_make(path), GA_NO_ERROR);
  assert_int_equal(ga__journal_begin(&j, path, first), 1);
  assert_records((const unsigned char *[]){first}, 1);
  assert_int_equal(ga__journal_begin(&j, path, second), 2);
  assert_records((const unsigned char *[]){first, second}, 2);
  ga__journal_end(&j, 1);
  ga__journal_end(&j, 0); /* of one that could not begin */
  assert_records((const unsigned char *[]){NULL, second}, 2);
  assert_int_equal(ga__journal_begin(&j, path, first), 1);
  assert_int_equal(ga__journal_begin(&j, path, second), 3);
  ga__journal_end(&j, 3);
  ga__journal_end(&j, 1);
  assert_records((const unsigned char *[]){NULL, second, NULL}, 3);
  assert_int_equal(free_descriptor(), fd + 1);
  ga__journal_close(&j);
  assert_false(exists(journal_file()));
  assert_int_equal(free_descriptor(), fd);
  ga__journal_close(&j); /* a closed one */
  assert_int_equal(ga__alloc_live(), before);
}

/* Where it could not be made once, it is not tried again. */
static void test_it_gives_up(void **state) {
  ga__journal j = GA_JOURNAL_INIT;

  (void)state;
  assert_int_equal(ga__journal_begin(&j, path, key_of(1)), 0);
  assert_int_equal(ga__dir_make(path), GA_NO_ERROR);
  assert_int_equal(ga__journal_begin(&j, path, key_of(1)), 0);
  assert_false(exists(journal_file()));
  ga__journal_close(&j);
}

static void test_two_have_files_of_their_own(void **state) {
  ga__journal a = GA_JOURNAL_INIT, b = GA_JOURNAL_INIT;
  const int fd = free_descriptor();

  (void)state;
  assert_int_equal(ga__dir_make(path), GA_NO_ERROR);
  assert_int_equal(ga__journal_begin(&a, path, key_of(1)), 1);
  assert_int_equal(ga__journal_begin(&b, path, key_of(2)), 1);
  assert_int_equal(n_files_in(path), 2);
  assert_int_equal(free_descriptor(), fd + 2); /* of the locked one: none */
  ga__journal_close(&b);
  assert_true(exists(journal_file()));
  ga__journal_close(&a);
  assert_int_equal(n_files_in(path), 0);
}

static void test_without_memory_it_leaves_nothing(void **state) {
  const long before = ga__alloc_live();
  const int fd = free_descriptor();

  (void)state;
  assert_int_equal(ga__dir_make(path), GA_NO_ERROR);
  for (long nth = 1, left = 0; left <= 0; nth++) {
    ga__journal j = GA_JOURNAL_INIT;
    ga__alloc_fail(nth, 1);
    const size_t record = ga__journal_begin(&j, path, key_of(1));
    left = ga__alloc_fail(0, 0);
    assert_int_equal(record != 0, left > 0);
    ga__journal_close(&j);
    assert_int_equal(free_descriptor(), fd);
    assert_int_equal(ga__alloc_live(), before);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cache_test(test_records_are_used_again),
      cache_test(test_it_gives_up),
      cache_test(test_two_have_files_of_their_own),
      cache_test(test_without_memory_it_leaves_nothing),
  };

  return cmocka_run_group_tests(tests, cache_make_top, cache_remove_top);
}
