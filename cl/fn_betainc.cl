/* SPDX-License-Identifier: BSD-2-Clause */
/* The incomplete beta functions, their inverses, and the density of the beta
 * distribution. The macros are those of fn_gamma.cl, whose functions and those
 * of fn_gammainc.cl stand before these.
 *
 * All have x <= 0.5: I(a, b, x) = 1 - I(b, a, 1 - x), DLMF 8.17.4. Near
 * x = a / (a + b), where a and b are from 32 on, N. M. Temme's expansion (DLMF
 * 8.18(ii)); left of it the power series DLMF 8.17.8; right of it the continued
 * fraction of A. R. Didonato and A. H. Morris, ACM Transactions on Mathematical
 * Software 18 (1992), algorithm 708, BFRAC; and a series of what is left beside
 * a power of x (DLMF 8.17.7) where a and b x are small. */

/* What the regions share: x^a (1 - x)^b / (a B(a, b)), the power of its
 * exponential and that, and (a + b) x - a. */
typedef struct F(beta_parts) {
  F_REAL term, power, e, off;
} F(beta_parts);

/* a + b where that is finite, and what it lacks. */
static inline F_REAL F(beta_lost)(const F_REAL a, const F_REAL b) {
  const F_REAL most = fmax(a, b);

  return fmin(a, b) - ((a + b) - most);
}

/* 1 / (a B(a, b)) where a + b is below 8. What a + b lacks is a factor that the
 * logarithm gives, which is near enough to digamma. */
static inline F_REAL F(beta_scale)(const F_REAL a, const F_REAL b) {
  const F_REAL one = (F_REAL)(1), s = fmin(a + b, (F_REAL)(8));
  const F_BOOL a_low = a < one, b_low = b < one;
  const F_REAL lost = fmax(F(beta_lost)(a, b), -s);
  const F_REAL under =
      F(gamma)(fmin(a_low ? a + one : a, (F_REAL)(8))) *
      F(gamma)(fmin(b_low ? b + one : b, (F_REAL)(8)));

  return (b_low ? b * F(gamma)(s) : F(gamma)(s)) * fma(lost, log(s), one) /
         (a_low ? under : under * a);
}

/* The parts for x <= 0.5. From a + b = 8 on, by Stirling's formula for a + b,
 * the term is a product of two of gamma distributions, of (a + b) x and
 * (a + b) (1 - x). Those are two numbers each. */
static inline F(beta_parts) F(beta_parts_of)(const F_REAL a, const F_REAL b,
                                             const F_REAL x) {
  const F_REAL one = (F_REAL)(1), s = a + b, s_lost = F(beta_lost)(a, b);
  const F_REAL p = x * s, p_lost = fma(x, s, -p) + x * s_lost;
  const F_REAL q = s - p, q_lost = ((s - q) - p) + (s_lost - p_lost);
  const F_REAL o = p - a, back = o - p;
  const F_REAL off = o + (((p - (o - back)) - (a + back)) + p_lost);
  const F(gamma_parts) left = F(gamma_parts_of)(a, p, p_lost);
  const F(gamma_parts) right = F(gamma_parts_of)(b, q, q_lost);
  const F_BOOL is_small = s < (F_REAL)(8);
  const F_REAL r = fmin(one / s, (F_REAL)(0.125));
  F_REAL term = left.term * (right.term * b * sqrt(r) *
                             (F_REAL)(2.50662827463100050242) *
                             F(gamma_rest)(r));

  if (F_ANY(is_small)) {
    const F_REAL c = fmin(a, (F_REAL)(8)), d = fmin(b, (F_REAL)(8));
    const F_REAL small =
        F(power)(x, c) * F(power)(one - x, d) * F(beta_scale)(a, b);
    term = is_small ? small : term;
  }
  const F(beta_parts) parts = {term, left.power + right.power,
                               left.e * right.e, off};
  return parts;
}

