/* SPDX-License-Identifier: BSD-2-Clause */
#include "onnx/format/wire.h"

#include <string.h>

#include "base/err.h"

/* --- numbers --- */

static int read_varint(gg__wire *w, uint64_t *v) {
  *v = 0;
  for (unsigned int shift = 0; shift < 64; shift += 7) {
    if (w->p == w->end)
      return ga__fail(GA_VALUE_ERROR, "a number ends too early");
    const uint8_t b = *w->p++;

    if (shift == 63 && b > 1)
      break;
    *v |= (uint64_t)(b & 0x7f) << shift;
    if (b < 0x80)
      return GA_NO_ERROR;
  }
  return ga__fail(GA_VALUE_ERROR, "a number has more than 64 bits");
}

static int read_fixed(gg__wire *w, unsigned int n, uint64_t *v) {
  if ((size_t)(w->end - w->p) < n)
    return ga__fail(GA_VALUE_ERROR, "a number ends too early");
  *v = 0;
  for (unsigned int i = 0; i < n; i++)
    *v |= (uint64_t)w->p[i] << 8 * i;
  w->p += n;
  return GA_NO_ERROR;
}

static int read_number(gg__wire *w, int type, uint64_t *v) {
  *v = 0;
  switch (type) {
  case GG_WIRE_VARINT:
    return read_varint(w, v);
  case GG_WIRE_64:
    return read_fixed(w, 8, v);
  case GG_WIRE_32:
    return read_fixed(w, 4, v);
  default:
    return ga__fail(GA_VALUE_ERROR, "wire type %d is unknown", type);
  }
}

/* --- fields --- */

static int read_bytes(gg__wire *w, gg__bytes *b) {
  uint64_t n;

  GA_TRY(read_varint(w, &n));
  const size_t left = (size_t)(w->end - w->p);
  if (n > left)
    return ga__fail(GA_VALUE_ERROR, "%llu bytes announced, %zu are left",
                    (unsigned long long)n, left);
  *b = (gg__bytes){w->p, (size_t)n};
  w->p += n;
  return GA_NO_ERROR;
}

int gg__wire_next(gg__wire *w, gg__field *f, int *more) {
  uint64_t tag;

  *more = w->p < w->end;
  if (!*more)
    return GA_NO_ERROR;
  GA_TRY(read_varint(w, &tag));
  if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
    return ga__fail(GA_VALUE_ERROR, "%llu is no field",
                    (unsigned long long)(tag >> 3));
  f->id = (uint32_t)(tag >> 3);
  f->type = (int)(tag & 7);
  f->value = 0;
  f->bytes = (gg__bytes){NULL, 0};
  if (f->type == GG_WIRE_BYTES)
    return read_bytes(w, &f->bytes);
  return read_number(w, f->type, &f->value);
}

int gg__field_is(const gg__field *f, int type) {
  if (f->type != type)
    return ga__fail(GA_VALUE_ERROR, "field %u has wire type %d, expected %d",
                    (unsigned int)f->id, f->type, type);
  return GA_NO_ERROR;
}

/* --- repeated numbers --- */

static size_t number_bytes(int type) {
  return type == GG_WIRE_32 ? 4 : 8;
}

/* A varint ends with a byte below 128. */
static size_t count_varints(gg__bytes b) {
  size_t n = 0;

  for (size_t i = 0; i < b.n; i++)
    n += b.p[i] < 0x80;
  return n;
}

int gg__wire_count(const gg__field *f, int type, size_t *n) {
  *n = 1;
  if (f->type != GG_WIRE_BYTES)
    return gg__field_is(f, type);
  *n = type == GG_WIRE_VARINT ? count_varints(f->bytes)
                              : f->bytes.n / number_bytes(type);
  return GA_NO_ERROR;
}

static void put_number(void *out, size_t i, int type, uint64_t v) {
  const uint32_t low = (uint32_t)v;

  if (type == GG_WIRE_32)
    memcpy((char *)out + 4 * i, &low, sizeof low);
  else
    memcpy((char *)out + 8 * i, &v, sizeof v);
}

int gg__field_numbers(const gg__field *f, int type, void *out, size_t *n) {
  gg__wire w = gg__wire_of(f->bytes);
  uint64_t v;

  if (f->type != GG_WIRE_BYTES) {
    GA_TRY(gg__field_is(f, type));
    put_number(out, (*n)++, type, f->value);
    return GA_NO_ERROR;
  }
  while (w.p < w.end) {
    GA_TRY(read_number(&w, type, &v));
    put_number(out, (*n)++, type, v);
  }
  return GA_NO_ERROR;
}
