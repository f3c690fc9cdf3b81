/* SPDX-License-Identifier: BSD-2-Clause */
/* Applying an op to the operands in a text.
 *
 * In a text that was printed, operands fit already, and the same graph comes
 * back. Texts by hand may leave out more: numbers get the dtype of the other
 * operands, operands are cast to a common dtype, and elementwise operands get
 * missing axes. */
#include <string.h>

#include "base/dtype.h"
#include "graph/literal.h"
#include "ops/ops.h"
#include "text/parser.h"

#include <gpugraph/ifelse.h>

typedef struct call {
  gg__parser *p;
  const gg__token *at;
  const gg_op_form *form;
  unsigned int n;
  gg_var **in;
} call;

static int no_memory(const call *c) {
  return gg__parse_no_memory(c->p, c->at);
}

/* --- dtypes --- */

/* The common dtype of the operands that must share one; -1: there are none. */
static int common_dtype(const call *c) {
  int dtype = -1;

  for (unsigned int i = 0; i < c->n; i++)
    if (c->in[i] != NULL && gg__form_operand(c->form, i).is_shared) {
      if (dtype < 0)
        dtype = c->in[i]->type.dtype;
      dtype = gg__common_dtype(dtype, c->in[i]->type.dtype);
    }
  return dtype;
}

/* `dtype`, or the nearest one that the letter allows. */
static int fitted_dtype(char letter, int dtype) {
  if (letter == 'f' && gg__is_integer(dtype))
    return GA_FLOAT;
  if (letter == 'f' && dtype == GA_BOOL)
    return GA_FLOAT;
  if (letter == 'n' && dtype == GA_BOOL)
    return GA_BYTE;
  return dtype;
}

/* The dtype of a number that is written without one. */
static int number_dtype(const gg__operand *x, const gg__token *t, int common) {
  const int is_real = gg__literal_is_real(t->text, t->n);

  if (x->letter == 'b' || t->text[0] == 't' || t->text[0] == 'f')
    return GA_BOOL;
  const int beside = x->is_shared ? common : -1;
  return gg__weak_dtype(beside, is_real || (x->letter == 'f' && beside < 0));
}

int gg__apply_number(gg__parser *p, const gg__token *number, int dtype,
                     gg_var **out) {
  char element[2 * sizeof(double)];

  if (!gg__literal_parse(dtype, number->text, number->n, element))
    return gg__parse_fail(p, number, GA_VALUE_ERROR, "%.*s is no %s",
                          number->n < 40 ? (int)number->n : 40, number->text,
                          ga__dtype_name(dtype));
  *out = gg_constant(p->g, dtype, 0, NULL, element);
  return *out != NULL ? GA_NO_ERROR : gg__parse_no_memory(p, number);
}

static int make_number(const call *c, unsigned int i, const gg__token *t,
                       int common) {
  const gg__operand x = gg__form_operand(c->form, i);

  return gg__apply_number(c->p, t, number_dtype(&x, t, common), &c->in[i]);
}

static int make_numbers(const call *c, const gg__arg *args) {
  const int common = common_dtype(c);

  for (unsigned int i = 0; i < c->n; i++)
    if (c->in[i] == NULL)
      GA_TRY(make_number(c, i, &args[i].number, common));
  return GA_NO_ERROR;
}

/* Cast operands to their common dtype. In a text that was printed they have it
 * already. */
static int meet(const call *c) {
  const int common = common_dtype(c);

  for (unsigned int i = 0; i < c->n; i++) {
    const gg__operand x = gg__form_operand(c->form, i);

    if (!x.is_shared)
      continue;
    c->in[i] = gg_cast(c->in[i], fitted_dtype(x.letter, common));
    if (c->in[i] == NULL)
      return no_memory(c);
  }
  return GA_NO_ERROR;
}

/* --- ranks --- */

static int pad_ranks(const call *c) {
  unsigned int nd = 0;

  for (unsigned int i = 0; i < c->n; i++)
    nd = c->in[i]->type.nd > nd ? c->in[i]->type.nd : nd;
  for (unsigned int i = 0; i < c->n; i++) {
    c->in[i] = gg__pad_rank(c->in[i], nd - c->in[i]->type.nd);
    if (c->in[i] == NULL)
      return no_memory(c);
  }
  return GA_NO_ERROR;
}

/* --- ops --- */

static int apply(const call *c, const void *props, gg_var **out) {
  const gg_op *op = c->form->op;
  const gg_apply a = {op, props, c->n, op->n_out, c->in, NULL};
  int err = gg__form_check(c->form, &a);

  /* Without operands the op has no graph in which to record the error. */
  if (err != GA_NO_ERROR)
    return gg__parse_fail(c->p, c->at, err, "%s: expected operands", op->name);
  *out = gg_op_apply(c->p->g, op, props, c->n, c->in);
  return *out != NULL ? GA_NO_ERROR : no_memory(c);
}

