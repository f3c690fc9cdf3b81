/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise expressions against a plain loop on the host. */
#include "support/operand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>
#include <gpuarray/profile.h>
#include <gpuarray/util.h>

#include "base/alloc.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static int is_supported(int typecode) {
  return (typecode != GA_DOUBLE && typecode != GA_CDOUBLE) ||
         gpucontext_caps(test_context())->fp64;
}

/* --- values --- */

static void every_dtype(size_t n, const int *types, int flags) {
  static const size_t sizes[] = {0, 1, 7, 16, 17, 1000, 5003};
  static const layout plain[] = {LAYOUT_C, LAYOUT_C, LAYOUT_C};

  for (size_t t = 0; t < n; t++) {
    if (!is_supported(types[t]))
      continue;
    GpuElemwise *ge = elemwise_make_case(types[t], flags);
    for (size_t i = 0; i < COUNT(sizes); i++)
      elemwise_check_case(ge, types[t], 1, &sizes[i], plain, 0);
    GpuElemwise_free(ge);
  }
}

/* Between the two, every dtype in one form of text and every size in both. */
static void test_dtypes_scalar(void **state) {
  static const int types[] = {GA_BYTE,  GA_USHORT, GA_INT,   GA_UINT,
                              GA_ULONG, GA_FLOAT,  GA_DOUBLE};

  (void)state;
  every_dtype(COUNT(types), types, 0);
}

static void test_dtypes_vector(void **state) {
  static const int types[] = {GA_UBYTE, GA_SHORT, GA_LONG, GA_HALF, GA_BFLOAT};

  (void)state;
  every_dtype(COUNT(types), types, GE_VECTOR);
}

typedef struct shape {
  unsigned int nd;
  size_t dims[OPERAND_ND];
} shape;

/* Rows long and short, odd and even; no elements; large enough for several
 * work-items. */
static const shape shapes[] = {
    {0, {0}},           {1, {0}},
    {1, {6000}},        {2, {3, 5}},
    {2, {40, 129}},     {2, {700, 10}},
    {2, {1, 70}},       {2, {70, 1}},
    {2, {300, 260}},    {3, {5, 0, 2}},
    {3, {20, 17, 66}},  {3, {4, 100, 3}},
    {4, {3, 4, 5, 70}}, {5, {2, 3, 2, 3, 9}},
};

static const layout mixes[][3] = {
    {LAYOUT_C, LAYOUT_C, LAYOUT_ROW},
    {LAYOUT_C, LAYOUT_COLUMN, LAYOUT_C},
    {LAYOUT_C, LAYOUT_C, LAYOUT_F},
    {LAYOUT_REVERSED, LAYOUT_C, LAYOUT_REVERSED},
    {LAYOUT_F, LAYOUT_ONE, LAYOUT_F},
    {LAYOUT_GAPS, LAYOUT_F, LAYOUT_ROW},
    {LAYOUT_C, LAYOUT_GAPS, LAYOUT_COLUMN},
    {LAYOUT_ROTATED, LAYOUT_COLUMN, LAYOUT_F},
};

static void every_layout(int typecode, int flags, int call_flags) {
  GpuElemwise *ge = elemwise_make_case(typecode, flags);

  for (size_t i = 0; i < COUNT(shapes); i++) {
    for (size_t m = 0; m < COUNT(mixes); m++)
      elemwise_check_case(ge, typecode, shapes[i].nd, shapes[i].dims, mixes[m],
                          GE_BROADCAST | call_flags);
  }
  GpuElemwise_free(ge);
}

/* A few cases for each way to lay out a kernel. */
static void some_layouts(int typecode, int flags, int call_flags) {
  static const shape few[] = {{2, {700, 10}}, {3, {20, 17, 66}}};
  GpuElemwise *ge = elemwise_make_case(typecode, flags);

  for (size_t i = 0; i < COUNT(few); i++) {
    for (size_t m = 0; m < 7; m += 2)
      elemwise_check_case(ge, typecode, few[i].nd, few[i].dims, mixes[m],
                          GE_BROADCAST | call_flags);
  }
  GpuElemwise_free(ge);
}

