/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise kernels beside hand-written ones on the same buffers: first many
 * launches of one that is small, then arrays of side x side floats (first
 * argument, 2048 if there is none) that are contiguous, broadcast, transposed.
 * The reference is what a contiguous kernel of that shape reaches. */
#include "bench.h"

#include <gpuarray/array.h>
#include <gpuarray/device.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ocl/ocl.h"

enum { SMALL = 230400, CALLS = 1000, REPS = 11 };

/* The mapping is the device's; LOAD and STORE see vectors there. */
static const char hand_written[] =
    "#ifdef CPU\n"
    "#define FOR_EACH(body1, bodyv) \\\n"
    "  ulong i = get_global_id(0) * 8192, end = min(i + 8192, n); \\\n"
    "  for (; i + 16 <= end; i += 16) bodyv \\\n"
    "  for (; i < end; ++i) body1\n"
    "#define LOAD(p) vload16(0, p + i)\n"
    "#define STORE(v) vstore16(v, 0, z + i);\n"
    "#else\n"
    "#define FOR_EACH(body1, bodyv) \\\n"
    "  ulong i = get_global_id(0) * 4; if (i < n) bodyv\n"
    "#define LOAD(p) (*(global const float4 *)(p + i))\n"
    "#define STORE(v) *(global float4 *)(z + i) = v;\n"
    "#endif\n"
    "#define P global float *z, global const float *x, global const float *w, "
    "ulong n\n"
    "kernel void small_exp(P) {\n"
    "  FOR_EACH({z[i] = exp(x[i]);}, {STORE(exp(LOAD(x)))})\n}\n"
    "kernel void copy(P) {\n"
    "  FOR_EACH({z[i] = x[i];}, {STORE(LOAD(x))})\n}\n"
    "kernel void add(P) {\n"
    "  FOR_EACH({z[i] = x[i] + w[i];}, {STORE(LOAD(x) + LOAD(w))})\n}\n"
    "kernel void fused(P) {\n"
    "  FOR_EACH({z[i] = exp(-(x[i] * w[i] + 0.5f)) + 1.0f;},\n"
    "           {STORE(exp(-(LOAD(x) * LOAD(w) + 0.5f)) + 1.0f)})\n}\n";

typedef enum operand { WHOLE, ROW, COLUMN, TURNED, NONE } operand;

typedef struct bench_case {
  const char *name, *text, *reference;
  operand x, w;
} bench_case;

static const bench_case cases[] = {
    {"copy", "z = x", "copy", WHOLE, NONE},
    {"x + w", "z = x + w", "add", WHOLE, WHOLE},
    {"exp(-(x * w + 0.5)) + 1",
     "z = exp(-(x * w + (w_float)(0.5f))) + (w_float)(1.0f)", "fused", WHOLE,
     WHOLE},
    {"x + row", "z = x + w", "copy", WHOLE, ROW},
    {"x + column", "z = x + w", "copy", WHOLE, COLUMN},
    {"x + transposed", "z = x + w", "add", WHOLE, TURNED},
    {"transposed copy", "z = x", "copy", TURNED, NONE},
};

typedef struct bench_state {
  gpucontext *ctx;
  int is_cpu;
  cl_program program;
  GpuArray square[3], turned[2], row, column; /* square: z, x, w */
  cl_kernel raw;
  size_t raw_gs, raw_ls;
  GpuLaunch *launch;
  int calls;
} bench_state;

/* --- the hand-written side --- */

static int build_raw(bench_state *s) {
  cl_device_id device = ga__ctx_device(s->ctx);
  const char *text = hand_written;
  cl_int status;

  s->program =
      clCreateProgramWithSource(ga__ctx_cl(s->ctx), 1, &text, NULL, &status);
  GA_TRY(ga__status_check("clCreateProgramWithSource", status));
  return GA_CL(clBuildProgram(s->program, 1, &device, s->is_cpu ? "-DCPU" : "",
                              NULL, NULL));
}

