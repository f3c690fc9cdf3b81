/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles: the device time of each step, from device events, and the host time
 * that calls wait for values. */
#include <gpuarray/profile.h>
#include <gpugraph/report.h>
#include <gpugraph/site.h>
#include <stdlib.h>
#include <string.h>

#include "func/func.h"
#include "func/inside.h"
#include "plan/figures.h"

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
    if (err == GA_NO_ERROR) {
      f->figures.on = on;
      gg__unit_time_waits(&f->unit, on);
    }
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

/* --- rows --- */

/* A row, and where it comes from. */
typedef struct entry {
  gg_profile_row row;
  const gg__step *step;
  const gg__program *program;
} entry;

typedef GA_VEC(entry) entries;
typedef GA_VEC(gg_profile_row) rows_list;

static int dearer(const void *a, const void *b) {
  const entry *x = a, *y = b;

  return (x->row.seconds < y->row.seconds) - (x->row.seconds > y->row.seconds);
}

static const char *step_op(const gg__program *p, const gg__step *s) {
  const char *name = gg__ops_of(s)->name;

  return name != NULL ? name : gg__step_var(p, s)->owner->op->name;
}

static gg_profile_row make_row(const gg__program *p, const gg__step *s,
                               const gg__spent *spent, unsigned int depth) {
  gg_profile_row r = {.label = s->label,
                      .provider = spent->provider,
                      .device = p->contexts.v[s->context].name,
                      .calls = spent->calls,
                      .seconds = spent->seconds,
                      .bytes = spent->bytes,
                      .flops = spent->flops,
                      .made = spent->made,
                      .op = step_op(p, s),
                      .depth = depth};

  r.file = gg_var_site(gg__step_var(p, s), &r.line);
  return r;
}

/* Add the steps of a program that have run. */
static int add_entries(entries *to, const gg__program *p,
                       const gg__spent *spent, unsigned int depth) {
  for (size_t k = 0; k < p->steps.n; k++) {
    const gg__step *s = p->steps.v[k];

    if (spent[k].calls == 0)
      continue;
    const entry x = {make_row(p, s, &spent[k], depth), s, p};
    GA_TRY(ga__vec_push(to, x));
  }
  return GA_NO_ERROR;
}

static int put_entries(rows_list *rows, entries *from);

/* Add the rows of the bodies of a loop or a choice. */
static int put_bodies(rows_list *rows, const entry *x) {
  const gg__node *node =
      x->step->apply != NULL ? gg__step_node(x->program, x->step) : NULL;
  int err = GA_NO_ERROR;

  for (int i = 0; node != NULL && i < 2 && err == GA_NO_ERROR; i++) {
    const gg__unit *u = node->inner[i];
    gg__spent *spent = NULL;
    entries inside = {0};

    if (u == NULL)
      break;
    err = gg__unit_spent(u, &spent);
    if (err == GA_NO_ERROR)
      err = add_entries(&inside, &u->program, spent, x->row.depth + 1);
    if (err == GA_NO_ERROR)
      err = put_entries(rows, &inside);
    ga__free(spent);
    ga__vec_clear(&inside);
  }
  return err;
}

/* Add rows, the most expensive first. Behind each stand those inside of it. */
static int put_entries(rows_list *rows, entries *from) {
  if (from->n > 1)
    qsort(from->v, from->n, sizeof *from->v, dearer);
  for (size_t k = 0; k < from->n; k++) {
    GA_TRY(ga__vec_push(rows, from->v[k].row));
    GA_TRY(put_bodies(rows, &from->v[k]));
  }
  return GA_NO_ERROR;
}

/* Add the steps of f and of its stages. */
static int add_all(entries *to, const gg_func *f) {
  gg__spent *spent = NULL;
  int err = gg__unit_spent(&f->unit, &spent);

  for (size_t k = 0; k < f->plans.n && err == GA_NO_ERROR; k++)
    err = gg__plan_spent(spent, f->plans.v[k]);
  if (err == GA_NO_ERROR)
    err = add_entries(to, &f->unit.program, spent, 0);
  ga__free(spent);
  for (size_t k = 0; k < f->stages.n && err == GA_NO_ERROR; k++)
    err = add_all(to, f->stages.v[k].f);
  return err;
}

