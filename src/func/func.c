/* SPDX-License-Identifier: BSD-2-Clause */
/* Making functions: copy what is asked for into a graph of its own, and send
 * that through the stages of compile.h. */
#include <gpuarray/device.h>
#include <gpugraph/report.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "func/func.h"
#include "func/request.h"

static atomic_ullong serials;

/* --- copying the graph --- */

typedef GA_VEC(gg_var *) var_list;

/* Copies of variables: those that givens bring in are copied on their own, so
 * that a given may contain what it replaces. */
typedef struct copier {
  const gg__request *r;
  gg__build *b;
  gg__subst plain, given;
} copier;

static int put_both(copier *c, const gg_var *from, gg_var *to) {
  if (to == NULL)
    return gg_graph_status(c->b->g);
  GA_TRY(gg__subst_put(&c->plain, from, to));
  return gg__subst_put(&c->given, from, to);
}

static int copy_leaf(copier *c, const gg_var *v) {
  if (v->owner != NULL || gg__subst_get(&c->plain, v) != NULL)
    return GA_NO_ERROR;
  return put_both(c, v, gg__clone_leaf(c->b->g, v));
}

/* Everything that the request names. */
static int list_roots(const gg__request *r, var_list *out) {
  const gg_func_spec *spec = r->spec;

  for (size_t i = 0; i < r->n_outputs; i++)
    GA_TRY(ga__vec_push(out, spec->outputs[i]));
  for (size_t i = 0; i < r->n_updates; i++) {
    GA_TRY(ga__vec_push(out, spec->updates[i].shared));
    GA_TRY(ga__vec_push(out, spec->updates[i].value));
  }
  for (size_t i = 0; i < r->n_givens; i++)
    GA_TRY(ga__vec_push(out, spec->givens[i].by));
  return GA_NO_ERROR;
}

/* One copy of each leaf, whichever way leads to it. Inputs come first. */
static int copy_leaves(copier *c) {
  var_list roots = {NULL, 0, 0};
  gg__order order = {NULL, 0, 0};
  gg_var *const *in = c->r->spec->inputs;
  int err;

  for (size_t i = 0; i < c->r->n_inputs; i++) {
    GA_CHECK(copy_leaf(c, in[i]));
    GA_CHECK(ga__vec_push(&c->b->inputs, gg__subst_get(&c->plain, in[i])));
  }
  GA_CHECK(list_roots(c->r, &roots));
  GA_CHECK(gg__toposort(&order, roots.n, roots.v));
  for (size_t i = 0; i < order.n; i++)
    for (unsigned int k = 0; k < order.v[i]->n_in; k++)
      GA_CHECK(copy_leaf(c, order.v[i]->in[k]));
  for (size_t i = 0; i < roots.n; i++)
    GA_CHECK(copy_leaf(c, roots.v[i]));
done:
  ga__vec_clear(&roots);
  ga__vec_clear(&order);
  return err;
}

static int copy_givens(copier *c) {
  const gg_given *v = c->r->spec->givens;

  for (size_t i = 0; i < c->r->n_givens; i++) {
    gg_var *by = gg__subst_apply(&c->plain, v[i].by);
    if (by == NULL)
      return gg_graph_status(c->b->g);
    GA_TRY(gg__subst_put(&c->given, v[i].var, by));
  }
  return GA_NO_ERROR;
}

/* `like` is where the result belongs. */
static int copy_result(copier *c, gg_var *v, const gg_var *like) {
  gg_var *copy = gg__subst_apply(&c->given, v);

  if (copy == NULL)
    return gg_graph_status(c->b->g);
  GA_TRY(ga__vec_push(&c->b->homes, gg_var_context(like)));
  return ga__vec_push(&c->b->results, copy);
}

static int copy_results(copier *c) {
  const gg_func_spec *spec = c->r->spec;

  for (size_t i = 0; i < c->r->n_outputs; i++)
    GA_TRY(copy_result(c, spec->outputs[i], spec->outputs[i]));
  c->b->n_outputs = c->r->n_outputs;
  for (size_t i = 0; i < c->r->n_updates; i++) {
    gg_var *target = gg__subst_get(&c->plain, spec->updates[i].shared);
    GA_TRY(ga__vec_push(&c->b->targets, target));
    GA_TRY(copy_result(c, spec->updates[i].value, spec->updates[i].shared));
  }
  return GA_NO_ERROR;
}

