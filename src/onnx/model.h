/* SPDX-License-Identifier: BSD-2-Clause */
/* A model as records. Texts are copied, elements of tensors stay in the file.
 * A text that the file does not give is "", unless a member says otherwise. */
#ifndef ONNX_MODEL_H
#define ONNX_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "onnx/format/wire.h"

/* How a tensor names another file: "location", "offset", "length". */
typedef struct gg__onnx_entry {
  const char *key, *value;
} gg__onnx_entry;

typedef struct gg__onnx_tensor {
  const char *name;
  int64_t type; /* of its elements, by the numbers of the format */
  size_t nd;
  const int64_t *dims;
  gg__bytes message; /* all of it; lists of elements are read from here */
  gg__bytes segment; /* which part of a tensor this is; p is NULL: all of it */
  gg__bytes raw;     /* elements in C order, little-endian; p may be NULL */
  int64_t is_external; /* 1: the elements are in another file */
  size_t n_entries;
  const gg__onnx_entry *entries;
} gg__onnx_tensor;

/* Kinds of attributes, as the format numbers them. */
enum {
  GG_ATTR_NONE = 0, /* not given: an error, unless `ref` is */
  GG_ATTR_FLOAT = 1,
  GG_ATTR_INT,
  GG_ATTR_STRING,
  GG_ATTR_TENSOR,
  GG_ATTR_GRAPH,
  GG_ATTR_FLOATS,
  GG_ATTR_INTS,
  GG_ATTR_STRINGS
};

struct gg__onnx_graph;

typedef struct gg__onnx_attr {
  const char *name;
  const char *ref; /* in functions: an attribute of the calling node, which has
                      the value; NULL: none */
  int64_t kind;    /* GG_ATTR_* or a later number of the format */
  float f;
  int64_t i;
  const char *s;
  const gg__onnx_tensor *t;
  const struct gg__onnx_graph *g;
  size_t n_floats, n_ints, n_texts;
  const float *floats;
  const int64_t *ints;
  const char **texts;
} gg__onnx_attr;

typedef struct gg__onnx_node {
  const char *op, *domain, *name, *overload; /* "" where not given */
  size_t n_in, n_out, n_attrs;
  const char **in, **out; /* names of values; "": omitted */
  gg__onnx_attr *attrs;
  size_t at; /* its offset in the file, in bytes */
} gg__onnx_node;

typedef struct gg__onnx_dim {
  int64_t value;    /* negative: open */
  const char *name; /* NULL: it has none */
} gg__onnx_dim;

typedef struct gg__onnx_shape {
  size_t nd;
  const gg__onnx_dim *dims;
} gg__onnx_shape;

typedef struct gg__onnx_tensor_type {
  int64_t elem;
  const gg__onnx_shape *shape; /* NULL: unknown */
} gg__onnx_tensor_type;

typedef struct gg__onnx_type {
  const gg__onnx_tensor_type *tensor; /* NULL: not a tensor */
} gg__onnx_type;

/* The declaration of an input or an output. */
typedef struct gg__onnx_info {
  const char *name;
  gg__onnx_type type;
} gg__onnx_info;

/* Sparse tensors are not supported. Their names are for messages. */
typedef struct gg__onnx_sparse {
  gg__onnx_tensor values;
} gg__onnx_sparse;

typedef struct gg__onnx_graph {
  size_t n_nodes, n_tensors, n_in, n_out, n_sparse;
  gg__onnx_node *nodes;
  gg__onnx_tensor *tensors; /* initial values */
  gg__onnx_info *in, *out;
  gg__onnx_sparse *sparse;
} gg__onnx_graph;

typedef struct gg__onnx_opset {
  const char *domain;
  int64_t version;
} gg__onnx_opset;

typedef struct gg__onnx_function {
  const char *name, *domain, *overload;
  size_t n_in, n_out, n_defaults, n_nodes, n_opsets;
  const char **in, **out;
  gg__onnx_attr *defaults;
  gg__onnx_node *nodes;
  gg__onnx_opset *opsets;
} gg__onnx_function;

typedef struct gg__onnx_model {
  int64_t ir_version;
  const char *producer;
  gg__onnx_graph graph;
  size_t n_opsets, n_functions;
  gg__onnx_opset *opsets;
  gg__onnx_function *functions;
} gg__onnx_model;

/* Read a model, or a tensor that has a file of its own, with the records in the
 * arena. They borrow from `file`. The message of GA_VALUE_ERROR has the offset
 * in bytes. */
int gg__onnx_read(gg__onnx_model *m, ga__arena *arena, gg__bytes file);
int gg__onnx_read_tensor(gg__onnx_tensor *t, ga__arena *arena, gg__bytes file);
/* The version of a domain in a list of n opsets; 0 if it is not listed. */
int64_t gg__onnx_version(const gg__onnx_opset *opsets, size_t n,
                         const char *domain);

#endif