static gg_var **operands(unsigned int n, const gg__arg *args) {
  gg_var **in = ga__calloc(n, sizeof *in);

  for (unsigned int i = 0; in != NULL && i < n; i++)
    in[i] = args[i].v;
  return in;
}

int gg__apply_form(gg__parser *p, const gg__token *at, const gg_op_form *form,
                   const void *props, unsigned int n, const gg__arg *args,
                   gg_var **out) {
  call c = {p, at, form, n, operands(n, args)};
  int err;

  if (c.in == NULL)
    return no_memory(&c);
  GA_CHECK(make_numbers(&c, args));
  GA_CHECK(meet(&c));
  if (form->op->kind == GG_OP_ELEMWISE)
    GA_CHECK(pad_ranks(&c));
  GA_CHECK(apply(&c, props, out));

done:
  ga__free(c.in);
  return err;
}

/* --- short forms --- */

static unsigned int n_operands(const gg__short *s) {
  return s->three != NULL ? 3 : s->two != NULL ? 2 : 1;
}

static gg_var *build_short(const gg__short *s, const gg_reduce_props *props,
                           gg_var *const *x) {
  int axes[GG_MAX_ND];
  unsigned int n = 0;

  if (s->three != NULL)
    return s->three(x[0], x[1], x[2]);
  if (s->two != NULL)
    return s->two(x[0], x[1]);
  if (s->one != NULL)
    return s->one(x[0]);
  for (int i = 0; i < GG_MAX_ND; i++)
    if (props->axes_mask >> i & 1u)
      axes[n++] = i;
  return gg_reduce(s->reduction, x[0], n, axes, props->keepdims);
}

/* Operands of short forms may be any numbers; the builders check them. */
int gg__apply_short(gg__parser *p, const gg__token *at, const gg__short *s,
                    const gg_reduce_props *props, unsigned int n,
                    const gg__arg *args, gg_var **out) {
  static const gg_op_form numbers = {NULL, "X+", 0, NULL, NULL};
  const int is_reduction = s->one == NULL && n_operands(s) == 1;
  call c = {p, at, &numbers, n, operands(n, args)};
  int err;

  if (c.in == NULL)
    return no_memory(&c);
  if (n != n_operands(s))
    GA_CHECK(gg__parse_fail(p, at, GA_VALUE_ERROR,
                            "%s: expected %u operands, got %u", s->name,
                            n_operands(s), n));
  if (!is_reduction && (props->axes_mask != 0 || props->keepdims))
    GA_CHECK(
        gg__parse_fail(p, at, GA_VALUE_ERROR, "%s has no properties", s->name));
  GA_CHECK(make_numbers(&c, args));
  *out = build_short(s, props, c.in);
  err = *out != NULL ? GA_NO_ERROR : no_memory(&c);

done:
  ga__free(c.in);
  return err;
}

/* --- choices --- */

static int dtype_alone(const gg__token *t) {
  if (t->text[0] == 't' || t->text[0] == 'f')
    return GA_BOOL;
  return gg__literal_is_real(t->text, t->n) ? GA_FLOAT : GA_LONG;
}

/* The variable of `arg`. A number gets the dtype of `other`. */
static int make_value(gg__parser *p, const gg__arg *arg, const gg__arg *other,
                      gg_var **out) {
  *out = arg->v;
  if (arg->v != NULL)
    return GA_NO_ERROR;
  int dtype =
      other->v != NULL ? other->v->type.dtype : dtype_alone(&arg->number);
  if (other->v == NULL && dtype_alone(&other->number) == GA_FLOAT)
    dtype = GA_FLOAT;
  return gg__apply_number(p, &arg->number, dtype, out);
}

int gg__apply_choice(gg__parser *p, const gg__token *at, unsigned int n,
                     const gg__arg *args, gg_var **out) {
  const unsigned int n_out = n / 2;
  gg_var **v;
  int err;

  if (n < 3 || n % 2 == 0)
    return gg__parse_fail(p, at, GA_VALUE_ERROR,
                          "ifelse: expected a condition and two values or "
                          "more pairs of them, got %u operands",
                          n);
  v = ga__calloc((size_t)n + n_out, sizeof *v);
  if (v == NULL)
    return gg__parse_no_memory(p, at);
  GA_CHECK(make_value(p, &args[0], &args[0], &v[0]));
  for (unsigned int i = 1; i < n; i++)
    GA_CHECK(make_value(p, &args[i], &args[i <= n_out ? i + n_out : i - n_out],
                        &v[i]));
  if (gg_ifelse_all(v + n, v[0], n_out, v + 1, v + 1 + n_out) != GA_NO_ERROR)
    GA_CHECK(gg__parse_no_memory(p, at));
  *out = v[n];

done:
  ga__free(v);
  return err;
}
