#define P_WORD double
#define P_VALUE ushort
#define W_LANES
#define W_BOOL int
#define P_MOVE(a, v) { const w_double x_ = a; w_half y_; const float odd_ = convert_float_rtz(x_); y_ = as_float(as_int(odd_) | ((double)odd_ != x_)); v = ga_to_half(y_); }
#define P_IDX uint
#define P_INDEX int
#define P_SIGNED 1
#define P_NUMBER int
#define P_CLAMP 1
#define P_FIXED 1
#define P_PART 0
#define P_SIZES , const long la0, const long la1, const long lv0, const long lv1, const long li0, const long li1, const ulong ln0, const ulong ln1
#define P_BASES(line) const P_IDX lq1 = (P_IDX)(line); global char *pa = ga + oa + (long)lq1 * la1; global char *pv = gv + ov + (long)lq1 * lv1; global const char *pi = gi + oi + (long)lq1 * li1; 
#define P_A(j) (size_t)(j) * sizeof(P_WORD)
#define P_V(j) (size_t)(j) * sizeof(P_VALUE)
#define P_I(j) 0
#define P_BLOCK 64
#define P_NEXT la1
