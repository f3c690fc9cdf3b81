/* SPDX-License-Identifier: BSD-2-Clause */
/* .npy and .npz files: there and back, and what is refused. */
#include "support/device.h"

#include <gpuarray/npy.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/npz.h"
#include "support/tmpfile.h"

static const int dtypes[] = {
    GA_BOOL, GA_BYTE,  GA_UBYTE, GA_SHORT, GA_USHORT, GA_INT,    GA_UINT,
    GA_LONG, GA_ULONG, GA_HALF,  GA_FLOAT, GA_DOUBLE, GA_CFLOAT, GA_CDOUBLE};
#define DTYPES (sizeof dtypes / sizeof *dtypes)

/* Any bits at all, but for bools. */
static void fill_bits(unsigned char *p, size_t n, int typecode) {
  uint64_t s = 7;

  for (size_t i = 0; i < n; i++) {
    s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    p[i] = (unsigned char)(s >> 40) & (typecode == GA_BOOL ? 1 : 0xFF);
  }
}

static void assert_same(const GpuArray *a, const GpuArray *b,
                        const void *data) {
  assert_int_equal(a->typecode, b->typecode);
  assert_int_equal(a->nd, b->nd);
  assert_memory_equal(a->dimensions, b->dimensions,
                      a->nd * sizeof *a->dimensions);
  test_array_equal(a, data);
}

/* --- there and back --- */

static void every_type_goes_there_and_back(void **state) {
  const char *path = test_file_path("types.npy");
  const size_t dims[3] = {3, 1, 5};
  unsigned char data[15 * 16];
  GpuArray a, b;

  (void)state;
  for (size_t i = 0; i < DTYPES; i++) {
    fill_bits(data, sizeof data, dtypes[i]);
    test_array(&a, dtypes[i], 3, dims, data);
    assert_ok(GpuArray_save_npy(&a, path));
    assert_ok(GpuArray_load_npy(&b, test_context(), path));
    assert_same(&b, &a, data);
    assert_true(GpuArray_IS_C_CONTIGUOUS(&b));
    GpuArray_clear(&a);
    GpuArray_clear(&b);
  }
}

static void any_layout_goes_there_and_back(void **state) {
  const char *path = test_file_path("layouts.npy");
  const size_t dims[2] = {3, 4};
  const ssize_t layouts[][2] = {{4, 1}, {1, 3}, {-4, 1}, {9, 2}, {0, 1}};
  int data[12];
  GpuArray a, b;

  (void)state;
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    for (int k = 0; k < 12; k++)
      data[k] = layouts[i][0] == 0 ? k % 4 : k;
    test_array_strided(&a, GA_INT, 2, dims, layouts[i], data);
    assert_ok(GpuArray_save_npy(&a, path));
    assert_ok(GpuArray_load_npy(&b, test_context(), path));
    assert_same(&b, &a, data);
    assert_int_equal(!GpuArray_IS_C_CONTIGUOUS(&b), i == 1);
    GpuArray_clear(&a);
    GpuArray_clear(&b);
  }
}

