/* SPDX-License-Identifier: BSD-2-Clause */
/** \file rewrite.h
 *  Rewrite rules of your own. The built-in ones (docs/rewrites.md) have the
 *  same form, and the same code applies them.
 *
 *      // log(1 + exp(x)) is one node of an op of mine
 *      static gg_var *log_of_sum(gg_apply *a) {
 *        gg_apply *sum = gg_node_named(a->in[0], "add");
 *        gg_apply *e = sum != NULL ? gg_node_named(sum->in[1], "exp") : NULL;
 *        double c;
 *        if (e == NULL || !gg_var_uniform(sum->in[0], &c) || c != 1)
 *          return NULL;
 *        return gg_op_elemwise(&my_op, NULL, 1, e->in);
 *      }
 *
 *      static const gg_rule rules[] = {
 *          GG_RULE_NAMED("log(1 + exp(x))", GG_STABLE, log_of_sum, "log"),
 *          {0}};
 *      static const gg_rule_family family = {.name = "mine", .rules = rules};
 *
 *      gg_rules_register(&family);
 *
 *  From then on every function compiled with GG_FAST_RUN applies the rule.
 *  `exclude` and `include` of gg_func_spec take the names of rules and
 *  families, and gg_func_print_rewrites shows which rules fired.
 */
#ifndef GPUGRAPH_REWRITE_H
#define GPUGRAPH_REWRITE_H

#include <gpugraph/op.h>

