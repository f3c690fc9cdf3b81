/* SPDX-License-Identifier: BSD-2-Clause */
/* Many values into one, for the phases of row programs: the blocks of a walk,
 * the lanes of a vector, the work-items of a team, the parts of a row. Macros
 * in front of it, here for the largest and the sum of rows of floats:
 *
 *   #define R_IDX uint              index type, large enough for all counts
 *   #define R_LANES 16              elements per vector
 *   #define R_TEAM 1                work-items that share one row
 *   #define R_GROUP 1               work-items per group
 *   #define R_COMBINE_0(a, b) max(a, b)
 *   #define R_COMBINE_1(a, b) ((a) + (b))
 *
 * C is such a macro, T the plain type of the values. */

/* sum += value, where `excess` is what sum is too large by (Kahan): the error
 * of a sum does not grow with its length. An infinite sum would turn itself
 * into a NaN. */
#define R_COMPENSATE(T, sum, excess, value)                                    \
  {                                                                            \
    const T r_y = (value) - (excess);                                          \
    const T r_z = (sum) + r_y;                                                 \
    const T r_x = (r_z - (sum)) - r_y;                                         \
    excess = r_x - r_x == (T)(0) ? r_x : (T)(0);                               \
    sum = r_z;                                                                 \
  }

/* The number of row `row` of a unit is v. Lanes after the unit's last row, which
 * comes first, have that row's. */
#define R_NUMBER(T, number, v)                                                 \
  if (r_r->row == r_r->last)                                                   \
    number = v;                                                                \
  ((T *)&number)[r_r->row] = v;

/* out = the lanes of v, those half a vector apart first. */
#define R_FOLD(T, C, v, out) GA_JOIN(R_FOLD, R_LANES)(T, C, v, out)
#define R_FOLD1(T, C, v, out) out = v;
#define R_FOLD2(T, C, v, out) out = C((v).s0, (v).s1);
#define R_FOLD4(T, C, v, out)                                                  \
  {                                                                            \
    const GA_JOIN(T, 2) r_2 = C((v).lo, (v).hi);                               \
    R_FOLD2(T, C, r_2, out)                                                    \
  }
#define R_FOLD8(T, C, v, out)                                                  \
  {                                                                            \
    const GA_JOIN(T, 4) r_4 = C((v).lo, (v).hi);                               \
    R_FOLD4(T, C, r_4, out)                                                    \
  }
#define R_FOLD16(T, C, v, out)                                                 \
  {                                                                            \
    const GA_JOIN(T, 8) r_8 = C((v).lo, (v).hi);                               \
    R_FOLD8(T, C, r_8, out)                                                    \
  }

/* v = the values v of a team, in all its work-items and in the same order in
 * each. Every work-item of the group comes here, and once only per `room`. A
 * large team first makes R_JOIN_WIDTH values of its own. */
#if R_TEAM == 1
#define R_JOIN(C, room, v)
#elif R_TEAM <= 32
#define R_JOIN(C, room, v)                                                     \
  room[r_r->me] = v;                                                           \
  barrier(CLK_LOCAL_MEM_FENCE);                                                \
  v = room[r_r->me - r_r->lane];                                               \
  for (uint r_i = 1; r_i < R_TEAM; ++r_i)                                      \
    v = C(v, room[r_r->me - r_r->lane + r_i]);
#else
#define R_JOIN_WIDTH 16
#define R_JOIN(C, room, v)                                                     \
  room[r_r->me] = v;                                                           \
  barrier(CLK_LOCAL_MEM_FENCE);                                                \
  if (r_r->lane < R_JOIN_WIDTH) {                                              \
    for (uint r_i = R_JOIN_WIDTH; r_i < R_TEAM; r_i += R_JOIN_WIDTH)           \
      v = C(v, room[r_r->me + r_i]);                                           \
    room[r_r->me] = v;                                                         \
  }                                                                            \
  barrier(CLK_LOCAL_MEM_FENCE);                                                \
  v = room[r_r->me - r_r->lane];                                               \
  for (uint r_i = 1; r_i < R_JOIN_WIDTH; ++r_i)                                \
    v = C(v, room[r_r->me - r_r->lane + r_i]);
#endif

/* v = v and this work-item's share of what the parts of the row left. */
#define R_REJOIN(C, work, v)                                                   \
  for (R_IDX r_i = r_r->lane; r_i < r_r->parts; r_i += R_TEAM)                 \
    v = C(v, work[(size_t)r_i * r_r->rows + r_r->o]);
