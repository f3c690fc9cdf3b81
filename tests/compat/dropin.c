/* SPDX-License-Identifier: BSD-2-Clause */
/* A client of libgpuarray 0.7.6, compiled with that library's headers and
 * linked to it, that is run with ours and with the original: arrays, views, an
 * elementwise expression, a kernel in the cluda dialect, a product, maxima. The
 * argument says which library the loader is to take, "ours" or "original". Exit
 * status 77: no device. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/array.h>
#include <gpuarray/blas.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/error.h>
#include <gpuarray/kernel.h>
#include <gpuarray/util.h>

static gpucontext *ctx;

#define CHECK(call)                                                            \
  do {                                                                         \
    int err_ = (call);                                                         \
    if (err_ != GA_NO_ERROR) {                                                 \
      printf("line %d: %s: %d %s\n", __LINE__, #call, err_,                    \
             gpucontext_error(ctx, err_));                                     \
      return 1;                                                                \
    }                                                                          \
  } while (0)

#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      printf("line %d: not so: %s\n", __LINE__, #condition);                   \
      return 1;                                                                \
    }                                                                          \
  } while (0)

static int open_device(void) {
  gpucontext_props *props;
  unsigned int platforms = 0, devices = 0;

  CHECK(gpu_get_platform_count("opencl", &platforms));
  if (platforms > 0)
    CHECK(gpu_get_device_count("opencl", 0, &devices));
  if (devices == 0) {
    printf("no OpenCL device: skipped\n");
    exit(77);
  }
  CHECK(gpucontext_props_new(&props));
  CHECK(gpucontext_props_opencl_dev(props, 0, 0));
  CHECK(gpucontext_init(&ctx, "opencl", props));
  return 0;
}

static int check_views(void) {
  size_t dims[2] = {3, 4}, flat[1] = {12};
  float in[12], out[12];
  GpuArray a, t, r;

  for (int i = 0; i < 12; i++)
    in[i] = (float)i;
  CHECK(GpuArray_empty(&a, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  CHECK(GpuArray_write(&a, in, sizeof in));
  CHECK(GpuArray_transpose(&t, &a, NULL));
  EXPECT(t.dimensions[0] == 4 && t.strides[0] == 4 && t.strides[1] == 16);
  CHECK(GpuArray_reshape(&r, &t, 1, flat, GA_C_ORDER, 0));
  CHECK(GpuArray_read(out, sizeof out, &r));
  for (int i = 0; i < 12; i++)
    EXPECT(out[i] == (float)((i % 3) * 4 + i / 3));
  GpuArray_clear(&r);
  GpuArray_clear(&t);
  GpuArray_clear(&a);
  return 0;
}

static int check_elemwise(void) {
  gpuelemwise_arg args[3] = {{"a", GA_FLOAT, GE_READ},
                             {"s", GA_FLOAT, GE_SCALAR},
                             {"c", GA_FLOAT, GE_WRITE}};
  float in[5] = {1, 2, 3, 4, 5}, out[5], s = 10;
  size_t dims[1] = {5};
  GpuArray a, c;
  GpuElemwise *ge;
  void *call[3] = {&a, &s, &c};

  CHECK(GpuArray_empty(&a, ctx, GA_FLOAT, 1, dims, GA_C_ORDER));
  CHECK(GpuArray_empty(&c, ctx, GA_FLOAT, 1, dims, GA_C_ORDER));
  CHECK(GpuArray_write(&a, in, sizeof in));
  ge = GpuElemwise_new(ctx, NULL, "c = a * s + 1", 3, args, 1, 0);
  EXPECT(ge != NULL);
  CHECK(GpuElemwise_call(ge, call, 0));
  CHECK(GpuArray_read(out, sizeof out, &c));
  for (int i = 0; i < 5; i++)
    EXPECT(out[i] == in[i] * 10 + 1);
  GpuElemwise_free(ge);
  GpuArray_clear(&a);
  GpuArray_clear(&c);
  return 0;
}

static int check_kernel(void) {
  const char *text = "#include \"cluda.h\"\n"
                     "KERNEL void twice(GLOBAL_MEM ga_float *p, ga_size off,\n"
                     "                  ga_size n) {\n"
                     "  ga_size i = GID_0 * LDIM_0 + LID_0;\n"
                     "  p = (GLOBAL_MEM ga_float *)"
                     "((GLOBAL_MEM char *)p + off);\n"
                     "  if (i < n)\n"
                     "    p[i] = 2 * p[i];\n"
                     "}\n";
  int types[3] = {GA_BUFFER, GA_SIZE, GA_SIZE};
  float in[5] = {1, 2, 3, 4, 5}, out[5];
  size_t dims[1] = {5}, n = 5, gs = 0, ls = 0;
  GpuKernel k;
  GpuArray a;
  void *args[3];

  CHECK(GpuArray_empty(&a, ctx, GA_FLOAT, 1, dims, GA_C_ORDER));
  CHECK(GpuArray_write(&a, in, sizeof in));
  CHECK(GpuKernel_init(&k, ctx, 1, &text, NULL, "twice", 3, types, 0, NULL));
  CHECK(GpuKernel_sched(&k, n, &gs, &ls));
  EXPECT(gs * ls >= n);
  args[0] = a.data;
  args[1] = &a.offset;
  args[2] = &n;
  CHECK(GpuKernel_call(&k, 1, &gs, &ls, 0, args));
  CHECK(GpuArray_read(out, sizeof out, &a));
  for (int i = 0; i < 5; i++)
    EXPECT(out[i] == 2 * in[i]);
  GpuKernel_clear(&k);
  GpuArray_clear(&a);
  return 0;
}

static int check_gemm(void) {
  float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, c[4];
  size_t ad[2] = {2, 3}, bd[2] = {3, 2}, cd[2] = {2, 2};
  GpuArray A, B, C;

  CHECK(GpuArray_empty(&A, ctx, GA_FLOAT, 2, ad, GA_C_ORDER));
  CHECK(GpuArray_empty(&B, ctx, GA_FLOAT, 2, bd, GA_C_ORDER));
  CHECK(GpuArray_zeros(&C, ctx, GA_FLOAT, 2, cd, GA_C_ORDER));
  CHECK(GpuArray_write(&A, a, sizeof a));
  CHECK(GpuArray_write(&B, b, sizeof b));
  CHECK(GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &A, &B, 0, &C, 0));
  CHECK(GpuArray_read(c, sizeof c, &C));
  EXPECT(c[0] == 4 && c[1] == 5 && c[2] == 10 && c[3] == 11);
  GpuArray_clear(&A);
  GpuArray_clear(&B);
  GpuArray_clear(&C);
  return 0;
}

/* Maxima over two of three axes, into every second element of arrays that the
 * caller made. */
