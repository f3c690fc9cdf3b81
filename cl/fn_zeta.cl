/* SPDX-License-Identifier: BSD-2-Clause */
/* The zeta function of Hurwitz, the sum of (q + k)^-s. The macros are those of
 * fn_gamma.cl, and fn_power.cl stands before this. Ten terms, in float32 four,
 * and the rest by the formula of Euler and Maclaurin (DLMF 25.11.5), whose
 * coefficients are B(2k) / (2k)!. */

/* For q > 0 and s > 1. */
static inline F_REAL F(zeta_right)(const F_REAL s, const F_REAL q) {
  const F_REAL down = -fmin(s, (F_REAL)(F_PICK(1e300, 1e30)));
  F_REAL sum = (F_REAL)(0), a = q;

  for (int i = 0; i < F_PICK(10, 4); i++) {
    sum += F(power)(a, down);
    a += (F_REAL)(1);
  }
  const F_REAL last = F(power)(a, down), r = (F_REAL)(1) / a, w = r * r;
  /* From 100 a on the rest adds nothing, and would overflow. */
  const F_REAL c = fmin(s, a * (F_REAL)(100));
  F_REAL t = c * r,
         rest = fma(t, (F_REAL)(0.0833333333333333333333), (F_REAL)(0.5));
  t = t * w * (c + (F_REAL)(1)) * (c + (F_REAL)(2));
  rest = fma(t, (F_REAL)(-0.00138888888888888888889), rest);
  t = t * w * (c + (F_REAL)(3)) * (c + (F_REAL)(4));
  rest = fma(t, (F_REAL)(0.0000330687830687830687831), rest);
  t = t * w * (c + (F_REAL)(5)) * (c + (F_REAL)(6));
  rest = fma(t, (F_REAL)(-8.26719576719576719577e-7), rest);
  t = t * w * (c + (F_REAL)(7)) * (c + (F_REAL)(8));
  rest = fma(t, (F_REAL)(2.08767569878680989792e-8), rest);
  t = t * w * (c + (F_REAL)(9)) * (c + (F_REAL)(10));
  rest = fma(t, (F_REAL)(-5.28419013868749318485e-10), rest);
  t = t * w * (c + (F_REAL)(11)) * (c + (F_REAL)(12));
  rest = fma(t, (F_REAL)(1.33825365306846788328e-11), rest);
  t = t * w * (c + (F_REAL)(13)) * (c + (F_REAL)(14));
  rest = fma(t, (F_REAL)(-3.38968029632258286683e-13), rest);
  const F_REAL y = fma(last, rest, last * (a / (s - (F_REAL)(1)))) + sum;
  return q == (F_REAL)(INFINITY) ? (F_REAL)(0) : y;
}

/* Below 0 and for a whole s the terms left of 0 are a sum of the same kind. */
static inline F_REAL F(zeta)(const F_REAL s, const F_REAL q) {
  const F_BOOL is_left = q <= (F_REAL)(0);
  const F_REAL whole = floor(q), part = q - whole;
  F_REAL y = F(zeta_right)(s, is_left ? part : q);

  if (F_ANY(is_left)) {
    const F_REAL half_s = s * (F_REAL)(0.5);
    const F_REAL sign = floor(half_s) == half_s ? (F_REAL)(1) : (F_REAL)(-1);
    const F_REAL left =
        F(zeta_right)(s, is_left ? -(whole + part - (F_REAL)(1)) : q);
    const F_REAL near = F(zeta_right)(s, (F_REAL)(1) - part);
    const F_BOOL is_pole = part == (F_REAL)(0);
    const F_REAL sum = fma(sign, near - left, y);
    y = is_left ? (is_pole         ? (F_REAL)(INFINITY)
                   : floor(s) == s ? sum
                                   : (F_REAL)(NAN))
                : y;
  }
  return ((s != s) | (q != q)) ? s + q
         : s == (F_REAL)(1)  ? (F_REAL)(INFINITY)
         : s < (F_REAL)(1)   ? (F_REAL)(NAN)
                             : y;
}
