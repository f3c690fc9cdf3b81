/* SPDX-License-Identifier: BSD-2-Clause */
/* LU factors with row exchanges, by two parts of the columns: factor the left
 * part, solve for the upper part of the right one, subtract the product from
 * its lower part, and factor that. Each panel exchanges rows in all columns. */
#include <string.h>

#include "array/geometry.h"
#include "base/arith.h"
#include "factor/lapack.h"
#include "ocl/launch/launch_chain.h"

enum { A, LU, PIVOTS, ORDER, INFO, SLOTS };
enum {
  CPU_COLUMNS = 64,  /* fewest whose rows a work-item exchanges */
  SWAP_GROUP = 256,  /* work-items of a group of a GPU that exchanges rows, */
  SWAP_COLUMNS = 32, /* and its columns */
  WIDE = 32,         /* diagonal blocks of a matrix that a GPU halves */
  TEAM_GROUP = 256,  /* work-items of a group of a team, each with a row, */
  TEAM_MOST = 256,   /* and the groups (cl/factor_lu_team.cl) */
  TEAM_BYTES = 8192, /* of a column: up to these, one group is as fast */
  ALONE_GROUP = 128, /* fewest work-items that a group which factors a panel
                        alone is halved to, */
  ALONE_ROWS = 32    /* and most rows of each (cl/factor_lu_gpu.cl) */
};

/* --- row exchanges --- */

static void swap_kernel(ga__factor *f, const char *entry, unsigned int nd,
                        const size_t *gs) {
  const ga__gen_macros gen = {.typecode = f->typecode, .lanes = 1};

  ga__product_kernel(f->ctx, f->l, f->typecode, "factor_swap", entry,
                     GA_GEN_TEXT(ga__gen_macros_text, gen), nd, gs, NULL);
}

static size_t swap_group(const ga__factor *f) {
  return ga__at_most(f->most, SWAP_GROUP);
}

/* Panels are multiples of it. */
static size_t swap_columns(const ga__factor *f) {
  return ga__at_most(ga__at_most(swap_group(f), SWAP_COLUMNS), f->panel);
}

/* Add a kernel of cl/factor_swap_gpu.cl. */
static void swap_groups(ga__factor *f, const char *entry, size_t items,
                        size_t group) {
  const ga__macro macros[] = {
      {"G", group}, {"S", f->panel}, {"COLS", swap_columns(f)}};

  ga__factor_group_kernel(f, "factor_swap_gpu", entry, items, group, 3, macros);
}

/* Columns that an exchange leaves out, a panel, and how many of those behind
 * them get their rows of U. */
typedef struct around {
  size_t first, n, solved;
} around;

static void swap_on_gpu(ga__factor *f, const ga__block *x, const ga__pivots *p,
                        size_t first, size_t last, int back,
                        const around *but) {
  const size_t n = x->n - but->n, group = swap_group(f), cols = swap_columns(f);
  const size_t steps = ga__ceil_div(last - first, f->panel);
  const size_t moves = ga__ceil_div(2 * f->panel * cols, group);

  if (n == 0 || first == last)
    return;
  ga__launch_rounds(f->l, ga__times(steps, 2 * (moves + f->panel)));
  swap_groups(f, "factor_swap", ga__ceil_div(n, cols), group);
  ga__factor_arg(f, x);
  ga__launch_size(f->l, n);
  ga__launch_work_arg(f->l, p->work);
  ga__launch_size(f->l, p->each);
  ga__launch_size(f->l, first);
  ga__launch_size(f->l, last);
  ga__launch_int(f->l, back);
  ga__launch_size(f->l, but->first);
  ga__launch_size(f->l, but->n);
  ga__launch_size(f->l, but->solved);
}

