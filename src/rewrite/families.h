/* SPDX-License-Identifier: BSD-2-Clause */
/* All rules. */
#ifndef REWRITE_FAMILIES_H
#define REWRITE_FAMILIES_H

#include "rewrite/rule.h"

/* The built-in rules. The list ends with a family without a name. */
extern const gg_rule_family gg__families[];

/* Family i of those that users have registered, or NULL. They are never
 * removed. */
const gg_rule_family *gg__registered(size_t i);
/* Does a family, a rule or a stage have this name? */
int gg__is_rewrite(const char *name);

#endif
