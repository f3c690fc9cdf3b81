/* SPDX-License-Identifier: BSD-2-Clause */
/* Factors of complex matrices with unitary ones, in graphs: gradients and
 * forward derivatives against differences, results against the host's in debug
 * mode, types. */
#include "support/derivatives.h"

#include <math.h>

#include "ops/complex_batches.h"

static const size_t square[3] = {2, 4, 4}, tall[3] = {2, 5, 3},
                    right[3] = {2, 5, 2};

/* x diag(w) y, which does not depend on phases that x and y share. */
static gg_var *between(gg_var *x, gg_var *w, gg_var *y) {
  return gg_batched_dot(gg_mul(x, gg_expand_dims(w, 1)), y);
}

/* R has a real diagonal, so Q and R have no phases to choose. */
static void qr_has_derivatives(void **state) {
  gg_var *x = input("x", GA_CDOUBLE, tall), *y = input("y", GA_DOUBLE, right);
  gg_var *q, *r;

  (void)state;
  test_need_double();
  fill(&a, GA_CDOUBLE, tall, 1);
  fill(&b, GA_DOUBLE, right, 2);
  check_derivatives(gg_lstsq(x, y), 2, (gg_var *[]){x, y});
  if (test_is_quick())
    return;
  assert_ok(gg_qr(&q, &r, x, 0));
  check_derivatives(gg_add(gg_slice(q, 1, 0, 3, 1), r), 1, &x);
  assert_ok(gg_qr_pivoted(&q, &r, NULL, x, 0));
  check_derivatives(gg_add(gg_slice(q, 1, 0, 3, 1), r), 1, &x);
  assert_ok(gg_qr(&q, &r, adjoint(x), 0));
  check_derivatives(gg_add(q, gg_slice(r, 2, 1, 4, 1)), 1, &x);
  assert_ok(gg_qr(&q, NULL, x, 1));
  gg_var *rest = gg_slice(q, 2, 3, GG_END, 1);
  check_derivatives(gg_batched_dot(rest, adjoint(rest)), 1, &x);
  check_derivatives(gg_lstsq(adjoint(x), gg_slice(y, 1, 0, 3, 1)), 2,
                    (gg_var *[]){x, y});
}

static void eigenvalues_have_derivatives(void **state) {
  gg_var *x = input("x", GA_CDOUBLE, square), *w, *v;

  (void)state;
  test_need_double();
  fill(&a, GA_CDOUBLE, square, 1);
  assert_ok(gg_eigh(&w, &v, x, 0));
  assert_int_equal(gg_var_type(w)->dtype, GA_DOUBLE);
  assert_int_equal(gg_var_type(v)->dtype, GA_CDOUBLE);
  check_derivatives(between(v, gg_sin(w), adjoint(v)), 1, &x);
  if (test_is_quick())
    return;
  /* The first vector alone. */
  assert_ok(gg_eigh(NULL, &v, x, GA_FACTOR_UPPER));
  gg_var *first = gg_slice(v, 2, 0, 1, 1);
  check_derivatives(gg_batched_dot(first, adjoint(first)), 1, &x);
}

static void singular_values_have_derivatives(void **state) {
  gg_var *x = input("x", GA_CDOUBLE, tall), *u, *s, *vt;

  (void)state;
  test_need_double();
  fill(&a, GA_CDOUBLE, tall, 1);
  assert_ok(gg_svd(&u, &s, &vt, x, 0));
  assert_int_equal(gg_var_type(s)->dtype, GA_DOUBLE);
  check_derivatives(between(u, gg_sin(s), vt), 1, &x);
  if (test_is_quick())
    return;
  assert_ok(gg_svd(&u, &s, &vt, gg_swapaxes(x, -1, -2), 0));
  check_derivatives(between(u, gg_sin(s), vt), 1, &x);
  assert_ok(gg_svd(NULL, NULL, &vt, gg_swapaxes(x, -1, -2), 1));
  gg_var *rest = gg_slice(vt, 1, 3, GG_END, 1);
  check_derivatives(gg_batched_dot(adjoint(rest), rest), 1, &x);
}

