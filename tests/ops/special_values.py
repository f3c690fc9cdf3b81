#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Values of special functions by mpmath, for test_special_functions.

    special_values.py [COUNT [ONLY ...]] > special_values.txt

COUNT arguments for each range, 4 by default; with ONLY these functions alone. A
line is: function, f or d (arguments are float32 or float64), the arguments, the
value, and the rest of the value that float64 cannot hold."""
import random
import struct
import sys

import mpmath as m

m.mp.dps = 50


def sinc(x):
    return m.sincpi(x)


def log_ndtr(x):
    return m.log(m.erfc(-x / m.sqrt(2)) / 2)


def ndtr(x):
    return m.erfc(-x / m.sqrt(2)) / 2


def erfinv(x):
    return m.erfinv(x)


def ndtri(p):
    return -erfcinv(2 * p) * m.sqrt(2)


def erfcinv(y):
    if abs(1 - y) < 0.5:
        return m.erfinv(1 - y)
    if y > 1:
        return -erfcinv(2 - y)
    x = m.sqrt(-m.log(y))  # Newton's steps for the logarithm
    for _ in range(60):
        e = m.erfc(x)
        step = m.log(e / y) * e * m.sqrt(m.pi) / 2 * m.exp(x * x)
        x += step
        if abs(step) < x * m.mpf(10) ** -45:
            break
    return x


def rel_entr(x, y):
    return x * m.log(x / y)


def gamma_lower(a, x):
    return m.gammainc(a, 0, x, regularized=True)


def gamma_upper(a, x):
    return m.gammainc(a, x, m.inf, regularized=True)


def gammapdf(a, x):
    return m.exp((a - 1) * m.log(x) - x - m.loggamma(a))


def solved(f, slope, lo, hi, want):
    """Where the function f is as wanted, between lo and hi: bisection for the
    logarithm, then Newton's steps for the logarithm of f."""
    lo, hi = m.log(lo), m.log(hi)
    up = f(m.exp(hi)) > f(m.exp(lo))
    for _ in range(40):
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if (f(m.exp(middle)) < want) == up else (lo, middle)
    x = m.exp(hi)
    for _ in range(20):
        v = f(x)
        step = m.log(v / want) * v / (x * slope(x))
        x *= m.exp(-step)
        if abs(step) < m.mpf(10) ** -35:
            return x
    raise ValueError("no convergence")


def gammaincinv(a, p):
    return solved(lambda x: gamma_lower(a, x), lambda x: gammapdf(a, x),
                  1e-60, 1e3, p)


def gammainccinv(a, q):
    return solved(lambda x: gamma_upper(a, x), lambda x: -gammapdf(a, x),
                  1e-60, 1e3, q)


def beta_log(a, b, x):
    """The logarithm of x^a (1 - x)^b over the beta function."""
    return (a * m.log(x) + b * m.log1p(-x) + m.loggamma(a + b) - m.loggamma(a)
            - m.loggamma(b))


def beta_left(a, b, x):
    """The series without negative terms, for x that is not near 1."""
    term = total = m.mpf(1)
    k = 0
    while term > total * m.eps:
        term *= x * (a + b + k) / (a + 1 + k)
        total += term
        k += 1
        if k > 50000:
            raise ValueError("too many terms")
    return m.exp(beta_log(a, b, x)) / a * total


def beta_lower(a, b, x):
    if m.im(x) != 0 or not 0 < m.re(x) < 1:
        raise ValueError("Newton's steps have left [0, 1]")
    if x <= 0.6:
        return beta_left(a, b, x)
    with m.workdps(110):
        return 1 - beta_left(b, a, 1 - x)


def beta_upper(a, b, x):
    return beta_lower(b, a, 1 - x)


def betapdf(a, b, x):
    return m.exp(beta_log(a, b, x)) / (x * (1 - x))


def betaincinv(a, b, p):
    return solved(lambda x: beta_lower(a, b, x), lambda x: betapdf(a, b, x),
                  1e-40, 1 - 1e-12, p)


def betainccinv(a, b, q):
    return solved(lambda x: beta_upper(a, b, x), lambda x: -betapdf(a, b, x),
                  1e-40, 1 - 1e-12, q)


def seen(f):
    """f, but not where it is close to 0 or infinite in float32."""
    def of_x(*x):
        y = f(*x)
        if not 1e-30 < y < 1e30:
            raise ValueError("too small or large")
        return y
    return of_x


