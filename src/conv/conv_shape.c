/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of convolutions, and checks of their arrays. */
#include "conv/conv_shape.h"

#include <stdio.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/arith.h"
#include "base/dtype.h"

/* --- geometry --- */

static int check_dim(const GpuConv *c, unsigned int d) {
  if (c->stride[d] == 0)
    return ga__fail(GA_VALUE_ERROR, "dim %u: stride is 0", d);
  if (c->dilation[d] == 0)
    return ga__fail(GA_VALUE_ERROR, "dim %u: dilation is 0", d);
  if (c->stride[d] > GA__CONV_MOST || c->dilation[d] > GA__CONV_MOST ||
      c->before[d] > GA__CONV_MOST || c->after[d] > GA__CONV_MOST)
    return ga__fail(GA_VALUE_ERROR,
                    "dim %u: stride %zu, dilation %zu, padding %zu and %zu: at "
                    "most %zu",
                    d, c->stride[d], c->dilation[d], c->before[d], c->after[d],
                    GA__CONV_MOST);
  return GA_NO_ERROR;
}

static int fail_nd(const GpuConv *c) {
  return ga__fail(GA_VALUE_ERROR, "%u spatial dimensions, expected 1 to %d",
                  c->nd, GA_CONV_ND);
}

int GpuConv_size(size_t *y, const GpuConv *c, unsigned int dim, size_t x,
                 size_t w) {
  if (c == NULL)
    return ga__fail(GA_INVALID_ERROR, "no geometry");
  if (c->nd > GA_CONV_ND)
    return fail_nd(c);
  if (dim >= c->nd)
    return ga__fail(GA_VALUE_ERROR, "dim %u: the geometry has %u", dim, c->nd);
  GA_TRY(check_dim(c, dim));
  if (w == 0)
    return ga__fail(GA_VALUE_ERROR, "dim %u: filters have size 0", dim);
  const size_t span = ga__times(w - 1, c->dilation[dim]);
  const size_t padded =
      x <= GA__CONV_MOST ? x + c->before[dim] + c->after[dim] : x;
  if (x > GA__CONV_MOST || span >= GA__CONV_MOST)
    return ga__fail(GA_VALUE_ERROR,
                    "dim %u: input %zu, filters %zu with dilation %zu: at most "
                    "%zu elements",
                    dim, x, w, c->dilation[dim], GA__CONV_MOST);
  if (span >= padded)
    return ga__fail(GA_VALUE_ERROR,
                    "dim %u: filters of %zu with dilation %zu span %zu, the "
                    "input of %zu with padding %zu and %zu has %zu",
                    dim, w, c->dilation[dim], span + 1, x, c->before[dim],
                    c->after[dim], padded);
  *y = (padded - span - 1) / c->stride[dim] + 1;
  return GA_NO_ERROR;
}

/* Set the padding of dimension d. Sizes are at most GA__CONV_MOST. */
static void pad_dim(GpuConv *c, unsigned int d, ga_conv_padding how, size_t w,
                    size_t x) {
  const size_t less = (w - 1) * c->dilation[d], by = c->stride[d];
  const size_t last = x > 0 ? (x - 1) / by * by : 0; /* of the last window */
  const size_t all = last + less + 1 > x ? last + less + 1 - x : 0;

  c->before[d] = how == GA_CONV_SAME   ? all / 2
                 : how == GA_CONV_HALF ? (less + 1) / 2
                 : how == GA_CONV_FULL ? less
                                       : 0;
  c->after[d] = how == GA_CONV_SAME ? all - all / 2 : c->before[d];
}

/* Check what pad_dim uses, where x is 1 if it does not matter. */
static int check_pad(const GpuConv *c, unsigned int d, size_t w, size_t x) {
  if (c->stride[d] == 0 || c->dilation[d] == 0 || w == 0)
    return ga__fail(GA_VALUE_ERROR,
                    "dim %u: stride %zu, dilation %zu, filters of size %zu: at "
                    "least 1",
                    d, c->stride[d], c->dilation[d], w);
  if (x > GA__CONV_MOST || c->stride[d] > GA__CONV_MOST ||
      ga__times(w - 1, c->dilation[d]) > GA__CONV_MOST)
    return ga__fail(GA_VALUE_ERROR,
                    "dim %u: input %zu, stride %zu, filters %zu with dilation "
                    "%zu: at most %zu elements",
                    d, x, c->stride[d], w, c->dilation[d], GA__CONV_MOST);
  return GA_NO_ERROR;
}

