/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of products in Einstein's notation. Factors are multiplied two at a
 * time, in the order of einsum_order.h. Before that, axes of size 1 are
 * dropped, which the result gets back, and indices that only one factor has are
 * summed. */
#include "ops/compose.h"
#include "ops/linalg/einsum_order.h"

typedef struct factor {
  gg_var *v;
  gg__term axes; /* no index twice */
} factor;

typedef struct einsum {
  const gg_op *op; /* its name in messages */
  unsigned int n_in;
  gg_var *const *in;
  gg__equation eq;
  int dtype;
  int64_t size[GG_INDICES]; /* GG_ANY: unknown; 1: no axis is larger */
  unsigned int n;           /* factors that are left */
  factor f[GG_MAX_FACTORS];
} einsum;

/* --- sizes --- */

/* Record the size of an axis with this index. Returns 0 and records an error if
 * the index has another size. */
static int take_size(einsum *e, unsigned int index, int64_t size) {
  int64_t *const known = &e->size[index];
  char letter[4];

  if (size == 1 || size == *known)
    return 1;
  if (*known != 1 && *known != GG_ANY && size != GG_ANY)
    return gg__refuse(e->op, e->n_in, e->in, GA_VALUE_ERROR,
                      "index %s: sizes %lld and %lld differ",
                      gg__index_letter(index, letter), (long long)*known,
                      (long long)size) != NULL;
  if (size != GG_ANY || *known == 1)
    *known = size;
  return 1;
}

static int take_sizes(einsum *e) {
  for (unsigned int i = 0; i < GG_INDICES; i++)
    e->size[i] = 1;
  for (unsigned int i = 0; i < e->n_in; i++)
    for (unsigned int k = 0; k < e->eq.in[i].n; k++)
      if (!take_size(e, e->eq.in[i].index[k], gg_var_type(e->in[i])->dims[k]))
        return 0;
  return 1;
}

/* --- one factor --- */

static void drop_axis(gg__term *t, unsigned int axis) {
  t->n--;
  for (unsigned int i = axis; i < t->n; i++)
    t->index[i] = t->index[i + 1];
}

/* Drop the axes that are known to have size 1. */
static void drop_ones(factor *f) {
  const gg__term t = f->axes;
  int pattern[GG_MAX_ND];

  f->axes.n = 0;
  for (unsigned int i = 0; i < t.n; i++)
    if (gg_var_type(f->v)->dims[i] != 1) {
      pattern[f->axes.n] = (int)i;
      f->axes.index[f->axes.n++] = t.index[i];
    }
  f->v = gg_dimshuffle(f->v, f->axes.n, pattern);
}

/* Replace two axes that have the same index by their diagonal, which becomes
 * the last axis. Returns 0 if there are none, or on failure. */
static int take_pair(factor *f) {
  for (unsigned int a = 0; a < f->axes.n; a++)
    for (unsigned int b = a + 1; b < f->axes.n; b++) {
      const unsigned char index = f->axes.index[a];

      if (f->axes.index[b] != index)
        continue;
      f->v = gg__square_diagonal(f->v, a, b);
      drop_axis(&f->axes, b);
      drop_axis(&f->axes, a);
      f->axes.index[f->axes.n++] = index;
      return f->v != NULL;
    }
  return 0;
}

/* The sum of v over axes, in the dtype of the result: sums of integers wrap
 * around, and a sum of bools is whether any is true. */
static gg_var *sum_over(const einsum *e, gg_var *v, unsigned int n,
                        const int *axes) {
  if (n == 0 || v == NULL)
    return v;
  return gg_cast(
      gg_reduce(e->dtype == GA_BOOL ? GG_ANY_OF : GG_SUM, v, n, axes, 0),
      e->dtype);
}

/* Sum over the indices that are not in `keep`. */
static void sum_out(const einsum *e, factor *f, gg__indices keep) {
  const gg__term t = f->axes;
  int axes[GG_MAX_ND];
  unsigned int n = 0;

  f->axes.n = 0;
  for (unsigned int i = 0; i < t.n; i++) {
    if (gg__has_index(keep, t.index[i]))
      f->axes.index[f->axes.n++] = t.index[i];
    else
      axes[n++] = (int)i;
  }
  f->v = sum_over(e, f->v, n, axes);
}

/* --- two factors --- */

static void append(gg__term *t, unsigned int index) {
  t->index[t->n++] = (unsigned char)index;
}

/* Append the indices of t that are in `which`: first those of the result in its
 * order, then the others. */
