/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a step's kernel: one statement per node, in GE_VECTOR form.
 *
 *   exp(x - m) / s, stored, of three arrays:
 *
 *     w_float t0 = (i0 - i1); w_float t1 = exp(t0); w_float t2 = (t1 / i2);
 *     o0 = t2;
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/plan.h"

/* What a value is called in the text; kept in program->local. */
enum { ARRAY = 0, SCALAR, TEMP, RESULT };
#define LOCAL(kind, n) ((unsigned int)(kind) << 28 | (n))

typedef struct emitter {
  const gg__program *p;
  ga__strb text;
  const char *array; /* prefixes of names: "i" in a map, "p" in a post */
  const char *scalar;
} emitter;

/* --- names and numbers --- */

static const char *stem(int dtype) {
  return dtype == GA_BOOL ? "bool" : ga__dtype_cl(dtype);
}

static void append_float(ga__strb *b, double v, int is_double) {
  if (isnan(v)) {
    ga__strb_append(b, "NAN");
  } else if (isinf(v)) {
    ga__strb_append(b, v < 0 ? "-INFINITY" : "INFINITY");
  } else {
    ga__strb_append_real(b, v);
    if (!is_double)
      ga__strb_append(b, "f");
  }
}

static void append_integer(ga__strb *b, int dtype, const void *data) {
  uint64_t u = 0;
  int64_t i;

  if (dtype == GA_ULONG) {
    memcpy(&u, data, sizeof u);
    ga__strb_appendf(b, "%lluUL", (unsigned long long)u);
    return;
  }
  if (dtype == GA_LONG)
    memcpy(&i, data, sizeof i);
  else
    i = (int64_t)ga__dtype_to_double(dtype, data);
  if (i == INT64_MIN) /* has no literal of its own */
    ga__strb_append(b, "-9223372036854775807L - 1");
  else
    ga__strb_appendf(b, "%lld%s", (long long)i, dtype == GA_LONG ? "L" : "");
}

/* A constant, cast to its work type. */
static void append_literal(ga__strb *b, const gg_var *v) {
  const int dtype = v->type.dtype;

  switch (ga__dtype_kind(dtype)) {
  case GA_KIND_BOOL:
    ga__strb_appendf(b, "w_to_bool((w_bool)(%d))",
                     *(const unsigned char *)v->data != 0);
    break;
  case GA_KIND_FLOAT:
    ga__strb_appendf(b, "(w_%s)(", stem(dtype));
    append_float(b, ga__dtype_to_double(dtype, v->data), dtype == GA_DOUBLE);
    ga__strb_append(b, ")");
    break;
  default:
    ga__strb_appendf(b, "(w_%s)(", stem(dtype));
    append_integer(b, dtype, v->data);
    ga__strb_append(b, ")");
  }
}

static void append_value(emitter *e, unsigned int value) {
  const gg__value *v = &e->p->values.v[value];
  const unsigned int local = e->p->local[value];
  const unsigned int n = local & 0xfffffffu;

  if (gg__is_literal(v)) {
    append_literal(&e->text, v->var);
    return;
  }
  switch (local >> 28) {
  case ARRAY:
    ga__strb_appendf(&e->text, "%s%u", e->array, n);
    break;
  case SCALAR:
    ga__strb_appendf(&e->text, "%s%u", e->scalar, n);
    break;
  case TEMP:
    ga__strb_appendf(&e->text, "t%u", n);
    break;
  default:
    ga__strb_append(&e->text, "r");
  }
}

/* --- statements --- */

/* The node's code with its operands filled in. */
static void append_code(emitter *e, const gg_apply *a) {
  const int out = a->out[0]->type.dtype, in = a->in[0]->type.dtype;
  const char *s;

  for (s = gg_apply_code(a)->text; *s != '\0'; s++) {
    if (*s != '%' || s[1] == '\0') {
      ga__strb_append_n(&e->text, s, 1);
      continue;
    }
    switch (*++s) {
    case 'T':
      ga__strb_appendf(&e->text, "w_%s", stem(out));
      break;
    case 't':
      ga__strb_append(&e->text, stem(out));
      break;
    case 'I':
      ga__strb_appendf(&e->text, "w_%s", stem(in));
      break;
    case 'i':
      ga__strb_append(&e->text, stem(in));
      break;
    case '%':
      ga__strb_append(&e->text, "%");
      break;
    default:
      append_value(e, gg__in(e->p, a, (unsigned int)(*s - '0')));
    }
  }
}

