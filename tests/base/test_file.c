/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole files: atomic writes, failures that leave nothing, listing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

static char dir[200]; /* of this run */

static int make_dir(void **state) {
  const char *top = getenv("TEST_DIR");

  (void)state;
  snprintf(dir, sizeof dir, "%s/file.%ld/a/b", top != NULL ? top : "/tmp",
           (long)getpid());
  return ga__dir_make(dir);
}

/* Parents too: the folder was made with two below the one of the run. */
static int remove_dir(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    if (rmdir(dir) != 0)
      return -1;
    *strrchr(dir, '/') = '\0';
  }
  return 0;
}

static const char *in_dir(const char *name) {
  static char path[300];

  snprintf(path, sizeof path, "%s/%s", dir, name);
  return path;
}

static int count_one(void *n, const ga__dir_entry *e) {
  (void)e;
  ++*(int *)n;
  return 0;
}

static int n_files(void) {
  int n = 0;

  assert_int_equal(ga__dir_each(dir, count_one, &n), 0);
  return n;
}

static void test_read_gives_what_was_written(void **state) {
  const long before = ga__alloc_live();
  static unsigned char big[300000];
  unsigned char *bytes;
  size_t n;

  (void)state;
  for (size_t i = 0; i < sizeof big; i++)
    big[i] = (unsigned char)(i * 31);
  assert_int_equal(ga__file_write(in_dir("f"), big, sizeof big, 0), 0);
  assert_int_equal(ga__file_read(in_dir("f"), &bytes, &n), 0);
  assert_int_equal(n, sizeof big);
  assert_memory_equal(bytes, big, n);
  ga__free(bytes);

  assert_int_equal(ga__file_write(in_dir("f"), "", 0, 0), 0);
  assert_int_equal(ga__file_read(in_dir("f"), &bytes, &n), 0);
  assert_int_equal(n, 0);
  assert_non_null(bytes);
  ga__free(bytes);
  assert_int_equal(n_files(), 1);
  assert_int_equal(ga__file_remove(in_dir("f")), 0);
  assert_int_equal(n_files(), 0);
  assert_int_equal(ga__alloc_live(), before);
}

static void test_a_short_file_reads_as_short(void **state) {
  char got[8] = "........";
  size_t n = 99;

  (void)state;
  assert_int_equal(ga__file_write(in_dir("f"), "text", 4, 0), 0);
  const int fd = open(in_dir("f"), O_RDONLY);
  assert_true(fd >= 0);
  errno = EIO;
  assert_int_equal(ga__fd_read(fd, got, sizeof got, &n), 0);
  assert_int_equal(n, 4);
  assert_memory_equal(got, "text....", sizeof got);
  close(fd);
  assert_int_equal(ga__fd_read(fd, got, sizeof got, &n), -1);
  assert_int_equal(errno, EBADF);
  assert_int_equal(ga__file_remove(in_dir("f")), 0);
}

static void assert_names_path(const char *path) {
  assert_non_null(strstr(ga__err_text(GA_SYS_ERROR), path));
}

static void test_failures_name_the_path(void **state) {
  unsigned char *bytes = (unsigned char *)"";
  size_t n = 1;

  (void)state;
  assert_int_equal(ga__file_read(in_dir("none"), &bytes, &n), GA_SYS_ERROR);
  assert_names_path(in_dir("none"));
  assert_names_path("cannot open");
  assert_null(bytes);
  assert_int_equal(n, 0);
  assert_int_equal(ga__file_read(dir, &bytes, &n), GA_SYS_ERROR);
  assert_names_path(dir);
  assert_int_equal(ga__file_read("/dev/null", &bytes, &n), GA_SYS_ERROR);
  assert_names_path("/dev/null: not a regular file");
  if (access("/proc/self/status", R_OK) == 0) {
    assert_int_equal(ga__file_read("/proc/self/status", &bytes, &n),
                     GA_SYS_ERROR);
    assert_names_path("its size is not known");
  }
  assert_int_equal(ga__file_remove(in_dir("none")), GA_SYS_ERROR);
  assert_names_path(in_dir("none"));
  assert_int_equal(ga__file_touch(in_dir("none"), 0), GA_SYS_ERROR);
  assert_int_equal(ga__file_write(in_dir("no/file"), "x", 1, 0), GA_SYS_ERROR);
  assert_names_path(in_dir("no/file"));
  assert_int_equal(ga__file_write(dir, "x", 1, 0), GA_SYS_ERROR);
  assert_int_equal(n_files(), 0);
}

