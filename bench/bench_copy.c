/* SPDX-License-Identifier: BSD-2-Clause */
/* Assignments, joins and gathered rows on side x side floats (first argument,
 * 2048 if there is none), beside a copy kernel on buffers of that size. Slices
 * stand beside a slicing one, as they move whole lines of memory for a part of
 * each, and transposes beside a transposing one, too. */
#include "bench.h"

#include <gpuarray/array.h>
#include <gpuarray/device.h>
#include <gpuarray/launch.h>

#include <stdio.h>
#include <stdlib.h>

#include "ocl/ocl.h"

enum { REPS = 11 };

static const char copy_text[] =
    "kernel void copy(global float *z, global const float *x, ulong n) {\n"
    "#ifdef CPU\n"
    "  ulong i = get_global_id(0) * 8192, end = min(i + 8192, n);\n"
    "  for (; i + 16 <= end; i += 16)\n"
    "    vstore16(vload16(0, x + i), 0, z + i);\n"
    "  for (; i < end; ++i)\n"
    "    z[i] = x[i];\n"
    "#else\n"
    "  ulong i = get_global_id(0) * 4;\n"
    "  if (i < n)\n"
    "    *(global float4 *)(z + i) = *(global const float4 *)(x + i);\n"
    "#endif\n}\n"
    /* z = x[::2, ::2] for n columns of x; a row of z is an item's, or an
     * element */
    "kernel void slice(global float *z, global const float *x, ulong n) {\n"
    "  ulong m = n / 2, i = get_global_id(0);\n"
    "#ifdef CPU\n"
    "  for (ulong j = 0; j < m; ++j)\n"
    "    z[i * m + j] = x[2 * i * n + 2 * j];\n"
    "#else\n"
    "  if (i < m * m)\n"
    "    z[i] = x[2 * (i / m) * n + 2 * (i % m)];\n"
    "#endif\n}\n"
    /* z is x with its axes turned: tiles of 64 x 64, a tile an item's or a
     * group's */
    "kernel void turn(global float *z, global const float *x, ulong n) {\n"
    "#ifdef CPU\n"
    "  ulong at = get_global_id(0), tiles = n / 64;\n"
    "  ulong r = at / tiles * 64, c = at % tiles * 64;\n"
    "  float t[64 * 65];\n"
    "  for (ulong j = 0; j < 64; ++j)\n"
    "    for (ulong i = 0; i < 64; ++i)\n"
    "      t[i * 65 + j] = x[(c + j) * n + r + i];\n"
    "  for (ulong i = 0; i < 64; ++i)\n"
    "    for (ulong j = 0; j < 64; ++j)\n"
    "      z[(r + i) * n + c + j] = t[i * 65 + j];\n"
    "#else\n"
    "  local float t[64][65];\n"
    "  ulong at = get_group_id(0), tiles = n / 64, me = get_local_id(0);\n"
    "  ulong r = at / tiles * 64, c = at % tiles * 64, u = me % 64;\n"
    "  for (ulong j = me / 64; j < 64; j += 4)\n"
    "    t[j][u] = x[(c + j) * n + r + u];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (ulong i = me / 64; i < 64; i += 4)\n"
    "    z[(r + i) * n + c + u] = t[u][i];\n"
    "#endif\n}\n";

typedef struct raw_kernel {
  cl_kernel k;
  size_t gs, ls;
} raw_kernel;

typedef struct bench_state {
  gpucontext *ctx;
  GpuArray z, x, turned, half, halves[2]; /* halves of x, side by side */
  GpuArray rows, values, numbers;
  GpuLaunch *take;
  GpuArray sliced, slice; /* x[::2, ::2], and room for it in z */
  cl_program program;
  raw_kernel raw_copy, raw_slice, raw_turn;
  const raw_kernel *raw; /* that the next figure stands beside */
} bench_state;

static int run_raw(void *arg) {
  bench_state *s = arg;
  cl_command_queue queue = ga__ctx_queue(s->ctx);

  GA_TRY(GA_CL(clEnqueueNDRangeKernel(queue, s->raw->k, 1, NULL, &s->raw->gs,
                                      &s->raw->ls, 0, NULL, NULL)));
  return GA_CL(clFinish(queue));
}

