/* SPDX-License-Identifier: BSD-2-Clause */
/* Fourier transforms of arrays: one axis after the other. */
#include <gpuarray/device.h>
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/dtype.h"
#include "fft/fft.h"
#include "fft/fft_check.h"
#include "ocl/launch/launch_cache.h"

enum { SLOT_X, SLOT_Y, N_SLOTS };
enum { FIRST_WORK = 1 /* slot 0 of its own has spectra of real results */ };

/* An array that is transformed: x, y, or a workspace. */
typedef struct place {
  unsigned int slot;
  ptrdiff_t by[GA_ND_MAX]; /* bytes */
  int is_real, is_aligned; /* as whole complex numbers */
} place;

typedef struct job {
  ga__fft f;
  const ga__fft_call *c;
  size_t here[GA_ND_MAX]; /* sizes that the next axis reads; elements beyond are
                             zeros */
  place x, y, work;
} job;

static int is_inverse(const job *j) {
  return (j->c->flags & GA_FFT_INVERSE) != 0;
}

static int has_real_result(const job *j) {
  return !ga__dtype_is_complex(j->c->y->typecode);
}

static void set_place(place *p, unsigned int slot, const GpuArray *a) {
  const size_t size = GpuArray_ITEMSIZE(a);
  size_t bits = a->offset;

  p->slot = slot;
  p->is_real = !ga__dtype_is_complex(a->typecode);
  for (unsigned int d = 0; d < a->nd; d++) {
    p->by[d] = a->strides[d];
    bits |= (size_t)a->strides[d];
  }
  p->is_aligned = bits % size == 0;
}

/* The factor along axis i of the list. */
static double scale_of(const job *j, unsigned int i) {
  const double n = (double)j->c->n[i];

  if (j->c->flags & GA_FFT_ORTHO)
    return 1 / sqrt(n);
  return is_inverse(j) != ((j->c->flags & GA_FFT_FORWARD) != 0) ? 1 / n : 1;
}

/* --- one axis --- */

static void set_batch(ga__fft_axis *a, const ga__iter *it) {
  a->nd = it->nd;
  for (unsigned int d = 0; d < it->nd; d++) {
    a->dims[d] = it->dims[d];
    a->x.by[d] = it->strides[0][d];
    a->y.by[d] = it->strides[1][d];
  }
  a->x.first = it->first[0];
  a->y.first = it->first[1];
}

/* The axes but `axis`, as one batch. */
static int find_batch(const job *j, unsigned int axis, const place *from,
                      const place *to, ga__fft_axis *a) {
  size_t dims[GA_ND_MAX];
  ptrdiff_t x[GA_ND_MAX], y[GA_ND_MAX];
  unsigned int n = 0;
  ga__iter it;
  int err;

  for (unsigned int d = 0; d < j->c->x->nd; d++)
    if (d != axis) {
      dims[n] = j->here[d];
      x[n] = from->by[d];
      y[n++] = to->by[d];
    }
  GA_CHECK(ga__iter_init(&it, n, dims, 2));
  ga__iter_set(&it, 0, x);
  ga__iter_set(&it, 1, y);
  ga__iter_order(&it, 1);
  ga__iter_merge(&it);
  set_batch(a, &it);

done:
  ga__iter_clear(&it);
  return err;
}

/* Kernels for CPUs read whole vectors of numbers anyway. */
static int how_of(const job *j, const place *p) {
  return p->is_real                      ? GA_FFT_REAL
         : p->is_aligned && !j->f.is_cpu ? GA_FFT_PAIRS
                                         : 0;
}

/* Transform axis i of the list. */
static int add_axis(job *j, unsigned int i, const place *from,
                    const place *to) {
  const unsigned int d = j->c->axes[i];
  const size_t n = j->c->n[i];
  ga__fft_axis a = {.n = n,
                    .mirror = n,
                    .x = {.slot = from->slot, .axis = from->by[d]},
                    .y = {.slot = to->slot, .axis = to->by[d]},
                    .scale = scale_of(j, i)};

  GA_TRY(find_batch(j, d, from, to, &a));
  a.x.end = j->here[d];
  a.x.how = how_of(j, from) | (to->is_real ? GA_FFT_MIRROR : 0);
  a.y.how = how_of(j, to);
  a.y.end = from->is_real ? n / 2 + 1 : n;
  j->here[d] = a.y.end;
  return ga__fft_add(&j->f, &a, is_inverse(j), FIRST_WORK);
}

/* --- all axes --- */