static int check_maxima(void) {
  size_t dims[3] = {2, 3, 4}, doubled[1] = {6};
  ssize_t start = 0, stop = 6, step = 2;
  unsigned int axes[2] = {2, 0};
  float in[24], most[6];
  long long at[6];
  GpuArray a, m, i;

  for (int k = 0; k < 24; k++)
    in[k] = (float)(k * 7 % 24);
  CHECK(GpuArray_empty(&a, ctx, GA_FLOAT, 3, dims, GA_C_ORDER));
  CHECK(GpuArray_write(&a, in, sizeof in));
  CHECK(GpuArray_zeros(&m, ctx, GA_FLOAT, 1, doubled, GA_C_ORDER));
  CHECK(GpuArray_zeros(&i, ctx, GA_LONG, 1, doubled, GA_C_ORDER));
  gpudata *made = m.data;
  CHECK(GpuArray_index_inplace(&m, &start, &stop, &step));
  CHECK(GpuArray_index_inplace(&i, &start, &stop, &step));
  CHECK(GpuArray_maxandargmax(&m, &i, &a, 2, axes));
  EXPECT(m.data == made && m.nd == 1 && m.strides[0] == 8);
  CHECK(gpudata_read(most, m.data, 0, sizeof most));
  CHECK(gpudata_read(at, i.data, 0, sizeof at));
  for (int k = 0; k < 3; k++) {
    int x = (int)at[2 * k] / 2, z = (int)at[2 * k] % 2, other;
    EXPECT(most[2 * k] == in[12 * z + 4 * k + x] && most[2 * k + 1] == 0);
    for (other = 0; other < 8; other++)
      EXPECT(most[2 * k] >= in[12 * (other / 4) + 4 * k + other % 4]);
  }
  EXPECT(GpuArray_maxandargmax(&m, &i, &a, 0, axes) == GA_INVALID_ERROR);
  GpuArray_clear(&a);
  GpuArray_clear(&m);
  GpuArray_clear(&i);
  return 0;
}

/* Ours has names that the original has not. */
static int check_library(const char *wanted) {
  int is_ours = dlsym(RTLD_DEFAULT, "GpuLaunch_run") != NULL;

  EXPECT(is_ours == (strcmp(wanted, "ours") == 0));
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s ours|original\n", argv[0]);
    return 2;
  }
  if (check_library(argv[1]) || open_device() || check_views() ||
      check_elemwise() || check_kernel() || check_gemm() || check_maxima())
    return 1;
  gpucontext_deref(ctx);
  return 0;
}
