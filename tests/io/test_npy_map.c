/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of NumPy's where they lie: what is described, what is refused, and that
 * nothing stays mapped, open or allocated. */
#include "support/device.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <gpuarray/npy.h>

#include "base/alloc.h"
#include "io/npy_header.h"
#include "io/npz.h"
#include "io/zip.h"
#include "support/tmpfile.h"

enum { HEADER = 128, BYTES = 24 };

/* A header of HEADER bytes and 24 bytes of elements. */
static size_t fill_npy(unsigned char *p, const char *text) {
  static const char magic[] = "\x93NUMPY\x01\x00\x76";

  memset(p, ' ', HEADER);
  memcpy(p, magic, sizeof magic); /* with a 0 */
  memcpy(p + 10, text, strlen(text));
  p[HEADER - 1] = '\n';
  for (int i = 0; i < BYTES; i++)
    p[HEADER + i] = (unsigned char)(i + 1);
  return HEADER + BYTES;
}

static const char plain[] =
    "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }";
static const char turned[] =
    "{'descr': '>i4', 'fortran_order': True, 'shape': (2, 3), }";

static const char *npy_path(void) {
  return test_file_path("map.npy");
}

static const char *npz_path(void) {
  return test_file_path("map.npz");
}

/* An archive of these bytes, as "a". Returns 0 without zlib. */
static int write_npz(const void *p, size_t n, int compress) {
  gpunpz_new *z;

  if (ga__deflate_need() != GA_NO_ERROR)
    return 0;
  assert_ok(gpunpz_create(&z, npz_path(), compress));
  assert_ok(ga__npz_write(z, "first", "other bytes", 11));
  assert_ok(ga__npz_write(z, "a", p, n));
  assert_ok(gpunpz_finish(z, 1));
  return 1;
}

static void assert_is(const gpunpy *a, int is_turned) {
  const size_t dims[2] = {2, 3};
  const unsigned int one = 1;
  const int is_little = *(const unsigned char *)&one;
  const unsigned char *p = a->data;

  assert_int_equal(a->typecode, GA_INT);
  assert_int_equal(a->is_swapped, is_turned == is_little);
  assert_int_equal(a->is_fortran, is_turned);
  assert_int_equal(a->nd, 2);
  assert_memory_equal(a->dims, dims, sizeof dims);
  assert_int_equal(a->bytes, BYTES);
  for (int i = 0; i < BYTES; i++)
    assert_int_equal(p[i], i + 1);
}

static void assert_zeroed(const gpunpy *a) {
  static const gpunpy zeros;

  assert_memory_equal(a, &zeros, sizeof zeros);
}

static void files_are_described(void **state) {
  unsigned char p[HEADER + BYTES + 5];
  const long before = ga__alloc_live();
  gpunpy a;

  (void)state;
  for (int i = 0; i < 2; i++) {
    const size_t n = fill_npy(p, i == 0 ? plain : turned);
    /* Bytes behind the elements are ignored. */
    test_file_write(npy_path(), p, n + (size_t)i * 5);
    assert_ok(gpunpy_map(&a, npy_path()));
    assert_is(&a, i);
    gpunpy_unmap(&a);
    assert_zeroed(&a);
    gpunpy_unmap(&a);
    for (int compress = 0; compress < 2 && write_npz(p, n, compress);
         compress++) {
      assert_ok(gpunpz_map(&a, npz_path(), "a"));
      assert_is(&a, i);
      /* Only what is compressed needs memory for its elements. */
      assert_int_equal(ga__alloc_live(), before + 1 + compress);
      gpunpy_unmap(&a);
      assert_zeroed(&a);
    }
  }
  gpunpy_unmap(NULL);
  assert_int_equal(ga__alloc_live(), before);
}

static void unmapped_files_are_gone(void **state) {
  unsigned char p[HEADER + BYTES];
  gpunpy a;

  (void)state;
  test_file_write(npy_path(), p, fill_npy(p, plain));
  assert_ok(gpunpy_map(&a, npy_path()));
  void *page = (void *)((uintptr_t)a.data / 4096 * 4096);
  assert_int_equal(msync(page, 1, MS_ASYNC), 0);
  gpunpy_unmap(&a);
  assert_int_equal(msync(page, 1, MS_ASYNC), -1);
}

/* All messages name the file, and the entry. */
static void check_refused(const void *p, size_t n, int code,
                          const char *message) {
  const long before = ga__alloc_live();
  gpunpy a = {.nd = 7};

  test_file_write(npy_path(), p, n);
  assert_int_equal(gpunpy_map(&a, npy_path()), code);
  assert_non_null(strstr(gpuarray_error_text(0), "map.npy"));
  assert_null(strstr(gpuarray_error_text(0), ", entry a"));
  assert_non_null(strstr(gpuarray_error_text(0), message));
  assert_zeroed(&a);
  for (int compress = 0; compress < 2 && write_npz(p, n, compress);
       compress++) {
    a.nd = 7;
    assert_int_equal(gpunpz_map(&a, npz_path(), "a"), code);
    assert_non_null(strstr(gpuarray_error_text(0), "map.npz, entry a: "));
    assert_non_null(strstr(gpuarray_error_text(0), message));
    assert_zeroed(&a);
  }
  assert_int_equal(ga__alloc_live(), before);
}

