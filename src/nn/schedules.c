/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates as expressions of a counter. */
#include <gpugraph/schedules.h>

#include <math.h>

#include "nn/nn.h"

#define PI 3.141592653589793

/* The counter as a float; NULL if it is no real scalar or a number that the
 * rate is made of is not ok. */
static gg_var *counter(const char *what, gg_var *t, double rate, int is_ok) {
  if (t == NULL)
    return NULL;
  const gg_type *type = gg_var_type(t);
  const ga__kind kind = ga__dtype_kind(type->dtype);
  if (type->nd != 0 || kind == GA_KIND_COMPLEX) {
    gg__nn_fail(gg_var_graph(t), what, t, GA_VALUE_ERROR,
                "expected a real scalar as the counter");
    return NULL;
  }
  if (!is_ok || !isfinite(rate)) {
    gg__nn_fail(gg_var_graph(t), what, t, GA_VALUE_ERROR,
                "the rate is %g, or a number is out of its range", rate);
    return NULL;
  }
  return kind == GA_KIND_FLOAT ? t : gg_cast(t, GA_FLOAT);
}

static gg_var *num(gg_var *t, double v) {
  return t != NULL ? gg_scalar(gg_var_graph(t), gg_var_type(t)->dtype, v)
                   : NULL;
}

static gg_var *times(gg_var *t, double v) {
  return gg_mul(t, num(t, v));
}

gg_var *gg_rate_constant(gg_var *t, double rate) {
  t = counter("rate_constant", t, rate, 1);
  return num(t, rate);
}

gg_var *gg_rate_step(gg_var *t, double rate, double every, double factor) {
  t = counter("rate_step", t, rate,
              every >= 1 && isfinite(every) && factor > 0 && isfinite(factor));
  gg_var *n = gg_floor(gg_div(t, num(t, every)));
  return t != NULL ? times(gg_exp(times(n, log(factor))), rate) : NULL;
}

gg_var *gg_rate_exponential(gg_var *t, double rate, double factor) {
  t = counter("rate_exponential", t, rate, factor > 0 && isfinite(factor));
  return t != NULL ? times(gg_exp(times(t, log(factor))), rate) : NULL;
}

/* From `from` to `to` where x goes from 0 to 1, and `to` beyond. */
static gg_var *wave(gg_var *x, double from, double to) {
  gg_var *c = gg_cos(times(gg_minimum(x, num(x, 1)), PI));

  return gg_add(times(gg_add(c, num(c, 1)), (from - to) / 2), num(c, to));
}

gg_var *gg_rate_cosine(gg_var *t, double rate, double steps, double last) {
  t = counter("rate_cosine", t, rate,
              steps >= 1 && isfinite(steps) && isfinite(last));
  return t != NULL ? wave(times(t, 1 / steps), rate, last) : NULL;
}

gg_var *gg_rate_one_cycle(gg_var *t, double most, double steps, double part) {
  const double top = part * steps - 1, end = steps - 1;

  t = counter("rate_one_cycle", t, most,
              isfinite(steps) && top > 0 && end > top);
  if (t == NULL)
    return NULL;
  gg_var *up = wave(times(t, 1 / top), most / 25, most);
  gg_var *x = times(gg_sub(t, num(t, top)), 1 / (end - top));
  return gg_where(gg_le(t, num(t, top)), up, wave(x, most, most / 25 / 1e4));
}

gg_var *gg_rate_warm_up(gg_var *rate, gg_var *t, double steps, double first) {
  if (!gg__nn_given("rate_warm_up", 2, (gg_var *[]){rate, t}))
    return NULL;
  t = counter("rate_warm_up", t, first,
              steps >= 1 && isfinite(steps) && first >= 0);
  if (t == NULL)
    return NULL;
  gg_var *x = gg_minimum(times(t, 1 / steps), num(t, 1));
  return gg_mul(rate, gg_add(times(x, 1 - first), num(x, first)));
}
