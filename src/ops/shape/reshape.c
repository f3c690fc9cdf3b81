/* SPDX-License-Identifier: BSD-2-Clause */
/* Reshaping, and specifying sizes. */
#include <stdio.h>

#include "ops/ops.h"
#include "ops/value_size.h"

/* The product of all sizes except that of axis `but`; GG_ANY if one is
 * unknown. */
static int64_t known_size(unsigned int nd, const int64_t *dims, int but) {
  int64_t n = 1;

  for (unsigned int i = 0; i < nd; i++) {
    if ((int)i == but)
      continue;
    if (dims[i] < 0)
      return GG_ANY;
    n *= dims[i];
  }
  return n;
}

static int open_axis(unsigned int nd, const int64_t *dims) {
  for (unsigned int i = 0; i < nd; i++)
    if (dims[i] < 0)
      return (int)i;
  return -1;
}

static int fail_fill(const gg_apply *a, size_t n, size_t want) {
  return gg_op_fail(a, GA_VALUE_ERROR, "%zu elements do not fill %zu", n, want);
}

/* Also for by = 0: any open size would fit then. */
static int fail_divide(const gg_apply *a, size_t n, size_t by) {
  return gg_op_fail(a, GA_VALUE_ERROR, "%zu elements do not divide by %zu", n,
                    by);
}

/* The open size, if there is one, follows from the total number of elements if
 * that is known. Fails when no size fits. */
static int infer_reshape(const gg_apply *a, gg_type *out) {
  const gg__reshape_props *p = a->props;
  const gg_type *t = gg_var_type(a->in[0]);
  const int64_t total = known_size(t->nd, t->dims, -1);
  const int open = open_axis((unsigned int)p->nd, p->dims);

  GA_ASSERT(gg__sizes_fit((unsigned int)p->nd, p->dims));
  int64_t rest = known_size((unsigned int)p->nd, p->dims, open);
  out->dtype = t->dtype;
  out->nd = (unsigned int)p->nd;
  for (unsigned int i = 0; i < out->nd; i++)
    out->dims[i] = p->dims[i];
  if (total == GG_ANY)
    return GA_NO_ERROR;
  if (open < 0)
    return rest == total ? GA_NO_ERROR
                         : fail_fill(a, (size_t)total, (size_t)rest);
  if (rest == 0 || total % rest != 0)
    return fail_divide(a, (size_t)total, (size_t)rest);
  out->dims[open] = total / rest;
  return GA_NO_ERROR;
}

int gg__reshaped_dims(const gg_apply *a, unsigned int nd, const int64_t *dims,
                      const gg_dims *x, gg_dims *out) {
  const int open = open_axis(nd, dims);
  const size_t total = gg__dims_count(x);

  out->nd = nd;
  for (unsigned int i = 0; i < nd; i++)
    out->dim[i] = (int)i == open ? 1 : (size_t)dims[i];
  size_t rest = gg__dims_count(out);
  if (open < 0)
    return rest == total ? GA_NO_ERROR : fail_fill(a, total, rest);
  if (rest == 0 || total % rest != 0)
    return fail_divide(a, total, rest);
  out->dim[open] = total / rest;
  return GA_NO_ERROR;
}

static int shape_reshape(const gg_apply *a, const gg_dims *in,
                         const double *const *host, gg_dims *out) {
  const gg__reshape_props *p = a->props;

  (void)host;
  return gg__reshaped_dims(a, (unsigned int)p->nd, p->dims, &in[0], out);
}

int gg__reshape_view(const gg_apply *a, unsigned int which, const GpuArray *in,
                     const gg_dims *dims, const double *const *number,
                     const gg_dims *want, GpuArray *out) {
  (void)which;
  (void)number;
  (void)a;
  (void)dims;
  return GpuArray_reshape(out, in, want->nd, want->dim, GA_C_ORDER, 1);
}

int gg__reshape_grad(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg__reshape_like(gout[0], a->in[0]);
  return GA_NO_ERROR;
}

static void print_reshape(const gg_apply *a, char *buf, size_t bytes) {
  const gg__reshape_props *p = a->props;
  size_t n = 0;

  for (unsigned int i = 0; i < (unsigned int)p->nd && n < bytes; i++) {
    int k = snprintf(buf + n, bytes - n, "%s%lld", i != 0 ? " " : "",
                     (long long)p->dims[i]);
    n += k > 0 ? (size_t)k : 0;
  }
}

const gg_op gg__op_reshape = {.name = "reshape",
                              .kind = GG_OP_VIEW,
                              .props_bytes = sizeof(gg__reshape_props),
                              .n_out = 1,
                              .infer = infer_reshape,
                              .shape = shape_reshape,
                              .grad = gg__reshape_grad,
                              .view = gg__reshape_view,
                              .print = print_reshape};