/* From the last axis to the first one, in place after the first one done. */
static int add_complex(job *j) {
  const place *from = &j->x;

  for (unsigned int i = j->c->n_axes; i-- > 0; from = &j->y)
    GA_TRY(add_axis(j, i, from, &j->y));
  return GA_NO_ERROR;
}

/* A workspace with the sizes of x, or of transforms where these are others. */
static void set_work(job *j, const size_t *dims) {
  ptrdiff_t step = (ptrdiff_t)ga__fft_size(&j->f);

  j->work.slot = ga__fft_work(&j->f, 0);
  j->work.is_aligned = 1;
  for (unsigned int d = j->c->x->nd; d-- > 0;) {
    j->work.by[d] = step;
    step *= (ptrdiff_t)dims[d];
  }
}

/* The last axis of the list gets real in the end. */
static int add_real(job *j) {
  const unsigned int last = j->c->n_axes - 1;
  const place *from = &j->x;
  size_t dims[GA_ND_MAX];

  if (last > 0) {
    memcpy(dims, j->here, sizeof dims);
    for (unsigned int i = 0; i < last; i++)
      dims[j->c->axes[i]] = j->c->n[i];
    set_work(j, dims);
  }
  for (unsigned int i = 0; i < last; i++, from = &j->work)
    GA_TRY(add_axis(j, i, from, &j->work));
  return add_axis(j, last, from, &j->y);
}

/* The bytes that a slot of its own needs at most, and whether there is
 * something to compute. */
static size_t work_bytes(const job *j) {
  const GpuArray *x = j->c->x, *y = j->c->y;
  size_t most = 0;

  for (unsigned int i = 0; i < j->c->n_axes; i++) {
    size_t n = ga__times(ga__fft_length(j->c->n[i]), ga__fft_size(&j->f));

    for (unsigned int d = 0; d < x->nd; d++)
      if (d != j->c->axes[i])
        n = ga__times(n, ga__at_least(j->here[d], y->dimensions[d]));
    most = ga__at_least(most, n);
  }
  return most;
}

static void add_cost(job *j) {
  const double total = (double)ga__array_total(j->c->y);
  double flops = 0;

  for (unsigned int i = 0; i < j->c->n_axes; i++)
    flops += 5 * total * log2((double)j->c->n[i]);
  ga__launch_cost(
      j->f.l, 2.0 * j->c->n_axes * total * (double)ga__fft_size(&j->f), flops);
}

static void start(job *j) {
  const ga__fft_call *c = j->c;

  set_place(&j->x, SLOT_X, c->x);
  set_place(&j->y, SLOT_Y, c->y);
  for (unsigned int d = 0; d < c->x->nd; d++)
    j->here[d] = c->x->dimensions[d];
  for (unsigned int i = 0; i < c->n_axes; i++) {
    const int is_half = has_real_result(j) && i + 1 == c->n_axes;
    size_t *here = &j->here[c->axes[i]];

    *here = ga__at_most(*here, is_half ? c->n[i] / 2 + 1 : c->n[i]);
  }
  ga__fft_open(&j->f);
  j->f.work_bytes = work_bytes(j);
  j->f.l = ga__launch_open(j->f.ctx, "fft", N_SLOTS);
}

/* Arrays that are bound later must be aligned as those here are. */
static void bind(job *j, const place *p, const GpuArray *a) {
  if (how_of(j, p) & GA_FFT_PAIRS)
    ga__launch_require_align(j->f.l, p->slot, GpuArray_ITEMSIZE(a));
  ga__launch_bind_array(j->f.l, p->slot, a);
}

static int build(GpuLaunch **out, const ga__fft_call *c) {
  job j = {.c = c,
           .f = {.ctx = GpuArray_context(c->x),
                 .is_double = ga__dtype_real(c->x->typecode) == GA_DOUBLE}};

  start(&j);
  if (ga__array_total(c->y) > 0)
    ga__launch_error(j.f.l,
                     has_real_result(&j) ? add_real(&j) : add_complex(&j));
  bind(&j, &j.x, c->x);
  bind(&j, &j.y, c->y);
  add_cost(&j);
  return ga__launch_seal(out, j.f.l);
}

int GpuArray_fft_prepare(GpuLaunch **out, GpuArray *y, const GpuArray *x,
                         unsigned int n_axes, const unsigned int *axes,
                         const size_t *lengths, int flags) {
  ga__fft_call c = {
      .x = x, .y = y, .n_axes = n_axes, .axes = axes, .flags = flags};

  if (out == NULL)
    return ga__fail(GA_INVALID_ERROR, "nowhere to write a launch");
  *out = NULL;
  GA_TRY(ga__fft_check(&c, lengths));
  return build(out, &c);
}

