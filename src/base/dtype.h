/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about the scalar dtypes (GA_BOOL ... GA_CDOUBLE, GA_HALF), beyond what
 * the public gpuarray_get_type tells. */
#ifndef BASE_DTYPE_H
#define BASE_DTYPE_H

#include <stddef.h>
#include <stdint.h>

#include <gpuarray/types.h>

typedef enum ga__kind {
  GA_KIND_NONE = 0, /* not a dtype that arrays compute with */
  GA_KIND_BOOL,
  GA_KIND_INT,
  GA_KIND_UINT,
  GA_KIND_FLOAT, /* half, float, double */
  GA_KIND_COMPLEX
} ga__kind;

ga__kind ga__dtype_kind(int typecode);
int ga__dtype_is_complex(int typecode);
size_t ga__dtype_size(int typecode); /* bytes, 0 if unknown */
/* NumPy's name: "float32", "uint8", "bool", "complex64"; "?" if unknown. */
const char *ga__dtype_name(int typecode);
/* The typecode of a NumPy name, or -1. */
int ga__dtype_from_name(const char *name);
/* OpenCL C storage type: "float", "uchar" (bool, uint8), "half", ... */
const char *ga__dtype_cl(int typecode);
/* What arithmetic is done in: half works in float, every other dtype in
 * itself. */
int ga__dtype_work(int typecode);
/* Fixed-width twin: GA_LONGLONG -> GA_LONG, GA_SIZE -> GA_ULONG, ... */
int ga__dtype_canon(int typecode);

/* Does `to` hold every value of `from`, so that a cast loses nothing? Integers
 * beyond the digits of a float's fraction are not all in it: int16 is in
 * float32, int32 in float64, int64 in neither. */
int ga__dtype_holds(int to, int from);

/* One host element to double and back (complex: the real part), for tests,
 * printing and constants. int64 beyond 2^53 loses bits. Integers round towards
 * zero, stop at their limits, and take NaN as 0. `p` need not be aligned. */
double ga__dtype_to_double(int typecode, const void *p);
void ga__dtype_from_double(int typecode, void *p, double v);

#endif
