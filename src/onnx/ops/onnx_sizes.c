/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that builders share. Sizes that are known stay constants. */
#include <gpuarray/device.h>
#include <gpugraph/op.h>
#include <math.h>

#include "base/dtype.h"
#include "base/err.h"
#include "onnx/ops/builders.h"

gg_var *gg__to_sizes(gg_var *x, unsigned int nd, gg_var *const *sizes) {
  int64_t dims[GG_MAX_ND];

  for (unsigned int i = 0; i < nd; i++) {
    const void *data = sizes[i] == NULL ? NULL : gg_var_data(sizes[i]);

    if (data == NULL || gg__dtype_of(sizes[i]) != GA_LONG)
      return gg_reshape_sizes(x, nd, sizes);
    dims[i] = *(const int64_t *)data;
  }
  return gg_reshape(x, nd, dims);
}

gg_var *gg__span(gg_var *x, unsigned int begin, unsigned int end) {
  if (x == NULL)
    return NULL;
  int64_t known = 1;
  gg_var *open = NULL;

  for (unsigned int i = begin; i < end; i++) {
    const int64_t n = gg_var_type(x)->dims[i];

    if (n >= 0)
      known *= n;
    else
      open = open == NULL ? gg_shape(x, (int)i)
                          : gg_mul(open, gg_shape(x, (int)i));
  }
  gg_var *product = gg_i64(gg_var_graph(x), known);
  return open == NULL ? product : known == 1 ? open : gg_mul(open, product);
}

gg_var *gg__over(gg_var *size, int64_t n) {
  const void *data = size == NULL ? NULL : gg_var_data(size);

  if (size == NULL)
    return NULL;
  if (data == NULL)
    return gg_floordiv(size, gg__like(size, (double)n));
  return gg_i64(gg_var_graph(size), *(const int64_t *)data / n);
}

gg_var *gg__as_matrix(gg_var *x, unsigned int axis) {
  if (x == NULL)
    return NULL;
  gg_var *sizes[] = {gg__span(x, 0, axis),
                     gg__span(x, axis, gg_var_type(x)->nd)};
  return gg__to_sizes(x, 2, sizes);
}

gg_var *gg__as_like(gg_var *x, gg_var *like) {
  gg_var *sizes[GG_MAX_ND];

  if (x == NULL || like == NULL)
    return NULL;
  const unsigned int nd = gg_var_type(like)->nd;
  for (unsigned int i = 0; i < nd; i++)
    sizes[i] = gg__size_of(like, (int)i);
  return gg__to_sizes(x, nd, sizes);
}

gg_var *gg__along(gg_var *vector, unsigned int nd, int axis) {
  int pattern[GG_MAX_ND];

  for (unsigned int i = 0; i < nd; i++)
    pattern[i] = (int)i == axis ? 0 : -1;
  return gg_dimshuffle(vector, nd, pattern);
}

gg_var *gg__limit(gg_var *x, int highest) {
  const int dtype = gg__dtype_of(x);
  char value[8];

  if (x == NULL)
    return NULL;
  ga__dtype_from_double(dtype, value, highest ? INFINITY : -INFINITY);
  return gg_constant(gg_var_graph(x), dtype, 0, NULL, value);
}

int gg__has_double(gg_graph *g) {
  gpucontext *ctx = gg_graph_context(g);

  return ctx == NULL || gpucontext_caps(ctx)->fp64;
}

gg_var *gg__as_widest(gg_var *x) {
  if (x == NULL)
    return NULL;
  return gg_cast(x, gg__has_double(gg_var_graph(x)) ? GA_DOUBLE : GA_FLOAT);
}
