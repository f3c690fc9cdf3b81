/* SPDX-License-Identifier: BSD-2-Clause */
/* x[start:stop:step] and x[index] along one axis, their gradients, and x with
 * another value at a slice. Each op has two forms: with bounds in its
 * properties, and with bounds that calls decide (..._at), which are its last
 * operands. */
#include <gpugraph/sizes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/shape/slice_bounds.h"
#include "ops/value_size.h"

/* --- slice --- */

static int infer_slice(const gg_apply *a, gg_type *out) {
  const gg__slice_props *p = a->props;
  int64_t first;

  *out = *gg_var_type(a->in[0]);
  int64_t n = out->dims[p->axis];
  if (n != GG_ANY)
    gg__slice_resolve(p, n, &first, &out->dims[p->axis]);
  return GA_NO_ERROR;
}

static int infer_slice_at(const gg_apply *a, gg_type *out) {
  const gg__axis_props *p = a->props;

  *out = *gg_var_type(a->in[0]);
  out->dims[p->axis] = GG_ANY;
  return GA_NO_ERROR;
}

static int view_slice(const gg_apply *a, unsigned int which, const GpuArray *in,
                      const gg_dims *dims, const double *const *number,
                      const gg_dims *want, GpuArray *out) {
  gg__slice_props p;

  (void)which;
  (void)dims;
  (void)want;
  GA_TRY(gg__slice_of(a, number, &p));
  return gg__slice_view(&p, in, out);
}

/* The ops on slices: with bounds in properties, and with bounds that calls
 * decide. */
enum { SLICE, SLICE_GRAD, SLICE_SET };

static const gg_op *const ops[2][3] = {
    {&gg__op_slice, &gg__op_slice_grad, &gg__op_slice_set},
    {&gg__op_slice_at, &gg__op_slice_grad_at, &gg__op_slice_set_at}};

/* Apply op `which` with the slice of node a. v is NULL for SLICE. */
static gg_var *slice_like(const gg_apply *a, int which, gg_var *x, gg_var *v) {
  const int at = a->op->number_only != 0;
  gg_var *in[5] = {x, v};
  unsigned int n = v != NULL ? 2 : 1;

  for (unsigned int i = 0; at && i < 3; i++)
    in[n++] = a->in[a->n_in - 3 + i];
  return x != NULL ? gg_op_apply(NULL, ops[at][which], a->props, n, in) : NULL;
}

static int grad_slice(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = slice_like(a, SLICE_GRAD, a->in[0], gout[0]);
  return GA_NO_ERROR;
}

const gg_op gg__op_slice = {.name = "slice",
                            .kind = GG_OP_VIEW,
                            .props_bytes = sizeof(gg__slice_props),
                            .n_out = 1,
                            .infer = infer_slice,
                            .shape = gg__slice_sizes,
                            .grad = grad_slice,
                            .view = view_slice,
                            .print = gg__slice_print};

const gg_op gg__op_slice_at = {.name = "slice_at",
                               .kind = GG_OP_VIEW,
                               .props_bytes = sizeof(gg__axis_props),
                               .n_out = 1,
                               .number_only = 7u << 1,
                               .infer = infer_slice_at,
                               .shape = gg__slice_sizes,
                               .grad = grad_slice,
                               .view = view_slice,
                               .print = gg__axis_print};

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
  return gg__apply_checked(&gg__op_slice, &p, 1, &x, gg__slice_check);
}

/* --- index --- */

static unsigned int index_axis(const gg_apply *a) {
  return a->op->number_only != 0
             ? ((const gg__axis_props *)a->props)->axis
             : (unsigned int)((const gg__index_props *)a->props)->axis;
}

/* Set *at to the position that the index of node a has on an axis of size n.
 * Fails if it is out of range. */
static int resolve_index(const gg_apply *a, const double *const *number,
                         int64_t n, int64_t *at) {
  int64_t index = 0;

  if (a->op->number_only != 0)
    GA_TRY(gg__read_number(a, "index", number[1], &index));
  else
    index = ((const gg__index_props *)a->props)->index;
  *at = index < 0 ? index + n : index;
  if (*at < 0 || *at >= n)
    return gg_op_fail(a, GA_VALUE_ERROR, "index %lld is outside of size %lld",
                      (long long)index, (long long)n);
  return GA_NO_ERROR;
}

