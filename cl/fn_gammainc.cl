/* SPDX-License-Identifier: BSD-2-Clause */
/* The incomplete gamma functions and their inverses. The macros are those of
 * fn_gamma.cl, whose functions and those of fn_normal.cl stand before these.
 * Near x = a, from a = 32 on, the uniform expansion of N. M. Temme (DLMF 8.12);
 * elsewhere the power series (DLMF 8.7.1), a series of what is left beside a
 * power of x where x and a are small, or the continued fraction (DLMF 8.9.2).
 * Coefficients come from tests/ops/special_fit.py. */

/* The expansion's sum over r^k = 1 / a^k and powers of t, |t| <= 0.4, where
 * t^2 / 2 = x / a - 1 - log(x / a). */
static inline F_REAL F(temme)(const F_REAL t, const F_REAL r) {
  F_REAL y = (F_REAL)(-0.00012783517679769218585), c;
  y = fma(y, t, (F_REAL)(0.00016644846642067547837));
  y = fma(y, t, (F_REAL)(-6.9690914584205519714e-7));
  y = fma(y, t, (F_REAL)(-0.00043829709854172100506));
  y = fma(y, t, (F_REAL)(0.00083949872067208727999));
  y = fma(y, t, (F_REAL)(-0.00065262391859530941892));
  c = (F_REAL)(2.7744451511563644157e-5);
  c = fma(c, t, (F_REAL)(-1.2741009095484485379e-7));
  c = fma(c, t, (F_REAL)(-0.00010976582244684731024));
  c = fma(c, t, (F_REAL)(0.00028126951547632370227));
  c = fma(c, t, (F_REAL)(-0.00033493161081142236312));
  c = fma(c, t, (F_REAL)(5.1717909082605921934e-5));
  c = fma(c, t, (F_REAL)(0.00034436760689237767125));
  y = fma(y, r, c);
  c = (F_REAL)(3.4651553688036090867e-6);
  c = fma(c, t, (F_REAL)(-3.0796134506033047826e-9));
  c = fma(c, t, (F_REAL)(-1.8329116582843375567e-5));
  c = fma(c, t, (F_REAL)(5.61168275310624965e-5));
  c = fma(c, t, (F_REAL)(-8.1539693675619687509e-5));
  c = fma(c, t, (F_REAL)(7.9023532326603278721e-7));
  c = fma(c, t, (F_REAL)(0.00027087820967180448277));
  c = fma(c, t, (F_REAL)(-0.00059216643735369388286));
  c = fma(c, t, (F_REAL)(0.00053130793646399222317));
  y = fma(y, r, c);
  c = (F_REAL)(3.4652846491085264956e-7);
  c = fma(c, t, (F_REAL)(-3.2524735512984539517e-10));
  c = fma(c, t, (F_REAL)(-2.2914811765080951704e-6));
  c = fma(c, t, (F_REAL)(8.0184702563342015397e-6));
  c = fma(c, t, (F_REAL)(-1.3594048189768693278e-5));
  c = fma(c, t, (F_REAL)(1.4190629206439670148e-7));
  c = fma(c, t, (F_REAL)(6.7977804779372078388e-5));
  c = fma(c, t, (F_REAL)(-0.000199325705161888477));
  c = fma(c, t, (F_REAL)(0.00027727532449593920787));
  c = fma(c, t, (F_REAL)(-6.9728137583658577743e-5));
  c = fma(c, t, (F_REAL)(-0.00033679855336635815031));
  y = fma(y, r, c);
  c = (F_REAL)(-2.2929348340008048706e-7);
  c = fma(c, t, (F_REAL)(8.9075075322053096888e-7));
  c = fma(c, t, (F_REAL)(-1.6954149536558306015e-6));
  c = fma(c, t, (F_REAL)(2.5074972262375328017e-10));
  c = fma(c, t, (F_REAL)(1.1375726970678419098e-5));
  c = fma(c, t, (F_REAL)(-3.9683650471794346644e-5));
  c = fma(c, t, (F_REAL)(6.6414982154651221867e-5));
  c = fma(c, t, (F_REAL)(-1.4638452578843418178e-6));
  c = fma(c, t, (F_REAL)(-0.00029907248030319017973));
  c = fma(c, t, (F_REAL)(0.00078403922172006662747));
  c = fma(c, t, (F_REAL)(-0.0008618882909167116986));
  y = fma(y, r, c);
  c = (F_REAL)(-1.9111168485973654061e-8);
  c = fma(c, t, (F_REAL)(8.0994649053880823634e-8));
  c = fma(c, t, (F_REAL)(-1.695840409193027729e-7));
  c = fma(c, t, (F_REAL)(-2.7861080291528142241e-11));
  c = fma(c, t, (F_REAL)(1.4230900732435883915e-6));
  c = fma(c, t, (F_REAL)(-5.6749528269915965675e-6));
  c = fma(c, t, (F_REAL)(1.1082654115347302361e-5));
  c = fma(c, t, (F_REAL)(-2.3965051138672966519e-7));
  c = fma(c, t, (F_REAL)(-7.5618016718839764107e-5));
  c = fma(c, t, (F_REAL)(0.00026772063206283885296));
  c = fma(c, t, (F_REAL)(-0.00046918949439525571213));
  c = fma(c, t, (F_REAL)(0.00022947209362139917695));
  c = fma(c, t, (F_REAL)(0.00064943415637860082305));
  y = fma(y, r, c);
  c = (F_REAL)(-1.3670488396617113499e-9);
  c = fma(c, t, (F_REAL)(6.2289740849220220336e-9));
  c = fma(c, t, (F_REAL)(-1.4092529910867521053e-8));
  c = fma(c, t, (F_REAL)(-2.0477098421990866015e-10));
  c = fma(c, t, (F_REAL)(1.4280614206064241792e-7));
  c = fma(c, t, (F_REAL)(-6.2989921383800550229e-7));
  c = fma(c, t, (F_REAL)(1.3721957309062933206e-6));
  c = fma(c, t, (F_REAL)(3.4235787340961380742e-8));
  c = fma(c, t, (F_REAL)(-1.2760635188618727713e-5));
  c = fma(c, t, (F_REAL)(5.2923448829120125416e-5));
  c = fma(c, t, (F_REAL)(-0.00010736653226365160522));
  c = fma(c, t, (F_REAL)(2.0093878600823045267e-6));
  c = fma(c, t, (F_REAL)(0.00077160493827160493827));
  c = fma(c, t, (F_REAL)(-0.0026813271604938271605));
  c = fma(c, t, (F_REAL)(0.0041335978835978835979));
  y = fma(y, r, c);
  c = (F_REAL)(-8.5639070264929806381e-11);
  c = fma(c, t, (F_REAL)(4.1627929918425826362e-10));
  c = fma(c, t, (F_REAL)(-1.0091543710600412627e-9));
  c = fma(c, t, (F_REAL)(-1.7543241719747647624e-11));
  c = fma(c, t, (F_REAL)(1.1951628599778147324e-8));
  c = fma(c, t, (F_REAL)(-5.752545603517704964e-8));
  c = fma(c, t, (F_REAL)(1.3786334469157209593e-7));
  c = fma(c, t, (F_REAL)(4.6471278028074343423e-9));
  c = fma(c, t, (F_REAL)(-1.6120900894563446004e-6));
  c = fma(c, t, (F_REAL)(7.6491609160811100846e-6));
  c = fma(c, t, (F_REAL)(-1.8098550334489977837e-5));
  c = fma(c, t, (F_REAL)(-4.0187757201646090535e-7));
  c = fma(c, t, (F_REAL)(0.00020576131687242798354));
  c = fma(c, t, (F_REAL)(-0.00099022633744855967078));
  c = fma(c, t, (F_REAL)(0.0026455026455026455026));
  c = fma(c, t, (F_REAL)(-0.0034722222222222222222));
  c = fma(c, t, (F_REAL)(-0.0018518518518518518519));
  y = fma(y, r, c);
  c = (F_REAL)(2.4361948020667416244e-11);
  c = fma(c, t, (F_REAL)(-5.8307721325504250675e-11));
  c = fma(c, t, (F_REAL)(-2.5514193994946249767e-11));
  c = fma(c, t, (F_REAL)(9.1476995822367902342e-10));
  c = fma(c, t, (F_REAL)(-4.3820360184533531866e-9));
  c = fma(c, t, (F_REAL)(1.0261809784240308043e-8));
  c = fma(c, t, (F_REAL)(6.7078535434014985804e-9));
  c = fma(c, t, (F_REAL)(-1.7665952736826079304e-7));
  c = fma(c, t, (F_REAL)(8.296711340953086005e-7));
  c = fma(c, t, (F_REAL)(-1.8540622107151599607e-6));
  c = fma(c, t, (F_REAL)(-2.1854485106799921615e-6));
  c = fma(c, t, (F_REAL)(3.9192631785224377817e-5));
  c = fma(c, t, (F_REAL)(-0.0001787551440329218107));
  c = fma(c, t, (F_REAL)(0.00035273368606701940035));
  c = fma(c, t, (F_REAL)(0.0011574074074074074074));
  c = fma(c, t, (F_REAL)(-0.014814814814814814815));
  c = fma(c, t, (F_REAL)(0.083333333333333333333));
  c = fma(c, t, (F_REAL)(-0.33333333333333333333));
  y = fma(y, r, c);
  return y;
}

