/* SPDX-License-Identifier: BSD-2-Clause */
/* DLPack tensors in both directions and both forms. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/dlpack.h>
#include <gpuarray/opencl.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/dlpack_type.h"

/* --- a producer that counts --- */

static int deleted;

static void count_now(struct DLManagedTensorVersioned *t) {
  (void)t;
  deleted++;
}

static void count_legacy(struct DLManagedTensor *t) {
  (void)t;
  deleted++;
}

/* A matrix of 2 x 3 floats of the host, Fortran order, 4 bytes in. Aligned,
 * because test_gather() reads buffers from their start, which would be before
 * it (gpudata_from_host). */
static _Alignas(128) float matrix[7] = {-1, 1, 4, 2, 5, 3, 6};
static const float matrix_in_c[6] = {1, 2, 3, 4, 5, 6};
static int64_t matrix_shape[2], matrix_strides[2];

static struct DLManagedTensorVersioned new_tensor(void) {
  struct DLManagedTensorVersioned t = {.major = 1,
                                       .deleter = count_now,
                                       .tensor = {.data = matrix,
                                                  .device_type = DL_CPU,
                                                  .ndim = 2,
                                                  .dtype = {DL_FLOAT, 32, 1},
                                                  .shape = matrix_shape,
                                                  .strides = matrix_strides,
                                                  .byte_offset = 4}};

  deleted = 0;
  matrix_shape[0] = 2;
  matrix_shape[1] = 3;
  matrix_strides[0] = 1;
  matrix_strides[1] = 2;
  return t;
}

static cl_mem new_mem(gpucontext *ctx, cl_mem_flags flags) {
  gpuopencl h;
  cl_int status;

  assert_ok(gpucontext_opencl(ctx, &h));
  cl_mem mem = clCreateBuffer(h.context, flags | CL_MEM_COPY_HOST_PTR,
                              sizeof matrix, matrix, &status);
  assert_int_equal(status, CL_SUCCESS);
  return mem;
}

static int shares_host(void) {
  GpuArray a;
  struct DLManagedTensorVersioned t = new_tensor();
  int err = GpuArray_from_dlpack(&a, test_context(), &t, GA_COPY_NEVER, NULL);

  GpuArray_clear(&a);
  return err == GA_NO_ERROR;
}

/* --- in --- */

static void host_tensors_come_in(void **state) {
  gpucontext *ctx = test_context();
  const int is_shared = shares_host();
  struct DLManagedTensorVersioned t = new_tensor();
  struct DLManagedTensor legacy = {.tensor = t.tensor, .deleter = count_legacy};
  GpuArray a, v;

  (void)state;
  for (int copy = GA_COPY_IF_NEEDED; copy <= GA_COPY_ALWAYS; copy++) {
    deleted = 0;
    assert_ok(GpuArray_from_dlpack(&a, ctx, &t, (ga_copyif)copy, NULL));
    assert_int_equal(deleted, copy == GA_COPY_ALWAYS || !is_shared);
    test_array_equal(&a, matrix_in_c);
    assert_ok(GpuArray_view(&v, &a));
    GpuArray_clear(&a);
    test_array_equal(&v, matrix_in_c);
    GpuArray_clear(&v);
    assert_int_equal(deleted, 1);
  }
  deleted = 0;
  assert_ok(
      GpuArray_from_dlpack_legacy(&a, ctx, &legacy, GA_COPY_IF_NEEDED, NULL));
  test_array_equal(&a, matrix_in_c);
  GpuArray_clear(&a);
  assert_int_equal(deleted, 1);
}

