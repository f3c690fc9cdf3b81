/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrix times vector, outer and inner products, on both mappings, against
 * sums in double on the host. */
#include "blas/matrix.h"

/* A vector of `n` elements `inc` apart, which may be negative: element 0 lies
 * at the far end then. */
static ga__product_operand vector_operand(const matrix *m, ptrdiff_t inc,
                                          size_t n, unsigned int slot) {
  const ptrdiff_t size = (ptrdiff_t)ga__dtype_size(m->typecode);
  const ptrdiff_t first =
      OFFSET + (inc < 0 && n > 0 ? -inc * (ptrdiff_t)(n - 1) : 0);

  return (ga__product_operand){
      .buf = m->buf, .off = (size_t)(first * size), .rs = inc, .slot = slot};
}

static size_t vector_at(const matrix *m, const ga__product_operand *o,
                        size_t i) {
  return o->off / ga__dtype_size(m->typecode) +
         (size_t)((ptrdiff_t)i * (o->rs + o->cs));
}

/* A column as a row. */
static ga__product_operand row_of(ga__product_operand o) {
  o.cs = o.rs;
  o.rs = 0;
  return o;
}

static matrix vector_new(int typecode, size_t n, ptrdiff_t inc, uint32_t seed) {
  const size_t step = (size_t)(inc < 0 ? -inc : inc);

  return matrix_new(typecode, n, 1, step - 1, 1, seed);
}

/* --- gemv --- */

typedef struct sizes {
  size_t m, n;
  double alpha, beta;
  ptrdiff_t incx, incy;
} sizes;

static void reference_gemv(const ga__product *g, const matrix *a,
                           const matrix *x, matrix *y) {
  for (size_t i = 0; i < g->m; i++) {
    const size_t at = vector_at(y, &g->c, i);
    double sum = 0;

    for (size_t j = 0; j < g->k && g->alpha.re != 0; j++)
      sum += test_get(a->host, a->typecode, operand_at(&g->a, 0, i, j)) *
             test_get(x->host, x->typecode, vector_at(x, &g->b, j));
    sum *= g->alpha.re;
    if (g->beta.re != 0)
      sum += g->beta.re * test_get(y->host, y->typecode, at);
    test_set(y->host, y->typecode, at, sum);
  }
}

static void check_gemv(const ga__provider *who, int typecode, int by_rows,
                       const sizes *s) {
  matrix a = matrix_new(typecode, by_rows ? s->m : s->n, by_rows ? s->n : s->m,
                        2, 1, 1);
  matrix x = vector_new(typecode, s->n, s->incx, 2);
  matrix y = vector_new(typecode, s->m, s->incy, s->beta == 0 ? 0 : 3);
  const ga__product g = {.routine = GA_ROUTINE_GEMV,
                         .batch = 1,
                         .ctx = test_context(),
                         .typecode = typecode,
                         .m = s->m,
                         .n = 1,
                         .k = s->n,
                         .alpha = {s->alpha, 0},
                         .beta = {s->beta, 0},
                         .a = matrix_operand(&a, by_rows, 0),
                         .b = vector_operand(&x, s->incx, s->n, 1),
                         .c = vector_operand(&y, s->incy, s->m, 2)};
  GpuLaunch *l;

  assert_ok(ga__product_prepare_by(&l, &g, who));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  reference_gemv(&g, &a, &x, &y);
  matrix_check(&y, s->n);
  matrix_free(&a);
  matrix_free(&x);
  matrix_free(&y);
}

/* Lines and x that start at multiples of 4 elements: `SHIFT` elements into
 * lines of as many more. */
enum { SHIFT = 8 - OFFSET };

static void check_wide(int typecode, int by_rows, size_t m, size_t n) {
  const size_t bytes = SHIFT * ga__dtype_size(typecode);
  const size_t length = (by_rows ? n : m) + SHIFT;
  matrix a = matrix_new(typecode, by_rows ? m : n, length,
                        (4 - length % 4) % 4 + 4, 1, 1);
  matrix x = vector_new(typecode, n + SHIFT, 1, 2);
  matrix y = vector_new(typecode, m, 1, 3);
  matrix shifted = a;
  ga__product g = {.routine = GA_ROUTINE_GEMV,
                   .batch = 1,
                   .ctx = test_context(),
                   .typecode = typecode,
                   .m = m,
                   .n = 1,
                   .k = n,
                   .alpha = {1, 0},
                   .beta = {0.5, 0},
                   .a = matrix_operand(&a, by_rows, 0),
                   .b = vector_operand(&x, 1, n, 1),
                   .c = vector_operand(&y, 1, m, 2)};
  GpuLaunch *l;

  g.a.off += bytes;
  g.b.off += bytes;
  shifted.host = (char *)a.host + bytes;
  assert_ok(ga__product_prepare_by(&l, &g, &ga__gemv_gpu));
  assert_non_null(strstr(GpuLaunch_source(l, 0), "#define WIDE 1"));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  reference_gemv(&g, &shifted, &x, &y);
  matrix_check(&y, n);
  matrix_free(&a);
  matrix_free(&x);
  matrix_free(&y);
}

