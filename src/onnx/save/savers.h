/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions in save_table.def. */
#ifndef ONNX_SAVE_SAVERS_H
#define ONNX_SAVE_SAVERS_H

#include "onnx/save/saving.h"

#define SAME(name, op)
#define WRITE(name, how)                                                       \
  gg__name gg__save_##how(gg__save *s, const gg_apply *a);
#define COMPOSE(name) gg_var *gg__compose_##name(const gg_apply *a);
#include "onnx/save/save_table.def"
#undef SAME
#undef WRITE
#undef COMPOSE

#endif
