/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of tensors, in the model's file or in others. */
#ifndef ONNX_TENSOR_H
#define ONNX_TENSOR_H

#include <gpugraph/graph.h>

#include "onnx/model.h"
#include "onnx/model_file.h"

/* Where elements in other files are found. */
typedef struct gg__onnx_files {
  const char *folder; /* no file outside of it is opened; NULL: none at all */
  ga__arena *arena;
  struct gg__onnx_file *open; /* those that stay mapped */
} gg__onnx_files;

void gg__onnx_files_clear(gg__onnx_files *f);

/* The dtype of a type of the format, or -1 if arrays have none such. */
int gg__onnx_dtype(int64_t type);
/* The format's name of a type, such as "bfloat16". */
const char *gg__onnx_type_name(int64_t type);

/* Check type and sizes of a tensor, and that its elements are there, as many as
 * the sizes say. */
int gg__onnx_tensor_check(const gg__onnx_tensor *t, gg__onnx_files *f);
/* The number of elements of a tensor that was checked. */
size_t gg__onnx_tensor_count(const gg__onnx_tensor *t);
/* The elements of a tensor that was checked, in C order. *elements points into
 * a mapped file, or to *own, which the caller frees (ga__free), also on
 * failure. */
int gg__onnx_tensor_elements(const gg__onnx_tensor *t, gg__onnx_files *f,
                             const void **elements, void **own);

#endif
