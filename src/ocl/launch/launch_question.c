/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions of launches, and the table in which a context finds launches by
 * them. */
#include "ocl/launch/launch_question.h"

#include <string.h>

#include "base/alloc.h"
#include "ocl/context.h"
#include "ocl/launch/launch.h"

enum { PLACES = 4096 /* of a table; a power of two */ };

/* By hash of question and kernels; NULL: nobody. */
struct ga__questions {
  GpuLaunch *at[PLACES];
};

/* --- the table --- */

#define FACTOR 0x9e3779b97f4a7c15u

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * FACTOR;
  return h ^ h >> 32;
}

/* The hash of n numbers. Processors compute four at the same time. */
static uint64_t hash_of(const size_t *v, size_t n) {
  uint64_t h[4] = {n, 1, 2, 3};

  for (; n >= 4; n -= 4, v += 4) {
    h[0] = (h[0] + v[0]) * FACTOR;
    h[1] = (h[1] + v[1]) * FACTOR;
    h[2] = (h[2] + v[2]) * FACTOR;
    h[3] = (h[3] + v[3]) * FACTOR;
  }
  for (size_t i = 0; i < n; i++)
    h[i] = mix(h[i], v[i]);
  return mix(mix(h[0], h[1]), mix(h[2], h[3]));
}

/* Where a launch for a question with hash `h` lies. */
static GpuLaunch **place_of(const GpuLaunch *l, uint64_t h) {
  for (size_t i = 0; i < l->steps.n; i++)
    h = mix(h, l->steps.v[i].key_hash);
  return &l->ctx->questions->at[h % PLACES];
}

GpuLaunch *ga__question_find(GpuLaunch *l, const size_t *question, size_t n) {
  l->asked = hash_of(question, n);
  l->n_asked = n;
  GpuLaunch *found = l->ctx->questions != NULL ? *place_of(l, l->asked) : NULL;

  return found != NULL && ga__question_is_for(found, question, n) ? found
                                                                  : NULL;
}

void ga__questions_clear(gpucontext *ctx) {
  ga__free(ctx->questions);
  ctx->questions = NULL;
}

/* --- questions --- */

int ga__question_is_for(const GpuLaunch *l, const size_t *question, size_t n) {
  return l->n_question == n && n > 0 &&
         memcmp(l->question.v, question, n * sizeof *question) == 0;
}

int ga__question_is_plain(const GpuLaunch *l) {
  for (size_t i = 0; i < l->steps.n; i++)
    if (l->steps.v[i].key == NULL || l->steps.v[i].values.n > GA_QUESTION_ARGS)
      return 0;
  return !l->has_tables && l->works.n <= 64 && l->n_own == 0 &&
         l->guards.n == 0 && ga__launch_owns_works(l);
}

int ga__question_store(GpuLaunch *l, const size_t *question, size_t n,
                       const size_t *answer, size_t n_answer) {
  const size_t all = n + n_answer;

  if (l->question.cap < all)
    GA_TRY(ga__vec_grow((void **)&l->question.v, all, &l->question.cap,
                        sizeof *l->question.v));
  memcpy(l->question.v, question, n * sizeof *question);
  if (n_answer > 0)
    memcpy(l->question.v + n, answer, n_answer * sizeof *answer);
  l->question.n = all;
  l->n_question = n;
  return GA_NO_ERROR;
}

/* Enter a launch in the table of its context. Most questions have just been
 * asked; another one of as many numbers would only not be found. Lock held. */
static int enter(GpuLaunch *l) {
  gpucontext *ctx = l->ctx;

  if (ctx->questions == NULL)
    ctx->questions = ga__calloc(1, sizeof *ctx->questions);
  if (ctx->questions == NULL)
    return ga__fail_nomem();
  if (l->n_asked != l->n_question)
    l->asked = hash_of(l->question.v, l->n_question);
  l->n_asked = 0;
  l->in_table = place_of(l, l->asked);
  *l->in_table = l;
  return GA_NO_ERROR;
}

int GpuLaunch_set_question(GpuLaunch *l, const size_t *question, size_t n,
                           const size_t *answer, size_t n_answer) {
  int err = GA_NO_ERROR;

  if (l == NULL)
    return ga__fail(GA_VALUE_ERROR, "no launch");
  ga__question_drop(l);
  GA_TRY(ga__question_store(l, question, n, answer, n_answer));
  if (!ga__question_is_plain(l))
    return GA_NO_ERROR;
  ga__ctx_lock(l->ctx);
  err = enter(l);
  ga__ctx_unlock(l->ctx);
  return err;
}
