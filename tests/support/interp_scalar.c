/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference's elementwise functions, by name: those that the library
 * computes by more than an operator or a function of the C library. Of the
 * others the reference is that operator or function, from the op itself. */
#include <math.h>
#include <string.h>

#include "support/interp.h"

static double py_mod(double x, double y) {
  return y == 0 ? NAN : x - y * floor(x / y);
}

static double floordiv(const double *x) {
  return floor(x[0] / x[1]);
}

static double mod(const double *x) {
  return py_mod(x[0], x[1]);
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

static double sign(double x) {
  return isnan(x) ? x : (double)((x > 0) - (x < 0));
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

static double second(const double *x) {
  return x[1];
}

static const struct {
  const char *name;
  double (*one)(double);
  double (*many)(const double *);
} functions[] = {
    {"floordiv", NULL, floordiv}, {"mod", NULL, mod},
    {"maximum", NULL, maximum},   {"minimum", NULL, minimum},
    {"fill", NULL, second},       {"sign", sign, NULL},
    {"sigmoid", sigmoid, NULL},   {"softplus", softplus, NULL},
    {"relu", relu, NULL},         {"round", nearbyint, NULL},
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