static int set_raw(bench_state *s, const char *name, size_t n) {
  cl_ulong count = n;
  cl_int status;
  size_t items = s->is_cpu ? (n + 8191) / 8192 : (n + 3) / 4;

  if (s->raw != NULL)
    clReleaseKernel(s->raw);
  s->raw = clCreateKernel(s->program, name, &status);
  GA_TRY(ga__status_check("clCreateKernel", status));
  for (cl_uint k = 0; k < 3; k++) {
    cl_mem mem = ga__data_mem(s->square[k].data);
    GA_TRY(GA_CL(clSetKernelArg(s->raw, k, sizeof mem, &mem)));
  }
  s->raw_ls = s->is_cpu ? 1 : 256;
  s->raw_gs = (items + s->raw_ls - 1) / s->raw_ls * s->raw_ls;
  return GA_CL(clSetKernelArg(s->raw, 3, sizeof count, &count));
}

static int run_raw(void *arg) {
  bench_state *s = arg;
  cl_command_queue queue = ga__ctx_queue(s->ctx);

  for (int i = 0; i < s->calls; i++)
    GA_TRY(GA_CL(clEnqueueNDRangeKernel(queue, s->raw, 1, NULL, &s->raw_gs,
                                        &s->raw_ls, 0, NULL, NULL)));
  return GA_CL(clFinish(queue));
}

/* --- ours --- */

static int run_launch(void *arg) {
  bench_state *s = arg;

  for (int i = 0; i < s->calls; i++)
    GA_TRY(GpuLaunch_run(s->launch));
  return GpuArray_sync(&s->square[0]);
}

static GpuArray *find_operand(bench_state *s, operand kind, int k) {
  switch (kind) {
  case ROW:
    return &s->row;
  case COLUMN:
    return &s->column;
  case TURNED:
    return &s->turned[k - 1];
  default:
    return &s->square[k];
  }
}

static int set_launch(bench_state *s, const bench_case *c) {
  gpuelemwise_arg args[] = {{"z", GA_FLOAT, GE_WRITE},
                            {"x", GA_FLOAT, GE_READ},
                            {"w", GA_FLOAT, GE_READ}};
  void *values[] = {&s->square[0], find_operand(s, c->x, 1),
                    find_operand(s, c->w, 2)};
  GpuElemwise *ge = GpuElemwise_new(s->ctx, NULL, c->text, c->w == NONE ? 2 : 3,
                                    args, 2, GE_VECTOR);

  if (ge == NULL)
    return GA_IMPL_ERROR;
  GpuLaunch_free(s->launch);
  int err = GpuElemwise_prepare(&s->launch, ge, values, GE_BROADCAST);
  GpuElemwise_free(ge);
  return err;
}

/* --- data and results --- */

static float value(size_t i) {
  return (float)(i * 7919 % 1000) * 0.001f;
}

static int fill(GpuArray *a, gpucontext *ctx, unsigned int nd, size_t rows,
                size_t columns) {
  size_t dims[2] = {rows, columns}, n = rows * columns;
  float *host = malloc(n * sizeof *host);

  if (host == NULL)
    return GA_MEMORY_ERROR;
  for (size_t i = 0; i < n; i++)
    host[i] = value(i);
  int err = GpuArray_empty(a, ctx, GA_FLOAT, nd, dims, GA_C_ORDER);
  if (err == GA_NO_ERROR)
    err = GpuArray_write(a, host, n * sizeof *host);
  free(host);
  return err;
}

static void set_up(bench_state *s, size_t side) {
  bench_need(gpucontext_open(&s->ctx, NULL), "device");
  s->is_cpu = gpucontext_caps(s->ctx)->is_cpu;
  for (int k = 0; k < 3; k++)
    bench_need(fill(&s->square[k], s->ctx, 2, side, side), "array");
  for (int k = 0; k < 2; k++)
    bench_need(GpuArray_transpose(&s->turned[k], &s->square[k + 1], NULL),
               "transpose");
  bench_need(fill(&s->row, s->ctx, 2, 1, side), "row");
  bench_need(fill(&s->column, s->ctx, 2, side, 1), "column");
  bench_need(build_raw(s), "reference kernels");
}

