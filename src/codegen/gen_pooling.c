/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the kernels that pool and resize. */
#include "codegen/gen_pooling.h"

#include <stdio.h>

#include "base/dtype.h"
#include "codegen/gen_arg.h"
#include "codegen/gen_combine.h"
#include "codegen/gen_pooling_maps.h"
#include "codegen/gen_pooling_windows.h"

/* --- parameters --- */

static void write_list(ga__strb *b, const char *type, const char *name, int n) {
  for (int d = 0; d < n; d++)
    ga__strb_appendf(b, "const %s %s%d, ", type, name, d);
}

static void write_array(ga__strb *b, const ga__gen_pooling *g,
                        const char *name) {
  char batch[24], window[24];

  snprintf(batch, sizeof batch, "p_%sk", name);
  snprintf(window, sizeof window, "p_%sw", name);
  ga__strb_appendf(b, "global char *p_%s, const ulong p_%so, ", name, name);
  write_list(b, "long", batch, g->nk);
  write_list(b, "long", window, g->nw);
}

static void write_params(ga__strb *b, const ga__gen_pooling *g,
                         const ga__gen_pooling_maps *m) {
  int digits[GA_POOLING_DIGITS];
  const int n_digits = ga__gen_pooling_digits(g, digits);
  char name[16];

  ga__strb_append(b, "#define P_PARAMS ");
  for (unsigned int k = 0; k < m->n; k++) {
    ga__gen_pooling_name(name, m, k);
    if (ga__gen_pooling_is_array(m, k))
      write_array(b, g, name);
    else if (ga__arg_is_value(&m->args[k]))
      ga__strb_appendf(b, "const %s p_%s, ",
                       ga__arg_value_type(m->args[k].typecode), name);
  }
  write_list(b, "ulong", "p_k", g->nk);
  write_list(b, "ulong", "p_n", g->nw);
  write_list(b, "ulong", "p_m", g->nw);
  write_list(b, "ulong", "p_step", g->nw);
  write_list(b, "ulong", "p_most", g->nw);
  write_list(b, "ulong", "p_u", n_digits - 1);
  write_list(b, "ulong", "p_v", n_digits - 1);
  ga__strb_append(b, "global const int *p_spans, "
                     "global const P_WORK *p_weights\n");
}

/* --- positions --- */

int ga__gen_pooling_digits(const ga__gen_pooling *g, int *digits) {
  const int has_channels = g->channels_first;
  int n = 0;

  if (has_channels && g->inner != GA_POOLING_CHANNELS)
    digits[n++] = GA_DIGIT_VECTOR;
  if (g->is_row)
    digits[n++] = GA_DIGIT_STRIP;
  for (int d = g->inner == GA_POOLING_ROW || g->is_row; d < g->nw; d++)
    digits[n++] =
        (ga__gen_pooling_has_block(g, d) ? GA_DIGIT_BLOCK0 : GA_DIGIT_AXIS0) +
        d;
  for (int d = has_channels; d < g->nk; d++)
    digits[n++] = GA_DIGIT_BATCH0 + d;
  return n;
}

/* The variable of a digit. */
static void name_digit(char name[16], int digit) {
  switch (digit) {
  case GA_DIGIT_VECTOR:
    snprintf(name, 16, "p_c0");
    break;
  case GA_DIGIT_STRIP:
    snprintf(name, 16, "p_s0");
    break;
  case GA_DIGIT_BLOCK0:
  case GA_DIGIT_BLOCK1:
    snprintf(name, 16, "p_r%d", digit - GA_DIGIT_BLOCK0);
    break;
  default:
    if (digit >= GA_DIGIT_BATCH0)
      snprintf(name, 16, "p_b%d", digit - GA_DIGIT_BATCH0);
    else
      snprintf(name, 16, "p_j%d", digit - GA_DIGIT_AXIS0);
    break;
  }
}

static void write_unit(ga__strb *b, const ga__gen_pooling *g) {
  int digits[GA_POOLING_DIGITS];
  const int n = ga__gen_pooling_digits(g, digits);
  char name[16];

  ga__strb_append(b, "#define P_UNIT(u) R_IDX p_rest = (u), p_next; ");
  for (int i = 0; i < n; i++) {
    name_digit(name, digits[i]);
    if (i + 1 < n)
      ga__strb_appendf(b,
                       "p_next = P_QUOTIENT(p_rest, p_u%d, p_v%d); "
                       "const R_IDX %s = p_rest - p_next * (R_IDX)p_u%d; "
                       "p_rest = p_next; ",
                       i, i, name, i);
    else
      ga__strb_appendf(b, "const R_IDX %s = p_rest; ", name);
    if (digits[i] == GA_DIGIT_VECTOR)
      ga__strb_appendf(b, "const R_IDX p_b0 = p_c0 * %d; ", g->lanes);
    if (digits[i] == GA_DIGIT_BLOCK0 || digits[i] == GA_DIGIT_BLOCK1) {
      const int d = digits[i] - GA_DIGIT_BLOCK0;
      ga__strb_appendf(b, "const R_IDX p_j%d = p_r%d * %d; ", d, d,
                       g->block[d].size);
    }
  }
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
  default:
    break;
  }
  ga__strb_append(b, "\n");
}

