/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/examples/logistic_two.c beside the same steps on one device. */
#include <math.h>
#include <stdlib.h>

#include "support/device.h"

/* The example's own functions, without its main. */
int example_main(int argc, char **argv);
#define main example_main
#include "../../docs/examples/logistic_two.c"
#undef main

enum { STEPS = 300 };

static float run(int n, gpucontext *const *ctx, const data *d, float *w) {
  gg_graph *g = gg_graph_new(ctx[0]);
  model m = build(g, n, ctx);
  float cost = train(&m, n, ctx, d, STEPS);

  assert_ok(gg_shared_read(m.w, w, FEATS * sizeof *w));
  gg_func_free(m.train);
  gg_graph_free(g);
  return cost;
}

static void test_one_and_two(void **state) {
  static data d;
  gpucontext *ctx[DEVICES] = {test_context(), NULL};
  float w[DEVICES][FEATS];

  (void)state;
  make_data(&d);
  assert_ok(gpucontext_open(&ctx[1], getenv("GPUARRAY_DEVICE2")));
  const float one = run(1, ctx, &d, w[0]), two = run(2, ctx, &d, w[1]);
  assert_true(fabsf(one - two) < 1e-5f && two < 0.7f);
  for (int j = 0; j < FEATS; j++)
    if (!(fabsf(w[0][j] - w[1][j]) < 1e-5f))
      fail_msg("weight %d is %g on one device, %g on two", j, (double)w[0][j],
               (double)w[1][j]);
  gpucontext_deref(ctx[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_and_two)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
