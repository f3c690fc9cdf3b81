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

/** \name Inputs and outputs of a function
 *  Names are those of the variables, "" for a variable without one; borrowed.
 *  NULL beyond the last. */
/**@{*/
GG_PUBLIC size_t gg_func_n_inputs(const gg_func *f);
GG_PUBLIC size_t gg_func_n_outputs(const gg_func *f);
GG_PUBLIC const char *gg_func_input_name(const gg_func *f, size_t i);
GG_PUBLIC const char *gg_func_output_name(const gg_func *f, size_t i);
/**@}*/

/** \name The shared variables that a function reads or updates
 *  Each is a variable of the function's own graph, borrowed until the function
 *  is freed, with the name and the value of the user's variable. gg_shared_get,
 *  _set, _read, _write, _view and _use (graph.h) accept it, also after the
 *  user's graph is freed. An error of these functions sticks to the variable's
 *  graph (gg_var_graph); reset it there. NULL beyond the last. */
/**@{*/
GG_PUBLIC size_t gg_func_n_shared(const gg_func *f);
GG_PUBLIC gg_var *gg_func_shared(const gg_func *f, size_t i);
/**@}*/

/** Set the default of input i: calls that pass NULL for it use a copy of
 *  `value`, converted as arguments of calls are. A NULL `value` removes the
 *  default. GA_VALUE_ERROR, with the message in gg_func_error, if `value` does
 *  not fit. Does not block. */
GG_PUBLIC int gg_func_set_default(gg_func *f, size_t i, const GpuArray *value);
/** The same without a copy: a call reads the elements that `value` has when it
 *  runs. `value` must have the input's dtype. The function retains its memory,
 *  and calls of this function never overwrite it. */
GG_PUBLIC int gg_func_borrow_default(gg_func *f, size_t i,
                                     const GpuArray *value);

/** An argument or a result by name. */
typedef struct gg_named_array {
  const char *name;
  GpuArray *array;
} gg_named_array;

/** Lists end with a NULL name; NULL is an empty list. (C only.) */
#define GG_ARGS(...) GG_LIST(gg_named_array, __VA_ARGS__)

/** gg_func_call with arguments in any order. Inputs that are not named need a
 *  default; outputs that are not named are not computed. GA_VALUE_ERROR if a
 *  name is unknown or occurs twice, or if two inputs or two outputs of the
 *  function have it. */
GG_PUBLIC int gg_func_call_named(gg_func *f, const gg_named_array *in,
                                 const gg_named_array *out);

/** An array in host memory, C order. */
typedef struct gg_host_array {
  int dtype;
  unsigned int nd;
  size_t dims[GG_MAX_ND];
  void *data;
  size_t bytes; /**< for a result: the bytes available at `data` */
} gg_host_array;

/** gg_func_call with arguments and results in host memory. A NULL argument
 *  takes its default. For a result set `data` and `bytes`; the call sets the
 *  rest. A NULL result is not computed. Blocks until the results are read.
 *
 *  GA_VALUE_ERROR if `bytes` of a result is too small; its dims then say what
 *  it needs. The function has run by then, and shared variables are updated. */
GG_PUBLIC int gg_func_call_host(gg_func *f, const gg_host_array *const *in,
                                gg_host_array *const *out);

#ifdef __cplusplus
}
#endif

#endif
