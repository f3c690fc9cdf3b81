/* SPDX-License-Identifier: BSD-2-Clause */
/* What generated kernels are written with; it stands in front of their text.
 *
 * The w_ names make text that computes with vectors and with scalars alike:
 * they follow two macros that the text around them defines, and may define
 * anew between two uses of the same expression.
 *
 *   #define W_LANES 16      lanes of a vector: 2, 4, 8, 16; nothing for scalars
 *   #define W_BOOL int      integer as wide as the values that are compared
 *
 * A w_bool is 0 or 1 in scalar text, 0 or -1 per lane in vector text. */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define GA_JOIN_(a, b) a##b
#define GA_JOIN(a, b) GA_JOIN_(a, b)

/* Functions that take pointers to local memory must be inlined: where all calls
 * pass the same array, clang writes it into the function, and PoCL 3.1 then
 * keeps it in static memory, which all work-groups share. */
#define GA_INLINE static __attribute__((always_inline))

/* --- types --- */

#define w_char GA_JOIN(char, W_LANES)
#define w_uchar GA_JOIN(uchar, W_LANES)
#define w_short GA_JOIN(short, W_LANES)
#define w_ushort GA_JOIN(ushort, W_LANES)
#define w_int GA_JOIN(int, W_LANES)
#define w_uint GA_JOIN(uint, W_LANES)
#define w_long GA_JOIN(long, W_LANES)
#define w_ulong GA_JOIN(ulong, W_LANES)
#define w_half GA_JOIN(float, W_LANES) /* stored as half */
#define w_bfloat GA_JOIN(float, W_LANES)
#define w_float GA_JOIN(float, W_LANES)
#define w_double GA_JOIN(double, W_LANES)
#define w_bool GA_JOIN(W_BOOL, W_LANES)

/* --- conversions --- */

/* Mesa 22.3, which compiles through SPIR, compares an int that becomes a long
 * with a constant wrongly, unless a number is added that is 0 when it runs. */
#if defined(__SPIR__) || defined(__SPIR32__) || defined(__SPIR64__)
#define W_HIDE_LONG +(long)(get_global_size(0) == 0)
#else
#define W_HIDE_LONG
#endif

#define w_to_char(v) GA_JOIN(convert_char, W_LANES)(v)
#define w_to_uchar(v) GA_JOIN(convert_uchar, W_LANES)(v)
#define w_to_short(v) GA_JOIN(convert_short, W_LANES)(v)
#define w_to_ushort(v) GA_JOIN(convert_ushort, W_LANES)(v)
#define w_to_int(v) GA_JOIN(convert_int, W_LANES)(v)
#define w_to_uint(v) GA_JOIN(convert_uint, W_LANES)(v)
#define w_to_long(v) (GA_JOIN(convert_long, W_LANES)(v) W_HIDE_LONG)
#define w_to_ulong(v) GA_JOIN(convert_ulong, W_LANES)(v)
#define w_to_half(v) GA_JOIN(convert_float, W_LANES)(v)
#define w_to_bfloat(v) GA_JOIN(convert_float, W_LANES)(v)
#define w_to_float(v) GA_JOIN(convert_float, W_LANES)(v)
#define w_to_double(v) GA_JOIN(convert_double, W_LANES)(v)
#define w_to_bool(v) (!!(v))

/* Of a value v of type f, a float type: the nearest number of the integer type,
 * rounded towards zero, and 0 for NaN. */
#define GA_SAT(to, v, f)                                                       \
  GA_JOIN(GA_JOIN(to, W_LANES), _sat)((v) == (v) ? (v) : (f)(0))
#define w_sat_char(v, f) GA_SAT(convert_char, v, f)
#define w_sat_uchar(v, f) GA_SAT(convert_uchar, v, f)
#define w_sat_short(v, f) GA_SAT(convert_short, v, f)
#define w_sat_ushort(v, f) GA_SAT(convert_ushort, v, f)
#define w_sat_int(v, f) GA_SAT(convert_int, v, f)
#define w_sat_uint(v, f) GA_SAT(convert_uint, v, f)
#define w_sat_long(v, f) GA_SAT(convert_long, v, f)
#define w_sat_ulong(v, f) GA_SAT(convert_ulong, v, f)
#define w_sat_half(v, f) w_to_half(v)
#define w_sat_bfloat(v, f) w_to_bfloat(v)
#define w_sat_float(v, f) w_to_float(v)
#define w_sat_double(v, f) w_to_double(v)
#define w_sat_bool(v, f) w_to_bool(v)

