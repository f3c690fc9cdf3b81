/* SPDX-License-Identifier: BSD-2-Clause */
/* Parameters for CLBlast: the table, and files as its tuners leave them. */
#include "support/device.h"
#include "support/tmpfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "blas/dispatch.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_passed_over),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
