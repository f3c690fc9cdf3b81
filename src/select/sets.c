/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets: distinct elements, of which those are kept that a search among the
 * sorted elements of the other operand finds, or does not find. */
#include <gpuarray/index.h>
#include <gpuarray/search.h>
#include <gpuarray/sort.h>

#include "array/elemwise_parts.h"
#include "array/geometry.h"
#include "array/operands.h"
#include "base/dtype.h"
#include "select/select.h"

static int check(const GpuArray *res, const GpuArray *a, const GpuArray *b) {
  if (res == NULL || res == a || res == b)
    return ga__fail(GA_VALUE_ERROR, res == NULL
                                        ? "the result is NULL"
                                        : "the result is the same array as an "
                                          "operand");
  GA_TRY(ga__array_check(a));
  GA_TRY(ga__operand_check_array("a", a, GpuArray_context(a), GA_OPERAND_ANY));
  return ga__operand_check_array("b", b, GpuArray_context(a), a->typecode);
}

/* is[i] = whether found[i] equals x[i], or differs; NaN differs. */
static int compare(GpuArray *is, const GpuArray *found, const GpuArray *x,
                   int differs) {
  gpuelemwise_arg args[3] = {{"z", GA_BOOL, GE_WRITE},
                             {"a", x->typecode, GE_READ},
                             {"b", x->typecode, GE_READ}};

  return ga__elemwise_map(differs ? "z = a != b" : "z = a == b", 3, args,
                          (void *[]){is, (void *)found, (void *)x});
}

/* The positions of the elements of x among m sorted ones, at most the last. */
static int find_places(GpuArray *places, const GpuArray *sorted,
                       const GpuArray *x) {
  const int64_t last = (int64_t)sorted->dimensions[0] - 1;
  gpuelemwise_arg args[2] = {{"z", GA_LONG, GE_READ | GE_WRITE},
                             {"n", GA_LONG, GE_READ | GE_SCALAR}};

  GA_TRY(GpuArray_searchsorted(places, sorted, x, 0));
  return ga__elemwise_map("z = min(z, n)", 2, args,
                          (void *[]){places, (void *)&last});
}

/* found[i] = whether x[i] is one of the distinct elements that occur in `set`;
 * `ids` numbers those of the set, then those of x. */
static int look_up(GpuArray *found, const GpuArray *ids, size_t n_set) {
  const size_t n = ids->dimensions[0];
  GpuArray of_set = {0}, of_x = {0}, ones = {0}, table = {0};
  int err;

  GA_CHECK(ga__select_part(&of_set, ids, 0, n_set));
  GA_CHECK(ga__select_part(&of_x, ids, n_set, n));
  GA_CHECK(GpuArray_empty(&table, GpuArray_context(ids), GA_BOOL, 1, &n,
                          GA_C_ORDER));
  GA_CHECK(GpuArray_memset(&table, 0));
  GA_CHECK(GpuArray_empty(&ones, GpuArray_context(ids), GA_BOOL, 1, &n_set,
                          GA_C_ORDER));
  GA_CHECK(GpuArray_memset(&ones, 1));
  GA_CHECK(GpuArray_put(&table, &of_set, &ones, 0, GA_PUT_SET_ANY, 0));
  GA_CHECK(GpuArray_take(found, &table, &of_x, 0, 0));

done:
  GpuArray_clear(&of_set);
  GpuArray_clear(&of_x);
  GpuArray_clear(&ones);
  GpuArray_clear(&table);
  return err;
}

/* For complex numbers, which cannot be searched: elements of both are numbered
 * together. */
static int find_complex(GpuArray *is, const GpuArray *x, const GpuArray *set,
                        int differs) {
  gpuelemwise_arg args[3] = {{"z", GA_BOOL, GE_WRITE},
                             {"found", GA_BOOL, GE_READ},
                             {"x", x->typecode, GE_READ}};
  GpuArray all = {0}, ids = {0}, found = {0};
  int err;

  GA_CHECK(GpuArray_concatenate(&all, (const GpuArray *[]){set, x}, 2, 0,
                                x->typecode));
  GA_CHECK(GpuArray_unique(NULL, NULL, &ids, NULL, &all));
  GA_CHECK(look_up(&found, &ids, set->dimensions[0]));
  GA_CHECK(ga__elemwise_map(
      differs ? "z = !((found != 0) & (x.r == x.r) & (x.i == x.i))"
              : "z = (found != 0) & (x.r == x.r) & (x.i == x.i)",
      3, args, (void *[]){is, &found, (void *)x}));

done:
  GpuArray_clear(&all);
  GpuArray_clear(&ids);
  GpuArray_clear(&found);
  return err;
}

