/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of images as matrices and back, and blocks of elements as channels:
 * reads and sums by index, and reshapes. */
#include <gpugraph/arrange.h>
#include <gpugraph/images.h>

#include "ops/compose.h"

/* --- windows --- */

/* Windows along the axes of x [images, channels, sizes...], of which only the
 * sizes matter. */
typedef struct windows {
  const GpuPooling *p;
  gg_var *padded[GA_POOLING_ND]; /* sizes, int64 */
  gg_var *count[GA_POOLING_ND];
  gg_var *index[GA_POOLING_ND]; /* of the elements of all windows */
} windows;

/* The size of axis d of x if it is known and `is_source`, else the largest one
 * that all sizes fit. */
static size_t source_size(gg_var *x, const GpuPooling *p, unsigned int d,
                          int is_source) {
  const int64_t known = is_source ? gg_var_type(x)->dims[d + 2] : GG_ANY;
  const size_t most = INT32_MAX / 4, padding = p->before[d] + p->after[d];

  return known >= 0 ? (size_t)known : padding < most ? most - padding : 0;
}

static int check_geometry(const gg_op *op, gg_var *x, const GpuPooling *p,
                          unsigned int nd) {
  if (!gg__given(op, 1, &x))
    return 0;
  if (p == NULL || p->nd < 1 || p->nd > GA_POOLING_ND || p->flags != 0 ||
      (nd != 0 && gg__rank_of(x) != p->nd + nd)) {
    gg__refuse(op, 1, &x, GA_VALUE_ERROR,
               "expected [images, channels, 1 to 3 sizes], and no flags");
    return 0;
  }
  for (unsigned int d = 0; d < p->nd; d++) {
    size_t y;
    const int err = GpuPooling_size(&y, p, d, source_size(x, p, d, nd != 0));
    if (err != GA_NO_ERROR) {
      gg__refuse(op, 1, &x, err, "%s", gpuarray_error_text(err));
      return 0;
    }
  }
  return 1;
}

/* start + step i, for i below n. */
static gg_var *count_by(gg_graph *g, gg_var *n, size_t step) {
  return gg_mul(gg_arange(gg_i64(g, 0), n, gg_i64(g, 1)),
                gg_i64(g, (int64_t)step));
}

static int find_windows(windows *w, gg_graph *g, const GpuPooling *p,
                        gg_var *const *sizes) {
  *w = (windows){.p = p};
  for (unsigned int d = 0; d < p->nd; d++) {
    const int64_t span = (int64_t)((p->size[d] - 1) * p->dilation[d]) + 1;

    w->padded[d] =
        gg__number_add(gg_cast(sizes[d], GA_LONG),
                       gg_i64(g, (int64_t)(p->before[d] + p->after[d])));
    w->count[d] = gg__number_add(
        gg__number_over(gg__number_add(w->padded[d], gg_i64(g, -span)),
                        (int64_t)p->stride[d]),
        gg_i64(g, 1));
    gg_var *k = count_by(g, gg_i64(g, (int64_t)p->size[d]), p->dilation[d]);
    w->index[d] = gg_flatten(
        gg_add(gg_expand_dims(k, 1),
               gg_expand_dims(count_by(g, w->count[d], p->stride[d]), 0)));
    if (w->index[d] == NULL)
      return 0;
  }
  return 1;
}

/* How many windows there are. */
static gg_var *all_windows(const windows *w) {
  gg_var *n = w->count[0];

  for (unsigned int d = 1; d < w->p->nd; d++)
    n = gg__number_mul(n, w->count[d]);
  return n;
}

/* The sizes of [images, channels, elements, windows, elements, windows ...]. */
static void windowed_sizes(const windows *w, gg_graph *g, gg_var *const *lead,
                           gg_var **sizes) {
  sizes[0] = lead[0];
  sizes[1] = lead[1];
  for (unsigned int d = 0; d < w->p->nd; d++) {
    sizes[2 + 2 * d] = gg_i64(g, (int64_t)w->p->size[d]);
    sizes[3 + 2 * d] = w->count[d];
  }
}

/* x, whose open sizes hold a window: calls check that. */
static gg_var *with_windows(const gg_op *op, gg_var *x, const GpuPooling *p) {
  gg_var *sizes[GG_MAX_ND] = {NULL};

  for (unsigned int d = 0; d < p->nd; d++) {
    const int64_t least = (int64_t)((p->size[d] - 1) * p->dilation[d]) + 1 -
                          (int64_t)(p->before[d] + p->after[d]);

    if (gg_var_type(x)->dims[d + 2] == GG_ANY && least > 0)
      sizes[d + 2] =
          gg__number_most(gg_shape(x, (int)d + 2), gg__whole_number(x, least));
  }
  return gg__with_sizes(op, 1, &x, x, sizes,
                        "a window spans at most the padded source");
}

