/* SPDX-License-Identifier: BSD-2-Clause */
/* Views against a model on the host: an element's value is its position in C
 * order, so what a view shows tells where it looks. */
#include "support/device.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ND = 8, MAX_ELEMENTS = 6561 };

static uint32_t seed;

static unsigned int pick(unsigned int n) {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) % n;
}

static size_t product(unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int k = 0; k < nd; k++)
    n *= dims[k];
  return n;
}

/* An int32 array of rank `nd` counting up in C order, laid out at random: axes
 * permuted, gaps, negative strides, sizes from `least` on. */
static void random_array(GpuArray *a, unsigned int nd, size_t least) {
  int32_t data[MAX_ELEMENTS];
  size_t dims[ND], n, i;
  ssize_t strides[ND], step = 1;
  unsigned int order[ND] = {0}, k;

  for (k = 0; k < nd; k++) {
    unsigned int j = pick(k + 1);

    dims[k] = least + pick(nd > 5 ? 2 : 3);
    order[k] = order[j];
    order[j] = k;
  }
  for (k = 0; k < nd; k++) {
    unsigned int axis = order[k];

    strides[axis] = pick(2) ? step : -step;
    step *= (ssize_t)(dims[axis] ? dims[axis] : 1) + (ssize_t)pick(2);
  }
  n = product(nd, dims);
  for (i = 0; i < n; i++)
    data[i] = (int32_t)i;
  test_array_strided(a, GA_INT, nd, dims, strides, data);
}

/* Split a C position into an index per axis. */
static void unravel(size_t i, unsigned int nd, const size_t *dims,
                    size_t *index) {
  for (unsigned int k = nd; k-- > 0;) {
    index[k] = i % dims[k];
    i /= dims[k];
  }
}

static void assert_zeroed(const GpuArray *a) {
  static const GpuArray zero;

  assert_memory_equal(a, &zero, sizeof zero);
}

static void test_view_is_equal_and_apart(void **state) {
  int32_t got[MAX_ELEMENTS];
  unsigned int refs;
  GpuArray a, v;

  (void)state;
  for (unsigned int nd = 0; nd <= ND; nd++) {
    random_array(&a, nd, 1);
    assert_ok(GpuArray_view(&v, &a));
    assert_ok(gpudata_property(a.data, GA_BUFFER_PROP_REFCNT, &refs));
    assert_int_equal(refs, 2);
    assert_ptr_not_equal(a.dimensions, v.dimensions);
    GpuArray_clear(&a);
    assert_zeroed(&a);
    test_gather(&v, got); /* the view keeps the data alive */
    for (size_t i = 0; i < test_size(&v); i++)
      assert_int_equal(got[i], i);
    GpuArray_clear(&v);
  }
}

/* Slices that are valid for a size: `*n` is how many indices they take. */
static void random_slice(size_t size, ssize_t *start, ssize_t *stop,
                         ssize_t *step, size_t *n) {
  ssize_t s;

  *step = (ssize_t)pick(3) + 1;
  *start = (ssize_t)pick((unsigned int)size + 1);
  *stop = *start + (ssize_t)pick((unsigned int)(size - (size_t)*start) + 1);
  if (pick(2)) { /* the same range, downwards */
    s = *start;
    *start = *stop - 1;
    *stop = s - 1;
    *step = -*step;
  }
  *n = 0;
  for (s = *start; *step > 0 ? s < *stop : s > *stop; s += *step)
    ++*n;
}

static void check_random_index(unsigned int nd) {
  ssize_t starts[ND], stops[ND], steps[ND];
  size_t index[ND], dims[ND], n[ND], total, i, want;
  int32_t got[MAX_ELEMENTS];
  unsigned int k, kept = 0;
  GpuArray a, r;

  random_array(&a, nd, 0);
  for (k = 0; k < nd; k++) {
    random_slice(a.dimensions[k], &starts[k], &stops[k], &steps[k], &n[k]);
    if (a.dimensions[k] > 0 && pick(4) == 0) {
      starts[k] = (ssize_t)pick((unsigned int)a.dimensions[k]);
      steps[k] = 0;
      n[k] = 1;
    }
    if (steps[k] != 0)
      dims[kept++] = n[k];
  }
  assert_ok(GpuArray_index(&r, &a, starts, stops, steps));
  assert_int_equal(r.nd, kept);
  if (kept > 0)
    assert_memory_equal(r.dimensions, dims, kept * sizeof dims[0]);
  total = product(nd, n);
  assert_int_equal(test_size(&r), total);
  test_gather(&r, got);
  for (i = 0; i < total; i++) {
    unravel(i, nd, n, index);
    for (want = 0, k = 0; k < nd; k++)
      want = want * a.dimensions[k] +
             (size_t)(starts[k] + (ssize_t)index[k] * steps[k]);
    assert_int_equal(got[i], want);
  }
  assert_ok(GpuArray_index_inplace(&a, starts, stops, steps));
  test_array_equal(&a, got);
  assert_int_equal(a.flags, r.flags);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
}

