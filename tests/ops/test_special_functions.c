/* SPDX-License-Identifier: BSD-2-Clause */
/* Special functions on the device: values of mpmath (special_values.py) and the
 * largest errors that docs/special-functions.md states, poles, infinities and
 * NaN. With a file as argument, its values are compared, and the largest errors
 * are printed. */
#include "support/graph_case.h"

#include <gpugraph/op.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 4096 };

typedef struct function {
  const char *name;
  gg_var *(*one)(gg_var *x);
  gg_var *(*two)(gg_var *x, gg_var *y);
  gg_var *(*three)(gg_var *x, gg_var *y, gg_var *z);
  double ulps[2]; /* largest error in float32 and float64 */
} function;

#define ONE(name, f, d)                                                        \
  {                                                                            \
#name, gg_##name, NULL, NULL, {                                            \
      f, d                                                                     \
    }                                                                          \
  }
#define TWO(name, f, d)                                                        \
  {                                                                            \
#name, NULL, gg_##name, NULL, {                                            \
      f, d                                                                     \
    }                                                                          \
  }
#define THREE(name, f, d)                                                      \
  {                                                                            \
#name, NULL, NULL, gg_##name, {                                            \
      f, d                                                                     \
    }                                                                          \
  }

static const function functions[] = {
    ONE(lgamma, 5, 5),
    ONE(gamma, 6, 6),
    ONE(digamma, 7, 7),
    ONE(trigamma, 5, 5),
    TWO(betaln, 9, 9),
    TWO(zeta, 12, 9),
    ONE(erfinv, 5, 5),
    ONE(erfcinv, 5, 5),
    ONE(erfcx, 4, 4),
    ONE(ndtr, 5, 5),
    ONE(log_ndtr, 5, 5),
    ONE(ndtri, 5, 5),
    TWO(xlogy, 2, 2),
    TWO(xlog1py, 2, 2),
    ONE(entr, 2, 2),
    TWO(rel_entr, 3, 3),
    TWO(kl_div, 16, 16),
    ONE(sinc, 3, 3),
    ONE(i0, 6, 6),
    ONE(i0e, 6, 6),
    ONE(i1, 6, 6),
    ONE(i1e, 6, 6),
    ONE(k0, 9, 9),
    ONE(k0e, 9, 9),
    ONE(k1, 6, 6),
    ONE(k1e, 6, 6),
    ONE(lambertw, 6, 6),
    ONE(j0, 50, 50),
    ONE(j1, 50, 50),
    ONE(y0, 50, 50),
    ONE(y1, 50, 50),
    ONE(exp1, 5, 5),
    ONE(expi, 5, 5),
    TWO(gammainc, 200, 200),
    TWO(gammaincc, 200, 200),
    TWO(gammaincinv, 20, 20),
    TWO(gammainccinv, 20, 20),
    TWO(gammapdf, 200, 200),
    THREE(betainc, 100, 100),
    THREE(betaincc, 100, 100),
    THREE(betaincinv, 30, 30),
    THREE(betainccinv, 30, 30),
    THREE(betapdf, 100, 100),
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, GROUP = 9 };

/* The rows of one function and dtype: n values, and edges behind them. */
typedef struct rows {
  size_t n, count;
  double x[3][MAX_ROWS], y[MAX_ROWS], rest[MAX_ROWS];
  char got[8 * MAX_ROWS];
} rows;

static const char *table = "tests/ops/special_values.txt";

static unsigned int operands(const function *f) {
  return f->one != NULL ? 1 : f->two != NULL ? 2 : 3;
}

static gg_var *apply(const function *f, gg_var *const *x) {
  return f->one != NULL   ? f->one(x[0])
         : f->two != NULL ? f->two(x[0], x[1])
                          : f->three(x[0], x[1], x[2]);
}

/* --- values --- */

