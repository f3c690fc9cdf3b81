/* SPDX-License-Identifier: BSD-2-Clause */
/* Eigenvalues and eigenvectors of symmetric and Hermitian matrices. */
#include <complex.h>
#include <gpugraph/arrange.h>
#include <gpugraph/create.h>
#include <gpugraph/linalg.h>
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "ops/linalg/matrices.h"

enum { VALUES, VECTORS, RESULTS };

static int is_upper(const gg_apply *a) {
  const gg__eigh_props *p = a->props;

  return p->upper;
}

/* --- shapes --- */

static int check_eigh(const gg_apply *a) {
  return gg__check_square(a, 0);
}

static int infer_eigh(const gg_apply *a, gg_type *out) {
  const int dtype = gg_var_type(a->in[0])->dtype;

  GA_TRY(check_eigh(a));
  gg__infer_eigen(a, ga__dtype_real(dtype), dtype, out);
  return GA_NO_ERROR;
}

/* --- derivatives --- */

/* x over w_j - w_i for column j and row i. */
static gg_var *over_gaps(gg_var *w, gg_var *x) {
  const unsigned int nd = gg__rank_of(w);

  return gg__over_gaps(x, gg_sub(gg__expand(w, nd - 1), gg__expand(w, nd)));
}

/* V x V^H, or with `inward` V^H x V. */
static gg_var *turned(gg_var *v, gg_var *x, int inward) {
  gg_var *const vt = gg__adjoint(v);

  return gg__multiply_each(gg__multiply_each(inward ? vt : v, x),
                           inward ? v : vt);
}

/* The gradient by all elements is S = V (diag(Gw) + F(V^H Gv)) V^H. One that is
 * read stands for two of the matrix, which are conjugates, unless it is on the
 * diagonal, where the real part is read. */
static int grad_eigh(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const w = a->out[VALUES], *const v = a->out[VECTORS];
  gg_var *inner = NULL;

  if (gout[VALUES] != NULL)
    inner = gg_mul(gg__identity_like(v),
                   gg__expand(gout[VALUES], gg__rank_of(w) - 1));
  if (gout[VECTORS] != NULL) {
    gg_var *const by_vectors =
        over_gaps(w, gg__multiply_each(gg__adjoint(v), gout[VECTORS]));
    inner = inner != NULL ? gg_add(inner, by_vectors) : by_vectors;
  }
  gg_var *const s = turned(v, inner, 0);
  gin[0] = gg_add(gg__with_real_diagonal(gg__triangle_of(s, is_upper(a), 0)),
                  gg__triangle_of(gg__adjoint(s), is_upper(a), 1));
  return GA_NO_ERROR;
}

/* With M = V^H dA V, dw is its diagonal, and dV = V F(M). */
static int rop_eigh(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  gg_var *const v = a->out[VECTORS];
  gg_var *const d =
      gg_add(gg__with_real_diagonal(gg__triangle_of(din[0], is_upper(a), 0)),
             gg__adjoint(gg__triangle_of(din[0], is_upper(a), 1)));
  gg_var *const m = turned(v, d, 1);
  const unsigned int nd = gg__rank_of(v);

  dout[VALUES] = gg_real(gg__square_diagonal(m, nd - 2, nd - 1));
  dout[VECTORS] = gg__multiply_each(v, over_gaps(a->out[VALUES], m));
  return GA_NO_ERROR;
}

/* --- launches --- */

static int prepare_eigh(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out) {
  slot_in[0] = 0;
  slot_out[VALUES] = 1;
  GpuArray *const vectors = gg__wanted_output(p, VECTORS, 2, slot_out);
  return GpuArray_eigh_prepare(out, p->out[VALUES], vectors, p->in[0],
                               is_upper(p->apply) ? GA_FACTOR_UPPER : 0);
}

/* --- on the host --- */

/* Rotate rows p and q of x, or columns if `step` is 1 and `next` n. */
static void rotate(double *x, size_t n, size_t p, size_t q, size_t step,
                   size_t next, double c, double s) {
  for (size_t k = 0; k < n; k++) {
    double *const a = x + p * step + k * next, *const b =
                                                   x + q * step + k * next;
    const double u = *a, v = *b;

    *a = c * u - s * v;
    *b = s * u + c * v;
  }
}

