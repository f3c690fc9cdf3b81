/* SPDX-License-Identifier: BSD-2-Clause */
/* The arrays of factorisations: checks, and copies to and from blocks. */
#include "array/geometry.h"
#include "array/operands.h"
#include "array/overlap.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "factor/factor.h"
#include "layout/space.h"

enum {
  CPU_BLOCK = 128,
  CPU_PANEL = 64,
  GPU_PANEL = 32,
  QR_COLUMNS = 32, /* of a panel of QR */
  GPU_GROUP = 32,
  GPU_MOST = 512,
  GPU_SIDE = 16,
  GPU_EACH = 8,           /* rows and columns of a work-item at most, and */
  GPU_SMALL = 4,          /* in small matrices */
  GPU_SOLVED = 8,         /* rows of x in registers */
  COMPLEX_CPU_BLOCK = 64, /* the same of complex matrices */
  COMPLEX_GPU_BLOCK = 32,
  COMPLEX_PANEL = 16,
  COMPLEX_SIDE = 8,
  GPU_COLUMNS = 32,
  PANEL_GROUP = 32,   /* fewest work-items that factor a panel, */
  PANEL_STEP = 4,     /* and the ratio between larger groups */
  PANEL_BYTES = 256,  /* of a panel in a work-item's registers */
  CPU_ROWS = 16,      /* that a work-item of a CPU copies */
  CPU_COLUMNS = 4096, /* of each of them, at most */
  GPU_ROWS = 8, /* the same of a GPU: neighbours in columns are 32 bytes */
  COPY_GROUP = 64
};

/* --- checks --- */

static int is_wanted(int code, int takes_complex) {
  return code == GA_FLOAT || code == GA_DOUBLE ||
         (takes_complex && (code == GA_CFLOAT || code == GA_CDOUBLE));
}

int ga__factor_check_first(const ga__factor_array *a, int takes_complex) {
  if (a->array == NULL || a->array->data == NULL)
    return ga__fail(GA_INVALID_ERROR, "%s: no array", a->name);
  const int code = ga__dtype_canon(a->array->typecode);
  if (!is_wanted(code, takes_complex))
    return ga__fail(GA_UNSUPPORTED_ERROR, "%s: expected %s, got %s", a->name,
                    takes_complex ? "float32, float64 or complex numbers"
                                  : "float32 or float64",
                    ga__dtype_name(a->array->typecode));
  GA_TRY(ga__product_support(GpuArray_context(a->array), code));
  return ga__factor_check(a, a, 0);
}

/* Check that the first n sizes are those of the first array. */
static int check_leading(const ga__factor_array *a,
                         const ga__factor_array *first, unsigned int n) {
  for (unsigned int d = 0; d < n; d++) {
    const size_t want = first->array->dimensions[d];

    if (a->array->dimensions[d] != want)
      return ga__fail(GA_VALUE_ERROR, "%s: dim %u: expected %zu, got %zu",
                      a->name, d, want, a->array->dimensions[d]);
  }
  return GA_NO_ERROR;
}

int ga__factor_check_as(const ga__factor_array *a,
                        const ga__factor_array *first, int code,
                        int is_result) {
  gpucontext *const ctx = GpuArray_context(first->array);
  const unsigned int nd = first->array->nd;

  GA_TRY(is_result ? ga__operand_check_result(a->name, a->array, ctx, code)
                   : ga__operand_check_array(a->name, a->array, ctx, code));
  if (nd < 2)
    return ga__fail(GA_VALUE_ERROR, "%s: expected a matrix, got %u dimensions",
                    first->name, nd);
  if (a->array->nd != nd)
    return ga__fail(GA_VALUE_ERROR, "%s: expected %u dimensions, got %u",
                    a->name, nd, a->array->nd);
  return check_leading(a, first, nd - 2);
}

int ga__factor_check(const ga__factor_array *a, const ga__factor_array *first,
                     int is_result) {
  return ga__factor_check_as(a, first, first->array->typecode, is_result);
}

int ga__factor_check_sizes(const ga__factor_array *a, size_t m, size_t n) {
  const size_t *const have = a->array->dimensions + a->array->nd - 2;

  if (have[0] != m || have[1] != n)
    return ga__fail(GA_VALUE_ERROR, "%s: expected %zu x %zu, got %zu x %zu",
                    a->name, m, n, have[0], have[1]);
  return GA_NO_ERROR;
}

