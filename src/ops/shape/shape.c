/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes as values, broadcasting to a shape, and the order of axes. */
#include <stdio.h>
#include <string.h>

#include "ops/elementwise/elementwise.h"
#include "ops/value_size.h"

/* --- sizes and positions, known before anything runs --- */

static int infer_count(const gg_apply *a, gg_type *out) {
  (void)a;
  out->dtype = GA_LONG;
  out->nd = 0;
  return GA_NO_ERROR;
}

static int infer_iota(const gg_apply *a, gg_type *out) {
  const gg__axis_props *p = a->props;

  out->dtype = GA_LONG;
  out->nd = 1;
  out->dims[0] = gg_var_type(a->in[0])->dims[p->axis];
  return GA_NO_ERROR;
}

static int shape_scalar(const gg_apply *a, const gg_dims *in,
                        const double *const *host, gg_dims *out) {
  (void)a;
  (void)in;
  (void)host;
  out->nd = 0;
  return GA_NO_ERROR;
}

static int shape_iota(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  const gg__axis_props *p = a->props;

  (void)host;
  out->nd = 1;
  out->dim[0] = in[0].dim[p->axis];
  return GA_NO_ERROR;
}

static int host_shape(const gg_apply *a, const gg_dims *in,
                      const double *const *number, const gg_dims *want,
                      void *data) {
  const gg__axis_props *p = a->props;
  const int64_t n = (int64_t)in[0].dim[p->axis];

  (void)number;
  (void)want;
  memcpy(data, &n, sizeof n);
  return GA_NO_ERROR;
}

static int host_size(const gg_apply *a, const gg_dims *in,
                     const double *const *number, const gg_dims *want,
                     void *data) {
  const int64_t n = (int64_t)gg__dims_count(&in[0]);

  (void)number;
  (void)a;
  (void)want;
  memcpy(data, &n, sizeof n);
  return GA_NO_ERROR;
}

static int host_iota(const gg_apply *a, const gg_dims *in,
                     const double *const *number, const gg_dims *want,
                     void *data) {
  int64_t *p = data;

  (void)number;
  (void)a;
  (void)in;
  for (size_t i = 0; i < want->dim[0]; i++)
    p[i] = (int64_t)i;
  return GA_NO_ERROR;
}

void gg__axis_print(const gg_apply *a, char *buf, size_t bytes) {
  const gg__axis_props *p = a->props;

  snprintf(buf, bytes, "axis=%u", p->axis);
}

const gg_op gg__op_shape = {.name = "shape",
                            .kind = GG_OP_SHAPE,
                            .props_bytes = sizeof(gg__axis_props),
                            .n_out = 1,
                            .shape_only = 1,
                            .infer = infer_count,
                            .shape = shape_scalar,
                            .host = host_shape,
                            .print = gg__axis_print};

const gg_op gg__op_size = {.name = "size",
                           .kind = GG_OP_SHAPE,
                           .n_out = 1,
                           .shape_only = 1,
                           .infer = infer_count,
                           .shape = shape_scalar,
                           .host = host_size};

const gg_op gg__op_iota = {.name = "iota",
                           .kind = GG_OP_SHAPE,
                           .props_bytes = sizeof(gg__axis_props),
                           .n_out = 1,
                           .shape_only = 1,
                           .infer = infer_iota,
                           .shape = shape_iota,
                           .host = host_iota,
                           .print = gg__axis_print};

gg_var *gg_shape(gg_var *x, int axis) {
  gg__axis_props p;

  if (x == NULL || gg__axis(x, &gg__op_shape, axis, &p.axis) != GA_NO_ERROR)
    return NULL;
  int64_t n = gg_var_type(x)->dims[p.axis];
  if (n != GG_ANY)
    return gg_i64(gg_var_graph(x), n);
  return gg_op_apply(NULL, &gg__op_shape, &p, 1, &x);
}

