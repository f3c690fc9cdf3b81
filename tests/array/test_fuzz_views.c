/* SPDX-License-Identifier: BSD-2-Clause */
/* Random views of random arrays, and what is done with them, against a model
 * (view_model.h). After each call the whole buffer must be what the model is.
 * Each follows from its number (trials.h), for each mapping of kernels. */
#include "view_calls.h"

#include "support/trials.h"

enum { TRIALS = 60 }; /* each call twice or more */

static const view_call *call_of(size_t k) {
  const size_t i = k % (n_view_calls + n_view_index_calls);

  return i < n_view_calls ? &view_calls[i]
                          : &view_index_calls[i - n_view_calls];
}

static void try_one(const view_call *call) {
  size_t n_types = 0;
  view v;

  while (call->types[n_types] >= 0)
    n_types++;
  view_random(&v, call->types[draw(n_types)], !call->writes);
  call->run(&v);
  view_drop(&v);
}

static void try_number(size_t number) {
  draw_from((number + 1) * UINT64_C(0x9E3779B97F4A7C15));
  try_one(call_of(number));
}

static void try_all(void) {
  trials_run(TRIALS, try_number);
}

static void test_views(void **state) {
  (void)state;
  test_mappings(try_all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_views),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
