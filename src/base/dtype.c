/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of dtypes, in one table, and conversions of elements. */
#include "base/dtype.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/half.h"

/* Typecodes without an entry are not supported: GA_LONGLONG is an integer of
 * 128 bits, which OpenCL 1.2 does not have. */
const ga__dtype ga__dtypes[GA_DTYPES] = {
    [GA_BOOL] = {GA_KIND_BOOL, 1, "bool", "uchar", 0, 0},
    [GA_BYTE] = {GA_KIND_INT, 1, "int8", "char", 0, 0},
    [GA_UBYTE] = {GA_KIND_UINT, 1, "uint8", "uchar", 0, 0},
    [GA_SHORT] = {GA_KIND_INT, 2, "int16", "short", 0, 0},
    [GA_USHORT] = {GA_KIND_UINT, 2, "uint16", "ushort", 0, 0},
    [GA_INT] = {GA_KIND_INT, 4, "int32", "int", 0, 0},
    [GA_UINT] = {GA_KIND_UINT, 4, "uint32", "uint", 0, 0},
    [GA_LONG] = {GA_KIND_INT, 8, "int64", "long", 0, 0},
    [GA_ULONG] = {GA_KIND_UINT, 8, "uint64", "ulong", 0, 0},
    [GA_FLOAT] = {GA_KIND_FLOAT, 4, "float32", "float", 24, 128},
    [GA_DOUBLE] = {GA_KIND_FLOAT, 8, "float64", "double", 53, 1024},
    [GA_CFLOAT] = {GA_KIND_COMPLEX, 8, "complex64", "ga_cfloat", 0, 0},
    [GA_CDOUBLE] = {GA_KIND_COMPLEX, 16, "complex128", "ga_cdouble", 0, 0},
    [GA_HALF] = {GA_KIND_FLOAT, 2, "float16", "half", 11, 16},
    [GA_BFLOAT] = {GA_KIND_FLOAT, 2, "bfloat16", "bfloat", 8, 128},
    /* Other names of dtypes (ga__dtype_canon). */
    [GA_SIZE] = {.kind = GA_KIND_UINT, .bytes = sizeof(size_t)},
    [GA_SSIZE] = {.kind = GA_KIND_INT, .bytes = sizeof(size_t)},
};

static const ga__dtype *dtype_of(int typecode) {
  static const ga__dtype none = {.kind = GA_KIND_NONE, .name = "?", .cl = "?"};

  typecode = ga__dtype_canon(typecode);
  if (typecode < 0 || typecode >= GA_DTYPES ||
      ga__dtypes[typecode].kind == GA_KIND_NONE)
    return &none;
  return &ga__dtypes[typecode];
}

const gpuarray_type *ga__type_of(int typecode) {
  const gpuarray_type *t = gpuarray_get_type(typecode);

  return t->size != 0 ? t : NULL;
}

size_t ga__type_align(const gpuarray_type *t) {
  return t->align != 0 ? t->align : t->size;
}

const char *ga__dtype_name(int typecode) {
  return dtype_of(typecode)->name;
}

int ga__dtype_from_name(const char *name) {
  for (int i = 0; i < GA_DTYPES; i++)
    if (ga__dtypes[i].name != NULL && strcmp(ga__dtypes[i].name, name) == 0)
      return i;
  return -1;
}

const char *ga__dtype_cl(int typecode) {
  return dtype_of(typecode)->cl;
}

int ga__dtype_is_narrow(int typecode) {
  return typecode == GA_HALF || typecode == GA_BFLOAT;
}

int ga__dtype_work(int typecode) {
  return ga__dtype_is_narrow(typecode) ? GA_FLOAT : typecode;
}

double ga__dtype_epsilon(int typecode) {
  return ldexp(1, 1 - dtype_of(ga__dtype_real(typecode))->digits);
}

double ga__dtype_smallest(int typecode) {
  return ldexp(1, 2 - dtype_of(typecode)->range);
}

double ga__dtype_largest(int typecode) {
  const ga__dtype *t = dtype_of(typecode);

  return ldexp(1 - ldexp(1, -t->digits), t->range);
}

int ga__dtype_canon(int typecode) {
  switch (typecode) {
  case GA_SIZE:
    return sizeof(size_t) == 8 ? GA_ULONG : GA_UINT;
  case GA_SSIZE:
    return sizeof(size_t) == 8 ? GA_LONG : GA_INT;
  default:
    return typecode;
  }
}

int ga__dtype_real(int typecode) {
  const int type = ga__dtype_canon(typecode);

  return type == GA_CFLOAT ? GA_FLOAT : type == GA_CDOUBLE ? GA_DOUBLE : type;
}

int ga__dtype_complex(int typecode) {
  return ga__dtype_real(typecode) == GA_DOUBLE ? GA_CDOUBLE : GA_CFLOAT;
}

int ga__dtype_holds(int to, int from) {
  const ga__dtype *const t = dtype_of(to);
  const ga__kind kt = t->kind, kf = ga__dtype_kind(from);
  const size_t nt = 8 * ga__dtype_size(to), nf = 8 * ga__dtype_size(from);

  if (kt == GA_KIND_NONE || kf == GA_KIND_NONE)
    return 0;
  if (kf == GA_KIND_BOOL)
    return 1;
  if (kt == kf) /* neither narrow float holds the other */
    return nt > nf || t == dtype_of(from);
  if (kt == GA_KIND_COMPLEX) /* its real part must hold it */
    return ga__dtype_holds(ga__dtype_real(to), from);
  if (kt == GA_KIND_FLOAT)
    return kf != GA_KIND_COMPLEX && (size_t)t->digits >= nf;
  return kf == GA_KIND_UINT && kt == GA_KIND_INT && nt > nf;
}

