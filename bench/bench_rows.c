/* SPDX-License-Identifier: BSD-2-Clause */
/* Row programs over side x side floats (first argument, 4096 if there is
 * none), as many in rows of ten, and 128 rows of ten: softmax, log-softmax and
 * layer normalisation beside a softmax written by hand, beside a copy of the
 * array by the device, and beside PyTorch. */
#include "bench.h"
#include "peer.h"

#include <gpuarray/device.h>
#include <gpuarray/rows.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ocl/ocl.h"

enum { REPS = 15, SMALL_CALLS = 500, TEAM = 256 };

/* Rows of a multiple of 16 on a CPU; of 1024 up to 16 times that on a GPU. Any
 * short row: one per work-item. */
static const char hand_written[] =
    "#ifdef CPU\n"
    "kernel void softmax(global const float *x, global float *y, ulong rows,\n"
    "                    ulong n) {\n"
    "  x += get_global_id(0) * n; y += get_global_id(0) * n;\n"
    "  float16 m = -INFINITY, s = 0;\n"
    "  for (ulong j = 0; j < n; j += 16) m = max(m, vload16(0, x + j));\n"
    "  float8 a = max(m.lo, m.hi); float4 b = max(a.lo, a.hi);\n"
    "  float16 top = max(max(b.x, b.y), max(b.z, b.w));\n"
    "  for (ulong j = 0; j < n; j += 16) {\n"
    "    float16 e = exp(vload16(0, x + j) - top);\n"
    "    s += e; vstore16(e, 0, y + j);\n"
    "  }\n"
    "  a = s.lo + s.hi; b = a.lo + a.hi;\n"
    "  float16 r = 1 / (b.x + b.y + b.z + b.w);\n"
    "  for (ulong j = 0; j < n; j += 16)\n"
    "    vstore16(vload16(0, y + j) * r, 0, y + j);\n"
    "}\n"
    "#else\n"
    "float all(local float *l, float v, int sum) {\n"
    "  uint me = get_local_id(0);\n"
    "  barrier(1); l[me] = v; barrier(1);\n"
    "  for (uint w = 128; w > 0; w /= 2) {\n"
    "    if (me < w) l[me] = sum ? l[me] + l[me + w] : max(l[me], l[me + w]);\n"
    "    barrier(1);\n"
    "  }\n"
    "  return l[0];\n"
    "}\n"
    "kernel void softmax(global const float4 *x, global float4 *y, ulong "
    "rows,\n"
    "                    ulong n) {\n"
    "  local float l[256]; float4 v[16]; float m = -INFINITY, s = 0;\n"
    "  uint me = get_local_id(0), k = n / 1024;\n"
    "  x += get_group_id(0) * n / 4; y += get_group_id(0) * n / 4;\n"
    "#pragma unroll\n"
    "  for (uint i = 0; i < 16; i++) if (i < k) {\n"
    "    v[i] = x[i * 256 + me];\n"
    "    m = max(m, max(max(v[i].x, v[i].y), max(v[i].z, v[i].w)));\n"
    "  }\n"
    "  m = all(l, m, 0);\n"
    "#pragma unroll\n"
    "  for (uint i = 0; i < 16; i++) if (i < k) {\n"
    "    v[i] = exp(v[i] - m); s += v[i].x + v[i].y + v[i].z + v[i].w;\n"
    "  }\n"
    "  s = 1 / all(l, s, 1);\n"
    "#pragma unroll\n"
    "  for (uint i = 0; i < 16; i++) if (i < k) y[i * 256 + me] = v[i] * s;\n"
    "}\n"
    "#endif\n"
    "kernel void softmax10(global const float *x, global float *y, ulong "
    "rows,\n"
    "                      ulong chunk) {\n"
    "  ulong i = get_global_id(0) * chunk, end = min(rows, i + chunk);\n"
    "  for (; i < end; i++) {\n"
    "    float v[10], m = -INFINITY, s = 0;\n"
    "    for (uint j = 0; j < 10; j++) m = max(m, v[j] = x[i * 10 + j]);\n"
    "    for (uint j = 0; j < 10; j++) s += v[j] = exp(v[j] - m);\n"
    "    for (uint j = 0; j < 10; j++) y[i * 10 + j] = v[j] / s;\n"
    "  }\n"
    "}\n";

