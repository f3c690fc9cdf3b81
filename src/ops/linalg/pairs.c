/* SPDX-License-Identifier: BSD-2-Clause */
/* Outer, Kronecker and cross products, quotients with their remainders, and
 * Vandermonde matrices, composed of the basic ops. */
#include <gpugraph/arrange.h>
#include <gpugraph/create.h>

#include "ops/compose.h"

gg_var *gg_outer_of(gg_var *(*op)(gg_var *a, gg_var *b), gg_var *a, gg_var *b) {
  gg_var *const in[2] = {a, b};
  int pattern[GG_MAX_ND];

  if (!gg__given(GG_CALLED("outer_of"), 2, in))
    return NULL;
  if (op == NULL)
    return gg__refuse(GG_CALLED("outer_of"), 2, in, GA_VALUE_ERROR,
                      "the builder is NULL");
  const unsigned int first = gg__rank_of(a), n = first + gg__rank_of(b);
  if (n > GG_MAX_ND)
    return gg__refuse(GG_CALLED("outer_of"), 2, in, GA_VALUE_ERROR,
                      "%u dimensions are more than %d", n, GG_MAX_ND);
  for (unsigned int i = 0; i < n; i++)
    pattern[i] = i < first ? (int)i : -1;
  return op(gg_dimshuffle(a, n, pattern), b);
}

int gg_divmod(gg_var *a, gg_var *b, gg_var **out) {
  gg_var *const in[2] = {a, b};

  if (out == NULL) {
    gg__refuse(GG_CALLED("divmod"), 2, in, GA_VALUE_ERROR,
               "no list for the results");
    return GA_VALUE_ERROR;
  }
  out[0] = out[1] = NULL;
  if (!gg__given(GG_CALLED("divmod"), 2, in))
    return GA_VALUE_ERROR;
  out[0] = gg_floordiv(a, b);
  out[1] = gg_mod(a, b);
  return out[0] != NULL && out[1] != NULL ? GA_NO_ERROR
                                          : gg_graph_status(gg_var_graph(a));
}

/* --- kron --- */

/* x with an axis of size 1 after each of its n axes, or before each. */
static gg_var *with_gaps(gg_var *x, unsigned int n, int before) {
  int pattern[GG_MAX_ND];

  for (unsigned int i = 0; i < n; i++) {
    pattern[2 * i + (before != 0)] = (int)i;
    pattern[2 * i + (before == 0)] = -1;
  }
  return gg_dimshuffle(x, 2 * n, pattern);
}

gg_var *gg_kron(gg_var *a, gg_var *b) {
  gg_var *const in[2] = {a, b}, *sizes[GG_MAX_ND];

  if (!gg__given(GG_CALLED("kron"), 2, in))
    return NULL;
  const unsigned int n =
      gg__rank_of(a) > gg__rank_of(b) ? gg__rank_of(a) : gg__rank_of(b);
  if (2 * n > GG_MAX_ND)
    return gg__refuse(GG_CALLED("kron"), 2, in, GA_UNSUPPORTED_ERROR,
                      "%u dimensions are more than %d", n, GG_MAX_ND / 2);
  a = gg_atleast(a, n);
  b = gg_atleast(b, n);
  gg_var *const blocks = gg_mul(with_gaps(a, n, 0), with_gaps(b, n, 1));
  if (blocks == NULL)
    return NULL;
  for (unsigned int i = 0; i < n; i++)
    sizes[i] = gg__number_mul(gg_shape(a, (int)i), gg_shape(b, (int)i));
  return gg_reshape_sizes(blocks, n, sizes);
}

/* --- cross --- */

/* x with its axis of size 3 as the last one. */
static gg_var *three_last(gg_var *x, int axis) {
  const gg_op *const op = GG_CALLED("cross");
  int64_t dims[GG_MAX_ND];
  unsigned int k;

  if (gg__axis(x, op, axis, &k) != GA_NO_ERROR)
    return NULL;
  const int64_t size = gg_var_type(x)->dims[k];
  if (size != 3 && size != GG_ANY)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                      "axis %u: expected size 3, got %lld", k, (long long)size);
  for (unsigned int i = 0; i < gg__rank_of(x); i++)
    dims[i] = i == k ? 3 : GG_ANY;
  return gg_moveaxis(gg_specify_shape(x, dims), (int)k, -1);
}

gg_var *gg_cross(gg_var *a, gg_var *b, int axis) {
  gg_var *const in[2] = {a, b}, *part[3];

  if (!gg__given(GG_CALLED("cross"), 2, in))
    return NULL;
  a = three_last(a, axis);
  b = a != NULL ? three_last(b, axis) : NULL;
  if (b == NULL)
    return NULL;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    gg_var *const up = gg_mul(gg_index(a, -1, j), gg_index(b, -1, k));
    part[i] = gg_sub(up, gg_mul(gg_index(a, -1, k), gg_index(b, -1, j)));
  }
  gg_var *const c = gg_stack(-1, 3, part);
  return c != NULL ? gg_moveaxis(c, -1, axis) : NULL;
}

/* --- vander --- */

gg_var *gg_vander(gg_var *x, gg_var *n, int increasing) {
  gg_var *const in[2] = {x, n};

  if (!gg__given(GG_CALLED("vander"), 2, in) ||
      !gg__check_number(GG_CALLED("vander"), x, n))
    return NULL;
  if (gg__rank_of(x) != 1)
    return gg__refuse(GG_CALLED("vander"), 1, &x, GA_VALUE_ERROR,
                      "expected a vector");
  gg_var *const powers = gg__count_up(n);
  if (powers == NULL)
    return NULL;
  gg_var *const ordered = increasing ? powers : gg_flip(powers, 0);
  return gg_pow(gg__expand(x, 1), gg_cast(ordered, gg_var_type(x)->dtype));
}
