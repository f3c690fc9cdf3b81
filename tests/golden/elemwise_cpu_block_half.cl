#define W_BOOL int
#define LANES 16
#define EXPR_LANES LANES
#define CHUNKED 1
#define ga_index long
#define PARAMS \
  global half *ga_g0, const ulong ga_o0, \
  global const half *ga_g1, const ulong ga_o1, \
  global const half *ga_g2, const ulong ga_o2, \
  const ushort ga_a3, \
  const ga_index ga_n0, \
  const ga_index ga_m, \
  const ga_index ga_segs, \
  const ga_index ga_len, \
  const ga_index ga_rows, \
  const ga_index ga_n1, \
  const ga_index ga_s0_1, \
  const ga_index ga_s0_2, \
  const ga_index ga_s1_0, \
  const ga_index ga_s1_1, \
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
#define ROW_FIRST \
  ga_index ga_q = ga_row; \
  ga_index ga_k1 = ga_q % (ga_index)(ga_n1); \
  ga_q /= (ga_index)(ga_n1); \
  ga_index ga_k2 = ga_q;
#define ROW_NEXT ++ga_k1; \
  if (ga_k1 == ga_n1) { ga_k1 = 0; ++ga_k2; }
#define ROW_POINTERS \
  global half *ga_p0 = ga_b0 + ga_k1 * ga_s0_1 + ga_k2 * ga_s0_2; \
  global const half *ga_p1 = ga_b1 + ga_k1 * ga_s1_1 + ga_k2 * ga_s1_2; \
  global const half *ga_p2 = ga_b2 + ga_k1 * ga_s2_1 + ga_k2 * ga_s2_2;
#define EXPR c = a + b * s;
#define AT_1(ga_l, ga_c) vload_half((ga_j + ga_l) * ga_s1_0, ga_p1)
#define STEP_W \
  { \
    float16 c; \
    float16 a = (float16)(GA_LIST16(AT_1)); \
    float16 b = vload_half16(0, ga_p2 + ga_j); \
    float16 s = (float16)(ga_r3); \
    EXPR \
    vstore_half16_rte(c, 0, ga_p0 + ga_j); \
  }
#define STEP_1 \
  { \
    float c; \
    float a = (float)(GA_LIST(AT_1)); \
    float b = vload_half(ga_j, ga_p2); \
    float s = (float)(ga_r3); \
    EXPR \
    vstore_half_rte(c, ga_j, ga_p0); \
  }