typedef struct bench_state {
  gpucontext *ctx;
  int is_cpu;
  size_t n;
  float *host, *got;
  GpuArray x, y;
  cl_program program;
  cl_kernel raw[2]; /* softmax, softmax10 */
  cl_kernel now;
  size_t gs, ls;
  GpuLaunch *launch;
  size_t bytes; /* that a copy moves */
  int calls;
} bench_state;

/* --- the references --- */

static int build_raw(bench_state *s) {
  static const char *const names[2] = {"softmax", "softmax10"};
  cl_device_id device = ga__ctx_device(s->ctx);
  const char *text = hand_written;
  cl_int status;

  s->program =
      clCreateProgramWithSource(ga__ctx_cl(s->ctx), 1, &text, NULL, &status);
  GA_TRY(ga__status_check("clCreateProgramWithSource", status));
  GA_TRY(GA_CL(clBuildProgram(s->program, 1, &device, s->is_cpu ? "-DCPU" : "",
                              NULL, NULL)));
  for (int i = 0; i < 2; i++) {
    s->raw[i] = clCreateKernel(s->program, names[i], &status);
    GA_TRY(ga__status_check("clCreateKernel", status));
  }
  return GA_NO_ERROR;
}

static int set_raw(bench_state *s, const size_t *dims) {
  const int is_short = dims[1] == 10;
  cl_mem x = ga__data_mem(s->x.data), y = ga__data_mem(s->y.data);
  cl_ulong rows = dims[0], n = dims[1];

  s->now = s->raw[is_short];
  s->ls = s->is_cpu ? 1 : TEAM;
  s->gs = dims[0] * s->ls;
  if (is_short) {
    n = s->is_cpu ? 128 : 1;
    s->gs = ((rows + n - 1) / n + s->ls - 1) / s->ls * s->ls;
  }
  GA_TRY(GA_CL(clSetKernelArg(s->now, 0, sizeof x, &x)));
  GA_TRY(GA_CL(clSetKernelArg(s->now, 1, sizeof y, &y)));
  GA_TRY(GA_CL(clSetKernelArg(s->now, 2, sizeof rows, &rows)));
  return GA_CL(clSetKernelArg(s->now, 3, sizeof n, &n));
}

static int run_raw(void *arg) {
  bench_state *s = arg;
  cl_command_queue queue = ga__ctx_queue(s->ctx);

  for (int i = 0; i < s->calls; i++)
    GA_TRY(GA_CL(clEnqueueNDRangeKernel(queue, s->now, 1, NULL, &s->gs, &s->ls,
                                        0, NULL, NULL)));
  return GA_CL(clFinish(queue));
}

static int run_copy(void *arg) {
  bench_state *s = arg;
  cl_command_queue queue = ga__ctx_queue(s->ctx);

  for (int i = 0; i < s->calls; i++)
    GA_TRY(GA_CL(clEnqueueCopyBuffer(queue, ga__data_mem(s->x.data),
                                     ga__data_mem(s->y.data), 0, 0, s->bytes, 0,
                                     NULL, NULL)));
  return GA_CL(clFinish(queue));
}

/* --- ours --- */

static const gpuelemwise_arg args[2] = {{"x", GA_FLOAT, GE_READ},
                                        {"y", GA_FLOAT, GE_WRITE}};
static const gpuelemwise_arg over[1] = {{"over", GA_FLOAT, GE_SCALAR}};
static const GpuRowsReduce max_sum[2] = {{"m", GA_REDUCE_MAX, GA_FLOAT},
                                         {"s", GA_REDUCE_SUM, GA_FLOAT}};
