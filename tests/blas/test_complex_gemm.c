/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex matrix products against sums in double on the host: every layout,
 * transpose and conjugate, factors, sizes around tiles. Results are surrounded
 * by NaN, and are NaN when beta is 0. */
#include "blas/complex_data.h"

#include <gpuarray/device.h>

typedef struct sizes {
  size_t m, n, k, batch;
  ga_complex alpha, beta;
} sizes;

static const ga_complex none = {0, 0}, one = {1, 0}, other = {0.5, -2};

/* Around the edges of tiles and of blocks along k, and with nothing to do. */
static const sizes shapes[] = {
    {13, 17, 5, 1, {1, 0}, {0, 0}},     {29, 31, 300, 1, {-1, 0.5}, {1, 0}},
    {30, 40, 0, 1, {1, 1}, {0.5, -1}},  {30, 40, 0, 1, {1, 0}, {0, 0}},
    {0, 50, 7, 1, {1, 0}, {0, 0}},      {60, 0, 7, 1, {1, 0}, {1, 0}},
    {32, 50, 20, 1, {0, 0}, {0, 2}},    {7, 9, 257, 2, {1, 0}, {0, -1}},
    {1, 1, 1, 1, {1, 0}, {0, 0}},       {6, 16, 4, 1, {1, 0}, {0, 0}},
    {12, 32, 256, 1, {0, 1}, {0, 0}},   {5, 15, 3, 1, {1, 0}, {2, 0}},
    {2, 3, 512, 1, {1, 0}, {1, 0}},     {16, 16, 8, 3, {1, 0}, {0, 0}},
    {65, 8, 17, 1, {2, 0}, {0.5, 0.5}}, {3, 129, 31, 1, {0, -1}, {0, 0}},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0], FEW = 8 };

/* How the operands lie and what is conjugated: bits. */
enum { A_COLS = 1, B_COLS = 2, C_COLS = 4, CONJ_A = 8, CONJ_B = 16, WAYS = 32 };

static void check(const ga__provider *how, int typecode, int way,
                  const sizes *s) {
  const int a_rows = !(way & A_COLS), b_rows = !(way & B_COLS);
  const int c_rows = !(way & C_COLS);
  grid a, b, c;
  ga__product g;
  GpuLaunch *l;

  grid_new(&a, typecode, a_rows, s->m, s->k, (a_rows ? s->k : s->m) + 3,
           s->batch, 1);
  grid_new(&b, typecode, b_rows, s->k, s->n, (b_rows ? s->n : s->k) + 1,
           s->batch, 2);
  grid_new(&c, typecode, c_rows, s->m, s->n, (c_rows ? s->n : s->m) + 2,
           s->batch, ga__complex_is_zero(s->beta) ? 0 : 3);
  g = (ga__product){.routine = GA_ROUTINE_GEMM,
                    .ctx = test_context(),
                    .typecode = typecode,
                    .m = s->m,
                    .n = s->n,
                    .k = s->k,
                    .batch = s->batch,
                    .alpha = s->alpha,
                    .beta = s->beta,
                    .conj_a = way & CONJ_A,
                    .conj_b = way & CONJ_B,
                    .a = grid_operand(&a, 0),
                    .b = grid_operand(&b, 1),
                    .c = grid_operand(&c, 2)};
  assert_ok(ga__product_prepare_by(&l, &g, how));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  factor fa = (factor){&a, way & CONJ_A};
  factor fb = (factor){&b, way & CONJ_B};
  for (size_t z = 0; z < s->batch; z++)
    expect_gemm(&c, &fa, &fb, z, s->m, s->n, s->k, s->alpha, s->beta);
  numbers_check(&c.v, s->k);
  grid_free(&a);
  grid_free(&b);
  grid_free(&c);
}