static int copy_graph(const gg__request *r, gg__build *b) {
  copier c = {.r = r, .b = b};
  int err;

  gg__subst_init(&c.plain, b->g);
  gg__subst_init(&c.given, b->g);
  GA_CHECK(copy_leaves(&c));
  GA_CHECK(copy_givens(&c));
  GA_CHECK(copy_results(&c));
done:
  gg__subst_clear(&c.plain);
  gg__subst_clear(&c.given);
  return err;
}

/* --- compiling --- */

static int move_all(gg__subst *s, gg_var **v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    v[i] = gg__subst_apply(s, v[i]);
    if (v[i] == NULL)
      return gg_graph_status(s->g);
  }
  return GA_NO_ERROR;
}

/* Leave behind what rewriting has tried and dropped: move to a new graph. */
static int compact(gg__build *b) {
  gg_graph *g = gg__graph_beside(b->g, b->g->ctx);
  gg__subst s;

  if (g == NULL)
    return ga__fail_nomem();
  gg__subst_init(&s, g);
  int err = move_all(&s, b->inputs.v, b->inputs.n);
  if (err == GA_NO_ERROR)
    err = move_all(&s, b->targets.v, b->targets.n);
  if (err == GA_NO_ERROR)
    err = move_all(&s, b->results.v, b->results.n);
  gg__subst_clear(&s);
  /* On failure its message is wanted. */
  gg_graph_free(b->g);
  b->g = g;
  return err;
}

void gg__build_clear(gg__build *b) {
  ga__vec_clear(&b->inputs);
  ga__vec_clear(&b->targets);
  ga__vec_clear(&b->results);
  ga__vec_clear(&b->homes);
  ga__vec_clear(&b->fired);
  gg_graph_free(b->g);
}

/* A node that the host computes: an error, a line, or fine. */
static int tell_host(const gg__request *r, const gg_apply *a) {
  const gg_func_spec *spec = r->spec;
  ga__strb b = GA_STRB_INIT;

  if (spec->flags & GG_NO_HOST)
    return gg__fail(r->g, GA_UNSUPPORTED_ERROR,
                    "%s is computed by the host, which GG_NO_HOST forbids",
                    a->op->name);
  if (!(spec->flags & GG_WARN_HOST) || spec->trace == NULL)
    return GA_NO_ERROR;
  ga__strb_appendf(&b, "%s is computed by the host", a->op->name);
  gg__site_append(&b, &a->out[0]->site);
  int err = b.err;
  if (err == GA_NO_ERROR)
    fprintf(spec->trace, "%s\n", ga__strb_text(&b));
  ga__strb_clear(&b);
  return err;
}

static int check_host(const gg__request *r, const gg__program *p) {
  for (size_t k = 0; k < p->nodes.n; k++) {
    const gg__node *n = &p->nodes.v[k];
    if (n->apply->op->on_host && n->role != GG_DEAD)
      GA_TRY(tell_host(r, n->apply));
    for (int i = 0; i < 2; i++)
      if (n->inner[i] != NULL)
        GA_TRY(check_host(r, &n->inner[i]->p));
  }
  return GA_NO_ERROR;
}

static int hold_contexts(gg_func *f) {
  int err = GA_NO_ERROR;

  for (size_t k = 0; k < f->p.contexts.n; k++) {
    gpucontext *ctx = f->p.contexts.v[k].ctx;
    gpudata *anchor = gpudata_alloc(ctx, 0, NULL, 0, &err);
    if (anchor == NULL)
      return err;
    f->p.contexts.v[k].anchor = anchor;
  }
  return GA_NO_ERROR;
}

int gg__func_finish(gg_func *f, gg__build *b) {
  GA_TRY(gg__settle(b));
  GA_TRY(gg__program_init(&f->p, b));
  GA_TRY(gg__inner_compile(&f->p, b));
  f->frees_temps = b->frees_temps;
  GA_TRY(hold_contexts(f));
  f->stats.nodes_rewritten = f->p.nodes.n;
  GA_TRY(gg__label_steps(&f->p));
  GA_TRY(gg__run_init(f));
  f->p.g->is_compiled = 1;
  return GA_NO_ERROR;
}

