/* SPDX-License-Identifier: BSD-2-Clause */
/* Inputs and outputs by name. */
#include <gpugraph/args.h>
#include <string.h>

#include "func/func.h"

/* --- names --- */

size_t gg_func_n_inputs(const gg_func *f) {
  return f != NULL ? f->n_given : 0;
}

size_t gg_func_n_outputs(const gg_func *f) {
  return f != NULL ? f->unit.program.n_outputs : 0;
}

const char *gg_func_input_name(const gg_func *f, size_t i) {
  return i < gg_func_n_inputs(f) ? f->unit.program.arguments.v[i]->name : NULL;
}

const char *gg_func_output_name(const gg_func *f, size_t i) {
  return i < gg_func_n_outputs(f) ? f->options.out_names[i] : NULL;
}

/* Does f have a shared variable of this storage, or one of its first stages? */
static int has_storage(const gg_func *f, size_t n_stages,
                       const gg__storage *s) {
  for (size_t k = 0; k < f->unit.program.shared.n; k++)
    if (f->unit.program.shared.v[k].storage == s)
      return 1;
  for (size_t k = 0; k < n_stages; k++)
    if (has_storage(f->stages.v[k].f, 0, s))
      return 1;
  return 0;
}

/* Shared variable i of f, then of its stages; NULL beyond the last. *n: how
 * many there are. */
static gg_var *find_shared(const gg_func *f, size_t i, size_t *n) {
  const gg__program *p = &f->unit.program;
  gg_var *found = i < p->shared.n ? p->shared.v[i].var : NULL;

  *n = p->shared.n;
  for (size_t k = 0; k < f->stages.n; k++) {
    p = &f->stages.v[k].f->unit.program;
    for (size_t s = 0; s < p->shared.n; s++)
      if (!has_storage(f, k, p->shared.v[s].storage) && (*n)++ == i)
        found = p->shared.v[s].var;
  }
  return found;
}

size_t gg_func_n_shared(const gg_func *f) {
  size_t n = 0;

  if (f != NULL)
    find_shared(f, 0, &n);
  return n;
}

gg_var *gg_func_shared(const gg_func *f, size_t i) {
  size_t n;

  return f != NULL ? find_shared(f, i, &n) : NULL;
}

int gg__names_init(gg_func *f) {
  f->options.out_names =
      ga__arena_alloc(&f->unit.program.arena, (f->unit.program.n_outputs + 1) *
                                                  sizeof *f->options.out_names);
  return f->options.out_names != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

int gg__name_outputs(gg_func *f, gg_var *const *outputs) {
  GA_TRY(gg__names_init(f));
  for (size_t k = 0; k < f->unit.program.n_outputs; k++) {
    f->options.out_names[k] =
        ga__arena_strdup(&f->unit.program.arena, outputs[k]->name);
    if (f->options.out_names[k] == NULL)
      return ga__fail_nomem();
  }
  return GA_NO_ERROR;
}

/* --- calls by name --- */

/* Put each named array in `out`, n entries, at the index of its name. */
static int sort_names(const gg_func *f, const char *what,
                      const gg_named_array *x, size_t n,
                      const char *(*name)(const gg_func *, size_t),
                      GpuArray **out) {
  const gg_named_array *const first = x;
  size_t i, at, found;

  for (; x != NULL && x->name != NULL; x++) {
    if (gg__is_missing(x->name))
      return ga__fail(GA_VALUE_ERROR, "the name of %s %zu is NULL", what,
                      (size_t)(x - first));
    for (i = 0, at = 0, found = 0; i < n; i++)
      if (strcmp(name(f, i), x->name) == 0) {
        at = i;
        found++;
      }
    if (found != 1)
      return ga__fail(GA_VALUE_ERROR,
                      found == 0 ? "there is no %s \"%s\""
                                 : "several %ss are called \"%s\"",
                      what, x->name);
    if (out[at] != NULL)
      return ga__fail(GA_VALUE_ERROR, "%s \"%s\" is given twice", what,
                      x->name);
    if (x->array == NULL)
      return ga__fail(GA_VALUE_ERROR, "%s \"%s\": no array", what, x->name);
    out[at] = x->array;
  }
  return GA_NO_ERROR;
}

int gg_func_call_named(gg_func *f, const gg_named_array *in,
                       const gg_named_array *out) {
  const size_t n = gg_func_n_inputs(f), m = gg_func_n_outputs(f);
  GpuArray **arrays;

  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "no function");
  arrays = ga__calloc(n + m + 1, sizeof *arrays);
  if (arrays == NULL)
    return gg__func_failed(f, ga__fail_nomem());
  int err = sort_names(f, "input", in, n, gg_func_input_name, arrays);
  if (err == GA_NO_ERROR)
    err = sort_names(f, "output", out, m, gg_func_output_name, arrays + n);
  if (err == GA_NO_ERROR)
    err = gg_func_call(f, arrays, arrays + n);
  else
    gg__func_failed(f, err);
  ga__free(arrays);
  return err;
}
