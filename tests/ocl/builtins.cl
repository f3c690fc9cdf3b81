/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel for each function of OpenCL C that src/codegen/builtins.c knows, for
 * scalars, pairs and vectors of 16; F(f, r, t, u) is one with a result of type
 * r, and operands of types t and u. */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define DOUBLE(...) __VA_ARGS__
#else
#define DOUBLE(...)
#endif

#define F(name, r, t, u, call)                                                 \
  kernel void name(global r *q, global t *p, global u *o) { *q = call; }
#define F_1(f, r, t, u) F(f##_1_##r##_##t, r, t, u, f(*p))
#define F_2(f, r, t, u) F(f##_2_##t##_##u, r, t, u, f(*p, *o))
#define F_3(f, r, t, u) F(f##_3_##t##_##u, r, t, u, f(*p, *o, *o))
#define F_SELECT(f, r, t, u) F(f##_##t##_##u, r, t, u, f(*p, *p, *o))
#define VECTORS(M, f, r, t, u) M(f, r##2, t##2, u) M(f, r##16, t##16, u)
#define WIDTHS(M, f, r, t, u)                                                  \
  M(f, r, t, u) M(f, r##2, t##2, u##2) M(f, r##16, t##16, u##16)
#define SAME(M, f, t) WIDTHS(M, f, t, t, t)
#define FLOATS(M, f) SAME(M, f, float) DOUBLE(SAME(M, f, double))
#define INTEGERS(M, f)                                                         \
  SAME(M, f, char) SAME(M, f, uchar) SAME(M, f, short) SAME(M, f, ushort)      \
  SAME(M, f, int) SAME(M, f, uint) SAME(M, f, long) SAME(M, f, ulong)

F_1(get_global_id, ulong, uint, int) F_1(get_global_size, ulong, uint, int)
F_1(get_group_id, ulong, uint, int) F_1(get_local_id, ulong, uint, int)
F_1(get_local_size, ulong, uint, int) F_1(get_num_groups, ulong, uint, int)
kernel void fences(global int *p) {
  barrier(CLK_LOCAL_MEM_FENCE);
  *p = 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
}

FLOATS(F_1, acos) FLOATS(F_1, acosh) FLOATS(F_1, acospi) FLOATS(F_1, asin)
FLOATS(F_1, asinh) FLOATS(F_1, asinpi) FLOATS(F_1, atan) FLOATS(F_1, atanh)
FLOATS(F_1, atanpi) FLOATS(F_1, cbrt) FLOATS(F_1, ceil) FLOATS(F_1, cos)
FLOATS(F_1, cosh) FLOATS(F_1, cospi) FLOATS(F_1, degrees) FLOATS(F_1, erf)
FLOATS(F_1, erfc) FLOATS(F_1, exp) FLOATS(F_1, exp10) FLOATS(F_1, exp2)
FLOATS(F_1, expm1) FLOATS(F_1, fabs) FLOATS(F_1, floor) FLOATS(F_1, lgamma)
FLOATS(F_1, log) FLOATS(F_1, log10) FLOATS(F_1, log1p) FLOATS(F_1, log2)
FLOATS(F_1, logb) FLOATS(F_1, radians) FLOATS(F_1, rint) FLOATS(F_1, round)
FLOATS(F_1, rsqrt) FLOATS(F_1, sign) FLOATS(F_1, sin) FLOATS(F_1, sinh)
FLOATS(F_1, sinpi) FLOATS(F_1, sqrt) FLOATS(F_1, tan) FLOATS(F_1, tanh)
FLOATS(F_1, tgamma) FLOATS(F_1, trunc)
FLOATS(F_2, atan2) FLOATS(F_2, copysign) FLOATS(F_2, fdim) FLOATS(F_2, fmod)
FLOATS(F_2, hypot) FLOATS(F_2, nextafter) FLOATS(F_2, pow)
FLOATS(F_2, remainder) FLOATS(F_2, fmax) FLOATS(F_2, fmin) FLOATS(F_2, max)
FLOATS(F_2, min) FLOATS(F_3, bitselect) FLOATS(F_3, clamp) FLOATS(F_3, fma)
FLOATS(F_3, mad)
VECTORS(F_2, fmax, float, float, float) VECTORS(F_2, min, float, float, float)
VECTORS(F_3, clamp, float, float, float)
DOUBLE(VECTORS(F_2, fmin, double, double, double))
WIDTHS(F_1, ilogb, int, float, int) DOUBLE(WIDTHS(F_1, ilogb, int, double, int))
WIDTHS(F_2, ldexp, float, float, int) VECTORS(F_2, ldexp, float, float, int)
DOUBLE(WIDTHS(F_2, ldexp, double, double, int))

#define TESTS(f)                                                               \
  WIDTHS(F_1, f, int, float, int)                                              \
  DOUBLE(F_1(f, int, double, int) VECTORS(F_1, f, long, double, int))
TESTS(isfinite) TESTS(isinf) TESTS(isnan) TESTS(isnormal) TESTS(signbit)

WIDTHS(F_1, abs, uchar, char, int) WIDTHS(F_1, abs, ushort, ushort, int)
WIDTHS(F_1, abs, uint, int, int) WIDTHS(F_1, abs, ulong, long, int)
INTEGERS(F_1, clz) INTEGERS(F_1, popcount) INTEGERS(F_2, mul_hi)
INTEGERS(F_2, rotate) INTEGERS(F_2, max) INTEGERS(F_2, min)
INTEGERS(F_3, bitselect) INTEGERS(F_3, clamp)
VECTORS(F_2, max, short, short, short) VECTORS(F_3, clamp, uint, uint, uint)
F_1(all, int, char, int) F_1(all, int, short2, int)
F_1(any, int, int16, int) F_1(any, int, long8, int)
WIDTHS(F_SELECT, select, char, char, uchar)
WIDTHS(F_SELECT, select, ushort, ushort, short)
WIDTHS(F_SELECT, select, int, int, int)
WIDTHS(F_SELECT, select, ulong, ulong, ulong)
WIDTHS(F_SELECT, select, float, float, uint)
DOUBLE(WIDTHS(F_SELECT, select, double, double, long))

#define MEMORY(t, load, store)                                                 \
  kernel void load##_##t(global t *p, local t *l, constant t *c) {             \
    private t r[16];                                                           \
    store(load(0, c), 1, p);                                                   \
    store(load(0, p), 1, l);                                                   \
    store(load(0, l), 0, r);                                                   \
    store(load(0, r), 2, p);                                                   \
  }