static void name_values(emitter *e, const gg__body *b) {
  unsigned int i;

  for (i = 0; i < b->n_in; i++)
    e->p->local[b->in[i]] = LOCAL(ARRAY, i);
  for (i = 0; i < b->n_scalars; i++)
    e->p->local[b->scalars[i]] = LOCAL(SCALAR, i);
}

static void append_nodes(emitter *e, const gg__body *b) {
  const gg_apply *a;
  unsigned int i;

  for (i = 0; i < b->n_nodes; i++) {
    a = b->nodes[i];
    ga__strb_appendf(&e->text, "w_%s t%u = ", stem(a->out[0]->type.dtype), i);
    append_code(e, a);
    ga__strb_append(&e->text, ";\n");
    e->p->local[gg__out(e->p, a, 0)] = LOCAL(TEMP, i);
  }
}

static void append_stores(emitter *e, const gg__body *b) {
  unsigned int i;

  for (i = 0; i < b->n_out; i++) {
    ga__strb_appendf(&e->text, "o%u = ", i);
    append_value(e, b->out[i]);
    ga__strb_append(&e->text, ";\n");
  }
}

/* --- arguments --- */

/* Names live beside the list, since gpuelemwise_arg only points. */
typedef struct arguments {
  GA_VEC(gpuelemwise_arg) list;
  char (*names)[12];
} arguments;

static void arguments_clear(arguments *a) {
  ga__vec_clear(&a->list);
  ga__free(a->names);
}

static int add_arguments(arguments *a, const gg__program *p, const char *prefix,
                         const unsigned int *values, unsigned int n,
                         int flags) {
  gpuelemwise_arg arg = {NULL, 0, flags};
  unsigned int i;

  for (i = 0; i < n; i++) {
    snprintf(a->names[a->list.n], sizeof a->names[0], "%s%u", prefix, i);
    arg.name = a->names[a->list.n];
    arg.typecode = p->values.v[values[i]].var->type.dtype;
    GA_TRY(ga__vec_push(&a->list, arg));
  }
  return GA_NO_ERROR;
}

/* Arrays, numbers, and, with `outputs`, what is written. */
static int list_arguments(arguments *a, const emitter *e, const gg__body *b,
                          int outputs) {
  a->names =
      ga__malloc((b->n_in + b->n_scalars + b->n_out) * sizeof a->names[0]);
  if (a->names == NULL)
    return ga__fail_nomem();
  GA_TRY(add_arguments(a, e->p, e->array, b->in, b->n_in, GE_READ));
  GA_TRY(add_arguments(a, e->p, e->scalar, b->scalars, b->n_scalars,
                       GE_READ | GE_SCALAR));
  if (outputs)
    GA_TRY(add_arguments(a, e->p, "o", b->out, b->n_out, GE_WRITE));
  return GA_NO_ERROR;
}

/* --- maps --- */

static int make_map(const gg__program *p, gg__step *s) {
  emitter e = {.p = p, .array = "i", .scalar = "s"};
  const gg__body *b = &s->map;
  arguments a = {{NULL, 0, 0}, NULL};
  int err;

  name_values(&e, b);
  append_nodes(&e, b);
  append_stores(&e, b);
  GA_CHECK(list_arguments(&a, &e, b, 1));
  GA_CHECK(e.text.err);
  s->ge = GpuElemwise_new(p->g->ctx, NULL, ga__strb_text(&e.text),
                          (unsigned int)a.list.n, a.list.v,
                          p->values.v[b->out[0]].var->type.nd,
                          b->vector ? GE_VECTOR : GE_CONVERT_F16);
  if (s->ge == NULL)
    err = gg__adopt_error(p, gg__last_code(p));
done:
  arguments_clear(&a);
  ga__strb_clear(&e.text);
  return err;
}

/* --- reductions --- */

static const ga_reduce_op reduce_ops[] = {
    [GG_SUM] = GA_REDUCE_SUM,       [GG_PROD] = GA_REDUCE_PROD,
    [GG_MAX] = GA_REDUCE_MAX,       [GG_MIN] = GA_REDUCE_MIN,
    [GG_ANY_OF] = GA_REDUCE_ANY,    [GG_ALL_OF] = GA_REDUCE_ALL,
    [GG_ARGMAX] = GA_REDUCE_ARGMAX, [GG_ARGMIN] = GA_REDUCE_ARGMIN};

