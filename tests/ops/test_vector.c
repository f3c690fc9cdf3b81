/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of sizes: their elements are found in what they are computed from, so
 * that they cost no kernel and no wait. */
#include <gpuarray/profile.h>
#include <gpugraph/grad.h>
#include <gpugraph/ifelse.h>
#include <gpugraph/save.h>
#include <gpugraph/scan.h>
#include <string.h>

#include "ops/ops.h"
#include "support/graph_case.h"

static float numbers[120];

static gg_var *x;
static gg_func *f;

static int setup(void **state) {
  if (graph_setup(state) != 0)
    return 1;
  for (size_t i = 0; i < 120; i++)
    numbers[i] = (float)i;
  x = gg_input(g, "x", GA_FLOAT, 3);
  f = NULL;
  return 0;
}

static int teardown(void **state) {
  gg_func_free(f);
  return graph_teardown(state);
}

static void make(gg_var *v) {
  gg_func_free(f);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(v),
                                   .flags = GG_ALLOW_UNUSED_INPUT});
}

static int call(size_t i, size_t j, size_t k) {
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  float_array(&a, 3, (size_t[]){i, j, k}, numbers);
  return gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
}

static void assert_dims(unsigned int nd, const size_t *dims) {
  assert_int_equal(out.nd, nd);
  assert_memory_equal(out.dimensions, dims, nd * sizeof *dims);
}

static void assert_type(const gg_var *v, const char *want) {
  char text[160];

  assert_non_null(v);
  assert_string_equal(gg_type_text(gg_var_type(v), text, sizeof text), want);
}

/* What the context has done since `before`. */
static gpucontext_counters since(const gpucontext_counters *before) {
  gpucontext_counters now;

  assert_ok(gpucontext_count(test_context(), &now));
  now.launches -= before->launches;
  now.host_reads -= before->host_reads;
  return now;
}

static gg_var *vector(unsigned int n, const int64_t *v) {
  const size_t size = n;

  return gg_constant(g, GA_LONG, 1, &size, v);
}

/* The element of a vector, as a vector. */
static gg_var *pick(gg_var *v, int64_t i) {
  return gg_take(v, vector(1, &i));
}

static gg_var *reshape(gg_var *v, unsigned int n, gg_var *sizes) {
  gg_var *list[GG_MAX_ND] = {NULL};

  assert_ok(gg_elements(sizes, n, list));
  return gg_reshape_sizes(v, n, list);
}

/* --- no kernel, no wait --- */

/* Shape, Gather, Mul, Concat, Reshape of model files. */
static void chains_of_sizes_cost_nothing(void **state) {
  gg_var *const s = gg_shape_vector(x);
  gg_var *const two = gg_mul(pick(s, 1), vector(1, (int64_t[]){2}));
  gg_var *const half =
      gg_expand_dims(gg_floordiv(gg_index(s, 0, -1), gg_i64(g, 2)), 0);

  (void)state;
  make(reshape(x, 4,
               gg_join(0, 4,
                       (gg_var *[]){gg_slice(s, 0, 0, 1, 1), two,
                                    vector(1, (int64_t[]){1}), half})));
  assert_ok(call(2, 3, 4));
  assert_dims(4, (size_t[]){2, 6, 1, 2});
  assert_floats(&out, numbers, 24);
  const gpucontext_counters none = {0}, before = since(&none);
  assert_ok(call(1, 5, 6));
  assert_int_equal(since(&before).host_reads, 0);
  assert_int_equal(since(&before).launches, 1);
  assert_dims(4, (size_t[]){1, 10, 1, 3});
  assert_int_equal(func_stats(f).steps, 1); /* the copy to the result */
}

static void reductions_and_choices_are_followed(void **state) {
  gg_var *const s = gg_shape_vector(x), *const minus = gg_i64(g, -1);
  gg_var *const wish = vector(3, (int64_t[]){-1, 3, 1});
  gg_var *const chosen = gg_where(gg_eq(wish, minus), s, wish);

  (void)state;
  make(reshape(x, 2, gg_vector(2, (gg_var *[]){gg_max(s), minus})));
  assert_ok(call(2, 5, 3));
  assert_dims(2, (size_t[]){5, 6});
  make(reshape(x, 2,
               gg_vector(2, (gg_var *[]){gg_prod(gg_slice(s, 0, 1, 3, 1)),
                                         gg_cast(gg_min(s), GA_INT)})));
  assert_ok(call(2, 5, 3));
  assert_dims(2, (size_t[]){15, 2});
  gg_var *v =
      gg_alloc(gg_f32(g, 1), 3,
               (gg_var *[]){gg_element(chosen, 0), gg_element(chosen, 1),
                            gg_element(chosen, 2)});
  assert_type(v, "float32[?, 3, 1]");
  make(v);
  assert_ok(call(4, 2, 2));
  assert_dims(3, (size_t[]){4, 3, 1});
  v = reshape(x, 2,
              gg_vector(2, (gg_var *[]){
                               gg_sum(gg_cast(gg_gt(s, gg_i64(g, 2)), GA_LONG)),
                               minus}));
  make(v);
  assert_ok(call(4, 2, 3));
  assert_dims(2, (size_t[]){2, 12});
}

