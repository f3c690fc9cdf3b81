/* SPDX-License-Identifier: BSD-2-Clause */
/* The plan of a call: an earlier one with the same key, or a new one. */
#include <gpuarray/profile.h>
#include <string.h>

#include "base/clock.h"
#include "func/func.h"
#include "plan/figures.h"
#include "plan/looping.h"

enum { LATELY = 256 /* calls ago, at most */ };

/* --- shared variables with new memory --- */

/* Refuse a shared variable that shares memory with another one, since an update
 * of either would change both. */
static int check_apart(const gg_func *f, size_t k) {
  const gg__shared *s = f->unit.program.shared.v;

  for (size_t i = 0; i < f->unit.program.shared.n; i++)
    if (i != k && (s[i].result != GG_NONE || s[k].result != GG_NONE) &&
        GpuArray_share(&s[i].storage->value, &s[k].storage->value))
      return ga__fail(GA_VALUE_ERROR,
                      "%s and %s share memory and one is updated",
                      gg__display_name(s[i < k ? i : k].var),
                      gg__display_name(s[i < k ? k : i].var));
  return GA_NO_ERROR;
}

/* Check the new values of shared variables whose memory the user has, too.
 * make_key records the versions, so each value is checked once. */
static int check_new(const gg_func *f) {
  for (size_t k = 0; k < f->unit.program.shared.n; k++) {
    const gg__storage *s = f->unit.program.shared.v[k].storage;
    if (s->lent && s->version != f->call.versions[k])
      GA_TRY(check_apart(f, k));
  }
  return GA_NO_ERROR;
}

/* --- keys --- */

static int is_used(const gg_func *f, const gg_var *v) {
  return f->unit.program.value_of[v->id] != GG_NONE;
}

/* Add sizes and strides. Strides of dimensions of size 1 do not matter. */
static size_t *add_array(size_t *key, const GpuArray *a) {
  for (unsigned int i = 0; i < a->nd; i++) {
    *key++ = a->dimensions[i];
    *key++ = a->dimensions[i] != 1 ? (size_t)a->strides[i] : 0;
  }
  return key;
}

/* Write the key, except for scalars; returns where they go. The sizes of a
 * shared variable change only with its version. */
static size_t *make_key(gg_func *f) {
  GpuArray *const *in = f->unit.frame.in;
  size_t *key = f->call.key;

  for (size_t k = 0; k < f->unit.program.arguments.n; k++)
    if (is_used(f, f->unit.program.arguments.v[k]))
      key = add_array(key, in[k]);
  for (size_t k = 0; k < f->unit.program.shared.n; k++) {
    const gg__storage *s = f->unit.program.shared.v[k].storage;
    if (s->version != f->call.versions[k] && s->value.nd != 0)
      memcpy(key, s->value.dimensions, s->value.nd * sizeof *key);
    f->call.versions[k] = s->version;
    key += s->value.nd;
  }
  return key;
}

/* How many elements of a key the scalars in arguments take. */
static size_t scalars_in_key(const gg__program *p) {
  return p->scalars.n * (sizeof(double) / sizeof(size_t));
}

/* Add the scalars in arguments that sizes depend on; blocks for them. */
static int add_scalars(const gg_func *f, size_t *key) {
  GA_ASSERT(key + scalars_in_key(&f->unit.program) ==
            f->call.key + f->call.n_key);
  return gg__read_scalars(&f->unit.program, f->unit.frame.in, key,
                          f->figures.on ? f->figures.waited : NULL);
}

static gg__plan *kept_plan(const gg_func *f) {
  const size_t bytes = f->call.n_key * sizeof *f->call.key;

  if (f->unit.bound != NULL &&
      memcmp(f->unit.bound->key, f->call.key, bytes) == 0)
    return f->unit.bound;
  for (size_t k = 0; k < f->plans.n; k++)
    if (memcmp(f->plans.v[k]->key, f->call.key, bytes) == 0)
      return f->plans.v[k];
  return NULL;
}

int gg__find_plan(gg_func *f, gg__plan **plan) {
  GA_TRY(check_new(f));
  GA_TRY(add_scalars(f, make_key(f)));
  *plan = kept_plan(f);
  return GA_NO_ERROR;
}

const gg__plan *gg__last_plan(const gg_func *f) {
  const gg__plan *last = NULL;

  for (size_t k = 0; k < f->plans.n; k++)
    if (f->plans.v[k]->runs != 0 &&
        (last == NULL || f->plans.v[k]->used > last->used))
      last = f->plans.v[k];
  return last;
}

/* --- sizes of the last call --- */

