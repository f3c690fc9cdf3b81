/* SPDX-License-Identifier: BSD-2-Clause */
/* Row programs: checks and copies of their descriptions. */
#include "reduce/rows_parts.h"

#include <string.h>

#include "array/operands.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "base/strb.h"
#include "codegen/gen_rows.h"
#include "ocl/ocl.h"

/* --- checks --- */

static int check_real(const char *name, int typecode) {
  if (ga__dtype_is_complex(typecode))
    return ga__fail(GA_UNSUPPORTED_ERROR, "%s: row programs of %s", name,
                    ga__dtype_name(typecode));
  return GA_NO_ERROR;
}

static int check_reduce(const GpuRowsReduce *r) {
  if (r->op > GA_REDUCE_XOR)
    return ga__fail(GA_VALUE_ERROR, "%s: a row cannot be reduced by number %d",
                    r->name, (int)r->op);
  return ga__row_check_op(r->name, r->op, r->acc);
}

static int check_flags(const gpuelemwise_arg *a) {
  if (ga__arg_is_scalar(a) || !(a->flags & GE_READ) != !ga__arg_is_written(a))
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR,
                  "%s: flags 0x%x, expected READ, WRITE or READ | SCALAR",
                  a->name, (unsigned int)a->flags);
}

/* The number of names that the code may use. */
static unsigned int count_names(const GpuRowsSpec *s) {
  return s->n_args + s->n_row_args + s->n_reduce + s->n_kept + s->n_numbers;
}

static gpuelemwise_arg *list_names(const GpuRowsSpec *s) {
  gpuelemwise_arg *all = ga__calloc(count_names(s), sizeof *all), *out = all;

  if (all == NULL)
    return NULL;
  for (unsigned int i = 0; i < s->n_args; i++)
    *out++ = s->args[i];
  for (unsigned int i = 0; i < s->n_row_args; i++)
    *out++ = s->row_args[i];
  for (unsigned int i = 0; i < s->n_reduce; i++)
    *out++ = (gpuelemwise_arg){s->reduce[i].name, s->reduce[i].acc, GE_READ};
  for (unsigned int i = 0; i < s->n_kept; i++)
    *out++ = (gpuelemwise_arg){s->kept[i].name, s->kept[i].typecode, GE_READ};
  for (unsigned int i = 0; i < s->n_numbers; i++)
    *out++ =
        (gpuelemwise_arg){s->numbers[i].name, s->numbers[i].typecode, GE_READ};
  return all;
}

static int check_names(gpucontext *ctx, const GpuRowsSpec *s) {
  gpuelemwise_arg *names = list_names(s);
  int err;

  if (names == NULL)
    return ga__fail_nomem();
  GA_CHECK(ga__args_check(ctx, count_names(s), names));
  for (unsigned int i = 0; i < count_names(s); i++) {
    GA_CHECK(check_real(names[i].name, names[i].typecode));
    GA_CHECK(check_flags(&names[i]));
  }

done:
  ga__free(names);
  return err;
}

/* Check that some phase assigns the argument or value. */
static int check_used(const GpuRowsSpec *s, const char *name,
                      unsigned int phase, const char *where) {
  if (phase == s->n_phases)
    return ga__fail(GA_VALUE_ERROR, "%s: no %s assigns it", name, where);
  return GA_NO_ERROR;
}

static int check_values(const GpuRowsSpec *s) {
  for (unsigned int i = 0; i < s->n_reduce; i++) {
    GA_TRY(check_reduce(&s->reduce[i]));
    GA_TRY(check_used(s, s->reduce[i].name,
                      ga__rows_map_phase(s, s->reduce[i].name), "map"));
  }
  for (unsigned int i = 0; i < s->n_kept; i++) {
    GA_TRY(check_used(s, s->kept[i].name,
                      ga__rows_map_phase(s, s->kept[i].name), "map"));
  }
  for (unsigned int i = 0; i < s->n_numbers; i++) {
    GA_TRY(check_used(s, s->numbers[i].name,
                      ga__rows_post_phase(s, s->numbers[i].name), "post"));
  }
  return GA_NO_ERROR;
}

