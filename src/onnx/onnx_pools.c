/* SPDX-License-Identifier: BSD-2-Clause */
/* Pools, the inverse of the largest elements, and images of columns. */
#include <gpugraph/conv.h>
#include <gpugraph/create.h>
#include <gpugraph/op.h>
#include <gpugraph/pooling.h>

#include "base/err.h"
#include "onnx/builders.h"
#include "onnx/onnx_window.h"

/* --- windows --- */

/* With auto_pad, rounding up and down are the same. */
static int read_pool(gg__onnx_call *c, GpuPooling *p) {
  gg__window w;

  GA_TRY(gg__window_read(c, NULL, &w));
  GA_TRY(gg__window_auto(c, &w));
  *p = (GpuPooling){.nd = w.nd};
  if (w.automatic == GG_AUTO_NOTSET && gg__call_int(c, "ceil_mode", 0) != 0)
    p->flags |= GA_POOLING_CEIL;
  if (gg__call_int(c, "count_include_pad", 0) != 0)
    p->flags |= GA_POOLING_COUNT_PADDING;
  for (unsigned int i = 0; i < w.nd; i++) {
    p->size[i] = (size_t)w.kernel[i];
    p->stride[i] = (size_t)w.stride[i];
    p->dilation[i] = (size_t)w.dilation[i];
    p->before[i] = (size_t)w.before[i];
    p->after[i] = (size_t)w.after[i];
  }
  return GA_NO_ERROR;
}

int gg__from_mean_pool(gg__onnx_call *c) {
  GpuPooling p;

  GA_TRY(read_pool(c, &p));
  c->out[0] = gg_pool_mean(gg__call_in(c, 0), &p);
  return GA_NO_ERROR;
}

/* In opset 1, p is a float. */
static double read_power(const gg__onnx_call *c) {
  return c->row->until != 0 ? gg__call_float(c, "p", 2)
                            : (double)gg__call_int(c, "p", 2);
}

int gg__from_norm_pool(gg__onnx_call *c) {
  GpuPooling p;

  GA_TRY(read_pool(c, &p));
  c->out[0] = gg_pool_norm(gg__call_in(c, 0), read_power(c), &p);
  return GA_NO_ERROR;
}

/* --- positions of the largest elements --- */

/* Indices that count in C order over the axes of x from 2 on, in the order in
 * which the first of these axes changes fastest. */
static gg_var *first_fastest(gg_var *at, gg_var *x) {
  gg_var *y = NULL;

  for (int i = (int)gg_var_type(x)->nd - 1; i >= 2; i--) {
    gg_var *n = gg__size_of(x, i);
    gg_var *part = gg_mul(gg_mod(at, n), gg__span(x, 2, (unsigned int)i));

    y = y == NULL ? part : gg_add(y, part);
    at = gg_floordiv(at, n);
  }
  return y;
}

/* Indices of all of x, where `at` counts within images and channels. */
static gg_var *in_all(gg_var *at, gg_var *x) {
  gg_var *image = gg_add(gg_mul(gg_positions(at, 0), gg__size_of(x, 1)),
                         gg_positions(at, 1));

  return gg_add(at, gg_mul(image, gg__span(x, 2, gg_var_type(x)->nd)));
}

int gg__from_max_pool(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *at;
  GpuPooling p;

  GA_TRY(read_pool(c, &p));
  c->out[0] = gg_pool_max(x, &p);
  if (c->n_out < 2 || x == NULL)
    return GA_NO_ERROR;
  at = gg_pool_indices(x, &p);
  if (gg__call_int(c, "storage_order", 0) != 0)
    at = first_fastest(at, x);
  c->out[1] = in_all(at, x);
  return GA_NO_ERROR;
}

/* --- inverses --- */

/* The sizes of what a pool with these windows made y of. */
static void unpooled_sizes(gg_var *y, const gg__window *w, gg_var **sizes) {
  gg_graph *g = gg_var_graph(y);

  sizes[0] = gg__size_of(y, 0);
  sizes[1] = gg__size_of(y, 1);
  for (unsigned int i = 0; i < w->nd; i++) {
    gg_var *last = gg_sub(gg__size_of(y, (int)i + 2), gg_i64(g, 1));
    gg_var *rest = gg_i64(g, w->kernel[i] - w->before[i] - w->after[i]);

    sizes[2 + i] = gg_add(gg_mul(last, gg_i64(g, w->stride[i])), rest);
  }
}

/* Put the elements of input 0 where the indices of a pool, input 1, say. Input
 * 2 is a shape that may be larger: zeros follow along each axis. */
int gg__from_max_unpool(gg__onnx_call *c) {
  gg_var *y = gg__call_in(c, 0), *sizes[GG_MAX_ND], *want[GG_MAX_ND];
  gg_var *none[GG_MAX_ND] = {NULL}, *more[GG_MAX_ND] = {NULL};
  const unsigned int nd = gg__call_rank(c, 0);
  gg__window w;
  size_t n = 0;

  GA_TRY(gg__window_read(c, NULL, &w));
  unpooled_sizes(y, &w, sizes);
  gg_var *like = gg_alloc(gg__like(y, 0), nd, sizes);
  gg_var *at = gg_mod(gg__call_in(c, 1), gg__span(like, 2, nd));
  c->out[0] = gg_unpool(y, at, w.nd, like);
  if (!gg__call_has(c, 2))
    return GA_NO_ERROR;
  GA_TRY(gg__call_sizes(c, 2, GG_MAX_ND, &n, want));
  if (n != nd)
    return ga__fail(GA_VALUE_ERROR, "output_shape has %zu sizes of %u", n, nd);
  for (size_t i = 0; i < n; i++)
    more[i] = gg_sub(want[i], sizes[i]);
  c->out[0] = gg_pad_sizes(c->out[0], none, more, GG_PAD_CONSTANT, NULL);
  return GA_NO_ERROR;
}

