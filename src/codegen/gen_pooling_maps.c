/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels that pool and resize: what is computed from the elements that windows
 * read, and from their results. A function loads the arguments for one element
 * or for neighbours, and computes the expression. */
#include "codegen/gen_pooling_maps.h"

#include <stdio.h>

#include "base/dtype.h"
#include "codegen/gen_arg.h"

void ga__gen_pooling_name(char name[16], const ga__gen_pooling_maps *m,
                          unsigned int k) {
  if (k == m->n_in)
    snprintf(name, 16, "i");
  else
    snprintf(name, 16, "%c%u", k < m->n_in ? 'x' : 'y', k);
}

int ga__gen_pooling_is_array(const ga__gen_pooling_maps *m, unsigned int k) {
  return (m->args[k].flags & (GE_READ | GE_WRITE)) != 0 &&
         !ga__arg_is_value(&m->args[k]);
}

/* --- functions --- */

static const char *work_of(const ga__gen_pooling *g) {
  return ga__dtype_cl(ga__dtype_canon(ga__dtype_work(g->dtype)));
}

static void write_param(ga__strb *b, const ga__gen_pooling_maps *m,
                        unsigned int k, const char *separator) {
  if (ga__arg_is_value(&m->args[k]))
    ga__strb_appendf(b, "%sconst %s p_q%u", separator,
                     ga__arg_value_type(m->args[k].typecode), k);
  else
    ga__strb_appendf(b, "%sglobal char *p_q%u", separator, k);
}

static ga__lane_step step_of(const ga__gen_pooling_maps *m, unsigned int k,
                             int lanes) {
  return lanes > 1 ? m->steps[k] : GA_LANES_ONE;
}

/* Declare argument k, and load it if it is read. */
static void write_read(ga__strb *b, const ga__gen_pooling_maps *m,
                       unsigned int k, int lanes) {
  char at[24];

  snprintf(at, sizeof at, "p_q%u", k);
  if (ga__arg_is_value(&m->args[k]))
    ga__arg_write_value(b, &m->args[k], at, lanes > 1);
  else
    ga__arg_write_read(b, &m->args[k], at, NULL, step_of(m, k, lanes));
}

static void begin_lanes(ga__strb *b, int lanes, const char *boolean) {
  ga__strb_append(b, "#define W_LANES");
  if (lanes > 1)
    ga__strb_appendf(b, " %d", lanes);
  ga__strb_appendf(b, "\n#define W_BOOL %s\n", lanes > 1 ? boolean : "int");
}

static void append_suffix(ga__strb *b, int lanes) {
  if (lanes > 1)
    ga__strb_appendf(b, "%d", lanes);
}

static void end_lanes(ga__strb *b) {
  ga__strb_append(b, "}\n#undef W_LANES\n#undef W_BOOL\n");
}

static void write_front(ga__strb *b, const ga__gen_pooling *g,
                        const ga__gen_pooling_maps *m, int lanes) {
  begin_lanes(b, lanes, m->front_boolean);
  ga__strb_appendf(b, "static w_%s p_map", work_of(g));
  append_suffix(b, lanes);
  ga__strb_append(b, "(");
  for (unsigned int k = 0; k < m->n_in; k++)
    write_param(b, m, k, k > 0 ? ", " : "");
  ga__strb_append(b, ") {\n");
  for (unsigned int k = 0; k < m->n_in; k++)
    write_read(b, m, k, lanes);
  ga__strb_appendf(b, "  w_%s v;\n  { %s; }\n  return v;\n", work_of(g),
                   m->front);
  end_lanes(b);
}