int GpuConv_pad(GpuConv *c, ga_conv_padding how, const size_t *w,
                const size_t *x) {
  if (c == NULL || w == NULL)
    return ga__fail(GA_INVALID_ERROR, "no %s",
                    c == NULL ? "geometry" : "sizes of filters");
  if (c->nd < 1 || c->nd > GA_CONV_ND)
    return fail_nd(c);
  if ((unsigned int)how >= GA_CONV_PADDINGS)
    return ga__fail(GA_VALUE_ERROR, "unknown padding %d", (int)how);
  for (unsigned int d = 0; d < c->nd; d++) {
    if (x == NULL && how == GA_CONV_SAME && c->stride[d] > 1)
      return ga__fail(GA_INVALID_ERROR,
                      "dim %u: padding with stride %zu needs the input's size",
                      d, c->stride[d]);
    GA_TRY(check_pad(c, d, w[d], x != NULL ? x[d] : 1));
  }
  for (unsigned int d = 0; d < c->nd; d++)
    pad_dim(c, d, how, w[d], x != NULL ? x[d] : 1);
  return GA_NO_ERROR;
}

static int check_geometry(const GpuConv *c) {
  if (c->nd < 1 || c->nd > GA_CONV_ND)
    return fail_nd(c);
  if (c->groups == 0)
    return ga__fail(GA_VALUE_ERROR, "0 groups");
  for (unsigned int d = 0; d < c->nd; d++)
    GA_TRY(check_dim(c, d));
  return GA_NO_ERROR;
}

/* --- arrays --- */

static int check_array(const char *name, const GpuArray *a, unsigned int nd,
                       const GpuArray *like, int is_result) {
  gpucontext *ctx = like != NULL ? GpuArray_context(like) : NULL;
  const int typecode = like != NULL ? like->typecode : GA_OPERAND_ANY;

  if (a == NULL || a->data == NULL)
    return ga__fail(GA_INVALID_ERROR, "%s: no array", name);
  if (ctx == NULL)
    ctx = GpuArray_context(a);
  if (like == NULL && ga__dtype_kind(a->typecode) != GA_KIND_FLOAT)
    return ga__fail(GA_INVALID_ERROR, "%s is %s, expected a float dtype", name,
                    ga__dtype_name(a->typecode));
  GA_TRY(is_result ? ga__operand_check_result(name, a, ctx, typecode)
                   : ga__operand_check_array(name, a, ctx, typecode));
  if (a->nd != nd + 2)
    return ga__fail(GA_VALUE_ERROR, "%s has %u dimensions, expected %u", name,
                    a->nd, nd + 2);
  for (unsigned int i = 0; i < a->nd && ga__array_total(a) > 0; i++) {
    if (a->dimensions[i] > 1 &&
        a->strides[i] % (ssize_t)ga__dtype_size(a->typecode) != 0)
      return ga__fail(GA_COPY_ERROR, "%s: stride %zd needs a copy", name,
                      a->strides[i]);
  }
  return is_result ? ga__operand_check_places(name, a) : GA_NO_ERROR;
}

/* Kernels compute images, channels and filters as ints. */
static int check_counts(size_t images, size_t channels, size_t filters) {
  if (images > INT_MAX || channels > INT_MAX || filters > INT_MAX)
    return ga__fail(GA_VALUE_ERROR,
                    "%zu images, %zu channels, %zu filters: at most %d", images,
                    channels, filters, INT_MAX);
  return GA_NO_ERROR;
}

