/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes whose products do not fit into size_t, or into any memory: each call
 * that multiplies says so, and nothing is left. Arrays of one element that is
 * repeated have such sizes without the memory. */
#include "support/device.h"

#include <gpuarray/bincount.h>
#include <gpuarray/blas.h>
#include <gpuarray/buffer_blas.h>
#include <gpuarray/create.h>
#include <gpuarray/cumulate.h>
#include <gpuarray/index.h>
#include <gpuarray/random.h>
#include <gpuarray/reduction.h>
#include <gpuarray/search.h>
#include <gpuarray/select.h>
#include <gpuarray/sort.h>
#include <gpuarray/topk.h>

#include <string.h>

#include "base/alloc.h"
#include "base/arith.h"

#define TIMES(n) ((size_t)1 << (n))

/* Of one element; `square` and `index` are 2^21 x 2^40. */
static GpuArray square, column, row, index;
static gpudata *few;                 /* 64 bytes */
static GpuArray out;                 /* of calls that make an array */
static const unsigned int first = 0; /* axis */

static int view(GpuArray *a, int typecode, size_t rows, size_t cols) {
  const size_t dims[2] = {rows, cols};
  const ssize_t strides[2] = {0, 0};

  return GpuArray_fromdata(a, few, 0, typecode, 2, dims, strides, 0);
}

/* --- arrays --- */

static int make_too_many(void) {
  return GpuArray_empty(&out, test_context(), GA_BYTE, 2,
                        (size_t[]){TIMES(32), TIMES(32)}, GA_C_ORDER);
}

static int make_too_long(void) {
  return GpuArray_zeros(&out, test_context(), GA_DOUBLE, 2,
                        (size_t[]){TIMES(30), TIMES(31)}, GA_C_ORDER);
}

static int view_too_many(void) {
  return view(&out, GA_BYTE, TIMES(32), TIMES(32));
}

/* As many elements as SSIZE_MAX, of 8 bytes. */
static int view_too_long(void) {
  return view(&out, GA_DOUBLE, TIMES(31), TIMES(31));
}

static int view_too_far(void) {
  return GpuArray_fromdata(&out, few, 0, GA_BYTE, 1, &(size_t){TIMES(40)},
                           &(ssize_t){(ssize_t)TIMES(40)}, 0);
}

static int view_offset(void) {
  return GpuArray_fromdata(&out, few, SIZE_MAX - 3, GA_BYTE, 1, &(size_t){8},
                           &(ssize_t){1}, 0);
}

static int copy_square(void) {
  return GpuArray_copy(&out, &square, GA_C_ORDER);
}

static int cast_square(void) {
  return GpuArray_cast(&out, &square, GA_CDOUBLE, GA_C_ORDER);
}

static int reshape_square(void) {
  return GpuArray_reshape(&out, &square, 3,
                          (size_t[]){TIMES(31), TIMES(31), TIMES(31)},
                          GA_C_ORDER, 1);
}

static int join_squares(void) {
  const GpuArray *all[] = {&square, &square, &square, &square};

  return GpuArray_concatenate(&out, all, 4, 0, GA_BYTE);
}

static int make_range(void) {
  return GpuArray_arange(&out, test_context(), GA_DOUBLE, 0, 0x1p62, 1);
}

static int make_eye(void) {
  return GpuArray_eye(&out, test_context(), GA_FLOAT, TIMES(33), TIMES(33), 0);
}

static int read_square(void) {
  char host[8];

  return GpuArray_read(host, sizeof host, &square);
}

/* --- by number, by condition, reduced --- */

static int take_squares(void) {
  return GpuArray_take(&out, &square, &index, 0, 0);
}

static int gather_square(void) {
  return GpuArray_gather(&out, &square, &index, 0, 0);
}

static int where_square(void) {
  return GpuArray_where(&out, &square, &column, &row);
}

static int reduce_square(void) {
  return GpuArray_reduction(&out, &square, GA_REDUCE_SUM, 1, &first, 0, -1, -1);
}

static int choose_many(void) {
  const size_t n = 1;
  GpuArray p = {0}, u = {0}, z = {0};
  GpuLaunch *l = NULL;

  assert_ok(view(&p, GA_FLOAT, 1, TIMES(60)));
  assert_ok(view(&u, GA_FLOAT, 1, 1));
  assert_ok(GpuArray_empty(&z, test_context(), GA_LONG, 2, (size_t[]){n, n},
                           GA_C_ORDER));
  int err = GpuRandom_choice_prepare(&l, &z, &u, &p);
  assert_null(l);
  GpuArray_clear(&p);
  GpuArray_clear(&u);
  GpuArray_clear(&z);
  return err;
}

/* --- in order --- */

static int sort_square(void) {
  return GpuArray_sort(&out, NULL, &square, 0, 0);
}

static int sort_places(void) {
  return GpuArray_sort(NULL, &out, &square, 1, 0);
}

static int take_first(void) {
  return GpuArray_topk(&out, NULL, &square, TIMES(40), 1, 0);
}

static int rank_square(void) {
  return GpuArray_rank(&out, &square, 1);
}

static int cumulate_square(void) {
  return GpuArray_cumulate(&out, &square, GA_CUMULATE_SUM, 1, 0, -1);
}

static int search_square(void) {
  GpuArray edges;

  assert_ok(GpuArray_zeros(&edges, test_context(), GA_BYTE, 1, (size_t[]){1},
                           GA_C_ORDER));
  const int err = GpuArray_searchsorted(&out, &edges, &square, 0);
  GpuArray_clear(&edges);
  return err;
}

