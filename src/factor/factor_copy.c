/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies between arrays and blocks of factorisations. */
#include "array/geometry.h"
#include "array/overlap.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "factor/factor.h"
#include "layout/space.h"

enum {
  CPU_ROWS = 16,      /* that a work-item of a CPU copies */
  CPU_COLUMNS = 4096, /* of each of them, at most */
  GPU_ROWS = 8, /* the same of a GPU: neighbours in columns are 32 bytes */
  COPY_GROUP = 64,
  TURN_SIDE = 32,   /* of a square that a group of a GPU copies through local
                       memory, */
  TURN_GROUP = 256, /* its work-items, */
  TURN_LEAST = 16   /* and fewest rows and columns of a matrix */
};

/* Matrices as the copying kernel reads or writes them. Strides are in bytes;
 * those of the batch are in the iteration space. */
typedef struct side {
  unsigned int slot; /* or GA_NO_SLOT: workspace `work` */
  unsigned int work;
  ptrdiff_t rel, rs, cs;
} side;

/* A copy between two sides; the batch has the sizes of an array. */
typedef struct copy {
  side side[2]; /* source, result */
  ptrdiff_t strides[2][GA_ND_MAX];
  unsigned int nd;
  const size_t *dims;
  size_t m, n, word;
  int conj; /* one side has the conjugates of the other one */
} copy;

static void set_array(copy *c, int which, const ga__factor_array *a,
                      unsigned int inner) {
  const GpuArray *const x = a->array;
  const unsigned int nd = x->nd - inner;

  for (unsigned int d = 0; d < nd; d++)
    c->strides[which][d] = x->strides[d];
  c->nd = nd;
  c->dims = x->dimensions;
  c->side[which] = (side){.slot = a->slot,
                          .rs = inner > 1 ? x->strides[nd] : 0,
                          .cs = inner > 0 ? x->strides[x->nd - 1] : 0};
}

/* The strides of the batch of a block or workspace, `step` bytes apart. */
static void set_batch(copy *c, int which, ptrdiff_t step) {
  for (unsigned int d = c->nd; d-- > 0;) {
    c->strides[which][d] = step;
    step *= (ptrdiff_t)c->dims[d];
  }
}

static void set_block(copy *c, int which, const ga__block *b) {
  const ptrdiff_t size = (ptrdiff_t)b->size;

  c->side[which] = (side){
      .slot = b->slot, .rel = b->rel, .rs = b->rs * size, .cs = b->cs * size};
  set_batch(c, which, b->bs * size);
  c->m = b->m;
  c->n = b->n;
  c->word = b->size;
  c->conj ^= b->conj;
}

static void side_args(GpuLaunch *l, const side *s, const ga__iter *it,
                      unsigned int k) {
  const size_t rel = (size_t)(s->rel + it->first[k]);

  if (s->slot == GA_NO_SLOT) {
    ga__launch_work_arg(l, s->work);
    ga__launch_size(l, rel);
  } else {
    ga__launch_slot(l, s->slot);
    ga__launch_offset(l, s->slot, rel);
  }
  for (unsigned int d = 0; d < it->nd; d++)
    ga__launch_ssize(l, it->strides[k][d]);
  ga__launch_ssize(l, s->rs);
  ga__launch_ssize(l, s->cs);
}

static ga__gen_factor_copy describe(const ga__factor *f, const copy *c,
                                    const ga__iter *it, ga__triangle part) {
  const ptrdiff_t word = (ptrdiff_t)c->word;
  /* Vectors of a complex factorisation may be real. */
  const int is_complex =
      f->is_complex && c->word == ga__dtype_size(f->typecode);

  return (ga__gen_factor_copy){
      .word = is_complex ? c->word / 2 : c->word,
      .complex = (size_t)is_complex,
      .conj = (size_t)(is_complex && c->conj),
      .nk = it->nd,
      .part = part,
      .unit = c->n <= 1 || (c->side[0].cs == word && c->side[1].cs == word)};
}

static void copy_args(ga__factor *f, const copy *c, const ga__iter *it) {
  for (unsigned int k = 0; k < 2; k++)
    side_args(f->l, &c->side[k], it, k);
  for (unsigned int d = 0; d < it->nd; d++)
    ga__launch_size(f->l, it->dims[d]);
  ga__launch_size(f->l, c->m);
  ga__launch_size(f->l, c->n);
}

