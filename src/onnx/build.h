/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes of a model to nodes of a graph. */
#ifndef ONNX_BUILD_H
#define ONNX_BUILD_H

#include "onnx/onnx_call.h"

/* Most nodes that are built, those in functions counted at each call: functions
 * that call each other may not make a small file large. */
#define GG_ONNX_MOST_NODES 1000000

/* How deeply graphs of nodes and calls of functions may lie in each other. */
#define GG_ONNX_DEEPEST 64

void gg__scope_clear(gg__onnx_scope *s);
/* Make a value of a scope; GA_VALUE_ERROR if it has one of that name. An empty
 * name makes none. `out` may be NULL. */
int gg__scope_add(gg__onnx_build *b, gg__onnx_scope *s, const char *name,
                  gg_var *var, gg__onnx_value **out);
/* The value of a name here or in an outer graph, or NULL. */
gg__onnx_value *gg__scope_find(const gg__onnx_scope *s, const char *name);
/* Make values of a graph's tensors, which are checked. */
int gg__build_tensors(gg__onnx_build *b, gg__onnx_scope *s,
                      const gg__onnx_graph *graph);
/* Build all nodes. Problems are collected in `b`; the code is of those that end
 * the build at once. */
int gg__build_nodes(gg__onnx_build *b, gg__onnx_scope *s,
                    const gg__onnx_node *nodes, size_t n);
/* Add the last error as a problem of `node` (NULL: of none), unless it is the
 * consequence of another. */
int gg__build_problem(gg__onnx_build *b, const gg__onnx_node *node,
                      int64_t version, int code);

#endif
