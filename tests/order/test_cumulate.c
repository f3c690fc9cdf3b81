/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulations against loops on the host. */
#include "support/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/cumulate.h>
#include <gpuarray/device.h>

#include "base/dtype.h"
#include "ocl/device/device.h"

/* --- on the host --- */

static double combine(ga_cumulate_op op, double a, double b) {
  switch (op) {
  case GA_CUMULATE_SUM:
    return a + b;
  case GA_CUMULATE_PROD:
    return a * b;
  case GA_CUMULATE_MAX:
    return isnan(a) || a >= b ? a : b;
  case GA_CUMULATE_MIN:
    return isnan(a) || a <= b ? a : b;
  case GA_CUMULATE_ANY:
    return a != 0 || b != 0;
  case GA_CUMULATE_ALL:
    return a != 0 && b != 0;
  default:
    return a == b ? a + log(2) : fmax(a, b) + log1p(exp(-fabs(a - b)));
  }
}

static double neutral(ga_cumulate_op op, int dtype) {
  double least[2] = {0};

  switch (op) {
  case GA_CUMULATE_PROD:
  case GA_CUMULATE_ALL:
    return 1;
  case GA_CUMULATE_MAX:
  case GA_CUMULATE_MIN:
    ga__dtype_from_double(dtype, least,
                          op == GA_CUMULATE_MAX ? -INFINITY : INFINITY);
    return ga__dtype_to_double(dtype, least);
  case GA_CUMULATE_LOGADDEXP:
    return -INFINITY;
  default:
    return 0;
  }
}

/* The sizes of a space around its axis. */
typedef struct around {
  size_t outer, n, inner;
} around;

static around split(unsigned int nd, const size_t *dims, unsigned int axis) {
  around a = {1, dims[axis], 1};

  for (unsigned int d = 0; d < nd; d++) {
    if (d != axis)
      *(d < axis ? &a.outer : &a.inner) *= dims[d];
  }
  return a;
}

/* Compute `want` of `to` from `data` of `from`, both in C order. */
static void on_host(ga_cumulate_op op, int flags, around s, int from,
                    const void *data, int to, void *want) {
  for (size_t o = 0; o < s.outer * s.inner; o++) {
    const size_t first = o / s.inner * s.n * s.inner + o % s.inner;
    double acc = neutral(op, to);

    for (size_t i = 0; i < s.n; i++) {
      const size_t j = flags & GA_CUMULATE_REVERSED ? s.n - 1 - i : i;
      const size_t at = first + j * s.inner;
      const double before = acc;

      acc = combine(op, acc, test_get(data, from, at));
      test_set(want, to, at, flags & GA_CUMULATE_EXCLUSIVE ? before : acc);
    }
  }
}

/* --- calls --- */

static double tolerance(ga_cumulate_op op, int dtype) {
  if (ga__dtype_kind(dtype) != GA_KIND_FLOAT || op == GA_CUMULATE_MAX ||
      op == GA_CUMULATE_MIN)
    return 0;
  return dtype == GA_HALF ? 2e-3 : dtype == GA_BFLOAT ? 16e-3 : 2e-5;
}

static void check(const GpuArray *x, const void *data, ga_cumulate_op op,
                  unsigned int axis, int flags, int restype, int to) {
  const around s = split(x->nd, x->dimensions, axis);
  char *want = calloc(test_size(x) + 1, 16);
  GpuArray z;

  on_host(op, flags, s, x->typecode, data, to, want);
  assert_ok(GpuArray_cumulate(&z, x, op, axis, flags, restype));
  assert_int_equal(z.typecode, to);
  const double tol = tolerance(op, to);
  if (tol == 0)
    test_array_equal(&z, want);
  else
    test_array_close(&z, want, tol, tol * 30);
  GpuArray_clear(&z);
  free(want);
}

/* All axes, with all flags or, to compile less, one of them. */
enum { ALL_FLAGS = -1 };

