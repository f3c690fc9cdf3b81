/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise expressions that are prepared, called again, called by several
 * threads, or refused. */
#include "support/operand.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <math.h>

#include <gpuarray/device.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>
#include <gpuarray/profile.h>

#include "base/alloc.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* --- prepared launches --- */

static void test_prepared(void **state) {
  GpuElemwise *ge = elemwise_make_case(GA_FLOAT, GE_VECTOR);
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
  operand_check(&c, want, "as prepared");

  assert_ok(GpuLaunch_bind(l, 2, d.a.data, d.a.offset));
  assert_ok(GpuLaunch_bind_scalar(l, 3, &three));
  assert_ok(GpuLaunch_run(l));
  for (size_t i = 0; i < 33 * 50; i++)
    want[i] = a.host[i] - 3 * d.host[i];
  operand_check(&c, want, "bound again");
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
  GpuElemwise *ge = elemwise_make_case(GA_FLOAT, GE_VECTOR);
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
  GpuElemwise *ge = elemwise_make_case(GA_FLOAT, GE_VECTOR);
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
  assert_message(GA_VALUE_ERROR, "c: overlaps a");
  assert_code(GA_VALUE_ERROR, prepare_on(ge, &top, &top, &bottom));
  assert_message(GA_VALUE_ERROR, "c: overlaps b");
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
  GpuElemwise *ge = elemwise_make_case(GA_FLOAT, 0);
  gpucontext_counters before, after;
  size_t n = 1000;
  static const layout plain[] = {LAYOUT_C, LAYOUT_C, LAYOUT_C};

  (void)state;
  assert_ok(gpucontext_count(test_context(), &before));
  elemwise_check_case(ge, GA_FLOAT, 1, &n, plain, 0);
  elemwise_check_case(ge, GA_FLOAT, 1, &n, plain, 0);
  assert_ok(gpucontext_count(test_context(), &after));
  assert_int_equal(before.used_bytes, after.used_bytes);
  GpuElemwise_free(ge);
}

static void test_second_call_builds_nothing(void **state) {
  GpuElemwise *ge = elemwise_make_case(GA_FLOAT, GE_VECTOR);
  gpucontext_counters before, after;
  size_t dims[2] = {31, 67};
  static const layout turned[] = {LAYOUT_C, LAYOUT_F, LAYOUT_C};

  (void)state;
  elemwise_check_case(ge, GA_FLOAT, 2, dims, turned, 0);
  assert_ok(gpucontext_count(test_context(), &before));
  long live = ga__alloc_live();
  elemwise_check_case(ge, GA_FLOAT, 2, dims, turned, 0);
  assert_ok(gpucontext_count(test_context(), &after));
  assert_int_equal(live, ga__alloc_live());
  assert_int_equal(
      before.programs_built + before.programs_loaded + before.programs_reused,
      after.programs_built + after.programs_loaded + after.programs_reused);
  GpuElemwise_free(ge);
}

