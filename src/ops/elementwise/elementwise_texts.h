/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenCL C of the ops of elementwise.def; gpugraph/op.h says what %0, %T and
 * others stand for. */
#ifndef OPS_ELEMENTWISE_ELEMENTWISE_TEXTS_H
#define OPS_ELEMENTWISE_ELEMENTWISE_TEXTS_H

/* Nonzero where the truncated quotient must be corrected by 1 and the remainder
 * by one divisor. */
#define SIGNS_DIFFER(r, d)                                                     \
  "((" r " != (%T)(0)) & ((" r " < (%T)(0)) ^ (" d " < (%T)(0))))"
#define FMOD "fmod(%0, %1)"

/* Divisors that can trap are replaced by 1: 0, and -1, with which the smallest
 * integer overflows. */
#define DIVISOR "(((%1 == (%T)(0)) | (%1 == (%T)(-1))) ? (%T)(1) : %1)"
#define REMAINDER "(%0 %% " DIVISOR ")"
#define UDIVISOR "(%1 == (%T)(0) ? (%T)(1) : %1)"

/* The quotient has the sign of a / b and the remainder that of b, also if they
 * are 0. */
#define FLOORDIV                                                               \
  "(%1 == (%T)(0) ? %0 / %1 : copysign(rint((%0 - " FMOD                       \
  ") / %1) - (" SIGNS_DIFFER(FMOD, "%1") " ? (%T)(1) : (%T)(0)), %0 / %1))"
#define FLOORMOD                                                               \
  "(" FMOD " == (%T)(0) ? copysign(" FMOD ", %1) : " FMOD                      \
  " + (" SIGNS_DIFFER(FMOD, "%1") " ? %1 : (%T)(0)))"
#define INT_FLOORDIV                                                           \
  "(%1 == (%T)(0) ? (%T)(0) : (%1 == (%T)(-1) ? (%T)(0) - %0 : %0 / " DIVISOR  \
  " - (" SIGNS_DIFFER(REMAINDER, "%1") " ? (%T)(1) : (%T)(0))))"
#define INT_FLOORMOD                                                           \
  "(" REMAINDER " + (" SIGNS_DIFFER(REMAINDER, "%1") " ? %1 : (%T)(0)))"
#define UINT_FLOORDIV "(%1 == (%T)(0) ? (%T)(0) : %0 / " UDIVISOR ")"
#define UINT_FLOORMOD "(%1 == (%T)(0) ? (%T)(0) : %0 %% " UDIVISOR ")"

/* All bits are set in -1. Shifts by as many take the count modulo that. */
#define WIDTH "popcount((%T)(-1))"
#define IS_WITHIN "((%1 >= (%T)(0)) & (%1 < " WIDTH "))"
#define LEFT_SHIFT "(" IS_WITHIN " ? %0 << %1 : (%T)(0))"
#define RIGHT_SHIFT "(%0 >> (" IS_WITHIN " ? %1 : " WIDTH " - (%T)(1)))"
#define URIGHT_SHIFT "(" IS_WITHIN " ? %0 >> %1 : (%T)(0))"

#define HAS_NO_PARTS "((%0 == (%I)(0)) | !(fabs(%0) < (%I)(INFINITY)))"
#define MANTISSA "(" HAS_NO_PARTS " ? %0 : ldexp(%0, (w_int)(-1) - ilogb(%0)))"
/* The exponent of 0.5 is 0. */
#define EXPONENT "(ilogb(" HAS_NO_PARTS " ? (%I)(0.5) : %0) + (w_int)(1))"

#define NEXT "w_nextafter_%t(%0, %1)"

#define SIGN "(%0 > (%T)(0) ? (%T)(1) : (%0 < (%T)(0) ? (%T)(-1) : %0))"
#define USIGN "(%0 != (%T)(0) ? (%T)(1) : (%T)(0))"

/* The second term keeps a NaN, which fmax alone would drop. */
#define SOFTPLUS "(fmax(%0, (%T)(0)) + log1p(exp(-fabs(%0))))"
/* Likewise. Equal operands are treated apart, because inf - inf is NaN. */
#define LOGADDEXP                                                              \
  "(%0 == %1 ? %0 + (%T)(0.69314718055994530942) : fmax(%0, %1) + "            \
  "log1p(exp(-fabs(%0 - %1))))"

/* Functions of src/codegen/functions.h. */
#define SPECIAL(f) "w_call(" #f ", %t)(%0)"
#define SPECIAL2(f) "w_call(" #f ", %t)(%0, %1)"
#define SPECIAL3(f) "w_call(" #f ", %t)(%0, %1, %2)"

#endif
