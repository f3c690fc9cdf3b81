/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers around products of matrices become their alpha and beta. */
#include "graph/rewrite.h"

#define MAX_OPEN 16 /* terms that wait to be looked at */

/* The node when v is a dot that nothing else needs and that has an alpha (the
 * dot of two vectors has none). */
static gg_apply *find_dot(const gg__rw *rw, const gg_var *v) {
  gg_apply *a = gg__node(v, &gg__op_dot);

  return a != NULL && v->type.nd != 0 && gg__rw_uses(rw, v) == 1 ? a : NULL;
}

static double alpha_of(const gg_apply *a) {
  return ((const gg__dot_props *)a->props)->alpha;
}

static gg_var *dot(double alpha, gg_var *x, gg_var *y) {
  const gg__dot_props p = {alpha};
  gg_var *const in[2] = {x, y};

  return gg_op_apply(NULL, &gg__op_dot, &p, 2, in);
}

/* --- numbers into alpha --- */

/* -dot(x, y) and c dot(x, y) */
static gg_var *number_around_dot(const gg__rw *rw, gg_apply *a) {
  gg_apply *d = find_dot(rw, a->in[a->n_in - 1]);
  double c = -1;

  if (d == NULL || (a->op == &gg__op_mul && !gg__number(a->in[0], &c)))
    return NULL;
  return dot(c * alpha_of(d), d->in[0], d->in[1]);
}

/* v = *c x with a sign or number in front, which nothing else needs. */
static gg_var *unscaled(const gg__rw *rw, gg_var *v, double *c) {
  gg_apply *a = gg__node(v, &gg__op_neg);

  if (gg__rw_uses(rw, v) != 1)
    return NULL;
  *c = -1;
  if (a != NULL)
    return a->in[0];
  a = gg__node(v, &gg__op_mul);
  return a != NULL && gg__number(a->in[0], c) ? a->in[1] : NULL;
}

/* dot(c x, y) and dot(x, c y) */
static gg_var *number_in_dot(const gg__rw *rw, gg_apply *a) {
  gg_var *in[2] = {a->in[0], a->in[1]}, *x;
  unsigned int i;
  double c;

  if (a->out[0]->type.nd == 0)
    return NULL;
  for (i = 0; i < 2; i++) {
    x = unscaled(rw, in[i], &c);
    if (x == NULL)
      continue;
    in[i] = x;
    return dot(c * alpha_of(a), in[0], in[1]);
  }
  return NULL;
}

/* --- dot and something --- */

/* beta c + alpha dot */
typedef struct combination {
  gg_apply *dot;
  gg_var *c;
  double alpha, beta;
} combination;

typedef struct open_term {
  gg_var *v;
  double factor;
} open_term;

/* Take a term that is not expanded further. 0 if there is one too many. */
static int take(const gg__rw *rw, combination *k, const open_term *t) {
  gg_apply *d = find_dot(rw, t->v);

  if (d != NULL && k->dot == NULL) {
    k->dot = d;
    k->alpha = t->factor * alpha_of(d);
    return 1;
  }
  if (k->c != NULL && k->c != t->v)
    return 0;
  k->c = t->v;
  k->beta += t->factor;
  return 1;
}

/* Look through sums and products with numbers that nothing else needs. 0 if
 * the node is no combination of one dot and one other term. */
static int find_combination(const gg__rw *rw, combination *k,
                            const gg_apply *a) {
  open_term stack[MAX_OPEN], t = {a->out[0], 1};
  unsigned int n = 0;
  double c;

  stack[n++] = t;
  while (n > 0) {
    const gg_apply *b;

    t = stack[--n];
    b = t.v == a->out[0] || gg__rw_uses(rw, t.v) == 1 ? t.v->owner : NULL;
    if (b != NULL && (b->op == &gg__op_add || b->op == &gg__op_sub) &&
        n + 2 <= MAX_OPEN) {
      stack[n++] = (open_term){b->in[0], t.factor};
      stack[n++] =
          (open_term){b->in[1], b->op == &gg__op_add ? t.factor : -t.factor};
    } else if (b != NULL && b->op == &gg__op_neg) {
      stack[n++] = (open_term){b->in[0], -t.factor};
    } else if (b != NULL && b->op == &gg__op_mul && gg__number(b->in[0], &c)) {
      stack[n++] = (open_term){b->in[1], c * t.factor};
    } else if (!take(rw, k, &t)) {
      return 0;
    }
  }
  return k->dot != NULL && k->c != NULL;
}

/* Is it worth writing over c? It is when c is a shared variable and this its
 * new value, or a product that nothing else needs. In other places the sum is
 * fused with its neighbours. */
static int is_worth(const gg__rw *rw, const combination *k) {
  const gg_apply *a = k->c->owner;

  if (gg__wide(k->c) != gg__wide(k->dot->out[0]))
    return 0;
  if (gg__rw_updates(rw, k->c))
    return 1;
  return a != NULL && gg__rw_uses(rw, k->c) == 1 &&
         (a->op == &gg__op_dot || a->op == &gg__op_gemm ||
          a->op == &gg__op_gemv);
}

static gg_var *combine(const gg__rw *rw, gg_apply *a) {
  combination k = {NULL, NULL, 0, 0};
  gg__gemm_props p;
  gg_var *in[3];

  if (!find_combination(rw, &k, a) || !is_worth(rw, &k))
    return NULL;
  p.alpha = k.alpha;
  p.beta = k.beta;
  in[0] = k.c;
  in[1] = k.dot->in[0];
  in[2] = k.dot->in[1];
  if (in[1]->type.nd == 2 && in[2]->type.nd == 2)
    return gg_op_apply(NULL, &gg__op_gemm, &p, 3, in);
  if (in[1]->type.nd == 1) {
    in[1] = gg_transpose(k.dot->in[1]);
    in[2] = k.dot->in[0];
  }
  return gg_op_apply(NULL, &gg__op_gemv, &p, 3, in);
}

const gg__rule gg__rules_blas[] = {
    {"number around dot", &gg__op_neg, GG_LATE, NULL, number_around_dot},
    {"number around dot", &gg__op_mul, GG_LATE, NULL, number_around_dot},
    {"number in dot", &gg__op_dot, GG_LATE, NULL, number_in_dot},
    {"dot and sum to gemm", &gg__op_add, GG_LATE, NULL, combine},
    {"dot and sum to gemm", &gg__op_sub, GG_LATE, NULL, combine},
    {"dot and sum to gemm", &gg__op_neg, GG_LATE, NULL, combine},
    {"dot and sum to gemm", &gg__op_mul, GG_LATE, NULL, combine},
    {0}};
