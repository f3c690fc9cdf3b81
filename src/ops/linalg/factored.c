/* SPDX-License-Identifier: BSD-2-Clause */
/* Cholesky factors, and solving with triangular matrices. */
#include <gpugraph/arrange.h>
#include <gpugraph/create.h>
#include <gpugraph/linalg.h>
#include <math.h>
#include <stdio.h>

#include "ops/linalg/matrices.h"

enum {
  UPPER = GA_FACTOR_UPPER,
  TRANS = GA_FACTOR_TRANS,
  CONJ_TRANS = GA_FACTOR_CONJ_TRANS,
  RIGHT = GA_FACTOR_RIGHT,
  UNIT = GA_FACTOR_UNIT
};

/* --- properties --- */

static int flags_of(const gg_apply *a) {
  const gg__factor_props *p = a->props;

  return (p->upper ? UPPER : 0) | (p->trans ? TRANS : 0) |
         (p->conj_trans ? CONJ_TRANS : 0) | (p->right ? RIGHT : 0) |
         (p->unit ? UNIT : 0);
}

static gg__factor_props props_of(int flags) {
  return (gg__factor_props){.upper = (flags & UPPER) != 0,
                            .trans = (flags & TRANS) != 0,
                            .conj_trans = (flags & CONJ_TRANS) != 0,
                            .right = (flags & RIGHT) != 0,
                            .unit = (flags & UNIT) != 0};
}

static void print_flags(const gg_apply *a, char *buf, size_t bytes) {
  const gg__factor_props *p = a->props;
  const int n =
      snprintf(buf, bytes, "%s%s%s%s%s", p->upper ? "upper " : "",
               p->trans ? "trans " : "", p->conj_trans ? "conj_trans " : "",
               p->right ? "right " : "", p->unit ? "unit" : "");
  if (n > 0 && (size_t)n < bytes && buf[n - 1] == ' ')
    buf[n - 1] = '\0';
}

/* --- Cholesky --- */

/* Flags that mean the same; real matrices have the plain transpose alone. */
static int plain_flags(gg_var *a, int flags) {
  return flags & CONJ_TRANS && !gg__has_complex_dtype(a)
             ? (flags & ~CONJ_TRANS) | TRANS
             : flags;
}

static gg_var *solve(gg_var *a, gg_var *b, int flags) {
  gg_var *const in[2] = {a, b};

  if (a == NULL)
    return NULL;
  const gg__factor_props p = props_of(plain_flags(a, flags));
  return gg_op_apply(NULL, &gg__op_triangular_solve, &p, 2, in);
}

static int infer_cholesky(const gg_apply *a, gg_type *out) {
  GA_TRY(gg__check_square(a, 0));
  return gg__infer_first(a, out);
}

static int shape_cholesky(const gg_apply *a, const gg_dims *in,
                          const double *const *host, gg_dims *out) {
  GA_TRY(gg__check_square_dims(a, &in[0]));
  return gg__shape_first(a, in, host, out);
}

/* L for both forms of the node. */
static gg_var *lower_of(const gg_apply *a, gg_var *x) {
  return flags_of(a) & UPPER ? gg__swap_last(x) : x;
}

/* T of the node is twice the gradient by a Hermitian matrix. An element that is
 * read stands for two of the matrix, which are conjugates, unless it is on the
 * diagonal, where the real part is read. */
static int grad_cholesky(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__triangle_props p = {.upper = (flags_of(a) & UPPER) != 0};
  gg_var *const in[2] = {a->out[0], gout[0]};
  gg_var *const t = gg_op_apply(NULL, &gg__op_cholesky_gradient, &p, 2, in);
  gg_var *const half = gg__lower_half(lower_of(a, t));

  gin[0] = lower_of(a, half);
  return GA_NO_ERROR;
}

/* dL = L half(L^-1 dA L^-H). */
static int rop_cholesky(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  gg_var *const l = lower_of(a, a->out[0]), *const d = lower_of(a, din[0]);
  gg_var *const full = gg_add(gg__with_real_diagonal(gg_tril(d, 0)),
                              gg__adjoint(gg_tril(d, -1)));
  gg_var *const inner = solve(l, solve(l, full, 0), RIGHT | CONJ_TRANS);

  dout[0] = lower_of(a, gg__multiply_each(l, gg__lower_half(inner)));
  return GA_NO_ERROR;
}

