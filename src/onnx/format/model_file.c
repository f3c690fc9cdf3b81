/* SPDX-License-Identifier: BSD-2-Clause */
#include "onnx/format/model_file.h"

#include "base/file.h"

int gg__mapped_open(gg__bytes *bytes, const char *path) {
  return ga__file_map(path, &bytes->p, &bytes->n);
}

void gg__mapped_close(gg__bytes *bytes) {
  ga__file_unmap(bytes->p, bytes->n);
  *bytes = (gg__bytes){NULL, 0};
}
