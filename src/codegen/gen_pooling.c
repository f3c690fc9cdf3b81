/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the kernels that pool and resize. */
#include "codegen/gen_pooling.h"

#include <stdio.h>

#include "base/dtype.h"
#include "codegen/gen_arg.h"
#include "codegen/gen_combine.h"

/* --- parameters --- */

static void write_list(ga__strb *b, const char *type, const char *name, int n) {
  for (int d = 0; d < n; d++)
    ga__strb_appendf(b, "const %s %s%d, ", type, name, d);
}

static void write_array(ga__strb *b, const ga__gen_pooling *g,
                        const char *name) {
  char batch[16], window[16];

  snprintf(batch, sizeof batch, "p_%sk", name);
  snprintf(window, sizeof window, "p_%sw", name);
  ga__strb_appendf(b, "global char *p_%s, const ulong p_%so, ", name, name);
  write_list(b, "long", batch, g->nk);
  write_list(b, "long", window, g->nw);
}

static void write_params(ga__strb *b, const ga__gen_pooling *g) {
  ga__strb_append(b, "#define P_PARAMS ");
  write_array(b, g, "x");
  write_array(b, g, "i");
  write_array(b, g, "y");
  write_list(b, "ulong", "p_k", g->nk);
  write_list(b, "ulong", "p_n", g->nw);
  write_list(b, "ulong", "p_m", g->nw);
  write_list(b, "ulong", "p_step", g->nw);
  write_list(b, "ulong", "p_most", g->nw);
  ga__strb_append(b, "global const int *p_spans, "
                     "global const P_WORK *p_weights\n");
}

/* --- positions --- */

/* Take the digit `name` of the unit, whose base is `size`. */
static void write_digit(ga__strb *b, const char *name, int d,
                        const char *size) {
  ga__strb_appendf(b,
                   "const R_IDX %s%d = p_rest %% (R_IDX)(%s); "
                   "p_rest /= (R_IDX)(%s); ",
                   name, d, size, size);
}

static void write_batch(ga__strb *b, const ga__gen_pooling *g, int from) {
  char size[24];

  for (int d = from; d < g->nk; d++) {
    snprintf(size, sizeof size, "p_k%d", d);
    write_digit(b, "p_b", d, size);
  }
}

/* Digits of a unit, the fastest first, except those of the inner loop. */
static void write_unit(ga__strb *b, const ga__gen_pooling *g) {
  const int has_channel = g->channels_first && g->inner != GA_POOLING_CHANNELS;
  char size[48];

  ga__strb_append(b, "#define P_UNIT(u) R_IDX p_rest = (u); ");
  if (has_channel) {
    snprintf(size, sizeof size, "p_k0 / %d", g->lanes);
    write_digit(b, "p_v", 0, size);
    ga__strb_appendf(b, "const R_IDX p_b0 = p_v0 * %d; ", g->lanes);
  }
  if (g->is_row)
    write_digit(b, "p_s", 0, "strips");
  for (int d = g->inner == GA_POOLING_ROW || g->is_row; d < g->nw; d++) {
    const int is_run = g->inner == GA_POOLING_RUN && d == 1;
    snprintf(size, sizeof size, is_run ? "(p_n%d + %d) / %d" : "p_n%d", d,
             GA_POOLING_RUN_LENGTH - 1, GA_POOLING_RUN_LENGTH);
    write_digit(b, is_run ? "p_r" : "p_j", d, size);
  }
  write_batch(b, g, has_channel || g->inner == GA_POOLING_CHANNELS);
  ga__strb_append(b, "\n");
}

static void write_inner(ga__strb *b, const ga__gen_pooling *g) {
  ga__strb_append(b, "#define P_INNER ");
  switch (g->inner) {
  case GA_POOLING_CHANNELS:
    ga__strb_appendf(b, "for (R_IDX p_b0 = 0; p_b0 < (R_IDX)p_k0; p_b0 += %d)",
                     g->lanes);
    break;
  case GA_POOLING_ROW:
    ga__strb_append(b, "for (R_IDX p_j0 = 0; p_j0 < (R_IDX)p_n0; ++p_j0)");
    break;
  case GA_POOLING_RUN:
    ga__strb_appendf(b,
                     "for (R_IDX p_j1 = p_r1 * %d, p_end = "
                     "min((R_IDX)p_n1, p_j1 + %d); p_j1 < p_end; ++p_j1)",
                     GA_POOLING_RUN_LENGTH, GA_POOLING_RUN_LENGTH);
    break;
  default:
    break;
  }
  ga__strb_append(b, "\n");
}

