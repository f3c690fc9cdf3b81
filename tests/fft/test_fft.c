/* SPDX-License-Identifier: BSD-2-Clause */
/* Fourier transforms against sums in long double: every short length, random
 * geometries, several axes, real and complex. */
#include "support/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpuarray/fft.h>

#include "base/dtype.h"
#include "fft/fft_group.h"
#include "support/lcg.h"

static uint64_t state = 11;

static size_t draw(size_t low, size_t high) {
  return low + lcg_below(&state, high - low + 1);
}

/* --- problems --- */

enum { MOST = 4 }; /* dimensions */

typedef enum kind { COMPLEX, REAL_X, REAL_Y } kind;

typedef struct problem {
  kind kind;
  int is_double, flags;
  unsigned int nd, n; /* dimensions, axes */
  unsigned int axes[MOST];
  size_t length[MOST]; /* by axis of the list */
  size_t x[MOST], y[MOST];
  int order[MOST]; /* of the dimensions in memory, outermost first */
  ssize_t gap;     /* elements between neighbours */
} problem;

static size_t count(unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  return n;
}

static void strides_of(ssize_t *s, const problem *p, const size_t *dims) {
  ssize_t step = p->gap;

  for (unsigned int d = p->nd; d-- > 0;) {
    s[p->order[d]] = step;
    step *= (ssize_t)dims[p->order[d]];
  }
}

static int dtype_of(const problem *p, int is_real) {
  return p->is_double ? (is_real ? GA_DOUBLE : GA_CDOUBLE)
                      : (is_real ? GA_FLOAT : GA_CFLOAT);
}

/* The sizes of y by those of x and the lengths. */
static void set_sizes(problem *p) {
  memcpy(p->y, p->x, sizeof p->y);
  for (unsigned int i = 0; i < p->n; i++)
    p->y[p->axes[i]] = p->length[i];
  if (p->kind == REAL_X)
    p->y[p->axes[p->n - 1]] = p->length[p->n - 1] / 2 + 1;
}

/* --- on the host --- */

typedef struct number {
  long double r, i;
} number;

typedef struct numbers {
  size_t dims[MOST];
  number *v;
} numbers;

static size_t before(unsigned int axis, const size_t *dims) {
  return count(axis, dims);
}

static size_t behind(unsigned int nd, unsigned int axis, const size_t *dims) {
  return count(nd - axis - 1, dims + axis + 1);
}

/* Element j of a line of `have`; with `is_half` those above the half are
 * conjugates. */
static number element(const number *line, size_t step, size_t have, size_t n,
                      int is_half, size_t j) {
  const int turn = is_half && j > n / 2;

  j = turn ? n - j : j;
  number v = j < have ? line[j * step] : (number){0, 0};
  v.i = turn ? -v.i : v.i;
  return v;
}

static number sum_of(const number *line, size_t step, size_t have, size_t n,
                     int is_half, int inverse, size_t k, const number *roots) {
  number sum = {0, 0};

  for (size_t j = 0; j < n; j++) {
    const number v = element(line, step, have, n, is_half, j);
    const number w = roots[j * k % n];
    const long double wi = inverse ? -w.i : w.i;

    sum.r += v.r * w.r - v.i * wi;
    sum.i += v.r * wi + v.i * w.r;
  }
  return sum;
}

/* Transform `a` along an axis to length n, of which `keep` elements are
 * kept. */
static void host_axis(const problem *p, numbers *a, unsigned int i, int is_half,
                      size_t keep) {
  const unsigned int axis = p->axes[i];
  const size_t n = p->length[i], have = a->dims[axis];
  const size_t outer = before(axis, a->dims);
  const size_t step = behind(p->nd, axis, a->dims);
  const int inverse = (p->flags & GA_FFT_INVERSE) != 0;
  const long double scale = p->flags & GA_FFT_ORTHO ? 1 / sqrtl((long double)n)
                            : inverse != ((p->flags & GA_FFT_FORWARD) != 0)
                                ? 1 / (long double)n
                                : 1;
  number *to = calloc(outer * keep * step + 1, sizeof *to);
  number *roots = calloc(n, sizeof *roots);

  for (size_t k = 0; k < n; k++) {
    const long double angle = 2 * acosl(-1) * (long double)k / (long double)n;
    roots[k] = (number){cosl(angle), -sinl(angle)};
  }
  for (size_t o = 0; o < outer; o++)
    for (size_t s = 0; s < step; s++)
      for (size_t k = 0; k < keep; k++) {
        number v = sum_of(a->v + o * have * step + s, step, have, n, is_half,
                          inverse, k, roots);
        v.r *= scale;
        v.i *= scale;
        to[(o * keep + k) * step + s] = v;
      }
  free(roots);
  free(a->v);
  a->v = to;
  a->dims[axis] = keep;
}

