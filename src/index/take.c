/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes whole rows of an array by index. */
#include <gpuarray/array.h>
#include <gpuarray/device.h>
#include <gpuarray/index.h>
#include <gpuarray/launch.h>

#include "array/elemwise_parts.h"
#include "array/geometry.h"
#include "array/operands.h"
#include "base/dtype.h"
#include "codegen/gen_take.h"
#include "codegen/template.h"
#include "index/put_check.h"
#include "layout/put_layout.h"
#include "ocl/launch/launch_cache.h"
#include "ocl/launch/launch_guard.h"
#include "ocl/ocl.h"

enum { RESULT, VALUES, INDICES, SLOTS };

/* --- checks --- */

/* The error codes are those of libgpuarray 0.7.6. Its clients expect
 * GA_VALUE_ERROR for an index that is out of range. */
static int check_indices(const GpuArray *i) {
  GA_TRY(ga__put_check_type(i));
  if (i->nd != 1)
    return ga__fail(GA_INVALID_ERROR, "indices: expected 1 dimensions, got %u",
                    i->nd);
  if (!GpuArray_IS_C_CONTIGUOUS(i))
    return ga__fail(GA_INVALID_ERROR, "indices: the array is not C contiguous");
  return GA_NO_ERROR;
}

static int check_shapes(const GpuArray *a, const GpuArray *v,
                        const GpuArray *i) {
  if (v->nd == 0 || a->nd != v->nd)
    return ga__fail(GA_INVALID_ERROR, "result: expected %u dimensions, got %u",
                    v->nd > 0 ? v->nd : 1, a->nd);
  for (unsigned int d = 0; d < a->nd; d++) {
    const size_t want = d == 0 ? i->dimensions[0] : v->dimensions[d];

    if (a->dimensions[d] != want)
      return ga__fail(GA_INVALID_ERROR, "result: dim %u: expected %zu, got %zu",
                      d, want, a->dimensions[d]);
  }
  if (v->dimensions[0] == 0 && ga__array_total(a) > 0)
    return ga__fail(GA_VALUE_ERROR, "axis 0 of the values has size 0");
  return GA_NO_ERROR;
}

static int check_take(const GpuArray *a, const GpuArray *v, const GpuArray *i) {
  GA_TRY(ga__array_check(a));
  gpucontext *ctx = GpuArray_context(a);
  GA_TRY(ga__operand_check_array("result", a, ctx, GA_OPERAND_ANY));
  GA_TRY(ga__operand_check_array("values", v, ctx, GA_OPERAND_ANY));
  GA_TRY(ga__operand_check_array("indices", i, ctx, GA_OPERAND_ANY));
  if (!GpuArray_ISWRITEABLE(a))
    return ga__fail(GA_VALUE_ERROR, "result: not writeable");
  if (!GpuArray_IS_C_CONTIGUOUS(a))
    return ga__fail(GA_INVALID_ERROR, "result: the array is not C contiguous");
  GA_TRY(check_indices(i));
  GA_TRY(check_shapes(a, v, i));
  GA_TRY(ga__operand_check_apart("result", a, "values", v));
  return ga__operand_check_apart("result", a, "indices", i);
}

/* --- launches --- */

/* Set the space of one row, with the result as array 0 and the values as array
 * 1. A complex number is two words. */
static int row_space(ga__iter *it, const GpuArray *a, const GpuArray *v) {
  size_t dims[GA_ND_MAX];
  ptrdiff_t strides[2][GA_ND_MAX];
  unsigned int nd = a->nd - 1;

  for (unsigned int d = 0; d < nd; d++) {
    dims[d] = a->dimensions[d + 1];
    strides[0][d] = a->strides[d + 1];
    strides[1][d] = v->strides[d + 1];
  }
  if (ga__put_word(a) != GpuArray_ITEMSIZE(a)) {
    dims[nd] = 2;
    strides[0][nd] = strides[1][nd] = (ptrdiff_t)ga__put_word(a);
    nd++;
  }
  GA_TRY(ga__iter_init(it, nd, dims, 2));
  ga__iter_set(it, 0, strides[0]);
  ga__iter_set(it, 1, strides[1]);
  ga__iter_order(it, 0);
  ga__iter_merge(it);
  return GA_NO_ERROR;
}

