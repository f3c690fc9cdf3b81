/* SPDX-License-Identifier: BSD-2-Clause */
/* What the products share: arguments, units, lanes, kernels of templates. */
#include "blas/product.h"

#include <math.h>

#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/template.h"

int ga__complex_is_zero(ga_complex v) {
  return v.re == 0 && v.im == 0;
}

int ga__product_support(gpucontext *ctx, int typecode) {
  if ((typecode == GA_DOUBLE || typecode == GA_CDOUBLE) &&
      !gpucontext_caps(ctx)->fp64)
    return ga__fail(GA_DEVSUP_ERROR, "the device has no doubles");
  return GA_NO_ERROR;
}

void ga__product_kernel(GpuLaunch *l, const char *name, const char *entry,
                        ga__strb *defines, unsigned int nd, const size_t *gs,
                        const size_t *ls) {
  const char *parts[2] = {ga__strb_text(defines), ga__template(name)};
  ga__source src = {.n = 2, .parts = parts, .entry = entry};

  if (defines->err != GA_NO_ERROR)
    ga__launch_error(l, ga__fail_nomem());
  else if (parts[1] == NULL)
    ga__launch_error(l, ga__fail(GA_IMPL_ERROR, "no template %s", name));
  else
    ga__launch_kernel(l, &src, nd, gs, ls);
}

static void bind(GpuLaunch *l, const ga__operand *o) {
  GpuArray a = {.data = o->buf, .offset = o->off};

  if (o->buf != NULL)
    ga__launch_bind_array(l, o->slot, &a);
}

GpuLaunch *ga__product_open(gpucontext *ctx, const char *label,
                            const ga__operand *a, const ga__operand *b,
                            const ga__operand *c, const ga__epilogue *e) {
  GpuLaunch *l =
      ga__launch_open(ctx, label, GA_EPILOGUE_SLOT + ga__epilogue_count(e));

  bind(l, a);
  bind(l, b);
  bind(l, c);
  ga__epilogue_bind(l, e);
  return l;
}

void ga__product_drop(ga_complex *alpha, size_t *k) {
  if (ga__complex_is_zero(*alpha))
    *k = 0;
  if (*k == 0)
    *alpha = (ga_complex){0, 0};
}

/* Buffer and byte offset. */
static void add_place(GpuLaunch *l, const ga__operand *o) {
  if (o->slot == GA_NO_SLOT) {
    ga__launch_none(l);
    ga__launch_size(l, 0);
    return;
  }
  ga__launch_slot(l, o->slot);
  ga__launch_offset(l, o->slot, 0);
}

void ga__product_matrix(GpuLaunch *l, const ga__operand *o, int with_batch) {
  add_place(l, o);
  ga__launch_ssize(l, o->rs);
  ga__launch_ssize(l, o->cs);
  if (with_batch)
    ga__launch_ssize(l, o->bs);
}

void ga__product_vector(GpuLaunch *l, const ga__operand *o) {
  add_place(l, o);
  ga__launch_ssize(l, o->rs);
}

void ga__product_scalar(GpuLaunch *l, int typecode, double v) {
  float f = (float)v;

  if (typecode == GA_DOUBLE)
    ga__launch_value(l, -1, sizeof v, &v);
  else
    ga__launch_value(l, -1, sizeof f, &f);
}

void ga__product_factor(GpuLaunch *l, int typecode, double v) {
  const double high = typecode == GA_DOUBLE ? v : (double)(float)v;

  ga__product_scalar(l, typecode, v);
  ga__product_scalar(l, typecode, isfinite(high) ? v - high : 0);
}

int ga__product_unit(const ga__operand *o, size_t rows, size_t cols) {
  if (cols <= 1 || o->cs == 1)
    return 1;
  return rows <= 1 || o->rs == 1 ? 2 : 0;
}

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

  if (typecode == GA_DOUBLE)
    lanes /= 2;
  return lanes >= 16 ? 16 : lanes >= 8 ? 8 : 4;
}
