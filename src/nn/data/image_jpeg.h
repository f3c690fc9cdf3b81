/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG images in memory. */
#ifndef NN_DATA_IMAGE_JPEG_H
#define NN_DATA_IMAGE_JPEG_H

#include "nn/data/image_room.h"

/* Read rows of pixels, each with its channels. *out is to be freed, also after
 * a failure. */
int gg__image_jpeg(const gg__image_bytes *from, gg__image_size *size,
                   unsigned char **out);

#endif