static void swap_on_cpu(ga__factor *f, const ga__block *x, const ga__pivots *p,
                        size_t first, size_t last, int back) {
  const size_t units = gpucontext_caps(f->ctx)->compute_units;
  const size_t cols = ga__at_least(ga__ceil_div(x->n, 2 * units), CPU_COLUMNS);
  const size_t gs[2] = {ga__ceil_div(x->n, cols), f->batch};

  if (x->n == 0 || first == last)
    return;
  ga__launch_rounds(f->l, ga__times(last - first, ga__at_most(cols, x->n)));
  swap_kernel(f, "factor_swap", 2, gs);
  ga__factor_arg(f, x);
  ga__launch_size(f->l, x->n);
  ga__launch_work_arg(f->l, p->work);
  ga__launch_size(f->l, p->each);
  ga__launch_size(f->l, first);
  ga__launch_size(f->l, last);
  ga__launch_size(f->l, cols);
  ga__launch_int(f->l, back);
}

void ga__factor_swap(ga__factor *f, const ga__block *x, const ga__pivots *p,
                     size_t first, size_t last, int back) {
  if (f->is_cpu)
    swap_on_cpu(f, x, p, first, last, back);
  else
    swap_on_gpu(f, x, p, first, last, back, &(around){0});
}

/* Exchange rows of a by the pivots of a panel of n columns from j on, but not
 * in the panel itself. On GPUs `solved` columns behind it get rows of U. */
static void swap_around(ga__factor *f, const ga__block *a, const ga__pivots *p,
                        size_t j, size_t n, size_t solved) {
  const ga__block left = ga__block_part(a, 0, 0, a->m, j);
  const ga__block right = ga__block_part(a, 0, j + n, a->m, a->n - j - n);

  if (!f->is_cpu) {
    swap_on_gpu(f, a, p, j, j + n, 0, &(around){j, n, solved});
    return;
  }
  swap_on_cpu(f, &left, p, j, j + n, 0);
  swap_on_cpu(f, &right, p, j, j + n, 0);
}

void ga__factor_clamp(ga__factor *f, unsigned int work, size_t n, size_t rows) {
  swap_kernel(f, "factor_clamp", 1, &n);
  ga__launch_work_arg(f->l, work);
  ga__launch_int(f->l, (int32_t)rows);
}

/* The order of rows that pivots leave, in a workspace, [batch, m]. */
static unsigned int add_order(ga__factor *f, const ga__pivots *p, size_t m) {
  const size_t gs = f->batch, group = f->is_cpu ? 1 : swap_group(f);

  ga__launch_rounds(f->l, f->is_cpu ? m + p->each : p->each);
  if (f->is_cpu)
    swap_kernel(f, "factor_order", 1, &gs);
  else
    swap_groups(f, "factor_order", ga__ceil_div(m, group), group);
  const unsigned int order =
      ga__launch_work(f->l, ga__times(ga__times(f->batch, m), sizeof(int32_t)));
  ga__launch_size(f->l, m);
  ga__launch_work_arg(f->l, p->work);
  ga__launch_size(f->l, p->each);
  return order;
}

/* --- factors --- */

/* The matrix, and the workspaces of its panels. */
typedef struct work {
  ga__factor *f;
  const ga__block *a;
  ga__pivots p;
  unsigned int panel; /* on CPUs */
  size_t team;        /* most groups of a team, or 0 */
  unsigned int words; /* of teams */
} work;

static unsigned int work_arg(ga__factor *f, unsigned int at, size_t bytes,
                             int is_first) {
  if (is_first)
    return ga__launch_work(f->l, bytes);
  ga__launch_work_arg(f->l, at);
  return at;
}

/* --- teams of groups --- */

static size_t team_group(const ga__factor *f) {
  return ga__at_most(f->most, TEAM_GROUP);
}

/* Words of 64 bits of a list, in cl/factor_lu_team.cl. */
static size_t list_words(const work *w) {
  return w->f->panel * w->a->size / sizeof(uint32_t);
}

/* Words of a matrix: two lists of each group, which are written as vectors, and
 * a word for each panel. */
static size_t team_words(const work *w) {
  const size_t panels = ga__ceil_div(w->p.each, w->f->panel);

  return 2 * w->team * list_words(w) + ga__round_up(panels, 4);
}