static int prepare_cholesky(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                            int *slot_out) {
  slot_in[0] = 0;
  slot_out[0] = 1;
  return GpuArray_cholesky_prepare(out, p->out[0], NULL, p->in[0],
                                   flags_of(p->apply));
}

static double *at(const gg__host_matrices *x, int turned, size_t z, size_t i,
                  size_t j) {
  return x->v +
         ((z * x->m + (turned ? j : i)) * x->n + (turned ? i : j)) * x->parts;
}

/* The root of a diagonal element, whose imaginary part does not count. */
static void take_root(double *x, size_t parts) {
  const int is_bad = !(x[0] > 0);

  x[0] = is_bad ? (double)NAN : sqrt(x[0]);
  if (parts == 2)
    x[1] = is_bad ? (double)NAN : 0;
}

/* The square root of a leading minor that is not positive definite is NaN, and
 * so is all that follows. */
static void factor_matrix(const gg__host_matrices *x, int turned, size_t z) {
  const size_t n = x->n;

  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      double *const e = at(x, turned, z, i, j);

      for (size_t part = 0; i < j && part < x->parts; part++)
        e[part] = 0;
      for (size_t k = 0; k < j && i >= j; k++)
        gg__host_subtract(e, at(x, turned, z, i, k), at(x, turned, z, j, k),
                          x->parts, 1);
      if (i > j)
        gg__host_divide(e, at(x, turned, z, j, j), x->parts, 0);
      if (i == j)
        take_root(e, x->parts);
    }
}

static int reference_cholesky(const gg_prepare *p) {
  gg__host_matrices x = {.v = NULL};
  int err;

  GA_CHECK(gg__matrices_read(&x, p, 0));
  for (size_t z = 0; z < x.batch; z++)
    factor_matrix(&x, flags_of(p->apply) & UPPER, z);
  gg__matrices_write(&x, p, 0);

done:
  gg__matrices_clear(&x);
  return err;
}

const gg_op gg__op_cholesky = {.name = "cholesky",
                               .kind = GG_OP_KERNEL,
                               .complex_use = GG_PARTS,
                               .props_bytes = sizeof(gg__factor_props),
                               .n_out = 1,
                               .infer = infer_cholesky,
                               .shape = shape_cholesky,
                               .grad = grad_cholesky,
                               .rop = rop_cholesky,
                               .prepare = prepare_cholesky,
                               .destroys = gg__destroys_first,
                               .reference = reference_cholesky,
                               .print = print_flags};

/* --- triangular solves --- */

static int infer_solve(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]), *b = gg_var_type(a->in[1]);

  GA_TRY(gg__check_square(a, 0));
  GA_TRY(gg__check_batches(a, 0, 1));
  const unsigned int side = flags_of(a) & RIGHT ? x->nd - 1 : x->nd - 2;
  const int64_t n =
      x->dims[x->nd - 1] != GG_ANY ? x->dims[x->nd - 1] : x->dims[x->nd - 2];
  if (n != GG_ANY && b->dims[side] != GG_ANY && b->dims[side] != n)
    return gg_op_fail(a, GA_VALUE_ERROR, "sizes %lld and %lld differ",
                      (long long)n, (long long)b->dims[side]);
  *out = *b;
  return GA_NO_ERROR;
}

static int shape_solve(const gg_apply *a, const gg_dims *in,
                       const double *const *host, gg_dims *out) {
  const unsigned int nd = in[0].nd,
                     side = flags_of(a) & RIGHT ? nd - 1 : nd - 2;

  (void)host;
  GA_TRY(gg__check_square_dims(a, &in[0]));
  GA_TRY(gg__check_batch_dims(a, &in[0], &in[1]));
  if (in[0].dim[nd - 1] != in[1].dim[side])
    return gg_op_fail(a, GA_VALUE_ERROR, "sizes %zu and %zu differ",
                      in[0].dim[nd - 1], in[1].dim[side]);
  *out = in[1];
  return GA_NO_ERROR;
}

