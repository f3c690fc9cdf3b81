#define P_WORD float
#define P_VALUE P_WORD
#define P_SPACE global
static void p_most(P_SPACE float *p, const float v) {
  const float a = *p;
  const uint to = isnan(v) ? 0x7fc00000U : as_uint(v);
  if (isnan(a) || a > v)
    return;
  if ((int)to >= 0)
    (void)atomic_max((volatile P_SPACE int *)p, (int)to);
  else
    (void)atomic_min((volatile P_SPACE uint *)p, to);
}
#define P_MOVE(a, v) { p_most(&(a), v); }
#define P_IDX uint
#define P_INDEX int
#define P_SIGNED 1
#define P_NUMBER int
#define P_CLAMP 0
#define P_FIXED 1
#define P_PART 4
#define P_SIZES , const long la0, const long la1, const long lv0, const long lv1, const long li0, const long li1, const ulong ln0, const ulong ln1
#define P_BASES(line) const P_IDX lq1 = (P_IDX)(line); global char *pa = ga + oa + (long)lq1 * la1; global char *pv = gv + ov + (long)lq1 * lv1; global const char *pi = gi + oi + (long)lq1 * li1; 
#define P_A(j) (size_t)(j) * sizeof(P_WORD)
#define P_V(j) (size_t)(j) * sizeof(P_VALUE)
#define P_I(j) 0
