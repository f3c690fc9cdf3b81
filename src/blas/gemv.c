/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of a matrix and a vector on all devices. Their speed is that of
 * reading A. The kernels are cl/gemv_cpu.cl, cl/gemv_gpu.cl and
 * cl/gemv_join.cl.
 *
 * With few rows, the columns are cut into parts as well, whose sums a second
 * kernel or the last group adds. Cuts depend only on sizes and the device, so
 * results are reproducible. */
#include "blas/product_provider.h"

#include "base/arith.h"
#include "base/assert.h"
#include "base/dtype.h"

enum {
  CPU_SUMS = 1 << 14,   /* bytes of sums: half of a first cache level */
  CPU_LINE = 64,        /* bytes of a cache line */
  CPU_BLOCK = 8,        /* rows, or vectors of rows, with sums in registers */
  CPU_RUN = 1 << 17,    /* minimum of multiplications for a work-item */
  CPU_CACHED = 1 << 19, /* up to so many lanes, A may be read in tiles */
  GPU_UNROLL = 4,
  GPU_GROUPS = 4, /* per compute unit; twice as many for complex dtypes, whose
                     loads are half as long as four floats */
  GPU_LARGE = 1 << 23,  /* lanes of A from which memory bandwidth is the
                           limit */
  GPU_ITEM_COLUMNS = 16 /* minimum for a work-item, if columns are contiguous */
};

/* Groups on a GPU: work-items along A's unit stride, and teams of these. A
 * small product takes as long as its longest chain of loads; a large one is
 * limited by memory bandwidth, which is best with long lines. */
static const ga__product_group along_n = {64, 2}, along_m_small = {8, 32},
                               along_m_large = {32, 8}, along_none = {32, 8};

/* The layout of a product: `items` runs of `chunk` rows, and the cut of the
 * columns. The first run also sums x if there is an epilogue of the sum. */
typedef struct layout {
  int is_cpu;
  ga__gen_gemv gen;
  size_t chunk, items;
  ga__cut cut;
  int stream; /* on CPUs: A is read column by column */
} layout;

/* Cut the columns into at most `parts` runs, which are multiples of `step`. */
static void cut_columns(layout *lay, const ga__product *p, size_t parts,
                        size_t step) {
  lay->cut = ga__product_cut(p->k, parts, step);
  lay->gen.parts = lay->cut.parts > 1;
}

/* --- CPUs --- */

/* Nonzero if `items` runs of whole blocks would waste more than a fourth of the
 * work. */
static int is_uneven(size_t m, size_t items, size_t block) {
  const size_t chunk = ga__ceil_div(ga__ceil_div(m, items), block) * block;

  return chunk * items > m + m / 4;
}

/* Cut the rows if that gives even runs, else the columns. */
static void lay_out_cpu(layout *lay, const ga__product *p) {
  const size_t want = gpucontext_caps(p->ctx)->compute_units;
  const unsigned int lanes = ga__product_lanes(p->ctx, p->typecode);
  const size_t parts = ga__product_parts(p->typecode);
  const size_t work = p->m * p->k * parts * parts;
  const size_t useful = ga__at_most(want, ga__at_least(work / CPU_RUN, 1));
  const size_t size = ga__dtype_size(p->typecode);
  size_t block = (lay->gen.along == 2 ? lanes : CPU_BLOCK) / parts;

  lay->gen.lanes = lanes;
  lay->gen.rows =
      (unsigned int)(CPU_SUMS / ga__dtype_size(ga__dtype_work(p->typecode)));
  /* The kernel processes sums in blocks of CPU_BLOCK vectors. */
  GA_ASSERT(lay->gen.rows * parts % ((size_t)CPU_BLOCK * lanes) == 0);
  lay->gen.line =
      (unsigned int)ga__at_least(CPU_LINE / (lanes / parts * size), 1);
  lay->gen.x_unit =
      (lay->gen.along != 2 || lay->gen.sum) && (p->k <= 1 || p->b.rs == 1);
  lay->gen.y_unit = p->m <= 1 || p->c.rs == 1;
  if (is_uneven(p->m, useful, block))
    block = 1;
  const int by_rows = !is_uneven(p->m, useful, block);
  lay->items = by_rows ? useful : 1;
  lay->chunk =
      ga__at_least(ga__ceil_div(ga__ceil_div(p->m, lay->items), block), 1) *
      block;
  lay->items = ga__at_least(ga__ceil_div(p->m, lay->chunk), 1);
  lay->stream = p->m * p->k * parts > CPU_CACHED;
  cut_columns(lay, p, by_rows ? 1 : useful, (size_t)(2 * lanes) / parts);
}

/* --- GPUs --- */

