/* SPDX-License-Identifier: BSD-2-Clause */
/* A function as a model. Writers (save_*.c) see a node of the graph and write
 * nodes of the model; save_table.def lists which op is written how.
 *
 * The first error sticks to the save, and functions that get a NULL name give
 * NULL, so that writers nest calls and need no checks. */
#ifndef ONNX_SAVE_H
#define ONNX_SAVE_H

#include <gpugraph/op.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/strb.h"
#include "base/vec.h"
#include "onnx/model.h"

/* The opset and the version of the format that are written. */
#define GG_SAVE_OPSET 18
#define GG_SAVE_IR 8

/* The name of a value of the model, in the arena. */
typedef const char *gg__name;

/* A graph of the model that is being written: the main one, or one inside of a
 * node. Values of outer graphs are visible in inner ones. */
typedef struct gg__frame {
  struct gg__frame *outer;
  ga__map names;  /* of variables, which are the keys */
  ga__strb nodes; /* fields of the graph */
} gg__frame;

/* A tensor with initial values. */
typedef struct gg__out_tensor {
  gg__name name;
  int dtype;
  unsigned int nd;
  const int64_t *dims;
  const gg_var *shared; /* whose value it is; NULL: `data` has the elements */
  const void *data;
  size_t bytes;
  uint64_t at; /* where it lies in the other file, in bytes */
  int is_external;
} gg__out_tensor;

typedef GA_VEC(gg__out_tensor) gg__out_tensors;

typedef struct gg__save {
  gg_graph *g; /* a copy, into which decompositions are built */
  ga__arena arena;
  gg__frame *frame;
  ga__map taken;     /* names */
  ga__map constants; /* names by dtype, sizes and elements */
  ga__map used;      /* variables that others need */
  gg__out_tensors tensors;
  size_t n_names;
  ga__strb problems; /* a line for each */
  size_t n_problems;
  int err; /* sticky: what ends the save at once */
  /* Write the nodes that compute a variable, and return its name. */
  gg__name (*write)(struct gg__save *s, gg_var *v);
  /* Write all nodes that `outputs` need, from leaves or the variables of
   * `until`, which have names. Lists end with NULL. */
  int (*write_all)(struct gg__save *s, gg_var *const *outputs,
                   gg_var *const *until);
} gg__save;

/* --- names --- */

/* A name that is not taken: `wish`, if it is not empty, or one made of it. */
gg__name gg__save_name(gg__save *s, const char *wish);
/* The name of a variable, whose nodes are written if they are not yet. */
gg__name gg__name_of(gg__save *s, gg_var *v);
/* The name of input i of a node of the graph. */
gg__name gg__name_in(gg__save *s, const gg_apply *a, unsigned int i);
/* Let `name` be the value of a variable. */
void gg__bind(gg__save *s, const gg_var *v, gg__name name);
/* Nonzero if the model needs a variable. */
int gg__is_used(const gg__save *s, const gg_var *v);
/* Collect a problem of a node, or of the function if it is NULL. Returns a name
 * that stands for the value, so that the save goes on and finds them all. */
gg__name gg__save_problem(gg__save *s, const gg_apply *a, const char *fmt, ...)
    GPUARRAY_PRINTF(3, 4);

/* --- nodes --- */

typedef struct gg__out_attr {
  const char *name; /* NULL ends a list */
  int kind;         /* GG_ATTR_* (model.h) */
  int64_t i;
  double f;
  const char *s;
  size_t n;
  const int64_t *ints;
  const ga__strb *graph;
} gg__out_attr;

#define GG_A_INT(text, v)                                                      \
  { .name = (text), .kind = GG_ATTR_INT, .i = (v) }
#define GG_A_FLOAT(text, v)                                                    \
  { .name = (text), .kind = GG_ATTR_FLOAT, .f = (v) }
#define GG_A_TEXT(text, v)                                                     \
  { .name = (text), .kind = GG_ATTR_STRING, .s = (v) }
#define GG_A_INTS(text, count, list)                                           \
  { .name = (text), .kind = GG_ATTR_INTS, .n = (count), .ints = (list) }
