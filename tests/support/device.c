/* SPDX-License-Identifier: BSD-2-Clause */
/* The device of the tests, arrays made from host data, and comparisons. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/profile.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "ocl/kernel/programs.h"
#include "ocl/objects.h"
#include "ocl/ocl.h"
#include "support/lcg.h"

static gpucontext *shared_context, *second_context;

gpucontext *test_context(void) {
  if (shared_context)
    return shared_context;
  int err = gpucontext_open(&shared_context, NULL);
  if (err == GA_NODEV_ERROR) {
    /* CTest looks for these words to show the test as skipped. */
    print_message("no OpenCL device: skipped (%s)\n",
                  gpucontext_error(NULL, err));
    skip();
  }
  if (err != GA_NO_ERROR)
    fail_msg("cannot open the device: %s", gpucontext_error(NULL, err));
  return shared_context;
}

/* A usable device that is not `first`, as text; "" if there is none. */
static void find_other(const char *first, char name[32]) {
  gpudevice_info *list = NULL;
  size_t n = 0;

  name[0] = '\0';
  assert_int_equal(gpudevice_list(&list, &n), GA_NO_ERROR);
  for (size_t k = 0; k < n && name[0] == '\0'; k++) {
    snprintf(name, 32, "ocl%d:%d", list[k].platform, list[k].device);
    if (strcmp(name, first) == 0 || !list[k].usable)
      name[0] = '\0';
    else
      snprintf(name, 32, "opencl%d:%d", list[k].platform, list[k].device);
  }
  gpudevice_list_free(list);
}

gpucontext *test_second_context(void) {
  const char *named = getenv("GPUARRAY_DEVICE2");
  char first[16], other[32], spec[32];

  if (second_context != NULL)
    return second_context;
  assert_ok(gpucontext_property(test_context(), GA_CTX_PROP_UNIQUE_ID, first));
  find_other(first, other);
  snprintf(spec, sizeof spec, "opencl%s", first + 3);
  if (named == NULL || named[0] == '\0')
    named = other[0] != '\0' ? other : spec;
  int err = gpucontext_open(&second_context, named);
  if (err != GA_NO_ERROR)
    fail_msg("cannot open %s: %s", named, gpucontext_error(NULL, err));
  print_message("the second context is %s\n", named);
  return second_context;
}

/* That no kernel of the library has PoCL read its header of functions. */
static int check_programs(const gpucontext *ctx) {
  const size_t n = ctx != NULL ? ga__programs_with_header(ctx) : 0;

  if (n == 0)
    return 0;
  print_error("%zu programs were compiled with PoCL's header: see "
              "src/codegen/builtins.c\n",
              n);
  return -1;
}

int test_context_drop(void **state) {
  const int err = check_programs(shared_context);

  (void)state;
  gpucontext_deref(second_context);
  second_context = NULL;
  gpucontext_deref(shared_context);
  shared_context = NULL;
  return err;
}

/* Fresh memory is poisoned: results of one mapping do not stand in for what the
 * next one should have written. A device that cuts long loops short gets no
 * layouts for CPUs, which have them. */
void test_mappings(void (*body)(void)) {
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const gpudevice_caps real = *caps;
  const int poison = shared_context->poison;
  const int most = real.long_loops != 0;
  const int least = most && !ga__caps_suit_gpu(&real);

  shared_context->poison = 1;
  for (int is_cpu = most; is_cpu >= least; is_cpu--) {
    caps->is_cpu = is_cpu;
    body();
    *caps = real;
  }
  shared_context->poison = poison;
}

static void run_chained(void (*body)(void), int is_cpu) {
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const gpudevice_caps real = *caps;

  caps->is_cpu = is_cpu;
  caps->chains = 1;
  caps->compute_units = 64;
  body();
  *caps = real;
}

void test_chained(void (*body)(void)) {
  test_need_gpu_mapping();
  run_chained(body, 0);
}

void test_chained_cpu(void (*body)(void)) {
  run_chained(body, 1);
}

int test_is_quick(void) {
  return getenv("GPUGRAPH_QUICK_TESTS") != NULL;
}

void test_need_full(void) {
  if (!test_is_quick())
    return;
  print_message("for ci/test --full\n");
  skip();
}

void test_need_double(void) {
  if (gpucontext_caps(test_context())->fp64)
    return;
  print_message("the device has no fp64\n");
  skip();
}

void test_need_int64_atomics(void) {
  if (gpucontext_caps(test_context())->int64_atomics)
    return;
  print_message("the device has no 64-bit atomics\n");
  skip();
}

static cl_ulong end_of_marker(void) {
  cl_ulong end = 0;
  cl_event ev;

  assert_int_equal(
      clEnqueueMarkerWithWaitList(ga__ctx_queue(test_context()), 0, NULL, &ev),
      CL_SUCCESS);
  assert_int_equal(clWaitForEvents(1, &ev), CL_SUCCESS);
  clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
  clReleaseEvent(ev);
  return end;
}

