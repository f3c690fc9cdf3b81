/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of requests. */
#include "func/request.h"

#include <gpuarray/device.h>
#include <gpugraph/report.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/vec.h"

#define TYPE_TEXT 160 /* bytes */

/* --- the lists of the spec --- */

/* How a request names a variable; bits, in a list by id. */
enum { IS_INPUT = 1, IS_OUTPUT = 2, IS_UPDATED = 4, IS_DOWNCAST = 8 };

void gg__request_init(gg__request *r, gg_graph *g, const gg_func_spec *spec) {
  r->g = g;
  r->spec = spec;
  r->n_inputs = gg__list_length(spec->inputs);
  r->n_outputs = gg__list_length(spec->outputs);
  r->n_updates = r->n_givens = 0;
  while (spec->updates != NULL && spec->updates[r->n_updates].shared != NULL)
    r->n_updates++;
  while (spec->givens != NULL && spec->givens[r->n_givens].var != NULL)
    r->n_givens++;
}

static const char *name_of(const gg_var *v) {
  return v->name[0] != '\0' ? v->name : "unnamed";
}

static int check_graph(const gg__request *r, const char *what, size_t i,
                       const gg_var *v) {
  if (gg__is_missing(v))
    return gg__fail(r->g, GA_VALUE_ERROR, "%s %zu is NULL", what, i);
  if (v->graph != r->g)
    return gg__fail(r->g, GA_VALUE_ERROR, "%s %zu (%s) is of another graph",
                    what, i, name_of(v));
  return GA_NO_ERROR;
}

/* Report that input i is listed twice. */
static int fail_same(const gg__request *r, size_t i) {
  gg_var *const *in = r->spec->inputs;
  size_t k;

  for (k = 0; in[k] != in[i]; k++)
    ;
  return gg__fail(r->g, GA_VALUE_ERROR, "inputs %zu and %zu are the same (%s)",
                  k, i, name_of(in[i]));
}

static int check_inputs(const gg__request *r, unsigned char *roles) {
  gg_var *const *in = r->spec->inputs;

  for (size_t i = 0; i < r->n_inputs; i++) {
    GA_TRY(check_graph(r, "input", i, in[i]));
    if (in[i]->kind != GG_VAR_INPUT)
      return gg__fail(r->g, GA_VALUE_ERROR, "input %zu (%s) is not an input", i,
                      name_of(in[i]));
    if (roles[in[i]->id] & IS_INPUT)
      return fail_same(r, i);
    roles[in[i]->id] |= IS_INPUT;
  }
  return GA_NO_ERROR;
}

static int check_outputs(const gg__request *r, unsigned char *roles) {
  gg_var *const *out = r->spec->outputs;

  for (size_t i = 0; i < r->n_outputs; i++) {
    GA_TRY(check_graph(r, "output", i, out[i]));
    roles[out[i]->id] |= IS_OUTPUT;
  }
  return GA_NO_ERROR;
}

/* Check that `by`, which replaces `v`, is in the same context. A variable
 * without a context is in any. */
static int check_context(const gg_var *v, const gg_var *by, const char *what) {
  char here[GG_CONTEXT_TEXT], there[GG_CONTEXT_TEXT];

  if (by->type.ctx == NULL || v->type.ctx == NULL ||
      by->type.ctx == v->type.ctx)
    return GA_NO_ERROR;
  return gg__fail(v->graph, GA_VALUE_ERROR,
                  "%s is in %s, %s of it in %s; gg_transfer moves it",
                  name_of(v), gg_context_text(v->type.ctx, here, sizeof here),
                  what, gg_context_text(by->type.ctx, there, sizeof there));
}

static int check_updates(const gg__request *r, unsigned char *roles) {
  const gg_update *u = r->spec->updates;
  char to[TYPE_TEXT], from[TYPE_TEXT];

  for (size_t i = 0; i < r->n_updates; i++) {
    GA_TRY(check_graph(r, "update", i, u[i].shared));
    if (u[i].shared->kind != GG_VAR_SHARED)
      return gg__fail(r->g, GA_VALUE_ERROR,
                      "update %zu: %s is not a shared variable", i,
                      name_of(u[i].shared));
    GA_TRY(check_graph(r, "the new value of update", i, u[i].value));
    if (!gg__type_fits(&u[i].value->type, &u[i].shared->type))
      return gg__fail(r->g, GA_VALUE_ERROR, "update of %s: %s cannot take %s",
                      name_of(u[i].shared),
                      gg_type_text(&u[i].shared->type, to, sizeof to),
                      gg_type_text(&u[i].value->type, from, sizeof from));
    GA_TRY(check_context(u[i].shared, u[i].value, "the new value"));
    if (roles[u[i].shared->id] & IS_UPDATED)
      return gg__fail(r->g, GA_VALUE_ERROR, "%s is updated twice",
                      name_of(u[i].shared));
    roles[u[i].shared->id] |= IS_UPDATED;
  }
  return GA_NO_ERROR;
}

