/* SPDX-License-Identifier: BSD-2-Clause */
/* Twenty elementwise ops over 2^24 floats as a graph, beside one kernel that is
 * written by hand, beside the device's copy and, on a GPU, beside PyTorch
 * compiled and not. Then the gradient of taking rows, beside PyTorch's. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>

#include "bench.h"
#include "ocl/ocl.h"
#include "peer.h"

enum {
  REPS = 21,
  PAIRS = 10, /* of ops: a product and a sum */
  ROWS = 50000,
  WIDTH = 256,
  TAKEN = 65536
};

static const size_t n_floats = (size_t)1 << 24;

/* y = y x + w, ten times. A CPU's work-item does a stretch of vectors,
 * a GPU's one vector. */
static const char hand_written[] =
    "#ifdef CPU\n"
    "#define V float16\n"
    "#define STRETCH 2048\n"
    "#else\n"
    "#define V float4\n"
    "#define STRETCH 1\n"
    "#endif\n"
    "kernel void chain(global const V *x, global const V *w, global V *y) {\n"
    "  size_t at = get_global_id(0) * STRETCH;\n"
    "  for (size_t i = at; i < at + STRETCH; i++) {\n"
    "    V v = x[i], b = w[i], r = v;\n"
    "#pragma unroll\n"
    "    for (int k = 1; k <= 10; k++) r = r * v + b;\n"
    "    y[i] = r;\n"
    "  }\n"
    "}\n";

typedef struct job {
  gpucontext *ctx;
  int is_cpu;
  GpuArray x, w, y, z;
  gg_graph *g;
  gg_func *f;
  cl_program program;
  cl_kernel raw;
  size_t gs, ls;
} job;

/* --- the chain --- */

static int build_raw(job *j) {
  cl_device_id device = ga__ctx_device(j->ctx);
  const char *text = hand_written;
  cl_mem x = ga__data_mem(j->x.data), w = ga__data_mem(j->w.data);
  cl_mem z = ga__data_mem(j->z.data);
  cl_int status;

  j->program =
      clCreateProgramWithSource(ga__ctx_cl(j->ctx), 1, &text, NULL, &status);
  GA_TRY(ga__status_check("clCreateProgramWithSource", status));
  GA_TRY(GA_CL(clBuildProgram(j->program, 1, &device, j->is_cpu ? "-DCPU" : "",
                              NULL, NULL)));
  j->raw = clCreateKernel(j->program, "chain", &status);
  GA_TRY(ga__status_check("clCreateKernel", status));
  j->gs = n_floats / (j->is_cpu ? 16 * 2048 : 4);
  j->ls = j->is_cpu ? 1 : 256;
  GA_TRY(GA_CL(clSetKernelArg(j->raw, 0, sizeof x, &x)));
  GA_TRY(GA_CL(clSetKernelArg(j->raw, 1, sizeof w, &w)));
  return GA_CL(clSetKernelArg(j->raw, 2, sizeof z, &z));
}

static int run_raw(void *arg) {
  job *j = arg;

  GA_TRY(GA_CL(clEnqueueNDRangeKernel(ga__ctx_queue(j->ctx), j->raw, 1, NULL,
                                      &j->gs, &j->ls, 0, NULL, NULL)));
  return GA_CL(clFinish(ga__ctx_queue(j->ctx)));
}

static int run_copy(void *arg) {
  job *j = arg;

  GA_TRY(gpudata_move(j->z.data, 0, j->x.data, 0, n_floats * sizeof(float)));
  return GpuArray_sync(&j->z);
}

static int run_function(void *arg) {
  job *j = arg;

  GA_TRY(
      gg_func_call(j->f, (GpuArray *[]){&j->x, &j->w}, (GpuArray *[]){&j->y}));
  return GpuArray_sync(&j->y);
}