static void check_axes(const GpuArray *x, const void *data, ga_cumulate_op op,
                       int which) {
  for (unsigned int axis = 0; axis < x->nd; axis++) {
    for (int flags = 0; flags < 4; flags++) {
      if (which == ALL_FLAGS || which == flags)
        check(x, data, op, axis, flags, x->typecode, x->typecode);
    }
  }
}

static void check_shape(int dtype, ga_cumulate_op op, unsigned int nd,
                        const size_t *dims, int flags) {
  size_t n = 1;
  GpuArray x;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  char *data = calloc(n + 1, 16);
  test_fill(data, dtype, n, -1, 2, 7);
  test_array(&x, dtype, nd, dims, data);
  check_axes(&x, data, op, flags);
  GpuArray_clear(&x);
  free(data);
}

/* --- tests --- */

static void all_flags(void) {
  check_shape(GA_FLOAT, GA_CUMULATE_SUM, 2, (size_t[]){9, 1037}, ALL_FLAGS);
}

static void test_flags(void **state) {
  (void)state;
  test_mappings(all_flags);
}

static void all_shapes(void) {
  static const size_t rows[][3] = {{1, 1, 1},  {3, 7, 1},   {2, 3, 5},
                                   {5, 33, 9}, {2, 40, 70}, {0, 4, 2}};

  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    check_shape(GA_FLOAT, GA_CUMULATE_SUM, 3, rows[i], 0);
}

static void test_shapes(void **state) {
  (void)state;
  test_need_full();
  test_mappings(all_shapes);
}

static const struct {
  ga_cumulate_op op;
  int dtype;
} ops[] = {{GA_CUMULATE_SUM, GA_LONG},       {GA_CUMULATE_PROD, GA_FLOAT},
           {GA_CUMULATE_MAX, GA_FLOAT},      {GA_CUMULATE_MIN, GA_SHORT},
           {GA_CUMULATE_ANY, GA_BOOL},       {GA_CUMULATE_ALL, GA_BOOL},
           {GA_CUMULATE_LOGADDEXP, GA_FLOAT}};

/* Rows, of which reversed and exclusive ones shift lanes. */
static void all_ops(void) {
  static const size_t n = 1037;
  const size_t n_ops = sizeof ops / sizeof ops[0];

  for (size_t i = 0; i < n_ops; i++)
    check_shape(ops[i].dtype, ops[i].op, 1, &n, (int)(i % 4));
}

static void test_ops(void **state) {
  (void)state;
  test_mappings(all_ops);
}

static void test_dtypes(void **state) {
  static const int types[] = {GA_BYTE,   GA_UBYTE, GA_SHORT, GA_USHORT,
                              GA_INT,    GA_UINT,  GA_ULONG, GA_HALF,
                              GA_BFLOAT, GA_DOUBLE};
  static const size_t dims[2] = {20, 50};

  (void)state;
  test_need_full();
  test_need_double();
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    check_shape(types[t], GA_CUMULATE_SUM, 2, dims, 0);
    check_shape(types[t], GA_CUMULATE_MAX, 2, dims, 3);
  }
}

/* Sums of small and of true and false elements have 64 bits. */
static void test_results(void **state) {
  static const struct {
    int from, to;
    ga_cumulate_op op;
  } rows[] = {{GA_BYTE, GA_LONG, GA_CUMULATE_SUM},
              {GA_UBYTE, GA_ULONG, GA_CUMULATE_PROD},
              {GA_BOOL, GA_LONG, GA_CUMULATE_SUM},
              {GA_INT, GA_BOOL, GA_CUMULATE_ALL},
              {GA_INT, GA_INT, GA_CUMULATE_MIN},
              {GA_HALF, GA_HALF, GA_CUMULATE_SUM},
              {GA_BFLOAT, GA_BFLOAT, GA_CUMULATE_SUM}};
  static const size_t n = 40;
  char data[40 * 8];

  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    GpuArray x;
    test_fill(data, rows[i].from, n, 0, 4, 3);
    test_array(&x, rows[i].from, 1, &n, data);
    check(&x, data, rows[i].op, 0, 0, -1, rows[i].to);
    GpuArray_clear(&x);
  }
}

