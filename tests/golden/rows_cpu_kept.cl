#define R_IDX uint
#define R_ALONG 1
#define R_LANES 16
#define R_TEAM 1
#define R_GROUP 1
#define R_UNIT 1
#define R_ITEMS 256
#define R_HOLD 0
#define R_EXACT 0
#define R_BLOCK 32
#define R_SPLIT 0
#define R_IOTA 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define R_COMBINE_0(a, b) ((((b) > (a)) | ((b) != (b))) ? (b) : (a))
#define R_COMBINE_1(a, b) ((a) + (b))
#define R_PARAMS global char * r_x0, ulong r_o0, long r_k0_0, long r_d0_0, global char * r_x1, ulong r_o1, long r_k1_0, long r_d1_0, ulong r_nk0, ulong r_nr0, 
#define R_PASS r_x0, r_o0, r_k0_0, r_d0_0, r_x1, r_o1, r_k1_0, r_d1_0, r_nk0, r_nr0, 
#define R_ROOM w_float r_k_e[R_ITEMS]; 
#define R_USE_ROOM r_row_.k_e = r_k_e; 
#undef W_LANES
#undef W_BOOL
#define W_LANES 16
#define W_BOOL int
typedef struct r_row {
  R_IDX n, from, to, o, part, parts, rows;
  uint lane, me, row, last;
  int real, here;
  global char *q0;
  long k0, d0_0;
  global char *q1;
  long k1, d1_0;
  float n_m;
  float n_s;
  w_float *k_e;
} r_row;
static void r_open(r_row *r_r, R_PARAMS R_IDX r_o) {
  const R_IDX r_ik_in0 = (R_IDX)(r_o); const R_IDX r_ik0 = r_ik_in0; 
  r_r->o = r_o;
  r_r->q0 = r_x0 + r_o0 + (long)r_ik0 * r_k0_0;
  r_r->k0 = r_k0_0;
  r_r->d0_0 = r_d0_0;
  r_r->q1 = r_x1 + r_o1 + (long)r_ik0 * r_k1_0;
  r_r->k1 = r_k1_0;
  r_r->d1_0 = r_d1_0;
}
#undef W_LANES
#undef W_BOOL
#define W_LANES
#define W_BOOL int
static void r_post0(r_row *r_r) {
}
static void r_post1(r_row *r_r) {
}
static void r_post2(r_row *r_r) {
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
#define R_TOTALS w_float r_s0 = (w_float)(-INFINITY); 
#undef R_SUMS
#define R_SUMS w_float r_t0 = (w_float)(-INFINITY); 
#undef R_MERGE
#define R_MERGE r_s0 = R_COMBINE_0(r_s0, r_t0); 
#undef R_FOLDED
#define R_FOLDED float r_f0; R_FOLD(float, R_COMBINE_0, r_s0, r_f0) R_JOIN(R_COMBINE_0, r_r->l0, r_f0) 
#undef R_NUMBERS
#define R_NUMBERS r_r->n_m = r_f0; 
static void r_map0(r_row *r_r, const R_IDX r_u, const R_IDX r_j, w_float *r_v0) {
  const R_IDX r_i0 = r_j;
  global const char *r_p0 = r_r->q0 + (size_t)(r_i0) * 4;
  const w_float x = w_load((global const float *)r_p0, 0);
  w_float m;
  { m = x;;
  }
  *r_v0 = m;
}
#undef R_MAP
#define R_MAP(u, j) { w_float r_v0; r_map0(r_r, u, j, &r_v0); r_t0 = R_COMBINE_0(r_t0, r_v0); }
static void r_some0(r_row *r_r, const R_IDX r_u, const R_IDX r_j, const uint r_last, w_float *r_v0) {
  const R_IDX r_i0 = r_j;
  global const char *r_p0 = r_r->q0 + (size_t)(r_i0) * 4;
#define W_LANE(l, s) *(global const float *)(r_p0 + (min((long)r_last, (long)l) - l) * 4 + l * 4)
  const w_float x = (w_float)(W_LIST(W_LANE));
#undef W_LANE
  w_float m;
  { m = x;;
  }
  *r_v0 = (w_int)(R_IOTA) <= (w_int)((int)r_last) ? m : (w_float)(-INFINITY);
}
#undef R_SOME
#define R_SOME(u, j, last) { w_float r_v0; r_some0(r_r, u, j, last, &r_v0); r_t0 = R_COMBINE_0(r_t0, r_v0); }

#undef R_PH
#define R_PH(name) name##1
#undef R_WALKS
#define R_WALKS 1
#undef R_TOTALS
#define R_TOTALS w_float r_s1 = (w_float)(0); w_float r_e1 = 0; 
#undef R_SUMS
#define R_SUMS w_float r_t1 = (w_float)(0); 
#undef R_MERGE
#define R_MERGE R_COMPENSATE(w_float, r_s1, r_e1, r_t1) 
#undef R_FOLDED
#define R_FOLDED float r_f1; R_FOLD(float, R_COMBINE_1, r_s1, r_f1) R_JOIN(R_COMBINE_1, r_r->l1, r_f1) 
#undef R_NUMBERS
#define R_NUMBERS r_r->n_s = r_f1; 
static void r_map1(r_row *r_r, const R_IDX r_u, const R_IDX r_j, w_float *r_v1) {
  const R_IDX r_i0 = r_j;
  global const char *r_p0 = r_r->q0 + (size_t)(r_i0) * 4;
  const w_float x = w_load((global const float *)r_p0, 0);
  const w_float m = (w_float)(r_r->n_m);
  w_float e;
  w_float s;
  { e = exp(x - m); s = e;;
  }
  r_r->k_e[r_u] = e;
  *r_v1 = s;
}
#undef R_MAP
#define R_MAP(u, j) { w_float r_v1; r_map1(r_r, u, j, &r_v1); r_t1 = R_COMBINE_1(r_t1, r_v1); }
static void r_some1(r_row *r_r, const R_IDX r_u, const R_IDX r_j, const uint r_last, w_float *r_v1) {
  const R_IDX r_i0 = r_j;
  global const char *r_p0 = r_r->q0 + (size_t)(r_i0) * 4;
#define W_LANE(l, s) *(global const float *)(r_p0 + (min((long)r_last, (long)l) - l) * 4 + l * 4)
  const w_float x = (w_float)(W_LIST(W_LANE));
#undef W_LANE
  const w_float m = (w_float)(r_r->n_m);
  w_float e;
  w_float s;
  { e = exp(x - m); s = e;;
  }
  r_r->k_e[r_u] = e;
  *r_v1 = (w_int)(R_IOTA) <= (w_int)((int)r_last) ? s : (w_float)(0);
}
#undef R_SOME
#define R_SOME(u, j, last) { w_float r_v1; r_some1(r_r, u, j, last, &r_v1); r_t1 = R_COMBINE_1(r_t1, r_v1); }

#undef R_PH
#define R_PH(name) name##2
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
static void r_map2(r_row *r_r, const R_IDX r_u, const R_IDX r_j) {
  const R_IDX r_i0 = r_j;
  const w_float s = (w_float)(r_r->n_s);
  const w_float e = r_r->k_e[r_u];
  w_float y;
  { y = e / s;;
  }
  {
  global char *r_p1 = r_r->q1 + (size_t)(r_i0) * 4;
  GA_STREAM(float, W_LANES, y, (global float *)r_p1)
  }
}
#undef R_MAP
#define R_MAP(u, j) { r_map2(r_r, u, j); }
static void r_some2(r_row *r_r, const R_IDX r_u, const R_IDX r_j, const uint r_last) {
  const R_IDX r_i0 = r_j;
  const w_float s = (w_float)(r_r->n_s);
  const w_float e = r_r->k_e[r_u];
  w_float y;
  { y = e / s;;
  }
  {
  global char *r_p1 = r_r->q1 + (size_t)(r_i0) * 4;
#define W_PUT(r_l, r_c) if ((r_l) <= r_last) *(global float *)(r_p1 + (r_l) * 4) = y r_c
  W_EACH(W_PUT)
#undef W_PUT
  }
}
#undef R_SOME
#define R_SOME(u, j, last) { r_some2(r_r, u, j, last); }

#define R_PHASES r_phase0(r_r); r_phase1(r_r); r_phase2(r_r); 