/* From x to z, by `items` work-items at least. */
static int set_kernel(bench_state *s, raw_kernel *r, const char *name,
                      cl_ulong n, size_t items) {
  const cl_mem z = ga__data_mem(s->z.data), x = ga__data_mem(s->x.data);
  cl_int status;

  r->k = clCreateKernel(s->program, name, &status);
  GA_TRY(ga__status_check("clCreateKernel", status));
  r->ls = gpucontext_caps(s->ctx)->is_cpu ? 1 : 256;
  r->gs = (items + r->ls - 1) / r->ls * r->ls;
  GA_TRY(GA_CL(clSetKernelArg(r->k, 0, sizeof z, &z)));
  GA_TRY(GA_CL(clSetKernelArg(r->k, 1, sizeof x, &x)));
  return GA_CL(clSetKernelArg(r->k, 2, sizeof n, &n));
}

static int set_raw(bench_state *s, size_t side) {
  const int is_cpu = gpucontext_caps(s->ctx)->is_cpu;
  cl_device_id device = ga__ctx_device(s->ctx);
  const char *text = copy_text;
  const size_t n = side * side;
  cl_int status;

  s->program =
      clCreateProgramWithSource(ga__ctx_cl(s->ctx), 1, &text, NULL, &status);
  GA_TRY(ga__status_check("clCreateProgramWithSource", status));
  GA_TRY(GA_CL(clBuildProgram(s->program, 1, &device, is_cpu ? "-DCPU" : "",
                              NULL, NULL)));
  GA_TRY(set_kernel(s, &s->raw_copy, "copy", n,
                    is_cpu ? (n + 8191) / 8192 : (n + 3) / 4));
  GA_TRY(
      set_kernel(s, &s->raw_slice, "slice", side, is_cpu ? side / 2 : n / 4));
  GA_TRY(
      set_kernel(s, &s->raw_turn, "turn", side, n / 4096 * (is_cpu ? 1 : 256)));
  s->raw = &s->raw_copy;
  return GA_NO_ERROR;
}

/* --- ours --- */

static int assign(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuArray_setarray(&s->z, &s->x));
  return GpuArray_sync(&s->z);
}

static int assign_turned(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuArray_setarray(&s->z, &s->turned));
  return GpuArray_sync(&s->z);
}

static int assign_slice(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuArray_setarray(&s->slice, &s->sliced));
  return GpuArray_sync(&s->slice);
}

static int to_half(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuArray_setarray(&s->half, &s->x));
  return GpuArray_sync(&s->half);
}

static int join(bench_state *s, unsigned int axis) {
  const GpuArray *parts[] = {&s->halves[0], &s->halves[1]};
  GpuArray r;

  GA_TRY(GpuArray_concatenate(&r, parts, 2, axis, GA_FLOAT));
  GA_TRY(GpuArray_sync(&r));
  GpuArray_clear(&r);
  return GA_NO_ERROR;
}

static int join_rows(void *arg) {
  return join(arg, 0);
}

static int join_columns(void *arg) {
  return join(arg, 1);
}

/* Two columns from arrays of one element a row. */
static int join_narrow(void *arg) {
  bench_state *s = arg;
  const size_t dims[2] = {
      s->halves[0].dimensions[0] * s->halves[0].dimensions[1], 1};
  const ssize_t strides[2] = {sizeof(float), sizeof(float)};
  GpuArray parts[2], r;
  const GpuArray *as[2] = {&parts[0], &parts[1]};

  for (int i = 0; i < 2; i++)
    GA_TRY(GpuArray_fromdata(&parts[i], s->halves[i].data, s->halves[i].offset,
                             GA_FLOAT, 2, dims, strides, 0));
  GA_TRY(GpuArray_concatenate(&r, as, 2, 1, GA_FLOAT));
  GA_TRY(GpuArray_sync(&r));
  GpuArray_clear(&r);
  GpuArray_clear(&parts[0]);
  GpuArray_clear(&parts[1]);
  return GA_NO_ERROR;
}

static int take(void *arg) {
  bench_state *s = arg;

  GA_TRY(GpuLaunch_run(s->take));
  return GpuArray_sync(&s->rows);
}

/* --- data --- */

static int zeros(GpuArray *a, gpucontext *ctx, int typecode, size_t rows,
                 size_t columns) {
  size_t dims[2] = {rows, columns};

  return GpuArray_zeros(a, ctx, typecode, 2, dims, GA_C_ORDER);
}

static void set_slice(bench_state *s, size_t side) {
  const ssize_t starts[2] = {0, 0}, steps[2] = {2, 2};
  const ssize_t stops[2] = {(ssize_t)side, (ssize_t)side};
  const size_t dims[2] = {side / 2, side / 2};
  const ssize_t strides[2] = {(ssize_t)(side / 2 * sizeof(float)),
                              (ssize_t)sizeof(float)};

  bench_need(GpuArray_index(&s->sliced, &s->x, starts, stops, steps), "slice");
  bench_need(
      GpuArray_fromdata(&s->slice, s->z.data, 0, GA_FLOAT, 2, dims, strides, 1),
      "slice");
}