/* The part beside the error function in Temme's expansion, over what makes the
 * whole 1: of t, where m t^2 / 2 is the power, m is the smaller one of a and b,
 * and `ratio` is it over the larger one. The smaller one's variable is
 * x / (x + x u); u as powers of t has (1 + ratio) u u' = t (1 + u) (1 - ratio
 * u), and t / u is the density's factor beside exp(-m t^2 / 2), which is
 * integrated by parts. */
static inline F_REAL F(beta_temme)(const F_REAL t, const F_REAL m,
                                   const F_REAL ratio) {
  F_REAL u[F_PICK(24, 12)], f[F_PICK(24, 12)];
  const F_REAL one = (F_REAL)(1), all = one / (one + ratio), r = one / m;
  const F_REAL root = sqrt(one + ratio), half_root = root * (F_REAL)(0.5);
  const F_REAL less = (one - ratio) * all, lesser = ratio * all;
  F_REAL before = (F_REAL)(0), square = all;

  /* u is the sum of u[n] t^(n + 1), its square that of square t^(n + 2). */
  u[0] = all * root;
  f[0] = root;
  for (int n = 1; n < F_PICK(24, 12); n++) {
    F_REAL sum = fma(less, u[n - 1], -lesser * before) * (F_REAL)(2) /
                 (F_REAL)(n + 2);
    before = square;
    square = sum;
    for (int i = 1; i < n; i++)
      sum -= u[i] * u[n - i];
    u[n] = sum * half_root;
    sum = u[n] * f[0];
    for (int i = 1; i < n; i++)
      sum = fma(u[i], f[n - i], sum);
    f[n] = -sum * root;
  }
  F_REAL above = (F_REAL)(0), now = (F_REAL)(0), y = (F_REAL)(0);
  for (int n = F_PICK(23, 11); n > 0; n--) {
    const F_REAL next = fma(above * r, (F_REAL)(n + 1), f[n]);
    above = now;
    now = next;
    y = fma(y, t, now);
  }
  return y / fma(above, r, f[0]);
}

/* The sum of (a + b) ... (a + b + n - 1) x^n / ((a + 1) ... (a + n)) in the
 * lanes of `where`. */
static inline F_REAL F(beta_series)(const F_BOOL where, const F_REAL a,
                                    const F_REAL b, const F_REAL x) {
  F_REAL k = a, s = a + b, c = (F_REAL)(1), sum = (F_REAL)(1);

  for (int i = 0; i < 300; i++) {
    if (!F_ANY(where & (c > sum * (F_REAL)(F_PICK(1e-17, 1e-8)))))
      break;
    k += (F_REAL)(1);
    c *= x * (s / k);
    s += (F_REAL)(1);
    sum += c;
  }
  return sum;
}

/* (1 - I(a, b, x)) B(a, b) / (x^a (1 - x)^b) in the lanes of `where`, by
 * Steed's method; off = (a + b) x - a. */
static inline F_REAL F(beta_fraction)(const F_BOOL where, const F_REAL a,
                                      const F_REAL b, const F_REAL x,
                                      const F_REAL off) {
  const F_REAL one = (F_REAL)(1), y = one - x, up = one + x;
  F_REAL r = one / (b + one), d = one / (b * r * (off + one));
  F_REAL c = d, sum = d, n = (F_REAL)(0);

  for (int i = 0; i < 300; i++) {
    if (!F_ANY(where & (fabs(c) > sum * (F_REAL)(F_PICK(1e-17, 1e-8)))))
      break;
    n += one;
    const F_REAL z = n * (a - n) * y, s = b + n, k = s - one;
    const F_REAL over = (k * r) * ((a + k) * r) * z * y;
    const F_REAL under = n + z * r, old = d;
    r = one / (s + (n + one));
    d = one / fma(over, d, fma(s * r, fma(n, up, off + one), under));
    c *= -over * (old * d);
    sum += c;
  }
  return sum;
}

