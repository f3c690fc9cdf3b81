/* SPDX-License-Identifier: BSD-2-Clause */
/* Rewrite rules: small named functions that look at one node and may offer
 * something better to compute instead of it. docs/rewrites.md lists them.
 *
 * From bottom to top, each file knows only those before it:
 *
 *   rule.c         what a rule is, and what it may ask of the rewriting
 *   rw_match.c     what rules ask of a variable, and small nodes they build
 *   rw_factors.c   products as sets of factors
 *   rw_axes.c      reduced axes, and how many elements they hold
 *   rw_distance.c  distances from what a sum of the same elements gave
 *
 *   rw_fold.c      constants
 *   rw_shape.c     views, fills, sizes
 *   rw_slice.c     slices and indices
 *   rw_arith.c     identities, signs and numbers outwards
 *   rw_function.c  functions of one operand
 *   rw_stable.c    forms that do not overflow
 *   rw_erf.c       the error function
 *   rw_product.c   cancelling, multiplying out, common factors
 *   rw_sum.c       sums as sets of terms: merging
 *   rw_reduce.c    reductions
 *   rw_linear.c    factors and terms out of sums
 *   rw_blas.c      dot, gemv, gemm, ger with their factors
 *   rw_loop.c      loops
 *   rw_transfer.c  transfers between contexts
 *   rw_inspect.c   prints and assertions left out, on request
 *   rw_bounds.c    indices that are checked, on request
 *
 *   families.c     the table of all rules
 *   selection.c    which of them are wanted
 *   improve.c      rules on one node
 *   rewrite.c      passes over the graph until nothing fires */
#ifndef REWRITE_RULE_H
#define REWRITE_RULE_H

#include "ops/ops.h"
#include "rewrite/compile.h"

/* When a rule is tried; bits. */
enum {
  GG_CANON = 1,  /* always: one form for things that are equal */
  GG_STABLE = 2, /* while macros stand: forms that do not overflow */
  GG_SHIFT = 4,  /* one pass: the result contains what the rule looks for */
  GG_EARLY = 8,  /* before GG_LATE: forms that are easy to compare */
  GG_LATE = 16   /* when the form is settled: cheaper ops, BLAS */
};

/* A rewriting under way, as far as rules may ask about it. */
typedef struct gg__rw {
  const gg__build *b;
  gg__order order; /* of the results before this pass, with their uses */
  gg__uses uses;
  GA_VEC(size_t) update; /* by id of a shared variable: its update + 1, or 0 */
  /* What the node at hand takes the place of in the results, or NULL. */
  const gg_var *stands_for;
  int is_guess; /* what might a rule do if everything were used once? */
} gg__rw;

/* A rule looks at a node and returns what to compute instead of its output, or
 * NULL; of a node of several outputs the first of one that has as many. It may
 * return what does not fit: then nothing changes. */
typedef struct gg__rule {
  const char *name;
  const gg_op *const *roots; /* ops of its nodes, up to NULL; NULL: any op */
  unsigned int phases;       /* GG_CANON, ... */
  /* One of the two: the first depends on nothing but what is below the node,
   * and so is asked once; the second may ask gg__rw_uses. */
  gg_var *(*apply)(gg_apply *a);
  gg_var *(*counted)(const gg__rw *rw, gg_apply *a);
} gg__rule;

#define GG_ROOTS(...)                                                          \
  (const gg_op *const[]) {                                                     \
    __VA_ARGS__, NULL                                                          \
  }
/* A rule for nodes of the ops behind it; with uses; for nodes of any op. */
#define GG_RULE(name, phases, apply, ...)                                      \
  { name, GG_ROOTS(__VA_ARGS__), phases, apply, NULL }
#define GG_RULE_COUNTED(name, phases, counted, ...)                            \
  { name, GG_ROOTS(__VA_ARGS__), phases, NULL, counted }
#define GG_RULE_ANY(name, phases, apply)                                       \
  { name, NULL, phases, apply, NULL }

/* Each ends with a rule without a name. */
extern const gg__rule gg__rules_fold[], gg__rules_shape[], gg__rules_slice[],
    gg__rules_arith[], gg__rules_function[], gg__rules_stable[],
    gg__rules_erf[], gg__rules_product[], gg__rules_sum[], gg__rules_reduce[],
    gg__rules_linear[], gg__rules_blas[], gg__rules_loop[],
    gg__rules_transfer[], gg__rules_inspect[], gg__rules_bounds[];

/* How often `v` is used below the results; 2 for variables that are new in this
 * pass. */
unsigned int gg__rw_uses(const gg__rw *rw, const gg_var *v);
/* Is the node at hand the new value of shared variable `v`? */
int gg__rw_updates(const gg__rw *rw, const gg_var *v);

#endif
