/* SPDX-License-Identifier: BSD-2-Clause */
/* Every call of buffer_blas.h in every dtype, order, transpose, leading
 * dimension, offset, alpha and beta, against sums in double on the host.
 * Results are surrounded by NaN, and are NaN where they are not to be read. */
#include "blas/trial.h"

#include <gpuarray/buffer_blas.h>

/* --- gemm --- */

static int gemm(const trial *t, const operand *a, const operand *b,
                const operand *c) {
  if (t->typecode == GA_DOUBLE)
    return gpublas_dgemm(t->order, t->ta, t->tb, M, N, K, t->alpha, a->m.buf,
                         a->off, a->m.ld, b->m.buf, b->off, b->m.ld, t->beta,
                         c->m.buf, c->off, c->m.ld);
  return (t->typecode == GA_HALF ? gpublas_hgemm : gpublas_sgemm)(
      t->order, t->ta, t->tb, M, N, K, (float)t->alpha, a->m.buf, a->off,
      a->m.ld, b->m.buf, b->off, b->m.ld, (float)t->beta, c->m.buf, c->off,
      c->m.ld);
}

static void check_gemm(const trial *t) {
  operand a = operand_new(t, t->ta, M, K, 1, 1),
          b = operand_new(t, t->tb, K, N, 1, 2);
  operand c = operand_new(t, cb_no_trans, M, N, 1, t->beta == 0 ? 0 : 3);

  assert_ok(gemm(t, &a, &b, &c));
  for (size_t i = 0; i < M; i++)
    for (size_t j = 0; j < N; j++) {
      double sum = 0;

      for (size_t p = 0; p < K; p++)
        sum += get(&a, 0, i, p) * get(&b, 0, p, j);
      expect(&c, 0, i, j, sum, t);
    }
  matrix_check(&c.m, K);
  matrix_free(&a.m);
  matrix_free(&b.m);
  matrix_free(&c.m);
}

static void test_gemm(void **state) {
  (void)state;
  each_dtype(3, check_gemm);
}

/* --- gemv --- */

static int gemv(const trial *t, const operand *a, const operand *x, int incx,
                const operand *y, int incy) {
  const size_t m = t->ta == cb_no_trans ? M : N, n = M + N - m;

  if (t->typecode == GA_DOUBLE)
    return gpublas_dgemv(t->order, t->ta, m, n, t->alpha, a->m.buf, a->off,
                         a->m.ld, x->m.buf, x->off, incx, t->beta, y->m.buf,
                         y->off, incy);
  return (t->typecode == GA_HALF ? gpublas_hgemv : gpublas_sgemv)(
      t->order, t->ta, m, n, (float)t->alpha, a->m.buf, a->off, a->m.ld,
      x->m.buf, x->off, incx, (float)t->beta, y->m.buf, y->off, incy);
}

static void check_gemv(const trial *t) {
  const int incx = incs[t->tb], incy = incs[(t->tb + 1) % 3];
  operand a = operand_new(t, t->ta, M, N, 1, 1);
  operand x = vector_new(t, N, inc_size(incx), 1, 2);
  operand y = vector_new(t, M, inc_size(incy), 1, t->beta == 0 ? 0 : 3);

  assert_ok(gemv(t, &a, &x, incx, &y, incy));
  for (size_t i = 0; i < M; i++) {
    double sum = 0;

    for (size_t j = 0; j < N; j++)
      sum += get(&a, 0, i, j) * get(&x, 0, vector_row(j, N, incx), 0);
    expect(&y, 0, vector_row(i, M, incy), 0, sum, t);
  }
  matrix_check(&y.m, N);
  matrix_free(&a.m);
  matrix_free(&x.m);
  matrix_free(&y.m);
}

static void test_gemv(void **state) {
  (void)state;
  each_dtype(3, check_gemv);
}

/* --- ger, and with alpha and beta 1, dot --- */

static int ger(const trial *t, const operand *x, int incx, const operand *y,
               int incy, const operand *a) {
  if (t->typecode == GA_DOUBLE)
    return gpublas_dger(t->order, M, N, t->alpha, x->m.buf, x->off, incx,
                        y->m.buf, y->off, incy, a->m.buf, a->off, a->m.ld);
  return (t->typecode == GA_HALF ? gpublas_hger : gpublas_sger)(
      t->order, M, N, (float)t->alpha, x->m.buf, x->off, incx, y->m.buf, y->off,
      incy, a->m.buf, a->off, a->m.ld);
}

