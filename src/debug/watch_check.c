/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparing what a step has written with what it should have. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "debug/watch.h"
#include "ops/ops.h"

enum { TEXT = 160 }; /* bytes of a type, an index or a label */

/* --- messages --- */

char *gg__index_text(const gg_dims *d, size_t n, char *buf, size_t bytes) {
  size_t at[GG_MAX_ND] = {0}, k = 0;
  int more = snprintf(buf, bytes, "[");

  for (unsigned int i = d->nd; i-- > 0; n /= d->dim[i])
    at[i] = n % d->dim[i];
  for (unsigned int i = 0; i < d->nd && more > 0 && k + (size_t)more < bytes;
       i++) {
    k += (size_t)more;
    more = snprintf(buf + k, bytes - k, i != 0 ? ", %zu" : "%zu", at[i]);
  }
  if (more > 0 && k + (size_t)more + 2 < bytes)
    memcpy(buf + k + (size_t)more, "]", 2);
  return buf;
}

char *gg__element_text(int dtype, const void *p, char buf[GG_ELEMENT_TEXT]) {
  const int part = ga__dtype_real(dtype);
  const double re = ga__dtype_to_double(dtype, p);

  if (part == dtype)
    snprintf(buf, GG_ELEMENT_TEXT, "%.9g", re);
  else
    snprintf(buf, GG_ELEMENT_TEXT, "%.9g%+.9gj", re,
             ga__dtype_to_double(part, (const char *)p + ga__dtype_size(part)));
  return buf;
}

/* "log at [0, 3] of float32[2, 4]", with the sizes of the call. */
static char *place_text(const gg_var *var, const gg_dims *d, size_t n,
                        char *buf, size_t bytes) {
  char label[TEXT], index[TEXT], type[TEXT];
  gg_type t = var->type;

  for (unsigned int i = 0; i < d->nd; i++)
    t.dims[i] = (int64_t)d->dim[i];
  snprintf(buf, bytes, "%s%s%s at %s of %s",
           gg__var_label(var, label, sizeof label),
           var->owner != NULL && var->name[0] != '\0' ? " " : "",
           var->owner != NULL ? var->name : "",
           gg__index_text(d, n, index, sizeof index),
           gg_type_text(&t, type, sizeof type));
  return buf;
}

static char *where_text(const gg__watch *w, unsigned int v, size_t n, char *buf,
                        size_t bytes) {
  return place_text(w->u->program.values.v[v].var, &w->host[v].dims, n, buf,
                    bytes);
}

/* --- the guard --- */

static int is_bad(int watch, double x) {
  return (watch & GG_WATCH_NAN && isnan(x)) ||
         (watch & GG_WATCH_INF && isinf(x)) ||
         (watch & GG_WATCH_BIG && fabs(x) > GG_BIG);
}

/* A complex element is two reals, one behind the other. */
static size_t parts_of(int dtype) {
  return ga__dtype_is_complex(dtype) ? 2 : 1;
}

/* The index of the first element that a guard reports, or -1. */
static ptrdiff_t find_bad(int watch, const gg_var *var, const gg_dims *d,
                          const void *data) {
  const int part = ga__dtype_real(var->type.dtype);
  const size_t parts = parts_of(var->type.dtype);
  const size_t n = gg__dims_size(d) * parts, bytes = ga__dtype_size(part);

  for (size_t i = 0; data != NULL && gg__is_smooth(var) && i < n; i++)
    if (is_bad(watch,
               ga__dtype_to_double(part, (const char *)data + i * bytes)))
      return (ptrdiff_t)(i / parts);
  return -1;
}

static ptrdiff_t first_bad(const gg__watch *w, unsigned int v,
                           const void *data) {
  return find_bad(w->u->watch, w->u->program.values.v[v].var, &w->host[v].dims,
                  data);
}

/* The element; of a complex one the larger part, or the one that is NaN. */
static double element_at(const gg_var *v, const void *data, ptrdiff_t i) {
  const int dtype = v->type.dtype, part = ga__dtype_real(dtype);
  const char *const p = (const char *)data + (size_t)i * ga__dtype_size(dtype);
  const double re = ga__dtype_to_double(dtype, p);

  if (part == dtype)
    return re;
  const double im = ga__dtype_to_double(part, p + ga__dtype_size(part));
  return isnan(im) || fabs(im) > fabs(re) ? im : re;
}

