/* SPDX-License-Identifier: BSD-2-Clause */
/* What a function's monitor sees of a step. */
#include <gpugraph/monitor.h>
#include <gpugraph/site.h>

#include "func/func.h"

void gg__monitor_copy(gg_func *f, const gg_func *from) {
  f->monitor = from->monitor;
  f->unit.watch |= from->unit.watch & GG_WATCH_STEPS;
}

typedef GA_VEC(const gg_apply *) node_list;
typedef GA_VEC(gg_step_value) value_list;

/* The step that is shown. */
typedef struct shown {
  const gg_func *f;
  const gg__plan *p;
  node_list nodes;
  value_list in, out;
} shown;

static int add_nodes(shown *x, const gg__step *s) {
  for (unsigned int i = 0; i < s->n_lists; i++)
    for (unsigned int k = 0; k < s->lists[i].n; k++)
      GA_TRY(ga__vec_push(&x->nodes, s->lists[i].nodes[k]));
  return GA_NO_ERROR;
}

/* Has the step of `s` written to the store of `s`? */
static int is_overwritten(const gg__plan *p, const gg__seen *s) {
  for (size_t k = 0; k < p->seen.n; k++)
    if (p->seen.v[k].step == s->step && p->seen.v[k].store == s->store &&
        p->seen.v[k].role == GG_SEEN_WRITTEN)
      return 1;
  return 0;
}

static int add_value(shown *x, const gg__seen *s, int done) {
  const int is_out = s->role == GG_SEEN_WRITTEN;
  const int is_there = is_out ? done : !done || !is_overwritten(x->p, s);
  gg_step_value v = {.var = x->f->unit.program.values.v[s->value].var};

  if (is_there && x->p->stores.v[s->store].data != NULL)
    GA_TRY(gg__seen_array(&x->f->unit.program, x->p, s, &v.array));
  int err = ga__vec_push(is_out ? &x->out : &x->in, v);
  if (err != GA_NO_ERROR)
    GpuArray_clear(&v.array);
  return err;
}

static int add_values(shown *x, unsigned int step, int done) {
  for (size_t k = 0; k < x->p->seen.n; k++)
    if (x->p->seen.v[k].step == step)
      GA_TRY(add_value(x, &x->p->seen.v[k], done));
  return GA_NO_ERROR;
}

static void clear_values(value_list *v) {
  for (size_t k = 0; k < v->n; k++)
    GpuArray_clear(&v->v[k].array);
  ga__vec_clear(v);
}

/* --- showing --- */

static int show(const shown *x, const gg__step *s, gg_monitor_fn fn, int done) {
  gg_step step = {.number = s->shown,
                  .label = s->label,
                  .nodes = x->nodes.v,
                  .in = x->in.v,
                  .out = x->out.v,
                  .n_nodes = x->nodes.n,
                  .n_in = x->in.n,
                  .n_out = x->out.n};
  step.file = gg_var_site(gg__step_var(&x->f->unit.program, s), &step.line);
  gpuarray_clear_error();
  int err = fn(x->f->monitor.arg, &step);
  if (err == GA_NO_ERROR)
    return err;
  const char *why =
      gpuarray_error_code() != GA_NO_ERROR ? ga__err_text(err) : "";
  return gg__blame(ga__fail(err, "%s: the monitor ended the call %s it%s%s",
                            s->label, done ? "after" : "before",
                            why[0] != '\0' ? ": " : "", why),
                   gg__step_var(&x->f->unit.program, s));
}

int gg__monitor_call(const gg_func *f, const gg__plan *p, unsigned int step,
                     gg_monitor_fn fn, int done) {
  const gg__step *s = f->unit.program.steps.v[step];
  shown x = {.f = f, .p = p};
  int err;

  if (fn == NULL)
    return GA_NO_ERROR;
  GA_CHECK(add_nodes(&x, s));
  GA_CHECK(add_values(&x, step, done));
  GA_CHECK(show(&x, s, fn, done));
done:
  ga__vec_clear(&x.nodes);
  clear_values(&x.in);
  clear_values(&x.out);
  return err;
}
