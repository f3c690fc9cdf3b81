/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions with expressions: values, slots, refusals, lack of memory. */
#include "support/device.h"

#include <gpuarray/reduction.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

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
  test_mappings(distances);
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

/* --- several values of one read --- */

/* sum x, sum x y and sum y^2 of rows and of columns, in one part and in
 * many. */
static const struct {
  size_t dims[2];
  unsigned char reduced[2];
} several[] = {{{5, 300}, {0, 1}}, {{3000, 70}, {1, 0}}, {{1, 70001}, {1, 1}}};

static const gpuelemwise_arg pair_args[2] = {{"x", GA_FLOAT, GE_READ},
                                             {"y", GA_FLOAT, GE_READ}};
static const gpuelemwise_arg three_args[3] = {{"a", GA_FLOAT, GE_WRITE},
                                              {"b", GA_FLOAT, GE_WRITE},
                                              {"c", GA_FLOAT, GE_WRITE}};

/* want[k] += what element i of x and y adds to sum k; magnitudes in size[k]. */
static void add_pair(const float *x, const float *y, size_t i, double want[3],
                     double size[3]) {
  const double v[3] = {x[i], (double)x[i] * y[i], (double)y[i] * y[i]};

  for (int k = 0; k < 3; k++) {
    want[k] += v[k];
    size[k] += fabs(v[k]);
  }
}

static void check_several(const GpuArray *out, const float *x, const float *y,
                          const size_t *dims, const unsigned char *reduced) {
  const size_t n = reduced[0] ? reduced[1] ? 1 : dims[1] : dims[0];
  float *got[3];

  for (int k = 0; k < 3; k++) {
    got[k] = malloc(n * sizeof(float));
    test_gather(&out[k], got[k]);
  }
  for (size_t o = 0; o < n; o++) {
    double want[3] = {0}, size[3] = {0};

    for (size_t i = reduced[0] ? 0 : o; i < (reduced[0] ? dims[0] : o + 1); i++)
      for (size_t j = reduced[1] ? 0 : o; j < (reduced[1] ? dims[1] : o + 1);
           j++)
        add_pair(x, y, i * dims[1] + j, want, size);
    for (int k = 0; k < 3; k++)
      assert_true(fabs(got[k][o] - want[k]) <= 1e-6 * size[k]);
  }
  for (int k = 0; k < 3; k++)
    free(got[k]);
}

static void run_several(const size_t *dims, const unsigned char *reduced) {
  const GpuReductionSpec spec = {.op = GA_REDUCE_SUM,
                                 .acc = GA_FLOAT,
                                 .map = "v0 = x; v1 = x * y; v2 = y * y",
                                 .post = "a = acc0; b = acc1; c = acc2;",
                                 .n_in = 2,
                                 .in = pair_args,
                                 .n_post = 3,
                                 .post_args = three_args,
                                 .flags = GE_VECTOR,
                                 .n_acc = 3};
  const size_t n = dims[0] * dims[1];
  const size_t odims[2] = {reduced[0] ? 1 : dims[0], reduced[1] ? 1 : dims[1]};
  float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  GpuArray ax, ay, out[3];
  GpuReduction *r;
  GpuLaunch *l;

  test_fill(x, GA_FLOAT, n, -1, 1, 1);
  test_fill(y, GA_FLOAT, n, -1, 1, 2);
  test_array(&ax, GA_FLOAT, 2, dims, x);
  test_array(&ay, GA_FLOAT, 2, dims, y);
  for (int k = 0; k < 3; k++)
    assert_ok(GpuArray_empty(&out[k], test_context(), GA_FLOAT, 2, odims,
                             GA_C_ORDER));
  assert_ok(GpuReduction_new(&r, test_context(), &spec));
  assert_ok(GpuReduction_prepare(&l, r, 2, dims, reduced, (void *[]){&ax, &ay},
                                 (void *[]){&out[0], &out[1], &out[2]}));
  assert_ok(GpuLaunch_run(l));
  check_several(out, x, y, dims, reduced);
  GpuLaunch_free(l);
  GpuReduction_free(r);
  for (int k = 0; k < 3; k++)
    GpuArray_clear(&out[k]);
  GpuArray_clear(&ax);
  GpuArray_clear(&ay);
  free(x);
  free(y);
}

