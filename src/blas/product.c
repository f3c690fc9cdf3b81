/* SPDX-License-Identifier: BSD-2-Clause */
/* What products have in common: descriptions, kernels with their arguments,
 * cuts, groups and lanes. */
#include "blas/product.h"

#include <math.h>

#include "base/arith.h"
#include "base/assert.h"
#include "base/dtype.h"
#include "codegen/template.h"

const char ga__product_forms[GA_ROUTINES][4] = {
    [GA_ROUTINE_GEMM] = "mmm",
    [GA_ROUTINE_GEMV] = "mcc",
    [GA_ROUTINE_GER] = "crm",
    [GA_ROUTINE_DOT] = "rcc",
};

/* --- descriptions --- */

int ga__complex_is_zero(ga_complex v) {
  return v.re == 0 && v.im == 0;
}

int ga__product_support(gpucontext *ctx, int typecode) {
  if ((typecode == GA_DOUBLE || typecode == GA_CDOUBLE) &&
      !gpucontext_caps(ctx)->fp64)
    return ga__fail(GA_DEVSUP_ERROR, "the device has no doubles");
  return GA_NO_ERROR;
}

void ga__product_drop(ga__product *p) {
  if (p->routine == GA_ROUTINE_GER || p->routine == GA_ROUTINE_DOT)
    return;
  if (ga__complex_is_zero(p->alpha))
    p->k = 0;
  if (p->k == 0)
    p->alpha = (ga_complex){0, 0};
}

static ga__product_operand transposed(const ga__product_operand *o) {
  ga__product_operand t = *o;

  t.rs = o->cs;
  t.cs = o->rs;
  return t;
}

void ga__product_transpose(ga__product *p) {
  const ga__product was = *p;

  p->turned = !was.turned;
  p->m = was.n;
  p->n = was.m;
  p->conj_a = was.conj_b;
  p->conj_b = was.conj_a;
  p->a = transposed(&was.b);
  p->b = transposed(&was.a);
  p->c = transposed(&was.c);
  if (was.part != GA_PART_ALL)
    p->part = was.part == GA_PART_LOWER ? GA_PART_UPPER : GA_PART_LOWER;
}

void ga__product_turn(ga__product *p) {
  if (ga__product_unit(&p->c, p->m, p->n) == 2)
    ga__product_transpose(p);
}

int ga__product_unit(const ga__product_operand *o, size_t rows, size_t cols) {
  if (cols <= 1 || o->cs == 1)
    return 1;
  return rows <= 1 || o->rs == 1 ? 2 : 0;
}

size_t ga__product_busy_groups(const ga__product *p, size_t bm, size_t bn) {
  const int is_upper = p->part == GA_PART_UPPER;
  const size_t b = is_upper ? bn : bm, other = is_upper ? bm : bn;
  const size_t lines = ga__ceil_div(is_upper ? p->n : p->m, b);
  const size_t each = ga__ceil_div(is_upper ? p->m : p->n, other);
  size_t busy = 0;

  if (p->part == GA_PART_ALL)
    return lines * each * p->batch;
  /* Those of a line of groups up to the last one on the diagonal. */
  for (size_t i = 0; i < lines; i++)
    busy += ga__at_most(each, ((i + 1) * b - 1) / other + 1);
  return busy * p->batch;
}

int ga__product_has_lines(const ga__product *p, unsigned int lanes) {
  return p->window->c[3] == 1 && p->window->j[3] % lanes == 0;
}

int ga__product_lines_aligned(const ga__product *p, unsigned int lanes) {
  const size_t bytes = lanes * ga__dtype_size(p->typecode);
  const ptrdiff_t *c = p->window->c, step = (ptrdiff_t)lanes;

  return p->c.off % bytes == 0 && p->c.rel % (ptrdiff_t)bytes == 0 &&
         p->c.rs % step == 0 && (p->batch <= 1 || p->c.bs % step == 0) &&
         c[0] % step == 0 && c[1] % step == 0 && c[2] % step == 0;
}