static void tear_down(bench_state *s) {
  GpuLaunch_free(s->launch);
  if (s->raw != NULL)
    clReleaseKernel(s->raw);
  clReleaseProgram(s->program);
  for (int k = 0; k < 3; k++)
    GpuArray_clear(&s->square[k]);
  GpuArray_clear(&s->turned[0]);
  GpuArray_clear(&s->turned[1]);
  GpuArray_clear(&s->row);
  GpuArray_clear(&s->column);
  gpucontext_deref(s->ctx);
}

static float at(operand kind, size_t side, size_t i, size_t j) {
  return kind == ROW      ? value(j)
         : kind == COLUMN ? value(i)
         : kind == TURNED ? value(j * side + i)
                          : value(i * side + j);
}

/* Elements of the result, spread over the array, against the host. */
static int check(bench_state *s, const bench_case *c, size_t side) {
  size_t n = side * side;
  float *got = malloc(n * sizeof *got);
  int bad = 0;

  if (got == NULL)
    return GA_MEMORY_ERROR;
  bench_need(GpuArray_read(got, n * sizeof *got, &s->square[0]), "read");
  for (size_t e = 0; e < n; e += 997) {
    float x = at(c->x, side, e / side, e % side);
    float w = at(c->w, side, e / side, e % side);
    float want = c->w == NONE        ? x
                 : c->text[4] == 'e' ? expf(-(x * w + 0.5f)) + 1.0f
                                     : x + w;

    bad |= fabsf(got[e] - want) > 1e-5f;
  }
  free(got);
  if (bad)
    fprintf(stderr, "%s: wrong result\n", c->name);
  return bad ? GA_VALUE_ERROR : GA_NO_ERROR;
}

/* --- measuring --- */

/* Bytes that a kernel must move for n elements. */
static double case_bytes(const bench_case *c, double n) {
  return 4 * n * (c->w == WHOLE || c->w == TURNED ? 3 : 2);
}

static double reference_bytes(const char *name, double n) {
  return 4 * n * (name[0] == 'c' ? 2 : 3);
}

static void measure_case(bench_state *s, const bench_case *c, size_t side) {
  size_t n = side * side;
  bench_time ours, raw;

  bench_need(set_launch(s, c), c->name);
  bench_need(set_raw(s, c->reference, n), c->reference);
  s->calls = 1;
  bench_need(run_launch(s), c->name);
  bench_need(check(s, c, side), c->name);
  bench_pair(run_launch, s, run_raw, s, REPS, &ours, &raw);
  bench_print(c->name, 1e-9 * case_bytes(c, (double)n) / ours.median, "GB/s",
              1e-9 * reference_bytes(c->reference, (double)n) / raw.median);
}

/* Many launches of a small kernel: their cost counts, too. */
static void measure_small(bench_state *s) {
  static const bench_case small = {"1000 x exp of 230,400 floats", "z = exp(x)",
                                   "small_exp", WHOLE, NONE};
  GpuArray whole[2] = {s->square[0], s->square[1]};
  size_t n = SMALL;
  ssize_t stride = sizeof(float);
  bench_time ours, raw;

  for (int k = 0; k < 2; k++) {
    s->square[k].nd = 1;
    s->square[k].dimensions = &n;
    s->square[k].strides = &stride;
  }
  bench_need(set_launch(s, &small), small.name);
  bench_need(set_raw(s, small.reference, n), small.reference);
  s->calls = CALLS;
  bench_pair(run_launch, s, run_raw, s, REPS, &ours, &raw);
  bench_print(small.name, 1e6 * ours.median / CALLS, "us/call",
              1e6 * raw.median / CALLS);
  s->square[0] = whole[0];
  s->square[1] = whole[1];
}

int main(int argc, char **argv) {
  size_t side = argc > 1 ? strtoul(argv[1], NULL, 10) : 2048;
  bench_state s = {0};

  if (side * side < SMALL) {
    fprintf(stderr, "usage: %s [side, at least 480]\n", argv[0]);
    return 2;
  }
  set_up(&s, side);
  measure_small(&s);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    measure_case(&s, &cases[i], side);
  tear_down(&s);
  return 0;
}
