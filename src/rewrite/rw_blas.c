/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers around products of matrices become their alpha and beta. Batched
 * products are treated like others; their operands have three axes. */
#include "rewrite/rw_match.h"

#define MAX_OPEN 16     /* terms that wait to be examined */
#define MAX_PRODUCTS 16 /* in a sum */

/* Is it a product with an alpha? The dot of two vectors has none. */
static int is_dot(const gg_apply *a) {
  return (a->op == &gg__op_dot && a->out[0]->type.nd != 0) ||
         a->op == &gg__op_batched_dot;
}

/* The node of v if v is such a product with no other use, else NULL. */
static gg_apply *find_dot(const gg_rewriting *rw, const gg_var *v) {
  gg_apply *a = v->owner;

  return a != NULL && is_dot(a) && gg_rule_uses(rw, v) == 1 ? a : NULL;
}

static double alpha_of(const gg_apply *a) {
  return ((const gg__dot_props *)a->props)->alpha;
}

static gg_var *dot(double alpha, gg_var *x, gg_var *y) {
  const gg__dot_props p = {alpha};
  gg_var *const in[2] = {x, y};
  const int is_batch = x != NULL && x->type.nd == 3;

  return gg_op_apply(NULL, is_batch ? &gg__op_batched_dot : &gg__op_dot, &p, 2,
                     in);
}

/* --- numbers into alpha --- */

/* -dot(x, y) and c dot(x, y) */
static gg_var *number_around_dot(const gg_rewriting *rw, gg_apply *a) {
  gg_apply *d = find_dot(rw, a->in[a->n_in - 1]);
  double c = -1;

  if (d == NULL || (a->op == &gg__op_mul && !gg__number(a->in[0], &c)))
    return NULL;
  return dot(c * alpha_of(d), d->in[0], d->in[1]);
}

/* x if v is *c x, where the number or sign has no other use; else NULL. */
static gg_var *unscaled(const gg_rewriting *rw, gg_var *v, double *c) {
  gg_apply *a = gg__node(v, &gg__op_neg);

  if (gg_rule_uses(rw, v) != 1)
    return NULL;
  *c = -1;
  if (a != NULL)
    return a->in[0];
  a = gg__node(v, &gg__op_mul);
  return a != NULL && gg__number(a->in[0], c) ? a->in[1] : NULL;
}

/* dot(c x, y) and dot(x, c y) */
static gg_var *number_in_dot(const gg_rewriting *rw, gg_apply *a) {
  gg_var *in[2] = {a->in[0], a->in[1]}, *x;
  double c;

  if (!is_dot(a))
    return NULL;
  for (unsigned int i = 0; i < 2; i++) {
    x = unscaled(rw, in[i], &c);
    if (x == NULL)
      continue;
    in[i] = x;
    return dot(c * alpha_of(a), in[0], in[1]);
  }
  return NULL;
}

/* The transpose of a product is the product of the transposes, which kernels
 * read without a copy. Then it may be added to another product. The same goes
 * for batches. */
static gg_var *transpose_of_dot(const gg_rewriting *rw, gg_apply *a) {
  const gg__dimshuffle_props *p = a->props;
  gg_apply *d = find_dot(rw, a->in[0]);
  const int is_batch = d != NULL && d->op == &gg__op_batched_dot;

  if (d == NULL || p->nd != 2 + (unsigned int)is_batch ||
      (is_batch && p->pattern[0] != 0) ||
      p->pattern[is_batch] != 1 + is_batch ||
      p->pattern[is_batch + 1] != is_batch)
    return NULL;
  return is_batch
             ? dot(alpha_of(d), gg__transpose_each(d->in[1]),
                   gg__transpose_each(d->in[0]))
             : dot(alpha_of(d), gg_transpose(d->in[1]), gg_transpose(d->in[0]));
}

/* --- batches of vectors --- */

/* Would an elementwise op broadcast neither size to the other one? */
static int is_same_width(int64_t x, int64_t y) {
  return (x == 1) == (y == 1);
}

/* x [b, m, k] . y [b, k, n] where m, n or k is 1. Narrow floats are
 * accumulated in float32, as in a product. */
static gg_var *multiply_vectors(gg_var *x, gg_var *y) {
  if (x == NULL || y == NULL)
    return NULL;
  if (ga__dtype_is_narrow(x->type.dtype))
    return gg_cast(multiply_vectors(gg_cast(x, GA_FLOAT), gg_cast(y, GA_FLOAT)),
                   x->type.dtype);
  if (x->type.dims[2] == 1)
    return gg_mul(x, y);
  if (y->type.dims[2] == 1)
    return gg_reduce(GG_SUM, gg_mul(x, gg__transpose_each(y)), 1, (int[]){2},
                     1);
  return gg_reduce(GG_SUM, gg_mul(gg__transpose_each(x), y), 1, (int[]){1}, 1);
}

/* Each element of a matrix is used once, so a reduction is as fast as a kernel
 * of products, and it fuses with its neighbours. */
static gg_var *batch_of_vectors(gg_apply *a) {
  const int64_t *const x = a->in[0]->type.dims, *const y = a->in[1]->type.dims;
  const double alpha = alpha_of(a);

  if (!is_same_width(x[0], y[0]) || !is_same_width(x[2], y[1]) ||
      (x[1] != 1 && x[2] != 1 && y[2] != 1))
    return NULL;
  gg_var *v = multiply_vectors(a->in[0], a->in[1]);
  return alpha == 1 || v == NULL ? v : gg_mul(gg__num(v, alpha), v);
}

