#define T double
#define W double
#define W4 double4
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
#define VL 8
#define WV double8
#define LOADW(i, p) vload8(i, p)
#define STOREW(v, i, p) vstore8(v, i, p)
#define LDV(p) vload8(0, p)
#define STV(v, p) vstore8(v, 0, p)
#define ALONG 2
#define PARTS 1
#define SUM 0
#define WI1 long
#define WI long8
#define LOADI(i, p) vload8(i, p)
#define X_UNIT 0
#define Y_UNIT 0
#define WIDTH 4
#define LINE 1
