/* SPDX-License-Identifier: BSD-2-Clause */
/* The spec of an existing loop, on other variables. */
#include "rewrite/loop_copy.h"

static gg_var *mapped(gg__subst *s, gg_var *v) {
  return s != NULL ? gg__subst_apply(s, v) : v;
}

static gg_var *outer(const gg__loop_copy *c, unsigned int i) {
  return mapped(c->outer, c->a->in[i]);
}

static gg_var *body_in(const gg__loop_copy *c, unsigned int i) {
  return mapped(c->body, c->l.inner->in[i]);
}

static gg_var *body_out(const gg__loop_copy *c, unsigned int i) {
  return mapped(c->body, c->l.inner->out[i]);
}

static int is_kept(const gg__loop_copy *c, unsigned int out) {
  return c->keep == NULL || c->keep[out];
}

static int copy_inputs(gg__loop_spec *s, const gg__loop_copy *c) {
  const gg__loop *l = &c->l;

  for (unsigned int i = 0; i < l->h->n_seqs; i++)
    GA_TRY(ga__vec_push(
        &s->seqs, ((gg__loop_series){.outer = outer(c, gg__loop_seq(l, i)),
                                     .row = body_in(c, i),
                                     .reversed = l->reversed[i]})));
  for (unsigned int i = 0; i < l->h->n_fixed; i++)
    GA_TRY(ga__vec_push(
        &s->fixed, ((gg__loop_constant){outer(c, gg__loop_fixed(l, i)),
                                        body_in(c, gg__body_fixed(l, i))})));
  return GA_NO_ERROR;
}

static int copy_states(gg__loop_spec *s, const gg__loop_copy *c) {
  const gg__loop *l = &c->l;

  for (unsigned int i = 0; i < l->h->n_states; i++) {
    if (!is_kept(c, i))
      continue;
    for (unsigned int k = 0; k < l->h->n_taps; k++)
      if (l->taps[k].state == i)
        GA_TRY(ga__vec_push(
            &s->taps, ((gg__loop_earlier){.var = body_in(c, gg__body_tap(l, k)),
                                          .state = (int64_t)s->states.n,
                                          .back = l->taps[k].back})));
    GA_TRY(ga__vec_push(&s->states,
                        ((gg__loop_state){.init = outer(c, gg__loop_init(l, i)),
                                          .next = body_out(c, i),
                                          .depth = l->depth[i]})));
  }
  return GA_NO_ERROR;
}

static int copy_outs(gg__loop_spec *s, const gg__loop_copy *c) {
  const gg__loop *l = &c->l;

  for (unsigned int i = 0; i < l->h->n_outs; i++) {
    const int64_t like = l->outs[i].like;
    if (is_kept(c, gg__body_out(l, i)))
      GA_TRY(ga__vec_push(
          &s->outs,
          ((gg__loop_result){
              .value = body_out(c, gg__body_out(l, i)),
              .like = like < 0 ? NULL
                               : outer(c, gg__loop_seq(l, (unsigned int)like)),
              .reversed = l->outs[i].reversed})));
  }
  return GA_NO_ERROR;
}

int gg__loop_copy_to(gg__loop_spec *s, const gg__loop_copy *c) {
  const gg__loop *l = &c->l;

  GA_ASSERT(s->g != NULL && c->a->n_in == gg__loop_n_in(l));
  s->steps = outer(c, GG_LOOP_STEPS);
  s->limit = l->h->is_limited ? outer(c, GG_LOOP_LIMIT) : NULL;
  s->until = l->h->has_until ? body_out(c, gg__body_until(l)) : NULL;
  s->is_exact = l->h->is_exact;
  s->most = l->h->most;
  s->truncate = l->h->truncate;
  GA_TRY(copy_inputs(s, c));
  GA_TRY(copy_states(s, c));
  GA_TRY(copy_outs(s, c));
  if (c->body != NULL)
    GA_TRY(gg_graph_status(c->body->g));
  return gg_graph_status(s->g);
}
