/* SPDX-License-Identifier: BSD-2-Clause */
/* Which sizes may follow from data. A number that a kernel computes does, and
 * so do an array's sizes if such a number or such an array decides them. The
 * others are known when a call begins: they follow from shapes and integer
 * arguments. Where it is not clear, the answer is yes. */
#include "graph/inner.h"

/* Can the host compute the node's scalar from those of its inputs? */
static int passes_numbers(const gg_apply *a) {
  return a->op->kind == GG_OP_ELEMWISE || a->op->kind == GG_OP_VIEW ||
         a->op->kind == GG_OP_MACRO || a->op->kind == GG_OP_TRANSFER ||
         a->op->kind == GG_OP_SHAPE;
}

static int scalar_is_by_data(const gg_apply *a) {
  int any = !passes_numbers(a);

  for (unsigned int i = 0; i < a->n_in && !any; i++) {
    const gg_var *v = a->in[i];
    const int is_element = v->type.nd != 0 && v->owner != NULL &&
                           a->op->kind != GG_OP_SHAPE &&
                           !gg_apply_shape_only(a, i);
    any = v->by_data || is_element;
  }
  return any;
}

static int has_open_size(const gg_type *t) {
  for (unsigned int k = 0; k < t->nd; k++)
    if (t->dims[k] == GG_ANY)
      return 1;
  return 0;
}

/* Only arrays decide sizes, and scalars that the host needs. A macro may become
 * either. */
static int decides_sizes(const gg_apply *a, unsigned int i) {
  return a->in[i]->type.nd != 0 || gg__number_only(a, i) ||
         a->op->kind == GG_OP_MACRO;
}

static int array_is_by_data(const gg_apply *a) {
  const gg__inner *x = gg__inner_of(a);

  for (unsigned int i = 0; i < a->n_in; i++)
    if (a->in[i]->by_data && decides_sizes(a, i))
      return 1;
  for (unsigned int i = 0; x != NULL && i < x->n_out; i++)
    if (x->out[i]->by_data && x->out[i]->type.nd != 0)
      return 1;
  return 0;
}

/* All outputs of a node have the same answers: loops have many. */
void gg__find_by_data(const gg_apply *a) {
  const unsigned char scalars = (unsigned char)scalar_is_by_data(a);
  const unsigned char arrays = (unsigned char)array_is_by_data(a);

  for (unsigned int i = 0; i < a->n_out; i++) {
    gg_var *v = a->out[i];

    v->by_data = v->type.nd == 0           ? scalars
                 : has_open_size(&v->type) ? arrays
                                           : 0;
  }
}
