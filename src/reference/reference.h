/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes computed by the host, one by one and in plain C: for test values, and
 * for debug mode, which compares kernels with the results. */
#ifndef REFERENCE_REFERENCE_H
#define REFERENCE_REFERENCE_H

#include "graph/graph.h"

/* A value in host memory, C order. */
typedef struct gg__host {
  gg_dims dims;
  void *data; /* NULL: unknown */
} gg__host;

/* Read an array to host memory in C order. Blocks. The caller frees *data
 * (ga__free). On failure it is NULL. */
int gg__host_read(const GpuArray *a, void **data);

/* Compute the outputs of `a` from its inputs. Inputs of which only the shape
 * matters need no data. The caller sets the sizes of the outputs, and frees
 * their data (ga__free). If the host cannot compute the result (kernels
 * without `reference`, integers beyond 2^53), the data is NULL and there is no
 * error. Views need a `ctx`; for other nodes it may be NULL. */
int gg__reference(const gg_apply *a, gpucontext *ctx, const gg__host *in,
                  gg__host *out);

/* The host function for one element of an elementwise node, or NULL. */
double (*gg__host_code(const gg_apply *a))(const double *);

#endif
