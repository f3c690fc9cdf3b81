/* SPDX-License-Identifier: BSD-2-Clause */
/* Values: which variables a function needs, how each is used, which are scalars
 * that the host knows, and which have equal shapes. */
#include "fuse/program.h"

#include <gpuarray/device.h>
#include <string.h>

#include "ops/ops.h"

enum { CACHE_BYTES = 4 << 20 };

/* --- values and nodes --- */

static int find_context(gg__program *p, gpucontext *ctx, unsigned int *index) {
  gg__context x = {.ctx = ctx};

  for (*index = 0; *index < p->contexts.n; ++*index)
    if (p->contexts.v[*index].ctx == ctx)
      return GA_NO_ERROR;
  return ga__vec_push(&p->contexts, x);
}

static int add_value(gg__program *p, gg_var *v, unsigned int node) {
  gg__value x = {.var = v, .node = node, .leaf = GG_NONE, .step = GG_NONE};

  if (p->value_of[v->id] != GG_NONE)
    return GA_NO_ERROR;
  GA_TRY(find_context(p, v->type.ctx, &x.context));
  p->value_of[v->id] = (unsigned int)p->values.n;
  return ga__vec_push(&p->values, x);
}

/* Find the inputs that the code of an elementwise node uses, as bits. */
static int find_used(const gg_apply *a, const gg_code *code,
                     unsigned int *used) {
  for (const char *s = strchr(code->text, '%'); s != NULL;
       s = strchr(s + 2, '%')) {
    if (s[1] >= '0' && s[1] <= '9' && (unsigned int)(s[1] - '0') < a->n_in)
      *used |= 1u << (s[1] - '0');
    else if (s[1] == '\0' || strchr("TtIi%", s[1]) == NULL)
      return gg_op_fail(a, GA_VALUE_ERROR, "its code has \"%.2s\" in \"%s\"", s,
                        code->text);
  }
  return GA_NO_ERROR;
}

/* Inputs whose elements do not matter, as bits: the op says so, or its code
 * does not use them. */
static unsigned int find_unread(const gg_apply *a, unsigned int used) {
  unsigned int unread = a->op->shape_only | a->op->number_only | ~used;

  if (a->op->kind == GG_OP_SHAPE)
    return ~0u;
  if (a->op == &gg__op_cumulate_by)
    for (unsigned int i = 0; i < a->n_in; i++)
      unread |= (unsigned int)gg_apply_shape_only(a, i) << i;
  return unread;
}

static int add_node(gg__program *p, gg_apply *a) {
  const unsigned int index = (unsigned int)p->nodes.n;
  gg__node n = {.apply = a};
  unsigned int used = a->op->kind == GG_OP_ELEMWISE ? 0 : ~0u;

  if (a->op->kind == GG_OP_MACRO)
    return gg__fail(p->g, GA_IMPL_ERROR, "%s was not lowered", a->op->name);
  if (a->op->kind == GG_OP_ELEMWISE) {
    n.code = gg_apply_code(a);
    if (n.code == NULL)
      return gg__fail(p->g, GA_IMPL_ERROR, "%s has no code", a->op->name);
    GA_TRY(find_used(a, n.code, &used));
  }
  n.unread = find_unread(a, used);
  for (unsigned int i = 0; i < a->n_in; i++)
    if (a->in[i]->owner == NULL)
      GA_TRY(add_value(p, a->in[i], GG_NONE));
  for (unsigned int i = 0; i < a->n_out; i++)
    GA_TRY(add_value(p, a->out[i], index));
  return ga__vec_push(&p->nodes, n);
}

static int add_nodes(gg__program *p, const gg__build *b) {
  gg__order order = {NULL, 0, 0};
  int err;

  p->value_of = ga__malloc(p->g->vars.n * sizeof *p->value_of);
  if (p->value_of == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < p->g->vars.n; i++)
    p->value_of[i] = GG_NONE;
  GA_CHECK(gg__toposort(&order, b->results.n, b->results.v));
  for (size_t i = 0; i < order.n; i++)
    GA_CHECK(add_node(p, order.v[i]));
  for (size_t i = 0; i < b->results.n; i++)
    if (b->results.v[i]->owner == NULL)
      GA_CHECK(add_value(p, b->results.v[i], GG_NONE));
done:
  ga__vec_clear(&order);
  return err;
}

/* --- scalars that the host knows --- */

