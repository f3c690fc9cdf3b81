/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that select elements into arrays of the real size: they count, read the
 * counts of all parts, allocate the result and write it. */
#include <gpuarray/index.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "ocl/launch/launch_cache.h"
#include "select/select.h"

int ga__select_in_order(GpuArray *own, const GpuArray *a) {
  return GpuArray_IS_C_CONTIGUOUS(a) ? GpuArray_view(own, a)
                                     : GpuArray_copy(own, a, GA_C_ORDER);
}

int ga__select_flatten(GpuArray *own, const GpuArray *a) {
  const size_t n = ga__array_total(a);

  GA_TRY(ga__select_in_order(own, a));
  const int err = GpuArray_reshape_inplace(own, 1, &n, GA_C_ORDER);
  if (err != GA_NO_ERROR)
    GpuArray_clear(own);
  return err;
}

int ga__select_part(GpuArray *out, const GpuArray *x, size_t from, size_t to) {
  const ssize_t start = (ssize_t)from, stop = (ssize_t)to, step = 1;

  return GpuArray_index(out, x, &start, &stop, &step);
}

/* --- launches --- */

typedef struct call {
  const ga__selection *s;
  int counts, writes;
} call;

static int prepare_call(GpuLaunch **out, const void *arg) {
  const call *c = arg;

  return ga__select_launch(out, c->s, c->counts, c->writes);
}

/* The number of rows of the result is no part of the key: without a count to
 * write, launches do not depend on it. */
static int run(const ga__selection *s, int counts, int writes) {
  const void *values[GA_SELECT_SLOTS] = {s->res, NULL};
  gpucontext *ctx = GpuArray_context(s->mask);
  unsigned int n = GA_SELECT_FROM;
  ga__launch_key key;

  if (s->x != NULL)
    values[n++] = s->x;
  values[n++] = s->mask;
  values[n++] = s->counts;
  values[n++] = s->bits;
  ga__launch_key_start(&key, ctx, "select");
  ga__launch_key_number(&key, (size_t)writes);
  ga__launch_key_number(&key, (size_t)s->is_runs);
  ga__launch_key_number(&key, s->res != NULL ? s->res->nd : 0);
  ga__launch_key_number(&key, s->x != NULL ? GpuArray_ITEMSIZE(s->x) : 0);
  ga__launch_key_number(&key,
                        s->x != NULL && ga__dtype_is_complex(s->x->typecode));
  ga__launch_key_array(&key, s->mask);
  return ga__cached_run(&(ga__cached_call){.ctx = ctx,
                                           .key = &key,
                                           .n = n,
                                           .values = values,
                                           .prepare = prepare_call,
                                           .arg = &(call){s, counts, writes}});
}

/* Count the elements in each part of the mask, and read the sum. */
static int count(const ga__selection *s, size_t *total) {
  const size_t n = s->counts->dimensions[0];
  uint64_t *counts = ga__calloc(n, sizeof *counts);
  int err;

  *total = 0;
  if (counts == NULL)
    return ga__fail_nomem();
  GA_CHECK(run(&(ga__selection){.mask = s->mask,
                                .is_runs = s->is_runs,
                                .counts = s->counts,
                                .bits = s->bits},
               1, 0));
  GA_CHECK(GpuArray_read(counts, n * sizeof *counts, s->counts));
  for (size_t i = 0; i < n; i++)
    *total += (size_t)counts[i];

done:
  ga__free(counts);
  return err;
}

/* Make a result of so many rows. */
static int write_rows(const ga__selected *r, const ga__selection *counted,
                      size_t rows) {
  const size_t dims[2] = {rows, counted->mask->nd};
  ga__selection s = *counted;

  GA_TRY(GpuArray_empty(r->res, GpuArray_context(s.mask),
                        r->x != NULL ? r->x->typecode : GA_LONG, r->nd, dims,
                        GA_C_ORDER));
  s.x = r->x;
  s.res = r->res;
  return ga__array_total(r->res) > 0 ? run(&s, 0, 1) : GA_NO_ERROR;
}

