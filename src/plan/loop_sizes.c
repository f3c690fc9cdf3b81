/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of a loop's outputs. They follow from the sizes that the body computes
 * from one row of each input, and from the number of iterations. */
#include <string.h>

#include "plan/looping.h"

/* Make the inputs of the body. Only arguments of the call have memory. */
static int make_rows(gg__blanks *r, const gg__loop *l, const gg_dims *in,
                     const GpuArray *const *argument) {
  const gg__inner *x = l->inner;

  GA_TRY(gg__blanks_init(r, x->n_in));
  for (unsigned int i = 0; i < l->h->n_seqs; i++)
    GA_TRY(gg__blanks_set(r, i, x->in[i], &in[gg__loop_seq(l, i)], 1));
  for (unsigned int i = 0; i < l->h->n_taps; i++) {
    unsigned int from = gg__loop_init(l, (unsigned int)l->taps[i].state);
    GA_TRY(gg__blanks_set(r, gg__body_tap(l, i), x->in[gg__body_tap(l, i)],
                          &in[from], 1));
  }
  for (unsigned int i = 0; i < l->h->n_fixed; i++) {
    const unsigned int k = gg__body_fixed(l, i), from = gg__loop_fixed(l, i);
    GA_TRY(gg__blanks_set(r, k, x->in[k], &in[from], 0));
    gg__blanks_lend(r, k, argument[from]);
  }
  return GA_NO_ERROR;
}

static int find_steps(const double *const *scalar, size_t *steps) {
  const double *n = scalar[GG_LOOP_STEPS];

  if (n == NULL)
    return ga__fail(GA_VALUE_ERROR,
                    "scan: the number of steps is not known before the call");
  if (*n < 0)
    return ga__fail(GA_VALUE_ERROR, "scan: %.0f steps", *n);
  if (*n > GG_LOOP_MOST)
    return ga__fail(GA_XLARGE_ERROR, "scan: %.0f steps are more than %.0f", *n,
                    GG_LOOP_MOST);
  *steps = (size_t)*n;
  return GA_NO_ERROR;
}

static int check_rows(const gg_apply *a, const gg__loop *l, size_t steps,
                      const gg_dims *in) {
  for (unsigned int i = 0; i < l->h->n_seqs; i++) {
    unsigned int k = gg__loop_seq(l, i);
    size_t n = in[k].dim[0];
    if (n < steps || (l->h->is_exact && n != steps))
      return ga__fail(GA_VALUE_ERROR,
                      "scan: sequence %u (%s) has %zu rows for %zu steps", i,
                      gg__display_name(a->in[k]), n, steps);
  }
  for (unsigned int i = 0; i < l->h->n_states; i++) {
    size_t n = in[gg__loop_init(l, i)].dim[0];
    if (n != (size_t)l->depth[i])
      return ga__fail(GA_VALUE_ERROR,
                      "scan: state %u starts from %zu rows, expected %lld", i,
                      n, (long long)l->depth[i]);
  }
  return GA_NO_ERROR;
}

static int check_state(const gg_apply *a, unsigned int i, const gg_dims *init,
                       const gg_dims *next) {
  for (unsigned int k = 0; k < next->nd; k++)
    if (init->dim[k + 1] != next->dim[k])
      return ga__fail(GA_VALUE_ERROR,
                      "scan: state %u (%s), dim %u: %zu at first, then %zu", i,
                      gg__display_name(a->out[gg__loop_trace(i) + 1]), k,
                      init->dim[k + 1], next->dim[k]);
  return GA_NO_ERROR;
}

static void stack(gg_dims *out, const gg_dims *row, size_t n) {
  out->nd = row->nd + 1;
  out->dim[0] = n;
  memcpy(out->dim + 1, row->dim, row->nd * sizeof row->dim[0]);
}

static int size_outputs(const gg_apply *a, const gg__loop *l, size_t steps,
                        const gg_dims *in, const gg__program *body,
                        const gg__sizes *s, gg_dims *out) {
  for (unsigned int i = 0; i < l->h->n_states; i++) {
    const gg_dims *d = &s->dims[body->results.v[i].value];
    GA_TRY(check_state(a, i, &in[gg__loop_init(l, i)], d));
    stack(&out[gg__loop_trace(i)], d, steps + (size_t)l->depth[i]);
    out[gg__loop_trace(i) + 1] = *d;
  }
  for (unsigned int i = 0; i < l->h->n_outs; i++) {
    const gg_dims *d = &s->dims[body->results.v[gg__body_out(l, i)].value];
    size_t n = l->outs[i].like < 0
                   ? steps
                   : in[gg__loop_seq(l, (unsigned int)l->outs[i].like)].dim[0];
    stack(&out[gg__loop_all(l, i)], d, n);
    out[gg__loop_all(l, i) + 1] = *d;
  }
  if (l->h->has_until)
    out[gg__loop_count(l)].nd = 0;
  return GA_NO_ERROR;
}

int gg__loop_sizes(const gg__node *n, const gg_dims *in,
                   const GpuArray *const *argument, const double *const *scalar,
                   gg_dims *out) {
  const gg__loop l = gg__loop_of(n->apply);
  const gg__unit *body = n->inner[0];
  gg__sizes s = {.dims = NULL};
  size_t steps = 0;
  gg__blanks r;
  int err;

  GA_TRY(find_steps(scalar, &steps));
  GA_TRY(check_rows(n->apply, &l, steps, in));
  GA_CHECK(make_rows(&r, &l, in, argument));
  GA_CHECK(body->ops->measure(&s, &body->program, r.list));
  GA_CHECK(size_outputs(n->apply, &l, steps, in, &body->program, &s, out));
done:
  gg__sizes_clear(&s);
  gg__blanks_clear(&r);
  return err;
}
