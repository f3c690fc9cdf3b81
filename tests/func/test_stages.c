/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions whose sizes follow from data, against loops on the host. */
#undef GG_NO_SITES
#include "support/graph_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/profile.h>
#include <gpugraph/report.h>

#include "support/lcg.h"

enum { MOST = 300 };

/* n small whole numbers, of which about half are not 0, in `a`. */
static void draw(float *x, size_t n, uint64_t seed) {
  uint64_t state = seed;

  for (size_t i = 0; i < n; i++)
    x[i] = lcg_below(&state, 2) == 0 ? 0 : (float)lcg_below(&state, 9) - 4;
  GpuArray_clear(&a);
  float_vector(&a, n, x);
}

static gg_var *vector(const char *name) {
  return gg_input(g, name, GA_FLOAT, 1);
}

static gg_func *make(gg_var **in, gg_var **results) {
  return func_make(g, &(gg_func_spec){.inputs = in, .outputs = results});
}

static void assert_longs(const GpuArray *x, const int64_t *want, size_t n) {
  assert_int_equal(test_size(x), n);
  test_array_equal(x, want);
}

/* --- one count --- */

static void test_positions(void **state) {
  gg_var *x = vector("x");
  gg_func *f =
      make(GG_VARS(x), GG_VARS(gg_flatnonzero(x),
                               gg_compress(gg_exp(x), gg_gt(x, gg_f32(g, 0)))));
  float v[MOST], want[MOST];
  int64_t at[MOST];

  (void)state;
  for (size_t n = 0; n < 60; n += 7) {
    size_t count = 0, some = 0;
    draw(v, n, n + 1);
    for (size_t i = 0; i < n; i++) {
      if (v[i] != 0)
        at[count++] = (int64_t)i;
      if (v[i] > 0)
        want[some++] = expf(v[i]);
    }
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
    assert_longs(&out, at, count);
    assert_int_equal(test_size(&out2), some);
    test_array_close(&out2, want, 1e-6, 0);
  }
  assert_int_equal(func_stats(f).calls, 9);
  gg_func_free(f);
}