/* The part of x that a solve reads of its matrix. */
static gg_var *read_part(const gg_apply *a, gg_var *x) {
  const int flags = flags_of(a);

  return gg__triangle_of(x, flags & UPPER, (flags & UNIT) != 0);
}

/* op(A)^-H g; there is no flag for the conjugate alone. */
static gg_var *solve_adjoint(gg_var *a, gg_var *g, int flags) {
  if (flags & CONJ_TRANS)
    return solve(a, g, flags & ~CONJ_TRANS);
  return flags & TRANS ? gg_conj(solve(a, gg_conj(g), flags & ~TRANS))
                       : solve(a, g, flags | CONJ_TRANS);
}

/* op(x); it is its own inverse. */
static gg_var *op_of(gg_var *x, int flags) {
  return flags & CONJ_TRANS ? gg__adjoint(x)
         : flags & TRANS    ? gg__swap_last(x)
                            : x;
}

/* With H = op(A)^-H G, which is the gradient by B, the one by op(A) is
 * -H X^H. */
static int grad_solve(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const int flags = flags_of(a);
  gg_var *const x = a->out[0], *const h =
                                   solve_adjoint(a->in[0], gout[0], flags);
  gg_var *const by = flags & RIGHT ? gg__multiply_each(gg__adjoint(x), h)
                                   : gg__multiply_each(h, gg__adjoint(x));

  gin[0] = gg_neg(read_part(a, op_of(by, flags)));
  gin[1] = h;
  return GA_NO_ERROR;
}

/* dX = op(A)^-1 (dB - op(dA) X). */
static int rop_solve(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  const int flags = flags_of(a);
  gg_var *const x = a->out[0], *right = din[1];

  if (din[0] != NULL) {
    gg_var *const d = op_of(read_part(a, din[0]), flags);
    gg_var *const product =
        flags & RIGHT ? gg__multiply_each(x, d) : gg__multiply_each(d, x);
    right = right != NULL ? gg_sub(right, product) : gg_neg(product);
  }
  if (right != NULL)
    dout[0] = solve(a->in[0], right, flags);
  return GA_NO_ERROR;
}

static int prepare_solve(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                         int *slot_out) {
  slot_in[0] = 0;
  slot_in[1] = 1;
  slot_out[0] = 2;
  return GpuArray_triangular_solve_prepare(out, p->out[0], p->in[0], p->in[1],
                                           flags_of(p->apply));
}

static int destroys_second(const gg_apply *a, unsigned int out) {
  (void)a;
  (void)out;
  return 1;
}

/* Solve for row or column c of matrix z: element i of it is at index i. */
static void solve_one(const gg__host_matrices *a, const gg__host_matrices *x,
                      int flags, size_t z, size_t c) {
  const int right = (flags & RIGHT) != 0, conj = (flags & CONJ_TRANS) != 0;
  const int turned = ((flags & (TRANS | CONJ_TRANS)) != 0) != right;
  const int upper = ((flags & UPPER) != 0) != turned;
  const size_t n = a->n;

  for (size_t s = 0; s < n; s++) {
    const size_t i = upper ? n - 1 - s : s;
    double *const e = at(x, right, z, i, c);

    for (size_t t = 0; t < s; t++) {
      const size_t j = upper ? n - 1 - t : t;
      gg__host_subtract(e, at(x, right, z, j, c), at(a, turned, z, i, j),
                        a->parts, conj);
    }
    if (!(flags & UNIT))
      gg__host_divide(e, at(a, turned, z, i, i), a->parts, conj);
  }
}

static int reference_solve(const gg_prepare *p) {
  const int flags = flags_of(p->apply);
  gg__host_matrices a = {.v = NULL}, x = {.v = NULL};
  int err;

  GA_CHECK(gg__matrices_read(&a, p, 0));
  GA_CHECK(gg__matrices_read(&x, p, 1));
  for (size_t z = 0; z < x.batch; z++)
    for (size_t c = 0; c < (flags & RIGHT ? x.m : x.n); c++)
      solve_one(&a, &x, flags, z, c);
  gg__matrices_write(&x, p, 0);

done:
  gg__matrices_clear(&a);
  gg__matrices_clear(&x);
  return err;
}

