/* SPDX-License-Identifier: BSD-2-Clause */
/* Pools, also of whole images, and the inverse of the largest elements. */
#include <gpugraph/op.h>
#include <gpugraph/pooling.h>

#include "base/err.h"
#include "onnx/ops/builders.h"
#include "onnx/ops/onnx_window.h"

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

/* --- all of an image --- */

int gg__from_global_pool(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  const unsigned int nd = gg__call_rank(c, 0);

  if (nd < 3)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, expected 3 or more", nd);
  gg_var *y = gg_pool_global(x, c->row->arg == 0 ? GG_POOL_MAX : GG_POOL_MEAN,
                             nd - 2, 0);
  c->out[0] = gg_cast(y, gg__dtype_of(x));
  return GA_NO_ERROR;
}

int gg__from_global_norm_pool(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  const double p = read_power(c);
  const unsigned int nd = gg__call_rank(c, 0);

  if (nd < 3 || !(p > 0))
    return ga__fail(GA_VALUE_ERROR, "p is %g, of %u dimensions", p, nd);
  c->out[0] = gg_pool_global(x, GG_POOL_NORM, nd - 2, p);
  return GA_NO_ERROR;
}