static void check_ger(const trial *t) {
  const int incx = incs[t->tb], incy = incs[(t->tb + 1) % 3];
  operand x = vector_new(t, M, inc_size(incx), 1, 1);
  operand y = vector_new(t, N, inc_size(incy), 1, 2);
  operand a = operand_new(t, cb_no_trans, M, N, 1, 3);
  trial added = *t;

  added.beta = 1;
  assert_ok(ger(t, &x, incx, &y, incy, &a));
  for (size_t i = 0; i < M; i++)
    for (size_t j = 0; j < N; j++)
      expect(&a, 0, i, j,
             get(&x, 0, vector_row(i, M, incx), 0) *
                 get(&y, 0, vector_row(j, N, incy), 0),
             &added);
  matrix_check(&a.m, 1);
  matrix_free(&x.m);
  matrix_free(&y.m);
  matrix_free(&a.m);
}

static void test_ger(void **state) {
  (void)state;
  each_dtype(3, check_ger);
}

static int dot(int typecode, const operand *x, size_t incx, const operand *y,
               size_t incy, const operand *z) {
  return (typecode == GA_DOUBLE ? gpublas_ddot
          : typecode == GA_HALF ? gpublas_hdot
                                : gpublas_sdot)(
      N, x->m.buf, x->off, incx, y->m.buf, y->off, incy, z->m.buf, z->off);
}

static void check_dot(const trial *t) {
  const size_t incx = inc_size(incs[t->ta]), incy = inc_size(incs[t->tb]);
  operand x = vector_new(t, N, incx, 1, 1), y = vector_new(t, N, incy, 1, 2);
  operand z = vector_new(t, 1, 1, 1, 0);
  double sum = 0;

  assert_ok(dot(t->typecode, &x, incx, &y, incy, &z));
  for (size_t i = 0; i < N; i++)
    sum += get(&x, 0, i, 0) * get(&y, 0, i, 0);
  test_set(z.m.host, t->typecode, z.off, sum);
  matrix_check(&z.m, N);
  matrix_free(&x.m);
  matrix_free(&y.m);
  matrix_free(&z.m);
}

static void test_dot(void **state) {
  (void)state;
  each_dtype(3, check_dot);
}

/* --- numbers that are not finite --- */

static double scaled(double alpha, double beta, double was) {
  const trial t = {
      .typecode = GA_FLOAT, .order = cb_row, .alpha = alpha, .beta = beta};
  operand a = operand_new(&t, cb_no_trans, M, K, 1, 1);
  operand b = operand_new(&t, cb_no_trans, K, N, 1, 2);
  operand c = operand_new(&t, cb_no_trans, M, N, 1, 3);

  test_set(c.m.host, GA_FLOAT, c.off, was);
  assert_ok(gpudata_write(c.m.buf, 0, c.m.host, c.m.n * sizeof(float)));
  assert_ok(gemm(&t, &a, &b, &c));
  float *got = matrix_read(&c.m);
  double v = (double)got[c.off];
  free(got);
  matrix_free(&a.m);
  matrix_free(&b.m);
  matrix_free(&c.m);
  return v;
}

/* As sums would have it: infinities stay, a factor of 0 wins over NaN only
 * where it says that nothing is read. */
static void test_not_finite(void **state) {
  (void)state;
  assert_true(isinf(scaled(1, 0.9998, (double)INFINITY)));
  assert_true(isinf(scaled(1, 0.5, (double)-INFINITY)));
  assert_true(isnan(scaled(1, 1, (double)NAN)));
  assert_true(isfinite(scaled(1, 0, (double)NAN)));
  assert_true(isnan(scaled((double)NAN, 0, 1)));
  assert_true(isinf(scaled((double)INFINITY, 0, 1)));
  assert_true(isinf(scaled(0, (double)INFINITY, 1)));
  assert_true(isnan(scaled(0, (double)NAN, 1)));
}

/* The first element of alpha A x + beta y, where y has `was` in its place. */
static double scaled_vector(double alpha, double beta, double was) {
  const trial t = {
      .typecode = GA_FLOAT, .order = cb_row, .alpha = alpha, .beta = beta};
  operand a = operand_new(&t, cb_no_trans, M, N, 1, 1);
  operand x = vector_new(&t, N, 1, 1, 2), y = vector_new(&t, M, 1, 1, 3);

  test_set(y.m.host, GA_FLOAT, y.off, was);
  assert_ok(gpudata_write(y.m.buf, 0, y.m.host, y.m.n * sizeof(float)));
  assert_ok(gemv(&t, &a, &x, 1, &y, 1));
  float *got = matrix_read(&y.m);
  double v = (double)got[y.off];
  free(got);
  matrix_free(&a.m);
  matrix_free(&x.m);
  matrix_free(&y.m);
  return v;
}

