/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions whose sizes follow from data. Such a function is cut into stages
 * (cut_graph.h). The last one is the function itself, with further arguments:
 * counts, and arrays that cross the cut. Each stage before it computes those.
 * It has the caller's arguments and what the stages before it computed. It is a
 * function, or a loop or a choice whose inside is a function (stage_inside.c).
 * To the last stage a count is an integer in an argument that sizes depend on:
 * a call reads it, and finds or makes the plan for it. Updates are all in the
 * last stage. */
#include <string.h>

#include "func/cut_graph.h"
#include "func/func.h"
#include "func/stage_inside.h"

/* --- making --- */

/* The inputs of a stage, ended by NULL; the caller frees the list. */
static gg_var **list_inputs(const gg__build *b) {
  gg_var **list = ga__calloc(b->inputs.n + 1, sizeof *list);

  if (list != NULL && b->inputs.n > 0)
    memcpy(list, b->inputs.v, b->inputs.n * sizeof *list);
  return list;
}

/* Make the stage that computes what crosses from the inputs of b. Its arguments
 * are checked and converted already. */
static int add_function(gg_func *f, const gg_func_spec *spec,
                        const gg__build *b, gg__cut *cut) {
  gg_var **inputs = list_inputs(b);
  gg__stage stage = {.n = cut->crossing.n};
  gg_func_spec own = gg__stage_spec(spec);
  int err;

  if (inputs == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(ga__vec_push(&cut->crossing, NULL));
  cut->crossing.n--;
  own.inputs = inputs;
  own.outputs = cut->crossing.v;
  GA_CHECK(gg_func_new(&stage.f, b->g, &own));
  GA_CHECK(ga__vec_push(&f->stages, stage));
  stage.f = NULL;
done:
  gg_func_free(stage.f);
  ga__free(inputs);
  return err;
}

/* Add a further input for a variable that a stage computes. NULL on failure. */
static gg_var *add_input(gg__build *b, const gg_var *from) {
  gg_var *v =
      gg__var_new(b->g, GG_VAR_INPUT, &from->type, gg__display_name(from));

  if (v == NULL)
    return NULL;
  v->site = from->site;
  v->by_data = from->by_data;
  return ga__vec_push(&b->inputs, v) == GA_NO_ERROR ? v : NULL;
}

/* Replace variables in the rest of the graph, also in the list of feeds. */
static int replace(gg__build *b, gg__subst *s, gg__feeds *feeds) {
  GA_TRY(gg__replace_results(b, s));
  for (size_t k = 0; k < feeds->n; k++) {
    feeds->v[k].var = gg__subst_apply(s, feeds->v[k].var);
    if (feeds->v[k].var == NULL)
      return gg_graph_status(b->g);
  }
  return GA_NO_ERROR;
}

/* Make further inputs of what crosses. */
static int take_crossing(gg__build *b, const gg__cut *cut, gg__feeds *feeds) {
  const unsigned int first = (unsigned int)b->inputs.n;
  gg__subst s;
  int err = GA_NO_ERROR;

  gg__subst_init(&s, b->g);
  for (unsigned int k = 0; k < cut->crossing.n; k++) {
    gg_var *from = cut->crossing.v[k], *v = add_input(b, from);
    if (v == NULL)
      GA_CHECK(ga__fail_nomem());
    if (k < cut->n_through)
      GA_CHECK(gg__subst_put(&s, from, v));
    else
      GA_CHECK(ga__vec_push(feeds, ((gg__fed){from, first + k})));
  }
  GA_CHECK(replace(b, &s, feeds));
done:
  gg__subst_clear(&s);
  return err;
}

/* Make further inputs of the outputs of a loop or a choice, and the stage that
 * computes them. */
static int add_inside(gg_func *f, const gg_func_spec *spec, gg__build *b,
                      const gg_apply *a, gg__feeds *feeds) {
  gg__uses uses = {NULL, 0, 0};
  gg__wanted wanted = {NULL, 0, 0};
  gg__subst s;
  int err;

  gg__subst_init(&s, b->g);
  GA_CHECK(gg__count_uses(&uses, b->g, b->results.n, b->results.v));
  for (unsigned int i = 0; i < a->n_out; i++)
    if (uses.v[a->out[i]->id] != 0)
      GA_CHECK(ga__vec_push(&wanted, i));
  GA_CHECK(gg__inside_make(f, spec, b, a, feeds, &wanted));
  for (size_t k = 0; k < wanted.n; k++) {
    gg_var *v = add_input(b, a->out[wanted.v[k]]);
    if (v == NULL)
      GA_CHECK(ga__fail_nomem());
    GA_CHECK(gg__subst_put(&s, a->out[wanted.v[k]], v));
  }
  GA_CHECK(replace(b, &s, feeds));
done:
  gg__subst_clear(&s);
  ga__vec_clear(&uses);
  ga__vec_clear(&wanted);
  return err;
}

/* Add the next stage; *more becomes 0 if there is none. */
static int add_stage(gg_func *f, const gg_func_spec *spec, gg__build *b,
                     gg__feeds *feeds, int *more) {
  gg__cut cut;
  int err = gg__cut_find(&cut, b, feeds);

  *more = cut.crossing.n > 0 || cut.inside != NULL;
  if (err == GA_NO_ERROR && cut.inside != NULL)
    err = add_inside(f, spec, b, cut.inside, feeds);
  else if (err == GA_NO_ERROR && *more) {
    err = add_function(f, spec, b, &cut);
    if (err == GA_NO_ERROR)
      err = take_crossing(b, &cut, feeds);
  }
  ga__vec_clear(&cut.crossing);
  return err;
}

int gg__stages_make(gg_func *f, const gg_func_spec *spec, gg__build *b) {
  gg__feeds feeds = {NULL, 0, 0};
  int err = GA_NO_ERROR, more = 1;

  f->n_given = b->inputs.n;
  while (more && err == GA_NO_ERROR)
    err = add_stage(f, spec, b, &feeds, &more);
  ga__vec_clear(&feeds);
  if (err != GA_NO_ERROR || f->stages.n == 0)
    return err;
  f->staged = ga__calloc(b->inputs.n, sizeof *f->staged);
  f->arrays = ga__calloc(b->inputs.n - f->n_given, sizeof *f->arrays);
  if (f->staged == NULL || f->arrays == NULL)
    return ga__fail_nomem();
  for (size_t k = f->n_given; k < b->inputs.n; k++)
    f->staged[k] = &f->arrays[k - f->n_given];
  return GA_NO_ERROR;
}

/* --- calls --- */

/* Call a body or a branch. */
static int call(gg_func *f, GpuArray *const *in, GpuArray *const *out) {
  GA_TRY(gg__stages_run(f, &in));
  const int err = gg__run(f, in, out);
  if (err != GA_NO_ERROR || f->unit.frees_temps)
    gg__stages_drop(f);
  return err;
}

static int run_stage(const gg__stage *s, GpuArray *const *in,
                     GpuArray *const *out) {
  if (s->inside == NULL)
    return gg__run(s->f, in, out);
  return s->inside->is_loop ? gg__loop_run(s->inside, s->f, call, in, out)
                            : gg__branch_run(s->inside, s->f, call, in, out);
}

int gg__stages_run(gg_func *f, GpuArray *const **in) {
  GpuArray *const *given = *in;
  size_t n = f->n_given;

  if (f->twin != NULL)
    GA_TRY(gg__stages_run(f->twin, &given));
  if (f->stages.n == 0)
    return GA_NO_ERROR;
  for (size_t k = 0; k < n; k++)
    f->staged[k] = *in != NULL ? (*in)[k] : NULL;
  for (size_t k = 0; k < f->stages.n; k++) {
    GA_TRY(run_stage(&f->stages.v[k], f->staged, f->staged + n));
    n += f->stages.v[k].n;
  }
  *in = f->staged;
  return GA_NO_ERROR;
}

void gg__stages_drop(gg_func *f) {
  for (size_t k = f->n_given;
       f->stages.n > 0 && f->arrays != NULL && k < f->unit.program.arguments.n;
       k++)
    GpuArray_clear(&f->arrays[k - f->n_given]);
}

void gg__stages_free(gg_func *f) {
  gg__stages_drop(f);
  for (size_t k = 0; k < f->stages.n; k++) {
    gg_func_free(f->stages.v[k].f);
    gg__inside_free(f->stages.v[k].inside);
  }
  ga__vec_clear(&f->stages);
  ga__free(f->staged);
  ga__free(f->arrays);
}