/* P_BASE(x): where the batch's part begins. P_PLACED(x): where the element of
 * the result is. P_AWAY(x): bytes from P_BASE to an element of the window. */
static void write_places(ga__strb *b, const ga__gen_pooling *g) {
  ga__strb_append(b, "#define P_BASE(x) (p_##x + p_##x##o");
  for (int d = 0; d < g->nk; d++)
    ga__strb_appendf(b, " + (long)p_b%d * p_##x##k%d", d, d);
  ga__strb_append(b, ")\n#define P_PLACED(x) (P_BASE(x)");
  for (int d = 0; d < g->nw; d++)
    ga__strb_appendf(b, " + (P_AT)p_j%d * (P_AT)p_##x##w%d", d, d);
  ga__strb_append(b, ")\n#define P_AWAY(x) (0");
  for (int d = g->is_row; d < g->nw; d++)
    ga__strb_appendf(b, " + (P_AT)p_a%d * (P_AT)p_##x##w%d", d, d);
  ga__strb_append(b, ")\n");
}

/* --- windows --- */

/* Where the lists of axis d begin: behind those of all axes before it. */
static void write_offsets(ga__strb *b, const ga__gen_pooling *g) {
  for (int d = 0; d <= g->nw; d++) {
    ga__strb_appendf(b, "#define P_SPANS%d (0", g->nw - d);
    for (int e = g->nw - d; e < g->nw; e++)
      ga__strb_appendf(b, " + 2 * (P_AT)p_n%d", e);
    ga__strb_appendf(b, ")\n#define P_WEIGHTS%d (0", g->nw - d);
    for (int e = g->nw - d; e < g->nw; e++)
      ga__strb_appendf(b, " + (P_AT)p_most%d * (P_AT)p_n%d", e, e);
    ga__strb_append(b, ")\n");
  }
}

/* The head of the loop over a window along axis d. With a number of rounds that
 * compilers know they unroll it, and loads do not wait for each other. */
static void write_loop(ga__strb *b, const ga__gen_pooling *g, int d) {
  ga__strb_appendf(b, "for (int p_q%d = 0, p_a%d = p_spans[P_SPANS%d + p_j%d]",
                   d, d, d + 1, d);
  if (!g->is_full[d])
    ga__strb_appendf(b, ", p_c%d = p_spans[P_SPANS%d + (P_AT)p_n%d + p_j%d]", d,
                     d + 1, d, d);
  if (g->rounds[d] == 0)
    ga__strb_appendf(b, "; p_q%d < p_c%d; ", d, d);
  else
    ga__strb_appendf(b, "; p_q%d < %d; ", d, g->rounds[d]);
  ga__strb_appendf(b, "++p_q%d, p_a%d += (int)p_step%d) ", d, d, d);
  if (g->rounds[d] != 0 && !g->is_full[d])
    ga__strb_appendf(b, "if (p_q%d < p_c%d) ", d, d);
}

/* P_WALK: loops over the elements of a window, axis 0 the innermost; a kernel
 * for rows goes along axis 0 by itself. P_FACTOR: the weight of an element. */
static void write_walk(ga__strb *b, const ga__gen_pooling *g) {
  ga__strb_append(b, "#define P_WALK ");
  for (int d = g->nw - 1; d >= g->is_row; d--)
    write_loop(b, g, d);
  ga__strb_append(b, "\n#define P_FACTOR ((P_WORK)1");
  for (int d = g->nw - 1; g->is_weighted && d >= g->is_row; d--)
    ga__strb_appendf(b,
                     " * p_weights[P_WEIGHTS%d + p_q%d * (P_AT)p_n%d + p_j%d]",
                     d + 1, d, d, d);
  ga__strb_append(b, ")\n");
}

/* P_FLAT(a, m): the position with index a<d> among m<d> along each axis d. */
static void write_flat(ga__strb *b, const ga__gen_pooling *g) {
  ga__strb_append(b, "#define P_FLAT(type, a, m) (");
  for (int d = g->nw - 1; d > 0; d--)
    ga__strb_append(b, "(");
  for (int d = g->nw - 1; d >= 0; d--) {
    if (d < g->nw - 1)
      ga__strb_appendf(b, " * (type)m##%d + ", d);
    ga__strb_appendf(b, "(type)a##%d%s", d, d > 0 ? ")" : "");
  }
  ga__strb_append(b, ")\n");
}

