/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug mode. A function has a twin, whose graph is not rewritten and whose
 * steps are single nodes; it updates nothing, but has the new values of the
 * shared variables as outputs. A call runs the twin first, node by node beside
 * the host, then the function itself, kernel by kernel beside the host, and
 * compares what both found. */
#include "debug/debug.h"

#include <string.h>

#include "base/dtype.h"
#include "ops/value_size.h"

/* Results of rewritten and other graphs differ by rounding: of float32 by less
 * than this, relative to the greatest element. */
static const double tolerance = 1e-3;

/* --- the twin --- */

int gg__debug_new(gg_func **out, gg_graph *g, const gg_func_spec *spec) {
  gg_func_spec twin = *spec;
  GA_VEC(gg_var *) results = {0};
  size_t n = gg__list_length(spec->outputs);
  int err;

  for (size_t i = 0; i < n; i++)
    GA_CHECK(ga__vec_push(&results, spec->outputs[i]));
  for (size_t i = 0; spec->updates != NULL && spec->updates[i].shared != NULL;
       i++)
    GA_CHECK(ga__vec_push(&results, spec->updates[i].value));
  GA_CHECK(ga__vec_push(&results, NULL));
  twin.outputs = results.v;
  twin.updates = NULL;
  twin.mode = GG_NO_REWRITE;
  twin.include = NULL;
  twin.trace = NULL;
  twin.flags &= ~GG_PROFILE;
  twin.flags |= GG_BOUNDS_GUARD;
  twin.mutable_inputs = twin.borrowed_outputs = NULL;
  GA_CHECK(gg_func_new(out, g, &twin));
  (*out)->watch |= GG_WATCH_COMPARE | GG_WATCH_SINGLE;
  gg__watch_inside(*out, GG_WATCH_ENDS);
done:
  ga__vec_clear(&results);
  return err;
}

/* --- before a call --- */

/* What lies in shared variables that the call may overwrite. */
static int keep_shared(gg__debug *d, const gg_func *f) {
  for (size_t k = f->p.n_outputs; k < f->p.results.n; k++) {
    const gg__result *r = &f->p.results.v[k];
    if (r->in_place)
      GA_TRY(gg__host_read(&f->p.shared.v[r->shared].storage->value,
                           &d->before[r->shared]));
  }
  return GA_NO_ERROR;
}

static int run_twin(gg__debug *d, gg_func *f, GpuArray *const *in) {
  const size_t n = f->p.results.n;
  GpuArray *arrays = ga__calloc(n + 1, sizeof *arrays), **out;
  int err = GA_NO_ERROR;

  out = ga__calloc(n + 1, sizeof *out);
  d->want = ga__calloc(n + 1, sizeof *d->want);
  if (arrays == NULL || out == NULL || d->want == NULL)
    GA_CHECK(ga__fail_nomem());
  for (size_t k = 0; k < n; k++)
    out[k] = &arrays[k];
  GA_CHECK(gg__run(f->plain, in, out));
  for (size_t k = 0; k < n; k++)
    GA_CHECK(gg__host_read(out[k], &d->want[k]));
done:
  for (size_t k = 0; arrays != NULL && k < n; k++)
    GpuArray_clear(&arrays[k]);
  ga__free(arrays);
  ga__free(out);
  return err;
}

int gg__debug_begin(gg__debug *d, gg_func *f, GpuArray *const *in) {
  if (f->plain != NULL)
    GA_TRY(run_twin(d, f, in));
  d->before = ga__calloc(f->p.shared.n + 1, sizeof *d->before);
  if (d->before == NULL)
    return ga__fail_nomem();
  return keep_shared(d, f);
}

/* --- after it --- */

static const gg_var *result_name(const gg_func *f, size_t k,
                                 const char **what) {
  const gg__result *r = &f->p.results.v[k];

  *what = r->shared == GG_NONE ? "output" : "update";
  return r->shared == GG_NONE ? f->p.values.v[r->value].var
                              : f->p.shared.v[r->shared].var;
}

static int compare_result(const gg__debug *d, gg__watch *w, size_t k) {
  const gg_func *f = w->f;
  const unsigned int v = f->p.results.v[k].value;
  const int dtype = f->p.values.v[v].var->type.dtype;
  const size_t n = gg__dims_size(&w->host[v].dims);
  const size_t bytes = ga__dtype_size(dtype);
  const char *what;
  char index[160];

  GA_TRY(gg__watch_compute(w, v));
  const char *got = w->host[v].data;
  if (got == NULL)
    return GA_NO_ERROR;
  ptrdiff_t at = gg__first_difference(dtype, got, d->want[k], n,
                                      dtype == GA_HALF ? 0.05 : tolerance);
  if (at < 0)
    return GA_NO_ERROR;
  const gg_var *var = result_name(f, k, &what);
  return gg__blame(
      ga__fail(
          GA_VALUE_ERROR,
          "%s %zu (%s) at %s: %.9g after rewriting, %.9g without; "
          "gg_func_print_rewrites lists what fired",
          what, k, gg__display_name(var),
          gg__index_text(&w->host[v].dims, (size_t)at, index, sizeof index),
          ga__dtype_to_double(dtype, got + (size_t)at * bytes),
          ga__dtype_to_double(dtype,
                              (const char *)d->want[k] + (size_t)at * bytes)),
      var);
}

int gg__debug_compare(const gg__debug *d, gg__watch *w) {
  for (size_t k = 0; k < w->f->p.results.n; k++)
    GA_TRY(compare_result(d, w, k));
  return GA_NO_ERROR;
}

void gg__debug_undo(const gg__debug *d, gg_func *f) {
  for (size_t k = 0; d->before != NULL && k < f->p.shared.n; k++) {
    if (d->before[k] == NULL)
      continue;
    GpuArray *a = &f->p.shared.v[k].storage->value;
    size_t bytes = gg__array_bytes(a);
    if (bytes != 0)
      GpuArray_write(a, d->before[k], bytes);
  }
}

void gg__debug_end(gg__debug *d, const gg_func *f) {
  for (size_t k = 0; d->want != NULL && k < f->p.results.n; k++)
    ga__free(d->want[k]);
  for (size_t k = 0; d->before != NULL && k < f->p.shared.n; k++)
    ga__free(d->before[k]);
  ga__free(d->want);
  ga__free(d->before);
  memset(d, 0, sizeof *d);
}
