/* SPDX-License-Identifier: BSD-2-Clause */
/* Resize and Upsample. */
#include <gpugraph/op.h>
#include <gpugraph/pooling.h>
#include <math.h>

#include "base/err.h"
#include "onnx/ops/builders.h"
#include "onnx/ops/onnx_window.h"

/* What a node asks for; lists have an element for each axis of the input. */
typedef struct resize {
  GpuResize how; /* what all axes have in common */
  unsigned int nd;
  unsigned int listed; /* bit i: the node lists axis i */
  double scale[GG_MAX_ND], start[GG_MAX_ND], end[GG_MAX_ND];
  gg_var *size[GG_MAX_ND]; /* NULL: by the scale */
} resize;

/* --- attributes --- */

/* The names are in the order of the enums in gpuarray/pooling.h. */
static int read_how(const gg__onnx_call *c, GpuResize *out) {
  static const char *const modes[] = {"nearest", "linear", "cubic", "bilinear",
                                      NULL};
  static const char *const rules[] = {"half_pixel",
                                      "half_pixel_symmetric",
                                      "pytorch_half_pixel",
                                      "align_corners",
                                      "asymmetric",
                                      "tf_crop_and_resize",
                                      NULL};
  static const char *const rounds[] = {
      "round_prefer_floor", "round_prefer_ceil", "floor", "ceil", NULL};
  const char *usual = c->row->arg == 0 ? "asymmetric" : "half_pixel";
  int i = 0, j = 0, k = 0;

  GA_TRY(gg__call_word(c, "mode", "nearest", modes, &i));
  GA_TRY(gg__call_word(c, "coordinate_transformation_mode", usual, rules, &j));
  GA_TRY(gg__call_word(c, "nearest_mode", rounds[c->row->arg == 0 ? 2 : 0],
                       rounds, &k));
  *out = (GpuResize){
      .mode = i == 3 ? GA_RESIZE_LINEAR : (ga_resize_mode)i,
      .rule = (ga_resize_rule)j,
      .round = (ga_resize_round)k,
      .antialias = i != GA_RESIZE_NEAREST && gg__call_int(c, "antialias", 0),
      .exclude_outside = gg__call_int(c, "exclude_outside", 0) != 0,
      .cubic = gg__call_float(c, "cubic_coeff_a", -0.75)};
  return GA_NO_ERROR;
}

/* The axes that lists of the node are for, n of them. */
static int read_axes(gg__onnx_call *c, resize *r, size_t *n, int *axes) {
  const int64_t *list = gg__call_ints(c, "axes", n);

  r->nd = gg__call_rank(c, 0);
  if (r->nd == 0)
    return ga__fail(GA_VALUE_ERROR, "0 dimensions, expected 1 or more");
  if (*n > r->nd)
    return ga__fail(GA_VALUE_ERROR, "%zu axes of %u dimensions", *n, r->nd);
  for (size_t i = 0; i < *n; i++)
    GA_TRY(gg__call_axis(list[i], r->nd, &axes[i]));
  for (unsigned int i = 0; *n == 0 && i < r->nd; i++)
    axes[i] = (int)i;
  *n = *n == 0 ? r->nd : *n;
  for (size_t i = 0; i < *n; i++)
    r->listed |= 1u << axes[i];
  return GA_NO_ERROR;
}

/* --- inputs --- */

/* Input `at`, which may be empty, as a list of floats; n of them. */
static int read_floats(gg__onnx_call *c, size_t at, size_t n, double *out,
                       int *given) {
  size_t have = 0;

  *given = 0;
  if (!gg__call_has(c, at))
    return GA_NO_ERROR;
  GA_TRY(gg__call_known_floats(c, at, (size_t)2 * GG_MAX_ND, &have, out));
  if (have != 0 && have != n)
    return ga__fail(GA_VALUE_ERROR, "input %zu has %zu values, expected %zu",
                    at, have, n);
  *given = have != 0;
  return GA_NO_ERROR;
}

