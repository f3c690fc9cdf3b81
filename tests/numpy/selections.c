/* SPDX-License-Identifier: BSD-2-Clause */
/* Selection, distinct elements, runs, sets and masks that NumPy judges. */
#include "numpy/draw.h"

static gg_var *nonzero(draw *d) {
  gg_var *const x = draw_few_any(d, ANY, 3);

  draw_say(d, "np.argwhere(x0)");
  return gg_nonzero(x);
}

static gg_var *flatnonzero(draw *d) {
  gg_var *const x = draw_few_any(d, ANY, 3);

  draw_say(d, "np.flatnonzero(x0)");
  return gg_flatnonzero(x);
}

/* Rows after the last one hold -7. */
static gg_var *bounded(draw *d) {
  gg_var *const x = draw_few_any(d, ANY, 2);
  const int n = (int)draw_int(d, 0, 20);

  draw_say(d, "np.r_[np.flatnonzero(x0), np.full(%d, -7)][:%d]", n, n);
  return gg_flatnonzero_bounded(x, gg_i64(d->g, n), -7, NULL);
}

/* The mask has some of the leading axes. */
static gg_var *compress(draw *d) {
  static const int dtypes[] = {GA_BOOL, GA_FLOAT, GA_INT};
  gg_var *const x = draw_few_any(d, ANY, 3);
  const unsigned int nd = (unsigned int)draw_int(d, 1, gg_var_type(x)->nd);
  gg_var *const mask = draw_few(d, dtypes[draw_int(d, 0, 2)], nd, d->dims[0]);

  draw_say(d, "x0[x1 != 0]");
  return gg_compress(x, mask);
}

/* Values, first positions, inverse or counts. */
static gg_var *unique(draw *d) {
  gg_var *const x = draw_few_any(d, ANY, 3);
  const int which = (int)draw_int(d, 0, 3);
  gg_var *of[4];

  of[0] = gg_unique(x, &of[1], &of[2], &of[3]);
  draw_say(d, "np.unique(x0, True, True, True)[%d].reshape(-1)", which);
  return of[which];
}

/* k are their starts, where NaN equals NaN. */
static gg_var *run_lengths(draw *d) {
  static const char *const what[] = {"x[k]", "k", "np.diff(np.r_[k, x.size])"};
  gg_var *const x = draw_few_any(d, REALS | INTEGERS, 3);
  const int which = (int)draw_int(d, 0, 2);
  gg_var *of[3];

  of[0] = gg_run_lengths(x, &of[1], &of[2]);
  draw_say(d,
           "(lambda x, k: %s)(x0.ravel(), (lambda x: np.flatnonzero(np.r_["
           "np.ones(min(x.size, 1), bool), (x[1:] != x[:-1]) & ~(np.isnan("
           "x[1:]) & np.isnan(x[:-1]))]))(x0.ravel()))",
           what[which]);
  return of[which];
}

/* x0 and x1 for an op of sets. */
static gg_var *draw_set(draw *d, gg_var **other) {
  gg_var *const x = draw_few_any(d, REALS | INTEGERS, 3);
  const size_t n = (size_t)draw_int(d, 0, 4);

  *other = draw_few(d, gg_var_type(x)->dtype, 1, &n);
  return x;
}

static gg_var *set_union(draw *d) {
  gg_var *b, *const a = draw_set(d, &b);

  draw_say(d, "np.union1d(x0, x1)");
  return gg_union(a, b);
}

static gg_var *set_intersection(draw *d) {
  gg_var *b, *const a = draw_set(d, &b);

  draw_say(d, "np.intersect1d(x0, x1)");
  return gg_intersection(a, b);
}

static gg_var *set_difference(draw *d) {
  gg_var *b, *const a = draw_set(d, &b);

  draw_say(d, "np.setdiff1d(x0, x1)");
  return gg_difference(a, b);
}

static gg_var *is_member(draw *d) {
  gg_var *b, *const a = draw_set(d, &b);

  draw_say(d, "np.isin(x0, x1)");
  return gg_is_member(a, b);
}

/* A scalar, or a vector that may have more or fewer elements than count. */
static gg_var *mask_put(draw *d) {
  static const char *const functions[] = {[GG_PUT_ADD] = "add",
                                          [GG_PUT_MUL] = "multiply",
                                          [GG_PUT_MAX] = "maximum",
                                          [GG_PUT_MIN] = "minimum"};
  const gg_put_op how = (gg_put_op)draw_int(d, GG_PUT_SET, GG_PUT_MIN);
  gg_var *const x = draw_few_any(d, REALS | INTEGERS, 3);
  const int dtype = gg_var_type(x)->dtype;
  gg_var *const mask = draw_few(d, GA_BOOL, gg_var_type(x)->nd, d->dims[0]);
  const size_t n = (size_t)draw_int(d, 0, 40);
  const int is_scalar = (int)draw_int(d, 0, 2) == 0;
  gg_var *const v =
      is_scalar ? gg_scalar(d->g, dtype, 3) : draw_sized(d, dtype, 1, &n, 0, 4);

  draw_say(d, "(lambda y, k, v: (");
  if (how == GG_PUT_SET)
    draw_say(d, "np.put(y, k[:v.size], v[:k.size])");
  else
    draw_say(d, "np.%s.at(y.reshape(-1), k[:v.size], v[:k.size])",
             functions[how]);
  draw_say(d, ", y)[1])(x0.copy(), np.flatnonzero(x1), %s)",
           is_scalar ? "np.full(x0.size, 3, x0.dtype)" : "x2");
  return gg_mask_put(x, mask, v, how);
}

static const numpy_case cases[] = {
    {"nonzero", .build = nonzero},
    {"flatnonzero", .build = flatnonzero},
    {"flatnonzero, bounded", .build = bounded},
    {"compress", .build = compress},
    {"unique", .build = unique},
    {"unique again", .build = unique},
    {"run_lengths", .build = run_lengths},
    {"union", .build = set_union},
    {"intersection", .build = set_intersection},
    {"difference", .build = set_difference},
    {"is_member", .build = is_member},
    {"mask_put", .build = mask_put},
    {"mask_put again", .build = mask_put},
};

const numpy_table numpy_selections = {cases, sizeof cases / sizeof *cases};
