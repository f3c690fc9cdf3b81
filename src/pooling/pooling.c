/* SPDX-License-Identifier: BSD-2-Clause */
/* Pooling and resizing of arrays: launches. */
#include <gpuarray/device.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "codegen/template.h"
#include "ocl/ocl.h"
#include "pooling/pooling_check.h"
#include "pooling/pooling_layout.h"

#define GPU_GROUP 128 /* work-items of a group */

/* --- the space --- */

static int make_space(ga__pooling *j) {
  const GpuArray *x = j->array[GA_POOLING_X];
  const unsigned int lead = x->nd - (unsigned int)j->gen.nw;

  GA_TRY(ga__iter_init(&j->batch, lead, x->dimensions, GA_POOLING_SLOTS));
  for (unsigned int k = 0; k < GA_POOLING_SLOTS; k++)
    if (j->array[k] != NULL) {
      const GpuArray *a = j->array[k];
      ga__iter_set(&j->batch, k, a->strides);
      for (unsigned int d = lead; d < x->nd; d++)
        j->by[k][x->nd - 1 - d] = a->dimensions[d] > 1 ? a->strides[d] : 0;
    }
  ga__iter_order(&j->batch, ga__pooling_lead(j));
  ga__iter_merge(&j->batch);
  j->gen.nk = (int)j->batch.nd;
  for (int d = 0; d < j->gen.nw; d++) {
    j->n[d] = ga__pooling_band(j, (unsigned int)d)->n;
    j->m[d] = ga__pooling_band(j, (unsigned int)d)->from;
  }
  return GA_NO_ERROR;
}

/* --- bands for the device --- */

static void put_weight(const ga__pooling *j, size_t at, double w) {
  if (ga__pooling_work_size(j) == sizeof(double))
    ((double *)j->weights)[at] = w;
  else
    ((float *)j->weights)[at] = (float)w;
}

/* Write the weights of axes in order, 1 where a band has none. */
static int write_weights(ga__pooling *j) {
  for (int d = 0; d < j->gen.nw; d++) {
    j->gen.is_weighted |=
        j->op == GA_POOLING_SUM && j->bands[d].weights != NULL;
    j->n_weights += ga__times(j->bands[d].most, j->bands[d].n);
  }
  if (!j->gen.is_weighted)
    return GA_NO_ERROR;
  j->weights = ga__calloc(j->n_weights, ga__pooling_work_size(j));
  if (j->weights == NULL)
    return ga__fail_nomem();
  for (size_t d = 0, at = 0; d < (size_t)j->gen.nw; d++)
    for (size_t i = 0; i < j->bands[d].most * j->bands[d].n; i++)
      put_weight(j, at++,
                 j->bands[d].weights != NULL ? j->bands[d].weights[i] : 1);
  return GA_NO_ERROR;
}

static int write_spans(ga__pooling *j) {
  int32_t *to;

  j->n_spans = 2 * j->strips;
  for (int d = 0; d < j->gen.nw; d++)
    j->n_spans += 2 * j->bands[d].n;
  j->spans = to = ga__calloc(j->n_spans, sizeof *to);
  if (to == NULL)
    return ga__fail_nomem();
  for (int d = 0; d < j->gen.nw; d++) {
    const GpuBand *b = &j->bands[d];
    memcpy(to, b->first, b->n * sizeof *to);
    memcpy(to + b->n, b->count, b->n * sizeof *to);
    to += 2 * b->n;
  }
  for (size_t s = 0; s < j->strips; s++)
    ga__pooling_strip(ga__pooling_band(j, 0), s * j->strip,
                      ga__at_most(j->n[0], (s + 1) * j->strip), &to[2 * s],
                      &to[2 * s + 1]);
  return GA_NO_ERROR;
}

/* --- launches --- */

static void add_array(GpuLaunch *l, const ga__pooling *j, unsigned int k) {
  const int is_given = j->array[k] != NULL;

  if (is_given) {
    ga__launch_slot(l, k);
    ga__launch_offset(l, k, (size_t)j->batch.first[k]);
  } else {
    ga__launch_none(l);
    ga__launch_size(l, 0);
  }
  for (unsigned int d = 0; d < j->batch.nd; d++)
    ga__launch_ssize(l, is_given ? j->batch.strides[k][d] : 0);
  for (int d = 0; d < j->gen.nw; d++)
    ga__launch_ssize(l, is_given ? j->by[k][d] : 0);
}

static void add_sizes(GpuLaunch *l, const ga__pooling *j) {
  const unsigned int nw = (unsigned int)j->gen.nw;

  for (unsigned int d = 0; d < j->batch.nd; d++)
    ga__launch_size(l, j->batch.dims[d]);
  for (unsigned int d = 0; d < nw; d++)
    ga__launch_size(l, j->n[d]);
  for (unsigned int d = 0; d < nw; d++)
    ga__launch_size(l, j->m[d]);
  for (unsigned int d = 0; d < nw; d++)
    ga__launch_size(l, ga__pooling_band(j, d)->step);
  for (unsigned int d = 0; d < nw; d++)
    ga__launch_size(l, ga__pooling_band(j, d)->most);
}

static const char *template_of(const ga__pooling *j) {
  return !j->gen.is_row             ? "pooling"
         : j->op == GA_POOLING_PICK ? "pooling_pick"
                                    : "pooling_row";
}

