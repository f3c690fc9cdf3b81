/* SPDX-License-Identifier: BSD-2-Clause */
/* Running the launches of a plan, with monitors and checks between steps. */
#include "debug/watch.h"
#include "func/func.h"

static int run_planned(const gg__launch *x) {
  if (x->launch != NULL)
    return GpuLaunch_run(x->launch);
  return x->is_end ? GpuTransfer_end(x->transfer, x->data, x->offset)
                   : GpuTransfer_start(x->transfer, x->data, x->offset);
}

/* Is launch k the first of its step? */
static int begins_step(const gg__plan *p, size_t k) {
  return k == 0 || p->launches.v[k - 1].step != p->launches.v[k].step;
}

/* Is launch k the last of its step? */
static int ends_step(const gg__plan *p, size_t k) {
  return k + 1 == p->launches.n ||
         p->launches.v[k + 1].step != p->launches.v[k].step;
}

/* Complete the message of launch k, which failed: its step, the site, and how
 * many launches were enqueued before. */
static int fail_launch(const gg__unit *u, const gg__plan *p, size_t k,
                       int err) {
  const gg__step *s = u->program.steps.v[p->launches.v[k].step];

  if (k > 0)
    ga__fail(err,
             "%s: %s (after %zu of %zu launches: outputs and updated "
             "variables may be overwritten)",
             s->label, ga__err_text(err), k, p->launches.n);
  return gg__blame(err, gg__step_var(&u->program, s));
}

/* `f` is NULL inside of loops and choices. */
static int before_step(const gg_func *f, const gg__plan *p, unsigned int step) {
  return f != NULL ? gg__monitor_call(f, p, step, f->monitor.before, 0)
                   : GA_NO_ERROR;
}

static int after_step(const gg__unit *u, const gg_func *f, const gg__plan *p,
                      gg__watch *w, unsigned int step) {
  if (f != NULL)
    GA_TRY(gg__monitor_call(f, p, step, f->monitor.after, 1));
  GA_TRY(gg__guards_check(u, p, step));
  return w != NULL ? gg__watch_step(w, step) : gg__guard_step(u, p, step);
}

static int run_launches(const gg__unit *u, const gg_func *f, const gg__plan *p,
                        gg__watch *w) {
  for (size_t k = 0; k < p->launches.n; k++) {
    if (u->watch != 0 && begins_step(p, k))
      GA_TRY(before_step(f, p, p->launches.v[k].step));
    int err = run_planned(&p->launches.v[k]);
    if (err != GA_NO_ERROR)
      return fail_launch(u, p, k, err);
    if (u->watch != 0 && ends_step(p, k))
      GA_TRY(after_step(u, f, p, w, p->launches.v[k].step));
  }
  return GA_NO_ERROR;
}

int gg__run_launches(const gg_func *f, const gg__plan *p, gg__watch *w) {
  return run_launches(&f->unit, f, p, w);
}

int gg__run_body(const gg__unit *u, const gg__plan *p) {
  return run_launches(u, NULL, p, NULL);
}
