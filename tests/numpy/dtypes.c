/* SPDX-License-Identifier: BSD-2-Clause */
/* Common dtypes and weak scalars that NumPy judges. `common` is the documented
 * rule, in numpy_cases.py. NumPy 1 and 2 agree on what is drawn here. */
#include <stdio.h>

#include "numpy/draw.h"

static const int all_dtypes[] = {GA_BOOL,   GA_BYTE, GA_UBYTE, GA_SHORT,
                                 GA_USHORT, GA_INT,  GA_UINT,  GA_LONG,
                                 GA_ULONG,  GA_HALF, GA_FLOAT, GA_DOUBLE};

enum { N_DTYPES = 12, FIRST_INTEGER = 1, FIRST_FLOAT = 9 };

static gg_var *draw_one(draw *d, int first, int end) {
  const size_t n = 4;
  const int lacks_double = !gpucontext_caps(gg_graph_context(d->g))->fp64;

  if (end == N_DTYPES && lacks_double)
    end--;

  return draw_sized(d, all_dtypes[draw_int(d, first, end - 1)], 1, &n, 0, 9);
}

static gg_var *sum(draw *d) {
  gg_var *const x = draw_one(d, 0, N_DTYPES);
  gg_var *const y = draw_one(d, 0, N_DTYPES);

  draw_say(d, "(lambda t: x0.astype(t) + x1.astype(t))(common(x0.dtype, "
              "x1.dtype))");
  return gg_add(x, y);
}

/* A choice has the common dtype, bool among them. */
static gg_var *choice(draw *d) {
  gg_var *const x = draw_one(d, 0, N_DTYPES);
  gg_var *const y = draw_one(d, 0, N_DTYPES);

  draw_say(d, "np.where(x0 > x1, x0, x1).astype(bool if x0.dtype == x1.dtype "
              "== bool else common(x0.dtype, x1.dtype))");
  return gg_where(gg_gt(x, y), x, y);
}

/* --- weak scalars --- */

static gg_var *weak_real(draw *d) {
  gg_var *const x = draw_one(d, FIRST_FLOAT, N_DTYPES);
  const int backwards = (int)draw_int(d, 0, 1);
  gg_var *const tenth = gg_weak(d->g, 0.1);

  draw_say(d, backwards ? "0.1 - x0" : "x0 - 0.1");
  return backwards ? gg_sub(tenth, x) : gg_sub(x, tenth);
}

static gg_var *weak_whole(draw *d) {
  gg_var *const x = draw_one(d, 0, N_DTYPES);
  const int n = (int)draw_int(d, 0, 100);

  draw_say(d, "x0 * %d", n);
  return gg_mul(x, gg_weak_int(d->g, n));
}

static gg_var *weak_real_of_integers(draw *d) {
  gg_var *const x = draw_one(d, 0, FIRST_FLOAT);

  draw_say(d, "(x0 * 0.5).astype('f4')");
  return gg_mul(gg_weak(d->g, 0.5), x);
}

/* Beyond the range of the dtype. */
static gg_var *weak_comparison(draw *d) {
  static const double values[] = {-1e19, -129, -1, 0, 1, 300, 70000, 1e19};
  const size_t count = sizeof values / sizeof *values;
  const int dtype = all_dtypes[draw_int(d, FIRST_INTEGER, FIRST_FLOAT - 1)];
  const int n = (int)draw_int(d, 0, 1) ? -1 : 70000;
  gg_var *const x = draw_given(d, dtype, 1, &count, values);

  draw_say(d, "np.array([int(v) < %d for v in x0])", n);
  return gg_lt(x, gg_weak_int(d->g, n));
}

static gg_var *weak_choice(draw *d) {
  gg_var *const x = draw_one(d, FIRST_FLOAT, N_DTYPES);

  draw_say(d, "np.where(x0 > 4, x0, -1).astype(x0.dtype)");
  return gg_where(gg_gt(x, gg_weak_int(d->g, 4)), x, gg_weak(d->g, -1));
}

static gg_var *weak_clip(draw *d) {
  gg_var *const x = draw_one(d, FIRST_INTEGER, N_DTYPES);

  draw_say(d, "np.clip(x0, 2, 5)");
  return gg_clip(x, gg_weak_int(d->g, 2), gg_weak_int(d->g, 5));
}

static const numpy_case cases[] = {
    {"sum of two dtypes", .build = sum},
    {"choice of two dtypes", .build = choice},
    {"weak real scalar", .build = weak_real},
    {"weak whole scalar", .build = weak_whole, .is_exact = 1},
    {"weak real scalar of integers", .build = weak_real_of_integers},
    {"comparison with a weak scalar", .build = weak_comparison},
    {"choice with a weak scalar", .build = weak_choice, .is_exact = 1},
    {"clip by weak scalars", .build = weak_clip},
};

const numpy_table numpy_dtypes = {cases, sizeof cases / sizeof *cases};