static void all_strides(void) {
  static const size_t dims[2] = {20, 35};
  static const ssize_t strides[][2] = {{-35, 1}, {35, -1}, {70, 2}, {-70, -2}};
  float data[20 * 35];

  test_fill(data, GA_FLOAT, 20 * 35, -1, 2, 5);
  for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
    GpuArray x;
    test_array_strided(&x, GA_FLOAT, 2, dims, strides[i], data);
    check_axes(&x, data, GA_CUMULATE_SUM, 0);
    GpuArray_clear(&x);
  }
}

static void test_strides(void **state) {
  (void)state;
  test_mappings(all_strides);
}

/* Long rows and columns are cut into parts. */
static void all_parts(void) {
  check_shape(GA_INT, GA_CUMULATE_SUM, 1, (size_t[]){400003}, 0);
  check_shape(GA_INT, GA_CUMULATE_SUM, 2, (size_t[]){50001, 9}, 3);
}

static void test_parts(void **state) {
  (void)state;
  test_mappings(all_parts);
}

/* Results that caches do not hold, which CPUs store around them. Columns are
 * two strips. */
static void test_large(void **state) {
  (void)state;
  test_need_buffer((size_t)64 << 20);
  test_need_memory((uint64_t)256 << 20);
  check_shape(GA_INT, GA_CUMULATE_SUM, 1, (size_t[]){8400001}, 0);
  check_shape(GA_HALF, GA_CUMULATE_MAX, 2, (size_t[]){4100, 4099}, 2);
}

/* Sums of floats with rounding errors have the same bits each time. */
static void check_same(size_t n) {
  float *x = malloc(n * sizeof *x), *first = malloc(n * sizeof *first);
  GpuArray a, z;

  test_fill(x, GA_FLOAT, n, -1, 1, 5);
  test_array(&a, GA_FLOAT, 1, &n, x);
  for (int run = 0; run < 5; run++) {
    assert_ok(GpuArray_cumulate(&z, &a, GA_CUMULATE_SUM, 0, 0, -1));
    if (run == 0)
      assert_ok(GpuArray_read(first, n * sizeof *first, &z));
    else
      test_array_equal(&z, first);
    GpuArray_clear(&z);
  }
  GpuArray_clear(&a);
  free(first);
  free(x);
}

/* Groups hand sums on (cl/chain.cl): with adders, and without where chains are
 * many. Sums are the same each time: groups that wait in vain add in the same
 * order. */
static void chained(void) {
  check_shape(GA_INT, GA_CUMULATE_SUM, 1, (size_t[]){900003}, 0);
  check_shape(GA_INT, GA_CUMULATE_SUM, 2, (size_t[]){20001, 9}, 3);
  check_shape(GA_INT, GA_CUMULATE_SUM, 2, (size_t[]){1000, 2101}, 0);
  check_same(70001);
}

static void test_chains(void **state) {
  (void)state;
  test_chained(chained);
}

/* --- complex numbers --- */