static void test_cpu_layouts(void **state) {
  (void)state;
  for (int way = 0; way < WAYS; way++)
    for (size_t i = 0; i < N_SHAPES; i++)
      check(&ga__gemm_cpu, GA_CFLOAT, way, &shapes[i]);
}

static void test_cpu_double(void **state) {
  (void)state;
  test_need_double();
  for (int way = 0; way < WAYS; way += 5)
    for (size_t i = 0; i < N_SHAPES; i++)
      check(&ga__gemm_cpu, GA_CDOUBLE, way, &shapes[i]);
}

/* A copied into panels first, whatever its layout, in several blocks; and an A
 * that a batch shares or not. */
static void test_cpu_packed(void **state) {
  static const sizes some[] = {{53, 67, 513, 1, {1, 0}, {0, 1}},
                               {31, 21, 40, 2, {1, 1}, {0, 0}}};

  (void)state;
  for (size_t i = 0; i < 2; i++) {
    /* A work-item may do it all, some products at a time. */
    if (!test_can_loop(some[i].m * some[i].n * some[i].k / 8))
      continue;
    for (int way = 0; way < WAYS; way += 3)
      check(&ga__gemm_cpu_packed, GA_CFLOAT, way, &some[i]);
  }
}

/* The mapping of GPUs is right on every device, if slow on some. */
static void test_gpu_layouts(void **state) {
  const int all = !gpucontext_caps(test_context())->is_cpu;

  (void)state;
  test_need_gpu_mapping();
  for (int way = 0; way < WAYS; way += all ? 1 : 11)
    for (size_t i = 0; i < N_SHAPES; i++)
      check(&ga__gemm_gpu, GA_CFLOAT, way, &shapes[i]);
}

static void test_gpu_double(void **state) {
  (void)state;
  test_need_gpu_mapping();
  test_need_double();
  for (size_t i = 0; i < FEW; i++)
    check(&ga__gemm_gpu, GA_CDOUBLE, CONJ_B, &shapes[i]);
}

static void test_gpu_tiles(void **state) {
  const sizes large = {197, 131, 37, 2, {1, 1}, {0, 0}};

  (void)state;
  test_need_gpu_mapping();
  check(&ga__gemm_gpu, GA_CFLOAT, 0, &large);
  check(&ga__gemm_gpu, GA_CFLOAT, A_COLS | CONJ_A, &large);
}

/* Long sums are cut into parts, as those of real numbers. */
static void test_gpu_parts(void **state) {
  const sizes deep = {3, 2, 2000, 2, {1, 1}, {0, 2}};

  (void)state;
  test_need_gpu_mapping();
  check(&ga__gemm_gpu, GA_CFLOAT, CONJ_A, &deep);
  check(&ga__gemm_gpu, GA_CFLOAT, A_COLS | CONJ_B, &deep);
}

/* As real products: on CPUs by our kernels for those. */
static void check_real(int typecode, int step) {
  for (int way = 0; way < WAYS; way += step)
    for (size_t i = 0; i < N_SHAPES; i++)
      check(&ga__gemm_as_real, typecode, way, &shapes[i]);
}

static void test_real(void **state) {
  const sizes large = {197, 131, 137, 2, {1, 1}, {1, -1}};
  const sizes deep = {3, 2, 33000, 1, {1, 0}, {0, 0}};

  (void)state;
  test_need_gpu_mapping();
  check_real(GA_CFLOAT, 1);
  check(&ga__gemm_as_real, GA_CFLOAT, A_COLS | CONJ_A, &large);
  check(&ga__gemm_as_real, GA_CFLOAT, CONJ_B, &deep);
}

static void test_real_double(void **state) {
  (void)state;
  test_need_gpu_mapping();
  test_need_double();
  check_real(GA_CDOUBLE, 3);
}