static int check_outputs(const GpuRowsSpec *s) {
  unsigned int n = 0;

  for (unsigned int i = 0; i < s->n_args; i++) {
    if (!ga__arg_is_written(&s->args[i]))
      continue;
    GA_TRY(check_used(s, s->args[i].name,
                      ga__rows_map_phase(s, s->args[i].name), "map"));
    n++;
  }
  for (unsigned int i = 0; i < s->n_row_args; i++) {
    if (!ga__arg_is_written(&s->row_args[i]))
      continue;
    GA_TRY(check_used(s, s->row_args[i].name,
                      ga__rows_post_phase(s, s->row_args[i].name), "post"));
    n++;
  }
  if (n == 0)
    return ga__fail(GA_VALUE_ERROR, "no argument is written");
  return GA_NO_ERROR;
}

static int check_spec(gpucontext *ctx, const GpuRowsSpec *s) {
  if (s->n_phases == 0 || s->n_phases > GPUROWS_MAX_PHASES)
    return ga__fail(GA_VALUE_ERROR, "%u phases, expected 1 to %d", s->n_phases,
                    GPUROWS_MAX_PHASES);
  GA_TRY(check_names(ctx, s));
  for (unsigned int i = 0; i < s->n_phases; i++) {
    if (s->phases[i].map == NULL)
      return ga__fail(GA_VALUE_ERROR, "phase %u: no map", i);
  }
  GA_TRY(check_values(s));
  return check_outputs(s);
}

/* --- copies --- */

