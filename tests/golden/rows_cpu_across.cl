#define R_IDX uint
#define R_ALONG 0
#define R_LANES 8
#define R_TEAM 1
#define R_GROUP 1
#define R_UNIT 8
#define R_ITEMS 0
#define R_HOLD 0
#define R_EXACT 0
#define R_BLOCK 32
#define R_SPLIT 0
#define R_COMBINE_0(a, b) ((a) | (b))
#define R_COMBINE_1(a, b) ((a) + (b))
#define R_PARAMS global char * r_x0, ulong r_o0, long r_k0_0, long r_k0_1, long r_d0_0, long r_d0_1, global char * r_x1, ulong r_o1, long r_k1_0, long r_k1_1, long r_d1_0, long r_d1_1, global char * r_x2, ulong r_o2, long r_k2_0, long r_k2_1, long r_d2_0, long r_d2_1, ushort r_x3, global char * r_x4, ulong r_o4, long r_k4_0, long r_k4_1, long r_d4_0, long r_d4_1, global char * r_y0, ulong r_yo0, long r_s0_0, long r_s0_1, global char * r_y1, ulong r_yo1, long r_s1_0, long r_s1_1, ulong r_nk0, ulong r_nk1, ulong r_nr0, ulong r_nr1, 
#define R_PASS r_x0, r_o0, r_k0_0, r_k0_1, r_d0_0, r_d0_1, r_x1, r_o1, r_k1_0, r_k1_1, r_d1_0, r_d1_1, r_x2, r_o2, r_k2_0, r_k2_1, r_d2_0, r_d2_1, r_x3, r_x4, r_o4, r_k4_0, r_k4_1, r_d4_0, r_d4_1, r_y0, r_yo0, r_s0_0, r_s0_1, r_y1, r_yo1, r_s1_0, r_s1_1, r_nk0, r_nk1, r_nr0, r_nr1, 
#define R_ROOM 
#define R_USE_ROOM 
#undef W_LANES
#undef W_BOOL
#define W_LANES 8
#define W_BOOL int
typedef struct r_row {
  R_IDX n, from, to, o, part, parts, rows;
  uint lane, me, row, last;
  int real, here;
  global char *q0;
  long k0, d0_0, d0_1;
  global char *q1;
  long k1, d1_0, d1_1;
  global char *q2;
  long k2, d2_0, d2_1;
  ushort x3;
  global char *q4;
  long k4, d4_0, d4_1;
  global char *y0;
  long s0;
  global char *y1;
  long s1;
  R_IDX m0;
  w_bool n_any;
  w_float n_s;
  w_float n_h;
  w_bool n_big;
} r_row;
static void r_open(r_row *r_r, R_PARAMS R_IDX r_o) {
  const R_IDX r_ik_in0 = (R_IDX)(r_o); const R_IDX r_ik0 = r_ik_in0 % (R_IDX)r_nk0; const R_IDX r_ik_in1 = r_ik_in0 / (R_IDX)r_nk0; const R_IDX r_ik1 = r_ik_in1; 
  r_r->o = r_o;
  r_r->q0 = r_x0 + r_o0 + (long)r_ik0 * r_k0_0 + (long)r_ik1 * r_k0_1;
  r_r->k0 = r_k0_0;
  r_r->d0_0 = r_d0_0;
  r_r->d0_1 = r_d0_1;
  r_r->q1 = r_x1 + r_o1 + (long)r_ik0 * r_k1_0 + (long)r_ik1 * r_k1_1;
  r_r->k1 = r_k1_0;
  r_r->d1_0 = r_d1_0;
  r_r->d1_1 = r_d1_1;
  r_r->q2 = r_x2 + r_o2 + (long)r_ik0 * r_k2_0 + (long)r_ik1 * r_k2_1;
  r_r->k2 = r_k2_0;
  r_r->d2_0 = r_d2_0;
  r_r->d2_1 = r_d2_1;
  r_r->x3 = r_x3;
  r_r->q4 = r_x4 + r_o4 + (long)r_ik0 * r_k4_0 + (long)r_ik1 * r_k4_1;
  r_r->k4 = r_k4_0;
  r_r->d4_0 = r_d4_0;
  r_r->d4_1 = r_d4_1;
  r_r->y0 = r_y0 + r_yo0 + (long)r_ik0 * r_s0_0 + (long)r_ik1 * r_s0_1;
  r_r->s0 = r_s0_0;
  r_r->y1 = r_y1 + r_yo1 + (long)r_ik0 * r_s1_0 + (long)r_ik1 * r_s1_1;
  r_r->s1 = r_s1_0;
  r_r->m0 = (R_IDX)r_nr0;
}
#undef W_LANES
#undef W_BOOL
#define W_LANES 8
#define W_BOOL int
static void r_post0(r_row *r_r) {
  const w_bool any = r_r->n_any;
  const w_float s = r_r->n_s;
#define W_LANE(l, s) *(global const float *)(r_r->y0 + (min((long)r_r->last, (long)l) - l) * r_r->s0 + l * r_r->s0)
  const w_float bias = (w_float)(W_LIST(W_LANE));
#undef W_LANE
  w_float o;
  w_float h;
  w_bool big;
  { h = any ? s : bias; big = h > bias; o = h;;
  }
  r_r->n_h = h;
  r_r->n_big = big;
  if (r_r->here) {
#define W_PUT(r_l, r_c) if ((r_l) <= r_r->last) *(global float *)(r_r->y1 + (r_l) * r_r->s1) = o r_c
  W_EACH(W_PUT)
#undef W_PUT
  }
}
static void r_post1(r_row *r_r) {
}
#undef W_LANES
#undef W_BOOL
#define W_LANES 8
#define W_BOOL int

