/* SPDX-License-Identifier: BSD-2-Clause */
#include "ops/order/running_host.h"

#include <math.h>

#include "ops/order/order_word.h"

static double combined(ga_cumulate_op op, double a, double b) {
  switch (op) {
  case GA_CUMULATE_SUM:
    return a + b;
  case GA_CUMULATE_PROD:
    return a * b;
  case GA_CUMULATE_MAX:
    return b > a || isnan(b) ? b : a;
  case GA_CUMULATE_MIN:
    return b < a || isnan(b) ? b : a;
  case GA_CUMULATE_ANY:
    return a != 0 || b != 0;
  case GA_CUMULATE_ALL:
    return a != 0 && b != 0;
  default:
    return a == b ? a + log(2.0) : fmax(a, b) + log1p(exp(-fabs(a - b)));
  }
}

static double neutral_of(ga_cumulate_op op) {
  switch (op) {
  case GA_CUMULATE_PROD:
  case GA_CUMULATE_ALL:
    return 1;
  case GA_CUMULATE_MAX:
  case GA_CUMULATE_LOGADDEXP:
    return -INFINITY;
  case GA_CUMULATE_MIN:
    return INFINITY;
  default:
    return 0;
  }
}

/* Element i of input k, in C order. */
static double element(const gg_prepare *p, unsigned int k, size_t i) {
  const int dtype = p->in[k]->typecode;

  return ga__dtype_to_double(dtype, (const char *)p->from[k] +
                                        i * ga__dtype_size(dtype));
}

/* The row that begins at element `first`. */
static void reference_row(const gg_prepare *p, const gg__host_rows *r,
                          size_t first) {
  const gg__cumulate_props *props = p->apply->props;
  const int has_op = p->apply->n_in == 1;
  const int dtype = p->out[0]->typecode;
  double acc = has_op ? neutral_of(gg__cumulate_op(props)) : 0;

  for (size_t j = 0; j < r->n; j++) {
    const size_t i = first + (props->reversed ? r->n - 1 - j : j) * r->step;
    const double x = element(p, 0, i), before = acc;

    acc = has_op ? combined(gg__cumulate_op(props), acc, x)
                 : x * acc + element(p, 1, i);
    acc = ga__dtype_wrap(dtype, acc);
    ga__dtype_from_double(dtype, (char *)p->to[0] + i * ga__dtype_size(dtype),
                          props->exclusive ? before : acc);
  }
}

/* Set z = z x + y, of complex numbers. */
static void multiply_add(double *z, const double *x, const double *y) {
  const double re = z[0] * x[0] - z[1] * x[1] + y[0];

  z[1] = z[0] * x[1] + z[1] * x[0] + y[1];
  z[0] = re;
}

/* Element i of input k, in C order. */
static void complex_element(const gg_prepare *p, unsigned int k, size_t i,
                            double *z) {
  const int real = ga__dtype_real(p->in[k]->typecode);
  const size_t bytes = ga__dtype_size(real);
  const char *at = (const char *)p->from[k] + 2 * i * bytes;

  z[0] = ga__dtype_to_double(real, at);
  z[1] = ga__dtype_to_double(real, at + bytes);
}

/* The same of complex numbers, of which there are sums, products and
 * recurrences. */
static void complex_row(const gg_prepare *p, const gg__host_rows *r,
                        size_t first) {
  static const double zero[2] = {0, 0}, one[2] = {1, 0};
  const gg__cumulate_props *props = p->apply->props;
  const int has_op = p->apply->n_in == 1;
  const int is_sum = has_op && gg__cumulate_op(props) == GA_CUMULATE_SUM;
  const int real = ga__dtype_real(p->out[0]->typecode);
  const size_t bytes = ga__dtype_size(real);
  double acc[2] = {has_op && !is_sum, 0};

  for (size_t j = 0; j < r->n; j++) {
    const size_t i = first + (props->reversed ? r->n - 1 - j : j) * r->step;
    const double before[2] = {acc[0], acc[1]};
    char *to = (char *)p->to[0] + 2 * i * bytes;
    double x[2], y[2] = {0, 0};

    complex_element(p, 0, i, x);
    if (!has_op)
      complex_element(p, 1, i, y);
    multiply_add(acc, is_sum ? one : x, is_sum ? x : has_op ? zero : y);
    for (int part = 0; part < 2; part++)
      ga__dtype_from_double(real, to + (size_t)part * bytes,
                            props->exclusive ? before[part] : acc[part]);
  }
}

int gg__cumulate_reference(const gg_prepare *p) {
  const gg__cumulate_props *props = p->apply->props;
  const gg__host_rows r = gg__host_rows_of(p->in[0], props->axis);

  for (size_t i = 0; i < r.count; i++)
    (ga__dtype_is_complex(p->out[0]->typecode) ? complex_row : reference_row)(
        p, &r, gg__host_row(&r, i, r.n));
  return GA_NO_ERROR;
}
