/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex numbers and Fourier transforms. A complex value of the graph is a
 * real one of the model, whose last axis has the real and the imaginary part.
 * Ops on complex numbers are composed of ops on their parts. */
#include <gpugraph/complex.h>
#include <string.h>

#include "base/dtype.h"
#include "onnx/save/savers.h"

static int is_complex(const gg_var *v) {
  return ga__dtype_is_complex(gg_var_type(v)->dtype);
}

int gg__has_complex(const gg_apply *a) {
  int any = 0;

  for (unsigned int i = 0; i < a->n_out; i++)
    any |= is_complex(a->out[i]);
  for (unsigned int i = 0; i < a->n_in; i++)
    any |= is_complex(a->in[i]);
  return any;
}

/* --- parts --- */

/* The pairs of a value of rank nd. The axis of parts is never -1: ONNX Runtime
 * fuses two reads of parts, and then takes -1 for another axis. */
static gg__name pair(gg__save *s, gg__name re, gg__name im, unsigned int nd) {
  const int64_t last = nd;
  gg__name axis = gg__ints(s, 1, &last);
  gg__name x = gg__node(s, "Unsqueeze", GG_IN(re, axis), NULL);
  gg__name y = gg__node(s, "Unsqueeze", GG_IN(im, axis), NULL);

  return gg__node(s, "Concat", GG_IN(x, y), GG_ATTRS(GG_A_INT("axis", last)));
}

/* Part 0 or 1 of the pairs of a value of rank nd. */
static gg__name part(gg__save *s, gg__name x, int64_t which, unsigned int nd) {
  return gg__gather_name(s, x, gg__as_scalar(s, gg__ints(s, 1, &which)), nd);
}

static unsigned int rank(const gg_apply *a) {
  return gg_var_type(a->out[0])->nd;
}

/* The two parts broadcast to each other. */
gg__name gg__save_complex(gg__save *s, const gg_apply *a) {
  gg__name x = gg__name_in(s, a, 0), y = gg__name_in(s, a, 1);

  return pair(s, gg__two(s, "Expand", x, gg__node(s, "Shape", GG_IN(y), NULL)),
              gg__two(s, "Expand", y, gg__node(s, "Shape", GG_IN(x), NULL)),
              rank(a));
}

gg__name gg__save_part_of(gg__save *s, const gg_apply *a) {
  return part(s, gg__name_in(s, a, 0), strcmp(a->op->name, "imag") == 0,
              rank(a));
}

/* --- composed of parts --- */

/* The same op on one part of each complex operand. */
static gg_var *of_part(const gg_apply *a, gg_var *(*part_of)(gg_var *x)) {
  gg_var *in[GG_MAX_ND + 2];

  if (a->n_in > sizeof in / sizeof *in)
    return NULL;
  for (unsigned int i = 0; i < a->n_in; i++)
    in[i] = is_complex(a->in[i]) ? part_of(a->in[i]) : a->in[i];
  return gg_op_apply(NULL, a->op, a->props, a->n_in, in);
}

static gg_var *by_parts(const gg_apply *a) {
  gg_var *re = of_part(a, gg_real);

  return !is_complex(a->out[0]) ? re : gg_complex(re, of_part(a, gg_imag));
}

static gg_var *product(gg_var *x, gg_var *y) {
  gg_var *a = gg_real(x), *b = gg_imag(x), *c = gg_real(y), *d = gg_imag(y);

  return gg_complex(gg_sub(gg_mul(a, c), gg_mul(b, d)),
                    gg_add(gg_mul(a, d), gg_mul(b, c)));
}

static gg_var *size_of(gg_var *x) {
  return gg_add(gg_sqr(gg_real(x)), gg_sqr(gg_imag(x)));
}

static gg_var *mul(const gg_apply *a) {
  return product(a->in[0], a->in[1]);
}

/* x conj(y) / |y|^2 */
static gg_var *quotient(const gg_apply *a) {
  gg_var *y = a->in[1], *n = size_of(y);

  return product(a->in[0], gg_complex(gg_div(gg_real(y), n),
                                      gg_neg(gg_div(gg_imag(y), n))));
}

static gg_var *conjugate(const gg_apply *a) {
  return gg_complex(gg_real(a->in[0]), gg_neg(gg_imag(a->in[0])));
}

static gg_var *magnitude(const gg_apply *a) {
  return gg_hypot(gg_real(a->in[0]), gg_imag(a->in[0]));
}

static gg_var *angle(const gg_apply *a) {
  return gg_atan2(gg_imag(a->in[0]), gg_real(a->in[0]));
}

static gg_var *square(const gg_apply *a) {
  return product(a->in[0], a->in[0]);
}

static gg_var *sum(const gg_apply *a) {
  return gg__prop(a, "op") == GG_SUM ? by_parts(a) : NULL;
}

/* How ops on complex numbers are composed. */
static const struct {
  const char *op;
  gg_var *(*compose)(const gg_apply *a);
} rows[] = {{"add", by_parts},
            {"sub", by_parts},
            {"neg", by_parts},
            {"where", by_parts},
            {"dimshuffle", by_parts},
            {"fill", by_parts},
            {"index", by_parts},
            {"index_at", by_parts},
            {"join", by_parts},
            {"part", by_parts},
            {"reshape", by_parts},
            {"reshape_like", by_parts},
            {"reshape_sizes", by_parts},
            {"shape", by_parts},
            {"size", by_parts},
            {"slice", by_parts},
            {"slice_at", by_parts},
            {"slice_grad", by_parts},
            {"slice_grad_at", by_parts},
            {"slice_set", by_parts},
            {"slice_set_at", by_parts},
            {"take", by_parts},
            {"reduce", sum},
            {"mul", mul},
            {"sqr", square},
            {"div", quotient},
            {"conj", conjugate},
            {"magnitude", magnitude},
            {"angle", angle}};

