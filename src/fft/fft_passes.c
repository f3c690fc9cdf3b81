/* SPDX-License-Identifier: BSD-2-Clause */
/* How transforms are divided, and their roots. */
#include "fft/fft_passes.h"

#include <gpuarray/fft.h>
#include <math.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "base/err.h"

static const unsigned int primes[] = {2, 3, 5, 7, 11, 13};

enum { N_PRIMES = sizeof primes / sizeof *primes };

int ga__fft_is_smooth(size_t n) {
  for (unsigned int i = 0; i < N_PRIMES; i++)
    while (n > 1 && n % primes[i] == 0)
      n /= primes[i];
  return n == 1;
}

/* The smaller one of `best` and the least product, from n on, of `made` and of
 * the primes up to primes[i]. */
static size_t least_product(size_t n, size_t made, unsigned int i,
                            size_t best) {
  for (;;) {
    if (i > 0)
      best = least_product(n, made, i - 1, best);
    if (made >= n || made > best / primes[i])
      break;
    made *= primes[i];
  }
  return i == 0 && made >= n && made < best ? made : best;
}

size_t GpuArray_fft_length(size_t n) {
  const size_t best = least_product(n, 1, N_PRIMES - 1, SIZE_MAX);

  return best < SIZE_MAX ? best : n;
}

/* --- steps --- */

/* Write n as a product of exactly `count` numbers up to `most`. */
static int split_in(size_t n, size_t most, unsigned int count, size_t *rows) {
  const size_t near = (size_t)(pow((double)n, 1.0 / count) + 0.5);

  if (count == 1) {
    rows[0] = n;
    return n <= most;
  }
  for (size_t d = ga__at_most(near, most); d > 1; d--)
    if (n % d == 0 && split_in(n / d, most, count - 1, rows + 1)) {
      rows[0] = d;
      return 1;
    }
  for (size_t d = near + 1; d <= most; d++)
    if (n % d == 0 && split_in(n / d, most, count - 1, rows + 1)) {
      rows[0] = d;
      return 1;
    }
  return 0;
}

unsigned int ga__fft_split(size_t n, size_t most, unsigned int least,
                           size_t *rows) {
  for (unsigned int count = least; count <= GA_FFT_STEPS; count++)
    if (split_in(n, most, count, rows))
      return count;
  for (unsigned int count = 1; count < least; count++)
    if (split_in(n, most, count, rows))
      return count;
  return 0;
}

/* --- passes --- */

/* The roots of a pass that are products j * k, for each j. */
static size_t roots_each(const ga__fft_passes *p, unsigned int radix) {
  size_t n = 0;

  if (!p->is_brief)
    return radix - 1;
  while (((size_t)1 << n) < radix)
    n++;
  return n;
}

static size_t add_radix(ga__fft_passes *p, unsigned int radix, size_t left) {
  left /= radix;
  p->radix[p->n] = radix;
  p->first[p->n++] = p->n_roots;
  p->n_roots += radix + (left > 1 ? roots_each(p, radix) * left : 0);
  return left;
}

void ga__fft_find_passes(ga__fft_passes *p, size_t rows, unsigned int most_twos,
                         int is_brief) {
  size_t left = rows;
  unsigned int twos = 0;

  *p = (ga__fft_passes){.rows = rows, .is_brief = is_brief};
  for (unsigned int i = N_PRIMES - 1; i > 0; i--)
    while (left % primes[i] == 0)
      left = add_radix(p, primes[i], left);
  while ((size_t)1 << twos < left)
    twos++;
  while (twos > 0) { /* about equal ones, large ones first */
    const unsigned int n = (twos + most_twos - 1) / most_twos;
    const unsigned int now = (twos + n - 1) / n;

    left = add_radix(p, 1u << now, left);
    twos -= now;
  }
  GA_ASSERT(left == 1);
}

int ga__fft_is_odd(const ga__fft_passes *p) {
  for (unsigned int i = 0; i < p->n; i++)
    if (p->radix[i] % 2 != 0)
      return 1;
  return 0;
}

size_t ga__fft_passes_size(const ga__fft_passes *p) {
  return 1 + 3 * (size_t)p->n + p->rows;
}

/* The row of result k: each pass leaves results k, k + radix, ... in one
 * block. */
static size_t row_of(const ga__fft_passes *p, size_t k) {
  size_t m = p->rows, at = 0;

  for (unsigned int i = 0; i < p->n; i++) {
    m /= p->radix[i];
    at += k % p->radix[i] * m;
    k /= p->radix[i];
  }
  return at;
}

