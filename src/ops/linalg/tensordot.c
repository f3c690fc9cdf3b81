/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of any rank, computed as products of vectors, matrices, or batches
 * of these: axes are permuted so that those of one kind lie side by side, and
 * then each kind is reshaped to one axis. */
#include "ops/compose.h"

/* One of the two operands. Its axes are the batch axes, if there are any, the
 * axes that are summed, in the order of their pairs, and the others, which are
 * kept. */
typedef struct factor {
  gg_var *v;
  unsigned int sum[GG_MAX_ND];
  unsigned int n_kept, kept[GG_MAX_ND];
} factor;

typedef struct product {
  const gg_op *op; /* its name in messages */
  factor f[2];
  unsigned int batch; /* how many first axes of both are the batch */
  unsigned int n;     /* pairs of axes that are summed */
} product;

static int64_t size_of(const gg_var *v, unsigned int axis) {
  return gg_var_type(v)->dims[axis];
}

/* Record an error with the value i. Returns 0. */
static int refuse(const product *p, const char *fmt, unsigned int i) {
  gg_var *const in[2] = {p->f[0].v, p->f[1].v};

  gg__refuse(p->op, 2, in, GA_VALUE_ERROR, fmt, i);
  return 0;
}

/* --- axes --- */

static int has_axis(const factor *f, unsigned int n, unsigned int axis) {
  for (unsigned int i = 0; i < n; i++)
    if (f->sum[i] == axis)
      return 1;
  return 0;
}

/* The axis of pair i. By default pairs are the last axes of the first factor
 * and the first axes, after the batch, of the second. */
static int find_axis(const product *p, unsigned int which, const int *axes,
                     unsigned int i, unsigned int *out) {
  gg_var *const v = p->f[which].v;

  *out = which == 0 ? gg__rank_of(v) - p->n + i : p->batch + i;
  return axes != NULL ? gg__axis(v, p->op, axes[i], out) : GA_NO_ERROR;
}

/* Set the axes of a factor. Returns 0 and records an error if they are
 * invalid. */
static int take_axes(product *p, unsigned int which, const int *axes) {
  factor *f = &p->f[which];
  unsigned int k = 0;

  if (p->n > GG_MAX_ND || p->n + p->batch > gg__rank_of(f->v))
    return refuse(p, "operand %u has too few axes", which);
  for (unsigned int i = 0; i < p->n; i++) {
    if (find_axis(p, which, axes, i, &k) != GA_NO_ERROR)
      return 0;
    if (k < p->batch)
      return refuse(p, "axis %u is the batch axis", k);
    if (has_axis(f, i, k))
      return refuse(p, "axis %u is summed twice", k);
    f->sum[i] = k;
  }
  for (k = p->batch; k < gg__rank_of(f->v); k++)
    if (!has_axis(f, p->n, k))
      f->kept[f->n_kept++] = k;
  return 1;
}

static int fits(const product *p) {
  return p->batch + p->f[0].n_kept + p->f[1].n_kept <= GG_MAX_ND ||
         refuse(p, "the result has more than %u axes", GG_MAX_ND);
}

/* --- sizes of pairs --- */

/* Axis i among the batch axes and the summed axes. */
static unsigned int paired(const product *p, unsigned int which,
                           unsigned int i) {
  return i < p->batch ? i : p->f[which].sum[i - p->batch];
}

/* Can the sizes of pair i be equal? Returns 0 and records an error if not. */
static int may_agree(const product *p, unsigned int i) {
  const unsigned int x = paired(p, 0, i), y = paired(p, 1, i);
  const int64_t m = size_of(p->f[0].v, x), n = size_of(p->f[1].v, y);

  if (m == n || m == GG_ANY || n == GG_ANY)
    return 1;
  gg__refuse(p->op, 2, (gg_var *[]){p->f[0].v, p->f[1].v}, GA_VALUE_ERROR,
             "axes %u and %u: sizes %lld and %lld differ", x, y, (long long)m,
             (long long)n);
  return 0;
}