static void all_several(void) {
  for (size_t i = 0; i < sizeof several / sizeof several[0]; i++)
    run_several(several[i].dims, several[i].reduced);
}

static void test_several(void **state) {
  (void)state;
  test_mappings(all_several);
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

  (void)state;
  GpuReductionSpec s = plain_spec();
  s.op = GA_REDUCE_MEAN;
  refuse(s, GA_VALUE_ERROR, "11");
  s = plain_spec();
  s.op = GA_REDUCE_ANY;
  refuse(s, GA_VALUE_ERROR, "any in float32, expected bool");
  s = plain_spec();
  s.op = GA_REDUCE_XOR;
  refuse(s, GA_VALUE_ERROR, "xor in float32");
  s = plain_spec();
  s.op = GA_REDUCE_MAX;
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
  s = plain_spec();
  s.n_acc = GPUREDUCTION_MAX_ACC + 1;
  refuse(s, GA_VALUE_ERROR, "5 values to combine, at most 4");
  s.n_acc = 2;
  refuse(s, GA_VALUE_ERROR, "2 values to combine, but no map");
  s.map = "v0 = v1 = x";
  refuse(s, GA_VALUE_ERROR, "2 values to combine, but no post expression");
  s.op = GA_REDUCE_ARGMAX;
  refuse(s, GA_VALUE_ERROR, "argmax of 2 values");
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
  assert_message(GA_VALUE_ERROR, "out: dim 0: expected 3, got 1");
  assert_null(l);
  post[0] = &out;
  in[0] = NULL;
  assert_code(GA_INVALID_ERROR,
              GpuReduction_prepare(&l, red, 2, dims, reduced, in, post));
  assert_message(GA_INVALID_ERROR, "x: no array");
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

/* A view of `a`, whose elements of float are contiguous, from element `at`. */
static void view_at(GpuArray *v, const GpuArray *a, size_t at,
                    const size_t dims[2]) {
  const ssize_t strides[2] = {(ssize_t)(4 * dims[1]), 4};

  assert_ok(GpuArray_fromdata(v, a->data, a->offset + 4 * at, GA_FLOAT, 2, dims,
                              strides, 1));
}

/* Results may be what the epilogue reads in their place, and nothing else. */
static void test_overlaps(void **state) {
  const size_t dims[2] = {3, 4}, odims[2] = {3, 1}, all[2] = {8, 4};
  const unsigned char reduced[2] = {0, 1};
  const gpuelemwise_arg in = {"x", GA_FLOAT, GE_READ};
  const gpuelemwise_arg post[3] = {{"old", GA_FLOAT, GE_READ},
                                   {"one", GA_FLOAT, GE_WRITE},
                                   {"two", GA_FLOAT, GE_WRITE}};
  const GpuReductionSpec spec = {.op = GA_REDUCE_SUM,
                                 .acc = GA_FLOAT,
                                 .n_in = 1,
                                 .in = &in,
                                 .post = "one = old + acc; two = acc;",
                                 .n_post = 3,
                                 .post_args = post};
  const float start[32] = {1, 2,  3,  4,  5,   6,   7,  8,
                           9, 10, 11, 12, 100, 200, 300},
              want[3] = {110, 226, 342};
  GpuArray a, x, at_x, old, one, two;
  GpuReduction *r;
  GpuLaunch *l;

  (void)state;
  test_array(&a, GA_FLOAT, 2, all, start);
  view_at(&x, &a, 0, dims);
  view_at(&at_x, &a, 9, odims);
  view_at(&old, &a, 12, odims);
  view_at(&one, &a, 13, odims);
  view_at(&two, &a, 20, odims);
  assert_ok(GpuReduction_new(&r, test_context(), &spec));
  assert_code(GA_VALUE_ERROR,
              GpuReduction_prepare(&l, r, 2, dims, reduced, (void *[]){&x},
                                   (void *[]){&old, &at_x, &two}));
  assert_message(GA_VALUE_ERROR, "one: overlaps x");
  assert_code(GA_VALUE_ERROR,
              GpuReduction_prepare(&l, r, 2, dims, reduced, (void *[]){&x},
                                   (void *[]){&old, &one, &two}));
  assert_message(GA_VALUE_ERROR, "one: overlaps old");
  assert_code(GA_VALUE_ERROR,
              GpuReduction_prepare(&l, r, 2, dims, reduced, (void *[]){&x},
                                   (void *[]){&old, &two, &two}));
  assert_message(GA_VALUE_ERROR, "one: overlaps two");
  assert_null(l);
  assert_ok(GpuReduction_prepare(&l, r, 2, dims, reduced, (void *[]){&x},
                                 (void *[]){&old, &old, &two}));
  assert_ok(GpuLaunch_run(l));
  test_array_equal(&old, want);
  GpuLaunch_free(l);
  GpuReduction_free(r);
  GpuArray_clear(&a);
  GpuArray_clear(&x);
  GpuArray_clear(&at_x);
  GpuArray_clear(&old);
  GpuArray_clear(&one);
  GpuArray_clear(&two);
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
  assert_ok(GpuArray_zeros(&r, test_context(), GA_FLOAT, 1, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&at, test_context(), GA_LONG, 1, dims, GA_C_ORDER));
  assert_code(GA_VALUE_ERROR, GpuArray_maxandargmax(&r, &at, &x, 1, &axis));
  assert_message(GA_VALUE_ERROR, "argmax of no elements");
  GpuArray_clear(&r);
  GpuArray_clear(&at);
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

typedef struct rows {
  GpuArray x, r, most, at;
} rows;

static int reduce_rows(rows *a, int is_arg) {
  const unsigned int axis = 1;

  if (is_arg)
    return GpuArray_maxandargmax(&a->most, &a->at, &a->x, 1, &axis);
  return GpuArray_reduction(&a->r, &a->x, GA_REDUCE_VAR, 1, &axis, 0, -1, -1);
}

/* Whichever allocation fails, the call says so and keeps nothing. */
static void test_out_of_memory(void **state) {
  const size_t dims[2] = {20, 30};
  rows a = {0};

  (void)state;
  assert_ok(
      GpuArray_zeros(&a.x, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(
      GpuArray_zeros(&a.most, test_context(), GA_FLOAT, 1, dims, GA_C_ORDER));
  assert_ok(
      GpuArray_zeros(&a.at, test_context(), GA_LONG, 1, dims, GA_C_ORDER));
  for (int is_arg = 0; is_arg < 2; is_arg++) {
    int err = GA_MEMORY_ERROR;

    assert_ok(reduce_rows(&a, is_arg)); /* to have the kernels */
    GpuArray_clear(&a.r);
    for (long n = 1; err != GA_NO_ERROR; n++) {
      const long before = ga__alloc_live();

      assert_true(n < 1000);
      ga__alloc_fail(n, 0);
      err = reduce_rows(&a, is_arg);
      ga__alloc_fail(0, 0);
      if (err == GA_NO_ERROR)
        break;
      assert_int_equal(err, GA_MEMORY_ERROR);
      assert_null(a.r.data);
      assert_true(ga__alloc_live() <= before);
    }
    GpuArray_clear(&a.r);
  }
  GpuArray_clear(&a.most);
  GpuArray_clear(&a.at);
  GpuArray_clear(&a.x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_expressions),
      cmocka_unit_test(test_plain_map),
      cmocka_unit_test(test_several),
      cmocka_unit_test(test_refused_specs),
      cmocka_unit_test(test_refused_arrays),
      cmocka_unit_test(test_overlaps),
      cmocka_unit_test(test_refused_empty),
      cmocka_unit_test(test_bad_text),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