/* --- sums of products --- */

/* alpha x y */
typedef struct product {
  double alpha;
  gg_var *x, *y;
} product;

/* beta c + the sum of the products */
typedef struct combination {
  product p[MAX_PRODUCTS];
  unsigned int n;
  gg_var *c; /* or NULL */
  double beta;
  unsigned int wide; /* axes of the sum */
} combination;

typedef struct open_term {
  gg_var *v;
  double factor;
} open_term;

/* Terms that wait to be examined. */
typedef struct stack {
  open_term t[MAX_OPEN];
  unsigned int n;
} stack;

static int push(stack *s, gg_var *v, double factor) {
  if (s->n == MAX_OPEN)
    return 0;
  s->t[s->n++] = (open_term){v, factor};
  return 1;
}

static int add_product(combination *k, double alpha, gg_var *x, gg_var *y) {
  if (k->n == MAX_PRODUCTS)
    return 0;
  k->p[k->n++] = (product){alpha, x, y};
  return 1;
}

/* Take a term that is neither a sum nor a product. Returns 0 if there is
 * another such term already. Its factors add up in double, the type of beta. */
static int take(combination *k, const open_term *t) {
  if (k->c != NULL && k->c != t->v)
    return 0;
  k->c = t->v;
  k->beta += t->factor;
  return 1;
}

/* Expand one node that has no other use. Products that are broadcast on the way
 * are terms like any other. */
static int expand(combination *k, stack *s, const open_term *t) {
  const gg_apply *a = t->v->owner;
  const gg_op *op = a->op;
  const gg__gemm_props *g = a->props;
  double c;

  if (op == &gg__op_add || op == &gg__op_sub)
    return push(s, a->in[1], op == &gg__op_add ? t->factor : -t->factor) &&
           push(s, a->in[0], t->factor);
  if (op == &gg__op_neg)
    return push(s, a->in[0], -t->factor);
  if (op == &gg__op_mul && gg__number(a->in[0], &c))
    return push(s, a->in[1], c * t->factor);
  if (gg__wide(t->v) != k->wide)
    return take(k, t);
  if (is_dot(a))
    return add_product(k, t->factor * alpha_of(a), a->in[0], a->in[1]);
  if (op == &gg__op_gemm || op == &gg__op_gemv || op == &gg__op_batched_gemm)
    return push(s, a->in[0], t->factor * g->beta) &&
           add_product(k, t->factor * g->alpha, a->in[1], a->in[2]);
  return take(k, t);
}

/* Write v, the output of the node, as a combination, through nodes that have no
 * other use. Returns 0 if it has several terms that are no products. */
static int find_combination(const gg_rewriting *rw, combination *k, gg_var *v) {
  stack s = {.n = 0};

  k->wide = gg__wide(v);
  push(&s, v, 1);
  while (s.n > 0) {
    open_term t = s.t[--s.n];
    if (t.v->owner != NULL && (t.v == v || gg_rule_uses(rw, t.v) == 1)
            ? !expand(k, &s, &t)
            : !take(k, &t))
      return 0;
  }
  return 1;
}

/* beta c + alpha x y as one node; c may be NULL */
static gg_var *add_to(gg_var *c, double beta, const product *p) {
  const gg__gemm_props props = {p->alpha, beta};
  gg_var *in[3] = {c, p->x, p->y};

  if (c == NULL)
    return dot(p->alpha, p->x, p->y);
  if (p->x->type.nd == 3)
    return gg_op_apply(NULL, &gg__op_batched_gemm, &props, 3, in);
  if (p->x->type.nd == 2 && p->y->type.nd == 2)
    return gg_op_apply(NULL, &gg__op_gemm, &props, 3, in);
  if (p->x->type.nd == 1) {
    in[1] = gg_transpose(p->y);
    in[2] = p->x;
  }
  return gg_op_apply(NULL, &gg__op_gemv, &props, 3, in);
}

/* It pays to add products to each other, and to c if c is a shared variable and
 * this is its new value. Otherwise the sum fuses with its neighbours. */
static gg_var *combine(const gg_rewriting *rw, gg_apply *a) {
  combination k = {.c = NULL};

  if (!find_combination(rw, &k, a->out[0]) || k.n == 0)
    return NULL;
  if (k.c != NULL ? !gg_rule_updates(rw, k.c) : k.n < 2)
    return NULL;
  gg_var *v = add_to(k.c, k.beta, &k.p[0]);
  for (unsigned int i = 1; i < k.n && v != NULL; i++)
    v = add_to(v, 1, &k.p[i]);
  return v;
}

const gg_rule gg__rules_blas[] = {
    GG_RULE_COUNTED("number around dot", GG_LATE, number_around_dot,
                    &gg__op_neg, &gg__op_mul),
    GG_RULE_COUNTED("transpose of dot", GG_LATE, transpose_of_dot,
                    &gg__op_dimshuffle),
    GG_RULE_COUNTED("number in dot", GG_LATE, number_in_dot, &gg__op_dot,
                    &gg__op_batched_dot),
    GG_RULE("batch of vectors", GG_LATE, batch_of_vectors, &gg__op_batched_dot),
    GG_RULE_COUNTED("sum of products to gemm", GG_LATE, combine, &gg__op_add,
                    &gg__op_sub, &gg__op_neg, &gg__op_mul),
    {0}};