def wave(f, n):
    """A Bessel function, but not where it is a tenth of its size or less: near
    zeros errors are some ulp of the size."""
    def of_x(x):
        y = f(n, x)
        if abs(y) < min(1, m.sqrt(2 / (m.pi * abs(x)))) / 10:
            raise ValueError("near a zero")
        return y
    return of_x


def expi(x):
    return m.re(m.ei(x))


SHAPES = [[(1e-3, 8), (1e-3, 20)], [(1e-10, 1), (1e-6, 1.1)], [(8, 32), (4, 64)],
          [(32, 200), (90, 110)], [(9e4, 1e5), (9.5e4, 9.6e4)]]
QUANTILES = [[(0.1, 8), (1e-6, 1)], [(8, 32), (1e-20, 1)], [(32, 200), (1e-6, 1)]]
BETAS = [[(1e-3, 8), (1e-3, 8), (1e-3, 1)], [(1e-10, 1), (1e-10, 1), (1e-6, 1)],
         [(1e-10, 1), (1, 1e4), (1e-6, 0.9)], [(8, 32), (8, 32), (0.2, 0.8)],
         [(32, 200), (32, 200), (0.3, 0.7)], [(1, 30), (100, 1e4), (1e-4, 0.1)],
         [(9e3, 1e4), (9e3, 1e4), (0.48, 0.52)],
         [(9e4, 1e5), (10, 60), (0.999, 0.9999)],
         [(40, 60), (9e5, 1e6), (4e-5, 7e-5)]]
BETA_QUANTILES = [[(0.1, 8), (0.1, 8), (1e-6, 1)], [(1, 30), (1, 30), (1e-20, 1)],
                  [(32, 200), (32, 200), (1e-6, 1)],
                  [(0.05, 1), (10, 1e4), (1e-3, 1)]]