static int check_channels(const GpuConv *c, const GpuArray *x,
                          const GpuArray *w, const GpuArray *y) {
  const size_t channels = x->dimensions[1], filters = w->dimensions[0];

  GA_TRY(check_counts(x->dimensions[0], channels, filters));
  if (channels % c->groups != 0)
    return ga__fail(GA_VALUE_ERROR,
                    "%zu channels are no multiple of %zu groups", channels,
                    c->groups);
  if (filters % c->groups != 0)
    return ga__fail(GA_VALUE_ERROR, "%zu filters are no multiple of %zu groups",
                    filters, c->groups);
  if (channels / c->groups != w->dimensions[1])
    return ga__fail(GA_VALUE_ERROR,
                    "%zu channels in %zu groups are %zu in each, filters have "
                    "%zu",
                    channels, c->groups, channels / c->groups,
                    w->dimensions[1]);
  if (y->dimensions[0] != x->dimensions[0])
    return ga__fail(GA_VALUE_ERROR,
                    "dim 0: %zu images of the input, %zu of the "
                    "output",
                    x->dimensions[0], y->dimensions[0]);
  if (y->dimensions[1] != filters)
    return ga__fail(GA_VALUE_ERROR,
                    "dim 1: %zu filters, the output has %zu channels", filters,
                    y->dimensions[1]);
  return GA_NO_ERROR;
}

static int check_sizes(const GpuConv *c, const GpuArray *x, const GpuArray *w,
                       const GpuArray *y) {
  size_t want;

  for (unsigned int d = 0; d < c->nd; d++) {
    GA_TRY(
        GpuConv_size(&want, c, d, x->dimensions[d + 2], w->dimensions[d + 2]));
    if (y->dimensions[d + 2] != want)
      return ga__fail(GA_VALUE_ERROR,
                      "dim %u: input %zu and filters %zu give %zu, the output "
                      "has %zu",
                      d, x->dimensions[d + 2], w->dimensions[d + 2], want,
                      y->dimensions[d + 2]);
  }
  return GA_NO_ERROR;
}

/* --- descriptions --- */

static ptrdiff_t stride_of(const GpuArray *a, unsigned int i) {
  return a->dimensions[i] > 1
             ? a->strides[i] / (ssize_t)ga__dtype_size(a->typecode)
             : 0;
}

static ga__conv_array sizes_of(const GpuArray *a, unsigned int slot) {
  const unsigned int nd = a->nd - 2;
  ga__conv_array out = {.size = {1, 1, 1}, .slot = slot};

  for (unsigned int i = 0; i < 2; i++)
    out.n[i] = a->dimensions[i];
  for (unsigned int i = 0; i < nd; i++)
    out.size[3 - nd + i] = a->dimensions[i + 2];
  return out;
}

static ga__conv_array array_of(const GpuArray *a, unsigned int slot,
                               int is_written) {
  const unsigned int nd = a->nd - 2;
  ga__conv_array out = sizes_of(a, slot);

  if (slot == 2 && !is_written)
    return out;
  out.off = a->offset;
  if (ga__array_total(a) == 0) /* strides are not checked */
    return out;
  out.high = 1;
  for (unsigned int i = 0; i < a->nd; i++) {
    const ptrdiff_t step = stride_of(a, i);
    const ptrdiff_t reach = step * (ptrdiff_t)(a->dimensions[i] - 1);

    *(i < 2 ? &out.by[i] : &out.s[3 - nd + i - 2]) = step;
    *(reach < 0 ? &out.low : &out.high) += reach;
  }
  return out;
}

static void flip(ga__conv_array *w) {
  for (int d = 0; d < 3; d++) {
    w->base += w->s[d] * (ptrdiff_t)(w->size[d] - 1);
    w->s[d] = -w->s[d];
  }
}

/* The indices of x, w and y among the operands and the result of each part. */
static const unsigned int slots[3][3] = {[GA_CONV_FORWARD] = {0, 1, 2},
                                         [GA_CONV_INPUT] = {2, 1, 0},
                                         [GA_CONV_FILTERS] = {0, 2, 1}};
static const char *const names[3][3] = {
    [GA_CONV_FORWARD] = {"x", "w", "y"},
    [GA_CONV_INPUT] = {"gradient by y", "w", "gradient by x"},
    [GA_CONV_FILTERS] = {"x", "gradient by y", "gradient by w"}};

