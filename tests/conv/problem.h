/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with arrays on the host, and what they must give. */
#ifndef CONV_PROBLEM_H
#define CONV_PROBLEM_H

#include "support/device.h"

#include <stdlib.h>
#include <string.h>

#include <gpuarray/conv.h>

#include "base/dtype.h"

/* How arrays lie in memory. */
typedef enum layout {
  CHANNELS_FIRST,
  CHANNELS_LAST,
  BACKWARDS,
  LAYOUTS
} layout;

typedef struct problem {
  GpuConv c;
  size_t images, channels, filters; /* of all groups */
  size_t x[3], w[3], y[3];
  int is_aligned; /* arrays begin where vectors may */
} problem;

static void problem_dims(const problem *p, int which, size_t dims[5]) {
  const size_t *spatial = which == 0 ? p->x : which == 1 ? p->w : p->y;

  dims[0] = which == 1 ? p->filters : p->images;
  dims[1] = which == 0   ? p->channels
            : which == 1 ? p->channels / p->c.groups
                         : p->filters;
  memcpy(dims + 2, spatial, p->c.nd * sizeof *dims);
}

static size_t problem_total(const problem *p, int which) {
  size_t dims[5], n = 1;

  problem_dims(p, which, dims);
  for (unsigned int i = 0; i < p->c.nd + 2; i++)
    n *= dims[i];
  return n;
}

/* Strides, in elements, of an array of these sizes. */
static void layout_strides(layout how, unsigned int nd, const size_t *dims,
                           ssize_t *strides) {
  ssize_t next = 1;

  if (how == CHANNELS_LAST) {
    strides[1] = next;
    next *= (ssize_t)dims[1];
  }
  for (unsigned int i = nd; i-- > 0;) {
    if (how == CHANNELS_LAST && i == 1)
      continue;
    strides[i] = next;
    /* gaps and reversed rows */
    if (how == BACKWARDS)
      next = (next < 0 ? -next : next) * (ssize_t)dims[i] + (ssize_t)i % 2;
    else
      next *= (ssize_t)dims[i];
    if (how == BACKWARDS && i % 2 == 1)
      strides[i] = -strides[i];
  }
}

/* The offset of an element in C order, or -1 outside of the array. */
static ptrdiff_t problem_at(const problem *p, const size_t *dims, size_t image,
                            size_t channel, const ptrdiff_t *pos) {
  size_t at = image * dims[1] + channel;

  for (unsigned int d = 0; d < p->c.nd; d++) {
    if (pos[d] < 0 || (size_t)pos[d] >= dims[d + 2])
      return -1;
    at = at * dims[d + 2] + (size_t)pos[d];
  }
  return (ptrdiff_t)at;
}

static void unravel(size_t i, unsigned int n, const size_t *dims,
                    size_t *index) {
  for (unsigned int d = n; d-- > 0;) {
    index[d] = i % dims[d];
    i /= dims[d];
  }
}

/* Go to the next index, the last digit first. */
static void step_index(unsigned int n, const size_t *dims, size_t *index) {
  for (unsigned int d = n; d-- > 0;) {
    if (++index[d] < dims[d])
      return;
    index[d] = 0;
  }
}

/* Add up result number `part`'s elements: each pair of an element of y and an
 * element of w meets one element of x. */
static void problem_reference(const problem *p, ga_conv_part part,
                              const double *x, const double *w, const double *y,
                              double *out) {
  const unsigned int nd = p->c.nd;
  const size_t per_group = p->filters / p->c.groups;
  size_t dx[5], dw[5], dy[5], iy[5], iw[5];

  problem_dims(p, 0, dx);
  problem_dims(p, 1, dw);
  problem_dims(p, 2, dy);
  const size_t ny = problem_total(p, 2), each = problem_total(p, 1) / dw[0];
  for (size_t i = 0; i < ny; i++) {
    unravel(i, nd + 2, dy, iy);
    memset(iw, 0, sizeof iw);
    iw[0] = iy[1];
    for (size_t k = 0; k < each; k++, step_index(nd + 2, dw, iw)) {
      ptrdiff_t pos[3];

      for (unsigned int d = 0; d < nd; d++) {
        const size_t tap = p->c.flip ? dw[d + 2] - 1 - iw[d + 2] : iw[d + 2];
        pos[d] =
            (ptrdiff_t)(iy[d + 2] * p->c.stride[d] + tap * p->c.dilation[d]) -
            (ptrdiff_t)p->c.before[d];
      }
      const ptrdiff_t ix =
          problem_at(p, dx, iy[0], iy[1] / per_group * dw[1] + iw[1], pos);
      if (ix < 0)
        continue;
      if (part == GA_CONV_FORWARD)
        out[i] += x[ix] * w[iy[1] * each + k];
      else if (part == GA_CONV_INPUT)
        out[ix] += y[i] * w[iy[1] * each + k];
      else
        out[iy[1] * each + k] += y[i] * x[ix];
    }
  }
}

/* --- random problems --- */

static uint32_t seed = 1;

static inline size_t draw(size_t low, size_t high) {
  seed = seed * 1664525u + 1013904223u;
  return low + (seed >> 8) % (high - low + 1);
}

/* A random problem; its sizes follow from those of y. */
static inline problem draw_problem(unsigned int nd) {
  problem p = {.c = {.nd = nd, .groups = draw(0, 2) == 0 ? draw(2, 3) : 1}};
  const size_t most = nd == 1 ? 70 : nd == 2 ? 12 : 6;

  p.c.flip = (int)draw(0, 3) == 0;
  p.images = draw(1, 3);
  p.channels = p.c.groups * draw(1, 5);
  p.filters = p.c.groups * draw(1, 12);
  for (unsigned int d = 0; d < nd; d++) {
    p.c.stride[d] = draw(1, 3);
    p.c.dilation[d] = draw(1, 2);
    p.w[d] = draw(1, 4);
    p.c.before[d] = draw(0, 3);
    p.c.after[d] = draw(0, 2);
    p.y[d] = draw(1, most);
    const size_t padded = (p.y[d] - 1) * p.c.stride[d] +
                          (p.w[d] - 1) * p.c.dilation[d] + 1 +
                          draw(0, p.c.stride[d] - 1);
    const size_t padding = p.c.before[d] + p.c.after[d];
    p.x[d] = padded > padding ? padded - padding : 1;
    assert_ok(GpuConv_size(&p.y[d], &p.c, d, p.x[d], p.w[d]));
  }
  return p;
}

#endif
