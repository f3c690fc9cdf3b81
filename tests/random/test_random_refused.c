/* SPDX-License-Identifier: BSD-2-Clause */
/* Random streams that are refused, and allocations that fail. */
#include "support/device.h"

#include <stdlib.h>

#include <gpuarray/device.h>
#include <gpuarray/random.h>

#include "base/alloc.h"

static void refused_states(void **state) {
  const int32_t bad[][6] = {{0, 0, 0, 1, 1, 1},
                            {1, 1, 1, 0, 0, 0},
                            {1, 1, 2147483647, 1, 1, 1},
                            {1, 1, 1, 1, 1, 2147462579},
                            {1, -1, 1, 1, 1, 1}};
  static const char *const why[] = {
      "first three numbers are all 0", "last three numbers are all 0",
      "number 2: 2147483647 is not below 2147483647",
      "number 5: 2147462579 is not below 2147462579", "number 1: -1"};
  int32_t good[6] = {1, 0, 0, 0, 0, 1};
  GpuArray s;

  (void)state;
  assert_code(GA_VALUE_ERROR, GpuRandom_philox(&s, test_context(), 0, 0));
  assert_message(GA_VALUE_ERROR, "seed: expected at least 1, got 0");
  assert_null(s.data);
  assert_code(GA_VALUE_ERROR,
              GpuRandom_philox(&s, test_context(), 1, GA_PHILOX_STREAMS));
  for (int k = 0; k < 5; k++) {
    assert_code(GA_VALUE_ERROR,
                GpuRandom_mrg31k3p(&s, test_context(), bad[k], 1));
    assert_message(GA_VALUE_ERROR, why[k]);
  }
  assert_code(GA_VALUE_ERROR, GpuRandom_mrg31k3p(&s, test_context(), good, 0));
  assert_message(GA_VALUE_ERROR, "0 substreams");
  assert_code(GA_VALUE_ERROR, GpuRandom_mrg31k3p_jump(good, 256));
  assert_message(GA_VALUE_ERROR, "2^256 steps");
  assert_int_equal(GpuRandom_mrg31k3p_substreams(0), 1);
  assert_int_equal(GpuRandom_mrg31k3p_substreams(42), 7);
  assert_int_equal(GpuRandom_mrg31k3p_substreams((size_t)1 << 30), 15360);
}

