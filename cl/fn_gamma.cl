/* SPDX-License-Identifier: BSD-2-Clause */
/* The gamma function, its logarithm, and the derivatives of that. The file is
 * included once for each type (src/codegen/functions.h):
 *
 *   F_REAL        float, double, or a vector of them
 *   F_BOOL        what comparisons of F_REAL give
 *   F(name)       the name of a function for this type
 *   F_PICK(d, f)  d for float64, f for float32
 *   F_ANY(b)      nonzero if b holds in any lane
 *
 * Near 2 (for digamma near 1.75) a polynomial; other arguments below 8 are
 * moved there by the recurrence gamma(x + 1) = x gamma(x), without loss where
 * the result is 0. From 8 on Stirling's series (DLMF 5.11.1, 5.11.2, 5.15.8),
 * whose rest is a polynomial in 1 / x^2. Below -0.5 by reflection (DLMF 5.5.3,
 * 5.5.4). The polynomials interpolate in Chebyshev's points, made by
 * tests/ops/special_fit.py with mpmath; their errors are below 2e-17. */

/* lgamma(2 + t) / t, |t| <= 0.5. */
static inline F_REAL F(lgamma_near_2)(const F_REAL t) {
  F_REAL y = (F_REAL)(6.3790475076197737211e-8);
  y = fma(y, t, (F_REAL)(-1.3412819758517285546e-7));
  y = fma(y, t, (F_REAL)(2.030480675161522786e-7));
  y = fma(y, t, (F_REAL)(-4.3035587603599612108e-7));
  y = fma(y, t, (F_REAL)(9.5786633341147577133e-7));
  y = fma(y, t, (F_REAL)(-2.0449201467015115028e-6));
  y = fma(y, t, (F_REAL)(4.3743749169151307214e-6));
  y = fma(y, t, (F_REAL)(-9.4384587162428111654e-6));
  y = fma(y, t, (F_REAL)(0.000020507267416057787609));
  y = fma(y, t, (F_REAL)(-0.000044926351103833331068));
  y = fma(y, t, (F_REAL)(0.000099457509098893915718));
  y = fma(y, t, (F_REAL)(-0.00022315475074520367283));
  y = fma(y, t, (F_REAL)(0.00050966952488530960643));
  y = fma(y, t, (F_REAL)(-0.0011927539120010226282));
  y = fma(y, t, (F_REAL)(0.002890510330738736988));
  y = fma(y, t, (F_REAL)(-0.0073855510286681536759));
  y = fma(y, t, (F_REAL)(0.020580808427784569018));
  y = fma(y, t, (F_REAL)(-0.067352301053198139376));
  y = fma(y, t, (F_REAL)(0.32246703342411321821));
  return fma(y, t, (F_REAL)(0.42278433509846713945));
}

/* x times the rest of Stirling's series, t = 1 / x^2 <= 1 / 64. */
static inline F_REAL F(lgamma_rest)(const F_REAL t) {
  F_REAL y = (F_REAL)(0.0050659053601561324498);
  y = fma(y, t, (F_REAL)(-0.0018903829938877150385));
  y = fma(y, t, (F_REAL)(0.00084147008525031472936));
  y = fma(y, t, (F_REAL)(-0.00059523658450570486861));
  y = fma(y, t, (F_REAL)(0.00079365078975240582379));
  y = fma(y, t, (F_REAL)(-0.0027777777777739881578));
  return fma(y, t, (F_REAL)(0.08333333333333333273));
}

/* sin(pi x) without its sign; 0 for whole numbers. */
static inline F_REAL F(size_sinpi)(const F_REAL x) {
  return fabs(sin((x - rint(x)) * (F_REAL)(3.14159265358979323846)));
}

