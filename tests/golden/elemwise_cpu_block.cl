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
  const ga_index ga_rows, \
  const ga_index ga_len, \
  const ga_index ga_pitch, \
  const ga_index ga_n0, \
  const ga_index ga_n1, \
  const ga_index ga_segs, \
  const ga_index ga_blocks, \
  const ga_index ga_s0_1, \
  const ga_index ga_s1_1, \
  const ga_index ga_s2_0
#define POINTERS \
  global float *ga_b0 = (global float *)((global char *)ga_g0 + ga_o0); \
  global const float *ga_b1 = (global const float *)((global const char *)ga_g1 + ga_o1); \
  global const float *ga_b2 = (global const float *)((global const char *)ga_g2 + ga_o2);
#define VALUES \
  const float ga_r3 = ga_a3;
#define BLOCK 69632
#define LOCALS \
  local uint ga_t2[BLOCK];
#define OUTER
#define PACKS \
  ga_pack_uint(ga_t2, (global const uint *)(ga_b2 + ga_i + ga_from * ga_s2_0), ga_pitch, ga_s2_0, (uint)(ga_i_end - ga_i), (uint)(ga_to - ga_from));
#define ROW_POINTERS \
  global float *ga_p0 = ga_b0 + ga_k1 * ga_s0_1; \
  global const float *ga_p1 = ga_b1 + ga_k1 * ga_s1_1; \
  local const float *ga_p2 = (local const float *)ga_t2 + (ga_k1 - ga_i) * ga_pitch;
#define EXPR c = a + b * s;
#define STEP_W \
  { \
    float16 c; \
    float16 a = GA_LOAD16(ga_p1 + ga_j); \
    float16 b = GA_LOAD_IN(local, 16, ga_p2 + (ga_j - ga_from)); \
    float16 s = (float16)(ga_r3); \
    EXPR \
    GA_STORE16(c, ga_p0 + ga_j); \
  }
#define STEP_1 \
  { \
    float c; \
    float a = ga_p1[ga_j]; \
    float b = ga_p2[(ga_j - ga_from)]; \
    float s = (float)(ga_r3); \
    EXPR \
    ga_p0[ga_j] = c; \
  }
