/* SPDX-License-Identifier: BSD-2-Clause */
/* Building a graph while memory is out. No device. */
#include "base/alloc.h"
#include "graph/graph.h"
#include "support/device.h"

static gg_var *build_much(gg_graph *h) {
  const double data[6] = {1, 2, 3, 4, 5, 6};
  const size_t dims[2] = {2, 3};
  gg_var *x = gg_input(h, "x", GA_DOUBLE, 2);
  gg_var *c = gg_constant(h, GA_DOUBLE, 2, dims, data);

  return gg_named(gg_sum(gg_mul(gg_softmax(gg_add(x, c)), gg_exp(x))), "s");
}

/* Every allocation fails once: an error, no crash, no leak, and the graph is
 * still good. */
static void test_out_of_memory(void **state) {
  const long live = ga__alloc_live();
  long nth;
  int done = 0;

  (void)state;
  for (nth = 1; !done; nth++) {
    ga__alloc_fail(nth, 0);
    gg_graph *h = gg_graph_new(NULL);
    gg_var *v = build_much(h);
    done = v != NULL;
    ga__alloc_fail(0, 0);
    if (!done) {
      assert_int_equal(gg_graph_status(h), GA_MEMORY_ERROR);
      assert_true(gg_graph_error(h)[0] != '\0');
    }
    if (h != NULL) {
      gg_graph_reset_error(h);
      assert_non_null(build_much(h));
    }
    gg_graph_free(h);
    assert_int_equal(ga__alloc_live(), live);
    assert_true(nth < 1000);
  }
  assert_true(nth > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_out_of_memory),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
