/* SPDX-License-Identifier: BSD-2-Clause */
/* The elements of tensors, which lie in the model's file or in others. */
#ifndef ONNX_FORMAT_TENSOR_H
#define ONNX_FORMAT_TENSOR_H

#include <gpugraph/graph.h>

#include "onnx/format/model_file.h"
#include "onnx/model.h"

/* The other files in which elements lie. */
typedef struct gg__onnx_files {
  const char *folder; /* files outside of it are refused; NULL: all files are */
  ga__arena *arena;
  struct gg__onnx_file *open; /* mapped until gg__onnx_files_clear */
} gg__onnx_files;

void gg__onnx_files_clear(gg__onnx_files *f);

/* The dtype for a type of the format, or -1 if arrays have no such elements. */
int gg__onnx_dtype(int64_t type);
/* The format's name of a type, such as "bfloat16". */
const char *gg__onnx_type_name(int64_t type);

/* Check the type and the sizes of a tensor, and that it has as many elements as
 * its sizes say. The two functions below need a tensor that passed. */
int gg__onnx_tensor_check(const gg__onnx_tensor *t, gg__onnx_files *f);
size_t gg__onnx_tensor_count(const gg__onnx_tensor *t);
/* The bytes of the elements of any tensor, at most SIZE_MAX; 0 for sizes or
 * types that are refused. */
size_t gg__onnx_tensor_bytes(const gg__onnx_tensor *t);
/* The elements in C order. *elements points into a file, perhaps unaligned, or
 * to *own. The caller frees *own with ga__free, also on failure. */
int gg__onnx_tensor_elements(const gg__onnx_tensor *t, gg__onnx_files *f,
                             const void **elements, void **own);

#endif
