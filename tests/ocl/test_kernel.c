/* SPDX-License-Identifier: BSD-2-Clause */
/* Users' kernels: the cluda names, arguments, sizes, refusals. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/kernel.h>
#include <gpuarray/profile.h>
#include <gpuarray/util.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define INCLUDE "#include \"cluda.h\"\n"

static GpuKernel build(const char *text, unsigned int n, const int *types,
                       int flags) {
  char *log = NULL;
  GpuKernel k;
  int err = GpuKernel_init(&k, test_context(), 1, &text, NULL, "k", n, types,
                           flags, &log);

  if (log)
    print_error("%s", log);
  free(log);
  assert_ok(err);
  return k;
}

static gpudata *zeros(size_t n) {
  gpudata *d = gpudata_alloc(test_context(), n, NULL, 0, NULL);

  assert_non_null(d);
  assert_ok(gpudata_memset(d, 0, 0));
  return d;
}

static void call(GpuKernel *k, size_t gs, size_t ls, void **args) {
  assert_ok(GpuKernel_call(k, 1, &gs, &ls, 0, args));
}

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
  GpuKernel k = build(text, 14, types, GA_USE_SMALL | GA_USE_HALF);
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
  gpudata *r = zeros(sizeof got);
  void *args[] = {r, &a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &l, &m, &n};

  (void)state;
  call(&k, 1, 1, args);
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
  GpuKernel k = build(text, 2, types, 0);
  gpudata *r = zeros(16);
  int v = 5, got[4];

  (void)state;
  assert_ok(GpuKernel_setarg(&k, 0, r));
  assert_ok(GpuKernel_setarg(&k, 1, &v));
  v = 100; /* was copied */
  call(&k, 2, 2, NULL);
  call(&k, 2, 2, NULL);
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
  GpuKernel k = build(text, 1, types, 0);
  gpucontext *other;
  gpudata *d;

  (void)state;
  assert_ok(gpucontext_open(&other, NULL));
  d = gpudata_alloc(other, 4, NULL, 0, NULL);
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
  GpuKernel k = build(text, 2, types, 0);
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
  GpuKernel k = build(text, 1, types, 0);
  size_t gs[3] = {2, 3, 2}, ls[3] = {2, 1, 1};
  int got[24];
  gpudata *r = zeros(sizeof got);
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
  GpuKernel k = build(text, 1, types, 0);
  size_t most, gs[4] = {1, 1, 1, 1}, ls[4] = {1, 1, 1, 1};
  gpudata *r = zeros(4);
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
  GpuKernel k = build(text, 1, types, 0);
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
  GpuKernel_clear(&k);
}

/* --- the prelude --- */

static void half_goes_both_ways(void **state) {
  static const char text[] =
      INCLUDE "WITHIN_KERNEL ga_half twice(ga_half h);\n"
              "WITHIN_KERNEL ga_half twice(ga_half h) {\n"
              "  return ga_float2half(2 * ga_half2float(h));\n}\n"
              "KERNEL void k(GLOBAL_MEM ga_half *r) {\n"
              "  ga_size i = GID_0 * LDIM_0 + LID_0;\n"
              "  r[i] = twice(r[i]);\n}";
  const int types[] = {GA_BUFFER};
  const float in[4] = {0.1f, -3.0f, 65504.0f, 6e-8f};
  GpuKernel k = build(text, 1, types, GA_USE_HALF | GA_USE_SMALL);
  ga_half_t h[4], got[4], want[4];
  gpudata *r;

  (void)state;
  for (int i = 0; i < 4; i++) {
    h[i] = ga_float2half(in[i]);
    want[i] = ga_float2half(2 * ga_half2float(h[i]));
  }
  r = gpudata_alloc(test_context(), sizeof h, h, GA_BUFFER_INIT, NULL);
  call(&k, 4, 1, (void *[]){r});
  assert_ok(gpudata_read(got, r, 0, sizeof got));
  assert_memory_equal(got, want, sizeof want);
  gpudata_release(r);
  GpuKernel_clear(&k);
}

