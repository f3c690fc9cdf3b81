/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversions between typecodes and DLPack's dtypes. */
#include "io/dlpack_type.h"

#include "base/dtype.h"
#include "base/err.h"

/* Typecodes of vectors begin at `vectors` and are `step` apart. Vectors of 3
 * lanes are left out: here they have the size of 4 lanes, in DLPack they do
 * not. */
typedef struct entry {
  int typecode;
  uint8_t code, bits;
  int vectors, step;
} entry;

static const entry entries[] = {
    {GA_BOOL, DL_BOOL, 8, 0, 0},
    {GA_BYTE, DL_INT, 8, GA_BYTE2, 2},
    {GA_UBYTE, DL_UINT, 8, GA_UBYTE2, 2},
    {GA_SHORT, DL_INT, 16, GA_SHORT2, 2},
    {GA_USHORT, DL_UINT, 16, GA_USHORT2, 2},
    {GA_INT, DL_INT, 32, GA_INT2, 2},
    {GA_UINT, DL_UINT, 32, GA_UINT2, 2},
    {GA_LONG, DL_INT, 64, GA_LONG2, 2},
    {GA_ULONG, DL_UINT, 64, GA_ULONG2, 2},
    {GA_HALF, DL_FLOAT, 16, GA_HALF2, 1},
    {GA_BFLOAT, DL_BFLOAT, 16, 0, 0},
    {GA_FLOAT, DL_FLOAT, 32, GA_FLOAT2, 1},
    {GA_DOUBLE, DL_FLOAT, 64, GA_DOUBLE2, 1},
    {GA_CFLOAT, DL_COMPLEX, 64, 0, 0},
    {GA_CDOUBLE, DL_COMPLEX, 128, 0, 0},
};

/* The typecode of an entry with 1, 2, 4, 8 or 16 lanes, or -1. */
static int with_lanes(const entry *e, unsigned int lanes) {
  const int place = lanes == 2    ? 0
                    : lanes == 4  ? 1
                    : lanes == 8  ? 2
                    : lanes == 16 ? 3
                                  : -1;

  if (lanes == 1)
    return e->typecode;
  if (e->vectors == 0 || place < 0)
    return -1;
  /* Typecodes of integer vectors of 3 lanes follow those of 2 lanes. */
  return e->vectors + e->step * (place + (e->step == 2 && place > 0));
}

int ga__dlpack_from_type(dl_type *out, int typecode) {
  const int canon = ga__dtype_canon(typecode);

  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    for (unsigned int lanes = 1; lanes <= 16; lanes *= 2) {
      if (with_lanes(&entries[i], lanes) != canon)
        continue;
      *out = (dl_type){entries[i].code, entries[i].bits, (uint16_t)lanes};
      return GA_NO_ERROR;
    }
  }
  return ga__fail(GA_UNSUPPORTED_ERROR, "DLPack has no type for typecode %d",
                  typecode);
}

int ga__dlpack_to_type(int *typecode, const dl_type *t) {
  *typecode = -1;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    if (entries[i].code == t->code && entries[i].bits == t->bits)
      *typecode = with_lanes(&entries[i], t->lanes);
  }
  if (*typecode >= 0)
    return GA_NO_ERROR;
  return ga__fail(GA_UNSUPPORTED_ERROR,
                  "no type for DLPack's code %u of %u bits, %u lanes", t->code,
                  t->bits, t->lanes);
}
