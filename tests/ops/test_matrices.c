/* SPDX-License-Identifier: BSD-2-Clause */
/* Factorisations in graphs: gradients and forward derivatives against
 * differences, results against the host's in debug mode, text, and what is
 * refused. */
#include "support/derivatives.h"

#include "support/roundtrip.h"

#include <gpugraph/complex.h>
#include <math.h>

static const size_t dims[3] = {2, 5, 5}, wide[3] = {2, 5, 3},
                    tall[3] = {2, 3, 5}, row[2] = {2, 5};

static gg_var *input(const char *name, unsigned int nd, const size_t *sizes) {
  int64_t to[3];

  for (unsigned int i = 0; i < nd; i++)
    to[i] = (int64_t)sizes[i];
  return gg_input_sized(g, name, GA_DOUBLE, nd, to);
}

static void fill(GpuArray *to, unsigned int nd, const size_t *sizes,
                 uint32_t seed) {
  double v[64];
  size_t n = 1;

  for (unsigned int i = 0; i < nd; i++)
    n *= sizes[i];
  test_fill(v, GA_DOUBLE, n, -1, 1, seed);
  test_array(to, GA_DOUBLE, nd, sizes, v);
}

static gg_var *each(gg_var *x, gg_var *y) {
  return gg_batched_dot(x, y);
}

static gg_var *swapped(gg_var *x) {
  return gg_swapaxes(x, -1, -2);
}

static gg_var *eye(double v) {
  return gg_mul(gg_eye(gg_i64(g, 5), gg_i64(g, 5), 0, GA_DOUBLE),
                gg_scalar(g, GA_DOUBLE, v));
}

/* A matrix with a Cholesky factor, of which one triangle differs. */
static gg_var *definite(gg_var *x) {
  return gg_add(gg_add(each(x, swapped(x)), eye(2)),
                gg_mul(x, gg_scalar(g, GA_DOUBLE, 0.25)));
}

static void cholesky_has_derivatives(void **state) {
  gg_var *x = input("x", 3, dims);

  (void)state;
  test_need_double();
  test_need_full();
  fill(&a, 3, dims, 1);
  check_derivatives(gg_cholesky(definite(x), 0), 1, &x);
  check_derivatives(gg_cholesky(definite(x), GA_FACTOR_UPPER), 1, &x);
}

static void solves_have_derivatives(void **state) {
  gg_var *x = input("x", 3, dims), *b1 = input("b1", 3, wide),
         *b2 = input("b2", 3, tall), *v = input("v", 2, row);
  gg_var *const t = gg_add(x, eye(3));

  (void)state;
  test_need_double();
  test_need_full();
  fill(&a, 3, dims, 1);
  fill(&b, 3, wide, 2);
  check_derivatives(gg_triangular_solve(t, b1, 0), 2, (gg_var *[]){x, b1});
  check_derivatives(
      gg_triangular_solve(t, b1, GA_FACTOR_UPPER | GA_FACTOR_TRANS), 2,
      (gg_var *[]){x, b1});
  GpuArray_clear(&b);
  fill(&b, 3, tall, 2);
  check_derivatives(
      gg_triangular_solve(t, b2, GA_FACTOR_UPPER | GA_FACTOR_RIGHT), 2,
      (gg_var *[]){x, b2});
  check_derivatives(
      gg_triangular_solve(t, b2,
                          GA_FACTOR_RIGHT | GA_FACTOR_TRANS | GA_FACTOR_UNIT),
      2, (gg_var *[]){x, b2});
  GpuArray_clear(&b);
  fill(&b, 2, row, 2);
  check_derivatives(gg_cholesky_solve(gg_cholesky(definite(x), 0), v, 0), 2,
                    (gg_var *[]){x, v});
}

/* x with a large diagonal in another order of rows. */
static gg_var *regular(gg_var *x) {
  return gg_roll(gg_add(x, eye(3)), 2, 1);
}

static void lu_has_derivatives(void **state) {
  gg_var *x = input("x", 3, dims), *factors;

  (void)state;
  test_need_double();
  test_need_full();
  fill(&a, 3, dims, 1);
  assert_ok(gg_lu(&factors, NULL, NULL, regular(x)));
  check_derivatives(factors, 1, &x);
}

