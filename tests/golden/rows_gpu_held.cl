#define R_IDX uint
#define R_ALONG 1
#define R_LANES 4
#define R_TEAM 256
#define R_GROUP 256
#define R_UNIT 1
#define R_ITEMS 4
#define R_HOLD 1
#define R_EXACT 0
#define R_BLOCK 32
#define R_SPLIT 0
#define R_IOTA 0, 1, 2, 3
#define R_COMBINE_0(a, b) ((((b) > (a)) | ((b) != (b))) ? (b) : (a))
#define R_COMBINE_1(a, b) ((a) + (b))
#define R_PARAMS global char * r_x0, ulong r_o0, long r_k0_0, long r_d0_0, global char * r_x1, ulong r_o1, long r_k1_0, long r_d1_0, ulong r_nk0, ulong r_nr0, 
#define R_PASS r_x0, r_o0, r_k0_0, r_d0_0, r_x1, r_o1, r_k1_0, r_d1_0, r_nk0, r_nr0, 
#define R_ROOM w_float r_k_e[R_ITEMS]; w_float r_h0[R_ITEMS]; local float r_l0[R_GROUP]; local float r_l1[R_GROUP]; 
#define R_USE_ROOM r_row_.k_e = r_k_e; r_row_.h0 = r_h0; r_row_.l0 = r_l0; r_row_.l1 = r_l1; 
#undef W_LANES
#undef W_BOOL
#define W_LANES 4
#define W_BOOL int
typedef struct r_row {
  R_IDX n, from, to, o, part, parts, rows;
  uint lane, me, row, last;
  int real, here;
  global char *q0;
  long k0, d0_0;
  w_float *h0;
  global char *q1;
  long k1, d1_0;
  float n_m;
  local float *l0;
  float n_s;
  local float *l1;
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
#define W_LANES 4
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
static void r_whole0(r_row *r_r, const R_IDX r_u, const R_IDX r_j, const int r_in, w_float *r_v0) {
  const R_IDX r_i0 = r_j;
  global const char *r_p0 = r_r->q0 + (size_t)(r_i0) * 4;
  const w_float x = w_load_aligned(float, (global const float *)r_p0, 0);
  r_r->h0[r_u] = x;
  w_float m;
  { m = x;;
  }
  *r_v0 = r_in ? m : (w_float)(-INFINITY);
}
#undef R_WHOLE
#define R_WHOLE(u, j, in) { w_float r_v0; r_whole0(r_r, u, j, in, &r_v0); r_t0 = R_COMBINE_0(r_t0, r_v0); }

#undef R_PH
#define R_PH(name) name##1
#undef R_WALKS
#define R_WALKS 1
#undef R_TOTALS
#define R_TOTALS w_float r_s1 = (w_float)(0); 
#undef R_SUMS
#define R_SUMS w_float r_t1 = (w_float)(0); 
#undef R_MERGE
#define R_MERGE r_s1 = R_COMBINE_1(r_s1, r_t1); 
#undef R_FOLDED
#define R_FOLDED float r_f1; R_FOLD(float, R_COMBINE_1, r_s1, r_f1) R_JOIN(R_COMBINE_1, r_r->l1, r_f1) 
#undef R_NUMBERS
#define R_NUMBERS r_r->n_s = r_f1; 
static void r_whole1(r_row *r_r, const R_IDX r_u, const R_IDX r_j, const int r_in, w_float *r_v1) {
  const R_IDX r_i0 = r_j;
  const w_float x = r_r->h0[r_u];
  const w_float m = (w_float)(r_r->n_m);
  w_float e;
  w_float s;
  { e = exp(x - m); s = e;;
  }
  r_r->k_e[r_u] = e;
  *r_v1 = r_in ? s : (w_float)(0);
}
#undef R_WHOLE
#define R_WHOLE(u, j, in) { w_float r_v1; r_whole1(r_r, u, j, in, &r_v1); r_t1 = R_COMBINE_1(r_t1, r_v1); }

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
static void r_whole2(r_row *r_r, const R_IDX r_u, const R_IDX r_j, const int r_in) {
  const R_IDX r_i0 = r_j;
  const w_float s = (w_float)(r_r->n_s);
  const w_float e = r_r->k_e[r_u];
  w_float y;
  { y = e / s;;
  }
  if (r_in) {
  global char *r_p1 = r_r->q1 + (size_t)(r_i0) * 4;
  w_store_aligned(float, y, (global float *)r_p1, 0);
  }
}
#undef R_WHOLE
#define R_WHOLE(u, j, in) { r_whole2(r_r, u, j, in); }

#define R_PHASES r_phase0(r_r); r_phase1(r_r); r_phase2(r_r); 
