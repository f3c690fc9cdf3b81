/* SPDX-License-Identifier: BSD-2-Clause */
/* Special functions on the device: values of mpmath (special_values.py) and the
 * largest errors that docs/special-functions.md states, poles, infinities and
 * NaN, and derivatives against closed forms and differences. With a file as
 * argument, its values are compared, and the largest errors are printed. */
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
  double ulps[2]; /* largest error in float32 and float64 */
} function;

#define ONE(name, f, d)                                                        \
  {                                                                            \
#name, gg_##name, NULL, {                                                  \
      f, d                                                                     \
    }                                                                          \
  }
#define TWO(name, f, d)                                                        \
  {                                                                            \
#name, NULL, gg_##name, {                                                  \
      f, d                                                                     \
    }                                                                          \
  }

static const function functions[] = {
    ONE(lgamma, 5, 5),   ONE(gamma, 6, 6),    ONE(digamma, 7, 7),
    ONE(trigamma, 5, 5), TWO(betaln, 9, 9),   TWO(zeta, 12, 9),
    ONE(erfinv, 5, 5),   ONE(erfcinv, 5, 5),  ONE(erfcx, 4, 4),
    ONE(ndtr, 5, 5),     ONE(log_ndtr, 5, 5), ONE(ndtri, 5, 5),
    TWO(xlogy, 2, 2),    TWO(xlog1py, 2, 2),  ONE(entr, 2, 2),
    TWO(rel_entr, 3, 3), TWO(kl_div, 16, 16), ONE(sinc, 3, 3),
    ONE(i0, 6, 6),       ONE(i0e, 6, 6),      ONE(i1, 6, 6),
    ONE(i1e, 6, 6),      ONE(k0, 9, 9),       ONE(k0e, 9, 9),
    ONE(k1, 6, 6),       ONE(k1e, 6, 6),      ONE(lambertw, 6, 6),
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* The rows of one function and dtype. */
typedef struct rows {
  size_t n;
  double x[2][MAX_ROWS], y[MAX_ROWS], rest[MAX_ROWS];
} rows;

static const char *table = "tests/ops/special_values.txt";

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
    to->x[1][to->n] = f->two != NULL ? strtod(s, &s) : 0;
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

static void check_rows(const function *f, const rows *r, const void *got,
                       int dtype) {
  double worst = 0;
  size_t at = 0;

  for (size_t i = 0; i < r->n; i++) {
    const double v = test_get(got, dtype, i);
    const double off = fabs(v - r->y[i] - r->rest[i]);
    const double error = off / ulp_of(r->y[i], dtype == GA_DOUBLE);
    if (!(error <= worst)) {
      worst = error;
      at = i;
    }
  }
  if (strncmp(table, "tests/", 6) != 0)
    printf("%-12s %s %9.2f at %.17g %.17g: got %.17g, expected %.17g\n",
           f->name, dtype == GA_DOUBLE ? "float64" : "float32", worst,
           r->x[0][at], r->x[1][at], test_get(got, dtype, at), r->y[at]);
  else if (!(worst <= f->ulps[dtype == GA_DOUBLE]))
    fail_msg("%s(%.17g, %.17g): got %.17g, expected %.17g: %g ulp", f->name,
             r->x[0][at], r->x[1][at], test_get(got, dtype, at), r->y[at],
             worst);
}

/* Evaluate a function for n arguments. `out` has room for n elements. */
static void evaluate(const function *f, int dtype, size_t n,
                     double (*x)[MAX_ROWS], void *to) {
  static char data[8 * MAX_ROWS];
  gg_var *in[2];

  for (unsigned int i = 0; i < 2; i++) {
    for (size_t k = 0; k < n; k++)
      test_set(data, dtype, k, x[i][k]);
    test_array(i == 0 ? &a : &b, dtype, 1, &n, data);
    in[i] = gg_input(g, i == 0 ? "x" : "y", dtype, 1);
  }
  gg_var *const y = f->one != NULL ? f->one(in[0]) : f->two(in[0], in[1]);
  gg_func *const func = func_make(
      g, &(gg_func_spec){
             .inputs = (gg_var *[]){in[0], f->one != NULL ? NULL : in[1], NULL},
             .outputs = (gg_var *[]){y, NULL}});
  func_run(func, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  test_gather(&out, to);
  gg_func_free(func);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&out);
}

static void check_values(int dtype) {
  static char got[8 * MAX_ROWS];
  rows *const r = calloc(1, sizeof *r);

  assert_non_null(r);
  for (size_t i = 0; i < FUNCTIONS; i++) {
    read_rows(r, &functions[i], dtype == GA_DOUBLE);
    evaluate(&functions[i], dtype, r->n, r->x, got);
    check_rows(&functions[i], r, got, dtype);
  }
  free(r);
}

static void test_float32(void **state) {
  (void)state;
  check_values(GA_FLOAT);
}

static void test_float64(void **state) {
  (void)state;
  test_need_double();
  check_values(GA_DOUBLE);
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
    {"zeta", 0.5, 2, NAN},
    {"zeta", 2, 0, INFINITY},
    {"zeta", 3, -2, INFINITY},
    {"zeta", 2.5, -1.5, NAN},
    {"zeta", 2, INFINITY, 0},
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
    {"sinc", 0, 0, 1},
    {"sinc", 3, 0, 0},
};

/* All edges of a function, and NaN. Returns the count. */
static size_t collect_edges(const function *f, rows *r) {
  r->n = 0;
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
    if (strcmp(edges[i].name, f->name) == 0) {
      r->x[0][r->n] = edges[i].x;
      r->x[1][r->n] = edges[i].y;
      r->y[r->n++] = edges[i].value;
    }
  r->x[0][r->n] = NAN;
  r->x[1][r->n] = 2;
  r->y[r->n++] = NAN;
  return r->n;
}

static void test_edges(void **state) {
  static char got[8 * MAX_ROWS];
  rows *const r = calloc(1, sizeof *r);

  (void)state;
  assert_non_null(r);
  for (size_t i = 0; i < FUNCTIONS; i++) {
    const size_t n = collect_edges(&functions[i], r);
    evaluate(&functions[i], GA_FLOAT, n, r->x, got);
    for (size_t k = 0; k < n; k++) {
      const double v = test_get(got, GA_FLOAT, k);
      if (v != r->y[k] && !(isnan(v) && isnan(r->y[k])))
        fail_msg("%s(%g, %g): got %g, expected %g", functions[i].name,
                 r->x[0][k], r->x[1][k], v, r->y[k]);
    }
  }
  free(r);
}

/* The host computes what the device computes. */
static void test_host(void **state) {
  static char got[8 * MAX_ROWS];
  rows *const r = calloc(1, sizeof *r);

  (void)state;
  assert_non_null(r);
  for (size_t i = 0; i < FUNCTIONS; i++) {
    const function *f = &functions[i];
    read_rows(r, f, 1);
    gg_var *const x = gg_f64(g, 1), *const in[2] = {x, x};
    gg_var *const y = f->one != NULL ? f->one(x) : f->two(in[0], in[1]);
    double (*const eval)(const double *) = gg_apply_code(gg_var_owner(y))->eval;
    for (size_t k = 0; k < r->n; k++)
      test_set(got, GA_DOUBLE, k, eval((double[]){r->x[0][k], r->x[1][k]}));
    check_rows(f, r, got, GA_DOUBLE);
  }
  free(r);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_float32, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_float64, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_edges, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_host, graph_setup, graph_teardown),
  };

  if (argc > 1)
    table = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
