/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparing gradients with central differences. */
#include <gpugraph/complex.h>
#include <gpugraph/func.h>
#include <gpugraph/grad.h>
#include <math.h>

#include "base/dtype.h"
#include "debug/watch.h"

typedef struct checker {
  gg_graph *g;
  unsigned int n;
  gg_var *const *wrt;
  GpuArray *const *at;
  gg_func *cost, *slopes; /* the cost, and its gradients by the float inputs;
                             both take all inputs */
  GpuArray *slope;        /* by float input */
  double step, rtol;
} checker;

/* --- the cost --- */

/* float64 only if y is: the device may not support it. */
static gg_var *scalar(const gg_var *y, double v) {
  return ga__dtype_real(y->type.dtype) == GA_DOUBLE
             ? gg_f64(y->graph, v)
             : gg_f32(y->graph, (float)v);
}

/* Scalars in [0.5, 1.5] in the shape of y: a hash of the positions. */
static gg_var *weights(gg_var *y) {
  const int part = ga__dtype_real(y->type.dtype);
  const int type = part == GA_DOUBLE ? GA_DOUBLE : GA_FLOAT;
  gg_var *sum = scalar(y, 0.37);

  for (unsigned int i = 0; i < y->type.nd; i++)
    sum = gg_add(sum, gg_mul(scalar(y, 12.9898 + 65.3 * i),
                             gg_cast(gg_positions(y, (int)i), type)));
  sum = gg_add(scalar(y, 1), gg_mul(scalar(y, 0.5), gg_sin(sum)));
  return gg_cast(sum, part);
}

/* Both parts of complex numbers count, with different weights. */
static gg_var *cost_of(gg_var *y) {
  gg_var *const w = weights(y);

  if (!gg__is_complex(y))
    return gg_sum(gg_mul(y, w));
  return gg_sum(gg_add(gg_mul(gg_real(y), w),
                       gg_mul(gg_imag(y), gg_sub(scalar(w, 1.7), w))));
}

static int build(checker *c, gg_var *y) {
  gg_var *cost = cost_of(y);
  GA_VEC(gg_var *) in = {0}, floats = {0}, grad = {0};
  int err;

  GA_CHECK(gg_graph_status(c->g));
  for (unsigned int i = 0; i < c->n; i++) {
    GA_CHECK(ga__vec_push(&in, c->wrt[i]));
    if (!gg__is_smooth(c->wrt[i]))
      continue;
    GA_CHECK(ga__vec_push(&floats, c->wrt[i]));
    GA_CHECK(ga__vec_push(&grad, NULL));
  }
  GA_CHECK(ga__vec_push(&in, NULL));
  GA_CHECK(ga__vec_push(&grad, NULL));
  GA_CHECK(gg_grad_ex(grad.v, cost, (unsigned int)floats.n, floats.v, 0, NULL,
                      GG_GRAD_ALLOW_DISCONNECTED));
  GA_CHECK(gg_func_new(&c->cost, c->g,
                       &(gg_func_spec){.name = "cost",
                                       .inputs = in.v,
                                       .outputs = GG_VARS(cost),
                                       .flags = GG_ALLOW_UNUSED_INPUT}));
  GA_CHECK(gg_func_new(&c->slopes, c->g,
                       &(gg_func_spec){.name = "gradient",
                                       .inputs = in.v,
                                       .outputs = grad.v,
                                       .flags = GG_ALLOW_UNUSED_INPUT}));
done:
  ga__vec_clear(&in);
  ga__vec_clear(&floats);
  ga__vec_clear(&grad);
  return err;
}

/* --- running --- */

static int failed(const checker *c, const gg_func *f, int err) {
  return gg__fail(c->g, err, "check: %s", gg_func_error(f));
}

static int array_failed(const checker *c, int err) {
  if (err == GA_NO_ERROR)
    return err;
  return gg__fail(c->g, err, "check: %s", ga__err_text(err));
}

static int run_slopes(checker *c) {
  GpuArray **out = ga__calloc(c->n + (size_t)1, sizeof *out);
  unsigned int k = 0;

  c->slope = ga__calloc(c->n + (size_t)1, sizeof *c->slope);
  if (c->slope == NULL || out == NULL) {
    ga__free(out);
    return gg__fail(c->g, GA_MEMORY_ERROR, "out of host memory");
  }
  for (unsigned int i = 0; i < c->n; i++)
    if (gg__is_smooth(c->wrt[i])) {
      out[k] = &c->slope[k];
      k++;
    }
  int err = gg_func_call(c->slopes, c->at, out);
  ga__free(out);
  return err == GA_NO_ERROR ? err : failed(c, c->slopes, err);
}

static int run_cost(const checker *c, GpuArray *const *in, double *value) {
  GpuArray out = {0};
  void *data = NULL;
  int err = gg_func_call(c->cost, in, (GpuArray *[]){&out});

  if (err != GA_NO_ERROR)
    return failed(c, c->cost, err);
  err = array_failed(c, gg__host_read(&out, &data));
  if (err == GA_NO_ERROR)
    *value = ga__dtype_to_double(out.typecode, data);
  ga__free(data);
  GpuArray_clear(&out);
  return err;
}

/* --- one input --- */

/* An input whose elements are varied: the elements on the host, and the array
 * that gets them. A complex element is two, its parts. */
typedef struct moved {
  GpuArray array, **in;
  char *data;
  int dtype;
  size_t n, size, parts;
} moved;

static void moved_clear(moved *m) {
  GpuArray_clear(&m->array);
  ga__free(m->data);
  ga__free(m->in);
}

