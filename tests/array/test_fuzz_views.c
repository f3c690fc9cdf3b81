/* SPDX-License-Identifier: BSD-2-Clause */
/* Random views of random arrays, and what is done with them, against a model
 * (view_model.h). After each call the whole buffer must be what the model is.
 * GPUGRAPH_FUZZ_SEED is where the numbers start, GPUGRAPH_FUZZ_SECONDS how long
 * each mapping of kernels is tried. */
#include "view_calls.h"

#include <stdlib.h>

#include "base/clock.h"

enum { TRIALS = 400 };

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

static size_t from_environment(const char *name, size_t otherwise) {
  const char *text = getenv(name);

  return text != NULL ? strtoul(text, NULL, 10) : otherwise;
}

static void try_all(void) {
  const size_t n_calls = n_view_calls + n_view_index_calls;
  const size_t seed = from_environment("GPUGRAPH_FUZZ_SEED", 1);
  const size_t seconds = from_environment("GPUGRAPH_FUZZ_SECONDS", 5);
  const uint64_t end = ga__now_ns() + seconds * UINT64_C(1000000000);
  size_t k = 0;

  do {
    draw_from((seed + k) * UINT64_C(0x9E3779B97F4A7C15));
    try_one(call_of(k));
    k++;
  } while (k < n_calls || (k < TRIALS && ga__now_ns() < end));
  print_message("%zu trials from seed %zu\n", k, seed);
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