static int check_givens(const gg__request *r, const unsigned char *roles) {
  const gg_given *v = r->spec->givens;
  char want[TYPE_TEXT], got[TYPE_TEXT];

  for (size_t i = 0; i < r->n_givens; i++) {
    GA_TRY(check_graph(r, "given", i, v[i].var));
    GA_TRY(check_graph(r, "the value of given", i, v[i].by));
    if (!gg__type_fits(&v[i].by->type, &v[i].var->type))
      return gg__fail(
          r->g, GA_VALUE_ERROR, "given %zu: %s is %s and cannot be %s", i,
          name_of(v[i].var), gg_type_text(&v[i].var->type, want, sizeof want),
          gg_type_text(&v[i].by->type, got, sizeof got));
    GA_TRY(check_context(v[i].var, v[i].by, "what stands instead"));
    if (roles[v[i].var->id] & IS_INPUT)
      return gg__fail(r->g, GA_VALUE_ERROR,
                      "given %zu: %s is an input of the function", i,
                      name_of(v[i].var));
  }
  return GA_NO_ERROR;
}

static int check_among(const gg__request *r, gg_var *const *list,
                       const unsigned char *roles, unsigned char role,
                       const char *what, const char *whole) {
  for (size_t i = 0; list != NULL && list[i] != NULL; i++)
    if (gg__is_missing(list[i]) || list[i]->graph != r->g ||
        (roles[list[i]->id] & role) == 0)
      return gg__fail(r->g, GA_VALUE_ERROR, "%s %zu (%s) is not among the %s",
                      what, i, name_of(list[i]), whole);
  return GA_NO_ERROR;
}

/* Check flags and lists about dtypes, and mark downcast inputs in `roles`. */
static int check_casting(const gg__request *r, unsigned char *roles) {
  const gg_func_spec *s = r->spec;

  if ((s->flags & GG_STRICT) != 0 && (s->flags & GG_ALLOW_DOWNCAST) != 0)
    return gg__fail(r->g, GA_VALUE_ERROR,
                    "GG_STRICT and GG_ALLOW_DOWNCAST exclude each other");
  if ((s->flags & GG_INDEX_GUARD) != 0 && (s->flags & GG_NO_INDEX_GUARD) != 0)
    return gg__fail(r->g, GA_VALUE_ERROR,
                    "GG_INDEX_GUARD and GG_NO_INDEX_GUARD exclude each other");
  GA_TRY(check_among(r, s->strict_inputs, roles, IS_INPUT, "strict input",
                     "inputs"));
  GA_TRY(check_among(r, s->downcast_inputs, roles, IS_INPUT, "downcast input",
                     "inputs"));
  for (size_t i = 0, n = gg__list_length(s->downcast_inputs); i < n; i++)
    roles[s->downcast_inputs[i]->id] |= IS_DOWNCAST;
  for (size_t i = 0, n = gg__list_length(s->strict_inputs); i < n; i++)
    if (roles[s->strict_inputs[i]->id] & IS_DOWNCAST)
      return gg__fail(r->g, GA_VALUE_ERROR,
                      "strict input %zu (%s) is a downcast input, too", i,
                      name_of(s->strict_inputs[i]));
  return GA_NO_ERROR;
}

static int check_memory(const gg__request *r, const unsigned char *roles) {
  const gg_func_spec *s = r->spec;

  GA_TRY(check_among(r, s->mutable_inputs, roles, IS_INPUT, "mutable input",
                     "inputs"));
  return check_among(r, s->borrowed_outputs, roles, IS_OUTPUT,
                     "borrowed output", "outputs");
}

static int check_lists(const gg__request *r) {
  unsigned char *roles = ga__calloc(r->g->vars.n, 1);
  int err;

  if (roles == NULL)
    return ga__fail_nomem();
  GA_CHECK(check_inputs(r, roles));
  GA_CHECK(check_outputs(r, roles));
  GA_CHECK(check_updates(r, roles));
  GA_CHECK(check_memory(r, roles));
  GA_CHECK(check_casting(r, roles));
  GA_CHECK(check_givens(r, roles));
done:
  ga__free(roles);
  return err;
}