/* Sizes that one factor knows are specified in the other. Returns 0 on
 * error. */
static int unite_known(product *p) {
  int64_t dims[2][GG_MAX_ND];

  for (unsigned int i = 0; i < GG_MAX_ND; i++)
    dims[0][i] = dims[1][i] = GG_ANY;
  for (unsigned int i = 0; i < p->batch + p->n; i++) {
    if (!may_agree(p, i))
      return 0;
    for (unsigned int k = 0; k < 2; k++)
      dims[k][paired(p, k, i)] = size_of(p->f[!k].v, paired(p, !k, i));
  }
  for (unsigned int k = 0; k < 2; k++)
    p->f[k].v = gg_specify_shape(p->f[k].v, dims[k]);
  return p->f[0].v != NULL && p->f[1].v != NULL;
}

/* If several axes become one, equal products of sizes do not mean equal sizes.
 * So calls check the sizes that are unknown here. Returns 0 on error. */
static int unite_open(product *p) {
  gg_var *const x = p->f[0].v, *const y = p->f[1].v;
  gg_var *sizes[GG_MAX_ND];
  unsigned int open = 0;

  for (unsigned int i = 0; i < gg__rank_of(y); i++)
    sizes[i] = gg_i64(gg_var_graph(y), GG_ANY);
  for (unsigned int i = 0; i < p->batch + p->n; i++) {
    const unsigned int at = paired(p, 1, i);
    if (size_of(y, at) != GG_ANY)
      continue;
    sizes[at] = gg_shape(x, (int)paired(p, 0, i));
    open++;
  }
  if ((p->n > 1 || p->batch > 1) && open > 0)
    p->f[1].v = gg_specify_sizes(y, sizes);
  return p->f[1].v != NULL;
}

/* --- several axes as one, and back --- */

/* A shape for a reshape: the size of axis i is the product of the sizes of
 * of[i] along its n[i] axes axes[i]. */
typedef struct sizes {
  unsigned int nd;
  int64_t dims[GG_MAX_ND]; /* GG_ANY: unknown */
  gg_var *of[GG_MAX_ND];
  unsigned int n[GG_MAX_ND];
  const unsigned int *axes[GG_MAX_ND];
} sizes;

static const unsigned int batch_axes[GG_MAX_ND] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Add an axis that joins n axes of v; none if n is 0. */
static void add_axis(sizes *s, gg_var *v, unsigned int n,
                     const unsigned int *axes) {
  int64_t size = 1;

  if (n == 0)
    return;
  for (unsigned int i = 0; i < n; i++) {
    int64_t next = size_of(v, axes[i]);
    size = size == GG_ANY || next == GG_ANY ? GG_ANY : size * next;
  }
  s->dims[s->nd] = size;
  s->of[s->nd] = v;
  s->n[s->nd] = n;
  s->axes[s->nd++] = axes;
}

/* Size i as a scalar of the graph. */
static gg_var *size_var(const sizes *s, unsigned int i) {
  gg_var *v = gg_shape(s->of[i], (int)s->axes[i][0]);

  for (unsigned int k = 1; k < s->n[i]; k++)
    v = gg_mul(v, gg_shape(s->of[i], (int)s->axes[i][k]));
  return v;
}

/* gg_reshape can have one unknown size, unless another is 0. It is preferred to
 * gg_reshape_sizes because rules rewrite it. */
static gg_var *reshape(gg_var *v, const sizes *s) {
  gg_var *vars[GG_MAX_ND];
  unsigned int open = 0, zero = 0;

  if (v == NULL || gg__rank_of(v) == s->nd)
    return v;
  for (unsigned int i = 0; i < s->nd; i++) {
    open += s->dims[i] == GG_ANY;
    zero += s->dims[i] == 0;
  }
  if (open == 0 || (open == 1 && zero == 0))
    return gg_reshape(v, s->nd, s->dims);
  for (unsigned int i = 0; i < s->nd; i++)
    vars[i] = size_var(s, i);
  return gg_reshape_sizes(v, s->nd, vars);
}