/* lgamma for z >= -0.5. */
static inline F_REAL F(lgamma_right)(const F_REAL z) {
  F_REAL t = fmin(z, (F_REAL)(8)) - (F_REAL)(2), up = (F_REAL)(1);

  for (int i = 0; i < 6; i++) {
    const F_BOOL above = t >= (F_REAL)(0.5);
    up = above ? up * (t + (F_REAL)(1)) : up;
    t = above ? t - (F_REAL)(1) : t;
  }
  const F_BOOL is_low = z < (F_REAL)(1.5), is_lowest = z < (F_REAL)(0.5);
  t = is_lowest ? z : (is_low ? z - (F_REAL)(1) : t);
  up = is_lowest ? fabs(z * (z + (F_REAL)(1))) : (is_low ? z : up);
  const F_BOOL is_large = z >= (F_REAL)(8);
  const F_REAL l = log(is_large ? z : up), r = (F_REAL)(1) / z;
  const F_REAL small = fma(t, F(lgamma_near_2)(t), is_low ? -l : l);
  const F_REAL large =
      fma(z - (F_REAL)(0.5), l - (F_REAL)(1),
          fma(F(lgamma_rest)(r * r), r, (F_REAL)(0.41893853320467274178)));
  return is_large ? large : small;
}

static inline F_REAL F(lgamma)(const F_REAL x) {
  const F_BOOL is_left = x < (F_REAL)(-0.5);
  const F_REAL z = is_left ? -x : x;
  F_REAL y = F(lgamma_right)(z);

  if (F_ANY(is_left)) {
    const F_REAL s = F(size_sinpi)(z);
    const F_REAL left = log((F_REAL)(3.14159265358979323846) / (z * s)) - y;
    const F_BOOL is_pole = (s == (F_REAL)(0)) | (z == (F_REAL)(INFINITY));
    y = is_left ? (is_pole ? (F_REAL)(INFINITY) : left) : y;
  }
  return x != x ? x : y;
}

/* The logarithm of the beta function. From 8 on Stirling's series of the larger
 * operand and the sum, so that nothing large cancels. */
static inline F_REAL F(betaln)(const F_REAL x, const F_REAL y) {
  const F_REAL a = x < y ? x : y, b = x < y ? y : x, s = a + b;
  const F_BOOL is_large = (b >= (F_REAL)(8)) & (a > (F_REAL)(0));
  const F_BOOL both = is_large & (a >= (F_REAL)(8));
  F_REAL z = F(lgamma)(a);

  if (F_ANY(is_large)) {
    const F_REAL ra = (F_REAL)(1) / a, rb = (F_REAL)(1) / b,
                 rs = (F_REAL)(1) / s;
    const F_REAL rest =
        fma(F(lgamma_rest)(rb * rb), rb, -F(lgamma_rest)(rs * rs) * rs);
    const F_REAL l = log1p(a * rb), h = (F_REAL)(0.5);
    const F_REAL one = fma(b - h, -l, fma(a, (F_REAL)(1) - log(s), z)) + rest;
    const F_REAL two = fma(a - h, log(a / s), -b * l) +
                       fma(log(b), -h, (F_REAL)(0.91893853320467274178)) +
                       fma(F(lgamma_rest)(ra * ra), ra, rest);
    z = both ? two : one;
  }
  if (F_ANY(!is_large)) {
    const F_REAL small = F(lgamma)(a) + F(lgamma)(b) - F(lgamma)(s);
    z = is_large ? z : small;
  }
  z = s == (F_REAL)(INFINITY) ? -s : z;
  return ((x != x) | (y != y)) ? x + y : z;
}

