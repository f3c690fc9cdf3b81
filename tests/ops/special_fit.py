#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints the polynomials of cl/fn_*.cl: they interpolate in Chebyshev's points,
computed with 60 digits by mpmath. Coefficients are those of powers of t, the
highest first; the error is the largest relative one.

    special_fit.py [NAME ...]"""
import sys

import mpmath as m
from mpmath import mpf

m.mp.dps = 60
HALF = mpf(1) / 2


def powers(chebyshev):
    """Chebyshev's series as powers."""
    out = [mpf(0)] * len(chebyshev)
    before, now = [mpf(1)], [mpf(0), mpf(1)]
    for c in chebyshev:
        for i, v in enumerate(before):
            out[i] += c * v
        after = [mpf(0)] + [2 * v for v in now]
        for i, v in enumerate(before):
            after[i] -= v
        before, now = now, after
    return out


def moved(p, middle, half):
    """The polynomial p((t - middle) / half) as powers of t."""
    out = [mpf(0)]
    for c in reversed(p):
        longer = [mpf(0)] * (len(out) + 1)
        for i, v in enumerate(out):
            longer[i + 1] += v / half
            longer[i] -= v * middle / half
        longer[0] += c
        out = longer
    return out[: len(p)]


def fit(f, lo, hi, degree):
    lo, hi = mpf(lo), mpf(hi)
    middle, half, n = (lo + hi) / 2, (hi - lo) / 2, degree + 1
    angles = [m.pi * (k + HALF) / n for k in range(n)]
    values = [f(middle + half * m.cos(a)) for a in angles]
    series = [2 / mpf(n) * sum(v * m.cos(j * a) for v, a in zip(values, angles))
              for j in range(n)]
    series[0] /= 2
    return moved(powers(series), middle, half)


def error(p, f, lo, hi):
    lo, hi, worst = mpf(lo), mpf(hi), 0
    for k in range(1, 100, 2):
        t = lo + (hi - lo) * k / 100
        worst = max(worst, abs(m.polyval(p[::-1], t) / f(t) - 1))
    return float(worst)


def rest(f, first):
    """A function of t = 1 / x^2 as f(x), and near t = 0 as its series."""
    def of_t(t):
        if t < mpf(10) ** -8:
            return m.polyval(first[::-1], t)
        return f(1 / m.sqrt(t))
    return of_t


def stirling(x):
    return (x - HALF) * m.log(x) - x + m.log(2 * m.pi) / 2


def erfcx(t):
    if t >= 1:
        return 2 / m.sqrt(m.pi)
    x = 4 * (1 + t) / (1 - t)
    if x <= 200:
        return (1 + 2 * x) * m.exp(x * x) * m.erfc(x)
    tail = sum((-1) ** k * m.fac2(2 * k - 1) / (2 * x * x) ** k
               for k in range(12))
    return (1 + 2 * x) * tail / (x * m.sqrt(m.pi))


ZERO = m.findroot(lambda x: m.psi(0, x), 1.4616)


def digamma_middle(t):
    x = mpf("1.75") + t
    return m.psi(0, x) / (x - ZERO) if x != ZERO else m.psi(1, ZERO)


EIGHTH = mpf(1) / 8


def bessel_i(n):
    """I_n(x) / (x / 2)^n of t = x^2 / 64."""
    return lambda t: m.hyp0f1(n + 1, 16 * t) / m.factorial(n)


def bessel_i_far(n):
    """sqrt(x) exp(-x) I_n(x) of t = 16 / x - 1."""
    def of_t(t):
        if t <= -1 + mpf(10) ** -4:
            x = 16 / (t + 1) if t > -1 else mpf(10) ** 50
            c, total = mpf(1), mpf(1)
            for k in range(1, 9):
                c *= -(4 * n * n - (2 * k - 1) ** 2) / (k * 8 * x)
                total += c
            return total / m.sqrt(2 * m.pi)
        x = 16 / (t + 1)
        return m.sqrt(x) * m.exp(-x) * m.besseli(n, x)
    return of_t


def bessel_k_near(n):
    """What is left of K_n beside log(x / 2) I_n, of t = x^2 / 4 <= 1."""
    def of_t(t):
        t = max(t, mpf(10) ** -40)
        x = 2 * m.sqrt(t)
        log = m.log(x / 2) * m.besseli(n, x)
        return (m.besselk(n, x) + log if n == 0
                else (m.besselk(n, x) - log) * x)
    return of_t