/* "NaN", "infinity", "-3.5e+12, beyond 1e+10,". Returns `buf`. */
static char *bad_text(double x, char *buf, size_t bytes) {
  if (isfinite(x))
    snprintf(buf, bytes, "%.9g, beyond %g,", x, GG_BIG);
  else
    snprintf(buf, bytes, "%s", isnan(x) ? "NaN" : "infinity");
  return buf;
}

static int fail_bad(const gg_var *var, const gg_dims *d, const void *data,
                    ptrdiff_t at, const char *step) {
  char what[64], where[4 * TEXT];

  return gg__blame(
      ga__fail(GA_VALUE_ERROR, "%s in %s%s%s",
               bad_text(element_at(var, data, at), what, sizeof what),
               place_text(var, d, (size_t)at, where, sizeof where),
               step != NULL ? ", step " : "", step != NULL ? step : ""),
      var);
}

static int fail_value(const gg__watch *w, unsigned int v, const void *data,
                      ptrdiff_t at, const char *step) {
  return fail_bad(w->u->program.values.v[v].var, &w->host[v].dims, data, at,
                  step);
}

/* Report a value that a guard rejects. If the kernel has several nodes, the
 * host finds the first one with such a value. */
static int guard(gg__watch *w, unsigned int v, const void *data,
                 const char *step) {
  ptrdiff_t at = first_bad(w, v, data);

  if (at < 0)
    return GA_NO_ERROR;
  GA_TRY(gg__watch_compute(w, v));
  for (size_t i = 0; i < w->fresh.n; i++) {
    ptrdiff_t k = first_bad(w, w->fresh.v[i], w->host[w->fresh.v[i]].data);
    if (k >= 0)
      return fail_value(w, w->fresh.v[i], w->host[w->fresh.v[i]].data, k, step);
  }
  return fail_value(w, v, data, at, step);
}

/* Constants are not guarded: they are what the program says they are. */
int gg__watch_leaves(gg__watch *w) {
  const gg__program *p = &w->u->program;

  for (unsigned int v = 0; v < p->values.n; v++) {
    if (p->values.v[v].node != GG_NONE ||
        p->values.v[v].var->kind == GG_VAR_CONST)
      continue;
    ptrdiff_t at = first_bad(w, v, w->host[v].data);
    if (at >= 0)
      return fail_value(w, v, w->host[v].data, at, NULL);
  }
  return GA_NO_ERROR;
}

/* --- inside of loops and choices, whose values are not kept --- */

static int guard_seen(const gg__unit *u, const gg__plan *p, const gg__seen *s) {
  const gg_var *var = u->program.values.v[s->value].var;
  void *data = NULL;
  int err = GA_NO_ERROR;

  if (s->role != GG_SEEN_WRITTEN || !gg__is_smooth(var))
    return GA_NO_ERROR;
  GA_TRY(gg__seen_read(u, p, s, &data));
  ptrdiff_t at = find_bad(u->watch, var, &s->dims, data);
  if (at >= 0)
    err = fail_bad(var, &s->dims, data, at, u->program.steps.v[s->step]->label);
  ga__free(data);
  return err;
}

int gg__guard_step(const gg__unit *u, const gg__plan *p, unsigned int step) {
  if ((u->watch & GG_WATCH_GUARDS) == 0)
    return GA_NO_ERROR;
  for (size_t k = 0; k < p->seen.n; k++)
    if (p->seen.v[k].step == step)
      GA_TRY(guard_seen(u, p, &p->seen.v[k]));
  return GA_NO_ERROR;
}

/* --- comparing --- */

/* The greatest finite magnitude of n elements. */
static double magnitude(int dtype, const void *data, size_t n) {
  const int part = ga__dtype_real(dtype);
  const size_t bytes = ga__dtype_size(part);
  double max = 0;

  n *= parts_of(dtype);
  for (size_t i = 0; data != NULL && i < n; i++) {
    double x = fabs(ga__dtype_to_double(part, (const char *)data + i * bytes));
    if (isfinite(x) && x > max)
      max = x;
  }
  return max;
}

