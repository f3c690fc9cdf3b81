/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions against plain loops in double, in both mappings. */
#include "support/device.h"

#include <float.h>
#include <gpuarray/device.h>
#include <gpuarray/reduction.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define ND 6

/* A source: sizes outermost first; strides in elements, all 0 for C order.
 * Bit d of `mask` reduces axis d. */
typedef struct shape {
  unsigned int nd;
  size_t dims[ND];
  ssize_t strides[ND];
  unsigned int mask;
} shape;

/* --- the reference --- */

static size_t total(const shape *s) {
  size_t n = 1;

  for (unsigned int d = 0; d < s->nd; d++)
    n *= s->dims[d];
  return n;
}

/* The number of the output that element i of the source, in C order, goes to,
 * and its position among those. */
static size_t place(const shape *s, size_t i, size_t *position) {
  size_t out = 0, out_step = 1, pos = 0, pos_step = 1;

  for (unsigned int d = s->nd; d-- > 0;) {
    const size_t k = i % s->dims[d];

    i /= s->dims[d];
    if (s->mask >> d & 1) {
      pos += k * pos_step;
      pos_step *= s->dims[d];
    } else {
      out += k * out_step;
      out_step *= s->dims[d];
    }
  }
  *position = pos;
  return out;
}

typedef struct slot {
  double acc, sum, squares, magnitude;
  size_t n, at;
} slot;

static int wins(ga_reduce_op op, double v, double acc) {
  if (isnan(acc))
    return 0;
  if (isnan(v))
    return 1;
  return op == GA_REDUCE_MAX || op == GA_REDUCE_ARGMAX ? v > acc : v < acc;
}

static void take(ga_reduce_op op, slot *s, double v, size_t position) {
  const int is_first = s->n++ == 0;

  s->sum += v;
  s->squares += v * v;
  s->magnitude += fabs(v);
  switch (op) {
  case GA_REDUCE_PROD:
    s->acc = is_first ? v : s->acc * v;
    break;
  case GA_REDUCE_MAX:
  case GA_REDUCE_MIN:
  case GA_REDUCE_ARGMAX:
  case GA_REDUCE_ARGMIN:
    if (is_first || wins(op, v, s->acc)) {
      s->acc = v;
      s->at = position;
    }
    break;
  case GA_REDUCE_ANY:
    s->acc = (!is_first && s->acc != 0) || v != 0;
    break;
  case GA_REDUCE_ALL:
    s->acc = (is_first || s->acc != 0) && v != 0;
    break;
  case GA_REDUCE_AND:
    s->acc = (double)((is_first ? -1 : (int64_t)s->acc) & (int64_t)v);
    break;
  case GA_REDUCE_OR:
    s->acc = (double)((int64_t)s->acc | (int64_t)v);
    break;
  case GA_REDUCE_XOR:
    s->acc = (double)((int64_t)s->acc ^ (int64_t)v);
    break;
  default:
    break;
  }
}

/* The result; without elements the neutral one. */
static double result(ga_reduce_op op, const slot *s) {
  const double n = (double)s->n, mean = s->sum / n;

  switch (op) {
  case GA_REDUCE_SUM:
    return s->sum;
  case GA_REDUCE_PROD:
  case GA_REDUCE_ALL:
    return s->n == 0 ? 1 : s->acc;
  case GA_REDUCE_ARGMAX:
  case GA_REDUCE_ARGMIN:
    return (double)s->at;
  case GA_REDUCE_MEAN:
    return mean;
  case GA_REDUCE_VAR:
    return s->squares / n - mean * mean;
  case GA_REDUCE_NORM1:
    return s->magnitude;
  case GA_REDUCE_NORM2:
    return sqrt(s->squares);
  default:
    return s->acc;
  }
}

/* --- one case --- */

static unsigned int axes_of(const shape *s, unsigned int *axes) {
  unsigned int n = 0;

  for (unsigned int d = 0; d < s->nd; d++) {
    if (s->mask >> d & 1)
      axes[n++] = d;
  }
  return n;
}

static void make_source(GpuArray *a, const shape *s, int typecode,
                        const void *data) {
  int is_plain = 1;

  for (unsigned int d = 0; d < s->nd; d++)
    is_plain &= s->strides[d] == 0;
  if (is_plain)
    test_array(a, typecode, s->nd, s->dims, data);
  else
    test_array_strided(a, typecode, s->nd, s->dims, s->strides, data);
}

