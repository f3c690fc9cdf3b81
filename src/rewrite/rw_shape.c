/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills move towards results until the value that they broadcast meets an
 * operand of their shape. Views merge. Operands of which only the shape matters
 * are replaced by what they were computed from. */
#include <gpugraph/sizes.h>
#include <string.h>

#include "ops/shape/elements.h"
#include "rewrite/rw_match.h"

#define MAX_LIGHT 8 /* nodes of a scalar that is cheap to compute again */

/* --- fills --- */

static gg_var *fill_of_same_shape(gg_apply *a) {
  return gg__wide(a->in[1]) == gg__wide(a->out[0]) ? a->in[1] : NULL;
}

static gg_var *fill_of_fill(gg_apply *a) {
  gg_apply *b = gg__node(a->in[1], &gg__op_fill);

  return b != NULL ? gg_fill(a->in[0], b->in[1]) : NULL;
}

/* The wide axes of all inputs, where `instead` replaces input `but`. */
static unsigned int wide_without(const gg_apply *a, unsigned int but,
                                 const gg_var *instead) {
  unsigned int wide = gg__wide(instead);

  for (unsigned int i = 0; i < a->n_in; i++)
    wide |= i != but ? gg__wide(a->in[i]) : 0;
  return wide;
}

/* f(fill(like, v), y) is f(v, y) if y has the shape, and otherwise fill(like,
 * f(v, y)). */
static gg_var *sink_fill(gg_apply *a) {
  const unsigned int want = gg__wide(a->out[0]);
  gg_var *in[GG_MAX_OPERANDS], *v;

  if (!gg__is_map(a) || a->op == &gg__op_fill)
    return NULL;
  for (unsigned int i = 0; i < a->n_in; i++) {
    gg_apply *fill = gg__node(a->in[i], &gg__op_fill);
    if (fill == NULL ||
        (wide_without(a, i, fill->in[1]) != want && gg__wide(a->in[i]) != want))
      continue;
    memcpy(in, a->in, a->n_in * sizeof *in);
    in[i] = fill->in[1];
    v = gg__apply_like(a, in);
    if (v != NULL && gg__wide(v) != want)
      v = gg_fill(fill->in[0], v);
    return v;
  }
  return NULL;
}

/* A view of a fill is a fill of views. */
static gg_var *dimshuffle_of_fill(gg_apply *a) {
  gg_apply *fill = gg__node(a->in[0], &gg__op_fill);

  if (fill == NULL)
    return NULL;
  return gg_fill(gg__apply_like(a, &fill->in[0]),
                 gg__apply_like(a, &fill->in[1]));
}

/* The pattern of a view that has new axes only. */
static void only_new(int pattern[GG_MAX_ND]) {
  for (unsigned int i = 0; i < GG_MAX_ND; i++)
    pattern[i] = -1;
}

/* v, whose axes all have size 1, as a variable of rank `nd`. */
static gg_var *with_rank(gg_var *v, unsigned int nd) {
  int pattern[GG_MAX_ND];

  only_new(pattern);
  return gg_dimshuffle(v, nd, pattern);
}

static gg_var *reshape_of_fill(gg_apply *a) {
  gg_apply *fill = gg__node(a->in[0], &gg__op_fill);

  if (fill == NULL || gg__wide(fill->in[1]) != 0)
    return NULL;
  gg_var *like =
      a->op == &gg__op_reshape ? gg__apply_like(a, &fill->in[0]) : a->in[1];
  return gg_fill(like, with_rank(fill->in[1], a->out[0]->type.nd));
}

/* --- shapes --- */

/* Inputs of which only the shape matters are replaced by the oldest operand
 * that has it. */
static gg_var *shape_of_operand(gg_apply *a) {
  gg_var *in[GG_MAX_OPERANDS], *v;
  unsigned int changed = 0;

  if (a->op->shape_only == 0 || a->n_in > GG_MAX_OPERANDS)
    return NULL;
  for (unsigned int i = 0; i < a->n_in; i++) {
    in[i] = a->in[i];
    if (!gg_apply_shape_only(a, i))
      continue;
    while ((v = gg__same_shape(in[i])) != NULL) {
      in[i] = v;
      changed = 1;
    }
  }
  return changed ? gg__apply_like(a, in) : NULL;
}

static int is_view_of_all(const gg_op *op) {
  return op == &gg__op_dimshuffle || op == &gg__op_reshape ||
         op == &gg__op_reshape_sizes;
}

/* Views do not change the number of elements. */
static gg_var *size_of_view(gg_apply *a) {
  gg_apply *b = a->in[0]->owner;

  return b != NULL && is_view_of_all(b->op) ? gg_size(b->in[0]) : NULL;
}

