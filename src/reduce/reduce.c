/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions with expressions: checks and copies of their descriptions. */
#include "reduce/reduce.h"

#include <stdio.h>
#include <string.h>

#include "array/operands.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "codegen/gen_cast.h"
#include "codegen/gen_reduce.h"
#include "ocl/ocl.h"

/* --- descriptions --- */

/* GA_VALUE_ERROR when an implicit conversion would drop imaginary parts. A
 * conversion to bool may: it asks whether either part is nonzero. */
static int check_parts(const char *what, int from, int to) {
  const ga__kind kind = ga__dtype_kind(to);

  if (!ga__dtype_is_complex(from) || kind == GA_KIND_COMPLEX ||
      kind == GA_KIND_BOOL)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "%s: %s would lose imaginary parts in %s",
                  what, ga__dtype_name(from), ga__dtype_name(to));
}

/* Several accumulators need map and post, which have different names for
 * each. */
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
  GA_TRY(ga__row_check_op("accumulator", s->op, s->acc));
  GA_TRY(check_several(s));
  GA_TRY(ga__args_check_used(ctx, s->n_in, s->in));
  GA_TRY(ga__args_check_used(ctx, s->n_post, s->post_args));
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

/* Initialise `e` with the expression `text`, or if it is NULL with the
 * conversion to = from. */
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

/* Whether the map assigns its only input unchanged. */
static int is_copy(const GpuReductionSpec *s, const char *map) {
  char copy[80];

  snprintf(copy, sizeof copy, "v = %s", s->in[0].name);
  const size_t n = strlen(copy);
  return s->map == NULL || (strncmp(map, copy, n) == 0 &&
                            strspn(map + n, "; ") == strlen(map + n));
}

static void hash_spec(GpuReduction *r) {
  const GpuReductionSpec *s = &r->spec;
  const unsigned int numbers[] = {(unsigned int)s->op, (unsigned int)s->acc,
                                  (unsigned int)s->flags, s->n_acc};
  ga__sha256 h;

  ga__sha256_init(&h);
  ga__sha256_add(&h, numbers, sizeof numbers);
  ga__sha256_add_str(&h, s->map);
  ga__sha256_add_str(&h, s->post);
  ga__sha256_add_str(&h, s->preamble);
  ga__args_hash(&h, s->n_in, s->in);
  ga__args_hash(&h, s->n_post, s->post_args);
  ga__sha256_end(&h, r->args.hash);
}

static int copy_spec(GpuReduction *r, gpucontext *ctx,
                     const GpuReductionSpec *s) {
  const int is_arg = ga__reduce_is_arg(s->op);
  const int lanes = !ga__dtype_is_complex(s->acc);
  GpuReductionSpec *own = &r->spec;

  own->op = s->op;
  own->acc = ga__dtype_canon(s->acc);
  own->flags = s->flags;
  own->n_acc = s->n_acc > 1 ? s->n_acc : 1;
  GA_TRY(ga__row_args_init(&r->args, ctx, s->n_in, s->in, s->n_post,
                           s->post_args));
  own->n_in = s->n_in;
  own->n_post = s->n_post;
  own->in = r->args.list;
  own->post_args = r->args.list + s->n_in;
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
  r->is_pairs = s->op == GA_REDUCE_SUM && own->n_acc == 1 && own->n_in == 1 &&
                ga__dtype_is_complex(own->acc) &&
                own->in[0].typecode == own->acc && is_copy(s, r->map.text);
  r->is_heavy = ga__reduce_is_heavy(r->map.text);
  own->map = r->map.text;
  own->post = r->post.text;
  hash_spec(r);
  return GA_NO_ERROR;
}

int GpuReduction_new(GpuReduction **out, gpucontext *ctx,
                     const GpuReductionSpec *spec) {
  GpuReduction *r;
  int err;

  *out = NULL;
  GA_TRY(check_spec(ctx, spec));
  r = ga__calloc(1, sizeof *r);
  if (r == NULL)
    return ga__fail_nomem();
  GA_CHECK(copy_spec(r, ctx, spec));
  *out = r;
  r = NULL;

done:
  GpuReduction_free(r);
  return err;
}

void GpuReduction_free(GpuReduction *r) {
  if (r == NULL)
    return;
  ga__row_args_clear(&r->args);
  ga__free((void *)r->spec.preamble);
  ga__expr_clear(&r->map);
  ga__expr_clear(&r->post);
  ga__free(r);
}
