/* SPDX-License-Identifier: BSD-2-Clause */
/* What ops of batches of matrices share. */
#include "ops/linalg/matrices.h"

#include <complex.h>
#include <gpugraph/arrange.h>
#include <gpugraph/create.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"

/* --- builders --- */

gg_var *gg__swap_last(gg_var *x) {
  return x != NULL ? gg_swapaxes(x, -1, -2) : NULL;
}

gg_var *gg__adjoint(gg_var *x) {
  return gg_conj(gg__swap_last(x));
}

gg_var *gg__multiply_each(gg_var *a, gg_var *b) {
  return a != NULL ? gg__batched_product(GG_CALLED("matrix product"), a, b,
                                         gg__rank_of(a) - 2, 1)
                   : NULL;
}

gg_var *gg__triangle_of(gg_var *x, int is_upper, int skip) {
  return is_upper ? gg_triu(x, skip) : gg_tril(x, -skip);
}

gg_var *gg__lower_half(gg_var *x) {
  return gg_mul(gg_add(gg_tril(x, 0), gg_tril(x, -1)), gg__num(x, 0.5));
}

gg_var *gg__identity_like(gg_var *x) {
  return x != NULL ? gg_cast(gg_eq(gg_positions(x, -1), gg_positions(x, -2)),
                             gg_var_type(x)->dtype)
                   : NULL;
}

gg_var *gg__with_real_diagonal(gg_var *x) {
  if (x == NULL || !gg__has_complex_dtype(x))
    return x;
  return gg_where(gg_eq(gg_positions(x, -1), gg_positions(x, -2)),
                  gg_cast(gg_real(x), gg_var_type(x)->dtype), x);
}

/* --- parts of matrices --- */

/* Is the size of x along `axis` known to be at most n? */
static int is_within(gg_var *x, int axis, gg_var *n) {
  const gg_type *const t = gg_var_type(x);
  const int64_t size = t->dims[(int)t->nd + axis];
  double most;

  return size != GG_ANY && gg_var_uniform(n, &most) && (double)size <= most;
}

static gg_var *before(gg_var *x, int axis, gg_var *n) {
  return gg_slice_at(x, axis, NULL, n, NULL);
}

static gg_var *from(gg_var *x, int axis, gg_var *n) {
  return gg_slice_at(x, axis, n, NULL, NULL);
}

gg_var *gg__head(gg_var *x, int axis, gg_var *n) {
  if (x == NULL || n == NULL || is_within(x, axis, n))
    return x;
  return before(x, axis, n);
}

gg_var *gg__tail(gg_var *x, int axis, gg_var *n) {
  if (x == NULL || n == NULL || is_within(x, axis, n))
    return NULL;
  return from(x, axis, n);
}

gg__blocks gg__blocks_like(gg_var *x, gg_var *like) {
  gg_var *const m = gg_shape(like, -2), *const n = gg_shape(like, -1);
  const int is_wide = !is_within(like, -1, m);
  const int is_tall = !is_within(like, -2, n);
  gg_var *const top = is_tall ? before(x, -2, n) : x;
  gg_var *const left = is_wide ? before(x, -1, m) : x;

  return (gg__blocks){.square = is_wide ? before(top, -1, m) : top,
                      .right = is_wide ? from(top, -1, m) : NULL,
                      .below = is_tall ? from(left, -2, n) : NULL};
}

static gg_var *joined(int axis, gg_var *a, gg_var *b) {
  return b != NULL ? gg_join(axis, 2, (gg_var *[]){a, b}) : a;
}

/* Where both are there, sizes are unknown: what is right of the lower block, or
 * below the right one, is empty, and has the right sizes. */
gg_var *gg__join_blocks(const gg__blocks *b, gg_var *like) {
  gg_var *bottom = b->below;

  if (b->right != NULL && bottom != NULL)
    bottom = joined(-1, bottom,
                    gg__tail(gg__tail(like, -2, gg_shape(like, -1)), -1,
                             gg_shape(like, -2)));
  return joined(-2, joined(-1, b->square, b->right), bottom);
}