static int infer_index(const gg_apply *a, gg_type *out) {
  const gg_type *t = gg_var_type(a->in[0]);
  const unsigned int axis = index_axis(a);
  int64_t at;

  if (a->op->number_only == 0 && t->dims[axis] != GG_ANY)
    GA_TRY(resolve_index(a, NULL, t->dims[axis], &at));
  out->dtype = t->dtype;
  for (unsigned int i = 0; i < t->nd; i++)
    if (i != axis)
      out->dims[out->nd++] = t->dims[i];
  return GA_NO_ERROR;
}

static int shape_index(const gg_apply *a, const gg_dims *in,
                       const double *const *host, gg_dims *out) {
  const unsigned int axis = index_axis(a);
  int64_t at;

  GA_TRY(resolve_index(a, host, (int64_t)in[0].dim[axis], &at));
  out->nd = 0;
  for (unsigned int i = 0; i < in[0].nd; i++)
    if (i != axis)
      out->dim[out->nd++] = in[0].dim[i];
  return GA_NO_ERROR;
}

static int view_index(const gg_apply *a, unsigned int which, const GpuArray *in,
                      const gg_dims *dims, const double *const *number,
                      const gg_dims *want, GpuArray *out) {
  const unsigned int axis = index_axis(a);
  ssize_t strides[GG_MAX_ND];
  unsigned int n = 0;
  int64_t at;

  (void)which;
  GA_TRY(resolve_index(a, number, (int64_t)dims[0].dim[axis], &at));
  for (unsigned int i = 0; i < in->nd; i++)
    if (i != axis)
      strides[n++] = in->strides[i];
  return GpuArray_fromdata(
      out, in->data, gg__offset_by(in, at * in->strides[axis]), in->typecode, n,
      want->dim, strides, GpuArray_ISWRITEABLE(in));
}

/* The gradient of a slice of one element at the index. */
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

/* The same; a negative index is first made to count from the start. */
static int grad_index_at(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__axis_props *p = a->props;
  gg_var *const i = gg_cast(a->in[1], GA_LONG), *const zero = gg__num(i, 0),
                *const one = gg__num(i, 1);
  gg_var *const n = gg_shape(a->in[0], (int)p->axis);
  gg_var *const at = gg_add(i, gg_where(gg_lt(i, zero), n, zero));
  gg_var *const in[5] = {a->in[0], gg__expand(gout[0], p->axis), at,
                         gg_add(at, one), one};

  gin[0] = gg_op_apply(NULL, &gg__op_slice_grad_at, p, 5, in);
  return GA_NO_ERROR;
}

const gg_op gg__op_index_at = {.name = "index_at",
                               .kind = GG_OP_VIEW,
                               .props_bytes = sizeof(gg__axis_props),
                               .n_out = 1,
                               .number_only = 1u << 1,
                               .infer = infer_index,
                               .shape = shape_index,
                               .grad = grad_index_at,
                               .view = view_index,
                               .print = gg__axis_print};

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

/* Copy input 1 to the slice of the output. */
static int prepare_place(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                         int *slot_out) {
  gg__slice_props slice;
  GpuArray part = {0};
  int err;

  slot_out[0] = 0;
  slot_in[1] = 1;
  GA_TRY(gg__slice_of(p->apply, p->number, &slice));
  GA_CHECK(gg__slice_view(&slice, p->out[0], &part));
  p->out_off[0] = part.offset - p->out[0]->offset;
  GA_CHECK(gg__prepare_copy(out, p->ctx, &part, p->in[1]));
done:
  GpuArray_clear(&part);
  return err;
}

static int prepare_slice_grad(const gg_prepare *p, GpuLaunch **out,
                              int *slot_in, int *slot_out) {
  slot_out[0] = 0;
  return p->part == 0 ? gg__prepare_zero(out, p->ctx, p->out[0])
                      : prepare_place(p, out, slot_in, slot_out);
}

