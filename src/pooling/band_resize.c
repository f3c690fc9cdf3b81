/* SPDX-License-Identifier: BSD-2-Clause */
/* The bands that resize an axis, by the rules of ONNX and PyTorch. */
#include <limits.h>
#include <math.h>

#include "base/arith.h"
#include "base/err.h"
#include "pooling/band.h"

/* One axis. `width` is the result's size before rounding, that is s x. */
typedef struct axis {
  const GpuResize *r;
  double x, n, scale, width;
  double shrink; /* 1, or s where windows grow with 1 / s */
} axis;

/* Windows of more elements are refused. */
#define WINDOW_MOST ((double)(1 << 24))

static int check(const GpuResize *r, size_t x, size_t n) {
  GA_TRY(ga__band_check_size("the size of the source", x));
  GA_TRY(ga__band_check_size("the size of the result", n));
  if ((unsigned int)r->mode > GA_RESIZE_CUBIC ||
      (unsigned int)r->rule > GA_RESIZE_CROP ||
      (unsigned int)r->round > GA_RESIZE_CEIL)
    return ga__fail(GA_VALUE_ERROR, "mode %d, rule %d, rounding %d",
                    (int)r->mode, (int)r->rule, (int)r->round);
  if (!(r->scale >= 0) || !isfinite(r->scale))
    return ga__fail(GA_VALUE_ERROR, "scale %g, expected 0 or more", r->scale);
  if (!isfinite(r->cubic) || !isfinite(r->start) || !isfinite(r->end))
    return ga__fail(GA_VALUE_ERROR,
                    "the coefficient is %g, start is %g, end is %g", r->cubic,
                    r->start, r->end);
  if (x == 0 && n > 0)
    return ga__fail(GA_VALUE_ERROR, "%zu elements of an empty source", n);
  return GA_NO_ERROR;
}

static double find_position(const axis *a, double o) {
  const double plain = (o + 0.5) / a->scale - 0.5;

  switch (a->r->rule) {
  case GA_RESIZE_HALF_PIXEL_SYMMETRIC:
    return a->x / 2 * (1 - a->n / a->width) + plain;
  case GA_RESIZE_HALF_PIXEL_ONE:
    return a->n > 1 ? plain : 0;
  case GA_RESIZE_ALIGN_CORNERS:
    return a->width > 1 && a->n > 1 ? o * (a->x - 1) / (a->width - 1) : 0;
  case GA_RESIZE_ASYMMETRIC:
    return o / a->scale;
  case GA_RESIZE_CROP:
    return a->n > 1
               ? (a->r->start + o * (a->r->end - a->r->start) / (a->n - 1)) *
                     (a->x - 1)
               : 0.5 * (a->r->start + a->r->end) * (a->x - 1);
  default:
    return plain;
  }
}

static double round_position(ga_resize_round how, double at) {
  switch (how) {
  case GA_RESIZE_ROUND_DOWN:
    return ceil(at - 0.5);
  case GA_RESIZE_ROUND_UP:
    return floor(at + 0.5);
  case GA_RESIZE_FLOOR:
    return floor(at);
  default:
    return ceil(at);
  }
}

/* The weight of a neighbour at distance t. */
static double find_weight(const GpuResize *r, double t) {
  const double a = r->cubic;

  t = fabs(t);
  if (r->mode == GA_RESIZE_LINEAR)
    return t < 1 ? 1 - t : 0;
  if (t <= 1)
    return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

/* The neighbours of a position: those from `low` to `high`, of which some may
 * lie outside. */
typedef struct neighbours {
  double at, low, high;
} neighbours;

static neighbours find_neighbours(const axis *a, double o) {
  const double at = find_position(a, o);

  if (a->r->mode == GA_RESIZE_NEAREST) {
    const double k = round_position(a->r->round, at);
    return (neighbours){k, k, k};
  }
  const double reach = (a->r->mode == GA_RESIZE_LINEAR ? 1 : 2) / a->shrink;
  return (neighbours){at, floor(at - reach) + 1, ceil(at + reach) - 1};
}

static double clamp(const axis *a, double at) {
  return at < 0 ? 0 : at > a->x - 1 ? a->x - 1 : at;
}

static int is_cropped(const axis *a, double at) {
  return a->r->rule == GA_RESIZE_CROP && (at < 0 || at > a->x - 1);
}

static int set_spans(GpuBand *b, const axis *a) {
  for (size_t o = 0; o < b->n; o++) {
    const neighbours k = find_neighbours(a, (double)o);

    if (!(k.high - k.low < WINDOW_MOST))
      return ga__fail(GA_VALUE_ERROR, "window %zu has more than %.0f elements",
                      o, WINDOW_MOST);
    if (is_cropped(a, find_position(a, (double)o)))
      continue;
    b->first[o] = (int32_t)clamp(a, k.low);
    b->count[o] = (int32_t)clamp(a, k.high) - b->first[o] + 1;
    b->most = ga__at_least(b->most, (size_t)b->count[o]);
  }
  return GA_NO_ERROR;
}

static void set_weights(GpuBand *b, const axis *a, size_t o) {
  const neighbours k = find_neighbours(a, (double)o);
  double sum = 0;

  for (size_t q = 0; q <= (size_t)(k.high - k.low); q++) {
    const double i = k.low + (double)q;
    const double w = find_weight(a->r, (i - k.at) * a->shrink);
    const size_t at = (size_t)(clamp(a, i) - b->first[o]);

    if (a->r->exclude_outside && clamp(a, i) != i)
      continue;
    b->weights[at * b->n + o] += w;
    sum += w;
  }
  for (size_t i = 0; i < (size_t)b->count[o] && sum != 0; i++)
    b->weights[i * b->n + o] /= sum;
}

int GpuBand_resize(GpuBand *out, const GpuResize *r, size_t x, size_t n) {
  GpuBand b = {0};
  int err;

  if (out == NULL)
    return ga__fail(GA_INVALID_ERROR, "nowhere to write a band");
  *out = (GpuBand){0};
  if (r == NULL)
    return ga__fail(GA_INVALID_ERROR, "no way to resize");
  GA_TRY(check(r, x, n));
  axis a = {.r = r, .x = (double)x, .n = (double)n, .shrink = 1};
  a.scale = r->scale > 0 || x == 0 ? r->scale : (double)n / (double)x;
  a.width = r->scale > 0 ? a.scale * a.x : a.n;
  if (r->antialias && a.scale < 1 && r->mode != GA_RESIZE_NEAREST)
    a.shrink = a.scale;
  GA_CHECK(ga__band_init(&b, x, n));
  GA_CHECK(set_spans(&b, &a));
  if (r->mode != GA_RESIZE_NEAREST) {
    GA_CHECK(ga__band_init_weights(&b));
    for (size_t o = 0; o < n; o++)
      if (b.count[o] > 0)
        set_weights(&b, &a, o);
  }
  *out = b;
  b = (GpuBand){0};

done:
  GpuBand_clear(&b);
  return err;
}