/* The most groups that factor a panel together, which all have to run at the
 * same time, as a power of 2; or 0 if one group factors it. */
static size_t choose_team(const work *w) {
  const gpudevice_caps *caps = gpucontext_caps(w->f->ctx);

  if (caps->is_cpu || w->f->is_complex || !caps->chains || !caps->long_loops)
    return 0;
  const size_t group = team_group(w->f);
  const size_t groups = ga__ceil_div(w->a->m, group);
  const size_t team = ga__ceil_pow2(groups);
  const size_t local =
      (2 * group + team * (list_words(w) + 1)) * 2 * sizeof(uint32_t);

  return w->a->m * w->a->size > TEAM_BYTES && groups > 1 && team <= TEAM_MOST &&
                 local <= caps->declared_local_bytes &&
                 ga__times(groups, w->f->batch) <= caps->compute_units
             ? team
             : 0;
}

static int is_for_team(const work *w, size_t rows) {
  return w->team > 0 && rows * w->a->size > TEAM_BYTES;
}

static void team_kernel(const work *w, size_t rows) {
  const size_t group = team_group(w->f);
  const ga__macro macros[] = {
      {"G", group}, {"C", w->f->panel}, {"TEAM", w->team}};

  ga__factor_group_kernel(w->f, "factor_lu_team", "factor_lu",
                          ga__ceil_div(rows, group), group, 3, macros);
}

/* --- panels --- */

/* The layout of a panel that one group factors. Work-items with two rows are
 * faster than twice as many with one. */
static ga__panel choose_panel(const work *w, size_t rows) {
  ga__panel p = ga__factor_panel(w->f, w->a->m, rows, w->f->panel);

  if (p.group > ALONE_GROUP && p.rows == 1) {
    p.group /= 2;
    p.rows = ga__ceil_pow2(ga__ceil_div(rows, p.group));
  }
  return p;
}

static void memory_kernel(ga__factor *f, size_t group) {
  const ga__macro g = {"G", group};

  ga__factor_group_kernel(f, "factor_lu_tall", "factor_lu", 1, group, 1, &g);
}

/* The kernel of a panel of n columns on a GPU: by a team, by strips in
 * registers of a group, or in memory, as all complex ones are. */
static void panel_kernel(const work *w, const ga__block *panel) {
  ga__factor *f = w->f;
  const size_t rows = panel->m, n = panel->n;
  const ga__panel p = choose_panel(w, rows);
  const ga__macro macros[] = {{"G", p.group},
                              {"R", p.rows},
                              {"C", p.columns},
                              {"PB", f->panel},
                              {"UNIT", panel->rs == 1}};

  ga__launch_rounds(f->l, 4 * n * n * ga__ceil_div(rows, p.group));
  if (is_for_team(w, rows))
    team_kernel(w, rows);
  else if (!f->is_complex && p.rows > 0 && p.rows <= ALONE_ROWS)
    ga__factor_group_kernel(f, "factor_lu_gpu", "factor_lu", 1, p.group,
                            sizeof macros / sizeof *macros, macros);
  else
    memory_kernel(f, p.group);
}

static void add_panel(work *w, const ga__block *panel, size_t before) {
  ga__factor *f = w->f;
  const size_t ints = ga__times(f->batch, ga__at_least(w->p.each, 1));
  const size_t copy = ga__times(ga__times(f->batch, w->a->m), f->panel);

  if (w->team > 0 && before == 0)
    w->words = ga__launch_chain_slots(f->l, f->ctx,
                                      ga__times(f->batch, team_words(w)));
  if (f->is_cpu)
    ga__launch_rounds(f->l, ga__times(4 * panel->n, panel->m));
  if (!f->is_cpu)
    panel_kernel(w, panel);
  else if (f->is_complex)
    memory_kernel(f, 1);
  else
    ga__factor_kernel(f, "factor_lu", 1, 1, 0);
  ga__factor_arg(f, panel);
  ga__launch_size(f->l, panel->m);
  ga__launch_size(f->l, panel->n);
  ga__launch_size(f->l, before);
  w->p.work =
      work_arg(f, w->p.work, ga__times(ints, sizeof(int32_t)), before == 0);
  ga__launch_size(f->l, w->p.each);
  ga__factor_info_arg(f, before == 0);
  if (f->is_cpu && !f->is_complex)
    w->panel = work_arg(f, w->panel, ga__times(copy, w->a->size), before == 0);
  if (is_for_team(w, panel->m)) {
    ga__launch_work_arg(f->l, w->words);
    ga__launch_size(f->l, team_words(w));
  }
}