static void test_complex(void **state) {
  static const size_t n = 50;
  float x[100], want[2][100] = {{0}}, got[100];
  GpuArray a, z;

  (void)state;
  test_fill(x, GA_FLOAT, 100, -1, 1, 3);
  float sum[2] = {0, 0}, prod[2] = {1, 0};
  for (size_t i = 0; i < n; i++) {
    const float r = prod[0] * x[2 * i] - prod[1] * x[2 * i + 1];
    prod[1] = prod[0] * x[2 * i + 1] + prod[1] * x[2 * i];
    prod[0] = r;
    for (int k = 0; k < 2; k++) {
      want[0][2 * i + (size_t)k] = sum[k] += x[2 * i + (size_t)k];
      want[1][2 * i + (size_t)k] = prod[k];
    }
  }
  test_array(&a, GA_CFLOAT, 1, &n, x);
  for (int k = 0; k < 2; k++) {
    assert_ok(GpuArray_cumulate(&z, &a, k ? GA_CUMULATE_PROD : GA_CUMULATE_SUM,
                                0, 0, -1));
    test_gather(&z, got);
    test_close(GA_FLOAT, got, want[k], 100, 1e-5, 1e-5);
    GpuArray_clear(&z);
  }
  assert_code(GA_VALUE_ERROR,
              GpuArray_cumulate(&z, &a, GA_CUMULATE_MAX, 0, 0, -1));
  assert_message(GA_VALUE_ERROR, "cummax in complex64, expected real numbers");
  assert_code(GA_VALUE_ERROR,
              GpuArray_cumulate(&z, &a, GA_CUMULATE_SUM, 0, 0, GA_FLOAT));
  assert_message(GA_VALUE_ERROR, "would lose imaginary parts in float32");
  GpuArray_clear(&a);
}

/* NaN stays, and infinities are ordered. */
static void test_nan(void **state) {
  static const size_t n = 20;
  float x[20];
  GpuArray a;

  (void)state;
  for (size_t i = 0; i < n; i++)
    x[i] = (float)(i * 7 % 11);
  x[1] = -INFINITY;
  x[6] = INFINITY;
  x[13] = NAN;
  test_array(&a, GA_FLOAT, 1, &n, x);
  check(&a, x, GA_CUMULATE_MAX, 0, 0, -1, GA_FLOAT);
  check(&a, x, GA_CUMULATE_MIN, 0, GA_CUMULATE_REVERSED, -1, GA_FLOAT);
  GpuArray_clear(&a);
}

/* --- expressions --- */

/* y[i] = a[i] y[i - 1] + b[i], of which z = 2 y + b is stored; values have two
 * dtypes, one of them counts. */
static GpuCumulationSpec recurrence(int flags) {
  static const gpuelemwise_arg values[3] = {{"f", GA_FLOAT, GE_READ},
                                            {"y", GA_FLOAT, GE_READ},
                                            {"count", GA_INT, GE_READ}};
  static const gpuelemwise_arg args[5] = {{"a", GA_FLOAT, GE_READ},
                                          {"b", GA_FLOAT, GE_READ},
                                          {"z", GA_FLOAT, GE_WRITE},
                                          {"n", GA_INT, GE_WRITE},
                                          {"s", GA_FLOAT, GE_SCALAR}};

  return (GpuCumulationSpec){
      .n_values = 3,
      .values = values,
      .map = "f = a; y = b; count = (w_int)(1)",
      .combine = "f = f_a * f_b; y = y_a * f_b + y_b; count = count_a + "
                 "count_b",
      .neutral = "f = (w_float)(1); y = (w_float)(0); count = (w_int)(0)",
      .post = "z = s * y + b; n = count",
      .n_args = 5,
      .args = args,
      .flags = flags};
}

