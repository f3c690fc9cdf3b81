/* SPDX-License-Identifier: BSD-2-Clause */
/* What is composed of sorts: they give positions, by which values follow. */
#include <gpuarray/create.h>
#include <gpuarray/index.h>
#include <gpuarray/sort.h>

#include "order/sort_by.h"

#include "array/elemwise_parts.h"
#include "array/geometry.h"
#include "array/operands.h"
#include "base/dtype.h"
#include "order/fresh.h"

/* --- keys with values --- */

static int check_values(const GpuArray *keys, unsigned int n, const char *name,
                        const GpuArray *const *values) {
  GA_TRY(ga__array_check(keys));
  for (unsigned int i = 0; i < n; i++) {
    GA_TRY(ga__operand_check_array(name, values[i], GpuArray_context(keys),
                                   GA_OPERAND_ANY));
    GA_TRY(ga__operand_place(NULL, name, values[i], keys->nd, keys->dimensions,
                             0));
  }
  return GA_NO_ERROR;
}

/* Results are no operands and differ; make them empty. */
static int check_results(GpuArray *sorted, unsigned int n,
                         GpuArray *const *results, const GpuArray *keys,
                         const GpuArray *const *values) {
  for (unsigned int i = 0; i < n; i++) {
    int is_operand = results[i] == keys || results[i] == sorted;

    for (unsigned int k = 0; k < n; k++)
      is_operand |= results[i] == values[k] || sorted == values[k] ||
                    (k != i && results[i] == results[k]);
    if (results[i] == NULL || is_operand)
      return ga__fail(GA_VALUE_ERROR, "result %u is %s", i,
                      is_operand ? "the same array as another one" : "NULL");
  }
  GA_TRY(ga__fresh(1, &sorted, 1, &keys));
  for (unsigned int i = 0; i < n; i++)
    *results[i] = (GpuArray){0};
  return GA_NO_ERROR;
}

int GpuArray_sort_by(GpuArray *sorted, unsigned int n, GpuArray *const *results,
                     const GpuArray *keys, const GpuArray *const *values,
                     unsigned int axis, int flags) {
  GpuArray places = {0};
  int err;

  GA_TRY(check_values(keys, n, "values", values));
  GA_TRY(check_results(sorted, n, results, keys, values));
  GA_TRY(GpuArray_sort(sorted, n > 0 ? &places : NULL, keys, axis, flags));
  for (unsigned int i = 0; i < n; i++)
    GA_CHECK(GpuArray_gather(results[i], values[i], &places, axis, 0));
  err = GA_NO_ERROR;

done:
  for (unsigned int i = 0; i < n && err != GA_NO_ERROR; i++)
    GpuArray_clear(results[i]);
  if (err != GA_NO_ERROR && sorted != NULL)
    GpuArray_clear(sorted);
  GpuArray_clear(&places);
  return err;
}

/* --- several keys --- */

/* Sort the positions `at` by a key, keeping the order of equal elements. */
static int sort_further(GpuArray *at, const GpuArray *key, unsigned int axis,
                        int flags) {
  GpuArray own = {0}, turn = {0}, next = {0};
  int err;

  GA_CHECK(GpuArray_gather(&own, key, at, axis, 0));
  GA_CHECK(GpuArray_sort(NULL, &turn, &own, axis, flags));
  GA_CHECK(GpuArray_gather(&next, at, &turn, axis, 0));
  GpuArray_clear(at);
  *at = next;
  next = (GpuArray){0};

done:
  GpuArray_clear(&own);
  GpuArray_clear(&turn);
  GpuArray_clear(&next);
  return err;
}

int GpuArray_lexsort(GpuArray *indices, unsigned int n,
                     const GpuArray *const *keys, unsigned int axis) {
  int err = GA_NO_ERROR;

  if (n == 0 || keys == NULL)
    return ga__fail(GA_VALUE_ERROR, "lexsort: no keys");
  GA_TRY(check_values(keys[0], n - 1, "keys", keys + 1));
  GA_TRY(ga__fresh_one(indices, n, keys));
  GA_TRY(GpuArray_sort(NULL, indices, keys[0], axis, 0));
  for (unsigned int i = 1; i < n && err == GA_NO_ERROR; i++)
    err = sort_further(indices, keys[i], axis, 0);
  if (err != GA_NO_ERROR)
    GpuArray_clear(indices);
  return err;
}

