/* SPDX-License-Identifier: BSD-2-Clause */
/* Combines two arrays in host memory. WHOLE, REAL, NARROW and COMPLEX define
 * the functions of a dtype. Integers are combined as unsigned ones, for which
 * overflow is defined. */
#include "comm/combine.h"

#include <gpuarray/buffer_collectives.h>

#include "base/dtype.h"
#include "base/err.h"
#include "base/half.h"

#define LOOP(name, type, expr)                                                 \
  static void name(void *acc, const void *with, size_t n) {                    \
    type *restrict p = acc;                                                    \
    const type *restrict q = with;                                             \
                                                                               \
    for (size_t i = 0; i < n; i++) {                                           \
      const type a = p[i], b = q[i];                                           \
                                                                               \
      p[i] = (type)(expr);                                                     \
    }                                                                          \
  }

/* `wide` is unsigned and at least as wide as int, so that no signed arithmetic
 * overflows. */
#define WHOLE(name, type, wide)                                                \
  LOOP(name##_sum, type, (wide)a + (wide)b)                                    \
  LOOP(name##_prod, type, (wide)a *(wide)b)                                    \
  LOOP(name##_max, type, a > b ? a : b)                                        \
  LOOP(name##_min, type, a < b ? a : b)

/* A NaN is the only value that is not equal to itself; it stays. */
#define REAL(name, type)                                                       \
  LOOP(name##_sum, type, a + b)                                                \
  LOOP(name##_prod, type, a *b)                                                \
  LOOP(name##_max, type, a > b || a != a ? a : b)                              \
  LOOP(name##_min, type, a < b || a != a ? a : b)

#define COMPLEX(name, type)                                                    \
  static void name##_sum(void *acc, const void *with, size_t n) {              \
    type *restrict p = acc;                                                    \
    const type *restrict q = with;                                             \
                                                                               \
    for (size_t i = 0; i < 2 * n; i++)                                         \
      p[i] += q[i];                                                            \
  }                                                                            \
  static void name##_prod(void *acc, const void *with, size_t n) {             \
    type *restrict p = acc;                                                    \
    const type *restrict q = with;                                             \
                                                                               \
    for (size_t i = 0; i < 2 * n; i += 2) {                                    \
      const type r = p[i] * q[i] - p[i + 1] * q[i + 1];                        \
                                                                               \
      p[i + 1] = p[i] * q[i + 1] + p[i + 1] * q[i];                            \
      p[i] = r;                                                                \
    }                                                                          \
  }

#define NARROW_LOOP(name, type, expr)                                          \
  static void name(void *acc, const void *with, size_t n) {                    \
    uint16_t *restrict p = acc;                                                \
    const uint16_t *restrict q = with;                                         \
                                                                               \
    for (size_t i = 0; i < n; i++) {                                           \
      const float a = ga__##type##_to_float(p[i]);                             \
      const float b = ga__##type##_to_float(q[i]);                             \
                                                                               \
      p[i] = ga__##type##_from_float(expr);                                    \
    }                                                                          \
  }

#define NARROW(name, type)                                                     \
  NARROW_LOOP(name##_sum, type, a + b)                                         \
  NARROW_LOOP(name##_prod, type, a *b)                                         \
  NARROW_LOOP(name##_max, type, a > b || a != a ? a : b)                       \
  NARROW_LOOP(name##_min, type, a < b || a != a ? a : b)

LOOP(or_bool, unsigned char, a | b)
LOOP(and_bool, unsigned char, a &b)
WHOLE(i8, int8_t, unsigned int)
WHOLE(u8, uint8_t, unsigned int)
WHOLE(i16, int16_t, unsigned int)
WHOLE(u16, uint16_t, unsigned int)
WHOLE(i32, int32_t, uint32_t)
WHOLE(u32, uint32_t, uint32_t)
WHOLE(i64, int64_t, uint64_t)
WHOLE(u64, uint64_t, uint64_t)
REAL(f32, float)
REAL(f64, double)
COMPLEX(c64, float)
COMPLEX(c128, double)
NARROW(f16, half)
NARROW(bf16, bfloat)

#define ROW(code, name)                                                        \
  [code] = {[GA_SUM] = name##_sum,                                             \
            [GA_PROD] = name##_prod,                                           \
            [GA_MAX] = name##_max,                                             \
            [GA_MIN] = name##_min}

/* By dtype and gpucomm_reduce_ops. */
static const ga__combine table[GA_DTYPES][GA_MIN + 1] = {
    [GA_BOOL] = {[GA_SUM] = or_bool,
                 [GA_PROD] = and_bool,
                 [GA_MAX] = or_bool,
                 [GA_MIN] = and_bool},
    ROW(GA_BYTE, i8),
    ROW(GA_UBYTE, u8),
    ROW(GA_SHORT, i16),
    ROW(GA_USHORT, u16),
    ROW(GA_INT, i32),
    ROW(GA_UINT, u32),
    ROW(GA_LONG, i64),
    ROW(GA_ULONG, u64),
    ROW(GA_HALF, f16),
    ROW(GA_BFLOAT, bf16),
    ROW(GA_FLOAT, f32),
    ROW(GA_DOUBLE, f64),
    [GA_CFLOAT] = {[GA_SUM] = c64_sum, [GA_PROD] = c64_prod},
    [GA_CDOUBLE] = {[GA_SUM] = c128_sum, [GA_PROD] = c128_prod},
};

int ga__combine_get(ga__combine *out, int typecode, int op) {
  const int canon = ga__dtype_canon(typecode);

  *out = NULL;
  if (op < GA_SUM || op > GA_MIN)
    return ga__fail(GA_VALUE_ERROR, "no operation %d", op);
  if (canon >= 0 && canon < GA_DTYPES)
    *out = table[canon][op];
  if (*out == NULL)
    return ga__fail(GA_VALUE_ERROR, "operation %d is not for %s", op,
                    ga__dtype_name(typecode));
  return GA_NO_ERROR;
}
