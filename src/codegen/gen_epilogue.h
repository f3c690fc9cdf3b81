/* SPDX-License-Identifier: BSD-2-Clause */
/* The epilogue of a product as functions of its kernel, see cl/product_put.cl:
 * they load the arguments of one element, or of `lanes` neighbours in a row,
 * run the expression with the element as `acc`, and store. */
#ifndef CODEGEN_GEN_EPILOGUE_H
#define CODEGEN_GEN_EPILOGUE_H

#include "codegen/gen_arg.h"

typedef struct ga__gen_epilogue {
  const char *preamble; /* or NULL */
  const char *text;     /* on one line */
  int typecode;         /* of the product; `acc` is of its work type */
  unsigned int n;
  const gpuelemwise_arg *args;
  unsigned int lanes;         /* of the vector function; 1: there is none */
  const char *boolean;        /* W_BOOL of vector text */
  const ga__lane_step *steps; /* per argument, if there are lanes */
  /* What becomes of a sum beside the elements, or NULL; text, n and args
   * count. */
  const struct ga__gen_epilogue *sum;
} ga__gen_epilogue;

/* Write the functions and the macros that go with them. The kernel's last
 * parameters are, per argument: a buffer, its offset and two strides (along a
 * column, along a row), in bytes, or a value; then those of the sum, which have
 * no strides. It stands in front of the macros of the kernel, so that these do
 * not meet its users' names. */
void ga__gen_epilogue_text(ga__strb *b, const ga__gen_epilogue *g);

#endif
