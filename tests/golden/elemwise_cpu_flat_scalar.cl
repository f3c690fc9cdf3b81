#define W_BOOL int
#define LANES 1
#define EXPR_LANES
#define CHUNKED 1
#define ITEMS 1
#define ga_index long
#define PARAMS \
  global float *ga_g0, const ulong ga_o0, \
  global const float *ga_g1, const ulong ga_o1, \
  global const float *ga_g2, const ulong ga_o2, \
  const float ga_a3, \
  const ga_index ga_n, \
  const ga_index ga_chunk
#define POINTERS \
  global float *ga_p0 = (global float *)((global char *)ga_g0 + ga_o0); \
  global const float *ga_p1 = (global const float *)((global const char *)ga_g1 + ga_o1); \
  global const float *ga_p2 = (global const float *)((global const char *)ga_g2 + ga_o2);
#define VALUES \
  const float ga_r3 = ga_a3;
#define DIGITS 0
#define EXPR c = a + b * s;
#define LANE(ga_l, ga_c) \
  { \
    float c; \
    float a = ga_v1 ga_c; \
    float b = ga_v2 ga_c; \
    float s = ga_r3; \
    EXPR \
    ga_v0 ga_c = c; \
  }
#define STEP_1 \
  { \
    float ga_v0; \
    float ga_v1 = ga_p1[ga_j]; \
    float ga_v2 = ga_p2[ga_j]; \
    GA_EACH(LANE) \
    ga_p0[ga_j] = ga_v0; \
  }
