#define W_LANES 8
#define LANES 8
#define STORED ushort
#define WORK float
#define PUT(v) ga_to_half(v)
#define UNIFORM(z) (w_to_float((z & 0x7FFFu) + 1u) * 3.0458e-05f)
#define WHAT DRAW_UNIFORM
