/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenCL calls that fail, by the layer. The variants of a call are its codes,
 * each once and for good, and what only some calls have: an event that ends
 * badly, a binary that is refused, a build log that is empty or huge. */
#include <string.h>

#include "layer/layer.h"
#include "torture/torture.h"

enum { SEEN = 1 << 14, PLATFORM_NOT_FOUND = -1001 };

/* Entries of the run without failures. */
static unsigned char seen[SEEN];
static long n_seen;
static long armed_nth;
static int once; /* of the plan */

static int entry_of(long nth) {
  return nth >= 1 && nth <= n_seen ? seen[nth - 1] : -1;
}

/* Additional variants of an entry. */
static unsigned int extras(int entry) {
  switch (entry) {
  case LAYER_clBuildProgram:
    return 2;
  case LAYER_clCreateProgramWithBinary:
  case LAYER_clEnqueueWriteBuffer:
  case LAYER_clEnqueueNDRangeKernel:
  case LAYER_clEnqueueMarkerWithWaitList:
    return 1;
  default:
    return 0;
  }
}

static unsigned int variants(long nth) {
  const cl_int *codes;

  return 2 * (unsigned int)layer_codes(entry_of(nth), &codes) +
         extras(entry_of(nth));
}

static layer_fault fault_of(long nth, unsigned int variant) {
  const int entry = entry_of(nth);
  layer_fault f = {.entry = LAYER_ANY, .nth = nth};
  const cl_int *codes;
  unsigned int n;

  if (nth == 0)
    return f;
  n = (unsigned int)layer_codes(entry, &codes);
  f.code = codes[variant < 2 * n ? variant / 2 : 0];
  f.persistent = variant < 2 * n && variant % 2;
  if (variant < 2 * n)
    return f;
  if (entry == LAYER_clBuildProgram)
    f.log = variant == 2 * n ? LAYER_LOG_EMPTY : LAYER_LOG_HUGE;
  else if (entry == LAYER_clCreateProgramWithBinary)
    f.as_binary = 1;
  else
    f.as_event = 1;
  return f;
}

static void arm(long nth, unsigned int variant) {
  layer_fault f = fault_of(nth, variant);

  armed_nth = nth;
  layer_arm(&f);
}

static long disarm(long *calls) {
  const long struck = layer_disarm();

  *calls = layer_calls();
  if (armed_nth != 0)
    return struck;
  n_seen = *calls < SEEN ? *calls : SEEN;
  *calls = n_seen;
  for (long n = 1; n <= n_seen; n++)
    seen[n - 1] = (unsigned char)layer_called(n);
  return struck;
}

static int is_first(long nth) {
  long calls, faults = 0;

  if (once)
    layer_totals(entry_of(nth), &calls, &faults);
  return faults == 0 && memchr(seen, entry_of(nth), (size_t)nth - 1) == NULL;
}

/* An event's failure shows where it is waited for, and no platform or device
 * is nothing that a call did wrong. */
static const char *names(long nth, unsigned int variant) {
  const layer_fault f = fault_of(nth, variant);

  if (f.as_event)
    return "cl";
  if (f.code == PLATFORM_NOT_FOUND || f.code == CL_DEVICE_NOT_FOUND)
    return "there ";
  return layer_name(layer_struck());
}

static int is_late(long nth, unsigned int variant) {
  return fault_of(nth, variant).as_event;
}

static void describe(char *text, size_t bytes, long nth, unsigned int variant) {
  const layer_fault f = fault_of(nth, variant);

  snprintf(text, bytes, "call %ld (%s, code %d%s%s%s)", nth,
           layer_name(entry_of(nth)), (int)f.code,
           f.persistent ? ", for good" : "", f.as_event ? ", its event" : "",
           f.log == LAYER_LOG_HUGE ? ", huge log" : "");
}

static const torture_kind kind = {.what = "OpenCL call",
                                  .arm = arm,
                                  .disarm = disarm,
                                  .variants = variants,
                                  .is_first = is_first,
                                  .names = names,
                                  .is_late = is_late,
                                  .describe = describe,
                                  .live = layer_live};

void torture_calls(torture_sum *sum, const torture_plan *plan) {
  once = plan->once;
  torture_run(sum, plan, &kind);
}

int torture_table(FILE *out) {
  static const int used[] = {
#define USED(name) LAYER_##name,
#include "layer_used.inc"
  };
  const int n = (int)(sizeof used / sizeof *used);
  long calls, faults;
  int missed = 0;

  fprintf(out, "%-30s %10s %10s\n", "entry point", "calls", "failed");
  for (int i = 0; i < n; i++) {
    layer_totals(used[i], &calls, &faults);
    fprintf(out, "%-30s %10ld %10ld\n", layer_name(used[i]), calls, faults);
    missed += faults == 0;
  }
  fprintf(out, "%d of %d entry points have failed\n", n - missed, n);
  return missed;
}
