/* SPDX-License-Identifier: BSD-2-Clause */
/* Products on NVIDIA's tensor cores: tile sizes and layouts. The kernels are
 * cl/gemm_wgmma.cl, cl/hgemm_mma.cl, cl/dgemm_mma.cl and cl/gemm_align.cl. */
#include "blas/mma_join.h"
#include "blas/mma_trust.h"
#include "blas/mma_window.h"
#include "blas/product_provider.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"

enum {
  BAND = 8, /* groups that run together and share blocks */
  COPY_ITEMS = 128,
  TRIES = 8, /* tests of a family that may run out of memory */
  MOST_PARTS = 128,
  MIN_STEPS = 4,         /* minimum of blocks along k for a part */
  MOST_BYTES = 64 << 20, /* of the sums of more than one part */
  SMALL_TILE = 64 * 64,
  JOIN_NS = 3500,   /* of a kernel that adds up parts, */
  JOIN_BYTES = 1900 /* written and read in a nanosecond */
};

/* A group computes bm x bn elements of C in steps of bk along k, a warp wm x wn
 * of them. `speed` is what a compute unit reaches, in any unit; a group begins
 * and ends in the time of `ends` further elements of k. These were measured on
 * an H200; `ends` only for half, of which floats have half and others 0. There
 * the unit is PER_NS multiplications with their additions in a nanosecond. */
typedef struct tile {
  unsigned int bm, bn, bk, stages, wm, wn, speed, ends;
} tile;

/* The first tile of a family needs the most of a device. */
enum { TILES = 4, PER_NS = 4 };
static const tile wgmma_tiles[TILES] = {
    {128, 256, 64, 4, 64, 256, 778, 500},
    {128, 128, 64, 3, 64, 128, 634, 300},
    {64, 128, 64, 3, 64, 128, 440, 200},
    {64, 64, 64, 4, 64, 64, 340, 200},
};
static const tile wgmma_float_tiles[TILES] = {
    {128, 256, 32, 4, 64, 256, 778, 250},
    {128, 128, 32, 3, 64, 128, 634, 150},
    {64, 128, 32, 3, 64, 128, 440, 100},
    {64, 64, 32, 4, 64, 64, 340, 100},
};
static const tile hgemm_tiles[TILES] = {
    {128, 256, 32, 3, 64, 64, 368, 0},
    {128, 128, 32, 3, 64, 64, 280, 0},
    {128, 64, 32, 4, 64, 32, 196, 0},
    {64, 64, 32, 6, 32, 32, 146, 0},
};
static const tile dgemm_tiles[TILES] = {
    {128, 128, 16, 3, 32, 64, 500, 0},
    {128, 64, 16, 4, 32, 32, 430, 0},
    {64, 128, 16, 3, 32, 32, 380, 0},
    {64, 64, 16, 3, 32, 32, 310, 0},
};

/* Kernels for a dtype. */
typedef struct family {
  int typecode;
  const char *name, *ptx_target;
  const tile *tiles;
} family;

/* The fastest family of a dtype comes first. */
static const family families[] = {
    {GA_HALF, "gemm_wgmma", "sm_90a", wgmma_tiles},
    {GA_HALF, "hgemm_mma", NULL, hgemm_tiles},
    {GA_BFLOAT, "gemm_wgmma", "sm_90a", wgmma_tiles},
    {GA_BFLOAT, "hgemm_mma", NULL, hgemm_tiles},
    {GA_FLOAT, "gemm_wgmma", "sm_90a", wgmma_float_tiles},
    {GA_DOUBLE, "dgemm_mma", NULL, dgemm_tiles},
};
enum { N_FAMILIES = sizeof families / sizeof families[0] };

/* Work-items of a group. On sm_90a, four warps compute one wm x wn part. */
static unsigned int items(const family *f, const tile *t) {
  return t->bm / t->wm * (t->bn / t->wn) * (f->ptx_target != NULL ? 128 : 32);
}

