/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions of complex numbers against sums in double on the host: over all
 * combinations of axes, any strides, with expressions; what has no meaning is
 * refused. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"

#include <gpuarray/reduction.h>

typedef double complex number;

static int part_of(int typecode) {
  return typecode == GA_CDOUBLE  ? GA_DOUBLE
         : typecode == GA_CFLOAT ? GA_FLOAT
                                 : typecode;
}

static int is_complex(int typecode) {
  return part_of(typecode) != typecode;
}

/* Element i of host data in `typecode`. */
static number get(const void *p, int typecode, size_t i) {
  if (!is_complex(typecode))
    return test_get(p, typecode, i);
  return test_get(p, part_of(typecode), 2 * i) +
         test_get(p, part_of(typecode), 2 * i + 1) * I;
}

/* --- reference --- */

enum { ND = 3, MOST = 1 << 17 };

typedef struct space {
  size_t dims[ND];
  ssize_t strides[ND];  /* of the array, in numbers */
  unsigned int reduced; /* bits */
} space;

/* The result that element (i, j, k) of the space belongs to, in C order. */
static size_t result_of(const space *s, const size_t *at) {
  size_t r = 0;

  for (unsigned int d = 0; d < ND; d++) {
    if (!(s->reduced >> d & 1))
      r = r * s->dims[d] + at[d];
  }
  return r;
}

static number start_of(ga_reduce_op op) {
  return op == GA_REDUCE_PROD || op == GA_REDUCE_ALL ? 1 : 0;
}

static number add(ga_reduce_op op, number acc, number v, number mean) {
  switch (op) {
  case GA_REDUCE_PROD:
    return acc * v;
  case GA_REDUCE_ANY:
    return acc != 0 || v != 0;
  case GA_REDUCE_ALL:
    return acc != 0 && v != 0;
  case GA_REDUCE_NORM1:
    return acc + cabs(v);
  case GA_REDUCE_NORM2:
    return acc + creal(v * conj(v));
  case GA_REDUCE_VAR:
    return acc + creal((v - mean) * conj(v - mean));
  default:
    return acc + v;
  }
}

/* All results of one pass over the data; `means` is for VAR. */
static void pass(const space *s, ga_reduce_op op, const number *data,
                 number *out, size_t n_out, const number *means) {
  size_t at[ND], i = 0;

  for (size_t r = 0; r < n_out; r++)
    out[r] = start_of(op);
  for (at[0] = 0; at[0] < s->dims[0]; at[0]++)
    for (at[1] = 0; at[1] < s->dims[1]; at[1]++)
      for (at[2] = 0; at[2] < s->dims[2]; at[2]++) {
        const size_t r = result_of(s, at);

        out[r] = add(op, out[r], data[i++], means != NULL ? means[r] : 0);
      }
}

static void reference(const space *s, ga_reduce_op op, const number *data,
                      number *out, size_t n_out, size_t n_red) {
  number *means = malloc((n_out + 1) * sizeof *means);

  assert_non_null(means);
  pass(s, GA_REDUCE_SUM, data, means, n_out, NULL);
  for (size_t r = 0; r < n_out; r++)
    means[r] /= (double)n_red;
  pass(s, op == GA_REDUCE_MEAN ? GA_REDUCE_SUM : op, data, out, n_out, means);
  for (size_t r = 0; r < n_out; r++) {
    if (op == GA_REDUCE_MEAN || op == GA_REDUCE_VAR)
      out[r] /= (double)n_red;
    if (op == GA_REDUCE_NORM2)
      out[r] = sqrt(creal(out[r]));
  }
  free(means);
}

/* --- one case --- */

/* Near 1 in magnitude, so that products stay numbers; some are 0. */
static void fill(void *p, int typecode, size_t n, int zeros) {
  uint32_t state = 7;

  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    number v = cexp((double)(state >> 8) / (1 << 20) * I) * 1.0009765625;
    if (zeros && state >> 30 == 0)
      v = 0;
    test_set(p, part_of(typecode), 2 * i, creal(v));
    test_set(p, part_of(typecode), 2 * i + 1, cimag(v));
  }
}

