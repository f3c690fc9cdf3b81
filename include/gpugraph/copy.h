/* SPDX-License-Identifier: BSD-2-Clause */
/** \file copy.h
 *  Copies of compiled functions.
 */
#ifndef GPUGRAPH_COPY_H
#define GPUGRAPH_COPY_H

#include <gpugraph/func.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Replace shared variable `from` by `to`. */
typedef struct gg_swap {
  gg_var *from, *to;
} gg_swap;

#define GG_SWAPS(...) GG_LIST(gg_swap, __VA_ARGS__)

#define GG_COPY_NO_UPDATES 1 /**< the copy updates no shared variables */

/** How the copy differs. */
typedef struct gg_copy_spec {
  const char *name;     /**< NULL: that of the original */
  const gg_swap *swaps; /**< ends with NULL; NULL: none. `to` may be of another
                             graph in the same context. */
  const unsigned int *outputs; /**< which, in this order; NULL: all */
  size_t n_outputs;
  int flags;
} gg_copy_spec;

/** Make a function with the same arguments that shares the values of f's shared
 *  variables, except those that are swapped. Nothing is rewritten again, and
 *  kernels that both have are compiled once. What only dropped outputs and
 *  updates need is not computed. The copy does not profile, and in debug mode
 *  it is not compared. The caller frees it.
 *
 *  GA_VALUE_ERROR, with the message in gg_func_error(f): a swap of something
 *  other than a shared variable, of one that f does not use, or to one whose
 *  type does not fit; an output that f does not have. *out is NULL then. */
GG_PUBLIC int gg_func_copy(gg_func **out, const gg_func *f,
                           const gg_copy_spec *spec);

#ifdef __cplusplus
}
#endif

#endif
