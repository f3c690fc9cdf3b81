/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrix products of every shape, layout and precision against sums in double
 * on the host. Results are surrounded by NaN, and are NaN when beta is 0. */
#include "blas/matrix.h"

#include <fcntl.h>
#include <unistd.h>

#include "support/child.h"

/* c = alpha a b + beta c in double, on c's host copy: afterwards that is what
 * the buffer must hold, guards included. */
static void reference_gemm(const ga__product *g, const matrix *a,
                           const matrix *b, matrix *c) {
  for (size_t z = 0; z < g->batch; z++)
    for (size_t i = 0; i < g->m; i++)
      for (size_t j = 0; j < g->n; j++) {
        const size_t at = operand_at(&g->c, z, i, j);
        double sum = 0;

        for (size_t p = 0; p < g->k && g->alpha.re != 0; p++)
          sum += test_get(a->host, a->typecode, operand_at(&g->a, z, i, p)) *
                 test_get(b->host, b->typecode, operand_at(&g->b, z, p, j));
        sum *= g->alpha.re;
        if (g->beta.re != 0)
          sum += g->beta.re * test_get(c->host, c->typecode, at);
        test_set(c->host, c->typecode, at, sum);
      }
}

typedef struct variant {
  const ga__provider *who;
  int typecode;
  int a_rows, b_rows, c_rows; /* stored by rows */
} variant;

typedef struct sizes {
  size_t m, n, k, batch;
  double alpha, beta;
} sizes;

static void run_by(const ga__product *g, const ga__provider *who) {
  GpuLaunch *l;

  assert_ok(ga__product_prepare_by(&l, g, who));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
}

static void check(const variant *v, const sizes *s) {
  matrix a = matrix_new(v->typecode, v->a_rows ? s->m : s->k,
                        v->a_rows ? s->k : s->m, 3, s->batch, 1);
  matrix b = matrix_new(v->typecode, v->b_rows ? s->k : s->n,
                        v->b_rows ? s->n : s->k, 1, s->batch, 2);
  matrix c =
      matrix_new(v->typecode, v->c_rows ? s->m : s->n, v->c_rows ? s->n : s->m,
                 2, s->batch, s->beta == 0 ? 0 : 3);
  const ga__product g = {.routine = GA_ROUTINE_GEMM,
                         .ctx = test_context(),
                         .typecode = v->typecode,
                         .m = s->m,
                         .n = s->n,
                         .k = s->k,
                         .batch = s->batch,
                         .alpha = {s->alpha, 0},
                         .beta = {s->beta, 0},
                         .a = matrix_operand(&a, v->a_rows, 0),
                         .b = matrix_operand(&b, v->b_rows, 1),
                         .c = matrix_operand(&c, v->c_rows, 2)};

  run_by(&g, v->who);
  reference_gemm(&g, &a, &b, &c);
  matrix_check(&c, s->k);
  matrix_free(&a);
  matrix_free(&b);
  matrix_free(&c);
}

/* Around the edges of tiles and of blocks along k, and with nothing to do. The
 * first ones need few kernels: other precisions make do with them. */
static const sizes shapes[] = {
    {30, 33, 5, 1, 1, 0},    {41, 67, 300, 1, -1, 0.5}, {30, 40, 0, 1, 1, 0.5},
    {30, 40, 0, 1, 1, 0},    {0, 50, 7, 1, 1, 0},       {60, 0, 7, 1, 1, 1},
    {32, 50, 20, 1, 0, 2},   {31, 37, 257, 2, 1, -1},   {1, 1, 1, 1, 1, 0},
    {8, 32, 4, 1, 1, 0},     {9, 33, 5, 1, 1, 0},       {7, 31, 256, 1, 2, 1},
    {17, 10, 257, 1, 1, 0},  {64, 64, 16, 1, 1, 0},     {65, 3, 17, 1, 1, 1},
    {3, 129, 31, 1, 0.5, 0}, {12, 20, 9, 3, 1, 0},      {128, 132, 67, 1, 1, 1},
};
enum { FEW = 8, ALL = sizeof shapes / sizeof shapes[0] };

