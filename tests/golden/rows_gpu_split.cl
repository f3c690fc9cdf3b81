#define R_IDX ulong
#define R_ALONG 1
#define R_LANES 4
#define R_TEAM 256
#define R_GROUP 256
#define R_UNIT 1
#define R_ITEMS 0
#define R_HOLD 0
#define R_EXACT 0
#define R_BLOCK 32
#define R_SPLIT 1
#define R_IOTA 0, 1, 2, 3
#define R_COMBINE_0(a, b) ((((b) > (a)) | ((b) != (b))) ? (b) : (a))
#define R_COMBINE_1(a, b) ((a) + (b))
#define R_PARAMS global char * r_x0, ulong r_o0, long r_k0_0, long r_d0_0, global char * r_x1, ulong r_o1, long r_k1_0, long r_d1_0, ulong r_nk0, ulong r_nr0, global float * r_w0, global float * r_w1, 
#define R_PASS r_x0, r_o0, r_k0_0, r_d0_0, r_x1, r_o1, r_k1_0, r_d1_0, r_nk0, r_nr0, r_w0, r_w1, 
#define R_ROOM local float r_l0[R_GROUP]; local float r_l1[R_GROUP]; 
#define R_USE_ROOM r_row_.l0 = r_l0; r_row_.l1 = r_l1; 
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
  global char *q1;
  long k1, d1_0;
  float n_m;
  local float *l0;
  global float *w0;
  float n_s;
  local float *l1;
  global float *w1;
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
  r_r->w0 = r_w0;
  r_r->w1 = r_w1;
}
#undef W_LANES
#undef W_BOOL
#define W_LANES
#define W_BOOL int
static void r_post0(r_row *r_r) {
}
static void r_post1(r_row *r_r) {
}
#undef W_LANES
#undef W_BOOL
#define W_LANES 4
#define W_BOOL int

#undef R_PH
#define R_PH(name) name##0
#undef R_WALKS
#define R_WALKS 0
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
#undef R_STORE_PARTS
#define R_STORE_PARTS r_r->w0[(size_t)r_r->part * r_r->rows + r_r->o] = r_f0; 
#undef R_REJOIN_ALL
#define R_REJOIN_ALL float r_f0 = -INFINITY; R_REJOIN(R_COMBINE_0, r_r->w0, r_f0) R_JOIN(R_COMBINE_0, r_r->l0, r_f0) 

#undef R_PH
#define R_PH(name) name##1
#undef R_WALKS
#define R_WALKS 0
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
#undef R_STORE_PARTS
#define R_STORE_PARTS r_r->w1[(size_t)r_r->part * r_r->rows + r_r->o] = r_f1; 
#undef R_REJOIN_ALL
#define R_REJOIN_ALL float r_f1 = 0; R_REJOIN(R_COMBINE_1, r_r->w1, r_f1) R_JOIN(R_COMBINE_1, r_r->l1, r_f1) 

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
#undef R_STORE_PARTS
#define R_STORE_PARTS 
#undef R_REJOIN_ALL
#define R_REJOIN_ALL 
static void r_map2(r_row *r_r, const R_IDX r_u, const R_IDX r_j) {
  const R_IDX r_i0 = r_j;
  global const char *r_p0 = r_r->q0 + (size_t)(r_i0) * 4;
  const w_float x = w_load_aligned(float, (global const float *)r_p0, 0);
  const w_float m = (w_float)(r_r->n_m);
  const w_float s = (w_float)(r_r->n_s);
  w_float e;
  {
  w_float s;
  { e = exp(x - m); s = e;;
  }
  }
  w_float y;
  { y = e / s;;
  }
  {
  global char *r_p1 = r_r->q1 + (size_t)(r_i0) * 4;
  w_store_aligned(float, y, (global float *)r_p1, 0);
  }
}
#undef R_MAP
#define R_MAP(u, j) { r_map2(r_r, u, j); }

#define R_PHASES r_rejoin0(r_r); r_rejoin1(r_r); r_phase2(r_r); 
