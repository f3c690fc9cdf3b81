/* SPDX-License-Identifier: BSD-2-Clause */
/* The launch that the next one of a thread renews, and what a launch takes over
 * from the one that it renews. */
#include "ocl/launch/launch_renew.h"

#include <string.h>

#include "base/alloc.h"
#include "base/xxh64.h"
#include "ocl/context.h"
#include "ocl/kernel/kernel_patterns.h"
#include "ocl/kernel/programs.h"
#include "ocl/kernel/spare_kernels.h"
#include "ocl/launch/launch.h"

/* The launch that the next one of this thread renews; owned, or NULL. */
static _Thread_local GpuLaunch *offered;

GpuLaunch *GpuLaunch_renew(GpuLaunch *old) {
  GpuLaunch *before = offered;

  offered = old;
  return before;
}

/* --- the old launch --- */

/* Move the elements of list `a` to list `b`, which is empty. `a` gets the
 * memory of `b`. */
#define SWAP_VECS(a, b)                                                        \
  do {                                                                         \
    void *v_ = (a)->v;                                                         \
    const size_t cap_ = (a)->cap;                                              \
    (a)->v = (b)->v;                                                           \
    (b)->v = v_;                                                               \
    (b)->n = (a)->n;                                                           \
    (a)->cap = (b)->cap;                                                       \
    (b)->cap = cap_;                                                           \
    (a)->n = 0;                                                                \
  } while (0)

/* Empty a launch. Its slots keep their buffers: arguments are not set again if
 * the slot is bound to the same buffer. */
static void empty(GpuLaunch *l) {
  const size_t n = l->n_slots + GA_OWN_SLOTS;

  ga__question_drop(l);
  ga__launch_drop_spans(l);
  ga__launch_give_back(l);
  SWAP_VECS(&l->steps, &l->old_steps);
  SWAP_VECS(&l->works, &l->old_works);
  l->old_zeros = l->zeros;
  l->zeros = 0;
  l->n_same = l->args.n;
  l->args.n = l->work_args.n = l->scratch.n = 0;
  l->has_tables = 0;
  l->shared.n = l->n_free = 0;
  l->is_sharing = 0;
  l->guards.n = 0;
  l->is_guarded = 0;
  l->n_open = l->n_own = l->n_made = 0;
  l->bytes = l->flops = l->seconds = 0;
  l->calls = 0;
  memset(l->bound, GA_BOUND_NOT, n);
  memset(l->offs, 0, n * sizeof *l->offs);
  memset(l->aligns, 0, n * sizeof *l->aligns);
}

GpuLaunch *ga__launch_take(gpucontext *ctx, unsigned int n_slots) {
  GpuLaunch *l = GpuLaunch_renew(NULL);

  if (l == NULL)
    return NULL;
  if (l->ctx != ctx || l->n_slots != n_slots) {
    GpuLaunch_free(l);
    return NULL;
  }
  empty(l);
  return l;
}

/* --- its kernels --- */

static int is_open(const GpuLaunch *l) {
  return l != NULL && l->err == GA_NO_ERROR;
}

/* A step with a kernel of its own like that of another one. Lock held. */
static int copy_step(const ga__step *like, ga__step *s) {
  *s = (ga__step){.provider = like->provider,
                  .source = ga__shared_text_retain(like->source),
                  .key = ga__memdup(like->key, like->n_key * sizeof *s->key),
                  .n_key = like->n_key,
                  .key_hash = like->key_hash};
  const int err = s->key == NULL ? ga__fail_nomem()
                                 : ga__kernel_copy(&s->kernel, like->kernel);

  if (err != GA_NO_ERROR)
    ga__step_clear(s);
  return err;
}

/* Move the kernel with the same position in the old launch to *s, or else a
 * spare one. */
static int take_kernel(GpuLaunch *l, const ga__launch_key *key, ga__step *s) {
  const size_t k = l->steps.n;
  ga__step *old = k < l->old_steps.n ? &l->old_steps.v[k] : NULL;

  if (old != NULL && ga__step_has_key(old, key)) {
    *s = *old;
    memset(old, 0, sizeof *old);
    return 1;
  }
  ga__ctx_lock(l->ctx);
  const int found = ga__spare_take(l->ctx, key, s);
  ga__ctx_unlock(l->ctx);
  return found;
}

/* Copy the pattern with this key to *s. Returns 0 if there is none. A failure
 * sticks to the launch. */
static int copy_pattern(GpuLaunch *l, const ga__launch_key *key, ga__step *s) {
  ga__ctx_lock(l->ctx);
  const ga__step *like = ga__pattern_get(l->ctx, key);
  if (like != NULL)
    l->err = copy_step(like, s);
  ga__ctx_unlock(l->ctx);
  l->n_made += like != NULL && l->err == GA_NO_ERROR;
  return like != NULL;
}

int ga__launch_again(GpuLaunch *l, const ga__launch_key *key, unsigned int nd,
                     const size_t *gs, const size_t *ls) {
  if (!is_open(l))
    return 1; /* a launch with an error gets no kernels */
  l->err = ga__step_check(l->label, l->ctx->dev.size_max, nd, gs);
  if (!is_open(l))
    return 1;
  if (l->steps.n == l->steps.cap)
    l->err = ga__vec_grow((void **)&l->steps.v, l->steps.n, &l->steps.cap,
                          sizeof *l->steps.v);
  if (!is_open(l))
    return 1;
  ga__step *s = &l->steps.v[l->steps.n];
  if (!take_kernel(l, key, s) && !copy_pattern(l, key, s))
    return 0;
  if (!is_open(l))
    return 1; /* the pattern could not be copied */
  l->steps.n++;
  s->n_args = 0;
  ga__step_shape(s, nd, gs, ls);
  return 1;
}

static int remember(gpucontext *ctx, const ga__launch_key *key, ga__step *s) {
  ga__step pattern;

  s->key = ga__memdup(key->v, key->n * sizeof *key->v);
  s->n_key = key->n;
  s->key_hash = ga__xxh64_of(key->v, key->n * sizeof *key->v);
  if (s->key == NULL)
    return ga__fail_nomem();
  ga__ctx_lock(ctx);
  int err = copy_step(s, &pattern);
  if (err == GA_NO_ERROR)
    err = ga__pattern_put(ctx, &pattern);
  ga__ctx_unlock(ctx);
  return err;
}

void ga__launch_remember(GpuLaunch *l, const ga__launch_key *key) {
  if (is_open(l) && key->n <= GA_LAUNCH_KEY_MAX)
    l->err = remember(l->ctx, key, &l->steps.v[l->steps.n - 1]);
}

/* --- its workspaces --- */

gpudata *ga__launch_old_work(GpuLaunch *l, size_t bytes) {
  const size_t k = l->works.n;

  if (k >= l->old_works.n || l->old_works.v[k] == NULL)
    return NULL;
  gpudata *d = l->old_works.v[k];
  if (d->bytes < bytes || d->bytes / 2 > bytes)
    return NULL;
  l->old_works.v[k] = NULL;
  return d;
}

int ga__launch_has_zeros(GpuLaunch *l, unsigned int work) {
  const uint64_t bit = work < 64 ? (uint64_t)1 << work : 0;
  const int was_taken = work < l->old_works.n && l->old_works.v[work] == NULL;

  l->zeros |= bit;
  return was_taken && (l->old_zeros & bit) != 0;
}
