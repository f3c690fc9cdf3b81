/* SPDX-License-Identifier: BSD-2-Clause */
/* Every file operation of the kernel cache fails once, in every way, is cut
 * short, or is the last that the process does: what is read back afterwards is
 * the old bytes, the new ones or nothing, and a context opens and computes in
 * any case. Saves and loads of NumPy's files and of graphs fail in the same
 * ways: what had been saved before stays, whole.
 *
 *   test_torture_files [all]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cache/disk.h"
#include "support/child.h"
#include "support/device.h"
#include "torture/file_fault.h"
#include "torture/torture.h"

/* --- one entry, old and new --- */

enum { OLD_BYTES = 700, NEW_BYTES = 5000 };

static const unsigned char key[GA_SHA256_BYTES] = {1, 2, 3};
static unsigned char old_bytes[OLD_BYTES], new_bytes[NEW_BYTES];
static char folder[1024];

static void fresh_folder(void) {
  snprintf(folder, sizeof folder, "%s", test_path("files"));
  memset(old_bytes, 'o', sizeof old_bytes);
  memset(new_bytes, 'n', sizeof new_bytes);
}

/* What the cache holds: 'o', 'n', or 0 for nothing. Anything else fails. */
static char held(void) {
  unsigned char *bytes = NULL;
  ga__disk *d;
  char what = 0;
  size_t n;

  assert_ok(ga__disk_open(&d, folder));
  if (ga__disk_get(d, key, &bytes, &n)) {
    what = (char)bytes[0];
    if (what == 'o')
      assert_int_equal(n, OLD_BYTES);
    else
      assert_int_equal(n, NEW_BYTES);
    assert_memory_equal(bytes, what == 'o' ? old_bytes : new_bytes, n);
  }
  ga__free(bytes);
  ga__disk_close(d);
  return what;
}

static void put(const unsigned char *bytes, size_t n) {
  ga__disk *d;

  if (ga__disk_open(&d, folder) != GA_NO_ERROR)
    return;
  ga__disk_put(d, key, bytes, n);
  ga__disk_close(d);
}

/* Replace old by new, and read it. */
static void work_files(void) {
  unsigned char *bytes;
  ga__disk *d;
  size_t n;

  put(new_bytes, NEW_BYTES);
  if (ga__disk_open(&d, folder) != GA_NO_ERROR)
    return;
  if (ga__disk_get(d, key, &bytes, &n)) {
    if (n != NEW_BYTES && n != OLD_BYTES)
      abort();
    ga__free(bytes);
  }
  ga__disk_close(d);
}

static long count_files(void) {
  file_fault_arm(0, 0, 0);
  work_files();
  return file_fault_disarm(NULL);
}

static const int hows[] = {EIO,   ENOSPC, EACCES,     EMFILE,
                           EROFS, EINTR,  FILE_SHORT, FILE_END};

static void test_failures(void **state) {
  const size_t n_hows = sizeof hows / sizeof *hows;

  (void)state;
  fresh_folder();
  long calls = count_files();
  assert_true(calls >= 10);
  long files = file_fault_open();
  for (long n = 1; n <= calls; n++)
    for (size_t h = 0; h < n_hows; h++) {
      put(old_bytes, OLD_BYTES);
      assert_int_equal(held(), 'o');
      long allocs = ga__alloc_live();
      file_fault_arm(n, hows[h], 0);
      work_files();
      file_fault_disarm(NULL);
      held();
      assert_int_equal(ga__alloc_live(), allocs);
      assert_int_equal(file_fault_open(), files);
    }
  print_message("%ld file operations, %zu failures each\n", calls, n_hows);
}

/* kill -9 before and after each operation. */
static void killed_at(long n, int how) {
  int status;

  put(old_bytes, OLD_BYTES);
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    file_fault_arm(n, how, 0);
    work_files();
    _exit(0);
  }
  assert_true(pid > 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFSIGNALED(status));
  assert_int_not_equal(held(), 0);
  put(new_bytes, NEW_BYTES);
  assert_int_equal(held(), 'n');
}

