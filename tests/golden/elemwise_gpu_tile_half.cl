#define W_BOOL int
#define LANES 8
#define EXPR_LANES
#define CHUNKED 0
#define ITEMS 256
#define ga_index int
#define PARAMS \
  global ushort *ga_g0, const ulong ga_o0, \
  global const ushort *ga_g1, const ulong ga_o1, \
  global const ushort *ga_g2, const ulong ga_o2, \
  const ushort ga_a3, \
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
#define TILE_I 16
#define TILE_J 256
#define LOCALS \
  local ushort ga_t1[TILE_J * (TILE_I + 1)];
#define OUTER \
  ga_index ga_q = ga_outer; \
  ga_index ga_k2 = ga_q;
#define KEEP_1(ga_l, ga_c) ga_t1[ga_at + ga_l] = ga_f1 ga_c
#define FILL_W \
  const ushort8 ga_f1 = vload8(0, (global const ushort *)ga_b1 + ga_k1 + ga_j * ga_s1_0 + ga_k2 * ga_s1_2); GA_EACH8(KEEP_1)
#define FILL_1 \
  ga_t1[ga_at] = *((global const ushort *)ga_b1 + ga_k1 + ga_j * ga_s1_0 + ga_k2 * ga_s1_2);
#define ROW_POINTERS \
  global ushort *ga_p0 = ga_b0 + ga_k1 * ga_s0_1 + ga_k2 * ga_s0_2; \
  local const ushort *ga_p1 = (local const ushort *)ga_t1; \
  global const ushort *ga_p2 = ga_b2 + ga_k1 * ga_s2_1 + ga_k2 * ga_s2_2;
#define EXPR c = a + b * s;
#define AT_1(ga_l, ga_c) ga_from_half(ga_p1[ga_at + ga_l * (TILE_I + 1)])
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
    float8 ga_v0; \
    float8 ga_v2 = ga_from_half8(*(global const ushort8 *)(ga_p2 + ga_j)); \
    GA_EACH8(LANE) \
    *(global ushort8 *)(ga_p0 + ga_j) = ga_to_half8(ga_v0); \
  }
#define STEP_1 \
  { \
    float ga_v0; \
    float ga_v2 = ga_from_half(ga_p2[ga_j]); \
    GA_EACH(LANE) \
    ga_p0[ga_j] = ga_to_half(ga_v0); \
  }
