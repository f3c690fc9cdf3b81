/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the equations of gg_einsum, and sets of their indices. */
#ifndef OPS_LINALG_EINSUM_TEXT_H
#define OPS_LINALG_EINSUM_TEXT_H

#include <gpugraph/op.h>

/* Indices 0 .. 51 are the letters A to Z and a to z. Those from 52 on are the
 * axes of the ellipsis, counted from its last one. */
enum { GG_LETTERS = 52, GG_INDICES = GG_LETTERS + GG_MAX_ND };
enum { GG_MAX_FACTORS = 64 /* bits of a subset of factors */ };

/* A set of indices: bit i is index i. */
typedef uint64_t gg__indices;

/* The indices of the axes of a factor, or of the result. */
typedef struct gg__term {
  unsigned int n;
  unsigned char index[GG_MAX_ND];
} gg__term;

typedef struct gg__equation {
  unsigned int n; /* factors */
  gg__term in[GG_MAX_FACTORS], out;
} gg__equation;

static inline gg__indices gg__indices_of(const gg__term *t) {
  gg__indices all = 0;

  for (unsigned int i = 0; i < t->n; i++)
    all |= (gg__indices)1 << t->index[i];
  return all;
}

static inline int gg__has_index(gg__indices all, unsigned int index) {
  return (int)(all >> index & 1u);
}

/* Read the equation for n operands x. Returns 0 and records an error of `op` if
 * it is invalid or does not fit the ranks of x. */
int gg__equation_read(gg__equation *e, const gg_op *op, const char *text,
                      unsigned int n, gg_var *const *x);

/* Write the letter of an index, "..." for an axis of the ellipsis. Returns
 * `text`. */
const char *gg__index_letter(unsigned int index, char text[4]);

#endif