static void test_layouts(void **state) {
  (void)state;
  every_layout(GA_FLOAT, GE_VECTOR, 0);
}

static void test_layouts_of_dtypes(void **state) {
  (void)state;
  some_layouts(GA_INT, 0, 0);
  some_layouts(GA_HALF, GE_VECTOR, 0);
  some_layouts(GA_BFLOAT, GE_VECTOR, 0);
}

static void test_layouts_not_merged(void **state) {
  (void)state;
  some_layouts(GA_FLOAT, GE_VECTOR, GE_NOCOLLAPSE);
}

/* Clients of libgpuarray pass these; the first promises what is not needed
 * here, halfs are floats in any case. */
static void test_flags_of_clients(void **state) {
  const ga_half_t in[2] = {ga_float2half(1.5f), ga_float2half(-3)};
  gpuelemwise_arg args[] = {{"c", GA_HALF, GE_WRITE}, {"a", GA_HALF, GE_READ}};
  GpuElemwise *ge = GpuElemwise_new(test_context(), NULL, "c = a * a", 2, args,
                                    1, GE_NOADDR64 | GE_CONVERT_F16);
  const size_t n = 2;
  ga_half_t got[2];
  GpuArray a, c;

  (void)state;
  assert_non_null(ge);
  test_array(&a, GA_HALF, 1, &n, in);
  test_array(&c, GA_HALF, 1, &n, in);
  assert_ok(GpuElemwise_call(ge, (void *[]){&c, &a}, 0));
  test_gather(&c, got);
  assert_true(ga_half2float(got[0]) == 2.25f && ga_half2float(got[1]) == 9);
  GpuElemwise_free(ge);
  GpuArray_clear(&a);
  GpuArray_clear(&c);
}

