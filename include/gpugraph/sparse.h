/* SPDX-License-Identifier: BSD-2-Clause */
/** \file sparse.h
 *  Sparse matrices in CSR form (docs/sparse.md).
 *
 *  A matrix is four variables: three vectors, as in gpuarray/sparse.h, and a
 *  number of columns. They may be inputs, constants, shared variables or
 *  computed, so matrices are saved, updated and differentiated like all
 *  variables. Structures are not checked in calls: GpuCsr_check does that.
 *  gg_csr_dot clamps columns out of range, and reports them where indices are
 *  guarded. Other functions have results of no meaning then.
 *
 *  Values have gradients and forward derivatives of any order, starts and
 *  columns have none. On error functions return NULL, or a matrix of NULL, and
 *  leave the reason in the graph.
 */
#ifndef GPUGRAPH_SPARSE_H
#define GPUGRAPH_SPARSE_H

#include <gpuarray/sparse.h>
#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A sparse matrix, passed by value. */
typedef struct gg_csr {
  gg_var *starts, *columns; /**< [rows + 1] and [entries], int32 or int64 */
  gg_var *values;           /**< [entries] */
  gg_var *n_columns;        /**< an integer scalar as in gg_reshape_sizes */
} gg_csr;

/** \name Products
 *  Dtypes are promoted; integers become float32. The gradient by the values is
 *  a sampled product, that by the dense operand the transposed product. */
/**@{*/
/** m b: b is a vector, [n_columns], or a matrix, [n_columns, n]. */
GG_PUBLIC gg_var *gg_csr_dot(gg_csr m, gg_var *b);
/** b m: b is a vector, [rows], or a matrix, [n, rows]. m is transposed first,
 *  as by gg_csr_transpose. */
GG_PUBLIC gg_var *gg_dot_csr(gg_var *b, gg_csr m);
/** a b at the entries of m alone: the vector of row i of a times column j of b,
 *  for each entry at (i, j). a is [rows, n], b [n, n_columns]. */
GG_PUBLIC gg_var *gg_csr_sample(gg_csr m, gg_var *a, gg_var *b);
/**@}*/

/** The transposed matrix. Its arrays are also the CSC form of m. It takes a
 *  sort of the columns; variables that several products share are sorted once
 *  in a call. */
GG_PUBLIC gg_csr gg_csr_transpose(gg_csr m);
/** The row of each entry: int64, [entries]. */
GG_PUBLIC gg_var *gg_csr_rows(gg_csr m);
/** m, where row i is multiplied by v[i], or column j by v[j]. */
GG_PUBLIC gg_csr gg_csr_scale_rows(gg_csr m, gg_var *v);
GG_PUBLIC gg_csr gg_csr_scale_columns(gg_csr m, gg_var *v);
/** m times x, element by element; x is a dense matrix of the same sizes. */
GG_PUBLIC gg_csr gg_csr_mul(gg_csr m, gg_var *x);
/** The sum of each row, [rows]. */
GG_PUBLIC gg_var *gg_csr_row_sums(gg_csr m);

/** \name From and to other forms
 *  Where the data decide how many entries there are, calls wait for the count
 *  (select.h). */
/**@{*/
/** The matrix of entries in any order: value values[k] in row rows[k] and
 *  column columns[k], vectors of integers in range. Values of one place are
 *  added up. Sizes are integer scalars; their product is below 2^63. */
GG_PUBLIC gg_csr gg_csr_from_coo(gg_var *rows, gg_var *columns, gg_var *values,
                                 gg_var *n_rows, gg_var *n_columns);
/** a + b, of the same sizes: an entry for each place where a or b has one. */
GG_PUBLIC gg_csr gg_csr_add(gg_csr a, gg_csr b);
/** The elements of x, a matrix, that are not 0. */
GG_PUBLIC gg_csr gg_csr_from_dense(gg_var *x);
/** The dense matrix, [rows, n_columns]. Nothing waits. */
GG_PUBLIC gg_var *gg_csr_to_dense(gg_csr m);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