/* The first element of alpha x y + A, where x has `first` in its place. */
static double added(double alpha, double first) {
  const trial t = {.typecode = GA_FLOAT, .order = cb_row, .alpha = alpha};
  operand x = vector_new(&t, M, 1, 1, 1), y = vector_new(&t, N, 1, 1, 2);
  operand a = operand_new(&t, cb_no_trans, M, N, 1, 3);

  test_set(x.m.host, GA_FLOAT, x.off, first);
  assert_ok(gpudata_write(x.m.buf, 0, x.m.host, x.m.n * sizeof(float)));
  assert_ok(ger(&t, &x, 1, &y, 1, &a));
  float *got = matrix_read(&a.m);
  double v = (double)got[a.off];
  free(got);
  matrix_free(&x.m);
  matrix_free(&y.m);
  matrix_free(&a.m);
  return v;
}

static void test_not_finite_vectors(void **state) {
  (void)state;
  assert_true(isinf(scaled_vector(1, 0.9998, (double)INFINITY)));
  assert_true(isnan(scaled_vector(1, 1, (double)NAN)));
  assert_true(isfinite(scaled_vector(1, 0, (double)NAN)));
  assert_true(isnan(scaled_vector((double)NAN, 0, 1)));
  assert_true(isinf(scaled_vector((double)INFINITY, 0, 1)));
  assert_true(isinf(scaled_vector(0, (double)INFINITY, 1)));
  assert_true(isnan(scaled_vector(0, (double)NAN, 1)));
  assert_true(isfinite(added(1, 1)));
  assert_true(isnan(added(1, (double)NAN)));
  assert_true(isnan(added((double)NAN, 1)));
  assert_true(isinf(added((double)INFINITY, 1)));
  assert_true(isfinite(added(0, (double)NAN))); /* neither x nor y is read */
}

/* A factor of a sum of nothing does not count, whatever it is. */
static void test_nothing_to_scale(void **state) {
  const float nan = (float)NAN;
  const trial t = {.typecode = GA_FLOAT, .order = cb_row};
  operand c = operand_new(&t, cb_no_trans, M, N, 1, 3);
  const trial kept = {.beta = 1}, halved = {.beta = 0.5};

  (void)state;
  assert_ok(gpublas_sgemm(cb_row, cb_no_trans, cb_no_trans, M, N, 0, nan,
                          c.m.buf, 0, 1, c.m.buf, 0, N, 1, c.m.buf, c.off,
                          c.m.ld));
  assert_ok(gpublas_sgemv(cb_row, cb_no_trans, N, 0, nan, c.m.buf, 0, 1,
                          c.m.buf, 0, 1, 0.5f, c.m.buf, c.off, 1));
  for (size_t j = 0; j < N; j++)
    expect(&c, 0, 0, j, 0, &halved);
  for (size_t i = 1; i < M; i++)
    expect(&c, 0, i, 0, 0, &kept);
  matrix_check(&c.m, 1);
  matrix_free(&c.m);
}

static void set_or_not(const char *name, const char *value) {
  assert_int_equal(value == NULL ? unsetenv(name) : setenv(name, value, 1), 0);
}

/* Who computes a product in a context that is opened now, and could CLBlast? */
static const char *provider_now(int typecode, int *clblast_can) {
  enum { SIDE = 256 };
  gpucontext *ctx;
  GpuLaunchStats stats;
  GpuLaunch *l;
  ga__product g;

  assert_ok(gpucontext_open(&ctx, NULL));
  gpudata *d = gpudata_alloc(ctx, (size_t)3 * SIDE * SIDE * sizeof(double),
                             NULL, 0, NULL);
  assert_non_null(d);
  g = (ga__product){.routine = GA_ROUTINE_GEMM,
                    .ctx = ctx,
                    .typecode = typecode,
                    .m = SIDE,
                    .n = SIDE,
                    .k = SIDE,
                    .batch = 1,
                    .alpha = {1, 0},
                    .a = {.buf = d, .rs = SIDE, .cs = 1},
                    .b = {.buf = d, .off = 1 << 19, .rs = SIDE, .cs = 1},
                    .c = {.buf = d, .off = 1 << 20, .rs = SIDE, .cs = 1}};
  *clblast_can = ga__gemm_clblast.takes(&g);
  assert_ok(ga__product_prepare(&l, &g));
  assert_ok(GpuLaunch_stats(l, &stats));
  GpuLaunch_free(l);
  gpudata_release(d);
  gpucontext_deref(ctx);
  return stats.provider;
}

