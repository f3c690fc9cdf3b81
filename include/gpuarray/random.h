/* SPDX-License-Identifier: BSD-2-Clause */
/** \file random.h
 *  Random numbers.
 *
 *  A stream is an array, its state: a draw reads the state and advances it.
 *  There are two generators; the dtype of the state says which.
 *
 *  Philox4x32-10 (Salmon, Moraes, Dror and Shaw, SC 2011): uint64[2], a key and
 *  the index of the next draw. Element i of a draw is a function of key, draw
 *  and i, so work-items share a draw in any way, and elementwise kernels can
 *  compute it: see GE_RANDOM. The same state gives the same words on every
 *  device. Words 4 b to 4 b + 3 of draw d are Philox4x32-10 of the counter (low
 *  b, high b, low d, high d), where low and high are 32 bits each, and the key.
 *
 *  MRG31k3p (L'Ecuyer and Touzin, WSC 2000): int32[n, 6], n substreams that are
 *  2^72 steps apart. Element i comes from substream i % n. These are the
 *  numbers of Theano's MRG_RandomStreams.
 *
 *  Nothing here blocks unless it says so.
 */
#ifndef GPUARRAY_RANDOM_H
#define GPUARRAY_RANDOM_H

#include <gpuarray/array.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name States */
/**@{*/
/** Streams of one seed are 2^40 draws apart; there are 2^24. */
#define GA_PHILOX_STREAMS ((uint64_t)1 << 24)

/** Make a state of Philox with key `seed` whose next draw is 2^40 * `stream`.
 *
 *  \param state initialised on success; the caller clears it
 *  \param seed   at least 1, so that a seed that was never set is an error
 *  \param stream below GA_PHILOX_STREAMS
 *
 *  GA_VALUE_ERROR for other values; `state` is zeroed then. Blocks until the
 *  state is written. */
GPUARRAY_PUBLIC int GpuRandom_philox(GpuArray *state, gpucontext *ctx,
                                     uint64_t seed, uint64_t stream);

/** Make a state of `n` >= 1 substreams of MRG31k3p: the first at `seed`, each
 *  next one 2^72 steps further.
 *
 *  \param seed three numbers below 2^31 - 1, not all 0, and three below 2^31 -
 *              21069, not all 0; else GA_VALUE_ERROR. Theano repeats one number
 *              six times.
 *
 *  Blocks until the state is written. */
GPUARRAY_PUBLIC int GpuRandom_mrg31k3p(GpuArray *state, gpucontext *ctx,
                                       const int32_t seed[6], size_t n);
/** Advance one substream, in host memory, by 2^`power` steps; power is at most
 *  255. Theano's streams are 2^134 steps apart. */
GPUARRAY_PUBLIC int GpuRandom_mrg31k3p_jump(int32_t seed[6],
                                            unsigned int power);
/** How many substreams Theano takes for `n` numbers: n / 6, at least 1 and at
 *  most 15360. */
GPUARRAY_PUBLIC size_t GpuRandom_mrg31k3p_substreams(size_t n);
/**@}*/

/** The numbers that are drawn. */
typedef enum ga_random {
  /** Floats above 0 and below 1. Philox: odd multiples of 2^-24 (float32),
   *  2^-53 (float64), 2^-11 (float16), 2^-8 (bfloat16). */
  GA_RANDOM_UNIFORM = 0,
  GA_RANDOM_NORMAL, /**< floats of mean 0 and deviation 1, by Box and Muller */
  GA_RANDOM_BITS    /**< uint32 or uint64, all values */
} ga_random;

/** Set each element of `a` to shift + scale * x, with x drawn from the stream
 *  in C order, and advance the stream. For integers shift is 0 and scale 1.
 *
 *  \param a float16, bfloat16, float32, float64, or uint32, uint64 for
 *    GA_RANDOM_BITS; any strides
 *  \param state advanced; shares no element with `a`
 *
 *  Rounding may make an element of a scaled uniform draw equal to a bound. An
 *  element of 64 bits takes two words of Philox or, of MRG31k3p, one number
 *  (uniform, normal) or four (bits; uint32: two). */
GPUARRAY_PUBLIC int GpuRandom_fill(GpuArray *a, ga_random what, double shift,
                                   double scale, GpuArray *state);

