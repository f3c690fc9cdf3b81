/* SPDX-License-Identifier: BSD-2-Clause */
/* Jacobi's method from one side, by blocks of rows: neighbouring blocks are
 * made orthogonal by the eigenvectors of the products of their rows, which one
 * kernel finds, and then blocks go round until all have met. How often is fixed
 * before, so that nothing waits for the device. */
#include "factor/jacobi.h"

#include "base/arith.h"
#include "base/dtype.h"

enum {
  CPU_WIDTH = 64, /* rows of a pair of blocks at most */
  GPU_WIDTH = 32,
  GPU_WIDTH_CDOUBLE = 16, /* which fits into local memory */
  GPU_GROUP = 256,        /* work-items that rotate a pair */
  ROUNDS_ALONE = 5,       /* for a single pair */
  PASSES_ALONE = 16,
  FLOAT_ROUNDS = 8, /* in which all blocks meet, and one for each doubling of
                       their number */
  DOUBLE_ROUNDS = 10,
  PASSES = 3
};

static size_t most_width(const ga__factor *f) {
  return f->is_cpu                   ? CPU_WIDTH
         : f->typecode == GA_CDOUBLE ? GPU_WIDTH_CDOUBLE
                                     : GPU_WIDTH;
}

/* Add a kernel of cl/factor_jacobi.cl with one group of `group` work-items for
 * each of `rows`. */
static void add_groups(ga__factor *f, const char *entry, size_t rows,
                       size_t group) {
  const ga__macro macros[] = {{"NB", most_width(f)}, {"G", group}};

  ga__factor_group_kernel(f, "factor_jacobi", entry, rows, group, 2, macros);
}

/* The work-items of a group that has more than a row to do. */
static size_t wide_group(const ga__factor *f) {
  return f->is_cpu ? 1 : ga__at_most(f->most, GPU_GROUP);
}

/* The same with groups for rows. */
static void add_kernel(ga__factor *f, const char *entry, size_t rows) {
  add_groups(f, entry, rows, f->ls);
}

/* Iterations of a work-item that walks n elements `times` times. */
static void add_rounds(ga__factor *f, size_t n, size_t times) {
  ga__launch_rounds(f->l,
                    ga__times(times, ga__ceil_div(n, f->is_cpu ? 1 : f->ls)));
}

/* --- rotations --- */

ga__jacobi ga__jacobi_open(ga__factor *f, size_t n, size_t length,
                           size_t dots) {
  const size_t most = most_width(f);
  const size_t width = n > most ? most : n + n % 2;
  const size_t pairs = ga__ceil_div(n, width);
  const size_t rows = ga__times(pairs, width);
  ga__factor each = *f;

  each.batch = ga__times(f->batch, pairs);
  const ga__jacobi j = {.n = n,
                        .dots = dots,
                        .width = width,
                        .blocks = 2 * pairs,
                        .rows = ga__factor_work(f, rows, length),
                        .next = ga__factor_work(f, rows, length),
                        .g = ga__factor_work(&each, width, width),
                        .turn = ga__factor_work(&each, width, width)};
  ga__factor_zero(f, &j.rows);
  return j;
}

/* Rows of each pair of blocks as a matrix of its own. */
static ga__block split(const ga__jacobi *j, const ga__block *rows) {
  ga__block b = *rows;

  b.m = j->width;
  b.bs = (ptrdiff_t)j->width * b.rs;
  return b;
}

/* Find the rotations of each pair. */
static void find_turns(ga__factor *each, const ga__jacobi *j, size_t step,
                       int passes) {
  const size_t w = j->width;

  const size_t group = wide_group(each);

  ga__launch_rounds(each->l, ga__times((size_t)passes * (w - 1),
                                       2 * ga__ceil_div(w * w / 2, group)));
  add_groups(each, "jacobi_pair", 1, group);
  ga__factor_arg(each, &j->g);
  ga__factor_arg(each, &j->turn);
  ga__launch_int(each->l, (int32_t)w);
  ga__launch_int(each->l, passes);
  ga__launch_size(each->l, j->blocks / 2);
  ga__launch_size(each->l, step);
}

/* Move blocks of rows to their next places. */
static void move_blocks(ga__factor *f, const ga__jacobi *j) {
  add_rounds(f, j->rows.n, 1);
  add_groups(f, "jacobi_turn", j->rows.m, wide_group(f));
  ga__factor_arg(f, &j->next);
  ga__factor_arg(f, &j->rows);
  ga__launch_size(f->l, j->rows.n);
  ga__launch_size(f->l, j->blocks);
  ga__launch_size(f->l, j->width / 2);
}

