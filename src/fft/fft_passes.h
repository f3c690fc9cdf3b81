/* SPDX-License-Identifier: BSD-2-Clause */
/* How transforms are divided: plain arithmetic.
 *
 * A transform of a length whose primes are at most 13 takes steps. The length
 * is the product of their rows. A step transforms its rows by passes, each of
 * one radix. */
#ifndef FFT_FFT_PASSES_H
#define FFT_FFT_PASSES_H

#include <stddef.h>
#include <stdint.h>

enum {
  GA_FFT_STEPS = 12,  /* at most */
  GA_FFT_PASSES = 32, /* at most, of a step */
  GA_FFT_RADIX = 13   /* the largest one */
};

/* Nonzero if no prime of n exceeds GA_FFT_RADIX. */
int ga__fft_is_smooth(size_t n);

/* Write n as a product of at most GA_FFT_STEPS numbers up to `most`, which are
 * about equal, and of at least `least` numbers if that is possible. Returns how
 * many, or 0 if there is no such product. */
unsigned int ga__fft_split(size_t n, size_t most, unsigned int least,
                           size_t *rows);

/* The passes of a step. */
typedef struct ga__fft_passes {
  unsigned int n;
  unsigned int radix[GA_FFT_PASSES];
  size_t first[GA_FFT_PASSES]; /* in the table of roots, by pass */
  size_t rows;
  size_t n_roots; /* numbers, of two parts each, in the table of roots */
  int is_brief;   /* of the roots j * k, it has those where k is a power of 2 */
} ga__fft_passes;

/* Radices are odd primes, then powers of two up to 2^most_twos. */
void ga__fft_find_passes(ga__fft_passes *p, size_t rows, unsigned int most_twos,
                         int is_brief);
int ga__fft_is_odd(const ga__fft_passes *p); /* is a radix odd? */

/* What kernels for CPUs read of passes (cl/fft_cpu.cl): 1 + 3 n numbers, and
 * then for each result the row where the passes leave it. */
size_t ga__fft_passes_size(const ga__fft_passes *p);
void ga__fft_write_plan(uint32_t *to, const ga__fft_passes *p);

/* Root k of length n: exp(-2 pi i k / n), for k below n. */
typedef struct ga__fft_root {
  double r, i;
} ga__fft_root;

ga__fft_root ga__fft_root_of(size_t k, size_t n);

/* Tables that kernels read: pairs of floats or doubles. */
typedef struct ga__fft_table {
  void *v; /* owned */
  size_t n, bytes;
  int is_double;
} ga__fft_table;

/* Allocate for n pairs. Free v in any case. */
int ga__fft_table_new(ga__fft_table *t, size_t n, int is_double);
void ga__fft_table_put(const ga__fft_table *t, size_t at, ga__fft_root v);
/* The roots of all passes: of a pass of radix R over blocks of R * m, those of
 * R, then, unless m is 1, roots j * k of R * m, for j < m and 0 < k < R. The
 * inner index is k, in a brief table j. */
void ga__fft_write_roots(const ga__fft_table *t, const ga__fft_passes *p);
/* Exchange n pairs of doubles, n a power of two, for their transform. */
void ga__fft_host(ga__fft_root *v, size_t n);

#endif
