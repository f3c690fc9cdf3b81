/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts along an axis. */
#include <gpuarray/sort.h>

#include "array/geometry.h"
#include "base/dtype.h"
#include "base/err.h"
#include "order/sort_by.h"
#include "order/sort_call.h"
#include "order/sort_passes.h"

static int build(GpuLaunch **out, ga__sort_job *j) {
  ga__sort_place source = {.index = GA_SORT_SOURCE};
  GpuLaunch *l = ga__launch_open(j->ctx, "sort", GA_SORT_SLOTS);

  if (j->n_rows > 0 && j->n > 0)
    ga__launch_error(l,
                     ga__sort_add(l, j, (ga__sort_input){.source = &source}));
  return ga__sort_seal(out, l, j);
}

int GpuArray_sort_prepare(GpuLaunch **out, GpuArray *values, GpuArray *indices,
                          const GpuArray *src, unsigned int axis, int flags) {
  ga__sort_job j = {.name = "sort",
                    .array = {src, values, indices},
                    .axis = axis,
                    .how =
                        flags & GA_SORT_DESCENDING ? GA_SORT_HOW_DESCENDING : 0,
                    .macros = GA_STRB_INIT};
  int err;

  *out = NULL;
  GA_TRY(ga__array_check(src));
  if (flags & ~GA_SORT_DESCENDING)
    return ga__fail(GA_VALUE_ERROR, "flags %#x are not known",
                    (unsigned int)flags);
  j.ctx = GpuArray_context(src);
  j.k = axis < src->nd ? src->dimensions[axis] : 0;
  GA_TRY(ga__sort_check(&j));
  GA_CHECK(ga__sort_set_rows(&j));
  GA_CHECK(build(out, &j));

done:
  ga__sort_clear(&j);
  return err;
}

static int prepare(GpuLaunch **out, const ga__sort_call *c) {
  return GpuArray_sort_prepare(out, c->values, c->indices, c->src, c->axis,
                               c->flags);
}

int GpuArray_sort(GpuArray *values, GpuArray *indices, const GpuArray *src,
                  unsigned int axis, int flags) {
  if (src != NULL && ga__dtype_is_complex(src->typecode))
    return ga__sort_complex(values, indices, src, axis, flags);
  return ga__sort_call_run(&(ga__sort_call){
      .name = "sort",
      .src = src,
      .values = values,
      .indices = indices,
      .k = src != NULL && axis < src->nd ? src->dimensions[axis] : 0,
      .axis = axis,
      .flags = flags,
      .prepare = prepare});
}