gg_var *gg__compose_complex(const gg_apply *a) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].op, a->op->name) == 0)
      return rows[i].compose(a);
  return NULL;
}

/* --- transforms --- */

/* Multiply y by the power of the length, the vector n of one element. */
static gg__name times_power(gg__save *s, gg__name y, gg__name n, int dtype,
                            double power) {
  if (power == 0)
    return y;
  return gg__two(s, "Mul", y,
                 gg__two(s, "Pow", gg__cast_name(s, n, dtype),
                         gg__scalar_name(s, dtype, power)));
}

static gg__name conjugates(gg__save *s, gg__name x, unsigned int nd) {
  gg__name im = gg__node(s, "Neg", GG_IN(part(s, x, 1, nd)), NULL);

  return pair(s, part(s, x, 0, nd), im, nd);
}

/* Transform x, whose last axis has one or two parts, along an axis. Programs
 * that run models want an axis in front of the one that is transformed. */
static gg__name run_dft(gg__save *s, const gg_apply *a, gg__name x,
                        unsigned int axis, int inverse) {
  const int64_t front = 0, lines = rank(a) == 1;
  gg__name first = gg__ints(s, 1, &front);

  if (lines)
    x = gg__node(s, "Unsqueeze", GG_IN(x, first), NULL);
  x = gg__node(s, "DFT", GG_IN(x),
               GG_ATTRS(GG_A_INT("axis", axis + lines),
                        GG_A_INT("inverse", inverse),
                        GG_A_INT("onesided", !is_complex(a->in[0]))));
  return lines ? gg__node(s, "Squeeze", GG_IN(x, first), NULL) : x;
}

/* The same for an axis of length n, with the factor that the graph's transform
 * has; a model's divides by the length if it is inverse. One of real numbers is
 * never inverse: the exponents of the other sign give conjugates. */
static gg__name transform(gg__save *s, const gg_apply *a, gg__name x,
                          unsigned int axis, gg__name n) {
  const int dtype = ga__dtype_real(gg_var_type(a->in[0])->dtype);
  const int inverse = gg__prop(a, "inverse") != 0;
  const int turned = inverse && is_complex(a->in[0]);
  const int divides = gg__prop(a, "forward") != 0 ? !inverse : inverse;
  const double want = gg__prop(a, "ortho") != 0 ? -0.5 : divides ? -1 : 0;
  gg__name y = run_dft(s, a, x, axis, turned);

  y = times_power(s, y, n, dtype, want + turned);
  return inverse && !turned ? conjugates(s, y, rank(a)) : y;
}

gg__name gg__save_fft(gg__save *s, const gg_apply *a) {
  const int64_t axes = gg__prop(a, "axes");
  gg__name x = gg__name_in(s, a, 0);

  for (unsigned int i = 0; i < gg_var_type(a->in[0])->nd; i++)
    if ((axes >> i & 1) != 0)
      x = transform(s, a, x, i, gg__size_vector(s, a->in[0], i));
  return x;
}

/* The axis of a transform along one. */
static unsigned int axis_of(const gg_apply *a) {
  unsigned int axis = 0;

  while ((gg__prop(a, "axes") >> axis & 1) == 0)
    axis++;
  return axis;
}

gg__name gg__save_rfft(gg__save *s, const gg_apply *a) {
  const unsigned int axis = axis_of(a);
  const int64_t last = rank(a);
  gg__name x = gg__node(
      s, "Unsqueeze", GG_IN(gg__name_in(s, a, 0), gg__ints(s, 1, &last)), NULL);

  return transform(s, a, x, axis, gg__size_vector(s, a->in[0], axis));
}

/* The other half of the frequencies: conjugates, from the last one to the
 * second. */
static gg__name other_half(gg__save *s, const gg_apply *a, gg__name x,
                           gg__name n) {
  const int64_t one = 1, two = 2, zero = 0, back = -1, axis = axis_of(a);
  gg__name from = gg__two(s, "Div", gg__two(s, "Sub", n, gg__ints(s, 1, &one)),
                          gg__ints(s, 1, &two));
  gg__name rest = gg__node(s, "Slice",
                           GG_IN(x, from, gg__ints(s, 1, &zero),
                                 gg__ints(s, 1, &axis), gg__ints(s, 1, &back)),
                           NULL);

  return conjugates(s, rest, rank(a));
}

/* (x, n): models have no inverse that reads one half. */
gg__name gg__save_irfft(gg__save *s, const gg_apply *a) {
  const unsigned int axis = axis_of(a);
  gg__name n = gg__scalars(s, 1, &a->in[1]), x = gg__name_in(s, a, 0);
  gg__name all = gg__node(s, "Concat", GG_IN(x, other_half(s, a, x, n)),
                          GG_ATTRS(GG_A_INT("axis", axis)));

  return part(s, transform(s, a, all, axis, n), 0, rank(a));
}
