/* SPDX-License-Identifier: BSD-2-Clause */
/* What the text of an expression says about itself. */
#ifndef LAYOUT_EXPR_H
#define LAYOUT_EXPR_H

typedef struct ga__expr {
  char *text;          /* on one line, without comments; owned */
  unsigned int n_ops;  /* operations per element, an estimate */
  int is_vector;       /* may be compiled with vectors */
  unsigned int widest; /* bytes of the widest type that vectors are of */
  const char *boolean; /* what W_BOOL is in vector text */
} ga__expr;

#endif
