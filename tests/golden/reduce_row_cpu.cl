#define R_ARG 0
#define R_MOMENTS 0
#define R_COMPENSATED 1
#define R_ACCS 1
#define R_NEUTRAL 0
#define R_ACC float
#define R_IDX uint
#define R_POS int
#define R_COMBINE(a, b) ((a) + (b))
#define R_LANES 16
#define R_TEAM 1
#define R_GROUP 1
#define R_PARTS 0
#define R_BLOCK 32
#define R_ONE_RUN 1
#define R_UNROLL 4
#define R_MOVES 1
#define W_LANES 16
#define W_BOOL int
#define R_FN(name) name##_w
#define R_ACC_T w_float
#define R_AT_T w_int
#define R_MASK_T w_int
#define R_MASK_TO_AT(m) w_to_int(m)
#define R_AT_TO_MASK(m) w_to_int(m)
static void R_FN(r_map)(R_ACC_T *r_out, global const char *r_p0, long r_d0) {
  const w_float x = w_load((global const float *)r_p0, 0);
  w_float v;
  { v = w_to_float(x);; }
  r_out[0] = v;
}

#undef W_LANES
#define W_LANES
#undef W_BOOL
#define W_BOOL int
#undef R_FN
#define R_FN(name) name##_1
static void R_FN(r_map)(R_ACC_T *r_out, global const char *r_p0, long r_d0) {
  const w_float x = w_load((global const float *)r_p0, 0);
  w_float v;
  { v = w_to_float(x);; }
  r_out[0] = v;
}
#define R_IN_PARAMS global const char * r_x0, ulong r_o0, long r_k0_0, long r_r0_0, ulong r_nk0, ulong r_nr0
#define R_OUT_PARAMS ulong r_no0, global char * r_y0, ulong r_yo0, long r_s0_0
#define R_IN_PASS r_x0, r_o0, r_k0_0, r_r0_0, r_nk0, r_nr0
#define R_OUT_PASS r_no0, r_y0, r_yo0, r_s0_0
#define R_KEPT_BASE(o) const R_IDX r_ik_in0 = (R_IDX)(o); const R_IDX r_ik0 = r_ik_in0; global const char *r_b0 = r_x0 + r_o0 + (long)r_ik0 * r_k0_0; 
#define R_RUN_BASE(run) global const char *r_q0 = r_b0; 
#define R_INNER ((R_IDX)r_nr0)
#define R_MAP_W(v, j) r_map_w(v, r_q0 + (size_t)(j) * 4, r_r0_0)
#define R_MAP_1(v, j) r_map_1(v, r_q0 + (size_t)(j) * 4, r_r0_0)
#define R_IOTA (r_mask_w)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define R_FIRST(j) 0
#define R_AT_1(j) 0
#define R_AT_W(j) (r_at_w)(0)
static void r_post(R_OUT_PARAMS, R_IDX r_o, const R_ACC *r_v, R_POS r_at) {
  const R_IDX r_io_in0 = (R_IDX)(r_o); const R_IDX r_io0 = r_io_in0; 
  const w_float acc = r_v[0];
  global char *r_q0 = r_y0 + r_yo0 + (long)r_io0 * r_s0_0;
  w_float y;
  { y = w_to_float(acc);; }
  w_store(y, (global float *)r_q0, 0);
}
