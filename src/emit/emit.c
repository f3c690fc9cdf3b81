/* SPDX-License-Identifier: BSD-2-Clause */
/* The source of a body: one statement per node, in GE_VECTOR form.
 *
 *   exp(x - m) / s of three arrays, with the result stored:
 *
 *     w_float t0 = (i0 - i1); w_float t1 = exp(t0); w_float t2 = (t1 / i2);
 *     o0 = t2; */
#include <gpuarray/index.h>
#include <stdio.h>

#include "base/dtype.h"
#include "emit/emit.h"
#include "ops/code_text.h"
#include "ops/ops.h"

/* --- names --- */

/* First letters of names, by the kind of a local. Kinds without an entry have
 * names of another form. */
static const char letters[] = {[GG_LOCAL_TEMP] = 't',
                               [GG_LOCAL_KEPT] = 'k',
                               [GG_LOCAL_ROW] = 'n',
                               [GG_LOCAL_REDUCED] = 'r'};

void gg__emit_value(gg__emitter *e, unsigned int value) {
  const gg__value *v = &e->p->values.v[value];
  const unsigned int local = e->local[value];
  const unsigned int n = local & 0xfffffffu;

  GA_ASSERT(local >> 28 <= GG_LOCAL_REDUCED);
  if (gg__is_literal(v)) {
    gg__literal_append(&e->text, v->var->type.dtype, v->var->data);
    return;
  }
  switch (local >> 28) {
  case GG_LOCAL_ARRAY:
    ga__strb_appendf(&e->text, "%s%u", e->array, n);
    break;
  case GG_LOCAL_SCALAR:
    ga__strb_appendf(&e->text, "%s%u", e->scalar, n);
    break;
  case GG_LOCAL_RESULT:
    ga__strb_append(&e->text, "r");
    break;
  default:
    ga__strb_appendf(&e->text, "%c%u", letters[local >> 28], n);
  }
}

/* --- statements --- */

static void emit_operand(void *arg, const gg_apply *a, unsigned int i) {
  gg__emitter *e = arg;

  gg__emit_value(e, gg__in(e->p, a, i));
}

void gg__emit_code(gg__emitter *e, const gg_apply *a) {
  gg__code_append(&e->text, a, emit_operand, e);
}

void gg__emit_names(gg__emitter *e, const gg__body *b) {
  for (unsigned int i = 0; i < b->n_in - b->n_taken; i++)
    e->local[b->in[i]] = GG_LOCAL(GG_LOCAL_ARRAY, i);
  for (unsigned int i = 0; i < b->n_scalars; i++)
    e->local[b->scalars[i]] = GG_LOCAL(GG_LOCAL_SCALAR, i);
}

/* Append the element of array argument `n` that the node reads by index. */
static void emit_taken(gg__emitter *e, const gg_apply *a, unsigned int n) {
  ga__strb_appendf(&e->text, "%s%u(", e->array, n);
  gg__emit_value(e, gg__in(e->p, a, 1));
  ga__strb_append(&e->text, ")");
}

static int is_taken(const gg_apply *a) {
  return a->op->kind == GG_OP_KERNEL;
}

void gg__emit_nodes(gg__emitter *e, const gg__body *b) {
  unsigned int taken = b->n_in - b->n_taken;

  for (unsigned int i = 0; i < b->n_nodes; i++) {
    const gg_apply *a = b->nodes[i];
    ga__strb_appendf(&e->text, "w_%s t%u = ", gg__stem(a->out[0]->type.dtype),
                     i);
    if (is_taken(a))
      emit_taken(e, a, taken++);
    else
      gg__emit_code(e, a);
    ga__strb_append(&e->text, ";\n");
    e->local[gg__out(e->p, a, 0)] = GG_LOCAL(GG_LOCAL_TEMP, i);
  }
}

void gg__emit_stores(gg__emitter *e, const gg__body *b) {
  for (unsigned int i = 0; i < b->n_out; i++) {
    ga__strb_appendf(&e->text, "o%u = ", i);
    gg__emit_value(e, b->out[i]);
    ga__strb_append(&e->text, ";\n");
  }
}

/* --- arguments --- */

void gg__arguments_clear(gg__arguments *a) {
  ga__vec_clear(&a->list);
  ga__free(a->names);
}

static int add_arguments(gg__arguments *a, const gg__program *p,
                         const char *prefix, const unsigned int *values,
                         unsigned int n, int flags) {
  gpuelemwise_arg arg = {NULL, 0, flags};

  for (unsigned int i = 0; i < n; i++) {
    snprintf(a->names[a->list.n], sizeof a->names[0], "%s%u", prefix, i);
    arg.name = a->names[a->list.n];
    arg.typecode = p->values.v[values[i]].var->type.dtype;
    GA_TRY(ga__vec_push(&a->list, arg));
  }
  return GA_NO_ERROR;
}

