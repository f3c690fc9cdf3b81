/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of products with an epilogue, on both mappings: arguments with an
 * element for each result, for each row, column or matrix, results in place and
 * in any order of axes, and what is refused. Numbers are small and whole, so
 * sums are exact. */
#include <string.h>

#include "support/device.h"

#include <gpuarray/launch.h>

enum { MOST = 20000, N_ARGS = 6 };

/* An argument of each extent. */
static const gpuelemwise_arg args[N_ARGS] = {
    {"o", GA_FLOAT, GE_WRITE},     {"t", GA_BOOL, GE_WRITE},
    {"row", GA_FLOAT, GE_READ},    {"each", GA_FLOAT, GE_READ},
    {"column", GA_FLOAT, GE_READ}, {"matrix", GA_FLOAT, GE_READ}};
static const char text[] =
    "o = fmax(acc + row, (w_float)(0)) + each; t = column > matrix;";

typedef struct sizes {
  size_t z, m, n, k;
  float beta;
} sizes;

/* Whole numbers from -3 to 3. */
static void fill(float *v, size_t n, uint32_t seed) {
  assert_true(n <= MOST);
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    v[i] = (float)((seed >> 16) % 7) - 3;
  }
}

typedef struct operand {
  GpuArray a;
  size_t dims[3];
  float v[MOST];
} operand;

static void make(operand *x, size_t z, size_t m, size_t n, uint32_t seed) {
  const size_t dims[3] = {z, m, n};

  memcpy(x->dims, dims, sizeof dims);
  fill(x->v, z * m * n, seed);
  test_array(&x->a, GA_FLOAT, 3, dims, x->v);
}

static float at(const operand *x, size_t z, size_t i, size_t j) {
  const size_t p[3] = {x->dims[0] == 1 ? 0 : z, x->dims[1] == 1 ? 0 : i,
                       x->dims[2] == 1 ? 0 : j};

  return x->v[(p[0] * x->dims[1] + p[1]) * x->dims[2] + p[2]];
}

static operand a, b, c, row, each, column, matrix;
static GpuArray o, t;

static void open_all(const sizes *s) {
  make(&a, s->z, s->m, s->k, 1);
  make(&b, s->z, s->k, s->n, 2);
  make(&c, s->z, s->m, s->n, 3);
  make(&row, s->z, 1, s->n, 4);
  make(&each, s->z, s->m, s->n, 5);
  make(&column, 1, s->m, 1, 6);
  make(&matrix, s->z, 1, 1, 7);
}

static void close_all(void) {
  operand *const all[] = {&a, &b, &c, &row, &each, &column, &matrix};

  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    GpuArray_clear(&all[i]->a);
  GpuArray_clear(&o);
  GpuArray_clear(&t);
}

static float acc_at(const sizes *s, size_t z, size_t i, size_t j) {
  float acc = s->beta * at(&c, z, i, j);

  for (size_t p = 0; p < s->k; p++)
    acc += at(&a, z, i, p) * at(&b, z, p, j);
  return acc;
}

static void compare(const sizes *s) {
  static float want[MOST];
  static unsigned char is_more[MOST];
  size_t at_result = 0;

  for (size_t z = 0; z < s->z; z++)
    for (size_t i = 0; i < s->m; i++)
      for (size_t j = 0; j < s->n; j++, at_result++) {
        const float v = acc_at(s, z, i, j) + at(&row, z, 0, j);

        want[at_result] = (v > 0 ? v : 0) + at(&each, z, i, j);
        is_more[at_result] = at(&column, 0, i, 0) > at(&matrix, z, 0, 0);
      }
  test_array_equal(&o, want);
  test_array_equal(&t, is_more);
}

/* The result lies by rows, by columns (turned), or is C itself. */
typedef enum place { PLAIN, TURNED, IN_PLACE } place;

static int prepare(GpuLaunch **l, const sizes *s, void **given) {
  const GpuEpilogue e = {
      .text = text, .n_args = N_ARGS, .args = args, .flags = GE_VECTOR};

  return GpuArray_rgemmBatch_3d_epilogue_prepare(
      l, cb_no_trans, cb_no_trans, 1, &a.a, &b.a, s->beta,
      s->beta != 0 ? &c.a : NULL, &e, given);
}

static void make_result(const sizes *s, place where) {
  const size_t dims[3] = {s->z, s->m, s->n};
  const size_t turned[3] = {s->z, s->n, s->m};

  if (where == IN_PLACE) {
    assert_ok(GpuArray_view(&o, &c.a));
  } else if (where == TURNED) {
    GpuArray x;
    assert_ok(
        GpuArray_empty(&x, test_context(), GA_FLOAT, 3, turned, GA_C_ORDER));
    assert_ok(GpuArray_transpose(&o, &x, (const unsigned int[]){0, 2, 1}));
    GpuArray_clear(&x);
  } else {
    assert_ok(
        GpuArray_empty(&o, test_context(), GA_FLOAT, 3, dims, GA_C_ORDER));
  }
  assert_ok(GpuArray_empty(&t, test_context(), GA_BOOL, 3, dims, GA_C_ORDER));
}

static void run(const sizes *s, place where) {
  void *given[N_ARGS] = {&o, &t, &row.a, &each.a, &column.a, &matrix.a};
  GpuLaunch *l;

  open_all(s);
  make_result(s, where);
  assert_ok(prepare(&l, s, given));
  assert_ok(GpuLaunch_run(l));
  compare(s);
  GpuLaunch_free(l);
  close_all();
}

/* Around the edges of tiles, cut along k, one row, and empty. */
static const sizes all[] = {{3, 17, 34, 7, 0},
                            {2, 5, 9, 600, 1},
                            {5, 1, 40, 9, 0},
                            {6, 4, 8, 0, 1},
                            {0, 4, 8, 3, 0}};

static void body(void) {
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    run(&all[i], PLAIN);
  run(&all[0], TURNED);
  run(&all[1], IN_PLACE);
}

static void test_values(void **state) {
  (void)state;
  test_mappings(body);
}

static void test_refused(void **state) {
  void *given[N_ARGS] = {&o, &t, &row.a, &each.a, &column.a, &matrix.a};
  const sizes s = {3, 4, 5, 6, 0};
  GpuLaunch *l;

  (void)state;
  open_all(&s);
  make_result(&s, PLAIN);
  given[0] = &b.a; /* 3 x 6 x 5 for a result of 3 x 4 x 5 */
  assert_code(GA_VALUE_ERROR, prepare(&l, &s, given));
  assert_null(l);
  given[0] = &o;
  given[3] = &a.a;
  assert_code(GA_VALUE_ERROR, prepare(&l, &s, given));
  given[3] = &each.a;
  GpuArray_clear(&b.a);
  make(&b, 2, s.k, s.n, 2); /* fewer matrices */
  assert_code(GA_VALUE_ERROR, prepare(&l, &s, given));
  assert_message(GA_VALUE_ERROR, "A has 3 matrices, B has 2");
  close_all();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_refused),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
