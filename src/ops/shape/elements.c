/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of small arrays as scalars. To find one, the ops that compute the
 * array are followed back to sizes, scalars, constants and inputs. So sizes
 * that were joined, sliced or computed as vectors become scalars that the host
 * knows before anything runs. Only the ops that such a scalar needs remain. */
#include "ops/shape/elements.h"

#include <gpugraph/sizes.h>
#include <math.h>
#include <string.h>

#include "base/map.h"
#include "ops/compose.h"
#include "ops/index/picks.h"
#include "ops/shape/slice_bounds.h"

enum {
  MOST_ELEMENTS = GG_MAX_VECTOR,
  MOST_OPERANDS = 10, /* of elementwise code: %0 to %9 */
  MOST_LOOKUPS = 4096,
  MOST_DEPTH = 256 /* nodes between an element and a leaf */
};

/* An element of a variable: a key of finder.found. */
typedef struct element {
  const gg_var *of;
  size_t at; /* in C order */
} element;

GA_NO_PADDING(element, sizeof(void *) + sizeof(size_t));

typedef struct finder {
  ga__map found; /* scalars by `element` */
  unsigned int lookups, depth;
  int only_sizes; /* ends at sizes and constants, not at inputs */
  int has_size;   /* it came to a size */
} finder;

/* Element `at` of v as a scalar; NULL if it is not found. */
static gg_var *find(finder *f, gg_var *v, size_t at);

/* --- positions --- */

/* How many elements v has; -1 if that is unknown or too large. */
static int count(const gg_var *v) {
  const gg_type *t = gg_var_type(v);
  int64_t n = 1;

  for (unsigned int i = 0; i < t->nd; i++) {
    if (t->dims[i] == GG_ANY || t->dims[i] > MOST_ELEMENTS)
      return -1;
    n *= t->dims[i];
  }
  return n <= MOST_ELEMENTS ? (int)n : -1;
}

/* Write the indices along each axis of element `at` of v. */
static void split(const gg_var *v, size_t at, int64_t *index) {
  const gg_type *t = gg_var_type(v);

  for (unsigned int i = t->nd; i-- > 0; at /= (size_t)t->dims[i])
    index[i] = (int64_t)(at % (size_t)t->dims[i]);
}

/* The position of the element of v at these indices. Axes of size 1 are
 * broadcast. */
static size_t unite(const gg_var *v, const int64_t *index) {
  const gg_type *t = gg_var_type(v);
  size_t at = 0;

  for (unsigned int i = 0; i < t->nd; i++)
    at = at * (size_t)t->dims[i] + (size_t)(t->dims[i] != 1 ? index[i] : 0);
  return at;
}

/* --- constants --- */

static gg_var *of_constant(gg_var *v, size_t at) {
  const int dtype = gg_var_type(v)->dtype;

  return gg_constant(gg_var_graph(v), dtype, 0, NULL,
                     (const char *)gg_var_data(v) + at * ga__dtype_size(dtype));
}

double gg__rounded(const gg_apply *a, double value) {
  const int dtype = gg_var_type(a->out[0])->dtype;
  double room[2] = {0, 0}; /* as large as the largest element */

  if (a->op != &gg__op_cast ||
      ga__dtype_kind(gg_var_type(a->in[0])->dtype) != GA_KIND_FLOAT)
    value = ga__dtype_wrap(dtype, value);
  ga__dtype_from_double(dtype, room, value);
  return ga__dtype_to_double(dtype, room);
}

/* Does the double have the exact value of v? */
static int is_exact(const gg_var *v, double value) {
  return ga__dtype_kind(gg_var_type(v)->dtype) == GA_KIND_FLOAT ||
         fabs(value) < 0x1p53;
}

/* The scalar v, as a constant if it is elementwise and its operands are
 * constants. */
static gg_var *settled(gg_var *v) {
  const gg_apply *a = gg_var_owner(v);
  const gg_code *const code = a != NULL ? gg_apply_code(a) : NULL;
  double x[MOST_OPERANDS];

  if (code == NULL || code->eval == NULL || a->n_in > MOST_OPERANDS ||
      a->op->no_fold || a->op->kind != GG_OP_ELEMWISE)
    return v;
  for (unsigned int i = 0; i < a->n_in; i++)
    if (!gg_var_uniform(a->in[i], &x[i]) || !is_exact(a->in[i], x[i]))
      return v;
  /* An integer must be exact before it is wrapped. */
  const double value = code->eval(x);
  return is_exact(v, value) ? gg_scalar(gg_var_graph(v), gg_var_type(v)->dtype,
                                        gg__rounded(a, value))
                            : v;
}

