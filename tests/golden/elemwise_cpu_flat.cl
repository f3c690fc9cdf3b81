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
  const ga_index ga_chunk
#define POINTERS \
  global float *ga_p0 = (global float *)((global char *)ga_g0 + ga_o0); \
  global const float *ga_p1 = (global const float *)((global const char *)ga_g1 + ga_o1); \
  global const float *ga_p2 = (global const float *)((global const char *)ga_g2 + ga_o2);
#define VALUES \
  const float ga_r3 = ga_a3;
#define DIGITS 0
#define EXPR c = a + b * s;
#define STEP_W \
  { \
    float16 c; \
    float16 a = GA_LOAD16(ga_p1 + ga_j); \
    float16 b = GA_LOAD16(ga_p2 + ga_j); \
    float16 s = (float16)(ga_r3); \
    EXPR \
    GA_STORE16(c, ga_p0 + ga_j); \
  }
#define STEP_1 \
  { \
    float c; \
    float a = ga_p1[ga_j]; \
    float b = ga_p2[ga_j]; \
    float s = (float)(ga_r3); \
    EXPR \
    ga_p0[ga_j] = c; \
  }