/* (lgamma_rest(s) - lgamma_rest(t)) / (s - t). */
static inline F_REAL F(lgamma_rest_slope)(const F_REAL s, const F_REAL t) {
  F_REAL y = (F_REAL)(0.0050659053601561324498), z = y;
  y = fma(y, s, (F_REAL)(-0.0018903829938877150385));
  z = fma(z, t, y);
  y = fma(y, s, (F_REAL)(0.00084147008525031472936));
  z = fma(z, t, y);
  y = fma(y, s, (F_REAL)(-0.00059523658450570486861));
  z = fma(z, t, y);
  y = fma(y, s, (F_REAL)(0.00079365078975240582379));
  z = fma(z, t, y);
  y = fma(y, s, (F_REAL)(-0.0027777777777739881578));
  return fma(z, t, y);
}

/* log(x^a / (a B(a, b))) for a up to 1, exact near a = 0. Below b = 8 by the
 * recurrence, which makes a product 1 + `more`; then by Stirling's formula. */
static inline F_REAL F(beta_log_power)(const F_REAL a, const F_REAL b,
                                       const F_REAL x) {
  const F_REAL one = (F_REAL)(1);
  F_REAL c = b, more = (F_REAL)(0);

  for (int i = 0; i < 8; i++) {
    const F_BOOL is_low = c < (F_REAL)(8);
    const F_REAL q = a / c;
    more = is_low ? fma(more, q, more + q) : more;
    c = is_low ? c + one : c;
  }
  const F_REAL s = c + a, rs = one / s, rc = one / c, h = a * rc;
  const F_REAL ts = rs * rs, tc = rc * rc, l = log1p(h);
  const F_REAL rest = F(lgamma_rest)(ts) * rs +
                      F(lgamma_rest_slope)(ts, tc) * (s + c) * ts * tc;
  const F_REAL near = (c * fma(h, l, l - h) - (F_REAL)(0.5) * l) - rest * h;
  return fma(a, log(x * c), near) - F(lgamma1p)(a) - log1p(more);
}

/* 1 - I(a, b, x) for a up to 1 and b x up to 1.1. */
static inline F_REAL F(beta_rest_series)(const F_BOOL where, const F_REAL a,
                                         const F_REAL b, const F_REAL x) {
  const F_REAL e = fmin(a, (F_REAL)(1));
  const F_REAL z = F(beta_log_power)(e, b, x);
  F_REAL k = (F_REAL)(0), c = (F_REAL)(1), sum = (F_REAL)(0);

  for (int i = 0; i < 60; i++) {
    if (!F_ANY(where & (fabs(c) > (F_REAL)(F_PICK(1e-18, 1e-9)))))
      break;
    k += (F_REAL)(1);
    c *= (k - b) * x / k;
    sum += c / (e + k);
  }
  return -expm1(z) - e * exp(z) * sum;
}

