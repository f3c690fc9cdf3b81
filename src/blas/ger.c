/* SPDX-License-Identifier: BSD-2-Clause */
/* Outer products. The kernel is cl/ger.cl. */
#include "blas/product_provider.h"

#include "base/arith.h"

enum {
  CPU_RUN = 1 << 14 /* minimum of real elements, or parts, for a work-item */
};

static void add(GpuLaunch *l, const ga__product *given) {
  ga__product p = *given;

  ga__product_turn(&p);
  const gpudevice_caps *caps = gpucontext_caps(p.ctx);
  const unsigned int serial = caps->is_cpu != 0;
  const unsigned int vector = serial && (p.n <= 1 || p.b.cs == 1) &&
                              ga__product_unit(&p.c, p.m, p.n) == 1;
  const size_t run = CPU_RUN / ga__product_parts(p.typecode);
  const size_t items = ga__at_most(caps->compute_units, p.m * p.n / run + 1);
  const size_t chunk = ga__ceil_div(p.m, ga__at_most(items, p.m));
  const size_t gs[2] = {serial ? ga__ceil_div(p.m, chunk) : p.n,
                        serial ? 1 : p.m};
  const ga__gen_macros gen = {
      .typecode = p.typecode,
      .lanes = serial ? ga__product_lanes(p.ctx, p.typecode) : 1,
      .n = 2,
      .v = {{"SERIAL", serial}, {"VECTOR", vector}}};

  ga__product_kernel(p.ctx, l, p.typecode, "ger", "ger",
                     GA_GEN_TEXT(ga__gen_macros_text, gen), 2, gs, NULL);
  ga__product_vector(l, &p.a, p.a.rs);
  ga__product_vector(l, &p.b, p.b.cs);
  ga__product_matrix(l, &p.c, 0);
  ga__launch_size(l, p.m);
  ga__launch_size(l, p.n);
  ga__product_factor(l, p.typecode, p.alpha);
  ga__product_signs(l, &p);
  ga__launch_size(l, chunk);
}

const ga__provider ga__ger_own = {.add = add};
