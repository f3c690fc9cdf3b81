/* SPDX-License-Identifier: BSD-2-Clause */
/* What each library answers to misuse: compiled with the headers of libgpuarray
 * 0.7.6 and run with ours and with the original, see dropin.c. Where the codes
 * differ the original takes what it should not, passes on an error of the
 * driver, or writes out of bounds and may end the process (CRASHES, not tried).
 * No refused call of ours changes an array. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/array.h>
#include <gpuarray/blas.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/error.h>
#include <gpuarray/extension.h>
#include <gpuarray/kernel.h>
#include <gpuarray/util.h>

enum { GA_CRASHES_ERROR = -1 };

static gpucontext *ctx, *other;
/* Every float is 1. `gaps` is every second element of a 4 x 6 array, `fixed` is
 * not writeable, `odd` begins one byte behind an element. */
static GpuArray a23, b23, a32, three, two, gaps, fixed, far, odd;
static GpuArray scalar, doubles, ints, longs, none;
static GpuArray out; /* of calls that make an array; cleared after each */
static GpuElemwise *add;
static int is_ours, n_failed;

static const size_t d23[2] = {2, 3}, d32[2] = {3, 2}, d46[2] = {4, 6};
static const size_t d3[1] = {3}, d2[1] = {2}, d5[1] = {5}, d6[1] = {6};
static const size_t below_0[1] = {(size_t)-1}, huge[2] = {SIZE_MAX / 4, 64};

static void need(int err) {
  if (err == GA_NO_ERROR)
    return;
  printf("cannot set up: %d %s\n", err, gpucontext_error(ctx, err));
  exit(1);
}

static void make(GpuArray *a, gpucontext *c, int type, unsigned int nd,
                 const size_t *dims) {
  float ones[24];
  size_t n = 1;

  for (unsigned int i = 0; i < nd; i++)
    n *= dims[i];
  for (int i = 0; i < 24; i++)
    ones[i] = 1;
  need(GpuArray_zeros(a, c, type, nd, dims, GA_C_ORDER));
  if (type == GA_FLOAT)
    need(GpuArray_write(a, ones, n * sizeof *ones));
}

static gpucontext *open_device(void) {
  gpucontext_props *props;
  gpucontext *c;

  need(gpucontext_props_new(&props));
  need(gpucontext_props_opencl_dev(props, 0, 0));
  need(gpucontext_init(&c, "opencl", props));
  return c;
}

static void set_up(void) {
  const ssize_t starts[2] = {0, 0}, stops[2] = {4, 6}, steps[2] = {2, 2};
  gpuelemwise_arg args[3] = {{"a", GA_FLOAT, GE_READ},
                             {"b", GA_FLOAT, GE_READ},
                             {"c", GA_FLOAT, GE_WRITE}};
  const ssize_t stride = sizeof(float);

  ctx = open_device();
  other = open_device();
  make(&a23, ctx, GA_FLOAT, 2, d23);
  make(&b23, ctx, GA_FLOAT, 2, d23);
  make(&a32, ctx, GA_FLOAT, 2, d32);
  make(&three, ctx, GA_FLOAT, 1, d3);
  make(&two, ctx, GA_FLOAT, 1, d2);
  make(&gaps, ctx, GA_FLOAT, 2, d46);
  need(GpuArray_index_inplace(&gaps, starts, stops, steps));
  make(&fixed, ctx, GA_FLOAT, 2, d23);
  fixed.flags &= ~GA_WRITEABLE;
  make(&far, other, GA_FLOAT, 2, d23);
  make(&scalar, ctx, GA_FLOAT, 0, NULL);
  make(&doubles, ctx, GA_DOUBLE, 2, d23);
  make(&ints, ctx, GA_INT, 1, d3);
  make(&longs, ctx, GA_LONG, 1, d3);
  need(GpuArray_fromdata(&odd, a23.data, 1, GA_FLOAT, 1, d2, &stride, 1));
  add = GpuElemwise_new(ctx, "", "c = a + b", 3, args, 2, 0);
  if (add == NULL)
    need(GA_MISC_ERROR);
}

static void tear_down(void) {
  GpuArray *const all[] = {&a23, &b23, &a32,    &three,   &two,  &gaps, &fixed,
                           &far, &odd, &scalar, &doubles, &ints, &longs};

  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    GpuArray_clear(all[i]);
  GpuElemwise_free(add);
  gpucontext_deref(other);
  gpucontext_deref(ctx);
}

/* --- calls with lists --- */

