/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of a profile that reports show: sums over all steps, and sums by
 * group. */
#include "report/profile_shares.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "func/func.h"
#include "report/write.h"

/* --- all steps --- */

/* Fill *p. On failure there is nothing to free. */
static int profile_init(gg__profile *p, gg_func *f) {
  memset(p, 0, sizeof *p);
  p->f = f;
  GA_TRY(gg__profile_waits(f, &p->waits, &p->n_waits));
  int err = gg__profile_rows(f, &p->rows, &p->n);
  if (err != GA_NO_ERROR) {
    ga__free(p->waits);
    return err;
  }
  for (size_t k = 0; k < p->n; k++) {
    p->seconds += p->rows[k].depth == 0 ? p->rows[k].seconds : 0;
    p->calls += p->rows[k].depth == 0 ? p->rows[k].calls : 0;
  }
  for (size_t k = 0; k < f->unit.memory.temps.n; k++)
    p->held += f->unit.memory.temps.v[k].bytes;
  if (f->unit.bound != NULL) {
    p->temp = f->unit.bound->temp_bytes;
    p->temp_alone = f->unit.bound->temp_bytes_alone;
  }
  return GA_NO_ERROR;
}

int gg__profile_report(gg_func *f, FILE *out,
                       int (*put)(const gg__profile *p, FILE *out)) {
  gg__profile p;

  if (f == NULL || out == NULL)
    return gg__nothing_to_write("a profile", f);
  gg__lock_call(f);
  int err = profile_init(&p, f);
  if (err == GA_NO_ERROR) {
    err = put(&p, out);
    ga__free(p.rows);
    ga__free(p.waits);
  }
  gg__unlock_call(f);
  return err == GA_NO_ERROR ? ga__flushed(out, "the report") : err;
}

/* --- groups --- */

static const char *class_of(const gg_profile_row *r) {
  return r->op;
}

static const char *op_of(const gg_profile_row *r) {
  return r->label;
}

static const char *provider_of(const gg_profile_row *r) {
  return r->provider;
}

/* Where the time is spent: on the host, on a device, or in a transfer. */
static const char *place_of(const gg_profile_row *r) {
  if (strcmp(r->provider, gg__host_provider) == 0 ||
      strcmp(r->provider, "transfer") == 0)
    return r->provider;
  return "device";
}

const gg__grouping gg__groupings[GG_N_GROUPINGS] = {
    {"by class", "classes", class_of},
    {"by op", "ops", op_of},
    {"by place", "places", place_of},
    {"by provider", "providers", provider_of},
};

static gg__share *find_group(gg__share *v, size_t *n, const char *name) {
  for (size_t k = 0; k < *n; k++)
    if (strcmp(v[k].name, name) == 0)
      return &v[k];
  v[*n] = (gg__share){.name = name};
  return &v[(*n)++];
}

static int dearer(const void *a, const void *b) {
  const gg__share *x = a, *y = b;

  return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

int gg__profile_shares(const gg__profile *p, const gg__grouping *by,
                       gg__share **out, size_t *n) {
  *n = 0;
  *out = ga__calloc(p->n, sizeof **out);
  if (*out == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < p->n; k++) {
    const gg_profile_row *r = &p->rows[k];
    if (r->depth > 0) /* a part of another row */
      continue;
    gg__share *x = find_group(*out, n, by->name(r));
    x->calls += r->calls;
    x->seconds += r->seconds;
    x->share += r->share;
  }
  if (*n > 1)
    qsort(*out, *n, sizeof **out, dearer);
  return GA_NO_ERROR;
}

/* --- dtypes --- */

int gg__begins_double(const gg__value *x) {
  const gg_apply *a = x->var->owner;

  if (x->var->type.dtype != GA_DOUBLE || x->want == 0 || x->uniform)
    return 0;
  if (a == NULL)
    return x->var->kind != GG_VAR_CONST;
  for (unsigned int i = 0; i < a->n_in; i++)
    if (a->in[i]->type.dtype == GA_DOUBLE)
      return 0;
  return 1;
}

/* --- compiling --- */

static int slower(const void *a, const void *b) {
  const gg__fired *x = a, *y = b;

  return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

int gg__profile_rules(const gg_func *f, gg__fired **out, size_t *n) {
  *n = 0;
  *out = ga__calloc(f->fired.n, sizeof **out);
  if (*out == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < f->fired.n; k++)
    if (f->fired.v[k].tried != 0)
      (*out)[(*n)++] = f->fired.v[k];
  if (*n > 1)
    qsort(*out, *n, sizeof **out, slower);
  return GA_NO_ERROR;
}