gg_var *gg_size(gg_var *x) {
  const gg_type *t = gg_var_type(x);
  int64_t n = 1;

  if (x == NULL)
    return NULL;
  for (unsigned int i = 0; i < t->nd; i++) {
    if (t->dims[i] == GG_ANY)
      return gg_op_apply(NULL, &gg__op_size, NULL, 1, &x);
    n *= t->dims[i];
  }
  return gg_i64(gg_var_graph(x), n);
}

/* The positions along `axis`, with size 1 along the other axes. */
static gg_var *iota(gg_var *x, unsigned int axis) {
  const gg__axis_props p = {axis};
  int pattern[GG_MAX_ND];
  unsigned int nd = gg_var_type(x)->nd;

  for (unsigned int i = 0; i < nd; i++)
    pattern[i] = i == axis ? 0 : -1;
  return gg_dimshuffle(gg_op_apply(NULL, &gg__op_iota, &p, 1, &x), nd, pattern);
}

gg_var *gg__iota(gg_var *x, int axis) {
  unsigned int k;

  if (x == NULL || gg__axis(x, &gg__op_iota, axis, &k) != GA_NO_ERROR)
    return NULL;
  return iota(x, k);
}

gg_var *gg_positions(gg_var *x, int axis) {
  return gg_fill(x, gg__iota(x, axis));
}

/* --- fill --- */

static double eval_second(const double *x) {
  return x[1];
}

static void eval_second_complex(const double *x, double *y) {
  y[0] = x[2];
  y[1] = x[3];
}

static int grad_fill(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  gin[1] = gout[0];
  return GA_NO_ERROR;
}

const gg_op gg__op_fill = {.name = "fill",
                           .kind = GG_OP_ELEMWISE,
                           .n_out = 1,
                           .shape_only = 1,
                           .infer = gg__infer_of_second,
                           .grad = grad_fill,
                           COMPLEX(GG_PARTS, "%1", eval_second_complex, 0),
                           .code = CODE("%1", eval_second, 0)};

/* Are all sizes known, and equal in both? */
static int has_shape(const gg_type *value, const gg_type *like) {
  if (value->nd != like->nd)
    return 0;
  for (unsigned int i = 0; i < like->nd; i++)
    if (value->dims[i] != like->dims[i] || like->dims[i] == GG_ANY)
      return 0;
  return 1;
}

/* `value` must broadcast to `like`, not the other way round. */
static int check_fill(const gg_apply *a) {
  GA_TRY(gg__check_ranks(a, 0, 1));
  const gg_type *t = gg_var_type(a->in[0]);
  const gg_type *v = gg_var_type(a->in[1]);
  for (unsigned int i = 0; i < t->nd; i++)
    if (t->dims[i] == 1 && v->dims[i] != 1)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u of the value does not shrink to 1", i);
  return GA_NO_ERROR;
}

/* `value`, whose open axes have size 1 where `like` does. */
static gg_var *with_ones(gg_var *value, const gg_type *like) {
  const gg_type *v = gg_var_type(value);
  int64_t dims[GG_MAX_ND];

  for (unsigned int i = 0; i < v->nd; i++)
    dims[i] = v->dims[i] == GG_ANY && like->dims[i] == 1 ? 1 : GG_ANY;
  return gg_specify_shape(value, dims);
}

gg_var *gg_fill(gg_var *like, gg_var *value) {
  gg_var *in[2] = {like, value};

  if (!gg__given(&gg__op_fill, 2, in))
    return NULL;
  const gg_type *t = gg_var_type(like);
  const gg_type *v = gg_var_type(value);
  if (has_shape(v, t))
    return value;
  if (v->nd > t->nd)
    return gg__refuse(&gg__op_fill, 2, in, GA_VALUE_ERROR,
                      "the value has more dimensions");
  in[1] = gg__pad_rank(value, t->nd - v->nd);
  if (in[1] != NULL)
    in[1] = with_ones(in[1], t);
  return in[1] != NULL
             ? gg__apply_checked(&gg__op_fill, NULL, 2, in, check_fill)
             : NULL;
}

gg_var *gg_zeros_like(gg_var *x) {
  return gg_fill(x, gg__num(x, 0));
}

