/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions of launches: what they depend on, apart from buffers. In a plan for
 * other sizes many steps ask what was asked before: those of which no size has
 * changed, and those that repeat an earlier step, as in deep models. */
#include <string.h>

#include "plan/builder.h"

enum { ALIGN = 128 /* bytes: no launch needs a higher alignment */ };

/* Make room for n numbers and return where they go; NULL, with a message, if
 * memory is out. */
static size_t *add(gg__builder *b, size_t n) {
  gg__planning *m = &b->u->planning;

  if (m->question.cap < m->question.n + n &&
      ga__vec_grow((void **)&m->question.v, m->question.n + n, &m->question.cap,
                   sizeof *m->question.v) != GA_NO_ERROR)
    return NULL;
  m->question.n += n;
  return m->question.v + m->question.n - n;
}

int gg__question_begin(gg__builder *b, gg__step_kind kind, size_t how) {
  b->u->planning.question.n = 0;
  size_t *to = add(b, 2);

  if (to == NULL)
    return GA_MEMORY_ERROR;
  to[0] = (size_t)kind;
  to[1] = how;
  return GA_NO_ERROR;
}

int gg__question_array(gg__builder *b, unsigned int v, const gg__place *x) {
  const gg_dims *d = &b->sizes->dims[v];
  size_t *to = add(b, 1 + (x != NULL ? 2 : 1) * (size_t)d->nd);

  if (to == NULL)
    return GA_MEMORY_ERROR;
  *to = (size_t)gg__value_at(b, v)->var->type.dtype << 16 | d->nd << 1 |
        (x != NULL);
  if (x != NULL) {
    const gg__store *s = &b->plan->stores.v[x->store];
    *to |= (((size_t)((ssize_t)s->offset + x->rel)) % ALIGN) << 8;
  }
  to++;
  for (unsigned int i = 0; i < d->nd; i++)
    *to++ = d->dim[i];
  for (unsigned int i = 0; x != NULL && i < d->nd; i++)
    *to++ = (size_t)x->strides[i];
  return GA_NO_ERROR;
}

int gg__question_number(gg__builder *b, size_t n) {
  size_t *to = add(b, 1);

  if (to == NULL)
    return GA_MEMORY_ERROR;
  *to = n;
  return GA_NO_ERROR;
}

int gg__question_bytes(gg__builder *b, const void *p, size_t bytes) {
  const size_t n = (bytes + sizeof(size_t) - 1) / sizeof(size_t);
  size_t *to = add(b, n);

  if (to == NULL)
    return GA_MEMORY_ERROR;
  if (n > 0) {
    to[n - 1] = 0; /* pads the last number */
    memcpy(to, p, bytes);
  }
  return GA_NO_ERROR;
}

int gg__question_scalar(gg__builder *b, const double *x) {
  GA_TRY(gg__question_number(b, x != NULL));
  return x != NULL ? gg__question_bytes(b, x, sizeof *x) : GA_NO_ERROR;
}

int gg__question_body(gg__builder *b, const gg__body *body) {
  for (unsigned int i = 0; i < body->n_in; i++)
    GA_TRY(gg__question_array(b, body->in[i], &b->places[body->in[i]]));
  for (unsigned int i = 0; i < body->n_scalars; i++)
    GA_TRY(gg__question_bytes(b, &b->sizes->scalar[body->scalars[i]],
                              sizeof *b->sizes->scalar));
  for (unsigned int i = 0; i < body->n_out; i++)
    GA_TRY(gg__question_array(b, body->out[i], &b->places[body->out[i]]));
  return GA_NO_ERROR;
}

GpuLaunch *gg__question_ask(gg__builder *b, const size_t **answer) {
  const gg__planning *m = &b->u->planning;

  return GpuLaunch_renew_for(m->question.v, m->question.n, answer);
}

int gg__question_keep(gg__builder *b, GpuLaunch *l, const size_t *answer,
                      size_t n) {
  const gg__planning *m = &b->u->planning;

  if (l == NULL)
    return GA_NO_ERROR;
  int err = GpuLaunch_set_question(l, m->question.v, m->question.n, answer, n);
  if (err != GA_NO_ERROR)
    GpuLaunch_free(l);
  return err;
}