/* Results larger than a cache, at an offset that no vector likes. */
static void test_large_results(void **state) {
  gpuelemwise_arg args[] = {{"c", GA_INT, GE_WRITE}, {"a", GA_INT, GE_READ}};
  GpuElemwise *ge;
  size_t n = 9000001, rest = n - 1;
  int *host;
  ssize_t start = 1, stop = (ssize_t)n, step = 1;
  GpuArray a, c, tail, tail_c;
  void *values[] = {&c, &a}, *tails[] = {&tail_c, &tail};

  (void)state;
  test_need_buffer(n * sizeof(int));
  ge = elemwise_make("c = a + a", 2, args, GE_VECTOR);
  host = malloc(n * sizeof *host);
  for (size_t i = 0; i < n; i++)
    host[i] = (int)i;
  test_array(&a, GA_INT, 1, &n, host);
  assert_ok(GpuArray_zeros(&c, test_context(), GA_INT, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_index(&tail, &a, &start, &stop, &step));
  assert_ok(GpuArray_index(&tail_c, &c, &start, &stop, &step));
  for (int k = 0; k < 2; k++) {
    assert_ok(GpuElemwise_call(ge, k ? tails : values, 0));
    assert_ok(GpuArray_read(host, n * sizeof *host, &c));
    for (size_t i = n - rest * (size_t)k; i < n; i++)
      assert_int_equal(host[i], 2 * (int)i);
    assert_ok(GpuArray_memset(&c, 0));
  }
  GpuArray_clear(&tail_c);
  GpuArray_clear(&tail);
  GpuArray_clear(&c);
  GpuArray_clear(&a);
  free(host);
  GpuElemwise_free(ge);
}

/* --- truth values --- */

/* Vector text and scalar text agree on what is true. */
static void check_bools(const char *text, int flags, int typecode) {
  gpuelemwise_arg args[] = {{"t", GA_BOOL, GE_WRITE},
                            {"c", typecode, GE_WRITE},
                            {"a", typecode, GE_READ},
                            {"b", GA_BOOL, GE_READ},
                            {"f", GA_BOOL, GE_READ | GE_SCALAR}};
  GpuElemwise *ge = elemwise_make(text, 5, args, flags);
  size_t dims[2] = {30, 37};
  unsigned char f = 1;
  operand t, c, a, b;
  void *values[] = {&t.a, &c.a, &a.a, &b.a, &f};
  double want_t[30 * 37], want_c[30 * 37];

  operand_make(&t, GA_BOOL, LAYOUT_C, 2, dims, 0, 2, 1);
  operand_make(&c, typecode, LAYOUT_C, 2, dims, 0, 2, 1);
  operand_make(&a, typecode, LAYOUT_C, 2, dims, 0, 4, 2);
  operand_make(&b, GA_BOOL, LAYOUT_F, 2, dims, 0, 2, 3);
  for (size_t i = 0; i < 30 * 37; i++) {
    want_t[i] = a.host[i] > 1 && b.host[i] != 0;
    want_c[i] = b.host[i] != 0 ? a.host[i] : 2;
  }
  assert_ok(GpuElemwise_call(ge, values, 0));
  operand_check(&t, want_t, text);
  operand_check(&c, want_c, text);
  operand_clear(&t);
  operand_clear(&c);
  operand_clear(&a);
  operand_clear(&b);
  GpuElemwise_free(ge);
}

static void test_bools(void **state) {
  (void)state;
  for (int flags = 0; flags <= GE_VECTOR; flags += GE_VECTOR) {
    check_bools("w_bool m = (a > (w_float)(1)) & b; t = m & f;"
                " c = b ? a : w_from_bool_float(f) + w_from_bool_float(f)",
                flags, GA_FLOAT);
    check_bools("w_bool m = !(a <= (w_short)(1)) & w_to_bool(b); t = m;"
                " c = (b ^ !f) ? a : w_from_bool_short(f) * (w_short)(2)",
                flags, GA_SHORT);
  }
  check_bools("t = a > 1 && b; c = b ? a : f + f", 0, GA_LONG);
}

/* --- types that meet --- */

static void test_mixed_types(void **state) {
  gpuelemwise_arg args[] = {{"c", GA_FLOAT, GE_WRITE},
                            {"a", GA_UBYTE, GE_READ},
                            {"b", GA_SHORT, GE_READ}};
  const char *text = "c = w_to_float(a) / (w_float)(4) - w_to_float(b)";
  size_t dims[2] = {40, 50};

  (void)state;
  for (int flags = 0; flags <= GE_VECTOR; flags += GE_VECTOR) {
    GpuElemwise *ge = elemwise_make(text, 3, args, flags);
    operand c, a, b;
    void *values[] = {&c.a, &a.a, &b.a};
    double want[2000];

    operand_make(&c, GA_FLOAT, LAYOUT_C, 2, dims, 0, 2, 1);
    operand_make(&a, GA_UBYTE, LAYOUT_C, 2, dims, 0, 256, 2);
    operand_make(&b, GA_SHORT, LAYOUT_F, 2, dims, -900, 900, 3);
    for (size_t i = 0; i < 2000; i++)
      want[i] = a.host[i] / 4 - b.host[i];
    assert_ok(GpuElemwise_call(ge, values, 0));
    operand_check(&c, want, text);
    operand_clear(&c);
    operand_clear(&a);
    operand_clear(&b);
    GpuElemwise_free(ge);
  }
}

static void test_half_rounds_to_even(void **state) {
  const float in[] = {1.f + 1.f / 2048,
                      1.f + 3.f / 2048,
                      65519.f,
                      65520.f,
                      6e-8f,
                      -0.f,
                      INFINITY,
                      NAN};
  const uint16_t want[] = {0x3c00, 0x3c02, 0x7bff, 0x7c00,
                           0x0001, 0x8000, 0x7c00, 0};
  gpuelemwise_arg args[] = {{"h", GA_HALF, GE_WRITE}, {"x", GA_FLOAT, GE_READ}};
  size_t n = COUNT(in);
  uint16_t got[COUNT(in)];

  (void)state;
  for (int flags = 0; flags <= GE_VECTOR; flags += GE_VECTOR) {
    GpuElemwise *ge = elemwise_make("h = x", 2, args, flags);
    GpuArray h, x;
    void *values[] = {&h, &x};

    test_array(&x, GA_FLOAT, 1, &n, in);
    assert_ok(GpuArray_empty(&h, test_context(), GA_HALF, 1, &n, GA_C_ORDER));
    assert_ok(GpuElemwise_call(ge, values, 0));
    assert_ok(GpuArray_read(got, sizeof got, &h));
    assert_memory_equal(got, want, sizeof got - sizeof got[0]);
    assert_true((got[n - 1] & 0x7c00) == 0x7c00 && (got[n - 1] & 0x3ff) != 0);
    GpuArray_clear(&h);
    GpuArray_clear(&x);
    GpuElemwise_free(ge);
  }
}

static void test_complex(void **state) {
  gpuelemwise_arg args[] = {{"c", GA_CFLOAT, GE_WRITE},
                            {"a", GA_CFLOAT, GE_READ},
                            {"s", GA_CFLOAT, GE_READ | GE_SCALAR}};
  GpuElemwise *ge = elemwise_make("c = ga_cfloat_mul(a, s)", 3, args, 0);
  size_t n = 100;
  float in[200], got[200], s[2] = {2, -3};
  GpuArray c, a;
  void *values[] = {&c, &a, s};

  (void)state;
  for (int i = 0; i < 200; i++)
    in[i] = (float)i;
  test_array(&a, GA_CFLOAT, 1, &n, in);
  assert_ok(GpuArray_empty(&c, test_context(), GA_CFLOAT, 1, &n, GA_C_ORDER));
  assert_ok(GpuElemwise_call(ge, values, 0));
  assert_ok(GpuArray_read(got, sizeof got, &c));
  for (int i = 0; i < 200; i += 2) {
    assert_true(got[i] == in[i] * 2 + in[i + 1] * 3);
    assert_true(got[i + 1] == in[i + 1] * 2 - in[i] * 3);
  }
  GpuArray_clear(&c);
  GpuArray_clear(&a);
  GpuElemwise_free(ge);
}

/* --- uses --- */

static void test_outputs_and_in_place(void **state) {
  gpuelemwise_arg args[] = {{"p", GA_FLOAT, GE_WRITE},
                            {"q", GA_FLOAT, GE_READ | GE_WRITE},
                            {"r", GA_INT, GE_WRITE},
                            {"x", GA_FLOAT, GE_READ}};
  const char *text = "p = x + q; r = w_to_int(x); q = q * q";
  size_t dims[2] = {50, 41};

  (void)state;
  for (int flags = 0; flags <= GE_VECTOR; flags += GE_VECTOR) {
    GpuElemwise *ge = elemwise_make(text, 4, args, flags);
    operand p, q, r, x;
    void *values[] = {&p.a, &q.a, &r.a, &x.a};
    double want[3][50 * 41];

    operand_make(&p, GA_FLOAT, LAYOUT_C, 2, dims, 0, 9, 1);
    operand_make(&q, GA_FLOAT, LAYOUT_C, 2, dims, 0, 9, 2);
    operand_make(&r, GA_INT, LAYOUT_F, 2, dims, 0, 9, 3);
    operand_make(&x, GA_FLOAT, LAYOUT_C, 2, dims, -9, 9, 4);
    for (size_t i = 0; i < 50 * 41; i++) {
      want[0][i] = x.host[i] + q.host[i];
      want[1][i] = q.host[i] * q.host[i];
      want[2][i] = x.host[i];
    }
    assert_ok(GpuElemwise_call(ge, values, 0));
    operand_check(&p, want[0], text);
    operand_check(&q, want[1], text);
    operand_check(&r, want[2], text);
    for (size_t i = 0; i < 50 * 41; i++)
      want[2][i] += want[1][i];
    values[0] = &x.a; /* x = x + q */
    assert_ok(GpuElemwise_call(ge, values, 0));
    operand_check(&x, want[2], "in place");
    operand_clear(&p);
    operand_clear(&q);
    operand_clear(&r);
    operand_clear(&x);
    GpuElemwise_free(ge);
  }
}

/* Whatever the device is, both mappings must be right on it. */
static void test_on_other_class(void **state) {
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const gpudevice_caps before = *caps;

  caps->is_cpu = !caps->is_cpu;
  caps->local_memory = 1;
  caps->vector_float = 8;
  some_layouts(GA_FLOAT, GE_VECTOR, 0);
  some_layouts(GA_HALF, 0, 0);
  test_bools(state);
  test_mixed_types(state);
  test_outputs_and_in_place(state);
  *caps = before;
}

static void test_text_as_written(void **state) {
  gpuelemwise_arg args[] = {{"l", GA_FLOAT, GE_WRITE},
                            {"s", GA_FLOAT, GE_READ}};
  const char *preamble = "WITHIN_KERNEL ga_float twice(ga_float v) {\n"
                         "  return 2 * v; // doubles\n}\n";
  const char *text = "/* a comment */ l = (ga_float)s; // another\n"
                     "l = twice(l)";
  GpuElemwise *ge =
      GpuElemwise_new(test_context(), preamble, text, 2, args, 3, 0);
  size_t n = 20;
  operand l, s;
  void *values[] = {&l.a, &s.a};
  double want[20];

  (void)state;
  assert_non_null(ge);
  operand_make(&l, GA_FLOAT, LAYOUT_C, 1, &n, 0, 9, 1);
  operand_make(&s, GA_FLOAT, LAYOUT_C, 1, &n, 0, 9, 2);
  for (size_t i = 0; i < n; i++)
    want[i] = 2 * s.host[i];
  assert_ok(GpuElemwise_call(ge, values, 0));
  operand_check(&l, want, text);
  operand_clear(&l);
  operand_clear(&s);
  GpuElemwise_free(ge);
}

/* Each of 16 neighbours is one of these once, beside ordinary numbers. */
enum { SPECIALS = 5, NEIGHBOURS = 16, TRIED = SPECIALS * 256 };

static void fill_neighbours(double *x, double first) {
  static const double specials[SPECIALS] = {0, INFINITY, NAN, 1e-310, 1e8};

  for (int i = 0; i < TRIED; i++)
    x[i] = i % NEIGHBOURS == i / NEIGHBOURS % NEIGHBOURS
               ? specials[i / 256]
               : first * (1 + i % NEIGHBOURS);
}

/* y = f(x, p) in doubles is what the host computes. */
static void check_pairs(const char *text, double (*f)(double, double),
                        const double *x, const double *p) {
  gpuelemwise_arg args[] = {{"y", GA_DOUBLE, GE_WRITE},
                            {"x", GA_DOUBLE, GE_READ},
                            {"p", GA_DOUBLE, GE_READ}};
  static double want[TRIED];
  const size_t n = TRIED;
  GpuArray ax, ap, ay;
  void *values[] = {&ay, &ax, &ap};
  GpuElemwise *ge = elemwise_make(text, 3, args, 0);

  for (int i = 0; i < TRIED; i++)
    want[i] = f(x[i], p[i]);
  test_array(&ax, GA_DOUBLE, 1, &n, x);
  test_array(&ap, GA_DOUBLE, 1, &n, p);
  test_array(&ay, GA_DOUBLE, 1, &n, x);
  assert_ok(GpuElemwise_call(ge, values, 0));
  test_array_close(&ay, want, 1e-13, 0);
  GpuArray_clear(&ax);
  GpuArray_clear(&ap);
  GpuArray_clear(&ay);
  GpuElemwise_free(ge);
}

static void test_powers_beside_special_numbers(void **state) {
  static double x[TRIED], p[TRIED];

  (void)state;
  test_need_double();
  fill_neighbours(x, 1.37);
  for (int i = 0; i < TRIED; i++)
    p[i] = i % 2 == 0 ? 2.5 : 1;
  check_pairs("y = pow(x, p)", pow, x, p);
}

static void test_remainders_of_small_numbers(void **state) {
  static double x[TRIED], p[TRIED];

  (void)state;
  test_need_double();
  for (int i = 0; i < TRIED; i++) {
    x[i] = (double)(i * 37 % 101) - 50;
    p[i] = (double)(i * 13 % 9) - 4;
    p[i] = p[i] == 0 ? 2 : p[i];
  }
  check_pairs("y = fmod(x, p)", fmod, x, p);
  check_pairs("y = remainder(x, p)", remainder, x, p);
}

static void test_angles_beside_special_numbers(void **state) {
  gpuelemwise_arg args[] = {{"s", GA_FLOAT, GE_WRITE},
                            {"c", GA_FLOAT, GE_WRITE},
                            {"t", GA_FLOAT, GE_WRITE},
                            {"x", GA_FLOAT, GE_READ}};
  GpuElemwise *ge =
      elemwise_make("s = sin(x); c = cos(x); t = tan(x)", 4, args, 0);
  static double (*const functions[3])(double) = {sin, cos, tan};
  static double wide[TRIED];
  static float x[TRIED], want[TRIED];
  const size_t n = TRIED;
  GpuArray a[4];
  void *values[] = {&a[0], &a[1], &a[2], &a[3]};

  (void)state;
  fill_neighbours(wide, -0.0011);
  for (int i = 0; i < TRIED; i++)
    x[i] = (float)wide[i];
  for (int k = 0; k < 4; k++)
    test_array(&a[k], GA_FLOAT, 1, &n, x);
  assert_ok(GpuElemwise_call(ge, values, 0));
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < TRIED && k < 3; i++)
      want[i] = (float)functions[k](x[i]);
    if (k < 3)
      test_array_close(&a[k], want, 1e-6, 0);
    GpuArray_clear(&a[k]);
  }
  GpuElemwise_free(ge);
}

