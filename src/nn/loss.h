/* SPDX-License-Identifier: BSD-2-Clause */
/* What losses share. */
#ifndef NN_LOSS_H
#define NN_LOSS_H

#include <gpugraph/losses.h>

#include "nn/nn.h"

/* The losses of elements, reduced; an unknown reduction is refused. */
gg_var *gg__loss_reduced(const char *what, gg_var *each, gg_loss_reduction how);

#endif
