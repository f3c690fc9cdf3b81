#define W_BOOL int
#define LANES 16
#define EXPR_LANES LANES
#define CHUNKED 1
#define ITEMS 1
#define ga_index long
#define PARAMS \
  global float *ga_g0, const ulong ga_o0, \
  global const float *ga_g1, const ulong ga_o1, \
  global const float *ga_g2, const ulong ga_o2, \
  const float ga_a3, \
  const ga_index ga_n, \
  const ga_index ga_chunk, \
  const ga_index ga_s1_0
#define POINTERS \
  global float *ga_p0 = (global float *)((global char *)ga_g0 + ga_o0); \
  global const float *ga_p1 = (global const float *)((global const char *)ga_g1 + ga_o1); \
  global const float *ga_b2 = (global const float *)((global const char *)ga_g2 + ga_o2);
#define VALUES \
  const float ga_r2 = ga_b2[0]; \
  const float ga_r3 = ga_a3;
#define DIGITS 0
#define EXPR c = a + b * s;
#define AT_1(ga_l, ga_c) ga_p1[(ga_j + ga_l) * ga_s1_0]
#define STEP_W \
  { \
    float16 c; \
    float16 a = (float16)(GA_LIST16(AT_1)); \
    float16 b = (float16)(ga_r2); \
    float16 s = (float16)(ga_r3); \
    EXPR \
    GA_STORE16(c, ga_p0 + ga_j); \
  }
#define STEP_1 \
  { \
    float c; \
    float a = (float)(GA_LIST(AT_1)); \
    float b = (float)(ga_r2); \
    float s = (float)(ga_r3); \
    EXPR \
    ga_p0[ga_j] = c; \
  }
