/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops that rearrange elements, and ops whose values are sizes. */
#include <gpugraph/op.h>
#include <gpugraph/sizes.h>
#include <string.h>

#include "base/err.h"
#include "onnx/ops/builders.h"

/* --- sizes as values --- */

int gg__from_shape(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *sizes[GG_MAX_ND];
  const int64_t nd = gg__call_rank(c, 0);
  int64_t start = gg__call_int(c, "start", 0), end = gg__call_int(c, "end", nd);
  size_t n = 0;

  start = start < 0 ? start + nd : start;
  end = end < 0 ? end + nd : end > nd ? nd : end;
  for (int64_t i = start < 0 ? 0 : start; i < end; i++)
    sizes[n++] = gg__size_of(x, (int)i);
  c->out[0] = n == 0 ? gg_constant(c->g, GA_LONG, 1, &n, "")
                     : gg_vector((unsigned int)n, sizes);
  return GA_NO_ERROR;
}

int gg__from_size(gg__onnx_call *c) {
  c->out[0] = gg__span(gg__call_in(c, 0), 0, gg__call_rank(c, 0));
  return GA_NO_ERROR;
}

/* --- reshapes --- */

static int is_constant(const gg_var *v, int64_t value) {
  const void *data = v == NULL ? NULL : gg_var_data(v);

  return data != NULL && gg__dtype_of(v) == GA_LONG &&
         *(const int64_t *)data == value;
}

/* Replace size i by that of the input if it is 0, or if calls find it 0. */
static int keep_size(gg__onnx_call *c, unsigned int i, gg_var **size) {
  const int open = *size != NULL && gg_var_data(*size) == NULL;

  if (open && i < gg__call_rank(c, 0))
    *size = gg_where(
        gg_eq(*size, gg__like(*size, 0)),
        gg_cast(gg_shape(gg__call_in(c, 0), (int)i), gg__dtype_of(*size)),
        *size);
  if (!is_constant(*size, 0))
    return GA_NO_ERROR;
  if (i >= gg__call_rank(c, 0))
    return ga__fail(GA_VALUE_ERROR, "dim %u is 0, and the input has none", i);
  *size = gg__size_of(gg__call_in(c, 0), (int)i);
  return GA_NO_ERROR;
}

int gg__from_reshape(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *sizes[GG_MAX_ND];
  const int keep = gg__call_int(c, "allowzero", 0) == 0;
  size_t n;

  GA_TRY(gg__call_sizes(c, 1, GG_MAX_ND, &n, sizes));
  for (unsigned int i = 0; keep && i < n; i++)
    GA_TRY(keep_size(c, i, &sizes[i]));
  c->out[0] = gg__to_sizes(x, (unsigned int)n, sizes);
  return GA_NO_ERROR;
}

int gg__from_flatten(gg__onnx_call *c) {
  const int64_t nd = gg__call_rank(c, 0), axis = gg__call_int(c, "axis", 1);

  if (axis < -nd || axis > nd)
    return ga__fail(GA_VALUE_ERROR, "axis %lld of %lld", (long long)axis,
                    (long long)nd);
  c->out[0] = gg__as_matrix(gg__call_in(c, 0),
                            (unsigned int)(axis < 0 ? axis + nd : axis));
  return GA_NO_ERROR;
}

/* The axes that the attribute or input 1 gives; *n is 0 if there is neither. */
static int read_axes(gg__onnx_call *c, size_t *n, int64_t *axes) {
  const int64_t *list = gg__call_ints(c, "axes", n);

  if (*n > GG_MAX_ND)
    return ga__fail(GA_VALUE_ERROR, "%zu axes", *n);
  if (*n > 0)
    memcpy(axes, list, *n * sizeof *list);
  else if (gg__call_has(c, 1))
    return gg__call_known(c, 1, GG_MAX_ND, n, axes);
  return GA_NO_ERROR;
}

/* Set bit i of *mask for each axis i in a list. GA_VALUE_ERROR if one is listed
 * twice. */
static int mark_axes(size_t n, const int64_t *axes, unsigned int nd,
                     unsigned int *mask) {
  int axis;

  *mask = 0;
  for (size_t i = 0; i < n; i++) {
    GA_TRY(gg__call_axis(axes[i], nd, &axis));
    if (*mask >> axis & 1)
      return ga__fail(GA_VALUE_ERROR, "axis %d is listed twice", axis);
    *mask |= 1u << axis;
  }
  return GA_NO_ERROR;
}