/* m - log1p(m) where m / (m + 2) is at most sqrt(0.03). */
static inline F_REAL F(log1p_rest)(const F_REAL m) {
  const F_REAL s = m / (m + (F_REAL)(2)), w = fmin(s * s, (F_REAL)(0.03));

  return fma(m, s, -s * w * F(atanh_rest)(w));
}

/* x^a exp(-x) / gamma(a + 1) for a up to 8. */
static inline F_REAL F(gamma_term_near)(const F_REAL a, const F_REAL x) {
  const F_REAL b = fmin(a, (F_REAL)(8));
  const F_REAL z = fmin(x, (F_REAL)(F_PICK(2000, 300)));
  const F_REAL e = exp(z * (F_REAL)(-0.5));

  return F(power)(z, b) * e * e / F(gamma)(b + (F_REAL)(1));
}

/* What the regions share: the term x^a exp(-x) / gamma(a + 1), and from a = 8
 * on the power of its exponential, that, and x / a - 1. x is the sum of two. */
typedef struct F(gamma_parts) {
  F_REAL term, power, m, e;
} F(gamma_parts);

static inline F(gamma_parts) F(gamma_parts_of)(const F_REAL a, const F_REAL x,
                                               const F_REAL lost_x) {
  const F_REAL b = fmax(a, (F_REAL)(8)), o = x - b, back = o - x;
  const F_REAL o_lost = ((x - (o - back)) - (b + back)) + lost_x;
  const F_REAL d = o + o_lost, d_lost = o_lost - (d - o);
  const F_REAL m = d / b, m_lost = fma(-m, b, d) + d_lost;
  const F_BOOL is_near = (m > (F_REAL)(-0.29)) & (m < (F_REAL)(0.41));
  const F_REAL t = x / b, t_lost = (fma(-t, b, x) + lost_x) / t;
  const F_REAL rest = is_near ? F(log1p_rest)(m) : m - log(t);
  const F_REAL p = b * rest;
  const F_REAL lost =
      fma(b, rest, -p) + (is_near ? m_lost * (d / x) : m_lost - t_lost);
  const F_REAL e = exp(-p) * ((F_REAL)(1) - lost);
  const F_REAL r = (F_REAL)(1) / b, one = (F_REAL)(1);
  F_REAL term =
      e * (F_REAL)(0.39894228040143267794) * sqrt(r) / F(gamma_rest)(r);

  if (F_ANY(a < (F_REAL)(8)))
    term = a < (F_REAL)(8)
               ? F(gamma_term_near)(a, x) * fma(lost_x, a / x - one, one)
               : term;
  const F(gamma_parts) parts = {term, p, m, e};
  return parts;
}