static double tolerance(int typecode) {
  return typecode == GA_HALF     ? 1.0 / 1024
         : typecode == GA_DOUBLE ? 1e-13
                                 : 1e-6;
}

/* Reduce the data of `a` by the library and by the loops above. */
static void compare(const GpuArray *a, const shape *s, ga_reduce_op op) {
  const size_t n = total(s);
  char *data = malloc(n * 16 + 16);
  unsigned int axes[ND];
  const unsigned int naxes = axes_of(s, axes);
  slot *slots;
  GpuArray r;
  size_t n_out;

  test_gather(a, data);
  assert_ok(GpuArray_reduction(&r, a, op, naxes, axes, 0, -1, -1));
  assert_int_equal(r.nd, s->nd - naxes);
  n_out = test_size(&r);
  slots = calloc(n_out + 1, sizeof *slots);
  for (size_t i = 0; i < n; i++) {
    size_t position;
    const size_t o = place(s, i, &position);

    take(op, &slots[o], test_get(data, a->typecode, i), position);
  }
  data = realloc(data, n_out * 16 + 16);
  test_gather(&r, data);
  for (size_t o = 0; o < n_out; o++) {
    const double got = test_get(data, r.typecode, o);
    const double want = result(op, &slots[o]);
    const double room =
        tolerance(r.typecode) *
        (fabs(want) + (op == GA_REDUCE_SUM || op == GA_REDUCE_MEAN
                           ? slots[o].magnitude
                           : 0));

    if (!(fabs(got - want) <= room) && !(isnan(got) && isnan(want)) &&
        got != want)
      fail_msg("op %d, %u dims from %zu, mask %u: output %zu is %.9g, expected "
               "%.9g",
               (int)op, s->nd, s->nd > 0 ? s->dims[0] : 1, s->mask, o, got,
               want);
  }
  GpuArray_clear(&r);
  free(slots);
  free(data);
}

static void check(const shape *s, int typecode, ga_reduce_op op, double lo,
                  double hi) {
  const size_t n = total(s);
  char *data = malloc(n * 16 + 16);
  GpuArray a;

  test_fill(data, typecode, n, lo, hi, 7);
  make_source(&a, s, typecode, data);
  compare(&a, s, op);
  GpuArray_clear(&a);
  free(data);
}

static int is_cpu(void) {
  return gpucontext_caps(test_context())->is_cpu;
}

/* Run `body` mapped as for a CPU and as for a GPU. */
static void both_mappings(void (*body)(void)) {
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const gpudevice_caps real = *caps;

  for (int as_cpu = 1; as_cpu >= 0; as_cpu--) {
    caps->is_cpu = as_cpu;
    body();
    *caps = real;
  }
}

/* --- geometry --- */

static const shape shapes[] = {
    {0, {0}, {0}, 0},
    {1, {1}, {0}, 1},
    {1, {7}, {0}, 1},
    {1, {1000}, {0}, 1},
    {1, {300007}, {0}, 1},
    {1, {1000}, {0}, 0},
    {2, {100, 101}, {0}, 1},
    {2, {100, 101}, {0}, 2},
    {2, {100, 101}, {0}, 3},
    {2, {3, 70001}, {0}, 2},
    {2, {70001, 3}, {0}, 1},
    {2, {3, 70001}, {0}, 1},
    {2, {70001, 3}, {0}, 2},
    {2, {9000, 37}, {0}, 1},
    {2, {40, 3000}, {0}, 1},
    {3, {7, 11, 13}, {0}, 1},
    {3, {7, 11, 13}, {0}, 2},
    {3, {7, 11, 13}, {0}, 5},
    {3, {1, 500, 1}, {0}, 7},
    {3, {33, 5, 65}, {0}, 5},
    {5, {2, 3, 4, 5, 6}, {0}, 1 + 4 + 16},
    {5, {2, 3, 4, 5, 6}, {0}, 2 + 8},
    {5, {3, 1, 4, 5, 40}, {0}, 1 + 4},
};

static void sum_shapes(void) {
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0];
       i += is_cpu() ? 1 : 2)
    check(&shapes[i], GA_FLOAT, GA_REDUCE_SUM, -1, 2);
}

static void test_shapes(void **state) {
  (void)state;
  both_mappings(sum_shapes);
}