static void add_source(GpuLaunch *l, const ga__pooling *j, size_t gs,
                       size_t ls) {
  ga__strb macros = GA_STRB_INIT;
  ga__launch_key key;

  ga__launch_key_start(&key, j->ctx, "pooling");
  ga__launch_key_bytes(&key, &j->gen, sizeof j->gen);
  if (ga__launch_again(l, &key, 1, &gs, &ls))
    return;
  ga__gen_pooling_write(&macros, &j->gen);
  if (macros.err != GA_NO_ERROR) {
    ga__launch_error(l, macros.err);
  } else {
    const char *const parts[2] = {ga__strb_text(&macros),
                                  ga__template(template_of(j))};
    const ga__source src = {.n = 2, .parts = parts, .entry = template_of(j)};
    ga__launch_kernel(l, &src, 1, &gs, &ls);
    ga__launch_remember(l, &key);
  }
  ga__strb_clear(&macros);
}

static void add_kernel(GpuLaunch *l, const ga__pooling *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  const size_t able = ga__at_most(caps->max_group, caps->max_items[0]);
  const size_t ls =
      caps->is_cpu ? 1 : ga__floor_pow2(ga__between(1, able, GPU_GROUP));

  ga__launch_rounds(l, j->rounds);
  add_source(l, j, ga__round_up(ga__ceil_div(j->units, j->per), ls), ls);
  for (unsigned int k = 0; k < GA_POOLING_SLOTS; k++)
    add_array(l, j, k);
  add_sizes(l, j);
  ga__launch_table(l, j->spans, ga__times(j->n_spans, sizeof *j->spans));
  if (j->gen.is_weighted)
    ga__launch_table(l, j->weights,
                     ga__times(j->n_weights, ga__pooling_work_size(j)));
  else
    ga__launch_none(l);
  ga__launch_size(l, j->units);
  ga__launch_size(l, j->per);
  if (j->gen.is_row) {
    ga__launch_size(l, j->strip);
    ga__launch_size(l, j->strips);
  }
}

static void add_cost(GpuLaunch *l, const ga__pooling *j) {
  double bytes = 0, flops = 1;

  for (unsigned int k = 0; k < GA_POOLING_SLOTS; k++) {
    double n =
        (double)ga__iter_total(&j->batch) * (double)ga__pooling_size(j, k);

    for (int d = 0; d < j->gen.nw; d++)
      n *= (double)(ga__pooling_is_result(j, (int)k) ? j->n[d] : j->m[d]);
    bytes += j->array[k] != NULL ? n : 0;
    if (k == ga__pooling_lead(j))
      flops = n / (double)ga__pooling_size(j, k);
  }
  for (int d = 0; d < j->gen.nw; d++)
    flops *= (double)ga__pooling_band(j, (unsigned int)d)->most;
  ga__launch_cost(l, bytes, flops);
}

static int build(GpuLaunch **out, ga__pooling *j) {
  const char *const labels[] = {[GA_POOLING_SUM] = "pool_sum",
                                [GA_POOLING_MAX] = "pool_max",
                                [GA_POOLING_PICK] = "pool_pick"};
  size_t total = ga__iter_total(&j->batch);

  for (int d = 0; d < j->gen.nw; d++)
    total *= j->n[d];
  if (total > 0) {
    ga__pooling_lay_out(j);
    GA_TRY(write_weights(j));
    GA_TRY(write_spans(j));
  }
  GpuLaunch *l = ga__launch_open(j->ctx, labels[j->op], GA_POOLING_SLOTS);
  if (total > 0)
    add_kernel(l, j);
  for (unsigned int k = 0; k < GA_POOLING_SLOTS; k++)
    if (j->array[k] != NULL)
      ga__launch_bind_array(l, k, j->array[k]);
  if (j->gen.is_aligned)
    for (unsigned int k = 0; k < GA_POOLING_SLOTS; k++)
      if (j->array[k] != NULL)
        ga__launch_require_align(l, k,
                                 (size_t)j->gen.lanes * ga__pooling_size(j, k));
  add_cost(l, j);
  return ga__launch_seal(out, l);
}

int GpuPooling_prepare(GpuLaunch **out, ga_pool_op op, unsigned int n,
                       const GpuBand *bands, GpuArray *x, GpuArray *index,
                       GpuArray *y) {
  ga__pooling j = {.array = {x, index, y}, .bands = bands, .op = op};
  int err;

  if (out == NULL)
    return ga__fail(GA_INVALID_ERROR, "nowhere to write a launch");
  *out = NULL;
  GA_TRY(ga__pooling_check(&j, n));
  GA_CHECK(make_space(&j));
  GA_CHECK(build(out, &j));

done:
  ga__iter_clear(&j.batch);
  ga__free(j.spans);
  ga__free(j.weights);
  return err;
}

int GpuPooling_call(ga_pool_op op, unsigned int n, const GpuBand *bands,
                    GpuArray *x, GpuArray *index, GpuArray *y) {
  GpuLaunch *l;
  int err;

  GA_TRY(GpuPooling_prepare(&l, op, n, bands, x, index, y));
  err = GpuLaunch_run(l);
  GpuLaunch_free(l);
  return err;
}