static void read_rows(rows *to, const function *f, int is_double) {
  const char kind = is_double ? 'd' : 'f';
  char line[256], name[32], its_kind;
  FILE *file = fopen(table, "r");

  assert_non_null(file);
  to->n = 0;
  while (fgets(line, sizeof line, file) != NULL && to->n < MAX_ROWS) {
    int at = 0;
    if (sscanf(line, "%31s %c %n", name, &its_kind, &at) != 2 ||
        strcmp(name, f->name) != 0 || its_kind != kind)
      continue;
    char *s = line + at;
    to->x[0][to->n] = strtod(s, &s);
    to->x[1][to->n] = operands(f) > 1 ? strtod(s, &s) : 0;
    to->x[2][to->n] = operands(f) > 2 ? strtod(s, &s) : 0;
    to->y[to->n] = strtod(s, &s);
    to->rest[to->n] = strtod(s, &s);
    to->n++;
  }
  fclose(file);
  assert_true(to->n > 0);
}

/* The distance between floats around y. */
static double ulp_of(double y, int is_double) {
  int e;

  frexp(y, &e);
  return is_double ? ldexp(1, e < -1021 ? -1074 : e - DBL_MANT_DIG)
                   : ldexp(1, e < -125 ? -149 : e - FLT_MANT_DIG);
}

/* The first NaN is the worst. */
static void check_rows(const function *f, const rows *r, int dtype) {
  double worst = 0;
  size_t at = 0;

  for (size_t i = 0; i < r->n; i++) {
    const double v = test_get(r->got, dtype, i);
    const double off = fabs(v - r->y[i] - r->rest[i]);
    const double error = off / ulp_of(r->y[i], dtype == GA_DOUBLE);
    if (!(error <= worst) && !isnan(worst)) {
      worst = error;
      at = i;
    }
  }
  const double got = test_get(r->got, dtype, at);
  if (strncmp(table, "tests/", 6) != 0)
    printf("%-12s %s %9.2f at %.17g %.17g %.17g: got %.17g, expected %.17g\n",
           f->name, dtype == GA_DOUBLE ? "float64" : "float32", worst,
           r->x[0][at], r->x[1][at], r->x[2][at], got, r->y[at]);
  else if (!(worst <= f->ulps[dtype == GA_DOUBLE]))
    fail_msg("%s(%.17g, %.17g, %.17g): got %.17g, expected %.17g: %g ulp",
             f->name, r->x[0][at], r->x[1][at], r->x[2][at], got, r->y[at],
             worst);
}

/* --- poles, edges, infinities --- */

