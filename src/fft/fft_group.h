/* SPDX-License-Identifier: BSD-2-Clause */
/* How a work-group of a GPU transforms: plain arithmetic, and the macros of
 * cl/fft_gpu.cl that follow from it. */
#ifndef FFT_FFT_GROUP_H
#define FFT_FFT_GROUP_H

#include "base/strb.h"
#include "fft/fft_passes.h"

enum {
  GA_FFT_EACH = 16,  /* numbers that a work-item holds, at most */
  GA_FFT_SECTOR = 32 /* bytes that memory reads at least */
};

/* What a device allows. */
typedef struct ga__fft_limits {
  size_t items; /* work-items of a group */
  size_t local; /* bytes of local memory */
  size_t size;  /* bytes of a complex number */
} ga__fft_limits;

/* A group transforms `width` lanes. It has no padding bytes: it is a part of
 * keys. */
typedef struct ga__fft_group {
  size_t items; /* work-items of a lane */
  size_t width;
  size_t
      line; /* words of a lane in local memory; 0: lanes are the inner ones */
  size_t bytes;          /* of local memory */
  unsigned int each;     /* numbers of a work-item, at most */
  unsigned int is_split; /* real parts are exchanged before imaginary ones */
} ga__fft_group;

/* The most rows of a step whose groups have `lanes` lanes. */
size_t ga__fft_group_rows(const ga__fft_limits *d, size_t lanes);
/* Choose passes over up to ga__fft_group_rows rows, and a group of at most
 * `lanes` lanes. `inner` of these are neighbours in memory and should be read
 * or written at once; 1: none. With `by_line` rows are neighbours in memory,
 * and local memory has one line after the other. */
void ga__fft_find_group(ga__fft_group *g, ga__fft_passes *p,
                        const ga__fft_limits *d, size_t rows, size_t lanes,
                        size_t inner, int by_line);
/* Append ROWS, ITEMS, EACH, WIDTH, SPLIT, LINE and PASSES. */
void ga__fft_group_text(ga__strb *b, const ga__fft_group *g,
                        const ga__fft_limits *d, const ga__fft_passes *p);

#endif
