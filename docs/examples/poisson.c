/* SPDX-License-Identifier: BSD-2-Clause */
/* Poisson's equation on a grid of N x N points by conjugate gradients: a sparse
 * matrix with five entries a row, and a loop that ends when the residual is
 * small. */
#include "op_example.h"

enum { N = 24, POINTS = N * N };

static int32_t starts[POINTS + 1], columns[5 * POINTS];
static float values[5 * POINTS];

/* Rows of the matrix: 4 at the point, -1 at its neighbours. */
static size_t fill(void) {
  static const int step[5][2] = {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}};
  size_t n = 0;

  for (int i = 0; i < POINTS; i++) {
    for (int k = 0; k < 5; k++) {
      const int row = i / N + step[k][0], column = i % N + step[k][1];

      if (row < 0 || row >= N || column < 0 || column >= N)
        continue;
      columns[n] = row * N + column;
      values[n++] = k == 2 ? 4 : -1;
    }
    starts[i + 1] = (int32_t)n;
  }
  return n;
}

/* The solution of a x = b, and the number of iterations. */
static gg_var *solve(gg_csr a, gg_var *b, gg_var **count) {
  gg_graph *g = gg_var_graph(b);
  gg_scan *s = gg_scan_open(g);
  gg_var *x = gg_scan_state(s, gg_zeros_like(b)), *r = gg_scan_state(s, b),
         *p = gg_scan_state(s, b), *rr = gg_dot(r, r), *ap = gg_csr_dot(a, p);
  gg_var *alpha = gg_div(rr, gg_dot(p, ap));
  gg_var *left = gg_sub(r, gg_mul(alpha, ap)), *ll = gg_dot(left, left);

  gg_scan_next(s, x, gg_add(x, gg_mul(alpha, p)));
  gg_scan_next(s, r, left);
  gg_scan_next(s, p, gg_add(left, gg_mul(gg_div(ll, rr), p)));
  gg_scan_until(s, gg_lt(ll, gg_f32(g, 1e-8f)));
  gg_scan_steps(s, gg_i64(g, 10 * N));
  gg_scan_close(s);
  gg_var *last = gg_scan_last(s, x);
  *count = gg_scan_count(s);
  gg_scan_free(s);
  return last;
}

int main(void) {
  const size_t rows = POINTS + 1, n = fill();
  float ones[POINTS], error = 0;
  int64_t iterations = 0;
  gg_var *count;

  for (int i = 0; i < POINTS; i++)
    ones[i] = 1;
  gg_graph *g = example_open();
  gg_csr a = {gg_shared_host(g, "starts", GA_INT, 1, &rows, starts),
              gg_shared_host(g, "columns", GA_INT, 1, &n, columns),
              gg_shared_host(g, "values", GA_FLOAT, 1, &n, values),
              gg_i64(g, POINTS)};
  gg_var *b = example_shared(g, 0, POINTS, ones), *x = solve(a, b, &count);
  gg_var *residual = gg_sub(gg_csr_dot(a, x), b);

  example_read(gg_max(gg_abs(residual)), &error, sizeof error);
  example_read(count, &iterations, sizeof iterations);
  printf("%lld iterations, residual %.1e\n", (long long)iterations,
         (double)error);
  if (!(error < 1e-3f) || iterations >= 10 * N)
    example_fail("not solved", "the residual is too large");
  return example_close(g);
}