static int count_in_many_bins(void) {
  return GpuArray_bincount(&out, &column, NULL, TIMES(61));
}

static int select_square(void) {
  return GpuArray_nonzero(&out, &square);
}

static int unite_squares(void) {
  return GpuArray_union(&out, &square, &square);
}

static int find_square(void) {
  return GpuArray_is_member(&out, &square, &column);
}

/* --- buffers --- */

static int allocate_all(void) {
  int err = GA_NO_ERROR;

  assert_null(gpudata_alloc(test_context(), SIZE_MAX, NULL, 0, &err));
  return err;
}

static int move_far(void) {
  return gpudata_move(few, SIZE_MAX - 7, few, 0, 8);
}

static int write_far(void) {
  return gpudata_write(few, SIZE_MAX - 7, "1234567", 8);
}

static int read_far(void) {
  char host[8];

  return gpudata_read(host, few, 8, SIZE_MAX);
}

static int multiply_far(void) {
  return gpublas_sgemm(cb_row, cb_no_trans, cb_no_trans, TIMES(62), 1, 1, 1,
                       few, 0, TIMES(2), few, 0, 1, 0, few, 0, TIMES(2));
}

static int multiply_matrix_far(void) {
  return gpublas_sgemv(cb_row, cb_no_trans, TIMES(33), TIMES(33), 1, few, 0,
                       TIMES(33), few, 0, 0, 0, few, 0, 1);
}

/* --- the table --- */

/* More than SSIZE_MAX is too large; less may be refused by the driver or by
 * what the device says of itself. */
static const struct {
  const char *what;
  int (*call)(void);
  int code; /* or 0: any */
} refused[] = {
    {"empty, elements", make_too_many, GA_XLARGE_ERROR},
    {"zeros, bytes", make_too_long, GA_XLARGE_ERROR},
    {"view, elements", view_too_many, GA_XLARGE_ERROR},
    {"view, bytes", view_too_long, GA_XLARGE_ERROR},
    {"view, reach", view_too_far, GA_XLARGE_ERROR},
    {"view, offset", view_offset, 0},
    {"copy", copy_square, 0},
    {"cast", cast_square, GA_XLARGE_ERROR},
    {"reshape", reshape_square, GA_XLARGE_ERROR},
    {"join", join_squares, GA_XLARGE_ERROR},
    {"arange", make_range, 0},
    {"eye", make_eye, GA_XLARGE_ERROR},
    {"read", read_square, 0},
    {"take", take_squares, GA_XLARGE_ERROR},
    {"gather", gather_square, 0},
    {"where", where_square, 0},
    {"reduction", reduce_square, 0},
    {"choice", choose_many, 0},
    {"sort", sort_square, 0},
    {"argsort", sort_places, GA_XLARGE_ERROR},
    {"topk", take_first, 0},
    {"rank", rank_square, GA_XLARGE_ERROR},
    {"cumulate", cumulate_square, GA_XLARGE_ERROR},
    {"searchsorted", search_square, GA_XLARGE_ERROR},
    {"bincount", count_in_many_bins, GA_XLARGE_ERROR},
    {"nonzero", select_square, 0},
    {"union", unite_squares, 0},
    {"is_member", find_square, 0},
    {"buffer", allocate_all, 0},
    {"move", move_far, GA_VALUE_ERROR},
    {"write", write_far, GA_VALUE_ERROR},
    {"read of a buffer", read_far, GA_VALUE_ERROR},
    {"gemm", multiply_far, 0},
    {"gemv", multiply_matrix_far, 0},
};

static void test_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    const int err = refused[i].call();

    if (err == GA_NO_ERROR || (refused[i].code != 0 && err != refused[i].code))
      fail_msg("%s: %s", refused[i].what, gpucontext_error(NULL, err));
    if (out.data != NULL || out.dimensions != NULL)
      fail_msg("%s: something is left", refused[i].what);
  }
}

static void test_times(void **state) {
  (void)state;
  assert_true(ga__times(0, SIZE_MAX) == 0);
  assert_true(ga__times(SIZE_MAX, 0) == 0);
  assert_true(ga__times(SIZE_MAX, 1) == SIZE_MAX);
  assert_true(ga__times(TIMES(32), TIMES(31)) == TIMES(63));
  assert_true(ga__times(TIMES(32), TIMES(32)) == SIZE_MAX);
  assert_true(ga__times(SIZE_MAX / 3, 4) == SIZE_MAX);
}

static int setup(void **state) {
  int err = GA_NO_ERROR;

  (void)state;
  if (sizeof(size_t) < 8 || test_context() == NULL)
    return 1;
  few = gpudata_alloc(test_context(), 64, NULL, 0, &err);
  assert_non_null(few);
  assert_ok(view(&square, GA_BYTE, TIMES(21), TIMES(40)));
  assert_ok(view(&column, GA_BYTE, TIMES(21), 1));
  assert_ok(view(&row, GA_BYTE, 1, TIMES(40)));
  assert_ok(view(&index, GA_BYTE, TIMES(21), TIMES(40)));
  return 0;
}

static int teardown(void **state) {
  GpuArray_clear(&square);
  GpuArray_clear(&column);
  GpuArray_clear(&row);
  GpuArray_clear(&index);
  gpudata_release(few);
  return test_context_drop(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_times),
      cmocka_unit_test(test_refused),
  };

  return cmocka_run_group_tests(tests, setup, teardown);
}