static gg_var *shape_of_view(gg_apply *a) {
  const gg__axis_props *p = a->props;
  gg_apply *b = gg__node(a->in[0], &gg__op_dimshuffle);
  const int64_t n = a->in[0]->type.dims[p->axis];

  if (n != GG_ANY)
    return gg_i64(a->out[0]->graph, n);
  if (b == NULL)
    return NULL;
  int axis = ((const gg__dimshuffle_props *)b->props)->pattern[p->axis];
  return gg_shape(b->in[0], axis);
}

/* --- views --- */

static gg_var *dimshuffle_again(gg_apply *a) {
  const gg__dimshuffle_props *p = a->props;

  /* The builder merges consecutive dimshuffles and drops those that change
   * nothing. */
  return gg_dimshuffle(a->in[0], p->nd, p->pattern);
}

/* Signs and numbers move out of views that are their only use, so that they
 * meet others. */
static gg_var *dimshuffle_of_scaled(const gg_rewriting *rw, gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_neg);
  double c;

  if (gg_rule_uses(rw, a->in[0]) > 1)
    return NULL;
  if (b != NULL)
    return gg_neg(gg__apply_like(a, b->in));
  b = gg__node(a->in[0], &gg__op_mul);
  if (b == NULL || !gg__number(b->in[0], &c))
    return NULL;
  return gg__times(c, gg__apply_like(a, &b->in[1]));
}

/* Does the view only drop axes, and keep the others in order? */
static int only_drops(const gg_apply *a) {
  const gg__dimshuffle_props *p = a->props;
  int last = -1;

  for (unsigned int i = 0; i < p->nd; i++) {
    if (p->pattern[i] <= last)
      return 0;
    last = p->pattern[i];
  }
  return p->nd < a->in[0]->type.nd;
}

/* Is v computed from leaves and sizes by few elementwise nodes? Then it can be
 * computed again wherever it is used. */
static int is_light(gg_var *v) {
  gg_var *open[GG_MAX_OPERANDS] = {v};
  unsigned int n = 1;

  for (unsigned int steps = 0; n > 0; steps++) {
    gg_apply *a = open[--n]->owner;
    if (a == NULL || a->op->kind == GG_OP_SHAPE)
      continue;
    if (a->op->kind != GG_OP_ELEMWISE && a->op != &gg__op_dimshuffle)
      return 0;
    if (steps == MAX_LIGHT || n + a->n_in > GG_MAX_OPERANDS)
      return 0;
    for (unsigned int i = 0; i < a->n_in; i++)
      open[n++] = a->in[i];
  }
  return 1;
}

/* Do the elementwise nodes that only v uses read a value that has other uses,
 * too? */
static int reads_shared(const gg_rewriting *rw, const gg_var *v) {
  const gg_var *open[GG_MAX_OPERANDS] = {v};
  unsigned int n = 1;

  for (unsigned int steps = 0; n > 0 && steps < MAX_LIGHT; steps++) {
    const gg_apply *a = open[--n]->owner;
    for (unsigned int i = 0; i < a->n_in && n < GG_MAX_OPERANDS; i++) {
      const gg_var *in = a->in[i];

      if (in->owner == NULL || gg__wide(in) == 0)
        continue;
      if (in->owner->op->kind == GG_OP_ELEMWISE ||
          in->owner->op == &gg__op_reduce) {
        if (gg_rule_uses(rw, in) > 1)
          return 1;
        if (in->owner->op != &gg__op_reduce)
          open[n++] = in;
      }
    }
  }
  return 0;
}

/* Views that drop axes move to the operands, where a reduction may still have
 * these axes, unless the operands have other uses. Views of light scalars move,
 * too; the scalars then fuse with their users. */
static gg_var *view_inside(const gg_rewriting *rw, gg_apply *a) {
  gg_apply *b = a->in[0]->owner;
  gg_var *in[GG_MAX_OPERANDS];

  if (!gg__is_map(b) || gg_rule_uses(rw, a->in[0]) > 1)
    return NULL;
  if (only_drops(a) ? reads_shared(rw, a->in[0])
                    : gg__wide(a->in[0]) != 0 || !is_light(a->in[0]))
    return NULL;
  for (unsigned int i = 0; i < b->n_in; i++)
    in[i] = gg__apply_like(a, &b->in[i]);
  return gg__apply_like(b, in);
}

/* Do x and the output, which have equal numbers of elements, have the same
 * sizes? A single unknown size follows from the others. */
static int is_same_shape(const gg_type *x, const gg_type *out) {
  unsigned int open = 0, none = 0;

  if (x->nd != out->nd)
    return 0;
  for (unsigned int i = 0; i < x->nd; i++) {
    none |= x->dims[i] == 0;
    if (x->dims[i] == GG_ANY || out->dims[i] == GG_ANY)
      open++;
    else if (x->dims[i] != out->dims[i])
      return 0;
  }
  return open == 0 || (open == 1 && !none);
}

