#define WORD ulong
#define INDEX_T long
#define IS_SIGNED 1
#define CHUNKED 0
#define CHECK 1
#define ga_index int
#define PART 4
#define STRIDES 
#define SOURCE(k) (k)
