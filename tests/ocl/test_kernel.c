/* SPDX-License-Identifier: BSD-2-Clause */
/* Users' kernels: arguments, sizes, building, refusals. */
#include "support/device.h"
#include "support/kernel.h"

#include <gpuarray/device.h>
#include <gpuarray/kernel.h>
#include <gpuarray/profile.h>
#include <gpuarray/util.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define INCLUDE "#include \"cluda.h\"\n"

/* --- arguments --- */

static void every_scalar_type_arrives(void **state) {
  static const char text[] =
      INCLUDE "KERNEL void k(GLOBAL_MEM ga_float *r, ga_bool a, ga_byte b,\n"
              "  ga_ubyte c, ga_short d, ga_ushort e, ga_int f, ga_uint g,\n"
              "  ga_long h, ga_ulong i, ga_float j, ga_half l, ga_size m,\n"
              "  ga_ssize n) {\n"
              "  r[0] = a; r[1] = b; r[2] = c; r[3] = d; r[4] = e; r[5] = f;\n"
              "  r[6] = g; r[7] = h; r[8] = i; r[9] = j;\n"
              "  r[10] = ga_half2float(l); r[11] = m; r[12] = n;\n}";
  const int types[] = {GA_BUFFER, GA_BOOL, GA_BYTE, GA_UBYTE, GA_SHORT,
                       GA_USHORT, GA_INT,  GA_UINT, GA_LONG,  GA_ULONG,
                       GA_FLOAT,  GA_HALF, GA_SIZE, GA_SSIZE};
  const float want[13] = {1, -2, 3, -4, 5, -6, 7, -8, 9, 0.5f, 1.5f, 12, -13};
  GpuKernel k = test_kernel(text, 14, types, GA_USE_SMALL | GA_USE_HALF);
  uint8_t a = 1, c = 3;
  int8_t b = -2;
  int16_t d = -4;
  uint16_t e = 5;
  int32_t f = -6;
  uint32_t g = 7;
  int64_t h = -8;
  uint64_t i = 9;
  float j = 0.5f, got[13];
  ga_half_t l = ga_float2half(1.5f);
  size_t m = 12;
  ssize_t n = -13;
  gpudata *r = test_zeros(sizeof got);
  void *args[] = {r, &a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &l, &m, &n};

  (void)state;
  test_call(&k, 1, 1, args);
  assert_ok(gpudata_read(got, r, 0, sizeof got));
  test_ulp(GA_FLOAT, got, want, 13, 0);
  gpudata_release(r);
  GpuKernel_clear(&k);
}

static void arguments_stay_set(void **state) {
  test_need_group(2);

  static const char text[] = "#include <cluda.h>\nKERNEL void "
                             "k(GLOBAL_MEM ga_int *r, ga_int v) "
                             "{ r[GID_0 * LDIM_0 + LID_0] += v; }";
  const int types[] = {GA_BUFFER, GA_INT};
  GpuKernel k = test_kernel(text, 2, types, 0);
  gpudata *r = test_zeros(16);
  int v = 5, got[4];

  (void)state;
  assert_ok(GpuKernel_setarg(&k, 0, r));
  assert_ok(GpuKernel_setarg(&k, 1, &v));
  v = 100; /* was copied */
  test_call(&k, 2, 2, NULL);
  test_call(&k, 2, 2, NULL);
  assert_ok(gpudata_read(got, r, 0, sizeof got));
  for (int i = 0; i < 4; i++)
    assert_int_equal(got[i], 10);
  assert_code(GA_VALUE_ERROR, GpuKernel_setarg(&k, 2, &v));
  assert_message(GA_VALUE_ERROR, "no argument 2");
  assert_code(GA_VALUE_ERROR, GpuKernel_setarg(&k, 0, NULL));
  gpudata_release(r);
  GpuKernel_clear(&k);
  GpuKernel_clear(&k);
}

static void buffers_of_other_contexts_are_refused(void **state) {
  static const char text[] = INCLUDE "KERNEL void k(GLOBAL_MEM ga_int *r) "
                                     "{ r[0] = 1; }";
  const int types[] = {GA_BUFFER};
  GpuKernel k = test_kernel(text, 1, types, 0);
  gpucontext *other;

  (void)state;
  assert_ok(gpucontext_open(&other, NULL));
  gpudata *d = gpudata_alloc(other, 4, NULL, 0, NULL);
  assert_code(GA_VALUE_ERROR, GpuKernel_setarg(&k, 0, d));
  assert_message(GA_VALUE_ERROR, "another context");
  gpudata_release(d);
  gpucontext_deref(other);
  GpuKernel_clear(&k);
}

