/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of integer scalars that the host knows before anything runs, such as
 * all sizes of a variable. */
#include <gpugraph/arrange.h>
#include <gpugraph/sizes.h>

#include <string.h>

#include "ops/compose.h"
#include "ops/shape/slice_bounds.h"

/* --- the op: (n0, n1 ...) --- */

static int infer_vector(const gg_apply *a, gg_type *out) {
  out->dtype = GA_LONG;
  out->nd = 1;
  out->dims[0] = a->n_in;
  return GA_NO_ERROR;
}

static int shape_vector(const gg_apply *a, const gg_dims *in,
                        const double *const *host, gg_dims *out) {
  (void)in;
  for (unsigned int i = 0; i < a->n_in; i++)
    if (host[i] == NULL)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "element %u is not known before the call", i);
  out->nd = 1;
  out->dim[0] = a->n_in;
  return GA_NO_ERROR;
}

static int host_vector(const gg_apply *a, const gg_dims *in,
                       const double *const *number, const gg_dims *want,
                       void *data) {
  int64_t *p = data;

  (void)in;
  (void)want;
  for (unsigned int i = 0; i < a->n_in; i++)
    GA_TRY(gg__read_number(a, "element", number[i], &p[i]));
  return GA_NO_ERROR;
}

const gg_op gg__op_vector = {.name = "vector",
                             .kind = GG_OP_SHAPE,
                             .n_out = 1,
                             .number_only = ~0u,
                             .infer = infer_vector,
                             .shape = shape_vector,
                             .host = host_vector};

/* --- builders --- */

/* The vector as a constant if all scalars are constants, else NULL. */
static gg_var *constant_vector(gg_graph *g, unsigned int n,
                               gg_var *const *scalars) {
  int64_t data[GG_MAX_VECTOR];
  const size_t size = n;
  double x = 0;

  for (unsigned int i = 0; i < n; i++) {
    if (!gg_var_uniform(scalars[i], &x))
      return NULL;
    if (ga__dtype_size(gg_var_type(scalars[i])->dtype) == sizeof data[i])
      memcpy(&data[i], gg_var_data(scalars[i]), sizeof data[i]);
    else
      data[i] = (int64_t)x;
  }
  return gg_constant(g, GA_LONG, 1, &size, data);
}

/* Refuse a constant beyond int64. */
static int fits_int64(const gg_var *v) {
  uint64_t value = 0;

  if (gg_var_type(v)->dtype == GA_ULONG && gg_var_data(v) != NULL)
    memcpy(&value, gg_var_data(v), sizeof value);
  if (value > INT64_MAX)
    gg__refuse(&gg__op_vector, 1, (gg_var *[]){(gg_var *)v}, GA_VALUE_ERROR,
               "%llu is beyond int64", (unsigned long long)value);
  return value <= INT64_MAX;
}

static int check_vector(const gg_apply *a) {
  if (a->n_in > GG_MAX_VECTOR)
    return gg_op_fail(a, GA_VALUE_ERROR, "%u elements are more than %d",
                      a->n_in, GG_MAX_VECTOR);
  return GA_NO_ERROR;
}

gg_var *gg_vector(unsigned int n, gg_var *const *scalars) {
  gg_var *in[GG_MAX_VECTOR];

  if (n == 0 || scalars == NULL) {
    ga__fail(GA_VALUE_ERROR, "vector: no elements");
    return NULL;
  }
  if (!gg__given(&gg__op_vector, n, scalars))
    return NULL;
  if (n > GG_MAX_VECTOR)
    return gg__refuse(&gg__op_vector, 1, scalars, GA_VALUE_ERROR,
                      "%u elements are more than %d", n, GG_MAX_VECTOR);
  for (unsigned int i = 0; i < n; i++) {
    if (!gg__check_number(&gg__op_vector, scalars[i], scalars[i]))
      return NULL;
    in[i] = gg_element(scalars[i], 0);
    if (in[i] == NULL || !fits_int64(in[i]))
      return NULL;
  }
  gg_var *const v = constant_vector(gg_var_graph(in[0]), n, in);
  if (v != NULL)
    return v;
  /* A vector of one element is a scalar with an axis, which no kernel makes. */
  return n == 1 ? gg__expand(gg_cast(in[0], GA_LONG), 0)
                : gg_op_apply(NULL, &gg__op_vector, NULL, n, in);
}

gg_var *gg_shape_vector(gg_var *x) {
  gg_var *sizes[GG_MAX_ND];
  const size_t none = 0;

  if (x == NULL)
    return NULL;
  gg__sizes_of(x, sizes);
  return gg__rank_of(x) == 0
             ? gg_constant(gg_var_graph(x), GA_LONG, 1, &none, NULL)
             : gg_vector(gg__rank_of(x), sizes);
}

/* Fill `out` with the n elements of v. */
static int elements(gg_var *v, unsigned int n, gg_var **out) {
  const gg_type *const t = gg_var_type(v);
  const int64_t size = n;
  char type[64];

  if (t->nd != 1 || !gg__is_integer(t->dtype)) {
    gg__refuse(GG_CALLED("elements"), 1, &v, GA_VALUE_ERROR,
               "expected a vector of integers, got %s",
               gg_type_text(t, type, sizeof type));
    return gg_graph_status(gg_var_graph(v));
  }
  if (t->dims[0] == GG_ANY)
    v = gg_specify_shape(v, &size);
  else if (t->dims[0] != size)
    gg__refuse(GG_CALLED("elements"), 1, &v, GA_VALUE_ERROR,
               "expected %u elements, got %lld", n, (long long)t->dims[0]);
  gg_graph *const g = gg_var_graph(v);
  for (unsigned int i = 0; i < n && gg_graph_status(g) == GA_NO_ERROR; i++)
    out[i] = gg_element(v, i);
  return gg_graph_status(g);
}