static void nothing_and_one_go_there_and_back(void **state) {
  const char *path = test_file_path("small.npy");
  const size_t dims[2] = {0, 7};
  const float pi = 3.14159f;
  GpuArray a, b;

  (void)state;
  test_array(&a, GA_FLOAT, 2, dims, NULL);
  assert_ok(GpuArray_save_npy(&a, path));
  assert_ok(GpuArray_load_npy(&b, test_context(), path));
  assert_same(&b, &a, NULL);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  test_array(&a, GA_FLOAT, 0, NULL, &pi);
  assert_ok(GpuArray_save_npy(&a, path));
  assert_ok(GpuArray_load_npy(&b, test_context(), path));
  assert_same(&b, &a, &pi);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

/* More than the staging ring holds, and no multiple of a piece. */
static void large_files_go_in_pieces(void **state) {
  const char *path = test_file_path("large.npy");
  const size_t n = ((size_t)9 << 20) + 12345, dims[1] = {n};
  unsigned char *data = malloc(n);
  GpuArray a, b;

  (void)state;
  fill_bits(data, n, GA_UBYTE);
  test_array(&a, GA_UBYTE, 1, dims, data);
  assert_ok(GpuArray_save_npy(&a, path));
  assert_ok(GpuArray_load_npy(&b, test_context(), path));
  assert_same(&b, &a, data);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  free(data);
  remove(path);
}

/* --- files of others --- */

static size_t put_file(unsigned char *out, int major, const char *text,
                       const void *data, size_t n) {
  const size_t len = strlen(text), prefix = major == 1 ? 10 : 12;

  memcpy(out, "\x93NUMPY", 6);
  memset(out + 6, 0, 6);
  out[6] = (unsigned char)major;
  out[8] = (unsigned char)len;
  memcpy(out + prefix, text, len);
  memcpy(out + prefix + len, data, n);
  return prefix + len + n;
}

static void every_version_is_read(void **state) {
  const char *path = test_file_path("version.npy");
  const short want[3] = {1, 2, -3};
  unsigned char file[256];
  GpuArray a;

  (void)state;
  for (int major = 1; major <= 3; major++) {
    const size_t n = put_file(
        file, major, "{'descr':'<i2','fortran_order':False,'shape':(3,)}\n",
        want, sizeof want);

    test_file_write(path, file, n);
    assert_ok(GpuArray_load_npy(&a, test_context(), path));
    test_array_equal(&a, want);
    GpuArray_clear(&a);
  }
}

static void the_other_byte_order_is_converted(void **state) {
  static const struct {
    const char *text;
    size_t width, n;
    int typecode;
  } cases[] = {
      {"{'descr':'>i4','fortran_order':False,'shape':(4,)}", 4, 16, GA_INT},
      {"{'descr':'>f2','fortran_order':False,'shape':(5,)}", 2, 10, GA_HALF},
      {"{'descr':'>c8','fortran_order':False,'shape':(3,)}", 4, 24, GA_CFLOAT},
      {"{'descr':'>c16','fortran_order':True,'shape':(1,2)}", 8, 32,
       GA_CDOUBLE},
  };
  const char *path = test_file_path("swapped.npy");
  unsigned char file[256], want[64], data[64];
  GpuArray a;

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const size_t w = cases[i].width;

    fill_bits(want, cases[i].n, GA_UBYTE);
    for (size_t k = 0; k < cases[i].n; k++)
      data[k] = want[k / w * w + (w - 1 - k % w)];
    size_t n = put_file(file, 1, cases[i].text, data, cases[i].n);
    test_file_write(path, file, n);
    assert_ok(GpuArray_load_npy(&a, test_context(), path));
    assert_int_equal(a.typecode, cases[i].typecode);
    test_array_equal(&a, want);
    GpuArray_clear(&a);
  }
}

static void bools_become_0_and_1(void **state) {
  const char *path = test_file_path("bools.npy");
  const unsigned char data[4] = {0, 1, 2, 255}, want[4] = {0, 1, 1, 1};
  unsigned char file[256];
  GpuArray a;

  (void)state;
  test_file_write(path, file,
                  put_file(file, 1,
                           "{'descr':'|b1','fortran_order':False,'shape':(4,)}",
                           data, 4));
  assert_ok(GpuArray_load_npy(&a, test_context(), path));
  test_array_equal(&a, want);
  GpuArray_clear(&a);
}

static void bad_files_are_refused(void **state) {
  static const struct {
    const char *text;
    int code;
    const char *part;
  } bad[] = {
      {"{'descr':'<f4','fortran_order':False,'shape':(5,)}", GA_VALUE_ERROR,
       "promises 20 bytes, 16 are there"},
      {"{'descr':'<f4','fortran_order':False,'shape':(1152921504606846975,)}",
       GA_VALUE_ERROR, "16 are there"},
      {"{'descr':'|O','fortran_order':False,'shape':(2,)}",
       GA_UNSUPPORTED_ERROR, "\"O\""},
  };
  const char *path = test_file_path("bad.npy");
  const long live = ga__alloc_live();
  unsigned char file[256] = {0}, data[16] = {0};
  GpuArray a;

  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    test_file_write(path, file, put_file(file, 1, bad[i].text, data, 16));
    assert_code(bad[i].code, GpuArray_load_npy(&a, test_context(), path));
    assert_message(bad[i].code, bad[i].part);
    assert_null(a.data);
  }
  for (size_t n = 0; n < 60; n++) { /* cut off anywhere in the header */
    put_file(file, 1, bad[0].text, data, 16);
    test_file_write(path, file, n);
    assert_code(GA_VALUE_ERROR, GpuArray_load_npy(&a, test_context(), path));
    assert_message(GA_VALUE_ERROR, "early");
  }
  put_file(file, 2, bad[0].text, data, 16);
  file[0] = 'x';
  test_file_write(path, file, 100);
  assert_code(GA_VALUE_ERROR, GpuArray_load_npy(&a, test_context(), path));
  assert_message(GA_VALUE_ERROR, "no .npy data: it starts with 0x784e");
  file[0] = 0x93;
  file[11] = 1; /* a text of 16 MiB */
  test_file_write(path, file, 100);
  assert_code(GA_VALUE_ERROR, GpuArray_load_npy(&a, test_context(), path));
  assert_message(GA_VALUE_ERROR, "the limit is");
  assert_code(GA_SYS_ERROR, GpuArray_load_npy(&a, test_context(),
                                              test_file_path("missing.npy")));
  assert_message(GA_SYS_ERROR, "cannot open");
  assert_message(GA_SYS_ERROR, "missing.npy");
  assert_code(GA_SYS_ERROR,
              GpuArray_load_npy(&a, test_context(), test_file_path(".")));
  assert_code(GA_INVALID_ERROR, GpuArray_load_npy(&a, NULL, path));
  assert_int_equal(ga__alloc_live(), live);
}

