/* SPDX-License-Identifier: BSD-2-Clause */
/* Images whose channels do not fill the units that tensor cores read: copies
 * with zeros between them. */
#ifndef CONV_CONV_PAD_H
#define CONV_CONV_PAD_H

#include "blas/product.h"

/* If a product on tensor cores from such a copy pays, add the copy to the
 * launch, describe the copy as B in *p and *w, which is the window of p, set
 * `sizes` to those of the last two digits of the new sum (for gradients by
 * filters: columns), and return nonzero: the caller copies A with zeros where
 * it has fewer, or leaves these columns out. These digits may be one of the
 * window. */
int ga__conv_pad(GpuLaunch *l, ga__product *p, ga__window *w, size_t sizes[2]);

#endif
