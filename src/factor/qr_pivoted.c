/* SPDX-License-Identifier: BSD-2-Clause */
/* QR factors with column pivots, by one group for each matrix. */
#include "array/geometry.h"
#include "base/arith.h"
#include "factor/factor.h"

enum { A, Q, R, ORDER, SLOTS };
enum { GROUP_LEAST = 32, GROUP_MOST = 256 };

static size_t rows_of(const ga__factor_array *o) {
  return o[A].array->dimensions[o[A].array->nd - 2];
}

static size_t columns_of(const ga__factor_array *o) {
  return o[A].array->dimensions[o[A].array->nd - 1];
}

/* Set *k to the size that Q and R share. */
static int find_inner(const ga__factor_array *o, size_t *k) {
  const GpuArray *const q = o[Q].array, *const r = o[R].array;
  const unsigned int nd = o[A].array->nd;
  const size_t m = rows_of(o), least = ga__at_most(m, columns_of(o));

  if (q == NULL && r == NULL && o[ORDER].array == NULL)
    return ga__fail(GA_INVALID_ERROR, "q, r and order: no array");
  if (q != NULL)
    GA_TRY(ga__factor_check(&o[Q], &o[A], 1));
  if (r != NULL)
    GA_TRY(ga__factor_check(&o[R], &o[A], 1));
  *k = q != NULL   ? q->dimensions[nd - 1]
       : r != NULL ? r->dimensions[nd - 2]
                   : least;
  if (*k != m)
    *k = least;
  return GA_NO_ERROR;
}

static int check(const ga__factor_array *o, int flags) {
  const size_t m = rows_of(o), n = columns_of(o);
  size_t k = 0;

  (void)flags;
  if (n > INT32_MAX)
    return ga__fail(GA_VALUE_ERROR, "a: %zu columns, at most %d", n, INT32_MAX);
  GA_TRY(find_inner(o, &k));
  if (o[Q].array != NULL)
    GA_TRY(ga__factor_check_sizes(&o[Q], m, k));
  if (o[R].array != NULL)
    GA_TRY(ga__factor_check_sizes(&o[R], k, n));
  GA_TRY(ga__factor_check_ints(&o[ORDER], &o[A], 1, 1, n));
  for (unsigned int i = Q; i < SLOTS; i++)
    for (unsigned int j = A; j < i; j++)
      GA_TRY(ga__factor_check_apart(&o[i], &o[j], 0));
  return GA_NO_ERROR;
}

/* --- launches --- */

static size_t group_of(const ga__factor *f, size_t n) {
  return f->is_cpu          ? 1
         : n <= GROUP_LEAST ? ga__at_most(f->most, GROUP_LEAST)
                            : ga__at_most(f->most, GROUP_MOST);
}

static void add_kernel(ga__factor *f, const char *entry, size_t items,
                       size_t group) {
  const ga__macro macros[] = {{"G", group}};

  ga__factor_group_kernel(f, "factor_qr_pivot", entry, items, group, 1, macros);
}

/* A matrix whose columns have no gaps on a CPU, and whose rows have none on a
 * GPU. */
static ga__block work_for(ga__factor *f, size_t m, size_t n) {
  const ga__block work =
      f->is_cpu ? ga__factor_work(f, n, m) : ga__factor_work(f, m, n);

  return f->is_cpu ? ga__block_turned(&work) : work;
}

/* Replace a by its factors. Returns the workspace of the order. */
static unsigned int factor(ga__factor *f, const ga__block *a,
                           const ga__block *tau) {
  const size_t group = group_of(f, a->n), least = ga__at_most(a->m, a->n);
  ga__factor parts = ga__factor_parts(f);
  const ga__block norms = ga__factor_work(&parts, 1, a->n);
  const size_t columns = ga__times(f->batch, a->n);

  ga__launch_rounds(
      f->l, ga__times(3 * ga__ceil_div(a->n, group), ga__times(a->m, least)));
  add_kernel(f, "qr_pivot", 1, group);
  ga__factor_arg(f, a);
  ga__launch_size(f->l, a->m);
  ga__launch_size(f->l, a->n);
  ga__factor_arg(f, tau);
  ga__factor_arg(f, &norms);
  return ga__launch_work(f->l,
                         ga__times(ga__at_least(columns, 1), sizeof(int32_t)));
}

