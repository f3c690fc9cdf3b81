/* SPDX-License-Identifier: BSD-2-Clause */
/* Outer products and inner products of complex vectors. The kernels are
 * cl/ger_complex.cl, cl/dot_complex.cl and, for the second step of a long inner
 * product, cl/gemv_complex_join.cl. */
#include "blas/product_complex.h"

#include "base/arith.h"
#include "base/dtype.h"

enum {
  CPU_RUN = 1 << 13, /* numbers that are worth a work-item of their own */
  DOT_GROUP = 128,
  GPU_LANES = 4,
  DOT_RUN = 1 << 12
};

static size_t work_items(gpucontext *ctx, size_t numbers) {
  return ga__at_most(gpucontext_caps(ctx)->compute_units,
                     numbers / CPU_RUN + 1);
}

/* --- ger --- */

void ga__cger_step(GpuLaunch *l, const ga__ger *g) {
  const int serial = gpucontext_caps(g->ctx)->is_cpu;
  const int vector = serial && (g->n <= 1 || g->y.rs == 1) &&
                     ga__product_unit(&g->a, g->m, g->n) == 1;
  const size_t items = work_items(g->ctx, g->m * g->n);
  const size_t chunk = ga__ceil_div(g->m, ga__at_most(items, g->m));
  const size_t gs[2] = {serial ? ga__ceil_div(g->m, chunk) : g->n,
                        serial ? 1 : g->m};
  const ga__macro macros[] = {{"SERIAL", (unsigned int)serial},
                              {"VECTOR", (unsigned int)vector}};

  ga__complex_kernel(l, "ger_complex", "ger", g->typecode,
                     ga__complex_lanes(g->ctx, g->typecode), 2, macros, 2, gs,
                     NULL);
  ga__product_vector(l, &g->x);
  ga__product_vector(l, &g->y);
  ga__product_matrix(l, &g->a, 0);
  ga__launch_size(l, g->m);
  ga__launch_size(l, g->n);
  ga__complex_factor(l, g->typecode, g->alpha);
  ga__complex_sign(l, g->typecode, g->conj_x);
  ga__complex_sign(l, g->typecode, g->conj_y);
  ga__launch_size(l, chunk);
}

/* --- dot --- */

static size_t dot_group(gpucontext *ctx) {
  const gpudevice_caps *caps = gpucontext_caps(ctx);
  size_t group = caps->is_cpu ? 1 : DOT_GROUP;

  while (group > caps->max_group)
    group /= 2;
  return group;
}

static void add_join(GpuLaunch *l, const ga__dot *g, unsigned int lanes,
                     unsigned int work, size_t parts) {
  const size_t m = 1;

  ga__complex_kernel(l, "gemv_complex_join", "gemv_join", g->typecode, lanes, 0,
                     NULL, 1, &m, NULL);
  ga__launch_work_arg(l, work);
  ga__launch_size(l, parts);
  ga__product_vector(l, &g->z);
  ga__launch_size(l, m);
  ga__complex_factor(l, g->typecode, (ga_complex){1, 0});
  ga__complex_factor(l, g->typecode, (ga_complex){0, 0});
}

void ga__cdot_steps(GpuLaunch *l, const ga__dot *g) {
  const gpudevice_caps *caps = gpucontext_caps(g->ctx);
  const size_t group = dot_group(g->ctx);
  const unsigned int lanes =
      caps->is_cpu ? ga__complex_lanes(g->ctx, g->typecode) : GPU_LANES;
  const size_t want =
      caps->is_cpu
          ? work_items(g->ctx, g->n)
          : ga__at_most((size_t)8 * caps->compute_units, g->n / DOT_RUN + 1);
  const size_t step = group * lanes;
  const size_t run =
      (ga__ceil_div(ga__ceil_div(g->n, want), step) + (g->n == 0)) * step;
  const size_t parts = g->n == 0 ? 1 : ga__ceil_div(g->n, run);
  const size_t gs = parts * group;
  const int vector = g->n <= 1 || (g->x.rs == 1 && g->y.rs == 1);
  const ga__macro macros[] = {{"VECTOR", (unsigned int)vector},
                              {"GROUP", (unsigned int)group},
                              {"LAST", parts == 1}};

  ga__launch_rounds(l, run / (vector ? step : group));
  ga__complex_kernel(l, "dot_complex", "dot_sum", g->typecode, lanes, 3, macros,
                     1, &gs, &group);
  ga__product_vector(l, &g->x);
  ga__product_vector(l, &g->y);
  ga__launch_slot(l, g->z.slot);
  ga__launch_offset(l, g->z.slot, 0);
  ga__launch_size(l, g->n);
  ga__complex_sign(l, g->typecode, g->conj_x);
  ga__launch_size(l, run);
  unsigned int work = ga__launch_work(l, parts * ga__dtype_size(g->typecode));
  if (parts > 1)
    add_join(l, g, lanes, work, parts);
}