int ga__product_sums(const ga__product *p) {
  return p->epilogue != NULL && p->epilogue->sum != NULL;
}

/* --- launches --- */

static void bind(GpuLaunch *l, const ga__product_operand *o) {
  GpuArray a = {.data = o->buf, .offset = o->off};

  if (o->buf != NULL)
    ga__launch_bind_array(l, o->slot, &a);
}

static void add_cost(GpuLaunch *l, const ga__product *p) {
  const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
  const double c_times =
      p->routine == GA_ROUTINE_GER || !ga__complex_is_zero(p->beta) ? 2 : 1;
  const double flops = ga__dtype_is_complex(p->typecode) ? 8 : 2;
  const double bytes = (double)ga__dtype_size(p->typecode);

  ga__launch_cost(l,
                  (double)p->batch * bytes * (m * k + k * n + c_times * m * n),
                  (double)p->batch * flops * m * n * k);
}

GpuLaunch *ga__product_open(const ga__product *p) {
  static const char *const labels[GA_ROUTINES] = {[GA_ROUTINE_GEMM] = "gemm",
                                                  [GA_ROUTINE_GEMV] = "gemv",
                                                  [GA_ROUTINE_GER] = "ger",
                                                  [GA_ROUTINE_DOT] = "dot"};
  GpuLaunch *l =
      ga__launch_open(p->ctx, labels[p->routine],
                      GA_EPILOGUE_SLOT + ga__epilogue_count(p->epilogue));

  bind(l, &p->a);
  bind(l, &p->b);
  bind(l, &p->c);
  ga__epilogue_bind(l, p->epilogue);
  add_cost(l, p);
  return l;
}

void ga__product_kernel(gpucontext *ctx, GpuLaunch *l, int typecode,
                        const char *name, const char *entry,
                        const ga__gen_text *defines, unsigned int nd,
                        const size_t *gs, const size_t *ls) {
  const ga__ending none = {.ctx = ctx, .typecode = typecode, .is_none = 1};

  ga__ending_kernel(l, name, entry, defines, &none, nd, gs, ls);
}

ga__ending ga__product_ending(const ga__product *p, unsigned int lanes) {
  return (ga__ending){.ctx = p->ctx,
                      .epilogue = p->epilogue,
                      .turned = p->turned,
                      .typecode = p->typecode,
                      .lanes = lanes,
                      .window = p->window};
}

/* --- kernel arguments --- */

/* Buffer and offset in bytes. */
static void add_place(GpuLaunch *l, const ga__product_operand *o) {
  if (o->slot == GA_NO_SLOT) {
    ga__launch_none(l);
    ga__launch_size(l, 0);
    return;
  }
  ga__launch_slot(l, o->slot);
  ga__launch_offset(l, o->slot, (size_t)o->rel);
}

void ga__product_matrix(GpuLaunch *l, const ga__product_operand *o,
                        int with_batch) {
  add_place(l, o);
  ga__launch_ssize(l, o->rs);
  ga__launch_ssize(l, o->cs);
  if (with_batch)
    ga__launch_ssize(l, o->bs);
}

void ga__product_vector(GpuLaunch *l, const ga__product_operand *o,
                        ptrdiff_t stride) {
  add_place(l, o);
  ga__launch_ssize(l, stride);
}

void ga__product_factor(GpuLaunch *l, int typecode, ga_complex v) {
  const double d[2] = {v.re, v.im};
  const float f[2] = {(float)v.re, (float)v.im};
  const unsigned int parts = ga__product_parts(typecode);

  if (typecode == GA_DOUBLE || typecode == GA_CDOUBLE)
    ga__launch_value(l, -1, parts * sizeof *d, d);
  else
    ga__launch_value(l, -1, parts * sizeof *f, f);
}

/* The rounding error of a part of a factor, 0 if it rounds to infinity or
 * NaN. */
static double low_of(const ga__product *p, double v) {
  const int is_double = p->typecode == GA_DOUBLE || p->typecode == GA_CDOUBLE;
  const double high = is_double ? v : (double)(float)v;

  return isfinite(high) ? v - high : 0;
}