/* Pairs that are turned around, as exporters write padding. */
static void matrices_of_sizes_are_followed(void **state) {
  gg_var *const s = gg_shape_vector(x);
  gg_var *const all = gg_join(0, 2, (gg_var *[]){s, vector(1, (int64_t[]){7})});
  gg_var *const pairs =
      gg_slice(gg_reshape(all, 2, (int64_t[]){2, 2}), 0, GG_END, GG_END, -1);
  gg_var *const flat = gg_flatten(gg_transpose(pairs));
  int64_t got[4];

  (void)state;
  gg_var *list[4];
  assert_ok(gg_elements(flat, 4, list));
  assert_ptr_equal(list[0], gg_shape(x, 2));
  assert_ptr_equal(list[1], gg_shape(x, 0));
  assert_ptr_equal(list[2], gg_i64(g, 7));
  assert_ptr_equal(list[3], gg_shape(x, 1));
  make(gg_vector(4, list));
  assert_ok(call(2, 3, 4));
  assert_ok(GpuArray_read(got, sizeof got, &out));
  assert_memory_equal(got, ((int64_t[]){4, 2, 7, 3}), sizeof got);
}

static void vectors_are_values_of_the_host(void **state) {
  int64_t got[3];

  (void)state;
  make(gg_shape_vector(x));
  assert_ok(call(2, 3, 4));
  assert_int_equal(out.typecode, GA_LONG);
  assert_dims(1, (size_t[]){3});
  assert_ok(GpuArray_read(got, sizeof got, &out));
  assert_memory_equal(got, ((int64_t[]){2, 3, 4}), sizeof got);
  /* Their arithmetic gets no kernel either: the only one takes elements. */
  make(gg_take(gg_flatten(x), gg_sub(gg_mul(gg_shape_vector(x), gg_i64(g, 2)),
                                     vector(3, (int64_t[]){4, 1, 0}))));
  assert_ok(call(2, 3, 4));
  const gpucontext_counters none = {0}, before = since(&none);
  assert_ok(call(2, 3, 4));
  assert_int_equal(since(&before).launches, 1);
  assert_int_equal(since(&before).host_reads, 0);
  assert_floats(&out, (float[]){0, 5, 8}, 3);
  make(gg_shape_vector(gg_sum(x)));
  assert_ok(call(2, 3, 4));
  assert_dims(1, (size_t[]){0});
}

/* --- what types know --- */

static void constants_are_found_while_building(void **state) {
  gg_var *const y = gg_input_sized(g, "y", GA_FLOAT, 2, (int64_t[]){GG_ANY, 6});
  gg_var *const s = gg_shape_vector(y);
  gg_var *const next =
      gg_join(0, 3,
              (gg_var *[]){pick(s, 0), vector(2, (int64_t[]){1, 2}),
                           gg_floordiv(pick(s, 1), vector(1, (int64_t[]){2}))});

  (void)state;
  assert_type(reshape(y, 4, next), "float32[?, 1, 2, 3]");
  assert_ptr_equal(gg_element(gg_mul(pick(s, 1), pick(s, 1)), 0),
                   gg_i64(g, 36));
  assert_ptr_equal(gg_element(s, 0), gg_shape(y, 0));
  assert_ptr_equal(
      gg_element(
          gg_cast(gg_arange(gg_i64(g, 3), gg_i64(g, 9), gg_i64(g, 2)), GA_LONG),
          2),
      gg_i64(g, 7));
  assert_ptr_equal(gg_element(gg_sum(vector(0, NULL)), 0), gg_i64(g, 0));
}

/* --- from arguments --- */

/* Call f with a vector of n integers. */
static int call_with(int dtype, size_t n, const void *values, GpuArray *y) {
  GpuArray v;

  GpuArray_clear(&a);
  float_array(&a, 3, (size_t[]){2, 3, 4}, numbers);
  test_array(&v, dtype, 1, &n, values);
  const int err = gg_func_call(f, (GpuArray *[]){&a, &v}, (GpuArray *[]){y});
  GpuArray_clear(&v);
  return err;
}