static void append_sorted(const einsum *e, const gg__term *t, gg__indices which,
                          gg__term *to) {
  const gg__indices out = gg__indices_of(&e->eq.out);

  which &= gg__indices_of(t);
  for (unsigned int i = 0; i < e->eq.out.n; i++)
    if (gg__has_index(which, e->eq.out.index[i]))
      append(to, e->eq.out.index[i]);
  for (unsigned int i = 0; i < t->n; i++)
    if (gg__has_index(which & ~out, t->index[i]))
      append(to, t->index[i]);
}

/* f with the axes of t, which has all indices of f. Axes that f does not have
 * get size 1. */
static gg_var *with_axes(const factor *f, const gg__term *t) {
  int pattern[GG_MAX_ND];

  for (unsigned int i = 0; i < t->n; i++) {
    pattern[i] = -1;
    for (unsigned int k = 0; k < f->axes.n; k++)
      if (f->axes.index[k] == t->index[i])
        pattern[i] = (int)k;
  }
  return gg_dimshuffle(f->v, t->n, pattern);
}

/* The indices of a product of two: those of both that are kept, those of each
 * alone, and those that are summed. */
typedef struct kinds {
  gg__term batch, own[2], sum;
} kinds;

static void join(gg__term *to, const gg__term *t) {
  for (unsigned int i = 0; i < t->n; i++)
    append(to, t->index[i]);
}

/* The product by a map and a reduction, which read both in any order of axes.
 */
static gg_var *multiply_and_sum(const einsum *e, const factor *a,
                                const factor *b, const kinds *k) {
  gg__term all = {0};
  int axes[GG_MAX_ND];

  join(&all, &k->batch);
  join(&all, &k->own[0]);
  join(&all, &k->own[1]);
  for (unsigned int i = 0; i < k->sum.n; i++)
    axes[i] = (int)(all.n + i);
  join(&all, &k->sum);
  gg_var *const x = with_axes(a, &all), *const y = with_axes(b, &all);
  return sum_over(e, e->dtype == GA_BOOL ? gg_and(x, y) : gg_mul(x, y),
                  k->sum.n, axes);
}

/* The product as one of matrices, with a batch if need be. */
static gg_var *contract(const einsum *e, const factor *a, const factor *b,
                        const kinds *k) {
  gg__term x = k->batch, y = k->batch;

  join(&x, &k->own[0]);
  join(&x, &k->sum);
  join(&y, &k->sum);
  join(&y, &k->own[1]);
  return gg__batched_product(e->op, with_axes(a, &x), with_axes(b, &y),
                             k->batch.n, k->sum.n);
}

/* Of the axes that only one factor has: is the first in the result one of b? */
static int comes_second(const einsum *e, const factor *a, const factor *b) {
  const gg__indices of_a = gg__indices_of(&a->axes),
                    of_b = gg__indices_of(&b->axes);

  for (unsigned int i = 0; i < e->eq.out.n; i++) {
    const unsigned int index = e->eq.out.index[i];
    if (gg__has_index(of_a ^ of_b, index))
      return gg__has_index(of_b, index);
  }
  return 0;
}

/* The product of a and b, with the indices in `keep`. Its value is NULL on
 * failure. */
static factor multiply_ordered(const einsum *e, const factor *a,
                               const factor *b, gg__indices keep) {
  const gg__indices of_a = gg__indices_of(&a->axes),
                    of_b = gg__indices_of(&b->axes);
  kinds k = {0};
  factor f = {0};

  append_sorted(e, &a->axes, of_b & keep, &k.batch);
  append_sorted(e, &a->axes, ~of_b, &k.own[0]);
  append_sorted(e, &b->axes, ~of_a, &k.own[1]);
  append_sorted(e, &a->axes, of_b & ~keep, &k.sum);
  const unsigned int n_own = k.own[0].n + k.own[1].n;
  const int is_product =
      gg__float_dtype(e->dtype) == e->dtype && k.sum.n > 0 && n_own > 0;
  const unsigned int nd = k.batch.n + n_own + (is_product ? 0 : k.sum.n);
  if (nd > GG_MAX_ND) {
    gg__refuse(e->op, e->n_in, e->in, GA_UNSUPPORTED_ERROR,
               "a product on the way has %u axes, more than %d", nd, GG_MAX_ND);
    return f;
  }
  join(&f.axes, &k.batch);
  join(&f.axes, &k.own[0]);
  join(&f.axes, &k.own[1]);
  f.v = is_product ? contract(e, a, b, &k) : multiply_and_sum(e, a, b, &k);
  return f;
}

