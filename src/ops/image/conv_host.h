/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions and their gradients on the host. */
#ifndef OPS_IMAGE_CONV_HOST_H
#define OPS_IMAGE_CONV_HOST_H

#include <gpuarray/conv.h>
#include <gpugraph/op.h>

/* Compute a part of a convolution from arrays in C order, whose dtype is that
 * of the result. */
int gg__conv_on_host(const gg_prepare *p, const GpuConv *c, ga_conv_part part);

#endif