/* For each element of the vector x whether it is in the vector `set`, or is
 * not. */
static int find_members(GpuArray *is, const GpuArray *x, const GpuArray *set,
                        int differs) {
  GpuArray sorted = {0}, places = {0}, found = {0};
  int err;

  GA_CHECK(GpuArray_empty(is, GpuArray_context(x), GA_BOOL, 1, x->dimensions,
                          GA_C_ORDER));
  if (set->dimensions[0] == 0 || x->dimensions[0] == 0) {
    GA_CHECK(GpuArray_memset(is, differs));
    return GA_NO_ERROR;
  }
  if (ga__dtype_is_complex(x->typecode)) {
    GA_CHECK(find_complex(is, x, set, differs));
    return GA_NO_ERROR;
  }
  GA_CHECK(GpuArray_sort(&sorted, NULL, set, 0, 0));
  GA_CHECK(find_places(&places, &sorted, x));
  GA_CHECK(GpuArray_take(&found, &sorted, &places, 0, 0));
  GA_CHECK(compare(is, &found, x, differs));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(is);
  GpuArray_clear(&sorted);
  GpuArray_clear(&places);
  GpuArray_clear(&found);
  return err;
}

int GpuArray_is_member(GpuArray *res, const GpuArray *x, const GpuArray *set) {
  GpuArray list = {0}, members = {0};
  int err;

  GA_TRY(check(res, x, set));
  *res = (GpuArray){0};
  GA_CHECK(ga__select_flatten(&list, x));
  GA_CHECK(ga__select_flatten(&members, set));
  GA_CHECK(find_members(res, &list, &members, 0));
  GA_CHECK(GpuArray_reshape_inplace(res, x->nd, x->dimensions, GA_C_ORDER));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(res);
  GpuArray_clear(&list);
  GpuArray_clear(&members);
  return err;
}

/* The distinct elements of a that are in b, or are not. */
static int choose(GpuArray *res, const GpuArray *a, const GpuArray *b,
                  int differs) {
  GpuArray own = {0}, members = {0}, is = {0};
  int err;

  GA_TRY(check(res, a, b));
  *res = (GpuArray){0};
  GA_CHECK(GpuArray_unique(&own, NULL, NULL, NULL, a));
  GA_CHECK(ga__select_flatten(&members, b));
  GA_CHECK(find_members(&is, &own, &members, differs));
  GA_CHECK(GpuArray_compress(res, &own, &is));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(res);
  GpuArray_clear(&own);
  GpuArray_clear(&members);
  GpuArray_clear(&is);
  return err;
}

int GpuArray_intersection(GpuArray *res, const GpuArray *a, const GpuArray *b) {
  return choose(res, a, b, 0);
}

int GpuArray_difference(GpuArray *res, const GpuArray *a, const GpuArray *b) {
  return choose(res, a, b, 1);
}

int GpuArray_union(GpuArray *res, const GpuArray *a, const GpuArray *b) {
  GpuArray parts[2] = {{0}, {0}}, both = {0};
  int err;

  GA_TRY(check(res, a, b));
  *res = (GpuArray){0};
  GA_CHECK(ga__select_flatten(&parts[0], a));
  GA_CHECK(ga__select_flatten(&parts[1], b));
  GA_CHECK(GpuArray_concatenate(
      &both, (const GpuArray *[]){&parts[0], &parts[1]}, 2, 0, a->typecode));
  GA_CHECK(GpuArray_unique(res, NULL, NULL, NULL, &both));

done:
  for (int i = 0; i < 2; i++)
    GpuArray_clear(&parts[i]);
  GpuArray_clear(&both);
  return err;
}