/* Nobody writes to the pipe, so a reader that waited would not come back. */
static void test_pipes_are_not_waited_for(void **state) {
  unsigned char *bytes;
  char path[300];
  size_t n;

  (void)state;
  snprintf(path, sizeof path, "%s", in_dir("pipe"));
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(ga__file_read(path, &bytes, &n), GA_SYS_ERROR);
  assert_names_path(path);
  assert_int_equal(ga__file_remove(path), 0);
}

static void test_folders(void **state) {
  (void)state;
  assert_int_equal(ga__dir_make(dir), GA_NO_ERROR);
  assert_int_equal(ga__dir_make(in_dir("x//y/")), GA_NO_ERROR);
  assert_int_equal(ga__dir_make(in_dir("x/y")), GA_NO_ERROR);
  assert_int_equal(n_files(), 0); /* folders are not listed */
  assert_int_equal(rmdir(in_dir("x/y")), 0);
  assert_int_equal(rmdir(in_dir("x")), 0);

  assert_int_equal(ga__file_write(in_dir("f"), "x", 1, 0), 0);
  assert_int_equal(ga__dir_make(in_dir("f")), GA_SYS_ERROR);
  assert_int_equal(ga__dir_make(in_dir("f/below")), GA_SYS_ERROR);
  assert_names_path(in_dir("f/below"));
  assert_int_equal(ga__file_remove(in_dir("f")), 0);
}

static int stop_at_second(void *seen, const ga__dir_entry *e) {
  int *n = seen;

  assert_int_equal(e->bytes, strlen(e->name));
  assert_true(e->mtime_ns / 1000000000 >= time(NULL) - 60);
  return ++*n == 2 ? 42 : 0;
}

static void test_listing_stops_when_told(void **state) {
  static const char *const names[] = {"a", "bb", "ccc"};
  int n = 0;

  (void)state;
  for (int i = 0; i < 3; i++)
    assert_int_equal(ga__file_write(in_dir(names[i]), "abc", (size_t)i + 1, 0),
                     0);
  assert_int_equal(n_files(), 3);
  assert_int_equal(ga__dir_each(dir, stop_at_second, &n), 42);
  assert_int_equal(n, 2);
  for (int i = 0; i < 3; i++)
    assert_int_equal(ga__file_remove(in_dir(names[i])), 0);
  assert_int_equal(ga__dir_each(in_dir("none"), stop_at_second, &n), 0);
  assert_int_equal(n, 2);
}

static void test_touch_only_when_old(void **state) {
  const struct timespec old[2] = {{1000, 0}, {1000, 0}};
  struct stat st;

  (void)state;
  assert_int_equal(ga__file_write(in_dir("f"), "x", 1, 0), 0);
  assert_int_equal(utimensat(AT_FDCWD, in_dir("f"), old, 0), 0);
  assert_int_equal(ga__file_touch(in_dir("f"), INT64_MAX / 2), 0);
  assert_int_equal(stat(in_dir("f"), &st), 0);
  assert_int_equal(st.st_mtime, 1000);
  assert_int_equal(ga__file_touch(in_dir("f"), 60), 0);
  assert_int_equal(stat(in_dir("f"), &st), 0);
  assert_true(st.st_mtime >= time(NULL) - 60);
  assert_int_equal(ga__file_remove(in_dir("f")), 0);
}

