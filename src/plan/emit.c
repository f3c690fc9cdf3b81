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

#include "plan/emit.h"

/* --- names and numbers --- */

const char *gg__emit_stem(int dtype) {
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
    ga__strb_appendf(b, "(w_%s)(", gg__emit_stem(dtype));
    append_float(b, ga__dtype_to_double(dtype, v->data), dtype == GA_DOUBLE);
    ga__strb_append(b, ")");
    break;
  default:
    ga__strb_appendf(b, "(w_%s)(", gg__emit_stem(dtype));
    append_integer(b, dtype, v->data);
    ga__strb_append(b, ")");
  }
}

void gg__emit_value(gg__emitter *e, unsigned int value) {
  const gg__value *v = &e->p->values.v[value];
  const unsigned int local = e->p->local[value];
  const unsigned int n = local & 0xfffffffu;

  if (gg__is_literal(v)) {
    append_literal(&e->text, v->var);
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
    ga__strb_appendf(&e->text, "%c%u", "  t kn r"[local >> 28], n);
  }
}

/* --- statements --- */

void gg__emit_code(gg__emitter *e, const gg_apply *a) {
  const int out = a->out[0]->type.dtype, in = a->in[0]->type.dtype;

  for (const char *s = gg_apply_code(a)->text; *s != '\0'; s++) {
    if (*s != '%' || s[1] == '\0') {
      ga__strb_append_n(&e->text, s, 1);
      continue;
    }
    switch (*++s) {
    case 'T':
      ga__strb_appendf(&e->text, "w_%s", gg__emit_stem(out));
      break;
    case 't':
      ga__strb_append(&e->text, gg__emit_stem(out));
      break;
    case 'I':
      ga__strb_appendf(&e->text, "w_%s", gg__emit_stem(in));
      break;
    case 'i':
      ga__strb_append(&e->text, gg__emit_stem(in));
      break;
    case '%':
      ga__strb_append(&e->text, "%");
      break;
    default:
      gg__emit_value(e, gg__in(e->p, a, (unsigned int)(*s - '0')));
    }
  }
}

void gg__emit_names(gg__emitter *e, const gg__body *b) {
  for (unsigned int i = 0; i < b->n_in; i++)
    e->p->local[b->in[i]] = GG_LOCAL(GG_LOCAL_ARRAY, i);
  for (unsigned int i = 0; i < b->n_scalars; i++)
    e->p->local[b->scalars[i]] = GG_LOCAL(GG_LOCAL_SCALAR, i);
}

static void append_nodes(gg__emitter *e, const gg__body *b) {
  for (unsigned int i = 0; i < b->n_nodes; i++) {
    const gg_apply *a = b->nodes[i];
    ga__strb_appendf(&e->text,
                     "w_%s t%u = ", gg__emit_stem(a->out[0]->type.dtype), i);
    gg__emit_code(e, a);
    ga__strb_append(&e->text, ";\n");
    e->p->local[gg__out(e->p, a, 0)] = GG_LOCAL(GG_LOCAL_TEMP, i);
  }
}