/* An array of int at `path`: every allocation fails once. */
static void load_without_memory(const char *path, const int *data) {
  GpuArray a;

  for (long nth = 1, left = 0; left <= 0; nth++) {
    ga__alloc_fail(nth, 0);
    const int err = GpuArray_load_npy(&a, test_context(), path);
    left = ga__alloc_fail(0, 0);
    if (err != GA_NO_ERROR) {
      assert_int_equal(err, GA_MEMORY_ERROR);
      assert_null(a.data);
    } else {
      test_array_equal(&a, data);
      GpuArray_clear(&a);
    }
  }
}

static void a_failed_save_leaves_the_old_file(void **state) {
  const char *path = test_file_path("kept.npy");
  const size_t dims[1] = {3};
  const int data[3] = {1, 2, 3};
  GpuArray a;
  size_t n;
  int err = GA_MEMORY_ERROR;

  (void)state;
  test_file_write(path, "old", 3);
  test_array(&a, GA_INT, 1, dims, data);
  for (int nth = 1; err != GA_NO_ERROR; nth++) {
    const long live = ga__alloc_live();

    ga__alloc_fail(nth, 0);
    err = GpuArray_save_npy(&a, path);
    ga__alloc_fail(0, 0);
    assert_int_equal(ga__alloc_live(), live);
    unsigned char *old = test_file_read(path, &n);
    assert_int_equal(n == 3, err != GA_NO_ERROR);
    free(old);
  }
  load_without_memory(path, data);
  a.typecode = GA_FLOAT2;
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_save_npy(&a, path));
  a.typecode = GA_BFLOAT;
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_save_npy(&a, path));
  assert_message(GA_UNSUPPORTED_ERROR,
                 "NumPy has no bfloat16; save it as float32, which holds it");
  a.typecode = GA_INT;
  assert_code(GA_SYS_ERROR,
              GpuArray_save_npy(&a, test_file_path("no/such/folder.npy")));
  assert_message(GA_SYS_ERROR, "cannot create");
  assert_code(GA_INVALID_ERROR,
              GpuArray_save_npy(&(GpuArray){.typecode = GA_BFLOAT}, path));
  GpuArray_clear(&a);
}

/* --- archives --- */

static void save_archive(const char *path, int compress, size_t n_bytes) {
  const size_t dims[1] = {n_bytes}, matrix[2] = {2, 3};
  const float data[6] = {1, 2, 3, 4, 5, 6};
  unsigned char *bytes = calloc(n_bytes, 1);
  gpunpz_new *z;
  GpuArray a;

  fill_bits(bytes, n_bytes / 2, GA_UBYTE); /* half of it packs well */
  assert_ok(gpunpz_create(&z, path, compress));
  test_array(&a, GA_FLOAT, 2, matrix, data);
  assert_ok(gpunpz_add(z, "weights", &a));
  GpuArray_clear(&a);
  test_array(&a, GA_UBYTE, 1, dims, bytes);
  assert_ok(gpunpz_add(z, "folder/bytes", &a));
  GpuArray_clear(&a);
  assert_false(test_file_exists(path));
  assert_ok(gpunpz_finish(z, 1));
  free(bytes);
}

