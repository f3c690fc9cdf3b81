#define WORD ulong
#define INDEX_T long
#define IS_SIGNED 1
#define ga_index int
#define ROWS 4
#define PART 1
#define STRIDES 
#define SOURCE(k) (k)
