/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/arithmetic.h"

#include <gpuarray/util.h>
#include <gpugraph/inner.h>
#include <gpugraph/replace.h>
#include <gpugraph/walk.h>
#include <stdlib.h>
#include <string.h>

#include "cli/flops.h"

double cli_var_bytes(const gg_var *v) {
  const double n = cli_elements(v);

  return n < 0 ? n : n * (double)gpuarray_get_elsize(gg_var_type(v)->dtype);
}

/* Bytes of what the node reads and writes; -1 if a size is not known. */
static double bytes_of(const gg_apply *a) {
  double sum = 0;

  if (a->op->kind == GG_OP_VIEW || a->op->kind == GG_OP_SHAPE)
    return 0;
  for (unsigned int i = 0; i < a->n_in + a->n_out; i++) {
    const gg_var *v = i < a->n_in ? a->in[i] : a->out[i - a->n_in];

    if (i < a->n_in && gg_apply_shape_only(a, i))
      continue;
    if (cli_elements(v) < 0)
      return -1;
    sum += cli_var_bytes(v);
  }
  return sum;
}

/* --- lists --- */

static cli_cost *entry(cli_costs *list, const char *op) {
  const cli_cost none = {.op = op};

  for (size_t i = 0; i < list->n; i++)
    if (strcmp(list->v[i].op, op) == 0)
      return &list->v[i];
  return ga__vec_push(list, none) == GA_NO_ERROR ? &list->v[list->n - 1] : NULL;
}

static int add_node(cli_costs *list, const gg_apply *a) {
  const double flops = cli_flops(a), bytes = bytes_of(a);
  cli_cost *c = entry(list, a->op->name);

  if (c == NULL)
    return ga__fail_nomem();
  c->nodes++;
  if (bytes < 0) {
    c->open++;
    return GA_NO_ERROR;
  }
  c->bytes += bytes;
  if (flops < 0)
    c->uncounted++;
  else
    c->flops += flops;
  return GA_NO_ERROR;
}

static int add_all(cli_costs *list, gg_var *const *vars, gg_var *const *until,
                   int depth);

/* Add the entries of `more`, whose arithmetic is done `times` times. */
static int add_times(cli_costs *list, const cli_costs *more, double times) {
  for (size_t i = 0; i < more->n; i++) {
    const cli_cost *m = &more->v[i];
    cli_cost *c = entry(list, m->op);

    if (c == NULL)
      return ga__fail_nomem();
    c->nodes += m->nodes;
    c->open += m->open + (times < 0 ? m->nodes - m->open : 0);
    c->uncounted += m->uncounted;
    c->flops += times < 0 ? 0 : times * m->flops;
    c->bytes += times < 0 ? 0 : times * m->bytes;
  }
  return GA_NO_ERROR;
}

/* Count n variables of the graph inside of a node. It never changes, so that
 * macros are composed in a copy. */
static int count_inner(cli_costs *list, gg_var *const *vars, unsigned int n,
                       int depth) {
  gg_graph *g = gg_graph_new(NULL);
  gg_var **out = ga__calloc(n + 1, sizeof *out);
  int err = g == NULL || out == NULL ? ga__fail_nomem() : GA_NO_ERROR;

  if (err == GA_NO_ERROR)
    err = gg_replace_in(g, out, n, vars, NULL);
  if (err == GA_NO_ERROR && n > 0)
    err = add_all(list, out, NULL, depth + 1);
  ga__free(out);
  gg_graph_free(g);
  return err;
}

/* Iterations of a loop, at most, by the rows that it gives; -1: not known. */
static double iterations(const gg_apply *a, const gg_loop_view *l) {
  for (unsigned int i = 0; i < l->n_states + l->n_outs; i++) {
    const int64_t rows = gg_var_type(a->out[(size_t)2 * i])->dims[0];

    if (i < l->n_states && l->depth[i] == 0)
      continue; /* its values are no rows */
    if (rows >= 0 && (i < l->n_states || l->outs[i - l->n_states].like < 0))
      return (double)(rows - (i < l->n_states ? l->depth[i] : 0));
  }
  return -1;
}

static int add_loop(cli_costs *list, const gg_apply *a, const gg_loop_view *l,
                    int depth) {
  cli_costs body = {0};
  cli_cost *c = entry(list, a->op->name);
  int err = c == NULL ? ga__fail_nomem() : GA_NO_ERROR;

  if (err == GA_NO_ERROR) {
    c->nodes++;
    c->open += iterations(a, l) < 0;
    err = count_inner(&body, l->out, l->n_out, depth);
  }
  if (err == GA_NO_ERROR)
    err = add_times(list, &body, iterations(a, l));
  ga__vec_clear(&body);
  return err;
}

/* Count the ops that a macro is composed of. */
static int add_macro(cli_costs *list, const gg_apply *a, int depth) {
  gg_var **out = ga__calloc(a->n_out + a->n_in + 2, sizeof *out);
  gg_var **in = out == NULL ? NULL : out + a->n_out + 1;
  int err;

  if (out == NULL)
    return ga__fail_nomem();
  memcpy(in, a->in, a->n_in * sizeof *in);
  err = a->op->lower(a, out);
  if (err == GA_NO_ERROR && out[0] != NULL)
    err = add_all(list, out, in, depth + 1);
  ga__free(out);
  return err;
}

/* A macro that is composed of itself ends here. */
enum { DEEPEST = 16 };

static int add_all(cli_costs *list, gg_var *const *vars, gg_var *const *until,
                   int depth) {
  gg_apply **nodes;
  size_t n;
  int err = gg_toposort(&nodes, &n, vars, until);

  for (size_t i = 0; err == GA_NO_ERROR && i < n; i++) {
    gg_loop_view loop;

    if (depth < DEEPEST && nodes[i]->op->kind == GG_OP_MACRO)
      err = add_macro(list, nodes[i], depth);
    else if (depth < DEEPEST && gg_apply_loop(nodes[i], &loop))
      err = add_loop(list, nodes[i], &loop, depth);
    else
      err = add_node(list, nodes[i]);
  }
  gg_list_free(nodes);
  return err;
}

static int compare(const void *a, const void *b) {
  const cli_cost *x = a, *y = b;

  if (x->flops != y->flops)
    return x->flops < y->flops ? 1 : -1;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  return strcmp(x->op, y->op);
}

int cli_costs_of(cli_costs *list, gg_var *const *vars) {
  if (vars[0] == NULL)
    return GA_NO_ERROR;
  GA_TRY(add_all(list, vars, NULL, 0));
  if (list->n > 0)
    qsort(list->v, list->n, sizeof *list->v, compare);
  return GA_NO_ERROR;
}

cli_cost cli_costs_sum(const cli_costs *list) {
  cli_cost sum = {.op = "in all"};

  for (size_t i = 0; i < list->n; i++) {
    sum.nodes += list->v[i].nodes;
    sum.open += list->v[i].open;
    sum.uncounted += list->v[i].uncounted;
    sum.flops += list->v[i].flops;
    sum.bytes += list->v[i].bytes;
  }
  return sum;
}