/* What follows is planned for the real size: sums, products, shapes. */
static void test_behind(void **state) {
  gg_var *x = vector("x");
  gg_var *y = gg_compress(x, gg_ne(x, gg_f32(g, 0)));
  gg_var *n = gg_shape(y, 0);
  gg_var *outer = gg_sum(gg_outer(y, y));
  gg_func *f = make(GG_VARS(x), GG_VARS(gg_mean(gg_mul(y, y)), gg_add(n, n)));
  gg_func *h = make(GG_VARS(x), GG_VARS(outer));
  float v[MOST];

  (void)state;
  for (size_t n_x = 20; n_x < MOST; n_x += 70) {
    double sum = 0, squares = 0;
    int64_t count = 0, twice;
    float got;
    draw(v, n_x, n_x);
    for (size_t i = 0; i < n_x; i++) {
      count += v[i] != 0;
      sum += (double)v[i];
      squares += (double)v[i] * (double)v[i];
    }
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
    assert_ok(GpuArray_read(&got, 4, &out));
    assert_float_equal(got, (float)(squares / (double)count), 1e-5f);
    assert_ok(GpuArray_read(&twice, 8, &out2));
    assert_int_equal(twice, 2 * count);
    GpuArray_clear(&out);
    func_run(h, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    assert_ok(GpuArray_read(&got, 4, &out));
    assert_float_equal(got, (float)(sum * sum), 1e-2f);
  }
  gg_func_free(f);
  gg_func_free(h);
}

/* A size that is computed from counts, another op than a selection. */
static void test_any_size(void **state) {
  gg_var *x = vector("x");
  gg_var *most = gg_cast(gg_max(x), GA_LONG);
  gg_var *zero = gg_i64(g, 0), *one = gg_i64(g, 1);
  gg_func *f = make(GG_VARS(x),
                    GG_VARS(gg_arange(zero, gg_add(most, gg_i64(g, 2)), one),
                            gg_slice_at(x, 0, gg_sub(most, one), NULL, NULL)));
  const float v[] = {1, 3, 2, 0, 3};
  const int64_t want[] = {0, 1, 2, 3, 4};

  (void)state;
  float_vector(&a, 5, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  assert_longs(&out, want, 5);
  assert_floats(&out2, v + 2, 3);
  gg_func_free(f);
}

/* The second output of a choice is a size. */
static void test_second_output(void **state) {
  gg_var *x = vector("x"), *n[2];
  gg_var *most = gg_cast(gg_max(x), GA_LONG);
  gg_var *zero = gg_i64(g, 0), *one = gg_i64(g, 1);
  const float v[] = {1, 3, 2};
  const int64_t want[] = {0, 1, 2}, twice = 6;

  (void)state;
  assert_ok(gg_ifelse_all(n, gg_gt(gg_sum(x), gg_f32(g, 0)), 2,
                          GG_VARS(gg_add(most, most), most),
                          GG_VARS(zero, one)));
  gg_func *f = make(GG_VARS(x), GG_VARS(n[0], gg_arange(zero, n[1], one)));
  float_vector(&a, 3, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  assert_longs(&out, &twice, 1);
  assert_longs(&out2, want, 3);
  gg_func_free(f);
}

/* --- several stages --- */

static int by_value(const void *p, const void *q) {
  const float x = *(const float *)p, y = *(const float *)q;

  return (x > y) - (x < y);
}

static void test_unique(void **state) {
  gg_var *x = vector("x"), *first, *inverse, *counts;
  gg_var *values = gg_unique(x, &first, &inverse, &counts);
  gg_func *f = make(GG_VARS(x), GG_VARS(values, first, inverse, counts));
  float v[MOST], sorted[MOST];
  GpuArray r[4] = {{0}};

  (void)state;
  for (size_t n = 0; n < 100; n += 33) {
    int64_t at[MOST], of[MOST], many[MOST] = {0};
    size_t count = 0;
    draw(v, n, n + 3);
    memcpy(sorted, v, n * sizeof *v);
    qsort(sorted, n, sizeof *v, by_value);
    for (size_t i = 0; i < n; i++) {
      if (i == 0 || sorted[i] != sorted[i - 1])
        sorted[count++] = sorted[i];
      many[count - 1]++;
    }
    for (size_t i = n; i-- > 0;)
      for (size_t k = 0; k < count; k++)
        if (sorted[k] == v[i]) {
          at[k] = (int64_t)i;
          of[i] = (int64_t)k;
        }
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&r[0], &r[1], &r[2], &r[3]});
    assert_floats(&r[0], sorted, count);
    assert_longs(&r[1], at, count);
    assert_longs(&r[2], of, n);
    assert_longs(&r[3], many, count);
  }
  for (int i = 0; i < 4; i++)
    GpuArray_clear(&r[i]);
  gg_func_free(f);
}

static void test_sets(void **state) {
  gg_var *x = vector("x");
  gg_var *y = vector("y");
  gg_func *f =
      make(GG_VARS(x, y), GG_VARS(gg_union(x, y), gg_intersection(x, y),
                                  gg_difference(x, y), gg_is_member(x, y)));
  const float v[] = {3, 1, 4, 1, 5}, w[] = {9, 1, 3};
  const float all[] = {1, 3, 4, 5, 9};
  const unsigned char is[] = {1, 1, 0, 1, 0};
  GpuArray r[4] = {{0}};

  (void)state;
  float_vector(&a, 5, v);
  float_vector(&b, 3, w);
  func_run(f, (GpuArray *[]){&a, &b},
           (GpuArray *[]){&r[0], &r[1], &r[2], &r[3]});
  assert_floats(&r[0], all, 5);
  assert_floats(&r[1], all, 2);
  assert_floats(&r[2], all + 2, 2);
  test_array_equal(&r[3], is);
  for (int i = 0; i < 4; i++)
    GpuArray_clear(&r[i]);
  gg_func_free(f);
}

static void test_runs(void **state) {
  gg_var *x = vector("x"), *starts, *lengths;
  gg_var *values = gg_run_lengths(x, &starts, &lengths);
  gg_func *f = make(GG_VARS(x), GG_VARS(values, starts, lengths));
  const float v[] = {2, 2, NAN, NAN, 7, 2, 2, 2};
  const int64_t at[] = {0, 2, 4, 5}, many[] = {2, 2, 1, 3};
  GpuArray r = {0};

  (void)state;
  float_vector(&a, 8, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&r, &out, &out2});
  assert_int_equal(test_size(&r), 4);
  assert_longs(&out, at, 4);
  assert_longs(&out2, many, 4);
  GpuArray_clear(&r);
  gg_func_free(f);
}

