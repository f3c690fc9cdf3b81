/* SPDX-License-Identifier: BSD-2-Clause */
/* gg_eval: computes a variable with a function that the graph keeps. */
#include <gpugraph/context.h>
#include <gpugraph/eval.h>
#include <string.h>

#include "func/func.h"

/* A function that computes `of` from values of `at`. */
typedef struct kept {
  const gg_var *of;
  gg_var **at; /* owned; n of them, in the order of the function's inputs */
  size_t n;
  gg_func *f; /* owned; NULL: the slot is free */
  uint64_t used;
} kept;

typedef struct evals {
  kept v[GG_MAX_EVALS];
  uint64_t calls;
} evals;

/* --- functions that a graph keeps --- */

static void kept_clear(kept *k) {
  ga__free(k->at);
  gg_func_free(k->f);
  memset(k, 0, sizeof *k);
}

static void evals_free(void *p) {
  evals *e = p;

  for (size_t i = 0; i < GG_MAX_EVALS; i++)
    kept_clear(&e->v[i]);
  ga__free(e);
}

static evals *evals_of(gg_graph *g) {
  if (g->kept == NULL) {
    g->kept = ga__calloc(1, sizeof(evals));
    g->free_kept = evals_free;
  }
  return g->kept;
}

/* Clear and return a free slot, or the least recently used one. */
static kept *oldest(evals *e) {
  kept *k = &e->v[0];

  for (size_t i = 1; i < GG_MAX_EVALS; i++)
    if (e->v[i].used < k->used)
      k = &e->v[i];
  kept_clear(k);
  return k;
}

static GpuArray *value_of(const gg_value *at, const gg_var *v) {
  for (; at != NULL && at->var != NULL; at++)
    if (at->var == v)
      return at->array;
  return NULL;
}

static size_t count(const gg_value *at) {
  size_t n = 0;

  while (at != NULL && at[n].var != NULL)
    n++;
  return n;
}

static int is_for(const kept *k, const gg_var *v, const gg_value *at) {
  if (k->f == NULL || k->of != v || k->n != count(at))
    return 0;
  for (size_t i = 0; i < k->n; i++)
    if (value_of(at, k->at[i]) == NULL)
      return 0;
  return 1;
}

/* --- making one --- */

static int check(gg_graph *g, const gg_value *at) {
  size_t n = count(at);

  for (size_t i = 0; i < n; i++) {
    if (gg__is_missing(at[i].var))
      return gg__fail(g, GA_VALUE_ERROR, "eval: variable %zu is NULL", i);
    if (at[i].var->graph != g)
      return gg__fail(g, GA_VALUE_ERROR, "eval: %s is of another graph",
                      gg__display_name(at[i].var));
    if (at[i].array == NULL)
      return gg__fail(g, GA_VALUE_ERROR, "eval: %s: no array",
                      gg__display_name(at[i].var));
    for (size_t k = 0; k < i; k++)
      if (at[k].var == at[i].var)
        return gg__fail(g, GA_VALUE_ERROR, "eval: %s is given twice",
                        gg__display_name(at[i].var));
  }
  return GA_NO_ERROR;
}

/* Make an input that replaces `v`. */
static gg_var *stand_in(const gg_var *v) {
  const gg_type *t = &v->type;

  return gg_input_in(v->graph, t->ctx != NULL ? t->ctx : v->graph->ctx, v->name,
                     t->dtype, t->nd, t->dims);
}

/* Compile a function with inputs `in`. `givens` replaces the variables of `at`
 * that are not inputs. */
static int compile(kept *k, gg_var *v, const gg_value *at, gg_var **in,
                   gg_given *givens) {
  gg_given *more = givens;

  for (size_t i = 0; i < k->n; i++) {
    k->at[i] = in[i] = at[i].var;
    if (at[i].var->kind == GG_VAR_INPUT)
      continue;
    in[i] = stand_in(at[i].var);
    if (in[i] == NULL)
      return gg_graph_status(v->graph);
    *more++ = (gg_given){at[i].var, in[i]};
  }
  return gg_func_new(&k->f, v->graph,
                     &(gg_func_spec){.name = "eval",
                                     .inputs = in,
                                     .outputs = (gg_var *[]){v, NULL},
                                     .givens = givens});
}

static int make(kept *k, gg_var *v, const gg_value *at) {
  const size_t n = count(at);
  gg_var **in = ga__calloc(n + 1, sizeof *in);
  gg_given *givens = ga__calloc(n + 1, sizeof *givens);

  k->of = v;
  k->n = n;
  k->at = ga__calloc(n + 1, sizeof(gg_var *));
  int err = in != NULL && givens != NULL && k->at != NULL
                ? compile(k, v, at, in, givens)
                : gg__fail(v->graph, GA_MEMORY_ERROR, "out of host memory");
  if (err != GA_NO_ERROR)
    kept_clear(k);
  ga__free(in);
  ga__free(givens);
  return err;
}

/* Find or make the function. NULL on failure, with the error in the graph. */
static kept *find(gg_var *v, const gg_value *at) {
  evals *e = evals_of(v->graph);
  size_t i;

  if (e == NULL) {
    gg__fail(v->graph, GA_MEMORY_ERROR, "out of host memory");
    return NULL;
  }
  for (i = 0; i < GG_MAX_EVALS && !is_for(&e->v[i], v, at); i++)
    ;
  kept *k = i < GG_MAX_EVALS ? &e->v[i] : oldest(e);
  if (k->f == NULL && make(k, v, at) != GA_NO_ERROR)
    return NULL;
  k->used = ++e->calls;
  return k;
}

/* --- calling it --- */

static int call(const kept *k, const gg_value *at, GpuArray *out) {
  gg_graph *g = k->of->graph;
  GpuArray **in = ga__calloc(k->n + 1, sizeof *in);

  if (in == NULL)
    return gg__fail(g, GA_MEMORY_ERROR, "out of host memory");
  for (size_t i = 0; i < k->n; i++)
    in[i] = value_of(at, k->at[i]);
  int err = gg_func_call(k->f, in, &out);
  ga__free(in);
  return err == GA_NO_ERROR ? err : gg__fail_text(g, err, gg_func_error(k->f));
}

int gg_eval(gg_var *v, const gg_value *at, GpuArray *out) {
  if (v == NULL)
    return ga__fail(GA_VALUE_ERROR, "eval: no variable");
  GA_TRY(gg_graph_status(v->graph));
  if (out == NULL)
    return gg__fail(v->graph, GA_VALUE_ERROR, "eval: no array for the result");
  GA_TRY(check(v->graph, at));
  const kept *k = find(v, at);
  return k != NULL ? call(k, at, out) : gg_graph_status(v->graph);
}