/* On the host: copy input 1 to the slice of output 0. */
static int place(const gg_prepare *p) {
  gg__slice_props slice;
  const GpuArray *const x = p->in[0], *const g = p->in[1];
  size_t inner = ga__dtype_size(g->typecode), outer = 1;
  int64_t first, count;

  GA_TRY(gg__slice_of(p->apply, p->number, &slice));
  for (unsigned int d = 0; d < x->nd; d++) {
    outer *= d < slice.axis ? x->dimensions[d] : 1;
    inner *= d > slice.axis ? x->dimensions[d] : 1;
  }
  gg__slice_resolve(&slice, (int64_t)x->dimensions[slice.axis], &first, &count);
  for (size_t k = 0; k < outer; k++)
    for (int64_t i = 0; i < count; i++) {
      int64_t row =
          (int64_t)(k * x->dimensions[slice.axis]) + first + i * slice.step;
      memcpy((char *)p->to[0] + (size_t)row * inner,
             (const char *)p->from[1] + (k * (size_t)count + (size_t)i) * inner,
             inner);
    }
  return GA_NO_ERROR;
}

static int reference_slice_grad(const gg_prepare *p) {
  memset(p->to[0], 0, gg__array_bytes(p->out[0]));
  return place(p);
}

static int grad_slice_grad(const gg_apply *a, gg_var *const *gout,
                           gg_var **gin) {
  gin[1] = slice_like(a, SLICE, gout[0], NULL);
  return GA_NO_ERROR;
}

const gg_op gg__op_slice_grad = {.name = "slice_grad",
                                 .kind = GG_OP_KERNEL,
                                 .complex_use = GG_PARTS,
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
                                 .print = gg__slice_print};

const gg_op gg__op_slice_grad_at = {.name = "slice_grad_at",
                                    .kind = GG_OP_KERNEL,
                                    .complex_use = GG_PARTS,
                                    .half_ok = 1,
                                    .props_bytes = sizeof(gg__axis_props),
                                    .n_out = 1,
                                    .shape_only = 1,
                                    .number_only = 7u << 2,
                                    .infer = infer_slice_grad,
                                    .shape = gg__shape_first,
                                    .grad = grad_slice_grad,
                                    .parts = parts_slice_grad,
                                    .prepare = prepare_slice_grad,
                                    .reference = reference_slice_grad,
                                    .print = gg__axis_print};

/* --- x with a value at a slice --- */

static int shape_slice_set(const gg_apply *a, const gg_dims *in,
                           const double *const *host, gg_dims *out) {
  gg_dims want = {0, {0}};

  GA_TRY(gg__slice_sizes(a, in, host, &want));
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
  int copied;

  GA_TRY(gg__prepare_first(p, out, slot_in, slot_out, &copied));
  return copied ? GA_NO_ERROR : prepare_place(p, out, slot_in, slot_out);
}

/* Copy x, then the value to the slice. */
static int reference_slice_set(const gg_prepare *p) {
  memcpy(p->to[0], p->from[0], gg__array_bytes(p->in[0]));
  return place(p);
}

static int grad_slice_set(const gg_apply *a, gg_var *const *gout,
                          gg_var **gin) {
  gin[0] =
      slice_like(a, SLICE_SET, gout[0],
                 gg_cast(gg_zeros_like(a->in[1]), gg_var_type(gout[0])->dtype));
  gin[1] = slice_like(a, SLICE, gout[0], NULL);
  return GA_NO_ERROR;
}

const gg_op gg__op_slice_set = {.name = "slice_set",
                                .kind = GG_OP_KERNEL,
                                .complex_use = GG_PARTS,
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
                                .print = gg__slice_print};

