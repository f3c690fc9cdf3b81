/* SPDX-License-Identifier: BSD-2-Clause */
/* Power is lost before each operation of a save, and after the last: what is
 * there then is the old file or the new one, and the new one once the save has
 * returned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "torture/file_fault.h"

enum { OLD_BYTES = 700, NEW_BYTES = 300000 };

static unsigned char old_bytes[OLD_BYTES], new_bytes[NEW_BYTES];
static char folder[300], path[400];

/* --- saves --- */

static int save_whole(void) {
  return ga__file_write(path, new_bytes, NEW_BYTES, 0);
}

/* As archives and graphs do: the start is known in the end. */
static int save_patched(void) {
  static const unsigned char zeros[50];
  ga__newfile f;

  GA_TRY(ga__newfile_open(&f, path, GA_FILE_PATCHED));
  GA_TRY(ga__newfile_write(&f, zeros, sizeof zeros));
  GA_TRY(ga__newfile_write(&f, new_bytes + 50, NEW_BYTES - 50));
  GA_TRY(ga__newfile_write_at(&f, 0, new_bytes, 50));
  return ga__newfile_close(&f, 1);
}

/* --- one loss --- */

/* 'o', 'n', or 0 for no file; anything else fails. */
static char held(void) {
  unsigned char *bytes;
  size_t n;

  if (access(path, F_OK) != 0)
    return 0;
  assert_int_equal(ga__file_read(path, &bytes, &n), GA_NO_ERROR);
  assert_int_not_equal(n, 0);
  char what = (char)bytes[0];
  assert_int_equal(n, what == 'o' ? OLD_BYTES : NEW_BYTES);
  assert_memory_equal(bytes, what == 'o' ? old_bytes : new_bytes, n);
  ga__free(bytes);
  return what;
}

/* Temporary files stay where nobody could remove them. */
static void empty_folder(void) {
  DIR *d = opendir(folder);
  const struct dirent *e;
  char name[700];

  assert_non_null(d);
  while ((e = readdir(d)) != NULL)
    if (e->d_name[0] != '.') {
      snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
      assert_int_equal(unlink(name), 0);
    }
  closedir(d);
}

/* Lose power before operation n of a save; behind the last when there are not
 * as many. Returns whether the save had come to its end. */
static int lose_at(long n, int how, int (*save)(void)) {
  int status;

  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    file_fault_arm(n, how, 0);
    if (save() != GA_NO_ERROR)
      _exit(1);
    if (n > file_fault_disarm(NULL))
      file_fault_power(how);
    _exit(1);
  }
  assert_true(pid > 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFSIGNALED(status));
  return held() == 'n';
}

static void save_old(void) {
  assert_int_equal(ga__file_write(path, old_bytes, OLD_BYTES, 0), GA_NO_ERROR);
}

static void check_save(int (*save)(void), int has_old) {
  static const int hows[] = {FILE_POWER_BYTES, FILE_POWER_NAMES};
  int is_new = 0;

  empty_folder();
  if (has_old)
    save_old();
  file_fault_arm(0, 0, 0);
  assert_int_equal(save(), GA_NO_ERROR);
  long calls = file_fault_disarm(NULL);
  assert_true(calls >= 6);
  for (int h = 0; h < 2; h++)
    for (long n = 1; n <= calls + 1; n++) {
      empty_folder();
      if (has_old)
        save_old();
      is_new = lose_at(n, hows[h], save);
      if (!is_new)
        assert_int_equal(held(), has_old ? 'o' : 0);
      if (n == calls + 1) /* after the save */
        assert_true(is_new);
    }
}

static void saves_outlive_it(void **state) {
  (void)state;
  check_save(save_whole, 1);
  check_save(save_patched, 1);
}

static void new_files_outlive_it(void **state) {
  (void)state;
  check_save(save_whole, 0);
  check_save(save_patched, 0);
}

/* --- setting up --- */

static int make_folder(void **state) {
  const char *top = getenv("TEST_DIR");

  (void)state;
  memset(old_bytes, 'o', sizeof old_bytes);
  memset(new_bytes, 'n', sizeof new_bytes);
  snprintf(folder, sizeof folder, "%s/power.%ld", top != NULL ? top : "/tmp",
           (long)getpid());
  snprintf(path, sizeof path, "%s/saved", folder);
  return mkdir(folder, 0777);
}

static int remove_folder(void **state) {
  (void)state;
  empty_folder();
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(saves_outlive_it),
      cmocka_unit_test(new_files_outlive_it),
  };

  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