#define GG_A_GRAPH(text, message)                                              \
  { .name = (text), .kind = GG_ATTR_GRAPH, .graph = (message) }
#define GG_ATTRS(...)                                                          \
  (const gg__out_attr[]) {                                                     \
    __VA_ARGS__, {                                                             \
      .name = NULL                                                             \
    }                                                                          \
  }
/* The inputs of a node: their count and their names. */
#define GG_IN(...)                                                             \
  (sizeof((gg__name[]){__VA_ARGS__}) / sizeof(gg__name)), (gg__name[]) {       \
    __VA_ARGS__                                                                \
  }

/* Write a node with one output, and return its name. `attrs` may be NULL. */
gg__name gg__node(gg__save *s, const char *op, size_t n_in, const gg__name *in,
                  const gg__out_attr *attrs);
/* The same with a name that the caller took. */
void gg__node_as(gg__save *s, const char *op, size_t n_in, const gg__name *in,
                 const gg__out_attr *attrs, gg__name out);
/* The same with n_out outputs; their names are in out[]. An empty input is
 * omitted. */
void gg__node_outs(gg__save *s, const char *op, size_t n_in, const gg__name *in,
                   const gg__out_attr *attrs, size_t n_out, gg__name *out);

/* Declare a value in field `id` of a graph: 11 for inputs, 12 for outputs.
 * `shape` has its dimensions. */
void gg__put_value(ga__strb *graph, uint32_t id, gg__name name, int dtype,
                   const ga__strb *shape);

/* --- tensors --- */

/* The value of a constant or a shared variable as a tensor. */
gg__name gg__save_leaf(gg__save *s, const gg_var *v);
/* A vector of n int64, and a scalar of a dtype. */
gg__name gg__ints(gg__save *s, size_t n, const int64_t *v);
gg__name gg__scalar_name(gg__save *s, int dtype, double v);

/* --- short forms --- */

/* A node with two inputs and no attributes. */
gg__name gg__two(gg__save *s, const char *op, gg__name x, gg__name y);
/* Elements of an axis by an index. */
gg__name gg__gather_name(gg__save *s, gg__name x, gg__name index, int64_t axis);
gg__name gg__cast_name(gg__save *s, gg__name x, int dtype);
/* A vector as a scalar, and a scalar as a vector of one element. */
gg__name gg__as_scalar(gg__save *s, gg__name x);
gg__name gg__as_vector(gg__save *s, gg__name x);
/* Sizes of v as a vector: of axis `axis`, or of all. */
gg__name gg__size_vector(gg__save *s, gg_var *v, unsigned int axis);
gg__name gg__shape_name(gg__save *s, gg_var *v);
/* The vector of n integer scalars. */
gg__name gg__scalars(gg__save *s, unsigned int n, gg_var *const *scalars);

/* --- properties of a node, by the names that texts have (gg_op_form) --- */

int64_t gg__prop(const gg_apply *a, const char *name);
/* Element i of a list, and the length of that list. */
int64_t gg__prop_at(const gg_apply *a, const char *name, unsigned int i);
unsigned int gg__prop_count(const gg_apply *a, const char *name);
double gg__prop_real(const gg_apply *a, const char *name);
/* The word of a property that is one of several. */
const char *gg__prop_word(const gg_apply *a, const char *name);

/* --- complex numbers (save_complex.c) --- */

/* Nonzero if an input or an output of a node is complex. */
int gg__has_complex(const gg_apply *a);
/* The output of such a node, composed of parts of its operands; NULL if it
 * cannot be. */
gg_var *gg__compose_complex(const gg_apply *a);

/* --- the table (save_table.c) --- */

typedef struct gg__save_row {
  const char *name; /* of the op */
  const char *same; /* the op of the model with the same operands; or NULL */
  gg__name (*write)(gg__save *s, const gg_apply *a); /* or NULL */
  gg_var *(*compose)(const gg_apply *a);             /* of other ops; or NULL */
} gg__save_row;

/* The row for an op, or NULL. */
const gg__save_row *gg__save_find(const gg_op *op);

/* --- numbers of the format --- */

/* The type of the format for a dtype; 0 if it has none. */
int64_t gg__onnx_type_of(int dtype);

#endif
