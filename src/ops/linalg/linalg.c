/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of vectors and matrices.
 *
 * Users build "dot"; rewrites turn it into gemm, gemv and ger, which add to
 * their first operand. A transposed operand is a dimshuffle: a view whose
 * strides BLAS can use. */
#include <gpuarray/blas_complex.h>
#include <stdio.h>

#include "ops/ops.h"

/* --- dot --- */

static int infer_dot(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]), *y = gg_var_type(a->in[1]);
  const int64_t n = x->dims[x->nd - 1], m = y->dims[0];

  if (n != m && n != GG_ANY && m != GG_ANY)
    return gg_op_fail(a, GA_VALUE_ERROR, "inner sizes %lld and %lld differ",
                      (long long)n, (long long)m);
  out->dtype = x->dtype;
  if (x->nd == 2)
    out->dims[out->nd++] = x->dims[0];
  if (y->nd == 2)
    out->dims[out->nd++] = y->dims[1];
  return GA_NO_ERROR;
}

static int shape_dot(const gg_apply *a, const gg_dims *in,
                     const double *const *host, gg_dims *out) {
  const gg_dims *x = &in[0], *y = &in[1];
  const size_t n = x->dim[x->nd - 1];

  (void)host;
  if (n != y->dim[0])
    return gg_op_fail(a, GA_VALUE_ERROR, "inner sizes %zu and %zu differ", n,
                      y->dim[0]);
  out->nd = 0;
  if (x->nd == 2)
    out->dim[out->nd++] = x->dim[0];
  if (y->nd == 2)
    out->dim[out->nd++] = y->dim[1];
  return GA_NO_ERROR;
}

static gg_var *dot(gg_var *a, gg_var *b, double alpha) {
  const gg__dot_props p = {alpha};
  gg_var *const in[2] = {a, b};

  return gg_op_apply(NULL, &gg__op_dot, &p, 2, in);
}

static gg_var *scaled(gg_var *x, double alpha) {
  return alpha == 1 ? x : gg_mul(x, gg__num(x, alpha));
}

static int grad_dot(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__dot_props *p = a->props;
  gg_var *const x = a->in[0], *const y = a->in[1], *const g = gout[0];
  const unsigned int nx = gg_var_type(x)->nd, ny = gg_var_type(y)->nd;

  if (nx == 2 && ny == 2) {
    gin[0] = dot(g, gg_transpose(y), p->alpha);
    gin[1] = dot(gg_transpose(x), g, p->alpha);
  } else if (nx == 2) {
    gin[0] = scaled(gg_outer(g, y), p->alpha);
    gin[1] = dot(gg_transpose(x), g, p->alpha);
  } else if (ny == 2) {
    gin[0] = dot(y, g, p->alpha);
    gin[1] = scaled(gg_outer(x, g), p->alpha);
  } else {
    gin[0] = scaled(gg_mul(g, y), p->alpha);
    gin[1] = scaled(gg_mul(g, x), p->alpha);
  }
  return GA_NO_ERROR;
}

/* The same for complex numbers. `turned`: the operands are, too. */
static int prepare_complex(const gg_prepare *p, GpuLaunch **out, int turned) {
  const gg__dot_props *props = p->apply->props;
  const ga_complex alpha = {props->alpha, 0}, zero = {0, 0};
  GpuArray *const x = p->in[turned], *const y = p->in[!turned],
                  *const z = p->out[0];

  if (x->nd == 2 && y->nd == 2)
    return GpuArray_cgemm_prepare(out, cb_no_trans, cb_no_trans, alpha, x, y,
                                  zero, z);
  if (x->nd == 1)
    return GpuArray_cdotu_prepare(out, x, y, z);
  return GpuArray_cgemv_prepare(out, turned ? cb_trans : cb_no_trans, alpha, x,
                                y, zero, z);
}

