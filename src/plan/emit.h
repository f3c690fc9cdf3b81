/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing the texts of kernels.
 *
 *   emit.c       maps, reductions, what follows them and products
 *   emit_rows.c  row programs */
#ifndef PLAN_EMIT_H
#define PLAN_EMIT_H

#include "base/dtype.h"
#include "plan/plan.h"

/* What a value is called in the text; kept in program->local with a number.
 * The letters stand in gg__emit_value(). */
enum {
  GG_LOCAL_ARRAY,  /* an argument */
  GG_LOCAL_SCALAR, /* one that is a number of the host */
  GG_LOCAL_TEMP,   /* t: computed by this text */
  GG_LOCAL_RESULT, /* r: what a reduction or a product gives */
  GG_LOCAL_KEPT,   /* k: an element that an earlier phase of a row computed */
  GG_LOCAL_NUMBER, /* n: a number of the row */
  GG_LOCAL_REDUCED = 7 /* r: one that a reduction gives */
};
#define GG_LOCAL(kind, n) ((unsigned int)(kind) << 28 | (n))

typedef struct gg__emitter {
  const gg__program *p;
  ga__strb text;
  const char *array; /* prefixes of names: "i" in a map, "p" in a post */
  const char *scalar;
  const char *output;
} gg__emitter;

/* What follows w_ in the name of a dtype. */
const char *gg__emit_stem(int dtype);
/* The name of a value, or the literal that it is. */
void gg__emit_value(gg__emitter *e, unsigned int value);
/* The node's code with its operands filled in. */
void gg__emit_code(gg__emitter *e, const gg_apply *a);
/* Name what a body reads. */
void gg__emit_names(gg__emitter *e, const gg__body *b);

/* Names live beside the list, since gpuelemwise_arg only points. */
typedef struct gg__arguments {
  GA_VEC(gpuelemwise_arg) list;
  char (*names)[12];
} gg__arguments;

/* Arrays, numbers, and, with `outputs`, what is written. Clear in any case. */
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

/* --- emit_rows.c --- */

/* Make step->ro. */
int gg__make_rows(const gg__program *p, gg__step *s);

#endif
