/* SPDX-License-Identifier: BSD-2-Clause */
/* The index guard of launches. Kernels that index have two arguments for it, so
 * that it can be switched on and off at any time. Kernels that only check run
 * while it is on. */
#include "ocl/launch/launch_guard.h"

#include "ocl/context.h"
#include "ocl/launch/launch.h"
#include "ocl/launch/launch_build.h"
#include "ocl/launch/launch_cache.h"

/* --- contexts --- */

/* Cached launches have the old setting, so they are dropped. */
int gpucontext_guard_indices(gpucontext *ctx, int on) {
  ga__ctx_lock(ctx);
  if (ctx->guards_indices != (on != 0))
    ga__cached_drop(ctx);
  ctx->guards_indices = on != 0;
  ga__ctx_unlock(ctx);
  return GA_NO_ERROR;
}

int gpucontext_guards_indices(gpucontext *ctx) {
  if (ctx == NULL)
    return ga__index_guard_default();
  ga__ctx_lock(ctx);
  const int is_on = ctx->guards_indices;
  ga__ctx_unlock(ctx);
  return is_on;
}

/* --- launches --- */

/* Lock held. */
static int set_guard(GpuLaunch *l, int on, const char *site) {
  cl_mem mem = NULL;
  uint32_t id = 0;

  if (on)
    GA_TRY(
        ga__index_guard_user(l->ctx, &l->indexing, l->label, site, &mem, &id));
  const ga__arg_value guard = ga__arg_of(&mem, sizeof mem),
                      user = ga__arg_of(&id, sizeof id);
  for (size_t i = 0; i < l->guards.n; i++) {
    ga__step *s = &l->steps.v[l->guards.v[i].step];
    const unsigned int at = l->guards.v[i].index;

    GA_TRY(ga__step_set(s, at, &guard, 0));
    GA_TRY(ga__step_set(s, at + 1, &user, 1));
    if (l->indexing.is_order)
      s->is_empty = !on;
  }
  l->is_guarded = on;
  return GA_NO_ERROR;
}

int GpuLaunch_guard_indices(GpuLaunch *l, int on, const char *site) {
  if (l->guards.n == 0)
    return GA_NO_ERROR;
  ga__ctx_lock(l->ctx);
  int err = set_guard(l, on != 0, site);
  ga__ctx_unlock(l->ctx);
  return err;
}

static int add_guard(GpuLaunch *l, ga__guard_arg at) {
  GA_TRY(ga__vec_push(&l->guards, at));
  return GpuLaunch_guard_indices(l, gpucontext_guards_indices(l->ctx), NULL);
}

void ga__launch_index_guard(GpuLaunch *l, const ga__indexing *x) {
  if (l == NULL || l->err != GA_NO_ERROR || l->steps.n == 0)
    return;
  const unsigned int step = (unsigned int)l->steps.n - 1;
  const ga__guard_arg at = {step, l->steps.v[step].n_args};
  l->indexing = *x;
  ga__launch_none(l);
  ga__launch_uint(l, 0);
  if (l->err == GA_NO_ERROR)
    l->err = add_guard(l, at);
}