/* 1 - I(a, b, x) where `upper` holds, else I(a, b, x), for x <= 0.5. */
static inline F_REAL F(betainc_part)(const F_REAL a, const F_REAL b,
                                     const F_REAL x, const F_BOOL upper,
                                     const F(beta_parts) parts) {
  const F_REAL m = fmin(a, b), one = (F_REAL)(1);
  const F_BOOL is_right = parts.off >= (F_REAL)(0);
  const F_BOOL is_near =
      (m >= (F_REAL)(32)) & (parts.power < m * (F_REAL)(0.05));
  const F_BOOL is_low = b * x <= (F_REAL)(1.1);
  const F_BOOL is_left = (!is_near) & ((!is_right) | is_low);
  const F_BOOL is_small = is_left & is_low & upper & (a <= one);
  const F_BOOL is_series = is_left & (!is_small);
  const F_BOOL is_far = (!is_near) & (!is_left);
  const F_BOOL is_upper = is_near ? is_right : (is_small | is_far);
  F_REAL y = (F_REAL)(0);

  if (F_ANY(is_near)) {
    const F_REAL root = sqrt(parts.power), u = one / sqrt(m);
    const F_BOOL is_mirrored = a > b;
    const F_BOOL is_up = is_right ^ is_mirrored;
    const F_REAL t =
        fmin(root * u * (F_REAL)(1.4142135623730950488), (F_REAL)(0.33));
    const F_REAL s = F(beta_temme)(is_up ? t : -t, m, m / fmax(a, b)) * u *
                     (F_REAL)(0.39894228040143267794);
    y = is_near ? parts.e * fma(F(erfcx)(root), (F_REAL)(0.5), is_up ? s : -s)
                : y;
  }
  if (F_ANY(is_series)) {
    const F_REAL z = parts.term * F(beta_series)(is_series, a, b, x);
    y = is_series ? z : y;
  }
  if (F_ANY(is_small)) {
    const F_REAL z = F(beta_rest_series)(is_small, a, b, x);
    y = is_small ? z : y;
  }
  if (F_ANY(is_far)) {
    const F_REAL z =
        parts.term * a * F(beta_fraction)(is_far, a, b, x, parts.off);
    y = is_far ? z : y;
  }
  y = is_upper == upper ? y : one - y;
  return y > one ? one : y;
}

/* I(a, b, x), or 1 - I(a, b, x), for any operands. */
static inline F_REAL F(betainc_value)(const F_REAL a, const F_REAL b,
                                      const F_REAL x, const F_BOOL upper) {
  const F_REAL zero = (F_REAL)(0), one = (F_REAL)(1);
  const F_REAL infinite = (F_REAL)(INFINITY);
  const F_BOOL is_turned = x > (F_REAL)(0.5);
  /* Halves of the largest operands, whose sum is infinite. */
  const F_REAL k = a + b == infinite ? (F_REAL)(0.25) : one;
  const F_REAL c = (is_turned ? b : a) * k, d = (is_turned ? a : b) * k;
  const F_REAL z = is_turned ? one - x : x;
  F_REAL y = F(betainc_part)(c, d, z, upper ^ is_turned,
                             F(beta_parts_of)(c, d, z));
  const F_BOOL is_first = (a == zero) | (b == infinite);
  const F_BOOL is_last = (b == zero) | (a == infinite);
  const F_BOOL is_none = ((x == zero) | is_last) & (x != one);
  const F_BOOL is_all = ((x == one) | is_first) & (x != zero);

  y = is_none | is_all ? (is_all == upper ? zero : one) : y;
  const F_BOOL is_bad = (!((a >= zero) & (b >= zero) & (x >= zero) &
                           (x <= one))) |
                        (is_first & is_last);
  return is_bad ? (F_REAL)(NAN) : y;
}

static inline F_REAL F(betainc)(const F_REAL a, const F_REAL b,
                                const F_REAL x) {
  return F(betainc_value)(a, b, x, x != x);
}

static inline F_REAL F(betaincc)(const F_REAL a, const F_REAL b,
                                 const F_REAL x) {
  return F(betainc_value)(a, b, x, x == x);
}

/* log(a B(a, b)). */
static inline F_REAL F(log_beta)(const F_REAL a, const F_REAL b) {
  const F_REAL one = (F_REAL)(1);
  const F_REAL near = -F(beta_log_power)(fmin(a, one), b, one);

  return a < one ? near : log(a) + F(betaln)(a, b);
}

/* About log(x / (1 - x)) where I(a, b, x) is p and 1 - q. Where a and b are
 * from 1 on, the formula 26.5.22 of M. Abramowitz and I. A. Stegun. Where one
 * is below 1, that one's gamma distribution: -log(1 - x) is about a multiple
 * of its variable. Where both are, the bound `lo` or `hi`. */