static void vectors_of_arguments_are_read(void **state) {
  gg_var *const sizes = gg_input_sized(g, "sizes", GA_INT, 1, (int64_t[]){2});
  gg_var *const list[2] = {gg_add(gg_element(sizes, 0), gg_i64(g, 1)),
                           gg_index(sizes, 0, -1)};

  (void)state;
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, sizes),
                         .outputs = GG_VARS(gg_reshape_sizes(x, 2, list))});
  assert_ok(call_with(GA_INT, 2, (const int[]){3, -1}, &out));
  assert_dims(2, (size_t[]){4, 6});
  GpuArray_clear(&out);
  assert_ok(call_with(GA_INT, 2, (const int[]){1, 12}, &out));
  assert_dims(2, (size_t[]){2, 12});
  assert_int_equal(func_stats(f).plans, 2);
  GpuArray_clear(&out);
  const gpucontext_counters none = {0}, before = since(&none);
  assert_ok(call_with(GA_INT, 2, (const int[]){3, -1}, &out));
  assert_dims(2, (size_t[]){4, 6});
  assert_int_equal(since(&before).host_reads, 1);
}

/* They are values for kernels, too; a single element is a scalar to them. */
static void vectors_of_scalars_have_their_values(void **state) {
  gg_var *const v = gg_input_sized(g, "v", GA_INT, 1, (int64_t[]){2});
  gg_var *const list[3] = {gg_element(v, 1), gg_shape(x, 2),
                           gg_neg(gg_element(v, 0))};
  gg_var *const one = gg_vector(1, list);
  int64_t got[3];

  (void)state;
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, v),
                         .outputs = GG_VARS(gg_mul(gg_vector(3, list), one))});
  assert_ok(call_with(GA_INT, 2, (const int[]){3, 7}, &out));
  assert_ok(GpuArray_read(got, sizeof got, &out));
  assert_memory_equal(got, ((int64_t[]){49, 28, -21}), sizeof got);
  GpuArray_clear(&out);
  assert_ok(call_with(GA_INT, 2, (const int[]){-2, 5}, &out));
  assert_ok(GpuArray_read(got, sizeof got, &out));
  assert_memory_equal(got, ((int64_t[]){25, 20, 10}), sizeof got);
  gg_func_free(f);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, v),
                                   .outputs = GG_VARS(one),
                                   .flags = GG_ALLOW_UNUSED_INPUT});
  GpuArray_clear(&out);
  assert_ok(call_with(GA_INT, 2, (const int[]){-2, 5}, &out));
  assert_dims(1, (size_t[]){1});
  assert_ok(GpuArray_read(got, sizeof *got, &out));
  assert_int_equal(got[0], 5);
}

static void vectors_of_any_size_are_checked(void **state) {
  gg_var *const v = gg_input(g, "v", GA_LONG, 1);
  const int64_t sizes[4] = {3, 4, 2, 1};
  gg_var *list[3];

  (void)state;
  assert_ok(gg_elements(v, 3, list));
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, v),
                         .outputs = GG_VARS(gg_reshape_sizes(x, 3, list))});
  assert_ok(call_with(GA_LONG, 3, sizes, &out));
  assert_dims(3, (size_t[]){3, 4, 2});
  assert_code(GA_VALUE_ERROR, call_with(GA_LONG, 4, sizes, &out2));
  assert_string_equal(
      gg_func_error(f),
      "function: specify_shape(int64[4]): dim 0: expected 3, got 4");
  gg_func_free(f);
  list[0] = gg_index(v, 0, 3);
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, v),
                         .outputs = GG_VARS(gg_reshape_sizes(x, 1, list))});
  assert_code(GA_VALUE_ERROR, call_with(GA_LONG, 2, sizes, &out2));
  assert_string_equal(gg_func_error(f),
                      "function: v has 2 elements, index 3 is read");
}

static void what_the_device_computes_is_waited_for(void **state) {
  const int64_t two[2] = {-2, -3};
  gg_var *const s = gg_shared_host(g, "s", GA_LONG, 1, (size_t[]){2}, two);
  gg_var *list[2];

  (void)state;
  assert_ok(gg_elements(gg_neg(gg_add(s, s)), 2, list));
  make(gg_reshape_sizes(x, 2, list));
  assert_ok(call(2, 3, 4));
  assert_dims(2, (size_t[]){4, 6});
  make(gg_vector(2, list));
  assert_ok(call(2, 3, 4));
  test_array_equal(&out, (const int64_t[]){4, 6});
}

/* --- in bodies, in debug mode, in gradients --- */

