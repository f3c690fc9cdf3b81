/* SPDX-License-Identifier: BSD-2-Clause */
/** \file inner.h
 *  Look into loops and choices, to translate graphs to other forms.
 *
 *  The graph inside of a node is a graph of its own, which never changes: copy
 *  its variables with gg_replace_in (replace.h). All pointers are borrowed from
 *  the node.
 */
#ifndef GPUGRAPH_INNER_H
#define GPUGRAPH_INNER_H

#include <gpugraph/op.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A choice. Input 0 of the node is the condition; its other inputs are those
 *  of the inner graph. The inner graph has the values of the node's outputs if
 *  the condition holds, then those if it does not. */
typedef struct gg_choice_view {
  unsigned int n_in, n_out; /**< of the inner graph */
  gg_var *const *in, *const *out;
} gg_choice_view;

/** An earlier value of a state, as an input of the body. */
typedef struct gg_loop_tap {
  int64_t state, back; /**< the value `back` iterations ago, at least 1 */
} gg_loop_tap;

/** Output i of a loop that is no state. */
typedef struct gg_loop_row {
  int64_t reversed; /**< iteration t gives row top - 1 - t */
  int64_t like;     /**< the result has as many rows as this sequence; -1: as
                         many as there are steps */
} gg_loop_row;

/** A loop. `top` is the number of steps, or the limit if that is less.
 *
 *      inputs of the node    steps, [limit], sequences, initial states, fixed
 *      outputs               for each state all values, after the rows it
 *                            starts from, and the last value; for each other
 *                            output all rows and the last; [the number of
 *                            iterations, with `has_until`]
 *      inputs of the body    a row of each sequence, taps, fixed
 *      outputs of the body   the next value of each state, outputs, [until]
 *
 *  Rows that no iteration gives are zeros. */
typedef struct gg_loop_view {
  unsigned int n_seqs, n_states, n_taps, n_outs, n_fixed;
  int is_limited; /**< there is the input `limit` */
  int has_until;  /**< the body computes whether the loop ends */
  int64_t most;   /**< iterations at most; 0: no limit */
  const int64_t
      *reversed;        /**< by sequence: iteration t reads row top - 1 - t */
  const int64_t *depth; /**< by state: how many rows it starts from; 0: its
                             sizes may change, so it starts from its first
                             value, and both outputs are the last one */
  const gg_loop_tap *taps;
  const gg_loop_row *outs;
  unsigned int n_in, n_out; /**< of the body */
  gg_var *const *in, *const *out;
} gg_loop_view;

/** Fill *out if the node is a choice, or a loop. Returns whether it is. */
GG_PUBLIC int gg_apply_choice(const gg_apply *a, gg_choice_view *out);
GG_PUBLIC int gg_apply_loop(const gg_apply *a, gg_loop_view *out);

#ifdef __cplusplus
}
#endif

#endif
