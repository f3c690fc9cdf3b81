/* SPDX-License-Identifier: BSD-2-Clause */
/* DLPack structures: geometry whose every corner lies within the bytes that it
 * says it spans, or a refusal. The input is a tensor's fields: number of
 * dimensions, type (4 bytes), device, flags (1: no shape, 2: no strides,
 * 4: no data), offset (8), and 8 bytes for each size and each stride; what is
 * missing is 0. */
#include <stdlib.h>
#include <string.h>

#include <gpuarray/util.h>

#include "base/err.h"
#include "fuzz/fuzz.h"
#include "io/dlpack_shape.h"

enum { HEAD = 15, MOST = 80 }; /* sizes and strides that there is room for */

static int64_t load(const uint8_t *bytes, size_t n, size_t at) {
  int64_t v = 0;

  for (size_t i = 0; i < 8 && at + i < n; i++)
    v |= (int64_t)((uint64_t)bytes[at + i] << (8 * i));
  return v;
}

/* The element whose indices are 0 or the last, by the bits of `corner`. */
static void check_corner(const ga__dlpack_shape *s, unsigned int corner) {
  const ssize_t size = (ssize_t)gpuarray_get_elsize(s->typecode);
  ssize_t at = 0;

  for (unsigned int k = 0; k < s->nd; k++)
    if (s->dims[k] > 1 && (corner >> k % 8 & 1u) != 0)
      at += (ssize_t)(s->dims[k] - 1) * s->strides[k];
  if (at < s->low || at > s->high - size)
    abort();
}

static void check(const ga__dlpack_shape *s, const dl_tensor *t) {
  size_t total = 1;

  for (unsigned int k = 0; k < s->nd; k++)
    if (s->dims[k] != (size_t)t->shape[k])
      abort();
  for (unsigned int k = 0; k < s->nd; k++)
    total = s->dims[k] == 0 ? 0 : total;
  for (unsigned int k = 0; k < s->nd && total != 0; k++)
    total *= s->dims[k];
  if (total != s->total || s->low > 0 || s->high < 0 ||
      (total == 0 && (s->low != 0 || s->high != 0)))
    abort();
  for (unsigned int corner = 0; corner < 256 && total != 0; corner++)
    check_corner(s, corner);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  static int64_t shape[256], strides[256];
  uint8_t head[HEAD] = {0};
  ga__dlpack_shape s = {0};
  dl_tensor t = {.data = head};

  memcpy(head, bytes, n < HEAD ? n : HEAD);
  for (size_t k = 0; k < MOST; k++) {
    shape[k] = load(bytes, n, HEAD + 16 * k);
    strides[k] = load(bytes, n, HEAD + 16 * k + 8);
  }
  t.ndim = (int8_t)head[0];
  t.dtype =
      (dl_type){head[1], head[2], (uint16_t)(head[3] | (unsigned)head[4] << 8)};
  t.device_type = (int8_t)head[5];
  t.shape = head[6] & 1 ? NULL : shape;
  t.strides = head[6] & 2 ? NULL : strides;
  t.data = head[6] & 4 ? NULL : head;
  t.byte_offset = (uint64_t)load(head, HEAD, 7);
  int err = ga__dlpack_shape_read(&s, &t);
  fuzz_accepted = err == GA_NO_ERROR;
  if (fuzz_accepted)
    check(&s, &t);
  else if (ga__err_text(err)[0] == '\0')
    abort();
  return 0;
}