/* Each row is reshaped by sizes of itself and of what lies outside. */
static void bodies_use_vectors(void **state) {
  gg_scan *s = gg_scan_open(g);
  gg_var *const row = gg_scan_sequence(s, x, 0);
  gg_var *const sizes =
      gg_join(0, 2,
              (gg_var *[]){gg_slice(gg_shape_vector(x), 0, 2, 3, 1),
                           gg_slice(gg_shape_vector(row), 0, 0, 1, 1)});
  gg_var *const y = gg_mul(reshape(row, 2, sizes), gg_f32(g, 1));

  (void)state;
  gg_scan_output(s, y);
  gg_scan_close(s);
  make(gg_scan_all(s, y));
  gg_scan_free(s);
  assert_ok(call(2, 3, 4));
  assert_dims(3, (size_t[]){2, 4, 3});
  assert_floats(&out, numbers, 24);
}

/* Rows of x reshaped by a vector; a choice does so inside of the loop. */
static gg_var *reshape_rows(gg_var *sizes) {
  gg_scan *s = gg_scan_open(g);
  gg_var *const row = gg_scan_sequence(s, x, 0);
  gg_var *const by = gg_reshape_vector(row, sizes);
  gg_var *const holds = gg_ge(gg_sum(row), gg_f32(g, 0));
  gg_var *const yes = gg_mul(by, gg_f32(g, 2)), *const no = gg_neg(by);
  gg_var *y = gg_ifelse(holds, yes, no);

  gg_scan_output(s, y);
  gg_scan_close(s);
  y = gg_scan_all(s, y);
  gg_scan_free(s);
  return y;
}

static void bodies_read_arguments(void **state) {
  gg_var *const v = gg_input_sized(g, "v", GA_INT, 1, (int64_t[]){2});
  float want[24];

  (void)state;
  f = func_make(
      g,
      &(gg_func_spec){.inputs = GG_VARS(x, v),
                      .outputs = GG_VARS(reshape_rows(gg_add(
                          gg_slice(v, 0, GG_END, GG_END, -1), gg_i64(g, 1))))});
  for (size_t i = 0; i < 24; i++)
    want[i] = 2 * numbers[i];
  assert_ok(call_with(GA_INT, 2, (const int[]){3, 2}, &out));
  assert_dims(3, (size_t[]){2, 3, 4});
  assert_floats(&out, want, 24);
  GpuArray_clear(&out);
  assert_ok(call_with(GA_INT, 2, (const int[]){1, 5}, &out));
  assert_dims(3, (size_t[]){2, 6, 2});
  assert_floats(&out, want, 24);
  assert_int_equal(func_stats(f).plans, 2);
  GpuArray_clear(&out);
  assert_ok(call_with(GA_INT, 2, (const int[]){3, 2}, &out));
  assert_dims(3, (size_t[]){2, 3, 4});
  assert_int_equal(func_stats(f).plans, 2);
  assert_code(GA_UNSUPPORTED_ERROR,
              gg_func_prepare(f, (gg_dims[]){{3, {2, 3, 4}}, {1, {2}}}));
  assert_string_equal(
      gg_func_error(f),
      "function: sizes depend on the value of v, which only calls know");
}

/* What changes from iteration to iteration decides sizes inside; those of rows
 * must agree. */
static void rows_decide_sizes(void **state) {
  gg_var *const v = gg_input(g, "v", GA_INT, 1);
  gg_scan *s = gg_scan_open(g);
  gg_var *const n = gg_scan_sequence(s, v, 0);

  (void)state;
  gg_var *y = gg_alloc(gg_f32(g, 1), 1, &n);
  gg_scan_output(s, y);
  gg_scan_close(s);
  y = gg_scan_all(s, y);
  gg_scan_free(s);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, v),
                                   .outputs = GG_VARS(y),
                                   .flags = GG_ALLOW_UNUSED_INPUT});
  assert_code(GA_VALUE_ERROR, call_with(GA_INT, 2, (const int[]){3, 2}, &out));
  assert_non_null(strstr(gg_func_error(f), "dim 0: 3 in iteration 0, 2 in "
                                           "iteration 1: such rows are no "
                                           "array"));
  assert_ok(call_with(GA_INT, 2, (const int[]){3, 3}, &out));
  assert_dims(2, (size_t[]){2, 3});
}

static void debug_mode_and_gradients_pass(void **state) {
  gg_var *const y = gg_sqr(reshape(
      x, 2,
      gg_vector(2, (gg_var *[]){gg_prod(gg_shape_vector(x)), gg_i64(g, 1)})));
  gg_var *dx;
  float want[24];

  (void)state;
  assert_ok(gg_grad(&dx, gg_sum(y), 1, &x));
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(dx),
                                   .mode = GG_DEBUG});
  for (size_t i = 0; i < 24; i++)
    want[i] = 2 * numbers[i];
  assert_ok(call(2, 3, 4));
  assert_dims(3, (size_t[]){2, 3, 4});
  assert_floats(&out, want, 24);
}