/* --- ops --- */

static gg_var *apply(const gg_op *op, const void *props, unsigned int n,
                     gg_var *const *in) {
  gg_var *const v = gg_op_apply(NULL, op, props, n, in);

  return v != NULL ? settled(v) : NULL;
}

/* Of gg_where. With a constant condition only the chosen operand is followed.
 */
static gg_var *of_choice(finder *f, const gg_apply *a, const int64_t *index) {
  gg_var *in[3] = {find(f, a->in[0], unite(a->in[0], index))};
  double holds;

  if (in[0] == NULL)
    return NULL;
  if (gg_var_uniform(in[0], &holds)) {
    gg_var *const v = a->in[holds != 0 ? 1 : 2];
    return find(f, v, unite(v, index));
  }
  for (unsigned int i = 1; i < 3; i++)
    in[i] = find(f, a->in[i], unite(a->in[i], index));
  return in[1] != NULL && in[2] != NULL ? apply(a->op, a->props, 3, in) : NULL;
}

static gg_var *of_map(finder *f, const gg_apply *a, size_t at) {
  const gg_code *const code = gg_apply_code(a);
  gg_var *in[MOST_OPERANDS];
  int64_t index[GG_MAX_ND];

  if (code == NULL || code->eval == NULL || a->n_in > MOST_OPERANDS ||
      a->n_out != 1)
    return NULL;
  split(a->out[0], at, index);
  if (a->op == &gg__op_fill)
    return find(f, a->in[1], unite(a->in[1], index));
  if (a->op == &gg__op_where)
    return of_choice(f, a, index);
  for (unsigned int i = 0; i < a->n_in; i++) {
    in[i] = find(f, a->in[i], unite(a->in[i], index));
    if (in[i] == NULL)
      return NULL;
  }
  return apply(a->op, a->props, a->n_in, in);
}

/* The op that combines two elements of a reduction, or NULL. */
static const gg_op *combines(gg_reduction op) {
  switch (op) {
  case GG_SUM:
    return &gg__op_add;
  case GG_PROD:
    return &gg__op_mul;
  case GG_MAX:
    return &gg__op_maximum;
  case GG_MIN:
    return &gg__op_minimum;
  case GG_ANY_OF:
    return &gg__op_or;
  case GG_ALL_OF:
    return &gg__op_and;
  default:
    return NULL;
  }
}

/* Is `index` of the operand reduced to element `at` of the result? */
static int goes_to(const gg_apply *a, const int64_t *index, size_t at) {
  const gg_reduce_props *p = a->props;
  int64_t kept[GG_MAX_ND];
  unsigned int n = 0;

  for (unsigned int i = 0; i < gg_var_type(a->in[0])->nd; i++)
    if (!(p->axes_mask >> i & 1u))
      kept[n++] = index[i];
    else if (p->keepdims)
      kept[n++] = 0;
  return unite(a->out[0], kept) == at;
}

/* The reduction of no elements; NULL if there is none. */
static gg_var *of_nothing(const gg_apply *a, gg_reduction kind) {
  return kind != GG_MAX && kind != GG_MIN
             ? gg_scalar(gg_var_graph(a->in[0]), gg_var_type(a->out[0])->dtype,
                         kind == GG_PROD || kind == GG_ALL_OF)
             : NULL;
}

