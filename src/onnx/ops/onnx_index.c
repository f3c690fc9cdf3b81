/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops that read and write elements by index. */
#include <gpugraph/gather.h>
#include <gpugraph/op.h>
#include <string.h>

#include "base/err.h"
#include "onnx/ops/builders.h"

/* --- slices --- */

/* The index may have any rank. Its axes replace the axis that it selects
 * from. */
int gg__from_gather(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *index = gg__call_in(c, 1);
  const unsigned int nd = gg__call_rank(c, 0), k = gg__call_rank(c, 1);
  gg_var *sizes[2 * GG_MAX_ND];
  unsigned int n = 0;
  int axis;

  GA_TRY(gg__call_axis_attr(c, 0, nd, &axis));
  if (nd + k > GG_MAX_ND + 1)
    return ga__fail(GA_UNSUPPORTED_ERROR, "more than %d dimensions", GG_MAX_ND);
  if (k == 1) {
    c->out[0] = gg_take_axis(x, axis, index);
    return GA_NO_ERROR;
  }
  for (int i = 0; i < axis; i++)
    sizes[n++] = gg__size_of(x, i);
  for (unsigned int i = 0; i < k; i++)
    sizes[n++] = gg__size_of(index, (int)i);
  for (unsigned int i = (unsigned int)axis + 1; i < nd; i++)
    sizes[n++] = gg__size_of(x, (int)i);
  c->out[0] = gg__to_sizes(gg_take_axis(x, axis, gg_flatten(index)), n, sizes);
  return GA_NO_ERROR;
}

/* --- elements along an axis --- */

/* Nonzero if the index is known to have another size than x on axis i. */
static int is_part(const gg_var *x, const gg_var *index, int i) {
  const int64_t n = gg_var_type(index)->dims[i];

  return n != gg_var_type(x)->dims[i] && n >= 0;
}

int gg__from_gather_elements(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *index = gg__call_in(c, 1);
  const unsigned int nd = gg__call_rank(c, 0);
  int axis;

  GA_TRY(gg__call_axis_attr(c, 0, nd, &axis));
  if (gg__call_rank(c, 1) != nd)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, and %u of the indices", nd,
                    gg__call_rank(c, 1));
  for (int i = 0; i < (int)nd; i++)
    if (i != axis && is_part(x, index, i))
      x = gg_slice(x, i, 0, gg_var_type(index)->dims[i], 1);
  c->out[0] = gg_take_along(x, axis, index);
  return GA_NO_ERROR;
}

/* Put v into the part of x that the index covers. On axes other than `axis`
 * that is a slice from 0; axes before i are sliced already. */
static gg_var *scatter(gg_var *x, int i, int axis, gg_var *index, gg_var *v,
                       gg_put_op how) {
  if (x == NULL || index == NULL)
    return NULL;
  if (i == (int)gg_var_type(x)->nd)
    return gg_put_along(x, axis, index, v, how);
  if (i == axis || !is_part(x, index, i))
    return scatter(x, i + 1, axis, index, v, how);
  const int64_t n = gg_var_type(index)->dims[i];
  gg_var *part = gg_slice(x, i, 0, n, 1);
  return gg_slice_set(x, i, 0, n, 1, scatter(part, i + 1, axis, index, v, how));
}

static int read_put(const gg__onnx_call *c, gg_put_op *op) {
  static const char *const words[] = {"none", "add", "mul", "max", "min", NULL};
  int i = 0;

  GA_TRY(gg__call_word(c, "reduction", "none", words, &i));
  *op = (gg_put_op)i;
  return GA_NO_ERROR;
}

int gg__from_scatter_elements(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *index = gg__call_in(c, 1);
  gg_put_op op = GG_PUT_SET;
  int axis;

  GA_TRY(gg__call_axis_attr(c, 0, gg__call_rank(c, 0), &axis));
  GA_TRY(read_put(c, &op));
  if (gg__call_rank(c, 1) != gg__call_rank(c, 0))
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, and %u of the indices",
                    gg__call_rank(c, 0), gg__call_rank(c, 1));
  c->out[0] = scatter(x, 0, axis, index, gg__call_in(c, 2), op);
  return GA_NO_ERROR;
}

/* --- elements by tuples of indices --- */

int gg__from_gather_nd(gg__onnx_call *c) {
  const int64_t batch = gg__call_int(c, "batch_dims", 0);

  if (batch < 0 || batch > GG_MAX_ND)
    return ga__fail(GA_VALUE_ERROR, "batch_dims is %lld", (long long)batch);
  c->out[0] =
      gg_gather_nd(gg__call_in(c, 0), gg__call_in(c, 1), (unsigned int)batch);
  return GA_NO_ERROR;
}

int gg__from_scatter_nd(gg__onnx_call *c) {
  gg_put_op op = GG_PUT_SET;

  GA_TRY(read_put(c, &op));
  c->out[0] = gg_scatter_nd(gg__call_in(c, 0), gg__call_in(c, 1),
                            gg__call_in(c, 2), op);
  return GA_NO_ERROR;
}

/* --- caches of sequences --- */

/* Put v at positions first[n] ... along an axis of entry n of x; `circular`
 * positions go on at the start. */
int gg__from_tensor_scatter(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *v = gg__call_in(c, 1);
  gg_var *first = gg_cast(gg__call_in(c, 2), GA_LONG);
  const char *mode = gg__call_text(c, "mode", "linear");
  const int is_circular = strcmp(mode, "circular") == 0;
  int axis;

  if (!is_circular && strcmp(mode, "linear") != 0)
    return ga__fail(GA_VALUE_ERROR, "mode is \"%s\"", mode);
  GA_TRY(gg__call_axis_attr(c, -2, gg__call_rank(c, 0), &axis));
  if (axis == 0 || gg__call_rank(c, 1) != gg__call_rank(c, 0))
    return ga__fail(GA_VALUE_ERROR, "axis %d, %u and %u dimensions", axis,
                    gg__call_rank(c, 0), gg__call_rank(c, 1));
  gg_var *at = gg_positions(v, axis);
  if (first != NULL)
    at = gg_add(at, gg__along(first, gg__call_rank(c, 0), 0));
  if (is_circular)
    at = gg_mod(at, gg_shape(x, axis));
  c->out[0] = gg_put_along(x, axis, at, v, GG_PUT_SET);
  return GA_NO_ERROR;
}

/* Elements of the last axis: [..., n] for an index of n elements; [1, n] for a
 * vector. */
int gg__from_extract_features(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *index = gg__call_in(c, 1);

  if (gg__call_rank(c, 0) == 1)
    x = gg_expand_dims(x, 0);
  c->out[0] = gg_take_axis(x, -1, gg_flatten(index));
  return GA_NO_ERROR;
}
