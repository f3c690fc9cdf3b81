/* SPDX-License-Identifier: BSD-2-Clause */
/* A binomial number out of a uniform one. Macro in front:
 *
 *   #define REAL float   type to work in: float or double */

/* log(k!) - log(sqrt(2 pi k) (k / e)^k): its first values, then three terms of
 * Stirling's series (Loader: Fast and accurate computation of binomial
 * probabilities, 2000). */
constant REAL stirling_errors[10] = {
    0.0,
    0.0810614667953272582196702,
    0.0413406959554092940938221,
    0.02767792568499833914878929,
    0.02079067210376509311152277,
    0.01664469118982119216319487,
    0.01387612882307074799874573,
    0.01189670994589177009505572,
    0.010411265261972096497478567,
    0.009255462182712732917728637};

static inline REAL stirling_error(const REAL k) {
  const REAL r = (REAL)1 / (k * k);

  if (k < 10)
    return stirling_errors[(int)k];
  return ((REAL)(1.0 / 12) - ((REAL)(1.0 / 360) - r * (REAL)(1.0 / 1260)) * r) /
         k;
}

/* x log(x / mean) + mean - x */
static inline REAL deviance(const REAL x, const REAL mean) {
  const REAL d = (x - mean) / mean;

  return mean * ((1 + d) * log1p(d) - d);
}

/* The probability of k ones out of n, 0 < p < 1. */
static inline REAL binomial_chance(const REAL k, const REAL n, const REAL p) {
  const REAL none = n * log1p(-p);

  if (k <= 0)
    return exp(none);
  if (k >= n)
    return exp(n * log(p));
  return exp(stirling_error(n) - stirling_error(k) - stirling_error(n - k) -
             deviance(k, n * p) - deviance(n - k, n * (1 - p))) *
         sqrt(n / ((REAL)6.28318530717958647692 * k * (n - k)));
}

/* How many ones out of n: `u` is used up by the chances of the likeliest number,
 * of its two neighbours, and so on outwards, which takes about as many steps as
 * the number deviates. */
static inline REAL binomial_number(REAL u, REAL n, const REAL chance) {
  const int turned = chance > (REAL)0.5;
  const REAL p = turned ? 1 - chance : chance;

  n = floor(n);
  if (!(n > 0))
    return 0;
  if (!(p > 0))
    return turned ? n : 0;

  const REAL odds = p / (1 - p);
  const REAL mode = min(floor((n + 1) * p), n);
  REAL up = mode, down = mode, k = mode;
  REAL chance_up = binomial_chance(mode, n, p), chance_down = chance_up;

  u -= chance_up;
  while (u >= 0 && (up < n || down > 0)) {
    if (up < n) {
      chance_up *= (n - up) / (up + 1) * odds;
      up += 1;
      u -= chance_up;
      k = up;
      if (u < 0)
        break;
    }
    if (down > 0) {
      chance_down *= down / ((n - down + 1) * odds);
      down -= 1;
      u -= chance_down;
      k = down;
    }
    if (!(chance_up + chance_down > (REAL)1e-30)) { /* rounding is left */
      k = mode;
      break;
    }
  }
  return turned ? n - k : k;
}