/* Also those of a lower rank than their sizes. */
static void pseudo_inverses_have_derivatives(void **state) {
  gg_var *x = input("x", GA_CDOUBLE, tall);

  (void)state;
  test_need_double();
  fill(&a, GA_CDOUBLE, tall, 1);
  check_derivatives(gg_pinv(x, -1), 1, &x);
  if (test_is_quick())
    return;
  check_derivatives(gg_pinv(gg_batched_dot(x, adjoint(x)), 1e-10), 1, &x);
}

static void norms_are_real(void **state) {
  static const gg_matrix_norm_kind kinds[] = {GG_NORM_FROBENIUS,
                                              GG_NORM_NUCLEAR, GG_NORM_SPECTRAL,
                                              GG_NORM_COLUMNS, GG_NORM_ROWS};
  /* [[3i, 0], [0, 4]] and its double with another row. */
  const float v[8] = {0, 3, 0, 0, 0, 0, 4, 0};
  const float want[5] = {5, 7, 4, 4, 4};
  gg_var *x = gg_input(g, "x", GA_CFLOAT, 2), *y[9] = {NULL};
  GpuArray got[8] = {{0}}, *list[8];
  float value;
  int64_t rank;

  (void)state;
  for (int i = 0; i < 5; i++)
    y[i] = gg_matrix_norm(x, kinds[i]);
  y[5] = gg_cond(x, GG_NORM_SPECTRAL);
  y[6] = gg_cond(x, GG_NORM_ROWS);
  y[7] = gg_matrix_rank(x, -1);
  for (int i = 0; i < 8; i++)
    list[i] = &got[i];
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = y});
  test_array(&a, GA_CFLOAT, 2, (size_t[]){2, 2}, v);
  func_run(f, (GpuArray *[]){&a}, list);
  for (int i = 0; i < 7; i++) {
    assert_ok(GpuArray_read(&value, sizeof value, &got[i]));
    assert_true(fabsf(value - (i < 5 ? want[i] : 4.0f / 3)) < 1e-5f);
    GpuArray_clear(&got[i]);
  }
  assert_ok(GpuArray_read(&rank, sizeof rank, &got[7]));
  assert_int_equal(rank, 2);
  GpuArray_clear(&got[7]);
  gg_func_free(f);
}

/* In debug mode each result is compared with the host's. */
static void results_are_those_of_the_host(void **state) {
  gg_var *x = input("x", GA_CFLOAT, square), *y = input("y", GA_CFLOAT, tall);
  gg_var *all[14] = {NULL};
  GpuArray got[13] = {{0}}, *list[13];

  (void)state;
  assert_ok(gg_qr(&all[0], &all[1], y, 1));
  assert_ok(gg_eigh(&all[2], &all[3], x, GA_FACTOR_UPPER));
  assert_ok(gg_svd(&all[4], &all[5], &all[6], y, 0));
  assert_ok(gg_svd(&all[7], &all[8], &all[9], gg_swapaxes(y, -1, -2), 0));
  assert_ok(gg_qr_pivoted(&all[10], &all[11], &all[12], y, 0));
  for (int i = 0; i < 13; i++)
    list[i] = &got[i];
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                            .outputs = all,
                                            .mode = GG_DEBUG});
  fill(&a, GA_CFLOAT, square, 1);
  fill(&b, GA_CFLOAT, tall, 2);
  func_run(f, (GpuArray *[]){&a, &b}, list);
  for (int i = 0; i < 13; i++)
    GpuArray_clear(&got[i]);
  gg_func_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(qr_has_derivatives, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(eigenvalues_have_derivatives, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(singular_values_have_derivatives,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(pseudo_inverses_have_derivatives,
                                      graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(norms_are_real, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(results_are_those_of_the_host,
                                      graph_setup, graph_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
