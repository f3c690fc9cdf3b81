/* SPDX-License-Identifier: BSD-2-Clause */
/* Creation of nodes: gg_op_apply is the only way to create one. */
#include "graph/inner.h"

#define GG_NO_SITES /* this file defines the functions themselves */
#include <gpugraph/gpugraph.h>

#include <string.h>

#include "base/dtype.h"
#include "ops/ops.h"
#include "ops/value_size.h"

/* Allocate a node that is not in the graph yet. Its outputs have no type yet.
 * NULL when out of memory. */
static gg_apply *apply_new(gg_graph *g, const gg__node_key *k) {
  const gg_op *op = k->op;
  const unsigned int n_out =
      op->count_out != NULL ? op->count_out(k->props) : op->n_out;
  gg_apply *a;

  /* The lists of inputs and outputs follow the node in memory, because code
   * that reads a node reads them, too. */
  a = ga__arena_alloc(&g->arena,
                      sizeof *a + ((size_t)k->n_in + n_out) * sizeof(gg_var *));
  if (a == NULL)
    return NULL;
  a->op = op;
  a->n_in = k->n_in;
  a->n_out = n_out;
  a->in = (gg_var **)(a + 1);
  a->out = a->in + k->n_in;
  for (unsigned int i = 0; i < k->n_in; i++)
    a->in[i] = k->in[i];
  if (op->props_bytes != 0) {
    a->props = ga__arena_dup(&g->arena, k->props, op->props_bytes);
    if (a->props == NULL)
      return NULL;
  }
  for (unsigned int i = 0; i < a->n_out; i++) {
    a->out[i] = gg__var_new(g, GG_VAR_COMPUTED, NULL, NULL);
    if (a->out[i] == NULL)
      return NULL;
    a->out[i]->owner = a;
    a->out[i]->index = i;
  }
  return a;
}

/* Refuse narrow floats as outputs of an op that does not support them. If an
 * operand is one, no error is due: compiling then casts operands and outputs
 * (op_half.c). */
static int check_narrow(const gg_apply *a, const gg_type *out, unsigned int n) {
  for (unsigned int i = 0; i < n; i++)
    if (ga__dtype_is_narrow(out[i].dtype) && !gg__knows_half(a->op) &&
        !gg__needs_floats(a))
      return gg_op_fail(a, GA_UNSUPPORTED_ERROR,
                        "output %u is %s, which the op does not support "
                        "(half_ok)",
                        i, ga__dtype_name(out[i].dtype));
  return GA_NO_ERROR;
}

/* The first operand whose elements are complex, or NULL. */
static const gg_var *complex_operand(const gg_apply *a) {
  for (unsigned int i = 0; i < a->n_in; i++)
    if (gg__is_complex(a->in[i]) && !gg_apply_shape_only(a, i))
      return a->in[i];
  return NULL;
}

/* Refuse complex operands of an op that is for real ones. */
static int check_complex(const gg_apply *a) {
  const gg_op_kind kind = a->op->kind;
  const gg_var *z = complex_operand(a);

  if (z == NULL || kind == GG_OP_VIEW || kind == GG_OP_SHAPE ||
      kind == GG_OP_INNER || kind == GG_OP_TRANSFER ||
      (a->op->complex_use != GG_REAL_ONLY &&
       (kind != GG_OP_ELEMWISE || a->op->code_complex != NULL)))
    return GA_NO_ERROR;
  return gg_op_fail(a, GA_VALUE_ERROR, "expected real operands, got %s",
                    ga__dtype_name(z->type.dtype));
}

static int check_type(const gg_apply *a, const gg_type *t) {
  if (t->nd > GG_MAX_ND)
    return gg_op_fail(a, GA_VALUE_ERROR, "%u dimensions are more than %d",
                      t->nd, GG_MAX_ND);
  if (!gg__sizes_fit(t->nd, t->dims))
    return gg_op_fail(a, GA_XLARGE_ERROR, "the result is too large");
  return GA_NO_ERROR;
}