static void test_wide(void **state) {
  (void)state;
  test_need_gpu_mapping();
  for (int by_rows = 0; by_rows < 2; by_rows++) {
    check_wide(GA_FLOAT, by_rows, 4, 4);
    check_wide(GA_FLOAT, by_rows, 132, 516);
    check_wide(GA_FLOAT, by_rows, 68, 5000);
    check_wide(GA_HALF, by_rows, 36, 260);
  }
}

/* Around the edges of blocks, cut along the columns, and with nothing to do.
 * The first ones need few kernels: other precisions make do with them. */
static const sizes shapes[] = {
    {5, 33, 1, 1, 1, 1},     {67, 129, 2, -1, 1, 1},  {1, 70000, 1, 0, 1, 1},
    {20, 0, 1, 0.5, 1, 1},   {20, 0, 1, 0, 1, 1},     {0, 20, 1, 0, 1, 1},
    {20, 30, 0, 2, 1, 1},    {400, 784, 1, 0, 1, 1},  {784, 400, -1, 0.5, 1, 1},
    {4, 32, 1, 0, 1, 1},     {1, 1, 1, 0, 1, 1},      {3, 40000, 1, 2, 1, 1},
    {40000, 3, 1, 1, 1, 1},  {131, 67, 1, 0, 3, 1},   {131, 67, 1, 1, 1, 2},
    {131, 67, 1, 1, -2, -3}, {9, 15, 1, 0, 1, 1},     {11, 16, 1, 1, 1, 1},
    {23, 10, 1, 0, 1, 1},    {2, 17, 1, 1, 1, 1},     {15, 49, 1, 0, 1, 1},
    {10, 60000, 1, 0, 1, 1}, {2100, 300, 1, 1, 1, 1}, {8300, 67, 1, 1, 1, 1},
    {7, 9, 1, 1, -1, 2},
};
enum { FEW = 7, ALL = sizeof shapes / sizeof shapes[0] };

static void check_shapes(size_t n, const ga__provider *who, int typecode) {
  for (size_t i = 0; i < n; i++) {
    if (who == &ga__gemv_cpu && !test_can_loop(shapes[i].m * shapes[i].n))
      continue;
    check_gemv(who, typecode, 0, &shapes[i]);
    check_gemv(who, typecode, 1, &shapes[i]);
  }
}

static void test_float(void **state) {
  (void)state;
  check_shapes(ALL, &ga__gemv_cpu, GA_FLOAT);
  test_need_gpu_mapping();
  check_shapes(ALL, &ga__gemv_gpu, GA_FLOAT);
}

static void test_half(void **state) {
  (void)state;
  check_shapes(FEW, &ga__gemv_cpu, GA_HALF);
  test_need_gpu_mapping();
  check_shapes(2, &ga__gemv_gpu, GA_HALF);
}

static void test_bfloat(void **state) {
  (void)state;
  check_shapes(3, &ga__gemv_cpu, GA_BFLOAT);
  test_need_gpu_mapping();
  check_shapes(2, &ga__gemv_gpu, GA_BFLOAT);
}

static void test_double(void **state) {
  (void)state;
  test_need_double();
  check_shapes(FEW, &ga__gemv_cpu, GA_DOUBLE);
  test_need_gpu_mapping();
  check_shapes(2, &ga__gemv_gpu, GA_DOUBLE);
}

/* Parts of sums are added up by whichever group comes last, in their own order:
 * every run gives the same bits, and leaves the launch ready for another. */