/* In a process of its own: a file may not pass 4 KiB. */
static int write_past_limit(void) {
  const struct rlimit limit = {4096, 4096};
  static char big[10000];

  signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
    return 1;
  if (ga__file_write(in_dir("f"), big, sizeof big, 0) != GA_SYS_ERROR)
    return 2;
  return strstr(ga__err_text(GA_SYS_ERROR), dir) != NULL ? 0 : 3;
}

static int status_of_child(pid_t child) {
  int status;

  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void test_full_disk_keeps_the_old_file(void **state) {
  unsigned char *bytes;
  size_t n;

  (void)state;
  assert_int_equal(ga__file_write(in_dir("f"), "old", 3, 0), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0)
    _exit(write_past_limit());
  assert_int_equal(status_of_child(child), 0);
  assert_int_equal(ga__file_read(in_dir("f"), &bytes, &n), 0);
  assert_int_equal(n, 3);
  assert_memory_equal(bytes, "old", 3);
  ga__free(bytes);
  assert_int_equal(n_files(), 1);
  assert_int_equal(ga__file_remove(in_dir("f")), 0);
}

static void test_dropped_files_leave_nothing(void **state) {
  ga__newfile f;

  (void)state;
  for (int flags = 0; flags <= GA_FILE_CACHED; flags++) {
    assert_int_equal(ga__newfile_open(&f, in_dir("f"), flags), 0);
    assert_int_equal(ga__newfile_write(&f, "new", 3), 0);
    assert_int_equal(n_files(), 1); /* under its temporary name */
    assert_int_equal(ga__newfile_close(&f, 0), 0);
    assert_int_equal(n_files(), 0);
  }
}

/* Another machine that shares the folder may be writing under the very names
 * that this process would choose. Its counter is unknown, but small. */
static void test_temporaries_of_others_stay(void **state) {
  enum { N = 20 };
  char name[N][400];
  unsigned int counter = 0;
  unsigned char *bytes;
  ga__newfile f;
  size_t n;

  (void)state;
  assert_int_equal(ga__newfile_open(&f, in_dir("f"), 0), 0);
  assert_int_equal(sscanf(strrchr(f.tmp.s, '.'), ".%u", &counter), 1);
  assert_int_equal(ga__newfile_close(&f, 0), 0);
  for (unsigned int i = 0; i < N; i++) {
    snprintf(name[i], sizeof name[i], "%s.tmp.%ld.%u", in_dir("f"),
             (long)getpid(), counter + 1 + i);
    FILE *other = fopen(name[i], "w");
    assert_non_null(other);
    assert_true(fputs("others", other) >= 0 && fclose(other) == 0);
  }
  assert_int_equal(ga__file_write(in_dir("f"), "ours", 4, 0), 0);
  for (unsigned int i = 0; i < N; i++) {
    assert_int_equal(ga__file_read(name[i], &bytes, &n), 0);
    assert_int_equal(n, 6);
    ga__free(bytes);
    assert_int_equal(ga__file_remove(name[i]), 0);
  }
  assert_int_equal(ga__file_remove(in_dir("f")), 0);
  assert_int_equal(n_files(), 0);
}

static void on_alarm(int signal) {
  (void)signal;
}

/* A pipe is full most of the time, and signals arrive while a write waits: two
 * or three before the next read, which is rare enough for valgrind. Afterwards
 * they are ignored, since valgrind delivers one late. */
static void test_interrupted_writes_go_on(void **state) {
  enum { N = 1 << 20 };
  static unsigned char all[N];
  const struct itimerval often = {{0, 10000}, {0, 10000}},
                         never = {{0, 0}, {0, 0}};
  const struct sigaction act = {.sa_handler = on_alarm}, /* no SA_RESTART */
      ignored = {.sa_handler = SIG_IGN};
  char path[300];

  (void)state;
  snprintf(path, sizeof path, "%s", in_dir("pipe"));
  assert_int_equal(mkfifo(path, 0600), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    static const struct timespec pause = {0, 25000000};
    static unsigned char piece[1 << 16];
    const int fd = open(path, O_RDONLY);
    size_t n = 0;
    ssize_t r;

    while ((r = read(fd, piece, sizeof piece)) > 0) {
      n += (size_t)r;
      nanosleep(&pause, NULL);
    }
    _exit(n == N ? 0 : 1);
  }
  assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
  ga__newfile f;
  assert_int_equal(ga__newfile_open(&f, path, 0), 0);
  assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
  const int err = ga__newfile_write(&f, all, N);
  assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
  assert_int_equal(ga__newfile_close(&f, 1), 0);
  assert_int_equal(sigaction(SIGALRM, &ignored, NULL), 0);
  assert_int_equal(err, 0);
  assert_int_equal(status_of_child(child), 0);
  assert_int_equal(ga__file_remove(path), 0);
}

/* Rewrite the file with one letter after the other, each time of another
 * length. */
static int rewrite(void) {
  static char text[40000];
  int err = 0;

  for (int i = 0; i < 300 && err == 0; i++) {
    memset(text, 'a' + i % 26, sizeof text);
    err = ga__file_write(in_dir("f"), text,
                         sizeof text - (size_t)(i % 26) * 1000, 0);
  }
  return err;
}

static void assert_whole(const unsigned char *p, size_t n) {
  assert_int_equal(n, 40000 - (size_t)(p[0] - 'a') * 1000);
  assert_true(p[0] == p[n - 1] && memcmp(p, p + 1, n - 1) == 0);
}

static void test_readers_see_whole_files(void **state) {
  unsigned char *bytes;
  pid_t child[2];
  size_t n;

  (void)state;
  assert_int_equal(rewrite(), 0);
  for (int i = 0; i < 2; i++) {
    child[i] = fork();
    assert_true(child[i] >= 0);
    if (child[i] == 0)
      _exit(rewrite());
  }
  for (int i = 0; i < 300; i++) {
    assert_int_equal(ga__file_read(in_dir("f"), &bytes, &n), 0);
    assert_whole(bytes, n);
    ga__free(bytes);
  }
  assert_int_equal(status_of_child(child[0]), 0);
  assert_int_equal(status_of_child(child[1]), 0);
  assert_int_equal(n_files(), 1);
  assert_int_equal(ga__file_remove(in_dir("f")), 0);
}

static void test_no_memory(void **state) {
  const long before = ga__alloc_live();
  unsigned char *bytes;
  size_t n;

  (void)state;
  assert_int_equal(ga__file_write(in_dir("f"), "x", 1, 0), 0);
  ga__alloc_fail(1, 1);
  assert_int_equal(ga__file_write(in_dir("f"), "y", 1, 0), GA_MEMORY_ERROR);
  assert_int_equal(ga__file_read(in_dir("f"), &bytes, &n), GA_MEMORY_ERROR);
  assert_null(bytes);
  assert_int_equal(ga__dir_make(in_dir("d")), GA_MEMORY_ERROR);
  ga__alloc_fail(0, 0);
  assert_int_equal(ga__alloc_live(), before);
  assert_int_equal(n_files(), 1);
  assert_int_equal(ga__file_remove(in_dir("f")), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_read_gives_what_was_written),
      cmocka_unit_test(test_a_short_file_reads_as_short),
      cmocka_unit_test(test_failures_name_the_path),
      cmocka_unit_test(test_pipes_are_not_waited_for),
      cmocka_unit_test(test_folders),
      cmocka_unit_test(test_listing_stops_when_told),
      cmocka_unit_test(test_touch_only_when_old),
      cmocka_unit_test(test_full_disk_keeps_the_old_file),
      cmocka_unit_test(test_dropped_files_leave_nothing),
      cmocka_unit_test(test_temporaries_of_others_stay),
      cmocka_unit_test(test_interrupted_writes_go_on),
      cmocka_unit_test(test_readers_see_whole_files),
      cmocka_unit_test(test_no_memory),
  };

  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
