/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules that remove nodes which only inspect values. They change what a program
 * does, so they apply only in functions whose spec includes them. */
#include "rewrite/rw_match.h"

const gg_rule gg__rules_inspect[] = {
    GG_RULE("remove print", GG_CANON, gg_rule_first_operand, &gg__op_print),
    GG_RULE("remove assert", GG_CANON, gg_rule_first_operand, &gg__op_assert),
    {0}};
