/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of models as text. */
#ifndef ONNX_WIRE_BYTES_H
#define ONNX_WIRE_BYTES_H

#include "onnx/format/wire.h"

#define BYTES(text) ((gg__bytes){(const uint8_t *)(text), sizeof(text) - 1})

#endif
