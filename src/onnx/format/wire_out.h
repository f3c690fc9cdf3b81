/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing protobuf's wire format (wire.h). A message is built in memory; the
 * error of its builder is sticky, so that callers check once at the end. */
#ifndef ONNX_FORMAT_WIRE_OUT_H
#define ONNX_FORMAT_WIRE_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/strb.h"

/* Bytes of a message at most: readers count them in 31 bits. */
#define GG_WIRE_MOST 2147483647u

void gg__put_int(ga__strb *m, uint32_t id, int64_t v);
void gg__put_float(ga__strb *m, uint32_t id, float v);
void gg__put_bytes(ga__strb *m, uint32_t id, const void *p, size_t n);
void gg__put_text(ga__strb *m, uint32_t id, const char *text);
void gg__put_message(ga__strb *m, uint32_t id, const ga__strb *inner);
/* A list of numbers, packed. */
void gg__put_ints(ga__strb *m, uint32_t id, size_t n, const int64_t *v);
/* What stands before n bytes that the caller writes behind the message. */
void gg__put_head(ga__strb *m, uint32_t id, uint64_t n);

#endif
