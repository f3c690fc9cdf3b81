/* SPDX-License-Identifier: BSD-2-Clause */
/* Running sums and sorting that NumPy judges: their table, and before it how
 * each is drawn. */
#include "numpy/draw.h"

/* `ufunc`.accumulate along an axis, from its start or from its end. */
static gg_var *accumulate(draw *d, ga_cumulate_op op, gg_var *x,
                          const char *ufunc) {
  const int axis = draw_axis(d, 0), back = (int)draw_int(d, 0, 1);

  if (back)
    draw_say(d, "np.flip(np.%s.accumulate(np.flip(x0, %d), %d), %d)", ufunc,
             axis, axis, axis);
  else
    draw_say(d, "np.%s.accumulate(x0, %d)", ufunc, axis);
  return gg_cumulate(op, x, axis, back ? GA_CUMULATE_REVERSED : 0);
}

static gg_var *cumsum(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS | BOOLS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.cumsum(x0, %d)", axis);
  return gg_cumsum(x, axis);
}

static gg_var *cumprod(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS | BOOLS, 1, 3, -2, 2);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.cumprod(x0, %d)", axis);
  return gg_cumprod(x, axis);
}

static gg_var *before(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.cumsum(x0, %d) - x0", axis);
  return gg_cumulate(GA_CUMULATE_SUM, x, axis, GA_CUMULATE_EXCLUSIVE);
}

static gg_var *cummax(draw *d) {
  return accumulate(d, GA_CUMULATE_MAX,
                    draw_operand(d, REALS | INTEGERS | BOOLS, 1, 3, -9, 9),
                    "maximum");
}

static gg_var *cummin(draw *d) {
  return accumulate(d, GA_CUMULATE_MIN,
                    draw_operand(d, REALS | INTEGERS | BOOLS, 1, 3, -9, 9),
                    "minimum");
}

static gg_var *logcumsumexp(draw *d) {
  return accumulate(d, GA_CUMULATE_LOGADDEXP,
                    draw_operand(d, REALS, 1, 3, -4, 4), "logaddexp");
}

static gg_var *sort(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS | BOOLS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.sort(x0, %d)", axis);
  return gg_sort(x, axis, 0);
}

static gg_var *argsort(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS, 1, 3, -9, 9);
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.argsort(x0, %d, kind='stable')", axis);
  return gg_argsort(x, axis, 0);
}

static const numpy_case cases[] = {
    {"cumsum", .build = cumsum},
    {"cumprod", .build = cumprod},
    {"sum of what is before", .build = before},
    {"cummax", .build = cummax},
    {"cummin", .build = cummin},
    {"logcumsumexp", .build = logcumsumexp},
    {"sort", .build = sort},
    {"argsort", .build = argsort},
};

const numpy_table numpy_orders = {cases, sizeof cases / sizeof *cases};