/* The sum of x^n / ((a + 1) ... (a + n)) in the lanes of `where`. */
static inline F_REAL F(gamma_series)(const F_BOOL where, const F_REAL a,
                                     const F_REAL x) {
  F_REAL k = a, c = (F_REAL)(1), sum = (F_REAL)(1);

  for (int i = 0; i < 200; i++) {
    if (!F_ANY(where & (c > sum * (F_REAL)(F_PICK(1e-17, 1e-8)))))
      break;
    k += (F_REAL)(1);
    c *= x / k;
    sum += c;
  }
  return sum;
}

/* gamma(a, x) exp(x) / x^a in the lanes of `where`, by Lentz's method. */
static inline F_REAL F(gamma_fraction)(const F_BOOL where, const F_REAL a,
                                       const F_REAL x) {
  F_REAL b = x - a + (F_REAL)(1), c = (F_REAL)(1e30), d = (F_REAL)(1) / b;
  F_REAL h = d, n = (F_REAL)(0), step = (F_REAL)(0);

  for (int i = 0; i < 300; i++) {
    if (!F_ANY(where &
               (fabs(step - (F_REAL)(1)) > (F_REAL)(F_PICK(3e-16, 1.5e-7)))))
      break;
    n += (F_REAL)(1);
    b += (F_REAL)(2);
    const F_REAL over = n * (a - n);
    d = (F_REAL)(1) / fma(over, d, b);
    c = b + over / c;
    step = c * d;
    h *= step;
  }
  return h;
}

