/* SPDX-License-Identifier: BSD-2-Clause */
/* Zip archives whose fields are at and one past the limits that reading checks:
 * each check by its message, and each limit accepted. */
#include "support/device.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/zip.h"
#include "support/tmpfile.h"

/* An archive of one stored entry "a" that holds "data", as offsets. */
enum {
  DATA = ZIP_LOCAL_BYTES + 1,
  DIRECTORY = DATA + 4,
  END = DIRECTORY + ZIP_CENTRAL_BYTES + 1,
  ALL = END + ZIP_END_BYTES
};

static void set(unsigned char *p, size_t bytes, uint64_t value) {
  for (size_t i = 0; i < bytes; i++)
    p[i] = (unsigned char)(value >> (8 * i));
}

static void fill_archive(unsigned char p[ALL]) {
  unsigned char *c = p + DIRECTORY, *e = p + END;

  memset(p, 0, ALL);
  set(p, 4, ZIP_LOCAL);
  set(p + 26, 2, 1);
  p[ZIP_LOCAL_BYTES] = 'a';
  memcpy(p + DATA, "data", 4);
  set(c, 4, ZIP_CENTRAL);
  set(c + 16, 4, ga__crc32(0, "data", 4));
  set(c + 20, 4, 4);
  set(c + 24, 4, 4);
  set(c + 28, 2, 1);
  c[ZIP_CENTRAL_BYTES] = 'a';
  set(e, 4, ZIP_END);
  set(e + 10, 2, 1);
  set(e + 12, 4, END - DIRECTORY);
  set(e + 16, 4, DIRECTORY);
}

static void need_zlib(void) {
  if (ga__deflate_need() == GA_NO_ERROR)
    return;
  print_message("no zlib\n");
  skip();
}

static int read_entry(ga__zip *z) {
  ga__zip_stream s;
  unsigned char got[4];
  int err = ga__zip_stream_open(&s, z, &z->entries[0]);

  if (err != GA_NO_ERROR)
    return err;
  err = s.source.read(&s.source, got, sizeof got);
  if (err == GA_NO_ERROR)
    err = ga__zip_stream_end(&s);
  if (err == GA_NO_ERROR)
    assert_memory_equal(got, "data", sizeof got);
  ga__zip_stream_close(&s);
  return err;
}

/* Open the bytes as an archive and read its entry, if it has one; `message` is
 * a part of the refusal's, or NULL. */
static void check_at(int line, const unsigned char *p, size_t n,
                     const char *message) {
  const char *path = test_file_path("archive.zip");
  const long before = ga__alloc_live();
  ga__zip z;

  test_file_write(path, p, n);
  int err = ga__zip_open(&z, path);
  if (err == GA_NO_ERROR && z.n != 0)
    err = read_entry(&z);
  if (message == NULL
          ? err != GA_NO_ERROR
          : err == GA_NO_ERROR || strstr(ga__err_text(err), message) == NULL)
    fail_msg("line %d: %s", line,
             err == GA_NO_ERROR ? "accepted" : ga__err_text(err));
  ga__zip_close(&z);
  if (err == GA_NO_ERROR)
    assert_int_equal(ga__alloc_live(), before);
}
#define check(p, n, message) check_at(__LINE__, p, n, message)

/* The archive with one field changed. */
typedef struct change {
  size_t at, bytes;
  uint64_t value;
  const char *message; /* NULL: accepted */
} change;

static void check_changes(const change *list, size_t n) {
  unsigned char p[ALL];

  for (size_t i = 0; i < n; i++) {
    fill_archive(p);
    set(p + list[i].at, list[i].bytes, list[i].value);
    check_at((int)i, p, ALL, list[i].message);
  }
}

static void entries_are_checked(void **state) {
  static const char two[] = "two sizes", outside[] = "is outside of the file";
  static const change list[] = {
      {DIRECTORY + 8, 2, 0, NULL},
      {DIRECTORY + 8, 2, 1, "is encrypted"},
      {DIRECTORY + 10, 2, 1, "method 1"},
      {DIRECTORY + 16, 4, 7, "checksum"},
      {DIRECTORY + 20, 4, 3, two},
      {DIRECTORY + 20, 4, 5, two},
      {DIRECTORY + 24, 4, 3, two},
      {DIRECTORY + 24, 4, 5, two},
      {DIRECTORY + 28, 2, 2, "directory is truncated"},
      {DIRECTORY, 1, 0, "directory is damaged"},
      /* The local header. */
      {0, 1, 0, "is not where the directory says"},
      {26, 2, ALL - ZIP_LOCAL_BYTES - 4, "checksum"},
      {26, 2, ALL - ZIP_LOCAL_BYTES - 3, outside},
      {28, 2, ALL - DATA - 3, outside},
      {DIRECTORY + 42, 4, ALL - 4, outside},
      {DIRECTORY + 42, 4, ALL - 3, "an entry is outside of the file"},
      {DIRECTORY + 42, 4, ALL + 1, "an entry is outside of the file"},
      /* The end record. */
      {END, 1, 0, "no end record"},
      {END + 10, 2, 2, "directory is outside"},
      {END + 12, 4, ALL - DIRECTORY, NULL},
      {END + 12, 4, ALL - DIRECTORY + 1, "directory is outside"},
      {END + 16, 4, ALL + 1, "directory is outside"},
      {END + 20, 2, 1, "no end record"},
  };

  (void)state;
  need_zlib();
  check_changes(list, sizeof list / sizeof *list);
}

