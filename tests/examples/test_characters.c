/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/examples/characters.c learns: the loss ends well below what the mere
 * frequencies of characters give. */
#include "support/device.h"

/* The example's own functions, without its main. */
int example_main(int argc, char **argv);
#define main example_main
#include "../../docs/examples/characters.c"
#undef main

static void test_learns(void **state) {
  static text t;
  gg_graph *g = gg_graph_new(test_context());
  gg_var *p[PARAMS];

  (void)state;
  read_text(&t, "/usr/share/common-licenses/GPL-3");
  gg_func *f = build(g, p);
  assert_true(train(f, test_context(), &t, 150) < 2.5f);
  gg_func_free(f);
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_learns)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
