/* SPDX-License-Identifier: BSD-2-Clause */
/* Protobuf's wire format: a message is a list of fields, each with a number, a
 * wire type and a value. A reader walks bytes that it does not own and never
 * leaves them. */
#ifndef ONNX_WIRE_H
#define ONNX_WIRE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of somebody else. */
typedef struct gg__bytes {
  const uint8_t *p;
  size_t n;
} gg__bytes;

/* How a value is encoded. */
enum { GG_WIRE_VARINT = 0, GG_WIRE_64 = 1, GG_WIRE_BYTES = 2, GG_WIRE_32 = 5 };

typedef struct gg__field {
  uint32_t id;     /* what the message calls the field */
  int type;        /* GG_WIRE_* */
  uint64_t value;  /* of GG_WIRE_VARINT, _64, _32 */
  gg__bytes bytes; /* of GG_WIRE_BYTES */
} gg__field;

/* A message that is being read. Offsets in messages count from `start`. */
typedef struct gg__wire {
  const uint8_t *start, *p, *end;
} gg__wire;

static inline gg__wire gg__wire_of(gg__bytes b) {
  return (gg__wire){b.p, b.p, b.p + b.n};
}

/* Read the next field. Sets *more to 0 at the end of the message. */
int gg__wire_next(gg__wire *w, gg__field *f, int *more);
/* GA_VALUE_ERROR unless the field has that wire type. */
int gg__field_is(const gg__field *f, int type);

/* --- repeated numbers, packed into one field or one in each --- */

/* How many numbers of wire type `type` the field holds. */
int gg__wire_count(const gg__field *f, int type, size_t *n);
/* Write them to out[*n ...], and add their count to *n. Varints and 64-bit
 * numbers are 8 bytes, 32-bit numbers 4 bytes. */
int gg__field_numbers(const gg__field *f, int type, void *out, size_t *n);

#endif