gg_var *gg_ones_like(gg_var *x) {
  return gg_fill(x, gg__num(x, 1));
}

/* --- dimshuffle --- */

static int infer_dimshuffle(const gg_apply *a, gg_type *out) {
  const gg__dimshuffle_props *p = a->props;
  const gg_type *t = gg_var_type(a->in[0]);

  GA_ASSERT(p->nd <= GG_MAX_ND);
  out->dtype = t->dtype;
  out->nd = p->nd;
  for (unsigned int i = 0; i < p->nd; i++)
    out->dims[i] = p->pattern[i] < 0 ? 1 : t->dims[p->pattern[i]];
  return GA_NO_ERROR;
}

static int shape_dimshuffle(const gg_apply *a, const gg_dims *in,
                            const double *const *host, gg_dims *out) {
  const gg__dimshuffle_props *p = a->props;

  (void)host;
  out->nd = p->nd;
  for (unsigned int i = 0; i < p->nd; i++)
    out->dim[i] = p->pattern[i] < 0 ? 1 : in[0].dim[p->pattern[i]];
  return GA_NO_ERROR;
}

/* New axes get the stride of a contiguous array, so that BLAS takes the view
 * without a copy. */
void gg__dimshuffle_strides(const gg_apply *a, const ssize_t *in, size_t item,
                            const gg_dims *want, ssize_t *out) {
  const gg__dimshuffle_props *p = a->props;
  ssize_t inner = (ssize_t)item;

  for (unsigned int i = p->nd; i-- > 0;) {
    out[i] = p->pattern[i] < 0 ? inner : in[p->pattern[i]];
    inner = out[i] * (ssize_t)want->dim[i];
  }
}

static int view_dimshuffle(const gg_apply *a, unsigned int which,
                           const GpuArray *in, const gg_dims *dims,
                           const double *const *number, const gg_dims *want,
                           GpuArray *out) {
  const gg__dimshuffle_props *p = a->props;
  ssize_t strides[GG_MAX_ND];

  (void)which;
  (void)number;
  (void)dims;
  gg__dimshuffle_strides(a, in->strides, GpuArray_ITEMSIZE(in), want, strides);
  return GpuArray_fromdata(out, in->data, in->offset, in->typecode, p->nd,
                           want->dim, strides, GpuArray_ISWRITEABLE(in));
}

/* Each axis goes back to its position; dropped axes come back as new ones. */
static int grad_dimshuffle(const gg_apply *a, gg_var *const *gout,
                           gg_var **gin) {
  const gg__dimshuffle_props *p = a->props;
  const unsigned int nd = gg_var_type(a->in[0])->nd;
  int back[GG_MAX_ND];

  for (unsigned int i = 0; i < nd; i++)
    back[i] = -1;
  for (unsigned int i = 0; i < p->nd; i++)
    if (p->pattern[i] >= 0)
      back[p->pattern[i]] = (int)i;
  gin[0] = gg_dimshuffle(gout[0], nd, back);
  return GA_NO_ERROR;
}

static void print_dimshuffle(const gg_apply *a, char *buf, size_t bytes) {
  const gg__dimshuffle_props *p = a->props;
  size_t n = 0;
  int k;

  for (unsigned int i = 0; i < p->nd && n < bytes; i++) {
    if (p->pattern[i] < 0)
      k = snprintf(buf + n, bytes - n, "%sx", i != 0 ? " " : "");
    else
      k = snprintf(buf + n, bytes - n, "%s%d", i != 0 ? " " : "",
                   p->pattern[i]);
    n += k > 0 ? (size_t)k : 0;
  }
}

const gg_op gg__op_dimshuffle = {.name = "dimshuffle",
                                 .kind = GG_OP_VIEW,
                                 .props_bytes = sizeof(gg__dimshuffle_props),
                                 .n_out = 1,
                                 .infer = infer_dimshuffle,
                                 .shape = shape_dimshuffle,
                                 .grad = grad_dimshuffle,
                                 .view = view_dimshuffle,
                                 .print = print_dimshuffle};

/* Each axis may be used at most once, and only axes of size 1 may be
 * dropped. */
