/* SPDX-License-Identifier: BSD-2-Clause */
/* The windows of convolutions and pools: the attributes kernel_shape, strides,
 * dilations, pads and auto_pad. */
#ifndef ONNX_OPS_ONNX_WINDOW_H
#define ONNX_OPS_ONNX_WINDOW_H

#include <limits.h>

#include "onnx/ops/onnx_call.h"

#define GG_WINDOW_ND 3 /* spatial dimensions at most */
/* Strides, dilations and the like at most; sums of products of two fit. */
#define GG_WINDOW_MOST (INT_MAX / 4)

typedef enum gg__auto_pad {
  GG_AUTO_NOTSET,
  GG_AUTO_VALID,
  GG_AUTO_SAME_UPPER, /* an odd element more goes behind the dimension */
  GG_AUTO_SAME_LOWER
} gg__auto_pad;

typedef struct gg__window {
  unsigned int nd; /* spatial dimensions */
  int64_t kernel[GG_WINDOW_ND], stride[GG_WINDOW_ND], dilation[GG_WINDOW_ND];
  int64_t before[GG_WINDOW_ND], after[GG_WINDOW_ND];
  gg__auto_pad automatic;
} gg__window;

/* Read the attributes for input 0, [n, channels, sizes...]. `kernel` has the
 * sizes of the window, negative where they are open, or is NULL: then they are
 * the attribute kernel_shape. Pads that auto_pad asks for are not computed. */
int gg__window_read(gg__onnx_call *c, const int64_t *kernel, gg__window *w);
/* Set the pads that auto_pad asks for: as many results as dimension / stride,
 * rounded up. GA_UNSUPPORTED_ERROR if that needs a size that is open. */
int gg__window_auto(gg__onnx_call *c, gg__window *w);
/* Divide `total` elements into those before and those behind dimension i. */
void gg__window_divide(gg__window *w, unsigned int i, int64_t total);
/* Set out[0 .. n - 1] to an attribute with n integers from `least` to
 * GG_WINDOW_MOST, or to `missing` if there is none. */
int gg__window_list(const gg__onnx_call *c, const char *name, unsigned int n,
                    int64_t least, int64_t missing, int64_t *out);
/* The positions that a window covers along dimension i. */
int64_t gg__window_span(const gg__window *w, unsigned int i);

#endif