/* --- ops that take vectors --- */

/* Negative counts remove elements, also where calls decide them. */
static void padding_by_what_calls_decide(void **state) {
  gg_var *const s = gg_shape_vector(x);
  gg_var *const n = gg_sub(s, vector(3, (int64_t[]){3, 3, 3}));
  gg_var *const flat = gg_reshape_vector(x, gg_slice(s, 0, 0, 3, 1));
  const float want[7] = {0, 1, 2, 3, 4, 4, 3};

  (void)state;
  assert_ptr_equal(gg_pad_vector(x, NULL, NULL, GG_PAD_EDGE, NULL), x);
  make(gg_pad_vector(flat, n, NULL, GG_PAD_CONSTANT, NULL));
  assert_ok(call(2, 2, 4)); /* by -1, -1 and 1 */
  assert_dims(3, (size_t[]){1, 1, 5});
  assert_floats(&out, (float[]){0, 12, 13, 14, 15}, 5);
  assert_ok(call(3, 3, 3));
  assert_dims(3, (size_t[]){3, 3, 3});
  assert_floats(&out, numbers, 27);
  make(gg_pad_vector(flat, NULL, n, GG_PAD_SYMMETRIC, NULL));
  assert_code(GA_VALUE_ERROR, call(2, 1, 5)); /* 2 of 1 are none */
  assert_ok(call(3, 3, 5));                   /* by 2 */
  assert_dims(3, (size_t[]){3, 3, 7});
  float got[63];
  assert_ok(GpuArray_read(got, sizeof got, &out));
  assert_memory_equal(got, want, sizeof want);
}

/* Views stay views: nothing is launched for the slice. */
static void slices_of_several_axes(void **state) {
  gg_var *const s = gg_shape_vector(x);
  gg_var *const half = gg_floordiv(s, gg_i64(g, 2));

  (void)state;
  make(gg_sum(gg_slice_vector(x, NULL, half, s, NULL)));
  assert_ok(call(2, 2, 4));
  assert_floats(&out, (float[]){14 + 15}, 1);
  assert_int_equal(func_stats(f).steps, 1);
  make(gg_slice_vector(x, (int[]){2}, NULL, NULL, vector(1, (int64_t[]){-1})));
  assert_ok(call(1, 1, 3));
  assert_floats(&out, (float[]){2, 1, 0}, 3);
}

/* --- in texts --- */

/* In debug mode the twin is not rewritten. */
static void texts_have_vectors(void **state) {
  static const char text[] =
      "z = input float32[?, ?, ?]\n"
      "s = vector(shape{axis=0}(z), shape{axis=1}(z), size(z))\n"
      "y = reshape_sizes(z, index{axis=0, at=1}(neg(neg(s))), -1)\n"
      "function f(z) -> (y)\n";

  (void)state;
  assert_ok(gg_graph_parse(g, "text", text, sizeof text - 1));
  gg_func_spec spec = *gg_graph_func(g, "f");
  spec.mode = GG_DEBUG;
  f = func_make(g, &spec);
  assert_ok(call(2, 3, 4));
  assert_dims(2, (size_t[]){3, 8});
  gg_var *const by[3] = {x, gg_index(gg_neg(gg_neg(gg_shape_vector(x))), 0, 1),
                         gg_i64(g, -1)};
  assert_ptr_equal(gg_op_apply(NULL, &gg__op_reshape_sizes, NULL, 3, by),
                   gg_op_apply(NULL, &gg__op_reshape_sizes, NULL, 3,
                               (gg_var *[]){x, gg_element(by[1], 0), by[2]}));
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(chains_of_sizes_cost_nothing),
      TEST(reductions_and_choices_are_followed),
      TEST(matrices_of_sizes_are_followed),
      TEST(vectors_are_values_of_the_host),
      TEST(constants_are_found_while_building),
      TEST(vectors_of_arguments_are_read),
      TEST(vectors_of_scalars_have_their_values),
      TEST(vectors_of_any_size_are_checked),
      TEST(what_the_device_computes_is_waited_for),
      TEST(bodies_use_vectors),
      TEST(bodies_read_arguments),
      TEST(rows_decide_sizes),
      TEST(debug_mode_and_gradients_pass),
      TEST(texts_have_vectors),
      TEST(padding_by_what_calls_decide),
      TEST(slices_of_several_axes),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
