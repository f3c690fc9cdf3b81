/* SPDX-License-Identifier: BSD-2-Clause */
/* QR factors by Householder's reflectors, by panels. The product of a panel's
 * reflectors is I - V T V^T, so that what follows is products with V and with
 * Y = V T. */
#include "array/geometry.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "factor/factor.h"

enum { A, Q, R, SLOTS };
enum {
  PANEL_STRIP = 16, /* columns of a panel in a GPU's registers, at most */
  LEAST_STRIP = 4
};

/* --- reflectors --- */

/* The columns [j, j + n) of V, or of Y, of the panel at column j. */
static ga__block part_of(const ga__block *b, size_t j, size_t n) {
  return ga__block_part(b, j, j, b->m - j, n);
}

/* x -= V op(T) V^T x, where Y is V T. */
static void reflect(ga__factor *f, const ga__reflectors *q, size_t j, size_t n,
                    const ga__block *x, int trans) {
  const ga__block v = part_of(&q->v, j, n), y = part_of(&q->y, j, n);
  const ga__block turned = ga__block_turned(trans ? &y : &v);
  const ga__block w = ga__block_part(&q->w, 0, 0, n, x->n);

  if (x->n == 0)
    return;
  ga__factor_multiply(f, &turned, x, &w);
  ga__factor_product(f, trans ? &v : &y, &w, x);
}

/* Workspaces of panels in memory. */
typedef struct memory {
  ga__block t;
  unsigned int copy; /* on CPUs */
} memory;

/* Factor a panel in memory, which gives T, and make V and Y from that. */
static void panel_in_memory(ga__factor *f, const ga__reflectors *q,
                            const ga__block *panel, const ga__block *v,
                            const ga__block *y, memory *in) {
  const size_t n = panel->n;
  const ga__block t = ga__block_part(&in->t, 0, 0, n, n);
  const ga__macro macros[] = {{"G", q->by.group}, {"QB", q->by.columns}};
  const size_t bytes = ga__times(
      ga__times(ga__times(f->batch, q->a.m), q->by.columns), q->a.size);

  if (f->is_cpu)
    ga__factor_kernel(f, "factor_qr", 1, 1, 0);
  else
    ga__factor_group_kernel(f, "factor_qr_tall", "factor_qr", 1, q->by.group, 2,
                            macros);
  ga__factor_arg(f, panel);
  ga__launch_size(f->l, panel->m);
  ga__launch_size(f->l, n);
  ga__factor_arg(f, &t);
  if (f->is_cpu && panel->m == q->a.m)
    in->copy = ga__launch_work(f->l, bytes);
  else if (f->is_cpu)
    ga__launch_work_arg(f->l, in->copy);
  ga__factor_copy(f, panel, v, GA_TRIANGLE_UNIT);
  ga__factor_multiply(f, v, &t, y);
}

/* Factor a panel in registers of a group. */
static void panel_in_registers(ga__factor *f, const ga__reflectors *q,
                               const ga__block *panel, const ga__block *v,
                               const ga__block *y) {
  const ga__macro macros[] = {
      {"G", q->by.group}, {"R", q->by.rows}, {"C", q->by.columns}};

  ga__factor_group_kernel(f, "factor_qr_gpu", "factor_qr", 1, q->by.group, 3,
                          macros);
  ga__factor_arg(f, panel);
  ga__launch_size(f->l, panel->m);
  ga__launch_size(f->l, panel->n);
  ga__factor_arg(f, v);
  ga__factor_arg(f, y);
}

static void factor_panel(ga__factor *f, const ga__reflectors *q, size_t j,
                         size_t n, memory *in) {
  const ga__block panel = part_of(&q->a, j, n);
  const ga__block v = part_of(&q->v, j, n), y = part_of(&q->y, j, n);

  ga__launch_rounds(f->l, ga__times(4 * n * n, panel.m) /
                              ga__at_least(f->is_cpu ? 4 : q->by.group, 1));
  if (q->by.rows > 0)
    panel_in_registers(f, q, &panel, &v, &y);
  else
    panel_in_memory(f, q, &panel, &v, &y, in);
}

/* The layout of panels of m rows. Where columns in a GPU's registers would be
 * few, panels stay in memory. */
static ga__panel choose_panel(const ga__factor *f, size_t m) {
  const size_t local = gpucontext_caps(f->ctx)->declared_local_bytes;
  const size_t size = ga__dtype_size(f->typecode);
  const ga__panel in_memory = {.group = f->most, .columns = f->columns};

  if (f->is_cpu)
    return in_memory;
  /* Sums of each work-item and column take two thirds of local memory; less on
   * NVIDIA, which does not change the layout. */
  const size_t most = local / 3 * 2 / size / f->most;
  const ga__panel p = ga__factor_panel(
      f, m, m, ga__floor_pow2(ga__between(1, most, PANEL_STRIP)));

  return p.rows > 0 && p.columns >= ga__at_most(p.group, LEAST_STRIP)
             ? p
             : in_memory;
}

ga__reflectors ga__factor_qr(ga__factor *f, const ga__block *a, size_t most) {
  const ga__panel by = choose_panel(f, a->m);
  const size_t least = ga__at_most(a->m, a->n), width = by.columns;
  const ga__reflectors q = {
      .a = *a,
      .by = by,
      .v = ga__factor_work_panels(f, a->m, least),
      .y = ga__factor_work_panels(f, a->m, least),
      .w = ga__factor_work(f, width, ga__at_least(a->n, most))};
  memory in = {.copy = 0};

  if (by.rows == 0)
    in.t = ga__factor_work(f, width, width);
  for (size_t j = 0; j < least; j += width) {
    const size_t n = ga__at_most(width, least - j), right = j + n;
    const ga__block rest = ga__block_part(a, j, right, a->m - j, a->n - right);

    factor_panel(f, &q, j, n, &in);
    reflect(f, &q, j, n, &rest, 1);
  }
  return q;
}

void ga__factor_reflect(ga__factor *f, const ga__reflectors *q,
                        const ga__block *x, int trans, int is_lower) {
  const size_t least = ga__at_most(q->a.m, q->a.n), width = q->by.columns;
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
  ga__launch_cost(f->l, 4 * (double)f->batch * m * n * (double)a.size,
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