/* --- complex numbers --- */

/* A view of the real parts of a complex array, or of the imaginary ones. */
static int part_of(GpuArray *part, const GpuArray *x, int is_imaginary) {
  const int dtype = ga__dtype_real(x->typecode);

  GA_TRY(GpuArray_view(part, x));
  part->typecode = dtype;
  if (is_imaginary && ga__array_total(x) > 0)
    part->offset += ga__dtype_size(dtype);
  GpuArray_fix_flags(part);
  return GA_NO_ERROR;
}

/* Which parts are NaN: 1 the imaginary one, 2 the real one, 3 both. */
static int find_nan(GpuArray *nan, const GpuArray *x) {
  gpuelemwise_arg args[2] = {{"z", GA_UBYTE, GE_WRITE},
                             {"x", x->typecode, GE_READ}};

  GA_TRY(GpuArray_empty(nan, GpuArray_context(x), GA_UBYTE, x->nd,
                        x->dimensions, GA_C_ORDER));
  return ga__elemwise_map("z = 2 * (x.r != x.r) + (x.i != x.i)", 2, args,
                          (void *[]){nan, (void *)x});
}

/* The positions in order: by what is NaN, then by real, then by imaginary
 * parts, so the last ones are sorted first. */
static int sort_parts(GpuArray *at, const GpuArray *x, unsigned int axis,
                      int flags) {
  GpuArray real = {0}, imaginary = {0}, nan = {0};
  int err;

  GA_CHECK(part_of(&real, x, 0));
  GA_CHECK(part_of(&imaginary, x, 1));
  GA_CHECK(GpuArray_sort(NULL, at, &imaginary, axis, flags));
  GA_CHECK(sort_further(at, &real, axis, flags));
  GA_CHECK(find_nan(&nan, x));
  GA_CHECK(sort_further(at, &nan, axis, 0));

done:
  GpuArray_clear(&real);
  GpuArray_clear(&imaginary);
  GpuArray_clear(&nan);
  return err;
}

int ga__sort_complex(GpuArray *values, GpuArray *indices, const GpuArray *src,
                     unsigned int axis, int flags) {
  GpuArray at = {0};
  int err;

  if (values == NULL && indices == NULL)
    return ga__fail(GA_VALUE_ERROR, "sort: neither values nor indices");
  GA_TRY(ga__fresh(2, (GpuArray *[]){values, indices}, 1, &src));
  GA_CHECK(sort_parts(&at, src, axis, flags));
  if (values != NULL)
    GA_CHECK(GpuArray_gather(values, src, &at, axis, 0));
  if (indices != NULL) {
    *indices = at;
    at = (GpuArray){0};
  }

done:
  GpuArray_clear(&at);
  return err;
}

/* --- positions --- */

/* 0, 1, ... along the axis; other axes have size 1. */
static int make_iota(GpuArray *iota, const GpuArray *src, unsigned int axis) {
  size_t dims[GA_ND_MAX];

  for (unsigned int d = 0; d < src->nd; d++)
    dims[d] = d == axis ? src->dimensions[d] : 1;
  GA_TRY(GpuArray_arange(iota, GpuArray_context(src), GA_LONG, 0,
                         (double)src->dimensions[axis], 1));
  const int err = GpuArray_reshape_inplace(iota, src->nd, dims, GA_C_ORDER);
  if (err != GA_NO_ERROR)
    GpuArray_clear(iota);
  return err;
}

int GpuArray_rank(GpuArray *ranks, const GpuArray *src, unsigned int axis) {
  GpuArray places = {0}, iota = {0};
  int err;

  GA_TRY(ga__fresh_one(ranks, 1, &src));
  GA_TRY(GpuArray_sort(NULL, &places, src, axis, 0));
  GA_CHECK(GpuArray_empty(ranks, GpuArray_context(src), GA_LONG, src->nd,
                          src->dimensions, GA_C_ORDER));
  GA_CHECK(make_iota(&iota, src, axis));
  if (ga__array_total(src) > 0)
    GA_CHECK(GpuArray_scatter(ranks, &places, &iota, axis, GA_PUT_SET_ANY, 0));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(ranks);
  GpuArray_clear(&places);
  GpuArray_clear(&iota);
  return err;
}
