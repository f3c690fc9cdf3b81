/* SPDX-License-Identifier: BSD-2-Clause */
/* How the built-in ops are written, and what they take: one table. */
#include "ops/forms.h"

#include "ops/draw.h"
#include "ops/ops.h"
#include "ops/value_size.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define AT(type, field) offsetof(type, field)

/* --- properties --- */

static const char *const reductions[] = {
    [GG_SUM] = "sum",           [GG_PROD] = "prod",
    [GG_MAX] = "max",           [GG_MIN] = "min",
    [GG_ANY_OF] = "any_of",     [GG_ALL_OF] = "all_of",
    [GG_ARGMAX] = "argmax",     [GG_ARGMIN] = "argmin",
    [GG_VARIANCE] = "variance", NULL};

static const gg_field cast_fields[] = {
    {.name = "dtype", .kind = GG_FIELD_DTYPE, .at = AT(gg__cast_props, dtype)}};

static const gg_field message_fields[] = {
    {.name = "message",
     .kind = GG_FIELD_TEXT,
     .at = AT(gg__message_props, text),
     .most = sizeof((gg__message_props *)0)->text}};

static const gg_field axis_fields[] = {
    {.name = "axis", .kind = GG_FIELD_UINT, .at = AT(gg__axis_props, axis)}};

static const gg_field dimshuffle_fields[] = {
    {.name = "pattern",
     .kind = GG_FIELD_INT,
     .at = AT(gg__dimshuffle_props, pattern),
     .most = GG_MAX_ND,
     .count_at = AT(gg__dimshuffle_props, nd),
     .otherwise = -1}};

static const gg_field reshape_fields[] = {
    {.name = "dims",
     .kind = GG_FIELD_INT64,
     .at = AT(gg__reshape_props, dims),
     .most = GG_MAX_ND,
     .count_at = AT(gg__reshape_props, nd)}};

static const gg_field slice_fields[] = {
    {.name = "axis", .kind = GG_FIELD_INT64, .at = AT(gg__slice_props, axis)},
    {.name = "start",
     .kind = GG_FIELD_INT64,
     .at = AT(gg__slice_props, start),
     .optional = 1,
     .otherwise = GG_END},
    {.name = "stop",
     .kind = GG_FIELD_INT64,
     .at = AT(gg__slice_props, stop),
     .optional = 1,
     .otherwise = GG_END},
    {.name = "step",
     .kind = GG_FIELD_INT64,
     .at = AT(gg__slice_props, step),
     .optional = 1,
     .otherwise = 1}};

static const gg_field index_fields[] = {
    {.name = "axis", .kind = GG_FIELD_INT64, .at = AT(gg__index_props, axis)},
    {.name = "at", .kind = GG_FIELD_INT64, .at = AT(gg__index_props, index)}};

static const gg_field part_fields[] = {
    {.name = "axis", .kind = GG_FIELD_UINT, .at = AT(gg__part_props, axis)},
    {.name = "part", .kind = GG_FIELD_UINT, .at = AT(gg__part_props, part)}};

static const gg_field put_fields[] = {{.name = "add",
                                       .kind = GG_FIELD_FLAG,
                                       .at = AT(gg__put_props, add),
                                       .optional = 1}};

static const gg_field clip_fields[] = {
    {.name = "lo", .kind = GG_FIELD_REAL, .at = AT(gg__clip_props, lo)},
    {.name = "hi", .kind = GG_FIELD_REAL, .at = AT(gg__clip_props, hi)}};

static const gg_field scale_fields[] = {{.name = "factor",
                                         .kind = GG_FIELD_REAL,
                                         .at = AT(gg__scale_props, factor)}};

static const gg_field reduce_fields[] = {{.name = "op",
                                          .kind = GG_FIELD_WORD,
                                          .at = AT(gg_reduce_props, op),
                                          .words = reductions},
                                         {.name = "axes",
                                          .kind = GG_FIELD_AXES,
                                          .at = AT(gg_reduce_props, axes_mask)},
                                         {.name = "keepdims",
                                          .kind = GG_FIELD_FLAG,
                                          .at = AT(gg_reduce_props, keepdims),
                                          .optional = 1}};

static const gg_field dot_fields[] = {{.name = "alpha",
                                       .kind = GG_FIELD_REAL,
                                       .at = AT(gg__dot_props, alpha),
                                       .optional = 1,
                                       .otherwise = 1}};