static void device_tensors_come_in(void **state) {
  gpucontext *ctx = test_context();
  cl_mem mem = new_mem(ctx, CL_MEM_READ_WRITE), inner;
  struct DLManagedTensorVersioned t = new_tensor();
  const float tens[6] = {10, 10, 10, 10, 10, 10};
  const float ten = 10;
  GpuArray a, s;
  size_t offset;
  gpuopencl h;

  (void)state;
  assert_ok(gpucontext_opencl(ctx, &h));
  t.tensor.data = mem;
  t.tensor.device_type = DL_OPENCL;
  assert_ok(GpuArray_from_dlpack(&a, ctx, &t, GA_COPY_NEVER, h.queue));
  assert_ok(GpuArray_opencl(&a, &inner, &offset));
  assert_ptr_equal(inner, mem);
  assert_int_equal(offset, 4);
  test_array_equal(&a, matrix_in_c);
  test_array(&s, GA_FLOAT, 0, NULL, &ten);
  assert_ok(GpuArray_setarray(&a, &s));
  assert_int_equal(deleted, 0);
  GpuArray_clear(&a);
  assert_int_equal(deleted, 1);
  deleted = 0;
  assert_ok(GpuArray_from_dlpack(&a, ctx, &t, GA_COPY_ALWAYS, NULL));
  assert_int_equal(deleted, 1);
  test_array_equal(&a, tens);
  GpuArray_clear(&a);
  GpuArray_clear(&s);
  assert_int_equal(deleted, 1);
  clReleaseMemObject(mem);
}

static void read_only_stays_read_only(void **state) {
  gpucontext *ctx = test_context();
  struct DLManagedTensorVersioned t = new_tensor();
  cl_mem mem;
  GpuArray a;

  (void)state;
  t.flags = DL_READ_ONLY;
  t.tensor.device_type = DL_OPENCL;
  t.tensor.data = mem = new_mem(ctx, CL_MEM_READ_WRITE);
  assert_ok(GpuArray_from_dlpack(&a, ctx, &t, GA_COPY_IF_NEEDED, NULL));
  assert_false(GpuArray_ISWRITEABLE(&a));
  GpuArray_clear(&a);
  clReleaseMemObject(mem);
  t.flags = 0; /* the memory itself may be so */
  t.tensor.data = mem = new_mem(ctx, CL_MEM_READ_ONLY);
  assert_ok(GpuArray_from_dlpack(&a, ctx, &t, GA_COPY_IF_NEEDED, NULL));
  assert_false(GpuArray_ISWRITEABLE(&a));
  GpuArray_clear(&a);
  clReleaseMemObject(mem);
}

static void empty_and_scalar_tensors_are_legal(void **state) {
  gpucontext *ctx = test_context();
  struct DLManagedTensorVersioned t = new_tensor();
  GpuArray a;
  float v = 0;

  (void)state;
  t.tensor.data = NULL;
  matrix_shape[1] = 0;
  assert_ok(GpuArray_from_dlpack(&a, ctx, &t, GA_COPY_NEVER, NULL));
  assert_int_equal(deleted, 1);
  assert_int_equal(test_size(&a), 0);
  GpuArray_clear(&a);
  t = new_tensor();
  t.tensor.ndim = 0;
  t.tensor.shape = t.tensor.strides = NULL;
  t.deleter = NULL;
  assert_ok(GpuArray_from_dlpack(&a, ctx, &t, GA_COPY_IF_NEEDED, NULL));
  test_gather(&a, &v);
  assert_true(v == 1);
  GpuArray_clear(&a);
}

/* --- bad ones --- */

typedef void (*spoil)(struct DLManagedTensorVersioned *t);

