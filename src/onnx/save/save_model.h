/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of a model that is written. */
#ifndef ONNX_SAVE_SAVE_MODEL_H
#define ONNX_SAVE_SAVE_MODEL_H

#include "onnx/save/saving.h"

/* Write the model. `graph` has the fields of the main graph except tensors,
 * whose elements are copied from the device to the file. */
int gg__save_model(const ga__strb *graph, gg__out_tensors *tensors,
                   const char *path, uint64_t external_above);

#endif
