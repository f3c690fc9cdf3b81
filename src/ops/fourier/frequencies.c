/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the frequencies of a Fourier transform are. */
#include <gpugraph/arrange.h>
#include <math.h>

#include "ops/compose.h"
#include "ops/fourier/fourier.h"

/* --- frequency 0 to the middle and back --- */

/* Roll n axes, or all if there is no list, by half their sizes. */
static gg_var *shift(const gg_op *op, gg_var *x, unsigned int n,
                     const int *axes, int is_back) {
  static const int all[GG_MAX_ND] = {0, 1, 2, 3, 4, 5, 6, 7};
  unsigned int at[GG_MAX_ND];

  if (!gg__given(op, 1, &x))
    return NULL;
  if (n == 0 && axes == NULL && gg__rank_of(x) > 0) {
    n = gg__rank_of(x);
    axes = all;
  }
  if (!gg__fourier_axes(op, x, n, axes, at))
    return NULL;
  for (unsigned int i = 0; i < n && x != NULL; i++) {
    gg_var *const half = gg__number_over(gg_shape(x, (int)at[i]), 2);
    const int64_t size = gg_var_type(x)->dims[at[i]];

    if (size != GG_ANY)
      x = gg_roll(x, (int)at[i], is_back ? -(size / 2) : size / 2);
    else
      x = gg_roll_at(x, (int)at[i], is_back ? gg_neg(half) : half);
  }
  return x;
}

gg_var *gg_fftshift(gg_var *x, unsigned int n, const int *axes) {
  return shift(GG_CALLED("fftshift"), x, n, axes, 0);
}

gg_var *gg_ifftshift(gg_var *x, unsigned int n, const int *axes) {
  return shift(GG_CALLED("ifftshift"), x, n, axes, 1);
}

/* --- frequencies --- */

/* k / (n d) for the cycles k, which are positions from 0, less n from `half`
 * on if that is given, below `end`. */
static gg_var *per_length(gg_var *n, double d, int dtype, gg_var *end,
                          gg_var *half) {
  gg_var *k = gg_arange(gg__whole_number(n, 0), end, gg__whole_number(n, 1));

  if (half != NULL)
    k = gg_where(gg_lt(k, half), k, gg_sub(k, n));
  k = gg_cast(k, dtype);
  return k != NULL ? gg_div(k, gg_mul(gg_cast(n, dtype), gg__num(k, d))) : NULL;
}

/* Nonzero if there are frequencies of n elements d apart. */
static int check_length(const gg_op *op, gg_var *n, double d, int dtype) {
  double known;

  if (!gg__given(op, 1, &n) || !gg__check_number(op, n, n))
    return 0;
  if (gg_var_uniform(n, &known) && known < 1)
    return gg__refuse(op, 1, &n, GA_VALUE_ERROR, "a transform of %.0f elements",
                      known) != NULL;
  if (!isfinite(d) || d == 0)
    return gg__refuse(op, 1, &n, GA_VALUE_ERROR, "elements %g apart", d) !=
           NULL;
  if (dtype != GA_FLOAT && dtype != GA_DOUBLE)
    return gg__refuse(op, 1, &n, GA_VALUE_ERROR,
                      "expected float32 or float64, got %s",
                      ga__dtype_name(dtype)) != NULL;
  return 1;
}

gg_var *gg_fftfreq(gg_var *n, double d, int dtype) {
  if (!check_length(GG_CALLED("fftfreq"), n, d, dtype))
    return NULL;
  n = gg_cast(n, GA_LONG);
  gg_var *const half =
      gg__number_over(gg__number_add(n, gg__whole_number(n, 1)), 2);
  return per_length(n, d, dtype, n, half);
}

gg_var *gg_rfftfreq(gg_var *n, double d, int dtype) {
  if (!check_length(GG_CALLED("rfftfreq"), n, d, dtype))
    return NULL;
  n = gg_cast(n, GA_LONG);
  gg_var *const end =
      gg__number_add(gg__number_over(n, 2), gg__whole_number(n, 1));
  return per_length(n, d, dtype, end, NULL);
}
