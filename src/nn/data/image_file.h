/* SPDX-License-Identifier: BSD-2-Clause */
/* Images in files. libpng and libjpeg are loaded at first use; the build needs
 * their headers alone (GG_HAVE_PNG, GG_HAVE_JPEG). */
#ifndef NN_DATA_IMAGE_FILE_H
#define NN_DATA_IMAGE_FILE_H

#include "nn/data/image_room.h"

/* Read a file of either format as [channels, height, width]; with `out` NULL
 * only its sizes. GA_VALUE_ERROR for a file that is damaged or of other sizes,
 * GA_UNSUPPORTED_ERROR without the library. */
int gg__image_read(const char *path, gg__image_size *size, unsigned char *out);

#endif
