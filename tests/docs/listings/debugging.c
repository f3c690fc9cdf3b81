/* SPDX-License-Identifier: BSD-2-Clause */
/* The listings of docs/debugging.md. */
#include "listings.h"
#include <gpuarray/index_guard.h>
#include <gpuarray/timeline.h>
#include <gpugraph/monitor.h>
#include <math.h>

static gg_var *(my_layer)(gg_var *x, double factor) {
  return gg_tanh(gg_mul(x, gg_weak(gg_var_graph(x), factor)));
}

#include "1.h"

/* The greatest element of a small array of floats. */
static double greatest(const GpuArray *a) {
  float values[16];
  double result = -HUGE_VAL;

  check(GpuArray_read(values, 4 * sizeof(float), a));
  for (int i = 0; i < 4; i++)
    result = values[i] > result ? values[i] : result;
  return result;
}

#include "2.h"

static void watch(gg_func *f) {
  static double limit = 10;
#include "3.h"
}

static void record(gg_func *f, GpuArray **in, GpuArray **out, FILE *file) {
#include "5.h"
}

static void guard(gpucontext *ctx) {
#include "4.h"
}

static void look(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  GpuArray a = filled(ctx, GA_FLOAT, 1, SIZES(4)), y = {0};
  FILE *file = tmpfile();
  gg_func *f;

  guard(ctx);
  check(gg_func_new(&f, g,
                    &(gg_func_spec){.inputs = GG_VARS(x),
                                    .outputs = GG_VARS(my_layer(x, 2))}));
  watch(f);
  if (file == NULL)
    exit(1);
  record(f, (GpuArray *[]){&a}, (GpuArray *[]){&y}, file);
  fclose(file);
  gg_func_free(f);
  GpuArray_clear(&y);
  GpuArray_clear(&a);
  gg_graph_free(g);
}

LISTINGS_MAIN(look)
