/* SPDX-License-Identifier: BSD-2-Clause */
/* x[start:stop:step] and x[index] of one axis, their gradient, and x with
 * another value at a slice. */
#include <stdio.h>
#include <string.h>

#include "ops/ops.h"
#include "ops/value_size.h"

/* --- Python's rules --- */

/* The first index and the number of indices of a slice of n elements. */
static void resolve(const gg__slice_props *p, int64_t n, int64_t *first,
                    int64_t *count) {
  const int64_t lo = p->step > 0 ? 0 : -1; /* a bound is within [lo, hi] */
  const int64_t hi = p->step > 0 ? n : n - 1;
  int64_t start = p->start, stop = p->stop;

  if (start == GG_END)
    start = p->step > 0 ? lo : hi;
  else if (start < 0)
    start += n;
  if (stop == GG_END)
    stop = p->step > 0 ? hi : lo;
  else if (stop < 0)
    stop += n;
  start = start < lo ? lo : start > hi ? hi : start;
  stop = stop < lo ? lo : stop > hi ? hi : stop;
  *first = start;
  if (p->step > 0)
    *count = stop > start ? (stop - start - 1) / p->step + 1 : 0;
  else
    *count = start > stop ? (start - stop - 1) / -p->step + 1 : 0;
}

static int view_slice_of(const gg__slice_props *p, const GpuArray *in,
                         GpuArray *out) {
  size_t dims[GG_MAX_ND];
  ssize_t strides[GG_MAX_ND];
  int64_t first, count;
  size_t off = in->offset;

  resolve(p, (int64_t)in->dimensions[p->axis], &first, &count);
  for (unsigned int i = 0; i < in->nd; i++) {
    dims[i] = in->dimensions[i];
    strides[i] = in->strides[i];
  }
  if (count > 0)
    off = (size_t)((int64_t)off + first * in->strides[p->axis]);
  dims[p->axis] = (size_t)count;
  if (count > 1) /* so the step is smaller than the axis */
    strides[p->axis] *= (ssize_t)p->step;
  return GpuArray_fromdata(out, in->data, off, in->typecode, in->nd, dims,
                           strides, GpuArray_ISWRITEABLE(in));
}

/* --- slice --- */

static int infer_slice(const gg_apply *a, gg_type *out) {
  const gg__slice_props *p = a->props;
  int64_t first;

  *out = *gg_var_type(a->in[0]);
  int64_t n = out->dims[p->axis];
  if (n != GG_ANY)
    resolve(p, n, &first, &out->dims[p->axis]);
  return GA_NO_ERROR;
}

static int shape_slice(const gg_apply *a, const gg_dims *in,
                       const double *const *host, gg_dims *out) {
  const gg__slice_props *p = a->props;
  int64_t first, count;

  (void)host;
  *out = in[0];
  resolve(p, (int64_t)in[0].dim[p->axis], &first, &count);
  out->dim[p->axis] = (size_t)count;
  return GA_NO_ERROR;
}

static int view_slice(const gg_apply *a, unsigned int which, const GpuArray *in,
                      const gg_dims *dims, const gg_dims *want, GpuArray *out) {
  (void)which;
  (void)dims;
  (void)want;
  return view_slice_of(a->props, in, out);
}

static int grad_slice(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const in[2] = {a->in[0], gout[0]};

  gin[0] = gg_op_apply(NULL, &gg__op_slice_grad, a->props, 2, in);
  return GA_NO_ERROR;
}

static size_t print_end(char *buf, size_t bytes, const char *before,
                        int64_t end) {
  int k;

  if (end == GG_END)
    k = snprintf(buf, bytes, "%s", before);
  else
    k = snprintf(buf, bytes, "%s%lld", before, (long long)end);
  return k > 0 ? (size_t)k : 0;
}

static void print_slice(const gg_apply *a, char *buf, size_t bytes) {
  const gg__slice_props *p = a->props;
  size_t n = 0;
  int k;

  k = snprintf(buf, bytes, "axis=%lld ", (long long)p->axis);
  n += k > 0 ? (size_t)k : 0;
  if (n < bytes)
    n += print_end(buf + n, bytes - n, "", p->start);
  if (n < bytes)
    n += print_end(buf + n, bytes - n, ":", p->stop);
  if (n < bytes && p->step != 1)
    print_end(buf + n, bytes - n, ":", p->step);
}

