/* SPDX-License-Identifier: BSD-2-Clause */
/* Partitions: the element of a rank is selected, and splits its row. */
#include "order/split.h"

#include <gpuarray/device.h>
#include <gpuarray/topk.h>

#include "array/geometry.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "order/fresh.h"
#include "order/sort_call.h"
#include "order/sort_rows.h"

/* Shorter rows are sorted: few kernels, or one, do that. */
#define SHORT_ROW 4096
#define CLASSES 3 /* before the pivot, equal, after it */

static void add_count(GpuLaunch *l, const ga__sort_job *j, unsigned int *counts,
                      ga__sort_place *source, ga__sort_place *pivot) {
  ga__launch_rounds(l, j->cut.chunk);
  ga__sort_kernel(l, j, "split", "split_count", j->gs);
  ga__sort_operand(l, j, source);
  ga__sort_operand(l, j, pivot);
  ga__sort_sizes(l, j);
  *counts = ga__launch_work(l, ga__sort_count_bytes(j, CLASSES));
  ga__sort_parts(l, j, 0);
  ga__sort_scan(l, j, *counts, CLASSES);
}

static void add_move(GpuLaunch *l, const ga__sort_job *j, unsigned int counts,
                     ga__sort_place *source, ga__sort_place *pivot) {
  ga__sort_place values = {.index = GA_SORT_VALUES};
  ga__sort_place indices = {.index = GA_SORT_INDICES};
  const unsigned int stores = ga__sort_stores(j);

  ga__launch_rounds(l, j->cut.chunk);
  ga__sort_kernel(l, j, "split", "split_move", j->gs);
  ga__sort_operand(l, j, source);
  ga__sort_operand(l, j, pivot);
  ga__sort_operand(l, j, stores & GA_SORT_STORE_VALUES ? &values : source);
  ga__sort_operand(l, j, stores & GA_SORT_STORE_POSITIONS ? &indices : source);
  ga__sort_sizes(l, j);
  ga__launch_work_arg(l, counts);
  ga__sort_parts(l, j, 0);
  ga__launch_uint(l, stores);
}

static int add(GpuLaunch *l, ga__sort_job *j) {
  ga__sort_place source = {.index = GA_SORT_SOURCE};
  ga__sort_place pivot = {.index = GA_SORT_PIVOT};
  unsigned int counts;

  j->gen.is_flat = gpucontext_caps(j->ctx)->is_cpu &&
                   j->stride[GA_SORT_SOURCE] == (ptrdiff_t)j->word;
  GA_TRY(ga__sort_cut_rows(j, 1));
  add_count(l, j, &counts, &source, &pivot);
  add_move(l, j, counts, &source, &pivot);
  return GA_NO_ERROR;
}

static int prepare(GpuLaunch **out, const ga__sort_call *c) {
  ga__sort_job j = {.name = c->name,
                    .array = {c->src, c->values, c->indices, c->pivot},
                    .ctx = GpuArray_context(c->src),
                    .axis = c->axis,
                    .k = c->k,
                    .macros = GA_STRB_INIT};
  int err;

  *out = NULL;
  GA_TRY(ga__sort_check(&j));
  GA_CHECK(ga__sort_set_rows(&j));
  GpuLaunch *l = ga__launch_open(j.ctx, j.name, GA_SORT_PIVOT + 1);
  if (j.n_rows > 0)
    ga__launch_error(l, add(l, &j));
  err = ga__sort_seal(out, l, &j);

done:
  ga__sort_clear(&j);
  return err;
}

int ga__split_fits(const GpuArray *src, unsigned int axis) {
  return axis < src->nd && src->dimensions[axis] > SHORT_ROW &&
         !ga__dtype_is_complex(src->typecode);
}

int ga__split(GpuArray *values, GpuArray *indices, const GpuArray *src,
              size_t rank, unsigned int axis) {
  GpuArray pivot = {0};
  int err;

  GA_TRY(ga__fresh(2, (GpuArray *[]){values, indices}, 1, &src));
  GA_TRY(GpuArray_kth(&pivot, NULL, src, rank, axis));
  err = ga__sort_call_run(&(ga__sort_call){.name = "partition",
                                           .src = src,
                                           .values = values,
                                           .indices = indices,
                                           .pivot = &pivot,
                                           .k = src->dimensions[axis],
                                           .axis = axis,
                                           .prepare = prepare});
  GpuArray_clear(&pivot);
  return err;
}
