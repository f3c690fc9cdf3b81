/* SPDX-License-Identifier: BSD-2-Clause */
/* Source of the epilogues of products (gen_epilogue.h). */
#include "codegen/gen_epilogue.h"

#include <stdio.h>

#include "base/dtype.h"

/* The letters in the names of coordinates and of strides, by axis. */
static const char coordinates[] = "ijklm", strides[] = "rcdef";

/* Declare the kernel's parameters, or pass them on. Their names begin with p_,
 * those of the epilogue of the sum with p_s. */
static void list_params(ga__strb *b, const ga__gen_epilogue *g, int is_sum,
                        int is_declared) {
  const char *const s = is_sum ? "s" : "";
  const char *const pointer = is_declared ? "global char *" : "";
  const char *const offset = is_declared ? "ulong " : "";
  const char *const stride = is_declared ? "long " : "";

  for (unsigned int i = 0; i < g->n; i++) {
    if (ga__arg_is_value(&g->args[i])) {
      ga__strb_appendf(b, ", %s%sp_%sv%u",
                       is_declared ? ga__arg_value_type(g->args[i].typecode)
                                   : "",
                       is_declared ? " " : "", s, i);
      continue;
    }
    ga__strb_appendf(b, ", %sp_%sb%u, %sp_%so%u", pointer, s, i, offset, s, i);
    for (unsigned int d = 0; !is_sum && d < g->axes; d++)
      ga__strb_appendf(b, ", %sp_%c%u", stride, strides[d], i);
    if (g->is_batch)
      ga__strb_appendf(b, ", %sp_z%u", stride, i);
  }
}

static void write_params(ga__strb *b, const ga__gen_epilogue *g) {
  ga__strb_append(b, "#define P_PARAMS ");
  list_params(b, g, 0, 1);
  if (g->sum != NULL)
    list_params(b, g->sum, 1, 1);
  ga__strb_append(b, "\n#define P_ARGS ");
  list_params(b, g, 0, 0);
  if (g->sum != NULL)
    list_params(b, g->sum, 1, 0);
  ga__strb_append(b, "\n");
}

/* Define P_BATCH(z), which moves the offsets to matrix z. */
static void write_batch(ga__strb *b, const ga__gen_epilogue *g) {
  ga__strb_append(b, "#define P_BATCH(z)");
  for (unsigned int i = 0; i < g->n; i++)
    if (!ga__arg_is_value(&g->args[i]))
      ga__strb_appendf(b, " p_o%u += (ulong)((z) * p_z%u);", i, i);
  ga__strb_append(b, "\n");
}

/* Declare a pointer to the element of argument i. */
static void write_pointer(ga__strb *b, const ga__gen_epilogue *g,
                          unsigned int i) {
  ga__strb_appendf(b, "  global char *p_q%u = p_b%u + p_o%u", i, i, i);
  for (unsigned int d = 0; d < g->axes; d++)
    ga__strb_appendf(b, " + p_%c * p_%c%u", coordinates[d], strides[d], i);
  ga__strb_append(b, ";\n");
}

/* Declare array argument i in a function: load it if it is read. */
static void write_array(ga__strb *b, const ga__gen_epilogue *g, unsigned int i,
                        int is_vector) {
  char at[24], apart[24];

  snprintf(at, sizeof at, "p_q%u", i);
  snprintf(apart, sizeof apart, "p_c%u", i);
  write_pointer(b, g, i);
  ga__arg_write_read(b, &g->args[i], at, apart,
                     is_vector ? g->steps[i] : GA_LANES_ONE);
}

static void write_scalar(ga__strb *b, const ga__gen_epilogue *g, unsigned int i,
                         int is_vector) {
  char at[24];

  snprintf(at, sizeof at, "p_v%u", i);
  ga__arg_write_value(b, &g->args[i], at, is_vector);
}

/* The last parameters: the place, and the arguments. */
static void write_place_params(ga__strb *b, const ga__gen_epilogue *g) {
  for (unsigned int d = 0; d < g->axes; d++)
    ga__strb_appendf(b, "%slong p_%c", d > 0 ? ", " : "", coordinates[d]);
  ga__strb_append(b, " P_PARAMS) {\n");
}

/* Compute the expression, and store what it assigns. */
static void write_end(ga__strb *b, const ga__gen_epilogue *g, int is_vector) {
  ga__strb_appendf(b, "  { %s; }\n", g->text);
  for (unsigned int i = 0; i < g->n; i++) {
    char at[24];

    snprintf(at, sizeof at, "p_q%u", i);
    ga__arg_write_store(b, &g->args[i], at,
                        is_vector ? g->steps[i] : GA_LANES_ONE);
  }
  ga__strb_append(b, "}\n");
}

/* The function for one element. */
static void write_put(ga__strb *b, const ga__gen_epilogue *g) {
  ga__strb_appendf(b, "static void p_put(const w_%s acc, ",
                   ga__dtype_cl(g->typecode));
  write_place_params(b, g);
  for (unsigned int i = 0; i < g->n; i++) {
    if (ga__arg_is_value(&g->args[i]))
      write_scalar(b, g, i, 0);
    else
      write_array(b, g, i, 0);
  }
  write_end(b, g, 0);
}

