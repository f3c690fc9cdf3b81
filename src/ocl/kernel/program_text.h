/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a program: the preludes of cl/, functions that OpenCL C lacks,
 * and the caller's source. */
#ifndef OCL_KERNEL_PROGRAM_TEXT_H
#define OCL_KERNEL_PROGRAM_TEXT_H

#include <gpuarray/buffer.h>

#include "base/sha256.h"
#include "base/strb.h"

typedef enum ga__prelude {
  GA_PRELUDE_OWN = 0, /* cl/prelude.cl */
  GA_PRELUDE_CLUDA,   /* cl/cluda.cl */
  GA_PRELUDE_NONE,
  GA_PRELUDES
} ga__prelude;

/* Source in parts, the name of the kernel, and build options. Together with
 * device, driver, platform and format version they are the key of the cache. */
typedef struct ga__source {
  unsigned int n;
  const char *const *parts; /* NUL-terminated, concatenated */
  const char *entry;        /* kernel name */
  const char *options;      /* extra build options, or NULL */
  const char *ptx_target;   /* architecture to complete the PTX for (ptx.h), or
                               NULL */
  ga__prelude prelude;
  int flushes; /* subnormals are zeros, if the driver supports it */
} ga__source;

/* Hash all that may stand in front of sources with this prelude. */
void ga__program_text_hash(ga__sha256 *s, const gpucontext *ctx, ga__prelude p);

/* Append the whole text. *declares: with declarations of the functions that it
 * calls; zero afterwards if it needs PoCL's header (codegen/builtins.h).
 * `is_again`: a process ended while it used the binary of this source. */
void ga__program_text(ga__strb *b, const gpucontext *ctx, const ga__source *t,
                      int *declares, int is_again);

/* Append the caller's source with the line numbers of the compiler's log. */
void ga__program_text_number(ga__strb *b, const gpucontext *ctx,
                             const ga__source *t);

#endif
