/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the kernels that pool and resize: how they go through windows. */
#include "codegen/gen_pooling_windows.h"

#include <stdio.h>

/* Where the lists of axis d begin: behind those of all axes before it, and
 * lists of weights where vectors may. */
static void write_offsets(ga__strb *b, const ga__gen_pooling *g) {
  ga__strb_appendf(b, "#define P_ALIGNED(n) (((n) + %d) & ~(P_AT)%d)\n",
                   GA_POOLING_ALIGN - 1, GA_POOLING_ALIGN - 1);
  for (int d = 0; d <= g->nw; d++) {
    ga__strb_appendf(b, "#define P_SPANS%d (0", g->nw - d);
    for (int e = g->nw - d; e < g->nw; e++)
      ga__strb_appendf(b, " + 2 * (P_AT)p_n%d", e);
    ga__strb_appendf(b, ")\n#define P_WEIGHTS%d (0", g->nw - d);
    for (int e = g->nw - d; e < g->nw; e++)
      ga__strb_appendf(b, " + P_ALIGNED(P_MOST%d * (P_AT)p_n%d)", e, e);
    ga__strb_append(b, ")\n");
  }
  for (int d = 0; d < g->nw; d++)
    if (g->rounds[d] != 0)
      ga__strb_appendf(b, "#define P_MOST%d %d\n", d, g->rounds[d]);
    else
      ga__strb_appendf(b, "#define P_MOST%d (P_AT)p_most%d\n", d, d);
}

/* Nonzero if the loop over a window along axis d goes on behind the end of some
 * windows. */
static int passes(const ga__gen_pooling *g, int d) {
  return g->rounds[d] != 0 && !g->is_full[d];
}

/* Declare p_w<d>, weights of a block of axis d: n vectors of `size`, `by`
 * elements apart. */
static void write_weights(ga__strb *b, int d, int n, int size, const char *from,
                          const char *by) {
  ga__strb_appendf(b, "P_WORK p_w%d[%d]; ", d, n * size);
  for (int i = 0; i < n; i++)
    ga__strb_appendf(b, "P_SPLIT%d(p_w%d + %d, p_weights + %s + %d * %s) ",
                     size, d, i * size, from, i, by);
}

static void write_block_weights(ga__strb *b, const ga__gen_pooling *g) {
  char from[48], by[8];

  if (ga__gen_pooling_has_block(g, 0) && !g->is_even)
    write_weights(b, 0, g->rounds[0], g->block[0].size,
                  "P_WEIGHTS1 + (P_AT)p_j0", "(P_AT)p_n0");
  if (ga__gen_pooling_has_block(g, 1)) {
    const int n = g->rounds[1] * g->block[1].size;
    const int size = n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : 1;
    snprintf(from, sizeof from, "P_WEIGHTS2 + (P_AT)p_r1 * %d", n);
    snprintf(by, sizeof by, "%d", size);
    write_weights(b, 1, n / size, size, from, by);
  }
}

/* P_FIND: where the window is along each axis but the last one of a row's
 * kernel. A block has no single window; its weights are read. */
static void write_find(ga__strb *b, const ga__gen_pooling *g) {
  ga__strb_append(b, "#define P_FIND ");
  for (int d = g->is_row; d < g->nw; d++) {
    if (ga__gen_pooling_has_block(g, d)) {
      ga__strb_appendf(b, "const int p_f%d = (int)p_r%d * %d + (%d); ", d, d,
                       g->block[d].lead, g->block[d].begin);
      continue;
    }
    ga__strb_appendf(b, "const int p_f%d = p_spans[P_SPANS%d + p_j%d]; ", d,
                     d + 1, d);
    if (g->rounds[d] == 0 || passes(g, d))
      ga__strb_appendf(
          b, "const int p_c%d = p_spans[P_SPANS%d + (P_AT)p_n%d + p_j%d]; ", d,
          d + 1, d, d);
  }
  if (g->is_weighted)
    write_block_weights(b, g);
  ga__strb_append(b, "\n");
}

