/* SPDX-License-Identifier: BSD-2-Clause */
/* The names that users' kernels are written against. It stands in front of
 * their text, after one line that depends on the device:
 *
 *   #define GA_WARP_SIZE 32
 */
#ifndef CLUDA_H
#define CLUDA_H

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

#ifndef NULL
#define NULL ((void *)0)
#endif

/* --- where things run and live --- */

#define KERNEL kernel
#define WITHIN_KERNEL
#define GLOBAL_MEM global
#define LOCAL_MEM local
#define LOCAL_MEM_ARG local
#define local_barrier() barrier(CLK_LOCAL_MEM_FENCE)

#define LID_0 get_local_id(0)
#define LID_1 get_local_id(1)
#define LID_2 get_local_id(2)
#define LDIM_0 get_local_size(0)
#define LDIM_1 get_local_size(1)
#define LDIM_2 get_local_size(2)
#define GID_0 get_group_id(0)
#define GID_1 get_group_id(1)
#define GID_2 get_group_id(2)
#define GDIM_0 get_num_groups(0)
#define GDIM_1 get_num_groups(1)
#define GDIM_2 get_num_groups(2)

/* Dynamic local memory is the last argument; the comma is part of it. */
#define GA_DECL_SHARED_PARAM(type, name) , local type *name
#define GA_DECL_SHARED_BODY(type, name)

/* --- types --- */

#include "type_names.cl"

#define ga_byte2 char2
#define ga_byte3 char3
#define ga_byte4 char4
#define ga_byte8 char8
#define ga_byte16 char16
#define ga_ubyte2 uchar2
#define ga_ubyte3 uchar3
#define ga_ubyte4 uchar4
#define ga_ubyte8 uchar8
#define ga_ubyte16 uchar16
#define ga_short2 short2
#define ga_short3 short3
#define ga_short4 short4
#define ga_short8 short8
#define ga_short16 short16
#define ga_ushort2 ushort2
#define ga_ushort3 ushort3
#define ga_ushort4 ushort4
#define ga_ushort8 ushort8
#define ga_ushort16 ushort16
#define ga_int2 int2
#define ga_int3 int3
#define ga_int4 int4
#define ga_int8 int8
#define ga_int16 int16
#define ga_uint2 uint2
#define ga_uint3 uint3
#define ga_uint4 uint4
#define ga_uint8 uint8
#define ga_uint16 uint16
#define ga_long2 long2
#define ga_long3 long3
#define ga_long4 long4
#define ga_long8 long8
#define ga_long16 long16
#define ga_ulong2 ulong2
#define ga_ulong3 ulong3
#define ga_ulong4 ulong4
#define ga_ulong8 ulong8
#define ga_ulong16 ulong16
#define ga_float2 float2
#define ga_float4 float4
#define ga_float8 float8
#define ga_float16 float16
#define ga_double2 double2
#define ga_double4 double4
#define ga_double8 double8
#define ga_double16 double16

/* A half is stored as its bits and worked with as a float, which needs no
 * extension. */
typedef struct _ga_half {
  ushort data;
} ga_half;

static inline float ga_half2float(ga_half h) {
  return vload_half(0, (private const half *)&h.data);
}

static inline ga_half ga_float2half(float f) {
  ga_half h;

  vstore_half_rte(f, 0, (private half *)&h.data);
  return h;
}

/* The same for a bfloat, which is the upper half of a float. */
typedef struct _ga_bfloat {
  ushort data;
} ga_bfloat;

static inline float ga_bfloat2float(ga_bfloat b) {
  return as_float((uint)b.data << 16);
}

static inline ga_bfloat ga_float2bfloat(float f) {
  const uint u = as_uint(f);
  const uint near = u + (u >> 16 & 1u) + 0x7FFFu;
  ga_bfloat b;

  b.data = (ushort)((isnan(f) ? u | 0x400000u : near) >> 16);
  return b;
}

typedef struct _ga_cfloat {
  float r, i;
} ga_cfloat;

#ifdef cl_khr_fp64
typedef struct _ga_cdouble {
  double r, i;
} ga_cdouble;
#endif

/* --- atomics ---
 *
 * atom_add_XY(p, v) and atom_xchg_XY(p, v) return the old value. X is the type
 * (i I l L f d e: int uint long ulong float double half), Y where p points (g
 * l: global, local memory). */