#undef R_PH
#define R_PH(name) name##0
#undef R_WALKS
#define R_WALKS 1
#undef R_TOTALS
#define R_TOTALS w_int r_s0 = (w_int)(0); w_float r_s1 = (w_float)(0); 
#undef R_SUMS
#define R_SUMS w_int r_t0 = (w_int)(0); w_float r_t1 = (w_float)(0); 
#undef R_MERGE
#define R_MERGE r_s0 = R_COMBINE_0(r_s0, r_t0); r_s1 = R_COMBINE_1(r_s1, r_t1); 
#undef R_FOLDED
#define R_FOLDED const w_int r_f0 = r_s0; const w_float r_f1 = r_s1; 
#undef R_NUMBERS
#define R_NUMBERS r_r->n_any = GA_BOOLS(r_f0); r_r->n_s = r_f1; 
static void r_map0(r_row *r_r, const R_IDX r_u, const R_IDX r_j, w_int *r_v0, w_float *r_v1) {
  R_IDX r_left = r_j;
  const R_IDX r_i0 = r_left % r_r->m0;
  r_left /= r_r->m0;
  const R_IDX r_i1 = r_left;
  global const char *r_p0 = r_r->q0 + (long)(r_i0) * r_r->d0_0 + (long)(r_i1) * r_r->d0_1;
#define W_LANE(l, s) ga_load_half(r_p0 + l * r_r->k0)
  const w_half a = (w_half)(W_LIST(W_LANE));
#undef W_LANE
  global const char *r_p1 = r_r->q1 + (long)(r_i0) * r_r->d1_0 + (long)(r_i1) * r_r->d1_1;
  const w_bool b = w_load_bool((global const uchar *)r_p1, 0);
  global const char *r_p2 = r_r->q2 + (long)(r_i0) * r_r->d2_0 + (long)(r_i1) * r_r->d2_1;
  const w_float c = (w_float)(*(global const float *)(r_p2));
  const w_half d = (w_half)(ga_from_half(r_r->x3));
  w_bool any;
  w_float s;
  { any = b; s = a * c + d;;
  }
  *r_v0 = w_from_bool_int(w_to_bool(any));
  *r_v1 = s;
}
#undef R_MAP
#define R_MAP(u, j) { w_int r_v0; w_float r_v1; r_map0(r_r, u, j, &r_v0, &r_v1); r_t0 = R_COMBINE_0(r_t0, r_v0); r_t1 = R_COMBINE_1(r_t1, r_v1); }
static void r_some0(r_row *r_r, const R_IDX r_u, const R_IDX r_j, const uint r_last, w_int *r_v0, w_float *r_v1) {
  R_IDX r_left = r_j;
  const R_IDX r_i0 = r_left % r_r->m0;
  r_left /= r_r->m0;
  const R_IDX r_i1 = r_left;
  global const char *r_p0 = r_r->q0 + (long)(r_i0) * r_r->d0_0 + (long)(r_i1) * r_r->d0_1;
#define W_LANE(l, s) ga_load_half(r_p0 + (min((long)r_last, (long)l) - l) * r_r->k0 + l * r_r->k0)
  const w_half a = (w_half)(W_LIST(W_LANE));
#undef W_LANE
  global const char *r_p1 = r_r->q1 + (long)(r_i0) * r_r->d1_0 + (long)(r_i1) * r_r->d1_1;
#define W_LANE(l, s) -(W_BOOL)(*(global const uchar *)(r_p1 + (min((long)r_last, (long)l) - l) * 1 + l * 1) != 0)
  const w_bool b = (w_bool)(W_LIST(W_LANE));
#undef W_LANE
  global const char *r_p2 = r_r->q2 + (long)(r_i0) * r_r->d2_0 + (long)(r_i1) * r_r->d2_1;
#define W_LANE(l, s) *(global const float *)(r_p2 + (min((long)r_last, (long)l) - l) * r_r->k2 + l * r_r->k2)
  const w_float c = (w_float)(W_LIST(W_LANE));
#undef W_LANE
  const w_half d = (w_half)(ga_from_half(r_r->x3));
  w_bool any;
  w_float s;
  { any = b; s = a * c + d;;
  }
  *r_v0 = w_from_bool_int(w_to_bool(any));
  *r_v1 = s;
}
#undef R_SOME
#define R_SOME(u, j, last) { w_int r_v0; w_float r_v1; r_some0(r_r, u, j, last, &r_v0, &r_v1); r_t0 = R_COMBINE_0(r_t0, r_v0); r_t1 = R_COMBINE_1(r_t1, r_v1); }