void ga__fft_write_plan(uint32_t *to, const ga__fft_passes *p) {
  size_t m = p->rows;

  *to++ = p->n;
  for (unsigned int i = 0; i < p->n; i++) {
    m /= p->radix[i];
    *to++ = p->radix[i];
    *to++ = (uint32_t)m;
    *to++ = (uint32_t)(2 * p->first[i]);
  }
  for (size_t k = 0; k < p->rows; k++)
    *to++ = (uint32_t)row_of(p, k);
}

/* --- roots --- */

/* exp(-2 pi i k / n) for k / n of at most 1/8. */
static ga__fft_root small_root(size_t k, size_t n) {
  const double angle = 6.283185307179586476925 * (double)k / (double)n;

  return (ga__fft_root){cos(angle), -sin(angle)};
}

ga__fft_root ga__fft_root_of(size_t k, size_t n) {
  ga__fft_root w;

  if (2 * k > n) { /* the conjugate */
    w = ga__fft_root_of(n - k, n);
    return (ga__fft_root){w.r, -w.i};
  }
  if (4 * k > n) { /* mirrored by the imaginary axis */
    w = small_root(n - 2 * k, 2 * n);
    if (8 * k < 3 * n) {
      w = small_root(4 * k - n, 4 * n);
      return (ga__fft_root){w.i, -w.r};
    }
    return (ga__fft_root){-w.r, w.i};
  }
  if (8 * k > n) { /* mirrored by the diagonal */
    w = small_root(n - 4 * k, 4 * n);
    return (ga__fft_root){-w.i, -w.r};
  }
  return small_root(k, n);
}

int ga__fft_table_new(ga__fft_table *t, size_t n, int is_double) {
  const size_t size = 2 * (is_double ? sizeof(double) : sizeof(float));

  *t = (ga__fft_table){.n = n, .is_double = is_double};
  t->v = ga__calloc(ga__at_least(n, 1), size);
  if (t->v == NULL)
    return ga__fail_nomem();
  t->bytes = ga__times(ga__at_least(n, 1), size);
  return GA_NO_ERROR;
}

void ga__fft_table_put(const ga__fft_table *t, size_t at, ga__fft_root v) {
  if (t->is_double) {
    ((double *)t->v)[2 * at] = v.r;
    ((double *)t->v)[2 * at + 1] = v.i;
  } else {
    ((float *)t->v)[2 * at] = (float)v.r;
    ((float *)t->v)[2 * at + 1] = (float)v.i;
  }
}

/* Roots j * k of n, for m values of j. */
static void write_products(const ga__fft_table *t, size_t at, size_t m,
                           size_t n) {
  for (size_t j = 0; j < m; j++)
    for (size_t k = 1; k < n / m; k++)
      ga__fft_table_put(t, at++, ga__fft_root_of(j * k, n));
}

static void write_brief(const ga__fft_table *t, size_t at, size_t m, size_t n) {
  for (size_t k = 1; k < n / m; k *= 2)
    for (size_t j = 0; j < m; j++)
      ga__fft_table_put(t, at++, ga__fft_root_of(j * k, n));
}

void ga__fft_write_roots(const ga__fft_table *t, const ga__fft_passes *p) {
  size_t m = p->rows;

  for (unsigned int i = 0; i < p->n; i++) {
    const size_t radix = p->radix[i], n = m, at = p->first[i];

    m /= radix;
    for (size_t k = 0; k < radix; k++)
      ga__fft_table_put(t, at + k, ga__fft_root_of(k, radix));
    if (m > 1)
      (p->is_brief ? write_brief : write_products)(t, at + radix, m, n);
  }
}

/* --- on the host --- */

static void put_in_order(ga__fft_root *v, size_t n) {
  for (size_t i = 1, j = 0; i < n; i++) {
    size_t bit = n / 2;

    for (; j & bit; bit /= 2)
      j ^= bit;
    j ^= bit;
    if (i < j) {
      const ga__fft_root old = v[i];

      v[i] = v[j];
      v[j] = old;
    }
  }
}

void ga__fft_host(ga__fft_root *v, size_t n) {
  put_in_order(v, n);
  for (size_t half = 1; half < n; half *= 2)
    for (size_t j = 0; j < half; j++) {
      const ga__fft_root w = ga__fft_root_of(j, 2 * half);

      for (size_t b = j; b < n; b += 2 * half) {
        const ga__fft_root x = v[b], y = v[b + half];
        const double r = y.r * w.r - y.i * w.i, i = y.r * w.i + y.i * w.r;

        v[b] = (ga__fft_root){x.r + r, x.i + i};
        v[b + half] = (ga__fft_root){x.r - r, x.i - i};
      }
    }
}