/* Whether the driver notes when markers end, on a queue that profiles. */
static int markers_have_times(void) {
  const cl_ulong first = end_of_marker();

  return end_of_marker() > first;
}

void test_need_marker_times(void) {
  assert_ok(gpucontext_profile(test_context(), 1));
  const int have_times = markers_have_times();
  assert_ok(gpucontext_profile(test_context(), 0));
  if (have_times)
    return;
  print_message("the driver's markers have no times\n");
  skip();
}

int test_can_loop(size_t rounds) {
  if (rounds <= 65535 || gpucontext_caps(test_context())->long_loops)
    return 1;
  print_message("the device ends loops before %zu rounds\n", rounds);
  return 0;
}

void test_need_loops(size_t rounds) {
  if (!test_can_loop(rounds))
    skip();
}

void test_need_group(size_t items) {
  const gpudevice_caps *c = gpucontext_caps(test_context());

  if (c->max_group >= items && c->max_items[0] >= items)
    return;
  print_message("the device has no groups of %zu\n", items);
  skip();
}

void test_need_gpu_mapping(void) {
  if (ga__caps_suit_gpu(gpucontext_caps(test_context())))
    return;
  print_message("the device cannot be mapped like a GPU\n");
  skip();
}

void test_need_local(size_t bytes) {
  if (gpucontext_caps(test_context())->local_bytes >= bytes)
    return;
  print_message("the device has no local memory of %zu bytes\n", bytes);
  skip();
}

void test_need_buffer(size_t bytes) {
  if (gpucontext_caps(test_context())->max_alloc_bytes >= bytes)
    return;
  print_message("the device has no buffers of %zu bytes\n", bytes);
  skip();
}

void test_need_memory(uint64_t bytes) {
  if (gpucontext_caps(test_context())->memory_bytes >= bytes)
    return;
  print_message("the device has no memory of %" PRIu64 " bytes\n", bytes);
  skip();
}

void test_assert_code(int got, int want, const char *what, const char *file,
                      int line) {
  if (got == want)
    return;
  print_error("%s: %d (%s), expected %d\n", what, got,
              gpucontext_error(NULL, got), want);
  _fail(file, line);
}

void test_assert_message(int code, const char *part, const char *file,
                         int line) {
  const char *text = gpucontext_error(NULL, code);

  if (strstr(text, part))
    return;
  print_error("the message is \"%s\", without \"%s\"\n", text, part);
  _fail(file, line);
}

/* --- host data --- */

void test_set(void *p, int typecode, size_t i, double v) {
  size_t size = gpuarray_get_elsize(typecode);

  ga__dtype_from_double(typecode, (char *)p + i * size, v);
}

/* The inner loops of references read float and double. */
double test_get(const void *p, int typecode, size_t i) {
  double d;
  float f;

  if (typecode == GA_FLOAT) {
    memcpy(&f, (const char *)p + i * sizeof f, sizeof f);
    return f;
  }
  if (typecode == GA_DOUBLE) {
    memcpy(&d, (const char *)p + i * sizeof d, sizeof d);
    return d;
  }
  return ga__dtype_to_double(typecode, (const char *)p +
                                           i * gpuarray_get_elsize(typecode));
}

void test_fill(void *p, int typecode, size_t n, double lo, double hi,
               uint32_t seed) {
  uint64_t s = seed * UINT64_C(2654435761) + 1;
  int whole = ga__dtype_kind(typecode) != GA_KIND_FLOAT &&
              ga__dtype_kind(typecode) != GA_KIND_COMPLEX;

  for (size_t i = 0; i < n; i++) {
    double v = lo + (hi - lo) * lcg_next(&s) / 2147483648.0;
    test_set(p, typecode, i, whole ? floor(v) : v);
  }
}

/* --- arrays --- */

size_t test_size(const GpuArray *a) {
  size_t n = 1;

  for (unsigned int k = 0; k < a->nd; k++)
    n *= a->dimensions[k];
  return n;
}

void test_array(GpuArray *a, int typecode, unsigned int nd, const size_t *dims,
                const void *data) {
  assert_ok(GpuArray_empty(a, test_context(), typecode, nd, dims, GA_C_ORDER));
  size_t bytes = test_size(a) * GpuArray_ITEMSIZE(a);
  if (bytes > 0)
    assert_ok(GpuArray_write(a, data, bytes));
}

/* Byte offset, from element 0, of the element at C position `i`. */
static ptrdiff_t offset_of(size_t i, unsigned int nd, const size_t *dims,
                           const ssize_t *byte_strides) {
  ptrdiff_t off = 0;

  for (unsigned int k = nd; k-- > 0;) {
    off += (ptrdiff_t)(i % dims[k]) * byte_strides[k];
    i /= dims[k];
  }
  return off;
}

