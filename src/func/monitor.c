/* SPDX-License-Identifier: BSD-2-Clause */
/* Who sees the steps of a function's calls. */
#include <gpugraph/monitor.h>
#include <gpugraph/site.h>

#include "func/func.h"

int gg_func_set_monitor(gg_func *f, gg_monitor_fn before, gg_monitor_fn after,
                        void *arg) {
  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "no function");
  pthread_mutex_lock(&f->lock);
  f->monitor = (gg__monitor){before, after, arg};
  f->watch &= ~GG_WATCH_STEPS;
  if (before != NULL || after != NULL)
    f->watch |= GG_WATCH_STEPS;
  /* Plans note what steps read for monitored functions only. */
  gg__parts_clear(f);
  gg__drop_plans(f);
  pthread_mutex_unlock(&f->lock);
  return GA_NO_ERROR;
}

void gg__monitor_copy(gg_func *f, const gg_func *from) {
  f->monitor = from->monitor;
  f->watch |= from->watch & GG_WATCH_STEPS;
}

/* --- what is shown --- */

typedef GA_VEC(const gg_apply *) node_list;
typedef GA_VEC(gg_step_value) value_list;

/* A step at hand. */
typedef struct shown {
  const gg_func *f;
  const gg__plan *p;
  node_list nodes;
  value_list in, out;
} shown;

static int add_node(shown *x, const gg_apply *a) {
  return a != NULL ? ga__vec_push(&x->nodes, a) : GA_NO_ERROR;
}

static int add_body(shown *x, const gg__body *b) {
  for (unsigned int i = 0; i < b->n_nodes; i++)
    GA_TRY(add_node(x, b->nodes[i]));
  return GA_NO_ERROR;
}

static int add_nodes(shown *x, const gg__step *s) {
  for (unsigned int i = 0; s->rows != NULL && i < s->rows->n_items; i++)
    GA_TRY(add_node(x, s->rows->items[i].apply));
  if (s->rows != NULL)
    return GA_NO_ERROR;
  GA_TRY(add_body(x, &s->map));
  GA_TRY(add_node(x, s->apply));
  for (unsigned int i = 0; i < s->n_also; i++)
    GA_TRY(add_node(x, s->also[i]));
  GA_TRY(add_body(x, &s->post));
  return add_body(x, &s->beside);
}

/* Has the step written to the memory of what lies at `s`? */
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
  gg_step_value v = {.var = x->f->p.values.v[s->value].var};

  if (is_there && x->p->stores.v[s->store].data != NULL)
    GA_TRY(gg__seen_array(&x->f->p, x->p, s, &v.array));
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
  gg_step step = {.number = s->number,
                  .label = s->label,
                  .nodes = x->nodes.v,
                  .in = x->in.v,
                  .out = x->out.v,
                  .n_nodes = x->nodes.n,
                  .n_in = x->in.n,
                  .n_out = x->out.n};
  step.file = gg_var_site(gg__step_var(&x->f->p, s), &step.line);
  gpuarray_clear_error();
  int err = fn(x->f->monitor.arg, &step);
  if (err == GA_NO_ERROR)
    return err;
  const char *why =
      gpuarray_error_code() != GA_NO_ERROR ? ga__err_text(err) : "";
  return gg__blame(ga__fail(err, "%s: the monitor ended the call %s it%s%s",
                            s->label, done ? "after" : "before",
                            why[0] != '\0' ? ": " : "", why),
                   gg__step_var(&x->f->p, s));
}

int gg__monitor_call(const gg_func *f, const gg__plan *p, unsigned int step,
                     gg_monitor_fn fn, int done) {
  const gg__step *s = f->p.steps.v[step];
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
