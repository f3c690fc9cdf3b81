/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects of OpenCL in and out. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/opencl.h>
#include <gpuarray/profile.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void count_drop(void *base) {
  ++*(int *)base;
}

static gpuopencl handles_of(gpucontext *ctx) {
  gpuopencl h;

  assert_ok(gpucontext_opencl(ctx, &h));
  return h;
}

static cl_command_queue new_queue(const gpuopencl *h,
                                  cl_command_queue_properties props) {
  cl_int status;
  cl_command_queue q =
      clCreateCommandQueue(h->context, h->device, props, &status);

  assert_int_equal(status, CL_SUCCESS);
  return q;
}

static cl_mem new_mem(cl_mem_flags flags, size_t bytes, void *data) {
  gpuopencl h = handles_of(test_context());
  cl_int status;
  cl_mem mem = clCreateBuffer(h.context,
                              flags | (data != NULL ? CL_MEM_COPY_HOST_PTR : 0),
                              bytes, data, &status);

  assert_int_equal(status, CL_SUCCESS);
  return mem;
}

static cl_uint refs_of(cl_mem mem) {
  cl_uint n = 0;

  assert_int_equal(
      clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof n, &n, NULL),
      CL_SUCCESS);
  return n;
}

/* --- ours for others --- */

static void handles_belong_together(void **state) {
  gpuopencl h = handles_of(test_context());
  cl_context context;
  cl_device_id device;
  cl_platform_id platform;

  (void)state;
  clGetCommandQueueInfo(h.queue, CL_QUEUE_CONTEXT, sizeof context, &context,
                        NULL);
  clGetCommandQueueInfo(h.queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
  clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
  assert_ptr_equal(context, h.context);
  assert_ptr_equal(device, h.device);
  assert_ptr_equal(platform, h.platform);
  assert_code(GA_INVALID_ERROR, gpucontext_opencl(NULL, &h));
}

/* Read an array as a foreign program would. */
static void memory_is_where_the_array_says(void **state) {
  gpuopencl h = handles_of(test_context());
  const size_t dims[1] = {10};
  const ssize_t start = 9, stop = -1, step = -2;
  int data[10], got = -1;
  GpuArray a, v;
  size_t offset;
  cl_mem mem;

  (void)state;
  for (int i = 0; i < 10; i++)
    data[i] = i;
  test_array(&a, GA_INT, 1, dims, data);
  assert_ok(GpuArray_index(&v, &a, &start, &stop, &step));
  assert_ok(GpuArray_opencl(&v, &mem, &offset));
  assert_int_equal(clEnqueueReadBuffer(h.queue, mem, CL_TRUE, offset,
                                       sizeof got, &got, 0, NULL, NULL),
                   CL_SUCCESS);
  assert_int_equal(got, 9);
  GpuArray_clear(&v);
  GpuArray_clear(&a);
  assert_code(GA_INVALID_ERROR, GpuArray_opencl(&a, &mem, &offset));
  assert_null(mem);
}

/* --- events --- */

/* A foreign queue and ours take turns on one buffer. */
static void queues_wait_for_each_other(void **state) {
  gpucontext *ctx = test_context();
  gpuopencl h = handles_of(ctx);
  cl_command_queue other = new_queue(&h, 0);
  gpudata *d = gpudata_alloc(ctx, 1 << 20, NULL, 0, NULL);
  unsigned char got[2];
  cl_event ours, theirs;
  cl_mem mem;

  (void)state;
  assert_ok(gpudata_opencl(d, &mem));
  for (int i = 0; i < 20; i++) {
    const unsigned char want = (unsigned char)(2 * i + 1);

    assert_ok(gpudata_memset(d, 0, 2 * i));
    assert_ok(gpucontext_event(ctx, &ours));
    assert_int_equal(clEnqueueFillBuffer(other, mem, &want, 1, 0, 1 << 19, 1,
                                         &ours, &theirs),
                     CL_SUCCESS);
    assert_int_equal(clFlush(other), CL_SUCCESS);
    assert_ok(gpucontext_wait(ctx, 1, &theirs));
    clReleaseEvent(ours);
    clReleaseEvent(theirs);
    assert_ok(gpudata_read(&got[0], d, (1 << 19) - 1, 1));
    assert_ok(gpudata_read(&got[1], d, 1 << 19, 1));
    assert_int_equal(got[0], want);
    assert_int_equal(got[1], 2 * i);
  }
  gpudata_release(d);
  clReleaseCommandQueue(other);
}

/* Whether clFinish() waits for a command that a user event held back. */
static int finish_waits_once(const gpuopencl *h, cl_command_queue q) {
  cl_int status = CL_SUCCESS;
  cl_event gate = clCreateUserEvent(h->context, &status), held;

  assert_int_equal(status, CL_SUCCESS);
  assert_int_equal(clEnqueueMarkerWithWaitList(q, 1, &gate, &held), CL_SUCCESS);
  assert_int_equal(clFlush(q), CL_SUCCESS);
  assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  assert_int_equal(clFinish(q), CL_SUCCESS);
  assert_int_equal(clGetEventInfo(held, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                  sizeof status, &status, NULL),
                   CL_SUCCESS);
  clReleaseEvent(held);
  clReleaseEvent(gate);
  return status == CL_COMPLETE;
}

/* A driver that does not has a thread that is in time now and then. */
static int finish_waits(const gpuopencl *h) {
  cl_command_queue q = new_queue(h, 0);
  int always = 1;

  for (int i = 0; i < 100 && always; i++)
    always = finish_waits_once(h, q);
  clReleaseCommandQueue(q);
  return always;
}

/* The event of someone who has not begun holds our queue back. */
static void nothing_overtakes_a_foreign_event(void **state) {
  gpucontext *ctx = test_context();
  gpuopencl h = handles_of(ctx);
  cl_int status = CL_SUCCESS;
  cl_event ours;

  (void)state;
  if (!finish_waits(&h)) {
    print_message("clFinish() does not wait for what waited for an event\n");
    skip();
  }
  gpudata *d = gpudata_alloc(ctx, 16, NULL, 0, NULL);
  cl_event gate = clCreateUserEvent(h.context, &status);
  assert_int_equal(status, CL_SUCCESS);
  assert_ok(gpucontext_wait(ctx, 1, &gate));
  assert_ok(gpudata_memset(d, 0, 1));
  assert_ok(gpucontext_event(ctx, &ours));
  clGetEventInfo(ours, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                 &status, NULL);
  assert_true(status > CL_COMPLETE);
  clSetUserEventStatus(gate, CL_COMPLETE);
  assert_ok(gpudata_sync(d));
  clGetEventInfo(ours, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                 &status, NULL);
  assert_int_equal(status, CL_COMPLETE);
  clReleaseEvent(ours);
  clReleaseEvent(gate);
  gpudata_release(d);
}

static void bad_events_are_refused(void **state) {
  gpucontext *ctx = test_context(), *other;
  gpuopencl h = handles_of(ctx);
  cl_int status;
  cl_event bad = clCreateUserEvent(h.context, &status), foreign, none = NULL;

  (void)state;
  assert_ok(gpucontext_open(&other, NULL));
  assert_ok(gpucontext_event(other, &foreign));
  clSetUserEventStatus(bad, -5);
  assert_code(GA_VALUE_ERROR, gpucontext_wait(ctx, 1, &foreign));
  assert_message(GA_VALUE_ERROR, "event 0 is of another context");
  assert_code(GA_RUN_ERROR, gpucontext_wait(ctx, 1, &bad));
  assert_message(GA_RUN_ERROR, "CL_OUT_OF_RESOURCES");
  assert_int_not_equal(gpucontext_wait(ctx, 1, &none), GA_NO_ERROR);
  assert_ok(gpucontext_wait(ctx, 0, NULL));
  assert_code(GA_INVALID_ERROR, gpucontext_wait(NULL, 0, NULL));
  assert_code(GA_INVALID_ERROR, gpucontext_event(NULL, &foreign));
  clReleaseEvent(bad);
  gpucontext_deref(other);
}

/* --- foreign contexts --- */

static void contexts_share_a_foreign_queue(void **state) {
  gpuopencl h = handles_of(test_context());
  cl_command_queue queue = new_queue(&h, 0);
  const gpuopencl from = {NULL, h.context, h.device, queue};
  int drops = 0;
  const gpuforeign how = {GPU_RETAIN, &drops, count_drop};
  gpucontext *ctx;

  (void)state;
  assert_ok(gpucontext_from_opencl(&ctx, &from, &how, NULL));
  assert_ptr_equal(handles_of(ctx).queue, queue);
  assert_code(GA_UNSUPPORTED_ERROR, gpucontext_profile(ctx, 1));
  clReleaseCommandQueue(queue);
  gpudata *d = gpudata_alloc(ctx, 4, "abc", GA_BUFFER_INIT, NULL);
  assert_non_null(d);
  gpucontext_deref(ctx);
  assert_int_equal(drops, 0);
  gpudata_release(d);
  assert_int_equal(drops, 1);
}

static void borrowed_contexts_gain_no_reference(void **state) {
  gpuopencl h = handles_of(test_context());
  cl_command_queue queue = new_queue(&h, CL_QUEUE_PROFILING_ENABLE);
  const gpuopencl from = {NULL, h.context, NULL, queue};
  const gpuforeign how = {GPU_BORROW, NULL, NULL};
  cl_uint refs = 0;
  gpucontext *ctx;

  (void)state;
  assert_ok(gpucontext_from_opencl(&ctx, &from, &how, NULL));
  clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof refs, &refs,
                        NULL);
  assert_int_equal(refs, 1);
  assert_ok(gpucontext_profile(ctx, 1));
  assert_ptr_equal(handles_of(ctx).queue, queue);
  gpucontext_deref(ctx);
  clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof refs, &refs,
                        NULL);
  assert_int_equal(refs, 1);
  clReleaseCommandQueue(queue);
}

