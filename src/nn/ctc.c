/* SPDX-License-Identifier: BSD-2-Clause */
/* Connectionist temporal classification, as a loop in log space. Labels stand
 * between blanks: l = -, a, -, b, -. State s of a step is the logarithm of the
 * probability of all ways to be at l[s] then. */
#include <gpugraph/scan.h>

#include <math.h>

#include "nn/loss.h"

/* Stands for the logarithm of 0, so that gradients have no infinities. What is
 * beyond LEAST comes from it. */
#define NEVER (-1e30)
#define LEAST 1e28

typedef struct ctc {
  gg_graph *g;
  const gg_ctc *how;
  int dtype;
  gg_var *spread; /* l, [images, 2 n + 1] */
  gg_var *skips;  /* 0 where s may follow s - 2, else NEVER */
} ctc;

static gg_var *num(const ctc *c, double v) {
  return gg_scalar(c->g, c->dtype, v);
}

/* x [images, states], by n states to the right; what enters is `value`. */
static gg_var *shifted(gg_var *x, int64_t n, gg_var *value) {
  return gg_pad(x, (int64_t[]){0, n}, (int64_t[]){0, -n}, GG_PAD_CONSTANT,
                value);
}

/* --- labels --- */

/* Blanks between the labels, and in place of those that do not count. */
static gg_var *spread(const ctc *c, gg_var *labels) {
  gg_var *y = gg_cast(labels, GA_LONG), *blank = gg_i64(c->g, c->how->blank);
  if (c->how->lengths != NULL)
    y = gg_where(gg_lt(gg_positions(y, 1),
                       gg_expand_dims(gg_cast(c->how->lengths, GA_LONG), 1)),
                 y, blank);
  gg_var *pair[2] = {y != NULL ? gg_fill(y, blank) : NULL, y};
  gg_var *both = gg_reshape_sizes(
      gg_stack(2, 2, pair), 2,
      (gg_var *[]){gg_shape(y, 0), gg_mul(gg_shape(y, 1), gg_i64(c->g, 2))});

  return gg_pad(both, (int64_t[]){0, 0}, (int64_t[]){0, 1}, GG_PAD_CONSTANT,
                blank);
}

static gg_var *find_skips(const ctc *c) {
  gg_var *l = c->spread;
  gg_var *same = gg_eq(l, shifted(l, 2, gg_i64(c->g, -1)));
  gg_var *never = gg_or(same, gg_eq(l, gg_i64(c->g, c->how->blank)));

  return gg_where(never, num(c, NEVER), num(c, 0));
}

/* --- the loop --- */

/* log(exp(x[0]) + exp(x[1]) + ...). */
static gg_var *log_sum(unsigned int n, gg_var *const *x) {
  gg_var *most = x[0], *sum = NULL;

  for (unsigned int i = 1; i < n; i++)
    most = gg_maximum(most, x[i]);
  most = gg_stop_gradient(most);
  for (unsigned int i = 0; i < n; i++) {
    gg_var *part = gg_exp(gg_sub(x[i], most));
    sum = sum == NULL ? part : gg_add(sum, part);
  }
  return gg_add(most, gg_log(sum));
}

/* The states after the last step, from logarithms [steps, images, states]. */
static gg_var *run(const ctc *c, gg_var *log_p) {
  gg_var *zero = gg_i64(c->g, 0), *first, *counts = NULL;
  gg_scan *s = gg_scan_open(c->g);

  first = gg_where(gg_eq(gg_positions(c->spread, 1), zero), num(c, 0),
                   num(c, NEVER));
  gg_var *row = gg_scan_sequence(s, log_p, 0), *h = gg_scan_state(s, first);
  if (c->how->steps != NULL) { /* whether the step counts, [images, 1] */
    gg_var *t = gg_index(gg_index(log_p, 2, 0), 1, 0);
    counts = gg_lt(gg_scan_sequence(s, gg_positions(t, 0), 0),
                   gg_expand_dims(gg_cast(c->how->steps, GA_LONG), 1));
  }
  gg_var *from[3] = {h, shifted(h, 1, num(c, NEVER)),
                     gg_add(shifted(h, 2, num(c, NEVER)), c->skips)};
  gg_var *next = gg_add(log_sum(3, from), row);
  gg_scan_next(s, h, counts != NULL ? gg_where(counts, next, h) : next);
  gg_var *last = gg_scan_close(s) == GA_NO_ERROR ? gg_scan_last(s, h) : NULL;
  gg_scan_free(s);
  return last;
}