static void test_parts_repeat(void **state) {
  enum { M = 2, N = 60000, RUNS = 4 };

  (void)state;
  test_need_gpu_mapping();
  for (int by_rows = 0; by_rows < 2; by_rows++) {
    matrix a = matrix_new(GA_FLOAT, by_rows ? M : N, by_rows ? N : M, 0, 1, 1);
    matrix x = vector_new(GA_FLOAT, N, 1, 2);
    matrix y = vector_new(GA_FLOAT, M, 1, 0);
    const ga__product g = {.routine = GA_ROUTINE_GEMV,
                           .batch = 1,
                           .ctx = test_context(),
                           .typecode = GA_FLOAT,
                           .m = M,
                           .n = 1,
                           .k = N,
                           .alpha = {1, 0},
                           .a = matrix_operand(&a, by_rows, 0),
                           .b = vector_operand(&x, 1, N, 1),
                           .c = vector_operand(&y, 1, M, 2)};
    float first[M], again[M];
    GpuLaunch *l;

    assert_ok(ga__product_prepare_by(&l, &g, &ga__gemv_gpu));
    assert_non_null(strstr(GpuLaunch_source(l, 0), "#define PARTS 1"));
    for (int i = 0; i < RUNS; i++) {
      assert_ok(gpudata_memset(y.buf, g.c.off, 0xff));
      assert_ok(GpuLaunch_run(l));
      assert_ok(gpudata_read(again, y.buf, g.c.off, sizeof again));
      if (i == 0)
        memcpy(first, again, sizeof first);
      assert_memory_equal(first, again, sizeof first);
    }
    GpuLaunch_free(l);
    reference_gemv(&g, &a, &x, &y);
    matrix_check(&y, N);
    matrix_free(&a);
    matrix_free(&x);
    matrix_free(&y);
  }
}

/* Equal rows have equal results, wherever they stand: all are summed up in the
 * same order. */
static void check_equal_rows(int by_rows, size_t m, size_t n) {
  matrix a = matrix_new(GA_FLOAT, by_rows ? m : n, by_rows ? n : m, 0, 1, 1);
  matrix x = vector_new(GA_FLOAT, n, 1, 2);
  matrix y = vector_new(GA_FLOAT, m, 1, 0);
  const ga__product g = {.routine = GA_ROUTINE_GEMV,
                         .batch = 1,
                         .ctx = test_context(),
                         .typecode = GA_FLOAT,
                         .m = m,
                         .n = 1,
                         .k = n,
                         .alpha = {1, 0},
                         .a = matrix_operand(&a, by_rows, 0),
                         .b = vector_operand(&x, 1, n, 1),
                         .c = vector_operand(&y, 1, m, 2)};
  const float *row = a.host;
  float *all, *got;
  GpuLaunch *l;

  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++)
      test_set(a.host, GA_FLOAT, operand_at(&g.a, 0, i, j),
               (double)row[operand_at(&g.a, 0, 0, j)]);
  assert_ok(gpudata_write(a.buf, 0, a.host, a.n * sizeof *row));
  assert_ok(ga__product_prepare_by(&l, &g, &ga__gemv_cpu));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  all = matrix_read(&y);
  got = all + OFFSET;
  for (size_t i = 1; i < m; i++)
    assert_memory_equal(&got[i], got, sizeof *got);
  free(all);
  matrix_free(&a);
  matrix_free(&x);
  matrix_free(&y);
}

static void test_equal_rows(void **state) {
  static const size_t table[][2] = {
      {5, 33},    {67, 129},   {23, 10}, {37, 301}, {2, 17},    {130, 517},
      {107, 784}, {1000, 700}, {11, 13}, {263, 67}, {20, 9000}, {61, 9000}};

  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    for (int by_rows = 0; by_rows < 2; by_rows++)
      if (test_can_loop(table[i][0] * table[i][1]))
        check_equal_rows(by_rows, table[i][0], table[i][1]);
}

/* Every other row and column, and one row over and over. */
static void test_strides(void **state) {
  static const ga__provider *const who[2] = {&ga__gemv_cpu, &ga__gemv_gpu};

  (void)state;
  test_need_gpu_mapping();
  for (int i = 0; i < 4; i++) {
    matrix a = matrix_new(GA_FLOAT, 60, 200, 0, 1, 1);
    matrix x = vector_new(GA_FLOAT, 100, 1, 2);
    matrix y = vector_new(GA_FLOAT, 30, 1, 0);
    ga__product g = {.routine = GA_ROUTINE_GEMV,
                     .batch = 1,
                     .ctx = test_context(),
                     .typecode = GA_FLOAT,
                     .m = 30,
                     .n = 1,
                     .k = 100,
                     .alpha = {1, 0},
                     .a = matrix_operand(&a, 1, 0),
                     .b = vector_operand(&x, 1, 100, 1),
                     .c = vector_operand(&y, 1, 30, 2)};
    GpuLaunch *l;

    g.a.rs = i & 1 ? 0 : 400;
    g.a.cs = i & 1 ? 1 : 2;
    assert_ok(ga__product_prepare_by(&l, &g, who[i >> 1]));
    assert_ok(GpuLaunch_run(l));
    GpuLaunch_free(l);
    reference_gemv(&g, &a, &x, &y);
    matrix_check(&y, g.k);
    matrix_free(&a);
    matrix_free(&x);
    matrix_free(&y);
  }
}

/* --- ger --- */

