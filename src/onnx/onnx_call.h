/* SPDX-License-Identifier: BSD-2-Clause */
/* What the builder of an op sees: one node of a model, with the variables of
 * its inputs and places for those of its outputs. */
#ifndef ONNX_ONNX_CALL_H
#define ONNX_ONNX_CALL_H

#include <gpugraph/graph.h>

#include "base/map.h"
#include "base/strb.h"
#include "onnx/model.h"
#include "onnx/tensor.h"

/* A value of a model: a variable, or a tensor that becomes one when an op asks
 * for it. */
typedef struct gg__onnx_value {
  const char *name;
  gg_var *var;                   /* NULL: not built yet, or failed */
  const gg__onnx_tensor *tensor; /* NULL: it is computed, or an input */
  int failed;                    /* what computes it was reported */
} gg__onnx_value;

/* The values of one graph or one call of a function, by name. */
typedef struct gg__onnx_scope {
  ga__map values;
  struct gg__onnx_scope *outer; /* NULL: the model's graph, and functions */
  /* In a function: the node that calls it, and where that stands. */
  const gg__onnx_function *function;
  const gg__onnx_node *caller;
  struct gg__onnx_scope *caller_scope;
  const gg__onnx_opset *opsets;
  size_t n_opsets;
} gg__onnx_scope;

struct gg__onnx_row;
struct gg__onnx_build;

typedef struct gg__onnx_call {
  struct gg__onnx_build *b;
  gg_graph *g;
  const gg__onnx_node *node;
  const struct gg__onnx_row *row;
  gg__onnx_scope *scope;
  int64_t version; /* of the operators of the node's domain */
  size_t n_in, n_out;
  gg__onnx_value **in; /* NULL: omitted */
  gg_var **out;
} gg__onnx_call;

/* A line of the table of ops. */
typedef struct gg__onnx_row {
  const char *op;   /* with its domain unless that is ONNX's own */
  int since, until; /* versions; the newest that is known if `until` is 0 */
  int (*build)(gg__onnx_call *c);
  const char *attrs; /* those that it knows, with spaces between them */
  /* For builders that serve many ops. */
  gg_var *(*one)(gg_var *x);
  gg_var *(*two)(gg_var *a, gg_var *b);
  int arg;
} gg__onnx_row;

/* A model that is being built into a graph. */
typedef struct gg__onnx_build {
  gg_graph *g;
  ga__arena *arena; /* of what lives as long as the build */
  gg__onnx_files *files;
  const gg__onnx_model *model;
  const char *path; /* in messages */
  int dry;          /* weights are inputs: nothing is allocated on the device */
  int depth;        /* of graphs and functions that are being built */
  size_t left;      /* nodes that may still be built */
  ga__strb problems;
  size_t n_problems;
  int code; /* of the first problem */
  /* Build a graph that is an attribute of a node: the first `n_in` inputs are
   * `in`, out[i] becomes output i. */
  int (*subgraph)(gg__onnx_call *c, const gg__onnx_graph *graph, size_t n_in,
                  gg_var *const *in, gg_var **out);
} gg__onnx_build;

/* --- inputs --- */

/* Is input i given? */
int gg__call_has(const gg__onnx_call *c, size_t i);
/* The variable of input i. NULL if it is omitted, and if it cannot be made:
 * then the graph has the error. */
gg_var *gg__call_in(gg__onnx_call *c, size_t i);
gg_var *gg__value_var(gg__onnx_build *b, gg__onnx_value *v);
unsigned int gg__call_rank(gg__onnx_call *c, size_t i);
/* The values of a scalar or a vector of integers that are known while the model
 * is loaded, at most `most`; GA_UNSUPPORTED_ERROR for others. */
int gg__call_known(gg__onnx_call *c, size_t i, size_t most, size_t *n,
                   int64_t *out);
int gg__call_known_one(gg__onnx_call *c, size_t i, int64_t *out);
/* Nonzero if input i is such a scalar or vector of at most `most` elements. */
int gg__call_is_known(gg__onnx_call *c, size_t i, size_t most);
/* A scalar or a vector of integers as scalars that calls decide. */
int gg__call_sizes(gg__onnx_call *c, size_t i, size_t most, size_t *n,
                   gg_var **out);
/* The number of a float scalar that is known while the model is loaded. */
int gg__call_known_float(gg__onnx_call *c, size_t i, double *out);

/* --- attributes --- */

const gg__onnx_attr *gg__call_attr(const gg__onnx_call *c, const char *name);
int64_t gg__call_int(const gg__onnx_call *c, const char *name, int64_t missing);
double gg__call_float(const gg__onnx_call *c, const char *name, double missing);
const char *gg__call_text(const gg__onnx_call *c, const char *name,
                          const char *missing);
/* A list of integers; *n is 0 if it is not given. */
const int64_t *gg__call_ints(const gg__onnx_call *c, const char *name,
                             size_t *n);

/* --- axes and sizes --- */

/* Turn an axis of `nd` into one that counts from 0. GA_VALUE_ERROR if there is
 * none such. */
int gg__call_axis(int64_t axis, unsigned int nd, int *out);
/* The attribute `axis`, likewise. */
int gg__call_axis_attr(const gg__onnx_call *c, int64_t missing, unsigned int nd,
                       int *out);
/* The size of an axis, as a constant where it is known. */
gg_var *gg__size_of(gg_var *x, int axis);
/* Nonzero if all sizes of x are known. */
int gg__all_known(const gg_var *x);

/* A scalar of x's dtype. */
gg_var *gg__like(gg_var *x, double value);
int gg__dtype_of(const gg_var *x);

#endif
