/* SPDX-License-Identifier: BSD-2-Clause */
/* A bounded part of what ci/torture does in full: one failure at a time in
 * OpenCL calls and host allocations.
 *
 *   test_torture [calls|allocs [scenario]]    all of them
 *
 * With TORTURE_COUNT they are only counted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "layer/layer.h"
#include "support/device.h"
#include "torture/torture.h"

static unsigned int number_of(const char *name, unsigned int otherwise) {
  const char *s = getenv(name);

  return s != NULL ? (unsigned int)strtoul(s, NULL, 10) : otherwise;
}

static unsigned int seed(void) {
  return number_of("TORTURE_SEED", 1);
}

/* TORTURE_MOST failures of each scenario, beside the first of each entry point:
 * in each scenario or, with TORTURE_ONCE, in all of them. */
static torture_plan bounded(void) {
  return (torture_plan){.most = (int)number_of("TORTURE_MOST", 8),
                        .once = getenv("TORTURE_ONCE") != NULL,
                        .seed = seed()};
}

static void test_calls(void **state) {
  torture_plan plan = bounded();
  torture_sum sum = {0};

  (void)state;
  plan.with_clblast = 1;
  torture_calls(&sum, &plan);
  assert_true(sum.reported > 100);
  assert_int_equal(sum.bad, 0);
}

static void test_allocs(void **state) {
  const torture_plan plan = bounded();
  torture_sum sum = {0};

  (void)state;
  torture_allocs(&sum, &plan);
  assert_true(sum.reported > 100);
  assert_int_equal(sum.bad, 0);
}

static int is_finished(void *arg, const ga__dir_entry *e) {
  (void)arg;
  if (strstr(e->name, ".tmp.") != NULL)
    fail_msg("%s is left", e->name);
  return GA_NO_ERROR;
}

/* Saves that failed have taken their unfinished files away. */
static void test_files_left(void **state) {
  const char *dir = getenv("TEST_DIR");

  (void)state;
  assert_ok(ga__dir_each(dir != NULL ? dir : "/tmp", is_finished, NULL));
}

/* Binaries cost a compilation, and without a cache nobody wants them. */
static void test_no_binaries(void **state) {
  long before, after, unused;
  work w = {0};

  (void)state;
  setenv("GPUARRAY_NO_CACHE", "1", 1);
  layer_totals(LAYER_clGetProgramInfo, &before, &unused);
  assert_ok(run_elemwise(&w));
  work_clear(&w);
  layer_totals(LAYER_clGetProgramInfo, &after, &unused);
  assert_int_equal(after, before);
  unsetenv("GPUARRAY_NO_CACHE");
}

/* Every entry point has failed once by now. */
static void test_table(void **state) {
  (void)state;
  assert_int_equal(torture_table(stdout), 0);
}

static int setup(void **state) {
  (void)state;
  if (test_context() == NULL || !layer_is_loaded())
    return 1;
  test_context_drop(state);
  return 0;
}

static int run_all(int argc, char **argv) {
  const torture_plan plan = {.every_code = 1,
                             .seed = seed(),
                             .only = argc > 2 ? argv[2] : NULL,
                             .with_clblast = getenv("TORTURE_CLBLAST") != NULL,
                             .count_only = getenv("TORTURE_COUNT") != NULL};
  torture_sum sum = {0};
  gpucontext *ctx;

  if (gpucontext_open(&ctx, NULL) != GA_NO_ERROR || !layer_is_loaded())
    return 2;
  gpucontext_deref(ctx);
  if (strcmp(argv[1], "calls") == 0) {
    torture_calls(&sum, &plan);
    torture_table(stdout);
  } else {
    torture_allocs(&sum, &plan);
  }
  printf("%ld failures: %ld reported, %ld absorbed, %ld bad\n", sum.runs,
         sum.reported, sum.absorbed, sum.bad);
  return sum.bad != 0;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_no_binaries, setup),
      cmocka_unit_test(test_calls),
      cmocka_unit_test(test_allocs),
      cmocka_unit_test(test_files_left),
      cmocka_unit_test(test_table),
  };

  if (argc > 1)
    return run_all(argc, argv);
  if (!layer_is_loaded() && layer_loader_is_old()) {
    puts("skipped: ocl-icd before 2.3 has no layers");
    return 77;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