/* --- images of columns --- */

/* The windows of an image and of its columns. */
typedef struct columns {
  GpuConv conv;
  int64_t image[GG_WINDOW_ND], block[GG_WINDOW_ND], blocks[GG_WINDOW_ND];
  size_t more[GG_WINDOW_ND]; /* elements that no window reaches */
} columns;

static int read_columns(gg__onnx_call *c, columns *k) {
  int64_t stride[GG_WINDOW_ND], dilation[GG_WINDOW_ND], pads[2 * GG_WINDOW_ND];
  size_t n, m;

  GA_TRY(gg__call_known(c, 1, GG_WINDOW_ND, &n, k->image));
  GA_TRY(gg__call_known(c, 2, GG_WINDOW_ND, &m, k->block));
  if (n != m || n == 0)
    return ga__fail(GA_VALUE_ERROR, "%zu sizes of images, %zu of blocks", n, m);
  k->conv = (GpuConv){.nd = (unsigned int)n, .groups = 1};
  GA_TRY(gg__window_list(c, "strides", k->conv.nd, 1, 1, stride));
  GA_TRY(gg__window_list(c, "dilations", k->conv.nd, 1, 1, dilation));
  GA_TRY(gg__window_list(c, "pads", 2 * k->conv.nd, 0, 0, pads));
  for (size_t i = 0; i < n; i++) {
    if (k->image[i] < 1 || k->image[i] > GG_WINDOW_MOST || k->block[i] < 1)
      return ga__fail(GA_VALUE_ERROR,
                      "dim %zu: an image of %lld, blocks of "
                      "%lld",
                      i, (long long)k->image[i], (long long)k->block[i]);
    k->conv.stride[i] = (size_t)stride[i];
    k->conv.dilation[i] = (size_t)dilation[i];
    k->conv.before[i] = (size_t)pads[i];
    k->conv.after[i] = (size_t)pads[n + i];
  }
  return GA_NO_ERROR;
}

static int count_blocks(columns *k) {
  for (unsigned int i = 0; i < k->conv.nd; i++) {
    size_t n;

    GA_TRY(GpuConv_size(&n, &k->conv, i, (size_t)k->image[i],
                        (size_t)k->block[i]));
    const size_t span = ((size_t)k->block[i] - 1) * k->conv.dilation[i] + 1;
    k->blocks[i] = (int64_t)n;
    k->more[i] = (size_t)k->image[i] + k->conv.before[i] + k->conv.after[i] -
                 span - (n - 1) * k->conv.stride[i];
  }
  return GA_NO_ERROR;
}

/* x reshaped to [a, b, sizes...]. */
static gg_var *to_image(gg_var *x, const columns *k, gg_var *a, gg_var *b,
                        const int64_t *dims) {
  gg_var *sizes[2 + GG_WINDOW_ND] = {a, b};

  for (unsigned int i = 0; x != NULL && i < k->conv.nd; i++)
    sizes[2 + i] = gg_i64(gg_var_graph(x), dims[i]);
  return x == NULL ? NULL : gg__to_sizes(x, 2 + k->conv.nd, sizes);
}

/* The elements of a block; 0 if they are too many. */
static int64_t count_elements(const columns *k) {
  int64_t n = 1;

  for (unsigned int i = 0; n > 0 && i < k->conv.nd; i++)
    n = k->block[i] > GG_WINDOW_MOST / n ? 0 : n * k->block[i];
  return n;
}

/* Columns [n, channels m, blocks], m elements in each block, to images [n,
 * channels, sizes...]: a transposed convolution whose filter i has a 1 at
 * element i of the window, and zeros elsewhere. */
int gg__from_col2im(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *one = gg_i64(c->g, 1);
  columns k;

  GA_TRY(read_columns(c, &k));
  const int64_t n = count_elements(&k);
  if (gg__call_rank(c, 0) != 3 || n == 0)
    return ga__fail(GA_VALUE_ERROR,
                    "%u dimensions, expected 3, and blocks of %lld elements",
                    gg__call_rank(c, 0), (long long)n);
  GA_TRY(count_blocks(&k));
  gg_var *m = gg_i64(c->g, n), *channels = gg__over(gg__size_of(x, 1), n);
  gg_var *filters = gg_eye(m, m, 0, gg__dtype_of(x));
  gg_var *images = gg_mul(gg__size_of(x, 0), channels);
  gg_var *y = gg_conv_transposed(to_image(x, &k, images, m, k.blocks),
                                 to_image(filters, &k, m, one, k.block),
                                 &k.conv, k.more);

  c->out[0] = to_image(y, &k, gg__size_of(x, 0), channels, k.image);
  return GA_NO_ERROR;
}

/* --- all of an image --- */

int gg__from_global_norm_pool(gg__onnx_call *c) {
  gg_var *x = gg_abs(gg__call_in(c, 0));
  const double p = read_power(c);
  int axes[GG_MAX_ND];
  unsigned int n = 0;

  for (unsigned int i = 2; i < gg__call_rank(c, 0); i++)
    axes[n++] = (int)i;
  if (n == 0 || !(p > 0))
    return ga__fail(GA_VALUE_ERROR, "p is %g, of %u dimensions", p,
                    gg__call_rank(c, 0));
  gg_var *sum = gg_reduce(GG_SUM, gg_pow(x, gg__like(x, p)), n, axes, 1);
  c->out[0] = gg_pow(sum, gg__like(x, 1 / p));
  return GA_NO_ERROR;
}
