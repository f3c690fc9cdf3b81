/* SPDX-License-Identifier: BSD-2-Clause */
/* How an elementwise kernel accesses its arguments: by elements or vectors,
 * packed, with stores that bypass the caches. The constants were measured with
 * bench_elemwise. */
#include "layout/elemwise_access.h"

#include "base/arith.h"
#include "base/dtype.h"
#include "layout/cut.h"

/* GPU */
#define VECTOR_BYTES 16 /* what one work-item loads or stores at once */

/* CPU */
#define HALF_LANES 8
#define STREAM_MIN ((size_t)32 << 20)      /* bytes; more than caches hold */
#define STREAM_MIN_BLOCK ((size_t)8 << 20) /* BLOCK: stores cost more */
#define STREAM_VECTOR 32 /* bytes; shorter stores are not combined */

/* --- arguments --- */

static int check_strides(const ga__draft *q, unsigned int k) {
  for (unsigned int d = 0; d < q->it->nd; d++) {
    ptrdiff_t stride = q->it->strides[k][d];

    if (stride % (ptrdiff_t)q->p->args[k].bytes != 0)
      return ga__fail(GA_UNALIGNED_ERROR,
                      "arg %s: stride %td is not a multiple of %zu bytes",
                      q->args[k].name, stride, q->p->args[k].bytes);
  }
  return GA_NO_ERROR;
}

int ga__access_init(ga__draft *q) {
  ga__elemwise_layout *p = q->p;

  p->args = ga__calloc(p->n, sizeof *p->args);
  if (p->args == NULL)
    return ga__fail_nomem();
  for (unsigned int k = 0; k < p->n; k++) {
    p->args[k].bytes = ga__dtype_size(q->args[k].typecode);
    if (q->args[k].flags & GE_SCALAR)
      p->args[k].access = GA_AT_VALUE;
    else
      GA_TRY(check_strides(q, k));
  }
  return GA_NO_ERROR;
}

ga__access ga__access_in_row(const ga__draft *q, unsigned int k) {
  ptrdiff_t s = ga__draft_stride(q, k, 0);

  if (q->args[k].flags & GE_SCALAR)
    return GA_AT_VALUE;
  if (ga__arg_is_read_only(&q->args[k]) && ga__iter_is_fixed(q->it, k))
    return GA_AT_FIXED;
  if (ga__arg_is_read_only(&q->args[k]) && s == 0)
    return GA_AT_ROW;
  if (ga__is_taken(&q->args[k]))
    return GA_AT_APART;
  if (s == 1)
    return GA_AT_NEXT;
  return s == 2 && q->t->is_cpu && ga__arg_is_read_only(&q->args[k]) &&
                 !ga__is_random(&q->args[k])
             ? GA_AT_SECOND
             : GA_AT_APART;
}

/* Whether vectors of random numbers begin at a number that is a multiple of the
 * lanes, or of the numbers of a Philox block where that has fewer: 4, or 2 of 8
 * bytes. */
static int is_aligned_random(const ga__draft *q, unsigned int k, int flat) {
  const size_t bytes = q->p->args[k].bytes, block = bytes == 8 ? 2 : 4;
  const ptrdiff_t unit = (ptrdiff_t)(ga__at_most(q->p->lanes, block) * bytes);

  if (q->it->first[k] % unit != 0)
    return 0;
  for (unsigned int d = 1; !flat && d < q->it->nd; d++) {
    if (q->it->strides[k][d] % unit != 0)
      return 0;
  }
  return 1;
}

/* Whether vectors of `lanes` elements of array k along dimension `along` begin
 * at multiples of their size. With `flat` only the start counts. */
static int is_aligned(const ga__draft *q, unsigned int k, unsigned int lanes,
                      unsigned int along, int flat) {
  size_t bytes = q->p->args[k].bytes * lanes;

  if (bytes > VECTOR_BYTES || q->offsets[k] % bytes != 0 ||
      q->it->first[k] % (ptrdiff_t)bytes != 0)
    return 0;
  for (unsigned int d = 0; !flat && d < q->it->nd; d++) {
    if (d != along && q->it->strides[k][d] % (ptrdiff_t)bytes != 0)
      return 0;
  }
  return 1;
}

int ga__access_fits_int(const ga__draft *q) {
  if (!ga__fits_int(ga__iter_total(q->it)))
    return 0;
  for (unsigned int k = 0; k < q->p->n; k++) {
    if ((q->args[k].flags & GE_SCALAR) == 0 &&
        !ga__fits_int(ga__iter_reach(q->it, k) / q->p->args[k].bytes))
      return 0;
  }
  return 1;
}

/* --- lanes --- */

static size_t widest_stored(const ga__draft *q) {
  size_t widest = 1;

  for (unsigned int k = 0; k < q->p->n; k++) {
    if ((q->args[k].flags & GE_SCALAR) == 0 && q->p->args[k].bytes > widest)
      widest = q->p->args[k].bytes;
  }
  return widest;
}

