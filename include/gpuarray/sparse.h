/* SPDX-License-Identifier: BSD-2-Clause */
/** \file sparse.h
 *  Sparse matrices in CSR form: one row after another, and for each row only
 *  its stored entries, each with its column and value.
 *
 *  Values are float32, float64, complex64 or complex128. Starts and columns are
 *  int32 or int64, both the same. On error results stay empty. Two runs give
 *  the same bits.
 */
#ifndef GPUARRAY_SPARSE_H
#define GPUARRAY_SPARSE_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A matrix of n_rows x n_columns: entries starts[i] to starts[i + 1] are row
 *  i. Its arrays are C contiguous, and GpuCsr_clear() clears them. Values may
 *  be changed at any time. Whoever changes the others must keep to the rules,
 *  which GpuCsr_check() checks: starts begin with 0, do not fall, and end with
 *  the number of entries; columns rise within a row, and are below n_columns.
 *  Products of other structures have wrong values, but read nothing outside of
 *  the arrays. */
typedef struct GpuCsr {
  size_t n_rows, n_columns;
  GpuArray starts;  /**< [n_rows + 1] */
  GpuArray columns; /**< [entries] */
  GpuArray values;  /**< [entries] */
} GpuCsr;

/** Make a matrix of the three arrays, and check it. It shares their memory, or
 *  has copies of those that are not C contiguous.
 *
 *  \param out initialised on success; the caller clears it
 *
 *  GA_VALUE_ERROR if they are no such structure. Blocks. */
GPUARRAY_PUBLIC int GpuCsr_make(GpuCsr *out, size_t n_columns,
                                const GpuArray *starts, const GpuArray *columns,
                                const GpuArray *values);
/** GA_VALUE_ERROR, with the first mistake, if the arrays are no such structure.
 *  Blocks. */
GPUARRAY_PUBLIC int GpuCsr_check(const GpuCsr *m);
/** Clear the arrays. Accepts a matrix of zeros, and NULL. */
GPUARRAY_PUBLIC void GpuCsr_clear(GpuCsr *m);

/** \name Conversions
 *  Results are initialised on success, and the caller clears them. They have
 *  int32 as starts and columns where that is enough, else int64. These calls
 *  may block. */
/**@{*/
/** Make a matrix of entries in any order. Values of one place are added up, in
 *  the order of the entries.
 *
 *  \param rows,columns vectors of int32 or int64, both the same; GA_VALUE_ERROR
 *                      if one is out of range. Strides may be any: for example
 *                      the columns of what GpuArray_nonzero() gives.
 *  \param values       as many floats
 *
 *  GA_XLARGE_ERROR if there are more than 2^63 places. */
GPUARRAY_PUBLIC int GpuCsr_from_coo(GpuCsr *out, size_t n_rows,
                                    size_t n_columns, const GpuArray *rows,
                                    const GpuArray *columns,
                                    const GpuArray *values);
/** The elements of x, a matrix with any strides, that are not 0. */
GPUARRAY_PUBLIC int GpuCsr_from_dense(GpuCsr *out, const GpuArray *x);
/** The dense matrix [n_rows, n_columns], in C order. */
GPUARRAY_PUBLIC int GpuCsr_to_dense(GpuArray *out, const GpuCsr *m);
/** The row of each entry: int64, [entries]. With `columns` and `values` these
 *  are the matrix in COO form. */
GPUARRAY_PUBLIC int GpuCsr_rows(GpuArray *out, const GpuCsr *m);
/** The transposed matrix. Its arrays are also the CSC form of m. */
GPUARRAY_PUBLIC int GpuCsr_transpose(GpuCsr *out, const GpuCsr *m);
/** a + b. All places of a or b have an entry, also where the sum is 0. */
GPUARRAY_PUBLIC int GpuCsr_add(GpuCsr *out, const GpuCsr *a, const GpuCsr *b);
/**@}*/

/** \name Files of SciPy
 *  Archives as scipy.sparse.save_npz writes them (npy.h). */
/**@{*/
/** Make a matrix from a file, of any of the formats csr, csc and coo. Columns
 *  of csr and csc must rise within rows, which in SciPy sum_duplicates() does.
 *  Errors as for gpunpz_load() and for structures. The caller clears *out.
 *  Blocks. */
GPUARRAY_PUBLIC int GpuCsr_load_npz(GpuCsr *out, gpucontext *ctx,
                                    const char *path);
/** Write a matrix in the format csr, deflated if `compress` is not 0.
 *  Blocks. */
GPUARRAY_PUBLIC int GpuCsr_save_npz(const GpuCsr *m, const char *path,
                                    int compress);
/** The same in the format coo, for programs that want rows and columns. */
GPUARRAY_PUBLIC int GpuCsr_save_coo_npz(const GpuCsr *m, const char *path,
                                        int compress);
/**@}*/

/** \name Products */
/**@{*/
/** Flags of GpuCsr_dot(). */
enum {
  /** By the transposed matrix, which is made first: if there are several
   *  products, call GpuCsr_transpose() once instead. */
  GA_CSR_TRANSPOSED = 1
};

/** y = m b, a new array in C order.
 *
 *  \param y initialised on success: [n_rows] or [n_rows, n]; the caller clears
 *           it
 *  \param b of the dtype of the values: a vector, [n_columns], or a matrix,
 *           [n_columns, n]; any strides
 *
 *  For b m, take the transposed product of b transposed. Does not block, unless
 *  flags are given. */
GPUARRAY_PUBLIC int GpuCsr_dot(GpuArray *y, const GpuCsr *m, const GpuArray *b,
                               int flags);
/** Prepare y = m b. The caller provides y, with any strides, and frees *out; y
 *  must not overlap the others. Slots: 0 starts, 1 columns, 2 values, 3 b,
 *  4 y. Columns out of range are reported if indices are guarded
 *  (index_guard.h). */
GPUARRAY_PUBLIC int GpuCsr_dot_prepare(GpuLaunch **out, GpuArray *y,
                                       const GpuCsr *m, const GpuArray *b);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
