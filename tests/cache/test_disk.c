/* SPDX-License-Identifier: BSD-2-Clause */
/* Keyed bytes on disk: whatever happens to the files or the folder, an answer
 * is right or a miss. */
#include "cache/cache_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static void test_entries_outlive_the_cache(void **state) {
  const long before = ga__alloc_live();
  ga__disk *d = open_cache();

  (void)state;
  assert_false(get(d, 0));
  for (unsigned i = 0; i < 300; i++)
    put(d, i);
  ga__disk_close(d);
  d = open_cache();
  for (unsigned i = 0; i < 300; i++)
    assert_true(get(d, i));
  assert_false(get(d, 300));
  assert_int_equal(info_of(d).files, 300);
  assert_int_equal(info_of(d).bytes, 300 * (HEADER + PAYLOAD));
  assert_int_equal(info_of(d).max_bytes, 512 << 20);
  assert_string_equal(info_of(d).path, path);
  assert_null(info_of(d).why);
  assert_true(ga__disk_is_on(d));
  ga__disk_drop(d, key_of(7));
  ga__disk_drop(d, key_of(7));
  assert_false(get(d, 7));
  assert_true(get(d, 8));
  assert_int_equal(ga__disk_wipe(d), 299);
  assert_false(get(d, 8));
  ga__disk_close(d);
  ga__disk_close(NULL);
  assert_int_equal(ga__alloc_live(), before);
}

static void test_overwriting_and_empty_payloads(void **state) {
  ga__disk *d = open_cache();
  unsigned char *bytes;
  size_t n;

  (void)state;
  ga__disk_put(d, key_of(1), "old", 3);
  put(d, 1);
  assert_true(get(d, 1));
  ga__disk_put(d, key_of(2), NULL, 0);
  assert_true(ga__disk_get(d, key_of(2), &bytes, &n));
  assert_int_equal(n, 0);
  ga__free(bytes);
  assert_int_equal(info_of(d).files, 2);
  ga__disk_close(d);
}

/* The bytes of entry 1's file, which is removed. */
static void take_file(ga__disk *d, unsigned char file[HEADER + PAYLOAD + 1]) {
  unsigned char *bytes;
  size_t n;

  put(d, 1);
  assert_int_equal(ga__file_read(file_of(1), &bytes, &n), GA_NO_ERROR);
  assert_int_equal(n, HEADER + PAYLOAD);
  memcpy(file, bytes, n);
  ga__free(bytes);
  ga__disk_drop(d, key_of(1));
}

/* The cache finds `n` bytes where entry 1 should be: a miss, and the file
 * makes room for a sound one. */
static void assert_miss(ga__disk *d, const unsigned char *file, size_t n) {
  assert_int_equal(ga__file_write(file_of(1), file, n, GA_FILE_CACHED),
                   GA_NO_ERROR);
  assert_false(get(d, 1));
  assert_false(exists(file_of(1)));
}

static void test_files_cut_anywhere(void **state) {
  unsigned char file[HEADER + PAYLOAD + 1] = {0};
  ga__disk *d = open_cache();

  (void)state;
  take_file(d, file);
  for (size_t n = 0; n < HEADER + PAYLOAD; n++)
    assert_miss(d, file, n);
  assert_miss(d, file, HEADER + PAYLOAD + 1);
  put(d, 1);
  assert_true(get(d, 1));
  ga__disk_close(d);
}

static void test_bytes_flipped_anywhere(void **state) {
  unsigned char file[HEADER + PAYLOAD + 1];
  ga__disk *d = open_cache();

  (void)state;
  take_file(d, file);
  for (size_t i = 0; i < HEADER + PAYLOAD; i++)
    for (int bit = 0; bit < 8; bit += 7) {
      file[i] ^= (unsigned char)(1 << bit);
      assert_miss(d, file, HEADER + PAYLOAD);
      file[i] ^= (unsigned char)(1 << bit);
    }
  assert_int_equal(
      ga__file_write(file_of(1), file, HEADER + PAYLOAD, GA_FILE_CACHED),
      GA_NO_ERROR);
  assert_true(get(d, 1));
  ga__disk_close(d);
}

static void test_file_of_another_key(void **state) {
  char other[600];
  ga__disk *d = open_cache();

  (void)state;
  put(d, 1);
  snprintf(other, sizeof other, "%s", file_of(2));
  assert_int_equal(rename(file_of(1), other), 0);
  assert_false(get(d, 2));
  assert_false(exists(other));
  ga__disk_close(d);
}

