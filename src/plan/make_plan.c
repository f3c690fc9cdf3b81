/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a plan: a place for every value, and a prepared launch for each
 * kernel.
 *
 * Steps are visited in order. A value gets its place at the step that computes
 * it: in an output, in a shared variable or its spare, or in a temporary, which
 * other values may use after the last step that reads it. Views get no launch,
 * only another offset and other strides. */
#include <string.h>

#include "base/assert.h"
#include "base/dtype.h"
#include "plan/builder.h"
#include "plan/looping.h"

/* --- steps --- */

static int plan_inner(gg__builder *b, const gg__step *s) {
  return s->apply->op == &gg__op_scan ? gg__plan_loop(b, s)
                                      : gg__plan_ifelse(b, s);
}

/* By kind of step. */
static const struct {
  int (*plan)(gg__builder *b, const gg__step *s);
  int guards; /* it runs an op's own kernels: watched calls check its inputs */
} kinds[GG_N_STEP_KINDS] = {
    [GG_STEP_MAP] = {gg__plan_map, 0},
    [GG_STEP_REDUCE] = {gg__plan_reduction, 0},
    [GG_STEP_ROWS] = {gg__plan_rows, 0},
    [GG_STEP_KERNEL] = {gg__plan_kernel, 1},
    [GG_STEP_INNER] = {plan_inner, 0},
    [GG_STEP_VIEW] = {gg__plan_view, 0},
    [GG_STEP_COPY] = {gg__plan_copy, 0},
    [GG_STEP_SEND] = {gg__plan_send, 0},
    [GG_STEP_RECEIVE] = {gg__plan_receive, 0},
};

/* Put the step's label before the message, and the site of its first node after
 * it. */
static int fail_step(const gg__program *p, const gg__step *s, int err) {
  ga__strb b = GA_STRB_INIT;

  ga__strb_appendf(&b, "%s: %s", s->label, ga__err_text(err));
  gg__site_append(&b, &gg__step_var(p, s)->site);
  if (b.err == GA_NO_ERROR)
    ga__fail_text(err, ga__strb_text(&b));
  ga__strb_clear(&b);
  return err;
}

static int plan_step(gg__builder *b, const gg__step *s) {
  for (unsigned int i = 0; i < s->n_reads; i++)
    GA_TRY(gg__need_place(b, s, s->reads[i]));
  gg__offer_launch(b);
  GA_TRY(kinds[s->kind].plan(b, s));
  for (unsigned int i = 0; i < s->n_reads; i++)
    gg__release_value(b, s->reads[i]);
  return GA_NO_ERROR;
}

static int add_step(gg__builder *b, const gg__step *s) {
  int err = plan_step(b, s);

  if (err != GA_NO_ERROR)
    return fail_step(b->p, s, err);
  return b->u->watch != 0 ? gg__plan_seen(b, s, kinds[s->kind].guards)
                          : GA_NO_ERROR;
}

/* A step with inner graphs plans its bodies, which comes here again. So the
 * thread's setting for subnormals and its offered launch are restored. */
static int add_steps(gg__builder *b) {
  const int before = GpuLaunch_flush_subnormals(!b->u->keeps_subnormals);
  GpuLaunch *offered = GpuLaunch_renew(NULL);
  int err = GA_NO_ERROR;

  for (b->step = 0; b->step < b->p->steps.n && err == GA_NO_ERROR; b->step++) {
    err = add_step(b, b->p->steps.v[b->step]);
    ga__arena_empty(&b->u->planning.step);
  }
  GpuLaunch_free(GpuLaunch_renew(offered));
  GpuLaunch_flush_subnormals(before);
  return err;
}

/* --- the whole --- */

/* Sort the bindings by store, so that those of one store are consecutive. */
static int sort_bindings(gg__planning *m, gg__plan *p) {
  const size_t n = p->bindings.n;
  gg__binding *v = p->bindings.v;
  unsigned int first = 0;

  if (m->sorted.cap < n)
    GA_TRY(ga__vec_grow((void **)&m->sorted.v, n, &m->sorted.cap, sizeof *v));
  for (size_t k = 0; k < p->bindings.n; k++)
    p->stores.v[p->bindings.v[k].store].n++;
  for (size_t k = 0; k < p->stores.n; k++) {
    p->stores.v[k].first = first;
    first += p->stores.v[k].n;
    p->stores.v[k].n = 0;
  }
  for (size_t k = 0; k < p->bindings.n; k++) {
    gg__store *s = &p->stores.v[p->bindings.v[k].store];
    m->sorted.v[s->first + s->n++] = v[k];
  }
  const size_t cap = p->bindings.cap;
  p->bindings.v = m->sorted.v;
  p->bindings.cap = m->sorted.cap;
  m->sorted.v = v;
  m->sorted.cap = cap;
  return GA_NO_ERROR;
}

