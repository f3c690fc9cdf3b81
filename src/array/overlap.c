/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether two arrays have elements in common. */
#include "array/overlap.h"

#include "array/geometry.h"
#include "base/arith.h"

int ga__arrays_same(const GpuArray *a, const GpuArray *b) {
  if (a->data != b->data || a->offset != b->offset || a->nd != b->nd)
    return 0;
  for (unsigned int d = 0; d < a->nd; d++) {
    if (a->dimensions[d] != b->dimensions[d] ||
        (a->dimensions[d] > 1 && a->strides[d] != b->strides[d]))
      return 0;
  }
  return 1;
}

/* --- common elements --- */

/* Strides without their signs. Steps upwards lead from the lowest byte of one
 * array to any of its bytes, steps downwards from the highest byte of the other
 * one to any of its bytes. So the arrays have a byte in common if steps of
 * both, and single bytes within an element, add up to the distance of these
 * ends. */
typedef struct steps {
  unsigned int n;
  size_t size[2 * GA_ND_MAX];      /* bytes, falling */
  size_t most[2 * GA_ND_MAX];      /* how many there may be */
  size_t common[2 * GA_ND_MAX];    /* divisor of this size and all after it */
  size_t reach[2 * GA_ND_MAX + 1]; /* the longest sum from this size on */
} steps;

/* Searching for longer than that is not worth it. */
enum { TRIES_MAX = 10000 };

/* Equal sizes become one. An array has less than 64 dimensions with strides
 * that are not 0 and sizes above 1, as its elements can be counted. */
static void add_steps(steps *s, const GpuArray *a) {
  for (unsigned int d = 0; d < a->nd; d++) {
    const size_t size =
        a->strides[d] < 0 ? 0 - (size_t)a->strides[d] : (size_t)a->strides[d];
    unsigned int k = 0;

    if (size == 0 || a->dimensions[d] < 2)
      continue;
    while (k < s->n && s->size[k] > size)
      k++;
    if (k == s->n || s->size[k] != size) {
      GA_ASSERT(s->n < 2 * GA_ND_MAX);
      for (unsigned int i = s->n++; i > k; i--) {
        s->size[i] = s->size[i - 1];
        s->most[i] = s->most[i - 1];
      }
      s->size[k] = size;
      s->most[k] = 0;
    }
    s->most[k] += a->dimensions[d] - 1;
  }
}

static void close_steps(steps *s, size_t bytes) {
  size_t common = 0;

  s->reach[s->n] = bytes;
  for (unsigned int k = s->n; k-- > 0;) {
    s->reach[k] = s->reach[k + 1] + s->size[k] * s->most[k];
    s->common[k] = common = ga__gcd(s->size[k], common);
  }
}

/* Whether sizes from `k` on, and at most reach[n] bytes, add up to `length`. 1
 * if the search takes too long. */
static int adds_up(const steps *s, unsigned int k, size_t length, int *tries) {
  if (length > s->reach[k])
    return 0;
  if (k == s->n)
    return 1;
  if (length % s->common[k] > s->reach[s->n])
    return 0;
  const size_t high = ga__at_most(s->most[k], length / s->size[k]);
  const size_t beyond = length - ga__at_most(length, s->reach[k + 1]);
  for (size_t i = ga__ceil_div(beyond, s->size[k]); i <= high; i++) {
    if (++*tries > TRIES_MAX ||
        adds_up(s, k + 1, length - i * s->size[k], tries))
      return 1;
  }
  return 0;
}

int ga__arrays_overlap(const GpuArray *a, const GpuArray *b) {
  ssize_t low, high, unused;
  steps s;
  int tries = 0;

  if (a->data != b->data || !GpuArray_share(a, b))
    return 0;
  if (ga__extent(&low, &unused, a->nd, a->dimensions, a->strides,
                 GpuArray_ITEMSIZE(a)) != GA_NO_ERROR ||
      ga__extent(&unused, &high, b->nd, b->dimensions, b->strides,
                 GpuArray_ITEMSIZE(b)) != GA_NO_ERROR)
    return 1;
  s.n = 0;
  add_steps(&s, a);
  add_steps(&s, b);
  close_steps(&s, GpuArray_ITEMSIZE(a) - 1 + GpuArray_ITEMSIZE(b) - 1);
  return adds_up(
      &s, 0,
      (size_t)((ssize_t)b->offset + high - 1 - ((ssize_t)a->offset + low)),
      &tries);
}