/* Products with a vector are gemv's, whichever operand is one. */
static void test_as_gemv(void **state) {
  static const sizes thin[] = {{1, 37, 21, 1, {1, 1}, {0, 0}},
                               {37, 1, 21, 1, {1, 1}, {1, -1}},
                               {1, 1, 300, 1, {1, 0}, {0, 0}}};

  (void)state;
  for (int way = 0; way < WAYS; way++)
    for (size_t i = 0; i < sizeof thin / sizeof thin[0]; i++) {
      const int rows = !(way & C_COLS);
      const sizes *s = &thin[i];
      grid a, b, c;
      ga__product g;
      GpuLaunch *l;

      grid_new(&a, GA_CFLOAT, !(way & A_COLS), s->m, s->k, 40 + s->k, 1, 1);
      grid_new(&b, GA_CFLOAT, !(way & B_COLS), s->k, s->n, 40 + s->k, 1, 2);
      grid_new(&c, GA_CFLOAT, rows, s->m, s->n, 40, 1,
               ga__complex_is_zero(s->beta) ? 0 : 3);
      g = (ga__product){.routine = GA_ROUTINE_GEMM,
                        .ctx = test_context(),
                        .typecode = GA_CFLOAT,
                        .m = s->m,
                        .n = s->n,
                        .k = s->k,
                        .batch = 1,
                        .alpha = s->alpha,
                        .beta = s->beta,
                        .conj_a = way & CONJ_A,
                        .conj_b = way & CONJ_B,
                        .a = grid_operand(&a, 0),
                        .b = grid_operand(&b, 1),
                        .c = grid_operand(&c, 2)};
      factor fa = (factor){&a, way & CONJ_A};
      factor fb = (factor){&b, way & CONJ_B};
      assert_ok(ga__product_prepare(&l, &g));
      assert_ok(GpuLaunch_run(l));
      GpuLaunch_free(l);
      expect_gemm(&c, &fa, &fb, 0, s->m, s->n, s->k, s->alpha, s->beta);
      numbers_check(&c.v, s->k);
      grid_free(&a);
      grid_free(&b);
      grid_free(&c);
    }
}

/* No stride is 1: every other row and column of larger matrices, backwards. */
static void check_strided(const ga__provider *how) {
  const size_t m = 11, n = 19, k = 23;
  grid a, b, c;
  ga__product g;
  GpuLaunch *l;

  grid_new(&a, GA_CFLOAT, 1, 2 * m, 2 * k, 2 * k, 1, 1);
  grid_new(&b, GA_CFLOAT, 1, 2 * k, 2 * n, 2 * n, 1, 2);
  grid_new(&c, GA_CFLOAT, 1, 2 * m, 2 * n, 2 * n, 1, 3);
  a.off += 2 * (k - 1);
  a.rs *= 2;
  a.cs = -2;
  b.rs *= 2;
  b.cs = 2;
  c.rs *= 2;
  c.cs = 2;
  g = (ga__product){.routine = GA_ROUTINE_GEMM,
                    .ctx = test_context(),
                    .typecode = GA_CFLOAT,
                    .m = m,
                    .n = n,
                    .k = k,
                    .batch = 1,
                    .alpha = other,
                    .beta = other,
                    .a = grid_operand(&a, 0),
                    .b = grid_operand(&b, 1),
                    .c = grid_operand(&c, 2)};
  factor fa = (factor){&a, 0};
  factor fb = (factor){&b, 0};
  assert_ok(ga__product_prepare_by(&l, &g, how));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  expect_gemm(&c, &fa, &fb, 0, m, n, k, other, other);
  numbers_check(&c.v, k);
  grid_free(&a);
  grid_free(&b);
  grid_free(&c);
}

static void test_strided(void **state) {
  (void)state;
  test_need_gpu_mapping();
  check_strided(&ga__gemm_cpu);
  check_strided(&ga__gemm_gpu);
}

/* --- the calls --- */

typedef int (*gemm_fn)(cb_order, cb_transpose, cb_transpose, size_t, size_t,
                       size_t, ga_complex, gpudata *, size_t, size_t, gpudata *,
                       size_t, size_t, ga_complex, gpudata *, size_t, size_t);