static void add_sizes(GpuLaunch *l, const ga__take_layout *p,
                      const ga__iter *row, const GpuArray *v) {
  const ga__indexing x = {.is_unsigned =
                              ga__dtype_kind(p->index_type) == GA_KIND_UINT};
  const size_t sizes[] = {p->n, p->len, p->segs, p->part, p->rows};

  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    if (p->is_wide)
      ga__launch_ssize(l, (ptrdiff_t)sizes[k]);
    else
      ga__launch_int(l, (int32_t)sizes[k]);
  }
  ga__launch_size(l, v->dimensions[0]);
  ga__launch_ssize(l, v->strides[0] / (ptrdiff_t)p->word);
  ga__launch_index_guard(l, &x);
  for (unsigned int d = 0; d < p->nd; d++) {
    ga__launch_ssize(l, (ptrdiff_t)row->dims[d]);
    ga__launch_ssize(l, row->strides[1][d] / (ptrdiff_t)p->word);
  }
}

static int add_take(GpuLaunch *l, GpuArray *a, const GpuArray *v,
                    const GpuArray *i) {
  ga__target t = ga__elemwise_target(GpuArray_context(a));
  ga__take_layout p = {.index_type = i->typecode};
  ga__strb macros = GA_STRB_INIT;
  ga__iter row = {0};
  const char *parts[4];
  ga__source src = {.n = 4, .parts = parts, .entry = "take"};
  int err;

  GA_CHECK(row_space(&row, a, v));
  ga__take_layout_make(&p, &row, i->dimensions[0], ga__put_word(a),
                       a->offset | v->offset | (size_t)v->strides[0], &t);
  ga__gen_take(&macros, &p);
  GA_CHECK(macros.err);
  parts[0] = ga__strb_text(&macros);
  parts[1] = ga__template("index_guard");
  parts[2] = ga__template("take");
  parts[3] = ga__template(t.is_cpu ? "take_cpu" : "take_gpu");
  ga__launch_kernel(l, &src, 1, &p.gs, &p.ls);
  for (unsigned int k = RESULT; k <= INDICES; k++) {
    ga__launch_slot(l, k);
    ga__launch_offset(l, k, 0);
    ga__launch_require_align(l, k,
                             k == INDICES ? GpuArray_ITEMSIZE(i) : p.word);
  }
  add_sizes(l, &p, &row, v);
  ga__launch_cost(l,
                  2.0 * (double)(p.n * p.len * p.word) +
                      (double)(p.n * GpuArray_ITEMSIZE(i)),
                  0);

done:
  ga__iter_clear(&row);
  ga__strb_clear(&macros);
  return err;
}

/* A take that converts uses the kernels for any axis. */
static int prepare(GpuLaunch **out, GpuArray *a, const GpuArray *v,
                   const GpuArray *i) {
  if (ga__dtype_canon(a->typecode) != ga__dtype_canon(v->typecode))
    return GpuArray_take_prepare(out, a, v, i, 0);
  GpuLaunch *l = ga__launch_open(GpuArray_context(a), "take", SLOTS);
  if (l == NULL)
    return ga__fail_nomem();
  if (ga__array_total(a) > 0) {
    int err = add_take(l, a, v, i);
    if (err != GA_NO_ERROR)
      ga__launch_error(l, err);
  }
  ga__launch_bind_array(l, RESULT, a);
  ga__launch_bind_array(l, VALUES, v);
  ga__launch_bind_array(l, INDICES, i);
  return ga__launch_seal(out, l);
}

int GpuArray_take1_prepare(GpuLaunch **out, GpuArray *a, const GpuArray *v,
                           const GpuArray *i) {
  *out = NULL;
  GA_TRY(check_take(a, v, i));
  return prepare(out, a, v, i);
}

/* --- calls --- */

typedef struct call {
  GpuArray *a;
  const GpuArray *v, *i;
} call;

static int prepare_call(GpuLaunch **out, const void *arg) {
  const call *c = arg;

  return prepare(out, c->a, c->v, c->i);
}

int GpuArray_take1(GpuArray *a, const GpuArray *v, const GpuArray *i,
                   int check_error) {
  const call c = {a, v, i};
  const void *const arrays[SLOTS] = {a, v, i};
  ga__launch_key key;

  GA_TRY(check_take(a, v, i));
  if (check_error)
    GA_TRY(ga__put_check_indices(i, v->dimensions[0], 0));
  if (ga__array_total(a) == 0)
    return GA_NO_ERROR;
  ga__launch_key_start(&key, GpuArray_context(a), "rows");
  for (unsigned int k = RESULT; k <= INDICES; k++)
    ga__launch_key_array(&key, arrays[k]);
  return ga__cached_run(&(ga__cached_call){.ctx = GpuArray_context(a),
                                           .key = &key,
                                           .n = SLOTS,
                                           .values = arrays,
                                           .prepare = prepare_call,
                                           .arg = &c});
}
