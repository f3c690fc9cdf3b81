/* SPDX-License-Identifier: BSD-2-Clause */
/* Protobuf's wire format: a message is a list of fields, each with an id, a
 * wire type and a value. Reading never goes beyond the bytes of the message. */
#ifndef ONNX_FORMAT_WIRE_H
#define ONNX_FORMAT_WIRE_H

#include <stddef.h>
#include <stdint.h>

/* Borrowed bytes. */
typedef struct gg__bytes {
  const uint8_t *p;
  size_t n;
} gg__bytes;

/* How a value is encoded. */
enum { GG_WIRE_VARINT = 0, GG_WIRE_64 = 1, GG_WIRE_BYTES = 2, GG_WIRE_32 = 5 };

typedef struct gg__field {
  uint32_t id;     /* its number in the definition of the message */
  int type;        /* GG_WIRE_* */
  uint64_t value;  /* of GG_WIRE_VARINT, _64, _32 */
  gg__bytes bytes; /* of GG_WIRE_BYTES */
} gg__field;

/* A position in a message. */
typedef struct gg__wire {
  const uint8_t *start, *p, *end;
} gg__wire;

static inline gg__wire gg__wire_of(gg__bytes b) {
  return (gg__wire){b.p, b.p, b.n == 0 ? b.p : b.p + b.n}; /* p may be NULL */
}

/* Read the next field. Sets *more to 0 at the end of the message, else to 1.
 * GA_VALUE_ERROR if the field is damaged. */
int gg__wire_next(gg__wire *w, gg__field *f, int *more);
/* GA_VALUE_ERROR unless the field has that wire type. */
int gg__field_is(const gg__field *f, int type);

/* --- repeated numbers: all packed into one field, or one in each --- */

/* Count the numbers of wire type `type` in the field. Bytes left over do not
 * count. */
int gg__wire_count(const gg__field *f, int type, size_t *n);
/* Write these numbers to out[*n ...], and add their count to *n. Varints and
 * 64-bit numbers take 8 bytes, 32-bit numbers 4 bytes. The caller counts first,
 * so that `out` has memory for all. */
int gg__field_numbers(const gg__field *f, int type, void *out, size_t *n);

#endif
