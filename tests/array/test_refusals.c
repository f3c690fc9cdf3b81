/* SPDX-License-Identifier: BSD-2-Clause */
/* What cannot be done is refused with a code and with the values at fault in
 * the message, before anything has changed: one call per line of a table. */
#include "support/device.h"

#include <string.h>

#include <gpuarray/blas.h>
#include <gpuarray/buffer_blas.h>
#include <gpuarray/create.h>
#include <gpuarray/device.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/extension.h>
#include <gpuarray/index.h>
#include <gpuarray/reduction.h>

#include "base/alloc.h"
#include "ocl/ocl.h"

/* Every float is 1. `gaps` is every second column of a 2 x 7 array, `fixed` is
 * not writeable, `odd` begins one byte behind an element, `far` is of another
 * context. `wild` holds indices, of which 12 is none. */
static GpuArray a23, b32, gaps, fixed, odd, far, ints, wild, none;
static GpuArray two_floats, three_floats, two_longs;
static GpuArray out; /* of calls that make an array */
static GpuElemwise *copy;
static gpucontext *other;
static gpudata *wrapped; /* a cl_mem of 20 bytes that others made */

static const size_t d23[2] = {2, 3}, d32[2] = {3, 2}, d27[2] = {2, 7};
static const size_t d6[1] = {6}, d7[1] = {7}, two[1] = {2};

/* --- calls --- */

static int make(const size_t *dims, unsigned int nd) {
  return GpuArray_empty(&out, test_context(), GA_FLOAT, nd, dims, GA_C_ORDER);
}

static int make_negative(void) {
  return make(&(size_t){(size_t)-3}, 1);
}

static int make_overflowing(void) {
  return make((size_t[]){(size_t)1 << 40, (size_t)1 << 40}, 2);
}

static int make_enormous(void) {
  return make(&(size_t){(size_t)1 << 50}, 1);
}

static int make_of_no_type(void) {
  return GpuArray_empty(&out, test_context(), 999, 1, two, GA_C_ORDER);
}

static int make_with_order(void) {
  return GpuArray_empty(&out, test_context(), GA_FLOAT, 1, two, (ga_order)7);
}

static int wrap_beyond(void) {
  const ssize_t stride = 4;

  return GpuArray_fromdata(&out, a23.data, 1 << 20, GA_FLOAT, 1, two, &stride,
                           1);
}

static int wrap_small_memory(void) {
  const ssize_t strides[2] = {12, 4};

  return GpuArray_fromdata(&out, wrapped, 0, GA_FLOAT, 2, d23, strides, 1);
}

static int read_small_memory(void) {
  float values[6];

  return gpudata_read(values, wrapped, 0, sizeof values);
}

static int move_small_memory(void) {
  return gpudata_move(a23.data, 0, wrapped, 4, 20);
}

static int multiply_small_memory(void) {
  return gpublas_sgemv(cb_row, cb_no_trans, 3, 2, 1, a23.data, 0, 2, b32.data,
                       0, 1, 0, wrapped, 12, 1);
}

static int assign_misfit(void) {
  return GpuArray_setarray(&a23, &b32);
}

static int assign_fixed(void) {
  return GpuArray_setarray(&fixed, &a23);
}

static int assign_odd(void) {
  return GpuArray_setarray(&a23, &odd);
}

static int assign_far(void) {
  return GpuArray_setarray(&a23, &far);
}

static int move_sizes(void) {
  return GpuArray_move(&a23, &wild);
}

static int transfer_types(void) {
  return GpuArray_transfer(&far, &ints);
}

static int transfer_misfit(void) {
  return GpuArray_transfer(&far, &b32);
}

static int write_beyond(void) {
  return GpuArray_write(&a23, d27, 7 * sizeof(float));
}

static int read_beyond(void) {
  float values[7];

  return GpuArray_read(values, sizeof values, &a23);
}

static int fill_fixed(void) {
  return GpuArray_fill(&fixed, GA_FLOAT, &(float){2});
}

static int clear_bytes_of_fixed(void) {
  return GpuArray_memset(&fixed, 0);
}

static int write_short(void) {
  return GpuArray_write(&gaps, d27, sizeof d27);
}

static int reshape_sizes(void) {
  return GpuArray_reshape(&out, &a23, 1, d7, GA_C_ORDER, 0);
}

static int reshape_gaps(void) {
  return GpuArray_reshape(&out, &gaps, 1, d6, GA_C_ORDER, 1);
}

static int transpose_axis(void) {
  return GpuArray_transpose(&out, &a23, (unsigned int[]){0, 5});
}

static int slice_beyond(void) {
  return GpuArray_index(&out, &a23, (ssize_t[]){0, 0}, (ssize_t[]){2, 9},
                        (ssize_t[]){1, 1});
}