static void mismatched_handles_are_refused(void **state) {
  gpuopencl h = handles_of(test_context()), from = h;
  gpucontext *other, *ctx;
  int drops = 0;
  const gpuforeign how = {GPU_RETAIN, &drops, count_drop};

  (void)state;
  assert_ok(gpucontext_open(&other, NULL));
  long live = ga__alloc_live();
  from.queue = handles_of(other).queue;
  assert_code(GA_VALUE_ERROR, gpucontext_from_opencl(&ctx, &from, &how, NULL));
  assert_message(GA_VALUE_ERROR, "the queue is of another context");
  assert_null(ctx);
  from = h;
  from.device = (cl_device_id)&from;
  assert_code(GA_VALUE_ERROR, gpucontext_from_opencl(&ctx, &from, &how, NULL));
  from = h;
  from.queue = clCreateCommandQueue(
      h.context, h.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, NULL);
  if (from.queue != NULL) {
    assert_code(GA_VALUE_ERROR,
                gpucontext_from_opencl(&ctx, &from, &how, NULL));
    assert_message(GA_VALUE_ERROR, "out of order");
    clReleaseCommandQueue(from.queue);
  }
  for (int n = 1; n < 12; n++) { /* host memory runs out at each place */
    ga__alloc_fail(n, 1);
    from = h;
    if (gpucontext_from_opencl(&ctx, &from, &how, NULL) == GA_NO_ERROR)
      n = 12;
    ga__alloc_fail(0, 0);
    if (n < 12)
      assert_null(ctx);
    else
      gpucontext_deref(ctx), drops = 0;
    assert_int_equal(drops, 0);
  }
  assert_int_equal(ga__alloc_live(), live);
  gpucontext_deref(other);
}

