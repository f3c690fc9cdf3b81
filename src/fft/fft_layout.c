/* SPDX-License-Identifier: BSD-2-Clause */
/* How the work of a step of Fourier transforms is divided. */
#include <gpuarray/device.h>

#include "base/arith.h"
#include "fft/fft.h"

enum {
  CPU_TWOS = 3, /* radices are up to 2^3, so that vectors stay in registers */
  FEW_LANES = 4 /* with fewer in a batch, others are better */
};

void ga__fft_open(ga__fft *f) {
  const gpudevice_caps *caps = gpucontext_caps(f->ctx);
  const size_t vector = caps->vector_float / (f->is_double ? 2 : 1);

  f->is_cpu = caps->is_cpu;
  f->lanes = vector >= 16 ? 16 : vector >= 8 ? 8 : 4;
  f->limits = (ga__fft_limits){
      .items = ga__at_most(caps->max_group, caps->max_items[0]),
      .local = caps->local_bytes,
      .size = ga__fft_size(f)};
}

size_t ga__fft_size(const ga__fft *f) {
  return 2 * (f->is_double ? sizeof(double) : sizeof(float));
}

size_t ga__fft_side_size(const ga__fft *f, const ga__fft_side *s) {
  return ga__fft_size(f) / (s->how & GA_FFT_REAL ? 2 : 1);
}

/* The dimension of the batch whose neighbours are neighbours in memory, else
 * the largest one. */
static unsigned int lane_dim(const ga__fft_step *t, size_t size, int *is_flat) {
  const ga__fft_axis *a = t->a;
  unsigned int best = 0;

  for (unsigned int d = 0; d < a->nd; d++) {
    *is_flat = a->dims[d] >= FEW_LANES && (t->x->by[d] == (ptrdiff_t)size ||
                                           t->y->by[d] == (ptrdiff_t)size);
    if (*is_flat)
      return d;
    best = a->dims[d] > a->dims[best] ? d : best;
  }
  *is_flat = 0;
  return best;
}

static void choose_lanes(const ga__fft *f, const ga__fft_step *t,
                         ga__fft_layout *l) {
  const ga__fft_axis *a = t->a;
  const size_t few = f->is_cpu ? f->lanes : FEW_LANES;
  int is_flat;

  l->dim = lane_dim(t, ga__fft_size(f), &is_flat);
  const size_t batch = l->dim < a->nd ? a->dims[l->dim] : 1;
  l->by = is_flat && batch >= few ? GA_FFT_BY_BATCH
          : t->s >= few           ? GA_FFT_BY_Q
          : t->m >= few           ? GA_FFT_BY_P
                                  : GA_FFT_BY_BATCH;
  l->lanes = l->by == GA_FFT_BY_BATCH ? batch
             : l->by == GA_FFT_BY_P   ? t->m
                                      : t->s;
  if (l->by == GA_FFT_BY_BATCH && a->nd > 0) {
    l->x_lane = t->x->by[l->dim];
    l->y_lane = t->y->by[l->dim];
  } else if (l->by == GA_FFT_BY_P) {
    l->x_lane = (ptrdiff_t)t->s * t->x->axis;
    l->y_lane = (ptrdiff_t)(t->s * t->rows) * t->y->axis;
  } else if (l->by == GA_FFT_BY_Q) {
    l->x_lane = t->x->axis;
    l->y_lane = t->y->axis;
  }
}

/* How a side lies in memory. On a CPU elements that are multiplied by a table
 * are not read and written as vectors. */
static int access_of(const ga__fft *f, const ga__fft_side *s, ptrdiff_t lane,
                     ptrdiff_t row) {
  const ptrdiff_t size = (ptrdiff_t)ga__fft_side_size(f, s);

  if (f->is_cpu && (s->how & GA_FFT_TABLE) != 0)
    return 0;
  return lane == size ? GA_FFT_ALONG : row == size ? GA_FFT_ACROSS : 0;
}

static int how_of(const ga__fft *f, const ga__fft_step *t,
                  const ga__fft_side *s, ptrdiff_t lane, size_t row) {
  const int is_part = s->end < t->rows * t->m * t->s;

  return s->how | access_of(f, s, lane, (ptrdiff_t)row * s->axis) |
         (is_part || s->how & GA_FFT_MIRROR ? GA_FFT_PART : 0);
}

static void find_group(ga__fft_layout *l, const ga__fft *f, size_t rows) {
  const int how = l->x_how | l->y_how;

  ga__fft_find_group(&l->group, &l->passes, &f->limits, rows, l->lanes,
                     how & GA_FFT_ALONG ? l->lanes : 1,
                     (how & GA_FFT_ACROSS) != 0);
  l->width = l->group.width;
}

void ga__fft_lay_out(ga__fft_layout *l, const ga__fft *f,
                     const ga__fft_step *t) {
  const ga__fft_axis *a = t->a;

  *l = (ga__fft_layout){.width = f->lanes};
  choose_lanes(f, t, l);
  l->x_how = how_of(f, t, t->x, l->x_lane, t->s * t->m);
  l->y_how = how_of(f, t, t->y, l->y_lane, t->s);
  if (f->is_cpu)
    ga__fft_find_passes(&l->passes, t->rows, CPU_TWOS, 0);
  else
    find_group(l, f, t->rows);
  l->units = ga__ceil_div(l->lanes, l->width) *
             (l->by == GA_FFT_BY_P ? 1 : t->m) *
             (l->by == GA_FFT_BY_Q ? 1 : t->s);
  for (unsigned int d = 0; d < a->nd; d++)
    l->units *= l->by == GA_FFT_BY_BATCH && d == l->dim ? 1 : a->dims[d];
}