/* x, of whose gradient more is known than of x. */
static gg_var *sized(gg_var *x, int64_t m, int64_t n) {
  return gg_specify_shape(x, (int64_t[]){2, m, n});
}

/* Sizes may be unknown; no block of the factors may be missing then. */
static void lu_of_other_sizes_has_derivatives(void **state) {
  gg_var *x = input("x", 3, wide), *y = gg_input(g, "y", GA_DOUBLE, 3);
  gg_var *factors;

  (void)state;
  test_need_double();
  fill(&a, 3, wide, 1);
  assert_ok(gg_lu(&factors, NULL, NULL, swapped(x)));
  check_derivatives(factors, 1, &x);
  if (test_is_quick())
    return;
  assert_ok(gg_lu(&factors, NULL, NULL, x));
  check_derivatives(factors, 1, &x);
  assert_ok(gg_lu(&factors, NULL, NULL, y));
  check_derivatives(sized(factors, 5, 3), 1, &y);
  GpuArray_clear(&a);
  fill(&a, 3, tall, 1);
  check_derivatives(factors, 1, &y);
}

static void solutions_have_derivatives(void **state) {
  gg_var *x = input("x", 3, dims), *b1 = input("b1", 3, wide),
         *v = input("v", 2, row);

  (void)state;
  test_need_double();
  fill(&a, 3, dims, 1);
  fill(&b, 3, wide, 2);
  check_derivatives(gg_solve(regular(x), b1, 0), 2, (gg_var *[]){x, b1});
  if (test_is_quick())
    return;
  check_derivatives(gg_solve(regular(x), b1, GA_FACTOR_TRANS), 2,
                    (gg_var *[]){x, b1});
  check_derivatives(gg_solve(definite(x), b1, GA_FACTOR_POSITIVE), 2,
                    (gg_var *[]){x, b1});
  check_derivatives(
      gg_solve(definite(x), b1, GA_FACTOR_SYMMETRIC | GA_FACTOR_UPPER), 2,
      (gg_var *[]){x, b1});
  GpuArray_clear(&b);
  fill(&b, 2, row, 2);
  check_derivatives(gg_solve(regular(x), v, 0), 2, (gg_var *[]){x, v});
}

/* Bands with a large main diagonal, which is a row of `ab`. */
static gg_var *bands(gg_var *ab, int64_t row_of_main) {
  gg_var *const is_main = gg_eq(gg_positions(ab, -2), gg_i64(g, row_of_main));

  return gg_add(
      ab, gg_mul(gg_cast(is_main, GA_DOUBLE), gg_scalar(g, GA_DOUBLE, 3)));
}

static void banded_solutions_have_derivatives(void **state) {
  const size_t three[3] = {2, 3, 5};
  gg_var *ab = input("ab", 3, three), *b1 = input("b1", 3, wide);

  (void)state;
  test_need_double();
  fill(&a, 3, three, 1);
  fill(&b, 3, wide, 2);
  check_derivatives(gg_solve_banded(bands(ab, 1), b1, 1, 0), 2,
                    (gg_var *[]){ab, b1});
  if (!test_is_quick())
    check_derivatives(gg_solve_banded(bands(ab, 0), b1, 2, GA_FACTOR_TRANS), 2,
                      (gg_var *[]){ab, b1});
}

static void determinants_have_derivatives(void **state) {
  gg_var *x = input("x", 3, dims), *sign, *logdet;

  (void)state;
  test_need_double();
  test_need_full();
  fill(&a, 3, dims, 1);
  assert_ok(gg_slogdet(&sign, &logdet, regular(x)));
  check_derivatives(logdet, 1, &x);
  check_derivatives(gg_inverse(regular(x), 0), 1, &x);
  check_derivatives(gg_div(gg_det(regular(x)), gg_scalar(g, GA_DOUBLE, 100)), 1,
                    &x);
}

