/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops and choices as nodes of a model. */
#ifndef ONNX_SAVE_SAVE_INNER_H
#define ONNX_SAVE_SAVE_INNER_H

#include "onnx/save/saving.h"

/* Write a loop or a choice, and bind its outputs. */
void gg__save_inner(gg__save *s, const gg_apply *a);

#endif
