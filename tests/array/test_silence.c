/* SPDX-License-Identifier: BSD-2-Clause */
/* Nothing is printed, whatever is compiled: a child with empty kernel caches
 * runs a kernel of every family and its output is looked at. Other tests fail
 * by CTest when a driver's count of warnings is in their output. */
#include "support/child.h"
#include "support/device.h"

#include <gpuarray/blas.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/kernel.h>
#include <gpuarray/reduction.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

enum { SIDE = 40 };

/* --- in the child --- */

static GpuArray square(int typecode) {
  static const size_t dims[2] = {SIDE, SIDE};
  GpuArray a;

  assert_ok(GpuArray_zeros(&a, test_context(), typecode, 2, dims, GA_C_ORDER));
  return a;
}

static GpuArray line(int typecode) {
  static const size_t dim = SIDE;
  GpuArray a;

  assert_ok(GpuArray_zeros(&a, test_context(), typecode, 1, &dim, GA_C_ORDER));
  return a;
}

static void run_casts(void) {
  static const int types[] = {GA_BOOL, GA_HALF, GA_CFLOAT};
  GpuArray a = square(GA_FLOAT);

  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    GpuArray b = square(types[i]);

    assert_ok(GpuArray_setarray(&b, &a));
    assert_ok(GpuArray_transpose_inplace(&b, NULL));
    assert_ok(GpuArray_setarray(&a, &b));
    GpuArray_clear(&b);
  }
  GpuArray_clear(&a);
}

static void run_reductions(void) {
  static const ga_reduce_op ops[] = {GA_REDUCE_ARGMIN, GA_REDUCE_VAR,
                                     GA_REDUCE_ANY};
  const unsigned int axes[2] = {0, 1};
  GpuArray a = square(GA_FLOAT), m = line(GA_FLOAT), at = line(GA_LONG), r;

  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    assert_ok(GpuArray_reduction(&r, &a, ops[i], 1, axes, 0, -1, -1));
    GpuArray_clear(&r);
  }
  assert_ok(GpuArray_maxandargmax(&m, &at, &a, 1, axes));
  assert_ok(GpuArray_maxandargmax(&m, &at, &a, 1, axes + 1));
  GpuArray_clear(&at);
  GpuArray_clear(&m);
  GpuArray_clear(&a);
}

static void run_rows_and_joins(void) {
  GpuArray a = square(GA_FLOAT), b = square(GA_FLOAT), at = line(GA_INT), r;
  const GpuArray *both[2] = {&a, &b};

  assert_ok(GpuArray_take1(&b, &a, &at, 1));
  assert_ok(GpuArray_transpose_inplace(&a, NULL));
  assert_ok(GpuArray_take1(&b, &a, &at, 0));
  assert_ok(GpuArray_concatenate(&r, both, 2, 1, GA_HALF));
  GpuArray_clear(&r);
  GpuArray_clear(&at);
  GpuArray_clear(&b);
  GpuArray_clear(&a);
}

static void run_products(int typecode) {
  GpuArray a = square(typecode), b = square(typecode), c = square(typecode);
  GpuArray x = line(typecode), y = line(typecode), s;

  assert_ok(GpuArray_zeros(&s, test_context(), typecode, 0, NULL, GA_C_ORDER));
  assert_ok(GpuArray_rgemm(cb_no_trans, cb_trans, 1, &a, &b, 0, &c, 0));
  assert_ok(GpuArray_rgemv(cb_no_trans, 1, &a, &x, 0, &y, 0));
  assert_ok(GpuArray_rgemv(cb_trans, 1, &a, &x, 0, &y, 0));
  assert_ok(GpuArray_rger(1, &x, &y, &c, 0));
  assert_ok(GpuArray_rdot(&x, &y, &s, 0));
  GpuArray_clear(&s);
  GpuArray_clear(&y);
  GpuArray_clear(&x);
  GpuArray_clear(&c);
  GpuArray_clear(&b);
  GpuArray_clear(&a);
}

static void run_families(void) {
  run_casts();
  run_reductions();
  run_rows_and_joins();
  run_products(GA_FLOAT);
}

/* A client's text with two things to warn about. */
static void run_texts(void) {
  static const char *const text = "#include \"cluda.h\"\n"
                                  "#define ONE 1\n#define ONE 2\n"
                                  "KERNEL void f(GLOBAL_MEM ga_int *p) {\n"
                                  "  int unused; p[0] = ONE;\n}\n";
  const int type = GA_BUFFER;
  const char *parts[1] = {text};
  GpuKernel k;

  assert_ok(GpuKernel_init(&k, test_context(), 1, parts, NULL, "f", 1, &type, 0,
                           NULL));
  GpuKernel_clear(&k);
}

static int child_main(void) {
  const char *output = getenv("TEST_OUTPUT");

  if (output == NULL || freopen(output, "w", stdout) == NULL ||
      freopen(output, "a", stderr) == NULL)
    return 1;
  test_mappings(run_families);
  run_texts();
  return test_context_drop(NULL);
}

/* --- in the parent --- */

static void test_nothing_is_printed(void **state) {
  char output[2100], run[2200], cache[2100];
  const char *env[] = {run, cache, "POCL_KERNEL_CACHE=0", NULL};
  unsigned char *text = NULL;
  size_t n = 0;

  (void)state;
  test_context();
  snprintf(output, sizeof output, "%s", test_path("output"));
  snprintf(run, sizeof run, "TEST_OUTPUT=%s", output);
  snprintf(cache, sizeof cache, "GPUARRAY_CACHE_PATH=%s", test_path("kernels"));
  int status = test_child("compile", env);
  assert_ok(ga__file_read(output, &text, &n));
  print_message("%.*s", (int)n, (const char *)text);
  assert_int_equal(status, 0);
  assert_int_equal(n, 0);
  ga__free(text);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_is_printed),
  };

  if (argc > 1)
    return strcmp(argv[1], "compile") == 0 ? child_main() : 2;
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
