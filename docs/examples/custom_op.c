/* SPDX-License-Identifier: BSD-2-Clause */
/* Two ops of one's own: swish, an elementwise expression that is fused like a
 * built-in, and plus_minus, a kernel with two outputs. docs/add-an-op.md walks
 * through this file.
 *
 *   custom_op
 */
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- swish(x) = x / (1 + exp(-x)) --- */

static double swish_eval(const double *x) {
  return x[0] / (1 + exp(-x[0]));
}

static gg_var *swish(gg_var *x);

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

/* The sizes of one call: known only then, so they are compared here. */
static int plus_minus_shape(const gg_apply *a, const gg_dims *in,
                            const double *const *host, gg_dims *out) {
  (void)host;
  for (unsigned int i = 0; i < in[0].nd; i++)
    if (in[0].dim[i] != in[1].dim[i])
      return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: %zu and %zu", i,
                        in[0].dim[i], in[1].dim[i]);
  out[0] = out[1] = in[0];
  return GA_NO_ERROR;
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
                                    .shape = plus_minus_shape,
                                    .grad = plus_minus_grad,
                                    .prepare = plus_minus_prepare};

static void plus_minus(gg_var *x, gg_var *y, gg_var **plus, gg_var **minus) {
  *plus = gg_op_apply(NULL, &plus_minus_op, NULL, 2, (gg_var *[]){x, y});
  *minus = *plus != NULL ? gg_var_owner(*plus)->out[1] : NULL;
}

/* --- use --- */

enum { N = 6 };

static int check(const char *what, const float *got, const double *want) {
  int bad = 0;
  printf("%-8s", what);
  for (int i = 0; i < N; i++) {
    printf(" %8.4f", (double)got[i]);
    bad |= !(fabs((double)got[i] - want[i]) < 1e-5);
  }
  printf("%s\n", bad ? "  wrong" : "");
  return bad;
}

int main(void) {
  static const float hx[N] = {-3, -1, 0, 1, 2, 5}, hy[N] = {1, 2, 3, 4, 5, 6};
  size_t n = N;
  gpucontext *ctx = NULL;
  gg_func *f = NULL;
  int err = gpucontext_open(&ctx, NULL), bad = 0;
  if (err != GA_NO_ERROR) {
    fprintf(stderr, "custom_op: no device: %s\n", gpucontext_error(NULL, err));
    return 1;
  }
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_shared_host(g, "x", GA_FLOAT, 1, &n, hx);
  gg_var *y = gg_shared_host(g, "y", GA_FLOAT, 1, &n, hy);
  gg_var *plus, *minus, *slope;
  plus_minus(x, y, &plus, &minus);
  gg_var *z = swish(plus);
  gg_grad(&slope, gg_sum(z), 1, &x);
  err = gg_func_new(&f, g,
                    &(gg_func_spec){
                        .name = "custom",
                        .outputs = GG_VARS(minus, z, slope),
                    });
  if (err != GA_NO_ERROR) {
    fprintf(stderr, "custom_op: %s\n", gg_graph_error(g));
    return 1;
  }

  GpuArray out[3];
  float got[3][N];
  double want[3][N];
  memset(out, 0, sizeof out);
  err = gg_func_call(f, NULL, (GpuArray *[]){&out[0], &out[1], &out[2]});
  for (int k = 0; k < 3 && err == GA_NO_ERROR; k++)
    err = GpuArray_read(got[k], sizeof got[k], &out[k]);
  if (err != GA_NO_ERROR) {
    fprintf(stderr, "custom_op: %s\n", gg_func_error(f));
    return 1;
  }
  gg_func_print(f, stdout);
  for (int i = 0; i < N; i++) {
    double s = (double)hx[i] + hy[i], q = 1 / (1 + exp(-s));
    want[0][i] = (double)hx[i] - hy[i];
    want[1][i] = s * q;
    want[2][i] = q + s * q * (1 - q);
  }
  bad |= check("minus", got[0], want[0]);
  bad |= check("swish", got[1], want[1]);
  bad |= check("slope", got[2], want[2]);

  for (int k = 0; k < 3; k++)
    GpuArray_clear(&out[k]);
  gg_func_free(f);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return bad;
}