static inline F_REAL F(beta_guess)(const F_REAL a, const F_REAL b,
                                   const F_REAL p, const F_REAL q,
                                   const F_REAL lo, const F_REAL hi) {
  const F_REAL one = (F_REAL)(1), two = (F_REAL)(2), middle = (F_REAL)(0.5);
  const F_REAL c = fmin(a, b), d = fmax(a, b);
  const F_REAL z =
      F(quantile)(p < middle ? p - middle : middle - q, fmin(p, q));
  const F_REAL u = one / (two * fmax(a, one) - one);
  const F_REAL v = one / (two * fmax(b, one) - one);
  const F_REAL h = two / (u + v), l = fma(z, z, (F_REAL)(-3)) / (F_REAL)(6);
  const F_REAL w =
      z * sqrt(h + l) / h +
      (v - u) * (l + (F_REAL)(5.0 / 6.0) - two / ((F_REAL)(3) * h));
  F_REAL y = log(a / b) + two * w;

  if (F_ANY(c < one)) {
    const F_BOOL is_turned = a > b;
    const F_REAL m = F(gamma_guess)(fmin(c, one), is_turned ? q : p,
                                    is_turned ? p : q) /
                     fmax(d + (c - one) * middle, middle);
    const F_REAL o = m < one ? log(expm1(m)) : m + log1p(-exp(-m));
    const F_REAL by_bound = p * (a + b) < b ? lo : hi;
    y = c >= one ? y : d < one ? by_bound : is_turned ? -o : o;
  }
  return y;
}

/* Where I(a, b, x) is p and 1 - q: Newton's method for the logarithm of the
 * smaller one as a function of log(x / (1 - x)). That is concave, because the
 * power series has no negative terms; so all steps but the first go one way.
 * Steps that leave what is known to hold x are replaced by its middle. The
 * bounds are the first term of the series from either end. */
static inline F_REAL F(beta_quantile)(const F_REAL a, const F_REAL b,
                                      const F_REAL p, const F_REAL q) {
  const F_REAL zero = (F_REAL)(0), one = (F_REAL)(1);
  const F_REAL most = (F_REAL)(F_PICK(690, 85));
  const F_BOOL upper = q < p;
  const F_REAL want = upper ? q : p;
  const F_REAL log_p = upper ? log1p(-q) : log(p);
  const F_REAL log_q = upper ? log(q) : log1p(-p);
  const F_REAL first_log = F(log_beta)(a, b), last_log = F(log_beta)(b, a);
  const F_REAL first = (log_p + first_log) / a, last = -(log_q + last_log) / b;
  const F_REAL guess = fmin(
      fmax(F(beta_guess)(a, b, p, q, first, last), first), last);
  const F_REAL noise = (F_REAL)(F_PICK(2e-15, 1e-6)), some = (F_REAL)(0.01);
  const F_REAL lower =
      first - fma(noise / a, fabs(log_p) + fabs(first_log), some);
  const F_REAL higher =
      last + fma(noise / b, fabs(log_q) + fabs(last_log), some);
  const F_BOOL is_bad = !((p >= zero) & (q >= zero) & (a > zero) & (b > zero));
  const F_BOOL is_odd = (a == (F_REAL)(INFINITY)) | (b == (F_REAL)(INFINITY));
  const F_BOOL is_low = (p == zero) | ((q > zero) & (guess < -most));
  const F_BOOL is_high = (q == zero) | (guess > most);
  const F_BOOL is_open = !(is_bad | is_odd | is_low | is_high);
  F_REAL lo = exp(fmax(lower, -most)), hi = exp(fmin(higher, most));
  F_REAL r = exp(fmin(fmax(guess, -most), most));

  for (int i = 0; i < 30; i++) {
    const F_BOOL is_turned = r > one;
    const F_REAL c = is_turned ? b : a, d = is_turned ? a : b;
    const F_REAL x = (is_turned ? one : r) / (one + r);
    const F(beta_parts) parts = F(beta_parts_of)(c, d, x);
    const F_REAL v = F(betainc_part)(c, d, x, upper ^ is_turned, parts);
    const F_REAL off = (v - want) / want;
    const F_REAL l = fabs(off) < (F_REAL)(0.5) ? log1p(off) : log(v / want);
    const F_REAL by = l * v / (c * parts.term), step = upper ? by : -by;
    const F_REAL next = r * exp(step);
    const F_BOOL is_below = (v > want) == upper;
    lo = is_below ? r : lo;
    hi = is_below ? hi : r;
    const F_BOOL is_within = (next >= lo) & (next <= hi) &
                             (v > (F_REAL)(F_PICK(1e-307, 1e-37)));
    r = is_within ? next : sqrt(lo) * sqrt(hi);
    const F_REAL size = fabs(step);
    const F_BOOL is_done =
        (fmin(size, (hi - lo) / lo) <= (F_REAL)(F_PICK(4e-16, 2e-7))) |
        (fabs(l) <= noise) |
        (size * (fabs(l) + size) <= (F_REAL)(F_PICK(1e-17, 1e-9)));
    if (!F_ANY(is_open & !is_done))
      break;
  }
  const F_REAL y = is_low ? zero : is_high ? one : r / (one + r);
  return is_bad | (is_odd & (p != zero) & (q != zero)) ? (F_REAL)(NAN) : y;
}

