/* SPDX-License-Identifier: BSD-2-Clause */
/* Sparse matrices in graphs: values against dense products, derivatives against
 * differences, results against the host's in debug mode, text, and what is
 * refused. */
#include "support/graph_case.h"

#include "support/roundtrip.h"

#include <math.h>
#include <stdlib.h>

/* A matrix of 4 x 5:
 *   . 1 . . 2
 *   . . . . .
 *   3 . 4 5 .
 *   . 6 . . . */
enum { ROWS = 4, COLUMNS = 5, ENTRIES = 6 };
static const int32_t starts[] = {0, 2, 2, 5, 6};
static const int32_t columns[] = {1, 4, 0, 2, 3, 1};
static const float values[] = {1, 2, 3, 4, 5, 6};
static const float dense[] = {0, 1, 0, 0, 2, 0, 0, 0, 0, 0,
                              3, 0, 4, 5, 0, 0, 6, 0, 0, 0};

/* Nonzero in quick tests, which compile few kernels. */
static int is_quick(void) {
  return getenv("GPUGRAPH_QUICK_TESTS") != NULL;
}

static gg_csr constant_structure(gg_var *v) {
  const size_t n[2] = {ROWS + 1, ENTRIES};

  return (gg_csr){.starts = gg_constant(g, GA_INT, 1, n, starts),
                  .columns = gg_constant(g, GA_INT, 1, n + 1, columns),
                  .values = v,
                  .n_columns = gg_i64(g, COLUMNS)};
}

static gg_csr matrix(void) {
  const size_t n = ENTRIES;

  return constant_structure(gg_constant(g, GA_FLOAT, 1, &n, values));
}

/* Inputs: values, the dense matrix, and other numbers; elements of these. */
typedef struct inputs {
  gg_var *v, *d, *x;
} inputs;

static inputs new_inputs(void) {
  return (inputs){
      gg_input_sized(g, "v", GA_FLOAT, 1, (int64_t[]){ENTRIES}),
      gg_input_sized(g, "d", GA_FLOAT, 2, (int64_t[]){ROWS, COLUMNS}),
      gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){10})};
}

static gg_var *first(const inputs *in, int64_t n) {
  return gg_slice(in->x, 0, 0, n, 1);
}

/* Check that outputs are equal in pairs. */
static void check_pairs(const inputs *in, unsigned int n,
                        gg_var *const *pairs) {
  const float x[] = {1, -2, 3, 0.5f, 2, 1, 0, -1, 2, 4};
  gg_var *apart[16];
  float got[16];

  for (unsigned int i = 0; i < n; i++) {
    gg_var *const d = gg_sub(pairs[2 * i], pairs[2 * i + 1]);
    apart[i] = gg_dimshuffle(gg_max(gg_abs(d)), 1, (const int[]){-1});
  }
  gg_func *const f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(in->v, in->d, in->x),
                                   .outputs = GG_VARS(gg_join(0, n, apart))});
  GpuArray rest;
  float_vector(&a, ENTRIES, values);
  float_array(&b, 2, (const size_t[]){ROWS, COLUMNS}, dense);
  float_vector(&rest, 10, x);
  func_run(f, (GpuArray *[]){&a, &b, &rest}, (GpuArray *[]){&out});
  assert_ok(GpuArray_read(got, n * sizeof *got, &out));
  for (unsigned int i = 0; i < n; i++)
    if (!(got[i] < 1e-5f))
      fail_msg("pair %u differs by %g", i, (double)got[i]);
  GpuArray_clear(&rest);
  gg_func_free(f);
}

static void products_are_those_of_dense(void **state) {
  const inputs in = new_inputs();
  const gg_csr m = constant_structure(in.v);
  gg_var *const x = gg_reshape(in.x, 2, (const int64_t[]){5, 2});
  gg_var *const l = gg_reshape(first(&in, 8), 2, (const int64_t[]){2, 4});

  (void)state;
  check_pairs(
      &in, is_quick() ? 2 : 4,
      (gg_var *[]){gg_csr_dot(m, x), gg_dot(in.d, x),
                   gg_dot_csr(first(&in, 4), m), gg_dot(first(&in, 4), in.d),
                   gg_csr_dot(m, first(&in, 5)), gg_dot(in.d, first(&in, 5)),
                   gg_dot_csr(l, m), gg_dot(l, in.d)});
}