enum { M = 13, N = 22, K = 9 };

static int is_by_rows(cb_order order, cb_transpose trans) {
  return (order == cb_row) == (trans == cb_no_trans);
}

static void call_gemm(int typecode, cb_order order, cb_transpose ta,
                      cb_transpose tb, ga_complex alpha, ga_complex beta) {
  const gemm_fn gemm = typecode == GA_CFLOAT ? gpublas_cgemm : gpublas_zgemm;
  const int ar = is_by_rows(order, ta), br = is_by_rows(order, tb);
  const int cr = order == cb_row;
  const size_t lda = (ar ? K : M) + 1, ldb = (br ? N : K) + 2;
  const size_t ldc = (cr ? N : M) + 3;
  grid a, b, c;

  grid_new(&a, typecode, ar, M, K, lda, 1, 1);
  grid_new(&b, typecode, br, K, N, ldb, 1, 2);
  grid_new(&c, typecode, cr, M, N, ldc, 1, ga__complex_is_zero(beta) ? 0 : 3);
  factor fa = (factor){&a, ta == cb_conj_trans};
  factor fb = (factor){&b, tb == cb_conj_trans};
  assert_ok(gemm(order, ta, tb, M, N, K, alpha, a.v.buf, ROOM, lda, b.v.buf,
                 ROOM, ldb, beta, c.v.buf, ROOM, ldc));
  expect_gemm(&c, &fa, &fb, 0, M, N, K, alpha, beta);
  numbers_check(&c.v, K);
  grid_free(&a);
  grid_free(&b);
  grid_free(&c);
}

static void call_all(int typecode) {
  const ga_complex factors[] = {none, one, other};

  for (int way = 0; way < 18; way++)
    for (int f = 0; f < 9; f++)
      call_gemm(typecode, way % 2 ? cb_column : cb_row,
                (cb_transpose)(way / 2 % 3), (cb_transpose)(way / 6),
                factors[f % 3], factors[f / 3]);
}

static void test_calls(void **state) {
  (void)state;
  call_all(GA_CFLOAT);
}

static void test_calls_double(void **state) {
  (void)state;
  test_need_double();
  call_all(GA_CDOUBLE);
}

/* Batches: at even distances, one operand shared or from the last one back;
 * anywhere. */
static void check_batches(__typeof__(gpublas_cgemm3D) *even,
                          __typeof__(gpublas_cgemmBatch) *any, int typecode) {
  const size_t lda = M + 1, ldb = N, ldc = N + 1;
  gpudata *as[2], *bs[2], *cs[2];
  size_t oa[2], ob[2], oc[2];
  grid a, b, c;

  grid_new(&a, typecode, 0, M, K, lda, 1, 1);
  grid_new(&b, typecode, 1, K, N, ldb, 2, 2);
  grid_new(&c, typecode, 1, M, N, ldc, 2, 3);
  factor fa = (factor){&a, 1};
  factor fb = (factor){&b, 0};
  a.bs = 0;
  assert_ok(even(cb_row, cb_conj_trans, cb_no_trans, M, N, K, other, a.v.buf,
                 ROOM, lda, 0, b.v.buf, ROOM + (size_t)b.bs, ldb, -b.bs, one,
                 c.v.buf, ROOM + (size_t)c.bs, ldc, -c.bs, 2, 0));
  for (size_t z = 0; z < 2; z++)
    expect_gemm(&c, &fa, &fb, z, M, N, K, other, one);
  numbers_check(&c.v, K);

  for (size_t z = 0; z < 2; z++) {
    as[z] = a.v.buf;
    bs[z] = b.v.buf;
    cs[z] = c.v.buf;
    oa[z] = ROOM;
    ob[z] = ROOM + z * (size_t)b.bs;
    oc[z] = ROOM + z * (size_t)c.bs;
  }
  assert_ok(any(cb_row, cb_conj_trans, cb_no_trans, M, N, K, one, as, oa, lda,
                bs, ob, ldb, none, cs, oc, ldc, 2, 0));
  for (size_t z = 0; z < 2; z++)
    expect_gemm(&c, &fa, &fb, z, M, N, K, one, none);
  numbers_check(&c.v, K);

  /* One bad triple: nothing is touched. */
  ob[1] = b.v.n;
  assert_code(GA_VALUE_ERROR,
              any(cb_row, cb_conj_trans, cb_no_trans, M, N, K, one, as, oa, lda,
                  bs, ob, ldb, one, cs, oc, ldc, 2, 0));
  numbers_check(&c.v, K);
  grid_free(&a);
  grid_free(&b);
  grid_free(&c);
}

