#define W_LANES
#define LANES 1
#define STORED double
#define WORK double
#define PUT(v) (v)
#define UNIFORM(z) (w_to_double(z) * 0x1p-31)
#define WHAT DRAW_NORMAL
