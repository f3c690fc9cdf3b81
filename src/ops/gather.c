/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows by index: take, set, add. */
#include <gpuarray/index.h>
#include <stdio.h>
#include <string.h>

#include "ops/ops.h"

/* --- take --- */

static int infer_take(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  GA_ASSERT(out->nd != 0 && gg__rank(a, 1) == 1);
  out->dims[0] = gg_var_type(a->in[1])->dims[0];
  return GA_NO_ERROR;
}

static int shape_take(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  (void)host;
  *out = in[0];
  out->dim[0] = in[1].dim[0];
  if (in[0].dim[0] == 0 && in[1].dim[0] != 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "there are no rows to take");
  return GA_NO_ERROR;
}

static int prepare_take(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out) {
  slot_out[0] = 0;
  slot_in[0] = 1;
  slot_in[1] = 2;
  return GpuArray_take1_prepare(out, p->out[0], p->in[0], p->in[1]);
}

static int reference_take(const gg_prepare *p) {
  const GpuArray *const x = p->in[0], *const index = p->in[1];
  const size_t rows = x->dimensions[0];
  size_t bytes = ga__dtype_size(x->typecode);

  for (size_t i = 1; i < x->nd; i++)
    bytes *= x->dimensions[i];
  for (size_t i = 0; i < index->dimensions[0]; i++) {
    double at = ga__dtype_to_double(index->typecode,
                                    (const char *)p->from[1] +
                                        i * ga__dtype_size(index->typecode));
    at += at < 0 ? (double)rows : 0;
    at = at < 0 ? 0 : at >= (double)rows ? (double)rows - 1 : at;
    memcpy((char *)p->to[0] + i * bytes,
           (const char *)p->from[0] + (size_t)at * bytes, bytes);
  }
  return GA_NO_ERROR;
}

static int grad_take(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const in[3] = {a->in[0], a->in[1], gout[0]};

  gin[0] = gg_op_apply(NULL, &gg__op_take_grad, NULL, 3, in);
  return GA_NO_ERROR;
}

const gg_op gg__op_take = {.name = "take",
                           .kind = GG_OP_KERNEL,
                           .half_ok = 1,
                           .n_out = 1,
                           .infer = infer_take,
                           .shape = shape_take,
                           .grad = grad_take,
                           .prepare = prepare_take,
                           .reference = reference_take};

gg_var *gg_take(gg_var *x, gg_var *index) {
  gg_var *in[2] = {x, index};

  if (!gg__given(&gg__op_take, 2, in))
    return NULL;
  if (gg_var_type(x)->nd == 0 || gg_var_type(index)->nd != 1 ||
      !gg__is_integer(gg_var_type(index)->dtype))
    return gg__refuse(&gg__op_take, 2, in, GA_VALUE_ERROR,
                      "expected rows and a vector of integers");
  return gg_op_apply(NULL, &gg__op_take, NULL, 2, in);
}

/* --- put --- */

static int shape_put(const gg_apply *a, const gg_dims *in,
                     const double *const *host, gg_dims *out) {
  (void)host;
  *out = in[0];
  for (unsigned int i = 0; i < in[0].nd; i++) {
    size_t want = i == 0 ? in[1].dim[0] : in[0].dim[i];
    if (in[2].dim[i] != want)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: the values have %zu, expected %zu", i,
                        in[2].dim[i], want);
  }
  return GA_NO_ERROR;
}

static int prepare_put(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                       int *slot_out) {
  const gg__put_props *props = p->apply->props;
  int done;

  GA_TRY(gg__prepare_first(p, out, slot_in, slot_out, &done));
  if (done)
    return GA_NO_ERROR;
  slot_out[0] = 0;
  slot_in[2] = 1;
  slot_in[1] = 2;
  return GpuArray_put_prepare(out, p->out[0], p->in[1], p->in[2], 0,
                              props->add ? GA_PUT_ADD : GA_PUT_SET);
}

/* Add n elements at `from` to those at `to`. */
static void add_row(int dtype, char *to, const char *from, size_t n) {
  const size_t size = ga__dtype_size(dtype);

  for (size_t i = 0; i < n * size; i += size)
    ga__dtype_from_double(dtype, to + i,
                          ga__dtype_to_double(dtype, to + i) +
                              ga__dtype_to_double(dtype, from + i));
}

static int reference_put(const gg_prepare *p) {
  const gg__put_props *props = p->apply->props;
  const GpuArray *const x = p->in[0], *const index = p->in[1];
  const size_t item = ga__dtype_size(index->typecode);
  const double rows = (double)x->dimensions[0];
  size_t n = 1;

  for (size_t i = 1; i < x->nd; i++)
    n *= x->dimensions[i];
  size_t bytes = n * ga__dtype_size(x->typecode);
  memcpy(p->to[0], p->from[0], x->dimensions[0] * bytes);
  for (size_t i = 0; i < index->dimensions[0]; i++) {
    double at = ga__dtype_to_double(index->typecode,
                                    (const char *)p->from[1] + i * item);
    at += at < 0 ? rows : 0;
    if (at < 0 || at >= rows)
      continue;
    char *to = (char *)p->to[0] + (size_t)at * bytes;
    const char *from = (const char *)p->from[2] + i * bytes;
    if (props->add)
      add_row(x->typecode, to, from, n);
    else
      memcpy(to, from, bytes);
  }
  return GA_NO_ERROR;
}

