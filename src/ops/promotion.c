/* SPDX-License-Identifier: BSD-2-Clause */
/* Common dtypes of operands. docs/dtypes.md has this table, too. */
#include "ops/ops.h"

enum { B, I8, U8, I16, U16, I32, U32, I64, U64, BF, F16, F32, F64, N_DTYPES };

static const int dtypes[N_DTYPES] = {
    [B] = GA_BOOL,     [I8] = GA_BYTE,   [U8] = GA_UBYTE, [I16] = GA_SHORT,
    [U16] = GA_USHORT, [I32] = GA_INT,   [U32] = GA_UINT, [I64] = GA_LONG,
    [U64] = GA_ULONG,  [BF] = GA_BFLOAT, [F16] = GA_HALF, [F32] = GA_FLOAT,
    [F64] = GA_DOUBLE};

/* clang-format off */
static const unsigned char common[N_DTYPES][N_DTYPES] = {
    /*         B   I8   U8  I16  U16  I32  U32  I64  U64   BF  F16  F32  F64 */
    [B]   = {  B,  I8,  U8, I16, U16, I32, U32, I64, U64,  BF, F16, F32, F64},
    [I8]  = { I8,  I8, I16, I16, I32, I32, I64, I64, I64,  BF, F16, F32, F64},
    [U8]  = { U8, I16,  U8, I16, U16, I32, U32, I64, U64,  BF, F16, F32, F64},
    [I16] = {I16, I16, I16, I16, I32, I32, I64, I64, I64,  BF, F16, F32, F64},
    [U16] = {U16, I32, U16, I32, U16, I32, U32, I64, U64,  BF, F16, F32, F64},
    [I32] = {I32, I32, I32, I32, I32, I32, I64, I64, I64,  BF, F16, F32, F64},
    [U32] = {U32, I64, U32, I64, U32, I64, U32, I64, U64,  BF, F16, F32, F64},
    [I64] = {I64, I64, I64, I64, I64, I64, I64, I64, I64,  BF, F16, F32, F64},
    [U64] = {U64, I64, U64, I64, U64, I64, U64, I64, U64,  BF, F16, F32, F64},
    [BF]  = { BF,  BF,  BF,  BF,  BF,  BF,  BF,  BF,  BF,  BF, F32, F32, F64},
    [F16] = {F16, F16, F16, F16, F16, F16, F16, F16, F16, F32, F16, F32, F64},
    [F32] = {F32, F32, F32, F32, F32, F32, F32, F32, F32, F32, F32, F32, F64},
    [F64] = {F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64}};
/* clang-format on */

/* The row and column of a dtype of graphs. */
static unsigned int position(int dtype) {
  unsigned int i = 0;

  while (i < N_DTYPES - 1 && dtypes[i] != dtype)
    i++;
  GA_ASSERT(dtypes[i] == dtype);
  return i;
}

/* With a complex operand: the complex dtype whose parts hold what the real
 * dtypes have in common. */
static int common_complex(int a, int b) {
  const int part = gg__common_dtype(ga__dtype_real(a), ga__dtype_real(b));

  return part == GA_DOUBLE ? GA_CDOUBLE : GA_CFLOAT;
}

int gg__common_dtype(int a, int b) {
  if (a == b)
    return a;
  if (ga__dtype_is_complex(a) || ga__dtype_is_complex(b))
    return common_complex(a, b);
  return dtypes[common[position(a)][position(b)]];
}

int gg__weak_dtype(int dtype, int is_real) {
  if (dtype >= 0 && gg__float_dtype(dtype) == dtype)
    return dtype;
  if (is_real)
    return GA_FLOAT;
  return dtype < 0 || dtype == GA_BOOL ? GA_LONG : dtype;
}

int gg__weak_fits(double value, int dtype) {
  double room[2] = {0, 0}; /* as large as the largest element */

  if (!gg__is_integer(dtype))
    return 1;
  ga__dtype_from_double(dtype, room, value);
  return ga__dtype_to_double(dtype, room) == value;
}

int gg__common_dtype_of(unsigned int n, gg_var *const *x) {
  int dtype = -1;
  unsigned int n_strong = 0;
  double value;

  for (unsigned int i = 0; i < n; i++)
    if (gg_var_weak(x[i], &value) == GG_STRONG) {
      const int own = gg_var_type(x[i])->dtype;
      dtype = n_strong++ == 0 ? own : gg__common_dtype(dtype, own);
    }
  if (n_strong == n)
    return dtype;
  for (unsigned int i = 0; i < n; i++) {
    const gg_weakness weak = gg_var_weak(x[i], &value);
    if (weak != GG_STRONG)
      dtype = gg__weak_dtype(dtype, weak == GG_WEAK_REAL);
  }
  return dtype;
}

int gg__float_dtype(int dtype) {
  const ga__kind kind = ga__dtype_kind(dtype);

  return kind == GA_KIND_FLOAT || kind == GA_KIND_COMPLEX ? dtype : GA_FLOAT;
}
