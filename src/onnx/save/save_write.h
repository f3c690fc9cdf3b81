/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes of a graph as nodes of a model. */
#ifndef ONNX_SAVE_SAVE_WRITE_H
#define ONNX_SAVE_SAVE_WRITE_H

#include "onnx/save/saving.h"

/* gg__save.write */
gg__name gg__save_value(gg__save *s, gg_var *v);
/* Write all nodes that `outputs` need, from leaves or the variables of `until`,
 * which have names. Lists end with NULL. */
int gg__save_all(gg__save *s, gg_var *const *outputs, gg_var *const *until);

#endif
