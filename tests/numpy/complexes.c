/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions, sums and products of complex numbers that NumPy judges. */
#include "numpy/draw.h"

/* A complex number from two new operands, which are its parts. */
static gg_var *draw_complex(draw *d, unsigned int nd, const size_t *dims) {
  const int dtype = draw_int(d, 0, 2) == 0 ? GA_DOUBLE : GA_FLOAT;
  gg_var *const re = draw_sized(d, dtype, nd, dims, -3, 3);

  return gg_complex(re, draw_sized(d, dtype, nd, dims, -3, 3));
}

#define Z "(x0 + 1j * x1)"
#define W "(x2 + 1j * x3)"

static gg_var *function(draw *d) {
  static const struct {
    const char *name;
    gg_var *(*map)(gg_var *x);
  } all[] = {{"sqrt", gg_sqrt},   {"exp", gg_exp},     {"log", gg_log},
             {"sin", gg_sin},     {"cos", gg_cos},     {"tan", gg_tan},
             {"sinh", gg_sinh},   {"cosh", gg_cosh},   {"tanh", gg_tanh},
             {"abs", gg_abs},     {"angle", gg_angle}, {"conj", gg_conj},
             {"square", gg_sqr},  {"real", gg_real},   {"imag", gg_imag},
             {"negative", gg_neg}};
  const int k = (int)draw_int(d, 0, 15);

  draw_say(d, "np.%s(" Z ")", all[k].name);
  return all[k].map(draw_complex(d, 2, (const size_t[]){4, 5}));
}

static gg_var *arithmetic(draw *d) {
  static const struct {
    const char *name;
    gg_var *(*of)(gg_var *a, gg_var *b);
  } all[] = {{"add", gg_add},    {"subtract", gg_sub}, {"multiply", gg_mul},
             {"divide", gg_div}, {"power", gg_pow},    {"equal", gg_eq}};
  const int k = (int)draw_int(d, 0, 5);
  gg_var *const z = draw_complex(d, 2, (const size_t[]){4, 1});

  draw_say(d, "np.%s(" Z ", " W ")", all[k].name);
  return all[k].of(z, draw_complex(d, 2, (const size_t[]){1, 5}));
}

static gg_var *prod(gg_var *x, int axis) {
  return gg_reduce(GG_PROD, x, 1, &axis, 0);
}

static gg_var *variance(gg_var *x, int axis) {
  return gg_variance(x, 1, &axis, 0, 0);
}

static gg_var *deviation(gg_var *x, int axis) {
  return gg_std(x, 1, &axis, 0, 0);
}

static gg_var *norm(gg_var *x, int axis) {
  return gg_norm(x, 2, 1, &axis, 0);
}

static gg_var *reduction(draw *d) {
  static const struct {
    const char *name;
    gg_var *(*of)(gg_var *x, int axis);
  } all[] = {{"sum", gg_sum_axis}, {"prod", prod},     {"mean", gg_mean_axis},
             {"var", variance},    {"std", deviation}, {"linalg.norm", norm}};
  const int k = (int)draw_int(d, 0, 5);
  gg_var *const z = draw_complex(d, 2, (const size_t[]){4, 5});
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.%s(" Z ", axis=%d)", all[k].name, axis);
  return all[k].of(z, axis);
}

static gg_var *running(draw *d) {
  static const char *const names[] = {"cumsum", "cumprod"};
  const int k = (int)draw_int(d, 0, 1);
  gg_var *const z = draw_complex(d, 2, (const size_t[]){4, 5});
  const int axis = draw_axis(d, 0);

  draw_say(d, "np.%s(" Z ", axis=%d)", names[k], axis);
  return k == 0 ? gg_cumsum(z, axis) : gg_cumprod(z, axis);
}

/* Elements under a mask, or with those of a row put there. */
static gg_var *masked(draw *d) {
  gg_var *const z = draw_complex(d, 1, (const size_t[]){9});
  gg_var *const mask = draw_few(d, GA_INT, 1, (const size_t[]){9});

  if (draw_int(d, 0, 1)) {
    draw_say(d, Z "[x2 != 0]");
    return gg_compress(z, mask);
  }
  draw_say(d, "np.where(x2 != 0, np.r_[0, " Z "][np.cumsum(x2 != 0)], " Z ")");
  return gg_mask_put(z, mask, z, GG_PUT_SET);
}

static gg_var *covariances(draw *d) {
  gg_var *const z = draw_complex(d, 2, (const size_t[]){3, 5});

  draw_say(d, "np.cov(" Z ").astype((" Z ").dtype)");
  return gg_cov(z, 1);
}

static gg_var *product(draw *d) {
  gg_var *const z = draw_complex(d, 2, (const size_t[]){3, 4});

  draw_say(d, Z " @ " W);
  return gg_dot(z, draw_complex(d, 2, (const size_t[]){4, 2}));
}

static const numpy_case cases[] = {
    {"complex function", .build = function},
    {"complex arithmetic", .build = arithmetic},
    {"complex reduction", .build = reduction},
    {"complex running sum or product", .build = running},
    {"complex elements under a mask", .build = masked},
    {"complex covariances", .build = covariances},
    {"complex product", .build = product},
};

const numpy_table numpy_complexes = {cases, sizeof cases / sizeof *cases};
