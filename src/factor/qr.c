/* SPDX-License-Identifier: BSD-2-Clause */
/* QR factors by Householder's reflectors, by blocks of columns. The product of
 * a block's reflectors is I - V T V^H, so that what follows is products with V
 * and with Y = V T. On GPUs a block consists of strips in registers of a group:
 * a kernel factors a strip, and another one applies it to the rest of the
 * block. Elsewhere, for complex numbers, and for matrices with too many rows
 * for that, a block is a panel in memory. */
#include "array/geometry.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "factor/factor.h"

enum { A, Q, R, SLOTS };
enum {
  BLOCK_COLUMNS = 64,      /* on GPUs, at most */
  STRIP_COLUMNS = 16,      /* of a strip in registers, at most, */
  STRIP_LEAST = 4,         /* and at least */
  STRIP_BYTES = 512,       /* of a strip in a work-item's registers, */
  GROUP_BYTES = 256 * 512, /* and in those of a group */
  STRIP_GROUP_LEAST = 32,  /* work-items that factor a strip: at least, */
  STRIP_GROUP_STEP = 4,    /* the ratio between such groups, */
  STRIP_GROUP = 256,       /* and at most, */
  STRIP_ROWS = 8,          /* unless each would have more rows */
  JOIN_GROUP = 256         /* work-items that join strips */
};

/* --- reflectors --- */

/* The columns [j, j + n) of V, or of Y, of the block at column j. */
static ga__block part_of(const ga__block *b, size_t j, size_t n) {
  return ga__block_part(b, j, j, b->m - j, n);
}

/* x -= V op(T) V^H x, where Y is V T; op is the conjugate transpose with
 * `trans`. */
static void reflect(ga__factor *f, const ga__reflectors *q, size_t j, size_t n,
                    const ga__block *x, int trans) {
  const ga__block v = part_of(&q->v, j, n), y = part_of(&q->y, j, n);
  const ga__block turned = ga__block_adjoint(trans ? &y : &v);
  const ga__block w = ga__block_part(&q->w, 0, 0, n, x->n);

  if (x->n == 0)
    return;
  ga__factor_multiply(f, &turned, x, &w);
  ga__factor_product(f, trans ? &v : &y, &w, x);
}

/* --- layouts on GPUs --- */

/* Groups that factor strips have few sizes, since each is a program. */
static size_t strip_group(const ga__factor *f, size_t m, size_t rows) {
  size_t group = STRIP_GROUP_LEAST;

  while (group < m && group < STRIP_GROUP)
    group *= STRIP_GROUP_STEP;
  group = ga__at_most(group, STRIP_GROUP);
  return rows > STRIP_ROWS * group ? f->most : ga__at_most(group, f->most);
}

/* The layout of strips of `rows` rows, of matrices of m rows; without rows if
 * their columns in registers would be few: then panels stay in memory. */
static ga__panel choose_strip(const ga__factor *f, size_t m, size_t rows) {
  const size_t local = gpucontext_caps(f->ctx)->declared_local_bytes;
  const size_t size = ga__dtype_size(f->typecode);
  const size_t group = strip_group(f, m, rows);
  const size_t each = ga__ceil_pow2(ga__ceil_div(ga__at_least(rows, 1), group));
  const size_t bytes = ga__at_most(STRIP_BYTES, GROUP_BYTES / group);
  /* Sums of each work-item and column take two thirds of local memory; less on
   * NVIDIA, which does not change the layout. */
  const size_t fit =
      ga__at_most(bytes / size / each, local / 3 * 2 / size / group);
  const size_t most = ga__at_most(fit, ga__at_most(group, STRIP_COLUMNS));
  const int is_wide = most > 0 && most >= ga__at_most(group, STRIP_LEAST);

  return (ga__panel){.group = group,
                     .rows = is_wide ? each : 0,
                     .columns = is_wide ? ga__floor_pow2(most) : 0};
}

/* The most columns of a block whose strips are joined in local memory. */
static size_t block_columns(const ga__factor *f) {
  const size_t local = gpucontext_caps(f->ctx)->declared_local_bytes;
  const size_t size = ga__dtype_size(f->typecode);
  size_t n = BLOCK_COLUMNS;

  while (n > STRIP_COLUMNS && n * (n + 1 + STRIP_COLUMNS) * size > local)
    n /= 2;
  return n;
}

