/* SPDX-License-Identifier: BSD-2-Clause */
/* Fourier transforms along one axis: launches of their steps. */
#ifndef FFT_FFT_H
#define FFT_FFT_H

#include <gpuarray/fft.h>

#include "fft/fft_group.h"
#include "fft/fft_passes.h"
#include "layout/space.h"
#include "ocl/ocl.h"

/* How a side is read or written; the numbers of cl/fft_side.cl. */
enum {
  GA_FFT_REAL = 1,
  GA_FFT_MIRROR = 2,
  GA_FFT_SWAP = 4,
  GA_FFT_TABLE = 8,
  GA_FFT_ALONG = 16,
  GA_FFT_ACROSS = 32,
  GA_FFT_PART = 64,
  GA_FFT_PAIRS = 128
};

enum { GA_FFT_WORKS = 4 }; /* slots of its own */

/* A launch that is being built. */
typedef struct ga__fft {
  GpuLaunch *l;
  gpucontext *ctx; /* borrowed */
  int is_double, is_cpu;
  unsigned int lanes;    /* of vectors, on a CPU */
  ga__fft_limits limits; /* of groups, on a GPU */
  size_t work_bytes;     /* of a slot of its own */
  unsigned int work[GA_FFT_WORKS];
  int has_work[GA_FFT_WORKS];
} ga__fft;

/* What a transform reads or writes. */
typedef struct ga__fft_side {
  unsigned int slot;
  ptrdiff_t
      first;      /* bytes from the slot to position 0 of the first transform */
  ptrdiff_t axis; /* bytes between positions */
  ptrdiff_t by[GA_ITER_ND]; /* bytes in the batch */
  size_t end;               /* positions that exist; those beyond are zeros, or
                               are not written */
  int how;
  const ga__fft_table *table; /* by position; or NULL */
} ga__fft_side;

/* Transforms of n elements along an axis. */
typedef struct ga__fft_axis {
  size_t n;
  size_t mirror; /* the n of F_MIRROR */
  unsigned int nd;
  size_t dims[GA_ITER_ND]; /* of the batch; dimension 0 is the innermost one */
  ga__fft_side x, y;
  double scale;
} ga__fft_axis;

/* Find out what the device can do. */
void ga__fft_open(ga__fft *f);
/* Bytes of a complex number, and of an element of a side. */
size_t ga__fft_size(const ga__fft *f);
size_t ga__fft_side_size(const ga__fft *f, const ga__fft_side *s);
/* The n-th slot of its own, 0 to GA_FFT_WORKS - 1. */
unsigned int ga__fft_work(ga__fft *f, unsigned int n);
/* The smallest length that has only small primes and that a transform of n
 * elements needs: n itself, or that of its convolution. */
size_t ga__fft_length(size_t n);

/* One step (fft_step.c). `a` describes its own sides; s and m as in
 * cl/fft_side.cl. */
typedef struct ga__fft_step {
  const ga__fft_axis *a;
  const ga__fft_side *x, *y;
  size_t rows, m, s;
  double scale;
  struct ga__fft_tables *tables; /* of steps of these rows, m and s */
} ga__fft_step;

int ga__fft_add_step(ga__fft *f, const ga__fft_step *step);

/* What the lanes of a step are; the numbers of LANES_BY. */
typedef enum ga__fft_lanes {
  GA_FFT_BY_BATCH,
  GA_FFT_BY_P,
  GA_FFT_BY_Q
} ga__fft_lanes;

/* Tables that steps share if they differ only in their part of the batch. Each
 * is 1 + its workspace; 0: it is not made yet. */
typedef struct ga__fft_tables {
  ga__fft_lanes by; /* of the twists */
  unsigned int roots, plan, twists;
} ga__fft_tables;

/* How the work of a step is divided. */
typedef struct ga__fft_layout {
  ga__fft_lanes by;
  unsigned int dim; /* of the batch, by batch; nd: there is none */
  size_t lanes;     /* in all */
  size_t width;     /* at once */
  size_t units;     /* of `width` lanes */
  ptrdiff_t x_lane, y_lane;
  int x_how, y_how;
  ga__fft_passes passes;
  ga__fft_group group; /* on a GPU */
} ga__fft_layout;

/* (fft_layout.c) */
void ga__fft_lay_out(ga__fft_layout *l, const ga__fft *f,
                     const ga__fft_step *t);

/* Add transforms along an axis (fft_axis.c). With `inverse` they have positive
 * exponents. Slots of its own from `work` on are used. */
int ga__fft_add(ga__fft *f, ga__fft_axis *a, int inverse, unsigned int work);

#endif
