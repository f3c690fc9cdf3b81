/* SPDX-License-Identifier: BSD-2-Clause */
/* What others may have put into the folder of a cache, and entries that end a
 * process. */
#include "cache/cache_folder.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static mode_t mode_of(const char *what) {
  struct stat st;

  assert_int_equal(stat(what, &st), 0);
  return st.st_mode & 0777;
}

static void test_folders_of_others_switch_off(void **state) {
  static const mode_t bad[] = {0777, 0770, 0702};

  (void)state;
  ga__disk_close(open_cache());
  assert_int_equal(mode_of(path), 0700);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(chmod(path, bad[i]), 0);
    assert_off(path, "others may write to it");
  }
  assert_int_equal(chmod(path, 0755), 0);
  ga__disk *d = open_cache();
  assert_non_null(info_of(d).path);
  ga__disk_close(d);
  if (geteuid() == 0) { /* who can give it away */
    assert_int_equal(chown(path, 12345, 12345), 0);
    assert_off(path, "it belongs to another user");
    assert_int_equal(chown(path, 0, 0), 0);
  }
}

static void test_entries_of_others_are_misses(void **state) {
  ga__disk *d = open_cache();
  char other[600];

  (void)state;
  put(d, 1);
  assert_int_equal(mode_of(file_of(1)), 0600);
  assert_int_equal(chmod(file_of(1), 0666), 0);
  assert_false(get(d, 1));
  put(d, 1); /* in its place */
  assert_true(get(d, 1));
  if (geteuid() == 0) {
    assert_int_equal(chown(file_of(1), 12345, 12345), 0);
    assert_false(get(d, 1));
  }
  put(d, 1);
  snprintf(other, sizeof other, "%s/elsewhere", path);
  assert_int_equal(rename(file_of(1), other), 0);
  assert_int_equal(symlink("elsewhere", file_of(1)), 0);
  assert_false(get(d, 1));
  put(d, 1);
  assert_true(get(d, 1));
  ga__disk_close(d);
}

/* Opening a pipe would wait for a writer. */
static void test_pipes_are_misses(void **state) {
  ga__disk *d = open_cache();

  (void)state;
  assert_int_equal(mkfifo(file_of(1), 0600), 0);
  alarm(20);
  assert_false(get(d, 1));
  put(d, 1);
  assert_true(get(d, 1));
  alarm(0);
  ga__disk_close(d);
}

/* What the header does not promise is not read: the file of 4 GiB here would
 * be, and takes seconds. */
static void test_size_and_header_come_first(void **state) {
  ga__disk *d;

  (void)state;
  setenv("GPUARRAY_CACHE_MB", "99999", 1);
  d = open_cache();
  put(d, 1);
  assert_int_equal(truncate(file_of(1), (off_t)1 << 32), 0);
  const clock_t start = clock();
  assert_false(get(d, 1));
  assert_true(clock() - start < CLOCKS_PER_SEC / 4);
  assert_false(exists(file_of(1)));
  ga__disk_close(d);
}

/* A process begins with entries 1 and 2, ends 2, and is killed. */
static void die_trying(void) {
  ga__disk *d = open_cache();

  if (!get(d, 1) || !get(d, 2))
    _exit(1);
  size_t first = ga__disk_begin(d, key_of(1));
  size_t second = ga__disk_begin(d, key_of(2));
  if (first == 0 || second == 0 || first == second)
    _exit(1);
  ga__disk_end(d, second);
  raise(SIGKILL);
}

static size_t bytes_of(ga__disk *d, unsigned i) {
  unsigned char *bytes;
  size_t n;

  assert_true(ga__disk_get(d, key_of(i), &bytes, &n));
  ga__free(bytes);
  return n;
}

static void test_who_dies_trying_empties_the_entry(void **state) {
  ga__disk *alive = open_cache(), *d;
  int status;

  (void)state;
  put(alive, 1);
  put(alive, 2);
  put(alive, 3);
  /* Someone else tries at the same time, and lives. */
  size_t attempt = ga__disk_begin(alive, key_of(3));
  assert_int_not_equal(attempt, 0);
  pid_t pid = fork();
  if (pid == 0)
    die_trying();
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFSIGNALED(status));
  d = open_cache();
  assert_int_equal(bytes_of(d, 1), 0);
  assert_true(get(d, 2));
  assert_true(get(d, 3));
  put(d, 1); /* from source again */
  ga__disk_close(d);
  ga__disk_end(alive, attempt);
  ga__disk_close(alive);
  d = open_cache();
  assert_true(get(d, 1));
  assert_int_equal(n_files_in(path), 3);
  ga__disk_close(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cache_test(test_folders_of_others_switch_off),
      cache_test(test_entries_of_others_are_misses),
      cache_test(test_pipes_are_misses),
      cache_test(test_size_and_header_come_first),
      cache_test(test_who_dies_trying_empties_the_entry),
  };

  return cmocka_run_group_tests(tests, cache_make_top, cache_remove_top);
}
