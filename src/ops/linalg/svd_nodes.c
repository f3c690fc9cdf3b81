/* SPDX-License-Identifier: BSD-2-Clause */
/* Singular values and vectors. */
#include <complex.h>
#include <gpugraph/arrange.h>
#include <gpugraph/create.h>
#include <gpugraph/linalg.h>
#include <math.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "ops/linalg/matrices.h"

enum { LEFT, VALUES, RIGHT, RESULTS };

static int is_full(const gg_apply *a) {
  return a->op == &gg__op_svd_full;
}

/* --- shapes --- */

static int infer_svd(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]);

  GA_TRY(gg__check_matrix(a));
  const int64_t m = x->dims[x->nd - 2], n = x->dims[x->nd - 1];
  const int64_t least = gg__least_size(m, n);

  out[LEFT] = out[VALUES] = out[RIGHT] = *x;
  out[LEFT].dims[x->nd - 1] = is_full(a) ? m : least;
  out[VALUES].nd--;
  out[VALUES].dtype = ga__dtype_real(x->dtype);
  out[VALUES].dims[x->nd - 2] = least;
  out[VALUES].dims[x->nd - 1] = 0;
  out[RIGHT].dims[x->nd - 2] = is_full(a) ? n : least;
  return GA_NO_ERROR;
}

static int shape_svd(const gg_apply *a, const gg_dims *in,
                     const double *const *host, gg_dims *out) {
  const unsigned int nd = in[0].nd;
  const size_t m = in[0].dim[nd - 2], n = in[0].dim[nd - 1];
  const size_t least = m < n ? m : n;

  (void)host;
  out[LEFT] = out[VALUES] = out[RIGHT] = in[0];
  out[LEFT].dim[nd - 1] = is_full(a) ? m : least;
  out[VALUES].nd--;
  out[VALUES].dim[nd - 2] = least;
  out[RIGHT].dim[nd - 2] = is_full(a) ? n : least;
  return GA_NO_ERROR;
}

/* --- derivatives --- */

/* The factors, which gradients are built from. */
typedef struct factors {
  gg_var *u, *s, *vt;
  gg_var *row, *column; /* s as [..., 1, k] and [..., k, 1] */
  gg_var *over;         /* 1 / s as a row, or 0 where s is 0 */
  int m_is_k, n_is_k;   /* known to be so */
} factors;

static factors factors_of(const gg_apply *a) {
  const gg_type *x = gg_var_type(a->in[0]);
  const int64_t m = x->dims[x->nd - 2], n = x->dims[x->nd - 1];
  const int known = m != GG_ANY && n != GG_ANY;
  factors f = {.u = a->out[LEFT],
               .s = a->out[VALUES],
               .vt = a->out[RIGHT],
               .m_is_k = known && m <= n,
               .n_is_k = known && n <= m};
  const unsigned int nd = gg__rank_of(f.s);

  if (is_full(a)) {
    f.u = gg__head(f.u, -1, gg_shape(a->in[0], -1));
    f.vt = gg__head(f.vt, -2, gg_shape(a->in[0], -2));
  }
  f.row = gg__expand(f.s, nd - 1);
  f.column = gg__expand(f.s, nd);
  gg_var *const none =
      gg_cast(gg_eq(f.row, gg__num(f.row, 0)), gg_var_type(f.s)->dtype);
  f.over = gg_div(gg_sub(gg__num(none, 1), none), gg_add(f.row, none));
  return f;
}

static gg_var *plus(gg_var *a, gg_var *b) {
  return a == NULL ? b : b == NULL ? a : gg_add(a, b);
}

static gg_var *times(gg_var *a, gg_var *b) {
  return gg__multiply_each(a, b);
}

static gg_var *skew(gg_var *x) {
  return gg_sub(x, gg__adjoint(x));
}

/* x over differences of squares of s: column's minus row's. */
static gg_var *over_gaps(const factors *f, gg_var *x) {
  return gg__over_gaps(x, gg_sub(gg_sqr(f->row), gg_sqr(f->column)));
}

/* The imaginary parts of the diagonal of x over 2 s, for complex x. A change of
 * A turns the phase of u_k against that of v_k by the imaginary part of its
 * element (k, k) in these bases, over s_k. Each takes half of it. */
static gg_var *phases(const factors *f, gg_var *x) {
  gg_var *const quarter = gg_mul(f->over, gg__num(f->over, 0.25));

  return gg_mul(gg__identity_like(x), gg_mul(skew(x), quarter));
}

static int is_complex(const gg_apply *a) {
  return ga__dtype_is_complex(gg_var_type(a->in[0])->dtype);
}

/* With E = U^H Gu, H = V^H Gv and F as in gg__over_gaps, the gradient is
 * U (diag(Gs) + F(E - E^H) S + S F(H - H^H)) V^H
 * + (Gu - U E) S^-1 V^H + U S^-1 (Gv^H - H^H V^H), and for complex numbers
 * U (i im(diag(E) - diag(H)) / 2 S) V^H. */
