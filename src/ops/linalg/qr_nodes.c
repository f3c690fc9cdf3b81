/* SPDX-License-Identifier: BSD-2-Clause */
/* QR factors, and least squares with them. */
#include <complex.h>
#include <gpugraph/arrange.h>
#include <gpugraph/create.h>
#include <gpugraph/gather.h>
#include <gpugraph/linalg.h>
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "ops/linalg/matrices.h"

enum { Q, R, RESULTS, ORDER = RESULTS, PIVOTED_RESULTS };

static int is_full(const gg_apply *a) {
  const gg__qr_props *p = a->props;

  return p->full;
}

/* --- shapes --- */

static int infer_qr(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]);

  GA_TRY(gg__check_matrix(a));
  const int64_t m = x->dims[x->nd - 2], n = x->dims[x->nd - 1];
  const int64_t least = gg__least_size(m, n);
  const int64_t k = is_full(a) ? m : least;

  out[Q] = out[R] = *x;
  out[Q].dims[x->nd - 1] = out[R].dims[x->nd - 2] = k;
  return GA_NO_ERROR;
}

static int shape_qr(const gg_apply *a, const gg_dims *in,
                    const double *const *host, gg_dims *out) {
  const unsigned int nd = in[0].nd;
  const size_t m = in[0].dim[nd - 2], n = in[0].dim[nd - 1];
  const size_t k = is_full(a) || m < n ? m : n;

  (void)host;
  out[Q] = out[R] = in[0];
  out[Q].dim[nd - 1] = out[R].dim[nd - 2] = k;
  return GA_NO_ERROR;
}

/* --- gradients --- */

static gg_var *or_zeros(gg_var *g, gg_var *like) {
  return g != NULL ? g : gg_zeros_like(like);
}

static gg_var *times(gg_var *a, gg_var *b) {
  return gg__multiply_each(a, b);
}

/* The columns of Q that R multiplies, without those that a full one has
 * beyond. */
static gg_var *first_columns(const gg_apply *a) {
  return gg__head(a->out[Q], -1, gg_shape(a->in[0], -1));
}

/* x R^-1, or x R^-H with GA_FACTOR_CONJ_TRANS. */
static gg_var *over(const gg__blocks *r, gg_var *x, int trans) {
  return gg_triangular_solve(r->square, x,
                             trans | GA_FACTOR_UPPER | GA_FACTOR_RIGHT);
}

/* With A = Q [R S], where R is square, and M = R G_R^H - G_Q^H Q - G_S S^H,
 * whose diagonal counts without its imaginary part, the gradient is
 * [(G_Q + Q (S G_S^H + tril(M) + tril(M, -1)^H)) R^-H, Q G_S]: J. Roberts and
 * D. Roberts, QR and LQ decomposition matrix backpropagation algorithms for
 * square, wide, and deep matrices, 2020. */
static int grad_qr(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const q = first_columns(a);
  const gg__blocks r = gg__blocks_like(a->out[R], a->out[R]);
  const gg__blocks by_r =
      gg__blocks_like(or_zeros(gout[R], a->out[R]), a->out[R]);
  gg_var *by_q = or_zeros(gout[Q], a->out[Q]);

  if (is_full(a))
    by_q = gg__gradient_of_basis(a->out[Q], by_q, gg_shape(a->in[0], -1));
  if (r.right != NULL)
    by_q = gg_add(by_q, times(q, times(r.right, gg__adjoint(by_r.right))));
  gg_var *const m =
      gg_sub(times(r.square, gg__adjoint(gg_triu(by_r.square, 0))),
             times(gg__adjoint(by_q), q));
  gg_var *const symmetric = gg_add(gg__with_real_diagonal(gg_tril(m, 0)),
                                   gg__adjoint(gg_tril(m, -1)));
  gg_var *const left =
      over(&r, gg_add(by_q, times(q, symmetric)), GA_FACTOR_CONJ_TRANS);

  gin[0] = r.right != NULL
               ? gg_join(-1, 2, (gg_var *[]){left, times(q, by_r.right)})
               : left;
  return GA_NO_ERROR;
}

/* With dA = [B C], E = B R^-1 and F = Q^H E, L = tril(F, -1) and
 * U = F - L + L^H, whose diagonal is real: dQ = E - Q U, dR = U R and
 * dS = Q^H C + (U - F) S. */