/* The properties must be sizes that fit, at most `most_open` of them -1. */
static int check_sizes(const gg_apply *a, unsigned int most_open) {
  const gg__reshape_props *p = a->props;
  unsigned int open = 0;

  for (unsigned int i = 0; i < (unsigned int)p->nd; i++) {
    if (p->dims[i] < GG_ANY)
      return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: %lld is not a size", i,
                        (long long)p->dims[i]);
    open += p->dims[i] == GG_ANY;
    if (open > most_open)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: -1: one size may be -1, others must be sizes",
                        i);
  }
  if (!gg__sizes_fit((unsigned int)p->nd, p->dims))
    return gg_op_fail(a, GA_XLARGE_ERROR, "the sizes are too large");
  return GA_NO_ERROR;
}

static int check_reshape(const gg_apply *a) {
  return check_sizes(a, 1);
}

gg_var *gg_reshape(gg_var *x, unsigned int nd, const int64_t *dims) {
  gg__reshape_props p = {.nd = nd};

  if (x == NULL)
    return NULL;
  if (nd > GG_MAX_ND)
    return gg__refuse(&gg__op_reshape, 1, &x, GA_VALUE_ERROR,
                      "%u dimensions are more than %d", nd, GG_MAX_ND);
  if (!gg__listed(&gg__op_reshape, x, nd, dims))
    return NULL;
  for (unsigned int i = 0; i < nd; i++)
    p.dims[i] = dims[i];
  return gg__apply_checked(&gg__op_reshape, &p, 1, &x, check_reshape);
}

gg_var *gg_flatten(gg_var *x) {
  const int64_t dims[1] = {GG_ANY};

  if (x != NULL && gg_var_type(x)->nd == 1)
    return x;
  return gg_reshape(x, 1, dims);
}

/* --- reshape_like --- */

static int infer_like(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[1]);
  out->dtype = gg_var_type(a->in[0])->dtype;
  return GA_NO_ERROR;
}

static int shape_like(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  (void)host;
  *out = in[1];
  if (gg__dims_count(&in[0]) != gg__dims_count(&in[1]))
    return fail_fill(a, gg__dims_count(&in[0]), gg__dims_count(&in[1]));
  return GA_NO_ERROR;
}

const gg_op gg__op_reshape_like = {.name = "reshape_like",
                                   .kind = GG_OP_VIEW,
                                   .n_out = 1,
                                   .shape_only = 2,
                                   .infer = infer_like,
                                   .shape = shape_like,
                                   .grad = gg__reshape_grad,
                                   .view = gg__reshape_view};

gg_var *gg__reshape_like(gg_var *x, gg_var *like) {
  gg_var *const in[2] = {x, like};

  return gg_op_apply(NULL, &gg__op_reshape_like, NULL, 2, in);
}

/* --- specify_shape --- */

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

int gg__specify_view(const gg_apply *a, unsigned int which, const GpuArray *in,
                     const gg_dims *dims, const double *const *number,
                     const gg_dims *want, GpuArray *out) {
  (void)a;
  (void)which;
  (void)number;
  (void)dims;
  (void)want;
  return GpuArray_view(out, in);
}

const gg_op gg__op_specify_shape = {.name = "specify_shape",
                                    .kind = GG_OP_VIEW,
                                    .props_bytes = sizeof(gg__reshape_props),
                                    .n_out = 1,
                                    .infer = infer_specify,
                                    .shape = shape_specify,
                                    .grad = gg__grad_first,
                                    .view = gg__specify_view,
                                    .print = print_reshape};

static int check_specify(const gg_apply *a) {
  const gg__reshape_props *p = a->props;

  if ((unsigned int)p->nd != gg__rank(a, 0))
    return gg_op_fail(a, GA_VALUE_ERROR, "expected %u sizes, got %u",
                      gg__rank(a, 0), (unsigned int)p->nd);
  return check_sizes(a, GG_MAX_ND);
}

gg_var *gg_specify_shape(gg_var *x, const int64_t *dims) {
  gg__reshape_props p = {0};
  unsigned int news = 0;

  if (x == NULL)
    return NULL;
  const gg_type *t = gg_var_type(x);
  p.nd = t->nd;
  if (!gg__listed(&gg__op_specify_shape, x, t->nd, dims))
    return NULL;
  for (unsigned int i = 0; i < t->nd; i++) {
    p.dims[i] = dims[i];
    news |= dims[i] != GG_ANY && dims[i] != t->dims[i];
  }
  return news ? gg__apply_checked(&gg__op_specify_shape, &p, 1, &x,
                                  check_specify)
              : x;
}

/* --- in texts and files --- */

static const gg_field reshape_fields[] = {
    {GG_FIELD("dims", INT64, gg__reshape_props, dims), .most = GG_MAX_ND,
     .count_at = offsetof(gg__reshape_props, nd)}};

const gg_op_form gg__forms_reshape[] = {
    GG_FORM_PROPS(reshape, "x", reshape_fields, check_reshape),
    GG_FORM(reshape_like, "xx", NULL),
    GG_FORM_PROPS(specify_shape, "x", reshape_fields, check_specify),
    GG_FORMS_END};
