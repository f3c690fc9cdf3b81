/* SPDX-License-Identifier: BSD-2-Clause */
/* A product with a vector that gives the vector's sum as well: around the edges
 * of blocks, cut along the sum, without rows and without columns, on both
 * mappings, and what is refused. Numbers are small and whole, so sums are
 * exact. */
#include <stdlib.h>

#include "support/device.h"

#include <gpuarray/launch.h>

enum { X_GAPS = 1, A_TURNED = 2 };

typedef struct sizes {
  size_t m, n;
  int how; /* X_GAPS, A_TURNED */
  double beta;
} sizes;

/* o = A x + beta y + s, t = 3 sum(x), c = c - sum(x). */
typedef struct trial {
  int typecode;
  sizes s;
  GpuArray a, x, y, o, t, c;
  double *ha, *hx, *hy;
  gpuelemwise_arg args[2], sum_args[3];
  GpuEpilogue sum, e;
  float shift, times;
  void *given[5];
} trial;

static double *whole_numbers(size_t n, uint32_t seed) {
  double *v = malloc((n + 1) * sizeof *v);

  assert_non_null(v);
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    v[i] = (double)((seed >> 16) % 5) - 2;
  }
  return v;
}

static void make(GpuArray *a, int typecode, unsigned int nd, const size_t *dims,
                 const ssize_t *strides, const double *v) {
  const size_t n = dims[0] * (nd > 1 ? dims[1] : 1);
  char *host = malloc((n + 1) * 8);

  assert_non_null(host);
  for (size_t i = 0; i < n; i++)
    test_set(host, typecode, i, v[i]);
  test_array_strided(a, typecode, nd, dims, strides, host);
  free(host);
}

static void make_number(GpuArray *a, int typecode, double v) {
  char host[8];

  test_set(host, typecode, 0, v);
  test_array(a, typecode, 0, NULL, host);
}

static void trial_open(trial *t, int typecode, const sizes *s) {
  const ssize_t rows = (ssize_t)s->m, cols = (ssize_t)s->n;
  const ssize_t by_rows[2] = {cols > 0 ? cols : 1, 1},
                by_columns[2] = {1, rows > 0 ? rows : 1};

  *t = (trial){.typecode = typecode, .s = *s, .shift = 2, .times = 3};
  t->ha = whole_numbers(s->m * s->n, 1);
  t->hx = whole_numbers(s->n, 2);
  t->hy = whole_numbers(s->m, 3);
  make(&t->a, typecode, 2, (size_t[]){s->m, s->n},
       s->how & A_TURNED ? by_columns : by_rows, t->ha);
  make(&t->x, typecode, 1, &s->n, (ssize_t[]){s->how & X_GAPS ? -2 : 1}, t->hx);
  make(&t->y, typecode, 1, &s->m, (ssize_t[]){1}, t->hy);
  make(&t->o, GA_FLOAT, 1, &s->m, (ssize_t[]){1}, t->hy);
  make_number(&t->t, GA_FLOAT, -1);
  make_number(&t->c, typecode, 5);
  t->args[0] = (gpuelemwise_arg){"o", GA_FLOAT, GE_WRITE};
  t->args[1] = (gpuelemwise_arg){"s", GA_FLOAT, GE_READ | GE_SCALAR};
  t->sum_args[0] = (gpuelemwise_arg){"t", GA_FLOAT, GE_WRITE};
  t->sum_args[1] = (gpuelemwise_arg){"s", GA_FLOAT, GE_READ | GE_SCALAR};
  t->sum_args[2] = (gpuelemwise_arg){"c", typecode, GE_READ | GE_WRITE};
  t->sum =
      (GpuEpilogue){.text = "t = w_to_float(acc) * s; c -= acc;", .n_args = 3};
  t->sum.args = t->sum_args;
  t->e = (GpuEpilogue){
      .text = "o = w_to_float(acc) + s;", .n_args = 2, .flags = GE_VECTOR};
  t->e.args = t->args;
  t->e.sum = &t->sum;
  t->given[0] = &t->o;
  t->given[1] = &t->shift;
  t->given[2] = &t->t;
  t->given[3] = &t->times;
  t->given[4] = &t->c;
}

static void trial_close(trial *t) {
  GpuArray *const all[] = {&t->a, &t->x, &t->y, &t->o, &t->t, &t->c};

  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    GpuArray_clear(all[i]);
  free(t->ha);
  free(t->hx);
  free(t->hy);
}

static int prepare(trial *t, GpuLaunch **l) {
  return GpuArray_rgemv_epilogue_prepare(l, cb_no_trans, 1, &t->a, &t->x,
                                         t->s.beta, &t->y, &t->e, t->given);
}

static double sum_of(const double *v, size_t n) {
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += v[i];
  return sum;
}

static void expect_number(const GpuArray *a, double want) {
  char host[8];

  test_gather(a, host);
  assert_true(test_get(host, a->typecode, 0) == want);
}

static void expect_products(const trial *t) {
  float *got = malloc((t->s.m + 1) * sizeof *got);

  assert_non_null(got);
  test_gather(&t->o, got);
  for (size_t i = 0; i < t->s.m; i++) {
    double want = t->s.beta * t->hy[i] + 2;

    for (size_t j = 0; j < t->s.n; j++)
      want += t->ha[i * t->s.n + j] * t->hx[j];
    assert_true(got[i] == want);
  }
  free(got);
}

