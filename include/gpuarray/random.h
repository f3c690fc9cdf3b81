/* SPDX-License-Identifier: BSD-2-Clause */
/** \file random.h
 *  Random numbers.
 *
 *  A stream is an array, its state: whoever draws from it reads the state and
 *  moves it on. There are two generators, told apart by the state's type.
 *
 *  Philox4x32-10 (Salmon, Moraes, Dror and Shaw, SC 2011): uint64[2], a key and
 *  the number of the next draw. Element i of a draw is a function of key, draw
 *  and i, so draws are cut among work-items at will, and may be computed inside
 *  of an elementwise kernel: see GE_RANDOM. The same state gives the same words
 *  on every device. Words 4 b to 4 b + 3 of draw d are Philox4x32-10 of the
 *  counter (low b, high b, low d, high d), low and high meaning 32 bits each,
 *  and the key.
 *
 *  MRG31k3p (L'Ecuyer and Touzin, WSC 2000): int32[n, 6], n substreams that are
 *  2^72 steps apart. Element i is drawn from substream i % n. These are the
 *  numbers of Theano's MRG_RandomStreams.
 *
 *  Nothing here blocks, but what says so.
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

/** Make the state of Philox with key `seed` in front of draw 2^40 `stream`.
 *
 *  \param state initialised on success; the caller clears it
 *  \param seed   at least 1, so that one that was forgotten is found
 *  \param stream below GA_PHILOX_STREAMS
 *
 *  GA_VALUE_ERROR for others; `state` is all zeros then. Blocks until the
 *  state is written. */
GPUARRAY_PUBLIC int GpuRandom_philox(GpuArray *state, gpucontext *ctx,
                                     uint64_t seed, uint64_t stream);

/** Make the state of `n` substreams of MRG31k3p, at least 1, the first at
 *  `seed` and each 2^72 steps after the one before it.
 *
 *  \param seed three numbers below 2^31 - 1, not all 0, and three below
 *              2^31 - 21069, not all 0; GA_VALUE_ERROR for others. Theano
 *              takes one number six times.
 *
 *  Blocks until the state is written. */
GPUARRAY_PUBLIC int GpuRandom_mrg31k3p(GpuArray *state, gpucontext *ctx,
                                       const int32_t seed[6], size_t n);
/** Move one substream, in host memory, 2^`power` steps on; power is at most
 *  255. Theano's streams are 2^134 steps apart. */
GPUARRAY_PUBLIC int GpuRandom_mrg31k3p_jump(int32_t seed[6],
                                            unsigned int power);
/** How many substreams Theano takes for `n` numbers: n / 6, at least 1 and at
 *  most 15360. */
GPUARRAY_PUBLIC size_t GpuRandom_mrg31k3p_substreams(size_t n);
/**@}*/

/** What numbers are drawn. */
typedef enum ga_random {
  /** Floats above 0 and below 1. Philox: odd multiples of 2^-24 (float32),
   *  2^-53 (float64), 2^-11 (float16). */
  GA_RANDOM_UNIFORM = 0,
  GA_RANDOM_NORMAL, /**< floats of mean 0 and deviation 1, by Box and Muller */
  GA_RANDOM_BITS    /**< uint32 or uint64, all values */
} ga_random;

/** Set each element of `a` to shift + scale x, x drawn from the stream, in C
 *  order, and move the stream on. Integers take no shift and scale (0, 1).
 *
 *  \param a float16, float32, float64, or uint32, uint64 for GA_RANDOM_BITS;
 *    any strides
 *  \param state changed; not among the elements of `a`
 *
 *  Rounding may make an element of a scaled uniform draw equal to a bound. An
 *  element of 64 bits takes two words of Philox or, of MRG31k3p, one number
 *  (uniform, normal) or four (bits; uint32: two). */
GPUARRAY_PUBLIC int GpuRandom_fill(GpuArray *a, ga_random what, double shift,
                                   double scale, GpuArray *state);

/** Prepare the same for an array. Slots: 0 `a`, 1 `state`, 2 `next`.
 *
 *  \param next where the state after the draw is written, for MRG31k3p: it may
 *              be `state` itself. NULL for Philox, whose state is moved on by
 *              adding 1 to its second element.
 *
 *  MRG31k3p writes arrays in C order: GA_COPY_ERROR for others. */
GPUARRAY_PUBLIC int GpuRandom_fill_prepare(GpuLaunch **out, GpuArray *a,
                                           ga_random what, double shift,
                                           double scale, const GpuArray *state,
                                           GpuArray *next);

/** Prepare an expression over a draw from Philox, in one kernel.
 *
 *  \param typecode of the numbers, and of `acc`, their name in `e`
 *  \param args     as for GpuArray_rgemm_epilogue_prepare(); the draw has the
 *                  shape of the first that is written, in C order
 *
 *  Slots: 0 `state`, then the arguments. */
GPUARRAY_PUBLIC int GpuRandom_epilogue_prepare(GpuLaunch **out, ga_random what,
                                               int typecode,
                                               const GpuArray *state,
                                               const GpuEpilogue *e,
                                               void **args);

/** \name Out of uniform numbers
 *  Launches that make other numbers out of uniform ones, between 0 and 1 and
 *  drawn before. `u`, `n` and `p` are all float32 or all float64. Nothing is
 *  checked when they run: probabilities count as 0 below 0 and as 1 above 1. */
/**@{*/
/** Numbers of ones out of n, each 1 with probability p, exact but for rounding
 *  (float32: n to 2^24).
 *
 *  \param z       any real dtype
 *  \param u,n,p   of z's shape, or with sizes of 1 where they repeat
 *
 *  Slots in this order. The work per element grows with the deviation. */
GPUARRAY_PUBLIC int GpuRandom_binomial_prepare(GpuLaunch **out, GpuArray *z,
                                               const GpuArray *u,
                                               const GpuArray *n,
                                               const GpuArray *p);
/** Rows of counts: how often each value comes in `count` drawings with
 *  replacement.
 *
 *  \param z   [rows, columns], any real dtype
 *  \param u   [rows, columns]
 *  \param p   [rows, columns]: weights, which need not add up to 1. A row
 *             without any gives counts of 0.
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
/** Random words that a random order takes. */
#define GA_PERMUTATION_WORDS 24
/** The first elements of a random order of 0 .. n - 1.
 *
 *  \param z     int64[at most n], C order
 *  \param bits  uint32[GA_PERMUTATION_WORDS]: random bits
 *
 *  Elements are computed on their own: a few of many cost no more than that.
 *  Slots: z, bits. */
GPUARRAY_PUBLIC int GpuRandom_permutation_prepare(GpuLaunch **out, GpuArray *z,
                                                  const GpuArray *bits,
                                                  size_t n);
/**@}*/

/** \name Random arguments
 *  Flags of an argument of GpuElemwise_new(), instead of GE_READ: numbers drawn
 *  from Philox, one for each element, in C order. In calls the argument stands
 *  for the state, a GpuArray *. Dropout in one kernel:
 *
 *      gpuelemwise_arg args[] = {{"z", GA_FLOAT, GE_WRITE},
 *                                {"x", GA_FLOAT, GE_READ},
 *                                {"u", GA_FLOAT, GE_RANDOM_UNIFORM}};
 *      GpuElemwise_new(ctx, NULL, "z = u < 0.5f ? 2 * x : 0", 3, args, 2, 0);
 *
 *  The state stays: add 1 to its second element between draws. */
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
