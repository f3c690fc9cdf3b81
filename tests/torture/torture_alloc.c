/* SPDX-License-Identifier: BSD-2-Clause */
/* Host allocations that fail, by base/alloc: once and for good. */
#include <limits.h>

#include "base/alloc.h"
#include "layer/layer.h"
#include "torture/torture.h"

static long armed_nth;

static void arm(long nth, unsigned int variant) {
  armed_nth = nth;
  ga__alloc_fail(nth != 0 ? nth : LONG_MAX, nth != 0 && variant == 1);
}

static long disarm(long *calls) {
  const long left = ga__alloc_fail(0, 0);

  *calls = armed_nth == 0 ? LONG_MAX - left : armed_nth;
  return armed_nth != 0 && left <= 0;
}

static unsigned int variants(long nth) {
  (void)nth;
  return 2;
}

static int is_first(long nth) {
  return nth == 1;
}

static const char *names(long nth, unsigned int variant) {
  (void)nth;
  (void)variant;
  return ""; /* the code says it */
}

static void describe(char *text, size_t bytes, long nth, unsigned int variant) {
  snprintf(text, bytes, "allocation %ld%s", nth,
           variant == 1 ? " and all after it" : "");
}

static const torture_kind kind = {.what = "allocation",
                                  .arm = arm,
                                  .disarm = disarm,
                                  .variants = variants,
                                  .is_first = is_first,
                                  .names = names,
                                  .code = GA_MEMORY_ERROR,
                                  .describe = describe,
                                  .live = layer_live};

void torture_allocs(torture_sum *sum, const torture_plan *plan) {
  torture_run(sum, plan, &kind);
}