static const shape strided[] = {
    {1, {1001}, {-1}, 1},
    {1, {1001}, {3}, 1},
    {2, {60, 70}, {1, 60}, 1},
    {2, {60, 70}, {1, 60}, 2},
    {2, {60, 70}, {-70, -1}, 2},
    {2, {60, 70}, {-70, 1}, 1},
    {2, {60, 70}, {160, 2}, 2},
    {2, {60, 70}, {160, 2}, 1},
    {2, {60, 70}, {0, 1}, 1},
    {2, {60, 70}, {0, 1}, 2},
    {3, {9, 8, 50}, {50, 500, 1}, 1},
    {3, {9, 8, 50}, {400, 1, 8}, 5},
};

static void sum_strided(void) {
  for (size_t i = 0; i < sizeof strided / sizeof strided[0];
       i += is_cpu() ? 1 : 2)
    check(&strided[i], GA_FLOAT, GA_REDUCE_SUM, -1, 2);
}

static void argmax_strided(void) {
  for (size_t i = 0; i < sizeof strided / sizeof strided[0];
       i += is_cpu() ? 1 : 4) {
    shape s = strided[i];

    if (i % 2 == 0)
      s.mask = (1u << s.nd) - 1;
    check(&s, GA_INT, GA_REDUCE_ARGMAX, -9, 9);
  }
}

static void test_strides(void **state) {
  (void)state;
  both_mappings(sum_strided);
}

/* Ties everywhere, and memory order is not the order of positions. */
static void test_positions(void **state) {
  (void)state;
  both_mappings(argmax_strided);
}

static void test_empty(void **state) {
  static const shape empty[] = {{1, {0}, {0}, 1},    {2, {0, 3}, {0}, 1},
                                {2, {0, 3}, {0}, 2}, {2, {3, 0}, {0}, 2},
                                {2, {3, 0}, {0}, 1}, {2, {3, 0}, {0}, 3}};

  (void)state;
  for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++)
    check(&empty[i], GA_FLOAT, GA_REDUCE_SUM, 0, 1);
  check(&empty[1], GA_FLOAT, GA_REDUCE_PROD, 0, 1);
  check(&empty[0], GA_FLOAT, GA_REDUCE_MEAN, 0, 1);
}

/* --- operations and dtypes --- */

static const shape row = {2, {23, 137}, {0}, 2};
static const shape col = {2, {23, 137}, {0}, 1};

/* The mapping for GPUs has the same text of operations: a few will do. */
static void ops(void) {
  for (int op = GA_REDUCE_SUM; op <= GA_REDUCE_NORM2;
       op += is_cpu() ? 1 : GA_REDUCE_ARGMAX) {
    const int is_bits = op >= GA_REDUCE_AND && op <= GA_REDUCE_XOR;
    const int type = is_bits ? GA_INT : GA_FLOAT;
    const double most = op == GA_REDUCE_PROD ? 1.01 : 100;
    const double least = op == GA_REDUCE_PROD ? 0.99 : -100;

    check(&row, type, op, least, most);
    if (op % 3 == 0)
      check(&col, type, op, least, most);
  }
}

static void test_ops(void **state) {
  (void)state;
  both_mappings(ops);
}

static const int dtypes[] = {GA_BOOL,   GA_BYTE, GA_UBYTE, GA_SHORT,
                             GA_USHORT, GA_INT,  GA_UINT,  GA_LONG,
                             GA_ULONG,  GA_HALF, GA_FLOAT, GA_DOUBLE};

static void types(void) {
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
    const int t = dtypes[i];
    const double lo = t == GA_BOOL || t == GA_UBYTE || t == GA_USHORT ||
                              t == GA_UINT || t == GA_ULONG
                          ? 0
                          : -50;

    if (t == GA_DOUBLE && !gpucontext_caps(test_context())->fp64)
      continue;
    if (!is_cpu() && t != GA_HALF && t != GA_LONG)
      continue;
    check(&row, t, GA_REDUCE_SUM, lo, t == GA_BOOL ? 2 : 50);
    check(&row, t, i % 2 ? GA_REDUCE_MAX : GA_REDUCE_MIN, lo, 50);
    if (i % 3 == 0)
      check(&col, t, GA_REDUCE_ARGMIN, lo, t == GA_BOOL ? 2 : 50);
  }
}

static void test_dtypes(void **state) {
  (void)state;
  both_mappings(types);
}

/* Smallest and largest values of integers do not collide with the neutral
 * element. */
