/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros that declare functions of OpenCL C. src/codegen/builtins.c writes this
 * file in front of a program, and then a line for each function that the
 * program calls, such as B_FLOATS(B_1, exp).
 *
 * M(f, t, w, n) declares f for vectors of n lanes of the type t, where n is
 * nothing for scalars. w is another type, mostly an integer as wide. */
#define B_PURE __attribute__((overloadable, const))
#define B_LOAD __attribute__((overloadable, pure))
#define B_CALL __attribute__((overloadable))

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define B_DOUBLE(...) __VA_ARGS__
#else
#define B_DOUBLE(...)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define B_HALF(...) __VA_ARGS__
#else
#define B_HALF(...)
#endif

/* --- types and widths --- */

#define B_VECTORS(M, f, t, w)                                                  \
  M(f, t, w, 2) M(f, t, w, 4) M(f, t, w, 8) M(f, t, w, 16)
#define B_WIDTHS(M, f, t, w) M(f, t, w, ) B_VECTORS(M, f, t, w)
#define B_FLOATS(M, f)                                                         \
  B_WIDTHS(M, f, float, int)                                                   \
  B_DOUBLE(B_WIDTHS(M, f, double, long)) B_HALF(B_WIDTHS(M, f, half, short))
#define B_SIGNED(M, f)                                                         \
  B_WIDTHS(M, f, char, uchar) B_WIDTHS(M, f, short, ushort)                    \
  B_WIDTHS(M, f, int, uint) B_WIDTHS(M, f, long, ulong)
#define B_UNSIGNED(M, f)                                                       \
  B_WIDTHS(M, f, uchar, uchar) B_WIDTHS(M, f, ushort, ushort)                  \
  B_WIDTHS(M, f, uint, uint) B_WIDTHS(M, f, ulong, ulong)
#define B_INTEGERS(M, f) B_SIGNED(M, f) B_UNSIGNED(M, f)

/* --- work-items --- */

#define B_WORK_ITEM(f) size_t B_PURE f(uint);
#define B_FENCE(f) void B_CALL f(cl_mem_fence_flags);
#define B_BARRIER(f)                                                           \
  void B_CALL __attribute__((convergent)) f(cl_mem_fence_flags);

/* --- floats --- */

#define B_1(f, t, w, n) t##n B_PURE f(t##n);
#define B_2(f, t, w, n) t##n B_PURE f(t##n, t##n);
#define B_3(f, t, w, n) t##n B_PURE f(t##n, t##n, t##n);
#define B_ILOGB(f, t, w, n) int##n B_PURE f(t##n);

/* A scalar may stand beside a vector. */
#define B_FLOAT_VECTORS(M, f)                                                  \
  B_VECTORS(M, f, float, int)                                                  \
  B_DOUBLE(B_VECTORS(M, f, double, long)) B_HALF(B_VECTORS(M, f, half, short))
#define B_LAST(f, t, w, n) t##n B_PURE f(t##n, t);
#define B_FMAX(f) B_FLOATS(B_2, f) B_FLOAT_VECTORS(B_LAST, f)
#define B_SCALE(f, t, w, n) t##n B_PURE f(t##n, int##n);
#define B_SCALE_LAST(f, t, w, n) t##n B_PURE f(t##n, int);
#define B_LDEXP(f) B_FLOATS(B_SCALE, f) B_FLOAT_VECTORS(B_SCALE_LAST, f)

/* Of scalars they are int, of vectors integers as wide as the lanes. */
#define B_TEST(f, t, w, n) w##n B_PURE f(t##n);
#define B_TESTS(f)                                                             \
  int B_PURE f(float);                                                         \
  B_DOUBLE(int B_PURE f(double);) B_HALF(int B_PURE f(half);)                  \
  B_FLOAT_VECTORS(B_TEST, f)

/* --- integers, and all types --- */

#define B_ABS(f, t, w, n) w##n B_PURE f(t##n);
#define B_INTEGER_VECTORS(M, f)                                                \
  B_VECTORS(M, f, char, uchar) B_VECTORS(M, f, uchar, uchar)                   \
  B_VECTORS(M, f, short, ushort) B_VECTORS(M, f, ushort, ushort)               \
  B_VECTORS(M, f, int, uint) B_VECTORS(M, f, uint, uint)                       \
  B_VECTORS(M, f, long, ulong) B_VECTORS(M, f, ulong, ulong)
#define B_MAX(f) B_FMAX(f) B_INTEGERS(B_2, f) B_INTEGER_VECTORS(B_LAST, f)
#define B_LAST_TWO(f, t, w, n) t##n B_PURE f(t##n, t, t);
#define B_CLAMP(f)                                                             \
  B_FLOATS(B_3, f) B_FLOAT_VECTORS(B_LAST_TWO, f)                              \
  B_INTEGERS(B_3, f) B_INTEGER_VECTORS(B_LAST_TWO, f)
#define B_BITSELECT(f) B_FLOATS(B_3, f) B_INTEGERS(B_3, f)

