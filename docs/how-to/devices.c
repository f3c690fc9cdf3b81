/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of docs/how-to.md about devices, time and memory. */
#include <gpuarray/create.h>
#include <gpuarray/device.h>
#include <gpuarray/error.h>
#include <gpuarray/opencl.h>
#include <gpuarray/profile.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* End the program if a call failed. */
static void check(int err) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "%s\n", gpuarray_error_text(err));
  exit(1);
}

static void list(void) {
  gpudevice_info *device;
  size_t n;
  check(gpudevice_list(&device, &n));
  for (size_t i = 0; i < n; i++)
    printf("opencl%d:%d %s%s%s\n", device[i].platform, device[i].device,
           device[i].name, device[i].usable ? "" : ": ", device[i].why);
  gpudevice_list_free(device);
}

static void choose(void) {
  gpucontext *ctx;
  int err = gpucontext_open(&ctx, "a device that nobody has");
  if (err == GA_NODEV_ERROR)
    err = gpucontext_open(&ctx, NULL);
  check(err);
  gpucontext_deref(ctx);
}

static void ask(gpucontext *ctx) {
  const gpudevice_caps *caps = gpucontext_caps(ctx);
  if (caps == NULL)
    check(gpuarray_error_code());
  else
    printf("doubles: %s, memory: %g GB\n", caps->fp64 ? "yes" : "no",
           1e-9 * (double)caps->memory_bytes);
}

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void name(gpucontext *ctx) {
  char text[256];
  check(gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, text));
  printf("computing on %s\n", text);
}

static void measure(GpuArray *a) {
  check(GpuArray_fill(a, GA_FLOAT, &(float){1})); /* compiles, not measured */
  check(GpuArray_sync(a));
  double start = now();
  for (int i = 0; i < 10; i++)
    check(GpuArray_fill(a, GA_FLOAT, &(float){2}));
  check(GpuArray_sync(a));
  printf("a call takes %g s\n", (now() - start) / 10);
}

static void count_memory(gpucontext *ctx) {
  gpucontext_counters now;
  check(gpucontext_trim(ctx)); /* what no array uses goes to the driver */
  check(gpucontext_count(ctx, &now));
  printf("arrays use %g MB\n", 1e-6 * (double)now.used_bytes);
}

static void share(const GpuArray *a) {
  cl_mem memory;
  size_t offset; /* in bytes */
  check(GpuArray_opencl(a, &memory, &offset));
  printf("the array begins at byte %zu of a cl_mem\n", offset);
}

int main(void) {
  list();
  choose();
  gpucontext *ctx;
  check(gpucontext_open(&ctx, NULL));
  GpuArray a;
  check(GpuArray_empty(&a, ctx, GA_FLOAT, 1, &(size_t){1024}, GA_C_ORDER));
  name(ctx);
  ask(ctx);
  measure(&a);
  count_memory(ctx);
  share(&a);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
  return 0;
}