static int split_axis(void) {
  GpuArray *parts[] = {&out};

  return GpuArray_split(parts, &a23, 0, NULL, 4);
}

static int join(const GpuArray *b, unsigned int axis) {
  const GpuArray *both[] = {&a23, b};

  return GpuArray_concatenate(&out, both, 2, axis, GA_FLOAT);
}

static int join_misfit(void) {
  return join(&b32, 0);
}

static int join_axis(void) {
  return join(&a23, 2);
}

static int join_far(void) {
  return join(&far, 0);
}

static int call_copy(GpuArray *to, GpuArray *from) {
  return GpuElemwise_call(copy, (void *[]){to, from}, 0);
}

static int expression_misfit(void) {
  return call_copy(&a23, &b32);
}

static int expression_type(void) {
  return call_copy(&a23, &ints);
}

static int expression_fixed(void) {
  return call_copy(&fixed, &a23);
}

static int expression_far(void) {
  return call_copy(&a23, &far);
}

static int expression_odd(void) {
  return call_copy(&a23, &odd);
}

static int sum_axis(void) {
  return GpuArray_reduction(&out, &a23, GA_REDUCE_SUM, 1, (unsigned int[]){2},
                            0, -1, -1);
}

static int sum_axis_twice(void) {
  return GpuArray_reduction(&out, &a23, GA_REDUCE_SUM, 2,
                            (unsigned int[]){1, 1}, 0, -1, -1);
}

static int most(GpuArray *values, GpuArray *at, const GpuArray *of) {
  return GpuArray_maxandargmax(values, at, of, 1, (unsigned int[]){1});
}

static int most_far(void) {
  return most(&two_floats, &two_longs, &far);
}

static int most_of_none(void) {
  return most(&two_floats, &two_longs, &none);
}

static int most_misfit(void) {
  return most(&two_floats, &two_longs, &b32);
}

static int sum_none(void) {
  return GpuArray_reduction(&out, &none, GA_REDUCE_SUM, 1, (unsigned int[]){0},
                            0, -1, -1);
}

static int take1_far(void) {
  return GpuArray_take1(&a23, &far, &wild, 1);
}

static int take1_beyond(void) {
  return GpuArray_take1(&a23, &b32, &wild, 1);
}

static int gather_misfit(void) {
  return GpuArray_gather(&out, &a23, &wild, 0, 1);
}

static int take_beyond(void) {
  return GpuArray_take(&out, &a23, &wild, 0, 1);
}

static int take_axis(void) {
  return GpuArray_take(&out, &a23, &wild, 3, 1);
}

static int take_floats(void) {
  return GpuArray_take(&out, &a23, &a23, 0, 1);
}

static int take_far(void) {
  return GpuArray_take(&out, &far, &wild, 0, 1);
}

static int put_beyond(void) {
  return GpuArray_put(&a23, &wild, &gaps, 0, GA_PUT_SET, 1);
}

static int put_far(void) {
  return GpuArray_put(&far, &wild, &a23, 0, GA_PUT_ADD, 1);
}

static int put_axis(void) {
  return GpuArray_put(&a23, &wild, &a23, 2, GA_PUT_SET, 1);
}

static int scatter_misfit(void) {
  return GpuArray_scatter(&a23, &ints, &b32, 0, GA_PUT_SET, 1);
}

static int put_fixed(void) {
  return GpuArray_put(&fixed, &wild, &a23, 0, GA_PUT_SET, 1);
}

static int choose_far(void) {
  return GpuArray_where(&out, &a23, &a23, &far);
}

static int multiply_misfit(void) {
  return GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &a23, &a23, 0, &a23, 0);
}

static int multiply_far(void) {
  return GpuArray_rgemm(cb_no_trans, cb_trans, 1, &a23, &far, 0, &far, 0);
}

static int multiply_vector_far(void) {
  return GpuArray_rgemv(cb_trans, 1, &far, &two_floats, 0, &three_floats, 0);
}

static int multiply_outer_far(void) {
  return GpuArray_rger(1, &two_floats, &three_floats, &far, 0);
}

static int multiply_none(void) {
  return GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &a23, &none, 0, &a23, 0);
}

static int cast_none(void) {
  return GpuArray_cast(&out, &none, GA_INT, GA_C_ORDER);
}

static int take_none(void) {
  return GpuArray_take(&out, &a23, &none, 0, 1);
}

static int join_none(void) {
  return join(&none, 0);
}

static int view_none(void) {
  return GpuArray_view(&out, &none);
}

static int copy_none(void) {
  return GpuArray_copy(&out, &none, GA_C_ORDER);
}

/* --- the table --- */

