/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex products with vectors against sums in double on the host: gemv, ger
 * and dot with every layout, conjugate and increment, cuts along rows and
 * columns. Results are surrounded by NaN, and are NaN when beta is 0. */
#include "blas/complex_data.h"

#include <gpuarray/device.h>

static const ga_complex none = {0, 0}, one = {1, 0}, other = {0.5, -2};

/* --- gemv --- */

/* y = alpha a x + beta y, a conjugated or not, and x. */
static void expect_gemv(grid *y, const factor *a, const factor *x, size_t m,
                        size_t n, ga_complex alpha, ga_complex beta) {
  expect_gemm(y, a, x, 0, m, 1, n, alpha, beta);
}

typedef struct sizes {
  size_t m, n;
  ga_complex alpha, beta;
} sizes;

/* Around vectors and rows at a time; nothing to do; long both ways. */
static const sizes shapes[] = {
    {1, 1, {1, 0}, {0, 0}},     {3, 7, {1, 0}, {0, 0}},
    {4, 8, {0, 1}, {1, 0}},     {5, 9, {-1, 0}, {0, -1}},
    {17, 33, {1, 1}, {0.5, 2}}, {0, 4, {1, 0}, {0, 0}},
    {6, 0, {1, 0}, {0, 0}},     {6, 0, {1, 0}, {0, 2}},
    {20, 30, {0, 0}, {1, -1}},  {261, 40, {1, 0}, {0, 0}},
    {3, 9001, {1, 0}, {1, 0}},  {700, 131, {1, 0}, {0, 0}},
    {8, 4096, {0, 1}, {0, 0}},  {4200, 9, {1, 0}, {1, 0}},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

/* How A lies, gaps and conjugates: bits. */
enum { COLS = 1, GAPS = 2, CONJ_A = 4, CONJ_X = 8, WAYS = 16 };

static void check_gemv(const ga__provider *who, int typecode, int way,
                       const sizes *s) {
  const int by_rows = !(way & COLS);
  const ptrdiff_t inc = way & GAPS ? -2 : 1;
  grid a, x, y;
  ga__product g;
  GpuLaunch *l;

  grid_new(&a, typecode, by_rows, s->m, s->n, (by_rows ? s->n : s->m) + 3, 1,
           1);
  vector_new(&x, typecode, s->n, inc, 2);
  vector_new(&y, typecode, s->m, 2 * inc, ga__complex_is_zero(s->beta) ? 0 : 3);
  g = (ga__product){.routine = GA_ROUTINE_GEMV,
                    .batch = 1,
                    .ctx = test_context(),
                    .typecode = typecode,
                    .m = s->m,
                    .n = 1,
                    .k = s->n,
                    .alpha = s->alpha,
                    .beta = s->beta,
                    .conj_a = way & CONJ_A,
                    .conj_b = way & CONJ_X,
                    .a = grid_operand(&a, 0),
                    .b = grid_operand(&x, 1),
                    .c = grid_operand(&y, 2)};
  factor fa = (factor){&a, way & CONJ_A};
  factor fx = (factor){&x, way & CONJ_X};
  assert_ok(ga__product_prepare_by(&l, &g, who));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  expect_gemv(&y, &fa, &fx, s->m, s->n, s->alpha, s->beta);
  numbers_check(&y.v, s->n);
  grid_free(&a);
  grid_free(&x);
  grid_free(&y);
}

static void check_ways(const ga__provider *who, int typecode, int step) {
  for (int way = 0; way < WAYS; way += step)
    for (size_t i = 0; i < N_SHAPES; i++)
      check_gemv(who, typecode, way, &shapes[i]);
}

static void test_gemv_cpu(void **state) {
  (void)state;
  check_ways(&ga__gemv_cpu, GA_CFLOAT, 1);
}

static void test_gemv_gpu(void **state) {
  (void)state;
  test_need_gpu_mapping();
  check_ways(&ga__gemv_gpu, GA_CFLOAT, 1);
}

static void test_gemv_double(void **state) {
  (void)state;
  test_need_double();
  check_ways(&ga__gemv_cpu, GA_CDOUBLE, 3);
  test_need_gpu_mapping();
  check_ways(&ga__gemv_gpu, GA_CDOUBLE, 7);
}

/* Neither stride of A is 1, and one runs backwards. */
static void check_strided(const ga__provider *who) {
  const size_t m = 21, n = 43;
  grid a, x, y;
  ga__product g;
  GpuLaunch *l;

  grid_new(&a, GA_CFLOAT, 1, m, 2 * n, 2 * n, 1, 1);
  vector_new(&x, GA_CFLOAT, n, 3, 2);
  vector_new(&y, GA_CFLOAT, m, 1, 0);
  a.off += (m - 1) * 2 * n;
  a.rs = -a.rs;
  a.cs = 2;
  g = (ga__product){.routine = GA_ROUTINE_GEMV,
                    .batch = 1,
                    .ctx = test_context(),
                    .typecode = GA_CFLOAT,
                    .m = m,
                    .n = 1,
                    .k = n,
                    .alpha = other,
                    .a = grid_operand(&a, 0),
                    .b = grid_operand(&x, 1),
                    .c = grid_operand(&y, 2)};
  factor fa = (factor){&a, 0};
  factor fx = (factor){&x, 0};
  assert_ok(ga__product_prepare_by(&l, &g, who));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  expect_gemv(&y, &fa, &fx, m, n, other, none);
  numbers_check(&y.v, n);
  grid_free(&a);
  grid_free(&x);
  grid_free(&y);
}

static void test_gemv_strided(void **state) {
  (void)state;
  check_strided(&ga__gemv_cpu);
  test_need_gpu_mapping();
  check_strided(&ga__gemv_gpu);
}

/* The calls, by order and op; sizes are those of A before op. */
static void call_gemv(int typecode, cb_order order, cb_transpose trans,
                      ga_complex beta) {
  enum { ROWS = 11, COLUMNS = 18 };
  const int turned = trans != cb_no_trans;
  const size_t m = turned ? COLUMNS : ROWS, n = turned ? ROWS : COLUMNS;
  const int by_rows = (order == cb_row) == !turned;
  const size_t lda = (by_rows ? n : m) + 1;
  grid a, x, y;

  grid_new(&a, typecode, by_rows, m, n, lda, 1, 1);
  vector_new(&x, typecode, n, -2, 2);
  vector_new(&y, typecode, m, 3, ga__complex_is_zero(beta) ? 0 : 3);
  factor fa = (factor){&a, trans == cb_conj_trans};
  factor fx = (factor){&x, 0};
  assert_ok((typecode == GA_CFLOAT ? gpublas_cgemv : gpublas_zgemv)(
      order, trans, ROWS, COLUMNS, other, a.v.buf, ROOM, lda, x.v.buf, ROOM, -2,
      beta, y.v.buf, ROOM, 3));
  expect_gemv(&y, &fa, &fx, m, n, other, beta);
  numbers_check(&y.v, n);
  grid_free(&a);
  grid_free(&x);
  grid_free(&y);
}

static void call_gemvs(int typecode) {
  for (int way = 0; way < 6; way++) {
    const cb_order order = way % 2 ? cb_column : cb_row;

    call_gemv(typecode, order, (cb_transpose)(way / 2), none);
    call_gemv(typecode, order, (cb_transpose)(way / 2), other);
  }
}

static void test_gemv_calls(void **state) {
  (void)state;
  call_gemvs(GA_CFLOAT);
}

static void test_gemv_calls_double(void **state) {
  (void)state;
  test_need_double();
  call_gemvs(GA_CDOUBLE);
}

static void check_gemv_batch(__typeof__(gpublas_cgemvBatch) *gemv,
                             int typecode) {
  enum { ROWS = 5, COLUMNS = 7 };
  gpudata *as[2], *xs[2], *ys[2];
  size_t oa[2], ox[2], oy[2];
  grid a, x, y[2];

  grid_new(&a, typecode, 0, COLUMNS, ROWS, COLUMNS, 1, 1);
  vector_new(&x, typecode, ROWS, 1, 2);
  a.rs = 1; /* stored ROWS x COLUMNS by rows, read transposed */
  factor fa = (factor){&a, 1};
  factor fx = (factor){&x, 0};
  for (size_t i = 0; i < 2; i++) {
    vector_new(&y[i], typecode, COLUMNS, 1, 3 + (uint32_t)i);
    as[i] = a.v.buf;
    xs[i] = x.v.buf;
    ys[i] = y[i].v.buf;
    oa[i] = ox[i] = oy[i] = ROOM;
  }
  assert_ok(gemv(cb_row, cb_conj_trans, ROWS, COLUMNS, other, as, oa, COLUMNS,
                 xs, ox, 1, one, ys, oy, 1, 2, 0));
  for (size_t i = 0; i < 2; i++) {
    expect_gemv(&y[i], &fa, &fx, COLUMNS, ROWS, other, one);
    numbers_check(&y[i].v, ROWS);
  }
  ys[1] = NULL;
  assert_code(GA_VALUE_ERROR,
              gemv(cb_row, cb_conj_trans, ROWS, COLUMNS, other, as, oa, COLUMNS,
                   xs, ox, 1, one, ys, oy, 1, 2, 0));
  numbers_check(&y[0].v, ROWS);
  grid_free(&y[0]);
  grid_free(&y[1]);
  grid_free(&x);
  grid_free(&a);
}

static void test_gemv_batch(void **state) {
  (void)state;
  check_gemv_batch(gpublas_cgemvBatch, GA_CFLOAT);
}

static void test_gemv_batch_double(void **state) {
  (void)state;
  test_need_double();
  check_gemv_batch(gpublas_zgemvBatch, GA_CDOUBLE);
}

/* --- ger --- */

typedef int (*ger_fn)(cb_order, size_t, size_t, ga_complex, gpudata *, size_t,
                      ssize_t, gpudata *, size_t, ssize_t, gpudata *, size_t,
                      size_t);

static void expect_ger(grid *a, const grid *x, const grid *y, int conjugated,
                       size_t m, size_t n, ga_complex alpha) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      const number yj = *grid_at(y, 0, j, 0);

      *grid_at(a, 0, i, j) += as_number(alpha) * *grid_at(x, 0, i, 0) *
                              (conjugated ? conj(yj) : yj);
    }
}