void ga__product_scale(GpuLaunch *l, const ga__product *p) {
  ga__product_factor(l, p->typecode, p->alpha);
  ga__product_factor(l, p->typecode, p->beta);
  ga__product_factor(
      l, p->typecode,
      (ga_complex){low_of(p, p->beta.re), low_of(p, p->beta.im)});
  ga__product_signs(l, p);
}

void ga__product_sign(GpuLaunch *l, int typecode, int conj) {
  if (ga__dtype_is_complex(typecode))
    ga__product_factor(l, ga__complex_part(typecode),
                       (ga_complex){conj ? -1 : 1, 0});
}

void ga__product_signs(GpuLaunch *l, const ga__product *p) {
  ga__product_sign(l, p->typecode, p->conj_a);
  ga__product_sign(l, p->typecode, p->conj_b);
}

void ga__product_sizes(GpuLaunch *l, const ga__product *p) {
  ga__launch_size(l, p->m);
  ga__launch_size(l, p->n);
  ga__launch_size(l, p->k);
  ga__product_scale(l, p);
}

/* --- sums in parts --- */

ga__cut ga__product_cut(size_t k, size_t parts, size_t step) {
  const size_t run =
      ga__ceil_div(ga__ceil_div(k, ga__at_least(parts, 1)), step) * step;

  const ga__cut cut = {.run = run, .parts = run > 0 ? ga__ceil_div(k, run) : 1};

  GA_ASSERT(step > 0 && cut.parts >= 1 && (k == 0 || cut.run >= 1));
  GA_ASSERT(cut.parts <= ga__at_least(parts, 1) &&
            ga__times(cut.parts, run) >= k);
  return cut;
}

unsigned int ga__product_cut_args(GpuLaunch *l, const ga__cut *cut,
                                  size_t bytes, size_t tickets) {
  unsigned int work = 0;

  ga__launch_size(l, cut->run);
  ga__launch_size(l, cut->parts);
  if (cut->parts > 1)
    work = ga__launch_work(l, ga__times(cut->parts, bytes));
  else
    ga__launch_none(l);
  if (cut->parts > 1 && tickets > 0)
    ga__launch_zeros(l, tickets * sizeof(uint32_t));
  else
    ga__launch_none(l);
  return work;
}

/* --- devices --- */

static int fits(const gpudevice_caps *caps, const ga__product_group *g,
                size_t item_bytes) {
  const size_t items = (size_t)g->width * g->teams;

  return items <= caps->max_group && g->width <= caps->max_items[0] &&
         g->teams <= caps->max_items[1] &&
         items * item_bytes <= caps->local_bytes;
}

ga__product_group ga__product_fit(gpucontext *ctx, ga__product_group group,
                                  size_t item_bytes) {
  const gpudevice_caps *caps = gpucontext_caps(ctx);

  while (!fits(caps, &group, item_bytes) && group.width > 1) {
    if (group.teams > 1)
      group.teams /= 2;
    else
      group.width /= 2;
  }
  GA_ASSERT(group.width >= 1 && group.teams >= 1);
  return group;
}

ga__gen_tickets ga__product_tickets(gpucontext *ctx) {
  const gpudevice_caps *caps = gpucontext_caps(ctx);

  return caps->ptx      ? GA_TICKETS_PTX
         : caps->is_cpu ? GA_TICKETS_CPU
                        : GA_TICKETS_NONE;
}

unsigned int ga__product_lanes(gpucontext *ctx, int typecode) {
  unsigned int lanes = gpucontext_caps(ctx)->vector_float;

  if (typecode == GA_DOUBLE || typecode == GA_CDOUBLE)
    lanes /= 2;
  return lanes >= 16 ? 16 : lanes >= 8 ? 8 : 4;
}

unsigned int ga__product_parts(int typecode) {
  return ga__dtype_is_complex(typecode) ? 2 : 1;
}

int ga__complex_part(int typecode) {
  return typecode == GA_CDOUBLE ? GA_DOUBLE : GA_FLOAT;
}
