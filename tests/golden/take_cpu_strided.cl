#define WORD uint
#define INDEX_T long
#define IS_SIGNED 1
#define ga_index long
#define STRIDES , const long ga_n0, const long ga_s0, const long ga_n1, const long ga_s1
#define SOURCE(k) ((k) % ga_n0 * ga_s0 + (k) / ga_n0 * ga_s1)
