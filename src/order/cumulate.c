/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulations with expressions: checks and copies their descriptions. */
#include "order/cumulate.h"
#include "order/cumulate_op.h"

#include <gpuarray/random.h>
#include <string.h>

#include "array/operands.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "codegen/gen_cast.h"
#include "ocl/ocl.h"

/* --- checks --- */

/* Whether combining value v uses the name: v, v_a or v_b. */
static int is_name_of(const char *name, const char *v) {
  const size_t n = strlen(v);

  return strncmp(name, v, n) == 0 &&
         (name[n] == '\0' || strcmp(name + n, "_a") == 0 ||
          strcmp(name + n, "_b") == 0);
}

/* Check the name of value i against those of the arguments and of the values
 * before it. */
static int check_name(const GpuCumulationSpec *s, unsigned int i) {
  const char *name = s->values[i].name;

  for (unsigned int k = 0; k < s->n_args; k++) {
    if (strcmp(name, s->args[k].name) == 0)
      return ga__fail(GA_VALUE_ERROR, "%s: two names are the same", name);
  }
  for (unsigned int k = 0; k < i; k++) {
    const char *other = s->values[k].name;
    if (strcmp(name, other) == 0)
      return ga__fail(GA_VALUE_ERROR, "%s: two names are the same", name);
    if (is_name_of(name, other) || is_name_of(other, name))
      return ga__fail(GA_VALUE_ERROR,
                      "%s and %s: one is what the other has as an operand",
                      other, name);
  }
  return GA_NO_ERROR;
}

static int check_values(gpucontext *ctx, const GpuCumulationSpec *s) {
  if (s->n_values == 0 || s->n_values > GPUCUMULATION_MAX_VALUES)
    return ga__fail(GA_VALUE_ERROR, "%u values to combine, expected 1 to %d",
                    s->n_values, GPUCUMULATION_MAX_VALUES);
  for (unsigned int i = 0; i < s->n_values; i++) {
    const gpuelemwise_arg v = {s->values[i].name, s->values[i].typecode,
                               GE_READ};

    GA_TRY(ga__args_check(ctx, 1, &v));
    GA_TRY(ga__cumulate_check_op(v.name, s->op, v.typecode));
    GA_TRY(check_name(s, i));
  }
  if (s->op != GA_CUMULATE_EXPR && s->n_values != 1)
    return ga__fail(GA_VALUE_ERROR, "%s of %u values, expected 1",
                    ga__cumulate_op_name(s->op), s->n_values);
  return GA_NO_ERROR;
}

/* The index of the only written argument; n_args if there is none, or more than
 * one. */
static unsigned int only_result(const GpuCumulationSpec *s) {
  unsigned int found = s->n_args;

  for (unsigned int i = 0; i < s->n_args; i++) {
    if (!ga__arg_is_written(&s->args[i]))
      continue;
    if (found != s->n_args)
      return s->n_args;
    found = i;
  }
  return found;
}

/* GA_VALUE_ERROR when an implicit conversion would drop imaginary parts. */
static int check_parts(const char *what, int from, int to) {
  if (!ga__dtype_is_complex(from) || ga__dtype_is_complex(to) ||
      ga__dtype_kind(to) == GA_KIND_BOOL)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "%s: %s would lose imaginary parts in %s",
                  what, ga__dtype_name(from), ga__dtype_name(to));
}

static int check_texts(const GpuCumulationSpec *s) {
  const int is_expr = s->op == GA_CUMULATE_EXPR;

  if (is_expr != (s->combine != NULL) || is_expr != (s->neutral != NULL))
    return ga__fail(GA_VALUE_ERROR,
                    is_expr ? "no expression that combines, or none that is "
                              "neutral"
                            : "an operation and expressions that combine");
  if (s->map == NULL) {
    if (s->n_values != 1 || s->n_args == 0 || !(s->args[0].flags & GE_READ))
      return ga__fail(GA_VALUE_ERROR, "no map for %u values of %u arguments",
                      s->n_values, s->n_args);
    GA_TRY(check_parts(s->values[0].name, s->args[0].typecode,
                       s->values[0].typecode));
  }
  if (s->post == NULL) {
    const unsigned int k = only_result(s);
    if (s->n_values != 1 || k == s->n_args)
      return ga__fail(GA_VALUE_ERROR,
                      "no post expression for %u values, expected 1 and 1 "
                      "argument that is written",
                      s->n_values);
    GA_TRY(check_parts(s->args[k].name, s->values[0].typecode,
                       s->args[k].typecode));
  }
  return GA_NO_ERROR;
}

static int check_spec(gpucontext *ctx, const GpuCumulationSpec *s) {
  unsigned int results = 0;

  GA_TRY(ga__args_check_used(ctx, s->n_args, s->args));
  for (unsigned int i = 0; i < s->n_args; i++) {
    if (s->args[i].flags & GE_RANDOM)
      return ga__fail(GA_VALUE_ERROR, "%s: random numbers are for maps alone",
                      s->args[i].name);
    results += ga__arg_is_written(&s->args[i]) != 0;
  }
  if (results == 0)
    return ga__fail(GA_VALUE_ERROR, "no argument of %u is written", s->n_args);
  GA_TRY(check_values(ctx, s));
  return check_texts(s);
}

/* --- copies --- */

static int copy_args(gpuelemwise_arg **to, unsigned int n,
                     const gpuelemwise_arg *from) {
  *to = ga__calloc(n, sizeof **to);
  if (*to == NULL)
    return ga__fail_nomem();
  return ga__args_copy(*to, n, from);
}

