/* SPDX-License-Identifier: BSD-2-Clause */
/* Row programs that run many times in one kernel: values for many sizes, rings,
 * what cannot be a loop. Functions use them in test_scan_whole. */
#include "support/device.h"
#include "support/kernel.h"

#include <gpuarray/device.h>
#include <gpuarray/rows.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "codegen/template.h"

/* h[t + 1] = W h[t] + x[t]. Each iteration is a row of `h`. */
static const GpuRowsPhase phases[] = {{"s = w * h;", "y = s + x;"}};
static const gpuelemwise_arg int_args[] = {{"w", GA_INT, GE_READ},
                                           {"h", GA_INT, GE_READ}};
static const gpuelemwise_arg int_row_args[] = {{"x", GA_INT, GE_READ},
                                               {"y", GA_INT, GE_WRITE}};
static const GpuRowsReduce int_sum[] = {{"s", GA_REDUCE_SUM, GA_INT}};
static const GpuRowsSpec product = {.n_phases = 1,
                                    .phases = phases,
                                    .n_reduce = 1,
                                    .reduce = int_sum,
                                    .n_args = 2,
                                    .args = int_args,
                                    .n_row_args = 2,
                                    .row_args = int_row_args,
                                    .flags = GE_VECTOR};

static const unsigned char reduced[2] = {0, 1};

/* The operands of a loop of n elements and `times` iterations. */
typedef struct loop {
  size_t n, times;
  GpuArray w, x, h;      /* [n, n], [times, n], [times + 1, n] */
  GpuArray from, x0, to; /* rows of them, for iteration 0 */
  GpuRowsMove moves[4];
} loop;

/* Row `row` of a, as a column or a row of a matrix. */
static void view_row(GpuArray *out, const GpuArray *a, size_t row, size_t n,
                     int is_column) {
  const size_t dims[2] = {is_column ? n : 1, is_column ? 1 : n};
  const ssize_t strides[2] = {4, 4};

  assert_ok(GpuArray_fromdata(out, a->data, a->offset + row * n * 4, GA_INT, 2,
                              dims, strides, 1));
}

static void loop_init(loop *l, size_t n, size_t times, const int32_t *w,
                      const int32_t *x, const int32_t *h) {
  l->n = n;
  l->times = times;
  test_array(&l->w, GA_INT, 2, (size_t[]){n, n}, w);
  test_array(&l->x, GA_INT, 2, (size_t[]){times, n}, x);
  test_array(&l->h, GA_INT, 2, (size_t[]){times + 1, n}, h);
  view_row(&l->from, &l->h, 0, n, 0);
  view_row(&l->to, &l->h, 1, n, 1);
  view_row(&l->x0, &l->x, 0, n, 1);
  memset(l->moves, 0, sizeof l->moves);
  l->moves[0].state = l->moves[2].state = -1;
  l->moves[2].step = l->moves[3].step = (ptrdiff_t)(4 * n);
}

static void loop_clear(loop *l) {
  GpuArray_clear(&l->w);
  GpuArray_clear(&l->x);
  GpuArray_clear(&l->h);
  GpuArray_clear(&l->from);
  GpuArray_clear(&l->x0);
  GpuArray_clear(&l->to);
}

static GpuLaunch *prepare(loop *l, const GpuRowsSpec *spec) {
  const size_t dims[2] = {l->n, l->n};
  GpuLaunch *launch;
  GpuRows *r;

  assert_ok(GpuRows_new(&r, test_context(), spec));
  assert_ok(GpuRows_prepare_loop(
      &launch, r, 2, dims, reduced, (void *[]){&l->w, &l->from},
      (void *[]){&l->x0, &l->to}, l->times, 1, l->moves));
  GpuRows_free(r);
  return launch;
}

/* All elements of a loop, modulo 2^32. */
static void check(size_t n, size_t times) {
  int32_t *w = malloc(n * n * 4), *x = malloc(times * n * 4);
  int32_t *h = calloc((times + 1) * n, 4);
  loop l;

  test_fill(w, GA_INT, n * n, -9, 9, (uint32_t)n);
  test_fill(x, GA_INT, times * n, -99, 99, (uint32_t)times);
  test_fill(h, GA_INT, n, -9, 9, 3);
  loop_init(&l, n, times, w, x, h);
  GpuLaunch *launch = prepare(&l, &product);
  assert_non_null(launch);
  for (size_t t = 0; t < times; t++)
    for (size_t i = 0; i < n; i++) {
      uint32_t sum = (uint32_t)x[t * n + i];
      for (size_t k = 0; k < n; k++)
        sum += (uint32_t)w[i * n + k] * (uint32_t)h[t * n + k];
      h[(t + 1) * n + i] = (int32_t)sum;
    }
  for (int run = 0; run < 2; run++) {
    assert_ok(GpuLaunch_run(launch));
    test_array_equal(&l.h, h);
  }
  GpuLaunch_free(launch);
  loop_clear(&l);
  free(w);
  free(x);
  free(h);
}

static void check_sizes(void) {
  check(9, 1);
  check(9, 2);
  check(64, 7);
  check(100, 5);
  check(130, 20);
  check(515, 3);
}