static int accumulator(const gg_apply *a) {
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

/* v = the mapped value, in the accumulator's type; bools are counted as
 * integers. */
static void append_map_result(emitter *e, const gg_apply *a, int acc) {
  const int dtype = a->in[0]->type.dtype;
  const char *open = "", *close = "";
  char call[48];

  if (acc == GA_BOOL && dtype != GA_BOOL) {
    open = "w_from_bool_int(w_to_bool(";
    close = "))";
  } else if (dtype == GA_BOOL) {
    snprintf(call, sizeof call, "w_from_bool_%s(",
             acc == GA_BOOL ? "int" : stem(acc));
    open = call;
    close = ")";
  } else if (ga__dtype_work(dtype) != acc) {
    snprintf(call, sizeof call, "w_to_%s(", stem(acc));
    open = call;
    close = ")";
  }
  ga__strb_appendf(&e->text, "v = %s", open);
  append_value(e, gg__in(e->p, a, 0));
  ga__strb_appendf(&e->text, "%s;\n", close);
}

/* --- what becomes of a result --- */

/* r = the result, in its work type. */
static void append_result(emitter *e, const gg_apply *a) {
  const gg_reduce_props *r = a->op->kind == GG_OP_REDUCE ? a->props : NULL;
  const char *s = stem(a->out[0]->type.dtype);

  if (r != NULL && (r->op == GG_ARGMAX || r->op == GG_ARGMIN))
    ga__strb_append(&e->text, "w_long r = idx;\n");
  else
    ga__strb_appendf(&e->text, "w_%s r = w_to_%s(acc);\n", s, s);
  e->p->local[gg__out(e->p, a, 0)] = LOCAL(RESULT, 0);
}

static int make_post(emitter *e, const gg__step *s, arguments *out) {
  name_values(e, &s->post);
  append_result(e, s->apply);
  append_nodes(e, &s->post);
  append_stores(e, &s->post);
  GA_TRY(list_arguments(out, e, &s->post, 1));
  return e->text.err;
}

static int make_reduction(const gg__program *p, gg__step *s) {
  emitter map = {.p = p, .array = "i", .scalar = "s"};
  emitter post = {.p = p, .array = "p", .scalar = "q"};
  const gg_reduce_props *r = s->apply->props;
  GpuReductionSpec spec = {.op = reduce_ops[r->op],
                           .acc = accumulator(s->apply),
                           .flags = s->map.vector ? GE_VECTOR : 0};
  arguments in = {{NULL, 0, 0}, NULL}, out = {{NULL, 0, 0}, NULL};
  int err;

  name_values(&map, &s->map);
  append_nodes(&map, &s->map);
  append_map_result(&map, s->apply, spec.acc);
  GA_CHECK(list_arguments(&in, &map, &s->map, 0));
  GA_CHECK(map.text.err);
  GA_CHECK(make_post(&post, s, &out));
  spec.map = ga__strb_text(&map.text);
  spec.post = ga__strb_text(&post.text);
  spec.n_in = (unsigned int)in.list.n;
  spec.in = in.list.v;
  spec.n_post = (unsigned int)out.list.n;
  spec.post_args = out.list.v;
  err = gg__adopt_error(p, GpuReduction_new(&s->re, p->g->ctx, &spec));
done:
  arguments_clear(&in);
  arguments_clear(&out);
  ga__strb_clear(&map.text);
  ga__strb_clear(&post.text);
  return err;
}

/* The epilogue keeps the text and the arguments. */
static int make_epilogue(const gg__program *p, gg__step *s) {
  emitter post = {.p = p, .array = "p", .scalar = "q"};
  arguments out = {{NULL, 0, 0}, NULL};
  gg__epilogue *x = ga__calloc(1, sizeof *x);
  int err;

  if (x == NULL)
    return ga__fail_nomem();
  err = make_post(&post, s, &out);
  x->args = out.list.v;
  x->names = out.names;
  x->text = post.text;
  if (err != GA_NO_ERROR) {
    gg__epilogue_free(x);
    return err;
  }
  x->e.text = ga__strb_text(&x->text);
  x->e.n_args = (unsigned int)out.list.n;
  x->e.args = x->args;
  x->e.flags = s->post.vector ? GE_VECTOR : 0;
  s->epilogue = x;
  return GA_NO_ERROR;
}

void gg__epilogue_free(gg__epilogue *x) {
  if (x == NULL)
    return;
  ga__free(x->args);
  ga__free(x->names);
  ga__strb_clear(&x->text);
  ga__free(x);
}

int gg__step_kernel(const gg__program *p, gg__step *s) {
  if (s->kind == GG_STEP_MAP && s->ge == NULL)
    return make_map(p, s);
  if (s->kind == GG_STEP_REDUCE && s->re == NULL)
    return make_reduction(p, s);
  if (s->kind == GG_STEP_KERNEL && s->post.n_out != 0 && s->epilogue == NULL)
    return make_epilogue(p, s);
  return GA_NO_ERROR;
}
