/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions take over what stands before and behind them: padding by zeros,
 * and scales of channels where the filters are constants. */
#include <math.h>

#include "base/dtype.h"
#include "rewrite/rw_match.h"

enum {
  MAX_SCALED = 1 << 22, /* elements of filters that are scaled */
  MAX_TERMS = 8,        /* added to the result of a convolution */
  MOST_TIMES = 64 /* the least normal number: elements that may round others */
};

#define MAX_PADDING (INT32_MAX / 4) /* as the ops check it */

/* --- padding before --- */

/* The size of v along an axis if it is known, or GG_ANY. */
static int64_t size_along(const gg_var *v, unsigned int axis) {
  gg_apply *fill = gg__node(v, &gg__op_fill);
  gg_apply *extent =
      fill != NULL ? gg__node(fill->in[0], &gg__op_extent) : NULL;
  double n;

  if (v->type.dims[axis] != GG_ANY || extent == NULL)
    return v->type.dims[axis];
  return gg__number(extent->in[axis], &n) && n >= 0 && n <= MAX_PADDING
             ? (int64_t)n
             : GG_ANY;
}

static int is_zeros(const gg_var *v) {
  gg_apply *fill = gg__node(v, &gg__op_fill);
  double value;

  if (fill != NULL)
    v = fill->in[1];
  return gg_var_uniform(v, &value) && value == 0;
}

/* Add the sizes of operands [from, to) of a join to *padding. Returns 0 if not
 * all of them are zeros of known sizes, or if there are too many. */
static int add_zeros(int64_t *padding, const gg_apply *join, unsigned int from,
                     unsigned int to, unsigned int axis) {
  for (unsigned int i = from; i < to; i++) {
    const int64_t n = size_along(join->in[i], axis);

    if (!is_zeros(join->in[i]) || n == GG_ANY || n > MAX_PADDING - *padding)
      return 0;
    *padding += n;
  }
  return 1;
}

/* conv(join(zeros, x, zeros), w), also of gradients by filters. */
static gg_var *padding_before(gg_apply *a) {
  gg_apply *join = gg__node(a->in[0], &gg__op_join);
  gg__conv_props p = *(const gg__conv_props *)a->props;
  unsigned int x = 0;

  if (join == NULL)
    return NULL;
  const unsigned int axis = ((const gg__axis_props *)join->props)->axis;
  if (axis < 2)
    return NULL;
  while (x + 1 < join->n_in && is_zeros(join->in[x]))
    x++;
  if (!add_zeros(&p.before[axis - 2], join, 0, x, axis) ||
      !add_zeros(&p.after[axis - 2], join, x + 1, join->n_in, axis))
    return NULL;
  gg_var *const in[3] = {join->in[x], a->in[1], a->n_in > 2 ? a->in[2] : NULL};
  return gg_op_apply(NULL, a->op, &p, a->n_in, in);
}

/* --- scales and terms behind --- */

/* conv + shift or, with `negative`, shift - conv. The result of a convolution
 * of narrow floats may be cast to float32 before. */
typedef struct affine {
  gg_apply *conv;
  gg_var *base;  /* its result, or the cast of it */
  gg_var *shift; /* or NULL */
  int negative;
} affine;

/* Is v a constant with one element, or one for each channel of `like`? */
static int is_by_channel(const gg_var *v, const gg_var *like) {
  return v->kind == GG_VAR_CONST && v->type.dtype == like->type.dtype &&
         v->type.nd == like->type.nd && (gg__wide(v) & ~2u) == 0 &&
         (v->type.dims[1] == 1 || v->type.dims[1] == like->type.dims[1]);
}

/* The convolution of narrow floats that v is a cast of, or v. */
static const gg_var *narrow(const gg_var *v) {
  gg_apply *a = gg__node(v, &gg__op_cast);

  return a != NULL && v->type.dtype == GA_FLOAT &&
                 ga__dtype_is_narrow(a->in[0]->type.dtype)
             ? a->in[0]
             : v;
}