/* How a product is computed. */
typedef struct layout {
  const family *f;
  const tile *t;
  ga__cut cut; /* its parts are 0 if the kernel stores C, without a join */
} layout;

/* Nanoseconds that a product takes in `parts` parts; 0: without a join. */
static double time_of(const tile *t, const ga__product *p, size_t parts) {
  const size_t n = ga__at_least(parts, 1);
  const double each =
      (double)ga__ceil_div(ga__product_busy_groups(p, t->bm, t->bn) * n,
                           gpucontext_caps(p->ctx)->compute_units);
  /* A group of the smallest tile alone leaves half of its unit idle. */
  const double rounds =
      parts > 0 && t->bm * t->bn <= SMALL_TILE ? fmax(each, 2) : each;
  const double join =
      JOIN_NS + 2 * (double)ga__mma_sum_bytes(p, n) / JOIN_BYTES;
  const double k = (double)ga__ceil_div(p->k, n) + t->ends;

  return rounds * t->bm * t->bn * k / t->speed / PER_NS +
         (parts > 0 ? join : 0);
}

/* Nonzero if `parts` parts are worth a try. */
static int may_cut(const tile *t, const ga__product *p, size_t parts) {
  const size_t bytes = ga__mma_sum_bytes(p, parts);

  return parts <= MOST_PARTS && p->k >= parts * t->bk * MIN_STEPS &&
         bytes <= MOST_BYTES && bytes <= ga__product_wish(p->ctx).workspace;
}

/* Choose the tile and the parts with the least time. Only products whose sums
 * run over positions of a window have parts, at least one: their results are
 * few, and their C may have any strides. */
static layout choose(const family *f, const ga__product *p) {
  const gpudevice_caps *caps = gpucontext_caps(p->ctx);
  layout lay = {.f = f, .t = &f->tiles[TILES - 1]};
  const size_t first = p->window != NULL && !p->window->p_last ? 1 : 0;
  double least = HUGE_VAL;
  size_t best = first;

  for (unsigned int i = 0; i < TILES; i++) {
    const tile *t = &f->tiles[i];

    for (size_t n = first; n == first || (first > 0 && may_cut(t, p, n)); n++) {
      const double time = time_of(t, p, n);

      if (time < least && items(f, t) <= caps->max_group) {
        least = time;
        lay.t = t;
        best = n;
      }
    }
  }
  if (best > 0)
    lay.cut = ga__product_cut(p->k, best, lay.t->bk);
  return lay;
}

/* --- layouts --- */

/* As ga__product_unit, but 0 if lines of the operand cannot be copied to local
 * memory in aligned units. */
static int native_unit(const ga__product *p, const ga__product_operand *o,
                       size_t rows, size_t cols) {
  const int unit = ga__product_unit(o, rows, cols);
  const ptrdiff_t other = unit == 1 ? o->rs : o->cs;
  const size_t lines = unit == 1 ? rows : cols;
  const ptrdiff_t by = (ptrdiff_t)ga__mma_unit(p);

  if (unit == 0 || o->off % GA_MMA_ALIGN != 0 || o->rel % GA_MMA_ALIGN != 0)
    return 0;
  if (lines > 1 && (other < 0 || other % by != 0))
    return 0;
  return p->batch <= 1 || o->bs % by == 0 ? unit : 0;
}

/* An operand as the product's kernel reads it: itself, or a copy. */
typedef struct input {
  const ga__product_operand *of;
  size_t rows, cols;
  int unit; /* 1 or 2 */
  int copied;
  unsigned int work; /* the workspace with the copy */
  size_t ld, copies;
} input;

/* Decide whether an operand must be copied. `want` is the unit that the kernel
 * needs, or 0 for any. */
