/* SPDX-License-Identifier: BSD-2-Clause */
/* The product that a convolution is, or one of them: a gradient by input may
 * consist of several (conv_input.c). */
#ifndef CONV_CONV_WORK_H
#define CONV_CONV_WORK_H

#include "conv/conv_ending.h"
#include "conv/conv_shape.h"

/* A provider that uses products alone, of the best provider: neither direct
 * kernels nor Winograd's algorithm. */
extern const ga__provider ga__conv_as_product;

/* The product that is being added, and how its A lies in memory. A gradient by
 * input uses it for one product after the other. */
typedef struct ga__conv_work {
  GpuLaunch *l;               /* borrowed */
  const ga__conv *c;          /* borrowed */
  const ga__conv_ending *end; /* or NULL; borrowed */
  const ga__provider *by;
  ga__product p;
  ga__window w;
  ptrdiff_t a[4];    /* strides of A for the digits of sums, in elements */
  size_t a_total;    /* elements of the whole array that A is a part of */
  size_t a_has[2];   /* of the last two digits of sums: how many A has, */
  size_t a_size[2];  /* and with zeros behind them; 0: as the window says */
  unsigned int copy; /* slot for copies of A; GA_NO_SLOT: none yet */
  /* For the epilogue's arguments: the axes of the result that rows and the
   * channel digit of columns walk, as indices of ga__conv_arg.by. */
  unsigned int row, channel;
  ptrdiff_t step[3], first[3]; /* positions of the result: from one digit of
                                  columns to the next, and of digit 0 */
} ga__conv_work;

/* --- digits of sums and columns --- */

/* Set the sizes of digits. The channel is the last one or the first. */
void ga__conv_set_sizes(size_t to[4], int is_last, size_t channel,
                        const size_t spatial[3]);
/* Set strides in the same order. */
void ga__conv_set_strides(ptrdiff_t to[4], int is_last, ptrdiff_t channel,
                          const ptrdiff_t spatial[3]);
size_t ga__conv_count(const size_t n[4]);
/* Nonzero if consecutive indices always have the same distance in memory; set
 * *step to it. */
int ga__conv_is_even(ptrdiff_t *step, const size_t n[4],
                     const ptrdiff_t strides[4]);

/* --- operands --- */

/* Describe an operand that begins `rel` elements after position a->base. */
void ga__conv_set_operand(ga__product_operand *o, const ga__conv *c,
                          const ga__conv_array *a, ptrdiff_t rel);
/* Describe B, and what the window takes from its array. */
void ga__conv_set_b(ga__conv_work *s, const ga__conv_array *a);
/* Copy A to columns from `at` on of a matrix [batch, m, ld], and use that. */
void ga__conv_copy_a(ga__conv_work *s, size_t at, size_t ld);
/* Set the strides of the epilogue's arguments along rows and columns. */
void ga__conv_settle_ending(ga__conv_work *s);
/* Choose the strides of C with an epilogue, where nothing is stored in C. */
void ga__conv_imagine_c(ga__conv_work *s);

/* --- products --- */

/* Nonzero if products are those of cl/gemm_gpu.cl where tensor cores do not
 * compute them. */
int ga__conv_is_by_gpu(const ga__conv_work *s);
/* Set what all products have in common. */
void ga__conv_start(ga__conv_work *s);
/* Add the product, by the provider that is asked for or the best one. */
void ga__conv_add_work(ga__conv_work *s);

#endif
