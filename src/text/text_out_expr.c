/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables to text: the right side of "=". */
#include <string.h>

#include "base/dtype.h"
#include "graph/literal.h"
#include "loop/ifelse.h"
#include "text/lexer.h"
#include "text/printer.h"

#define MOST_SPELLED 64 /* with blocks, longer constants become one */

/* --- leaves --- */

static void print_size(const gg__printer *p, int64_t size, const char *name) {
  if (size != GG_ANY) {
    ga__strb_appendf(p->out, "%lld", (long long)size);
  } else if (name[0] == '\0') {
    ga__strb_append(p->out, "?");
  } else {
    gg__name_print(name, p->out);
    gg__print_needs(p, GG_VERSION_SIZES);
  }
}

/* Print a type, with the names that the sizes of `v` have; NULL: none. */
static void print_type(const gg__printer *p, const gg_type *t,
                       const gg_var *v) {
  ga__strb_append(p->out, ga__dtype_name(t->dtype));
  for (unsigned int i = 0; i < t->nd; i++) {
    ga__strb_append(p->out, i == 0 ? "[" : ", ");
    print_size(p, t->dims[i], gg_var_size_name(v, i));
  }
  ga__strb_append(p->out, t->nd != 0 ? "]" : "");
  gg__print_context(p, t->ctx);
}

void gg__print_type(const gg__printer *p, const gg_type *t) {
  print_type(p, t, NULL);
}

static void print_elements(const gg__printer *p, int dtype, const void *data,
                           size_t n) {
  const size_t size = ga__dtype_size(dtype);

  ga__strb_append(p->out, " {");
  for (size_t i = 0; i < n; i++) {
    ga__strb_append(p->out, i != 0 ? ", " : "");
    gg__literal_print(dtype, (const char *)data + i * size, p->out);
  }
  ga__strb_append(p->out, "}");
}

static int add_block(const gg__printer *p, const gg_var *v) {
  ga__strb_appendf(p->out, " @%zu", p->blocks->n);
  if (ga__vec_push(p->blocks, v) != GA_NO_ERROR)
    return ga__fail_nomem();
  return GA_NO_ERROR;
}

static int print_constant(const gg__printer *p, const gg_var *v) {
  const size_t n = (size_t)gg__type_size(&v->type);

  gg__print_type(p, &v->type);
  if (p->blocks != NULL && n > MOST_SPELLED)
    return add_block(p, v);
  if (v->type.nd != 0) {
    print_elements(p, v->type.dtype, v->data, n);
  } else {
    ga__strb_append(p->out, " ");
    gg__literal_print(v->type.dtype, v->data, p->out);
  }
  return GA_NO_ERROR;
}

/* Print the present sizes. A size that is 7 now and may change is "?7". */
static void print_shared_sizes(const gg__printer *p, const gg_var *v,
                               const size_t *dims) {
  ga__strb_append(p->out, ga__dtype_name(v->type.dtype));
  for (unsigned int i = 0; i < v->type.nd; i++)
    ga__strb_appendf(p->out, "%s%s%zu", i == 0 ? "[" : ", ",
                     v->type.dims[i] == GG_ANY ? "?" : "", dims[i]);
  ga__strb_append(p->out, v->type.nd != 0 ? "]" : "");
  gg__print_context(p, v->type.ctx);
}

static int print_shared_values(const gg__printer *p, const gg_var *v,
                               const size_t *dims) {
  const size_t size = ga__dtype_size(v->type.dtype);
  size_t n = 1;
  void *host;
  int err;

  for (unsigned int i = 0; i < v->type.nd; i++)
    n *= dims[i];
  host = ga__calloc(n, size);
  if (host == NULL)
    return ga__fail_nomem();
  GA_CHECK(gg_shared_read(v, host, n * size));
  print_elements(p, v->type.dtype, host, n);

done:
  ga__free(host);
  return err;
}

static int print_shared(const gg__printer *p, const gg_var *v) {
  size_t dims[GG_MAX_ND];

  gg__shared_dims(v, dims);
  ga__strb_append(p->out, "shared ");
  print_shared_sizes(p, v, dims);
  if (p->blocks != NULL)
    return add_block(p, v);
  if ((p->flags & GG_TEXT_VALUES) != 0)
    return print_shared_values(p, v, dims);
  return GA_NO_ERROR;
}

/* --- expressions --- */

static int is_inner(const gg__printer *p, const gg_var *v) {
  return v->graph != p->g || gg__told_of(p, v)->is_inner;
}

/* Nonzero if the reader infers dtype and rank of this constant from the other
 * operands of an elementwise op. */
static int is_bare(const gg__printer *p, const gg_op_form *form,
                   const gg_apply *a, unsigned int i) {
  const gg_var *v = a->in[i];

  if (a->op->kind != GG_OP_ELEMWISE || v->kind != GG_VAR_CONST ||
      !is_inner(p, v) || gg__type_size(&v->type) != 1 ||
      !gg__form_operand(form, i).is_shared)
    return 0;
  for (unsigned int k = 0; k < a->n_in; k++)
    if (a->in[k]->kind != GG_VAR_CONST && gg__form_operand(form, k).is_shared)
      return 1;
  return 0;
}