/* --- calls --- */

static int prepare_call(GpuLaunch **out, const void *arg) {
  const ga__fft_call *c = arg;

  return GpuArray_fft_prepare(out, c->y, c->x, c->n_axes, c->axes, c->n,
                              c->flags);
}

static int run(const ga__fft_call *c) {
  ga__launch_key key;

  ga__launch_key_start(&key, GpuArray_context(c->x), "fft");
  ga__launch_key_number(&key, (size_t)c->flags);
  ga__launch_key_number(&key, c->n_axes);
  for (unsigned int i = 0; i < c->n_axes; i++) {
    ga__launch_key_number(&key, c->axes[i]);
    ga__launch_key_number(&key, c->n[i]);
  }
  ga__launch_key_array(&key, c->x);
  ga__launch_key_array(&key, c->y);
  return ga__cached_run(
      &(ga__cached_call){.ctx = GpuArray_context(c->x),
                         .key = &key,
                         .n = N_SLOTS,
                         .values = (const void *const[]){c->x, c->y},
                         .prepare = prepare_call,
                         .arg = c});
}

/* What the elements of x and y are. */
typedef enum kind { COMPLEX, REAL_X, REAL_Y } kind;

static int check_kind(const ga__fft_call *c, kind k) {
  if (ga__dtype_is_complex(c->x->typecode) == (k != REAL_X))
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "x: %s, expected %s numbers",
                  ga__dtype_name(c->x->typecode),
                  k == REAL_X ? "real" : "complex");
}

/* The lengths of the transforms, and the sizes of y. */
static int find_sizes(ga__fft_call *c, const size_t *lengths, kind k,
                      size_t *dims) {
  for (unsigned int d = 0; d < c->x->nd; d++)
    dims[d] = c->x->dimensions[d];
  for (unsigned int i = 0; i < c->n_axes; i++) {
    const size_t have = dims[c->axes[i]];
    const int is_half = i + 1 == c->n_axes;

    c->n[i] = lengths != NULL          ? lengths[i]
              : is_half && k == REAL_Y ? (have > 0 ? 2 * (have - 1) : 0)
                                       : have;
    dims[c->axes[i]] = is_half && k == REAL_X ? c->n[i] / 2 + 1 : c->n[i];
    if (c->n[i] == 0)
      return ga__fail(GA_VALUE_ERROR, "axis %u: a transform of no elements",
                      c->axes[i]);
  }
  return GA_NO_ERROR;
}

static int call(ga__fft_call *c, const size_t *lengths, kind k) {
  size_t dims[GA_ND_MAX];
  int err;

  if (c->y == NULL || c->y == c->x)
    return ga__fail(GA_VALUE_ERROR, c->y == NULL
                                        ? "the result is NULL"
                                        : "the result is the same array as x");
  GA_TRY(ga__fft_check_operand(c));
  GA_TRY(check_kind(c, k));
  GA_TRY(find_sizes(c, lengths, k, dims));
  const int is_double = ga__dtype_real(c->x->typecode) == GA_DOUBLE;
  const int code = k == REAL_Y ? (is_double ? GA_DOUBLE : GA_FLOAT)
                               : (is_double ? GA_CDOUBLE : GA_CFLOAT);
  *c->y = (GpuArray){0};
  GA_TRY(GpuArray_empty(c->y, GpuArray_context(c->x), code, c->x->nd, dims,
                        GA_C_ORDER));
  GA_CHECK(ga__array_total(c->y) > 0 ? run(c) : GA_NO_ERROR);

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(c->y);
  return err;
}

int GpuArray_fft(GpuArray *y, const GpuArray *x, unsigned int n_axes,
                 const unsigned int *axes, const size_t *lengths, int flags) {
  ga__fft_call c = {
      .x = x, .y = y, .n_axes = n_axes, .axes = axes, .flags = flags};

  return call(&c, lengths, COMPLEX);
}

int GpuArray_rfft(GpuArray *y, const GpuArray *x, unsigned int n_axes,
                  const unsigned int *axes, const size_t *lengths, int flags) {
  ga__fft_call c = {
      .x = x, .y = y, .n_axes = n_axes, .axes = axes, .flags = flags};

  return call(&c, lengths, REAL_X);
}

int GpuArray_irfft(GpuArray *y, const GpuArray *x, unsigned int n_axes,
                   const unsigned int *axes, const size_t *lengths, int flags) {
  ga__fft_call c = {
      .x = x, .y = y, .n_axes = n_axes, .axes = axes, .flags = flags};

  return call(&c, lengths, REAL_Y);
}
