/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops: the end alone, and work of all steps at once. */
#include "loop/loop.h"
#include "rewrite/rewrite.h"

/* The output of a loop that `v` is all values of: itself, or a trace without
 * the rows that it starts from. */
static gg_var *all_values(gg_var *v, gg__loop *l) {
  gg_apply *slice = gg__node(v, &gg__op_slice);
  gg_var *from = slice != NULL ? slice->in[0] : v;
  gg_apply *a = gg__node(from, &gg__op_scan);
  int64_t before = 0;

  if (a == NULL)
    return NULL;
  *l = gg__loop_of(a);
  if (from->index % 2 != 0 || from->index == gg__loop_count(l))
    return NULL;
  if (from->index < gg__loop_all(l, 0))
    before = l->depth[from->index / 2];
  else if (l->outs[from->index / 2 - l->h->n_states].reversed)
    return NULL;
  if ((slice != NULL) != (before != 0))
    return NULL;
  if (slice == NULL)
    return from;
  const gg__slice_props *p = slice->props;
  return p->axis == 0 && p->start == before && p->stop == GG_END && p->step == 1
             ? from
             : NULL;
}

/* A loop that makes all its steps gives the last of all values by itself, and
 * need not keep the others for it. */
static gg_var *last_of_all(gg_apply *a) {
  const gg__index_props *p = a->props;
  gg__loop l;

  if (p->axis != 0)
    return NULL;
  gg_var *all = all_values(a->in[0], &l);
  if (all == NULL || gg__loop_is_open(&l) ||
      (p->index != -1 &&
       (p->index < 0 || p->index != a->in[0]->type.dims[0] - 1)))
    return NULL;
  return all->owner->out[all->index + 1];
}

/* Products of rows with what does not change. */
static gg_var *push_out(gg_apply *a) {
  gg_apply *by = gg__loop_push_out(a);

  return by != NULL ? by->out[0] : NULL;
}

const gg__rule gg__rules_loop[] = {{.name = "scan push out",
                                    .root = &gg__op_scan,
                                    .phases = GG_CANON,
                                    .apply = push_out},
                                   {.name = "scan last",
                                    .root = &gg__op_index,
                                    .phases = GG_CANON,
                                    .apply = last_of_all},
                                   {0}};