static void spoil_device(struct DLManagedTensorVersioned *t) {
  t->tensor.device_type = 2;
}
static void spoil_type(struct DLManagedTensorVersioned *t) {
  t->tensor.dtype.bits = 4;
}
static void spoil_lanes(struct DLManagedTensorVersioned *t) {
  t->tensor.dtype.lanes = 3;
}
static void spoil_no_lanes(struct DLManagedTensorVersioned *t) {
  t->tensor.dtype.lanes = 0;
}
static void spoil_offset(struct DLManagedTensorVersioned *t) {
  t->tensor.byte_offset = (uint64_t)-8;
}
static void spoil_shape(struct DLManagedTensorVersioned *t) {
  t->tensor.shape = NULL;
}
static void spoil_size(struct DLManagedTensorVersioned *t) {
  t->tensor.shape[1] = -3;
}
static void spoil_huge(struct DLManagedTensorVersioned *t) {
  t->tensor.shape[0] = t->tensor.shape[1] = INT64_MAX / 2;
}
static void spoil_stride(struct DLManagedTensorVersioned *t) {
  t->tensor.strides[0] = INT64_MAX / 2;
}
static void spoil_dims(struct DLManagedTensorVersioned *t) {
  t->tensor.ndim = -1;
}
static void spoil_many(struct DLManagedTensorVersioned *t) {
  t->tensor.ndim = 65;
}
static void spoil_data(struct DLManagedTensorVersioned *t) {
  t->tensor.data = NULL;
}
static void spoil_version(struct DLManagedTensorVersioned *t) {
  t->major = 2;
}

static void bad_tensors_stay_the_callers(void **state) {
  static const struct {
    spoil make;
    int code;
    const char *text;
  } bad[] = {
      {spoil_device, GA_UNSUPPORTED_ERROR, "device of type 2"},
      {spoil_type, GA_UNSUPPORTED_ERROR, "code 2 of 4 bits, 1 lanes"},
      {spoil_lanes, GA_UNSUPPORTED_ERROR, "3 lanes"},
      {spoil_no_lanes, GA_UNSUPPORTED_ERROR, "0 lanes"},
      {spoil_offset, GA_VALUE_ERROR, "byte_offset of -8"},
      {spoil_shape, GA_VALUE_ERROR, "2 dimensions without a shape"},
      {spoil_size, GA_VALUE_ERROR, "dim 1: size -3"},
      {spoil_huge, GA_XLARGE_ERROR, "too many"},
      {spoil_stride, GA_XLARGE_ERROR, "dim 0: stride"},
      {spoil_dims, GA_VALUE_ERROR, "-1 dimensions"},
      {spoil_many, GA_VALUE_ERROR, "65 dimensions, the limit is 64"},
      {spoil_data, GA_VALUE_ERROR, "6 elements without data"},
      {spoil_version, GA_UNSUPPORTED_ERROR, "DLPack 2.0, expected 1.x"},
  };
  gpucontext *ctx = test_context();
  const int is_shared = shares_host(); /* which is found out once */
  const long live = ga__alloc_live();
  GpuArray a;

  (void)state;
  (void)is_shared;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct DLManagedTensorVersioned t = new_tensor();

    bad[i].make(&t);
    assert_code(bad[i].code,
                GpuArray_from_dlpack(&a, ctx, &t, GA_COPY_IF_NEEDED, NULL));
    assert_message(bad[i].code, bad[i].text);
    assert_null(a.data);
    assert_int_equal(deleted, 0);
  }
  assert_code(GA_INVALID_ERROR,
              GpuArray_from_dlpack(&a, ctx, NULL, GA_COPY_NEVER, NULL));
  assert_code(GA_INVALID_ERROR,
              GpuArray_from_dlpack_legacy(&a, ctx, NULL, GA_COPY_NEVER, NULL));
  assert_int_equal(ga__alloc_live(), live);
}