static void host(const problem *p, numbers *a) {
  const unsigned int last = p->n - 1;

  if (p->kind == REAL_X)
    host_axis(p, a, last, 0, p->length[last] / 2 + 1);
  for (unsigned int i = 0; i < last; i++)
    host_axis(p, a, i, 0, p->length[i]);
  if (p->kind != REAL_X)
    host_axis(p, a, last, p->kind == REAL_Y, p->length[last]);
}

/* --- comparisons --- */

static double part(const problem *p, const void *v, size_t i) {
  return p->is_double ? ((const double *)v)[i] : ((const float *)v)[i];
}

/* The error grows as the square root of the logarithm of the length. */
static void check_values(const problem *p, const void *got,
                         const numbers *want) {
  const size_t n = count(p->nd, p->y), parts = p->kind == REAL_Y ? 1 : 2;
  const double eps = ga__dtype_epsilon(p->is_double ? GA_DOUBLE : GA_FLOAT);
  double error = 0, size = 0, total = 1;

  for (size_t k = 0; k < n; k++) {
    const double r = part(p, got, parts * k);
    const double i = parts > 1 ? part(p, got, parts * k + 1) : 0;
    const double wr = (double)want->v[k].r;
    const double wi = parts > 1 ? (double)want->v[k].i : 0;

    error += (r - wr) * (r - wr) + (i - wi) * (i - wi);
    size += wr * wr + wi * wi;
  }
  for (unsigned int d = 0; d < p->n; d++)
    total *= (double)p->length[d];
  error = sqrt(error / (size > 0 ? size : 1)) / eps / sqrt(1 + log2(total));
  if (getenv("SHOW") != NULL)
    printf("%g %g\n", total, error);
  if (!(error < 0.7)) {
    print_message("kind %d, %s, flags %d, %u axes:", (int)p->kind,
                  p->is_double ? "double" : "float", p->flags, p->n);
    for (unsigned int i = 0; i < p->n; i++)
      print_message(" axis %u of %u, %zu to %zu", p->axes[i], p->nd,
                    p->x[p->axes[i]], p->length[i]);
    print_message("\n");
    fail_msg("error %g", error);
  }
}

static void check(const problem *p) {
  const size_t nx = count(p->nd, p->x), ny = count(p->nd, p->y);
  const int x_type = dtype_of(p, p->kind == REAL_X);
  const int y_type = dtype_of(p, p->kind == REAL_Y);
  const size_t parts = p->kind == REAL_X ? 1 : 2;
  char *x = calloc(nx + 1, 16), *y = calloc(ny + 1, 16);
  numbers want = {.v = calloc(nx + 1, sizeof *want.v)};
  ssize_t sx[MOST], sy[MOST];
  GpuArray ax, ay;
  GpuLaunch *l;

  test_fill(x, dtype_of(p, 1), nx * parts, -1, 1, (uint32_t)draw(1, 1000));
  memcpy(want.dims, p->x, sizeof want.dims);
  for (size_t k = 0; k < nx; k++)
    want.v[k] =
        (number){part(p, x, parts * k), parts > 1 ? part(p, x, 2 * k + 1) : 0};
  host(p, &want);
  strides_of(sx, p, p->x);
  strides_of(sy, p, p->y);
  test_array_strided(&ax, x_type, p->nd, p->x, sx, x);
  test_array_strided(&ay, y_type, p->nd, p->y, sy, y);
  assert_ok(
      GpuArray_fft_prepare(&l, &ay, &ax, p->n, p->axes, p->length, p->flags));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  test_gather(&ay, y);
  check_values(p, y, &want);
  GpuArray_clear(&ax);
  GpuArray_clear(&ay);
  free(want.v);
  free(x);
  free(y);
}

/* --- every short length --- */

static void check_line(kind k, int is_double, int flags, size_t rows,
                       size_t n) {
  problem p = {.kind = k,
               .is_double = is_double,
               .flags = flags,
               .nd = 2,
               .n = 1,
               .axes = {1},
               .length = {n},
               .x = {rows, k == REAL_Y ? n / 2 + 1 : n},
               .order = {0, 1},
               .gap = 1};

  set_sizes(&p);
  check(&p);
}

static size_t step(void) {
  return test_is_quick() ? 5 : 1;
}

/* On a GPU each length and geometry has a kernel of its own, so there are
 * fewer. */
static int is_cpu(void) {
  return gpucontext_caps(test_context())->is_cpu;
}