int ga__factor_check_square(const ga__factor_array *a) {
  const size_t *const have = a->array->dimensions + a->array->nd - 2;

  if (have[0] != have[1])
    return ga__fail(GA_VALUE_ERROR, "%s: %zu x %zu is not square", a->name,
                    have[0], have[1]);
  return GA_NO_ERROR;
}

/* Check the sizes of [..., n] with `more` of 1, of [...] with 0. */
static int check_vector_sizes(const ga__factor_array *a,
                              const ga__factor_array *first, unsigned int more,
                              size_t n) {
  const unsigned int nd = first->array->nd - 2;

  if (a->array->nd != nd + more)
    return ga__fail(GA_VALUE_ERROR, "%s: expected %u dimensions, got %u",
                    a->name, nd + more, a->array->nd);
  GA_TRY(check_leading(a, first, nd));
  if (more != 0 && a->array->dimensions[nd] != n)
    return ga__fail(GA_VALUE_ERROR, "%s: dim %u: expected %zu, got %zu",
                    a->name, nd, n, a->array->dimensions[nd]);
  return GA_NO_ERROR;
}

int ga__factor_check_ints(const ga__factor_array *a,
                          const ga__factor_array *first, int is_result,
                          unsigned int more, size_t n) {
  gpucontext *const ctx = GpuArray_context(first->array);

  if (a->array == NULL)
    return GA_NO_ERROR;
  GA_TRY(is_result ? ga__operand_check_result(a->name, a->array, ctx, GA_INT)
                   : ga__operand_check_array(a->name, a->array, ctx, GA_INT));
  return check_vector_sizes(a, first, more, n);
}

int ga__factor_check_vector_as(const ga__factor_array *a,
                               const ga__factor_array *first, int code,
                               size_t n) {
  GA_TRY(ga__operand_check_result(a->name, a->array,
                                  GpuArray_context(first->array), code));
  return check_vector_sizes(a, first, 1, n);
}

int ga__factor_check_vector(const ga__factor_array *a,
                            const ga__factor_array *first, size_t n) {
  return ga__factor_check_vector_as(a, first,
                                    ga__dtype_real(first->array->typecode), n);
}

int ga__factor_check_apart(const ga__factor_array *result,
                           const ga__factor_array *operand, int may_be_same) {
  if (result->array == NULL || operand->array == NULL ||
      (may_be_same && ga__arrays_same(result->array, operand->array)))
    return GA_NO_ERROR;
  return ga__operand_check_apart(result->name, result->array, operand->name,
                                 operand->array);
}

int ga__factor_check_flags(int flags, int known) {
  const int both = GA_FACTOR_TRANS | GA_FACTOR_CONJ_TRANS;

  if (flags & ~known)
    return ga__fail(GA_VALUE_ERROR, "flags %#x are not known",
                    (unsigned int)(flags & ~known));
  if ((flags & both) == both)
    return ga__fail(GA_VALUE_ERROR,
                    "flags %#x: the transpose or the conjugate transpose",
                    (unsigned int)flags);
  return GA_NO_ERROR;
}

/* --- blocks --- */

/* Choose the groups of a GPU for matrices whose smaller size is `least`. */
static void choose_groups(ga__factor *f, size_t least) {
  const gpudevice_caps *caps = gpucontext_caps(f->ctx);
  const size_t most = ga__at_most(caps->max_group, caps->max_items[0]);
  size_t each = GPU_EACH;

  f->most = ga__floor_pow2(ga__between(1, most, GPU_MOST));
  f->ls = (unsigned int)ga__at_most(f->most, GPU_GROUP);
  f->side = GPU_SIDE;
  while (f->side * f->side > f->most)
    f->side /= 2;
  if (least <= f->side * GPU_SMALL)
    each = GPU_SMALL;
  if (least <= f->side / 2 * GPU_SMALL && f->side > 1)
    f->side /= 2;
  f->nb = f->side * each;
  f->rows = ga__at_most(f->nb, GPU_SOLVED);
  f->cols =
      ga__at_most(ga__at_least(f->most / (f->nb / f->rows), 1), GPU_COLUMNS);
  f->panel = GPU_PANEL;
}

/* The same for complex matrices, on CPUs and GPUs. A diagonal block lies in
 * local memory (cl/factor_complex.cl). */
