/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions of side x side floats (first argument, 4096 if there is none)
 * beside a hand-written kernel that reads as many bytes, and small reductions,
 * which cost as much as their launches, beside launches of a small kernel.
 * Direct calls on 16 elements, result and all, beside elementwise calls. */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpuarray/reduction.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "ocl/ocl.h"

enum { CALLS = 1000, REPS = 15, ITEM = 65536 };

/* Sums of what each work-item reads: one chunk on a CPU, on a GPU vectors far
 * apart. */
static const char hand_written[] =
    "kernel void read_all(global const float *x, global float *out, ulong n) "
    "{\n"
    "  const ulong g = get_global_id(0);\n"
    "#ifdef CPU\n"
    "  float16 a = 0, b = 0, c = 0, d = 0;\n"
    "  ulong i = g * 65536, end = min(i + 65536, n);\n"
    "  for (; i + 64 <= end; i += 64) {\n"
    "    a += vload16(0, x + i); b += vload16(0, x + i + 16);\n"
    "    c += vload16(0, x + i + 32); d += vload16(0, x + i + 48);\n"
    "  }\n"
    "  a += b + c + d;\n"
    "  float8 h = a.lo + a.hi; float4 q = h.lo + h.hi;\n"
    "#else\n"
    "  const ulong step = get_global_size(0);\n"
    "  global const float4 *v = (global const float4 *)x;\n"
    "  float4 q = 0, r = 0, s = 0, t = 0; ulong i = g;\n"
    "  for (; i + 3 * step < n / 4; i += 4 * step) {\n"
    "    q += v[i]; r += v[i + step];\n"
    "    s += v[i + 2 * step]; t += v[i + 3 * step];\n"
    "  }\n"
    "  for (; i < n / 4; i += step) q += v[i];\n"
    "  q += r + s + t;\n"
    "#endif\n"
    "  out[g] = q.x + q.y + q.z + q.w;\n"
    "}\n";

typedef struct bench_case {
  const char *name;
  ga_reduce_op op;
  int typecode;
  size_t rows, cols; /* 0: side */
  unsigned char reduced[2];
} bench_case;

static const bench_case large[] = {
    {"sum all", GA_REDUCE_SUM, GA_FLOAT, 0, 0, {1, 1}},
    {"sum axis 0", GA_REDUCE_SUM, GA_FLOAT, 0, 0, {1, 0}},
    {"sum axis 1", GA_REDUCE_SUM, GA_FLOAT, 0, 0, {0, 1}},
    {"max axis 1", GA_REDUCE_MAX, GA_FLOAT, 0, 0, {0, 1}},
    {"argmax all", GA_REDUCE_ARGMAX, GA_FLOAT, 0, 0, {1, 1}},
    {"argmax axis 0", GA_REDUCE_ARGMAX, GA_FLOAT, 0, 0, {1, 0}},
    {"argmax axis 1", GA_REDUCE_ARGMAX, GA_FLOAT, 0, 0, {0, 1}},
    {"sum all, float16", GA_REDUCE_SUM, GA_HALF, 0, 0, {1, 1}},
    {"sum all, complex64", GA_REDUCE_SUM, GA_CFLOAT, 0, 0, {1, 1}},
    {"sum axis 0, complex64", GA_REDUCE_SUM, GA_CFLOAT, 0, 0, {1, 0}},
    {"sum axis 1, complex64", GA_REDUCE_SUM, GA_CFLOAT, 0, 0, {0, 1}},
    {"sum axis 0 of n/64 x 64", GA_REDUCE_SUM, GA_FLOAT, 1, 64, {1, 0}},
    {"sum axis 1 of n/64 x 64", GA_REDUCE_SUM, GA_FLOAT, 1, 64, {0, 1}},
    {"sum axis 0 of 64 x n/64", GA_REDUCE_SUM, GA_FLOAT, 64, 1, {1, 0}},
    {"sum axis 1 of n/128 x 128", GA_REDUCE_SUM, GA_FLOAT, 1, 128, {0, 1}},
    {"sum axis 1 of n/784 x 784", GA_REDUCE_SUM, GA_FLOAT, 1, 784, {0, 1}},
    {"argmax axis 1 of n/10 x 10", GA_REDUCE_ARGMAX, GA_FLOAT, 1, 10, {0, 1}},
    {"sum axis 1 of n/10 x 10", GA_REDUCE_SUM, GA_FLOAT, 1, 10, {0, 1}},
    {"sum axis 0 of n/10 x 10", GA_REDUCE_SUM, GA_FLOAT, 1, 10, {1, 0}},
};

static const bench_case small[] = {
    {"sum of 400", GA_REDUCE_SUM, GA_FLOAT, 1, 400, {1, 1}},
    {"sum axis 0 of 128 x 10", GA_REDUCE_SUM, GA_FLOAT, 128, 10, {1, 0}},
    {"sum axis 1 of 128 x 10", GA_REDUCE_SUM, GA_FLOAT, 128, 10, {0, 1}},
    {"argmax axis 1 of 128 x 10", GA_REDUCE_ARGMAX, GA_FLOAT, 128, 10, {0, 1}},
};

