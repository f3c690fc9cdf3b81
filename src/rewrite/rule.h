/* SPDX-License-Identifier: BSD-2-Clause */
/* Rewrite rules: small named functions that examine one node and may offer a
 * cheaper equal one. docs/rewrites.md lists them. Users register rules of the
 * same form (gpugraph/rewrite.h).
 *
 * From bottom to top; each file depends only on those before it:
 *
 *   rule.c         what a rule is, and what it may query
 *   rw_match.c     queries about variables, and building small nodes
 *   rw_factors.c   products as sets of factors
 *   rw_axes.c      reduced axes, and their counts of elements
 *   rw_distance.c  distances from a mean of the same elements
 *
 *   rw_fold.c      constants
 *   rw_shape.c     views, fills, sizes
 *   rw_reshape.c   reshapes
 *   rw_slice.c     slices and indices
 *   rw_arith.c     identities; signs and numbers move outwards
 *   rw_function.c  functions of one operand
 *   rw_stable.c    forms that do not overflow
 *   rw_erf.c       the error function
 *   rw_product.c   cancelling, multiplying out, common factors
 *   rw_sum.c       sums as sets of terms: merging
 *   rw_reduce.c    reductions
 *   rw_linear.c    factors and terms out of sums
 *   rw_blas.c      dot, gemv, gemm, ger with their factors
 *   rw_conv.c      what stands around convolutions
 *   rw_loop.c      loops
 *   rw_transfer.c  transfers between contexts
 *   rw_inspect.c   removal of prints and assertions, on request
 *   rw_bounds.c    checks of indices, on request
 *
 *   families.c     the table of the rules above
 *   registered.c   rules of users
 *   selection.c    which of them are selected
 *   improve.c      rules on one node
 *   rewrite.c      passes over the graph until nothing fires */
#ifndef REWRITE_RULE_H
#define REWRITE_RULE_H

#include <gpugraph/rewrite.h>

#include "ops/ops.h"
#include "rewrite/compiling.h"

/* The state of rewriting that rules may query. */
struct gg_rewriting {
  const gg__build *b;
  gg__order order; /* of the results before this pass */
  /* By id: how many nodes read the value. From n_before on these are variables
   * that this pass has made. */
  gg__uses uses;
  size_t n_before;
  GA_VEC(unsigned char) readers; /* by id: what reads it (rule.c) */
  GA_VEC(size_t) update;         /* by id: index of its update + 1, or 0 */
  /* The variable of the results that the present node replaces, or NULL. */
  const gg_var *stands_for;
  int is_guess; /* every variable counts as used once: would a rule fire? */
};

/* gg_rule_uses(), but 2 for all variables that are new in this pass: for rules
 * that would hide from others what these may yet simplify. */
unsigned int gg__settled_uses(const gg_rewriting *rw, const gg_var *v);

/* Count the reads of each value of the results, without those of its shape
 * alone, and find what reads it. */
int gg__find_uses(gg_rewriting *rw);
/* Did the results need v, or its shape, before this pass? */
int gg__is_needed(const gg_rewriting *rw, const gg_var *v);
/* Do only slices read v, and only maps those? */
int gg__is_read_by_slices(const gg_rewriting *rw, const gg_var *v);

/* Each list ends with a rule without a name. */
extern const gg_rule gg__rules_fold[], gg__rules_shape[], gg__rules_reshape[],
    gg__rules_slice[], gg__rules_arith[], gg__rules_function[],
    gg__rules_stable[], gg__rules_erf[], gg__rules_product[], gg__rules_sum[],
    gg__rules_reduce[], gg__rules_linear[], gg__rules_blas[], gg__rules_conv[],
    gg__rules_loop[], gg__rules_transfer[], gg__rules_inspect[],
    gg__rules_bounds[];

#endif
