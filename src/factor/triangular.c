/* SPDX-License-Identifier: BSD-2-Clause */
/* Solving with triangular matrices. All cases are one: upper triangles are
 * lower ones whose rows and columns are counted from the end, and a matrix at
 * the right is its transpose at the left. */
#include "base/arith.h"
#include "base/dtype.h"
#include "factor/lapack.h"

enum { A, B, X, SLOTS };
enum {
  FLAGS = GA_FACTOR_UPPER | GA_FACTOR_TRANS | GA_FACTOR_CONJ_TRANS |
          GA_FACTOR_RIGHT | GA_FACTOR_UNIT,
  CPU_COLUMNS = 64,  /* fewest that a work-item of a CPU solves for */
  CPU_FEW = 2,       /* most that it solves for one by one */
  LEAST_COLUMNS = 8, /* fewest that a group of a GPU has for more groups */
  FEW = 16,          /* most columns that a GPU solves for with inverses, */
  FEW_ROWS = 32,     /* and fewest rows of a block; */
  FEW_PITCH = 33     /* elements of its rows in local memory */
};

/* --- blocks --- */

/* How many of n columns a work-item of a CPU or a group of a GPU solves for.
 * Groups have fewer than they could while compute units have nothing to do. */
static size_t columns_of_group(const ga__factor *f, size_t n) {
  const size_t units = gpucontext_caps(f->ctx)->compute_units;
  size_t cols = f->cols;

  if (f->is_cpu)
    return ga__at_least(ga__round_up(ga__ceil_div(n, 2 * units), CPU_COLUMNS),
                        CPU_COLUMNS);
  while (!f->is_complex && cols > LEAST_COLUMNS &&
         ga__times(f->batch, ga__ceil_div(n, cols)) <= units / 2)
    cols /= 2;
  return cols;
}

static void solve_block(ga__factor *f, const ga__block *a, const ga__block *x,
                        int unit) {
  const size_t cols = columns_of_group(f, x->n);

  ga__launch_rounds(f->l, a->n * a->n + (f->is_cpu ? a->n * cols : 0) +
                              (f->is_cpu ? cols * a->n * a->n / 64 : 0));
  ga__factor_kernel(f, "factor_solve", ga__ceil_div(x->n, cols),
                    f->is_cpu ? 1 : f->nb / f->rows * cols, x->cs == 1);
  ga__factor_arg(f, a);
  ga__factor_arg(f, x);
  ga__launch_size(f->l, a->n);
  ga__launch_size(f->l, x->n);
  if (f->is_cpu || f->is_complex)
    ga__launch_size(f->l, cols);
  ga__launch_int(f->l, unit != 0);
  if (f->is_complex)
    ga__launch_int(f->l, a->conj != x->conj);
}

/* --- few columns on CPUs --- */

/* Whether the elements of rows, or of columns, of `a` lie side by side. */
static int is_unit(ptrdiff_t stride) {
  return stride == 1 || stride == -1;
}

/* Whether a work-item solves for a whole column of x: products of so few
 * columns would take longer. */
static int are_few_on_cpu(const ga__factor *f, const ga__block *a,
                          const ga__block *x) {
  return f->is_cpu && x->n <= CPU_FEW && a->n > f->nb &&
         !ga__dtype_is_complex(f->typecode) &&
         (is_unit(a->rs) || is_unit(a->cs));
}

/* `b` has the right side, and may be x. */
static void solve_few_on_cpu(ga__factor *f, const ga__block *a,
                             const ga__block *b, const ga__block *x, int unit) {
  const size_t gs[2] = {x->n, f->batch}, ls[2] = {1, 1};
  const size_t elements = ga__times(f->batch, ga__times(x->m, x->n));
  const size_t by_rows = is_unit(a->cs) != 0;
  const ga__gen_macros gen = {
      .typecode = f->typecode,
      .lanes = ga__product_lanes(f->ctx, f->typecode),
      .n = 2,
      .v = {{"ROWS", by_rows}, {"BACK", (by_rows ? a->cs : a->rs) < 0}}};

  ga__launch_rounds(f->l, ga__times(a->n, a->n) / 8);
  ga__product_kernel(f->ctx, f->l, f->typecode, "factor_few_cpu", "factor_few",
                     GA_GEN_TEXT(ga__gen_macros_text, gen), 2, gs, ls);
  ga__factor_arg(f, a);
  ga__factor_arg(f, b);
  ga__factor_arg(f, x);
  ga__launch_size(f->l, a->n);
  ga__launch_size(f->l, x->n);
  ga__launch_int(f->l, unit != 0);
  ga__launch_work(f->l, ga__times(elements, a->size));
}