static const struct {
  const char *name;
  double x, y, value;
} edges[] = {
    {"lgamma", 0, 0, INFINITY},
    {"lgamma", 1, 0, 0},
    {"lgamma", 2, 0, 0},
    {"lgamma", -3, 0, INFINITY},
    {"lgamma", -1e30, 0, INFINITY},
    {"lgamma", INFINITY, 0, INFINITY},
    {"lgamma", -INFINITY, 0, INFINITY},
    {"gamma", 0.0, 0, INFINITY},
    {"gamma", -0.0, 0, -INFINITY},
    {"gamma", 1, 0, 1},
    {"gamma", 5, 0, 24},
    {"gamma", 200, 0, INFINITY},
    {"gamma", -200.5, 0, 0},
    {"gamma", -2, 0, NAN},
    {"gamma", INFINITY, 0, INFINITY},
    {"gamma", -INFINITY, 0, NAN},
    {"digamma", 0.0, 0, -INFINITY},
    {"digamma", -0.0, 0, INFINITY},
    {"digamma", -4, 0, NAN},
    {"digamma", INFINITY, 0, INFINITY},
    {"digamma", -INFINITY, 0, NAN},
    {"trigamma", 0, 0, INFINITY},
    {"trigamma", -4, 0, INFINITY},
    {"trigamma", INFINITY, 0, 0},
    {"zeta", 1, 2, INFINITY},
    {"zeta", 5000, 1, 1},
    {"zeta", INFINITY, 2, 0},
    {"zeta", 0.5, 2, NAN},
    {"zeta", 2, 0, INFINITY},
    {"zeta", 3, -2, INFINITY},
    {"zeta", 2.5, -1.5, NAN},
    {"zeta", 2, INFINITY, 0},
    {"betaln", 1, 1, 0},
    {"betaln", 0, 3, INFINITY},
    {"betaln", 2, INFINITY, -INFINITY},
    {"erfinv", 0, 0, 0},
    {"erfinv", 1, 0, INFINITY},
    {"erfinv", -1, 0, -INFINITY},
    {"erfinv", 1.5, 0, NAN},
    {"erfinv", -INFINITY, 0, NAN},
    {"erfcinv", 1, 0, 0},
    {"erfcinv", 0, 0, INFINITY},
    {"erfcinv", 2, 0, -INFINITY},
    {"erfcinv", -1, 0, NAN},
    {"erfcinv", 3, 0, NAN},
    {"erfcx", INFINITY, 0, 0},
    {"erfcx", -INFINITY, 0, INFINITY},
    {"ndtr", -INFINITY, 0, 0},
    {"ndtr", INFINITY, 0, 1},
    {"ndtr", 0, 0, 0.5},
    {"log_ndtr", -INFINITY, 0, -INFINITY},
    {"log_ndtr", INFINITY, 0, 0},
    {"ndtri", 0, 0, -INFINITY},
    {"ndtri", 1, 0, INFINITY},
    {"ndtri", 0.5, 0, 0},
    {"ndtri", -0.25, 0, NAN},
    {"ndtri", 1.25, 0, NAN},
    {"xlogy", 0, 0, 0},
    {"xlogy", 0, INFINITY, 0},
    {"xlogy", 0, -1, 0},
    {"xlogy", 0, NAN, NAN},
    {"xlogy", 1, 0, -INFINITY},
    {"xlog1py", 0, -1, 0},
    {"xlog1py", 0, NAN, NAN},
    {"xlog1py", 2, -1, -INFINITY},
    {"entr", 0, 0, 0},
    {"entr", -1, 0, -INFINITY},
    {"entr", INFINITY, 0, -INFINITY},
    {"rel_entr", 0, 0, 0},
    {"rel_entr", 0, 2, 0},
    {"rel_entr", 1, 0, INFINITY},
    {"rel_entr", -1, 1, INFINITY},
    {"rel_entr", NAN, -1, NAN},
    {"rel_entr", 1, NAN, NAN},
    {"kl_div", 0, 0, 0},
    {"kl_div", 0, 3, 3},
    {"kl_div", 2, 2, 0},
    {"kl_div", 1, 0, INFINITY},
    {"kl_div", 1, -1, INFINITY},
    {"kl_div", NAN, 1, NAN},
    {"i0", 0, 0, 1},
    {"i0", -INFINITY, 0, INFINITY},
    {"i0e", INFINITY, 0, 0},
    {"i1", 0, 0, 0},
    {"i1", -INFINITY, 0, -INFINITY},
    {"i1e", -INFINITY, 0, 0},
    {"k0", 0, 0, INFINITY},
    {"k0", -1, 0, NAN},
    {"k0", INFINITY, 0, 0},
    {"k0e", INFINITY, 0, 0},
    {"k1", 0, 0, INFINITY},
    {"k1", -1, 0, NAN},
    {"k1e", INFINITY, 0, 0},
    {"lambertw", 0, 0, 0},
    {"lambertw", INFINITY, 0, INFINITY},
    {"lambertw", -1, 0, NAN},
    {"lambertw", -INFINITY, 0, NAN},
    {"j0", 0, 0, 1},
    {"j0", -INFINITY, 0, 0},
    {"j1", 0, 0, 0},
    {"j1", INFINITY, 0, 0},
    {"y0", 0, 0, -INFINITY},
    {"y0", -1, 0, NAN},
    {"y0", INFINITY, 0, 0},
    {"y1", 0, 0, -INFINITY},
    {"y1", -INFINITY, 0, NAN},
    {"y1", INFINITY, 0, 0},
    {"exp1", 0, 0, INFINITY},
    {"exp1", -1, 0, NAN},
    {"exp1", INFINITY, 0, 0},
    {"expi", 0, 0, -INFINITY},
    {"expi", INFINITY, 0, INFINITY},
    {"expi", -INFINITY, 0, 0},
    {"gammainc", 2, 0, 0},
    {"gammainc", 0, 2, 1},
    {"gammainc", 0, 0, NAN},
    {"gammainc", 2, INFINITY, 1},
    {"gammainc", 40, INFINITY, 1},
    {"gammainc", INFINITY, 2, 0},
    {"gammainc", INFINITY, INFINITY, NAN},
    {"gammainc", -1, 2, NAN},
    {"gammainc", 2, -1, NAN},
    {"gammainc", 2, NAN, NAN},
    {"gammainc", 1e-30, 1e-30, 1},
    {"gammainc", 100, 1e30, 1},
    {"gammaincc", 2, 0, 1},
    {"gammaincc", 0, 2, 0},
    {"gammaincc", 0, 0, NAN},
    {"gammaincc", 2, INFINITY, 0},
    {"gammaincc", INFINITY, 2, 1},
    {"gammaincc", -1, 2, NAN},
    {"gammaincc", 2, NAN, NAN},
    {"gammaincc", 2, 1e30, 0},
    {"gammaincinv", 2, 0, 0},
    {"gammaincinv", 2, 1, INFINITY},
    {"gammaincinv", 0, 0.5, 0},
    {"gammaincinv", 1e-30, 0.5, 0},
    {"gammaincinv", 2, 1.5, NAN},
    {"gammaincinv", 2, -0.5, NAN},
    {"gammaincinv", -2, 0.5, NAN},
    {"gammaincinv", 2, NAN, NAN},
    {"gammainccinv", 2, 0, INFINITY},
    {"gammainccinv", 2, 1, 0},
    {"gammainccinv", 2, 1.5, NAN},
    {"gammainccinv", 2, -0.5, NAN},
    {"gammainccinv", -2, 0.5, NAN},
    {"gammainccinv", 1e-23, 1e-17, 0},
    {"gammapdf", 0.5, 0, INFINITY},
    {"gammapdf", 1, 0, 1},
    {"gammapdf", 20, 0, 0},
    {"gammapdf", 2, -1, 0},
    {"gammapdf", 2, INFINITY, 0},
    {"gammapdf", -1, 1, NAN},
    {"gammapdf", 20, NAN, NAN},
    {"sinc", 0, 0, 1},
    {"sinc", 3, 0, 0},
};