/* lgamma(1 + a) for a in [0, 1.5], exact near 0. */
static inline F_REAL F(lgamma1p)(const F_REAL a) {
  const F_BOOL is_near = a < (F_REAL)(0.5);
  const F_REAL t = is_near ? a : a - (F_REAL)(1);
  const F_REAL y = t * F(lgamma_near_2)(t);

  return is_near ? y - log1p(a) : y;
}

/* gamma(a, x) / gamma(a) for x <= 1.1 and small a. */
static inline F_REAL F(gamma_rest_series)(const F_BOOL where, const F_REAL a,
                                          const F_REAL x) {
  const F_REAL b = fmin(a, (F_REAL)(1.5));
  const F_REAL z = fma(b, log(x), -F(lgamma1p)(b));
  F_REAL k = (F_REAL)(0), c = (F_REAL)(1), sum = (F_REAL)(0);

  for (int i = 0; i < 30; i++) {
    if (!F_ANY(where & (fabs(c) > (F_REAL)(F_PICK(1e-18, 1e-9)))))
      break;
    k += (F_REAL)(1);
    c *= -x / k;
    sum += c / (b + k);
  }
  return -expm1(z) - b * exp(z) * sum;
}

/* gamma(a, x) / gamma(a) where `upper` holds, else 1 minus that. */
static inline F_REAL F(gammainc_part)(const F_REAL a, const F_REAL x,
                                      const F_BOOL upper,
                                      const F(gamma_parts) parts) {
  const F_BOOL is_near = (a >= (F_REAL)(32)) & (parts.m > (F_REAL)(-0.34)) &
                         (parts.m < (F_REAL)(0.45));
  const F_BOOL is_low =
      x <= (F_REAL)(0.5) ? (F_REAL)(-0.4) / log(x) < a : x * (F_REAL)(1.1) < a;
  const F_BOOL is_series =
      (!is_near) & (upper ? (x <= (F_REAL)(1.1) ? is_low : x < a)
                          : ((x <= (F_REAL)(1)) | (x <= a)));
  const F_BOOL is_small = (!is_near) & (!is_series) & (x <= (F_REAL)(1.1));
  const F_BOOL is_far = (!is_near) & (!is_series) & (!is_small);
  const F_BOOL is_right = x >= a;
  F_BOOL is_upper = is_near ? is_right : (!is_series);
  F_REAL y = (F_REAL)(0);

  if (F_ANY(is_near)) {
    const F_REAL root = sqrt(parts.power), r = (F_REAL)(1) / a;
    const F_REAL u = sqrt(r), t = root * u * (F_REAL)(1.4142135623730950488);
    const F_REAL s = F(temme)(fmin(is_right ? t : -t, (F_REAL)(0.5)), r) * u *
                     (F_REAL)(0.39894228040143267794);
    y = is_near
            ? parts.e * fma(F(erfcx)(root), (F_REAL)(0.5), is_right ? s : -s)
            : y;
  }
  if (F_ANY(is_series)) {
    const F_REAL z = parts.term * F(gamma_series)(is_series, a, x);
    y = is_series ? z : y;
  }
  if (F_ANY(is_small)) {
    const F_REAL z = F(gamma_rest_series)(is_small, a, x);
    y = is_small ? z : y;
  }
  if (F_ANY(is_far)) {
    const F_REAL z = parts.term * a * F(gamma_fraction)(is_far, a, x);
    y = is_far ? z : y;
  }
  return is_upper == upper ? y : (F_REAL)(1) - y;
}