static void determinants_have_signs(void **state) {
  const size_t sizes[3] = {3, 2, 2};
  const float v[12] = {0, 1, 1, 0, 1, 2, 2, 4, 3, 1, 1, 2};
  const float det[3] = {-1, 0, 5}, signs[3] = {-1, 0, 1};
  /* of the second one, which is singular, too */
  const float cofactors[12] = {0, -1, -1, 0, 4, -2, -2, 1, 2, -1, -1, 3};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 3), *sign, *logdet, *by;
  GpuArray gradient = {0};
  float got[12];

  (void)state;
  assert_ok(gg_slogdet(&sign, &logdet, x));
  assert_ok(gg_grad(&by, gg_sum(gg_det(x)), 1, &x));
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_det(x), sign, by)});
  float_array(&a, 3, sizes, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2, &gradient});
  assert_ok(GpuArray_read(got, sizeof got, &gradient));
  for (int i = 0; i < 12; i++)
    assert_true(fabsf(got[i] - cofactors[i]) < 1e-5f);
  GpuArray_clear(&gradient);
  assert_ok(GpuArray_read(got, 3 * sizeof *got, &out));
  for (int i = 0; i < 3; i++)
    assert_true(fabsf(got[i] - det[i]) < 1e-5f);
  assert_floats(&out2, signs, 3);
  gg_func_free(f);
}

static void qr_has_derivatives(void **state) {
  gg_var *x = input("x", 3, wide), *y = input("y", 3, dims), *q, *r;

  (void)state;
  test_need_double();
  test_need_full();
  fill(&a, 3, wide, 1);
  assert_ok(gg_qr(&q, &r, x, 0));
  check_derivatives(gg_sum_axis(q, 2), 1, &x);
  check_derivatives(r, 1, &x);
  assert_ok(gg_qr_pivoted(&q, &r, NULL, x, 0));
  check_derivatives(gg_add(gg_sum_axis(q, 1), gg_sum_axis(r, 1)), 1, &x);
  fill(&b, 3, dims, 2);
  check_derivatives(gg_lstsq(x, y), 2, (gg_var *[]){x, y});
  check_derivatives(gg_lstsq(swapped(x), gg_slice(y, 1, 0, 3, 1)), 2,
                    (gg_var *[]){x, y});
}

/* What the first three columns of Q decide, and what does not depend on the
 * basis that the others are. */
static gg_var *without_basis(gg_var *q) {
  gg_var *const first = gg_slice(q, 2, 0, 3, 1);
  gg_var *const rest = gg_slice(q, 2, 3, GG_END, 1);

  return gg_add(gg_sum_axis(first, 2),
                gg_sum_axis(each(rest, swapped(rest)), 2));
}

/* Full factors, and those of a matrix with more columns than rows, whose sizes
 * may be unknown. */
static void qr_of_other_sizes_has_derivatives(void **state) {
  gg_var *x = input("x", 3, wide), *y = gg_input(g, "y", GA_DOUBLE, 3), *q, *r;

  (void)state;
  test_need_double();
  fill(&a, 3, wide, 1);
  assert_ok(gg_qr(&q, &r, swapped(x), 0));
  check_derivatives(gg_add(gg_sum_axis(q, 2), gg_sum_axis(r, 2)), 1, &x);
  if (test_is_quick())
    return;
  assert_ok(gg_qr_pivoted(&q, &r, NULL, swapped(x), 1));
  check_derivatives(gg_add(gg_sum_axis(q, 1), gg_sum_axis(r, 2)), 1, &x);
  assert_ok(gg_qr(&q, &r, x, 1));
  check_derivatives(gg_add(without_basis(q), gg_sum_axis(r, 2)), 1, &x);
  assert_ok(gg_qr(&q, &r, y, 1));
  q = sized(q, 5, 5);
  check_derivatives(gg_add(without_basis(q), gg_sum_axis(r, 2)), 1, &y);
  GpuArray_clear(&a);
  fill(&a, 3, tall, 1);
  assert_ok(gg_qr(&q, &r, y, 0));
  r = sized(r, 3, 5);
  check_derivatives(gg_add(gg_sum_axis(q, 2), gg_sum_axis(r, 2)), 1, &y);
}

/* Of eigenvectors all but signs, which are chosen by the largest elements. */
static void eigenvalues_have_derivatives(void **state) {
  gg_var *x = input("x", 3, dims), *w, *v;

  (void)state;
  test_need_double();
  fill(&a, 3, dims, 1);
  assert_ok(gg_eigh(&w, &v, x, 0));
  check_derivatives(w, 1, &x);
  if (test_is_quick())
    return;
  check_derivatives(v, 1, &x);
  assert_ok(gg_eigh(&w, &v, x, GA_FACTOR_UPPER));
  check_derivatives(gg_mul(gg_sqr(v), gg_expand_dims(w, 1)), 1, &x);
}