static void bad_memory_stays_the_callers(void **state) {
  gpucontext *ctx = test_context(), *other;
  struct DLManagedTensorVersioned t = new_tensor();
  cl_mem mem = new_mem(ctx, CL_MEM_READ_WRITE);
  GpuArray a;

  (void)state;
  assert_ok(gpucontext_open(&other, NULL));
  t.tensor.device_type = DL_OPENCL;
  t.tensor.data = mem;
  assert_code(GA_VALUE_ERROR,
              GpuArray_from_dlpack(&a, other, &t, GA_COPY_IF_NEEDED, NULL));
  assert_message(GA_VALUE_ERROR, "of another context");
  matrix_shape[1] = 4;
  assert_code(GA_VALUE_ERROR,
              GpuArray_from_dlpack(&a, ctx, &t, GA_COPY_IF_NEEDED, NULL));
  assert_message(GA_VALUE_ERROR, "in a buffer of 28");
  assert_code(GA_VALUE_ERROR,
              GpuArray_from_dlpack(&a, ctx, &t, GA_COPY_ALWAYS, NULL));
  assert_message(GA_VALUE_ERROR, "in a buffer of 28");
  clReleaseMemObject(mem);
  t = new_tensor();
  t.tensor.device_type = DL_OPENCL;
  t.tensor.data = mem = new_mem(ctx, CL_MEM_WRITE_ONLY);
  assert_code(GA_WRITEONLY_ERROR,
              GpuArray_from_dlpack(&a, ctx, &t, GA_COPY_IF_NEEDED, NULL));
  assert_message(GA_WRITEONLY_ERROR, "may only write");
  assert_code(GA_INVALID_ERROR,
              GpuArray_from_dlpack(&a, NULL, &t, GA_COPY_IF_NEEDED, NULL));
  assert_message(GA_INVALID_ERROR, "the context is NULL");
  clReleaseMemObject(mem);
  t = new_tensor();
  assert_code(GA_INVALID_ERROR,
              GpuArray_from_dlpack(&a, NULL, &t, GA_COPY_ALWAYS, NULL));
  assert_message(GA_INVALID_ERROR, "the context is NULL");
  /* More than any device has. */
  matrix_shape[0] = INT64_C(1) << 50;
  matrix_shape[1] = 1;
  assert_code(GA_MEMORY_ERROR,
              GpuArray_from_dlpack(&a, ctx, &t, GA_COPY_ALWAYS, NULL));
  /* A queue that the context cannot wait for. */
  gpuopencl h;
  t = new_tensor();
  assert_ok(gpucontext_opencl(other, &h));
  assert_int_not_equal(
      GpuArray_from_dlpack(&a, ctx, &t, GA_COPY_ALWAYS, h.queue), GA_NO_ERROR);
  assert_int_equal(deleted, 0);
  gpucontext_deref(other);
}

/* Every allocation of an import fails once. */
static void import_without_memory(const struct DLManagedTensorVersioned *from,
                                  ga_copyif copy) {
  struct DLManagedTensorVersioned first = *from;
  GpuArray once; /* compiles what is needed, and fills the pool */

  assert_ok(GpuArray_from_dlpack(&once, test_context(), &first, copy, NULL));
  GpuArray_clear(&once);
  const long live = ga__alloc_live();
  for (long n = 1, left = 0; left <= 0; n++) {
    struct DLManagedTensorVersioned t = *from;
    GpuArray a;
    deleted = 0;
    ga__alloc_fail(n, 0);
    const int err = GpuArray_from_dlpack(&a, test_context(), &t, copy, NULL);
    left = ga__alloc_fail(0, 0);
    if (err != GA_NO_ERROR) {
      assert_int_equal(err, GA_MEMORY_ERROR);
      assert_int_equal(deleted, 0);
    } else {
      test_array_equal(&a, matrix_in_c);
    }
    GpuArray_clear(&a);
    assert_int_equal(deleted, err == GA_NO_ERROR);
  }
  assert_int_equal(ga__alloc_live(), live);
}

static void failed_imports_leak_nothing(void **state) {
  gpucontext *ctx = test_context();
  const int is_shared = shares_host();
  struct DLManagedTensorVersioned t = new_tensor();
  cl_mem mem = new_mem(ctx, CL_MEM_READ_WRITE);

  (void)state;
  (void)is_shared;
  import_without_memory(&t, GA_COPY_IF_NEEDED);
  import_without_memory(&t, GA_COPY_ALWAYS);
  t.tensor.device_type = DL_OPENCL;
  t.tensor.data = mem;
  import_without_memory(&t, GA_COPY_IF_NEEDED);
  import_without_memory(&t, GA_COPY_ALWAYS);
  matrix_shape[0] = 0;
  import_without_memory(&t, GA_COPY_IF_NEEDED);
  clReleaseMemObject(mem);
}

