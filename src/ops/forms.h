/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in ops by name, which the registry has from the start. */
#ifndef OPS_FORMS_H
#define OPS_FORMS_H

#include <gpugraph/save.h>

/* The list ends with NULL; the forms of each family end with one without an
 * op. */
extern const gg_op_form *const gg__families_of_ops[];

/* Short forms in texts that people write: each gives several nodes, or one with
 * properties filled in. Printed texts have none of them. At most one of the
 * functions is set; if none is, the short form is `reduction`, with optional
 * `axes` (all if absent) and `keepdims`. */
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
