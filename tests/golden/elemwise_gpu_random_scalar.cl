#define W_BOOL int
#define LANES 4
#define EXPR_LANES
#define CHUNKED 0
#define ITEMS 0
#define ga_index int
#define PARAMS \
  global float *ga_g0, const ulong ga_o0, \
  global const float *ga_g1, const ulong ga_o1, \
  global const ulong *ga_g2, const ulong ga_o2, \
  const float ga_a3, \
  const ga_index ga_n, \
  const ga_index ga_f2
#define POINTERS \
  global float *ga_p0 = (global float *)((global char *)ga_g0 + ga_o0); \
  global const float *ga_p1 = (global const float *)((global const char *)ga_g1 + ga_o1); \
  const ga_philox ga_y2 = ga_philox_open(ga_g2, ga_o2); \
  const ga_index ga_p2 = ga_f2;
#define VALUES \
  const float ga_r3 = ga_a3;
#define DIGITS 0
#define EXPR c = a * (b < s ? s : a);
#define LANE(ga_l, ga_c) \
  { \
    float c; \
    float a = ga_v1 ga_c; \
    float b = ga_v2 ga_c; \
    float s = ga_r3; \
    EXPR \
    ga_v0 ga_c = c; \
  }
#define STEP_W \
  { \
    float4 ga_v0; \
    float4 ga_v1 = *(global const float4 *)(ga_p1 + ga_j); \
    float4 ga_v2 = ga_uniform_float4(ga_y2, (ulong)(ga_p2 + ga_j)); \
    GA_EACH4(LANE) \
    *(global float4 *)(ga_p0 + ga_j) = ga_v0; \
  }
#define STEP_1 \
  { \
    float ga_v0; \
    float ga_v1 = ga_p1[ga_j]; \
    float ga_v2 = ga_uniform_float(ga_y2, (ulong)(ga_p2 + ga_j)); \
    GA_EACH(LANE) \
    ga_p0[ga_j] = ga_v0; \
  }
