/* SPDX-License-Identifier: BSD-2-Clause */
/* A call: check the arguments, find the plan, bind what moved, enqueue.
 *
 * All that can fail by arguments, sizes, memory or compilers fails before the
 * first kernel is enqueued. */
#include <gpuarray/profile.h>
#include <string.h>

#include "base/clock.h"
#include "base/dtype.h"
#include "func/func.h"
#include "ops/value_size.h"

/* This thread's last failed call. */
static _Thread_local struct {
  uint64_t serial; /* of the function */
  int code;
} last;

/* --- messages --- */

int gg__func_failed(const gg_func *f, int err) {
  ga__strb b = GA_STRB_INIT;

  ga__strb_appendf(&b, "%s: %s", f->name, ga__err_text(err));
  if (b.err == GA_NO_ERROR)
    ga__fail_text(err, ga__strb_text(&b));
  ga__strb_clear(&b);
  last.serial = f->serial;
  last.code = err;
  return err;
}

const char *gg_func_error(const gg_func *f) {
  return f != NULL && last.serial == f->serial ? ga__err_text(last.code) : "";
}

/* --- keys --- */

static int is_used(const gg_func *f, const gg_var *v) {
  return f->p.value_of[v->id] != GG_NONE;
}

/* Sizes and strides. That of a dimension of size 1 does not matter. */
static size_t *add_array(size_t *key, const GpuArray *a) {
  for (unsigned int i = 0; i < a->nd; i++) {
    *key++ = a->dimensions[i];
    *key++ = a->dimensions[i] != 1 ? (size_t)a->strides[i] : 0;
  }
  return key;
}

/* What a plan depends on. The part of a shared variable changes with its
 * version only. */
static size_t *make_key(gg_func *f, GpuArray *const *in) {
  size_t *key = f->key;

  for (size_t k = 0; k < f->p.arguments.n; k++)
    if (is_used(f, f->p.arguments.v[k]))
      key = add_array(key, in[k]);
  for (size_t k = 0; k < f->p.shared.n; k++) {
    const gg__storage *s = f->p.shared.v[k].storage;
    if (s->version != f->versions[k] && s->value.nd != 0)
      memcpy(key, s->value.dimensions, s->value.nd * sizeof *key);
    f->versions[k] = s->version;
    key += s->value.nd;
  }
  return key;
}

/* Numbers in inputs that sizes depend on: waits for them. */
static int add_numbers(const gg_func *f, size_t *key, GpuArray *const *in) {
  double number;

  for (size_t k = 0; k < f->p.numbers.n; k++) {
    GA_TRY(gg__read_number(&f->p.values.v[f->p.numbers.v[k]], in, &number));
    memcpy(key++, &number, sizeof number);
  }
  return GA_NO_ERROR;
}

static gg__plan *find_plan(const gg_func *f) {
  const size_t bytes = f->n_key * sizeof *f->key;

  if (f->active != NULL && memcmp(f->active->key, f->key, bytes) == 0)
    return f->active;
  for (size_t k = 0; k < f->n_plans; k++)
    if (memcmp(f->plans[k]->key, f->key, bytes) == 0)
      return f->plans[k];
  return NULL;
}

/* --- sizes of the last call --- */

const gg__plan *gg__last_plan(const gg_func *f) {
  const gg__plan *p = NULL;

  for (size_t k = 0; k < f->n_plans; k++)
    if (p == NULL || f->plans[k]->used > p->used)
      p = f->plans[k];
  return p;
}

/* Arrays without memory that have the sizes of a key's arguments. */
static void blank_arguments(const gg_func *f, const size_t *key,
                            GpuArray *blanks, size_t *dims, GpuArray **in) {
  for (size_t k = 0; k < f->p.arguments.n; k++) {
    const gg_var *v = f->p.arguments.v[k];

    in[k] = &blanks[k];
    if (!is_used(f, v))
      continue;
    blanks[k].nd = v->type.nd;
    blanks[k].dimensions = dims;
    for (unsigned int i = 0; i < v->type.nd; i++, key += 2)
      *dims++ = *key;
  }
}