const gg_op gg__op_slice = {.name = "slice",
                            .kind = GG_OP_VIEW,
                            .props_bytes = sizeof(gg__slice_props),
                            .n_out = 1,
                            .infer = infer_slice,
                            .shape = shape_slice,
                            .grad = grad_slice,
                            .view = view_slice,
                            .print = print_slice};

static int check_slice(const gg_apply *a) {
  const gg__slice_props *p = a->props;

  if (p->step == 0 || p->step == GG_END)
    return gg_op_fail(a, GA_VALUE_ERROR, "the step must not be 0");
  return gg__check_axis_of(a, 0, p->axis);
}

gg_var *gg_slice(gg_var *x, int axis, int64_t start, int64_t stop,
                 int64_t step) {
  const gg__slice_props all = {0, GG_END, GG_END, 1};
  gg__slice_props p = {0, start, stop, step};
  unsigned int k;

  if (x == NULL || gg__axis(x, &gg__op_slice, axis, &k) != GA_NO_ERROR)
    return NULL;
  if (memcmp(&p, &all, sizeof p) == 0)
    return x;
  p.axis = k;
  return gg__apply_checked(&gg__op_slice, &p, 1, &x, check_slice);
}

/* --- index --- */

static int resolve_index(const gg_apply *a, int64_t n, int64_t *at) {
  const gg__index_props *p = a->props;

  *at = p->index < 0 ? p->index + n : p->index;
  if (*at < 0 || *at >= n)
    return gg_op_fail(a, GA_VALUE_ERROR, "index %lld is outside of size %lld",
                      (long long)p->index, (long long)n);
  return GA_NO_ERROR;
}

static int infer_index(const gg_apply *a, gg_type *out) {
  const gg__index_props *p = a->props;
  const gg_type *t = gg_var_type(a->in[0]);
  int64_t at;

  if (t->dims[p->axis] != GG_ANY)
    GA_TRY(resolve_index(a, t->dims[p->axis], &at));
  out->dtype = t->dtype;
  for (unsigned int i = 0; i < t->nd; i++)
    if (i != p->axis)
      out->dims[out->nd++] = t->dims[i];
  return GA_NO_ERROR;
}

static int shape_index(const gg_apply *a, const gg_dims *in,
                       const double *const *host, gg_dims *out) {
  const gg__index_props *p = a->props;
  int64_t at;

  (void)host;
  GA_TRY(resolve_index(a, (int64_t)in[0].dim[p->axis], &at));
  out->nd = 0;
  for (unsigned int i = 0; i < in[0].nd; i++)
    if (i != p->axis)
      out->dim[out->nd++] = in[0].dim[i];
  return GA_NO_ERROR;
}

static int view_index(const gg_apply *a, unsigned int which, const GpuArray *in,
                      const gg_dims *dims, const gg_dims *want, GpuArray *out) {
  const gg__index_props *p = a->props;
  ssize_t strides[GG_MAX_ND];
  unsigned int n = 0;
  int64_t at;

  (void)which;
  GA_TRY(resolve_index(a, (int64_t)dims[0].dim[p->axis], &at));
  for (unsigned int i = 0; i < in->nd; i++)
    if (i != p->axis)
      strides[n++] = in->strides[i];
  return GpuArray_fromdata(
      out, in->data, (size_t)((int64_t)in->offset + at * in->strides[p->axis]),
      in->typecode, n, want->dim, strides, GpuArray_ISWRITEABLE(in));
}

/* The index as a slice of one. */
static int grad_index(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__index_props *p = a->props;
  const gg__slice_props one = {
      p->axis, p->index,
      p->index == -1 || p->index == INT64_MAX ? GG_END : p->index + 1, 1};
  gg_var *const in[2] = {a->in[0], gg__expand(gout[0], (unsigned int)p->axis)};

  gin[0] = gg_op_apply(NULL, &gg__op_slice_grad, &one, 2, in);
  return GA_NO_ERROR;
}

static void print_index(const gg_apply *a, char *buf, size_t bytes) {
  const gg__index_props *p = a->props;

  snprintf(buf, bytes, "axis=%lld %lld", (long long)p->axis,
           (long long)p->index);
}

