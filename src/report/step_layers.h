/* SPDX-License-Identifier: BSD-2-Clause */
/* Which steps belong to a layer of the model. A layer is a group of parameters:
 * "block.dense" of "block.dense.weight". */
#ifndef REPORT_STEP_LAYERS_H
#define REPORT_STEP_LAYERS_H

#include "fuse/step.h"

enum { GG_LAYER_TEXT = 256 };
#define GG_NO_LAYER SIZE_MAX

/* Write the name of the layer whose parameters a step reads to `text`, of
 * GG_LAYER_TEXT bytes; "" if it reads none, or is a view. */
void gg__find_layer(const gg__program *p, const gg__step *s, char *text);
/* For each step, the first step of its layer, with which its box begins: all
 * steps that read parameters of one layer, forwards, in gradients and in
 * updates, and steps without parameters with those before them. GG_NO_LAYER:
 * before every layer. The caller frees *starts with ga__free. */
int gg__layer_starts(const gg__program *p, size_t **starts);

#endif