#undef R_PH
#define R_PH(name) name##1
#undef R_WALKS
#define R_WALKS 1
#undef R_TOTALS
#define R_TOTALS 
#undef R_SUMS
#define R_SUMS 
#undef R_MERGE
#define R_MERGE 
#undef R_FOLDED
#define R_FOLDED 
#undef R_NUMBERS
#define R_NUMBERS 
static void r_map1(r_row *r_r, const R_IDX r_u, const R_IDX r_j) {
  R_IDX r_left = r_j;
  const R_IDX r_i0 = r_left % r_r->m0;
  r_left /= r_r->m0;
  const R_IDX r_i1 = r_left;
  global const char *r_p0 = r_r->q0 + (long)(r_i0) * r_r->d0_0 + (long)(r_i1) * r_r->d0_1;
#define W_LANE(l, s) ga_load_half(r_p0 + l * r_r->k0)
  const w_half a = (w_half)(W_LIST(W_LANE));
#undef W_LANE
  const w_float h = r_r->n_h;
  const w_bool big = r_r->n_big;
  w_half y;
  { y = big ? a : w_to_half(h);;
  }
  {
  global char *r_p4 = r_r->q4 + (long)(r_i0) * r_r->d4_0 + (long)(r_i1) * r_r->d4_1;
#define W_PUT(r_l, r_c) if ((r_l) <= 7) *(global ushort *)(r_p4 + (r_l) * r_r->k4) = ga_to_half(y r_c)
  W_EACH(W_PUT)
#undef W_PUT
  }
}
#undef R_MAP
#define R_MAP(u, j) { r_map1(r_r, u, j); }
static void r_some1(r_row *r_r, const R_IDX r_u, const R_IDX r_j, const uint r_last) {
  R_IDX r_left = r_j;
  const R_IDX r_i0 = r_left % r_r->m0;
  r_left /= r_r->m0;
  const R_IDX r_i1 = r_left;
  global const char *r_p0 = r_r->q0 + (long)(r_i0) * r_r->d0_0 + (long)(r_i1) * r_r->d0_1;
#define W_LANE(l, s) ga_load_half(r_p0 + (min((long)r_last, (long)l) - l) * r_r->k0 + l * r_r->k0)
  const w_half a = (w_half)(W_LIST(W_LANE));
#undef W_LANE
  const w_float h = r_r->n_h;
  const w_bool big = r_r->n_big;
  w_half y;
  { y = big ? a : w_to_half(h);;
  }
  {
  global char *r_p4 = r_r->q4 + (long)(r_i0) * r_r->d4_0 + (long)(r_i1) * r_r->d4_1;
#define W_PUT(r_l, r_c) if ((r_l) <= r_last) *(global ushort *)(r_p4 + (r_l) * r_r->k4) = ga_to_half(y r_c)
  W_EACH(W_PUT)
#undef W_PUT
  }
}
#undef R_SOME
#define R_SOME(u, j, last) { r_some1(r_r, u, j, last); }

#define R_PHASES r_phase0(r_r); r_phase1(r_r); 