/* The value where an operand is 0, infinite or NaN. */
static inline F_REAL F(gammainc_value)(const F_REAL a, const F_REAL x,
                                       const F_BOOL upper) {
  const F_REAL infinite = (F_REAL)(INFINITY), zero = (F_REAL)(0);
  F_REAL y =
      F(gammainc_part)(a, x, upper, F(gamma_parts_of)(a, x, (F_REAL)(0)));

  y = ((x == zero) | (a == infinite))   ? (upper ? (F_REAL)(1) : zero)
      : ((a == zero) | (x == infinite)) ? (upper ? zero : (F_REAL)(1))
                                        : y;
  const F_BOOL is_bad = (!((x >= zero) & (a >= zero))) |
                        ((x == zero) & (a == zero)) |
                        ((x == infinite) & (a == infinite));
  return is_bad ? (F_REAL)(NAN) : y;
}

static inline F_REAL F(gammainc)(const F_REAL a, const F_REAL x) {
  return F(gammainc_value)(a, x, x != x);
}

static inline F_REAL F(gammaincc)(const F_REAL a, const F_REAL x) {
  return F(gammainc_value)(a, x, x == x);
}

/* A number near the x where gammainc is p and gammaincc is q: the formula of
 * Wilson and Hilferty within bounds, a power, or what a logarithm gives. */
static inline F_REAL F(gamma_guess)(const F_REAL a, const F_REAL p,
                                    const F_REAL q) {
  const F_REAL one = (F_REAL)(1), middle = (F_REAL)(0.5);
  const F_REAL z =
      F(quantile)(p < middle ? p - middle : middle - q, fmin(p, q));
  const F_REAL r = one / ((F_REAL)(9) * a), w = fma(z, sqrt(r), one - r);
  const F_REAL low = a < one ? F(lgamma1p)(fmin(a, one)) : F(lgamma)(a + one);
  const F_REAL log_p = q < middle ? log1p(-q) : log(p);
  const F_REAL l = exp((log_p + low) / a), by_power = l * exp(l / (a + one));
  const F_REAL far = log(a) - low - log(q);
  const F_REAL by_log = fma(a - one, log(fmax(far, one)), far);
  const F_BOOL is_power = (l < middle) | (far < one);
  const F_REAL k = -log(q), most = a + k + sqrt((F_REAL)(2) * a * k);

  return ((a >= one) & (w > (F_REAL)(0.3))) ? fmax(fmin(a * w * w * w, most), l)
         : is_power                         ? by_power
                                            : by_log;
}

