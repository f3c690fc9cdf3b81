/* SPDX-License-Identifier: BSD-2-Clause */
#include "conv/conv_measure.h"

#include "base/arith.h"
#include "base/clock.h"
#include "base/dtype.h"
#include "conv/conv_winograd.h"
#include "conv/conv_work.h"
#include "ocl/ocl.h"

enum {
  RUNS = 3, /* after a first one, which may compile */
  ALGORITHMS = 3
};

#define FAMILY "conv 2"
/* Others are taken if they need less than this part of the model's time, so
 * that noise does not decide. */
#define LEAST_GAIN 0.95

static const ga__provider model;

const ga__provider *const ga__conv_as_model = &model;

/* What notes say, by number. */
static const ga__provider *const algorithms[ALGORITHMS] = {
    NULL, &ga__conv_as_product, &ga__conv_winograd};

/* --- keys --- */

static void add_array(ga__launch_key *k, const ga__conv_array *a) {
  ga__launch_key_bytes(k, a->n, sizeof a->n);
  ga__launch_key_bytes(k, a->by, sizeof a->by);
  ga__launch_key_bytes(k, a->size, sizeof a->size);
  ga__launch_key_bytes(k, a->s, sizeof a->s);
}

static void make_key(ga__launch_key *k, const ga__conv *c, ga_conv_part part) {
  const ga__wish wish = ga__product_wish(c->ctx);

  ga__launch_key_start(k, c->ctx, "conv");
  ga__launch_key_number(k, (size_t)part);
  ga__launch_key_number(k, (size_t)c->typecode);
  ga__launch_key_number(k, c->groups);
  ga__launch_key_bytes(k, c->stride, sizeof c->stride);
  ga__launch_key_bytes(k, c->dilation, sizeof c->dilation);
  ga__launch_key_bytes(k, c->before, sizeof c->before);
  add_array(k, &c->x);
  add_array(k, &c->w);
  add_array(k, &c->y);
  ga__launch_key_number(k, (size_t)wish.who);
  ga__launch_key_number(k, (size_t)wish.tf32);
  ga__launch_key_number(k, (size_t)wish.workspace);
}

/* --- arrays to measure with --- */

/* Zeros of the sizes and strides of `a`, which reaches as far as `like`; in C
 * order if `like` is NULL. */
static int make_array(GpuArray *out, const ga__conv *c, const GpuArray *a,
                      const ga__conv_array *like) {
  const size_t size = ga__dtype_size(c->typecode);
  GpuArray all;

  if (like == NULL)
    return GpuArray_zeros(out, c->ctx, c->typecode, a->nd, a->dimensions,
                          GA_C_ORDER);
  const size_t bytes = (size_t)(like->high - like->low) * size;
  GA_TRY(GpuArray_zeros(&all, c->ctx, GA_UBYTE, 1, &bytes, GA_C_ORDER));
  const int err =
      GpuArray_fromdata(out, all.data, (size_t)-like->low * size, c->typecode,
                        a->nd, a->dimensions, a->strides, 1);
  GpuArray_clear(&all);
  return err;
}

static void clear_arrays(GpuArray v[3]) {
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&v[i]);
}

/* --- measurements --- */

/* Set *ns to the shortest of some runs. */
static int time_launch(GpuLaunch *l, GpuArray *r, uint64_t *ns) {
  *ns = UINT64_MAX;
  for (int i = 0; i <= RUNS; i++) {
    GA_TRY(GpuArray_sync(r));
    const uint64_t begin = ga__now_ns();
    GA_TRY(GpuLaunch_run(l));
    GA_TRY(GpuArray_sync(r));
    const uint64_t spent = ga__now_ns() - begin;
    if (i > 0 && spent < *ns)
      *ns = spent;
  }
  return GA_NO_ERROR;
}

static int time_algorithm(const ga__conv_request *q, GpuArray v[3],
                          const ga__provider *by, uint64_t *ns) {
  GpuArray *const given[3] = {&v[0], &v[1], &v[2]};
  GpuLaunch *l = NULL;
  int err;

  GA_CHECK(q->make(&l, q->g, q->part, given, by));
  if (l == NULL) {
    *ns = UINT64_MAX;
    return GA_NO_ERROR;
  }
  err = time_launch(l, &v[2], ns);

done:
  GpuLaunch_free(l);
  return err;
}

/* Winograd's algorithm needs a workspace. */
static int has_winograd(const ga__conv *c) {
  return ga__product_wish(c->ctx).workspace > 0 && c->w.size[0] == 1 &&
         c->w.size[1] == 3 && c->w.size[2] == 3 && c->stride[1] == 1 &&
         c->stride[2] == 1 && c->dilation[1] == 1 && c->dilation[2] == 1;
}

/* Set *best to the number of the fastest algorithm. */
static int measure(const ga__conv *c, const ga__conv_request *q,
                   unsigned char *best) {
  const ga__conv_array *const arrays[3] = {&c->x, &c->w, &c->y};
  GpuArray v[3] = {{.data = NULL}};
  uint64_t ns, least;
  int err;

  for (int k = 0; k < 3; k++) {
    const unsigned int i = arrays[k]->slot;
    GA_CHECK(make_array(&v[i], c, q->given[i],
                        i < 2 || q->is_written ? arrays[k] : NULL));
  }
  GA_CHECK(time_algorithm(q, v, ga__conv_as_model, &least));
  least = (uint64_t)(LEAST_GAIN * (double)least);
  *best = 0;
  for (int k = 1; k < (has_winograd(c) ? 3 : 2); k++)
    if (time_algorithm(q, v, algorithms[k], &ns) == GA_NO_ERROR && ns < least) {
      least = ns;
      *best = (unsigned char)k;
    }

done:
  clear_arrays(v);
  return err;
}

static size_t elements(const ga__conv_array *a) {
  return ga__times(ga__times(a->n[0], a->n[1]),
                   a->size[0] * a->size[1] * a->size[2]);
}

const ga__provider *ga__conv_measured(const ga__conv *c,
                                      const ga__conv_request *q) {
  unsigned char best = 0;
  ga__launch_key key;

  if (!ga__product_wish(c->ctx).measures || elements(&c->x) == 0 ||
      elements(&c->w) == 0 || elements(&c->y) == 0 || !ga__noted_on(c->ctx))
    return NULL;
  make_key(&key, c, q->part);
  const size_t bytes = key.n * sizeof *key.v;
  if (ga__noted_get(c->ctx, FAMILY, key.v, bytes, &best) && best < ALGORITHMS)
    return algorithms[best];
  ga__err_mute(1);
  const int err = measure(c, q, &best);
  ga__err_mute(0);
  if (err != GA_NO_ERROR)
    return NULL;
  ga__noted_put(c->ctx, FAMILY, key.v, bytes, best);
  return algorithms[best];
}
