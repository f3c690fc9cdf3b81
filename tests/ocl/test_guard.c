/* SPDX-License-Identifier: BSD-2-Clause */
/* Guarded buffers: what is written beyond their ends is found and named. */
#include "support/device.h"
#include "support/kernel.h"

#include <gpuarray/device.h>
#include <gpuarray/guard.h>
#include <gpuarray/kernel.h>
#include <gpuarray/profile.h>
#include <gpuarray/record.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Writes v to byte `at` of r, wherever that is. */
static const char text[] =
    "#include \"cluda.h\"\n"
    "KERNEL void poke(GLOBAL_MEM ga_ubyte *r, ga_long at, ga_ubyte v) {\n"
    "  r[at] = v;\n}";

static gpukernel *poker(void) {
  static const int types[] = {GA_BUFFER, GA_LONG, GA_UBYTE};
  const char *source = text;
  int err = GA_NO_ERROR;
  gpukernel *k = gpukernel_init(test_context(), 1, &source, NULL, "poke", 3,
                                types, 0, &err, NULL);

  assert_ok(err);
  return k;
}

static void poke(gpukernel *k, gpudata *d, int64_t at) {
  const size_t one = 1;
  unsigned char v = 7;

  assert_ok(gpukernel_call(k, 1, &one, &one, 0, (void *[]){d, &at, &v}));
}

static gpudata *guarded(size_t bytes) {
  int err = GA_NO_ERROR;
  gpudata *d = gpudata_alloc_guarded(test_context(), bytes, &err);

  assert_ok(err);
  assert_non_null(d);
  return d;
}

/* The message has the byte; then all is well again. */
static void assert_found(gpudata *d, int64_t at, const char *what) {
  gpukernel *k = poker();

  poke(k, d, at);
  assert_code(GA_VALUE_ERROR, gpudata_check_guards(d));
  assert_non_null(
      strstr(gpucontext_error(test_context(), GA_VALUE_ERROR), what));
  assert_ok(gpudata_check_guards(d));
  gpukernel_release(k);
}

static void writes_beyond_the_ends_are_found(void **state) {
  gpudata *d = guarded(24), *none = guarded(0);

  (void)state;
  assert_ok(gpudata_check_guards(d));
  assert_found(d, 24, "byte 24 of a buffer of 24 was written");
  assert_found(d, 24 + 4095, "byte 4119 of");
  assert_found(d, -1, "byte -1 of");
  assert_found(d, -64, "byte -64 of");
  assert_found(none, 0, "byte 0 of a buffer of 0");
  gpudata_release(d);
  gpudata_release(none);
}

static void inside_they_are_like_any_other(void **state) {
  const float data[6] = {1, 2, 3, 4, 5, 6};
  gpudata *d = guarded(sizeof data), *plain = test_zeros(sizeof data);
  gpukernel *k = poker();
  unsigned char got[24];

  (void)state;
  assert_ok(gpudata_write(d, 0, data, sizeof data));
  assert_ok(gpudata_move(plain, 0, d, 0, sizeof data));
  assert_ok(gpudata_read(got, plain, 0, sizeof got));
  assert_memory_equal(got, data, sizeof got);
  assert_code(GA_VALUE_ERROR, gpudata_write(d, 24, data, 1));
  assert_ok(gpudata_memset(d, 0, 3));
  poke(k, d, 0);
  poke(k, d, 23);
  assert_ok(gpudata_read(got, d, 0, sizeof got));
  assert_int_equal(got[0] + got[22] + got[23], 7 + 3 + 7);
  assert_ok(gpudata_check_guards(d));
  assert_ok(gpudata_check_guards(plain));
  assert_int_equal(gpudata_share(d, d, NULL), 1);
  assert_int_equal(gpudata_share(d, plain, NULL), 0);
  gpukernel_release(k);
  gpudata_release(d);
  gpudata_release(plain);
}

/* Nothing stays behind in the figures, whichever allocation fails. */
static void memory_is_given_back(void **state) {
  gpucontext_counters before, after;
  int err, n;

  (void)state;
  assert_ok(gpucontext_count(test_context(), &before));
  gpudata *d = guarded(1000);
  gpudata_retain(d);
  gpudata_release(d);
  gpudata_release(d);
  assert_null(gpudata_alloc_guarded(test_context(), SIZE_MAX - 8, &err));
  assert_int_equal(err, GA_MEMORY_ERROR);
  for (n = 1, d = NULL; d == NULL; n++) {
    ga__alloc_fail(n, 0);
    d = gpudata_alloc_guarded(test_context(), 1000, &err);
    ga__alloc_fail(0, 0);
    assert_true(n < 20);
  }
  gpudata_release(d);
  assert_ok(gpucontext_count(test_context(), &after));
  assert_int_equal(after.used_bytes, before.used_bytes);
}