enum { UNKNOWN = -1 };

/* Those of functions of three operands: value[0] at x = 0, value[1] at 0.5,
 * value[2] at 1, as in SciPy; UNKNOWN ones are rounded. */
static const struct {
  const char *name;
  double a, b, value[3];
} wide_edges[] = {
    {"betainc", 2, 3, {0, 0.6875, 1}},
    {"betainc", 0, 2, {0, 1, 1}},
    {"betainc", 2, 0, {0, 0, 1}},
    {"betainc", 0, 0, {NAN, NAN, NAN}},
    {"betainc", INFINITY, 2, {0, 0, 1}},
    {"betainc", 2, INFINITY, {0, 1, 1}},
    {"betainc", 0, INFINITY, {0, 1, 1}},
    {"betainc", INFINITY, 0, {0, 0, 1}},
    {"betainc", INFINITY, INFINITY, {NAN, NAN, NAN}},
    {"betainc", -1, 2, {NAN, NAN, NAN}},
    {"betainc", 2, -1, {NAN, NAN, NAN}},
    {"betainc", 2, NAN, {NAN, NAN, NAN}},
    {"betainc", 1e-30, 1e-30, {0, 0.5, 1}},
    {"betainc", 1e30, 1, {0, 0, 1}},
    {"betainc", 2.5e38, 1e38, {0, 0, 1}},
    {"betaincc", 0, 2, {1, 0, 0}},
    {"betaincc", 2, 0, {1, 1, 0}},
    {"betaincc", 0, 0, {NAN, NAN, NAN}},
    {"betaincc", INFINITY, 2, {1, 1, 0}},
    {"betaincc", 2, INFINITY, {1, 0, 0}},
    {"betaincc", -1, 2, {NAN, NAN, NAN}},
    {"betaincc", 2, NAN, {NAN, NAN, NAN}},
    {"betaincc", 1, 1e30, {1, 0, 0}},
    {"betaincinv", 1, 1, {0, 0.5, 1}},
    {"betaincinv", 0, 2, {NAN, NAN, NAN}},
    {"betaincinv", 2, 0, {NAN, NAN, NAN}},
    {"betaincinv", INFINITY, 2, {0, NAN, 1}},
    {"betaincinv", 2, INFINITY, {0, NAN, 1}},
    {"betaincinv", -1, 2, {NAN, NAN, NAN}},
    {"betaincinv", 1e-30, 2, {0, 0, 1}},
    {"betaincinv", 2, 1e-30, {0, 1, 1}},
    {"betainccinv", 1, 1, {1, 0.5, 0}},
    {"betainccinv", 0, 2, {NAN, NAN, NAN}},
    {"betainccinv", 2, INFINITY, {1, NAN, 0}},
    {"betainccinv", 2, NAN, {NAN, NAN, NAN}},
    {"betapdf", 1, 1, {1, 1, 1}},
    {"betapdf", 0.5, 0.5, {INFINITY, UNKNOWN, INFINITY}},
    {"betapdf", 1, 20, {20, UNKNOWN, 0}},
    {"betapdf", 20, 20, {0, UNKNOWN, 0}},
    {"betapdf", 0, 2, {0, 0, 0}},
    {"betapdf", -1, 2, {NAN, NAN, NAN}},
    {"betapdf", 2, NAN, {NAN, NAN, NAN}},
};

