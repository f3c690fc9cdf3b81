#define EPILOGUE
#define P_PARAMS , global char *p_b0, ulong p_o0, long p_r0, long p_c0, global char *p_b1, ulong p_o1, long p_r1, long p_c1, uchar p_v2, global char *p_b3, ulong p_o3, long p_r3, long p_c3, global char *p_b4, ulong p_o4, long p_r4, long p_c4
#define P_ARGS , p_b0, p_o0, p_r0, p_c0, p_b1, p_o1, p_r1, p_c1, p_v2, p_b3, p_o3, p_r3, p_c3, p_b4, p_o4, p_r4, p_c4
#define W_LANES 4
#define W_BOOL int
#define P_VALUES
typedef struct p_values {
  w_half bias;
  w_uchar m;
  w_float t;
} p_values;
static p_values p_read_v(long p_i, long p_j P_PARAMS) {
  global char *p_q1 = p_b1 + p_o1 + p_i * p_r1 + p_j * p_c1;
  const w_half bias = (w_half)(ga_load_half(p_q1));
  global char *p_q3 = p_b3 + p_o3 + p_i * p_r3 + p_j * p_c3;
#define W_LANE(l, s) *(global const uchar *)(p_q3 + l * p_c3)
  const w_uchar m = (w_uchar)(W_LIST(W_LANE));
#undef W_LANE
  global char *p_q4 = p_b4 + p_o4 + p_i * p_r4 + p_j * p_c4;
  w_float t = w_load((global const float *)p_q4, 0);
  const p_values p_r = {bias, m, t};
  return p_r;
}
static void p_put_v(const w_float acc, p_values p_r, long p_i, long p_j P_PARAMS) {
  global char *p_q0 = p_b0 + p_o0 + p_i * p_r0 + p_j * p_c0;
  w_float o;
  const w_half bias = p_r.bias;
  const w_bool s = (w_bool)(-(W_BOOL)(p_v2 != 0));
  const w_uchar m = p_r.m;
  global char *p_q4 = p_b4 + p_o4 + p_i * p_r4 + p_j * p_c4;
  w_float t = p_r.t;
  { o = acc + bias; t += o; }
  w_store_aligned(float, o, (global float *)p_q0, 0);
  w_store(t, (global float *)p_q4, 0);
}
#undef W_LANES
#undef W_BOOL
#define EPILOGUE_VECTOR
#define W_LANES
#define W_BOOL int
static void p_put(const w_float acc, long p_i, long p_j P_PARAMS) {
  global char *p_q0 = p_b0 + p_o0 + p_i * p_r0 + p_j * p_c0;
  w_float o;
  global char *p_q1 = p_b1 + p_o1 + p_i * p_r1 + p_j * p_c1;
  const w_half bias = w_load_half((global const half *)p_q1, 0);
  const w_bool s = (w_bool)((p_v2 != 0));
  global char *p_q3 = p_b3 + p_o3 + p_i * p_r3 + p_j * p_c3;
  const w_uchar m = w_load((global const uchar *)p_q3, 0);
  global char *p_q4 = p_b4 + p_o4 + p_i * p_r4 + p_j * p_c4;
  w_float t = w_load((global const float *)p_q4, 0);
  { o = acc + bias; t += o; }
  w_store(o, (global float *)p_q0, 0);
  w_store(t, (global float *)p_q4, 0);
}
