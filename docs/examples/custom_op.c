/* SPDX-License-Identifier: BSD-2-Clause */
/* Two ops of one's own: swish, an elementwise expression that is fused like a
 * built-in, and plus_minus, a kernel with two outputs. docs/add-an-op.md walks
 * through this file.
 *
 *   custom_op
 */
#include "op_example.h"

/* --- swish(x) = x / (1 + exp(-x)) --- */

static double swish_eval(const double *x) {
  return x[0] / (1 + exp(-x[0]));
}

/* d swish = s + swish (1 - s), with s = sigmoid(x). */
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

static gg_var *swish(gg_var *x) {
  return gg_op_elemwise(&swish_op, NULL, 1, (gg_var *[]){x});
}

/* --- plus_minus(x, y) = x + y, x - y --- */

static int plus_minus_infer(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]), *y = gg_var_type(a->in[1]);
  if (x->dtype != GA_FLOAT || y->dtype != GA_FLOAT)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected float32");
  int err = gg_infer_elemwise(a, GA_FLOAT, &out[0]);
  out[1] = out[0];
  return err;
}

static int plus_minus_grad(const gg_apply *a, gg_var *const *gout,
                           gg_var **gin) {
  /* A NULL gradient stands for zero. */
  gg_var *zero = gg_zeros_like(a->in[0]);
  gg_var *p = gout[0] != NULL ? gout[0] : zero;
  gg_var *m = gout[1] != NULL ? gout[1] : zero;
  gin[0] = gg_add(p, m);
  gin[1] = gg_sub(p, m);
  return GA_NO_ERROR;
}

/* One launch; slots are numbered like the arguments of the expression. Any
 * strides will do, the generator takes care of them. */
static int plus_minus_prepare(const gg_prepare *p, GpuLaunch **out,
                              int *slot_in, int *slot_out) {
  gpuelemwise_arg args[4] = {{"x", GA_FLOAT, GE_READ},
                             {"y", GA_FLOAT, GE_READ},
                             {"plus", GA_FLOAT, GE_WRITE},
                             {"minus", GA_FLOAT, GE_WRITE}};
  void *arrays[4] = {p->in[0], p->in[1], p->out[0], p->out[1]};
  GpuElemwise *ge =
      GpuElemwise_new(p->ctx, NULL, "plus = x + y; minus = x - y;", 4, args,
                      p->out[0]->nd, GE_VECTOR);
  if (ge == NULL)
    return GA_MISC_ERROR;
  for (int i = 0; i < 2; i++) {
    slot_in[i] = i;
    slot_out[i] = 2 + i;
  }
  int err = GpuElemwise_prepare(out, ge, arrays, 0);
  GpuElemwise_free(ge);
  return err;
}

static const gg_op plus_minus_op = {.name = "plus_minus",
                                    .kind = GG_OP_KERNEL,
                                    .n_out = 2,
                                    .infer = plus_minus_infer,
                                    .shape = example_shape,
                                    .grad = plus_minus_grad,
                                    .prepare = plus_minus_prepare};

static void plus_minus(gg_var *x, gg_var *y, gg_var **plus, gg_var **minus) {
  *plus = gg_op_apply(NULL, &plus_minus_op, NULL, 2, (gg_var *[]){x, y});
  *minus = *plus != NULL ? gg_var_owner(*plus)->out[1] : NULL;
}

/* --- use --- */

enum { N = 6 };

static void build(gg_graph *g, gg_var **minus, gg_var **z, gg_var **slope) {
  static const float hx[N] = {-3, -1, 0, 1, 2, 5}, hy[N] = {1, 2, 3, 4, 5, 6};
  gg_var *x = example_shared(g, 0, N, hx), *plus;

  plus_minus(x, example_shared(g, 0, N, hy), &plus, minus);
  *z = swish(plus);
  gg_grad(slope, gg_sum(*z), 1, &x);
}

static void show(const char *what, gg_var *v) {
  float got[N];

  example_read(v, got, sizeof got);
  printf("%-8s", what);
  for (int i = 0; i < N; i++)
    printf(" %8.4f", (double)got[i]);
  printf("\n\n");
}

int main(void) {
  gg_graph *g = example_open();
  gg_var *minus, *z, *slope;

  build(g, &minus, &z, &slope);
  show("minus", minus);
  show("swish", z);
  show("slope", slope);
  return example_close(g);
}