/* Both parts of complex values, with different weights. */
static gg_var *parts(gg_var *z) {
  return gg_add(gg_real(z), gg_mul(gg_imag(z), gg_scalar(g, GA_DOUBLE, 2)));
}

/* Norms and phases are a part of the vectors' derivatives. */
static void general_eigenvalues_have_derivatives(void **state) {
  gg_var *x = input("x", 3, dims), *y = input("y", 3, dims), *w, *v;

  (void)state;
  test_need_double();
  fill(&a, 3, dims, 1);
  fill(&b, 3, dims, 2);
  assert_ok(gg_eig(&w, &v, x));
  assert_int_equal(gg_var_type(w)->dtype, GA_CDOUBLE);
  check_derivatives(parts(v), 1, &x);
  if (test_is_quick())
    return;
  check_derivatives(parts(gg_eigvals(x)), 1, &x);
  assert_ok(gg_eig(&w, &v, gg_complex(x, y)));
  check_derivatives(parts(gg_mul(v, gg_expand_dims(w, 1))), 2,
                    (gg_var *[]){x, y});
}

static void singular_values_have_derivatives(void **state) {
  gg_var *x = input("x", 3, wide), *y = input("y", 3, dims), *u, *s, *vt;

  (void)state;
  test_need_double();
  fill(&a, 3, wide, 1);
  assert_ok(gg_svd(&u, &s, &vt, x, 0));
  check_derivatives(s, 1, &x);
  if (test_is_quick())
    return;
  check_derivatives(gg_mul(u, gg_expand_dims(gg_sum_axis(vt, 2), 1)), 1, &x);
  assert_ok(gg_svd(&u, &s, &vt, swapped(x), 0));
  check_derivatives(gg_mul(gg_sum_axis(u, 1), gg_sum_axis(vt, 2)), 1, &x);
  assert_ok(gg_svd(&u, NULL, &vt, x, 1));
  check_derivatives(gg_mul(without_basis(u), gg_sum(vt)), 1, &x);
  assert_ok(gg_svd(&u, NULL, &vt, swapped(x), 1));
  check_derivatives(gg_mul(without_basis(swapped(vt)), gg_sum(u)), 1, &x);
  GpuArray_clear(&a);
  fill(&a, 3, dims, 1);
  assert_ok(gg_svd(&u, &s, &vt, y, 0));
  check_derivatives(gg_mul(u, vt), 1, &y);
}

/* The gradient of the trace is the identity, since vectors get none that is not
 * 0. */
static void equal_eigenvalues_have_a_gradient(void **state) {
  const size_t square[2] = {3, 3};
  const float v[9] = {2, 0, 0, 0, 2, 0, 0, 0, 1};
  const float one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *w, *q, *by_x;

  (void)state;
  assert_ok(gg_eigh(&w, &q, x, 0));
  gg_var *cost = gg_add(gg_sum(w), gg_sum(gg_sqr(q)));
  assert_ok(gg_grad(&by_x, cost, 1, &x));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(by_x)});
  float_array(&a, 2, square, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, one, 9);
  gg_func_free(f);
}

