#define W_BOOL int
#define LANES 8
#define EXPR_LANES
#define CHUNKED 0
#define ga_index int
#define PARAMS \
  global half *ga_g0, const ulong ga_o0, \
  global const half *ga_g1, const ulong ga_o1, \
  global const half *ga_g2, const ulong ga_o2, \
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
  global half *ga_b0 = (global half *)((global char *)ga_g0 + ga_o0); \
  global const half *ga_b1 = (global const half *)((global const char *)ga_g1 + ga_o1); \
  global const half *ga_b2 = (global const half *)((global const char *)ga_g2 + ga_o2);
#define VALUES \
  const ushort ga_h3 = ga_a3; \
  const float ga_r3 = vload_half(0, (private const half *)&ga_h3);
#define TILE_I 8
#define TILE_J 512
#define ITEMS 256
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
  global half *ga_p0 = ga_b0 + ga_k1 * ga_s0_1 + ga_k2 * ga_s0_2; \
  local const half *ga_p1 = (local const half *)ga_t1; \
  global const half *ga_p2 = ga_b2 + ga_k1 * ga_s2_1 + ga_k2 * ga_s2_2;
#define EXPR c = a + b * s;
#define AT_1(ga_l, ga_c) vload_half(ga_at + ga_l * (TILE_I + 1), ga_p1)
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
    float8 ga_v2 = vloada_half8(0, ga_p2 + ga_j); \
    GA_EACH8(LANE) \
    vstorea_half8_rte(ga_v0, 0, ga_p0 + ga_j); \
  }
#define STEP_1 \
  { \
    float ga_v0; \
    float ga_v2 = vload_half(ga_j, ga_p2); \
    GA_EACH(LANE) \
    vstore_half_rte(ga_v0, ga_j, ga_p0); \
  }
