/* SPDX-License-Identifier: BSD-2-Clause */
/* Conjugate gradients: A x = b for a symmetric positive definite A that is only
 * known as a function, x -> A x. Here it is the heat equation on a line, whose
 * matrix has 2 + c on its diagonal and -1 beside it. */
#include "op_example.h"

enum { N = 100, MOST = 200 };

/* (2 + c) x[i] - x[i - 1] - x[i + 1]; what lies outside is 0. */
static gg_var *heat(gg_var *x) {
  gg_graph *g = gg_var_graph(x);
  gg_var *left = gg_pad(x, (int64_t[]){1}, (int64_t[]){-1}, 0, NULL);
  gg_var *right = gg_pad(x, (int64_t[]){-1}, (int64_t[]){1}, 0, NULL);
  return gg_sub(gg_mul(x, gg_weak(g, 2.01)), gg_add(left, right));
}

/* The solution; *count: the iterations until the residual was small enough. */
static gg_var *solve(gg_var *(*product)(gg_var *), gg_var *b, double tolerance,
                     gg_var **count) {
  gg_graph *g = gg_var_graph(b);
  gg_scan *s = gg_scan_open(g);
  gg_var *x = gg_scan_state(s, gg_zeros_like(b)); /* so far */
  gg_var *r = gg_scan_state(s, b);                /* residual b - A x */
  gg_var *p = gg_scan_state(s, b);                /* direction */
  gg_var *rr = gg_scan_state(s, gg_dot(b, b));
  gg_var *ap = product(p), *step = gg_div(rr, gg_dot(p, ap));
  gg_var *next = gg_sub(r, gg_mul(step, ap)), *square = gg_dot(next, next);

  gg_scan_next(s, x, gg_add(x, gg_mul(step, p)));
  gg_scan_next(s, r, next);
  gg_scan_next(s, p, gg_add(next, gg_mul(gg_div(square, rr), p)));
  gg_scan_next(s, rr, square);
  gg_scan_until(s, gg_le(square, gg_weak(g, tolerance * tolerance)));
  gg_scan_steps(s, gg_i64(g, MOST)); /* at most */
  gg_scan_close(s);
  *count = gg_scan_count(s);
  x = gg_scan_last(s, x);
  gg_scan_free(s);
  return x;
}

int main(void) {
  float want[N], got[N], error = 0;
  int64_t steps;
  gg_graph *g = example_open();

  for (int i = 0; i < N; i++)
    want[i] = sinf(0.1f * (float)i);
  gg_var *x = example_shared(g, 0, N, want), *count;
  gg_var *found = solve(heat, heat(x), 1e-4, &count);
  example_read(found, got, sizeof got);
  example_read(count, &steps, sizeof steps);
  for (int i = 0; i < N; i++)
    error = fmaxf(error, fabsf(got[i] - want[i]));
  printf("%lld iterations, error %g\n", (long long)steps, (double)error);
  if (!(error < 1e-2f && steps < MOST))
    example_fail("wrong solution", "see above");
  return example_close(g);
}
