/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules that leave out what only looks at values. They change what a program
 * does, so they fire where a function's spec names them. */
#include "rewrite/rw_match.h"

const gg__rule gg__rules_inspect[] = {
    GG_RULE("remove print", GG_CANON, gg__first_operand, &gg__op_print),
    GG_RULE("remove assert", GG_CANON, gg__first_operand, &gg__op_assert),
    {0}};
