/* SPDX-License-Identifier: BSD-2-Clause */
/* Builders of arrangements that NumPy judges: their table, and before it how
 * each is drawn. */
#include "numpy/draw.h"

static gg_var *some(draw *d, unsigned int least_nd, unsigned int most_nd) {
  return draw_operand(d, ANY | EMPTY, least_nd, most_nd, -9, 9);
}

static gg_var *not_empty(draw *d, unsigned int least_nd, unsigned int most_nd) {
  return draw_operand(d, ANY, least_nd, most_nd, -9, 9);
}

static gg_var *number(draw *d, int64_t n) {
  return gg_i64(d->g, n);
}

/* --- arrangements --- */

static gg_var *expand_dims(draw *d) {
  gg_var *const x = some(d, 0, 3);
  const int nd = (int)gg_var_type(x)->nd;
  const int axis = (int)draw_int(d, -nd - 1, nd);

  draw_say(d, "np.expand_dims(x0, %d)", axis);
  return gg_expand_dims(x, axis);
}

static gg_var *squeeze(draw *d) {
  const size_t dims[3] = {3, 1, 2};

  draw_say(d, "np.squeeze(x0, 1)");
  return gg_squeeze(draw_sized(d, GA_INT, 3, dims, -9, 9), -2);
}

static gg_var *moveaxis(draw *d) {
  gg_var *const x = some(d, 1, 4);
  const int from = draw_axis(d, 0), to = draw_axis(d, 0);

  draw_say(d, "np.moveaxis(x0, %d, %d)", from, to);
  return gg_moveaxis(x, from, to);
}

static gg_var *swapaxes(draw *d) {
  gg_var *const x = some(d, 1, 4);
  const int a = draw_axis(d, 0), b = draw_axis(d, 0);

  draw_say(d, "np.swapaxes(x0, %d, %d)", a, b);
  return gg_swapaxes(x, a, b);
}

static gg_var *atleast(draw *d) {
  gg_var *const x = some(d, 0, 3);
  const unsigned int nd = (unsigned int)draw_int(d, 0, 4);

  draw_say(d, "np.array(x0, ndmin=%u)", nd);
  return gg_atleast(x, nd);
}

static gg_var *broadcast_to(draw *d) {
  const size_t dims[2] = {1, 3};
  const int64_t to[3] = {2, 4, 3};

  draw_say(d, "np.broadcast_to(x0, (2, 4, 3))");
  return gg_broadcast_to(draw_sized(d, GA_FLOAT, 2, dims, -9, 9), 3, to);
}

static gg_var *flip(draw *d) {
  gg_var *const x = some(d, 1, 3);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.flip(x0, %d)", axis);
  return gg_flip(x, axis);
}

static gg_var *rot90(draw *d) {
  gg_var *const x = some(d, 2, 3);
  const int k = (int)draw_int(d, -5, 5), a = draw_axis(d, 0);
  const int nd = (int)gg_var_type(x)->nd;
  const int b = (a + nd + 1) % nd;

  draw_say(d, "np.rot90(x0, %d, (%d, %d))", k, a, b);
  return gg_rot90(x, k, a, b);
}

static gg_var *split(draw *d) {
  const size_t dims[2] = {2, 6};
  gg_var *const x = draw_sized(d, GA_INT, 2, dims, -9, 9), *out[3];
  const unsigned int k = (unsigned int)draw_int(d, 0, 2);

  draw_say(d, "np.split(x0, 3, 1)[%u]", k);
  return gg_split(x, -1, 3, out) == GA_NO_ERROR ? out[k] : NULL;
}

static gg_var *split_at(draw *d) {
  gg_var *const x = some(d, 1, 3), *out[3];
  const int axis = draw_axis(d, 0);
  const int64_t at[2] = {draw_int(d, 0, 3), draw_int(d, -2, 6)};
  const unsigned int k = (unsigned int)draw_int(d, 0, 2);

  draw_say(d, "np.split(x0, [%d, %d], %d)[%u]", (int)at[0], (int)at[1], axis,
           k);
  return gg_split_at(x, axis, 2, at, out) == GA_NO_ERROR ? out[k] : NULL;
}

static gg_var *stack(draw *d) {
  const size_t dims[2] = {2, 3};
  gg_var *const x[2] = {draw_sized(d, GA_INT, 2, dims, -9, 9),
                        draw_sized(d, GA_INT, 2, dims, -9, 9)};
  const int axis = (int)draw_int(d, -3, 2);

  draw_say(d, "np.stack([x0, x1], %d)", axis);
  return gg_stack(axis, 2, x);
}

