/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise expressions against a plain loop on the host. */
#include "support/device.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>
#include <gpuarray/profile.h>

#include "base/alloc.h"

#define ND 5
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static int is_supported(int typecode) {
  return (typecode != GA_DOUBLE && typecode != GA_CDOUBLE) ||
         gpucontext_caps(test_context())->fp64;
}

static GpuElemwise *make(const char *text, unsigned int n,
                         gpuelemwise_arg *args, int flags) {
  GpuElemwise *ge =
      GpuElemwise_new(test_context(), NULL, text, n, args, 1, flags);

  if (ge == NULL)
    fail_msg("%s: %s", text, gpucontext_error(NULL, GA_IMPL_ERROR));
  return ge;
}

/* --- arrays of every layout --- */

typedef enum layout {
  LAYOUT_C,
  LAYOUT_F,
  LAYOUT_REVERSED, /* every stride below 0 */
  LAYOUT_GAPS,     /* every second element */
  LAYOUT_ROTATED,  /* the last axis is slowest */
  LAYOUT_ROW,      /* size 1 on the first axis */
  LAYOUT_COLUMN,   /* size 1 on the last axis */
  LAYOUT_ONE,      /* size 1 everywhere */
  LAYOUTS
} layout;

typedef struct operand {
  GpuArray a;
  double *host; /* of the full shape, in C order */
} operand;

/* Strides in elements; the axes of `dims` in memory order from slow to fast
 * are order[0], order[1], ... */
static void strides_by(ssize_t *strides, unsigned int nd, const size_t *dims,
                       const unsigned int *order, ssize_t step) {
  for (unsigned int k = nd; k-- > 0;) {
    strides[order[k]] = step;
    step *= dims[order[k]] > 0 ? (ssize_t)dims[order[k]] : 1;
  }
}

static void lay_out(layout how, unsigned int nd, const size_t *shape,
                    size_t *dims, ssize_t *strides) {
  unsigned int order[ND];
  ssize_t step = how == LAYOUT_REVERSED ? -1 : how == LAYOUT_GAPS ? 2 : 1;

  for (unsigned int k = 0; k < nd; k++) {
    dims[k] = shape[k];
    order[k] = how == LAYOUT_F         ? nd - 1 - k
               : how == LAYOUT_ROTATED ? (k + nd - 1) % nd
                                       : k;
    if (how == LAYOUT_ONE || (how == LAYOUT_ROW && k == 0) ||
        (how == LAYOUT_COLUMN && k == nd - 1))
      dims[k] = 1;
  }
  strides_by(strides, nd, dims, order, step);
}

/* Index into an array of `dims` of the element at C position `i` of `shape`;
 * sizes of 1 repeat. */
static size_t repeated(size_t i, unsigned int nd, const size_t *shape,
                       const size_t *dims) {
  size_t index = 0, unit = 1;

  for (unsigned int k = nd; k-- > 0;) {
    size_t at = i % shape[k];

    i /= shape[k];
    index += dims[k] == 1 ? 0 : at * unit;
    unit *= dims[k];
  }
  return index;
}

static size_t product(unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int k = 0; k < nd; k++)
    n *= dims[k];
  return n;
}

/* Whole numbers in [lo, hi). */
static void operand_make(operand *o, int typecode, layout how, unsigned int nd,
                         const size_t *shape, double lo, double hi,
                         uint32_t seed) {
  size_t dims[ND], n, total = product(nd, shape);
  ssize_t strides[ND];
  void *data;
  int *whole;

  lay_out(how, nd, shape, dims, strides);
  n = product(nd, dims);
  data = calloc(n + 1, 16);
  whole = calloc(n + 1, sizeof *whole);
  test_fill(whole, GA_INT, n, lo, hi, seed);
  for (size_t i = 0; i < n; i++)
    test_set(data, typecode, i, whole[i]);
  free(whole);
  test_array_strided(&o->a, typecode, nd, dims, strides, data);
  o->host = calloc(total + 1, sizeof *o->host);
  for (size_t i = 0; i < total; i++)
    o->host[i] = test_get(data, typecode, repeated(i, nd, shape, dims));
  free(data);
}