static int prepare_dot(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                       int *slot_out) {
  const gg__dot_props *props = p->apply->props;
  GpuArray *const x = p->in[0], *const y = p->in[1], *const z = p->out[0];
  const int turned = x->nd == 1 && y->nd == 2;

  slot_in[turned] = 0;
  slot_in[!turned] = 1;
  slot_out[0] = 2;
  if (ga__dtype_is_complex(z->typecode))
    return prepare_complex(p, out, turned);
  if (x->nd == 2 && y->nd == 2)
    return GpuArray_rgemm_prepare(out, cb_no_trans, cb_no_trans, props->alpha,
                                  x, y, 0, z);
  if (x->nd == 2)
    return GpuArray_rgemv_prepare(out, cb_no_trans, props->alpha, x, y, 0, z);
  if (y->nd == 1)
    return GpuArray_rdot_prepare(out, x, y, z);
  return GpuArray_rgemv_prepare(out, cb_trans, props->alpha, y, x, 0, z);
}

/* Add the product of two elements to a sum, whose parts are sum[0] and, of
 * complex elements, sum[1]. */
static void add_product(int dtype, const char *u, const char *v, double *sum) {
  const int part = ga__dtype_real(dtype);
  const double x = ga__dtype_to_double(part, u),
               y = ga__dtype_to_double(part, v);

  sum[0] += x * y;
  if (!ga__dtype_is_complex(dtype))
    return;
  const double xi = ga__dtype_to_double(part, u + ga__dtype_size(part)),
               yi = ga__dtype_to_double(part, v + ga__dtype_size(part));
  sum[0] -= xi * yi;
  sum[1] += x * yi + xi * y;
}

static void store_sum(int dtype, char *to, double re, double im) {
  const int part = ga__dtype_real(dtype);

  ga__dtype_from_double(dtype, to, re);
  if (ga__dtype_is_complex(dtype))
    ga__dtype_from_double(part, to + ga__dtype_size(part), im);
}

/* On the host: output = beta first + alpha a b. `a` is input x and `b` the next
 * one: vectors, matrices or batches of matrices. `first` is input 0; it is not
 * read if beta is 0. */
static void multiply(const gg_prepare *p, unsigned int x, double alpha,
                     double beta) {
  const GpuArray *const a = p->in[x], *const b = p->in[x + 1];
  const int dtype = a->typecode;
  const size_t size = ga__dtype_size(dtype);
  const size_t m = a->nd >= 2 ? a->dimensions[a->nd - 2] : 1;
  const size_t n = b->nd >= 2 ? b->dimensions[b->nd - 1] : 1;
  const size_t depth = a->dimensions[a->nd - 1];
  const size_t rows = a->nd == 3 ? a->dimensions[0] * m : m;
  double sum[2];

  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < n; j++) {
      const char *const u = (const char *)p->from[x] + i * depth * size;
      const char *const v =
          (const char *)p->from[x + 1] + (i / m * depth * n + j) * size;

      sum[0] = sum[1] = 0;
      for (size_t k = 0; k < depth; k++)
        add_product(dtype, u + k * size, v + k * n * size, sum);
      sum[0] *= alpha;
      if (beta != 0)
        sum[0] += beta * ga__dtype_to_double(dtype, (const char *)p->from[0] +
                                                        (i * n + j) * size);
      store_sum(dtype, (char *)p->to[0] + (i * n + j) * size, sum[0],
                alpha * sum[1]);
    }
}

int gg__reference_dot(const gg_prepare *p) {
  const gg__dot_props *props = p->apply->props;

  multiply(p, 0, props->alpha, 0);
  return GA_NO_ERROR;
}

static int dot_takes_post(const gg_apply *a) {
  return gg_var_type(a->out[0])->nd != 0 &&
         !ga__dtype_is_complex(gg_var_type(a->out[0])->dtype);
}