#define GA_ONES(b) ((b) & (w_bool)(1))
#define w_from_bool_char(b) w_to_char(GA_ONES(b))
#define w_from_bool_uchar(b) w_to_uchar(GA_ONES(b))
#define w_from_bool_short(b) w_to_short(GA_ONES(b))
#define w_from_bool_ushort(b) w_to_ushort(GA_ONES(b))
#define w_from_bool_int(b) w_to_int(GA_ONES(b))
#define w_from_bool_uint(b) w_to_uint(GA_ONES(b))
#define w_from_bool_long(b) w_to_long(GA_ONES(b))
#define w_from_bool_ulong(b) w_to_ulong(GA_ONES(b))
#define w_from_bool_half(b) w_to_half(GA_ONES(b))
#define w_from_bool_bfloat(b) w_to_bfloat(GA_ONES(b))
#define w_from_bool_float(b) w_to_float(GA_ONES(b))
#define w_from_bool_double(b) w_to_double(GA_ONES(b))
#define w_from_bool_bool(b) (b)

/* --- floats of a type --- */

#define w_nextafter_float(x, y) nextafter(x, y)
#define w_nextafter_double(x, y) nextafter(x, y)
#define w_nextafter_half(x, y) GA_NEXT(half, 0x1p-24f, x, y)
#define w_nextafter_bfloat(x, y) GA_NEXT(bfloat, 0x1p-133f, x, y)
/* The bits of a narrow float, plus or minus 1. `least` is above 0. */
#define GA_NEXT(type, least, x, y)                                             \
  ((x) == (y) ? (y)                                                            \
   : ((x) != (x)) | ((y) != (y))                                               \
       ? (x) + (y)                                                             \
       : ((x) == (w_float)(0)                                                  \
              ? copysign((w_float)(least), y)                                  \
              : GA_JOIN(ga_from_##type, W_LANES)(                              \
                    GA_JOIN(ga_to_##type, W_LANES)(x) +                        \
                    w_to_ushort(w_to_short(                                    \
                        ((y) > (x)) ^ ((x) > (w_float)(0)) ? (w_float)(-1)     \
                                                           : (w_float)(1))))))

/* --- functions of src/codegen/functions.h ---
 *
 * w_call(f, float)(x) calls f for as many lanes as x has. Half and bfloat are
 * computed as float. */
#define w_call(f, type) GA_JOIN(GA_JOIN(ga_##f##_, GA_REAL_##type), W_LANES)
#define GA_REAL_half float
#define GA_REAL_bfloat float
#define GA_REAL_float float
#define GA_REAL_double double

/* --- integers, one at a time --- */

/* Divisions of 32 bits as soon as these do. */
static inline ulong ga_gcd(ulong a, ulong b) {
  uint x, y;

  while (b >> 32) {
    const ulong rest = a % b;
    a = b;
    b = rest;
  }
  if (b == 0)
    return a;
  for (x = (uint)b, y = (uint)(a % b); y != 0;) {
    const uint rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

static inline ulong ga_lcm(const ulong a, const ulong b) {
  const ulong divisor = ga_gcd(a, b);

  return divisor != 0 ? a / divisor * b : 0;
}

static inline ulong ga_power(ulong x, ulong n) {
  ulong y = 1;

  for (; n != 0; n >>= 1) {
    y *= n & 1 ? x : 1;
    x *= x;
  }
  return y;
}

/* Mesa 22.3 compares an int that was made long wrongly, but not its high half. */
static inline long ga_int_power(const long x, const long n) {
  if ((int)(n >> 32) < 0)
    return x == 1 ? 1 : x == -1 ? 1 - 2 * (n & 1) : 0;
  return (long)ga_power((ulong)x, (ulong)n);
}

/* --- memory: lanes i, i + 1, ... of p, a pointer to the stored type --- */

#define GA_LOAD(p) (*(p))
#define GA_LOAD2(p) GA_LOAD_IN(global, 2, p)
#define GA_LOAD4(p) GA_LOAD_IN(global, 4, p)
#define GA_LOAD8(p) GA_LOAD_IN(global, 8, p)
#define GA_LOAD16(p) GA_LOAD_IN(global, 16, p)
#define GA_STORE(v, p) (*(p) = (v))
#define GA_STORE2(v, p) GA_STORE_IN(global, 2, v, p)
#define GA_STORE4(v, p) GA_STORE_IN(global, 4, v, p)
#define GA_STORE8(v, p) GA_STORE_IN(global, 8, v, p)
#define GA_STORE16(v, p) GA_STORE_IN(global, 16, v, p)

/* PoCL 3.1 makes vload16() of bytes and shorts sixteen loads and keeps them, so
 * there vectors are members of structures that may begin anywhere. */
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define GA_ANYWHERE(n, p)                                                      \
  struct __attribute__((packed)) {                                             \
    __typeof__(vload##n(0, p)) v;                                              \
  }
#define GA_LOAD_IN(space, n, p) (((space const GA_ANYWHERE(n, p) *)(p))->v)
#define GA_STORE_IN(space, n, x, p) (((space GA_ANYWHERE(n, p) *)(p))->v = (x))
#else
#define GA_LOAD_IN(space, n, p) vload##n(0, p)
#define GA_STORE_IN(space, n, x, p) vstore##n(x, 0, p)
#endif

#define w_load(p, i) GA_JOIN(GA_LOAD, W_LANES)((p) + (i))
#define w_load_half(p, i)                                                      \
  GA_JOIN(ga_from_half, W_LANES)(w_load((global const ushort *)(p), i))
#define w_load_bfloat(p, i)                                                    \
  GA_JOIN(ga_from_bfloat, W_LANES)(w_load((global const ushort *)(p), i))
#define w_load_bool(p, i) GA_BOOLS(w_load(p, i))
#define w_store(v, p, i) GA_JOIN(GA_STORE, W_LANES)(v, (p) + (i))
#define w_store_half(v, p, i)                                                  \
  w_store(GA_JOIN(ga_to_half, W_LANES)(v), (global ushort *)(p), i)
#define w_store_bfloat(v, p, i)                                                \
  w_store(GA_JOIN(ga_to_bfloat, W_LANES)(v), (global ushort *)(p), i)
#define w_store_bool(v, p, i) w_store(w_from_bool_uchar(w_to_bool(v)), p, i)

/* Stored bools, a byte each, to w_bool. */
#define GA_BOOLS(v)                                                            \
  GA_JOIN(GA_JOIN(convert_, W_BOOL), W_LANES)(w_to_bool(v))

/* The same where the address is a multiple of the vector's size; `type` is the
 * scalar. Worth it on GPUs, which else load lane by lane. */
#define w_load_aligned(type, p, i)                                             \
  (*(global const GA_JOIN(type, W_LANES) *)((p) + (i)))
#define w_load_aligned_half(p, i)                                              \
  GA_JOIN(ga_from_half, W_LANES)                                               \
  (w_load_aligned(ushort, (global const ushort *)(p), i))
#define w_load_aligned_bfloat(p, i)                                            \
  GA_JOIN(ga_from_bfloat, W_LANES)                                             \
  (w_load_aligned(ushort, (global const ushort *)(p), i))
#define w_load_aligned_bool(p, i) GA_BOOLS(w_load_aligned(uchar, p, i))
#define w_store_aligned(type, v, p, i)                                         \
  (*(global GA_JOIN(type, W_LANES) *)((p) + (i)) = (v))
#define w_store_aligned_half(v, p, i)                                          \
  w_store_aligned(ushort, GA_JOIN(ga_to_half, W_LANES)(v),                     \
                  (global ushort *)(p), i)
#define w_store_aligned_bfloat(v, p, i)                                        \
  w_store_aligned(ushort, GA_JOIN(ga_to_bfloat, W_LANES)(v),                   \
                  (global ushort *)(p), i)
#define w_store_aligned_bool(v, p, i)                                          \
  w_store_aligned(uchar, w_from_bool_uchar(w_to_bool(v)), p, i)

/* What only CPUs profit from: a store that goes around the caches, for results
 * larger than they are, and asking for memory in advance. */
#if defined(__has_builtin) && (defined(__x86_64__) || defined(__aarch64__))
#if __has_builtin(__builtin_nontemporal_store)
#define GA_STREAM(type, n, v, p)                                               \
  if (((size_t)(p) & (sizeof(GA_JOIN(type, n)) - 1)) == 0)                     \
    __builtin_nontemporal_store(v, (global GA_JOIN(type, n) *)(p));            \
  else                                                                         \
    GA_JOIN(GA_STORE, n)(v, p);
#endif
#if __has_builtin(__builtin_prefetch)
#define GA_PREFETCH(p) __builtin_prefetch((const void *)(size_t)(p))
#endif
#endif
#ifndef GA_STREAM
#define GA_STREAM(type, n, v, p) GA_JOIN(GA_STORE, n)(v, p);
#endif

/* --- lane by lane ---
 *
 * f(l, s) is a macro of the lane's number and its component: (w)(W_LIST(f))
 * builds a vector, W_EACH(f) makes one statement per lane. */
#define W_LIST(f) GA_JOIN(GA_LIST, W_LANES)(f)
#define GA_LIST(f) f(0, )
#define GA_LIST2(f) f(0, .s0), f(1, .s1)
#define GA_LIST4(f) GA_LIST2(f), f(2, .s2), f(3, .s3)
#define GA_LIST8(f) GA_LIST4(f), f(4, .s4), f(5, .s5), f(6, .s6), f(7, .s7)
#define GA_LIST16(f)                                                           \
  GA_LIST8(f), f(8, .s8), f(9, .s9), f(10, .sa), f(11, .sb), f(12, .sc),       \
      f(13, .sd), f(14, .se), f(15, .sf)

#define W_EACH(f) GA_JOIN(GA_EACH, W_LANES)(f)
#define GA_EACH(f) f(0, );
#define GA_EACH2(f) f(0, .s0); f(1, .s1);
#define GA_EACH4(f) GA_EACH2(f) f(2, .s2); f(3, .s3);
#define GA_EACH8(f) GA_EACH4(f) f(4, .s4); f(5, .s5); f(6, .s6); f(7, .s7);
#define GA_EACH16(f)                                                           \
  GA_EACH8(f) f(8, .s8); f(9, .s9); f(10, .sa); f(11, .sb); f(12, .sc);        \
  f(13, .sd); f(14, .se); f(15, .sf);

/* --- eight vectors of eight lanes, transposed ---
 *
 * Lane i of v[k] and lane k of v[i] change places, in three rounds that
 * exchange halves, quarters and single elements between pairs of vectors.
 * `type` is that of v[0]. */
#define GA_TURN8(type, v)                                                      \
  GA_TURN_HALVES(type, v, 0, 4)                                                \
  GA_TURN_HALVES(type, v, 1, 5)                                                \
  GA_TURN_HALVES(type, v, 2, 6)                                                \
  GA_TURN_HALVES(type, v, 3, 7)                                                \
  GA_TURN_PAIRS(type, v, 0, 2)                                                 \
  GA_TURN_PAIRS(type, v, 1, 3)                                                 \
  GA_TURN_PAIRS(type, v, 4, 6)                                                 \
  GA_TURN_PAIRS(type, v, 5, 7)                                                 \
  GA_TURN_ONES(type, v, 0, 1)                                                  \
  GA_TURN_ONES(type, v, 2, 3)                                                  \
  GA_TURN_ONES(type, v, 4, 5)                                                  \
  GA_TURN_ONES(type, v, 6, 7)
#define GA_TURN_HALVES(type, v, i, k)                                          \
  {                                                                            \
    const type a_ = v[i], b_ = v[k];                                           \
    v[i] = (type)(a_.lo, b_.lo);                                               \
    v[k] = (type)(a_.hi, b_.hi);                                               \
  }
#define GA_TURN_PAIRS(type, v, i, k)                                           \
  {                                                                            \
    const type a_ = v[i], b_ = v[k];                                           \
    v[i] = (type)(a_.s01, b_.s01, a_.s45, b_.s45);                             \
    v[k] = (type)(a_.s23, b_.s23, a_.s67, b_.s67);                             \
  }
#define GA_TURN_ONES(type, v, i, k)                                            \
  {                                                                            \
    const type a_ = v[i], b_ = v[k];                                           \
    v[i] = (type)(a_.s0, b_.s0, a_.s2, b_.s2, a_.s4, b_.s4, a_.s6, b_.s6);     \
    v[k] = (type)(a_.s1, b_.s1, a_.s3, b_.s3, a_.s5, b_.s5, a_.s7, b_.s7);     \
  }

/* --- names that users' expressions know --- */

#include "type_names.cl"
