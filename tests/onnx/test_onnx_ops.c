/* SPDX-License-Identifier: BSD-2-Clause */
/* Single ops whose rules ONNX's own tests of version 1.20 do not cover. */
#include <math.h>
#include <string.h>

#include "support/device.h"
#include "support/onnx_trial.h"

static void test_norm_of_zeros(void **state) {
  static const float x[] = {3, 4, 0, 0};
  message attrs = {.n = 0}, p = number("p", 2);

  (void)state;
  put_message(&attrs, 5, &p);
  trial t = trial_new("LpNormalization", "a", "y", &attrs);
  GIVE(&t, x, 2, 2);
  run(&t, 22);
  EXPECT(&t, 0, 0.6f, 0.8f, 0, 0);
}

/* Sizes that are given must add up to the axis, also if calls give its size. */
static void test_split_of_open(void **state) {
  static const int64_t parts[] = {1, 2};
  static const float x[] = {1, 2, 3, 4};

  (void)state;
  for (size_t n = 3; n <= 4; n++) {
    trial t = trial_new("Split", "a n", "y z", NULL);

    t.open_batch = 1;
    t.n_out = 2;
    put_elements(&t.graph, "n", 7, 1, 2, parts);
    GIVE(&t, x, n);
    if (n == 4) {
      refuse_call(&t, 13, GA_VALUE_ERROR, "dim 0: expected 3, got 4");
      continue;
    }
    run(&t, 13);
    EXPECT(&t, 0, 1);
    EXPECT(&t, 1, 2, 3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_norm_of_zeros),
      cmocka_unit_test(test_split_of_open),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
