/* SPDX-License-Identifier: BSD-2-Clause */
/* Collapsing keeps every address, in order, and merges all it can. */
#include "support/device.h"

#include <string.h>

#include <gpuarray/util.h>

enum { ND = 6, ARGS = 3, MAX_ELEMENTS = 4096 };

static uint32_t seed = 7;

static unsigned int pick(unsigned int n) {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) % n;
}

static ssize_t address(size_t i, unsigned int nd, const size_t *dims,
                       const ssize_t *strides) {
  ssize_t off = 0;

  for (unsigned int k = nd; k-- > 0;) {
    off += (ssize_t)(i % dims[k]) * strides[k];
    i /= dims[k];
  }
  return off;
}

static size_t product(unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int k = 0; k < nd; k++)
    n *= dims[k];
  return n;
}

static void test_addresses_stay(void **state) {
  ssize_t before[ARGS][ND], after[ARGS][ND], *strs[ARGS + 1];
  size_t dims[ND], new_dims[ND], n, i;

  (void)state;
  for (unsigned int round = 0; round < 300; round++) {
    unsigned int nd = 1 + pick(ND);
    for (unsigned int k = 0; k < nd; k++)
      dims[k] = 1 + pick(4);
    for (unsigned int j = 0; j < ARGS; j++) {
      ssize_t step = pick(2) ? 4 : -4;

      for (unsigned int k = nd; k-- > 0;) {
        before[j][k] = pick(8) ? step : 0;
        step *= (ssize_t)dims[k] + (pick(8) == 0);
      }
      strs[j] = after[j];
    }
    strs[ARGS] = NULL; /* a scalar */
    memcpy(after, before, sizeof after);
    memcpy(new_dims, dims, sizeof dims);
    unsigned int new_nd = nd;
    gpuarray_elemwise_collapse(ARGS + 1, &new_nd, new_dims, strs);
    assert_true(new_nd >= 1 && new_nd <= nd);
    n = product(nd, dims);
    assert_int_equal(product(new_nd, new_dims), n);
    for (unsigned int j = 0; j < ARGS; j++) {
      for (i = 0; i < n; i++)
        assert_int_equal(address(i, nd, dims, before[j]),
                         address(i, new_nd, new_dims, after[j]));
    }
  }
}

static void test_contiguous_becomes_one(void **state) {
  ssize_t a[4] = {48, 48, 16, 4}, b[4] = {-48, 9, -16, -4}, c[4] = {0, 0, 0, 0};
  ssize_t *strs[3] = {a, b, c};
  size_t dims[4] = {2, 1, 3, 4};
  unsigned int nd = 4;

  (void)state;
  gpuarray_elemwise_collapse(3, &nd, dims, strs);
  assert_int_equal(nd, 1);
  assert_int_equal(dims[0], 24);
  assert_int_equal(a[0], 4);
  assert_int_equal(b[0], -4);
  assert_int_equal(c[0], 0);
}

static void test_one_gap_keeps_two(void **state) {
  ssize_t a[3] = {48, 16, 4}, b[3] = {60, 20, 4};
  ssize_t *strs[2] = {a, b};
  size_t dims[3] = {2, 3, 4};
  unsigned int nd = 3;

  (void)state;
  gpuarray_elemwise_collapse(2, &nd, dims, strs);
  assert_int_equal(nd, 2);
  assert_int_equal(dims[0], 6);
  assert_int_equal(dims[1], 4);
  assert_int_equal(b[0], 20);
}

static void test_small_ranks(void **state) {
  ssize_t a[2] = {4, 8}, *strs[1] = {a};
  size_t dims[2] = {1, 1};
  unsigned int nd = 2;

  (void)state;
  gpuarray_elemwise_collapse(1, &nd, dims, strs);
  assert_int_equal(nd, 1);
  assert_int_equal(dims[0], 1);
  gpuarray_elemwise_collapse(1, &nd, dims, strs);
  assert_int_equal(nd, 1);
  nd = 0;
  gpuarray_elemwise_collapse(1, &nd, dims, strs);
  assert_int_equal(nd, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_addresses_stay),
      cmocka_unit_test(test_contiguous_becomes_one),
      cmocka_unit_test(test_one_gap_keeps_two),
      cmocka_unit_test(test_small_ranks),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