static void what_is_cut_is_refused(void **state) {
  unsigned char p[HEADER + BYTES];
  const size_t n = fill_npy(p, plain);

  (void)state;
  check_refused(p, 1, GA_VALUE_ERROR, "1 bytes are no .npy data");
  check_refused(p, GA_NPY_PREFIX_MAX - 1, GA_VALUE_ERROR,
                "bytes are no .npy data");
  check_refused(p, GA_NPY_PREFIX_MAX, GA_VALUE_ERROR,
                "a header of 118 bytes, 2 are there");
  check_refused(p, HEADER - 1, GA_VALUE_ERROR, "117 are there");
  check_refused(p, HEADER, GA_VALUE_ERROR, "promises 24 bytes, 0 are there");
  check_refused(p, n - 1, GA_VALUE_ERROR, "promises 24 bytes, 23 are there");
  p[0] = 'x';
  check_refused(p, n, GA_VALUE_ERROR, "");
  fill_npy(p, plain);
  p[6] = 9; /* the version */
  check_refused(p, n, GA_UNSUPPORTED_ERROR, "9");
  check_refused(p + 1, HEADER, GA_VALUE_ERROR, "");
  p[6] = 2;
  p[11] = 1; /* a text of 16 MiB */
  check_refused(p, n, GA_VALUE_ERROR, "the limit is");
  fill_npy(p, "{'descr': '<i4', 'shape': (2, 3), }");
  check_refused(p, n, GA_VALUE_ERROR, "fortran_order");
}

/* The shortest file: a header of no blanks, and no elements. */
static void files_may_be_empty_of_elements(void **state) {
  static const char text[] =
      "{'descr': '<i4', 'fortran_order': False, 'shape': (0,)}";
  unsigned char p[10 + sizeof text] = "\x93NUMPY\x01";
  gpunpy a;

  (void)state;
  p[8] = sizeof text - 1;
  memcpy(p + 10, text, sizeof text - 1);
  test_file_write(npy_path(), p, 10 + sizeof text - 1);
  assert_ok(gpunpy_map(&a, npy_path()));
  assert_int_equal(a.bytes, 0);
  gpunpy_unmap(&a);
}

static void arguments_are_checked(void **state) {
  unsigned char p[HEADER + BYTES];
  gpunpy a;

  (void)state;
  test_file_write(npy_path(), p, fill_npy(p, plain));
  assert_int_equal(gpunpy_map(NULL, npy_path()), GA_INVALID_ERROR);
  assert_non_null(strstr(gpuarray_error_text(0), "result"));
  assert_int_equal(gpunpy_map(&a, NULL), GA_INVALID_ERROR);
  assert_non_null(strstr(gpuarray_error_text(0), "path"));
  assert_int_equal(gpunpy_map(&a, test_file_path("none")), GA_SYS_ERROR);
  assert_zeroed(&a);
  test_file_write(npy_path(), "", 0);
  assert_int_equal(gpunpy_map(&a, npy_path()), GA_VALUE_ERROR);
  assert_non_null(strstr(gpuarray_error_text(0), "ends early, after 0"));

  if (!write_npz(p, sizeof p, 1))
    return;
  assert_int_equal(gpunpz_map(NULL, npz_path(), "a"), GA_INVALID_ERROR);
  assert_int_equal(gpunpz_map(&a, NULL, "a"), GA_INVALID_ERROR);
  assert_non_null(strstr(gpuarray_error_text(0), "path"));
  assert_int_equal(gpunpz_map(&a, npz_path(), NULL), GA_INVALID_ERROR);
  assert_non_null(strstr(gpuarray_error_text(0), "name"));
  assert_int_equal(gpunpz_map(&a, npz_path(), "b"), GA_VALUE_ERROR);
  assert_non_null(strstr(gpuarray_error_text(0), "no entry \"b\""));
  assert_int_equal(gpunpz_map(&a, npy_path(), "a"), GA_VALUE_ERROR);
  assert_zeroed(&a);
}

/* Of a compressed entry, which is unpacked: one byte of it is wrong. */
static void checksums_are_verified(void **state) {
  unsigned char p[HEADER + BYTES];
  gpunpy a;
  size_t n;

  (void)state;
  if (!write_npz(p, fill_npy(p, plain), 1))
    skip();
  unsigned char *file = test_file_read(npz_path(), &n);
  int refused = 0;
  for (size_t i = n / 4; i < n / 2; i++) {
    file[i] ^= 0x40;
    test_file_write(npz_path(), file, n);
    file[i] ^= 0x40;
    if (gpunpz_map(&a, npz_path(), "a") == GA_NO_ERROR) {
      assert_is(&a, 0);
      gpunpy_unmap(&a);
    } else {
      refused++;
    }
  }
  assert_true(refused > 20);
  free(file);
}

static void each_allocation_may_fail(void **state) {
  unsigned char p[HEADER + BYTES];
  const long before = ga__alloc_live();
  const size_t n = fill_npy(p, plain);

  (void)state;
  test_file_write(npy_path(), p, n);
  for (int compress = -1; compress < 2; compress++) {
    if (compress >= 0 && !write_npz(p, n, compress))
      skip();
    for (long nth = 1, left = 0; left <= 0; nth++) {
      gpunpy a;
      ga__alloc_fail(nth, 0);
      int err = compress < 0 ? gpunpy_map(&a, npy_path())
                             : gpunpz_map(&a, npz_path(), "a");
      left = ga__alloc_fail(0, 0);
      assert_int_equal(err, left > 0 ? GA_NO_ERROR : GA_MEMORY_ERROR);
      gpunpy_unmap(&a);
      assert_int_equal(ga__alloc_live(), before);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_are_described),
      cmocka_unit_test(unmapped_files_are_gone),
      cmocka_unit_test(what_is_cut_is_refused),
      cmocka_unit_test(files_may_be_empty_of_elements),
      cmocka_unit_test(arguments_are_checked),
      cmocka_unit_test(checksums_are_verified),
      cmocka_unit_test(each_allocation_may_fail),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