/* Such an array of the elements of x. */
static gg_var *read_windows(windows *w, gg_var *x, const GpuPooling *p) {
  gg_var *const lead[2] = {gg_shape(x, 0), gg_shape(x, 1)};
  int64_t before[GG_MAX_ND] = {0}, after[GG_MAX_ND] = {0};
  gg_var *sizes[GG_MAX_ND];

  for (unsigned int d = 0; d < p->nd; d++) {
    sizes[d] = gg_shape(x, (int)d + 2);
    before[d + 2] = (int64_t)p->before[d];
    after[d + 2] = (int64_t)p->after[d];
  }
  if (!find_windows(w, gg_var_graph(x), p, sizes))
    return NULL;
  windowed_sizes(w, gg_var_graph(x), lead, sizes);
  x = gg_pad(x, before, after, GG_PAD_CONSTANT, NULL);
  for (unsigned int d = 0; d < p->nd; d++)
    x = gg_take_axis(x, (int)d + 2, w->index[d]);
  return gg_reshape_sizes(x, 2 * p->nd + 2, sizes);
}

/* Add such an array up: the result is [images, channels, sizes...], and `lead`
 * has the numbers of images and channels. */
static gg_var *add_windows(const windows *w, gg_var *y, gg_var *const *lead) {
  const unsigned int n = w->p->nd;
  gg_var *sizes[GG_MAX_ND] = {lead[0], lead[1]};

  for (unsigned int d = 0; d < n; d++)
    sizes[d + 2] = gg_size(w->index[d]);
  y = gg_reshape_sizes(y, n + 2, sizes);
  for (unsigned int d = n; d-- > 0 && y != NULL;) {
    sizes[d + 2] = w->padded[d];
    y = gg_put_add(gg_alloc(gg__num(y, 0), n + 2, sizes), (int)d + 2,
                   w->index[d], y);
  }
  for (unsigned int d = 0; d < n; d++)
    y = gg_slice(y, (int)d + 2, (int64_t)w->p->before[d],
                 w->p->after[d] > 0 ? -(int64_t)w->p->after[d] : GG_END, 1);
  return y;
}

/* Elements of windows in front of windows, or back. */
static gg_var *sort_axes(gg_var *y, unsigned int n, int is_back,
                         int windows_first) {
  int pattern[GG_MAX_ND] = {0, 1}, back[GG_MAX_ND];

  for (unsigned int d = 0; d < n; d++) {
    pattern[2 + d + (windows_first ? n : 0)] = 2 + 2 * (int)d;
    pattern[2 + d + (windows_first ? 0 : n)] = 3 + 2 * (int)d;
  }
  for (unsigned int k = 0; k < 2 * n + 2; k++)
    back[pattern[k]] = (int)k;
  return gg_dimshuffle(y, 2 * n + 2, is_back ? back : pattern);
}

/* The sizes of an array in the order of sort_axes. */
static void sorted_sizes(const windows *w, int windows_first, gg_graph *g,
                         gg_var **sizes) {
  const unsigned int n = w->p->nd;

  for (unsigned int d = 0; d < n; d++) {
    sizes[d + (windows_first ? n : 0)] = gg_i64(g, (int64_t)w->p->size[d]);
    sizes[d + (windows_first ? 0 : n)] = w->count[d];
  }
}

static int64_t elements(const GpuPooling *p) {
  int64_t n = 1;

  for (unsigned int d = 0; d < p->nd; d++)
    n *= (int64_t)p->size[d];
  return n;
}

/* Fails if a window has more elements than an array may have. */
static int check_elements(const gg_op *op, gg_var *x, const GpuPooling *p) {
  double n = 1;

  for (unsigned int d = 0; d < p->nd; d++)
    n *= (double)p->size[d];
  if (n < 0x1p56)
    return 1;
  gg__refuse(op, 1, &x, GA_VALUE_ERROR, "windows of %g elements", n);
  return 0;
}