static void local_memory_is_the_last_argument(void **state) {
  test_need_group(4);
  test_need_local(4 * sizeof(int));

  static const char text[] =
      INCLUDE "KERNEL void k(GLOBAL_MEM ga_int *r, ga_int n\n"
              "              GA_DECL_SHARED_PARAM(ga_int, tmp)) {\n"
              "  GA_DECL_SHARED_BODY(ga_int, tmp)\n"
              "  tmp[LID_0] = r[LID_0];\n"
              "  local_barrier();\n"
              "  r[LID_0] = tmp[n - 1 - LID_0];\n}";
  const int types[] = {GA_BUFFER, GA_INT};
  GpuKernel k = test_kernel(text, 2, types, 0);
  int in[4] = {1, 2, 3, 4}, got[4], n = 4;
  size_t one = 1, four = 4;
  gpudata *r =
      gpudata_alloc(test_context(), sizeof in, in, GA_BUFFER_INIT, NULL);
  void *args[] = {r, &n};
  size_t most;

  (void)state;
  assert_ok(GpuKernel_call(&k, 1, &one, &four, sizeof in, args));
  assert_ok(gpudata_read(got, r, 0, sizeof got));
  for (int i = 0; i < 4; i++)
    assert_int_equal(got[i], 4 - i);
  assert_ok(gpucontext_property(test_context(), GA_CTX_PROP_LMEMSIZE, &most));
  assert_code(GA_VALUE_ERROR,
              GpuKernel_call(&k, 1, &one, &four, most + 1, args));
  gpudata_release(r);
  GpuKernel_clear(&k);
}

/* --- sizes --- */

static void three_dimensions_of_groups(void **state) {
  test_need_group(2);

  static const char text[] =
      INCLUDE "KERNEL void k(GLOBAL_MEM ga_int *r) {\n"
              "  ga_int x = GID_0 * LDIM_0 + LID_0, w = GDIM_0 * LDIM_0;\n"
              "  ga_int y = GID_1 * LDIM_1 + LID_1, h = GDIM_1 * LDIM_1;\n"
              "  ga_int z = GID_2 * LDIM_2 + LID_2;\n"
              "  r[(z * h + y) * w + x] = x + 10 * y + 100 * z;\n}";
  const int types[] = {GA_BUFFER};
  GpuKernel k = test_kernel(text, 1, types, 0);
  size_t gs[3] = {2, 3, 2}, ls[3] = {2, 1, 1};
  int got[24];
  gpudata *r = test_zeros(sizeof got);
  void *args[] = {r};

  (void)state;
  assert_ok(GpuKernel_call(&k, 3, gs, ls, 0, args));
  assert_ok(gpudata_read(got, r, 0, sizeof got));
  for (int i = 0; i < 24; i++)
    assert_int_equal(got[i], i % 4 + 10 * (i / 4 % 3) + 100 * (i / 12));
  gs[1] = 0; /* nothing to do is no error */
  assert_ok(GpuKernel_call(&k, 3, gs, ls, 0, args));
  gpudata_release(r);
  GpuKernel_clear(&k);
}

