/* SPDX-License-Identifier: BSD-2-Clause */
/* Direct calls of products, through the launch cache. */
#include "blas/direct.h"

#include "base/assert.h"
#include "blas/dispatch.h"
#include "ocl/launch/launch_cache.h"

static void add_factor(ga__launch_key *key, ga_complex factor) {
  ga__launch_key_double(key, factor.re);
  ga__launch_key_double(key, factor.im);
}

static void add_operand(ga__launch_key *key, const ga__product_operand *o) {
  ga__launch_key_number(key, (size_t)o->rs);
  ga__launch_key_number(key, (size_t)o->cs);
  ga__launch_key_number(key, (size_t)o->bs);
  ga__launch_key_offset(key, o->off);
}

static void make_key(ga__launch_key *key, const ga__product *p) {
  ga__launch_key_start(key, p->ctx, "product");
  ga__launch_key_number(key, (size_t)p->routine * 4 +
                                 (size_t)(p->conj_a != 0) * 2 +
                                 (size_t)(p->conj_b != 0));
  ga__launch_key_number(key, (size_t)p->typecode);
  ga__launch_key_number(key, p->m);
  ga__launch_key_number(key, p->n);
  ga__launch_key_number(key, p->k);
  ga__launch_key_number(key, p->batch);
  add_factor(key, p->alpha);
  add_factor(key, p->beta);
  add_operand(key, &p->a);
  add_operand(key, &p->b);
  add_operand(key, &p->c);
}

static int prepare(GpuLaunch **out, const void *p) {
  return ga__product_prepare(out, p);
}

int ga__product_run(const ga__product *p) {
  const ga__product_operand *const o[3] = {&p->a, &p->b, &p->c};
  ga__launch_key key;
  GpuArray arrays[3]; /* buffers and offsets only */
  const void *values[3];

  make_key(&key, p);
  for (int i = 0; i < 3; i++) {
    GA_ASSERT(o[i]->slot < 3);
    arrays[o[i]->slot] = (GpuArray){.data = o[i]->buf, .offset = o[i]->off};
    values[i] = &arrays[i];
  }
  return ga__cached_run(&(ga__cached_call){.ctx = p->ctx,
                                           .key = &key,
                                           .n = 3,
                                           .values = values,
                                           .prepare = prepare,
                                           .arg = p});
}