const gg_op gg__op_index = {.name = "index",
                            .kind = GG_OP_VIEW,
                            .props_bytes = sizeof(gg__index_props),
                            .n_out = 1,
                            .infer = infer_index,
                            .shape = shape_index,
                            .grad = grad_index,
                            .view = view_index,
                            .print = print_index};

gg_var *gg_index(gg_var *x, int axis, int64_t index) {
  gg__index_props p = {0, index};
  unsigned int k;

  if (x == NULL || gg__axis(x, &gg__op_index, axis, &k) != GA_NO_ERROR)
    return NULL;
  p.axis = k;
  return gg_op_apply(NULL, &gg__op_index, &p, 1, &x);
}

/* --- the gradient: zeros around g --- */

static int infer_slice_grad(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  out->dtype = gg_var_type(a->in[1])->dtype;
  return GA_NO_ERROR;
}

static unsigned int parts_slice_grad(const gg_prepare *p) {
  (void)p;
  return 2;
}

static int prepare_slice_grad(const gg_prepare *p, GpuLaunch **out,
                              int *slot_in, int *slot_out) {
  GpuArray part = {0};
  int err;

  slot_out[0] = 0;
  if (p->part == 0)
    return gg__prepare_zero(out, p->ctx, p->out[0]);
  slot_in[1] = 1;
  GA_CHECK(view_slice_of(p->apply->props, p->out[0], &part));
  p->out_off[0] = part.offset - p->out[0]->offset;
  GA_CHECK(gg__prepare_copy(out, p->ctx, &part, p->in[1]));
done:
  GpuArray_clear(&part);
  return err;
}

/* Input 1 at the slice of output 0; other elements stay. */
static void place(const gg_prepare *p) {
  const gg__slice_props *props = p->apply->props;
  const GpuArray *const x = p->in[0], *const g = p->in[1];
  size_t inner = ga__dtype_size(g->typecode), outer = 1;
  int64_t first, count;

  for (unsigned int d = 0; d < x->nd; d++) {
    outer *= d < props->axis ? x->dimensions[d] : 1;
    inner *= d > props->axis ? x->dimensions[d] : 1;
  }
  resolve(props, (int64_t)x->dimensions[props->axis], &first, &count);
  for (size_t k = 0; k < outer; k++)
    for (int64_t i = 0; i < count; i++) {
      int64_t row =
          (int64_t)(k * x->dimensions[props->axis]) + first + i * props->step;
      memcpy((char *)p->to[0] + (size_t)row * inner,
             (const char *)p->from[1] + (k * (size_t)count + (size_t)i) * inner,
             inner);
    }
}

static int reference_slice_grad(const gg_prepare *p) {
  memset(p->to[0], 0, gg__array_bytes(p->out[0]));
  place(p);
  return GA_NO_ERROR;
}

static int grad_slice_grad(const gg_apply *a, gg_var *const *gout,
                           gg_var **gin) {
  gin[1] = gg_op_apply(NULL, &gg__op_slice, a->props, 1, gout);
  return GA_NO_ERROR;
}

const gg_op gg__op_slice_grad = {.name = "slice_grad",
                                 .kind = GG_OP_KERNEL,
                                 .half_ok = 1,
                                 .props_bytes = sizeof(gg__slice_props),
                                 .n_out = 1,
                                 .shape_only = 1,
                                 .infer = infer_slice_grad,
                                 .shape = gg__shape_first,
                                 .grad = grad_slice_grad,
                                 .parts = parts_slice_grad,
                                 .prepare = prepare_slice_grad,
                                 .reference = reference_slice_grad,
                                 .print = print_slice};

/* --- x with a value at a slice --- */

static int shape_slice_set(const gg_apply *a, const gg_dims *in,
                           const double *const *host, gg_dims *out) {
  gg_dims want = {0, {0}};

  GA_TRY(shape_slice(a, in, host, &want));
  *out = in[0];
  for (unsigned int i = 0; i < want.nd; i++)
    if (in[1].dim[i] != want.dim[i])
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: the value has %zu, the slice %zu", i,
                        in[1].dim[i], want.dim[i]);
  return GA_NO_ERROR;
}

