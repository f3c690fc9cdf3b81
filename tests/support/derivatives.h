/* SPDX-License-Identifier: BSD-2-Clause */
/* First and second derivatives, and those along a direction, against
 * differences and each other. */
#ifndef SUPPORT_DERIVATIVES_H
#define SUPPORT_DERIVATIVES_H

#include "support/graph_case.h"

/* Check first and second derivatives of sums of `value`, float64 or
 * complex128, by one or two inputs, whose arguments are `a` and `b` of
 * graph_case.h, and those along a direction; in quick tests first ones. */
void check_derivatives(gg_var *value, unsigned int n, gg_var *const *wrt);

#endif
