/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the scalars that sizes depend on from arguments. It blocks. */
#include <gpuarray/buffer.h>
#include <string.h>

#include "base/clock.h"
#include "base/dtype.h"
#include "plan/sizes.h"

enum { MOST_BYTES = 1024 /* from the first to the last element of a copy */ };

/* A copy of elements of an argument in host memory. */
typedef struct copy {
  unsigned int leaf; /* the argument if all of it is here, else GG_NONE */
  ssize_t first;     /* offset in bytes that data[0] has in its buffer */
  char data[MOST_BYTES];
} copy;

/* Find the offset in bytes of element `index` in the buffer of its argument, a
 * scalar or a vector. Negative indices count from the end. */
static int find_offset(const gg_var *v, const GpuArray *a, int64_t index,
                       ssize_t *off) {
  const int64_t n = a->nd != 0 ? (int64_t)a->dimensions[0] : 1;
  const int64_t at = index < 0 ? index + n : index;

  if (a->data == NULL)
    return ga__fail(GA_VALUE_ERROR, "%s is not known before the call",
                    gg__display_name(v));
  if (at < 0 || at >= n)
    return ga__fail(GA_VALUE_ERROR, "%s has %lld elements, index %lld is read",
                    gg__display_name(v), (long long)n, (long long)index);
  *off = (ssize_t)a->offset + (a->nd != 0 ? (ssize_t)at * a->strides[0] : 0);
  return GA_NO_ERROR;
}

/* Read the whole argument, or only the element at offset `off` if the argument
 * exceeds MOST_BYTES. */
static int read_argument(unsigned int leaf, const GpuArray *a, ssize_t off,
                         copy *c) {
  const ssize_t item = (ssize_t)ga__dtype_size(a->typecode);
  const ssize_t step = a->nd != 0 ? a->strides[0] : 0;
  const ssize_t last = a->nd != 0 ? (ssize_t)a->dimensions[0] - 1 : 0;
  const ssize_t width = step < 0 ? -step : step;
  const int is_whole = last == 0 || width <= (MOST_BYTES - item) / last;

  c->leaf = is_whole ? leaf : GG_NONE;
  c->first = off;
  if (is_whole)
    c->first = (ssize_t)a->offset + (step < 0 ? last * step : 0);
  return gpudata_read(c->data, a->data, (size_t)c->first,
                      (size_t)(item + (is_whole ? last * width : 0)));
}

static int read_measured(unsigned int leaf, const GpuArray *a, ssize_t off,
                         copy *c, gg__waited *waited) {
  const uint64_t start = ga__now_ns();
  const int err = read_argument(leaf, a, off, c);

  waited->calls++;
  waited->seconds += 1e-9 * (double)(ga__now_ns() - start);
  return err;
}

int gg__read_scalars(const gg__program *p, GpuArray *const *in, void *out,
                     gg__waited *waited) {
  copy c = {.leaf = GG_NONE};
  ssize_t off = 0;

  for (size_t k = 0; k < p->scalars.n; k++) {
    const gg__scalar *const s = &p->scalars.v[k];
    const GpuArray *const a = in[s->leaf];
    GA_TRY(find_offset(p->arguments.v[s->leaf], a, s->index, &off));
    if (c.leaf != s->leaf)
      GA_TRY(waited == NULL
                 ? read_argument(s->leaf, a, off, &c)
                 : read_measured(s->leaf, a, off, &c, &waited[s->leaf]));
    const double x = ga__dtype_to_double(a->typecode, c.data + (off - c.first));
    memcpy((char *)out + k * sizeof x, &x, sizeof x);
  }
  return GA_NO_ERROR;
}