static void make_chain(job *j) {
  gg_var *x = gg_input(j->g, "x", GA_FLOAT, 1), *y = x;
  gg_var *w = gg_input(j->g, "w", GA_FLOAT, 1);
  gg_func_stats st;

  for (int k = 1; k <= PAIRS; k++)
    y = gg_add(gg_mul(y, x), w);
  bench_need(gg_func_new(&j->f, j->g,
                         &(gg_func_spec){.inputs = GG_VARS(x, w),
                                         .outputs = GG_VARS(y)}),
             gg_graph_error(j->g));
  bench_need(run_function(j), "call");
  gg_func_stat(j->f, &st);
  bench_need(st.steps != 1, "one kernel");
}

static int check_chain(const GpuArray *a) {
  float *got = malloc(n_floats * sizeof *got);
  int err = GpuArray_read(got, n_floats * sizeof *got, a);

  for (size_t i = 0; i < n_floats && err == 0; i += 997) {
    const double x = (double)(i % 4096) / 4096;
    double y = x;

    for (int k = 1; k <= PAIRS; k++)
      y = y * x + (double)(i % 1000) / 1000;
    if (!(fabs(y - (double)got[i]) < 1e-5))
      err = GA_VALUE_ERROR;
  }
  free(got);
  return err;
}

static void make_arrays(job *j) {
  float *host = malloc(n_floats * sizeof *host);

  bench_need(host == NULL, "host memory");
  for (size_t i = 0; i < n_floats; i++)
    host[i] = (float)(i % 4096) / 4096;
  bench_need(GpuArray_empty(&j->x, j->ctx, GA_FLOAT, 1, &n_floats, GA_C_ORDER),
             "array");
  bench_need(GpuArray_empty(&j->z, j->ctx, GA_FLOAT, 1, &n_floats, GA_C_ORDER),
             "array");
  bench_need(GpuArray_write(&j->x, host, n_floats * sizeof *host), "write");
  for (size_t i = 0; i < n_floats; i++)
    host[i] = (float)(i % 1000) / 1000;
  bench_need(GpuArray_empty(&j->w, j->ctx, GA_FLOAT, 1, &n_floats, GA_C_ORDER),
             "array");
  bench_need(GpuArray_write(&j->w, host, n_floats * sizeof *host), "write");
  free(host);
}

/* Microseconds a call of PyTorch's. */
static double torch(const job *j, const char *what) {
  return peer_us("ops_torch.py %s %s", j->is_cpu ? "cpu" : "cuda", what);
}

static void bench_chain(job *j) {
  bench_time ours, other;

  make_arrays(j);
  make_chain(j);
  bench_need(check_chain(&j->y), "result");
  bench_need(build_raw(j), "reference");
  bench_need(run_raw(j), "reference");
  bench_need(check_chain(&j->z), "reference");
  bench_pair(run_function, j, run_raw, j, REPS, &ours, &other);
  bench_print("chain of 20, by hand", 1e6 * ours.median, "us",
              1e6 * other.median);
  bench_pair(run_function, j, run_copy, j, REPS, &ours, &other);
  bench_print("chain of 20, copy", 1e6 * ours.median, "us", 1e6 * other.median);
  bench_print("chain of 20, PyTorch", 1e6 * ours.median, "us",
              torch(j, "chain"));
  bench_print("chain of 20, PyTorch compiled", 1e6 * ours.median, "us",
              torch(j, "chain_compiled"));
  clReleaseKernel(j->raw);
  clReleaseProgram(j->program);
  gg_func_free(j->f);
  GpuArray_clear(&j->x);
  GpuArray_clear(&j->w);
  GpuArray_clear(&j->y);
  GpuArray_clear(&j->z);
}

/* --- taking rows, backwards --- */