static int print_apply(const gg__printer *p, const gg_apply *a);

int gg__print_operand(const gg__printer *p, const gg_var *v) {
  if (!is_inner(p, v)) {
    gg__print_label(p, v);
    return GA_NO_ERROR;
  }
  return v->kind == GG_VAR_CONST ? print_constant(p, v)
                                 : print_apply(p, v->owner);
}

int gg__print_count(const gg__printer *p, const gg_var *v) {
  if (!is_inner(p, v) || v->kind != GG_VAR_CONST || v->type.nd != 0)
    return gg__print_operand(p, v);
  gg__literal_print(v->type.dtype, v->data, p->out);
  return GA_NO_ERROR;
}

/* A copy of a node whose operands belong to the root graph, so that errors are
 * recorded there and not in a body. */
typedef struct stand_ins {
  gg_apply a;
  gg_var *vars, **in;
} stand_ins;

static void stand_ins_clear(stand_ins *s) {
  ga__free(s->vars);
  ga__free(s->in);
}

static int stand_ins_init(stand_ins *s, const gg__printer *p,
                          const gg_apply *a) {
  s->a = *a;
  s->vars = ga__calloc(a->n_in, sizeof *s->vars);
  s->in = ga__calloc(a->n_in, sizeof *s->in);
  if (s->vars == NULL || s->in == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < a->n_in; i++) {
    s->vars[i] = *a->in[i];
    s->vars[i].graph = p->root;
    s->in[i] = &s->vars[i];
  }
  s->a.in = s->in;
  return GA_NO_ERROR;
}

/* Fail if the reader would not accept the node. */
static int check_op(const gg__printer *p, const gg_op_form *form,
                    const gg_apply *a) {
  stand_ins s;
  int err;

  GA_CHECK(stand_ins_init(&s, p, a));
  if (form == NULL)
    err = gg_op_fail(&s.a, GA_UNSUPPORTED_ERROR,
                     "the op is not registered (gg_op_register)");
  else
    err = gg__form_check(form, &s.a);

done:
  stand_ins_clear(&s);
  return err;
}

/* Print what follows the op's name. */
static int print_operands(const gg__printer *p, const gg_op_form *form,
                          const gg_apply *a) {
  ga__strb_append(p->out, "(");
  for (unsigned int i = 0; i < a->n_in; i++) {
    ga__strb_append(p->out, i != 0 ? ", " : "");
    if (is_bare(p, form, a, i))
      gg__literal_print(a->in[i]->type.dtype, a->in[i]->data, p->out);
    else
      GA_TRY(gg__print_operand(p, a->in[i]));
  }
  ga__strb_append(p->out, ")");
  return GA_NO_ERROR;
}

/* Print the condition, the values if it holds, then the values if not. */
static int print_choice(const gg__printer *p, const gg_apply *a) {
  const unsigned int n = gg__inner_of(a)->n_out;

  if (!gg__ifelse_is_plain(a))
    return gg__fail(p->root, GA_UNSUPPORTED_ERROR,
                    "ifelse: branches that compute have no text");
  ga__strb_append(p->out, "ifelse(");
  GA_TRY(gg__print_operand(p, a->in[0]));
  for (unsigned int i = 0; i < n; i++) {
    ga__strb_append(p->out, ", ");
    GA_TRY(gg__print_operand(p, gg__ifelse_value(a, i)));
  }
  ga__strb_append(p->out, ")");
  return GA_NO_ERROR;
}

static int print_transfer(const gg__printer *p, const gg_apply *a) {
  ga__strb_append(p->out, "transfer(");
  GA_TRY(gg__print_operand(p, a->in[0]));
  ga__strb_append(p->out, ")");
  gg__print_context(p, gg__transfer_target(a));
  return GA_NO_ERROR;
}

/* Recurses as deep as ops are nested in the text. */
static int print_apply(const gg__printer *p, const gg_apply *a) {
  const gg_op_form *form = gg__form_of(a->op);

  if (a->op == &gg__op_ifelse)
    return print_choice(p, a);
  if (a->op == &gg__op_transfer)
    return print_transfer(p, a);
  GA_TRY(check_op(p, form, a));
  ga__strb_append(p->out, a->op->name);
  gg__form_print(form, a->props, p->out);
  return print_operands(p, form, a);
}

int gg__print_value(const gg__printer *p, const gg_var *v) {
  switch (v->kind) {
  case GG_VAR_INPUT:
    ga__strb_append(p->out, "input ");
    print_type(p, &v->type, v);
    return GA_NO_ERROR;
  case GG_VAR_SHARED:
    return print_shared(p, v);
  case GG_VAR_CONST:
    return print_constant(p, v);
  default:
    return print_apply(p, v->owner);
  }
}
