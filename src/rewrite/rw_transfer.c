/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about transfers. */
#include "rewrite/rw_match.h"

/* Apply the rules of the builder again: transfers back, chains and transfers of
 * constants may have arisen by other rewrites. */
static gg_var *cut_transfer(gg_apply *a) {
  return gg_transfer(a->in[0], gg__transfer_target(a));
}

const gg_rule gg__rules_transfer[] = {
    GG_RULE("cut transfer", GG_CANON, cut_transfer, &gg__op_transfer), {0}};
