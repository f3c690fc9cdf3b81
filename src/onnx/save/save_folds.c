/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions, cumulations, order, softmax. */
#include <string.h>

#include "base/dtype.h"
#include "onnx/save/savers.h"

/* --- reductions --- */

/* What a reduction reduces. */
typedef struct folded {
  int64_t axes[GG_MAX_ND];
  unsigned int n_axes, nd;
  int keep;
} folded;

static folded folded_of(const gg_apply *a) {
  const unsigned int mask = (unsigned int)gg__prop(a, "axes");
  folded f = {.nd = gg_var_type(a->in[0])->nd,
              .keep = gg__prop(a, "keepdims") != 0};

  for (unsigned int i = 0; i < f.nd; i++)
    if (mask >> i & 1u)
      f.axes[f.n_axes++] = i;
  return f;
}

static gg__name fold(gg__save *s, const char *op, gg__name x, const folded *f,
                     int keep) {
  return gg__node(s, op, GG_IN(x, gg__ints(s, f->n_axes, f->axes)),
                  GG_ATTRS(GG_A_INT("keepdims", keep)));
}

/* Whether any element, or every element, is not 0: an extremum of 0 and 1. */
static gg__name fold_truth(gg__save *s, const gg_apply *a, const char *op,
                           const folded *f) {
  gg__name x = gg__cast_name(s, gg__name_in(s, a, 0), GA_INT);

  return gg__cast_name(s, fold(s, op, x, f, f->keep), GA_BOOL);
}

/* The mean of squared distances from the mean. */
static gg__name fold_variance(gg__save *s, const gg_apply *a, const folded *f) {
  gg__name x = gg__name_in(s, a, 0);
  gg__name d =
      gg__node(s, "Sub", GG_IN(x, fold(s, "ReduceMean", x, f, 1)), NULL);

  return fold(s, "ReduceMean", gg__node(s, "Mul", GG_IN(d, d), NULL), f,
              f->keep);
}

/* Positions count in C order of the reduced axes, which become the last one. A
 * size of 0 in Reshape is that of the input. */
static gg__name fold_position(gg__save *s, const gg_apply *a, const char *op,
                              const folded *f) {
  int64_t order[GG_MAX_ND], dims[GG_MAX_ND] = {0};
  unsigned int n = 0;
  gg__name x = gg__name_in(s, a, 0);

  for (unsigned int i = 0; i < f->nd; i++)
    if (!(gg__prop(a, "axes") >> i & 1))
      order[n++] = i;
  memcpy(order + n, f->axes, f->n_axes * sizeof *order);
  dims[n] = -1;
  if (n != 0)
    x = gg__node(s, "Transpose", GG_IN(x),
                 GG_ATTRS(GG_A_INTS("perm", f->nd, order)));
  if (f->n_axes != 1)
    x = gg__node(s, "Reshape", GG_IN(x, gg__ints(s, n + 1, dims)), NULL);
  x = gg__node(s, op, GG_IN(x),
               GG_ATTRS(GG_A_INT("axis", n), GG_A_INT("keepdims", 0)));
  return f->keep ? gg__node(s, "Unsqueeze",
                            GG_IN(x, gg__ints(s, f->n_axes, f->axes)), NULL)
                 : x;
}

/* Sums and extrema are taken in the dtype of the result; programs that run
 * models have no extrema of bools. */
static gg__name fold_plain(gg__save *s, const gg_apply *a, const char *op,
                           const folded *f) {
  const int from = gg_var_type(a->in[0])->dtype;
  const int to = gg_var_type(a->out[0])->dtype;
  const int by = to == GA_BOOL ? GA_INT : to;
  gg__name x = gg__name_in(s, a, 0);

  if (from != by)
    x = gg__cast_name(s, x, by);
  x = fold(s, op, x, f, f->keep);
  return by == to ? x : gg__cast_name(s, x, to);
}

gg__name gg__save_reduce(gg__save *s, const gg_apply *a) {
  const folded f = folded_of(a);

  switch ((gg_reduction)gg__prop(a, "op")) {
  case GG_SUM:
    return fold_plain(s, a, "ReduceSum", &f);
  case GG_PROD:
    return fold_plain(s, a, "ReduceProd", &f);
  case GG_MAX:
    return fold_plain(s, a, "ReduceMax", &f);
  case GG_MIN:
    return fold_plain(s, a, "ReduceMin", &f);
  case GG_ANY_OF:
    return fold_truth(s, a, "ReduceMax", &f);
  case GG_ALL_OF:
    return fold_truth(s, a, "ReduceMin", &f);
  case GG_ARGMAX:
    return fold_position(s, a, "ArgMax", &f);
  case GG_ARGMIN:
    return fold_position(s, a, "ArgMin", &f);
  case GG_VARIANCE:
    return fold_variance(s, a, &f);
  }
  return gg__save_problem(s, a, "this reduction has no counterpart");
}

/* --- along an axis --- */

gg__name gg__save_cumulate(gg__save *s, const gg_apply *a) {
  const char *op = gg__prop_word(a, "op");
  gg__name x = gg__name_in(s, a, 0);

  if (strcmp(op, "sum") != 0)
    return gg__save_problem(s, a, "a model has no running \"%s\"", op);
  if (gg_var_type(a->in[0])->dtype != gg_var_type(a->out[0])->dtype)
    x = gg__cast_name(s, x, gg_var_type(a->out[0])->dtype);
  return gg__node(
      s, "CumSum",
      GG_IN(x, gg__scalar_name(s, GA_LONG, (double)gg__prop(a, "axis"))),
      GG_ATTRS(GG_A_INT("exclusive", gg__prop(a, "exclusive")),
               GG_A_INT("reverse", gg__prop(a, "reversed"))));
}

/* Operand 0 in order, and the positions of its elements. */
static void sort(gg__save *s, const gg_apply *a, int64_t descending,
                 gg__name *out) {
  const unsigned int axis = (unsigned int)gg__prop(a, "axis");

  gg__node_outs(
      s, "TopK",
      GG_IN(gg__name_in(s, a, 0), gg__size_vector(s, a->in[0], axis)),
      GG_ATTRS(GG_A_INT("axis", axis), GG_A_INT("largest", descending)), 2,
      out);
}

gg__name gg__save_sort(gg__save *s, const gg_apply *a) {
  gg__name out[2];

  sort(s, a, gg__prop(a, "descending"), out);
  return out[strcmp(a->op->name, "argsort") == 0];
}

/* Models have no partitions, of which a sorted axis is one. */
gg__name gg__save_partition(gg__save *s, const gg_apply *a) {
  gg__name out[2];

  sort(s, a, 0, out);
  gg__bind(s, a->out[1], out[1]);
  return out[0];
}

gg__name gg__save_softmax(gg__save *s, const gg_apply *a) {
  return gg__node(
      s, strcmp(a->op->name, "softmax") == 0 ? "Softmax" : "LogSoftmax",
      GG_IN(gg__name_in(s, a, 0)), GG_ATTRS(GG_A_INT("axis", -1)));
}
