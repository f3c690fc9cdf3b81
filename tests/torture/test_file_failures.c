/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves, archives, maps and entries of caches whose file operations and
 * allocations fail, one after the other: each failure that matters is reported,
 * what was there stays, and nothing is left open, allocated or lying about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cache/entry.h"
#include "io/zip.h"
#include "torture/file_fault.h"

enum { OLD_BYTES = 700, NEW_BYTES = 300000 };

static unsigned char old_bytes[OLD_BYTES], new_bytes[NEW_BYTES];
static char folder[300], path[400], other[400];

static int count_one(void *n, const ga__dir_entry *e) {
  (void)e;
  ++*(int *)n;
  return 0;
}

static int n_names(void) {
  int n = 0;

  assert_int_equal(ga__dir_each(folder, count_one, &n), 0);
  return n;
}

static int remove_one(void *arg, const ga__dir_entry *e) {
  char name[800];

  (void)arg;
  snprintf(name, sizeof name, "%s/%s", folder, e->name);
  return ga__file_remove(name);
}

/* Alone: a temporary file whose removal fails stays. */
static void save_old(void) {
  assert_int_equal(ga__dir_each(folder, remove_one, NULL), 0);
  assert_int_equal(ga__file_write(path, old_bytes, OLD_BYTES, 0), GA_NO_ERROR);
}

static int is_new(void) {
  unsigned char *bytes;
  size_t n;

  assert_int_equal(ga__file_read(path, &bytes, &n), GA_NO_ERROR);
  const int same = n == NEW_BYTES && memcmp(bytes, new_bytes, n) == 0;
  ga__free(bytes);
  return same;
}

static long calls_of(int (*work)(void)) {
  file_fault_arm(0, 0, 0);
  assert_int_equal(work(), GA_NO_ERROR);
  return file_fault_disarm(NULL);
}

/* Run with the nth file operation, or allocation when `how` is 0, harmed.
 * Nothing is left open or allocated. */
static int run_failing(int (*work)(void), long nth, int how) {
  const long files = file_fault_open(), blocks = ga__alloc_live();

  if (how != 0)
    file_fault_arm(nth, how, 0);
  else
    ga__alloc_fail(nth, 0);
  int err = work();
  file_fault_disarm(NULL);
  ga__alloc_fail(0, 0);
  assert_int_equal(file_fault_open(), files);
  assert_int_equal(ga__alloc_live(), blocks);
  return err;
}

/* --- saves --- */

static int save_whole(void) {
  return ga__file_write(path, new_bytes, NEW_BYTES, 0);
}

/* A file with a second name, whose bytes are copied. */
static int save_linked(void) {
  if (access(other, F_OK) != 0 && link(path, other) != 0)
    return GA_SYS_ERROR;
  return save_whole();
}

/* Each operation of a save fails once: how many of them it reports. */
static int n_reported(int (*save)(void), int how) {
  int n = 0;

  save_old();
  const long calls = calls_of(save);
  for (long nth = 1; nth <= calls; nth++) {
    save_old();
    const int err = run_failing(save, nth, how);
    n += err != GA_NO_ERROR;
    if (err == GA_NO_ERROR) {
      assert_true(is_new());
    } else {
      assert_non_null(strstr(ga__err_text(GA_SYS_ERROR), path));
      assert_int_equal(n_names(), save == save_linked ? 2 : 1);
    }
  }
  return n;
}

/* The status, the old file, the new one, its bytes, their sync, its close and
 * its name, the folder and its sync; but not links, owners and modes. Folders
 * may refuse to be read or synced, and calls that were interrupted go on. */
static void what_matters_is_reported(void **state) {
  (void)state;
  assert_int_equal(n_reported(save_whole, EIO), 9);
  assert_int_equal(n_reported(save_whole, EACCES), 8);
  assert_int_equal(n_reported(save_whole, EINVAL), 8);
  assert_int_equal(n_reported(save_whole, EINTR), 8);
  assert_int_equal(n_reported(save_whole, FILE_SHORT), 0);
  /* A copy: reads and writes can be interrupted, and all else reported. */
  assert_int_equal(n_reported(save_linked, EIO), 19);
  assert_int_equal(n_reported(save_linked, EINTR), 7);
  assert_int_equal(n_reported(save_linked, FILE_SHORT), 0);
}

/* --- whole files --- */