static inline F_REAL F(betaincinv)(const F_REAL a, const F_REAL b,
                                   const F_REAL p) {
  return F(beta_quantile)(a, b, p, (F_REAL)(1) - p);
}

static inline F_REAL F(betainccinv)(const F_REAL a, const F_REAL b,
                                    const F_REAL q) {
  return F(beta_quantile)(a, b, (F_REAL)(1) - q, q);
}

/* The density of the beta distribution; from a + b = 8 on from those of gamma
 * distributions. */
static inline F_REAL F(betapdf)(const F_REAL a, const F_REAL b,
                                const F_REAL x) {
  const F_REAL zero = (F_REAL)(0), one = (F_REAL)(1);
  const F_BOOL is_turned = x > (F_REAL)(0.5);
  const F_REAL c = is_turned ? b : a, d = is_turned ? a : b;
  const F_REAL z = is_turned ? one - x : x, s = c + d;
  const F_REAL p = z * s, p_lost = fma(z, s, -p) + z * F(beta_lost)(c, d);
  const F_REAL q = s - p;
  const F_REAL q_lost = ((s - q) - p) + (F(beta_lost)(c, d) - p_lost);
  const F_REAL r = fmin(one / s, (F_REAL)(0.125));
  const F_REAL left = s * F(gammapdf)(c, p) *
                      fma(p_lost, (c - one) / p - one, one);
  const F_REAL right = s * F(gammapdf)(d, q) *
                       fma(q_lost, (d - one) / q - one, one);
  const F_BOOL is_small = s < (F_REAL)(8);
  F_REAL y = left * (right * sqrt(r) * (F_REAL)(2.50662827463100050242) *
                     F(gamma_rest)(r));

  if (F_ANY(is_small)) {
    const F_REAL e = fmin(c, (F_REAL)(8)) - one, f = fmin(d, (F_REAL)(8)) - one;
    const F_REAL small =
        F(power)(z, e) * F(power)(one - z, f) * (F(beta_scale)(c, d) * c);
    y = is_small ? small : y;
  }
  const F_REAL infinite = (F_REAL)(INFINITY);
  const F_REAL at_end = c < one ? infinite : c == one ? d : zero;
  y = z == zero ? at_end : y;
  const F_BOOL is_zero = (x < zero) | (x > one) | (a == zero) | (b == zero) |
                         (a == infinite) | (b == infinite);
  return ((!(a >= zero)) | (!(b >= zero)) | (x != x)) ? (F_REAL)(NAN)
         : is_zero                                     ? zero
                                                       : y;
}
