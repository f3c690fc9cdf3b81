/* SPDX-License-Identifier: BSD-2-Clause */
/* L-BFGS over the parameters of a group: the cost and its gradient are one
 * function, and host memory has all parameters as one vector. */
#include <gpugraph/lbfgs.h>

#include <math.h>
#include <string.h>

#include <gpugraph/grad.h>

#include "nn/minimise.h"
#include "nn/nn.h"

enum { MOST_PAIRS = 10000 };

typedef struct task {
  gg_params *p;
  const gg_lbfgs_spec *how;
  gg_func *f;           /* outputs: the cost, then gradients */
  gg_var **wrt, **made; /* `made` is the list of outputs */
  unsigned int n_wrt;
  size_t size; /* bytes of an element */
  GpuArray *results, **out;
  char *room; /* for the largest parameter */
} task;

/* --- vectors and parameters --- */

static size_t elements(const gg_var *v) {
  const gg_type *t = gg_var_type(v);
  size_t n = 1;

  for (unsigned int i = 0; i < t->nd; i++)
    n *= (size_t)t->dims[i];
  return n;
}

static int read_parameters(const task *t, double *x) {
  for (unsigned int i = 0; i < t->n_wrt; i++) {
    const size_t n = elements(t->wrt[i]);
    GA_TRY(gg_shared_read(t->wrt[i], t->room, n * t->size));
    for (size_t k = 0; k < n; k++)
      *x++ = ga__dtype_to_double(t->p->root->dtype, t->room + k * t->size);
  }
  return GA_NO_ERROR;
}

/* x becomes what the parameters hold. */
static int write_parameters(const task *t, double *x) {
  const int dtype = t->p->root->dtype;

  for (unsigned int i = 0; i < t->n_wrt; i++) {
    const size_t n = elements(t->wrt[i]);
    for (size_t k = 0; k < n; k++, x++) {
      ga__dtype_from_double(dtype, t->room + k * t->size, *x);
      *x = ga__dtype_to_double(dtype, t->room + k * t->size);
    }
    GA_TRY(gg_shared_write(t->wrt[i], t->room, n * t->size));
  }
  return GA_NO_ERROR;
}

static int read_result(const task *t, const GpuArray *a, size_t n, double *to) {
  const size_t size = ga__dtype_size(a->typecode);

  GA_TRY(GpuArray_read(t->room, n * size, a));
  for (size_t k = 0; k < n; k++)
    to[k] = ga__dtype_to_double(a->typecode, t->room + k * size);
  return GA_NO_ERROR;
}

static int evaluate(void *arg, double *x, double *cost, double *grad) {
  const task *t = arg;

  GA_TRY(write_parameters(t, x));
  GA_TRY(gg_func_call(t->f, t->how->arrays, t->out));
  GA_TRY(read_result(t, &t->results[0], 1, cost));
  for (unsigned int i = 0; i < t->n_wrt; i++) {
    const size_t n = elements(t->wrt[i]);
    GA_TRY(read_result(t, &t->results[i + 1], n, grad));
    grad += n;
  }
  return GA_NO_ERROR;
}

/* --- the function --- */

/* The parameters to train, copied; the largest has *most elements. Returns the
 * number of all elements. */
static size_t list_parameters(task *t, gg_var *const *wrt, size_t *most) {
  size_t sum = 0;

  for (unsigned int i = 0; i < t->n_wrt; i++) {
    const size_t n = elements(wrt[i]);
    t->wrt[i] = wrt[i];
    *most = ga__at_least(*most, n);
    sum += n;
  }
  return sum;
}

