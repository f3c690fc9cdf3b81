#define W_BOOL int
#define LANES 4
#define EXPR_LANES LANES
#define CHUNKED 0
#define ITEMS 256
#define ga_index int
#define PARAMS \
  global float *ga_g0, const ulong ga_o0, \
  global const float *ga_g1, const ulong ga_o1, \
  global const float *ga_g2, const ulong ga_o2, \
  const float ga_a3
#define ga_n0 ((ga_index)400)
#define ga_n1 ((ga_index)9)
#define ga_segs ((ga_index)2)
#define ga_blocks ((ga_index)1)
#define ga_s0_1 ((ga_index)120000)
#define ga_s0_2 ((ga_index)400)
#define ga_s1_0 ((ga_index)9)
#define ga_s1_2 ((ga_index)0)
#define ga_s2_1 ((ga_index)400)
#define ga_s2_2 ((ga_index)0)
#define POINTERS \
  global float *ga_b0 = (global float *)((global char *)ga_g0 + ga_o0); \
  global const float *ga_b1 = (global const float *)((global const char *)ga_g1 + ga_o1); \
  global const float *ga_b2 = (global const float *)((global const char *)ga_g2 + ga_o2);
#define VALUES \
  const float ga_r3 = ga_a3;
#define TILE_I 16
#define TILE_J 256
#define LOCALS \
  local uint ga_t1[TILE_J * (TILE_I + 1)];
#define OUTER \
  ga_index ga_q = ga_outer; \
  ga_index ga_k2 = ga_q;
#define KEEP_1(ga_l, ga_c) ga_t1[ga_at + ga_l] = ga_f1 ga_c
#define FILL_W \
  const uint4 ga_f1 = vload4(0, (global const uint *)ga_b1 + ga_k1 + ga_j * ga_s1_0 + ga_k2 * ga_s1_2); GA_EACH4(KEEP_1)
#define FILL_1 \
  ga_t1[ga_at] = *((global const uint *)ga_b1 + ga_k1 + ga_j * ga_s1_0 + ga_k2 * ga_s1_2);
#define ROW_POINTERS \
  global float *ga_p0 = ga_b0 + ga_k1 * ga_s0_1 + ga_k2 * ga_s0_2; \
  local const float *ga_p1 = (local const float *)ga_t1; \
  global const float *ga_p2 = ga_b2 + ga_k1 * ga_s2_1 + ga_k2 * ga_s2_2;
#define EXPR c = a + b * s;
#define AT_1(ga_l, ga_c) ga_p1[ga_at + ga_l * (TILE_I + 1)]
#define STEP_W \
  { \
    float4 c; \
    float4 a = (float4)(GA_LIST4(AT_1)); \
    float4 b = *(global const float4 *)(ga_p2 + ga_j); \
    float4 s = (float4)(ga_r3); \
    EXPR \
    *(global float4 *)(ga_p0 + ga_j) = c; \
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
