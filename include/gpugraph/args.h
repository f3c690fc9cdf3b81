/* SPDX-License-Identifier: BSD-2-Clause */
/** \file args.h
 *  Arguments and results of functions by name, with defaults, and in host
 *  memory.
 */
#ifndef GPUGRAPH_ARGS_H
#define GPUGRAPH_ARGS_H

#include <gpugraph/func.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name What a function takes and gives
 *  Names are those that the variables had; borrowed, "" if none. NULL beyond
 *  the last. */
/**@{*/
GG_PUBLIC size_t gg_func_n_inputs(const gg_func *f);
GG_PUBLIC size_t gg_func_n_outputs(const gg_func *f);
GG_PUBLIC const char *gg_func_input_name(const gg_func *f, size_t i);
GG_PUBLIC const char *gg_func_output_name(const gg_func *f, size_t i);
/**@}*/

/** \name The shared variables that a function reads or updates
 *  Each as a variable of the function's own graph, borrowed until the function
 *  is freed, with the name and the value that the user's variable has; for
 *  gg_shared_get, _set, _read, _write, _view and _use (graph.h), also when the
 *  user's graph is gone. A failure of those is kept in gg_var_graph of it, to
 *  be reset there. NULL beyond the last. */
/**@{*/
GG_PUBLIC size_t gg_func_n_shared(const gg_func *f);
GG_PUBLIC gg_var *gg_func_shared(const gg_func *f, size_t i);
/**@}*/

/** Take a copy of `value` as the value of input i wherever a call gives NULL
 *  for it, converted where calls would; NULL: no longer. GA_VALUE_ERROR, with
 *  the message in gg_func_error, when it does not fit. Does not block. */
GG_PUBLIC int gg_func_set_default(gg_func *f, size_t i, const GpuArray *value);
/** The same without a copy: calls see what `value`, which has the input's
 *  dtype, holds when they run. Its memory is kept alive, and never overwritten
 *  by calls of this function. */
GG_PUBLIC int gg_func_borrow_default(gg_func *f, size_t i,
                                     const GpuArray *value);

/** An argument or a result by name. */
typedef struct gg_named_array {
  const char *name;
  GpuArray *array;
} gg_named_array;

/** Lists end with a NULL name; NULL is an empty list. (C only.) */
#define GG_ARGS(...) ((gg_named_array[]){__VA_ARGS__, {NULL, NULL}})

/** gg_func_call with arguments in any order. Inputs that are not named need a
 *  default; outputs that are not named are not computed. GA_VALUE_ERROR for a
 *  name that the function does not have or that comes twice, and where two
 *  inputs of the function have that name. */
GG_PUBLIC int gg_func_call_named(gg_func *f, const gg_named_array *in,
                                 const gg_named_array *out);

/** An array in host memory, C order. */
typedef struct gg_host_array {
  int dtype;
  unsigned int nd;
  size_t dims[GG_MAX_ND];
  void *data;
  size_t bytes; /**< of a result: how many there is room for */
} gg_host_array;

/** gg_func_call with arguments and results in host memory. A NULL argument has
 *  its default. Of a result give `data` and `bytes`; the rest is filled in.
 *  NULL: it is not computed. Blocks until the results are there.
 *
 *  GA_VALUE_ERROR when there is not enough room for a result, whose dims then
 *  tell what is needed; the call has been made, updates included. */
GG_PUBLIC int gg_func_call_host(gg_func *f, const gg_host_array *const *in,
                                gg_host_array *const *out);

#ifdef __cplusplus
}
#endif

#endif