static void archives_go_there_and_back(void **state) {
  const char *path = test_file_path("archive.npz");
  const size_t n = ((size_t)3 << 20) + 77;
  const float data[6] = {1, 2, 3, 4, 5, 6};
  unsigned char *bytes = calloc(n, 1);
  gpunpz *z;
  GpuArray a;

  (void)state;
  fill_bits(bytes, n / 2, GA_UBYTE);
  for (int compress = 0; compress <= 1; compress++) {
    size_t size;

    remove(path);
    save_archive(path, compress, n);
    free(test_file_read(path, &size));
    assert_int_equal(size < n, compress);
    assert_ok(gpunpz_open(&z, path));
    assert_int_equal(gpunpz_count(z), 2);
    assert_string_equal(gpunpz_name(z, 0), "weights");
    assert_string_equal(gpunpz_name(z, 1), "folder/bytes");
    assert_null(gpunpz_name(z, 2));
    assert_ok(gpunpz_load(&a, test_context(), z, "folder/bytes"));
    assert_int_equal(test_size(&a), n);
    test_array_equal(&a, bytes);
    GpuArray_clear(&a);
    assert_ok(gpunpz_load(&a, test_context(), z, "weights"));
    test_array_equal(&a, data);
    GpuArray_clear(&a);
    assert_code(GA_VALUE_ERROR, gpunpz_load(&a, test_context(), z, "weight"));
    assert_message(GA_VALUE_ERROR, "no entry \"weight\"");
    gpunpz_close(z);
  }
  gpunpz_close(NULL);
  /* What cannot be opened closes no other file. */
  const int flags = fcntl(STDIN_FILENO, F_GETFD);
  assert_code(GA_SYS_ERROR, gpunpz_open(&z, test_file_path("none.npz")));
  assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), flags);
  free(bytes);
}

/* As NumPy's, the last of several entries of a name counts. */
static void the_last_of_a_name_counts(void **state) {
  const char *path = test_file_path("twice.npz");
  const float data[2] = {1, 2};
  gpunpz_new *w;
  gpunpz *z;
  GpuArray a;
  size_t n;

  (void)state;
  assert_ok(gpunpz_create(&w, path, 0));
  for (int i = 0; i < 2; i++) {
    test_array(&a, GA_FLOAT, 0, NULL, &data[i]);
    assert_ok(gpunpz_add(w, i == 0 ? "a1" : "a2", &a));
    GpuArray_clear(&a);
  }
  assert_ok(gpunpz_finish(w, 1));
  unsigned char *bytes = test_file_read(path, &n);
  for (size_t i = 0; i + 6 <= n; i++)
    if (memcmp(bytes + i, "a2.npy", 6) == 0)
      bytes[i + 1] = '1';
  test_file_write(path, bytes, n);
  free(bytes);
  assert_ok(gpunpz_open(&z, path));
  assert_int_equal(gpunpz_count(z), 2);
  assert_string_equal(gpunpz_name(z, 1), "a1");
  assert_ok(gpunpz_load(&a, test_context(), z, "a1"));
  test_array_equal(&a, &data[1]);
  GpuArray_clear(&a);
  gpunpz_close(z);
}

/* Only the suffix .npy goes, and only if a name is left. What is no .npy data
 * is listed, but not loaded. */
static void other_entries_are_listed(void **state) {
  const char *path = test_file_path("others.npz");
  const float data = 1;
  gpunpz_new *w;
  gpunpz *z;
  GpuArray a;
  size_t n;

  (void)state;
  test_array(&a, GA_FLOAT, 0, NULL, &data);
  assert_ok(gpunpz_create(&w, path, 0));
  assert_ok(gpunpz_add(w, "", &a));
  assert_ok(gpunpz_add(w, "read", &a));
  assert_ok(ga__npz_write(w, "text", "not at all", 10));
  assert_ok(gpunpz_finish(w, 1));
  GpuArray_clear(&a);
  unsigned char *bytes = test_file_read(path, &n);
  for (size_t i = 0; i + 8 <= n; i++)
    if (memcmp(bytes + i, "read.npy", 8) == 0)
      memcpy(bytes + i, "read.txt", 8);
  test_file_write(path, bytes, n);
  free(bytes);
  assert_ok(gpunpz_open(&z, path));
  assert_string_equal(gpunpz_name(z, 0), ".npy");
  assert_string_equal(gpunpz_name(z, 1), "read.txt");
  assert_string_equal(gpunpz_name(z, 2), "text");
  assert_code(GA_VALUE_ERROR, gpunpz_load(&a, test_context(), z, "text"));
  assert_message(GA_VALUE_ERROR, "no .npy data");
  assert_null(a.data);
  gpunpz_close(z);
}

static void assert_archive(const char *path, const int *data) {
  gpunpz *z;
  GpuArray a;

  assert_ok(gpunpz_open(&z, path));
  assert_ok(gpunpz_load(&a, test_context(), z, "a"));
  test_array_equal(&a, data);
  GpuArray_clear(&a);
  gpunpz_close(z);
}