/* Factor columns [j, j + n) from row j on, exchange rows in the others, and
 * find those of U in the columns up to j + all. */
static void factor_panel(work *w, size_t j, size_t n, size_t all) {
  const ga__block *a = w->a;
  const ga__block panel = ga__block_part(a, j, j, a->m - j, n);
  const ga__block a11 = ga__block_part(a, j, j, n, n);
  const ga__block a12 = ga__block_part(a, j, j + n, n, all - n);

  add_panel(w, &panel, j);
  swap_around(w->f, a, &w->p, j, n, all - n);
  if (w->f->is_cpu)
    ga__factor_forward(w->f, &a11, &a12, 1);
}

/* Solve for the upper part of columns [j + first, j + n) by the factors in
 * columns [j, j + first), unless these are a panel, which did, and subtract the
 * product from the rest. */
static void update(work *w, size_t j, size_t first, size_t n) {
  const ga__block *a = w->a;
  const size_t i = j + first, below = a->m - i, rest = n - first;
  const ga__block a11 = ga__block_part(a, j, j, first, first);
  const ga__block a12 = ga__block_part(a, j, i, first, rest);
  const ga__block a21 = ga__block_part(a, i, j, below, first);
  const ga__block a22 = ga__block_part(a, i, i, below, rest);

  if (first > w->f->panel)
    ga__factor_forward(w->f, &a11, &a12, 1);
  ga__factor_product(w->f, &a21, &a12, &a22);
}

/* The columns that are factored first, of n columns that are more than a panel:
 * half of them, or on GPUs, if there are not too many, as many as a diagonal
 * block has, and of these a panel. That takes fewer kernels, and products that
 * read memory more often. */
static size_t first_columns(const ga__factor *f, size_t n) {
  const size_t width = f->panel;

  if (!f->is_cpu && n <= f->nb)
    return width;
  if (!f->is_cpu && f->nb % width == 0 && n <= WIDE * f->nb)
    return f->nb;
  return (ga__ceil_div(n, width) + 1) / 2 * width;
}

/* Factor columns [j, j + n), where n is at most the number of rows from j on,
 * and do to those up to j + all, and behind the last pivot to all, what factors
 * do. */
static void factor(work *w, size_t j, size_t n, size_t all) {
  const size_t panel = w->f->panel;

  if (n > panel) {
    const size_t first = first_columns(w->f, n);

    factor(w, j, first, first <= panel ? all : first);
    update(w, j, first, all);
    factor(w, j + first, n - first, all - first);
    return;
  }
  factor_panel(w, j, n, all);
}

ga__pivots ga__factor_lu(ga__factor *f, const ga__block *a) {
  const size_t each = ga__at_most(a->m, a->n);
  work w = {.f = f, .a = a, .p = {.each = each}};

  if (ga__factor_lu_is_small(f, a))
    return ga__factor_lu_small(f, a, a);
  if (ga__lapack_takes_lu(f, a))
    return ga__lapack_lu(f, a);
  w.team = each > 0 ? choose_team(&w) : 0;
  factor(&w, 0, each, a->n);
  return w.p;
}

/* --- arrays --- */

