/* SPDX-License-Identifier: BSD-2-Clause */
/* Planning of choices: both branches are planned; each call reads the condition
 * and runs one of them. A branch runs as a loop of one iteration. */
#include <gpuarray/buffer.h>

#include <string.h>

#include "loop/ifelse.h"
#include "plan/builder.h"
#include "plan/looping.h"
#include "plan/slots.h"

/* --- running --- */

typedef struct choosing {
  gg__looping *branch[2]; /* owned */
} choosing;

static void choosing_free(void *state) {
  choosing *x = state;

  for (int i = 0; i < 2; i++)
    if (x->branch[i] != NULL)
      gg__looping_free(x->branch[i]);
  ga__free(x);
}

/* The condition is in slot 0. */
static int run(void *state, gpucontext *ctx, gpudata *const *bufs,
               const size_t *offs) {
  choosing *x = state;
  unsigned char holds = 0;

  GA_TRY(gg__looping_read(x->branch[0]->body, &holds, bufs[0], offs[0], 1));
  return gg__looping_run(x->branch[holds ? 0 : 1], ctx, bufs, offs);
}

/* --- planning --- */

static int make_branch(const gg__slots *s, gg__unit *u, gpudata *const *bufs,
                       const size_t *offs, gg__looping *old,
                       gg__looping **out) {
  const gg__inner *body = gg__inner_of(s->a);
  gg__looping *x = gg__looping_new(u, body->n_in, s->a->n_out, s->n);
  gg_dims d;

  *out = x;
  if (x == NULL)
    return ga__fail_nomem();
  x->steps = 1;
  x->n_slots = s->n;
  gg__looping_renew(x, old);
  for (unsigned int i = 0; i < body->n_in; i++) {
    x->in[i] = (gg__moving){.slot = s->in[i + 1], .rows = 1, .ring = 1};
    const gg__slot *slot = &s->v[s->in[i + 1]];
    d.nd = slot->array.nd;
    memcpy(d.dim, slot->array.dimensions, d.nd * sizeof d.dim[0]);
    GA_TRY(gg__looping_row(x, body->in[i], &d, slot->array.strides,
                           &x->in_rows[i]));
  }
  for (unsigned int i = 0; i < s->a->n_out; i++) {
    x->out[i] = (gg__moving){.slot = s->out[i], .rows = 1, .ring = 1};
    GA_TRY(gg__looping_row(x, s->a->out[i],
                           &s->b->sizes->dims[gg__slots_value(s, s->a->out[i])],
                           NULL, &x->out_rows[i]));
  }
  return gg__looping_ready(x, bufs, offs);
}

static int add_slots(gg__slots *s) {
  for (unsigned int i = 0; i < s->a->n_in; i++)
    gg__slots_add_in(s, i);
  for (unsigned int i = 0; i < s->a->n_out; i++)
    GA_TRY(gg__slots_add_out(s, i));
  return GA_NO_ERROR;
}

int gg__plan_ifelse(gg__builder *b, const gg__step *step) {
  choosing *x = ga__calloc(1, sizeof *x);
  gpudata **bufs;
  size_t *offs;
  gg__slots s;
  int err;

  if (x == NULL)
    return ga__fail_nomem();
  GA_CHECK(gg__slots_init(&s, b, step, 0));
  GA_CHECK(add_slots(&s));
  GA_CHECK(gg__slots_memory(&s, &bufs, &offs));
  choosing *old = gg__old_state(run);
  for (int i = 0; i < 2; i++)
    GA_CHECK(make_branch(&s, s.node->inner[i], bufs, offs,
                         old != NULL ? old->branch[i] : NULL, &x->branch[i]));
  const size_t made = x->branch[0]->plan->n_made + x->branch[1]->plan->n_made;
  err = gg__slots_launch(&s, run, x, choosing_free, "choice", made);
  x = NULL;
  GA_CHECK(err);
  gg__slots_release(&s);
done:
  if (x != NULL)
    choosing_free(x);
  return err;
}
