/* SPDX-License-Identifier: BSD-2-Clause */
/* What layers share. */
#ifndef NN_LAYER_H
#define NN_LAYER_H

#include <gpugraph/layers.h>

#include "nn/nn.h"

/* Nonzero if there are a group and an operand. */
int gg__layer_given(const gg_params *p, const char *what, gg_var *x);
/* Nonzero if there are a group and an operand with axis `axis`; then *size is
 * its size, which is known. */
int gg__layer_takes(const gg_params *p, const char *what, gg_var *x,
                    unsigned int least, unsigned int axis, size_t *size);
/* GA_VALUE_ERROR for flags that are not allowed. */
int gg__layer_flags(const gg_params *p, const char *what, gg_var *x, int flags,
                    int allowed);
/* Uniform within 1 / sqrt(n). */
gg_initial gg__within_root(size_t n);
/* x W^T along the last axis of x, of any rank. */
gg_var *gg__along_last(gg_var *x, gg_var *w);

#endif
