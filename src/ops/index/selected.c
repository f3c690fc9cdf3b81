/* SPDX-License-Identifier: BSD-2-Clause */
/* The first elements in order along an axis, and the element of one rank. */
#include <gpugraph/gather.h>
#include <gpugraph/sizes.h>
#include <gpugraph/topk.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "ops/compose.h"
#include "ops/ops.h"
#include "ops/order/order_word.h"
#include "ops/shape/slice_bounds.h"

static int is_kth(const gg_apply *a) {
  return a->op == &gg__op_kth;
}

static unsigned int axis_of(const gg_apply *a) {
  return is_kth(a) ? ((const gg__axis_props *)a->props)->axis
                   : ((const gg__topk_props *)a->props)->axis;
}

static int flags_of(const gg_apply *a) {
  const gg__topk_props *p = a->props;

  if (is_kth(a))
    return GA_TOPK_SMALLEST;
  return (p->smallest ? GA_TOPK_SMALLEST : 0) |
         (p->unsorted ? GA_TOPK_UNSORTED : 0);
}

/* --- sizes --- */

/* Set *first and *count to the elements in order that node `a` selects of n, of
 * which the second operand says how many or which. n is GG_ANY if unknown. */
static int resolve(const gg_apply *a, const double *number, int64_t n,
                   int64_t *first, int64_t *count) {
  const int is_rank = is_kth(a);
  int64_t k = 0;

  *first = *count = 0;
  GA_TRY(gg__read_number(a, is_rank ? "rank" : "count", number, &k));
  if (is_rank && (n == GG_ANY || (k >= -n && k < n))) {
    *first = k < 0 ? k + n : k;
    *count = 1;
    return GA_NO_ERROR;
  }
  if (is_rank)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "rank %lld of an axis of %lld elements", (long long)k,
                      (long long)n);
  if (k < 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "%lld is not a size", (long long)k);
  if (n != GG_ANY && k > n)
    return gg_op_fail(a, GA_VALUE_ERROR, "%lld of an axis of %lld elements",
                      (long long)k, (long long)n);
  *first = 0;
  *count = k;
  return GA_NO_ERROR;
}

static int infer(const gg_apply *a, gg_type *out) {
  const unsigned int axis = axis_of(a);
  const gg_type *x = gg_var_type(a->in[0]);
  int64_t first = 0, count = GG_ANY;
  double k = 0;

  if (gg_var_uniform(a->in[1], &k))
    GA_TRY(resolve(a, &k, x->dims[axis], &first, &count));
  if (!is_kth(a) && count == 1)
    count = GG_ANY; /* see constant_sizes in sized.c */
  for (unsigned int i = 0; i < 2; i++) {
    out[i] = *x;
    out[i].dims[axis] = is_kth(a) ? 1 : count;
  }
  out[1].dtype = GA_LONG;
  return GA_NO_ERROR;
}

static int shape(const gg_apply *a, const gg_dims *in,
                 const double *const *host, gg_dims *out) {
  const unsigned int axis = axis_of(a);
  int64_t first, count;

  GA_TRY(resolve(a, host[1], (int64_t)in[0].dim[axis], &first, &count));
  out[0] = in[0];
  out[0].dim[axis] = (size_t)count;
  out[1] = out[0];
  return GA_NO_ERROR;
}

/* --- on the device --- */

static int prepare(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                   int *slot_out) {
  const unsigned int axis = axis_of(p->apply);
  int64_t first, count;

  GA_TRY(resolve(p->apply, p->number[1], (int64_t)p->in[0]->dimensions[axis],
                 &first, &count));
  slot_in[0] = 0;
  slot_out[0] = 1;
  slot_out[1] = 2;
  if (is_kth(p->apply))
    return GpuArray_kth_prepare(out, p->out[0], p->out[1], p->in[0],
                                (size_t)first, axis);
  return GpuArray_topk_prepare(out, p->out[0], p->out[1], p->in[0], axis,
                               flags_of(p->apply));
}

/* --- on the host --- */

/* Which elements of sorted rows are selected. */
typedef struct selection {
  gg__host_rows rows;
  gg__order_item *items; /* of one row */
  size_t first, count;
} selection;

/* Select from the row that begins at element `in` to the one at `to`. */
static void select_row(const gg_prepare *p, const selection *s, size_t in,
                       size_t to) {
  const int dtype = p->in[0]->typecode;
  const size_t size = ga__dtype_size(dtype), step = s->rows.step;
  const uint64_t flip = flags_of(p->apply) & GA_TOPK_SMALLEST ? 0 : UINT64_MAX;
  const char *from = p->from[0];

  for (size_t i = 0; i < s->rows.n; i++)
    s->items[i] = (gg__order_item){
        gg__order_word(dtype, from + (in + i * step) * size) ^ flip, i};
  gg__order_items(s->items, s->rows.n);
  for (size_t i = 0; i < s->count; i++) {
    const size_t at = s->items[s->first + i].at, k = to + i * step;
    memcpy((char *)p->to[0] + k * size, from + (in + at * step) * size, size);
    ((int64_t *)p->to[1])[k] = (int64_t)at;
  }
}