static void add_edge(rows *r, double x, double y, double z, double value) {
  assert_true(r->count < MAX_ROWS);
  r->x[0][r->count] = x;
  r->x[1][r->count] = y;
  r->x[2][r->count] = z;
  r->y[r->count++] = value;
}

static void add_wide_edges(const function *f, rows *r) {
  for (size_t i = 0; i < sizeof wide_edges / sizeof *wide_edges; i++)
    for (int k = 0; k < 3; k++)
      if (strcmp(wide_edges[i].name, f->name) == 0 &&
          wide_edges[i].value[k] != UNKNOWN)
        add_edge(r, wide_edges[i].a, wide_edges[i].b, k / 2.0,
                 wide_edges[i].value[k]);
  if (operands(f) < 3)
    return;
  const double outside = strcmp(f->name, "betapdf") == 0 ? 0 : NAN;
  add_edge(r, 2, 3, -0.25, outside);
  add_edge(r, 2, 3, 1.25, outside);
  add_edge(r, 2, 3, NAN, NAN);
}

/* Append all edges of a function, and NaN. */
static void add_edges(const function *f, rows *r) {
  r->count = r->n;
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
    if (strcmp(edges[i].name, f->name) == 0)
      add_edge(r, edges[i].x, edges[i].y, 0, edges[i].value);
  add_wide_edges(f, r);
  add_edge(r, NAN, 2, 0.5, NAN);
}

static void check_edges(const function *f, const rows *r, int dtype) {
  for (size_t k = r->n; k < r->count; k++) {
    const double v = test_get(r->got, dtype, k);
    if (v != r->y[k] && !(isnan(v) && isnan(r->y[k])))
      fail_msg("%s(%g, %g, %g): got %g, expected %g", f->name, r->x[0][k],
               r->x[1][k], r->x[2][k], v, r->y[k]);
  }
}

/* --- on the device --- */

