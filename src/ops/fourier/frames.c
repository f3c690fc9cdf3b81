/* SPDX-License-Identifier: BSD-2-Clause */
/* Spectra of the frames of a signal, and signals of such spectra; windows. */
#include <gpugraph/signal.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/compose.h"
#include "ops/fourier/fourier.h"

/* --- windows --- */

static double window_at(gg_window_kind kind, double turns) {
  static const double factors[][3] = {[GG_WINDOW_ONES] = {1, 0, 0},
                                      [GG_WINDOW_HANN] = {0.5, 0.5, 0},
                                      [GG_WINDOW_HAMMING] = {0.54, 0.46, 0},
                                      [GG_WINDOW_BLACKMAN] = {0.42, 0.5, 0.08}};
  const double *f = factors[kind], angle = 4 * acos(0) * turns;

  return f[0] - f[1] * cos(angle) + f[2] * cos(2 * angle);
}

gg_var *gg_window(gg_graph *g, gg_window_kind kind, int64_t n, int is_symmetric,
                  int dtype) {
  const gg_op *const op = GG_CALLED("window");
  gg_var *const size = gg_i64(g, n), *window;

  if (size == NULL)
    return NULL;
  if (n < 1 || (unsigned int)kind > GG_WINDOW_BLACKMAN)
    return gg__refuse(op, 1, &size, GA_VALUE_ERROR, "kind %d, %lld elements",
                      (int)kind, (long long)n);
  if (dtype != GA_FLOAT && dtype != GA_DOUBLE)
    return gg__refuse(op, 1, &size, GA_VALUE_ERROR,
                      "expected float32 or float64, got %s",
                      ga__dtype_name(dtype));
  void *const v = ga__calloc((size_t)n, sizeof(double));
  if (v == NULL)
    return gg__refuse(op, 1, &size, GA_MEMORY_ERROR, "%lld elements",
                      (long long)n);
  const double period = (double)(is_symmetric && n > 1 ? n - 1 : n);
  for (int64_t i = 0; i < n; i++) {
    const double y = n > 1 ? window_at(kind, (double)i / period) : 1;

    if (dtype == GA_DOUBLE)
      ((double *)v)[i] = y;
    else
      ((float *)v)[i] = (float)y;
  }
  window = gg_constant(g, dtype, 1, (const size_t[]){(size_t)n}, v);
  free(v);
  return window;
}

/* --- frames --- */

typedef struct frames {
  const gg_op *op;
  const gg_stft_spec *spec;
  int64_t length, step;
} frames;

/* Nonzero if the spec, of frames of x, is right. */
static int check(frames *f, gg_var *x, unsigned int least_rank) {
  const gg_stft_spec *s = f->spec;

  if (!gg__given(f->op, 1, &x))
    return 0;
  if (s == NULL || s->length < 1 || s->step < 0)
    return gg__refuse(f->op, 1, &x, GA_VALUE_ERROR,
                      "frames of %lld elements, %lld apart",
                      s != NULL ? (long long)s->length : 0,
                      s != NULL ? (long long)s->step : 0) != NULL;
  if (gg__rank_of(x) < least_rank || gg__rank_of(x) >= GG_MAX_ND)
    return gg__refuse(f->op, 1, &x, GA_VALUE_ERROR, "%u dimensions",
                      gg__rank_of(x)) != NULL;
  if ((unsigned int)s->padding > GG_PAD_SYMMETRIC)
    return gg__refuse(f->op, 1, &x, GA_VALUE_ERROR, "%d is not a mode",
                      (int)s->padding) != NULL;
  f->length = s->length;
  f->step = s->step > 0 ? s->step : s->length > 4 ? s->length / 4 : 1;
  return gg__fourier_norm(f->op, x, s->norm);
}

/* The window of f with `length` elements, zeros at both ends if it is shorter,
 * of the real dtype of x; ones if there is none. NULL after an error. */
