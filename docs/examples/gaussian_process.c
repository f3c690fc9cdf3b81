/* SPDX-License-Identifier: BSD-2-Clause */
/* A Gaussian process through points of a sine. Its length scale descends along
 * the gradient of the likelihood; its mean is compared between the points. */
#include "op_example.h"

enum { N = 12, STEPS = 40 };

/* exp(-((a - b) / scale)^2 / 2) for all pairs */
static gg_var *kernel(gg_var *a, gg_var *b, gg_var *scale) {
  gg_var *d = gg_div(gg_outer_of(gg_sub, a, b), scale);
  return gg_exp(gg_mul(gg_sqr(d), gg_weak(gg_var_graph(a), -0.5)));
}

int main(void) {
  float xs[N], ys[N], at[N], mean[N], s = 0.3f;
  for (int i = 0; i < N; i++) {
    xs[i] = 0.5f * (float)i;
    ys[i] = sinf(xs[i]);
    at[i] = 0.25f + 0.48f * (float)i;
  }
  gg_graph *g = example_open();
  gg_var *x = example_shared(g, 0, N, xs), *y = example_shared(g, 0, N, ys);
  gg_var *z = example_shared(g, 0, N, at), *n = gg_i64(g, N), *slope;
  gg_var *scale = gg_shared_host(g, "scale", GA_FLOAT, 0, NULL, &s);
  gg_var *noise = gg_mul(gg_eye(n, n, 0, GA_FLOAT), gg_weak(g, 1e-3));
  gg_var *l = gg_cholesky(gg_add(kernel(x, x, scale), noise), 0);
  gg_var *w = gg_cholesky_solve(l, y, 0); /* (K + noise) w = y */
  gg_var *loss = gg_add(gg_mul(gg_dot(y, w), gg_weak(g, 0.5)),
                        gg_sum(gg_log(gg_diagonal(l, 0, 0, 1))));
  GpuArray out = {0};

  gg_grad(&slope, loss, 1, &scale);
  gg_var *next = gg_sub(scale, gg_mul(slope, gg_weak(g, 5e-3)));
  gg_shared_set_update(scale, next);
  for (int i = 0; i < STEPS; i++)
    if (gg_eval(loss, NULL, &out) != GA_NO_ERROR)
      example_fail("step", gg_graph_error(g));
  GpuArray_clear(&out);
  example_read(gg_dot(kernel(z, x, scale), w), mean, sizeof mean);
  for (int i = 0; i < N; i++) {
    printf("%8.4f, sine %8.4f\n", (double)mean[i], sin((double)at[i]));
    if (!(fabsf(mean[i] - sinf(at[i])) < 0.02f))
      example_fail("wrong mean", "not near the sine");
  }
  return example_close(g);
}