static void choose_complex(ga__factor *f) {
  const gpudevice_caps *caps = gpucontext_caps(f->ctx);
  const size_t size = ga__dtype_size(f->typecode);

  f->nb = f->is_cpu ? COMPLEX_CPU_BLOCK : COMPLEX_GPU_BLOCK;
  while (!f->is_cpu && f->nb > 1 &&
         f->nb * (f->nb + 2) * size > caps->declared_local_bytes)
    f->nb /= 2;
  f->panel = ga__at_most(COMPLEX_PANEL, f->nb);
  f->side = f->is_cpu ? 1 : ga__at_most(f->side, COMPLEX_SIDE);
  f->rows = f->nb;
  f->cols = f->side * f->side;
}

/* The groups that factor panels have few sizes, since each is a program. */
static size_t panel_group(const ga__factor *f, size_t m) {
  size_t group = PANEL_GROUP;

  while (group < m && group < f->most)
    group *= PANEL_STEP;
  return ga__at_most(group, f->most);
}

ga__panel ga__factor_panel(const ga__factor *f, size_t m, size_t rows,
                           size_t columns) {
  const size_t size = ga__dtype_size(f->typecode), group = panel_group(f, m);
  const size_t each = ga__ceil_pow2(ga__ceil_div(ga__at_least(rows, 1), group));
  const size_t most = PANEL_BYTES / size / each;

  return (ga__panel){.group = group,
                     .rows = most > 0 ? each : 0,
                     .columns =
                         ga__between(1, ga__at_most(most, group), columns)};
}

void ga__factor_open(ga__factor *f, const char *label, unsigned int n_slots,
                     const ga__factor_array *a) {
  gpucontext *const ctx = GpuArray_context(a->array);
  const size_t *const last = a->array->dimensions + a->array->nd - 2;

  *f = (ga__factor){.l = ga__launch_open(ctx, label, n_slots),
                    .ctx = ctx,
                    .typecode = ga__dtype_canon(a->array->typecode),
                    .is_complex = ga__dtype_is_complex(a->array->typecode),
                    .batch = 1,
                    .is_cpu = gpucontext_caps(ctx)->is_cpu,
                    .nb = CPU_BLOCK,
                    .panel = CPU_PANEL,
                    .columns = QR_COLUMNS,
                    .ls = 1};
  if (!f->is_cpu)
    choose_groups(f, ga__at_most(last[0], last[1]));
  if (f->is_complex)
    choose_complex(f);
  for (unsigned int d = 0; d + 2 < a->array->nd; d++)
    f->batch = ga__times(f->batch, a->array->dimensions[d]);
}

void ga__factor_bind(ga__factor *f, unsigned int n, const ga__factor_array *o) {
  for (unsigned int i = 0; i < n; i++) {
    if (o[i].array != NULL)
      ga__launch_bind_array(f->l, o[i].slot, o[i].array);
  }
}

int ga__factor_is_plain(const ga__factor_array *a) {
  const GpuArray *const x = a->array;
  const ssize_t size = (ssize_t)GpuArray_ITEMSIZE(x);
  const unsigned int n = x->nd - 2;
  ssize_t next = 0;
  int is_first = 1;

  for (unsigned int d = 0; d < x->nd; d++) {
    if (x->dimensions[d] > 1 && x->strides[d] % size != 0)
      return 0;
  }
  for (unsigned int d = n; d-- > 0;) {
    if (x->dimensions[d] == 1)
      continue;
    if (!is_first && x->strides[d] != next)
      return 0;
    is_first = 0;
    next = x->strides[d] * (ssize_t)x->dimensions[d];
  }
  return 1;
}

ga__block ga__factor_block(const ga__factor_array *a) {
  const GpuArray *const x = a->array;
  const ssize_t size = (ssize_t)GpuArray_ITEMSIZE(x);
  const unsigned int n = x->nd - 2;
  ga__block b = {.slot = a->slot,
                 .off = x->offset,
                 .m = x->dimensions[n],
                 .n = x->dimensions[n + 1],
                 .size = (size_t)size,
                 .rs = x->strides[n] / size,
                 .cs = x->strides[n + 1] / size};

  for (unsigned int d = n; d-- > 0 && b.bs == 0;) {
    if (x->dimensions[d] > 1)
      b.bs = x->strides[d] / size;
  }
  return b;
}

