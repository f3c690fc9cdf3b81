/* SPDX-License-Identifier: BSD-2-Clause */
/* What a gradient by Cholesky factors says about their matrices: a node, since
 * by blocks it takes a sixth of the operations of its formula. The formula says
 * what its derivatives are. */
#include <gpugraph/arrange.h>
#include <gpugraph/create.h>
#include <gpugraph/grad.h>
#include <gpugraph/linalg.h>
#include <stdio.h>

#include "ops/linalg/matrices.h"

enum { FACTOR, GRADIENT, OPERANDS };

static int is_upper(const gg_apply *a) {
  const gg__triangle_props *p = a->props;

  return p->upper;
}

/* --- shapes --- */

static int check_gradient(const gg_apply *a) {
  GA_TRY(gg__check_square(a, FACTOR));
  GA_TRY(gg__check_square(a, GRADIENT));
  return gg__check_batches(a, FACTOR, GRADIENT);
}

static int infer_gradient(const gg_apply *a, gg_type *out) {
  GA_TRY(check_gradient(a));
  return gg__infer_first(a, out);
}

static int shape_gradient(const gg_apply *a, const gg_dims *in,
                          const double *const *host, gg_dims *out) {
  const gg_dims *l = &in[FACTOR], *g = &in[GRADIENT];

  GA_TRY(gg__check_square_dims(a, l));
  GA_TRY(gg__check_square_dims(a, g));
  GA_TRY(gg__check_batch_dims(a, l, g));
  if (l->dim[l->nd - 1] != g->dim[g->nd - 1])
    return gg_op_fail(a, GA_VALUE_ERROR, "sizes %zu and %zu differ",
                      l->dim[l->nd - 1], g->dim[g->nd - 1]);
  return gg__shape_first(a, in, host, out);
}

/* --- derivatives --- */

static gg_var *lower_of(const gg_apply *a, gg_var *x) {
  return is_upper(a) ? gg__adjoint(x) : x;
}

/* S + S^H, where S = L^-H half(L^H tril(G)) L^-1. */
static gg_var *formula(const gg_apply *a) {
  gg_var *const l = lower_of(a, a->in[FACTOR]);
  gg_var *const g = lower_of(a, a->in[GRADIENT]);
  gg_var *const half =
      gg__lower_half(gg__multiply_each(gg__adjoint(l), gg_tril(g, 0)));
  gg_var *const right = gg_triangular_solve(l, half, GA_FACTOR_RIGHT);
  gg_var *const s = gg_triangular_solve(l, right, GA_FACTOR_CONJ_TRANS);

  return gg_add(s, gg__adjoint(s));
}

/* The gradients of the formula, each with the other operand constant. */
static int grad_gradient(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const value = formula(a);
  const unsigned int n = a->in[FACTOR] == a->in[GRADIENT] ? 1 : OPERANDS;

  for (unsigned int i = 0; i < n && value != NULL; i++)
    GA_TRY(gg_grad_of(&gin[i], &(gg_grad_spec){.n_known = 1,
                                               .known = &value,
                                               .known_grad = &gout[0],
                                               .n_wrt = 1,
                                               .wrt = &a->in[i],
                                               .n_constant = n - 1,
                                               .constant = &a->in[1 - i]}));
  return GA_NO_ERROR;
}

/* --- launches --- */

static int prepare_gradient(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                            int *slot_out) {
  slot_in[FACTOR] = 0;
  slot_in[GRADIENT] = 1;
  slot_out[0] = 2;
  return GpuArray_cholesky_gradient_prepare(
      out, p->out[0], p->in[FACTOR], p->in[GRADIENT],
      is_upper(p->apply) ? GA_FACTOR_UPPER : 0);
}

static int destroys_gradient(const gg_apply *a, unsigned int out) {
  (void)a;
  (void)out;
  return GRADIENT;
}

/* --- on the host --- */

