/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds nodes of a model into a graph. */
#ifndef ONNX_BUILD_H
#define ONNX_BUILD_H

#include "onnx/ops/onnx_call.h"

/* How many nodes may be built. Those of a function count in each call, so that
 * functions that call each other cannot make a huge graph from a small file. */
#define GG_ONNX_MOST_NODES 1000000

/* How many variables of a graph a model may become: one node can be many. */
#define GG_ONNX_MOST_VARS 1000000

/* How deeply inner graphs and calls of functions may nest. */
#define GG_ONNX_DEEPEST 64

void gg__scope_clear(gg__onnx_scope *s);
/* Add a value to a scope. `var` may be NULL. *out gets the value, or NULL for
 * an empty name, which adds nothing; `out` may be NULL. GA_VALUE_ERROR if the
 * scope has that name. */
int gg__scope_add(gg__onnx_build *b, gg__onnx_scope *s, const char *name,
                  gg_var *var, gg__onnx_value **out);
/* The same, but a name that is used twice is a problem, which is collected. */
int gg__build_add(gg__onnx_build *b, gg__onnx_scope *s, const char *name,
                  gg_var *var, gg__onnx_value **out);
/* The value with a name in the scope or those around it, or NULL. */
gg__onnx_value *gg__scope_find(const gg__onnx_scope *s, const char *name);
/* Fill the map of functions. */
int gg__build_functions(gg__onnx_build *b);
/* Check the tensors of a graph, and add them to the scope. */
int gg__build_tensors(gg__onnx_build *b, gg__onnx_scope *s,
                      const gg__onnx_graph *graph);
/* Build n nodes. Problems are collected in `b`. The code is that of an error
 * that ends the build: too many nodes, or no memory. */
int gg__build_nodes(gg__onnx_build *b, gg__onnx_scope *s,
                    const gg__onnx_node *nodes, size_t n);
/* Build a graph that is an attribute: the function `subgraph` of a build. */
int gg__build_inner(gg__onnx_call *c, const gg__onnx_graph *graph, size_t n_in,
                    gg_var *const *in, gg_var **out);
/* Collect an error: that of the graph if it has one, else the last one. `code`
 * is its code. It is a problem of `node` in b->scope, in opset `version`; NULL
 * and 0 for others. Clears the error of the graph. GA_MEMORY_ERROR is returned
 * instead. */
int gg__build_problem(gg__onnx_build *b, const gg__onnx_node *node,
                      int64_t version, int code);

#endif
