/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph to text: one definition a line, in the order of creation.
 *
 * An unnamed variable that is used once stands where it is used, up to some
 * depth; constants of a few elements always do. The others have labels: their
 * name, or %1, %2, ... where there is none or another variable has it. */
#include <string.h>

#include "base/dtype.h"
#include "graph/form.h"
#include "graph/lexer.h"
#include "graph/literal.h"
#include "graph/text.h"

#define MOST_DEPTH 4    /* ops inside of ops */
#define MOST_INLINE 8   /* elements of a constant inside of an op */
#define MOST_SPELLED 64 /* elements of a constant where there are blocks */

/* What is known of a variable while it is printed, by id. */
typedef struct info {
  unsigned int uses;
  unsigned int depth;     /* of the ops that stand inside of it */
  unsigned int label;     /* number of its label; 0: none, or its name */
  unsigned char needed;   /* it or, for the first output, its node */
  unsigned char is_own;   /* a function or a name wants a line for it */
  unsigned char by_name;  /* its name is its label */
  unsigned char is_inner; /* stands where it is used */
} info;

typedef struct printer {
  gg_graph *g;
  int flags;
  gg__blocks *blocks;
  ga__strb *out;
  info *info;
  ga__map names; /* taken as labels */
  unsigned int n_labels;
} printer;

static info *info_of(const printer *p, const gg_var *v) {
  return &p->info[v->id];
}

/* --- what is needed --- */

static void want(const printer *p, const gg_var *v) {
  if (v == NULL)
    return;
  info_of(p, v)->needed = 1;
  info_of(p, v)->is_own = 1;
}

static void want_list(const printer *p, gg_var *const *list) {
  for (; list != NULL && *list != NULL; list++)
    want(p, *list);
}

static void want_func(const printer *p, const gg_func_spec *f) {
  size_t i;

  want_list(p, f->inputs);
  want_list(p, f->outputs);
  want_list(p, f->no_default_updates);
  for (i = 0; f->updates != NULL && f->updates[i].shared != NULL; i++) {
    want(p, f->updates[i].shared);
    want(p, f->updates[i].value);
  }
  for (i = 0; f->givens != NULL && f->givens[i].var != NULL; i++) {
    want(p, f->givens[i].var);
    want(p, f->givens[i].by);
  }
}

/* Ids are a topological order: users are seen before what they use. */
static void mark_needed(const printer *p) {
  const gg_graph *g = p->g;
  const gg_apply *a;
  size_t i;

  for (i = 0; i < g->funcs.n; i++)
    want_func(p, g->funcs.v[i]);
  for (i = 0; i < g->vars.n; i++) {
    if (g->vars.v[i]->name[0] != '\0' || g->vars.v[i]->update != NULL)
      want(p, g->vars.v[i]);
    want(p, g->vars.v[i]->update);
  }
  for (size_t id = g->vars.n; id-- > 0;) {
    a = g->vars.v[id]->owner;
    if (!p->info[id].needed || a == NULL)
      continue;
    /* The first output stands for the node: count its operands once. */
    info_of(p, a->out[0])->needed = 1;
    if (a->out[0]->id != id)
      continue;
    for (i = 0; i < a->n_in; i++) {
      info_of(p, a->in[i])->needed = 1;
      info_of(p, a->in[i])->uses++;
    }
  }
}

/* --- labels --- */

static unsigned int inner_depth(const printer *p, const gg_apply *a) {
  unsigned int i, depth = 0;
  const info *x;

  for (i = 0; i < a->n_in; i++) {
    x = info_of(p, a->in[i]);
    if (x->is_inner && x->depth > depth)
      depth = x->depth;
  }
  return depth + 1;
}

static int is_inner(const printer *p, const gg_var *v) {
  const info *x = info_of(p, v);

  if (x->is_own)
    return 0;
  if (v->kind == GG_VAR_CONST)
    return gg__type_size(&v->type) <= MOST_INLINE;
  return v->kind == GG_VAR_COMPUTED && x->uses == 1 && v->owner->n_out == 1 &&
         x->depth <= MOST_DEPTH;
}