/* --- a block as a panel in memory --- */

/* Workspaces of blocks. */
typedef struct works {
  ga__block t;       /* T of a block */
  ga__block dots;    /* V^T V */
  unsigned int copy; /* of a panel, on CPUs */
} works;

/* Factor a panel in memory, which gives T, and make V. */
static void panel_in_memory(ga__factor *f, const ga__reflectors *q,
                            const ga__block *panel, const ga__block *v,
                            const ga__block *t, works *in) {
  const int in_rows = f->is_cpu && !f->is_complex;
  const size_t group = f->is_cpu ? 1 : f->most;
  const ga__macro macros[] = {{"G", group}, {"QB", q->width}};
  const size_t bytes =
      ga__times(ga__times(ga__times(f->batch, q->a.m), q->width), q->a.size);

  ga__launch_rounds(f->l, ga__times(4 * panel->n * panel->n, panel->m) /
                              ga__at_least(f->is_cpu ? 4 : f->most, 1));
  if (in_rows)
    ga__factor_kernel(f, "factor_qr", 1, 1, 0);
  else
    ga__factor_group_kernel(f, "factor_qr_tall", "factor_qr", 1, group, 2,
                            macros);
  ga__factor_arg(f, panel);
  ga__launch_size(f->l, panel->m);
  ga__launch_size(f->l, panel->n);
  ga__factor_arg(f, t);
  if (in_rows && panel->m == q->a.m)
    in->copy = ga__launch_work(f->l, bytes);
  else if (in_rows)
    ga__launch_work_arg(f->l, in->copy);
  ga__factor_copy(f, panel, v, GA_TRIANGLE_UNIT);
}

/* --- a block by strips in registers of a group --- */

static void strip_kernel(ga__factor *f, const ga__panel *by, const char *entry,
                         size_t groups) {
  const ga__macro macros[] = {
      {"G", by->group}, {"R", by->rows}, {"C", by->columns}};

  ga__factor_group_kernel(f, "factor_qr_gpu", entry, groups, by->group, 3,
                          macros);
}

/* Factor a strip, above which `above` rows of V become zeros. */
static void factor_strip(ga__factor *f, const ga__panel *by,
                         const ga__block *strip, const ga__block *v,
                         size_t above, const ga__block *t) {
  ga__launch_rounds(f->l,
                    ga__times(4 * strip->n * strip->n, strip->m) / by->group);
  strip_kernel(f, by, "factor_qr", 1);
  ga__factor_arg(f, strip);
  ga__launch_size(f->l, strip->m);
  ga__launch_size(f->l, strip->n);
  ga__factor_arg(f, v);
  ga__launch_size(f->l, above);
  ga__factor_arg(f, t);
}

/* Apply a strip's reflectors to x, which are the other columns of the block. A
 * group for each column, unless matrices of the batch keep the device busy. */
static void apply_strip(ga__factor *f, const ga__panel *by, const ga__block *v,
                        const ga__block *t, const ga__block *x) {
  const size_t most = ga__ceil_div(gpucontext_caps(f->ctx)->compute_units,
                                   ga__at_least(f->batch, 1));

  if (x->n == 0)
    return;
  ga__launch_rounds(f->l, 4 * ga__times(v->n, v->m) / by->group);
  strip_kernel(f, by, "factor_qr_apply", ga__at_most(x->n, most));
  ga__factor_arg(f, v);
  ga__factor_arg(f, t);
  ga__factor_arg(f, x);
  ga__launch_size(f->l, v->m);
  ga__launch_size(f->l, v->n);
  ga__launch_size(f->l, x->n);
}

/* Make T of a block from those of its strips. */
static void join_strips(ga__factor *f, const ga__reflectors *q,
                        const ga__panel *by, const ga__block *v,
                        const ga__block *t, const ga__block *dots) {
  const size_t group = ga__at_most(f->most, JOIN_GROUP);
  const ga__macro macros[] = {
      {"G", group}, {"B", q->width}, {"C", by->columns}};
  const ga__block turned = ga__block_turned(v);

  ga__factor_multiply(f, &turned, v, dots);
  ga__launch_rounds(f->l, ga__times(v->n, v->n * v->n) / group);
  ga__factor_group_kernel(f, "factor_qr_join", "factor_qr_join", 1, group, 3,
                          macros);
  ga__factor_arg(f, t);
  ga__factor_arg(f, dots);
  ga__launch_size(f->l, v->n);
}

