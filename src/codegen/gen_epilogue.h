/* SPDX-License-Identifier: BSD-2-Clause */
/* The epilogue of a product as functions of its kernel (see cl/product_put.cl).
 * They load the arguments for one element, or for `lanes` neighbours in a row,
 * compute the expression with the element as `acc`, and store the results. */
#ifndef CODEGEN_GEN_EPILOGUE_H
#define CODEGEN_GEN_EPILOGUE_H

#include "codegen/gen_arg.h"

typedef struct ga__gen_epilogue {
  const char *preamble; /* or NULL */
  const char *text;     /* on one line */
  int typecode;         /* of the product; `acc` has its work type */
  unsigned int n;
  const gpuelemwise_arg *args;
  unsigned int axes;  /* 2: row and column, or 5: a row and the four digits of a
                        column, the last one first */
  unsigned int lanes; /* of the vector function; 1: no such function */
  const char *boolean;        /* W_BOOL of vector text */
  const ga__lane_step *steps; /* per argument, if lanes > 1 */
  int is_batch; /* arrays also have a stride from matrix to matrix */
  /* The epilogue of the sum, or NULL. Only its text, n and args are used. */
  const struct ga__gen_epilogue *sum;
} ga__gen_epilogue;

/* Write the functions and their macros. The kernel's last parameters are, for
 * each argument, a buffer, its offset and a stride for each axis, for batches
 * one more (from matrix to matrix), in bytes, or a value; then those of the
 * epilogue of the sum, without strides. In a batch the kernel says P_BATCH(z)
 * before it puts elements of matrix z. This source goes in front of the
 * kernel's macros, so that they do not replace names of the user. */
void ga__gen_epilogue_text(ga__strb *b, const ga__gen_epilogue *g);

#endif
