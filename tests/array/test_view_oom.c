/* SPDX-License-Identifier: BSD-2-Clause */
/* Every allocation of the functions that make arrays fails once: the code is
 * GA_MEMORY_ERROR, outputs are zeroed or unchanged, nothing leaks. */
#include "support/device.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

static GpuArray source; /* [3, 4] float32 */
static FILE *sink;

typedef int (*maker)(GpuArray *out);

static const size_t dims[2] = {3, 4}, other[2] = {2, 6};

static int make_empty(GpuArray *out) {
  return GpuArray_empty(out, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER);
}

static int make_zeros(GpuArray *out) {
  return GpuArray_zeros(out, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER);
}

static int make_fromdata(GpuArray *out) {
  return GpuArray_fromdata(out, source.data, 0, GA_FLOAT, 2, dims,
                           source.strides, 1);
}

static int make_view(GpuArray *out) {
  return GpuArray_view(out, &source);
}

static int make_index(GpuArray *out) {
  static const ssize_t starts[2] = {0, 1}, stops[2] = {3, 4}, steps[2] = {2, 1};

  return GpuArray_index(out, &source, starts, stops, steps);
}

static int make_reshape(GpuArray *out) {
  return GpuArray_reshape(out, &source, 2, other, GA_C_ORDER, 1);
}

static int make_transpose(GpuArray *out) {
  return GpuArray_transpose(out, &source, NULL);
}

static int make_split(GpuArray *out) {
  GpuArray rest[2], *parts[3] = {out, &rest[0], &rest[1]};
  size_t points[2] = {1, 3};
  int err = GpuArray_split(parts, &source, 2, points, 1);

  GpuArray_clear(&rest[0]);
  GpuArray_clear(&rest[1]);
  return err;
}

static int dump(GpuArray *out) {
  memset(out, 0, sizeof *out);
  return GpuArray_fdump(sink, &source);
}

static const maker makers[] = {make_empty,     make_zeros, make_fromdata,
                               make_view,      make_index, make_reshape,
                               make_transpose, make_split, dump};

/* Run `make` with the n-th allocation failing, for every n that it reaches. */
static void sweep(maker make) {
  static const GpuArray zero;
  GpuArray out;
  long n;

  for (n = 1; n < 100; n++) {
    long live = ga__alloc_live();
    ga__alloc_fail(n, 1);
    int err = make(&out);
    ga__alloc_fail(0, 0);
    if (err == GA_NO_ERROR)
      break;
    assert_int_equal(err, GA_MEMORY_ERROR);
    assert_memory_equal(&out, &zero, sizeof zero);
    assert_int_equal(ga__alloc_live(), live);
  }
  assert_true(n > 1); /* it does allocate */
  assert_true(n < 100);
  GpuArray_clear(&out);
}

static void test_every_allocation(void **state) {
  GpuArray warm;

  (void)state;
  sink = fopen("/dev/null", "w");
  assert_non_null(sink);
  assert_ok(make_zeros(&source));
  for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
    assert_ok(makers[i](&warm)); /* pools are filled now */
    GpuArray_clear(&warm);
    sweep(makers[i]);
  }
  GpuArray_clear(&source);
  fclose(sink);
}

/* In place: a failure leaves the array as it was. */
static void test_inplace_is_atomic(void **state) {
  static const ssize_t starts[2] = {0, 1}, stops[2] = {3, 4}, steps[2] = {2, 1};
  GpuArray a;

  (void)state;
  assert_ok(make_zeros(&a));
  GpuArray before = a;
  for (long n = 1; n <= 2; n++) {
    ga__alloc_fail(n, 1);
    assert_int_equal(GpuArray_index_inplace(&a, starts, stops, steps),
                     GA_MEMORY_ERROR);
    ga__alloc_fail(n, 1);
    assert_int_equal(GpuArray_reshape_inplace(&a, 2, other, GA_C_ORDER),
                     GA_MEMORY_ERROR);
    ga__alloc_fail(n, 1);
    assert_int_equal(GpuArray_transpose_inplace(&a, NULL), GA_MEMORY_ERROR);
    ga__alloc_fail(0, 0);
    assert_memory_equal(&a, &before, sizeof a);
  }
  GpuArray_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_allocation),
      cmocka_unit_test(test_inplace_is_atomic),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