/* --- rows, gradients, updates --- */

static void test_rows(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *m = vector("m");
  gg_func *f = make(GG_VARS(x, m), GG_VARS(gg_compress(x, m), gg_nonzero(x)));
  const float v[] = {1, 2, 3, 0, 5, 6}, bits[] = {0, 1, 1};
  const int64_t want[] = {0, 0, 0, 1, 1, 0, 2, 0, 2, 1};

  (void)state;
  float_array(&a, 2, (size_t[]){3, 2}, v);
  float_vector(&b, 3, bits);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, v + 2, 4);
  assert_int_equal(out2.dimensions[0], 5);
  test_array_equal(&out2, want);
  gg_func_free(f);
}

/* d/dx of the sum of squares of the positive elements. */
static void test_gradient(void **state) {
  gg_var *x = vector("x"), *gx;
  gg_var *y = gg_compress(x, gg_gt(x, gg_f32(g, 0)));
  const float v[] = {-1, 2, 3, 0, -5, 6}, want[] = {0, 4, 6, 0, 0, 12};

  (void)state;
  assert_ok(gg_grad(&gx, gg_sum(gg_mul(y, y)), 1, &x));
  gg_func *f = make(GG_VARS(x), GG_VARS(gx));
  float_vector(&a, 6, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, want, 6);
  gg_func_free(f);
}

/* A set that shrinks from call to call, until it is empty: each call keeps what
 * exceeds the mean. Outputs see the old set, in all stages. */
static void test_update(void **state) {
  const float v[] = {5, 40, 3, 20, 1, 0};
  const size_t n = 6, sizes[] = {6, 2, 1, 0};
  const float sums[] = {69, 60, 40};
  gg_var *set =
      gg_shared_host_sized(g, "set", GA_FLOAT, 1, &n, v, (int64_t[]){GG_ANY});
  gg_var *kept = gg_compress(set, gg_gt(set, gg_mean(set)));
  gg_func *f = func_make(
      g, &(gg_func_spec){.outputs = GG_VARS(gg_sum(set), gg_shape(kept, 0)),
                         .updates = (gg_update[]){{set, kept}, {NULL, NULL}}});

  (void)state;
  for (int i = 0; i < 3; i++) {
    int64_t left;
    func_run(f, NULL, (GpuArray *[]){&out, &out2});
    assert_floats(&out, &sums[i], 1);
    assert_ok(GpuArray_read(&left, 8, &out2));
    assert_int_equal(left, sizes[i + 1]);
  }
  gg_func_free(f);
}

/* A draw has one value in all stages, and another one in the next call. Shared
 * variables of all stages are listed. */
static void test_draws(void **state) {
  gg_var *x = vector("x"), *half = gg_f32(g, 0.5f);
  gg_random *r = gg_random_new(g, GG_PHILOX, 7);
  gg_var *u = gg_random_uniform(r, GG_DRAW_LIKE(GA_FLOAT, x), gg_f32(g, 0),
                                gg_f32(g, 1));
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 0, NULL, (float[]){1});
  gg_var *z = gg_mul(u, w);
  gg_func *f = make(GG_VARS(x), GG_VARS(z, gg_compress(z, gg_gt(z, half))));
  float v[50] = {0}, all[50], some[50], before = -1;

  (void)state;
  float_vector(&a, 50, v);
  assert_int_equal(gg_func_n_shared(f), 2);
  assert_non_null(gg_func_shared(f, 1));
  assert_null(gg_func_shared(f, 2));
  for (int i = 0; i < 3; i++) {
    size_t n = 0;
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
    assert_ok(GpuArray_read(all, sizeof all, &out));
    for (size_t k = 0; k < 50; k++)
      if (all[k] > 0.5f)
        some[n++] = all[k];
    assert_floats(&out2, some, n);
    assert_true(all[0] != before);
    before = all[0];
  }
  gg_random_free(r);
  gg_func_free(f);
}

