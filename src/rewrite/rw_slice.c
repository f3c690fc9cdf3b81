/* SPDX-License-Identifier: BSD-2-Clause */
/* Slices and indices merge, and move to the operands of what they take a part
 * of, so that no more is computed than is read. */
#include <string.h>

#include "rewrite/rw_match.h"

#define MAX_BOUND ((int64_t)1 << 30) /* bounds of slices that are merged */

/* --- the same part of another variable --- */

/* The axis along which `a` takes a part. */
static unsigned int axis_of(const gg_apply *a) {
  return a->op == &gg__op_slice
             ? (unsigned int)((const gg__slice_props *)a->props)->axis
             : (unsigned int)((const gg__index_props *)a->props)->axis;
}

/* The part that `a` takes, of v along `axis`. */
static gg_var *same_part(const gg_apply *a, gg_var *v, unsigned int axis) {
  GA_ASSERT(a->op == &gg__op_slice || a->op == &gg__op_index);
  if (v == NULL)
    return NULL;
  if (a->op == &gg__op_slice) {
    gg__slice_props slice = *(const gg__slice_props *)a->props;
    slice.axis = axis;
    return gg_op_apply(NULL, a->op, &slice, 1, &v);
  }
  gg__index_props index = *(const gg__index_props *)a->props;
  index.axis = axis;
  return gg_op_apply(NULL, a->op, &index, 1, &v);
}

/* The part of an operand that may be broadcast along the axis. */
static gg_var *part_of_operand(const gg_apply *a, gg_var *v) {
  const unsigned int axis = axis_of(a);

  if (v->type.dims[axis] != 1)
    return same_part(a, v, axis);
  return a->op == &gg__op_slice ? v : gg__drop_axes(v, 1u << axis);
}

static int is_used_once(const gg_rewriting *rw, const gg_apply *a) {
  return gg_rule_uses(rw, a->in[0]) <= 1;
}

/* Is operand 0 one row that slices cut up, each as wide as this one and read by
 * maps alone? They are taken to have no elements in common: then the parts of
 * what computes the row cost as much as the row, and fuse with those maps. */
static int is_cut_row(const gg_rewriting *rw, const gg_apply *a) {
  const gg_type *row = &a->in[0]->type;
  const unsigned int axis = row->nd - 1;

  if (a->op != &gg__op_slice || axis_of(a) != axis || row->nd > 2 ||
      (row->nd == 2 && row->dims[0] != 1))
    return 0;
  const int64_t n = row->dims[axis], each = a->out[0]->type.dims[axis];
  return n > 0 && each > 0 && n % each == 0 &&
         gg_rule_uses(rw, a->in[0]) == n / each &&
         gg__is_read_by_slices(rw, a->in[0]);
}

/* --- of elementwise nodes and fills --- */

/* Is the axis not known to have size 1? part_of_operand() keeps operands of
 * size 1 whole, so it must not be used for a part of an axis of size 1. */
static int is_wide(const gg_apply *a) {
  return a->in[0]->type.dims[axis_of(a)] != 1;
}

static gg_var *part_of_map(const gg_rewriting *rw, gg_apply *a) {
  gg_apply *b = a->in[0]->owner;
  gg_var *in[GG_MAX_OPERANDS];

  if (!gg__is_map(b) || !is_wide(a) ||
      (!is_used_once(rw, a) && !is_cut_row(rw, a)))
    return NULL;
  for (unsigned int i = 0; i < b->n_in; i++)
    in[i] = part_of_operand(a, b->in[i]);
  return gg__apply_like(b, in);
}

static gg_var *part_of_fill(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_fill);

  if (b == NULL || !is_wide(a))
    return NULL;
  return gg_fill(part_of_operand(a, b->in[0]), part_of_operand(a, b->in[1]));
}

/* --- of views --- */