static int grad_svd(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const factors f = factors_of(a);
  gg_var *by_u = gout[LEFT], *by_vt = gout[RIGHT];
  gg_var *inner = NULL, *outer = NULL;

  if (is_full(a)) {
    by_u = gg__gradient_of_basis(a->out[LEFT], by_u, gg_shape(a->in[0], -1));
    by_vt = gg__adjoint(gg__gradient_of_basis(gg__adjoint(a->out[RIGHT]),
                                              gg__adjoint(by_vt),
                                              gg_shape(a->in[0], -2)));
  }
  if (gout[VALUES] != NULL) {
    const unsigned int nd = gg__rank_of(f.s);
    gg_var *const like = times(gg__adjoint(f.u), f.u);
    inner = gg_mul(gg__identity_like(like), gg__expand(gout[VALUES], nd - 1));
  }
  if (by_u != NULL) {
    gg_var *const e = times(gg__adjoint(f.u), by_u);
    inner = plus(inner, gg_mul(over_gaps(&f, skew(e)), f.row));
    if (is_complex(a))
      inner = gg_add(inner, phases(&f, e));
    if (!f.m_is_k)
      outer = times(gg_mul(gg_sub(by_u, times(f.u, e)), f.over), f.vt);
  }
  if (by_vt != NULL) {
    gg_var *const h = times(f.vt, gg__adjoint(by_vt));
    inner = plus(inner, gg_mul(over_gaps(&f, skew(h)), f.column));
    if (is_complex(a))
      inner = gg_sub(inner, phases(&f, h));
    if (!f.n_is_k)
      outer = plus(outer, times(gg_mul(f.u, f.over),
                                gg_sub(by_vt, times(gg__adjoint(h), f.vt))));
  }
  gin[0] = plus(times(times(f.u, inner), f.vt), outer);
  return GA_NO_ERROR;
}

/* The derivative of vectors x, of columns, which are computed from p as those
 * of A^H A are; `ahead` is what A has of the other vectors. */
static gg_var *atallvectors(const factors *f, gg_var *x, gg_var *p,
                            gg_var *ahead, int is_whole) {
  gg_var *const sum = gg_add(gg_mul(p, f->row), gg__adjoint(gg_mul(p, f->row)));
  gg_var *turn = over_gaps(f, sum);
  if (turn != NULL && ga__dtype_is_complex(gg_var_type(turn)->dtype))
    turn = gg_add(turn, phases(f, p));
  gg_var *const inside = times(x, turn);

  if (is_whole)
    return inside;
  gg_var *const rest = gg_sub(ahead, times(x, times(gg__adjoint(x), ahead)));
  return gg_add(inside, gg_mul(rest, f->over));
}

/* The derivative of left vectors, and of right ones. */
static gg_var *move_vectors(const gg_apply *a, gg_var *all, gg_var *d,
                            int axis) {
  return is_full(a) ? gg__move_of_basis(all, d, gg_shape(a->in[0], axis)) : d;
}

/* With P = U^H dA V: ds is its diagonal, dU = U F(P S + S P^H) + ..., and dV
 * the same of the conjugate transpose. */
static int rop_svd(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  const factors f = factors_of(a);
  const unsigned int nd = gg__rank_of(f.u);
  gg_var *const v = gg__adjoint(f.vt), *const ut = gg__adjoint(f.u);
  gg_var *const by_v = times(din[0], v);
  gg_var *const by_u = times(gg__adjoint(din[0]), f.u);
  gg_var *const p = times(ut, by_v);

  dout[VALUES] = gg_real(gg__square_diagonal(p, nd - 2, nd - 1));
  dout[LEFT] = move_vectors(a, a->out[LEFT],
                            atallvectors(&f, f.u, p, by_v, f.m_is_k), -1);
  dout[RIGHT] = gg__adjoint(
      move_vectors(a, gg__adjoint(a->out[RIGHT]),
                   atallvectors(&f, v, gg__adjoint(p), by_u, f.n_is_k), -2));
  return GA_NO_ERROR;
}

/* --- launches --- */

static int prepare_svd(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                       int *slot_out) {
  slot_in[0] = 0;
  slot_out[VALUES] = VALUES + 1;
  GpuArray *const left = gg__wanted_output(p, LEFT, LEFT + 1, slot_out);
  GpuArray *const right = gg__wanted_output(p, RIGHT, RIGHT + 1, slot_out);
  return GpuArray_svd_prepare(out, left, p->out[VALUES], right, p->in[0]);
}

/* --- on the host --- */

/* A matrix on the host with at least as many rows as columns: its columns, and
 * the right vectors, are rows here. Of a complex matrix it is the real one that
 * gg__embed makes. */