static void flag_taken(gg__arguments *a, const gg__body *b) {
  unsigned int n = b->n_in - b->n_taken;

  for (unsigned int i = 0; i < b->n_nodes; i++)
    if (is_taken(b->nodes[i]))
      a->list.v[n++].flags = GE_TAKE(b->nodes[i]->op->takes(b->nodes[i]));
}

int gg__list_arguments(gg__arguments *a, const gg__emitter *e,
                       const gg__body *b, int outputs) {
  a->names =
      ga__malloc((b->n_in + b->n_scalars + b->n_out) * sizeof a->names[0]);
  if (a->names == NULL)
    return ga__fail_nomem();
  GA_TRY(add_arguments(a, e->p, e->array, b->in, b->n_in, GE_READ));
  flag_taken(a, b);
  GA_TRY(add_arguments(a, e->p, e->scalar, b->scalars, b->n_scalars,
                       GE_READ | GE_SCALAR));
  if (outputs)
    GA_TRY(add_arguments(a, e->p, e->output, b->out, b->n_out, GE_WRITE));
  return GA_NO_ERROR;
}

/* --- reductions --- */

ga_reduce_op gg__reduce_op(const gg_apply *a) {
  static const ga_reduce_op ops[] = {
      [GG_SUM] = GA_REDUCE_SUM,       [GG_PROD] = GA_REDUCE_PROD,
      [GG_MAX] = GA_REDUCE_MAX,       [GG_MIN] = GA_REDUCE_MIN,
      [GG_ANY_OF] = GA_REDUCE_ANY,    [GG_ALL_OF] = GA_REDUCE_ALL,
      [GG_ARGMAX] = GA_REDUCE_ARGMAX, [GG_ARGMIN] = GA_REDUCE_ARGMIN,
      [GG_VARIANCE] = GA_REDUCE_VAR};

  return ops[((const gg_reduce_props *)a->props)->op];
}

int gg__accumulator(const gg_apply *a) {
  const gg_reduce_props *r = a->props;

  switch (r->op) {
  case GG_ANY_OF:
  case GG_ALL_OF:
    return GA_BOOL;
  case GG_SUM:
  case GG_PROD:
    return ga__dtype_work(a->out[0]->type.dtype);
  default:
    return ga__dtype_work(a->in[0]->type.dtype);
  }
}

void gg__emit_reduced(gg__emitter *e, const gg_apply *a, int acc,
                      const char *name) {
  const int dtype = a->in[0]->type.dtype;
  const char *open = "", *close = "";
  char call[48];

  if (acc == GA_BOOL && dtype != GA_BOOL) {
    open = "w_from_bool_int(w_to_bool(";
    close = "))";
  } else if (dtype == GA_BOOL) {
    snprintf(call, sizeof call, "w_from_bool_%s(",
             acc == GA_BOOL ? "int" : gg__stem(acc));
    open = call;
    close = ")";
  } else if (ga__dtype_work(dtype) != acc) {
    snprintf(call, sizeof call, "w_to_%s(", gg__stem(acc));
    open = call;
    close = ")";
  }
  ga__strb_appendf(&e->text, "%s = %s", name, open);
  gg__emit_value(e, gg__in(e->p, a, 0));
  ga__strb_appendf(&e->text, "%s;\n", close);
}

/* --- epilogues --- */

void gg__emit_result(gg__emitter *e, const gg_apply *a, const char *acc) {
  const gg_reduce_props *r = a->op->kind == GG_OP_REDUCE ? a->props : NULL;
  const char *s = gg__stem(a->out[0]->type.dtype);

  if (r != NULL && (r->op == GG_ARGMAX || r->op == GG_ARGMIN))
    ga__strb_append(&e->text, "w_long r = idx;\n");
  else if (gg__is_complex(a->out[0]))
    ga__strb_appendf(&e->text, "w_%s r = %s;\n", s, acc);
  else
    ga__strb_appendf(&e->text, "w_%s r = w_to_%s(%s);\n", s, s, acc);
  e->local[gg__out(e->p, a, 0)] = GG_LOCAL(GG_LOCAL_RESULT, 0);
}

int gg__emit_epilogue_body(gg__emitter *e, const gg__body *b,
                           gg__arguments *out) {
  gg__emit_nodes(e, b);
  gg__emit_stores(e, b);
  GA_TRY(gg__list_arguments(out, e, b, 1));
  return e->text.err;
}
