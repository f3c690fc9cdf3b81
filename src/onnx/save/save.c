/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes functions as models. The graph of the function is copied, so that
 * decompositions can be built into the copy. */
#include <gpugraph/onnx.h>
#include <gpugraph/replace.h>
#include <gpugraph/walk.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "onnx/format/wire_out.h"
#include "onnx/save/save_model.h"
#include "onnx/save/save_write.h"

#define GIB ((uint64_t)1 << 30)

/* A save of a function. Lists end with NULL. */
typedef struct job {
  gg__save s;
  gg__frame main;
  const gg_func_spec *spec;
  const gg_onnx_save_options *o;
  size_t n_in, n_out;
  gg_var **in, **out; /* copies, in s.g */
  ga__strb graph;
} job;

static size_t count(gg_var *const *list) {
  size_t n = 0;

  while (list != NULL && list[n] != NULL)
    n++;
  return n;
}

/* --- the copy --- */

/* The message for input i, which is given twice or is no input. */
static int refuse_input(const job *j, size_t i) {
  gg_var *const *in = j->spec->inputs;

  for (size_t k = 0; k < i; k++)
    if (in[k] == in[i])
      return ga__fail(GA_VALUE_ERROR,
                      "gg_onnx_save: inputs %zu and %zu are the same", k, i);
  return ga__fail(GA_VALUE_ERROR,
                  "gg_onnx_save: input %zu, \"%s\", is not an input", i,
                  gg_var_name(in[i]));
}

/* Check that all inputs are inputs of the graph, and none is given twice. */
static int check_inputs(const job *j) {
  gg_var *const *in = j->spec->inputs;
  gg_var **leaves = NULL;
  ga__map left = GA_MAP_INIT; /* inputs that were not given yet */
  int err;

  if (j->n_in == 0)
    return GA_NO_ERROR;
  GA_CHECK(gg_leaves(&leaves, NULL, in, NULL, GG_LEAF_INPUT));
  for (size_t k = 0; leaves[k] != NULL; k++)
    GA_CHECK(ga__map_put(&left, &leaves[k], sizeof *leaves, leaves[k]));
  for (size_t i = 0; i < j->n_in; i++)
    if (ga__map_remove(&left, &in[i], sizeof *in) == NULL)
      GA_CHECK(refuse_input(j, i));
done:
  ga__map_clear(&left);
  gg_list_free(leaves);
  return err;
}

/* Set all[] to the outputs, with givens replaced, and the inputs. */
static int list_variables(const job *j, gg_var **all) {
  const gg_func_spec *f = j->spec;

  memcpy(all, f->outputs, j->n_out * sizeof *all);
  if (f->givens != NULL && f->givens[0].var != NULL)
    GA_TRY(gg_replace(all, (unsigned int)j->n_out, f->outputs, f->givens));
  for (size_t i = 0; i < j->n_in; i++)
    all[j->n_out + i] = f->inputs[i];
  return GA_NO_ERROR;
}

