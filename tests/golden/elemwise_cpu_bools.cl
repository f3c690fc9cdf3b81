#define W_BOOL int
#define LANES 16
#define EXPR_LANES LANES
#define CHUNKED 1
#define ITEMS 1
#define ga_index long
#define PARAMS \
  global uchar *ga_g0, const ulong ga_o0, \
  global const float *ga_g1, const ulong ga_o1, \
  global const uchar *ga_g2, const ulong ga_o2, \
  const uchar ga_a3, \
  const ga_index ga_n0, \
  const ga_index ga_m, \
  const ga_index ga_segs, \
  const ga_index ga_len, \
  const ga_index ga_rows, \
  const ga_index ga_s0_1, \
  const ga_index ga_s1_1, \
  const ga_index ga_s2_1
#define POINTERS \
  global uchar *ga_b0 = (global uchar *)((global char *)ga_g0 + ga_o0); \
  global const float *ga_b1 = (global const float *)((global const char *)ga_g1 + ga_o1); \
  global const uchar *ga_b2 = (global const uchar *)((global const char *)ga_g2 + ga_o2);
#define VALUES \
  const int ga_r3 = ga_a3 != 0;
#define STRIP 0
#define ROW_FIRST \
  ga_index ga_q = ga_row; \
  ga_index ga_k1 = ga_q;
#define ROW_NEXT ++ga_k1;
#define ROW_POINTERS \
  global uchar *ga_p0 = ga_b0 + ga_k1 * ga_s0_1; \
  global const float *ga_p1 = ga_b1 + ga_k1 * ga_s1_1; \
  global const uchar *ga_p2 = ga_b2 + ga_k1 * ga_s2_1; \
  const int ga_r2 = (ga_p2[0] != 0);
#define EXPR c = (a > (w_float)(0.5f)) & b & s;
#define STEP_W \
  { \
    w_bool c; \
    float16 a = GA_LOAD16(ga_p1 + ga_j); \
    w_bool b = (w_bool)(-ga_r2); \
    w_bool s = (w_bool)(-ga_r3); \
    EXPR \
    GA_STORE16(w_from_bool_uchar(w_to_bool(c)), ga_p0 + ga_j); \
  }
#define STEP_1 \
  { \
    w_bool c; \
    float a = ga_p1[ga_j]; \
    w_bool b = (w_bool)(ga_r2); \
    w_bool s = (w_bool)(ga_r3); \
    EXPR \
    ga_p0[ga_j] = w_from_bool_uchar(w_to_bool(c)); \
  }
