/* SPDX-License-Identifier: BSD-2-Clause */
/* Solutions with banded matrices, by one group for each matrix. */
#include "base/arith.h"
#include "factor/factor.h"

enum { AB, B, X, INFO, SLOTS };
enum { GROUP_LEAST = 32, GROUP_MOST = 256 };

enum { FLAGS = GA_FACTOR_TRANS | GA_FACTOR_CONJ_TRANS };

/* The flags of a call: the number of diagonals below the main one, times 4, and
 * what is solved with: the matrix, its transpose or its conjugate one. */
enum { PLAIN, TRANS, CONJ_TRANS, TURN_MASK };
enum { LOWER_SHIFT = 2, MOST_LOWER = INT32_MAX >> LOWER_SHIFT };

static int pack(unsigned int lower, int flags) {
  return (int)(ga__at_most(lower, MOST_LOWER) << LOWER_SHIFT) |
         (flags & GA_FACTOR_TRANS        ? TRANS
          : flags & GA_FACTOR_CONJ_TRANS ? CONJ_TRANS
                                         : PLAIN);
}

static size_t rows_of(const ga__factor_array *o) {
  return o[AB].array->dimensions[o[AB].array->nd - 2];
}

static int check(const ga__factor_array *o, int packed) {
  const GpuArray *const ab = o[AB].array, *const b = o[B].array;
  const size_t lower = (size_t)packed >> LOWER_SHIFT;
  const size_t n = ab->dimensions[ab->nd - 1];

  if (lower >= rows_of(o))
    return ga__fail(GA_VALUE_ERROR,
                    "ab: %zu rows, expected more than the %zu diagonals below "
                    "the main one",
                    rows_of(o), lower);
  if (n > INT32_MAX || rows_of(o) > INT32_MAX)
    return ga__fail(GA_VALUE_ERROR, "ab: %zu x %zu, at most %d of each",
                    rows_of(o), n, INT32_MAX);
  GA_TRY(ga__factor_check(&o[B], &o[AB], 0));
  const size_t r = b->dimensions[b->nd - 1];
  GA_TRY(ga__factor_check_sizes(&o[B], n, r));
  GA_TRY(ga__factor_check(&o[X], &o[AB], 1));
  GA_TRY(ga__factor_check_sizes(&o[X], n, r));
  GA_TRY(ga__factor_check_ints(&o[INFO], &o[AB], 1, 0, 0));
  for (unsigned int i = AB; i < INFO; i++)
    GA_TRY(ga__factor_check_apart(&o[INFO], &o[i], 0));
  GA_TRY(ga__factor_check_apart(&o[X], &o[AB], 0));
  return ga__factor_check_apart(&o[X], &o[B], 1);
}

static size_t group_of(const ga__factor *f, size_t columns) {
  return f->is_cpu                ? 1
         : columns <= GROUP_LEAST ? ga__at_most(f->most, GROUP_LEAST)
                                  : ga__at_most(f->most, GROUP_MOST);
}

static void add(ga__factor *f, const ga__factor_array *o, int packed) {
  const int turn = packed & TURN_MASK;
  const size_t below = (size_t)packed >> LOWER_SHIFT;
  const size_t above = rows_of(o) - 1 - below;
  const size_t lower = turn ? above : below, upper = turn ? below : above;
  const ga__block ab = ga__factor_place(f, &o[AB]);
  const ga__block x = ga__factor_place(f, &o[X]);
  const size_t width = ga__times(2, lower) + upper + 1;
  const ga__block w = ga__factor_work(f, x.m, width);
  const size_t group = group_of(f, lower + upper + x.n);
  const ga__macro macros[] = {{"G", group}};
  const double n = (double)x.m, columns = (double)(width + x.n);

  ga__factor_fetch(f, &ab, &o[AB], &o[AB], GA_TRIANGLE_ALL);
  ga__factor_fetch(f, &x, &o[X], &o[B], GA_TRIANGLE_ALL);
  ga__launch_rounds(f->l, ga__times(ga__times(x.m, 3 * (lower + upper) + 2),
                                    ga__ceil_div(width + x.n, group)));
  ga__factor_group_kernel(f, "factor_banded", "banded_solve", 1, group, 1,
                          macros);
  ga__factor_arg(f, &ab);
  ga__factor_arg(f, &w);
  ga__factor_arg(f, &x);
  ga__launch_size(f->l, x.m);
  ga__launch_size(f->l, x.n);
  ga__launch_size(f->l, lower);
  ga__launch_size(f->l, upper);
  ga__launch_int(f->l, turn);
  ga__factor_info_arg(f, 1);
  ga__factor_store(f, &o[X], &x);
  ga__factor_store_ints(f, &o[INFO], f->info, 1, 0);
  ga__factor_cost(f, (double)f->batch * (double)x.size * n * columns,
                  (double)f->batch * 2 * n * columns * (double)(lower + 1));
}

static int make(GpuArray *const *to, const ga__factor_array *o, int packed) {
  const GpuArray *const ab = o[AB].array;

  (void)packed;
  GA_TRY(ga__factor_make_solution(to[X], &o[AB], &o[B]));
  return ga__factor_make(to[INFO], ab, GA_INT, ab->nd - 2, ab->dimensions);
}

static const ga__factor_family family = {.name = "solve_banded",
                                         .arrays = {"ab", "b", "x", "info"},
                                         .n_in = X,
                                         .n_slots = SLOTS,
                                         .needed = X,
                                         .check = check,
                                         .make = make,
                                         .add = add};

int GpuArray_solve_banded_prepare(GpuLaunch **out, GpuArray *x, GpuArray *info,
                                  const GpuArray *ab, const GpuArray *b,
                                  unsigned int lower, int flags) {
  *out = NULL;
  GA_TRY(ga__factor_check_flags(flags, FLAGS));
  return ga__factor_prepare(out, &family, (const GpuArray *[]){ab, b, x, info},
                            pack(lower, flags));
}

int GpuArray_solve_banded(GpuArray *x, GpuArray *info, const GpuArray *ab,
                          const GpuArray *b, unsigned int lower, int flags) {
  GA_TRY(ga__factor_check_flags(flags, FLAGS));
  return ga__factor_call(&family, (const GpuArray *[]){ab, b},
                         (GpuArray *[]){x, info}, pack(lower, flags));
}