/* Read a text of the description or, if it is NULL, its default `own` as an
 * expression. */
static int read_text(GpuCumulation *c, ga__expr *e, const char *text,
                     const ga__strb *own) {
  GA_TRY(own->err);
  return ga__expr_init(e, text != NULL ? text : ga__strb_text(own),
                       c->spec.n_args, c->args, 0);
}

/* The defaults of texts that a description leaves out. */
typedef struct defaults {
  ga__strb map, combine, neutral, post;
} defaults;

static void write_defaults(defaults *d, const GpuCumulation *c) {
  const gpuelemwise_arg *v = &c->values[0];

  if (c->spec.op != GA_CUMULATE_EXPR)
    ga__cumulate_write_op(&d->combine, &d->neutral, c->spec.op, v);
  if (c->spec.map == NULL)
    ga__gen_cast(&d->map, v->name, v->typecode, c->args[0].name,
                 c->args[0].typecode);
  if (c->spec.post == NULL) {
    const gpuelemwise_arg *out = &c->args[only_result(&c->spec)];
    ga__gen_cast(&d->post, out->name, out->typecode, v->name, v->typecode);
  }
}

static void clear_defaults(defaults *d) {
  ga__strb_clear(&d->map);
  ga__strb_clear(&d->combine);
  ga__strb_clear(&d->neutral);
  ga__strb_clear(&d->post);
}

/* Whether the conversions in the defaults of map and post suit vectors. */
static int casts_suit(const GpuCumulationSpec *s) {
  const int v = s->values[0].typecode;

  return (s->map != NULL || ga__gen_cast_is_vector(v, s->args[0].typecode)) &&
         (s->post != NULL ||
          ga__gen_cast_is_vector(s->args[only_result(s)].typecode, v));
}

/* Read each text, and then all as one expression: vector code is for all of
 * them or for none. */
static int read_all(GpuCumulation *c, const defaults *d) {
  const GpuCumulationSpec *s = &c->spec;
  const unsigned int n = s->n_args + s->n_values;
  const int has_texts =
      s->map != NULL || s->post != NULL || s->op == GA_CUMULATE_EXPR;
  gpuelemwise_arg *names = ga__calloc(n, sizeof *names);
  ga__strb all = GA_STRB_INIT;
  int err;

  if (names == NULL)
    GA_CHECK(ga__fail_nomem());
  memcpy(names, c->args, s->n_args * sizeof *names);
  memcpy(names + s->n_args, c->values, s->n_values * sizeof *names);
  GA_CHECK(read_text(c, &c->map, s->map, &d->map));
  GA_CHECK(read_text(c, &c->combine, s->combine, &d->combine));
  GA_CHECK(read_text(c, &c->neutral, s->neutral, &d->neutral));
  GA_CHECK(read_text(c, &c->post, s->post, &d->post));
  ga__strb_appendf(&all, "%s;\n%s;\n%s;\n%s;\n", c->map.text, c->combine.text,
                   c->neutral.text, c->post.text);
  GA_CHECK(all.err);
  GA_CHECK(ga__expr_init(&c->all, ga__strb_text(&all), n, names,
                         (!has_texts || (s->flags & GE_VECTOR) != 0) &&
                             casts_suit(s)));

done:
  ga__strb_clear(&all);
  ga__free(names);
  return err;
}

static int copy_spec(GpuCumulation *c, const GpuCumulationSpec *s) {
  defaults d = {GA_STRB_INIT, GA_STRB_INIT, GA_STRB_INIT, GA_STRB_INIT};

  c->spec = *s;
  c->spec.preamble = NULL;
  GA_TRY(copy_args(&c->args, s->n_args, s->args));
  GA_TRY(copy_args(&c->values, s->n_values, s->values));
  c->spec.args = c->args;
  c->spec.values = c->values;
  for (unsigned int i = 0; i < s->n_values; i++)
    c->values[i].typecode =
        ga__dtype_canon(ga__dtype_work(c->values[i].typecode));
  if (s->preamble != NULL) {
    c->spec.preamble = ga__strdup(s->preamble);
    if (c->spec.preamble == NULL)
      return ga__fail_nomem();
  }
  write_defaults(&d, c);
  const int err = read_all(c, &d);
  clear_defaults(&d);
  c->spec.map = c->map.text;
  c->spec.combine = c->combine.text;
  c->spec.neutral = c->neutral.text;
  c->spec.post = c->post.text;
  return err;
}

int GpuCumulation_new(GpuCumulation **out, gpucontext *ctx,
                      const GpuCumulationSpec *spec) {
  GpuCumulation *c;
  int err;

  *out = NULL;
  GA_TRY(check_spec(ctx, spec));
  c = ga__calloc(1, sizeof *c);
  if (c == NULL)
    return ga__fail_nomem();
  c->ctx = ctx;
  ga__ctx_retain(ctx);
  GA_CHECK(copy_spec(c, spec));
  *out = c;
  c = NULL;

done:
  GpuCumulation_free(c);
  return err;
}

void GpuCumulation_free(GpuCumulation *c) {
  if (c == NULL)
    return;
  ga__args_clear(c->args, c->spec.n_args);
  ga__args_clear(c->values, c->spec.n_values);
  ga__free(c->args);
  ga__free(c->values);
  ga__free((void *)c->spec.preamble);
  ga__expr_clear(&c->map);
  ga__expr_clear(&c->combine);
  ga__expr_clear(&c->neutral);
  ga__expr_clear(&c->post);
  ga__expr_clear(&c->all);
  gpucontext_deref(c->ctx);
  ga__free(c);
}
