/* SPDX-License-Identifier: BSD-2-Clause */
/* Reshape and specify_shape with sizes that calls decide: integer scalars,
 * numbers that the host knows before anything runs. They are the inputs behind
 * x. Types have those that are constants. */
#include "ops/sized.h"

#include "ops/ops.h"
#include "ops/value_size.h"

#define MOST_SIZE 9007199254740992.0 /* integers below it are exact */

static unsigned int count_sizes(const gg_apply *a) {
  return a->n_in - 1;
}

static int check_size(const gg_apply *a, unsigned int i, double n) {
  if (!(n >= GG_ANY && n < MOST_SIZE))
    return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: %.0f is no size", i, n);
  return GA_NO_ERROR;
}

static int check_sizes(const gg_apply *a, const int64_t *dims,
                       unsigned int most_open) {
  unsigned int i, open = 0;

  for (i = 0; i < count_sizes(a); i++)
    open += dims[i] == GG_ANY;
  if (open > most_open)
    return gg_op_fail(a, GA_VALUE_ERROR, "%u sizes are -1, expected one", open);
  if (!gg__sizes_fit(count_sizes(a), dims))
    return gg_op_fail(a, GA_XLARGE_ERROR, "the result is too large");
  return GA_NO_ERROR;
}

/* Those that are constants, and GG_ANY for others. */
static int constant_sizes(const gg_apply *a, int64_t *dims) {
  double n = 0;
  unsigned int i;

  for (i = 0; i < count_sizes(a); i++) {
    dims[i] = GG_ANY;
    if (!gg_var_uniform(a->in[i + 1], &n))
      continue;
    GA_TRY(check_size(a, i, n));
    dims[i] = (int64_t)n;
  }
  return check_sizes(a, dims, GG_MAX_ND);
}

/* Those of a call. */
static int read_sizes(const gg_apply *a, const double *const *host,
                      unsigned int most_open, int64_t *dims) {
  unsigned int i;

  for (i = 0; i < count_sizes(a); i++) {
    if (host[i + 1] == NULL)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: the size is not known before the call", i);
    GA_TRY(check_size(a, i, *host[i + 1]));
    dims[i] = (int64_t)*host[i + 1];
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

static int view_reshape(const gg_apply *a, unsigned int which,
                        const GpuArray *in, const gg_dims *dims,
                        const gg_dims *want, GpuArray *out) {
  return gg__op_reshape.view(a, which, in, dims, want, out);
}

static int grad_reshape(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg__reshape_like(gout[0], a->in[0]);
  return GA_NO_ERROR;
}

const gg_op gg__op_reshape_sizes = {.name = "reshape_sizes",
                                    .kind = GG_OP_VIEW,
                                    .n_out = 1,
                                    .number_only = ~1u,
                                    .infer = infer_reshape,
                                    .shape = shape_reshape,
                                    .grad = grad_reshape,
                                    .view = view_reshape};

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

static int view_specify(const gg_apply *a, unsigned int which,
                        const GpuArray *in, const gg_dims *dims,
                        const gg_dims *want, GpuArray *out) {
  return gg__op_specify_shape.view(a, which, in, dims, want, out);
}

static int grad_specify(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  gin[0] = gout[0];
  return GA_NO_ERROR;
}

const gg_op gg__op_specify_sizes = {.name = "specify_sizes",
                                    .kind = GG_OP_VIEW,
                                    .n_out = 1,
                                    .number_only = ~1u,
                                    .infer = infer_specify,
                                    .shape = shape_specify,
                                    .grad = grad_specify,
                                    .view = view_specify};

/* --- builders --- */

static int is_integer_scalar(const gg_var *v) {
  const gg_type *t = gg_var_type(v);
  const ga__kind kind = ga__dtype_kind(t->dtype);

  return t->nd == 0 && (kind == GA_KIND_INT || kind == GA_KIND_UINT);
}

/* The inputs of a node: x and its sizes. 0 if one is missing or none. */
static int take_sizes(const gg_op *op, gg_var *x, unsigned int nd,
                      gg_var *const *sizes, gg_var **in) {
  unsigned int i;

  in[0] = x;
  for (i = 0; i < nd; i++) {
    if (sizes[i] == NULL)
      return 0;
    if (!is_integer_scalar(sizes[i])) {
      gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                 "dim %u: the size is no integer scalar", i);
      return 0;
    }
    in[i + 1] = sizes[i];
  }
  return 1;
}

/* Are they all constants? */
static int are_known(unsigned int nd, gg_var *const *sizes, int64_t *dims) {
  unsigned int i;
  double n = 0;

  for (i = 0; i < nd; i++) {
    if (!gg_var_uniform(sizes[i], &n) || !(n >= GG_ANY && n < MOST_SIZE))
      return 0;
    dims[i] = (int64_t)n;
  }
  return 1;
}

gg_var *gg_reshape_sizes(gg_var *x, unsigned int nd, gg_var *const *sizes) {
  gg_var *in[GG_MAX_ND + 1];
  int64_t dims[GG_MAX_ND];

  if (x == NULL)
    return NULL;
  if (nd > GG_MAX_ND)
    return gg__refuse(&gg__op_reshape_sizes, 1, &x, GA_VALUE_ERROR,
                      "%u dimensions are more than %d", nd, GG_MAX_ND);
  if (!take_sizes(&gg__op_reshape_sizes, x, nd, sizes, in))
    return NULL;
  if (are_known(nd, in + 1, dims))
    return gg_reshape(x, nd, dims);
  return gg_op_apply(NULL, &gg__op_reshape_sizes, NULL, nd + 1, in);
}

gg_var *gg_specify_sizes(gg_var *x, gg_var *const *sizes) {
  const unsigned int nd = x != NULL ? gg_var_type(x)->nd : 0;
  gg_var *in[GG_MAX_ND + 1];
  int64_t dims[GG_MAX_ND];

  if (x == NULL || !take_sizes(&gg__op_specify_sizes, x, nd, sizes, in))
    return NULL;
  if (are_known(nd, in + 1, dims))
    return gg_specify_shape(x, dims);
  return gg_op_apply(NULL, &gg__op_specify_sizes, NULL, nd + 1, in);
}
