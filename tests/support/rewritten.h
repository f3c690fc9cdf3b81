/* SPDX-License-Identifier: BSD-2-Clause */
/* Rewriting without compiling: results before and after, as text and values. */
#ifndef SUPPORT_REWRITTEN_H
#define SUPPORT_REWRITTEN_H

#include "expr.h"
#include "rewrite/compiling.h"

/* Start with a graph of NULL context that stays the caller's, whose results are
 * variables of it. */
void rewrite_begin(gg__build *b, gg_graph *g, gg_mode mode);
/* Ask for `v`. Outputs come before updates. */
void rewrite_output(gg__build *b, gg_var *v);
/* `v` is the new value of leaf `target`. */
void rewrite_update(gg__build *b, gg_var *target, gg_var *v);
/* Rewrite, failing the running test on errors, macros that are left, and types
 * that changed. */
void rewrite_run(gg__build *b);
void rewrite_end(gg__build *b);

/* Check that the first result is this text now, and that no rule was refused or
 * left for later. */
void rewrite_assert(const gg__build *b, const char *after);
/* How often the rule fired. */
unsigned int rewrite_fired(const gg__build *b, const char *rule);
/* Apply nodes below the results, or those of one op. */
unsigned int rewrite_count(const gg__build *b, const gg_op *op);

/* A rule by example: `before` becomes `after` (texts of expr.h, `after` as
 * written by expr_text). */
typedef struct rewrite_case {
  const char *rule;
  const char *before;
  const char *after;
} rewrite_case;

/* Check that the rule fires, what comes of it, and that values for reals in
 * [0.1, 0.9) are the same, also where there are none. */
void rewrite_check(const rewrite_case *c);
/* All of them. */
void rewrite_check_all(const rewrite_case *c, size_t n);
/* Check the values alone. */
void rewrite_check_values(const char *text);
/* Check that nothing changes. */
void rewrite_check_kept(const char *text);
void rewrite_check_all_kept(const char *const *texts, size_t n);
/* A program's tests, where it has nothing but these two lists; for main(). */
int rewrite_main(const rewrite_case *c, size_t n, const char *const *kept,
                 size_t n_kept);
/* Check that after rewriting all values are finite for reals in [lo, hi). */
void rewrite_check_finite(const char *text, double lo, double hi);

#endif