/* Twice, since tickets must be left as they were. */
static void run(int typecode, const sizes *s) {
  GpuLaunch *l;
  trial t;

  trial_open(&t, typecode, s);
  double sum = sum_of(t.hx, s->n);
  assert_ok(prepare(&t, &l));
  for (int i = 1; i <= 2; i++) {
    assert_ok(GpuLaunch_run(l));
    expect_products(&t);
    expect_number(&t.t, 3 * sum);
    expect_number(&t.c, 5 - i * sum);
  }
  GpuLaunch_free(l);
  trial_close(&t);
}

static const sizes all_sizes[] = {
    {33, 65, 0, 0},           {1, 300000, 0, 0}, {70, 1030, X_GAPS, 2},
    {64, 3000, A_TURNED, -1}, {0, 9, 0, 0},      {20, 0, 0, 1},
    {200, 7, A_TURNED, 0},    {1, 1, 0, 0},
};

static void body_floats(void) {
  for (size_t i = 0; i < sizeof all_sizes / sizeof all_sizes[0]; i++)
    if (test_can_loop(all_sizes[i].n))
      run(GA_FLOAT, &all_sizes[i]);
}

static void test_floats(void **state) {
  (void)state;
  test_mappings(body_floats);
}

static void body_halves(void) {
  run(GA_HALF, &all_sizes[0]);
  run(GA_HALF, &all_sizes[6]);
}

static void test_halves(void **state) {
  (void)state;
  test_mappings(body_halves);
}

static void test_doubles(void **state) {
  (void)state;
  test_need_double();
  run(GA_DOUBLE, &all_sizes[0]);
  run(GA_DOUBLE, &all_sizes[3]);
}

/* Arguments of the sum have the slots behind those of the elements. */
static void test_slots(void **state) {
  const sizes s = {33, 65, 0, 0};
  const float times = 7;
  GpuLaunch *l;
  trial t;

  (void)state;
  trial_open(&t, GA_FLOAT, &s);
  assert_ok(prepare(&t, &l));
  assert_ok(GpuLaunch_bind(l, 5, t.y.data, t.y.offset));
  assert_ok(GpuLaunch_bind_scalar(l, 6, &times));
  assert_code(GA_VALUE_ERROR, GpuLaunch_bind(l, 8, t.y.data, 0));
  assert_ok(GpuLaunch_run(l));
  expect_number(&t.t, -1);
  test_gather(&t.y, t.hy);
  assert_true(((float *)t.hy)[0] == 7 * sum_of(t.hx, s.n));
  GpuLaunch_free(l);
  trial_close(&t);
}

/* --- refusals --- */

static void refused(trial *t, int code, const char *part) {
  GpuLaunch *l = NULL;

  assert_code(code, prepare(t, &l));
  assert_message(code, part);
  assert_null(l);
}

static void refused_with(trial *t, size_t arg, void *given, const char *part) {
  void *const was = t->given[arg];

  t->given[arg] = given;
  refused(t, GA_VALUE_ERROR, part);
  t->given[arg] = was;
}

static void test_refusals(void **state) {
  const sizes s = {5, 7, 0, 0};
  GpuArray first;
  GpuLaunch *l = NULL;
  trial t;

  (void)state;
  trial_open(&t, GA_FLOAT, &s);
  refused_with(&t, 2, &t.y, "t: expected 0 dimensions, got 1");
  void *const given = t.given[2];
  t.given[2] = NULL;
  refused(&t, GA_INVALID_ERROR, "t: no array");
  t.given[2] = given;
  refused_with(&t, 2, &t.c, "t: overlaps c");
  assert_ok(GpuArray_index(&first, &t.o, (ssize_t[]){3}, (ssize_t[]){4},
                           (ssize_t[]){0}));
  refused_with(&t, 4, &first, "c: overlaps o");
  GpuArray_clear(&first);
  assert_ok(GpuArray_index(&first, &t.x, (ssize_t[]){3}, (ssize_t[]){4},
                           (ssize_t[]){0}));
  refused_with(&t, 4, &first, "c: overlaps X");
  GpuArray_clear(&first);

  t.sum.text = "t = undefined(acc);";
  refused(&t, GA_IMPL_ERROR, "undefined");
  t.sum.text = NULL;
  refused(&t, GA_VALUE_ERROR, "no epilogue");
  t.sum.text = "t = acc;";
  t.sum_args[0].flags = t.sum_args[2].flags = GE_READ;
  refused(&t, GA_VALUE_ERROR, "none of 3 arguments is written");
  t.sum_args[0].flags = GE_WRITE;
  t.sum_args[0].name = "acc";
  refused(&t, GA_VALUE_ERROR, "the name acc is taken");
  t.sum_args[0].name = "t";

  assert_code(GA_VALUE_ERROR,
              GpuArray_rgemv_epilogue_prepare(&l, cb_no_trans, 0, &t.a, &t.x, 0,
                                              NULL, &t.e, t.given));
  assert_message(GA_VALUE_ERROR, "the sum of X with an alpha of 0");
  assert_code(GA_VALUE_ERROR, GpuArray_rgemm_epilogue_prepare(
                                  &l, cb_no_trans, cb_trans, 1, &t.a, &t.a, 0,
                                  NULL, &t.e, t.given));
  assert_message(GA_VALUE_ERROR, "the sum of X in a product of matrices");
  assert_null(l);
  trial_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),   cmocka_unit_test(test_halves),
      cmocka_unit_test(test_doubles),  cmocka_unit_test(test_slots),
      cmocka_unit_test(test_refusals),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
