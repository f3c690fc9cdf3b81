/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in memory, without a copy: pages are read when they are needed. */
#ifndef ONNX_MODEL_FILE_H
#define ONNX_MODEL_FILE_H

#include "onnx/wire.h"

/* Map a regular file. The message of GA_SYS_ERROR has the path. The file must
 * not shrink until it is unmapped. */
int gg__mapped_open(gg__bytes *bytes, const char *path);
void gg__mapped_close(gg__bytes *bytes); /* accepts a zeroed one */

#endif
