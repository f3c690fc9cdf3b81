/* SPDX-License-Identifier: BSD-2-Clause */
/* Short forms for tests of compiled functions on float32 data. */
#ifndef SUPPORT_FUNCS_H
#define SUPPORT_FUNCS_H

#include "support/device.h"

#include <gpugraph/gpugraph.h>

/* An array of the given rank and sizes over floats; cleared by the caller. */
void float_array(GpuArray *a, unsigned int nd, const size_t *dims,
                 const float *v);
void float_vector(GpuArray *a, size_t n, const float *v);

/* Compile, failing the running test with the graph's message. */
gg_func *func_make(gg_graph *g, const gg_func_spec *spec);
/* Call, failing the running test with the function's message. */
void func_run(gg_func *f, GpuArray *const *in, GpuArray *const *out);

/* The elements of a float array or shared variable equal these. */
void assert_floats(const GpuArray *a, const float *want, size_t n);
void assert_shared(const gg_var *v, const float *want, size_t n);
/* What gg_func_print and gg_func_print_rewrites write; to be freed. */
char *func_text(gg_func *f);
char *func_rewrites(gg_func *f);
/* What another function writes; to be freed. */
char *func_written(gg_func *f, int (*write)(gg_func *, FILE *));
/* Figures of a function. */
gg_func_stats func_stats(const gg_func *f);

#endif