static void test_lengths(void **unused) {
  const size_t by = is_cpu() ? step() : 13;

  (void)unused;
  for (size_t n = 1; n <= 512; n += n < 40 ? 1 : by) {
    if (is_cpu() || n % 3 == 0)
      check_line(COMPLEX, 0, 0, 1, n);
    if (is_cpu() || n % 3 == 1)
      check_line(COMPLEX, 0, GA_FFT_INVERSE, n % 40, n);
    if (is_cpu() || n % 3 == 2)
      check_line(n % 2 ? REAL_X : REAL_Y, 0, 0, 3, n);
  }
}

static void all_long(void) {
  static const size_t lengths[] = {1009, 1024, 2000, 2187, 4099, 4096, 6006};

  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i += step() / 4 + 1)
    check_line(COMPLEX, 0, i % 2, 1, lengths[i]);
  check_line(COMPLEX, 0, 0, 17, 2 * 3 * 5 * 7);
  check_line(REAL_X, 0, 0, 2, 1000);
  check_line(REAL_Y, 0, GA_FFT_INVERSE, 2, 1001);
}

static void test_long(void **unused) {
  (void)unused;
  test_mappings(all_long);
}

/* --- random geometries --- */

static void draw_axes(problem *p) {
  for (unsigned int i = 0; i < p->n; i++) {
    int is_new;

    do {
      p->axes[i] = (unsigned int)draw(0, p->nd - 1);
      is_new = 1;
      for (unsigned int j = 0; j < i; j++)
        is_new &= p->axes[j] != p->axes[i];
    } while (!is_new);
  }
}

static void draw_order(problem *p) {
  for (unsigned int d = 0; d < p->nd; d++)
    p->order[d] = (int)d;
  for (unsigned int d = 1; d < p->nd; d++) {
    const size_t e = draw(0, d);
    const int old = p->order[d];

    p->order[d] = p->order[e];
    p->order[e] = old;
  }
  p->gap = draw(0, 3) > 0 ? 1 : draw(0, 1) ? 2 : -1;
}

static void check_random(int is_double) {
  problem p = {.kind = (kind)draw(0, 2),
               .is_double = is_double,
               .flags = (int)draw(0, 5),
               .nd = (unsigned int)draw(1, MOST)};

  p.n = (unsigned int)draw(1, p.nd < 3 ? p.nd : 3);
  draw_axes(&p);
  for (unsigned int d = 0; d < p.nd; d++)
    p.x[d] = draw(0, 9) > 0 ? draw(1, 12) : draw(16, 40);
  for (unsigned int i = 0; i < p.n; i++) {
    size_t *x = &p.x[p.axes[i]];

    if (p.n == 1)
      *x = draw(1, 300);
    p.length[i] = p.kind == REAL_Y && i + 1 == p.n ? 2 * *x - draw(0, 1) : *x;
    if (draw(0, 2) == 0)
      p.length[i] = draw(1, 2 * p.length[i]);
  }
  draw_order(&p);
  set_sizes(&p);
  check(&p);
}

static void all_random(void) {
  const unsigned int n =
      is_cpu() ? (test_is_quick() ? 40 : 300) : (test_is_quick() ? 8 : 60);

  for (unsigned int i = 0; i < n; i++)
    check_random(0);
}

static void test_random(void **unused) {
  (void)unused;
  test_mappings(all_random);
}

static void test_double(void **unused) {
  (void)unused;
  test_need_double();
  for (unsigned int i = 0; i < 60 / step(); i++)
    check_random(1);
  check_line(COMPLEX, 1, 0, 1, 4096);
  check_line(COMPLEX, 1, 0, 9, 1009);
}

/* --- calls --- */

static void make(GpuArray *a, int dtype, unsigned int nd, const size_t *dims) {
  assert_ok(GpuArray_zeros(a, test_context(), dtype, nd, dims, GA_C_ORDER));
}

