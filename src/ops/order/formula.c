/* SPDX-License-Identifier: BSD-2-Clause */
/* Formulas: reading, writing and computing them. */
#include "ops/order/formula.h"

#include "ops/code_text.h"
#include "ops/ops.h"

enum { MOST_NODES = 256, MOST_DEPTH = 256 };

/* --- reading --- */

typedef struct reader {
  gg__formulas *f;
  const gg_apply *a;
  int may_lower;
  unsigned int depth;
} reader;

static int refuse(const reader *r, const char *what) {
  return gg_op_fail(r->a, GA_VALUE_ERROR, "the formula %s", what);
}

/* Is the variable the same constant everywhere? Views of constants are read
 * through. */
static const gg_var *constant_of(const gg_var *v) {
  const gg_apply *owner = gg_var_owner(v);

  while (owner != NULL && owner->op->kind == GG_OP_VIEW) {
    v = owner->in[0];
    owner = gg_var_owner(v);
  }
  return gg_var_data(v) != NULL ? v : NULL;
}

static int is_read(const reader *r, const gg_apply *n) {
  for (size_t i = 0; i < r->f->nodes.n; i++)
    if (r->f->nodes.v[i] == n)
      return 1;
  return 0;
}

/* Note which variable stands for a value of a run: there is one. */
static int note_run(const reader *r, gg_var *v, const gg_apply *owner) {
  const gg__run_props *p = owner->props;

  if (p->value >= r->f->n)
    return gg_op_fail(r->a, GA_VALUE_ERROR, "value %u of %u in a formula",
                      p->value, r->f->n);
  if (p->dtype != gg_var_type(r->a->in[p->value])->dtype)
    return refuse(r, "has a value in another dtype");
  gg_var **run = &r->f->run[p->value][p->after != 0];
  if (*run != NULL && *run != v)
    return refuse(r, "has a value of a run twice");
  *run = v;
  return GA_NO_ERROR;
}

static int read_var(reader *r, gg_var *v);

static int read_node(reader *r, const gg_apply *n) {
  if (is_read(r, n))
    return GA_NO_ERROR;
  r->f->is_vector &=
      n->op->kind != GG_OP_ELEMWISE || gg_apply_code(n)->vector != 0;
  for (unsigned int i = 0; i < n->n_in; i++)
    if (!gg_apply_shape_only(n, i))
      GA_TRY(read_var(r, n->in[i]));
  if (r->f->nodes.n == MOST_NODES)
    return refuse(r, "has more than 256 nodes");
  return ga__vec_push(&r->f->nodes, n);
}

/* Recurses as deep as the formula is nested. */
static int read_var(reader *r, gg_var *v) {
  const gg_apply *owner = gg_var_owner(v);
  double same;
  int err;

  if (ga__dtype_is_complex(gg_var_type(v)->dtype))
    return refuse(r, "has complex numbers");
  const gg_var *c = constant_of(v);
  if (c != NULL)
    return gg_var_uniform(c, &same)
               ? GA_NO_ERROR
               : refuse(r, "has a constant with different elements");
  if (owner == NULL)
    return refuse(r, "reads a variable other than its runs");
  if (owner->op == &gg__op_run_value)
    return note_run(r, v, owner);
  if (owner->op->kind != GG_OP_ELEMWISE &&
      !(r->may_lower && owner->op->kind == GG_OP_MACRO))
    return gg_op_fail(r->a, GA_VALUE_ERROR,
                      "the formula has %s, which is not elementwise",
                      owner->op->name);
  if (r->depth == MOST_DEPTH)
    return refuse(r, "is nested more than 256 deep");
  r->depth++;
  err = read_node(r, owner);
  r->depth--;
  return err;
}

