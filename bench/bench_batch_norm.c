/* SPDX-License-Identifier: BSD-2-Clause */
/* Batch normalisation in its training form, built from sums and elementwise
 * ops: over the rows of matrices and over all but the channels of images. On a
 * CPU beside one kernel by hand, which takes 16 columns at a time; everywhere
 * beside a copy of the array by the device and beside PyTorch, if it is there.
 * Its gradient for x beside three copies: a read of x, one of x and dy, and a
 * map of both to the gradient. Microseconds per call. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>

#include "bench.h"
#include "ocl/ocl.h"
#include "peer.h"

enum { REPS = 15 };

/* Columns of a multiple of 16. */
static const char hand_written[] =
    "kernel void norm(global const float *x, global float *y, ulong rows,\n"
    "                 ulong n) {\n"
    "  float16 m = 0, s = 0;\n"
    "  x += get_global_id(0) * 16; y += get_global_id(0) * 16;\n"
    "  for (ulong i = 0; i < rows; i++) m += vload16(0, x + i * n);\n"
    "  m /= rows;\n"
    "  for (ulong i = 0; i < rows; i++) {\n"
    "    float16 d = vload16(0, x + i * n) - m; s += d * d;\n"
    "  }\n"
    "  s = rsqrt(s / rows + 1e-5f);\n"
    "  for (ulong i = 0; i < rows; i++)\n"
    "    vstore16((vload16(0, x + i * n) - m) * s, 0, y + i * n);\n"
    "}\n";

/* Axis 1 has the channels. */
typedef struct shape {
  unsigned int nd;
  size_t dims[4];
} shape;

static const shape shapes[] = {{2, {128, 512, 1, 1}},
                               {2, {1024, 1024, 1, 1}},
                               {2, {4096, 4096, 1, 1}},
                               {4, {32, 64, 28, 28}},
                               {2, {16384, 16384, 1, 1}}}; /* GPUs alone */

typedef struct job {
  gpucontext *ctx;
  shape s;
  size_t n, inner; /* elements, calls per measurement */
  float *host, *host_dy, *got;
  GpuArray x, y, z, dy;
  gg_graph *g;
  gg_func *f, *grad; /* grad: of x and dy */
  cl_program program;
  cl_kernel raw;
} job;

/* --- ours --- */

static gg_var *mean(gg_var *x, unsigned int nd) {
  static const int axes[3] = {0, 2, 3};
  gg_var *n = gg_shape(x, 0);

  for (unsigned int i = 2; i < nd; i++)
    n = gg_mul(n, gg_shape(x, (int)i));
  return gg_div(gg_reduce(GG_SUM, x, nd - 1, axes, 1), gg_cast(n, GA_FLOAT));
}

static void make_functions(job *j) {
  gg_var *dx;

  j->g = gg_graph_new(j->ctx);
  /* Short columns are known to be short. */
  gg_var *x = gg_input_sized(
      j->g, "x", GA_FLOAT, j->s.nd,
      (int64_t[]){j->s.dims[0] <= 256 ? (int64_t)j->s.dims[0] : GG_ANY, GG_ANY,
                  GG_ANY, GG_ANY});
  gg_var *d = gg_sub(x, mean(x, j->s.nd));
  gg_var *y = gg_add(mean(gg_sqr(d), j->s.nd), gg_f32(j->g, 1e-5f));
  y = gg_div(d, gg_sqrt(y));
  bench_need(
      gg_func_new(&j->f, j->g,
                  &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)}),
      gg_graph_error(j->g));
  gg_var *dy =
      gg_input_sized(j->g, "dy", GA_FLOAT, j->s.nd, gg_var_type(x)->dims);
  bench_need(gg_grad(&dx, gg_sum(gg_mul(dy, y)), 1, &x), gg_graph_error(j->g));
  bench_need(gg_func_new(&j->grad, j->g,
                         &(gg_func_spec){.inputs = GG_VARS(x, dy),
                                         .outputs = GG_VARS(dx)}),
             gg_graph_error(j->g));
}

static int run_function(void *arg) {
  job *j = arg;

  for (size_t i = 0; i < j->inner; i++)
    if (gg_func_call(j->f, (GpuArray *[]){&j->x}, (GpuArray *[]){&j->y}) != 0)
      bench_need(1, gg_func_error(j->f));
  return GpuArray_sync(&j->y);
}

static int run_gradient(void *arg) {
  job *j = arg;

  for (size_t i = 0; i < j->inner; i++)
    if (gg_func_call(j->grad, (GpuArray *[]){&j->x, &j->dy},
                     (GpuArray *[]){&j->y}) != 0)
      bench_need(1, gg_func_error(j->grad));
  return GpuArray_sync(&j->y);
}

/* Means over a channel: of x, its variance, of dy and of dy (x - mean). */
typedef struct channel {
  double m, var, dy, both;
} channel;