/* There and back, also in place. */
static void test_calls(void **unused) {
  static const unsigned int axes[] = {1, 2};
  const size_t dims[] = {3, 10, 12}, lengths[] = {10, 12};
  float v[2 * 360];
  GpuArray x, real, y, z;
  GpuLaunch *l;

  (void)unused;
  test_fill(v, GA_FLOAT, 720, -1, 1, 5);
  test_array(&x, GA_CFLOAT, 3, dims, v);
  assert_ok(GpuArray_fft(&y, &x, 2, axes, NULL, 0));
  assert_ok(GpuArray_fft(&z, &y, 2, axes, NULL, GA_FFT_INVERSE));
  GpuArray_clear(&x);
  x = z;
  x.typecode = GA_CFLOAT;
  float back[720];
  test_gather(&z, back);
  test_close(GA_FLOAT, back, v, 720, 0, 1e-6);
  assert_ok(GpuArray_fft_prepare(&l, &y, &y, 2, axes, NULL, GA_FFT_INVERSE));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  test_gather(&y, back);
  test_close(GA_FLOAT, back, v, 720, 0, 1e-6);
  GpuArray_clear(&y);
  GpuArray_clear(&z);
  test_array(&real, GA_FLOAT, 3, dims, v);
  assert_ok(GpuArray_rfft(&y, &real, 2, axes, NULL, GA_FFT_ORTHO));
  assert_int_equal(y.dimensions[2], 7);
  assert_ok(
      GpuArray_irfft(&z, &y, 2, axes, lengths, GA_FFT_INVERSE | GA_FFT_ORTHO));
  test_array_close(&z, v, 0, 1e-6);
  GpuArray_clear(&z);
  assert_ok(
      GpuArray_irfft(&z, &y, 2, axes, NULL, GA_FFT_INVERSE | GA_FFT_ORTHO));
  test_array_close(&z, v, 0, 1e-6);
  GpuArray_clear(&z);
  GpuArray_clear(&y);
  GpuArray_clear(&real);
}