/* 4 groups of 16 items add to one counter per type, in global memory directly
 * and through local memory. */
static void atomics_add_up(void **state) {
  test_need_group(16);
  test_need_local(64);

  static const char text[] =
      INCLUDE "KERNEL void k(GLOBAL_MEM ga_int *i, GLOBAL_MEM ga_uint *u,\n"
              "              GLOBAL_MEM ga_float *f, GLOBAL_MEM ga_half *h) {\n"
              "  LOCAL_MEM ga_int li[1];\n"
              "  LOCAL_MEM ga_float lf[1];\n"
              "  LOCAL_MEM ga_half lh[2];\n"
              "  if (LID_0 == 0) {\n"
              "    li[0] = 0; lf[0] = 0;\n"
              "    lh[0] = ga_float2half(0); lh[1] = ga_float2half(0);\n"
              "  }\n"
              "  local_barrier();\n"
              "  atom_add_il(&li[0], -1);\n"
              "  atom_add_fl(&lf[0], 0.5f);\n"
              "  atom_add_el(&lh[LID_0 & 1], ga_float2half(1));\n"
              "  local_barrier();\n"
              "  atom_add_Ig(u, 1);\n"
              "  atom_add_eg(&h[LID_0 & 1], ga_float2half(0.25f));\n"
              "  if (LID_0 == 0) {\n"
              "    atom_add_ig(i, li[0]);\n"
              "    atom_add_fg(f, lf[0]);\n"
              "    atom_xchg_eg(&h[2], lh[0]);\n"
              "    atom_xchg_eg(&h[3], lh[1]);\n"
              "    atom_xchg_ig(&i[1], 7);\n"
              "    atom_xchg_fg(&f[1], 8.0f);\n"
              "  }\n}";
  const int types[] = {GA_BUFFER, GA_BUFFER, GA_BUFFER, GA_BUFFER};
  const float want_h[4] = {8, 8, 8, 8};
  GpuKernel k = build(text, 4, types, GA_USE_HALF | GA_USE_SMALL);
  gpudata *i = zeros(8), *u = zeros(4), *f = zeros(8), *h = zeros(8);
  ga_half_t got_h[4];
  unsigned int got_u;
  float got_f[2];
  int got_i[2];

  (void)state;
  call(&k, 4, 16, (void *[]){i, u, f, h});
  assert_ok(gpudata_read(got_i, i, 0, sizeof got_i));
  assert_ok(gpudata_read(&got_u, u, 0, sizeof got_u));
  assert_ok(gpudata_read(got_f, f, 0, sizeof got_f));
  assert_ok(gpudata_read(got_h, h, 0, sizeof got_h));
  assert_int_equal(got_i[0], -64);
  assert_int_equal(got_i[1], 7);
  assert_int_equal(got_u, 64);
  assert_true(got_f[0] == 32 && got_f[1] == 8);
  for (int n = 0; n < 4; n++)
    assert_true(ga_half2float(got_h[n]) == want_h[n]);
  gpudata_release(i);
  gpudata_release(u);
  gpudata_release(f);
  gpudata_release(h);
  GpuKernel_clear(&k);
}

