/* SPDX-License-Identifier: BSD-2-Clause */
/* Outer products and inner products. The kernels of real ones are cl/ger.cl,
 * cl/dot.cl and, for the second step of a long inner product, cl/gemv_join.cl;
 * complex ones have steps of their own in ger_complex.c. */
#include "blas/product_complex.h"

#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_gemm.h"

enum {
  CPU_RUN = 1 << 14, /* elements that are worth a work-item of their own */
  DOT_GROUP = 128,
  DOT_LANES = 4, /* of a GPU's loads */
  DOT_RUN = 1 << 13
};

static size_t work_items(gpucontext *ctx, size_t elements) {
  return ga__at_most(gpucontext_caps(ctx)->compute_units,
                     elements / CPU_RUN + 1);
}

/* --- ger --- */

/* A with its rows along the unit stride, if it has one. */
static void turn(ga__ger *g) {
  ga__ger was = *g;

  if (ga__product_unit(&g->a, g->m, g->n) != 2)
    return;
  g->m = was.n;
  g->n = was.m;
  g->conj_x = was.conj_y;
  g->conj_y = was.conj_x;
  g->x = was.y;
  g->y = was.x;
  g->a.rs = was.a.cs;
  g->a.cs = was.a.rs;
}

static void add_ger(GpuLaunch *l, const ga__ger *g) {
  const int serial = gpucontext_caps(g->ctx)->is_cpu;
  const int vector = serial && (g->n <= 1 || g->y.rs == 1) &&
                     ga__product_unit(&g->a, g->m, g->n) == 1;
  const size_t items = work_items(g->ctx, g->m * g->n);
  const size_t chunk = ga__ceil_div(g->m, ga__at_most(items, g->m));
  const size_t gs[2] = {serial ? ga__ceil_div(g->m, chunk) : g->n,
                        serial ? 1 : g->m};
  ga__strb defines = GA_STRB_INIT;

  ga__gen_ger_text(&defines, g->typecode,
                   serial ? ga__product_lanes(g->ctx, g->typecode) : 1, serial,
                   vector);
  ga__product_kernel(l, "ger", "ger", &defines, 2, gs, NULL);
  ga__strb_clear(&defines);
  ga__product_vector(l, &g->x);
  ga__product_vector(l, &g->y);
  ga__product_matrix(l, &g->a, 0);
  ga__launch_size(l, g->m);
  ga__launch_size(l, g->n);
  ga__product_scalar(l, g->typecode, g->alpha.re);
  ga__launch_size(l, chunk);
}

int ga__ger_prepare(GpuLaunch **out, const ga__ger *g) {
  const double m = (double)g->m, n = (double)g->n;
  const int is_complex = ga__dtype_is_complex(g->typecode);
  ga__ger p = *g;

  *out = NULL;
  GA_TRY(ga__product_support(g->ctx, g->typecode));
  GpuLaunch *l = ga__product_open(p.ctx, "ger", &p.x, &p.y, &p.a, NULL);
  ga__launch_cost(l, (double)ga__dtype_size(p.typecode) * (2 * m * n + m + n),
                  (is_complex ? 8 : 2) * m * n);
  if (p.m > 0 && p.n > 0 && !ga__complex_is_zero(p.alpha)) {
    turn(&p);
    if (is_complex)
      ga__cger_step(l, &p);
    else
      add_ger(l, &p);
  }
  return ga__launch_seal(out, l);
}

/* --- dot --- */

static size_t dot_group(gpucontext *ctx) {
  const gpudevice_caps *caps = gpucontext_caps(ctx);
  size_t group = caps->is_cpu ? 1 : DOT_GROUP;

  while (group > caps->max_group)
    group /= 2;
  return group;
}

static void add_dot(GpuLaunch *l, const ga__dot *g) {
  const gpudevice_caps *caps = gpucontext_caps(g->ctx);
  const size_t group = dot_group(g->ctx);
  const unsigned int lanes =
      caps->is_cpu ? ga__product_lanes(g->ctx, g->typecode) : DOT_LANES;
  const size_t want =
      caps->is_cpu
          ? work_items(g->ctx, g->n)
          : ga__at_most((size_t)8 * caps->compute_units, g->n / DOT_RUN + 1);
  const size_t step = group * lanes * 4;
  const size_t run =
      (ga__ceil_div(ga__ceil_div(g->n, want), step) + (g->n == 0)) * step;
  const size_t parts = g->n == 0 ? 1 : ga__ceil_div(g->n, run);
  const size_t gs = parts * group, m = 1;
  const ga__ending end = {.ctx = g->ctx, .typecode = g->typecode, .lanes = 1};
  const int vector = g->n <= 1 || (g->x.rs == 1 && g->y.rs == 1);
  ga__strb defines = GA_STRB_INIT;
  unsigned int work = 0;

  ga__gen_dot_text(&defines, g->typecode, lanes, vector, (unsigned int)group,
                   parts == 1);
  ga__launch_rounds(l, run / (vector ? step : group));
  ga__product_kernel(l, "dot", "dot_sum", &defines, 1, &gs, &group);
  ga__product_vector(l, &g->x);
  ga__product_vector(l, &g->y);
  ga__launch_slot(l, g->z.slot);
  ga__launch_offset(l, g->z.slot, 0);
  ga__launch_size(l, g->n);
  ga__launch_size(l, run);
  if (parts == 1) {
    ga__launch_none(l);
  } else {
    work =
        ga__launch_work(l, parts * ga__dtype_size(ga__dtype_work(g->typecode)));
    ga__strb_reset(&defines);
    ga__gen_join_text(&defines, g->typecode, 0);
    ga__ending_kernel(l, "gemv_join", "gemv_join", &defines, &end, 1, &m, NULL);
    ga__launch_work_arg(l, work);
    ga__launch_size(l, parts);
    ga__product_vector(l, &g->z);
    ga__launch_size(l, m);
    ga__product_scalar(l, g->typecode, 1);
    ga__product_factor(l, g->typecode, 0);
  }
  ga__strb_clear(&defines);
}

int ga__dot_prepare(GpuLaunch **out, const ga__dot *g) {
  const double n = (double)g->n;
  const int is_complex = ga__dtype_is_complex(g->typecode);

  *out = NULL;
  GA_TRY(ga__product_support(g->ctx, g->typecode));
  GpuLaunch *l = ga__product_open(g->ctx, "dot", &g->x, &g->y, &g->z, NULL);
  ga__launch_cost(l, (double)ga__dtype_size(g->typecode) * (2 * n + 1),
                  (is_complex ? 8 : 2) * n);
  if (is_complex)
    ga__cdot_steps(l, g);
  else
    add_dot(l, g);
  return ga__launch_seal(out, l);
}