/* Nonzero if aligned vectors of 4 elements can be read from A and, if these lie
 * along a row, from x. A complex number is a long load by itself. The distance
 * of lines counts only if there are two: plans for one line serve any. */
static int is_wide(const ga__product *p, int along) {
  const size_t bytes = 4 * ga__dtype_size(p->typecode);
  const size_t n_lines = along == 1 ? p->m : p->k;
  const ptrdiff_t apart = along == 1 ? p->a.rs : p->a.cs;

  if (along == 0 || ga__dtype_is_complex(p->typecode) ||
      p->a.off % bytes != 0 || (n_lines > 1 && apart % 4 != 0))
    return 0;
  if (along == 2)
    return p->m % 4 == 0;
  return p->k % 4 == 0 && p->b.rs == 1 && p->b.off % bytes == 0;
}

/* If columns of A are contiguous: adapt the group to few rows or few columns.
 * `each` is the elements of a load. */
static void fit_columns(ga__product_group *g, const ga__product *p,
                        unsigned int each) {
  if (each == 1 && g->width < 16)
    g->width = 16; /* nearly as long a line as with vectors */
  for (; g->teams > p->k && g->teams > 1; g->teams /= 2)
    g->width *= 2;
  while (g->width > 4 && (size_t)g->width / 2 * each >= p->m)
    g->width /= 2;
}

/* If rows of A are contiguous: adapt the group to rows shorter than its
 * width. */
static void fit_rows(ga__product_group *g, const ga__product *p,
                     unsigned int each) {
  for (; g->width > 4 && (size_t)g->width / 2 * each >= p->k; g->width /= 2)
    g->teams *= 2;
}

static ga__product_group choose_group(const ga__product *p,
                                      const ga__gen_gemv *gen) {
  const unsigned int each = gen->wide ? 4 : 1;
  const size_t sum = 4 * ga__dtype_size(ga__dtype_work(p->typecode));
  const size_t lanes = p->m * p->k * ga__product_parts(p->typecode);
  ga__product_group g = gen->along == 1      ? along_n
                        : gen->along == 0    ? along_none
                        : lanes >= GPU_LARGE ? along_m_large
                                             : along_m_small;

  if (gen->along == 2)
    fit_columns(&g, p, each);
  else
    fit_rows(&g, p, each);
  return ga__product_fit(p->ctx, g, sum);
}

/* Minimum of columns for a group. */
static size_t group_columns(const ga__gen_gemv *gen) {
  if (gen->along == 2)
    return (size_t)gen->teams * GPU_ITEM_COLUMNS;
  return (size_t)gen->width * gen->unroll * (gen->wide ? 4 : 1) * 4;
}

/* The best number of parts. */
static size_t gpu_parts(const layout *lay, const ga__product *p) {
  const size_t units = gpucontext_caps(p->ctx)->compute_units;
  const size_t each = ga__product_parts(p->typecode);

  return ga__at_most(units * GPU_GROUPS * each / lay->items,
                     ga__ceil_div(p->k, group_columns(&lay->gen)));
}

static void lay_out_gpu(layout *lay, const ga__product *p) {
  lay->gen.lanes = 1;
  lay->gen.unroll = GPU_UNROLL;
  lay->gen.tickets = ga__product_tickets(p->ctx);
  lay->gen.wide = is_wide(p, lay->gen.along);
  const ga__product_group g = choose_group(p, &lay->gen);
  lay->gen.width = g.width;
  lay->gen.teams = g.teams;
  lay->chunk = lay->gen.along == 2 ? lay->gen.width : lay->gen.teams;
  if (lay->gen.along == 2 && lay->gen.wide)
    lay->chunk *= 4; /* each work-item has 4 rows */
  lay->items = ga__at_least(ga__ceil_div(p->m, lay->chunk), 1);
  cut_columns(lay, p, gpu_parts(lay, p), 32);
}

/* Columns that a group computes in one iteration of its loop. */
static size_t round_columns(const ga__gen_gemv *gen) {
  const size_t step =
      gen->along == 2 ? gen->teams : (size_t)gen->width * (gen->wide ? 4 : 1);

  return step * gen->unroll;
}

/* Iterations of all loops of a work-item. */
static size_t rounds(const layout *lay) {
  const size_t sum =
      lay->gen.sum ? lay->cut.run / ((size_t)lay->gen.width * lay->gen.teams)
                   : 0;

  return lay->cut.run / round_columns(&lay->gen) + sum;
}

/* --- launches --- */

/* Nonzero if a second kernel adds up the parts. */
static int is_apart(const layout *lay) {
  return lay->gen.parts && lay->gen.tickets == GA_TICKETS_NONE;
}

/* Add the arguments for the cuts. Returns the index of the workspace with the
 * parts, or 0. */
