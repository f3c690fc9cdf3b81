/* SPDX-License-Identifier: BSD-2-Clause */
/* Pooling and resizing of arrays: launches. */
#include <gpuarray/device.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "codegen/template.h"
#include "ocl/ocl.h"
#include "pooling/pooling_block.h"
#include "pooling/pooling_check.h"
#include "pooling/pooling_layout.h"
#include "pooling/pooling_operands.h"

#define GPU_GROUP 128 /* work-items of a group */

/* --- the space --- */

static void set_strides(ga__pooling *j, unsigned int k) {
  const unsigned int nd = j->x->nd, lead = nd - (unsigned int)j->gen.nw;
  ga__pool_operand *o = &j->operands[k];
  ptrdiff_t strides[GA_ITER_ND] = {0};

  if (o->array == NULL)
    return;
  for (unsigned int d = 0; d < nd; d++)
    strides[d] = o->array->dimensions[d] > 1 ? o->array->strides[d] : 0;
  ga__iter_set(&j->batch, k, strides);
  for (unsigned int d = lead; d < nd; d++)
    o->by[nd - 1 - d] = strides[d];
}

static int make_space(ga__pooling *j) {
  const unsigned int lead = j->x->nd - (unsigned int)j->gen.nw;

  GA_TRY(ga__iter_init(&j->batch, lead, j->x->dimensions, j->n));
  for (unsigned int k = 0; k < j->n; k++)
    set_strides(j, k);
  ga__iter_order(&j->batch, ga__pooling_lead(j));
  ga__iter_merge(&j->batch);
  j->gen.nk = (int)j->batch.nd;
  GA_TRY(ga__pooling_join_axes(j));
  for (int d = 0; d < j->gen.nw; d++) {
    j->sizes[d] = ga__pooling_band(j, (unsigned int)d)->n;
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

/* Elements that window o of a band lacks because it begins before the source:
 * the kernels for blocks count from the first one there would be. */
static size_t find_skip(const ga__pool_block *block, const GpuBand *b,
                        size_t o) {
  if (block->size == 0 || b->count[o] == 0)
    return 0;
  const size_t size = (size_t)block->size;
  const int64_t begin =
      (int64_t)(o / size) * block->lead + block->begin + block->first[o % size];

  return (size_t)(b->first[o] - begin) / b->step;
}

/* Write the weights of axis d, 1 where a band has none. They are in the order
 * [most][n], side by side for elements that are, or [n][most], which suits
 * other axes where they are read one by one. */
static void put_weights(ga__pooling *j, int d, size_t at) {
  const ga__pool_block none = {0};
  const GpuBand *b = ga__pooling_band(j, (unsigned int)d);
  const int is_across = d == 0 || j->gen.is_row;
  const size_t by_k = is_across ? b->n : 1;
  const size_t by_o = is_across ? 1 : b->most;

  for (size_t o = 0; o < b->n; o++) {
    const size_t skip = find_skip(d < 2 ? &j->gen.block[d] : &none, b, o);

    for (size_t k = 0; k < (size_t)b->count[o]; k++)
      put_weight(j, at + (k + skip) * by_k + o * by_o,
                 b->weights != NULL ? b->weights[k * b->n + o] : 1);
  }
}

/* Both sizes are at most INT_MAX / 4. */
static size_t count_weights(const GpuBand *b) {
  return ga__round_up(b->most * b->n, GA_POOLING_ALIGN);
}

/* Nonzero if all weights in the windows of a band are the same. Multiplies
 * *scale by it. */
static int has_one_weight(const GpuBand *b, double *scale) {
  double one = 1;
  int is_first = 1;

  for (size_t o = 0; o < b->n && b->weights != NULL; o++)
    for (size_t k = 0; k < (size_t)b->count[o]; k++, is_first = 0) {
      const double w = b->weights[k * b->n + o];
      if (!is_first && w != one)
        return 0;
      one = w;
    }
  *scale *= one;
  return 1;
}

/* Does the kernel multiply elements by weights, or a sum by one number? */
static void choose_weights(ga__pooling *j, double *scale) {
  int has_weights = 0, is_scaled = 1;

  for (int d = 0; d < j->gen.nw && j->op == GA_POOLING_SUM; d++) {
    has_weights |= j->bands[d].weights != NULL;
    is_scaled &= has_one_weight(&j->bands[d], scale);
  }
  j->gen.is_weighted = has_weights && !is_scaled;
  j->gen.is_scaled = has_weights && is_scaled;
  j->gen.is_even = ga__pooling_band(j, 0)->weights == NULL;
}

static int alloc_weights(ga__pooling *j, size_t n) {
  j->n_weights = n;
  j->weights = ga__calloc(n, ga__pooling_work_size(j));
  return j->weights != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

/* A block that passes the end of its axis reads weights behind it. */
static int write_weights(ga__pooling *j) {
  size_t at = 0, n = GA_POOLING_MOST_BLOCK * (size_t)j->gen.rounds[1];
  double scale = 1;

  choose_weights(j, &scale);
  if (j->gen.is_scaled) {
    GA_TRY(alloc_weights(j, 1));
    put_weight(j, 0, scale);
  }
  if (!j->gen.is_weighted)
    return GA_NO_ERROR;
  for (int d = 0; d < j->gen.nw; d++)
    n += count_weights(&j->bands[d]);
  GA_TRY(alloc_weights(j, n));
  for (int d = j->gen.nw - 1; d >= 0; d--) {
    put_weights(j, d, at);
    at += count_weights(ga__pooling_band(j, (unsigned int)d));
  }
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
                      ga__at_most(j->sizes[0], (s + 1) * j->strip), &to[2 * s],
                      &to[2 * s + 1]);
  return GA_NO_ERROR;
}

/* --- launches --- */

static void add_operand(GpuLaunch *l, const ga__pooling *j, unsigned int k) {
  const ga__pool_operand *o = &j->operands[k];

  if (o->value != NULL) {
    ga__launch_value(l, (int)o->slot, ga__pooling_size(j, k), o->value);
    return;
  }
  if (o->array == NULL)
    return;
  ga__launch_slot(l, o->slot);
  ga__launch_offset(l, o->slot, (size_t)j->batch.first[k]);
  for (unsigned int d = 0; d < j->batch.nd; d++)
    ga__launch_ssize(l, j->batch.strides[k][d]);
  for (int d = 0; d < j->gen.nw; d++)
    ga__launch_ssize(l, o->by[d]);
}

/* A number m and a shift s such that u / d is 2 u m / 2^32 >> s, rounded down,
 * for each u below 2^31; in one word. */
static uint64_t reciprocal(size_t d) {
  uint64_t shift = 0;

  while (((uint64_t)1 << shift) < d)
    shift++;
  return (shift << 32) | ga__ceil_div((uint64_t)1 << (31 + shift), d);
}

static void add_digits(GpuLaunch *l, const ga__pooling *j) {
  for (int i = 0; i + 1 < j->n_digits; i++)
    ga__launch_size(l, j->digit[i]);
  for (int i = 0; i + 1 < j->n_digits; i++)
    ga__launch_size(l, j->gen.wide_index ? 0 : reciprocal(j->digit[i]));
}

static void add_sizes(GpuLaunch *l, const ga__pooling *j) {
  const unsigned int nw = (unsigned int)j->gen.nw;

  for (unsigned int d = 0; d < j->batch.nd; d++)
    ga__launch_size(l, j->batch.dims[d]);
  for (unsigned int d = 0; d < nw; d++)
    ga__launch_size(l, j->sizes[d]);
  for (unsigned int d = 0; d < nw; d++)
    ga__launch_size(l, j->m[d]);
  for (unsigned int d = 0; d < nw; d++)
    ga__launch_size(l, ga__pooling_band(j, d)->step);
  for (unsigned int d = 0; d < nw; d++)
    ga__launch_size(l, ga__pooling_band(j, d)->most);
  add_digits(l, j);
}

static const char *template_of(const ga__pooling *j) {
  return !j->gen.is_row             ? "pooling"
         : j->op == GA_POOLING_PICK ? "pooling_pick"
                                    : "pooling_row";
}

/* All that the source depends on. */
static void key_of(ga__launch_key *key, const ga__pooling *j) {
  const ga__gen_pooling_maps *m = &j->maps;

  ga__launch_key_start(key, j->ctx, "pooling");
  ga__launch_key_bytes(key, &j->gen, sizeof j->gen);
  ga__launch_key_text(key, m->front);
  ga__launch_key_text(key, m->behind);
  ga__launch_key_text(key, m->front_head);
  ga__launch_key_text(key, m->behind_head);
  ga__launch_key_text(key, m->front_boolean);
  ga__launch_key_text(key, m->behind_boolean);
  ga__launch_key_number(key, m->n);
  ga__launch_key_number(key, m->n_in);
  for (unsigned int k = 0; k < m->n; k++) {
    ga__launch_key_text(key, m->args[k].name);
    ga__launch_key_number(key, (size_t)m->args[k].typecode);
    ga__launch_key_number(key, (size_t)m->args[k].flags);
    ga__launch_key_number(key, (size_t)m->steps[k] << 1 | m->is_fixed[k]);
  }
}

static void add_source(GpuLaunch *l, const ga__pooling *j, size_t gs,
                       size_t ls) {
  ga__strb macros = GA_STRB_INIT;
  ga__launch_key key;

  key_of(&key, j);
  if (ga__launch_again(l, &key, 1, &gs, &ls))
    return;
  ga__gen_pooling_write(&macros, &j->gen, &j->maps);
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
  for (unsigned int k = 0; k < j->n; k++)
    add_operand(l, j, k);
  add_sizes(l, j);
  ga__launch_table(l, j->spans, ga__times(j->n_spans, sizeof *j->spans));
  if (j->weights != NULL)
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
  double bytes = 0, flops = (double)ga__iter_total(&j->batch);

  for (unsigned int k = 0; k < j->n; k++) {
    const ga__pool_operand *o = &j->operands[k];
    double n = (double)ga__iter_visits(&j->batch, k);

    for (int d = 0; d < j->gen.nw; d++)
      n *= o->by[d] == 0 ? 1 : (double)(o->at_result ? j->sizes[d] : j->m[d]);
    bytes += o->array != NULL ? n * (double)ga__pooling_size(j, k) : 0;
  }
  for (int d = 0; d < j->gen.nw; d++)
    flops *= (double)ga__pooling_band(j, (unsigned int)d)->most *
             (double)j->sizes[d];
  ga__launch_cost(l, bytes, flops);
}

static void bind(GpuLaunch *l, const ga__pooling *j, unsigned int k) {
  const ga__pool_operand *o = &j->operands[k];
  const size_t lanes = ga__pooling_aligned_lanes(j, k);

  if (o->array == NULL)
    return;
  ga__launch_bind_array(l, o->slot, o->array);
  if (lanes > 1)
    ga__launch_require_align(l, o->slot, lanes * ga__pooling_size(j, k));
}

static int build(GpuLaunch **out, ga__pooling *j, unsigned int n_slots) {
  const char *const labels[] = {[GA_POOLING_SUM] = "pool_sum",
                                [GA_POOLING_MAX] = "pool_max",
                                [GA_POOLING_PICK] = "pool_pick"};
  size_t total = ga__iter_total(&j->batch);

  for (int d = 0; d < j->gen.nw; d++)
    total *= j->sizes[d];
  if (total > 0) {
    ga__pooling_lay_out(j);
    GA_TRY(write_weights(j));
    GA_TRY(write_spans(j));
  }
  GpuLaunch *l = ga__launch_open(j->ctx, labels[j->op], n_slots);
  if (total > 0)
    add_kernel(l, j);
  for (unsigned int k = 0; k < j->n; k++)
    bind(l, j, k);
  add_cost(l, j);
  return ga__launch_seal(out, l);
}

static int prepare(GpuLaunch **out, ga__pooling *j, const ga__pool_given *g) {
  int err;

  if (out == NULL)
    return ga__fail(GA_INVALID_ERROR, "nowhere to write a launch");
  *out = NULL;
  GA_CHECK(ga__pooling_check(j, g));
  GA_CHECK(make_space(j));
  GA_CHECK(build(out, j, GA_POOLING_SLOTS + ga__pooling_count(g)));

done:
  ga__pooling_clear(j);
  return err;
}

int GpuPooling_prepare(GpuLaunch **out, ga_pool_op op, unsigned int n,
                       const GpuBand *bands, GpuArray *x, GpuArray *index,
                       GpuArray *y) {
  const ga__pool_given g = {
      .n = n, .bands = bands, .x = x, .index = index, .y = y};
  ga__pooling j = {.op = op};

  return prepare(out, &j, &g);
}

int GpuPooling_epilogue_prepare(GpuLaunch **out, ga_pool_op op, unsigned int n,
                                const GpuBand *bands, GpuArray *x,
                                GpuArray *index, const GpuEpilogue *e,
                                void **args) {
  const ga__pool_given g = {
      .n = n, .bands = bands, .x = x, .index = index, .e = e, .args = args};
  ga__pooling j = {.op = op};

  if (e == NULL || e->text == NULL)
    return ga__fail(GA_VALUE_ERROR, "no epilogue");
  return prepare(out, &j, &g);
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