static int set_scales(resize *r, size_t n, const int *axes,
                      const double *scales) {
  for (size_t i = 0; i < n; i++) {
    if (!(scales[i] > 0) || isinf(scales[i]))
      return ga__fail(GA_VALUE_ERROR, "the scale of axis %d is %g", axes[i],
                      scales[i]);
    r->scale[axes[i]] = scales[i];
  }
  return GA_NO_ERROR;
}

/* One scale for all axes in the list: the least or the largest that the wanted
 * sizes give. The sizes follow from it. */
static int keep_aspect(gg__onnx_call *c, resize *r, size_t n, const int *axes,
                       int largest) {
  const int64_t *have = gg_var_type(gg__call_in(c, 0))->dims;
  int64_t want[GG_MAX_ND];
  double best = 0;

  GA_TRY(gg__call_known(c, 3, GG_MAX_ND, &n, want));
  for (size_t i = 0; i < n; i++) {
    const double x = (double)have[axes[i]], s = (double)want[i] / x;

    if (!(x > 0))
      return ga__fail(GA_UNSUPPORTED_ERROR, "the size of axis %d must be known",
                      axes[i]);
    best = i == 0 || (largest ? s > best : s < best) ? s : best;
  }
  for (size_t i = 0; i < n; i++) {
    const double size = floor(best * (double)have[axes[i]] + 0.5);

    if (!(size >= 0 && size <= GG_WINDOW_MOST))
      return ga__fail(GA_VALUE_ERROR, "axis %d gets %g elements", axes[i],
                      size);
    r->scale[axes[i]] = best;
    r->size[axes[i]] = gg_i64(c->g, (int64_t)size);
  }
  return GA_NO_ERROR;
}

static int read_sizes(gg__onnx_call *c, resize *r, size_t n, const int *axes) {
  static const char *const policies[] = {"stretch", "not_larger", "not_smaller",
                                         NULL};
  gg_var *sizes[GG_MAX_ND];
  size_t have;
  int policy = 0;

  GA_TRY(gg__call_word(c, "keep_aspect_ratio_policy", "stretch", policies,
                       &policy));
  GA_TRY(gg__call_sizes(c, 3, GG_MAX_ND, &have, sizes));
  if (have != n)
    return ga__fail(GA_VALUE_ERROR, "%zu sizes of %zu axes", have, n);
  for (size_t i = 0; i < n; i++)
    r->size[axes[i]] = gg_cast(sizes[i], GA_LONG);
  return policy == 0 ? GA_NO_ERROR : keep_aspect(c, r, n, axes, policy == 2);
}

/* --- building --- */

/* Nonzero if axis i of x stays as it is. */
static int stays(const resize *r, gg_var *x, int i) {
  if ((r->listed >> i & 1) == 0)
    return 1;
  if (r->how.rule == GA_RESIZE_CROP && (r->start[i] != 0 || r->end[i] != 1))
    return 0;
  if (r->size[i] == NULL)
    return r->scale[i] == 1;
  const void *want = gg_var_data(r->size[i]);
  const int64_t have = gg_var_type(x)->dims[i];
  if (want == NULL)
    return r->size[i] == gg_shape(x, i);
  return *(const int64_t *)want == have;
}

/* Set `order` to the axes of x, those that change last. Returns how many
 * change. */
static unsigned int sort_axes(const resize *r, gg_var *x, int *order) {
  unsigned int n = 0, fixed = 0;

  for (int i = 0; i < (int)r->nd; i++)
    if (stays(r, x, i))
      order[fixed++] = i;
  for (int i = 0; i < (int)r->nd; i++)
    if (!stays(r, x, i))
      order[fixed + n++] = i;
  return n;
}