/* The stages once the graph is there. */
static int compile_graph(gg_func *f, gg__build *b) {
  const uint64_t start = ga__now_ns();

  f->stats.nodes = b->g->vars.n;
  GA_TRY(gg__rewrite(b));
  GA_TRY(gg__sink_branches(b));
  GA_TRY(compact(b));
  uint64_t middle = ga__now_ns();
  GA_TRY(gg__func_finish(f, b));
  f->stats.rewrite_seconds = 1e-9 * (double)(middle - start);
  f->stats.fuse_seconds = 1e-9 * (double)(ga__now_ns() - middle);
  return GA_NO_ERROR;
}

static int compile(gg_func *f, const gg__request *r, gg__build *b) {
  GA_TRY(copy_graph(r, b));
  GA_TRY(gg__request_check_inputs(r, b));
  GA_TRY(compile_graph(f, b));
  GA_TRY(check_host(r, &f->p));
  GA_TRY(gg__memory_init(f, r->spec));
  GA_TRY(gg__casting_init(f, r->spec));
  return gg__name_outputs(f, r->spec->outputs);
}

/* What calls are to be watched for. */
static int watch_of(const gg_func_spec *spec) {
  return (spec->flags & GG_NAN_GUARD ? GG_WATCH_NAN : 0) |
         (spec->flags & GG_INF_GUARD ? GG_WATCH_INF : 0) |
         (spec->flags & GG_BIG_GUARD ? GG_WATCH_BIG : 0) |
         (spec->mode == GG_DEBUG ? GG_WATCH_COMPARE : 0);
}

