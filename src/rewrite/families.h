/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of all rules. */
#ifndef REWRITE_FAMILIES_H
#define REWRITE_FAMILIES_H

#include "rewrite/rule.h"

/* Rules by subject. The list ends with a family without a name. */
typedef struct gg__family {
  const char *name;
  const gg__rule *rules;
  int on_request; /* rules apply only if the spec includes them */
  int any_dtype;  /* they hold for complex numbers, too */
} gg__family;
extern const gg__family gg__families[];

#endif
