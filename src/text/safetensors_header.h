/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a safetensors file: 8 bytes with its length, the least
 * significant first, then JSON:
 *
 *     {"w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
 *
 * Offsets count from the end of the header. The elements of all tensors follow
 * one another without gaps, to the end of the file. "__metadata__" may have
 * texts, which are ignored. */
#ifndef TEXT_SAFETENSORS_HEADER_H
#define TEXT_SAFETENSORS_HEADER_H

#include <gpugraph/graph.h>

#include "base/arena.h"
#include "base/strb.h"
#include "base/vec.h"

#define GG_SAFETENSORS_MOST 100000000u /* bytes of JSON */

typedef struct gg__safetensor {
  const char *name; /* in the arena */
  const char *type; /* such as "F32"; in the arena */
  int dtype;        /* -1: no array has it */
  unsigned int nd;  /* more than GG_MAX_ND: dims are not kept */
  size_t dims[GG_MAX_ND];
  uint64_t begin, end; /* offsets of the elements from the file's start */
} gg__safetensor;

typedef GA_VEC(gg__safetensor) gg__safetensors;

/* Read the header of a file. The tensors are in the order of their elements.
 * The caller clears list and arena, also on failure. */
int gg__safetensors_read(gg__safetensors *list, ga__arena *arena,
                         const unsigned char *file, size_t n);
/* The format's word for a dtype, or NULL. */
const char *gg__safetensors_word(int dtype);

#endif
