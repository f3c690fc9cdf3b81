/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of loops along a direction. They are loops over the same
 * iterations with states for the derivatives (moves) of the states. */
#include <gpugraph/rop.h>

#include "loop/loop_derive.h"

/* Add the moves of states, of their taps, and of other inputs. */
static int add_moves(gg__deriver *d, gg_var *const *din, gg__vars *wrt,
                     gg__vars *dir) {
  const gg__loop *l = &d->l;
  unsigned int k;

  for (unsigned int i = 0; i < d->in.n; i++) {
    GA_TRY(ga__vec_push(wrt, d->in.v[i]));
    GA_TRY(ga__vec_push(dir, NULL));
  }
  for (unsigned int i = 0; i < l->h->n_states; i++) {
    gg_var *init = d->a->in[gg__loop_init(l, i)];
    if (!gg__is_smooth(init))
      continue;
    gg_var *v = din[gg__loop_init(l, i)];
    GA_TRY(
        gg__deriver_state(d, v != NULL ? v : gg_zeros_like(init), l->depth[i]));
    for (k = 0; k < l->h->n_taps; k++) {
      if (l->taps[k].state != i)
        continue;
      v = gg__deriver_like(d, &d->in.v[gg__body_tap(l, k)]->type, "");
      GA_TRY(gg__deriver_tap(d, v, l->taps[k].back));
      dir->v[gg__body_tap(l, k)] = v;
    }
  }
  for (unsigned int i = 0; i < l->h->n_seqs + l->h->n_fixed; i++) {
    k = i < l->h->n_seqs ? i
                         : gg__body_fixed(l, i - (unsigned int)l->h->n_seqs);
    gg_var *v = din[i < l->h->n_seqs
                        ? gg__loop_seq(l, i)
                        : gg__loop_fixed(l, i - (unsigned int)l->h->n_seqs)];
    if (v == NULL || !gg__is_smooth(d->in.v[k]))
      continue;
    dir->v[k] = gg__deriver_like(d, &d->in.v[k]->type, "");
    GA_TRY(i < l->h->n_seqs
               ? gg__deriver_series(d, v, dir->v[k], l->reversed[i])
               : gg__deriver_constant(d, v, dir->v[k]));
  }
  return gg__deriver_adopt(d, GA_NO_ERROR);
}

/* Remove inputs that do not move from both lists. */
static void drop_still(gg__vars *wrt, gg__vars *dir) {
  size_t n = 0;

  for (size_t i = 0; i < dir->n; i++)
    if (dir->v[i] != NULL) {
      wrt->v[n] = wrt->v[i];
      dir->v[n++] = dir->v[i];
    }
  wrt->n = dir->n = n;
}

/* Compute the moves of the float outputs of the body. */
static int move_body(gg__deriver *d, gg__vars *wrt, gg__vars *dir) {
  const gg__loop *l = &d->l;
  const unsigned int n = (unsigned int)(l->h->n_states + l->h->n_outs);
  gg_var *move;
  unsigned int state = 0;

  drop_still(wrt, dir);
  for (unsigned int i = 0; i < n; i++) {
    if (!gg__is_smooth(d->out.v[i]))
      continue;
    if (gg_rop(&move, 1, &d->out.v[i], (unsigned int)wrt->n, wrt->v, dir->v) !=
        GA_NO_ERROR)
      return gg__deriver_adopt(d, GA_VALUE_ERROR);
    unsigned int k = i - (unsigned int)l->h->n_states;
    if (i < l->h->n_states)
      d->spec.states.v[state++].next = move;
    else
      GA_TRY(gg__deriver_out(
          d, move,
          l->outs[k].like >= 0
              ? d->a->in[gg__loop_seq(l, (unsigned int)l->outs[k].like)]
              : NULL,
          l->outs[k].reversed));
  }
  return GA_NO_ERROR;
}

static void hand_moves(const gg__deriver *d, const gg_apply *b, gg_var **dout) {
  const gg__loop *l = &d->l;
  unsigned int n = 0;

  for (unsigned int i = 0; i < l->h->n_states + l->h->n_outs; i++) {
    if (!gg__is_smooth(d->out.v[i]))
      continue;
    dout[2 * (size_t)i] = b->out[2 * (size_t)n];
    dout[2 * (size_t)i + 1] = b->out[2 * (size_t)n + 1];
    n++;
  }
}

static int go_along(gg__deriver *d, gg_var *const *din, gg_var **dout) {
  gg__vars wrt = {NULL, 0, 0}, dir = {NULL, 0, 0};
  int err;

  d->spec.most = d->l.h->most;
  d->spec.truncate = d->l.h->truncate;
  GA_CHECK(gg__deriver_old_inputs(d, 0));
  GA_CHECK(add_moves(d, din, &wrt, &dir));
  GA_CHECK(move_body(d, &wrt, &dir));
  if (d->spec.states.n + d->spec.outs.n == 0)
    goto done;
  const gg_apply *b = gg__deriver_make(d);
  if (b != NULL)
    hand_moves(d, b, dout);
  err = gg_graph_status(d->g);
done:
  ga__vec_clear(&wrt);
  ga__vec_clear(&dir);
  return err;
}

int gg__loop_rop(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  gg__deriver d;
  int err = gg__deriver_init(&d, a);

  if (err == GA_NO_ERROR)
    err = go_along(&d, din, dout);
  gg__deriver_clear(&d);
  return err;
}