static const gg_field gemm_fields[] = {{.name = "alpha",
                                        .kind = GG_FIELD_REAL,
                                        .at = AT(gg__gemm_props, alpha),
                                        .optional = 1,
                                        .otherwise = 1},
                                       {.name = "beta",
                                        .kind = GG_FIELD_REAL,
                                        .at = AT(gg__gemm_props, beta),
                                        .optional = 1,
                                        .otherwise = 1}};

static const char *const draws[] = {[GA_RANDOM_UNIFORM] = "uniform",
                                    [GA_RANDOM_NORMAL] = "normal",
                                    [GA_RANDOM_BITS] = "bits",
                                    NULL};

static const gg_field draw_fields[] = {
    {.name = "what",
     .kind = GG_FIELD_WORD,
     .at = AT(gg__draw_props, what),
     .words = draws},
    {.name = "dtype", .kind = GG_FIELD_DTYPE, .at = AT(gg__draw_props, dtype)},
    {.name = "dims",
     .kind = GG_FIELD_INT64,
     .at = AT(gg__draw_props, dims),
     .most = GG_MAX_ND,
     .count_at = AT(gg__draw_props, nd),
     .optional = 1}};

static const gg_field sample_fields[] = {{.name = "dtype",
                                          .kind = GG_FIELD_DTYPE,
                                          .at = AT(gg__sample_props, dtype)},
                                         {.name = "count",
                                          .kind = GG_FIELD_INT,
                                          .at = AT(gg__sample_props, count),
                                          .optional = 1,
                                          .otherwise = -1}};

/* --- checks: what the builders see to --- */

static unsigned int rank_of(const gg_apply *a, unsigned int i) {
  return gg_var_type(a->in[i])->nd;
}

static int check_axis_of(const gg_apply *a, unsigned int i, int64_t axis) {
  if (axis < 0 || axis >= (int64_t)rank_of(a, i))
    return gg_op_fail(a, GA_VALUE_ERROR, "there is no axis %lld",
                      (long long)axis);
  return GA_NO_ERROR;
}

static int check_ranks(const gg_apply *a, unsigned int i, unsigned int k) {
  if (rank_of(a, i) != rank_of(a, k))
    return gg_op_fail(a, GA_VALUE_ERROR, "operands %u and %u differ in rank", i,
                      k);
  return GA_NO_ERROR;
}

static int check_not_scalar(const gg_apply *a) {
  if (rank_of(a, 0) == 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "a scalar has no axis");
  return GA_NO_ERROR;
}

static int check_cast(const gg_apply *a) {
  const gg__cast_props *p = a->props;
  const ga__kind kind = ga__dtype_kind(p->dtype);

  if (kind == GA_KIND_NONE || kind == GA_KIND_COMPLEX)
    return gg_op_fail(a, GA_UNSUPPORTED_ERROR, "graphs have no %s",
                      ga__dtype_name(p->dtype));
  return GA_NO_ERROR;
}

/* Elements of `value` do not shrink to those of `like`. */
static int check_fill(const gg_apply *a) {
  GA_TRY(check_ranks(a, 0, 1));
  const gg_type *t = gg_var_type(a->in[0]);
  const gg_type *v = gg_var_type(a->in[1]);
  for (unsigned int i = 0; i < t->nd; i++)
    if (t->dims[i] == 1 && v->dims[i] != 1)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u of the value does not shrink to 1", i);
  return GA_NO_ERROR;
}

static int check_axis(const gg_apply *a) {
  const gg__axis_props *p = a->props;

  return check_axis_of(a, 0, p->axis);
}

static int check_dimshuffle(const gg_apply *a) {
  const gg__dimshuffle_props *p = a->props;
  const gg_type *t = gg_var_type(a->in[0]);
  unsigned int used = 0;

  for (unsigned int i = 0; i < p->nd; i++) {
    if (p->pattern[i] == -1)
      continue;
    GA_TRY(check_axis_of(a, 0, p->pattern[i]));
    if (used >> p->pattern[i] & 1u)
      return gg_op_fail(a, GA_VALUE_ERROR, "axis %d is used twice",
                        p->pattern[i]);
    used |= 1u << p->pattern[i];
  }
  for (unsigned int i = 0; i < t->nd; i++)
    if (!(used >> i & 1u) && t->dims[i] != 1)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "axis %u cannot be dropped: it is not known to be 1",
                        i);
  return GA_NO_ERROR;
}

