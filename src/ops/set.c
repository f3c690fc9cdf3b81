/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows that are set or added to by index, and slices that are set. */
#include <gpuarray/index.h>
#include <stdio.h>
#include <string.h>

#include "ops/ops.h"
#include "ops/value_size.h"

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

/* --- slice_set --- */

static int shape_slice_set(const gg_apply *a, const gg_dims *in,
                           const double *const *host, gg_dims *out) {
  gg_dims want = {0, {0}};

  GA_TRY(gg__op_slice.shape(a, in, host, &want));
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
  GA_CHECK(gg__op_slice.view(p->apply, 0, p->out[0], NULL, NULL, &part));
  p->out_off[0] = part.offset - p->out[0]->offset;
  GA_CHECK(gg__prepare_copy(out, p->ctx, &part, p->in[1]));
done:
  GpuArray_clear(&part);
  return err;
}

/* The value between what of x is not in the slice. */
static int reference_slice_set(const gg_prepare *p) {
  memcpy(p->to[0], p->from[0], gg__array_bytes(p->in[0]));
  gg__slice_place(p);
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

static void print_slice_set(const gg_apply *a, char *buf, size_t bytes) {
  gg__op_slice.print(a, buf, bytes);
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
                                .print = print_slice_set};

/* --- builders --- */

/* x with axis `axis` first, or back again. */
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

static int is_integer(const gg_var *v) {
  const ga__kind kind = ga__dtype_kind(gg_var_type(v)->dtype);

  return kind == GA_KIND_INT || kind == GA_KIND_UINT;
}

static gg_var *put_axis(gg_var *x, int axis, gg_var *index, gg_var *v,
                        int add) {
  gg_var *const in[3] = {x, index, v};
  unsigned int k;

  if (!gg__given(&gg__op_put, 3, in) ||
      gg__axis(x, &gg__op_put, axis, &k) != GA_NO_ERROR)
    return NULL;
  if (gg_var_type(index)->nd != 1 || !is_integer(index))
    return gg__refuse(&gg__op_put, 3, in, GA_VALUE_ERROR,
                      "expected a vector of integers");
  /* Only the shape of what is taken matters. */
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

gg_var *gg__put_add_rows(gg_var *x, gg_var *index, gg_var *v) {
  return put(x, index, v, 1);
}

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