/* --- foreign buffers --- */

static void buffers_are_retained_or_borrowed(void **state) {
  gpucontext *ctx = test_context();
  int drops = 0;
  gpuforeign how = {GPU_RETAIN, &drops, count_drop};
  cl_mem mem = new_mem(CL_MEM_READ_WRITE, 8, NULL), inner;
  gpudata *d;

  (void)state;
  assert_ok(gpudata_from_opencl(&d, ctx, mem, &how));
  assert_ok(gpudata_opencl(d, &inner));
  assert_ptr_equal(inner, mem);
  assert_int_equal(refs_of(mem), 2);
  gpudata_retain(d);
  gpudata_release(d);
  assert_int_equal(drops, 0);
  gpudata_release(d);
  assert_int_equal(drops, 1);
  assert_int_equal(refs_of(mem), 1);
  how.hold = GPU_BORROW;
  assert_ok(gpudata_from_opencl(&d, ctx, mem, &how));
  assert_int_equal(refs_of(mem), 1);
  gpudata_release(d);
  assert_int_equal(refs_of(mem), 1);
  assert_int_equal(drops, 2);
  assert_ok(gpudata_from_opencl(&d, ctx, mem, NULL));
  assert_int_equal(refs_of(mem), 2);
  gpudata_release(d);
  clReleaseMemObject(mem);
}

