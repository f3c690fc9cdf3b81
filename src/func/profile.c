/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles: the device time of each step, from device events. */
#include <gpuarray/profile.h>
#include <gpugraph/report.h>
#include <gpugraph/site.h>
#include <stdlib.h>
#include <string.h>

#include "func/func.h"

/* --- switching --- */

/* Contexts that are measured, and by how many functions. */
static pthread_mutex_t measured_lock = PTHREAD_MUTEX_INITIALIZER;
static GA_VEC(struct measured {
  gpucontext *ctx;
  unsigned int functions;
}) measured;

static int count_function(gpucontext *ctx, int on) {
  struct measured x = {ctx, 0};
  size_t k;

  for (k = 0; k < measured.n && measured.v[k].ctx != ctx; k++)
    ;
  if (k == measured.n)
    GA_TRY(ga__vec_push(&measured, x));
  if (measured.v[k].functions == 0 || (!on && measured.v[k].functions == 1))
    GA_TRY(gpucontext_profile(ctx, on));
  measured.v[k].functions += on ? 1 : (unsigned int)-1;
  if (measured.v[k].functions == 0)
    measured.v[k] = measured.v[--measured.n];
  if (measured.n == 0)
    ga__vec_clear(&measured);
  return GA_NO_ERROR;
}

/* Switch all contexts of the program or, if one refuses, none. */
static int switch_contexts(const gg__program *p, int on) {
  int err = GA_NO_ERROR;
  size_t k;

  for (k = 0; k < p->contexts.n && err == GA_NO_ERROR; k++)
    err = count_function(p->contexts.v[k].ctx, on);
  if (err == GA_NO_ERROR || !on)
    return err;
  while (--k > 0)
    count_function(p->contexts.v[k - 1].ctx, 0);
  return err;
}

int gg_func_profile(gg_func *f, int on) {
  int err = GA_NO_ERROR;

  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "no function");
  on = on != 0;
  for (size_t k = 0; k < f->stages.n; k++)
    GA_TRY(gg_func_profile(f->stages.v[k].f, on));
  pthread_mutex_lock(&f->locks.own);
  if (on != f->figures.on) {
    pthread_mutex_lock(&measured_lock);
    err = switch_contexts(&f->unit.program, on);
    pthread_mutex_unlock(&measured_lock);
    if (err == GA_NO_ERROR)
      f->figures.on = on;
  }
  pthread_mutex_unlock(&f->locks.own);
  return err;
}

gpucontext_counters gg__counters(const gg_func *f) {
  gpucontext_counters c, sum;

  memset(&sum, 0, sizeof sum);
  for (size_t k = 0; k < f->unit.program.contexts.n; k++) {
    gpucontext_count(f->unit.program.contexts.v[k].ctx, &c);
    sum.build_seconds += c.build_seconds;
    sum.host_reads += c.host_reads;
    sum.host_writes += c.host_writes;
    sum.read_bytes += c.read_bytes;
    sum.write_bytes += c.write_bytes;
  }
  return sum;
}

/* --- figures of steps --- */

/* Add the figures of a launch. The first one of a step counts its calls. */
static int add_launch(gg__spent *s, const gg__launch *l, int is_first) {
  GpuLaunchStats st;

  GA_TRY(GpuLaunch_stats(l->launch, &st));
  double flops = l->flops > 0 ? l->flops : st.flops;
  s->seconds += st.seconds;
  s->made += st.made + l->made;
  s->bytes += st.bytes * (double)st.calls;
  s->flops += flops * (double)st.calls;
  if (is_first)
    s->calls += st.calls;
  if (s->provider == NULL || strcmp(st.provider, "own") != 0)
    s->provider = st.provider;
  return GA_NO_ERROR;
}

/* Add the figures of a transfer, which belong to its second half. */
static int add_transfer(gg__spent *s, const gg__launch *l) {
  GpuTransferStats st;

  GA_TRY(GpuTransfer_stats(l->transfer, &st));
  s->seconds += st.seconds;
  s->bytes += st.bytes * (double)st.calls;
  s->calls += st.calls;
  s->provider = "transfer";
  return GA_NO_ERROR;
}

