/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in ops by name: what the registry knows from the start. */
#ifndef OPS_FORMS_H
#define OPS_FORMS_H

#include <gpugraph/save.h>

/* Up to NULL, and the forms of each up to one without an op. */
extern const gg_op_form *const gg__families_of_ops[];

/* Functions that people write in texts: several nodes, or one with its
 * properties filled in. Texts that are printed have none of them. One of the
 * functions is there, or else it is a reduction over `axes` (all if there are
 * none) with `keepdims`. */
typedef struct gg__short {
  const char *name;
  gg_var *(*one)(gg_var *x);
  gg_var *(*two)(gg_var *x, gg_var *y);
  gg_var *(*three)(gg_var *x, gg_var *y, gg_var *z);
  gg_reduction reduction;
} gg__short;

extern const gg__short gg__shorts[];
extern const size_t gg__n_shorts;

#endif