/* The factor with axes batch, kept, sum for the first one and batch, sum, kept
 * for the second: a vector, a matrix, or a batch of these. */
static gg_var *as_matrix(const product *p, unsigned int which) {
  const factor *f = &p->f[which];
  const unsigned int *const axes[3] = {batch_axes, which ? f->sum : f->kept,
                                       which ? f->kept : f->sum};
  const unsigned int count[3] = {p->batch, which ? p->n : f->n_kept,
                                 which ? f->n_kept : p->n};
  sizes s = {.nd = 0};
  int pattern[GG_MAX_ND] = {0};
  unsigned int n = 0;

  for (unsigned int k = 0; k < 3; k++) {
    add_axis(&s, f->v, count[k], axes[k]);
    for (unsigned int i = 0; i < count[k]; i++)
      pattern[n++] = (int)axes[k][i];
  }
  return reshape(gg_dimshuffle(f->v, n, pattern), &s);
}

/* The product z, reshaped to all axes that are kept. */
static gg_var *with_axes(const product *p, gg_var *z) {
  sizes s = {.nd = 0};

  for (unsigned int i = 0; i < p->batch; i++)
    add_axis(&s, p->f[0].v, 1, &batch_axes[i]);
  for (unsigned int k = 0; k < 2; k++)
    for (unsigned int i = 0; i < p->f[k].n_kept; i++)
      add_axis(&s, p->f[k].v, 1, &p->f[k].kept[i]);
  return reshape(z, &s);
}

/* --- products --- */

/* The outer product: no axes are summed. */
static gg_var *multiply_all(const product *p) {
  const unsigned int n = p->f[0].n_kept, m = p->f[1].n_kept;
  int pattern[2][GG_MAX_ND];

  for (unsigned int i = 0; i < p->batch + n + m; i++) {
    pattern[0][i] = i < p->batch + n ? (int)i : -1;
    pattern[1][i] = i < p->batch       ? (int)i
                    : i < p->batch + n ? -1
                                       : (int)(i - n);
  }
  return gg_mul(gg_dimshuffle(p->f[0].v, p->batch + n + m, pattern[0]),
                gg_dimshuffle(p->f[1].v, p->batch + n + m, pattern[1]));
}

static gg_var *multiply(product *p, const int *a_axes, const int *b_axes) {
  if (!take_axes(p, 0, a_axes) || !take_axes(p, 1, b_axes))
    return NULL;
  if (!fits(p) || !unite_known(p) || !unite_open(p))
    return NULL;
  if (p->n == 0)
    return multiply_all(p);
  gg_var *x = as_matrix(p, 0);
  gg_var *y = as_matrix(p, 1);
  return with_axes(p, p->batch ? gg_batched_dot(x, y) : gg_dot(x, y));
}

gg_var *gg_tensordot(gg_var *a, gg_var *b, unsigned int n, const int *a_axes,
                     const int *b_axes) {
  static const gg_op name = {.name = "tensordot"};
  product p = {&name, {{.v = a}, {.v = b}}, 0, n};

  if (!gg__given(&name, 2, (gg_var *[]){a, b}))
    return NULL;
  return multiply(&p, a_axes, b_axes);
}

gg_var *gg_batched_tensordot(gg_var *a, gg_var *b, unsigned int n,
                             const int *a_axes, const int *b_axes) {
  static const gg_op name = {.name = "batched_tensordot"};
  product p = {&name, {{.v = a}, {.v = b}}, 1, n};

  if (!gg__given(&name, 2, (gg_var *[]){a, b}))
    return NULL;
  return multiply(&p, a_axes, b_axes);
}

gg_var *gg__batched_product(const gg_op *op, gg_var *a, gg_var *b,
                            unsigned int batch, unsigned int n) {
  product p = {op, {{.v = a}, {.v = b}}, batch, n};

  return a != NULL && b != NULL ? multiply(&p, NULL, NULL) : NULL;
}