static void forms_are_those_of_dense(void **state) {
  const inputs in = new_inputs();
  const gg_csr m = constant_structure(in.v);
  gg_var *const v = first(&in, 5), *const r = first(&in, 4), *const d = in.d;

  (void)state;
  test_need_full();
  check_pairs(
      &in, 6,
      (gg_var *[]){gg_csr_to_dense(m), d, gg_csr_to_dense(gg_csr_transpose(m)),
                   gg_transpose(d), gg_csr_to_dense(gg_csr_scale_rows(m, r)),
                   gg_mul(d, gg_dimshuffle(r, 2, (const int[]){0, -1})),
                   gg_csr_to_dense(gg_csr_scale_columns(m, v)), gg_mul(d, v),
                   gg_csr_to_dense(gg_csr_mul(m, gg_add(d, d))),
                   gg_mul(d, gg_add(d, d)), gg_csr_row_sums(m),
                   gg_sum_axis(d, 1)});
}

/* Where the data decide how many entries there are. */
static void made_matrices_are_those_of_dense(void **state) {
  const inputs in = new_inputs();
  const gg_csr m = constant_structure(in.v);
  gg_var *const d = in.d;
  const gg_csr twice = gg_csr_from_coo(
      gg_join(0, 2, (gg_var *[]){gg_csr_rows(m), gg_csr_rows(m)}),
      gg_join(0, 2, (gg_var *[]){m.columns, m.columns}),
      gg_join(0, 2, (gg_var *[]){in.v, gg_sqr(in.v)}), gg_i64(g, ROWS),
      gg_i64(g, COLUMNS));

  (void)state;
  test_need_full();
  check_pairs(&in, 3,
              (gg_var *[]){gg_csr_to_dense(gg_csr_from_dense(d)), d,
                           gg_csr_to_dense(gg_csr_add(m, gg_csr_mul(m, d))),
                           gg_add(d, gg_sqr(d)),
                           gg_csr_dot(twice, first(&in, 5)),
                           gg_dot(gg_add(d, gg_sqr(d)), first(&in, 5))});
}

/* --- derivatives --- */

static gg_var *weighted(gg_var *y) {
  return gg_sum(gg_sin(gg_add(y, gg_cast(gg_positions(y, 0), GA_DOUBLE))));
}

static void fill(GpuArray *to, unsigned int nd, const size_t *dims) {
  double v[16];

  test_fill(v, GA_DOUBLE, 16, -1, 1, nd);
  test_array(to, GA_DOUBLE, nd, dims, v);
}

/* Check derivatives; with `second` also second ones, and those along a
 * direction. */
static void check(gg_var *value, gg_var *const *wrt, int second) {
  GpuArray *const at[2] = {&a, &b};
  gg_var *cost = weighted(value), *grads[2], *along;

  assert_non_null(cost);
  assert_ok(gg_check_gradient(cost, 2, wrt, at, 1e-5, 1e-6));
  if (is_quick() || !second)
    return;
  assert_ok(gg_grad(grads, cost, 2, wrt));
  assert_ok(gg_check_gradient(gg_add(weighted(grads[0]), weighted(grads[1])), 2,
                              wrt, at, 1e-5, 1e-5));
  /* The derivative along d is the sum of d times the gradient. */
  gg_var *const dir[2] = {gg_cos(wrt[0]), gg_cos(wrt[1])};
  assert_ok(gg_rop(&along, 1, &cost, 2, wrt, dir));
  gg_var *const sum = gg_add(gg_sum(gg_mul(dir[0], grads[0])),
                             gg_sum(gg_mul(dir[1], grads[1])));
  gg_func *const f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(wrt[0], wrt[1]),
                                   .outputs = GG_VARS(along, sum)});
  double got[2];
  func_run(f, at, (GpuArray *[]){&out, &out2});
  assert_ok(GpuArray_read(&got[0], 8, &out));
  assert_ok(GpuArray_read(&got[1], 8, &out2));
  assert_true(fabs(got[0] - got[1]) < 1e-9 * (1 + fabs(got[0])));
  GpuArray_clear(&out);
  GpuArray_clear(&out2);
  gg_func_free(f);
}

static void products_have_derivatives(void **state) {
  gg_var *const v = gg_input_sized(g, "v", GA_DOUBLE, 1, (int64_t[]){ENTRIES});
  gg_var *const x = gg_input_sized(g, "x", GA_DOUBLE, 1, (int64_t[]){COLUMNS});
  gg_var *const y = gg_input_sized(g, "y", GA_DOUBLE, 2, (int64_t[]){2, ROWS});
  gg_var *const z =
      gg_input_sized(g, "z", GA_DOUBLE, 2, (int64_t[]){COLUMNS, 3});
  const gg_csr m = constant_structure(v);

  (void)state;
  test_need_double();
  fill(&a, 1, (size_t[]){ENTRIES});
  fill(&b, 2, (size_t[]){COLUMNS, 3});
  check(gg_csr_dot(m, z), (gg_var *[]){v, z}, 1);
  GpuArray_clear(&b);
  fill(&b, 1, (size_t[]){COLUMNS});
  if (!is_quick()) {
    check(gg_csr_dot(m, x), (gg_var *[]){v, x}, 1);
    GpuArray_clear(&b);
    fill(&b, 2, (size_t[]){2, ROWS});
    check(gg_dot_csr(y, m), (gg_var *[]){v, y}, 0);
    GpuArray_clear(&b);
    fill(&b, 2, (size_t[]){COLUMNS, 3});
    check(gg_mul(gg_csr_sample(m, gg_csr_dot(m, z), gg_transpose(z)), v),
          (gg_var *[]){v, z}, 0);
  }
}

