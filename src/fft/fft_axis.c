/* SPDX-License-Identifier: BSD-2-Clause */
/* Transforms along one axis: in one step, in several ones, or as a convolution.
 */
#include <gpuarray/device.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "fft/fft.h"

enum {
  CPU_SHORT = 256,    /* transforms below take one step on CPUs */
  CPU_ROWS = 4096,    /* of a step at most */
  CPU_PART = 1 << 17, /* numbers that caches hold between steps */
  CPU_PARTS = 64,     /* of a batch at most */
  GPU_LANES = 8       /* of steps of long transforms */
};

unsigned int ga__fft_work(ga__fft *f, unsigned int n) {
  GA_ASSERT(n < GA_FFT_WORKS);
  if (!f->has_work[n])
    f->work[n] = ga__launch_own_slot(f->l, f->work_bytes);
  f->has_work[n] = 1;
  return f->work[n];
}

size_t ga__fft_length(size_t n) {
  return ga__fft_is_smooth(n) ? n : ga__ceil_pow2(2 * n - 1);
}

static size_t batch_of(const ga__fft_axis *a) {
  size_t n = 1;

  for (unsigned int d = 0; d < a->nd; d++)
    n *= a->dims[d];
  return n;
}

/* A workspace for transforms of a->n elements. The dimension of the batch that
 * is contiguous in x or y is so there, too. */
static ga__fft_side work_side(ga__fft *f, const ga__fft_axis *a,
                              unsigned int work) {
  const ptrdiff_t size = (ptrdiff_t)ga__fft_size(f);
  ga__fft_side w = {.slot = ga__fft_work(f, work),
                    .axis = size,
                    .end = a->n,
                    .how = f->is_cpu ? 0 : GA_FFT_PAIRS};
  unsigned int inner = a->nd;

  for (unsigned int d = a->nd; d-- > 0;)
    if (a->dims[d] > 1 && (a->x.by[d] == size || a->y.by[d] == size))
      inner = d;
  if (inner < a->nd) {
    w.by[inner] = size;
    w.axis = size * (ptrdiff_t)a->dims[inner];
  }
  ptrdiff_t step = w.axis * (ptrdiff_t)a->n;
  for (unsigned int d = 0; d < a->nd; d++)
    if (d != inner) {
      w.by[d] = step;
      step *= (ptrdiff_t)a->dims[d];
    }
  return w;
}

/* How many steps transforms take at least on a CPU: two, if one step would
 * leave lanes or cores without work. */
static unsigned int least_steps(const ga__fft *f, const ga__fft_axis *a) {
  const size_t units = gpucontext_caps(f->ctx)->compute_units;

  return a->n >= CPU_SHORT && batch_of(a) < f->lanes * units ? 2 : 1;
}

static int is_along(const ga__fft *f, const ga__fft_side *s) {
  return s->axis == (ptrdiff_t)ga__fft_side_size(f, s);
}

/* Divide the length into rows of steps; returns how many, or 0. A step on a GPU
 * has groups of one lane if rows are neighbours in memory; else lanes are. */
static unsigned int find_steps(const ga__fft *f, const ga__fft_axis *a,
                               size_t *rows) {
  const ga__fft_limits *d = &f->limits;

  if (f->is_cpu)
    return ga__fft_split(a->n, CPU_ROWS, least_steps(f, a), rows);
  const size_t lanes =
      is_along(f, &a->x) && is_along(f, &a->y) ? 1 : GA_FFT_SECTOR / d->size;
  rows[0] = a->n;
  return a->n <= ga__fft_group_rows(d, lanes)
             ? 1
             : ga__fft_split(a->n, ga__fft_group_rows(d, GPU_LANES), 1, rows);
}

/* The steps of transforms of a length with small primes only. */
static int add_steps(ga__fft *f, const ga__fft_axis *a, unsigned int work,
                     unsigned int n, const size_t *rows,
                     ga__fft_tables *tables) {
  size_t s = 1, m = a->n;
  ga__fft_side from = a->x;

  for (unsigned int i = 0; i < n; i++) {
    const int is_last = i + 1 == n;
    const ga__fft_side to = is_last ? a->y : work_side(f, a, work + i % 2);

    m /= rows[i];
    GA_TRY(ga__fft_add_step(f, &(ga__fft_step){.a = a,
                                               .x = &from,
                                               .y = &to,
                                               .rows = rows[i],
                                               .m = m,
                                               .s = s,
                                               .scale = is_last ? a->scale : 1,
                                               .tables = &tables[i]}));
    s *= rows[i];
    from = to;
  }
  return GA_NO_ERROR;
}

/* How much of the outermost dimension of the batch takes its steps at once: on
 * a CPU what stays in caches between steps. A side's table would be copied for
 * each part. */