/* --- functions for neighbours in a row --- */

/* Is argument i an array that is read? */
static int is_read(const ga__gen_epilogue *g, unsigned int i) {
  return !ga__arg_is_value(&g->args[i]) && (g->args[i].flags & GE_READ) != 0;
}

static int reads_arrays(const ga__gen_epilogue *g) {
  for (unsigned int i = 0; i < g->n; i++)
    if (is_read(g, i))
      return 1;
  return 0;
}

/* The type p_values, and the function that reads it. */
static void write_read_v(ga__strb *b, const ga__gen_epilogue *g) {
  const char *comma = "";

  ga__strb_append(b, "#define P_VALUES\ntypedef struct p_values {\n");
  for (unsigned int i = 0; i < g->n; i++)
    if (is_read(g, i))
      ga__strb_appendf(b, "  w_%s %s;\n", ga__arg_w_name(g->args[i].typecode),
                       g->args[i].name);
  ga__strb_append(b, "} p_values;\nstatic p_values p_read_v(");
  write_place_params(b, g);
  for (unsigned int i = 0; i < g->n; i++)
    if (is_read(g, i))
      write_array(b, g, i, 1);
  ga__strb_append(b, "  const p_values p_r = {");
  for (unsigned int i = 0; i < g->n; i++) {
    if (!is_read(g, i))
      continue;
    ga__strb_appendf(b, "%s%s", comma, g->args[i].name);
    comma = ", ";
  }
  ga__strb_append(b, "};\n  return p_r;\n}\n");
}

/* Declare argument i in the function that puts. */
static void write_given(ga__strb *b, const ga__gen_epilogue *g,
                        unsigned int i) {
  const gpuelemwise_arg *a = &g->args[i];
  const int is_written = (a->flags & GE_WRITE) != 0;

  if (ga__arg_is_value(a)) {
    write_scalar(b, g, i, 1);
    return;
  }
  if (is_written)
    write_pointer(b, g, i);
  ga__strb_appendf(b, "  %sw_%s %s", is_written ? "" : "const ",
                   ga__arg_w_name(a->typecode), a->name);
  if (is_read(g, i))
    ga__strb_appendf(b, " = p_r.%s", a->name);
  ga__strb_append(b, ";\n");
}

static void write_put_v(ga__strb *b, const ga__gen_epilogue *g) {
  if (reads_arrays(g))
    write_read_v(b, g);
  ga__strb_appendf(b, "static void p_put_v(const w_%s acc, %s",
                   ga__dtype_cl(g->typecode),
                   reads_arrays(g) ? "p_values p_r, " : "");
  write_place_params(b, g);
  for (unsigned int i = 0; i < g->n; i++)
    write_given(b, g, i);
  write_end(b, g, 1);
}

/* Write the function of the epilogue of the sum. Each of its arrays has one
 * element. */
static void write_sum(ga__strb *b, const ga__gen_epilogue *g, int typecode) {
  char at[24];

  ga__strb_appendf(b,
                   "#define EPILOGUE_SUM\n"
                   "static void p_put_sum(const w_%s acc P_PARAMS) {\n",
                   ga__dtype_cl(typecode));
  for (unsigned int i = 0; i < g->n; i++) {
    const gpuelemwise_arg *a = &g->args[i];

    if (ga__arg_is_value(a)) {
      snprintf(at, sizeof at, "p_sv%u", i);
      ga__arg_write_value(b, a, at, 0);
      continue;
    }
    snprintf(at, sizeof at, "p_sq%u", i);
    ga__strb_appendf(b, "  global char *p_sq%u = p_sb%u + p_so%u;\n", i, i, i);
    ga__arg_write_read(b, a, at, NULL, GA_LANES_ONE);
  }
  ga__strb_appendf(b, "  { %s; }\n", g->text);
  for (unsigned int i = 0; i < g->n; i++) {
    snprintf(at, sizeof at, "p_sq%u", i);
    ga__arg_write_store(b, &g->args[i], at, GA_LANES_ONE);
  }
  ga__strb_append(b, "}\n");
}

void ga__gen_epilogue_text(ga__strb *b, const ga__gen_epilogue *g) {
  if (g->preamble != NULL)
    ga__strb_appendf(b, "%s\n", g->preamble);
  ga__strb_append(b, "#define EPILOGUE\n");
  write_params(b, g);
  if (g->is_batch)
    write_batch(b, g);
  if (g->lanes > 1) {
    ga__strb_appendf(b, "#define W_LANES %u\n#define W_BOOL %s\n", g->lanes,
                     g->boolean);
    write_put_v(b, g);
    ga__strb_append(b, "#undef W_LANES\n#undef W_BOOL\n"
                       "#define EPILOGUE_VECTOR\n");
  }
  ga__strb_append(b, "#define W_LANES\n#define W_BOOL int\n");
  write_put(b, g);
  if (g->sum != NULL)
    write_sum(b, g->sum, g->typecode);
}