/* Operands are as long as each other: the first row is repeated. */
static void fill_operand(GpuArray *to, int dtype, size_t n, size_t count,
                         const double *x) {
  static char data[8 * MAX_ROWS];

  for (size_t k = 0; k < n; k++)
    test_set(data, dtype, k, x[k < count ? k : 0]);
  test_array(to, dtype, 1, &n, data);
}

/* Evaluate the functions of a group in one kernel. */
static void evaluate(const function *f, unsigned int group, int dtype,
                     rows *r) {
  gg_var *in[3 * GROUP + 1] = {NULL}, *y[GROUP + 1] = {NULL};
  GpuArray arrays[3 * GROUP], results[GROUP] = {{0}};
  GpuArray *from[3 * GROUP], *to[GROUP];
  unsigned int n_in = 0;
  size_t n = 0;

  for (unsigned int i = 0; i < group; i++)
    n = r[i].count > n ? r[i].count : n;
  for (unsigned int i = 0; i < group; i++) {
    gg_var **const x = in + n_in;
    for (unsigned int k = 0; k < operands(&f[i]); k++, n_in++) {
      fill_operand(&arrays[n_in], dtype, n, r[i].count, r[i].x[k]);
      in[n_in] = gg_input(g, "x", dtype, 1);
      from[n_in] = &arrays[n_in];
    }
    y[i] = apply(&f[i], x);
    to[i] = &results[i];
  }
  gg_func *const func =
      func_make(g, &(gg_func_spec){.inputs = in, .outputs = y});
  func_run(func, from, to);
  for (unsigned int i = 0; i < group; i++) {
    test_gather(&results[i], r[i].got);
    GpuArray_clear(&results[i]);
  }
  for (unsigned int i = 0; i < n_in; i++)
    GpuArray_clear(&arrays[i]);
  gg_func_free(func);
}

static void check_group(const function *f, unsigned int group, int dtype) {
  rows *const r = calloc(group, sizeof *r);

  assert_non_null(r);
  for (unsigned int i = 0; i < group; i++) {
    read_rows(&r[i], &f[i], dtype == GA_DOUBLE);
    add_edges(&f[i], &r[i]);
  }
  evaluate(f, group, dtype, r);
  for (unsigned int i = 0; i < group; i++) {
    check_rows(&f[i], &r[i], dtype);
    check_edges(&f[i], &r[i], dtype);
  }
  free(r);
}

static void check_device(int dtype, unsigned int n) {
  for (unsigned int i = 0; i < n; i += GROUP)
    check_group(&functions[i], n - i < GROUP ? n - i : GROUP, dtype);
}

/* Quick tests leave most to the host, which computes the same text, and to
 * test_values. */
static void test_float32(void **state) {
  (void)state;
  check_device(GA_FLOAT, test_is_quick() ? 3 * GROUP : FUNCTIONS);
}

static void test_float64(void **state) {
  (void)state;
  test_need_double();
  check_device(GA_DOUBLE, test_is_quick() ? GROUP : FUNCTIONS);
}

/* --- the host computes what the device computes --- */

static void test_host(void **state) {
  rows *const r = calloc(1, sizeof *r);
  gg_var *const one = gg_f64(g, 1), *const x[3] = {one, one, one};

  (void)state;
  assert_non_null(r);
  for (size_t i = 0; i < FUNCTIONS; i++) {
    const function *f = &functions[i];
    read_rows(r, f, 1);
    add_edges(f, r);
    double (*const eval)(const double *) =
        gg_apply_code(gg_var_owner(apply(f, x)))->eval;
    for (size_t k = 0; k < r->count; k++)
      test_set(r->got, GA_DOUBLE, k,
               eval((double[]){r->x[0][k], r->x[1][k], r->x[2][k]}));
    check_rows(f, r, GA_DOUBLE);
    check_edges(f, r, GA_DOUBLE);
  }
  free(r);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_float32, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_float64, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_host, graph_setup, graph_teardown),
  };

  if (argc > 1)
    table = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
