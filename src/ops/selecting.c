/* SPDX-License-Identifier: BSD-2-Clause */
/* What is composed of selections: writing under a mask. */
#include <gpugraph/cumulate.h>
#include <gpugraph/select.h>

#include "ops/ops.h"

gg_var *gg__as_mask(gg_var *x) {
  return gg_var_type(x)->dtype == GA_BOOL ? x : gg_ne(x, gg__num(x, 0));
}

/* `flat` with the shape of x. */
static gg_var *shaped_as(gg_var *flat, gg_var *x) {
  gg_var *sizes[GG_MAX_ND];
  const unsigned int nd = gg_var_type(x)->nd;

  for (unsigned int d = 0; d < nd; d++)
    sizes[d] = gg_shape(x, (int)d);
  return gg_reshape_sizes(flat, nd, sizes);
}

static gg_var *combined(gg_var *x, gg_var *v, gg_put_op how) {
  const int is_bool = gg_var_type(x)->dtype == GA_BOOL;

  switch (how) {
  case GG_PUT_ADD:
    return is_bool ? gg_or(x, v) : gg_add(x, v);
  case GG_PUT_MUL:
    return is_bool ? gg_and(x, v) : gg_mul(x, v);
  case GG_PUT_MAX:
    return is_bool ? gg_or(x, v) : gg_maximum(x, v);
  case GG_PUT_MIN:
    return is_bool ? gg_and(x, v) : gg_minimum(x, v);
  case GG_PUT_SET:
    break;
  }
  return v;
}

/* Each element takes the element of v at the number of elements of the mask
 * before it. An element behind the last one of v stands for all that are
 * missing, so that v may be empty. */
static gg_var *put_list(gg_var *x, gg_var *mask, gg_var *v, gg_put_op how) {
  gg_var *const before =
      gg_cumulate(GA_CUMULATE_SUM, gg_flatten(mask), 0, GA_CUMULATE_EXCLUSIVE);
  gg_var *const n = gg_size(v), *one = gg_i64(gg_var_graph(x), 1);
  gg_var *const both[2] = {v, gg_alloc(gg__num(v, 0), 1, &one)};
  gg_var *const taken = gg_take(gg_join(0, 2, both), gg_minimum(before, n));

  mask = gg_and(mask, shaped_as(gg_lt(before, n), x));
  return gg_where(mask, combined(x, shaped_as(taken, x), how), x);
}

gg_var *gg_mask_put(gg_var *x, gg_var *mask, gg_var *v, gg_put_op how) {
  static const gg_op name = {.name = "mask_put"};
  gg_var *const in[3] = {x, mask, v};

  if (!gg__given(&name, 3, in))
    return NULL;
  if (gg_var_type(x)->nd != gg_var_type(mask)->nd || gg_var_type(v)->nd > 1)
    return gg__refuse(&name, 3, in, GA_VALUE_ERROR,
                      "x has %u dimensions, the mask has %u, the values %u",
                      gg_var_type(x)->nd, gg_var_type(mask)->nd,
                      gg_var_type(v)->nd);
  if ((int)how < GG_PUT_SET || how > GG_PUT_MIN)
    return gg__refuse(&name, 3, in, GA_VALUE_ERROR, "%d is no way to put",
                      (int)how);
  mask = gg__as_mask(mask);
  v = gg_cast(v, gg_var_type(x)->dtype);
  return gg_var_type(v)->nd == 0 ? gg_where(mask, combined(x, v, how), x)
                                 : put_list(x, mask, v, how);
}