static void test_values(void **state) {
  (void)state;
  test_need_int64_atomics();
  test_chained(check_sizes);
}

static void test_values_cpu(void **state) {
  (void)state;
  test_need_int64_atomics();
  test_chained_cpu(check_sizes);
}

/* Only the last value is stored, in either row of a ring. */
static void check_ring(void) {
  static const int32_t w[9] = {1, 2, 0, 0, 1, -1, 3, 0, 1};
  static const int32_t x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  static const int32_t first[15] = {1, 1, 1};
  GpuRowsSpec spec = product;

  for (size_t times = 2; times <= 4; times++) {
    int32_t h[3] = {1, 1, 1}, got[15];
    loop l;

    loop_init(&l, 3, times, w, x, first);
    l.moves[3].once = 1;
    l.moves[3].step = times % 2 == 0 ? -12 : 0;
    spec.flags = times == 3 ? GE_VECTOR : 0;
    GpuLaunch *launch = prepare(&l, &spec);
    if (launch == NULL) { /* rows of one work-item */
      loop_clear(&l);
      continue;
    }
    assert_ok(GpuLaunch_run(launch));
    for (size_t t = 0; t < times; t++) {
      int32_t next[3];
      for (int i = 0; i < 3; i++) {
        next[i] = x[3 * t + (size_t)i];
        for (int k = 0; k < 3; k++)
          next[i] += w[3 * i + k] * h[k];
      }
      memcpy(h, next, sizeof h);
    }
    test_gather(&l.h, got);
    assert_memory_equal(got + 3 * (times % 2), h, sizeof h);
    assert_memory_equal(got + 6, first + 6, (times - 1) * 12);
    GpuLaunch_free(launch);
    loop_clear(&l);
  }
}

static void test_ring(void **state) {
  (void)state;
  test_chained(check_ring);
}

static void test_ring_cpu(void **state) {
  (void)state;
  test_need_int64_atomics();
  test_chained_cpu(check_ring);
}

/* --- groups that are held up --- */

/* A group tells iterations 5, 3 and 7, then 6 and 4. */
static void check_tell(const char *extension) {
  static const char begin[] = "#define R_IDX uint\n"
                              "#define R_TEAM 2\n"
                              "typedef struct r_row {\n"
                              "  volatile global ulong *words;\n"
                              "  uint t, o, rows, bad;\n"
                              "} r_row;\n";
  static const char end[] = "kernel void k(global ulong *words) {\n"
                            "  r_row r = {words, 5, 0, 1, 0};\n"
                            "  r_tell(&r, 0, 0, 50);\n"
                            "  r.t = 3;\n"
                            "  r_tell(&r, 0, 0, 30);\n"
                            "  words[2] = words[0];\n"
                            "  r.t = 7;\n"
                            "  r_tell(&r, 0, 0, 0);\n"
                            "  r.t = 6;\n"
                            "  r_tell(&r, 0, 0, 60);\n"
                            "  r.t = 4;\n"
                            "  r_tell(&r, 0, 0, 90);\n"
                            "}\n";
  const uint64_t want[3] = {9ull << 32, 8ull << 32 | 60, 7ull << 32 | 50};
  uint64_t got[3];
  char text[8192];

  assert_true(snprintf(text, sizeof text, "%s%s%s%s", extension, begin,
                       ga__template("rows_words"), end) < (int)sizeof text);
  GpuKernel k = test_kernel(text, 1, (int[]){GA_BUFFER}, 0);
  gpudata *words = test_zeros(sizeof got);
  test_call(&k, 1, 1, (void *[]){words});
  assert_ok(gpudata_read(got, words, 0, sizeof got));
  assert_memory_equal(got, want, sizeof got);
  gpudata_release(words);
  GpuKernel_clear(&k);
}

/* What others have told in a group's place, and gone on from, stays. */
static void test_tell(void **state) {
  (void)state;
  test_need_int64_atomics();
  check_tell("");
  check_tell("#undef cl_khr_int64_extended_atomics\n");
}

/* --- what cannot be a loop --- */

static int can_run(size_t n, const GpuRowsSpec *spec, const GpuRowsMove *m) {
  int32_t *zeros = calloc(n * n + 3 * n, 4);
  loop l;

  loop_init(&l, n, 2, zeros, zeros, zeros);
  if (m != NULL)
    l.moves[1] = *m;
  GpuLaunch *launch = prepare(&l, spec);
  const int can = launch != NULL;
  GpuLaunch_free(launch);
  loop_clear(&l);
  free(zeros);
  return can;
}

static void check_others(void) {
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const GpuRowsMove still = {.state = -1};

  assert_true(can_run(64, &product, NULL));
  assert_false(can_run(64, &product, &still)); /* nothing reads the state */
  assert_false(can_run(1, &product, NULL));
  caps->chains = 0;
  assert_false(can_run(64, &product, NULL));
  caps->chains = 1;
  caps->int64_atomics = 0;
  assert_false(can_run(64, &product, NULL));
  caps->int64_atomics = 1;
}

