#define R_ARG 0
#define R_MOMENTS 0
#define R_COMPENSATED 0
#define R_ACCS 1
#define R_NEUTRAL 0
#define R_ACC float2
#define R_IDX uint
#define R_POS int
#define R_COMBINE(a, b) ((a) + (b))
#define R_PART float
#define R_WIDTH 16
#define R_LANES 8
#define R_TEAM 1
#define R_GROUP 1
#define R_PARTS 0
#define R_BLOCK 8
#define R_ONE_RUN 1
#define R_VECS 64
#define R_WIDE 1
#define W_LANES 8
#define W_BOOL int
#define R_FN(name) name##_w
#define R_ACC_T float16
#define R_AT_T w_int
#define R_MASK_T w_long
#define R_MASK_TO_AT(m) w_to_int(m)
#define R_AT_TO_MASK(m) w_to_long(m)
static void R_FN(r_map)(R_ACC_T *r_out, global const char *r_p0, long r_d0) {
  r_out[0] = vload16(0, (global const float *)r_p0);
}

#undef W_LANES
#define W_LANES
#undef W_BOOL
#define W_BOOL int
#undef R_FN
#define R_FN(name) name##_1
#undef R_ACC_T
#define R_ACC_T R_ACC
#define R_IN_PARAMS global const char * r_x0, ulong r_o0, long r_k0_0, long r_r0_0, ulong r_nk0, ulong r_nr0
#define R_OUT_PARAMS ulong r_no0, global char * r_y0, ulong r_yo0, long r_s0_0
#define R_IN_PASS r_x0, r_o0, r_k0_0, r_r0_0, r_nk0, r_nr0
#define R_OUT_PASS r_no0, r_y0, r_yo0, r_s0_0
#define R_KEPT_BASE(o) global const char *r_b0 = r_x0 + r_o0; 
#define R_RUN_BASE(run) global const char *r_q0 = r_b0; 
#define R_INNER ((R_IDX)r_nr0)
#define R_COLS ((R_IDX)r_nk0)
#define R_MAP_W(v, j, c) r_map_w(v, r_q0 + (long)(j) * r_r0_0 + (size_t)(c) * 8, r_k0_0)
#define R_FIRST(j) 0
#define R_AT_1(j) 0
#define R_AT_W(j) (r_at_w)(0)
static void r_post(R_OUT_PARAMS, R_IDX r_o, const R_ACC *r_v, R_POS r_at) {
  const R_IDX r_io_in0 = (R_IDX)(r_o); const R_IDX r_io0 = r_io_in0; 
  const w_ga_cfloat acc = {r_v[0].x, r_v[0].y};
  global char *r_q0 = r_y0 + r_yo0 + (long)r_io0 * r_s0_0;
  w_ga_cfloat y;
  { y.r = acc.r; y.i = acc.i;; }
  ((global ga_cfloat *)(r_q0))->r = y.r;
  ((global ga_cfloat *)(r_q0))->i = y.i;
}