static double magnitude_of(const gg__watch *w, unsigned int v) {
  return magnitude(w->u->program.values.v[v].var->type.dtype, w->host[v].data,
                   gg__dims_size(&w->host[v].dims));
}

static int is_close(double x, double y, double rtol, double atol) {
  if (isnan(x) || isnan(y))
    return isnan(x) && isnan(y);
  if (isinf(x) || isinf(y))
    return x == y;
  return fabs(x - y) <= rtol * fabs(y) + atol;
}

static int has_nan(int part, const char *p, size_t parts) {
  const size_t bytes = ga__dtype_size(part);

  for (size_t k = 0; k < parts; k++)
    if (isnan(ga__dtype_to_double(part, p + k * bytes)))
      return 1;
  return 0;
}

static ptrdiff_t find_difference(int dtype, const void *x, const void *y,
                                 size_t n, double rtol, double atol) {
  const int part = ga__dtype_real(dtype);
  const size_t bytes = ga__dtype_size(part), parts = parts_of(dtype);

  for (size_t i = 0; i < n; i++) {
    const char *const p = (const char *)x + i * parts * bytes,
                      *const q = (const char *)y + i * parts * bytes;
    /* Which part of a complex number is NaN depends on the order of terms. */
    if (parts == 2 && has_nan(part, p, 2) && has_nan(part, q, 2))
      continue;
    /* The parts of a complex number have the error of its size. */
    const double more = parts == 2 ? rtol * magnitude(dtype, q, 1) : 0;
    for (size_t k = 0; k < parts; k++)
      if (!is_close(ga__dtype_to_double(part, p + k * bytes),
                    ga__dtype_to_double(part, q + k * bytes), rtol,
                    atol + more))
        return (ptrdiff_t)i;
  }
  return -1;
}

ptrdiff_t gg__first_difference(int dtype, const void *x, const void *y,
                               size_t n, double rtol) {
  return find_difference(dtype, x, y, n, rtol, rtol * magnitude(dtype, y, n));
}

/* What a rounding error of a node is relative to, other than its result: the
 * magnitude of operands that may cancel. */
static double node_scale(const gg__watch *w, unsigned int v) {
  const gg__program *p = &w->u->program;
  double scale = 0, product = 1;

  if (p->values.v[v].node == GG_NONE)
    return 0; /* a copy of a leaf */
  const gg_apply *a = p->nodes.v[p->values.v[v].node].apply;
  if (a->op->kind == GG_OP_ELEMWISE && a->op != &gg__op_add &&
      a->op != &gg__op_sub)
    return 0;
  for (unsigned int i = 0; i < a->n_in; i++) {
    double x = magnitude_of(w, gg__in(p, a, i));
    scale = x > scale ? x : scale;
    product *= x;
  }
  return a->op->kind == GG_OP_KERNEL && product > scale ? product : scale;
}

/* The same for a kernel with several nodes: the greatest magnitude on the
 * way. */
static double fresh_scale(const gg__watch *w) {
  double scale = 0;

  for (size_t i = 0; i < w->fresh.n; i++) {
    double x = magnitude_of(w, w->fresh.v[i]);
    scale = x > scale ? x : scale;
    x = node_scale(w, w->fresh.v[i]);
    scale = x > scale ? x : scale;
  }
  return scale;
}

/* How far a value may be from the host's: by a share of it, and by a number. */
typedef struct tolerance {
  double rtol, atol;
} tolerance;

static tolerance tolerance_of(const gg__watch *w, unsigned int v) {
  const gg_var *var = w->u->program.values.v[v].var;
  const int dtype = var->type.dtype;
  const int single = (w->u->watch & GG_WATCH_SINGLE) != 0;

  if (!gg__is_smooth(var))
    return (tolerance){0, 0};
  const double rtol =
      ga__dtype_epsilon(dtype) * (ga__dtype_is_narrow(dtype) ? 16
                                  : single                   ? 64
                                                             : 4096);
  return (tolerance){rtol, rtol * (single ? node_scale(w, v) : fresh_scale(w)) +
                               FLT_MIN};
}