static void test_limits(void **state) {
  const int64_t most[4] = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
  const uint64_t least[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
  const size_t four = 4, three = 3;
  GpuArray a, r;
  int64_t got;

  (void)state;
  test_array(&a, GA_LONG, 1, &four, most);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_MAX, 0, NULL, 0, -1, -1));
  test_array_equal(&r, most);
  GpuArray_clear(&r);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_ARGMAX, 0, NULL, 0, -1, -1));
  test_gather(&r, &got);
  assert_int_equal(got, 0);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
  test_array(&a, GA_ULONG, 1, &three, least);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_MIN, 0, NULL, 0, -1, -1));
  test_array_equal(&r, least);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
}

/* 64-bit sums are exact beyond what double holds. */
static void test_exact(void **state) {
  const int64_t data[4] = {INT64_MAX - 5, 3, -INT64_MAX, 7};
  const int64_t want = 5;
  const size_t n = 4;
  GpuArray a, r;

  (void)state;
  test_array(&a, GA_LONG, 1, &n, data);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_SUM, 0, NULL, 0, -1, -1));
  test_array_equal(&r, &want);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
}

/* --- special values --- */

static void specials(void) {
  static const ga_reduce_op extremes[] = {GA_REDUCE_MIN, GA_REDUCE_ARGMAX,
                                          GA_REDUCE_SUM};
  const shape both[2] = {{2, {9, 200}, {0}, 2}, {2, {200, 9}, {0}, 1}};
  float data[1800];

  for (int g = 0; g < 2; g++) {
    const size_t step = g == 0 ? 1 : 9, next = g == 0 ? 200 : 1;
    GpuArray a;

    test_fill(data, GA_FLOAT, 1800, -3, 3, 5);
    data[150 * step] = NAN;
    data[170 * step] = NAN;
    for (size_t i = 0; i < 200; i++) {
      data[next + i * step] = -INFINITY;
      data[2 * next + i * step] = INFINITY;
      data[3 * next + i * step] = NAN;
      data[4 * next + i * step] = 2.5f;
    }
    data[5 * next + 199 * step] = NAN;
    data[6 * next] = INFINITY;
    data[7 * next + 31 * step] = INFINITY;
    data[7 * next + 67 * step] = -INFINITY;
    make_source(&a, &both[g], GA_FLOAT, data);
    for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; i++)
      compare(&a, &both[g], extremes[i]);
    GpuArray_clear(&a);
  }
}

static void test_special_values(void **state) {
  (void)state;
  both_mappings(specials);
}

/* Float sums stay within one part in a million at any length. */
static void accuracy(void) {
  const size_t n = (size_t)1 << 22;
  float *data = malloc(n * sizeof *data), got;
  GpuArray a, r;

  for (int k = 0; k < 3; k++) {
    const double each = k == 0 ? 1 : 0.1;
    double want = 0;

    test_fill(data, GA_FLOAT, n, 0, 1, 3);
    for (size_t i = 0; i < n; i++) {
      if (k < 2)
        data[i] = (float)each;
      want += (double)data[i];
    }
    test_array(&a, GA_FLOAT, 1, &n, data);
    assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_SUM, 0, NULL, 0, -1, -1));
    test_gather(&r, &got);
    test_close(GA_FLOAT, &got, &(float){(float)want}, 1, 5e-7, 0);
    GpuArray_clear(&r);
    GpuArray_clear(&a);
  }
  free(data);
}

static void test_accuracy(void **state) {
  (void)state;
  both_mappings(accuracy);
}

/* The order of additions is fixed. */
static void repeats(void) {
  const size_t dims[2] = {300, 4001};
  const size_t n = 300 * 4001;
  float *data = malloc(n * sizeof *data);
  float first[4001], second[4001];
  GpuArray a, r;

  test_fill(data, GA_FLOAT, n, -1, 1, 11);
  test_array(&a, GA_FLOAT, 2, dims, data);
  for (unsigned int axis = 0; axis < 3; axis++) {
    for (int k = 0; k < 2; k++) {
      assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_SUM, axis < 2,
                                   axis < 2 ? &axis : NULL, 0, -1, -1));
      test_gather(&r, k == 0 ? first : second);
      if (k == 1)
        assert_memory_equal(first, second, test_size(&r) * sizeof *first);
      GpuArray_clear(&r);
    }
  }
  GpuArray_clear(&a);
  free(data);
}

static void test_repeatable(void **state) {
  (void)state;
  both_mappings(repeats);
}

/* --- shapes and dtypes of results --- */

