/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops whose sizes calls decide. The sizes are inputs: integer scalars that the
 * host knows before anything runs. Those that are constants are in the type of
 * the output. */
#include <gpugraph/sizes.h>
#include <math.h>
#include <string.h>

#include "ops/ops.h"
#include "ops/value_size.h"

#define MOST_SIZE 9007199254740992.0 /* 2^53: doubles below it are exact */

/* The index of the first input that is a size. They follow x; extent has no
 * x. */
static unsigned int first_size(const gg_apply *a) {
  return a->op != &gg__op_extent;
}

static unsigned int count_sizes(const gg_apply *a) {
  return a->n_in - first_size(a);
}

static int check_size(const gg_apply *a, unsigned int i, double n) {
  const double least = a->op == &gg__op_extent ? 0 : GG_ANY;

  if (!(n >= least && n < MOST_SIZE))
    return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: %.0f is not a size", i, n);
  return GA_NO_ERROR;
}

static int check_sizes(const gg_apply *a, const int64_t *dims,
                       unsigned int most_open) {
  unsigned int open = 0;

  for (unsigned int i = 0; i < count_sizes(a); i++)
    open += dims[i] == GG_ANY;
  if (open > most_open)
    return gg_op_fail(a, GA_VALUE_ERROR, "%u sizes are -1, expected one", open);
  if (!gg__sizes_fit(count_sizes(a), dims))
    return gg_op_fail(a, GA_XLARGE_ERROR, "the result is too large");
  return GA_NO_ERROR;
}

/* Sizes that are constants, GG_ANY for others and for 1. If rewriting finds
 * that a size is 1, the axis must not begin to broadcast. For sizes that are 1
 * from the start, builders specify that (say_ones). */
static int constant_sizes(const gg_apply *a, int64_t *dims) {
  double n = 0;

  for (unsigned int i = 0; i < count_sizes(a); i++) {
    dims[i] = GG_ANY;
    if (!gg_var_uniform(a->in[first_size(a) + i], &n))
      continue;
    GA_TRY(check_size(a, i, n));
    if (n != 1)
      dims[i] = (int64_t)n;
  }
  return check_sizes(a, dims, GG_MAX_ND);
}

/* The sizes of a call. */
static int read_sizes(const gg_apply *a, const double *const *host,
                      unsigned int most_open, int64_t *dims) {
  const double *const *const n = host + first_size(a);

  for (unsigned int i = 0; i < count_sizes(a); i++) {
    if (n[i] == NULL)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: the size is not known before the call", i);
    GA_TRY(check_size(a, i, *n[i]));
    dims[i] = (int64_t)*n[i];
  }
  return check_sizes(a, dims, most_open);
}

/* --- reshape_sizes --- */

static int infer_reshape(const gg_apply *a, gg_type *out) {
  out->dtype = gg_var_type(a->in[0])->dtype;
  out->nd = count_sizes(a);
  return constant_sizes(a, out->dims);
}

static int shape_reshape(const gg_apply *a, const gg_dims *in,
                         const double *const *host, gg_dims *out) {
  int64_t dims[GG_MAX_ND];

  GA_TRY(read_sizes(a, host, 1, dims));
  return gg__reshaped_dims(a, count_sizes(a), dims, &in[0], out);
}

const gg_op gg__op_reshape_sizes = {.name = "reshape_sizes",
                                    .kind = GG_OP_VIEW,
                                    .n_out = 1,
                                    .number_only = ~1u,
                                    .infer = infer_reshape,
                                    .shape = shape_reshape,
                                    .grad = gg__reshape_grad,
                                    .view = gg__reshape_view};

/* --- specify_sizes --- */

static int infer_specify(const gg_apply *a, gg_type *out) {
  int64_t dims[GG_MAX_ND];

  GA_TRY(constant_sizes(a, dims));
  return gg__specified_type(a, dims, out);
}

static int shape_specify(const gg_apply *a, const gg_dims *in,
                         const double *const *host, gg_dims *out) {
  int64_t dims[GG_MAX_ND];

  GA_TRY(read_sizes(a, host, GG_MAX_ND, dims));
  return gg__specified_dims(a, dims, &in[0], out);
}

const gg_op gg__op_specify_sizes = {.name = "specify_sizes",
                                    .kind = GG_OP_VIEW,
                                    .n_out = 1,
                                    .number_only = ~1u,
                                    .infer = infer_specify,
                                    .shape = shape_specify,
                                    .grad = gg__grad_first,
                                    .view = gg__specify_view};

/* --- extent --- */

static int infer_extent(const gg_apply *a, gg_type *out) {
  out->dtype = GA_BOOL;
  out->nd = count_sizes(a);
  return constant_sizes(a, out->dims);
}

static int shape_extent(const gg_apply *a, const gg_dims *in,
                        const double *const *host, gg_dims *out) {
  int64_t dims[GG_MAX_ND];

  (void)in;
  GA_TRY(read_sizes(a, host, 0, dims));
  out->nd = count_sizes(a);
  for (unsigned int i = 0; i < out->nd; i++)
    out->dim[i] = (size_t)dims[i];
  return GA_NO_ERROR;
}

