/* SPDX-License-Identifier: BSD-2-Clause */
/** \file scan.h
 *  Loops.
 *
 *  Build a loop around its body: open it, ask it for variables that change from
 *  iteration to iteration, compute with them, set the next values of the
 *  states, and close it. Everything else that the body uses (inputs, shared
 *  variables, earlier results) is the same in all iterations and needs no
 *  declaration.
 *
 *      gg_scan *s = gg_scan_open(g);
 *      gg_var *x = gg_scan_sequence(s, xs, 0);   // xs[t]
 *      gg_var *h = gg_scan_state(s, h0);         // h[t - 1]
 *
 *      gg_scan_next(s, h, gg_tanh(gg_add(gg_dot(x, u), gg_dot(h, w))));
 *      gg_scan_close(s);
 *      hs = gg_scan_all(s, h);                   // h[0], h[1], ... as rows
 *      gg_scan_free(s);
 *
 *  The library compiles the body once, whatever the number of iterations, and
 *  runs its launches once per iteration. If only the last value of a state is
 *  used, memory holds only as many values as the taps look back. Loops have
 *  gradients of any order (which are loops) and forward derivatives, and may be
 *  nested. The data may decide sizes inside of the body (select.h).
 *
 *  Like all building functions, these accept NULL for an argument whose
 *  building failed, and the graph keeps the first error. Variables of the body
 *  can be used only in the body.
 */
#ifndef GPUGRAPH_SCAN_H
#define GPUGRAPH_SCAN_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A loop that is being built. The caller frees it, before or after its graph.
 *  Only one thread may use it at a time. */
typedef struct gg_scan gg_scan;

/** Open a loop. NULL, with the error kept in the graph, when there is no
 *  memory; the functions below accept that. */
GG_PUBLIC gg_scan *gg_scan_open(gg_graph *g);
/** Free the builder; its variables stay valid. Accepts NULL. */
GG_PUBLIC void gg_scan_free(gg_scan *s);

/** \name What changes from iteration to iteration */
/**@{*/
/** x[t + tap], a row of x along its first axis. Call this again for other taps
 *  of the same x: the loop then runs over those t for which all taps exist, and
 *  iteration 0 is the first such t. The number of iterations is the number of
 *  rows less the distance between the least and the greatest tap. */
GG_PUBLIC gg_var *gg_scan_sequence(gg_scan *s, gg_var *x, int tap);
/** A state: its value one iteration ago, or `init` in the first iteration. The
 *  dtype and shape of a state do not change. */
GG_PUBLIC gg_var *gg_scan_state(gg_scan *s, gg_var *init);
/** A state whose sizes may change from iteration to iteration, as those of a
 *  set that shrinks: dims[i] is GG_ANY where they may, else the size that
 *  stays, for each dimension of `init`. gg_scan_last gives its last value, of
 *  whatever size; gg_scan_all cannot, and no truncated gradient passes such a
 *  loop. Calls plan each iteration for the real sizes, and wait only for counts
 *  that sizes follow from. */
GG_PUBLIC gg_var *gg_scan_state_sized(gg_scan *s, gg_var *init,
                                      const int64_t *dims);
/** A state with several earlier values: out[i] is the value -taps[i] iterations
 *  ago (taps are -1, -2, ...). `init` has one row along its first axis for each
 *  iteration that the longest tap looks back, the latest row last. Returns
 *  out[0], which is the handle of the state in the functions below. */
GG_PUBLIC gg_var *gg_scan_state_taps(gg_scan *s, gg_var *init, unsigned int n,
                                     const int *taps, gg_var **out);
/** Set the value that a state gets in this iteration. Each state needs one. */
GG_PUBLIC int gg_scan_next(gg_scan *s, gg_var *state, gg_var *value);
/** Make a value that is not a state a result of the loop. Returns y, which is
 *  the handle of that result in the functions below. */
GG_PUBLIC gg_var *gg_scan_output(gg_scan *s, gg_var *y);
/**@}*/

/** \name How often */
/**@{*/
/** Set the number of iterations, an integer scalar as in gg_reshape_sizes: a
 *  constant, a size (gg_shape), an input, or computed. A function reads such an
 *  input, or what the device computes, when it is called, which blocks, and
 *  makes a plan for each value as it does for shapes. Sequences may be longer
 *  than needed. Without this call all sequences must give the same number of
 *  iterations. */
GG_PUBLIC int gg_scan_steps(gg_scan *s, gg_var *n);
/** Read the rows of sequences from the last to the first. */
GG_PUBLIC int gg_scan_backwards(gg_scan *s);
/** End the loop after the first iteration in which `cond`, a scalar of the
 *  body, is not 0. The number of iterations becomes an upper bound. The host
 *  reads `cond` after each iteration, so calls block. */
GG_PUBLIC int gg_scan_until(gg_scan *s, gg_var *cond);
/** Let gradients go back over only the last k iterations; k > 0. */
GG_PUBLIC int gg_scan_truncate(gg_scan *s, int64_t k);
/**@}*/

/** \name Results
 *  For closed loops. `v` is a state or an output. */
/**@{*/
/** Close the loop. Errors, also kept in the graph: GA_VALUE_ERROR when it has
 *  no results or no number of iterations, or when a state has no next value or
 *  one of another type. Calls check the sizes that are not known yet.
 */
GG_PUBLIC int gg_scan_close(gg_scan *s);
/** The values of all iterations, in their order, as rows of a new first axis.
 *  If the loop ends early (gg_scan_until), the remaining rows are zeros. */
GG_PUBLIC gg_var *gg_scan_all(gg_scan *s, gg_var *v);
/** The value of the last iteration. For a state of a loop without iterations it
 *  is the initial value. */
GG_PUBLIC gg_var *gg_scan_last(gg_scan *s, gg_var *v);
/** The number of iterations that ran, an int64 scalar. */
GG_PUBLIC gg_var *gg_scan_count(gg_scan *s);
/**@}*/

/** \name Short forms
 *  `fn` is called once, to build the body. It gets `arg` as it is. */
/**@{*/
/** Rows fn(x[0]), fn(x[1]), ... */
GG_PUBLIC gg_var *gg_map(gg_var *(*fn)(void *arg, gg_var *row), void *arg,
                         gg_var *x);
/** fn(... fn(fn(init, x[0]), x[1]) ...), elsewhere called reduce or foldl. */
GG_PUBLIC gg_var *gg_fold(gg_var *(*fn)(void *arg, gg_var *so_far, gg_var *row),
                          void *arg, gg_var *init, gg_var *x);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