static size_t temp_bytes(const gg__unit *u) {
  size_t bytes = 0;

  for (size_t k = 0; k < u->memory.temps.n; k++)
    bytes += u->memory.temps.v[k].bytes;
  return bytes;
}

/* Bytes of the temporaries inside of loops and choices. */
static size_t inner_bytes(const gg__unit *u) {
  const gg__program *p = &u->program;
  size_t bytes = 0;

  for (size_t k = 0; k < p->steps.n; k++)
    for (int i = 0; p->steps.v[k]->kind == GG_STEP_INNER && i < 2; i++) {
      const gg__unit *body = gg__step_node(p, p->steps.v[k])->inner[i];
      bytes += body != NULL ? temp_bytes(body) + inner_bytes(body) : 0;
    }
  return bytes;
}

static int measure_launch(gg__unit *u, gg__plan *p, const gg__launch *x) {
  GpuLaunchStats st;

  GA_TRY(GpuLaunch_stats(x->launch, &st));
  p->n_kernels += st.kernels;
  p->n_made += st.made + x->made;
  p->n_host += strcmp(st.provider, gg__host_provider) == 0;
  const char *label = u->program.steps.v[x->step]->label;
  return strcmp(st.label, label) == 0 ? GA_NO_ERROR
                                      : GpuLaunch_label(x->launch, label);
}

static int measure(gg__unit *u, gg__plan *p) {
  for (size_t k = 0; k < p->launches.n; k++) {
    const gg__launch *x = &p->launches.v[k];
    p->n_transfers += x->transfer != NULL && x->is_end;
    if (x->launch != NULL)
      GA_TRY(measure_launch(u, p, x));
  }
  for (size_t k = 0; k < p->stores.n; k++)
    if (p->stores.v[k].kind == GG_STORE_TEMP)
      p->temp_bytes += u->memory.temps.v[p->stores.v[k].index].bytes;
  p->temp_bytes += inner_bytes(u);
  return GA_NO_ERROR;
}

/* List the stores that change from call to call, and mark all as not bound:
 * temporaries may have been replaced since launches were prepared with them. */
static int finish_stores(gg__plan *p) {
  for (size_t k = 0; k < p->stores.n; k++) {
    gg__store *s = &p->stores.v[k];
    s->data = NULL;
    if (s->kind == GG_STORE_INPUT || s->kind == GG_STORE_OUTPUT ||
        s->kind == GG_STORE_SHARED || s->kind == GG_STORE_SPARE)
      GA_TRY(ga__vec_push(&p->outside, (unsigned int)k));
  }
  return GA_NO_ERROR;
}

/* Set the launches of an old plan aside, where new launches take them over, and
 * empty the plan. Its lists keep their memory. */
static void empty_plan(gg__builder *b) {
  gg__planning *m = &b->u->planning;
  gg__plan *p = b->plan;
  gg__launch *const room = m->old.v;
  const size_t cap = m->old.cap;

  GA_ASSERT(m->old.n == 0);
  m->old.v = p->launches.v;
  m->old.n = p->launches.n;
  m->old.cap = p->launches.cap;
  p->launches.v = room;
  p->launches.n = 0;
  p->launches.cap = cap;
  gg__plan_reset(p);
}

/* Free what new launches have not taken over. */
static void drop_old(gg__builder *b) {
  gg__planning *m = &b->u->planning;

  for (size_t k = 0; k < m->old.n; k++) {
    GpuLaunch_free(m->old.v[k].launch);
    if (!m->old.v[k].is_end)
      GpuTransfer_free(m->old.v[k].transfer);
  }
  m->old.n = 0;
}

int gg__plan_new(gg__plan **out, gg__unit *u, const gg__sizes *sizes) {
  gg__builder b = {.u = u, .p = &u->program, .sizes = sizes, .plan = *out};
  int err;

  *out = NULL;
  b.temps.u = u;
  if (b.plan != NULL)
    empty_plan(&b);
  else
    b.plan = ga__calloc(1, sizeof *b.plan);
  if (b.plan == NULL)
    return ga__fail_nomem();
  GA_CHECK(gg__builder_init(&b));
  GA_CHECK(add_steps(&b));
  GA_CHECK(gg__lend_overwritten(&b));
  GA_CHECK(sort_bindings(&u->planning, b.plan));
  GA_CHECK(measure(u, b.plan));
  GA_CHECK(finish_stores(b.plan));
  *out = b.plan;
  b.plan = NULL;
done:
  drop_old(&b);
  gg__builder_clear(&b);
  gg__plan_free(b.plan);
  return err;
}