static void sum_channel(const job *j, size_t c, channel *s) {
  const size_t inner = j->s.dims[2] * j->s.dims[3], next = j->s.dims[1] * inner;
  const double n = (double)(j->s.dims[0] * inner);

  *s = (channel){0};
  for (size_t i = 0; i < j->s.dims[0]; i++)
    for (size_t k = 0; k < inner; k++)
      s->m += (double)j->host[c * inner + i * next + k] / n;
  for (size_t i = 0; i < j->s.dims[0]; i++)
    for (size_t k = 0; k < inner; k++) {
      const double d = (double)j->host[c * inner + i * next + k] - s->m;
      const double dy = (double)j->host_dy[c * inner + i * next + k];

      s->var += d * d / n;
      s->dy += dy / n;
      s->both += dy * d / n;
    }
}

/* The gradients of some elements of some channels. */
static int check_gradient(const job *j) {
  const size_t inner = j->s.dims[2] * j->s.dims[3], next = j->s.dims[1] * inner;
  channel s;

  GA_TRY(GpuArray_read(j->got, j->n * sizeof(float), &j->y));
  for (size_t c = 0; c < j->s.dims[1]; c += 5 + j->s.dims[1] / 256) {
    sum_channel(j, c, &s);
    double v = s.var + 1e-5;
    for (size_t i = c * inner; i < j->n; i += next) {
      double want = ((double)j->host_dy[i] - s.dy -
                     ((double)j->host[i] - s.m) * s.both / v) /
                    sqrt(v);
      if (!(fabs((double)j->got[i] - want) < 1e-4))
        return GA_VALUE_ERROR;
    }
  }
  return GA_NO_ERROR;
}

/* Channel c: its first element, and that of each image, in double precision. */
static int check_channel(const job *j, size_t c) {
  const size_t inner = j->s.dims[2] * j->s.dims[3], next = j->s.dims[1] * inner;
  const float *x = j->host + c * inner;
  const double n = (double)(j->s.dims[0] * inner);
  double m = 0, s = 0;

  for (size_t i = 0; i < j->s.dims[0]; i++)
    for (size_t k = 0; k < inner; k++)
      m += (double)x[i * next + k] / n;
  for (size_t i = 0; i < j->s.dims[0]; i++)
    for (size_t k = 0; k < inner; k++)
      s += ((double)x[i * next + k] - m) * ((double)x[i * next + k] - m) / n;
  for (size_t i = 0; i < j->s.dims[0]; i++) {
    double want = ((double)x[i * next] - m) / sqrt(s + 1e-5);
    if (!(fabs((double)j->got[c * inner + i * next] - want) < 1e-4))
      return GA_VALUE_ERROR;
  }
  return GA_NO_ERROR;
}

static int check(const job *j, const GpuArray *y) {
  GA_TRY(GpuArray_read(j->got, j->n * sizeof(float), y));
  for (size_t c = 0; c < j->s.dims[1]; c += 5 + j->s.dims[1] / 256)
    GA_TRY(check_channel(j, c));
  return GA_NO_ERROR;
}

/* --- the references --- */

static int build_raw(job *j) {
  cl_device_id device = ga__ctx_device(j->ctx);
  const char *text = hand_written;
  cl_int status;

  j->program =
      clCreateProgramWithSource(ga__ctx_cl(j->ctx), 1, &text, NULL, &status);
  GA_TRY(ga__status_check("clCreateProgramWithSource", status));
  GA_TRY(GA_CL(clBuildProgram(j->program, 1, &device, "", NULL, NULL)));
  j->raw = clCreateKernel(j->program, "norm", &status);
  return ga__status_check("clCreateKernel", status);
}

static int set_raw(job *j) {
  cl_mem x = ga__data_mem(j->x.data), z = ga__data_mem(j->z.data);
  cl_ulong rows = j->s.dims[0], n = j->s.dims[1];

  GA_TRY(GA_CL(clSetKernelArg(j->raw, 0, sizeof x, &x)));
  GA_TRY(GA_CL(clSetKernelArg(j->raw, 1, sizeof z, &z)));
  GA_TRY(GA_CL(clSetKernelArg(j->raw, 2, sizeof rows, &rows)));
  return GA_CL(clSetKernelArg(j->raw, 3, sizeof n, &n));
}

static int run_raw(void *arg) {
  job *j = arg;
  const size_t gs = j->s.dims[1] / 16, ls = 1;

  for (size_t i = 0; i < j->inner; i++)
    GA_TRY(GA_CL(clEnqueueNDRangeKernel(ga__ctx_queue(j->ctx), j->raw, 1, NULL,
                                        &gs, &ls, 0, NULL, NULL)));
  return GA_CL(clFinish(ga__ctx_queue(j->ctx)));
}