static gg_var *part_of_dimshuffle(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_dimshuffle);
  const gg__dimshuffle_props *d = b != NULL ? b->props : NULL;
  const unsigned int axis = axis_of(a);
  int pattern[GG_MAX_ND], from;
  unsigned int nd = 0;

  if (b == NULL || d->pattern[axis] < 0)
    return NULL;
  from = d->pattern[axis];
  for (unsigned int i = 0; i < d->nd; i++) {
    if (a->op == &gg__op_index && i == axis)
      continue;
    pattern[nd] = d->pattern[i];
    if (a->op == &gg__op_index && pattern[nd] > from)
      pattern[nd]--;
    nd++;
  }
  return gg_dimshuffle(same_part(a, b->in[0], (unsigned int)from), nd, pattern);
}

static int is_forward(const gg__slice_props *p) {
  return p->step > 0 && p->step < MAX_BOUND &&
         (p->start == GG_END || (p->start >= 0 && p->start < MAX_BOUND)) &&
         (p->stop == GG_END || (p->stop >= 0 && p->stop < MAX_BOUND));
}

/* x[a:b:p][c:d:q] is x[a + p c : min(b, a + p d) : p q]. */
static gg_var *slice_of_slice(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_slice);
  const gg__slice_props *outer = a->props;

  if (b == NULL)
    return NULL;
  const gg__slice_props *inner = b->props;
  if (inner->axis != outer->axis || !is_forward(inner) || !is_forward(outer))
    return NULL;
  gg__slice_props p = *inner;
  p.start = (inner->start == GG_END ? 0 : inner->start) +
            inner->step * (outer->start == GG_END ? 0 : outer->start);
  if (outer->stop != GG_END) {
    p.stop =
        (inner->start == GG_END ? 0 : inner->start) + inner->step * outer->stop;
    if (inner->stop != GG_END && inner->stop < p.stop)
      p.stop = inner->stop;
  }
  p.step = inner->step * outer->step;
  return is_forward(&p) ? gg_op_apply(NULL, &gg__op_slice, &p, 1, b->in) : NULL;
}

/* Only if the size is known, since an index outside of the slice is an
 * error. */
static gg_var *index_of_slice(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_slice);
  gg__index_props p = *(const gg__index_props *)a->props;

  if (b == NULL)
    return NULL;
  const gg__slice_props *s = b->props;
  if (s->axis != p.axis || !is_forward(s) || p.index < 0 ||
      a->in[0]->type.dims[p.axis] == GG_ANY ||
      p.index >= a->in[0]->type.dims[p.axis])
    return NULL;
  p.index = (s->start == GG_END ? 0 : s->start) + s->step * p.index;
  return gg_op_apply(NULL, &gg__op_index, &p, 1, b->in);
}

/* Does the part have all elements of operand 0? */
static int is_all(const gg_apply *a) {
  const gg__slice_props *p = a->props;
  const int64_t n = a->in[0]->type.dims[p->axis];

  return (p->start == GG_END || p->start == 0) &&
         (p->stop == GG_END || (n != GG_ANY && p->stop >= n)) && p->step == 1;
}

static gg_var *slice_of_all(gg_apply *a) {
  return is_all(a) ? a->in[0] : NULL;
}

/* The part of slice_grad where it placed its gradient is that gradient. */
static gg_var *slice_of_placed(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_slice_grad);

  return b != NULL && memcmp(a->props, b->props, sizeof(gg__slice_props)) == 0
             ? b->in[1]
             : NULL;
}

/* The part that slice_set replaced is the new value. */
static gg_var *slice_of_set(gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_slice_set);

  return b != NULL && memcmp(a->props, b->props, sizeof(gg__slice_props)) == 0
             ? b->in[1]
             : NULL;
}

/* Setting all of x leaves nothing of x; setting a part to itself changes
 * nothing. */
static gg_var *set_for_nothing(gg_apply *a) {
  gg_apply *b = gg__node(a->in[1], &gg__op_slice);

  if (is_all(a))
    return gg_fill(a->in[0], a->in[1]);
  return b != NULL && b->in[0] == a->in[0] &&
                 memcmp(a->props, b->props, sizeof(gg__slice_props)) == 0
             ? a->in[0]
             : NULL;
}