/** Prepare the same for an array. Slots: 0 `a`, 1 `state`, 2 `next`.
 *
 *  \param next where MRG31k3p writes the state after the draw; may be `state`
 *              itself. NULL for Philox; advance its state by adding 1 to its
 *              second element.
 *
 *  MRG31k3p writes arrays in C order: GA_COPY_ERROR for others. */
GPUARRAY_PUBLIC int GpuRandom_fill_prepare(GpuLaunch **out, GpuArray *a,
                                           ga_random what, double shift,
                                           double scale, const GpuArray *state,
                                           GpuArray *next);

/** Prepare an expression over a draw from Philox, in one kernel.
 *
 *  \param typecode of the numbers, which are `acc` in `e`
 *  \param args     as for GpuArray_rgemm_epilogue_prepare(); the draw has the
 *                  shape of the first written one, in C order
 *
 *  Slots: 0 `state`, then the arguments. */
GPUARRAY_PUBLIC int GpuRandom_epilogue_prepare(GpuLaunch **out, ga_random what,
                                               int typecode,
                                               const GpuArray *state,
                                               const GpuEpilogue *e,
                                               void **args);

/** \name Other distributions
 *  Launches that turn uniform numbers between 0 and 1, which were drawn before,
 *  into numbers of other distributions. `u`, `n` and `p` are all float32 or all
 *  float64. Values are not checked: a probability below 0 counts as 0, above 1
 *  as 1. */
/**@{*/
/** Binomial numbers: how many of n trials succeed, each with probability p;
 *  exact up to rounding (float32: n to 2^24).
 *
 *  \param z       any real dtype
 *  \param u,n,p   of z's shape, or with sizes of 1 where they repeat
 *
 *  Slots in this order. The work per element grows with the deviation. */
GPUARRAY_PUBLIC int GpuRandom_binomial_prepare(GpuLaunch **out, GpuArray *z,
                                               const GpuArray *u,
                                               const GpuArray *n,
                                               const GpuArray *p);
/** Rows of counts: how often each value occurs in `count` drawings with
 *  replacement.
 *
 *  \param z   [rows, columns], any real dtype
 *  \param u   [rows, columns]
 *  \param p   [rows, columns]: weights, which need not add up to 1. A row of
 *             zeros gives counts of 0.
 *
 *  Slots: z, u, p. */
GPUARRAY_PUBLIC int GpuRandom_multinomial_prepare(GpuLaunch **out, GpuArray *z,
                                                  const GpuArray *u,
                                                  const GpuArray *p,
                                                  size_t count);
/** Rows of different numbers below `columns`, drawn one after the other by the
 *  weights of those that are left.
 *
 *  \param z   int64[rows, n], C order: -1 where no weight was left
 *  \param u   [rows, n]
 *  \param p   [rows, columns]: weights
 *
 *  Slots: z, u, p. */
GPUARRAY_PUBLIC int GpuRandom_choice_prepare(GpuLaunch **out, GpuArray *z,
                                             const GpuArray *u,
                                             const GpuArray *p);
/** Random words that a permutation needs. */
#define GA_PERMUTATION_WORDS 24
/** The first elements of a random permutation of 0 .. n - 1.
 *
 *  \param z     int64[at most n], C order
 *  \param bits  uint32[GA_PERMUTATION_WORDS]: random bits
 *
 *  Each element is computed independently, so a few of many are cheap. Slots:
 *  z, bits. */
GPUARRAY_PUBLIC int GpuRandom_permutation_prepare(GpuLaunch **out, GpuArray *z,
                                                  const GpuArray *bits,
                                                  size_t n);
/**@}*/

/** \name Random arguments
 *  Flags of an argument of GpuElemwise_new(), instead of GE_READ: numbers drawn
 *  from Philox, one for each element, in C order. The argument of a call is the
 *  state, a GpuArray *. Dropout in one kernel:
 *
 *      gpuelemwise_arg args[] = {{"z", GA_FLOAT, GE_WRITE},
 *                                {"x", GA_FLOAT, GE_READ},
 *                                {"u", GA_FLOAT, GE_RANDOM_UNIFORM}};
 *      GpuElemwise_new(ctx, NULL, "z = u < 0.5f ? 2 * x : 0", 3, args, 2, 0);
 *
 *  The state is not advanced: add 1 to its second element between draws. */
/**@{*/
#define GE_RANDOM_UNIFORM 0x0010
#define GE_RANDOM_NORMAL 0x0020
#define GE_RANDOM_BITS 0x0030
#define GE_RANDOM 0x0030 /**< mask of these */
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
