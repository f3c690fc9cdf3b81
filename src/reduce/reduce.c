/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions with expressions: their descriptions. */
#include "reduce/reduce.h"

#include "array/operands.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "codegen/gen_cast.h"
#include "codegen/gen_reduce.h"
#include "ocl/ocl.h"

const char *ga__reduce_op_name(ga_reduce_op op) {
  static const char *const names[] = {
      [GA_REDUCE_SUM] = "sum",       [GA_REDUCE_PROD] = "prod",
      [GA_REDUCE_MAX] = "max",       [GA_REDUCE_MIN] = "min",
      [GA_REDUCE_ANY] = "any",       [GA_REDUCE_ALL] = "all",
      [GA_REDUCE_AND] = "and",       [GA_REDUCE_OR] = "or",
      [GA_REDUCE_XOR] = "xor",       [GA_REDUCE_ARGMAX] = "argmax",
      [GA_REDUCE_ARGMIN] = "argmin", [GA_REDUCE_VAR] = "var"};

  return names[op];
}

/* --- describing --- */

static int check_op(const GpuReductionSpec *s) {
  const ga__kind kind = ga__dtype_kind(s->acc);
  const char *acc = ga__dtype_name(s->acc);

  if ((int)s->op < GA_REDUCE_SUM ||
      (s->op > GA_REDUCE_ARGMIN && s->op != GA_REDUCE_VAR))
    return ga__fail(GA_VALUE_ERROR, "no combining operation has the number %d",
                    (int)s->op);
  switch (s->op) {
  case GA_REDUCE_SUM:
  case GA_REDUCE_PROD:
    if (kind == GA_KIND_BOOL)
      return ga__fail(GA_VALUE_ERROR, "%s in %s", ga__reduce_op_name(s->op),
                      acc);
    break;
  case GA_REDUCE_ANY:
  case GA_REDUCE_ALL:
    if (kind != GA_KIND_BOOL)
      return ga__fail(GA_VALUE_ERROR, "%s in %s, expected bool",
                      ga__reduce_op_name(s->op), acc);
    break;
  case GA_REDUCE_AND:
  case GA_REDUCE_OR:
  case GA_REDUCE_XOR:
    if (kind == GA_KIND_FLOAT || kind == GA_KIND_COMPLEX)
      return ga__fail(GA_VALUE_ERROR, "bitwise %s in %s",
                      ga__reduce_op_name(s->op), acc);
    break;
  case GA_REDUCE_VAR:
    if (kind != GA_KIND_FLOAT)
      return ga__fail(GA_VALUE_ERROR, "%s in %s, expected a float",
                      ga__reduce_op_name(s->op), acc);
    break;
  default:
    if (kind == GA_KIND_COMPLEX)
      return ga__fail(GA_UNSUPPORTED_ERROR,
                      "%s in %s: complex numbers have no order",
                      ga__reduce_op_name(s->op), acc);
    break;
  }
  return GA_NO_ERROR;
}

/* Conversions that are not spelled out keep both parts of a number, or ask
 * whether there are any. */
static int check_parts(const char *what, int from, int to) {
  const ga__kind kind = ga__dtype_kind(to);

  if (!ga__dtype_is_complex(from) || kind == GA_KIND_COMPLEX ||
      kind == GA_KIND_BOOL)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "%s: %s would lose imaginary parts in %s",
                  what, ga__dtype_name(from), ga__dtype_name(to));
}

static int check_args(gpucontext *ctx, unsigned int n,
                      const gpuelemwise_arg *args) {
  GA_TRY(ga__args_check(ctx, n, args));
  for (unsigned int i = 0; i < n; i++) {
    if (!(args[i].flags & (GE_READ | GE_WRITE | GE_SCALAR)))
      return ga__fail(GA_VALUE_ERROR, "%s: neither read nor written",
                      args[i].name);
  }
  return GA_NO_ERROR;
}

/* Several values have names that the texts tell. */
static int check_several(const GpuReductionSpec *s) {
  if (s->n_acc < 2)
    return GA_NO_ERROR;
  if (s->n_acc > GPUREDUCTION_MAX_ACC)
    return ga__fail(GA_VALUE_ERROR, "%u values to combine, at most %d",
                    s->n_acc, GPUREDUCTION_MAX_ACC);
  if (ga__reduce_is_arg(s->op) || ga__reduce_is_moments(s->op))
    return ga__fail(GA_VALUE_ERROR, "%s of %u values, which have one",
                    ga__reduce_op_name(s->op), s->n_acc);
  if (s->map == NULL || s->post == NULL)
    return ga__fail(GA_VALUE_ERROR, "%u values to combine, but no %s", s->n_acc,
                    s->map == NULL ? "map" : "post expression");
  return GA_NO_ERROR;
}

