/* SPDX-License-Identifier: BSD-2-Clause */
/* swish(x) = x / (1 + exp(-x)), an expression that is fused like a built-in,
 * with its gradient, which is compared with differences.
 *
 *   op_gradient */
#include "op_example.h"

enum { N = 5 };

static double swish_eval(const double *x) {
  return x[0] / (1 + exp(-x[0]));
}

/* d swish = s + swish (1 - s), with s = sigmoid(x) */
static int swish_grad(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *s = gg_sigmoid(a->in[0]);
  gg_var *slope = gg_add(s, gg_mul(a->out[0], gg_sub(gg_ones_like(s), s)));

  gin[0] = gg_mul(gout[0], slope);
  return GA_NO_ERROR;
}

static const gg_code swish_code = {.text = "(%0 / ((%T)(1.0f) + exp(-%0)))",
                                   .eval = swish_eval,
                                   .vector = 1,
                                   .flops = 12};

static const gg_op swish_op = {.name = "swish",
                               .kind = GG_OP_ELEMWISE,
                               .n_out = 1,
                               .grad = swish_grad,
                               .code = &swish_code};

int main(void) {
  static const float v[N] = {-3, -1, 0, 1, 2.5f}, t = 0.01f;
  float up[N], down[N], slope[N];
  gg_graph *g = example_open();
  gg_var *x = example_shared(g, 0, N, v), *d;
  gg_var *ahead = gg_add(x, gg_f32(g, t)), *behind = gg_sub(x, gg_f32(g, t));

  gg_grad(&d, gg_sum(gg_op_elemwise(&swish_op, NULL, 1, &x)), 1, &x);
  example_read(d, slope, sizeof slope);
  example_read(gg_op_elemwise(&swish_op, NULL, 1, &ahead), up, sizeof up);
  example_read(gg_op_elemwise(&swish_op, NULL, 1, &behind), down, sizeof down);
  for (int i = 0; i < N; i++) {
    float about = (up[i] - down[i]) / (2 * t);
    printf("%8.4f, by differences %8.4f\n", (double)slope[i], (double)about);
    if (!(fabsf(slope[i] - about) < 1e-3f))
      example_fail("wrong gradient", "see above");
  }
  return example_close(g);
}
