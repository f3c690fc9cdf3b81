/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/train_weights.h"

#include <gpugraph/replace.h>
#include <gpugraph/walk.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "base/err.h"

static int ends_in(const char *name, const char *end) {
  const size_t n = strlen(name), k = strlen(end);

  return n >= k && strcmp(name + n - k, end) == 0;
}

/* Nonzero if the name of w begins with one of n words. */
static int begins(const gg_var *w, const char *const *words, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (strncmp(gg_var_name(w), words[i], strlen(words[i])) == 0)
      return 1;
  return 0;
}

/* --- random values --- */

/* Values for layers of any kind: Glorot's. */
static int draw(gg_var *w, uint64_t seed) {
  const gg_type *t = gg_var_type(w);
  size_t dims[GG_MAX_ND], bytes = ga__dtype_size(t->dtype);

  for (unsigned int i = 0; i < t->nd; i++) {
    dims[i] = (size_t)t->dims[i];
    bytes = ga__times(bytes, dims[i]);
  }
  void *values = ga__calloc(bytes, 1);
  if (values == NULL)
    return ga__fail_nomem();
  int err = gg_init_fill(values, t->dtype, t->nd, dims,
                         gg_init_glorot_uniform(1), seed);
  if (err == GA_NO_ERROR)
    err = gg_shared_write(w, values, bytes);
  ga__free(values);
  return err;
}

static int can_be_drawn(const gg_var *w) {
  const gg_type *t = gg_var_type(w);
  int is_known = t->nd >= 2 && ga__dtype_kind(t->dtype) == GA_KIND_FLOAT;

  for (unsigned int i = 0; i < t->nd; i++)
    is_known = is_known && t->dims[i] > 0;
  return is_known;
}

int train_weights_draw(const train_arguments *a, gg_var *const *vars) {
  gg_var **w;
  size_t n, found = 0;
  int err = GA_NO_ERROR;

  if (a->n_drawn == 0)
    return GA_NO_ERROR;
  GA_TRY(gg_leaves(&w, &n, vars, NULL, GG_LEAF_SHARED));
  for (size_t i = 0; err == GA_NO_ERROR && i < n; i++)
    if (begins(w[i], a->drawn, a->n_drawn) && can_be_drawn(w[i]))
      err = draw(w[i], a->seed * 1000003 + found++);
  gg_list_free(w);
  if (err == GA_NO_ERROR && found == 0)
    err = ga__fail(GA_VALUE_ERROR,
                   "--draw %s: %s has no weights of two axes or more whose "
                   "names begin so",
                   a->drawn[0], a->model);
  return err;
}

/* --- parameters --- */

typedef struct adder {
  gg_params **params;
  train_givens *givens;
  const train_arguments *a;
  gg_graph *g;
} adder;

/* Statistics of normalisations are not trained. */
static int is_frozen(const train_arguments *a, const gg_var *w) {
  const char *name = gg_var_name(w);

  return begins(w, a->frozen, a->n_frozen) ||
         ga__dtype_kind(gg_var_type(w)->dtype) != GA_KIND_FLOAT ||
         ends_in(name, "running_mean") || ends_in(name, "running_var");
}

/* Make a parameter with the name and the value of w. */
static int add_param(const adder *to, gg_var *w) {
  const int dtype = gg_var_type(w)->dtype;
  const char *name = gg_var_name(w);
  GpuArray now = {0};
  int err;

  if (*to->params == NULL)
    *to->params = gg_params_new(to->g, dtype, to->a->seed);
  gg_params *params = *to->params;
  if (dtype != gg_params_dtype(params))
    return ga__fail(
        GA_UNSUPPORTED_ERROR,
        "weights that are trained have one dtype, but %s is %s, and "
        "others are %s: --freeze some",
        name, ga__dtype_name(dtype), ga__dtype_name(gg_params_dtype(params)));
  if (name[0] == '\0' || gg_params_find(params, name) != NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR, "weights need names, and %s%s",
                    name[0] == '\0' ? "one has none" : "two are called ", name);
  GA_CHECK(gg_shared_get(w, &now));
  gg_var *p =
      gg_param(params, name, now.nd, now.dimensions, gg_init_constant(0));
  GA_CHECK(gg_graph_status(to->g));
  GA_CHECK(gg_shared_set(p, &now));
  err = ga__vec_push(to->givens, ((gg_given){w, p}));
done:
  GpuArray_clear(&now);
  return err;
}

int train_weights_add(gg_params **params, train_givens *givens,
                      const train_arguments *a, gg_graph *g, gg_var *out) {
  const adder to = {params, givens, a, g};
  gg_var **w, *outs[] = {out, NULL};
  unsigned char connected;
  size_t n;

  GA_TRY(gg_leaves(&w, &n, outs, NULL, GG_LEAF_SHARED));
  int err = GA_NO_ERROR;
  for (size_t i = 0; err == GA_NO_ERROR && i < n; i++) {
    gg_var *one[] = {w[i], NULL};

    if (is_frozen(a, w[i]))
      continue;
    err = gg_connections(&connected, one, outs);
    if (err == GA_NO_ERROR && connected)
      err = add_param(&to, w[i]);
  }
  gg_list_free(w);
  if (err == GA_NO_ERROR && givens->n == 0)
    err = ga__fail(GA_VALUE_ERROR, "%s has no weights to train", a->model);
  return err == GA_NO_ERROR ? ga__vec_push(givens, ((gg_given){NULL, NULL}))
                            : err;
}
