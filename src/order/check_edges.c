/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports edges that decrease. */
#include "order/check_edges.h"

#include <gpuarray/device.h>

#include "array/geometry.h"
#include "base/arith.h"
#include "ocl/launch/launch_guard.h"
#include "order/sort_rows.h"

/* Pairs of a work-item on a CPU; work-items of a group on a GPU. */
enum { CHUNK = 8192, GROUP = 128 };

/* Rows stay in C order, which positions in reports have. */
static int set_rows(ga__sort_job *j, const GpuArray *edges, unsigned int slot) {
  const unsigned int last = edges->nd - 1;

  GA_TRY(ga__iter_init(&j->rows, last, edges->dimensions, slot + 1));
  ga__iter_set(&j->rows, slot, edges->strides);
  ga__iter_merge(&j->rows);
  ga__sort_some_rows(j);
  j->stride[slot] = edges->strides[last];
  j->n = edges->dimensions[last] - 1;
  j->n_rows = ga__iter_total(&j->rows);
  return GA_NO_ERROR;
}

static void choose(ga__sort_job *j, const GpuArray *edges) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);

  j->cut.chunk = caps->is_cpu ? CHUNK : 1;
  j->cut.parts = ga__ceil_div(j->n, j->cut.chunk);
  j->gen.dtype = edges->typecode;
  j->gen.group = (unsigned int)ga__group_size(caps, caps->is_cpu ? 1 : GROUP);
  j->gen.nk = j->rows.nd;
  j->gen.wide_index =
      !ga__fits_int(ga__times(j->n_rows, j->cut.parts)) || !ga__fits_int(j->n);
}

static void add_kernel(GpuLaunch *l, ga__sort_job *j) {
  const size_t ls = j->gen.group;
  const size_t gs = ga__round_up(ga__times(j->n_rows, j->cut.parts), ls);
  ga__launch_key key;

  ga__launch_key_start(&key, j->ctx, "check_edges");
  ga__launch_key_number(&key, (size_t)j->gen.dtype);
  ga__launch_key_number(&key, ls);
  ga__launch_key_number(&key, j->gen.nk);
  ga__launch_key_number(&key, (size_t)j->gen.wide_index);
  if (ga__launch_again(l, &key, 1, &gs, &ls))
    return;
  ga__gen_sort_write(&j->macros, &j->gen);
  ga__launch_error(l, j->macros.err);
  ga__sort_kernel(l, j, "check_edges", "check_edges", gs);
  ga__launch_remember(l, &key);
}

static void add(GpuLaunch *l, ga__sort_job *j, unsigned int slot) {
  const ga__indexing x = {.is_order = 1, .dtype = j->gen.dtype};

  ga__launch_rounds(l, j->cut.chunk);
  add_kernel(l, j);
  ga__sort_operand(l, j, &(ga__sort_place){.index = slot});
  ga__sort_sizes(l, j);
  ga__launch_size(l, j->n_rows);
  ga__launch_size(l, j->n);
  ga__launch_size(l, j->cut.parts);
  ga__launch_size(l, j->cut.chunk);
  ga__launch_index_guard(l, &x);
}

void ga__check_edges(GpuLaunch *l, const GpuArray *edges, unsigned int slot) {
  ga__sort_job j = {.ctx = GpuArray_context(edges), .macros = GA_STRB_INIT};
  int err;

  if (l == NULL || ga__array_total(edges) < 2 ||
      edges->dimensions[edges->nd - 1] < 2)
    return;
  GA_CHECK(set_rows(&j, edges, slot));
  choose(&j, edges);
  add(l, &j, slot);

done:
  ga__launch_error(l, err);
  ga__sort_clear(&j);
}
