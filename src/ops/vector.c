/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of integer scalars that the host knows before anything runs, such as
 * all sizes of a variable. */
#include <gpugraph/sizes.h>

#include <string.h>

#include "ops/compose.h"
#include "ops/slice_bounds.h"

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

/* The same as a constant if all scalars are, else NULL. */
static gg_var *constant_vector(gg_graph *g, unsigned int n,
                               gg_var *const *scalars) {
  int64_t data[GG_MAX_VECTOR];
  const size_t size = n;
  double x = 0;

  for (unsigned int i = 0; i < n; i++) {
    if (!gg_var_uniform(scalars[i], &x))
      return NULL;
    if (gg_var_type(scalars[i])->dtype == GA_LONG)
      memcpy(&data[i], gg_var_data(scalars[i]), sizeof data[i]);
    else
      data[i] = (int64_t)x;
  }
  return gg_constant(g, GA_LONG, 1, &size, data);
}

static int check_vector(const gg_apply *a) {
  if (a->n_in > GG_MAX_VECTOR)
    return gg_op_fail(a, GA_VALUE_ERROR, "%u elements are more than %d",
                      a->n_in, GG_MAX_VECTOR);
  return GA_NO_ERROR;
}

gg_var *gg_vector(unsigned int n, gg_var *const *scalars) {
  gg_var *in[GG_MAX_VECTOR];

  if (n == 0 || !gg__given(&gg__op_vector, n, scalars))
    return NULL;
  if (n > GG_MAX_VECTOR)
    return gg__refuse(&gg__op_vector, 1, scalars, GA_VALUE_ERROR,
                      "%u elements are more than %d", n, GG_MAX_VECTOR);
  for (unsigned int i = 0; i < n; i++) {
    if (!gg__check_number(&gg__op_vector, scalars[i], scalars[i]))
      return NULL;
    in[i] = gg_element(scalars[i], 0);
  }
  gg_var *const v = constant_vector(gg_var_graph(in[0]), n, in);
  return v != NULL ? v : gg_op_apply(NULL, &gg__op_vector, NULL, n, in);
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
  const int err = v != NULL ? elements(v, n, out) : GA_VALUE_ERROR;

  for (unsigned int i = 0; err != GA_NO_ERROR && i < n; i++)
    out[i] = NULL;
  return err;
}

/* --- in texts and files --- */

const gg_op_form gg__forms_vector[] = {GG_FORM(vector, "i0+", check_vector),
                                       GG_FORMS_END};