#ifdef __cplusplus
extern "C" {
#endif

/** When a rule is tried; to be combined with |. A function is rewritten in
 *  stages: GG_CANON, GG_STABLE and GG_EARLY; GG_SHIFT; lowering of macros;
 *  GG_CANON and GG_EARLY; GG_CANON and GG_LATE. In each stage but GG_SHIFT
 *  passes over the graph repeat until no rule fires. */
typedef enum gg_rule_phase {
  GG_CANON = 1,  /**< always: a single form for equal things */
  GG_STABLE = 2, /**< before macros are lowered: forms that do not overflow */
  GG_SHIFT = 4,  /**< in a single pass: the result contains the pattern of the
                      rule */
  GG_EARLY = 8,  /**< before GG_LATE: forms that are easy to compare */
  GG_LATE = 16   /**< when forms no longer change: cheaper ops, BLAS */
} gg_rule_phase;

/** The state of the rewriting that a rule takes part in. */
typedef struct gg_rewriting gg_rewriting;

/** A rule examines a node and what is below it. It returns a replacement for
 *  output 0 of the node, built with any function of the library that builds,
 *  or NULL. For a node of several outputs it returns output 0 of a node that
 *  has as many. Inputs of the node are in their final form for this pass, and
 *  operands that commute are in order: constants, scalars, others.
 *
 *  A replacement has the dtype and rank of what it replaces, size 1 along the
 *  same axes, and no other size where sizes are known. It depends on what is
 *  below the node and on new constants alone. An offer that does not fit is
 *  refused, also when it makes inputs or shared variables or when a builder
 *  fails. Then other rules get their turn, and the node counts as "refused" in
 *  gg_func_print_rewrites; `trace` of the spec says why.
 *
 *  A rule must compute equal values, which GG_DEBUG checks; it depends on
 *  nothing but its arguments, keeps no variable, and neither frees nor compiles
 *  the graph. Threads may compile at the same time. Rules that undo each other,
 *  or whose result contains their pattern, end with the passes or when the
 *  graph has grown to many times its size; such a stage is counted as
 *  "unsettled".  */
typedef struct gg_rule {
  const char *name; /**< not that of another rule or family */
  /** Ops that it applies to, up to NULL; NULL: none. */
  const gg_op *const *roots;
  unsigned int phases; /**< GG_CANON, ... */
  /** Exactly one of these two is set. `apply` depends only on what is below the
   *  node, and so is tried once. `counted` may ask the functions below, and is
   *  tried in every pass. It is also called to find out if it would fire. */
  gg_var *(*apply)(gg_apply *a);
  gg_var *(*counted)(const gg_rewriting *rw, gg_apply *a);
  /** More of them by name, up to NULL: built-in ops, and those of
   *  gg_op_register. Without `roots` and names the rule applies to any op. */
  const char *const *root_names;
} gg_rule;

/** Rules by subject, in the order in which they are tried. The list ends with
 *  a rule without a name. */
typedef struct gg_rule_family {
  const char *name;
  const gg_rule *rules;
  int on_request; /**< they apply only if the spec includes them */
  int any_dtype;  /**< they hold for complex numbers, too */
} gg_rule_family;

/** Register a family for all functions that are compiled from now on. It must
 *  stay valid, unchanged, until the process ends. Its rules are tried before
 *  the built-in ones, those of families registered earlier first. Registering
 *  it again is accepted. Any thread may call this. GA_VALUE_ERROR for a family
 *  that breaks the rules above, for unknown names of ops, and for a name of a
 *  rule or family that is taken; nothing is registered then. */
GG_PUBLIC int gg_rules_register(const gg_rule_family *family);

/** \name Tables of rules
 *  In C only, and outside of functions. */
/**@{*/
/** A rule for the ops after the function: pointers, or names in quotes. */
#define GG_RULE(rule, when, function, ...)                                     \
  {                                                                            \
    .name = rule, .phases = when, .apply = function,                           \
    .roots = (const gg_op *const[]) {                                          \
      __VA_ARGS__, NULL                                                        \
    }                                                                          \
  }
#define GG_RULE_NAMED(rule, when, function, ...)                               \
  {                                                                            \
    .name = rule, .phases = when, .apply = function,                           \
    .root_names = (const char *const[]) {                                      \
      __VA_ARGS__, NULL                                                        \
    }                                                                          \
  }
/** The same with a `counted` function. */
#define GG_RULE_COUNTED(rule, when, function, ...)                             \
  {                                                                            \
    .name = rule, .phases = when, .counted = function,                         \
    .roots = (const gg_op *const[]) {                                          \
      __VA_ARGS__, NULL                                                        \
    }                                                                          \
  }
/** A rule for any op. */
#define GG_RULE_ANY(rule, when, function)                                      \
  { .name = rule, .phases = when, .apply = function }
/**@}*/

/** \name What rules may ask
 *  Also gg_var_owner, gg_var_type, gg_var_uniform, gg_var_data (op.h), the
 *  members of the node, and its properties by gg_op_form_of (save.h). */
/**@{*/
/** The node that computes `v` if its op has this name; else NULL. NULL for
 *  NULL. */
GG_PUBLIC gg_apply *gg_node_named(const gg_var *v, const char *op);
/** How many nodes below the results read the value of `v`, not just its shape.
 *  Copies of nodes that this pass makes because their inputs have changed have
 *  the uses of these nodes. 2 for other variables that are new in this pass. */
GG_PUBLIC unsigned int gg_rule_uses(const gg_rewriting *rw, const gg_var *v);
/** Is the present node the new value of shared variable `v`? */
GG_PUBLIC int gg_rule_updates(const gg_rewriting *rw, const gg_var *v);
/**@}*/

/** \name Ready-made functions of rules
 *  For tables of your own: an op f with such a property is named as a root. */
/**@{*/
/** f(-x) and f(abs(x)) become f(x): f has one operand and is even. */
GG_PUBLIC gg_var *gg_rule_even(gg_apply *a);
/** f(-x) becomes -f(x): f has one operand and is odd. */
GG_PUBLIC gg_var *gg_rule_odd(gg_apply *a);
/** f(f(x)) becomes x, and f(f(x, p), p) does. */
GG_PUBLIC gg_var *gg_rule_own_inverse(gg_apply *a);
/** f(f(x)) becomes f(x), and f(f(x, p), p) becomes f(x, p). */
GG_PUBLIC gg_var *gg_rule_idempotent(gg_apply *a);
/** f(x, ...) becomes x. */
GG_PUBLIC gg_var *gg_rule_first_operand(gg_apply *a);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
