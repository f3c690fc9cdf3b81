/* SPDX-License-Identifier: BSD-2-Clause */
/** \file onnx.h
 *  Models in the ONNX format, as graphs, and functions as models. These
 *  functions are in a library of their own, libgpugraph-onnx.
 *
 *      gg_onnx *m;
 *      gg_func *f;
 *
 *      err = gg_onnx_open(&m, "model.onnx");
 *      err = gg_onnx_load(m, g, NULL);
 *      err = gg_func_new(&f, g, &(gg_func_spec){
 *          .inputs = gg_onnx_inputs(m), .outputs = gg_onnx_outputs(m)});
 *      gg_onnx_close(m);
 *
 *  docs/models.md lists what is supported. Files are not trusted: lengths,
 *  sizes and names that they state are checked before they are used.
 *  gpuarray_error_text gives the message of an error. Only one thread may use a
 *  model at a time. */
#ifndef GPUGRAPH_ONNX_H
#define GPUGRAPH_ONNX_H

#include <gpugraph/args.h>
#include <gpugraph/func.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gg_onnx gg_onnx;

/** Open a model. The file is mapped, not copied, and must not change until the
 *  model is closed. Other files that it names must lie in its folder.
 *
 *  GA_SYS_ERROR, with the path, if the file or its folder cannot be read;
 *  GA_VALUE_ERROR, with the offset, if the file is damaged or no model;
 *  GA_UNSUPPORTED_ERROR if its version is later than those that are known, or
 *  an input or output has more than GG_MAX_ND dimensions. *out is NULL on
 *  error. */
GG_PUBLIC int gg_onnx_open(gg_onnx **out, const char *path);
/** The same for a file of n bytes in memory. The caller owns the memory, and
 *  must not change or free it until the model is closed. `folder` holds other
 *  files that the model names. If it is NULL, the model may name none. */
GG_PUBLIC int gg_onnx_open_memory(gg_onnx **out, const void *bytes, size_t n,
                                  const char *folder);
/** Close a model, and free the lists and strings that it lent. Accepts NULL.
 *  Graphs that were loaded from it stay valid. */
GG_PUBLIC void gg_onnx_close(gg_onnx *m);

/** \name What a model declares
 *  All pointers are borrowed from the model. */
/**@{*/
typedef struct gg_onnx_info {
  const char *name;
  const char *type_name; /**< such as "float"; "" if it is not a tensor */
  int dtype;             /**< GA_FLOAT, ...; -1: no array has that type */
  int has_shape;         /**< if 0, nd and dims are unknown */
  unsigned int nd;
  int64_t dims[GG_MAX_ND];           /**< GG_ANY: open */
  const char *size_names[GG_MAX_ND]; /**< such as "batch"; NULL: none */
} gg_onnx_info;

/** Return the number of inputs. Those that have initial values in the model
 *  are weights, and do not count. */
GG_PUBLIC size_t gg_onnx_n_inputs(const gg_onnx *m);
GG_PUBLIC size_t gg_onnx_n_outputs(const gg_onnx *m);
/** Return input i, or NULL if there is no such input. */
GG_PUBLIC const gg_onnx_info *gg_onnx_input(const gg_onnx *m, size_t i);
GG_PUBLIC const gg_onnx_info *gg_onnx_output(const gg_onnx *m, size_t i);
/** The version of the format; that of ONNX's own ops, 0 if it imports none; the
 *  program that wrote the model, "" if unknown; how many nodes and tensors with
 *  initial values the main graph has, and functions the model; and the bytes of
 *  these tensors, except those of types that arrays do not have. */
typedef struct gg_onnx_summary {
  int64_t ir_version, opset;
  const char *producer;
  size_t nodes, tensors, functions;
  size_t tensor_bytes;
} gg_onnx_summary;
GG_PUBLIC gg_onnx_summary gg_onnx_describe(const gg_onnx *m);
/**@}*/

/** An input that gets its value when the model is loaded. It becomes a constant
 *  of the graph instead of an input. The value is copied. */
typedef struct gg_onnx_fixed {
  const char *name;
  const gg_host_array *value;
} gg_onnx_fixed;

/** A list that ends with a NULL name, for gg_onnx_options. (C only.) */
#define GG_ONNX_FIXED(...) GG_LIST(gg_onnx_fixed, __VA_ARGS__)

