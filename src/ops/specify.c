/* SPDX-License-Identifier: BSD-2-Clause */
/* x whose sizes are known, on the word of who says so. */
#include <stdio.h>

#include "ops/ops.h"

int gg__specified_type(const gg_apply *a, const int64_t *dims, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  for (unsigned int i = 0; i < out->nd; i++) {
    if (dims[i] == GG_ANY)
      continue;
    if (out->dims[i] != GG_ANY && out->dims[i] != dims[i])
      return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: expected %lld, got %lld", i,
                        (long long)dims[i], (long long)out->dims[i]);
    out->dims[i] = dims[i];
  }
  return GA_NO_ERROR;
}

int gg__specified_dims(const gg_apply *a, const int64_t *dims, const gg_dims *x,
                       gg_dims *out) {
  *out = *x;
  for (unsigned int i = 0; i < out->nd; i++)
    if (dims[i] != GG_ANY && out->dim[i] != (size_t)dims[i])
      return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: expected %lld, got %zu", i,
                        (long long)dims[i], out->dim[i]);
  return GA_NO_ERROR;
}

static int infer_specify(const gg_apply *a, gg_type *out) {
  const gg__reshape_props *p = a->props;

  return gg__specified_type(a, p->dims, out);
}

static int shape_specify(const gg_apply *a, const gg_dims *in,
                         const double *const *host, gg_dims *out) {
  const gg__reshape_props *p = a->props;

  (void)host;
  return gg__specified_dims(a, p->dims, &in[0], out);
}

static int view_specify(const gg_apply *a, unsigned int which,
                        const GpuArray *in, const gg_dims *dims,
                        const gg_dims *want, GpuArray *out) {
  (void)a;
  (void)which;
  (void)dims;
  (void)want;
  return GpuArray_view(out, in);
}

static int grad_specify(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  gin[0] = gout[0];
  return GA_NO_ERROR;
}

static void print_specify(const gg_apply *a, char *buf, size_t bytes) {
  gg__op_reshape.print(a, buf, bytes);
}

const gg_op gg__op_specify_shape = {.name = "specify_shape",
                                    .kind = GG_OP_VIEW,
                                    .props_bytes = sizeof(gg__reshape_props),
                                    .n_out = 1,
                                    .infer = infer_specify,
                                    .shape = shape_specify,
                                    .grad = grad_specify,
                                    .view = view_specify,
                                    .print = print_specify};

gg_var *gg_specify_shape(gg_var *x, const int64_t *dims) {
  gg__reshape_props p = {0};
  unsigned int news = 0;

  if (x == NULL)
    return NULL;
  const gg_type *t = gg_var_type(x);
  p.nd = t->nd;
  for (unsigned int i = 0; i < t->nd; i++) {
    p.dims[i] = dims[i];
    news |= dims[i] != GG_ANY && dims[i] != t->dims[i];
    if (dims[i] < GG_ANY)
      return gg__refuse(&gg__op_specify_shape, 1, &x, GA_VALUE_ERROR,
                        "dim %u: %lld is not a size", i, (long long)dims[i]);
  }
  return news ? gg_op_apply(NULL, &gg__op_specify_shape, &p, 1, &x) : x;
}
