/* SPDX-License-Identifier: BSD-2-Clause */
/* What the host waits for: contexts, buffers, transfers. */
#include "frozen.h"

#include <stddef.h>
#include <string.h>

enum { BUFFER = 4096, TRANSFER = 16 << 20 };

/* --- contexts --- */

static void set_nothing(frozen *f) {
  (void)f;
}

static int open_context(frozen *f) {
  if (f->ctx != NULL)
    gpucontext_deref(f->ctx);
  frozen_open(f);
  return GA_NO_ERROR;
}

static int check_context(frozen *f) {
  return f->ctx != NULL;
}

/* --- buffers --- */

static int alloc_buffer(frozen *f) {
  int err = GA_NO_ERROR;
  gpudata *d = gpudata_alloc(f->ctx, BUFFER, NULL, 0, &err);

  if (d == NULL)
    return err;
  gpudata_release(d);
  return GA_NO_ERROR;
}

/* --- transfers --- */

static void set_transfer(frozen *f) {
  int err = GA_NO_ERROR;

  frozen_open(f);
  f->elements = TRANSFER;
  f->host = frozen_alloc(TRANSFER);
  memset(f->host, 1, TRANSFER);
  f->from = gpudata_alloc(f->ctx, TRANSFER, NULL, 0, &err);
  frozen_need(f, err, "buffer");
  frozen_need(f, gpudata_write(f->from, 0, f->host, TRANSFER), "write");
  frozen_need(f, gpudata_sync(f->from), "write");
}

static int write_buffer(frozen *f) {
  int err = gpudata_write(f->from, 0, f->host, TRANSFER);

  return err != GA_NO_ERROR ? err : gpudata_sync(f->from);
}

static int read_buffer(frozen *f) {
  return gpudata_read(f->host, f->from, 0, TRANSFER);
}

/* Other bytes there and back again. */
static int check_transfer(frozen *f) {
  unsigned char *p = f->host;
  int is_same = 1;

  for (size_t i = 0; i < TRANSFER; i++)
    p[i] = (unsigned char)(i * 31 % 251);
  frozen_need(f, write_buffer(f), "write");
  memset(p, 0, TRANSFER);
  frozen_need(f, read_buffer(f), "read");
  for (size_t i = 0; i < TRANSFER; i++)
    is_same &= p[i] == i * 31 % 251;
  return is_same;
}

const frozen_case frozen_host_cases[] = {
    {"write 16 MiB", FROZEN_GBPS, 1, 1, set_transfer, write_buffer,
     check_transfer},
    {"read 16 MiB", FROZEN_GBPS, 1, 1, set_transfer, read_buffer,
     check_transfer},
    {"alloc and release 4 KiB", FROZEN_MICROS, 0, 500, frozen_open,
     alloc_buffer, check_context},
    {"context", FROZEN_FIRST, 0, 1, set_nothing, open_context, check_context},
    {NULL, FROZEN_GBPS, 0, 0, NULL, NULL, NULL},
};
