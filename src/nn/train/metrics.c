/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics as expressions. */
#include <gpugraph/metrics.h>
#include <gpugraph/search.h>

#include "nn/nn.h"

static int check(gg_var *labels, gg_var *predicted, size_t classes) {
  gg_graph *g = gg_var_graph(labels);
  const gg_type *a = gg_var_type(labels), *b = gg_var_type(predicted);
  char text[160];

  if (ga__dtype_kind(a->dtype) > GA_KIND_UINT ||
      ga__dtype_kind(b->dtype) > GA_KIND_UINT || a->nd != b->nd)
    return gg__nn_fail(g, "confusion", labels, GA_VALUE_ERROR,
                       "the other operand is %s, expected integers of one rank",
                       gg_type_text(b, text, sizeof text));
  if (classes == 0 || classes > (size_t)1 << 30)
    return gg__nn_fail(g, "confusion", labels, GA_VALUE_ERROR,
                       "%zu classes, expected 1 to 2^30", classes);
  return GA_NO_ERROR;
}

/* x >= 0 and x < n. */
static gg_var *is_class(gg_var *x, gg_var *n) {
  gg_graph *g = gg_var_graph(n);

  return gg_and(gg_ge(x, gg_scalar(g, GA_LONG, 0)), gg_lt(x, n));
}

gg_var *gg_confusion(gg_var *labels, gg_var *predicted, size_t classes) {
  if (!gg__nn_given("confusion", 2, (gg_var *[]){labels, predicted}) ||
      check(labels, predicted, classes) != GA_NO_ERROR)
    return NULL;
  gg_graph *g = gg_var_graph(labels);
  gg_var *n = gg_scalar(g, GA_LONG, (double)classes);
  gg_var *y = gg_cast(labels, GA_LONG), *z = gg_cast(predicted, GA_LONG);
  gg_var *bin = gg_where(gg_and(is_class(y, n), is_class(z, n)),
                         gg_add(gg_mul(y, n), z), gg_scalar(g, GA_LONG, -1));
  const int64_t dims[2] = {(int64_t)classes, (int64_t)classes};

  return gg_reshape(gg_bincount(bin, NULL, gg_mul(n, n)), 2, dims);
}