static void test_index_matches_model(void **state) {
  (void)state;
  for (unsigned int nd = 0; nd <= ND; nd++) {
    for (unsigned int round = 0; round < 20; round++)
      check_random_index(nd);
  }
}

static void test_index_refuses_outside(void **state) {
  static const ssize_t bad[][3] = {
      {0, 4, 1},  {-1, 3, 1}, {2, 1, 1},   {4, 4, 1},         {3, 0, 0},
      {-1, 0, 0}, {3, 0, -1}, {0, -2, -1}, {1, 2, -1},        {3, -1, -1},
      {0, 4, 9},  {0, -9, 1}, {4, 4, -1},  {0, SSIZE_MAX, 1},
  };
  int32_t data[3] = {0, 1, 2};
  size_t dim = 3;
  GpuArray a, r;

  (void)state;
  test_array(&a, GA_INT, 1, &dim, data);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    memset(&r, 0xff, sizeof r);
    assert_code(GA_VALUE_ERROR,
                GpuArray_index(&r, &a, &bad[i][0], &bad[i][1], &bad[i][2]));
    assert_zeroed(&r);
    assert_code(GA_VALUE_ERROR,
                GpuArray_index_inplace(&a, &bad[i][0], &bad[i][1], &bad[i][2]));
    test_array_equal(&a, data);
  }
  assert_code(GA_VALUE_ERROR,
              GpuArray_index(&r, &a, &bad[0][0], &bad[0][1], &bad[0][2]));
  assert_message(GA_VALUE_ERROR, "dim 0: slice 0:4:1 of size 3");
  assert_code(GA_VALUE_ERROR, GpuArray_index(&r, &a, NULL, NULL, NULL));
  GpuArray_clear(&a);
}

static void test_index_takes_huge_steps(void **state) {
  ssize_t start = 1, stop = 3, step = SSIZE_MAX;
  int32_t data[3] = {7, 8, 9}, got;
  size_t dim = 3;
  GpuArray a, r;

  (void)state;
  test_array(&a, GA_INT, 1, &dim, data);
  assert_ok(GpuArray_index(&r, &a, &start, &stop, &step));
  assert_int_equal(r.dimensions[0], 1);
  test_gather(&r, &got);
  assert_int_equal(got, 8);
  GpuArray_clear(&r);
  step = -SSIZE_MAX - 1;
  stop = -1;
  assert_ok(GpuArray_index(&r, &a, &start, &stop, &step));
  assert_int_equal(r.dimensions[0], 1);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
}

/* Position in C order of the element at Fortran position `i`. */
static size_t fortran_to_c(size_t i, unsigned int nd, const size_t *dims) {
  size_t index[ND], pos = 0;

  for (unsigned int k = 0; k < nd; k++) {
    index[k] = i % dims[k];
    i /= dims[k];
  }
  for (unsigned int k = 0; k < nd; k++)
    pos = pos * dims[k] + index[k];
  return pos;
}

/* Sizes with product `total` and rank `nd`, with some of size 1. */
static void random_dims(size_t total, unsigned int nd, size_t *dims) {
  static const size_t primes[] = {2, 3};

  for (unsigned int k = 0; k < nd; k++)
    dims[k] = 1;
  for (unsigned int i = 0; i < 2; i++) {
    while (total % primes[i] == 0) {
      dims[pick(nd)] *= primes[i];
      total /= primes[i];
    }
  }
  assert_int_equal(total, 1);
}

/* A reshape that succeeds keeps the elements in the given order. Returns
 * whether it did. */
