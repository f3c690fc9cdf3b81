/* SPDX-License-Identifier: BSD-2-Clause */
/* Gather and scatter that NumPy judges. */
#include "numpy/draw.h"

/* Sizes of x, and of indices that have them too except along an axis. */
typedef struct places {
  unsigned int nd;
  int axis;
  size_t dims[3], at[3];
  gg_var *x, *index;
} places;

static int draw_type(draw *d) {
  static const int dtypes[] = {GA_FLOAT, GA_INT, GA_DOUBLE, GA_SHORT};

  return dtypes[draw_int(d, 0, 3)];
}

/* Positions along an axis of `rows`, from either end. */
static gg_var *draw_indices(draw *d, unsigned int nd, const size_t *dims,
                            size_t rows) {
  static const int dtypes[] = {GA_BYTE, GA_INT, GA_LONG, GA_SHORT};

  return draw_sized(d, dtypes[draw_int(d, 0, 3)], nd, dims, -(double)rows,
                    (double)rows);
}

/* Draw x0 and x1. */
static void draw_places(draw *d, places *p) {
  p->nd = (unsigned int)draw_int(d, 1, 3);
  p->axis = (int)draw_int(d, 0, (int64_t)p->nd - 1);
  for (unsigned int i = 0; i < p->nd; i++)
    p->dims[i] = p->at[i] = (size_t)draw_int(d, 1, 5);
  p->at[p->axis] = (size_t)draw_int(d, 0, 7);
  p->x = draw_sized(d, draw_type(d), p->nd, p->dims, -9, 9);
  p->index = draw_indices(d, p->nd, p->at, p->dims[p->axis]);
}

static gg_var *take_along(draw *d) {
  places p;

  draw_places(d, &p);
  draw_say(d, "np.take_along_axis(x0, x1.astype(int), %d)", p.axis);
  return gg_take_along(p.x, p.axis - (draw_int(d, 0, 1) ? (int)p.nd : 0),
                       p.index);
}

/* In the kernel of a map, with indices that a map computes. */
static gg_var *take_fused(draw *d) {
  places p;

  draw_places(d, &p);
  draw_say(d, "np.abs(np.take_along_axis(x0, -1 - x1.astype(int), %d))",
           p.axis);
  return gg_abs(gg_take_along(
      p.x, p.axis, gg_sub(gg_i64(d->g, -1), gg_cast(p.index, GA_LONG))));
}

/* The indices and x repeat along one axis each. */
static gg_var *take_broadcast(draw *d) {
  const size_t dims[3] = {4, 1, 3}, at[3] = {5, 2, 1};
  gg_var *const x = draw_sized(d, draw_type(d), 3, dims, -9, 9);
  const int64_t x_dims[3] = {-1, 1, -1}, i_dims[3] = {-1, -1, 1};
  gg_var *const index = draw_indices(d, 3, at, 4);

  draw_say(d, "np.take_along_axis(x0, x1.astype(int), 0)");
  return gg_take_along(gg_specify_shape(x, x_dims), 0,
                       gg_specify_shape(index, i_dims));
}

static const char *const functions[] = {[GG_PUT_ADD] = "add",
                                        [GG_PUT_MUL] = "multiply",
                                        [GG_PUT_MAX] = "maximum",
                                        [GG_PUT_MIN] = "minimum"};

static gg_var *put_along(draw *d) {
  const gg_put_op how = (gg_put_op)draw_int(d, GG_PUT_SET, GG_PUT_MIN);
  places p;

  draw_places(d, &p);
  gg_var *const v = draw_sized(d, gg_var_type(p.x)->dtype, p.nd, p.at, -2, 3);
  if (how == GG_PUT_SET)
    draw_say(d,
             "(lambda y: (np.put_along_axis(y, x1.astype(int), x2, %d), "
             "y)[1])(x0.copy())",
             p.axis);
  else
    draw_say(d,
             "(lambda y, k: (np.%s.at(y, tuple(k[:%d]) + (x1.astype(int),) + "
             "tuple(k[%d:]), x2), y)[1])(x0.copy(), np.indices(x1.shape))",
             functions[how], p.axis, p.axis + 1);
  return gg_put_along(p.x, p.axis, p.index, v, how);
}

/* Draw x0 and x1, a vector of positions along an axis. */
static void draw_rows(draw *d, places *p, size_t *n) {
  p->nd = (unsigned int)draw_int(d, 1, 3);
  p->axis = (int)draw_int(d, 0, (int64_t)p->nd - 1);
  *n = (size_t)draw_int(d, 0, 7);
  for (unsigned int i = 0; i < p->nd; i++)
    p->dims[i] = p->at[i] = (size_t)draw_int(d, (int)i != p->axis ? 0 : 1, 5);
  p->at[p->axis] = *n;
  p->x = draw_sized(d, draw_type(d), p->nd, p->dims, -9, 9);
  p->index = draw_indices(d, 1, n, p->dims[p->axis]);
}

