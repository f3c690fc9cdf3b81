/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of vectors that PoCL 3.1 computes wrongly (docs/devices.md), and
 * others instead. src/ocl/kernel/program_text.c writes a line for each function
 * that a program calls, such as V_TURN(ga_sin, sin, V_SIN), and defines sin as
 * ga_sin for what follows. */
#define V_FUNCTION static inline __attribute__((overloadable))
#ifdef cl_khr_fp64
#define V_DOUBLE(...) __VA_ARGS__
#else
#define V_DOUBLE(...)
#endif

/* If one element is infinite or above 1e6, those near 0 are wrong: here they
 * come from the first terms of a series. */
#define V_SIN(x, square) (x) * (1 - (square) * (1.0f / 6))
#define V_COS(x, square) 1 - (square) * (0.5f - (square) * (1.0f / 24))
#define V_TAN(x, square) (x) * (1 + (square) * (1.0f / 3))
#define V_TURN_FLOAT(name, f, near, t)                                         \
  V_FUNCTION t name(t x) {                                                     \
    const t square = x * x;                                                    \
    return square < 6.1035156e-5f /* 2^-14 */ ? near(x, square) : f(x);        \
  }
#define V_TURN_SAME(name, f, t)                                                \
  V_FUNCTION t name(t x) {                                                     \
    return f(x);                                                               \
  }
#define V_TURN(name, f, near)                                                  \
  V_TURN_SAME(name, f, float)                                                  \
  V_TURN_FLOAT(name, f, near, float2)                                          \
  V_TURN_FLOAT(name, f, near, float4)                                          \
  V_TURN_FLOAT(name, f, near, float8)                                          \
  V_TURN_FLOAT(name, f, near, float16)                                         \
  V_DOUBLE(V_TURN_SAME(name, f, double) V_TURN_SAME(name, f, double2)          \
               V_TURN_SAME(name, f, double4) V_TURN_SAME(name, f, double8)     \
                   V_TURN_SAME(name, f, double16))

/* Powers of 8 or 16 doubles are wrong if another one is 0, subnormal, infinite or
 * NaN, and remainders now and then; those of 4 are right. */
#define V_PAIR_SAME(name, f, t)                                                \
  V_FUNCTION t name(t x, t y) {                                                \
    return f(x, y);                                                            \
  }
#define V_PAIR_HALVES(name, t)                                                 \
  V_FUNCTION t name(t x, t y) {                                                \
    return (t)(name(x.lo, y.lo), name(x.hi, y.hi));                            \
  }
#define V_PAIR(name, f)                                                        \
  V_PAIR_SAME(name, f, float)                                                  \
  V_PAIR_SAME(name, f, float2)                                                 \
  V_PAIR_SAME(name, f, float4)                                                 \
  V_PAIR_SAME(name, f, float8)                                                 \
  V_PAIR_SAME(name, f, float16)                                                \
  V_DOUBLE(V_PAIR_SAME(name, f, double) V_PAIR_SAME(name, f, double2)          \
               V_PAIR_SAME(name, f, double4) V_PAIR_HALVES(name, double8)      \
                   V_PAIR_HALVES(name, double16))
