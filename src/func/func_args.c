/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments by name, defaults, arguments and results in host memory. */
#include <gpugraph/args.h>
#include <string.h>

#include "base/arith.h"
#include "base/dtype.h"
#include "func/func.h"

/* --- names --- */

size_t gg_func_n_inputs(const gg_func *f) {
  return f != NULL ? f->p.arguments.n : 0;
}

size_t gg_func_n_outputs(const gg_func *f) {
  return f != NULL ? f->p.n_outputs : 0;
}

const char *gg_func_input_name(const gg_func *f, size_t i) {
  return i < gg_func_n_inputs(f) ? f->p.arguments.v[i]->name : NULL;
}

const char *gg_func_output_name(const gg_func *f, size_t i) {
  return i < gg_func_n_outputs(f) ? f->out_names[i] : NULL;
}

size_t gg_func_n_shared(const gg_func *f) {
  return f != NULL ? f->p.shared.n : 0;
}

gg_var *gg_func_shared(const gg_func *f, size_t i) {
  return i < gg_func_n_shared(f) ? f->p.shared.v[i].var : NULL;
}

int gg__names_init(gg_func *f) {
  f->out_names =
      ga__arena_alloc(&f->p.arena, (f->p.n_outputs + 1) * sizeof *f->out_names);
  return f->out_names != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

int gg__name_outputs(gg_func *f, gg_var *const *outputs) {
  GA_TRY(gg__names_init(f));
  for (size_t k = 0; k < f->p.n_outputs; k++) {
    f->out_names[k] = ga__arena_strdup(&f->p.arena, outputs[k]->name);
    if (f->out_names[k] == NULL)
      return ga__fail_nomem();
  }
  return GA_NO_ERROR;
}

/* --- defaults --- */

int gg__given_init(gg_func *f) {
  if (f->given == NULL)
    f->given = ga__calloc(f->p.arguments.n + 1, sizeof *f->given);
  return f->given != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

static int set_default(gg_func *f, size_t i, const GpuArray *value,
                       int borrow) {
  GpuArray copy = {0};

  if (i >= f->p.arguments.n)
    return ga__fail(GA_VALUE_ERROR, "there is no input %zu", i);
  if (f->defaults == NULL)
    f->defaults = ga__calloc(f->p.arguments.n + 1, sizeof *f->defaults);
  if (f->defaults == NULL)
    return ga__fail_nomem();
  GA_TRY(gg__given_init(f));
  if (value != NULL) {
    if (borrow || !gg__is_cast(f, i, value))
      GA_TRY(gg__check_input(f, (unsigned int)i, value));
    GA_TRY(borrow ? GpuArray_view(&copy, value)
                  : gg__copy_input(f, i, value, &copy));
  }
  GpuArray_clear(&f->defaults[i]);
  f->defaults[i] = copy;
  return GA_NO_ERROR;
}

static int set_locked(gg_func *f, size_t i, const GpuArray *value, int borrow) {
  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "no function");
  pthread_mutex_lock(&f->lock);
  int err = set_default(f, i, value, borrow);
  pthread_mutex_unlock(&f->lock);
  return err == GA_NO_ERROR ? err : gg__func_failed(f, err);
}

int gg_func_set_default(gg_func *f, size_t i, const GpuArray *value) {
  return set_locked(f, i, value, 0);
}

int gg_func_borrow_default(gg_func *f, size_t i, const GpuArray *value) {
  return set_locked(f, i, value, 1);
}

GpuArray *const *gg__with_defaults(gg_func *f, GpuArray *const *in) {
  for (size_t i = 0; i < f->p.arguments.n; i++) {
    f->given[i] = in != NULL ? in[i] : NULL;
    if (f->given[i] == NULL && f->defaults[i].data != NULL)
      f->given[i] = &f->defaults[i];
  }
  return f->given;
}

void gg__defaults_clear(gg_func *f) {
  for (size_t i = 0; f->defaults != NULL && i < f->p.arguments.n; i++)
    GpuArray_clear(&f->defaults[i]);
  ga__free(f->defaults);
  ga__free(f->given);
}

/* --- calls by name --- */

/* Put named arrays where they belong in `out`, n entries. */
static int sort_names(const gg_func *f, const char *what,
                      const gg_named_array *x, size_t n,
                      const char *(*name)(const gg_func *, size_t),
                      GpuArray **out) {
  size_t i, at, found;

  for (; x != NULL && x->name != NULL; x++) {
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

/* --- host memory --- */

/* SIZE_MAX for sizes that the caller gives and no array can have. */
static size_t host_bytes(int dtype, unsigned int nd, const size_t *dims) {
  size_t n = ga__dtype_size(dtype);

  for (unsigned int i = 0; i < nd; i++)
    n = ga__times(n, dims[i]);
  return n;
}

static int upload(const gg_func *f, unsigned int i, const gg_host_array *x,
                  GpuArray *a) {
  const size_t bytes =
      x->nd <= GG_MAX_ND ? host_bytes(x->dtype, x->nd, x->dims) : 0;

  if (x->nd > GG_MAX_ND || ga__dtype_kind(x->dtype) == GA_KIND_NONE ||
      (x->data == NULL && bytes != 0))
    return ga__fail(GA_VALUE_ERROR, "input %u (%s): no array", i,
                    f->p.arguments.v[i]->name);
  GA_TRY(GpuArray_empty(a, f->p.arguments.v[i]->type.ctx, x->dtype, x->nd,
                        x->dims, GA_C_ORDER));
  if (bytes == 0)
    return GA_NO_ERROR;
  return GpuArray_write(a, x->data, bytes);
}

static int download(unsigned int k, const GpuArray *a, gg_host_array *x) {
  const size_t bytes = host_bytes(a->typecode, a->nd, a->dimensions);

  x->dtype = a->typecode;
  x->nd = a->nd;
  if (a->nd != 0)
    memcpy(x->dims, a->dimensions, a->nd * sizeof x->dims[0]);
  if (bytes > x->bytes || (bytes != 0 && x->data == NULL))
    return ga__fail(GA_VALUE_ERROR,
                    "output %u: %zu bytes, there is room for "
                    "%zu",
                    k, bytes, x->bytes);
  if (bytes == 0)
    return GA_NO_ERROR;
  return GpuArray_read(x->data, bytes, a);
}

/* Arrays of one call: inputs, then outputs; and who is there. */
typedef struct host_call {
  GpuArray *arrays, **list;
} host_call;

/* *called: it is gg_func_call that failed, and has said so. */
static int call_host(gg_func *f, const host_call *c,
                     const gg_host_array *const *in, gg_host_array *const *out,
                     int *called) {
  const unsigned int n = (unsigned int)f->p.arguments.n;

  for (unsigned int k = 0; in != NULL && k < n; k++)
    if (in[k] != NULL) {
      GA_TRY(upload(f, k, in[k], &c->arrays[k]));
      c->list[k] = &c->arrays[k];
    }
  for (unsigned int k = 0; out != NULL && k < f->p.n_outputs; k++)
    c->list[n + k] = out[k] != NULL ? &c->arrays[n + k] : NULL;
  *called = 1;
  GA_TRY(gg_func_call(f, c->list, c->list + n));
  *called = 0;
  for (unsigned int k = 0; out != NULL && k < f->p.n_outputs; k++)
    if (out[k] != NULL)
      GA_TRY(download(k, &c->arrays[n + k], out[k]));
  return GA_NO_ERROR;
}

int gg_func_call_host(gg_func *f, const gg_host_array *const *in,
                      gg_host_array *const *out) {
  const size_t n = gg_func_n_inputs(f) + gg_func_n_outputs(f);
  host_call c;
  int called = 0;

  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "no function");
  c.arrays = ga__calloc(n + 1, sizeof *c.arrays);
  c.list = ga__calloc(n + 1, sizeof *c.list);
  int err = c.arrays != NULL && c.list != NULL
                ? call_host(f, &c, in, out, &called)
                : ga__fail_nomem();
  for (size_t k = 0; c.arrays != NULL && k < n; k++)
    GpuArray_clear(&c.arrays[k]);
  ga__free(c.arrays);
  ga__free(c.list);
  return err == GA_NO_ERROR || called ? err : gg__func_failed(f, err);
}