int gg__from_squeeze(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  const unsigned int nd = gg__call_rank(c, 0);
  int pattern[GG_MAX_ND];
  int64_t axes[GG_MAX_ND];
  unsigned int mask, left = 0;
  size_t n;

  GA_TRY(read_axes(c, &n, axes));
  GA_TRY(mark_axes(n, axes, nd, &mask));
  for (unsigned int i = 0; n == 0 && i < nd; i++) {
    if (gg_var_type(x)->dims[i] < 0)
      return ga__fail(GA_UNSUPPORTED_ERROR,
                      "without axes, the size of dim %u must be known", i);
    mask |= (gg_var_type(x)->dims[i] == 1 ? 1u : 0u) << i;
  }
  for (unsigned int i = 0; i < nd; i++)
    if ((mask >> i & 1) == 0)
      pattern[left++] = (int)i;
  c->out[0] = gg_dimshuffle(x, left, pattern);
  return GA_NO_ERROR;
}

int gg__from_unsqueeze(gg__onnx_call *c) {
  const unsigned int nd = gg__call_rank(c, 0);
  int pattern[GG_MAX_ND], next = 0;
  int64_t axes[GG_MAX_ND];
  unsigned int mask;
  size_t n;

  GA_TRY(read_axes(c, &n, axes));
  if (nd + n > GG_MAX_ND)
    return ga__fail(GA_UNSUPPORTED_ERROR, "more than %d dimensions", GG_MAX_ND);
  const unsigned int all = nd + (unsigned int)n;
  GA_TRY(mark_axes(n, axes, all, &mask));
  for (unsigned int i = 0; i < all; i++)
    pattern[i] = mask >> i & 1 ? -1 : next++;
  c->out[0] = gg_dimshuffle(gg__call_in(c, 0), all, pattern);
  return GA_NO_ERROR;
}

int gg__from_transpose(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  const unsigned int nd = gg__call_rank(c, 0);
  int pattern[GG_MAX_ND];
  size_t n;
  const int64_t *perm = gg__call_ints(c, "perm", &n);

  if (n != 0 && n != nd)
    return ga__fail(GA_VALUE_ERROR, "perm has %zu axes, the input %u", n, nd);
  for (size_t i = 0; i < nd; i++)
    GA_TRY(gg__call_axis(n == 0 ? (int64_t)(nd - 1 - i) : perm[i], nd,
                         &pattern[i]));
  c->out[0] = gg_dimshuffle(x, nd, pattern);
  return GA_NO_ERROR;
}

static const char *const orders[] = {"DCR", "CRD", NULL};

/* [n, c, h, w] to [n, c / b^2, h b, w b]. In mode CRD the channel index is (c,
 * block row, block column), in DCR (block row, block column, c). */
int gg__from_depth_to_space(gg__onnx_call *c) {
  static const int dcr[] = {0, 3, 4, 1, 5, 2}, crd[] = {0, 1, 4, 2, 5, 3};
  gg_var *x = gg__call_in(c, 0);
  const int64_t b = gg__call_int(c, "blocksize", 0);
  gg_graph *g = c->g;
  int is_crd;

  GA_TRY(gg__call_word(c, "mode", orders[0], orders, &is_crd));
  if (b <= 0 || b > INT32_MAX || gg__call_rank(c, 0) != 4 ||
      gg_var_type(x)->dims[1] < 0 || gg_var_type(x)->dims[1] % (b * b) != 0)
    return ga__fail(GA_VALUE_ERROR, "blocksize %lld", (long long)b);
  gg_var *rest = gg_i64(g, gg_var_type(x)->dims[1] / (b * b));
  gg_var *n = gg__size_of(x, 0), *h = gg__size_of(x, 2), *w = gg__size_of(x, 3);
  gg_var *block = gg_i64(g, b);
  gg_var *apart[] = {n, is_crd ? rest : block, block, is_crd ? block : rest, h,
                     w};
  gg_var *mixed =
      gg_dimshuffle(gg__to_sizes(x, 6, apart), 6, is_crd ? crd : dcr);
  gg_var *joined[] = {n, rest, gg__span(mixed, 2, 4), gg__span(mixed, 4, 6)};
  c->out[0] = gg__to_sizes(mixed, 4, joined);
  return GA_NO_ERROR;
}

