/* SPDX-License-Identifier: BSD-2-Clause */
/* The types as users' expressions and kernels name them. */
#define ga_bool uchar
#define ga_byte char
#define ga_ubyte uchar
#define ga_short short
#define ga_ushort ushort
#define ga_int int
#define ga_uint uint
#define ga_long long
#define ga_ulong ulong
#define ga_float float
#define ga_double double
#define ga_size ulong
#define ga_ssize long
