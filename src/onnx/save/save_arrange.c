/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes, and ops that rearrange elements. */
#include <string.h>

#include "base/dtype.h"
#include "onnx/save/savers.h"

static unsigned int rank(const gg_apply *a, unsigned int i) {
  return gg_var_type(a->in[i])->nd;
}

/* --- sizes --- */

gg__name gg__save_shape(gg__save *s, const gg_apply *a) {
  return gg__as_scalar(
      s, gg__size_vector(s, a->in[0], (unsigned int)gg__prop(a, "axis")));
}

gg__name gg__save_size(gg__save *s, const gg_apply *a) {
  return gg__node(s, "ReduceProd", GG_IN(gg__shape_name(s, a->in[0])),
                  GG_ATTRS(GG_A_INT("keepdims", 0)));
}

gg__name gg__save_vector(gg__save *s, const gg_apply *a) {
  return gg__scalars(s, a->n_in, a->in);
}

gg__name gg__save_iota(gg__save *s, const gg_apply *a) {
  gg__name n = gg__size_vector(s, a->in[0], (unsigned int)gg__prop(a, "axis"));

  return gg__node(s, "Range",
                  GG_IN(gg__scalar_name(s, GA_LONG, 0), gg__as_scalar(s, n),
                        gg__scalar_name(s, GA_LONG, 1)),
                  NULL);
}

/* `value` broadcast to a vector of sizes. */
static gg__name expand(gg__save *s, gg__name value, gg__name sizes) {
  return gg__node(s, "Expand", GG_IN(value, sizes), NULL);
}

gg__name gg__save_extent(gg__save *s, const gg_apply *a) {
  return expand(s, gg__scalar_name(s, gg_var_type(a->out[0])->dtype, 0),
                gg__scalars(s, a->n_in, a->in));
}

gg__name gg__save_fill(gg__save *s, const gg_apply *a) {
  return expand(s, gg__name_in(s, a, 1), gg__shape_name(s, a->in[0]));
}

/* --- views --- */

/* Sizes of 0 are sizes of 0. */
static gg__name reshape(gg__save *s, gg__name x, gg__name sizes) {
  return gg__node(s, "Reshape", GG_IN(x, sizes),
                  GG_ATTRS(GG_A_INT("allowzero", 1)));
}

gg__name gg__save_reshape(gg__save *s, const gg_apply *a) {
  const unsigned int n = gg__prop_count(a, "dims");
  int64_t dims[GG_MAX_ND];

  for (unsigned int i = 0; i < n; i++)
    dims[i] = gg__prop_at(a, "dims", i);
  return reshape(s, gg__name_in(s, a, 0), gg__ints(s, n, dims));
}

gg__name gg__save_reshape_like(gg__save *s, const gg_apply *a) {
  return reshape(s, gg__name_in(s, a, 0), gg__shape_name(s, a->in[1]));
}

gg__name gg__save_reshape_sizes(gg__save *s, const gg_apply *a) {
  return reshape(s, gg__name_in(s, a, 0),
                 gg__scalars(s, a->n_in - 1, a->in + 1));
}

/* The axes that stay, in their new order, then the new axes. */
gg__name gg__save_dimshuffle(gg__save *s, const gg_apply *a) {
  const unsigned int n = gg__prop_count(a, "pattern"), nd = rank(a, 0);
  int64_t order[GG_MAX_ND], fresh[GG_MAX_ND], gone[GG_MAX_ND];
  unsigned int used = 0, n_order = 0, n_fresh = 0, n_gone = 0;
  gg__name x = gg__name_in(s, a, 0);
  int sorted = 1;

  for (unsigned int i = 0; i < n; i++) {
    const int64_t axis = gg__prop_at(a, "pattern", i);

    if (axis < 0) {
      fresh[n_fresh++] = i;
      continue;
    }
    sorted &= n_order == 0 || order[n_order - 1] < axis;
    order[n_order++] = axis;
    used |= 1u << axis;
  }
  for (unsigned int i = 0; i < nd; i++)
    if (!(used >> i & 1u))
      gone[n_gone++] = i;
  if (n_gone != 0)
    x = gg__node(s, "Squeeze", GG_IN(x, gg__ints(s, n_gone, gone)), NULL);
  for (unsigned int i = 0; i < n_order; i++)
    for (unsigned int k = n_gone; k-- > 0;)
      order[i] -= gone[k] < order[i];
  if (!sorted)
    x = gg__node(s, "Transpose", GG_IN(x),
                 GG_ATTRS(GG_A_INTS("perm", n_order, order)));
  return n_fresh == 0 ? x
                      : gg__node(s, "Unsqueeze",
                                 GG_IN(x, gg__ints(s, n_fresh, fresh)), NULL);
}

/* --- slices --- */

/* start, stop and step as vectors of one element. */
typedef struct bounds {
  gg__name start, stop, step;
} bounds;

/* Where an end is open, if the slice goes forwards or backwards. */
static int64_t open_start(int64_t step) {
  return step > 0 ? 0 : INT64_MAX;
}