static const GpuRowsReduce two_sums[2] = {{"m", GA_REDUCE_SUM, GA_FLOAT},
                                          {"s", GA_REDUCE_SUM, GA_FLOAT}};
static const GpuRowsValue kept[1] = {{"e", GA_FLOAT}};
static const GpuRowsValue numbers[2] = {{"p", GA_FLOAT}, {"q", GA_FLOAT}};
static const GpuRowsPhase softmax[3] = {
    {"m = x;", NULL},
    {"e = exp(x - m); s = e;", "p = (w_float)(1.0f) / s;"},
    {"y = e * p;", NULL}};
static const GpuRowsPhase log_softmax[3] = {
    {"m = x;", NULL},
    {"s = exp(x - m);", "q = m + log(s);"},
    {"y = x - q;", NULL}};
static const GpuRowsPhase layer_norm[3] = {
    {"m = x;", "p = m * over;"},
    {"w_float d = x - p; s = d * d;", "q = sqrt(s * over + (w_float)(1e-5f));"},
    {"y = (x - p) / q;", NULL}};

typedef struct bench_case {
  const char *name;
  GpuRowsSpec spec;
} bench_case;

#define CASE(text, phase_list, reduce_list, n_kept_, first, n_numbers_, n_row) \
  {                                                                            \
    text, {                                                                    \
      .n_phases = 3, .phases = phase_list, .n_reduce = 2,                      \
      .reduce = reduce_list, .n_kept = n_kept_, .kept = kept,                  \
      .n_numbers = n_numbers_, .numbers = first, .n_args = 2, .args = args,    \
      .n_row_args = n_row, .row_args = over, .flags = GE_VECTOR                \
    }                                                                          \
  }

static const bench_case cases[3] = {
    CASE("softmax", softmax, max_sum, 1, numbers, 1, 0),
    CASE("log-softmax", log_softmax, max_sum, 0, numbers + 1, 1, 0),
    CASE("layer norm", layer_norm, two_sums, 0, numbers, 2, 1)};

/* What ops_torch.py calls the cases. */
static const char *const torchs[3] = {"softmax", "log_softmax", "layer_norm"};

static int run_launch(void *arg) {
  bench_state *s = arg;

  for (int i = 0; i < s->calls; i++)
    GA_TRY(GpuLaunch_run(s->launch));
  return GpuArray_sync(&s->y);
}

/* Element j of a row as the case defines it. */
static double expected(int number, const float *x, size_t n, size_t j) {
  double m = 0, s = 0, most = -INFINITY;

  for (size_t i = 0; i < n; i++) {
    m += (double)x[i] / (double)n;
    most = fmax(most, (double)x[i]);
  }
  for (size_t i = 0; i < n; i++)
    s += number < 2 ? exp((double)x[i] - most)
                    : ((double)x[i] - m) * ((double)x[i] - m) / (double)n;
  if (number == 2)
    return ((double)x[j] - m) / sqrt(s + 1e-5);
  return number == 0 ? exp((double)x[j] - most) / s
                     : (double)x[j] - most - log(s);
}

static int check(bench_state *s, int number, const size_t *dims) {
  GA_TRY(gpudata_read(s->got, s->y.data, 0, dims[0] * dims[1] * sizeof(float)));
  for (size_t k = 0; k < 9; k++) {
    const size_t row = dims[0] * k / 9, j = dims[1] * k / 9;
    const double got = (double)s->got[row * dims[1] + j];
    const double want = expected(number, s->host + row * dims[1], dims[1], j);

    if (!(fabs(got - want) <= 1e-5 * fabs(want) + 1e-6))
      return ga__fail(GA_VALUE_ERROR, "%s, row %zu: %.9g, expected %.9g",
                      cases[number].name, row, got, want);
  }
  return GA_NO_ERROR;
}