static int slice(ssize_t start, ssize_t stop, ssize_t step) {
  const ssize_t starts[2] = {start, 0}, stops[2] = {stop, 3};
  const ssize_t steps[2] = {step, 1};

  return GpuArray_index(&out, &a23, starts, stops, steps);
}

static int transpose(unsigned int first, unsigned int second) {
  const unsigned int axes[2] = {first, second};

  return GpuArray_transpose(&out, &a23, axes);
}

static int split(size_t first, size_t second, unsigned int axis) {
  GpuArray parts[3], *list[3] = {&parts[0], &parts[1], &parts[2]};
  size_t at[2] = {first, second};
  int err = GpuArray_split(list, &a23, 2, at, axis);

  for (int i = 0; err == GA_NO_ERROR && i < 3; i++)
    GpuArray_clear(&parts[i]);
  return err;
}

static int join(const GpuArray *first, const GpuArray *second,
                unsigned int axis, int type) {
  const GpuArray *list[2] = {first, second};

  return GpuArray_concatenate(&out, list, first != NULL ? 2 : 0, axis, type);
}

static int wrap(gpudata *data, size_t offset, ssize_t stride, int type) {
  return GpuArray_fromdata(&out, data, offset, type, 1, d6, &stride, 1);
}

static int sum(GpuArray *a, GpuArray *b, GpuArray *c, int flags) {
  void *args[3] = {a, b, c};

  return GpuElemwise_call(add, args, flags);
}

static int most(GpuArray *values, GpuArray *at, const GpuArray *src,
                unsigned int n, unsigned int first, unsigned int second) {
  const unsigned int axes[2] = {first, second};

  return GpuArray_maxandargmax(values, at, src, n, axes);
}

static int alloc(size_t bytes, int flags) {
  int err = GA_NO_ERROR;
  gpudata *d = gpudata_alloc(ctx, bytes, NULL, flags, &err);

  gpudata_release(d);
  return d != NULL ? GA_NO_ERROR : err;
}

static int context(const char *name, int device) {
  gpucontext_props *props;
  gpucontext *c;

  need(gpucontext_props_new(&props));
  need(gpucontext_props_opencl_dev(props, 0, device));
  return gpucontext_init(&c, name, props);
}

static int schedule(int mode) {
  gpucontext_props *props;

  need(gpucontext_props_new(&props));
  int err = gpucontext_props_sched(props, mode);
  gpucontext_props_del(props);
  return err;
}

static int kernel(const char *name, int flags) {
  const char *text = "#include \"cluda.h\"\n"
                     "KERNEL void f(GLOBAL_MEM ga_float *p) { p[0] = 1; }\n";
  const int type = GA_BUFFER;
  GpuKernel k;
  int err =
      GpuKernel_init(&k, ctx, 1, &text, NULL, name, 1, &type, flags, NULL);

  if (err == GA_NO_ERROR)
    GpuKernel_clear(&k);
  return err;
}

static int property(int id) {
  char value[512];

  return gpucontext_property(ctx, id, value);
}

/* --- the cases --- */

static int is_all_1(const GpuArray *a, size_t n) {
  float values[24];

  need(gpudata_read(values, a->data, 0, n * sizeof *values));
  for (size_t i = 0; i < n; i++) {
    if (values[i] != 1)
      return 0;
  }
  return 1;
}

static int is_unchanged(void) {
  return is_all_1(&a23, 6) && is_all_1(&b23, 6) && is_all_1(&three, 3) &&
         is_all_1(&two, 2) && is_all_1(&gaps, 24) && is_all_1(&fixed, 6) &&
         is_all_1(&far, 6) && is_all_1(&scalar, 1);
}

static void check(const char *call, int got, int want) {
  const int is_bad = got != want || (is_ours && !is_unchanged());

  n_failed += is_bad;
  if (is_bad)
    printf("%s: code %d, expected %d%s%s\n", call, got, want,
           is_ours ? ": " : "", is_ours ? gpucontext_error(ctx, got) : "");
  GpuArray_clear(&out);
}

