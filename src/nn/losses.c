/* SPDX-License-Identifier: BSD-2-Clause */
/* Losses as expressions. */
#include <gpugraph/losses.h>

#include <math.h>

#include "nn/loss.h"

static unsigned int rank(const gg_var *x) {
  return gg_var_type(x)->nd;
}

/* Nonzero if y fits x along its first n axes, which is what both have. */
static int sizes_fit(const char *what, gg_var *x, gg_var *y, unsigned int n) {
  const gg_type *a = gg_var_type(x), *b = gg_var_type(y);
  char text[160];
  int fits = b->nd == n && a->nd >= n;

  for (unsigned int i = 0; fits && i < n; i++)
    fits = a->dims[i] < 0 || b->dims[i] < 0 || a->dims[i] == b->dims[i];
  if (!fits)
    gg__nn_fail(gg_var_graph(x), what, x, GA_VALUE_ERROR,
                "the other operand is %s", gg_type_text(b, text, sizeof text));
  return fits;
}

static int takes(const char *what, gg_var *x, gg_var *y) {
  return gg__nn_given(what, 2, (gg_var *[]){x, y}) &&
         sizes_fit(what, x, y, rank(x));
}

static gg_var *scaled(gg_var *x, double by) {
  return x != NULL ? gg_mul(x, gg_weak(gg_var_graph(x), by)) : NULL;
}

gg_var *gg__loss_reduced(const char *what, gg_var *each,
                         gg_loss_reduction how) {
  if (each == NULL)
    return NULL;
  switch (how) {
  case GG_LOSS_MEAN:
    return gg_mean(each);
  case GG_LOSS_SUM:
    return gg_sum(each);
  case GG_LOSS_EACH:
    return each;
  case GG_LOSS_BATCH_MEAN:
    if (rank(each) > 0)
      return gg_div(gg_sum(each),
                    gg_cast(gg_shape(each, 0), gg_var_type(each)->dtype));
  }
  gg__nn_fail(gg_var_graph(each), what, each, GA_VALUE_ERROR,
              "the reduction is %d", (int)how);
  return NULL;
}

/* --- cross-entropy --- */

static int check_how(gg_var *z, const gg_cross_entropy *how) {
  gg_graph *g = gg_var_graph(z);

  if (!(how->smoothing >= 0 && how->smoothing <= 1))
    return gg__nn_fail(g, "loss_cross_entropy", z, GA_VALUE_ERROR,
                       "the smoothing is %g, expected 0 to 1", how->smoothing);
  if (how->weights != NULL && rank(how->weights) != 1)
    return gg__nn_fail(g, "loss_cross_entropy", z, GA_VALUE_ERROR,
                       "weights have %u axes, expected a vector of classes",
                       rank(how->weights));
  if ((unsigned)how->reduction > GG_LOSS_BATCH_MEAN)
    return gg__nn_fail(g, "loss_cross_entropy", z, GA_VALUE_ERROR,
                       "the reduction is %d", (int)how->reduction);
  return GA_NO_ERROR;
}

/* The smoothing's part for one class. */
static gg_var *share(gg_var *z, double smoothing) {
  gg_var *n = gg_cast(gg_shape(z, -1), gg_var_type(z)->dtype);

  return gg_div(gg_weak(gg_var_graph(z), smoothing), n);
}

static gg_var *weighted(gg_var *x, const gg_cross_entropy *how) {
  return how->weights != NULL ? gg_mul(x, how->weights) : x;
}

static gg_var *by_distribution(gg_var *z, gg_var *q,
                               const gg_cross_entropy *how) {
  gg_var *log_p = gg_log_softmax(z);

  if (how->smoothing > 0)
    q = gg_add(scaled(q, 1 - how->smoothing), share(log_p, how->smoothing));
  gg_var *each = gg_sum_axis(gg_mul(q, weighted(log_p, how)), -1);
  return gg__loss_reduced("loss_cross_entropy", gg_neg(each), how->reduction);
}

/* z as rows of classes, [rows, classes]. */
static gg_var *rows_of(gg_var *z) {
  gg_var *sizes[2] = {gg_i64(gg_var_graph(z), -1), gg_shape(z, -1)};

  return rank(z) == 2 ? z : gg_reshape_sizes(z, 2, sizes);
}

/* The losses of rows, before weights and what is ignored. */
static gg_var *each_row(gg_var *z, gg_var *y, gg_var *factor,
                        const gg_cross_entropy *how) {
  gg_var *each = gg_crossentropy(gg_softmax(z), y);

  if (factor != NULL)
    each = gg_mul(each, factor);
  if (how->smoothing == 0 || each == NULL)
    return each;
  gg_var *all = gg_sum_axis(weighted(gg_log_softmax(z), how), 1);
  return gg_sub(scaled(each, 1 - how->smoothing),
                gg_mul(all, share(all != NULL ? z : NULL, how->smoothing)));
}