typedef struct columns {
  size_t m, n;
  double *x, *v; /* [n, m], [n, n] */
} columns;

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static void rotate(double *a, double *b, size_t n, double c, double s) {
  for (size_t i = 0; i < n; i++) {
    const double u = a[i], v = b[i];

    a[i] = c * u - s * v;
    b[i] = s * u + c * v;
  }
}

/* Make columns p and q orthogonal. */
static int make_orthogonal(const columns *w, size_t p, size_t q) {
  double *const a = w->x + p * w->m, *const b = w->x + q * w->m;
  const double aa = dot(a, a, w->m), bb = dot(b, b, w->m), ab = dot(a, b, w->m);

  if (!(fabs(ab) > 1e-16 * sqrt(aa) * sqrt(bb)))
    return 0;
  const double zeta = (bb - aa) / 2 / ab;
  const double t = copysign(1, zeta) / (fabs(zeta) + hypot(zeta, 1));
  const double c = 1 / hypot(t, 1), s = c * t;
  rotate(a, b, w->m, c, s);
  rotate(w->v + p * w->n, w->v + q * w->n, w->n, c, s);
  return 1;
}

static void exchange(double *a, double *b, size_t n) {
  rotate(a, b, n, 0, -1);
}

/* Rotate, and sort by descending norms. */
static void find_values(const columns *w) {
  int busy = 1;

  for (size_t i = 0; i < w->n * w->n; i++)
    w->v[i] = i % (w->n + 1) == 0;
  for (int pass = 0; busy && pass < 60; pass++) {
    busy = 0;
    for (size_t p = 0; p < w->n; p++)
      for (size_t q = p + 1; q < w->n; q++)
        busy |= make_orthogonal(w, p, q);
  }
  for (size_t p = 0; p < w->n; p++)
    for (size_t q = p + 1; q < w->n; q++) {
      double *const a = w->x + p * w->m, *const b = w->x + q * w->m;
      if (dot(b, b, w->m) > dot(a, a, w->m)) {
        exchange(a, b, w->m);
        exchange(w->v + p * w->n, w->v + q * w->n, w->n);
      }
    }
}

/* Vectors of singular values of 0 are 0 here, which no reader has. */
static void write_matrix(const columns *w, gg__host_matrices *out, size_t z,
                         int is_turned) {
  const size_t k = w->n;

  for (size_t j = 0; j < k; j++) {
    double *const x = w->x + j * w->m, *const v = w->v + j * k;
    const double s = sqrt(dot(x, x, w->m)), sign = gg__vector_sign(v, k, 1);

    out[VALUES].v[z * k + j] = s;
    for (size_t i = 0; i < w->m; i++) {
      const double u = s == 0 ? 0 : sign * x[i] / s;
      if (is_turned)
        out[RIGHT].v[(z * k + j) * w->m + i] = u;
      else
        out[LEFT].v[(z * w->m + i) * k + j] = u;
    }
    for (size_t i = 0; i < k; i++)
      if (is_turned)
        out[LEFT].v[(z * k + i) * k + j] = sign * v[i];
      else
        out[RIGHT].v[(z * k + j) * k + i] = sign * v[i];
  }
}

/* The same of a complex matrix: every other pair of vectors of the real one. If
 * it is the transpose, conjugates of its right vectors are the left ones. */
static void write_complex(const columns *w, gg__host_matrices *out, size_t z,
                          int is_turned) {
  const size_t k = w->n / 2, m = w->m / 2;
  gg__complex *const tall =
      (gg__complex *)out[is_turned ? RIGHT : LEFT].v + z * m * k;
  gg__complex *const square =
      (gg__complex *)out[is_turned ? LEFT : RIGHT].v + z * k * k;

  for (size_t j = 0; j < k; j++) {
    const double *const x = w->x + 2 * j * w->m, *const v = w->v + 4 * j * k;
    const double s = sqrt(dot(x, x, w->m));
    const gg__complex phase = gg__vector_phase(v, v + k, k, 1);

    out[VALUES].v[z * k + j] = s;
    for (size_t i = 0; i < m; i++)
      tall[is_turned ? j * m + i : i * k + j] =
          s == 0 ? 0 : phase * gg__pair_of(x[i] / s, x[m + i] / s);
    for (size_t i = 0; i < k; i++)
      square[is_turned ? i * k + j : j * k + i] =
          conj(phase * gg__pair_of(v[i], v[k + i]));
  }
}

/* Copy matrix z, or the transpose, to columns. Returns 0 if an element is not
 * finite: then all become NaN. */
