/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds elements among sorted ones. Each element of x is a row of the kernel,
 * with its row of edges. */
#include <gpuarray/device.h>
#include <gpuarray/search.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "ocl/launch/launch_cache.h"
#include "order/check_edges.h"
#include "order/fresh.h"
#include "order/sort_rows.h"

/* A work-item searches at least CHUNK elements on a CPU, and more if its group
 * fills a table first. */
#define CPU_CHUNK 1024
#define CPU_CHUNK_MOST 16384
#define CPU_ITEMS_PER_THREAD 4
#define GPU_CHUNK_MOST 32
#define GPU_ITEMS_PER_UNIT 2048
#define GROUP 128

enum { EDGES, X, RESULT, SLOTS };

/* --- checks --- */

static int has_rows(const ga__sort_job *j) {
  return j->array[EDGES]->nd > 1;
}

static int check_sizes(const GpuArray *edges, const GpuArray *x) {
  if (edges->nd == 0)
    return ga__fail(GA_VALUE_ERROR, "edges: a scalar has no axis");
  if (edges->nd != 1 && edges->nd != x->nd)
    return ga__fail(GA_VALUE_ERROR,
                    "edges: expected 1 or %u dimensions, got %u", x->nd,
                    edges->nd);
  for (unsigned int d = 0; d + 1 < edges->nd; d++) {
    if (edges->dimensions[d] != x->dimensions[d])
      return ga__fail(GA_VALUE_ERROR, "edges: dim %u: expected %zu, got %zu", d,
                      x->dimensions[d], edges->dimensions[d]);
  }
  return GA_NO_ERROR;
}

static int check_operands(const ga__sort_job *j, int flags) {
  const GpuArray *edges = j->array[EDGES], *x = j->array[X];

  GA_TRY(ga__operand_check_array("x", x, j->ctx, GA_OPERAND_ANY));
  if (ga__dtype_is_complex(x->typecode))
    return ga__fail(GA_UNSUPPORTED_ERROR, "searchsorted: %s has no order",
                    ga__dtype_name(x->typecode));
  GA_TRY(ga__operand_check_array("edges", edges, j->ctx, x->typecode));
  if (flags & ~GA_SEARCH_RIGHT)
    return ga__fail(GA_VALUE_ERROR, "flags %#x are not known",
                    (unsigned int)flags);
  return check_sizes(edges, x);
}

static int check_result(const ga__sort_job *j) {
  const GpuArray *res = j->array[RESULT], *x = j->array[X];

  GA_TRY(ga__operand_check_result("result", res, j->ctx, GA_LONG));
  GA_TRY(ga__operand_place(NULL, "result", res, x->nd, x->dimensions, 0));
  GA_TRY(ga__operand_check_apart("result", res, "edges", j->array[EDGES]));
  return ga__operand_check_apart("result", res, "x", x);
}

/* --- the launch --- */

static int set_rows(ga__sort_job *j) {
  const GpuArray *x = j->array[X], *edges = j->array[EDGES];
  ptrdiff_t own[GA_ND_MAX] = {0};
  const unsigned int last = edges->nd - 1;

  for (unsigned int d = 0; d < last; d++)
    own[d] = edges->strides[d];
  GA_TRY(ga__iter_init(&j->rows, x->nd, x->dimensions, SLOTS));
  if (has_rows(j))
    ga__iter_set(&j->rows, EDGES, own);
  ga__iter_set(&j->rows, X, x->strides);
  ga__iter_set(&j->rows, RESULT, j->array[RESULT]->strides);
  ga__iter_order(&j->rows, RESULT);
  ga__iter_merge(&j->rows);
  ga__sort_some_rows(j);
  j->stride[EDGES] = edges->strides[last];
  j->n = edges->dimensions[last];
  j->n_rows = ga__iter_total(&j->rows);
  return GA_NO_ERROR;
}

static int write_macros(ga__sort_job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);

  j->gen.dtype = j->array[X]->typecode;
  j->gen.group = (unsigned int)ga__group_size(caps, caps->is_cpu ? 1 : GROUP);
  j->gen.nk = j->rows.nd;
  j->gen.wide_index = !ga__fits_int(j->n_rows) || !ga__fits_int(j->n);
  j->gen.is_flat = ga__sort_is_line(j, X) && ga__sort_is_line(j, RESULT);
  if (!has_rows(j))
    ga__sort_keep_edges(j, j->n);
  ga__gen_sort_write(&j->macros, &j->gen);
  return j->macros.err;
}