/* The losses in the shape of the labels. */
static gg_var *shaped(gg_var *each, gg_var *labels) {
  gg_var *sizes[GG_MAX_ND];

  if (rank(labels) == 1)
    return each;
  for (unsigned int i = 0; i < rank(labels); i++)
    sizes[i] = gg_shape(labels, (int)i);
  return gg_reshape_sizes(each, rank(labels), sizes);
}

static gg_var *by_index(gg_var *z, gg_var *labels,
                        const gg_cross_entropy *how) {
  gg_graph *g = gg_var_graph(z);
  gg_var *y = rank(labels) == 1 ? labels : gg_flatten(labels), *counts = NULL;
  gg_var *valid = how->ignores ? gg_ne(y, gg_weak_int(g, how->ignored)) : NULL;

  if (valid != NULL)
    y = gg_where(valid, y, gg_weak_int(g, 0));
  gg_var *factor = how->weights != NULL ? gg_take(how->weights, y) : NULL;
  gg_var *each = each_row(rows_of(z), y, factor, how);
  if (each == NULL)
    return NULL;
  if (valid != NULL || factor != NULL)
    counts = factor != NULL ? factor : gg_ones_like(each);
  if (valid != NULL) {
    counts = gg_where(valid, counts, gg_zeros_like(counts));
    each = gg_where(valid, each, gg_zeros_like(each));
  }
  if (how->reduction == GG_LOSS_MEAN && counts != NULL)
    return gg_div(gg_sum(each), gg_sum(counts));
  return gg__loss_reduced("loss_cross_entropy", shaped(each, labels),
                          how->reduction);
}

gg_var *gg_loss_cross_entropy(gg_var *z, gg_var *labels,
                              const gg_cross_entropy *how) {
  const gg_cross_entropy usual = {.smoothing = 0};

  if (!gg__nn_given("loss_cross_entropy", 2, (gg_var *[]){z, labels}))
    return NULL;
  if (how == NULL)
    how = &usual;
  const int is_index =
      ga__dtype_kind(gg_var_type(labels)->dtype) != GA_KIND_FLOAT;
  if (rank(z) == 0 || (is_index && rank(z) == 1)) {
    gg__nn_fail(gg_var_graph(z), "loss_cross_entropy", z, GA_VALUE_ERROR,
                "expected logits [..., classes]");
    return NULL;
  }
  if (check_how(z, how) != GA_NO_ERROR ||
      !sizes_fit("loss_cross_entropy", z, labels, rank(z) - (is_index != 0)))
    return NULL;
  return is_index ? by_index(z, labels, how) : by_distribution(z, labels, how);
}

gg_var *gg_loss_binary(gg_var *z, gg_var *y, gg_var *positive,
                       gg_loss_reduction reduction) {
  if (!takes("loss_binary", z, y))
    return NULL;
  gg_graph *g = gg_var_graph(z);
  gg_var *each = gg_sub(gg_softplus(z), gg_mul(z, y));
  if (positive != NULL) { /* (1 - y) z + (1 + (positive - 1) y) softplus(-z) */
    gg_var *one = gg_weak(g, 1),
           *by = gg_add(gg_mul(gg_sub(positive, one), y), one);
    each =
        gg_add(gg_mul(gg_sub(one, y), z), gg_mul(by, gg_softplus(gg_neg(z))));
  }
  return gg__loss_reduced("loss_binary", each, reduction);
}

/* --- of numbers --- */

gg_var *gg_loss_squared(gg_var *x, gg_var *y, gg_loss_reduction reduction) {
  return takes("loss_squared", x, y)
             ? gg__loss_reduced("loss_squared", gg_sqr(gg_sub(x, y)), reduction)
             : NULL;
}

gg_var *gg_loss_huber(gg_var *x, gg_var *y, double delta,
                      gg_loss_reduction reduction) {
  if (!takes("loss_huber", x, y))
    return NULL;
  gg_graph *g = gg_var_graph(x);
  if (!(delta > 0) || !isfinite(delta)) {
    gg__nn_fail(g, "loss_huber", x, GA_VALUE_ERROR,
                "delta is %g, expected more than 0", delta);
    return NULL;
  }
  gg_var *d = gg_abs(gg_sub(x, y)), *most = gg_weak(g, delta);
  gg_var *far = gg_mul(gg_sub(d, gg_weak(g, delta / 2)), most);
  return gg__loss_reduced("loss_huber",
                          gg_where(gg_le(d, most), scaled(gg_sqr(d), 0.5), far),
                          reduction);
}

gg_var *gg_loss_hinge(gg_var *x, gg_var *y, gg_loss_reduction reduction) {
  if (!takes("loss_hinge", x, y))
    return NULL;
  gg_var *one = gg_weak(gg_var_graph(x), 1);
  return gg__loss_reduced("loss_hinge", gg_relu(gg_sub(one, gg_mul(x, y))),
                          reduction);
}

gg_var *gg_loss_kl(gg_var *log_p, gg_var *q, gg_loss_reduction reduction) {
  return takes("loss_kl", log_p, q)
             ? gg__loss_reduced("loss_kl",
                                gg_sub(gg_xlogy(q, q), gg_mul(q, log_p)),
                                reduction)
             : NULL;
}
