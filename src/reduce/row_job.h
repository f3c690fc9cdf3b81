/* SPDX-License-Identifier: BSD-2-Clause */
/* What reductions and row programs share: operands over a space whose axes are
 * kept or reduced. The first `n_whole` operands have the sizes of the space,
 * the others 1 on reduced axes. */
#ifndef REDUCE_ROW_JOB_H
#define REDUCE_ROW_JOB_H

#include <gpuarray/array.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>
#include <gpuarray/reduction.h>

#include "base/sha256.h"
#include "layout/space.h"
#include "ocl/launch/launch_key.h"

/* Descriptions of the operands. */
typedef struct ga__row_args {
  gpucontext *ctx;       /* retained */
  gpuelemwise_arg *list; /* n; owned */
  unsigned int n_whole, n;
  unsigned char hash[GA_SHA256_BYTES]; /* of the description that they belong
                                          to; set by its owner */
} ga__row_args;

/* Copy two lists into one. Clear it in any case, also after a failure. */
int ga__row_args_init(ga__row_args *a, gpucontext *ctx, unsigned int n_whole,
                      const gpuelemwise_arg *whole, unsigned int n_others,
                      const gpuelemwise_arg *others);
void ga__row_args_clear(ga__row_args *a);

/* Check that `op` combines values of dtype `acc`. `name` is what messages call
 * the value. */
int ga__row_check_op(const char *name, ga_reduce_op op, int acc);
/* "sum" ... "argmin", "var"; borrowed. */
const char *ga__reduce_op_name(ga_reduce_op op);

/* The operands of one preparation. The lists are in one block. */
typedef struct ga__row_job {
  const ga__row_args *args;
  void **values;        /* per operand */
  size_t *elsize;       /* per operand, 0 for scalars */
  ga__lane_step *steps; /* per operand, along the axis of lanes */
  ga__space space;
  ga__room lists;
} ga__row_job;

/* Check the space and the operands, whose values are passed in two lists, and
 * make the iteration space. One element along axis i adds positions[i] to the
 * position that ARGMAX reports; NULL counts the reduced axes in C order. Clear
 * it in any case, also after a failure. */
int ga__row_job_init(ga__row_job *j, const ga__row_args *args,
                     void *const *whole, void *const *others, unsigned int nd,
                     const size_t *dims, const unsigned char *reduced,
                     const ptrdiff_t *positions);
void ga__row_job_clear(ga__row_job *j);

/* GA_VALUE_ERROR when `op` needs an element (MAX, MIN, ARGMAX, ARGMIN) and the
 * reduced axes have none. */
int ga__row_job_check_some(const ga__row_job *j, const char *name,
                           ga_reduce_op op);

/* The array of operand k, NULL for a scalar. */
const GpuArray *ga__row_job_array(const ga__row_job *j, unsigned int k);

/* Set the steps of the first n_whole operands for `lanes` lanes along the inner
 * dimension of `it`, which is kept or reduced. Vectors may be aligned only with
 * `may_align`. */
void ga__row_job_choose_steps(ga__row_job *j, const ga__iter *it,
                              unsigned int lanes, int may_align);

/* GA_DEVSUP_ERROR when the kernel has more arguments than the device takes:
 * those of the first `n` operands and `others` more, at most 8 bytes each. */
int ga__row_job_check_params(const ga__row_job *j, unsigned int n,
                             size_t others);

/* --- arguments of a launch --- */

/* Start the key of a kernel of this geometry: the object, and how the kernel
 * walks the space and its first n_whole operands. */
void ga__row_job_key(ga__launch_key *key, const ga__row_job *j,
                     const char *family);
/* Add operand k: buffer, offset and strides of an array, or the value of a
 * scalar. */
void ga__row_job_add(GpuLaunch *l, const ga__row_job *j, unsigned int k);
/* The same without the buffer, and with `at` instead of the array's offset. */
void ga__row_job_add_place(GpuLaunch *l, const ga__row_job *j, unsigned int k,
                           size_t at);
void ga__row_job_add_sizes(GpuLaunch *l, const ga__iter *it);
/* Bind the arrays, and set the cost of the launch, which does the job `times`
 * times, from its bytes and from `n_ops` operations for an element. */
void ga__row_job_bind(GpuLaunch *l, const ga__row_job *j, unsigned int lanes,
                      unsigned int n_ops, double times);

#endif
