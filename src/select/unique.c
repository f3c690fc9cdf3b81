/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of equal neighbours, and distinct elements: the runs of the sorted
 * elements. */
#include <gpuarray/create.h>
#include <gpuarray/cumulate.h>
#include <gpuarray/index.h>
#include <gpuarray/sort.h>

#include "array/elemwise_parts.h"
#include "array/geometry.h"
#include "array/operands.h"
#include "base/dtype.h"
#include "select/select.h"

/* --- runs --- */

/* Whether neighbours differ; all NaN are equal, as in NumPy. */
static const char *differs_text(int dtype) {
  if (ga__dtype_is_complex(dtype))
    return "z = !(((a.r == b.r) & (a.i == b.i)) | "
           "(((a.r != a.r) | (a.i != a.i)) & ((b.r != b.r) | (b.i != b.i))))";
  return dtype == GA_BOOL ? "z = a ^ b"
                          : "z = (a != b) & ((a == a) | (b == b))";
}

/* begins[i] = whether x[i] differs from x[i - 1], for a vector x. */
static int find_begins(GpuArray *begins, const GpuArray *x) {
  const size_t n = x->dimensions[0];
  gpuelemwise_arg args[3] = {{"z", GA_BOOL, GE_WRITE},
                             {"a", x->typecode, GE_READ},
                             {"b", x->typecode, GE_READ}};
  GpuArray z = {0}, a = {0}, b = {0};
  int err;

  GA_TRY(
      GpuArray_empty(begins, GpuArray_context(x), GA_BOOL, 1, &n, GA_C_ORDER));
  GA_CHECK(GpuArray_memset(begins, 1));
  if (n < 2)
    return GA_NO_ERROR;
  GA_CHECK(ga__select_part(&z, begins, 1, n));
  GA_CHECK(ga__select_part(&a, x, 0, n - 1));
  GA_CHECK(ga__select_part(&b, x, 1, n));
  GA_CHECK(ga__elemwise_map(differs_text(x->typecode), 3, args,
                            (void *[]){&z, &a, &b}));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(begins);
  GpuArray_clear(&z);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  return err;
}

/* lengths[i] = starts[i + 1] - starts[i]; the last run ends at n. */
static int find_lengths(GpuArray *lengths, const GpuArray *starts, size_t n) {
  const size_t runs = starts->dimensions[0];
  const int64_t end = (int64_t)n;
  gpuelemwise_arg args[2] = {{"z", GA_LONG, GE_READ | GE_WRITE},
                             {"a", GA_LONG, GE_READ}};
  GpuArray to = {0}, from = {0};
  int err;

  GA_TRY(GpuArray_empty(lengths, GpuArray_context(starts), GA_LONG, 1, &runs,
                        GA_C_ORDER));
  if (runs == 0)
    return GA_NO_ERROR;
  GA_CHECK(GpuArray_fill(lengths, GA_LONG, &end));
  GA_CHECK(ga__select_part(&to, lengths, 0, runs - 1));
  GA_CHECK(ga__select_part(&from, starts, 1, runs));
  GA_CHECK(GpuArray_setarray(&to, &from));
  GA_CHECK(ga__elemwise_map("z = z - a", 2, args,
                            (void *[]){lengths, (void *)starts}));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(lengths);
  GpuArray_clear(&to);
  GpuArray_clear(&from);
  return err;
}

/* --- calls --- */

enum { VALUES, STARTS, LENGTHS, FIRST, INVERSE, RESULTS };

/* Results that the caller wants; others are NULL. */
typedef struct results {
  GpuArray *of[RESULTS];
} results;

static void each(const results *r, void (*fn)(GpuArray *a)) {
  for (int i = 0; i < RESULTS; i++)
    if (r->of[i] != NULL)
      fn(r->of[i]);
}

static void zero(GpuArray *a) {
  *a = (GpuArray){0};
}

static int check(const results *r, const GpuArray *x) {
  GA_TRY(ga__array_check(x));
  GA_TRY(ga__operand_check_array("x", x, GpuArray_context(x), GA_OPERAND_ANY));
  for (int i = 0; i < RESULTS; i++) {
    if (r->of[i] == x)
      return ga__fail(GA_VALUE_ERROR, "a result is the same array as x");
    for (int k = 0; k < i; k++)
      if (r->of[i] != NULL && r->of[i] == r->of[k])
        return ga__fail(GA_VALUE_ERROR, "two results are the same array");
  }
  return GA_NO_ERROR;
}