ga__factor ga__factor_parts(const ga__factor *f) {
  ga__factor parts = *f;

  parts.typecode = ga__dtype_real(f->typecode);
  parts.is_complex = 0;
  return parts;
}

ga__block ga__factor_work(ga__factor *f, size_t m, size_t n) {
  const size_t size = ga__dtype_size(f->typecode);
  const size_t each = ga__times(m, n);

  return (ga__block){.slot = ga__launch_own_slot(
                         f->l, ga__times(ga__times(each, f->batch), size)),
                     .m = m,
                     .n = n,
                     .size = size,
                     .rs = (ptrdiff_t)n,
                     .cs = 1,
                     .bs = (ptrdiff_t)each};
}

/* Whether panels of m x n matrices want columns without gaps. */
static int want_columns(const ga__factor *f, size_t m, size_t n) {
  return (!f->is_cpu || f->is_complex) && ga__at_most(m, n) > f->panel;
}

ga__block ga__factor_work_panels(ga__factor *f, size_t m, size_t n) {
  if (!want_columns(f, m, n))
    return ga__factor_work(f, m, n);
  const ga__block turned = ga__factor_work(f, n, m);
  return ga__block_turned(&turned);
}

ga__block ga__factor_place(ga__factor *f, const ga__factor_array *a) {
  const size_t *const dims = a->array->dimensions + a->array->nd - 2;

  return ga__factor_is_plain(a) ? ga__factor_block(a)
                                : ga__factor_work(f, dims[0], dims[1]);
}

ga__block ga__factor_place_panels(ga__factor *f, const ga__factor_array *a) {
  const size_t *const dims = a->array->dimensions + a->array->nd - 2;

  if (ga__factor_is_plain(a)) {
    const ga__block b = ga__factor_block(a);

    if (b.rs == 1 || !want_columns(f, b.m, b.n))
      return b;
  }
  return ga__factor_work_panels(f, dims[0], dims[1]);
}

/* --- copies --- */

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

static void copy_kernel(ga__factor *f, const copy *c, const ga__iter *it,
                        ga__triangle part) {
  const ptrdiff_t word = (ptrdiff_t)c->word;
  const size_t run = f->is_cpu ? CPU_COLUMNS : 1;
  const size_t rows = f->is_cpu ? CPU_ROWS : GPU_ROWS;
  const size_t across = ga__ceil_div(c->n, run),
               down = ga__ceil_div(c->m, rows);
  size_t ls[3] = {1, 1, 1};

  if (!f->is_cpu) {
    const size_t most = ga__at_most(f->most, COPY_GROUP);
    const size_t second = gpucontext_caps(f->ctx)->max_items[1];

    ls[0] = ga__at_most(ga__ceil_pow2(across), most);
    ls[1] = ga__at_most(ga__at_most(ga__ceil_pow2(down), most / ls[0]), second);
  }
  const size_t gs[3] = {ga__round_up(across, ls[0]), ga__round_up(down, ls[1]),
                        ga__iter_total(it)};
  /* Vectors of a complex factorisation may be real. */
  const int is_complex =
      f->is_complex && c->word == ga__dtype_size(f->typecode);
  const ga__gen_factor_copy gen = {
      .word = is_complex ? c->word / 2 : c->word,
      .complex = (size_t)is_complex,
      .conj = (size_t)(is_complex && c->conj),
      .nk = it->nd,
      .part = part,
      .unit = c->n <= 1 || (c->side[0].cs == word && c->side[1].cs == word)};

  ga__launch_rounds(f->l, ga__at_most(rows, c->m) * ga__at_most(run, c->n));
  ga__product_kernel(f->ctx, f->l, ga__dtype_real(f->typecode), "factor_copy",
                     "factor_copy", GA_GEN_TEXT(ga__gen_factor_copy_text, gen),
                     3, gs, ls);
  for (unsigned int k = 0; k < 2; k++)
    side_args(f->l, &c->side[k], it, k);
  for (unsigned int d = 0; d < it->nd; d++)
    ga__launch_size(f->l, it->dims[d]);
  ga__launch_size(f->l, c->m);
  ga__launch_size(f->l, c->n);
  ga__launch_size(f->l, rows);
  ga__launch_size(f->l, run);
}

static int add_copy(ga__factor *f, const copy *c, ga__triangle part) {
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
  if (f->batch > 0 && c->m > 0 && c->n > 0)
    copy_kernel(f, c, &it, part);

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
