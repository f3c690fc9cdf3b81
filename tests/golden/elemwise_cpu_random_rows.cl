#define W_BOOL int
#define LANES 16
#define EXPR_LANES LANES
#define CHUNKED 1
#define ITEMS 1
#define ga_index long
#define PARAMS \
  global float *ga_g0, const ulong ga_o0, \
  global const float *ga_g1, const ulong ga_o1, \
  global const ulong *ga_g2, const ulong ga_o2, \
  const float ga_a3, \
  const ga_index ga_n0, \
  const ga_index ga_m, \
  const ga_index ga_segs, \
  const ga_index ga_len, \
  const ga_index ga_rows, \
  const ga_index ga_s0_1, \
  const ga_index ga_s1_1, \
  const ga_index ga_s2_1, \
  const ga_index ga_f2
#define POINTERS \
  global float *ga_b0 = (global float *)((global char *)ga_g0 + ga_o0); \
  global const float *ga_b1 = (global const float *)((global const char *)ga_g1 + ga_o1); \
  const ga_philox ga_y2 = ga_philox_open(ga_g2, ga_o2); \
  const ga_index ga_b2 = ga_f2;
#define VALUES \
  const float ga_r3 = ga_a3;
#define STRIP 0
#define ROW_FIRST \
  ga_index ga_q = ga_row; \
  ga_index ga_k1 = ga_q;
#define ROW_NEXT ++ga_k1;
#define ROW_POINTERS \
  global float *ga_p0 = ga_b0 + ga_k1 * ga_s0_1; \
  global const float *ga_p1 = ga_b1 + ga_k1 * ga_s1_1; \
  const ga_index ga_p2 = ga_b2 + ga_k1 * ga_s2_1;
#define EXPR c = a * (b < s ? s : a);
#define AT_2(ga_l, ga_c) ga_uniform_float(ga_y2, (ulong)(ga_p2 + (ga_j + ga_l)))
#define STEP_W \
  { \
    float16 c; \
    float16 a = GA_LOAD16(ga_p1 + ga_j); \
    float16 b = (float16)(GA_LIST16(AT_2)); \
    float16 s = (float16)(ga_r3); \
    EXPR \
    GA_STORE16(c, ga_p0 + ga_j); \
  }
#define STEP_1 \
  { \
    float c; \
    float a = ga_p1[ga_j]; \
    float b = (float)(GA_LIST(AT_2)); \
    float s = (float)(ga_r3); \
    EXPR \
    ga_p0[ga_j] = c; \
  }