static void append_stores(gg__emitter *e, const gg__body *b) {
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

int gg__list_arguments(gg__arguments *a, const gg__emitter *e,
                       const gg__body *b, int outputs) {
  a->names =
      ga__malloc((b->n_in + b->n_scalars + b->n_out) * sizeof a->names[0]);
  if (a->names == NULL)
    return ga__fail_nomem();
  GA_TRY(add_arguments(a, e->p, e->array, b->in, b->n_in, GE_READ));
  GA_TRY(add_arguments(a, e->p, e->scalar, b->scalars, b->n_scalars,
                       GE_READ | GE_SCALAR));
  if (outputs)
    GA_TRY(add_arguments(a, e->p, e->output, b->out, b->n_out, GE_WRITE));
  return GA_NO_ERROR;
}

/* --- maps --- */

static int make_map(const gg__program *p, gg__step *s) {
  gg__emitter e = {.p = p, .array = "i", .scalar = "s", .output = "o"};
  const gg__body *b = &s->map;
  gg__arguments a = {{NULL, 0, 0}, NULL};
  int err;

  gg__emit_names(&e, b);
  append_nodes(&e, b);
  append_stores(&e, b);
  GA_CHECK(gg__list_arguments(&a, &e, b, 1));
  GA_CHECK(e.text.err);
  s->ge = GpuElemwise_new(gg__step_context(p, s), NULL, ga__strb_text(&e.text),
                          (unsigned int)a.list.n, a.list.v,
                          p->values.v[b->out[0]].var->type.nd,
                          b->vector ? GE_VECTOR : GE_CONVERT_F16);
  if (s->ge == NULL)
    err = gpuarray_error_code();
done:
  gg__arguments_clear(&a);
  ga__strb_clear(&e.text);
  return err;
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

/* Values that a step's kernel combines; of a variance the sum comes with it. */
static unsigned int count_accumulators(const gg__step *s) {
  if (s->apply->op->kind != GG_OP_REDUCE ||
      gg__reduce_op(s->apply) == GA_REDUCE_VAR)
    return 1;
  return 1 + s->n_also;
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
             acc == GA_BOOL ? "int" : gg__emit_stem(acc));
    open = call;
    close = ")";
  } else if (ga__dtype_work(dtype) != acc) {
    snprintf(call, sizeof call, "w_to_%s(", gg__emit_stem(acc));
    open = call;
    close = ")";
  }
  ga__strb_appendf(&e->text, "%s = %s", name, open);
  gg__emit_value(e, gg__in(e->p, a, 0));
  ga__strb_appendf(&e->text, "%s;\n", close);
}

/* v = what is combined, or v0, v1, ... where several are. */
static void append_reduced(gg__emitter *e, const gg__step *s, int acc) {
  const unsigned int n = count_accumulators(s);
  char name[16];

  gg__emit_reduced(e, s->apply, acc, n > 1 ? "v0" : "v");
  for (unsigned int i = 1; i < n; i++) {
    snprintf(name, sizeof name, "v%u", i);
    gg__emit_reduced(e, s->also[i - 1], acc, name);
  }
}

/* --- what becomes of a result --- */

/* r1, r2, ... = what comes with the result: the sum of what that is the
 * variance of, or others that are combined beside it. */
static void append_also(gg__emitter *e, const gg__step *x, unsigned int i) {
  const gg_apply *a = x->also[i];
  const char *s = gg__emit_stem(a->out[0]->type.dtype);

  if (gg__reduce_op(x->apply) == GA_REDUCE_VAR)
    ga__strb_appendf(&e->text, "w_%s r1 = w_to_%s(mean * count);\n", s, s);
  else
    ga__strb_appendf(&e->text, "w_%s r%u = w_to_%s(acc%u);\n", s, i + 1, s,
                     i + 1);
  e->p->local[gg__out(e->p, a, 0)] = GG_LOCAL(GG_LOCAL_REDUCED, i + 1);
}

/* r = the result of `a`, in its work type; the kernel has it as `acc`. */
static void append_result(gg__emitter *e, const gg_apply *a, const char *acc) {
  const gg_reduce_props *r = a->op->kind == GG_OP_REDUCE ? a->props : NULL;
  const char *s = gg__emit_stem(a->out[0]->type.dtype);

  if (r != NULL && (r->op == GG_ARGMAX || r->op == GG_ARGMIN))
    ga__strb_append(&e->text, "w_long r = idx;\n");
  else
    ga__strb_appendf(&e->text, "w_%s r = w_to_%s(%s);\n", s, s, acc);
  e->p->local[gg__out(e->p, a, 0)] = GG_LOCAL(GG_LOCAL_RESULT, 0);
}

/* What follows the results, and its arguments. */
static int finish_post(gg__emitter *e, const gg__body *b, gg__arguments *out) {
  append_nodes(e, b);
  append_stores(e, b);
  GA_TRY(gg__list_arguments(out, e, b, 1));
  return e->text.err;
}

