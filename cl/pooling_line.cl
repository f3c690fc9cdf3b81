/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of kernels that go along rows: `line` has values, and `places`
 * positions. */

#define P_PUT(v, p) (*(p) = (v))
#define P_PUT4(v, p) GA_STORE_IN(private, 4, v, p)
#define P_PUT8(v, p) GA_STORE_IN(private, 8, v, p)
#define P_PUT16(v, p) GA_STORE_IN(private, 16, v, p)
#define P_GET(p) (*(p))
#define P_GET4(p) GA_LOAD_IN(private, 4, p)
#define P_GET8(p) GA_LOAD_IN(private, 8, p)
#define P_GET16(p) GA_LOAD_IN(private, 16, p)

/* Elements of a line at `at`, one per lane. If windows rise, so does `at`, from
 * lane to lane; where it spans less than two vectors, one instruction picks the
 * elements from these. */
#define P_PICKED(l, s) line[at s]
#define P_PLACED_AT(l, s) places[at s]
#if P_RISING && P_LANES == 16 && defined(__AVX512F__) &&                       \
    __has_builtin(__builtin_ia32_vpermi2varps512) &&                           \
    __has_builtin(__builtin_ia32_vpermi2vard512)
typedef struct __attribute__((packed)) {
  float16 v;
} p_floats;
typedef struct __attribute__((packed)) {
  int16 v;
} p_ints;
#define P_IS_NEAR (at.sf - at.s0 < 32)
#define P_PAIR(type, x, i) (((private const type *)(x + at.s0))[i].v)
#define P_NEAR_VALUES                                                          \
  __builtin_ia32_vpermi2varps512(P_PAIR(p_floats, line, 0), at - at.s0,        \
                                 P_PAIR(p_floats, line, 1))
#define P_NEAR_PLACES                                                          \
  __builtin_ia32_vpermi2vard512(P_PAIR(p_ints, places, 0), at - at.s0,         \
                                P_PAIR(p_ints, places, 1))
#define P_VALUES_NEAR (P_IS_NEAR ? P_NEAR_VALUES : (P_VALUE)(W_LIST(P_PICKED)))
#define P_PLACES_NEAR                                                          \
  (P_IS_NEAR ? P_NEAR_PLACES : (P_PLACES)(W_LIST(P_PLACED_AT)))
#else
#define P_VALUES_NEAR ((P_VALUE)(W_LIST(P_PICKED)))
#define P_PLACES_NEAR ((P_PLACES)(W_LIST(P_PLACED_AT)))
#endif
#define P_VALUES_EACH ((P_VALUE)(W_LIST(P_PICKED)))
#define P_PLACES_EACH ((P_PLACES)(W_LIST(P_PLACED_AT)))
#if P_RISING
#define P_POSITION first + min((w_int)(k), count - 1) * (int)p_step0
#else
#define P_POSITION is_in ? first + k * (int)p_step0 : (w_int)(0)
#endif
#define P_WIDEN(v) GA_JOIN(GA_JOIN(convert_, P_PLACE), W_LANES)(v)