static void operand_clear(operand *o) {
  GpuArray_clear(&o->a);
  free(o->host);
}

/* The operand's array holds these numbers now. */
static void check_values(const operand *o, const double *want,
                         const char *what) {
  size_t n = test_size(&o->a);
  char *got = calloc(n + 1, 16);

  test_gather(&o->a, got);
  for (size_t i = 0; i < n; i++) {
    if (test_get(got, o->a.typecode, i) != want[i])
      fail_msg("%s, type %d: element %zu of %zu is %g, expected %g", what,
               o->a.typecode, i, n, test_get(got, o->a.typecode, i), want[i]);
  }
  free(got);
}

/* c = a - b * s, with these layouts of c, a and b. */
static void check_case(GpuElemwise *ge, int typecode, unsigned int nd,
                       const size_t *shape, const layout *how, int flags) {
  operand c, a, b;
  size_t n = product(nd, shape);
  unsigned char s[16];
  void *values[] = {&c.a, &a.a, &b.a, s};
  double *want = calloc(n + 1, sizeof *want);
  char what[128];

  operand_make(&c, typecode, how[0], nd, shape, 0, 9, 1);
  operand_make(&a, typecode, how[1], nd, shape, 20, 50, 2);
  operand_make(&b, typecode, how[2], nd, shape, 0, 9, 3);
  test_set(s, typecode, 0, 2);
  for (size_t i = 0; i < n; i++)
    want[i] = a.host[i] - b.host[i] * 2;
  snprintf(what, sizeof what, "nd %u, first dim %zu, layouts %d %d %d", nd,
           nd > 0 ? shape[0] : 0, how[0], how[1], how[2]);
  assert_ok(GpuElemwise_call(ge, values, flags));
  check_values(&c, want, what);
  operand_clear(&c);
  operand_clear(&a);
  operand_clear(&b);
  free(want);
}

static GpuElemwise *make_case(int typecode, int flags) {
  gpuelemwise_arg args[] = {{"c", typecode, GE_WRITE},
                            {"a", typecode, GE_READ},
                            {"b", typecode, GE_READ},
                            {"s", typecode, GE_READ | GE_SCALAR}};

  return make("c = a - b * s", 4, args, flags);
}

/* --- values --- */