/* Sizes, of which `most_open` may be -1. */
static int check_sizes(const gg_apply *a, unsigned int nd, const int64_t *dims,
                       unsigned int most_open) {
  unsigned int open = 0;

  for (unsigned int i = 0; i < nd; i++) {
    open += dims[i] == GG_ANY;
    if (dims[i] < GG_ANY || open > most_open)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: %lld: %s size may be -1, others must be "
                        "sizes",
                        i, (long long)dims[i], most_open != 0 ? "one" : "no");
  }
  if (!gg__sizes_fit(nd, dims))
    return gg_op_fail(a, GA_XLARGE_ERROR, "the sizes are too large");
  return GA_NO_ERROR;
}

static int check_reshape(const gg_apply *a) {
  const gg__reshape_props *p = a->props;

  return check_sizes(a, (unsigned int)p->nd, p->dims, 1);
}

static int check_specify_shape(const gg_apply *a) {
  const gg__reshape_props *p = a->props;

  if ((unsigned int)p->nd != rank_of(a, 0))
    return gg_op_fail(a, GA_VALUE_ERROR, "expected %u sizes, got %u",
                      rank_of(a, 0), (unsigned int)p->nd);
  return check_sizes(a, (unsigned int)p->nd, p->dims, GG_MAX_ND);
}

static int check_extent(const gg_apply *a) {
  if (a->n_in > GG_MAX_ND)
    return gg_op_fail(a, GA_VALUE_ERROR, "%u dimensions are more than %d",
                      a->n_in, GG_MAX_ND);
  return GA_NO_ERROR;
}

static int check_reshape_sizes(const gg_apply *a) {
  if (a->n_in - 1 > GG_MAX_ND)
    return gg_op_fail(a, GA_VALUE_ERROR, "%u dimensions are more than %d",
                      a->n_in - 1, GG_MAX_ND);
  return GA_NO_ERROR;
}

static int check_specify_sizes(const gg_apply *a) {
  if (a->n_in - 1 != rank_of(a, 0))
    return gg_op_fail(a, GA_VALUE_ERROR, "expected %u sizes, got %u",
                      rank_of(a, 0), a->n_in - 1);
  return GA_NO_ERROR;
}

static int check_slice(const gg_apply *a) {
  const gg__slice_props *p = a->props;

  if (p->step == 0 || p->step == GG_END)
    return gg_op_fail(a, GA_VALUE_ERROR, "the step must not be 0");
  return check_axis_of(a, 0, p->axis);
}

/* Its gradient knows the sizes of x as those of g around the slice. */
static int check_slice_grad(const gg_apply *a) {
  GA_TRY(check_slice(a));
  return check_ranks(a, 0, 1);
}

static int check_index(const gg_apply *a) {
  const gg__index_props *p = a->props;

  if (p->index == GG_END)
    return gg_op_fail(a, GA_VALUE_ERROR, "%lld is not an index",
                      (long long)p->index);
  return check_axis_of(a, 0, p->axis);
}

/* The same rank for all, and no more of them than gg_join takes. */
static int check_join(const gg_apply *a) {
  if (a->n_in > 64)
    return gg_op_fail(a, GA_VALUE_ERROR, "%u operands are more than 64",
                      a->n_in);
  GA_TRY(check_axis(a));
  for (unsigned int i = 1; i < a->n_in; i++)
    GA_TRY(check_ranks(a, 0, i));
  return GA_NO_ERROR;
}

static int check_part(const gg_apply *a) {
  const gg__part_props *p = a->props;

  if (a->n_in > 65)
    return gg_op_fail(a, GA_VALUE_ERROR, "%u operands are more than 65",
                      a->n_in);
  if (p->part >= a->n_in - 1)
    return gg_op_fail(a, GA_VALUE_ERROR, "there is no part %u", p->part);
  for (unsigned int i = 1; i < a->n_in; i++)
    GA_TRY(check_ranks(a, 0, i));
  return check_axis_of(a, 0, p->axis);
}

