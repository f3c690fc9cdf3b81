#define W_BOOL int
#define LANES 8
#define EXPR_LANES
#define CHUNKED 1
#define ITEMS 1
#define ga_index long
#define PARAMS \
  global ushort *ga_g0, const ulong ga_o0, \
  global const ushort *ga_g1, const ulong ga_o1, \
  global const ushort *ga_g2, const ulong ga_o2, \
  const ushort ga_a3, \
  const ga_index ga_n, \
  const ga_index ga_chunk
#define POINTERS \
  global ushort *ga_p0 = (global ushort *)((global char *)ga_g0 + ga_o0); \
  global const ushort *ga_p1 = (global const ushort *)((global const char *)ga_g1 + ga_o1); \
  global const ushort *ga_p2 = (global const ushort *)((global const char *)ga_g2 + ga_o2);
#define VALUES \
  const float ga_r3 = ga_from_half(ga_a3);
#define DIGITS 0
#define EXPR c = a > s ? a : b;
#define LANE(ga_l, ga_c) \
  { \
    float c; \
    float a = ga_v1 ga_c; \
    float b = ga_v2 ga_c; \
    float s = ga_r3; \
    EXPR \
    ga_v0 ga_c = c; \
  }
#define STEP_W \
  { \
    float ga_v0[8]; \
    float ga_v1[8]; vstore8(ga_from_half8(GA_LOAD8(ga_p1 + ga_j)), 0, ga_v1); \
    float ga_v2[8]; vstore8(ga_from_half8(GA_LOAD8(ga_p2 + ga_j)), 0, ga_v2); \
    _Pragma("clang loop unroll(disable)") \
    for (int ga_l = 0; ga_l < 8; ++ga_l) \
      LANE(ga_l, [ga_l]) \
    GA_STORE8(ga_to_half8(vload8(0, ga_v0)), ga_p0 + ga_j); \
  }
#define STEP_1 \
  { \
    float ga_v0; \
    float ga_v1 = ga_from_half(ga_p1[ga_j]); \
    float ga_v2 = ga_from_half(ga_p2[ga_j]); \
    GA_EACH(LANE) \
    ga_p0[ga_j] = ga_to_half(ga_v0); \
  }