/* Make the elements (p, q) of x 0. Rows of v are rotated, too. */
static int annihilate(double *x, double *v, size_t n, size_t p, size_t q) {
  const double off = x[p * n + q], a = x[p * n + p], b = x[q * n + q];

  if (!(fabs(off) > 1e-17 * (fabs(a) + fabs(b))))
    return 0;
  const double zeta = (b - a) / 2 / off;
  const double t = copysign(1, zeta) / (fabs(zeta) + hypot(zeta, 1));
  const double c = 1 / hypot(t, 1), s = c * t;
  rotate(x, n, p, q, n, 1, c, s);
  rotate(x, n, p, q, 1, n, c, s);
  rotate(v, n, p, q, n, 1, c, s);
  x[p * n + q] = x[q * n + p] = 0;
  return 1;
}

static size_t find_least(const double *x, size_t n, const char *done) {
  size_t least = n;

  for (size_t i = 0; i < n; i++)
    if (!done[i] && (least == n || x[i * n + i] < x[least * n + least]))
      least = i;
  return least;
}

/* Eigenvalues `w` of x, which becomes diagonal, and vectors `to`. */
static void find_values(double *x, double *v, size_t n, double *w, double *to,
                        char *done) {
  int busy = 1;

  for (size_t i = 0; i < n * n; i++)
    v[i] = i % (n + 1) == 0;
  for (int pass = 0; busy && pass < 60; pass++) {
    busy = 0;
    for (size_t p = 0; p < n; p++)
      for (size_t q = p + 1; q < n; q++)
        busy |= annihilate(x, v, n, p, q);
  }
  for (size_t i = 0; i < n; i++)
    done[i] = 0;
  for (size_t k = 0; k < n; k++) {
    const size_t i = find_least(x, n, done);
    const double sign = gg__vector_sign(v + i * n, n, 1);

    done[i] = 1;
    w[k] = x[i * n + i];
    for (size_t j = 0; j < n; j++)
      to[j * n + k] = sign * v[i * n + j];
  }
}

/* Take one triangle of matrix z for both. If an element is not finite, all are
 * NaN. */
static void take_symmetric(double *x, size_t n, int upper) {
  int bad = 0;

  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) {
      double *const low = x + i * n + j, *const high = x + j * n + i;
      *(upper ? low : high) = *(upper ? high : low);
    }
  for (size_t i = 0; i < n * n; i++)
    bad |= !isfinite(x[i]);
  for (size_t i = 0; bad && i < n * n; i++)
    x[i] = (double)NAN;
}

/* The same for Hermitian matrices. */
static void take_hermitian(gg__complex *x, size_t n, int upper) {
  int bad = 0;

  for (size_t i = 0; i < n; i++) {
    x[i * n + i] = creal(x[i * n + i]);
    for (size_t j = 0; j < i; j++) {
      gg__complex *const low = x + i * n + j, *const high = x + j * n + i;
      *(upper ? low : high) = conj(*(upper ? high : low));
    }
  }
  for (size_t i = 0; i < n * n; i++)
    bad |= !isfinite(creal(x[i])) || !isfinite(cimag(x[i]));
  for (size_t i = 0; bad && i < n * n; i++)
    x[i] = (double)NAN;
}

/* Workspaces for matrices of `size` rows, twice the given ones if those are
 * complex. */
typedef struct work {
  size_t size;
  double *x, *turns, *w, *v; /* [size, size], and w [size]; owned */
  char *done;
} work;

static int work_new(work *s, size_t size) {
  const size_t square = ga__times(size, size);

  s->size = size;
  s->x = ga__calloc(square, sizeof *s->x);
  s->turns = ga__calloc(square, sizeof *s->turns);
  s->w = ga__calloc(size, sizeof *s->w);
  s->v = ga__calloc(square, sizeof *s->v);
  s->done = ga__calloc(size, sizeof *s->done);
  return s->x == NULL || s->turns == NULL || s->w == NULL || s->v == NULL ||
                 s->done == NULL
             ? ga__fail_nomem()
             : GA_NO_ERROR;
}

static void work_clear(work *s) {
  ga__free(s->x);
  ga__free(s->turns);
  ga__free(s->w);
  ga__free(s->v);
  ga__free(s->done);
}