static void check_recurrence(int flags, size_t rows, size_t n) {
  const GpuCumulationSpec spec = recurrence(flags);
  const size_t dims[2] = {rows, n};
  float *a = malloc(rows * n * sizeof *a), *b = malloc(rows * n * sizeof *b);
  float *want = malloc(rows * n * sizeof *want), s = 2;
  int32_t *counts = malloc(rows * n * sizeof *counts);
  GpuArray in[4];
  GpuCumulation *c;
  GpuLaunch *l;

  test_fill(a, GA_FLOAT, rows * n, -1, 1, 4);
  test_fill(b, GA_FLOAT, rows * n, -1, 1, 5);
  for (size_t i = 0; i < rows * n; i++) {
    const size_t k = i % n;
    const float before = k > 0 ? (want[i - 1] - b[i - 1]) / 2 : 0;
    want[i] = 2 * (a[i] * before + b[i]) + b[i];
    counts[i] = (int32_t)k + 1;
  }
  test_array(&in[0], GA_FLOAT, 2, dims, a);
  test_array(&in[1], GA_FLOAT, 2, dims, b);
  test_array(&in[2], GA_FLOAT, 2, dims, a);
  test_array(&in[3], GA_INT, 2, dims, a);
  assert_ok(GpuCumulation_new(&c, test_context(), &spec));
  assert_ok(GpuCumulation_prepare(
      &l, c, 2, dims, 1, 0, (void *[]){&in[0], &in[1], &in[2], &in[3], &s}));
  GpuCumulation_free(c);
  assert_ok(GpuLaunch_run(l));
  test_array_close(&in[2], want, 1e-4, 1e-4);
  test_array_equal(&in[3], counts);
  GpuLaunch_free(l);
  for (int k = 0; k < 4; k++)
    GpuArray_clear(&in[k]);
  free(a);
  free(b);
  free(want);
  free(counts);
}

static void all_recurrences(void) {
  for (int flags = 0; flags <= GE_VECTOR; flags += GE_VECTOR) {
    check_recurrence(flags, 3, 100);
    check_recurrence(flags, 1, 100001);
  }
}

static void test_expression(void **state) {
  (void)state;
  test_mappings(all_recurrences);
}

/* The result may be the operand. */
static void in_place(void) {
  const gpuelemwise_arg value = {"v", GA_FLOAT, GE_READ};
  const gpuelemwise_arg args[1] = {{"x", GA_FLOAT, GE_READ | GE_WRITE}};
  const GpuCumulationSpec spec = {.op = GA_CUMULATE_SUM,
                                  .n_values = 1,
                                  .values = &value,
                                  .n_args = 1,
                                  .args = args};
  const size_t n = 70000;
  float *x = malloc(n * sizeof *x), *want = malloc(n * sizeof *want);
  GpuCumulation *c;
  GpuLaunch *l;
  GpuArray a;

  for (size_t i = 0; i < n; i++) {
    x[i] = (float)(i % 3) - 1;
    want[i] = i > 0 ? want[i - 1] + x[i - 1] : 0;
  }
  test_array(&a, GA_FLOAT, 1, &n, x);
  assert_ok(GpuCumulation_new(&c, test_context(), &spec));
  assert_ok(GpuCumulation_prepare(&l, c, 1, &n, 0, GA_CUMULATE_EXCLUSIVE,
                                  (void *[]){&a}));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&a, want);
  GpuLaunch_free(l);
  GpuCumulation_free(c);
  GpuArray_clear(&a);
  free(x);
  free(want);
}

static void test_in_place(void **state) {
  (void)state;
  test_mappings(in_place);
}

/* --- what is refused --- */

static void refuse(const GpuCumulationSpec *spec, const char *why) {
  GpuCumulation *c;

  assert_code(GA_VALUE_ERROR, GpuCumulation_new(&c, test_context(), spec));
  assert_message(GA_VALUE_ERROR, why);
  assert_null(c);
}