static gg_apply *find_conv(const gg_var *v) {
  v = narrow(v);
  gg_apply *a = gg__node(v, &gg__op_conv);

  return a != NULL ? a : gg__node(v, &gg__op_conv_input);
}

/* The operand of a sum or a product that is no constant by channel; GG_ANY if
 * there is none. */
static int other_operand(const gg_apply *a) {
  for (int i = 0; i < 2; i++)
    if (is_by_channel(a->in[i], a->in[1 - i]))
      return 1 - i;
  return GG_ANY;
}

/* shift + term, where the term of `a` or what is there so far is negative. */
static gg_var *add_term(const affine *f, gg_var *term, int is_minus) {
  if (f->shift == NULL)
    return is_minus ? gg_neg(term) : term;
  return is_minus ? gg_sub(f->shift, term) : gg_add(f->shift, term);
}

/* Find a convolution that is v, or below it behind at most MAX_TERMS constants
 * that are added to it. Nothing below v has other uses. Returns 0 if there is
 * none. The shift is built only if `builds`. */
static int find_affine(const gg_rewriting *rw, gg_var *v, int builds,
                       affine *f) {
  *f = (affine){.conv = NULL};
  for (int n = 0; n <= MAX_TERMS && gg__regroups(v); n++) {
    f->conv = find_conv(v);
    f->base = v;
    if (f->conv != NULL)
      return 1;
    gg_apply *a = gg__node(v, &gg__op_add), *sub = gg__node(v, &gg__op_sub);
    a = a != NULL ? a : sub;
    const int i = a != NULL ? other_operand(a) : GG_ANY;
    if (i == GG_ANY || gg_rule_uses(rw, a->in[i]) > 1)
      return 0;
    const int is_minus = f->negative != (sub != NULL && i == 0);
    if (builds)
      f->shift = add_term(f, a->in[1 - i], is_minus);
    f->negative ^= sub != NULL && i == 1;
    v = a->in[i];
  }
  return 0;
}

/* The factors of a constant by channel. */
typedef struct factors {
  const gg_var *v;
  int divides, negative;
} factors;

static double factor_of(const factors *f, size_t channel) {
  const gg_type *t = &f->v->type;
  const size_t bytes = ga__dtype_size(t->dtype);
  const double c =
      ga__dtype_to_double(t->dtype, (const char *)f->v->data +
                                        (t->dims[1] > 1 ? channel : 0) * bytes);

  return (f->negative ? -1 : 1) * (f->divides ? 1 / c : c);
}

/* The filters of a convolution in parts, each with one factor: filters, or
 * those of a transposed convolution by channels. */
typedef struct parts {
  const gg_apply *conv;
  const factors *f;
  int dtype;
  size_t n, each; /* elements of a part */
  const char *data;
} parts;

/* The channel of the result that a part belongs to. */
static size_t channel_of(const parts *s, size_t part) {
  const gg_type *w = &s->conv->in[1]->type;
  const size_t each = (size_t)w->dims[1];
  const size_t groups =
      (size_t)((const gg__conv_props *)s->conv->props)->groups;

  return s->conv->op == &gg__op_conv
             ? part
             : part / each / ((size_t)w->dims[0] / groups) * each + part % each;
}

static double element(const parts *s, size_t part, size_t i) {
  return ga__dtype_to_double(s->dtype, s->data + (part * s->each + i) *
                                                     ga__dtype_size(s->dtype));
}

/* Is the product c w of an element of a part, which is no normal number, so
 * small that its rounding does not count beside the largest one? */
static int is_negligible(const parts *s, size_t part, double c, double w) {
  const double least = ga__dtype_smallest(s->dtype);

  for (size_t i = 0; fabs(c * w) < least && i < s->each; i++)
    if (fabs(c * element(s, part, i)) >= MOST_TIMES * least)
      return 1;
  return 0;
}

