/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of IDX files takes time linear in their size. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fashion/idx.h"
#include "support/device.h"
#include "support/growth.h"
#include "support/tmpfile.h"

static void read_file(const void *arg, size_t n) {
  const char *path = test_file_path("bytes.idx");
  const unsigned char head[8] = {0,
                                 0,
                                 8,
                                 1,
                                 (unsigned char)(n >> 24),
                                 (unsigned char)(n >> 16),
                                 (unsigned char)(n >> 8),
                                 (unsigned char)n};
  unsigned char *bytes = calloc(sizeof head + n, 1);
  char why[200];
  idx a;

  (void)arg;
  assert_non_null(bytes);
  memcpy(bytes, head, sizeof head);
  test_file_write(path, bytes, sizeof head + n);
  free(bytes);
  assert_int_equal(idx_read(&a, path, 1, why, sizeof why), 0);
  assert_int_equal(a.n, n);
  idx_clear(&a);
}

static void test_time(void **state) {
  (void)state;
  test_is_linear("bytes", read_file, NULL, 1 << 21);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_time)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
