/* SPDX-License-Identifier: BSD-2-Clause */
#include "ops/elementwise/neighbours.h"

#include <float.h>
#include <math.h>

#include "ops/elementwise/elementwise_texts.h"

/* The float after x[0] towards x[1], of `digits` bits and multiples of
 * 2^least up to `most`. */
static double next_float(const double *x, int digits, int least, double most) {
  const double a = x[0], b = x[1];
  int e = 0;

  if (a == b || isnan(a) || isnan(b))
    return a == b ? b : NAN;
  if (isinf(a))
    return copysign(most, a);
  /* Below a power of 2 the distance is half of that above it. */
  const double part = fabs(frexp(a, &e));
  if (part == 0.5 && (b < a) == (a > 0))
    e--;
  const double step =
      ldexp(1, part != 0 && e - digits > least ? e - digits : least);
  const double next = a + (b > a ? step : -step);
  return next == 0           ? copysign(0, a)
         : fabs(next) > most ? copysign(INFINITY, next)
                             : next;
}

static double next_half(const double *x) {
  return next_float(x, 11, -24, 65504);
}

static double next_bfloat(const double *x) {
  return next_float(x, 8, -133, 0x1.fep127);
}

static double next_single(const double *x) {
  return next_float(x, FLT_MANT_DIG, -149, FLT_MAX);
}

const gg_code *const gg__next_small[] = {CODE(NEXT, next_half, 4),
                                         CODE(NEXT, next_bfloat, 4),
                                         CODE(NEXT, next_single, 4)};
