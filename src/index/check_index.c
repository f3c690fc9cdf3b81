/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies indices, and reports those that are out of range without using
 * them. */
#include <gpuarray/device.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "base/strb.h"
#include "codegen/template.h"
#include "index/put_check.h"
#include "ocl/launch/launch_guard.h"
#include "ocl/ocl.h"

/* Indices of a work-item on a CPU; work-items of a group on a GPU. */
enum { CHUNK = 8192, GROUP = 128 };

static int check_contiguous(const char *name, const GpuArray *a) {
  if (!GpuArray_IS_C_CONTIGUOUS(a))
    return ga__fail(GA_COPY_ERROR, "%s: the array is not C contiguous", name);
  return GA_NO_ERROR;
}

static int check(const GpuArray *res, const GpuArray *index) {
  GA_TRY(ga__array_check(index));
  gpucontext *ctx = GpuArray_context(index);
  GA_TRY(ga__operand_check_array("indices", index, ctx, GA_OPERAND_ANY));
  GA_TRY(check_contiguous("indices", index));
  GA_TRY(ga__operand_check_result("result", res, ctx, index->typecode));
  GA_TRY(check_contiguous("result", res));
  GA_TRY(ga__put_check_type(index));
  if (ga__array_total(res) != ga__array_total(index))
    return ga__fail(GA_VALUE_ERROR, "result: expected %zu elements, got %zu",
                    ga__array_total(index), ga__array_total(res));
  /* The same elements are fine: each work-item writes what it has read. */
  if (res->data == index->data && res->offset == index->offset)
    return GA_NO_ERROR;
  return ga__operand_check_apart("result", res, "indices", index);
}

static int add_kernel(GpuLaunch *l, const GpuArray *index, size_t size,
                      unsigned int axis, int from_end) {
  const gpudevice_caps *caps = gpucontext_caps(GpuArray_context(index));
  const int is_signed = ga__dtype_kind(index->typecode) == GA_KIND_INT;
  const size_t n = ga__array_total(index), part = caps->is_cpu ? CHUNK : 1;
  const size_t ls = caps->is_cpu ? 1 : ga__at_most(GROUP, caps->max_group);
  const size_t gs = ga__round_up(ga__ceil_div(n, part), ls);
  const ga__indexing x = {.axis = axis, .is_unsigned = !is_signed};
  ga__strb macros = GA_STRB_INIT;
  const char *parts[3] = {NULL, ga__template("index_guard"),
                          ga__template("check_index")};
  const ga__source src = {.n = 3, .parts = parts, .entry = "check_index"};
  int err;

  ga__strb_appendf(&macros, "#define INDEX_T %s\n#define FROM_END %d\n",
                   ga__dtype_cl(index->typecode), from_end && is_signed);
  GA_CHECK(macros.err);
  parts[0] = ga__strb_text(&macros);
  ga__launch_kernel(l, &src, 1, &gs, &ls);
  for (unsigned int k = 0; k < 2; k++) {
    ga__launch_slot(l, k);
    ga__launch_offset(l, k, 0);
    ga__launch_require_align(l, k, GpuArray_ITEMSIZE(index));
  }
  ga__launch_size(l, n);
  ga__launch_size(l, part);
  ga__launch_size(l, size);
  ga__launch_index_guard(l, &x);
  ga__launch_cost(l, 2.0 * (double)(n * GpuArray_ITEMSIZE(index)), 0);

done:
  ga__strb_clear(&macros);
  return err;
}

int GpuArray_check_index_prepare(GpuLaunch **out, GpuArray *res,
                                 const GpuArray *index, size_t size,
                                 unsigned int axis, int from_end) {
  *out = NULL;
  GA_TRY(check(res, index));
  GpuLaunch *l = ga__launch_open(GpuArray_context(index), "indices", 2);
  if (l == NULL)
    return ga__fail_nomem();
  if (ga__array_total(index) > 0) {
    int err = add_kernel(l, index, size, axis, from_end);
    if (err != GA_NO_ERROR)
      ga__launch_error(l, err);
  }
  ga__launch_bind_array(l, 0, res);
  ga__launch_bind_array(l, 1, index);
  return ga__launch_seal(out, l);
}