/* --- out --- */

static void arrays_go_out_and_come_back(void **state) {
  gpucontext *ctx = test_context();
  const size_t dims[3] = {2, 1, 3};
  const ssize_t strides[3] = {-3, 9, 1};
  const float data[6] = {1, 2, 3, 4, 5, 6};
  struct DLManagedTensorVersioned *t;
  struct DLManagedTensor *legacy;
  GpuArray a, back;

  (void)state;
  test_array_strided(&a, GA_FLOAT, 3, dims, strides, data);
  assert_ok(GpuArray_to_dlpack(&t, &a, GPU_DLPACK_OPENCL, GA_COPY_NEVER, NULL));
  assert_int_equal(t->major, 1);
  assert_int_equal(t->flags, 0);
  assert_int_equal(t->tensor.byte_offset, a.offset);
  assert_true(t->tensor.strides[0] == -3 && t->tensor.strides[1] == 3);
  assert_ok(GpuArray_from_dlpack(&back, ctx, t, GA_COPY_NEVER, NULL));
  GpuArray_clear(&a);
  test_array_equal(&back, data);
  assert_ok(GpuArray_to_dlpack_legacy(&legacy, &back, GPU_DLPACK_OPENCL,
                                      GA_COPY_NEVER, NULL));
  GpuArray_clear(&back);
  assert_ok(
      GpuArray_from_dlpack_legacy(&back, ctx, legacy, GA_COPY_NEVER, NULL));
  test_array_equal(&back, data);
  GpuArray_clear(&back);
}

/* Read and change elements as a program on the host would. */
static void arrays_go_out_to_the_host(void **state) {
  const int is_shared = shares_host();
  const size_t dims[2] = {2, 2};
  const int data[4] = {1, 2, 3, 4}, turned[4] = {1, 3, 2, 4};
  const int changed[4] = {1, 3, 77, 4};
  struct DLManagedTensorVersioned *t;
  GpuArray a, v;

  (void)state;
  test_array(&a, GA_INT, 2, dims, data);
  assert_ok(GpuArray_transpose(&v, &a, NULL));
  assert_ok(
      GpuArray_to_dlpack(&t, &v, GPU_DLPACK_CPU, GA_COPY_IF_NEEDED, NULL));
  assert_int_equal((t->flags & DL_IS_COPIED) == 0, is_shared);
  for (int i = 0; i < 4; i++) {
    int64_t at = i / 2 * t->tensor.strides[0] + i % 2 * t->tensor.strides[1];

    assert_int_equal(((int *)t->tensor.data)[at], turned[i]);
  }
  ((int *)t->tensor.data)[t->tensor.strides[0]] = 77;
  t->deleter(t);
  test_array_equal(&v, is_shared ? changed : turned);
  assert_ok(GpuArray_to_dlpack(&t, &a, GPU_DLPACK_CPU, GA_COPY_ALWAYS, NULL));
  assert_int_equal(t->flags, DL_IS_COPIED);
  ((int *)t->tensor.data)[0] = 5;
  t->deleter(t);
  GpuArray_clear(&a);
  test_array_equal(&v, is_shared ? changed : turned);
  if (!is_shared) {
    assert_code(GA_COPY_ERROR, GpuArray_to_dlpack(&t, &v, GPU_DLPACK_CPU,
                                                  GA_COPY_NEVER, NULL));
    assert_null(t);
  }
  GpuArray_clear(&v);
}

