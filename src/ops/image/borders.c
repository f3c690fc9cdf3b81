/* SPDX-License-Identifier: BSD-2-Clause */
/* Neighbours of the elements of images by what happens at the borders: padding,
 * or elements from the other end. */
#include <gpugraph/gather.h>
#include <gpugraph/images.h>

#include "ops/compose.h"

/* What sizes must be, for messages. */
static const char holds[] = "the image with its padding holds a window";
static const char back[] =
    "a row for each window in the image with its padding, of as many elements";

static int fail(const gg_op *op, gg_var *x, const char *text) {
  gg__refuse(op, 1, &x, GA_VALUE_ERROR, "%s", text);
  return 0;
}

/* Set the padding of *p, and check that windows end at the borders of x
 * [images, channels, sizes...] where its sizes are known. */
static int set_padding(const gg_op *op, gg_var *x, GpuPooling *p,
                       gg_borders borders) {
  if ((unsigned int)borders > GG_BORDERS_FULL || p->nd < 1 ||
      p->nd > GA_POOLING_ND || gg__rank_of(x) != p->nd + 2)
    return fail(op, x,
                "expected [images, channels, 1 to 3 sizes], and one of "
                "the rules for borders");
  for (unsigned int d = 0; d < p->nd; d++) {
    const size_t n = p->size[d], most = INT32_MAX / 4;
    const int64_t x_size = gg_var_type(x)->dims[d + 2];

    if (n < 1 || n > most || p->stride[d] < 1 || p->dilation[d] != 1)
      return fail(op, x,
                  "expected windows of at least 1 element, strides of "
                  "at least 1, dilation 1");
    if (borders == GG_BORDERS_WRAP && n % 2 == 0)
      return fail(op, x, "windows about elements have odd sizes");
    p->before[d] = borders == GG_BORDERS_HALF   ? n / 2
                   : borders == GG_BORDERS_FULL ? n - 1
                                                : 0;
    p->after[d] = p->before[d];
    if (x_size < 0 || borders == GG_BORDERS_IGNORE)
      continue;
    if ((size_t)x_size < n) {
      gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                 "dim %u: windows of %zu elements, x has %lld", d, n,
                 (long long)x_size);
      return 0;
    }
    const size_t rest = (size_t)x_size + 2 * p->before[d] - n;
    if (borders != GG_BORDERS_WRAP && rest % p->stride[d] != 0) {
      gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                 "dim %u: windows of %zu elements, %zu apart, leave %zu of the "
                 "%zu elements with padding; GG_BORDERS_IGNORE allows that",
                 d, n, p->stride[d], rest % p->stride[d], rest + n);
      return 0;
    }
  }
  return 1;
}

/* The elements along an axis of `size` with half a window of `n` from the other
 * end on both sides. */
static gg_var *wrapped(gg_var *size, size_t n) {
  gg_var *half = gg__whole_number(size, (int64_t)(n / 2));
  gg_var *end = gg__number_add(size, half);

  return gg_mod(gg_arange(gg__number_add(size, gg_neg(half)),
                          gg__number_add(end, size), gg__whole_number(size, 1)),
                size);
}

/* x, whose open sizes are those at which the last window ends at the border:
 * calls check that. */
static gg_var *with_whole_windows(const gg_op *op, gg_var *x,
                                  const GpuPooling *p, gg_borders borders) {
  gg_var *sizes[GG_MAX_ND] = {NULL};

  if (borders == GG_BORDERS_IGNORE || borders == GG_BORDERS_WRAP)
    return x;
  for (unsigned int d = 0; d < p->nd; d++) {
    const int64_t n = (int64_t)p->size[d], stride = (int64_t)p->stride[d];
    const int64_t inner = n - (int64_t)(p->before[d] + p->after[d]);
    gg_var *const size = gg_shape(x, (int)d + 2);
    gg_var *steps = gg__number_over(
        gg__number_add(size, gg__whole_number(x, -inner)), stride);

    if (gg_var_type(x)->dims[d + 2] != GG_ANY)
      continue;
    sizes[d + 2] =
        gg__number_add(gg__number_mul(steps, gg__whole_number(x, stride)),
                       gg__whole_number(x, inner));
  }
  return gg__with_sizes(op, 1, &x, x, sizes,
                        "the last window ends at the border");
}

/* Check x, and set *own to p with the padding for these borders. */
static int check(const gg_op *op, gg_var *x, const GpuPooling *p,
                 GpuPooling *own, gg_borders borders) {
  if (!gg__given(op, 1, &x))
    return 0;
  if (p == NULL)
    return fail(op, x, "no geometry");
  *own = *p;
  return set_padding(op, x, own, borders);
}

/* gg_neighbours of x, whose padding is set. */
static gg_var *rows_of(gg_var *x, const GpuPooling *p, gg_borders borders) {
  for (unsigned int d = 0; d < p->nd && borders == GG_BORDERS_WRAP; d++)
    x = gg_take_axis(x, (int)d + 2,
                     wrapped(gg_shape(x, (int)d + 2), p->size[d]));
  return gg_neighbours(x, p);
}

gg_var *gg_neighbours_bordered(gg_var *x, const GpuPooling *p,
                               gg_borders borders) {
  static const gg_op op = {.name = "neighbours_bordered"};
  GpuPooling own;

  if (!check(&op, x, p, &own, borders))
    return NULL;
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer = gg_parts_begin(g, &op, 1, &x, holds);
  x = with_whole_windows(&op, x, &own, borders);
  return gg_parts_end(g, outer, rows_of(x, &own, borders));
}

/* gg_neighbours_back to the sizes of `like`. */
static gg_var *image_of(gg_var *y, const GpuPooling *p, gg_borders borders,
                        gg_var *like) {
  gg_var *sizes[GG_MAX_ND], *padded[GG_MAX_ND];

  if (like == NULL || borders != GG_BORDERS_WRAP)
    return like != NULL ? gg_neighbours_back(y, p, like) : NULL;
  gg__sizes_of(like, sizes);
  gg__sizes_of(like, padded);
  for (unsigned int d = 0; d < p->nd; d++)
    padded[d + 2] = gg__number_add(
        sizes[d + 2], gg__whole_number(y, (int64_t)(p->size[d] / 2 * 2)));
  gg_var *x =
      gg_neighbours_back(y, p, gg_alloc(gg__num(y, 0), p->nd + 2, padded));
  for (unsigned int d = 0; d < p->nd && x != NULL; d++) {
    padded[d + 2] = sizes[d + 2];
    x = gg_put_add(gg_alloc(gg__num(y, 0), p->nd + 2, padded), (int)d + 2,
                   wrapped(sizes[d + 2], p->size[d]), x);
  }
  return x;
}

gg_var *gg_neighbours_bordered_back(gg_var *y, const GpuPooling *p,
                                    gg_borders borders, gg_var *like) {
  static const gg_op op = {.name = "neighbours_bordered_back"};
  gg_var *const in[2] = {y, like};
  GpuPooling own;

  if (!gg__given(&op, 2, in) || !check(&op, like, p, &own, borders))
    return NULL;
  gg_graph *const g = gg_var_graph(y);
  const gg_parts *outer = gg_parts_begin(g, &op, 2, in, back);
  like = with_whole_windows(&op, like, &own, borders);
  return gg_parts_end(g, outer, image_of(y, &own, borders, like));
}