int ga__select_into(const GpuArray *mask, int is_runs, size_t n,
                    const ga__selected *results) {
  gpucontext *ctx = GpuArray_context(mask);
  size_t n_parts, n_bits, rows;
  GpuArray counts = {0}, bits = {0};
  const ga__selection s = {
      .mask = mask, .is_runs = is_runs, .counts = &counts, .bits = &bits};
  int err;

  for (size_t i = 0; i < n; i++)
    *results[i].res = (GpuArray){0};
  ga__select_sizes(mask, &n_parts, &n_bits);
  GA_CHECK(GpuArray_empty(&counts, ctx, GA_ULONG, 1, &n_parts, GA_C_ORDER));
  GA_CHECK(GpuArray_empty(&bits, ctx, GA_UBYTE, 1, &n_bits, GA_C_ORDER));
  GA_CHECK(count(&s, &rows));
  for (size_t i = 0; i < n; i++)
    GA_CHECK(write_rows(&results[i], &s, rows));

done:
  for (size_t i = 0; i < n && err != GA_NO_ERROR; i++)
    GpuArray_clear(results[i].res);
  GpuArray_clear(&counts);
  GpuArray_clear(&bits);
  return err;
}

/* --- calls --- */

static int check_call(const GpuArray *res, const GpuArray *x,
                      const GpuArray *mask) {
  if (res == NULL || res == x || res == mask)
    return ga__fail(GA_VALUE_ERROR, res == NULL
                                        ? "the result is NULL"
                                        : "the result is the same array as an "
                                          "operand");
  GA_TRY(ga__array_check(x));
  return ga__operand_check_array("x", x, GpuArray_context(x), GA_OPERAND_ANY);
}

int GpuArray_nonzero(GpuArray *positions, const GpuArray *x) {
  GpuArray mask;

  GA_TRY(check_call(positions, x, NULL));
  GA_TRY(ga__select_in_order(&mask, x));
  const int err =
      ga__select_into(&mask, 0, 1, &(ga__selected){.res = positions, .nd = 2});
  GpuArray_clear(&mask);
  return err;
}

/* Rows of x: the positions, and what they take from x as [rows, ...]. */
static int compress_rows(GpuArray *res, const GpuArray *x,
                         const GpuArray *mask) {
  const unsigned int nd = x->nd - mask->nd + 1;
  size_t dims[GA_ND_MAX];
  GpuArray rows = {0}, positions = {0};
  int err;

  GA_CHECK(
      ga__select_into(mask, 0, 1, &(ga__selected){.res = &positions, .nd = 1}));
  dims[0] = ga__array_total(mask);
  for (unsigned int d = 1; d < nd; d++)
    dims[d] = x->dimensions[mask->nd + d - 1];
  GA_CHECK(ga__select_in_order(&rows, x));
  GA_CHECK(GpuArray_reshape_inplace(&rows, nd, dims, GA_C_ORDER));
  dims[0] = positions.dimensions[0];
  if (dims[0] == 0)
    GA_CHECK(GpuArray_empty(res, GpuArray_context(x), x->typecode, nd, dims,
                            GA_C_ORDER));
  else
    GA_CHECK(GpuArray_take(res, &rows, &positions, 0, 0));

done:
  GpuArray_clear(&rows);
  GpuArray_clear(&positions);
  return err;
}

static int compress_elements(GpuArray *res, const GpuArray *x,
                             const GpuArray *mask) {
  GpuArray own;

  GA_TRY(ga__select_in_order(&own, x));
  const int err = ga__select_into(
      mask, 0, 1, &(ga__selected){.res = res, .x = &own, .nd = 1});
  GpuArray_clear(&own);
  return err;
}

static int check_mask(const GpuArray *x, const GpuArray *mask) {
  GA_TRY(ga__operand_check_array("mask", mask, GpuArray_context(x),
                                 GA_OPERAND_ANY));
  if (mask->nd == 0 || mask->nd > x->nd)
    return ga__fail(GA_VALUE_ERROR, "mask: %u dimensions, expected 1 to %u",
                    mask->nd, x->nd);
  return ga__operand_place(NULL, "mask", mask, mask->nd, x->dimensions, 0);
}

int GpuArray_compress(GpuArray *res, const GpuArray *x, const GpuArray *mask) {
  GpuArray own;

  GA_TRY(check_call(res, x, mask));
  GA_TRY(check_mask(x, mask));
  GA_TRY(ga__select_in_order(&own, mask));
  const int err = mask->nd == x->nd ? compress_elements(res, x, &own)
                                    : compress_rows(res, x, &own);
  GpuArray_clear(&own);
  return err;
}
