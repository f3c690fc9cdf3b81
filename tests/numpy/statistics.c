/* SPDX-License-Identifier: BSD-2-Clause */
/* Activations and statistics that NumPy judges. */
#include <math.h>

#include "numpy/draw.h"

static gg_var *some(draw *d, unsigned int least_nd, unsigned int most_nd) {
  return draw_operand(d, ANY | EMPTY, least_nd, most_nd, -9, 9);
}

/* --- activations --- */

static gg_var *leaky_relu(gg_var *x) {
  return gg_leaky_relu(x, 0.125);
}

static gg_var *elu(gg_var *x) {
  return gg_elu(x, 1.5);
}

static gg_var *celu(gg_var *x) {
  return gg_celu(x, 2);
}

static gg_var *hard_tanh(gg_var *x) {
  return gg_hard_tanh(x, -2, 3);
}

static gg_var *soft_shrink(gg_var *x) {
  return gg_soft_shrink(x, 1.5);
}

static gg_var *hard_shrink(gg_var *x) {
  return gg_hard_shrink(x, 1.5);
}

static gg_var *prelu(draw *d) {
  const size_t dims[2] = {3, 4};
  gg_var *const x = draw_sized(d, GA_FLOAT, 2, dims, -9, 9),
                *const slope = draw_sized(d, GA_FLOAT, 1, dims + 1, -1, 1);

  draw_say(d, "np.where(x0 > 0, x0, x0 * x1)");
  return gg_prelu(x, slope);
}

static gg_var *threshold(draw *d) {
  draw_say(d, "np.where(x0 > 2, x0, -5).astype(x0.dtype)");
  return gg_threshold(draw_operand(d, REALS, 0, 3, -9, 9), 2, -5);
}

static gg_var *glu(draw *d) {
  const size_t dims[2] = {3, 4};

  draw_say(d, "x0[:, :2] / (1 + np.exp(-x0[:, 2:]))");
  return gg_glu(draw_sized(d, GA_FLOAT, 2, dims, -9, 9), 1);
}

/* --- statistics --- */

static gg_var *mean_axes(draw *d) {
  gg_var *const x = some(d, 0, 3);
  const int keep = (int)draw_int(d, 0, 1);
  char text[64];
  int axes[3];
  const unsigned int n = draw_axes(d, axes, text);

  draw_say(d, "np.mean(x0, %s, float, keepdims=%d > 0).astype('f4')", text,
           keep);
  return gg_cast(gg_mean_axes(x, n, axes, keep), GA_FLOAT);
}

static gg_var *variance(draw *d) {
  gg_var *const x = some(d, 0, 3);
  const int keep = (int)draw_int(d, 0, 1);
  const unsigned int ddof = (unsigned int)draw_int(d, 0, 1);
  char text[64];
  int axes[3];
  const unsigned int n = draw_axes(d, axes, text);

  draw_say(
      d, "np.var(x0.astype(float), %s, ddof=%u, keepdims=%d > 0).astype('f4')",
      text, ddof, keep);
  return gg_cast(gg_variance(x, n, axes, keep, ddof), GA_FLOAT);
}

static gg_var *deviation(draw *d) {
  gg_var *const x = some(d, 1, 3);
  const int keep = (int)draw_int(d, 0, 1);
  char text[64];
  int axes[3];
  const unsigned int n = draw_axes(d, axes, text);

  draw_say(d, "np.std(x0.astype(float), %s, keepdims=%d > 0).astype('f4')",
           text, keep);
  return gg_cast(gg_std(x, n, axes, keep, 0), GA_FLOAT);
}

static gg_var *logsumexp(draw *d) {
  gg_var *const x = draw_operand(d, REALS, 1, 3, -200, 200);
  const int keep = (int)draw_int(d, 0, 1);
  char text[64];
  int axes[3];
  const unsigned int n = draw_axes(d, axes, text);

  draw_say(d,
           "np.log(np.sum(np.exp(x0.astype(float)), %s, keepdims=%d > "
           "0)).astype('f4')",
           text, keep);
  return gg_logsumexp(x, n, axes, keep);
}

/* By formulas: numpy.linalg.norm has no more than two axes. */
static gg_var *norm(draw *d) {
  static const struct {
    double p;
    const char *formula; /* of a, the absolute values, and of s, the axes */
  } norms[] = {{1, "a.sum(**s)"},
               {2, "np.sqrt((a * a).sum(**s))"},
               {3, "np.cbrt((a**3).sum(**s))"},
               {0, "np.count_nonzero(a, **s) * 1."},
               {INFINITY, "a.max(**s)"},
               {-INFINITY, "a.min(**s)"}};
  const int keep = (int)draw_int(d, 0, 1), k = (int)draw_int(d, 0, 5);
  gg_var *const x = draw_operand(d, k < 4 ? ANY | EMPTY : ANY, 1, 3, -9, 9);
  char text[64];
  int axes[3];
  const unsigned int n = draw_axes(d, axes, text);

  draw_say(d,
           "np.asarray((lambda a, s: %s)(np.abs(x0.astype(float)), "
           "dict(axis=%s, keepdims=%d > 0))).astype('f4')",
           norms[k].formula, text, keep);
  return gg_cast(gg_norm(x, norms[k].p, n, axes, keep), GA_FLOAT);
}

static gg_var *ptp(draw *d) {
  gg_var *const x = draw_operand(d, REALS | INTEGERS, 0, 3, -9, 9);
  const int keep = (int)draw_int(d, 0, 1);
  char text[64];
  int axes[3];
  const unsigned int n = draw_axes(d, axes, text);

  draw_say(d, "np.ptp(x0, %s, keepdims=%d > 0)", text, keep);
  return gg_ptp(x, n, axes, keep);
}

