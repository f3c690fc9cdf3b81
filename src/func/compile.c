/* SPDX-License-Identifier: BSD-2-Clause */
/* Compilation (gg_func_new). Its stages, in order:
 *
 *   request    check what is asked for                       request.c
 *   copy       the part of the graph that the request needs  copy_graph.c
 *   rewrite    apply rules until none fires                  src/rewrite
 *   cut        stages where sizes follow from data            stages.c
 *   number     values and nodes, with their roles            fuse/values.c
 *   fuse       nodes into steps                              fuse/fuse.c
 *   schedule   the order of steps, updates in place          fuse/schedule.c
 *   inside     the same for bodies of loops and choices
 *
 * The first call with new shapes makes a plan, and each call runs one (call.c):
 *
 *   plan       sizes, memory, launches                       plan/make_plan.c
 *   run        bind memory that has changed, enqueue         run.c
 */
#include <gpuarray/index_guard.h>
#include <gpugraph/report.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "func/builds.h"
#include "func/func.h"
#include "func/request.h"
#include "func/twin.h"
#include "loop/loop.h"
#include "plan/looping.h"

/* --- the stages --- */

static int compile_inside(gg__program *p, const gg__build *b);

/* Make a program with its steps from a rewritten graph. */
static int compile_program(gg__unit *u, gg__build *b) {
  gg__program *p = &u->program;

  GA_TRY(gg__settle(b));
  GA_TRY(gg__number_graph(p, b));
  GA_TRY(gg__fuse(p));
  GA_TRY(gg__schedule(p));
  GA_TRY(gg__label_steps(p));
  GA_TRY(compile_inside(p, b));
  GA_TRY(gg__add_inner_scalars(p));
  u->frees_temps = b->frees_temps;
  u->keeps_subnormals = b->keeps_subnormals;
  p->g->is_compiled = 1;
  return gg__unit_init(u);
}

static int rewrite(gg__build *b) {
  GA_TRY(gg__rewrite(b));
  return gg__sink_branches(b);
}

int gg__compile_rewritten(gg_func *f, gg__build *b) {
  GA_TRY(compile_program(&f->unit, b));
  f->stats.nodes_rewritten = f->unit.program.nodes.n;
  return gg__call_init(f);
}

static int compile(gg_func *f, const gg__request *r, gg__build *b) {
  GA_TRY(gg__copy_graph(b, r));
  GA_TRY(gg__request_check_inputs(r, b));
  f->stats.nodes = b->g->vars.n;
  const uint64_t start = ga__now_ns();
  GA_TRY(rewrite(b));
  GA_TRY(gg__stages_make(f, r->spec, b));
  GA_TRY(gg__compact(b));
  const uint64_t middle = ga__now_ns();
  GA_TRY(gg__compile_rewritten(f, b));
  f->stats.rewrite_seconds = 1e-9 * (double)(middle - start);
  f->stats.fuse_seconds = 1e-9 * (double)(ga__now_ns() - middle);
  return GA_NO_ERROR;
}

/* --- builds --- */

static int build_open(gg__build *b, gg_graph *beside, gpucontext *ctx) {
  b->g = gg__graph_beside(beside, ctx);
  return b->g != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

/* Report the failure in graph `to`, unless it has an error already. */
static int report(gg_graph *to, const gg__build *b, const gg__unit *u,
                  int err) {
  const gg_graph *g = b->g != NULL ? b->g : u != NULL ? u->program.g : NULL;

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

/* --- bodies of loops and branches of choices --- */

/* How loops and choices find sizes for, plan and run their bodies. */
static const gg__body_ops body_ops = {
    .measure = gg__sizes_init, .plan = gg__plan_new, .run = gg__run_body};

static int check_context(const gg__program *p, gg_graph *g, const gg_apply *a) {
  if (p->contexts.n == 1 && p->contexts.v[0].ctx == gg__inner_of(a)->g->ctx)
    return GA_NO_ERROR;
  return gg__fail(g, GA_UNSUPPORTED_ERROR,
                  "%s: what is inside must be in one context", a->op->name);
}

/* A loop that is known to make one iteration, such as those that gradients
 * compute again to save memory: its body keeps none. */
static int is_once(const gg_apply *a) {
  double steps;

  return a->op == &gg__op_scan && gg_var_uniform(a->in[0], &steps) &&
         steps == 1;
}

/* Compile outputs first .. first + n - 1 of a node's inner graph to a unit. On
 * failure the message is in the node's graph. */
static int compile_body(gg__unit **out, const gg__build *outer,
                        const gg_apply *a, unsigned int first, unsigned int n) {
  const gg__inner *x = gg__inner_of(a);
  gg_graph *g = a->out[0]->graph;
  gg__build b = gg__inside_of(outer);
  gg__unit *u = ga__calloc(1, sizeof *u);
  int err;

  *out = u; /* freed with the node, also on failure */
  if (u == NULL)
    GA_CHECK(ga__fail_nomem());
  u->ops = &body_ops;
  b.frees_temps |= is_once(a);
  GA_CHECK(build_open(&b, g, x->g->ctx));
  GA_CHECK(gg__copy_inner(&b, x, first, n));
  GA_CHECK(rewrite(&b));
  GA_CHECK(gg__compact(&b));
  GA_CHECK(compile_program(u, &b));
  GA_CHECK(check_context(&u->program, g, a));
done:
  if (err != GA_NO_ERROR)
    report(g, &b, u, err);
  gg__build_clear(&b);
  return err;
}

/* A loop has one body, with all outputs of the inner graph. A choice has two
 * branches, each with as many outputs as the node; those of the first one come
 * first. */
static int compile_node(gg__node *n, const gg__build *b) {
  const gg_apply *a = n->apply;

  if (a->op == &gg__op_scan)
    return compile_body(&n->inner[0], b, a, 0, gg__inner_of(a)->n_out);
  GA_TRY(compile_body(&n->inner[0], b, a, 0, a->n_out));
  return compile_body(&n->inner[1], b, a, a->n_out, a->n_out);
}

static int compile_inside(gg__program *p, const gg__build *b) {
  for (size_t k = 0; k < p->nodes.n; k++)
    if (p->nodes.v[k].apply->op->kind == GG_OP_INNER)
      GA_TRY(compile_node(&p->nodes.v[k], b));
  return GA_NO_ERROR;
}

/* --- other options of the spec --- */

/* Report a node that the host computes: as an error, as a line of the trace, or
 * not at all. */
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
        GA_TRY(check_host(r, &n->inner[i]->program));
  }
  return GA_NO_ERROR;
}