static int node_is_uniform(const gg__program *p, const gg__node *n) {
  const gg_apply *a = n->apply;

  if (a->op->kind == GG_OP_SHAPE)
    return gg__type_size(&a->out[0]->type) == 1;
  if (a->op->kind != GG_OP_VIEW && a->op->kind != GG_OP_TRANSFER &&
      (a->op->kind != GG_OP_ELEMWISE || n->code->eval == NULL))
    return 0;
  for (unsigned int i = 0; i < a->n_in; i++)
    if (gg__reads(n, i) && !p->values.v[gg__in(p, a, i)].uniform)
      return 0;
  return a->n_out == 1;
}

/* Can the host compute the node's scalar from the scalars of its inputs? */
static int passes_scalars(const gg__node *n) {
  const gg_op_kind kind = n->apply->op->kind;

  return n->apply->n_out == 1 &&
         (kind == GG_OP_VIEW ||
          (kind == GG_OP_ELEMWISE && n->code->eval != NULL));
}

const gg_var *gg__argument_of(const gg_var *v) {
  while (v->owner != NULL && (v->owner->op == &gg__op_specify_shape ||
                              v->owner->op == &gg__op_specify_sizes))
    v = v->owner->in[0];
  return v->kind == GG_VAR_INPUT ? v : NULL;
}

int gg__add_scalar(gg__program *p, gg__scalar s) {
  for (size_t k = 0; k < p->scalars.n && s.value == GG_NONE; k++)
    if (p->scalars.v[k].leaf == s.leaf && p->scalars.v[k].index == s.index)
      return GA_NO_ERROR;
  GA_TRY(ga__vec_push(&p->scalars, s));
  for (size_t k = p->scalars.n; --k > 0 && p->scalars.v[k - 1].leaf > s.leaf;) {
    p->scalars.v[k] = p->scalars.v[k - 1];
    p->scalars.v[k - 1] = s;
  }
  return GA_NO_ERROR;
}

/* Can the host read the scalar v from an argument? It is an input, or an
 * element of one. If so, set *s. */
static int is_readable(const gg__program *p, const gg_var *v, gg__scalar *s) {
  const gg_apply *const a = v->owner;
  const int is_element = a != NULL && a->op == &gg__op_index;

  if (v->type.nd != 0 || !gg__is_integer(v->type.dtype) ||
      (a != NULL && !is_element) || (is_element && a->in[0]->type.nd != 1))
    return 0;
  const gg_var *const from = gg__argument_of(is_element ? a->in[0] : v);
  if (from == NULL)
    return 0;
  s->value = p->value_of[v->id];
  s->leaf = p->values.v[p->value_of[from->id]].leaf;
  s->index = is_element ? ((const gg__index_props *)a->props)->index : 0;
  return 1;
}

/* The host needs some scalars before a call, such as the number of iterations
 * of a loop. It then reads the integer inputs from which they are computed,
 * or elements of these.
 * steer[v]: the host needs value v. */
static int find_scalars(gg__program *p) {
  unsigned char *steer = ga__calloc(p->values.n, 1);
  int err = GA_NO_ERROR;
  gg__scalar s;

  if (steer == NULL)
    return ga__fail_nomem();
  for (size_t i = p->nodes.n; i-- > 0;) {
    const gg__node *n = &p->nodes.v[i];
    for (size_t k = 0; k < n->apply->n_in; k++)
      if (gg__number_only(n->apply, (unsigned int)k) ||
          (passes_scalars(n) && gg__reads(n, (unsigned int)k) &&
           steer[gg__out(p, n->apply, 0)]))
        steer[gg__in(p, n->apply, (unsigned int)k)] = 1;
  }
  for (size_t i = 0; i < p->values.n && err == GA_NO_ERROR; i++) {
    gg__value *const v = &p->values.v[i];
    if (!steer[i] || !is_readable(p, v->var, &s))
      continue;
    v->uniform = v->is_read = 1;
    err = gg__add_scalar(p, s);
  }
  ga__free(steer);
  return err;
}

static void find_uniform(gg__program *p) {
  double scalar;

  for (size_t i = 0; i < p->values.n; i++) {
    gg__value *v = &p->values.v[i];
    if (v->node == GG_NONE && !v->uniform)
      v->uniform = gg_var_uniform(v->var, &scalar) != 0;
  }
  for (size_t i = 0; i < p->nodes.n; i++)
    if (node_is_uniform(p, &p->nodes.v[i]))
      p->values.v[gg__out(p, p->nodes.v[i].apply, 0)].uniform = 1;
}

/* --- what is needed, and how it is computed --- */

