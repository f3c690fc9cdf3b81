#define R_ARG 1
#define R_MOMENTS 0
#define R_COMPENSATED 0
#define R_ACCS 1
#define R_NEUTRAL SHRT_MAX
#define R_ACC short
#define R_IDX uint
#define R_POS int
#define R_MASK short
#define R_IN_ORDER 0
#define R_POS_MAX INT_MAX
#define R_BETTER(b, a) ((b) < (a))
#define R_SAME(b, a) ((b) == (a))
#define R_LANES 16
#define R_TEAM 1
#define R_GROUP 1
#define R_PARTS 0
#define R_BLOCK 8
#define R_ONE_RUN 0
#define R_VECS 8
#define R_WIDE 1
#define W_LANES 16
#define W_BOOL short
#define R_FN(name) name##_w
#define R_ACC_T w_short
#define R_AT_T w_int
#define R_MASK_T w_short
#define R_MASK_TO_AT(m) w_to_int(m)
#define R_AT_TO_MASK(m) w_to_short(m)
static void R_FN(r_map)(R_ACC_T *r_out, global const char *r_p0, long r_d0) {
  const w_short x = w_load((global const short *)r_p0, 0);
  w_short v;
  { v = w_to_short(x);; }
  r_out[0] = v;
}

#undef W_LANES
#define W_LANES
#undef W_BOOL
#define W_BOOL int
#undef R_FN
#define R_FN(name) name##_1
#define R_IN_PARAMS global const char * r_x0, ulong r_o0, long r_k0_0, long r_k0_1, long r_r0_0, long r_r0_1, ulong r_nk0, ulong r_nk1, ulong r_nr0, ulong r_nr1, long r_first0, long r_step0, long r_step1
#define R_OUT_PARAMS ulong r_no0, ulong r_no1, global char * r_y0, ulong r_yo0, long r_s0_0, long r_s0_1, global char * r_y1, ulong r_yo1, long r_s1_0, long r_s1_1, long r_y2
#define R_IN_PASS r_x0, r_o0, r_k0_0, r_k0_1, r_r0_0, r_r0_1, r_nk0, r_nk1, r_nr0, r_nr1, r_first0, r_step0, r_step1
#define R_OUT_PASS r_no0, r_no1, r_y0, r_yo0, r_s0_0, r_s0_1, r_y1, r_yo1, r_s1_0, r_s1_1, r_y2
#define R_KEPT_BASE(o) const R_IDX r_ik_in1 = (R_IDX)(o); const R_IDX r_ik1 = r_ik_in1; global const char *r_b0 = r_x0 + r_o0 + (long)r_ik1 * r_k0_1; 
#define R_RUN_BASE(run) const R_IDX r_ir_in1 = (R_IDX)(run); const R_IDX r_ir1 = r_ir_in1; global const char *r_q0 = r_b0 + (long)r_ir1 * r_r0_1; const long r_at = r_first0 + (long)r_ir1 * r_step1; 
#define R_INNER ((R_IDX)r_nr0)
#define R_COLS ((R_IDX)r_nk0)
#define R_MAP_W(v, j, c) r_map_w(v, r_q0 + (long)(j) * r_r0_0 + (size_t)(c) * 2, r_k0_0)
#define R_FIRST(j) (R_POS)(r_at + (long)(j) * r_step0)
#define R_AT_1(j) R_FIRST(j)
#define R_AT_W(j) ((r_at_w)(R_FIRST(j)))
static void r_post(R_OUT_PARAMS, R_IDX r_o, const R_ACC *r_v, R_POS r_at) {
  const R_IDX r_io_in0 = (R_IDX)(r_o); const R_IDX r_io0 = r_io_in0 % (R_IDX)r_no0; const R_IDX r_io_in1 = r_io_in0 / (R_IDX)r_no0; const R_IDX r_io1 = r_io_in1; 
  const w_short acc = r_v[0];
  const long idx = r_at;
  global char *r_q0 = r_y0 + r_yo0 + (long)r_io0 * r_s0_0 + (long)r_io1 * r_s0_1;
  w_long at;
  global char *r_q1 = r_y1 + r_yo1 + (long)r_io0 * r_s1_0 + (long)r_io1 * r_s1_1;
  w_short least;
  const w_long base = (w_long)(r_y2);
  { at = idx + base; least = acc;; }
  w_store(at, (global long *)r_q0, 0);
  w_store(least, (global short *)r_q1, 0);
}