/* In a branch of a choice. */
static void test_choice(void **state) {
  gg_var *x = vector("x"), *zero = gg_f32(g, 0);
  gg_var *y = gg_compress(x, gg_gt(x, zero));
  gg_func *f = make(GG_VARS(x), GG_VARS(gg_ifelse(gg_gt(gg_sum(x), zero),
                                                  gg_sum(gg_mul(y, y)), zero)));
  const float v[] = {1, 2, -1}, w[] = {1, 2, -9}, want[] = {5, 0};

  (void)state;
  float_vector(&a, 3, v);
  float_vector(&b, 3, w);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, &want[0], 1);
  func_run(f, (GpuArray *[]){&b}, (GpuArray *[]){&out});
  assert_floats(&out, &want[1], 1);
  gg_func_free(f);
}

/* --- non-maximum suppression --- */

static double overlap(const float *p, const float *q) {
  const float h = fminf(p[2], q[2]) - fmaxf(p[0], q[0]);
  const float w = fminf(p[3], q[3]) - fmaxf(p[1], q[1]);
  const double both = h > 0 && w > 0 ? (double)h * (double)w : 0;

  return both / ((double)(p[2] - p[0]) * (double)(p[3] - p[1]) +
                 (double)(q[2] - q[0]) * (double)(q[3] - q[1]) - both);
}

/* The boxes that class c of batch i keeps, as rows of `to`. */
static size_t suppress(const float *boxes, const float *scores, size_t n,
                       size_t most, int64_t i, int64_t c, int64_t *to) {
  unsigned char gone[32] = {0};
  size_t count = 0;

  for (; count < most; count++) {
    size_t best = n;
    for (size_t k = 0; k < n; k++)
      if (!gone[k] && scores[k] > 0.2f &&
          (best == n || scores[k] > scores[best]))
        best = k;
    if (best == n)
      break;
    for (size_t k = 0; k < n; k++)
      gone[k] |= k == best || overlap(boxes + 4 * k, boxes + 4 * best) > 0.4;
    memcpy(to + 3 * count, (int64_t[]){i, c, (int64_t)best}, 24);
  }
  return count;
}

static void test_suppression(void **state) {
  enum { B = 2, C = 3, N = 20, M = 5 };
  gg_var *boxes = gg_input(g, "boxes", GA_FLOAT, 3);
  gg_var *scores = gg_input(g, "scores", GA_FLOAT, 3);
  gg_func *f = make(
      GG_VARS(boxes, scores),
      GG_VARS(gg_non_max_suppression(boxes, scores, gg_i64(g, M),
                                     gg_f32(g, 0.4f), gg_f32(g, 0.2f), 0)));
  float v[B * N * 4], s[B * C * N], turned[B * N * 4];
  int64_t want[B * C * M * 3];
  size_t count = 0;

  (void)state;
  test_fill(v, GA_FLOAT, sizeof v / sizeof *v, 0, 4, 1);
  test_fill(s, GA_FLOAT, sizeof s / sizeof *s, 0, 1, 2);
  for (size_t k = 0; k < (size_t)B * N; k++)
    for (size_t d = 0; d < 2; d++) {
      v[4 * k + 2 + d] += v[4 * k + d] + 0.5f;
      turned[4 * k + d] = v[4 * k + (k % 2 != 0 ? 2 : 0) + d];
      turned[4 * k + 2 + d] = v[4 * k + (k % 2 != 0 ? 0 : 2) + d];
    }
  for (size_t i = 0; i < B; i++)
    for (size_t c = 0; c < C; c++)
      count += suppress(v + i * N * 4, s + (i * C + c) * N, N, M, (int64_t)i,
                        (int64_t)c, want + 3 * count);
  float_array(&a, 3, (size_t[]){B, N, 4}, turned);
  float_array(&b, 3, (size_t[]){B, C, N}, s);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_int_equal(out.dimensions[0], count);
  assert_int_equal(out.dimensions[1], 3);
  test_array_equal(&out, want);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  float_array(&a, 3, (size_t[]){B, 0, 4}, v); /* no boxes */
  float_array(&b, 3, (size_t[]){B, C, 0}, s);
  GpuArray_clear(&out);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_int_equal(out.dimensions[0], 0);
  assert_int_equal(out.dimensions[1], 3);
  gg_func_free(f);
}