static input look_at(const ga__product *p, const ga__product_operand *o,
                     size_t rows, size_t cols, int want) {
  input in = {.of = o, .rows = rows, .cols = cols};

  in.unit = native_unit(p, o, rows, cols);
  if (p->k == 0) { /* nothing is read */
    in.unit = want != 0 ? want : 1;
    return in;
  }
  if (in.unit != 0 && (want == 0 || in.unit == want))
    return in;
  in.copied = 1;
  in.unit = want != 0 ? want : ga__product_unit(o, rows, cols) == 2 ? 2 : 1;
  in.ld = ga__ceil_div(in.unit == 1 ? cols : rows, ga__mma_unit(p)) *
          ga__mma_unit(p);
  in.copies = o->bs == 0 ? 1 : p->batch;
  return in;
}

static void copy(GpuLaunch *l, gpucontext *ctx, input *in, int typecode) {
  const ga__product_operand *o = in->of;
  const size_t lines = in->unit == 1 ? in->rows : in->cols;
  const size_t length = in->unit == 1 ? in->cols : in->rows;
  const size_t ls[2] = {COPY_ITEMS, 1};
  const size_t gs[2] = {ga__ceil_div(length, COPY_ITEMS) * COPY_ITEMS * lines,
                        in->copies};

  ga__product_kernel(ctx, l, typecode, "gemm_align", "gemm_align",
                     GA_GEN_TEXT(ga__gen_gemm_align_text, typecode), 2, gs, ls);
  ga__launch_slot(l, o->slot);
  ga__launch_offset(l, o->slot, (size_t)o->rel);
  ga__launch_ssize(l, in->unit == 1 ? o->rs : o->cs);
  ga__launch_ssize(l, in->unit == 1 ? o->cs : o->rs);
  ga__launch_ssize(l, o->bs);
  ga__launch_size(l, lines);
  ga__launch_size(l, length);
  ga__launch_size(l, in->ld);
  in->work = ga__launch_work(
      l, ga__times(ga__times(in->copies, lines),
                   ga__times(in->ld, ga__dtype_size(typecode))));
}

/* Add the arguments of an operand, or of its copy. */
static void input_args(GpuLaunch *l, const input *in) {
  const size_t lines = in->unit == 1 ? in->rows : in->cols;
  const ptrdiff_t ld = (ptrdiff_t)in->ld;

  if (!in->copied) {
    ga__product_matrix(l, in->of, 1);
    if (in->rows > 0 && in->cols > 0)
      ga__launch_require_align(l, in->of->slot, GA_MMA_ALIGN);
    return;
  }
  ga__launch_work_arg(l, in->work);
  ga__launch_size(l, 0);
  ga__launch_ssize(l, in->unit == 1 ? ld : 1);
  ga__launch_ssize(l, in->unit == 1 ? 1 : ld);
  ga__launch_ssize(l, in->copies > 1 ? ld * (ptrdiff_t)lines : 0);
}

/* --- launching --- */

static int has_family(const ga__product *p) {
  if (p->part != GA_PART_ALL && p->typecode != GA_DOUBLE)
    return 0;
  if (p->typecode == GA_FLOAT)
    return ga__product_wish(p->ctx).tf32;
  return ga__dtype_is_narrow(p->typecode) || p->typecode == GA_DOUBLE;
}

static int takes(const ga__product *given) {
  const gpudevice_caps *caps = gpucontext_caps(given->ctx);
  ga__product p = *given;
  size_t least = GA_MMA_MIN_SIZE;

  if (!caps->ptx || !has_family(&p))
    return 0;
  if (p.window != NULL)
    return ga__mma_takes_window(&p);
  if (ga__product_unit(&p.c, p.m, p.n) == 0)
    return 0;
  ga__product_turn(&p);
  const int a = native_unit(&p, &p.a, p.m, p.k);
  const int b = native_unit(&p, &p.b, p.k, p.n);
  if (a == 0 || b == 0)
    least = GA_MMA_MIN_COPIED_SIZE;
  return p.m >= least && p.n >= least && p.k >= least;
}

/* Nonzero if doubles are read from local memory in pairs: for tiles that leave
 * enough registers, if A is stored by columns and B by rows. */
