/* SPDX-License-Identifier: BSD-2-Clause */
/* What preparing a reduction and a row program have in common: operands over a
 * space whose axes are kept or reduced. The first `n_whole` operands have the
 * sizes of the space, the others 1 in place of reduced axes. */
#ifndef REDUCE_ROW_JOB_H
#define REDUCE_ROW_JOB_H

#include <gpuarray/array.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>

#include "layout/space.h"

typedef struct ga__row_job {
  gpucontext *ctx;
  const gpuelemwise_arg *args; /* n; borrowed */
  unsigned int n_whole, n;
  void **values;        /* per operand; the list is owned */
  size_t *elsize;       /* per operand, 0 for scalars; owned */
  ga__lane_step *steps; /* per operand, along the lanes; owned */
  ga__space space;
} ga__row_job;

/* Check the space and the operands, whose values come in two lists, and lay
 * them out. Moving by one along axis i moves the position that ARGMAX reports
 * by positions[i]; NULL counts the reduced axes in C order. Clear it in any
 * case. */
int ga__row_job_init(ga__row_job *j, gpucontext *ctx,
                     const gpuelemwise_arg *args, unsigned int n_whole,
                     unsigned int n, void *const *whole, void *const *others,
                     unsigned int nd, const size_t *dims,
                     const unsigned char *reduced, const ptrdiff_t *positions);
void ga__row_job_clear(ga__row_job *j);

/* The array of operand k, NULL for a scalar. */
const GpuArray *ga__row_job_array(const ga__row_job *j, unsigned int k);

/* Choose how the whole operands are reached by `lanes` lanes along the inner
 * dimension of `it`, kept or reduced; with `may_align` by aligned vectors. */
void ga__row_job_choose_steps(ga__row_job *j, const ga__iter *it,
                              unsigned int lanes, int may_align);

/* GA_DEVSUP_ERROR when the device has no room for the kernel's arguments: those
 * of the first `n` operands and `others` more, 8 bytes each at most. */
int ga__row_job_check_params(const ga__row_job *j, unsigned int n,
                             size_t others);

/* --- arguments of a launch --- */

/* An array's buffer, offset and strides, or a scalar's value. */
void ga__row_job_add(GpuLaunch *l, const ga__row_job *j, unsigned int k);
void ga__row_job_add_sizes(GpuLaunch *l, const ga__iter *it);
/* Bind the arrays, and say what one element costs. */
void ga__row_job_bind(GpuLaunch *l, const ga__row_job *j, unsigned int lanes,
                      unsigned int n_ops);

#endif