/* 1032 bytes out of one are the most that deflate can do. What follows is no
 * deflated data, which is refused later. */
static void ratio_is_bounded(void **state) {
  static const char message[] = "more than is possible";
  unsigned char p[ALL];
  ga__zip z;

  (void)state;
  need_zlib();
  fill_archive(p);
  set(p + DIRECTORY + 10, 2, ZIP_DEFLATED);
  set(p + DIRECTORY + 24, 4, 5 * 1032 - 1);
  test_file_write(test_file_path("archive.zip"), p, ALL);
  assert_ok(ga__zip_open(&z, test_file_path("archive.zip")));
  ga__zip_close(&z);
  set(p + DIRECTORY + 24, 4, 5 * 1032);
  check(p, ALL, message);
}

/* The archive with a 64-bit end record and its locator in front of the end. */
enum { LOCATOR = END + ZIP_END64_BYTES, END32 = LOCATOR + ZIP_LOCATOR64_BYTES };

static void fill_archive64(unsigned char p[END32 + ZIP_END_BYTES]) {
  memset(p, 0, END32 + ZIP_END_BYTES);
  fill_archive(p);
  memset(p + END, 0, ZIP_END_BYTES);
  set(p + END, 4, ZIP_END64);
  set(p + END + 32, 8, 1);
  set(p + END + 40, 8, END - DIRECTORY);
  set(p + END + 48, 8, DIRECTORY);
  set(p + LOCATOR, 4, ZIP_LOCATOR64);
  set(p + LOCATOR + 8, 8, END);
  set(p + END32, 4, ZIP_END);
  set(p + END32 + 10, 2, 0xFFFF);
}

static void end64_is_checked(void **state) {
  enum { N = END32 + ZIP_END_BYTES };
  static const change list[] = {
      {LOCATOR, 1, 0, "64-bit end record is missing"},
      {LOCATOR + 8, 8, N - ZIP_END64_BYTES, "64-bit end record is damaged"},
      {LOCATOR + 8, 8, N - ZIP_END64_BYTES + 1, "64-bit end record is outside"},
      {LOCATOR + 8, 8, N + 1, "64-bit end record is outside"},
      {LOCATOR + 8, 8, UINT64_MAX, "64-bit end record is outside"},
      {END + 40, 8, UINT64_MAX, "directory is outside"},
      {END + 48, 8, UINT64_MAX, "directory is outside"},
      {END + 32, 8, 2, "directory is outside"},
  };
  unsigned char p[N];

  (void)state;
  need_zlib();
  fill_archive64(p);
  check(p, N, NULL);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    fill_archive64(p);
    set(p + list[i].at, list[i].bytes, list[i].value);
    check_at((int)i, p, N, list[i].message);
  }
  /* Any of the three numbers sends the reader there. */
  for (size_t at = 12; at <= 16; at += 4) {
    fill_archive64(p);
    set(p + END32 + 10, 2, 1);
    set(p + END32 + at, 4, ZIP_MANY);
    check(p, N, NULL);
  }
  /* Nothing but an end record that refers to one of 64 bits. */
  check(p + END32, ZIP_END_BYTES, "end record is truncated");
  check(p + END32, ZIP_END_BYTES - 1, "too short");
}

/* One entry whose sizes are in a field of 64-bit values. */
static void sizes64_are_checked(void **state) {
  enum { EXTRA = 4 + 16, N = ALL + EXTRA };
  unsigned char p[N];
  unsigned char *field = p + DIRECTORY + ZIP_CENTRAL_BYTES + 1;

  (void)state;
  need_zlib();
  fill_archive(p);
  memmove(p + END + EXTRA, p + END, ZIP_END_BYTES);
  set(p + END + EXTRA + 12, 4, END - DIRECTORY + EXTRA);
  set(p + DIRECTORY + 30, 2, EXTRA);
  set(p + DIRECTORY + 20, 4, ZIP_MANY);
  set(p + DIRECTORY + 24, 4, ZIP_MANY);
  set(field, 2, ZIP_EXTRA64);
  set(field + 2, 2, 16);
  set(field + 4, 8, 4);
  set(field + 12, 8, 4);
  check(p, N, NULL);
  set(field + 12, 8, UINT64_MAX);
  check(p, N, "an entry is outside of the file");
  set(field + 2, 2, 15);
  check(p, N, "a 64-bit size is missing");
  set(field + 2, 2, 17);
  check(p, N, "an extra field is truncated");
}