static void check_ger(int typecode, int by_rows, size_t m, size_t n,
                      double alpha, ptrdiff_t incx, ptrdiff_t incy) {
  matrix x = vector_new(typecode, m, incx, 1);
  matrix y = vector_new(typecode, n, incy, 2);
  matrix a = matrix_new(typecode, by_rows ? m : n, by_rows ? n : m, 1, 1, 3);
  const ga__product g = {.routine = GA_ROUTINE_GER,
                         .k = 1,
                         .batch = 1,
                         .ctx = test_context(),
                         .typecode = typecode,
                         .m = m,
                         .n = n,
                         .alpha = {alpha, 0},
                         .a = vector_operand(&x, incx, m, 0),
                         .b = row_of(vector_operand(&y, incy, n, 1)),
                         .c = matrix_operand(&a, by_rows, 2)};
  GpuLaunch *l;

  assert_ok(ga__product_prepare(&l, &g));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      const size_t at = operand_at(&g.c, 0, i, j);

      test_set(a.host, typecode, at,
               test_get(a.host, typecode, at) +
                   alpha * test_get(x.host, typecode, vector_at(&x, &g.a, i)) *
                       test_get(y.host, typecode, vector_at(&y, &g.b, j)));
    }
  matrix_check(&a, 1);
  matrix_free(&x);
  matrix_free(&y);
  matrix_free(&a);
}

static void check_gers(int typecode) {
  for (int by_rows = 0; by_rows < 2; by_rows++) {
    check_ger(typecode, by_rows, 1, 1, 1, 1, 1);
    check_ger(typecode, by_rows, 17, 33, -0.5, 1, 1);
    check_ger(typecode, by_rows, 300, 131, 1, 1, 1);
    check_ger(typecode, by_rows, 40, 50, 2, -1, 3);
    check_ger(typecode, by_rows, 5, 0, 1, 1, 1);
    check_ger(typecode, by_rows, 5, 6, 0, 1, 1);
  }
}

static void test_ger(void **state) {
  (void)state;
  check_gers(GA_FLOAT);
  check_gers(GA_HALF);
  check_ger(GA_BFLOAT, 1, 17, 33, -0.5, 1, 1);
}

static void test_ger_double(void **state) {
  (void)state;
  test_need_double();
  check_gers(GA_DOUBLE);
}

/* --- dot --- */

static void check_dot(int typecode, size_t n, ptrdiff_t incx, ptrdiff_t incy) {
  matrix x = vector_new(typecode, n, incx, 1);
  matrix y = vector_new(typecode, n, incy, 2);
  matrix z = vector_new(typecode, 1, 1, 0);
  const ga__product d = {.routine = GA_ROUTINE_DOT,
                         .m = 1,
                         .batch = 1,
                         .ctx = test_context(),
                         .typecode = typecode,
                         .n = 1,
                         .k = n,
                         .a = row_of(vector_operand(&x, incx, n, 0)),
                         .b = vector_operand(&y, incy, n, 1),
                         .c = vector_operand(&z, 1, 1, 2)};
  GpuLaunch *l;
  double sum = 0;

  assert_ok(ga__product_prepare(&l, &d));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  for (size_t i = 0; i < n; i++)
    sum += test_get(x.host, typecode, vector_at(&x, &d.a, i)) *
           test_get(y.host, typecode, vector_at(&y, &d.b, i));
  test_set(z.host, typecode, OFFSET, sum);
  matrix_check(&z, n);
  matrix_free(&x);
  matrix_free(&y);
  matrix_free(&z);
}

static void check_dots(int typecode) {
  static const size_t ns[] = {0, 1, 15, 64, 1000, 70001};

  for (size_t i = 0; i < sizeof ns / sizeof ns[0]; i++)
    check_dot(typecode, ns[i], 1, 1);
  check_dot(typecode, 333, 2, 1);
  check_dot(typecode, 333, -1, 3);
}

static void test_dot(void **state) {
  (void)state;
  check_dots(GA_FLOAT);
  check_dots(GA_HALF);
  check_dot(GA_BFLOAT, 1000, 1, 1);
  check_dot(GA_BFLOAT, 333, -1, 3);
}

static void test_dot_double(void **state) {
  (void)state;
  test_need_double();
  check_dots(GA_DOUBLE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_float),      cmocka_unit_test(test_wide),
      cmocka_unit_test(test_half),       cmocka_unit_test(test_bfloat),
      cmocka_unit_test(test_double),     cmocka_unit_test(test_strides),
      cmocka_unit_test(test_equal_rows), cmocka_unit_test(test_parts_repeat),
      cmocka_unit_test(test_ger),        cmocka_unit_test(test_ger_double),
      cmocka_unit_test(test_dot),        cmocka_unit_test(test_dot_double),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