static int has_complex(const ga__draft *q) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    if (ga__dtype_is_complex(q->args[k].typecode))
      return 1;
  }
  return 0;
}

static int has_half(const ga__draft *q) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    if (q->args[k].typecode == GA_HALF)
      return 1;
  }
  return 0;
}

static int has_random(const ga__draft *q) {
  for (unsigned int k = 0; k < q->p->n; k++) {
    if (ga__is_random(&q->args[k]))
      return 1;
  }
  return 0;
}

/* The code of a scalar expression is repeated for each lane, hence the limit.
 * On a CPU the compiler vectorises loops better than repeated code, except for
 * conversions between half and float and for random numbers. */
unsigned int ga__access_best_lanes(const ga__draft *q) {
  if (q->t->is_cpu && q->e->is_vector)
    return (unsigned int)ga__between(2, 4 * q->t->lanes / q->e->widest, 16);
  if (q->t->is_cpu)
    return (has_half(q) || has_random(q)) && !has_complex(q) ? HALF_LANES : 1;
  if (has_complex(q))
    return 1;
  return (unsigned int)ga__at_most(VECTOR_BYTES / widest_stored(q),
                                   q->e->is_vector ? 16 : 8);
}

void ga__access_settle_lanes(ga__draft *q, int flat) {
  ga__elemwise_layout *p = q->p;

  for (unsigned int k = 0; !p->is_cpu && k < p->n; k++) {
    if (p->args[k].access != GA_AT_NEXT || ga__is_random(&q->args[k]))
      continue;
    p->args[k].is_aligned = is_aligned(q, k, p->lanes, 0, flat);
    if (!p->args[k].is_aligned && !ga__arg_is_read_only(&q->args[k]))
      p->lanes = 1;
  }
  for (unsigned int k = 0; !p->is_cpu && k < p->n; k++) {
    if (p->args[k].access == GA_AT_PACK)
      p->args[k].is_aligned = is_aligned(q, k, p->lanes, 1, 0);
  }
  for (unsigned int k = 0; p->lanes == 1 && k < p->n; k++)
    p->args[k].is_aligned = 0;
  for (unsigned int k = 0; k < p->n; k++) {
    if (p->args[k].access == GA_AT_NEXT && ga__is_random(&q->args[k]))
      p->args[k].is_aligned = is_aligned_random(q, k, flat);
  }
}

/* Let stores of large results bypass the caches, which saves reading their
 * lines first. It pays if the results are too large for the next kernel to find
 * them in a cache. */
void ga__access_settle_streams(ga__draft *q) {
  ga__elemwise_layout *p = q->p;
  size_t min = p->kernel == GA_EW_BLOCK ? STREAM_MIN_BLOCK : STREAM_MIN;

  for (unsigned int k = 0; p->is_cpu && k < p->n; k++) {
    ga__layout_arg *a = &p->args[k];

    a->is_stream = a->access == GA_AT_NEXT &&
                   !ga__arg_is_read_only(&q->args[k]) &&
                   (q->args[k].flags & GE_READ) == 0 &&
                   a->bytes * p->lanes >= STREAM_VECTOR &&
                   a->bytes * ga__iter_total(q->it) >= min;
  }
}

/* --- packing --- */

static int wants_pack(const ga__draft *q, unsigned int k, unsigned int d) {
  ptrdiff_t s = ga__draft_stride(q, k, 0);

  if ((q->args[k].flags & GE_SCALAR) || !ga__arg_is_read_only(&q->args[k]) ||
      ga__dtype_is_complex(q->args[k].typecode) || ga__is_random(&q->args[k]) ||
      ga__is_taken(&q->args[k]))
    return 0;
  return s != 0 && s != 1 && ga__draft_stride(q, k, d) == 1;
}

unsigned int ga__access_pack_dim(const ga__draft *q) {
  size_t best_bytes = 0;
  unsigned int best = 0;
  size_t min = q->t->is_cpu ? GA_PACK_MIN : 2;

  if (q->it->nd < 2 || q->it->dims[0] < min || q->t->local_bytes == 0)
    return 0;
  for (unsigned int d = 1; d < q->it->nd; d++) {
    size_t bytes = 0;

    for (unsigned int k = 0; k < q->p->n; k++) {
      if (wants_pack(q, k, d))
        bytes += q->p->args[k].bytes;
    }
    if (bytes > best_bytes && q->it->dims[d] >= min) {
      best_bytes = bytes;
      best = d;
    }
  }
  return best;
}

size_t ga__access_take_packs(ga__draft *q, size_t per_byte, size_t room) {
  size_t bytes = 0;

  for (unsigned int k = 0; k < q->p->n; k++) {
    if (!wants_pack(q, k, 1) || per_byte * (bytes + q->p->args[k].bytes) > room)
      continue;
    q->p->args[k].access = GA_AT_PACK;
    bytes += q->p->args[k].bytes;
  }
  return bytes;
}
