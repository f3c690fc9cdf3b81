/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers and layouts that programs compiled against libgpuarray 0.7.6 have
 * in them. The table is also compiled against that library's own headers where
 * they are installed, which shows that it is right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gpuarray/array.h>
#include <gpuarray/blas.h>
#include <gpuarray/buffer.h>
#include <gpuarray/buffer_blas.h>
#include <gpuarray/buffer_collectives.h>
#include <gpuarray/collectives.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/error.h>
#include <gpuarray/extension.h>
#include <gpuarray/kernel.h>
#include <gpuarray/types.h>
#include <gpuarray/util.h>

static const struct {
  const char *name;
  long got, want;
} constants[] = {
    {"GA_NO_ERROR", GA_NO_ERROR, 0},
    {"GA_MEMORY_ERROR", GA_MEMORY_ERROR, 1},
    {"GA_VALUE_ERROR", GA_VALUE_ERROR, 2},
    {"GA_IMPL_ERROR", GA_IMPL_ERROR, 3},
    {"GA_INVALID_ERROR", GA_INVALID_ERROR, 4},
    {"GA_UNSUPPORTED_ERROR", GA_UNSUPPORTED_ERROR, 5},
    {"GA_SYS_ERROR", GA_SYS_ERROR, 6},
    {"GA_RUN_ERROR", GA_RUN_ERROR, 7},
    {"GA_DEVSUP_ERROR", GA_DEVSUP_ERROR, 8},
    {"GA_READONLY_ERROR", GA_READONLY_ERROR, 9},
    {"GA_WRITEONLY_ERROR", GA_WRITEONLY_ERROR, 10},
    {"GA_BLAS_ERROR", GA_BLAS_ERROR, 11},
    {"GA_UNALIGNED_ERROR", GA_UNALIGNED_ERROR, 12},
    {"GA_COPY_ERROR", GA_COPY_ERROR, 13},
    {"GA_NODEV_ERROR", GA_NODEV_ERROR, 14},
    {"GA_MISC_ERROR", GA_MISC_ERROR, 15},
    {"GA_COMM_ERROR", GA_COMM_ERROR, 16},
    {"GA_XLARGE_ERROR", GA_XLARGE_ERROR, 17},
    {"GA_LOAD_ERROR", GA_LOAD_ERROR, 18},
    {"GA_BUFFER", GA_BUFFER, -1},
    {"GA_BOOL", GA_BOOL, 0},
    {"GA_BYTE", GA_BYTE, 1},
    {"GA_UBYTE", GA_UBYTE, 2},
    {"GA_SHORT", GA_SHORT, 3},
    {"GA_USHORT", GA_USHORT, 4},
    {"GA_INT", GA_INT, 5},
    {"GA_UINT", GA_UINT, 6},
    {"GA_LONG", GA_LONG, 7},
    {"GA_ULONG", GA_ULONG, 8},
    {"GA_LONGLONG", GA_LONGLONG, 9},
    {"GA_ULONGLONG", GA_ULONGLONG, 10},
    {"GA_FLOAT", GA_FLOAT, 11},
    {"GA_DOUBLE", GA_DOUBLE, 12},
    {"GA_QUAD", GA_QUAD, 13},
    {"GA_CFLOAT", GA_CFLOAT, 14},
    {"GA_CDOUBLE", GA_CDOUBLE, 15},
    {"GA_CQUAD", GA_CQUAD, 16},
    {"GA_HALF", GA_HALF, 23},
    {"GA_SIZE", GA_SIZE, 24},
    {"GA_SSIZE", GA_SSIZE, 25},
    {"GA_NBASE", GA_NBASE, 26},
    {"GA_DELIM", GA_DELIM, 255},
    {"GA_BYTE2", GA_BYTE2, 256},
    {"GA_UBYTE2", GA_UBYTE2, 257},
    {"GA_BYTE3", GA_BYTE3, 258},
    {"GA_UBYTE3", GA_UBYTE3, 259},
    {"GA_BYTE4", GA_BYTE4, 260},
    {"GA_UBYTE4", GA_UBYTE4, 261},
    {"GA_BYTE8", GA_BYTE8, 262},
    {"GA_UBYTE8", GA_UBYTE8, 263},
    {"GA_BYTE16", GA_BYTE16, 264},
    {"GA_UBYTE16", GA_UBYTE16, 265},
    {"GA_SHORT2", GA_SHORT2, 266},
    {"GA_USHORT2", GA_USHORT2, 267},
    {"GA_SHORT3", GA_SHORT3, 268},
    {"GA_USHORT3", GA_USHORT3, 269},
    {"GA_SHORT4", GA_SHORT4, 270},
    {"GA_USHORT4", GA_USHORT4, 271},
    {"GA_SHORT8", GA_SHORT8, 272},
    {"GA_USHORT8", GA_USHORT8, 273},
    {"GA_SHORT16", GA_SHORT16, 274},
    {"GA_USHORT16", GA_USHORT16, 275},
    {"GA_INT2", GA_INT2, 276},
    {"GA_UINT2", GA_UINT2, 277},
    {"GA_INT3", GA_INT3, 278},
    {"GA_UINT3", GA_UINT3, 279},
    {"GA_INT4", GA_INT4, 280},
    {"GA_UINT4", GA_UINT4, 281},
    {"GA_INT8", GA_INT8, 282},
    {"GA_UINT8", GA_UINT8, 283},
    {"GA_INT16", GA_INT16, 284},
    {"GA_UINT16", GA_UINT16, 285},
    {"GA_LONG2", GA_LONG2, 286},
    {"GA_ULONG2", GA_ULONG2, 287},
    {"GA_LONG3", GA_LONG3, 288},
    {"GA_ULONG3", GA_ULONG3, 289},
    {"GA_LONG4", GA_LONG4, 290},
    {"GA_ULONG4", GA_ULONG4, 291},
    {"GA_LONG8", GA_LONG8, 292},
    {"GA_ULONG8", GA_ULONG8, 293},
    {"GA_LONG16", GA_LONG16, 294},
    {"GA_ULONG16", GA_ULONG16, 295},
    {"GA_FLOAT2", GA_FLOAT2, 296},
    {"GA_FLOAT4", GA_FLOAT4, 297},
    {"GA_FLOAT8", GA_FLOAT8, 298},
    {"GA_FLOAT16", GA_FLOAT16, 299},
    {"GA_DOUBLE2", GA_DOUBLE2, 300},
    {"GA_DOUBLE4", GA_DOUBLE4, 301},
    {"GA_DOUBLE8", GA_DOUBLE8, 302},
    {"GA_DOUBLE16", GA_DOUBLE16, 303},
    {"GA_HALF2", GA_HALF2, 304},
    {"GA_HALF4", GA_HALF4, 305},
    {"GA_HALF8", GA_HALF8, 306},
    {"GA_HALF16", GA_HALF16, 307},
    {"GA_NVEC", GA_NVEC, 308},
    {"GA_ENDVEC", GA_ENDVEC, 512},
    {"GA_USE_SMALL", GA_USE_SMALL, 2},
    {"GA_USE_DOUBLE", GA_USE_DOUBLE, 4},
    {"GA_USE_COMPLEX", GA_USE_COMPLEX, 8},
    {"GA_USE_HALF", GA_USE_HALF, 16},
    {"GA_USE_CUDA", GA_USE_CUDA, 0x2000},
    {"GA_USE_OPENCL", GA_USE_OPENCL, 0x4000},
    {"GA_ANY_ORDER", GA_ANY_ORDER, -1},
    {"GA_C_ORDER", GA_C_ORDER, 0},
    {"GA_F_ORDER", GA_F_ORDER, 1},
    {"cb_row", cb_row, 0},
    {"cb_column", cb_column, 1},
    {"cb_left", cb_left, 0},
    {"cb_right", cb_right, 1},
    {"cb_no_trans", cb_no_trans, 0},
    {"cb_trans", cb_trans, 1},
    {"cb_conj_trans", cb_conj_trans, 2},
    {"cb_upper", cb_upper, 0},
    {"cb_lower", cb_lower, 1},
    {"GA_SUM", GA_SUM, 0},
    {"GA_PROD", GA_PROD, 1},
    {"GA_MAX", GA_MAX, 2},
    {"GA_MIN", GA_MIN, 3},
    {"GA_CTX_SCHED_AUTO", GA_CTX_SCHED_AUTO, 0},
    {"GA_CTX_SCHED_SINGLE", GA_CTX_SCHED_SINGLE, 1},
    {"GA_CTX_SCHED_MULTI", GA_CTX_SCHED_MULTI, 2},
    {"GA_BUFFER_READ_WRITE", GA_BUFFER_READ_WRITE, 0x00},
    {"GA_BUFFER_DEV", GA_BUFFER_DEV, 0x00},
    {"GA_BUFFER_READ_ONLY", GA_BUFFER_READ_ONLY, 0x01},
    {"GA_BUFFER_WRITE_ONLY", GA_BUFFER_WRITE_ONLY, 0x02},
    {"GA_BUFFER_INIT", GA_BUFFER_INIT, 0x04},
    {"GA_BUFFER_HOST", GA_BUFFER_HOST, 0x08},
    {"GA_BUFFER_MASK", GA_BUFFER_MASK, 0xffff},
    {"GA_CTX_PROP_DEVNAME", GA_CTX_PROP_DEVNAME, 1},
    {"GA_CTX_PROP_LMEMSIZE", GA_CTX_PROP_LMEMSIZE, 3},
    {"GA_CTX_PROP_NUMPROCS", GA_CTX_PROP_NUMPROCS, 4},
    {"GA_CTX_PROP_BIN_ID", GA_CTX_PROP_BIN_ID, 7},
    {"GA_CTX_PROP_ERRBUF", GA_CTX_PROP_ERRBUF, 8},
    {"GA_CTX_PROP_TOTAL_GMEM", GA_CTX_PROP_TOTAL_GMEM, 9},
    {"GA_CTX_PROP_FREE_GMEM", GA_CTX_PROP_FREE_GMEM, 10},
    {"GA_CTX_PROP_NATIVE_FLOAT16", GA_CTX_PROP_NATIVE_FLOAT16, 11},
    {"GA_CTX_PROP_MAXGSIZE0", GA_CTX_PROP_MAXGSIZE0, 12},
    {"GA_CTX_PROP_MAXGSIZE1", GA_CTX_PROP_MAXGSIZE1, 13},
    {"GA_CTX_PROP_MAXGSIZE2", GA_CTX_PROP_MAXGSIZE2, 14},
    {"GA_CTX_PROP_MAXLSIZE0", GA_CTX_PROP_MAXLSIZE0, 15},
    {"GA_CTX_PROP_MAXLSIZE1", GA_CTX_PROP_MAXLSIZE1, 16},
    {"GA_CTX_PROP_MAXLSIZE2", GA_CTX_PROP_MAXLSIZE2, 17},
    {"GA_CTX_PROP_UNIQUE_ID", GA_CTX_PROP_UNIQUE_ID, 19},
    {"GA_CTX_PROP_LARGEST_MEMBLOCK", GA_CTX_PROP_LARGEST_MEMBLOCK, 20},
    {"GA_BUFFER_PROP_START", GA_BUFFER_PROP_START, 512},
    {"GA_BUFFER_PROP_CTX", GA_BUFFER_PROP_CTX, 512},
    {"GA_BUFFER_PROP_REFCNT", GA_BUFFER_PROP_REFCNT, 513},
    {"GA_BUFFER_PROP_SIZE", GA_BUFFER_PROP_SIZE, 514},
    {"GA_KERNEL_PROP_START", GA_KERNEL_PROP_START, 1024},
    {"GA_KERNEL_PROP_CTX", GA_KERNEL_PROP_CTX, 1024},
    {"GA_KERNEL_PROP_MAXLSIZE", GA_KERNEL_PROP_MAXLSIZE, 1025},
    {"GA_KERNEL_PROP_PREFLSIZE", GA_KERNEL_PROP_PREFLSIZE, 1026},
    {"GA_KERNEL_PROP_NUMARGS", GA_KERNEL_PROP_NUMARGS, 1027},
    {"GA_KERNEL_PROP_TYPES", GA_KERNEL_PROP_TYPES, 1028},
    {"GA_C_CONTIGUOUS", GA_C_CONTIGUOUS, 0x0001},
    {"GA_F_CONTIGUOUS", GA_F_CONTIGUOUS, 0x0002},
    {"GA_ALIGNED", GA_ALIGNED, 0x0100},
    {"GA_WRITEABLE", GA_WRITEABLE, 0x0400},
    {"GA_BEHAVED", GA_BEHAVED, 0x0500},
    {"GA_CARRAY", GA_CARRAY, 0x0501},
    {"GA_FARRAY", GA_FARRAY, 0x0502},
    {"GE_SCALAR", GE_SCALAR, 0x0001},
    {"GE_READ", GE_READ, 0x0002},
    {"GE_WRITE", GE_WRITE, 0x0004},
    {"GE_NOADDR64", GE_NOADDR64, 0x0001},
    {"GE_CONVERT_F16", GE_CONVERT_F16, 0x0002},
    {"GE_BROADCAST", GE_BROADCAST, 0x0100},
    {"GE_NOCOLLAPSE", GE_NOCOLLAPSE, 0x0200},
    {"GE_PADSHAPE", GE_PADSHAPE, 0x0400},
    {"GA_COMM_ID_BYTES", GA_COMM_ID_BYTES, 128},
    {"cb_c", cb_c, 0},
    {"cb_fortran", cb_fortran, 1},
    {"GPUARRAY_CUDA_CTX_NOFREE", GPUARRAY_CUDA_CTX_NOFREE, 0x10000000},
    {"GPUARRAY_CUDA_WAIT_READ", GPUARRAY_CUDA_WAIT_READ, 0x10000},
    {"GPUARRAY_CUDA_WAIT_WRITE", GPUARRAY_CUDA_WAIT_WRITE, 0x20000},
    {"GPUARRAY_API_VERSION", GPUARRAY_API_VERSION, 2},
    {"GPUARRAY_ABI_VERSION", GPUARRAY_ABI_VERSION, 3000},
};

