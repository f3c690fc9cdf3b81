/* SPDX-License-Identifier: BSD-2-Clause */
/** \file random.h
 *  Random numbers in graphs.
 *
 *  A gg_random makes streams. Every draw, such as gg_random_normal(), is a
 *  variable with a stream of its own. The state of the stream is a shared
 *  variable with a default update (gg_shared_set_update): a function that uses
 *  the draw advances the stream and gets new random numbers in each call,
 *  unless it has GG_NO_DEFAULT_UPDATES.
 *
 *      gg_random *r = gg_random_new(g, GG_PHILOX, 1234);
 *      gg_var *u = gg_random_uniform(r, GG_DRAW_LIKE(GA_FLOAT, x),
 *                                    gg_f32(g, 0), gg_f32(g, 1));
 *      gg_var *z = gg_where(gg_lt(u, keep), gg_div(x, keep), zero);
 *      gg_func_new(&f, g, &(gg_func_spec){.inputs = GG_VARS(x),
 *                                         .outputs = GG_VARS(z)});
 *
 *  Draws get their streams in the order in which they are built. So the same
 *  program with the same seed gets the same random numbers on every device,
 *  whatever functions it compiles. Within one call a draw has one value:
 *  dropout and its gradient use the same mask.
 *
 *  Parameters are variables; they are cast to the dtype of the draw and
 *  broadcast to its shape. Constant parameters are checked while the graph is
 *  built; each function says what it does with invalid values in a call. Only
 *  the parameters of uniform and normal draws have gradients. NULL arguments
 *  give NULL, and errors stick to the graph. */
#ifndef GPUGRAPH_RANDOM_H
#define GPUGRAPH_RANDOM_H

#include <gpuarray/random.h>
#include <gpugraph/func.h>
#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Streams */
/**@{*/
typedef enum gg_generator {
  GG_PHILOX = 0, /**< Philox4x32-10: counter-based; fuses into other kernels */
  GG_MRG31K3P /**< L'Ecuyer's MRG31k3p, with the streams and values of Theano */
} gg_generator;

typedef struct gg_random gg_random;

/** Make a source of streams. The seed is at least 1, and below 2^31 - 21069 for
 *  MRG31k3p; other seeds give NULL, with the reason in the graph. The caller
 *  frees it, before or after the graph; draws stay valid. */
GG_PUBLIC gg_random *gg_random_new(gg_graph *g, gg_generator kind,
                                   uint64_t seed);
/** Free the source; its draws stay valid. Accepts NULL. */
GG_PUBLIC void gg_random_free(gg_random *r);
/** Set the states of all draws to those of this seed. This also affects
 *  functions that are already compiled. The graph must still exist. */
GG_PUBLIC int gg_random_seed(gg_random *r, uint64_t seed);
/** The number of streams so far: one per draw that needs random numbers, in the
 *  order of building. */
GG_PUBLIC size_t gg_random_count(const gg_random *r);
/** The shared variable that is the state of stream i (gpuarray/random.h); NULL
 *  beyond the last. You can save and restore it with gg_shared_read() and
 *  gg_shared_write(). */
GG_PUBLIC gg_var *gg_random_state(const gg_random *r, size_t i);
/** A list of updates for gg_func_spec: those in `more` (may be NULL), then
 *  those that advance the states of all draws so far, used or not. Borrowed
 *  from `r` until the next call. NULL when there is no memory. */
GG_PUBLIC const gg_update *gg_random_updates(gg_random *r,
                                             const gg_update *more);
/**@}*/

/** \name What is drawn */
/**@{*/
#define GG_LIKE (~0u)

/** Dtype and shape of a draw. */
typedef struct gg_draw {
  int dtype;
  unsigned int nd; /**< 0: a scalar; GG_LIKE: the shape of `like` */
  int64_t dims[GG_MAX_ND];
  gg_var *like; /**< only its shape matters */
} gg_draw;

/** GG_DRAW(GA_FLOAT, 32, 10) is 32 x 10 floats. This macro and the next are
 *  only for C. */
#define GG_DRAW(type, ...)                                                     \
  (&(gg_draw){.dtype = (type),                                                 \
              .nd = sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),        \
              .dims = {__VA_ARGS__}})
/** A draw in the shape of `x`. */
#define GG_DRAW_LIKE(type, x)                                                  \
  (&(gg_draw){.dtype = (type), .nd = GG_LIKE, .like = (x)})
/**@}*/

/** \name Floats */
/**@{*/
/** Uniform between `low` and `high`, both excluded up to rounding. */
GG_PUBLIC gg_var *gg_random_uniform(gg_random *r, const gg_draw *d, gg_var *low,
                                    gg_var *high);
/** Normal, by the Box-Muller method. */
GG_PUBLIC gg_var *gg_random_normal(gg_random *r, const gg_draw *d, gg_var *mean,
                                   gg_var *deviation);
/** Normal, truncated to the range from mean + low * deviation to mean + high *
 *  deviation, by the inverse of the distribution function (Wichura, AS 241,
 *  1988). Theano's bounds are -2 and 2. NaN unless low < high. */
GG_PUBLIC gg_var *gg_random_truncated_normal(gg_random *r, const gg_draw *d,
                                             gg_var *mean, gg_var *deviation,
                                             gg_var *low, gg_var *high);
/**@}*/

/** \name Any dtype */
/**@{*/
/** 1 with probability p, else 0. A constant p outside of [0, 1] is an error;
 *  others are clipped to [0, 1]. */
GG_PUBLIC gg_var *gg_random_bernoulli(gg_random *r, const gg_draw *d,
                                      gg_var *p);
/** Integers in [low, high), for integer dtypes; `low` if that range is empty in
 *  a call. Constants with an empty range are an error. */
GG_PUBLIC gg_var *gg_random_integers(gg_random *r, const gg_draw *d,
                                     gg_var *low, gg_var *high);
/** Binomial: how many of n trials succeed, each with probability p. Exact;
 *  computed in float64 if p is float64, else in float32 (n up to 2^24). A
 *  constant p outside of [0, 1] and a negative constant n are errors; other
 *  values are clipped. */
GG_PUBLIC gg_var *gg_random_binomial(gg_random *r, const gg_draw *d, gg_var *n,
                                     gg_var *p);
/** For each row of `p`, how often each column occurs when `count` columns are
 *  drawn with replacement. Rows of a constant must add up to 1 within 10^-3;
 *  rows of others are divided by their sum. `p` has rank 2; the result has its
 *  shape.
 */
GG_PUBLIC gg_var *gg_random_multinomial(gg_random *r, int dtype, int64_t count,
                                        gg_var *p);
/**@}*/

/** \name Choices and orders
 *  Results are int64. `n` must be known before anything runs: a constant, the
 *  size of a variable, an integer input, or computed from these.
 */
/**@{*/
/** For each row of the weights `p` (rank 2), `count` different columns, drawn
 *  one after the other without replacement, each by the weights of the columns
 *  that are left. -1 if no column with a weight is left. */
GG_PUBLIC gg_var *gg_random_choice(gg_random *r, int64_t count, gg_var *p);
/** The integers 0 .. n - 1 in random order. */
GG_PUBLIC gg_var *gg_random_permutation(gg_random *r, gg_var *n);
/** `count` different integers below n, in random order. The work depends on
 *  `count` alone. */
GG_PUBLIC gg_var *gg_random_subset(gg_random *r, int64_t count, gg_var *n);
/** Rows of x (along axis 0) in random order. */
GG_PUBLIC gg_var *gg_random_shuffle(gg_random *r, gg_var *x);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
