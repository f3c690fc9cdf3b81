#define P_WORD float
#define P_VALUE P_WORD
#define P_MOVE(a, v) { a += v; }
#define P_IDX uint
#define P_INDEX int
#define P_SIGNED 1
#define P_NUMBER int
#define P_CLAMP 0
#define P_FIXED 1
#define P_PART 4
#define P_LAST 0
#define P_ALONG 1
#define P_ALL 0
#define P_TURNS 4
#define P_ORDER uint
#define P_SIZES , const long la0, const long la1, const long lv0, const long lv1, const long li0, const long li1, const ulong ln0, const ulong ln1, const long sv0, const long sv1, const long si0, const long si1, const ulong sn0, const ulong sn1
#define P_BASES(line) const P_IDX lq1 = (P_IDX)(line); global char *pa = ga + oa + (long)lq1 * la1; global char *pv = gv + ov + (long)lq1 * lv1; global const char *pi = gi + oi + (long)lq1 * li1; 
#define P_STEP(k) const P_IDX sq0 = (P_IDX)(k); const P_IDX sq1 = sq0 / (P_IDX)sn0; global char *qv = pv + (long)(sq0 % (P_IDX)sn0) * sv0 + (long)sq1 * sv1; global const char *qi = pi + (long)(sq0 % (P_IDX)sn0) * si0 + (long)sq1 * si1;
#define P_A(j) (size_t)(j) * sizeof(P_WORD)
#define P_V(j) (long)(j) * lv0
#define P_I(j) 0
