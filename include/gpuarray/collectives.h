/* SPDX-License-Identifier: BSD-2-Clause */
/** \file collectives.h
 * Collective operations on arrays. Every rank of a communicator calls the same
 * one; buffer_collectives.h says what happens otherwise.
 *
 * Elements are matched in C order, whatever strides the arrays have; arrays
 * that are not contiguous are copied on the device. Every operation reduces
 * every scalar type, except that complex numbers have no maximum and minimum
 * (GA_VALUE_ERROR). Integers wrap. Of bools, GA_SUM and GA_MAX are "or", others
 * are "and". A NaN makes the result NaN. All ranks get the same bits. */
#ifndef GPUARRAY_COLLECTIVES_H
#define GPUARRAY_COLLECTIVES_H

#include <gpuarray/array.h>
#include <gpuarray/buffer_collectives.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Reduce to the rank `root`, which itself calls GpuArray_reduce(). `opcode` is
 * one of gpucomm_reduce_ops. */
GPUARRAY_PUBLIC int GpuArray_reduce_from(const GpuArray *src, int opcode,
                                         int root, gpucomm *comm);

/** Reduce to `dest` on the rank `root`; `dest` may be NULL on the others. */
GPUARRAY_PUBLIC int GpuArray_reduce(const GpuArray *src, GpuArray *dest,
                                    int opcode, int root, gpucomm *comm);

/** Reduce to `dest` on every rank. */
GPUARRAY_PUBLIC int GpuArray_all_reduce(const GpuArray *src, GpuArray *dest,
                                        int opcode, gpucomm *comm);

/** Reduce, and leave on each rank its part of the result. */
GPUARRAY_PUBLIC int GpuArray_reduce_scatter(const GpuArray *src, GpuArray *dest,
                                            int opcode, gpucomm *comm);

/** Copy the array of rank `root` to that of every rank. */
GPUARRAY_PUBLIC int GpuArray_broadcast(GpuArray *array, int root,
                                       gpucomm *comm);

/** Join the `src` of all ranks, in their order, in `dest` on every rank. */
GPUARRAY_PUBLIC int GpuArray_all_gather(const GpuArray *src, GpuArray *dest,
                                        gpucomm *comm);

#ifdef __cplusplus
}
#endif

#endif
