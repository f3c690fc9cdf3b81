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

/** Make a function with the same inputs that shares the values of f's shared
 *  variables, except those that are swapped. Nothing is rewritten again, and
 *  kernels that both have are compiled once. The copy does not compute what
 *  only dropped outputs and updates need. It does not profile, and if f is in
 *  debug mode, calls of the copy are not compared. The caller frees the copy.
 *
 *  GA_VALUE_ERROR, with the message in gg_func_error(f): a swap of something
 *  other than a shared variable, of one that f does not use, or to one whose
 *  type or context does not fit; an output that f does not have. On failure
 *  *out is NULL. */
GG_PUBLIC int gg_func_copy(gg_func **out, const gg_func *f,
                           const gg_copy_spec *spec);

#ifdef __cplusplus
}
#endif

#endif
