/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepare convolutions with a given provider of products, for tests. */
#ifndef CONV_CONV_H
#define CONV_CONV_H

#include "conv/conv_product.h"

/* GpuConv_prepare with `given` = {a, b, r}, and with the products computed by
 * the provider `by`; NULL: by the best one. */
int ga__conv_prepare_by(GpuLaunch **out, const GpuConv *g, ga_conv_part part,
                        GpuArray *const given[3], const GpuEpilogue *e,
                        void **args, const ga__provider *by);

#endif