/* Each call waits for one count, and new sizes make no kernels. */
static void test_cost(void **state) {
  gg_var *x = vector("x");
  gg_var *y = gg_compress(x, gg_ne(x, gg_f32(g, 0)));
  gg_func *f = make(GG_VARS(x), GG_VARS(gg_mul(y, gg_exp(y))));
  float v[MOST];
  gpucontext_counters before, after;
  size_t made = 0;

  (void)state;
  for (size_t i = 0; i < 60; i++) {
    draw(v, 200, i);
    gpucontext_count(test_context(), &before);
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    gpucontext_count(test_context(), &after);
    assert_int_equal(after.host_reads - before.host_reads, 1);
    if (i == 40)
      made = func_stats(f).kernels_made;
  }
  assert_int_equal(func_stats(f).kernels_made, made);
  assert_true(func_stats(f).steps >= 3);
  char *text = func_text(f);
  assert_non_null(strstr(text, "compress"));
  assert_non_null(strstr(text, "sum"));
  free(text);
  gg_func_free(f);
}

/* What `write` writes contains `part`. */
static void assert_written(gg_func *f, int (*write)(gg_func *, FILE *),
                           const char *part) {
  char *text = func_written(f, write);

  if (strstr(text, part) == NULL)
    fail_msg("no \"%s\" in:\n%s", part, text);
  free(text);
}

/* A profile lists what calls wait for: a count between stages, and an integer
 * that the caller has in an array. Sizes of arguments make nothing wait. */
static void test_waits(void **state) {
  gg_var *x = vector("x"), *n = gg_input(g, "n", GA_LONG, 0);
  gg_var *y = gg_compress(x, gg_ne(x, gg_f32(g, 0)));
  const int line = __LINE__ - 1;
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x, n),
                         .outputs = GG_VARS(gg_mul(y, gg_exp(y)),
                                            gg_slice_at(x, 0, NULL, n, NULL))});
  gg_func *h = func_make(
      g, &(gg_func_spec){
             .inputs = GG_VARS(x),
             .outputs = GG_VARS(gg_slice_at(
                 x, 0, NULL, gg_floordiv(gg_shape(x, 0), gg_i64(g, 2)), NULL)),
             .flags = GG_PROFILE});
  const int64_t two = 2;
  float v[MOST];
  char text[64];
  gg_profile_wait w[3] = {{0}};

  (void)state;
  draw(v, 200, 5);
  test_array(&b, GA_LONG, 0, NULL, &two);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  assert_int_equal(gg_func_profile_waits(f, w, 3), 0);
  assert_ok(gg_func_profile(f, 1));
  for (int i = 0; i < 3; i++)
    func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  assert_int_equal(gg_func_profile_waits(f, w, 3), 2);
  assert_true(w[0].seconds >= w[1].seconds && w[1].seconds > 0);
  const int is_n = strcmp(w[0].label, "n") == 0;
  assert_string_equal(w[!is_n].label, "n");
  assert_int_equal(w[!is_n].calls, 3);
  assert_int_equal(w[is_n].calls, 3);
  assert_non_null(strstr(w[is_n].file, "test_stages.c"));
  assert_int_equal(w[is_n].line, line);
  assert_int_equal(gg_func_profile_waits(f, w, 1), 2);
  assert_written(f, gg_func_profile_print,
                 "waits for values from the device:\n");
  assert_written(f, gg_func_profile_print, "         3  n (");
  snprintf(text, sizeof text, "test_stages.c:%d)\n", line);
  assert_written(f, gg_func_profile_print, text);
  assert_written(f, gg_func_profile_json,
                 "{\"value\": \"n\", \"calls\": 3, \"seconds\": ");
  assert_written(f, gg_func_html, "<td>3</td><td>n (");
  func_run(h, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_int_equal(gg_func_profile_waits(h, w, 3), 0);
  assert_written(h, gg_func_profile_json, "\"waits\": []");
  assert_int_equal(gg_func_profile_waits(NULL, w, 3), 0);
  gg_func_free(f);
  gg_func_free(h);
}

