/* SPDX-License-Identifier: BSD-2-Clause */
/** \file report.h
 *  Show graphs, compiled functions and profiles.
 */
#ifndef GPUGRAPH_REPORT_H
#define GPUGRAPH_REPORT_H

#include <gpugraph/func.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Print variables as indented trees, each node once: "sigmoid [id A]
 *  float32[?]". Inner graphs of loops and choices follow their node. */
GG_PUBLIC int gg_debugprint(FILE *f, unsigned int n, gg_var *const *vars);
/** Print variables of one graph as formulas, as "exp(x) / (1 + y)": a line for
 *  each, after lines "name = ..." for variables that have a name or are used
 *  more than once. Variables without a name are %1, %2, ... */
GG_PUBLIC int gg_pprint(FILE *f, unsigned int n, gg_var *const *vars);
/** Print a compiled function: its steps in order with ops, inputs, outputs and
 *  in-place marks, as text. */
GG_PUBLIC int gg_func_print(const gg_func *f, FILE *out);
/** Write the OpenCL C of the kernels that the last call ran, each after a
 *  comment with its step, without the prelude (cl/prelude.cl, cl/cluda.cl).
 *  Writes nothing before the first call. */
GG_PUBLIC int gg_func_print_kernels(const gg_func *f, FILE *out);
/** List the rewrites that fired while compiling, with counts. */
GG_PUBLIC int gg_func_print_rewrites(const gg_func *f, FILE *out);
/** Write the graph of variables, or the compiled steps, in Graphviz' dot
 *  language. Inputs are green, shared variables cyan, outputs blue; kernels are
 *  boxes with the ops inside. */
GG_PUBLIC int gg_dot_graph(FILE *f, unsigned int n, gg_var *const *vars);
GG_PUBLIC int gg_func_dot(const gg_func *f, FILE *out);

/** Start or stop measuring kernels with device events, which slows calls a
 *  little. */
GG_PUBLIC int gg_func_profile(gg_func *fn, int on);
/** Figures of one step of a compiled function. */
typedef struct gg_profile_row {
  const char *label;    /**< e.g. "map{exp, add}"; borrowed from the function */
  const char *provider; /**< "own", "clblast", "direct", "host",
                             "transfer" */
  const char *device;   /**< gg_context_text of the context; borrowed */
  uint64_t calls;
  double seconds;      /**< device time over the calls; for a transfer that of
                            the slower device */
  double share;        /**< of all steps, 0 .. 1 */
  double bytes, flops; /**< moved and computed over the calls */
  const char *op;   /**< class: "map", "reduction", "rows", "copy", or the op's
                         name */
  const char *file; /**< site of the first node; NULL: unknown */
  int line;
  uint64_t made; /**< kernels that plans set up anew for this step, instead of
                      taking them over from an older plan; it grows with every
                      plan where a family cannot take kernels over */
  unsigned int depth; /**< loops and choices that the step is inside of; its
                           `seconds` and `made` are a part of theirs */
} gg_profile_row;
/** Fill up to `max` rows, the most expensive first. Behind the row of a loop or
 *  a choice stand those of the steps inside of it, in the same order; `calls`
 *  counts iterations there, or loops if one kernel runs all iterations. Returns
 *  how many there are, 0 on failure. Blocks until measured work has ended. */
GG_PUBLIC size_t gg_func_profile_rows(gg_func *fn, gg_profile_row *rows,
                                      size_t max);
/** What calls have waited for at one value: an integer that a size, a bound or
 *  a number of iterations depends on, and which the host reads from the device
 *  before it plans what follows; or the condition of a loop or a choice. */
typedef struct gg_profile_wait {
  const char *label; /**< its name, or the op that computes it; for conditions
                          "scan" or "ifelse"; borrowed from the function */
  const char *file;  /**< its site; NULL: unknown */
  int line;
  uint64_t calls; /**< how often the host has waited */
  double seconds; /**< how long, by the clock of the host: until the work that
                       computes the value had ended and the value was read */
} gg_profile_wait;
/** Fill up to `max` rows, the longest waits first. Returns how many there are,
 *  0 on failure. Does not block. */
GG_PUBLIC size_t gg_func_profile_waits(gg_func *fn, gg_profile_wait *waits,
                                       size_t max);
/** Write tables:
 *  - each step's calls, device time, share, bandwidth, flop/s, provider, site
 *  - sums by class of op ("map", "dot"), by op ("map{exp, add}"), by where it
 *    runs (device, host, transfer) and by provider
 *  - host time of the calls, and transfers within them
 *  - the values that calls waited for, how often and how long
 *  - memory of temporaries, with and without sharing
 *  - where float64 begins: inputs, shared variables, and nodes that make it
 *    from other dtypes
 *  - compile time by phase; for functions with GG_PROFILE also of the 20
 *    slowest rules, with how many nodes they visited and how often they fired
 */
GG_PUBLIC int gg_func_profile_print(gg_func *f, FILE *out);
/** Write the same as one JSON object, with all rules. */
GG_PUBLIC int gg_func_profile_json(gg_func *f, FILE *out);
/** Write an HTML page of variables, which need not be compiled. It lists their
 *  nodes; each opens to show types, site and links to its inputs. */
GG_PUBLIC int gg_graph_html(FILE *f, unsigned int n, gg_var *const *vars);
/** Write an HTML page of a compiled function. It lists the steps in order; each
 *  opens to show its nodes with types and sites, and sizes if there was a call.
 *  If calls were measured, it has the profile with the sums and
 *  the waits of gg_func_profile_print. */
GG_PUBLIC int gg_func_html(gg_func *f, FILE *out);

/** A line of a chart. */
typedef struct gg_curve {
  const char *name;
  const char *chart;    /**< its title; curves of one chart share its axes */
  const double *values; /**< gg_curves.points of them; what is not finite leaves
                             a gap */
} gg_curve;

/** A page about a training. Members that are 0 or NULL are left out. */
typedef struct gg_curves {
  const char *title;
  const char *text;    /**< a paragraph below it */
  unsigned int reload; /**< seconds after which browsers read the page again */
  size_t points, n_curves;
  const gg_curve *curves;
  /** [classes, classes]: how often each class (a row) was taken for each
   *  (gg_confusion). */
  const double *confusion;
  size_t classes;
  const char *const *class_names; /**< NULL: numbers */
  gg_func *step; /**< its 10 slowest steps are listed, if they were measured */
  const char *step_page; /**< a page to link to, such as that of gg_func_html */
} gg_curves;

/** Write it in HTML, with curves as pictures in it. GA_INVALID_ERROR for NULL,
 *  GA_SYS_ERROR if writing fails. */
GG_PUBLIC int gg_curves_html(const gg_curves *page, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
