#define T float
#define W float
#define W4 float4
#define LD(p) (*(p))
#define ST(v, p) (*(p) = (v))
#define LD4(p) vload4(0, p)
#define ST4(v, p) vstore4(v, 0, p)
#ifdef __clang__
#define PLAIN_LOOP _Pragma("clang loop vectorize(disable)") \
  _Pragma("clang loop unroll(disable)")
#define ONCE __attribute__((noinline))
#else
#define PLAIN_LOOP
#define ONCE
#endif
#if defined(__x86_64__) || defined(__aarch64__)
#define FETCH(p) __builtin_prefetch((const void *)(ulong)(p))
#else
#define FETCH(p)
#endif
#define VL 16
#define WV float16
#define LOADW(i, p) vload16(i, p)
#define STOREW(v, i, p) vstore16(v, i, p)
#define LDV(p) vload16(0, p)
#define STV(v, p) vstore16(v, 0, p)
#define W2 float2
#define SWAP(v) (v).s1032547698badcfe
#define PAIRS(x, y) ((WV)(x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y))
#define MR 6
#define NV 2