static int host_extent(const gg_apply *a, const gg_dims *in,
                       const double *const *number, const gg_dims *want,
                       void *data) {
  (void)a;
  (void)in;
  (void)number;
  memset(data, 0, gg__dims_count(want));
  return GA_NO_ERROR;
}

const gg_op gg__op_extent = {.name = "extent",
                             .kind = GG_OP_SHAPE,
                             .n_out = 1,
                             .number_only = ~0u,
                             .infer = infer_extent,
                             .shape = shape_extent,
                             .host = host_extent};

/* --- builders --- */

static int is_integer_scalar(const gg_var *v) {
  const gg_type *t = gg_var_type(v);

  return t->nd == 0 && gg__is_integer(t->dtype);
}

int gg__check_number(const gg_op *op, gg_var *x, const gg_var *v) {
  char type[64];

  if (is_integer_scalar(v))
    return 1;
  gg__refuse(op, 1, &x, GA_VALUE_ERROR, "expected an integer scalar, got %s",
             gg_type_text(gg_var_type(v), type, sizeof type));
  return 0;
}

/* Fill `out` with the sizes as scalars that are known before anything runs, as
 * far as they can be found (gg_element). Nonzero if there are at most GG_MAX_ND
 * sizes, all integer scalars. Otherwise records an error of `op` with the
 * operand x. */
static int take_sizes(const gg_op *op, gg_var *x, unsigned int nd,
                      gg_var *const *sizes, gg_var **out) {
  if (nd > GG_MAX_ND) {
    gg__refuse(op, 1, &x, GA_VALUE_ERROR, "%u dimensions are more than %d", nd,
               GG_MAX_ND);
    return 0;
  }
  if (!gg__listed(op, x, nd, sizes))
    return 0;
  for (unsigned int i = 0; i < nd; i++) {
    if (sizes[i] == NULL) {
      gg__refuse(op, 1, &x, GA_VALUE_ERROR, "size %u is NULL", i);
      return 0;
    }
    if (!is_integer_scalar(sizes[i])) {
      gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                 "dim %u: the size is not an integer scalar", i);
      return 0;
    }
    out[i] = gg_element(sizes[i], 0);
  }
  return 1;
}

/* v with the sizes specified that are the constant 1. */
static gg_var *say_ones(gg_var *v, unsigned int nd, gg_var *const *sizes) {
  int64_t dims[GG_MAX_ND];
  double n = 0;

  for (unsigned int i = 0; i < nd; i++)
    dims[i] = gg_var_uniform(sizes[i], &n) && n == 1 ? 1 : GG_ANY;
  return gg_specify_shape(v, dims);
}

static gg_var *apply(const gg_op *op, gg_var *x, unsigned int nd,
                     gg_var *const *sizes) {
  gg_var *in[GG_MAX_ND + 1] = {x};

  for (unsigned int i = 0; i < nd; i++)
    in[i + 1] = sizes[i];
  return say_ones(gg_op_apply(NULL, op, NULL, nd + 1, in), nd, sizes);
}

/* If all sizes are constants: set dims and return 1. */
static int are_known(unsigned int nd, gg_var *const *sizes, int64_t *dims) {
  double n = 0;

  for (unsigned int i = 0; i < nd; i++) {
    if (!gg_var_uniform(sizes[i], &n) || !(n >= GG_ANY && n < MOST_SIZE))
      return 0;
    dims[i] = (int64_t)n;
  }
  return 1;
}

gg_var *gg_reshape_sizes(gg_var *x, unsigned int nd, gg_var *const *sizes) {
  gg_var *known[GG_MAX_ND];
  int64_t dims[GG_MAX_ND];

  if (!gg__given_beside(&gg__op_reshape_sizes, x, nd, sizes) ||
      !take_sizes(&gg__op_reshape_sizes, x, nd, sizes, known))
    return NULL;
  return are_known(nd, known, dims)
             ? gg_reshape(x, nd, dims)
             : apply(&gg__op_reshape_sizes, x, nd, known);
}

gg_var *gg_specify_sizes(gg_var *x, gg_var *const *sizes) {
  const unsigned int nd = x != NULL ? gg_var_type(x)->nd : 0;
  gg_var *known[GG_MAX_ND];
  int64_t dims[GG_MAX_ND];

  if (x == NULL || !take_sizes(&gg__op_specify_sizes, x, nd, sizes, known))
    return NULL;
  return are_known(nd, known, dims)
             ? gg_specify_shape(x, dims)
             : apply(&gg__op_specify_sizes, x, nd, known);
}

static gg_var *extent(unsigned int nd, gg_var *const *sizes) {
  return say_ones(gg_op_apply(NULL, &gg__op_extent, NULL, nd, sizes), nd,
                  sizes);
}

