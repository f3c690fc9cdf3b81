/* SPDX-License-Identifier: BSD-2-Clause */
/* Parameters for CLBlast: the table, and files as its tuners leave them. */
#include "support/device.h"
#include "support/growth.h"
#include "support/locale.h"
#include "support/tmpfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strb.h"
#include "blas/dispatch.h"
#include "blas/product_provider.h"

/* What was handed over, a line for each kernel. */
static char got[2048];

static void note(const char *kernel, int bits, size_t n,
                 const char *const *names, const size_t *values, void *arg) {
  size_t at = strlen(got);

  (void)arg;
  at += (size_t)snprintf(got + at, sizeof got - at, "%s %d", kernel, bits);
  for (size_t i = 0; i < n; i++)
    at += (size_t)snprintf(got + at, sizeof got - at, " %s=%zu", names[i],
                           values[i]);
  snprintf(got + at, sizeof got - at, "\n");
}

/* A file as a tuner writes it, in the folder of the environment. */
static void result(const char *name, const char *family, const char *bits,
                   const char *time, const char *parameters,
                   const char *device) {
  char path[600], text[1024];
  int n = snprintf(text, sizeof text,
                   "{\n  \"kernel_family\": \"%s\",\n  \"precision\": \"%s\",\n"
                   "  \"best_kernel\": \"K\",\n  \"best_time\": \"%s\",\n"
                   "  \"best_parameters\": \"%s\",\n  \"device\": \"%s\",\n"
                   "  \"device_vendor\": \"other\",\n  \"results\": []\n}\n",
                   family, bits, time, parameters, device);

  snprintf(path, sizeof path, "%s/%s", getenv("GPUARRAY_TUNED"), name);
  test_file_write(path, text, (size_t)n);
}

static void use_folder(const char *name) {
  const char *path = test_file_path(name);

  assert_ok(ga__dir_make(path));
  assert_int_equal(setenv("GPUARRAY_TUNED", path, 1), 0);
}

static void expect(const char *device, const char *what) {
  got[0] = '\0';
  ga__tuned_each(device, note, NULL);
  assert_string_equal(got, what);
}

static void test_table(void **state) {
  (void)state;
  use_folder("tuned-none");
  got[0] = '\0';
  ga__tuned_each("NVIDIA H200", note, NULL);
  assert_non_null(strstr(got, "Xgemm 32 GEMMK=0 KREG=1 KWG=32"));
  expect("unheard of", "");
}

/* The fastest of a kernel, by device and precision; numbers of searches do not
 * count, nor does the precision among the parameters. */
static void test_files(void **state) {
  (void)state;
  use_folder("tuned");
  result("a.json", "xgemm_1", "32", "0.5", "KWG=16 PRECISION=32 MWG=64", "dev");
  result("b.json", "xgemm_12", "32", "0.25", "KWG=32 MWG=128", "dev");
  result("c.json", "xgemm_2", "32", "0.75", "KWG=8 MWG=8", "dev");
  result("d.json", "xgemm_2", "64", "9", "KWG=4 PRECISION=64", "dev");
  result("e.json", "xgemm_direct_1", "32", "0.1", "WGD=8", "dev");
  result("f.json", "xgemm_1", "32", "0.01", "KWG=1", "device");
  result("g.txt", "xgemm_1", "32", "0.01", "KWG=1", "dev");
  expect("dev", "XgemmDirect 32 WGD=8\nXgemm 32 KWG=32 MWG=128\n"
                "Xgemm 64 KWG=4\n");
  expect("device", "Xgemm 32 KWG=1\n");
}

/* The best time is found by its fraction, whatever the decimal point is. */
static void test_locale(void **state) {
  (void)state;
  use_folder("tuned-locale");
  result("a.json", "xgemm_1", "32", "0.75", "KWG=8", "dev");
  result("b.json", "xgemm_1", "32", "0.25", "KWG=32", "dev");
  result("c.json", "xgemm_1", "32", "0.5", "KWG=16", "dev");
  test_comma_locale();
  expect("dev", "Xgemm 32 KWG=32\n");
  test_plain_locale();
}