static int check_dimshuffle(const gg_apply *a) {
  const gg__dimshuffle_props *p = a->props;
  const gg_type *t = gg_var_type(a->in[0]);
  unsigned int used = 0;

  for (unsigned int i = 0; i < p->nd; i++) {
    if (p->pattern[i] == -1)
      continue;
    GA_TRY(gg__check_axis_of(a, 0, p->pattern[i]));
    if (used >> p->pattern[i] & 1u)
      return gg_op_fail(a, GA_VALUE_ERROR, "axis %d is used twice",
                        p->pattern[i]);
    used |= 1u << p->pattern[i];
  }
  for (unsigned int i = 0; i < t->nd; i++)
    if (!(used >> i & 1u) && t->dims[i] != 1)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "axis %u cannot be dropped: it is not known to be 1",
                        i);
  return GA_NO_ERROR;
}

/* An axis of size 1 may be dropped and replaced by a new one. */
static int is_identity(const gg_type *t, unsigned int nd, const int *pattern) {
  if (nd != t->nd)
    return 0;
  for (unsigned int i = 0; i < nd; i++)
    if (pattern[i] != (int)i && (pattern[i] >= 0 || t->dims[i] != 1))
      return 0;
  return 1;
}

gg_var *gg_dimshuffle(gg_var *x, unsigned int nd, const int *pattern) {
  const gg_apply *a = gg_var_owner(x);
  gg__dimshuffle_props p;

  if (x == NULL)
    return NULL;
  if (nd > GG_MAX_ND)
    return gg__refuse(&gg__op_dimshuffle, 1, &x, GA_VALUE_ERROR,
                      "%u dimensions are more than %d", nd, GG_MAX_ND);
  if (!gg__listed(&gg__op_dimshuffle, x, nd, pattern))
    return NULL;
  p.nd = nd;
  for (unsigned int i = 0; i < GG_MAX_ND; i++)
    p.pattern[i] = i < nd && pattern[i] >= 0 ? pattern[i] : -1;
  const gg_apply shuffle = {&gg__op_dimshuffle, &p, 1, 0, &x, NULL};
  if (check_dimshuffle(&shuffle) != GA_NO_ERROR)
    return NULL;
  if (is_identity(gg_var_type(x), nd, pattern))
    return x;
  if (a == NULL || a->op != &gg__op_dimshuffle)
    return gg_op_apply(NULL, &gg__op_dimshuffle, &p, 1, &x);
  /* Combine two dimshuffles into one. */
  const gg__dimshuffle_props *inner = a->props;
  for (unsigned int i = 0; i < nd; i++)
    if (p.pattern[i] >= 0)
      p.pattern[i] = inner->pattern[p.pattern[i]];
  return gg_dimshuffle(a->in[0], nd, p.pattern);
}

gg_var *gg_transpose(gg_var *x) {
  int pattern[GG_MAX_ND];

  if (x == NULL)
    return NULL;
  unsigned int nd = gg_var_type(x)->nd;
  for (unsigned int i = 0; i < nd; i++)
    pattern[i] = (int)(nd - 1 - i);
  return gg_dimshuffle(x, nd, pattern);
}

/* --- in texts and files --- */

const gg_field gg__axis_fields[1] = {
    {GG_FIELD("axis", UINT, gg__axis_props, axis)}};

static const gg_field dimshuffle_fields[] = {
    {GG_FIELD("pattern", INT, gg__dimshuffle_props, pattern), .most = GG_MAX_ND,
     .count_at = offsetof(gg__dimshuffle_props, nd), .otherwise = -1}};

const gg_op_form gg__forms_shape[] = {
    GG_FORM_PROPS(shape, "x", gg__axis_fields, gg__check_axis),
    GG_FORM(size, "x", NULL),
    GG_FORM_PROPS(iota, "x", gg__axis_fields, gg__check_axis),
    GG_FORM(fill, "xx", check_fill),
    GG_FORM_PROPS(dimshuffle, "x", dimshuffle_fields, check_dimshuffle),
    GG_FORMS_END};
