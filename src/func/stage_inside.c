/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops and choices as stages: making them, and running choices. */
#include "func/stage_inside.h"

#include <gpuarray/buffer.h>
#include <string.h>

#include "base/clock.h"
#include "func/builds.h"
#include "func/request.h"
#include "loop/ifelse.h"

/* --- the function inside --- */

gg_func_spec gg__stage_spec(const gg_func_spec *spec) {
  gg_func_spec own = *spec;

  own.inputs = own.outputs = NULL;
  own.updates = NULL;
  own.givens = NULL;
  own.mutable_inputs = own.borrowed_outputs = NULL;
  own.strict_inputs = own.downcast_inputs = NULL;
  own.flags |= GG_NO_DEFAULT_UPDATES | GG_ALLOW_UNUSED_INPUT;
  own.flags &= ~GG_PROFILE;
  return own;
}

static gg_var **ended_list(gg_var *const *v, size_t n) {
  gg_var **list = ga__calloc(n + 1, sizeof *list);

  if (list != NULL && n > 0)
    memcpy(list, v, n * sizeof *list);
  return list;
}

/* Make a function of outputs of the inner graph: from `first` on all of them,
 * or those of a list. The message of a failure is in b->g. */
static int make_function(gg_func **out, const gg_func_spec *spec,
                         const gg__build *b, const gg_apply *a,
                         const char *what, unsigned int first,
                         const gg__wanted *wanted) {
  const gg__inner *x = gg__inner_of(a);
  gg__build own = {.g = gg__graph_beside(b->g, x->g->ctx)};
  gg_func_spec s = gg__stage_spec(spec);
  gg_var **inputs = NULL, **outputs = NULL;
  ga__strb name = GA_STRB_INIT;
  int err = GA_NO_ERROR;

  if (own.g == NULL)
    return ga__fail_nomem();
  ga__strb_appendf(&name, "%s of %s", what,
                   spec->name != NULL ? spec->name : "function");
  GA_CHECK(name.err);
  GA_CHECK(gg__copy_inner(&own, x, 0, x->n_out));
  for (size_t k = 0; wanted != NULL && k < wanted->n; k++)
    own.results.v[k] = own.results.v[first + wanted->v[k]];
  inputs = ended_list(own.inputs.v, own.inputs.n);
  outputs =
      ended_list(own.results.v, wanted != NULL ? wanted->n : own.results.n);
  if (inputs == NULL || outputs == NULL)
    GA_CHECK(ga__fail_nomem());
  s.name = ga__strb_text(&name);
  s.inputs = inputs;
  s.outputs = outputs;
  GA_CHECK(gg_func_new(out, own.g, &s));
done:
  if (err != GA_NO_ERROR)
    gg__fail(b->g, err, "%s",
             gg_graph_status(own.g) != GA_NO_ERROR ? gg_graph_error(own.g)
                                                   : ga__err_text(err));
  ga__strb_clear(&name);
  ga__free(inputs);
  ga__free(outputs);
  gg__build_clear(&own);
  return err;
}

/* --- the stage --- */

static unsigned int argument_of(const gg__build *b, const gg__feeds *feeds,
                                const gg_var *v) {
  for (unsigned int k = 0; k < b->inputs.n; k++)
    if (b->inputs.v[k] == v)
      return k;
  for (size_t k = 0; k < feeds->n; k++)
    if (feeds->v[k].var == v)
      return feeds->v[k].argument;
  return GG_NONE;
}

/* Find the stage of f that computes the number of iterations: the host may know
 * it from there. */
static void find_counter(gg__inside *x, const gg_func *f) {
  size_t at = x->from[GG_LOOP_STEPS], n = f->n_given;

  if (x->steps >= 0)
    return;
  for (size_t k = 0; k < f->stages.n; n += f->stages.v[k++].n)
    if (at >= n && at < n + f->stages.v[k].n && f->stages.v[k].inside == NULL) {
      x->counter = f->stages.v[k].f;
      x->counted = at - n;
    }
}