/* gamma(2 + t), |t| <= 0.5. */
static inline F_REAL F(gamma_near_2)(const F_REAL t) {
  F_REAL y = (F_REAL)(-1.3131191509664216693e-6);
  y = fma(y, t, (F_REAL)(2.6259112907777464219e-6));
  y = fma(y, t, (F_REAL)(-3.609421076900371837e-6));
  y = fma(y, t, (F_REAL)(7.216424561413336038e-6));
  y = fma(y, t, (F_REAL)(-0.000015296289519910946313));
  y = fma(y, t, (F_REAL)(0.000030576257282864497501));
  y = fma(y, t, (F_REAL)(-0.00006078180215145502317));
  y = fma(y, t, (F_REAL)(0.00012165162946720078191));
  y = fma(y, t, (F_REAL)(-0.00024094266875000242194));
  y = fma(y, t, (F_REAL)(0.00049039091653624331595));
  y = fma(y, t, (F_REAL)(-0.00091957375567517347447));
  y = fma(y, t, (F_REAL)(0.0021039331744051569002));
  y = fma(y, t, (F_REAL)(-0.0028526458243686084183));
  y = fma(y, t, (F_REAL)(0.011154045724557167284));
  y = fma(y, t, (F_REAL)(-0.00026698206868206767175));
  y = fma(y, t, (F_REAL)(0.074249010753388011147));
  y = fma(y, t, (F_REAL)(0.081576919247085788752));
  y = fma(y, t, (F_REAL)(0.41184033042644064999));
  y = fma(y, t, (F_REAL)(0.42278433509846713999));
  return fma(y, t, (F_REAL)(0.99999999999999999881));
}

/* gamma(x) over sqrt(2 pi) x^(x - 0.5) exp(-x), t = 1 / x <= 1 / 8. */
static inline F_REAL F(gamma_rest)(const F_REAL t) {
  F_REAL y = (F_REAL)(-0.00087610129601039068442);
  y = fma(y, t, (F_REAL)(0.001069008131591893695));
  y = fma(y, t, (F_REAL)(-0.000085309460668937109239));
  y = fma(y, t, (F_REAL)(-0.00058898683205583559537));
  y = fma(y, t, (F_REAL)(0.000069529606871703463844));
  y = fma(y, t, (F_REAL)(0.00078404733094788903646));
  y = fma(y, t, (F_REAL)(-0.00022947230295413010588));
  y = fma(y, t, (F_REAL)(-0.0026813271573075871137));
  y = fma(y, t, (F_REAL)(0.0034722222221971285183));
  y = fma(y, t, (F_REAL)(0.083333333333333411021));
  return fma(y, t, (F_REAL)(0.99999999999999999996));
}

/* c b^(b - 0.5) exp(-b) for b in [8, 172]. The power is exp(q), where q is
 * (b - 0.5) log(b) - b, times 1 + `lost`, what q lacks. */
static inline F_REAL F(stirling_power)(const F_REAL b, const F_REAL c) {
  const F_REAL k = b - (F_REAL)(0.5);
  const F(log_parts) l = F(log_parts_of)(b);
  const F_REAL q = fma(k, l.high, -b), p = q + b, from_q = p - q;
  const F_REAL p_lost = (q - (p - from_q)) + (b - from_q);
  const F_REAL lost = fma(k, l.low, fma(k, l.high, -p) - p_lost);
  return exp(q) * fma(c, lost, c);
}

/* gamma for z >= -0.5. */
static inline F_REAL F(gamma_right)(const F_REAL z) {
  F_REAL t = fmin(z, (F_REAL)(8)) - (F_REAL)(2), up = (F_REAL)(1);

  for (int i = 0; i < 6; i++) {
    const F_BOOL above = t >= (F_REAL)(0.5);
    up = above ? up * (t + (F_REAL)(1)) : up;
    t = above ? t - (F_REAL)(1) : t;
  }
  const F_BOOL is_low = z < (F_REAL)(1.5), is_lowest = z < (F_REAL)(0.5);
  t = is_lowest ? z : (is_low ? z - (F_REAL)(1) : t);
  const F_REAL down =
      is_lowest ? z * (z + (F_REAL)(1)) : (is_low ? z : (F_REAL)(1));
  F_REAL y = F(gamma_near_2)(t) * up / down;
  const F_BOOL is_large = z >= (F_REAL)(8);

  if (F_ANY(is_large)) {
    const F_REAL b = fmin(fmax(z, (F_REAL)(8)), (F_REAL)(F_PICK(172, 36)));
    const F_REAL large = F(stirling_power)(
        b, F(gamma_rest)((F_REAL)(1) / b) * (F_REAL)(2.50662827463100050242));
    y = is_large ? (z >= (F_REAL)(F_PICK(172, 36)) ? (F_REAL)(INFINITY) : large)
                 : y;
  }
  return y;
}