/* [n, c, h b, w b] to [n, b b c, h, w], in mode CRD [n, c b b, h, w]. */
int gg__from_space_to_depth(gg__onnx_call *c) {
  static const int dcr[] = {0, 3, 5, 1, 2, 4}, crd[] = {0, 1, 3, 5, 2, 4};
  const int64_t b = gg__call_int(c, "blocksize", 0);
  gg_var *x = gg__call_in(c, 0);
  int is_crd;

  GA_TRY(gg__call_word(c, "mode", orders[0], orders, &is_crd));
  if (b <= 0 || gg__call_rank(c, 0) != 4)
    return ga__fail(GA_VALUE_ERROR, "blocksize %lld", (long long)b);
  gg_var *block = gg_i64(c->g, b);
  gg_var *h = gg__over(gg__size_of(x, 2), b),
         *w = gg__over(gg__size_of(x, 3), b);
  gg_var *apart[] = {gg__size_of(x, 0), gg__size_of(x, 1), h, block, w, block};
  gg_var *mixed =
      gg_dimshuffle(gg__to_sizes(x, 6, apart), 6, is_crd ? crd : dcr);
  gg_var *joined[] = {gg__size_of(x, 0), gg__span(mixed, 1, 4), h, w};
  c->out[0] = gg__to_sizes(mixed, 4, joined);
  return GA_NO_ERROR;
}

/* --- joins and parts --- */

int gg__from_concat(gg__onnx_call *c) {
  gg_var **x = ga__arena_alloc(c->b->arena, c->n_in * sizeof *x + 1);
  int axis;

  if (x == NULL)
    return ga__fail_nomem();
  GA_TRY(gg__call_axis_attr(c, 0, gg__call_rank(c, 0), &axis));
  for (size_t i = 0; i < c->n_in; i++)
    x[i] = gg__call_in(c, i);
  c->out[0] = gg_join(axis, (unsigned int)c->n_in, x);
  return GA_NO_ERROR;
}

/* The sizes of the parts, c->n_out of them. If the model does not give them,
 * they are equal, and the last ones may be smaller. `size` is that of the axis,
 * or negative if it is open. */
static int part_sizes(gg__onnx_call *c, int64_t size, int64_t *parts) {
  const int64_t count = (int64_t)c->n_out;
  const int64_t each = size / count + (size % count > 0);
  size_t n;
  const int64_t *list = gg__call_ints(c, "split", &n);

  if (gg__call_int(c, "num_outputs", count) != count)
    return ga__fail(GA_VALUE_ERROR, "num_outputs is %lld, of %lld outputs",
                    (long long)gg__call_int(c, "num_outputs", count),
                    (long long)count);
  if (n == 0 && gg__call_has(c, 1))
    GA_TRY(gg__call_known(c, 1, c->n_out, &n, parts));
  else if (n == c->n_out)
    memcpy(parts, list, n * sizeof *list);
  if (n != 0 && n != c->n_out)
    return ga__fail(GA_VALUE_ERROR, "%zu sizes of %zu parts", n, c->n_out);
  if (n == 0 && size < 0)
    return ga__fail(GA_UNSUPPORTED_ERROR, "the size of the axis must be known");
  for (int64_t i = 0; n == 0 && i < count; i++) {
    parts[i] = each < size ? each : size;
    size -= parts[i];
  }
  return GA_NO_ERROR;
}

/* Cut x along an axis into parts of these sizes. If the axis is open, calls
 * check that it has as many elements as all of them. */
static int cut(gg__onnx_call *c, gg_var *x, int axis, const int64_t *parts) {
  int64_t dims[GG_MAX_ND], all = 0, at = 0;
  const int64_t size = gg_var_type(x)->dims[axis];

  for (size_t i = 0; i < c->n_out; i++) {
    if (parts[i] < 0 || parts[i] > (size >= 0 ? size : INT64_MAX) - all)
      return ga__fail(GA_VALUE_ERROR, "part %zu has size %lld", i,
                      (long long)parts[i]);
    all += parts[i];
  }
  if (size >= 0 && all != size)
    return ga__fail(GA_VALUE_ERROR, "parts of %lld elements in all, of %lld",
                    (long long)all, (long long)size);
  for (int i = 0; i < (int)gg_var_type(x)->nd; i++)
    dims[i] = i == axis ? all : GG_ANY;
  x = gg_specify_shape(x, dims);
  for (size_t i = 0; i < c->n_out; at += parts[i++])
    c->out[i] = gg_slice(x, axis, at, at + parts[i], 1);
  return GA_NO_ERROR;
}