/* Factor a block by strips, which gives V and T. */
static void block_in_registers(ga__factor *f, const ga__reflectors *q,
                               const ga__block *a, const ga__block *v,
                               const ga__block *t, const works *in) {
  const ga__panel by = choose_strip(f, q->a.m, a->m);
  const size_t n = a->n;

  for (size_t j = 0; j < n; j += by.columns) {
    const size_t cols = ga__at_most(by.columns, n - j), right = j + cols;
    const size_t rows = a->m - j;
    const ga__block strip = ga__block_part(a, j, j, rows, cols);
    const ga__block own = ga__block_part(v, j, j, rows, cols);
    const ga__block own_t = ga__block_part(t, j, j, cols, cols);
    const ga__block rest = ga__block_part(a, j, right, rows, n - right);

    factor_strip(f, &by, &strip, &own, j, &own_t);
    apply_strip(f, &by, &own, &own_t, &rest);
  }
  if (n > by.columns) {
    const ga__block dots = ga__block_part(&in->dots, 0, 0, n, n);

    join_strips(f, q, &by, v, t, &dots);
  }
}

/* --- blocks --- */

static void factor_block(ga__factor *f, const ga__reflectors *q, size_t j,
                         size_t n, works *in) {
  const ga__block a = part_of(&q->a, j, n);
  const ga__block v = part_of(&q->v, j, n), y = part_of(&q->y, j, n);
  const ga__block t = ga__block_part(&in->t, 0, 0, n, n);

  if (q->by_strips)
    block_in_registers(f, q, &a, &v, &t, in);
  else
    panel_in_memory(f, q, &a, &v, &t, in);
  ga__factor_multiply(f, &v, &t, &y);
}

ga__reflectors ga__factor_qr(ga__factor *f, const ga__block *a, size_t most) {
  const int by_strips =
      !f->is_cpu && !f->is_complex && choose_strip(f, a->m, a->m).rows > 0;
  const size_t least = ga__at_most(a->m, a->n);
  const size_t width = by_strips ? block_columns(f) : f->columns;
  const ga__reflectors q = {
      .a = *a,
      .by_strips = by_strips,
      .width = width,
      .v = ga__factor_work_panels(f, a->m, least),
      .y = ga__factor_work_panels(f, a->m, least),
      .w = ga__factor_work(f, width, ga__at_least(a->n, most))};
  works in = {.t = ga__factor_work(f, width, width)};

  if (by_strips)
    in.dots = ga__factor_work(f, width, width);
  for (size_t j = 0; j < least; j += width) {
    const size_t n = ga__at_most(width, least - j), right = j + n;
    const ga__block rest = ga__block_part(a, j, right, a->m - j, a->n - right);

    factor_block(f, &q, j, n, &in);
    reflect(f, &q, j, n, &rest, 1);
  }
  return q;
}

void ga__factor_reflect(ga__factor *f, const ga__reflectors *q,
                        const ga__block *x, int trans, int is_lower) {
  const size_t least = ga__at_most(q->a.m, q->a.n), width = q->width;
  const size_t panels = ga__ceil_div(least, width);

  for (size_t p = 0; p < panels; p++) {
    const size_t j = (trans ? p : panels - 1 - p) * width;
    const size_t n = ga__at_most(width, least - j), left = is_lower ? j : 0;
    const ga__block part = ga__block_part(x, j, left, x->m - j, x->n - left);

    reflect(f, q, j, n, &part, trans);
  }
}

/* --- arrays --- */

/* Set *k to the size that Q and R share. */
static int find_inner(const ga__factor_array *o, size_t *k) {
  const GpuArray *const a = o[A].array, *const q = o[Q].array,
                        *const r = o[R].array;
  const size_t m = a->dimensions[a->nd - 2], n = a->dimensions[a->nd - 1];
  const size_t least = ga__at_most(m, n);

  if (q == NULL && r == NULL)
    return ga__fail(GA_INVALID_ERROR, "q and r: no array");
  if (q != NULL)
    GA_TRY(ga__factor_check(&o[Q], &o[A], 1));
  if (r != NULL)
    GA_TRY(ga__factor_check(&o[R], &o[A], 1));
  *k = q != NULL ? q->dimensions[a->nd - 1] : r->dimensions[a->nd - 2];
  if (*k != m)
    *k = least;
  return GA_NO_ERROR;
}