static void check_ger(ger_fn ger, int conjugated, int typecode, cb_order order,
                      size_t m, size_t n, ssize_t inc, ga_complex alpha) {
  const int by_rows = order == cb_row;
  const size_t lda = (by_rows ? n : m) + 2;
  grid x, y, a;

  vector_new(&x, typecode, m, -inc, 1);
  vector_new(&y, typecode, n, inc, 2);
  grid_new(&a, typecode, by_rows, m, n, lda, 1, 3);
  assert_ok(ger(order, m, n, alpha, x.v.buf, ROOM, -inc, y.v.buf, ROOM, inc,
                a.v.buf, ROOM, lda));
  expect_ger(&a, &x, &y, conjugated, m, n, alpha);
  numbers_check(&a.v, 1);
  grid_free(&x);
  grid_free(&y);
  grid_free(&a);
}

static void check_gers(ger_fn ger, int conjugated, int typecode) {
  static const size_t dims[][2] = {{1, 1}, {3, 8},    {17, 33}, {0, 5},
                                   {5, 0}, {130, 67}, {200, 4}, {2, 300}};

  for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++)
    for (int way = 0; way < 4; way++) {
      const cb_order order = way % 2 ? cb_column : cb_row;
      const ssize_t inc = way / 2 ? 2 : 1;

      check_ger(ger, conjugated, typecode, order, dims[i][0], dims[i][1], inc,
                other);
      check_ger(ger, conjugated, typecode, order, dims[i][0], dims[i][1], -inc,
                one);
    }
  check_ger(ger, conjugated, typecode, cb_row, 4, 5, 1, none);
}

