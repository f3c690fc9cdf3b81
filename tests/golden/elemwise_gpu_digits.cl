#define W_BOOL int
#define LANES 4
#define EXPR_LANES
#define CHUNKED 0
#define ITEMS 0
#define ga_index int
#define PARAMS \
  global float *ga_g0, const ulong ga_o0, \
  global const float *ga_g1, const ulong ga_o1, \
  global const float *ga_g2, const ulong ga_o2, \
  const float ga_a3, \
  const ga_index ga_n, \
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
  int4 ga_q = (int4)(ga_j) + (int4)(GA_LIST4(LANE_NUMBER)); \
  int4 ga_k0 = ga_q % (int4)(ga_n0); \
  ga_q /= (int4)(ga_n0); \
  int4 ga_k1 = ga_q;
#define DIGITS_NEXT \
  ga_index ga_t = LANES; \
  int4 ga_c = 0; \
  ga_k0 += ga_t % ga_n0 - ga_c; \
  ga_c = (ga_n0 - 1 - ga_k0) >> 31; \
  ga_k0 -= ga_c & ga_n0; \
  ga_t /= ga_n0; \
  ga_k1 += ga_t - ga_c;
#define INDICES_W \
  const int4 ga_i1 = ga_k0 * (int4)(ga_s1_0) + ga_k1 * (int4)(ga_s1_1);
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
#define LANE(ga_l, ga_c) \
  { \
    float c; \
    float a = AT_1(ga_l, ga_c); \
    float b = ga_v2 ga_c; \
    float s = ga_r3; \
    EXPR \
    ga_v0 ga_c = c; \
  }
#define STEP_W \
  { \
    float4 ga_v0; \
    float4 ga_v2 = *(global const float4 *)(ga_p2 + ga_j); \
    GA_EACH4(LANE) \
    *(global float4 *)(ga_p0 + ga_j) = ga_v0; \
  }
#define STEP_1 \
  { \
    float ga_v0; \
    float ga_v2 = ga_p2[ga_j]; \
    GA_EACH(LANE) \
    ga_p0[ga_j] = ga_v0; \
  }
