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
#define R_LANES 1
#define R_TEAM 32
#define R_GROUP 256
#define R_PARTS 0
#define W_LANES
#define W_BOOL int
#define R_FN(name) name##_1
#define R_ACC_T w_short
#define R_AT_T w_int
#define R_MASK_T w_short
#define R_MASK_TO_AT(m) w_to_int(m)
#define R_AT_TO_MASK(m) w_to_short(m)
#define r_acc_w r_acc_1
#define r_at_w r_at_1
#define r_state_w r_state_1
#define r_start_w r_start_1
#define r_take_w r_take_1
#define r_join_w r_join_1
#define r_merge_w r_merge_1
#define r_map_w r_map_1
#define R_PART_PARAMS global R_ACC *part_v, global R_POS *part_at
#define R_OUT_PARAMS ulong r_no0, ulong r_no1, global char * r_y0, ulong r_yo0, long r_s0_0, long r_s0_1, global char * r_y1, ulong r_yo1, long r_s1_0, long r_s1_1, long r_y2
#define R_PART_PASS part_v, part_at
#define R_OUT_PASS r_no0, r_no1, r_y0, r_yo0, r_s0_0, r_s0_1, r_y1, r_yo1, r_s1_0, r_s1_1, r_y2
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