static int64_t open_stop(int64_t step) {
  return step > 0 ? INT64_MAX : INT64_MIN;
}

static bounds known_bounds(gg__save *s, int64_t start, int64_t stop,
                           int64_t step) {
  start = start == GG_END ? open_start(step) : start;
  stop = stop == GG_END ? open_stop(step) : stop;
  return (bounds){gg__ints(s, 1, &start), gg__ints(s, 1, &stop),
                  gg__ints(s, 1, &step)};
}

/* Bound i of a slice whose bounds are operands. */
static gg__name open_bound(gg__save *s, const gg_apply *a, unsigned int i,
                           int64_t open) {
  const void *data = gg_var_data(a->in[i]);

  if (data != NULL && gg_var_type(a->in[i])->dtype == GA_LONG &&
      *(const int64_t *)data == GG_END)
    return gg__ints(s, 1, &open);
  return gg__scalars(s, 1, &a->in[i]);
}

/* Bounds that are operands 1 to 3 after `first`. */
static bounds operand_bounds(gg__save *s, const gg_apply *a,
                             unsigned int first) {
  const void *data = gg_var_data(a->in[first + 2]);
  const int64_t step = data == NULL
                           ? 1
                           : (int64_t)ga__dtype_to_double(
                                 gg_var_type(a->in[first + 2])->dtype, data);

  return (bounds){open_bound(s, a, first, open_start(step)),
                  open_bound(s, a, first + 1, open_stop(step)),
                  gg__scalars(s, 1, &a->in[first + 2])};
}

static bounds bounds_of(gg__save *s, const gg_apply *a) {
  const size_t n = strlen(a->op->name);

  if (strcmp(a->op->name + n - 3, "_at") == 0)
    return operand_bounds(s, a, a->n_in - 3);
  return known_bounds(s, gg__prop(a, "start"), gg__prop(a, "stop"),
                      gg__prop(a, "step"));
}

static gg__name cut(gg__save *s, gg__name x, int64_t axis, bounds b) {
  return gg__node(s, "Slice",
                  GG_IN(x, b.start, b.stop, gg__ints(s, 1, &axis), b.step),
                  NULL);
}

gg__name gg__save_slice(gg__save *s, const gg_apply *a) {
  return cut(s, gg__name_in(s, a, 0), gg__prop(a, "axis"), bounds_of(s, a));
}

gg__name gg__save_slice_at(gg__save *s, const gg_apply *a) {
  return gg__save_slice(s, a);
}

gg__name gg__save_index(gg__save *s, const gg_apply *a) {
  return gg__gather_name(s, gg__name_in(s, a, 0),
                         gg__scalar_name(s, GA_LONG, (double)gg__prop(a, "at")),
                         gg__prop(a, "axis"));
}

/* Models have indices of 32 and 64 bits. */
static gg__name index_of(gg__save *s, gg_var *v) {
  gg__name name = gg__name_of(s, v);
  const int dtype = gg_var_type(v)->dtype;

  return dtype == GA_LONG || dtype == GA_INT ? name
                                             : gg__cast_name(s, name, GA_LONG);
}

gg__name gg__save_index_at(gg__save *s, const gg_apply *a) {
  return gg__gather_name(s, gg__name_in(s, a, 0), index_of(s, a->in[1]),
                         gg__prop(a, "axis"));
}

/* --- joins and parts --- */

gg__name gg__save_join(gg__save *s, const gg_apply *a) {
  gg__name *parts = ga__arena_alloc(&s->arena, a->n_in * sizeof *parts);

  for (unsigned int i = 0; parts != NULL && i < a->n_in; i++)
    parts[i] = gg__name_in(s, a, i);
  return parts == NULL
             ? NULL
             : gg__node(s, "Concat", a->n_in, parts,
                        GG_ATTRS(GG_A_INT("axis", gg__prop(a, "axis"))));
}

/* Parts before it decide where it starts. */
gg__name gg__save_part(gg__save *s, const gg_apply *a) {
  const unsigned int axis = (unsigned int)gg__prop(a, "axis");
  const unsigned int part = (unsigned int)gg__prop(a, "part");
  const int64_t zero = 0, one = 1;
  bounds b = {gg__ints(s, 1, &zero), NULL, gg__ints(s, 1, &one)};

  for (unsigned int i = 0; i < part; i++)
    b.start = gg__node(
        s, "Add", GG_IN(b.start, gg__size_vector(s, a->in[1 + i], axis)), NULL);
  b.stop =
      gg__node(s, "Add",
               GG_IN(b.start, gg__size_vector(s, a->in[1 + part], axis)), NULL);
  return cut(s, gg__name_in(s, a, 0), axis, b);
}

/* --- writing --- */

/* Sizes of `x` as a vector, with that of `axis` replaced by `size`. */
static gg__name sizes_with(gg__save *s, gg_var *x, unsigned int axis,
                           gg__name size) {
  gg__name parts[GG_MAX_ND];
  const unsigned int nd = gg_var_type(x)->nd;

  for (unsigned int i = 0; i < nd; i++)
    parts[i] = i == axis ? size : gg__size_vector(s, x, i);
  return nd == 1
             ? parts[0]
             : gg__node(s, "Concat", nd, parts, GG_ATTRS(GG_A_INT("axis", 0)));
}