static gg_var *tile(draw *d) {
  gg_var *const x = some(d, 0, 3);
  const int64_t reps[3] = {draw_int(d, 0, 2), draw_int(d, 1, 3),
                           draw_int(d, 1, 2)};
  const unsigned int nd = (unsigned int)draw_int(d, 1, 3);

  draw_say(d, "np.tile(x0, [%d, %d, %d][:%u])", (int)reps[0], (int)reps[1],
           (int)reps[2], nd);
  return gg_tile(x, nd, reps);
}

/* As many axes as there may be: one after the other. */
static gg_var *tile_many(draw *d) {
  const size_t dims[8] = {1, 2, 1, 2, 1, 1, 2, 1};
  const int64_t reps[8] = {1, 3, 1, 2, 1, 1, 2, 2};

  draw_say(d, "np.tile(x0, [1, 3, 1, 2, 1, 1, 2, 2])");
  return gg_tile(draw_sized(d, GA_FLOAT, 8, dims, -9, 9), 8, reps);
}

static gg_var *repeat(draw *d) {
  gg_var *const x = some(d, 1, 4);
  const int axis = draw_axis(d, 0);
  const int64_t n = draw_int(d, 0, 4);

  draw_say(d, "np.repeat(x0, %d, %d)", (int)n, axis);
  return gg_repeat(x, axis, n);
}

static gg_var *repeat_sizes(draw *d) {
  gg_var *const x = some(d, 1, 3);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.repeat(x0, x0.shape[0], %d)", axis);
  return gg_repeat_sizes(x, axis, gg_shape(x, 0));
}

static gg_var *roll(draw *d) {
  gg_var *const x = some(d, 1, 3);
  const int axis = draw_axis(d, 0);
  const int64_t shift = draw_int(d, -9, 9);

  draw_say(d, "np.roll(x0, %d, %d)", (int)shift, axis);
  return gg_roll(x, axis, shift);
}

static gg_var *pad(draw *d) {
  static const struct {
    gg_pad_mode mode;
    const char *name;
  } modes[] = {{GG_PAD_CONSTANT, "constant"},
               {GG_PAD_EDGE, "edge"},
               {GG_PAD_REFLECT, "reflect"},
               {GG_PAD_SYMMETRIC, "symmetric"}};
  gg_var *const x = not_empty(d, 1, 3);
  const unsigned int nd = gg_var_type(x)->nd;
  const int mode = (int)draw_int(d, 0, 3);
  int64_t before[3], after[3];

  draw_say(d, "np.pad(x0, [");
  for (unsigned int i = 0; i < nd; i++) {
    before[i] = draw_int(d, 0, 7);
    after[i] = draw_int(d, 0, 7);
    draw_say(d, "(%d, %d), ", (int)before[i], (int)after[i]);
  }
  draw_say(d, "], '%s'%s)", modes[mode].name,
           mode == 0 ? ", constant_values=1" : "");
  return gg_pad(x, before, after, modes[mode].mode, number(d, 1));
}

/* By indices: before 1.25 NumPy wraps wrongly beyond the size. */
static gg_var *wrap(draw *d) {
  gg_var *const x = not_empty(d, 1, 1);
  const int64_t before = draw_int(d, 0, 9), after = draw_int(d, 0, 9);

  draw_say(d, "x0[np.arange(%d, len(x0) + %d) %% len(x0)]", (int)-before,
           (int)after);
  return gg_pad(x, &before, &after, GG_PAD_WRAP, NULL);
}

static gg_var *crop(draw *d) {
  const size_t dims[2] = {4, 5};
  const int64_t before[2] = {-1, 2}, after[2] = {0, -3};

  draw_say(d, "np.pad(x0[1:, :-3], [(0, 0), (2, 0)])");
  return gg_pad(draw_sized(d, GA_FLOAT, 2, dims, -9, 9), before, after,
                GG_PAD_CONSTANT, NULL);
}

/* --- sizes that calls decide, as vectors --- */

/* A vector of n integers in [lo, hi). */
static gg_var *integers(draw *d, unsigned int n, double lo, double hi) {
  const size_t size = n;
  const int64_t known = n;

  return gg_specify_shape(
      draw_sized(d, draw_int(d, 0, 1) ? GA_INT : GA_LONG, 1, &size, lo, hi),
      &known);
}

static gg_var *reshape_vector(draw *d) {
  gg_var *const x = some(d, 1, 4), *const s = gg_shape_vector(x);
  gg_var *parts[2] = {gg_expand_dims(gg_prod(gg_slice(s, 0, 1, GG_END, 1)), 0),
                      gg_slice(s, 0, 0, 1, 1)};

  draw_say(d, "x0.reshape(math.prod(x0.shape[1:]), len(x0))");
  return gg_reshape_vector(x, gg_join(0, 2, parts));
}