/* Make each pair of neighbouring blocks orthogonal. */
static void rotate_pairs(ga__factor *f, const ga__jacobi *j, size_t step,
                         int passes) {
  ga__factor each = *f;
  const ga__block rows = split(j, &j->rows), next = split(j, &j->next);
  const ga__block left = ga__block_part(&rows, 0, 0, j->width, j->dots);
  const ga__block right = ga__block_adjoint(&left);

  each.batch = ga__times(f->batch, j->blocks / 2);
  ga__factor_multiply(&each, &left, &right, &j->g);
  find_turns(&each, j, step, passes);
  ga__factor_multiply(&each, &j->turn, &rows, &next);
  move_blocks(f, j);
}

void ga__jacobi_rotate(ga__factor *f, const ga__jacobi *j) {
  const int alone = j->blocks == 2;
  const int is_float = ga__dtype_real(f->typecode) == GA_FLOAT;
  size_t rounds = alone      ? ROUNDS_ALONE
                  : is_float ? FLOAT_ROUNDS
                             : DOUBLE_ROUNDS;

  for (size_t b = j->blocks; !alone && b > 2; b = ga__ceil_div(b, 2))
    rounds++;
  const size_t steps = ga__times(rounds, j->blocks - 1);
  for (size_t i = 0; i < steps; i++)
    rotate_pairs(f, j, i, alone ? PASSES_ALONE : PASSES);
}

/* --- parts --- */

ga__block ga__jacobi_vector(ga__factor *f, size_t n) {
  ga__factor parts = ga__factor_parts(f);

  return ga__factor_work(&parts, 1, n);
}

ga__block ga__jacobi_scale(ga__factor *f, const ga__block *from,
                           const ga__block *to, int lower) {
  const ga__block most = ga__jacobi_vector(f, from->m);

  add_rounds(f, from->n, 1);
  add_kernel(f, "jacobi_most", from->m);
  ga__factor_arg(f, from);
  ga__launch_size(f->l, from->n);
  ga__factor_arg(f, &most);
  ga__launch_int(f->l, lower);
  add_rounds(f, from->n, 2);
  add_kernel(f, "jacobi_scale", from->m);
  ga__factor_arg(f, from);
  ga__launch_size(f->l, from->n);
  ga__factor_arg(f, to);
  ga__factor_arg(f, &most);
  ga__launch_size(f->l, from->m);
  ga__launch_int(f->l, lower);
  return most;
}

void ga__jacobi_shift(ga__factor *f, const ga__block *a) {
  add_rounds(f, a->n, ga__times(a->n, 1));
  add_groups(f, "jacobi_shift", 1, wide_group(f));
  ga__factor_arg(f, a);
  ga__launch_size(f->l, a->n);
}

void ga__jacobi_sign(ga__factor *f, const ga__block *a, size_t n, int unit) {
  add_rounds(f, a->n, 4);
  add_kernel(f, "jacobi_sign", a->m);
  ga__factor_arg(f, a);
  ga__launch_size(f->l, n);
  ga__launch_size(f->l, a->n);
  ga__launch_int(f->l, unit);
}

void ga__jacobi_values(ga__factor *f, const ga__block *a, const ga__block *b,
                       const ga__block *to, int what) {
  add_rounds(f, a->n, 2);
  add_kernel(f, "jacobi_values", a->m);
  ga__factor_arg(f, a);
  ga__factor_arg(f, b);
  ga__launch_size(f->l, a->n);
  ga__factor_arg(f, to);
  ga__launch_int(f->l, what);
}

void ga__jacobi_flip(ga__factor *f, const ga__block *a, const ga__block *b) {
  add_rounds(f, a->n, 1);
  add_kernel(f, "jacobi_flip", a->m);
  ga__factor_arg(f, a);
  ga__launch_size(f->l, a->n);
  ga__factor_arg(f, b);
}

void ga__jacobi_place(ga__factor *f, const ga__block *from,
                      const ga__block *key, const ga__block *to, int down) {
  add_rounds(f, ga__at_least(from->m, from->n), 2);
  add_kernel(f, "jacobi_place", from->m);
  ga__factor_arg(f, from);
  ga__factor_arg(f, key);
  ga__factor_arg(f, to);
  ga__launch_size(f->l, from->m);
  ga__launch_size(f->l, from->n);
  ga__launch_size(f->l, to->n);
  ga__launch_int(f->l, down);
  ga__launch_int(f->l, from->conj);
}

void ga__jacobi_store_values(ga__factor *f, const ga__factor_array *to,
                             const ga__block *values, const ga__block *most,
                             int down) {
  const ga__block from = ga__block_turned(values);
  const size_t n = to->array->dimensions[to->array->nd - 1];
  const ga__block sorted = ga__jacobi_vector(f, n);
  ga__factor parts = ga__factor_parts(f);

  ga__jacobi_place(&parts, &from, values, &sorted, down);
  add_rounds(f, ga__at_least(n, most->n), 2);
  add_kernel(&parts, "jacobi_unscale", 1);
  ga__factor_arg(f, &sorted);
  ga__launch_size(f->l, n);
  ga__factor_arg(f, most);
  ga__launch_size(f->l, most->n);
  ga__factor_store_vector(&parts, to, &sorted);
}
