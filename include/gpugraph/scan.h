/* SPDX-License-Identifier: BSD-2-Clause */
/** \file scan.h
 *  Loops.
 *
 *  A loop is built around its body: open one, ask it for variables that stand
 *  for what changes from step to step, compute with them, say what the states
 *  become, and close it. Everything else that the body uses - inputs, shared
 *  variables, whatever was computed before - is the same in all steps and
 *  needs no mention.
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
 *  The library compiles the body once, whatever the number of steps, and walks
 *  its launches step by step. Of a state of which only the last value is used,
 *  no more is kept than the steps look back. Loops have gradients (which are
 *  loops) of any order and forward derivatives; loops may stand in loops.
 *
 *  Like all that builds, these functions take NULL for an argument that failed
 *  and leave the first error in the graph. Variables of the body are for the
 *  body alone.
 */
#ifndef GPUGRAPH_SCAN_H
#define GPUGRAPH_SCAN_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A loop that is being built; it goes away before or after its graph does.
 *  One thread uses it. */
typedef struct gg_scan gg_scan;

/** Open a loop. NULL, with the error kept in the graph, when memory is out; the
 *  functions below pass that on. */
GG_PUBLIC gg_scan *gg_scan_open(gg_graph *g);
/** Free the builder; variables stay. Accepts NULL. */
GG_PUBLIC void gg_scan_free(gg_scan *s);

/** \name What changes from step to step */
/**@{*/
/** x[t + tap], a row of x along its first axis. Ask again for other taps of the
 *  same x: the loop then runs where all of them exist, its step 0 at the first
 *  such t. The number of steps follows from it: rows, less the distance between
 *  the least and the greatest tap. */
GG_PUBLIC gg_var *gg_scan_sequence(gg_scan *s, gg_var *x, int tap);
/** The value that a state had one step ago, `init` before the first step.
 *  States keep dtype and shape. */
GG_PUBLIC gg_var *gg_scan_state(gg_scan *s, gg_var *init);
/** A state of which several earlier values are used: out[i] is the value
 *  -taps[i] steps ago (taps are -1, -2, ...). The first axis of `init` has as
 *  many rows as the longest look back, the latest row last. Returns out[0], by
 *  which the state goes in the functions below. */
GG_PUBLIC gg_var *gg_scan_state_taps(gg_scan *s, gg_var *init, unsigned int n,
                                     const int *taps, gg_var **out);
/** The value of a state in this step. Each state needs one. */
GG_PUBLIC int gg_scan_next(gg_scan *s, gg_var *state, gg_var *value);
/** A value to be kept that is no state. Returns y, by which it goes below. */
GG_PUBLIC gg_var *gg_scan_output(gg_scan *s, gg_var *y);
/**@}*/

/** \name How often */
/**@{*/
/** The number of steps, an integer scalar that is known before anything runs: a
 *  constant, a size (gg_shape), an integer scalar that is an input, or computed
 *  from such. Of an input a function reads the number when it is called, which
 *  waits for it, and makes a plan for each as for shapes. Sequences may be
 *  longer than needed; without it, all have the same number of steps. */
GG_PUBLIC int gg_scan_steps(gg_scan *s, gg_var *n);
/** Take the rows of sequences from the last to the first. */
GG_PUBLIC int gg_scan_backwards(gg_scan *s);
/** End the loop after the step whose `cond`, a scalar of the body, is not 0;
 * the number of steps bounds it. The host reads it after each step. */
GG_PUBLIC int gg_scan_until(gg_scan *s, gg_var *cond);
/** Let gradients go back over the last k steps only; k > 0. */
GG_PUBLIC int gg_scan_truncate(gg_scan *s, int64_t k);
/**@}*/

/** \name Results
 *  Once the loop is closed. `v` is a state or an output. */
/**@{*/
/** Close the loop. Errors, also kept in the graph: GA_VALUE_ERROR when it has
 *  no results or no number of steps, when a state has no next value or one of
 *  another type. Wrong sizes, as far as they are unknown, are errors of calls.
 */
GG_PUBLIC int gg_scan_close(gg_scan *s);
/** The values of all steps, in their order, as rows of a new first axis. Behind
 *  the end of a loop that ended early (gg_scan_until) rows are zeros. */
GG_PUBLIC gg_var *gg_scan_all(gg_scan *s, gg_var *v);
/** The value of the last step; of a state without steps, the initial one. */
GG_PUBLIC gg_var *gg_scan_last(gg_scan *s, gg_var *v);
/** How many steps there were, an int64 scalar. */
GG_PUBLIC gg_var *gg_scan_count(gg_scan *s);
/**@}*/

/** \name Short forms
 *  `fn` builds the body once, from the variables it is given and `arg`. */
/**@{*/
/** fn(x[0]), fn(x[1]), ... as rows. */
GG_PUBLIC gg_var *gg_map(gg_var *(*fn)(void *arg, gg_var *row), void *arg,
                         gg_var *x);
/** fn(... fn(fn(init, x[0]), x[1]) ...); what others call reduce or foldl. */
GG_PUBLIC gg_var *gg_fold(gg_var *(*fn)(void *arg, gg_var *so_far, gg_var *row),
                          void *arg, gg_var *init, gg_var *x);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