static int run_copy(void *arg) {
  job *j = arg;

  for (size_t i = 0; i < j->inner; i++)
    GA_TRY(gpudata_move(j->z.data, 0, j->x.data, 0, j->n * sizeof(float)));
  return GpuArray_sync(&j->z);
}

/* Microseconds a call of PyTorch's. */
static double torch(const job *j) {
  return peer_us("ops_torch.py %s batch_norm %zu %zu %zu",
                 gpucontext_caps(j->ctx)->is_cpu ? "cpu" : "cuda", j->s.dims[0],
                 j->s.dims[1], j->s.dims[2] * j->s.dims[3]);
}

static int run_copies(void *arg) {
  for (int i = 0; i < 3; i++)
    GA_TRY(run_copy(arg));
  return GA_NO_ERROR;
}

/* --- measuring --- */

static double report(const job *j, int is_gradient, bench_fn ref,
                     const char *beside) {
  gg_func_stats st;
  bench_time ours, other;
  char text[96];

  gg_func_stat(is_gradient ? j->grad : j->f, &st);
  bench_pair(is_gradient ? run_gradient : run_function, (void *)j, ref,
             (void *)j, REPS, &ours, &other);
  snprintf(text, sizeof text, "batch norm%s %zu x %zu x %zu (%zu kernels), %s",
           is_gradient ? " gradient" : "", j->s.dims[0], j->s.dims[1],
           j->s.dims[2] * j->s.dims[3], st.steps, beside);
  bench_print(text, 1e6 * ours.median / (double)j->inner, "us",
              1e6 * other.median / (double)j->inner);
  return 1e6 * ours.median / (double)j->inner;
}

static void make_arrays(job *j) {
  uint32_t seed = 1;

  j->n = j->s.dims[0] * j->s.dims[1] * j->s.dims[2] * j->s.dims[3];
  j->inner = j->n < 1 << 20 ? 50 : j->n < 1 << 22 ? 5 : 1;
  j->host = malloc(j->n * sizeof(float));
  j->got = malloc(j->n * sizeof(float));
  j->host_dy = malloc(j->n * sizeof(float));
  bench_need(j->host == NULL || j->got == NULL || j->host_dy == NULL,
             "host memory");
  for (size_t i = 0; i < 2 * j->n; i++) {
    seed = seed * 1664525u + 1013904223u;
    *(i < j->n ? &j->host[i] : &j->host_dy[i - j->n]) =
        (float)(seed >> 8) / 16777216.0f;
  }
  bench_need(
      GpuArray_empty(&j->x, j->ctx, GA_FLOAT, j->s.nd, j->s.dims, GA_C_ORDER) ||
          GpuArray_empty(&j->z, j->ctx, GA_FLOAT, j->s.nd, j->s.dims,
                         GA_C_ORDER) ||
          GpuArray_empty(&j->dy, j->ctx, GA_FLOAT, j->s.nd, j->s.dims,
                         GA_C_ORDER) ||
          GpuArray_write(&j->x, j->host, j->n * sizeof(float)) ||
          GpuArray_write(&j->dy, j->host_dy, j->n * sizeof(float)),
      "arrays");
}

static void measure(job *j) {
  make_arrays(j);
  make_functions(j);
  bench_need(run_function(j), "call");
  bench_need(check(j, &j->y), "result");
  if (j->raw != NULL && j->s.nd == 2) {
    bench_need(set_raw(j), "reference");
    bench_need(run_raw(j), "reference");
    bench_need(check(j, &j->z), "reference");
    report(j, 0, run_raw, "by hand");
  }
  double us = report(j, 0, run_copy, "copy");
  bench_print("  PyTorch", us, "us", torch(j));
  bench_need(run_gradient(j), "gradient");
  bench_need(check_gradient(j), "gradient's result");
  report(j, 1, run_copies, "3 copies");
  gg_func_free(j->f);
  gg_func_free(j->grad);
  gg_graph_free(j->g);
  GpuArray_clear(&j->x);
  GpuArray_clear(&j->y);
  GpuArray_clear(&j->z);
  GpuArray_clear(&j->dy);
  free(j->host);
  free(j->host_dy);
  free(j->got);
}

int main(void) {
  job j = {.raw = NULL};

  bench_need(gpucontext_open(&j.ctx, NULL), "device");
  if (gpucontext_caps(j.ctx)->is_cpu)
    bench_need(build_raw(&j), "reference");
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    if (shapes[i].dims[0] > 4096 && gpucontext_caps(j.ctx)->is_cpu)
      continue;
    j = (job){.ctx = j.ctx, .raw = j.raw, .program = j.program, .s = shapes[i]};
    measure(&j);
  }
  if (j.raw != NULL) {
    clReleaseKernel(j.raw);
    clReleaseProgram(j.program);
  }
  gpucontext_deref(j.ctx);
  return 0;
}