/* --- arrays --- */

/* The last row first, of a matrix behind 8 bytes of something else. */
static void arrays_see_foreign_memory(void **state) {
  gpucontext *ctx = test_context();
  float data[8] = {-1, -1, 1, 2, 3, 4, 5, 6};
  const float turned[6] = {4, 5, 6, 1, 2, 3}, tens[3] = {10, 10, 10};
  const size_t dims[2] = {2, 3}, row[1] = {3};
  const ssize_t strides[2] = {-12, 4};
  int drops = 0;
  const gpuforeign how = {GPU_RETAIN, &drops, count_drop};
  cl_mem mem = new_mem(CL_MEM_READ_WRITE, sizeof data, data);
  gpuopencl h = handles_of(ctx);
  GpuArray a, v, ten;

  (void)state;
  assert_ok(GpuArray_from_opencl(&a, ctx, mem, 20, GA_FLOAT, 2, dims, strides,
                                 1, &how));
  test_array_equal(&a, turned);
  assert_ok(GpuArray_view(&v, &a));
  GpuArray_clear(&a);
  assert_int_equal(drops, 0);
  test_array(&ten, GA_FLOAT, 1, row, tens);
  assert_ok(GpuArray_setarray(&v, &ten));
  clEnqueueReadBuffer(h.queue, mem, CL_TRUE, 0, sizeof data, data, 0, NULL,
                      NULL);
  assert_true(data[1] == -1 && data[2] == 10 && data[7] == 10);
  GpuArray_clear(&v);
  assert_int_equal(drops, 1);
  GpuArray_clear(&ten);
  clReleaseMemObject(mem);
}

static void bad_memory_is_refused(void **state) {
  gpucontext *ctx = test_context(), *other;
  const size_t dims[1] = {5};
  const ssize_t strides[1] = {4};
  cl_mem mem = new_mem(CL_MEM_READ_WRITE, 16, NULL);
  cl_mem constant = new_mem(CL_MEM_READ_ONLY, 20, NULL);
  cl_mem sink = new_mem(CL_MEM_WRITE_ONLY, 20, NULL);
  int drops = 0;
  const gpuforeign how = {GPU_RETAIN, &drops, count_drop};
  GpuArray a;
  gpudata *d;

  (void)state;
  assert_ok(gpucontext_open(&other, NULL));
  assert_code(GA_VALUE_ERROR, GpuArray_from_opencl(&a, ctx, mem, 0, GA_FLOAT, 1,
                                                   dims, strides, 1, &how));
  assert_message(GA_VALUE_ERROR, "20 bytes on in a buffer of 16");
  assert_null(a.data);
  assert_code(GA_VALUE_ERROR, gpudata_from_opencl(&d, other, mem, &how));
  assert_message(GA_VALUE_ERROR, "of another context");
  assert_code(GA_READONLY_ERROR,
              GpuArray_from_opencl(&a, ctx, constant, 0, GA_FLOAT, 1, dims,
                                   strides, 1, &how));
  assert_code(GA_WRITEONLY_ERROR,
              GpuArray_from_opencl(&a, ctx, sink, 0, GA_FLOAT, 1, dims, strides,
                                   0, &how));
  assert_int_not_equal(gpudata_from_opencl(&d, ctx, NULL, &how), GA_NO_ERROR);
  assert_null(d);
  assert_int_equal(drops, 0);
  assert_ok(GpuArray_from_opencl(&a, ctx, constant, 0, GA_FLOAT, 1, dims,
                                 strides, 0, &how));
  assert_false(GpuArray_ISWRITEABLE(&a));
  GpuArray_clear(&a);
  assert_int_equal(drops, 1);
  assert_int_equal(refs_of(mem) + refs_of(constant) + refs_of(sink), 3);
  clReleaseMemObject(mem);
  clReleaseMemObject(constant);
  clReleaseMemObject(sink);
  gpucontext_deref(other);
}