int gg__last_sizes(const gg_func *f, gg__sizes *s) {
  const gg__plan *p = gg__last_plan(f);
  const size_t n = f->p.arguments.n;
  int err = GA_NO_ERROR;

  memset(s, 0, sizeof *s);
  if (p == NULL || f->p.numbers.n != 0)
    return GA_NO_ERROR;
  GpuArray *blanks = ga__calloc(n, sizeof *blanks);
  GpuArray **in = ga__calloc(n, sizeof *in);
  size_t *dims = ga__calloc(f->n_key, sizeof *dims);
  if (blanks == NULL || in == NULL || dims == NULL)
    GA_CHECK(ga__fail_nomem());
  blank_arguments(f, p->key, blanks, dims, in);
  GA_CHECK(gg__sizes_init(s, &f->p, in));
done:
  ga__free(blanks);
  ga__free(in);
  ga__free(dims);
  return err;
}

/* --- making and dropping plans --- */

static void drop_plan(gg_func *f, gg__plan *p) {
  size_t k;

  for (k = 0; f->plans[k] != p; k++)
    ;
  f->plans[k] = f->plans[--f->n_plans];
  if (f->active == p)
    f->active = NULL;
  gg__keep_figures(f, p);
  gg__plan_free(p);
}

void gg__drop_plans(gg_func *f) {
  while (f->n_plans > 0)
    drop_plan(f, f->plans[0]);
}

static gg__plan *oldest_plan(const gg_func *f) {
  gg__plan *p = f->plans[0];

  for (size_t k = 1; k < f->n_plans; k++)
    if (f->plans[k]->used < p->used)
      p = f->plans[k];
  return p;
}

/* New values must be what the shared variables' types promise. */
static int check_updates(const gg_func *f, const gg__sizes *s) {
  for (size_t k = f->p.n_outputs; k < f->p.results.n; k++) {
    const gg__result *r = &f->p.results.v[k];
    const gg_var *v = f->p.shared.v[r->shared].var;
    for (size_t i = 0; i < v->type.nd; i++)
      if (v->type.dims[i] != GG_ANY &&
          s->dims[r->value].dim[i] != (size_t)v->type.dims[i])
        return ga__fail(
            GA_VALUE_ERROR, "update of %s: dim %zu: expected %lld, got %zu",
            v->name, i, (long long)v->type.dims[i], s->dims[r->value].dim[i]);
  }
  return GA_NO_ERROR;
}

/* Of all contexts; only what is asked for here. */
static gpucontext_counters counters(const gg_func *f) {
  gpucontext_counters c, sum;

  memset(&sum, 0, sizeof sum);
  for (size_t k = 0; k < f->p.contexts.n; k++) {
    gpucontext_count(f->p.contexts.v[k].ctx, &c);
    sum.build_seconds += c.build_seconds;
    sum.host_reads += c.host_reads;
    sum.host_writes += c.host_writes;
    sum.read_bytes += c.read_bytes;
    sum.write_bytes += c.write_bytes;
  }
  return sum;
}

static int add_plan(gg_func *f, const gg__sizes *sizes, GpuArray *const *in,
                    gg__plan **out) {
  const double before = counters(f).build_seconds;
  const uint64_t start = ga__now_ns();
  int err = gg__plan_new(out, f, sizes, in);
  const double built = counters(f).build_seconds - before;

  f->stats.build_seconds += built;
  f->stats.plan_seconds += 1e-9 * (double)(ga__now_ns() - start) - built;
  /* Buffers may have been replaced, whether it went well or not. */
  f->active = NULL;
  if (err != GA_NO_ERROR)
    return err;
  if (f->n_plans == GG_MAX_PLANS)
    drop_plan(f, oldest_plan(f));
  f->plans[f->n_plans++] = *out;
  f->stats.plans++;
  return GA_NO_ERROR;
}

/* --- binding --- */

static int bind_slot(gg__plan *p, const gg__binding *b, gpudata *data,
                     size_t offset) {
  gg__planned *x = &p->launches.v[b->launch];

  if (x->launch != NULL)
    return GpuLaunch_bind(x->launch, b->slot, data, offset);
  x->data = data;
  x->offset = offset;
  return GA_NO_ERROR;
}

