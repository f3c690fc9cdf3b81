/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops whose body is one row program: on devices whose groups can wait for
 * each other, one kernel runs all iterations (GpuRows_prepare_loop). A state is
 * what an iteration reads that the one before has written. */
#include "base/dtype.h"
#include "plan/looping.h"

/* Is one step of the program a kernel, and are all others views? */
static int is_one_kernel(const gg__program *p) {
  unsigned int n = 0;

  for (size_t i = 0; i < p->steps.n; i++)
    n += p->steps.v[i]->shown != 0;
  return n == 1;
}

/* Is the builder planning the body of a loop that may run at once? Not if a
 * condition or an array can end it early, if its calls are watched, or if it
 * reads a state that is older than one iteration. */
static int is_candidate(const gg__builder *b) {
  const gg__looping *x = b->u->whole;

  if (x == NULL || b->u->watch != 0 || !is_one_kernel(b->p) ||
      x->limit != GG_NONE || x->until != GG_NONE || x->steps < 2)
    return 0;
  for (unsigned int i = x->first_tap; i < x->first_tap + x->n_taps; i++)
    for (unsigned int k = 0; k < x->n_out; k++)
      if (x->out[k].slot == x->in[i].slot &&
          x->in[i].shift + 1 != x->out[k].shift)
        return 0;
  return 1;
}

static size_t iterations(const gg__looping *x) {
  return x->most != 0 && x->most < x->steps ? x->most : x->steps;
}

/* The output of the body that lies in the same slot as a tap: the state's. */
static int state_of(const gg__looping *x, unsigned int slot) {
  for (unsigned int i = x->first_tap; i < x->first_tap + x->n_taps; i++)
    if (x->in[i].slot == slot)
      for (unsigned int k = 0; k < x->n_out; k++)
        if (x->out[k].slot == slot)
          return (int)k;
  return -1;
}

static size_t row_of(const gg__moving *m, size_t t, size_t top) {
  const size_t row = m->reversed ? top - 1 - t : t + m->shift;

  return m->ring != 0 ? row % m->ring : row;
}

/* How value v moves, which lies in a store of the body's plan. */
static GpuRowsMove move_of(const gg__builder *b, unsigned int v) {
  const gg__looping *x = b->u->whole;
  const gg__place *at = &b->places[v];
  const gg__store *s = &b->plan->stores.v[at->store];
  GpuRowsMove out = {.state = -1};

  if (s->kind != GG_STORE_INPUT && s->kind != GG_STORE_OUTPUT)
    return out;
  const int is_input = s->kind == GG_STORE_INPUT;
  const gg__moving *m = is_input ? &x->in[s->index] : &x->out[s->index];
  if (!is_input ||
      (s->index >= x->first_tap && s->index < x->first_tap + x->n_taps))
    out.state = state_of(x, m->slot);
  out.at = (size_t)at->rel;
  out.once = !is_input && m->ring != 0;
  if (m->ring == 0)
    out.step = m->reversed ? -m->step : m->step;
  else if (out.once)
    out.step = m->step * ((ssize_t)row_of(m, iterations(x) - 1, x->steps) -
                          (ssize_t)row_of(m, 0, x->steps));
  return out;
}

/* The order of operands is that of gg__bind_body. */
static unsigned int add_moves(const gg__builder *b, const gg__body *body,
                              GpuRowsMove *moves) {
  GpuRowsMove *m = moves;

  for (unsigned int i = 0; i < body->n_in; i++)
    *m++ = move_of(b, body->in[i]);
  for (unsigned int i = 0; i < body->n_scalars; i++)
    *m++ = (GpuRowsMove){.state = -1};
  for (unsigned int i = 0; i < body->n_out; i++)
    *m++ = move_of(b, body->out[i]);
  return (unsigned int)(m - moves);
}

/* Number the states that occur, up to `most`, from 0 on. */
static unsigned int number_states(GpuRowsMove *m, unsigned int n,
                                  unsigned int most) {
  int n_states = 0;

  for (int state = 0; state < (int)most; state++) {
    int occurs = 0;
    for (unsigned int i = 0; i < n; i++)
      if (m[i].state == state) {
        m[i].state = n_states;
        occurs = 1;
      }
    n_states += occurs;
  }
  return (unsigned int)n_states;
}

int gg__prepare_whole(gg__builder *b, GpuLaunch **out, const gg__rows_step *x,
                      GpuRows *rows, const unsigned char *reduced, void **args,
                      void **row_args) {
  const gg__body *e = &x->elements, *r = &x->row_values;
  const gg_dims *d = &b->sizes->dims[x->from];

  *out = NULL;
  if (!is_candidate(b))
    return GA_NO_ERROR;
  GpuRowsMove *moves = gg__step_alloc(
      b, e->n_in + e->n_scalars + e->n_out + r->n_in + r->n_scalars + r->n_out,
      sizeof *moves);
  if (moves == NULL)
    return GA_MEMORY_ERROR;
  unsigned int n = add_moves(b, e, moves);
  n += add_moves(b, r, moves + n);
  GA_TRY(GpuRows_prepare_loop(out, rows, d->nd, d->dim, reduced, args, row_args,
                              iterations(b->u->whole),
                              number_states(moves, n, b->u->whole->n_out),
                              moves));
  b->plan->at_once = *out != NULL ? iterations(b->u->whole) : 0;
  return GA_NO_ERROR;
}
