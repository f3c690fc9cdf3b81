/* SPDX-License-Identifier: BSD-2-Clause */
/* The common part of both derivatives of a loop: a copy of its body in a
 * separate graph, and a new loop with the inputs of the old one. */
#include "loop/loop_derive.h"

#include <gpugraph/cumulate.h>
#include <gpugraph/sizes.h>
#include <string.h>

#include "ops/ops.h"

void gg__deriver_clear(gg__deriver *d) {
  ga__vec_clear(&d->in);
  ga__vec_clear(&d->out);
  ga__vec_clear(&d->parts);
  ga__vec_clear(&d->traces);
  ga__vec_clear(&d->ends);
  gg__loop_spec_clear(&d->spec);
  gg_graph_free(d->w);
}

int gg__deriver_no_memory(const gg__deriver *d) {
  return gg__fail(d->g, GA_MEMORY_ERROR, "out of host memory");
}

int gg__deriver_adopt(const gg__deriver *d, int err) {
  if (gg_graph_status(d->w) != GA_NO_ERROR)
    return gg__fail(d->g, gg_graph_status(d->w), "scan: %s",
                    gg_graph_error(d->w));
  return err;
}

gg_var *gg__deriver_like(const gg__deriver *d, const gg_type *t,
                         const char *name) {
  return gg_input_sized(d->w, name, t->dtype, t->nd, t->dims);
}

/* --- states whose sizes change --- */

/* The trace of such a state has its values one after another as one vector. The
 * loop also puts out the sizes of the value that each iteration reads, from
 * which the places of values in the trace follow. */

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

/* --- building --- */

static int is_resized(const gg__deriver *d, unsigned int tap) {
  return d->l.depth[d->l.taps[tap].state] == 0;
}

static int copy_body(gg__deriver *d) {
  const gg__inner *x = d->l.inner;
  gg__subst s;
  int err = GA_NO_ERROR;

  for (unsigned int i = 0; i < x->n_in; i++)
    if (ga__vec_push(&d->in,
                     gg__deriver_like(d, &x->in[i]->type, x->in[i]->name)))
      return gg__deriver_no_memory(d);
  for (unsigned int i = 0; i < d->l.h->n_states; i++)
    if (ga__vec_push(&d->ends, NULL))
      return gg__deriver_no_memory(d);
  for (unsigned int i = 0; i < d->l.h->n_taps; i++)
    if (is_resized(d, i))
      GA_TRY(gg__deriver_earlier(d, i, &d->in.v[gg__body_tap(&d->l, i)]));
  for (unsigned int i = 0; i < x->n_out; i++)
    if (ga__vec_push(&d->out, NULL))
      return gg__deriver_no_memory(d);
  gg__subst_init(&s, d->w);
  err = gg__inner_expand(x, &s, d->in.v, d->out.v);
  gg__subst_clear(&s);
  return err;
}

int gg__deriver_init(gg__deriver *d, const gg_apply *a) {
  memset(d, 0, sizeof *d);
  d->a = a;
  d->l = gg__loop_of(a);
  d->g = d->spec.g = a->out[0]->graph;
  d->w = gg_graph_new(d->l.inner->g->ctx);
  if (d->w == NULL)
    return gg__deriver_no_memory(d);
  d->spec.steps = a->in[GG_LOOP_STEPS];
  d->spec.is_exact = d->l.h->is_exact; /* slices of traces are as long */
  if (d->l.h->is_limited)
    d->spec.limit = a->in[GG_LOOP_LIMIT];
  if (d->l.h->has_until)
    d->spec.limit = a->out[gg__loop_count(&d->l)];
  return copy_body(d);
}

int gg__deriver_series(gg__deriver *d, gg_var *outer, gg_var *row,
                       int64_t reversed) {
  const gg__loop_series x = {outer, row, reversed};

  if (outer == NULL || row == NULL)
    return gg__deriver_adopt(d, gg_graph_status(d->g));
  return ga__vec_push(&d->spec.seqs, x) ? gg__deriver_no_memory(d)
                                        : GA_NO_ERROR;
}

int gg__deriver_constant(gg__deriver *d, gg_var *outer, gg_var *var) {
  const gg__loop_constant x = {outer, var};

  return ga__vec_push(&d->spec.fixed, x) ? gg__deriver_no_memory(d)
                                         : GA_NO_ERROR;
}

int gg__deriver_state(gg__deriver *d, gg_var *init, int64_t depth) {
  const gg__loop_state x = {.init = init, .depth = depth};

  if (init == NULL)
    return gg_graph_status(d->g);
  return ga__vec_push(&d->spec.states, x) ? gg__deriver_no_memory(d)
                                          : GA_NO_ERROR;
}

int gg__deriver_tap(gg__deriver *d, gg_var *var, int64_t back) {
  const gg__loop_earlier x = {
      .var = var, .state = (int64_t)d->spec.states.n - 1, .back = back};

  if (var == NULL)
    return gg__deriver_adopt(d, GA_MEMORY_ERROR);
  return ga__vec_push(&d->spec.taps, x) ? gg__deriver_no_memory(d)
                                        : GA_NO_ERROR;
}

int gg__deriver_out(gg__deriver *d, gg_var *value, gg_var *as_many_as,
                    int64_t reversed) {
  const gg__loop_result x = {value, as_many_as, reversed};

  if (value == NULL)
    return gg__deriver_adopt(d, GA_MEMORY_ERROR);
  return ga__vec_push(&d->spec.outs, x) ? gg__deriver_no_memory(d)
                                        : GA_NO_ERROR;
}

gg_var *gg__deriver_tap_rows(const gg__deriver *d, unsigned int i) {
  const gg__loop_tap *t = &d->l.taps[i];
  gg_var *trace = d->a->out[gg__loop_trace((unsigned int)t->state)];

  return gg_slice(trace, 0, d->l.depth[t->state] - t->back, -t->back, 1);
}

int gg__deriver_old_inputs(gg__deriver *d, int64_t flip) {
  const gg__loop *l = &d->l;
  gg_var *const *in = d->a->in;

  for (unsigned int i = 0; i < l->h->n_seqs; i++)
    GA_TRY(gg__deriver_series(d, in[gg__loop_seq(l, i)], d->in.v[i],
                              l->reversed[i] ^ flip));
  for (unsigned int i = 0; i < l->h->n_taps; i++)
    if (!is_resized(d, i))
      GA_TRY(gg__deriver_series(d, gg__deriver_tap_rows(d, i),
                                d->in.v[gg__body_tap(l, i)], flip));
  for (size_t i = 0; i < d->parts.n; i++)
    GA_TRY(gg__deriver_series(d, d->parts.v[i].outer, d->parts.v[i].row, flip));
  for (unsigned int i = 0; i < l->h->n_fixed; i++)
    GA_TRY(gg__deriver_constant(d, in[gg__loop_fixed(l, i)],
                                d->in.v[gg__body_fixed(l, i)]));
  return GA_NO_ERROR;
}

const gg_apply *gg__deriver_make(gg__deriver *d) {
  for (size_t i = 0; i < d->traces.n; i++)
    if (gg__deriver_constant(d, d->traces.v[i].outer, d->traces.v[i].var))
      return NULL;
  return gg__loop_put_sizes(&d->spec) == GA_NO_ERROR
             ? gg__loop_make(d->a->op, &d->spec)
             : NULL;
}