static void write_behind(ga__strb *b, const ga__gen_pooling *g,
                         const ga__gen_pooling_maps *m, int lanes) {
  char at[24];

  begin_lanes(b, lanes, m->behind_boolean);
  ga__strb_append(b, "static void p_post");
  append_suffix(b, lanes);
  ga__strb_appendf(b, "(const w_%s acc", work_of(g));
  for (unsigned int k = m->n_in + 1; k < m->n; k++)
    write_param(b, m, k, ", ");
  ga__strb_append(b, ") {\n");
  for (unsigned int k = m->n_in + 1; k < m->n; k++)
    write_read(b, m, k, lanes);
  ga__strb_appendf(b, "  { %s; }\n", m->behind);
  for (unsigned int k = m->n_in + 1; k < m->n; k++) {
    snprintf(at, sizeof at, "p_q%u", k);
    ga__arg_write_store(b, &m->args[k], at, step_of(m, k, lanes));
  }
  end_lanes(b);
}

void ga__gen_pooling_functions(ga__strb *b, const ga__gen_pooling *g,
                               const ga__gen_pooling_maps *m) {
  if (m->front_head != NULL)
    ga__strb_appendf(b, "%s\n", m->front_head);
  if (m->behind_head != NULL)
    ga__strb_appendf(b, "%s\n", m->behind_head);
  write_front(b, g, m, 1);
  if (g->lanes > 1)
    write_front(b, g, m, g->lanes);
  if (g->wide > 1)
    write_front(b, g, m, g->wide);
  if (!g->has_value)
    return;
  write_behind(b, g, m, 1);
  if (g->lanes > 1)
    write_behind(b, g, m, g->lanes);
  if (g->block[0].size > 1)
    write_behind(b, g, m, g->block[0].size);
}

/* --- calls --- */

/* The arguments of a call, where `format` is the address of an array with its
 * name twice. */
static void write_passed(ga__strb *b, const ga__gen_pooling_maps *m,
                         unsigned int first, unsigned int last,
                         const char *format) {
  char name[16];

  for (unsigned int k = first; k < last; k++) {
    ga__gen_pooling_name(name, m, k);
    ga__strb_append(b, k > 0 ? ", " : "");
    if (ga__arg_is_value(&m->args[k]))
      ga__strb_appendf(b, "p_%s", name);
    else
      ga__strb_appendf(b, format, name, name, name);
  }
  ga__strb_append(b, ")\n");
}

/* P_BEGIN_READ declares where a row of the source begins. P_ELEMENT(at) is its
 * element there, P_ELEMENTS(at) several, and P_ELEMENT_AT(c) that of column c.
 * P_POST(v, d, o) stores what is made of v, `o` elements of axis d further. */
void ga__gen_pooling_calls(ga__strb *b, const ga__gen_pooling *g,
                           const ga__gen_pooling_maps *m) {
  char name[16];

  ga__strb_append(b, "#define P_BEGIN_READ ");
  for (unsigned int k = 0; k < m->n_in; k++) {
    ga__gen_pooling_name(name, m, k);
    if (!ga__arg_is_value(&m->args[k]))
      ga__strb_appendf(b, "global char *const row_%s = P_FIRST(%s); ", name,
                       name);
  }
  ga__strb_append(b, "\n#define P_ELEMENT(at) GA_JOIN(p_map, W_LANES)(");
  write_passed(b, m, 0, m->n_in, "row_%s + (P_AT)(at) * P_BY(%s, 0)");
  if (g->wide > 1) {
    ga__strb_appendf(b, "#define P_ELEMENTS(at) p_map%d(", g->wide);
    write_passed(b, m, 0, m->n_in, "row_%s + (P_AT)(at) * P_BY(%s, 0)");
  }
  ga__strb_append(b, "#define P_ELEMENT_AT(c) GA_JOIN(p_map, W_LANES)(");
  write_passed(b, m, 0, m->n_in,
               "P_BASE(%s) + P_AWAY(%s) + (long)(c) * P_BY(%s, 0)");
  ga__strb_append(b, "#define P_POST(v, d, o) GA_JOIN(p_post, W_LANES)(v");
  write_passed(b, m, m->n_in + 1, m->n, "P_PLACED(%s) + (o) * P_BY(%s, d)");
}