static inline F_REAL F(gamma)(const F_REAL x) {
  const F_BOOL is_left = x < (F_REAL)(-0.5);
  const F_REAL z = is_left ? -x : x;
  F_REAL y = F(gamma_right)(z);

  if (F_ANY(is_left)) {
    const F_REAL n = rint(z), half_n = n * (F_REAL)(0.5);
    const F_REAL s = sin((z - n) * (F_REAL)(3.14159265358979323846));
    const F_REAL sign = floor(half_n) == half_n ? (F_REAL)(-1) : (F_REAL)(1);
    const F_REAL left = sign * (F_REAL)(3.14159265358979323846) / (z * s) / y;
    y = is_left ? (s == (F_REAL)(0) ? (F_REAL)(NAN) : left) : y;
  }
  return x != x ? x : y;
}

/* digamma(1.75 + t) / (1.75 + t - x0), |t| <= 0.5, where x0 is the zero. */
static inline F_REAL F(digamma_middle)(const F_REAL t) {
  F_REAL y = (F_REAL)(8.3844556960684471599e-6);
  y = fma(y, t, (F_REAL)(-0.000014673085848681302113));
  y = fma(y, t, (F_REAL)(0.000014674095749322035458));
  y = fma(y, t, (F_REAL)(-0.000025681473645542777272));
  y = fma(y, t, (F_REAL)(0.00005113763937370114247));
  y = fma(y, t, (F_REAL)(-0.000089504788174828629286));
  y = fma(y, t, (F_REAL)(0.00015472303165151637867));
  y = fma(y, t, (F_REAL)(-0.00027087119190945649857));
  y = fma(y, t, (F_REAL)(0.00047469342952070381352));
  y = fma(y, t, (F_REAL)(-0.00083152429175917008968));
  y = fma(y, t, (F_REAL)(0.0014573737694578343067));
  y = fma(y, t, (F_REAL)(-0.0025566844246537880173));
  y = fma(y, t, (F_REAL)(0.0044918137484496226854));
  y = fma(y, t, (F_REAL)(-0.0079104688718545172678));
  y = fma(y, t, (F_REAL)(0.013985786182745777341));
  y = fma(y, t, (F_REAL)(-0.024890048486628728388));
  y = fma(y, t, (F_REAL)(0.044799654452801622044));
  y = fma(y, t, (F_REAL)(-0.082285586355804938787));
  y = fma(y, t, (F_REAL)(0.15712011335204240918));
  y = fma(y, t, (F_REAL)(-0.32625462786810561085));
  return fma(y, t, (F_REAL)(0.8581832171262995175));
}

/* x^2 (log(x) - 0.5 / x - digamma(x)), t = 1 / x^2 <= 1 / 64. */
static inline F_REAL F(digamma_rest)(const F_REAL t) {
  F_REAL y = (F_REAL)(-0.29942537062673501141);
  y = fma(y, t, (F_REAL)(0.080023374653977566889));
  y = fma(y, t, (F_REAL)(-0.021051060908047741735));
  y = fma(y, t, (F_REAL)(0.0075754599203691760739));
  y = fma(y, t, (F_REAL)(-0.0041666655015167245668));
  y = fma(y, t, (F_REAL)(0.003968253965999700647));
  y = fma(y, t, (F_REAL)(-0.008333333333331664172));
  return fma(y, t, (F_REAL)(0.08333333333333333313));
}

/* digamma for z >= -0.25. Sums of 1 / x are one fraction over / under. The zero
 * is two numbers. */
