/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts: properties in and out, lifetime, errors per thread, wrapping. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/extension.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ocl/ocl.h"

static void properties_are_checked(void **state) {
  gpucontext_props *p;

  (void)state;
  assert_ok(gpucontext_props_new(&p));
  assert_ok(gpucontext_props_sched(p, GA_CTX_SCHED_MULTI));
  assert_code(GA_INVALID_ERROR, gpucontext_props_sched(p, 3));
  assert_ok(gpucontext_props_set_single_stream(p));
  assert_ok(gpucontext_props_alloc_cache(p, 10, 0));
  assert_ok(gpucontext_props_alloc_cache(p, 10, 10));
  assert_code(GA_VALUE_ERROR, gpucontext_props_alloc_cache(p, 11, 10));
  assert_ok(gpucontext_props_kernel_cache(p, "/nowhere/at/all"));
  assert_ok(gpucontext_props_kernel_cache(p, "/nowhere/else"));
  gpucontext_props_del(p);
  gpucontext_props_del(NULL);
}

static void wrong_backends_are_refused(void **state) {
  gpucontext_props *p;
  gpucontext *ctx;

  (void)state;
  assert_code(GA_INVALID_ERROR, gpucontext_init(&ctx, "cuda", NULL));
  assert_null(ctx);
  assert_ok(gpucontext_props_new(&p));
  assert_ok(gpucontext_props_cuda_dev(p, 0));
  assert_code(GA_DEVSUP_ERROR, gpucontext_init(&ctx, "opencl", p));
  assert_message(GA_DEVSUP_ERROR, "CUDA");
  assert_ok(gpucontext_props_new(&p));
  assert_ok(gpucontext_props_opencl_dev(p, 99, 0));
  assert_code(GA_NODEV_ERROR, gpucontext_init(&ctx, "opencl", p));
  assert_message(GA_NODEV_ERROR, "99");
}

static size_t size_property(int prop) {
  size_t v = 0;

  assert_ok(gpucontext_property(test_context(), prop, &v));
  return v;
}

static void properties_have_sensible_values(void **state) {
  char name[256], id[16];
  const char *bin_id;
  unsigned int procs;
  int half;

  (void)state;
  assert_ok(gpucontext_property(test_context(), GA_CTX_PROP_DEVNAME, name));
  assert_true(name[0] != '\0');
  assert_ok(gpucontext_property(test_context(), GA_CTX_PROP_NUMPROCS, &procs));
  assert_true(procs > 0);
  assert_ok(gpucontext_property(test_context(), GA_CTX_PROP_BIN_ID, &bin_id));
  assert_non_null(strstr(bin_id, name));
  assert_ok(gpucontext_property(test_context(), GA_CTX_PROP_UNIQUE_ID, id));
  assert_memory_equal(id, "ocl", 3);
  assert_int_equal(id[15], 0);
  assert_ok(
      gpucontext_property(test_context(), GA_CTX_PROP_NATIVE_FLOAT16, &half));
  assert_int_equal(half, gpucontext_caps(test_context())->fp16);
  assert_int_equal(size_property(GA_CTX_PROP_LMEMSIZE),
                   gpucontext_caps(test_context())->local_bytes);
  assert_true(size_property(GA_CTX_PROP_LARGEST_MEMBLOCK) > 0);
  for (int i = 0; i < 3; i++) {
    assert_true(size_property(GA_CTX_PROP_MAXLSIZE0 + i) >= 1);
    assert_true(size_property(GA_CTX_PROP_MAXGSIZE0 + i) >= 65535);
    assert_true(size_property(GA_CTX_PROP_MAXGSIZE0 + i) <= INT32_MAX);
  }
  assert_code(GA_INVALID_ERROR, gpucontext_property(test_context(), 2, &half));
}

static void free_memory_follows_allocations(void **state) {
  size_t before = size_property(GA_CTX_PROP_FREE_GMEM), mib = 1 << 20;
  gpudata *d = gpudata_alloc(test_context(), mib, NULL, 0, NULL);

  (void)state;
  assert_non_null(d);
  assert_true(before <= size_property(GA_CTX_PROP_TOTAL_GMEM));
  assert_int_equal(size_property(GA_CTX_PROP_FREE_GMEM), before - mib);
  gpudata_release(d);
  assert_int_equal(size_property(GA_CTX_PROP_FREE_GMEM), before);
}

static void the_error_buffer_is_zero(void **state) {
  unsigned char got[8], zeros[8] = {0};
  gpudata *d;

  (void)state;
  assert_ok(gpucontext_property(test_context(), GA_CTX_PROP_ERRBUF, &d));
  assert_ok(gpudata_read(got, d, 0, sizeof got));
  assert_memory_equal(got, zeros, sizeof got);
}

static void buffers_keep_their_context(void **state) {
  unsigned char got[4] = {0};
  long live = ga__alloc_live();
  gpucontext *ctx;

  (void)state;
  test_context();
  live = ga__alloc_live();
  assert_ok(gpucontext_open(&ctx, NULL));
  gpudata *d = gpudata_alloc(ctx, 4, "abc", GA_BUFFER_INIT, NULL);
  assert_non_null(d);
  gpucontext_deref(ctx);
  assert_ok(gpudata_read(got, d, 0, 4));
  assert_string_equal((char *)got, "abc");
  gpudata_release(d);
  assert_int_equal(ga__alloc_live(), live);
  gpucontext_deref(NULL);
}