/* --- few columns on GPUs --- */

/* The inverses of the diagonal blocks of a, side by side. They have columns
 * without gaps, since groups read them so. */
static ga__block add_inverses(ga__factor *f, const ga__block *a, int unit) {
  const size_t blocks = ga__ceil_div(a->n, f->nb);
  const ga__block turned = ga__factor_work(f, blocks * f->nb, f->nb);
  const ga__block v = ga__block_turned(&turned);

  ga__launch_rounds(f->l, f->nb * f->nb);
  ga__factor_kernel(f, "factor_invert",
                    ga__times(blocks, ga__ceil_div(f->nb, f->cols)),
                    f->nb / f->rows * f->cols, 0);
  ga__factor_arg(f, a);
  ga__factor_arg(f, &v);
  ga__launch_size(f->l, a->n);
  ga__launch_int(f->l, unit != 0);
  return v;
}

static size_t few_group(const ga__factor *f) {
  return f->most / f->nb * f->nb;
}

/* Whether all columns of x are solved for at once: one block after the other
 * takes a kernel, not a sum of chains of products. */
static int are_few(const ga__factor *f, const ga__block *a,
                   const ga__block *x) {
  const size_t local = (f->nb * (FEW_PITCH + 1) + few_group(f)) * a->size;

  return !f->is_cpu && !f->is_complex && x->n <= FEW && a->n > f->nb &&
         f->nb >= FEW_ROWS && few_group(f) > 0 &&
         local <= gpucontext_caps(f->ctx)->declared_local_bytes;
}

static void solve_few(ga__factor *f, const ga__block *a, const ga__block *x,
                      int unit) {
  const ga__block v = add_inverses(f, a, unit);
  const ga__macro macros[] = {{"NB", f->nb}, {"G", few_group(f)}};
  const size_t blocks = ga__ceil_div(a->n, f->nb);

  for (size_t k = 0; k < blocks; k++) {
    const size_t left = k == 0 ? 1 : blocks - k;

    ga__launch_rounds(f->l, 2 * f->nb);
    ga__factor_group_kernel(f, "factor_few", "factor_few",
                            ga__times(left, x->n), few_group(f),
                            sizeof macros / sizeof *macros, macros);
    ga__factor_arg(f, a);
    ga__factor_arg(f, x);
    ga__factor_arg(f, &v);
    ga__launch_size(f->l, a->n);
    ga__launch_int(f->l, (int32_t)k - 1);
    ga__launch_int(f->l, (int32_t)left);
  }
}

void ga__factor_forward(ga__factor *f, const ga__block *a, const ga__block *x,
                        int unit) {
  const size_t n = a->n;

  if (n == 0 || x->n == 0)
    return;
  if (are_few(f, a, x)) {
    solve_few(f, a, x, unit);
    return;
  }
  if (are_few_on_cpu(f, a, x)) {
    solve_few_on_cpu(f, a, x, x, unit);
    return;
  }
  if (n <= f->nb) {
    solve_block(f, a, x, unit);
    return;
  }
  const size_t half = ga__factor_half(f, n), rest = n - half;
  const ga__block a11 = ga__block_part(a, 0, 0, half, half);
  const ga__block a21 = ga__block_part(a, half, 0, rest, half);
  const ga__block a22 = ga__block_part(a, half, half, rest, rest);
  const ga__block x1 = ga__block_part(x, 0, 0, half, x->n);
  const ga__block x2 = ga__block_part(x, half, 0, rest, x->n);

  ga__factor_forward(f, &a11, &x1, unit);
  ga__factor_product(f, &a21, &x1, &x2);
  ga__factor_forward(f, &a22, &x2, unit);
}

void ga__factor_backward(ga__factor *f, const ga__block *a, const ga__block *x,
                         int unit) {
  const ga__block lower = ga__block_reversed(a);
  const ga__block rows = ga__block_rows_reversed(x);

  ga__factor_forward(f, &lower, &rows, unit);
}

/* --- arrays --- */

