/* SPDX-License-Identifier: BSD-2-Clause */
/* Narrow floats, which are stored as bits and worked with as float. Programs
 * without them do not have this file, since compiling it takes time.
 *
 * Halfs by way of a variable, because vload_half() and its like need a pointer
 * to halfs, and those for vectors are broken in PoCL 3.1 unless the address is
 * aligned to the vector. */

static inline float ga_from_half(const ushort bits) {
  return vload_half(0, (private const half *)&bits);
}

static inline float2 ga_from_half2(const ushort2 bits) {
  return vload_half2(0, (private const half *)&bits);
}

static inline float4 ga_from_half4(const ushort4 bits) {
  return vload_half4(0, (private const half *)&bits);
}

static inline ushort ga_to_half(const float v) {
  ushort bits;

  vstore_half_rte(v, 0, (private half *)&bits);
  return bits;
}

static inline ushort2 ga_to_half2(const float2 v) {
  ushort2 bits;

  vstore_half2_rte(v, 0, (private half *)&bits);
  return bits;
}

static inline ushort4 ga_to_half4(const float4 v) {
  ushort4 bits;

  vstore_half4_rte(v, 0, (private half *)&bits);
  return bits;
}

/* PoCL 3.1 goes bit by bit, or stores lane by lane. */
#if defined(__F16C__) && __has_builtin(__builtin_ia32_vcvtph2ps256) &&         \
    __has_builtin(__builtin_ia32_vcvtps2ph256)
static inline float8 ga_from_half8(const ushort8 bits) {
  return __builtin_ia32_vcvtph2ps256(as_short8(bits));
}

static inline ushort8 ga_to_half8(const float8 v) {
  return as_ushort8(__builtin_ia32_vcvtps2ph256(v, 0)); /* 0: nearest even */
}

static inline float16 ga_from_half16(const ushort16 bits) {
  return (float16)(ga_from_half8(bits.lo), ga_from_half8(bits.hi));
}

static inline ushort16 ga_to_half16(const float16 v) {
  return (ushort16)(ga_to_half8(v.lo), ga_to_half8(v.hi));
}
#else
static inline float8 ga_from_half8(const ushort8 bits) {
  return vload_half8(0, (private const half *)&bits);
}

static inline ushort8 ga_to_half8(const float8 v) {
  ushort8 bits;

  vstore_half8_rte(v, 0, (private half *)&bits);
  return bits;
}

static inline float16 ga_from_half16(const ushort16 bits) {
  return vload_half16(0, (private const half *)&bits);
}

static inline ushort16 ga_to_half16(const float16 v) {
  ushort16 bits;

  vstore_half16_rte(v, 0, (private half *)&bits);
  return bits;
}
#endif

/* A bfloat is the upper half of a float. Rounded to nearest even; a carry moves
 * on to the exponent, up to infinity. NaN stays, and becomes quiet. */
typedef ushort bfloat;

#define GA_BFLOAT(n, to_uint, to_ushort)                                       \
  static inline float##n ga_from_bfloat##n(const ushort##n bits) {             \
    return as_float##n(to_uint(bits) << 16);                                   \
  }                                                                            \
  static inline ushort##n ga_to_bfloat##n(const float##n v) {                  \
    const uint##n u = as_uint##n(v);                                           \
    const uint##n near = u + (u >> 16 & 1u) + 0x7FFFu;                         \
                                                                               \
    return to_ushort(                                                          \
        select(near, u | 0x400000u, (u & 0x7FFFFFFFu) > 0x7F800000u) >> 16);   \
  }
GA_BFLOAT(, convert_uint, convert_ushort)
GA_BFLOAT(2, convert_uint2, convert_ushort2)
GA_BFLOAT(4, convert_uint4, convert_ushort4)
GA_BFLOAT(8, convert_uint8, convert_ushort8)
GA_BFLOAT(16, convert_uint16, convert_ushort16)

/* One of them in memory, and four of them aligned as one. */
#define ga_load_half(p) vload_half(0, (global const half *)(p))
#define ga_load_bfloat(p) ga_from_bfloat(*(global const ushort *)(p))
#define ga_load_aligned_half4(p) vloada_half4(0, p)
#define ga_load_aligned_bfloat4(p) ga_from_bfloat4(*(global const ushort4 *)(p))
#define ga_store_half(v, p) vstore_half_rte(v, 0, p)
#define ga_store_bfloat(v, p) (*(p) = ga_to_bfloat(v))
#define ga_store_aligned_half4(v, p) vstorea_half4_rte(v, 0, p)
#define ga_store_aligned_bfloat4(v, p)                                         \
  (*(global ushort4 *)(p) = ga_to_bfloat4(v))
