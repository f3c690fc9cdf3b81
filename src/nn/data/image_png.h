/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG images in memory. */
#ifndef NN_DATA_IMAGE_PNG_H
#define NN_DATA_IMAGE_PNG_H

#include "nn/data/image_room.h"

/* Read rows of pixels, each with its channels. *out is to be freed, also after
 * a failure. */
int gg__image_png(const gg__image_bytes *from, gg__image_size *size,
                  unsigned char **out);

#endif