static int check(const ga__factor_array *o, int flags) {
  const GpuArray *const a = o[A].array, *const b = o[B].array;

  GA_TRY(ga__factor_check_square(&o[A]));
  GA_TRY(ga__factor_check_flags(flags, FLAGS));
  GA_TRY(ga__factor_check(&o[B], &o[A], 0));
  const size_t n = a->dimensions[a->nd - 1], r0 = b->dimensions[b->nd - 2],
               r1 = b->dimensions[b->nd - 1];
  GA_TRY(flags & GA_FACTOR_RIGHT ? ga__factor_check_sizes(&o[B], r0, n)
                                 : ga__factor_check_sizes(&o[B], n, r1));
  GA_TRY(ga__factor_check(&o[X], &o[A], 1));
  GA_TRY(ga__factor_check_sizes(&o[X], r0, r1));
  GA_TRY(ga__factor_check_apart(&o[X], &o[A], 0));
  return ga__factor_check_apart(&o[X], &o[B], 1);
}

static int is_right(int flags) {
  return (flags & GA_FACTOR_RIGHT) != 0;
}

static int is_back(int flags) {
  const int is_trans = (flags & (GA_FACTOR_TRANS | GA_FACTOR_CONJ_TRANS)) != 0;
  const int is_upper = (flags & GA_FACTOR_UPPER) != 0;

  return is_upper != (is_trans != is_right(flags));
}

void ga__factor_triangle(ga__factor *f, ga__block a, ga__block x, int flags) {
  const int unit = (flags & GA_FACTOR_UNIT) != 0;

  a = ga__factor_op(&a, flags);
  /* X op(A) = B is op(A)^T X^T = B^T. */
  if (is_right(flags)) {
    a = ga__block_turned(&a);
    x = ga__block_turned(&x);
  }
  if (!are_few_on_cpu(f, &a, &x) && ga__lapack_takes_triangle(f, &a, &x))
    ga__lapack_triangle(f, &a, &x, is_back(flags), unit);
  else if (is_back(flags))
    ga__factor_backward(f, &a, &x, unit);
  else
    ga__factor_forward(f, &a, &x, unit);
}

/* The same with the right side in b, if a CPU solves for few columns, which it
 * reads where they are. Returns whether it does. */
static int add_few_on_cpu(ga__factor *f, ga__block a, ga__block x,
                          const ga__factor_array *from, int flags) {
  if (!ga__factor_is_plain(from))
    return 0;
  ga__block b = ga__factor_block(from);

  a = ga__factor_op(&a, flags);
  if (is_right(flags)) {
    a = ga__block_turned(&a);
    b = ga__block_turned(&b);
    x = ga__block_turned(&x);
  }
  if (!are_few_on_cpu(f, &a, &x))
    return 0;
  if (is_back(flags)) {
    a = ga__block_reversed(&a);
    b = ga__block_rows_reversed(&b);
    x = ga__block_rows_reversed(&x);
  }
  solve_few_on_cpu(f, &a, &b, &x, (flags & GA_FACTOR_UNIT) != 0);
  return 1;
}

static void add_cost(ga__factor *f, const ga__block *a, const ga__block *x) {
  const double n = (double)a->n, elements = (double)x->m * (double)x->n;

  ga__factor_cost(
      f, (double)f->batch * (double)a->size * (n * n / 2 + 2 * elements),
      (double)f->batch * n * elements);
}

static void add(ga__factor *f, const ga__factor_array *o, int flags) {
  const ga__block a = ga__factor_place(f, &o[A]);
  const ga__block x = ga__factor_place(f, &o[X]);

  ga__factor_fetch(f, &a, &o[A], &o[A], GA_TRIANGLE_ALL);
  if (!add_few_on_cpu(f, a, x, &o[B], flags)) {
    ga__factor_fetch(f, &x, &o[X], &o[B], GA_TRIANGLE_ALL);
    ga__factor_triangle(f, a, x, flags);
  }
  ga__factor_store(f, &o[X], &x);
  add_cost(f, &a, &x);
}

static int make(GpuArray *const *to, const ga__factor_array *o, int flags) {
  (void)flags;
  return ga__factor_make_solution(to[X], &o[A], &o[B]);
}

static const ga__factor_family family = {.name = "triangular_solve",
                                         .arrays = {"a", "b", "x"},
                                         .n_in = X,
                                         .n_slots = SLOTS,
                                         .needed = X,
                                         .check = check,
                                         .make = make,
                                         .add = add};

int GpuArray_triangular_solve_prepare(GpuLaunch **out, GpuArray *x,
                                      const GpuArray *a, const GpuArray *b,
                                      int flags) {
  return ga__factor_prepare(out, &family, (const GpuArray *[]){a, b, x}, flags);
}

int GpuArray_triangular_solve(GpuArray *x, const GpuArray *a, const GpuArray *b,
                              int flags) {
  return ga__factor_call(&family, (const GpuArray *[]){a, b}, &x, flags);
}
