/* SPDX-License-Identifier: BSD-2-Clause */
/* Generator of the epilogues of products: functions that their kernels call
 * (see cl/product_put.cl). A function loads the arguments for one element of
 * the result, or for `lanes` neighbours in a row, computes the expression with
 * that element as `acc`, and stores what it assigns. */
#ifndef CODEGEN_GEN_EPILOGUE_H
#define CODEGEN_GEN_EPILOGUE_H

#include "codegen/gen_arg.h"

typedef struct ga__gen_epilogue {
  const char *preamble; /* or NULL */
  const char *text;     /* on one line */
  int typecode;         /* of the product; `acc` has its work type */
  unsigned int n;       /* arguments */
  const gpuelemwise_arg *args;
  unsigned int axes;   /* 2: row and column; 5: row and the four digits of a
                        column, the last one first */
  unsigned int lanes;  /* of the function for vectors; 1: there is none */
  const char *boolean; /* W_BOOL of the function for vectors */
  const ga__lane_step *steps; /* of each argument, if lanes > 1 */
  int is_batch; /* arrays also have a stride from matrix to matrix */
  /* The epilogue of the sum, or NULL. Only its text, n and args are used. */
  const struct ga__gen_epilogue *sum;
} ga__gen_epilogue;

/* Append the functions and their macros. They go in front of the template's
 * macros, which must not replace names of the user.
 *
 * The last parameters of the kernel are those of the epilogue. A scalar is one
 * parameter. An array has a buffer, an offset, a stride for each axis, and in
 * batches one from matrix to matrix, all in bytes. The parameters of the
 * epilogue of the sum follow, without strides. In a batch the kernel uses
 * P_BATCH(z) before it stores elements of matrix z. */
void ga__gen_epilogue_text(ga__strb *b, const ga__gen_epilogue *g);

#endif