static int is_wide(const family *f, const tile *t, int a_unit, int b_unit) {
  return f->typecode == GA_DOUBLE && t != &f->tiles[0] && a_unit == 2 &&
         b_unit == 1;
}

/* C_PAIRS of cl/dgemm_mma.cl: 1 if pairs along a row of C are stored at once, 2
 * along a column, 0 for none. */
static unsigned int pairs_of(const ga__product *p, int wide) {
  const size_t pair = 2 * ga__dtype_size(p->typecode);
  const int along_n = p->c.cs == 1, along_m = wide && p->c.rs == 1;
  const ptrdiff_t other = along_n ? p->c.rs : p->c.cs;

  if (p->epilogue != NULL || p->c.off % pair != 0 ||
      p->c.rel % (ptrdiff_t)pair != 0 || p->c.bs % 2 != 0 || other % 2 != 0)
    return 0;
  return along_n ? 1 : along_m ? 2 : 0;
}

/* Nonzero if vectors of neighbours in a row of C are aligned. */
static int is_aligned(const ga__product *p) {
  const size_t bytes = GA_GEN_MMA_LANES * ga__dtype_size(p->typecode);

  return p->epilogue == NULL && p->c.cs == 1 && p->c.off % bytes == 0 &&
         p->c.rel % (ptrdiff_t)bytes == 0 && ga__mma_rows_aligned(p) &&
         (p->batch <= 1 || p->c.bs % GA_GEN_MMA_LANES == 0);
}

/* Add the kernel of the product. */
static void multiply(GpuLaunch *l, const ga__product *p, const layout *lay,
                     const input *a, const input *b) {
  const family *f = lay->f;
  const tile *t = lay->t;
  const size_t size = ga__dtype_size(p->typecode);
  const int is_double = p->typecode == GA_DOUBLE;
  const size_t ls[3] = {items(f, t), 1, 1};
  const size_t gs[3] = {ga__ceil_div(p->n, t->bn) * ls[0],
                        ga__ceil_div(p->m, t->bm),
                        p->batch * ga__at_least(lay->cut.parts, 1)};
  ga__gen_gemm_mma gen = {.typecode = p->typecode,
                          .bm = t->bm,
                          .bn = t->bn,
                          .bk = t->bk,
                          .wm = t->wm,
                          .wn = t->wn,
                          .stages = t->stages,
                          .band = BAND,
                          .a_unit = a->unit,
                          .b_unit = 3 - b->unit,
                          .triangle = (int)p->part,
                          .parts = lay->cut.parts > 0};
  ga__ending end = ga__product_ending(p, is_double ? 1 : GA_GEN_MMA_LANES);

  end.ptx_target = f->ptx_target;
  gen.edges = p->m % t->bm != 0 || p->n % t->bn != 0 || p->k % t->bk != 0;
  gen.wide = is_wide(f, t, gen.a_unit, gen.b_unit);
  gen.c_digits = ga__mma_has_digits(p);
  gen.c_pairs = is_double ? pairs_of(p, gen.wide) : 0;
  gen.c_aligned = !is_double && is_aligned(p);
  if (gen.c_pairs || gen.c_aligned)
    ga__launch_require_align(l, p->c.slot,
                             (gen.c_pairs ? 2 : GA_GEN_MMA_LANES) * size);
  ga__ending_kernel(l, f->name, "gemm",
                    GA_GEN_TEXT(f->ptx_target != NULL ? ga__gen_gemm_wgmma_text
                                                      : ga__gen_gemm_mma_text,
                                gen),
                    &end, 3, gs, ls);
  input_args(l, a);
  input_args(l, b);
  ga__product_matrix(l, &p->c, 1);
  ga__product_sizes(l, p);
  if (lay->cut.parts > 0) {
    ga__launch_size(l, lay->cut.run);
    ga__launch_size(l, lay->cut.parts);
  }
  if (p->window != NULL)
    ga__window_args(l, p->window);
  ga__ending_args(l, &end);
}