static void check_shapes(size_t n, variant v) {
  for (size_t i = 0; i < n; i++)
    check(&v, &shapes[i]);
}

static void test_float_layouts(void **state) {
  (void)state;
  for (int i = 0; i < 8; i++)
    check_shapes(ALL,
                 (variant){&ga__gemm_cpu, GA_FLOAT, i & 1, i >> 1 & 1, i >> 2});
}

static void test_double(void **state) {
  (void)state;
  test_need_double();
  check_shapes(FEW, (variant){&ga__gemm_cpu, GA_DOUBLE, 1, 1, 1});
  check_shapes(FEW, (variant){&ga__gemm_cpu, GA_DOUBLE, 0, 1, 0});
}

static void test_half(void **state) {
  (void)state;
  check_shapes(FEW, (variant){&ga__gemm_cpu, GA_HALF, 1, 1, 1});
}

static void test_bfloat(void **state) {
  (void)state;
  check_shapes(FEW, (variant){&ga__gemm_cpu, GA_BFLOAT, 1, 1, 1});
}

/* Both factors copied into panels first, whatever their layouts: the kernels
 * are the same. */
static void test_packed(void **state) {
  static const sizes some[] = {
      {30, 33, 300, 1, 1, 0},  {41, 67, 515, 1, -1, 0.5},
      {31, 37, 257, 2, 1, -1}, {203, 131, 259, 1, 1, 1},
      {0, 50, 300, 1, 1, 0},   {30, 40, 0, 1, 1, 0.5},
  };
  const int types[] = {GA_FLOAT, GA_HALF, GA_DOUBLE};

  (void)state;
  for (int t = 0; t < 2 + (gpucontext_caps(test_context())->fp64 != 0); t++)
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
      if (!test_can_loop(some[i].m * some[i].n * 4))
        continue;
      for (int how = 0; how < (types[t] == GA_FLOAT ? 8 : 3); how++)
        check(&(variant){&ga__gemm_cpu_packed, types[t], how & 1, how >> 1 & 1,
                         !(how >> 2)},
              &some[i]);
    }
}

/* Neither stride is 1: half of the rows and columns of larger matrices. */
static void check_strided(const ga__provider *who) {
  matrix a = matrix_new(GA_FLOAT, 20, 60, 0, 1, 1);
  matrix b = matrix_new(GA_FLOAT, 60, 80, 0, 1, 2);
  matrix c = matrix_new(GA_FLOAT, 40, 80, 0, 1, 3);
  ga__product g = {.routine = GA_ROUTINE_GEMM,
                   .ctx = test_context(),
                   .typecode = GA_FLOAT,
                   .m = 10,
                   .n = 40,
                   .k = 30,
                   .batch = 1,
                   .alpha = {1, 0},
                   .beta = {2, 0},
                   .a = matrix_operand(&a, 1, 0),
                   .b = matrix_operand(&b, 1, 1),
                   .c = matrix_operand(&c, 1, 2)};

  g.a.rs *= 2;
  g.a.cs = 2;
  g.b.rs *= 2;
  g.b.cs = 2;
  g.c.rs *= 2;
  g.c.cs = 2;
  run_by(&g, who);
  reference_gemm(&g, &a, &b, &c);
  matrix_check(&c, g.k);
  matrix_free(&a);
  matrix_free(&b);
  matrix_free(&c);
}

static void test_strided(void **state) {
  (void)state;
  check_strided(&ga__gemm_cpu);
  test_need_gpu_mapping();
  check_strided(&ga__gemm_gpu);
}

/* The large tiles of GPUs compile for long on CPUs, where they are not used:
 * there they are tested on demand only. */
static int may_be_slow(void) {
  return !gpucontext_caps(test_context())->is_cpu ||
         getenv("GPUGRAPH_TEST_SLOW") != NULL;
}