static gg_var *window_of(const frames *f, gg_var *x) {
  gg_var *w = f->spec->window;
  const int dtype = ga__dtype_real(gg_var_type(x)->dtype);

  if (w == NULL)
    return gg_window(gg_var_graph(x), GG_WINDOW_ONES, f->length, 0, dtype);
  gg_var *const both[2] = {x, w};
  const gg_type *t = gg_var_type(w);
  if (t->nd != 1 || ga__dtype_is_complex(t->dtype))
    return gg__refuse(f->op, 2, both, GA_VALUE_ERROR,
                      "the window is no real vector");
  if (t->dims[0] == GG_ANY || t->dims[0] > f->length)
    return gg__refuse(f->op, 2, both, GA_VALUE_ERROR,
                      "the window has %lld elements, frames %lld",
                      (long long)t->dims[0], (long long)f->length);
  const int64_t before = (f->length - t->dims[0]) / 2;
  const int64_t after = f->length - t->dims[0] - before;
  return gg_pad(gg_cast(w, dtype), &before, &after, GG_PAD_CONSTANT, NULL);
}

/* The positions of the elements of n frames, one frame after the other. */
static gg_var *positions(const frames *f, gg_var *n) {
  gg_var *const zero = gg__whole_number(n, 0), *const one =
                                                   gg__whole_number(n, 1);
  gg_var *const start =
      gg_mul(gg_arange(zero, n, one), gg__whole_number(n, f->step));
  gg_var *const within = gg_arange(zero, gg__whole_number(n, f->length), one);

  return gg_flatten(
      gg_add(gg_expand_dims(start, 1), gg_expand_dims(within, 0)));
}

/* x with its last axis, or its last `n_last` axes, replaced by axes of `sizes`,
 * of which there are `count`. */
static gg_var *reshape_end(gg_var *x, unsigned int n_last, unsigned int count,
                           gg_var *const *sizes) {
  gg_var *all[GG_MAX_ND];

  if (x == NULL)
    return NULL;
  const unsigned int kept = gg__rank_of(x) - n_last;
  for (unsigned int d = 0; d < kept + count; d++)
    all[d] = d < kept ? gg_shape(x, (int)d) : sizes[d - kept];
  return gg_reshape_sizes(x, kept + count, all);
}

/* --- spectra --- */

/* x with half a frame before it and behind it. */
static gg_var *centred(const frames *f, gg_var *x) {
  int64_t ends[GG_MAX_ND] = {0};

  ends[gg__rank_of(x) - 1] = f->length / 2;
  return gg_pad(x, ends, ends, f->spec->padding, NULL);
}

/* x as frames [..., frames, length], times the window. */
static gg_var *framed(const frames *f, gg_var *x) {
  gg_var *const window = window_of(f, x);

  if (window == NULL)
    return NULL;
  gg_var *const room =
      gg__number_add(gg_shape(x, -1), gg__whole_number(x, -f->length));
  gg_var *n =
      gg__number_add(gg__number_over(room, f->step), gg__whole_number(x, 1));
  n = gg__number_most(n, gg__whole_number(x, 0));
  gg_var *const sizes[2] = {n, gg__whole_number(x, f->length)};
  x = reshape_end(gg_take_axis(x, -1, positions(f, n)), 1, 2, sizes);
  return gg_mul(x, window);
}

gg_var *gg_stft(gg_var *x, const gg_stft_spec *spec) {
  static const int last = -1;
  frames f = {.op = GG_CALLED("stft"), .spec = spec};

  if (!check(&f, x, 1))
    return NULL;
  const int is_real = !ga__dtype_is_complex(gg_var_type(x)->dtype);
  x = gg__fourier_float(x, !is_real);
  if (x != NULL && spec->is_centred)
    x = centred(&f, x);
  if (x == NULL)
    return NULL;
  const int64_t n = gg_var_type(x)->dims[gg__rank_of(x) - 1];
  if (n != GG_ANY && n < f.length)
    return gg__refuse(f.op, 1, &x, GA_VALUE_ERROR,
                      "a signal of %lld elements, frames of %lld", (long long)n,
                      (long long)f.length);
  x = framed(&f, x);
  x = is_real && !spec->is_two_sided ? gg_rfft(x, 1, &last, NULL, spec->norm)
                                     : gg_fft(x, 1, &last, NULL, spec->norm);
  return x != NULL ? gg_swapaxes(x, -1, -2) : NULL;
}