/* Set *out to a copy of `text`, which may be NULL. */
static int copy_text(const char **out, const char *text) {
  *out = NULL;
  if (text == NULL)
    return GA_NO_ERROR;
  *out = ga__strdup(text);
  return *out != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

static int copy_phases(GpuRowsSpec *own, const GpuRowsSpec *s) {
  GpuRowsPhase *copy = ga__calloc(s->n_phases, sizeof *copy);

  own->phases = copy;
  own->n_phases = copy != NULL ? s->n_phases : 0;
  if (copy == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < s->n_phases; i++) {
    GA_TRY(copy_text(&copy[i].map, s->phases[i].map));
    GA_TRY(copy_text(&copy[i].post, s->phases[i].post));
  }
  return GA_NO_ERROR;
}

static int copy_reduce(GpuRowsSpec *own, const GpuRowsSpec *s) {
  GpuRowsReduce *copy = ga__calloc(s->n_reduce, sizeof *copy);

  own->reduce = copy;
  own->n_reduce = copy != NULL ? s->n_reduce : 0;
  if (copy == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < s->n_reduce; i++) {
    copy[i].op = s->reduce[i].op;
    copy[i].acc = ga__dtype_canon(s->reduce[i].acc);
    GA_TRY(copy_text(&copy[i].name, s->reduce[i].name));
  }
  return GA_NO_ERROR;
}

static int copy_values(const GpuRowsValue **out, unsigned int *n_out,
                       unsigned int n, const GpuRowsValue *values) {
  GpuRowsValue *copy = ga__calloc(n, sizeof *copy);

  *out = copy;
  *n_out = copy != NULL ? n : 0;
  if (copy == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < n; i++) {
    copy[i].typecode = ga__dtype_canon(values[i].typecode);
    GA_TRY(copy_text(&copy[i].name, values[i].name));
  }
  return GA_NO_ERROR;
}

static void hash_values(ga__sha256 *h, unsigned int n,
                        const GpuRowsValue *values) {
  ga__sha256_add(h, &n, sizeof n);
  for (unsigned int i = 0; i < n; i++) {
    ga__sha256_add_str(h, values[i].name);
    ga__sha256_add(h, &values[i].typecode, sizeof values[i].typecode);
  }
}

static void hash_spec(GpuRows *r) {
  const GpuRowsSpec *s = &r->spec;
  const unsigned int numbers[] = {(unsigned int)s->flags, s->n_phases,
                                  s->n_reduce};
  ga__sha256 h;

  ga__sha256_init(&h);
  ga__sha256_add(&h, numbers, sizeof numbers);
  for (unsigned int i = 0; i < s->n_phases; i++) {
    ga__sha256_add_str(&h, s->phases[i].map);
    ga__sha256_add_str(&h, s->phases[i].post);
  }
  for (unsigned int i = 0; i < s->n_reduce; i++) {
    ga__sha256_add_str(&h, s->reduce[i].name);
    ga__sha256_add(&h, &s->reduce[i].op, sizeof s->reduce[i].op);
    ga__sha256_add(&h, &s->reduce[i].acc, sizeof s->reduce[i].acc);
  }
  hash_values(&h, s->n_kept, s->kept);
  hash_values(&h, s->n_numbers, s->numbers);
  ga__args_hash(&h, s->n_args, s->args);
  ga__args_hash(&h, s->n_row_args, s->row_args);
  ga__sha256_end(&h, r->args.hash);
}

static int copy_spec(GpuRows *r, gpucontext *ctx, const GpuRowsSpec *s) {
  GpuRowsSpec *own = &r->spec;

  own->flags = s->flags;
  GA_TRY(copy_phases(own, s));
  GA_TRY(copy_reduce(own, s));
  GA_TRY(copy_values(&own->kept, &own->n_kept, s->n_kept, s->kept));
  GA_TRY(copy_values(&own->numbers, &own->n_numbers, s->n_numbers, s->numbers));
  GA_TRY(ga__row_args_init(&r->args, ctx, s->n_args, s->args, s->n_row_args,
                           s->row_args));
  own->n_args = s->n_args;
  own->n_row_args = s->n_row_args;
  own->args = r->args.list;
  own->row_args = r->args.list + s->n_args;
  hash_spec(r);
  return GA_NO_ERROR;
}

static void free_spec(GpuRowsSpec *s) {
  for (unsigned int i = 0; i < s->n_phases; i++) {
    ga__free((void *)s->phases[i].map);
    ga__free((void *)s->phases[i].post);
  }
  for (unsigned int i = 0; i < s->n_reduce; i++)
    ga__free((void *)s->reduce[i].name);
  for (unsigned int i = 0; i < s->n_kept; i++)
    ga__free((void *)s->kept[i].name);
  for (unsigned int i = 0; i < s->n_numbers; i++)
    ga__free((void *)s->numbers[i].name);
  ga__free((void *)s->phases);
  ga__free((void *)s->reduce);
  ga__free((void *)s->kept);
  ga__free((void *)s->numbers);
}

/* --- code --- */

static int read_texts(GpuRows *r) {
  const GpuRowsSpec *s = &r->spec;
  gpuelemwise_arg *names = list_names(s);
  ga__strb all = GA_STRB_INIT;
  int err;

  if (names == NULL)
    GA_CHECK(ga__fail_nomem());
  for (unsigned int p = 0; p < s->n_phases; p++)
    ga__strb_appendf(&all, "%s;\n%s;\n", s->phases[p].map,
                     s->phases[p].post != NULL ? s->phases[p].post : "");
  GA_CHECK(all.err);
  GA_CHECK(ga__expr_init(&r->all, ga__strb_text(&all), count_names(s), names,
                         s->flags & GE_VECTOR));

done:
  ga__strb_clear(&all);
  ga__free(names);
  return err;
}

/* Find out how each operand is used. */
static int find_uses(GpuRows *r) {
  const GpuRowsSpec *s = &r->spec;

  r->uses = ga__calloc(r->args.n, sizeof *r->uses);
  if (r->uses == NULL)
    return ga__fail_nomem();
  for (unsigned int k = 0; k < r->args.n; k++) {
    const char *name = r->args.list[k].name;
    const unsigned int phase = k < s->n_args ? ga__rows_map_phase(s, name)
                                             : ga__rows_post_phase(s, name);

    r->uses[k].is_last = phase + 1 == s->n_phases;
    r->uses[k].is_held = k < s->n_args && ga__rows_is_held(s, k);
  }
  return GA_NO_ERROR;
}

/* --- new, free --- */

int GpuRows_new(GpuRows **out, gpucontext *ctx, const GpuRowsSpec *spec) {
  GpuRows *r;
  int err;

  *out = NULL;
  GA_TRY(check_spec(ctx, spec));
  r = ga__calloc(1, sizeof *r);
  if (r == NULL)
    return ga__fail_nomem();
  GA_CHECK(copy_spec(r, ctx, spec));
  GA_CHECK(read_texts(r));
  GA_CHECK(find_uses(r));
  *out = r;
  r = NULL;

done:
  GpuRows_free(r);
  return err;
}

void GpuRows_free(GpuRows *r) {
  if (r == NULL)
    return;
  ga__row_args_clear(&r->args);
  free_spec(&r->spec);
  ga__expr_clear(&r->all);
  ga__free(r->uses);
  ga__free(r);
}
