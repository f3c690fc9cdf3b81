#define P_IDX uint
#define P_INDEX int
#define P_SIGNED 1
#define P_NUMBER int
#define P_CLAMP 0
#define P_GROUP 256
#define P_SIZES , const long si0, const long si1, const ulong sn0, const ulong sn1
#define P_STEP(k) const P_IDX sq0 = (P_IDX)(k); const P_IDX sq1 = sq0 / (P_IDX)sn0; global const char *qi = pi + (long)(sq0 % (P_IDX)sn0) * si0 + (long)sq1 * si1;