static void expect(const GpuArray *a, const number *want, size_t n,
                   double tolerance) {
  void *got = malloc((n + 1) * 16);

  assert_non_null(got);
  test_gather(a, got);
  for (size_t i = 0; i < n; i++) {
    const number v = get(got, a->typecode, i);
    const double scale = 1 + cabs(want[i]);

    if (!(cabs(v - want[i]) <= tolerance * scale) &&
        !(isnan(creal(v)) && isnan(creal(want[i]))))
      fail_msg("result %zu: got %g%+gi, expected %g%+gi", i, creal(v), cimag(v),
               creal(want[i]), cimag(want[i]));
  }
  free(got);
}

static void check(const space *s, ga_reduce_op op, int typecode, int restype) {
  static number data[MOST], want[MOST];
  const size_t n = s->dims[0] * s->dims[1] * s->dims[2];
  size_t n_out = 1;
  unsigned int axes[ND], naxes = 0;
  void *raw = malloc((n + 1) * 16);
  GpuArray src, dst;

  assert_non_null(raw);
  assert_true(n <= MOST);
  fill(raw, typecode, n, op == GA_REDUCE_ANY || op == GA_REDUCE_ALL);
  for (size_t i = 0; i < n; i++)
    data[i] = get(raw, typecode, i);
  for (unsigned int d = 0; d < ND; d++) {
    if (s->reduced >> d & 1)
      axes[naxes++] = d;
    else
      n_out *= s->dims[d];
  }
  test_array_strided(&src, typecode, ND, s->dims, s->strides, raw);
  assert_ok(GpuArray_reduction(&dst, &src, op, naxes, naxes > 0 ? axes : NULL,
                               0, -1, -1));
  assert_int_equal(dst.typecode, restype);
  assert_int_equal(dst.nd, ND - naxes);
  reference(s, op, data, want, n_out, n_out > 0 ? n / n_out : 0);
  expect(&dst, want, n_out,
         (part_of(typecode) == GA_FLOAT ? 2e-6 : 4e-15) *
             (op == GA_REDUCE_PROD ? (double)(n / (n_out + !n_out) + 4) : 8));
  GpuArray_clear(&dst);
  GpuArray_clear(&src);
  free(raw);
}

static const struct {
  ga_reduce_op op;
  int complex_result, is_bool;
} ops[] = {
    {GA_REDUCE_SUM, 1, 0},   {GA_REDUCE_PROD, 1, 0},  {GA_REDUCE_MEAN, 1, 0},
    {GA_REDUCE_ANY, 0, 1},   {GA_REDUCE_ALL, 0, 1},   {GA_REDUCE_VAR, 0, 0},
    {GA_REDUCE_NORM1, 0, 0}, {GA_REDUCE_NORM2, 0, 0},
};
enum { N_OPS = sizeof ops / sizeof ops[0] };

static const space spaces[] = {
    {{5, 7, 9}, {63, 9, 1}, 0},
    {{4, 33, 6}, {1, 4, 132}, 0},
    {{3, 50, 2}, {200, -4, 2}, 0},
    {{40, 1, 37}, {74, 1, 2}, 0},
};
enum { N_SPACES = sizeof spaces / sizeof spaces[0] };

/* Sums over all combinations of axes. Each layout is a program: few spaces
 * where time is short. */
static void check_axes(int typecode, size_t n_spaces) {
  for (size_t i = 0; i < n_spaces; i++)
    for (unsigned int reduced = 1; reduced < 8; reduced++) {
      space s = spaces[i];

      s.reduced = reduced;
      check(&s, GA_REDUCE_SUM, typecode, typecode);
    }
}

/* Every operation, along the inner axis and across it. */
static void check_ops(int typecode) {
  for (size_t k = 0; k < N_OPS; k++)
    for (unsigned int reduced = 3; reduced < 5; reduced++) {
      space s = spaces[0];

      s.reduced = reduced;
      check(&s, ops[k].op, typecode,
            ops[k].is_bool          ? GA_BOOL
            : ops[k].complex_result ? typecode
                                    : part_of(typecode));
    }
}

static void test_axes(void **state) {
  (void)state;
  check_axes(GA_CFLOAT, N_SPACES);
  check_ops(GA_CFLOAT);
}

static void test_double(void **state) {
  (void)state;
  test_need_double();
  check_axes(GA_CDOUBLE, 1);
  check_ops(GA_CDOUBLE);
}

static void as_mapped(void) {
  check_axes(GA_CFLOAT, 2);
}