/* Arrays without memory that have the sizes of a key's arguments. */
static int blank_arguments(gg__blanks *x, const gg__program *p,
                           const size_t *key) {
  GA_TRY(gg__blanks_init(x, (unsigned int)p->arguments.n));
  for (unsigned int k = 0; k < p->arguments.n; k++) {
    const gg_var *v = p->arguments.v[k];
    gg_dims d = {.nd = v->type.nd};

    for (unsigned int i = 0; p->value_of[v->id] != GG_NONE && i < d.nd; i++) {
      d.dim[i] = *key;
      key += 2;
    }
    GA_TRY(gg__blanks_set(x, k, v, &d, 0));
  }
  return GA_NO_ERROR;
}

int gg__last_sizes(const gg_func *f, gg__sizes *s) {
  const gg__program *p = &f->unit.program;
  const gg__plan *last = gg__last_plan(f);
  gg__blanks x;

  memset(s, 0, sizeof *s);
  if (last == NULL || p->scalars.n != 0)
    return GA_NO_ERROR;
  int err = blank_arguments(&x, p, last->key);
  if (err == GA_NO_ERROR)
    err = gg__sizes_init(s, p, x.list);
  gg__blanks_clear(&x);
  return err;
}

int gg__known_output(const gg_func *f, size_t k, int *known, double *x) {
  const gg__program *p = &f->unit.program;
  const unsigned int v = p->results.v[k].value;
  gg__sizes s = {.dims = NULL};

  *known = p->values.v[v].uniform;
  if (!*known)
    return GA_NO_ERROR;
  GA_TRY(gg__sizes_for(&s, p, f->unit.frame.in,
                       f->call.key + f->call.n_key - scalars_in_key(p)));
  *x = s.scalar[v];
  gg__sizes_clear(&s);
  return GA_NO_ERROR;
}

/* --- making and dropping plans --- */

/* Take a plan out of the list. The caller owns it; its figures are kept. */
static gg__plan *remove_plan(gg_func *f, gg__plan *p) {
  size_t k;

  for (k = 0; f->plans.v[k] != p; k++)
    GA_ASSERT(k + 1 < f->plans.n);
  f->plans.v[k] = f->plans.v[--f->plans.n];
  if (f->unit.bound == p)
    f->unit.bound = NULL;
  gg__keep_figures(&f->unit, p);
  return p;
}

void gg__drop_plan(gg_func *f, gg__plan *p) {
  gg__plan_free(remove_plan(f, p));
}

void gg__drop_plans(gg_func *f) {
  while (f->plans.n > 0)
    gg__drop_plan(f, f->plans.v[0]);
}

/* Is `p` for frequent shapes? Several calls had them, the last one lately, or
 * they were prepared lately and no call had them yet. */
static int is_frequent(const gg_func *f, const gg__plan *p) {
  return p->runs != 1 && f->stats.calls - p->used < LATELY;
}

/* Is `p` replaced before `q`? */
static int goes_before(const gg_func *f, const gg__plan *p, const gg__plan *q) {
  const int a = is_frequent(f, p), b = is_frequent(f, q);

  return a != b ? b : p->used < q->used;
}

/* Take the plan that a new one renews out of the list; NULL while the list is
 * not full. Plans of frequent shapes are replaced last: shapes that come only
 * once replace one another. */
static gg__plan *plan_to_renew(gg_func *f) {
  gg__plan *p = f->plans.v[0];

  if (f->plans.n < GG_MAX_PLANS)
    return NULL;
  for (size_t k = 1; k < f->plans.n; k++)
    if (goes_before(f, f->plans.v[k], p))
      p = f->plans.v[k];
  return remove_plan(f, p);
}

/* Check that new values have the sizes in the types of shared variables. */
static int check_updates(const gg_func *f, const gg__sizes *s) {
  for (size_t k = f->unit.program.n_outputs; k < f->unit.program.results.n;
       k++) {
    const gg__result *r = &f->unit.program.results.v[k];
    const gg_var *v = f->unit.program.shared.v[r->shared].var;
    for (size_t i = 0; i < v->type.nd; i++)
      if (v->type.dims[i] != GG_ANY &&
          s->dims[r->value].dim[i] != (size_t)v->type.dims[i])
        return ga__fail(
            GA_VALUE_ERROR, "update of %s: dim %zu: expected %lld, got %zu",
            v->name, i, (long long)v->type.dims[i], s->dims[r->value].dim[i]);
  }
  return GA_NO_ERROR;
}

static int new_plan(gg_func *f, const gg__sizes *sizes, gg__plan **out) {
  const size_t bytes = f->call.n_key * sizeof *f->call.key;

  *out = plan_to_renew(f);
  GA_TRY(gg__plan_new(out, &f->unit, sizes));
  if ((*out)->key == NULL)
    (*out)->key = ga__malloc(bytes);
  if ((*out)->key != NULL) {
    memcpy((*out)->key, f->call.key, bytes);
    return GA_NO_ERROR;
  }
  gg__plan_free(*out);
  *out = NULL;
  return ga__fail_nomem();
}