static double *at(const gg__host_matrices *x, size_t z, size_t i, size_t j) {
  return x->v + ((z * x->m + i) * x->n + j) * x->parts;
}

static void set_conjugate(double *to, const double *from, size_t parts) {
  to[0] = from[0];
  if (parts == 2)
    to[1] = -from[1];
}

/* Set the lower triangle of matrix z to the conjugate transpose of the upper
 * one. */
static void fold(const gg__host_matrices *x, size_t z) {
  for (size_t i = 0; i < x->n; i++)
    for (size_t j = 0; j <= i; j++)
      set_conjugate(at(x, z, i, j), at(x, z, j, i), x->parts);
}

/* The Hermitian matrix whose lower triangle is that of L^H G. */
static void set_product(const gg__host_matrices *l, const gg__host_matrices *g,
                        const gg__host_matrices *t, size_t z) {
  const size_t parts = l->parts;

  for (size_t i = 0; i < l->n; i++)
    for (size_t j = 0; j <= i; j++) {
      double *const e = at(t, z, i, j);

      for (size_t k = i; k < l->n; k++)
        gg__host_subtract(e, at(g, z, k, j), at(l, z, k, i), parts, 1);
      for (size_t part = 0; part < parts; part++)
        e[part] = i == j && part == 1 ? 0 : -e[part];
      set_conjugate(at(t, z, j, i), e, parts);
    }
}

/* t = L^-H t L^-1. */
static void solve_both(const gg__host_matrices *l, const gg__host_matrices *t,
                       size_t z) {
  const size_t n = l->n;

  for (int left = 0; left < 2; left++)
    for (size_t c = 0; c < n; c++)
      for (size_t i = n; i-- > 0;) {
        double *const e = left ? at(t, z, i, c) : at(t, z, c, i);

        for (size_t k = i + 1; k < n; k++)
          gg__host_subtract(e, left ? at(t, z, k, c) : at(t, z, c, k),
                            at(l, z, k, i), l->parts, left);
        gg__host_divide(e, at(l, z, i, i), l->parts, left);
      }
}

static int reference_gradient(const gg_prepare *p) {
  gg__host_matrices l = {.v = NULL}, g = {.v = NULL}, t = {.v = NULL};
  int err;

  GA_CHECK(gg__matrices_read(&l, p, FACTOR));
  GA_CHECK(gg__matrices_read(&g, p, GRADIENT));
  GA_CHECK(gg__matrices_new(&t, p, 0));
  for (size_t z = 0; z < l.batch; z++) {
    if (is_upper(p->apply)) {
      fold(&l, z);
      fold(&g, z);
    }
    set_product(&l, &g, &t, z);
    solve_both(&l, &t, z);
  }
  gg__matrices_write(&t, p, 0);

done:
  gg__matrices_clear(&l);
  gg__matrices_clear(&g);
  gg__matrices_clear(&t);
  return err;
}

static void print_gradient(const gg_apply *a, char *buf, size_t bytes) {
  snprintf(buf, bytes, "%s", is_upper(a) ? "upper" : "");
}

const gg_op gg__op_cholesky_gradient = {.name = "cholesky_gradient",
                                        .kind = GG_OP_KERNEL,
                                        .complex_use = GG_PARTS,
                                        .props_bytes =
                                            sizeof(gg__triangle_props),
                                        .n_out = 1,
                                        .infer = infer_gradient,
                                        .shape = shape_gradient,
                                        .grad = grad_gradient,
                                        .prepare = prepare_gradient,
                                        .destroys = destroys_gradient,
                                        .reference = reference_gradient,
                                        .print = print_gradient};

/* --- in texts and files --- */

static const gg_field fields[] = {
    {GG_FIELD("upper", FLAG, gg__triangle_props, upper), .optional = 1}};

const gg_op_form gg__forms_cholesky_nodes[] = {
    GG_FORM_PROPS(cholesky_gradient, "FF", fields, check_gradient),
    GG_FORMS_END};