/* The mapping of GPUs is right on every device, if slow on some. */
static void test_local_memory(void **state) {
  (void)state;
  test_need_gpu_mapping();
  check_shapes(FEW, (variant){&ga__gemm_gpu, GA_FLOAT, 1, 1, 1});
  check(&(variant){&ga__gemm_gpu, GA_FLOAT, 1, 0, 1},
        &(sizes){20, 10, 1300, 2, 1, 0.5}); /* cut along k */
  if (!may_be_slow())
    return;
  check_shapes(ALL, (variant){&ga__gemm_gpu, GA_FLOAT, 1, 1, 1});
  check_shapes(FEW, (variant){&ga__gemm_gpu, GA_FLOAT, 0, 0, 0});
  check_shapes(FEW, (variant){&ga__gemm_gpu, GA_HALF, 1, 1, 1});
  check(&(variant){&ga__gemm_gpu, GA_FLOAT, 1, 1, 1},
        &(sizes){513, 260, 40, 1, 1, 0});
}

/* Parts of sums are added up by whichever group comes last, in their own order:
 * every run gives the same bits, and leaves the launch ready for another. */
static void test_parts_repeat(void **state) {
  enum { M = 20, N = 12, K = 1300, RUNS = 4 };
  matrix a = matrix_new(GA_FLOAT, M, K, 0, 1, 1);
  matrix b = matrix_new(GA_FLOAT, K, N, 0, 1, 2);
  matrix c = matrix_new(GA_FLOAT, M, N, 0, 1, 0);
  const ga__product g = {.routine = GA_ROUTINE_GEMM,
                         .ctx = test_context(),
                         .typecode = GA_FLOAT,
                         .m = M,
                         .n = N,
                         .k = K,
                         .batch = 1,
                         .alpha = {1, 0},
                         .a = matrix_operand(&a, 1, 0),
                         .b = matrix_operand(&b, 1, 1),
                         .c = matrix_operand(&c, 1, 2)};
  float first[M * N], again[M * N];
  GpuLaunch *l;

  (void)state;
  test_need_gpu_mapping();
  assert_ok(ga__product_prepare_by(&l, &g, &ga__gemm_gpu));
  assert_non_null(strstr(GpuLaunch_source(l, 0), "#define PARTS 1"));
  for (int i = 0; i < RUNS; i++) {
    assert_ok(gpudata_memset(c.buf, g.c.off, 0xff));
    assert_ok(GpuLaunch_run(l));
    assert_ok(gpudata_read(again, c.buf, g.c.off, sizeof again));
    if (i == 0)
      memcpy(first, again, sizeof first);
    assert_memory_equal(first, again, sizeof first);
  }
  GpuLaunch_free(l);
  reference_gemm(&g, &a, &b, &c);
  matrix_check(&c, K);
  matrix_free(&a);
  matrix_free(&b);
  matrix_free(&c);
}

static void test_local_memory_double(void **state) {
  (void)state;
  test_need_double();
  test_need_gpu_mapping();
  check_shapes(2, (variant){&ga__gemm_gpu, GA_DOUBLE, 1, 1, 1});
}

static void need_tensor_cores(void) {
  test_need_gpu_mapping();
  if (gpucontext_caps(test_context())->ptx)
    return;
  print_message("no inline PTX: tensor cores not tested\n");
  skip();
}

/* Lines that start at multiples of 16 bytes: `SHIFT` elements into lines of as
 * many more. */
enum { SHIFT = 8 - OFFSET };

static matrix aligned_new(int typecode, int by_rows, size_t rows, size_t cols,
                          uint32_t seed) {
  const size_t lines = by_rows ? rows : cols;
  const size_t length = (by_rows ? cols : rows) + SHIFT;

  return matrix_new(typecode, lines, length, (8 - length % 8) % 8, 1, seed);
}

static ga__product_operand aligned_operand(const matrix *m, int by_rows,
                                           unsigned int slot) {
  ga__product_operand o = matrix_operand(m, by_rows, slot);

  o.off += SHIFT * ga__dtype_size(m->typecode);
  return o;
}

