/* SPDX-License-Identifier: BSD-2-Clause */
/** \file util.h
 * Look up and register types, collapse dimensions, convert halfs. */
#ifndef GPUARRAY_UTIL
#define GPUARRAY_UTIL

#include <gpuarray/config.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/types.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Register a type of your own and return its typecode, -1 on failure.
 *
 * The structure must outlive every use of the library (static storage is best);
 * its `typecode` is set. A `cluda_name` that is already registered gets a new
 * code, too. `ret` (may be NULL) receives the error code on failure and is not
 * changed otherwise. Codes are valid in this process only. Any thread may call
 * this. */
GPUARRAY_PUBLIC int gpuarray_register_type(gpuarray_type *t, int *ret);

/** Look a type up. The result is static and never NULL: a code that does not
 * exist gives a type of size 0, with code -1 and no name. */
GPUARRAY_PUBLIC const gpuarray_type *gpuarray_get_type(int typecode);

/** Bytes of one element, 0 when there is no such type. */
GPUARRAY_PUBLIC size_t gpuarray_get_elsize(int typecode);

/** The GA_USE_* flags that kernels on these types need, joined.
 *
 * The list ends with -1: gpuarray_type_flags(GA_HALF, GA_CFLOAT, -1). */
GPUARRAY_PUBLIC int gpuarray_type_flags(int init, ...);

/** The same for the typecodes of `arg[0..n)`. */
GPUARRAY_PUBLIC int gpuarray_type_flagsa(unsigned int n, gpuelemwise_arg *arg);

/** Collapse dimensions: merge neighbours that are contiguous in each of `n`
 * arguments, and drop those of size 1.
 *
 * On entry `*nd` dimensions, `dim[*nd]` sizes and for each argument
 * `strs[k][*nd]` strides in bytes; `strs[k]` is NULL for a scalar. All three
 * are overwritten with the collapsed ones; at least one dimension stays. */
GPUARRAY_PUBLIC void gpuarray_elemwise_collapse(unsigned int n,
                                                unsigned int *nd, size_t *dim,
                                                ssize_t **strs);

/** The bits of an IEEE binary16. */
typedef struct _ga_half_t {
  uint16_t h;
} ga_half_t;

/** Convert to half: rounds to nearest even, keeps NaN. */
static inline ga_half_t ga_float2half(float f) {
  ga_half_t r;
  uint32_t u, sign, mag, shift, rest, half;

  memcpy(&u, &f, sizeof u);
  sign = (u >> 16) & 0x8000u;
  mag = u & 0x7fffffffu;
  if (mag > 0x7f800000u) { /* NaN: keep it quiet, with its upper bits */
    r.h = (uint16_t)(sign | 0x7e00u | ((mag >> 13) & 0x3ffu));
    return r;
  }
  if (mag >= 0x477ff000u) { /* 65520 and up round to infinity */
    r.h = (uint16_t)(sign | 0x7c00u);
    return r;
  }
  if (mag < 0x38800000u) { /* below 2^-14: a multiple of 2^-24 */
    if (mag < 0x33000000u) {
      r.h = (uint16_t)sign;
      return r;
    }
    shift = 126u - (mag >> 23);
    mag = (mag & 0x7fffffu) | 0x800000u;
  } else {
    mag -= 0x38000000u; /* rebias the exponent from 127 to 15 */
    shift = 13u;
  }
  half = (uint32_t)1 << (shift - 1);
  rest = mag & ((half << 1) - 1);
  mag >>= shift;
  if (rest > half || (rest == half && (mag & 1u)))
    mag++;
  r.h = (uint16_t)(sign | mag);
  return r;
}

/** Convert from half; always exact. */
static inline float ga_half2float(ga_half_t h) {
  uint32_t sign = (uint32_t)(h.h & 0x8000u) << 16;
  uint32_t mag = h.h & 0x7fffu;
  uint32_t u;
  float f;

  if (mag >= 0x7c00u) { /* infinity and NaN */
    u = sign | 0x7f800000u | ((mag & 0x3ffu) << 13);
  } else if (mag >= 0x400u) {
    u = sign | ((mag << 13) + 0x38000000u);
  } else { /* subnormal: mag * 2^-24 is exact in float */
    f = (float)mag * 5.9604644775390625e-8f;
    memcpy(&u, &f, sizeof u);
    u |= sign;
  }
  memcpy(&f, &u, sizeof f);
  return f;
}

/** The bits of a bfloat16: the upper 16 of a float. */
typedef struct _ga_bfloat_t {
  uint16_t b;
} ga_bfloat_t;

/** Convert to bfloat16: rounds to nearest even, keeps NaN. */
static inline ga_bfloat_t ga_float2bfloat(float f) {
  ga_bfloat_t r;
  uint32_t u;

  memcpy(&u, &f, sizeof u);
  if ((u & 0x7fffffffu) > 0x7f800000u) /* NaN: keep it quiet */
    u |= 0x400000u;
  else /* a carry moves on to the exponent, up to infinity */
    u += 0x7fffu + (u >> 16 & 1u);
  r.b = (uint16_t)(u >> 16);
  return r;
}

/** Convert from bfloat16; always exact. */
static inline float ga_bfloat2float(ga_bfloat_t b) {
  uint32_t u = (uint32_t)b.b << 16;
  float f;

  memcpy(&f, &u, sizeof f);
  return f;
}

#ifdef __cplusplus
}
#endif

#endif