static int read_back(void) {
  unsigned char *bytes;
  size_t n;

  GA_TRY(ga__file_read(path, &bytes, &n));
  const int same = n == NEW_BYTES && memcmp(bytes, new_bytes, n) == 0;
  ga__free(bytes);
  return same ? GA_NO_ERROR : GA_MISC_ERROR;
}

static int map_back(void) {
  const unsigned char *p;
  size_t n;

  GA_TRY(ga__file_map(path, &p, &n));
  const int same = n == NEW_BYTES && memcmp(p, new_bytes, n) == 0;
  ga__file_unmap(p, n);
  return same ? GA_NO_ERROR : GA_MISC_ERROR;
}

/* All but the close of a file that was read. */
static void reads_report_failures(void **state) {
  int (*works[2])(void) = {read_back, map_back};

  (void)state;
  assert_int_equal(save_whole(), GA_NO_ERROR);
  for (int k = 0; k < 2; k++) {
    const long calls = calls_of(works[k]);
    for (long nth = 1; nth < calls; nth++) {
      assert_int_equal(run_failing(works[k], nth, EIO), GA_SYS_ERROR);
      assert_non_null(strstr(ga__err_text(GA_SYS_ERROR), path));
    }
    assert_int_equal(run_failing(works[k], calls, EIO), GA_NO_ERROR);
  }
}

static void maps_end(void **state) {
  const unsigned char *p = new_bytes;
  size_t n = 1;
  const long files = file_fault_open();

  (void)state;
  assert_int_equal(save_whole(), GA_NO_ERROR);
  assert_int_equal(ga__file_map(path, &p, &n), GA_NO_ERROR);
  assert_int_equal(file_fault_open(), files);
  assert_int_equal(msync((void *)(uintptr_t)p, n, MS_ASYNC), 0);
  ga__file_unmap(p, n);
  assert_int_equal(msync((void *)(uintptr_t)p, n, MS_ASYNC), -1);
  assert_int_equal(errno, ENOMEM);
  assert_int_equal(ga__file_map("/dev/null", &p, &n), GA_SYS_ERROR);
  assert_non_null(strstr(ga__err_text(GA_SYS_ERROR), "not a regular file"));
  assert_null(p);
  assert_int_equal(ga__file_write(path, "", 0, 0), GA_NO_ERROR);
  assert_int_equal(ga__file_map(path, &p, &n), GA_NO_ERROR);
  assert_null(p);
  assert_int_equal(n, 0);
  ga__file_unmap(p, n);
}

/* --- archives --- */

static const char *const names[] = {"stored", "packed", "third"};

static int add_entry(ga__zip_new *z, int i) {
  GA_TRY(ga__zip_begin(z, names[i], i == 1));
  GA_TRY(z->sink.write(&z->sink, new_bytes, NEW_BYTES / 2));
  GA_TRY(z->sink.write(&z->sink, new_bytes + NEW_BYTES / 2, 100));
  return ga__zip_end(z);
}

static int write_archive(void) {
  ga__zip_new z;

  GA_TRY(ga__zip_create(&z, path));
  int err = GA_NO_ERROR;
  for (int i = 0; i < 3 && err == GA_NO_ERROR; i++)
    err = add_entry(&z, i);
  const int end = ga__zip_finish(&z, err == GA_NO_ERROR);
  return err != GA_NO_ERROR ? err : end;
}

static int read_stream(ga__zip *z, const ga__zip_entry *e) {
  static unsigned char got[NEW_BYTES];
  static ga__zip_stream s;
  int err = ga__zip_stream_open(&s, z, e);

  if (err == GA_NO_ERROR)
    err = s.source.read(&s.source, got, NEW_BYTES / 2);
  if (err == GA_NO_ERROR && memcmp(got, new_bytes, NEW_BYTES / 2) != 0)
    err = GA_MISC_ERROR;
  if (err == GA_NO_ERROR)
    err = ga__zip_stream_end(&s);
  ga__zip_stream_close(&s);
  return err;
}

static int read_archive(void) {
  ga__zip z;

  GA_TRY(ga__zip_open(&z, path));
  int err = z.n == 3 ? GA_NO_ERROR : GA_MISC_ERROR;
  for (size_t i = 0; i < z.n && err == GA_NO_ERROR; i++)
    err = strcmp(z.entries[i].name, names[i]) != 0
              ? GA_MISC_ERROR
              : read_stream(&z, &z.entries[i]);
  ga__zip_close(&z);
  return err;
}