/* Of x = [X Y] the derivative with Y^H dY = 0 is that with dY = -X dX^H Y. */
gg_var *gg__gradient_of_basis(gg_var *x, gg_var *g, gg_var *n) {
  gg_var *const first = gg__head(x, -1, n), *const rest = gg__tail(x, -1, n);

  if (rest == NULL || g == NULL)
    return g;
  gg_var *const inner = gg__multiply_each(gg__adjoint(from(g, -1, n)), first);
  return gg_sub(before(g, -1, n), gg__multiply_each(rest, inner));
}

gg_var *gg__move_of_basis(gg_var *x, gg_var *d, gg_var *n) {
  gg_var *const first = gg__head(x, -1, n), *const rest = gg__tail(x, -1, n);

  if (rest == NULL || d == NULL)
    return d;
  return joined(-1, d,
                gg_neg(gg__multiply_each(
                    first, gg__multiply_each(gg__adjoint(d), rest))));
}

/* --- over gaps --- */

/* 1 where x is 0, and 0 elsewhere. */
static gg_var *is_zero(gg_var *x) {
  return gg_cast(gg_eq(x, gg__num(x, 0)), gg_var_type(x)->dtype);
}

gg_var *gg__over_gaps(gg_var *x, gg_var *gaps) {
  if (x == NULL || gaps == NULL)
    return NULL;
  gg_var *const outside = gg_sub(gg__num(x, 1), gg__identity_like(x));
  gg_var *const above = gg_mul(x, outside);

  return gg_div(above, gg_add(gaps, gg_mul(is_zero(gaps), is_zero(above))));
}

int gg__is_square(const gg_op *op, gg_var *a) {
  const gg_type *const t = gg_var_type(a);

  if (t->nd < 2)
    return gg__refuse(op, 1, &a, GA_VALUE_ERROR, "expected a matrix") != NULL;
  const int64_t m = t->dims[t->nd - 2], n = t->dims[t->nd - 1];
  if (m == n || m == GG_ANY || n == GG_ANY)
    return 1;
  return gg__refuse(op, 1, &a, GA_VALUE_ERROR, "%lld x %lld is not square",
                    (long long)m, (long long)n) != NULL;
}

gg_var *gg__largest(gg_var *x, int keepdims) {
  const int64_t none[GG_MAX_ND] = {0};
  int64_t after[GG_MAX_ND] = {0};
  const int last = -1;

  if (x == NULL)
    return NULL;
  after[gg__rank_of(x) - 1] = 1;
  return gg_reduce(GG_MAX, gg_pad(x, none, after, GG_PAD_CONSTANT, NULL), 1,
                   &last, keepdims);
}

gg_var *gg__in_work_type(gg_var *a) {
  return gg_cast(a, ga__dtype_work(gg_var_type(a)->dtype));
}

gg_var *gg__rank_limit(gg_var *a) {
  const int dtype = gg_var_type(a)->dtype;
  const int work = ga__dtype_work(ga__dtype_real(dtype));
  gg_var *const n = gg__number_most(gg_shape(a, -2), gg_shape(a, -1));

  return n != NULL ? gg_mul(gg_scalar(gg_var_graph(a), work,
                                      ga__dtype_epsilon(dtype)),
                            gg_cast(n, work))
                   : NULL;
}

int gg__has_complex_dtype(const gg_var *x) {
  return ga__dtype_is_complex(gg_var_type(x)->dtype);
}

int gg__as_matrices(const gg_op *op, unsigned int n, gg_var **x) {
  if (!gg__given(op, n, x))
    return 0;
  const int dtype = gg__float_dtype(gg__common_dtype_of(n, x));
  for (unsigned int i = 0; i < n; i++) {
    x[i] = gg_cast(x[i], dtype);
    if (x[i] == NULL)
      return 0;
  }
  return 1;
}