static void copy_kernel(ga__factor *f, const copy *c, const ga__iter *it,
                        ga__triangle part) {
  const size_t run = f->is_cpu ? CPU_COLUMNS : 1;
  const size_t rows = f->is_cpu ? CPU_ROWS : GPU_ROWS;
  const size_t across = ga__ceil_div(c->n, run),
               down = ga__ceil_div(c->m, rows);
  const ga__gen_factor_copy gen = describe(f, c, it, part);
  size_t ls[3] = {1, 1, 1};

  if (!f->is_cpu) {
    const size_t most = ga__at_most(f->most, COPY_GROUP);
    const size_t second = gpucontext_caps(f->ctx)->max_items[1];

    ls[0] = ga__at_most(ga__ceil_pow2(across), most);
    ls[1] = ga__at_most(ga__at_most(ga__ceil_pow2(down), most / ls[0]), second);
  }
  const size_t gs[3] = {ga__round_up(across, ls[0]), ga__round_up(down, ls[1]),
                        ga__iter_total(it)};

  ga__launch_rounds(f->l, ga__at_most(rows, c->m) * ga__at_most(run, c->n));
  ga__product_kernel(f->ctx, f->l, ga__dtype_real(f->typecode), "factor_copy",
                     "factor_copy", GA_GEN_TEXT(ga__gen_factor_copy_text, gen),
                     3, gs, ls);
  copy_args(f, c, it);
  ga__launch_size(f->l, rows);
  ga__launch_size(f->l, run);
}

/* Whether elements beside each other in columns, not in rows, lie side by side
 * on one of the sides, so that a GPU reads or writes them so. */
static int is_turned(const ga__factor *f, const copy *c, ga__triangle part) {
  const ptrdiff_t word = (ptrdiff_t)c->word;
  const gpudevice_caps *caps = gpucontext_caps(f->ctx);

  if (f->is_cpu || part > GA_TRIANGLE_UPPER || c->m < TURN_LEAST ||
      c->n < TURN_LEAST ||
      (size_t)TURN_SIDE * (TURN_SIDE + 1) * c->word >
          caps->declared_local_bytes)
    return 0;
  return (c->side[0].rs == word && c->side[0].cs != word) ||
         (c->side[1].rs == word && c->side[1].cs != word);
}

static void turn_kernel(ga__factor *f, const copy *c, const ga__iter *it,
                        ga__triangle part) {
  ga__gen_factor_copy gen = describe(f, c, it, part);

  gen.unit = 0;
  gen.group = ga__at_most(f->most, TURN_GROUP);
  gen.src_rows = c->side[0].cs == (ptrdiff_t)c->word;
  gen.dst_rows = c->side[1].cs == (ptrdiff_t)c->word;
  const size_t ls[3] = {gen.group, 1, 1};
  const size_t gs[3] = {ga__times(ga__ceil_div(c->n, TURN_SIDE), gen.group),
                        ga__ceil_div(c->m, TURN_SIDE), ga__iter_total(it)};

  ga__launch_rounds(f->l, (size_t)TURN_SIDE * TURN_SIDE / gen.group);
  ga__product_kernel(f->ctx, f->l, ga__dtype_real(f->typecode), "factor_turn",
                     "factor_turn", GA_GEN_TEXT(ga__gen_factor_copy_text, gen),
                     3, gs, ls);
  copy_args(f, c, it);
}

/* On GPUs a batch of single rows is one matrix: groups have more to do. */
static void merge_rows(const ga__factor *f, copy *c, ga__iter *it,
                       ga__triangle part) {
  if (f->is_cpu || c->m != 1 || it->nd != 1 || part != GA_TRIANGLE_ALL)
    return;
  c->m = it->dims[0];
  it->dims[0] = 1;
  for (unsigned int k = 0; k < 2; k++) {
    c->side[k].rs = it->strides[k][0];
    it->strides[k][0] = 0;
  }
}

static int add_copy(ga__factor *f, const copy *c, ga__triangle part) {
  copy rows = *c;
  ga__iter it;
  int err;

  GA_CHECK(ga__iter_init(&it, c->nd, c->dims, 2));
  for (unsigned int k = 0; k < 2; k++)
    ga__iter_set(&it, k, c->strides[k]);
  ga__iter_order(&it, 1);
  ga__iter_merge(&it);
  if (it.nd == 0) {
    it.nd = 1;
    it.dims[0] = 1;
    it.strides[0][0] = it.strides[1][0] = 0;
  }
  merge_rows(f, &rows, &it, part);
  if (f->batch > 0 && c->m > 0 && c->n > 0)
    (is_turned(f, &rows, part) ? turn_kernel : copy_kernel)(f, &rows, &it,
                                                            part);

done:
  ga__iter_clear(&it);
  return err;
}

