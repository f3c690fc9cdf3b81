/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes computed by the host, one by one and in plain C: what debug mode
 * compares kernels with, and test values. */
#ifndef REFERENCE_REFERENCE_H
#define REFERENCE_REFERENCE_H

#include "graph/graph.h"

/* A value in host memory, C order. */
typedef struct gg__host {
  gg_dims dims;
  void *data; /* NULL: not known */
} gg__host;

/* Read an array to host memory in C order; *data is made with ga__malloc. */
int gg__host_read(const GpuArray *a, void **data);

/* Compute the outputs of `a` from its inputs; those whose elements do not
 * matter need no data. The sizes of the outputs are given, their data is made
 * with ga__malloc. Where the host cannot tell what a device must find (kernels
 * without `reference`, whole numbers beyond 2^53), the data stays NULL and
 * there is no error. `ctx` may be NULL, which views cannot do without. */
int gg__reference(const gg_apply *a, gpucontext *ctx, const gg__host *in,
                  gg__host *out);

/* The function of one element of an elementwise node, or NULL if the host has
 * none. */
double (*gg__host_code(const gg_apply *a))(const double *);

#endif