static void test_result_type(void **state) {
  const size_t dims[3] = {2, 3, 4};
  const unsigned int axes[2] = {2, 0};
  int8_t data[24];
  GpuArray a, r;

  (void)state;
  test_fill(data, GA_BYTE, 24, -100, 100, 1);
  test_array(&a, GA_BYTE, 3, dims, data);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_SUM, 2, axes, 1, -1, -1));
  assert_int_equal(r.nd, 3);
  assert_int_equal(r.dimensions[0], 1);
  assert_int_equal(r.dimensions[1], 3);
  assert_int_equal(r.dimensions[2], 1);
  assert_int_equal(r.typecode, GA_LONG);
  GpuArray_clear(&r);
  assert_ok(
      GpuArray_reduction(&r, &a, GA_REDUCE_SUM, 2, axes, 0, -1, GA_FLOAT));
  assert_int_equal(r.nd, 1);
  assert_int_equal(r.typecode, GA_FLOAT);
  GpuArray_clear(&r);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_MAX, 2, axes, 0, -1, -1));
  assert_int_equal(r.typecode, GA_BYTE);
  GpuArray_clear(&r);
  assert_ok(GpuArray_reduction(&r, &a, GA_REDUCE_ARGMIN, 2, axes, 0, -1, -1));
  assert_int_equal(r.typecode, GA_LONG);
  GpuArray_clear(&r);
  /* In a byte the sum wraps around. */
  assert_ok(
      GpuArray_reduction(&r, &a, GA_REDUCE_SUM, 0, NULL, 0, GA_BYTE, GA_BYTE));
  {
    int8_t got, want = 0;
    for (int i = 0; i < 24; i++)
      want = (int8_t)(want + data[i]);
    test_gather(&r, &got);
    assert_int_equal(got, want);
  }
  GpuArray_clear(&r);
  GpuArray_clear(&a);
}

/* --- maxandargmax --- */

static void test_maxandargmax_order(void **state) {
  const size_t dims[3] = {4, 5, 6};
  const unsigned int list[2] = {2, 0};
  float data[120], most[5];
  uint64_t at[5];
  GpuArray a, m, i;

  (void)state;
  test_fill(data, GA_FLOAT, 120, -1, 1, 2);
  test_array(&a, GA_FLOAT, 3, dims, data);
  assert_ok(GpuArray_maxandargmax(&m, &i, &a, 2, list));
  assert_int_equal(m.nd, 1);
  assert_int_equal(m.typecode, GA_FLOAT);
  assert_int_equal(i.typecode, GA_SIZE);
  test_gather(&m, most);
  assert_ok(GpuArray_read(at, sizeof at, &i));
  for (size_t y = 0; y < 5; y++) {
    const size_t x = at[y] / 4, z = at[y] % 4;

    assert_true(x < 6);
    assert_true(data[z * 30 + y * 6 + x] == most[y]);
    for (size_t k = 0; k < 24; k++)
      assert_true(data[k / 6 * 30 + y * 6 + k % 6] <= most[y]);
  }
  GpuArray_clear(&m);
  GpuArray_clear(&i);
  assert_code(GA_VALUE_ERROR, GpuArray_maxandargmax(&m, &i, &a, 0, list));
  assert_null(m.data);
  GpuArray_clear(&a);
}

/* --- expressions --- */