/* The head of the loop over a window along axis d. With a number of rounds that
 * compilers know they unroll it, and loads do not wait for each other. */
static void write_loop(ga__strb *b, const ga__gen_pooling *g, int d) {
  ga__strb_appendf(b, "for (int p_q%d = 0, p_a%d = p_f%d; p_q%d < ", d, d, d,
                   d);
  if (g->rounds[d] != 0)
    ga__strb_appendf(b, "%d", g->rounds[d]);
  else
    ga__strb_appendf(b, "p_c%d", d);
  ga__strb_appendf(b, "; ++p_q%d, p_a%d += (int)p_step%d) ", d, d, d);
}

/* P_WALK: loops over all axes from `from` on, the lowest innermost. */
static void write_walk(ga__strb *b, const ga__gen_pooling *g, int from) {
  ga__strb_append(b, "#define P_WALK ");
  for (int d = g->nw - 1; d >= from; d--) {
    write_loop(b, g, d);
    if (passes(g, d))
      ga__strb_appendf(b, "if (p_q%d < p_c%d) ", d, d);
  }
  ga__strb_append(b, "\n");
}

/* The elements of a block that have element s of the source: `format` with the
 * index of each, and the number that s has in its window. */
static void write_members(ga__strb *b, const ga__pool_block *block, int s,
                          const char *format) {
  for (int r = 0; r < block->size; r++)
    for (int k = 0; k < block->count[r]; k++)
      if (block->first[r] + k * block->step == s)
        ga__strb_appendf(b, format, r, k);
}

static int has_members(const ga__pool_block *block, int s) {
  for (int r = 0; r < block->size; r++) {
    const int away = s - block->first[r];
    if (away >= 0 && away % block->step == 0 &&
        away / block->step < block->count[r])
      return 1;
  }
  return 0;
}

/* P_DOWN: the rows of the windows. */
static void write_down(ga__strb *b, const ga__gen_pooling *g) {
  const ga__pool_block *block = &g->block[1];

  ga__strb_append(b, "#define P_DOWN { ");
  if (g->nw == 1) {
    ga__strb_append(b, "P_ROW(1, P_GIVE(0, 0)) ");
  } else if (!ga__gen_pooling_has_block(g, 1)) {
    write_loop(b, g, 1);
    ga__strb_appendf(b, "P_ROW(%s, P_GIVE(0, p_q1)) ",
                     passes(g, 1) ? "p_q1 < p_c1" : "1");
  }
  for (int s = 0; ga__gen_pooling_has_block(g, 1) && s < block->span; s++) {
    if (!has_members(block, s))
      continue;
    ga__strb_appendf(b,
                     "{ const int p_a1 = p_f1 + %d; "
                     "P_ROW((uint)p_a1 < (uint)p_m1, ",
                     s);
    write_members(b, block, s, "P_GIVE(%d, %d) ");
    ga__strb_append(b, ") } ");
  }
  ga__strb_append(b, "}\n");
}

/* The head of P_COLUMN or P_VECTOR, from column s on. */
static void write_column(ga__strb *b, const char *name, int s) {
  ga__strb_appendf(b, "%s((uint)(p_f0 + %d) < (uint)p_m0, %d, ", name, s, s);
}

static void write_takes(ga__strb *b, const ga__pool_block *block, int s) {
  write_members(b, block, s, "P_TAKE(%d, %d, gives) ");
  ga__strb_append(b, ") ");
}

/* Nonzero if a vector of the source begins at column s of a block. */
static int has_vector(const ga__gen_pooling *g, int s) {
  return g->wide > 1 && (g->block[0].begin + s) % g->wide == 0 &&
         s + g->wide <= g->block[0].span;
}