#define CASE(call, code, part)                                                 \
  { #call, call, code, part }

static const struct {
  const char *name;
  int (*call)(void);
  int code;
  const char *part; /* of the message */
} refused[] = {
    CASE(make_negative, GA_XLARGE_ERROR, "18446744073709551613"),
    CASE(make_overflowing, GA_XLARGE_ERROR, "1099511627776"),
    CASE(make_enormous, GA_MEMORY_ERROR, "GiB"),
    CASE(make_of_no_type, GA_VALUE_ERROR, "999"),
    CASE(make_with_order, GA_VALUE_ERROR, "7"),
    CASE(wrap_beyond, GA_VALUE_ERROR, "1048576"),
    CASE(wrap_small_memory, GA_VALUE_ERROR, "24 bytes"),
    CASE(read_small_memory, GA_VALUE_ERROR, "buffer of 20"),
    CASE(move_small_memory, GA_VALUE_ERROR, "buffer of 20"),
    CASE(multiply_small_memory, GA_VALUE_ERROR,
         "3 elements at offset 12 in a buffer of 5"),
    CASE(assign_misfit, GA_VALUE_ERROR, "expected"),
    CASE(assign_fixed, GA_VALUE_ERROR, "not writeable"),
    CASE(assign_odd, GA_UNALIGNED_ERROR, "offset 1"),
    CASE(assign_far, GA_VALUE_ERROR, "context"),
    CASE(move_sizes, GA_VALUE_ERROR, "2 elements into an array of 6"),
    CASE(transfer_types, GA_UNSUPPORTED_ERROR, "expected float32, got int32"),
    CASE(transfer_misfit, GA_VALUE_ERROR, "dim 0: expected 2, got 3"),
    CASE(write_beyond, GA_VALUE_ERROR, "28 bytes for an array of 24"),
    CASE(read_beyond, GA_VALUE_ERROR, "28 bytes for an array of 24"),
    CASE(fill_fixed, GA_READONLY_ERROR, "not writeable"),
    CASE(clear_bytes_of_fixed, GA_VALUE_ERROR, "not writeable"),
    CASE(write_short, GA_UNSUPPORTED_ERROR, "contiguous"),
    CASE(reshape_sizes, GA_INVALID_ERROR, "6 elements into 7"),
    CASE(reshape_gaps, GA_COPY_ERROR, "needs a copy"),
    CASE(transpose_axis, GA_VALUE_ERROR, "5"),
    CASE(slice_beyond, GA_VALUE_ERROR, "dim 1: slice 0:9:1 of size 3"),
    CASE(split_axis, GA_VALUE_ERROR, "4"),
    CASE(join_misfit, GA_VALUE_ERROR, "dim 1: expected 3, got 2"),
    CASE(join_axis, GA_VALUE_ERROR, "2"),
    CASE(join_far, GA_INVALID_ERROR, "context"),
    CASE(expression_misfit, GA_VALUE_ERROR, "dim 0: expected 2, got 3"),
    CASE(expression_type, GA_VALUE_ERROR, "expected float32, got int32"),
    CASE(expression_fixed, GA_READONLY_ERROR, "not writeable"),
    CASE(expression_far, GA_VALUE_ERROR, "context"),
    CASE(expression_odd, GA_UNALIGNED_ERROR, "x: offset 1: elements"),
    CASE(sum_axis, GA_VALUE_ERROR, "axis 2"),
    CASE(sum_axis_twice, GA_VALUE_ERROR, "axis 1 is given twice"),
    CASE(most_far, GA_VALUE_ERROR, "context"),
    CASE(most_of_none, GA_INVALID_ERROR, "not initialised"),
    CASE(most_misfit, GA_VALUE_ERROR, "dstMax: dim 0: expected 3, got 2"),
    CASE(sum_none, GA_INVALID_ERROR, "not initialised"),
    CASE(take1_far, GA_VALUE_ERROR, "context"),
    CASE(take1_beyond, GA_INVALID_ERROR, "dim 1: expected 2, got 3"),
    CASE(gather_misfit, GA_VALUE_ERROR, "expected 2 dimensions, got 1"),
    CASE(take_beyond, GA_VALUE_ERROR, "index 12 at position 1"),
    CASE(take_axis, GA_VALUE_ERROR, "axis 3 of an array of 2 dimensions"),
    CASE(take_floats, GA_VALUE_ERROR, "expected integers, got float32"),
    CASE(take_far, GA_VALUE_ERROR, "context"),
    CASE(put_beyond, GA_VALUE_ERROR, "index 12 at position 1"),
    CASE(put_far, GA_VALUE_ERROR, "context"),
    CASE(put_axis, GA_VALUE_ERROR, "axis 2 of an array of 2 dimensions"),
    CASE(scatter_misfit, GA_VALUE_ERROR, "dim 0: expected 2, got 3"),
    CASE(put_fixed, GA_READONLY_ERROR, "not writeable"),
    CASE(choose_far, GA_VALUE_ERROR, "y: of another context"),
    CASE(multiply_misfit, GA_VALUE_ERROR, "op(A) is 2x3, op(B) is 2x3"),
    CASE(multiply_far, GA_VALUE_ERROR, "A and B are in different contexts"),
    CASE(multiply_vector_far, GA_VALUE_ERROR, "different contexts"),
    CASE(multiply_outer_far, GA_VALUE_ERROR, "different contexts"),
    CASE(multiply_none, GA_INVALID_ERROR, "B: no array"),
    CASE(cast_none, GA_INVALID_ERROR, "not initialised"),
    CASE(take_none, GA_INVALID_ERROR, "indices: no array"),
    CASE(join_none, GA_INVALID_ERROR, "not initialised"),
    CASE(view_none, GA_INVALID_ERROR, ""),
    CASE(copy_none, GA_INVALID_ERROR, ""),
};

static gpudata *wrap_memory(size_t bytes) {
  gpudata *(*make_buf)(gpucontext *, cl_mem), *d;
  cl_int status;
  cl_mem mem = clCreateBuffer(ga__ctx_cl(test_context()), CL_MEM_READ_WRITE,
                              bytes, NULL, &status);

  assert_int_equal(status, CL_SUCCESS);
  *(void **)(&make_buf) = gpuarray_get_extension("cl_make_buf");
  d = make_buf(test_context(), mem); /* retains it */
  assert_non_null(d);
  clReleaseMemObject(mem);
  return d;
}

static void set_up(void) {
  const ssize_t starts[2] = {0, 0}, stops[2] = {2, 6}, steps[2] = {1, 2};
  gpuelemwise_arg args[2] = {{"c", GA_FLOAT, GE_WRITE},
                             {"x", GA_FLOAT, GE_READ}};
  const float ones[14] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const int numbers[6] = {1, 12, 0, 0, 0, 0};
  const int64_t zeros[2] = {0, 0};
  const ssize_t stride = 4;

  test_array(&a23, GA_FLOAT, 2, d23, ones);
  test_array(&b32, GA_FLOAT, 2, d32, ones);
  test_array(&gaps, GA_FLOAT, 2, d27, ones);
  test_array(&fixed, GA_FLOAT, 2, d23, ones);
  test_array(&ints, GA_INT, 2, d23, numbers);
  test_array(&wild, GA_INT, 1, two, numbers);
  test_array(&two_floats, GA_FLOAT, 1, d23, ones);
  test_array(&three_floats, GA_FLOAT, 1, d32, ones);
  test_array(&two_longs, GA_LONG, 1, d23, zeros);
  assert_ok(GpuArray_index_inplace(&gaps, starts, stops, steps));
  fixed.flags &= ~GA_WRITEABLE;
  assert_ok(GpuArray_fromdata(&odd, b32.data, 1, GA_FLOAT, 1, d32, &stride, 1));
  assert_ok(gpucontext_open(&other, NULL));
  assert_ok(GpuArray_zeros(&far, other, GA_FLOAT, 2, d23, GA_C_ORDER));
  wrapped = wrap_memory(20);
  copy = GpuElemwise_new(test_context(), NULL, "c = x", 2, args, 2, 0);
  assert_non_null(copy);
}

static void tear_down(void) {
  GpuArray *const all[] = {&a23,        &b32,          &gaps,     &fixed,
                           &odd,        &far,          &ints,     &wild,
                           &two_floats, &three_floats, &two_longs};

  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    GpuArray_clear(all[i]);
  gpudata_release(wrapped);
  GpuElemwise_free(copy);
  gpucontext_deref(other);
}

/* Nothing that a refused call could have written to has changed. */
static void check_unchanged(void) {
  const float ones[6] = {1, 1, 1, 1, 1, 1}, zeros[6] = {0};
  const int numbers[2] = {1, 12};
  const int64_t positions[2] = {0, 0};

  test_array_equal(&a23, ones);
  test_array_equal(&b32, ones);
  test_array_equal(&gaps, ones);
  test_array_equal(&fixed, ones);
  test_array_equal(&far, zeros);
  test_array_equal(&wild, numbers);
  test_array_equal(&two_floats, ones);
  test_array_equal(&three_floats, ones);
  test_array_equal(&two_longs, positions);
}

static void test_refused(void **state) {
  (void)state;
  set_up();
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    const GpuArray zero = {0};

    memset(&out, 0, sizeof out);
    (void)refused[i].call(); /* fills caches */
    long live = ga__alloc_live();
    print_message("  %s\n", refused[i].name);
    assert_code(refused[i].code, refused[i].call());
    assert_message(refused[i].code, refused[i].part);
    assert_int_equal(ga__alloc_live(), live);
    assert_memory_equal(&out, &zero, sizeof out);
    check_unchanged();
  }
  tear_down();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
