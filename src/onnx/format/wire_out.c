/* SPDX-License-Identifier: BSD-2-Clause */
#include "onnx/format/wire_out.h"

#include <string.h>

#include "onnx/format/wire.h"

static void put_varint(ga__strb *m, uint64_t v) {
  char bytes[10];
  size_t n = 0;

  for (; v >= 0x80; v >>= 7)
    bytes[n++] = (char)(v | 0x80);
  bytes[n++] = (char)v;
  ga__strb_append_n(m, bytes, n);
}

static void put_tag(ga__strb *m, uint32_t id, int type) {
  put_varint(m, (uint64_t)id << 3 | (uint64_t)type);
}

void gg__put_int(ga__strb *m, uint32_t id, int64_t v) {
  put_tag(m, id, GG_WIRE_VARINT);
  put_varint(m, (uint64_t)v);
}

void gg__put_float(ga__strb *m, uint32_t id, float v) {
  uint32_t bits;
  char bytes[4];

  memcpy(&bits, &v, sizeof bits);
  for (int i = 0; i < 4; i++)
    bytes[i] = (char)(bits >> 8 * i);
  put_tag(m, id, GG_WIRE_32);
  ga__strb_append_n(m, bytes, sizeof bytes);
}

void gg__put_head(ga__strb *m, uint32_t id, uint64_t n) {
  put_tag(m, id, GG_WIRE_BYTES);
  put_varint(m, n);
}

void gg__put_bytes(ga__strb *m, uint32_t id, const void *p, size_t n) {
  gg__put_head(m, id, n);
  if (n != 0)
    ga__strb_append_n(m, p, n);
}

void gg__put_text(ga__strb *m, uint32_t id, const char *text) {
  gg__put_bytes(m, id, text, strlen(text));
}

void gg__put_message(ga__strb *m, uint32_t id, const ga__strb *inner) {
  if (inner->err != GA_NO_ERROR)
    m->err = inner->err;
  gg__put_bytes(m, id, inner->s, inner->n);
}

void gg__put_ints(ga__strb *m, uint32_t id, size_t n, const int64_t *v) {
  ga__strb list = GA_STRB_INIT;

  for (size_t i = 0; i < n; i++)
    put_varint(&list, (uint64_t)v[i]);
  gg__put_message(m, id, &list);
  ga__strb_clear(&list);
}