static void test_errors(void **unused) {
  static const unsigned int one[] = {1}, twice[] = {1, 1}, far[] = {2};
  GpuArray x, y, real, ints, half, z;
  GpuLaunch *l;

  (void)unused;
  make(&x, GA_CFLOAT, 2, (size_t[]){3, 8});
  make(&y, GA_CFLOAT, 2, (size_t[]){3, 8});
  make(&half, GA_CFLOAT, 2, (size_t[]){3, 5});
  make(&real, GA_FLOAT, 2, (size_t[]){3, 8});
  make(&ints, GA_INT, 2, (size_t[]){3, 8});
  assert_code(GA_INVALID_ERROR,
              GpuArray_fft_prepare(NULL, &y, &x, 1, one, NULL, 0));
  assert_code(GA_INVALID_ERROR,
              GpuArray_fft_prepare(&l, NULL, &x, 1, one, NULL, 0));
  assert_null(l);
  assert_code(GA_INVALID_ERROR,
              GpuArray_fft_prepare(&l, &y, NULL, 1, one, NULL, 0));
  assert_code(GA_INVALID_ERROR,
              GpuArray_fft_prepare(&l, &y, &x, 1, NULL, NULL, 0));
  assert_code(GA_VALUE_ERROR,
              GpuArray_fft_prepare(&l, &y, &x, 0, one, NULL, 0));
  assert_code(GA_VALUE_ERROR,
              GpuArray_fft_prepare(&l, &y, &x, 2, twice, NULL, 0));
  assert_message(GA_VALUE_ERROR, "axis 1 is in the list twice");
  assert_code(GA_VALUE_ERROR,
              GpuArray_fft_prepare(&l, &y, &x, 1, far, NULL, 0));
  assert_message(GA_VALUE_ERROR, "axis 2 of an array of 2 dimensions");
  assert_code(GA_VALUE_ERROR,
              GpuArray_fft_prepare(&l, &y, &x, 1, one, NULL, 8));
  assert_code(GA_VALUE_ERROR,
              GpuArray_fft_prepare(&l, &y, &x, 1, one, NULL, 6));
  assert_code(GA_VALUE_ERROR,
              GpuArray_fft_prepare(&l, &half, &x, 1, one, (size_t[]){8}, 0));
  assert_message(GA_VALUE_ERROR, "expected 8, got 5");
  assert_code(GA_VALUE_ERROR,
              GpuArray_fft_prepare(&l, &y, &x, 1, one, (size_t[]){0}, 0));
  assert_message(GA_VALUE_ERROR, "axis 1: a transform of no elements");
  assert_code(GA_UNSUPPORTED_ERROR,
              GpuArray_fft_prepare(&l, &y, &ints, 1, one, NULL, 0));
  assert_code(GA_VALUE_ERROR,
              GpuArray_fft_prepare(&l, &ints, &x, 1, one, NULL, 0));
  assert_code(GA_VALUE_ERROR,
              GpuArray_fft_prepare(&l, &real, &real, 1, one, NULL, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_fft(&x, &x, 1, one, NULL, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_fft(NULL, &x, 1, one, NULL, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_fft(&z, &real, 1, one, NULL, 0));
  assert_message(GA_VALUE_ERROR, "x: float32, expected complex numbers");
  assert_code(GA_VALUE_ERROR, GpuArray_rfft(&z, &x, 1, one, NULL, 0));
  assert_code(GA_VALUE_ERROR, GpuArray_fft(&z, &x, 1, one, (size_t[]){0}, 0));
  assert_code(GA_XLARGE_ERROR,
              GpuArray_fft(&z, &x, 1, one, (size_t[]){SIZE_MAX / 2}, 0));
  GpuArray_clear(&half);
  assert_ok(GpuArray_view(&half, &x));
  half.offset += sizeof(float) * 2;
  assert_code(GA_VALUE_ERROR,
              GpuArray_fft_prepare(&l, &half, &x, 1, one, NULL, 0));
  GpuArray_clear(&half);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&real);
  GpuArray_clear(&ints);
}

static void test_empty(void **unused) {
  static const unsigned int axes[] = {0, 1};
  GpuArray x, y;

  (void)unused;
  make(&x, GA_CFLOAT, 3, (size_t[]){4, 6, 0});
  assert_ok(GpuArray_fft(&y, &x, 2, axes, NULL, 0));
  assert_int_equal(y.dimensions[2], 0);
  GpuArray_clear(&y);
  GpuArray_clear(&x);
  make(&x, GA_CFLOAT, 2, (size_t[]){0, 6});
  float got[48], zeros[48] = {0};
  assert_ok(GpuArray_fft(&y, &x, 2, axes, (size_t[]){4, 6}, 0));
  test_gather(&y, got);
  test_close(GA_FLOAT, got, zeros, 48, 0, 0);
  GpuArray_clear(&y);
  GpuArray_clear(&x);
}

/* --- good lengths --- */

static int is_good(size_t n) {
  static const size_t primes[] = {2, 3, 5, 7, 11, 13};

  for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
    while (n % primes[i] == 0)
      n /= primes[i];
  return n == 1;
}

static void test_good_lengths(void **unused) {
  const size_t most = (size_t)1 << (8 * sizeof(size_t) - 1);

  (void)unused;
  assert_int_equal(GpuArray_fft_length(0), 1);
  for (size_t n = 1; n < 3000; n++) {
    size_t want = n;

    while (!is_good(want))
      want++;
    assert_int_equal(GpuArray_fft_length(n), want);
  }
  assert_int_equal(GpuArray_fft_length(most), most);
  assert_true(GpuArray_fft_length(most + 1) >= most + 1);
  assert_int_equal(GpuArray_fft_length(SIZE_MAX), SIZE_MAX);
}

/* --- groups of GPUs --- */

static void check_group(const ga__fft_limits *d, size_t rows, size_t lanes,
                        int by_line) {
  ga__fft_passes p;
  ga__fft_group g;

  ga__fft_find_group(&g, &p, d, rows, 1000, by_line ? 1 : lanes, by_line);
  if (rows > GA_FFT_EACH)
    assert_true(g.width >= (by_line ? 1 : lanes));
  assert_true(g.items * g.width <= d->items);
  assert_true(g.bytes <= d->local);
  for (unsigned int i = 0; i < p.n; i++) {
    const size_t butterflies = rows / p.radix[i];
    const size_t rounds = (butterflies + g.items - 1) / g.items;

    assert_true(rounds * p.radix[i] <= g.each && g.each <= GA_FFT_EACH);
  }
}

static void test_groups(void **unused) {
  static const ga__fft_limits devices[] = {
      {1, 1 << 10, 8},     {1, 1 << 10, 16},    {16, 1 << 10, 16},
      {64, 16 << 10, 8},   {256, 32 << 10, 8},  {256, 64 << 10, 16},
      {1024, 48 << 10, 8}, {1024, 48 << 10, 16}};

  (void)unused;
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
    const ga__fft_limits *d = &devices[i];
    const size_t few = GA_FFT_SECTOR / d->size;

    for (size_t lanes = 1; lanes <= few; lanes += few - 1)
      for (size_t n = 1; n <= ga__fft_group_rows(d, lanes); n++)
        if (is_good(n)) {
          check_group(d, n, lanes, 0);
          check_group(d, n, lanes, 1);
        }
  }
  assert_true(ga__fft_group_rows(&devices[6], 1) >= 8192);
  assert_true(ga__fft_group_rows(&devices[6], 4) >= 2048);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lengths), cmocka_unit_test(test_long),
      cmocka_unit_test(test_random),  cmocka_unit_test(test_double),
      cmocka_unit_test(test_calls),   cmocka_unit_test(test_errors),
      cmocka_unit_test(test_empty),   cmocka_unit_test(test_good_lengths),
      cmocka_unit_test(test_groups)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