static int prepare_slice_set(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                             int *slot_out) {
  GpuArray part = {0};
  int copied, err;

  GA_TRY(gg__prepare_first(p, out, slot_in, slot_out, &copied));
  if (copied)
    return GA_NO_ERROR;
  slot_out[0] = 0;
  slot_in[1] = 1;
  GA_CHECK(view_slice_of(p->apply->props, p->out[0], &part));
  p->out_off[0] = part.offset - p->out[0]->offset;
  GA_CHECK(gg__prepare_copy(out, p->ctx, &part, p->in[1]));
done:
  GpuArray_clear(&part);
  return err;
}

/* The value between what of x is not in the slice. */
static int reference_slice_set(const gg_prepare *p) {
  memcpy(p->to[0], p->from[0], gg__array_bytes(p->in[0]));
  place(p);
  return GA_NO_ERROR;
}

static gg_var *slice_set(const gg__slice_props *p, gg_var *x, gg_var *v) {
  gg_var *const in[2] = {x, v};

  return gg_op_apply(NULL, &gg__op_slice_set, p, 2, in);
}

static int grad_slice_set(const gg_apply *a, gg_var *const *gout,
                          gg_var **gin) {
  gin[0] =
      slice_set(a->props, gout[0],
                gg_cast(gg_zeros_like(a->in[1]), gg_var_type(gout[0])->dtype));
  gin[1] = gg_op_apply(NULL, &gg__op_slice, a->props, 1, gout);
  return GA_NO_ERROR;
}

const gg_op gg__op_slice_set = {.name = "slice_set",
                                .kind = GG_OP_KERNEL,
                                .half_ok = 1,
                                .props_bytes = sizeof(gg__slice_props),
                                .n_out = 1,
                                .infer = gg__infer_first,
                                .shape = shape_slice_set,
                                .grad = grad_slice_set,
                                .parts = gg__parts_first,
                                .prepare = prepare_slice_set,
                                .destroys = gg__destroys_first,
                                .reference = reference_slice_set,
                                .print = print_slice};

gg_var *gg_slice_set(gg_var *x, int axis, int64_t start, int64_t stop,
                     int64_t step, gg_var *v) {
  gg__slice_props p = {0, start, stop, step};
  unsigned int k;

  if (!gg__given(&gg__op_slice_set, 2, (gg_var *[]){x, v}))
    return NULL;
  gg_var *part = gg_slice(x, axis, start, stop, step);
  if (part == NULL || gg__axis(x, &gg__op_slice_set, axis, &k) != GA_NO_ERROR)
    return NULL;
  p.axis = k;
  v = gg_fill(part, gg_cast(v, gg_var_type(x)->dtype));
  return v != NULL ? slice_set(&p, x, v) : NULL;
}

/* --- in texts and files --- */

static int check_index(const gg_apply *a) {
  const gg__index_props *p = a->props;

  if (p->index == GG_END)
    return gg_op_fail(a, GA_VALUE_ERROR, "%lld is not an index",
                      (long long)p->index);
  return gg__check_axis_of(a, 0, p->axis);
}

/* (x, part of x) */
static int check_slice_of(const gg_apply *a) {
  GA_TRY(check_slice(a));
  return gg__check_ranks(a, 0, 1);
}

static const gg_field slice_fields[] = {
    {GG_FIELD("axis", INT64, gg__slice_props, axis)},
    {GG_FIELD("start", INT64, gg__slice_props, start), .optional = 1,
     .otherwise = GG_END},
    {GG_FIELD("stop", INT64, gg__slice_props, stop), .optional = 1,
     .otherwise = GG_END},
    {GG_FIELD("step", INT64, gg__slice_props, step), .optional = 1,
     .otherwise = 1}};

static const gg_field index_fields[] = {
    {GG_FIELD("axis", INT64, gg__index_props, axis)},
    {GG_FIELD("at", INT64, gg__index_props, index)}};

const gg_op_form gg__forms_slice[] = {
    GG_FORM_PROPS(slice, "x", slice_fields, check_slice),
    GG_FORM_PROPS(slice_grad, "xx", slice_fields, check_slice_of),
    GG_FORM_PROPS(slice_set, "XX", slice_fields, check_slice_of),
    GG_FORM_PROPS(index, "x", index_fields, check_index), GG_FORMS_END};