static int check_reduce(const gg_apply *a) {
  const gg_reduce_props *p = a->props;
  const int is_bool = gg_var_type(a->in[0])->dtype == GA_BOOL;
  const int wants_bool = p->op == GG_ANY_OF || p->op == GG_ALL_OF;

  if (p->axes_mask == 0 || p->axes_mask >> rank_of(a, 0) != 0)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "expected axes of the operand, at least one");
  if (is_bool != wants_bool)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected %s operand",
                      wants_bool ? "a bool" : "another");
  if (p->op == GG_VARIANCE &&
      ga__dtype_kind(gg_var_type(a->in[0])->dtype) != GA_KIND_FLOAT)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected a float operand");
  return GA_NO_ERROR;
}

static int check_dot(const gg_apply *a) {
  const gg__dot_props *p = a->props;

  for (unsigned int i = 0; i < 2; i++)
    if (rank_of(a, i) < 1 || rank_of(a, i) > 2)
      return gg_op_fail(a, GA_VALUE_ERROR, "expected vectors and matrices");
  if (rank_of(a, 0) + rank_of(a, 1) == 2 && p->alpha != 1)
    return gg_op_fail(a, GA_VALUE_ERROR, "two vectors have no alpha");
  return GA_NO_ERROR;
}

static int check_take(const gg_apply *a) {
  return check_not_scalar(a);
}

static int check_take_grad(const gg_apply *a) {
  GA_TRY(check_not_scalar(a));
  return check_ranks(a, 0, 2);
}

static int check_pair(const gg_apply *a) {
  GA_TRY(check_not_scalar(a));
  return check_ranks(a, 0, 1);
}

/* A state, and perhaps a variable whose shape the draw has. */
static int check_draw(const gg_apply *a) {
  const gg__draw_props *p = a->props;
  const ga__kind kind = ga__dtype_kind(p->dtype);
  const int is_philox = a->op == &gg__op_philox;

  if (a->n_in > 2 || (a->n_in == 2 && p->nd != 0))
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "expected a state, and a shape at most once");
  if (gg_var_type(a->in[0])->dtype != (is_philox ? GA_ULONG : GA_INT) ||
      rank_of(a, 0) != (is_philox ? 1u : 2u))
    return gg_op_fail(a, GA_VALUE_ERROR, "operand 0 is not a state");
  if (p->what == GA_RANDOM_BITS ? p->dtype != GA_UINT && p->dtype != GA_ULONG
                                : kind != GA_KIND_FLOAT)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "there are no such random numbers in %s",
                      ga__dtype_name(p->dtype));
  for (int i = 0; i < p->nd; i++)
    if (p->dims[i] < 0)
      return gg_op_fail(a, GA_VALUE_ERROR, "dim %d: %lld is not a size", i,
                        (long long)p->dims[i]);
  return GA_NO_ERROR;
}

static int check_sample(const gg_apply *a) {
  const gg__sample_props *p = a->props;
  const ga__kind kind = ga__dtype_kind(p->dtype);

  if (kind == GA_KIND_NONE || kind == GA_KIND_COMPLEX)
    return gg_op_fail(a, GA_UNSUPPORTED_ERROR, "graphs have no %s",
                      ga__dtype_name(p->dtype));
  if (p->count < (a->op == &gg__op_multinomial ? 0 : -1))
    return gg_op_fail(a, GA_VALUE_ERROR, "%d numbers", p->count);
  if (a->op == &gg__op_binomial) {
    GA_TRY(check_ranks(a, 0, 1));
    GA_TRY(check_ranks(a, 0, 2));
  }
  return GA_NO_ERROR;
}

/* --- the table --- */