static void add_steps(GpuLaunch *l, const ga__product *p, const layout *lay) {
  /* For floats, the instructions only take lines along k. */
  const int along_k = lay->f->typecode == GA_FLOAT;
  const input window = {.of = &p->a,
                        .rows = p->m,
                        .cols = p->k,
                        .unit = p->window != NULL && p->window->p_last ? 1 : 2};
  input a = p->window != NULL ? window
                              : look_at(p, &p->a, p->m, p->k, along_k ? 1 : 0);
  input b = look_at(p, &p->b, p->k, p->n, along_k ? 2 : 0);

  if (a.copied)
    copy(l, p->ctx, &a, p->typecode);
  if (b.copied)
    copy(l, p->ctx, &b, p->typecode);
  multiply(l, p, lay, &a, &b);
}

/* Store parts of the sums as matrices of floats, and add them up. `p` is the
 * transposed product of `given`. */
static void add_parts(GpuLaunch *l, const ga__product *given,
                      const ga__product *p, const layout *lay) {
  const size_t ld = ga__round_up(p->n, GA_GEN_MMA_LANES);
  const size_t each = ga__times(p->m, ld);
  const size_t n = ga__times(p->batch, lay->cut.parts);
  ga__product q = *p;

  q.epilogue = NULL;
  q.c = (ga__product_operand){
      .slot =
          ga__launch_own_slot(l, ga__times(ga__times(n, each), sizeof(float))),
      .rs = (ptrdiff_t)ld,
      .cs = 1,
      .bs = (ptrdiff_t)each};
  add_steps(l, &q, lay);
  ga__mma_join(l, given, &q.c, lay->cut.parts);
}

/* --- trusted families --- */

static void add_largest(GpuLaunch *l, const ga__product *p, const void *which) {
  const family *f = which;

  add_steps(l, p, &(layout){.f = f, .t = &f->tiles[0]});
}

static const family *find_trusted(gpucontext *ctx, int typecode) {
  for (int i = 0; i < N_FAMILIES; i++) {
    if (families[i].typecode == typecode &&
        ga__mma_is_trusted(ctx, typecode, &families[i], add_largest))
      return &families[i];
  }
  return NULL;
}

int ga__gemm_mma_trusted(gpucontext *ctx, int typecode) {
  return find_trusted(ctx, typecode) != NULL;
}

/* --- the product --- */

/* With doubles in rows in both A and B, the transposed product can read
 * pairs. */
static int is_better_transposed(const ga__product *p, const family *f,
                                const tile *t) {
  return is_wide(f, t, 2, 1) && native_unit(p, &p->a, p->m, p->k) == 1 &&
         native_unit(p, &p->b, p->k, p->n) == 1;
}

static void add(GpuLaunch *l, const ga__product *given) {
  const family *f = find_trusted(given->ctx, given->typecode);
  ga__product p = *given;

  if (f == NULL) {
    ga__launch_error(l, ga__fail(GA_DEVSUP_ERROR, "no tensor cores for %s",
                                 ga__dtype_name(p.typecode)));
    return;
  }
  if (p.window != NULL)
    ga__product_transpose(&p); /* now A is read through it */
  else
    ga__product_turn(&p);
  layout lay = choose(f, &p);
  if (p.window == NULL && is_better_transposed(&p, f, lay.t)) {
    ga__product_transpose(&p);
    lay = choose(f, &p);
  }
  if (lay.cut.parts > 0)
    add_parts(l, given, &p, &lay);
  else
    add_steps(l, &p, &lay);
}

/* Where tensor cores passed the test, unless the user requests CLBlast. */
static int wants(const ga__product *p) {
  return takes(p) && ga__product_wish(p->ctx).who != GA_WISH_CLBLAST &&
         ga__gemm_mma_trusted(p->ctx, p->typecode);
}

const ga__provider ga__gemm_mma = {.takes = takes, .wants = wants, .add = add};