static void bad_sizes_are_refused(void **state) {
  test_need_group(2);

  static const char text[] = INCLUDE "KERNEL void k(GLOBAL_MEM ga_int *r) "
                                     "{ r[0] = 1; }";
  const int types[] = {GA_BUFFER};
  GpuKernel k = test_kernel(text, 1, types, 0);
  size_t most, gs[4] = {1, 1, 1, 1}, ls[4] = {1, 1, 1, 1};
  gpudata *r = test_zeros(4);
  void *args[] = {r};

  (void)state;
  assert_ok(gpukernel_property(k.k, GA_KERNEL_PROP_MAXLSIZE, &most));
  assert_code(GA_VALUE_ERROR, GpuKernel_call(&k, 0, gs, ls, 0, args));
  assert_code(GA_VALUE_ERROR, GpuKernel_call(&k, 4, gs, ls, 0, args));
  ls[0] = 0;
  assert_code(GA_VALUE_ERROR, GpuKernel_call(&k, 1, gs, ls, 0, args));
  ls[0] = most;
  ls[1] = 2;
  assert_code(GA_VALUE_ERROR, GpuKernel_call(&k, 2, gs, ls, 0, args));
  ls[0] = 2;
  gs[0] = SIZE_MAX;
  assert_code(GA_XLARGE_ERROR, GpuKernel_call(&k, 1, gs, ls, 0, args));
  gs[0] = ls[0] = 1;
  assert_code(GA_VALUE_ERROR, GpuKernel_call(&k, 1, gs, ls, 64, args));
  assert_message(GA_VALUE_ERROR, "no argument for it");
  gpudata_release(r);
  GpuKernel_clear(&k);
}

static void sched_covers_every_item(void **state) {
  static const char text[] = INCLUDE "KERNEL void k(GLOBAL_MEM ga_int *r) "
                                     "{ r[0] = 1; }";
  const size_t sizes[] = {0, 1, 63, 64, 1000, 1 << 20, (size_t)1 << 33};
  const int types[] = {GA_BUFFER};
  GpuKernel k = test_kernel(text, 1, types, 0);
  size_t most, gs, ls;

  (void)state;
  assert_ok(gpukernel_property(k.k, GA_KERNEL_PROP_MAXLSIZE, &most));
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    gs = ls = 0;
    assert_ok(GpuKernel_sched(&k, sizes[i], &gs, &ls));
    assert_true(gs >= 1 && ls >= 1 && ls <= most && gs * ls >= sizes[i]);
    ls = 1;
    gs = 0;
    assert_ok(GpuKernel_sched(&k, sizes[i], &gs, &ls));
    assert_int_equal(ls, 1);
    assert_true(gs >= sizes[i]);
    ls = 0;
    gs = 3;
    assert_ok(GpuKernel_sched(&k, sizes[i], &gs, &ls));
    assert_int_equal(gs, 3);
    assert_true(ls >= 1 && ls <= most);
  }
  ls = 0;
  gs = SIZE_MAX / 2 + 1; /* more work-items than a size_t counts */
  assert_ok(GpuKernel_sched(&k, 1 << 20, &gs, &ls));
  assert_int_equal(gs, SIZE_MAX / 2 + 1);
  gs = 0;
  most = ls;
  ls = 0;
  assert_ok(GpuKernel_sched(&k, 1 << 20, &gs, &ls));
  assert_int_equal(most, ls);
  GpuKernel_clear(&k);
}

/* --- building --- */

static void texts_are_joined_by_length(void **state) {
  const char *texts[] = {INCLUDE, "KERNEL void k(GLOBAL_MEM ga_int *r)???",
                         "{ r[0] = 4; }"};
  const size_t lengths[] = {0, strlen(texts[1]) - 3, 0};
  const int types[] = {GA_BUFFER};
  gpudata *r = test_zeros(4);
  GpuKernel k;
  int got;

  (void)state;
  assert_ok(GpuKernel_init(&k, test_context(), 3, texts, lengths, "k", 1, types,
                           0, NULL));
  test_call(&k, 1, 1, (void *[]){r});
  assert_ok(gpudata_read(&got, r, 0, 4));
  assert_int_equal(got, 4);
  assert_ptr_equal(GpuKernel_context(&k), test_context());
  gpudata_release(r);
  GpuKernel_clear(&k);
}

/* A text that is marked as OpenCL C and does not include cluda.h may use the
 * names of cluda for things of its own. */
static void plain_opencl_has_no_prelude(void **state) {
  const char *text = "#define KERNEL 5\nkernel void k(global int *ga_half)"
                     "{ ga_half[0] = KERNEL; }";
  const int types[] = {GA_BUFFER};
  GpuKernel k = test_kernel(text, 1, types, GA_USE_OPENCL);

  (void)state;
  GpuKernel_clear(&k);
}