static void test_batches(void **state) {
  (void)state;
  check_batches(gpublas_cgemm3D, gpublas_cgemmBatch, GA_CFLOAT);
}

static void test_batches_double(void **state) {
  (void)state;
  test_need_double();
  check_batches(gpublas_zgemm3D, gpublas_zgemmBatch, GA_CDOUBLE);
}

/* --- refusals, and numbers that are none --- */

static int simple(grid *g, cb_order order, cb_transpose ta, size_t lda,
                  size_t ldb, size_t ldc, size_t off) {
  return gpublas_cgemm(order, ta, cb_no_trans, 4, 4, 4, one, g->v.buf, off, lda,
                       g->v.buf, off, ldb, none, g->v.buf, off + 64, ldc);
}

static void test_refusals(void **state) {
  grid g;

  (void)state;
  grid_new(&g, GA_CFLOAT, 1, 20, 8, 8, 1, 1);
  assert_code(GA_VALUE_ERROR, simple(&g, (cb_order)7, cb_no_trans, 4, 4, 4, 0));
  assert_message(GA_VALUE_ERROR, "order is 7");
  assert_code(GA_VALUE_ERROR, simple(&g, cb_row, (cb_transpose)3, 4, 4, 4, 0));
  assert_message(GA_VALUE_ERROR, "transA is 3");
  assert_code(GA_VALUE_ERROR, simple(&g, cb_row, cb_no_trans, 3, 4, 4, 0));
  assert_message(GA_VALUE_ERROR, "ldA 3 smaller than 4");
  assert_code(GA_VALUE_ERROR, simple(&g, cb_row, cb_no_trans, 4, 4, 0, 0));
  assert_code(GA_VALUE_ERROR,
              simple(&g, cb_row, cb_no_trans, SIZE_MAX / 2, 4, 4, 0));
  assert_code(GA_VALUE_ERROR, simple(&g, cb_row, cb_no_trans, 4, 4, 4, 160));
  assert_code(GA_VALUE_ERROR,
              gpublas_cgemm(cb_row, cb_no_trans, cb_no_trans, 4, 4, 4, one,
                            NULL, 0, 4, g.v.buf, 0, 4, none, g.v.buf, 64, 4));
  assert_message(GA_VALUE_ERROR, "A: no buffer");
  assert_code(GA_VALUE_ERROR,
              gpublas_cgemm3D(cb_row, cb_no_trans, cb_no_trans, 4, 4, 4, one,
                              g.v.buf, 0, 4, 16, g.v.buf, 0, 4, 16, none,
                              g.v.buf, 64, 4, 0, 2, 0));
  assert_message(GA_VALUE_ERROR, "2 results in one place");
  assert_code(GA_INVALID_ERROR,
              gpublas_cgemm3D(cb_row, cb_no_trans, cb_no_trans, 4, 4, 4, one,
                              g.v.buf, 0, 4, 16, g.v.buf, 0, 4, 16, none,
                              g.v.buf, 64, 4, 16, 2, 1));
  numbers_check(&g.v, 0);
  grid_free(&g);
}