static void test_ger(void **state) {
  (void)state;
  check_gers(gpublas_cgeru, 0, GA_CFLOAT);
  check_gers(gpublas_cgerc, 1, GA_CFLOAT);
}

static void test_ger_double(void **state) {
  (void)state;
  test_need_double();
  check_gers(gpublas_zgeru, 0, GA_CDOUBLE);
  check_gers(gpublas_zgerc, 1, GA_CDOUBLE);
}

static void check_ger_batch(__typeof__(gpublas_cgeruBatch) *ger, int conjugated,
                            int typecode) {
  enum { ROWS = 6, COLUMNS = 9 };
  gpudata *xs[2], *ys[2], *as[2];
  size_t ox[2], oy[2], oa[2];
  grid x, y, a[2];

  vector_new(&x, typecode, ROWS, 2, 1);
  vector_new(&y, typecode, COLUMNS, 1, 2);
  for (size_t i = 0; i < 2; i++) {
    grid_new(&a[i], typecode, 1, ROWS, COLUMNS, COLUMNS + 1, 1,
             3 + (uint32_t)i);
    xs[i] = x.v.buf;
    ys[i] = y.v.buf;
    as[i] = a[i].v.buf;
    ox[i] = oy[i] = oa[i] = ROOM;
  }
  assert_ok(ger(cb_row, ROWS, COLUMNS, other, xs, ox, 2, ys, oy, 1, as, oa,
                COLUMNS + 1, 2, 0));
  for (size_t i = 0; i < 2; i++) {
    expect_ger(&a[i], &x, &y, conjugated, ROWS, COLUMNS, other);
    numbers_check(&a[i].v, 1);
  }
  as[1] = NULL;
  assert_code(GA_VALUE_ERROR, ger(cb_row, ROWS, COLUMNS, other, xs, ox, 2, ys,
                                  oy, 1, as, oa, COLUMNS + 1, 2, 0));
  numbers_check(&a[0].v, 1);
  grid_free(&a[0]);
  grid_free(&a[1]);
  grid_free(&x);
  grid_free(&y);
}