static void test_constants(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
    if (constants[i].got != constants[i].want)
      fail_msg("%s is %ld, expected %ld", constants[i].name, constants[i].got,
               constants[i].want);
  }
}

#define FIELD(type, field, off, bytes)                                         \
  assert_int_equal(offsetof(type, field), off);                                \
  assert_int_equal(sizeof(((type *)0)->field), bytes)

static void test_structs(void **state) {
  (void)state;
  if (sizeof(void *) != 8)
    skip();
  assert_int_equal(sizeof(GpuArray), 48);
  FIELD(GpuArray, data, 0, 8);
  FIELD(GpuArray, dimensions, 8, 8);
  FIELD(GpuArray, strides, 16, 8);
  FIELD(GpuArray, offset, 24, 8);
  FIELD(GpuArray, nd, 32, 4);
  FIELD(GpuArray, flags, 36, 4);
  FIELD(GpuArray, typecode, 40, 4);
  assert_int_equal(sizeof(GpuKernel), 16);
  FIELD(GpuKernel, k, 0, 8);
  FIELD(GpuKernel, args, 8, 8);
  assert_int_equal(sizeof(gpuarray_type), 32);
  FIELD(gpuarray_type, cluda_name, 0, 8);
  FIELD(gpuarray_type, size, 8, 8);
  FIELD(gpuarray_type, align, 16, 8);
  FIELD(gpuarray_type, typecode, 24, 4);
  assert_int_equal(sizeof(gpuelemwise_arg), 16);
  FIELD(gpuelemwise_arg, name, 0, 8);
  FIELD(gpuelemwise_arg, typecode, 8, 4);
  FIELD(gpuelemwise_arg, flags, 12, 4);
  assert_int_equal(sizeof(gpucommCliqueId), GA_COMM_ID_BYTES);
  assert_int_equal(sizeof(GpuArrayIpcMemHandle), 64);
  assert_int_equal(sizeof(ga_half_t), 2);
  assert_int_equal(sizeof(ga_order), 4);
  assert_int_equal(sizeof(cb_transpose), 4);
}