/* Each result depends on the values v and on the dense matrix d. */
static void forms_have_derivatives(void **state) {
  gg_var *const v = gg_input_sized(g, "v", GA_DOUBLE, 1, (int64_t[]){ENTRIES});
  gg_var *const d = gg_input_sized(g, "d", GA_DOUBLE, 2, (int64_t[]){3, 5});
  gg_var *const rows = gg_join(
      0, 2, (gg_var *[]){gg_sin(gg_sum_axis(d, 1)), gg_slice(v, 0, 0, 1, 1)});
  gg_var *const square =
      gg_join(0, 2, (gg_var *[]){d, gg_slice(gg_sqr(d), 0, 0, 1, 1)});
  const gg_csr m = constant_structure(v);
  gg_var *const wrt[2] = {v, d};

  (void)state;
  test_need_double();
  test_need_full();
  fill(&a, 1, (size_t[]){ENTRIES});
  fill(&b, 2, (size_t[]){3, 5});
  const gg_csr scaled =
      gg_csr_scale_columns(gg_csr_scale_rows(m, rows), gg_sum_axis(d, 0));
  check(gg_csr_to_dense(gg_csr_mul(scaled, square)), wrt, 1);
  check(gg_mul(gg_csr_row_sums(m), rows), wrt, 0);
}

/* Entries of one place, of two matrices and of one, are added up. */
static void made_matrices_have_derivatives(void **state) {
  static const int32_t at[4] = {1, 0, 1, 2}, beside[4] = {3, 1, 3, 0};
  const size_t n = 4;
  gg_var *const v = gg_input_sized(g, "v", GA_DOUBLE, 1, (int64_t[]){ENTRIES});
  gg_var *const x = gg_input_sized(g, "x", GA_DOUBLE, 1, (int64_t[]){COLUMNS});
  const gg_csr m = constant_structure(v);
  const gg_csr made = gg_csr_from_coo(
      gg_constant(g, GA_INT, 1, &n, at), gg_constant(g, GA_INT, 1, &n, beside),
      gg_mul(gg_slice(v, 0, 0, 4, 1), gg_slice(x, 0, 1, 5, 1)), gg_i64(g, ROWS),
      gg_i64(g, COLUMNS));

  (void)state;
  test_need_double();
  test_need_full();
  fill(&a, 1, (size_t[]){ENTRIES});
  fill(&b, 1, (size_t[]){COLUMNS});
  check(gg_csr_dot(gg_csr_add(m, made), x), (gg_var *[]){v, x}, 1);
}

/* The gradient of complex sums and products: that of the real parts. */
static void complex_products_have_gradients(void **state) {
  gg_var *const v = gg_input_sized(g, "v", GA_DOUBLE, 1, (int64_t[]){ENTRIES});
  gg_var *const x = gg_input_sized(g, "x", GA_DOUBLE, 1, (int64_t[]){COLUMNS});
  const gg_csr m = constant_structure(gg_complex(v, gg_sin(v)));
  gg_var *const y = gg_csr_dot(gg_csr_add(m, constant_structure(v)),
                               gg_complex(gg_cos(x), x));

  (void)state;
  test_need_double();
  test_need_full();
  fill(&a, 1, (size_t[]){ENTRIES});
  fill(&b, 1, (size_t[]){COLUMNS});
  check(gg_add(gg_real(y), gg_sqr(gg_imag(y))), (gg_var *[]){v, x}, 0);
}

/* --- the host's results, text --- */

static const char text[] = "s = input int32[?]\n"
                           "c = input int32[?]\n"
                           "v = input float32[?]\n"
                           "b = input float32[?, 2]\n"
                           "y = csr_dot(s, c, v, b)\n"
                           "function product(s, c, v, b) -> (y)\n";

static void host_computes_the_same(void **state) {
  const gg_csr m = matrix();
  const float x[] = {1, -2, 3, 0.5f, 2};
  gg_var *const in = gg_input(g, "x", GA_FLOAT, 1);

  (void)state;
  gg_func *const f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(in),
                                   .outputs = GG_VARS(gg_csr_dot(m, in)),
                                   .flags = GG_DEBUG});
  float_vector(&a, 5, x);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, (const float[]){2, 0, 17.5f, -12}, 4);
  gg_func_free(f);
}