static size_t chunk_of(const ga__sort_job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);

  if (j->gen.edges == 0)
    return caps->is_cpu ? CPU_CHUNK : 1;
  return caps->is_cpu
             ? ga__cut_even(j->n_rows,
                            (size_t)caps->compute_units * CPU_ITEMS_PER_THREAD,
                            CPU_CHUNK, CPU_CHUNK_MOST)
             : ga__cut_even(j->n_rows,
                            (size_t)caps->compute_units * GPU_ITEMS_PER_UNIT, 1,
                            GPU_CHUNK_MOST);
}

static void add(GpuLaunch *l, const ga__sort_job *j, int flags) {
  const size_t chunk = chunk_of(j);

  ga__launch_rounds(l, chunk + j->gen.edges);
  ga__sort_kernel(l, j, "search", "search",
                  ga__round_up(ga__ceil_div(j->n_rows, chunk), j->gen.group));
  for (unsigned int k = 0; k < SLOTS; k++)
    ga__sort_operand(l, j, &(ga__sort_place){.index = k});
  ga__sort_sizes(l, j);
  ga__launch_size(l, j->n_rows);
  ga__launch_size(l, j->n);
  ga__launch_size(l, chunk);
  ga__launch_uint(l, (flags & GA_SEARCH_RIGHT) != 0);
  ga__check_edges(l, j->array[EDGES], EDGES);
}

static int build(GpuLaunch **out, ga__sort_job *j, int flags) {
  const double word = (double)GpuArray_ITEMSIZE(j->array[X]);
  int err;

  GA_CHECK(set_rows(j));
  GA_CHECK(write_macros(j));
  GpuLaunch *l = ga__launch_open(j->ctx, "searchsorted", SLOTS);
  if (j->n_rows > 0)
    add(l, j, flags);
  for (unsigned int k = 0; k < SLOTS; k++)
    ga__launch_bind_array(l, k, j->array[k]);
  ga__launch_cost(l, (double)j->n_rows * (word + sizeof(int64_t)), 0);
  err = ga__launch_seal(out, l);

done:
  ga__sort_clear(j);
  return err;
}

int GpuArray_searchsorted_prepare(GpuLaunch **out, GpuArray *res,
                                  const GpuArray *edges, const GpuArray *x,
                                  int flags) {
  ga__sort_job j = {.array = {edges, x, res}, .macros = GA_STRB_INIT};

  *out = NULL;
  GA_TRY(ga__array_check(x));
  j.ctx = GpuArray_context(x);
  GA_TRY(check_operands(&j, flags));
  GA_TRY(check_result(&j));
  return build(out, &j, flags);
}

/* --- calls --- */

typedef struct call {
  GpuArray *res;
  const GpuArray *edges, *x;
  int flags;
} call;

static int prepare_call(GpuLaunch **out, const void *arg) {
  const call *c = arg;

  return GpuArray_searchsorted_prepare(out, c->res, c->edges, c->x, c->flags);
}

static int run(const call *c) {
  const void *const arrays[SLOTS] = {c->edges, c->x, c->res};
  gpucontext *ctx = GpuArray_context(c->x);
  ga__launch_key key;

  ga__launch_key_start(&key, ctx, "searchsorted");
  ga__launch_key_number(&key, (size_t)c->flags);
  for (unsigned int k = 0; k < SLOTS; k++)
    ga__launch_key_array(&key, arrays[k]);
  return ga__cached_run(&(ga__cached_call){.ctx = ctx,
                                           .key = &key,
                                           .n = SLOTS,
                                           .values = arrays,
                                           .prepare = prepare_call,
                                           .arg = c});
}

int GpuArray_searchsorted(GpuArray *res, const GpuArray *edges,
                          const GpuArray *x, int flags) {
  ga__sort_job j = {.array = {edges, x, NULL}};
  int err;

  GA_TRY(ga__fresh_one(res, 2, j.array));
  GA_TRY(ga__array_check(x));
  j.ctx = GpuArray_context(x);
  GA_TRY(check_operands(&j, flags));
  GA_TRY(GpuArray_empty(res, j.ctx, GA_LONG, x->nd, x->dimensions, GA_C_ORDER));
  err = run(&(call){res, edges, x, flags});
  if (err != GA_NO_ERROR)
    GpuArray_clear(res);
  return err;
}
