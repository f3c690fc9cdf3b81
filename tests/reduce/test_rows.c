/* SPDX-License-Identifier: BSD-2-Clause */
/* Row programs: softmax over shapes and layouts, one launch or several, edges,
 * slots, refusals, lack of memory. Others with more arguments and dtypes are in
 * test_row_args. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/rows.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

/* --- softmax --- */

static const GpuRowsPhase softmax_phases[3] = {
    {"m = x;", NULL},
    {"e = exp(x - m); s = e;", "one = (w_float)(1.0f) / s;"},
    {"y = e * one;", NULL}};
static const GpuRowsReduce softmax_reduce[2] = {{"m", GA_REDUCE_MAX, GA_FLOAT},
                                                {"s", GA_REDUCE_SUM, GA_FLOAT}};
static const GpuRowsValue softmax_kept[1] = {{"e", GA_FLOAT}};
static const GpuRowsValue softmax_numbers[1] = {{"one", GA_FLOAT}};

static const gpuelemwise_arg softmax_args[2] = {{"x", GA_FLOAT, GE_READ},
                                                {"y", GA_FLOAT, GE_WRITE}};

static GpuRowsSpec softmax_spec(int flags) {
  return (GpuRowsSpec){.n_phases = 3,
                       .phases = softmax_phases,
                       .n_reduce = 2,
                       .reduce = softmax_reduce,
                       .n_kept = 1,
                       .kept = softmax_kept,
                       .n_numbers = 1,
                       .numbers = softmax_numbers,
                       .n_args = 2,
                       .args = softmax_args,
                       .flags = flags};
}

static void softmax_row(float *y, const float *x, size_t n) {
  float most = -INFINITY;
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    most = fmaxf(most, x[i]);
  for (size_t i = 0; i < n; i++)
    sum += exp((double)(x[i] - most));
  for (size_t i = 0; i < n; i++)
    y[i] = (float)(exp((double)(x[i] - most)) / sum);
}

/* Softmax along the last axis of arrays of these sizes. NULL strides: C. */
typedef struct layout {
  unsigned int nd;
  size_t dims[3];
  ssize_t in[3], out[3]; /* in elements; all 0: C order */
} layout;

static void make_array(GpuArray *a, const layout *l, const ssize_t *strides,
                       const float *data) {
  if (strides[0] == 0 && strides[1] == 0)
    test_array(a, GA_FLOAT, l->nd, l->dims, data);
  else
    test_array_strided(a, GA_FLOAT, l->nd, l->dims, strides, data);
}

static void run_softmax(const layout *l, int flags, int in_place) {
  const size_t n = l->dims[l->nd - 1];
  const size_t rows = l->dims[0] * (l->nd > 2 ? l->dims[1] : 1);
  const GpuRowsSpec spec = softmax_spec(flags);
  unsigned char reduced[3] = {0};
  float *x = malloc(rows * n * sizeof *x), *want = malloc(rows * n * sizeof *x);
  GpuArray ax, ay;
  GpuRows *r;
  GpuLaunch *launch;

  reduced[l->nd - 1] = 1;
  test_fill(x, GA_FLOAT, rows * n, -8, 8, (uint32_t)n);
  for (size_t i = 0; i < rows; i++)
    softmax_row(want + i * n, x + i * n, n);
  make_array(&ax, l, l->in, x);
  make_array(&ay, l, l->out, x);
  assert_ok(GpuRows_new(&r, test_context(), &spec));
  assert_ok(GpuRows_prepare(&launch, r, l->nd, l->dims, reduced,
                            (void *[]){in_place ? &ay : &ax, &ay}, NULL));
  GpuRows_free(r);
  assert_ok(GpuLaunch_run(launch));
  test_array_close(&ay, want, 2e-6, 1e-9);
  if (!in_place)
    test_array_equal(&ax, x);
  GpuLaunch_free(launch);
  GpuArray_clear(&ax);
  GpuArray_clear(&ay);
  free(x);
  free(want);
}

