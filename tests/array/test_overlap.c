/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether arrays have elements in common, against marks on each byte. The
 * arrays have no memory: nothing but their geometry is looked at. */
#include "support/device.h"

#include <string.h>

#include "array/overlap.h"
#include "support/lcg.h"

enum { RANKS = 3, BYTES = 512, MIDDLE = BYTES / 2 };

typedef struct shaped {
  GpuArray a;
  size_t dims[RANKS];
  ssize_t strides[RANKS];
} shaped;

static char memory;

static void make(shaped *s, int typecode, unsigned int nd, size_t offset) {
  s->a = (GpuArray){.data = (gpudata *)&memory,
                    .dimensions = s->dims,
                    .strides = s->strides,
                    .offset = offset,
                    .nd = nd,
                    .typecode = typecode};
}

/* An array x[first::step] of `n` float32. */
static void make_line(shaped *s, size_t first, ssize_t step, size_t n) {
  make(s, GA_FLOAT, 1, 4 * first);
  s->dims[0] = n;
  s->strides[0] = 4 * step;
}

static void check(const shaped *a, const shaped *b, int want) {
  assert_int_equal(ga__arrays_overlap(&a->a, &b->a), want);
  assert_int_equal(ga__arrays_overlap(&b->a, &a->a), want);
}

static void lines(void **state) {
  shaped even, odd, third, one, all, back;

  (void)state;
  make_line(&even, 0, 2, 10);
  make_line(&odd, 1, 2, 10);
  make_line(&third, 0, 3, 7);
  make_line(&one, 1, 1, 1);
  make_line(&all, 0, 1, 20);
  make_line(&back, 19, -2, 10);
  check(&even, &odd, 0);
  check(&even, &one, 0);
  check(&odd, &one, 1);
  check(&even, &third, 1);
  check(&all, &third, 1);
  check(&back, &even, 0);
  check(&back, &odd, 1);
  make_line(&third, 3, 6, 3);
  check(&even, &third, 0);
}

/* --- random arrays --- */

static void mark(unsigned char *bytes, const GpuArray *a) {
  const size_t size = GpuArray_ITEMSIZE(a);
  size_t total = 1;

  for (unsigned int d = 0; d < a->nd; d++)
    total *= a->dimensions[d];
  for (size_t i = 0; i < total; i++) {
    ssize_t at = (ssize_t)a->offset;
    size_t rest = i;

    for (unsigned int d = 0; d < a->nd; d++) {
      at += (ssize_t)(rest % a->dimensions[d]) * a->strides[d];
      rest /= a->dimensions[d];
    }
    memset(bytes + at, 1, size);
  }
}

static int share_a_byte(const GpuArray *a, const GpuArray *b) {
  unsigned char in_a[BYTES] = {0}, in_b[BYTES] = {0};

  mark(in_a, a);
  mark(in_b, b);
  for (size_t i = 0; i < BYTES; i++) {
    if (in_a[i] && in_b[i])
      return 1;
  }
  return 0;
}

static void make_random(shaped *s, uint64_t *seed) {
  static const int types[] = {GA_UBYTE, GA_SHORT, GA_FLOAT, GA_DOUBLE};

  const int type = types[lcg_below(seed, 4)];
  const unsigned int nd = (unsigned int)lcg_below(seed, RANKS + 1);

  make(s, type, nd, MIDDLE - 10 + lcg_below(seed, 20));
  for (unsigned int d = 0; d < RANKS; d++) {
    s->dims[d] = lcg_below(seed, 16) == 0 ? 0 : 1 + lcg_below(seed, 4);
    s->strides[d] = (ssize_t)lcg_below(seed, 51) - 25;
  }
}

static void random_arrays(void **state) {
  uint64_t seed = 5;
  size_t found[2] = {0, 0};

  (void)state;
  for (int i = 0; i < 100000; i++) {
    shaped a, b;

    make_random(&a, &seed);
    make_random(&b, &seed);
    const int want = share_a_byte(&a.a, &b.a);
    check(&a, &b, want);
    found[want]++;
  }
  assert_true(found[0] > 10000 && found[1] > 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines),
      cmocka_unit_test(random_arrays),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