void test_array_within(GpuArray *a, int typecode, unsigned int nd,
                       const size_t *dims, const ssize_t *strides,
                       const void *data, ssize_t margin) {
  ssize_t size = (ssize_t)gpuarray_get_elsize(typecode);
  ssize_t low = 0, high = 0;
  ssize_t byte_strides[16];
  size_t n = 1;

  for (unsigned int k = 0; k < nd; k++) {
    ssize_t reach = dims[k] ? (ssize_t)(dims[k] - 1) * strides[k] : 0;

    n *= dims[k];
    byte_strides[k] = strides[k] * size;
    *(reach < 0 ? &low : &high) += reach * size;
  }
  size_t start = (size_t)(margin * size - low);
  size_t bytes = start + (size_t)(high + (margin + 1) * size);
  char *host = malloc(bytes);
  assert_non_null(host);
  memset(host, 0x5a, bytes);
  for (size_t i = 0; i < n; i++) {
    ptrdiff_t off = (ptrdiff_t)start + offset_of(i, nd, dims, byte_strides);

    memcpy(host + off, (const char *)data + (ssize_t)i * size, (size_t)size);
  }
  gpudata *buf =
      gpudata_alloc(test_context(), bytes, host, GA_BUFFER_INIT, NULL);
  assert_non_null(buf);
  assert_ok(
      GpuArray_fromdata(a, buf, start, typecode, nd, dims, byte_strides, 1));
  gpudata_release(buf);
  free(host);
}

void test_array_strided(GpuArray *a, int typecode, unsigned int nd,
                        const size_t *dims, const ssize_t *strides,
                        const void *data) {
  test_array_within(a, typecode, nd, dims, strides, data, 3);
}

void test_gather(const GpuArray *a, void *out) {
  size_t n = test_size(a), size = GpuArray_ITEMSIZE(a);
  size_t bytes;

  if (n == 0)
    return;
  assert_ok(gpudata_property(a->data, GA_BUFFER_PROP_SIZE, &bytes));
  char *host = malloc(bytes);
  assert_non_null(host);
  assert_ok(gpudata_read(host, a->data, 0, bytes));
  for (size_t i = 0; i < n; i++) {
    ptrdiff_t off =
        (ptrdiff_t)a->offset + offset_of(i, a->nd, a->dimensions, a->strides);

    memcpy((char *)out + i * size, host + off, size);
  }
  free(host);
}

/* --- comparisons --- */

void test_close(int typecode, const void *got, const void *want, size_t n,
                double rtol, double atol) {
  for (size_t i = 0; i < n; i++) {
    double g = test_get(got, typecode, i), w = test_get(want, typecode, i);

    if (g == w || (isnan(g) && isnan(w)))
      continue;
    if (!(fabs(g - w) <= atol + rtol * fabs(w)))
      fail_msg("element %zu of %zu: got %.9g, expected %.9g", i, n, g, w);
  }
}

/* The bits of a float as an integer that grows with the float. */
static int64_t ordered_bits(int typecode, const void *p, size_t i) {
  if (typecode == GA_DOUBLE) {
    int64_t v;

    memcpy(&v, (const char *)p + i * 8, 8);
    return v < 0 ? INT64_MIN - v : v;
  }
  if (typecode == GA_FLOAT) {
    int32_t v;

    memcpy(&v, (const char *)p + i * 4, 4);
    return v < 0 ? (int64_t)INT32_MIN - v : v;
  } else {
    int16_t v;

    memcpy(&v, (const char *)p + i * 2, 2);
    return v < 0 ? (int64_t)INT16_MIN - v : v;
  }
}

void test_ulp(int typecode, const void *got, const void *want, size_t n,
              unsigned int ulps) {
  int is_float = ga__dtype_kind(typecode) == GA_KIND_FLOAT;

  for (size_t i = 0; i < n; i++) {
    double g = test_get(got, typecode, i), w = test_get(want, typecode, i);

    if (g == w || (isnan(g) && isnan(w)))
      continue;
    if (!is_float || isnan(g) || isnan(w))
      fail_msg("element %zu of %zu: got %.17g, expected %.17g", i, n, g, w);
    int64_t gap =
        ordered_bits(typecode, got, i) - ordered_bits(typecode, want, i);
    if (gap > (int64_t)ulps || -gap > (int64_t)ulps)
      fail_msg("element %zu of %zu: got %.9g, expected %.9g: %lld ulp", i, n, g,
               w, (long long)gap);
  }
}

void test_array_equal(const GpuArray *a, const void *want) {
  size_t n = test_size(a), size = GpuArray_ITEMSIZE(a);
  char *got = malloc(n * size + 1);

  assert_non_null(got);
  test_gather(a, got);
  for (size_t i = 0; i < n; i++) {
    if (memcmp(got + i * size, (const char *)want + i * size, size) != 0)
      fail_msg("element %zu of %zu: got %.9g, expected %.9g", i, n,
               test_get(got, a->typecode, i), test_get(want, a->typecode, i));
  }
  free(got);
}

void test_array_close(const GpuArray *a, const void *want, double rtol,
                      double atol) {
  size_t n = test_size(a);
  char *got = malloc(n * GpuArray_ITEMSIZE(a) + 1);

  assert_non_null(got);
  test_gather(a, got);
  test_close(a->typecode, got, want, n, rtol, atol);
  free(got);
}