def bessel_k_far(n):
    """sqrt(x) exp(x) K_n(x) of t = 4 / x - 1."""
    def of_t(t):
        if t <= -1 + mpf(10) ** -4:
            x = 4 / (t + 1) if t > -1 else mpf(10) ** 50
            c, total = mpf(1), mpf(1)
            for k in range(1, 9):
                c *= (4 * n * n - (2 * k - 1) ** 2) / (k * 8 * x)
                total += c
            return total * m.sqrt(m.pi / 2)
        x = 4 / (t + 1)
        return m.sqrt(x) * m.exp(x) * m.besselk(n, x)
    return of_t


def lambertw_near(t):
    """W((p^2 / 2 - 1) / e) of t = 2 p - 1: near its branch point."""
    p = (t + 1) / 2
    return m.lambertw((p * p / 2 - 1) / m.e).real if p > mpf(10) ** -20 else -1 + p


def bessel_root(t):
    """x of t = x^2 / 32 - 1."""
    return m.sqrt(max(32 * (t + 1), mpf(10) ** -36))


def bessel_j_near(n):
    """J_n(x) / x^n."""
    def of_t(t):
        x = bessel_root(t)
        return m.besselj(n, x) / x ** n
    return of_t


def bessel_y_near(n):
    """What is left of Y_n beside its logarithm and its pole, over x^n."""
    def of_t(t):
        x = bessel_root(t)
        log = m.log(x) * m.besselj(n, x) - (1 / x if n else 0)
        return (m.bessely(n, x) - 2 / m.pi * log) / x ** n
    return of_t


def bessel_wave(n, part):
    """P or x Q of J_n and Y_n (DLMF 10.17.3), of t = 64 / x^2."""
    def of_t(t):
        k = mpf(4 * n * n)
        if t < mpf(10) ** -5:
            return (1 - t * (k - 1) * (k - 9) / 8192, (k - 1) / 8
                    - t * (k - 1) * (k - 9) * (k - 25) / 196608)[part]
        x = 8 / m.sqrt(t)
        turn, size = x - (2 * n + 1) * m.pi / 4, m.sqrt(m.pi * x / 2)
        j, y = m.besselj(n, x) * size, m.bessely(n, x) * size
        return (j * m.cos(turn) + y * m.sin(turn),
                (y * m.cos(turn) - j * m.sin(turn)) * x)[part]
    return of_t


def exp1_far(lo, hi):
    """x exp(x) E1(x) of t, where 1 / x is lo to hi."""
    def of_t(t):
        r = lo + (t + 1) / 2 * (hi - lo)
        if r < mpf(10) ** -5:
            return 1 - r + 2 * r ** 2 - 6 * r ** 3
        return m.exp(1 / r) * m.e1(1 / r) / r
    return of_t


def expi_far(lo, hi):
    """x exp(-x) Ei(x), likewise."""
    def of_t(t):
        r = lo + (t + 1) / 2 * (hi - lo)
        if r < mpf(10) ** -5:
            return 1 + r + 2 * r ** 2 + 6 * r ** 3 + 24 * r ** 4
        return m.re(m.ei(1 / r)) * m.exp(-1 / r) / r
    return of_t


def expi_near(t):
    """Ei(x) - log(x) of t = x / 6."""
    return m.re(m.ei(6 * t)) - m.log(6 * t) if t else +m.euler


def exp1_near(t):
    """E1(t) + log(t)."""
    return m.e1(t) + m.log(t) if t else -m.euler


def temme(orders, terms):
    """The coefficients of t^n / a^k in what is left of Q(a, x) beside an error
    function (DLMF 8.12): as lists of n, one for each k."""
    size = terms + 2 * orders + 3
    mu = [mpf(0), mpf(1)]  # mu mu' = t (1 + mu)
    for i in range(2, size + 2):
        known = sum(mu[j] * (i + 1 - j) * mu[i + 1 - j] for j in range(2, i))
        mu.append((mu[i - 1] - known) / (i + 1))
    inverse = [mpf(1)]  # of mu / t
    for n in range(1, size):
        inverse.append(-sum(mu[j + 1] * inverse[n - j]
                            for j in range(1, n + 1)))
    c = inverse[1:]
    out = [c]
    for _ in range(1, orders):
        d = [n * c[n] for n in range(1, len(c))]
        c = [d[i + 1] - d[0] * inverse[i + 1] for i in range(len(d) - 1)]
        out.append(c)
    return out


