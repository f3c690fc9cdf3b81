/* SPDX-License-Identifier: BSD-2-Clause */
/* An expression, prepared for code generation. */
#ifndef LAYOUT_EXPR_H
#define LAYOUT_EXPR_H

typedef struct ga__expr {
  char *text;          /* on one line, without comments; owned */
  unsigned int n_ops;  /* operations per element, an estimate */
  int is_vector;       /* may be compiled with vectors */
  unsigned int widest; /* bytes of the widest type in vectors */
  const char *boolean; /* definition of W_BOOL in vector code */
} ga__expr;

#endif
