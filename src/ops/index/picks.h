/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by take and put: how the operands (x, index ...) select elements along
 * an axis of x.
 *
 * A vector of indices selects slices. Indices of x's rank select elements: each
 * index that of x at the same position, except that the index replaces the
 * position along the axis. They repeat along other axes where their size is
 * known to be 1; so does x where it is read. The selected elements are the
 * picks. */
#ifndef OPS_INDEX_PICKS_H
#define OPS_INDEX_PICKS_H

#include "ops/ops.h"

/* Nonzero if indices select elements, 0 if they select slices. */
int gg__picks_elements(const gg_apply *a);
/* Set the type, or the sizes, of the picks. GA_VALUE_ERROR if the sizes of the
 * indices do not fit. */
int gg__picks_infer(const gg_apply *a, unsigned int axis, gg_type *out);
int gg__picks_shape(const gg_apply *a, unsigned int axis, const gg_dims *in,
                    gg_dims *out);
/* Make *out the indices as a vector if they select slices, else with the sizes
 * of the picks. The caller clears *out. */
int gg__picks_view(const gg_prepare *p, unsigned int axis, GpuArray *out,
                   int *is_slices);
/* Make *out x as take reads it: with the sizes of the picks, except along the
 * axis. The caller clears *out. */
int gg__picks_source(const gg_prepare *p, unsigned int axis, GpuArray *out);
/* On the host: how many picks there are, and the position in x of pick k; both
 * in C order. An index out of range is clamped and sets *is_out. */
size_t gg__picks_count(const gg_prepare *p, unsigned int axis);
size_t gg__pick(const gg_prepare *p, unsigned int axis, size_t k, int *is_out);
/* For forms: check that the ranks and the axis fit. */
int gg__picks_check(const gg_apply *a, unsigned int axis);

/* Check the operands of a builder: a vector of integers, or with `elements`
 * integers of x's rank. Sets *k to the axis. Returns 0 and records an error if
 * they do not fit. */
int gg__check_picks(const gg_op *op, gg_var *x, int axis, gg_var *index,
                    int elements, unsigned int *k);

#endif
