/* SPDX-License-Identifier: BSD-2-Clause */
/* GpuKernel: a kernel with its arguments, and launch sizes for it. */
#include <string.h>

#include <gpuarray/kernel.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "ocl/kernel/kernel.h"
#include "ocl/objects.h"

int GpuKernel_init(GpuKernel *k, gpucontext *ctx, unsigned int count,
                   const char **strs, const size_t *lens, const char *name,
                   unsigned int argcount, const int *types, int flags,
                   char **err_str) {
  int err = GA_NO_ERROR;

  if (err_str != NULL)
    *err_str = NULL;
  k->k = NULL;
  k->args = ga__calloc(argcount, sizeof *k->args);
  if (k->args == NULL)
    return ga__fail_nomem();
  k->k = gpukernel_init(ctx, count, strs, lens, name, argcount, types, flags,
                        &err, err_str);
  if (k->k == NULL)
    GpuKernel_clear(k);
  return err;
}

void GpuKernel_clear(GpuKernel *k) {
  gpukernel_release(k->k);
  ga__free(k->args);
  memset(k, 0, sizeof *k);
}

gpucontext *GpuKernel_context(GpuKernel *k) {
  return gpukernel_context(k->k);
}

int GpuKernel_setarg(GpuKernel *k, unsigned int i, void *val) {
  GA_TRY(gpukernel_setarg(k->k, i, val));
  k->args[i] = val;
  return GA_NO_ERROR;
}

/* Work-items of a group. On CPUs, 64 consecutive items suit the compiler's
 * vectoriser and leave enough groups for all cores. GPUs need a few warps per
 * group. */
static size_t good_group(const gpukernel *k) {
  size_t want = k->ctx->dev.caps.is_cpu ? 64 : 256;
  size_t most = k->max_group;

  if (most > k->ctx->dev.caps.max_items[0])
    most = k->ctx->dev.caps.max_items[0];
  if (want > most)
    want = most;
  if (k->group_multiple > 0 && want > k->group_multiple)
    want -= want % k->group_multiple;
  return want > 0 ? want : 1;
}

int GpuKernel_sched(GpuKernel *k, size_t n, size_t *gs, size_t *ls) {
  size_t most = k->k->max_group;

  if (*ls == 0) {
    *ls = good_group(k->k);
    if (*gs != 0 && *ls < ga__ceil_div(n, *gs)) /* few groups: larger ones */
      *ls = ga__at_most(ga__ceil_div(n, *gs), most);
  }
  if (*gs == 0)
    *gs = n > 0 ? ga__ceil_div(n, *ls) : 1;
  return GA_NO_ERROR;
}

int GpuKernel_call(GpuKernel *k, unsigned int n, const size_t *gs,
                   const size_t *ls, size_t shared, void **args) {
  return gpukernel_call(k->k, n, gs, ls, shared, args);
}

const char *GpuKernel_error(const GpuKernel *k, int err) {
  return gpucontext_error(k->k != NULL ? k->k->ctx : NULL, err);
}
