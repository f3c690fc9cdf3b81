/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of indices and edges before use, in functions with GG_BOUNDS_GUARD.
 * They are added before macros are lowered, so that messages have the names of
 * what the user built; lowering passes the checked indices on.
 *
 * In functions that guard indices, kernels that index or search check them
 * themselves. Only macros that compute with indices, and ops whose kernels do
 * not check, get a kernel for it. */
#include "rewrite/rw_bounds.h"

#include "rewrite/rw_match.h"

enum { OF_PROPS = -1 };

/* Ops whose operand `index` holds positions along an axis of operand `rows`,
 * and their names for users. OF_PROPS: the axis is the first member of their
 * properties. */
typedef struct indexing {
  const gg_op *op;
  const char *name;
  unsigned int index, rows;
  int64_t axis, from_end; /* from_end: do negative indices count from the
                             end? */
} indexing;

static const indexing cases[] = {
    {&gg__op_take, "take", 1, 0, OF_PROPS, 1},
    {&gg__op_take_grad, "take", 1, 0, OF_PROPS, 1},
    {&gg__op_put, "put", 1, 0, OF_PROPS, 1},
    {&gg__op_crossentropy, "crossentropy", 1, 0, 1, 0},
    {&gg__op_crossentropy_grad, "crossentropy", 2, 1, 1, 0},
    {&gg__op_softmax_xent, "crossentropy", 1, 0, 1, 0},
    {&gg__op_softmax_xent_grad, "crossentropy", 2, 1, 1, 0},
    {&gg__op_csr_dot, "csr_dot", 1, 3, 0, 0},
    {&gg__op_roi_pool, "roi_pool", 2, 0, 0, 1},
};

enum { MOST_OPERANDS = 4 };

static const indexing *find_case(const gg_op *op) {
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    if (cases[i].op == op)
      return &cases[i];
  return NULL;
}

static int is_checked(const gg_var *index) {
  return gg__node(index, &gg__op_check_index) != NULL ||
         gg__node(index, &gg__op_guard_index) != NULL;
}

/* `a` with its indices passed through `check`; NULL if there are none or they
 * are checked. */
static gg_var *with_check(gg_apply *a, const gg_op *check) {
  const indexing *x = find_case(a->op);
  gg_var *in[MOST_OPERANDS] = {NULL};

  if (x == NULL || is_checked(a->in[x->index]))
    return NULL;
  GA_ASSERT(a->n_in <= MOST_OPERANDS && x->index < a->n_in &&
            x->rows < a->n_in);
  for (unsigned int i = 0; i < a->n_in; i++)
    in[i] = a->in[i];
  const int64_t axis =
      x->axis == OF_PROPS ? *(const unsigned int *)a->props : x->axis;
  in[x->index] = gg__check_index(check, x->name, a->in[x->index],
                                 a->in[x->rows], axis, x->from_end);
  return in[x->index] != NULL ? gg__apply_like(a, in) : NULL;
}

static gg_var *check_index(gg_apply *a) {
  return with_check(a, &gg__op_check_index);
}

int gg__lacks_index_guard(const gg_apply *a) {
  return a->op == &gg__op_roi_pool && !is_checked(a->in[2]);
}

gg_apply *gg__with_index_guard(gg_apply *a) {
  gg_var *v = with_check(a, &gg__op_guard_index);

  return v != NULL ? v->owner : a;
}

/* `a` with the edges among its operands checked. */
static gg_var *check_edges(gg_apply *a) {
  gg_var *in[MOST_OPERANDS] = {NULL};
  const unsigned int at = a->op == &gg__op_histogram ? 1 : 0;

  if (gg__node(a->in[at], &gg__op_check_edges) != NULL)
    return NULL;
  GA_ASSERT(a->n_in <= MOST_OPERANDS && at < a->n_in);
  for (unsigned int i = 0; i < a->n_in; i++)
    in[i] = a->in[i];
  in[at] = gg__check_edges(a->op->name, a->in[at]);
  return in[at] != NULL ? gg__apply_like(a, in) : NULL;
}

const gg_rule gg__rules_bounds[] = {
    GG_RULE_ANY("check index", GG_STABLE, check_index),
    GG_RULE("check edges", GG_STABLE, check_edges, &gg__op_searchsorted,
            &gg__op_histogram),
    {0}};