/* In a product of a matrix and a vector: the index of the vector. */
static int dot_sums(const gg_apply *a) {
  const gg__dot_props *props = a->props;
  const unsigned int nx = gg_var_type(a->in[0])->nd,
                     ny = gg_var_type(a->in[1])->nd;

  return props->alpha != 0 && nx + ny == 3 && dot_takes_post(a) ? (int)(nx == 2)
                                                                : -1;
}

int gg__post_dot(const gg_prepare *p, const GpuEpilogue *post, void **args,
                 GpuLaunch **out, int *slot_in, unsigned int *slot_post) {
  const gg__dot_props *props = p->apply->props;
  GpuArray *const x = p->in[0], *const y = p->in[1];
  const int turned = x->nd == 1;

  slot_in[turned] = 0;
  slot_in[!turned] = 1;
  *slot_post = 3;
  if (x->nd == 3)
    return GpuArray_rgemmBatch_3d_epilogue_prepare(
        out, cb_no_trans, cb_no_trans, props->alpha, x, y, 0, NULL, post, args);
  if (x->nd == 2 && y->nd == 2)
    return GpuArray_rgemm_epilogue_prepare(
        out, cb_no_trans, cb_no_trans, props->alpha, x, y, 0, NULL, post, args);
  return GpuArray_rgemv_epilogue_prepare(out, turned ? cb_trans : cb_no_trans,
                                         props->alpha, turned ? y : x,
                                         turned ? x : y, 0, NULL, post, args);
}

void gg__print_alpha(const gg_apply *a, char *buf, size_t bytes) {
  const gg__dot_props *p = a->props;

  if (p->alpha != 1)
    snprintf(buf, bytes, "alpha=%g", p->alpha);
}

const gg_op gg__op_dot = {.name = "dot",
                          .kind = GG_OP_KERNEL,
                          .half_ok = 1,
                          .props_bytes = sizeof(gg__dot_props),
                          .n_out = 1,
                          .infer = infer_dot,
                          .shape = shape_dot,
                          .grad = grad_dot,
                          .complex_use = GG_ANALYTIC,
                          .prepare = prepare_dot,
                          .prepare_post = gg__post_dot,
                          .takes_post = dot_takes_post,
                          .sums = dot_sums,
                          .reference = gg__reference_dot,
                          .print = gg__print_alpha};

/* --- forms that add to their first operand --- */

int gg__check_first(const gg_apply *a, const gg_dims *first,
                    const gg_dims *product) {
  for (unsigned int i = 0; i < first->nd; i++)
    if (first->dim[i] != product->dim[i])
      return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: %zu and %zu differ", i,
                        first->dim[i], product->dim[i]);
  return GA_NO_ERROR;
}

static int shape_gemm(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  gg_dims product = {0, {0}};

  GA_TRY(shape_dot(a, in + 1, host, &product));
  *out = in[0];
  return gg__check_first(a, &in[0], &product);
}

static int shape_ger(const gg_apply *a, const gg_dims *in,
                     const double *const *host, gg_dims *out) {
  const gg_dims product = {2, {in[1].dim[0], in[2].dim[0]}};

  (void)host;
  *out = in[0];
  return gg__check_first(a, &in[0], &product);
}

/* Assign the slots of (first, x, y). *done is set if this part was the one that
 * copies `first`. */
static int prepare_adding(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                          int *slot_out, int *done) {
  GA_TRY(gg__prepare_first(p, out, slot_in, slot_out, done));
  if (*done)
    return GA_NO_ERROR;
  slot_in[1] = 0;
  slot_in[2] = 1;
  slot_out[0] = 2;
  return GA_NO_ERROR;
}

