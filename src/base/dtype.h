/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of dtypes (GA_BOOL to GA_CDOUBLE, GA_HALF, GA_BFLOAT) that
 * gpuarray_get_type does not give. */
#ifndef BASE_DTYPE_H
#define BASE_DTYPE_H

#include <stddef.h>
#include <stdint.h>

#include <gpuarray/types.h>
#include <gpuarray/util.h>

typedef enum ga__kind {
  GA_KIND_NONE = 0, /* not a dtype that arrays compute with */
  GA_KIND_BOOL,
  GA_KIND_INT,
  GA_KIND_UINT,
  GA_KIND_FLOAT, /* half, bfloat, float, double */
  GA_KIND_COMPLEX
} ga__kind;

/* Canonical typecodes (ga__dtype_canon) are below this. */
enum { GA_DTYPES = GA_BFLOAT + 1 };

/* The type of a typecode, or NULL. Not owned. */
const gpuarray_type *ga__type_of(int typecode);
/* The device's alignment of an element in bytes, a power of two. */
size_t ga__type_align(const gpuarray_type *t);

typedef struct ga__dtype {
  ga__kind kind;
  unsigned char bytes;
  const char *name; /* NumPy's */
  const char *cl;   /* OpenCL C; complex types are structs of the prelude */
  short digits;     /* of a float: bits of the significand */
  short range;      /* of a float: 2^range is the least power that overflows */
} ga__dtype;

/* By typecode; zeros for those that are not supported. Entries of GA_SIZE and
 * GA_SSIZE have a kind and bytes. */
extern const ga__dtype ga__dtypes[GA_DTYPES];

static inline ga__kind ga__dtype_kind(int typecode) {
  return typecode >= 0 && typecode < GA_DTYPES ? ga__dtypes[typecode].kind
                                               : GA_KIND_NONE;
}

static inline int ga__dtype_is_complex(int typecode) {
  return ga__dtype_kind(typecode) == GA_KIND_COMPLEX;
}

/* Bytes; 0 if unknown. */
static inline size_t ga__dtype_size(int typecode) {
  return typecode >= 0 && typecode < GA_DTYPES ? ga__dtypes[typecode].bytes : 0;
}

/* NumPy's name: "float32", "uint8", "bool", "complex64"; "?" if unknown. */
const char *ga__dtype_name(int typecode);
/* The typecode of a NumPy name, or -1. */
int ga__dtype_from_name(const char *name);
/* OpenCL C storage type: "float", "uchar" (bool, uint8), "half", ... The
 * cl/narrow.cl defines "bfloat". */
const char *ga__dtype_cl(int typecode);
/* Is it a narrow float: half or bfloat? These are stored in 16 bits and worked
 * with as float. Functions of cl/narrow.cl have the OpenCL C name of the type
 * in theirs: ga_from_half, ga_to_bfloat4. */
int ga__dtype_is_narrow(int typecode);
/* The work type: float for narrow floats, else the dtype itself. */
int ga__dtype_work(int typecode);
/* For a float dtype: the distance from 1 to the next number (also for the parts
 * of a complex dtype), the smallest positive normal number, the largest finite
 * number. */
double ga__dtype_epsilon(int typecode);
double ga__dtype_smallest(int typecode);
double ga__dtype_largest(int typecode);
/* The dtype of the real part of a complex dtype; for others, ga__dtype_canon.
 */
int ga__dtype_real(int typecode);
/* The complex dtype whose parts have the dtype `typecode`, GA_FLOAT or
 * GA_DOUBLE; a complex dtype itself. */
int ga__dtype_complex(int typecode);
/* The dtype of fixed width: GA_ULONG for GA_SIZE, GA_LONG for GA_SSIZE (GA_UINT
 * and GA_INT where size_t has 32 bits), else the dtype itself. */
int ga__dtype_canon(int typecode);

/* Nonzero if `to` can represent every value of `from`. A float represents the
 * integers that fit into its fraction: float32 all of int16, float64 all of
 * int32, neither all of int64. */
int ga__dtype_holds(int to, int from);

/* For an integer dtype, the integer v modulo 2^bits, as C converts between
 * integers; for other dtypes, v. */
double ga__dtype_wrap(int typecode, double v);
/* Convert one host element to double and back. For complex dtypes that is the
 * real part; the imaginary part becomes 0. int64 beyond 2^53 loses bits.
 * Conversion to an integer rounds towards zero and saturates, and NaN gives 0.
 * `p` need not be aligned. */
double ga__dtype_to_double(int typecode, const void *p);
void ga__dtype_from_double(int typecode, void *p, double v);
/* Set an element that is not complex to its bits, the low ones of `bits`. */
void ga__dtype_from_bits(int typecode, void *p, uint64_t bits);

/* Write an element of a real dtype as text, for messages. */
enum { GA_ELEMENT_TEXT = 32 };
void ga__dtype_print(int typecode, const void *p, char text[GA_ELEMENT_TEXT]);

#endif