/* What calls check, as GG_WATCH_* bits. */
static int watch_of(const gg_func_spec *spec) {
  return (spec->flags & GG_NAN_GUARD ? GG_WATCH_NAN : 0) |
         (spec->flags & GG_INF_GUARD ? GG_WATCH_INF : 0) |
         (spec->flags & GG_BIG_GUARD ? GG_WATCH_BIG : 0) |
         (spec->mode == GG_DEBUG ? GG_WATCH_COMPARE : 0);
}

static int take_options(gg_func *f, const gg__request *r) {
  const gg_func_spec *spec = r->spec;

  GA_TRY(check_host(r, &f->unit.program));
  GA_TRY(gg__memory_init(f, spec));
  GA_TRY(gg__casting_init(f, spec));
  GA_TRY(gg__name_outputs(f, spec->outputs));
  f->unit.watch = watch_of(spec);
  gg__unit_watch(&f->unit, f->unit.watch & GG_WATCH_GUARDS);
  if (spec->mode != GG_DEBUG)
    return GA_NO_ERROR;
  gg__unit_watch(&f->unit, GG_WATCH_ENDS);
  /* A twin has stages of its own, whose arguments are others. */
  if (f->stages.n > 0)
    return GA_NO_ERROR;
  return gg__twin_new(&f->twin, r->g, spec);
}

/* --- functions --- */

static atomic_ullong serials;

int gg__func_alloc(gg_func **out, const char *name) {
  gg_func *f = ga__calloc(1, sizeof *f);

  if (f == NULL)
    return ga__fail_nomem();
  if (pthread_mutex_init(&f->locks.own, NULL) != 0) {
    ga__free(f);
    return ga__fail(GA_SYS_ERROR, "cannot make a mutex");
  }
  *out = f;
  f->serial = atomic_fetch_add(&serials, 1) + 1;
  f->options.name = ga__strdup(name != NULL ? name : "function");
  return f->options.name != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

/* Functions that check bounds on the host need no index guards. */
static int guards_indices(const gg_func_spec *spec, gpucontext *ctx) {
  if (spec->mode == GG_DEBUG ||
      (spec->flags & (GG_BOUNDS_GUARD | GG_NO_INDEX_GUARD)) != 0)
    return 0;
  return (spec->flags & GG_INDEX_GUARD) != 0 || gpucontext_guards_indices(ctx);
}

/* `spec` lists all updates, also default updates. */
static int func_new(gg_func **out, gg_graph *g, const gg_func_spec *spec) {
  const uint64_t start = ga__now_ns();
  gg__build b = {.frees_temps = (spec->flags & GG_FREE_TEMPS) != 0,
                 .keeps_subnormals = spec->mode == GG_DEBUG ||
                                     (spec->flags & GG_KEEP_SUBNORMALS) != 0,
                 .times_rules = (spec->flags & GG_PROFILE) != 0};
  gg_func *f = NULL;
  gg__request r;
  int err;

  gg__request_init(&r, g, spec);
  GA_CHECK(gg__request_check(&r));
  GA_CHECK(gg__select(&b, g, spec));
  GA_CHECK(gg__func_alloc(&f, spec->name));
  GA_CHECK(build_open(&b, g, g->ctx));
  b.g->guards_indices = guards_indices(spec, g->ctx);
  GA_CHECK(compile(f, &r, &b));
  GA_CHECK(take_options(f, &r));
  take_fired(f, &b);
  GA_CHECK(gg__locks_init(f));
  f->stats.compile_seconds = 1e-9 * (double)(ga__now_ns() - start);
  if (spec->flags & GG_PROFILE)
    GA_CHECK(gg_func_profile(f, 1));
  *out = f;
  f = NULL;
done:
  if (err != GA_NO_ERROR)
    report(r.g, &b, f != NULL ? &f->unit : NULL, err);
  gg_func_free(f);
  gg__build_clear(&b);
  return err;
}

int gg_func_new(gg_func **out, gg_graph *g, const gg_func_spec *spec) {
  gg_update *updates;

  if (out != NULL)
    *out = NULL;
  if (g == NULL)
    return ga__fail(GA_VALUE_ERROR, "no graph");
  if (out == NULL)
    return gg__fail(g, GA_VALUE_ERROR, "gg_func_new: the result is NULL");
  if (spec == NULL)
    return gg__fail(g, GA_VALUE_ERROR, "gg_func_new: the spec is NULL");
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