static int bind_store(gg_func *f, gg__plan *p, gg__store *s,
                      GpuArray *const *in) {
  const gg__binding *b = p->bindings.v + s->first;
  gpudata *data;
  size_t offset;

  GA_TRY(gg__store_fill(f, p, s));
  gg__store_find(f, p, s, in, &data, &offset);
  if (data == s->data && offset == s->offset)
    return GA_NO_ERROR;
  s->data = NULL; /* half bound if this fails */
  for (unsigned int i = 0; i < s->n; i++)
    GA_TRY(bind_slot(p, &b[i], data, (size_t)((ssize_t)offset + b[i].rel)));
  s->data = data;
  s->offset = offset;
  return GA_NO_ERROR;
}

/* Bind every slot whose memory is another one than at the last run, and make
 * the outputs that are views. */
static int bind_plan(gg_func *f, gg__plan *p, GpuArray *const *in) {
  if (f->active != p)
    for (size_t k = 0; k < p->stores.n; k++)
      GA_TRY(bind_store(f, p, &p->stores.v[k], in));
  else
    for (size_t k = 0; k < p->outside.n; k++)
      GA_TRY(bind_store(f, p, &p->stores.v[p->outside.v[k]], in));
  f->active = p;
  return gg__lend_outputs(f, p, in);
}

/* --- the plan of a call, ready to run --- */

static int make_plan(gg_func *f, GpuArray *const *in, GpuArray *const *out,
                     gg__plan **plan) {
  gg__sizes sizes;
  int err;

  GA_TRY(gg__sizes_init(&sizes, &f->p, in));
  GA_CHECK(check_updates(f, &sizes));
  for (size_t k = 0; k < f->p.results.n; k++)
    f->sizes[k] = sizes.dims[f->p.results.v[k].value];
  GA_CHECK(gg__prepare_outputs(f, NULL, f->sizes, in, out));
  GA_CHECK(add_plan(f, &sizes, in, plan));
done:
  gg__sizes_clear(&sizes);
  return err;
}

/* A plan that was prepared for aligned memory refuses other memory. One that is
 * made with it takes both. */
static int get_ready(gg_func *f, GpuArray *const *in, GpuArray *const *out,
                     gg__plan **plan) {
  GA_TRY(add_numbers(f, make_key(f, in), in));
  *plan = find_plan(f);
  if (*plan != NULL) {
    if (!gg__nothing_moved(f, *plan, in, out))
      GA_TRY(gg__prepare_outputs(f, *plan, (*plan)->results, in, out));
    else if (f->p.n_outputs > 0)
      memcpy(f->targets, out, f->p.n_outputs * sizeof *out);
    int err = bind_plan(f, *plan, in);
    if (err != GA_UNALIGNED_ERROR)
      return err;
    gg__drop_outputs(f);
    drop_plan(f, *plan);
  }
  GA_TRY(make_plan(f, in, out, plan));
  return bind_plan(f, *plan, in);
}

/* --- running --- */

static int run_planned(const gg__planned *x) {
  if (x->launch != NULL)
    return GpuLaunch_run(x->launch);
  return x->is_end ? GpuTransfer_end(x->transfer, x->data, x->offset)
                   : GpuTransfer_start(x->transfer, x->data, x->offset);
}

/* Is launch k the first of its step? */
static int begins_step(const gg__plan *p, size_t k) {
  return k == 0 || p->launches.v[k - 1].step != p->launches.v[k].step;
}

/* Is it the last? */
static int ends_step(const gg__plan *p, size_t k) {
  return k + 1 == p->launches.n ||
         p->launches.v[k + 1].step != p->launches.v[k].step;
}

/* Launch k failed: say of which step it is, where that was built, and what has
 * happened before. */
static int fail_launch(gg_func *f, const gg__plan *p, size_t k, int err) {
  const gg__step *s = f->p.steps.v[p->launches.v[k].step];

  if (k > 0)
    ga__fail(err,
             "%s: %s (after %zu of %zu launches: outputs and updated "
             "variables may be overwritten)",
             s->label, ga__err_text(err), k, p->launches.n);
  return gg__blame(err, gg__step_var(&f->p, s));
}

