/* SPDX-License-Identifier: BSD-2-Clause */
/* Operands of elementwise expressions in every layout, with their values in
 * plain memory, and an expression over them. */
#ifndef SUPPORT_OPERAND_H
#define SUPPORT_OPERAND_H

#include <gpuarray/elemwise.h>

#include "support/device.h"

enum { OPERAND_ND = 5 };

typedef enum layout {
  LAYOUT_C,
  LAYOUT_F,
  LAYOUT_REVERSED, /* every stride below 0 */
  LAYOUT_GAPS,     /* every second element */
  LAYOUT_ROTATED,  /* the last axis is slowest */
  LAYOUT_ROW,      /* size 1 on the first axis */
  LAYOUT_COLUMN,   /* size 1 on the last axis */
  LAYOUT_ONE,      /* size 1 everywhere */
  LAYOUTS
} layout;

typedef struct operand {
  GpuArray a;
  double *host; /* of the full shape, in C order */
} operand;

/* Number of elements. */
size_t operand_size(unsigned int nd, const size_t *dims);
/* Whole numbers in [lo, hi), in an array of `shape` or, by layout, one that is
 * broadcast to it. */
void operand_make(operand *o, int typecode, layout how, unsigned int nd,
                  const size_t *shape, double lo, double hi, uint32_t seed);
void operand_clear(operand *o);
/* Fail unless the operand's array holds these numbers now. */
void operand_check(const operand *o, const double *want, const char *what);

/* An expression, which must compile. To be freed. */
GpuElemwise *elemwise_make(const char *text, unsigned int n,
                           gpuelemwise_arg *args, int flags);
/* c = a - b * s */
GpuElemwise *elemwise_make_case(int typecode, int flags);
/* Call it with s = 2 and these layouts of c, a and b, and check c. */
void elemwise_check_case(GpuElemwise *ge, int typecode, unsigned int nd,
                         const size_t *shape, const layout *how, int flags);

#endif