/* Element places[i] of the inverse is the number of runs of x that begin up to
 * i, less 1. */
static int find_inverse(GpuArray *inverse, const GpuArray *x,
                        const GpuArray *places) {
  gpuelemwise_arg arg = {"z", GA_LONG, GE_READ | GE_WRITE};
  GpuArray begins = {0}, runs = {0};
  int err;

  GA_CHECK(GpuArray_empty(inverse, GpuArray_context(x), GA_LONG, 1,
                          x->dimensions, GA_C_ORDER));
  if (x->dimensions[0] == 0)
    return GA_NO_ERROR;
  GA_CHECK(find_begins(&begins, x));
  GA_CHECK(GpuArray_cumulate(&runs, &begins, GA_CUMULATE_SUM, 0, 0, GA_LONG));
  GA_CHECK(ga__elemwise_map("z = z - (w_long)(1)", 1, &arg, (void *[]){&runs}));
  GA_CHECK(GpuArray_put(inverse, places, &runs, 0, GA_PUT_SET_ANY, 0));

done:
  GpuArray_clear(&begins);
  GpuArray_clear(&runs);
  return err;
}

/* Select what belongs to the first elements of runs. The kernels compare real
 * numbers themselves. */
static int select_runs(const GpuArray *x, size_t n,
                       const ga__selected *wanted) {
  GpuArray begins;

  if (!ga__dtype_is_complex(x->typecode))
    return ga__select_into(x, 1, n, wanted);
  GA_TRY(find_begins(&begins, x));
  const int err = ga__select_into(&begins, 0, n, wanted);
  GpuArray_clear(&begins);
  return err;
}

/* Find the runs of a vector. `places`: where its elements come from, if `first`
 * or `inverse` are wanted. */
static int find_runs(const results *r, const GpuArray *x,
                     const GpuArray *places) {
  GpuArray own = {0};
  GpuArray *const starts = r->of[STARTS] != NULL ? r->of[STARTS] : &own;
  ga__selected wanted[3];
  size_t n = 0;
  int err = GA_NO_ERROR;

  if (r->of[VALUES] != NULL)
    wanted[n++] = (ga__selected){.res = r->of[VALUES], .x = x, .nd = 1};
  if (r->of[FIRST] != NULL)
    wanted[n++] = (ga__selected){.res = r->of[FIRST], .x = places, .nd = 1};
  if (r->of[STARTS] != NULL || r->of[LENGTHS] != NULL)
    wanted[n++] = (ga__selected){.res = starts, .nd = 1};
  if (n > 0)
    GA_CHECK(select_runs(x, n, wanted));
  if (r->of[LENGTHS] != NULL)
    GA_CHECK(find_lengths(r->of[LENGTHS], starts, x->dimensions[0]));
  if (r->of[INVERSE] != NULL)
    GA_CHECK(find_inverse(r->of[INVERSE], x, places));

done:
  GpuArray_clear(&own);
  return err;
}

int GpuArray_run_lengths(GpuArray *values, GpuArray *starts, GpuArray *lengths,
                         const GpuArray *x) {
  const results r = {
      {[VALUES] = values, [STARTS] = starts, [LENGTHS] = lengths}};
  GpuArray list;
  int err;

  GA_TRY(check(&r, x));
  GA_TRY(ga__select_flatten(&list, x));
  each(&r, zero);
  GA_CHECK(find_runs(&r, &list, NULL));

done:
  if (err != GA_NO_ERROR)
    each(&r, GpuArray_clear);
  GpuArray_clear(&list);
  return err;
}

int GpuArray_unique(GpuArray *values, GpuArray *first, GpuArray *inverse,
                    GpuArray *counts, const GpuArray *x) {
  const results r = {{[VALUES] = values,
                      [FIRST] = first,
                      [INVERSE] = inverse,
                      [LENGTHS] = counts}};
  GpuArray list, sorted = {0}, places = {0};
  int err;

  GA_TRY(check(&r, x));
  GA_TRY(ga__select_flatten(&list, x));
  each(&r, zero);
  GA_CHECK(GpuArray_sort(
      &sorted, first != NULL || inverse != NULL ? &places : NULL, &list, 0, 0));
  GA_CHECK(find_runs(&r, &sorted, &places));

done:
  if (err != GA_NO_ERROR)
    each(&r, GpuArray_clear);
  GpuArray_clear(&list);
  GpuArray_clear(&sorted);
  GpuArray_clear(&places);
  return err;
}