MEMORY(char, vload2, vstore2) MEMORY(ushort, vload4, vstore4)
MEMORY(int, vload8, vstore8) MEMORY(ulong, vload16, vstore16)
MEMORY(float, vload4, vstore4) DOUBLE(MEMORY(double, vload2, vstore2))

#define HALVES(load, store)                                                    \
  kernel void load##_half(global half *p, local half *l, constant half *c) {   \
    store(load(0, c), 1, p);                                                   \
    store(load(1, p), 1, l);                                                   \
    store(load(2, l), 2, p);                                                   \
  }
HALVES(vload_half, vstore_half_rte) HALVES(vload_half2, vstore_half2_rte)
HALVES(vload_half4, vstore_half4_rte) HALVES(vload_half8, vstore_half8_rte)
HALVES(vload_half16, vstore_half16_rte) HALVES(vloada_half4, vstorea_half4_rte)

#define FREXP(t, i)                                                            \
  kernel void frexp_##t(global t *p, global i *q) {                            \
    i e;                                                                       \
    *p = frexp(*p, q) + frexp(*p, &e);                                         \
    *q += e;                                                                   \
  }
FREXP(float, int) FREXP(float4, int4) DOUBLE(FREXP(double2, int2))

#define ATOMIC(f, t, ...)                                                      \
  kernel void f##_##t(global t *p, local t *l) {                               \
    *p = f(p __VA_ARGS__) + f(l __VA_ARGS__);                                  \
  }
#define ONE , 1
#define TWO , 1, 2
ATOMIC(atomic_inc, int) ATOMIC(atomic_dec, uint) ATOMIC(atomic_add, int, ONE)
ATOMIC(atomic_and, uint, ONE) ATOMIC(atomic_max, int, ONE)
ATOMIC(atomic_min, uint, ONE) ATOMIC(atomic_or, int, ONE)
ATOMIC(atomic_sub, uint, ONE) ATOMIC(atomic_xor, int, ONE)
ATOMIC(atomic_xchg, uint, ONE) ATOMIC(atomic_xchg, float, ONE)
ATOMIC(atomic_cmpxchg, uint, TWO)
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
ATOMIC(atom_add, long, ONE) ATOMIC(atom_sub, ulong, ONE)
ATOMIC(atom_xchg, long, ONE) ATOMIC(atom_cmpxchg, ulong, TWO)
#endif
#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
ATOMIC(atom_max, long, ONE) ATOMIC(atom_max, ulong, ONE)
#endif