/* Code inlined into old programs, checked on what both must agree on. */
static void test_inline_helpers(void **state) {
  static const struct {
    float f;
    uint16_t h;
  } halfs[] = {{0, 0},         {1, 0x3c00},
               {-2, 0xc000},   {65504, 0x7bff},
               {1e6f, 0x7c00}, {-1e6f, 0xfc00},
               {0.5f, 0x3800}, {6.103515625e-5f, 0x0400}};
  GpuArray a = {0};

  (void)state;
  for (size_t i = 0; i < sizeof halfs / sizeof halfs[0]; i++)
    assert_int_equal(ga_float2half(halfs[i].f).h, halfs[i].h);
  a.flags = GA_F_CONTIGUOUS | GA_WRITEABLE;
  assert_true(GpuArray_CHKFLAGS(&a, GA_WRITEABLE));
  assert_false(GpuArray_CHKFLAGS(&a, GA_BEHAVED));
  assert_true(GpuArray_ISWRITEABLE(&a));
  assert_false(GpuArray_ISALIGNED(&a));
  assert_true(GpuArray_ISONESEGMENT(&a));
  assert_true(GpuArray_ISFORTRAN(&a));
  assert_true(GpuArray_IS_F_CONTIGUOUS(&a));
  assert_false(GpuArray_IS_C_CONTIGUOUS(&a));
  a.typecode = GA_DOUBLE;
  assert_int_equal(GpuArray_ITEMSIZE(&a), 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_constants),
      cmocka_unit_test(test_structs),
      cmocka_unit_test(test_inline_helpers),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