/* Check a result that is not written, of which only rank and sizes are read. */
static int check_sizes_only(const char *name, const GpuArray *r,
                            unsigned int nd) {
  if (r == NULL || r->dimensions == NULL)
    return ga__fail(GA_INVALID_ERROR, "%s: no array", name);
  return r->nd == nd + 2
             ? GA_NO_ERROR
             : ga__fail(GA_VALUE_ERROR, "%s has %u dimensions, expected %u",
                        name, r->nd, nd + 2);
}

static int check_arrays(const GpuConv *c, ga_conv_part part,
                        const GpuArray *const given[3], int is_written) {
  const char *const *name = names[part];

  for (int i = 0; i < 2; i++)
    GA_TRY(check_array(name[i], given[i], c->nd, i > 0 ? given[0] : NULL, 0));
  if (!is_written)
    return check_sizes_only(name[2], given[2], c->nd);
  GA_TRY(check_array(name[2], given[2], c->nd, given[0], 1));
  for (int i = 0; i < 2; i++)
    GA_TRY(ga__operand_check_apart(name[2], given[2], name[i], given[i]));
  return GA_NO_ERROR;
}

/* Check the arrays, and that they fit each other. */
static int check_fit(const GpuConv *c, ga_conv_part part,
                     const GpuArray *const given[3], int is_written) {
  const unsigned int *slot = slots[part];
  const GpuArray *x = given[slot[0]], *w = given[slot[1]], *y = given[slot[2]];

  GA_TRY(check_arrays(c, part, given, is_written));
  GA_TRY(check_channels(c, x, w, y));
  return check_sizes(c, x, w, y);
}

enum { SHAPE_TEXT = 128 };

/* The sizes of an array, "[2, 3]". */
static const char *shape_text(char text[SHAPE_TEXT], const GpuArray *a) {
  size_t at = (size_t)snprintf(text, SHAPE_TEXT, "[");

  for (unsigned int i = 0; i < a->nd && at < SHAPE_TEXT - 24; i++)
    at += (size_t)snprintf(text + at, SHAPE_TEXT - at, "%s%zu",
                           i > 0 ? ", " : "", a->dimensions[i]);
  snprintf(text + at, SHAPE_TEXT - at, "]");
  return text;
}

/* Add all shapes to the message of an error, if it is one of values. */
static int add_shapes(int err, const GpuArray *x, const GpuArray *w,
                      const GpuArray *y) {
  char text[3][SHAPE_TEXT];

  if (err != GA_VALUE_ERROR || x == NULL || w == NULL || y == NULL)
    return err;
  return ga__fail(err, "%s; x %s, w %s, y %s", ga__err_text(err),
                  shape_text(text[0], x), shape_text(text[1], w),
                  shape_text(text[2], y));
}

int ga__conv_describe(ga__conv *out, const GpuConv *c, ga_conv_part part,
                      const GpuArray *const given[3], int is_written) {
  if (c == NULL)
    return ga__fail(GA_INVALID_ERROR, "no geometry");
  if ((unsigned int)part > GA_CONV_FILTERS)
    return ga__fail(GA_VALUE_ERROR, "part is %d, expected 0 to 2", (int)part);
  GA_TRY(check_geometry(c));
  const unsigned int *slot = slots[part];
  const GpuArray *x = given[slot[0]], *w = given[slot[1]], *y = given[slot[2]];
  const int err = check_fit(c, part, given, is_written);
  if (err != GA_NO_ERROR)
    return add_shapes(err, x, w, y);
  *out = (ga__conv){.ctx = GpuArray_context(given[0]),
                    .typecode = given[0]->typecode,
                    .groups = c->groups,
                    .flip = c->flip != 0,
                    .stride = {1, 1, 1},
                    .dilation = {1, 1, 1},
                    .x = array_of(x, slot[0], is_written),
                    .w = array_of(w, slot[1], is_written),
                    .y = array_of(y, slot[2], is_written)};
  for (unsigned int d = 0; d < c->nd; d++) {
    out->stride[3 - c->nd + d] = c->stride[d];
    out->dilation[3 - c->nd + d] = c->dilation[d];
    out->before[3 - c->nd + d] = c->before[d];
  }
  if (c->flip)
    flip(&out->w);
  return GA_NO_ERROR;
}
