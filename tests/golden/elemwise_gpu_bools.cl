#define W_BOOL int
#define LANES 4
#define EXPR_LANES
#define CHUNKED 0
#define ITEMS 0
#define ga_index int
#define PARAMS \
  global uchar *ga_g0, const ulong ga_o0, \
  global const float *ga_g1, const ulong ga_o1, \
  global const uchar *ga_g2, const ulong ga_o2, \
  const uchar ga_a3, \
  const ga_index ga_n
#define POINTERS \
  global uchar *ga_p0 = (global uchar *)((global char *)ga_g0 + ga_o0); \
  global const float *ga_p1 = (global const float *)((global const char *)ga_g1 + ga_o1); \
  global const uchar *ga_p2 = (global const uchar *)((global const char *)ga_g2 + ga_o2);
#define VALUES \
  const int ga_r3 = ga_a3 != 0;
#define DIGITS 0
#define EXPR c = a > 0.5f && b && s;
#define LANE(ga_l, ga_c) \
  { \
    int c; \
    float a = ga_v1 ga_c; \
    int b = ga_v2 ga_c != 0; \
    int s = ga_r3; \
    EXPR \
    ga_v0 ga_c = (c) != 0; \
  }
#define STEP_W \
  { \
    uchar4 ga_v0; \
    float4 ga_v1 = *(global const float4 *)(ga_p1 + ga_j); \
    uchar4 ga_v2 = *(global const uchar4 *)(ga_p2 + ga_j); \
    GA_EACH4(LANE) \
    *(global uchar4 *)(ga_p0 + ga_j) = ga_v0; \
  }
#define STEP_1 \
  { \
    uchar ga_v0; \
    float ga_v1 = ga_p1[ga_j]; \
    uchar ga_v2 = ga_p2[ga_j]; \
    GA_EACH(LANE) \
    ga_p0[ga_j] = ga_v0; \
  }
