/* SPDX-License-Identifier: BSD-2-Clause */
/* The public type table, and the general texts of error codes. libgpuarray
 * exports these functions. */
#include <errno.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include <gpuarray/buffer.h>
#include <gpuarray/error.h>
#include <gpuarray/util.h>

#include "base/err.h"

#define MAX_REGISTERED 4096

#define SCALAR(CODE, name, bytes, align)                                       \
  [GA_##CODE] = {"ga_" #name, bytes, align, GA_##CODE}

static const gpuarray_type scalars[] = {
    SCALAR(BOOL, bool, 1, 1),
    SCALAR(BYTE, byte, 1, 1),
    SCALAR(UBYTE, ubyte, 1, 1),
    SCALAR(SHORT, short, 2, 2),
    SCALAR(USHORT, ushort, 2, 2),
    SCALAR(INT, int, 4, 4),
    SCALAR(UINT, uint, 4, 4),
    SCALAR(LONG, long, 8, 8),
    SCALAR(ULONG, ulong, 8, 8),
    SCALAR(LONGLONG, longlong, 16, 8),
    SCALAR(ULONGLONG, ulonglong, 16, 8),
    SCALAR(FLOAT, float, 4, 4),
    SCALAR(DOUBLE, double, 8, 8),
    SCALAR(QUAD, quad, 16, 8),
    SCALAR(CFLOAT, cfloat, 8, 4), /* a struct of two reals */
    SCALAR(CDOUBLE, cdouble, 16, 8),
    SCALAR(CQUAD, cquad, 32, 8),
    SCALAR(HALF, half, 2, 2),
    SCALAR(SIZE, size, sizeof(size_t), alignof(size_t)),
    SCALAR(SSIZE, ssize, sizeof(ssize_t), alignof(ssize_t)),
    SCALAR(BFLOAT, bfloat, 2, 2),
};
#define N_SCALARS ((int)(sizeof scalars / sizeof scalars[0]))

#define FIRST_VECTOR GA_BYTE2

/* OpenCL aligns a vector to its size (ga__type_align); libgpuarray 0.7.6 has
 * 0. */
#define VECTOR(CODE, name, n, bytes)                                           \
  [GA_##CODE -                                                                 \
      FIRST_VECTOR] = {"ga_" #name, (size_t)(n) * (bytes), 0, GA_##CODE}

/* Vectors of 3 have the size of vectors of 4. */
#define INT_VECTORS(CODE, name, bytes)                                         \
  VECTOR(CODE##2, name##2, 2, bytes), VECTOR(CODE##3, name##3, 4, bytes),      \
      VECTOR(CODE##4, name##4, 4, bytes), VECTOR(CODE##8, name##8, 8, bytes),  \
      VECTOR(CODE##16, name##16, 16, bytes)

#define REAL_VECTORS(CODE, name, bytes)                                        \
  VECTOR(CODE##2, name##2, 2, bytes), VECTOR(CODE##4, name##4, 4, bytes),      \
      VECTOR(CODE##8, name##8, 8, bytes),                                      \
      VECTOR(CODE##16, name##16, 16, bytes)

static const gpuarray_type vectors[GA_NVEC - FIRST_VECTOR] = {
    INT_VECTORS(BYTE, byte, 1),    INT_VECTORS(UBYTE, ubyte, 1),
    INT_VECTORS(SHORT, short, 2),  INT_VECTORS(USHORT, ushort, 2),
    INT_VECTORS(INT, int, 4),      INT_VECTORS(UINT, uint, 4),
    INT_VECTORS(LONG, long, 8),    INT_VECTORS(ULONG, ulong, 8),
    REAL_VECTORS(FLOAT, float, 4), REAL_VECTORS(DOUBLE, double, 8),
    REAL_VECTORS(HALF, half, 2),
};

static const gpuarray_type buffer_type = {NULL, sizeof(void *), alignof(void *),
                                          GA_BUFFER};

/* The type of unknown codes. It is not NULL, because programs written for
 * libgpuarray 0.7.6 read it. */
static const gpuarray_type no_type = {NULL, 0, 0, -1};

/* Types that programs registered, by code - GA_ENDVEC. They are never removed.
 * A slot is reserved before it is filled, so it may be NULL while no caller
 * knows its code. */
static _Atomic(gpuarray_type *) registered[MAX_REGISTERED];
static atomic_int n_registered;

int gpuarray_register_type(gpuarray_type *t, int *ret) {
  int slot = atomic_load(&n_registered);

  do {
    if (slot == MAX_REGISTERED) {
      int err = ga__fail(GA_MEMORY_ERROR, "more than %d registered types",
                         MAX_REGISTERED);
      if (ret != NULL)
        *ret = err;
      return -1;
    }
  } while (!atomic_compare_exchange_weak(&n_registered, &slot, slot + 1));
  t->typecode = GA_ENDVEC + slot;
  atomic_store(&registered[slot], t);
  return t->typecode;
}

const gpuarray_type *gpuarray_get_type(int typecode) {
  const gpuarray_type *t = NULL;

  if (typecode >= 0 && typecode < N_SCALARS)
    t = &scalars[typecode];
  else if (typecode >= FIRST_VECTOR && typecode < GA_NVEC)
    t = &vectors[typecode - FIRST_VECTOR];
  else if (typecode >= GA_ENDVEC && typecode < GA_ENDVEC + MAX_REGISTERED)
    t = atomic_load(&registered[typecode - GA_ENDVEC]);
  else if (typecode == GA_BUFFER)
    t = &buffer_type;
  /* Some numbers between the scalar types are not types. */
  return t != NULL && t->size != 0 ? t : &no_type;
}

size_t gpuarray_get_elsize(int typecode) {
  return gpuarray_get_type(typecode)->size;
}

static int flags_of(int typecode) {
  const gpuarray_type *t = gpuarray_get_type(typecode);
  int flags = 0;

  if (t->size == 0)
    return 0;
  if (t->size < 4)
    flags |= GA_USE_SMALL;
  if (typecode == GA_DOUBLE || typecode == GA_CDOUBLE ||
      (typecode >= GA_DOUBLE2 && typecode <= GA_DOUBLE16))
    flags |= GA_USE_DOUBLE;
  if (typecode == GA_CFLOAT || typecode == GA_CDOUBLE)
    flags |= GA_USE_COMPLEX;
  if (typecode == GA_HALF || (typecode >= GA_HALF2 && typecode <= GA_HALF16))
    flags |= GA_USE_HALF;
  return flags;
}

int gpuarray_type_flags(int init, ...) {
  va_list ap;
  int flags = 0;

  va_start(ap, init);
  for (int typecode = init; typecode != -1; typecode = va_arg(ap, int))
    flags |= flags_of(typecode);
  va_end(ap);
  return flags;
}

int gpuarray_type_flagsa(unsigned int n, gpuelemwise_arg *arg) {
  int flags = 0;

  for (unsigned int i = 0; i < n; i++)
    flags |= flags_of(arg[i].typecode);
  return flags;
}

/* The texts of libgpuarray 0.7.6, because programs compare them. */
const char *gpuarray_error_str(int err) {
  static const char *const texts[] = {
      [GA_NO_ERROR] = "No error",
      [GA_MEMORY_ERROR] = "Out of memory",
      [GA_VALUE_ERROR] = "Value invalid or out of range",
      [GA_IMPL_ERROR] = "Unknown device error",
      [GA_INVALID_ERROR] = "Invalid value or operation",
      [GA_UNSUPPORTED_ERROR] = "Unsupported operation",
      [GA_RUN_ERROR] = "Could not execute helper program",
      [GA_DEVSUP_ERROR] = "Device does not support operation",
      [GA_READONLY_ERROR] = "Buffer is read-only",
      [GA_WRITEONLY_ERROR] = "Buffer is write-only",
      [GA_BLAS_ERROR] = "Error in BLAS call",
      [GA_UNALIGNED_ERROR] = "Unaligned array",
      [GA_COPY_ERROR] = "Copy is needed but disallowed by parameters",
      [GA_NODEV_ERROR] = "No devices are available",
      [GA_MISC_ERROR] = "Undeterminate error",
      [GA_COMM_ERROR] = "Error in collectives call",
      [GA_XLARGE_ERROR] = "Input size too large for operation",
      [GA_LOAD_ERROR] = "Error loading library",
  };

  if (err < 0 || (size_t)err >= sizeof texts / sizeof texts[0])
    return "Unknown GA error";
  if (err == GA_SYS_ERROR)
    return strerror(errno);
  return texts[err];
}