static void test_many_geometries(void **state) {
  GpuElemwise *ge = elemwise_make_case(GA_FLOAT, GE_VECTOR);
  static const layout plain[] = {LAYOUT_C, LAYOUT_C, LAYOUT_C};

  (void)state;
  for (int round = 0; round < 2; round++) {
    for (size_t n = 1; n < 40; n++)
      elemwise_check_case(ge, GA_FLOAT, 1, &n, plain, 0);
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
  GpuElemwise *ge = elemwise_make_case(GA_FLOAT, GE_VECTOR);
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

/* --- clients' texts --- */

enum { CLIENT_N = 37 };

/* z = text over x and y, which is also the result before. */
static void run_client(const char *text, int typecode, const void *x,
                       const void *y, void *z) {
  gpuelemwise_arg args[] = {{"z", typecode, GE_READ | GE_WRITE},
                            {"x", typecode, GE_READ},
                            {"y", typecode, GE_READ}};
  const size_t n = CLIENT_N;
  GpuArray a, b, c;
  GpuElemwise *ge = elemwise_make(text, 3, args, 0);

  test_array(&a, typecode, 1, &n, x);
  test_array(&b, typecode, 1, &n, y);
  test_array(&c, typecode, 1, &n, y);
  assert_ok(GpuElemwise_call(ge, (void *[]){&c, &a, &b}, 0));
  test_gather(&c, z);
  GpuElemwise_free(ge);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
}

/* Code generators write operators for the host and for kernels. */
static void test_preprocessor_lines(void **state) {
  int x[CLIENT_N], y[CLIENT_N], z[CLIENT_N];

  (void)state;
  for (int i = 0; i < CLIENT_N; i++) {
    x[i] = i - 5;
    y[i] = 3 * i + 1;
  }
  run_client("\n#ifdef KERNEL\nz=z+x;\n#endif\n", GA_INT, x, y, z);
  for (int i = 0; i < CLIENT_N; i++)
    assert_int_equal(z[i], x[i] + y[i]);
  run_client("\n#ifndef KERNEL\nz = 0\n#else\n#define TWICE(v) \\\n"
             "  (2 * (v))\nz = TWICE(x) /* 2x\n# no line */;\n#endif\n"
             "; z = z + y",
             GA_INT, x, y, z);
  for (int i = 0; i < CLIENT_N; i++)
    assert_int_equal(z[i], 2 * x[i] + y[i]);
}

/* Names that C has for floats, which OpenCL C has not; a client may have its
 * own. */
static void test_c_names(void **state) {
  static const char *const texts[] = {
      "z = floorf(x / y) + fmodf(x, y)",
      "\n#ifdef KERNEL\nz = floorf(x / y) + fmodf(x, y);\n#endif\n",
      "\n#define floorf(v) floor(v)\nz = floorf(x / y) + fmodf(x, y);\n"};
  float x[CLIENT_N], y[CLIENT_N], z[CLIENT_N];

  (void)state;
  for (int i = 0; i < CLIENT_N; i++) {
    x[i] = (float)i - 7.5f;
    y[i] = i % 3 == 0 ? -2.0f : 4.0f;
  }
  for (size_t k = 0; k < COUNT(texts); k++) {
    run_client(texts[k], GA_FLOAT, x, y, z);
    for (int i = 0; i < CLIENT_N; i++)
      assert_true(z[i] == floorf(x[i] / y[i]) + fmodf(x[i], y[i]));
  }
}

static void test_bad_preprocessor_lines(void **state) {
  gpuelemwise_arg args[] = {{"z", GA_INT, GE_WRITE}};

  (void)state;
  assert_null(
      GpuElemwise_new(test_context(), NULL, "#if 1\nz = 1;\n", 1, args, 1, 0));
  assert_message(GA_IMPL_ERROR, "#if");
}

/* Texts that are compiled with vectors, against the host; NaN among them. */
static void test_plain_text_in_lanes(void **state) {
  float x[CLIENT_N], y[CLIENT_N], z[CLIENT_N];
  int a[CLIENT_N], b[CLIENT_N], c[CLIENT_N];

  (void)state;
  for (int i = 0; i < CLIENT_N; i++) {
    x[i] = i % 7 == 3 ? NAN : (float)(i - 15);
    y[i] = (float)(i % 5 - 2);
    a[i] = (i - 20) * 1000003;
    b[i] = i % 4 - 1;
  }
  run_client("z = x > y && !(y == 0) ? (float)x * 2 : fmax(y, 1.0f) - 0.5f",
             GA_FLOAT, x, y, z);
  for (int i = 0; i < CLIENT_N; i++) {
    const float want =
        x[i] > y[i] && y[i] != 0 ? x[i] * 2 : fmaxf(y[i], 1) - 0.5f;

    assert_true(z[i] == want);
  }
  run_client("z += x / 7 % 100; z = z < y ? 1 - z : z << 2", GA_INT, a, b, c);
  for (int i = 0; i < CLIENT_N; i++) {
    const int sum = b[i] + a[i] / 7 % 100;

    assert_int_equal(c[i], sum < b[i] ? 1 - sum : (int)((unsigned)sum << 2));
  }
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
  expect_no_object(GA_VALUE_ERROR, "\"c d\" is not a name", "c = 1", 1, name);
  expect_no_object(GA_VALUE_ERROR, "c: type -1", "c = 1", 1, type);
  expect_no_object(GA_VALUE_ERROR, "no array", "c = 1", 1, scalar);
}

static void test_bad_calls(void **state) {
  GpuElemwise *ge = elemwise_make_case(GA_FLOAT, 0);
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
  assert_message(GA_VALUE_ERROR, "b: dim 1: expected 4, got 3");
  values[2] = &wide.a;
  assert_code(GA_VALUE_ERROR, GpuElemwise_call(ge, values, 0));
  assert_message(GA_VALUE_ERROR, "b: dim 1: expected 4, got 1");
  values[2] = &ints.a;
  assert_code(GA_VALUE_ERROR, GpuElemwise_call(ge, values, 0));
  assert_message(GA_VALUE_ERROR, "b: expected float32, got int32");
  values[2] = NULL;
  assert_code(GA_INVALID_ERROR, GpuElemwise_call(ge, values, 0));
  values[2] = &b.a;
  values[0] = &wide.a;
  assert_code(GA_VALUE_ERROR, GpuElemwise_call(ge, values, GE_BROADCAST));
  assert_message(GA_VALUE_ERROR, "a: dim 1: expected 1, got 4");
  values[0] = &c.a;
  c.a.flags &= ~GA_WRITEABLE;
  assert_code(GA_READONLY_ERROR, GpuElemwise_call(ge, values, 0));
  c.a.flags |= GA_WRITEABLE;
  b.a.flags &= ~GA_ALIGNED;
  assert_code(GA_UNALIGNED_ERROR, GpuElemwise_call(ge, values, 0));
  operand_check(&c, before, "unchanged");
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
  operand_check(&c, c.host, "after failures");
  operand_clear(&c);
  operand_clear(&a);
}

/* Text that could have vectors is compiled without them when those fail. */
static void test_second_try_leaves_the_last_error(void **state) {
  gpuelemwise_arg args[] = {{"r", GA_FLOAT, GE_WRITE},
                            {"a", GA_FLOAT, GE_READ}};
  gpucontext *ctx = test_context();
  int n_second = 0;

  (void)state;
  gpuarray_fail(GA_COPY_ERROR, "an older one");
  for (int n = 1;; n++) {
    ga__alloc_fail(n, 0);
    GpuElemwise *ge = GpuElemwise_new(ctx, "", "r = a + 3", 2, args, 1, 0);
    const int has_failed = ga__alloc_fail(0, 0) <= 0;
    if (ge != NULL)
      assert_string_equal(gpuarray_error_text(0), "an older one");
    else
      gpuarray_fail(GA_COPY_ERROR, "an older one");
    n_second += has_failed && ge != NULL;
    GpuElemwise_free(ge);
    if (!has_failed)
      break;
  }
  assert_true(n_second > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_prepared),
      cmocka_unit_test(test_prepared_empty),
      cmocka_unit_test(test_overlap),
      cmocka_unit_test(test_calls_keep_no_buffers),
      cmocka_unit_test(test_second_call_builds_nothing),
      cmocka_unit_test(test_many_geometries),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_preprocessor_lines),
      cmocka_unit_test(test_c_names),
      cmocka_unit_test(test_bad_preprocessor_lines),
      cmocka_unit_test(test_plain_text_in_lanes),
      cmocka_unit_test(test_bad_objects),
      cmocka_unit_test(test_bad_calls),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_second_try_leaves_the_last_error),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
