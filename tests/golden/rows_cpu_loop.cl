#define R_IDX uint
#define R_ALONG 1
#define R_LANES 16
#define R_TEAM 1
#define R_GROUP 1
#define R_UNIT 16
#define R_ITEMS 0
#define R_HOLD 0
#define R_EXACT 0
#define R_BLOCK 32
#define R_SPLIT 0
#define R_LOOP
#define R_STATES 1
#define R_IOTA 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define R_COMBINE_0(a, b) ((a) + (b))
#define R_PARAMS global char * r_x0, ulong r_o0, long r_k0_0, long r_d0_0, long r_v0, ulong r_o1, long r_k1_0, long r_d1_0, global char * r_y0, ulong r_yo0, long r_s0_0, long r_yv0, global char * r_y1, ulong r_yo1, long r_s1_0, long r_yv1, ulong r_nk0, ulong r_nr0, volatile global ulong *r_words, global uint *r_copies, 
#define R_PASS r_x0, r_o0, r_k0_0, r_d0_0, r_v0, r_o1, r_k1_0, r_d1_0, r_y0, r_yo0, r_s0_0, r_yv0, r_y1, r_yo1, r_s1_0, r_yv1, r_nk0, r_nr0, r_words, r_copies, 
#define R_ROOM 
#define R_USE_ROOM 
#undef W_LANES
#undef W_BOOL
#define W_LANES 16
#define W_BOOL int
typedef struct r_row {
  R_IDX n, from, to, o, part, parts, rows;
  uint lane, me, row, last;
  int real, here;
  volatile global ulong *words;
  global uint *copies;
  uint t, bad;
  int ends;
  global char *q0;
  long k0, d0_0;
  global char *q1;
  long k1, d1_0;
  global char *y0;
  long s0;
  global char *y1;
  long s1;
  w_float n_s;
} r_row;
static void r_open(r_row *r_r, R_PARAMS R_IDX r_o) {
  const R_IDX r_ik_in0 = (R_IDX)(r_o); const R_IDX r_ik0 = r_ik_in0; 
  r_r->o = r_o;
  r_r->q0 = r_x0 + r_o0 + r_r->t * r_v0 + (long)r_ik0 * r_k0_0;
  r_r->k0 = r_k0_0;
  r_r->d0_0 = r_d0_0;
  r_r->q1 = (global char *)(r_r->copies + (size_t)0 * r_r->rows) + (long)r_o1 + (long)r_ik0 * r_k1_0;
  r_r->k1 = r_k1_0;
  r_r->d1_0 = r_d1_0;
  r_r->y0 = r_y0 + r_yo0 + r_r->t * r_yv0 + (long)r_ik0 * r_s0_0;
  r_r->s0 = r_s0_0;
  r_r->y1 = r_y1 + r_yo1 + r_r->t * r_yv1 + (long)r_ik0 * r_s1_0;
  r_r->s1 = r_s1_0;
}
#undef W_LANES
#undef W_BOOL
#define W_LANES 16
#define W_BOOL int
static void r_post0(r_row *r_r) {
  const w_float s = r_r->n_s;
#define W_LANE(l, s) *(global const float *)(r_r->y0 + (min((long)r_r->last, (long)l) - l) * r_r->s0 + l * r_r->s0)
  const w_float x = (w_float)(W_LIST(W_LANE));
#undef W_LANE
  w_float y;
  { y = s + x;;
  }
  if (r_r->here && r_r->bad == 0) {
#define W_PUT(r_l, r_c) if ((r_l) <= r_r->last) r_tell(r_r, 0, r_r->o + (r_l), as_uint(y r_c))
  W_EACH(W_PUT)
#undef W_PUT
#define W_PUT(r_l, r_c) if ((r_l) <= r_r->last) *(global float *)(r_r->y1 + (r_l) * r_r->s1) = y r_c
  W_EACH(W_PUT)
#undef W_PUT
  }
}
#undef W_LANES
#undef W_BOOL
#define W_LANES 16
#define W_BOOL int

#undef R_PH
#define R_PH(name) name##0
#undef R_WALKS
#define R_WALKS 1
#undef R_TOTALS
#define R_TOTALS w_float r_s0 = (w_float)(0); 
#undef R_SUMS
#define R_SUMS w_float r_t0 = (w_float)(0); 
#undef R_MERGE
#define R_MERGE r_s0 = R_COMBINE_0(r_s0, r_t0); 
#undef R_FOLDED
#define R_FOLDED float r_f0; R_FOLD(float, R_COMBINE_0, r_s0, r_f0) R_JOIN(R_COMBINE_0, r_r->l0, r_f0) 
#undef R_NUMBERS
#define R_NUMBERS R_NUMBER(float, r_r->n_s, r_f0) 
static void r_map0(r_row *r_r, const R_IDX r_u, const R_IDX r_j, w_float *r_v0) {
  const R_IDX r_i0 = r_j;
  global const char *r_p0 = r_r->q0 + (size_t)(r_i0) * 4;
  const w_float w = w_load((global const float *)r_p0, 0);
  global const char *r_p1 = r_r->q1 + (size_t)(r_i0) * 4;
  const w_float h = w_load((global const float *)r_p1, 0);
  w_float s;
  { s = w * h;;
  }
  *r_v0 = s;
}
#undef R_MAP
#define R_MAP(u, j) { w_float r_v0; r_map0(r_r, u, j, &r_v0); r_t0 = R_COMBINE_0(r_t0, r_v0); }
static void r_some0(r_row *r_r, const R_IDX r_u, const R_IDX r_j, const uint r_last, w_float *r_v0) {
  const R_IDX r_i0 = r_j;
  global const char *r_p0 = r_r->q0 + (size_t)(r_i0) * 4;
#define W_LANE(l, s) *(global const float *)(r_p0 + (min((long)r_last, (long)l) - l) * 4 + l * 4)
  const w_float w = (w_float)(W_LIST(W_LANE));
#undef W_LANE
  global const char *r_p1 = r_r->q1 + (size_t)(r_i0) * 4;
#define W_LANE(l, s) *(global const float *)(r_p1 + (min((long)r_last, (long)l) - l) * 4 + l * 4)
  const w_float h = (w_float)(W_LIST(W_LANE));
#undef W_LANE
  w_float s;
  { s = w * h;;
  }
  *r_v0 = (w_int)(R_IOTA) <= (w_int)((int)r_last) ? s : (w_float)(0);
}
#undef R_SOME
#define R_SOME(u, j, last) { w_float r_v0; r_some0(r_r, u, j, last, &r_v0); r_t0 = R_COMBINE_0(r_t0, r_v0); }

#define R_PHASES r_phase0(r_r); 