/* A field without bytes, the shortest there is. */
static void empty_extra_fields_are_skipped(void **state) {
  enum { EXTRA = 4, N = ALL + EXTRA };
  unsigned char p[N];
  unsigned char *field = p + DIRECTORY + ZIP_CENTRAL_BYTES + 1;

  (void)state;
  need_zlib();
  fill_archive(p);
  memmove(p + END + EXTRA, p + END, ZIP_END_BYTES);
  set(p + END + EXTRA + 12, 4, END - DIRECTORY + EXTRA);
  set(p + DIRECTORY + 30, 2, EXTRA);
  set(field, 2, 0x9999);
  set(field + 2, 2, 0);
  check(p, N, NULL);
  set(field + 2, 2, 1);
  check(p, N, "an extra field is truncated");
}

static void names_have_lengths(void **state) {
  static char name[0x10001];
  ga__zip_new z;

  (void)state;
  need_zlib();
  memset(name, 'n', sizeof name - 1);
  assert_ok(ga__zip_create(&z, test_file_path("names.zip")));
  assert_code(GA_VALUE_ERROR, ga__zip_begin(&z, "", 0));
  assert_code(GA_VALUE_ERROR, ga__zip_begin(&z, name, 0));
  assert_message(GA_VALUE_ERROR, "65536 bytes");
  name[0xFFFF] = '\0';
  assert_ok(ga__zip_begin(&z, name, 0));
  assert_ok(ga__zip_end(&z));
  assert_ok(ga__zip_finish(&z, 0));
}

/* Reading n bytes of the first entry fails with this message. */
static void check_unread(const char *path, size_t n, const char *message) {
  unsigned char got[5] = ".....";
  ga__zip_stream s;
  ga__zip z;

  assert_ok(ga__zip_open(&z, path));
  assert_ok(ga__zip_stream_open(&s, &z, &z.entries[0]));
  assert_code(GA_VALUE_ERROR, s.source.read(&s.source, got, n));
  assert_message(GA_VALUE_ERROR, message);
  if (n == sizeof got)
    assert_memory_equal(got, ".....", n);
  ga__zip_stream_close(&s);
  ga__zip_close(&z);
}

/* A reader that asks for more than there is gets nothing. */
static void entries_end(void **state) {
  const char *path = test_file_path("archive.zip");
  unsigned char p[ALL];

  (void)state;
  need_zlib();
  fill_archive(p);
  test_file_write(path, p, ALL);
  check_unread(path, 5, "ends early");
}

/* The same of a packed entry. */
static void packed_entries_end(void **state) {
  const char *path = test_file_path("packed.zip");
  ga__zip_new w;

  (void)state;
  need_zlib();
  assert_ok(ga__zip_create(&w, path));
  assert_ok(ga__zip_begin(&w, "a", 1));
  assert_ok(w.sink.write(&w.sink, "data", 4));
  assert_ok(ga__zip_end(&w));
  assert_ok(ga__zip_finish(&w, 1));
  check_unread(path, 5, "ends early");
  /* Blocks of a kind that there is not. */
  size_t n;
  unsigned char *bytes = test_file_read(path, &n);
  bytes[ZIP_LOCAL_BYTES + 1 + 20] = 7;
  test_file_write(path, bytes, n);
  free(bytes);
  check_unread(path, 4, "inflate: invalid block type");
}
/* Which has no file to close, the program's first descriptor least. */
static void a_zeroed_archive_is_closed(void **state) {
  ga__zip z;

  (void)state;
  memset(&z, 0, sizeof z);
  const int input = fcntl(0, F_GETFD);
  ga__zip_close(&z);
  assert_int_equal(fcntl(0, F_GETFD), input);
}

/* Nobody writes to the pipe, so a reader that waited would not come back. */
static void pipes_are_refused(void **state) {
  const char *path = test_file_path("zip.pipe");
  ga__zip z;

  (void)state;
  need_zlib();
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(ga__zip_open(&z, path), GA_VALUE_ERROR);
  assert_non_null(strstr(ga__err_text(GA_VALUE_ERROR), "not a regular file"));
  assert_int_equal(unlink(path), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_zeroed_archive_is_closed), /* before any mistake */
      cmocka_unit_test(entries_are_checked),
      cmocka_unit_test(ratio_is_bounded),
      cmocka_unit_test(end64_is_checked),
      cmocka_unit_test(sizes64_are_checked),
      cmocka_unit_test(empty_extra_fields_are_skipped),
      cmocka_unit_test(names_have_lengths),
      cmocka_unit_test(entries_end),
      cmocka_unit_test(packed_entries_end),
      cmocka_unit_test(pipes_are_refused),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