static int apply(const resize *r, gg_var *x, gg_var **out) {
  gg_var *sizes[GA_POOLING_ND];
  int order[GG_MAX_ND], back[GG_MAX_ND], by_size = 0;
  GpuResize how[GA_POOLING_ND];
  const unsigned int n = sort_axes(r, x, order);

  *out = x;
  if (n == 0)
    return GA_NO_ERROR;
  if (n > GA_POOLING_ND)
    return ga__fail(GA_UNSUPPORTED_ERROR, "%u axes change, at most %d", n,
                    GA_POOLING_ND);
  for (unsigned int d = 0; d < n; d++) {
    const int i = order[r->nd - n + d];

    how[d] = r->how;
    how[d].scale = r->scale[i];
    how[d].start = r->start[i];
    how[d].end = r->end[i];
    sizes[d] = r->size[i];
    by_size |= sizes[d] != NULL;
  }
  for (unsigned int i = 0; i < r->nd; i++)
    back[order[i]] = (int)i;
  gg_var *y =
      gg_resize(gg_dimshuffle(x, r->nd, order), n, how, by_size ? sizes : NULL);
  *out = gg_cast(gg_dimshuffle(y, r->nd, back), gg__dtype_of(x));
  return GA_NO_ERROR;
}

/* gg_resize gives 0 outside of the input, so the input is moved by the value
 * that is wanted there. */
static int finish(gg__onnx_call *c, const resize *r) {
  const double outside = gg__call_float(c, "extrapolation_value", 0);
  gg_var *x = gg__call_in(c, 0);

  if (x == NULL)
    return GA_NO_ERROR;
  if (r->how.rule != GA_RESIZE_CROP || outside == 0)
    return apply(r, x, &c->out[0]);
  gg_var *value = gg__like(x, outside), *y;
  GA_TRY(apply(r, gg_sub(x, value), &y));
  c->out[0] = gg_add(y, value);
  return GA_NO_ERROR;
}

/* The part of the input that GA_RESIZE_CROP reads, as parts of the sizes. */
static int read_region(gg__onnx_call *c, resize *r, size_t n, const int *axes) {
  double region[2 * GG_MAX_ND];
  int given;

  if (r->how.rule != GA_RESIZE_CROP)
    return GA_NO_ERROR;
  GA_TRY(read_floats(c, 1, 2 * n, region, &given));
  if (!given)
    return ga__fail(GA_VALUE_ERROR, "the region is missing");
  for (size_t i = 0; i < n; i++) {
    r->start[axes[i]] = region[i];
    r->end[axes[i]] = region[n + i];
  }
  return GA_NO_ERROR;
}

/* Inputs: x, region, scales, sizes. */
int gg__from_resize(gg__onnx_call *c) {
  double scales[2 * GG_MAX_ND];
  int axes[GG_MAX_ND], given;
  resize r = {.nd = 0};
  size_t n;

  GA_TRY(read_how(c, &r.how));
  GA_TRY(read_axes(c, &r, &n, axes));
  GA_TRY(read_region(c, &r, n, axes));
  GA_TRY(read_floats(c, 2, n, scales, &given));
  GA_TRY(given ? set_scales(&r, n, axes, scales) : read_sizes(c, &r, n, axes));
  return finish(c, &r);
}

/* Inputs: x, scales, unless these are an attribute. */
int gg__from_upsample(gg__onnx_call *c) {
  const gg__onnx_attr *a = gg__call_attr(c, "scales");
  double scales[2 * GG_MAX_ND];
  int axes[GG_MAX_ND], given;
  resize r = {.nd = 0};
  size_t n;

  GA_TRY(read_how(c, &r.how));
  GA_TRY(read_axes(c, &r, &n, axes));
  GA_TRY(read_floats(c, 1, n, scales, &given));
  if (!given && (a == NULL || a->n_floats != n))
    return ga__fail(GA_VALUE_ERROR, "%zu scales, expected %zu",
                    a == NULL ? (size_t)0 : a->n_floats, n);
  for (size_t i = 0; !given && i < n; i++)
    scales[i] = (double)a->floats[i];
  GA_TRY(set_scales(&r, n, axes, scales));
  return finish(c, &r);
}
