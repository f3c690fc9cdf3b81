#define T float
#define W float
#define W4 float4
#define LD(p) (*(p))
#define ST(v, p) (*(p) = (v))
#define LD4(p) vload4(0, p)
#define ST4(v, p) vstore4(v, 0, p)
#define ALONG 1
#define PARTS 0
#define SUM 0
#define LANES 32
#define TEAMS 8
#define UNROLL 4
#define WIDE 0
#define TICKETS 0
#define PTX 0
