/* SPDX-License-Identifier: BSD-2-Clause */
/* Sparse matrices of variables, for ops and builders. */
#ifndef OPS_SPARSE_CSR_H
#define OPS_SPARSE_CSR_H

#include <gpugraph/sparse.h>

#include "ops/compose.h"

static inline int gg__dtype_of(const gg_var *v) {
  return gg_var_type(v)->dtype;
}

/* What builders of matrices return after an error. */
#define GG_NO_CSR ((gg_csr){NULL, NULL, NULL, NULL})

/* Nonzero if v is an integer scalar. */
int gg__is_size(const gg_var *v);
/* Check a matrix, and give starts and columns one dtype. Returns 0 after an
 * error, which names the op. */
int gg__take_csr(const gg_op *op, gg_csr *m);
/* Cast two operands to their common float dtype. Returns 0 after an error. */
int gg__as_floats(gg_var **a, gg_var **b);
/* x, whose size along `axis` is n: refused if it is known to be another one,
 * and checked in calls if it is not known. */
gg_var *gg__sized(const gg_op *op, gg_var *x, unsigned int axis, gg_var *n);

/* The number of rows; the row of each entry. */
gg_var *gg__csr_n_rows(gg_csr m);
gg_var *gg__csr_entry_rows(gg_csr m);
/* Where rows begin among the sorted rows of entries, and the end. */
gg_var *gg__csr_starts(gg_var *sorted, gg_var *n_rows, int dtype);
/* The products of rows of a and rows of b at the entries of m: a is [rows] or
 * [rows, n], b [n_columns] or [n_columns, n]. */
gg_var *gg__csr_sample(gg_csr m, gg_var *a, gg_var *b);

#endif