static void store_q(ga__factor *f, const ga__block *a, const ga__block *tau,
                    const ga__factor_array *to) {
  const size_t cols = to->array->dimensions[to->array->nd - 1];
  const ga__block q = work_for(f, a->m, cols);
  const ga__block place = ga__factor_place(f, to);
  const size_t group = group_of(f, cols);

  ga__factor_identity(f, &q);
  ga__launch_rounds(f->l, ga__times(2 * a->m, tau->n));
  add_kernel(f, "qr_pivot_q", ga__ceil_div(cols, group), group);
  ga__factor_arg(f, a);
  ga__launch_size(f->l, a->m);
  ga__launch_size(f->l, tau->n);
  ga__factor_arg(f, tau);
  ga__factor_arg(f, &q);
  ga__launch_size(f->l, cols);
  ga__factor_copy(f, &q, &place, GA_TRIANGLE_ALL);
  ga__factor_store(f, to, &place);
}

static void store_r(ga__factor *f, const ga__block *a,
                    const ga__factor_array *to) {
  const size_t rows = to->array->dimensions[to->array->nd - 2];
  const ga__block place = ga__factor_place(f, to);
  const ga__block from = ga__block_part(a, 0, 0, rows, a->n);

  ga__factor_copy(f, &from, &place, GA_TRIANGLE_UPPER);
  ga__factor_store(f, to, &place);
}

static void add(ga__factor *f, const ga__factor_array *o, int flags) {
  const size_t m = rows_of(o), n = columns_of(o), least = ga__at_most(m, n);
  const ga__block a = work_for(f, m, n);
  const ga__block tau = ga__factor_work(f, 1, least);
  const double mn = (double)m * (double)n;

  (void)flags;
  ga__factor_fetch(f, &a, &o[A], &o[A], GA_TRIANGLE_ALL);
  const unsigned int order = factor(f, &a, &tau);
  ga__factor_store_ints(f, &o[ORDER], order, n, 1);
  if (o[R].array != NULL)
    store_r(f, &a, &o[R]);
  if (o[Q].array != NULL)
    store_q(f, &a, &tau, &o[Q]);
  ga__factor_cost(f, 3 * (double)f->batch * mn * (double)a.size,
                  (double)f->batch * 5 * mn * (double)least);
}

/* --- calls --- */

static int make(GpuArray *const *to, const ga__factor_array *o, int full) {
  const GpuArray *const a = o[A].array;
  const size_t m = rows_of(o), n = columns_of(o);
  const size_t k = full ? m : ga__at_most(m, n);
  size_t dims[GA_ND_MAX];

  for (unsigned int d = 0; d < a->nd; d++)
    dims[d] = a->dimensions[d];
  dims[a->nd - 1] = k;
  GA_TRY(ga__factor_make(to[Q], a, a->typecode, a->nd, dims));
  dims[a->nd - 2] = k;
  dims[a->nd - 1] = n;
  GA_TRY(ga__factor_make(to[R], a, a->typecode, a->nd, dims));
  dims[a->nd - 2] = n;
  return ga__factor_make(to[ORDER], a, GA_INT, a->nd - 1, dims);
}

static const ga__factor_family family = {.name = "qr_pivoted",
                                         .arrays = {"a", "q", "r", "order"},
                                         .n_in = Q,
                                         .n_slots = SLOTS,
                                         .check = check,
                                         .make = make,
                                         .add = add};

int GpuArray_qr_pivoted_prepare(GpuLaunch **out, GpuArray *q, GpuArray *r,
                                GpuArray *order, const GpuArray *a) {
  return ga__factor_prepare(out, &family, (const GpuArray *[]){a, q, r, order},
                            0);
}

int GpuArray_qr_pivoted(GpuArray *q, GpuArray *r, GpuArray *order,
                        const GpuArray *a, int full) {
  return ga__factor_call(&family, &a, (GpuArray *[]){q, r, order}, full);
}
