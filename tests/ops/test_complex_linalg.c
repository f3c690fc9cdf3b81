/* SPDX-License-Identifier: BSD-2-Clause */
/* Cholesky and LU factors of complex matrices in graphs, and solving with them:
 * gradients and forward derivatives against differences, results against the
 * host's in debug mode, texts, refusals. */
#include "support/derivatives.h"

#include "support/roundtrip.h"

#include <math.h>

#include "ops/complex_batches.h"

enum {
  UPPER = GA_FACTOR_UPPER,
  TRANS = GA_FACTOR_TRANS,
  CONJ_TRANS = GA_FACTOR_CONJ_TRANS,
  RIGHT = GA_FACTOR_RIGHT,
  UNIT = GA_FACTOR_UNIT,
  POSITIVE = GA_FACTOR_POSITIVE,
  SYMMETRIC = GA_FACTOR_SYMMETRIC,
  HERMITIAN = GA_FACTOR_HERMITIAN
};

static const size_t square[3] = {2, 4, 4}, wide[3] = {2, 4, 3},
                    pairs[3] = {2, 2, 2};

static gg_var *plus(gg_var *x, double v) {
  const int dtype = gg_var_type(x)->dtype;

  return gg_add(x, gg_mul(gg_eye(gg_i64(g, 4), gg_i64(g, 4), 0, dtype),
                          gg_scalar(g, dtype, v)));
}

/* A Hermitian matrix with a factor, and more in one triangle and in imaginary
 * parts on the diagonal. */
static gg_var *definite(gg_var *x) {
  return gg_add(plus(gg_batched_dot(x, adjoint(x)), 2),
                gg_mul(x, gg_scalar(g, gg_var_type(x)->dtype, 0.25)));
}

/* x with a large diagonal in another order of rows. */
static gg_var *regular(gg_var *x) {
  return gg_roll(plus(x, 3), 2, 1);
}

/* Bands with a large main diagonal, which is a row of x. */
static gg_var *bands(gg_var *x, int64_t row_of_main) {
  const int dtype = gg_var_type(x)->dtype;
  gg_var *const is_main = gg_eq(gg_positions(x, -2), gg_i64(g, row_of_main));

  return gg_add(x, gg_mul(gg_cast(is_main, dtype), gg_scalar(g, dtype, 3)));
}

static void cholesky_has_derivatives(void **state) {
  gg_var *x = input("x", GA_CDOUBLE, square);

  (void)state;
  test_need_double();
  fill(&a, GA_CDOUBLE, square, 1);
  check_derivatives(gg_cholesky(definite(x), 0), 1, &x);
}

static void solves_have_derivatives(void **state) {
  static const int flags[] = {UPPER | CONJ_TRANS, TRANS | RIGHT | UNIT, RIGHT};
  gg_var *x = input("x", GA_CDOUBLE, square), *y = input("y", GA_CDOUBLE, wide);
  gg_var *in[2] = {x, y};

  (void)state;
  test_need_double();
  fill(&a, GA_CDOUBLE, square, 1);
  fill(&b, GA_CDOUBLE, wide, 2);
  for (int k = 0; k < (test_is_quick() ? 1 : 3); k++) {
    gg_var *const right = flags[k] & RIGHT ? gg_swapaxes(y, -1, -2) : y;

    check_derivatives(gg_triangular_solve(plus(x, 3), right, flags[k]), 2, in);
  }
}

static void solutions_have_derivatives(void **state) {
  static const int flags[] = {CONJ_TRANS, HERMITIAN | UPPER,
                              POSITIVE | TRANS | UPPER, SYMMETRIC | TRANS};
  gg_var *x = input("x", GA_CDOUBLE, square), *y = input("y", GA_CDOUBLE, wide);
  gg_var *factors, *in[2] = {x, y};

  (void)state;
  test_need_double();
  fill(&a, GA_CDOUBLE, square, 1);
  fill(&b, GA_CDOUBLE, wide, 2);
  for (int k = 0; k < (test_is_quick() ? 2 : 4); k++) {
    gg_var *const m =
        flags[k] & (POSITIVE | HERMITIAN) ? definite(x) : regular(x);

    check_derivatives(gg_solve(m, y, flags[k]), 2, in);
  }
  if (test_is_quick())
    return;
  assert_ok(gg_lu(&factors, NULL, NULL, regular(x)));
  check_derivatives(factors, 1, &x);
  /* Of a matrix with more columns than rows. */
  assert_ok(gg_lu(&factors, NULL, NULL, gg_slice(regular(x), 1, 0, 3, 1)));
  check_derivatives(factors, 1, &x);
}

static void banded_solutions_have_derivatives(void **state) {
  const size_t two[3] = {2, 2, 4};
  gg_var *x = input("x", GA_CDOUBLE, two), *y = input("y", GA_CDOUBLE, wide);

  (void)state;
  test_need_double();
  fill(&a, GA_CDOUBLE, two, 1);
  fill(&b, GA_CDOUBLE, wide, 2);
  check_derivatives(gg_solve_banded(bands(x, 0), y, 1, CONJ_TRANS), 2,
                    (gg_var *[]){x, y});
}

static void exponentials_have_derivatives(void **state) {
  gg_var *x = input("x", GA_CDOUBLE, pairs);

  (void)state;
  test_need_double();
  test_need_full();
  fill(&a, GA_CDOUBLE, pairs, 1);
  check_derivatives(gg_matrix_exp(x), 1, &x);
}

/* exp(i t ((0, 1), (1, 0))) has cosines on the diagonal and sines beside it;
 * and that of a matrix that is not finite is NaN. */
