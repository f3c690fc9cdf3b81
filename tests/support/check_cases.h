/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases on the device against the reference. */
#ifndef SUPPORT_CHECK_CASES_H
#define SUPPORT_CHECK_CASES_H

#include <gpugraph/gpugraph.h>

#include "support/inputs.h"

/* Compile all cases that exist in `dtype`, run them and compare; with
 * `gradients` also the gradients of their float operands. Names every case
 * that is wrong, then fails the running test. */
void check_cases(int dtype, gg_mode mode, case_sizes sizes, int gradients);

#endif