/* Add the figures of one plan. The launches of a step are consecutive. */
static int add_plan(gg__spent *spent, const gg__plan *p) {
  for (size_t k = 0; k < p->launches.n; k++) {
    const gg__launch *l = &p->launches.v[k];
    if (l->launch != NULL)
      GA_TRY(add_launch(&spent[l->step], l,
                        k == 0 || p->launches.v[k - 1].step != l->step));
    else if (l->is_end)
      GA_TRY(add_transfer(&spent[l->step], l));
  }
  return GA_NO_ERROR;
}

void gg__keep_figures(gg_func *f, const gg__plan *p) {
  add_plan(f->figures.spent, p); /* figures of a context that fails are lost */
}

/* Add all figures so far, by step, to a new list; the caller frees it, also on
 * failure. */
static int collect(const gg_func *f, gg__spent **spent) {
  *spent =
      ga__memdup(f->figures.spent, f->unit.program.steps.n * sizeof **spent);
  if (*spent == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < f->plans.n; k++)
    GA_TRY(add_plan(*spent, f->plans.v[k]));
  return GA_NO_ERROR;
}

/* --- rows --- */

static int dearer(const void *a, const void *b) {
  const gg_profile_row *x = a, *y = b;

  return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static const char *step_op(const gg__program *p, const gg__step *s) {
  const char *name = gg__ops_of(s)->name;

  return name != NULL ? name : gg__step_var(p, s)->owner->op->name;
}

/* The rows of f without those of its stages. */
static int own_rows(const gg_func *f, gg_profile_row **rows, size_t *n) {
  const gg__program *p = &f->unit.program;
  gg__spent *spent;

  *rows = NULL;
  *n = 0;
  int err = collect(f, &spent);
  if (err == GA_NO_ERROR) {
    *rows = ga__calloc(p->steps.n, sizeof **rows);
    err = *rows != NULL ? err : ga__fail_nomem();
  }
  for (size_t k = 0; k < p->steps.n && err == GA_NO_ERROR; k++) {
    if (spent[k].calls == 0)
      continue;
    gg_profile_row *r = &(*rows)[(*n)++];
    r->label = p->steps.v[k]->label;
    r->provider = spent[k].provider;
    r->device = p->contexts.v[p->steps.v[k]->context].name;
    r->calls = spent[k].calls;
    r->seconds = spent[k].seconds;
    r->bytes = spent[k].bytes;
    r->flops = spent[k].flops;
    r->made = spent[k].made;
    r->op = step_op(p, p->steps.v[k]);
    const gg_var *first = gg__step_var(p, p->steps.v[k]);
    r->file = gg_var_site(first, &r->line);
  }
  ga__free(spent);
  return err;
}

/* Add the rows of a stage to a list. */
static int add_stage(gg_func *stage, gg_profile_row **rows, size_t *n) {
  gg_profile_row *more, *all;
  size_t m;
  int err = gg__profile_rows(stage, &more, &m);

  all = ga__realloc_array(*rows, *n + m + 1, sizeof *all);
  if (all != NULL) {
    if (m > 0)
      memcpy(all + *n, more, m * sizeof *all);
    *rows = all;
    *n += m;
  } else if (err == GA_NO_ERROR) {
    err = ga__fail_nomem();
  }
  ga__free(more);
  return err;
}

int gg__profile_rows(gg_func *f, gg_profile_row **rows, size_t *n) {
  double total = 0;
  int err = own_rows(f, rows, n);

  for (size_t k = 0; k < f->stages.n && err == GA_NO_ERROR; k++)
    err = add_stage(f->stages.v[k].f, rows, n);
  for (size_t k = 0; k < *n; k++)
    total += (*rows)[k].seconds;
  for (size_t k = 0; k < *n; k++)
    (*rows)[k].share = total > 0 ? (*rows)[k].seconds / total : 0;
  if (*n > 1)
    qsort(*rows, *n, sizeof **rows, dearer);
  return err;
}

size_t gg_func_profile_rows(gg_func *f, gg_profile_row *rows, size_t max) {
  gg_profile_row *all;
  size_t n;

  if (f == NULL) {
    ga__fail(GA_VALUE_ERROR, "no function");
    return 0;
  }
  pthread_mutex_lock(&f->locks.own);
  if (gg__profile_rows(f, &all, &n) != GA_NO_ERROR)
    n = 0;
  for (size_t k = 0; k < n && k < max; k++)
    rows[k] = all[k];
  ga__free(all);
  pthread_mutex_unlock(&f->locks.own);
  return n;
}