static matrix shifted(const matrix *m) {
  matrix s = *m;

  s.host = (char *)m->host + SHIFT * ga__dtype_size(m->typecode);
  return s;
}

static void check_aligned(const variant *v, const sizes *s) {
  matrix a = aligned_new(v->typecode, v->a_rows, s->m, s->k, 1);
  matrix b = aligned_new(v->typecode, v->b_rows, s->k, s->n, 2);
  matrix c =
      aligned_new(v->typecode, v->c_rows, s->m, s->n, s->beta == 0 ? 0 : 3);
  const matrix sa = shifted(&a), sb = shifted(&b);
  matrix sc = shifted(&c);
  const ga__product g = {.routine = GA_ROUTINE_GEMM,
                         .ctx = test_context(),
                         .typecode = v->typecode,
                         .m = s->m,
                         .n = s->n,
                         .k = s->k,
                         .batch = 1,
                         .alpha = {s->alpha, 0},
                         .beta = {s->beta, 0},
                         .a = aligned_operand(&a, v->a_rows, 0),
                         .b = aligned_operand(&b, v->b_rows, 1),
                         .c = aligned_operand(&c, v->c_rows, 2)};
  GpuLaunch *l;

  if (v->who == &ga__gemm_mma)
    assert_true(ga__gemm_mma.takes(&g));
  assert_ok(ga__product_prepare_by(&l, &g, v->who));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  reference_gemm(&g, &sa, &sb, &sc);
  matrix_check(&c, s->k);
  matrix_free(&a);
  matrix_free(&b);
  matrix_free(&c);
}

/* All layouts; operands that lie as they should, and such as are copied. Tiles
 * of all sizes, with and without edges. */
static void check_tensor_cores(int typecode) {
  static const sizes cases[] = {
      {64, 64, 32, 1, 1, 0},   {72, 136, 104, 1, -1, 0.5},
      {128, 64, 96, 2, 1, 0},  {16, 24, 16, 1, 2, 1},
      {131, 250, 77, 3, 1, 0}, {65, 70, 1000, 1, 0.5, 0},
  };

  need_tensor_cores();
  if (typecode == GA_DOUBLE)
    test_need_double();
  assert_true(ga__gemm_mma_trusted(test_context(), typecode));
  for (int i = 0; i < 8; i++)
    for (size_t s = 0; s < sizeof cases / sizeof cases[0]; s++) {
      const variant v = {&ga__gemm_mma, typecode, i & 1, i >> 1 & 1, i >> 2};

      check(&v, &cases[s]);
      check_aligned(&v, &cases[s]);
    }
}

static void test_tensor_cores_half(void **state) {
  (void)state;
  check_tensor_cores(GA_HALF);
}

static void test_tensor_cores_bfloat(void **state) {
  (void)state;
  check_tensor_cores(GA_BFLOAT);
}

static void test_tensor_cores_double(void **state) {
  (void)state;
  check_tensor_cores(GA_DOUBLE);
}

/* Large enough for the larger tiles, on all compute units. */
static void check_large(const ga__provider *who, int typecode) {
  static const sizes large[] = {{1100, 1300, 24, 1, 1, 1},
                                {2048, 2048, 32, 1, 1, 0}};

  need_tensor_cores();
  test_need_buffer(40 << 20);
  for (int i = 0; i < 4; i += 3)
    for (size_t s = 0; s < sizeof large / sizeof large[0]; s++)
      check_aligned(&(variant){who, typecode, i & 1, i >> 1, 1}, &large[s]);
}

static void test_large_tiles(void **state) {
  (void)state;
  check_large(&ga__gemm_mma, GA_HALF);
  check_large(&ga__gemm_gpu, GA_FLOAT);
}

static void test_large_tiles_double(void **state) {
  (void)state;
  test_need_double();
  check_large(&ga__gemm_mma, GA_DOUBLE);
}