static int choose_label(printer *p, gg_var *v) {
  const size_t n = strlen(v->name);
  info *x = info_of(p, v);

  if (n != 0 && ga__map_get(&p->names, v->name, n) == NULL) {
    x->by_name = 1;
    return ga__map_put(&p->names, v->name, n, v);
  }
  x->label = ++p->n_labels;
  return GA_NO_ERROR;
}

static int choose_labels(printer *p) {
  gg_var *v;
  info *x;

  for (size_t id = 0; id < p->g->vars.n; id++) {
    v = p->g->vars.v[id];
    x = &p->info[id];
    if (!x->needed)
      continue;
    if (v->owner != NULL)
      x->depth = inner_depth(p, v->owner);
    x->is_inner = (unsigned char)is_inner(p, v);
    /* Outputs that nothing needs are "_". */
    if (!x->is_inner && (x->is_own || x->uses != 0))
      GA_TRY(choose_label(p, v));
  }
  return GA_NO_ERROR;
}

/* --- leaves --- */

static void print_sizes(const printer *p, const gg_type *t) {
  ga__strb_append(p->out, ga__dtype_name(t->dtype));
  for (unsigned int i = 0; i < t->nd; i++) {
    ga__strb_append(p->out, i == 0 ? "[" : ", ");
    if (t->dims[i] == GG_ANY)
      ga__strb_append(p->out, "?");
    else
      ga__strb_appendf(p->out, "%lld", (long long)t->dims[i]);
  }
  ga__strb_append(p->out, t->nd != 0 ? "]" : "");
}

static void print_elements(const printer *p, int dtype, const void *data,
                           size_t n) {
  const size_t size = ga__dtype_size(dtype);

  ga__strb_append(p->out, " {");
  for (size_t i = 0; i < n; i++) {
    ga__strb_append(p->out, i != 0 ? ", " : "");
    gg__literal_print(dtype, (const char *)data + i * size, p->out);
  }
  ga__strb_append(p->out, "}");
}

static int add_block(const printer *p, const gg_var *v) {
  ga__strb_appendf(p->out, " @%zu", p->blocks->n);
  if (ga__vec_push(p->blocks, v) != GA_NO_ERROR)
    return ga__fail_nomem();
  return GA_NO_ERROR;
}