/* The only axis whose size is not known to be 1; -1 if there is none or
 * several. */
static int only_axis(const gg_var *v) {
  const unsigned int wide = gg__wide(v);
  int i = 0;

  if (wide == 0 || (wide & (wide - 1)) != 0)
    return -1;
  while (!(wide >> i & 1u))
    i++;
  return i;
}

/* A reshape that only adds and drops axes of size 1. */
static gg_var *reshape_of_vector(gg_apply *a) {
  const int from = only_axis(a->in[0]), to = only_axis(a->out[0]);
  int pattern[GG_MAX_ND];

  if (gg__wide(a->in[0]) == 0 && gg__wide(a->out[0]) == 0)
    return with_rank(a->in[0], a->out[0]->type.nd);
  if (from < 0 || to < 0)
    return NULL;
  only_new(pattern);
  pattern[to] = from;
  return gg_dimshuffle(a->in[0], a->out[0]->type.nd, pattern);
}

static int is_reshape(const gg_apply *a) {
  return a->op == &gg__op_reshape || a->op == &gg__op_reshape_like ||
         a->op == &gg__op_reshape_sizes;
}

/* The operand of `a` if `a` keeps its elements in C order, else NULL. */
static gg_var *same_elements(const gg_apply *a) {
  const gg__dimshuffle_props *p = a->props;
  int last = -1;

  if (is_reshape(a))
    return a->in[0];
  if (a->op != &gg__op_dimshuffle)
    return NULL;
  for (unsigned int i = 0; i < p->nd; i++) {
    if (p->pattern[i] < 0 || a->out[0]->type.dims[i] == 1)
      continue;
    if (p->pattern[i] < last)
      return NULL;
    last = p->pattern[i];
  }
  return a->in[0];
}

static gg_var *reshape_again(gg_apply *a) {
  gg_var *in[2] = {a->in[0], a->n_in > 1 ? a->in[1] : NULL};
  gg_apply *b = a->in[0]->owner;

  if (is_same_shape(&a->in[0]->type, &a->out[0]->type))
    return a->in[0];
  in[0] = b != NULL ? same_elements(b) : NULL;
  return in[0] != NULL ? gg__apply_like(a, in) : NULL;
}

/* --- maps and reshapes --- */

/* How many last axes of x the view keeps, as far as sizes are known. */
static unsigned int kept_axes(const gg_type *x, const gg_type *view) {
  unsigned int n = 0;

  while (n < x->nd && n < view->nd &&
         x->dims[x->nd - 1 - n] == view->dims[view->nd - 1 - n] &&
         x->dims[x->nd - 1 - n] != GG_ANY)
    n++;
  return n;
}

/* v, an operand beside the view of x, as an operand beside x. NULL if v has
 * other axes than the last `kept` ones, or broadcasts the view along these. */
static gg_var *beside_viewed(gg_var *v, const gg_type *view, gg_var *x,
                             unsigned int kept) {
  const unsigned int first = view->nd - kept, nd = x->type.nd;
  int pattern[GG_MAX_ND];

  if ((gg__wide(v) & ((1u << first) - 1)) != 0)
    return NULL;
  only_new(pattern);
  for (unsigned int i = 0; i < kept; i++) {
    const int64_t size = v->type.dims[first + i];

    if (size != 1 && size != view->dims[first + i])
      return NULL;
    pattern[nd - kept + i] = (int)(first + i);
  }
  return gg_dimshuffle(v, nd, pattern);
}

/* Does v view a value of x's sizes as `view` does x? */
static int is_viewed_alike(const gg_var *v, const gg_apply *view) {
  const gg_apply *b = v->owner;
  const gg_type *to = &view->out[0]->type;

  if (b == NULL || b->op != view->op || b->n_in != view->n_in)
    return 0;
  for (unsigned int i = 1; i < b->n_in; i++)
    if (b->in[i] != view->in[i])
      return 0;
  if (b->op == &gg__op_reshape && kept_axes(&v->type, to) < to->nd)
    return 0;
  return is_same_shape(&b->in[0]->type, &view->in[0]->type);
}

/* Can a kernel that computes x compute a map in addition? */
static int takes_maps(const gg_var *x) {
  return x->owner != NULL &&
         (gg__is_map(x->owner) || x->owner->op->prepare_post != NULL);
}

/* f(reshape(x), y) becomes reshape(f(x, y)) where y has only axes that the
 * reshape keeps, or is reshaped in the same way: the kernel that computes x
 * computes f, too. */