/* Where gammainc is p and gammaincc is q: Newton's method for the logarithm of
 * the smaller one as a function of log(x). That is concave, so all steps but
 * the first go one way. */
static inline F_REAL F(gamma_quantile)(const F_REAL a, const F_REAL p,
                                       const F_REAL q) {
  const F_BOOL upper = q < p;
  const F_REAL want = upper ? q : p, zero = (F_REAL)(0);
  const F_REAL guess = F(gamma_guess)(a, p, q);
  const F_BOOL is_bad = !((p >= zero) & (q >= zero) & (a >= zero));
  const F_BOOL is_known =
      (p == zero) | (q == zero) | (a == zero) | (guess == zero) | is_bad;
  F_REAL x = guess;

  for (int i = 0; i < 20; i++) {
    const F(gamma_parts) parts = F(gamma_parts_of)(a, x, (F_REAL)(0));
    const F_REAL v = F(gammainc_part)(a, x, upper, parts);
    const F_REAL d = (v - want) / want;
    const F_REAL l = fabs(d) < (F_REAL)(0.5) ? log1p(d) : log(v / want);
    const F_REAL off = v < (F_REAL)(F_PICK(1e-307, 1e-37))
                           ? (F_REAL)(-0.1)
                           : l * v / (a * parts.term);
    const F_REAL step =
        fmin(fmax(upper ? off : -off, (F_REAL)(-2)), (F_REAL)(2));
    x *= exp(step);
    if (!F_ANY(!is_known & (fabs(step) > (F_REAL)(F_PICK(1e-8, 1e-4)))))
      break;
  }
  const F_REAL known =
      p == zero ? zero : (q == zero ? (F_REAL)(INFINITY) : zero);
  return is_bad ? (F_REAL)(NAN) : (is_known ? known : x);
}

static inline F_REAL F(gammaincinv)(const F_REAL a, const F_REAL p) {
  return F(gamma_quantile)(a, p, (F_REAL)(1) - p);
}

static inline F_REAL F(gammainccinv)(const F_REAL a, const F_REAL q) {
  return F(gamma_quantile)(a, (F_REAL)(1) - q, q);
}

/* The density of the gamma distribution of shape a. */
static inline F_REAL F(gammapdf)(const F_REAL a, const F_REAL x) {
  const F_REAL zero = (F_REAL)(0), one = (F_REAL)(1);
  const F_BOOL is_low = a < (F_REAL)(8);
  F_REAL y = zero;

  if (F_ANY(!is_low)) {
    const F_REAL c = fmax(a, (F_REAL)(8));
    y = F(gamma_parts_of)(c, x, zero).term * c / x;
  }
  if (F_ANY(is_low)) {
    const F_REAL b = fmin(a, (F_REAL)(8));
    const F_REAL z = fmin(x, (F_REAL)(F_PICK(2000, 300)));
    const F_REAL e = exp(z * (F_REAL)(-0.5));
    const F_REAL near = F(power)(z, b - one) * e * e / F(gamma)(b);
    y = is_low ? near : y;
  }
  const F_REAL infinite = (F_REAL)(INFINITY);
  const F_REAL at_zero = a < one ? infinite : (a == one ? one : zero);
  y = x == zero ? at_zero : y;
  const F_BOOL is_zero = (x < zero) | (x == infinite) |
                         ((a == zero) & (x > zero)) | (a == infinite);

  return ((!(a >= zero)) | (x != x)) ? (F_REAL)(NAN) : (is_zero ? zero : y);
}
