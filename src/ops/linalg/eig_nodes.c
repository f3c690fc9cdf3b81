/* SPDX-License-Identifier: BSD-2-Clause */
/* Eigenvalues and right eigenvectors of general matrices. They are complex, and
 * so are derivatives: the gradient by z = x + i y is (d cost / dx) +
 * i (d cost / dy). */
#include <gpugraph/arrange.h>
#include <gpugraph/complex.h>
#include <gpugraph/create.h>
#include <gpugraph/linalg.h>

#include "ops/linalg/matrices.h"

enum { VALUES, VECTORS, RESULTS };

static int is_complex(gg_var *x) {
  return ga__dtype_is_complex(gg_var_type(x)->dtype);
}

/* --- shapes --- */

static int check_eig(const gg_apply *a) {
  const int dtype = gg_var_type(a->in[0])->dtype, part = ga__dtype_real(dtype);

  if (part != GA_FLOAT && part != GA_DOUBLE)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "expected float32, float64 or complex numbers, got %s",
                      ga__dtype_name(dtype));
  return gg__check_square(a, 0);
}

static int infer_eig(const gg_apply *a, gg_type *out) {
  const int dtype = ga__dtype_complex(gg_var_type(a->in[0])->dtype);

  GA_TRY(check_eig(a));
  gg__infer_eigen(a, dtype, dtype, out);
  return GA_NO_ERROR;
}

/* --- derivatives --- */

/* Sums of the columns of x, [..., 1, n]. */
static gg_var *column_sums(gg_var *x) {
  const int axis = -2;

  return gg_reduce(GG_SUM, x, 1, &axis, 1);
}

static gg_var *as_imaginary(gg_var *x) {
  return gg_complex(gg_zeros_like(x), x);
}

/* w_j - w_i for column j and row i. */
static gg_var *gaps_of(gg_var *w) {
  const unsigned int nd = gg__rank_of(w);

  return gg_sub(gg__expand(w, nd - 1), gg__expand(w, nd));
}

/* 1 at the element of each column of v that is real by its rule, else 0. A row
 * of zeros behind v serves matrices without rows. */
static gg_var *leading(gg_var *v) {
  const int64_t none[GG_MAX_ND] = {0};
  int64_t after[GG_MAX_ND] = {0};
  gg_var *const size = gg_abs(v);
  const int axis = -2;

  if (size == NULL)
    return NULL;
  after[gg__rank_of(v) - 2] = 1;
  gg_var *const padded = gg_pad(size, none, after, GG_PAD_CONSTANT, NULL);
  gg_var *const most = gg_reduce(GG_MAX, padded, 1, &axis, 1);
  gg_var *const near = gg_ge(padded, gg_mul(most, gg__num(size, 0.7185)));
  gg_var *const first = gg_reduce(
      GG_ARGMAX, gg_cast(near, gg_var_type(size)->dtype), 1, &axis, 1);

  return gg_cast(gg_eq(gg_positions(size, -2), first),
                 gg_var_type(size)->dtype);
}

/* With M = V^-1 dA V and F_ij = 1 / (w_j - w_i), dw is the diagonal of M, and
 * dV = U - V diag(c), where U = V (F M), and c = Re(V^H U) + i Im(U_m) / V_m
 * keeps norms at 1 and elements m real. */
static int rop_eig(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  gg_var *const w = a->out[VALUES], *const v = a->out[VECTORS];
  const unsigned int nd = gg__rank_of(v);
  gg_var *const d = gg_cast(din[0], gg_var_type(v)->dtype);
  gg_var *const m = gg_solve(v, gg__multiply_each(d, v), 0);
  gg_var *const u = gg__multiply_each(v, gg__over_gaps(m, gaps_of(w)));
  gg_var *const lead = leading(v);
  gg_var *const length = gg_real(column_sums(gg_mul(gg_conj(v), u)));
  gg_var *const phase = gg_div(column_sums(gg_mul(lead, gg_imag(u))),
                               column_sums(gg_mul(lead, gg_real(v))));

  dout[VALUES] = gg__square_diagonal(m, nd - 2, nd - 1);
  dout[VECTORS] = gg_sub(u, gg_mul(v, gg_complex(length, phase)));
  return GA_NO_ERROR;
}

/* What the gradient by vectors is worth for U: without what norms and phases
 * take from it. */
static gg_var *free_part(gg_var *v, gg_var *g) {
  gg_var *const lead = leading(v);
  gg_var *const along = column_sums(gg_mul(gg_conj(v), g));
  gg_var *const phase =
      gg_div(gg_imag(along), column_sums(gg_mul(lead, gg_real(v))));

  return gg_sub(gg_sub(g, gg_mul(v, gg_real(along))),
                as_imaginary(gg_mul(lead, phase)));
}

/* V^-H (diag(Gw) + conj(F) (V^H Gu)) V^H. */
static int grad_eig(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const w = a->out[VALUES], *const v = a->out[VECTORS];
  gg_var *const vh = gg__adjoint(v);
  gg_var *inner = NULL;

  if (gout[VALUES] != NULL)
    inner = gg_mul(gg__identity_like(v),
                   gg__expand(gout[VALUES], gg__rank_of(w) - 1));
  if (gout[VECTORS] != NULL) {
    gg_var *const by_vectors =
        gg__over_gaps(gg__multiply_each(vh, free_part(v, gout[VECTORS])),
                      gg_conj(gaps_of(w)));
    inner = inner != NULL ? gg_add(inner, by_vectors) : by_vectors;
  }
  gg_var *const by_a = gg_solve(vh, gg__multiply_each(inner, vh), 0);
  gin[0] = is_complex(a->in[0]) ? by_a : gg_real(by_a);
  return GA_NO_ERROR;
}

/* --- launches --- */

static int prepare_eig(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                       int *slot_out) {
  slot_in[0] = 0;
  slot_out[VALUES] = 1;
  GpuArray *const vectors = gg__wanted_output(p, VECTORS, 2, slot_out);
  return GpuArray_eig_prepare(out, p->out[VALUES], vectors, p->in[0]);
}

/* There is no reference, since the host would find values in another order. */
const gg_op gg__op_eig = {.name = "eig",
                          .kind = GG_OP_KERNEL,
                          .n_out = RESULTS,
                          .infer = infer_eig,
                          .shape = gg__shape_eigen,
                          .grad = grad_eig,
                          .rop = rop_eig,
                          .complex_use = GG_PARTS,
                          .prepare = prepare_eig};

/* --- builders --- */

/* Output 0 of a new node, or NULL. */
static gg_var *eig(gg_var *a) {
  if (!gg__given(&gg__op_eig, 1, &a))
    return NULL;
  const int dtype = gg__float_dtype(gg_var_type(a)->dtype);
  a = gg_cast(a, ga__dtype_work(dtype));
  return gg__apply_checked(&gg__op_eig, NULL, 1, &a, check_eig);
}

int gg_eig(gg_var **w, gg_var **v, gg_var *a) {
  gg_var *const first = eig(a);
  gg_var **const out[RESULTS] = {w, v};

  for (unsigned int i = 0; i < RESULTS; i++)
    if (out[i] != NULL)
      *out[i] = first != NULL ? gg_var_owner(first)->out[i] : NULL;
  return first != NULL ? GA_NO_ERROR : GA_VALUE_ERROR;
}

gg_var *gg_eigvals(gg_var *a) {
  return eig(a);
}

/* --- in texts and files --- */

const gg_op_form gg__forms_eig_nodes[] = {GG_FORM(eig, "f", check_eig),
                                          GG_FORMS_END};
