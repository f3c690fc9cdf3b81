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
         : typecode == GA_BFLOAT ? 1.0 / 128
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

  test_gather(a, data);
  assert_ok(GpuArray_reduction(&r, a, op, naxes, axes, 0, -1, -1));
  assert_int_equal(r.nd, s->nd - naxes);
  size_t n_out = test_size(&r);
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
    {2, {9001, 37}, {0}, 2},
    {2, {5003, 10}, {0}, 2},
    {2, {9, 16}, {0}, 2},
    {2, {2100, 2}, {0}, 2},
    {2, {2100, 2}, {1, 2100}, 2},
    {3, {70, 5, 64}, {0}, 4},
    {2, {777, 12}, {20, 1}, 2},
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

/* Rows with gaps, which begin where vectors may and do not end there. */
static const shape gapped = {2, {5003, 10}, {12, 1}, 2};

static void gapped_rows(void) {
  static float data[5003 * 10];
  GpuArray a;

  test_fill(data, GA_FLOAT, total(&gapped), -9, 9, 7);
  test_array_within(&a, GA_FLOAT, gapped.nd, gapped.dims, gapped.strides, data,
                    16);
  compare(&a, &gapped, GA_REDUCE_SUM);
  compare(&a, &gapped, GA_REDUCE_ARGMAX);
  GpuArray_clear(&a);
}

static void test_gapped_rows(void **state) {
  (void)state;
  test_mappings(gapped_rows);
}

static void sum_shapes(void) {
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0];
       i += is_cpu() ? 1 : 2)
    check(&shapes[i], GA_FLOAT, GA_REDUCE_SUM, -1, 2);
}

static void test_shapes(void **state) {
  (void)state;
  test_mappings(sum_shapes);
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
  test_mappings(sum_strided);
}

/* Ties everywhere, and memory order is not the order of positions. */
static void test_positions(void **state) {
  (void)state;
  test_mappings(argmax_strided);
}

/* Blocks and parts, of rows and of columns: ties, and hardly any. */
static const shape many[] = {{2, {3, 20001}, {0}, 2},
                             {2, {9000, 37}, {0}, 1},
                             {2, {20001, 16}, {0}, 1},
                             {1, {300007}, {0}, 1}};

static void argmax_many(void) {
  for (size_t i = 0; i < sizeof many / sizeof many[0]; i++) {
    check(&many[i], GA_INT, GA_REDUCE_ARGMAX, -9, 9);
    check(&many[i], GA_FLOAT, GA_REDUCE_ARGMIN, -9, 9);
  }
}

static void test_many_positions(void **state) {
  (void)state;
  test_mappings(argmax_many);
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
    const ga_reduce_op reduce = (ga_reduce_op)op;
    const int is_bits = op >= GA_REDUCE_AND && op <= GA_REDUCE_XOR;
    const int type = is_bits ? GA_INT : GA_FLOAT;
    const double most = op == GA_REDUCE_PROD ? 1.01 : 100;
    const double least = op == GA_REDUCE_PROD ? 0.99 : -100;

    check(&row, type, reduce, least, most);
    if (op % 3 == 0)
      check(&col, type, reduce, least, most);
  }
}

static void test_ops(void **state) {
  (void)state;
  test_mappings(ops);
}

static const int dtypes[] = {GA_BOOL,  GA_BYTE,   GA_UBYTE, GA_SHORT, GA_USHORT,
                             GA_INT,   GA_UINT,   GA_LONG,  GA_ULONG, GA_HALF,
                             GA_FLOAT, GA_DOUBLE, GA_BFLOAT};

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
  test_mappings(types);
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
  test_mappings(specials);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_strides),
      cmocka_unit_test(test_gapped_rows),
      cmocka_unit_test(test_positions),
      cmocka_unit_test(test_many_positions),
      cmocka_unit_test(test_empty),
      cmocka_unit_test(test_ops),
      cmocka_unit_test(test_dtypes),
      cmocka_unit_test(test_special_values),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
