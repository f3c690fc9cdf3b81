/* SPDX-License-Identifier: BSD-2-Clause */
/* Formulas: how a cumulation combines two neighbouring runs of elements.
 *
 * A formula is an expression of elementwise nodes over constants and nodes of
 * run_value, which stand for the values of both runs. It is never computed as
 * an array: kernels contain its code. */
#ifndef OPS_ORDER_FORMULA_H
#define OPS_ORDER_FORMULA_H

#include <gpugraph/op.h>

#include "base/strb.h"
#include "base/vec.h"

enum { GG_RUN_VALUES = 4, GG_RUN_BEFORE = 0, GG_RUN_AFTER = 1 };

/* n formulas, one for each value. */
typedef struct gg__formulas {
  unsigned int n;
  gg_var *roots[GG_RUN_VALUES];
  GA_VEC(const gg_apply *) nodes; /* operands before users */
  /* The variables that stand for value k of the run before and of that after
   * it; NULL where no formula has it. */
  gg_var *run[GG_RUN_VALUES][2];
  int is_vector; /* all code obeys GE_VECTOR */
} gg__formulas;

/* Read the formulas of the node `a`: n inputs from in[n] on. Macros are only
 * allowed with `may_lower`. The caller clears *f in any case. Errors are those
 * of `a`. */
int gg__formulas_read(gg__formulas *f, const gg_apply *a, int may_lower);
void gg__formulas_clear(gg__formulas *f);

/* The name of value k in kernels, where its formula is the statement "name =
 * ...", and its runs are name_a and name_b. */
const char *gg__run_name(unsigned int k);
/* Append the statements that combine. */
void gg__formulas_write(const gg__formulas *f, ga__strb *b);
/* Combine on the host: to[k] from run[k][...]. `room` has f->nodes.n elements.
 * 0 if the host has no code for a node. */
int gg__formulas_eval(const gg__formulas *f, double (*run)[2], double *room,
                      double *to);

#endif
