/* SPDX-License-Identifier: BSD-2-Clause */
/** \file scan.h
 *  Loops.
 *
 *  Build a loop around its body: open it, ask it for variables that change from
 *  iteration to iteration, compute with them, say what the states become, and
 *  close it. Everything else that the body uses (inputs, shared variables,
 *  earlier results) is the same in all iterations and needs no mention.
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
 *  used, no more values are kept than the taps look back. Loops have gradients
 *  (which are loops) of any order and forward derivatives, and loops may be
 *  nested.
 *
 *  Like all building functions, these accept NULL for an argument that failed,
 *  and the graph keeps the first error. Variables of the body can be used in
 *  the body only.
 */
#ifndef GPUGRAPH_SCAN_H
#define GPUGRAPH_SCAN_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A loop that is being built. Free it before or after its graph. One thread
 *  uses it. */
typedef struct gg_scan gg_scan;

/** Open a loop. NULL, with the error kept in the graph, when memory is out; the
 *  functions below accept that. */
GG_PUBLIC gg_scan *gg_scan_open(gg_graph *g);
/** Free the builder; variables stay. Accepts NULL. */
GG_PUBLIC void gg_scan_free(gg_scan *s);

/** \name What changes from iteration to iteration */
/**@{*/
/** x[t + tap], a row of x along its first axis. Ask again for other taps of the
 *  same x: the loop then runs where all of them exist; iteration 0 is the first
 *  such t. The number of iterations is the number of rows less the distance
 *  between the least and the greatest tap. */
GG_PUBLIC gg_var *gg_scan_sequence(gg_scan *s, gg_var *x, int tap);
/** The value that a state had one iteration ago; `init` in the first iteration.
 *  States keep dtype and shape. */
GG_PUBLIC gg_var *gg_scan_state(gg_scan *s, gg_var *init);
/** A state of which several earlier values are used: out[i] is the value
 *  -taps[i] iterations ago (taps are -1, -2, ...). The first axis of `init` has
 *  as many rows as the longest tap looks back, the latest row last. Returns
 *  out[0], which stands for the state in the functions below. */
GG_PUBLIC gg_var *gg_scan_state_taps(gg_scan *s, gg_var *init, unsigned int n,
                                     const int *taps, gg_var **out);
/** Set the value of a state in this iteration. Each state needs one. */
GG_PUBLIC int gg_scan_next(gg_scan *s, gg_var *state, gg_var *value);
/** Keep a value that is not a state. Returns y, which stands for it below. */
GG_PUBLIC gg_var *gg_scan_output(gg_scan *s, gg_var *y);
/**@}*/

/** \name How often */
/**@{*/
/** Set the number of iterations, an integer scalar that is known before
 *  anything runs: a constant, a size (gg_shape), an integer scalar that is an
 *  input, or computed from such. A function reads an input when it is called,
 *  blocks for that, and makes a plan for each value as for shapes. Sequences
 *  may be longer than needed. Without this call all sequences have the same
 *  number of iterations. */
GG_PUBLIC int gg_scan_steps(gg_scan *s, gg_var *n);
/** Take the rows of sequences from the last to the first. */
GG_PUBLIC int gg_scan_backwards(gg_scan *s);
/** End the loop after the iteration in which `cond`, a scalar of the body, is
 * not 0; the number of iterations is the bound. The host reads it after each
 * iteration, and calls block for that. */
GG_PUBLIC int gg_scan_until(gg_scan *s, gg_var *cond);
/** Let gradients go back over the last k iterations only; k > 0. */
GG_PUBLIC int gg_scan_truncate(gg_scan *s, int64_t k);
/**@}*/

/** \name Results
 *  For closed loops. `v` is a state or an output. */
/**@{*/
/** Close the loop. Errors, also kept in the graph: GA_VALUE_ERROR when it has
 *  no results or no number of iterations, or when a state has no next value or
 *  one of another type. Sizes that are unknown now are checked by calls.
 */
GG_PUBLIC int gg_scan_close(gg_scan *s);
/** The values of all iterations, in their order, as rows of a new first axis.
 *  Rows behind the end of a loop that ended early (gg_scan_until) are zeros. */
GG_PUBLIC gg_var *gg_scan_all(gg_scan *s, gg_var *v);
/** The value of the last iteration; for a state of a loop without iterations,
 * the initial one. */
GG_PUBLIC gg_var *gg_scan_last(gg_scan *s, gg_var *v);
/** The number of iterations that ran, an int64 scalar. */
GG_PUBLIC gg_var *gg_scan_count(gg_scan *s);
/**@}*/

/** \name Short forms
 *  `fn` builds the body once, from the variables it is given and `arg`. */
/**@{*/
/** fn(x[0]), fn(x[1]), ... as rows. */
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
