/* SPDX-License-Identifier: BSD-2-Clause */
/* Recording the first error of a graph. */
#include <stdarg.h>
#include <string.h>

#include "graph/graph.h"

#define TYPES_SHOWN 16 /* operands whose types a message shows */

int gg_graph_status(const gg_graph *g) {
  return g != NULL ? g->status : GA_MEMORY_ERROR;
}

const char *gg_graph_error(const gg_graph *g) {
  if (gg_graph_status(g) == GA_NO_ERROR)
    return "";
  if (g == NULL || g->message.err != GA_NO_ERROR || g->message.n == 0)
    return gpuarray_error_str(gg_graph_status(g));
  return ga__strb_text(&g->message);
}

void gg_graph_reset_error(gg_graph *g) {
  if (g == NULL)
    return;
  g->status = GA_NO_ERROR;
  ga__strb_reset(&g->message);
}

/* Set the code, unless the graph has an error already: then return 0. Later
 * errors are most often consequences of the first one. */
static int begin_failure(gg_graph *g, int code) {
  if (g == NULL || g->status != GA_NO_ERROR)
    return 0;
  g->status = code;
  ga__strb_reset(&g->message);
  return 1;
}

/* Make the graph's error the thread's last error, too. The graph of a function
 * keeps no error, because a call failed, not the building of the graph. */
static int end_failure(gg_graph *g) {
  const int code = g->status;

  ga__fail_text(code, gg_graph_error(g));
  if (g->is_compiled)
    gg_graph_reset_error(g);
  return code;
}

int gg__fail(gg_graph *g, int code, const char *fmt, ...) {
  va_list ap;

  if (!begin_failure(g, code))
    return code;
  va_start(ap, fmt);
  ga__strb_vappendf(&g->message, fmt, ap);
  va_end(ap);
  gg__site_append(&g->message, gg__site_now(g));
  return end_failure(g);
}

int gg__fail_text(gg_graph *g, int code, const char *text) {
  if (!begin_failure(g, code))
    return code;
  ga__strb_append(&g->message, text);
  return end_failure(g);
}

void gg__fail_again(const gg_graph *g) {
  if (g->status != GA_NO_ERROR)
    ga__fail_text(g->status, gg_graph_error(g));
}

int gg__fail_nomem(gg_graph *g) {
  return gg__fail(g, GA_MEMORY_ERROR, "out of host memory");
}

int gg__fail_err(gg_graph *g, int err) {
  if (err == GA_NO_ERROR)
    return err;
  return gg__fail(g, err, "%s", ga__err_text(err));
}

int gg__fail_apart(gg_graph *g, int err) {
  if (err != GA_NO_ERROR)
    gg_graph_reset_error(g);
  return err;
}

static gg_graph *graph_of(const gg_apply *a) {
  for (unsigned int i = 0; i < a->n_in; i++)
    if (a->in[i] != NULL)
      return a->in[i]->graph;
  return a->out != NULL && a->out[0] != NULL ? a->out[0]->graph : NULL;
}

char *gg__sized_text(char text[GG_SIZED_TEXT], const gg_var *v,
                     const gg_dims *d) {
  gg_type t;

  if (v == NULL)
    return strcpy(text, "NULL");
  t = v->type;
  for (unsigned int k = 0; d != NULL && k < t.nd; k++)
    t.dims[k] = (int64_t)d->dim[k];
  return gg_type_text(&t, text, GG_SIZED_TEXT);
}

void gg__parts_append(ga__strb *b, const gg_parts *p,
                      const gg_dims *(*dims)(const void *arg, const gg_var *v),
                      const void *arg) {
  char text[GG_SIZED_TEXT];

  ga__strb_appendf(b, "%s(", p->op->name);
  for (unsigned int i = 0; i < p->n_in; i++) {
    const gg_dims *d =
        dims != NULL && p->in[i] != NULL ? dims(arg, p->in[i]) : NULL;
    ga__strb_appendf(b, "%s%s", i > 0 ? ", " : "",
                     p->in[i] != NULL ? gg__sized_text(text, p->in[i], d)
                                      : "?");
  }
  ga__strb_append(b, "): ");
  if (p->rule != NULL)
    ga__strb_append(b, p->rule);
}

/* Is a node of this op part of what the present builder is composed of? */
static int is_part(const gg_graph *g, const gg_op *op) {
  const gg_parts *p = g->builder;

  return p != NULL && strcmp(p->op->name, op->name) != 0;
}

/* Name that builder, its operands and the rule for them. */
static void append_builder(gg_graph *g) {
  const gg_parts *p = g->builder;

  gg__parts_append(&g->message, p, NULL, NULL);
  ga__strb_appendf(&g->message, "%scomputed as ", p->rule != NULL ? "; " : "");
}

int gg_op_fail(const gg_apply *a, int code, const char *fmt, ...) {
  gg_graph *g = graph_of(a);
  const gg_dims *sizes;
  char type[GG_SIZED_TEXT];
  va_list ap;

  if (!begin_failure(g, code))
    return code;
  sizes = g->sized == a ? g->sizes : NULL;
  if (is_part(g, a->op))
    append_builder(g);
  ga__strb_appendf(&g->message, "%s(", a->op->name);
  for (unsigned int i = 0; i < a->n_in && i < TYPES_SHOWN; i++)
    ga__strb_appendf(
        &g->message, "%s%s", i != 0 ? ", " : "",
        gg__sized_text(type, a->in[i], sizes != NULL ? &sizes[i] : NULL));
  if (a->n_in > TYPES_SHOWN)
    ga__strb_appendf(&g->message, ", ... %u operands", a->n_in);
  ga__strb_append(&g->message, "): ");
  va_start(ap, fmt);
  ga__strb_vappendf(&g->message, fmt, ap);
  va_end(ap);
  gg__site_append(&g->message, gg__site_now(g));
  return end_failure(g);
}

int gg__has_gradient(const gg_apply *a, unsigned int i) {
  const gg_op *op = a->op;
  const char *reason = op->no_grad != NULL ? op->no_grad(a, i) : NULL;
  const char *name = a->in[i]->name;

  if (reason == NULL)
    return GA_NO_ERROR;
  return gg_op_fail(
      a, GA_UNSUPPORTED_ERROR, "operand %u%s%s%s has no gradient: %s", i,
      name[0] != '\0' ? " (" : "", name, name[0] != '\0' ? ")" : "", reason);
}