static void set_age(const char *file, time_t seconds) {
  const struct timespec t[2] = {{time(NULL) - seconds, 0},
                                {time(NULL) - seconds, 0}};

  assert_int_equal(utimensat(AT_FDCWD, file, t, 0), 0);
}

static void test_bound_drops_the_longest_unused(void **state) {
  enum { BIG = 100000, N = 40 };
  static unsigned char big[BIG];
  unsigned char *bytes;
  size_t n;

  (void)state;
  setenv("GPUARRAY_CACHE_MB", "1", 1);
  ga__disk *d = open_cache();
  assert_int_equal(info_of(d).max_bytes, 1 << 20);
  for (unsigned i = 0; i < 10; i++) {
    ga__disk_put(d, key_of(i), big, BIG);
    set_age(file_of(i), 1000 - (time_t)i);
  }
  assert_int_equal(info_of(d).files, 10);
  assert_true(ga__disk_get(d, key_of(0), &bytes, &n)); /* a use */
  ga__free(bytes);
  ga__disk_put(d, key_of(10), big, BIG);
  assert_true(exists(file_of(0)));
  assert_false(exists(file_of(1)));
  assert_false(exists(file_of(2)));
  assert_true(exists(file_of(3)));
  assert_true(exists(file_of(10)));
  for (unsigned i = 11; i < N; i++) {
    ga__disk_put(d, key_of(i), big, BIG);
    assert_true(exists(file_of(i)));
    assert_in_range(info_of(d).bytes, BIG, 1 << 20);
  }
  ga__disk_close(d);
}

/* Also when it alone is more than the folder is trimmed to. */
static void test_bound_keeps_the_newest(void **state) {
  static unsigned char big[1000000];
  unsigned char *bytes;
  size_t n;

  (void)state;
  setenv("GPUARRAY_CACHE_MB", "1", 1);
  ga__disk *d = open_cache();
  for (unsigned i = 0; i < 3; i++) {
    ga__disk_put(d, key_of(i), big, sizeof big);
    assert_int_equal(info_of(d).files, 1);
    assert_true(ga__disk_get(d, key_of(i), &bytes, &n));
    ga__free(bytes);
    set_age(file_of(i), 100 - (time_t)i);
  }
  ga__disk_close(d);
}

static void test_bound_counts_what_was_there(void **state) {
  enum { BIG = 300000 };
  static unsigned char big[2 * BIG];
  ga__disk *d = open_cache();

  (void)state;
  for (unsigned i = 0; i < 10; i++)
    ga__disk_put(d, key_of(i), big, BIG);
  ga__disk_close(d);
  setenv("GPUARRAY_CACHE_MB", "1", 1);
  d = open_cache();
  put(d, 10);
  assert_in_range(info_of(d).bytes, 1, 1 << 20);
  assert_true(get(d, 10));
  ga__disk_close(d);
}

static void test_too_large_is_not_kept(void **state) {
  static unsigned char big[(1 << 20) - HEADER + 1];
  unsigned char *bytes;
  size_t n;

  (void)state;
  setenv("GPUARRAY_CACHE_MB", "1", 1);
  ga__disk *d = open_cache();
  ga__disk_put(d, key_of(1), big, sizeof big);
  assert_int_equal(info_of(d).files, 0);
  ga__disk_put(d, key_of(1), big, sizeof big - 1); /* just fits */
  assert_true(ga__disk_get(d, key_of(1), &bytes, &n));
  ga__free(bytes);
  ga__disk_close(d);
  setenv("GPUARRAY_CACHE_MB", "0", 1);
  d = open_cache();
  put(d, 2);
  assert_false(get(d, 2));
  ga__disk_close(d);
}

/* What is no number of at most nine digits counts as not set. */
static void test_bounds_that_can_be_asked_for(void **state) {
  static const struct {
    const char *text;
    uint64_t mb;
  } list[] = {{"1", 1},    {"007", 7},    {"999999999", 999999999},
              {"", 512},   {"many", 512}, {"9999999999", 512},
              {"-1", 512}, {"1 ", 512}};

  (void)state;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    setenv("GPUARRAY_CACHE_MB", list[i].text, 1);
    ga__disk *d = open_cache();
    assert_int_equal(info_of(d).max_bytes, list[i].mb << 20);
    ga__disk_close(d);
  }
}