typedef struct bench_state {
  gpucontext *ctx;
  int is_cpu;
  size_t n;
  float *host;
  GpuArray data, scratch; /* n floats; what the reference writes */
  cl_program program;
  cl_kernel raw;
  size_t raw_gs, raw_ls;
  GpuLaunch *launch;
  GpuArray few; /* of the direct calls */
  GpuElemwise *copy;
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
  GA_TRY(GA_CL(clBuildProgram(s->program, 1, &device, s->is_cpu ? "-DCPU" : "",
                              NULL, NULL)));
  s->raw = clCreateKernel(s->program, "read_all", &status);
  return ga__status_check("clCreateKernel", status);
}

static int set_raw(bench_state *s, size_t n) {
  const gpudevice_caps *caps = gpucontext_caps(s->ctx);
  cl_mem in = ga__data_mem(s->data.data), out = ga__data_mem(s->scratch.data);
  cl_ulong count = n;

  s->raw_ls = s->is_cpu ? 1 : 256;
  s->raw_gs = s->is_cpu ? (n + ITEM - 1) / ITEM
                        : (size_t)caps->compute_units * 8 * s->raw_ls;
  GA_TRY(GA_CL(clSetKernelArg(s->raw, 0, sizeof in, &in)));
  GA_TRY(GA_CL(clSetKernelArg(s->raw, 1, sizeof out, &out)));
  return GA_CL(clSetKernelArg(s->raw, 2, sizeof count, &count));
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
  return GpuArray_sync(&s->data);
}

/* The first bytes of the data as rows x cols elements. */
static int view_data(bench_state *s, GpuArray *a, int typecode,
                     const size_t *dims) {
  const ssize_t item = (ssize_t)ga__dtype_size(typecode);
  const ssize_t strides[2] = {(ssize_t)dims[1] * item, item};

  return GpuArray_fromdata(a, s->data.data, s->data.offset, typecode, 2, dims,
                           strides, 0);
}

static int prepare(bench_state *s, const bench_case *c, const size_t *dims,
                   GpuArray *out) {
  const int is_arg = c->op == GA_REDUCE_ARGMAX;
  const gpuelemwise_arg in = {"x", c->typecode, GE_READ};
  const int acc = c->typecode == GA_CFLOAT ? GA_CFLOAT : GA_FLOAT;
  const gpuelemwise_arg post = {"out", is_arg ? GA_LONG : acc, GE_WRITE};
  const GpuReductionSpec spec = {.op = c->op,
                                 .acc = acc,
                                 .n_in = 1,
                                 .in = &in,
                                 .n_post = 1,
                                 .post_args = &post};
  const size_t odims[2] = {c->reduced[0] ? 1 : dims[0],
                           c->reduced[1] ? 1 : dims[1]};
  GpuReduction *r = NULL;
  GpuArray x = {0};
  int err;

  GA_CHECK(GpuArray_empty(out, s->ctx, post.typecode, 2, odims, GA_C_ORDER));
  GA_CHECK(view_data(s, &x, c->typecode, dims));
  GA_CHECK(GpuReduction_new(&r, s->ctx, &spec));
  GA_CHECK(GpuReduction_prepare(&s->launch, r, 2, dims, c->reduced,
                                (void *[]){&x}, (void *[]){out}));

done:
  GpuReduction_free(r);
  GpuArray_clear(&x);
  return err;
}

/* The first output, or its real part, against a loop in double; argmax by the
 * value there. */
static int check(bench_state *s, const bench_case *c, const size_t *dims,
                 const GpuArray *out) {
  const size_t n0 = c->reduced[0] ? dims[0] : 1;
  const size_t n1 = c->reduced[1] ? dims[1] : 1;
  double sum = 0, most = -INFINITY;
  size_t at = 0;
  const size_t parts = c->typecode == GA_CFLOAT ? 2 : 1;
  char first[16];

  if (c->typecode == GA_HALF)
    return GA_NO_ERROR;
  for (size_t i = 0; i < n0; i++) {
    for (size_t j = 0; j < n1; j++) {
      const double v = (double)s->host[(i * dims[1] + j) * parts];
      sum += v;
      at = v > most ? i * n1 + j : at;
      most = fmax(most, v);
    }
  }
  GA_TRY(gpudata_read(first, out->data, out->offset,
                      ga__dtype_size(out->typecode)));
  const double got = ga__dtype_to_double(out->typecode, first);
  const double want = c->op == GA_REDUCE_SUM   ? sum
                      : c->op == GA_REDUCE_MAX ? most
                                               : (double)at;
  if (fabs(got - want) > 1e-6 * fabs(want))
    return ga__fail(GA_VALUE_ERROR, "%s: %.9g, expected %.9g", c->name, got,
                    want);
  return GA_NO_ERROR;
}