static int print_constant(const printer *p, const gg_var *v) {
  const size_t n = (size_t)gg__type_size(&v->type);

  print_sizes(p, &v->type);
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

/* Sizes as they are now; one that is 1 but may change is "?1". */
static void print_shared_sizes(const printer *p, const gg_var *v,
                               const size_t *dims) {
  ga__strb_append(p->out, ga__dtype_name(v->type.dtype));
  for (unsigned int i = 0; i < v->type.nd; i++)
    ga__strb_appendf(p->out, "%s%s%zu", i == 0 ? "[" : ", ",
                     dims[i] == 1 && v->type.dims[i] == GG_ANY ? "?" : "",
                     dims[i]);
  ga__strb_append(p->out, v->type.nd != 0 ? "]" : "");
}

static int print_shared_values(const printer *p, const gg_var *v,
                               const size_t *dims) {
  const size_t size = ga__dtype_size(v->type.dtype);
  size_t n = 1;
  void *host;
  int err;

  for (unsigned int i = 0; i < v->type.nd; i++)
    n *= dims[i];
  host = ga__malloc(n * size);
  if (host == NULL)
    return ga__fail_nomem();
  GA_CHECK(gg_shared_read(v, host, n * size));
  print_elements(p, v->type.dtype, host, n);

done:
  ga__free(host);
  return err;
}

static int print_shared(const printer *p, const gg_var *v) {
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

static void print_label(const printer *p, const gg_var *v) {
  if (info_of(p, v)->by_name)
    gg__name_print(v->name, p->out);
  else
    ga__strb_appendf(p->out, "%%%u", info_of(p, v)->label);
}

/* Does the reader find dtype and rank of this number by looking at the other
 * operands of an elementwise op? */
static int is_bare(const printer *p, const gg_op_form *form, const gg_apply *a,
                   unsigned int i) {
  const gg_var *v = a->in[i];
  unsigned int k;

  if (a->op->kind != GG_OP_ELEMWISE || v->kind != GG_VAR_CONST ||
      !info_of(p, v)->is_inner || gg__type_size(&v->type) != 1 ||
      !gg__form_operand(form, i).is_shared)
    return 0;
  for (k = 0; k < a->n_in; k++)
    if (a->in[k]->kind != GG_VAR_CONST && gg__form_operand(form, k).is_shared)
      return 1;
  return 0;
}

static int print_apply(const printer *p, const gg_apply *a);

static int print_operand(const printer *p, const gg_op_form *form,
                         const gg_apply *a, unsigned int i) {
  const gg_var *v = a->in[i];

  if (!info_of(p, v)->is_inner) {
    print_label(p, v);
    return GA_NO_ERROR;
  }
  if (v->kind != GG_VAR_CONST)
    return print_apply(p, v->owner);
  if (!is_bare(p, form, a, i))
    return print_constant(p, v);
  gg__literal_print(v->type.dtype, v->data, p->out);
  return GA_NO_ERROR;
}

/* Recurs as deep as MOST_DEPTH. */
static int print_apply(const printer *p, const gg_apply *a) {
  const gg_op_form *form = gg__form_of(a->op);

  if (form == NULL)
    return gg_op_fail(a, GA_UNSUPPORTED_ERROR,
                      "the op is not known by name (gg_op_register)");
  GA_TRY(gg__form_check(form, a));
  ga__strb_append(p->out, a->op->name);
  gg__form_print(form, a->props, p->out);
  ga__strb_append(p->out, "(");
  for (unsigned int i = 0; i < a->n_in; i++) {
    ga__strb_append(p->out, i != 0 ? ", " : "");
    GA_TRY(print_operand(p, form, a, i));
  }
  ga__strb_append(p->out, ")");
  return GA_NO_ERROR;
}

/* --- lines --- */

/* "w", "%3", or "%3 "w"" where another variable has the name. */
static void print_defined(const printer *p, const gg_var *v) {
  const info *x = info_of(p, v);

  if (!x->by_name && x->label == 0) {
    ga__strb_append(p->out, "_");
    return;
  }
  print_label(p, v);
  if (x->by_name || v->name[0] == '\0')
    return;
  ga__strb_append(p->out, " ");
  gg__name_print(v->name, p->out);
}

static int print_value(const printer *p, const gg_var *v) {
  switch (v->kind) {
  case GG_VAR_INPUT:
    ga__strb_append(p->out, "input ");
    print_sizes(p, &v->type);
    return GA_NO_ERROR;
  case GG_VAR_SHARED:
    return print_shared(p, v);
  case GG_VAR_CONST:
    return print_constant(p, v);
  default:
    return print_apply(p, v->owner);
  }
}

static int print_definition(const printer *p, const gg_var *v) {
  const unsigned int n_out = v->owner != NULL ? v->owner->n_out : 1;

  print_defined(p, v);
  for (unsigned int i = 1; i < n_out; i++) {
    ga__strb_append(p->out, ", ");
    print_defined(p, v->owner->out[i]);
  }
  ga__strb_append(p->out, " = ");
  GA_TRY(print_value(p, v));
  ga__strb_append(p->out, "\n");
  return GA_NO_ERROR;
}

static void print_list(const printer *p, gg_var *const *list) {
  ga__strb_append(p->out, "(");
  for (size_t i = 0; list != NULL && list[i] != NULL; i++) {
    ga__strb_append(p->out, i != 0 ? ", " : "");
    print_label(p, list[i]);
  }
  ga__strb_append(p->out, ")");
}

static void print_pair(const printer *p, const gg_var *a, const gg_var *b) {
  print_label(p, a);
  ga__strb_append(p->out, " = ");
  print_label(p, b);
}

static void print_updates(const printer *p, const gg_update *u) {
  for (size_t i = 0; u[i].shared != NULL; i++) {
    ga__strb_append(p->out, i == 0 ? " update (" : ", ");
    print_pair(p, u[i].shared, u[i].value);
  }
  ga__strb_append(p->out, u[0].shared != NULL ? ")" : "");
}

static void print_givens(const printer *p, const gg_given *u) {
  for (size_t i = 0; u[i].var != NULL; i++) {
    ga__strb_append(p->out, i == 0 ? " given (" : ", ");
    print_pair(p, u[i].var, u[i].by);
  }
  ga__strb_append(p->out, u[0].var != NULL ? ")" : "");
}

static void print_names(const printer *p, const char *clause,
                        const char *const *names) {
  for (size_t i = 0; names[i] != NULL; i++) {
    ga__strb_appendf(p->out, i == 0 ? " %s (" : ", ", clause);
    gg__name_print(names[i], p->out);
  }
  ga__strb_append(p->out, names[0] != NULL ? ")" : "");
}

static const char *mode_name(gg_mode mode) {
  switch (mode) {
  case GG_FAST_COMPILE:
    return "fast_compile";
  case GG_NO_REWRITE:
    return "no_rewrite";
  case GG_DEBUG:
    return "debug";
  default:
    return "fast_run";
  }
}

/* The lists of a kept spec all exist. */
static void print_func(const printer *p, const gg_func_spec *f) {
  ga__strb_append(p->out, "function ");
  gg__name_print(f->name, p->out);
  print_list(p, f->inputs);
  ga__strb_append(p->out, " -> ");
  print_list(p, f->outputs);
  print_updates(p, f->updates);
  print_givens(p, f->givens);
  if (f->no_default_updates[0] != NULL) {
    ga__strb_append(p->out, " no_update ");
    print_list(p, f->no_default_updates);
  }
  if (f->mode != GG_FAST_RUN)
    ga__strb_appendf(p->out, " mode %s", mode_name(f->mode));
  print_names(p, "include", f->include);
  print_names(p, "exclude", f->exclude);
  if (f->max_passes != 0)
    ga__strb_appendf(p->out, " max_passes %u", f->max_passes);
  if (f->flags != 0)
    ga__strb_appendf(p->out, " flags %d", f->flags);
  ga__strb_append(p->out, "\n");
}

static void print_default_update(const printer *p, const gg_var *v) {
  ga__strb_append(p->out, "update ");
  print_pair(p, v, v->update);
  ga__strb_append(p->out, "\n");
}

static int print_all(printer *p) {
  const gg_graph *g = p->g;
  const gg_var *v;

  mark_needed(p);
  GA_TRY(choose_labels(p));
  for (size_t id = 0; id < g->vars.n; id++) {
    v = g->vars.v[id];
    if (p->info[id].needed && !p->info[id].is_inner && v->index == 0)
      GA_TRY(print_definition(p, v));
  }
  for (size_t id = 0; id < g->vars.n; id++)
    if (g->vars.v[id]->update != NULL)
      print_default_update(p, g->vars.v[id]);
  for (size_t i = 0; i < g->funcs.n; i++)
    print_func(p, g->funcs.v[i]);
  return p->out->err;
}

int gg__text_print(gg_graph *g, int flags, gg__blocks *blocks, ga__strb *out) {
  printer p = {.g = g, .flags = flags, .blocks = blocks, .out = out};
  int err = GA_MEMORY_ERROR;

  p.info = ga__calloc(g->vars.n, sizeof *p.info);
  if (p.info != NULL)
    err = print_all(&p);
  ga__map_clear(&p.names);
  ga__free(p.info);
  /* What failed before kept its own message. */
  return err == GA_NO_ERROR ? err : gg__fail(g, err, "%s", ga__err_text(err));
}

int gg_graph_print(gg_graph *g, FILE *f, int flags) {
  ga__strb text = GA_STRB_INIT;
  int err;

  GA_CHECK(gg_graph_status(g));
  GA_CHECK(gg__text_print(g, flags, NULL, &text));
  if (fwrite(ga__strb_text(&text), 1, text.n, f) != text.n || fflush(f) != 0)
    err = gg__fail(g, GA_SYS_ERROR, "the text cannot be written");

done:
  ga__strb_clear(&text);
  return err;
}