static int check_step(const gg_func *f, const gg__plan *p, gg__watch *w,
                      unsigned int step) {
  GA_TRY(gg__monitor_call(f, p, step, f->monitor.after, 1));
  GA_TRY(gg__guards_check(f, p, step));
  return w != NULL ? gg__watch_step(w, step) : gg__guard_step(f, p, step);
}

/* `w` is NULL where nobody looks at values, and inside of loops. */
static int run_launches(gg_func *f, const gg__plan *p, gg__watch *w) {
  for (size_t k = 0; k < p->launches.n; k++) {
    if (f->watch != 0 && begins_step(p, k))
      GA_TRY(
          gg__monitor_call(f, p, p->launches.v[k].step, f->monitor.before, 0));
    int err = run_planned(&p->launches.v[k]);
    if (err != GA_NO_ERROR)
      return fail_launch(f, p, k, err);
    if (f->watch != 0 && ends_step(p, k))
      GA_TRY(check_step(f, p, w, p->launches.v[k].step));
  }
  return GA_NO_ERROR;
}

int gg__run_launches(gg_func *f, const gg__plan *p) {
  return run_launches(f, p, NULL);
}

static void set_sizes(GpuArray *a, const gg_dims *d) {
  ssize_t step = (ssize_t)ga__dtype_size(a->typecode);

  for (unsigned int i = d->nd; i-- > 0;) {
    a->dimensions[i] = d->dim[i];
    a->strides[i] = step;
    step *= (ssize_t)d->dim[i];
  }
  GpuArray_fix_flags(a);
}

/* Let a shared variable and its spare change places. */
static void swap_spare(gg_func *f, unsigned int number, const gg_dims *d) {
  gg__storage *s = f->p.shared.v[number].storage;
  gg__temp *spare = &f->spares[number];
  const gg__temp old = {s->value.data, gg__array_bytes(&s->value),
                        spare->context};

  s->value.data = spare->data;
  s->value.offset = 0;
  set_sizes(&s->value, d);
  s->version++;
  *spare = old;
  if (!s->lent)
    return;
  /* Somebody may look at it still. */
  gpudata_release(spare->data);
  spare->data = NULL;
  s->lent = 0;
}

static void swap_spares(gg_func *f, const gg__plan *p) {
  for (size_t k = 0; k < p->outside.n; k++) {
    const gg__store *s = &p->stores.v[p->outside.v[k]];
    if (s->kind == GG_STORE_SPARE)
      swap_spare(f, s->number, &p->results[f->p.shared.v[s->number].result]);
  }
}

/* Look at the values. In debug mode, `d` has what the results should be. */
static int run_watched(gg_func *f, const gg__plan *p, GpuArray *const *in,
                       const gg__debug *d) {
  gg__watch w;
  int err;

  GA_TRY(gg__watch_init(&w, f, p, in));
  GA_CHECK(gg__watch_leaves(&w));
  GA_CHECK(run_launches(f, p, &w));
  if (f->plain != NULL)
    GA_CHECK(gg__debug_compare(d, &w));
done:
  gg__watch_clear(&w);
  return err;
}

/* Run the launches of a plan. */
static int run_plan(gg_func *f, const gg__plan *p, GpuArray *const *in) {
  gg__debug d = {NULL, NULL};

  if (f->watch == 0)
    return run_launches(f, p, NULL);
  int err = gg__debug_begin(&d, f, in);
  if (err == GA_NO_ERROR)
    err = f->watch == GG_WATCH_STEPS ? run_launches(f, p, NULL)
                                     : run_watched(f, p, in, &d);
  if (err != GA_NO_ERROR)
    gg__debug_undo(&d, f);
  gg__debug_end(&d, f);
  return err;
}

int gg__run(gg_func *f, GpuArray *const *in, GpuArray *const *out) {
  gg__plan *plan;
  int err;

  GA_CHECK(gg__check_arguments(f, in, out));
  GA_CHECK(get_ready(f, in, out, &plan));
  GA_CHECK(run_plan(f, plan, in));
  GA_CHECK(gg__give_outputs(f, plan, in, out));
  swap_spares(f, plan);
  plan->used = ++f->stats.calls;
  if (f->frees_temps)
    gg__temps_free(f, plan);
done:
  if (err != GA_NO_ERROR)
    gg__drop_outputs(f);
  return err;
}

