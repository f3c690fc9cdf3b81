/* SPDX-License-Identifier: BSD-2-Clause */
/* Random trials by their numbers. */
#include "support/trials.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "support/device.h"

static size_t now;
static int is_running;

static size_t from_environment(const char *name, size_t otherwise) {
  const char *text = getenv(name);

  return text != NULL ? strtoul(text, NULL, 10) : otherwise;
}

size_t trials_now(void) {
  return now;
}

/* One that failed did not come back. */
static void name_failed(void) {
  if (is_running)
    fprintf(stderr, "trial %zu failed\n", now);
  is_running = 0;
}

static void name_aborted(int signal) {
  (void)signal;
  name_failed();
}

void trials_run(size_t few, void (*one)(size_t number)) {
  const int is_timed = getenv("GPUGRAPH_FUZZ_SECONDS") != NULL;
  const uint64_t seconds = from_environment("GPUGRAPH_FUZZ_SECONDS", 0);
  const uint64_t end = ga__now_ns() + seconds * UINT64_C(1000000000);
  const size_t first = from_environment("GPUGRAPH_FUZZ_SEED", 0);
  static int is_first = 1;
  size_t n = 0;

  name_failed();
  if (is_first)
    atexit(name_failed);
  is_first = 0;
  do {
    now = first + n++;
    is_running = 1;
    signal(SIGABRT, name_aborted); /* drivers may have one, too */
    one(now);
    is_running = 0;
  } while (is_timed ? ga__now_ns() < end : n < few);
  print_message("%zu trials from number %zu\n", n, first);
}
