/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of the scalar dtypes (GA_BOOL ... GA_CDOUBLE, GA_HALF), beyond
 * those of the public gpuarray_get_type. */
#ifndef BASE_DTYPE_H
#define BASE_DTYPE_H

#include <stddef.h>
#include <stdint.h>

#include <gpuarray/types.h>
#include <gpuarray/util.h>

typedef enum ga__kind {
  GA_KIND_NONE = 0, /* not a dtype that arrays compute with */
  GA_KIND_BOOL,
  GA_KIND_INT,
  GA_KIND_UINT,
  GA_KIND_FLOAT, /* half, float, double */
  GA_KIND_COMPLEX
} ga__kind;

/* The type of a code, NULL if there is none. */
const gpuarray_type *ga__type_of(int typecode);
/* What the device aligns an element to: bytes, a power of two. */
size_t ga__type_align(const gpuarray_type *t);
ga__kind ga__dtype_kind(int typecode);
int ga__dtype_is_complex(int typecode);
size_t ga__dtype_size(int typecode); /* bytes, 0 if unknown */
/* NumPy's name: "float32", "uint8", "bool", "complex64"; "?" if unknown. */
const char *ga__dtype_name(int typecode);
/* The typecode of a NumPy name, or -1. */
int ga__dtype_from_name(const char *name);
/* OpenCL C storage type: "float", "uchar" (bool, uint8), "half", ... */
const char *ga__dtype_cl(int typecode);
/* The work type: float for half, else the dtype itself. */
int ga__dtype_work(int typecode);
/* Fixed-width twin: GA_SIZE -> GA_ULONG, GA_SSIZE -> GA_LONG. */
int ga__dtype_canon(int typecode);

/* Nonzero if `to` holds every value of `from`, so that a cast loses nothing. A
 * float holds the integers that fit in its fraction: float32 holds int16,
 * float64 int32, neither int64. */
int ga__dtype_holds(int to, int from);

/* What an integer dtype keeps of the whole number v, as C's conversions between
 * integers have it; other dtypes keep v. */
double ga__dtype_wrap(int typecode, double v);
/* One host element to double and back (complex: the real part), for tests,
 * printing and constants. int64 beyond 2^53 loses bits. Integers round towards
 * zero, stop at their limits, and take NaN as 0. `p` need not be aligned. */
double ga__dtype_to_double(int typecode, const void *p);
void ga__dtype_from_double(int typecode, void *p, double v);

#endif