static void text_is_read(void **state) {
  (void)state;
  assert_same_text(text);
  assert_texts_refused(
      3, (const refused_text[]){
             {"s = input float32[?]\ny = csr_dot(s, s, s, s)\n", "csr_dot"},
             {"s = input int32[?]\nv = input float32[?]\n"
              "y = csr_dot(s, s, v, s)\n",
              "csr_dot"},
             {"s = input int32[0]\nv = input float32[?]\n"
              "y = csr_dot(s, s, v, v)\n",
              "there are no starts"}});
}

/* --- refused --- */

static void others_are_refused(void **state) {
  const gg_csr m = matrix(), none = {NULL, NULL, NULL, NULL};
  gg_var *const v = gg_input_sized(g, "v", GA_FLOAT, 1, (int64_t[]){3});
  gg_var *const cube = gg_input(g, "cube", GA_FLOAT, 3);
  gg_csr wrong = m;

  (void)state;
  assert_null(gg_csr_dot(none, NULL));
  graph_refused(gg_csr_dot(m, v),
                "csr_dot(float32[3]): dim 0: expected 5, got 3");
  assert_null(gg_csr_dot(m, cube));
  graph_says(GA_VALUE_ERROR, "3 dimensions, expected 1 or 2");
  assert_null(gg_csr_dot(m, NULL));
  graph_says(GA_VALUE_ERROR, "csr_dot");
  wrong.starts = v;
  assert_null(gg_csr_dot(wrong, v));
  graph_says(GA_VALUE_ERROR, "expected a sparse matrix");
  assert_null(gg_csr_rows(wrong));
  graph_says(GA_VALUE_ERROR, "expected a sparse matrix");
  wrong = m;
  wrong.values = v;
  assert_null(gg_csr_dot(wrong, gg_input(g, "x", GA_FLOAT, 1)));
  graph_says(GA_VALUE_ERROR, "3 values, but 6 columns");
  wrong = m;
  wrong.n_columns = gg_i64(g, 6);
  assert_null(gg_csr_add(m, wrong).values);
  graph_says(GA_VALUE_ERROR, "a has 5 columns, but b has 6");
  assert_null(gg_dot_csr(v, m));
  graph_says(GA_VALUE_ERROR, "dim 0: expected 4, got 3");
  assert_null(gg_csr_scale_rows(m, cube).values);
  graph_says(GA_VALUE_ERROR, "expected a vector");
  assert_null(gg_csr_scale_columns(m, v).values);
  graph_says(GA_VALUE_ERROR, "dim 0: expected 5, got 3");
  assert_null(gg_csr_mul(m, v).values);
  graph_says(GA_VALUE_ERROR, "expected a dense matrix");
  assert_null(gg_csr_sample(m, v, v));
  graph_says(GA_VALUE_ERROR, "expected two dense matrices");
  assert_null(gg_csr_from_coo(v, v, v, v, v).values);
  graph_says(GA_VALUE_ERROR, "expected vectors of rows");
  assert_null(gg_csr_from_dense(v).values);
  graph_says(GA_VALUE_ERROR, "expected a matrix");
}

static void call_refuses(gg_var *in, gg_var *value, const char *message) {
  gg_func *const f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(in), .outputs = GG_VARS(value)});

  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_non_null(strstr(gg_func_error(f), message));
  gg_func_free(f);
}

/* Calls check sizes that are unknown before. */
static void calls_check_sizes(void **state) {
  const int64_t six = 6;
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const n = gg_input(g, "n", GA_LONG, 0);
  gg_csr m = matrix(), other = m;

  (void)state;
  float_vector(&a, 3, values);
  call_refuses(x, gg_csr_dot(m, x), "dim 0: expected 5, got 3");
  GpuArray_clear(&a);
  test_array(&a, GA_LONG, 0, NULL, &six);
  other.n_columns = n;
  call_refuses(n, gg_csr_to_dense(gg_csr_add(m, other)),
               "dim 0: expected 5, got 6");
  call_refuses(n, gg_csr_to_dense(gg_csr_add(other, m)),
               "dim 0: expected 6, got 5");
}

int main(void) {
#define GRAPH_TEST(f)                                                          \
  cmocka_unit_test_setup_teardown(f, graph_setup, graph_teardown)
  const struct CMUnitTest tests[] = {
      GRAPH_TEST(products_are_those_of_dense),
      GRAPH_TEST(forms_are_those_of_dense),
      GRAPH_TEST(made_matrices_are_those_of_dense),
      GRAPH_TEST(products_have_derivatives),
      GRAPH_TEST(forms_have_derivatives),
      GRAPH_TEST(made_matrices_have_derivatives),
      GRAPH_TEST(complex_products_have_gradients),
      GRAPH_TEST(host_computes_the_same),
      GRAPH_TEST(text_is_read),
      GRAPH_TEST(others_are_refused),
      GRAPH_TEST(calls_check_sizes),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