static void the_same_text_is_built_once(void **state) {
  static const char text[] = INCLUDE "KERNEL void k(GLOBAL_MEM ga_int *r) "
                                     "{ r[0] = 123454321; }";
  const int types[] = {GA_BUFFER};
  gpucontext_counters a, b;
  GpuKernel k1 = test_kernel(text, 1, types, 0);

  (void)state;
  assert_ok(gpucontext_count(test_context(), &a));
  GpuKernel k2 = test_kernel(text, 1, types, 0);
  assert_ok(gpucontext_count(test_context(), &b));
  assert_int_equal(b.programs_built + b.programs_loaded,
                   a.programs_built + a.programs_loaded);
  assert_int_equal(b.programs_reused, a.programs_reused + 1);
  GpuKernel_clear(&k1);
  GpuKernel_clear(&k2);
}

static void properties_are_told(void **state) {
  static const char text[] = INCLUDE "KERNEL void k(GLOBAL_MEM ga_int *r, "
                                     "ga_float f) { r[0] = f; }";
  const int types[] = {GA_BUFFER, GA_FLOAT};
  GpuKernel k = test_kernel(text, 2, types, 0);
  const int *got;
  gpucontext *ctx;
  size_t size;
  unsigned int n;

  (void)state;
  assert_ok(gpukernel_property(k.k, GA_KERNEL_PROP_NUMARGS, &n));
  assert_int_equal(n, 2);
  assert_ok(gpukernel_property(k.k, GA_KERNEL_PROP_TYPES, &got));
  assert_memory_equal(got, types, sizeof types);
  assert_ok(gpukernel_property(k.k, GA_KERNEL_PROP_PREFLSIZE, &size));
  assert_true(size >= 1);
  assert_ok(gpukernel_property(k.k, GA_KERNEL_PROP_CTX, &ctx));
  assert_ptr_equal(ctx, test_context());
  assert_ok(gpukernel_property(k.k, GA_CTX_PROP_NUMPROCS, &n));
  assert_code(GA_INVALID_ERROR, gpukernel_property(k.k, 514, &n));
  gpukernel_retain(k.k);
  gpukernel_release(k.k);
  gpukernel_release(NULL);
  GpuKernel_clear(&k);
}

static void refusals_are_clear(void **state) {
  const char *text = INCLUDE "KERNEL void k(GLOBAL_MEM ga_int *r) "
                             "{ r[0] = zork; }";
  const char *good = INCLUDE "KERNEL void k(GLOBAL_MEM ga_int *r) "
                             "{ r[0] = 1; }";
  const char *three = INCLUDE "KERNEL void k(GLOBAL_MEM ga_int *r, ga_int a, "
                              "ga_int b) { r[0] = a + b; }";
  const int types[] = {GA_BUFFER, GA_INT, 9999};
  GpuKernel k;
  char *log = NULL;

  (void)state;
  assert_code(GA_IMPL_ERROR, GpuKernel_init(&k, test_context(), 1, &text, NULL,
                                            "k", 1, types, 0, &log));
  assert_non_null(log);
  assert_non_null(strstr(log, "  KERNEL void k(GLOBAL_MEM"));
  assert_non_null(strstr(log, "zork"));
  assert_null(k.k);
  assert_null(k.args);
  assert_message(GA_IMPL_ERROR, "zork");
  free(log);
  assert_code(GA_DEVSUP_ERROR,
              GpuKernel_init(&k, test_context(), 1, &good, NULL, "k", 1, types,
                             GA_USE_CUDA, &log));
  assert_message(GA_DEVSUP_ERROR, "CUDA");
  assert_null(log);
  assert_code(GA_VALUE_ERROR, GpuKernel_init(&k, test_context(), 1, &good, NULL,
                                             "other", 1, types, 0, NULL));
  assert_message(GA_VALUE_ERROR, "\"other\"");
  assert_code(GA_VALUE_ERROR, GpuKernel_init(&k, test_context(), 1, &good, NULL,
                                             "k", 3, types, 0, NULL));
  assert_message(GA_VALUE_ERROR, "9999");
  assert_code(GA_VALUE_ERROR, GpuKernel_init(&k, test_context(), 1, &three,
                                             NULL, "k", 1, types, 0, NULL));
  assert_message(GA_VALUE_ERROR, "kernel k takes 3 arguments, but 1 types");
  assert_code(GA_VALUE_ERROR, GpuKernel_init(&k, test_context(), 0, NULL, NULL,
                                             "k", 0, types, 0, NULL));
}

