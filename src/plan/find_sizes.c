/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of all values for one call, and the scalars that follow from them. */
#include <string.h>

#include "base/dtype.h"
#include "ops/shape/elements.h"
#include "ops/value_size.h"
#include "plan/looping.h"
#include "plan/size_error.h"

/* What finding sizes needs beside the sizes. The lists by input are for one
 * node, and long enough for any. */
struct gg__operands {
  GpuArray *const *given;    /* arguments of the call */
  const GpuArray **argument; /* by input: an argument of the call, or NULL */
  gg_dims *in;               /* by input */
  const double **host;       /* by input: scalars, or NULL where the host knows
                                none */
  double *x;                 /* by input: scalars of a uniform node */
  double *read;              /* scalars in arguments */
  unsigned char *is_known;   /* by node: its sizes never change */
};

typedef struct gg__operands operands;

/* Do types know all sizes of a list of variables? */
static int types_know(gg_var *const *v, unsigned int n) {
  for (unsigned int i = 0; i < n; i++)
    if (gg__type_size(&v[i]->type) == GG_ANY)
      return 0;
  return 1;
}

/* Are the sizes of a node the same for all arguments? Functions of ops that get
 * scalars must be called, since they may refuse them. */
static int is_known(const gg__program *p, const gg_apply *a) {
  if (a->op->kind == GG_OP_INNER || !types_know(a->in, a->n_in) ||
      !types_know(a->out, a->n_out) || p->values.v[gg__out(p, a, 0)].uniform)
    return 0;
  for (unsigned int i = 0; a->op->shape != NULL && i < a->n_in; i++)
    if (p->values.v[gg__in(p, a, i)].uniform)
      return 0;
  return 1;
}

static unsigned int most_inputs(const gg__program *p) {
  unsigned int n = 0;

  for (size_t k = 0; k < p->nodes.n; k++)
    if (p->nodes.v[k].apply->n_in > n)
      n = p->nodes.v[k].apply->n_in;
  return n;
}

static int make_room(gg__sizes *s, const gg__program *p) {
  ga__arena *const m = &s->memory;
  operands *t = ga__arena_alloc(m, sizeof *t);
  const size_t n = most_inputs(p);

  s->dims = ga__arena_alloc(m, p->values.n * sizeof *s->dims);
  s->scalar = ga__arena_alloc(m, p->values.n * sizeof *s->scalar);
  if (t == NULL || s->dims == NULL || s->scalar == NULL)
    return ga__fail_nomem();
  t->in = ga__arena_alloc(m, n * sizeof *t->in);
  t->host = ga__arena_alloc(m, n * sizeof *t->host);
  t->x = ga__arena_alloc(m, n * sizeof *t->x);
  t->argument = ga__arena_alloc(m, n * sizeof *t->argument);
  t->read = ga__arena_alloc(m, p->scalars.n * sizeof *t->read);
  t->is_known = ga__arena_alloc(m, p->nodes.n);
  if (t->in == NULL || t->host == NULL || t->x == NULL || t->argument == NULL ||
      t->read == NULL || t->is_known == NULL)
    return ga__fail_nomem();
  s->operands = t;
  return GA_NO_ERROR;
}

/* --- leaves --- */

static void dims_of_array(gg_dims *d, const GpuArray *a) {
  d->nd = a->nd;
  for (unsigned int i = 0; i < a->nd; i++)
    d->dim[i] = a->dimensions[i];
}

/* `scalars` are not necessarily aligned. */
static void set_scalars(gg__sizes *s, const gg__program *p,
                        const void *scalars) {
  for (size_t k = 0; k < p->scalars.n; k++)
    if (p->scalars.v[k].value != GG_NONE)
      memcpy(&s->scalar[p->scalars.v[k].value],
             (const char *)scalars + k * sizeof *s->scalar, sizeof *s->scalar);
}

/* Does a leaf have the sizes and the scalar of its variable? */
static int is_fixed(const gg__value *v) {
  return v->var->kind == GG_VAR_CONST || v->var->kind == GG_VAR_COMPUTED;
}

static void size_leaf(gg__sizes *s, const gg__program *p, unsigned int k,
                      GpuArray *const *in) {
  const gg__value *v = &p->values.v[k];

  switch (v->var->kind) {
  case GG_VAR_INPUT:
    dims_of_array(&s->dims[k], in[v->leaf]);
    break;
  case GG_VAR_SHARED:
    dims_of_array(&s->dims[k], &v->var->storage->value);
    break;
  case GG_VAR_CONST:
  case GG_VAR_COMPUTED:
    gg__dims_of_type(&s->dims[k], &v->var->type);
    gg_var_uniform(v->var, &s->scalar[k]);
    break;
  }
}

/* --- nodes --- */

static int host_scalar(const gg_apply *a, const operands *t,
                       const gg_dims *want, double *out) {
  double room[2] = {0, 0}; /* as large as the largest element */

  gpuarray_clear_error();
  GA_TRY(a->op->host(a, t->in, t->host, want, room));
  *out = ga__dtype_to_double(a->out[0]->type.dtype, room);
  return GA_NO_ERROR;
}