static inline F_REAL F(digamma_right)(const F_REAL z) {
  F_REAL u = fmin(z, (F_REAL)(8)), over = (F_REAL)(0), under = (F_REAL)(1);

  for (int i = 0; i < 6; i++) {
    const F_BOOL above = u >= (F_REAL)(2.25);
    u = above ? u - (F_REAL)(1) : u;
    over = above ? fma(over, u, under) : over;
    under = above ? under * u : under;
  }
  const F_BOOL is_low = z < (F_REAL)(1.25), is_lowest = z < (F_REAL)(0.25);
  u = is_lowest ? z + (F_REAL)(2) : (is_low ? z + (F_REAL)(1) : u);
  over = is_lowest ? fma(z, (F_REAL)(-2), (F_REAL)(-1))
                   : (is_low ? (F_REAL)(-1) : over);
  under = is_lowest ? z * (z + (F_REAL)(1)) : (is_low ? z : under);
  const F_REAL from_zero =
      (u - (F_REAL)(F_PICK(1.4616321449683622, 1.4616321325302124))) -
      (F_REAL)(F_PICK(9.5499954299656977e-17, 1.243814994e-8));
  const F_REAL small =
      fma(from_zero, F(digamma_middle)(u - (F_REAL)(1.75)), over / under);
  const F_REAL r = (F_REAL)(1) / z, w = r * r;
  const F_REAL large =
      log(fmax(z, (F_REAL)(8))) - fma(r, (F_REAL)(0.5), w * F(digamma_rest)(w));
  return z >= (F_REAL)(8) ? large : small;
}

static inline F_REAL F(digamma)(const F_REAL x) {
  const F_BOOL is_left = x < (F_REAL)(-0.25);
  const F_REAL z = is_left ? -x : x;
  F_REAL y = F(digamma_right)(z);

  if (F_ANY(is_left)) {
    const F_REAL r = z - rint(z), angle = r * (F_REAL)(3.14159265358979323846);
    const F_REAL turn =
        (F_REAL)(3.14159265358979323846) * cos(angle) / sin(angle);
    const F_REAL left = y + (F_REAL)(1) / z + turn;
    y = is_left ? (r == (F_REAL)(0) ? (F_REAL)(NAN) : left) : y;
  }
  return x != x ? x : y;
}

/* x^3 (trigamma(x) - 1 / x - 0.5 / x^2), t = 1 / x^2 <= 1 / 64. */
static inline F_REAL F(trigamma_rest)(const F_REAL t) {
  F_REAL y = (F_REAL)(-4.5753041421139634763);
  y = fma(y, t, (F_REAL)(1.1093601965597248232));
  y = fma(y, t, (F_REAL)(-0.25239468627346028512));
  y = fma(y, t, (F_REAL)(0.075752463481775867962));
  y = fma(y, t, (F_REAL)(-0.033333313355818458179));
  y = fma(y, t, (F_REAL)(0.023809523770911364614));
  y = fma(y, t, (F_REAL)(-0.033333333333304757711));
  return fma(y, t, (F_REAL)(0.16666666666666666318));
}

static inline F_REAL F(trigamma)(const F_REAL x) {
  const F_BOOL is_left = x < (F_REAL)(-0.5);
  F_REAL u = is_left ? -x : x, sum = (F_REAL)(0);

  for (int i = 0; i < 9; i++) {
    const F_BOOL below = u < (F_REAL)(8);
    sum += below ? (F_REAL)(1) / (u * u) : (F_REAL)(0);
    u = below ? u + (F_REAL)(1) : u;
  }
  const F_REAL r = (F_REAL)(1) / u, w = r * r;
  F_REAL y = sum + fma(w, fma(r, F(trigamma_rest)(w), (F_REAL)(0.5)), r);
  if (F_ANY(is_left)) {
    const F_REAL s = F(size_sinpi)(x) * (F_REAL)(0.31830988618379067154);
    const F_REAL left = (F_REAL)(1) / (s * s) - y + (F_REAL)(1) / (x * x);
    y = is_left ? left : y;
  }
  return x != x ? x : y;
}