static int rop_qr(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  gg_var *const q = first_columns(a), *const m = gg_shape(a->in[0], -2);
  const gg__blocks r = gg__blocks_like(a->out[R], a->out[R]);
  gg_var *const e = over(&r, gg__head(din[0], -1, m), 0);
  gg_var *const f = times(gg__adjoint(q), e);
  gg_var *const u = gg_add(gg__with_real_diagonal(gg_triu(f, 0)),
                           gg__adjoint(gg_tril(f, -1)));
  gg__blocks d = {.square = times(u, gg_triu(r.square, 0))};

  if (r.right != NULL)
    d.right =
        gg_add(times(gg__adjoint(q), gg_slice_at(din[0], -1, m, NULL, NULL)),
               times(gg_sub(u, f), r.right));
  if (r.below != NULL)
    d.below = gg_zeros_like(r.below);
  dout[Q] = gg_sub(e, times(q, u));
  if (is_full(a))
    dout[Q] = gg__move_of_basis(a->out[Q], dout[Q], gg_shape(a->in[0], -1));
  dout[R] = gg__join_blocks(&d, a->out[R]);
  return GA_NO_ERROR;
}

/* --- launches --- */

static int prepare_qr(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                      int *slot_out) {
  slot_in[0] = 0;
  slot_out[Q] = 1;
  slot_out[R] = 2;
  return GpuArray_qr_prepare(out, p->out[Q], p->out[R], p->in[0]);
}

/* --- on the host --- */

/* Make column k of x, m x n, from row k on a reflector v, and apply
 * I - tau v v^T to x and to the transpose of q, m x m. */
static void reflect(double *x, size_t m, size_t n, size_t k, double *q,
                    double *v) {
  double norm = 0, sum = 0;

  for (size_t i = k; i < m; i++) {
    v[i] = x[i * n + k];
    norm = hypot(norm, v[i]);
    sum = i > k ? hypot(sum, v[i]) : 0;
  }
  if (sum == 0)
    return;
  v[k] += copysign(norm, v[k]);
  sum = hypot(sum, v[k]);
  for (size_t c = 0; c < n + m; c++) {
    double *const y = c < n ? x + c : q + (c - n);
    const size_t step = c < n ? n : m;
    double dot = 0;

    for (size_t i = k; i < m; i++)
      dot += v[i] / sum * y[i * step];
    for (size_t i = k; i < m; i++)
      y[i * step] -= 2 * dot * (v[i] / sum);
  }
}

/* The same for complex numbers: I - tau v v^H with v[k] = 1, whose tau makes
 * R[k][k] real. q becomes the conjugate transpose of Q. */
static void reflect_complex(gg__complex *x, size_t m, size_t n, size_t k,
                            gg__complex *q, gg__complex *v) {
  const gg__complex top = x[k * n + k];
  double norm = 0, below = fabs(cimag(top));

  for (size_t i = k; i < m; i++) {
    v[i] = x[i * n + k];
    norm = hypot(norm, cabs(v[i]));
    below += i > k ? cabs(v[i]) : 0;
  }
  if (below == 0)
    return;
  const double beta = -copysign(norm, creal(top));
  const gg__complex tau = conj((beta - top) / beta);
  for (size_t i = k + 1; i < m; i++)
    v[i] /= top - beta;
  v[k] = 1;
  for (size_t c = 0; c < n + m; c++) {
    gg__complex *const y = c < n ? x + c : q + (c - n);
    const size_t step = c < n ? n : m;
    gg__complex dot = 0;

    for (size_t i = k; i < m; i++)
      dot += conj(v[i]) * y[i * step];
    for (size_t i = k; i < m; i++)
      y[i * step] -= tau * dot * v[i];
  }
  x[k * n + k] = beta;
}

/* Exchange column k of matrix z with that of the largest norm from row k on. */
static void choose_column(gg__host_matrices *x, size_t z, size_t k,
                          int32_t *order) {
  const size_t m = x->m, n = x->n, parts = x->parts;
  double *const a = x->v + z * m * n * parts;
  double most = -1; /* a NaN is not more */
  size_t p = k;

  for (size_t j = k; j < n; j++) {
    double norm = 0;

    for (size_t i = k; i < m; i++)
      for (size_t e = 0; e < parts; e++)
        norm = hypot(norm, a[(i * n + j) * parts + e]);
    if (norm > most) {
      most = norm;
      p = j;
    }
  }
  for (size_t i = 0; i < m; i++)
    for (size_t e = 0; e < parts; e++) {
      double *const one = &a[(i * n + k) * parts + e],
                    *const two = &a[(i * n + p) * parts + e];
      const double t = *one;

      *one = *two;
      *two = t;
    }
  const int32_t at = order[k];
  order[k] = order[p];
  order[p] = at;
}

/* Factor a complex matrix z, and write its part of the results; `order` is
 * NULL, or that of its columns, from 0 on. */
