/* SPDX-License-Identifier: BSD-2-Clause */
/* Running sums, products and recurrences of complex numbers, and their
 * selection, beside loops. */
#include <math.h>
#include <string.h>

#include "support/complex_operands.h"
#include "support/graph_case.h"

enum { N = ROWS * COLS, N_RESULTS = 6 };

static const unsigned char marks[N] = {1, 0, 1, 1, 0, 1};

static gg_var *mask_of(void) {
  return gg_constant(g, GA_BOOL, 2, (size_t[]){ROWS, COLS}, marks);
}

/* From the end, without the element itself, from the start, by rows. */
static void build(const operands *o, gg_var **y) {
  gg_var *const two =
      gg_slice(gg_reshape(o->w, 1, (int64_t[]){COLS}), 0, 0, 2, 1);

  y[0] = gg_cumulate(GA_CUMULATE_SUM, o->z, 1, GA_CUMULATE_REVERSED);
  y[1] = gg_cumulate(GA_CUMULATE_PROD, o->z, 1, GA_CUMULATE_EXCLUSIVE);
  y[2] = gg_recurrence(o->z, o->w, 1, 0);
  y[3] = gg_mul(gg_cumprod(o->z, 0), o->w);
  y[4] = gg_compress(o->z, mask_of());
  y[5] = gg_mask_put(o->z, mask_of(), two, GG_PUT_ADD);
}

static void sums_on_host(const operands *o, size_t row, number *sum,
                         number *product, number *last) {
  const number *z = &o->z_at[row * COLS];
  number so_far = 1, y = 0, total = 0;

  for (size_t j = 0; j < COLS; j++) {
    product[row * COLS + j] = so_far;
    so_far *= z[j];
    y = z[j] * y + o->w_at[j];
    last[row * COLS + j] = y;
    total += z[COLS - 1 - j];
    sum[row * COLS + COLS - 1 - j] = total;
  }
}

static void on_host(const operands *o, number (*y)[N], size_t *n) {
  size_t taken = 0;

  for (size_t i = 0; i < ROWS; i++)
    sums_on_host(o, i, y[0], y[1], y[2]);
  for (size_t i = 0; i < N; i++) {
    y[3][i] =
        o->z_at[i] * (i < COLS ? 1 : o->z_at[i - COLS]) * o->w_at[i % COLS];
    y[5][i] = o->z_at[i] + (marks[i] && taken < 2 ? o->w_at[taken] : 0);
    if (marks[i])
      y[4][taken++] = o->z_at[i];
  }
  for (size_t k = 0; k < N_RESULTS; k++)
    n[k] = k == 4 ? taken : N;
}

static void check(int dtype, gg_mode mode) {
  gg_var *y[N_RESULTS + 1] = {NULL};
  GpuArray results[N_RESULTS], *to[N_RESULTS];
  number want[N_RESULTS][N], got[N];
  size_t n[N_RESULTS];
  operands o;

  memset(results, 0, sizeof results);
  for (size_t k = 0; k < N_RESULTS; k++)
    to[k] = &results[k];
  operands_init(&o, dtype);
  build(&o, y);
  on_host(&o, want, n);
  gg_var *const in[3] = {o.z, o.w};
  const gg_func_spec spec = {.inputs = in, .outputs = y, .mode = mode};
  gg_func *f = func_make(g, &spec);
  func_run(f, arguments(&o), to);
  for (size_t k = 0; k < N_RESULTS; k++) {
    assert_int_equal(gg_var_type(y[k])->dtype, dtype);
    complex_read(&results[k], got, n[k]);
    for (size_t i = 0; i < n[k]; i++)
      assert_complex("result", got[i], want[k][i], 1e-5);
    GpuArray_clear(&results[k]);
  }
  gg_func_free(f);
  operands_clear(&o);
}

static void values_are_those_of_loops(void **state) {
  (void)state;
  check(GA_CFLOAT, GG_FAST_RUN);
}

static void the_host_computes_the_same(void **state) {
  (void)state;
  test_need_double();
  check(GA_CDOUBLE, GG_DEBUG);
}

static void gradients_are_those_of_differences(void **state) {
  gg_var *y[N_RESULTS], *cost = NULL;
  operands o;

  (void)state;
  test_need_full();
  test_need_double();
  operands_init(&o, GA_CDOUBLE);
  build(&o, y);
  for (size_t k = 0; k < N_RESULTS; k++) {
    gg_var *const part = gg_sum(gg_abs(gg_mul(y[k], y[k])));
    cost = cost == NULL ? part : gg_add(cost, part);
  }
  if (gg_check_gradient(cost, 2, (gg_var *[]){o.z, o.w}, arguments(&o), 0, 0))
    fail_msg("%s", gg_graph_error(g));
  operands_clear(&o);
}

/* An element is selected if either part is not 0. */
static void parts_decide_what_is_not_zero(void **state) {
  static const float parts[8] = {0, 0, 0, 2, -0.0f, 0, 3, 0};
  const size_t n = 4;
  gg_var *const z = gg_input(g, "z", GA_CFLOAT, 1);
  int64_t got[3];

  (void)state;
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(z),
                                   .outputs = GG_VARS(gg_flatnonzero(z)),
                                   .mode = GG_DEBUG});
  test_array(&a, GA_CFLOAT, 1, &n, parts);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_int_equal(out.dimensions[0], 2);
  assert_ok(GpuArray_read(got, 16, &out));
  assert_int_equal(got[0], 1);
  assert_int_equal(got[1], 3);
  gg_func_free(f);
}

/* Distinct numbers as NumPy orders them, and how often each one occurs. */
static void numbers_are_sorted_by_parts(void **state) {
  static const float parts[12] = {3, 1, 1, 2, 3, -1, NAN, 0, 3, 1, 5, NAN};
  static const float want[8] = {1, 2, 3, -1, 3, 1, 5, NAN};
  const size_t n = 6;
  gg_var *const z = gg_input(g, "z", GA_CFLOAT, 1);
  gg_var *counts = NULL, *y[4] = {NULL};
  GpuArray results[3] = {{0}};

  (void)state;
  y[0] = gg_unique(z, NULL, NULL, &counts);
  y[1] = counts;
  y[2] = gg_sort(z, 0, 1);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(z), .outputs = y, .mode = GG_DEBUG});
  test_array(&a, GA_CFLOAT, 1, &n, parts);
  func_run(f, (GpuArray *[]){&a},
           (GpuArray *[]){&results[0], &results[1], &results[2]});
  test_array_close(&results[0], want, 0, 0);
  test_array_equal(&results[1], (int64_t[]){1, 1, 2, 2});
  test_array_close(&results[2],
                   (float[]){3, 1, 3, 1, 3, -1, 1, 2, 5, NAN, NAN, 0}, 0, 0);
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&results[i]);
  gg_func_free(f);
}

static void there_is_no_order(void **state) {
  gg_var *const z = gg_input(g, "z", GA_CFLOAT, 1);

  (void)state;
  assert_null(gg_cummax(z, 0));
  graph_says(GA_VALUE_ERROR, "max of complex64, which has only sum and prod");
  assert_null(gg_kth(z, gg_scalar(g, GA_LONG, 0), 0, NULL));
  graph_says(GA_VALUE_ERROR, "expected real operands, got complex64");
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, graph_setup, graph_teardown)
      TEST(values_are_those_of_loops),
      TEST(the_host_computes_the_same),
      TEST(gradients_are_those_of_differences),
      TEST(parts_decide_what_is_not_zero),
      TEST(numbers_are_sorted_by_parts),
      TEST(there_is_no_order),
#undef TEST
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