/* Opening fails at every allocation in turn, and leaks nothing. */
static void opening_survives_failed_allocations(void **state) {
  gpucontext *ctx = NULL;
  int err = GA_MEMORY_ERROR;

  (void)state;
  test_context();
  long live = ga__alloc_live();
  for (long n = 1; err != GA_NO_ERROR; n++) {
    assert_true(n < 1000);
    ga__alloc_fail(n, 0);
    err = gpucontext_open(&ctx, NULL);
    ga__alloc_fail(0, 0);
    if (err == GA_NO_ERROR)
      break;
    assert_int_equal(err, GA_MEMORY_ERROR);
    assert_null(ctx);
    assert_int_equal(ga__alloc_live(), live);
  }
  gpucontext_deref(ctx);
}

static void *other_thread(void *text) {
  gpucontext *ctx;

  gpucontext_open(&ctx, "a device of another thread");
  strncpy(text, gpucontext_error(NULL, GA_NODEV_ERROR), 99);
  return NULL;
}

static void errors_belong_to_threads(void **state) {
  char text[100] = "";
  pthread_t t;
  int v;

  (void)state;
  assert_code(GA_INVALID_ERROR, gpucontext_property(test_context(), -5, &v));
  assert_int_equal(pthread_create(&t, NULL, other_thread, text), 0);
  pthread_join(t, NULL);
  assert_non_null(strstr(text, "another thread"));
  assert_message(GA_INVALID_ERROR, "-5");
  /* Clients of the old library ask with any code. */
  assert_message(GA_BLAS_ERROR, "-5");
}

static void double_can_be_simulated_away(void **state) {
  gpucontext *ctx;

  (void)state;
  test_context();
  setenv("GPUARRAY_NO_FP64", "1", 1);
  assert_ok(gpucontext_open(&ctx, NULL));
  unsetenv("GPUARRAY_NO_FP64");
  assert_false(gpucontext_caps(ctx)->fp64);
  gpucontext_deref(ctx);
}

/* --- objects of OpenCL in and out --- */

static void foreign_contexts_are_wrapped(void **state) {
  gpucontext *(*make_ctx)(cl_context, gpucontext_props *);
  cl_command_queue (*get_stream)(gpucontext *);
  cl_context cl = ga__ctx_cl(test_context());
  char a[16], b[16];

  (void)state;
  *(void **)&make_ctx = gpuarray_get_extension("cl_make_ctx");
  *(void **)&get_stream = gpuarray_get_extension("cl_get_stream");
  gpucontext *ctx = make_ctx(cl, NULL);
  assert_non_null(ctx);
  assert_ptr_equal(ga__ctx_cl(ctx), cl);
  assert_ptr_equal(get_stream(ctx), ga__ctx_queue(ctx));
  assert_ok(gpucontext_property(ctx, GA_CTX_PROP_UNIQUE_ID, a));
  assert_ok(gpucontext_property(test_context(), GA_CTX_PROP_UNIQUE_ID, b));
  assert_memory_equal(a, b, sizeof a);
  gpucontext_deref(ctx);
  assert_null(make_ctx(NULL, NULL));
}

/* Also where the device offers other ones: calls take effect in their order. */
static void queues_are_in_order(void **state) {
  cl_command_queue (*get_stream)(gpucontext *);
  cl_command_queue_properties has = 0;

  (void)state;
  *(void **)&get_stream = gpuarray_get_extension("cl_get_stream");
  assert_int_equal(clGetCommandQueueInfo(get_stream(test_context()),
                                         CL_QUEUE_PROPERTIES, sizeof has, &has,
                                         NULL),
                   CL_SUCCESS);
  assert_int_equal(has & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0);
}

static void foreign_buffers_are_wrapped(void **state) {
  gpudata *(*make_buf)(gpucontext *, cl_mem);
  cl_mem (*get_buf)(gpudata *);
  char got[4];

  (void)state;
  *(void **)&make_buf = gpuarray_get_extension("cl_make_buf");
  *(void **)&get_buf = gpuarray_get_extension("cl_get_buf");
  gpudata *own = gpudata_alloc(test_context(), 4, "abc", GA_BUFFER_INIT, NULL);
  gpudata *wrapped = make_buf(test_context(), get_buf(own));
  assert_non_null(wrapped);
  assert_int_equal(gpudata_share(own, wrapped, NULL), 1);
  gpudata_release(own);
  assert_ok(gpudata_read(got, wrapped, 0, 4));
  assert_string_equal(got, "abc");
  gpudata_release(wrapped);
  assert_null(make_buf(test_context(), NULL));
}

static void unknown_extensions_are_null(void **state) {
  (void)state;
  assert_null(gpuarray_get_extension("cuda_make_ctx"));
  assert_null(gpuarray_get_extension(""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(properties_are_checked),
      cmocka_unit_test(wrong_backends_are_refused),
      cmocka_unit_test(properties_have_sensible_values),
      cmocka_unit_test(free_memory_follows_allocations),
      cmocka_unit_test(the_error_buffer_is_zero),
      cmocka_unit_test(buffers_keep_their_context),
      cmocka_unit_test(opening_survives_failed_allocations),
      cmocka_unit_test(errors_belong_to_threads),
      cmocka_unit_test(double_can_be_simulated_away),
      cmocka_unit_test(foreign_contexts_are_wrapped),
      cmocka_unit_test(queues_are_in_order),
      cmocka_unit_test(foreign_buffers_are_wrapped),
      cmocka_unit_test(unknown_extensions_are_null),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
