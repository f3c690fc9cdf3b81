/* SPDX-License-Identifier: BSD-2-Clause */
/* Attention with several heads, composed of products of batches and softmax. */
#include <math.h>

#include "nn/layer.h"

/* --- what is refused --- */

static int check_how(const gg_params *p, gg_var *q, const gg_attention *how,
                     size_t size) {
  gg_graph *g = p->root->g;

  if (how == NULL || how->heads == 0 || size % how->heads != 0)
    return gg__nn_fail(g, "nn_attention", q, GA_VALUE_ERROR,
                       "%zu heads do not divide the size %zu",
                       how != NULL ? how->heads : 0, size);
  if (!(how->dropout >= 0 && how->dropout < 1))
    return gg__nn_fail(g, "nn_attention", q, GA_VALUE_ERROR,
                       "dropout is %g, expected 0 or more and less than 1",
                       how->dropout);
  if (how->mask == NULL)
    return GA_NO_ERROR;
  const gg_type *t = gg_var_type(how->mask);
  if (t->nd > 4 ||
      (t->dtype != GA_BOOL && ga__dtype_kind(t->dtype) != GA_KIND_FLOAT))
    return gg__nn_fail(g, "nn_attention", how->mask, GA_VALUE_ERROR,
                       "expected a mask of at most 4 axes, bool or a float");
  return GA_NO_ERROR;
}

/* Nonzero if q, k and v are there; size has their last sizes. */
static int operands_fit(const gg_params *p, gg_var *const *x, size_t *size) {
  for (int i = 0; i < 3; i++) {
    if (!gg__layer_takes(p, "nn_attention", x[i], 3, 2, &size[i]))
      return 0;
    if (gg_var_type(x[i])->nd != 3) {
      gg__nn_fail(p->root->g, "nn_attention", x[i], GA_VALUE_ERROR,
                  "expected [images, positions, size]");
      return 0;
    }
  }
  return 1;
}

/* --- projections --- */

static gg_var *weight_of(gg_params *own, int i, const size_t *size) {
  static const char *const names[3] = {"q_proj_weight", "k_proj_weight",
                                       "v_proj_weight"};

  return gg_param(own, names[i], 2, (size_t[]){size[0], size[i]},
                  gg_init_glorot_uniform(1));
}

/* Rows i to j - 1 of three blocks of rows. */
static gg_var *blocks(gg_var *x, int i, int j, size_t size) {
  return x != NULL ? gg_slice(x, 0, i * (int64_t)size, j * (int64_t)size, 1)
                   : NULL;
}

/* out[i] is the projection of x[i]. One product has all those that are
 * projections of one variable by packed weights. */
static void project(gg_params *own, gg_var *const *x, const size_t *size,
                    int flags, gg_var **out) {
  const int is_packed = size[1] == size[0] && size[2] == size[0];
  const size_t three = ga__times(3, size[0]);
  gg_var *w =
      is_packed ? gg_param(own, "in_proj_weight", 2, (size_t[]){three, size[0]},
                           gg_init_glorot_uniform(1))
                : NULL;
  gg_var *bias =
      (flags & GG_NN_NO_BIAS) == 0
          ? gg_param(own, "in_proj_bias", 1, &three, gg_init_constant(0))
          : NULL;

  for (int i = 0, j; i < 3; i = j) {
    for (j = i + 1; is_packed && j < 3 && x[j] == x[i];)
      j++;
    gg_var *part =
        is_packed ? blocks(w, i, j, size[0]) : weight_of(own, i, size);
    gg_var *y = part != NULL ? gg__along_last(x[i], part) : NULL;
    if ((flags & GG_NN_NO_BIAS) == 0)
      y = gg_add(y, blocks(bias, i, j, size[0]));
    gg_split(y, -1, (unsigned int)(j - i), &out[i]);
  }
}

/* --- heads --- */

static gg_var *times(gg_var *size, size_t n) {
  return gg_mul(size, gg_i64(gg_var_graph(size), (int64_t)n));
}

/* [images, positions, size] as [images heads, positions, size / heads]. */
static gg_var *by_heads(gg_var *x, size_t heads, size_t size) {
  if (x == NULL)
    return NULL;
  gg_graph *g = gg_var_graph(x);
  gg_var *n = gg_shape(x, 0), *length = gg_shape(x, 1),
         *h = gg_i64(g, (int64_t)heads),
         *each = gg_i64(g, (int64_t)(size / heads));
  gg_var *y = gg_reshape_sizes(x, 4, (gg_var *[]){n, length, h, each});

  return gg_reshape_sizes(gg_dimshuffle(y, 4, (int[]){0, 2, 1, 3}), 3,
                          (gg_var *[]){times(n, heads), length, each});
}