/* A vector of positions along `axis` of an array of rank nd. */
static gg__name along(gg__save *s, gg__name positions, unsigned int nd,
                      unsigned int axis) {
  int64_t dims[GG_MAX_ND];

  for (unsigned int i = 0; i < nd; i++)
    dims[i] = i == axis ? -1 : 1;
  return gg__node(s, "Reshape", GG_IN(positions, gg__ints(s, nd, dims)), NULL);
}

/* The number of elements of a vector, as a vector. */
static gg__name count_of(gg__save *s, gg__name vector) {
  return gg__node(s, "Shape", GG_IN(vector), NULL);
}

/* `positions` and v are broadcast to `sizes`. */
static gg__name scatter(gg__save *s, gg__name x, gg__name positions, gg__name v,
                        gg__name sizes, int64_t axis, const char *how) {
  return gg__node(
      s, "ScatterElements",
      GG_IN(x, expand(s, positions, sizes), expand(s, v, sizes)),
      GG_ATTRS(GG_A_INT("axis", axis), GG_A_TEXT("reduction", how)));
}

/* (x, v ...): x, or zeros in its shape, with v where the slice reads: its
 * positions are the slice of all positions. */
gg__name gg__save_slice_put(gg__save *s, const gg_apply *a) {
  const unsigned int axis = (unsigned int)gg__prop(a, "axis");
  const int keep = strncmp(a->op->name, "slice_set", 9) == 0;
  gg__name n = gg__as_scalar(s, gg__size_vector(s, a->in[0], axis));
  gg__name all = gg__node(
      s, "Range",
      GG_IN(gg__scalar_name(s, GA_LONG, 0), n, gg__scalar_name(s, GA_LONG, 1)),
      NULL);
  gg__name some = cut(s, all, 0, bounds_of(s, a));
  gg__name x =
      keep ? gg__name_in(s, a, 0)
           : expand(s, gg__scalar_name(s, gg_var_type(a->in[1])->dtype, 0),
                    gg__shape_name(s, a->in[0]));

  return scatter(s, x, along(s, some, rank(a, 0), axis), gg__name_in(s, a, 1),
                 sizes_with(s, a->in[0], axis, count_of(s, some)), axis,
                 "none");
}

/* --- elements by index --- */

/* Indices of rank nd that repeat along all axes but `axis`. */
static int is_vector(const gg_var *index, unsigned int axis) {
  const gg_type *t = gg_var_type(index);

  for (unsigned int i = 0; i < t->nd; i++)
    if (i != axis && t->dims[i] != 1)
      return 0;
  return 1;
}

/* The sizes of what indices of x's rank select. */
static gg__name picked_sizes(gg__save *s, const gg_apply *a,
                             unsigned int axis) {
  gg__name parts[GG_MAX_ND];
  const gg_type *t = gg_var_type(a->in[1]);

  for (unsigned int i = 0; i < t->nd; i++)
    parts[i] = gg__size_vector(s, a->in[i == axis ? 1 : 0], i);
  return t->nd == 1 ? parts[0]
                    : gg__node(s, "Concat", t->nd, parts,
                               GG_ATTRS(GG_A_INT("axis", 0)));
}

gg__name gg__save_take(gg__save *s, const gg_apply *a) {
  const unsigned int axis = (unsigned int)gg__prop(a, "axis");
  const int64_t all = -1;
  gg__name x = gg__name_in(s, a, 0), index = index_of(s, a->in[1]);

  if (rank(a, 1) == 1)
    return gg__gather_name(s, x, index, axis);
  if (is_vector(a->in[1], axis))
    return gg__gather_name(
        s, x, gg__node(s, "Reshape", GG_IN(index, gg__ints(s, 1, &all)), NULL),
        axis);
  return gg__node(s, "GatherElements",
                  GG_IN(x, expand(s, index, picked_sizes(s, a, axis))),
                  GG_ATTRS(GG_A_INT("axis", axis)));
}

gg__name gg__save_put(gg__save *s, const gg_apply *a) {
  static const char *const how[] = {"none", "add", "mul", "max", "min"};
  const unsigned int axis = (unsigned int)gg__prop(a, "axis");
  const char *op = how[gg__prop(a, "op")];
  gg__name x = gg__name_in(s, a, 0), index = index_of(s, a->in[1]),
           v = gg__name_in(s, a, 2);
  gg__name sizes = NULL;

  if (rank(a, 1) == 1 && rank(a, 0) > 1) {
    sizes = sizes_with(s, a->in[0], axis, gg__size_vector(s, a->in[1], 0));
    index = along(s, index, rank(a, 0), axis);
  } else {
    sizes = picked_sizes(s, a, axis);
  }
  return scatter(s, x, index, v, sizes, axis, op);
}