/* --- signals --- */

/* The sums of frames [..., frames, length] where they lie over each other. */
static gg_var *overlapped(const frames *f, gg_var *x) {
  gg_var *sizes[GG_MAX_ND];

  if (x == NULL)
    return NULL;
  const unsigned int kept = gg__rank_of(x) - 2;
  gg_var *const n = gg_shape(x, (int)kept);
  gg_var *const all = gg__number_mul(n, gg__whole_number(x, f->length));
  gg_var *const last = gg__number_mul(
      gg__number_add(n, gg__whole_number(x, -1)), gg__whole_number(x, f->step));
  for (unsigned int d = 0; d < kept; d++)
    sizes[d] = gg_shape(x, (int)d);
  sizes[kept] =
      gg__number_most(gg__number_add(last, gg__whole_number(x, f->length)),
                      gg__whole_number(x, 0));
  gg_var *const none = gg_alloc(gg__num(x, 0), kept + 1, sizes);
  return gg_put_add(none, -1, positions(f, n), reshape_end(x, 2, 1, &all));
}

/* Elements `start` to `start + size` along the last axis, zeros where x has
 * none; without a size all but `start` at both ends. */
static gg_var *cut(gg_var *x, int64_t start, gg_var *size) {
  gg_var *before[GG_MAX_ND], *after[GG_MAX_ND];

  if (x == NULL || size == NULL)
    return x != NULL ? gg_slice(x, -1, start, start > 0 ? -start : GG_END, 1)
                     : NULL;
  const unsigned int last = gg__rank_of(x) - 1;
  gg_var *const n = gg_shape(x, -1);
  for (unsigned int d = 0; d < last; d++)
    before[d] = after[d] = gg__whole_number(x, 0);
  before[last] = gg__whole_number(x, -start);
  after[last] = gg__number_add(
      gg__number_add(gg_cast(size, GA_LONG), gg__whole_number(x, start)),
      gg__number_mul(n, gg__whole_number(x, -1)));
  return gg_pad_sizes(x, before, after, GG_PAD_CONSTANT, NULL);
}

/* Frames [..., frames, length] of spectra [..., frequencies, frames]. */
static gg_var *frames_of(const frames *f, gg_var *y) {
  static const int last = -1;
  const int64_t m = gg_var_type(y)->dims[gg__rank_of(y) - 2];
  const int64_t want = f->spec->is_two_sided ? f->length : f->length / 2 + 1;

  if (m != GG_ANY && m != want)
    return gg__refuse(f->op, 1, &y, GA_VALUE_ERROR,
                      "%lld frequencies, expected %lld", (long long)m,
                      (long long)want);
  y = gg_swapaxes(gg__fourier_float(y, 1), -1, -2);
  return (f->spec->is_two_sided ? gg_ifft : gg_irfft)(y, 1, &last, &f->length,
                                                      f->spec->norm);
}

gg_var *gg_istft(gg_var *y, const gg_stft_spec *spec, gg_var *size) {
  frames f = {.op = GG_CALLED("istft"), .spec = spec};

  if (!gg__given_beside(f.op, y, 1, &size) || !check(&f, y, 2) ||
      (size != NULL && !gg__check_number(f.op, y, size)))
    return NULL;
  gg_var *const x = frames_of(&f, y);
  gg_var *const window = x != NULL ? window_of(&f, x) : NULL;
  if (window == NULL)
    return NULL;
  /* The windows of the frames, to divide by where they overlap. */
  gg_var *const sizes[2] = {gg_shape(x, -2), gg__whole_number(x, f.length)};
  gg_var *const weight =
      overlapped(&f, gg_broadcast_sizes(gg_sqr(window), 2, sizes));
  gg_var *const sum = overlapped(&f, gg_mul(x, window));
  if (weight == NULL || sum == NULL)
    return NULL;
  gg_var *const is_known = gg_gt(weight, gg__num(weight, 1e-11));
  gg_var *const signal =
      gg_div(sum, gg_where(is_known, weight, gg__num(weight, 1)));
  return cut(signal, spec->is_centred ? f.length / 2 : 0, size);
}