/* On failure *out is to be freed too. */
int gg__func_alloc(gg_func **out, const char *name) {
  gg_func *f = ga__calloc(1, sizeof *f);

  if (f == NULL)
    return ga__fail_nomem();
  if (pthread_mutex_init(&f->lock, NULL) != 0) {
    ga__free(f);
    return ga__fail(GA_SYS_ERROR, "cannot make a mutex");
  }
  *out = f;
  f->serial = atomic_fetch_add(&serials, 1) + 1;
  f->name = ga__strdup(name != NULL ? name : "function");
  return f->name != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

/* Tell the graph `to` what went wrong; what is said there already stays. */
static int report(gg_graph *to, const gg__build *b, const gg_func *f, int err) {
  const gg_graph *g = b->g != NULL ? b->g : f != NULL ? f->p.g : NULL;

  if (g != NULL && gg_graph_status(g) != GA_NO_ERROR)
    return gg__fail_text(to, err, gg_graph_error(g));
  return gg__fail(to, err, "%s", ga__err_text(err));
}

static void take_fired(gg_func *f, gg__build *b) {
  f->fired.v = b->fired.v;
  f->fired.n = b->fired.n;
  f->fired.cap = b->fired.cap;
  memset(&b->fired, 0, sizeof b->fired);
}

/* `spec` has all updates. */
static int func_new(gg_func **out, gg_graph *g, const gg_func_spec *spec) {
  const uint64_t start = ga__now_ns();
  gg__build b;
  gg_func *f = NULL;
  gg__request r;
  int err;

  memset(&b, 0, sizeof b);
  gg__request_init(&r, g, spec);
  GA_CHECK(gg__request_check(&r));
  GA_CHECK(gg__select(&b, g, spec));
  b.frees_temps = (spec->flags & GG_FREE_TEMPS) != 0;
  b.times_rules = (spec->flags & GG_PROFILE) != 0;
  GA_CHECK(gg__func_alloc(&f, spec->name));
  b.g = gg__graph_beside(g, g->ctx);
  if (b.g == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(compile(f, &r, &b));
  take_fired(f, &b);
  f->watch = watch_of(spec);
  gg__watch_inside(f, f->watch & GG_WATCH_GUARDS);
  if (spec->mode == GG_DEBUG) {
    gg__watch_inside(f, GG_WATCH_ENDS);
    GA_CHECK(gg__debug_new(&f->plain, g, spec));
  }
  GA_CHECK(gg__hold_init(f));
  f->stats.compile_seconds = 1e-9 * (double)(ga__now_ns() - start);
  if (spec->flags & GG_PROFILE)
    GA_CHECK(gg_func_profile(f, 1));
  *out = f;
  f = NULL;
done:
  if (err != GA_NO_ERROR)
    report(r.g, &b, f, err);
  gg_func_free(f);
  gg__build_clear(&b);
  return err;
}

/* --- functions inside functions --- */

/* Copy outputs first .. first + n - 1 of the graph inside a node. */
static int copy_inner(gg__build *b, const gg__inner *x, unsigned int first,
                      unsigned int n) {
  gg__subst s;
  int err = GA_NO_ERROR;

  gg__subst_init(&s, b->g);
  for (unsigned int i = 0; i < x->n_in; i++) {
    gg_var *v = gg__clone_leaf(b->g, x->in[i]);
    GA_CHECK(v != NULL ? gg__subst_put(&s, x->in[i], v) : GA_MEMORY_ERROR);
    GA_CHECK(ga__vec_push(&b->inputs, v));
  }
  for (unsigned int i = first; i < first + n; i++) {
    gg_var *v = gg__subst_apply(&s, x->out[i]);
    GA_CHECK(v != NULL ? ga__vec_push(&b->results, v) : gg_graph_status(b->g));
  }
  b->n_outputs = n;
done:
  gg__subst_clear(&s);
  return err;
}

int gg__func_inner(gg_func **out, const gg__build *outer, const gg_apply *a,
                   unsigned int first, unsigned int n) {
  gpucontext *ctx = gg__inner_of(a)->g->ctx;
  gg_graph *g = a->out[0]->graph;
  gg__build b;
  gg_func *f = NULL;
  int err;

  *out = NULL;
  memset(&b, 0, sizeof b);
  b.mode = outer->mode;
  b.include = outer->include;
  b.exclude = outer->exclude;
  b.checks_bounds = outer->checks_bounds;
  b.max_passes = outer->max_passes;
  b.no_fusion = outer->no_fusion;
  b.no_inplace = outer->no_inplace;
  b.frees_temps = outer->frees_temps;
  GA_CHECK(gg__func_alloc(&f, a->op->name));
  b.g = gg__graph_beside(g, ctx);
  if (b.g == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(copy_inner(&b, gg__inner_of(a), first, n));
  GA_CHECK(compile_graph(f, &b));
  if (f->p.contexts.n != 1 || f->p.contexts.v[0].ctx != ctx)
    GA_CHECK(gg__fail(g, GA_UNSUPPORTED_ERROR,
                      "%s: what is inside must be in one context",
                      a->op->name));
  take_fired(f, &b);
  *out = f;
  f = NULL;
done:
  if (err != GA_NO_ERROR)
    report(g, &b, f, err);
  gg_func_free(f);
  gg__build_clear(&b);
  return err;
}

int gg_func_new(gg_func **out, gg_graph *g, const gg_func_spec *spec) {
  gg_update *updates;

  *out = NULL;
  if (g == NULL)
    return ga__fail(GA_VALUE_ERROR, "no graph");
  int err = gg__all_updates(g, spec, &updates);
  if (err != GA_NO_ERROR)
    return gg__fail(g, err, "%s", ga__err_text(err));
  gg_func_spec full = *spec;
  full.updates = updates;
  full.flags |= GG_NO_DEFAULT_UPDATES;
  err = func_new(out, g, &full);
  ga__free(updates);
  return err;
}

void gg_func_free(gg_func *f) {
  if (f == NULL)
    return;
  if (f->profiling)
    gg_func_profile(f, 0);
  gg_func_free(f->plain);
  gg__parts_clear(f);
  gg__defaults_clear(f);
  gg__run_clear(f);
  gg__inner_free(&f->p);
  gg__program_clear(&f->p);
  ga__vec_clear(&f->fired);
  ga__free(f->name);
  pthread_mutex_destroy(&f->lock);
  ga__free(f);
}

int gg_func_stat(const gg_func *f, gg_func_stats *out) {
  gg_func *open = (gg_func *)f; /* only its lock changes */

  pthread_mutex_lock(&open->lock);
  *out = f->stats;
  out->plans_kept = f->n_plans;
  const gg__plan *last = gg__last_plan(f);
  if (last != NULL) {
    out->steps = last->n_kernels;
    out->host_steps = last->n_host;
    out->temp_bytes = last->temp_bytes;
    out->temp_bytes_alone = last->temp_bytes_alone;
    out->transfers = last->n_transfers;
  }
  pthread_mutex_unlock(&open->lock);
  return GA_NO_ERROR;
}