static void arrays_that_are_not_writeable(void **state) {
  const size_t dims[1] = {2};
  const int data[2] = {1, 2};
  struct DLManagedTensorVersioned *t;
  struct DLManagedTensor *legacy;
  GpuArray a;
  gpuopencl h;

  (void)state;
  test_array(&a, GA_INT, 1, dims, data);
  a.flags &= ~GA_WRITEABLE;
  assert_ok(gpucontext_opencl(test_context(), &h));
  assert_ok(
      GpuArray_to_dlpack(&t, &a, GPU_DLPACK_OPENCL, GA_COPY_NEVER, h.queue));
  assert_int_equal(t->flags, DL_READ_ONLY);
  t->deleter(t);
  assert_code(GA_COPY_ERROR,
              GpuArray_to_dlpack_legacy(&legacy, &a, GPU_DLPACK_OPENCL,
                                        GA_COPY_NEVER, NULL));
  assert_message(GA_COPY_ERROR, "not writeable");
  assert_null(legacy);
  assert_ok(GpuArray_to_dlpack_legacy(&legacy, &a, GPU_DLPACK_OPENCL,
                                      GA_COPY_IF_NEEDED, NULL));
  legacy->deleter(legacy);
  assert_code(GA_UNSUPPORTED_ERROR, GpuArray_to_dlpack(&t, &a, 2, 1, NULL));
  GpuArray_clear(&a);
  assert_code(GA_INVALID_ERROR,
              GpuArray_to_dlpack(&t, &a, GPU_DLPACK_CPU, 1, NULL));
}

static void failed_exports_leak_nothing(void **state) {
  const gpudlpack_device where[2] = {GPU_DLPACK_OPENCL, GPU_DLPACK_CPU};
  const size_t dims[2] = {2, 2};
  const int data[4] = {1, 2, 3, 4};
  struct DLManagedTensorVersioned *t;
  GpuArray a;

  (void)state;
  test_array(&a, GA_INT, 2, dims, data);
  for (int i = 0; i < 4; i++) {
    int err = GA_MEMORY_ERROR;

    for (int n = 1; err != GA_NO_ERROR; n++) {
      long live = ga__alloc_live();
      ga__alloc_fail(n, 0);
      err =
          GpuArray_to_dlpack(&t, &a, where[i % 2],
                             i < 2 ? GA_COPY_IF_NEEDED : GA_COPY_ALWAYS, NULL);
      ga__alloc_fail(0, 0);
      if (err == GA_NO_ERROR)
        t->deleter(t);
      else
        assert_int_equal(ga__alloc_live(), live);
    }
  }
  GpuArray_clear(&a);
}

/* --- types --- */

static void types_go_there_and_back(void **state) {
  const dl_type of_16_bits = {4, 16, 1}; /* kDLBfloat */
  int n = 0, bfloat = -1;

  (void)state;
  assert_ok(ga__dlpack_to_type(&bfloat, &of_16_bits));
  assert_int_equal(bfloat, GA_BFLOAT);
  for (int typecode = 0; typecode < GA_ENDVEC; typecode++) {
    int back = -1;
    dl_type t;

    if (ga__dlpack_from_type(&t, typecode) != GA_NO_ERROR)
      continue;
    n++;
    assert_int_equal(gpuarray_get_elsize(typecode) * 8, t.bits * t.lanes);
    assert_ok(ga__dlpack_to_type(&back, &t));
    if (typecode != GA_SIZE && typecode != GA_SSIZE)
      assert_int_equal(back, typecode);
  }
  /* scalars with their other names; 4 vectors of each of 11 types */
  assert_int_equal(n, 15 + 2 + 4 * 11);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(host_tensors_come_in),
      cmocka_unit_test(device_tensors_come_in),
      cmocka_unit_test(read_only_stays_read_only),
      cmocka_unit_test(empty_and_scalar_tensors_are_legal),
      cmocka_unit_test(bad_tensors_stay_the_callers),
      cmocka_unit_test(bad_memory_stays_the_callers),
      cmocka_unit_test(failed_imports_leak_nothing),
      cmocka_unit_test(arrays_go_out_and_come_back),
      cmocka_unit_test(arrays_go_out_to_the_host),
      cmocka_unit_test(arrays_that_are_not_writeable),
      cmocka_unit_test(failed_exports_leak_nothing),
      cmocka_unit_test(types_go_there_and_back),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
