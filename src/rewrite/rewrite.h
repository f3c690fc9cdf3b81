/* SPDX-License-Identifier: BSD-2-Clause */
/* Rewrite rules: small named functions that look at one node and may offer
 * something better to compute instead of it. docs/rewrites.md lists them.
 *
 *   selection.c    which rules are wanted
 *   families.c     the table of all rules
 *   rewrite.c      the engine: passes over the graph until nothing fires
 *   rw_match.c     what rules ask of a variable
 *   rw_fold.c      constants
 *   rw_arith.c     identities, signs and numbers outwards
 *   rw_function.c  functions of one operand
 *   rw_factors.c   products as sets of factors
 *   rw_product.c   cancelling, multiplying out, common factors
 *   rw_sum.c       sums as sets of terms: merging
 *   rw_stable.c    forms that do not overflow
 *   rw_erf.c       the error function
 *   rw_shape.c     views, fills, sizes
 *   rw_slice.c     slices and indices
 *   rw_reduce.c    reductions
 *   rw_linear.c    factors and terms out of sums
 *   rw_blas.c      dot, gemv, gemm, ger with their factors
 *   rw_loop.c      loops
 *   rw_transfer.c  transfers between contexts
 *   rw_inspect.c     prints and assertions left out, on request
 *   rw_bounds.c    indices that are checked, on request
 */
#ifndef REWRITE_REWRITE_H
#define REWRITE_REWRITE_H

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

/* A rewriting under way. */
typedef struct gg__rw gg__rw;

/* A rule looks at a node and returns what to compute instead of its output, or
 * NULL; of a node of several outputs the first of one that has as many. It may
 * return what does not fit: then nothing changes. */
typedef struct gg__rule {
  const char *name;
  const gg_op *root;   /* op of the nodes it looks at; NULL: any */
  unsigned int phases; /* GG_CANON, ... */
  /* One of the two: the first depends on nothing but what is below the node,
   * and so is asked once; the second may ask gg__rw_uses. */
  gg_var *(*apply)(gg_apply *a);
  gg_var *(*counted)(const gg__rw *rw, gg_apply *a);
} gg__rule;

/* Rules by subject; the list ends with a family without a name. */
typedef struct gg__family {
  const char *name;
  const gg__rule *rules;
  int on_request; /* rules that fire where they are included by name alone */
} gg__family;
extern const gg__family gg__families[];

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

/* The constant that an op of the host makes of constants (op_fold.c). */
gg_var *gg__fold_perform(gg_apply *a);

/* Replace every GG_OP_MACRO node below b->results by what it stands for. */
int gg__lower(gg__build *b);

/* --- rw_match.c --- */

/* The node of `op` that computes v, or NULL. */
static inline gg_apply *gg__node(const gg_var *v, const gg_op *op) {
  return v->owner != NULL && v->owner->op == op ? v->owner : NULL;
}

/* Integers below it are exact as doubles. */
#define GG_MAX_EXACT 9007199254740992.0

/* Nonzero and *value set if `v` is a constant of one element that a double
 * holds. Uniform ones become that wherever their shape does not matter. */
int gg__number(const gg_var *v, double *value);
/* Is `v` a number, and this one? */
int gg__is_number(const gg_var *v, double value);
/* May sums and products of the dtype be regrouped? float16 would overflow. */
int gg__regroups(const gg_var *v);
/* A signed integer or a float. */
int gg__is_signed(const gg_var *v);
/* Can constants of the dtype hold `c` without overflow, and without losing it
 * near zero or, for integers, at all? */
int gg__number_fits(int dtype, double c);
/* Axes that are not known to be 1, as bits. */
unsigned int gg__wide(const gg_var *v);
/* May `v` stand where a variable of type `want` stood: same dtype and rank, no
 * size that differs, and the same axes stretch? */
int gg__can_replace(const gg_type *want, const gg_var *v);
/* c v, 1 v and -1 v in their short forms. */
gg_var *gg__times(double c, gg_var *v);
/* If v is 1 - x, return x. */
gg_var *gg__one_minus(const gg_var *v);
/* If v is 1 + exp(u), return u. */
gg_var *gg__one_plus_exp(const gg_var *v);
/* Is one of u, v 1 minus the other? */
int gg__complements(gg_var *u, gg_var *v);
/* Apply the op and properties of `a` to other inputs. */
gg_var *gg__apply_like(const gg_apply *a, gg_var *const *in);

/* --- rw_bounds.c --- */

/* The same macro with its indices checked by a kernel, or `a` if it has none.
 * Failures stick to the graph. */
gg_apply *gg__with_index_guard(gg_apply *a);

/* --- rw_shape.c --- */

/* An older variable with the shape of v: an operand of the elementwise node
 * that computes it, or NULL. */
gg_var *gg__same_shape(const gg_var *v);

/* --- rw_reduce.c --- */

/* Are its elements finite for sure? Those of finite numbers, integers, and
 * integers as float32 or float64. */
int gg__is_finite(const gg_var *v);
/* A sum over the axes of `mask` of x, worked out as v: where they hold no
 * elements it is 0, and v may be NaN. */
gg_var *gg__zero_of_none(gg_var *v, gg_var *x, unsigned int mask);

/* Is v, which sum `a` could add up, a distance of x from its mean along the
 * axes of `a`? */
int gg__is_deviation(const gg_apply *a, const gg_var *v);

/* --- rw_arith.c --- */

/* -v in its canonical form: no neg where v has a sign that can be turned. */
gg_var *gg__opposite(gg_var *x);

#endif
