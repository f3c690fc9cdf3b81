/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls (gg_func_call). Their stages:
 *
 *   lock       the function and its shared variables           locks.c
 *   defaults   for arguments that are NULL                     defaults.c
 *   copies     of arguments that the call must not overwrite   copy_arguments.c
 *   stages     that compute what sizes follow from           stages.c
 *   part       a copy computes the outputs if some are NULL    parts.c
 *   run        plan, bind, launch, give outputs to the caller  run.c
 */
#include <gpuarray/profile.h>
#include <gpuarray/timeline.h>

#include "base/clock.h"
#include "func/func.h"

static int call(gg_func *f, GpuArray *const *in, GpuArray *const *out) {
  if (f->options.defaults != NULL)
    in = gg__with_defaults(f, in);
  int err = gg__copy_arguments(f, &in);
  if (err == GA_NO_ERROR)
    err = gg__stages_run(f, &in);
  if (err == GA_NO_ERROR)
    err = out == NULL || gg__wants_all(f, out) ? gg__run(f, in, out)
                                               : gg__run_part(f, in, out);
  gg__drop_copies(f);
  if (err != GA_NO_ERROR || f->unit.frees_temps || f->unit.borrows != NULL)
    gg__stages_drop(f);
  return err;
}

static int call_measured(gg_func *f, GpuArray *const *in,
                         GpuArray *const *out) {
  const gpucontext_counters before = gg__counters(f);
  const uint64_t start = ga__now_ns();
  const int err = call(f, in, out);
  gg__figures *x = &f->figures;

  x->call_seconds += 1e-9 * (double)(ga__now_ns() - start);
  gpucontext_counters after = gg__counters(f);
  x->calls++;
  x->transfers += after.host_reads - before.host_reads + after.host_writes -
                  before.host_writes;
  x->transfer_bytes += (double)(after.read_bytes - before.read_bytes) +
                       (double)(after.write_bytes - before.write_bytes);
  return err;
}

int gg_func_call(gg_func *f, GpuArray *const *in, GpuArray *const *out) {
  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "no function");
  const uint64_t begin = gpuarray_timeline_now();
  gg__lock_call(f);
  int err = f->figures.on ? call_measured(f, in, out) : call(f, in, out);
  gpuarray_timeline_add(f->options.name, "call", begin);
  gg__unlock_call(f);
  return err == GA_NO_ERROR ? err : gg__func_failed(f, err);
}
