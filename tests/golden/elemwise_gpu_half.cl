#define W_BOOL int
#define LANES 8
#define EXPR_LANES LANES
#define CHUNKED 0
#define ga_index int
#define PARAMS \
  global half *ga_g0, const ulong ga_o0, \
  global const half *ga_g1, const ulong ga_o1, \
  global const half *ga_g2, const ulong ga_o2, \
  const ushort ga_a3, \
  const ga_index ga_n
#define POINTERS \
  global half *ga_p0 = (global half *)((global char *)ga_g0 + ga_o0); \
  global const half *ga_p1 = (global const half *)((global const char *)ga_g1 + ga_o1); \
  global const half *ga_p2 = (global const half *)((global const char *)ga_g2 + ga_o2);
#define VALUES \
  const ushort ga_h3 = ga_a3; \
  const float ga_r3 = vload_half(0, (private const half *)&ga_h3);
#define DIGITS 0
#define EXPR c = a + b * s;
#define STEP_W \
  { \
    float8 c; \
    float8 a = vloada_half8(0, ga_p1 + ga_j); \
    float8 b = vloada_half8(0, ga_p2 + ga_j); \
    float8 s = (float8)(ga_r3); \
    EXPR \
    vstorea_half8_rte(c, 0, ga_p0 + ga_j); \
  }
#define STEP_1 \
  { \
    float c; \
    float a = vload_half(ga_j, ga_p1); \
    float b = vload_half(ga_j, ga_p2); \
    float s = (float)(ga_r3); \
    EXPR \
    vstore_half_rte(c, ga_j, ga_p0); \
  }