static size_t part_of(const ga__fft *f, const ga__fft_axis *a,
                      unsigned int steps) {
  const size_t whole = a->dims[a->nd - 1];

  if (!f->is_cpu || steps < 2 || a->x.table != NULL || a->y.table != NULL)
    return whole;
  const size_t each = a->n * (batch_of(a) / whole);
  return ga__at_least(ga__at_least(CPU_PART / each, 1),
                      ga__ceil_div(whole, CPU_PARTS));
}

static int add_smooth(ga__fft *f, const ga__fft_axis *a, unsigned int work) {
  ga__fft_tables tables[GA_FFT_STEPS] = {0};
  size_t rows[GA_FFT_STEPS];
  const unsigned int n = find_steps(f, a, rows);

  if (n == 0)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "a transform of %zu elements is too long", a->n);
  if (a->nd == 0 || batch_of(a) == 0)
    return add_steps(f, a, work, n, rows, tables);
  const unsigned int d = a->nd - 1;
  const size_t size = part_of(f, a, n);

  for (size_t first = 0; first < a->dims[d]; first += size) {
    ga__fft_axis part = *a;

    part.dims[d] = ga__at_most(size, a->dims[d] - first);
    part.x.first += (ptrdiff_t)first * a->x.by[d];
    part.y.first += (ptrdiff_t)first * a->y.by[d];
    GA_TRY(add_steps(f, &part, work, n, rows, tables));
  }
  return GA_NO_ERROR;
}

/* --- lengths with large primes ---
 *
 * With b_k = exp(-pi i k^2 / n), result k is b_k times the convolution at k of
 * x_j b_j with the conjugate of b (L. Bluestein, 1970). */

/* b_k; k^2 counts modulo 2 n. k^2 fits, since n is below 2^32. */
static ga__fft_root chirp(size_t k, size_t n) {
  return ga__fft_root_of((size_t)((uint64_t)k * k % (2 * n)), 2 * n);
}

/* The transform of conjugates of b, divided by its length. */
static int write_filter(const ga__fft_table *t, size_t n) {
  ga__fft_root *v = ga__calloc(t->n, sizeof *v);

  if (v == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < n; k++) {
    const ga__fft_root b = chirp(k, n);

    v[k] = (ga__fft_root){b.r, -b.i};
    v[(t->n - k) % t->n] = v[k];
  }
  ga__fft_host(v, t->n);
  for (size_t k = 0; k < t->n; k++)
    ga__fft_table_put(
        t, k, (ga__fft_root){v[k].r / (double)t->n, v[k].i / (double)t->n});
  ga__free(v);
  return GA_NO_ERROR;
}

typedef struct chirps {
  ga__fft_table x, filter, y;
} chirps;

/* Results are multiplied while their parts are exchanged, which takes the
 * conjugate. */
static int write_chirps(chirps *c, const ga__fft *f, size_t n, size_t length) {
  GA_TRY(ga__fft_table_new(&c->x, n, f->is_double));
  GA_TRY(ga__fft_table_new(&c->y, n, f->is_double));
  GA_TRY(ga__fft_table_new(&c->filter, length, f->is_double));
  for (size_t k = 0; k < n; k++) {
    const ga__fft_root b = chirp(k, n);

    ga__fft_table_put(&c->x, k, b);
    ga__fft_table_put(&c->y, k, (ga__fft_root){b.r, -b.i});
  }
  return write_filter(&c->filter, n);
}

static int add_convolution(ga__fft *f, const ga__fft_axis *a,
                           unsigned int work) {
  ga__fft_axis to = *a, from;
  chirps c = {0};
  int err;

  to.n = ga__fft_length(a->n);
  GA_CHECK(write_chirps(&c, f, a->n, to.n));
  to.y = work_side(f, &to, work);
  to.scale = 1;
  from = to;
  to.x.table = &c.x;
  to.x.how |= GA_FFT_TABLE;
  to.x.end = ga__at_most(a->x.end, a->n);
  to.y.table = &c.filter;
  to.y.how |= GA_FFT_TABLE | GA_FFT_SWAP;
  from.x = from.y;
  from.y = a->y;
  from.y.table = &c.y;
  from.y.how = (a->y.how ^ GA_FFT_SWAP) | GA_FFT_TABLE;
  from.y.end = ga__at_most(a->y.end, a->n);
  from.scale = a->scale;
  GA_CHECK(add_smooth(f, &to, work + 1));
  GA_CHECK(add_smooth(f, &from, work + 1));

done:
  ga__free(c.x.v);
  ga__free(c.filter.v);
  ga__free(c.y.v);
  return err;
}

int ga__fft_add(ga__fft *f, ga__fft_axis *a, int inverse, unsigned int work) {
  if (!ga__fft_is_smooth(a->n) && a->n > UINT32_MAX)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "a transform of %zu elements, which has primes above %d, "
                    "is too long",
                    a->n, GA_FFT_RADIX);
  if (inverse) {
    a->x.how |= GA_FFT_SWAP;
    a->y.how |= GA_FFT_SWAP;
  }
  return ga__fft_is_smooth(a->n) ? add_smooth(f, a, work)
                                 : add_convolution(f, a, work);
}