/* --- types --- */

static int fail_square(const gg_apply *a, int64_t m, int64_t n) {
  return gg_op_fail(a, GA_VALUE_ERROR, "%lld x %lld is not square",
                    (long long)m, (long long)n);
}

int gg__check_matrix(const gg_apply *a) {
  if (gg__rank(a, 0) < 2)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected a matrix");
  return GA_NO_ERROR;
}

int64_t gg__least_size(int64_t m, int64_t n) {
  return m == GG_ANY || n == GG_ANY ? GG_ANY : m < n ? m : n;
}

int gg__check_square(const gg_apply *a, unsigned int i) {
  const gg_type *x = gg_var_type(a->in[i]);

  if (x->nd < 2)
    return gg_op_fail(a, GA_VALUE_ERROR, "operand %u: expected a matrix", i);
  const int64_t m = x->dims[x->nd - 2], n = x->dims[x->nd - 1];
  return m == n || m == GG_ANY || n == GG_ANY ? GA_NO_ERROR
                                              : fail_square(a, m, n);
}

int gg__check_square_dims(const gg_apply *a, const gg_dims *x) {
  const size_t m = x->dim[x->nd - 2], n = x->dim[x->nd - 1];

  return m == n ? GA_NO_ERROR : fail_square(a, (int64_t)m, (int64_t)n);
}

void gg__infer_eigen(const gg_apply *a, int values_dtype, int vectors_dtype,
                     gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]);
  const int64_t m = x->dims[x->nd - 2], n = x->dims[x->nd - 1];
  const int64_t size = m == GG_ANY ? n : m;

  out[0] = out[1] = *x;
  out[0].nd--;
  out[0].dtype = values_dtype;
  out[0].dims[x->nd - 2] = size;
  out[0].dims[x->nd - 1] = 0;
  out[1].dtype = vectors_dtype;
  out[1].dims[x->nd - 2] = out[1].dims[x->nd - 1] = size;
}

int gg__shape_eigen(const gg_apply *a, const gg_dims *in,
                    const double *const *host, gg_dims *out) {
  (void)host;
  GA_TRY(gg__check_square_dims(a, &in[0]));
  out[0] = out[1] = in[0];
  out[0].nd--;
  return GA_NO_ERROR;
}

static int fail_batch(const gg_apply *a, unsigned int d, int64_t m, int64_t n) {
  return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: %lld and %lld differ", d,
                    (long long)m, (long long)n);
}

int gg__check_batches(const gg_apply *a, unsigned int i, unsigned int k) {
  const gg_type *x = gg_var_type(a->in[i]), *y = gg_var_type(a->in[k]);

  GA_TRY(gg__check_ranks(a, i, k));
  for (unsigned int d = 0; d + 2 < x->nd; d++)
    if (x->dims[d] != y->dims[d] && x->dims[d] != GG_ANY &&
        y->dims[d] != GG_ANY)
      return fail_batch(a, d, x->dims[d], y->dims[d]);
  return GA_NO_ERROR;
}

int gg__check_batch_dims(const gg_apply *a, const gg_dims *x,
                         const gg_dims *y) {
  for (unsigned int d = 0; d + 2 < x->nd; d++)
    if (x->dim[d] != y->dim[d])
      return fail_batch(a, d, (int64_t)x->dim[d], (int64_t)y->dim[d]);
  return GA_NO_ERROR;
}

/* --- on the host --- */

static size_t set_sizes(gg__host_matrices *x, const GpuArray *a) {
  x->parts = ga__dtype_is_complex(a->typecode) ? 2 : 1;
  x->m = a->dimensions[a->nd - 2];
  x->n = a->dimensions[a->nd - 1];
  x->batch = 1;
  for (unsigned int d = 0; d + 2 < a->nd; d++)
    x->batch *= a->dimensions[d];
  return x->batch * x->m * x->n * x->parts;
}