/* Shared operands: a batch stride of 0. */
static void test_shared_operand(void **state) {
  matrix a = matrix_new(GA_FLOAT, 520, 280, 0, 1, 1);
  matrix b = matrix_new(GA_FLOAT, 280, 130, 0, 3, 2);
  matrix c = matrix_new(GA_FLOAT, 520, 130, 0, 3, 0);
  ga__product g = {.routine = GA_ROUTINE_GEMM,
                   .ctx = test_context(),
                   .typecode = GA_FLOAT,
                   .m = 280,
                   .n = 130,
                   .k = 520,
                   .batch = 3,
                   .alpha = {1, 0},
                   .a = matrix_operand(&a, 0, 0),
                   .b = matrix_operand(&b, 1, 1),
                   .c = matrix_operand(&c, 1, 2)};

  (void)state;
  g.k = 280;
  g.m = 280;
  g.a.bs = 0;
  run_by(&g, NULL);
  reference_gemm(&g, &a, &b, &c);
  matrix_check(&c, g.k);
  if (test_can_loop(g.m * g.k)) {
    assert_ok(gpudata_memset(c.buf, 0, 0xff));
    run_by(&g, &ga__gemm_cpu_packed);
    matrix_check(&c, g.k);
  }
  matrix_free(&a);
  matrix_free(&b);
  matrix_free(&c);
}

/* --- CLBlast --- */

/* What it would compute wrongly, or not at all, goes to our own kernels: sizes
 * and offsets that do not fit in 32 bits, strides that are not a leading
 * dimension, nothing, halves. No such matrix has to exist. */
static void test_clblast_guards(void **state) {
  const size_t far = (size_t)1 << 31; /* elements */
  const ga__product fits = {.routine = GA_ROUTINE_GEMM,
                            .ctx = test_context(),
                            .typecode = GA_FLOAT,
                            .m = 64,
                            .n = 64,
                            .k = 64,
                            .batch = 2,
                            .alpha = {1, 0},
                            .a = {.rs = 64, .cs = 1, .bs = 4096},
                            .b = {.rs = 1, .cs = 64, .bs = 0},
                            .c = {.rs = 64, .cs = 1, .bs = 4096}};
  ga__product g[16];
  size_t n = 0;

  (void)state;
  if (!ga__gemm_clblast.takes(&fits)) {
    print_message("CLBlast is not there\n");
    skip();
  }
  for (size_t i = 0; i < 16; i++)
    g[i] = fits;
  g[n++].m = 0;
  g[n++].n = 0;
  g[n++].k = 0;
  g[n++].batch = 0;
  g[n++].typecode = GA_HALF;
  g[n++].a.off = far * sizeof(float);        /* beyond what it can count */
  g[n++].b.off = (far - 64) * sizeof(float); /* its end is */
  g[n++].c.off = far * sizeof(float);
  g[n++].c.off = 2; /* not a whole number of elements */
  g[n++].a.rs = (ptrdiff_t)(far / 32);
  g[n++].b.cs = (ptrdiff_t)(far / 63);
  g[n++].c.bs = (ptrdiff_t)far;
  g[n++].a.bs = -4096;
  g[n++].a.rs = -64;
  g[n++].b.rs = 2;
  g[n++].c.rs = 63; /* rows in each other */
  for (size_t i = 0; i < n; i++) {
    if (ga__gemm_clblast.takes(&g[i]))
      fail_msg("CLBlast is given product %zu", i);
  }
  g[0] = fits; /* and just below */
  g[0].a.off = (far - 2 - 4096 * 2) * sizeof(float);
  assert_true(ga__gemm_clblast.takes(&g[0]));
}

/* What is printed meanwhile goes to a file. */
typedef struct output {
  int to, before;
} output;

static void begin_output(output *o) {
  fflush(stdout);
  o->before = dup(STDOUT_FILENO);
  o->to = open(test_path("output"), O_RDWR | O_CREAT | O_TRUNC, 0600);
  assert_true(o->before >= 0 && o->to >= 0);
  assert_true(dup2(o->to, STDOUT_FILENO) >= 0);
}