static void wide_atomics_add_up(void **state) {
  test_need_group(16);

  static const char text[] =
      INCLUDE "KERNEL void k(GLOBAL_MEM ga_long *l, GLOBAL_MEM ga_ulong *u,\n"
              "              GLOBAL_MEM ga_double *d) {\n"
              "  atom_add_lg(l, -0x80000000L);\n"
              "  atom_add_Lg(u, 0x80000000UL);\n"
              "  atom_add_dg(d, 0.5);\n"
              "  atom_xchg_dg(&d[1], 3.0);\n}";
  const int types[] = {GA_BUFFER, GA_BUFFER, GA_BUFFER};
  gpudata *l = NULL, *u = NULL, *d = NULL;
  double got_d[2];
  int64_t got_l;
  uint64_t got_u;
  GpuKernel k;

  (void)state;
  test_need_double();
  if (!gpucontext_caps(test_context())->int64_atomics)
    skip();
  k = build(text, 3, types, GA_USE_DOUBLE);
  l = zeros(8);
  u = zeros(8);
  d = zeros(16);
  call(&k, 4, 16, (void *[]){l, u, d});
  assert_ok(gpudata_read(&got_l, l, 0, 8));
  assert_ok(gpudata_read(&got_u, u, 0, 8));
  assert_ok(gpudata_read(got_d, d, 0, 16));
  assert_true(got_l == -(INT64_C(1) << 37));
  assert_true(got_u == UINT64_C(1) << 37);
  assert_true(got_d[0] == 32 && got_d[1] == 3);
  gpudata_release(l);
  gpudata_release(u);
  gpudata_release(d);
  GpuKernel_clear(&k);
}

static void complex_and_vectors_have_names(void **state) {
  static const char text[] =
      INCLUDE "KERNEL void k(GLOBAL_MEM ga_cfloat *c, GLOBAL_MEM ga_float4 *v)"
              "{\n  ga_cfloat z = c[0];\n"
              "  c[0].r = z.r * z.r - z.i * z.i;\n"
              "  c[0].i = 2 * z.r * z.i + GA_WARP_SIZE * 0;\n"
              "  v[0] = v[0].wzyx;\n}";
  const int types[] = {GA_BUFFER, GA_BUFFER};
  float c[2] = {1, 2}, v[4] = {1, 2, 3, 4};
  GpuKernel k = build(text, 2, types, GA_USE_COMPLEX);
  gpudata *dc = gpudata_alloc(test_context(), 8, c, GA_BUFFER_INIT, NULL);
  gpudata *dv = gpudata_alloc(test_context(), 16, v, GA_BUFFER_INIT, NULL);

  (void)state;
  call(&k, 1, 1, (void *[]){dc, dv});
  assert_ok(gpudata_read(c, dc, 0, sizeof c));
  assert_ok(gpudata_read(v, dv, 0, sizeof v));
  assert_true(c[0] == -3 && c[1] == 4 && v[0] == 4 && v[3] == 1);
  gpudata_release(dc);
  gpudata_release(dv);
  GpuKernel_clear(&k);
}

/* --- building --- */

static void texts_are_joined_by_length(void **state) {
  const char *texts[] = {INCLUDE, "KERNEL void k(GLOBAL_MEM ga_int *r)???",
                         "{ r[0] = 4; }"};
  const size_t lengths[] = {0, strlen(texts[1]) - 3, 0};
  const int types[] = {GA_BUFFER};
  gpudata *r = zeros(4);
  GpuKernel k;
  int got;

  (void)state;
  assert_ok(GpuKernel_init(&k, test_context(), 3, texts, lengths, "k", 1, types,
                           0, NULL));
  call(&k, 1, 1, (void *[]){r});
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
  GpuKernel k = build(text, 1, types, GA_USE_OPENCL);

  (void)state;
  GpuKernel_clear(&k);
}

static void the_same_text_is_built_once(void **state) {
  static const char text[] = INCLUDE "KERNEL void k(GLOBAL_MEM ga_int *r) "
                                     "{ r[0] = 123454321; }";
  const int types[] = {GA_BUFFER};
  gpucontext_counters a, b;
  GpuKernel k1 = build(text, 1, types, 0), k2;

  (void)state;
  assert_ok(gpucontext_count(test_context(), &a));
  k2 = build(text, 1, types, 0);
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
  GpuKernel k = build(text, 2, types, 0);
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
  GpuKernel k = build(text, 1, types, 0);
  long live;

  (void)state;
  GpuKernel_clear(&k); /* the program stays in memory */
  live = ga__alloc_live();
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
      cmocka_unit_test(half_goes_both_ways),
      cmocka_unit_test(atomics_add_up),
      cmocka_unit_test(wide_atomics_add_up),
      cmocka_unit_test(complex_and_vectors_have_names),
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
