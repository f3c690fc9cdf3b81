/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of buffers mapped into host memory. On a CPU device that is the
 * buffer's own memory; elsewhere the driver copies. No kernel may use the part
 * while it is mapped. */
#ifndef OCL_MEMORY_MAPPED_H
#define OCL_MEMORY_MAPPED_H

#include <stddef.h>

#include <gpuarray/buffer.h>

typedef enum ga__map_mode {
  GA_MAP_READ,
  GA_MAP_BOTH,     /* to read and change */
  GA_MAP_OVERWRITE /* all of it; the old bytes are not copied */
} ga__map_mode;

typedef struct ga__mapped {
  unsigned char *p; /* NULL: nothing is mapped */
  gpudata *d;       /* borrowed */
  void *arriving;   /* cl_event, or NULL */
} ga__mapped;

/* Enqueue the mapping. The bytes are there after ga__mapped_wait(). With 0
 * bytes, `p` is not NULL either. */
int ga__mapped_start(ga__mapped *m, gpudata *d, size_t off, size_t bytes,
                     ga__map_mode mode);
int ga__mapped_wait(ga__mapped *m);
/* Enqueue the unmapping, also after a wait that failed. A zeroed ga__mapped is
 * accepted. Blocks only if the mapping was not waited for. After a failure the
 * buffer may lack what was written. */
int ga__mapped_end(ga__mapped *m);

#endif