/* Find the scalar of a uniform node. */
static int find_scalar(const gg__program *p, const gg__node *n,
                       const gg__sizes *s, operands *t, unsigned int out) {
  const gg_apply *a = n->apply;

  if (a->op->kind == GG_OP_SHAPE)
    return host_scalar(a, t, &s->dims[out], &s->scalar[out]);
  for (unsigned int i = 0; i < a->n_in; i++)
    t->x[i] = s->scalar[gg__in(p, a, i)];
  if (a->op->kind == GG_OP_VIEW || a->op->kind == GG_OP_TRANSFER) {
    s->scalar[out] = t->x[0];
    return GA_NO_ERROR;
  }
  s->scalar[out] = gg__rounded(a, n->code->eval(t->x));
  return GA_NO_ERROR;
}

/* --- the whole --- */

/* Sizes that types know were checked when the graph was built. */
static int check_dims(const gg_apply *a, const gg_dims *d) {
  if (!gg__dims_fit(d))
    return ga__fail(GA_XLARGE_ERROR, "%s: the result is too large",
                    a->op->name);
  return GA_NO_ERROR;
}

/* Find the sizes of the outputs of a node with inner graphs. Sizes inside may
 * depend on scalars in arguments. */
static int inner_sizes(const gg__program *p, const gg__node *n, operands *t,
                       gg_dims *out) {
  for (unsigned int i = 0; i < n->apply->n_in; i++) {
    const gg_var *const v = gg__argument_of(n->apply->in[i]);
    t->argument[i] =
        v != NULL ? t->given[p->values.v[p->value_of[v->id]].leaf] : NULL;
  }
  if (n->apply->op == &gg__op_scan)
    return gg__loop_sizes(n, t->in, t->argument, t->host, out);
  return gg__ifelse_sizes(n, t->in, t->argument, out);
}

static int size_node(gg__sizes *s, const gg__program *p, const gg__node *n,
                     operands *t) {
  const gg_apply *a = n->apply;
  const unsigned int first = gg__out(p, a, 0);

  for (unsigned int i = 0; i < a->n_in; i++) {
    unsigned int v = gg__in(p, a, i);
    t->in[i] = s->dims[v];
    t->host[i] = gg__scalar_of(s, p, v);
  }
  /* The outputs of a node are consecutive values. */
  if (a->op->kind == GG_OP_INNER)
    GA_TRY(inner_sizes(p, n, t, &s->dims[first]));
  else
    GA_TRY(gg__apply_sizes(a, t->in, t->host, &s->dims[first]));
  for (unsigned int i = 0; i < a->n_out; i++)
    GA_TRY(check_dims(a, &s->dims[first + i]));
  if (p->values.v[first].uniform && !p->values.v[first].is_read)
    return find_scalar(p, n, s, t, first);
  return GA_NO_ERROR;
}

/* Find the sizes of all nodes; with `again` not those that s has already. */
static int size_nodes(gg__sizes *s, const gg__program *p, int again) {
  operands *t = s->operands;
  int err;

  for (size_t k = 0; k < p->nodes.n; k++) {
    if (again && t->is_known[k])
      continue;
    err = size_node(s, p, &p->nodes.v[k], t);
    if (err != GA_NO_ERROR)
      return gg__blame_sizes(err, &(gg__failed_size){p, s->dims, t->in, k});
  }
  for (size_t k = 0; !again && k < p->nodes.n; k++)
    t->is_known[k] = (unsigned char)is_known(p, p->nodes.v[k].apply);
  return GA_NO_ERROR;
}

/* Find all sizes; scalars in arguments are read if `scalars` is NULL. */
static int find_sizes(gg__sizes *s, const gg__program *p, GpuArray *const *in,
                      const void *scalars) {
  const int again = s->operands != NULL;
  int err = GA_NO_ERROR;

  if (!again)
    GA_CHECK(make_room(s, p));
  s->operands->given = in;
  if (scalars == NULL)
    GA_CHECK(gg__read_scalars(p, in, s->operands->read, NULL));
  set_scalars(s, p, scalars != NULL ? scalars : s->operands->read);
  for (unsigned int k = 0; k < p->values.n; k++)
    if (p->values.v[k].node == GG_NONE && !(again && is_fixed(&p->values.v[k])))
      size_leaf(s, p, k, in);
  GA_CHECK(size_nodes(s, p, again));
done:
  if (err != GA_NO_ERROR)
    gg__sizes_clear(s);
  return err;
}

int gg__sizes_init(gg__sizes *s, const gg__program *p, GpuArray *const *in) {
  return find_sizes(s, p, in, NULL);
}

int gg__sizes_for(gg__sizes *s, const gg__program *p, GpuArray *const *in,
                  const void *scalars) {
  return find_sizes(s, p, in, scalars);
}