/* Rows of one matrix into others of it, beside each other and not. */
static int in_one(gpudata *all, size_t off_c, ga_complex beta) {
  return gpublas_cgemm(cb_row, cb_no_trans, cb_conj_trans, 4, 4, 4, one, all, 0,
                       10, all, 100, 10, beta, all, off_c, 10);
}

static void test_overlaps(void **state) {
  int err = GA_NO_ERROR;
  gpudata *all =
      gpudata_alloc(test_context(), 200 * 2 * sizeof(float), NULL, 0, &err);

  (void)state;
  assert_ok(err);
  assert_ok(in_one(all, 4, none));
  assert_ok(in_one(all, 104, none));
  assert_code(GA_VALUE_ERROR, in_one(all, 3, none));
  assert_message(GA_VALUE_ERROR, "C overlaps A");
  assert_code(GA_VALUE_ERROR, in_one(all, 133, one));
  assert_message(GA_VALUE_ERROR, "C overlaps B");
  assert_ok(gpublas_cgemv(cb_row, cb_no_trans, 4, 4, one, all, 0, 10, all, 100,
                          1, none, all, 104, -1));
  assert_code(GA_VALUE_ERROR,
              gpublas_cgemv(cb_row, cb_no_trans, 4, 4, one, all, 0, 10, all,
                            100, 1, none, all, 103, 1));
  assert_message(GA_VALUE_ERROR, "Y overlaps X");
  assert_code(GA_VALUE_ERROR, gpublas_cgerc(cb_row, 4, 4, one, all, 100, 1, all,
                                            13, 1, all, 0, 10));
  assert_message(GA_VALUE_ERROR, "A overlaps Y");
  gpudata_release(all);
}

/* An alpha of NaN without sums, and infinities scaled by real factors. */
static void test_not_numbers(void **state) {
  grid a, c;

  (void)state;
  grid_new(&a, GA_CFLOAT, 1, 4, 4, 4, 1, 1);
  grid_new(&c, GA_CFLOAT, 1, 4, 4, 4, 1, 2);
  assert_ok(gpublas_cgemm(cb_row, cb_no_trans, cb_no_trans, 4, 4, 0,
                          (ga_complex){(double)NAN, 0}, a.v.buf, ROOM, 4,
                          a.v.buf, ROOM, 4, one, c.v.buf, ROOM, 4));
  numbers_check(&c.v, 0);

  assert_ok(gpublas_cgemm(cb_row, cb_no_trans, cb_no_trans, 4, 4, 4,
                          (ga_complex){(double)INFINITY, 0}, a.v.buf, ROOM, 4,
                          a.v.buf, ROOM, 4, none, c.v.buf, ROOM, 4));
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 4; j++) {
      number sum = 0;

      for (size_t p = 0; p < 4; p++)
        sum += *grid_at(&a, 0, i, p) * *grid_at(&a, 0, p, j);
      *grid_at(&c, 0, i, j) = number_of(copysign((double)INFINITY, creal(sum)),
                                        copysign((double)INFINITY, cimag(sum)));
    }
  numbers_check(&c.v, 0);
  grid_free(&a);
  grid_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cpu_layouts),    cmocka_unit_test(test_cpu_double),
      cmocka_unit_test(test_cpu_packed),     cmocka_unit_test(test_gpu_layouts),
      cmocka_unit_test(test_gpu_double),     cmocka_unit_test(test_gpu_tiles),
      cmocka_unit_test(test_gpu_parts),      cmocka_unit_test(test_real),
      cmocka_unit_test(test_real_double),    cmocka_unit_test(test_as_gemv),
      cmocka_unit_test(test_strided),        cmocka_unit_test(test_calls),
      cmocka_unit_test(test_calls_double),   cmocka_unit_test(test_batches),
      cmocka_unit_test(test_batches_double), cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_overlaps),       cmocka_unit_test(test_not_numbers),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