int gg__prepare_gemm(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                     int *slot_out) {
  const gg__gemm_props *props = p->apply->props;
  GpuArray *const x = p->in[1], *const y = p->in[2], *const z = p->out[0];
  int done;

  GA_TRY(prepare_adding(p, out, slot_in, slot_out, &done));
  if (done)
    return GA_NO_ERROR;
  if (x->nd == 3)
    return GpuArray_rgemmBatch_3d_prepare(out, cb_no_trans, cb_no_trans,
                                          props->alpha, x, y, props->beta, z);
  if (y->nd == 2)
    return GpuArray_rgemm_prepare(out, cb_no_trans, cb_no_trans, props->alpha,
                                  x, y, props->beta, z);
  return GpuArray_rgemv_prepare(out, cb_no_trans, props->alpha, x, y,
                                props->beta, z);
}

static int gemv_sums(const gg_apply *a) {
  const gg__gemm_props *props = a->props;

  return props->alpha != 0 ? 2 : -1;
}

int gg__post_gemm(const gg_prepare *p, const GpuEpilogue *post, void **args,
                  GpuLaunch **out, int *slot_in, unsigned int *slot_post) {
  const gg__gemm_props *props = p->apply->props;

  slot_in[0] = 2;
  slot_in[1] = 0;
  slot_in[2] = 1;
  *slot_post = 3;
  if (p->in[2]->nd == 3)
    return GpuArray_rgemmBatch_3d_epilogue_prepare(
        out, cb_no_trans, cb_no_trans, props->alpha, p->in[1], p->in[2],
        props->beta, p->in[0], post, args);
  if (p->in[2]->nd == 2)
    return GpuArray_rgemm_epilogue_prepare(out, cb_no_trans, cb_no_trans,
                                           props->alpha, p->in[1], p->in[2],
                                           props->beta, p->in[0], post, args);
  return GpuArray_rgemv_epilogue_prepare(out, cb_no_trans, props->alpha,
                                         p->in[1], p->in[2], props->beta,
                                         p->in[0], post, args);
}

static int prepare_ger(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                       int *slot_out) {
  const gg__dot_props *props = p->apply->props;
  int done;

  GA_TRY(prepare_adding(p, out, slot_in, slot_out, &done));
  if (done)
    return GA_NO_ERROR;
  return GpuArray_rger_prepare(out, props->alpha, p->in[1], p->in[2],
                               p->out[0]);
}

int gg__reference_gemm(const gg_prepare *p) {
  const gg__gemm_props *props = p->apply->props;

  multiply(p, 1, props->alpha, props->beta);
  return GA_NO_ERROR;
}

static int reference_ger(const gg_prepare *p) {
  const gg__dot_props *props = p->apply->props;
  const size_t m = p->out[0]->dimensions[0], n = p->out[0]->dimensions[1];
  const int dtype = p->out[0]->typecode;
  const size_t size = ga__dtype_size(dtype);
  const char *const a = p->from[0], *const x = p->from[1], *y = p->from[2];

  for (size_t i = 0; i < m * n; i++)
    ga__dtype_from_double(dtype, (char *)p->to[0] + i * size,
                          ga__dtype_to_double(dtype, a + i * size) +
                              props->alpha *
                                  ga__dtype_to_double(dtype, x + i / n * size) *
                                  ga__dtype_to_double(dtype, y + i % n * size));
  return GA_NO_ERROR;
}

void gg__print_gemm(const gg_apply *a, char *buf, size_t bytes) {
  const gg__gemm_props *p = a->props;

  snprintf(buf, bytes, "alpha=%g beta=%g", p->alpha, p->beta);
}

const gg_op gg__op_gemm = {.name = "gemm",
                           .kind = GG_OP_KERNEL,
                           .half_ok = 1,
                           .props_bytes = sizeof(gg__gemm_props),
                           .n_out = 1,
                           .infer = gg__infer_first,
                           .shape = shape_gemm,
                           .parts = gg__parts_first,
                           .prepare = gg__prepare_gemm,
                           .prepare_post = gg__post_gemm,
                           .destroys = gg__destroys_first,
                           .reference = gg__reference_gemm,
                           .print = gg__print_gemm};