static int prepare(bench_state *s, const GpuRowsSpec *spec,
                   const size_t *dims) {
  const unsigned char reduced[2] = {0, 1};
  const ssize_t strides[2] = {(ssize_t)(dims[1] * 4), 4};
  float each = 1.0f / (float)dims[1];
  GpuArray x = {0}, y = {0};
  GpuRows *r = NULL;
  int err;

  GA_CHECK(GpuArray_fromdata(&x, s->x.data, 0, GA_FLOAT, 2, dims, strides, 1));
  GA_CHECK(GpuArray_fromdata(&y, s->y.data, 0, GA_FLOAT, 2, dims, strides, 1));
  GA_CHECK(GpuRows_new(&r, s->ctx, spec));
  GA_CHECK(GpuRows_prepare(&s->launch, r, 2, dims, reduced, (void *[]){&x, &y},
                           (void *[]){&each}));

done:
  GpuRows_free(r);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  return err;
}

static void report(const bench_state *s, const char *name, const char *beside,
                   const size_t *dims, double ours, double other) {
  char text[96];

  snprintf(text, sizeof text, "%s %zu x %zu, %s", name, dims[0], dims[1],
           beside);
  if (s->calls == 1)
    bench_print(text, 2e-9 * (double)s->bytes / ours, "GB/s",
                2e-9 * (double)s->bytes / other);
  else
    bench_print(text, 1e6 * ours / s->calls, "us", 1e6 * other / s->calls);
}

static int measure(bench_state *s, int number, const size_t *dims) {
  bench_time ours, other;
  int err;

  s->bytes = dims[0] * dims[1] * sizeof(float);
  GA_CHECK(prepare(s, &cases[number].spec, dims));
  GA_CHECK(run_launch(s));
  GA_CHECK(check(s, number, dims));
  GA_CHECK(set_raw(s, dims));
  bench_pair(run_launch, s, run_raw, s, REPS, &ours, &other);
  report(s, cases[number].name, "softmax by hand", dims, ours.median,
         other.median);
  bench_pair(run_launch, s, run_copy, s, REPS, &ours, &other);
  report(s, cases[number].name, "copy", dims, ours.median, other.median);
  report(s, cases[number].name, "PyTorch", dims, ours.median,
         s->calls * 1e-6 *
             peer_us("ops_torch.py %s %s %zu %zu", s->is_cpu ? "cpu" : "cuda",
                     torchs[number], dims[0], dims[1]));

done:
  GpuLaunch_free(s->launch);
  s->launch = NULL;
  return err;
}

static int make_data(bench_state *s) {
  const size_t dims[1] = {s->n};
  uint32_t seed = 1;

  s->host = malloc(s->n * sizeof *s->host);
  s->got = malloc(s->n * sizeof *s->got);
  if (s->host == NULL || s->got == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < s->n; i++) {
    seed = seed * 1664525u + 1013904223u;
    s->host[i] = (float)(seed >> 8) / 16777216.0f;
  }
  GA_TRY(GpuArray_empty(&s->x, s->ctx, GA_FLOAT, 1, dims, GA_C_ORDER));
  GA_TRY(GpuArray_empty(&s->y, s->ctx, GA_FLOAT, 1, dims, GA_C_ORDER));
  return GpuArray_write(&s->x, s->host, s->n * sizeof *s->host);
}

int main(int argc, char **argv) {
  const size_t side = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 4096;
  const size_t shapes[3][2] = {{side, side}, {side * side / 10, 10}, {128, 10}};
  bench_state s = {.n = side * side};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  s.is_cpu = gpucontext_caps(s.ctx)->is_cpu;
  bench_need(make_data(&s), "data");
  bench_need(build_raw(&s), "reference");
  for (int i = 0; i < 9; i++) {
    s.calls = i < 6 ? 1 : SMALL_CALLS;
    bench_need(measure(&s, i % 3, shapes[i / 3]), cases[i % 3].name);
  }
  clReleaseKernel(s.raw[0]);
  clReleaseKernel(s.raw[1]);
  clReleaseProgram(s.program);
  GpuArray_clear(&s.x);
  GpuArray_clear(&s.y);
  gpucontext_deref(s.ctx);
  free(s.host);
  free(s.got);
  return 0;
}
