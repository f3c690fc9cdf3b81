/* SPDX-License-Identifier: BSD-2-Clause */
/** \file report.h
 *  Seeing graphs, compiled functions and where the time goes.
 */
#ifndef GPUGRAPH_REPORT_H
#define GPUGRAPH_REPORT_H

#include <gpugraph/func.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Print variables as indented trees, each node once: "sigmoid [id A]
 *  float32[?]". What is inside of loops and choices comes behind them. */
GG_PUBLIC int gg_debugprint(FILE *f, unsigned int n, gg_var *const *vars);
/** Print variables of one graph as formulas, as "exp(x) / (1 + y)": a line for
 *  each, and lines "name = ..." before it for what has a name or is used more
 *  than once; %1, %2, ... are names of what has none. */
GG_PUBLIC int gg_pprint(FILE *f, unsigned int n, gg_var *const *vars);
/** Print a compiled function: its steps in order with ops, inputs, outputs and
 *  in-place marks, as text. */
GG_PUBLIC int gg_func_print(const gg_func *f, FILE *out);
/** Write the OpenCL C of the kernels that the last call ran, each behind a
 *  comment with its step; the prelude (cl/prelude.cl, cl/cluda.cl) is left out.
 *  Before the first call there is none. */
GG_PUBLIC int gg_func_print_kernels(const gg_func *f, FILE *out);
/** List the rewrites that fired while compiling, with counts. */
GG_PUBLIC int gg_func_print_rewrites(const gg_func *f, FILE *out);
/** Write the graph of variables, or the compiled steps, in Graphviz' dot
 *  language. Green inputs, cyan shared, blue outputs; kernels are boxes with
 *  the ops inside. */
GG_PUBLIC int gg_dot_graph(FILE *f, unsigned int n, gg_var *const *vars);
GG_PUBLIC int gg_func_dot(const gg_func *f, FILE *out);

/** Start or stop measuring kernels by device events (slows calls a little). */
GG_PUBLIC int gg_func_profile(gg_func *fn, int on);
/** Figures of one step of a compiled function. */
typedef struct gg_profile_row {
  const char *label;    /**< e.g. "map{exp, add}"; borrowed from the function */
  const char *provider; /**< "own", "clblast", "host", "transfer" */
  const char *device;   /**< gg_context_text of the context; borrowed */
  uint64_t calls;
  double seconds;      /**< device time over the calls; of a transfer that of
                            the slower device */
  double share;        /**< of all steps, 0 .. 1 */
  double bytes, flops; /**< moved and computed over the calls */
  const char *op;   /**< its class: "map", "reduction", "rows", "copy", or the
                         op's name */
  const char *file; /**< where the first node was built; NULL: not known */
  int line;
} gg_profile_row;
/** Fill up to `max` rows, the most expensive first. Returns how many there
 *  are. Waits for measured work to end. */
GG_PUBLIC size_t gg_func_profile_rows(gg_func *fn, gg_profile_row *rows,
                                      size_t max);
/** Tables: each step's calls, device time, share, bandwidth, flop/s, who
 * computes it and where it was built; the same added up by class of op ("map",
 * "dot"), by op ("map{exp, add}"), by place (device, host, transfer) and by
 * provider; time of the host and transfers within the calls; memory of
 * intermediate values with and without reuse; where float64 begins: inputs,
 * shared variables and what makes it of other dtypes; what compiling took phase
 * by phase and, of functions with GG_PROFILE, rule by rule: the 20 rules that
 * took longest, with how many nodes they looked at and how often they fired. */
GG_PUBLIC int gg_func_profile_print(gg_func *f, FILE *out);
/** The same as one JSON object, with all rules. */
GG_PUBLIC int gg_func_profile_json(gg_func *f, FILE *out);
/** A page of its own of variables that need not be compiled: their nodes, each
 *  to be opened for types, where it was built and links to its inputs. */
GG_PUBLIC int gg_graph_html(FILE *f, unsigned int n, gg_var *const *vars);
/** A page of its own: the steps in order, each to be opened for its nodes, with
 *  types, where they were built and, when it was measured, the profile with the
 *  groups of gg_func_profile_print. */
GG_PUBLIC int gg_func_html(gg_func *f, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
