/* SPDX-License-Identifier: BSD-2-Clause */
/* A function of the test's graph, fused and unfused: outputs must agree. */
#ifndef SUPPORT_COMPARED_H
#define SUPPORT_COMPARED_H

#include "support/graph_case.h"

enum { MAX_IN = 5, MAX_OUT = 4 };

typedef struct compared {
  gg_func *fused, *plain;
  unsigned int n_in, n_out;
  GpuArray in[MAX_IN];
} compared;

/* Lists end with NULL; cleared by compare_clear. */
void compare_make(compared *c, gg_var *const *in, gg_var *const *outputs);
void compare_clear(compared *c);

/* Random floats as input i. */
void compare_give(compared *c, unsigned int i, unsigned int nd,
                  const size_t *dims);
/* Call both; all outputs agree. Leaves the inputs for more. */
void compare_run(compared *c);

/* Sizes of matrices. The first is done in parts, one launch per phase. */
enum { N_COMPARE_SIZES = 4 };
extern const size_t compare_sizes[N_COMPARE_SIZES][2];
/* Run with matrices of each of these sizes for all inputs. */
void compare_all(compared *c);

/* Builds two outputs. */
typedef void (*compare_build)(gg_var *x, gg_var *y, gg_var *two[2]);

/* Two outputs of the matrix `a` and of `b`, floats: they agree, and fused they
 * take so many steps. */
void compare_steps(compare_build build, size_t steps);

#endif
