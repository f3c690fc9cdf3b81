/* SPDX-License-Identifier: BSD-2-Clause */
/* Jacobi's method from both sides, on GPUs: one kernel for each step multiplies
 * by the rotations of the step before, while it finds those of the next one. A
 * round in which nothing large was left is the last one; the kernels after it
 * do nothing, so that no call waits for the device. */
#include "base/arith.h"
#include "base/dtype.h"
#include "factor/jacobi.h"
#include "ocl/launch/launch_chain.h"

enum {
  WIDTH = 32,                    /* rows of a pair of blocks */
  GROUP = WIDTH / 2 * WIDTH / 2, /* work-items */
  FLOAT_TILES = 4,               /* that a group multiplies at once */
  DOUBLE_TILES = 2,
  FLOAT_ROUNDS = 12, /* in which all blocks meet, at most, and one for each
                        doubling of their number */
  DOUBLE_ROUNDS = 18,
  FLOAT_PASSES = 1, /* over the elements of a pair */
  DOUBLE_PASSES = 2,
  PASSES_ALONE = 20 /* at most, for a single pair */
};

/* A launch that makes a matrix diagonal. */
typedef struct both {
  size_t pairs, tiles, rounds, steps;
  int passes;
  ga__block work;     /* as in the kernel */
  unsigned int large; /* a workspace: a word for each round */
} both;

static size_t tiles_of(const ga__factor *f) {
  return f->typecode == GA_FLOAT ? FLOAT_TILES : DOUBLE_TILES;
}

int ga__jacobi_suits_both(const ga__factor *f) {
  const gpudevice_caps *const caps = gpucontext_caps(f->ctx);
  /* Multiplying takes more local memory than finding rotations. */
  const size_t pitch = WIDTH + 4; /* of rows of tiles, and of rotations */
  const size_t local =
      WIDTH * (WIDTH + 2 * tiles_of(f) * pitch) * ga__dtype_size(f->typecode);

  return !f->is_cpu && !f->is_complex && f->most >= GROUP &&
         local <= caps->declared_local_bytes;
}

/* Add the kernel of a step, the last of which only multiplies V. */
static void add_step(ga__factor *f, const both *b, size_t step) {
  const ga__macro macros[] = {{"NB", WIDTH}, {"G", GROUP}, {"TILES", b->tiles}};
  const size_t parts = b->pairs * ga__ceil_div(b->pairs, b->tiles);
  const size_t multiplied = step == 0 ? 0 : step < b->steps ? 2 * parts : parts;

  ga__launch_rounds(f->l, (size_t)b->passes * (WIDTH - 1));
  ga__factor_group_kernel(f, "factor_jacobi_both", "jacobi_both",
                          b->pairs + multiplied, GROUP, 3, macros);
  ga__factor_arg(f, &b->work);
  ga__launch_work_arg(f->l, b->large);
  ga__launch_size(f->l, b->rounds);
  ga__launch_size(f->l, b->pairs);
  ga__launch_size(f->l, step);
  ga__launch_size(f->l, b->steps);
  ga__launch_int(f->l, b->passes);
}

/* The workspaces and the number of steps for matrices of n x n. */
static both open(ga__factor *f, size_t n) {
  const size_t pairs = ga__ceil_div(n, WIDTH), rows = pairs * WIDTH;
  const int is_float = f->typecode == GA_FLOAT, alone = pairs == 1;
  size_t rounds = is_float ? FLOAT_ROUNDS : DOUBLE_ROUNDS;

  for (size_t left = pairs; left > 1; left = ga__ceil_div(left, 2))
    rounds++;
  both b = {.pairs = pairs,
            .tiles = tiles_of(f),
            .rounds = alone ? 1 : rounds,
            .passes = alone      ? PASSES_ALONE
                      : is_float ? FLOAT_PASSES
                                 : DOUBLE_PASSES,
            .work = ga__factor_work(f, 3 * rows + 4 * (size_t)WIDTH, rows)};

  b.steps = b.rounds * (2 * pairs - 1);
  return b;
}

ga__block ga__jacobi_both(ga__factor *f, const ga__block *a) {
  const size_t n = a->n;
  both b = open(f, n);
  const size_t rows = b.work.n;
  const ga__block padded = ga__block_part(&b.work, 0, 0, rows, rows);
  const ga__block first = ga__block_part(&b.work, 0, 0, n, n);
  const ga__block v = ga__block_part(&b.work, 2 * rows, 0, rows, rows);

  ga__factor_zero(f, &padded);
  ga__factor_copy(f, a, &first, GA_TRIANGLE_ALL);
  ga__jacobi_shift(f, &first);
  ga__factor_identity(f, &v);
  b.large = ga__launch_chain_slots(f->l, f->ctx, ga__times(f->batch, b.rounds));
  for (size_t i = 0; i <= b.steps; i++)
    add_step(f, &b, i);
  return ga__block_part(&v, 0, 0, rows, n);
}