int gg__formulas_read(gg__formulas *f, const gg_apply *a, int may_lower) {
  const gg__cumulate_props *p = a->props;
  reader r = {.f = f, .a = a, .may_lower = may_lower};

  *f = (gg__formulas){.n = (unsigned int)p->kind, .is_vector = 1};
  for (unsigned int k = 0; k < f->n; k++) {
    f->roots[k] = a->in[f->n + k];
    GA_TRY(read_var(&r, f->roots[k]));
  }
  return GA_NO_ERROR;
}

void gg__formulas_clear(gg__formulas *f) {
  ga__vec_clear(&f->nodes);
}

/* --- writing --- */

const char *gg__run_name(unsigned int k) {
  static const char *const names[GG_RUN_VALUES] = {"acc", "p_v1", "p_v2",
                                                   "p_v3"};

  return names[k];
}

static unsigned int index_of(const gg__formulas *f, const gg_apply *n) {
  unsigned int i = 0;

  while (f->nodes.v[i] != n)
    i++;
  return i;
}

typedef struct writer {
  const gg__formulas *f;
  ga__strb *b;
} writer;

static void write_var(const writer *w, const gg_var *v) {
  const gg_var *c = constant_of(v);
  const gg_apply *owner = gg_var_owner(v);

  if (c != NULL) {
    gg__literal_append(w->b, gg_var_type(c)->dtype, gg_var_data(c));
  } else if (owner->op == &gg__op_run_value) {
    const gg__run_props *p = owner->props;
    ga__strb_appendf(w->b, "%s_%c", gg__run_name(p->value),
                     p->after ? 'b' : 'a');
  } else {
    ga__strb_appendf(w->b, "p_t%u", index_of(w->f, owner));
  }
}

static void write_operand(void *arg, const gg_apply *a, unsigned int i) {
  write_var(arg, a->in[i]);
}

void gg__formulas_write(const gg__formulas *f, ga__strb *b) {
  writer w = {f, b};

  for (unsigned int i = 0; i < f->nodes.n; i++) {
    const gg_apply *n = f->nodes.v[i];
    ga__strb_appendf(
        b, "w_%s p_t%u = ", gg__stem(gg_var_type(n->out[0])->dtype), i);
    gg__code_append(b, n, write_operand, &w);
    ga__strb_append(b, ";\n");
  }
  for (unsigned int k = 0; k < f->n; k++) {
    ga__strb_appendf(b, "%s = ", gg__run_name(k));
    write_var(&w, f->roots[k]);
    ga__strb_append(b, ";\n");
  }
}

/* --- on the host --- */

static double value_of(const gg__formulas *f, const gg_var *v, double (*run)[2],
                       const double *room) {
  const gg_var *c = constant_of(v);
  const gg_apply *owner = gg_var_owner(v);

  if (c != NULL)
    return ga__dtype_to_double(gg_var_type(c)->dtype, gg_var_data(c));
  if (owner->op != &gg__op_run_value)
    return room[index_of(f, owner)];
  const gg__run_props *p = owner->props;
  return run[p->value][p->after != 0];
}

/* Set *to to what the node computes. */
static int eval_node(const gg__formulas *f, const gg_apply *n, double (*run)[2],
                     double *room, double *to) {
  enum { MOST_OPERANDS = 8 };
  double x[MOST_OPERANDS] = {0};
  const gg_code *code = gg_apply_code(n);

  if (code->eval == NULL || n->n_in > MOST_OPERANDS)
    return 0;
  for (unsigned int i = 0; i < n->n_in; i++)
    if (!gg_apply_shape_only(n, i))
      x[i] = value_of(f, n->in[i], run, room);
  *to = ga__dtype_wrap(gg_var_type(n->out[0])->dtype, code->eval(x));
  return 1;
}

int gg__formulas_eval(const gg__formulas *f, double (*run)[2], double *room,
                      double *to) {
  for (size_t i = 0; i < f->nodes.n; i++)
    if (!eval_node(f, f->nodes.v[i], run, room, &room[i]))
      return 0;
  for (unsigned int k = 0; k < f->n; k++)
    to[k] = value_of(f, f->roots[k], run, room);
  return 1;
}