static int measure(bench_state *s, const bench_case *c) {
  const size_t n = c->typecode == GA_CFLOAT ? s->n / 2 : s->n;
  const size_t side = (size_t)sqrt((double)n);
  size_t dims[2] = {c->rows, c->cols};
  bench_time ours, raw;
  GpuArray out = {0};
  int err;

  if (dims[0] == 0)
    dims[0] = dims[1] = side;
  else if (s->calls == 1 && dims[0] == 1)
    dims[0] = s->n / dims[1];
  else if (s->calls == 1)
    dims[1] = s->n / dims[0];
  size_t bytes = dims[0] * dims[1] * ga__dtype_size(c->typecode);
  GA_CHECK(prepare(s, c, dims, &out));
  GA_CHECK(run_launch(s));
  GA_CHECK(check(s, c, dims, &out));
  GA_CHECK(set_raw(s, bytes / sizeof(float)));
  bench_pair(run_launch, s, run_raw, s, REPS, &ours, &raw);
  if (s->calls == 1)
    bench_print(c->name, (double)bytes / ours.median / 1e9, "GB/s",
                (double)bytes / raw.median / 1e9);
  else
    bench_print(c->name, ours.median / s->calls * 1e6, "us",
                raw.median / s->calls * 1e6);

done:
  GpuLaunch_free(s->launch);
  s->launch = NULL;
  GpuArray_clear(&out);
  return err;
}

/* --- direct calls --- */

static int call_sum(void *arg) {
  bench_state *s = arg;

  for (int i = 0; i < s->calls; i++) {
    GpuArray out;

    GA_TRY(
        GpuArray_reduction(&out, &s->few, GA_REDUCE_SUM, 0, NULL, 0, -1, -1));
    GpuArray_clear(&out);
  }
  return GpuArray_sync(&s->few);
}

static int call_elemwise(void *arg) {
  bench_state *s = arg;

  for (int i = 0; i < s->calls; i++) {
    GpuArray out;

    GA_TRY(GpuArray_empty(&out, s->ctx, GA_FLOAT, 1, s->few.dimensions,
                          GA_C_ORDER));
    GA_TRY(GpuElemwise_call(s->copy, (void *[]){&out, &s->few}, 0));
    GpuArray_clear(&out);
  }
  return GpuArray_sync(&s->few);
}

static int measure_calls(bench_state *s) {
  gpuelemwise_arg args[2] = {{"o", GA_FLOAT, GE_WRITE},
                             {"x", GA_FLOAT, GE_READ}};
  bench_time ours, other;
  const size_t dim = 16;

  GA_TRY(GpuArray_empty(&s->few, s->ctx, GA_FLOAT, 1, &dim, GA_C_ORDER));
  s->copy = GpuElemwise_new(s->ctx, NULL, "o = x", 2, args, 1, GE_VECTOR);
  if (s->copy == NULL)
    return GA_IMPL_ERROR;
  bench_pair(call_sum, s, call_elemwise, s, REPS, &ours, &other);
  bench_print("call: sum of 16", ours.median / s->calls * 1e6, "us",
              other.median / s->calls * 1e6);
  GpuElemwise_free(s->copy);
  GpuArray_clear(&s->few);
  return GA_NO_ERROR;
}

static int make_data(bench_state *s) {
  const size_t dims[1] = {s->n}, room[1] = {1 << 20};
  uint32_t seed = 1;

  s->host = malloc(s->n * sizeof *s->host);
  if (s->host == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < s->n; i++) {
    seed = seed * 1664525u + 1013904223u;
    s->host[i] = (float)(seed >> 8) / 16777216.0f;
  }
  GA_TRY(GpuArray_empty(&s->data, s->ctx, GA_FLOAT, 1, dims, GA_C_ORDER));
  GA_TRY(GpuArray_empty(&s->scratch, s->ctx, GA_FLOAT, 1, room, GA_C_ORDER));
  return GpuArray_write(&s->data, s->host, s->n * sizeof *s->host);
}

int main(int argc, char **argv) {
  const size_t side = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 4096;
  bench_state s = {.n = side * side};

  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  s.is_cpu = gpucontext_caps(s.ctx)->is_cpu;
  bench_need(make_data(&s), "data");
  bench_need(build_raw(&s), "reference");
  s.calls = 1;
  for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
    bench_need(measure(&s, &large[i]), large[i].name);
  s.calls = CALLS;
  for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
    bench_need(measure(&s, &small[i]), small[i].name);
  bench_need(measure_calls(&s), "direct calls");
  clReleaseKernel(s.raw);
  clReleaseProgram(s.program);
  GpuArray_clear(&s.data);
  GpuArray_clear(&s.scratch);
  gpucontext_deref(s.ctx);
  free(s.host);
  return 0;
}