/* The losses of images: the last label or the blank behind it comes last. */
static gg_var *each_image(const ctc *c, gg_var *last, gg_var *lengths) {
  gg_var *one = gg_i64(c->g, 1), *none = gg_eq(lengths, gg_i64(c->g, 0));
  gg_var *at = gg_expand_dims(gg_mul(lengths, gg_i64(c->g, 2)), 1);
  gg_var *ends[2];

  ends[0] = gg_squeeze(gg_take_along(last, 1, at), 1);
  ends[1] = gg_squeeze(
      gg_take_along(last, 1, gg_maximum(gg_sub(at, one), gg_i64(c->g, 0))), 1);
  ends[1] = gg_where(none, num(c, NEVER), ends[1]);
  gg_var *each = gg_neg(log_sum(2, ends));
  return gg_where(gg_lt(each, num(c, LEAST)), each,
                  num(c, c->how->zero_infinite ? 0 : HUGE_VAL));
}

/* --- checks --- */

static int check_count(gg_var *log_p, gg_var *v, const char *what) {
  const gg_type *t = v != NULL ? gg_var_type(v) : NULL;

  if (t == NULL || (t->nd == 1 && (ga__dtype_kind(t->dtype) == GA_KIND_INT ||
                                   ga__dtype_kind(t->dtype) == GA_KIND_UINT)))
    return GA_NO_ERROR;
  return gg__nn_fail(gg_var_graph(log_p), "loss_ctc", v, GA_VALUE_ERROR,
                     "expected a vector of integers as the %s", what);
}

static int check(gg_var *log_p, gg_var *labels, const gg_ctc *how) {
  gg_graph *g = gg_var_graph(log_p);
  const gg_type *t = gg_var_type(log_p), *y = gg_var_type(labels);

  if (t->nd != 3 || ga__dtype_kind(t->dtype) != GA_KIND_FLOAT)
    return gg__nn_fail(g, "loss_ctc", log_p, GA_VALUE_ERROR,
                       "expected floats [steps, images, classes]");
  if (y->nd != 2 || (ga__dtype_kind(y->dtype) != GA_KIND_INT &&
                     ga__dtype_kind(y->dtype) != GA_KIND_UINT))
    return gg__nn_fail(g, "loss_ctc", labels, GA_VALUE_ERROR,
                       "expected integers [images, labels]");
  if (how->blank < 0 || (t->dims[2] >= 0 && how->blank >= t->dims[2]))
    return gg__nn_fail(g, "loss_ctc", log_p, GA_VALUE_ERROR,
                       "the blank is %lld", (long long)how->blank);
  GA_TRY(check_count(log_p, how->steps, "steps"));
  return check_count(log_p, how->lengths, "lengths");
}

gg_var *gg_loss_ctc(gg_var *log_p, gg_var *labels, const gg_ctc *how) {
  const gg_ctc usual = {.blank = 0};

  if (!gg__nn_given("loss_ctc", 2, (gg_var *[]){log_p, labels}))
    return NULL;
  if (how == NULL)
    how = &usual;
  if (check(log_p, labels, how) != GA_NO_ERROR)
    return NULL;
  ctc c = {.g = gg_var_graph(log_p),
           .how = how,
           .dtype = ga__dtype_work(gg_var_type(log_p)->dtype)};
  c.spread = spread(&c, labels);
  c.skips = find_skips(&c);
  gg_var *at = gg_take_along(gg_cast(log_p, c.dtype), 2,
                             gg_expand_dims(c.spread, 0)),
         *last = at != NULL && c.skips != NULL
                     ? run(&c, gg_maximum(at, num(&c, NEVER)))
                     : NULL;
  gg_var *lengths =
      how->lengths != NULL
          ? gg_cast(how->lengths, GA_LONG)
          : gg_alloc(gg_shape(labels, 1), 1, (gg_var *[]){gg_shape(labels, 0)});
  gg_var *each = last != NULL ? each_image(&c, last, lengths) : NULL;
  if (how->reduction == GG_LOSS_MEAN && each != NULL)
    each = gg_div(each, gg_cast(gg_maximum(lengths, gg_i64(c.g, 1)), c.dtype));
  return gg__loss_reduced("loss_ctc", each, how->reduction);
}
