/* SPDX-License-Identifier: BSD-2-Clause */
/* A call: check the arguments, find or make the plan, bind memory that has
 * changed, run the launches, give the outputs to the caller.
 *
 * Errors of arguments, sizes, memory and compilers occur before the first
 * kernel is enqueued. */
#include <string.h>

#include "debug/watch.h"
#include "func/func.h"
#include "func/twin.h"

/* --- the plan of a call, bound --- */

/* Bind every slot whose memory has changed since the last run. */
static int bind(gg_func *f, gg__plan *p) {
  gg__unit *u = &f->unit;

  if (u->bound != p)
    for (size_t k = 0; k < p->stores.n; k++)
      GA_TRY(gg__store_refresh(u, p, &p->stores.v[k]));
  else
    for (size_t k = 0; k < p->outside.n; k++)
      GA_TRY(gg__store_refresh(u, p, &p->stores.v[p->outside.v[k]]));
  u->bound = p;
  return gg__lend_outputs(f, p);
}

/* A plan that was prepared for aligned memory refuses other memory
 * (GA_UNALIGNED_ERROR). A plan that is made for the other memory takes both. On
 * failure *p is the plan that cannot be bound, or NULL, as before. */
static int plan(gg_func *f, GpuArray *const *out, gg__plan **p) {
  GA_TRY(gg__find_plan(f, p));
  if (*p != NULL) {
    if (!gg__nothing_moved(f, *p, out))
      GA_TRY(gg__prepare_outputs(f, *p, (*p)->results, out));
    else if (f->unit.program.n_outputs > 0)
      memcpy(f->unit.frame.out, out, f->unit.program.n_outputs * sizeof *out);
    int err = bind(f, *p);
    if (err != GA_UNALIGNED_ERROR)
      return err;
    gg__drop_outputs(f);
    gg__drop_plan(f, *p);
    *p = NULL;
  }
  GA_TRY(gg__make_plan(f, out, p));
  return bind(f, *p);
}

/* --- launches --- */

/* Run the launches and check values. In debug mode `t` has the expected
 * results. */
static int launch_watched(gg_func *f, const gg__plan *p, const gg__twin *t) {
  gg__watch w;
  int err;

  GA_TRY(gg__watch_init(&w, &f->unit, p));
  GA_CHECK(gg__watch_leaves(&w));
  GA_CHECK(gg__run_launches(f, p, &w));
  if (f->twin != NULL)
    GA_CHECK(gg__twin_compare(t, &w));
done:
  gg__watch_clear(&w);
  return err;
}

/* In debug mode the twin runs first. Its stages, if it has any, have run. */
static int begin_twin(gg__twin *t, gg_func *f) {
  if (f->twin != NULL) {
    GpuArray *const *const in =
        f->twin->stages.n > 0 ? f->twin->staged : f->unit.frame.in;
    GA_TRY(gg__twin_begin(t, f));
    GA_TRY(gg__run(f->twin, in, t->out));
  }
  return gg__twin_keep(t, f);
}

static int launch(gg_func *f, const gg__plan *p) {
  gg__twin t = {.out = NULL};

  if (f->unit.watch == 0)
    return gg__run_launches(f, p, NULL);
  int err = begin_twin(&t, f);
  if (err == GA_NO_ERROR)
    err = f->unit.watch == GG_WATCH_STEPS ? gg__run_launches(f, p, NULL)
                                          : launch_watched(f, p, &t);
  if (err != GA_NO_ERROR)
    err = gg__twin_undo(&t, f, err);
  gg__twin_end(&t, f);
  return err;
}

/* --- the whole --- */

int gg__run(gg_func *f, GpuArray *const *in, GpuArray *const *out) {
  gg__plan *p = NULL;
  int err;

  f->unit.frame.in = in;
  GA_CHECK(gg__check_arguments(f, in, out));
  GA_CHECK(plan(f, out, &p));
  GA_CHECK(launch(f, p));
  GA_CHECK(gg__give_outputs(f, p, out));
  gg__swap_spares(f, p);
  p->used = ++f->stats.calls;
  p->runs++;
done:
  if (err != GA_NO_ERROR)
    gg__drop_outputs(f);
  if (f->unit.frees_temps)
    gg__temps_free(&f->unit, p);
  return err;
}
