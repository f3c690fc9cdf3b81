/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of functions: the rewritten graph, or the part of it that some outputs
 * need, with other shared variables. Nothing is rewritten again. */
#include <gpugraph/copy.h>
#include <string.h>

#include "func/builds.h"
#include "func/func.h"

typedef struct copier {
  const gg_func *f;
  const gg_copy_spec *spec;
  gg__build *b;
  gg__subst s;
} copier;

/* --- checks --- */

static const gg__shared *find_shared(const gg_func *f, const gg_var *v) {
  for (size_t k = 0; k < f->unit.program.shared.n; k++)
    if (f->unit.program.shared.v[k].storage == v->storage)
      return &f->unit.program.shared.v[k];
  return NULL;
}

static int check_swap(const gg_func *f, const gg_swap *x, size_t i) {
  char from[160], to[160];

  if (x->from == NULL || x->from->kind != GG_VAR_SHARED || x->to == NULL ||
      x->to->kind != GG_VAR_SHARED)
    return ga__fail(GA_VALUE_ERROR, "swap %zu: expected shared variables", i);
  if (find_shared(f, x->from) == NULL)
    return ga__fail(GA_VALUE_ERROR, "swap %zu: %s does not use %s", i,
                    f->options.name, gg__display_name(x->from));
  if (!gg__type_fits(&x->to->type, &x->from->type))
    return ga__fail(GA_VALUE_ERROR, "swap %zu: %s is %s and cannot be %s", i,
                    gg__display_name(x->from),
                    gg_type_text(&x->from->type, from, sizeof from),
                    gg_type_text(&x->to->type, to, sizeof to));
  if (x->to->type.ctx != x->from->type.ctx)
    return ga__fail(GA_VALUE_ERROR, "swap %zu: %s is in another context", i,
                    gg__display_name(x->to));
  return GA_NO_ERROR;
}

static int check(const gg_func *f, const gg_copy_spec *spec) {
  for (size_t i = 0; spec->swaps != NULL && spec->swaps[i].from != NULL; i++)
    GA_TRY(check_swap(f, &spec->swaps[i], i));
  for (size_t i = 0; spec->outputs != NULL && i < spec->n_outputs; i++)
    if (spec->outputs[i] >= f->unit.program.n_outputs)
      return ga__fail(GA_VALUE_ERROR, "%s has %zu outputs: there is no %u",
                      f->options.name, f->unit.program.n_outputs,
                      spec->outputs[i]);
  return GA_NO_ERROR;
}

/* --- copying --- */

/* The leaf in the copy for shared variable `x`, or for the one that it is
 * swapped for. */
static gg_var *copy_shared(const copier *c, const gg__shared *x) {
  const gg_swap *swap = c->spec->swaps;

  for (; swap != NULL && swap->from != NULL; swap++)
    if (swap->from->storage == x->storage)
      return gg__clone_leaf(c->b->g, swap->to);
  return gg__clone_leaf(c->b->g, x->var);
}

static int put_copy(copier *c, const gg_var *from, gg_var *to) {
  return to != NULL ? gg__subst_put(&c->s, from, to) : gg_graph_status(c->b->g);
}

static int copy_leaves(copier *c) {
  const gg__program *p = &c->f->unit.program;

  for (size_t k = 0; k < p->arguments.n; k++) {
    gg_var *v = gg__clone_leaf(c->b->g, p->arguments.v[k]);
    GA_TRY(put_copy(c, p->arguments.v[k], v));
    GA_TRY(ga__vec_push(&c->b->inputs, v));
  }
  for (size_t k = 0; k < p->shared.n; k++)
    GA_TRY(put_copy(c, p->shared.v[k].var, copy_shared(c, &p->shared.v[k])));
  return GA_NO_ERROR;
}

static int copy_result(copier *c, size_t k) {
  const gg__program *p = &c->f->unit.program;
  gg_var *v = gg__subst_apply(&c->s, p->values.v[p->results.v[k].value].var);

  return v != NULL ? ga__vec_push(&c->b->results, v) : gg_graph_status(c->b->g);
}

