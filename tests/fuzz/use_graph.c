/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/use_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpugraph/grad.h>

#include "base/dtype.h"
#include "graph/inner.h"
#include "loop/loop.h"
#include "ocl/context.h"
#include "ocl/queue.h"
#include "ops/random/draw.h"

enum {
  MOST_VARS = 200,
  MOST_ELEMENTS = 1 << 14, /* of a value, as far as types tell */
  MOST_JOINED = 16,        /* operands of all joins */
  MOST_STEPS = 8,          /* of a loop */
  MOST_SIZE = 64,          /* of an axis that an operand decides */
  MOST_IN = 16,
  MOST_OUT = 4,
  OPEN = 2 /* every size that a call decides */
};

gpucontext *fuzz_context(void) {
  static gpucontext *ctx;
  static int is_tried;

  if (!is_tried)
    (void)gpucontext_open(&ctx, NULL);
  is_tried = 1;
  return ctx;
}

/* --- bounds --- */

static int is_small_type(const gg_type *t) {
  double n = 1;

  for (unsigned int i = 0; i < t->nd; i++)
    n *= t->dims[i] == GG_ANY ? OPEN : (double)t->dims[i];
  return n <= MOST_ELEMENTS;
}

/* A number of at most so much, or the size of an axis. */
static int is_small_number(const gg_var *v, double most) {
  double n;

  return v->owner != NULL ? v->owner->op == &gg__op_shape
                          : gg_var_uniform(v, &n) && n <= most;
}

static int are_small_nodes(const gg_graph *g, unsigned int *joined);

static int is_small_node(const gg_apply *a, unsigned int *joined) {
  if (a->op == &gg__op_join)
    *joined += a->n_in;
  if (a->op == &gg__op_extent)
    for (unsigned int i = 0; i < a->n_in; i++)
      if (!is_small_number(a->in[i], MOST_SIZE))
        return 0;
  if (a->op == &gg__op_permutation && !is_small_number(a->in[1], MOST_SIZE))
    return 0;
  if (a->op == &gg__op_scan &&
      !is_small_number(a->in[GG_LOOP_STEPS], MOST_STEPS))
    return 0;
  const gg__inner *const inner =
      a->op->kind == GG_OP_INNER ? gg__inner_of(a) : NULL;
  return inner == NULL || are_small_nodes(inner->g, joined);
}

static int are_small_nodes(const gg_graph *g, unsigned int *joined) {
  for (size_t i = 0; i < g->vars.n; i++) {
    const gg_var *v = g->vars.v[i];
    if (!is_small_type(&v->type) ||
        (v->owner != NULL && v->index == 0 && !is_small_node(v->owner, joined)))
      return 0;
  }
  return g->vars.n <= MOST_VARS && *joined <= MOST_JOINED;
}

int fuzz_is_small(const gg_graph *g) {
  unsigned int joined = 0;

  return are_small_nodes(g, &joined);
}

/* --- calls --- */

static int make_argument(GpuArray *a, const gg_var *v, gpucontext *ctx) {
  const gg_type *t = gg_var_type(v);
  size_t dims[GG_MAX_ND];

  for (unsigned int i = 0; i < t->nd; i++)
    dims[i] = t->dims[i] == GG_ANY ? OPEN : (size_t)t->dims[i];
  return GpuArray_zeros(a, t->ctx != NULL ? t->ctx : ctx, t->dtype, t->nd, dims,
                        GA_C_ORDER);
}

static int call(gg_func *f, const gg_func_spec *spec, gpucontext *ctx) {
  GpuArray in[MOST_IN] = {0}, out[MOST_OUT] = {0};
  GpuArray *args[MOST_IN], *results[MOST_OUT];
  int err = GA_NO_ERROR;

  for (unsigned int i = 0; i < MOST_IN; i++)
    args[i] = &in[i];
  for (unsigned int i = 0; i < MOST_OUT; i++)
    results[i] = &out[i];
  for (unsigned int i = 0; spec->inputs[i] != NULL && err == GA_NO_ERROR; i++)
    err = make_argument(&in[i], spec->inputs[i], ctx);
  if (err == GA_NO_ERROR)
    err = gg_func_call(f, args, results);
  for (unsigned int i = 0; i < MOST_IN; i++)
    GpuArray_clear(&in[i]);
  for (unsigned int i = 0; i < MOST_OUT; i++)
    GpuArray_clear(&out[i]);
  return err;
}

/* --- functions --- */

