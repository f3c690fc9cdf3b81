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

static gg_var *reshape_of_fill(gg_apply *a) {
  gg_apply *fill = gg__node(a->in[0], &gg__op_fill);

  if (fill == NULL || gg__wide(fill->in[1]) != 0)
    return NULL;
  gg_var *like =
      a->op == &gg__op_reshape ? gg__apply_like(a, &fill->in[0]) : a->in[1];
  return gg_fill(like, gg__with_rank(fill->in[1], a->out[0]->type.nd));
}

/* --- shapes --- */

/* Inputs of which only the shape matters are replaced by the oldest operand
 * that has it. */
static gg_var *shape_of_operand(gg_apply *a) {
  gg_var *in[GG_MAX_OPERANDS];
  unsigned int changed = 0;

  if (a->op->shape_only == 0 || a->n_in > GG_MAX_OPERANDS)
    return NULL;
  for (unsigned int i = 0; i < a->n_in; i++) {
    in[i] = a->in[i];
    if (!gg_apply_shape_only(a, i))
      continue;
    in[i] = gg__shape_root(a->in[i]);
    changed |= in[i] != a->in[i];
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
    GG_RULE("known sizes", GG_CANON, known_sizes, &gg__op_reshape_sizes,
            &gg__op_specify_sizes, &gg__op_vector),
    GG_RULE_ANY("vector of sizes", GG_CANON, vector_of_sizes),
    {0}};