def print_temme():
    """The terms that count for |t| <= 0.4 and a >= 32."""
    for k, c in enumerate(temme(9, 20)):
        last = max(n for n, v in enumerate(c)
                   if abs(v) * mpf("0.4") ** n / mpf(32) ** k > 1e-18)
        print(f"temme, a^-{k}:")
        for v in reversed(c[: last + 1]):
            print("   ", m.nstr(v, 20))


FITS = {
    "lgamma_near_2": (lambda t: m.loggamma(2 + t) / t if t else m.psi(0, 2),
                      -HALF, HALF, 19),
    "lgamma_rest": (rest(lambda x: (m.loggamma(x) - stirling(x)) * x,
                         [mpf(1) / 12, -mpf(1) / 360, mpf(1) / 1260]),
                    0, EIGHTH ** 2, 6),
    "gamma_near_2": (lambda t: m.gamma(2 + t), -HALF, HALF, 19),
    "gamma_rest": (lambda t: m.gamma(1 / t) / m.exp(stirling(1 / t))
                   if t > mpf(10) ** -6 else 1 + t / 12 + t * t / 288,
                   0, EIGHTH, 10),
    "digamma_middle": (digamma_middle, -HALF, HALF, 20),
    "digamma_rest": (rest(lambda x: (m.log(x) - HALF / x - m.psi(0, x)) * x * x,
                          [mpf(1) / 12, -mpf(1) / 120, mpf(1) / 252]),
                     0, EIGHTH ** 2, 7),
    "trigamma_rest": (rest(lambda x: (m.psi(1, x) - 1 / x - HALF / x ** 2)
                           * x ** 3,
                           [mpf(1) / 6, -mpf(1) / 30, mpf(1) / 42]),
                      0, EIGHTH ** 2, 7),
    "atanh_rest": (lambda t: 2 * (m.atanh(m.sqrt(t)) / m.sqrt(t) - 1) / t
                   if t > mpf(10) ** -15 else 2 / mpf(3), 0, mpf("0.03"), 7),
    "sinc_near": (lambda t: m.sincpi(m.sqrt(t)), 0, mpf(1) / 4, 8),
    "erfcx_fit": (erfcx, -1, 1, 24),
    "i0_near": (bessel_i(0), 0, 1, 18),
    "i1_near": (bessel_i(1), 0, 1, 18),
    "i0_far": (bessel_i_far(0), -1, 1, 24),
    "i1_far": (bessel_i_far(1), -1, 1, 24),
    "k0_near": (bessel_k_near(0), 0, 1, 9),
    "k1_near": (bessel_k_near(1), 0, 1, 9),
    "k0_far": (bessel_k_far(0), -1, 1, 24),
    "k1_far": (bessel_k_far(1), -1, 1, 24),
    "j0_near": (bessel_j_near(0), -1, 1, 16),
    "j1_near": (bessel_j_near(1), -1, 1, 16),
    "y0_near": (bessel_y_near(0), -1, 1, 16),
    "y1_near": (bessel_y_near(1), -1, 1, 16),
    "wave0_p": (bessel_wave(0, 0), 0, 1, 13),
    "wave0_q": (bessel_wave(0, 1), 0, 1, 13),
    "wave1_p": (bessel_wave(1, 0), 0, 1, 13),
    "wave1_q": (bessel_wave(1, 1), 0, 1, 13),
    "exp1_near": (exp1_near, 0, 1, 15),
    "exp1_middle": (exp1_far(mpf(1) / 4, mpf(1)), -1, 1, 27),
    "exp1_far": (exp1_far(mpf(0), mpf(1) / 4), -1, 1, 28),
    "expi_near": (expi_near, 0, 1, 26),
    "expi_6": (expi_far(mpf(1) / 12, mpf(1) / 6), -1, 1, 20),
    "expi_12": (expi_far(mpf(1) / 24, mpf(1) / 12), -1, 1, 19),
    "expi_24": (expi_far(mpf(0), mpf(1) / 24), -1, 1, 22),
    "lambertw_near": (lambertw_near, -1, 1, 19),
}


def main():
    for name in sys.argv[1:] or [*FITS, "temme"]:
        if name == "temme":
            print_temme()
            continue
        f, lo, hi, degree = FITS[name]
        p = fit(f, lo, hi, degree)
        print(f"{name}: error {error(p, f, lo, hi):.1e}")
        for c in reversed(p):
            print("   ", m.nstr(c, 20))


main()