/* --- values --- */

static void write_access(ga__strb *b, const ga__gen_pooling *g) {
  const char *type = ga__dtype_cl(g->dtype);
  const char *aligned = g->is_aligned ? "_aligned" : "";

  if (ga__dtype_is_narrow(g->dtype)) {
    ga__strb_appendf(b, "#define P_LOAD(p) w_load%s_%s(p, 0)\n", aligned, type);
    ga__strb_appendf(b, "#define P_STORE(v, p) w_store%s_%s(v, p, 0)\n",
                     aligned, type);
  } else if (g->is_aligned) {
    ga__strb_appendf(b,
                     "#define P_LOAD(p) w_load_aligned(%s, (global const %s "
                     "*)(p), 0)\n",
                     type, type);
    ga__strb_appendf(b,
                     "#define P_STORE(v, p) w_store_aligned(%s, v, (global %s "
                     "*)(p), 0)\n",
                     type, type);
  } else {
    ga__strb_appendf(b, "#define P_LOAD(p) w_load((global const %s *)(p), 0)\n",
                     type);
    ga__strb_appendf(b,
                     "#define P_STORE(v, p) w_store(v, (global %s *)(p), "
                     "0)\n",
                     type);
  }
}

static void write_operation(ga__strb *b, const ga__gen_pooling *g) {
  const int work = ga__dtype_canon(ga__dtype_work(g->dtype));
  const int is_float = ga__dtype_kind(g->dtype) == GA_KIND_FLOAT;

  ga__strb_appendf(b, "#define P_WORK %s\n#define P_VALUE w_%s\n",
                   ga__dtype_cl(work), ga__dtype_cl(work));
  ga__strb_appendf(
      b, "#define P_NEUTRAL %s\n",
      g->op == GA_POOLING_MAX ? ga__reduce_neutral(GA_REDUCE_MAX, work) : "0");
  ga__strb_appendf(b, "#define P_MAX(a, b) %s\n",
                   ga__reduce_combine(GA_REDUCE_MAX, work));
  ga__strb_appendf(b, "#define P_ABOVE(b, a) (((b) > (a))%s)\n",
                   is_float ? " | (((b) != (b)) & ((a) == (a)))" : "");
  ga__strb_appendf(b, "#define P_SAME(b, a) (((b) == (a))%s)\n",
                   is_float ? " | (((b) != (b)) & ((a) != (a)))" : "");
}

static void write_numbers(ga__strb *b, const ga__gen_pooling *g) {
  const size_t work = ga__dtype_size(ga__dtype_work(g->dtype));

  ga__strb_appendf(
      b,
      "#define R_IDX %s\n#define P_AT %s\n"
      "#define P_LANES %d\n#define P_OP %d\n"
      "#define P_VALUED %d\n#define P_INDEXED %d\n"
      "#define P_WEIGHTED %d\n#define P_LINE %d\n"
      "#define P_RISING %d\n#define P_STRIP %d\n",
      g->wide_index ? "ulong" : "uint", g->wide_reach ? "long" : "int",
      g->lanes, g->op, g->has_value, g->has_index, g->is_weighted,
      (int)(GA_POOLING_LINE_BYTES / work), g->is_rising, GA_POOLING_STRIP);
}

void ga__gen_pooling_write(ga__strb *b, const ga__gen_pooling *g) {
  const char *mask = ga__reduce_mask(ga__dtype_work(g->dtype));

  ga__strb_append(b, "#define W_LANES");
  if (g->lanes > 1)
    ga__strb_appendf(b, " %d", g->lanes);
  ga__strb_appendf(b, "\n#define W_BOOL %s\n#define P_PLACE %s\n", mask,
                   g->lanes > 1    ? mask
                   : g->wide_place ? "long"
                                   : "int");
  write_numbers(b, g);
  write_operation(b, g);
  write_access(b, g);
  write_params(b, g);
  write_unit(b, g);
  write_inner(b, g);
  write_places(b, g);
  write_offsets(b, g);
  write_walk(b, g);
  write_flat(b, g);
}
