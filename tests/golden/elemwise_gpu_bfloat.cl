#define W_BOOL int
#define LANES 8
#define EXPR_LANES LANES
#define CHUNKED 0
#define ITEMS 0
#define ga_index int
#define PARAMS \
  global ushort *ga_g0, const ulong ga_o0, \
  global const ushort *ga_g1, const ulong ga_o1, \
  global const ushort *ga_g2, const ulong ga_o2, \
  const ushort ga_a3, \
  const ga_index ga_n
#define POINTERS \
  global ushort *ga_p0 = (global ushort *)((global char *)ga_g0 + ga_o0); \
  global const ushort *ga_p1 = (global const ushort *)((global const char *)ga_g1 + ga_o1); \
  global const ushort *ga_p2 = (global const ushort *)((global const char *)ga_g2 + ga_o2);
#define VALUES \
  const float ga_r3 = ga_from_bfloat(ga_a3);
#define DIGITS 0
#define EXPR c = a + b * s;
#define STEP_W \
  { \
    float8 c; \
    float8 a = ga_from_bfloat8(*(global const ushort8 *)(ga_p1 + ga_j)); \
    float8 b = ga_from_half8(*(global const ushort8 *)(ga_p2 + ga_j)); \
    float8 s = (float8)(ga_r3); \
    EXPR \
    *(global ushort8 *)(ga_p0 + ga_j) = ga_to_bfloat8(c); \
  }
#define STEP_1 \
  { \
    float c; \
    float a = ga_from_bfloat(ga_p1[ga_j]); \
    float b = ga_from_half(ga_p2[ga_j]); \
    float s = (float)(ga_r3); \
    EXPR \
    ga_p0[ga_j] = ga_to_bfloat(c); \
  }
