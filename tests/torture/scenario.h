/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of work that cover the library, each of which can be cut short by a
 * failure at any point and taken up again.
 *
 * A scenario's run() makes what is missing, sets the results to their old
 * values, does its work and reads the results back; it returns the first error.
 * After a failure the same state is run again. */
#ifndef TORTURE_SCENARIO_H
#define TORTURE_SCENARIO_H

#include <gpuarray/array.h>
#include <gpuarray/device.h>
#include <gpuarray/kernel.h>
#include <gpuarray/reduction.h>
#include <gpugraph/gpugraph.h>

enum {
  WORK_ARRAYS = 4,
  WORK_RESULTS = 2,
  WORK_BYTES = 256, /* of the largest result */
  WORK_OLD = 0x3f   /* every byte of a result's old value; as float 0.747 */
};

typedef struct work {
  gpucontext *ctx, *other; /* the second for transfers */
  GpuArray in[WORK_ARRAYS];
  GpuArray out[WORK_RESULTS];   /* results, when they are arrays */
  gg_var *shared[WORK_RESULTS]; /* results, when they are shared variables */
  GpuElemwise *ge;
  GpuReduction *red;
  GpuLaunch *launch;
  GpuKernel kernel;
  gg_graph *g;
  gg_func *f;
  gg_var *x, *y;              /* of a graph that is not compiled */
  int is_old;                 /* the results hold their old values */
  size_t bytes[WORK_RESULTS]; /* of what was read */
  unsigned char got[WORK_RESULTS][WORK_BYTES];
} work;

typedef struct scenario {
  const char *name;
  const char *env;    /* "NAME=value" that it runs under, or NULL */
  const char *device; /* of the layer's, or NULL: the real one */
  int (*run)(work *w);
  int flags;
} scenario;

#define SCENARIO_CLBLAST 1 /* compiles for 15 s the first time */

extern const scenario scenarios[];
extern const int n_scenarios;

/* Let go of everything; `w` is as new. */
void work_clear(work *w);
/* Read the results that there are into `got`; for looking after a failure. */
int work_read(work *w);

/* --- for scenarios --- */

int work_open(work *w);
/* Fill in[i] with small floats, once. */
int work_input(work *w, int i, unsigned int nd, const size_t *dims);
/* Make in[i] of `data`, once. */
int work_data(work *w, int i, int typecode, unsigned int nd, const size_t *dims,
              const void *data);
size_t work_bytes(const GpuArray *a);
/* The path of a file to write; every run of a scenario writes the same, so runs
 * at the same time may share it. */
enum { WORK_PATH = 1200 };
void work_path(char path[WORK_PATH], const char *name);
/* Replace out[i] by `a`, which is taken over and zeroed. */
void work_replace(work *w, int i, GpuArray *a);
/* Fill out[i] with the old value. */
int work_result(work *w, int i, int typecode, unsigned int nd,
                const size_t *dims);

int run_elemwise(work *w);
int run_reduction(work *w);
int run_kernel(work *w);
int run_views(work *w);
int run_transfer(work *w);
int run_profile(work *w);
int run_life(work *w);
int run_fill(work *w);
int run_wrapped(work *w);
int run_extension(work *w);
int run_record(work *w);
int run_refused(work *w);
int run_spirv(work *w);
int run_take(work *w);
int run_put(work *w);
int run_taken(work *w);
int run_where(work *w);
int run_cumulate(work *w);
int run_pooling(work *w);
int run_conv(work *w);
int run_net(work *w);
int run_sort(work *w);
int run_workspace(work *w);
int run_topk(work *w);
int run_search(work *w);
int run_select(work *w);
int run_unique(work *w);
int run_sets(work *w);
int run_items(work *w);
int run_stages(work *w);
int run_factor(work *w);
int run_cholesky(work *w);
int run_solve(work *w);
int run_lstsq(work *w);
int run_values(work *w);
int run_matrices(work *w);
int run_lapack(work *w);
int run_sparse(work *w);
int run_coo(work *w);
int run_histogram(work *w);
int run_rows(work *w);
int run_rows_parts(work *w);
int run_epilogue(work *w);
int run_complex(work *w);
int run_npy(work *w);
int run_npz(work *w);
int run_dlpack(work *w);
int run_kernel_file(work *w);
int run_host(work *w);
int run_random(work *w);
int run_gemv(work *w);
int run_gemm(work *w);
int run_profile_gemm(work *w);
int run_graph(work *w);
int run_update(work *w);
int run_custom(work *w);
int run_loop(work *w);
int run_choice(work *w);
int run_sizes(work *w);
int run_there(work *w);
int run_saved(work *w);
int run_prepared(work *w);
int run_monitored(work *w);
int run_eval(work *w);

#endif