/* P_BY of argument k. */
static void write_steps(ga__strb *b, const ga__gen_pooling *g,
                        const ga__gen_pooling_maps *m, unsigned int k) {
  char name[16];

  ga__gen_pooling_name(name, m, k);
  for (int d = 0; d < GA_POOLING_ND; d++)
    if (d == 0 && g->has_rows)
      ga__strb_appendf(
          b, "#define P_BY_%s0 %d\n", name,
          m->is_fixed[k] ? 0 : (int)ga__dtype_size(m->args[k].typecode));
    else if (d < g->nw)
      ga__strb_appendf(b, "#define P_BY_%s%d (P_AT)p_%sw%d\n", name, d, name,
                       d);
    else
      ga__strb_appendf(b, "#define P_BY_%s%d 0\n", name, d);
}

/* P_BASE(x): where the batch's part begins. P_PLACED(x): where the element of
 * the result is. P_AWAY(x): bytes from P_BASE to a row of the window, or to an
 * element of it. P_BY(x, d): bytes from element to element of axis d. */
static void write_places(ga__strb *b, const ga__gen_pooling *g,
                         const ga__gen_pooling_maps *m) {
  ga__strb_append(b, "#define P_BASE(x) (p_##x + p_##x##o");
  for (int d = 0; d < g->nk; d++)
    ga__strb_appendf(b, " + (long)p_b%d * p_##x##k%d", d, d);
  ga__strb_append(b, ")\n#define P_PLACED(x) (P_BASE(x)");
  for (int d = 0; d < g->nw; d++)
    ga__strb_appendf(b, " + (P_AT)p_j%d * P_BY(x, %d)", d, d);
  ga__strb_append(b, ")\n#define P_AWAY(x) (0");
  for (int d = 1; d < g->nw; d++)
    ga__strb_appendf(b, " + (P_AT)p_a%d * P_BY(x, %d)", d, d);
  ga__strb_append(b, ")\n#define P_BY(x, d) P_BY_##x##d\n");
  for (unsigned int k = 0; k < m->n; k++)
    if (ga__gen_pooling_is_array(m, k))
      write_steps(b, g, m, k);
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
  const int work = ga__dtype_canon(ga__dtype_work(g->dtype));

  ga__strb_appendf(b,
                   "#define P_STORE_PLACE(v, p) w_store%s(%sv, (global long "
                   "*)(p), 0)\n",
                   g->is_aligned ? "_aligned" : "",
                   g->is_aligned ? "long, " : "");
  if (g->wide > 1)
    ga__strb_appendf(b, "#define P_WIDE %s%d\n", ga__dtype_cl(work), g->wide);
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
  ga__strb_appendf(b, "#define P_ABOVE(b, a) %s\n",
                   is_float ? "(!((b) <= (a)) & ((a) == (a)))" : "((b) > (a))");
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
  ga__strb_appendf(b,
                   "#define P_ROWS %d\n#define P_COLUMNS %d\n"
                   "#define P_IS_ELEMENT(r) %s\n",
                   ga__gen_pooling_has_block(g, 1) ? g->block[1].size : 1,
                   ga__gen_pooling_has_block(g, 0) ? g->block[0].size : 1,
                   ga__gen_pooling_has_block(g, 1) && !g->is_whole
                       ? "(p_j1 + r < (R_IDX)p_n1)"
                       : "1");
  ga__strb_appendf(
      b, "#define P_QUOTIENT(a, u, v) %s\n",
      g->wide_index
          ? "((a) / (R_IDX)(u))"
          : "(mul_hi((a) << 1, (uint)(v)) >> (uint)((ulong)(v) >> 32))");
}

void ga__gen_pooling_write(ga__strb *b, const ga__gen_pooling *g,
                           const ga__gen_pooling_maps *m) {
  const char *mask = ga__reduce_mask(ga__dtype_work(g->dtype));

  ga__gen_pooling_functions(b, g, m);
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
  write_params(b, g, m);
  write_unit(b, g);
  write_inner(b, g);
  write_places(b, g, m);
  ga__gen_pooling_calls(b, g, m);
  ga__gen_pooling_windows(b, g);
  write_flat(b, g);
}