# name: function of mpmath, ranges of each argument. A range whose ends have one
# sign and are far apart is logarithmic.
F32 = (1e-30, 1e30)
TABLE = {
    "lgamma": (lambda x: m.log(abs(m.gamma(x))) if x < 1e4 else m.loggamma(x),
               [(1e-30, 0.5)], [(0.5, 3)], [(3, 12)], [(12, 1e30)], [(-0.5, 0)],
               [(-2.2, -0.5)]),
    "gamma": (m.gamma, [(1e-30, 0.5)], [(0.5, 8)], [(8, 34)], [(-0.5, 0)],
              [(-30, -0.5)]),
    "digamma": (m.digamma, [(1e-30, 0.5)], [(0.5, 3)], [(3, 12)], [(12, 1e30)],
                [(-0.25, 0)]),
    "trigamma": (lambda x: m.psi(1, x), [(1e-15, 0.5)], [(0.5, 12)],
                 [(12, 1e30)], [(-0.5, 0)], [(-20, -0.5)]),
    "betaln": (lambda a, b: m.loggamma(a) + m.loggamma(b) - m.loggamma(a + b),
               [(1e-9, 0.2), (0.1, 8)], [(1.2, 8), (1.2, 8)], [(1.2, 1e4), (8, 1e6)],
               [(8, 1e6), (8, 1e6)]),
    "zeta": (m.zeta, [(1.01, 20), (0.1, 50)], [(1.5, 4), (1e-5, 0.1)],
             [(2, 6), (50, 1e6)]),
    "erfinv": (erfinv, [(1e-30, 0.1)], [(0.1, 0.9)], [(0.9, 1)], [(-1, -0.5)]),
    "erfcinv": (erfcinv, [(1e-30, 0.1)], [(0.1, 1.1)], [(1.1, 2)]),
    "erfcx": (lambda x: m.exp(x * x) * m.erfc(x), [(-9, 0)], [(0, 3)],
              [(3, 20)], [(20, 1e30)]),
    "ndtr": (ndtr, [(-12, -3)], [(-3, 0)], [(0, 5)]),
    "log_ndtr": (log_ndtr, [(-1e3, -10)], [(-10, 0)], [(0, 10)]),
    "ndtri": (ndtri, [(1e-30, 0.1)], [(0.1, 0.9)], [(0.9, 1)]),
    "xlogy": (lambda x, y: x * m.log(y), [(-9, 9), F32]),
    "xlog1py": (lambda x, y: x * m.log1p(y), [(-9, 9), (1e-30, 1e9)],
                [(0.1, 9), (-0.99, 0)]),
    "entr": (lambda x: -x * m.log(x), [(1e-30, 0.5)], [(0.5, 9)]),
    "rel_entr": (rel_entr, [(1e-9, 1e9), (1e-9, 1e9)], [(0.9, 1), (0.9, 1)]),
    "kl_div": (lambda x, y: rel_entr(x, y) - x + y,
               [(1e-9, 1e9), (1e-9, 1e9)]),
    "i0": (lambda x: m.besseli(0, x), [(-8, 8)], [(8, 80)]),
    "i0e": (lambda x: m.besseli(0, x) * m.exp(-abs(x)), [(-8, 8)], [(8, 1e4)]),
    "i1": (lambda x: m.besseli(1, x), [(1e-20, 8)], [(-80, -8)]),
    "i1e": (lambda x: m.besseli(1, x) * m.exp(-abs(x)), [(-8, 8)], [(8, 1e4)]),
    "k0": (lambda x: m.besselk(0, x), [(1e-30, 2)], [(1, 4)], [(2, 60)]),
    "k0e": (lambda x: m.besselk(0, x) * m.exp(x), [(1e-30, 2)], [(2, 1e4)]),
    "k1": (lambda x: m.besselk(1, x), [(1e-30, 2)], [(1, 4)], [(2, 60)]),
    "k1e": (lambda x: m.besselk(1, x) * m.exp(x), [(1e-30, 2)], [(2, 1e4)]),
    "lambertw": (lambda x: m.lambertw(x).real, [(-0.3678, -0.1)], [(-0.2, 3)],
                 [(1e-30, 1)], [(1, 1e30)], [(3.37e38, 3.4e38)]),
    "j0": (wave(m.besselj, 0), [(0.3, 8)], [(-30, -8)], [(8, 1e4)]),
    "j1": (wave(m.besselj, 1), [(0.3, 8)], [(-30, -8)], [(8, 1e4)]),
    "y0": (wave(m.bessely, 0), [(1e-30, 0.1)], [(0.1, 8)], [(8, 1e4)]),
    "y1": (wave(m.bessely, 1), [(1e-30, 0.1)], [(0.1, 8)], [(8, 1e4)]),
    "exp1": (m.e1, [(1e-30, 1)], [(1, 4)], [(4, 80)]),
    "expi": (expi, [(1e-30, 0.3)], [(0.5, 6)], [(6, 24)], [(24, 80)],
             [(-80, -1)]),
    "gammainc": (gamma_lower, *SHAPES),
    "gammaincc": (gamma_upper, *SHAPES),
    "gammaincinv": (gammaincinv, *QUANTILES),
    "gammainccinv": (gammainccinv, *QUANTILES),
    "gammapdf": (gammapdf, *SHAPES),
    "betainc": (seen(beta_lower), *BETAS),
    "betaincc": (seen(beta_upper), *BETAS),
    "betaincinv": (seen(betaincinv), *BETA_QUANTILES),
    "betainccinv": (seen(betainccinv), *BETA_QUANTILES),
    "betapdf": (seen(betapdf), *BETAS),
    "sinc": (sinc, [(1e-20, 0.9)], [(-9.9, 9.9)]),
}


def draw(rng, lo, hi, kind):
    if lo * hi > 0 and abs(m.log(lo / hi)) > 7:
        x = float(m.exp(rng.uniform(float(m.log(lo)), float(m.log(hi)))))
    else:
        x = rng.uniform(lo, hi)
    return struct.unpack("f", struct.pack("f", x))[0] if kind == "f" else x


def rows(name, count):
    entry = TABLE[name]
    rng = random.Random(name)
    for kind in "fd":
        for ranges in entry[1:]:
            for _ in range(count):
                x = [draw(rng, lo, hi, kind) for lo, hi in ranges]
                if not all(lo <= v <= hi for v, (lo, hi) in zip(x, ranges)):
                    continue
                try:
                    y = entry[0](*[m.mpf(v) for v in x])
                except (ValueError, ZeroDivisionError, m.libmp.NoConvergence):
                    continue
                if m.im(y) != 0 or not m.isfinite(y):
                    continue
                high = float(y)
                yield (name, kind, *[v.hex() for v in x], high.hex(),
                       float(y - m.mpf(high)).hex())


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    for name in sys.argv[2:] or TABLE:
        for row in rows(name, count):
            print(*row)


main()