static void doubles_are_refused_without_fp64(void **state) {
  const char *text = INCLUDE "KERNEL void k(GLOBAL_MEM ga_double *r) "
                             "{ r[0] = 1; }";
  const int types[] = {GA_BUFFER};
  gpucontext *ctx;
  GpuKernel k;

  (void)state;
  test_context();
  setenv("GPUARRAY_NO_FP64", "1", 1);
  assert_ok(gpucontext_open(&ctx, NULL));
  unsetenv("GPUARRAY_NO_FP64");
  assert_code(GA_DEVSUP_ERROR, GpuKernel_init(&k, ctx, 1, &text, NULL, "k", 1,
                                              types, GA_USE_DOUBLE, NULL));
  assert_message(GA_DEVSUP_ERROR, "double");
  gpucontext_deref(ctx);
}

static void failed_allocations_leak_nothing(void **state) {
  const char *text = INCLUDE "KERNEL void k(GLOBAL_MEM ga_int *r) "
                             "{ r[0] = 1; }";
  const int types[] = {GA_BUFFER};
  int err = GA_MEMORY_ERROR;
  GpuKernel k = test_kernel(text, 1, types, 0);

  (void)state;
  GpuKernel_clear(&k); /* the program stays in memory */
  long live = ga__alloc_live();
  for (long n = 1; err != GA_NO_ERROR; n++) {
    ga__alloc_fail(n, 0);
    err = GpuKernel_init(&k, test_context(), 1, &text, NULL, "k", 1, types, 0,
                         NULL);
    ga__alloc_fail(0, 0);
    assert_true(err == GA_NO_ERROR || err == GA_MEMORY_ERROR);
    if (err != GA_NO_ERROR)
      assert_null(k.k);
    else
      GpuKernel_clear(&k);
    assert_int_equal(ga__alloc_live(), live);
    assert_true(n < 100);
  }
}

/* --- threads: one kernel each, one context --- */

static void *add_many(void *arg) {
  static const char *text = INCLUDE
      "KERNEL void k(GLOBAL_MEM ga_int *r, ga_int v) { r[GID_0] += v; }";
  const int types[] = {GA_BUFFER, GA_INT};
  gpucontext *ctx = test_context();
  size_t gs = 8, ls = 1;
  int v, got[8], sum = 0;
  gpudata *r = gpudata_alloc(ctx, sizeof got, NULL, 0, NULL);
  GpuKernel k;

  (void)arg;
  if (r == NULL || gpudata_memset(r, 0, 0) ||
      GpuKernel_init(&k, ctx, 1, &text, NULL, "k", 2, types, 0, NULL))
    return "failed to start";
  for (v = 0; v < 500; v++) {
    sum += v;
    if (GpuKernel_call(&k, 1, &gs, &ls, 0, (void *[]){r, &v}))
      return "failed to launch";
  }
  if (gpudata_read(got, r, 0, sizeof got))
    return "failed to read";
  for (int i = 0; i < 8; i++) {
    if (got[i] != sum)
      return "wrong sum";
  }
  gpudata_release(r);
  GpuKernel_clear(&k);
  return NULL;
}

static void threads_share_a_context(void **state) {
  pthread_t t[4];
  void *failed;

  (void)state;
  test_context();
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&t[i], NULL, add_many, NULL), 0);
  for (int i = 0; i < 4; i++) {
    pthread_join(t[i], &failed);
    if (failed)
      fail_msg("%s", (char *)failed);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_scalar_type_arrives),
      cmocka_unit_test(arguments_stay_set),
      cmocka_unit_test(buffers_of_other_contexts_are_refused),
      cmocka_unit_test(local_memory_is_the_last_argument),
      cmocka_unit_test(three_dimensions_of_groups),
      cmocka_unit_test(bad_sizes_are_refused),
      cmocka_unit_test(sched_covers_every_item),
      cmocka_unit_test(texts_are_joined_by_length),
      cmocka_unit_test(plain_opencl_has_no_prelude),
      cmocka_unit_test(the_same_text_is_built_once),
      cmocka_unit_test(properties_are_told),
      cmocka_unit_test(refusals_are_clear),
      cmocka_unit_test(doubles_are_refused_without_fp64),
      cmocka_unit_test(failed_allocations_leak_nothing),
      cmocka_unit_test(threads_share_a_context),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
