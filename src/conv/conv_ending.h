/* SPDX-License-Identifier: BSD-2-Clause */
/* Epilogues of convolutions. */
#ifndef CONV_CONV_ENDING_H
#define CONV_CONV_ENDING_H

#include "blas/dispatch.h"

/* The strides of an epilogue's argument in bytes: along images (for w: filters)
 * and channels of the result, and along its spatial dimensions. */
typedef struct ga__conv_arg {
  ptrdiff_t by[2], s[3];
} ga__conv_arg;

/* An epilogue with the strides of its arguments along the axes of the result.
 * ga__conv_add sets the strides of epilogue->args from them, for each product
 * anew. */
typedef struct ga__conv_ending {
  ga__epilogue *epilogue;   /* borrowed, changed */
  const ga__conv_arg *args; /* borrowed */
} ga__conv_ending;

#endif