int gg_elements(gg_var *v, unsigned int n, gg_var **out) {
  if (out == NULL && n > 0) {
    gg__refuse(GG_CALLED("elements"), 1, &v, GA_VALUE_ERROR,
               "no list for %u elements", n);
    return GA_VALUE_ERROR;
  }
  const int err = v != NULL ? elements(v, n, out) : GA_VALUE_ERROR;

  for (unsigned int i = 0; err != GA_NO_ERROR && i < n; i++)
    out[i] = NULL;
  return err;
}

/* --- sizes of ops as vectors --- */

/* Fill `out` with the elements of a vector that has at most GG_MAX_ND of them.
 * Returns how many there are, or -1 and records an error. NULL gives -1. */
static int take(const gg_op *op, gg_var *v, gg_var **out) {
  if (v == NULL)
    return -1;
  const gg_type *const t = gg_var_type(v);
  if (t->nd == 1 && t->dims[0] == GG_ANY) {
    gg__refuse(op, 1, &v, GA_VALUE_ERROR,
               "the vector's size is unknown; gg_specify_shape tells it");
    return -1;
  }
  if (t->nd == 1 && t->dims[0] > GG_MAX_ND) {
    gg__refuse(op, 1, &v, GA_VALUE_ERROR, "%lld dimensions are more than %d",
               (long long)t->dims[0], GG_MAX_ND);
    return -1;
  }
  const unsigned int n = t->nd == 1 ? (unsigned int)t->dims[0] : 0;
  return gg_elements(v, n, out) == GA_NO_ERROR ? (int)n : -1;
}

/* Apply `build`, which takes nd scalars, to a vector. */
static gg_var *with_vector(const char *name, gg_var *x, gg_var *v,
                           gg_var *(*build)(gg_var *x, unsigned int nd,
                                            gg_var *const *sizes)) {
  gg_var *const in[2] = {x, v};
  gg_var *sizes[GG_MAX_ND] = {NULL};

  if (!gg__given(GG_CALLED(name), 2, in))
    return NULL;
  const int n = take(GG_CALLED(name), v, sizes);
  return n >= 0 ? build(x, (unsigned int)n, sizes) : NULL;
}

gg_var *gg_reshape_vector(gg_var *x, gg_var *sizes) {
  return with_vector("reshape_vector", x, sizes, gg_reshape_sizes);
}

gg_var *gg_alloc_vector(gg_var *value, gg_var *sizes) {
  return with_vector("alloc_vector", value, sizes, gg_alloc);
}

gg_var *gg_broadcast_vector(gg_var *x, gg_var *sizes) {
  return with_vector("broadcast_vector", x, sizes, gg_broadcast_sizes);
}

gg_var *gg_tile_vector(gg_var *x, gg_var *reps) {
  return with_vector("tile_vector", x, reps, gg_tile_sizes);
}

/* Fill out[i] with the elements of v[i], for n vectors; NULL is skipped. All
 * must have *size elements. If that is -1, the first vector sets it. Returns 0
 * and records an error if sizes differ. */
static int take_all(const gg_op *op, gg_var *x, unsigned int n,
                    gg_var *const *v, gg_var *(*out)[GG_MAX_ND], int *size) {
  for (unsigned int i = 0; i < n; i++) {
    if (v[i] == NULL)
      continue;
    const int got = take(op, v[i], out[i]);
    if (got < 0)
      return 0;
    if (*size < 0)
      *size = got;
    if (got != *size)
      return gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                        "expected vectors of %d elements, got %d", *size,
                        got) != NULL;
  }
  return 1;
}

gg_var *gg_slice_vector(gg_var *x, const int *axes, gg_var *start, gg_var *stop,
                        gg_var *step) {
  gg_var *const v[3] = {start, stop, step};
  gg_var *bound[3][GG_MAX_ND] = {{NULL}};
  int n = -1;

  if (!gg__given_beside(GG_CALLED("slice_vector"), x, 3, v) ||
      !take_all(GG_CALLED("slice_vector"), x, 3, v, bound, &n))
    return NULL;
  return gg_slice_sizes(x, n > 0 ? (unsigned int)n : 0, axes, bound[0],
                        bound[1], bound[2]);
}

gg_var *gg_pad_vector(gg_var *x, gg_var *before, gg_var *after,
                      gg_pad_mode mode, gg_var *value) {
  gg_var *const v[2] = {before, after};
  gg_var *count[2][GG_MAX_ND] = {{NULL}};
  int n = x != NULL ? (int)gg__rank_of(x) : 0;

  if (!gg__given_beside(GG_CALLED("pad_vector"), x, 2, v) ||
      !take_all(GG_CALLED("pad_vector"), x, 2, v, count, &n))
    return NULL;
  return gg_pad_sizes(x, count[0], count[1], mode, value);
}

/* --- in texts and files --- */

const gg_op_form gg__forms_vector[] = {GG_FORM(vector, "i0+", check_vector),
                                       GG_FORMS_END};
