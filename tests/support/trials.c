/* SPDX-License-Identifier: BSD-2-Clause */
/* Random trials by their numbers. */
#include "support/trials.h"

#include <stdlib.h>

#include "base/clock.h"
#include "support/device.h"

static size_t now;

static size_t from_environment(const char *name, size_t otherwise) {
  const char *text = getenv(name);

  return text != NULL ? strtoul(text, NULL, 10) : otherwise;
}

size_t trials_now(void) {
  return now;
}

void trials_run(size_t few, void (*one)(size_t number)) {
  const int is_timed = getenv("GPUGRAPH_FUZZ_SECONDS") != NULL;
  const uint64_t seconds = from_environment("GPUGRAPH_FUZZ_SECONDS", 0);
  const uint64_t end = ga__now_ns() + seconds * UINT64_C(1000000000);
  const size_t first = from_environment("GPUGRAPH_FUZZ_SEED", 0);
  size_t n = 0;

  do {
    now = first + n++;
    one(now);
  } while (is_timed ? ga__now_ns() < end : n < few);
  print_message("%zu trials from number %zu\n", n, first);
}
