/* SPDX-License-Identifier: BSD-2-Clause */
/* Recording the first error of a graph. */
#include <stdarg.h>
#include <string.h>

#include "graph/graph.h"

#define TYPES_SHOWN 16 /* operands whose types a message shows */
#define TYPE_TEXT 160  /* bytes; enough for GG_MAX_ND sizes of 64 bits */

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

int gg_op_fail(const gg_apply *a, int code, const char *fmt, ...) {
  gg_graph *g = graph_of(a);
  char type[TYPE_TEXT];
  va_list ap;

  if (!begin_failure(g, code))
    return code;
  if (g->builder != NULL && strcmp(g->builder->name, a->op->name) != 0)
    ga__strb_appendf(&g->message, "%s: ", g->builder->name);
  ga__strb_appendf(&g->message, "%s(", a->op->name);
  for (unsigned int i = 0; i < a->n_in && i < TYPES_SHOWN; i++)
    ga__strb_appendf(&g->message, "%s%s", i != 0 ? ", " : "",
                     a->in[i] == NULL
                         ? "NULL"
                         : gg_type_text(&a->in[i]->type, type, sizeof type));
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