static gg_var *take(draw *d) {
  places p;
  size_t n;

  draw_rows(d, &p, &n);
  draw_say(d, "np.take(x0, x1.astype(int), %d)", p.axis);
  return gg_take_axis(p.x, p.axis - (draw_int(d, 0, 1) ? (int)p.nd : 0),
                      p.index);
}

/* Values for all positions, or for one of them, which broadcast. */
static gg_var *put_with(draw *d) {
  const gg_put_op how = (gg_put_op)draw_int(d, GG_PUT_SET, GG_PUT_MIN);
  const unsigned int skip = draw_int(d, 0, 2) == 0;
  places p;
  size_t n;

  draw_rows(d, &p, &n);
  const unsigned int from = skip ? (unsigned int)p.axis + 1 : 0;
  gg_var *const v =
      draw_sized(d, gg_var_type(p.x)->dtype, p.nd - from, p.at + from, -2, 3);
  draw_say(d, "(lambda y, k: (");
  if (how == GG_PUT_SET)
    draw_say(d, "y.__setitem__(k, x2)");
  else
    draw_say(d, "np.%s.at(y, k, x2)", functions[how]);
  draw_say(d, ", y)[1])(x0.copy(), (slice(None),) * %d + (x1.astype(int),))",
           p.axis);
  return gg_put_with(p.x, p.axis, p.index, v, how);
}

/* Draw x0 [4, 4, 3] and x1, tuples of one or two indices. */
static gg_var *draw_tuples(draw *d, gg_var **x, size_t *k) {
  const size_t dims[3] = {4, 4, 3};
  size_t at[3];
  int64_t want[3];
  const unsigned int nd = (unsigned int)draw_int(d, 1, 3);

  *k = (size_t)draw_int(d, 1, 2);
  for (unsigned int i = 0; i < nd; i++) {
    at[i] = i + 1 < nd ? (size_t)draw_int(d, 0, 4) : *k;
    want[i] = i + 1 < nd ? -1 : (int64_t)*k;
  }
  *x = draw_sized(d, draw_type(d), 3, dims, -9, 9);
  return gg_specify_shape(draw_indices(d, nd, at, 4), want);
}

#define TUPLES "tuple(np.moveaxis(x1.astype(int), -1, 0))"

static gg_var *gather_nd(draw *d) {
  size_t k;
  gg_var *x, *const index = draw_tuples(d, &x, &k);

  draw_say(d, "x0[" TUPLES "]");
  return gg_gather_nd(x, index, 0);
}

static gg_var *gather_batch(draw *d) {
  const size_t dims[3] = {3, 5, 2}, at[3] = {3, 4, 1};
  gg_var *const x = draw_sized(d, draw_type(d), 3, dims, -9, 9);
  const int64_t want[3] = {-1, -1, 1};
  gg_var *const index = draw_indices(d, 3, at, 5);

  draw_say(d, "np.take_along_axis(x0, x1.astype(int), 1)");
  return gg_gather_nd(x, gg_specify_shape(index, want), 1);
}

static gg_var *scatter_nd(draw *d) {
  const gg_put_op how = (gg_put_op)draw_int(d, GG_PUT_SET, GG_PUT_MIN);
  size_t k;
  gg_var *x, *const index = draw_tuples(d, &x, &k);

  if (how == GG_PUT_SET)
    draw_say(d, "(lambda y: (y.__setitem__(" TUPLES ", 2), y)[1])(x0.copy())");
  else
    draw_say(d, "(lambda y: (np.%s.at(y, " TUPLES ", 2), y)[1])(x0.copy())",
             functions[how]);
  return gg_scatter_nd(x, index, gg_scalar(d->g, gg_var_type(x)->dtype, 2),
                       how);
}

static const numpy_case cases[] = {
    {"take_along", .build = take_along},
    {"take_along in a map", .build = take_fused},
    {"take_along broadcast", .build = take_broadcast},
    {"put_along", .build = put_along},
    {"take", .build = take},
    {"put_with", .build = put_with},
    {"gather_nd", .build = gather_nd},
    {"gather_nd in batches", .build = gather_batch},
    {"scatter_nd", .build = scatter_nd},
};

const numpy_table numpy_gathers = {cases, sizeof cases / sizeof *cases};
