/* SPDX-License-Identifier: BSD-2-Clause */
/* Ridge regression: the w with the least |X w - y|^2 + a |w|^2, which solves
 * (X^T X + a) w = X^T y. The weight a of the penalty is chosen by the error on
 * points that were left out: it descends along the gradient of that error,
 * through the solution of the equations. */
#include "op_example.h"

enum { POINTS = 24, POWERS = 10, STEPS = 60 };

/* Columns 1, x, x^2 ... */
static gg_var *powers(gg_var *x) {
  gg_graph *g = gg_var_graph(x);
  gg_var *i = gg_arange(gg_i64(g, 0), gg_i64(g, POWERS), gg_i64(g, 1));
  return gg_outer_of(gg_pow, x, gg_cast(i, GA_FLOAT));
}

static gg_var *fit(gg_var *x, gg_var *y, gg_var *penalty) {
  gg_var *n = gg_i64(gg_var_graph(x), POWERS), *xt = gg_transpose(x);
  gg_var *a = gg_add(gg_dot(xt, x), gg_mul(gg_eye(n, n, 0, GA_FLOAT), penalty));
  return gg_solve(a, gg_dot(xt, y), GA_FACTOR_POSITIVE);
}

/* Points of a sine with noise. */
static void fill(float *x, float *y, float from) {
  for (int i = 0; i < POINTS; i++) {
    const float noise = 0.3f * sinf(37 * ((float)i + from));
    x[i] = 2 * ((float)i + from) / POINTS - 1;
    y[i] = sinf(3 * x[i]) + noise;
  }
}

int main(void) {
  float x[POINTS], y[POINTS], at[POINTS], want[POINTS], log_a = 2, first, last;
  gg_graph *g = example_open();

  fill(x, y, 0);
  fill(at, want, 0.5f);
  gg_var *penalty = gg_shared_host(g, "log a", GA_FLOAT, 0, NULL, &log_a);
  gg_var *w = fit(powers(example_shared(g, 0, POINTS, x)),
                  example_shared(g, 0, POINTS, y), gg_exp(penalty));
  gg_var *beside = gg_sub(gg_dot(powers(example_shared(g, 0, POINTS, at)), w),
                          example_shared(g, 0, POINTS, want));
  gg_var *loss = gg_mean(gg_sqr(beside)), *slope;
  GpuArray out = {0};

  example_read(loss, &first, sizeof first);
  gg_grad(&slope, loss, 1, &penalty);
  gg_shared_set_update(penalty, gg_sub(penalty, gg_mul(slope, gg_weak(g, 2))));
  for (int i = 0; i < STEPS; i++)
    if (gg_eval(loss, NULL, &out) != GA_NO_ERROR)
      example_fail("step", gg_graph_error(g));
  GpuArray_read(&last, sizeof last, &out);
  GpuArray_clear(&out);
  printf("error %g, then %g\n", (double)first, (double)last);
  if (!(last < 0.8f * first))
    example_fail("no progress", "see above");
  return example_close(g);
}
