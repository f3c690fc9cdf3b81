/* SPDX-License-Identifier: BSD-2-Clause */
/* The dialect of users' kernels: its words, half, atomics, complex numbers. */
#include "support/device.h"
#include "support/kernel.h"

#include <math.h>

#include <gpuarray/device.h>
#include <gpuarray/util.h>

#define INCLUDE "#include \"cluda.h\"\n"

static void every_word_is_there(void **state) {
  test_need_group(2);
  test_need_local(64);

  static const char text[] = INCLUDE
      "#ifndef CLUDA_H\n#error no CLUDA_H\n#endif\n"
      "WITHIN_KERNEL ga_int swap(LOCAL_MEM_ARG ga_int *p, ga_size i);\n"
      "WITHIN_KERNEL ga_int swap(LOCAL_MEM_ARG ga_int *p, ga_size i) {\n"
      "  return p[1 - i];\n}\n"
      "KERNEL void k(GLOBAL_MEM ga_int *r) {\n"
      "  LOCAL_MEM ga_int v[2];\n"
      "  ga_int at = (GID_2 * LDIM_2 + LID_2) * 2 + LID_0;\n"
      "  v[LID_0] = GDIM_2 * 100 + GDIM_1 * 10 + at;\n"
      "  local_barrier();\n"
      "  if (r != NULL)\n"
      "    r[at] = swap(v, LID_0);\n}";
  const int types[] = {GA_BUFFER}, want[6] = {311, 310, 313, 312, 315, 314};
  const size_t gs[3] = {1, 1, 3}, ls[3] = {2, 1, 1};
  GpuKernel k = test_kernel(text, 1, types, 0);
  gpudata *r = test_zeros(sizeof want);
  int got[6];

  (void)state;
  assert_ok(GpuKernel_call(&k, 3, gs, ls, 0, (void *[]){r}));
  assert_ok(gpudata_read(got, r, 0, sizeof got));
  assert_memory_equal(got, want, sizeof want);
  gpudata_release(r);
  GpuKernel_clear(&k);
}

static void c_names_are_there(void **state) {
  static const char text[] =
      INCLUDE "KERNEL void k(GLOBAL_MEM ga_float *r) {\n"
              "  r[0] = floorf(r[0]) + fmodf(7.5f, 2) + fabsf(-1.0f)\n"
              "    + powf(2, 3) + fmaxf(1, 2) + truncf(-0.5f);\n}";
  const int types[] = {GA_BUFFER};
  GpuKernel k = test_kernel(text, 1, types, 0);
  float v = -2.5f;
  gpudata *r =
      gpudata_alloc(test_context(), sizeof v, &v, GA_BUFFER_INIT, NULL);

  (void)state;
  test_call(&k, 1, 1, (void *[]){r});
  assert_ok(gpudata_read(&v, r, 0, sizeof v));
  assert_true(v == -3 + 1.5f + 1 + 8 + 2);
  gpudata_release(r);
  GpuKernel_clear(&k);
}

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
  GpuKernel k = test_kernel(text, 1, types, GA_USE_HALF | GA_USE_SMALL);
  ga_half_t h[4], got[4], want[4];

  (void)state;
  for (int i = 0; i < 4; i++) {
    h[i] = ga_float2half(in[i]);
    want[i] = ga_float2half(2 * ga_half2float(h[i]));
  }
  gpudata *r = gpudata_alloc(test_context(), sizeof h, h, GA_BUFFER_INIT, NULL);
  test_call(&k, 4, 1, (void *[]){r});
  assert_ok(gpudata_read(got, r, 0, sizeof got));
  assert_memory_equal(got, want, sizeof want);
  gpudata_release(r);
  GpuKernel_clear(&k);
}

static void bfloat_goes_both_ways(void **state) {
  static const char text[] =
      INCLUDE "KERNEL void k(GLOBAL_MEM ga_bfloat *r, ga_bfloat s) {\n"
              "  ga_size i = GID_0 * LDIM_0 + LID_0;\n"
              "  r[i] = ga_float2bfloat(ga_bfloat2float(r[i])\n"
              "                         * ga_bfloat2float(s));\n}";
  const int types[] = {GA_BUFFER, GA_BFLOAT};
  const float in[4] = {0.1f, -3e38f, NAN, 1e-40f};
  GpuKernel k = test_kernel(text, 2, types, GA_USE_SMALL);
  ga_bfloat_t b[4], got[4], want[4], s = ga_float2bfloat(2.5f);

  (void)state;
  for (int i = 0; i < 4; i++) {
    b[i] = ga_float2bfloat(in[i]);
    want[i] = ga_float2bfloat(ga_bfloat2float(s) * ga_bfloat2float(b[i]));
  }
  gpudata *r = gpudata_alloc(test_context(), sizeof b, b, GA_BUFFER_INIT, NULL);
  test_call(&k, 4, 1, (void *[]){r, &s});
  assert_ok(gpudata_read(got, r, 0, sizeof got));
  test_close(GA_BFLOAT, got, want, 4, 0, 0);
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
  GpuKernel k = test_kernel(text, 4, types, GA_USE_HALF | GA_USE_SMALL);
  gpudata *i = test_zeros(8), *u = test_zeros(4), *f = test_zeros(8),
          *h = test_zeros(8);
  ga_half_t got_h[4];
  unsigned int got_u;
  float got_f[2];
  int got_i[2];

  (void)state;
  test_call(&k, 4, 16, (void *[]){i, u, f, h});
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

  (void)state;
  test_need_double();
  if (!gpucontext_caps(test_context())->int64_atomics)
    skip();
  GpuKernel k = test_kernel(text, 3, types, GA_USE_DOUBLE);
  l = test_zeros(8);
  u = test_zeros(8);
  d = test_zeros(16);
  test_call(&k, 4, 16, (void *[]){l, u, d});
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
  GpuKernel k = test_kernel(text, 2, types, GA_USE_COMPLEX);
  gpudata *dc = gpudata_alloc(test_context(), 8, c, GA_BUFFER_INIT, NULL);
  gpudata *dv = gpudata_alloc(test_context(), 16, v, GA_BUFFER_INIT, NULL);

  (void)state;
  test_call(&k, 1, 1, (void *[]){dc, dv});
  assert_ok(gpudata_read(c, dc, 0, sizeof c));
  assert_ok(gpudata_read(v, dv, 0, sizeof v));
  assert_true(c[0] == -3 && c[1] == 4 && v[0] == 4 && v[3] == 1);
  gpudata_release(dc);
  gpudata_release(dv);
  GpuKernel_clear(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_word_is_there),
      cmocka_unit_test(c_names_are_there),
      cmocka_unit_test(half_goes_both_ways),
      cmocka_unit_test(bfloat_goes_both_ways),
      cmocka_unit_test(atomics_add_up),
      cmocka_unit_test(wide_atomics_add_up),
      cmocka_unit_test(complex_and_vectors_have_names),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