static void test_descriptions(void **state) {
  const gpuelemwise_arg again[1] = {{"a", GA_FLOAT, GE_READ}};
  const gpuelemwise_arg operand[2] = {{"v", GA_FLOAT, GE_READ},
                                      {"v_b", GA_FLOAT, GE_READ}};
  GpuCumulationSpec s = recurrence(0);

  (void)state;
  s.n_values = 5;
  refuse(&s, "5 values to combine, expected 1 to 4");
  s = recurrence(0);
  s.combine = NULL;
  refuse(&s, "no expression that combines");
  s = recurrence(0);
  s.op = GA_CUMULATE_SUM;
  refuse(&s, "cumsum of 3 values, expected 1");
  s = recurrence(0);
  s.map = NULL;
  refuse(&s, "no map for 3 values of 5 arguments");
  s = recurrence(0);
  s.post = NULL;
  refuse(&s, "no post expression for 3 values");
  s = recurrence(0);
  s.n_args = 2;
  refuse(&s, "no argument of 2 is written");
  s = recurrence(0);
  s.op = (ga_cumulate_op)99;
  refuse(&s, "f: no operation has the number 99");
  s = recurrence(0);
  s.n_values = 2;
  s.values = operand;
  refuse(&s, "v and v_b: one is what the other has as an operand");
  s = recurrence(0);
  s.n_values = 1;
  s.values = again;
  refuse(&s, "a: two names are the same");
  s = recurrence(0);
  s.map = "\n#if 1\nf = a\n#endif\n";
  refuse(&s, "preprocessor lines");
}

static void test_refusals(void **state) {
  static const size_t n = 8;
  const gpuelemwise_arg value = {"v", GA_FLOAT, GE_READ};
  const gpuelemwise_arg args[2] = {{"x", GA_FLOAT, GE_READ},
                                   {"z", GA_FLOAT, GE_WRITE}};
  const GpuCumulationSpec spec = {.op = GA_CUMULATE_SUM,
                                  .n_values = 1,
                                  .values = &value,
                                  .n_args = 2,
                                  .args = args};
  float x[8] = {0};
  GpuArray a, b;
  GpuCumulation *c;
  GpuLaunch *l;

  (void)state;
  test_array(&a, GA_FLOAT, 1, &n, x);
  assert_code(GA_VALUE_ERROR,
              GpuArray_cumulate(&b, &a, GA_CUMULATE_SUM, 1, 0, -1));
  assert_message(GA_VALUE_ERROR, "axis 1 of an array of 1 dimensions");
  assert_code(GA_VALUE_ERROR,
              GpuArray_cumulate(&b, &a, (ga_cumulate_op)99, 0, 0, -1));
  assert_message(GA_VALUE_ERROR, "no operation has the number 99");
  assert_code(GA_VALUE_ERROR,
              GpuArray_cumulate(&b, &a, GA_CUMULATE_SUM, 0, 8, -1));
  assert_message(GA_VALUE_ERROR, "flags 0x8 are not known");
  memset(&b, 1, sizeof b);
  assert_code(GA_VALUE_ERROR,
              GpuArray_cumulate(&b, &a, GA_CUMULATE_EXPR, 0, 0, -1));
  assert_message(GA_VALUE_ERROR, "operation 0 needs a GpuCumulationSpec");
  assert_null(b.data);
  assert_ok(GpuCumulation_new(&c, test_context(), &spec));
  assert_ok(GpuArray_view(&b, &a));
  b.dimensions[0] = 4;
  b.offset += 8;
  a.dimensions[0] = 4;
  assert_code(GA_VALUE_ERROR, GpuCumulation_prepare(&l, c, 1, b.dimensions, 0,
                                                    0, (void *[]){&a, &b}));
  assert_message(GA_VALUE_ERROR, "overlap");
  assert_code(GA_VALUE_ERROR, GpuCumulation_prepare(&l, c, 1, b.dimensions, 3,
                                                    0, (void *[]){&a, &a}));
  assert_message(GA_VALUE_ERROR, "axis 3 of 1 dimensions");
  GpuCumulation_free(c);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flags),    cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_ops),      cmocka_unit_test(test_dtypes),
      cmocka_unit_test(test_results),  cmocka_unit_test(test_strides),
      cmocka_unit_test(test_parts),    cmocka_unit_test(test_chains),
      cmocka_unit_test(test_large),    cmocka_unit_test(test_complex),
      cmocka_unit_test(test_nan),      cmocka_unit_test(test_expression),
      cmocka_unit_test(test_in_place), cmocka_unit_test(test_descriptions),
      cmocka_unit_test(test_refusals)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