/* Check that updates are of variables of one graph. */
static int check_updates(job *j) {
  const gg_update *u = j->spec->updates;
  gg_var **leaves, **list;
  size_t n = 0;

  while (u != NULL && u[n].shared != NULL)
    n++;
  if (n == 0)
    return GA_NO_ERROR;
  list = ga__arena_alloc(&j->s.arena, (n + 1) * sizeof *list);
  if (list == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    list[i] = u[i].shared;
  list[n] = NULL;
  GA_TRY(gg_leaves(&leaves, NULL, list, NULL, GG_LEAF_ANY));
  gg_list_free(leaves);
  return GA_NO_ERROR;
}

/* Check that the lists have variables of one graph. */
static int check_lists(job *j) {
  gg_var **leaves;

  GA_TRY(gg_leaves(&leaves, NULL, j->spec->outputs, NULL, GG_LEAF_ANY));
  gg_list_free(leaves);
  GA_TRY(check_inputs(j));
  return check_updates(j);
}

static int copy(job *j) {
  const size_t n = j->n_in + j->n_out;
  gg_var **all = ga__arena_alloc(&j->s.arena, n * sizeof *all);

  j->out = ga__arena_alloc(&j->s.arena, (n + 2) * sizeof *all);
  if (all == NULL || j->out == NULL)
    return ga__fail_nomem();
  GA_TRY(list_variables(j, all));
  j->s.g = gg_graph_new(gg_graph_context(gg_var_graph(all[0])));
  if (j->s.g == NULL)
    return ga__fail_nomem();
  GA_TRY(gg_replace_in(j->s.g, j->out, (unsigned int)n, all, NULL));
  j->in = j->out + j->n_out + 1;
  memmove(j->in, j->in - 1, j->n_in * sizeof *all);
  j->out[j->n_out] = NULL;
  return GA_NO_ERROR;
}

/* --- inputs and outputs --- */

/* The name of an open axis of input i, "" if it has none. */
static const char *axis_name(const job *j, size_t i, unsigned int axis) {
  const gg_onnx_axis *a = j->o->axes;

  for (; a != NULL && a->input != NULL; a++)
    if (a->input == j->spec->inputs[i] && a->axis == axis)
      return a->name;
  return gg_var_size_name(j->spec->inputs[i], axis);
}

/* Check that each name is for an open axis of an input. */
static int check_axes(const job *j) {
  const gg_onnx_axis *a = j->o->axes;

  for (; a != NULL && a->input != NULL; a++) {
    size_t i = 0;

    while (i < j->n_in && j->spec->inputs[i] != a->input)
      i++;
    if (i == j->n_in || a->name == NULL || a->name[0] == '\0')
      return ga__fail(GA_VALUE_ERROR, "gg_onnx_save: axis name %zu %s",
                      (size_t)(a - j->o->axes),
                      i == j->n_in ? "is not for an input" : "is empty");
    const gg_type *t = gg_var_type(a->input);
    if (a->axis >= t->nd || t->dims[a->axis] != GG_ANY)
      return ga__fail(GA_VALUE_ERROR,
                      "gg_onnx_save: \"%s\" is for axis %u of \"%s\", which is "
                      "not open",
                      a->name, a->axis, gg_var_name(a->input));
  }
  return GA_NO_ERROR;
}

/* Append a size: known, named or unknown. */
static void put_dim(ga__strb *shape, int64_t size, const char *name) {
  ga__strb dim = GA_STRB_INIT;

  if (size != GG_ANY)
    gg__put_int(&dim, 1, size);
  else if (name != NULL)
    gg__put_text(&dim, 2, name);
  gg__put_message(shape, 1, &dim);
  ga__strb_clear(&dim);
}

/* Declare input i, or an output for `input` = 0. */
static void declare(job *j, const gg_var *v, gg__name name, int input,
                    size_t i) {
  const gg_type *t = gg_var_type(v);
  ga__strb shape = GA_STRB_INIT, made = GA_STRB_INIT;

  for (unsigned int k = 0; k < t->nd; k++) {
    const char *given = input ? axis_name(j, i, k) : NULL;

    ga__strb_reset(&made);
    ga__strb_appendf(&made, "%s_%u", name, k);
    put_dim(&shape, t->dims[k],
            given == NULL || given[0] != '\0' ? given : ga__strb_text(&made));
  }
  gg__put_value(&j->graph, input ? 11 : 12, name, t->dtype, &shape);
  ga__strb_clear(&shape);
  ga__strb_clear(&made);
}

static const char *wish(const gg_var *v, const char *otherwise) {
  return gg_var_name(v)[0] != '\0' ? gg_var_name(v) : otherwise;
}

static void check_dtype(job *j, const gg_var *v) {
  char type[160];

  if (gg__onnx_type_of(gg_var_type(v)->dtype) == 0)
    gg__save_problem(&j->s, NULL, "\"%s\": a model has no %s", gg_var_name(v),
                     gg_type_text(gg_var_type(v), type, sizeof type));
}

static int write_inputs(job *j) {
  for (size_t i = 0; i < j->n_in; i++) {
    gg__name name = gg__save_name(&j->s, wish(j->in[i], "input"));

    gg__bind(&j->s, j->in[i], name);
    GA_TRY(j->s.err);
    check_dtype(j, j->in[i]);
    declare(j, j->in[i], name, 1, i);
  }
  return GA_NO_ERROR;
}

/* Outputs have nodes of their own, so that inputs and weights can be outputs,
 * and values twice. Their names are reserved first. */
static int write_outputs(job *j) {
  gg__name *names = ga__arena_alloc(&j->s.arena, j->n_out * sizeof *names);

  if (names == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < j->n_out; i++)
    names[i] = gg__save_name(&j->s, wish(j->out[i], "output"));
  GA_TRY(gg__save_all(&j->s, j->out, NULL));
  for (size_t i = 0; i < j->n_out; i++) {
    gg__name from = gg__name_of(&j->s, j->out[i]);

    GA_TRY(j->s.err);
    check_dtype(j, j->out[i]);
    gg__node_as(&j->s, "Identity", GG_IN(from), NULL, names[i]);
    declare(j, j->out[i], names[i], 0, i);
  }
  return j->s.err;
}

/* --- the whole --- */

static void refuse_updates(job *j) {
  const gg_update *u = j->spec->updates;

  for (; u != NULL && u->shared != NULL; u++)
    if (!(j->o->flags & GG_ONNX_NO_UPDATES))
      gg__save_problem(&j->s, NULL,
                       "the update of \"%s\": a model keeps no state "
                       "(GG_ONNX_NO_UPDATES leaves updates out)",
                       gg_var_name(u->shared));
}

static int write_graph(job *j) {
  gg__put_text(&j->graph, 2,
               j->spec->name != NULL && j->spec->name[0] != '\0' ? j->spec->name
                                                                 : "function");
  refuse_updates(j);
  GA_TRY(write_inputs(j));
  GA_TRY(write_outputs(j));
  if (j->s.n_problems != 0)
    return ga__fail(GA_UNSUPPORTED_ERROR, "gg_onnx_save: %zu problem%s:%s",
                    j->s.n_problems, j->s.n_problems == 1 ? "" : "s",
                    ga__strb_text(&j->s.problems));
  ga__strb_append_n(&j->graph, ga__strb_text(&j->main.nodes), j->main.nodes.n);
  return j->main.nodes.err != GA_NO_ERROR ? j->main.nodes.err : j->graph.err;
}

static int check(const gg_func_spec *spec, const char *path,
                 const gg_onnx_save_options *o) {
  if (spec == NULL || path == NULL)
    return ga__fail(GA_VALUE_ERROR, "gg_onnx_save: the %s is NULL",
                    spec == NULL ? "spec" : "path");
  if (count(spec->outputs) == 0)
    return ga__fail(GA_VALUE_ERROR, "gg_onnx_save: there are no outputs");
  if (o->flags & ~GG_ONNX_NO_UPDATES)
    return ga__fail(GA_VALUE_ERROR, "gg_onnx_save: flags %d are unknown",
                    o->flags & ~GG_ONNX_NO_UPDATES);
  return GA_NO_ERROR;
}

static int run(job *j, const char *path) {
  const uint64_t above = j->o->external_above;

  GA_TRY(check_lists(j));
  GA_TRY(check_axes(j));
  GA_TRY(copy(j));
  GA_TRY(write_graph(j));
  return gg__save_model(&j->graph, &j->s.tensors, path,
                        above == 0 ? GIB : above);
}

static void clear(job *j) {
  ga__map_clear(&j->main.names);
  ga__strb_clear(&j->main.nodes);
  ga__strb_clear(&j->graph);
  ga__map_clear(&j->s.taken);
  ga__map_clear(&j->s.constants);
  ga__map_clear(&j->s.used);
  ga__vec_clear(&j->s.tensors);
  ga__strb_clear(&j->s.problems);
  ga__arena_clear(&j->s.arena);
  gg_graph_free(j->s.g);
}

int gg_onnx_save(const gg_func_spec *spec, const char *path,
                 const gg_onnx_save_options *o) {
  static const gg_onnx_save_options plain;

  o = o != NULL ? o : &plain;
  GA_TRY(check(spec, path, o));
  job j = {.spec = spec,
           .o = o,
           .n_in = count(spec->inputs),
           .n_out = count(spec->outputs)};
  j.s.frame = &j.main;
  j.s.write = gg__save_value;
  j.s.write_all = gg__save_all;
  int err = run(&j, path);
  clear(&j);
  return err;
}
