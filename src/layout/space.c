/* SPDX-License-Identifier: BSD-2-Clause */
/* Iteration spaces: order and merging of dimensions, alignment. */
#include "layout/space.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "layout/cut.h"

/* Results of at least this many bytes are stored around the caches of a CPU,
 * which do not hold them anyway: that saves reading their lines first. Vectors
 * below STREAM_VECTOR bytes are not combined. */
#define STREAM_MIN ((size_t)32 << 20)
#define STREAM_VECTOR 32

int ga__iter_init(ga__iter *it, unsigned int nd, const size_t *dims,
                  unsigned int n) {
  const size_t room = nd > 0 ? nd : 1;

  it->nd = 0;
  it->block.far = NULL;
  if (nd > GA_ITER_ND)
    return ga__fail(GA_UNSUPPORTED_ERROR, "%u dimensions, at most %d work", nd,
                    GA_ITER_ND);
  it->strides =
      ga__room_take(&it->block, room + n * (room + 2), sizeof *it->strides);
  if (it->strides == NULL)
    return ga__fail_nomem();
  it->nd = nd;
  it->n = n;
  it->first = (ptrdiff_t *)(it->strides + n);
  it->dims = (size_t *)(it->first + n);
  for (unsigned int k = 0; k < n; k++)
    it->strides[k] = (ptrdiff_t *)(it->dims + room + k * room);
  for (unsigned int d = 0; d < nd; d++)
    it->dims[d] = dims[nd - 1 - d];
  return GA_NO_ERROR;
}

void ga__iter_clear(ga__iter *it) {
  ga__room_drop(&it->block);
  it->nd = 0;
  it->strides = NULL;
}

void ga__iter_set(ga__iter *it, unsigned int k, const ptrdiff_t *strides) {
  GA_ASSERT(k < it->n);
  for (unsigned int d = 0; d < it->nd; d++)
    it->strides[k][d] = it->dims[d] == 1 ? 0 : strides[it->nd - 1 - d];
}

size_t ga__iter_total(const ga__iter *it) {
  size_t total = 1;

  for (unsigned int d = 0; d < it->nd; d++) {
    if (it->dims[d] == 0)
      return 0;
    total *= it->dims[d];
  }
  return total;
}

/* --- changes of the order --- */

static void move_dim(ga__iter *it, unsigned int from, unsigned int to) {
  it->dims[to] = it->dims[from];
  for (unsigned int k = 0; k < it->n; k++)
    it->strides[k][to] = it->strides[k][from];
}

static void swap_dims(ga__iter *it, unsigned int a, unsigned int b) {
  size_t dim = it->dims[a];

  it->dims[a] = it->dims[b];
  it->dims[b] = dim;
  for (unsigned int k = 0; k < it->n; k++) {
    ptrdiff_t stride = it->strides[k][a];

    it->strides[k][a] = it->strides[k][b];
    it->strides[k][b] = stride;
  }
}

static size_t distance(ptrdiff_t stride) {
  return stride < 0 ? (size_t)0 - (size_t)stride : (size_t)stride;
}

/* Whether dimension `in` should be outside of `out`. The first array that moves
 * along both decides, beginning with `lead`. */
static int is_reversed(const ga__iter *it, unsigned int in, unsigned int out,
                       unsigned int lead) {
  for (unsigned int i = 0; i < it->n; i++) {
    unsigned int k = i == 0 ? lead : i - 1 < lead ? i - 1 : i;
    size_t a = distance(it->strides[k][in]);
    size_t b = distance(it->strides[k][out]);

    if (a != 0 && b != 0 && a != b)
      return a > b;
  }
  return 0;
}

static void drop_ones(ga__iter *it) {
  unsigned int to = 0;

  for (unsigned int d = 0; d < it->nd; d++) {
    if (it->dims[d] != 1)
      move_dim(it, d, to++);
  }
  it->nd = to;
}

static void walk_upwards(ga__iter *it, unsigned int lead) {
  for (unsigned int d = 0; d < it->nd; d++) {
    if (it->strides[lead][d] >= 0 || it->dims[d] == 0)
      continue;
    for (unsigned int k = 0; k < it->n; k++) {
      it->first[k] += (ptrdiff_t)(it->dims[d] - 1) * it->strides[k][d];
      it->strides[k][d] = -it->strides[k][d];
    }
  }
}

void ga__iter_order(ga__iter *it, unsigned int lead) {
  drop_ones(it);
  for (unsigned int d = 1; d < it->nd; d++) {
    for (unsigned int e = d; e > 0 && is_reversed(it, e - 1, e, lead); e--)
      swap_dims(it, e - 1, e);
  }
  walk_upwards(it, lead);
}

static int can_merge(const ga__iter *it, unsigned int in, unsigned int out) {
  for (unsigned int k = 0; k < it->n; k++) {
    if (it->strides[k][out] != it->strides[k][in] * (ptrdiff_t)it->dims[in])
      return 0;
  }
  return 1;
}

void ga__iter_merge(ga__iter *it) {
  unsigned int to = 0;

  for (unsigned int d = 1; d < it->nd; d++) {
    if (can_merge(it, to, d))
      it->dims[to] *= it->dims[d];
    else
      move_dim(it, d, ++to);
  }
  if (it->nd > 0)
    it->nd = to + 1;
}