/* Every other eigenpair of the real matrix. */
static void find_complex(const gg__complex *a, size_t n, const work *s,
                         double *w, gg__complex *to) {
  gg__embed(s->x, a, n, n);
  find_values(s->x, s->turns, s->size, s->w, s->v, s->done);
  for (size_t k = 0; k < n; k++) {
    const double *const re = s->v + 2 * k, *const im = re + n * s->size;
    const gg__complex phase = gg__vector_phase(re, im, n, s->size);

    w[k] = s->w[2 * k];
    for (size_t i = 0; i < n; i++)
      to[i * n + k] = phase * gg__pair_of(re[i * s->size], im[i * s->size]);
  }
}

static int reference_eigh(const gg_prepare *p) {
  gg__host_matrices x = {.v = NULL}, w = {.v = NULL}, v = {.v = NULL};
  work s = {.x = NULL};
  int err;

  GA_CHECK(gg__matrices_read(&x, p, 0));
  GA_CHECK(gg__matrices_new(&v, p, VECTORS));
  w = (gg__host_matrices){.m = 1, .n = x.n, .batch = x.batch, .parts = 1};
  w.v = ga__calloc(ga__times(x.batch, x.n), sizeof *w.v);
  if (w.v == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(work_new(&s, ga__times(x.n, x.parts)));
  for (size_t z = 0; z < x.batch; z++) {
    double *const a = x.v + z * x.n * x.n * x.parts;
    double *const to = v.v + z * x.n * x.n * x.parts;

    if (x.parts == 2) {
      take_hermitian((gg__complex *)a, x.n, is_upper(p->apply));
      find_complex((gg__complex *)a, x.n, &s, w.v + z * x.n, (gg__complex *)to);
    } else {
      take_symmetric(a, x.n, is_upper(p->apply));
      find_values(a, s.turns, x.n, w.v + z * x.n, to, s.done);
    }
  }
  gg__matrices_write(&w, p, VALUES);
  gg__matrices_write(&v, p, VECTORS);

done:
  gg__matrices_clear(&x);
  gg__matrices_clear(&w);
  gg__matrices_clear(&v);
  work_clear(&s);
  return err;
}

static void print_eigh(const gg_apply *a, char *buf, size_t bytes) {
  snprintf(buf, bytes, "%s", is_upper(a) ? "upper" : "");
}

const gg_op gg__op_eigh = {.name = "eigh",
                           .kind = GG_OP_KERNEL,
                           .complex_use = GG_PARTS,
                           .props_bytes = sizeof(gg__eigh_props),
                           .n_out = RESULTS,
                           .infer = infer_eigh,
                           .shape = gg__shape_eigen,
                           .grad = grad_eigh,
                           .rop = rop_eigh,
                           .prepare = prepare_eigh,
                           .reference = reference_eigh,
                           .print = print_eigh};

/* --- builders --- */

/* Output 0 of a new node, or NULL. */
static gg_var *eigh(gg_var *a, int flags) {
  const gg__eigh_props p = {(flags & GA_FACTOR_UPPER) != 0};

  if (!gg__as_matrices(&gg__op_eigh, 1, &a))
    return NULL;
  if (flags & ~GA_FACTOR_UPPER)
    return gg__refuse(&gg__op_eigh, 1, &a, GA_VALUE_ERROR,
                      "flags %#x are not known",
                      (unsigned int)(flags & ~GA_FACTOR_UPPER));
  return gg__apply_checked(&gg__op_eigh, &p, 1, &a, check_eigh);
}

int gg_eigh(gg_var **w, gg_var **v, gg_var *a, int flags) {
  gg_var *const first = eigh(a, flags);
  gg_var **const out[RESULTS] = {w, v};

  for (unsigned int i = 0; i < RESULTS; i++)
    if (out[i] != NULL)
      *out[i] = first != NULL ? gg_var_owner(first)->out[i] : NULL;
  return first != NULL ? GA_NO_ERROR : GA_VALUE_ERROR;
}

gg_var *gg_eigvalsh(gg_var *a, int flags) {
  return eigh(a, flags);
}

/* --- in texts and files --- */

static const gg_field eigh_fields[] = {
    {GG_FIELD("upper", FLAG, gg__eigh_props, upper), .optional = 1}};

const gg_op_form gg__forms_eigen_nodes[] = {
    GG_FORM_PROPS(eigh, "f", eigh_fields, check_eigh), GG_FORMS_END};
