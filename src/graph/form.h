/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops by name, and the descriptions of their operands and properties in the
 * registry (gg_op_form). */
#ifndef GRAPH_FORM_H
#define GRAPH_FORM_H

#include <gpugraph/save.h>

#include "base/strb.h"
#include "ops/forms.h"

enum { GG_MOST_FIELDS = 64 }; /* properties of one op */

/* The form of an op, found by the op or by its name of `n` bytes. NULL if the
 * op is not registered. */
const gg_op_form *gg__form_of(const gg_op *op);
const gg_op_form *gg__form_named(const char *name, size_t n);
const gg__short *gg__short_named(const char *name, size_t n);

/* An operand as gg_op_form.takes describes it. */
typedef struct gg__operand {
  char letter;     /* lower case; 0: there is no such operand */
  int is_shared;   /* all such operands have the same dtype */
  int rank;        /* -1: any */
  int is_repeated; /* it may be followed by more of the same */
  int is_optional;
} gg__operand;

gg__operand gg__form_operand(const gg_op_form *form, unsigned int i);
/* Nonzero if operands of this letter may have this dtype. */
int gg__letter_takes(char letter, int dtype);
/* What the letter allows, for messages: "a float", ... */
const char *gg__letter_text(char letter);
/* Check the operands of a node against `takes` and by the form's `check`.
 * Errors say what was expected. The node's outputs need no types yet. */
int gg__form_check(const gg_op_form *form, const gg_apply *a);

/* Append "{axis=1, keepdims=true}", or nothing if all are omitted. */
void gg__form_print(const gg_op_form *form, const void *props, ga__strb *out);

/* --- one property --- */

/* Set all fields to `otherwise`, and lists to empty. */
void gg__props_clear(const gg_op_form *form, void *props);
int64_t gg__field_get(const gg_field *f, const void *props, unsigned int i);
/* Set element `i`, 0 unless the field is a list. 0 if `v` does not fit. */
int gg__field_set(const gg_field *f, void *props, unsigned int i, int64_t v);
unsigned int gg__field_count(const gg_field *f, const void *props);
void gg__field_set_count(const gg_field *f, void *props, unsigned int n);

#endif