static int run_any(gg_func *f, GpuArray *const *in, GpuArray *const *out) {
  if (f->defaults != NULL)
    in = gg__with_defaults(f, in);
  int err = gg__guard_arguments(f, &in);
  if (err == GA_NO_ERROR)
    err = out == NULL || gg__wants_all(f, out) ? gg__run(f, in, out)
                                               : gg__run_part(f, in, out);
  gg__guard_clear(f);
  return err;
}

static int run_measured(gg_func *f, GpuArray *const *in, GpuArray *const *out) {
  const gpucontext_counters before = counters(f);
  const uint64_t start = ga__now_ns();
  const int err = run_any(f, in, out);

  f->call_seconds += 1e-9 * (double)(ga__now_ns() - start);
  gpucontext_counters after = counters(f);
  f->profiled_calls++;
  f->transfers += after.host_reads - before.host_reads + after.host_writes -
                  before.host_writes;
  f->transfer_bytes += (double)(after.read_bytes - before.read_bytes) +
                       (double)(after.write_bytes - before.write_bytes);
  return err;
}

int gg_func_call(gg_func *f, GpuArray *const *in, GpuArray *const *out) {
  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "no function");
  gg__hold(f);
  int err = f->profiling ? run_measured(f, in, out) : run_any(f, in, out);
  gg__let_go(f);
  return err == GA_NO_ERROR ? err : gg__func_failed(f, err);
}

/* --- what calls need --- */

int gg__run_init(gg_func *f) {
  const gg__program *p = &f->p;

  for (size_t k = 0; k < p->arguments.n; k++)
    if (is_used(f, p->arguments.v[k]))
      f->n_key += 2 * (size_t)p->arguments.v[k]->type.nd;
  for (size_t k = 0; k < p->shared.n; k++)
    f->n_key += p->shared.v[k].var->type.nd;
  f->n_key += p->numbers.n;
  f->key = ga__calloc(f->n_key, sizeof *f->key);
  f->versions = ga__calloc(p->shared.n, sizeof *f->versions);
  f->fresh = ga__calloc(p->n_outputs, sizeof *f->fresh);
  f->targets = ga__calloc(p->n_outputs, sizeof *f->targets);
  f->sizes = ga__calloc(p->results.n, sizeof *f->sizes);
  f->consts = ga__calloc(p->consts.n, sizeof *f->consts);
  f->spares = ga__calloc(p->shared.n, sizeof *f->spares);
  f->spent = ga__calloc(p->steps.n, sizeof *f->spent);
  if (f->key == NULL || f->versions == NULL || f->fresh == NULL ||
      f->targets == NULL || f->sizes == NULL || f->consts == NULL ||
      f->spares == NULL || f->spent == NULL)
    return ga__fail_nomem();
  return GA_NO_ERROR;
}

void gg__run_clear(gg_func *f) {
  for (size_t k = 0; k < f->n_plans; k++)
    gg__plan_free(f->plans[k]);
  for (size_t k = 0; k < f->temps.n; k++)
    gpudata_release(f->temps.v[k].data);
  for (size_t k = 0; k < f->p.consts.n && f->consts != NULL; k++)
    gpudata_release(f->consts[k]);
  for (size_t k = 0; k < f->p.shared.n && f->spares != NULL; k++)
    gpudata_release(f->spares[k].data);
  for (size_t k = 0; k < f->copiers.n; k++)
    GpuElemwise_free(f->copiers.v[k].ge);
  ga__vec_clear(&f->temps);
  ga__vec_clear(&f->copiers);
  ga__free(f->consts);
  ga__free(f->spares);
  ga__free(f->spent);
  ga__free(f->key);
  ga__free(f->versions);
  ga__free(f->fresh);
  ga__free(f->targets);
  ga__free(f->sizes);
  ga__free(f->copies);
  ga__free(f->held);
}
