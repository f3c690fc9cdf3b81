/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops by name, and the descriptions of their operands and properties in the
 * registry (gg_op_form). */
#ifndef GRAPH_FORM_H
#define GRAPH_FORM_H

#include <gpugraph/save.h>

#include "base/strb.h"
#include "ops/forms.h"

enum { GG_MOST_FIELDS = 64 }; /* of one op */

/* The form of an op, or by its name of `n` bytes; NULL if it is not known. */
const gg_op_form *gg__form_of(const gg_op *op);
const gg_op_form *gg__form_named(const char *name, size_t n);
const gg__short *gg__short_named(const char *name, size_t n);

/* What an operand may be. */
typedef struct gg__operand {
  char letter;     /* lower case; 0: there is no such operand */
  int is_shared;   /* its dtype is that of all such operands */
  int rank;        /* -1: any */
  int is_repeated; /* it may be followed by more of the same */
  int is_optional;
} gg__operand;

gg__operand gg__form_operand(const gg_op_form *form, unsigned int i);
/* Nonzero if dtypes of this kind fit the letter. */
int gg__letter_takes(char letter, int dtype);
/* "a float", ... */
const char *gg__letter_text(char letter);
/* Fail, with what was expected, unless the node has operands that `takes`
 * allows and passes `check`. Its outputs need not have types yet. */
int gg__form_check(const gg_op_form *form, const gg_apply *a);

/* Append "{axis=1, keepdims=true}", or nothing. */
void gg__form_print(const gg_op_form *form, const void *props, ga__strb *out);

/* --- one property --- */

/* Set all fields to `otherwise`, and lists to empty. */
void gg__props_clear(const gg_op_form *form, void *props);
/* The integer kinds: how they lie in the properties. */
int gg__field_is_whole(const gg_field *f);
int64_t gg__field_get(const gg_field *f, const void *props, unsigned int i);
/* 0 when `v` does not fit. */
int gg__field_set(const gg_field *f, void *props, unsigned int i, int64_t v);
unsigned int gg__field_count(const gg_field *f, const void *props);
void gg__field_set_count(const gg_field *f, void *props, unsigned int n);

#endif
