/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference's elementwise functions, by name. */
#include <math.h>
#include <string.h>

#include "support/interp.h"

static double py_mod(double x, double y) {
  return y == 0 ? NAN : x - y * floor(x / y);
}

static double add(const double *x) {
  return x[0] + x[1];
}

static double sub(const double *x) {
  return x[0] - x[1];
}

static double mul(const double *x) {
  return x[0] * x[1];
}

static double divide(const double *x) {
  return x[0] / x[1];
}

static double floordiv(const double *x) {
  return floor(x[0] / x[1]);
}

static double mod(const double *x) {
  return py_mod(x[0], x[1]);
}

static double power(const double *x) {
  return pow(x[0], x[1]);
}

static double maximum(const double *x) {
  if (isnan(x[0]) || isnan(x[1]))
    return NAN;
  return fmax(x[0], x[1]);
}

static double minimum(const double *x) {
  if (isnan(x[0]) || isnan(x[1]))
    return NAN;
  return fmin(x[0], x[1]);
}

static double angle(const double *x) {
  return atan2(x[0], x[1]);
}

static double sign(double x) {
  return isnan(x) ? x : (double)((x > 0) - (x < 0));
}

static double negative(double x) {
  return -x;
}

static double square(double x) {
  return x * x;
}

static double inverse_sqrt(double x) {
  return 1 / sqrt(x);
}

static double inverse(double x) {
  return 1 / x;
}

static double sigmoid(double x) {
  return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

static double softplus(double x) {
  return x > 30 ? x + exp(-x) : log1p(exp(x));
}

static double relu(double x) {
  return isnan(x) ? x : fmax(x, 0);
}

static double is_nan(double x) {
  return isnan(x) != 0;
}

static double is_inf(double x) {
  return isinf(x) != 0;
}

static double identity(double x) {
  return x;
}

static double lt(const double *x) {
  return x[0] < x[1];
}

static double le(const double *x) {
  return x[0] <= x[1];
}

static double gt(const double *x) {
  return x[0] > x[1];
}

static double ge(const double *x) {
  return x[0] >= x[1];
}

static double eq(const double *x) {
  return x[0] == x[1];
}

static double ne(const double *x) {
  return x[0] != x[1];
}

static double bit_and(const double *x) {
  return (double)((long long)x[0] & (long long)x[1]);
}

static double bit_or(const double *x) {
  return (double)((long long)x[0] | (long long)x[1]);
}

static double bit_xor(const double *x) {
  return (double)((long long)x[0] ^ (long long)x[1]);
}

static double where(const double *x) {
  return x[0] != 0 ? x[1] : x[2];
}

static double second(const double *x) {
  return x[1];
}

static const struct {
  const char *name;
  double (*one)(double);
  double (*many)(const double *);
} functions[] = {
    {"add", NULL, add},
    {"sub", NULL, sub},
    {"mul", NULL, mul},
    {"div", NULL, divide},
    {"floordiv", NULL, floordiv},
    {"mod", NULL, mod},
    {"pow", NULL, power},
    {"maximum", NULL, maximum},
    {"minimum", NULL, minimum},
    {"atan2", NULL, angle},
    {"lt", NULL, lt},
    {"le", NULL, le},
    {"gt", NULL, gt},
    {"ge", NULL, ge},
    {"eq", NULL, eq},
    {"ne", NULL, ne},
    {"and", NULL, bit_and},
    {"or", NULL, bit_or},
    {"xor", NULL, bit_xor},
    {"where", NULL, where},
    {"fill", NULL, second},
    {"neg", negative, NULL},
    {"abs", fabs, NULL},
    {"sign", sign, NULL},
    {"sqr", square, NULL},
    {"sqrt", sqrt, NULL},
    {"rsqrt", inverse_sqrt, NULL},
    {"reciprocal", inverse, NULL},
    {"exp", exp, NULL},
    {"exp2", exp2, NULL},
    {"expm1", expm1, NULL},
    {"log", log, NULL},
    {"log2", log2, NULL},
    {"log10", log10, NULL},
    {"log1p", log1p, NULL},
    {"sin", sin, NULL},
    {"cos", cos, NULL},
    {"tan", tan, NULL},
    {"asin", asin, NULL},
    {"acos", acos, NULL},
    {"atan", atan, NULL},
    {"sinh", sinh, NULL},
    {"cosh", cosh, NULL},
    {"tanh", tanh, NULL},
    {"asinh", asinh, NULL},
    {"acosh", acosh, NULL},
    {"atanh", atanh, NULL},
    {"erf", erf, NULL},
    {"erfc", erfc, NULL},
    {"sigmoid", sigmoid, NULL},
    {"softplus", softplus, NULL},
    {"relu", relu, NULL},
    {"ceil", ceil, NULL},
    {"floor", floor, NULL},
    {"trunc", trunc, NULL},
    {"round", nearbyint, NULL},
    {"isnan", is_nan, NULL},
    {"isinf", is_inf, NULL},
    {"cast", identity, NULL},
    {"stop_gradient", identity, NULL},
};

double interp_scalar(const char *name, const double *x, int *known) {
  *known = 1;
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    if (strcmp(functions[i].name, name) == 0)
      return functions[i].one != NULL ? functions[i].one(x[0])
                                      : functions[i].many(x);
  *known = 0;
  return 0;
}