static gg_var *map_into_reshape(const gg_rewriting *rw, gg_apply *a) {
  gg_var *in[GG_MAX_OPERANDS], *from[1 + GG_MAX_ND];
  unsigned int at = 0;

  if (!gg__is_map(a) || a->op->shape_only != 0)
    return NULL;
  while (at < a->n_in &&
         (a->in[at]->owner == NULL || !is_reshape(a->in[at]->owner)))
    at++;
  if (at == a->n_in || gg__copied_uses(rw, a->in[at]) > 1)
    return NULL;
  const gg_apply *view = a->in[at]->owner;
  const gg_type *t = &a->in[at]->type;
  gg_var *x = view->in[0];
  const unsigned int kept = kept_axes(&x->type, t);
  if (!takes_maps(x))
    return NULL;
  for (unsigned int i = 0; i < a->n_in; i++) {
    in[i] = i == at ? x
            : is_viewed_alike(a->in[i], view)
                ? a->in[i]->owner->in[0]
                : beside_viewed(a->in[i], t, x, kept);
    if (in[i] == NULL)
      return NULL;
  }
  from[0] = gg__apply_like(a, in);
  for (unsigned int i = 1; i < view->n_in; i++)
    from[i] = view->in[i];
  return from[0] != NULL ? gg__apply_like(view, from) : NULL;
}

/* --- sizes --- */

/* The host computes vectors of sizes, once per plan. */
static gg_var *vector_of_sizes(gg_apply *a) {
  const gg_type *t = &a->out[0]->type;

  if (t->nd != 1 || t->dtype != GA_LONG || a->n_out != 1 ||
      a->op->kind == GG_OP_SHAPE)
    return NULL;
  return gg__vector_of_sizes(a->out[0]);
}

/* Sizes may have become constants, which the builders use. */
static gg_var *known_sizes(gg_apply *a) {
  if (a->op == &gg__op_vector)
    return gg_vector(a->n_in, a->in);
  return a->op == &gg__op_reshape_sizes
             ? gg_reshape_sizes(a->in[0], a->n_in - 1, a->in + 1)
             : gg_specify_sizes(a->in[0], a->in + 1);
}

/* Indices of whole rows get axes of size 1, so that maps can read the rows by
 * index. */
static gg_var *index_of_rows(gg_apply *a) {
  const unsigned int axis = ((const gg__axis_props *)a->props)->axis;
  const unsigned int nd = a->in[0]->type.nd;
  int pattern[GG_MAX_ND];

  if (a->in[1]->type.nd == nd)
    return NULL;
  for (unsigned int d = 0; d < nd; d++)
    pattern[d] = d == axis ? 0 : -1;
  gg_var *const in[2] = {a->in[0], gg_dimshuffle(a->in[1], nd, pattern)};
  return gg__apply_like(a, in);
}

const gg_rule gg__rules_shape[] = {
    GG_RULE("fill of same shape", GG_CANON, fill_of_same_shape, &gg__op_fill),
    GG_RULE("fill of fill", GG_CANON, fill_of_fill, &gg__op_fill),
    GG_RULE_ANY("sink fill", GG_CANON, sink_fill),
    GG_RULE("dimshuffle of fill", GG_CANON, dimshuffle_of_fill,
            &gg__op_dimshuffle),
    GG_RULE("reshape of fill", GG_CANON, reshape_of_fill, &gg__op_reshape,
            &gg__op_reshape_like),
    GG_RULE_ANY("shape of operand", GG_CANON, shape_of_operand),
    GG_RULE("size of view", GG_CANON, size_of_view, &gg__op_size),
    GG_RULE("shape of view", GG_CANON, shape_of_view, &gg__op_shape),
    GG_RULE("dimshuffle of dimshuffle", GG_CANON, dimshuffle_again,
            &gg__op_dimshuffle),
    GG_RULE_COUNTED("number out of dimshuffle", GG_LATE, dimshuffle_of_scaled,
                    &gg__op_dimshuffle),
    GG_RULE_COUNTED("view to operands", GG_LATE, view_inside,
                    &gg__op_dimshuffle),
    GG_RULE("index of rows", GG_LATE, index_of_rows, &gg__op_take),
    GG_RULE("reshape to add axes", GG_CANON, reshape_of_vector,
            &gg__op_reshape),
    GG_RULE("reshape of reshape", GG_CANON, reshape_again, &gg__op_reshape,
            &gg__op_reshape_like),
    {.name = "map into reshape",
     .phases = GG_LATE,
     .counted = map_into_reshape},
    GG_RULE("known sizes", GG_CANON, known_sizes, &gg__op_reshape_sizes,
            &gg__op_specify_sizes, &gg__op_vector),
    GG_RULE_ANY("vector of sizes", GG_CANON, vector_of_sizes),
    {0}};