static int check_spec(gpucontext *ctx, const GpuReductionSpec *s) {
  unsigned int arrays = 0;

  GA_TRY(ga__args_check(ctx, 1,
                        &(gpuelemwise_arg){"accumulator", s->acc, GE_READ}));
  GA_TRY(check_op(s));
  GA_TRY(check_several(s));
  GA_TRY(check_args(ctx, s->n_in, s->in));
  GA_TRY(check_args(ctx, s->n_post, s->post_args));
  for (unsigned int i = 0; i < s->n_in; i++) {
    if (ga__arg_is_written(&s->in[i]))
      return ga__fail(GA_VALUE_ERROR, "%s: an input cannot be written",
                      s->in[i].name);
    arrays += !ga__arg_is_scalar(&s->in[i]);
  }
  if (arrays == 0)
    return ga__fail(GA_VALUE_ERROR, "no array among %u inputs", s->n_in);
  if (s->map == NULL && s->n_in != 1)
    return ga__fail(GA_VALUE_ERROR, "no map for %u inputs, expected 1",
                    s->n_in);
  if (s->n_post == 0)
    return ga__fail(GA_VALUE_ERROR, "no post argument, nothing is written");
  if (s->post == NULL && (s->n_post != 1 || !ga__arg_is_written(s->post_args)))
    return ga__fail(GA_VALUE_ERROR,
                    "no post expression for %u arguments, expected 1 output",
                    s->n_post);
  if (s->map == NULL)
    GA_TRY(check_parts("accumulator", s->in[0].typecode, s->acc));
  if (s->post == NULL)
    GA_TRY(check_parts(s->post_args[0].name, s->acc, s->post_args[0].typecode));
  return GA_NO_ERROR;
}

/* Read a text, or make the conversion that stands for none. */
static int read_expr(ga__expr *e, const char *text, unsigned int n,
                     const gpuelemwise_arg *args, int vector, const char *to,
                     int to_type, const char *from, int from_type) {
  ga__strb b = GA_STRB_INIT;
  int err;

  if (text != NULL)
    return ga__expr_init(e, text, n, args, vector);
  ga__gen_cast(&b, to, to_type, from, from_type);
  GA_CHECK(b.err);
  GA_CHECK(ga__expr_init(e, ga__strb_text(&b), n, args, vector));

done:
  ga__strb_clear(&b);
  return err;
}

static int copy_spec(GpuReduction *r, const GpuReductionSpec *s) {
  const int is_arg = ga__reduce_is_arg(s->op);
  const int lanes = !ga__dtype_is_complex(s->acc);
  GpuReductionSpec *own = &r->spec;

  own->op = s->op;
  own->acc = ga__dtype_canon(s->acc);
  own->flags = s->flags;
  own->n_acc = s->n_acc > 1 ? s->n_acc : 1;
  r->args = ga__calloc(s->n_in + s->n_post, sizeof *r->args);
  if (r->args == NULL)
    return ga__fail_nomem();
  own->n_in = s->n_in;
  own->n_post = s->n_post;
  own->in = r->args;
  own->post_args = r->args + s->n_in;
  GA_TRY(ga__args_copy(r->args, s->n_in, s->in));
  GA_TRY(ga__args_copy(r->args + s->n_in, s->n_post, s->post_args));
  if (s->preamble != NULL) {
    own->preamble = ga__strdup(s->preamble);
    if (own->preamble == NULL)
      return ga__fail_nomem();
  }
  GA_TRY(read_expr(&r->map, s->map, s->n_in, own->in,
                   lanes && (s->map == NULL || (s->flags & GE_VECTOR)), "v",
                   ga__dtype_work(own->acc), own->in[0].name,
                   own->in[0].typecode));
  GA_TRY(read_expr(&r->post, s->post, s->n_post, own->post_args, 0,
                   own->post_args[0].name, own->post_args[0].typecode,
                   is_arg ? "idx" : "acc", is_arg ? GA_LONG : own->acc));
  own->map = r->map.text;
  own->post = r->post.text;
  return GA_NO_ERROR;
}

int GpuReduction_new(GpuReduction **out, gpucontext *ctx,
                     const GpuReductionSpec *spec) {
  GpuReduction *r;

  *out = NULL;
  GA_TRY(check_spec(ctx, spec));
  r = ga__calloc(1, sizeof *r);
  if (r == NULL)
    return ga__fail_nomem();
  r->ctx = ctx;
  ga__ctx_retain(ctx);
  int err = copy_spec(r, spec);
  if (err != GA_NO_ERROR) {
    GpuReduction_free(r);
    return err;
  }
  *out = r;
  return GA_NO_ERROR;
}

void GpuReduction_free(GpuReduction *r) {
  if (r == NULL)
    return;
  ga__args_clear(r->args, r->spec.n_in + r->spec.n_post);
  ga__free(r->args);
  ga__free((void *)r->spec.preamble);
  ga__expr_clear(&r->map);
  ga__expr_clear(&r->post);
  gpucontext_deref(r->ctx);
  ga__free(r);
}
