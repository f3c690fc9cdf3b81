/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys of launches and of kernels. */
#include "ocl/launch/launch_key.h"

#include <gpuarray/device.h>
#include <stdint.h>
#include <string.h>

#include "ocl/launch/launch_flush.h"

/* Bytes: no launch needs a higher alignment. */
enum { VECTOR_MAX = 128 };

void ga__launch_key_start(ga__launch_key *k, gpucontext *ctx,
                          const char *family) {
  const gpudevice_caps *caps = gpucontext_caps(ctx);

  k->n = 0;
  ga__launch_key_text(k, family);
  ga__launch_key_number(k, (size_t)(caps->is_cpu != 0) |
                               (size_t)(caps->fp64 != 0) << 1 |
                               (size_t)(ga__launch_flushes(ctx) != 0) << 2);
}

void ga__launch_key_number(ga__launch_key *k, size_t v) {
  if (k->n < GA_LAUNCH_KEY_MAX)
    k->v[k->n] = v;
  k->n++;
}

void ga__launch_key_double(ga__launch_key *k, double v) {
  uint64_t bits;

  memcpy(&bits, &v, sizeof bits);
  ga__launch_key_number(k, (size_t)bits);
  if (sizeof(size_t) < sizeof bits)
    ga__launch_key_number(k, (size_t)(bits >> 32));
}

void ga__launch_key_bytes(ga__launch_key *k, const void *p, size_t bytes) {
  const size_t n = (bytes + sizeof *k->v - 1) / sizeof *k->v;

  if (n > 0 && k->n + n <= GA_LAUNCH_KEY_MAX) {
    k->v[k->n + n - 1] = 0; /* pads the last number */
    memcpy(&k->v[k->n], p, bytes);
  }
  k->n += n;
}

void ga__launch_key_text(ga__launch_key *k, const char *text) {
  const size_t bytes = text != NULL ? strlen(text) : 0;

  ga__launch_key_number(k, text != NULL ? bytes : SIZE_MAX);
  ga__launch_key_bytes(k, text, bytes);
}

void ga__launch_key_offset(ga__launch_key *k, size_t offset) {
  ga__launch_key_number(k, offset % VECTOR_MAX);
}

void ga__launch_key_array(ga__launch_key *k, const GpuArray *a) {
  ga__launch_key_number(k, a->nd);
  ga__launch_key_number(k, (size_t)a->typecode);
  ga__launch_key_number(k, (size_t)a->flags);
  ga__launch_key_offset(k, a->offset);
  for (unsigned int d = 0; d < a->nd; d++) {
    ga__launch_key_number(k, a->dimensions[d]);
    ga__launch_key_number(k, (size_t)a->strides[d]);
  }
}
