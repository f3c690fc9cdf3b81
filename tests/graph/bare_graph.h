/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of building begin with: a graph without a context. */
#ifndef GRAPH_BARE_GRAPH_H
#define GRAPH_BARE_GRAPH_H

#include "graph/graph.h"
#include "support/device.h"

extern gg_graph *g;

/* cmocka's setup and teardown. */
int bare_setup(void **state);
int bare_teardown(void **state);

void assert_type(const gg_var *v, const char *want);
/* The graph is in error with this code and message; forget it. */
void assert_graph_error(int code, const char *message);

/* An input with these sizes. */
gg_var *bare_sized(int dtype, unsigned int nd, const int64_t *dims);
#define SIZED(dtype, ...)                                                      \
  bare_sized(dtype, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),        \
             (int64_t[]){__VA_ARGS__})

#define BARE_TEST(name)                                                        \
  cmocka_unit_test_setup_teardown(name, bare_setup, bare_teardown)

#endif