static void refused_draws(void **state) {
  const size_t n = 4, two = 2, three = 3;
  const int32_t seed[6] = {1, 2, 3, 4, 5, 6};
  gpuelemwise_arg args[] = {{"z", GA_FLOAT, GE_WRITE},
                            {"u", GA_INT, GE_RANDOM_UNIFORM}};
  GpuArray s, a, whole, m, bad;
  GpuLaunch *l;

  (void)state;
  test_array(&s, GA_ULONG, 1, &two, (const uint64_t[]){1, 0});
  assert_ok(GpuRandom_mrg31k3p(&m, test_context(), seed, 2));
  assert_ok(GpuArray_empty(&a, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_empty(&whole, test_context(), GA_UINT, 1, &n, GA_C_ORDER));
  assert_ok(
      GpuArray_zeros(&bad, test_context(), GA_ULONG, 1, &three, GA_C_ORDER));
  assert_code(GA_VALUE_ERROR,
              GpuRandom_fill(&whole, GA_RANDOM_UNIFORM, 0, 1, &s));
  assert_message(GA_VALUE_ERROR, "uniform numbers are floats, not uint32");
  assert_code(GA_VALUE_ERROR, GpuRandom_fill(&a, GA_RANDOM_BITS, 0, 1, &s));
  assert_message(GA_VALUE_ERROR, "uint32 or uint64, not float32");
  assert_code(GA_VALUE_ERROR, GpuRandom_fill(&whole, GA_RANDOM_BITS, 1, 1, &s));
  assert_message(GA_VALUE_ERROR, "bits cannot be scaled");
  assert_code(GA_VALUE_ERROR, GpuRandom_fill(&a, (ga_random)7, 0, 1, &s));
  assert_code(GA_VALUE_ERROR,
              GpuRandom_fill(&a, GA_RANDOM_UNIFORM, 0, 1, &bad));
  assert_message(GA_VALUE_ERROR, "expected a state of Philox, uint64[2]");
  assert_code(GA_VALUE_ERROR, GpuRandom_fill(&s, GA_RANDOM_BITS, 0, 1, &s));
  assert_message(GA_VALUE_ERROR, "overlaps the result");
  assert_code(GA_VALUE_ERROR,
              GpuRandom_fill_prepare(&l, &a, GA_RANDOM_UNIFORM, 0, 1, &s, &s));
  assert_message(GA_VALUE_ERROR, "Philox do not advance the state");
  assert_code(GA_INVALID_ERROR, GpuRandom_fill_prepare(
                                    &l, &a, GA_RANDOM_UNIFORM, 0, 1, &m, NULL));
  assert_null(l);
  assert_null(GpuElemwise_new(test_context(), NULL, "z = u", 2, args, 1, 0));
  args[1].typecode = GA_FLOAT;
  args[1].flags |= GE_READ;
  assert_null(GpuElemwise_new(test_context(), NULL, "z = u", 2, args, 1, 0));
  GpuArray_clear(&a);
  GpuArray_clear(&whole);
  GpuArray_clear(&bad);
  GpuArray_clear(&m);
  GpuArray_clear(&s);
}

/* Shapes and types of what becomes counts, choices and orders. */
static void refused_samples(void **state) {
  const size_t dims[2] = {2, 3}, less[2] = {2, 2}, words = 24, n = 5;
  GpuArray z, u, p, whole, order, bits;
  GpuLaunch *l;
  gpucontext *ctx = test_context();

  (void)state;
  assert_ok(GpuArray_zeros(&z, ctx, GA_INT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&whole, ctx, GA_LONG, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&u, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&p, ctx, GA_FLOAT, 2, less, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&order, ctx, GA_LONG, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&bits, ctx, GA_UINT, 1, &words, GA_C_ORDER));
  assert_code(GA_VALUE_ERROR, GpuRandom_binomial_prepare(&l, &z, &u, &u, &p));
  assert_code(GA_VALUE_ERROR, GpuRandom_binomial_prepare(&l, &z, &z, &u, &u));
  assert_message(GA_VALUE_ERROR, "u: expected float32 or float64, got int32");
  assert_code(GA_VALUE_ERROR, GpuRandom_multinomial_prepare(&l, &z, &u, &p, 1));
  assert_message(GA_VALUE_ERROR, "p: dim 1: expected 3, got 2");
  assert_code(GA_VALUE_ERROR,
              GpuRandom_multinomial_prepare(&l, &order, &u, &u, 1));
  assert_message(GA_VALUE_ERROR, "result: expected 2 dimensions, got 1");
  assert_code(GA_VALUE_ERROR, GpuRandom_multinomial_prepare(&l, &u, &u, &u, 1));
  assert_message(GA_VALUE_ERROR, "u: overlaps the result");
  assert_code(GA_VALUE_ERROR, GpuRandom_choice_prepare(&l, &z, &u, &u));
  assert_message(GA_VALUE_ERROR, "result: expected int64, got int32");
  assert_code(GA_VALUE_ERROR, GpuRandom_choice_prepare(&l, &whole, &u, &p));
  assert_message(GA_VALUE_ERROR, "3 different numbers out of 2");
  assert_code(GA_VALUE_ERROR,
              GpuRandom_permutation_prepare(&l, &order, &bits, 4));
  assert_message(GA_VALUE_ERROR, "5 different numbers out of 4");
  assert_code(GA_VALUE_ERROR, GpuRandom_permutation_prepare(&l, &order, &u, 5));
  assert_message(GA_VALUE_ERROR, "bits: expected uint32, got float32");
  assert_null(l);
  GpuArray_clear(&z);
  GpuArray_clear(&whole);
  GpuArray_clear(&u);
  GpuArray_clear(&p);
  GpuArray_clear(&order);
  GpuArray_clear(&bits);
}

static void doubles_are_refused_without_fp64(void **state) {
  const size_t dims[2] = {2, 3};
  GpuArray z, u, z_real, u_single;
  gpucontext *ctx;
  GpuLaunch *l;

  (void)state;
  test_context();
  setenv("GPUARRAY_NO_FP64", "1", 1);
  assert_ok(gpucontext_open(&ctx, NULL));
  unsetenv("GPUARRAY_NO_FP64");
  assert_ok(GpuArray_empty(&z, ctx, GA_LONG, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_empty(&u, ctx, GA_DOUBLE, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_empty(&z_real, ctx, GA_DOUBLE, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_empty(&u_single, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_code(GA_DEVSUP_ERROR,
              GpuRandom_multinomial_prepare(&l, &z, &u, &u, 1));
  assert_message(GA_DEVSUP_ERROR, "u: the device has no float64");
  assert_code(GA_DEVSUP_ERROR, GpuRandom_choice_prepare(&l, &z, &u, &u));
  assert_message(GA_DEVSUP_ERROR, "u: the device has no float64");
  assert_code(GA_DEVSUP_ERROR, GpuRandom_multinomial_prepare(
                                   &l, &z_real, &u_single, &u_single, 1));
  assert_message(GA_DEVSUP_ERROR, "result: the device has no float64");
  GpuArray_clear(&z);
  GpuArray_clear(&u);
  GpuArray_clear(&z_real);
  GpuArray_clear(&u_single);
  gpucontext_deref(ctx);
}

/* --- failed allocations --- */

typedef int prepare_fn(GpuLaunch **out, GpuArray *z, const GpuArray *s);

static int prepare_epilogue(GpuLaunch **out, GpuArray *z, const GpuArray *s) {
  const gpuelemwise_arg arg = {"z", GA_FLOAT, GE_WRITE};
  const GpuEpilogue e = {
      .text = "z = acc", .n_args = 1, .args = &arg, .flags = GE_VECTOR};

  return GpuRandom_epilogue_prepare(out, GA_RANDOM_UNIFORM, GA_FLOAT, s, &e,
                                    (void *[]){z});
}

static int prepare_binomial(GpuLaunch **out, GpuArray *z, const GpuArray *u) {
  return GpuRandom_binomial_prepare(out, z, u, u, u);
}

/* The state is its own successor. */
static int prepare_mrg(GpuLaunch **out, GpuArray *z, const GpuArray *s) {
  return GpuRandom_fill_prepare(out, z, GA_RANDOM_UNIFORM, 0, 1, s,
                                (GpuArray *)s);
}

static void check_failures(prepare_fn *prepare, GpuArray *z,
                           const GpuArray *in) {
  int err = GA_MEMORY_ERROR;
  GpuLaunch *l;

  assert_ok(prepare(&l, z, in)); /* the program stays in memory */
  GpuLaunch_free(l);
  const long live = ga__alloc_live();
  for (long n = 1; err != GA_NO_ERROR; n++) {
    ga__alloc_fail(n, 0);
    err = prepare(&l, z, in);
    ga__alloc_fail(0, 0);
    assert_true(err == GA_NO_ERROR || err == GA_MEMORY_ERROR);
    if (err != GA_NO_ERROR)
      assert_null(l);
    GpuLaunch_free(l);
    assert_int_equal(ga__alloc_live(), live);
  }
}

static void failed_allocations(void **state) {
  const int32_t seed[6] = {1, 2, 3, 4, 5, 6};
  const size_t n = 100, two = 2;
  GpuArray philox, mrg, u, z;

  (void)state;
  test_array(&philox, GA_ULONG, 1, &two, (const uint64_t[]){99, 5});
  assert_ok(GpuRandom_mrg31k3p(&mrg, test_context(), seed, 2));
  assert_ok(GpuArray_zeros(&u, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&z, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
  check_failures(prepare_epilogue, &z, &philox);
  check_failures(prepare_binomial, &z, &u);
  check_failures(prepare_mrg, &z, &mrg);
  GpuArray_clear(&z);
  GpuArray_clear(&u);
  GpuArray_clear(&mrg);
  GpuArray_clear(&philox);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refused_states),
      cmocka_unit_test(refused_draws),
      cmocka_unit_test(refused_samples),
      cmocka_unit_test(doubles_are_refused_without_fp64),
      cmocka_unit_test(failed_allocations),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