static void copy_or_fail(ga__factor *f, const copy *c, ga__triangle part) {
  const int err = add_copy(f, c, part);

  if (err != GA_NO_ERROR)
    ga__launch_error(f->l, err);
}

void ga__factor_fetch(ga__factor *f, const ga__block *b,
                      const ga__factor_array *to, const ga__factor_array *from,
                      ga__triangle part) {
  copy c = {.nd = 0};

  if (part == GA_TRIANGLE_ALL && b->slot == to->slot && !b->conj &&
      ga__arrays_same(to->array, from->array))
    return;
  set_array(&c, 0, from, 2);
  set_block(&c, 1, b);
  copy_or_fail(f, &c, part);
}

void ga__factor_store(ga__factor *f, const ga__factor_array *to,
                      const ga__block *b) {
  copy c = {.nd = 0};

  if (b->slot == to->slot)
    return;
  set_array(&c, 1, to, 2);
  set_block(&c, 0, b);
  copy_or_fail(f, &c, GA_TRIANGLE_ALL);
}

void ga__factor_copy(ga__factor *f, const ga__block *from, const ga__block *to,
                     ga__triangle part) {
  copy c = {.nd = 1, .dims = &f->batch};

  set_block(&c, 0, from);
  set_block(&c, 1, to);
  copy_or_fail(f, &c, part);
}

void ga__factor_copy_diagonal(ga__factor *f, const ga__block *from,
                              const ga__block *to) {
  const size_t n = from->n, dims[2] = {f->batch, from->m / n};
  const ga__block first = ga__block_part(from, 0, 0, n, n);
  const ga__block place = ga__block_part(to, 0, 0, n, n);
  const ptrdiff_t step = (ptrdiff_t)(n * from->size);
  copy c = {.nd = 2, .dims = dims};

  set_block(&c, 0, &first);
  set_block(&c, 1, &place);
  c.strides[0][0] = from->bs * (ptrdiff_t)from->size;
  c.strides[0][1] = from->rs * step;
  c.strides[1][0] = to->bs * (ptrdiff_t)to->size;
  c.strides[1][1] = (to->rs + to->cs) * step;
  copy_or_fail(f, &c, GA_TRIANGLE_ALL);
}

void ga__factor_zero(ga__factor *f, const ga__block *b) {
  ga__factor_copy(f, b, b, GA_TRIANGLE_NONE);
}

void ga__factor_identity(ga__factor *f, const ga__block *b) {
  ga__factor_copy(f, b, b, GA_TRIANGLE_IDENTITY);
}

void ga__factor_fetch_ints(ga__factor *f, unsigned int work,
                           const ga__factor_array *from, size_t n) {
  const ptrdiff_t word = sizeof(int32_t);
  copy c = {.m = 1, .n = n, .word = sizeof(int32_t)};

  set_array(&c, 0, from, 1);
  c.side[1] = (side){.slot = GA_NO_SLOT, .work = work, .cs = word};
  set_batch(&c, 1, (ptrdiff_t)n * word);
  copy_or_fail(f, &c, GA_TRIANGLE_ALL);
}

void ga__factor_zero_ints(ga__factor *f, unsigned int work, size_t n) {
  const ptrdiff_t word = sizeof(int32_t);
  copy c = {
      .nd = 1, .dims = &f->batch, .m = 1, .n = n, .word = sizeof(int32_t)};

  for (int k = 0; k < 2; k++) {
    c.side[k] = (side){.slot = GA_NO_SLOT, .work = work, .cs = word};
    set_batch(&c, k, (ptrdiff_t)n * word);
  }
  copy_or_fail(f, &c, GA_TRIANGLE_NONE);
}

void ga__factor_store_ints(ga__factor *f, const ga__factor_array *to,
                           unsigned int work, size_t n, unsigned int more) {
  const ptrdiff_t word = sizeof(int32_t);
  copy c = {.m = 1, .n = n, .word = sizeof(int32_t)};

  if (to->array == NULL)
    return;
  set_array(&c, 1, to, more);
  c.side[0] = (side){.slot = GA_NO_SLOT, .work = work, .cs = word};
  set_batch(&c, 0, (ptrdiff_t)n * word);
  copy_or_fail(f, &c, GA_TRIANGLE_ALL);
}

void ga__factor_store_vector(ga__factor *f, const ga__factor_array *to,
                             const ga__block *b) {
  copy c = {.nd = 0};

  set_array(&c, 1, to, 1);
  set_block(&c, 0, b);
  copy_or_fail(f, &c, GA_TRIANGLE_ALL);
}
