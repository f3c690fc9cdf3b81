/* SPDX-License-Identifier: BSD-2-Clause */
/* Joining along an axis, and its inverse "part": the part of a joined variable
 * that came from one operand. */
#include <gpuarray/create.h>
#include <stdio.h>
#include <string.h>

#include "ops/ops.h"
#include "ops/shape/slice_bounds.h"

/* --- join --- */

/* Sizes along the axis add up; the others must agree. */
static int infer_join(const gg_apply *a, gg_type *out) {
  const gg__axis_props *p = a->props;

  *out = *gg_var_type(a->in[0]);
  GA_ASSERT(p->axis < out->nd && a->n_in <= GG_MAX_JOIN);
  for (unsigned int i = 1; i < a->n_in; i++) {
    const gg_type *t = gg_var_type(a->in[i]);
    if (t->nd != out->nd)
      return gg_op_fail(a, GA_VALUE_ERROR, "operand %u has %u dimensions", i,
                        t->nd);
    for (unsigned int k = 0; k < t->nd; k++) {
      if (k == p->axis)
        continue;
      if (out->dims[k] == GG_ANY)
        out->dims[k] = t->dims[k];
      if (t->dims[k] != GG_ANY && t->dims[k] != out->dims[k])
        return gg_op_fail(a, GA_VALUE_ERROR,
                          "dim %u: operand %u has %lld, others %lld", k, i,
                          (long long)t->dims[k], (long long)out->dims[k]);
    }
    if (out->dims[p->axis] != GG_ANY)
      out->dims[p->axis] = t->dims[p->axis] == GG_ANY
                               ? GG_ANY
                               : out->dims[p->axis] + t->dims[p->axis];
  }
  return GA_NO_ERROR;
}

static int shape_join(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  const gg__axis_props *p = a->props;

  (void)host;
  *out = in[0];
  for (unsigned int i = 1; i < a->n_in; i++) {
    for (unsigned int k = 0; k < in[i].nd; k++)
      if (k != p->axis && in[i].dim[k] != out->dim[k])
        return gg_op_fail(a, GA_VALUE_ERROR,
                          "dim %u: operand %u has %zu, operand 0 has %zu", k, i,
                          in[i].dim[k], out->dim[k]);
    out->dim[p->axis] += in[i].dim[p->axis];
  }
  return GA_NO_ERROR;
}

/* A view of n positions along `axis`, from `first` on. */
static int view_range(const GpuArray *in, unsigned int axis, size_t first,
                      size_t n, GpuArray *out) {
  size_t dims[GG_MAX_ND], off = in->offset;

  for (unsigned int i = 0; i < in->nd; i++)
    dims[i] = in->dimensions[i];
  dims[axis] = n;
  if (n != 0)
    off = gg__offset_by(in, (int64_t)first * in->strides[axis]);
  return GpuArray_fromdata(out, in->data, off, in->typecode, in->nd, dims,
                           in->strides, GpuArray_ISWRITEABLE(in));
}

/* Can one launch write whole rows, because they are short? */
static int is_narrow(const gg_prepare *p) {
  const gg__axis_props *props = p->apply->props;
  const GpuArray *const out = p->out[0];
  size_t bytes = ga__dtype_size(out->typecode);

  for (unsigned int i = props->axis; i < out->nd; i++)
    bytes *= out->dimensions[i];
  for (unsigned int i = 0; i < p->n_in; i++) {
    if (!GpuArray_IS_C_CONTIGUOUS(p->in[i]))
      return 0;
  }
  return GpuArray_IS_C_CONTIGUOUS(out) && p->n_in <= GPUARRAY_JOIN_PARTS &&
         bytes <= GPUARRAY_JOIN_BYTES;
}

static unsigned int parts_join(const gg_prepare *p) {
  return is_narrow(p) ? 1 : p->n_in;
}

static int prepare_join(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out) {
  const gg__axis_props *props = p->apply->props;
  GpuArray part = {0};
  size_t first = 0;
  int err;

  if (is_narrow(p)) {
    slot_out[0] = 0;
    for (unsigned int i = 0; i < p->n_in; i++)
      slot_in[i] = (int)i + 1;
    return GpuArray_join_prepare(out, p->out[0], (const GpuArray **)p->in,
                                 p->n_in, props->axis);
  }
  slot_out[0] = 0;
  slot_in[p->part] = 1;
  for (unsigned int i = 0; i < p->part; i++)
    first += p->in[i]->dimensions[props->axis];
  GA_CHECK(view_range(p->out[0], props->axis, first,
                      p->in[p->part]->dimensions[props->axis], &part));
  p->out_off[0] = part.offset - p->out[0]->offset;
  GA_CHECK(gg__prepare_copy(out, p->ctx, &part, p->in[p->part]));
done:
  GpuArray_clear(&part);
  return err;
}

static int reference_join(const gg_prepare *p) {
  const gg__axis_props *props = p->apply->props;
  const GpuArray *const out = p->out[0];
  size_t inner = ga__dtype_size(out->typecode), outer = 1, row, done = 0;

  for (unsigned int i = 0; i < out->nd; i++) {
    outer *= i < props->axis ? out->dimensions[i] : 1;
    inner *= i > props->axis ? out->dimensions[i] : 1;
  }
  for (unsigned int i = 0; i < p->n_in; i++, done += row) {
    row = p->in[i]->dimensions[props->axis] * inner;
    for (size_t k = 0; k < outer; k++)
      memcpy((char *)p->to[0] + k * inner * out->dimensions[props->axis] + done,
             (const char *)p->from[i] + k * row, row);
  }
  return GA_NO_ERROR;
}