/* A failure is reported, or does no harm. */
static void try_archive(int (*work)(void), long nth, int how) {
  save_old();
  if (work == read_archive)
    assert_int_equal(write_archive(), GA_NO_ERROR);
  const int err = run_failing(work, nth, how);
  if (err != GA_NO_ERROR) {
    assert_true(err == GA_SYS_ERROR ||
                (how == FILE_END && err == GA_VALUE_ERROR));
    assert_int_equal(n_names(), 1);
  } else {
    assert_int_equal(read_archive(), GA_NO_ERROR);
  }
}

static void archives_report_failures(void **state) {
  int (*works[2])(void) = {write_archive, read_archive};

  (void)state;
  if (ga__deflate_need() != GA_NO_ERROR)
    skip(); /* no zlib */
  save_old();
  for (int k = 0; k < 2; k++) {
    const long calls = calls_of(works[k]);
    for (long nth = 1; nth <= calls; nth++) {
      try_archive(works[k], nth, EIO);
      try_archive(works[k], nth, FILE_SHORT);
      if (k == 1)
        try_archive(works[k], nth, FILE_END);
    }
  }
}

static void archives_report_missing_memory(void **state) {
  int (*works[2])(void) = {write_archive, read_archive};

  (void)state;
  if (ga__deflate_need() != GA_NO_ERROR)
    skip();
  for (int k = 0; k < 2; k++) {
    save_old();
    if (k == 1)
      assert_int_equal(write_archive(), GA_NO_ERROR);
    for (long nth = 1;; nth++) {
      ga__alloc_fail(nth, 0);
      const long blocks = ga__alloc_live();
      const int err = works[k]();
      const long left = ga__alloc_fail(0, 0);
      assert_int_equal(ga__alloc_live(), blocks);
      if (left > 0)
        break;
      assert_int_equal(err, GA_MEMORY_ERROR);
      assert_int_equal(n_names(), 1);
    }
    assert_int_equal(read_archive(), GA_NO_ERROR);
  }
}

/* --- entries of a cache --- */

static const unsigned char key[GA_SHA256_BYTES] = {1, 2, 3};

static int read_entry(void) {
  size_t n = 1;
  unsigned char *bytes = ga__entry_read(path, key, UINT64_MAX, &n);

  if (bytes == NULL) {
    assert_int_equal(n, 0);
    return GA_SYS_ERROR;
  }
  assert_int_equal(n, NEW_BYTES);
  assert_memory_equal(bytes, new_bytes, n);
  ga__free(bytes);
  return GA_NO_ERROR;
}

/* The bytes that were written, or a miss: by each failure but the close's. */
static void entries_are_right_or_missing(void **state) {
  static const int hows[] = {EIO, FILE_END};

  (void)state;
  for (size_t h = 0; h < sizeof hows / sizeof *hows; h++)
    for (long nth = 1, calls = 2; nth < calls; nth++) {
      assert_int_equal(ga__entry_write(path, key, new_bytes, NEW_BYTES),
                       GA_NO_ERROR);
      calls = calls_of(read_entry);
      const int err = run_failing(read_entry, nth, hows[h]);
      if (hows[h] == EIO)
        assert_int_equal(err, GA_SYS_ERROR);
    }
  assert_int_equal(ga__entry_write(path, key, new_bytes, NEW_BYTES),
                   GA_NO_ERROR);
  assert_int_equal(run_failing(read_entry, 1, 0), GA_SYS_ERROR); /* memory */
}

/* --- setting up --- */

static int make_folder(void **state) {
  const char *top = getenv("TEST_DIR");

  (void)state;
  memset(old_bytes, 'o', sizeof old_bytes);
  for (size_t i = 0; i < sizeof new_bytes; i++) /* hard to pack */
    new_bytes[i] = (unsigned char)((i * 2654435761u) >> 13);
  snprintf(folder, sizeof folder, "%s/failures.%ld", top != NULL ? top : "/tmp",
           (long)getpid());
  snprintf(path, sizeof path, "%s/saved", folder);
  snprintf(other, sizeof other, "%s/other", folder);
  return ga__dir_make(folder);
}

static int remove_folder(void **state) {
  (void)state;
  remove(path);
  remove(other);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_matters_is_reported),
      cmocka_unit_test(reads_report_failures),
      cmocka_unit_test(maps_end),
      cmocka_unit_test(archives_report_failures),
      cmocka_unit_test(archives_report_missing_memory),
      cmocka_unit_test(entries_are_right_or_missing),
  };

  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
