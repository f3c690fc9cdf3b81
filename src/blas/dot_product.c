/* SPDX-License-Identifier: BSD-2-Clause */
/* Inner products. The kernels are cl/dot.cl and, for a sum in parts,
 * cl/gemv_join.cl. */
#include "blas/product_provider.h"

#include "base/arith.h"
#include "base/dtype.h"

enum {
  CPU_RUN = 1 << 14, /* minimum of real elements, or parts, for a work-item */
  GPU_GROUP = 128,
  GPU_LANES = 4,     /* of its loads */
  GPU_RUN = 1 << 13, /* minimum of these for a group */
  GPU_GROUPS = 8,    /* per compute unit */
  VECTORS = 4        /* that a work-item sums in an iteration */
};

static size_t group_of(const gpudevice_caps *caps) {
  size_t group = caps->is_cpu ? 1 : GPU_GROUP;

  while (group > caps->max_group)
    group /= 2;
  return group;
}

/* The best number of parts. */
static size_t most_parts(const ga__product *p) {
  const gpudevice_caps *caps = gpucontext_caps(p->ctx);
  const size_t parts = ga__product_parts(p->typecode);

  if (caps->is_cpu)
    return ga__at_most(caps->compute_units, p->k / (CPU_RUN / parts) + 1);
  return ga__at_most((size_t)GPU_GROUPS * caps->compute_units,
                     p->k / (GPU_RUN / parts) + 1);
}

/* Add up the parts as a product with one row, an alpha of 1 and a beta of 0. */
static void join(GpuLaunch *l, const ga__product *p, unsigned int work,
                 size_t parts) {
  ga__product row = *p;

  row.alpha = (ga_complex){1, 0};
  row.beta = (ga_complex){0, 0};
  ga__gemv_join(l, &row, work, parts);
}

static void add(GpuLaunch *l, const ga__product *p) {
  const gpudevice_caps *caps = gpucontext_caps(p->ctx);
  const unsigned int lanes =
      caps->is_cpu ? ga__product_lanes(p->ctx, p->typecode) : GPU_LANES;
  const unsigned int vector = p->k <= 1 || (p->a.cs == 1 && p->b.rs == 1);
  const size_t group = group_of(caps);
  const size_t each = ga__product_parts(p->typecode);
  /* A complex vector has half as many elements, and needs two sums. */
  const size_t step = group * lanes * VECTORS / (each * each);
  const ga__cut cut = ga__product_cut(p->k, most_parts(p), step);
  const size_t gs = cut.parts * group;
  const ga__gen_macros gen = {
      .typecode = p->typecode,
      .lanes = lanes,
      .n = 3,
      .v = {{"VECTOR", vector}, {"GROUP", group}, {"LAST", cut.parts == 1}}};
  const size_t size = ga__dtype_size(ga__dtype_work(p->typecode));

  ga__launch_rounds(l, cut.run / (vector ? step : group));
  ga__product_kernel(p->ctx, l, p->typecode, "dot", "dot_sum",
                     GA_GEN_TEXT(ga__gen_macros_text, gen), 1, &gs, &group);
  ga__product_vector(l, &p->a, p->a.cs);
  ga__product_vector(l, &p->b, p->b.rs);
  ga__launch_slot(l, p->c.slot);
  ga__launch_offset(l, p->c.slot, 0);
  ga__launch_size(l, p->k);
  ga__product_sign(l, p->typecode, p->conj_a);
  ga__launch_size(l, cut.run);
  if (cut.parts == 1)
    ga__launch_none(l);
  else
    join(l, p, ga__launch_work(l, cut.parts * size), cut.parts);
}

const ga__provider ga__dot_own = {.add = add};
