/* SPDX-License-Identifier: BSD-2-Clause */
/** \file graph.h
 *  Symbolic graphs and their variables.
 *
 *  A graph owns its variables and frees them with itself. Functions compiled
 *  from it (func.h) and the values of shared variables outlive it.
 *
 *  Building functions take and return gg_var *. A NULL argument gives NULL. The
 *  first error sticks to the graph: its message names the op and the types that
 *  clash, or the operand that is NULL if nothing failed before. So nest
 *  expressions freely and check once at the end, with gg_graph_status or the
 *  code of gg_func_new. Only one thread at a time may build a graph. */
#ifndef GPUGRAPH_GRAPH_H
#define GPUGRAPH_GRAPH_H

#include <gpuarray/array.h>
#include <gpuarray/error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GG_PUBLIC GPUARRAY_PUBLIC

/** Most dimensions that a variable may have. */
#define GG_MAX_ND 8
/** A size that is known only when a function is called. Such a dimension never
 *  broadcasts; one that is known to be 1 does. */
#define GG_ANY (-1)

/** The sizes of an array in one call. */
typedef struct gg_dims {
  unsigned int nd;
  size_t dim[GG_MAX_ND];
} gg_dims;

/** The size that all axes of a name are to have (gg_size_named), for loading
 *  graphs and models. */
typedef struct gg_named_size {
  const char *name;
  int64_t size;
} gg_named_size;
/** A list that ends with a NULL name. (C only.) */
#define GG_SIZES(...) GG_LIST(gg_named_size, __VA_ARGS__)

typedef struct gg_graph gg_graph;
typedef struct gg_var gg_var;
typedef struct gg_apply gg_apply;

/** The type of a variable: what is known while the graph is built. */
typedef struct gg_type {
  int dtype;               /**< GA_FLOAT, ... */
  unsigned int nd;         /**< the rank; 0 is a scalar */
  int64_t dims[GG_MAX_ND]; /**< sizes, or GG_ANY */
  /** The context in which the values lie. NULL for constants, sizes and what
   *  follows from these alone, which go with any context (context.h). */
  gpucontext *ctx;
} gg_type;

/** Create an empty graph whose values live in `ctx`, except where context.h
 *  says otherwise. Shared variables and functions retain contexts; graphs do
 *  not. NULL when out of memory. */
GG_PUBLIC gg_graph *gg_graph_new(gpucontext *ctx);
/** Free a graph and its variables. Compiled functions stay valid. */
GG_PUBLIC void gg_graph_free(gg_graph *g);
/** Return GA_NO_ERROR, or the code of the first error. A NULL graph gives
 *  GA_MEMORY_ERROR. */
GG_PUBLIC int gg_graph_status(const gg_graph *g);
/** Return the message of the first error, "" if there is none. Borrowed. */
GG_PUBLIC const char *gg_graph_error(const gg_graph *g);
/** Clear the error, so that building may go on. */
GG_PUBLIC void gg_graph_reset_error(gg_graph *g);
/** Return the context given to gg_graph_new. Borrowed. */
GG_PUBLIC gpucontext *gg_graph_context(const gg_graph *g);
/** Return the number of variables built so far. */
GG_PUBLIC size_t gg_graph_size(const gg_graph *g);

/** \name Lists
 *  Lists of variables and names end with NULL, so that they need no count. The
 *  macros that write them (GG_VARS, GG_UPDATES, GG_NAMES, ...) count their
 *  arguments, so a NULL among these does not end the list early: the function
 *  that gets the list fails, with the position in its message. The macros call
 *  gg_list, so use them inside functions only. In C++ and in static data write
 *  an array that ends with NULL. */
/**@{*/
/** Called by the macros: mark the NULL pointers in a list of n items of
 *  `bytes` bytes, each of which begins with a pointer. Returns `items`. */
GG_PUBLIC void *gg_list(void *items, size_t n, size_t bytes);
/** A list of `type`, which is a pointer or a structure that begins with one. */
#define GG_LIST(type, ...)                                                     \
  ((type *)gg_list((type[GG_COUNT(type, __VA_ARGS__) + 1]){__VA_ARGS__},       \
                   GG_COUNT(type, __VA_ARGS__), sizeof(type)))
#define GG_COUNT(type, ...) (sizeof((type[]){__VA_ARGS__}) / sizeof(type))
/**@}*/

/** \name Leaves */
/**@{*/
/** Create an input: an array that each call gets, with `nd` dimensions of any
 *  size. */
GG_PUBLIC gg_var *gg_input(gg_graph *g, const char *name, int dtype,
                           unsigned int nd);
/** The same with sizes: `dims[i]` is a size or GG_ANY. */
GG_PUBLIC gg_var *gg_input_sized(gg_graph *g, const char *name, int dtype,
                                 unsigned int nd, const int64_t *dims);
/** Name the size of an axis of an input that calls decide, such as "batch". The
 *  name goes to files, texts and models, where a size can be given for it.
 *  Axes with one name are promised to have one size; calls do not compare them.
 *  Returns `input`; NULL, with the graph's error GA_VALUE_ERROR, for another
 *  variable or an axis that is not open. */
GG_PUBLIC gg_var *gg_size_named(gg_var *input, unsigned int axis,
                                const char *name);

