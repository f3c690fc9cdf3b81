/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug mode. A function has a twin, whose graph is not rewritten and whose
 * steps are single nodes. The twin updates nothing, but has the new values of
 * the shared variables as outputs. A call first runs the twin and compares each
 * node with the host, then runs the function and compares each kernel with the
 * host, and then compares the results of both. */
#include "func/twin.h"

#include <string.h>

#include "base/dtype.h"
#include "ops/value_size.h"

/* Rewriting changes how results are rounded. Those of float32 and float64
 * differ by less than 1e-3, relative to the greatest element, those of float16
 * by less than 51 epsilons (0.05). For bfloat16 that would be nearly half of
 * the greatest element, so it has what kernels have: 16 epsilons (0.13). */
static double tolerance(int dtype) {
  if (!ga__dtype_is_narrow(dtype))
    return 1e-3;
  return (dtype == GA_BFLOAT ? 16 : 51) * ga__dtype_epsilon(dtype);
}

/* --- the twin --- */

int gg__twin_new(gg_func **out, gg_graph *g, const gg_func_spec *spec) {
  gg_func_spec plain = *spec;
  GA_VEC(gg_var *) results = {0};
  size_t n = gg__list_length(spec->outputs);
  int err;

  for (size_t i = 0; i < n; i++)
    GA_CHECK(ga__vec_push(&results, spec->outputs[i]));
  for (size_t i = 0; spec->updates != NULL && spec->updates[i].shared != NULL;
       i++)
    GA_CHECK(ga__vec_push(&results, spec->updates[i].value));
  GA_CHECK(ga__vec_push(&results, NULL));
  plain.outputs = results.v;
  plain.updates = NULL;
  plain.mode = GG_NO_REWRITE;
  plain.include = NULL;
  plain.trace = NULL;
  plain.flags &= ~GG_PROFILE;
  plain.flags |= GG_BOUNDS_GUARD | GG_KEEP_SUBNORMALS;
  plain.mutable_inputs = plain.borrowed_outputs = NULL;
  GA_CHECK(gg_func_new(out, g, &plain));
  (*out)->unit.watch |= GG_WATCH_COMPARE | GG_WATCH_SINGLE;
  gg__unit_watch(&(*out)->unit, GG_WATCH_ENDS);
done:
  ga__vec_clear(&results);
  return err;
}

/* --- before a call --- */

/* Read the shared variables that the call may overwrite. */
static int keep_shared(gg__twin *t, const gg_func *f) {
  const gg__program *p = &f->unit.program;

  for (size_t k = p->n_outputs; k < p->results.n; k++) {
    const gg__result *r = &p->results.v[k];
    if (r->in_place)
      GA_TRY(gg__host_read(&p->shared.v[r->shared].storage->value,
                           &t->before[r->shared]));
  }
  return GA_NO_ERROR;
}

int gg__twin_begin(gg__twin *t, const gg_func *f) {
  const size_t n = f->unit.program.results.n;

  t->arrays = ga__calloc(n + 1, sizeof *t->arrays);
  t->out = ga__calloc(n + 1, sizeof *t->out);
  if (t->arrays == NULL || t->out == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < n; k++)
    t->out[k] = &t->arrays[k];
  return GA_NO_ERROR;
}

/* Read the outputs of the twin. */
static int read_results(gg__twin *t, const gg_func *f) {
  const size_t n = f->unit.program.results.n;

  t->want = ga__calloc(n + 1, sizeof *t->want);
  if (t->want == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < n; k++)
    GA_TRY(gg__host_read(t->out[k], &t->want[k]));
  return GA_NO_ERROR;
}

int gg__twin_keep(gg__twin *t, const gg_func *f) {
  if (f->twin != NULL)
    GA_TRY(read_results(t, f));
  t->before = ga__calloc(f->unit.program.shared.n + 1, sizeof *t->before);
  if (t->before == NULL)
    return ga__fail_nomem();
  return keep_shared(t, f);
}

/* --- after it --- */

static const gg_var *result_name(const gg__program *p, size_t k,
                                 const char **what) {
  const gg__result *r = &p->results.v[k];

  *what = r->shared == GG_NONE ? "output" : "update";
  return r->shared == GG_NONE ? p->values.v[r->value].var
                              : p->shared.v[r->shared].var;
}

static int compare_result(const gg__twin *t, gg__watch *w, size_t k) {
  const gg__program *p = &w->u->program;
  const unsigned int v = p->results.v[k].value;
  const int dtype = p->values.v[v].var->type.dtype;
  const size_t n = gg__dims_size(&w->host[v].dims);
  const size_t bytes = ga__dtype_size(dtype);
  const char *what;
  char index[160], after[GG_ELEMENT_TEXT], without[GG_ELEMENT_TEXT];

  GA_TRY(gg__watch_compute(w, v));
  const char *got = w->host[v].data;
  if (got == NULL)
    return GA_NO_ERROR;
  ptrdiff_t at =
      gg__first_difference(dtype, got, t->want[k], n, tolerance(dtype));
  if (at < 0)
    return GA_NO_ERROR;
  const gg_var *var = result_name(p, k, &what);
  return gg__blame(
      ga__fail(
          GA_VALUE_ERROR,
          "%s %zu (%s) at %s: %s after rewriting, %s without; "
          "gg_func_print_rewrites lists what fired",
          what, k, gg__display_name(var),
          gg__index_text(&w->host[v].dims, (size_t)at, index, sizeof index),
          gg__element_text(dtype, got + (size_t)at * bytes, after),
          gg__element_text(dtype, (const char *)t->want[k] + (size_t)at * bytes,
                           without)),
      var);
}

int gg__twin_compare(const gg__twin *t, gg__watch *w) {
  for (size_t k = 0; k < w->u->program.results.n; k++)
    GA_TRY(compare_result(t, w, k));
  return GA_NO_ERROR;
}

int gg__twin_undo(const gg__twin *t, gg_func *f, int err) {
  const gg__program *p = &f->unit.program;
  ga__strb b = GA_STRB_INIT;

  ga__strb_append(&b, ga__err_text(err));
  for (size_t k = 0; t->before != NULL && k < p->shared.n; k++) {
    GpuArray *a = &p->shared.v[k].storage->value;
    const size_t bytes = t->before[k] != NULL ? gg__array_bytes(a) : 0;
    const int undone =
        bytes != 0 ? GpuArray_write(a, t->before[k], bytes) : GA_NO_ERROR;
    if (undone != GA_NO_ERROR)
      ga__strb_appendf(&b, "; %s lost its old value: %s",
                       gg__display_name(p->shared.v[k].var),
                       ga__err_text(undone));
  }
  if (b.err == GA_NO_ERROR)
    ga__fail_text(err, ga__strb_text(&b));
  ga__strb_clear(&b);
  return err;
}

void gg__twin_end(gg__twin *t, const gg_func *f) {
  const gg__program *p = &f->unit.program;

  for (size_t k = 0; t->want != NULL && k < p->results.n; k++)
    ga__free(t->want[k]);
  for (size_t k = 0; t->before != NULL && k < p->shared.n; k++)
    ga__free(t->before[k]);
  for (size_t k = 0; t->arrays != NULL && k < p->results.n; k++)
    GpuArray_clear(&t->arrays[k]);
  ga__free(t->arrays);
  ga__free(t->out);
  ga__free(t->want);
  ga__free(t->before);
  memset(t, 0, sizeof *t);
}