/* What the environment asks for counts from a context's first product on. */
static void test_environment(void **state) {
  static const char *const values[] = {"own", "clblast", "blast", NULL};
  static const int typecodes[] = {GA_FLOAT, GA_HALF, GA_DOUBLE};
  const gpudevice_caps *caps = gpucontext_caps(test_context());
  const char *was = getenv("GPUARRAY_BLAS");
  const ga__wish wish = ga__product_wish(test_context());

  (void)state;
  for (size_t i = 0; i < 4; i++) {
    set_or_not("GPUARRAY_BLAS", values[i]);
    assert_int_equal(ga__product_wish(test_context()).who, wish.who);
    for (size_t t = 0; t < (caps->fp64 ? 3 : 2); t++) {
      int can;
      const char *by = provider_now(typecodes[t], &can);

      if (i == 1 && can)
        assert_string_equal(by, "clblast");
      else if (i == 0 || caps->is_cpu || !can)
        assert_string_equal(by, "own");
    }
  }
  set_or_not("GPUARRAY_BLAS", was);
}

/* --- results in operands --- */

static int in_one(size_t off_a, size_t lda, size_t off_c, size_t ldc,
                  cb_order order, const matrix *all, const matrix *b) {
  return gpublas_sgemm(order, cb_no_trans, cb_no_trans, 4, 4, 4, 1, all->buf,
                       off_a, lda, b->buf, OFFSET, 4, 0, all->buf, off_c, ldc);
}

static void test_overlaps(void **state) {
  matrix all = matrix_new(GA_FLOAT, 20, 10, 0, 1, 1);
  matrix b = matrix_new(GA_FLOAT, 4, 4, 0, 1, 2);

  (void)state;
  /* Beside each other, below each other, one in the gaps of the other. */
  assert_ok(in_one(0, 10, 4, 10, cb_row, &all, &b));
  assert_ok(in_one(0, 10, 40, 10, cb_column, &all, &b));
  assert_ok(in_one(104, 10, 0, 10, cb_row, &all, &b));
  assert_ok(in_one(0, 4, 16, 10, cb_row, &all, &b));
  assert_code(GA_VALUE_ERROR, in_one(0, 10, 0, 10, cb_row, &all, &b));
  assert_message(GA_VALUE_ERROR, "C overlaps A");
  assert_code(GA_VALUE_ERROR, in_one(0, 10, 3, 10, cb_row, &all, &b));
  assert_code(GA_VALUE_ERROR, in_one(0, 10, 33, 10, cb_column, &all, &b));
  assert_code(GA_VALUE_ERROR, in_one(27, 10, 0, 10, cb_row, &all, &b));
  assert_code(GA_VALUE_ERROR, in_one(0, 4, 12, 10, cb_row, &all, &b));
  assert_code(GA_VALUE_ERROR, in_one(12, 10, 0, 4, cb_row, &all, &b));
  assert_code(GA_VALUE_ERROR,
              gpublas_sgemv(cb_row, cb_no_trans, 4, 4, 1, all.buf, 0, 10, b.buf,
                            8, 1, 0, b.buf, 11, -1));
  assert_message(GA_VALUE_ERROR, "Y overlaps X");
  assert_ok(gpublas_sgemv(cb_row, cb_no_trans, 4, 4, 1, all.buf, 0, 10, b.buf,
                          8, 1, 0, b.buf, 12, 1));
  assert_code(GA_VALUE_ERROR, gpublas_sger(cb_row, 4, 4, 1, all.buf, 12, 1,
                                           b.buf, 4, 1, all.buf, 0, 10));
  assert_message(GA_VALUE_ERROR, "A overlaps X");
  matrix_free(&all);
  matrix_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemm),
      cmocka_unit_test(test_gemv),
      cmocka_unit_test(test_ger),
      cmocka_unit_test(test_dot),
      cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_not_finite_vectors),
      cmocka_unit_test(test_nothing_to_scale),
      cmocka_unit_test(test_environment),
      cmocka_unit_test(test_overlaps),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