static int check_random_reshape(unsigned int nd, ga_order ord) {
  unsigned int to_nd = nd == 0 ? pick(3) : 1 + pick(ND);
  int32_t got[MAX_ELEMENTS];
  size_t dims[ND], n, i;
  GpuArray a, r;

  random_array(&a, nd, 1);
  n = test_size(&a);
  random_dims(n, to_nd, dims);
  int err = GpuArray_reshape(&r, &a, to_nd, dims, ord, 1);
  if (err == GA_COPY_ERROR) {
    assert_zeroed(&r);
    assert_code(GA_COPY_ERROR, GpuArray_reshape_inplace(&a, to_nd, dims, ord));
    GpuArray_clear(&a);
    return 0;
  }
  assert_ok(err);
  assert_int_equal(r.nd, to_nd);
  assert_ptr_equal(r.data, a.data);
  test_gather(&r, got);
  for (i = 0; i < n; i++) {
    if (ord == GA_C_ORDER)
      assert_int_equal(got[i], i);
    else
      assert_int_equal(got[fortran_to_c(i, to_nd, dims)],
                       fortran_to_c(i, a.nd, a.dimensions));
  }
  assert_ok(GpuArray_reshape_inplace(&a, to_nd, dims, ord));
  test_array_equal(&a, got);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
  return 1;
}

static void test_reshape_matches_model(void **state) {
  unsigned int done = 0, refused = 0;

  (void)state;
  for (unsigned int nd = 0; nd <= ND; nd++) {
    for (unsigned int round = 0; round < 40; round++) {
      if (check_random_reshape(nd, pick(2) ? GA_C_ORDER : GA_F_ORDER))
        done++;
      else
        refused++;
    }
  }
  /* Both ways must have been taken, or this test shows nothing. */
  assert_true(done > 40);
  assert_true(refused > 40);
}

/* Reshapes of contiguous arrays never need a copy. */
static void test_reshape_of_contiguous(void **state) {
  int32_t data[24];
  size_t dims[ND], from[3] = {2, 3, 4};
  GpuArray a, r;

  (void)state;
  for (int i = 0; i < 24; i++)
    data[i] = i;
  for (unsigned int round = 0; round < 60; round++) {
    ga_order ord = round % 2 ? GA_C_ORDER : GA_F_ORDER;
    int flag = ord == GA_C_ORDER ? GA_C_CONTIGUOUS : GA_F_CONTIGUOUS;

    assert_ok(GpuArray_empty(&a, test_context(), GA_INT, 3, from, ord));
    assert_ok(GpuArray_write(&a, data, sizeof data));
    unsigned int nd = 1 + pick(ND);
    random_dims(24, nd, dims);
    assert_ok(GpuArray_reshape(&r, &a, nd, dims, ord, 1));
    assert_true(GpuArray_CHKFLAGS(&r, flag));
    GpuArray_clear(&r);
    assert_ok(GpuArray_reshape(&r, &a, nd, dims, GA_ANY_ORDER, 1));
    assert_true(GpuArray_CHKFLAGS(&r, flag));
    GpuArray_clear(&r);
    GpuArray_clear(&a);
  }
}

static void test_reshape_copies_if_it_may(void **state) {
  size_t from[2] = {3, 4}, to[1] = {12}, i;
  int32_t data[12], got[12];
  GpuArray a, t, r;

  (void)state;
  for (i = 0; i < 12; i++)
    data[i] = (int32_t)i;
  test_array(&a, GA_INT, 2, from, data);
  assert_ok(GpuArray_transpose(&t, &a, NULL));
  assert_code(GA_COPY_ERROR, GpuArray_reshape(&r, &t, 1, to, GA_C_ORDER, 1));
  assert_ok(GpuArray_reshape(&r, &t, 1, to, GA_C_ORDER, 0));
  assert_ptr_not_equal(r.data, a.data);
  test_gather(&r, got);
  for (i = 0; i < 12; i++)
    assert_int_equal(got[i], (i % 3) * 4 + i / 3);
  GpuArray_clear(&r);
  GpuArray_clear(&t);
  GpuArray_clear(&a);
}

/* However far along a slice of an empty array is, it begins inside of the
 * buffer. */
