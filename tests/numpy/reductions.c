/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions that NumPy judges, of few different values with NaN among them. */
#include "numpy/draw.h"

typedef struct reduction {
  gg_reduction op;
  const char *name;
} reduction;

static gg_var *reduce(draw *d, gg_var *x, const reduction *r) {
  const int keep = (int)draw_int(d, 0, 1);
  char text[64];
  int axes[3];
  const unsigned int n = draw_axes(d, axes, text);

  draw_say(d, "np.%s(x0, axis=%s, keepdims=%d > 0)", r->name, text, keep);
  return gg_reduce(r->op, x, n, axes, keep);
}

static gg_var *sum(draw *d) {
  static const reduction all[] = {{GG_SUM, "sum"}, {GG_PROD, "prod"}};

  return reduce(d, draw_few_any(d, ANY, 3), &all[draw_int(d, 0, 1)]);
}

static gg_var *any(draw *d) {
  static const reduction all[] = {{GG_ANY_OF, "any"}, {GG_ALL_OF, "all"}};

  return reduce(d, draw_few_any(d, ANY, 3), &all[draw_int(d, 0, 1)]);
}

/* With elements: NumPy refuses extrema of none. */
static gg_var *draw_elements(draw *d) {
  static const int dtypes[] = {GA_FLOAT, GA_INT, GA_UBYTE, GA_BOOL};
  const unsigned int nd = (unsigned int)draw_int(d, 1, 3);
  size_t dims[3];

  for (unsigned int i = 0; i < nd; i++)
    dims[i] = (size_t)draw_int(d, 1, 5);
  return draw_few(d, dtypes[draw_int(d, 0, 3)], nd, dims);
}

static gg_var *extremum(draw *d) {
  static const reduction all[] = {{GG_MAX, "max"}, {GG_MIN, "min"}};

  return reduce(d, draw_elements(d), &all[draw_int(d, 0, 1)]);
}

static gg_var *position(draw *d) {
  gg_var *const x = draw_elements(d);
  const int is_max = (int)draw_int(d, 0, 1), keep = (int)draw_int(d, 0, 1),
            axis = draw_axis(d, 0);

  draw_say(d, "np.arg%s(x0, %d, keepdims=%d > 0)", is_max ? "max" : "min", axis,
           keep);
  return gg_reduce(is_max ? GG_ARGMAX : GG_ARGMIN, x, 1, &axis, keep);
}

static const numpy_case cases[] = {
    {"sum and prod", .build = sum},
    {"any and all", .build = any},
    {"max and min", .build = extremum},
    {"argmax and argmin", .build = position},
};

const numpy_table numpy_reductions = {cases, sizeof cases / sizeof *cases};