/* --- a context that guards all its buffers --- */

/* Without a look at the size: 64 items write 64 floats. */
static const char careless[] = "#include \"cluda.h\"\n"
                               "KERNEL void twice(GLOBAL_MEM const ga_float "
                               "*x, GLOBAL_MEM ga_float *r) {\n"
                               "  const ga_size i = GID_0 * LDIM_0 + LID_0;\n"
                               "  r[i] = 2 * x[i];\n}";
static const int careless_types[] = {GA_BUFFER, GA_BUFFER};
static const char complaint[] =
    "kernel twice wrote up to 56 bytes behind the end of argument 1, a buffer "
    "of 200 bytes";

static gpucontext *guarding_context(void) {
  gpucontext *ctx;

  test_context();
  setenv("GPUARRAY_GUARD", "1", 1);
  assert_ok(gpucontext_open(&ctx, NULL));
  unsetenv("GPUARRAY_GUARD");
  return ctx;
}

static gpudata *zeros_of(gpucontext *ctx, size_t bytes) {
  gpudata *d = gpudata_alloc(ctx, bytes, NULL, 0, NULL);

  assert_non_null(d);
  assert_ok(gpudata_memset(d, 0, 0));
  return d;
}

static void a_client_s_wrong_kernel_is_named(void **state) {
  const size_t one = 1, all = 64, fitting = 50;
  const char *source = careless;
  gpucontext *ctx = guarding_context();
  gpudata *x = zeros_of(ctx, 256), *r = zeros_of(ctx, 200);
  GpuKernel k;

  (void)state;
  assert_true(gpudata_has_guards(x));
  assert_ok(GpuKernel_init(&k, ctx, 1, &source, NULL, "twice", 2,
                           careless_types, 0, NULL));
  assert_code(GA_VALUE_ERROR,
              GpuKernel_call(&k, 1, &all, &one, 0, (void *[]){x, r}));
  assert_message(GA_VALUE_ERROR, complaint);
  assert_ok(GpuKernel_call(&k, 1, &fitting, &one, 0, (void *[]){x, r}));
  /* The kernel has its arguments already. */
  assert_code(GA_VALUE_ERROR, GpuKernel_call(&k, 1, &all, &one, 0, NULL));
  assert_message(GA_VALUE_ERROR, complaint);
  GpuKernel_clear(&k);
  gpudata_release(x);
  gpudata_release(r);
  gpucontext_deref(ctx);
}

static GpuArray floats_of(gpucontext *ctx, size_t n) {
  GpuArray a;

  assert_ok(GpuArray_zeros(&a, ctx, GA_FLOAT, 1, &n, GA_C_ORDER));
  return a;
}

static void so_is_one_in_a_launch(void **state) {
  const GpuKernelSpec spec = {
      .name = "twice", .code = careless, .n_types = 2, .types = careless_types};
  const size_t one = 1, all = 64;
  gpucontext *ctx = guarding_context();
  GpuArray x = floats_of(ctx, 64), r = floats_of(ctx, 50);
  GpuLaunch *l =
      GpuLaunch_open(ctx, "careless", 2, (GpuArray *const[]){&x, &r});

  (void)state;
  assert_ok(GpuLaunch_call(l, &spec, 1, &all, &one, 0, (void *[]){&x, &r}));
  assert_ok(GpuLaunch_close(&l, l));
  assert_code(GA_VALUE_ERROR, GpuLaunch_run(l));
  assert_message(GA_VALUE_ERROR, complaint);
  GpuLaunch_free(l);
  GpuArray_clear(&x);
  GpuArray_clear(&r);
  gpucontext_deref(ctx);
}

/* A buffer of no bytes has guards that poison leaves alone. */
static void poison_stays_between_the_guards(void **state) {
  (void)state;
  setenv("GPUARRAY_POISON", "1", 1);
  gpucontext *ctx = guarding_context();
  unsetenv("GPUARRAY_POISON");
  gpudata *none = gpudata_alloc(ctx, 0, NULL, 0, NULL);
  gpudata *some = gpudata_alloc(ctx, 40, NULL, 0, NULL);
  unsigned char got[40];

  assert_ok(gpudata_check_guards(none));
  assert_ok(gpudata_check_guards(some));
  assert_ok(gpudata_read(got, some, 0, sizeof got));
  assert_int_equal(got[39], 0xFF);
  gpudata_release(none);
  gpudata_release(some);
  gpucontext_deref(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writes_beyond_the_ends_are_found),
      cmocka_unit_test(inside_they_are_like_any_other),
      cmocka_unit_test(memory_is_given_back),
      cmocka_unit_test(a_client_s_wrong_kernel_is_named),
      cmocka_unit_test(so_is_one_in_a_launch),
      cmocka_unit_test(poison_stays_between_the_guards),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