/** Create a shared variable, whose value stays on the device between calls. It
 *  is initialised with a copy of `value`, in the context of `value`. Its sizes
 *  are those of `value` for good: updates and gg_shared_set keep them, and a
 *  product that cannot work is refused when it is built. */
GG_PUBLIC gg_var *gg_shared(gg_graph *g, const char *name,
                            const GpuArray *value);
/** The same with sizes that may change: `dims[i]` is the size of axis i for
 *  good, or GG_ANY; NULL stands for GG_ANY everywhere. An axis whose size may
 *  change does not broadcast, not even while its size is 1. */
GG_PUBLIC gg_var *gg_shared_sized(gg_graph *g, const char *name,
                                  const GpuArray *value, const int64_t *dims);
/** Create a shared variable from host memory in C order, in the graph's
 *  context; `sizes` are for good. Blocks until copied. */
GG_PUBLIC gg_var *gg_shared_host(gg_graph *g, const char *name, int dtype,
                                 unsigned int nd, const size_t *sizes,
                                 const void *value);
/** The same with sizes that may change, as `dims` says for gg_shared_sized. */
GG_PUBLIC gg_var *gg_shared_host_sized(gg_graph *g, const char *name, int dtype,
                                       unsigned int nd, const size_t *sizes,
                                       const void *value, const int64_t *dims);
/** Copy the present value into a new array (initialised here, cleared by the
 *  caller). Does not block. */
GG_PUBLIC int gg_shared_get(const gg_var *v, GpuArray *out);
/** Replace the value by a copy of `value`: same dtype, rank and context, any
 *  sizes that the type allows. */
GG_PUBLIC int gg_shared_set(gg_var *v, const GpuArray *value);
/** Make `out` a view of the present value, without a copy (initialised here,
 *  cleared by the caller). Writing to it changes the variable. The view keeps
 *  its memory alive. A call that updates the variable may write to that memory
 *  or move the value, so make a new view after it. */
GG_PUBLIC int gg_shared_view(const gg_var *v, GpuArray *out);
/** Replace the value by `value` itself, without a copy: the variable uses its
 *  memory from now on, functions overwrite it, and they see what the caller
 *  writes to it. The conditions of gg_shared_set apply; `value` must also be C
 *  contiguous and writeable. Two variables of one function must not share
 *  memory: calls that update one of them fail. */
GG_PUBLIC int gg_shared_use(gg_var *v, const GpuArray *value);
/** Read the present value to host memory in C order. Blocks. `bytes` must be
 *  the size of the whole value. */
GG_PUBLIC int gg_shared_read(const gg_var *v, void *dst, size_t bytes);
/** Write the value from host memory in C order; sizes stay. `bytes` must be
 *  the size of the whole value. Blocks until copied. */
GG_PUBLIC int gg_shared_write(gg_var *v, const void *src, size_t bytes);
/** Set all elements of the present value to zero; sizes and memory stay. Does
 *  not block. */
GG_PUBLIC int gg_shared_zero(gg_var *v);

/** Set the default update of `shared`, such as the next state of a counter or
 *  of a random stream. Every function that uses `shared` performs it, unless
 *  the function has an update of its own for `shared` or excludes it
 *  (no_default_updates, GG_NO_DEFAULT_UPDATES in func.h). NULL: none. */
GG_PUBLIC int gg_shared_set_update(gg_var *shared, gg_var *value);

/** Create a constant. `value` is host memory in C order, and is copied. */
GG_PUBLIC gg_var *gg_constant(gg_graph *g, int dtype, unsigned int nd,
                              const size_t *dims, const void *value);
/** Create a scalar constant. */
GG_PUBLIC gg_var *gg_scalar(gg_graph *g, int dtype, double value);
GG_PUBLIC gg_var *gg_f32(gg_graph *g, float value);
GG_PUBLIC gg_var *gg_f64(gg_graph *g, double value);
GG_PUBLIC gg_var *gg_i64(gg_graph *g, int64_t value);
/** Create a weak scalar: it takes the dtype of the operands beside it, so that
 *  gg_mul(x, gg_weak(g, 0.5)) of float16 is float16. Beside integers or bool
 *  alone a real one is float32. A whole one beside bool is int64; it must fit a
 *  dtype of integers (GA_VALUE_ERROR), but may be compared with any. By itself
 *  a weak scalar is float32 or int64. See docs/dtypes.md. */
GG_PUBLIC gg_var *gg_weak(gg_graph *g, double value);
GG_PUBLIC gg_var *gg_weak_int(gg_graph *g, int64_t value);
/**@}*/

/** \name Properties of variables */
/**@{*/
GG_PUBLIC const gg_type *gg_var_type(const gg_var *v); /**< borrowed */
GG_PUBLIC const char *gg_var_name(const gg_var *v);    /**< "" if unnamed */
/** Return the name of an axis's size (gg_size_named), "" if it has none. */
GG_PUBLIC const char *gg_var_size_name(const gg_var *v, unsigned int axis);
/** Name a variable for pictures, profiles and messages. Returns `v`. */
GG_PUBLIC gg_var *gg_named(gg_var *v, const char *name);
GG_PUBLIC gg_graph *gg_var_graph(const gg_var *v);
/** Write "float32[400, ?]" into `buf` (always terminated). Returns `buf`. */
GG_PUBLIC char *gg_type_text(const gg_type *t, char *buf, size_t bytes);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
