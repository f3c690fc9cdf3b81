#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints density_values.def by SciPy: values of logarithms of densities."""
from scipy import stats as s

CASES = [
    ("logpdf_normal", "gg_logpdf_normal", (0.3, -9, "NAN"), 0.5, 2,
     lambda p, q: s.norm(p, q).logpdf),
    ("logpdf_lognormal", "gg_logpdf_lognormal", (0.3, 7, -1), 0.5, 0.7,
     lambda p, q: s.lognorm(q, scale=2.718281828459045 ** p).logpdf),
    ("logpdf_laplace", "gg_logpdf_laplace", (0.3, -9, "NAN"), 0.5, 2,
     lambda p, q: s.laplace(p, q).logpdf),
    ("logpdf_cauchy", "gg_logpdf_cauchy", (0.3, -9, "NAN"), 0.5, 2,
     lambda p, q: s.cauchy(p, q).logpdf),
    ("logpdf_exponential", None, (0.3, 0, -1), 3, 0,
     lambda p, q: s.expon(scale=p).logpdf),
    ("logpdf_gamma", "gg_logpdf_gamma", (0.3, 40, -1), 2.5, 3,
     lambda p, q: s.gamma(p, scale=q).logpdf),
    ("logpdf_beta", "gg_logpdf_beta", (0.3, 0.999, 1.5), 2.5, 3,
     lambda p, q: s.beta(p, q).logpdf),
    ("logpdf_student", None, (0.3, 50, "NAN"), 4.5, 0,
     lambda p, q: s.t(p).logpdf),
    ("logpmf_bernoulli", None, (1, 0, 2), 0.3, 0,
     lambda p, q: s.bernoulli(p).logpmf),
    ("logpmf_binomial", "gg_logpmf_binomial", (3, 0, 13), 12, 0.3,
     lambda p, q: s.binom(p, q).logpmf),
    ("logpmf_poisson", None, (3, 50, -1), 4.5, 0,
     lambda p, q: s.poisson(p).logpmf),
    ("logpmf_geometric", None, (3, 0, -1), 0.3, 0,
     lambda p, q: lambda k: s.geom(p).logpmf(k + 1)),
    ("logpdf_uniform", "gg_logpdf_uniform", (0.3, 1.9, 2.5), -0.5, 2,
     lambda p, q: s.uniform(p, q - p).logpdf),
    ("logpdf_logistic", "gg_logpdf_logistic", (0.3, -40.5, "NAN"), 0.5, 1.5,
     lambda p, q: s.logistic(p, q).logpdf),
    ("logpdf_gumbel", "gg_logpdf_gumbel", (0.3, -3.5, "NAN"), 0.5, 1.5,
     lambda p, q: s.gumbel_r(p, q).logpdf),
    ("logpdf_weibull", "gg_logpdf_weibull", (0.3, 4.5, -1), 1.7, 1.5,
     lambda p, q: s.weibull_min(p, scale=q).logpdf),
    ("logpdf_chi2", None, (0.3, 14.5, -1), 3.5, 0,
     lambda p, q: s.chi2(p).logpdf),
    ("logpdf_pareto", "gg_logpdf_pareto", (1.6, 40, 1.2), 2.5, 1.5,
     lambda p, q: s.pareto(p, scale=q).logpdf),
    ("logpdf_inverse_gamma", "gg_logpdf_inverse_gamma", (0.3, 14.5, -1), 3.5, 2,
     lambda p, q: s.invgamma(p, scale=q).logpdf),
    ("logpmf_negative_binomial", "gg_logpmf_negative_binomial", (3, 70, -1), 4.5, 0.3,
     lambda p, q: s.nbinom(p, q).logpmf),
]

print("/* SPDX-License-Identifier: BSD-2-Clause */")
print("/* Made by density_values.py: do not edit. */")
print("/* clang-format off */")
for name, builder, x, p, q, make in CASES:
    y = [float(make(p, q)(v)) if v != "NAN" else "NAN" for v in x]
    y = ["-INFINITY" if v == float("-inf") else v for v in y]
    print('{"%s", %s, {%s}, %r, %r, {%s}},' % (
        name, builder or name, ", ".join(map(str, x)), p, q,
        ", ".join(map(str, y))))
print("/* clang-format on */")