static size_t length(gg_var *const *list) {
  size_t n = 0;

  while (list != NULL && list[n] != NULL)
    n++;
  return n;
}

/* Compile in a mode and call; the code of what fails. */
static int use(gg_graph *g, gg_func_spec spec, gg_mode mode, int calls) {
  gg_func *f = NULL;

  spec.mode = mode;
  int err = gg_func_new(&f, g, &spec);
  if ((err == GA_NO_ERROR) != (f != NULL) ||
      (err != GA_NO_ERROR && gg_graph_error(g)[0] == '\0'))
    abort();
  gg_graph_reset_error(g);
  if (f != NULL && calls) {
    err = call(f, &spec, g->ctx);
    if (err != GA_NO_ERROR && gg_func_error(f)[0] == '\0')
      abort();
    if (err != GA_NO_ERROR && getenv("FUZZ_SHOW") != NULL)
      fprintf(stderr, "mode %d: %s\n", (int)mode, gg_func_error(f));
  }
  gg_func_free(f);
  return err;
}

static int is_refused(int err) {
  return err != GA_NO_ERROR && err != GA_MEMORY_ERROR;
}

/* A function is refused with rewriting only if it is refused without, or if its
 * calls are: rewriting learns more about sizes than types say. */
static void use_spec(gg_graph *g, const gg_func_spec *spec, int calls) {
  static gg_var *const none[] = {NULL};
  gg_func_spec s = *spec;

  if (s.inputs == NULL)
    s.inputs = none;
  s.name = "";
  s.flags |= GG_ALLOW_UNUSED_INPUT;
  /* Updates would change what the second mode sees. */
  const int can_call = length(s.inputs) < MOST_IN &&
                       length(s.outputs) < MOST_OUT && s.updates == NULL;
  calls = calls && can_call;
  const int plain = use(g, s, GG_NO_REWRITE, calls);
  const int fast = use(g, s, GG_FAST_RUN, calls);
  if (plain == GA_NO_ERROR && is_refused(fast) && can_call &&
      (calls || use(g, s, GG_NO_REWRITE, 1) == GA_NO_ERROR))
    abort();
}

/* --- a function of our own --- */

static int is_differentiable(const gg_var *v) {
  return ga__dtype_kind(v->type.dtype) == GA_KIND_FLOAT;
}

/* The gradient of the sum of `v` by the first input that is a float. */
static gg_var *gradient(gg_graph *g, gg_var *v, gg_var *const *in) {
  gg_var *grad = NULL;

  while (*in != NULL && !is_differentiable(*in))
    in++;
  if (*in == NULL || !is_differentiable(v))
    return NULL;
  const int err =
      gg_grad_ex(&grad, gg_sum(v), 1, in, 0, NULL, GG_GRAD_ALLOW_DISCONNECTED);
  if (err != gg_graph_status(g) ||
      (err != GA_NO_ERROR && gg_graph_error(g)[0] == '\0'))
    abort();
  gg_graph_reset_error(g);
  return err == GA_NO_ERROR ? grad : NULL;
}

static void use_variables(gg_graph *g, int calls) {
  gg_var *in[MOST_IN] = {NULL}, *out[MOST_OUT] = {NULL};
  const size_t n_vars = g->vars.n;
  unsigned int n_in = 0, n_out = 0;

  for (size_t i = 0; i < n_vars && n_in + 1 < MOST_IN; i++)
    if (g->vars.v[i]->kind == GG_VAR_INPUT)
      in[n_in++] = g->vars.v[i];
  for (size_t i = n_vars; i-- > 0 && n_out + 2 < MOST_OUT;)
    if (g->vars.v[i]->owner != NULL)
      out[n_out++] = g->vars.v[i];
  if (n_out == 0)
    return;
  out[n_out] = gradient(g, out[0], in);
  use_spec(g, &(gg_func_spec){.inputs = in, .outputs = out}, calls);
}

/* Wait for host functions that the driver still runs: they own blocks, which
 * the caller counts. */
static void settle(gpucontext *ctx) {
  ga__ctx_lock(ctx);
  ga__queue_settle(ctx);
  ga__ctx_unlock(ctx);
}

void fuzz_use_graph(gg_graph *g, int calls) {
  const gg_func_spec *spec;

  for (size_t i = 0; i < 2 && (spec = gg_graph_func_at(g, i)) != NULL; i++)
    use_spec(g, spec, calls);
  use_variables(g, calls);
  settle(fuzz_context());
}