/* The gradient of operand i is its part of g. */
static int grad_join(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__axis_props *p = a->props;
  gg_var *in[GG_MAX_JOIN + 1];
  gg__part_props part = {p->axis, 0};

  in[0] = gout[0];
  for (unsigned int i = 0; i < a->n_in; i++)
    in[i + 1] = a->in[i];
  for (; part.part < a->n_in; part.part++)
    gin[part.part] = gg_op_apply(NULL, &gg__op_part, &part, a->n_in + 1, in);
  return GA_NO_ERROR;
}

const gg_op gg__op_join = {.name = "join",
                           .kind = GG_OP_KERNEL,
                           .complex_use = GG_PARTS,
                           .half_ok = 1,
                           .props_bytes = sizeof(gg__axis_props),
                           .n_out = 1,
                           .infer = infer_join,
                           .shape = shape_join,
                           .grad = grad_join,
                           .parts = parts_join,
                           .prepare = prepare_join,
                           .reference = reference_join,
                           .print = gg__axis_print};

gg_var *gg_join(int axis, unsigned int n, gg_var *const *x) {
  gg_var *in[GG_MAX_JOIN];
  gg__axis_props p;
  int dtype = GA_BOOL;

  if (n == 0 || !gg__given(&gg__op_join, n, x))
    return NULL;
  for (unsigned int i = 0; i < n; i++)
    dtype = gg__common_dtype(dtype, gg_var_type(x[i])->dtype);
  if (n > GG_MAX_JOIN)
    return gg__refuse(&gg__op_join, 1, x, GA_VALUE_ERROR,
                      "%u operands are more than %d", n, GG_MAX_JOIN);
  if (gg__axis(x[0], &gg__op_join, axis, &p.axis) != GA_NO_ERROR)
    return NULL;
  for (unsigned int i = 0; i < n; i++)
    in[i] = gg_cast(x[i], dtype);
  return n == 1 ? in[0] : gg_op_apply(NULL, &gg__op_join, &p, n, in);
}

/* --- part --- */

static int infer_part(const gg_apply *a, gg_type *out) {
  const gg__part_props *p = a->props;

  *out = *gg_var_type(a->in[0]);
  GA_ASSERT(p->axis < out->nd && p->part + 1 < a->n_in);
  out->dims[p->axis] = gg_var_type(a->in[1 + p->part])->dims[p->axis];
  return GA_NO_ERROR;
}

static int shape_part(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  const gg__part_props *p = a->props;

  (void)host;
  *out = in[0];
  out->dim[p->axis] = in[1 + p->part].dim[p->axis];
  return GA_NO_ERROR;
}

static int view_part(const gg_apply *a, unsigned int which, const GpuArray *in,
                     const gg_dims *dims, const double *const *number,
                     const gg_dims *want, GpuArray *out) {
  const gg__part_props *p = a->props;
  size_t first = 0;

  (void)which;
  (void)number;
  for (unsigned int i = 0; i < p->part; i++)
    first += dims[1 + i].dim[p->axis];
  return view_range(in, p->axis, first, want->dim[p->axis], out);
}

/* The gradient is zero in the other parts. */
static int grad_part(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__part_props *p = a->props;
  gg_var *x[GG_MAX_JOIN];

  for (unsigned int i = 1; i < a->n_in; i++)
    x[i - 1] =
        i - 1 == p->part ? gout[0] : gg_fill(a->in[i], gg__num(gout[0], 0));
  gin[0] = gg_join((int)p->axis, a->n_in - 1, x);
  return GA_NO_ERROR;
}

static void print_part(const gg_apply *a, char *buf, size_t bytes) {
  const gg__part_props *p = a->props;

  snprintf(buf, bytes, "axis=%u part=%u", p->axis, p->part);
}

const gg_op gg__op_part = {.name = "part",
                           .kind = GG_OP_VIEW,
                           .props_bytes = sizeof(gg__part_props),
                           .n_out = 1,
                           .shape_only = ~1u,
                           .infer = infer_part,
                           .shape = shape_part,
                           .grad = grad_part,
                           .view = view_part,
                           .print = print_part};

/* --- in texts and files --- */

/* All operands must have the rank of operand 0. Those from `first` on are
 * joined, at most GG_MAX_JOIN. */
static int check_operands(const gg_apply *a, unsigned int first) {
  if (a->n_in - first > GG_MAX_JOIN)
    return gg_op_fail(a, GA_VALUE_ERROR, "%u operands are more than %u",
                      a->n_in, first + GG_MAX_JOIN);
  for (unsigned int i = 1; i < a->n_in; i++)
    GA_TRY(gg__check_ranks(a, 0, i));
  return GA_NO_ERROR;
}

static int check_join(const gg_apply *a) {
  GA_TRY(check_operands(a, 0));
  return gg__check_axis(a);
}

static int check_part(const gg_apply *a) {
  const gg__part_props *p = a->props;

  GA_TRY(check_operands(a, 1));
  if (p->part >= a->n_in - 1)
    return gg_op_fail(a, GA_VALUE_ERROR, "there is no part %u", p->part);
  return gg__check_axis_of(a, 0, p->axis);
}

static const gg_field part_fields[] = {
    {GG_FIELD("axis", UINT, gg__part_props, axis)},
    {GG_FIELD("part", UINT, gg__part_props, part)}};

const gg_op_form gg__forms_concat[] = {
    GG_FORM_PROPS(join, "X+", gg__axis_fields, check_join),
    GG_FORM_PROPS(part, "xx+", part_fields, check_part), GG_FORMS_END};
