/* SPDX-License-Identifier: BSD-2-Clause */
/* States whose sizes change: how derivatives find their earlier values. The
 * trace of such a state has its values one after another as one vector. The
 * loop also puts out the sizes of the value that each iteration reads, from
 * which the places of values in the trace follow. */
#include <gpugraph/cumulate.h>
#include <gpugraph/sizes.h>

#include "loop/loop_derive.h"
#include "ops/ops.h"

int gg__loop_put_sizes(gg__loop_spec *s) {
  for (size_t t = 0; t < s->taps.n; t++) {
    gg_var *const v = s->taps.v[t].var;
    if (s->states.v[s->taps.v[t].state].depth != 0)
      continue;
    for (unsigned int k = 0; k < v->type.nd; k++) {
      if (v->type.dims[k] != GG_ANY)
        continue;
      const gg__loop_result size = {.value = gg_shape(v, (int)k)};
      if (size.value == NULL)
        return gg__fail(s->g, gg_graph_status(v->graph), "scan: %s",
                        gg_graph_error(v->graph));
      if (ga__vec_push(&s->outs, size) != GA_NO_ERROR)
        return gg__fail(s->g, GA_MEMORY_ERROR, "out of host memory");
    }
  }
  return GA_NO_ERROR;
}

/* The sizes along axis k of what tap input v reads, one for each iteration. */
static gg_var *rows_of_sizes(const gg__deriver *d, const gg_var *v,
                             unsigned int k) {
  const gg__loop *l = &d->l;

  for (unsigned int i = 0; i < l->h->n_outs; i++) {
    const gg_apply *a = l->inner->out[gg__body_out(l, i)]->owner;
    if (a != NULL && a->op == &gg__op_shape && a->in[0] == v &&
        !l->outs[i].reversed && ((const gg__axis_props *)a->props)->axis == k)
      return d->a->out[gg__loop_all(l, i)];
  }
  return NULL;
}

/* Add a sequence of numbers to the new loop. Returns its row. */
static gg_var *add_numbers(gg__deriver *d, gg_var *outer) {
  const gg_type scalar = {.dtype = GA_LONG};
  const gg__loop_series x = {.outer = outer,
                             .row = gg__deriver_like(d, &scalar, "")};

  if (outer == NULL || x.row == NULL)
    return NULL;
  if (ga__vec_push(&d->parts, x) == GA_NO_ERROR)
    return x.row;
  gg__deriver_no_memory(d);
  return NULL;
}

/* A part of the trace, in d->w; both may be NULL. */
gg_var *gg__deriver_part(gg__deriver *d, gg_var *outer, gg_var *begin,
                         gg_var *end) {
  const gg__loop_constant x = {
      outer, outer != NULL ? gg__deriver_like(d, &outer->type, "") : NULL};

  if (x.var == NULL)
    return NULL;
  if (ga__vec_push(&d->traces, x) == GA_NO_ERROR)
    return gg_slice_at(x.var, 0, begin, end, NULL);
  gg__deriver_no_memory(d);
  return NULL;
}

/* Set sizes[] to those of tap input v, in d->w, and *n to their product. *rows
 * becomes the products of all iterations. */
static int find_sizes(gg__deriver *d, const gg_var *v, gg_var **sizes,
                      gg_var **n, gg_var **rows) {
  *n = *rows = NULL;
  for (unsigned int k = 0; k < v->type.nd; k++) {
    const int64_t known = v->type.dims[k];
    gg_var *all = known == GG_ANY ? rows_of_sizes(d, v, k) : NULL;

    if (known == GG_ANY && all == NULL)
      return gg_op_fail(d->a, GA_UNSUPPORTED_ERROR,
                        "the sizes of a state (%s) are no outputs of the loop",
                        gg__display_name(v));
    sizes[k] = all != NULL ? add_numbers(d, all) : gg_i64(d->w, known);
    if (all == NULL)
      all = gg_i64(d->g, known);
    *n = *n != NULL ? gg_mul(*n, sizes[k]) : sizes[k];
    *rows = *rows != NULL ? gg_mul(*rows, all) : all;
  }
  GA_TRY(gg_graph_status(d->g));
  if (*rows == NULL || (*rows)->type.nd == 0)
    return gg_op_fail(d->a, GA_UNSUPPORTED_ERROR,
                      "no size of a resized state (%s) is open",
                      gg__display_name(v));
  return GA_NO_ERROR;
}

int gg__deriver_earlier(gg__deriver *d, unsigned int tap, gg_var **value) {
  const unsigned int state = (unsigned int)d->l.taps[tap].state;
  const gg_var *v = d->l.inner->in[gg__body_tap(&d->l, tap)];
  gg_var *sizes[GG_MAX_ND], *n, *rows;

  GA_TRY(find_sizes(d, v, sizes, &n, &rows));
  gg_var *const begin = add_numbers(
      d, gg_cumulate(GA_CUMULATE_SUM, rows, 0, GA_CUMULATE_EXCLUSIVE));
  gg_var *const end = begin != NULL ? gg_add(begin, n) : NULL;
  gg_var *const part =
      gg__deriver_part(d, d->a->out[gg__loop_trace(state)], begin, end);
  *value = part != NULL ? gg_reshape_sizes(part, v->type.nd, sizes) : NULL;
  d->ends.v[state] = end;
  GA_TRY(gg_graph_status(d->g));
  if (*value == NULL && gg_graph_status(d->w) == GA_NO_ERROR)
    return gg__deriver_no_memory(d);
  return gg__deriver_adopt(d, GA_NO_ERROR);
}