/* rms[i] = sqrt(scale * sum_j (x[i,j] - y[j])^2), all[i] += that sum */
static void distances(void) {
  const size_t dims[2] = {19, 77}, ydims[2] = {1, 77}, odims[2] = {19, 1};
  const gpuelemwise_arg in[2] = {{"x", GA_FLOAT, GE_READ},
                                 {"y", GA_HALF, GE_READ}};
  const gpuelemwise_arg post[3] = {{"rms", GA_HALF, GE_WRITE},
                                   {"all", GA_FLOAT, GE_READ | GE_WRITE},
                                   {"scale", GA_FLOAT, GE_SCALAR | GE_READ}};
  const GpuReductionSpec spec = {
      .op = GA_REDUCE_SUM,
      .acc = GA_FLOAT,
      .map = "w_float d = x - y; v = d * d",
      .post = "all = all + acc; rms = sqrt(scale * acc);",
      .n_in = 2,
      .in = in,
      .n_post = 3,
      .post_args = post,
      .flags = GE_VECTOR};
  const unsigned char reduced[2] = {0, 1};
  float x[19 * 77], all[19], want[19], wide[19], scale = 0.25f;
  uint16_t y[77], rms[19];
  GpuArray ax, ay, arms, aall;
  GpuReduction *r;
  GpuLaunch *l;
  GpuLaunchStats stats;

  test_fill(x, GA_FLOAT, 19 * 77, -1, 1, 1);
  test_fill(y, GA_HALF, 77, -1, 1, 2);
  test_fill(all, GA_FLOAT, 19, 0, 1, 3);
  test_array(&ax, GA_FLOAT, 2, dims, x);
  test_array(&ay, GA_HALF, 2, ydims, y);
  test_array(&aall, GA_FLOAT, 2, odims, all);
  assert_ok(
      GpuArray_empty(&arms, test_context(), GA_HALF, 2, odims, GA_C_ORDER));
  for (size_t i = 0; i < 19; i++) {
    double sum = 0;
    for (size_t j = 0; j < 77; j++) {
      const double d = (double)x[i * 77 + j] - test_get(y, GA_HALF, j);
      sum += d * d;
    }
    want[i] = (float)(all[i] + sum);
    wide[i] = (float)sqrt(0.25 * sum);
  }
  assert_ok(GpuReduction_new(&r, test_context(), &spec));
  assert_ok(GpuReduction_prepare(&l, r, 2, dims, reduced, (void *[]){&ax, &ay},
                                 (void *[]){&arms, &aall, &scale}));
  GpuReduction_free(r);
  assert_ok(GpuLaunch_run(l));
  test_array_close(&aall, want, 1e-6, 0);
  test_gather(&arms, rms);
  for (size_t i = 0; i < 19; i++)
    assert_true(fabs(test_get(rms, GA_HALF, i) - (double)wide[i]) <=
                1e-3 * (double)wide[i]);
  assert_ok(GpuLaunch_stats(l, &stats));
  assert_string_equal(stats.label, "sum");
  assert_true(stats.bytes == 4 * 19 * 77 + 2 * 77 + 2 * 19 + 8 * 19);
  assert_true(stats.flops >= 19 * 77);

  /* The value and an output of slots 4 and 3 can be exchanged. */
  scale = 1;
  assert_ok(GpuLaunch_bind_scalar(l, 4, &scale));
  assert_ok(GpuArray_write(&aall, all, sizeof all));
  assert_ok(GpuLaunch_bind(l, 3, aall.data, aall.offset));
  assert_ok(GpuLaunch_run(l));
  test_array_close(&aall, want, 1e-6, 0);
  test_gather(&arms, rms);
  assert_true(fabs(test_get(rms, GA_HALF, 5) - 2 * (double)wide[5]) <=
              2e-3 * (double)wide[5]);
  GpuLaunch_free(l);
  GpuArray_clear(&ax);
  GpuArray_clear(&ay);
  GpuArray_clear(&arms);
  GpuArray_clear(&aall);
}

static void test_expressions(void **state) {
  (void)state;
  both_mappings(distances);
}

/* Plain OpenCL C with a branch, a preamble, scalars of every width. */
static void test_plain_map(void **state) {
  const size_t dims[2] = {50, 60}, odims[2] = {1, 60};
  const gpuelemwise_arg in[4] = {{"x", GA_FLOAT, GE_READ},
                                 {"h", GA_HALF, GE_SCALAR | GE_READ},
                                 {"b", GA_BOOL, GE_SCALAR | GE_READ},
                                 {"n", GA_LONG, GE_SCALAR | GE_READ}};
  const gpuelemwise_arg post[1] = {{"out", GA_LONG, GE_WRITE}};
  const GpuReductionSpec spec = {
      .op = GA_REDUCE_SUM,
      .acc = GA_LONG,
      .preamble = "static int above(float a, float b) { return a > b; }",
      .map = "if (b && above(x, h)) v = n; else v = 0;",
      .n_in = 4,
      .in = in,
      .n_post = 1,
      .post_args = post};
  const unsigned char reduced[2] = {1, 0};
  float x[3000];
  uint16_t h;
  uint8_t b = 1;
  int64_t n = 3000000000, want[60] = {0};
  GpuArray ax, out;
  GpuReduction *r;
  GpuLaunch *l;

  (void)state;
  test_set(&h, GA_HALF, 0, 0.25);
  test_fill(x, GA_FLOAT, 3000, -1, 1, 9);
  for (size_t i = 0; i < 3000; i++)
    want[i % 60] += x[i] > 0.25f ? n : 0;
  test_array(&ax, GA_FLOAT, 2, dims, x);
  assert_ok(
      GpuArray_empty(&out, test_context(), GA_LONG, 2, odims, GA_C_ORDER));
  assert_ok(GpuReduction_new(&r, test_context(), &spec));
  assert_ok(GpuReduction_prepare(
      &l, r, 2, dims, reduced, (void *[]){&ax, &h, &b, &n}, (void *[]){&out}));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&out, want);
  assert_non_null(strstr(GpuLaunch_source(l, 0), "above"));
  GpuLaunch_free(l);
  GpuReduction_free(r);
  GpuArray_clear(&ax);
  GpuArray_clear(&out);
}

