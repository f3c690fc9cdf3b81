/* SPDX-License-Identifier: BSD-2-Clause */
/* GMRES with restarts: A x = b for a regular A that need not be symmetric and
 * is only known as a function, x -> A x. Here it is heat on a grid in a wind
 * from the west: each point depends more on its west than on its east. */
#include "op_example.h"

enum { N = 24, POINTS = N * N, BASIS = 8, MOST = 40 };

/* x, moved by so many rows and columns; what comes from outside is 0. */
static gg_var *moved(gg_var *x, int rows, int columns) {
  return gg_pad(x, (int64_t[]){rows, columns}, (int64_t[]){-rows, -columns}, 0,
                NULL);
}

/* 4 at the point, -1.5 west, -0.5 east, -1 north and south of it. */
static gg_var *heat(gg_var *x) {
  gg_graph *g = gg_var_graph(x);
  gg_var *u = gg_reshape(x, 2, (int64_t[]){N, N});
  gg_var *west = gg_mul(moved(u, 0, 1), gg_weak(g, 1.5));
  gg_var *east = gg_mul(moved(u, 0, -1), gg_weak(g, 0.5));
  gg_var *beside =
      gg_add(gg_add(moved(u, 1, 0), moved(u, -1, 0)), gg_add(west, east));
  return gg_flatten(gg_sub(gg_mul(u, gg_weak(g, 4)), beside));
}

/* |x|, but not 0: vectors are divided by it, and 0 / 0 is NaN. */
static gg_var *length(gg_var *x) {
  return gg_maximum(gg_sqrt(gg_dot(x, x)), gg_weak(gg_var_graph(x), 1e-30));
}

/* The d with the least |r - A d| in the space of r, A r, A A r, ... Arnoldi's
 * process finds orthonormal vectors q, and H, so that A q[j] is the sum of
 * H[i, j] q[i]. So d is the sum of y[j] q[j] with the least ||r| e - H y|,
 * where e is the first unit vector. */
static gg_var *best(gg_var *(*product)(gg_var *), gg_var *r) {
  gg_graph *g = gg_var_graph(r);
  gg_var *q[BASIS + 1], *columns[BASIS], *size = length(r);

  q[0] = gg_div(r, size);
  for (int j = 0; j < BASIS; j++) {
    gg_var *w = product(q[j]), *h[BASIS + 1];

    for (int i = 0; i <= j; i++) { /* modified Gram-Schmidt */
      h[i] = gg_dot(q[i], w);
      w = gg_sub(w, gg_mul(h[i], q[i]));
    }
    h[j + 1] = length(w);
    q[j + 1] = gg_div(w, h[j + 1]);
    for (int i = j + 2; i <= BASIS; i++)
      h[i] = gg_f32(g, 0);
    columns[j] = gg_stack(0, BASIS + 1, h);
  }
  gg_var *e = gg_one_hot(gg_i64(g, 0), gg_i64(g, BASIS + 1), GA_FLOAT);
  gg_var *y = gg_lstsq(gg_stack(1, BASIS, columns), gg_mul(e, size));
  return gg_dot(gg_stack(1, BASIS, q), y);
}

/* The solution; *count: the cycles until the residual was small enough. */
static gg_var *solve(gg_var *(*product)(gg_var *), gg_var *b, double tolerance,
                     gg_var **count) {
  gg_graph *g = gg_var_graph(b);
  gg_scan *s = gg_scan_open(g);
  gg_var *x = gg_scan_state(s, gg_zeros_like(b)), *r = gg_scan_state(s, b);
  gg_var *next = gg_add(x, best(product, r)), *left = gg_sub(b, product(next));

  gg_scan_next(s, x, next);
  gg_scan_next(s, r, left);
  gg_scan_until(s, gg_le(length(left), gg_weak(g, tolerance)));
  gg_scan_steps(s, gg_i64(g, MOST)); /* at most */
  gg_scan_close(s);
  *count = gg_scan_count(s);
  x = gg_scan_last(s, x);
  gg_scan_free(s);
  return x;
}

int main(void) {
  float want[POINTS], got[POINTS], error = 0, left;
  int64_t cycles;
  gg_graph *g = example_open();

  for (int i = 0; i < POINTS; i++)
    want[i] = sinf(0.1f * (float)i);
  gg_var *b = heat(example_shared(g, 0, POINTS, want)), *count;
  gg_var *found = solve(heat, b, 1e-4, &count);
  example_read(found, got, sizeof got);
  example_read(length(gg_sub(b, heat(found))), &left, sizeof left);
  example_read(count, &cycles, sizeof cycles);
  for (int i = 0; i < POINTS; i++)
    error = fmaxf(error, fabsf(got[i] - want[i]));
  printf("%lld cycles of %d products, residual %g, error %g\n",
         (long long)cycles, BASIS, (double)left, (double)error);
  if (!(left < 2e-4f && error < 1e-2f && cycles < MOST))
    example_fail("wrong solution", "see above");
  return example_close(g);
}
