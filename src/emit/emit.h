/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing the sources of kernels.
 *
 *   emit.c        bodies: names of values, code of nodes, arguments
 *   emit_*.c      kernels of each kind of step
 *   make_kernels.c  all of a program */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "emit/program_kernels.h"

/* What a value is called in a source; kept in kernels->local with an index.
 * The letters stand in gg__emit_value(). */
enum {
  GG_LOCAL_ARRAY,  /* an argument */
  GG_LOCAL_SCALAR, /* one that is a scalar */
  GG_LOCAL_TEMP,   /* t: computed by this text */
  GG_LOCAL_RESULT, /* r: what a reduction or a product gives */
  GG_LOCAL_KEPT,   /* k: an element that an earlier phase of a row computed */
  GG_LOCAL_ROW,    /* n: a row value */
  GG_LOCAL_REDUCED = 7 /* r: one that a reduction gives */
};
#define GG_LOCAL(kind, n) ((unsigned int)(kind) << 28 | (n))

typedef struct gg__emitter {
  const gg__program *p;
  unsigned int *local;
  ga__strb text;
  const char *array; /* prefixes of names: "i" in a map, "p" in an epilogue */
  const char *scalar;
  const char *output;
} gg__emitter;

#define GG_EMITTER(k, a, s, o)                                                 \
  { .p = (k)->p, .local = (k)->local, .array = a, .scalar = s, .output = o }

/* What follows w_ in the name of a dtype. */
const char *gg__emit_stem(int dtype);
/* The name of a value, or the literal that it is. */
void gg__emit_value(gg__emitter *e, unsigned int value);
/* The node's code with its operands filled in. */
void gg__emit_code(gg__emitter *e, const gg_apply *a);
/* Name what a body reads. */
void gg__emit_names(gg__emitter *e, const gg__body *b);
/* One statement per node, then one per array that is written. */
void gg__emit_nodes(gg__emitter *e, const gg__body *b);
void gg__emit_stores(gg__emitter *e, const gg__body *b);

/* Names live beside the list, since gpuelemwise_arg only points. */
typedef struct gg__arguments {
  GA_VEC(gpuelemwise_arg) list;
  char (*names)[12];
} gg__arguments;

/* Arrays, scalars, and, with `outputs`, what is written. Clear in any case. */
int gg__list_arguments(gg__arguments *a, const gg__emitter *e,
                       const gg__body *b, int outputs);
void gg__arguments_clear(gg__arguments *a);

ga_reduce_op gg__reduce_op(const gg_apply *a);
/* The dtype that a reduction combines in. */
int gg__accumulator(const gg_apply *a);
/* name = the value that is reduced, in the accumulator's type; bools are
 * counted as integers. */
void gg__emit_reduced(gg__emitter *e, const gg_apply *a, int acc,
                      const char *name);

/* r = the result of `a`, in its work type; the kernel has it as `acc`. */
void gg__emit_result(gg__emitter *e, const gg_apply *a, const char *acc);
/* What follows the results, and its arguments. */
int gg__emit_epilogue_body(gg__emitter *e, const gg__body *b,
                           gg__arguments *out);

/* --- emit_*.c --- */

int gg__emit_map(gg__kernels *k, const gg__step *s, gg__kernel *out);
int gg__emit_reduction(gg__kernels *k, const gg__step *s, gg__kernel *out);
int gg__emit_rows(gg__kernels *k, const gg__step *s, gg__kernel *out);
/* Nothing where nothing follows the node. */
int gg__emit_epilogue(gg__kernels *k, const gg__step *s, gg__kernel *out);
void gg__epilogue_free(gg__epilogue *x);

#endif