static gg__inside *inside_new(const gg__build *b, const gg_apply *a,
                              const gg__feeds *feeds,
                              const gg__wanted *wanted) {
  ga__arena m = GA_ARENA_INIT;
  gg__inside *x = ga__arena_alloc(&m, sizeof *x);
  unsigned int *from = ga__arena_alloc(&m, a->n_in * sizeof *from);
  unsigned int *out =
      ga__arena_dup(&m, wanted->v, wanted->n * sizeof *wanted->v);

  if (x == NULL || from == NULL || out == NULL) {
    ga__arena_clear(&m);
    return NULL;
  }
  *x = (gg__inside){.inner = gg__inner_retain(gg__inner_of(a)),
                    .op = a->op->name,
                    .site = a->out[0]->site,
                    .steps = -1,
                    .from = from,
                    .out = out,
                    .n_out = (unsigned int)wanted->n};
  for (unsigned int i = 0; i < a->n_in; i++)
    from[i] = argument_of(b, feeds, a->in[i]);
  x->is_loop = a->op == &gg__op_scan;
  if (x->is_loop) {
    x->l = gg__loop_of(a);
    gg_var_uniform(a->in[GG_LOOP_STEPS], &x->steps);
  }
  for (unsigned int i = 0; i < a->n_in; i++)
    GA_ASSERT(from[i] != GG_NONE || (i == GG_LOOP_STEPS && x->steps >= 0));
  x->arena = m;
  return x;
}

void gg__inside_free(gg__inside *x) {
  if (x == NULL)
    return;
  ga__arena arena = x->arena; /* which holds x */
  gg__inner_release(x->inner);
  ga__arena_clear(&arena);
}

static int push(gg_func *f, gg__stage *s) {
  int err = s->inside != NULL ? GA_NO_ERROR : ga__fail_nomem();

  if (err == GA_NO_ERROR)
    err = ga__vec_push(&f->stages, *s);
  if (err == GA_NO_ERROR)
    return err;
  gg__inside_free(s->inside);
  gg_func_free(s->f);
  return err;
}

int gg__inside_make(gg_func *f, const gg_func_spec *spec, const gg__build *b,
                    const gg_apply *a, const gg__feeds *feeds,
                    const gg__wanted *wanted) {
  gg__stage s = {.n = wanted->n};
  const gg__inside *first = NULL;

  if (a->op == &gg__op_scan) {
    GA_TRY(make_function(&s.f, spec, b, a, "body of a loop", 0, NULL));
    s.inside = inside_new(b, a, feeds, wanted);
    if (s.inside != NULL)
      find_counter(s.inside, f);
    return push(f, &s);
  }
  for (int yes = 1; yes >= 0; yes--) {
    s = (gg__stage){.n = yes ? 0 : wanted->n};
    GA_TRY(make_function(&s.f, spec, b, a,
                         yes ? "branch of a choice" : "other branch",
                         yes ? 0 : a->n_out, wanted));
    s.inside = inside_new(b, a, feeds, wanted);
    if (s.inside != NULL)
      s.inside->first = first;
    first = s.inside;
    GA_TRY(push(f, &s));
  }
  return GA_NO_ERROR;
}

/* --- running --- */

int gg__inside_read(gg__inside *x, const gg_func *f, const GpuArray *a,
                    void *to, size_t bytes) {
  const uint64_t start = f->figures.on ? ga__now_ns() : 0;
  const int err = gpudata_read(to, a->data, a->offset, bytes);

  if (f->figures.on) {
    x->waited.calls++;
    x->waited.seconds += 1e-9 * (double)(ga__now_ns() - start);
  }
  return err;
}

int gg__branch_run(gg__inside *x, gg_func *f, gg__call_fn *call,
                   GpuArray *const *in, GpuArray *const *out) {
  unsigned char holds = 0;
  GpuArray **list;

  if (x->first == NULL)
    GA_TRY(gg__inside_read(x, f, in[x->from[0]], &holds, 1));
  x->holds = holds != 0;
  if (x->first == NULL ? !x->holds : x->first->holds)
    return GA_NO_ERROR;
  list = ga__calloc(x->inner->n_in + 1, sizeof *list);
  if (list == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < x->inner->n_in; i++)
    list[i] = in[x->from[i + 1]];
  const int err = call(f, list, out);
  ga__free(list);
  return err;
}