static void test_padded_shapes(void **state) {
  GpuElemwise *ge = elemwise_make_case(GA_FLOAT, 0);
  size_t dims[3] = {1, 4, 6}, four[2] = {4, 6}, six[1] = {6};
  operand c, a, b;
  float s = 1;
  void *values[] = {&c.a, &a.a, &b.a, &s};
  double want[24];

  (void)state;
  operand_make(&c, GA_FLOAT, LAYOUT_C, 3, dims, 0, 9, 1);
  operand_make(&a, GA_FLOAT, LAYOUT_C, 2, four, 0, 9, 2);
  operand_make(&b, GA_FLOAT, LAYOUT_C, 1, six, 0, 9, 3);
  for (size_t i = 0; i < 24; i++)
    want[i] = a.host[i] - b.host[i % 6];
  assert_code(GA_VALUE_ERROR, GpuElemwise_call(ge, values, GE_BROADCAST));
  assert_code(GA_VALUE_ERROR, GpuElemwise_call(ge, values, GE_PADSHAPE));
  assert_ok(GpuElemwise_call(ge, values, GE_BROADCAST | GE_PADSHAPE));
  operand_check(&c, want, "padded");
  operand_clear(&c);
  operand_clear(&a);
  operand_clear(&b);
  GpuElemwise_free(ge);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dtypes_scalar),
      cmocka_unit_test(test_dtypes_vector),
      cmocka_unit_test(test_layouts),
      cmocka_unit_test(test_layouts_of_dtypes),
      cmocka_unit_test(test_layouts_not_merged),
      cmocka_unit_test(test_flags_of_clients),
      cmocka_unit_test(test_large_results),
      cmocka_unit_test(test_bools),
      cmocka_unit_test(test_mixed_types),
      cmocka_unit_test(test_half_rounds_to_even),
      cmocka_unit_test(test_complex),
      cmocka_unit_test(test_outputs_and_in_place),
      cmocka_unit_test(test_on_other_class),
      cmocka_unit_test(test_text_as_written),
      cmocka_unit_test(test_powers_beside_special_numbers),
      cmocka_unit_test(test_remainders_of_small_numbers),
      cmocka_unit_test(test_angles_beside_special_numbers),
      cmocka_unit_test(test_padded_shapes),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
