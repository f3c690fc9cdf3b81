/* SPDX-License-Identifier: BSD-2-Clause */
#include "order/topk_list.h"

#include <gpuarray/device.h>
#include <stdint.h>

#include "base/arith.h"
#include "order/sort_input.h"

/* Rows or parts that keep a compute unit busy. */
#define PARTS_PER_UNIT 4
/* A list is a quarter of the row at most: sorting the others beats it. */
#define LEAST_ROW 4
#define CPU_MOST 1024 /* T_MOST of cl/topk_heap.cl */
#define CPU_CHUNK 16384
/* Elements of lists for each part of a later round. */
#define MERGE_CHUNK 4096
/* GPUs: work-items of a group that has a row, and of one that has a part of a
 * row; elements of a tile for each. */
#define GPU_GROUP 32
#define GPU_GROUP_MOST 256
#define GPU_ITEMS 32
/* Shorter rows have no parts; the most elements of lists of parts. */
#define GPU_SHORT_ROW 4096
#define GPU_PARTS_MOST 32
/* T_MOST of cl/topk_list.cl: elements of a list for each work-item, of at least
 * so many. */
#define GPU_LIST 4
#define GPU_LIST_GROUP 64
#define GPU_SINGLE 64 /* bytes for a bound and counters, or more */

/* A round reads rows of n elements in parts, and stores a list for each. */
typedef struct round {
  size_t n, parts;
  ga__sort_place *source, *at, *values, *indices;
} round;

/* --- layout --- */

/* Whether a group of a GPU does a whole row: there are many, or they are
 * short. */
static int is_whole(const ga__sort_job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);

  return j->n_rows >= (size_t)caps->compute_units * PARTS_PER_UNIT ||
         j->n <= GPU_SHORT_ROW;
}

/* The work-items of a group of a GPU: more than are wanted, so that the first
 * tile has a bound. */
static size_t group_of(const ga__sort_job *j, size_t wanted) {
  const size_t most = GPU_GROUP_MOST;
  const size_t group =
      is_whole(j) ? ga__between(GPU_GROUP, ga__ceil_pow2(2 * wanted), most)
                  : most;

  return ga__group_size(gpucontext_caps(j->ctx), group);
}

static int fits_gpu(const ga__sort_job *j, size_t wanted) {
  const size_t group = group_of(j, wanted);
  const size_t most = GPU_LIST * ga__at_least(group, GPU_LIST_GROUP);
  /* Elements and their places, and one of each work-item. */
  const size_t bytes =
      most * (j->word + sizeof(uint64_t)) + group * j->word + GPU_SINGLE;

  return (is_whole(j) || wanted <= GPU_PARTS_MOST) && wanted <= group &&
         group >= GPU_GROUP && bytes <= gpucontext_caps(j->ctx)->local_bytes;
}

int ga__topk_list_fits(const ga__sort_job *j, size_t wanted) {
  if (wanted > j->n / LEAST_ROW || wanted > CPU_MOST)
    return 0;
  return gpucontext_caps(j->ctx)->is_cpu || fits_gpu(j, wanted);
}

static size_t first_parts(const ga__sort_job *j, size_t wanted) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  const size_t chunk =
      caps->is_cpu ? CPU_CHUNK : 2 * (size_t)j->gen.group * j->gen.items;
  const size_t parts =
      ga__ceil_div((size_t)caps->compute_units * PARTS_PER_UNIT, j->n_rows);

  if (!caps->is_cpu && is_whole(j))
    return 1;
  return ga__at_least(
      ga__at_most(parts, j->n / ga__at_least(chunk, LEAST_ROW * wanted)), 1);
}

static int set_layout(ga__sort_job *j, size_t wanted) {
  const int is_cpu = gpucontext_caps(j->ctx)->is_cpu;

  j->gen.group = is_cpu ? 1 : (unsigned int)group_of(j, wanted);
  j->gen.items = is_cpu ? 0 : GPU_ITEMS;
  j->gen.is_flat = j->stride[GA_SORT_SOURCE] == (ptrdiff_t)j->word;
  j->cut = (ga__cut){.parts = first_parts(j, wanted)};
  return ga__sort_write_macros(j);
}

/* --- rounds --- */

static void add_round(GpuLaunch *l, const ga__sort_job *j, const round *r,
                      size_t wanted) {
  const int is_cpu = j->gen.group == 1, is_last = r->parts == 1;
  const unsigned int results = ga__sort_stores(j);

  ga__launch_rounds(l, ga__ceil_div(r->n, r->parts) /
                               (j->gen.group * ga__at_least(j->gen.items, 1)) +
                           2 * wanted);
  ga__sort_kernel(l, j, is_cpu ? "topk_heap" : "topk_list", "topk_list",
                  ga__times(ga__times(j->n_rows, r->parts), j->gen.group));
  ga__sort_operand(l, j, r->source);
  ga__sort_operand(l, j, r->at);
  ga__sort_operand(l, j, r->values);
  ga__sort_operand(l, j, r->indices);
  ga__sort_sizes(l, j);
  ga__launch_size(l, j->n_rows);
  ga__launch_size(l, r->n);
  ga__launch_size(l, r->parts);
  ga__launch_uint(l, j->how);
  ga__launch_uint(l, (uint32_t)wanted);
  ga__launch_uint(l, is_last ? (uint32_t)(wanted - j->k) : 0);
  ga__launch_uint(l, !r->source->is_work);
  ga__launch_uint(l, is_last ? results : results | GA_SORT_STORE_VALUES);
}

int ga__topk_list_add(GpuLaunch *l, ga__sort_job *j, size_t wanted) {
  const unsigned int stores = ga__sort_stores(j);
  ga__sort_place source = {.index = GA_SORT_SOURCE};
  ga__sort_place values = {.index = GA_SORT_VALUES};
  ga__sort_place indices = {.index = GA_SORT_INDICES};
  ga__sort_place words[2], positions[2];
  round r = {.n = j->n, .source = &source, .at = &source};

  GA_TRY(set_layout(j, wanted));
  r.parts = j->cut.parts;
  for (unsigned int k = 0;; k++) {
    const size_t lists = ga__times(r.parts, wanted);
    ga__sort_place *const work = &words[k % 2], *const at = &positions[k % 2];
    const int is_last = r.parts == 1;

    *work = (ga__sort_place){.is_work = 1, .bytes = j->word, .most = lists};
    *at =
        (ga__sort_place){.is_work = 1, .bytes = sizeof(int64_t), .most = lists};
    r.values = !is_last                        ? work
               : stores & GA_SORT_STORE_VALUES ? &values
                                               : &source;
    r.indices = !(stores & GA_SORT_STORE_POSITIONS) ? &source
                : is_last                           ? &indices
                                                    : at;
    add_round(l, j, &r, wanted);
    if (is_last)
      return GA_NO_ERROR;
    r = (round){.n = lists,
                .parts = ga__at_least(lists / MERGE_CHUNK, 1),
                .source = work,
                .at = r.indices};
  }
}