static int allocate(task *t, size_t *n) {
  gg_var *const *wrt = gg_params_trained(t->p);
  size_t most = 1;

  while (wrt != NULL && wrt[t->n_wrt] != NULL)
    t->n_wrt++;
  if (t->n_wrt == 0)
    return wrt == NULL ? ga__fail_nomem()
                       : ga__fail(GA_VALUE_ERROR,
                                  "the group has no parameters to train");
  t->wrt = ga__calloc(t->n_wrt, sizeof(gg_var *));
  t->made = ga__calloc(t->n_wrt + 2u, sizeof(gg_var *));
  t->results = ga__calloc(t->n_wrt + 1u, sizeof(GpuArray));
  t->out = ga__calloc(t->n_wrt + 1u, sizeof(GpuArray *));
  if (t->wrt == NULL || t->made == NULL || t->results == NULL || t->out == NULL)
    return ga__fail_nomem();
  *n = list_parameters(t, wrt, &most);
  t->size = ga__dtype_size(t->p->root->dtype);
  t->room = ga__malloc(ga__times(most, sizeof(double)));
  return t->room != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

static int compile(task *t, gg_var *cost) {
  for (unsigned int i = 0; i <= t->n_wrt; i++)
    t->out[i] = &t->results[i];
  t->made[0] = cost;
  GA_TRY(gg_grad(t->made + 1, cost, t->n_wrt, t->wrt));
  return gg_func_new(&t->f, t->p->root->g,
                     &(gg_func_spec){.name = "L-BFGS",
                                     .inputs = t->how->inputs,
                                     .outputs = t->made,
                                     .flags = GG_NO_DEFAULT_UPDATES});
}

static void clear(task *t) {
  for (unsigned int i = 0; t->results != NULL && i <= t->n_wrt; i++)
    GpuArray_clear(&t->results[i]);
  gg_func_free(t->f);
  ga__free(t->wrt);
  ga__free(t->made);
  ga__free(t->results);
  ga__free(t->out);
  ga__free(t->room);
}

/* --- the whole --- */

static int check(const gg_params *p, const gg_var *cost,
                 const gg_lbfgs_spec *how) {
  size_t n = 0;

  if (p == NULL || cost == NULL)
    return ga__fail(GA_INVALID_ERROR, "L-BFGS: the %s is NULL",
                    p == NULL ? "group" : "cost");
  while (how->inputs != NULL && how->inputs[n] != NULL)
    n++;
  for (size_t i = 0; i < n; i++)
    if (how->arrays == NULL || how->arrays[i] == NULL)
      return ga__fail(GA_INVALID_ERROR, "L-BFGS: input %zu of %zu has no array",
                      i, n);
  if (how->history > MOST_PAIRS)
    return ga__fail(GA_VALUE_ERROR,
                    "L-BFGS: a history of %zu pairs, at most %d", how->history,
                    MOST_PAIRS);
  if (!(how->tolerance >= 0) || !(how->change >= 0))
    return ga__fail(GA_VALUE_ERROR,
                    "L-BFGS: a tolerance of %g and a change of %g, expected 0 "
                    "or more",
                    how->tolerance, how->change);
  return GA_NO_ERROR;
}

static gg_lbfgs_spec with_defaults(const gg_lbfgs_spec *how) {
  gg_lbfgs_spec all = how != NULL ? *how : (gg_lbfgs_spec){0};

  all.steps = all.steps != 0 ? all.steps : 100;
  all.history = all.history != 0 ? all.history : 10;
  all.tolerance = all.tolerance != 0 ? all.tolerance : 1e-7;
  all.change = all.change != 0 ? all.change : 1e-9;
  return all;
}

/* Minimise; the parameters become the last point whatever happens. */
static int minimise(task *t, size_t n, gg_lbfgs_done *done) {
  double *x = ga__calloc(n + 1, sizeof *x);

  if (x == NULL)
    return ga__fail_nomem();
  const gg__objective f = {.n = n, .at = evaluate, .arg = t};
  int err = read_parameters(t, x);
  if (err == GA_NO_ERROR) {
    err = gg__minimise(&f, x, t->how, done);
    const int back = write_parameters(t, x);
    err = err != GA_NO_ERROR ? err : back;
  }
  ga__free(x);
  return err;
}

int gg_lbfgs(gg_params *p, gg_var *cost, const gg_lbfgs_spec *how,
             gg_lbfgs_done *out) {
  const gg_lbfgs_spec all = with_defaults(how);
  gg_lbfgs_done done = {.cost = NAN};
  task t = {.p = p, .how = &all};
  size_t n = 0;

  if (out != NULL)
    *out = done;
  GA_TRY(check(p, cost, &all));
  int err = allocate(&t, &n);
  if (err == GA_NO_ERROR)
    err = compile(&t, cost);
  if (err == GA_NO_ERROR)
    err = minimise(&t, n, &done);
  clear(&t);
  if (out != NULL)
    *out = done;
  return err;
}