/* --- of joined values --- */

/* A part along another axis than the joined one is the join of the operands'
 * parts. */
static gg_var *part_of_each(const gg_apply *a, const gg_apply *b,
                            unsigned int joined) {
  const unsigned int axis = axis_of(a);
  gg_var *in[GG_MAX_OPERANDS];

  for (unsigned int i = 0; i < b->n_in; i++)
    in[i] = same_part(a, b->in[i], axis);
  return gg_join((int)joined - (a->op == &gg__op_index && axis < joined),
                 b->n_in, in);
}

/* The operand that has all elements from lo to hi - 1; its first element is
 * *first. NULL if there is none. */
static gg_var *joined_operand(const gg_apply *b, unsigned int axis, int64_t lo,
                              int64_t hi, int64_t *first) {
  int64_t n;

  *first = 0;
  for (unsigned int i = 0; i < b->n_in; i++, *first += n) {
    n = b->in[i]->type.dims[axis];
    if (n == GG_ANY)
      return NULL;
    if (lo >= *first && hi <= *first + n)
      return b->in[i];
  }
  return NULL;
}

/* A part that lies within one operand is a part of that operand. */
static gg_var *part_of_one(const gg_apply *a, const gg_apply *b) {
  int64_t first;

  if (a->op == &gg__op_index) {
    gg__index_props x = *(const gg__index_props *)a->props;
    gg_var *v =
        x.index < 0 || x.index >= MAX_BOUND
            ? NULL
            : joined_operand(b, axis_of(a), x.index, x.index + 1, &first);
    x.index -= v != NULL ? first : 0;
    return v != NULL ? gg_op_apply(NULL, a->op, &x, 1, &v) : NULL;
  }
  gg__slice_props s = *(const gg__slice_props *)a->props;
  if (!is_forward(&s) || s.stop == GG_END)
    return NULL;
  s.start = s.start == GG_END ? 0 : s.start;
  gg_var *v = s.start < s.stop
                  ? joined_operand(b, axis_of(a), s.start, s.stop, &first)
                  : NULL;
  if (v == NULL)
    return NULL;
  s.start -= first;
  s.stop -= first;
  return gg_op_apply(NULL, a->op, &s, 1, &v);
}

static gg_var *part_of_join(const gg_rewriting *rw, gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_join);

  if (b == NULL)
    return NULL;
  unsigned int joined = ((const gg__axis_props *)b->props)->axis;
  if (joined == axis_of(a))
    return part_of_one(a, b);
  return b->n_in <= GG_MAX_OPERANDS && is_used_once(rw, a)
             ? part_of_each(a, b, joined)
             : NULL;
}

/* --- of reductions and products --- */

/* A part along an axis that is not reduced is the reduction of a part. */
static gg_var *part_of_reduction(const gg_rewriting *rw, gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_reduce);
  unsigned int axis = axis_of(a), low;

  if (b == NULL || !is_used_once(rw, a))
    return NULL;
  gg_reduce_props p = *(const gg_reduce_props *)b->props;
  if (p.keepdims && (p.axes_mask >> axis & 1u))
    return NULL;
  for (low = 0; !p.keepdims && low <= axis; low++)
    axis += p.axes_mask >> low & 1u; /* skip a reduced axis before it */
  gg_var *x = same_part(a, b->in[0], axis);
  low = p.axes_mask & ((1u << axis) - 1);
  if (a->op == &gg__op_index)
    p.axes_mask = low | (p.axes_mask >> (axis + 1) << axis);
  return x != NULL ? gg_op_apply(NULL, b->op, &p, 1, &x) : NULL;
}

/* A part of a product is a product of rows of the first operand or of columns
 * of the second. */
static gg_var *part_of_dot(const gg_rewriting *rw, gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_dot);
  gg_var *in[2];

  if (b == NULL || !is_used_once(rw, a))
    return NULL;
  in[0] = b->in[0];
  in[1] = b->in[1];
  if (in[0]->type.nd == 2 && axis_of(a) == 0)
    in[0] = same_part(a, in[0], 0);
  else if (in[1]->type.nd == 2)
    in[1] = same_part(a, in[1], 1);
  else
    return NULL;
  return gg__apply_like(b, in);
}