/* Two entries that fill the folder to its last byte. */
static void test_bound_can_be_reached(void **state) {
  static unsigned char half[(1 << 19) - HEADER];

  (void)state;
  setenv("GPUARRAY_CACHE_MB", "1", 1);
  ga__disk *d = open_cache();
  ga__disk_put(d, key_of(1), half, sizeof half);
  ga__disk_put(d, key_of(2), half, sizeof half);
  assert_int_equal(info_of(d).bytes, 1 << 20);
  ga__disk_close(d);
  d = open_cache(); /* whose first write reads the folder */
  ga__disk_put(d, key_of(2), half, sizeof half);
  assert_int_equal(info_of(d).files, 2);
  put(d, 3);
  assert_in_range(info_of(d).files, 1, 2);
  ga__disk_close(d);
}

static void test_no_memory_is_the_reason(void **state) {
  ga__disk *d = open_cache();

  (void)state;
  ga__alloc_fail(1, 0);
  put(d, 1);
  ga__alloc_fail(0, 0);
  assert_non_null(strstr(info_of(d).why, "memory"));
  put(d, 1);
  assert_true(get(d, 1));
  ga__disk_close(d);
}

static void test_foreign_files_stay(void **state) {
  char foreign[600], stale[800], fresh[800];
  ga__disk *d = open_cache();

  (void)state;
  snprintf(foreign, sizeof foreign, "%s/letter.txt", path);
  snprintf(stale, sizeof stale, "%s.tmp.1.1", file_of(1));
  snprintf(fresh, sizeof fresh, "%s.tmp.1.2", file_of(1));
  assert_int_equal(ga__file_write(foreign, "x", 1, GA_FILE_CACHED),
                   GA_NO_ERROR);
  assert_int_equal(ga__file_write(stale, "x", 1, GA_FILE_CACHED), GA_NO_ERROR);
  assert_int_equal(ga__file_write(fresh, "x", 1, GA_FILE_CACHED), GA_NO_ERROR);
  set_age(foreign, 100000);
  set_age(stale, 3610); /* an hour and a bit */
  set_age(fresh, 3500);
  put(d, 2);
  assert_int_equal(info_of(d).files, 1);
  assert_int_equal(ga__disk_wipe(d), 1);
  assert_true(exists(foreign));
  assert_true(exists(fresh)); /* its writer may be at it still */
  assert_false(exists(stale));
  ga__disk_close(d);
}

/* Put and get the same keys as others do, with payloads that tell who wrote
 * them; an answer must be one of theirs, whole. */
static int work(ga__disk *d, unsigned char who) {
  static unsigned char mine[5000];
  unsigned char *bytes;
  size_t n;
  int bad = 0;

  memset(mine, who, sizeof mine);
  for (unsigned i = 0; i < 400; i++) {
    ga__disk_put(d, key_of(i % 20), mine, sizeof mine - who);
    if (!ga__disk_get(d, key_of((i * 7) % 20), &bytes, &n))
      continue;
    bad |= n != sizeof mine - bytes[0];
    bad |= memcmp(bytes, bytes + 1, n - 1) != 0;
    ga__free(bytes);
    if (i % 50 == 0)
      ga__disk_drop(d, key_of(i % 20));
  }
  return bad;
}