static void exponentials_have_values(void **state) {
  static const float t[3] = {1, 40, NAN};
  float v[24] = {0}, got[24];
  gg_var *x = gg_input(g, "x", GA_CFLOAT, 3);
  GpuArray y = {0};

  (void)state;
  for (int z = 0; z < 3; z++)
    v[8 * z + 3] = v[8 * z + 5] = t[z];
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_matrix_exp(x))});
  test_array(&a, GA_CFLOAT, 3, (size_t[]){3, 2, 2}, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&y});
  assert_ok(GpuArray_read(got, sizeof got, &y));
  for (int z = 0; z < 2; z++)
    for (int i = 0; i < 8; i++) {
      const float want = i == 0 || i == 6   ? cosf(t[z])
                         : i == 3 || i == 5 ? sinf(t[z])
                                            : 0;

      assert_true(fabsf(got[8 * z + i] - want) < 1e-4f);
    }
  for (int i = 16; i < 24; i += 2)
    assert_true(isnan(got[i]));
  GpuArray_clear(&y);
  gg_func_free(f);
}

static void determinants_have_derivatives(void **state) {
  gg_var *x = input("x", GA_CDOUBLE, square), *sign, *logdet;

  (void)state;
  test_need_double();
  fill(&a, GA_CDOUBLE, square, 1);
  assert_ok(gg_slogdet(&sign, &logdet, regular(x)));
  assert_int_equal(gg_var_type(sign)->dtype, GA_CDOUBLE);
  assert_int_equal(gg_var_type(logdet)->dtype, GA_DOUBLE);
  check_derivatives(gg_mul(sign, logdet), 1, &x);
  if (test_is_quick())
    return;
  check_derivatives(gg_det(regular(x)), 1, &x);
}

/* [[i, 2], [3, 4i]] has the determinant -10. */
static void determinants_have_signs(void **state) {
  const float v[8] = {0, 1, 2, 0, 3, 0, 0, 4};
  gg_var *x = gg_input(g, "x", GA_CFLOAT, 2), *sign, *logdet;
  GpuArray det = {0};
  float got[5];

  (void)state;
  assert_ok(gg_slogdet(&sign, &logdet, x));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(sign, logdet, gg_det(x))});
  test_array(&a, GA_CFLOAT, 2, (size_t[]){2, 2}, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2, &det});
  assert_ok(GpuArray_read(got, 8, &out));
  assert_ok(GpuArray_read(got + 2, 4, &out2));
  assert_ok(GpuArray_read(got + 3, 8, &det));
  assert_true(fabsf(got[0] + 1) < 1e-6f && fabsf(got[1]) < 1e-6f);
  assert_true(fabsf(got[2] - logf(10)) < 1e-6f);
  assert_true(fabsf(got[3] + 10) < 1e-5f && fabsf(got[4]) < 1e-5f);
  GpuArray_clear(&det);
  gg_func_free(f);
}

/* In debug mode each result is compared with the host's. */
static void results_are_those_of_the_host(void **state) {
  gg_var *x = input("x", GA_CFLOAT, square), *y = input("y", GA_CFLOAT, wide);
  gg_var *all[11] = {NULL};
  GpuArray got[10] = {{0}}, *list[10];

  (void)state;
  all[0] = gg_cholesky(definite(x), 0);
  all[1] = gg_cholesky_solve(gg_cholesky(definite(x), UPPER), y, UPPER);
  all[2] = gg_triangular_solve(plus(x, 3), y, TRANS);
  all[3] = gg_triangular_solve(plus(x, 3), adjoint(y), RIGHT | CONJ_TRANS);
  all[4] = gg_solve(regular(x), y, CONJ_TRANS);
  all[5] = gg_solve(definite(x), y, POSITIVE | TRANS);
  all[6] = gg_inverse(regular(x), 0);
  all[7] = gg_det(x);
  assert_ok(gg_lu(&all[8], NULL, NULL, y));
  all[9] = gg_solve_banded(bands(x, 2), y, 1, TRANS);
  for (int i = 0; i < 10; i++)
    list[i] = &got[i];
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                            .outputs = all,
                                            .mode = GG_DEBUG});
  fill(&a, GA_CFLOAT, square, 1);
  fill(&b, GA_CFLOAT, wide, 2);
  func_run(f, (GpuArray *[]){&a, &b}, list);
  for (int i = 0; i < 10; i++)
    GpuArray_clear(&got[i]);
  gg_func_free(f);
}

/* Of real matrices both transposes are one node; texts have the flag. */
static void flags_are_kept(void **state) {
  static const refused_text bad[] = {
      {"x = input complex64[3, 3]\n"
       "y = triangular_solve{trans=true, conj_trans=true}(x, x)\n",
       "the transpose or the conjugate transpose"}};
  gg_var *r = gg_input_sized(g, "r", GA_FLOAT, 2, (int64_t[]){3, 3});
  gg_var *z = gg_input_sized(g, "z", GA_CFLOAT, 2, (int64_t[]){3, 3});

  (void)state;
  assert_ptr_equal(gg_triangular_solve(r, r, CONJ_TRANS),
                   gg_triangular_solve(r, r, TRANS));
  assert_ptr_not_equal(gg_triangular_solve(z, z, CONJ_TRANS),
                       gg_triangular_solve(z, z, TRANS));
  assert_texts_refused(1, bad);
  graph_refused(gg_solve(z, z, TRANS | CONJ_TRANS),
                "solve(complex64[3, 3], complex64[3, 3]): flags 0x42 do not go "
                "together");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(cholesky_has_derivatives, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(solves_have_derivatives, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(solutions_have_derivatives, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(banded_solutions_have_derivatives,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(exponentials_have_derivatives,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(exponentials_have_values, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(determinants_have_derivatives,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(determinants_have_signs, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(results_are_those_of_the_host,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(flags_are_kept, graph_setup,
                                      graph_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