/* Several parts of one row are sums, which fuse with the maps that read them:
 * the gates of a cell of a recurrent network are then one kernel. */
static gg_var *part_of_row(const gg_rewriting *rw, gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_dot);

  if (b == NULL || b->in[1]->type.nd != 2 || !gg__is_float(a->in[0]) ||
      !is_cut_row(rw, a))
    return NULL;
  return gg__multiply_row(b, same_part(a, b->in[1], 1));
}

/* The same for a batch: a part of the batch, or rows or columns in all of
 * it. */
static gg_var *part_of_batched_dot(const gg_rewriting *rw, gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_batched_dot);
  const unsigned int axis = axis_of(a), k = axis - 1;
  const int is_index = a->op == &gg__op_index;
  gg_var *in[2], *v;

  if (b == NULL || !is_used_once(rw, a))
    return NULL;
  in[0] = b->in[0];
  in[1] = b->in[1];
  if (axis == 0) {
    in[0] = same_part(a, in[0], 0);
    in[1] = same_part(a, in[1], 0);
    return is_index ? gg_op_apply(NULL, &gg__op_dot, b->props, 2, in)
                    : gg__apply_like(b, in);
  }
  in[k] = same_part(a, in[k], axis);
  if (!is_index)
    return gg__apply_like(b, in);
  in[k] = gg__expand(in[k], axis);
  v = gg__apply_like(b, in);
  return v != NULL ? gg__drop_axes(v, 1u << axis) : NULL;
}

/* --- of transfers --- */

/* Only the part that is read is transferred. */
static gg_var *part_of_transfer(const gg_rewriting *rw, gg_apply *a) {
  gg_apply *b = gg__node(a->in[0], &gg__op_transfer);

  if (b == NULL || !is_used_once(rw, a))
    return NULL;
  gg_var *x = same_part(a, b->in[0], axis_of(a));
  return x != NULL ? gg_transfer(x, gg__transfer_target(b)) : NULL;
}

const gg_rule gg__rules_slice[] = {
    GG_RULE("slice of all", GG_CANON, slice_of_all, &gg__op_slice),
    GG_RULE("slice of slice", GG_CANON, slice_of_slice, &gg__op_slice),
    GG_RULE("index of slice", GG_CANON, index_of_slice, &gg__op_index),
    GG_RULE("slice of placed", GG_CANON, slice_of_placed, &gg__op_slice),
    GG_RULE("slice of set", GG_CANON, slice_of_set, &gg__op_slice),
    GG_RULE("set for nothing", GG_CANON, set_for_nothing, &gg__op_slice_set),
    GG_RULE("part of dimshuffle", GG_CANON, part_of_dimshuffle, &gg__op_slice,
            &gg__op_index),
    GG_RULE("part of fill", GG_CANON, part_of_fill, &gg__op_slice,
            &gg__op_index),
    GG_RULE_COUNTED("part of join", GG_LATE, part_of_join, &gg__op_slice,
                    &gg__op_index),
    GG_RULE_COUNTED("part of reduction", GG_LATE, part_of_reduction,
                    &gg__op_slice, &gg__op_index),
    GG_RULE_COUNTED("part of dot", GG_LATE, part_of_dot, &gg__op_slice,
                    &gg__op_index),
    GG_RULE_COUNTED("part of dot", GG_LATE, part_of_batched_dot, &gg__op_slice,
                    &gg__op_index),
    GG_RULE_COUNTED("part of row", GG_LATE, part_of_row, &gg__op_slice),
    GG_RULE_COUNTED("part of elementwise", GG_LATE, part_of_map, &gg__op_slice,
                    &gg__op_index),
    GG_RULE_COUNTED("part of transfer", GG_LATE, part_of_transfer,
                    &gg__op_slice, &gg__op_index),
    {0}};
