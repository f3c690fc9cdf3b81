/* SPDX-License-Identifier: BSD-2-Clause */
/* Readers of files take time linear in their size: archives, headers of arrays,
 * and files of kernels. */
#include "support/device.h"
#include "support/growth.h"
#include "support/tmpfile.h"

#include <gpuarray/kernel_file.h>
#include <gpuarray/npy.h>
#include <stdio.h>
#include <string.h>

#include "base/strb.h"
#include "io/npy_header.h"
#include "io/zip.h"

/* --- .npz --- */

static void write_entries(ga__zip_new *z, const char *path, size_t n) {
  char name[32];

  assert_ok(ga__zip_create(z, path));
  for (size_t i = 0; i < n; i++) {
    snprintf(name, sizeof name, "entry %zu.npy", i);
    assert_ok(ga__zip_begin(z, name, 0));
    assert_ok(ga__zip_end(z));
  }
  assert_ok(ga__zip_finish(z, 1));
}

/* Every entry is found; then the context is missing. */
static void archive(const void *arg, size_t n) {
  const char *path = test_file_path("many.npz");
  char name[32];
  ga__zip_new w;
  GpuArray a;
  gpunpz *z;

  (void)arg;
  write_entries(&w, path, n);
  assert_ok(gpunpz_open(&z, path));
  assert_int_equal(gpunpz_count(z), n);
  for (size_t i = 0; i < n; i++) {
    snprintf(name, sizeof name, "entry %zu", i);
    assert_code(GA_INVALID_ERROR, gpunpz_load(&a, NULL, z, name));
  }
  gpunpz_close(z);
}

static void test_archives(void **state) {
  (void)state;
  test_is_linear("entries", archive, NULL, 4000);
}

/* --- files of kernels --- */

static void kernel_file(const void *arg, size_t n) {
  const char *each = arg;
  ga__strb b = GA_STRB_INIT;
  GpuKernelFile *f;

  ga__strb_append(&b, "#section kernels\n#kernel k : * : 0\n");
  for (size_t i = 0; i < n; i++)
    for (const char *s = each; *s != '\0'; s++)
      if (*s == '$')
        ga__strb_appendf(&b, "%zu", i);
      else
        ga__strb_append_n(&b, s, 1);
  ga__strb_append(&b, "\n");
  assert_ok(GpuKernelFile_parse(&f, "file", ga__strb_text(&b), b.n));
  for (unsigned int i = 0; i < GpuKernelFile_count(f); i++)
    assert_non_null(GpuKernelFile_find(f, GpuKernelFile_kernel(f, i)->name));
  GpuKernelFile_free(f);
  ga__strb_clear(&b);
}

static void test_kernel_files(void **state) {
  (void)state;
  test_is_linear("kernels", kernel_file, "#kernel k$ : *, float32 : 0\ntext\n",
                 4000);
  test_is_linear("lines", kernel_file, "text\n", 4000);
  test_is_linear("one line", kernel_file, "text ", 4000);
  test_is_linear("sections", kernel_file, "#section code\ntext\n", 4000);
}

/* --- headers of arrays --- */

static void header(const void *arg, size_t n) {
  ga__npy_header h;
  ga__strb b = GA_STRB_INIT;

  (void)arg;
  ga__strb_append(&b, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
  for (size_t i = 0; i < n; i++)
    ga__strb_append(&b, " ");
  ga__strb_append(&b, "3,), }\n");
  for (int i = 0; i < 100; i++)
    assert_ok(ga__npy_parse(&h, ga__strb_text(&b), b.n));
  ga__strb_clear(&b);
}

static void test_headers(void **state) {
  (void)state;
  test_is_linear("blanks", header, NULL, 8000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_archives),
      cmocka_unit_test(test_kernel_files),
      cmocka_unit_test(test_headers),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