static void factor_complex(gg__host_matrices *x, gg__host_matrices *out,
                           gg__complex *q, gg__complex *v, size_t z,
                           int32_t *order) {
  const size_t m = x->m, n = x->n, k = out[Q].n;
  gg__complex *const a = (gg__complex *)x->v + z * m * n;
  gg__complex *const to_q = (gg__complex *)out[Q].v + z * m * k;
  gg__complex *const to_r = (gg__complex *)out[R].v + z * k * n;

  for (size_t i = 0; i < m * m; i++)
    q[i] = i % (m + 1) == 0;
  for (size_t j = 0; j < n && j < m; j++) {
    if (order != NULL)
      choose_column(x, z, j, order);
    reflect_complex(a, m, n, j, q, v);
  }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < k; j++)
      to_q[i * k + j] = conj(q[j * m + i]);
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < n; j++)
      to_r[i * n + j] = j < i ? 0 : a[i * n + j];
}

/* The same of a real one. */
static void factor_matrix(gg__host_matrices *x, gg__host_matrices *out,
                          double *q, double *v, size_t z, int32_t *order) {
  double *const a = x->v + z * x->m * x->n;
  const size_t m = x->m, n = x->n, k = out[Q].n;

  for (size_t i = 0; i < m * m; i++)
    q[i] = i % (m + 1) == 0;
  for (size_t j = 0; j < n && j < m; j++) {
    if (order != NULL)
      choose_column(x, z, j, order);
    if (j + 1 < m)
      reflect(a, m, n, j, q, v);
  }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < k; j++)
      out[Q].v[(z * m + i) * k + j] = q[j * m + i];
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < n; j++)
      out[R].v[(z * k + i) * n + j] = j < i ? 0 : a[i * n + j];
}

static int reference_qr(const gg_prepare *p) {
  gg__host_matrices x = {.v = NULL}, out[RESULTS] = {{.v = NULL}, {.v = NULL}};
  double *q = NULL, *v = NULL;
  int err;

  GA_CHECK(gg__matrices_read(&x, p, 0));
  for (unsigned int i = 0; i < RESULTS; i++)
    GA_CHECK(gg__matrices_new(&out[i], p, i));
  q = ga__calloc(ga__times(ga__times(x.m, x.m), x.parts), sizeof *q);
  v = ga__calloc(ga__times(x.m, x.parts), sizeof *v);
  if (q == NULL || v == NULL)
    GA_CHECK(ga__fail_nomem());
  for (size_t z = 0; z < x.batch; z++) {
    int32_t *const order =
        p->n_out > ORDER ? (int32_t *)p->to[ORDER] + z * x.n : NULL;

    for (size_t j = 0; j < x.n && order != NULL; j++)
      order[j] = (int32_t)j;
    if (x.parts == 2)
      factor_complex(&x, out, (gg__complex *)q, (gg__complex *)v, z, order);
    else
      factor_matrix(&x, out, q, v, z, order);
  }
  for (unsigned int i = 0; i < RESULTS; i++)
    gg__matrices_write(&out[i], p, i);

done:
  for (unsigned int i = 0; i < RESULTS; i++)
    gg__matrices_clear(&out[i]);
  gg__matrices_clear(&x);
  ga__free(q);
  ga__free(v);
  return err;
}

static void print_qr(const gg_apply *a, char *buf, size_t bytes) {
  snprintf(buf, bytes, "%s", is_full(a) ? "full" : "");
}

const gg_op gg__op_qr = {.name = "qr",
                         .kind = GG_OP_KERNEL,
                         .complex_use = GG_PARTS,
                         .props_bytes = sizeof(gg__qr_props),
                         .n_out = RESULTS,
                         .infer = infer_qr,
                         .shape = shape_qr,
                         .grad = grad_qr,
                         .rop = rop_qr,
                         .prepare = prepare_qr,
                         .reference = reference_qr,
                         .print = print_qr};

/* --- with column pivots: those are constant in derivatives --- */

static int infer_pivoted(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]);

  GA_TRY(infer_qr(a, out));
  out[ORDER] = *x;
  out[ORDER].dtype = GA_INT;
  out[ORDER].nd--;
  out[ORDER].dims[x->nd - 2] = x->dims[x->nd - 1];
  out[ORDER].dims[x->nd - 1] = 0;
  return GA_NO_ERROR;
}

static int shape_pivoted(const gg_apply *a, const gg_dims *in,
                         const double *const *host, gg_dims *out) {
  GA_TRY(shape_qr(a, in, host, out));
  out[ORDER] = in[0];
  out[ORDER].nd--;
  out[ORDER].dim[in[0].nd - 2] = in[0].dim[in[0].nd - 1];
  return GA_NO_ERROR;
}

static int connected_pivoted(const gg_apply *a, unsigned int in,
                             unsigned int out) {
  (void)a;
  (void)in;
  return out != ORDER;
}

/* The order of columns as an index along axis -1 of matrices. */
static gg_var *column_index(const gg_apply *a) {
  return gg__expand(a->out[ORDER], gg__rank_of(a->out[ORDER]) - 1);
}