int gg__request_check(const gg__request *r) {
  if (gg_graph_status(r->g) != GA_NO_ERROR)
    return gg_graph_status(r->g);
  if (r->g->ctx == NULL)
    return gg__fail(r->g, GA_VALUE_ERROR, "the graph has no context");
  if (!gpucontext_alive(r->g->ctx))
    return gg__fail(r->g, GA_VALUE_ERROR, "the graph's context is gone");
  return check_lists(r);
}

/* --- inputs that are missing or not used --- */

int gg__mark_used(unsigned char *marks, size_t n, gg_var *const *roots) {
  gg__order order = {NULL, 0, 0};

  for (size_t i = 0; i < n; i++)
    if (roots[i] != NULL)
      marks[roots[i]->id] |= 1;
  int err = gg__toposort(&order, n, roots);
  for (size_t i = 0; i < order.n && err == GA_NO_ERROR; i++)
    for (unsigned int k = 0; k < order.v[i]->n_in; k++)
      marks[order.v[i]->in[k]->id] |= 1;
  ga__vec_clear(&order);
  return err;
}

/* Report a missing input, and the result that depends on it. */
static int fail_missing(const gg__request *r, const gg__build *b, size_t result,
                        const gg_var *input) {
  const gg_var *v = b->results.v[result];

  if (input->is_body)
    return gg__fail(r->g, GA_VALUE_ERROR,
                    "%s %s depends on %s of a loop's body, which has no value "
                    "outside of the loop; what a step makes is its output",
                    result < b->n_outputs ? "output" : "the update of",
                    result < b->n_outputs
                        ? gg__display_name(v)
                        : name_of(b->targets.v[result - b->n_outputs]),
                    name_of(input));
  if (result >= b->n_outputs)
    return gg__fail(r->g, GA_VALUE_ERROR,
                    "the update of %s depends on input %s, which is not among "
                    "the inputs",
                    name_of(b->targets.v[result - b->n_outputs]),
                    name_of(input));
  return gg__fail(r->g, GA_VALUE_ERROR,
                  "output %zu (%s) depends on input %s, which is not among the "
                  "inputs",
                  result, gg__display_name(v), name_of(input));
}

/* Find the first result that depends on an input which is not listed. */
static int find_missing(const gg__request *r, const gg__build *b,
                        unsigned char *used, const unsigned char *listed) {
  const gg_graph *g = b->g;

  for (size_t i = 0; i < b->results.n; i++) {
    memset(used, 0, g->vars.n);
    GA_TRY(gg__mark_used(used, 1, &b->results.v[i]));
    for (size_t id = 0; id < g->vars.n; id++)
      if (used[id] && g->vars.v[id]->kind == GG_VAR_INPUT && !listed[id])
        return fail_missing(r, b, i, g->vars.v[id]);
  }
  return GA_NO_ERROR;
}

/* Report that input i is not used: as an error, as a line of the trace, or not
 * at all. */
static int tell_unused(const gg__request *r, size_t i, const gg_var *v) {
  const gg_func_spec *spec = r->spec;

  if (spec->flags & GG_ALLOW_UNUSED_INPUT)
    return GA_NO_ERROR;
  if (!(spec->flags & GG_WARN_UNUSED_INPUT))
    return gg__fail(r->g, GA_VALUE_ERROR,
                    "input %zu (%s) is not used; GG_ALLOW_UNUSED_INPUT "
                    "permits that",
                    i, name_of(v));
  if (spec->trace != NULL)
    fprintf(spec->trace, "input %zu (%s) is not used\n", i, name_of(v));
  return GA_NO_ERROR;
}

int gg__request_check_inputs(const gg__request *r, const gg__build *b) {
  const size_t n = b->g->vars.n;
  unsigned char *used = ga__calloc(n, 1), *listed = ga__calloc(n, 1);
  int err = GA_NO_ERROR;

  if (used == NULL || listed == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(gg__mark_used(used, b->results.n, b->results.v));
  for (size_t i = 0; i < b->inputs.n; i++) {
    listed[b->inputs.v[i]->id] = 1;
    if (!used[b->inputs.v[i]->id])
      GA_CHECK(tell_unused(r, i, b->inputs.v[i]));
  }
  for (size_t i = 0; i < n; i++)
    if (used[i] && !listed[i] && b->g->vars.v[i]->kind == GG_VAR_INPUT)
      GA_CHECK(find_missing(r, b, used, listed));
done:
  ga__free(used);
  ga__free(listed);
  return err;
}
