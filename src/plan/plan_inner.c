/* SPDX-License-Identifier: BSD-2-Clause */
/* Planning of nodes with inner graphs. */
#include "plan/looping.h"

int gg__plan_inner(gg__builder *b, const gg__step *s) {
  if (s->apply->op == &gg__op_scan)
    return gg__plan_loop(b, s);
  return gg__plan_ifelse(b, s);
}
