/* SPDX-License-Identifier: BSD-2-Clause */
/* Mapped files: nothing is copied, and pages are read when they are needed. */
#ifndef ONNX_FORMAT_MODEL_FILE_H
#define ONNX_FORMAT_MODEL_FILE_H

#include "onnx/format/wire.h"

/* Map a regular file. An empty one gives {NULL, 0}. GA_SYS_ERROR, with the
 * path, if it cannot be read. The file must not shrink until it is closed. */
int gg__mapped_open(gg__bytes *bytes, const char *path);
void gg__mapped_close(gg__bytes *bytes); /* accepts {NULL, 0} */

#endif