static void test_slice_of_empty(void **state) {
  const size_t dims[2] = {3, 0};
  const ssize_t starts[2] = {2, 0}, stops[2] = {3, 0}, steps[2] = {1, 1};
  size_t at = 2;
  GpuArray a, part, head, tail, *parts[2] = {&head, &tail};

  (void)state;
  assert_ok(GpuArray_zeros(&a, test_context(), GA_INT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_index(&part, &a, starts, stops, steps));
  assert_int_equal(part.offset, 0);
  assert_ok(GpuArray_memset(&part, 1));
  assert_ok(GpuArray_split(parts, &a, 1, &at, 0));
  assert_int_equal(tail.offset, 0);
  GpuArray_clear(&tail);
  GpuArray_clear(&head);
  GpuArray_clear(&part);
  GpuArray_clear(&a);
}

static void test_reshape_of_empty(void **state) {
  size_t from[3] = {4, 0, 3}, to[2] = {0, 7}, wrong[1] = {1};
  GpuArray a, r;

  (void)state;
  test_array(&a, GA_INT, 3, from, NULL);
  assert_ok(GpuArray_reshape(&r, &a, 2, to, GA_C_ORDER, 1));
  assert_int_equal(r.dimensions[1], 7);
  assert_true(GpuArray_CHKFLAGS(&r, GA_C_CONTIGUOUS | GA_F_CONTIGUOUS));
  GpuArray_clear(&r);
  assert_code(GA_INVALID_ERROR,
              GpuArray_reshape(&r, &a, 1, wrong, GA_C_ORDER, 1));
  GpuArray_clear(&a);
}

static void test_reshape_errors(void **state) {
  size_t from[2] = {3, 4}, to[2] = {5, 2}, big[2] = {SIZE_MAX, 12}, d[65], k;
  int32_t data[12] = {0};
  GpuArray a, r, none = {0};

  (void)state;
  for (k = 0; k < 65; k++)
    d[k] = k == 0 ? 12 : 1;
  test_array(&a, GA_INT, 2, from, data);
  assert_code(GA_INVALID_ERROR, GpuArray_reshape(&r, &a, 2, to, GA_C_ORDER, 0));
  assert_message(GA_INVALID_ERROR, "12 elements into 10");
  assert_code(GA_XLARGE_ERROR, GpuArray_reshape(&r, &a, 2, big, GA_C_ORDER, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_reshape(&r, &a, 65, d, GA_C_ORDER, 0));
  assert_message(GA_VALUE_ERROR, "65 dimensions");
  assert_code(GA_VALUE_ERROR, GpuArray_reshape(&r, &a, 1, d, (ga_order)7, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_reshape(&r, &a, 1, NULL, GA_C_ORDER, 0));
  assert_code(GA_INVALID_ERROR,
              GpuArray_reshape(&r, &none, 1, d, GA_C_ORDER, 0));
  assert_code(GA_INVALID_ERROR, GpuArray_view(&r, &none));
  assert_zeroed(&r);
  assert_ok(GpuArray_reshape(&r, &a, 64, d, GA_C_ORDER, 1));
  GpuArray_clear(&r);
  test_array_equal(&a, data);
  GpuArray_clear(&a);
}

static void test_transpose_matches_model(void **state) {
  size_t index[ND], from[ND], n, i, want;
  unsigned int axes[ND] = {0}, nd, k, round;
  int32_t got[MAX_ELEMENTS];
  GpuArray a, r;

  (void)state;
  for (nd = 0; nd <= ND; nd++) {
    for (round = 0; round < 10; round++) {
      random_array(&a, nd, 0);
      for (k = 0; k < nd; k++) {
        unsigned int j = pick(k + 1);

        axes[k] = axes[j];
        axes[j] = k;
      }
      if (round == 0) {
        for (k = 0; k < nd; k++)
          axes[k] = nd - 1 - k;
      }
      assert_ok(GpuArray_transpose(&r, &a, round == 0 ? NULL : axes));
      n = test_size(&a);
      assert_int_equal(test_size(&r), n);
      test_gather(&r, got);
      for (i = 0; i < n; i++) {
        unravel(i, nd, r.dimensions, index);
        for (k = 0; k < nd; k++)
          from[axes[k]] = index[k];
        for (want = 0, k = 0; k < nd; k++)
          want = want * a.dimensions[k] + from[k];
        assert_int_equal(got[i], want);
      }
      assert_ok(GpuArray_transpose_inplace(&a, round == 0 ? NULL : axes));
      test_array_equal(&a, got);
      GpuArray_clear(&r);
      GpuArray_clear(&a);
    }
  }
}

static void test_transpose_errors(void **state) {
  unsigned int twice[2] = {0, 0}, outside[2] = {0, 2};
  int32_t data[12] = {0};
  size_t from[2] = {3, 4};
  GpuArray a, r;

  (void)state;
  test_array(&a, GA_INT, 2, from, data);
  assert_code(GA_VALUE_ERROR, GpuArray_transpose(&r, &a, twice));
  assert_message(GA_VALUE_ERROR, "axis 0 is named twice");
  assert_zeroed(&r);
  assert_code(GA_VALUE_ERROR, GpuArray_transpose_inplace(&a, outside));
  assert_message(GA_VALUE_ERROR, "axis 2 of an array of 2 dimensions");
  assert_int_equal(a.dimensions[0], 3);
  GpuArray_clear(&a);
}

static void test_split_covers_the_axis(void **state) {
  size_t p[4], from, to, k, i, row;
  GpuArray a, part[5], *rs[5];
  int32_t got[MAX_ELEMENTS];

  (void)state;
  for (k = 0; k < 5; k++)
    rs[k] = &part[k];
  for (unsigned int round = 0; round < 60; round++) {
    random_array(&a, 2, 0);
    unsigned int axis = pick(2);
    for (from = 0, k = 0; k < 4; k++) {
      p[k] = from + pick((unsigned int)(a.dimensions[axis] - from) + 1);
      from = p[k];
    }
    assert_ok(GpuArray_split(rs, &a, 4, p, axis));
    for (from = 0, k = 0; k <= 4; k++, from = to) {
      to = k < 4 ? p[k] : a.dimensions[axis];
      assert_int_equal(part[k].dimensions[axis], to - from);
      assert_int_equal(part[k].dimensions[!axis], a.dimensions[!axis]);
      test_gather(&part[k], got);
      for (i = 0; i < test_size(&part[k]); i++) {
        row = i / part[k].dimensions[1];
        assert_int_equal(got[i], axis == 0 ? from * a.dimensions[1] + i
                                           : row * a.dimensions[1] + from +
                                                 i % part[k].dimensions[1]);
      }
      GpuArray_clear(&part[k]);
    }
    GpuArray_clear(&a);
  }
}

static void test_split_errors(void **state) {
  size_t from[2] = {3, 4}, down[2] = {3, 1}, outside[2] = {1, 5};
  int32_t data[12] = {0};
  GpuArray a, part[3], *rs[3] = {&part[0], &part[1], &part[2]};

  (void)state;
  test_array(&a, GA_INT, 2, from, data);
  assert_code(GA_VALUE_ERROR, GpuArray_split(rs, &a, 2, down, 1));
  assert_message(GA_VALUE_ERROR, "split point 1: 1 is not between 3 and 4");
  assert_zeroed(&part[0]);
  assert_code(GA_VALUE_ERROR, GpuArray_split(rs, &a, 2, outside, 1));
  assert_code(GA_VALUE_ERROR, GpuArray_split(rs, &a, 2, down, 2));
  assert_code(GA_VALUE_ERROR, GpuArray_split(rs, &a, 2, NULL, 0));
  assert_zeroed(&part[2]);
  GpuArray_clear(&a);
}

static int setup(void **state) {
  (void)state;
  seed = 1;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_view_is_equal_and_apart, setup),
      cmocka_unit_test_setup(test_index_matches_model, setup),
      cmocka_unit_test_setup(test_index_refuses_outside, setup),
      cmocka_unit_test_setup(test_index_takes_huge_steps, setup),
      cmocka_unit_test_setup(test_reshape_matches_model, setup),
      cmocka_unit_test_setup(test_reshape_of_contiguous, setup),
      cmocka_unit_test_setup(test_reshape_copies_if_it_may, setup),
      cmocka_unit_test(test_slice_of_empty),
      cmocka_unit_test_setup(test_reshape_of_empty, setup),
      cmocka_unit_test_setup(test_reshape_errors, setup),
      cmocka_unit_test_setup(test_transpose_matches_model, setup),
      cmocka_unit_test_setup(test_transpose_errors, setup),
      cmocka_unit_test_setup(test_split_covers_the_axis, setup),
      cmocka_unit_test_setup(test_split_errors, setup),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