void ga__iter_raise(ga__iter *it, unsigned int d) {
  GA_ASSERT(d > 0 && d < it->nd);
  for (; d > 1; d--)
    swap_dims(it, d - 1, d);
}

/* --- questions --- */

int ga__iter_is_flat(const ga__iter *it, unsigned int k, size_t bytes) {
  size_t run = bytes;

  for (unsigned int d = 0; d < it->nd; d++) {
    if (it->strides[k][d] != (ptrdiff_t)run)
      return 0;
    run *= it->dims[d];
  }
  return 1;
}

int ga__iter_is_fixed(const ga__iter *it, unsigned int k) {
  for (unsigned int d = 0; d < it->nd; d++) {
    if (it->strides[k][d] != 0)
      return 0;
  }
  return 1;
}

size_t ga__iter_reach(const ga__iter *it, unsigned int k) {
  size_t reach = 0;

  for (unsigned int d = 0; d < it->nd; d++) {
    if (it->dims[d] > 0)
      reach += (it->dims[d] - 1) * distance(it->strides[k][d]);
  }
  return reach;
}

size_t ga__iter_visits(const ga__iter *it, unsigned int k) {
  size_t visits = 1;

  for (unsigned int d = 0; d < it->nd; d++) {
    if (it->strides[k][d] != 0)
      visits *= it->dims[d];
  }
  return visits;
}

/* --- two groups of dimensions --- */

/* The input that moves along most of the space. */
static unsigned int leading_input(const ga__space *s) {
  unsigned int best = 0;
  double most = -1.0;

  for (unsigned int i = 0; i < s->n_in; i++) {
    const double n = (double)ga__iter_visits(&s->kept, i) *
                     (double)ga__iter_visits(&s->red, i) * (double)s->elsize[i];
    if (s->elsize[i] != 0 && n > most) {
      most = n;
      best = i;
    }
  }
  return best;
}

/* Put the dimensions in the order of memory, merge them, and keep at least one.
 * Returns the number of elements. */
static size_t fold_group(ga__iter *it, unsigned int lead) {
  ga__iter_order(it, lead);
  ga__iter_merge(it);
  if (it->nd == 0) {
    it->nd = 1;
    it->dims[0] = 1;
    for (unsigned int k = 0; k < it->n; k++)
      it->strides[k][0] = 0;
  }
  return ga__iter_total(it);
}

/* Whether positions increase in the order in which the kernel visits elements.
 * They are then 0, 1, 2, ... */
static int positions_grow(const ga__space *s) {
  const ptrdiff_t *step = s->red.strides[s->n_ops];

  if (s->red.first[s->n_ops] != 0)
    return 0;
  for (unsigned int d = 1; d < s->red.nd; d++) {
    if (step[d] < step[d - 1] * (ptrdiff_t)s->red.dims[d - 1])
      return 0;
  }
  return 1;
}

void ga__space_fold(ga__space *s) {
  GA_ASSERT(s->n_in > 0 && s->n_in <= s->n_ops && s->red.n == s->n_ops + 1);
  const unsigned int lead = leading_input(s);

  s->lead = lead;
  s->n_out = fold_group(&s->kept, lead);
  s->n_red = fold_group(&s->red, lead);
  s->in_order = positions_grow(s);
}

int ga__space_is_wide(const ga__space *s) {
  return !ga__fits_int(s->n_out) || !ga__fits_int(s->n_red);
}

ga__lane_step ga__space_lane_step(const ga__space *s, const ga__iter *it,
                                  unsigned int k) {
  if (it->strides[k][0] == 0)
    return GA_LANES_SAME;
  return it->strides[k][0] == (ptrdiff_t)s->elsize[k] ? GA_LANES_NEXT
                                                      : GA_LANES_APART;
}

int ga__space_is_streamed(const ga__space *s, unsigned int k,
                          ga__lane_step step, size_t lanes) {
  return step == GA_LANES_NEXT && lanes * s->elsize[k] >= STREAM_VECTOR &&
         s->elsize[k] * s->n_out * s->n_red >= STREAM_MIN;
}

/* Whether the strides of operand k are multiples of `bytes`, except that along
 * the inner dimension of `it`. */
static int strides_fit(const ga__space *s, const ga__iter *it, unsigned int k,
                       size_t bytes) {
  const ga__iter *const groups[2] = {&s->kept, &s->red};

  for (int g = 0; g < 2; g++) {
    for (unsigned int d = groups[g] == it; d < groups[g]->nd; d++) {
      if (groups[g]->strides[k][d] % (ptrdiff_t)bytes != 0)
        return 0;
    }
  }
  return 1;
}

int ga__space_keeps_aligned(const ga__space *s, const ga__iter *it,
                            size_t lanes) {
  for (unsigned int k = 0; k < s->n_in; k++) {
    if (s->elsize[k] != 0 && ga__space_lane_step(s, it, k) == GA_LANES_NEXT &&
        !strides_fit(s, it, k, lanes * s->elsize[k]))
      return 0;
  }
  return 1;
}

int ga__space_is_aligned(const ga__space *s, const ga__iter *it, unsigned int k,
                         size_t offset, size_t bytes) {
  return offset % bytes == 0 && s->kept.first[k] % (ptrdiff_t)bytes == 0 &&
         s->red.first[k] % (ptrdiff_t)bytes == 0 &&
         strides_fit(s, it, k, bytes);
}
