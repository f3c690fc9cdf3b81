#define T half
#define W float
#define W4 float4
#define LD(p) ga_load_half(p)
#define ST(v, p) ga_store_half(v, p)
#define LD4(p) ga_from_half4(GA_LOAD4((global const ushort *)(p)))
#define ST4(v, p) GA_STORE4(ga_to_half4(v), (global ushort *)(p))
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
#define LDV(p) ga_from_half16(GA_LOAD16((global const ushort *)(p)))
#define STV(v, p) GA_STORE16(ga_to_half16(v), (global ushort *)(p))
#define MR 8
#define NV 2
#define KC 256
#define PANELS 4
#define A_PACKED 1
#define B_PACKED 0
#define B_UNIT 2
#define C_UNIT 1
#define WIDE 1