static int make_post(gg__emitter *e, const gg__step *s, gg__arguments *out) {
  gg__emit_names(e, &s->post);
  append_result(e, s->apply, count_accumulators(s) > 1 ? "acc0" : "acc");
  for (unsigned int i = 0; i < s->n_also; i++)
    append_also(e, s, i);
  return finish_post(e, &s->post, out);
}

static int make_reduction(const gg__program *p, gg__step *s) {
  gg__emitter map = {.p = p, .array = "i", .scalar = "s", .output = "o"};
  gg__emitter post = {.p = p, .array = "p", .scalar = "q", .output = "o"};
  GpuReductionSpec spec = {.op = gg__reduce_op(s->apply),
                           .acc = gg__accumulator(s->apply),
                           .flags = s->map.vector ? GE_VECTOR : 0,
                           .n_acc = count_accumulators(s)};
  gg__arguments in = {{NULL, 0, 0}, NULL}, out = {{NULL, 0, 0}, NULL};
  int err;

  gg__emit_names(&map, &s->map);
  append_nodes(&map, &s->map);
  append_reduced(&map, s, spec.acc);
  GA_CHECK(gg__list_arguments(&in, &map, &s->map, 0));
  GA_CHECK(map.text.err);
  GA_CHECK(make_post(&post, s, &out));
  spec.map = ga__strb_text(&map.text);
  spec.post = ga__strb_text(&post.text);
  spec.n_in = (unsigned int)in.list.n;
  spec.in = in.list.v;
  spec.n_post = (unsigned int)out.list.n;
  spec.post_args = out.list.v;
  err = GpuReduction_new(&s->re, gg__step_context(p, s), &spec);
done:
  gg__arguments_clear(&in);
  gg__arguments_clear(&out);
  ga__strb_clear(&map.text);
  ga__strb_clear(&post.text);
  return err;
}

/* An epilogue of what `a` gives, which keeps the text and the arguments. */
static int new_epilogue(gg__epilogue **to, const gg__program *p,
                        const gg_apply *a, const gg__body *b) {
  gg__emitter e = {.p = p, .array = "p", .scalar = "q", .output = "o"};
  gg__arguments out = {{NULL, 0, 0}, NULL};
  gg__epilogue *x = ga__calloc(1, sizeof *x);

  *to = x;
  if (x == NULL)
    return ga__fail_nomem();
  gg__emit_names(&e, b);
  append_result(&e, a, "acc");
  int err = finish_post(&e, b, &out);
  x->args = out.list.v;
  x->names = out.names;
  x->text = e.text;
  x->e.text = ga__strb_text(&x->text);
  x->e.n_args = (unsigned int)out.list.n;
  x->e.args = x->args;
  x->e.flags = b->vector ? GE_VECTOR : 0;
  return err;
}

static int make_epilogue(const gg__program *p, gg__step *s) {
  gg__epilogue *x;
  int err;

  GA_CHECK(new_epilogue(&x, p, s->apply, &s->post));
  if (s->n_also > 0) {
    GA_CHECK(new_epilogue(&x->sum, p, s->also[0], &s->beside));
    x->e.sum = &x->sum->e;
  }
  s->epilogue = x;
  return GA_NO_ERROR;

done:
  gg__epilogue_free(x);
  return err;
}

int gg__step_kernel(const gg__program *p, gg__step *s) {
  if (s->kind == GG_STEP_MAP && s->ge == NULL)
    return make_map(p, s);
  if (s->kind == GG_STEP_REDUCE && s->re == NULL)
    return make_reduction(p, s);
  if (s->kind == GG_STEP_KERNEL && s->post.n_out != 0 && s->epilogue == NULL)
    return make_epilogue(p, s);
  if (s->kind == GG_STEP_ROWS && s->ro == NULL)
    return gg__make_rows(p, s);
  return GA_NO_ERROR;
}