/* The heads side by side again, for a query x. */
static gg_var *joined(gg_var *y, gg_var *x, size_t heads, size_t size) {
  gg_graph *g = gg_var_graph(x);
  gg_var *n = gg_shape(x, 0), *length = gg_shape(x, 1),
         *h = gg_i64(g, (int64_t)heads),
         *each = gg_i64(g, (int64_t)(size / heads));

  y = gg_reshape_sizes(y, 4, (gg_var *[]){n, h, length, each});
  return gg_reshape_sizes(gg_dimshuffle(y, 4, (int[]){0, 2, 1, 3}), 3,
                          (gg_var *[]){n, length, gg_i64(g, (int64_t)size)});
}

/* The products s [images, heads, n, m] where a query may look, and -infinity
 * elsewhere. */
static gg_var *masked(gg_var *s, const gg_attention *how) {
  gg_var *never = gg_weak(gg_var_graph(s), -HUGE_VAL);

  if (how->mask != NULL)
    s = gg_var_type(how->mask)->dtype == GA_BOOL
            ? gg_where(how->mask, never, s)
            : gg_add(s, gg_cast(how->mask, gg_var_type(s)->dtype));
  if ((how->flags & GG_NN_CAUSAL) != 0 && s != NULL)
    s = gg_where(gg_gt(gg_positions(s, 3), gg_positions(s, 2)), never, s);
  return s;
}

/* The weights of attention, [images heads, n, m]. */
static gg_var *weights(gg_params *own, gg_var *q, gg_var *k, gg_var *images,
                       const gg_attention *how) {
  gg_var *s = gg_batched_dot(q, gg_dimshuffle(k, 3, (int[]){0, 2, 1}));

  if (s == NULL)
    return NULL;
  gg_graph *g = gg_var_graph(s);
  gg_var *three[3] = {gg_shape(s, 0), gg_shape(s, 1), gg_shape(s, 2)},
         *h = gg_i64(g, (int64_t)how->heads);
  s = gg_reshape_sizes(s, 4, (gg_var *[]){images, h, three[1], three[2]});
  s = s != NULL ? gg_softmax(masked(s, how)) : NULL;
  s = gg_nn_dropout(own, s, how->dropout);
  return gg_reshape_sizes(s, 3, three);
}

static gg_var *attend(gg_params *own, gg_var *const *x, const size_t *size,
                      const gg_attention *how) {
  const size_t heads = how->heads;
  gg_var *y[3] = {NULL};

  project(own, x, size, how->flags, y);
  for (int i = 0; i < 3; i++)
    y[i] = by_heads(y[i], heads, size[0]);
  if (y[0] == NULL || y[1] == NULL || y[2] == NULL)
    return NULL;
  const double by = 1 / sqrt((double)(size[0] / heads));
  y[0] = gg_mul(y[0], gg_weak(own->root->g, by));
  gg_var *w = weights(own, y[0], y[1], gg_shape(x[0], 0), how);
  return joined(gg_batched_dot(w, y[2]), x[0], heads, size[0]);
}

gg_var *gg_nn_attention(gg_params *p, const char *name, gg_var *q, gg_var *k,
                        gg_var *v, const gg_attention *how) {
  gg_var *const x[3] = {q, k, v};
  size_t size[3];

  if (!operands_fit(p, x, size) ||
      check_how(p, q, how, size[0]) != GA_NO_ERROR ||
      gg__layer_flags(p, "nn_attention", q, how->flags,
                      GG_NN_NO_BIAS | GG_NN_CAUSAL) != GA_NO_ERROR)
    return NULL;
  gg_params *own = gg_params_group(p, name);
  gg_var *y = own != NULL ? attend(own, x, size, how) : NULL;
  if ((how->flags & GG_NN_NO_BIAS) == 0)
    gg_param(gg_params_group(own, "out_proj"), "bias", 1, size,
             gg_init_constant(0));
  return y != NULL ? gg_nn_dense(own, "out_proj", y, size[0],
                                 how->flags & GG_NN_NO_BIAS)
                   : NULL;
}
