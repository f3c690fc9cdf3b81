/* SPDX-License-Identifier: BSD-2-Clause */
/* Users' kernels as buffers see them: gpukernel_*, which GpuKernel wraps. */
#include "support/device.h"
#include "support/kernel.h"

#include <stdlib.h>
#include <string.h>

static const char text[] = "#include \"cluda.h\"\n"
                           "KERNEL void k(GLOBAL_MEM ga_int *r, ga_int v) {\n"
                           "  r[GID_0] += v;\n}";
static const int types[] = {GA_BUFFER, GA_INT};

static gpukernel *build(const char *source, char **log, int *err) {
  return gpukernel_init(test_context(), 1, &source, NULL, "k", 2, types, 0, err,
                        log);
}

static void kernels_run(void **state) {
  const size_t gs = 3, ls = 1;
  int err = GA_NO_ERROR, v = 4, more = 6, got[3];
  gpukernel *k = build(text, NULL, &err);
  gpudata *r = test_zeros(sizeof got);

  (void)state;
  assert_non_null(k);
  assert_ok(err);
  assert_ptr_equal(gpukernel_context(k), test_context());
  assert_ok(gpukernel_setarg(k, 0, r));
  assert_ok(gpukernel_setarg(k, 1, &v));
  assert_ok(gpukernel_call(k, 1, &gs, &ls, 0, NULL));
  gpukernel_retain(k);
  gpukernel_release(k);
  assert_ok(gpukernel_call(k, 1, &gs, &ls, 0, (void *[]){r, &more}));
  assert_ok(gpudata_read(got, r, 0, sizeof got));
  for (int i = 0; i < 3; i++)
    assert_int_equal(got[i], 10);
  assert_code(GA_VALUE_ERROR, gpukernel_setarg(k, 2, &v));
  assert_code(GA_VALUE_ERROR, gpukernel_call(k, 4, &gs, &ls, 0, NULL));
  gpudata_release(r);
  gpukernel_release(k);
}

/* The compiler's words are the caller's to free, and the context has them. */
static void failures_are_told(void **state) {
  const GpuKernel none = {0};
  int err = GA_NO_ERROR;
  char *log = NULL;
  GpuKernel k = {0};

  (void)state;
  assert_null(build("KERNEL no kernel at all", &log, &err));
  assert_int_not_equal(err, GA_NO_ERROR);
  assert_non_null(log);
  assert_non_null(strstr(log, "no kernel at all"));
  free(log);
  assert_null(build("KERNEL no kernel at all", NULL, NULL));
  k.k = build(text, NULL, NULL);
  assert_non_null(k.k);
  assert_code(GA_VALUE_ERROR, GpuKernel_setarg(&k, 9, NULL));
  assert_non_null(strstr(GpuKernel_error(&k, GA_VALUE_ERROR), "argument 9"));
  assert_string_equal(GpuKernel_error(&none, GA_VALUE_ERROR),
                      gpucontext_error(NULL, GA_VALUE_ERROR));
  gpukernel_release(k.k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_run),
      cmocka_unit_test(failures_are_told),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
