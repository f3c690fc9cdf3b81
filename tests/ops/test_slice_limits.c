/* SPDX-License-Identifier: BSD-2-Clause */
/* Slices and indices with numbers near the limits of 64 bits: Python's results,
 * and no overflow, which the sanitizers see. */
#include "support/device.h"
#include "support/funcs.h"

#include <gpugraph/gpugraph.h>
#include <stdlib.h>

enum { SIZE = 5 };

static const int64_t bounds[] = {
    GG_END, INT64_MIN + 1, INT64_MIN + 2, -SIZE - 1, -SIZE, -2, 0,
    3,      SIZE,          INT64_MAX - 1, INT64_MAX};
static const int64_t steps[] = {1, 2, SIZE, INT64_MAX, -1, -3, INT64_MIN + 1};
enum {
  N_BOUNDS = sizeof bounds / sizeof *bounds,
  N_STEPS = sizeof steps / sizeof *steps
};

/* The elements of range(SIZE)[start:stop:step], walked one by one. */
static size_t walk(int64_t start, int64_t stop, int64_t step, float *out) {
  const int forward = step > 0;
  size_t n = 0;

  if (start == GG_END)
    start = forward ? 0 : SIZE - 1;
  else if (start < 0)
    start = start + SIZE < 0 ? (forward ? 0 : -1) : start + SIZE;
  if (stop == GG_END)
    stop = forward ? SIZE : -1;
  else if (stop < 0)
    stop = stop + SIZE < 0 ? -1 : stop + SIZE;
  start = start < SIZE ? start : forward ? SIZE : SIZE - 1;
  for (int64_t i = start;
       forward ? i < stop && i < SIZE : i > stop && i >= 0;) {
    out[n++] = (float)i;
    if (forward ? step >= SIZE - i : step <= -i - 1)
      break;
    i += step;
  }
  return n;
}

/* All slices with one step, of an axis whose size calls decide. */
static void check_step(gg_mode mode, int64_t step) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *out[N_BOUNDS * N_BOUNDS + 1] = {NULL};
  GpuArray arrays[N_BOUNDS * N_BOUNDS], *results[N_BOUNDS * N_BOUNDS], a;
  const float data[SIZE] = {0, 1, 2, 3, 4};
  float want[SIZE], got[SIZE];

  memset(arrays, 0, sizeof arrays);
  for (size_t i = 0; i < N_BOUNDS * N_BOUNDS; i++) {
    results[i] = &arrays[i];
    out[i] = gg_slice(x, 0, bounds[i / N_BOUNDS], bounds[i % N_BOUNDS], step);
  }
  test_array(&a, GA_FLOAT, 1, (size_t[]){SIZE}, data);
  gg_func *f = func_make(g, &(gg_func_spec){.name = "slices",
                                            .inputs = GG_VARS(x),
                                            .outputs = out,
                                            .mode = mode});
  func_run(f, (GpuArray *[]){&a}, results);
  for (size_t i = 0; i < N_BOUNDS * N_BOUNDS; i++) {
    const size_t n =
        walk(bounds[i / N_BOUNDS], bounds[i % N_BOUNDS], step, want);
    assert_int_equal(arrays[i].dimensions[0], n);
    test_gather(&arrays[i], got);
    assert_memory_equal(got, want, n * sizeof *got);
    GpuArray_clear(&arrays[i]);
  }
  GpuArray_clear(&a);
  gg_func_free(f);
  gg_graph_free(g);
}

static void test_slices(void **state) {
  (void)state;
  for (size_t i = 0; i < N_STEPS; i++) {
    check_step(GG_FAST_RUN, steps[i]);
    check_step(GG_NO_REWRITE, steps[i]);
  }
}

/* An index that no axis has is an error of the call, in its gradient, too. */
static void test_indices(void **state) {
  static const int64_t at[] = {INT64_MAX, INT64_MIN + 1};
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *d;
  const float data[SIZE] = {0};
  GpuArray a, out = {0};

  (void)state;
  test_array(&a, GA_FLOAT, 1, (size_t[]){SIZE}, data);
  for (size_t i = 0; i < 2; i++) {
    gg_var *joined = gg_join(0, 2, (gg_var *[]){x, gg_exp(x)});
    gg_var *y = gg_index(joined, 0, at[i]);
    assert_int_equal(gg_grad(&d, gg_sqr(y), 1, &x), GA_NO_ERROR);
    gg_func *f = func_make(
        g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(d)});
    assert_int_equal(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}),
                     GA_VALUE_ERROR);
    gg_func_free(f);
  }
  GpuArray_clear(&a);
  gg_graph_free(g);
}

/* A batch without rows has a buffer of 0 bytes, in which parts of its rows
 * begin nowhere. */
static void check_no_rows(gg_mode mode) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *part = gg_slice(x, 1, 1, 3, 1);
  gg_var *two[2] = {x, gg_exp(x)}, *at = gg_cast(gg_shape(x, 1), GA_LONG);
  gg_var *y[6] = {part,
                  gg_flip(x, 1),
                  gg_index(x, 1, 2),
                  gg_slice_at(x, 1, gg_sub(at, gg_i64(g, 1)), NULL, NULL),
                  gg_join(1, 2, two),
                  gg_slice_set(x, 1, 0, 2, 1, part)};
  gg_var *out[13] = {NULL};
  GpuArray arrays[12] = {0}, *results[12], a;

  for (size_t i = 0; i < 6; i++) {
    out[2 * i] = y[i];
    assert_ok(gg_grad(&out[2 * i + 1], gg_sum(y[i]), 1, &x));
  }
  for (size_t i = 0; i < 12; i++)
    results[i] = &arrays[i];
  test_array(&a, GA_FLOAT, 2, (size_t[]){0, 3}, NULL);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = out, .mode = mode});
  func_run(f, (GpuArray *[]){&a}, results);
  for (size_t i = 0; i < 12; i++) {
    assert_int_equal(arrays[i].dimensions[0], 0);
    GpuArray_clear(&arrays[i]);
  }
  GpuArray_clear(&a);
  gg_func_free(f);
  gg_graph_free(g);
}

static void test_no_rows(void **state) {
  (void)state;
  check_no_rows(GG_FAST_RUN);
  if (getenv("GPUGRAPH_QUICK_TESTS") != NULL)
    return;
  check_no_rows(GG_NO_REWRITE);
  check_no_rows(GG_DEBUG);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slices),
      cmocka_unit_test(test_indices),
      cmocka_unit_test(test_no_rows),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
