/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of a test, in the folder that CTest gives it. */
#ifndef SUPPORT_TMPFILE_H
#define SUPPORT_TMPFILE_H

#include <stddef.h>

/* A path in $TEST_DIR, or /tmp; static, good for 4 calls. */
const char *test_file_path(const char *name);
/* All bytes of a file; to be freed with free(). Fails the test without it. */
unsigned char *test_file_read(const char *path, size_t *n);
void test_file_write(const char *path, const void *bytes, size_t n);
int test_file_exists(const char *path);
/* As if the disk were full: no file of this process grows beyond `bytes` from
 * now on, until test_disk_has_room. */
void test_disk_is_full(size_t bytes);
void test_disk_has_room(void);

#endif