static void archives_are_abandoned(void **state) {
  const char *path = test_file_path("abandoned.npz");
  const size_t dims[1] = {3};
  const int data[3] = {1, 2, 3};
  const long live = ga__alloc_live();
  gpunpz_new *z;
  GpuArray a;

  (void)state;
  remove(path);
  test_array(&a, GA_INT, 1, dims, data);
  assert_ok(gpunpz_create(&z, path, 1));
  assert_ok(gpunpz_add(z, "a", &a));
  assert_code(GA_VALUE_ERROR, gpunpz_add(z, "a", &a));
  assert_message(GA_VALUE_ERROR, "an entry \"a.npy\" already");
  assert_code(GA_VALUE_ERROR, gpunpz_add(z, "b", &a));
  assert_code(GA_VALUE_ERROR, gpunpz_finish(z, 1));
  assert_message(GA_VALUE_ERROR, "failed before and is abandoned");
  assert_false(test_file_exists(path));
  assert_ok(gpunpz_create(&z, path, 1));
  assert_ok(gpunpz_add(z, "a", &a));
  assert_code(GA_VALUE_ERROR, gpunpz_add(z, "a", &a));
  assert_ok(gpunpz_finish(z, 0)); /* and what happened is still known */
  assert_message(GA_VALUE_ERROR, "an entry \"a.npy\" already");
  assert_false(test_file_exists(path));
  assert_ok(gpunpz_create(&z, path, 1));
  assert_ok(gpunpz_add(z, "a", &a));
  assert_code(GA_VALUE_ERROR, gpunpz_add(z, "a", &a));
  assert_code(GA_VALUE_ERROR, gpunpz_finish(z, 1));
  assert_message(GA_VALUE_ERROR, "failed before and is abandoned");
  for (int nth = 1; !test_file_exists(path); nth++) {
    ga__alloc_fail(nth, 0);
    if (gpunpz_create(&z, path, 1) == GA_NO_ERROR) {
      gpunpz_add(z, "a", &a);
      gpunpz_finish(z, 1);
    }
    ga__alloc_fail(0, 0);
  }
  assert_archive(path, data);
  GpuArray_clear(&a);
  assert_ok(gpunpz_finish(NULL, 1));
  assert_int_equal(ga__alloc_live(), live);
}

/* Change a byte, cut the file, or change a few bytes; loading everything does
 * no harm and gives the same or an error. */
static void mutated_archives_do_no_harm(void **state) {
  const char *path = test_file_path("mutated.npz");
  const float data[6] = {1, 2, 3, 4, 5, 6};
  uint64_t s = 99;
  int good = 0, bad = 0;

  (void)state;
  test_context();
  for (int compress = 0; compress <= 1; compress++) {
    size_t n;

    remove(path);
    save_archive(path, compress, 300);
    unsigned char *file = test_file_read(path, &n);
    unsigned char *copy = malloc(n);
    long live = ga__alloc_live();
    for (int round = 0; round < 1500; round++) {
      size_t len = n;
      GpuArray a;
      gpunpz *z;

      memcpy(copy, file, n);
      for (int k = round % 3; k >= 0; k--) {
        s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        copy[(s >> 33) % n] ^= (unsigned char)(1u << (s >> 24) % 8);
      }
      if (round % 10 == 0)
        len = (s >> 20) % n;
      test_file_write(path, copy, len);
      if (gpunpz_open(&z, path) != GA_NO_ERROR) {
        bad++;
        continue;
      }
      for (size_t i = 0; i < gpunpz_count(z); i++) {
        if (gpunpz_load(&a, test_context(), z, gpunpz_name(z, i)) !=
            GA_NO_ERROR) {
          bad++;
          continue;
        }
        good++;
        if (strcmp(gpunpz_name(z, i), "weights") == 0 && a.nd == 2 &&
            a.typecode == GA_FLOAT)
          test_array_equal(&a, data);
        GpuArray_clear(&a);
      }
      gpunpz_close(z);
    }
    assert_int_equal(ga__alloc_live(), live);
    free(copy);
    free(file);
  }
  assert_true(good > 200 && bad > 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_goes_there_and_back),
      cmocka_unit_test(any_layout_goes_there_and_back),
      cmocka_unit_test(nothing_and_one_go_there_and_back),
      cmocka_unit_test(large_files_go_in_pieces),
      cmocka_unit_test(every_version_is_read),
      cmocka_unit_test(the_other_byte_order_is_converted),
      cmocka_unit_test(bools_become_0_and_1),
      cmocka_unit_test(bad_files_are_refused),
      cmocka_unit_test(a_failed_save_leaves_the_old_file),
      cmocka_unit_test(archives_go_there_and_back),
      cmocka_unit_test(the_last_of_a_name_counts),
      cmocka_unit_test(other_entries_are_listed),
      cmocka_unit_test(archives_are_abandoned),
      cmocka_unit_test(mutated_archives_do_no_harm),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
