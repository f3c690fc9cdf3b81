/* SPDX-License-Identifier: BSD-2-Clause */
/* What the driver itself keeps: the work of `soak` with OpenCL alone, none of
 * the libraries. Each kind of work is done again and again; printed is by how
 * much the heap of the process grows with it, once it has been done a while:
 * as long as its context is open, and for good.
 *
 *   soak_plain [TIMES, default 200 [part of the name of a kind of work]]
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torture/process.h"

enum { DEFAULT_TIMES = 200, ELEMENTS = 100, TEXT_BYTES = 512, MANY = 300 };

static cl_device_id device;

typedef struct binary {
  unsigned char *bytes;
  size_t n;
} binary;

/* One context with what a program needs. */
typedef struct plain {
  cl_context ctx;
  cl_command_queue queue;
  cl_mem mem;
} plain;

/* Every call must succeed: this is no test of failures. */
static void need(cl_int status, const char *call) {
  if (status == CL_SUCCESS)
    return;
  fprintf(stderr, "soak_plain: %s: %d\n", call, (int)status);
  exit(1);
}

static plain open_context(void) {
  plain p;
  cl_int status;

  p.ctx = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  need(status, "clCreateContext");
  p.queue = clCreateCommandQueue(p.ctx, device, 0, &status);
  need(status, "clCreateCommandQueue");
  p.mem = clCreateBuffer(p.ctx, CL_MEM_READ_WRITE, ELEMENTS * sizeof(float),
                         NULL, &status);
  need(status, "clCreateBuffer");
  return p;
}

static void close_context(plain *p) {
  clReleaseMemObject(p->mem);
  clReleaseCommandQueue(p->queue);
  clReleaseContext(p->ctx);
}

static cl_program from_source(const plain *p, const char *body, long n) {
  char text[TEXT_BYTES];
  const char *s = text;
  cl_int status;

  snprintf(text, sizeof text,
           "kernel void k(global float *a) {\n"
           "  a[get_global_id(0)] += %ld%s;\n}\n",
           n, body);
  cl_program program = clCreateProgramWithSource(p->ctx, 1, &s, NULL, &status);
  need(status, "clCreateProgramWithSource");
  return program;
}

static cl_int build(cl_program program) {
  return clBuildProgram(program, 1, &device, "", NULL, NULL);
}

static void launch(const plain *p, cl_kernel k) {
  const size_t items = ELEMENTS, group = 1;

  need(clSetKernelArg(k, 0, sizeof p->mem, &p->mem), "clSetKernelArg");
  need(clEnqueueNDRangeKernel(p->queue, k, 1, NULL, &items, &group, 0, NULL,
                              NULL),
       "clEnqueueNDRangeKernel");
  need(clFinish(p->queue), "clFinish");
}

static void launch_program(const plain *p, cl_program program) {
  cl_int status;
  cl_kernel k = clCreateKernel(program, "k", &status);

  need(status, "clCreateKernel");
  launch(p, k);
  clReleaseKernel(k);
}

/* --- kinds of work, the nth time --- */

static void use_context(plain *p, long n) {
  plain other = open_context();

  (void)p;
  (void)n;
  close_context(&other);
}

static void build_again(plain *p, long n) {
  cl_program program = from_source(p, "", 0);

  (void)n;
  need(build(program), "clBuildProgram");
  launch_program(p, program);
  clReleaseProgram(program);
}

static void build_another(plain *p, long n) {
  cl_program program = from_source(p, "", n);

  need(build(program), "clBuildProgram");
  launch_program(p, program);
  clReleaseProgram(program);
}

static void build_refused(plain *p, long n) {
  cl_program program = from_source(p, " + no_such_name", n);

  build(program);
  clReleaseProgram(program);
}

/* The binary of text `n`, compiled when it is asked for first. */
static const binary *binary_of(const plain *p, long n) {
  static binary all[MANY];
  binary *b = &all[n];

  if (b->bytes != NULL)
    return b;
  cl_program program = from_source(p, "", n);
  need(build(program), "clBuildProgram");
  need(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof b->n, &b->n,
                        NULL),
       "clGetProgramInfo");
  b->bytes = malloc(b->n);
  need(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof b->bytes,
                        &b->bytes, NULL),
       "clGetProgramInfo");
  clReleaseProgram(program);
  return b;
}

static void load(const plain *p, const binary *b) {
  const unsigned char *bytes = b->bytes;
  cl_int status;
  cl_program program = clCreateProgramWithBinary(p->ctx, 1, &device, &b->n,
                                                 &bytes, NULL, &status);

  need(status, "clCreateProgramWithBinary");
  need(build(program), "clBuildProgram");
  launch_program(p, program);
  clReleaseProgram(program);
}

static void load_binary(plain *p, long n) {
  (void)n;
  load(p, binary_of(p, 0));
}

static void load_in_turn(plain *p, long n) {
  load(p, binary_of(p, n % MANY));
}

static const struct {
  const char *name;
  void (*run)(plain *p, long n);
  long least; /* times, before the heap has what is needed once */
} works[] = {
    {"contexts opened and closed", use_context, 0},
    {"programs built of the same text", build_again, 0},
    {"programs built of other texts", build_another, 0},
    {"programs loaded from a binary", load_binary, 0},
    {"programs loaded from 300 in turn", load_in_turn, 2 * MANY},
    {"programs refused", build_refused, 0},
};

/* MiB of heap that work of one kind takes. */
typedef struct growth {
  double open; /* by `times` of it, before its context is closed */
  double left; /* by all of it, after that */
} growth;

static void work_on(plain *p, int which, long from, long to) {
  for (long n = from; n < to; n++)
    works[which].run(p, n);
}

/* `times` more, after twice as much as fills all caches: once in a context of
 * its own, whose end is the first look at what is left. */
static growth measure(int which, long warm, long times) {
  plain p = open_context();
  growth g;

  work_on(&p, which, 0, warm);
  close_context(&p);
  g.left = -process_heap_mib();
  p = open_context();
  work_on(&p, which, warm, 2 * warm);
  g.open = -process_heap_mib();
  work_on(&p, which, 2 * warm, 2 * warm + times);
  g.open += process_heap_mib();
  close_context(&p);
  g.left += process_heap_mib();
  return g;
}

static double kib_per_1000(double mib, long times) {
  return 1024e3 * mib / (double)times;
}

int main(int argc, char **argv) {
  const long times = argc > 1 ? strtol(argv[1], NULL, 10) : DEFAULT_TIMES;
  const char *only = argc > 2 ? argv[2] : "";
  cl_platform_id platform;

  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) !=
          CL_SUCCESS) {
    puts("no OpenCL device: skipped");
    return 77;
  }
  puts("KiB of heap in every 1000         context open  for good");
  for (int i = 0; i < (int)(sizeof works / sizeof *works); i++) {
    const long warm = times / 5 > works[i].least ? times / 5 : works[i].least;

    if (strstr(works[i].name, only) == NULL)
      continue;
    growth g = measure(i, warm, times);
    printf("%-34s %+11.1f %+9.1f\n", works[i].name, kib_per_1000(g.open, times),
           kib_per_1000(g.left, warm + times));
    fflush(stdout);
  }
  return 0;
}