static void test_both_mappings(void **state) {
  (void)state;
  test_mappings(as_mapped);
}

/* Long enough to be cut into parts, and not the worse for it. */
static void test_long(void **state) {
  const space all = {{1, 3, 43000}, {1, 43000, 1}, 7};
  const space rows = {{1, 2, 60000}, {1, 60000, 1}, 4};
  const space cols = {{1, 60000, 2}, {1, 2, 1}, 2};

  (void)state;
  check(&all, GA_REDUCE_SUM, GA_CFLOAT, GA_CFLOAT);
  check(&rows, GA_REDUCE_SUM, GA_CFLOAT, GA_CFLOAT);
  check(&cols, GA_REDUCE_SUM, GA_CFLOAT, GA_CFLOAT);
  check(&cols, GA_REDUCE_NORM2, GA_CFLOAT, GA_FLOAT);
}

/* Of nothing, and nothing of it. */
static void test_empty(void **state) {
  const space none = {{4, 0, 5}, {1, 1, 1}, 2};
  const space no_results = {{4, 0, 5}, {1, 1, 1}, 4};

  (void)state;
  check(&none, GA_REDUCE_SUM, GA_CFLOAT, GA_CFLOAT);
  check(&none, GA_REDUCE_PROD, GA_CFLOAT, GA_CFLOAT);
  check(&none, GA_REDUCE_ALL, GA_CFLOAT, GA_BOOL);
  check(&none, GA_REDUCE_MEAN, GA_CFLOAT, GA_CFLOAT);
  check(&no_results, GA_REDUCE_SUM, GA_CFLOAT, GA_CFLOAT);
}

static void test_infinities(void **state) {
  const float data[4] = {INFINITY, 1, 2, -INFINITY};
  const size_t n = 2;
  float got[2];
  GpuArray a, sum;

  (void)state;
  test_array(&a, GA_CFLOAT, 1, &n, data);
  assert_ok(GpuArray_reduction(&sum, &a, GA_REDUCE_SUM, 0, NULL, 0, -1, -1));
  test_gather(&sum, got);
  assert_true(isinf(got[0]) && got[0] > 0);
  assert_true(isinf(got[1]) && got[1] < 0);
  GpuArray_clear(&sum);
  GpuArray_clear(&a);
}

/* --- dtypes --- */

static void test_wider(void **state) {
  const float data[6] = {1, 2, 3, 4, 5, -6};
  const size_t n = 3;
  const number want = 9;
  GpuArray a, r, sum;

  (void)state;
  test_need_double();
  test_array(&a, GA_CFLOAT, 1, &n, data);
  assert_ok(GpuArray_reduction(&sum, &a, GA_REDUCE_SUM, 0, NULL, 0, GA_CDOUBLE,
                               GA_CDOUBLE));
  expect(&sum, &want, 1, 0);
  GpuArray_clear(&sum);
  GpuArray_clear(&a);

  test_array(&r, GA_FLOAT, 1, &n, data);
  assert_ok(GpuArray_reduction(&sum, &r, GA_REDUCE_MEAN, 0, NULL, 0, GA_CFLOAT,
                               GA_CFLOAT));
  expect(&sum, &(number){2}, 1, 1e-6);
  GpuArray_clear(&sum);
  assert_ok(GpuArray_reduction(&sum, &r, GA_REDUCE_SUM, 0, NULL, 0, GA_CFLOAT,
                               GA_CFLOAT));
  expect(&sum, &(number){6}, 1, 1e-6);
  GpuArray_clear(&sum);
  GpuArray_clear(&r);
}

static void refuse(const GpuArray *a, ga_reduce_op op, int acc, int restype,
                   int code, const char *message) {
  GpuArray dst;

  assert_code(code, GpuArray_reduction(&dst, a, op, 0, NULL, 0, acc, restype));
  assert_message(code, message);
  assert_null(dst.data);
}