/* In debug mode each result is compared with the host's. */
static void results_are_those_of_the_host(void **state) {
  gg_var *x = input("x", 3, dims), *y = input("b", 3, wide);
  gg_var *l = gg_cholesky(definite(x), 0);
  gg_var *u = gg_cholesky(definite(swapped(x)), GA_FACTOR_UPPER);
  gg_var *q, *r, *r2, *w, *v, *u1, *s1, *v1, *u2, *s2, *v2, *by;
  assert_ok(gg_grad(&by, gg_sum(gg_add(gg_sqr(l), gg_sin(u))), 1, &x));
  assert_ok(gg_qr(&q, &r, y, 1));
  assert_ok(gg_qr_pivoted(NULL, &r2, NULL, y, 0));
  assert_ok(gg_eigh(&w, &v, x, GA_FACTOR_UPPER));
  assert_ok(gg_svd(&u1, &s1, &v1, y, 0));
  assert_ok(gg_svd(&u2, &s2, &v2, swapped(y), 0));
  gg_func *f = func_make(
      g, &(gg_func_spec){
             .inputs = GG_VARS(x, y),
             .outputs = GG_VARS(
                 gg_cholesky_solve(l, y, 0),
                 gg_cholesky_solve(u, y, GA_FACTOR_UPPER),
                 gg_solve(regular(x), y, 0),
                 gg_solve(regular(x), y, GA_FACTOR_TRANS), q, r, r2, w, v, u1,
                 s1, v1, u2, s2, v2,
                 gg_solve_banded(bands(x, 2), y, 2, GA_FACTOR_TRANS), by),
             .mode = GG_DEBUG});

  (void)state;
  test_need_double();
  fill(&a, 3, dims, 1);
  fill(&b, 3, wide, 2);
  GpuArray more[15] = {{NULL}};
  func_run(f, (GpuArray *[]){&a, &b},
           (GpuArray *[]){&out, &out2, &more[0], &more[1], &more[2], &more[3],
                          &more[4], &more[5], &more[6], &more[7], &more[8],
                          &more[9], &more[10], &more[11], &more[12], &more[13],
                          &more[14]});
  for (int i = 0; i < 15; i++)
    GpuArray_clear(&more[i]);
  gg_func_free(f);
}

/* The operand is overwritten if nothing else needs it, whatever its strides
 * are. */
static void operands_are_overwritten(void **state) {
  const size_t square[2] = {3, 3};
  const float v[9] = {8, 4, 4, 0, 10, 6, 0, 0, 12};
  const float want[9] = {2, 0, 0, 1, 2, 0, 1, 1, 2};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *y = gg_cholesky(gg_transpose(gg_mul(x, gg_f32(g, 0.5))), 0);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});

  (void)state;
  float_array(&a, 2, square, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, want, 9);
  gg_func_free(f);
}

/* They are computed in float32. */
static void narrow_floats_have_factors(void **state) {
  const size_t square[2] = {2, 2};
  const float v[4] = {4, 2, 2, 5}, one[4] = {1, 0, 0, 1}, l[4] = {2, 0, 1, 2};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *h = gg_cast(x, GA_HALF);
  gg_var *y = gg_cholesky(h, 0), *z = gg_solve(h, h, 0), *q, *r;

  (void)state;
  test_need_full();
  assert_ok(gg_qr(&q, &r, h, 0));
  assert_int_equal(gg_var_type(q)->dtype, GA_HALF);
  assert_int_equal(gg_var_type(gg_det(h))->dtype, GA_HALF);
  gg_var *p = gg_floor(gg_add(gg_cast(gg_dot(q, r), GA_FLOAT), gg_f32(g, 0.5)));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_cast(y, GA_FLOAT),
                                            gg_cast(z, GA_FLOAT), p)});
  GpuArray product = {0};
  float_array(&a, 2, square, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2, &product});
  assert_floats(&out, l, 4);
  assert_floats(&out2, one, 4);
  assert_floats(&product, v, 4);
  GpuArray_clear(&product);
  gg_func_free(f);
}

static void a_matrix_without_a_factor_gives_nan(void **state) {
  const size_t square[2] = {3, 3};
  const float v[9] = {4, 0, 0, 0, -1, 0, 0, 0, 1};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_cholesky(x, 0))});
  float got[9];

  (void)state;
  float_array(&a, 2, square, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_ok(GpuArray_read(got, sizeof got, &out));
  assert_true(got[0] == 2 && isnan(got[4]) && isnan(got[8]));
  gg_func_free(f);
}

