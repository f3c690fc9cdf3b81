#define TWICE(x) ((x) + (x))
#define EPILOGUE
#define P_PARAMS , global char *p_b0, ulong p_o0, long p_r0, long p_c0
#define P_ARGS , p_b0, p_o0, p_r0, p_c0
#define W_LANES
#define W_BOOL int
static void p_put(const w_double acc, long p_i, long p_j P_PARAMS) {
  global char *p_q0 = p_b0 + p_o0 + p_i * p_r0 + p_j * p_c0;
  w_float o;
  { o = w_to_float(TWICE(acc)); }
  w_store(o, (global float *)p_q0, 0);
}