/* Columns of a block: vectors, and single elements before and behind them. */
static void write_block_columns(ga__strb *b, const ga__gen_pooling *g) {
  const ga__pool_block *block = &g->block[0];

  for (int s = 0; s < block->span; s++) {
    if (has_vector(g, s)) {
      write_column(b, "P_VECTOR", s);
      for (int i = 0; i < g->wide; i++) {
        ga__strb_appendf(b, "P_PART(s%d, %d, ", i, s + i);
        write_takes(b, block, s + i);
      }
      ga__strb_append(b, ") ");
      s += g->wide - 1;
    } else if (has_members(block, s)) {
      write_column(b, "P_COLUMN", s);
      write_takes(b, block, s);
    }
  }
}

/* P_ACROSS: the columns of the windows. */
static void write_across(ga__strb *b, const ga__gen_pooling *g) {
  ga__strb_append(b, "#define P_ACROSS(gives) ");
  if (ga__gen_pooling_has_block(g, 0)) {
    write_block_columns(b, g);
  } else {
    write_loop(b, g, 0);
    ga__strb_appendf(b, "P_COLUMN(%s, p_q0%s, P_TAKE(0, p_q0, gives)) ",
                     passes(g, 0) ? "p_q0 < p_c0" : "1",
                     g->is_near ? "" : " * (int)p_step0");
  }
  ga__strb_append(b, "\n");
}

/* P_FACTOR: the weight of a row in kernels that go along rows, whose weights
 * are in the order [most][n]. */
static void write_row_factor(ga__strb *b, const ga__gen_pooling *g) {
  ga__strb_append(b, "#define P_FACTOR ((P_WORK)1");
  for (int d = g->is_weighted ? g->nw - 1 : 0; d >= 1; d--)
    ga__strb_appendf(b,
                     " * p_weights[P_WEIGHTS%d + p_q%d * (P_AT)p_n%d + p_j%d]",
                     d + 1, d, d, d);
  ga__strb_append(b, ")\n");
}

/* P_FACTOR0: the weight of a column; P_FACTOR1: the weight of a row, and what
 * it has from the axis beyond it. */
static void write_factors(ga__strb *b, const ga__gen_pooling *g) {
  ga__strb_append(b, "#define P_FACTOR0(c, k) ");
  if (!g->is_weighted || g->is_even)
    ga__strb_append(b, "(P_WORK)1");
  else if (ga__gen_pooling_has_block(g, 0))
    ga__strb_appendf(b, "p_w0[(k) * %d + (c)]", g->block[0].size);
  else
    ga__strb_append(b, "p_weights[P_WEIGHTS1 + (k) * (P_AT)p_n0 + p_j0]");
  ga__strb_append(b, "\n#define P_FACTOR1(r, k) ((P_WORK)1");
  if (g->is_weighted && ga__gen_pooling_has_block(g, 1))
    ga__strb_appendf(b, " * p_w1[(r) * %d + (k)]", g->rounds[1]);
  else if (g->is_weighted && g->nw > 1)
    ga__strb_append(b, " * p_weights[P_WEIGHTS2 + (P_AT)p_j1 * P_MOST1 + (k)]");
  if (g->is_weighted && g->nw > 2)
    ga__strb_append(b,
                    " * p_weights[P_WEIGHTS3 + (P_AT)p_j2 * P_MOST2 + p_q2]");
  ga__strb_append(b, ")\n");
}

void ga__gen_pooling_windows(ga__strb *b, const ga__gen_pooling *g) {
  write_offsets(b, g);
  ga__strb_appendf(b, "#define P_SCALE %s\n",
                   g->is_scaled ? "p_weights[0]" : "(P_WORK)1");
  write_find(b, g);
  if (g->is_row) {
    write_walk(b, g, 1);
    write_row_factor(b, g);
  } else {
    write_walk(b, g, 2);
    write_down(b, g);
    write_across(b, g);
    write_factors(b, g);
  }
}