static int copy_results(copier *c) {
  const gg__program *p = &c->f->unit.program;
  const gg_copy_spec *spec = c->spec;
  const size_t n = spec->outputs != NULL ? spec->n_outputs : p->n_outputs;

  for (size_t k = 0; k < n; k++)
    GA_TRY(copy_result(c, spec->outputs != NULL ? spec->outputs[k] : k));
  c->b->n_outputs = n;
  if (spec->flags & GG_COPY_NO_UPDATES)
    return GA_NO_ERROR;
  for (size_t k = p->n_outputs; k < p->results.n; k++) {
    gg_var *target = p->shared.v[p->results.v[k].shared].var;
    GA_TRY(ga__vec_push(&c->b->targets, gg__subst_get(&c->s, target)));
    GA_TRY(copy_result(c, k));
  }
  return GA_NO_ERROR;
}

static int copy_graph(copier *c) {
  int err;

  gg__subst_init(&c->s, c->b->g);
  GA_CHECK(copy_leaves(c));
  GA_CHECK(copy_results(c));
done:
  gg__subst_clear(&c->s);
  return err;
}

static int copy_names(gg_func *f, const gg_func *from,
                      const gg_copy_spec *spec) {
  GA_TRY(gg__names_init(f));
  for (size_t k = 0; k < f->unit.program.n_outputs; k++)
    f->options.out_names[k] = ga__arena_strdup(
        &f->unit.program.arena,
        from->options.out_names[spec->outputs != NULL ? spec->outputs[k] : k]);
  for (size_t k = 0; k < f->unit.program.n_outputs; k++)
    if (f->options.out_names[k] == NULL)
      return ga__fail_nomem();
  return GA_NO_ERROR;
}

int gg__func_copy(gg_func **out, const gg_func *f, const gg_copy_spec *spec) {
  gg__build b = {.mode = f->unit.program.mode, .include = NULL};
  copier c = {.f = f, .spec = spec, .b = &b};
  gg_func *copy = NULL;
  int err;

  *out = NULL;
  GA_CHECK(check(f, spec));
  b.g = gg__graph_beside(f->unit.program.g, f->unit.program.g->ctx);
  if (b.g == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(copy_graph(&c));
  b.no_fusion = !f->unit.program.fuses;
  b.no_inplace = !f->unit.program.in_place;
  b.frees_temps = f->unit.frees_temps;
  b.keeps_subnormals = f->unit.keeps_subnormals;
  GA_CHECK(
      gg__func_alloc(&copy, spec->name != NULL ? spec->name : f->options.name));
  copy->unit.watch =
      f->unit.watch & ~(GG_WATCH_COMPARE | GG_WATCH_ENDS | GG_WATCH_STEPS);
  GA_CHECK(gg__compile_rewritten(copy, &b));
  copy->n_given = copy->unit.program.arguments.n;
  gg__unit_watch(&copy->unit, f->unit.watch & GG_WATCH_GUARDS);
  GA_CHECK(copy_names(copy, f, spec));
  GA_CHECK(gg__memory_copy(copy, f, spec->outputs));
  GA_CHECK(gg__casting_copy(copy, f));
  GA_CHECK(gg__locks_init(copy));
  *out = copy;
  copy = NULL;
done:
  gg_func_free(copy);
  gg__build_clear(&b);
  return err;
}

static int check_copy(const gg_func *f, const gg_copy_spec *spec) {
  if (spec == NULL)
    return ga__fail(GA_VALUE_ERROR, "the spec is NULL");
  if (f->stages.n > 0)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "a function of %zu stages, whose sizes follow from data, "
                    "cannot be copied",
                    f->stages.n + 1);
  return GA_NO_ERROR;
}

int gg_func_copy(gg_func **out, const gg_func *f, const gg_copy_spec *spec) {
  gg_func *open = (gg_func *)f; /* only its lock changes */

  if (out == NULL)
    return ga__fail(GA_VALUE_ERROR, "gg_func_copy: the result is NULL");
  *out = NULL;
  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "no function");
  pthread_mutex_lock(&open->locks.own);
  int err = check_copy(f, spec);
  if (err == GA_NO_ERROR)
    err = gg__func_copy(out, f, spec);
  pthread_mutex_unlock(&open->locks.own);
  return err == GA_NO_ERROR ? err : gg__func_failed(f, err);
}