const gg_op gg__op_gemv = {.name = "gemv",
                           .kind = GG_OP_KERNEL,
                           .half_ok = 1,
                           .props_bytes = sizeof(gg__gemm_props),
                           .n_out = 1,
                           .infer = gg__infer_first,
                           .shape = shape_gemm,
                           .parts = gg__parts_first,
                           .prepare = gg__prepare_gemm,
                           .prepare_post = gg__post_gemm,
                           .sums = gemv_sums,
                           .destroys = gg__destroys_first,
                           .reference = gg__reference_gemm,
                           .print = gg__print_gemm};

const gg_op gg__op_ger = {.name = "ger",
                          .kind = GG_OP_KERNEL,
                          .half_ok = 1,
                          .props_bytes = sizeof(gg__dot_props),
                          .n_out = 1,
                          .infer = gg__infer_first,
                          .shape = shape_ger,
                          .parts = gg__parts_first,
                          .prepare = prepare_ger,
                          .destroys = gg__destroys_first,
                          .reference = reference_ger,
                          .print = gg__print_alpha};

/* --- builders --- */

gg_var *gg_dot(gg_var *a, gg_var *b) {
  gg_var *const in[2] = {a, b};

  if (!gg__given(&gg__op_dot, 2, in))
    return NULL;
  const gg_type *x = gg_var_type(a), *y = gg_var_type(b);
  if (x->nd == 0 || y->nd == 0)
    return gg_mul(a, b);
  if (x->nd > 2 || y->nd > 2)
    return gg__refuse(&gg__op_dot, 2, in, GA_UNSUPPORTED_ERROR,
                      "more than 2 dimensions");
  int dtype = gg__common_dtype(x->dtype, y->dtype);
  if (gg__float_dtype(dtype) != dtype)
    return gg__refuse(&gg__op_dot, 2, in, GA_UNSUPPORTED_ERROR,
                      "expected a float or complex dtype");
  return dot(gg_cast(a, dtype), gg_cast(b, dtype), 1);
}

gg_var *gg_outer(gg_var *a, gg_var *b) {
  static const gg_op name = {.name = "outer"};
  gg_var *const in[2] = {a, b};

  if (!gg__given(&name, 2, in))
    return NULL;
  if (gg_var_type(a)->nd != 1 || gg_var_type(b)->nd != 1)
    return gg__refuse(&name, 2, in, GA_VALUE_ERROR, "expected two vectors");
  return gg_mul(gg__expand(a, 1), gg__expand(b, 0));
}

/* --- in texts and files --- */

static int check_dot(const gg_apply *a) {
  const gg__dot_props *p = a->props;

  for (unsigned int i = 0; i < 2; i++)
    if (gg__rank(a, i) < 1 || gg__rank(a, i) > 2)
      return gg_op_fail(a, GA_VALUE_ERROR, "expected vectors and matrices");
  if (gg__rank(a, 0) + gg__rank(a, 1) == 2 && p->alpha != 1)
    return gg_op_fail(a, GA_VALUE_ERROR, "two vectors have no alpha");
  return GA_NO_ERROR;
}

const gg_field gg__dot_fields[1] = {
    {GG_FIELD("alpha", REAL, gg__dot_props, alpha), .optional = 1,
     .otherwise = 1}};

const gg_field gg__gemm_fields[2] = {
    {GG_FIELD("alpha", REAL, gg__gemm_props, alpha), .optional = 1,
     .otherwise = 1},
    {GG_FIELD("beta", REAL, gg__gemm_props, beta), .optional = 1,
     .otherwise = 1}};

const gg_op_form gg__forms_linalg[] = {
    GG_FORM_PROPS(dot, "FF", gg__dot_fields, check_dot),
    GG_FORM_PROPS(gemm, "F2F2F2", gg__gemm_fields, NULL),
    GG_FORM_PROPS(gemv, "F1F2F1", gg__gemm_fields, NULL),
    GG_FORM_PROPS(ger, "F2F1F1", gg__dot_fields, NULL), GG_FORMS_END};