static gg_var *count_nonzero(draw *d) {
  gg_var *const x = draw_operand(d, ANY | EMPTY, 0, 3, -1, 2);
  const int keep = (int)draw_int(d, 0, 1);
  char text[64];
  int axes[3];
  const unsigned int n = draw_axes(d, axes, text);

  draw_say(d, "np.count_nonzero(x0, %s, keepdims=%d > 0)", text, keep);
  return gg_count_nonzero(x, n, axes, keep);
}

/* Quotients of few numbers, rows of NaN alone among them. */
static gg_var *without_nan(draw *d) {
  static const struct {
    const char *name;
    gg_var *(*op)(gg_var *x, unsigned int n, const int *axes, int keepdims);
  } ops[] = {{"sum", gg_nansum},
             {"mean", gg_nanmean},
             {"max", gg_nanmax},
             {"min", gg_nanmin}};
  const size_t dims[2] = {5, 3};
  gg_var *const x = gg_cast(draw_sized(d, GA_BYTE, 2, dims, -1, 2), GA_FLOAT),
                *const y =
                    gg_cast(draw_sized(d, GA_BYTE, 2, dims, -1, 2), GA_FLOAT);
  const int keep = (int)draw_int(d, 0, 1), k = (int)draw_int(d, 0, 3);
  char text[64];
  int axes[3];
  const unsigned int n = draw_axes(d, axes, text);

  draw_say(d,
           "np.nan%s(x0.astype('f4') / x1.astype('f4'), %s, keepdims=%d > 0)",
           ops[k].name, text, keep);
  return ops[k].op(gg_div(x, y), n, axes, keep);
}

/* Quotients by whole numbers have NaN and infinities among them. */
static gg_var *isclose(draw *d) {
  const size_t n = 40;
  gg_var *x[4];

  for (unsigned int i = 0; i < 4; i++)
    x[i] = gg_cast(draw_sized(d, GA_BYTE, 1, &n, -3, 3), GA_FLOAT);
  draw_say(d,
           "np.isclose(x0.astype('f4') / x1, x2.astype('f4') / x3, 0.25, 0.5)");
  return gg_isclose(gg_div(x[0], x[1]), gg_div(x[2], x[3]), 0.25, 0.5);
}

static gg_var *nan_to_num(draw *d) {
  const size_t n = 40;
  gg_var *x[2];

  for (unsigned int i = 0; i < 2; i++)
    x[i] = gg_cast(draw_sized(d, GA_BYTE, 1, &n, -3, 3), GA_FLOAT);
  draw_say(d,
           "np.nan_to_num(x0.astype('f4') / x1.astype('f4'), True, 7, 8, -9)");
  return gg_nan_to_num(gg_div(x[0], x[1]), 7, 8, -9);
}

static const numpy_case cases[] = {
    {"relu6", .map = gg_relu6, .formula = "np.clip(x, 0, 6)"},
    {"leaky_relu", .map = leaky_relu,
     .formula = "np.where(x > 0, x, x * 0.125)"},
    {"elu", .map = elu, .formula = "np.where(x > 0, x, np.expm1(x) * 1.5)"},
    {"celu", .map = celu, .formula = "np.where(x > 0, x, np.expm1(x / 2) * 2)"},
    {"selu", .map = gg_selu,
     .formula = "1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * "
                "np.expm1(x))"},
    {"gelu", .map = gg_gelu,
     .formula = "x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))"},
    {"gelu_tanh", .map = gg_gelu_tanh,
     .formula = "x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 "
                "* x**3)))"},
    {"silu", .map = gg_silu, .formula = "x / (1 + np.exp(-x))"},
    {"mish", .map = gg_mish, .formula = "x * np.tanh(np.log1p(np.exp(x)))"},
    {"hard_sigmoid", .map = gg_hard_sigmoid,
     .formula = "np.clip(x / 6 + 0.5, 0, 1)"},
    {"hard_swish", .map = gg_hard_swish,
     .formula = "x * np.clip(x / 6 + 0.5, 0, 1)"},
    {"log_sigmoid", .map = gg_log_sigmoid, .formula = "-np.log1p(np.exp(-x))"},
    {"hard_tanh", .map = hard_tanh, .formula = "np.clip(x, -2, 3)"},
    {"softsign", .map = gg_softsign, .formula = "x / (1 + np.abs(x))"},
    {"tanh_shrink", .map = gg_tanh_shrink, .formula = "x - np.tanh(x)"},
    {"soft_shrink", .map = soft_shrink,
     .formula = "np.sign(x) * np.maximum(np.abs(x) - 1.5, 0)"},
    {"hard_shrink", .map = hard_shrink,
     .formula = "np.where(np.abs(x) > 1.5, x, 0)"},
    {"prelu", .build = prelu},
    {"threshold", .build = threshold},
    {"glu", .build = glu},
    {"mean_axes", .build = mean_axes},
    {"variance", .build = variance},
    {"std", .build = deviation},
    {"logsumexp", .build = logsumexp},
    {"norm", .build = norm},
    {"ptp", .build = ptp},
    {"count_nonzero", .build = count_nonzero},
    {"without NaN", .build = without_nan},
    {"isclose", .build = isclose},
    {"nan_to_num", .build = nan_to_num},
};

const numpy_table numpy_statistics = {cases, sizeof cases / sizeof *cases};
