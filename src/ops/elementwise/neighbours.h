/* SPDX-License-Identifier: BSD-2-Clause */
/* nextafter of small floats on the host, where they are doubles. */
#ifndef OPS_ELEMENTWISE_NEIGHBOURS_H
#define OPS_ELEMENTWISE_NEIGHBOURS_H

#include "ops/code.h"

/* `code_small` of nextafter. */
extern const gg_code *const gg__next_small[3];

#endif
