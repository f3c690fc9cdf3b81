#define W_BOOL int
#define LANES 16
#define EXPR_LANES LANES
#define CHUNKED 1
#define ITEMS 1
#define ga_index long
#define PARAMS \
  global ushort *ga_g0, const ulong ga_o0, \
  global const ushort *ga_g1, const ulong ga_o1, \
  global const ushort *ga_g2, const ulong ga_o2, \
  const ushort ga_a3, \
  const ga_index ga_rows, \
  const ga_index ga_len, \
  const ga_index ga_pitch, \
  const ga_index ga_n0, \
  const ga_index ga_n1, \
  const ga_index ga_segs, \
  const ga_index ga_blocks, \
  const ga_index ga_s0_1, \
  const ga_index ga_s0_2, \
  const ga_index ga_s1_0, \
  const ga_index ga_s1_2, \
  const ga_index ga_s2_1, \
  const ga_index ga_s2_2
#define POINTERS \
  global ushort *ga_b0 = (global ushort *)((global char *)ga_g0 + ga_o0); \
  global const ushort *ga_b1 = (global const ushort *)((global const char *)ga_g1 + ga_o1); \
  global const ushort *ga_b2 = (global const ushort *)((global const char *)ga_g2 + ga_o2);
#define VALUES \
  const float ga_r3 = ga_from_half(ga_a3);
#define BLOCK 69632
#define LOCALS \
  local ushort ga_t1[BLOCK];
#define OUTER \
  ga_index ga_q = ga_outer; \
  ga_index ga_k2 = ga_q;
#define PACKS \
  ga_pack_ushort(ga_t1, (global const ushort *)(ga_b1 + ga_i + ga_from * ga_s1_0 + ga_k2 * ga_s1_2), ga_pitch, ga_s1_0, (uint)(ga_i_end - ga_i), (uint)(ga_to - ga_from));
#define ROW_POINTERS \
  global ushort *ga_p0 = ga_b0 + ga_k1 * ga_s0_1 + ga_k2 * ga_s0_2; \
  local const ushort *ga_p1 = (local const ushort *)ga_t1 + (ga_k1 - ga_i) * ga_pitch; \
  global const ushort *ga_p2 = ga_b2 + ga_k1 * ga_s2_1 + ga_k2 * ga_s2_2;
#define EXPR c = a + b * s;
#define STEP_W \
  { \
    float16 c; \
    float16 a = ga_from_half16(GA_LOAD_IN(local, 16, ga_p1 + (ga_j - ga_from))); \
    float16 b = ga_from_half16(GA_LOAD16(ga_p2 + ga_j)); \
    float16 s = (float16)(ga_r3); \
    EXPR \
    GA_STORE16(ga_to_half16(c), ga_p0 + ga_j); \
  }
#define STEP_1 \
  { \
    float c; \
    float a = ga_from_half(ga_p1[(ga_j - ga_from)]); \
    float b = ga_from_half(ga_p2[ga_j]); \
    float s = (float)(ga_r3); \
    EXPR \
    ga_p0[ga_j] = ga_to_half(c); \
  }
