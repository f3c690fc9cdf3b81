/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing the sources of kernels.
 *
 *   emit.c        bodies: names of values, code of nodes, arguments
 *   emit_*.c      kernels of each kind of step
 *   make_kernels.c  all kernels of a program */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "emit/program_kernels.h"

/* The kind of name that a value has in a source; in kernels->local, together
 * with an index. gg__emit_value() has the letters. */
enum {
  GG_LOCAL_ARRAY,      /* an array argument */
  GG_LOCAL_SCALAR,     /* a scalar argument */
  GG_LOCAL_TEMP,       /* t: computed by this source */
  GG_LOCAL_RESULT,     /* r: the result of the root */
  GG_LOCAL_KEPT,       /* k: an element that an earlier phase of a row program
                          computed */
  GG_LOCAL_ROW,        /* n: a row value that a map computes */
  GG_LOCAL_REDUCED = 7 /* r with an index: a row value or result that a
                          reduction computes */
};
#define GG_LOCAL(kind, n) ((unsigned int)(kind) << 28 | (n))

typedef struct gg__emitter {
  const gg__program *p;
  unsigned int *local;
  ga__strb text;
  const char *array; /* prefixes of argument names: "i" in a map, "p" in an
                        epilogue */
  const char *scalar;
  const char *output;
} gg__emitter;

#define GG_EMITTER(k, a, s, o)                                                 \
  { .p = (k)->p, .local = (k)->local, .array = a, .scalar = s, .output = o }

/* Append the name of a value, or its literal. */
void gg__emit_value(gg__emitter *e, unsigned int value);
/* Append the node's code with its operands filled in. */
void gg__emit_code(gg__emitter *e, const gg_apply *a);
/* Give names to the arrays and scalars that a body reads. */
void gg__emit_names(gg__emitter *e, const gg__body *b);
/* Append one statement per node; one per array that is written. */
void gg__emit_nodes(gg__emitter *e, const gg__body *b);
void gg__emit_stores(gg__emitter *e, const gg__body *b);

/* Arguments of a kernel. gpuelemwise_arg only points to its name, so the names
 * live here, too. */
typedef struct gg__arguments {
  GA_VEC(gpuelemwise_arg) list;
  char (*names)[12];
} gg__arguments;

/* List arrays, scalars and, with `outputs`, the arrays that are written. Clear
 * *a in any case. */
int gg__list_arguments(gg__arguments *a, const gg__emitter *e,
                       const gg__body *b, int outputs);
void gg__arguments_clear(gg__arguments *a);

ga_reduce_op gg__reduce_op(const gg_apply *a);
/* The dtype of a reduction's accumulator. */
int gg__accumulator(const gg_apply *a);
/* Append `name` = the element that is reduced, in the accumulator's type. bools
 * are counted as integers. */
void gg__emit_reduced(gg__emitter *e, const gg_apply *a, int acc,
                      const char *name);

/* Append r = the result of `a`, in its work type; the kernel's name for it is
 * `acc`. */
void gg__emit_result(gg__emitter *e, const gg_apply *a, const char *acc);
/* Append the statements of an epilogue, and list its arguments. */
int gg__emit_epilogue_body(gg__emitter *e, const gg__body *b,
                           gg__arguments *out);

/* --- emit_*.c --- */

int gg__emit_map(gg__kernels *k, const gg__step *s, gg__kernel *out);
int gg__emit_reduction(gg__kernels *k, const gg__step *s, gg__kernel *to);
int gg__emit_rows(gg__kernels *k, const gg__step *s, gg__kernel *out);
/* Leaves *out as it is if the step has no epilogue. */
int gg__emit_epilogue(gg__kernels *k, const gg__step *s, gg__kernel *out);
void gg__epilogue_free(gg__epilogue *x);

#endif
