#define W_BOOL int
#define LANES 16
#define EXPR_LANES LANES
#define CHUNKED 1
#define ITEMS 1
#define ga_index int
#define PARAMS \
  global float *ga_g0, const ulong ga_o0, \
  global const float *ga_g1, const ulong ga_o1, \
  global const float *ga_g2, const ulong ga_o2, \
  const float ga_a3, \
  const ga_index ga_n, \
  const ga_index ga_chunk, \
  const ga_index ga_n0, \
  const ga_index ga_n1, \
  const ga_index ga_s1_0, \
  const ga_index ga_s1_1
#define POINTERS \
  global float *ga_p0 = (global float *)((global char *)ga_g0 + ga_o0); \
  global const float *ga_p1 = (global const float *)((global const char *)ga_g1 + ga_o1); \
  global const float *ga_p2 = (global const float *)((global const char *)ga_g2 + ga_o2);
#define VALUES \
  const float ga_r3 = ga_a3;
#define LANE_NUMBER(ga_l, ga_c) ga_l
#define DIGITS_W \
  int16 ga_q = (int16)(ga_j) + (int16)(GA_LIST16(LANE_NUMBER)); \
  int16 ga_k0 = ga_q % (int16)(ga_n0); \
  ga_q /= (int16)(ga_n0); \
  int16 ga_k1 = ga_q;
#define DIGITS_NEXT \
  ga_index ga_t = LANES; \
  int16 ga_c = 0; \
  ga_k0 += ga_t % ga_n0 - ga_c; \
  ga_c = (ga_n0 - 1 - ga_k0) >> 31; \
  ga_k0 -= ga_c & ga_n0; \
  ga_t /= ga_n0; \
  ga_k1 += ga_t - ga_c;
#define INDICES_W \
  const int16 ga_i1 = ga_k0 * (int16)(ga_s1_0) + ga_k1 * (int16)(ga_s1_1);
#define DIGITS_1 \
  ga_index ga_q = ga_j; \
  ga_index ga_k0 = ga_q % (ga_index)(ga_n0); \
  ga_q /= (ga_index)(ga_n0); \
  ga_index ga_k1 = ga_q;
#define INDICES_1 \
  const ga_index ga_i1 = ga_k0 * (ga_index)(ga_s1_0) + ga_k1 * (ga_index)(ga_s1_1);
#define DIGITS 1
#define EXPR c = a + b * s;
#define AT_1(ga_l, ga_c) ga_p1[ga_i1 ga_c]
#define STEP_W \
  { \
    float16 c; \
    float16 a = (float16)(GA_LIST16(AT_1)); \
    float16 b = GA_LOAD16(ga_p2 + ga_j); \
    float16 s = (float16)(ga_r3); \
    EXPR \
    GA_STORE16(c, ga_p0 + ga_j); \
  }
#define STEP_1 \
  { \
    float c; \
    float a = (float)(GA_LIST(AT_1)); \
    float b = ga_p2[ga_j]; \
    float s = (float)(ga_r3); \
    EXPR \
    ga_p0[ga_j] = c; \
  }