static gg_var *pad_vector(draw *d) {
  static const char *const modes[] = {"constant", "edge", "reflect"};
  gg_var *const x = not_empty(d, 1, 2);
  const unsigned int nd = gg_var_type(x)->nd;
  gg_var *const counts = integers(d, 2 * nd, 0, 6);
  const int mode = (int)draw_int(d, 0, 2);

  draw_say(d, "np.pad(x0, x1.reshape(2, -1).T, '%s')", modes[mode]);
  return gg_pad_vector(x, gg_slice(counts, 0, 0, nd, 1),
                       gg_slice(counts, 0, nd, GG_END, 1), (gg_pad_mode)mode,
                       NULL);
}

static gg_var *slice_vector(draw *d) {
  const size_t dims[3] = {5, 3, 4};
  const int axes[2] = {-1, 0};
  gg_var *const x = draw_sized(d, GA_FLOAT, 3, dims, -9, 9);
  gg_var *const start = integers(d, 2, -7, 7), *const stop =
                                                   integers(d, 2, -7, 7);
  const int64_t step[2] = {draw_int(d, 1, 3), -draw_int(d, 1, 3)};

  draw_say(d, "x0[x1[1]:x2[1]:%d, :, x1[0]:x2[0]:%d]", (int)step[1],
           (int)step[0]);
  return gg_slice_vector(
      x, axes, start, stop,
      gg_constant(d->g, GA_LONG, 1, (const size_t[]){2}, step));
}

static gg_var *broadcast_vector(draw *d) {
  const size_t dims[3] = {(size_t)draw_int(d, 1, 4), 1, 3};
  gg_var *const x = draw_sized(d, GA_FLOAT, 3, dims, -9, 9);
  gg_var *const s = integers(d, 1, 1, 5);
  gg_var *const parts[3] = {gg_constant(d->g, GA_LONG, 1, (const size_t[]){2},
                                        (const int64_t[]){2, 1}),
                            s, gg_slice(gg_shape_vector(x), 0, 2, 3, 1)};

  draw_say(d, "np.broadcast_to(x0, (2, x0.shape[0], x1[0], 3))");
  return gg_broadcast_vector(x, gg_join(0, 3, parts));
}

static gg_var *tile_vector(draw *d) {
  gg_var *const x = some(d, 0, 3);
  const unsigned int n = (unsigned int)draw_int(d, 1, 3);

  draw_say(d, "np.tile(x0, x1)");
  return gg_tile_vector(x, integers(d, n, 0, 4));
}

static gg_var *alloc_vector(draw *d) {
  gg_var *const x = draw_sized(d, GA_INT, 1, (const size_t[]){3}, -9, 9);

  draw_say(d, "np.broadcast_to(x0, (*x1, 3))");
  return gg_alloc_vector(
      x, gg_join(0, 2,
                 (gg_var *[]){gg_cast(integers(d, 2, 0, 4), GA_LONG),
                              gg_shape_vector(x)}));
}

static gg_var *split_bounds(draw *d) {
  gg_var *const x = some(d, 1, 3), *out[3], *bounds[2];
  const int axis = draw_axis(d, 0);
  gg_var *const at = integers(d, 2, -7, 7);
  const unsigned int k = (unsigned int)draw_int(d, 0, 2);

  draw_say(d, "np.split(x0, [*x1], %d)[%u]", axis, k);
  if (gg_elements(at, 2, bounds) != GA_NO_ERROR)
    return NULL;
  return gg_split_bounds(x, axis, 2, bounds, out) == GA_NO_ERROR ? out[k]
                                                                 : NULL;
}

static gg_var *diagonal_at(draw *d) {
  const int which = (int)draw_int(d, 0, 3);
  gg_var *const x = some(d, 2, 3), *const k =
                                       gg_index(integers(d, 1, -6, 6), 0, 0);
  gg_var *const n = gg_shape(x, -2), *const m = gg_shape(x, -1);

  if (which < 2) {
    draw_say(d, "np.tri%c(x0, x1[0])", "lu"[which]);
    return which == 0 ? gg_tril_at(x, k) : gg_triu_at(x, k);
  }
  draw_say(d, "np.%s(*x0.shape[-2:], x1[0], 'i4')", which == 2 ? "eye" : "tri");
  return which == 2 ? gg_eye_at(n, m, k, GA_INT) : gg_tri_at(n, m, k, GA_INT);
}

static gg_var *diff(draw *d) {
  gg_var *const x = some(d, 1, 3);
  const int axis = draw_axis(d, 0);
  const unsigned int n = (unsigned int)draw_int(d, 0, 2);

  draw_say(d, "np.diff(x0, %u, %d)", n, axis);
  return gg_diff(x, axis, n);
}