static gg__role choose_role(const gg__program *p, const gg_apply *a) {
  const gg__value *first = &p->values.v[gg__out(p, a, 0)];
  unsigned int want = 0;

  for (unsigned int i = 0; i < a->n_out; i++)
    want |= p->values.v[gg__out(p, a, i)].want;
  if (want == 0)
    return GG_DEAD;
  if (first->uniform && (want & GG_WANT_PLACE) == 0)
    return GG_UNIFORM;
  switch (a->op->kind) {
  case GG_OP_ELEMWISE:
    return GG_MAP;
  case GG_OP_REDUCE:
    return GG_REDUCE;
  case GG_OP_VIEW:
    return GG_VIEW;
  case GG_OP_SHAPE:
    return GG_TABLE;
  case GG_OP_TRANSFER:
    return GG_TRANSFER;
  case GG_OP_KERNEL:
  case GG_OP_PERFORM:
  case GG_OP_MACRO:
  case GG_OP_INNER:
    break;
  }
  return GG_KERNEL;
}

/* Would a map on a CPU be slower than a kernel of the op's own? Not if the
 * index runs along the last axis, where rows are fetched ahead. Else it would
 * if whole rows are read, which can be copied at once, and if the array is
 * known to exceed the caches: a map would wait for memory at each element. */
static int is_slow_in_maps(const gg__program *p, const gg_apply *a) {
  const gg_type *t = &a->in[0]->type, *index = &a->in[1]->type;
  const int64_t n = gg__type_size(t);

  if (!p->contexts.v[p->values.v[gg__out(p, a, 0)].context].is_cpu ||
      a->op->takes(a) + 1 == (int)t->nd)
    return 0;
  return index->dims[t->nd - 1] == 1 ||
         (n != GG_ANY && n > CACHE_BYTES / (int64_t)ga__dtype_size(t->dtype));
}

/* Is it better that a map computes a node with kernels of its own? Yes if a map
 * reads the result, or if a map computes the indices and nothing else has read
 * these so far. */
static int joins_maps(const gg__program *p, const gg_apply *a) {
  if (!p->fuses || a->op->takes == NULL || a->op->takes(a) < 0 ||
      gg__is_complex(a->in[0]) || p->values.v[gg__in(p, a, 0)].uniform ||
      is_slow_in_maps(p, a))
    return 0;
  const gg__value *index = &p->values.v[gg__in(p, a, 1)];
  return (p->values.v[gg__out(p, a, 0)].want & GG_WANT_MAP) != 0 ||
         (index->node != GG_NONE && !index->uniform && index->want == 0 &&
          p->nodes.v[index->node].apply->op->kind == GG_OP_ELEMWISE);
}

/* How a node of this role uses an input. */
static unsigned char want_of(gg__role role, int uniform) {
  switch (role) {
  case GG_UNIFORM:
    return GG_WANT_SCALAR;
  case GG_MAP:
    return uniform ? GG_WANT_SCALAR : GG_WANT_READ | GG_WANT_MAP;
  case GG_REDUCE: /* its kernel needs an array that defines its space */
    return uniform ? GG_WANT_PLACE : GG_WANT_READ;
  case GG_VIEW:
  case GG_KERNEL:
  case GG_TRANSFER:
    return GG_WANT_PLACE;
  case GG_DEAD:
  case GG_TABLE:
    break;
  }
  return 0;
}

static unsigned char want_of_input(const gg__node *n, unsigned int i,
                                   int uniform) {
  if (gg__takes(n, i))
    return GG_WANT_PLACE;
  if (i == 0 && !uniform && gg__front_reads(n) > 0)
    return GG_WANT_READ;
  return want_of(n->role, uniform);
}

static void choose_roles(gg__program *p) {
  /* Its source is that of emit.c. */
  static const gg_code taken = {.text = "", .vector = 1, .flops = 4};

  for (size_t k = 0; k < p->results.n; k++)
    p->values.v[p->results.v[k].value].want |= GG_WANT_PLACE;
  for (size_t k = p->nodes.n; k-- > 0;) {
    gg__node *n = &p->nodes.v[k];
    n->role = choose_role(p, n->apply);
    if (n->role == GG_KERNEL && joins_maps(p, n->apply)) {
      n->role = GG_MAP;
      n->code = &taken;
    }
    for (unsigned int i = 0; i < n->apply->n_in; i++) {
      if (!gg__reads(n, i))
        continue;
      gg__value *v = &p->values.v[gg__in(p, n->apply, i)];
      v->want |= want_of_input(n, i, v->uniform);
    }
  }
}

/* --- equal shapes in one context --- */