/* --- the host's memory --- */

static void host_memory_is_shared(void **state) {
  gpucontext *ctx = test_context();
  unsigned char *host = malloc(100), got = 0;
  int drops = 0;
  const gpuforeign how = {GPU_BORROW, &drops, count_drop};
  gpudata *d, *same;
  size_t offset, again;

  (void)state;
  int err = gpudata_from_host(&d, &offset, ctx, host + 1, 99, &how);
  if (err == GA_DEVSUP_ERROR) {
    print_message("the device has memory of its own\n");
    free(host);
    skip();
  }
  assert_ok(err);
  host[99] = 42;
  assert_ok(gpudata_read(&got, d, offset + 98, 1));
  assert_int_equal(got, 42);
  assert_ok(gpudata_memset(d, offset + 98, 7));
  assert_ok(gpudata_sync(d));
  assert_int_equal(host[99], 7);
  assert_ok(gpudata_from_host(&same, &again, ctx, host + 90, 10, NULL));
  assert_int_equal(gpudata_share(d, same, NULL), 1);
  gpudata_release(same);
  gpudata_release(d);
  assert_int_equal(drops, 1);
  assert_code(GA_VALUE_ERROR,
              gpudata_from_host(&d, &offset, ctx, NULL, 5, &how));
  assert_code(GA_VALUE_ERROR,
              gpudata_from_host(&d, &offset, ctx, host, 0, &how));
  assert_int_equal(drops, 1);
  free(host);
}

/* Work in flight is done before the memory goes. */
static void the_base_goes_last(void **state) {
  gpucontext *ctx = test_context();
  const size_t bytes = (size_t)32 << 20;
  unsigned char *host = malloc(bytes);
  int drops = 0;
  const gpuforeign how = {GPU_RETAIN, &drops, count_drop};
  size_t offset;
  gpudata *d;
  int err = gpudata_from_host(&d, &offset, ctx, host, bytes, &how);

  (void)state;
  if (err != GA_NO_ERROR) {
    free(host);
    skip();
  }
  assert_ok(gpudata_memset(d, offset, 9));
  gpudata_release(d);
  assert_int_equal(drops, 1);
  assert_int_equal(host[0], 9);
  assert_int_equal(host[bytes - 1], 9);
  free(host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(handles_belong_together),
      cmocka_unit_test(memory_is_where_the_array_says),
      cmocka_unit_test(queues_wait_for_each_other),
      cmocka_unit_test(nothing_overtakes_a_foreign_event),
      cmocka_unit_test(bad_events_are_refused),
      cmocka_unit_test(contexts_share_a_foreign_queue),
      cmocka_unit_test(borrowed_contexts_gain_no_reference),
      cmocka_unit_test(mismatched_handles_are_refused),
      cmocka_unit_test(buffers_are_retained_or_borrowed),
      cmocka_unit_test(arrays_see_foreign_memory),
      cmocka_unit_test(bad_memory_is_refused),
      cmocka_unit_test(host_memory_is_shared),
      cmocka_unit_test(the_base_goes_last),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
