/* SPDX-License-Identifier: BSD-2-Clause */
/* Solutions with matrices of which one triangle is read: the other one is
 * NaN. */
#include <gpuarray/factor.h>

#include "factor/complex_matrices.h"

enum { R = 3 };

/* Element (i, j) of the matrix that the flags and a triangle of a say. */
static number meant(const numbers *a, size_t i, size_t j, int flags) {
  const int is_upper = (flags & GA_FACTOR_UPPER) != 0;
  const int is_read = i == j || (i < j) == is_upper;

  if (i == j && flags & GA_FACTOR_UNIT)
    return 1;
  if (flags & GA_FACTOR_TRIANGULAR)
    return is_read ? *at(a, 0, i, j) : 0;
  if (flags & GA_FACTOR_HERMITIAN)
    return i == j    ? creal(*at(a, 0, i, j))
           : is_read ? *at(a, 0, i, j)
                     : conj(*at(a, 0, j, i));
  return is_read ? *at(a, 0, i, j) : *at(a, 0, j, i);
}

static void make_real(GpuArray *a, const numbers *x, int typecode) {
  host h = host_new(0, NULL, x->m, x->n);

  for (size_t i = 0; i < total(x); i++)
    h.v[i] = creal(x->v[i]);
  make(a, &h, typecode, ROWS);
  free(h.v);
}

static void read_real(numbers *x, const GpuArray *a) {
  host h = host_new(0, NULL, x->m, x->n);

  host_read(&h, a);
  for (size_t i = 0; i < total(x); i++)
    x->v[i] = h.v[i];
  free(h.v);
}

static void fill(numbers *x, int is_complex) {
  for (size_t i = 0; i < total(x); i++)
    x->v[i] = is_complex ? draw_number(1) : draw_value();
  for (size_t i = 0; i < total(x); i++)
    x->v[i] = (float)creal(x->v[i]) + I * (float)cimag(x->v[i]);
}

static void check_kind(size_t n, int typecode, int flags) {
  const int is_complex = typecode == GA_CFLOAT;
  numbers a = zeros(0, NULL, n, n), whole = zeros(0, NULL, n, n),
          b = zeros(0, NULL, n, R), x = zeros(0, NULL, n, R);
  GpuArray da, db, dx, info;
  int32_t got = -1;

  fill(&a, is_complex);
  fill(&b, is_complex);
  for (size_t i = 0; i < n; i++)
    *at(&a, 0, i, i) += 4;
  for (size_t i = 0; i < n * n; i++)
    whole.v[i] = meant(&a, i / n, i % n, flags);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      if (i != j && (i < j) != ((flags & GA_FACTOR_UPPER) != 0))
        *at(&a, 0, i, j) = NAN;
  if (is_complex) {
    to_array(&da, &a, typecode, ROWS);
    to_array(&db, &b, typecode, ROWS);
  } else {
    make_real(&da, &a, typecode);
    make_real(&db, &b, typecode);
  }
  assert_ok(GpuArray_solve(&dx, &info, &da, &db, flags));
  assert_ok(GpuArray_read(&got, sizeof got, &info));
  assert_int_equal(got, 0);
  if (is_complex)
    from_array(&x, &dx);
  else
    read_real(&x, &dx);
  numbers p =
      product(&whole, flags & (GA_FACTOR_TRANS | GA_FACTOR_CONJ_TRANS), &x, 0);
  expect_near("op(A) X - B", &p, &b, &whole, (double)n * norm_of(&x, 0),
              GA_FLOAT);
  GpuArray_clear(&da);
  GpuArray_clear(&db);
  GpuArray_clear(&dx);
  GpuArray_clear(&info);
  free(a.v);
  free(whole.v);
  free(b.v);
  free(x.v);
  free(p.v);
}

static void all_kinds(void) {
  const int upper = GA_FACTOR_UPPER, lower = 0;

  check_kind(20, GA_FLOAT, GA_FACTOR_SYMMETRIC | lower);
  check_kind(20, GA_FLOAT, GA_FACTOR_HERMITIAN | upper | GA_FACTOR_TRANS);
  check_kind(20, GA_FLOAT, GA_FACTOR_TRIANGULAR | lower | GA_FACTOR_TRANS);
  check_kind(5, GA_FLOAT, GA_FACTOR_TRIANGULAR | upper | GA_FACTOR_UNIT);
  check_kind(9, GA_CFLOAT, GA_FACTOR_SYMMETRIC | upper);
  check_kind(9, GA_CFLOAT, GA_FACTOR_HERMITIAN | upper);
  check_kind(9, GA_CFLOAT, GA_FACTOR_HERMITIAN | lower | GA_FACTOR_TRANS);
  check_kind(9, GA_CFLOAT, GA_FACTOR_TRIANGULAR | upper | GA_FACTOR_CONJ_TRANS);
}

static void test_kinds(void **state) {
  (void)state;
  test_mappings(all_kinds);
}

static void test_refusals(void **state) {
  static const struct {
    int flags;
    const char *message;
  } bad[] = {{GA_FACTOR_SYMMETRIC | GA_FACTOR_TRIANGULAR,
              "flags 0xa0: more than one kind of matrix"},
             {GA_FACTOR_UPPER,
              "flags 0x1: upper is for matrices of which one triangle is read"},
             {GA_FACTOR_SYMMETRIC | GA_FACTOR_UNIT,
              "flags 0x88: unit is for triangular matrices"},
             {GA_FACTOR_RIGHT, "flags 0x4 are not known"}};
  const float v[4] = {1, 0, 0, 1};
  GpuArray a, x;

  (void)state;
  test_array(&a, GA_FLOAT, 2, (size_t[]){2, 2}, v);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_code(GA_VALUE_ERROR, GpuArray_solve(&x, NULL, &a, &a, bad[i].flags));
    assert_message(GA_VALUE_ERROR, bad[i].message);
  }
  GpuArray_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinds),
      cmocka_unit_test(test_refusals),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