static int reference(const gg_prepare *p) {
  const gg__host_rows r = gg__host_rows_of(p->in[0], axis_of(p->apply));
  selection s = {.rows = r};
  int64_t first, count;

  GA_TRY(resolve(p->apply, p->number[1], (int64_t)r.n, &first, &count));
  s.first = (size_t)first;
  s.count = (size_t)count;
  s.items = ga__calloc(r.n, sizeof *s.items);
  if (s.items == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < r.count; i++)
    select_row(p, &s, gg__host_row(&r, i, r.n), gg__host_row(&r, i, s.count));
  ga__free(s.items);
  return GA_NO_ERROR;
}

/* --- derivatives --- */

static int connected(const gg_apply *a, unsigned int in, unsigned int out) {
  (void)a;
  return in == 0 && out == 0;
}

static int grad(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  if (gout[0] != NULL)
    gin[0] = gg_put_along(gg_zeros_like(a->in[0]), (int)axis_of(a), a->out[1],
                          gout[0], GG_PUT_SET);
  return GA_NO_ERROR;
}

static int rop(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  if (din[0] != NULL)
    dout[0] = gg_take_along(din[0], (int)axis_of(a), a->out[1]);
  return GA_NO_ERROR;
}

static void print_topk(const gg_apply *a, char *buf, size_t bytes) {
  const gg__topk_props *p = a->props;

  snprintf(buf, bytes, "axis=%u%s%s", p->axis, p->smallest ? " smallest" : "",
           p->unsorted ? " unsorted" : "");
}

#define SELECTION_OP(text, props, how)                                         \
  {                                                                            \
    .name = text, .kind = GG_OP_KERNEL, .half_ok = 1,                          \
    .props_bytes = sizeof(props), .n_out = 2, .number_only = 1u << 1,          \
    .infer = infer, .shape = shape, .grad = grad, .rop = rop,                  \
    .connected = connected, .prepare = prepare, .reference = reference,        \
    .print = how                                                               \
  }

const gg_op gg__op_topk = SELECTION_OP("topk", gg__topk_props, print_topk);
const gg_op gg__op_kth = SELECTION_OP("kth", gg__axis_props, gg__axis_print);

/* --- builders --- */

/* Apply `op` to x and k along `axis`, which *at gets. */
static gg_var *start(const gg_op *op, gg_var *x, gg_var *k, int axis,
                     unsigned int *at, gg_var **in) {
  if (!gg__given(op, 2, (gg_var *[]){x, k}) ||
      gg__axis(x, op, axis, at) != GA_NO_ERROR || !gg__check_number(op, x, k))
    return NULL;
  in[0] = x;
  in[1] = gg_element(k, 0);
  return in[1];
}

/* v with size 1 along the axis specified, if the constant k is 1. */
static gg_var *say_one(gg_var *v, gg_var *k, unsigned int axis) {
  int64_t dims[GG_MAX_ND];
  double n = 0;

  if (!gg_var_uniform(k, &n) || n != 1)
    return v;
  for (unsigned int d = 0; d < gg__rank_of(v); d++)
    dims[d] = d == axis ? 1 : GG_ANY;
  return gg_specify_shape(v, dims);
}

gg_var *gg_topk(gg_var *x, gg_var *k, int axis, int flags, gg_var **indices) {
  gg__topk_props p = {.smallest = (flags & GA_TOPK_SMALLEST) != 0,
                      .unsorted = (flags & GA_TOPK_UNSORTED) != 0};
  gg_var *in[2], *v;

  if (indices != NULL)
    *indices = NULL;
  if (start(&gg__op_topk, x, k, axis, &p.axis, in) == NULL)
    return NULL;
  if (flags & ~(GA_TOPK_SMALLEST | GA_TOPK_UNSORTED))
    return gg__refuse(&gg__op_topk, 2, in, GA_VALUE_ERROR,
                      "flags %#x are not known", (unsigned int)flags);
  v = gg_op_apply(NULL, &gg__op_topk, &p, 2, in);
  if (v == NULL)
    return NULL;
  if (indices != NULL)
    *indices = say_one(gg_var_owner(v)->out[1], in[1], p.axis);
  return say_one(v, in[1], p.axis);
}

gg_var *gg_kth(gg_var *x, gg_var *rank, int axis, gg_var **indices) {
  gg__axis_props p;
  gg_var *in[2], *v;

  if (indices != NULL)
    *indices = NULL;
  if (start(&gg__op_kth, x, rank, axis, &p.axis, in) == NULL)
    return NULL;
  v = gg_op_apply(NULL, &gg__op_kth, &p, 2, in);
  if (v == NULL)
    return NULL;
  if (indices != NULL)
    *indices = gg_index(gg_var_owner(v)->out[1], (int)p.axis, 0);
  return gg_index(v, (int)p.axis, 0);
}

/* --- in texts and files --- */

static int check_topk(const gg_apply *a) {
  return gg__check_axis_of(a, 0, axis_of(a));
}

static const gg_field fields[] = {
    {GG_FIELD("axis", UINT, gg__topk_props, axis)},
    {GG_FIELD("smallest", FLAG, gg__topk_props, smallest), .optional = 1},
    {GG_FIELD("unsorted", FLAG, gg__topk_props, unsorted), .optional = 1}};

const gg_op_form gg__forms_selected[] = {
    GG_FORM_PROPS(topk, "xi0", fields, check_topk),
    GG_FORM_PROPS(kth, "xi0", gg__axis_fields, check_topk), GG_FORMS_END};
