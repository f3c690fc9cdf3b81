/* SPDX-License-Identifier: BSD-2-Clause */
#include "ocl/launch/launch_chain.h"

#include <gpuarray/device.h>
#include <stdint.h>

#include "base/arith.h"
#include "codegen/template.h"
#include "layout/cut.h"

#define GROUP 256

unsigned int ga__launch_chain_slots(GpuLaunch *l, gpucontext *ctx, size_t n) {
  const size_t ls = ga__group_size(gpucontext_caps(ctx), GROUP);
  const size_t gs = ga__round_up(n, ls);
  const char *const parts[] = {ga__template("chain_clear")};
  ga__launch_key key;

  ga__launch_key_start(&key, ctx, "chain_clear");
  if (!ga__launch_again(l, &key, 1, &gs, &ls)) {
    ga__launch_kernel(
        l, &(ga__source){.n = 1, .parts = parts, .entry = "chain_clear"}, 1,
        &gs, &ls);
    ga__launch_remember(l, &key);
  }
  const unsigned int slots = ga__launch_work(l, ga__times(n, sizeof(uint64_t)));
  ga__launch_size(l, n);
  return slots;
}