static void test_processes_share_a_folder(void **state) {
  ga__disk *d = open_cache();
  pid_t child[2];
  int status;

  (void)state;
  for (int i = 0; i < 2; i++) {
    child[i] = fork();
    assert_true(child[i] >= 0);
    if (child[i] == 0)
      _exit(work(d, (unsigned char)(i + 1)));
  }
  assert_int_equal(work(d, 3), 0);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(waitpid(child[i], &status, 0), child[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
  assert_in_range(info_of(d).files, 15, 20);
  assert_null(info_of(d).why);
  ga__disk_close(d);
}

static void test_bad_folder_switches_off(void **state) {
  const long before = ga__alloc_live();
  char below[400];

  (void)state;
  assert_int_equal(ga__file_write(path, "x", 1, GA_FILE_CACHED), GA_NO_ERROR);
  snprintf(below, sizeof below, "%s/below", path);
  assert_off(below, below);
  assert_off(path, path);
  setenv("GPUARRAY_CACHE_PATH", below, 1);
  assert_off(NULL, below);
  assert_int_equal(ga__file_remove(path), GA_NO_ERROR);
  assert_int_equal(ga__dir_make(path), GA_NO_ERROR);
  assert_int_equal(ga__alloc_live(), before);
}

static void test_switch_and_missing_home(void **state) {
  char *home = getenv("HOME");

  (void)state;
  home = home != NULL ? ga__strdup(home) : NULL;
  setenv("GPUARRAY_NO_CACHE", "1", 1);
  assert_off(NULL, "GPUARRAY_NO_CACHE");
  assert_off(path, "GPUARRAY_NO_CACHE");
  assert_false(exists(path));
  unsetenv("GPUARRAY_NO_CACHE");
  unsetenv("HOME");
  setenv("XDG_CACHE_HOME", "relative", 1);
  assert_off(NULL, "HOME");
  if (home != NULL)
    setenv("HOME", home, 1);
  ga__free(home);
  assert_int_equal(ga__dir_make(path), GA_NO_ERROR);
}

static void assert_opens_at(const char *expected) {
  ga__disk *d;

  assert_int_equal(ga__disk_open(&d, NULL), GA_NO_ERROR);
  assert_string_equal(info_of(d).path, expected);
  ga__disk_close(d);
}

static void test_environment_chooses_the_folder(void **state) {
  char xdg[400], dot[400], own[400];
  char *home = getenv("HOME");

  (void)state;
  home = home != NULL ? ga__strdup(home) : NULL;
  snprintf(xdg, sizeof xdg, "%s/gpugraph", path);
  snprintf(dot, sizeof dot, "%s/.cache", path);
  snprintf(own, sizeof own, "%s/.cache/gpugraph", path);
  setenv("HOME", path, 1);
#if !defined(__APPLE__)
  assert_opens_at(own);
  assert_int_equal(rmdir(own), 0);
  assert_int_equal(rmdir(dot), 0);
#endif
  setenv("XDG_CACHE_HOME", path, 1);
  assert_opens_at(xdg);
  assert_int_equal(rmdir(xdg), 0);
  setenv("GPUARRAY_NO_CACHE", "0", 1);
  setenv("GPUARRAY_CACHE_PATH", path, 1);
  assert_opens_at(path);
  if (home != NULL)
    setenv("HOME", home, 1);
  ga__free(home);
}

static void test_folder_lost_while_open(void **state) {
  ga__disk *d = open_cache();

  (void)state;
  assert_int_equal(rmdir(path), 0);
  assert_false(get(d, 1));
  put(d, 1); /* makes it again */
  assert_true(get(d, 1));
  assert_null(info_of(d).why);

  ga__disk_wipe(d);
  assert_int_equal(rmdir(path), 0);
  assert_int_equal(ga__file_write(path, "x", 1, GA_FILE_CACHED), GA_NO_ERROR);
  put(d, 1);
  assert_false(get(d, 1));
  assert_non_null(strstr(info_of(d).why, path));
  assert_int_equal(ga__disk_wipe(d), 0);

  assert_int_equal(ga__file_remove(path), GA_NO_ERROR);
  put(d, 1); /* works as soon as it can */
  assert_true(get(d, 1));
  ga__disk_close(d);
}

/* One life of a cache; the result does not matter, only that it is right. */
static int live_once(void) {
  ga__disk *d;

  if (ga__disk_open(&d, path) != GA_NO_ERROR) {
    assert_null(d);
    return 0;
  }
  assert_true(ga__disk_is_on(d) || info_of(d).why != NULL);
  put(d, 1);
  get(d, 1);
  info_of(d);
  ga__disk_drop(d, key_of(1));
  put(d, 2);
  ga__disk_wipe(d);
  ga__disk_close(d);
  return 1;
}

static void test_every_failed_allocation(void **state) {
  const long before = ga__alloc_live();

  (void)state;
  for (int nth = 1; nth < 40; nth++) {
    ga__alloc_fail(nth, 0);
    live_once();
    ga__alloc_fail(nth, 1);
    live_once();
    ga__alloc_fail(0, 0);
    assert_true(live_once());
    assert_int_equal(ga__alloc_live(), before);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cache_test(test_entries_outlive_the_cache),
      cache_test(test_overwriting_and_empty_payloads),
      cache_test(test_files_cut_anywhere),
      cache_test(test_bytes_flipped_anywhere),
      cache_test(test_file_of_another_key),
      cache_test(test_bound_drops_the_longest_unused),
      cache_test(test_bound_keeps_the_newest),
      cache_test(test_bound_counts_what_was_there),
      cache_test(test_too_large_is_not_kept),
      cache_test(test_bounds_that_can_be_asked_for),
      cache_test(test_bound_can_be_reached),
      cache_test(test_no_memory_is_the_reason),
      cache_test(test_foreign_files_stay),
      cache_test(test_processes_share_a_folder),
      cache_test(test_bad_folder_switches_off),
      cache_test(test_switch_and_missing_home),
      cache_test(test_environment_chooses_the_folder),
      cache_test(test_folder_lost_while_open),
      cache_test(test_every_failed_allocation),
  };

  return cmocka_run_group_tests(tests, cache_make_top, cache_remove_top);
}