static void test_kills(void **state) {
  (void)state;
  fresh_folder();
  put(old_bytes, OLD_BYTES);
  long calls = count_files();
  for (long n = 1; n <= calls; n++) {
    killed_at(n, FILE_KILL);
    killed_at(n, FILE_KILL_AFTER);
  }
  print_message("%ld file operations, killed before and after each\n", calls);
}

/* Every length, and every byte of the header changed: a miss, then a put. */
static void spoil(const char *path, size_t length, long flip) {
  unsigned char bytes[OLD_BYTES + 128];
  FILE *f = fopen(path, "rb");

  assert_non_null(f);
  size_t n = fread(bytes, 1, sizeof bytes, f);
  fclose(f);
  if (flip >= 0)
    bytes[flip] ^= 0x40;
  f = fopen(path, "wb");
  assert_non_null(f);
  assert_true(length <= n);
  assert_int_equal(fwrite(bytes, 1, length, f), length);
  fclose(f);
}

static void test_spoiled(void **state) {
  char name[2 * GA_SHA256_BYTES + 1], path[1200];
  const size_t whole = OLD_BYTES + 84;

  (void)state;
  fresh_folder();
  ga__sha256_hex(key, name);
  snprintf(path, sizeof path, "%s/%s.cache", folder, name);
  for (size_t n = 0; n < whole; n++) {
    put(old_bytes, OLD_BYTES);
    spoil(path, n, -1);
    assert_int_equal(held(), 0);
    put(old_bytes, OLD_BYTES);
    spoil(path, whole, (long)n);
    assert_int_equal(held(), 0);
  }
}

/* Processes that replace and read one entry at the same time. */
static void test_processes(void **state) {
  enum { PROCESSES = 4, ROUNDS = 300 };
  pid_t pids[PROCESSES];
  int status;

  (void)state;
  fresh_folder();
  put(old_bytes, OLD_BYTES);
  fflush(NULL);
  for (int i = 0; i < PROCESSES; i++) {
    pids[i] = fork();
    for (int k = 0; pids[i] == 0 && k < ROUNDS; k++) {
      put(k % 2 ? old_bytes : new_bytes, k % 2 ? OLD_BYTES : NEW_BYTES);
      if (held() == 0)
        _exit(1);
    }
    if (pids[i] == 0)
      _exit(0);
  }
  for (int i = 0; i < PROCESSES; i++) {
    assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
    assert_int_equal(status, 0);
  }
}

/* Whatever fails, a context opens and computes. Returns how many operations
 * there were in *calls. */
static int compute(long n, int how, const work *want, long *calls) {
  work w;

  memset(&w, 0, sizeof w);
  file_fault_arm(n, how, 0);
  int err = run_elemwise(&w);
  *calls = file_fault_disarm(NULL);
  if (err == GA_NO_ERROR && want != NULL &&
      memcmp(w.got, want->got, sizeof w.got) != 0)
    err = GA_MISC_ERROR;
  work_clear(&w);
  return err;
}

static int every_one;

static void test_start(void **state) {
  work want;
  long calls, unused;

  (void)state;
  test_context();
  memset(&want, 0, sizeof want);
  assert_ok(run_elemwise(&want));
  assert_ok(compute(0, 0, &want, &calls));
  assert_true(calls > 5);
  for (long n = 1; n <= calls; n += every_one ? 1 : 1 + calls / 12)
    for (size_t h = 0; h < sizeof hows / sizeof *hows; h += every_one ? 1 : 3)
      assert_ok(compute(n, hows[h], &want, &unused));
  work_clear(&want);
}

/* --- saves and loads --- */

static void test_saves(void **state) {
  torture_plan plan = {.every_code = every_one, .seed = 1};
  torture_sum sum = {0};

  (void)state;
  plan.only = ".np";
  torture_files(&sum, &plan);
  plan.only = "saved graph";
  torture_files(&sum, &plan);
  assert_true(sum.reported > 50);
  assert_int_equal(sum.bad, 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_failures), cmocka_unit_test(test_kills),
      cmocka_unit_test(test_spoiled),  cmocka_unit_test(test_processes),
      cmocka_unit_test(test_start),    cmocka_unit_test(test_saves)};

  every_one = argc > 1 && strcmp(argv[1], "all") == 0;
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