int gg__profile_rows(gg_func *f, gg_profile_row **rows, size_t *n) {
  entries all = {0};
  rows_list list = {0};
  double total = 0;
  int err = add_all(&all, f);

  if (err == GA_NO_ERROR)
    err = put_entries(&list, &all);
  for (size_t k = 0; k < all.n; k++)
    total += all.v[k].row.seconds;
  for (size_t k = 0; k < list.n; k++)
    list.v[k].share = total > 0 ? list.v[k].seconds / total : 0;
  ga__vec_clear(&all);
  if (err != GA_NO_ERROR)
    ga__vec_clear(&list);
  *rows = list.v;
  *n = list.n;
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

/* --- waits --- */

typedef GA_VEC(gg_profile_wait) waits_list;

static int waited_more(const void *a, const void *b) {
  const gg_profile_wait *x = a, *y = b;

  return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

/* Add the waits of a loop or a choice: for its condition, or for a number of
 * iterations. */
static int add_inner(waits_list *to, const char *op, const gg__site *site,
                     const gg__waited *w) {
  if (w->calls == 0)
    return GA_NO_ERROR;
  return ga__vec_push(to, ((gg_profile_wait){.label = op,
                                             .file = site->file,
                                             .line = site->line,
                                             .calls = w->calls,
                                             .seconds = w->seconds}));
}

/* Add those of all loops and choices in a program. */
static int add_all_inner(waits_list *to, const gg__program *p) {
  for (size_t k = 0; k < p->nodes.n; k++)
    for (int i = 0; i < 2 && p->nodes.v[k].inner[i] != NULL; i++) {
      const gg_apply *a = p->nodes.v[k].apply;
      const gg__unit *u = p->nodes.v[k].inner[i];
      GA_TRY(add_inner(to, a->op->name, &a->out[0]->site, &u->waited));
      GA_TRY(add_all_inner(to, &u->program));
    }
  return GA_NO_ERROR;
}

/* Add the waits of f and of its stages. */
static int add_waits(waits_list *to, const gg_func *f) {
  for (size_t k = 0; k < f->unit.program.arguments.n; k++) {
    const gg__waited *w = &f->figures.waited[k];
    const gg_var *v = f->unit.program.arguments.v[k];
    gg_profile_wait x = {
        .label = gg__display_name(v), .calls = w->calls, .seconds = w->seconds};

    if (w->calls == 0)
      continue;
    x.file = gg_var_site(v, &x.line);
    GA_TRY(ga__vec_push(to, x));
  }
  GA_TRY(add_all_inner(to, &f->unit.program));
  for (size_t k = 0; k < f->stages.n; k++) {
    const gg__inside *x = f->stages.v[k].inside;
    if (x != NULL)
      GA_TRY(add_inner(to, x->op, &x->site, &x->waited));
    GA_TRY(add_waits(to, f->stages.v[k].f));
  }
  return GA_NO_ERROR;
}

int gg__profile_waits(const gg_func *f, gg_profile_wait **waits, size_t *n) {
  waits_list list = {0};
  const int err = add_waits(&list, f);

  if (err != GA_NO_ERROR)
    ga__vec_clear(&list);
  if (list.n > 1)
    qsort(list.v, list.n, sizeof *list.v, waited_more);
  *waits = list.v;
  *n = list.n;
  return err;
}

size_t gg_func_profile_waits(gg_func *f, gg_profile_wait *waits, size_t max) {
  gg_profile_wait *all;
  size_t n;

  if (f == NULL) {
    ga__fail(GA_VALUE_ERROR, "no function");
    return 0;
  }
  pthread_mutex_lock(&f->locks.own);
  if (gg__profile_waits(f, &all, &n) != GA_NO_ERROR)
    n = 0;
  for (size_t k = 0; k < n && k < max; k++)
    waits[k] = all[k];
  ga__free(all);
  pthread_mutex_unlock(&f->locks.own);
  return n;
}
