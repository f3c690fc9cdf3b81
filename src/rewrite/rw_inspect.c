/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules that leave out what only looks at values. They change what a program
 * does, so they fire where a function's spec names them. */
#include "rewrite/rewrite.h"

static gg_var *first_operand(gg_apply *a) {
  return a->in[0];
}

const gg__rule gg__rules_inspect[] = {
    {"remove print", &gg__op_print, GG_CANON, first_operand, NULL},
    {"remove assert", &gg__op_assert, GG_CANON, first_operand, NULL},
    {0}};