/* --- errors --- */

static const gpuelemwise_arg x_arg = {"x", GA_FLOAT, GE_READ};
static const gpuelemwise_arg out_arg = {"out", GA_FLOAT, GE_WRITE};

static GpuReductionSpec plain_spec(void) {
  return (GpuReductionSpec){.op = GA_REDUCE_SUM,
                            .acc = GA_FLOAT,
                            .n_in = 1,
                            .in = &x_arg,
                            .n_post = 1,
                            .post_args = &out_arg};
}

static void refuse(GpuReductionSpec spec, int code, const char *part) {
  GpuReduction *r = (GpuReduction *)&spec;

  assert_code(code, GpuReduction_new(&r, test_context(), &spec));
  assert_null(r);
  assert_message(code, part);
}

static void test_refused_specs(void **state) {
  const gpuelemwise_arg written = {"x", GA_FLOAT, GE_READ | GE_WRITE};
  const gpuelemwise_arg value = {"x", GA_FLOAT, GE_SCALAR | GE_READ};
  const gpuelemwise_arg strange = {"x", 99, GE_READ};
  GpuReductionSpec s;

  (void)state;
  s = plain_spec();
  s.op = GA_REDUCE_MEAN;
  refuse(s, GA_VALUE_ERROR, "11");
  s = plain_spec();
  s.op = GA_REDUCE_ANY;
  refuse(s, GA_VALUE_ERROR, "any in float32, expected bool");
  s = plain_spec();
  s.op = GA_REDUCE_XOR;
  refuse(s, GA_VALUE_ERROR, "bitwise xor in float32");
  s = plain_spec();
  s.acc = GA_CFLOAT;
  refuse(s, GA_UNSUPPORTED_ERROR, "complex64");
  s = plain_spec();
  s.in = &written;
  refuse(s, GA_VALUE_ERROR, "x: an input cannot be written");
  s = plain_spec();
  s.in = &value;
  refuse(s, GA_VALUE_ERROR, "no array among 1 inputs");
  s = plain_spec();
  s.in = &strange;
  refuse(s, GA_VALUE_ERROR, "99");
  s = plain_spec();
  s.n_post = 0;
  refuse(s, GA_VALUE_ERROR, "nothing is written");
  s = plain_spec();
  s.post_args = &x_arg;
  refuse(s, GA_VALUE_ERROR, "no post expression");
}