/* Scale the filters. Returns 0 if a product cannot be stored. */
static int scale_elements(const parts *s, char *out) {
  const size_t bytes = ga__dtype_size(s->dtype);

  for (size_t p = 0; p < s->n; p++) {
    const double c = factor_of(s->f, channel_of(s, p));

    for (size_t i = 0; i < s->each; i++) {
      const double w = element(s, p, i);

      if (!gg__number_fits(s->dtype, c * w) && !is_negligible(s, p, c, w))
        return 0;
      ga__dtype_from_double(s->dtype, out, c * w);
      out += bytes;
    }
  }
  return 1;
}

/* The convolution with scaled filters, or NULL. */
static gg_var *scaled(const gg_apply *conv, const factors *f) {
  const gg_var *w = conv->in[1];
  const gg_type *t = &w->type;
  const int64_t n = gg__type_size(t);
  gg_var *in[3] = {conv->in[0], NULL, conv->n_in > 2 ? conv->in[2] : NULL};
  size_t dims[GG_MAX_ND];

  if (w->kind != GG_VAR_CONST || n < 1 || n > MAX_SCALED)
    return NULL;
  for (unsigned int d = 0; d < t->nd; d++)
    dims[d] = (size_t)t->dims[d];
  parts s = {.conv = conv, .f = f, .dtype = t->dtype, .data = w->data};
  s.n = conv->op == &gg__op_conv ? dims[0] : dims[0] * dims[1];
  s.each = (size_t)n / s.n;
  char *data = ga__calloc((size_t)n, ga__dtype_size(t->dtype));
  if (data == NULL)
    gg__fail(w->graph, GA_MEMORY_ERROR, "out of host memory");
  else if (scale_elements(&s, data))
    in[1] = gg_constant(w->graph, t->dtype, t->nd, dims, data);
  ga__free(data);
  return in[1] != NULL ? gg__apply_like(conv, in) : NULL;
}

/* (conv(x, w) + k) s and (conv(x, w) + k) / s. */
static gg_var *scale_behind(const gg_rewriting *rw, gg_apply *a) {
  const int i = other_operand(a), divides = a->op == &gg__op_div;
  affine f;

  if (i == GG_ANY || (divides && i != 0) || gg_rule_uses(rw, a->in[i]) > 1 ||
      !find_affine(rw, a->in[i], 0, &f) || f.conv->in[1]->kind != GG_VAR_CONST)
    return NULL;
  if (gg_rule_uses(rw, f.conv->out[0]) > 1)
    return NULL;
  find_affine(rw, a->in[i], 1, &f);
  gg_var *s = a->in[1 - i];
  gg_var *v = scaled(f.conv, &(factors){s, divides, f.negative});
  if (v != NULL)
    v = gg_cast(v, f.base->type.dtype);
  if (v == NULL || f.shift == NULL)
    return v;
  return gg__add(v, divides ? gg_div(f.shift, s) : gg_mul(f.shift, s));
}

/* Several constants that are added to a convolution become one. */
static gg_var *terms_behind(const gg_rewriting *rw, gg_apply *a) {
  const int i = other_operand(a);
  affine f;

  if (i == GG_ANY || find_conv(a->in[i]) != NULL ||
      !find_affine(rw, a->out[0], 0, &f) ||
      !find_affine(rw, a->out[0], 1, &f) || f.shift == NULL)
    return NULL;
  return f.negative ? gg_sub(f.shift, f.base) : gg__add(f.base, f.shift);
}

const gg_rule gg__rules_conv[] = {
    GG_RULE("padding before conv", GG_CANON, padding_before, &gg__op_conv,
            &gg__op_conv_filters),
    GG_RULE_COUNTED("scale behind conv", GG_LATE, scale_behind, &gg__op_mul,
                    &gg__op_div),
    GG_RULE_COUNTED("terms behind conv", GG_LATE, terms_behind, &gg__op_add,
                    &gg__op_sub),
    {0}};
