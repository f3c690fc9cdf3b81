/* SPDX-License-Identifier: BSD-2-Clause */
/* One file of the cache on disk. It contains, in little-endian order:
 *
 *   offset  bytes
 *        0      8  "gacache\n"
 *        8      4  format version
 *       12     32  key
 *       44      8  payload length n
 *       52     32  SHA-256 of the payload
 *       84      n  payload
 *
 * and nothing after it. */
#include "cache/entry.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

#define FORMAT_VERSION 1

enum { AT_VERSION = 8, AT_KEY = 12, AT_LENGTH = 44, AT_SUM = 52 };

static const unsigned char magic[] = {'g', 'a', 'c', 'a', 'c', 'h', 'e', '\n'};

static void store_le(unsigned char *p, int n, uint64_t v) {
  for (int i = 0; i < n; i++)
    p[i] = (unsigned char)(v >> (8 * i));
}

static void sum_of(unsigned char sum[GA_SHA256_BYTES], const void *payload,
                   size_t n) {
  ga__sha256 state;

  ga__sha256_init(&state);
  ga__sha256_add(&state, payload, n);
  ga__sha256_end(&state, sum);
}

/* Read exactly n bytes. */
static int read_whole(int fd, unsigned char *p, size_t n) {
  size_t got;

  return ga__fd_read(fd, p, n, &got) == 0 && got == n;
}

/* Write the header, except for the checksum. */
static void start_header(unsigned char h[GA_ENTRY_HEADER],
                         const unsigned char *key, uint64_t n) {
  memcpy(h, magic, sizeof magic);
  store_le(h + AT_VERSION, 4, FORMAT_VERSION);
  memcpy(h + AT_KEY, key, GA_SHA256_BYTES);
  store_le(h + AT_LENGTH, 8, n);
}

/* Nonzero if `h` is the header for `key` in a file of `bytes` bytes. */
static int is_header(const unsigned char *h, const unsigned char *key,
                     uint64_t bytes) {
  unsigned char expected[GA_ENTRY_HEADER];

  start_header(expected, key, bytes - GA_ENTRY_HEADER);
  return memcmp(h, expected, AT_SUM) == 0;
}

/* Read the payload of an open file, after checking the header. NULL if the file
 * is not valid. */
static unsigned char *read_payload(int fd, uint64_t bytes, uint64_t max_bytes,
                                   const unsigned char *key, size_t *n) {
  unsigned char header[GA_ENTRY_HEADER], sum[GA_SHA256_BYTES];

  if (bytes < GA_ENTRY_HEADER || bytes > max_bytes ||
      !read_whole(fd, header, GA_ENTRY_HEADER) ||
      !is_header(header, key, bytes))
    return NULL;
  *n = (size_t)bytes - GA_ENTRY_HEADER;
  unsigned char *payload = ga__malloc(*n);
  if (payload == NULL)
    return NULL;
  if (read_whole(fd, payload, *n)) {
    sum_of(sum, payload, *n);
    if (memcmp(sum, header + AT_SUM, sizeof sum) == 0)
      return payload;
  }
  ga__free(payload);
  return NULL;
}

unsigned char *ga__entry_read(const char *path, const unsigned char *key,
                              uint64_t max_bytes, size_t *n) {
  struct stat st;
  const int fd = ga__file_open_own(path, O_RDONLY, &st);

  *n = 0;
  if (fd < 0)
    return NULL;
  unsigned char *payload =
      read_payload(fd, (uint64_t)st.st_size, max_bytes, key, n);
  close(fd);
  if (payload == NULL) {
    *n = 0;
    ga__file_remove(path);
  }
  return payload;
}

int ga__entry_write(const char *path, const unsigned char *key,
                    const void *bytes, size_t n) {
  unsigned char *file = ga__malloc(GA_ENTRY_HEADER + n);

  if (file == NULL)
    return ga__fail_nomem();
  start_header(file, key, n);
  sum_of(file + AT_SUM, bytes, n);
  if (n != 0)
    memcpy(file + GA_ENTRY_HEADER, bytes, n);
  int err = ga__file_write(path, file, GA_ENTRY_HEADER + n, GA_FILE_CACHED);
  ga__free(file);
  return err;
}
