/* SPDX-License-Identifier: BSD-2-Clause */
/* Bands: their memory, those of pooling, and transposed ones. */
#include "pooling/band.h"

#include <limits.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "base/err.h"

void GpuBand_clear(GpuBand *b) {
  if (b == NULL)
    return;
  ga__free(b->first);
  ga__free(b->count);
  ga__free(b->weights);
  *b = (GpuBand){0};
}

int ga__band_check_size(const char *what, size_t n) {
  if (n > GA_BAND_SIZE_MAX)
    return ga__fail(GA_VALUE_ERROR, "%s is %zu, expected at most %d", what, n,
                    GA_BAND_SIZE_MAX);
  return GA_NO_ERROR;
}

int ga__band_init(GpuBand *b, size_t from, size_t n) {
  *b = (GpuBand){.from = from, .n = n, .step = 1};
  b->first = ga__calloc(n, sizeof *b->first);
  b->count = ga__calloc(n, sizeof *b->count);
  return b->first != NULL && b->count != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

int ga__band_init_weights(GpuBand *b) {
  b->weights = ga__calloc(ga__times(b->most, b->n), sizeof *b->weights);
  return b->weights != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

/* --- checks of bands that callers made --- */

static int check_window(const GpuBand *b, size_t o) {
  const int64_t first = b->first[o], count = b->count[o];

  if (count < 0 || (uint64_t)count > b->most)
    return ga__fail(GA_VALUE_ERROR,
                    "window %zu has %lld elements, expected 0 to %zu", o,
                    (long long)count, b->most);
  if (count > 0 &&
      (first < 0 || (size_t)first >= b->from ||
       (size_t)(count - 1) > (b->from - 1 - (size_t)first) / b->step))
    return ga__fail(GA_VALUE_ERROR,
                    "window %zu: %lld elements from %lld on, %zu apart, the "
                    "source has %zu",
                    o, (long long)count, (long long)first, b->step, b->from);
  return GA_NO_ERROR;
}

int ga__band_check(const GpuBand *b) {
  if (b == NULL)
    return ga__fail(GA_INVALID_ERROR, "no band");
  GA_TRY(ga__band_check_size("the source of a band", b->from));
  GA_TRY(ga__band_check_size("the result of a band", b->n));
  GA_TRY(ga__band_check_size("the step of a band", b->step));
  GA_TRY(ga__band_check_size("the largest count of a band", b->most));
  if (b->step == 0)
    return ga__fail(GA_VALUE_ERROR, "the step of a band is 0");
  if (b->first == NULL || b->count == NULL)
    return ga__fail(GA_INVALID_ERROR, "a band without lists");
  for (size_t o = 0; o < b->n; o++)
    GA_TRY(check_window(b, o));
  return GA_NO_ERROR;
}

/* --- transposed --- */

/* Set the first window and the last one (in `last`) that have each element, and
 * the step between windows that have an element in common. */
static void find_spans(GpuBand *t, int32_t *last, const GpuBand *b) {
  size_t step = 0;

  for (size_t o = 0; o < b->n; o++)
    for (int32_t k = 0; k < b->count[o]; k++) {
      const size_t i = (size_t)b->first[o] + (size_t)k * b->step;

      if (t->count[i]++ == 0)
        t->first[i] = (int32_t)o;
      else
        step = ga__gcd(o - (size_t)last[i], step);
      last[i] = (int32_t)o;
    }
  t->step = ga__at_least(step, 1);
}

/* Turn counts of windows into counts of the steps from the first window to the
 * last one. Returns nonzero if some windows between do not have the element. */
static int close_spans(GpuBand *t, const int32_t *last) {
  int has_gaps = 0;

  for (size_t i = 0; i < t->n; i++) {
    if (t->count[i] == 0)
      continue;
    const int32_t steps = (last[i] - t->first[i]) / (int32_t)t->step + 1;
    has_gaps |= steps != t->count[i];
    t->count[i] = steps;
    t->most = ga__at_least(t->most, (size_t)steps);
  }
  return has_gaps;
}

static void move_weights(GpuBand *t, const GpuBand *b) {
  for (size_t o = 0; o < b->n; o++)
    for (size_t k = 0; k < (size_t)b->count[o]; k++) {
      const size_t i = (size_t)b->first[o] + k * b->step;
      const size_t at = (o - (size_t)t->first[i]) / t->step;

      t->weights[at * t->n + i] =
          b->weights != NULL ? b->weights[k * b->n + o] : 1;
    }
}

int GpuBand_transpose(GpuBand *out, const GpuBand *b) {
  GpuBand t = {0};
  int32_t *last = NULL;
  int err;

  if (out == NULL)
    return ga__fail(GA_INVALID_ERROR, "nowhere to write a band");
  *out = (GpuBand){0};
  GA_TRY(ga__band_check(b));
  GA_CHECK(ga__band_init(&t, b->n, b->from));
  last = ga__calloc(t.n, sizeof *last);
  if (last == NULL)
    GA_CHECK(ga__fail_nomem());
  find_spans(&t, last, b);
  if (close_spans(&t, last) || b->weights != NULL) {
    GA_CHECK(ga__band_init_weights(&t));
    move_weights(&t, b);
  }
  *out = t;
  t = (GpuBand){0};

done:
  ga__free(last);
  GpuBand_clear(&t);
  return err;
}

/* --- pooling --- */

static int check_dim(const GpuPooling *p, unsigned int d) {
  const size_t most = GA_BAND_SIZE_MAX;

  if (p->size[d] == 0 || p->size[d] > most)
    return ga__fail(GA_VALUE_ERROR, "dim %u: size %zu, expected 1 to %zu", d,
                    p->size[d], most);
  if (p->flags & GA_POOLING_ADAPTIVE)
    return GA_NO_ERROR;
  if (p->stride[d] == 0 || p->dilation[d] == 0 || p->stride[d] > most ||
      p->dilation[d] > most || p->before[d] > most || p->after[d] > most)
    return ga__fail(GA_VALUE_ERROR,
                    "dim %u: stride %zu, dilation %zu, padding %zu and %zu; "
                    "stride and dilation are at least 1, all at most %zu",
                    d, p->stride[d], p->dilation[d], p->before[d], p->after[d],
                    most);
  return GA_NO_ERROR;
}

static int check_pool(const GpuPooling *p, unsigned int dim) {
  if (p == NULL)
    return ga__fail(GA_INVALID_ERROR, "no geometry");
  if (p->nd < 1 || p->nd > GA_POOLING_ND)
    return ga__fail(GA_VALUE_ERROR, "%u pooled dimensions, expected 1 to %d",
                    p->nd, GA_POOLING_ND);
  if (dim >= p->nd)
    return ga__fail(GA_VALUE_ERROR, "dimension %u of %u", dim, p->nd);
  if (p->flags & ~(GA_POOLING_CEIL | GA_POOLING_COUNT_PADDING |
                   GA_POOLING_COUNT_ALL | GA_POOLING_ADAPTIVE))
    return ga__fail(GA_VALUE_ERROR, "flags %#x are not known",
                    (unsigned int)p->flags);
  return check_dim(p, dim);
}

int GpuPooling_size(size_t *y, const GpuPooling *p, unsigned int dim,
                    size_t x) {
  if (y == NULL)
    return ga__fail(GA_INVALID_ERROR, "nowhere to write a size");
  GA_TRY(check_pool(p, dim));
  GA_TRY(ga__band_check_size("the size of the source", x));
  if (p->flags & GA_POOLING_ADAPTIVE) {
    if (x == 0)
      return ga__fail(GA_VALUE_ERROR, "dim %u: windows of an empty source",
                      dim);
    *y = p->size[dim];
    return GA_NO_ERROR;
  }
  const size_t span = ga__times(p->size[dim] - 1, p->dilation[dim]);
  const size_t padded = x + p->before[dim] + p->after[dim];
  const size_t stride = p->stride[dim];
  if (span >= padded)
    return ga__fail(GA_VALUE_ERROR,
                    "dim %u: a window of %zu elements, %zu apart, spans more "
                    "than the padded source, %zu",
                    dim, p->size[dim], p->dilation[dim], padded);
  const size_t rest = padded - span - 1;
  size_t n = rest / stride + 1;
  if ((p->flags & GA_POOLING_CEIL) && rest % stride != 0 &&
      n * stride < x + p->before[dim])
    n++;
  GA_TRY(ga__band_check_size("the size of the result", n));
  *y = n;
  return GA_NO_ERROR;
}

/* Window o of a geometry. Returns by how many elements a mean divides. */
static size_t set_window(GpuBand *b, const GpuPooling *p, unsigned int d,
                         size_t o) {
  const int64_t x = (int64_t)b->from, by = (int64_t)p->dilation[d];
  const int64_t begin = (int64_t)(o * p->stride[d]) - (int64_t)p->before[d];
  const int64_t skip = begin < 0 ? (-begin + by - 1) / by : 0;
  const int64_t size = (int64_t)p->size[d], after = (int64_t)p->after[d];
  const int64_t room = begin < x ? (x - 1 - begin) / by + 1 : 0;
  const int64_t padded =
      begin < x + after ? (x + after - 1 - begin) / by + 1 : 0;
  const int64_t end = size < room ? size : room;

  if (end > skip) {
    b->first[o] = (int32_t)(begin + skip * by);
    b->count[o] = (int32_t)(end - skip);
  }
  if (p->flags & GA_POOLING_COUNT_ALL)
    return p->size[d];
  return (size_t)(p->flags & GA_POOLING_COUNT_PADDING
                      ? (size < padded ? size : padded)
                      : b->count[o]);
}

static size_t set_adaptive(GpuBand *b, size_t o) {
  b->first[o] = (int32_t)(o * b->from / b->n);
  b->count[o] = (int32_t)ga__ceil_div((o + 1) * b->from, b->n) - b->first[o];
  return (size_t)b->count[o];
}

/* Set the windows, and the parts of a mean in `parts`. */
static void set_windows(GpuBand *b, size_t *parts, const GpuPooling *p,
                        unsigned int d) {
  for (size_t o = 0; o < b->n; o++) {
    parts[o] = p->flags & GA_POOLING_ADAPTIVE ? set_adaptive(b, o)
                                              : set_window(b, p, d, o);
    b->most = ga__at_least(b->most, (size_t)b->count[o]);
  }
  if (!(p->flags & GA_POOLING_ADAPTIVE))
    b->step = p->dilation[d];
}

int GpuBand_pool(GpuBand *out, const GpuPooling *p, unsigned int dim, size_t x,
                 int is_mean) {
  GpuBand b = {0};
  size_t n, *parts = NULL;
  int err;

  if (out == NULL)
    return ga__fail(GA_INVALID_ERROR, "nowhere to write a band");
  *out = (GpuBand){0};
  GA_TRY(GpuPooling_size(&n, p, dim, x));
  GA_CHECK(ga__band_init(&b, x, n));
  parts = ga__calloc(n, sizeof *parts);
  if (parts == NULL)
    GA_CHECK(ga__fail_nomem());
  set_windows(&b, parts, p, dim);
  if (is_mean) {
    GA_CHECK(ga__band_init_weights(&b));
    for (size_t k = 0; k < b.most; k++)
      for (size_t o = 0; o < n; o++)
        b.weights[k * n + o] = parts[o] > 0 ? 1.0 / (double)parts[o] : 0;
  }
  *out = b;
  b = (GpuBand){0};

done:
  ga__free(parts);
  GpuBand_clear(&b);
  return err;
}