static int infer(gg_apply *a) {
  gg_type first, *types = &first;
  int err = GA_NO_ERROR;

  GA_TRY(check_complex(a));
  if (a->n_out > 1)
    types = ga__calloc(a->n_out, sizeof *types);
  if (types == NULL)
    return gg_op_fail(a, GA_MEMORY_ERROR, "out of host memory");
  memset(types, 0, a->n_out * sizeof *types);
  gpuarray_clear_error();
  if (a->op->infer != NULL)
    err = a->op->infer(a, types);
  else
    err = gg_infer_elemwise(a, a->in[0]->type.dtype, types);
  for (unsigned int i = 0; i < a->n_out && err == GA_NO_ERROR; i++)
    err = check_type(a, &types[i]);
  if (err == GA_NO_ERROR)
    err = gg__infer_contexts(a, types);
  for (unsigned int i = 0; i < a->n_out && err == GA_NO_ERROR; i++)
    a->out[i]->type = types[i];
  if (err == GA_NO_ERROR)
    err = check_narrow(a, types, a->n_out);
  /* An op that fails without a message still leaves the graph in error. */
  if (err != GA_NO_ERROR)
    gg_op_fail(a, err, "%s", ga__err_text(err));
  else {
    gg__fail_again(a->out[0]->graph);
    gg__find_by_data(a);
  }
  if (types != &first)
    ga__free(types);
  return err;
}

/* The graph inside a node lives as long as the node. */
static int keep_inner(gg_graph *g, const gg_apply *a) {
  gg__inner *x = gg__inner_of(a);

  if (x == NULL)
    return GA_NO_ERROR;
  GA_TRY(ga__vec_push(&g->inners, x));
  gg__inner_retain(x);
  return GA_NO_ERROR;
}

/* Add a node and its outputs to the graph. */
static int adopt(gg_graph *g, const gg__node_key *k, gg_apply *a) {
  const size_t n = g->vars.n;
  int err = GA_NO_ERROR;

  for (unsigned int i = 0; i < a->n_in; i++)
    GA_ASSERT(a->in[i]->graph == g && a->in[i]->id < n);
  for (unsigned int i = 0; i < a->n_out && err == GA_NO_ERROR; i++) {
    a->out[i]->id = (unsigned int)g->vars.n;
    err = ga__vec_push(&g->vars, a->out[i]);
  }
  if (err == GA_NO_ERROR)
    err = keep_inner(g, a);
  if (err == GA_NO_ERROR)
    err = gg__node_add(&g->nodes, k, a);
  if (err != GA_NO_ERROR)
    g->vars.n = n;
  return err;
}

static gg_graph *common_graph(gg_graph *g, const gg_op *op, unsigned int n_in,
                              gg_var *const *in) {
  if (!gg__given(op, n_in, in)) {
    gg__fail(g, GA_VALUE_ERROR, "%s: operand 0 is NULL", op->name);
    return NULL;
  }
  for (unsigned int i = 0; i < n_in; i++) {
    if (g == NULL)
      g = in[i]->graph;
    if (in[i]->graph != g) {
      gg__fail(g, GA_VALUE_ERROR, "%s: operand %u belongs to another graph",
               op->name, i);
      return NULL;
    }
  }
  return g;
}

/* Follow the scalars that must be known before anything runs to what they are
 * computed from: `known` gets the inputs. */
static int find_scalars(const gg_op *op, unsigned int n_in, gg_var *const *in,
                        gg_var **known) {
  const gg_apply a = {.op = op};

  for (unsigned int i = 0; i < n_in; i++) {
    known[i] = gg__number_only(&a, i) && in[i]->type.nd == 0
                   ? gg_element(in[i], 0)
                   : in[i];
    if (known[i] == NULL)
      return 0;
  }
  return 1;
}