static int compare(gg__watch *w, unsigned int v, const void *data,
                   const char *step) {
  const gg_var *var = w->u->program.values.v[v].var;
  const int dtype = var->type.dtype;
  const int single = (w->u->watch & GG_WATCH_SINGLE) != 0;
  char where[4 * TEXT], got[GG_ELEMENT_TEXT], want[GG_ELEMENT_TEXT];

  GA_TRY(gg__watch_compute(w, v));
  if (w->host[v].data == NULL)
    return GA_NO_ERROR;
  if (!gg__is_smooth(var) && !single && w->fresh.n > 1)
    return GA_NO_ERROR; /* earlier rounding may change integers near ties */
  const tolerance t = tolerance_of(w, v);
  ptrdiff_t at =
      find_difference(dtype, data, w->host[v].data,
                      gg__dims_size(&w->host[v].dims), t.rtol, t.atol);
  if (at < 0)
    return GA_NO_ERROR;
  const size_t from = (size_t)at * ga__dtype_size(dtype);
  return gg__blame(
      ga__fail(
          GA_VALUE_ERROR, "%s: the device found %s, the host %s%s%s",
          where_text(w, v, (size_t)at, where, sizeof where),
          gg__element_text(dtype, (const char *)data + from, got),
          gg__element_text(dtype, (const char *)w->host[v].data + from, want),
          ", step ", step),
      var);
}

/* Check that the kernels of the node did not change an input. */
static int check_kept(gg__watch *w, unsigned int v, const void *data,
                      const gg__step *s) {
  const gg_var *var = w->u->program.values.v[v].var;
  const size_t bytes = ga__dtype_size(var->type.dtype);
  const size_t n = gg__dims_size(&w->host[v].dims);
  char where[4 * TEXT];

  GA_TRY(gg__watch_compute(w, v));
  for (size_t i = 0; w->host[v].data != NULL && i < n; i++)
    if (memcmp((const char *)data + i * bytes,
               (const char *)w->host[v].data + i * bytes, bytes) != 0)
      return gg__blame(ga__fail(GA_VALUE_ERROR, "%s changed its input %s",
                                s->label,
                                where_text(w, v, i, where, sizeof where)),
                       s->apply->out[0]);
  return GA_NO_ERROR;
}

/* --- a step --- */

static int check_seen(gg__watch *w, const gg__seen *s, const void *data) {
  const gg__step *step = w->u->program.steps.v[s->step];
  const int compares = (w->u->watch & GG_WATCH_COMPARE) != 0;

  if (s->role == GG_SEEN_READ)
    return GA_NO_ERROR;
  if (s->role == GG_SEEN_KEPT)
    return compares ? check_kept(w, s->value, data, step) : GA_NO_ERROR;
  GA_TRY(guard(w, s->value, data, step->label));
  return compares ? compare(w, s->value, data, step->label) : GA_NO_ERROR;
}

int gg__watch_step(gg__watch *w, unsigned int step) {
  const gg__plan *p = w->plan;
  GA_VEC(void *) data = {0};
  size_t first = 0, n = 0;
  void *x;
  int err = GA_NO_ERROR;

  while (first < p->seen.n && p->seen.v[first].step < step)
    first++;
  for (size_t k = first; k < p->seen.n && p->seen.v[k].step == step; k++, n++) {
    GA_CHECK(gg__seen_read(w->u, p, &p->seen.v[k], &x));
    if (ga__vec_push(&data, x) != GA_NO_ERROR) {
      ga__free(x);
      GA_CHECK(ga__fail_nomem());
    }
    GA_CHECK(check_seen(w, &p->seen.v[k], x));
  }
  for (size_t k = 0; k < n; k++)
    if (p->seen.v[first + k].role == GG_SEEN_WRITTEN) {
      gg__watch_put(w, p->seen.v[first + k].value, data.v[k]);
      data.v[k] = NULL;
    }
done:
  for (size_t k = 0; k < data.n; k++)
    ga__free(data.v[k]);
  ga__vec_clear(&data);
  return err;
}