static void nodes_are_saved(void **state) {
  (void)state;
  assert_same_text("x = input float64[5, 5]\n"
                   "b = input float64[5, 2]\n"
                   "l = cholesky(x)\n"
                   "u = cholesky{upper=true}(x)\n"
                   "aa = cholesky_gradient{upper=true}(u, x)\n"
                   "y = triangular_solve(l, b)\n"
                   "f, p, o = lu(x)\n"
                   "q, r = qr{full=true}(x)\n"
                   "n, g, t = qr_pivoted{full=true}(x)\n"
                   "w, v = eigh{upper=true}(x)\n"
                   "k, m = eig(x)\n"
                   "a = solve_banded{lower=2, trans=true}(x, b)\n"
                   "c, d, e = svd(x)\n"
                   "h, i, j = svd_full(x)\n"
                   "s = lu_solve{trans=true}(x, f, p, b)\n"
                   "z = triangular_solve{upper=true, trans=true, unit=true}(u, "
                   "y)\n");
  static const refused_text bad[] = {
      {"x = input float64[5, 5]\nl = cholesky{trans=true}(x)\n",
       "the only flag is upper"},
      {"x = input float64[5, 4]\nl = cholesky(x)\n", "5 x 4 is not square"},
      {"x = input float64[5, 4]\nw, v = eigh(x)\n", "5 x 4 is not square"},
      {"x = input float64[5]\nl = cholesky(x)\n", "expected a matrix"}};
  assert_texts_refused(4, bad);
}

static void what_does_not_fit_is_refused(void **state) {
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){3, 4});
  gg_var *s = gg_input_sized(g, "s", GA_FLOAT, 2, (int64_t[]){3, 3});
  gg_var *v = gg_input_sized(g, "v", GA_FLOAT, 1, (int64_t[]){4});

  (void)state;
  graph_refused(gg_cholesky(x, 0),
                "cholesky(float32[3, 4]): 3 x 4 is not square");
  graph_refused(gg_cholesky(v, 0),
                "cholesky(float32[4]): operand 0: expected a matrix");
  graph_refused(gg_cholesky(s, GA_FACTOR_UNIT),
                "cholesky(float32[3, 3]): flags 0x8 are not known");
  graph_refused(gg_triangular_solve(s, v, 0),
                "triangular_solve(float32[3, 3], float32[4, 1]): sizes 3 and 4 "
                "differ");
  graph_refused(gg_triangular_solve(s, x, GA_FACTOR_RIGHT),
                "triangular_solve(float32[3, 3], float32[3, 4]): sizes 3 and 4 "
                "differ");
  graph_refused(
      gg_solve(s, v, GA_FACTOR_UPPER),
      "solve(float32[3, 3], float32[4]): flags 0x1 do not go together");
  graph_refused(
      gg_solve(s, v, 0),
      "lu_solve(float32[3, 3], float32[3, 3], int32[3], float32[4, 1]): "
      "sizes 3 and 4 differ");
  graph_refused(gg_det(x), "det(float32[3, 4]): 3 x 4 is not square");
  graph_refused(gg_inverse(v, 0), "inverse(float32[4]): expected a matrix");
  graph_refused(gg_eigvalsh(x, 0), "eigh(float32[3, 4]): 3 x 4 is not square");
  graph_refused(gg_solve_banded(s, v, 3, 0),
                "solve_banded(float32[3, 3], float32[4, 1]): 3 rows of bands, "
                "expected more than the 3 diagonals below the main one");
  graph_refused(gg_solve_banded(s, v, 1, 0),
                "solve_banded(float32[3, 3], float32[4, 1]): sizes 3 and 4 "
                "differ");
  graph_refused(gg_eigvals(x), "eig(float32[3, 4]): 3 x 4 is not square");
  graph_refused(gg_eigvalsh(s, GA_FACTOR_TRANS),
                "eigh(float32[3, 3]): flags 0x2 are not known");
  assert_null(gg_cholesky(NULL, 0));
  gg_graph_reset_error(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(cholesky_has_derivatives, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(solves_have_derivatives, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(lu_has_derivatives, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(lu_of_other_sizes_has_derivatives,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(solutions_have_derivatives, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(determinants_have_derivatives,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(qr_has_derivatives, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(qr_of_other_sizes_has_derivatives,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(eigenvalues_have_derivatives, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(banded_solutions_have_derivatives,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(general_eigenvalues_have_derivatives,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(singular_values_have_derivatives,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(equal_eigenvalues_have_a_gradient,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(determinants_have_signs, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(results_are_those_of_the_host,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(operands_are_overwritten, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(narrow_floats_have_factors, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(a_matrix_without_a_factor_gives_nan,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(nodes_are_saved, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, graph_setup,
                                      graph_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
