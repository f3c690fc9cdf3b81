/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions and row programs of equal descriptions share the source of their
 * kernels. Those that differ in one member do not. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/rows.h>

enum { N_SOURCES = 16 };

static const size_t dims[2] = {20, 30}, odims[2] = {20, 1};
static const unsigned char reduced[2] = {0, 1};

/* Launches of different descriptions; their sources stay as long as they. */
static GpuLaunch *made[N_SOURCES];
static unsigned int n_made;

/* Check that launch `l` has the source of launch number `like`, or with
 * `like` = n_made that of none. Adds `l`. */
static void check_source(GpuLaunch *l, unsigned int like) {
  const char *text = GpuLaunch_source(l, 0);

  assert_true(n_made < N_SOURCES);
  assert_non_null(text);
  if (like < n_made)
    assert_ptr_equal(text, GpuLaunch_source(made[like], 0));
  for (unsigned int i = 0; like == n_made && i < n_made; i++)
    assert_ptr_not_equal(text, GpuLaunch_source(made[i], 0));
  made[n_made++] = l;
}

static void drop_launches(void) {
  while (n_made > 0)
    GpuLaunch_free(made[--n_made]);
}

/* --- reductions --- */

static gpuelemwise_arg in = {"x", GA_FLOAT, GE_READ};
static gpuelemwise_arg out = {"y", GA_FLOAT, GE_WRITE};
static const GpuReductionSpec sum = {.op = GA_REDUCE_SUM,
                                     .acc = GA_FLOAT,
                                     .map = "v = x * x",
                                     .post = "y = acc",
                                     .n_in = 1,
                                     .in = &in,
                                     .n_post = 1,
                                     .post_args = &out};

static void reduce(GpuReductionSpec spec, GpuArray *x, GpuArray *y,
                   unsigned int like) {
  GpuReduction *r;
  GpuLaunch *l;

  assert_ok(GpuReduction_new(&r, test_context(), &spec));
  assert_ok(GpuReduction_prepare(&l, r, 2, dims, reduced, (void *[]){x},
                                 (void *[]){y}));
  GpuReduction_free(r);
  check_source(l, like);
}

static void test_reductions(void **state) {
  GpuReductionSpec other[7];
  GpuArray x, y, z;

  (void)state;
  assert_ok(GpuArray_zeros(&x, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&z, test_context(), GA_INT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&y, test_context(), GA_FLOAT, 2, odims, GA_C_ORDER));
  for (size_t i = 0; i < 7; i++)
    other[i] = sum;
  other[0].op = GA_REDUCE_MAX;
  other[1].map = "v = x + x";
  other[2].post = "y = acc / 2";
  other[3].preamble = "/* another */\n";
  other[4].acc = GA_INT;
  other[5].flags = GE_VECTOR;
  other[6] = (GpuReductionSpec){.op = GA_REDUCE_SUM,
                                .acc = GA_FLOAT,
                                .map = "v0 = x; v1 = x",
                                .post = "y = acc0 + acc1",
                                .n_in = 1,
                                .in = &in,
                                .n_post = 1,
                                .post_args = &out,
                                .n_acc = 2};
  reduce(sum, &x, &y, n_made);
  reduce(sum, &x, &y, 0);
  for (size_t i = 0; i < 7; i++)
    reduce(other[i], &x, &y, n_made);
  in.typecode = GA_INT;
  reduce(sum, &z, &y, n_made);
  in.typecode = GA_FLOAT;
  reduce(sum, &x, &y, 0);
  drop_launches();
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&z);
}

/* --- row programs --- */

static GpuRowsPhase phases[2] = {{"s = x;", "one = 1.0f / s;"},
                                 {"y = x * one;", NULL}};
static GpuRowsReduce total = {"s", GA_REDUCE_SUM, GA_FLOAT};
static GpuRowsValue number = {"one", GA_FLOAT};
static const gpuelemwise_arg args[2] = {{"x", GA_FLOAT, GE_READ},
                                        {"y", GA_FLOAT, GE_WRITE}};
static const GpuRowsSpec scale = {.n_phases = 2,
                                  .phases = phases,
                                  .n_reduce = 1,
                                  .reduce = &total,
                                  .n_numbers = 1,
                                  .numbers = &number,
                                  .n_args = 2,
                                  .args = args};

static void run_rows(GpuArray *x, GpuArray *y, unsigned int like) {
  GpuRows *r;
  GpuLaunch *l;

  assert_ok(GpuRows_new(&r, test_context(), &scale));
  assert_ok(GpuRows_prepare(&l, r, 2, dims, reduced, (void *[]){x, y}, NULL));
  GpuRows_free(r);
  check_source(l, like);
}

static void test_rows(void **state) {
  GpuArray x, y;

  (void)state;
  assert_ok(GpuArray_zeros(&x, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&y, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  run_rows(&x, &y, n_made);
  run_rows(&x, &y, 0);
  phases[1].map = "y = x + one;";
  run_rows(&x, &y, n_made);
  phases[1].map = "y = x * one;";
  phases[0].post = "one = 2.0f / s;";
  run_rows(&x, &y, n_made);
  phases[0].post = "one = 1.0f / s;";
  total.op = GA_REDUCE_MAX;
  run_rows(&x, &y, n_made);
  total.op = GA_REDUCE_SUM;
  if (gpucontext_caps(test_context())->fp64) {
    total.acc = GA_DOUBLE;
    run_rows(&x, &y, n_made);
    total.acc = GA_FLOAT;
    number.typecode = GA_DOUBLE;
    run_rows(&x, &y, n_made);
    number.typecode = GA_FLOAT;
  }
  run_rows(&x, &y, 0);
  drop_launches();
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reductions),
      cmocka_unit_test(test_rows),
  };
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
