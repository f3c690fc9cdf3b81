/* SPDX-License-Identifier: BSD-2-Clause */
/* Renewing a launch by its question: it stays as it is if it was prepared for
 * the same question, and gets the arguments of another launch that was, if both
 * have the same kernels. */
#include <gpuarray/index_guard.h>
#include <string.h>

#include "ocl/context.h"
#include "ocl/launch/launch.h"
#include "ocl/launch/launch_question.h"

/* --- kernels --- */

/* Copies of one pattern share their source. */
static int same_kernel(const ga__step *a, const ga__step *b) {
  if (a->n_args != b->n_args || a->values.n != b->values.n)
    return 0;
  return a->source == b->source ||
         (a->key_hash == b->key_hash && a->n_key == b->n_key &&
          memcmp(a->key, b->key, a->n_key * sizeof *a->key) == 0);
}

static int same_kernels(const GpuLaunch *a, const GpuLaunch *b) {
  if (a->n_slots != b->n_slots || a->steps.n != b->steps.n ||
      a->works.n != b->works.n)
    return 0;
  for (size_t i = 0; i < a->steps.n; i++)
    if (!same_kernel(&a->steps.v[i], &b->steps.v[i]))
      return 0;
  return 1;
}

/* --- copying arguments --- */

/* Set the values of a kernel, except buffers, offsets of slots, and
 * workspaces. */
static int copy_step(const GpuLaunch *like, unsigned int k, ga__step *s) {
  const ga__step *from = &like->steps.v[k];
  unsigned char is_other[GA_QUESTION_ARGS] = {0};

  for (size_t i = 0; i < like->args.n; i++)
    if (like->args.v[i].step == k && like->args.v[i].kind != GA_ARG_VALUE)
      is_other[like->args.v[i].index] = 1;
  for (size_t i = 0; i < like->work_args.n; i++)
    if (like->work_args.v[i].step == k)
      is_other[like->work_args.v[i].index] = 1;
  ga__step_shape(s, from->nd, from->gs, from->has_ls ? from->ls : NULL);
  for (unsigned int i = 0; i < from->values.n; i++)
    if (!is_other[i] && !ga__step_holds(s, i, &from->values.v[i]))
      GA_TRY(ga__step_set(s, i, &from->values.v[i], 1));
  return GA_NO_ERROR;
}

static int copy_list(GpuLaunch *l, const GpuLaunch *like) {
  if (l->args.cap < like->args.n)
    GA_TRY(ga__vec_grow((void **)&l->args.v, like->args.n, &l->args.cap,
                        sizeof *l->args.v));
  if (like->args.n > 0)
    memcpy(l->args.v, like->args.v, like->args.n * sizeof *l->args.v);
  l->args.n = like->args.n;
  memcpy(l->first, like->first, (l->n_slots + 1) * sizeof *l->first);
  return GA_NO_ERROR;
}

/* Slots keep their buffers. An empty one gets its arguments when it is
 * bound. */
static int copy_slots(GpuLaunch *l, const GpuLaunch *like) {
  memcpy(l->aligns, like->aligns, l->n_slots * sizeof *l->aligns);
  if (l->args.n == like->args.n &&
      (l->args.n == 0 ||
       memcmp(l->args.v, like->args.v, l->args.n * sizeof *l->args.v) == 0))
    return GA_NO_ERROR; /* they have the arguments of these buffers */
  GA_TRY(copy_list(l, like));
  for (size_t i = 0; i < l->args.n; i++) {
    const ga__slot_arg *a = &l->args.v[i];
    if (a->kind != GA_ARG_VALUE && l->bufs[a->slot] != NULL)
      GA_TRY(ga__slot_set(l, a, l->bufs[a->slot], l->offs[a->slot], 1));
  }
  return GA_NO_ERROR;
}

/* Set the arguments that are workspace `work`. A new one may have the handle of
 * an old one. */
static int set_work(GpuLaunch *l, unsigned int work, int is_new) {
  cl_mem mem = l->works.v[work]->mem;
  const ga__arg_value v = ga__arg_of(&mem, sizeof mem);

  for (size_t i = 0; i < l->work_args.n; i++) {
    const ga__work_arg *a = &l->work_args.v[i];
    if (a->work == work)
      GA_TRY(ga__step_set(&l->steps.v[a->step], a->index, &v, !is_new));
  }
  return GA_NO_ERROR;
}

