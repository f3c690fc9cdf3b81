/* SPDX-License-Identifier: BSD-2-Clause */
/* Products with sums so long that a device which ends loops early would leave
 * out some of them: refused before anything is compiled. */
#include "support/device.h"

#include <gpuarray/device.h>

#include "blas/dispatch.h"

#define LONG ((size_t)1 << 32)
#define LONGER ((size_t)1 << 40)

/* All elements of an operand are one. */
static ga__product_operand same(unsigned int slot) {
  static gpudata *buf;

  if (buf == NULL)
    buf = gpudata_alloc(test_context(), 64, NULL, 0, NULL);
  return (ga__product_operand){.buf = buf, .slot = slot};
}

static int gemm(int typecode, GpuLaunch **l) {
  const ga__product g = {.routine = GA_ROUTINE_GEMM,
                         .ctx = test_context(),
                         .typecode = typecode,
                         .m = 8,
                         .n = 8,
                         .k = LONG,
                         .batch = 1,
                         .alpha = {1, 0},
                         .a = same(0),
                         .b = same(1),
                         .c = same(2)};

  return typecode == GA_FLOAT ? ga__product_prepare_by(l, &g, &ga__gemm_gpu)
                              : ga__product_prepare(l, &g);
}

static int gemv(int typecode, GpuLaunch **l) {
  const ga__product g = {.routine = GA_ROUTINE_GEMV,
                         .n = 1,
                         .batch = 1,
                         .ctx = test_context(),
                         .typecode = typecode,
                         .m = 8,
                         .k = LONG,
                         .alpha = {1, 0},
                         .a = same(0),
                         .b = same(1),
                         .c = same(2)};

  return ga__product_prepare(l, &g);
}

static int dot(int typecode, GpuLaunch **l) {
  const ga__product g = {.routine = GA_ROUTINE_DOT,
                         .m = 1,
                         .n = 1,
                         .batch = 1,
                         .ctx = test_context(),
                         .typecode = typecode,
                         .k = LONGER,
                         .a = same(0),
                         .b = same(1),
                         .c = same(2)};

  return ga__product_prepare(l, &g);
}

static void test_long_sums(void **state) {
  static int (*const products[])(int, GpuLaunch **) = {gemm, gemv, dot};
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const gpudevice_caps real = *caps;
  GpuLaunch *l;

  (void)state;
  caps->is_cpu = caps->long_loops = 0;
  caps->compute_units = 4; /* more share the sums out */
  for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
    assert_code(GA_DEVSUP_ERROR, products[i](GA_FLOAT, &l));
    assert_message(GA_DEVSUP_ERROR, "iterations of a loop in");
    assert_null(l);
    assert_code(GA_DEVSUP_ERROR, products[i](GA_CFLOAT, &l));
    assert_message(GA_DEVSUP_ERROR, "iterations of a loop in");
    assert_null(l);
  }
  *caps = real;
  gpudata_release(same(0).buf);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_long_sums)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