/* d/dx of sum(w x[i]), i in any order, beside adding up on the host. */
static void make_take(job *j) {
  gg_var *x = gg_input(j->g, "x", GA_FLOAT, 2);
  gg_var *w = gg_input(j->g, "w", GA_FLOAT, 2);
  gg_var *i = gg_input(j->g, "i", GA_LONG, 1);
  gg_var *cost = gg_sum(gg_mul(w, gg_take(x, i))), *grad[1];

  bench_need(gg_grad(grad, cost, 1, (gg_var *[]){x}), gg_graph_error(j->g));
  bench_need(gg_func_new(&j->f, j->g,
                         &(gg_func_spec){.inputs = GG_VARS(x, w, i),
                                         .outputs = GG_VARS(grad[0])}),
             gg_graph_error(j->g));
}

static int64_t taken(size_t k) {
  return (int64_t)((uint32_t)k * 2654435761u % ROWS);
}

static void make_taken(job *j, GpuArray *index) {
  const size_t dims[2] = {ROWS, WIDTH}, few[2] = {TAKEN, WIDTH}, n = TAKEN;
  int64_t *host = malloc(n * sizeof *host);
  float *w = malloc(n * WIDTH * sizeof *w);

  bench_need(host == NULL || w == NULL, "host memory");
  for (size_t k = 0; k < n; k++)
    host[k] = taken(k);
  for (size_t k = 0; k < n * WIDTH; k++)
    w[k] = (float)(k % 64);
  bench_need(GpuArray_zeros(&j->x, j->ctx, GA_FLOAT, 2, dims, GA_C_ORDER),
             "array");
  bench_need(GpuArray_empty(&j->z, j->ctx, GA_FLOAT, 2, few, GA_C_ORDER),
             "array");
  bench_need(GpuArray_empty(index, j->ctx, GA_LONG, 1, &n, GA_C_ORDER),
             "array");
  bench_need(GpuArray_write(&j->z, w, n * WIDTH * sizeof *w), "write");
  bench_need(GpuArray_write(index, host, n * sizeof *host), "write");
  free(host);
  free(w);
}

typedef struct take_job {
  job *j;
  GpuArray index;
} take_job;

static int run_take(void *arg) {
  take_job *t = arg;

  GA_TRY(gg_func_call(t->j->f, (GpuArray *[]){&t->j->x, &t->j->z, &t->index},
                      (GpuArray *[]){&t->j->y}));
  return GpuArray_sync(&t->j->y);
}

/* Whole numbers: sums are exact in any order. */
static int check_take(const job *j) {
  const size_t n = (size_t)ROWS * WIDTH;
  float *want = calloc(n, sizeof *want), *got = malloc(n * sizeof *got);
  int err = want == NULL || got == NULL
                ? GA_MEMORY_ERROR
                : GpuArray_read(got, n * sizeof *got, &j->y);

  for (size_t k = 0; k < TAKEN && err == 0; k++)
    for (size_t c = 0; c < WIDTH; c++)
      want[(size_t)taken(k) * WIDTH + c] += (float)((k * WIDTH + c) % 64);
  for (size_t k = 0; k < n && err == 0; k++)
    err = want[k] != got[k] ? GA_VALUE_ERROR : 0;
  free(want);
  free(got);
  return err;
}

static void bench_take(job *j) {
  take_job t = {.j = j};

  make_take(j);
  make_taken(j, &t.index);
  bench_need(run_take(&t), "call");
  bench_need(check_take(j), "result");
  bench_time ours = bench_median(run_take, &t, REPS);
  bench_print("gradient of take, PyTorch", 1e6 * ours.median, "us",
              torch(j, "take_gradient"));
  gg_func_free(j->f);
  GpuArray_clear(&j->x);
  GpuArray_clear(&j->y);
  GpuArray_clear(&j->z);
  GpuArray_clear(&t.index);
}

int main(void) {
  job j = {.raw = NULL};

  bench_need(gpucontext_open(&j.ctx, NULL), "device");
  j.is_cpu = gpucontext_caps(j.ctx)->is_cpu;
  j.g = gg_graph_new(j.ctx);
  bench_chain(&j);
  bench_take(&j);
  gg_graph_free(j.g);
  gpucontext_deref(j.ctx);
  return 0;
}