/* Let workspace `work` suffice for what `like` does, without being far too
 * large, and hold zeros where that one's does. */
static int copy_work(GpuLaunch *l, const GpuLaunch *like, unsigned int work) {
  const uint64_t bit = (uint64_t)1 << work;
  const size_t bytes = like->works.v[work]->bytes,
               have = l->works.v[work]->bytes;
  const int is_new = have < bytes || have / 2 > bytes;
  int err = GA_NO_ERROR;

  if (is_new) {
    gpudata *d = gpudata_alloc(l->ctx, bytes, NULL, 0, &err);
    if (d == NULL)
      return err;
    gpudata_release(l->works.v[work]);
    l->works.v[work] = d;
    l->zeros &= ~bit;
  }
  if ((like->zeros & bit) != 0 && (l->zeros & bit) == 0)
    GA_TRY(gpudata_memset(l->works.v[work], 0, 0));
  l->zeros = (l->zeros & ~bit) | (like->zeros & bit);
  return set_work(l, work, is_new);
}

static int copy_works(GpuLaunch *l, const GpuLaunch *like) {
  if (l->work_args.cap < like->work_args.n)
    GA_TRY(ga__vec_grow((void **)&l->work_args.v, like->work_args.n,
                        &l->work_args.cap, sizeof *l->work_args.v));
  if (like->work_args.n > 0)
    memcpy(l->work_args.v, like->work_args.v,
           like->work_args.n * sizeof *l->work_args.v);
  l->work_args.n = like->work_args.n;
  for (unsigned int k = 0; k < like->works.n; k++)
    GA_TRY(copy_work(l, like, k));
  return GA_NO_ERROR;
}

static int become_like(GpuLaunch *l, const GpuLaunch *like) {
  const size_t n = like->n_question;

  for (unsigned int k = 0; k < l->steps.n; k++)
    GA_TRY(copy_step(like, k, &l->steps.v[k]));
  GA_TRY(copy_slots(l, like));
  GA_TRY(copy_works(l, like));
  l->bytes = like->bytes;
  l->flops = like->flops;
  return ga__question_store(l, like->question.v, n, like->question.v + n,
                            like->question.n - n);
}

/* Let `l` copy the arguments of another launch. Returns 0 if there is none, or
 * after a failure: then preparing the launch fails, too, and says why. */
static int copy_answer(GpuLaunch *l, const size_t *question, size_t n) {
  int is_done = 0;

  if (!ga__question_is_plain(l))
    return 0;
  ga__ctx_lock(l->ctx);
  ga__question_drop(l);
  const GpuLaunch *like = ga__question_find(l, question, n);
  if (like != NULL && same_kernels(l, like))
    is_done = become_like(l, like) == GA_NO_ERROR;
  ga__ctx_unlock(l->ctx);
  return is_done;
}

/* Would preparing the launch leave it as it is? Messages of an index guard hold
 * the label that the launch had when the guard was switched on. */
static int is_unguarded(const GpuLaunch *l) {
  return l->guards.n == 0 ||
         (!l->is_guarded && !gpucontext_guards_indices(l->ctx));
}

/* Was the launch prepared for this question, so that it stays as it is? Host
 * functions have states for one preparation. */
static int is_as_asked(const GpuLaunch *l, const size_t *question, size_t n) {
  for (size_t i = 0; i < l->steps.n; i++)
    if (l->steps.v[i].fn != NULL)
      return 0;
  return is_unguarded(l) && ga__question_is_for(l, question, n);
}

GpuLaunch *GpuLaunch_renew_for(const size_t *question, size_t n,
                               const size_t **answer) {
  GpuLaunch *l = GpuLaunch_renew(NULL);

  if (l == NULL)
    return NULL;
  if (!is_as_asked(l, question, n) && !copy_answer(l, question, n)) {
    GpuLaunch_renew(l);
    return NULL;
  }
  ga__launch_drop_spans(l);
  l->calls = 0;
  l->seconds = 0;
  l->n_made = 0;
  *answer = l->question.v + n;
  return l;
}