/* `value`, whose axes have the last sizes of `like`, unless they broadcast:
 * calls check that, also if a rewrite finds that it has the shape of the
 * result. gg_fill checks what is known. Sizes of `like` are checked to be no
 * -1, which would leave those of `value` open. */
static gg_var *with_last_sizes(gg_var *value, gg_var *like) {
  const gg_type *t = gg_var_type(value), *all = gg_var_type(like);
  gg_var *own[GG_MAX_ND];
  int is_open = 0;

  for (unsigned int i = 0; i < t->nd; i++) {
    const unsigned int k = all->nd - t->nd + i;
    const int stays =
        t->dims[i] == 1 || (t->dims[i] != GG_ANY && all->dims[k] != GG_ANY);
    own[i] = stays ? gg_i64(gg_var_graph(value), t->dims[i])
                   : gg_shape(like, (int)k);
    is_open |= !stays;
  }
  return is_open ? gg_specify_sizes(value, own) : value;
}

gg_var *gg_alloc(gg_var *value, unsigned int nd, gg_var *const *sizes) {
  static const gg_op name = {.name = "alloc"};
  gg_var *known[GG_MAX_ND];

  if (!gg__given_beside(&name, value, nd, sizes) ||
      !take_sizes(&name, value, nd, sizes, known))
    return NULL;
  if (gg_var_type(value)->nd > nd)
    return gg__refuse(&name, 1, &value, GA_VALUE_ERROR,
                      "the value has more than %u dimensions", nd);
  if (nd == 0)
    return value;
  gg_var *const like = extent(nd, known);
  return like != NULL ? gg_fill(like, with_last_sizes(value, like)) : NULL;
}

gg_var *gg__count_up(gg_var *n) {
  n = gg_element(n, 0);
  return n != NULL ? gg__iota(extent(1, &n), 0) : NULL;
}

/* An end of a range, from which another one can be subtracted. A range beyond
 * 2^61 is refused for its size, unless steps are as large. The host knows
 * 2^63 - 1 as 2^63, which stays so in the minimum alone. */
static gg_var *near_end(gg_var *v) {
  const gg_apply *a = gg_var_owner(v);
  const int64_t most = INT64_C(1) << 61;
  double known;

  if (gg_var_uniform(v, &known) || (a != NULL && a->op->kind == GG_OP_SHAPE))
    return v;
  v = gg_minimum(v, gg_i64(gg_var_graph(v), most));
  return gg_maximum(v, gg_i64(gg_var_graph(v), -most));
}

/* The number of values from `start` to before `stop`. A constant if all are. */
static gg_var *count_steps(gg_var *start, gg_var *stop, gg_var *step) {
  gg_graph *const g = gg_var_graph(start);
  double u, v, w;

  if (!gg_var_uniform(start, &u) || !gg_var_uniform(stop, &v) ||
      !gg_var_uniform(step, &w))
    return gg_maximum(
        gg_neg(gg_floordiv(gg_sub(near_end(start), near_end(stop)), step)),
        gg_i64(g, 0));
  return gg_i64(g, (int64_t)fmin(fmax(-floor((u - v) / w), 0), MOST_SIZE));
}

gg_var *gg_arange(gg_var *start, gg_var *stop, gg_var *step) {
  static const gg_op name = {.name = "arange"};
  gg_var *v[3] = {start, stop, step}, *n;
  double zero;

  if (!gg__given(&name, 3, v))
    return NULL;
  for (unsigned int i = 0; i < 3; i++)
    if (!is_integer_scalar(v[i]))
      return gg__refuse(&name, 3, v, GA_VALUE_ERROR,
                        "operand %u is not an integer scalar", i);
  for (unsigned int i = 0; i < 3; i++)
    v[i] = gg_element(v[i], 0);
  if (gg_var_uniform(v[2], &zero) && zero == 0)
    return gg__refuse(&name, 3, v, GA_VALUE_ERROR, "the step must not be 0");
  for (unsigned int i = 0; i < 3; i++)
    v[i] = gg_cast(v[i], GA_LONG);
  n = count_steps(v[0], v[1], v[2]);
  return gg_add(v[0], gg_mul(v[2], gg__iota(extent(1, &n), 0)));
}

/* --- in texts and files --- */

static int check_rank(const gg_apply *a) {
  if (count_sizes(a) > GG_MAX_ND)
    return gg_op_fail(a, GA_VALUE_ERROR, "%u dimensions are more than %d",
                      count_sizes(a), GG_MAX_ND);
  return GA_NO_ERROR;
}

static int check_specify(const gg_apply *a) {
  if (count_sizes(a) != gg__rank(a, 0))
    return gg_op_fail(a, GA_VALUE_ERROR, "expected %u sizes, got %u",
                      gg__rank(a, 0), count_sizes(a));
  return GA_NO_ERROR;
}

const gg_op_form gg__forms_sized[] = {
    GG_FORM(extent, "i0+", check_rank),
    GG_FORM(reshape_sizes, "xi0+", check_rank),
    GG_FORM(specify_sizes, "xi0+", check_specify), GG_FORMS_END};
