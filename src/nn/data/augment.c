/* SPDX-License-Identifier: BSD-2-Clause */
/* Augmentations: each image reads its elements at other places of an axis. */
#include <gpugraph/augment.h>
#include <gpugraph/gather.h>
#include <gpugraph/random.h>

#include "nn/layer.h"

#define MOST ((size_t)1 << 30)

/* Check x and the axis, which becomes one from 0; *size is that of the axis. */
static int takes(gg_params *p, const char *what, gg_var *x, int *axis,
                 size_t *size) {
  if (!gg__layer_given(p, what, x))
    return GA_VALUE_ERROR;
  const gg_type *t = gg_var_type(x);
  const int at = *axis < 0 ? *axis + (int)t->nd : *axis;
  if (at < 1 || at >= (int)t->nd)
    return gg__nn_fail(p->root->g, what, x, GA_VALUE_ERROR,
                       "axis %d, expected one behind the first", *axis);
  if (t->dims[at] < 0)
    return gg__nn_fail(p->root->g, what, x, GA_VALUE_ERROR,
                       "the size of axis %d is not known (gg_specify_shape)",
                       at);
  *axis = at;
  *size = (size_t)t->dims[at];
  return GA_NO_ERROR;
}

static gg_var *whole(gg_var *x, double v) {
  return gg_scalar(gg_var_graph(x), GA_LONG, v);
}

/* A vector as axis `axis` of as many axes as x has. */
static gg_var *along(gg_var *v, const gg_var *x, int axis) {
  int pattern[GG_MAX_ND];
  const unsigned int nd = gg_var_type(x)->nd;

  for (unsigned int i = 0; i < nd; i++)
    pattern[i] = (int)i == axis ? 0 : -1;
  return gg_dimshuffle(v, nd, pattern);
}

/* 0, 1, ... size - 1 along an axis. */
static gg_var *places(gg_var *x, int axis, size_t size) {
  return along(gg_arange(whole(x, 0), whole(x, (double)size), whole(x, 1)), x,
               axis);
}

/* A variable with one element for each image; only its shape is used. */
static gg_var *images(gg_var *x) {
  while (x != NULL && gg_var_type(x)->nd > 1)
    x = gg_index(x, -1, 0);
  return x;
}

gg_var *gg_nn_random_flip(gg_params *p, gg_var *x, int axis,
                          double probability) {
  size_t size;

  if (takes(p, "nn_random_flip", x, &axis, &size) != GA_NO_ERROR)
    return NULL;
  if (!(probability >= 0 && probability <= 1)) {
    gg__nn_fail(p->root->g, "nn_random_flip", x, GA_VALUE_ERROR,
                "the probability is %g", probability);
    return NULL;
  }
  if (!gg_params_is_training(p) || size == 0)
    return x;
  gg_var *is_flipped =
      gg_random_bernoulli(gg_params_random(p), GG_DRAW_LIKE(GA_BOOL, images(x)),
                          gg_scalar(gg_var_graph(x), GA_FLOAT, probability));
  gg_var *i = places(x, axis, size);
  gg_var *index = gg_where(along(is_flipped, x, 0),
                           gg_sub(whole(x, (double)size - 1), i), i);
  return gg_take_along(x, axis, index);
}

/* Where the first element that is taken lies in x, for each image or for
 * all. */
static gg_var *first_place(gg_params *p, gg_var *x, size_t has, size_t size,
                           size_t padding) {
  const double room = (double)has + 2 * (double)padding - (double)size;

  if (!gg_params_is_training(p))
    return whole(x, (double)((size_t)room / 2) - (double)padding);
  gg_var *drawn =
      gg_random_integers(gg_params_random(p), GG_DRAW_LIKE(GA_LONG, images(x)),
                         whole(x, 0), whole(x, room + 1));
  return along(gg_sub(drawn, whole(x, (double)padding)), x, 0);
}

gg_var *gg_nn_random_crop(gg_params *p, gg_var *x, int axis, size_t size,
                          size_t padding) {
  size_t has;

  if (takes(p, "nn_random_crop", x, &axis, &has) != GA_NO_ERROR)
    return NULL;
  size = size != 0 ? size : has;
  if (has > MOST || padding > MOST || size > has + 2 * padding) {
    gg__nn_fail(p->root->g, "nn_random_crop", x, GA_VALUE_ERROR,
                "%zu elements of %zu with a padding of %zu", size, has,
                padding);
    return NULL;
  }
  if (size == has && (padding == 0 || !gg_params_is_training(p)))
    return x;
  if (has == 0) {
    gg__nn_fail(p->root->g, "nn_random_crop", x, GA_VALUE_ERROR,
                "axis %d has size 0", axis);
    return NULL;
  }
  gg_var *from =
      gg_add(first_place(p, x, has, size, padding), places(x, axis, size));
  gg_var *last = whole(x, (double)has - 1), *zero = whole(x, 0);
  gg_var *taken =
      gg_take_along(x, axis, gg_minimum(gg_maximum(from, zero), last));
  if (padding == 0)
    return taken;
  return gg_where(gg_and(gg_ge(from, zero), gg_le(from, last)), taken,
                  gg_scalar(gg_var_graph(x), gg_var_type(x)->dtype, 0));
}
