/* SPDX-License-Identifier: BSD-2-Clause */
/* What benchmarks of prepared launches share. */
#ifndef BENCH_LAUNCHED_H
#define BENCH_LAUNCHED_H

#include <gpuarray/array.h>
#include <gpuarray/launch.h>

/* A launch, and an array that it writes; both borrowed. */
typedef struct bench_launched {
  GpuLaunch *launch;
  GpuArray *result;
} bench_launched;

/* Run one to the end (bench_fn). */
int bench_run(void *launched);
/* Make a matrix of floats that look random and rarely repeat. */
int bench_floats(GpuArray *out, gpucontext *ctx, const size_t dims[2]);
/* The first argument of the program as a size, or `otherwise`. */
size_t bench_size(int argc, char **argv, size_t otherwise);

#endif