#define B_ANY_1(f, t, w, n) int B_PURE f(t##n);
#define B_ANY(f) B_SIGNED(B_ANY_1, f)

#define B_SELECT_1(f, t, w, n) t##n B_PURE f(t##n, t##n, w##n);
#define B_SELECT_BY(f, t, i, u)                                                \
  B_WIDTHS(B_SELECT_1, f, t, i) B_WIDTHS(B_SELECT_1, f, t, u)
#define B_SELECT(f)                                                            \
  B_SELECT_BY(f, char, char, uchar) B_SELECT_BY(f, uchar, char, uchar)         \
  B_SELECT_BY(f, short, short, ushort) B_SELECT_BY(f, ushort, short, ushort)   \
  B_SELECT_BY(f, int, int, uint) B_SELECT_BY(f, uint, int, uint)               \
  B_SELECT_BY(f, long, long, ulong) B_SELECT_BY(f, ulong, long, ulong)         \
  B_SELECT_BY(f, float, int, uint)                                             \
  B_DOUBLE(B_SELECT_BY(f, double, long, ulong))                                \
  B_HALF(B_SELECT_BY(f, half, short, ushort))

/* --- conversions: of all types to `to`, as vectors of n lanes --- */

#define B_NUMBERS(M, f, w, n)                                                  \
  M(f, char, w, n) M(f, uchar, w, n) M(f, short, w, n) M(f, ushort, w, n)      \
  M(f, int, w, n) M(f, uint, w, n) M(f, long, w, n) M(f, ulong, w, n)          \
  M(f, float, w, n) B_DOUBLE(M(f, double, w, n)) B_HALF(M(f, half, w, n))
#define B_CONVERT_1(f, t, w, n) w##n B_PURE f(t##n);
#define B_CONVERT(to, n, mode)                                                 \
  B_NUMBERS(B_CONVERT_1, convert_##to##n##mode, to, n)

/* --- memory --- */

#ifdef __opencl_c_generic_address_space
#define B_SPACES(M, f, t, n) M(f, t, , n)
#else
#define B_SPACES(M, f, t, n)                                                   \
  M(f, t, global, n) M(f, t, local, n) M(f, t, private, n)
#endif

#define B_VLOAD_FROM(f, t, space, n) t##n B_LOAD f(size_t, space const t *);
#define B_VLOAD_1(f, t, w, n)                                                  \
  B_SPACES(B_VLOAD_FROM, f, t, n) B_VLOAD_FROM(f, t, constant, n)
#define B_VLOAD(n) B_NUMBERS(B_VLOAD_1, vload##n, , n)
#define B_VSTORE_TO(f, t, space, n) void B_CALL f(t##n, size_t, space t *);
#define B_VSTORE_1(f, t, w, n) B_SPACES(B_VSTORE_TO, f, t, n)
#define B_VSTORE(n) B_NUMBERS(B_VSTORE_1, vstore##n, , n)

#define B_LOAD_HALF_FROM(f, t, space, n)                                       \
  t##n B_LOAD f(size_t, space const half *);
#define B_LOAD_HALF(f, n)                                                      \
  B_SPACES(B_LOAD_HALF_FROM, f, float, n)                                      \
  B_LOAD_HALF_FROM(f, float, constant, n)
#define B_STORE_HALF_TO(f, t, space, n)                                        \
  void B_CALL f(t##n, size_t, space half *);
#define B_STORE_HALF(f, n)                                                     \
  B_SPACES(B_STORE_HALF_TO, f, float, n)                                       \
  B_DOUBLE(B_SPACES(B_STORE_HALF_TO, f, double, n))

#define B_FREXP_TO(f, t, space, n) t##n B_CALL f(t##n, space int##n *);
#define B_FREXP_1(f, t, w, n) B_SPACES(B_FREXP_TO, f, t, n)
#define B_FREXP(f) B_FLOATS(B_FREXP_1, f)

/* --- atomics --- */

#define B_ATOMIC_1(f, t, space) t B_CALL f(volatile space t *);
#define B_ATOMIC_2(f, t, space) t B_CALL f(volatile space t *, t);
#define B_ATOMIC_3(f, t, space) t B_CALL f(volatile space t *, t, t);
#define B_BOTH(M, f, t) M(f, t, global) M(f, t, local)
#define B_ATOMIC(M, f) B_BOTH(M, f, int) B_BOTH(M, f, uint)
#define B_EXCHANGE(f) B_ATOMIC(B_ATOMIC_2, f) B_BOTH(B_ATOMIC_2, f, float)
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define B_ATOM(M, f) B_ATOMIC(M, f) B_BOTH(M, f, long) B_BOTH(M, f, ulong)
#else
#define B_ATOM(M, f)
#endif
#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define B_ATOM_EXTENDED(f)                                                     \
  B_ATOMIC(B_ATOMIC_2, f) B_BOTH(B_ATOMIC_2, f, long)                          \
  B_BOTH(B_ATOMIC_2, f, ulong)
#else
#define B_ATOM_EXTENDED(f)
#endif