static void test_ger_batch(void **state) {
  (void)state;
  check_ger_batch(gpublas_cgeruBatch, 0, GA_CFLOAT);
  check_ger_batch(gpublas_cgercBatch, 1, GA_CFLOAT);
}

static void test_ger_batch_double(void **state) {
  (void)state;
  test_need_double();
  check_ger_batch(gpublas_zgeruBatch, 0, GA_CDOUBLE);
  check_ger_batch(gpublas_zgercBatch, 1, GA_CDOUBLE);
}

/* --- dot --- */

typedef int (*dot_fn)(size_t, gpudata *, size_t, ssize_t, gpudata *, size_t,
                      ssize_t, gpudata *, size_t);

static void check_dot(dot_fn dot, int conjugated, int typecode, size_t n,
                      ssize_t incx, ssize_t incy) {
  grid x, y, z;
  number sum = 0;

  vector_new(&x, typecode, n, incx, 1);
  vector_new(&y, typecode, n, incy, 2);
  vector_new(&z, typecode, 1, 1, 0);
  assert_ok(dot(n, x.v.buf, ROOM, incx, y.v.buf, ROOM, incy, z.v.buf, ROOM));
  for (size_t i = 0; i < n; i++) {
    const number xi = *grid_at(&x, 0, i, 0);

    sum += (conjugated ? conj(xi) : xi) * *grid_at(&y, 0, i, 0);
  }
  *grid_at(&z, 0, 0, 0) = sum;
  numbers_check(&z.v, n);
  grid_free(&x);
  grid_free(&y);
  grid_free(&z);
}

static void check_dots(dot_fn dot, int conjugated, int typecode) {
  static const size_t counts[] = {0, 1, 2, 7, 8, 31, 33, 1000, 40961};

  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    check_dot(dot, conjugated, typecode, counts[i], 1, 1);
    check_dot(dot, conjugated, typecode, counts[i], -1, 2);
  }
}

static void test_dot(void **state) {
  (void)state;
  check_dots(gpublas_cdotu, 0, GA_CFLOAT);
  check_dots(gpublas_cdotc, 1, GA_CFLOAT);
}

static void test_dot_double(void **state) {
  (void)state;
  test_need_double();
  check_dots(gpublas_zdotu, 0, GA_CDOUBLE);
  check_dots(gpublas_zdotc, 1, GA_CDOUBLE);
}

/* --- refusals --- */

static void test_refusals(void **state) {
  grid v;

  (void)state;
  vector_new(&v, GA_CFLOAT, 40, 1, 1);
  assert_code(GA_VALUE_ERROR,
              gpublas_cdotu(5, v.v.buf, 0, 0, v.v.buf, 0, 1, v.v.buf, 20));
  assert_message(GA_VALUE_ERROR, "incX is 0");
  assert_code(GA_VALUE_ERROR,
              gpublas_cdotc(5, v.v.buf, 0, 1, v.v.buf, 0, 20, v.v.buf, 20));
  assert_message(GA_VALUE_ERROR, "Y: 81 elements at offset 0");
  assert_code(GA_VALUE_ERROR, gpublas_cgeru(cb_row, 4, 4, one, v.v.buf, 0, 1,
                                            v.v.buf, 0, 1, v.v.buf, 20, 3));
  assert_message(GA_VALUE_ERROR, "ldA 3 smaller than 4");
  assert_code(GA_VALUE_ERROR,
              gpublas_cgemv(cb_row, (cb_transpose)-1, 4, 4, one, v.v.buf, 0, 4,
                            v.v.buf, 16, 1, none, v.v.buf, 20, 1));
  assert_message(GA_VALUE_ERROR, "transA is -1");
  assert_code(GA_VALUE_ERROR,
              gpublas_cgemv(cb_row, cb_no_trans, 4, 4, one, v.v.buf, 0, 4, NULL,
                            0, 1, none, v.v.buf, 20, 1));
  assert_message(GA_VALUE_ERROR, "X: no buffer");
  numbers_check(&v.v, 0);
  grid_free(&v);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemv_cpu),
      cmocka_unit_test(test_gemv_gpu),
      cmocka_unit_test(test_gemv_double),
      cmocka_unit_test(test_gemv_strided),
      cmocka_unit_test(test_gemv_calls),
      cmocka_unit_test(test_gemv_calls_double),
      cmocka_unit_test(test_gemv_batch),
      cmocka_unit_test(test_gemv_batch_double),
      cmocka_unit_test(test_ger),
      cmocka_unit_test(test_ger_double),
      cmocka_unit_test(test_ger_batch),
      cmocka_unit_test(test_ger_batch_double),
      cmocka_unit_test(test_dot),
      cmocka_unit_test(test_dot_double),
      cmocka_unit_test(test_refusals),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
