/* SPDX-License-Identifier: BSD-2-Clause */
/* One table of uses of all ops. It serves tests of values and of gradients,
 * and timings. */
#ifndef SUPPORT_CASES_H
#define SUPPORT_CASES_H

#include <gpugraph/gpugraph.h>

#include "ops/ops.h"

/* Which dtypes an operand takes turns with; the same one for all operands of a
 * case that have the same set. */
#define REALS 1u    /* float16, float32, float64 */
#define INTEGERS 2u /* signed and unsigned */
#define BOOLS 4u
#define NUMBERS (REALS | INTEGERS)
#define CLASSES 8u /* int64 always */

typedef struct case_operand {
  unsigned int dtypes;
  double lo, hi; /* values lie in [lo, hi) */
  unsigned int nd;
  size_t dims[4];
} case_operand;

typedef struct op_case {
  const char *name;
  gg_var *(*build)(gg_var *const *x);
  unsigned int n_in;
  case_operand in[3];
  double tol; /* largest error in units of the result dtype's epsilon, relative
                 to the largest value */
  int gradient; /* nonzero if it has one to test */
} op_case;

/* The dtype of operand `in` in the turn of `dtype`, or -1 if it has none. */
static inline int case_dtype(const case_operand *in, int dtype) {
  const ga__kind kind = ga__dtype_kind(dtype);
  unsigned int set = INTEGERS;

  if (in->dtypes == CLASSES)
    return GA_LONG;
  if (in->dtypes == BOOLS)
    return GA_BOOL;
  if (kind == GA_KIND_FLOAT)
    set = REALS;
  if (kind == GA_KIND_BOOL)
    set = BOOLS;
  return in->dtypes & set ? dtype : -1;
}

extern const op_case op_cases[];
extern const size_t n_op_cases;

#endif
