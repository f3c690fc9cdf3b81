/* SPDX-License-Identifier: BSD-2-Clause */
/* Rewrite rules: small named functions that examine one node and may offer a
 * cheaper equal one. docs/rewrites.md lists them.
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
 *   families.c     the table of all rules
 *   selection.c    which of them are selected
 *   improve.c      rules on one node
 *   rewrite.c      passes over the graph until nothing fires */
#ifndef REWRITE_RULE_H
#define REWRITE_RULE_H

#include "ops/ops.h"
#include "rewrite/compile.h"

/* When a rule is tried; bits. */
enum {
  GG_CANON = 1,  /* always: a single form for equal things */
  GG_STABLE = 2, /* before macros are lowered: forms that do not overflow */
  GG_SHIFT = 4,  /* in a single pass, as the result contains the pattern of the
                    rule */
  GG_EARLY = 8,  /* before GG_LATE: forms that are easy to compare */
  GG_LATE = 16   /* when forms no longer change: cheaper ops, BLAS */
};

/* The state of rewriting that rules may query. */
typedef struct gg__rw {
  const gg__build *b;
  gg__order order; /* order and uses of the results before this pass */
  gg__uses uses;
  GA_VEC(size_t) update; /* by id: index of its update + 1, or 0 */
  /* The variable of the results that the present node replaces, or NULL. */
  const gg_var *stands_for;
  int is_guess; /* every variable counts as used once: would a rule fire? */
} gg__rw;

/* A rule examines a node. It returns a replacement of its output, or NULL. For
 * a node of several outputs it returns the first output of a node that has as
 * many. A replacement that does not fit is ignored. */
typedef struct gg__rule {
  const char *name;
  const gg_op *const *roots; /* ops that it applies to, up to NULL; NULL: any
                                op */
  unsigned int phases;       /* GG_CANON, ... */
  /* Exactly one of these is set. `apply` depends only on what is below the
   * node, and so is tried once. `counted` may query gg__rw_uses. */
  gg_var *(*apply)(gg_apply *a);
  gg_var *(*counted)(const gg__rw *rw, gg_apply *a);
} gg__rule;

#define GG_ROOTS(...)                                                          \
  (const gg_op *const[]) {                                                     \
    __VA_ARGS__, NULL                                                          \
  }
/* A rule for the ops after `apply`; the same with uses; a rule for any op. */
#define GG_RULE(name, phases, apply, ...)                                      \
  { name, GG_ROOTS(__VA_ARGS__), phases, apply, NULL }
#define GG_RULE_COUNTED(name, phases, counted, ...)                            \
  { name, GG_ROOTS(__VA_ARGS__), phases, NULL, counted }
#define GG_RULE_ANY(name, phases, apply)                                       \
  { name, NULL, phases, apply, NULL }

/* Each list ends with a rule without a name. */
extern const gg__rule gg__rules_fold[], gg__rules_shape[], gg__rules_slice[],
    gg__rules_arith[], gg__rules_function[], gg__rules_stable[],
    gg__rules_erf[], gg__rules_product[], gg__rules_sum[], gg__rules_reduce[],
    gg__rules_linear[], gg__rules_blas[], gg__rules_conv[], gg__rules_loop[],
    gg__rules_transfer[], gg__rules_inspect[], gg__rules_bounds[];

/* How many uses `v` has below the results; 2 for a variable that is new in this
 * pass. */
unsigned int gg__rw_uses(const gg__rw *rw, const gg_var *v);
/* Is the present node the new value of shared variable `v`? */
int gg__rw_updates(const gg__rw *rw, const gg_var *v);

#endif