static int check(const ga__factor_array *o, int flags) {
  const GpuArray *const a = o[A].array;
  size_t k = 0;

  (void)flags;
  GA_TRY(find_inner(o, &k));
  if (o[Q].array != NULL)
    GA_TRY(ga__factor_check_sizes(&o[Q], a->dimensions[a->nd - 2], k));
  if (o[R].array != NULL)
    GA_TRY(ga__factor_check_sizes(&o[R], k, a->dimensions[a->nd - 1]));
  GA_TRY(ga__factor_check_apart(&o[Q], &o[A], 0));
  GA_TRY(ga__factor_check_apart(&o[R], &o[A], 0));
  return ga__factor_check_apart(&o[R], &o[Q], 0);
}

/* Store R: the upper triangle of the factors, with zeros below. */
static void store_r(ga__factor *f, const ga__block *a,
                    const ga__factor_array *r) {
  const size_t rows = r->array->dimensions[r->array->nd - 2];
  const ga__block to = ga__factor_place(f, r);
  const ga__block from = ga__block_part(a, 0, 0, rows, a->n);

  ga__factor_copy(f, &from, &to, GA_TRIANGLE_UPPER);
  ga__factor_store(f, r, &to);
}

static void add(ga__factor *f, const ga__factor_array *o, int flags) {
  const GpuArray *const given = o[A].array;
  const size_t rows = given->dimensions[given->nd - 2];
  const ga__block a =
      ga__factor_work_panels(f, rows, given->dimensions[given->nd - 1]);
  const double m = (double)a.m, n = (double)a.n;
  const size_t cols =
      o[Q].array != NULL ? o[Q].array->dimensions[given->nd - 1] : 0;

  (void)flags;
  ga__factor_fetch(f, &a, &o[A], &o[A], GA_TRIANGLE_ALL);
  const ga__reflectors q = ga__factor_qr(f, &a, cols);
  if (o[R].array != NULL)
    store_r(f, &a, &o[R]);
  if (o[Q].array != NULL) {
    const ga__block to = ga__factor_place(f, &o[Q]);

    ga__factor_identity(f, &to);
    ga__factor_reflect(f, &q, &to, 0, 1);
    ga__factor_store(f, &o[Q], &to);
  }
  ga__factor_cost(f, 4 * (double)f->batch * m * n * (double)a.size,
                  (double)f->batch * 4 * m * n * (m < n ? m : n));
}

/* A result with two sizes after those of the batch. */
static int make_result(GpuArray *to, const GpuArray *a, size_t m, size_t n) {
  size_t dims[GA_ND_MAX];

  for (unsigned int d = 0; d < a->nd; d++)
    dims[d] = a->dimensions[d];
  dims[a->nd - 2] = m;
  dims[a->nd - 1] = n;
  return ga__factor_make(to, a, a->typecode, a->nd, dims);
}

static int make(GpuArray *const *to, const ga__factor_array *o, int full) {
  const GpuArray *const a = o[A].array;
  const size_t m = a->dimensions[a->nd - 2], n = a->dimensions[a->nd - 1];
  const size_t k = full ? m : ga__at_most(m, n);

  GA_TRY(make_result(to[Q], a, m, k));
  return make_result(to[R], a, k, n);
}

static const ga__factor_family family = {.name = "qr",
                                         .arrays = {"a", "q", "r"},
                                         .n_in = Q,
                                         .n_slots = SLOTS,
                                         .check = check,
                                         .make = make,
                                         .add = add};

int GpuArray_qr_prepare(GpuLaunch **out, GpuArray *q, GpuArray *r,
                        const GpuArray *a) {
  return ga__factor_prepare(out, &family, (const GpuArray *[]){a, q, r}, 0);
}

int GpuArray_qr(GpuArray *q, GpuArray *r, const GpuArray *a, int full) {
  return ga__factor_call(&family, &a, (GpuArray *[]){q, r}, full);
}