static int grad_pivoted(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *by_columns = NULL;

  if (gout[Q] == NULL && gout[R] == NULL)
    return GA_NO_ERROR;
  GA_TRY(grad_qr(a, gout, &by_columns));
  gin[0] = gg_put_along(gg_zeros_like(a->in[0]), -1, column_index(a),
                        by_columns, GG_PUT_SET);
  return GA_NO_ERROR;
}

static int rop_pivoted(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  gg_var *const columns = gg_take_along(din[0], -1, column_index(a));

  return rop_qr(a, &columns, dout);
}

static int prepare_pivoted(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                           int *slot_out) {
  slot_in[0] = 0;
  for (int i = 0; i < PIVOTED_RESULTS; i++)
    slot_out[i] = i + 1;
  return GpuArray_qr_pivoted_prepare(out, p->out[Q], p->out[R], p->out[ORDER],
                                     p->in[0]);
}

const gg_op gg__op_qr_pivoted = {.name = "qr_pivoted",
                                 .kind = GG_OP_KERNEL,
                                 .complex_use = GG_PARTS,
                                 .props_bytes = sizeof(gg__qr_props),
                                 .n_out = PIVOTED_RESULTS,
                                 .infer = infer_pivoted,
                                 .shape = shape_pivoted,
                                 .grad = grad_pivoted,
                                 .rop = rop_pivoted,
                                 .connected = connected_pivoted,
                                 .prepare = prepare_pivoted,
                                 .reference = reference_qr,
                                 .print = print_qr};

/* --- builders --- */

/* Set *out[i] to the outputs of a new node, or to NULL. */
static int factors(const gg_op *op, gg_var *a, int full, unsigned int n,
                   gg_var **const *out) {
  const gg__qr_props p = {full != 0};
  gg_var *const first = gg__as_matrices(op, 1, &a)
                            ? gg__apply_checked(op, &p, 1, &a, gg__check_matrix)
                            : NULL;

  for (unsigned int i = 0; i < n; i++)
    if (out[i] != NULL)
      *out[i] = first != NULL ? gg_var_owner(first)->out[i] : NULL;
  return first != NULL ? GA_NO_ERROR : GA_VALUE_ERROR;
}

int gg_qr(gg_var **q, gg_var **r, gg_var *a, int full) {
  gg_var **const out[RESULTS] = {q, r};

  return factors(&gg__op_qr, a, full, RESULTS, out);
}

int gg_qr_pivoted(gg_var **q, gg_var **r, gg_var **order, gg_var *a, int full) {
  gg_var **const out[PIVOTED_RESULTS] = {q, r, order};

  return factors(&gg__op_qr_pivoted, a, full, PIVOTED_RESULTS, out);
}

/* Nonzero if A is known to have fewer rows than columns. */
static int is_wide(gg_var *a) {
  const int64_t *dims = gg_var_type(a)->dims + gg__rank_of(a) - 2;

  return dims[0] != GG_ANY && dims[1] != GG_ANY && dims[0] < dims[1];
}

static gg_var *solve_matrices(gg_var *a, gg_var *b) {
  const int wide = is_wide(a);
  gg_var *q, *r;

  if (gg_qr(&q, &r, wide ? gg__adjoint(a) : a, 0) != GA_NO_ERROR)
    return NULL;
  if (wide)
    return gg__multiply_each(
        q, gg_triangular_solve(r, b, GA_FACTOR_UPPER | GA_FACTOR_CONJ_TRANS));
  return gg_triangular_solve(r, gg__multiply_each(gg__adjoint(q), b),
                             GA_FACTOR_UPPER);
}

gg_var *gg_lstsq(gg_var *a, gg_var *b) {
  const gg_op *const op = GG_CALLED("lstsq");
  gg_var *in[2] = {a, b};

  if (!gg__as_matrices(op, 2, in))
    return NULL;
  const unsigned int na = gg__rank_of(a), nb = gg__rank_of(b);
  const int is_vector = nb >= 1 && nb + 1 == na;
  if (na < 2 || (nb != na && !is_vector))
    return gg__refuse(op, 2, in, GA_VALUE_ERROR,
                      "expected matrices, or a matrix and a vector");
  if (is_vector)
    in[1] = gg__expand(in[1], nb);
  gg_var *const x = solve_matrices(in[0], in[1]);
  return is_vector && x != NULL ? gg_squeeze(x, (int)nb) : x;
}

/* --- in texts and files --- */

static const gg_field qr_fields[] = {
    {GG_FIELD("full", FLAG, gg__qr_props, full), .optional = 1}};

const gg_op_form gg__forms_qr_nodes[] = {
    GG_FORM_PROPS(qr, "f", qr_fields, gg__check_matrix),
    GG_FORM_PROPS(qr_pivoted, "f", qr_fields, gg__check_matrix), GG_FORMS_END};