static void set_up(bench_state *s, size_t side) {
  bench_need(gpucontext_open(&s->ctx, NULL), "device");
  bench_need(zeros(&s->z, s->ctx, GA_FLOAT, side, side), "array");
  bench_need(zeros(&s->x, s->ctx, GA_FLOAT, side, side), "array");
  bench_need(zeros(&s->half, s->ctx, GA_HALF, side, side), "array");
  for (int k = 0; k < 2; k++)
    bench_need(zeros(&s->halves[k], s->ctx, GA_FLOAT, side, side / 2), "array");
  bench_need(GpuArray_transpose(&s->turned, &s->x, NULL), "transpose");
  bench_need(set_raw(s, side), "kernels");
  set_slice(s, side);
}

/* Rows of `length` floats of the square, in an order without order. */
static void set_take(bench_state *s, size_t side, size_t length) {
  size_t n = side * side / length, dims[2] = {n, length};
  int *numbers = malloc(n * sizeof *numbers);

  if (numbers == NULL)
    exit(1);
  for (size_t i = 0; i < n; i++)
    numbers[i] = (int)(i * 7919 % n);
  GpuArray_clear(&s->rows);
  GpuArray_clear(&s->values);
  GpuArray_clear(&s->numbers);
  GpuLaunch_free(s->take);
  bench_need(GpuArray_reshape(&s->rows, &s->z, 2, dims, GA_C_ORDER, 1), "rows");
  bench_need(GpuArray_reshape(&s->values, &s->x, 2, dims, GA_C_ORDER, 1),
             "values");
  bench_need(GpuArray_empty(&s->numbers, s->ctx, GA_INT, 1, &n, GA_C_ORDER),
             "indices");
  bench_need(GpuArray_write(&s->numbers, numbers, n * sizeof *numbers),
             "indices");
  bench_need(
      GpuArray_take1_prepare(&s->take, &s->rows, &s->values, &s->numbers),
      "gather");
  free(numbers);
}

static void tear_down(bench_state *s) {
  GpuLaunch_free(s->take);
  clReleaseKernel(s->raw_copy.k);
  clReleaseKernel(s->raw_slice.k);
  clReleaseKernel(s->raw_turn.k);
  clReleaseProgram(s->program);
  GpuArray_clear(&s->z);
  GpuArray_clear(&s->x);
  GpuArray_clear(&s->slice);
  GpuArray_clear(&s->sliced);
  GpuArray_clear(&s->turned);
  GpuArray_clear(&s->half);
  GpuArray_clear(&s->halves[0]);
  GpuArray_clear(&s->halves[1]);
  GpuArray_clear(&s->rows);
  GpuArray_clear(&s->values);
  GpuArray_clear(&s->numbers);
  gpucontext_deref(s->ctx);
}

static void measure(bench_state *s, const char *name, bench_fn fn, double bytes,
                    double raw_bytes) {
  bench_time ours, raw;

  bench_pair(fn, s, run_raw, s, REPS, &ours, &raw);
  bench_print(name, 1e-9 * bytes / ours.median, "GB/s",
              1e-9 * raw_bytes / raw.median);
}

int main(int argc, char **argv) {
  size_t side = argc > 1 ? strtoul(argv[1], NULL, 10) / 64 * 64 : 2048;
  double n = (double)side * (double)side;
  bench_state s = {0};

  if (side == 0) {
    fprintf(stderr, "usage: %s [side, a multiple of 64]\n", argv[0]);
    return 2;
  }
  set_up(&s, side);
  measure(&s, "assign", assign, 8 * n, 8 * n);
  measure(&s, "assign transposed", assign_turned, 8 * n, 8 * n);
  s.raw = &s.raw_turn;
  measure(&s, "assign transposed, by hand too", assign_turned, 8 * n, 8 * n);
  s.raw = &s.raw_slice;
  measure(&s, "assign x[::2, ::2]", assign_slice, 2 * n, 2 * n);
  s.raw = &s.raw_copy;
  measure(&s, "float to half", to_half, 6 * n, 8 * n);
  measure(&s, "join rows", join_rows, 8 * n, 8 * n);
  measure(&s, "join columns", join_columns, 8 * n, 8 * n);
  measure(&s, "join columns of 1", join_narrow, 8 * n, 8 * n);
  set_take(&s, side, 64);
  measure(&s, "gather rows of 64", take, 8 * n, 8 * n);
  set_take(&s, side, side);
  measure(&s, "gather whole rows", take, 8 * n, 8 * n);
  tear_down(&s);
  return 0;
}