static int add_plan(gg_func *f, const gg__sizes *sizes, gg__plan **out) {
  const double before = gg__counters(f).build_seconds;
  const uint64_t start = ga__now_ns();
  const int err = new_plan(f, sizes, out);
  const double built = gg__counters(f).build_seconds - before;

  f->stats.build_seconds += built;
  f->stats.plan_seconds += 1e-9 * (double)(ga__now_ns() - start) - built;
  /* Buffers may have been replaced, also on failure. */
  f->unit.bound = NULL;
  if (err != GA_NO_ERROR)
    return err;
  (*out)->used = f->stats.calls; /* as recent as the plan of the last call */
  f->plans.v[f->plans.n++] = *out;
  f->stats.plans++;
  f->stats.kernels_made += (*out)->n_made;
  return GA_NO_ERROR;
}

int gg__make_plan(gg_func *f, GpuArray *const *out, gg__plan **plan) {
  gg__sizes *const s = &f->unit.planning.sizes;

  GA_TRY(gg__sizes_for(s, &f->unit.program, f->unit.frame.in,
                       f->call.key + f->call.n_key -
                           scalars_in_key(&f->unit.program)));
  GA_TRY(check_updates(f, s));
  for (size_t k = 0; k < f->unit.program.results.n; k++)
    f->call.sizes[k] = s->dims[f->unit.program.results.v[k].value];
  GA_TRY(gg__prepare_outputs(f, NULL, f->call.sizes, out));
  return add_plan(f, s, plan);
}

/* --- what calls need --- */

int gg__call_init(gg_func *f) {
  const gg__program *p = &f->unit.program;
  ga__arena *m = &f->unit.program.arena;
  gg__call *c = &f->call;

  for (size_t k = 0; k < p->arguments.n; k++)
    if (is_used(f, p->arguments.v[k]))
      c->n_key += 2 * (size_t)p->arguments.v[k]->type.nd;
  for (size_t k = 0; k < p->shared.n; k++)
    c->n_key += p->shared.v[k].var->type.nd;
  c->n_key += scalars_in_key(p);
  c->key = ga__arena_alloc(m, c->n_key * sizeof *c->key);
  c->versions = ga__arena_alloc(m, p->shared.n * sizeof *c->versions);
  c->sizes = ga__arena_alloc(m, p->results.n * sizeof *c->sizes);
  c->given = ga__arena_alloc(m, p->arguments.n * sizeof *c->given);
  c->copies = ga__arena_alloc(m, p->arguments.n * sizeof *c->copies);
  f->figures.waited =
      ga__arena_alloc(m, p->arguments.n * sizeof *f->figures.waited);
  return c->key != NULL && c->versions != NULL && c->sizes != NULL &&
                 c->given != NULL && c->copies != NULL &&
                 f->figures.waited != NULL
             ? GA_NO_ERROR
             : ga__fail_nomem();
}

/* --- figures --- */

/* Add the figures of a stage. Times of compilation are part of those of f. */
static void add_stage(gg_func_stats *to, const gg_func *stage) {
  gg_func_stats s = {0};

  gg_func_stat(stage, &s);
  to->nodes_rewritten += s.nodes_rewritten;
  to->steps += s.steps;
  to->host_steps += s.host_steps;
  to->plans += s.plans;
  to->build_seconds += s.build_seconds;
  to->temp_bytes += s.temp_bytes;
  to->temp_bytes_alone += s.temp_bytes_alone;
  to->plan_seconds += s.plan_seconds;
  to->transfers += s.transfers;
  to->plans_kept += s.plans_kept;
  to->kernels_made += s.kernels_made;
}

int gg_func_stat(const gg_func *f, gg_func_stats *out) {
  gg_func *open = (gg_func *)f; /* only its lock changes */

  if (f == NULL || out == NULL)
    return ga__fail(GA_VALUE_ERROR, f == NULL ? "no function" : "no figures");
  pthread_mutex_lock(&open->locks.own);
  *out = f->stats;
  out->plans_kept = f->plans.n;
  const gg__plan *last = gg__last_plan(f);
  if (last == NULL && f->plans.n > 0)
    last = f->plans.v[f->plans.n - 1];
  if (last != NULL) {
    out->steps = last->n_kernels;
    out->host_steps = last->n_host;
    out->temp_bytes = last->temp_bytes;
    out->temp_bytes_alone = last->temp_bytes_alone;
    out->transfers = last->n_transfers;
  }
  for (size_t k = 0; k < f->stages.n; k++)
    add_stage(out, f->stages.v[k].f);
  pthread_mutex_unlock(&open->locks.own);
  return GA_NO_ERROR;
}