/* Narrow floats are combined as float32, as kernels do. */
static gg_var *of_reduction(finder *f, const gg_apply *a, size_t at) {
  const gg_reduction kind = ((const gg_reduce_props *)a->props)->op;
  const int dtype = gg_var_type(a->out[0])->dtype;
  const int n = count(a->in[0]);
  gg_var *in[2] = {NULL};
  int64_t index[GG_MAX_ND];

  if (combines(kind) == NULL || n < 0)
    return NULL;
  for (size_t i = 0; i < (size_t)n; i++) {
    split(a->in[0], i, index);
    if (!goes_to(a, index, at))
      continue;
    gg_var *v = find(f, a->in[0], i);
    v = v != NULL ? gg_cast(v, ga__dtype_work(dtype)) : NULL;
    if (v == NULL)
      return NULL;
    in[1] = settled(v);
    in[0] = in[0] != NULL ? apply(combines(kind), NULL, 2, in) : in[1];
    if (in[0] == NULL)
      return NULL;
  }
  if (in[0] == NULL)
    return of_nothing(a, kind);
  gg_var *const v = gg_cast(in[0], dtype);
  return v != NULL ? settled(v) : NULL;
}

static gg_var *of_dimshuffle(finder *f, const gg_apply *a, size_t at) {
  const gg__dimshuffle_props *p = a->props;
  int64_t index[GG_MAX_ND], from[GG_MAX_ND] = {0};

  split(a->out[0], at, index);
  for (unsigned int i = 0; i < p->nd; i++)
    if (p->pattern[i] >= 0)
      from[p->pattern[i]] = index[i];
  return find(f, a->in[0], unite(a->in[0], from));
}

static gg_var *of_slice(finder *f, const gg_apply *a, size_t at) {
  const gg__slice_props *p = a->props;
  int64_t index[GG_MAX_ND], first, n;

  if (count(a->in[0]) < 0)
    return NULL;
  split(a->out[0], at, index);
  gg__slice_resolve(p, gg_var_type(a->in[0])->dims[p->axis], &first, &n);
  index[p->axis] = first + index[p->axis] * p->step;
  return find(f, a->in[0], unite(a->in[0], index));
}

static gg_var *of_index(finder *f, const gg_apply *a, size_t at) {
  const gg__index_props *p = a->props;
  const gg_type *const t = gg_var_type(a->in[0]);
  int64_t index[GG_MAX_ND], from[GG_MAX_ND];

  if (count(a->in[0]) < 0)
    return NULL;
  split(a->out[0], at, index);
  for (unsigned int i = 0, k = 0; i < t->nd; i++)
    from[i] = i != p->axis   ? index[k++]
              : p->index < 0 ? p->index + t->dims[i]
                             : p->index;
  return find(f, a->in[0], unite(a->in[0], from));
}

static gg_var *of_join(finder *f, const gg_apply *a, size_t at) {
  const gg__axis_props *p = a->props;
  int64_t index[GG_MAX_ND];

  split(a->out[0], at, index);
  for (unsigned int i = 0; i < a->n_in; i++) {
    const int64_t n = gg_var_type(a->in[i])->dims[p->axis];
    if (count(a->in[i]) < 0)
      return NULL;
    if (index[p->axis] < n)
      return find(f, a->in[i], unite(a->in[i], index));
    index[p->axis] -= n;
  }
  return NULL;
}

/* Where the index is a constant. Others are not followed. */
static gg_var *of_take(finder *f, const gg_apply *a, size_t at) {
  const unsigned int axis = ((const gg__axis_props *)a->props)->axis;
  gg_var *const x = a->in[0], *const which = a->in[1];
  int64_t index[GG_MAX_ND];
  double row;

  split(a->out[0], at, index);
  gg_var *const i =
      find(f, which,
           gg__picks_elements(a) ? unite(which, index) : (size_t)index[axis]);
  if (i == NULL || !gg_var_uniform(i, &row) || count(x) <= 0)
    return NULL;
  const double n = (double)gg_var_type(x)->dims[axis];
  row = fmin(fmax(row < 0 ? row + n : row, 0), n - 1);
  index[axis] = (int64_t)row;
  return find(f, x, unite(x, index));
}

static gg_var *of_shape(finder *f, const gg_apply *a, size_t at) {
  if (a->op == &gg__op_iota)
    return gg_i64(gg_var_graph(a->in[0]), (int64_t)at);
  if (a->op == &gg__op_extent)
    return gg_scalar(gg_var_graph(a->in[0]), GA_BOOL, 0);
  if (a->op != &gg__op_vector) {
    f->has_size = 1;
    return gg_var_type(a->out[0])->nd == 0 ? a->out[0] : NULL;
  }
  gg_var *const v = find(f, a->in[at], 0);
  return v != NULL || !f->only_sizes
             ? gg_cast(v != NULL ? v : a->in[at], GA_LONG)
             : NULL;
}

