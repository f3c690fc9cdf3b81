/* SPDX-License-Identifier: BSD-2-Clause */
/* A cache on disk in a folder of the test's own, entries by number, and what is
 * found of them. */
#ifndef CACHE_CACHE_FOLDER_H
#define CACHE_CACHE_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cache/disk.h"

#define PAYLOAD 100 /* bytes */
#define HEADER 84   /* bytes of the format before the payload */

static char top[200];  /* folder of this run */
static char path[300]; /* folder of the cache in it */

static inline int cache_make_top(void **state) {
  const char *where = getenv("TEST_DIR");

  (void)state;
  snprintf(top, sizeof top, "%s/disk.%ld", where != NULL ? where : "/tmp",
           (long)getpid());
  snprintf(path, sizeof path, "%s/cache", top);
  return ga__dir_make(top);
}

static inline int cache_remove_top(void **state) {
  (void)state;
  return rmdir(top);
}

/* Each test starts with no folder and an environment that says nothing. */
static inline int clean_environment(void **state) {
  (void)state;
  unsetenv("GPUARRAY_CACHE_PATH");
  unsetenv("GPUARRAY_CACHE_MB");
  unsetenv("GPUARRAY_NO_CACHE");
  unsetenv("XDG_CACHE_HOME");
  return 0;
}

static inline int remove_one(void *dir, const ga__dir_entry *e) {
  char file[600];

  snprintf(file, sizeof file, "%s/%s", (const char *)dir, e->name);
  return ga__file_remove(file);
}

static inline int remove_cache(void **state) {
  (void)state;
  return ga__dir_each(path, remove_one, path) == GA_NO_ERROR ? rmdir(path) : -1;
}

static inline const unsigned char *key_of(unsigned i) {
  static unsigned char key[GA_SHA256_BYTES];

  memset(key, 0xc5, sizeof key);
  key[0] = (unsigned char)i;
  key[31] = (unsigned char)(i >> 8);
  return key;
}

/* The file of a key, as the format describes it. */
static inline const char *file_of(unsigned i) {
  static char file[600];
  char hex[65];

  ga__sha256_hex(key_of(i), hex);
  snprintf(file, sizeof file, "%s/%s.cache", path, hex);
  return file;
}

static inline const unsigned char *payload_of(unsigned i) {
  static unsigned char payload[PAYLOAD];

  for (size_t k = 0; k < sizeof payload; k++)
    payload[k] = (unsigned char)(i + k);
  return payload;
}

static inline ga__disk *open_cache(void) {
  ga__disk *d;

  assert_int_equal(ga__disk_open(&d, path), GA_NO_ERROR);
  return d;
}

static inline void put(ga__disk *d, unsigned i) {
  ga__disk_put(d, key_of(i), payload_of(i), PAYLOAD);
}

/* 1 for a hit, whose bytes must be right. */
static inline int get(ga__disk *d, unsigned i) {
  unsigned char *bytes;
  size_t n;

  if (!ga__disk_get(d, key_of(i), &bytes, &n)) {
    assert_null(bytes);
    return 0;
  }
  assert_int_equal(n, PAYLOAD);
  assert_memory_equal(bytes, payload_of(i), PAYLOAD);
  ga__free(bytes);
  return 1;
}

static inline ga__disk_info info_of(ga__disk *d) {
  ga__disk_info info;

  ga__disk_stat(d, &info);
  return info;
}

static inline int count_one(void *n, const ga__dir_entry *e) {
  (void)e;
  ++*(int *)n;
  return 0;
}

static inline int n_files_in(const char *folder) {
  int n = 0;

  assert_int_equal(ga__dir_each(folder, count_one, &n), 0);
  return n;
}

static inline int exists(const char *file) {
  return access(file, F_OK) == 0;
}

/* Everything may be called, and nothing is found. */
static inline void assert_off(const char *where, const char *why) {
  ga__disk *d;

  assert_int_equal(ga__disk_open(&d, where), GA_NO_ERROR);
  assert_null(info_of(d).path);
  assert_non_null(strstr(info_of(d).why, why));
  put(d, 1);
  assert_false(get(d, 1));
  ga__disk_drop(d, key_of(1));
  assert_int_equal(ga__disk_wipe(d), 0);
  assert_int_equal(info_of(d).files, 0);
  ga__disk_close(d);
}

#define cache_test(name)                                                       \
  cmocka_unit_test_setup_teardown(name, clean_environment, remove_cache)

#endif