static void every_dtype(size_t n, const int *types, int flags) {
  static const size_t sizes[] = {0, 1, 7, 16, 17, 1000, 5003};
  static const layout plain[] = {LAYOUT_C, LAYOUT_C, LAYOUT_C};

  for (size_t t = 0; t < n; t++) {
    GpuElemwise *ge;

    if (!is_supported(types[t]))
      continue;
    ge = make_case(types[t], flags);
    for (size_t i = 0; i < COUNT(sizes); i++)
      check_case(ge, types[t], 1, &sizes[i], plain, 0);
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
  static const int types[] = {GA_UBYTE, GA_SHORT, GA_LONG, GA_HALF};

  (void)state;
  every_dtype(COUNT(types), types, GE_VECTOR);
}

typedef struct shape {
  unsigned int nd;
  size_t dims[ND];
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
    {LAYOUT_ROTATED, LAYOUT_COLUMN, LAYOUT_F},
};

static void every_layout(int typecode, int flags, int call_flags) {
  GpuElemwise *ge = make_case(typecode, flags);

  for (size_t i = 0; i < COUNT(shapes); i++) {
    for (size_t m = 0; m < COUNT(mixes); m++)
      check_case(ge, typecode, shapes[i].nd, shapes[i].dims, mixes[m],
                 GE_BROADCAST | call_flags);
  }
  GpuElemwise_free(ge);
}

/* A few cases for each way to lay out a kernel. */
static void some_layouts(int typecode, int flags, int call_flags) {
  static const shape few[] = {{2, {700, 10}}, {3, {20, 17, 66}}};
  GpuElemwise *ge = make_case(typecode, flags);

  for (size_t i = 0; i < COUNT(few); i++) {
    for (size_t m = 0; m < 5; m += 2)
      check_case(ge, typecode, few[i].nd, few[i].dims, mixes[m],
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
}

static void test_layouts_not_merged(void **state) {
  (void)state;
  some_layouts(GA_FLOAT, GE_VECTOR, GE_NOCOLLAPSE);
}

/* Results larger than a cache, at an offset that no vector likes. */
static void test_large_results(void **state) {
  gpuelemwise_arg args[] = {{"c", GA_INT, GE_WRITE}, {"a", GA_INT, GE_READ}};
  GpuElemwise *ge = make("c = a + a", 2, args, GE_VECTOR);
  size_t n = 9000001, rest = n - 1;
  int *host = malloc(n * sizeof *host);
  ssize_t start = 1, stop = (ssize_t)n, step = 1;
  GpuArray a, c, tail, tail_c;
  void *values[] = {&c, &a}, *tails[] = {&tail_c, &tail};

  (void)state;
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
  GpuElemwise *ge = make(text, 5, args, flags);
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
  check_values(&t, want_t, text);
  check_values(&c, want_c, text);
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
    GpuElemwise *ge = make(text, 3, args, flags);
    operand c, a, b;
    void *values[] = {&c.a, &a.a, &b.a};
    double want[2000];

    operand_make(&c, GA_FLOAT, LAYOUT_C, 2, dims, 0, 2, 1);
    operand_make(&a, GA_UBYTE, LAYOUT_C, 2, dims, 0, 256, 2);
    operand_make(&b, GA_SHORT, LAYOUT_F, 2, dims, -900, 900, 3);
    for (size_t i = 0; i < 2000; i++)
      want[i] = a.host[i] / 4 - b.host[i];
    assert_ok(GpuElemwise_call(ge, values, 0));
    check_values(&c, want, text);
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
    GpuElemwise *ge = make("h = x", 2, args, flags);
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
  GpuElemwise *ge = make("c = ga_cfloat_mul(a, s)", 3, args, 0);
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
    GpuElemwise *ge = make(text, 4, args, flags);
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
    check_values(&p, want[0], text);
    check_values(&q, want[1], text);
    check_values(&r, want[2], text);
    for (size_t i = 0; i < 50 * 41; i++)
      want[2][i] += want[1][i];
    values[0] = &x.a; /* x = x + q */
    assert_ok(GpuElemwise_call(ge, values, 0));
    check_values(&x, want[2], "in place");
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
  check_values(&l, want, text);
  operand_clear(&l);
  operand_clear(&s);
  GpuElemwise_free(ge);
}

static void test_padded_shapes(void **state) {
  GpuElemwise *ge = make_case(GA_FLOAT, 0);
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
  check_values(&c, want, "padded");
  operand_clear(&c);
  operand_clear(&a);
  operand_clear(&b);
  GpuElemwise_free(ge);
}

/* --- prepared launches --- */

static void test_prepared(void **state) {
  GpuElemwise *ge = make_case(GA_FLOAT, GE_VECTOR);
  size_t dims[2] = {33, 50};
  operand c, a, b, d;
  float s = 1, three = 3;
  void *values[] = {&c.a, &a.a, &b.a, &s};
  double want[33 * 50];
  GpuLaunch *l;
  GpuLaunchStats stats;

  (void)state;
  operand_make(&c, GA_FLOAT, LAYOUT_C, 2, dims, 0, 9, 1);
  operand_make(&a, GA_FLOAT, LAYOUT_C, 2, dims, 0, 9, 2);
  operand_make(&b, GA_FLOAT, LAYOUT_F, 2, dims, 0, 9, 3);
  operand_make(&d, GA_FLOAT, LAYOUT_F, 2, dims, 0, 9, 4);
  assert_ok(GpuElemwise_prepare(&l, ge, values, 0));
  assert_ok(GpuLaunch_run(l));
  for (size_t i = 0; i < 33 * 50; i++)
    want[i] = a.host[i] - b.host[i];
  check_values(&c, want, "as prepared");

  assert_ok(GpuLaunch_bind(l, 2, d.a.data, d.a.offset));
  assert_ok(GpuLaunch_bind_scalar(l, 3, &three));
  assert_ok(GpuLaunch_run(l));
  for (size_t i = 0; i < 33 * 50; i++)
    want[i] = a.host[i] - 3 * d.host[i];
  check_values(&c, want, "bound again");
  assert_code(GA_UNALIGNED_ERROR,
              GpuLaunch_bind(l, 2, d.a.data, d.a.offset + 1));

  assert_ok(GpuLaunch_stats(l, &stats));
  assert_int_equal(stats.kernels, 1);
  assert_true(stats.bytes == 3.0 * 4 * 33 * 50);
  assert_true(stats.flops == 2.0 * 33 * 50);
  assert_non_null(strstr(GpuLaunch_source(l, 0), "c = a - b * s"));
  GpuLaunch_free(l);
  operand_clear(&c);
  operand_clear(&a);
  operand_clear(&b);
  operand_clear(&d);
  GpuElemwise_free(ge);
}

static void test_prepared_empty(void **state) {
  GpuElemwise *ge = make_case(GA_FLOAT, GE_VECTOR);
  size_t dims[2] = {3, 0};
  operand c, a, b;
  float s = 1;
  void *values[] = {&c.a, &a.a, &b.a, &s};
  GpuLaunch *l;

  (void)state;
  operand_make(&c, GA_FLOAT, LAYOUT_C, 2, dims, 0, 9, 1);
  operand_make(&a, GA_FLOAT, LAYOUT_C, 2, dims, 0, 9, 2);
  operand_make(&b, GA_FLOAT, LAYOUT_C, 2, dims, 0, 9, 3);
  assert_ok(GpuElemwise_prepare(&l, ge, values, 0));
  assert_ok(GpuLaunch_bind_scalar(l, 3, &s));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  operand_clear(&c);
  operand_clear(&a);
  operand_clear(&b);
  GpuElemwise_free(ge);
}

static int prepare_on(GpuElemwise *ge, GpuArray *c, GpuArray *a, GpuArray *b) {
  float s = 1;
  void *values[] = {c, a, b, &s};
  GpuLaunch *l;
  int err = GpuElemwise_prepare(&l, ge, values, 0);

  GpuLaunch_free(l);
  return err;
}

static void test_overlap(void **state) {
  GpuElemwise *ge = make_case(GA_FLOAT, GE_VECTOR);
  size_t dims[2] = {8, 8};
  ssize_t starts[2] = {0, 0}, stops[2] = {7, 8}, steps[2] = {1, 1};
  ssize_t odd[2] = {0, 1}, by_two[2] = {1, 2}, all[2] = {8, 8};
  GpuArray a, top, bottom, turned, even_columns, odd_columns;

  (void)state;
  assert_ok(GpuArray_zeros(&a, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_index(&top, &a, starts, stops, steps));
  starts[0] = 1;
  assert_ok(GpuArray_index(&bottom, &a, starts, all, steps));
  assert_ok(GpuArray_transpose(&turned, &a, NULL));
  starts[0] = 0;
  assert_ok(GpuArray_index(&even_columns, &a, starts, all, by_two));
  assert_ok(GpuArray_index(&odd_columns, &a, odd, all, by_two));

  assert_ok(prepare_on(ge, &a, &a, &a));
  assert_ok(prepare_on(ge, &even_columns, &odd_columns, &odd_columns));
  assert_code(GA_VALUE_ERROR, prepare_on(ge, &a, &turned, &a));
  assert_message(GA_VALUE_ERROR, "arg c overlaps arg a");
  assert_code(GA_VALUE_ERROR, prepare_on(ge, &top, &top, &bottom));
  assert_message(GA_VALUE_ERROR, "arg c overlaps arg b");
  GpuArray_clear(&odd_columns);
  GpuArray_clear(&even_columns);
  GpuArray_clear(&turned);
  GpuArray_clear(&bottom);
  GpuArray_clear(&top);
  GpuArray_clear(&a);
  GpuElemwise_free(ge);
}

/* --- calls that repeat --- */

static void test_calls_keep_no_buffers(void **state) {
  GpuElemwise *ge = make_case(GA_FLOAT, 0);
  gpucontext_counters before, after;
  size_t n = 1000;
  static const layout plain[] = {LAYOUT_C, LAYOUT_C, LAYOUT_C};

  (void)state;
  assert_ok(gpucontext_count(test_context(), &before));
  check_case(ge, GA_FLOAT, 1, &n, plain, 0);
  check_case(ge, GA_FLOAT, 1, &n, plain, 0);
  assert_ok(gpucontext_count(test_context(), &after));
  assert_int_equal(before.used_bytes, after.used_bytes);
  GpuElemwise_free(ge);
}

static void test_second_call_builds_nothing(void **state) {
  GpuElemwise *ge = make_case(GA_FLOAT, GE_VECTOR);
  gpucontext_counters before, after;
  size_t dims[2] = {31, 67};
  static const layout turned[] = {LAYOUT_C, LAYOUT_F, LAYOUT_C};
  long live;

  (void)state;
  check_case(ge, GA_FLOAT, 2, dims, turned, 0);
  assert_ok(gpucontext_count(test_context(), &before));
  live = ga__alloc_live();
  check_case(ge, GA_FLOAT, 2, dims, turned, 0);
  assert_ok(gpucontext_count(test_context(), &after));
  assert_int_equal(live, ga__alloc_live());
  assert_int_equal(
      before.programs_built + before.programs_loaded + before.programs_reused,
      after.programs_built + after.programs_loaded + after.programs_reused);
  GpuElemwise_free(ge);
}

static void test_many_geometries(void **state) {
  GpuElemwise *ge = make_case(GA_FLOAT, GE_VECTOR);
  static const layout plain[] = {LAYOUT_C, LAYOUT_C, LAYOUT_C};

  (void)state;
  for (int round = 0; round < 2; round++) {
    for (size_t n = 1; n < 40; n++)
      check_case(ge, GA_FLOAT, 1, &n, plain, 0);
  }
  GpuElemwise_free(ge);
}

typedef struct worker {
  GpuElemwise *ge;
  gpucontext *ctx;
  size_t n;
  int bad;
} worker;

/* Without assertions, which belong to the test's own thread. */
static void *work(void *arg) {
  worker *w = arg;
  float *host = calloc(w->n, sizeof *host);

  for (int round = 0; round < 50 && !w->bad; round++) {
    GpuArray c, a;
    float s = (float)round;
    void *values[] = {&c, &a, &a, &s};

    for (size_t i = 0; i < w->n; i++)
      host[i] = (float)(i + w->n);
    w->bad |= GpuArray_empty(&c, w->ctx, GA_FLOAT, 1, &w->n, GA_C_ORDER);
    w->bad |= GpuArray_empty(&a, w->ctx, GA_FLOAT, 1, &w->n, GA_C_ORDER);
    w->bad |= GpuArray_write(&a, host, w->n * sizeof *host);
    w->bad |= GpuElemwise_call(w->ge, values, 0);
    w->bad |= GpuArray_read(host, w->n * sizeof *host, &c);
    for (size_t i = 0; i < w->n; i++)
      w->bad |= host[i] != (float)(i + w->n) * (1 - s);
    GpuArray_clear(&a);
    GpuArray_clear(&c);
  }
  free(host);
  return NULL;
}

static void test_threads(void **state) {
  GpuElemwise *ge = make_case(GA_FLOAT, GE_VECTOR);
  pthread_t threads[4];
  worker workers[4];

  (void)state;
  for (size_t i = 0; i < 4; i++) {
    workers[i] = (worker){ge, test_context(), 100 + 50 * (i / 2), 0};
    assert_int_equal(0, pthread_create(&threads[i], NULL, work, &workers[i]));
  }
  for (size_t i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(0, workers[i].bad);
  }
  GpuElemwise_free(ge);
}

/* --- errors --- */

static void expect_no_object(int code, const char *message, const char *text,
                             unsigned int n, gpuelemwise_arg *args) {
  assert_null(GpuElemwise_new(test_context(), NULL, text, n, args, 1, 0));
  assert_message(code, message);
}

static void test_bad_objects(void **state) {
  gpuelemwise_arg args[] = {{"c", GA_FLOAT, GE_WRITE},
                            {"a", GA_FLOAT, GE_READ}};
  gpuelemwise_arg name[] = {{"c d", GA_FLOAT, GE_WRITE}};
  gpuelemwise_arg type[] = {{"c", GA_BUFFER, GE_WRITE}};
  gpuelemwise_arg scalar[] = {{"c", GA_FLOAT, GE_SCALAR | GE_READ}};

  (void)state;
  expect_no_object(GA_IMPL_ERROR, "no_such", "c = no_such(a)", 2, args);
  expect_no_object(GA_VALUE_ERROR, "preamble", "c = a;\n #define x", 2, args);
  expect_no_object(GA_VALUE_ERROR, "\"c d\" is not a name", "c = 1", 1, name);
  expect_no_object(GA_VALUE_ERROR, "arg c: type -1", "c = 1", 1, type);
  expect_no_object(GA_VALUE_ERROR, "no array", "c = 1", 1, scalar);
}

static void test_bad_calls(void **state) {
  GpuElemwise *ge = make_case(GA_FLOAT, 0);
  size_t dims[2] = {3, 4}, other[2] = {3, 3}, ones[2] = {3, 1};
  operand c, a, b, narrow, wide, ints;
  float s = 1;
  void *values[] = {&c.a, &a.a, &b.a, &s};
  double before[12];

  (void)state;
  operand_make(&c, GA_FLOAT, LAYOUT_C, 2, dims, 0, 9, 1);
  operand_make(&a, GA_FLOAT, LAYOUT_C, 2, dims, 0, 9, 2);
  operand_make(&b, GA_FLOAT, LAYOUT_C, 2, dims, 0, 9, 3);
  operand_make(&narrow, GA_FLOAT, LAYOUT_C, 2, other, 0, 9, 3);
  operand_make(&wide, GA_FLOAT, LAYOUT_C, 2, ones, 0, 9, 3);
  operand_make(&ints, GA_INT, LAYOUT_C, 2, dims, 0, 9, 3);
  memcpy(before, c.host, sizeof before);

  values[2] = &narrow.a;
  assert_code(GA_VALUE_ERROR, GpuElemwise_call(ge, values, GE_BROADCAST));
  assert_message(GA_VALUE_ERROR, "arg b: dim 1: expected 4, got 3");
  values[2] = &wide.a;
  assert_code(GA_VALUE_ERROR, GpuElemwise_call(ge, values, 0));
  assert_message(GA_VALUE_ERROR, "arg b: dim 1: expected 4, got 1");
  values[2] = &ints.a;
  assert_code(GA_VALUE_ERROR, GpuElemwise_call(ge, values, 0));
  assert_message(GA_VALUE_ERROR, "arg b: expected float32, got int32");
  values[2] = NULL;
  assert_code(GA_INVALID_ERROR, GpuElemwise_call(ge, values, 0));
  values[2] = &b.a;
  values[0] = &wide.a;
  assert_code(GA_VALUE_ERROR, GpuElemwise_call(ge, values, GE_BROADCAST));
  assert_message(GA_VALUE_ERROR, "arg a: dim 1: expected 1, got 4");
  values[0] = &c.a;
  c.a.flags &= ~GA_WRITEABLE;
  assert_code(GA_READONLY_ERROR, GpuElemwise_call(ge, values, 0));
  c.a.flags |= GA_WRITEABLE;
  b.a.flags &= ~GA_ALIGNED;
  assert_code(GA_UNALIGNED_ERROR, GpuElemwise_call(ge, values, 0));
  check_values(&c, before, "unchanged");
  operand_clear(&c);
  operand_clear(&a);
  operand_clear(&b);
  operand_clear(&narrow);
  operand_clear(&wide);
  operand_clear(&ints);
  GpuElemwise_free(ge);
}

/* Every allocation fails once; the first round without a failure ends it. */
static void test_out_of_memory(void **state) {
  gpuelemwise_arg args[] = {{"c", GA_FLOAT, GE_WRITE},
                            {"a", GA_FLOAT, GE_READ}};
  size_t dims[2] = {20, 30};
  operand c, a;
  void *values[] = {&c.a, &a.a};
  int done = 0;

  (void)state;
  operand_make(&c, GA_FLOAT, LAYOUT_C, 2, dims, 0, 9, 1);
  operand_make(&a, GA_FLOAT, LAYOUT_F, 2, dims, 0, 9, 2);
  for (long nth = 0; !done && nth < 1000; nth++) {
    long live = ga__alloc_live();
    GpuElemwise *ge;
    GpuLaunch *l = NULL;

    ga__alloc_fail(nth, 0); /* round 0 fills the caches */
    ge = GpuElemwise_new(test_context(), NULL, "c = a + a", 2, args, 2,
                         GE_VECTOR);
    if (ge != NULL && GpuElemwise_prepare(&l, ge, values, 0) == GA_NO_ERROR &&
        GpuElemwise_call(ge, values, 0) == GA_NO_ERROR)
      done = nth > 0;
    ga__alloc_fail(0, 0);
    GpuLaunch_free(l);
    GpuElemwise_free(ge);
    if (nth > 0)
      assert_int_equal(live, ga__alloc_live());
  }
  assert_true(done);
  for (size_t i = 0; i < 600; i++)
    c.host[i] = 2 * a.host[i];
  check_values(&c, c.host, "after failures");
  operand_clear(&c);
  operand_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dtypes_scalar),
      cmocka_unit_test(test_dtypes_vector),
      cmocka_unit_test(test_layouts),
      cmocka_unit_test(test_layouts_of_dtypes),
      cmocka_unit_test(test_layouts_not_merged),
      cmocka_unit_test(test_large_results),
      cmocka_unit_test(test_bools),
      cmocka_unit_test(test_mixed_types),
      cmocka_unit_test(test_half_rounds_to_even),
      cmocka_unit_test(test_complex),
      cmocka_unit_test(test_outputs_and_in_place),
      cmocka_unit_test(test_on_other_class),
      cmocka_unit_test(test_text_as_written),
      cmocka_unit_test(test_padded_shapes),
      cmocka_unit_test(test_prepared),
      cmocka_unit_test(test_prepared_empty),
      cmocka_unit_test(test_overlap),
      cmocka_unit_test(test_calls_keep_no_buffers),
      cmocka_unit_test(test_second_call_builds_nothing),
      cmocka_unit_test(test_many_geometries),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_bad_objects),
      cmocka_unit_test(test_bad_calls),
      cmocka_unit_test(test_out_of_memory),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