const gg_op gg__op_slice_set_at = {.name = "slice_set_at",
                                   .kind = GG_OP_KERNEL,
                                   .complex_use = GG_PARTS,
                                   .half_ok = 1,
                                   .props_bytes = sizeof(gg__axis_props),
                                   .n_out = 1,
                                   .number_only = 7u << 2,
                                   .infer = gg__infer_first,
                                   .shape = shape_slice_set,
                                   .grad = grad_slice_set,
                                   .parts = gg__parts_first,
                                   .prepare = prepare_slice_set,
                                   .destroys = gg__destroys_first,
                                   .reference = reference_slice_set,
                                   .print = gg__axis_print};

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
  return v != NULL
             ? gg_op_apply(NULL, &gg__op_slice_set, &p, 2, (gg_var *[]){x, v})
             : NULL;
}

/* --- bounds that calls decide --- */

gg_var *gg_slice_at(gg_var *x, int axis, gg_var *start, gg_var *stop,
                    gg_var *step) {
  gg__axis_props p;
  int64_t known[3];
  gg_var *in[4] = {x};

  if (!gg__given_beside(&gg__op_slice_at, x, 3,
                        (gg_var *[]){start, stop, step}) ||
      gg__axis(x, &gg__op_slice_at, axis, &p.axis) != GA_NO_ERROR ||
      !gg__slice_bounds(&gg__op_slice_at, x, start, stop, step, in + 1))
    return NULL;
  return gg__slice_known(in + 1, known)
             ? gg_slice(x, axis, known[0], known[1], known[2])
             : gg_op_apply(NULL, &gg__op_slice_at, &p, 4, in);
}

gg_var *gg_index_at(gg_var *x, int axis, gg_var *index) {
  gg_var *in[2] = {x, index};
  gg__axis_props p;
  double at = 0;

  if (!gg__given(&gg__op_index_at, 2, in) ||
      gg__axis(x, &gg__op_index_at, axis, &p.axis) != GA_NO_ERROR ||
      !gg__check_number(&gg__op_index_at, x, index))
    return NULL;
  in[1] = gg_element(index, 0);
  return gg_var_uniform(in[1], &at) && fabs(at) < 9223372036854775808.0
             ? gg_index(x, axis, (int64_t)at)
             : gg_op_apply(NULL, &gg__op_index_at, &p, 2, in);
}

gg_var *gg_slice_set_at(gg_var *x, int axis, gg_var *start, gg_var *stop,
                        gg_var *step, gg_var *v) {
  gg__axis_props p;
  int64_t known[3];
  gg_var *in[5] = {x, v};

  if (!gg__given(&gg__op_slice_set_at, 2, in) ||
      gg__axis(x, &gg__op_slice_set_at, axis, &p.axis) != GA_NO_ERROR ||
      !gg__slice_bounds(&gg__op_slice_set_at, x, start, stop, step, in + 2))
    return NULL;
  if (gg__slice_known(in + 2, known))
    return gg_slice_set(x, axis, known[0], known[1], known[2], v);
  in[1] = gg_fill(gg_slice_at(x, axis, in[2], in[3], in[4]),
                  gg_cast(v, gg_var_type(x)->dtype));
  return in[1] != NULL ? gg_op_apply(NULL, &gg__op_slice_set_at, &p, 5, in)
                       : NULL;
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
  GA_TRY(gg__slice_check(a));
  return gg__check_ranks(a, 0, 1);
}

/* (x, part of x, bounds) */
static int check_part_of(const gg_apply *a) {
  GA_TRY(gg__check_axis(a));
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
    GG_FORM_PROPS(slice, "x", slice_fields, gg__slice_check),
    GG_FORM_PROPS(slice_grad, "xx", slice_fields, check_slice_of),
    GG_FORM_PROPS(slice_set, "XX", slice_fields, check_slice_of),
    GG_FORM_PROPS(slice_grad_at, "xxi0i0i0", gg__axis_fields, check_part_of),
    GG_FORM_PROPS(slice_set_at, "XXi0i0i0", gg__axis_fields, check_part_of),
    GG_FORM_PROPS(index, "x", index_fields, check_index),
    GG_FORM_PROPS(slice_at, "xi0i0i0", gg__axis_fields, gg__check_axis),
    GG_FORM_PROPS(index_at, "xi0", gg__axis_fields, gg__check_axis),
    GG_FORMS_END};
