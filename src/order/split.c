/* SPDX-License-Identifier: BSD-2-Clause */
/* Partitions: elements of some ranks are selected, and split their row. */
#include <gpuarray/device.h>
#include <gpuarray/sort.h>
#include <stdint.h>

#include "array/geometry.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "base/err.h"
#include "order/sort_call.h"
#include "order/sort_passes.h"
#include "order/topk.h"

/* GPUs: work-items of a group that has a part of a row, and elements of a tile
 * for each. */
#define GROUP 256
#define LEAST_GROUP 32
#define ITEMS 8

typedef struct split {
  ga__sort_job job;
  unsigned int n; /* pivots: the elements of the ranks */
  const size_t *ranks;
  const char *template;
  ga__sort_place source, pivots;
  unsigned int counts;
} split;

/* What comes before a pivot, what equals it, and what comes after the last. */
static unsigned int classes_of(const split *s) {
  return 2 * s->n + 1;
}

/* --- layout --- */

/* Elements and their places in the tile, and sums, whose rows have 16; some
 * elements are apart for their banks. */
static size_t tile_bytes(const ga__sort_job *j, size_t group) {
  const size_t tile = group * ITEMS;

  return (tile + tile / 32) * (j->word + sizeof(uint16_t)) +
         (group + group / 16) * sizeof(uint64_t);
}

/* The work-items of a group that has a part, or 0: one of them has one. */
static size_t group_of(const ga__sort_job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  const size_t group = ga__group_size(caps, GROUP);

  return caps->is_cpu || group < LEAST_GROUP ||
                 tile_bytes(j, group) > caps->local_bytes
             ? 0
             : group;
}

static int cut(split *s) {
  ga__sort_job *j = &s->job;
  const size_t group = group_of(j);

  ga__strb_appendf(&j->macros, "#define S_PIVOTS %u\n", s->n);
  s->template = group > 0 ? "split_tile" : "split";
  if (group == 0) {
    j->gen.is_flat = gpucontext_caps(j->ctx)->is_cpu &&
                     j->stride[GA_SORT_SOURCE] == (ptrdiff_t)j->word;
    return ga__sort_cut_rows(j, 1);
  }
  j->gen.group = (unsigned int)group;
  j->gen.items = ITEMS;
  j->gen.digit_bits = 1;
  j->gen.is_flat = ga__sort_is_flat(j, (ga__sort_input){.source = &s->source});
  ga__sort_cut_tiles(j);
  return ga__sort_write_macros(j);
}

/* --- kernels --- */

static void add_kernel(GpuLaunch *l, split *s, const char *entry) {
  const ga__sort_job *j = &s->job;

  ga__launch_rounds(l, j->cut.chunk);
  ga__sort_kernel(l, j, s->template, entry, j->gs);
  ga__sort_operand(l, j, &s->source);
  ga__sort_operand(l, j, &s->pivots);
}

static void add_count(GpuLaunch *l, split *s) {
  const ga__sort_job *j = &s->job;

  add_kernel(l, s, "split_count");
  ga__sort_sizes(l, j);
  s->counts = ga__launch_work(l, ga__sort_count_bytes(j, classes_of(s)));
  ga__sort_parts(l, j, 0);
  ga__sort_scan(l, j, s->counts, classes_of(s));
}

static void add_move(GpuLaunch *l, split *s) {
  const ga__sort_job *j = &s->job;
  ga__sort_place values = {.index = GA_SORT_VALUES};
  ga__sort_place indices = {.index = GA_SORT_INDICES};
  const unsigned int stores = ga__sort_stores(j);

  add_kernel(l, s, "split_move");
  ga__sort_operand(l, j, stores & GA_SORT_STORE_VALUES ? &values : &s->source);
  ga__sort_operand(l, j,
                   stores & GA_SORT_STORE_POSITIONS ? &indices : &s->source);
  ga__sort_sizes(l, j);
  ga__launch_work_arg(l, s->counts);
  ga__sort_parts(l, j, 0);
  ga__launch_uint(l, stores);
}

