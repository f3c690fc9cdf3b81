/* SPDX-License-Identifier: BSD-2-Clause */
/** \file onnx.h
 *  Models in the ONNX format, as graphs. In a library of its own,
 *  libgpugraph-onnx.
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
 *  docs/models.md lists what is supported. Files are not trusted: all that they
 *  say is compared with what they have. Messages are those of
 *  gpuarray_error_text; errors of loading stick to the graph, too. A model is
 *  for one thread at a time. */
#ifndef GPUGRAPH_ONNX_H
#define GPUGRAPH_ONNX_H

#include <gpugraph/args.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gg_onnx gg_onnx;

/** Open a model. The file is mapped, not copied, and must not change until the
 *  model is closed. Other files that it names must lie in its folder.
 *
 *  GA_SYS_ERROR, with the path, when the system refuses; GA_VALUE_ERROR for a
 *  file that is damaged or of another kind, with the offset; *out is NULL
 *  then. */
GG_PUBLIC int gg_onnx_open(gg_onnx **out, const char *path);
/** The same from memory, which the caller keeps until the model is closed.
 *  `folder` holds other files that it names; NULL: it may name none. */
GG_PUBLIC int gg_onnx_open_memory(gg_onnx **out, const void *bytes, size_t n,
                                  const char *folder);
/** Accepts NULL. Graphs that were loaded stay valid. */
GG_PUBLIC void gg_onnx_close(gg_onnx *m);

/** \name What a model declares
 *  Borrowed from the model. */
/**@{*/
typedef struct gg_onnx_info {
  const char *name;
  const char *type_name; /**< such as "float" or "string"; "" for no tensor */
  int dtype;             /**< GA_FLOAT, ...; -1: no array has that type */
  int has_shape;         /**< if 0, nd and dims are unknown */
  unsigned int nd;
  int64_t dims[GG_MAX_ND];           /**< GG_ANY where calls decide */
  const char *size_names[GG_MAX_ND]; /**< of these, such as "batch"; or NULL */
} gg_onnx_info;

/** Inputs are those without initial values. */
GG_PUBLIC size_t gg_onnx_n_inputs(const gg_onnx *m);
GG_PUBLIC size_t gg_onnx_n_outputs(const gg_onnx *m);
/** NULL beyond the last. */
GG_PUBLIC const gg_onnx_info *gg_onnx_input(const gg_onnx *m, size_t i);
GG_PUBLIC const gg_onnx_info *gg_onnx_output(const gg_onnx *m, size_t i);
/** The format's version, that of ONNX's own operators (0: none are imported),
 *  and the number of nodes and of tensors with initial values. */
typedef struct gg_onnx_summary {
  int64_t ir_version, opset;
  const char *producer;
  size_t nodes, tensors, functions;
} gg_onnx_summary;
GG_PUBLIC gg_onnx_summary gg_onnx_describe(const gg_onnx *m);
/**@}*/

/** A size by the name that the model has for it. */
typedef struct gg_onnx_size {
  const char *name;
  int64_t size;
} gg_onnx_size;

/** An input that gets its value when the model is loaded. It is a constant
 *  then, and no input. */
typedef struct gg_onnx_fixed {
  const char *name;
  const gg_host_array *value;
} gg_onnx_fixed;

/** Lists end with a NULL name; NULL is an empty list. (C only.) */
#define GG_ONNX_SIZES(...) GG_LIST(gg_onnx_size, __VA_ARGS__)
#define GG_ONNX_FIXED(...) GG_LIST(gg_onnx_fixed, __VA_ARGS__)

typedef struct gg_onnx_options {
  const gg_onnx_size *sizes; /**< the others are open: calls decide */
  /** Values that decide what is built, such as axes, must be known: they are
   *  constants of the model, or given here. */
  const gg_onnx_fixed *fixed;
} gg_onnx_options;

/** Build the model into `g`. Weights become shared variables in its context,
 *  with their names; scalars and short vectors of integers become constants.
 *
 *  GA_UNSUPPORTED_ERROR or GA_VALUE_ERROR if something cannot be built: the
 *  message lists all of it, with op, opset, name and offset of each node. The
 *  whole model is checked in a graph of its own first, so `g` then has nothing
 *  of it, and no memory for weights was allocated. */
GG_PUBLIC int gg_onnx_load(gg_onnx *m, gg_graph *g, const gg_onnx_options *o);
/** Do only that check: will gg_onnx_load with these options succeed? */
GG_PUBLIC int gg_onnx_check(gg_onnx *m, gpucontext *ctx,
                            const gg_onnx_options *o);

/** The variables of the last gg_onnx_load, in the order of the model, inputs
 *  without those that were fixed. The lists end with NULL and belong to the
 *  model; the variables are the graph's. Empty if nothing was loaded. */
GG_PUBLIC gg_var *const *gg_onnx_inputs(const gg_onnx *m);
GG_PUBLIC gg_var *const *gg_onnx_outputs(const gg_onnx *m);

#ifdef __cplusplus
}
#endif

#endif