/* Bytes that came. */
static int end_output(output *o) {
  fflush(stdout);
  off_t n = lseek(o->to, 0, SEEK_END);
  assert_true(dup2(o->before, STDOUT_FILENO) >= 0);
  close(o->before);
  close(o->to);
  return (int)n;
}

/* It prints what compilers tell it, and so is to be given nothing that they
 * complain of. */
static void test_clblast(void **state) {
  const variant v = {&ga__gemm_clblast, GA_FLOAT, 1, 1, 1};
  output o;

  (void)state;
  begin_output(&o);
  check_shapes(ALL, v);
  check_shapes(FEW, (variant){&ga__gemm_clblast, GA_FLOAT, 0, 1, 1});
  check_shapes(FEW, (variant){&ga__gemm_clblast, GA_FLOAT, 0, 0, 0});
  check_shapes(1, (variant){&ga__gemm_clblast, GA_HALF, 1, 1, 1});
  check(&v, &(sizes){600, 500, 400, 1, 1, 0});
  assert_int_equal(end_output(&o), 0);
}

/* A launch that CLBlast took is bound to a result beyond what it can count to:
 * the last places of 2^31 floats, whose memory nobody touches but there. */
static void test_clblast_far(void **state) {
  enum { SIDE = 33 };
  const size_t bytes = ((size_t)1 << 31) * sizeof(float);
  const size_t off = bytes - SIDE * SIDE * sizeof(float);
  matrix a = matrix_new(GA_FLOAT, SIDE, SIDE, 0, 1, 1);
  matrix b = matrix_new(GA_FLOAT, SIDE, SIDE, 0, 1, 2);
  matrix c = matrix_new(GA_FLOAT, SIDE, SIDE, 0, 1, 0);
  const ga__product g = {.routine = GA_ROUTINE_GEMM,
                         .ctx = test_context(),
                         .typecode = GA_FLOAT,
                         .m = SIDE,
                         .n = SIDE,
                         .k = SIDE,
                         .batch = 1,
                         .alpha = {1, 0},
                         .a = matrix_operand(&a, 1, 0),
                         .b = matrix_operand(&b, 1, 1),
                         .c = matrix_operand(&c, 1, 2)};
  gpudata *far = gpudata_alloc(test_context(), bytes, NULL, 0, NULL);
  GpuLaunch *l;

  (void)state;
  if (far == NULL || !ga__gemm_clblast.takes(&g)) {
    print_message(far == NULL ? "the device gives no 8 GiB\n"
                              : "CLBlast is not there\n");
    gpudata_release(far);
    matrix_free(&a);
    matrix_free(&b);
    matrix_free(&c);
    skip();
  }
  assert_ok(ga__product_prepare_by(&l, &g, &ga__gemm_clblast));
  assert_ok(GpuLaunch_bind(l, 2, far, off));
  assert_ok(GpuLaunch_run(l));
  reference_gemm(&g, &a, &b, &c);
  assert_ok(gpudata_move(c.buf, g.c.off, far, off, bytes - off));
  matrix_check(&c, SIDE);
  GpuLaunch_free(l);
  gpudata_release(far);
  matrix_free(&a);
  matrix_free(&b);
  matrix_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_float_layouts),
      cmocka_unit_test(test_double),
      cmocka_unit_test(test_half),
      cmocka_unit_test(test_bfloat),
      cmocka_unit_test(test_packed),
      cmocka_unit_test(test_strided),
      cmocka_unit_test(test_local_memory),
      cmocka_unit_test(test_parts_repeat),
      cmocka_unit_test(test_local_memory_double),
      cmocka_unit_test(test_tensor_cores_half),
      cmocka_unit_test(test_tensor_cores_bfloat),
      cmocka_unit_test(test_tensor_cores_double),
      cmocka_unit_test(test_large_tiles),
      cmocka_unit_test(test_large_tiles_double),
      cmocka_unit_test(test_shared_operand),
      cmocka_unit_test(test_clblast_guards),
      cmocka_unit_test(test_clblast),
      cmocka_unit_test(test_clblast_far),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
