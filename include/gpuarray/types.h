/* SPDX-License-Identifier: BSD-2-Clause */
/** \file types.h
 * The element types of arrays and the argument types of kernels. */
#ifndef GPUARRAY_TYPES_H
#define GPUARRAY_TYPES_H

#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A type; see gpuarray_get_type(). */
typedef struct _gpuarray_type {
  const char *cluda_name; /**< its name in kernels, such as "ga_float" */
  size_t size;            /**< bytes of one element */
  size_t align;           /**< bytes; addresses are multiples of this */
  int typecode;           /**< a GPUARRAY_TYPES value, or a registered one */
} gpuarray_type;

/** The numbers are NumPy's where NumPy has the type. */
enum GPUARRAY_TYPES {
  GA_BUFFER = -1,    /**< a gpudata *, as a kernel argument */
  GA_BOOL = 0,       /**< one byte, 0 or 1 */
  GA_BYTE = 1,       /**< int8 */
  GA_UBYTE = 2,      /**< uint8 */
  GA_SHORT = 3,      /**< int16 */
  GA_USHORT = 4,     /**< uint16 */
  GA_INT = 5,        /**< int32 */
  GA_UINT = 6,       /**< uint32 */
  GA_LONG = 7,       /**< int64 on every platform */
  GA_ULONG = 8,      /**< uint64 on every platform */
  GA_LONGLONG = 9,   /**< number reserved */
  GA_ULONGLONG = 10, /**< number reserved */
  GA_FLOAT = 11,     /**< IEEE binary32 */
  GA_DOUBLE = 12,    /**< IEEE binary64 */
  GA_QUAD = 13,      /**< number reserved */
  GA_CFLOAT = 14,    /**< two floats: real, imaginary */
  GA_CDOUBLE = 15,   /**< two doubles: real, imaginary */
  GA_CQUAD = 16,     /**< number reserved */
  GA_HALF = 23,      /**< IEEE binary16 */
  GA_SIZE = 24,      /**< size_t, as a kernel argument */
  GA_SSIZE = 25,     /**< ssize_t, as a kernel argument */
  GA_NBASE = 26,     /**< end of libgpuarray 0.7.6's scalar types */
  GA_BFLOAT = 32,    /**< bfloat16: the upper 16 bits of a binary32 */
  GA_DELIM = 255,    /**< where vector types start */

  /* OpenCL vectors; the digits are the count of components. */
  GA_BYTE2 = 256,
  GA_UBYTE2 = 257,
  GA_BYTE3 = 258,
  GA_UBYTE3 = 259,
  GA_BYTE4 = 260,
  GA_UBYTE4 = 261,
  GA_BYTE8 = 262,
  GA_UBYTE8 = 263,
  GA_BYTE16 = 264,
  GA_UBYTE16 = 265,
  GA_SHORT2 = 266,
  GA_USHORT2 = 267,
  GA_SHORT3 = 268,
  GA_USHORT3 = 269,
  GA_SHORT4 = 270,
  GA_USHORT4 = 271,
  GA_SHORT8 = 272,
  GA_USHORT8 = 273,
  GA_SHORT16 = 274,
  GA_USHORT16 = 275,
  GA_INT2 = 276,
  GA_UINT2 = 277,
  GA_INT3 = 278,
  GA_UINT3 = 279,
  GA_INT4 = 280,
  GA_UINT4 = 281,
  GA_INT8 = 282,
  GA_UINT8 = 283,
  GA_INT16 = 284,
  GA_UINT16 = 285,
  GA_LONG2 = 286,
  GA_ULONG2 = 287,
  GA_LONG3 = 288,
  GA_ULONG3 = 289,
  GA_LONG4 = 290,
  GA_ULONG4 = 291,
  GA_LONG8 = 292,
  GA_ULONG8 = 293,
  GA_LONG16 = 294,
  GA_ULONG16 = 295,
  GA_FLOAT2 = 296,
  GA_FLOAT4 = 297,
  GA_FLOAT8 = 298,
  GA_FLOAT16 = 299,
  GA_DOUBLE2 = 300,
  GA_DOUBLE4 = 301,
  GA_DOUBLE8 = 302,
  GA_DOUBLE16 = 303,
  GA_HALF2 = 304,
  GA_HALF4 = 305,
  GA_HALF8 = 306,
  GA_HALF16 = 307,
  GA_NVEC = 308,  /**< end of the vector types */
  GA_ENDVEC = 512 /**< where registered types start */
};

#ifdef __cplusplus
}
#endif

#endif
