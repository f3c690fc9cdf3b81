/* SPDX-License-Identifier: BSD-2-Clause */
/* Products with blocks that indices choose, as gathers, batched products and
 * scatters. */
#include <gpugraph/arrange.h>
#include <gpugraph/blocks.h>
#include <gpugraph/gather.h>

#include "ops/compose.h"
#include "ops/linalg/matrices.h"

/* The operands of a product: w [I, O, m, n], two lists of blocks x, [B, K, m]
 * and [B, J, n] (or NULL), and their indices, [B, K] and [B, J]. */
typedef struct blocks {
  const gg_op *op; /* the name for messages */
  gg_var *w, *x[2], *index[2];
  gg_var *sizes[3]; /* B, K, J */
} blocks;

static int check_rank(const blocks *p, gg_var *v, const char *what,
                      unsigned int nd) {
  return gg__rank_of(v) == nd || gg__refuse(p->op, 1, &v, GA_VALUE_ERROR,
                                            "%s have %u axes, expected %u",
                                            what, gg__rank_of(v), nd) != NULL;
}

static int check_operands(const blocks *p) {
  if (!check_rank(p, p->w, "the weights", 4))
    return 0;
  for (unsigned int i = 0; i < 2; i++) {
    if (p->x[i] != NULL && !check_rank(p, p->x[i], "the blocks", 3))
      return 0;
    if (!check_rank(p, p->index[i], "the indices", 2))
      return 0;
    if (!gg__is_integer(gg_var_type(p->index[i])->dtype))
      return gg__refuse(p->op, 1, &p->index[i], GA_VALUE_ERROR,
                        "expected integers as indices") != NULL;
  }
  return 1;
}

/* Require that sizes of the operands agree, in the builder or in calls. */
static int unite_sizes(blocks *p) {
  gg_var *const b = gg_shape(p->index[0], 0);

  p->sizes[0] = b;
  for (unsigned int i = 0; i < 2; i++) {
    gg_var *const n = p->sizes[1 + i] = gg_shape(p->index[i], 1);
    p->index[i] = gg_specify_sizes(p->index[i], (gg_var *[]){b, n});
    if (p->x[i] != NULL)
      p->x[i] = gg_specify_sizes(
          p->x[i], (gg_var *[]){b, n, gg_shape(p->w, 2 + (int)i)});
    if (p->index[i] == NULL)
      return 0;
  }
  return 1;
}

static int blocks_open(blocks *p) {
  gg_var *in[5] = {p->w, p->x[0], p->index[0], p->index[1], p->x[1]};

  return gg__given(p->op, p->x[1] != NULL ? 5 : 4, in) && check_operands(p) &&
         unite_sizes(p);
}

/* The pairs of indices of all pairs of blocks, [B, K, J, 2] or, with `swap`,
 * [B, J, K, 2]. */
static gg_var *pairs(const blocks *p, int swap) {
  gg_var *const sizes[3] = {p->sizes[0], p->sizes[swap ? 2 : 1],
                            p->sizes[swap ? 1 : 2]};
  gg_var *two[2];

  for (unsigned int i = 0; i < 2; i++) {
    const int at = i == (swap ? 1u : 0u) ? 1 : 2; /* the axis of this list */
    const int pattern[3] = {0, at == 1 ? 1 : -1, at == 2 ? 1 : -1};
    two[i] = gg_broadcast_sizes(
        gg_dimshuffle(gg_cast(p->index[i], GA_LONG), 3, pattern), 3, sizes);
  }
  return gg_stack(3, 2, two);
}

/* The product for open operands: y[b, j] sums over k and the units. */
static gg_var *multiply(const blocks *p) {
  gg_var *const w = gg_gather_nd(p->w, pairs(p, 1), 0);
  gg_var *const all[4] = {p->sizes[0], p->sizes[2], p->sizes[1],
                          gg_shape(p->w, 2)};
  gg_var *const h = gg_broadcast_sizes(gg_expand_dims(p->x[0], 1), 4, all);

  return gg__batched_product(p->op, h, w, 2, 2);
}

gg_var *gg_block_dot(gg_var *w, gg_var *h, gg_var *from, gg_var *to) {
  blocks p = {.op = GG_CALLED("block_dot"),
              .w = w,
              .x = {h, NULL},
              .index = {from, to}};
  gg_var *two[2] = {w, h};

  if (!gg__given(p.op, 4, (gg_var *[]){w, h, from, to}) ||
      !gg__as_matrices(p.op, 2, two))
    return NULL;
  if (ga__dtype_is_complex(gg_var_type(two[0])->dtype))
    return gg__refuse(p.op, 2, two, GA_UNSUPPORTED_ERROR,
                      "expected real numbers");
  p.w = two[0];
  p.x[0] = two[1];
  return blocks_open(&p) ? multiply(&p) : NULL;
}

gg_var *gg_block_gemv(gg_var *y, gg_var *w, gg_var *h, gg_var *from,
                      gg_var *to) {
  const gg_op *op = GG_CALLED("block_gemv");

  if (!gg__given(op, 5, (gg_var *[]){y, w, h, from, to}))
    return NULL;
  gg_var *const v = gg_block_dot(w, h, from, to);
  if (v == NULL)
    return NULL;
  if (gg__rank_of(y) != 3)
    return gg__refuse(op, 1, &y, GA_VALUE_ERROR,
                      "the result has %u axes, expected 3", gg__rank_of(y));
  gg_var *const sizes[3] = {gg_shape(v, 0), gg_shape(v, 1), gg_shape(v, 2)};
  return gg_add(gg_specify_sizes(y, sizes), v);
}

gg_var *gg_block_outer(gg_var *w, gg_var *h, gg_var *g, gg_var *from,
                       gg_var *to) {
  blocks p = {
      .op = GG_CALLED("block_outer"), .w = w, .x = {h, g}, .index = {from, to}};

  if (!gg__given(p.op, 5, (gg_var *[]){w, h, g, from, to}) || !blocks_open(&p))
    return NULL;
  gg_var *const outer =
      gg_mul(gg_dimshuffle(p.x[0], 5, (int[]){0, 1, -1, 2, -1}),
             gg_dimshuffle(p.x[1], 5, (int[]){0, -1, 1, -1, 2}));
  return gg_scatter_nd(p.w, pairs(&p, 0), outer, GG_PUT_ADD);
}