static int keeps_elements(const gg_op *op) {
  return op == &gg__op_reshape || op == &gg__op_reshape_like ||
         op == &gg__op_reshape_sizes || op == &gg__op_specify_shape ||
         op == &gg__op_specify_sizes;
}

/* An element of an input of unknown size is taken from the node, not from the
 * input: so calls still check the size. */
static gg_var *of_same(finder *f, const gg_apply *a, size_t at) {
  gg_var *const x = a->in[0];

  if (gg_var_owner(x) == NULL && gg_var_type(x)->nd == 1 && count(x) < 0 &&
      gg_var_type(a->out[0])->nd == 1 && !f->only_sizes)
    return gg_index(a->out[0], 0, (int64_t)at);
  return find(f, x, at);
}

static gg_var *of_node(finder *f, const gg_apply *a, size_t at) {
  if (a->op->kind == GG_OP_ELEMWISE)
    return of_map(f, a, at);
  if (a->op->kind == GG_OP_SHAPE)
    return of_shape(f, a, at);
  if (a->op == &gg__op_reduce)
    return of_reduction(f, a, at);
  if (a->op == &gg__op_dimshuffle)
    return of_dimshuffle(f, a, at);
  if (a->op == &gg__op_slice)
    return of_slice(f, a, at);
  if (a->op == &gg__op_index)
    return of_index(f, a, at);
  if (a->op == &gg__op_join)
    return of_join(f, a, at);
  if (a->op == &gg__op_take)
    return of_take(f, a, at);
  return keeps_elements(a->op) ? of_same(f, a, at) : NULL;
}

/* The host can read single elements of vectors that are inputs. */
static gg_var *of_leaf(const finder *f, gg_var *v, size_t at) {
  const unsigned int nd = gg_var_type(v)->nd;

  if (gg_var_data(v) != NULL)
    return nd == 0 ? v : of_constant(v, at);
  if (nd > 1 || f->only_sizes)
    return NULL;
  return nd == 0 ? v : gg_index(v, 0, (int64_t)at);
}

static gg_var *find(finder *f, gg_var *v, size_t at) {
  const element key = {v, at};
  gg_var *found = ga__map_get(&f->found, &key, sizeof key);
  const int n = count(v);

  /* A reshape to more elements than v has is refused by calls only. */
  if (found != NULL || n < 0 || at >= (size_t)n || f->lookups == MOST_LOOKUPS ||
      f->depth == MOST_DEPTH)
    return found;
  f->lookups++;
  f->depth++;
  const gg_apply *const a = gg_var_owner(v);
  found = a != NULL ? of_node(f, a, at) : of_leaf(f, v, at);
  f->depth--;
  /* If the map has no memory, the element is searched again. */
  if (found != NULL)
    ga__map_put(&f->found, &key, sizeof key, found);
  return found;
}

/* --- for builders and rules --- */

gg_var *gg_element(gg_var *v, size_t at) {
  finder f = {.found = GA_MAP_INIT};

  if (v == NULL)
    return NULL;
  if (gg_var_type(v)->nd == 0 && gg_var_owner(v) == NULL && at == 0)
    return v;
  const int n = count(v);
  if (n >= 0 && at >= (size_t)n)
    return gg__refuse(GG_CALLED("element"), 1, &v, GA_VALUE_ERROR,
                      "there is no element %zu of %d", at, n);
  gg_var *const found = n >= 0 ? find(&f, v, at) : NULL;
  ga__map_clear(&f.found);
  if (found != NULL)
    return found;
  return gg_var_type(v)->nd == 0 ? v : gg_index(gg_flatten(v), 0, (int64_t)at);
}

gg_var *gg__vector_of_sizes(gg_var *v) {
  finder f = {.found = GA_MAP_INIT, .only_sizes = 1};
  gg_var *in[MOST_ELEMENTS];
  int i = 0;

  const int n = gg_var_type(v)->nd == 1 ? count(v) : -1;
  while (i < n && (in[i] = find(&f, v, (size_t)i)) != NULL)
    i++;
  ga__map_clear(&f.found);
  return n > 1 && i == n && f.has_size ? gg_vector((unsigned int)n, in) : NULL;
}
