/* SPDX-License-Identifier: BSD-2-Clause */
/* Non-maximum suppression: a loop that takes the best box of every class of
 * every batch at once, and suppresses those that overlap it. */
#include <gpugraph/arrange.h>
#include <gpugraph/scan.h>
#include <gpugraph/select.h>
#include <math.h>

#include "base/dtype.h"
#include "ops/compose.h"
#include "ops/ops.h"

/* Corners and areas of boxes. */
typedef struct boxes {
  gg_var *y1, *x1, *y2, *x2, *area;
} boxes;

/* --- boxes --- */

/* [B, N] each, of [B, N, 4]: two opposite corners, y before x, or the centre, x
 * before y, then width and height. */
static boxes corners(gg_var *b, int is_center) {
  gg_var *c[4], *half = gg__num(b, 0.5);
  boxes r;

  for (int i = 0; i < 4; i++)
    c[i] = gg_index(b, 2, i);
  if (is_center) {
    gg_var *const w = gg_mul(c[2], half), *const h = gg_mul(c[3], half);
    r = (boxes){.y1 = gg_sub(c[1], h),
                .x1 = gg_sub(c[0], w),
                .y2 = gg_add(c[1], h),
                .x2 = gg_add(c[0], w)};
  } else {
    r = (boxes){.y1 = gg_minimum(c[0], c[2]),
                .x1 = gg_minimum(c[1], c[3]),
                .y2 = gg_maximum(c[0], c[2]),
                .x2 = gg_maximum(c[1], c[3])};
  }
  r.area = gg_mul(gg_sub(r.y2, r.y1), gg_sub(r.x2, r.x1));
  return r;
}

/* The boxes k [B, C], as [B, C, 1]. */
static boxes boxes_at(const boxes *b, gg_var *k) {
  gg_var *const of[5] = {b->y1, b->x1, b->y2, b->x2, b->area};
  gg_var *at[5];

  for (int i = 0; i < 5; i++)
    at[i] = gg_expand_dims(gg_take_along(of[i], 1, k), 2);
  return (boxes){at[0], at[1], at[2], at[3], at[4]};
}

/* All boxes, as [B, 1, N]. */
static boxes boxes_all(const boxes *b) {
  return (boxes){gg_expand_dims(b->y1, 1), gg_expand_dims(b->x1, 1),
                 gg_expand_dims(b->y2, 1), gg_expand_dims(b->x2, 1),
                 gg_expand_dims(b->area, 1)};
}

/* Does the intersection exceed this part of the union? */
static gg_var *overlap(const boxes *a, const boxes *b, gg_var *part) {
  gg_var *const zero = gg__num(part, 0);
  gg_var *const h = gg_maximum(
      gg_sub(gg_minimum(a->y2, b->y2), gg_maximum(a->y1, b->y1)), zero);
  gg_var *const w = gg_maximum(
      gg_sub(gg_minimum(a->x2, b->x2), gg_maximum(a->x1, b->x1)), zero);
  gg_var *const both = gg_mul(h, w);
  gg_var *const any = gg_sub(gg_add(a->area, b->area), both);

  return gg_and(gg_gt(both, gg_mul(part, any)), gg_gt(both, zero));
}

/* --- the loop --- */

/* One iteration. `left` [B, C, N]: scores, -inf for boxes that are out. Returns
 * the index of the best box, [B, C], or -1; *next: the scores then. */
static gg_var *pick(const boxes *b, gg_var *left, gg_var *part, gg_var **next) {
  gg_var *const none = gg__num(left, -INFINITY);
  gg_var *const k = gg_argmax_axis(left, 2);
  gg_var *const is = gg_gt(gg_max_axis(left, 2), none);
  const boxes best = boxes_at(b, k), all = boxes_all(b);
  gg_var *const self = gg_eq(gg_positions(left, 2), gg_expand_dims(k, 2));
  gg_var *const out = gg_or(overlap(&best, &all, part), self);

  *next = gg_where(out, none, left);
  return gg_where(is, k, gg__whole_number(k, -1));
}

/* [B, C, iterations] */
static gg_var *pick_all(const boxes *b, gg_var *left, gg_var *n, gg_var *part) {
  gg_scan *const s = gg_scan_open(gg_var_graph(left));
  gg_var *const state = gg_scan_state(s, left), *next;
  gg_var *const k = gg_scan_output(s, pick(b, state, part, &next));
  gg_var *all = NULL;

  gg_scan_next(s, state, next);
  gg_scan_steps(s, n);
  if (gg_scan_close(s) == GA_NO_ERROR)
    all = gg_dimshuffle(gg_scan_all(s, k), 3, (int[]){1, 2, 0});
  gg_scan_free(s);
  return all;
}

/* --- the whole --- */

/* x, which has three axes, with a row of `value` along `axis` if it has none:
 * the body of the loop reads a row even if the loop has no iterations. */
static gg_var *with_rows(gg_var *x, unsigned int axis, double value) {
  gg_var *before[3] = {NULL, NULL, NULL}, *after[3] = {NULL, NULL, NULL};
  gg_var *const one = gg__whole_number(x, 1);

  if (gg_var_type(x)->dims[axis] > 0)
    return x;
  after[axis] = gg__number_most(gg_sub(one, gg_shape(x, (int)axis)),
                                gg__whole_number(x, 0));
  return gg_pad_sizes(x, before, after, GG_PAD_CONSTANT, gg__num(x, value));
}

static int check(gg_var *const *in, gg_var *score_threshold) {
  static const gg_op name = {.name = "non_max_suppression"};
  const gg_type *b, *s;

  if (!gg__given(&name, 4, in))
    return 0;
  b = gg_var_type(in[0]);
  s = gg_var_type(in[1]);
  if (b->nd == 3 && s->nd == 3 && b->dtype == s->dtype &&
      ga__dtype_kind(b->dtype) == GA_KIND_FLOAT &&
      (b->dims[2] == 4 || b->dims[2] == GG_ANY) &&
      gg_var_type(in[3])->nd == 0 &&
      (score_threshold == NULL || gg_var_type(score_threshold)->nd == 0))
    return gg__check_number(&name, in[0], in[2]);
  gg__refuse(&name, 4, in, GA_VALUE_ERROR,
             "expected boxes [B, N, 4] and scores [B, C, N] of one dtype of "
             "floats, and thresholds that are scalars");
  return 0;
}

gg_var *gg_non_max_suppression(gg_var *b, gg_var *scores, gg_var *most,
                               gg_var *iou_threshold, gg_var *score_threshold,
                               int is_center) {
  gg_var *const in[4] = {b, scores, most, iou_threshold};
  gg_var *left = scores;

  if (!check(in, score_threshold))
    return NULL;
  const int dtype = gg_var_type(b)->dtype;
  const boxes c = corners(with_rows(b, 1, 0), is_center);
  if (score_threshold != NULL)
    left = gg_where(gg_gt(scores, gg_cast(score_threshold, dtype)), scores,
                    gg__num(scores, -INFINITY));
  gg_var *const n =
      gg_maximum(gg_minimum(gg_cast(most, GA_LONG), gg_shape(scores, 2)),
                 gg__whole_number(b, 0));
  left = with_rows(left, 2, -INFINITY);
  gg_var *const all = pick_all(&c, left, n, gg_cast(iou_threshold, dtype));
  if (all == NULL)
    return NULL;
  gg_var *const is = gg_ge(all, gg__whole_number(b, 0));
  gg_var *const both[2] = {gg_slice(gg_nonzero(is), 1, 0, 2, 1),
                           gg_expand_dims(gg_compress(all, is), 1)};
  return gg_join(1, 2, both);
}