static gg_var *build_windows(const gg_op *op, gg_var *x, const GpuPooling *p) {
  windows w;

  x = with_windows(op, x, p);
  gg_var *y = x != NULL ? read_windows(&w, x, p) : NULL;
  if (y == NULL)
    return NULL;
  gg_var *const sizes[3] = {
      gg_shape(x, 0),
      gg__number_mul(gg_shape(x, 1), gg__whole_number(x, elements(p))),
      all_windows(&w)};
  return gg_reshape_sizes(sort_axes(y, p->nd, 0, 0), 3, sizes);
}

gg_var *gg_windows(gg_var *x, const GpuPooling *p) {
  static const gg_op op = {.name = "windows"};

  if (!check_geometry(&op, x, p, 2) || !check_elements(&op, x, p))
    return NULL;
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer = gg_parts_begin(g, &op, 1, &x, NULL);
  return gg_parts_end(g, outer, build_windows(&op, x, p));
}

/* The sum of columns (or rows, if `windows_first`) y with `lead` images and
 * channels. Errors name `op` and its n operands `in`, of which y is one. */
static gg_var *fold(const gg_op *op, unsigned int n, gg_var *const *in,
                    const GpuPooling *p, gg_var *const *sizes,
                    gg_var *const *lead, int windows_first) {
  gg_var *all[GG_MAX_ND] = {lead[0], lead[1]}, *y = in[0];
  gg_var *each = gg_i64(gg_var_graph(y), elements(p));
  windows w;

  if (!find_windows(&w, gg_var_graph(y), p, sizes))
    return NULL;
  gg_var *const columns[3] = {NULL, gg__number_mul(lead[1], each),
                              all_windows(&w)};
  gg_var *const rows[2] = {
      gg__number_mul(gg__number_mul(lead[0], lead[1]), columns[2]), each};
  y = gg__with_sizes(op, n, in, y, windows_first ? rows : columns,
                     windows_first ? "a row for each window"
                                   : "a column for each window, and a row for "
                                     "each of its elements in each channel");
  if (y == NULL)
    return NULL;
  sorted_sizes(&w, windows_first, gg_var_graph(y), all + 2);
  y = gg_reshape_sizes(y, 2 * p->nd + 2, all);
  return add_windows(&w, sort_axes(y, p->nd, 1, windows_first), lead);
}

/* Nonzero unless `size` is known and too small for a window. */
static int holds_window(const gg_op *op, gg_var *y, const GpuPooling *p,
                        unsigned int d, gg_var *size) {
  const double most = INT32_MAX / 4;
  double known;
  size_t n;

  if (!gg_var_uniform(size, &known))
    return 1;
  const int err =
      known >= 0 && known <= most
          ? GpuPooling_size(&n, p, d, (size_t)known)
          : ga__fail(GA_VALUE_ERROR, "dim %u: %.0f is not a size", d, known);
  if (err != GA_NO_ERROR)
    gg__refuse(op, 1, &y, err, "%s", gpuarray_error_text(err));
  return err == GA_NO_ERROR;
}

gg_var *gg_windows_back(gg_var *y, const GpuPooling *p, gg_var *const *sizes) {
  static const gg_op op = {.name = "windows_back"};

  if (!gg__given_beside(&op, y, 1, sizes) || !check_geometry(&op, y, p, 0) ||
      !check_elements(&op, y, p))
    return NULL;
  if (gg__rank_of(y) != 3 || sizes == NULL)
    return gg__refuse(&op, 1, &y, GA_VALUE_ERROR,
                      "expected [images, channels * elements, windows], and "
                      "sizes");
  if (!gg__given(&op, p->nd, sizes))
    return NULL;
  for (unsigned int d = 0; d < p->nd; d++)
    if (!gg__check_number(&op, y, sizes[d]) ||
        !holds_window(&op, y, p, d, sizes[d]))
      return NULL;
  gg_graph *const g = gg_var_graph(y);
  const gg_parts *outer =
      gg_parts_begin(g, &op, 1, &y, "sizes hold a window at least");
  gg_var *const lead[2] = {gg_shape(y, 0),
                           gg__number_over(gg_shape(y, 1), elements(p))};
  return gg_parts_end(g, outer, fold(&op, 1, &y, p, sizes, lead, 0));
}

static gg_var *build_rows(const gg_op *op, gg_var *x, const GpuPooling *p) {
  windows w;

  x = with_windows(op, x, p);
  gg_var *y = x != NULL ? read_windows(&w, x, p) : NULL;
  return y != NULL ? gg_reshape(sort_axes(y, p->nd, 0, 1), 2,
                                (int64_t[]){-1, elements(p)})
                   : NULL;
}

