/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions in plain C, in double. */
#include "ops/image/conv_host.h"

#include "base/alloc.h"
#include "ops/ops.h"

/* A convolution on the host. All members are borrowed. */
typedef struct host {
  GpuConv c;
  ga_conv_part part;
  int dtype;
  const size_t *x, *w, *y; /* sizes */
  const void *u, *v;       /* the operands, in C order */
  double *sums;            /* of the result, in C order */
} host;

/* The index of the element of x that is multiplied by element `iw` of w for
 * element `iy` of y, or -1 if it is outside of x. */
static ptrdiff_t find_x(const host *h, const size_t *iy, const size_t *iw) {
  const size_t group = iy[1] / (h->w[0] / h->c.groups);
  size_t at = iy[0] * h->x[1] + group * h->w[1] + iw[1];

  for (unsigned int d = 0; d < h->c.nd; d++) {
    const size_t tap = h->c.flip ? h->w[d + 2] - 1 - iw[d + 2] : iw[d + 2];
    const size_t pos = iy[d + 2] * h->c.stride[d] + tap * h->c.dilation[d];

    if (pos < h->c.before[d] || pos - h->c.before[d] >= h->x[d + 2])
      return -1;
    at = at * h->x[d + 2] + pos - h->c.before[d];
  }
  return (ptrdiff_t)at;
}

static size_t total(unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  return n;
}

static void unravel(size_t i, unsigned int nd, const size_t *dims,
                    size_t *index) {
  for (unsigned int d = nd; d-- > 0;) {
    index[d] = i % dims[d];
    i /= dims[d];
  }
}

/* Add the product that elements y, w and x have in common to its result. */
static void add_product(const host *h, size_t y, size_t w, size_t x) {
  const size_t size = ga__dtype_size(h->dtype);
  const size_t at[3][3] = {[GA_CONV_FORWARD] = {x, w, y},
                           [GA_CONV_INPUT] = {y, w, x},
                           [GA_CONV_FILTERS] = {x, y, w}};
  const size_t *i = at[h->part];

  h->sums[i[2]] +=
      ga__dtype_to_double(h->dtype, (const char *)h->u + i[0] * size) *
      ga__dtype_to_double(h->dtype, (const char *)h->v + i[1] * size);
}

static void convolve(const host *h) {
  const unsigned int nd = h->c.nd + 2;
  const size_t n = total(nd, h->y), each = total(nd - 1, h->w + 1);
  size_t iy[GG_MAX_ND], iw[GG_MAX_ND];

  for (size_t i = 0; i < n; i++) {
    unravel(i, nd, h->y, iy);
    for (size_t k = iy[1] * each; k < (iy[1] + 1) * each; k++) {
      unravel(k, nd, h->w, iw);
      const ptrdiff_t x = find_x(h, iy, iw);
      if (x >= 0)
        add_product(h, i, k, (size_t)x);
    }
  }
}

int gg__conv_on_host(const gg_prepare *p, const GpuConv *c, ga_conv_part part) {
  const size_t *const u = p->in[0]->dimensions, *const v = p->in[1]->dimensions,
                      *const r = p->out[0]->dimensions;
  const int dtype = p->out[0]->typecode;
  const size_t n = total(p->out[0]->nd, r), size = ga__dtype_size(dtype);
  double *sums = ga__calloc(n, sizeof *sums);
  const host h = {.c = *c,
                  .part = part,
                  .dtype = dtype,
                  .x = part == GA_CONV_INPUT ? r : u,
                  .w = part == GA_CONV_FILTERS ? r : v,
                  .y = part == GA_CONV_FORWARD ? r
                       : part == GA_CONV_INPUT ? u
                                               : v,
                  .u = p->from[0],
                  .v = p->from[1],
                  .sums = sums};

  if (sums == NULL)
    return ga__fail_nomem();
  convolve(&h);
  for (size_t i = 0; i < n; i++)
    ga__dtype_from_double(dtype, (char *)p->to[0] + i * size, sums[i]);
  ga__free(sums);
  return GA_NO_ERROR;
}