static unsigned int add_parts(GpuLaunch *l, const ga__product *p,
                              const layout *lay) {
  const size_t bytes = (p->m + (size_t)lay->gen.sum) *
                       ga__dtype_size(ga__dtype_work(p->typecode));
  unsigned int work = 0;

  if (!lay->is_cpu)
    return ga__product_cut_args(l, &lay->cut, bytes,
                                is_apart(lay) ? 0 : lay->items);
  ga__launch_size(l, lay->chunk);
  ga__launch_size(l, lay->cut.run);
  ga__launch_int(l, lay->stream);
  if (lay->gen.parts)
    work = ga__launch_work(l, lay->cut.parts * bytes);
  else
    ga__launch_none(l);
  return work;
}

static void add_kernel(GpuLaunch *l, const ga__product *p, const layout *lay,
                       const ga__ending *end) {
  const size_t ls[2] = {lay->is_cpu ? 1 : lay->gen.width,
                        lay->is_cpu ? 1 : lay->gen.teams};
  const size_t gs[2] = {lay->items * ls[0], lay->cut.parts * ls[1]};
  const size_t four = 4 * ga__dtype_size(p->typecode);

  if (lay->gen.wide)
    ga__launch_require_align(l, p->a.slot, four);
  if (lay->gen.wide && lay->gen.along == 1)
    ga__launch_require_align(l, p->b.slot, four);
  if (!lay->is_cpu)
    ga__launch_rounds(l, rounds(lay));
  ga__ending_kernel(l, lay->is_cpu ? "gemv_cpu" : "gemv_gpu", "gemv",
                    GA_GEN_TEXT(ga__gen_gemv_text, lay->gen), end, 2, gs, ls);
}

/* The kernels store y as a row, as if the product were transposed. */
static ga__ending ending_of(const ga__product *p, unsigned int lanes) {
  ga__ending end = ga__product_ending(p, lanes);

  end.turned = !p->turned;
  return end;
}

/* Returns the index of the workspace with the parts, or 0. */
static unsigned int add_main(GpuLaunch *l, const ga__product *p,
                             const layout *lay) {
  ga__ending end = ending_of(p, lay->is_cpu ? lay->gen.lanes : 1);

  if (is_apart(lay))
    end.epilogue = NULL;
  add_kernel(l, p, lay, &end);
  ga__product_matrix(l, &p->a, 0);
  ga__product_vector(l, &p->b, p->b.rs);
  ga__product_vector(l, &p->c, p->c.rs);
  ga__launch_size(l, p->m);
  ga__launch_size(l, p->k);
  ga__product_scale(l, p);
  const unsigned int work = add_parts(l, p, lay);
  ga__ending_args(l, &end);
  return work;
}

void ga__gemv_join(GpuLaunch *l, const ga__product *p, unsigned int work,
                   size_t parts) {
  const unsigned int sum = ga__product_sums(p) != 0;
  const ga__gen_macros gen = {
      .typecode = p->typecode, .lanes = 1, .n = 1, .v = {{"SUM", sum}}};
  const size_t gs = p->m + sum;
  const ga__ending end = ending_of(p, 1);

  ga__ending_kernel(l, "gemv_join", "gemv_join",
                    GA_GEN_TEXT(ga__gen_macros_text, gen), &end, 1, &gs, NULL);
  ga__product_vector(l, &p->c, p->c.rs);
  ga__launch_size(l, p->m);
  ga__product_scale(l, p);
  ga__launch_size(l, parts);
  ga__launch_work_arg(l, work);
  ga__ending_args(l, &end);
}

static void add_steps(GpuLaunch *l, const ga__product *p, int is_cpu) {
  layout lay = {.is_cpu = is_cpu,
                .gen = {.typecode = p->typecode, .sum = ga__product_sums(p)}};

  lay.gen.along = ga__product_unit(&p->a, p->m, p->k);
  /* Reads beyond the last row rely on the order of columns. */
  if (lay.gen.along == 2 && p->a.cs < 1 && p->k > 1)
    lay.gen.along = 0;
  if (is_cpu)
    lay_out_cpu(&lay, p);
  else
    lay_out_gpu(&lay, p);
  const unsigned int work = add_main(l, p, &lay);
  if (is_apart(&lay))
    ga__gemv_join(l, p, work, lay.cut.parts);
}

static int wants_cpu(const ga__product *p) {
  return gpucontext_caps(p->ctx)->is_cpu;
}

static void add_cpu(GpuLaunch *l, const ga__product *p) {
  add_steps(l, p, 1);
}

static void add_gpu(GpuLaunch *l, const ga__product *p) {
  add_steps(l, p, 0);
}

const ga__provider ga__gemv_cpu = {.wants = wants_cpu, .add = add_cpu};
const ga__provider ga__gemv_gpu = {.add = add_gpu};