/* One element, or one part of a complex one, copied from or to memory that may
 * be unaligned. */
typedef union element {
  int8_t i8;
  int16_t i16;
  int32_t i32;
  int64_t i64;
  uint8_t u8;
  uint16_t u16; /* also narrow floats */
  uint32_t u32;
  uint64_t u64;
  float f32;
  double f64;
} element;

static double load_int(size_t bytes, const void *p) {
  element e;

  memcpy(&e, p, bytes);
  return bytes == 1   ? e.i8
         : bytes == 2 ? e.i16
         : bytes == 4 ? e.i32
                      : (double)e.i64;
}

static double load_uint(size_t bytes, const void *p) {
  element e;

  memcpy(&e, p, bytes);
  return bytes == 1   ? e.u8
         : bytes == 2 ? e.u16
         : bytes == 4 ? e.u32
                      : (double)e.u64;
}

static double load_float(int typecode, const void *p) {
  element e;

  memcpy(&e, p, ga__dtype_size(typecode));
  switch (typecode) {
  case GA_HALF:
    return (double)ga__half_to_float(e.u16);
  case GA_BFLOAT:
    return (double)ga__bfloat_to_float(e.u16);
  case GA_FLOAT:
    return (double)e.f32;
  default:
    return e.f64;
  }
}

double ga__dtype_to_double(int typecode, const void *p) {
  const ga__dtype *t = dtype_of(typecode);

  switch (t->kind) {
  case GA_KIND_BOOL:
    return load_uint(1, p) != 0;
  case GA_KIND_INT:
    return load_int(t->bytes, p);
  case GA_KIND_UINT:
    return load_uint(t->bytes, p);
  case GA_KIND_FLOAT:
  case GA_KIND_COMPLEX:
    return load_float(ga__dtype_real(typecode), p);
  default:
    return 0;
  }
}

/* Round v towards zero and clamp it to [lo, 2^bits), as two's complement bits;
 * NaN gives 0. In C, conversions out of range are undefined. */
static uint64_t clamp_to_bits(double v, double lo, int bits) {
  const double end = (double)((uint64_t)1 << (bits - 1)) * 2;

  if (!(v > lo))
    v = v <= lo ? lo : 0;
  if (v >= end)
    return UINT64_MAX >> (64 - bits);
  return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
}

/* Store the low `bytes` bytes of `u` in the host's byte order. */
static void store_bits(size_t bytes, void *p, uint64_t u) {
  element e = {.u64 = u};

  if (bytes == 1)
    e.u8 = (uint8_t)u;
  else if (bytes == 2)
    e.u16 = (uint16_t)u;
  else if (bytes == 4)
    e.u32 = (uint32_t)u;
  memcpy(p, &e, bytes);
}

static void store_float(int typecode, void *p, double v) {
  element e = {.f64 = v};

  if (typecode == GA_HALF)
    e.u16 = ga__half_from_double(v);
  else if (typecode == GA_BFLOAT)
    e.u16 = ga__bfloat_from_double(v);
  else if (typecode == GA_FLOAT)
    e.f32 = (float)v;
  memcpy(p, &e, ga__dtype_size(typecode));
}

double ga__dtype_wrap(int typecode, double v) {
  const ga__dtype *t = dtype_of(typecode);
  const double range = ldexp(1, 8 * t->bytes);

  if (t->kind != GA_KIND_INT && t->kind != GA_KIND_UINT)
    return v;
  v = fmod(v, range);
  if (t->kind == GA_KIND_INT)
    return v >= range / 2 ? v - range : v < -range / 2 ? v + range : v;
  return v < 0 ? v + range : v;
}

void ga__dtype_from_double(int typecode, void *p, double v) {
  const ga__dtype *t = dtype_of(typecode);
  const int real = ga__dtype_real(typecode);
  const int bits = 8 * t->bytes;
  double lowest;

  switch (t->kind) {
  case GA_KIND_BOOL:
    store_bits(1, p, v != 0);
    break;
  case GA_KIND_INT:
    lowest = -(double)((uint64_t)1 << (bits - 1));
    store_bits(t->bytes, p, clamp_to_bits(v, lowest, bits - 1));
    break;
  case GA_KIND_UINT:
    store_bits(t->bytes, p, clamp_to_bits(v, 0, bits));
    break;
  case GA_KIND_FLOAT:
    store_float(real, p, v);
    break;
  case GA_KIND_COMPLEX:
    store_float(real, p, v);
    store_float(real, (unsigned char *)p + ga__dtype_size(real), 0);
    break;
  default:
    break;
  }
}

void ga__dtype_from_bits(int typecode, void *p, uint64_t bits) {
  store_bits(ga__dtype_size(typecode), p, bits);
}

void ga__dtype_print(int typecode, const void *p, char text[GA_ELEMENT_TEXT]) {
  const int type = ga__dtype_canon(typecode);
  element e;

  memcpy(&e, p, ga__dtype_size(type));
  if (type == GA_LONG)
    snprintf(text, GA_ELEMENT_TEXT, "%lld", (long long)e.i64);
  else if (type == GA_ULONG)
    snprintf(text, GA_ELEMENT_TEXT, "%llu", (unsigned long long)e.u64);
  else
    snprintf(text, GA_ELEMENT_TEXT, "%.*g", type == GA_DOUBLE ? 17 : 9,
             ga__dtype_to_double(type, p));
}