/* Rows from the last to the first: words would not be in their order. */
static void check_reversed(void) {
  static int32_t zeros[64 * 64];
  const ssize_t strides[2] = {-256, 4};
  const size_t dims[2] = {64, 64};
  GpuArray upwards;
  loop l;

  loop_init(&l, 64, 2, zeros, zeros, zeros);
  upwards = l.w;
  assert_ok(GpuArray_fromdata(&l.w, upwards.data, upwards.offset + 63 * 256,
                              GA_INT, 2, dims, strides, 1));
  GpuLaunch *launch = prepare(&l, &product);
  assert_null(launch);
  GpuArray_clear(&upwards);
  loop_clear(&l);
}

/* A state that is told before the last phase has read. */
static void check_early(void) {
  static const GpuRowsPhase early[] = {{"s = w * h;", "y = s + x;"},
                                       {"m = w * h;", "q = m;"}};
  static const GpuRowsReduce both[] = {{"s", GA_REDUCE_SUM, GA_INT},
                                       {"m", GA_REDUCE_MAX, GA_INT}};
  static const GpuRowsValue numbers[] = {{"q", GA_INT}};
  GpuRowsSpec spec = product;

  spec.n_phases = spec.n_reduce = 2;
  spec.phases = early;
  spec.reduce = both;
  spec.n_numbers = 1;
  spec.numbers = numbers;
  assert_false(can_run(64, &spec, NULL));
}

static void test_orders(void **state) {
  (void)state;
  test_chained(check_reversed);
  test_chained_cpu(check_reversed);
  test_chained(check_early);
  test_chained_cpu(check_early);
}

static void test_others(void **state) {
  (void)state;
  test_need_int64_atomics();
  test_chained(check_others);
  test_chained_cpu(check_others);
}

/* Rows that read the state one element each, not all of it. */
static void check_own(void) {
  static const GpuRowsPhase own[] = {{"s = w;", "y = s + h;"}};
  static const gpuelemwise_arg args[] = {{"w", GA_INT, GE_READ}};
  static const gpuelemwise_arg row_args[] = {{"h", GA_INT, GE_READ},
                                             {"y", GA_INT, GE_WRITE}};
  const size_t dims[2] = {64, 64};
  GpuRowsSpec spec = product;
  GpuRowsMove moves[3] = {{.state = -1}, {.state = 0}, {.step = 256}};
  int32_t zeros[64 * 64] = {0};
  GpuLaunch *launch;
  GpuArray h;
  GpuRows *r;
  loop l;

  spec.phases = own;
  spec.n_args = 1;
  spec.args = args;
  spec.row_args = row_args;
  loop_init(&l, 64, 2, zeros, zeros, zeros);
  view_row(&h, &l.h, 0, 64, 1);
  assert_ok(GpuRows_new(&r, test_context(), &spec));
  assert_ok(GpuRows_prepare_loop(&launch, r, 2, dims, reduced, (void *[]){&l.w},
                                 (void *[]){&h, &l.to}, 2, 1, moves));
  assert_null(launch);
  GpuRows_free(r);
  GpuArray_clear(&h);
  loop_clear(&l);
}

static void test_own(void **state) {
  (void)state;
  test_chained(check_own);
  test_chained_cpu(check_own);
}

/* --- lack of memory --- */

static int make_and_prepare(loop *l) {
  const size_t dims[2] = {l->n, l->n};
  GpuLaunch *launch = NULL;
  GpuRows *r = NULL;
  int err = GpuRows_new(&r, test_context(), &product);

  if (err == GA_NO_ERROR)
    err = GpuRows_prepare_loop(
        &launch, r, 2, dims, reduced, (void *[]){&l->w, &l->from},
        (void *[]){&l->x0, &l->to}, l->times, 1, l->moves);
  GpuLaunch_free(launch);
  GpuRows_free(r);
  return err;
}

/* Whichever allocation fails, the call says so and keeps nothing. */
static void check_lack(void) {
  static int32_t zeros[64 * 64];
  int err = GA_MEMORY_ERROR;
  loop l;

  loop_init(&l, 64, 2, zeros, zeros, zeros);
  assert_ok(make_and_prepare(&l));
  for (long n = 1; err != GA_NO_ERROR; n++) {
    const long before = ga__alloc_live();

    assert_true(n < 1000);
    ga__alloc_fail(n, 0);
    err = make_and_prepare(&l);
    ga__alloc_fail(0, 0);
    assert_true(err == GA_NO_ERROR || err == GA_MEMORY_ERROR);
    assert_true(err == GA_NO_ERROR || ga__alloc_live() <= before);
  }
  loop_clear(&l);
}

static void test_lack(void **state) {
  (void)state;
  test_chained(check_lack);
  test_chained_cpu(check_lack);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),   cmocka_unit_test(test_ring),
      cmocka_unit_test(test_others),   cmocka_unit_test(test_orders),
      cmocka_unit_test(test_own),      cmocka_unit_test(test_lack),
      cmocka_unit_test(test_tell),     cmocka_unit_test(test_values_cpu),
      cmocka_unit_test(test_ring_cpu),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