static gg_var *put(gg_var *x, gg_var *index, gg_var *v, int add) {
  const gg__put_props p = {add};
  gg_var *const in[3] = {x, index, v};

  return gg_op_apply(NULL, &gg__op_put, &p, 3, in);
}

static int grad_put(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__put_props *p = a->props;

  gin[0] =
      p->add
          ? gout[0]
          : put(gout[0], a->in[1],
                gg_cast(gg_zeros_like(a->in[2]), gg_var_type(gout[0])->dtype),
                0);
  gin[2] = gg_take(gout[0], a->in[1]);
  return GA_NO_ERROR;
}

static void print_put(const gg_apply *a, char *buf, size_t bytes) {
  const gg__put_props *p = a->props;

  snprintf(buf, bytes, "%s", p->add ? "add" : "");
}

const gg_op gg__op_put = {.name = "put",
                          .kind = GG_OP_KERNEL,
                          .half_ok = 1,
                          .props_bytes = sizeof(gg__put_props),
                          .n_out = 1,
                          .infer = gg__infer_first,
                          .shape = shape_put,
                          .grad = grad_put,
                          .parts = gg__parts_first,
                          .prepare = prepare_put,
                          .destroys = gg__destroys_first,
                          .reference = reference_put,
                          .print = print_put};

/* --- the gradient of take --- */

static int infer_take_grad(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  out->dtype = gg_var_type(a->in[2])->dtype;
  return GA_NO_ERROR;
}

/* Rows are added in the order of the indices, so that two runs give the same
 * bits. Indices out of range are clamped, as in take. */
static int lower_take_grad(const gg_apply *a, gg_var **out) {
  gg_var *const x = a->in[0], *const g = a->in[2];
  gg_var *const zero = gg_i64(gg_var_graph(x), 0);
  gg_var *const one = gg_i64(gg_var_graph(x), 1);
  gg_var *const n = gg_shape(x, 0);
  gg_var *index = a->in[1];

  index = gg_where(gg_lt(index, zero), gg_add(index, n), index);
  index = gg_clip(index, zero, gg_sub(n, one));
  out[0] = put(gg_fill(x, gg__num(g, 0)), index, g, 1);
  return GA_NO_ERROR;
}

static int grad_take_grad(const gg_apply *a, gg_var *const *gout,
                          gg_var **gin) {
  gin[2] = gg_take(gout[0], a->in[1]);
  return GA_NO_ERROR;
}

const gg_op gg__op_take_grad = {.name = "take_grad",
                                .kind = GG_OP_MACRO,
                                .n_out = 1,
                                .shape_only = 1,
                                .infer = infer_take_grad,
                                .shape = gg__shape_first,
                                .grad = grad_take_grad,
                                .lower = lower_take_grad};

/* --- builders --- */

/* x with axis `axis` moved to the front, or back. */
static gg_var *turned(gg_var *x, unsigned int axis, int back) {
  int pattern[GG_MAX_ND];

  if (x == NULL || axis == 0)
    return x;
  unsigned int nd = gg_var_type(x)->nd;
  for (unsigned int i = 0; i < nd; i++)
    pattern[i] = (int)i;
  for (unsigned int i = 0; i <= axis; i++)
    pattern[i] =
        back ? (i == axis ? 0 : (int)i + 1) : (i == 0 ? (int)axis : (int)i - 1);
  return gg_dimshuffle(x, nd, pattern);
}

gg_var *gg_take_axis(gg_var *x, int axis, gg_var *index) {
  unsigned int k;

  if (!gg__given(&gg__op_take, 2, (gg_var *[]){x, index}) ||
      gg__axis(x, &gg__op_take, axis, &k) != GA_NO_ERROR)
    return NULL;
  return turned(gg_take(turned(x, k, 0), index), k, 1);
}

static gg_var *put_axis(gg_var *x, int axis, gg_var *index, gg_var *v,
                        int add) {
  gg_var *const in[3] = {x, index, v};
  unsigned int k;

  if (!gg__given(&gg__op_put, 3, in) ||
      gg__axis(x, &gg__op_put, axis, &k) != GA_NO_ERROR)
    return NULL;
  if (gg_var_type(index)->nd != 1 || !gg__is_integer(gg_var_type(index)->dtype))
    return gg__refuse(&gg__op_put, 3, in, GA_VALUE_ERROR,
                      "expected a vector of integers");
  /* Used for its shape alone. */
  gg_var *part = gg_take_axis(x, (int)k, index);
  v = gg_fill(part, gg_cast(v, gg_var_type(x)->dtype));
  return turned(put(turned(x, k, 0), index, turned(v, k, 0), add), k, 1);
}

gg_var *gg_put(gg_var *x, int axis, gg_var *index, gg_var *v) {
  return put_axis(x, axis, index, v, 0);
}

gg_var *gg_put_add(gg_var *x, int axis, gg_var *index, gg_var *v) {
  return put_axis(x, axis, index, v, 1);
}

/* --- in texts and files --- */

/* (x, index, values) */
static int check_values(const gg_apply *a) {
  GA_TRY(gg__check_not_scalar(a));
  return gg__check_ranks(a, 0, 2);
}

static const gg_field put_fields[] = {
    {GG_FIELD("add", FLAG, gg__put_props, add), .optional = 1}};

const gg_op_form gg__forms_gather[] = {
    GG_FORM(take, "xi1", gg__check_not_scalar),
    GG_FORM(take_grad, "xi1x", check_values),
    GG_FORM_PROPS(put, "Xi1X", put_fields, check_values), GG_FORMS_END};