static gg_var *meshgrid(draw *d) {
  gg_var *x[3], *out[3];
  const unsigned int n = (unsigned int)draw_int(d, 1, 3);
  const unsigned int k = (unsigned int)draw_int(d, 0, n - 1);
  const int xy = (int)draw_int(d, 0, 1);

  for (unsigned int i = 0; i < n; i++)
    x[i] = some(d, 1, 1);
  draw_say(d, "np.meshgrid(*[x0, %s, %s][:%u], indexing='%s')[%u]",
           n > 1 ? "x1" : "0", n > 2 ? "x2" : "0", n, xy ? "xy" : "ij", k);
  return gg_meshgrid(n, x, xy, out) == GA_NO_ERROR ? out[k] : NULL;
}

/* --- made of numbers --- */

static gg_var *eye(draw *d) {
  const int n = (int)draw_int(d, 0, 5), m = (int)draw_int(d, 0, 5),
            k = (int)draw_int(d, -6, 6);

  draw_say(d, "np.eye(%d, %d, %d, np.float32)", n, m, k);
  return gg_eye(number(d, n), number(d, m), k, GA_FLOAT);
}

static gg_var *tri(draw *d) {
  const int n = (int)draw_int(d, 0, 5), m = (int)draw_int(d, 0, 5),
            k = (int)draw_int(d, -6, 6);

  draw_say(d, "np.tri(%d, %d, %d, np.int32)", n, m, k);
  return gg_tri(number(d, n), number(d, m), k, GA_INT);
}

static gg_var *tril(draw *d) {
  gg_var *const x = some(d, 2, 3);
  const int k = (int)draw_int(d, -3, 3);

  draw_say(d, "np.tril(x0, %d)", k);
  return gg_tril(x, k);
}

static gg_var *triu(draw *d) {
  gg_var *const x = some(d, 2, 3);
  const int k = (int)draw_int(d, -3, 3);

  draw_say(d, "np.triu(x0, %d)", k);
  return gg_triu(x, k);
}

static gg_var *diag(draw *d) {
  gg_var *const x = some(d, 1, 2);
  const int k = (int)draw_int(d, -6, 6);

  draw_say(d, "np.diag(x0, %d)", k);
  return gg_diag(x, k);
}

static gg_var *one_hot(draw *d) {
  gg_var *const x = draw_operand(d, INTEGERS, 0, 2, 0, 6);

  draw_say(d, "(x0[..., None] == np.arange(5)).astype(np.float32)");
  return gg_one_hot(x, number(d, 5), GA_FLOAT);
}

static gg_var *linspace(draw *d) {
  const int n = (int)draw_int(d, 0, 7);
  gg_var *const from = draw_operand(d, REALS, 0, 0, -9, 9), *const to =
                                                                draw_operand(
                                                                    d, REALS, 0,
                                                                    0, -9, 9);

  draw_say(d, "np.linspace(x0, x1, %d, dtype=np.float32)", n);
  return gg_linspace(from, to, number(d, n));
}

static gg_var *logspace(draw *d) {
  const int n = (int)draw_int(d, 1, 7);
  gg_var *const from = draw_operand(d, REALS, 0, 0, -1, 2), *const to =
                                                                draw_operand(
                                                                    d, REALS, 0,
                                                                    0, -1, 2);

  draw_say(d, "np.logspace(x0, x1, %d, dtype=np.float32)", n);
  return gg_logspace(from, to, number(d, n), 10);
}

static const numpy_case cases[] = {
    {"expand_dims", .build = expand_dims},
    {"squeeze", .build = squeeze},
    {"moveaxis", .build = moveaxis},
    {"swapaxes", .build = swapaxes},
    {"atleast", .build = atleast},
    {"broadcast_to", .build = broadcast_to},
    {"flip", .build = flip},
    {"rot90", .build = rot90},
    {"split", .build = split},
    {"split_at", .build = split_at},
    {"stack", .build = stack},
    {"tile", .build = tile},
    {"tile of many axes", .build = tile_many},
    {"repeat", .build = repeat},
    {"repeat_sizes", .build = repeat_sizes},
    {"roll", .build = roll},
    {"pad", .build = pad},
    {"pad by wrapping", .build = wrap},
    {"pad by vectors", .build = pad_vector},
    {"reshape by a vector", .build = reshape_vector},
    {"slice by vectors", .build = slice_vector},
    {"broadcast by a vector", .build = broadcast_vector},
    {"tile by a vector", .build = tile_vector},
    {"alloc by a vector", .build = alloc_vector},
    {"pad by less than nothing", .build = crop},
    {"split_bounds", .build = split_bounds},
    {"diagonals that calls decide", .build = diagonal_at},
    {"diff", .build = diff},
    {"meshgrid", .build = meshgrid},
    {"eye", .build = eye},
    {"tri", .build = tri},
    {"tril", .build = tril},
    {"triu", .build = triu},
    {"diag", .build = diag},
    {"one_hot", .build = one_hot},
    {"linspace", .build = linspace},
    {"logspace", .build = logspace},
};

const numpy_table numpy_arrangements = {cases, sizeof cases / sizeof *cases};
