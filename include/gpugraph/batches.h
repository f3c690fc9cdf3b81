/* SPDX-License-Identifier: BSD-2-Clause */
/** \file batches.h
 *  Minibatches: rows of arrays in host memory, in an order that changes with
 *  each epoch. A thread gathers the rows of the next batch and copies them to
 *  the device while the caller's functions run.
 *
 *      gg_batches *b;
 *      gg_batches_new(&b, ctx, 2, (gg_host_array[]){images, labels},
 *                     &(gg_batches_spec){.size = 128, .seed = 1});
 *      gg_batches_next(b, &arrays);
 *      gg_func_call(train, arrays, &loss);
 *
 *  The order of an epoch follows from the seed and the number of the epoch, so
 *  training can go on from any batch (gg_batches_seek). Only one thread at a
 *  time may use a gg_batches.
 */
#ifndef GPUGRAPH_BATCHES_H
#define GPUGRAPH_BATCHES_H

#include <gpugraph/data.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gg_batches gg_batches;

typedef struct gg_batches_spec {
  size_t size;   /**< rows of a batch, at least 1 */
  uint64_t seed; /**< of the order; 0: rows stay in order */
  int drop_last; /**< leave out the last batch of an epoch if it has fewer
                      rows; else it has fewer */
} gg_batches_spec;

/** Make batches of n arrays, 1 or more, which have the same number of rows, at
 *  least one, along their first axis. `data` of each stays the caller's, and
 *  must not change until gg_batches_free; `bytes` is not used. On failure *out
 *  is NULL: GA_VALUE_ERROR for sizes that do not fit, GA_INVALID_ERROR for NULL
 *  and dtypes that arrays do not have. */
GG_PUBLIC int gg_batches_new(gg_batches **out, gpucontext *ctx, unsigned int n,
                             const gg_host_array *arrays,
                             const gg_batches_spec *spec);
/** The same for data from files, which stays the caller's until
 *  gg_batches_free. */
GG_PUBLIC int gg_batches_data(gg_batches **out, gpucontext *ctx, unsigned int n,
                              gg_data *const *data,
                              const gg_batches_spec *spec);
/** The same for n .npy files (gg_data_npy). Errors are also those of that
 *  function. */
GG_PUBLIC int gg_batches_npy(gg_batches **out, gpucontext *ctx, unsigned int n,
                             const char *const *paths,
                             const gg_batches_spec *spec);
/** End the thread. Arrays that were lent end with it. Accepts NULL. */
GG_PUBLIC void gg_batches_free(gg_batches *b);

/** Set *arrays to the n arrays of the next batch, for gg_func_call. They are
 *  borrowed until the next call for `b`. After the last batch of an epoch comes
 *  the first of the next. Waits for the thread only. After an error each call
 *  returns it again, until gg_batches_seek. */
GG_PUBLIC int gg_batches_next(gg_batches *b, GpuArray *const **arrays);
/** Make batch `index` of epoch `epoch` the next one. GA_VALUE_ERROR if an epoch
 *  has no such batch. */
GG_PUBLIC int gg_batches_seek(gg_batches *b, size_t epoch, size_t index);
/** Batches of an epoch. */
GG_PUBLIC size_t gg_batches_count(const gg_batches *b);
/** Arrays of a batch. */
GG_PUBLIC unsigned int gg_batches_arrays(const gg_batches *b);
/** Rows of the arrays. */
GG_PUBLIC size_t gg_batches_rows(const gg_batches *b);
/** Seconds that gg_batches_next has waited so far while rows were gathered.
 *  Time spent waiting for the device does not count. */
GG_PUBLIC double gg_batches_waited(const gg_batches *b);

#ifdef __cplusplus
}
#endif

#endif