static int check(const ga__factor_array *o, int flags) {
  const GpuArray *const a = o[A].array;
  const size_t m = a->dimensions[a->nd - 2], n = a->dimensions[a->nd - 1];

  (void)flags;
  if (m > INT32_MAX || n > INT32_MAX)
    return ga__fail(GA_VALUE_ERROR, "a: %zu x %zu, at most %d each", m, n,
                    INT32_MAX);
  GA_TRY(ga__factor_check(&o[LU], &o[A], 1));
  GA_TRY(ga__factor_check_sizes(&o[LU], m, n));
  GA_TRY(ga__factor_check_apart(&o[LU], &o[A], 1));
  GA_TRY(ga__factor_check_ints(&o[PIVOTS], &o[A], 1, 1, ga__at_most(m, n)));
  GA_TRY(ga__factor_check_ints(&o[ORDER], &o[A], 1, 1, m));
  GA_TRY(ga__factor_check_ints(&o[INFO], &o[A], 1, 0, 0));
  for (unsigned int i = PIVOTS; i < SLOTS; i++)
    for (unsigned int k = 0; k < i; k++)
      GA_TRY(ga__factor_check_apart(&o[i], &o[k], 0));
  return GA_NO_ERROR;
}

/* Small matrices are read where they lie, others from a copy. */
static ga__pivots factor_from(ga__factor *f, const ga__factor_array *o,
                              const ga__block *lu) {
  if (ga__factor_is_plain(&o[A]) && ga__factor_lu_is_small(f, lu)) {
    const ga__block from = ga__factor_block(&o[A]);

    return ga__factor_lu_small(f, &from, lu);
  }
  ga__factor_fetch(f, lu, &o[LU], &o[A], GA_TRIANGLE_ALL);
  return ga__factor_lu(f, lu);
}

static void add(ga__factor *f, const ga__factor_array *o, int flags) {
  const ga__block lu = ga__factor_place_panels(f, &o[LU]);
  const double m = (double)lu.m, n = (double)lu.n, k = m < n ? m : n;

  (void)flags;
  const ga__pivots p = factor_from(f, o, &lu);
  ga__factor_store(f, &o[LU], &lu);
  ga__factor_store_ints(f, &o[PIVOTS], p.work, p.each, 1);
  if (o[ORDER].array != NULL && lu.m > 0)
    ga__factor_store_ints(f, &o[ORDER], add_order(f, &p, lu.m), lu.m, 1);
  ga__factor_store_ints(f, &o[INFO], f->info, 1, 0);
  ga__factor_cost(f, 2 * (double)f->batch * m * n * (double)lu.size,
                  (double)f->batch * k *
                      (2 * m * n - k * (m + n) + 2 * k * k / 3));
}

static int make(GpuArray *const *to, const ga__factor_array *o, int flags) {
  const GpuArray *const a = o[A].array;
  const unsigned int nd = a->nd;
  const size_t m = a->dimensions[nd - 2], n = a->dimensions[nd - 1];
  size_t dims[GA_ND_MAX];

  (void)flags;
  GA_TRY(ga__factor_make(to[LU], a, a->typecode, nd, a->dimensions));
  memcpy(dims, a->dimensions, nd * sizeof *dims);
  GA_TRY(ga__factor_make(to[ORDER], a, GA_INT, nd - 1, dims));
  dims[nd - 2] = ga__at_most(m, n);
  GA_TRY(ga__factor_make(to[PIVOTS], a, GA_INT, nd - 1, dims));
  return ga__factor_make(to[INFO], a, GA_INT, nd - 2, dims);
}

static const ga__factor_family family = {
    .name = "lu",
    .arrays = {"a", "lu", "pivots", "order", "info"},
    .n_in = LU,
    .n_slots = SLOTS,
    .needed = LU,
    .check = check,
    .make = make,
    .add = add};

int GpuArray_lu_prepare(GpuLaunch **out, GpuArray *lu, GpuArray *pivots,
                        GpuArray *order, GpuArray *info, const GpuArray *a) {
  return ga__factor_prepare(
      out, &family, (const GpuArray *[]){a, lu, pivots, order, info}, 0);
}

int GpuArray_lu(GpuArray *lu, GpuArray *pivots, GpuArray *order, GpuArray *info,
                const GpuArray *a) {
  return ga__factor_call(&family, &a, (GpuArray *[]){lu, pivots, order, info},
                         0);
}