static int add_split(GpuLaunch *l, split *s) {
  ga__sort_job *j = &s->job;

  s->pivots = (ga__sort_place){.is_work = 1, .bytes = j->word, .most = s->n};
  for (unsigned int i = 0; i < s->n; i++) {
    s->pivots.first = i;
    GA_TRY(ga__topk_add_rank(l, j, s->ranks[i], &s->pivots));
  }
  s->pivots.first = 0;
  GA_TRY(cut(s));
  add_count(l, s);
  add_move(l, s);
  return GA_NO_ERROR;
}

static int is_sorted(size_t size, unsigned int n) {
  return size <= GA_PARTITION_SORTED || n > GA_PARTITION_RANKS;
}

static int add(GpuLaunch *l, split *s) {
  if (is_sorted(s->job.n, s->n))
    return ga__sort_add(l, &s->job, (ga__sort_input){.source = &s->source});
  return add_split(l, s);
}

/* --- calls --- */

/* Axes are checked elsewhere. */
static int check_ranks(const GpuArray *src, unsigned int n, const size_t *ranks,
                       unsigned int axis) {
  if (n == 0 || ranks == NULL)
    return ga__fail(GA_VALUE_ERROR, "partition: no ranks");
  for (unsigned int i = 0; axis < src->nd && i < n; i++)
    if (ranks[i] >= src->dimensions[axis])
      return ga__fail(GA_VALUE_ERROR,
                      "partition: rank %zu of an axis of %zu elements",
                      ranks[i], src->dimensions[axis]);
  return GA_NO_ERROR;
}

static int build(GpuLaunch **out, split *s) {
  ga__sort_job *j = &s->job;
  GpuLaunch *l = ga__launch_open(j->ctx, j->name, GA_SORT_SLOTS);

  if (j->n_rows > 0)
    ga__launch_error(l, add(l, s));
  return ga__sort_seal(out, l, j);
}

int GpuArray_partition_prepare(GpuLaunch **out, GpuArray *values,
                               GpuArray *indices, const GpuArray *src,
                               unsigned int n, const size_t *ranks,
                               unsigned int axis) {
  split s = {.job = {.name = "partition",
                     .array = {src, values, indices},
                     .axis = axis,
                     .macros = GA_STRB_INIT},
             .n = n,
             .ranks = ranks,
             .source = {.index = GA_SORT_SOURCE}};
  int err;

  *out = NULL;
  GA_TRY(ga__array_check(src));
  GA_TRY(check_ranks(src, n, ranks, axis));
  s.job.ctx = GpuArray_context(src);
  s.job.k = axis < src->nd ? src->dimensions[axis] : 0;
  GA_TRY(ga__sort_check(&s.job));
  GA_CHECK(ga__sort_set_rows(&s.job));
  GA_CHECK(build(out, &s));

done:
  ga__sort_clear(&s.job);
  return err;
}

static int prepare(GpuLaunch **out, const ga__sort_call *c) {
  return GpuArray_partition_prepare(out, c->values, c->indices, c->src,
                                    c->n_ranks, c->ranks, c->axis);
}

int GpuArray_partition_ranks(GpuArray *values, GpuArray *indices,
                             const GpuArray *src, unsigned int n,
                             const size_t *ranks, unsigned int axis) {
  GA_TRY(ga__array_check(src));
  GA_TRY(check_ranks(src, n, ranks, axis));
  if (axis >= src->nd || ga__dtype_is_complex(src->typecode) ||
      is_sorted(src->dimensions[axis], n))
    return GpuArray_sort(values, indices, src, axis, 0);
  return ga__sort_call_run(&(ga__sort_call){.name = "partition",
                                            .src = src,
                                            .values = values,
                                            .indices = indices,
                                            .k = src->dimensions[axis],
                                            .n_ranks = n,
                                            .ranks = ranks,
                                            .axis = axis,
                                            .prepare = prepare});
}

int GpuArray_partition(GpuArray *values, GpuArray *indices, const GpuArray *src,
                       size_t rank, unsigned int axis) {
  return GpuArray_partition_ranks(values, indices, src, 1, &rank, axis);
}
