#define W_BOOL int
#define LANES 4
#define EXPR_LANES LANES
#define CHUNKED 0
#define ITEMS 0
#define ga_index int
#define PARAMS \
  global float *ga_g0, const ulong ga_o0, \
  global const float *ga_g1, const ulong ga_o1, \
  global const float *ga_g2, const ulong ga_o2, \
  const float ga_a3, \
  const ga_index ga_n0, \
  const ga_index ga_m, \
  const ga_index ga_segs, \
  const ga_index ga_s0_1, \
  const ga_index ga_s1_1, \
  const ga_index ga_s2_1
#define POINTERS \
  global float *ga_b0 = (global float *)((global char *)ga_g0 + ga_o0); \
  global const float *ga_b1 = (global const float *)((global const char *)ga_g1 + ga_o1); \
  global const float *ga_b2 = (global const float *)((global const char *)ga_g2 + ga_o2);
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
  global const float *ga_p2 = ga_b2 + ga_k1 * ga_s2_1; \
  const float ga_r2 = ga_p2[0];
#define EXPR c = a + b * s;
#define STEP_W \
  { \
    float4 c; \
    float4 a = *(global const float4 *)(ga_p1 + ga_j); \
    float4 b = (float4)(ga_r2); \
    float4 s = (float4)(ga_r3); \
    EXPR \
    *(global float4 *)(ga_p0 + ga_j) = c; \
  }
#define STEP_1 \
  { \
    float c; \
    float a = ga_p1[ga_j]; \
    float b = (float)(ga_r2); \
    float s = (float)(ga_r3); \
    EXPR \
    ga_p0[ga_j] = c; \
  }
