#define ONE 1
#define R_ARG 0
#define R_MOMENTS 0
#define R_COMPENSATED 0
#define R_ACCS 1
#define R_NEUTRAL -INFINITY
#define R_ACC float
#define R_IDX ulong
#define R_POS long
#define R_COMBINE(a, b) ((((b) > (a)) | ((b) != (b))) ? (b) : (a))
#define R_LANES 4
#define R_TEAM 32
#define R_GROUP 256
#define R_PARTS 1
#define R_BLOCK 32
#define R_ONE_RUN 0
#define R_UNROLL 1
#define R_MOVES 0
#define W_LANES 4
#define W_BOOL int
#define R_FN(name) name##_w
#define R_ACC_T w_float
#define R_AT_T w_long
#define R_MASK_T w_int
#define R_MASK_TO_AT(m) w_to_long(m)
#define R_AT_TO_MASK(m) w_to_int(m)
static void R_FN(r_map)(R_ACC_T *r_out, global const char *r_p0, long r_d0, global const char *r_p1, long r_d1, global const char *r_p2, long r_d2, ushort r_p3, uchar r_p4, global const char *r_p5, long r_d5) {
  const w_half a = w_load_aligned_half((global const half *)r_p0, 0);
  const w_bool b = (w_bool)(-(W_BOOL)(*(global const uchar *)(r_p1) != 0));
#define W_LANE(l, s) *(global const float *)(r_p2 + l * r_d2)
  const w_float c = (w_float)(W_LIST(W_LANE));
#undef W_LANE
  const w_half d = (w_half)(ga_from_half(r_p3));
  const w_bool e = (w_bool)(-(W_BOOL)(r_p4 != 0));
  const w_int f = w_load((global const int *)r_p5, 0);
  w_half v;
  { v = b ? a * c + d : w_to_half(f); }
  r_out[0] = v;
}

#undef W_LANES
#define W_LANES
#undef W_BOOL
#define W_BOOL int
#undef R_FN
#define R_FN(name) name##_1
static void R_FN(r_map)(R_ACC_T *r_out, global const char *r_p0, long r_d0, global const char *r_p1, long r_d1, global const char *r_p2, long r_d2, ushort r_p3, uchar r_p4, global const char *r_p5, long r_d5) {
  const w_half a = w_load_half((global const half *)r_p0, 0);
  const w_bool b = w_load_bool((global const uchar *)r_p1, 0);
  const w_float c = w_load((global const float *)r_p2, 0);
  const w_half d = (w_half)(ga_from_half(r_p3));
  const w_bool e = (w_bool)((r_p4 != 0));
  const w_int f = w_load((global const int *)r_p5, 0);
  w_half v;
  { v = b ? a * c + d : w_to_half(f); }
  r_out[0] = v;
}
#define R_IN_PARAMS global const char * r_x0, ulong r_o0, long r_k0_0, long r_k0_1, long r_r0_0, long r_r0_1, long r_r0_2, global const char * r_x1, ulong r_o1, long r_k1_0, long r_k1_1, long r_r1_0, long r_r1_1, long r_r1_2, global const char * r_x2, ulong r_o2, long r_k2_0, long r_k2_1, long r_r2_0, long r_r2_1, long r_r2_2, ushort r_x3, uchar r_x4, global const char * r_x5, ulong r_o5, long r_k5_0, long r_k5_1, long r_r5_0, long r_r5_1, long r_r5_2, ulong r_nk0, ulong r_nk1, ulong r_nr0, ulong r_nr1, ulong r_nr2
#define R_OUT_PARAMS global R_ACC *part_v
#define R_IN_PASS r_x0, r_o0, r_k0_0, r_k0_1, r_r0_0, r_r0_1, r_r0_2, r_x1, r_o1, r_k1_0, r_k1_1, r_r1_0, r_r1_1, r_r1_2, r_x2, r_o2, r_k2_0, r_k2_1, r_r2_0, r_r2_1, r_r2_2, r_x3, r_x4, r_x5, r_o5, r_k5_0, r_k5_1, r_r5_0, r_r5_1, r_r5_2, r_nk0, r_nk1, r_nr0, r_nr1, r_nr2
#define R_OUT_PASS part_v
#define R_KEPT_BASE(o) const R_IDX r_ik_in0 = (R_IDX)(o); const R_IDX r_ik0 = r_ik_in0 % (R_IDX)r_nk0; const R_IDX r_ik_in1 = r_ik_in0 / (R_IDX)r_nk0; const R_IDX r_ik1 = r_ik_in1; global const char *r_b0 = r_x0 + r_o0 + (long)r_ik0 * r_k0_0 + (long)r_ik1 * r_k0_1; global const char *r_b1 = r_x1 + r_o1 + (long)r_ik0 * r_k1_0 + (long)r_ik1 * r_k1_1; global const char *r_b2 = r_x2 + r_o2 + (long)r_ik0 * r_k2_0 + (long)r_ik1 * r_k2_1; global const char *r_b5 = r_x5 + r_o5 + (long)r_ik0 * r_k5_0 + (long)r_ik1 * r_k5_1; 
#define R_RUN_BASE(run) const R_IDX r_ir_in1 = (R_IDX)(run); const R_IDX r_ir1 = r_ir_in1 % (R_IDX)r_nr1; const R_IDX r_ir_in2 = r_ir_in1 / (R_IDX)r_nr1; const R_IDX r_ir2 = r_ir_in2; global const char *r_q0 = r_b0 + (long)r_ir1 * r_r0_1 + (long)r_ir2 * r_r0_2; global const char *r_q1 = r_b1 + (long)r_ir1 * r_r1_1 + (long)r_ir2 * r_r1_2; global const char *r_q2 = r_b2 + (long)r_ir1 * r_r2_1 + (long)r_ir2 * r_r2_2; global const char *r_q5 = r_b5 + (long)r_ir1 * r_r5_1 + (long)r_ir2 * r_r5_2; 
#define R_INNER ((R_IDX)r_nr0)
#define R_MAP_W(v, j) r_map_w(v, r_q0 + (size_t)(j) * 2, r_r0_0, r_q1, r_r1_0, r_q2 + (long)(j) * r_r2_0, r_r2_0, r_x3, r_x4, r_q5 + (size_t)(j) * 4, r_r5_0)
#define R_MAP_1(v, j) r_map_1(v, r_q0 + (size_t)(j) * 2, r_r0_0, r_q1, r_r1_0, r_q2 + (long)(j) * r_r2_0, r_r2_0, r_x3, r_x4, r_q5 + (size_t)(j) * 4, r_r5_0)
#define R_IOTA (r_mask_w)(0, 1, 2, 3)
#define R_FIRST(j) 0
#define R_AT_1(j) 0
#define R_AT_W(j) (r_at_w)(0)