static int take_columns(const gg__host_matrices *a, const columns *w, size_t z,
                        int is_turned) {
  const double *const x = a->v + z * a->m * a->n * a->parts;
  const size_t m = w->m / a->parts, n = w->n / a->parts;
  int bad = 0;

  for (size_t i = 0; i < a->m * a->n * a->parts; i++)
    bad |= !isfinite(x[i]);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < m; i++) {
      const double *const from =
          x + a->parts * (is_turned ? j * a->n + i : i * a->n + j);
      double *const to = w->x + j * w->m + i;

      *to = from[0];
      if (a->parts == 2) {
        to[m] = from[1];
        to[n * w->m] = -from[1];
        to[n * w->m + m] = from[0];
      }
    }
  for (size_t i = 0; bad && i < w->m * w->n; i++)
    w->x[i] = (double)NAN;
  return !bad;
}

static void factor_matrix(const gg__host_matrices *a, const columns *w,
                          gg__host_matrices *out, size_t z) {
  const int is_turned = a->m < a->n;
  const int is_finite = take_columns(a, w, z, is_turned);

  find_values(w);
  for (size_t i = 0; !is_finite && i < w->n * w->n; i++)
    w->v[i] = (double)NAN;
  if (a->parts == 2)
    write_complex(w, out, z, is_turned);
  else
    write_matrix(w, out, z, is_turned);
}

static int reference_svd(const gg_prepare *p) {
  gg__host_matrices x = {.v = NULL}, out[RESULTS] = {{.v = NULL}};
  columns w = {.x = NULL};
  int err;

  GA_CHECK(gg__matrices_read(&x, p, 0));
  GA_CHECK(gg__matrices_new(&out[LEFT], p, LEFT));
  GA_CHECK(gg__matrices_new(&out[RIGHT], p, RIGHT));
  out[VALUES] = (gg__host_matrices){
      .m = 1, .n = x.m < x.n ? x.m : x.n, .batch = x.batch, .parts = 1};
  out[VALUES].v = ga__calloc(ga__times(x.batch, out[VALUES].n), sizeof *w.v);
  w.m = ga__times(x.m < x.n ? x.n : x.m, x.parts);
  w.n = ga__times(out[VALUES].n, x.parts);
  w.x = ga__calloc(ga__times(w.n, w.m), sizeof *w.x);
  w.v = ga__calloc(ga__times(w.n, w.n), sizeof *w.v);
  if (out[VALUES].v == NULL || w.x == NULL || w.v == NULL)
    GA_CHECK(ga__fail_nomem());
  for (size_t z = 0; z < x.batch; z++)
    factor_matrix(&x, &w, out, z);
  for (unsigned int i = 0; i < RESULTS; i++)
    gg__matrices_write(&out[i], p, i);

done:
  for (unsigned int i = 0; i < RESULTS; i++)
    gg__matrices_clear(&out[i]);
  gg__matrices_clear(&x);
  ga__free(w.x);
  ga__free(w.v);
  return err;
}

const gg_op gg__op_svd = {.name = "svd",
                          .kind = GG_OP_KERNEL,
                          .complex_use = GG_PARTS,
                          .n_out = RESULTS,
                          .infer = infer_svd,
                          .shape = shape_svd,
                          .grad = grad_svd,
                          .rop = rop_svd,
                          .prepare = prepare_svd,
                          .reference = reference_svd};

/* The vectors beyond the first ones are any basis, so no reference has them. */
const gg_op gg__op_svd_full = {.name = "svd_full",
                               .kind = GG_OP_KERNEL,
                               .complex_use = GG_PARTS,
                               .n_out = RESULTS,
                               .infer = infer_svd,
                               .shape = shape_svd,
                               .grad = grad_svd,
                               .rop = rop_svd,
                               .prepare = prepare_svd};

/* --- builders --- */

/* Output 0 of a new node, or NULL. */
static gg_var *svd(const gg_op *op, gg_var *a) {
  return gg__as_matrices(op, 1, &a)
             ? gg__apply_checked(op, NULL, 1, &a, gg__check_matrix)
             : NULL;
}

int gg_svd(gg_var **u, gg_var **s, gg_var **vt, gg_var *a, int full) {
  gg_var *const first = svd(full ? &gg__op_svd_full : &gg__op_svd, a);
  gg_var **const out[RESULTS] = {u, s, vt};

  for (unsigned int i = 0; i < RESULTS; i++)
    if (out[i] != NULL)
      *out[i] = first != NULL ? gg_var_owner(first)->out[i] : NULL;
  return first != NULL ? GA_NO_ERROR : GA_VALUE_ERROR;
}

gg_var *gg_svdvals(gg_var *a) {
  gg_var *s = NULL;

  gg_svd(NULL, &s, NULL, a, 0);
  return s;
}

/* --- in texts and files --- */

const gg_op_form gg__forms_svd_nodes[] = {
    GG_FORM(svd, "f", gg__check_matrix),
    GG_FORM(svd_full, "f", gg__check_matrix), GG_FORMS_END};
