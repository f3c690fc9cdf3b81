/* SPDX-License-Identifier: BSD-2-Clause */
/* The arrays of factorisations: checks, and the blocks that they are. */
#include "array/operands.h"
#include "array/overlap.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "factor/factor.h"

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
  PANEL_GROUP = 32, /* fewest work-items that factor a panel, */
  PANEL_STEP = 4,   /* and the ratio between larger groups */
  PANEL_BYTES = 256 /* of a panel in a work-item's registers */
};

/* --- checks --- */

static int is_wanted(int code) {
  return code == GA_FLOAT || code == GA_DOUBLE || code == GA_CFLOAT ||
         code == GA_CDOUBLE;
}

int ga__factor_check_first(const ga__factor_array *a) {
  if (a->array == NULL || a->array->data == NULL)
    return ga__fail(GA_INVALID_ERROR, "%s: no array", a->name);
  const int code = ga__dtype_canon(a->array->typecode);
  if (!is_wanted(code))
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "%s: expected float32, float64 or complex numbers, got %s",
                    a->name, ga__dtype_name(a->array->typecode));
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