static void test_refusals(void **state) {
  const float data[2] = {1, 2};
  const size_t n = 1;
  GpuArray a;

  (void)state;
  test_array(&a, GA_CFLOAT, 1, &n, data);
  refuse(&a, GA_REDUCE_MAX, -1, -1, GA_UNSUPPORTED_ERROR,
         "max in complex64, expected what has an order");
  refuse(&a, GA_REDUCE_MIN, -1, -1, GA_UNSUPPORTED_ERROR, "min in complex64");
  refuse(&a, GA_REDUCE_ARGMAX, -1, -1, GA_UNSUPPORTED_ERROR,
         "argmax in complex64");
  refuse(&a, GA_REDUCE_ARGMIN, -1, -1, GA_UNSUPPORTED_ERROR,
         "argmin in complex64");
  refuse(&a, GA_REDUCE_XOR, -1, -1, GA_VALUE_ERROR, "xor in complex64");
  refuse(&a, GA_REDUCE_SUM, GA_FLOAT, -1, GA_VALUE_ERROR,
         "complex64 would lose imaginary parts in float32");
  refuse(&a, GA_REDUCE_SUM, -1, GA_FLOAT, GA_VALUE_ERROR,
         "complex64 would lose imaginary parts in float32");
  refuse(&a, GA_REDUCE_MEAN, GA_FLOAT, -1, GA_VALUE_ERROR,
         "mean of complex64 in float32");
  refuse(&a, GA_REDUCE_MEAN, -1, GA_FLOAT, GA_VALUE_ERROR,
         "mean of complex64, result in float32");
  refuse(&a, GA_REDUCE_NORM2, GA_CFLOAT, -1, GA_VALUE_ERROR,
         "norms and variances in complex64");
  refuse(&a, GA_REDUCE_VAR, -1, GA_CFLOAT, GA_VALUE_ERROR,
         "in float32, result in complex64");
  GpuArray_clear(&a);
}

/* --- expressions --- */

/* The sum of conj(x) * y * s, and beside it its magnitude. */
static void test_expressions(void **state) {
  const float x[4] = {1, 2, 3, -1}, y[4] = {0.5f, 1, -2, 4};
  const float s[2] = {0, 2};
  const size_t n = 2, out_dims[1] = {1};
  const gpuelemwise_arg in[3] = {{"x", GA_CFLOAT, GE_READ},
                                 {"y", GA_CFLOAT, GE_READ},
                                 {"s", GA_CFLOAT, GE_READ | GE_SCALAR}};
  const gpuelemwise_arg outs[2] = {{"z", GA_CFLOAT, GE_WRITE},
                                   {"size", GA_FLOAT, GE_WRITE}};
  const GpuReductionSpec spec = {
      .op = GA_REDUCE_SUM,
      .acc = GA_CFLOAT,
      .map = "v = ga_cfloat_mul(ga_cfloat_mul(ga_cfloat_conj(x), y), s)",
      .post = "z = acc; size = ga_cfloat_abs(acc)",
      .n_in = 3,
      .in = in,
      .n_post = 2,
      .post_args = outs};
  const unsigned char reduced[1] = {1};
  number want = 0;
  GpuReduction *r;
  GpuLaunch *l;
  GpuArray a, b, z, size;

  (void)state;
  for (size_t i = 0; i < n; i++)
    want += conj(get(x, GA_CFLOAT, i)) * get(y, GA_CFLOAT, i) *
            get(s, GA_CFLOAT, 0);
  test_array(&a, GA_CFLOAT, 1, &n, x);
  test_array(&b, GA_CFLOAT, 1, &n, y);
  assert_ok(
      GpuArray_empty(&z, test_context(), GA_CFLOAT, 1, out_dims, GA_C_ORDER));
  assert_ok(
      GpuArray_empty(&size, test_context(), GA_FLOAT, 1, out_dims, GA_C_ORDER));
  assert_ok(GpuReduction_new(&r, test_context(), &spec));
  assert_ok(GpuReduction_prepare(&l, r, 1, &n, reduced,
                                 (void *[]){&a, &b, (void *)s},
                                 (void *[]){&z, &size}));
  assert_ok(GpuLaunch_run(l));
  expect(&z, &want, 1, 1e-6);
  expect(&size, &(number){cabs(want)}, 1, 1e-6);
  GpuLaunch_free(l);
  GpuReduction_free(r);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&z);
  GpuArray_clear(&size);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_axes),          cmocka_unit_test(test_double),
      cmocka_unit_test(test_both_mappings), cmocka_unit_test(test_long),
      cmocka_unit_test(test_empty),         cmocka_unit_test(test_infinities),
      cmocka_unit_test(test_wider),         cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_expressions),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