int gg__matrices_read(gg__host_matrices *x, const gg_prepare *p,
                      unsigned int i) {
  const int dtype = ga__dtype_real(p->in[i]->typecode);
  const size_t n = set_sizes(x, p->in[i]), size = ga__dtype_size(dtype);

  x->v = ga__calloc(n, sizeof *x->v);
  if (x->v == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < n; k++)
    x->v[k] = ga__dtype_to_double(dtype, (const char *)p->from[i] + k * size);
  return GA_NO_ERROR;
}

int gg__matrices_new(gg__host_matrices *x, const gg_prepare *p,
                     unsigned int i) {
  x->v = ga__calloc(set_sizes(x, p->out[i]), sizeof *x->v);
  return x->v != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

void gg__matrices_write(const gg__host_matrices *x, const gg_prepare *p,
                        unsigned int i) {
  const int dtype = ga__dtype_real(p->out[i]->typecode);
  const size_t size = ga__dtype_size(dtype);
  const size_t n = x->batch * x->m * x->n * (x->parts == 2 ? 2 : 1);

  for (size_t k = 0; k < n; k++)
    ga__dtype_from_double(dtype, (char *)p->to[i] + k * size, x->v[k]);
}

void gg__matrices_clear(gg__host_matrices *x) {
  ga__free(x->v);
}

double gg__vector_sign(const double *x, size_t n, size_t step) {
  double most = 0;

  for (size_t i = 0; i < n; i++)
    most = fabs(x[i * step]) > most ? fabs(x[i * step]) : most;
  for (size_t i = 0; i < n; i++)
    if (fabs(x[i * step]) >= 0.71875 * most)
      return x[i * step] < 0 ? -1 : 1;
  return 1;
}

gg__complex gg__pair_of(double re, double im) {
  const double parts[2] = {re, im};
  gg__complex z;

  memcpy(&z, parts, sizeof z);
  return z;
}

gg__complex gg__vector_phase(const double *re, const double *im, size_t n,
                             size_t step) {
  double most = 0;

  for (size_t i = 0; i < n * step; i += step)
    most = hypot(re[i], im[i]) > most ? hypot(re[i], im[i]) : most;
  for (size_t i = 0; i < n * step && most > 0; i += step) {
    const double size = hypot(re[i], im[i]);

    if (size >= 0.71875 * most)
      return gg__pair_of(re[i] / size, -im[i] / size);
  }
  return 1;
}

void gg__embed(double *to, const gg__complex *a, size_t m, size_t n) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      const gg__complex v = a[i * n + j];

      to[i * 2 * n + j] = to[(m + i) * 2 * n + n + j] = creal(v);
      to[(m + i) * 2 * n + j] = cimag(v);
      to[i * 2 * n + n + j] = -cimag(v);
    }
}

void gg__host_subtract(double *x, const double *a, const double *b,
                       size_t parts, int conj) {
  const double im = parts == 2 ? (conj ? -b[1] : b[1]) : 0;

  x[0] -= a[0] * b[0];
  if (parts == 2) {
    x[0] += a[1] * im;
    x[1] -= a[0] * im + a[1] * b[0];
  }
}

void gg__host_divide(double *x, const double *d, size_t parts, int conj) {
  const double re = d[0], im = parts == 2 ? (conj ? -d[1] : d[1]) : 0;
  const double was[2] = {x[0], parts == 2 ? x[1] : 0};

  if (parts == 1) {
    x[0] /= re;
  } else if (re == 0 && im == 0) {
    x[0] /= fabs(re);
    x[1] /= fabs(re);
  } else if (fabs(re) >= fabs(im)) {
    const double q = im / re, size = re + im * q;
    x[0] = (was[0] + was[1] * q) / size;
    x[1] = (was[1] - was[0] * q) / size;
  } else {
    const double q = re / im, size = re * q + im;
    x[0] = (was[0] * q + was[1]) / size;
    x[1] = (was[1] * q - was[0]) / size;
  }
}