static void test_refused_arrays(void **state) {
  const size_t dims[2] = {3, 4}, odims[2] = {3, 1}, bad[2] = {1, 4};
  const unsigned char reduced[2] = {0, 1};
  const unsigned int twice[2] = {1, 1}, beyond = 2;
  GpuReductionSpec s = plain_spec();
  GpuArray x, out, wrong, r;
  GpuReduction *red;
  GpuLaunch *l;
  void *in[1] = {&x}, *post[1] = {&out};

  (void)state;
  assert_ok(GpuArray_zeros(&x, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(
      GpuArray_zeros(&out, test_context(), GA_FLOAT, 2, odims, GA_C_ORDER));
  assert_ok(
      GpuArray_zeros(&wrong, test_context(), GA_FLOAT, 2, bad, GA_C_ORDER));
  assert_ok(GpuReduction_new(&red, test_context(), &s));
  post[0] = &wrong;
  assert_code(GA_VALUE_ERROR,
              GpuReduction_prepare(&l, red, 2, dims, reduced, in, post));
  assert_message(GA_VALUE_ERROR, "out, dim 0: expected 3, got 1");
  assert_null(l);
  post[0] = &out;
  in[0] = NULL;
  assert_code(GA_VALUE_ERROR,
              GpuReduction_prepare(&l, red, 2, dims, reduced, in, post));
  assert_message(GA_VALUE_ERROR, "x: missing");
  in[0] = &x;
  out.flags &= ~GA_WRITEABLE;
  assert_code(GA_READONLY_ERROR,
              GpuReduction_prepare(&l, red, 2, dims, reduced, in, post));
  GpuReduction_free(red);

  assert_code(GA_VALUE_ERROR,
              GpuArray_reduction(&r, &x, GA_REDUCE_SUM, 2, twice, 0, -1, -1));
  assert_message(GA_VALUE_ERROR, "axis 1 is given twice");
  assert_code(GA_VALUE_ERROR,
              GpuArray_reduction(&r, &x, GA_REDUCE_SUM, 1, &beyond, 0, -1, -1));
  assert_message(GA_VALUE_ERROR, "axis 2 of an array of 2 dimensions");
  assert_null(r.data);
  GpuArray_clear(&x);
  GpuArray_clear(&out);
  GpuArray_clear(&wrong);
}

static void test_refused_empty(void **state) {
  const size_t dims[2] = {3, 0};
  const unsigned int axis = 1;
  GpuArray x, r, at;

  (void)state;
  assert_ok(GpuArray_zeros(&x, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_code(GA_VALUE_ERROR,
              GpuArray_reduction(&r, &x, GA_REDUCE_MAX, 1, &axis, 0, -1, -1));
  assert_message(GA_VALUE_ERROR, "max of no elements");
  assert_code(GA_VALUE_ERROR, GpuArray_maxandargmax(&r, &at, &x, 1, &axis));
  GpuArray_clear(&x);
}

static void test_bad_text(void **state) {
  const size_t dims[1] = {4}, odims[1] = {1};
  const unsigned char reduced[1] = {1};
  GpuReductionSpec s = plain_spec();
  GpuArray x, out;
  GpuReduction *red;
  GpuLaunch *l;

  (void)state;
  s.map = "v = nonsense(x)";
  assert_ok(GpuArray_zeros(&x, test_context(), GA_FLOAT, 1, dims, GA_C_ORDER));
  assert_ok(
      GpuArray_zeros(&out, test_context(), GA_FLOAT, 1, odims, GA_C_ORDER));
  assert_ok(GpuReduction_new(&red, test_context(), &s));
  assert_code(GA_IMPL_ERROR,
              GpuReduction_prepare(&l, red, 1, dims, reduced, (void *[]){&x},
                                   (void *[]){&out}));
  assert_message(GA_IMPL_ERROR, "nonsense");
  assert_null(l);
  GpuReduction_free(red);
  GpuArray_clear(&x);
  GpuArray_clear(&out);
}

/* Reduce rows into `r`, and `at` if `is_arg`. */
static int reduce_rows(const GpuArray *x, int is_arg, GpuArray *r,
                       GpuArray *at) {
  const unsigned int axis = 1;

  memset(at, 0, sizeof *at);
  if (is_arg)
    return GpuArray_maxandargmax(r, at, x, 1, &axis);
  return GpuArray_reduction(r, x, GA_REDUCE_VAR, 1, &axis, 0, -1, -1);
}

/* Whichever allocation fails, the call says so and keeps nothing. */
static void test_out_of_memory(void **state) {
  const size_t dims[2] = {20, 30};
  GpuArray x, r, at;

  (void)state;
  assert_ok(GpuArray_zeros(&x, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  for (int is_arg = 0; is_arg < 2; is_arg++) {
    int err = GA_MEMORY_ERROR;

    assert_ok(reduce_rows(&x, is_arg, &r, &at)); /* to have the kernels */
    GpuArray_clear(&r);
    GpuArray_clear(&at);
    for (long n = 1; err != GA_NO_ERROR; n++) {
      const long before = ga__alloc_live();

      assert_true(n < 1000);
      ga__alloc_fail(n, 0);
      err = reduce_rows(&x, is_arg, &r, &at);
      ga__alloc_fail(0, 0);
      if (err == GA_NO_ERROR)
        break;
      assert_int_equal(err, GA_MEMORY_ERROR);
      assert_null(r.data);
      assert_true(ga__alloc_live() <= before);
    }
    GpuArray_clear(&r);
    GpuArray_clear(&at);
  }
  GpuArray_clear(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_strides),
      cmocka_unit_test(test_positions),
      cmocka_unit_test(test_empty),
      cmocka_unit_test(test_ops),
      cmocka_unit_test(test_dtypes),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_exact),
      cmocka_unit_test(test_special_values),
      cmocka_unit_test(test_accuracy),
      cmocka_unit_test(test_repeatable),
      cmocka_unit_test(test_result_type),
      cmocka_unit_test(test_maxandargmax_order),
      cmocka_unit_test(test_expressions),
      cmocka_unit_test(test_plain_map),
      cmocka_unit_test(test_refused_specs),
      cmocka_unit_test(test_refused_arrays),
      cmocka_unit_test(test_refused_empty),
      cmocka_unit_test(test_bad_text),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
