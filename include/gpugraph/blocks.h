/* SPDX-License-Identifier: BSD-2-Clause */
/** \file blocks.h
 *  Products with some blocks of a matrix of blocks.
 *
 *  The inputs and outputs of a layer may be blocks of units. If each row of a
 *  batch needs few of these blocks, indices can choose them. The weights of all
 *  pairs of blocks are one array, w [I, O, m, n]: w[i, o] leads from input
 *  block i, of m units, to output block o, of n units. Only chosen blocks are
 *  read and multiplied.
 *
 *  Indices are integers of any width; one row of them may choose a block twice.
 *  Negative ones count from the end. gather.h says what becomes of others, and
 *  how calls report them. Results have gradients and forward derivatives of any
 *  order by what they are made of; indices have none. The gradient by w adds up
 *  what a block gets, in one order, so two runs give the same bits. On error
 *  functions return NULL and leave the reason in the graph.
 */
#ifndef GPUGRAPH_BLOCKS_H
#define GPUGRAPH_BLOCKS_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** y[b, j] = the sum over k of h[b, k] w[from[b, k], to[b, j]], a [B, J, n].
 *
 *  \param w    weights, [I, O, m, n]
 *  \param h    the input blocks that are not 0, [B, K, m]
 *  \param from which blocks of the input these are, [B, K]
 *  \param to   which blocks of the output to compute, [B, J]
 *
 *  Floats; dtypes are promoted, and integers become floats. GA_VALUE_ERROR if
 *  ranks or sizes do not fit; nothing broadcasts. The chosen blocks of w are
 *  copied, B J K m n elements, for one batched product. */
GG_PUBLIC gg_var *gg_block_dot(gg_var *w, gg_var *h, gg_var *from, gg_var *to);

/** y + gg_block_dot(w, h, from, to), where y is [B, J, n]: Theano's
 *  SparseBlockGemv. For a bias [O, n] pass gg_take_axis(bias, 0, to). */
GG_PUBLIC gg_var *gg_block_gemv(gg_var *y, gg_var *w, gg_var *h, gg_var *from,
                                gg_var *to);

/** w with the product of h[b, k] as a column and g[b, j] as a row added to
 *  block w[from[b, k], to[b, j]], for all b, k and j: Theano's
 *  SparseBlockOuter. w is [I, O, m, n], h [B, K, m], g [B, J, n], from [B, K],
 *  to [B, J]. The dtype is that of w. */
GG_PUBLIC gg_var *gg_block_outer(gg_var *w, gg_var *h, gg_var *g, gg_var *from,
                                 gg_var *to);

#ifdef __cplusplus
}
#endif

#endif