const gg_op gg__op_triangular_solve = {.name = "triangular_solve",
                                       .kind = GG_OP_KERNEL,
                                       .complex_use = GG_PARTS,
                                       .props_bytes = sizeof(gg__factor_props),
                                       .n_out = 1,
                                       .infer = infer_solve,
                                       .shape = shape_solve,
                                       .grad = grad_solve,
                                       .rop = rop_solve,
                                       .prepare = prepare_solve,
                                       .destroys = destroys_second,
                                       .reference = reference_solve,
                                       .print = print_flags};

/* --- builders --- */

static int check_cholesky(const gg_apply *a) {
  if (flags_of(a) & ~UPPER)
    return gg_op_fail(a, GA_VALUE_ERROR, "the only flag is upper");
  return gg__check_square(a, 0);
}

static int check_solve(const gg_apply *a) {
  const gg__factor_props *p = a->props;

  if (p->trans && p->conj_trans)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "the transpose or the conjugate transpose");
  GA_TRY(gg__check_square(a, 0));
  return gg__check_batches(a, 0, 1);
}

/* Nonzero if no flag is unknown. */
static int check_flags(const gg_op *op, unsigned int n, gg_var *const *in,
                       int flags, int known) {
  if ((flags & ~known) == 0)
    return 1;
  gg__refuse(op, n, in, GA_VALUE_ERROR, "flags %#x are not known",
             (unsigned int)(flags & ~known));
  return 0;
}

gg_var *gg_cholesky(gg_var *a, int flags) {
  const gg__factor_props p = props_of(flags);

  if (!gg__as_matrices(&gg__op_cholesky, 1, &a) ||
      !check_flags(&gg__op_cholesky, 1, &a, flags, UPPER))
    return NULL;
  return gg__apply_checked(&gg__op_cholesky, &p, 1, &a, check_cholesky);
}

gg_var *gg_triangular_solve(gg_var *a, gg_var *b, int flags) {
  const gg_op *const op = &gg__op_triangular_solve;
  gg_var *in[2] = {a, b};

  if (!gg__as_matrices(op, 2, in) ||
      !check_flags(op, 2, in, flags, UPPER | TRANS | CONJ_TRANS | RIGHT | UNIT))
    return NULL;
  const gg__factor_props p = props_of(plain_flags(in[0], flags));
  const unsigned int nd = gg__rank_of(b);
  const int is_vector = nd >= 1 && nd + 1 == gg__rank_of(a);
  const unsigned int axis = flags & RIGHT ? nd - 1 : nd;
  if (is_vector)
    in[1] = gg__expand(in[1], axis);
  gg_var *const x = gg__apply_checked(op, &p, 2, in, check_solve);
  return is_vector && x != NULL ? gg_squeeze(x, (int)axis) : x;
}

gg_var *gg_cholesky_solve(gg_var *l, gg_var *b, int flags) {
  const int first = flags & UPPER ? CONJ_TRANS : 0;
  gg_var *const in[2] = {l, b};

  if (!gg__given(GG_CALLED("cholesky_solve"), 2, in) ||
      !check_flags(GG_CALLED("cholesky_solve"), 2, in, flags, UPPER))
    return NULL;
  return gg_triangular_solve(l, gg_triangular_solve(l, b, flags | first),
                             flags | (first ^ CONJ_TRANS));
}

/* --- in texts and files --- */

#define FLAG(member)                                                           \
  { GG_FIELD(#member, FLAG, gg__factor_props, member), .optional = 1 }

static const gg_field flag_fields[] = {
    FLAG(upper), FLAG(trans), FLAG(conj_trans), FLAG(right), FLAG(unit)};

const gg_op_form gg__forms_factored[] = {
    GG_FORM_PROPS(cholesky, "f", flag_fields, check_cholesky),
    GG_FORM_PROPS(triangular_solve, "FF", flag_fields, check_solve),
    GG_FORMS_END};