/* Other kernels and precisions, and text that makes no sense. */
static void test_passed_over(void **state) {
  static const char many[] =
      "A=1 B=1 C=1 D=1 E=1 F=1 G=1 H=1 I=1 J=1 K=1 L=1 M=1 N=1 O=1 P=1 Q=1";

  (void)state;
  use_folder("tuned-odd");
  result("a.json", "xgemv_1", "32", "0.5", "WGS1=16", "dev");
  result("b.json", "xgemm_1", "16", "0.5", "KWG=16", "dev");
  result("c.json", "xgemm_1", "32", "soon", "KWG=16", "dev");
  result("d.json", "xgemm_direct_1", "32", "0.5", "WGD", "dev");
  result("e.json", "xgemm_direct_1", "64", "0.5", "WGD=x", "dev");
  result("f.json", "xgemm_1", "64", "0.5", many, "dev");
  result("g.json", "_1", "64", "0.5", "KWG=1", "dev");
  result("h.json", "copy_1", "32", "0.5", "COPY_DIMX=0 COPY_VW=0", "dev");
  expect("dev", "");
  setenv("GPUARRAY_TUNED", "/nowhere/at/all", 1);
  expect("dev", "");
}

static void write_tuned(const char *folder, size_t i, size_t n_lines) {
  ga__strb path = GA_STRB_INIT, text = GA_STRB_INIT;

  ga__strb_appendf(&path, "%s/%zu.json", folder, i);
  ga__strb_append(&text, "{\n  \"kernel_family\": \"xgemm_1\",\n"
                         "  \"precision\": \"32\",\n"
                         "  \"best_time\": \"0.5\",\n"
                         "  \"best_parameters\": \"KWG=16\",\n"
                         "  \"device\": \"dev\",\n  \"results\": [\n");
  for (size_t k = 0; k < n_lines; k++)
    ga__strb_append(&text, "    {\"device\": \"other\"},\n");
  ga__strb_append(&text, "  ]\n}\n");
  test_file_write(ga__strb_text(&path), ga__strb_text(&text), text.n);
  ga__strb_clear(&path);
  ga__strb_clear(&text);
}

static void add_count(const char *kernel, int bits, size_t n,
                      const char *const *names, const size_t *values,
                      void *arg) {
  (void)kernel, (void)bits, (void)names, (void)values;
  *(size_t *)arg += n;
}

/* Of n files, or of one with n lines. The first turn writes them. */
static void tuned_files(const void *arg, size_t n) {
  const int is_one = *(const int *)arg;
  char folder[600], last[640];
  size_t found = 0, n_files = is_one ? 1 : n;

  snprintf(last, sizeof last, "tuned-%s-%zu", is_one ? "lines" : "files", n);
  snprintf(folder, sizeof folder, "%s", test_file_path(last));
  assert_ok(ga__dir_make(folder));
  assert_int_equal(setenv("GPUARRAY_TUNED", folder, 1), 0);
  snprintf(last, sizeof last, "%s/%zu.json", folder, n_files - 1);
  for (size_t i = 0; !test_file_exists(last) && i < n_files; i++)
    write_tuned(folder, i, is_one ? n : 1);
  ga__tuned_files("dev", add_count, &found);
  assert_int_equal(found, 1);
}

static void test_tuned_files(void **state) {
  (void)state;
  test_is_linear("tuned files", tuned_files, &(const int){0}, 50);
  test_is_linear("lines of a tuned file", tuned_files, &(const int){1}, 5000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),       cmocka_unit_test(test_files),
      cmocka_unit_test(test_locale),      cmocka_unit_test(test_passed_over),
      cmocka_unit_test(test_tuned_files),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
