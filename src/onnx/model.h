/* SPDX-License-Identifier: BSD-2-Clause */
/* A model as records that point into its bytes. Names are copied, elements of
 * tensors are not. Texts that are not given are "". */
#ifndef ONNX_MODEL_H
#define ONNX_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "onnx/wire.h"

typedef struct gg__onnx_entry {
  const char *key, *value;
} gg__onnx_entry;

typedef struct gg__onnx_tensor {
  const char *name;
  int64_t type; /* of its elements */
  size_t nd;
  const int64_t *dims;
  gg__bytes message; /* all of it: typed elements are read from here */
  gg__bytes raw;     /* elements as they lie in memory, little end first */
  /* Elements in another file. */
  int64_t is_external;
  size_t n_entries;
  const gg__onnx_entry *entries;
} gg__onnx_tensor;

/* Kinds of attributes, as the format numbers them. */
enum {
  GG_ATTR_NONE = 0, /* not given: by what the record has */
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
  const char *ref; /* in functions: the attribute of the call; NULL: none */
  int64_t kind;    /* GG_ATTR_* or a later number of the format */
  float f;
  int64_t i;
  const char *s;
  const gg__onnx_tensor *t;
  const struct gg__onnx_graph *g;
  size_t n_floats, n_ints, n_strings;
  const float *floats;
  const int64_t *ints;
  const char **strings;
} gg__onnx_attr;

typedef struct gg__onnx_node {
  const char *op, *domain, *name, *overload; /* "" where not given */
  size_t n_in, n_out, n_attrs;
  const char **in, **out; /* "": omitted */
  gg__onnx_attr *attrs;
  size_t at; /* its offset in the file */
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
  const gg__onnx_tensor_type *tensor; /* NULL: a sequence or the like */
} gg__onnx_type;

/* What is declared of an input or an output. */
typedef struct gg__onnx_info {
  const char *name;
  gg__onnx_type type;
} gg__onnx_info;

typedef struct gg__onnx_sparse {
  gg__onnx_tensor values;
} gg__onnx_sparse;

typedef struct gg__onnx_graph {
  const char *name;
  size_t n_nodes, n_tensors, n_in, n_out, n_sparse;
  gg__onnx_node *nodes;
  gg__onnx_tensor *tensors; /* initial values */
  gg__onnx_info *in, *out;
  gg__onnx_sparse *sparse; /* not supported */
} gg__onnx_graph;

typedef struct gg__onnx_opset {
  const char *domain;
  int64_t version;
} gg__onnx_opset;

typedef struct gg__onnx_function {
  const char *name, *domain, *overload;
  size_t n_in, n_out, n_attrs, n_defaults, n_nodes, n_opsets;
  const char **in, **out;
  const char **attrs; /* names without a default */
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

/* Read all records of a model, or a tensor in a file of its own, into an arena.
 * The message of a failure has the offset. */
int gg__onnx_read(gg__onnx_model *m, ga__arena *arena, gg__bytes file);
int gg__onnx_read_tensor(gg__onnx_tensor *t, ga__arena *arena, gg__bytes file);
/* The version of the operators of `domain` in a list; 0: it is not there. */
int64_t gg__onnx_version(const gg__onnx_opset *opsets, size_t n,
                         const char *domain);

#endif
