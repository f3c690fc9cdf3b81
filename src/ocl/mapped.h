/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of buffers as memory of the host. On a CPU that is the memory itself,
 * elsewhere the driver copies. No kernel may use the part meanwhile. */
#ifndef OCL_MAPPED_H
#define OCL_MAPPED_H

#include <stddef.h>

#include <gpuarray/buffer.h>

typedef enum ga__map_mode {
  GA_MAP_READ,
  GA_MAP_BOTH,     /* to read and change */
  GA_MAP_OVERWRITE /* all of it; what was there is not fetched */
} ga__map_mode;

typedef struct ga__mapped {
  unsigned char *p; /* NULL: nothing is mapped */
  gpudata *d;       /* borrowed */
  void *arriving;   /* cl_event, or NULL */
} ga__mapped;

/* Enqueue the mapping; the bytes are there after ga__mapped_wait(). 0 bytes are
 * legal, and never NULL. */
int ga__mapped_start(ga__mapped *m, gpudata *d, size_t off, size_t bytes,
                     ga__map_mode mode);
int ga__mapped_wait(ga__mapped *m);
/* Enqueue the end of it, whatever its wait gave; a zeroed one is fine. Does not
 * block. After a failure the buffer may not have what was written. */
int ga__mapped_end(ga__mapped *m);

#endif