static const layout layouts[] = {
    {2, {1, 1}, {0}, {0}},
    {2, {5, 1}, {0}, {0}},
    {2, {37, 10}, {0}, {0}},
    {2, {129, 7}, {0}, {0}},
    {2, {3, 16}, {0}, {0}},
    {2, {40, 33}, {0}, {0}},
    {2, {9, 100}, {0}, {0}},
    {2, {6, 1024}, {0}, {0}},
    {2, {3, 5003}, {0}, {0}},
    {2, {70, 9000}, {0}, {0}},
    {2, {2, 70001}, {0}, {0}},           /* in parts */
    {2, {37, 50}, {1, 37}, {0}},         /* columns in memory */
    {2, {37, 50}, {1, 40}, {1, 37}},     /* both */
    {2, {20, 60}, {-120, 2}, {-60, 1}},  /* every other, backwards */
    {2, {20, 60}, {60, -1}, {-70, 1}},   /* rows end to start */
    {2, {40, 12}, {-30, 2}, {12, 1}},    /* short rows likewise */
    {3, {3, 21, 10}, {300, 13, 1}, {0}}, /* no single kept axis */
    {3, {4, 19, 40}, {40, 160, 1}, {0}}, /* kept axes swapped */
    {3, {4, 19, 40}, {1, 160, 4}, {0}},  /* along the first */
    {2, {0, 10}, {0}, {0}},
};

static void softmaxes(void) {
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
    run_softmax(&layouts[i], GE_VECTOR, 0);
    run_softmax(&layouts[i], GE_VECTOR, 1);
    if (i % 4 == 2)
      run_softmax(&layouts[i], 0, 0);
  }
}

static void test_softmax(void **state) {
  (void)state;
  test_mappings(softmaxes);
}

/* --- numbers that are not finite, long sums, no elements --- */

static void edges(void) {
  const size_t dims[2] = {20, 40};
  const unsigned char reduced[2] = {0, 1};
  const GpuRowsSpec spec = softmax_spec(GE_VECTOR);
  float x[800], y[800];
  GpuArray ax, ay;
  GpuRows *r;
  GpuLaunch *l;

  test_fill(x, GA_FLOAT, 800, -1, 1, 4);
  x[3 * 40 + 17] = NAN;
  x[4 * 40 + 39] = -INFINITY;
  x[5 * 40 + 1] = INFINITY;
  test_array(&ax, GA_FLOAT, 2, dims, x);
  test_array(&ay, GA_FLOAT, 2, dims, x);
  assert_ok(GpuRows_new(&r, test_context(), &spec));
  assert_ok(
      GpuRows_prepare(&l, r, 2, dims, reduced, (void *[]){&ax, &ay}, NULL));
  assert_ok(GpuLaunch_run(l));
  test_gather(&ay, y);
  for (int i = 0; i < 40; i++) {
    assert_true(isnan(y[3 * 40 + i]));
    assert_true(isfinite(y[2 * 40 + i]) && isfinite(y[4 * 40 + i]));
  }
  assert_true(y[4 * 40 + 39] == 0);
  assert_true(isnan(y[5 * 40 + 1]));
  GpuLaunch_free(l);
  GpuRows_free(r);
  GpuArray_clear(&ax);
  GpuArray_clear(&ay);
}

static void test_edges(void **state) {
  (void)state;
  test_mappings(edges);
}