gg_var *gg_neighbours(gg_var *x, const GpuPooling *p) {
  static const gg_op op = {.name = "neighbours"};

  if (!check_geometry(&op, x, p, 2) || !check_elements(&op, x, p))
    return NULL;
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer = gg_parts_begin(g, &op, 1, &x, NULL);
  return gg_parts_end(g, outer, build_rows(&op, x, p));
}

gg_var *gg_neighbours_back(gg_var *y, const GpuPooling *p, gg_var *like) {
  static const gg_op op = {.name = "neighbours_back"};
  gg_var *const in[2] = {y, like};
  gg_var *sizes[GA_POOLING_ND];

  if (!gg__given(&op, 2, in) || !check_geometry(&op, like, p, 2) ||
      !check_elements(&op, y, p))
    return NULL;
  if (gg__rank_of(y) != 2)
    return gg__refuse(&op, 2, in, GA_VALUE_ERROR, "expected a matrix");
  for (unsigned int d = 0; d < p->nd; d++)
    sizes[d] = gg_shape(like, (int)d + 2);
  gg_graph *const g = gg_var_graph(y);
  const gg_parts *outer =
      gg_parts_begin(g, &op, 2, in, "the image holds a window at least");
  gg_var *const lead[2] = {gg_shape(like, 0), gg_shape(like, 1)};
  return gg_parts_end(g, outer, fold(&op, 2, in, p, sizes, lead, 1));
}

/* --- blocks --- */

/* Is the size of axis d, if it is known, a multiple of n? */
static int is_multiple(const gg_op *op, gg_var *x, unsigned int d,
                       unsigned int n) {
  const int64_t size = gg_var_type(x)->dims[d];

  if (size == GG_ANY || size % n == 0)
    return 1;
  gg__refuse(op, 1, &x, GA_VALUE_ERROR, "dim %u: %lld is no multiple of %u", d,
             (long long)size, n);
  return 0;
}

static int check_blocks(const gg_op *op, gg_var *x, unsigned int r) {
  if (!gg__given(op, 1, &x))
    return 0;
  if (gg__rank_of(x) == 4 && r >= 1 && r <= 1u << 15)
    return 1;
  gg__refuse(op, 1, &x, GA_VALUE_ERROR,
             "blocks of %u, %u dimensions, expected 4", r, gg__rank_of(x));
  return 0;
}

gg_var *gg_pixel_shuffle(gg_var *x, unsigned int r) {
  static const gg_op op = {.name = "pixel_shuffle"};

  if (!check_blocks(&op, x, r) || !is_multiple(&op, x, 1, r * r))
    return NULL;
  gg_graph *g = gg_var_graph(x);
  const gg_parts *outer = gg_parts_begin(
      g, &op, 1, &x, "squares of the size of blocks divide the channels");
  gg_var *n = gg_i64(g, r), *size[4];
  gg__sizes_of(x, size);
  gg_var *c = gg_floordiv(size[1], gg_i64(g, (int64_t)r * r));
  gg_var *const apart[6] = {size[0], c, n, n, size[2], size[3]};
  gg_var *const to[4] = {size[0], c, gg__number_mul(size[2], n),
                         gg__number_mul(size[3], n)};
  x = gg_dimshuffle(gg_reshape_sizes(x, 6, apart), 6,
                    (int[]){0, 1, 4, 2, 5, 3});
  return gg_parts_end(g, outer, gg_reshape_sizes(x, 4, to));
}

gg_var *gg_pixel_unshuffle(gg_var *x, unsigned int r) {
  static const gg_op op = {.name = "pixel_unshuffle"};

  if (!check_blocks(&op, x, r) || !is_multiple(&op, x, 2, r) ||
      !is_multiple(&op, x, 3, r))
    return NULL;
  gg_graph *g = gg_var_graph(x);
  const gg_parts *outer =
      gg_parts_begin(g, &op, 1, &x, "blocks divide rows and columns");
  gg_var *n = gg_i64(g, r), *size[4];
  gg__sizes_of(x, size);
  gg_var *rows = gg_floordiv(size[2], n), *columns = gg_floordiv(size[3], n);
  gg_var *const apart[6] = {size[0], size[1], rows, n, columns, n};
  gg_var *const to[4] = {size[0],
                         gg__number_mul(size[1], gg_i64(g, (int64_t)r * r)),
                         rows, columns};
  x = gg_dimshuffle(gg_reshape_sizes(x, 6, apart), 6,
                    (int[]){0, 1, 3, 5, 2, 4});
  return gg_parts_end(g, outer, gg_reshape_sizes(x, 4, to));
}
