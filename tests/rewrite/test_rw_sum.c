/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on sums as sets of terms, by example. */
#include "support/rewritten.h"

static const rewrite_case cases[] = {
    /* In float32 only where the number is exact. */
    {"merge terms", "sub(f, mul(0.25f, f))", "mul(0.75, f)"},
    {"merge terms", "add(x, x)", "mul(2, x)"},
    {"merge terms", "sub(x, x)", "fill(x, 0)"},
    {"merge terms", "sub(add(x, y), x)", "y"},
    {"merge terms", "add(mul(2, x), mul(3, x))", "mul(5, x)"},
    {"merge terms", "sub(x, mul(0.5, add(y, mul(3, x))))",
     "sub(mul(-0.5, x), mul(0.5, y))"},
    {"merge terms", "sub(add(add(x, y), 2), add(x, 5))", "add(-3, y)"},
    {"merge terms", "sub(x, add(x, y))", "neg(y)"},
    {"merge terms", "add(add(i, j), i)", "add(j, mul(2, i))"},
    {"merge terms", "add(add(x, y), add(x, y))", "mul(2, add(x, y))"},
    {"merge terms", "sub(add(A, r), A)", "fill(A, r)"},
};

static const char *const kept[] = {"sub(f, mul(0.02f, f))", "sub(u, u)",
                                   "add(h, h)", "add(x, mul(2, add(y, z)))",
                                   "add(x, mul(2, add(y, add(z, add(p, q)))))"};

int main(void) {
  return rewrite_main(cases, sizeof cases / sizeof cases[0], kept,
                      sizeof kept / sizeof kept[0]);
}