/* A row of 2^20 numbers: the sum is right to rounding. */
static void long_sum(void) {
  enum { N = 1 << 20 };
  static const GpuRowsPhase phases[2] = {{"s = x;", "total = s;"},
                                         {"y = x / s;", NULL}};
  static const gpuelemwise_arg args[2] = {{"x", GA_FLOAT, GE_READ},
                                          {"y", GA_FLOAT, GE_WRITE}};
  static const gpuelemwise_arg row_args[1] = {{"total", GA_FLOAT, GE_WRITE}};
  const GpuRowsSpec spec = {.n_phases = 2,
                            .phases = phases,
                            .n_reduce = 1,
                            .reduce = &softmax_reduce[1],
                            .n_args = 2,
                            .args = args,
                            .n_row_args = 1,
                            .row_args = row_args,
                            .flags = GE_VECTOR};
  const unsigned char reduced[2] = {0, 1};
  float *x = malloc(16 * N * sizeof *x), want[16];
  GpuRows *r;

  test_fill(x, GA_FLOAT, 16 * N, 0, 1, 8);
  for (int i = 0; i < 16; i++) {
    double sum = 0;
    for (int k = 0; k < N; k++)
      sum += (double)x[i * N + k];
    want[i] = (float)sum;
  }
  assert_ok(GpuRows_new(&r, test_context(), &spec));
  for (size_t rows = 1; rows <= 16; rows += 15) {
    const size_t dims[2] = {rows, N}, odims[2] = {rows, 1};
    GpuArray ax, ay, at;
    GpuLaunch *l;

    test_array(&ax, GA_FLOAT, 2, dims, x);
    assert_ok(
        GpuArray_empty(&ay, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
    assert_ok(
        GpuArray_empty(&at, test_context(), GA_FLOAT, 2, odims, GA_C_ORDER));
    assert_ok(GpuRows_prepare(&l, r, 2, dims, reduced, (void *[]){&ax, &ay},
                              (void *[]){&at}));
    assert_ok(GpuLaunch_run(l));
    test_array_close(&at, want, 3e-7, 0);
    GpuLaunch_free(l);
    GpuArray_clear(&ax);
    GpuArray_clear(&ay);
    GpuArray_clear(&at);
  }
  GpuRows_free(r);
  free(x);
}

static void test_long_sum(void **state) {
  (void)state;
  test_need_buffer((size_t)64 << 20);
  test_mappings(long_sum);
}

/* --- slots --- */

static void test_slots(void **state) {
  const size_t dims[2] = {4, 64};
  const unsigned char reduced[2] = {0, 1};
  const GpuRowsSpec spec = softmax_spec(GE_VECTOR);
  float x[2][256], want[256];
  GpuArray ax, bx, ay;
  GpuRows *r;
  GpuLaunch *l;
  GpuLaunchStats stats;

  (void)state;
  test_fill(x, GA_FLOAT, 512, -1, 1, 4);
  for (int i = 0; i < 4; i++)
    softmax_row(want + i * 64, x[1] + i * 64, 64);
  test_array(&ax, GA_FLOAT, 2, dims, x[0]);
  test_array(&bx, GA_FLOAT, 2, dims, x[1]);
  test_array(&ay, GA_FLOAT, 2, dims, x[0]);
  assert_ok(GpuRows_new(&r, test_context(), &spec));
  assert_ok(
      GpuRows_prepare(&l, r, 2, dims, reduced, (void *[]){&ax, &ay}, NULL));
  GpuRows_free(r);
  assert_ok(GpuLaunch_bind(l, 0, bx.data, bx.offset));
  assert_ok(GpuLaunch_run(l));
  test_array_close(&ay, want, 2e-6, 1e-9);
  assert_ok(GpuLaunch_stats(l, &stats));
  assert_int_equal(stats.kernels, 1);
  assert_true(stats.bytes == 2 * 256 * 4);
  GpuLaunch_free(l);
  GpuArray_clear(&ax);
  GpuArray_clear(&bx);
  GpuArray_clear(&ay);
}

/* --- errors --- */

static void refuse(GpuRowsSpec spec, int code, const char *part) {
  GpuRows *r = (GpuRows *)&spec;

  assert_code(code, GpuRows_new(&r, test_context(), &spec));
  assert_null(r);
  assert_message(code, part);
}

static void test_refused_specs(void **state) {
  const GpuRowsReduce at = {"m", GA_REDUCE_ARGMAX, GA_FLOAT};
  const GpuRowsReduce bits = {"m", GA_REDUCE_XOR, GA_FLOAT};
  const GpuRowsReduce nowhere = {"nowhere", GA_REDUCE_SUM, GA_FLOAT};
  const GpuRowsReduce complex = {"m", GA_REDUCE_SUM, GA_CFLOAT};
  const GpuRowsPhase empty[1] = {{NULL, NULL}};
  const gpuelemwise_arg both[2] = {{"x", GA_FLOAT, GE_READ | GE_WRITE},
                                   {"y", GA_FLOAT, GE_WRITE}};
  const gpuelemwise_arg unwritten[2] = {{"x", GA_FLOAT, GE_READ},
                                        {"z", GA_FLOAT, GE_WRITE}};
  GpuRowsSpec s = softmax_spec(GE_VECTOR);

  (void)state;
  s.n_phases = 17;
  refuse(s, GA_VALUE_ERROR, "17 phases, expected 1 to 16");
  s = softmax_spec(GE_VECTOR);
  s.n_reduce = 1;
  s.reduce = &at;
  refuse(s, GA_VALUE_ERROR, "m: a row cannot be reduced by number 9");
  s.reduce = &bits;
  refuse(s, GA_VALUE_ERROR, "m: xor in float32, expected integers or bool");
  s.reduce = &complex;
  refuse(s, GA_UNSUPPORTED_ERROR, "complex64");
  s.reduce = &nowhere;
  refuse(s, GA_VALUE_ERROR, "nowhere: no map assigns it");
  s = softmax_spec(GE_VECTOR);
  s.n_phases = 1;
  s.phases = empty;
  refuse(s, GA_VALUE_ERROR, "phase 0: no map");
  s = softmax_spec(GE_VECTOR);
  s.args = both;
  refuse(s, GA_VALUE_ERROR, "x: flags 0x6");
  s.args = unwritten;
  refuse(s, GA_VALUE_ERROR, "z: no map assigns it");
  s.n_args = 1;
  refuse(s, GA_VALUE_ERROR, "no argument is written");
}

/* Walks that some devices would end before their end. */
static void test_short_loops(void **state) {
  static const GpuRowsPhase phase = {"s = x;", "total = s;"};
  static const gpuelemwise_arg arg = {"x", GA_FLOAT, GE_READ};
  static const gpuelemwise_arg row_arg = {"total", GA_FLOAT, GE_WRITE};
  const GpuRowsSpec spec = {.n_phases = 1,
                            .phases = &phase,
                            .n_reduce = 1,
                            .reduce = &softmax_reduce[1],
                            .n_args = 1,
                            .args = &arg,
                            .n_row_args = 1,
                            .row_args = &row_arg,
                            .flags = GE_VECTOR};
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const gpudevice_caps real = *caps;
  const size_t dims[2] = {4096, (size_t)1 << 28}, odims[2] = {4096, 1};
  const ssize_t strides[2] = {0, 0};
  const unsigned char reduced[2] = {0, 1};
  gpudata *one = gpudata_alloc(test_context(), 4, NULL, 0, NULL);
  GpuArray x, total;
  GpuRows *r;
  GpuLaunch *l;

  (void)state;
  assert_ok(
      GpuArray_zeros(&total, test_context(), GA_FLOAT, 2, odims, GA_C_ORDER));
  assert_ok(GpuArray_fromdata(&x, one, 0, GA_FLOAT, 2, dims, strides, 0));
  assert_ok(GpuRows_new(&r, test_context(), &spec));
  caps->is_cpu = caps->long_loops = 0;
  assert_code(GA_DEVSUP_ERROR,
              GpuRows_prepare(&l, r, 2, dims, reduced, (void *[]){&x},
                              (void *[]){&total}));
  assert_message(GA_DEVSUP_ERROR, "iterations of a loop in rows");
  assert_null(l);
  *caps = real;
  GpuRows_free(r);
  GpuArray_clear(&x);
  gpudata_release(one);
  GpuArray_clear(&total);
}

static void test_refused_arrays(void **state) {
  const size_t dims[2] = {3, 4}, bad[2] = {1, 4}, none[2] = {3, 0};
  const unsigned char reduced[2] = {0, 1};
  const GpuRowsSpec spec = softmax_spec(GE_VECTOR);
  GpuArray x, y, wrong, empty;
  GpuRows *r;
  GpuLaunch *l;
  void *args[2] = {&x, &y};

  (void)state;
  assert_ok(GpuArray_zeros(&x, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&y, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(
      GpuArray_zeros(&wrong, test_context(), GA_FLOAT, 2, bad, GA_C_ORDER));
  assert_ok(
      GpuArray_zeros(&empty, test_context(), GA_FLOAT, 2, none, GA_C_ORDER));
  assert_ok(GpuRows_new(&r, test_context(), &spec));
  args[1] = &wrong;
  assert_code(GA_VALUE_ERROR,
              GpuRows_prepare(&l, r, 2, dims, reduced, args, NULL));
  assert_message(GA_VALUE_ERROR, "y: dim 0: expected 3, got 1");
  assert_null(l);
  args[1] = NULL;
  assert_code(GA_INVALID_ERROR,
              GpuRows_prepare(&l, r, 2, dims, reduced, args, NULL));
  assert_message(GA_INVALID_ERROR, "y: no array");
  args[0] = args[1] = &empty;
  assert_code(GA_VALUE_ERROR,
              GpuRows_prepare(&l, r, 2, none, reduced, args, NULL));
  assert_message(GA_VALUE_ERROR, "m: max of no elements");
  args[0] = &x;
  args[1] = &y;
  y.flags &= ~GA_WRITEABLE;
  assert_code(GA_READONLY_ERROR,
              GpuRows_prepare(&l, r, 2, dims, reduced, args, NULL));
  GpuRows_free(r);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&wrong);
  GpuArray_clear(&empty);
}

static int make_and_prepare(GpuArray *x, GpuArray *y) {
  const GpuRowsSpec spec = softmax_spec(GE_VECTOR);
  const unsigned char reduced[2] = {0, 1};
  GpuRows *r = NULL;
  GpuLaunch *l = NULL;
  int err = GpuRows_new(&r, test_context(), &spec);

  if (err == GA_NO_ERROR)
    err = GpuRows_prepare(&l, r, 2, x->dimensions, reduced, (void *[]){x, y},
                          NULL);
  GpuLaunch_free(l);
  GpuRows_free(r);
  return err;
}

/* Whichever allocation fails, the call says so and keeps nothing. */
static void test_out_of_memory(void **state) {
  const size_t dims[2] = {20, 30};
  int err = GA_MEMORY_ERROR;
  GpuArray x, y;

  (void)state;
  assert_ok(GpuArray_zeros(&x, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&y, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(make_and_prepare(&x, &y)); /* to have the kernel */
  for (long n = 1; err != GA_NO_ERROR; n++) {
    const long before = ga__alloc_live();

    assert_true(n < 1000);
    ga__alloc_fail(n, 0);
    err = make_and_prepare(&x, &y);
    ga__alloc_fail(0, 0);
    assert_true(err == GA_NO_ERROR || err == GA_MEMORY_ERROR);
    assert_true(err == GA_NO_ERROR || ga__alloc_live() <= before);
  }
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_softmax),
      cmocka_unit_test(test_edges),
      cmocka_unit_test(test_long_sum),
      cmocka_unit_test(test_slots),
      cmocka_unit_test(test_refused_specs),
      cmocka_unit_test(test_refused_arrays),
      cmocka_unit_test(test_short_loops),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
