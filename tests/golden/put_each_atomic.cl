#define P_WORD float
#define P_VALUE P_WORD
#define P_SPACE global
static void p_add(volatile P_SPACE float *p, float v) {
  volatile P_SPACE uint *q = (volatile P_SPACE uint *)p;
  uint old = *q, seen;
  while ((seen = atomic_cmpxchg(q, old, as_uint(as_float(old) + v))) != old)
    old = seen;
}
#define P_MOVE(a, v) { p_add(&(a), v); }
#define P_IDX ulong
#define P_INDEX uint
#define P_SIGNED 0
#define P_NUMBER int
#define P_CLAMP 0
#define P_FIXED 1
#define P_PART 0
#define P_SIZES , const long la0, const long la1, const long lv0, const long lv1, const long li0, const long li1, const ulong ln0, const ulong ln1
#define P_BASES(line) const P_IDX lq1 = (P_IDX)(line); global char *pa = ga + oa + (long)lq1 * la1; global char *pv = gv + ov + (long)lq1 * lv1; global const char *pi = gi + oi + (long)lq1 * li1; 
#define P_A(j) (size_t)(j) * sizeof(P_WORD)
#define P_V(j) (size_t)(j) * sizeof(P_VALUE)
#define P_I(j) 0
#define P_BLOCK 64
#define P_NEXT la1
