#define W_LANES 8
#define LANES 8
#define STORED ulong
#define WORK ulong
#define PUT(v) (v)
#define NEXT_BITS next_64
#define WHAT DRAW_BITS