/* What ours returns, what the original does: names of GA_ codes. */
#define CASE(call, ours, original)                                             \
  do {                                                                         \
    if (is_ours || GA_##original##_ERROR != GA_CRASHES_ERROR)                  \
      check(#call, (call),                                                     \
            is_ours ? GA_##ours##_ERROR : GA_##original##_ERROR);              \
  } while (0)

static void check_made(void) {
  CASE(GpuArray_empty(&out, ctx, 999, 1, d3, GA_C_ORDER), VALUE, NO);
  CASE(GpuArray_empty(&out, ctx, GA_FLOAT, 1, d3, 7), VALUE, VALUE);
  CASE(GpuArray_empty(&out, ctx, GA_FLOAT, 2, huge, GA_C_ORDER), XLARGE,
       XLARGE);
  CASE(GpuArray_empty(&out, ctx, GA_FLOAT, 1, below_0, GA_C_ORDER), XLARGE,
       XLARGE);
  CASE(wrap(a23.data, 4, 4, GA_FLOAT), VALUE, NO);
  CASE(wrap(a23.data, 0, -4, GA_FLOAT), VALUE, NO);
  CASE(wrap(a23.data, 0, 4, 999), VALUE, NO);
  CASE(join(&a23, &three, 0, GA_FLOAT), VALUE, VALUE);
  CASE(join(&a23, &a32, 0, GA_FLOAT), VALUE, VALUE);
  CASE(join(&a23, &b23, 2, GA_FLOAT), VALUE, VALUE);
  CASE(join(&a23, &far, 0, GA_FLOAT), INVALID, INVALID);
  CASE(join(NULL, NULL, 0, GA_FLOAT), VALUE, CRASHES);
}

static void check_views(void) {
  CASE(slice(0, 3, 1), VALUE, VALUE);
  CASE(slice(3, 3, 1), VALUE, VALUE);
  CASE(slice(1, 0, 1), VALUE, VALUE);
  CASE(slice(2, 0, 0), VALUE, VALUE);
  CASE(slice(-1, 2, 1), VALUE, NO);
  CASE(slice(2, -1, -1), VALUE, NO);
  CASE(transpose(0, 0), VALUE, VALUE);
  CASE(transpose(0, 2), VALUE, CRASHES);
  CASE(split(1, 4, 1), VALUE, VALUE);
  CASE(split(2, 1, 1), VALUE, VALUE);
  CASE(split(0, 1, 2), VALUE, CRASHES);
  CASE(GpuArray_reshape(&out, &a23, 1, d5, GA_C_ORDER, 0), INVALID, INVALID);
  CASE(GpuArray_reshape(&out, &gaps, 1, d6, GA_C_ORDER, 1), COPY, COPY);
  CASE(GpuArray_reshape_inplace(&gaps, 1, d6, GA_C_ORDER), COPY, COPY);
}

static void check_copies(void) {
  CASE(GpuArray_setarray(&fixed, &a23), VALUE, VALUE);
  CASE(GpuArray_setarray(&a23, &a32), VALUE, VALUE);
  CASE(GpuArray_setarray(&a23, &two), VALUE, VALUE);
  CASE(GpuArray_setarray(&three, &a23), VALUE, VALUE);
  CASE(GpuArray_setarray(&a23, &far), VALUE, VALUE);
  CASE(GpuArray_setarray(&two, &odd), UNALIGNED, UNALIGNED);
  CASE(GpuArray_setarray(&odd, &two), UNALIGNED, UNALIGNED);
  CASE(GpuArray_copy(&out, &odd, GA_C_ORDER), UNALIGNED, UNALIGNED);
  CASE(GpuArray_move(&fixed, &a23), VALUE, VALUE);
  CASE(GpuArray_move(&three, &a23), VALUE, VALUE);
  CASE(GpuArray_move(&far, &a23), VALUE, VALUE);
  CASE(GpuArray_move(&two, &odd), UNALIGNED, UNALIGNED);
  CASE(GpuArray_transfer(&far, &doubles), UNSUPPORTED, UNSUPPORTED);
  CASE(GpuArray_transfer(&far, &a32), VALUE, NO);
  CASE(GpuArray_take1(&b23, &a23, &ints, 1), INVALID, INVALID);
  CASE(GpuArray_take1(&three, &a23, &ints, 1), INVALID, INVALID);
  CASE(GpuArray_take1(&fixed, &a23, &ints, 1), VALUE, VALUE);
  CASE(GpuArray_write(&fixed, d46, 8), VALUE, VALUE);
  CASE(GpuArray_write(&gaps, d46, 8), UNSUPPORTED, UNSUPPORTED);
  CASE(GpuArray_memset(&gaps, 0), UNSUPPORTED, UNSUPPORTED);
  CASE(GpuArray_memset(&fixed, 0), VALUE, NO);
}

static void check_kernels(void) {
  CASE(sum(&a23, &a32, &b23, 0), VALUE, VALUE);
  CASE(sum(&a23, &three, &b23, 0), VALUE, VALUE);
  CASE(sum(&a23, &three, &b23, GE_BROADCAST), VALUE, VALUE);
  CASE(sum(&a23, &b23, &fixed, 0), READONLY, NO);
  CASE(sum(&a23, &b23, &far, 0), VALUE, NO);
  CASE(sum(&a23, &doubles, &b23, 0), VALUE, NO);
  CASE(most(&three, &longs, &a23, 0, 0, 0), INVALID, INVALID);
  CASE(most(&three, &longs, &a23, 2, 0, 0), INVALID, INVALID);
  CASE(most(&three, &longs, &a23, 1, 2, 0), INVALID, INVALID);
  CASE(most(&three, &longs, NULL, 1, 0, 0), INVALID, INVALID);
  CASE(most(NULL, &longs, &a23, 1, 0, 0), INVALID, INVALID);
  CASE(most(&three, NULL, &a23, 1, 0, 0), INVALID, INVALID);
  CASE(most(&two, &longs, &a23, 1, 0, 0), VALUE, CRASHES);
  CASE(GpuArray_rdot(&three, &two, &scalar, 0), VALUE, VALUE);
  CASE(GpuArray_rgemv(cb_no_trans, 1, &a23, &two, 0, &three, 0), VALUE, VALUE);
  CASE(GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &a23, &a23, 0, &b23, 0),
       VALUE, VALUE);
}

static void check_buffers(void) {
  CASE(alloc(4, GA_BUFFER_INIT), VALUE, VALUE);
  CASE(alloc(4, GA_BUFFER_READ_ONLY | GA_BUFFER_WRITE_ONLY), VALUE, VALUE);
  CASE(alloc((size_t)1 << 60, 0), MEMORY, IMPL);
  CASE(gpudata_move(far.data, 0, a23.data, 0, 24), VALUE, VALUE);
  CASE(gpudata_move(b23.data, 0, a23.data, 0, 25), VALUE, IMPL);
  CASE(gpudata_move(b23.data, 8, a23.data, 0, 24), VALUE, IMPL);
  CASE(gpudata_write(b23.data, 20, d46, 5), VALUE, IMPL);
  CASE(gpudata_memset(b23.data, 25, 0), VALUE, NO);
  CASE(gpudata_transfer(far.data, 0, a23.data, 0, 25), VALUE, IMPL);
  CASE(property(2), INVALID, INVALID);
  CASE(context("opencl", 77), NODEV, VALUE);
  CASE(schedule(9), INVALID, INVALID);
  CASE(kernel("f", GA_USE_CUDA), DEVSUP, DEVSUP);
  CASE(kernel("g", 0), VALUE, IMPL);
}

static void check_nothing(void) {
  CASE(GpuArray_view(&out, &none), INVALID, CRASHES);
  CASE(GpuArray_sync(&none), INVALID, CRASHES);
  CASE(GpuArray_copy(&out, &none, GA_C_ORDER), INVALID, CRASHES);
  CASE((GpuArray_clear(&none), 0), NO, NO);
  CASE((gpudata_release(NULL), 0), NO, NO);
  CASE((gpucontext_props_del(NULL), 0), NO, NO);
  CASE((gpukernel_release(NULL), 0), NO, CRASHES);
  CASE((gpucontext_deref(NULL), 0), NO, CRASHES);
  CASE((GpuElemwise_free(NULL), 0), NO, CRASHES);
  CASE(GpuArray_context(&none) != NULL, NO, CRASHES);
  CASE(gpuarray_get_extension("nothing") != NULL, NO, NO);
}

int main(int argc, char **argv) {
  unsigned int devices = 0;

  if (argc != 2) {
    fprintf(stderr, "usage: %s ours|original\n", argv[0]);
    return 2;
  }
  is_ours = strcmp(argv[1], "ours") == 0;
  if (is_ours != (dlsym(RTLD_DEFAULT, "GpuLaunch_run") != NULL)) {
    printf("the loader did not take the library that is asked for\n");
    return 1;
  }
  if (gpu_get_device_count("opencl", 0, &devices) != GA_NO_ERROR ||
      devices == 0) {
    printf("no OpenCL device: skipped\n");
    return 77;
  }
  set_up();
  check_made();
  check_views();
  check_copies();
  check_kernels();
  check_buffers();
  check_nothing();
  tear_down();
  return n_failed != 0;
}