/* Find or make the node. */
static gg_var *apply(gg_graph *g, gg__node_key k) {
  k.hash = gg__node_hash(&k);
  gg_apply *a = gg__node_find(&g->nodes, &k);
  if (a != NULL)
    return a->out[0];
  a = apply_new(g, &k);
  if (a == NULL)
    goto nomem;
  if (infer(a) != GA_NO_ERROR)
    return NULL;
  if (adopt(g, &k, a) != GA_NO_ERROR)
    goto nomem;
  if (g->test_node != NULL && g->test_node(a) != GA_NO_ERROR)
    return NULL;
  return a->out[0];
nomem:
  gg__fail_nomem(g);
  return NULL;
}

gg_var *gg_op_apply(gg_graph *g, const gg_op *op, const void *props,
                    unsigned int n_in, gg_var *const *in) {
  gg__node_key k = {.op = op, .props = props, .n_in = n_in, .in = in};
  gg_var **known, *v = NULL;

  g = common_graph(g, op, n_in, in);
  if (g == NULL || op->number_only == 0)
    return g != NULL ? apply(g, k) : NULL;
  known = ga__malloc(n_in * sizeof *known);
  if (known == NULL)
    gg__fail_nomem(g);
  else if (find_scalars(op, n_in, in, known)) {
    k.in = known;
    v = apply(g, k);
  }
  ga__free(known);
  return v;
}

/* --- the infer rule of elementwise ops --- */

/* Merge size `b` into *a; 0 if the two do not broadcast. Sizes of 1 broadcast;
 * an unknown size becomes the known size of another operand. */
static int merge_dim(int64_t *a, int64_t b) {
  if (*a == b || b == 1)
    return 1;
  if (*a == 1 || *a == GG_ANY) {
    *a = b;
    return 1;
  }
  return b == GG_ANY;
}

int gg_infer_elemwise(const gg_apply *a, int dtype, gg_type *out) {
  *out = a->in[0]->type;
  out->dtype = dtype;
  for (unsigned int i = 1; i < a->n_in; i++) {
    const gg_type *t = &a->in[i]->type;
    if (t->nd != out->nd)
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "operand %u has %u dimensions, "
                        "operand 0 has %u",
                        i, t->nd, out->nd);
    for (unsigned int k = 0; k < t->nd; k++)
      if (!merge_dim(&out->dims[k], t->dims[k]))
        return gg_op_fail(a, GA_VALUE_ERROR,
                          "dim %u: %lld and %lld do not broadcast", k,
                          (long long)out->dims[k], (long long)t->dims[k]);
  }
  return GA_NO_ERROR;
}

/* --- properties of nodes --- */

gg_apply *gg_var_owner(const gg_var *v) {
  return v != NULL ? v->owner : NULL;
}

unsigned int gg_var_index(const gg_var *v) {
  return v != NULL ? v->index : 0;
}

const gg_code *gg_apply_code(const gg_apply *a) {
  const gg_op *op = a->op;
  const gg_code *code = op->code;
  const int dtype = a->in[0]->type.dtype;
  const ga__kind kind = ga__dtype_kind(dtype);

  if (complex_operand(a) != NULL)
    return op->code_complex;
  if (kind == GA_KIND_FLOAT)
    return op->code_small != NULL && dtype != GA_DOUBLE
               ? op->code_small[dtype == GA_FLOAT ? 2 : dtype == GA_BFLOAT]
               : code;
  if (op->code_int != NULL)
    code = op->code_int;
  if (kind == GA_KIND_INT)
    return code;
  if (op->code_uint != NULL)
    code = op->code_uint;
  if (kind == GA_KIND_BOOL && op->code_bool != NULL)
    code = op->code_bool;
  return code;
}

int gg_apply_shape_only(const gg_apply *a, unsigned int i) {
  if (a->op == &gg__op_cumulate_by) /* formulas become code */
    return i >= (unsigned int)((const gg__cumulate_props *)a->props)->kind;
  return (int)(a->op->shape_only >> (i < 31 ? i : 31) & 1u);
}