#define atom_add_ig(p, v) atomic_add((volatile global int *)(p), v)
#define atom_add_il(p, v) atomic_add((volatile local int *)(p), v)
#define atom_add_Ig(p, v) atomic_add((volatile global uint *)(p), v)
#define atom_add_Il(p, v) atomic_add((volatile local uint *)(p), v)
#define atom_xchg_ig(p, v) atomic_xchg((volatile global int *)(p), v)
#define atom_xchg_il(p, v) atomic_xchg((volatile local int *)(p), v)
#define atom_xchg_Ig(p, v) atomic_xchg((volatile global uint *)(p), v)
#define atom_xchg_Il(p, v) atomic_xchg((volatile local uint *)(p), v)
#define atom_xchg_fg(p, v) atomic_xchg((volatile global float *)(p), v)
#define atom_xchg_fl(p, v) atomic_xchg((volatile local float *)(p), v)

/* name(p, v) puts `next`, which is made of `old` and v, in place of `old`, the
 * word at `at`, which others may change at the same time. Returns `value`. */
#define GA_EXCHANGE(name, mem, type, word, at, swap, value, next)              \
  static inline type name(volatile mem type *p, type v) {                      \
    volatile mem word *u = (volatile mem word *)(at);                          \
    word seen = *u, old;                                                       \
                                                                               \
    do {                                                                       \
      old = seen;                                                              \
      seen = swap(u, old, next);                                               \
    } while (seen != old);                                                     \
    return value;                                                              \
  }

#define GA_ADD_FLOAT(name, mem)                                                \
  GA_EXCHANGE(name, mem, float, uint, p, atomic_cmpxchg, as_float(old),        \
              as_uint(as_float(old) + v))
GA_ADD_FLOAT(atom_add_fg, global)
GA_ADD_FLOAT(atom_add_fl, local)

/* A half is exchanged with the rest of its 32-bit word. */

static inline uint ga_put_half(uint word, uint shift, ga_half h) {
  return (word & ~(0xffffu << shift)) | ((uint)h.data << shift);
}

static inline ga_half ga_get_half(uint word, uint shift) {
  ga_half h;

  h.data = (ushort)(word >> shift);
  return h;
}

static inline ga_half ga_sum_half(ga_half a, ga_half b) {
  return ga_float2half(ga_half2float(a) + ga_half2float(b));
}

#ifdef __ENDIAN_LITTLE__
#define GA_HALF_SHIFT(p) (((size_t)(p) & 2) * 8)
#else
#define GA_HALF_SHIFT(p) ((2 - ((size_t)(p) & 2)) * 8)
#endif

#define GA_OLD_HALF(p) ga_get_half(old, GA_HALF_SHIFT(p))
#define GA_SET_HALF(name, mem, next)                                           \
  GA_EXCHANGE(name, mem, ga_half, uint, (size_t)p & ~(size_t)3,                \
              atomic_cmpxchg, GA_OLD_HALF(p),                                  \
              ga_put_half(old, GA_HALF_SHIFT(p), next))
GA_SET_HALF(atom_xchg_eg, global, v)
GA_SET_HALF(atom_xchg_el, local, v)
GA_SET_HALF(atom_add_eg, global, ga_sum_half(GA_OLD_HALF(p), v))
GA_SET_HALF(atom_add_el, local, ga_sum_half(GA_OLD_HALF(p), v))

#ifdef cl_khr_int64_base_atomics
#define atom_add_lg(p, v) atom_add((volatile global long *)(p), (long)(v))
#define atom_add_ll(p, v) atom_add((volatile local long *)(p), (long)(v))
#define atom_add_Lg(p, v) atom_add((volatile global ulong *)(p), (ulong)(v))
#define atom_add_Ll(p, v) atom_add((volatile local ulong *)(p), (ulong)(v))
#define atom_xchg_lg(p, v) atom_xchg((volatile global long *)(p), (long)(v))
#define atom_xchg_ll(p, v) atom_xchg((volatile local long *)(p), (long)(v))
#define atom_xchg_Lg(p, v) atom_xchg((volatile global ulong *)(p), (ulong)(v))
#define atom_xchg_Ll(p, v) atom_xchg((volatile local ulong *)(p), (ulong)(v))

#ifdef cl_khr_fp64
#define GA_ADD_DOUBLE(name, mem)                                               \
  GA_EXCHANGE(name, mem, double, ulong, p, atom_cmpxchg, as_double(old),       \
              as_ulong(as_double(old) + v))
GA_ADD_DOUBLE(atom_add_dg, global)
GA_ADD_DOUBLE(atom_add_dl, local)

static inline double atom_xchg_dg(volatile global double *p, double v) {
  return as_double(atom_xchg((volatile global ulong *)p, as_ulong(v)));
}

static inline double atom_xchg_dl(volatile local double *p, double v) {
  return as_double(atom_xchg((volatile local ulong *)p, as_ulong(v)));
}
#endif
#endif

#endif