#define PLAIN(name, takes)                                                     \
  { &gg__op_##name, takes, 0, NULL, NULL }
#define CHECKED(name, takes, check)                                            \
  { &gg__op_##name, takes, 0, NULL, check }
#define WITH(name, takes, fields, check)                                       \
  { &gg__op_##name, takes, COUNT(fields), fields, check }

/* Operands of the elementwise kinds. */
#define TAKES_number "N"
#define TAKES_comparison "N"
#define TAKES_bits "L"
#define TAKES_real "F"
#define TAKES_predicate "F"
#define TAKES_whole "F"
#define TAKES_quotient "F"
#define TAKES_power "F"

/* clang-format off */
const gg_op_form gg__forms[] = {
#define UNARY(name, doc, kind, ...) PLAIN(name, TAKES_##kind),
#define BINARY(name, doc, kind, ...) PLAIN(name, TAKES_##kind TAKES_##kind),
#include "ops/elementwise.def"
    PLAIN(where, "bXX"), PLAIN(stop_gradient, "x"),
    WITH(print, "x", message_fields, NULL),
    WITH(assert, "xb0", message_fields, NULL),
    CHECKED(fill, "xx", check_fill),
    WITH(cast, "x", cast_fields, check_cast),
    WITH(shape, "x", axis_fields, check_axis),
    PLAIN(size, "x"),
    WITH(iota, "x", axis_fields, check_axis),
    CHECKED(extent, "i0+", check_extent),
    WITH(dimshuffle, "x", dimshuffle_fields, check_dimshuffle),
    WITH(reshape, "x", reshape_fields, check_reshape),
    PLAIN(reshape_like, "xx"),
    WITH(specify_shape, "x", reshape_fields, check_specify_shape),
    CHECKED(reshape_sizes, "xi0+", check_reshape_sizes),
    CHECKED(specify_sizes, "xi0+", check_specify_sizes),
    WITH(slice, "x", slice_fields, check_slice),
    WITH(slice_grad, "xx", slice_fields, check_slice_grad),
    WITH(index, "x", index_fields, check_index),
    WITH(join, "X+", axis_fields, check_join),
    WITH(part, "xx+", part_fields, check_part),
    WITH(slice_set, "XX", slice_fields, check_slice_grad),
    WITH(put, "Xi1X", put_fields, check_take_grad),
    WITH(clip_gradient, "f", clip_fields, NULL),
    WITH(scale_gradient, "f", scale_fields, NULL),
    WITH(undefined_gradient, "f", message_fields, NULL),
    CHECKED(take, "xi1", check_take),
    CHECKED(take_grad, "xi1x", check_take_grad),
    WITH(reduce, "x", reduce_fields, check_reduce),
    WITH(dot, "FF", dot_fields, check_dot),
    WITH(gemm, "F2F2F2", gemm_fields, NULL),
    WITH(gemv, "F1F2F1", gemm_fields, NULL),
    WITH(ger, "F2F1F1", dot_fields, NULL),
    WITH(batched_dot, "F3F3", dot_fields, NULL),
    WITH(batched_gemm, "F3F3F3", gemm_fields, NULL),
    CHECKED(softmax, "f", check_not_scalar),
    CHECKED(log_softmax, "f", check_not_scalar),
    CHECKED(softmax_grad, "FF", check_pair),
    PLAIN(crossentropy, "f2i1"),
    PLAIN(crossentropy_grad, "F1F2i1"),
    PLAIN(softmax_xent, "f2i1"),
    PLAIN(softmax_xent_grad, "F1F2i1"),
    WITH(philox, "i1x?", draw_fields, check_draw),
    WITH(mrg31k3p, "i2x?", draw_fields, check_draw),
    PLAIN(ndtri, "F"), PLAIN(random_below, "II"),
    WITH(binomial, "FFF", sample_fields, check_sample),
    WITH(multinomial, "F2F2", sample_fields, check_sample),
    WITH(choice, "F2F2", sample_fields, check_sample),
    WITH(permutation, "i1i", sample_fields, check_sample),
};
/* clang-format on */

const size_t gg__n_forms = COUNT(gg__forms);

/* --- short forms --- */

const gg__short gg__shorts[] = {
    {.name = "sum", .reduction = GG_SUM},
    {.name = "prod", .reduction = GG_PROD},
    {.name = "max", .reduction = GG_MAX},
    {.name = "min", .reduction = GG_MIN},
    {.name = "any_of", .reduction = GG_ANY_OF},
    {.name = "all_of", .reduction = GG_ALL_OF},
    {.name = "argmax", .reduction = GG_ARGMAX},
    {.name = "argmin", .reduction = GG_ARGMIN},
    {.name = "variance", .reduction = GG_VARIANCE},
    {.name = "mean", .one = gg_mean},
    {.name = "transpose", .one = gg_transpose},
    {.name = "flatten", .one = gg_flatten},
    {.name = "zeros_like", .one = gg_zeros_like},
    {.name = "ones_like", .one = gg_ones_like},
    {.name = "outer", .two = gg_outer},
    {.name = "clip", .three = gg_clip},
};

const size_t gg__n_shorts = COUNT(gg__shorts);