static factor multiply(const einsum *e, const factor *a, const factor *b,
                       gg__indices keep) {
  return comes_second(e, a, b) ? multiply_ordered(e, b, a, keep)
                               : multiply_ordered(e, a, b, keep);
}

/* --- all factors --- */

/* The indices of the result and of the factors that are not in `subset`. Bit i
 * of the subset is factor i. */
static gg__indices needed(const einsum *e, uint64_t subset) {
  gg__indices all = gg__indices_of(&e->eq.out);

  for (unsigned int i = 0; i < e->n; i++)
    if (!(subset >> i & 1u))
      all |= gg__indices_of(&e->f[i].axes);
  return all;
}

static void list_indices(const einsum *e, gg__indices *out) {
  for (unsigned int i = 0; i < e->n; i++)
    out[i] = gg__indices_of(&e->f[i].axes);
}

/* Replace two factors by their product. */
static int multiply_pair(einsum *e) {
  gg__indices all[GG_MAX_FACTORS];
  unsigned int pair[2];

  list_indices(e, all);
  gg__order_greedy(pair, e->n, all, gg__indices_of(&e->eq.out), e->size);
  e->f[pair[0]] =
      multiply(e, &e->f[pair[0]], &e->f[pair[1]],
               needed(e, (uint64_t)1 << pair[0] | (uint64_t)1 << pair[1]));
  const int is_made = e->f[pair[0]].v != NULL;
  e->f[pair[1]] = e->f[--e->n];
  return is_made;
}

static factor multiply_subset(const einsum *e, const gg__order_of_factors *o,
                              unsigned int subset) {
  if ((subset & (subset - 1)) == 0) {
    for (unsigned int i = 0; i < e->n; i++)
      if (subset >> i & 1u)
        return e->f[i];
  }
  const unsigned int part = o->split[subset];
  const factor a = multiply_subset(e, o, part),
               b = multiply_subset(e, o, subset ^ part);
  return a.v != NULL && b.v != NULL ? multiply(e, &a, &b, needed(e, subset))
                                    : (factor){0};
}

static factor multiply_all(einsum *e) {
  gg__indices all[GG_MAX_FACTORS];
  gg__order_of_factors order;

  while (e->n > GG_MAX_OPTIMAL)
    if (!multiply_pair(e))
      return (factor){0};
  list_indices(e, all);
  gg__order_optimal(&order, e->n, all, gg__indices_of(&e->eq.out), e->size);
  return multiply_subset(e, &order, (1u << e->n) - 1);
}

static int make_factors(einsum *e) {
  e->n = e->n_in;
  for (unsigned int i = 0; i < e->n; i++) {
    e->f[i] = (factor){gg_cast(e->in[i], e->dtype), e->eq.in[i]};
    if (e->f[i].v == NULL)
      return 0;
    drop_ones(&e->f[i]);
    while (e->f[i].v != NULL && take_pair(&e->f[i]))
      ;
  }
  for (unsigned int i = 0; i < e->n; i++) {
    sum_out(e, &e->f[i], needed(e, (uint64_t)1 << i));
    if (e->f[i].v == NULL)
      return 0;
  }
  return 1;
}

static gg_var *contract_all(einsum *e) {
  if (!make_factors(e))
    return NULL;
  const factor f = multiply_all(e);
  return f.v != NULL ? with_axes(&f, &e->eq.out) : NULL;
}

gg_var *gg_einsum(const char *equation, unsigned int n, gg_var *const *x) {
  static const gg_op op = {.name = "einsum"};
  einsum e = {.op = &op, .n_in = n, .in = x};

  if (x == NULL || n == 0) {
    ga__fail(GA_VALUE_ERROR, "einsum: no operands");
    return NULL;
  }
  if (equation == NULL)
    return gg__refuse(e.op, 1, x, GA_VALUE_ERROR, "the equation is NULL");
  if (n > GG_MAX_FACTORS)
    return gg__refuse(e.op, 1, x, GA_VALUE_ERROR,
                      "%u operands are more than %d", n, GG_MAX_FACTORS);
  if (!gg__given(e.op, n, x) ||
      !gg__equation_read(&e.eq, e.op, equation, n, x) || !take_sizes(&e))
    return NULL;
  e.dtype = gg__common_dtype_of(n, x);
  const gg_parts *outer = gg_parts_begin(gg_var_graph(x[0]), &op, n, x,
                                         "axes of one letter have one size");
  return gg_parts_end(gg_var_graph(x[0]), outer, contract_all(&e));
}