int gg__from_split(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  int64_t *parts = ga__arena_alloc(c->b->arena, c->n_out * sizeof *parts + 1);
  int axis;

  if (parts == NULL)
    return ga__fail_nomem();
  GA_TRY(gg__call_axis_attr(c, 0, gg__call_rank(c, 0), &axis));
  GA_TRY(part_sizes(c, gg_var_type(x)->dims[axis], parts));
  return cut(c, x, axis, parts);
}

/* Slices along n axes. */
typedef struct bounds {
  size_t n;
  int64_t axes[GG_MAX_ND], steps[GG_MAX_ND];
  gg_var *starts[GG_MAX_ND], *ends[GG_MAX_ND];
} bounds;

/* x[start:end:step] along an axis. Constants go to gg_slice, so that the size
 * of the result is known. INT64_MIN, which is GG_END, is a bound in the
 * model. */
static gg_var *slice_one(gg_var *x, int axis, gg_var *start, gg_var *end,
                         int64_t step) {
  const void *a = start == NULL ? NULL : gg_var_data(start);
  const void *b = end == NULL ? NULL : gg_var_data(end);

  if (x == NULL || a == NULL || b == NULL)
    return gg_slice_at(x, axis, start, end,
                       x == NULL ? NULL : gg_i64(gg_var_graph(x), step));
  int64_t from = *(const int64_t *)a, to = *(const int64_t *)b;
  const int64_t n = gg_var_type(x)->dims[axis];
  /* A backward slice that ends before the first element has an open end. */
  if (step < 0 && (to == INT64_MIN || (n >= 0 && to < -n)))
    to = GG_END;
  else if (to == INT64_MIN)
    to++;
  return gg_slice(x, axis, from == INT64_MIN ? from + 1 : from, to, step);
}

static int slice_all(gg__onnx_call *c, const bounds *s) {
  gg_var *x = gg__call_in(c, 0);
  unsigned int mask;
  int axis;

  GA_TRY(mark_axes(s->n, s->axes, gg__call_rank(c, 0), &mask));
  for (size_t i = 0; i < s->n; i++) {
    GA_TRY(gg__call_axis(s->axes[i], gg__call_rank(c, 0), &axis));
    x = slice_one(x, axis, s->starts[i], s->ends[i], s->steps[i]);
  }
  c->out[0] = x;
  return GA_NO_ERROR;
}

int gg__from_slice(gg__onnx_call *c) {
  bounds s = {0};
  size_t ends, n;

  GA_TRY(gg__call_sizes(c, 1, GG_MAX_ND, &s.n, s.starts));
  GA_TRY(gg__call_sizes(c, 2, GG_MAX_ND, &ends, s.ends));
  for (size_t i = 0; i < s.n; i++) {
    s.axes[i] = (int64_t)i;
    s.steps[i] = 1;
  }
  n = s.n;
  if (gg__call_has(c, 3))
    GA_TRY(gg__call_known(c, 3, GG_MAX_ND, &n, s.axes));
  if (n == s.n && gg__call_has(c, 4))
    GA_TRY(gg__call_known(c, 4, GG_MAX_ND, &n, s.steps));
  if (n != s.n || ends != s.n)
    return ga__fail(GA_VALUE_ERROR, "%zu starts, but %zu ends, axes or steps",
                    s.n, n != s.n ? n : ends);
  return slice_all(c, &s);
}

