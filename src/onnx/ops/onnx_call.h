/* SPDX-License-Identifier: BSD-2-Clause */
/* A call: one node of a model as the builder of its op sees it. The builder
 * reads inputs and attributes, and sets the variables of the outputs. */
#ifndef ONNX_OPS_ONNX_CALL_H
#define ONNX_OPS_ONNX_CALL_H

#include <gpugraph/graph.h>
#include <gpugraph/random.h>

#include "base/map.h"
#include "base/strb.h"
#include "onnx/format/tensor.h"
#include "onnx/model.h"

/* A value of a model: a variable, or a tensor that becomes a variable when an
 * op reads it first. */
typedef struct gg__onnx_value {
  const char *name;
  gg_var *var;                   /* NULL: not built yet, or failed */
  const gg__onnx_tensor *tensor; /* NULL: an input, or the output of a node */
  int failed;  /* it cannot be built, and the problem was collected */
  int omitted; /* an input of a function that the call leaves out */
} gg__onnx_value;

/* The values of one graph or one call of a function, by name. */
typedef struct gg__onnx_scope {
  ga__map values;
  struct gg__onnx_scope *outer; /* NULL for the model's graph and functions */
  /* In a function: that function, the node that calls it, and its scope. */
  const gg__onnx_function *function;
  const gg__onnx_node *caller;
  struct gg__onnx_scope *caller_scope;
  /* The node that has this graph as an attribute, or calls this function; NULL
   * for the model's graph. */
  const gg__onnx_node *around;
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
  int64_t version; /* the opset of the node's domain */
  size_t n_in, n_out;
  gg__onnx_value **in;           /* n_in; NULL: omitted */
  gg_var **out;                  /* n_out, which the builder sets */
  const gg__onnx_tensor *tensor; /* what output 0 is, or NULL */
  int is_reported; /* why the call fails was collected as a problem */
} gg__onnx_call;

/* A row of the table of ops. */
typedef struct gg__onnx_row {
  const char *op;   /* with its domain unless that is ONNX's own */
  int since, until; /* the first and the last opset; 0: all later ones */
  size_t most;      /* inputs */
  int (*build)(gg__onnx_call *c);
  const char *attrs; /* NAME:LETTER, separated by spaces; see op_table.def */
  /* For builders of several ops: what distinguishes this op. */
  gg_var *(*one)(gg_var *x);
  gg_var *(*two)(gg_var *a, gg_var *b);
  int arg;
} gg__onnx_row;

/* A model that is being built into a graph. */
typedef struct gg__onnx_build {
  gg_graph *g;
  ga__arena *arena; /* freed after the build */
  gg__onnx_files *files;
  const gg__onnx_model *model;
  ga__map functions;     /* of the model, for find_function */
  ga__strb key;          /* memory for a key of that map */
  const char *path;      /* in messages */
  int dry;               /* only a check: inputs stand in for weights */
  gg__onnx_scope *scope; /* of the node that is being built */
  int depth;   /* how deeply inner graphs and calls of functions nest now */
  size_t left; /* nodes that may still be built */
  int is_full; /* too many nodes or variables: the build ends */
  size_t most_vars;  /* variables that the graph may have */
  ga__strb problems; /* a line for each */
  size_t n_problems;
  int code;          /* of the first problem */
  gg_random *random; /* for nodes without a seed; NULL until one needs it */
  /* Build a graph that is an attribute of a node. in[i] is its input i; inputs
   * from n_in on have no variable. out[i] gets its output i: the caller has
   * memory for all of them. Problems are collected. */
  int (*subgraph)(gg__onnx_call *c, const gg__onnx_graph *graph, size_t n_in,
                  gg_var *const *in, gg_var **out);
} gg__onnx_build;

/* --- inputs --- */

/* Nonzero if input i is not omitted. */
int gg__call_has(const gg__onnx_call *c, size_t i);
/* The variable of input i. NULL if it is omitted or cannot be built. */
gg_var *gg__call_in(gg__onnx_call *c, size_t i);
/* The variable of a value. Builds that of a tensor on first use. NULL if that
 * fails. */
gg_var *gg__value_var(gg__onnx_build *b, gg__onnx_value *v);
/* The same, where having no variable is an error. */
int gg__value_need(gg__onnx_build *b, gg__onnx_value *v, gg_var **out);
/* The rank of input i, 0 if it is omitted. */
unsigned int gg__call_rank(gg__onnx_call *c, size_t i);
/* Set out[0 .. *n - 1] to the elements of input i, a scalar or vector of at
 * most `most` integers or bools; floats are truncated and limited to int64, NaN
 * becomes 0. GA_UNSUPPORTED_ERROR if it has more, or if they are not known
 * while the model is loaded. */
int gg__call_known(gg__onnx_call *c, size_t i, size_t most, size_t *n,
                   int64_t *out);
/* The same for exactly one element. */
int gg__call_known_one(gg__onnx_call *c, size_t i, int64_t *out);
/* Set out[0 .. *n - 1] to the elements of input i as scalars. Those that are
 * known are int64 constants; calls decide the others. *n may be 0. Errors as
 * for gg__call_known, except that elements need not be known. */
int gg__call_sizes(gg__onnx_call *c, size_t i, size_t most, size_t *n,
                   gg_var **out);
/* The same for exactly one element. */
int gg__call_size(gg__onnx_call *c, size_t i, gg_var **out);
/* The value of input i, all of whose elements are equal. GA_UNSUPPORTED_ERROR
 * if it is not known while the model is loaded. */
int gg__call_known_float(gg__onnx_call *c, size_t i, double *out);

/* Set out[0 .. *n - 1] to the elements of input i, a scalar or vector of at
 * most `most` numbers. GA_UNSUPPORTED_ERROR if it has more, or if they are not
 * known while the model is loaded. */
int gg__call_known_floats(gg__onnx_call *c, size_t i, size_t most, size_t *n,
                          double *out);

/* --- attributes --- */

/* The attribute with a name, or NULL. In a function it may be that of the node
 * that calls the function. The functions below return `missing` for NULL. */
const gg__onnx_attr *gg__call_attr(const gg__onnx_call *c, const char *name);
int64_t gg__call_int(const gg__onnx_call *c, const char *name, int64_t missing);
double gg__call_float(const gg__onnx_call *c, const char *name, double missing);
const char *gg__call_text(const gg__onnx_call *c, const char *name,
                          const char *missing);
/* Set *out to the place of a text attribute in a list of words, which ends with
 * NULL. GA_VALUE_ERROR if it is none of them. */
int gg__call_word(const gg__onnx_call *c, const char *name, const char *missing,
                  const char *const *words, int *out);
/* A list of *n integers, borrowed from the model; *n is 0 if it is missing. */
const int64_t *gg__call_ints(const gg__onnx_call *c, const char *name,
                             size_t *n);

/* --- axes and sizes --- */

/* *out: the index of an axis of rank nd; a negative axis counts from the end.
 * GA_VALUE_ERROR if there is no such axis. */
int gg__call_axis(int64_t axis, unsigned int nd, int *out);
/* The same for the attribute "axis". */
int gg__call_axis_attr(const gg__onnx_call *c, int64_t missing, unsigned int nd,
                       int *out);
/* The size of an axis as a scalar, which is a constant if the size is known. */
gg_var *gg__size_of(gg_var *x, int axis);

/* A scalar constant of x's dtype. */
gg_var *gg__like(gg_var *x, double value);
/* The dtype of x, -1 for NULL. */
int gg__dtype_of(const gg_var *x);

#endif