static int moved_init(moved *m, const checker *c, unsigned int i) {
  void *data = NULL;
  size_t d;

  GA_TRY(array_failed(c, GpuArray_copy(&m->array, c->at[i], GA_C_ORDER)));
  GA_TRY(array_failed(c, gg__host_read(c->at[i], &data)));
  m->data = data;
  m->dtype = ga__dtype_real(m->array.typecode);
  m->size = ga__dtype_size(m->dtype);
  m->parts = GpuArray_ITEMSIZE(&m->array) / m->size;
  for (m->n = m->parts, d = 0; d < m->array.nd; d++)
    m->n *= m->array.dimensions[d];
  m->in = ga__calloc(c->n + (size_t)1, sizeof(GpuArray *));
  if (m->in == NULL)
    return gg__fail(c->g, GA_MEMORY_ERROR, "out of host memory");
  for (unsigned int k = 0; k < c->n; k++)
    m->in[k] = k == i ? &m->array : c->at[k];
  return GA_NO_ERROR;
}

/* Compute the cost with element k at x; *stored is x rounded to the dtype. */
static int cost_at(const checker *c, moved *m, size_t k, double x, double *cost,
                   double *stored) {
  char *p = m->data + k * m->size;

  ga__dtype_from_double(m->dtype, p, x);
  *stored = ga__dtype_to_double(m->dtype, p);
  GA_TRY(array_failed(c, GpuArray_write(&m->array, m->data, m->n * m->size)));
  return run_cost(c, m->in, cost);
}

static int difference(const checker *c, moved *m, unsigned int i, size_t k,
                      double *slope) {
  const double x = ga__dtype_to_double(m->dtype, m->data + k * m->size);
  const double h = c->step * fmax(1, fabs(x));
  double hi = 0, lo = 0, above = x, below = x;

  GA_TRY(cost_at(c, m, k, x + h, &hi, &above));
  GA_TRY(cost_at(c, m, k, x - h, &lo, &below));
  ga__dtype_from_double(m->dtype, m->data + k * m->size, x);
  if (above == below)
    return gg__fail(c->g, GA_VALUE_ERROR,
                    "check: input %u (%s) is %.9g, and %s rounds a step of "
                    "%.9g away",
                    i, c->wrt[i]->name, x, ga__dtype_name(m->dtype), h);
  *slope = (hi - lo) / (above - below);
  return GA_NO_ERROR;
}

static int compare(const checker *c, moved *m, unsigned int i,
                   const char *slope) {
  const gg_var *v = c->wrt[i];
  double top = 0, want = 0;
  char index[160];
  gg_dims d = {m->array.nd, {0}};

  for (size_t k = 0; k < d.nd; k++)
    d.dim[k] = m->array.dimensions[k];
  for (size_t k = 0; k < m->n; k++)
    top = fmax(top, fabs(ga__dtype_to_double(m->dtype, slope + k * m->size)));
  for (size_t k = 0; k < m->n; k++) {
    double got = ga__dtype_to_double(m->dtype, slope + k * m->size);
    GA_TRY(difference(c, m, i, k, &want));
    if (!(fabs(got - want) <= c->rtol * fmax(1, fmax(top, fabs(want)))))
      return gg__fail(c->g, GA_VALUE_ERROR,
                      "check: the gradient of input %u (%s) at %s is %.9g, "
                      "differences give %.9g",
                      i, v->name,
                      gg__index_text(&d, k / m->parts, index, sizeof index),
                      got, want);
  }
  return GA_NO_ERROR;
}

static int check_input(const checker *c, unsigned int i, const GpuArray *s) {
  moved m = {.data = NULL};
  void *slope = NULL;
  int err;

  GA_CHECK(moved_init(&m, c, i));
  GA_CHECK(array_failed(c, gg__host_read(s, &slope)));
  GA_CHECK(compare(c, &m, i, slope));
done:
  ga__free(slope);
  moved_clear(&m);
  return err;
}

static int check_all(checker *c, gg_var *y) {
  unsigned int k = 0;

  GA_TRY(build(c, y));
  GA_TRY(run_slopes(c));
  for (unsigned int i = 0; i < c->n; i++)
    if (gg__is_smooth(c->wrt[i]))
      GA_TRY(check_input(c, i, &c->slope[k++]));
  return GA_NO_ERROR;
}

int gg_check_gradient(gg_var *y, unsigned int n, gg_var *const *wrt,
                      GpuArray *const *at, double step, double rtol) {
  checker c = {.n = n, .wrt = wrt, .at = at, .step = step, .rtol = rtol};

  if (y == NULL)
    return GA_VALUE_ERROR;
  c.g = y->graph;
  int exact = ga__dtype_real(y->type.dtype) == GA_DOUBLE;
  for (unsigned int i = 0; i < n; i++) {
    if (wrt[i] == NULL || wrt[i]->kind != GG_VAR_INPUT)
      return gg__fail(c.g, GA_VALUE_ERROR, "check: variable %u is not an input",
                      i);
    exact &= !gg__is_smooth(wrt[i]) ||
             ga__dtype_real(wrt[i]->type.dtype) == GA_DOUBLE;
  }
  if (step == 0)
    c.step = exact ? 1e-6 : 1e-2;
  if (rtol == 0)
    c.rtol = exact ? 1e-6 : 1e-2;
  int err = check_all(&c, y);
  for (unsigned int i = 0; c.slope != NULL && i < n; i++)
    GpuArray_clear(&c.slope[i]);
  ga__free(c.slope);
  gg_func_free(c.cost);
  gg_func_free(c.slopes);
  return err;
}