/* Debug mode, calls for some of the outputs, and what is refused. */
static void test_modes(void **state) {
  gg_var *x = vector("x");
  gg_var *y = gg_compress(x, gg_ne(x, gg_f32(g, 0)));
  gg_var **results = GG_VARS(gg_sum(y), gg_exp(y));
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = results,
                                            .mode = GG_DEBUG});
  gg_func *h = make(GG_VARS(x), results), *copy;
  const float v[] = {0, 2, 0, 1}, sum = 3;

  (void)state;
  float_vector(&a, 4, v);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, &sum, 1);
  GpuArray_clear(&out);
  func_run(h, (GpuArray *[]){&a}, (GpuArray *[]){&out, NULL});
  assert_floats(&out, &sum, 1);
  assert_int_equal(gg_func_n_inputs(h), 1);
  gg_func_trim(h);
  func_run(h, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  assert_floats(&out, &sum, 1);
  assert_code(GA_UNSUPPORTED_ERROR,
              gg_func_copy(&copy, h, &(gg_copy_spec){.name = "copy"}));
  assert_code(GA_UNSUPPORTED_ERROR,
              gg_func_prepare(h, (gg_dims[]){{.nd = 1, .dim = {4}}}));
  assert_code(GA_VALUE_ERROR,
              gg_func_call(h, NULL, (GpuArray *[]){&out, &out2}));
  gg_func_free(f);
  gg_func_free(h);
}

/* Rewriting removes a size that follows from data; debug mode computes it. */
static void test_twin(void **state) {
  gg_var *x = vector("x");
  gg_var *sizes[2] = {gg_cast(gg_max(x), GA_LONG), gg_i64(g, -1)};
  gg_var *y = gg_exp(gg_flatten(gg_reshape_sizes(x, 2, sizes)));
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = GG_VARS(y),
                                            .mode = GG_DEBUG});
  const float v[] = {0, 2, 0, 1}, want[] = {1, expf(2), 1, expf(1)};

  (void)state;
  float_vector(&a, 4, v);
  assert_ok(gg_func_prepare(f, (gg_dims[]){{.nd = 1, .dim = {4}}}));
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_int_equal(test_size(&out), 4);
  test_array_close(&out, want, 1e-6, 0);
  gg_func_free(f);
}

/* What does not fit is refused, by builders or by calls. */
static void test_refusals(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 3);
  gg_var *m = gg_input(g, "m", GA_FLOAT, 2);
  gg_func *f = make(GG_VARS(x, m), GG_VARS(gg_compress(x, m)));
  const float v[12] = {1, 2, 3};

  (void)state;
  float_array(&a, 3, (size_t[]){2, 3, 2}, v);
  float_array(&b, 2, (size_t[]){3, 2}, v);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}));
  GpuArray_clear(&b);
  float_array(&b, 2, (size_t[]){2, 3}, v);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_floats(&out, v, 6);
  assert_null(gg_mask_put(m, m, gg_c64(g, 1, 2), GG_PUT_SET));
  assert_code(GA_VALUE_ERROR, gg_graph_status(g));
  gg_graph_reset_error(g);
  gg_func_free(f);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_positions), TEST(test_behind),      TEST(test_any_size),
      TEST(test_unique),    TEST(test_sets),        TEST(test_runs),
      TEST(test_rows),      TEST(test_gradient),    TEST(test_update),
      TEST(test_choice),    TEST(test_suppression), TEST(test_cost),
      TEST(test_waits),     TEST(test_modes),       TEST(test_second_output),
      TEST(test_draws),     TEST(test_twin),        TEST(test_refusals)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