/* Do operand `a` and result `b` of an elementwise node have the same shape? A
 * size that is not known to be 1 is never broadcast, so it is enough that they
 * are 1 along the same axes. */
static int same_ones(const gg_type *a, const gg_type *b) {
  for (unsigned int i = 0; i < a->nd; i++)
    if ((a->dims[i] == 1) != (b->dims[i] == 1))
      return 0;
  return a->nd == b->nd;
}

/* Unite value v with the first one that has this key. */
static int unite_equal(unsigned int *space, ga__map *met, const void *key,
                       size_t bytes, unsigned int v) {
  const unsigned int *first = ga__map_get(met, key, bytes);

  if (first == NULL)
    return ga__map_put(met, key, bytes, &space[v]);
  gg__unite(space, (unsigned int)(first - space), v);
  return GA_NO_ERROR;
}

static int unite_known_sizes(const gg__program *p, unsigned int *space) {
  ga__map sizes = GA_MAP_INIT;
  int64_t key[GG_MAX_ND + 1]; /* sizes and context */
  int err = GA_NO_ERROR;

  for (size_t i = 0; i < p->values.n && err == GA_NO_ERROR; i++) {
    const gg_type *t = &p->values.v[i].var->type;
    if (gg__type_size(t) == GG_ANY)
      continue;
    memcpy(key, t->dims, t->nd * sizeof *key);
    key[t->nd] = p->values.v[i].context;
    err = unite_equal(space, &sizes, key, (t->nd + 1) * sizeof *key,
                      (unsigned int)i);
  }
  ga__map_clear(&sizes);
  return err;
}

/* Unite the results of reductions of equal shapes over the same axes. */
static int unite_reductions(const gg__program *p, unsigned int *space) {
  ga__map spaces = GA_MAP_INIT;
  int err = GA_NO_ERROR;

  for (size_t k = 0; k < p->nodes.n && err == GA_NO_ERROR; k++) {
    const gg_apply *a = p->nodes.v[k].apply;
    const gg_reduce_props *props = a->props;
    if (a->op->kind != GG_OP_REDUCE)
      continue;
    const unsigned int key[] = {gg__find_root(space, gg__in(p, a, 0)),
                                props->axes_mask, props->keepdims != 0};
    err = unite_equal(space, &spaces, key, sizeof key, gg__out(p, a, 0));
  }
  ga__map_clear(&spaces);
  return err;
}

/* Unite operands with results of the same shape, as far as types tell. */
static void unite_operands(const gg__program *p, unsigned int *space) {
  for (size_t k = 0; k < p->nodes.n; k++) {
    const gg__node *n = &p->nodes.v[k];
    const gg_apply *a = n->apply;
    if (a->op->kind != GG_OP_ELEMWISE && n->role != GG_MAP)
      continue;
    for (unsigned int i = 0; i < a->n_in; i++)
      if (!gg__takes(n, i) && a->in[i]->type.ctx == a->out[0]->type.ctx &&
          same_ones(&a->in[i]->type, &a->out[0]->type))
        gg__unite(space, gg__in(p, a, i), gg__out(p, a, 0));
  }
}

static int find_spaces(gg__program *p) {
  unsigned int *space = ga__malloc(p->values.n * sizeof *space);
  int err;

  if (space == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < p->values.n; k++)
    space[k] = (unsigned int)k;
  unite_operands(p, space);
  GA_CHECK(unite_reductions(p, space));
  GA_CHECK(unite_known_sizes(p, space));
  for (size_t k = 0; k < p->values.n; k++)
    p->values.v[k].space = gg__find_root(space, (unsigned int)k);
done:
  ga__free(space);
  return err;
}

/* --- inputs, shared variables, results --- */

static int add_inputs(gg__program *p, const gg__build *b) {
  for (size_t i = 0; i < b->inputs.n; i++) {
    GA_TRY(ga__vec_push(&p->arguments, b->inputs.v[i]));
    unsigned int v = p->value_of[b->inputs.v[i]->id];
    if (v != GG_NONE)
      p->values.v[v].leaf = (unsigned int)i;
  }
  return GA_NO_ERROR;
}

/* List a shared variable; *index is its index. A variable that is updated but
 * not read has no value. */
static int add_shared(gg__program *p, gg_var *var, unsigned int *index) {
  gg__shared s = {.storage = var->storage,
                  .var = var,
                  .value = p->value_of[var->id],
                  .result = GG_NONE};

  *index = (unsigned int)p->shared.n;
  if (s.value != GG_NONE) {
    if (p->values.v[s.value].leaf != GG_NONE) {
      *index = p->values.v[s.value].leaf;
      return GA_NO_ERROR;
    }
    p->values.v[s.value].leaf = *index;
  }
  return ga__vec_push(&p->shared, s);
}