int gg__from_slice_attr(gg__onnx_call *c) {
  bounds s = {0};
  size_t ends, n;
  const int64_t *from = gg__call_ints(c, "starts", &s.n);
  const int64_t *to = gg__call_ints(c, "ends", &ends);
  const int64_t *axes = gg__call_ints(c, "axes", &n);

  if (s.n > GG_MAX_ND || ends != s.n || (n != 0 && n != s.n))
    return ga__fail(GA_VALUE_ERROR, "%zu starts, %zu ends, %zu axes", s.n, ends,
                    n);
  for (size_t i = 0; i < s.n; i++) {
    s.axes[i] = n == 0 ? (int64_t)i : axes[i];
    s.steps[i] = 1;
    s.starts[i] = gg_i64(c->g, from[i]);
    s.ends[i] = gg_i64(c->g, to[i]);
  }
  return slice_all(c, &s);
}

/* --- copies --- */

/* Axes of x broadcast to the wanted sizes, and wanted sizes of 1 to those of
 * x. */
int gg__from_expand(gg__onnx_call *c) {
  gg_var *want[GG_MAX_ND];
  size_t n;

  GA_TRY(gg__call_sizes(c, 1, GG_MAX_ND, &n, want));
  c->out[0] = gg_broadcast_sizes(gg__call_in(c, 0), (unsigned int)n, want);
  return GA_NO_ERROR;
}

int gg__from_tile(gg__onnx_call *c) {
  gg_var *reps[GG_MAX_ND];
  size_t n;

  GA_TRY(gg__call_sizes(c, 1, GG_MAX_ND, &n, reps));
  c->out[0] = gg_tile_sizes(gg__call_in(c, 0), (unsigned int)n, reps);
  return GA_NO_ERROR;
}

static int read_pad_mode(const gg__onnx_call *c, gg_pad_mode *mode) {
  static const char *const words[] = {"constant", "edge", "reflect", "wrap",
                                      NULL};
  int i = 0;

  GA_TRY(gg__call_word(c, "mode", "constant", words, &i));
  *mode = (gg_pad_mode)i;
  return GA_NO_ERROR;
}

/* pads[i] and pads[n + i] are the elements to add before and after axes[i];
 * they are for axis i if `axes` is NULL. */
static int pad(gg__onnx_call *c, size_t n, gg_var *const *pads,
               const int64_t *axes, gg_var *value) {
  gg_var *before[GG_MAX_ND] = {NULL}, *after[GG_MAX_ND] = {NULL};
  const unsigned int nd = gg__call_rank(c, 0);
  gg_pad_mode mode = GG_PAD_CONSTANT;
  int axis;

  GA_TRY(read_pad_mode(c, &mode));
  for (size_t i = 0; i < n; i++) {
    GA_TRY(gg__call_axis(axes == NULL ? (int64_t)i : axes[i], nd, &axis));
    before[axis] = pads[i];
    after[axis] = pads[n + i];
  }
  c->out[0] = gg_pad_sizes(gg__call_in(c, 0), before, after, mode,
                           mode == GG_PAD_CONSTANT ? value : NULL);
  return GA_NO_ERROR;
}

int gg__from_pad(gg__onnx_call *c) {
  gg_var *pads[2 * GG_MAX_ND], *value = gg__call_in(c, 2);
  int64_t axes[GG_MAX_ND];
  size_t n, count = gg__call_rank(c, 0);

  GA_TRY(gg__call_sizes(c, 1, (size_t)2 * GG_MAX_ND, &n, pads));
  if (gg__call_has(c, 3))
    GA_TRY(gg__call_known(c, 3, GG_MAX_ND, &count, axes));
  if (n != 2 * count)
    return ga__fail(GA_VALUE_ERROR, "%zu pads of %zu axes", n, count);
  if (value != NULL && gg_var_type(value)->nd == 1)
    value = gg_index(value, 0, 0);
  return pad(c, count, pads, gg__call_has(c, 3) ? axes : NULL, value);
}

int gg__from_pad_attr(gg__onnx_call *c) {
  gg_var *pads[2 * GG_MAX_ND];
  size_t n;
  const int64_t *list = gg__call_ints(c, "pads", &n);
  gg_var *value = gg__like(gg__call_in(c, 0), gg__call_float(c, "value", 0));

  if (n != 2 * (size_t)gg__call_rank(c, 0))
    return ga__fail(GA_VALUE_ERROR, "%zu pads of %u axes", n,
                    gg__call_rank(c, 0));
  for (size_t i = 0; i < n; i++)
    pads[i] = gg_i64(c->g, list[i]);
  return pad(c, n / 2, pads, NULL, value);
}
