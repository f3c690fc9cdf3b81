/* SPDX-License-Identifier: BSD-2-Clause */
/* Subnormal numbers: functions flush them on CPUs unless they are told to keep
 * them; nobody else does. */
#include <gpuarray/create.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>
#include <gpuarray/util.h>
#include <string.h>

#include "support/graph_case.h"

static const float tiny[3] = {0x1p-130f, -0x1p-140f, 1}; /* two are subnormal */
static const float twice[3] = {0x1p-129f, -0x1p-139f, 2},
                   flushed[3] = {0, 0, 2};

/* PoCL does what it is asked to; of other drivers either result is right. */
static int is_pocl(void) {
  char name[256] = "";

  assert_ok(gpucontext_property(test_context(), GA_CTX_PROP_DEVNAME, name));
  return strncmp(name, "pthread-", 8) == 0 || strncmp(name, "cpu-", 4) == 0;
}

static int is_kept(const GpuArray *x) {
  float v[3];

  assert_ok(GpuArray_read(v, sizeof v, x));
  if (memcmp(v, twice, sizeof v) == 0)
    return 1;
  for (int i = 0; i < 3; i++)
    assert_true(v[i] == flushed[i]); /* of either sign */
  return 0;
}

/* y of x, which holds `tiny`, is twice that; by a function of these flags. */
static void check(gg_var *x, gg_var *y, gg_mode mode, int flags, int kept) {
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = GG_VARS(y),
                                            .mode = mode,
                                            .flags = flags});

  float_vector(&a, 3, tiny);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  if (kept || is_pocl())
    assert_int_equal(is_kept(&out), kept);
  gg_func_free(f);
  GpuArray_clear(&a);
}

static void check_both(gg_var *x, gg_var *y) {
  const int is_cpu = gpucontext_caps(test_context())->is_cpu;

  check(x, y, GG_FAST_RUN, GG_KEEP_SUBNORMALS, 1);
  check(x, y, GG_FAST_RUN, 0, !is_cpu);
}

/* --- kernels of each kind --- */

static void test_map(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);

  (void)state;
  check_both(x, gg_add(x, x));
}

static void test_reduction(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *ones = gg_shared_host(g, "ones", GA_FLOAT, 2, (size_t[]){2, 1},
                                (const float[]){1, 1});
  gg_var *two = gg_mul(gg_dimshuffle(x, 2, (int[]){-1, 0}), ones);

  (void)state;
  check_both(x, gg_sum_axis(two, 0));
}

static void test_product(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  const float m[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};

  (void)state;
  check_both(
      x, gg_dot(gg_shared_host(g, "m", GA_FLOAT, 2, (size_t[]){3, 3}, m), x));
}

static gg_var *double_row(void *arg, gg_var *row) {
  (void)arg;
  return gg_add(row, row);
}

static void test_loop(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);

  (void)state;
  check_both(x, gg_map(double_row, NULL, x));
}

/* --- who keeps them --- */

/* Debug mode compares with the host, which has them. */
static void test_debug(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);

  (void)state;
  check(x, gg_add(x, x), GG_DEBUG, 0, 1);
}

static void test_copies(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = GG_VARS(gg_add(x, x)),
                                            .flags = GG_KEEP_SUBNORMALS});
  gg_func *copy;

  (void)state;
  assert_ok(gg_func_copy(&copy, f, &(gg_copy_spec){.name = "copy"}));
  gg_func_free(f);
  float_vector(&a, 3, tiny);
  func_run(copy, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_true(is_kept(&out));
  gg_func_free(copy);
}

/* The same kernel of an array call, and the arithmetic of this thread, after a
 * function has run. */
static void test_array_calls(void **state) {
  gpuelemwise_arg args[] = {{"x", GA_FLOAT, GE_READ},
                            {"y", GA_FLOAT, GE_WRITE}};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  volatile float half = 1e-39f;
  const size_t n = 3;

  (void)state;
  check_both(x, gg_add(x, x));
  half *= 0.5f;
  assert_true(half != 0);
  GpuElemwise *ge =
      GpuElemwise_new(test_context(), NULL, "y = x + x;", 2, args, 1, 0);
  assert_non_null(ge);
  float_vector(&a, 3, tiny);
  assert_ok(GpuArray_empty(&b, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
  assert_ok(GpuElemwise_call(ge, (void *[]){&a, &b}, 0));
  assert_true(is_kept(&b));
  GpuElemwise_free(ge);
}

/* Small halfs are ordinary floats. */
static void test_half(void **state) {
  const ga_half_t v[3] = {ga_float2half(1e-6f), ga_float2half(-6e-8f),
                          ga_float2half(1)};
  gg_var *x = gg_input(g, "x", GA_HALF, 1);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = GG_VARS(gg_add(x, x))});
  const size_t n = 3;
  ga_half_t got[3];

  (void)state;
  assert_ok(GpuArray_empty(&a, test_context(), GA_HALF, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_write(&a, v, sizeof v));
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_ok(GpuArray_read(got, sizeof got, &out));
  for (int i = 0; i < 3; i++)
    assert_true(ga_half2float(got[i]) == 2 * ga_half2float(v[i]));
  gg_func_free(f);
}

/* Those of bfloats are those of floats. */
static void test_bfloat(void **state) {
  static const uint16_t v[3] = {0x0001, 0x8020, 0x3f80},
                        want[3] = {0x0002, 0x8040, 0x4000};
  gg_var *x = gg_input(g, "x", GA_BFLOAT, 1);
  const size_t n = 3;

  (void)state;
  assert_ok(GpuArray_empty(&a, test_context(), GA_BFLOAT, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_write(&a, v, sizeof v));
  for (int flags = 0; flags <= GG_KEEP_SUBNORMALS;
       flags += GG_KEEP_SUBNORMALS) {
    gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                              .outputs = GG_VARS(gg_add(x, x)),
                                              .flags = flags});
    uint16_t got[3];

    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    assert_ok(GpuArray_read(got, sizeof got, &out));
    for (int i = 0; i < 3; i++)
      assert_true(got[i] == want[i] ||
                  (flags == 0 && i < 2 && (got[i] & 0x7fff) == 0));
    gg_func_free(f);
    GpuArray_clear(&out);
  }
}

/* The setting is of the thread, and is handed back. */
static void test_setting(void **state) {
  (void)state;
  assert_false(GpuLaunch_flush_subnormals(5));
  assert_int_equal(GpuLaunch_flush_subnormals(0), 1);
  assert_false(GpuLaunch_flush_subnormals(0));
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_map),         TEST(test_reduction), TEST(test_product),
      TEST(test_loop),        TEST(test_debug),     TEST(test_copies),
      TEST(test_array_calls), TEST(test_half),      TEST(test_bfloat),
      TEST(test_setting),
  };

  return cmocka_run_group_tests_name("subnormals", tests, NULL,
                                     test_context_drop);
}
