/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening a device for the first time in a process, beside what plain OpenCL
 * needs for a context and a queue on the same device: the rest is ours. Every
 * figure comes from a process of its own, in turns.
 *
 *   bench_context [PROCESSES] */
#include "bench.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <gpuarray/buffer.h>
#include <gpuarray/error.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 99 };

/* --- in processes of their own --- */

static void open_ours(void) {
  gpucontext_props *props;
  gpucontext *ctx;

  bench_need(gpucontext_props_new(&props), "properties");
  bench_need(gpucontext_props_opencl_dev(props, 0, 0), "device");
  bench_need(gpucontext_init(&ctx, "opencl", props), "context");
}

/* Ours looks at all platforms, to number them. */
static void open_plain(void) {
  cl_platform_id platforms[16];
  cl_uint n = 0;
  cl_device_id device;

  clGetPlatformIDs(16, platforms, &n);
  bench_need(n == 0 ? GA_NODEV_ERROR : GA_NO_ERROR, "platforms");
  cl_int status =
      clGetDeviceIDs(platforms[0], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  bench_need(status, "devices");
  cl_context ctx = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  bench_need(status, "context");
  clCreateCommandQueue(ctx, device, 0, &status);
  bench_need(status, "queue");
}

/* What follows at the end of the process is not what is measured. */
static void run_child(const char *which) {
  const double start = bench_now();

  if (strcmp(which, "ours") == 0)
    open_ours();
  else
    open_plain();
  printf("%.9f\n", bench_now() - start);
  fflush(stdout);
  _Exit(0);
}

/* --- the parent --- */

static double time_child(const char *self, const char *which) {
  char command[4096], line[64];

  snprintf(command, sizeof command, "'%s' %s", self, which);
  FILE *pipe = popen(command, "r");
  if (pipe == NULL || fgets(line, sizeof line, pipe) == NULL ||
      pclose(pipe) != 0) {
    fprintf(stderr, "bench_context: %s failed\n", command);
    exit(1);
  }
  return strtod(line, NULL);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  double ours[MOST], plain[MOST];
  int n = argc > 1 ? atoi(argv[1]) : 11;

  if (argc > 1 && n == 0)
    run_child(argv[1]);
  if (n < 1 || n > MOST) {
    fprintf(stderr, "usage: %s [1 ... %d]\n", argv[0], MOST);
    return 2;
  }
  for (int i = 0; i < n; i++) {
    plain[i] = time_child(argv[0], "plain");
    ours[i] = time_child(argv[0], "ours");
  }
  qsort(ours, (size_t)n, sizeof *ours, compare);
  qsort(plain, (size_t)n, sizeof *plain, compare);
  bench_print("context, first of a process", 1e3 * ours[n / 2], "ms",
              1e3 * plain[n / 2]);
  bench_print("  beyond plain OpenCL", 1e3 * (ours[n / 2] - plain[n / 2]), "ms",
              0);
  return 0;
}