typedef struct gg_onnx_options {
  /** Sizes that the model leaves open (GG_SIZES). Those that are not listed
   *  stay open, and calls decide; inputs keep their names (gg_var_size_name).
   *  The list ends with a NULL name; NULL is an empty list. It is a
   *  GA_VALUE_ERROR if the model does not have a name. */
  const gg_named_size *sizes;
  /** Values of inputs. Values that decide what is built, such as axes, must be
   *  constants of the model or listed here. The list ends like that of
   *  sizes. */
  const gg_onnx_fixed *fixed;
} gg_onnx_options;

/** Build the model into `g`. Weights become shared variables in its context,
 *  with their names; scalars (of rank 0) and short vectors of integers become
 *  constants. Blocks until the weights are copied. In a graph without a context
 *  weights become inputs instead, which is enough to inspect the model. `o` may
 *  be NULL. If `g` has an error already, that is returned.
 *
 *  If something cannot be built, the message lists all problems, with op,
 *  opset, name and offset of each node, and the nodes inside of whose graphs or
 *  functions it lies. The code is that of the first problem:
 *  GA_UNSUPPORTED_ERROR, GA_VALUE_ERROR, GA_XLARGE_ERROR, or GA_SYS_ERROR for
 *  another file that the model names. The whole model is checked first, in a
 *  graph of its own: after such an error `g` is as it was, and no memory for
 *  weights was allocated. After GA_MEMORY_ERROR `g` may hold a part of the
 *  model. */
GG_PUBLIC int gg_onnx_load(gg_onnx *m, gg_graph *g, const gg_onnx_options *o);
/** Check whether gg_onnx_load with these options can build the model, with the
 *  same errors. Allocates nothing on the device; `ctx` may be NULL. Empties the
 *  lists of gg_onnx_inputs and gg_onnx_outputs. */
GG_PUBLIC int gg_onnx_check(gg_onnx *m, gpucontext *ctx,
                            const gg_onnx_options *o);

/** Return the inputs or outputs that the last gg_onnx_load built, in the order
 *  of the model. Fixed inputs are left out. The lists end with NULL. They
 *  belong to the model, and are valid until the next load or check; the
 *  variables belong to the graph. The lists are empty if that load failed, or
 *  before the first one. */
GG_PUBLIC gg_var *const *gg_onnx_inputs(const gg_onnx *m);
GG_PUBLIC gg_var *const *gg_onnx_outputs(const gg_onnx *m);

/** \name Writing
 *  Models have version 8 of the format and opset 18. */
/**@{*/
/** A name for the size of an axis of an input that calls decide, in place of
 *  that of gg_size_named. */
typedef struct gg_onnx_axis {
  gg_var *input;
  unsigned int axis;
  const char *name;
} gg_onnx_axis;
/** A list that ends with a NULL input. (C only.) */
#define GG_ONNX_AXES(...) GG_LIST(gg_onnx_axis, __VA_ARGS__)

/** Leave the updates of the function out, which a model cannot have. Default
 *  updates (gg_shared_set_update) are always left out. */
#define GG_ONNX_NO_UPDATES 1

typedef struct gg_onnx_save_options {
  /** Axes that are not listed have the names of gg_size_named; those without a
   *  name are called by their input and index, such as "x_0". NULL: none are
   *  listed. */
  const gg_onnx_axis *axes;
  /** If weights and constants have more bytes than this in all, those of 1024
   *  bytes and more go to a file with the model's name and ".data" behind it.
   *  0: 1 GiB. A model itself has less than 2 GiB. */
  uint64_t external_above;
  int flags; /**< GG_ONNX_* */
} gg_onnx_save_options;

/** Write a function as a model. Inputs, outputs and shared variables keep their
 *  names; shared variables are weights, with their present values. Ops without
 *  a counterpart are composed of others where that is possible. docs/models.md
 *  says how. The graph of the variables is not changed, except that `givens`
 *  are replaced in it (gg_replace). Blocks.
 *
 *  A file at the path is replaced, or written to, as by GpuArray_save_npy()
 *  (gpuarray/npy.h): on failure, the old file stays. A file for weights is put
 *  in place just before the model.
 *
 *  GA_UNSUPPORTED_ERROR, with a line for each op, update and variable that a
 *  model cannot have; GA_VALUE_ERROR for a spec or an option that is wrong;
 *  GA_XLARGE_ERROR if the model would have 2 GiB or more; GA_SYS_ERROR when the
 *  system refuses. `o` may be NULL. */
GG_PUBLIC int gg_onnx_save(const gg_func_spec *spec, const char *path,
                           const gg_onnx_save_options *o);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