static int add_leaves(gg__program *p, const gg__build *b) {
  unsigned int index;

  GA_TRY(add_inputs(p, b));
  for (size_t i = 0; i < p->values.n; i++) {
    gg_var *var = p->values.v[i].var;
    if (var->kind == GG_VAR_SHARED)
      GA_TRY(add_shared(p, var, &index));
  }
  for (size_t i = 0; i < b->targets.n; i++) {
    size_t k = b->n_outputs + i;
    gg__result *r = &p->results.v[k];
    GA_TRY(add_shared(p, b->targets.v[i], &r->shared));
    p->shared.v[r->shared].result = (unsigned int)k;
  }
  return GA_NO_ERROR;
}

static int add_results(gg__program *p, const gg__build *b) {
  gg__result r = {.shared = GG_NONE};

  p->n_outputs = b->n_outputs;
  for (size_t i = 0; i < b->results.n; i++) {
    r.value = p->value_of[b->results.v[i]->id];
    p->values.v[r.value].is_result = 1;
    GA_TRY(ga__vec_push(&p->results, r));
  }
  return GA_NO_ERROR;
}

/* List the constants that need a buffer, since their elements are read from
 * memory. */
static int add_consts(gg__program *p) {
  for (size_t i = 0; i < p->values.n; i++) {
    gg__value *v = &p->values.v[i];
    if (v->var->kind != GG_VAR_CONST ||
        (v->want & (GG_WANT_READ | GG_WANT_PLACE)) == 0)
      continue;
    v->leaf = (unsigned int)p->consts.n;
    GA_TRY(ga__vec_push(&p->consts, (unsigned int)i));
  }
  return GA_NO_ERROR;
}

static int read_device(gg__program *p, gg__context *c) {
  const gpudevice_caps *caps = gpucontext_caps(c->ctx);
  char name[GG_CONTEXT_TEXT];
  int err = GA_NO_ERROR;

  c->anchor = gpudata_alloc(c->ctx, 0, NULL, 0, &err);
  if (c->anchor == NULL)
    return err;
  c->is_cpu = caps != NULL && caps->is_cpu;
  c->param_bytes = 1024; /* the least that OpenCL allows */
  if (caps != NULL && caps->param_bytes > c->param_bytes)
    c->param_bytes = caps->param_bytes;
  if (p->param_bytes == 0 || c->param_bytes < p->param_bytes)
    p->param_bytes = c->param_bytes;
  c->name =
      ga__arena_strdup(&p->arena, gg_context_text(c->ctx, name, sizeof name));
  return c->name != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

static int read_devices(gg__program *p) {
  unsigned int index;

  if (p->contexts.n == 0) /* no values: take the context of the graph */
    GA_TRY(find_context(p, p->g->ctx, &index));
  for (size_t k = 0; k < p->contexts.n; k++)
    GA_TRY(read_device(p, &p->contexts.v[k]));
  return GA_NO_ERROR;
}

int gg__number_graph(gg__program *p, gg__build *b) {
  p->g = b->g;
  p->mode = b->mode;
  p->fuses = !b->no_fusion && gg__selected(b, GG_STAGE_FUSION, GG_STAGE_FUSION);
  p->in_place =
      !b->no_inplace && gg__selected(b, GG_STAGE_INPLACE, GG_STAGE_INPLACE);
  b->g = NULL;
  GA_TRY(add_nodes(p, b));
  GA_TRY(read_devices(p));
  GA_TRY(add_results(p, b));
  GA_TRY(add_leaves(p, b));
  GA_TRY(find_scalars(p));
  find_uniform(p);
  choose_roles(p);
  GA_TRY(find_spaces(p));
  return add_consts(p);
}

void gg__program_clear(gg__program *p) {
  ga__vec_clear(&p->steps);
  ga__vec_clear(&p->nodes);
  ga__vec_clear(&p->values);
  ga__vec_clear(&p->arguments);
  ga__vec_clear(&p->scalars);
  ga__vec_clear(&p->shared);
  ga__vec_clear(&p->consts);
  ga__vec_clear(&p->results);
  for (size_t i = 0; i < p->contexts.n; i++)
    gpudata_release(p->contexts.v[i].anchor);
  ga__vec_clear(&p->contexts);
  ga__free(p->value_of);
  ga__arena_clear(&p->arena);
  gg_graph_free(p->g);
  memset(p, 0, sizeof *p);
}
