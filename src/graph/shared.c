/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared variables: values that stay on the device between calls. */
#include <string.h>

#include "base/dtype.h"
#include "graph/graph.h"
#include "ops/value_size.h"

/* --- creating --- */

gg_var *gg__shared_var(gg_graph *g, const char *name, gg__storage *s,
                       const int64_t *dims) {
  gg_type t;

  GA_ASSERT(s->value.data == NULL || GpuArray_IS_C_CONTIGUOUS(&s->value));
  memset(&t, 0, sizeof t);
  t.dtype = s->value.typecode;
  t.nd = s->value.nd;
  t.ctx = GpuArray_context(&s->value);
  for (unsigned int i = 0; i < t.nd; i++)
    t.dims[i] = dims[i];
  gg_var *v = gg__var_new(g, GG_VAR_SHARED, &t, name);
  if (v == NULL)
    gg__storage_release(s);
  else
    v->storage = s;
  return v;
}

/* Fail if the value that the user gave is NULL. */
static int check_given(gg_graph *g, const char *name, const void *value) {
  if (value != NULL)
    return GA_NO_ERROR;
  return gg__fail(g, GA_VALUE_ERROR, "shared %s: the value is NULL",
                  name != NULL ? name : "");
}

/* Record the error of an array call in the graph. */
static int array_failed(gg_graph *g, const char *name, int err) {
  if (err == GA_NO_ERROR)
    return err;
  return gg__fail(g, err, "shared %s: %s", name != NULL ? name : "",
                  ga__err_text(err));
}

static int check_value(gg_graph *g, const char *name, int dtype,
                       unsigned int nd) {
  const ga__kind kind = ga__dtype_kind(dtype);

  if (name == NULL)
    name = "";
  if (kind == GA_KIND_NONE)
    return gg__fail(g, GA_UNSUPPORTED_ERROR,
                    "shared %s: graphs have no dtype %s", name,
                    ga__dtype_name(dtype));
  if (nd > GG_MAX_ND)
    return gg__fail(g, GA_VALUE_ERROR,
                    "shared %s: %u dimensions are more than %d", name, nd,
                    GG_MAX_ND);
  return GA_NO_ERROR;
}

/* Fail unless an array of these sizes may be the value of a variable with sizes
 * `dims`. */
static int check_sizes(gg_graph *g, const char *name, unsigned int nd,
                       const int64_t *dims, const size_t *sizes) {
  for (unsigned int i = 0; i < nd; i++)
    if (dims[i] != GG_ANY && sizes[i] != (size_t)dims[i])
      return gg__fail(
          g, GA_VALUE_ERROR, "shared %s: dim %u: expected %lld, got %zu",
          name != NULL ? name : "", i, (long long)dims[i], sizes[i]);
  return GA_NO_ERROR;
}

/* Start a variable whose first value has these sizes. dims[] is what its type
 * will have; NULL: any sizes. */
static gg__storage *checked_storage(gg_graph *g, const char *name, int dtype,
                                    unsigned int nd, const size_t *sizes,
                                    const int64_t *dims) {
  if (g == NULL || check_value(g, name, dtype, nd) != GA_NO_ERROR ||
      (dims != NULL && check_sizes(g, name, nd, dims, sizes) != GA_NO_ERROR))
    return NULL;
  gg__storage *s = gg__storage_new();
  if (s == NULL)
    gg__fail_nomem(g);
  return s;
}

/* Create the variable of `s`. `err` is the code of setting its value; on an
 * error `s` is released. */
static gg_var *finish(gg_graph *g, const char *name, gg__storage *s,
                      const int64_t *dims, int err) {
  int64_t any[GG_MAX_ND];

  for (unsigned int i = 0; i < GG_MAX_ND; i++)
    any[i] = GG_ANY;
  if (array_failed(g, name, err) == GA_NO_ERROR)
    return gg__shared_var(g, name, s, dims != NULL ? dims : any);
  gg__storage_release(s);
  return NULL;
}

/* The sizes of a first value as those of a type. Ranks that are too large are
 * refused later. */
static const int64_t *fixed(int64_t *dims, unsigned int nd,
                            const size_t *sizes) {
  for (unsigned int i = 0; i < nd && i < GG_MAX_ND && sizes != NULL; i++)
    dims[i] = (int64_t)sizes[i];
  return dims;
}

gg_var *gg_shared(gg_graph *g, const char *name, const GpuArray *value) {
  int64_t dims[GG_MAX_ND];

  return gg_shared_sized(
      g, name, value,
      value != NULL ? fixed(dims, value->nd, value->dimensions) : NULL);
}

gg_var *gg_shared_sized(gg_graph *g, const char *name, const GpuArray *value,
                        const int64_t *dims) {
  if (g != NULL && g->ctx == NULL) {
    gg__fail(g, GA_VALUE_ERROR, "shared %s: the graph has no context",
             name != NULL ? name : "");
    return NULL;
  }
  if (check_given(g, name, value) != GA_NO_ERROR)
    return NULL;
  gg__storage *s = checked_storage(g, name, value->typecode, value->nd,
                                   value->dimensions, dims);
  if (s == NULL)
    return NULL;
  return finish(g, name, s, dims, GpuArray_copy(&s->value, value, GA_C_ORDER));
}

gg_var *gg_shared_host(gg_graph *g, const char *name, int dtype,
                       unsigned int nd, const size_t *sizes,
                       const void *value) {
  int64_t dims[GG_MAX_ND];

  return gg_shared_host_sized(g, name, dtype, nd, sizes, value,
                              fixed(dims, nd, sizes));
}

gg_var *gg_shared_host_sized(gg_graph *g, const char *name, int dtype,
                             unsigned int nd, const size_t *sizes,
                             const void *value, const int64_t *dims) {
  if (sizes == NULL && nd > 0)
    gg__fail(g, GA_VALUE_ERROR, "shared %s: the sizes are NULL",
             name != NULL ? name : "");
  gg__storage *s = sizes != NULL || nd == 0
                       ? checked_storage(g, name, dtype, nd, sizes, dims)
                       : NULL;

  if (s == NULL)
    return NULL;
  dtype = ga__dtype_canon(dtype);
  int err = GpuArray_empty(&s->value, g->ctx, dtype, nd, sizes, GA_C_ORDER);
  if (err == GA_NO_ERROR) {
    size_t bytes = ga__dtype_size(dtype);
    for (unsigned int i = 0; i < nd; i++)
      bytes *= sizes[i];
    err = GpuArray_write(&s->value, value, bytes);
  }
  return finish(g, name, s, dims, err);
}

/* --- values --- */

/* Fail unless `v` is shared. A NULL variable has no graph in which to record
 * the error. */
static int check_shared(const gg_var *v) {
  if (v == NULL)
    return GA_VALUE_ERROR;
  if (v->kind != GG_VAR_SHARED)
    return gg__fail(v->graph, GA_VALUE_ERROR, "'%s' is not a shared variable",
                    v->name);
  return GA_NO_ERROR;
}

static int check_bytes(const gg_var *v, const GpuArray *now, size_t bytes) {
  const size_t want = gg__array_bytes(now);

  if (bytes != want)
    return gg__fail(v->graph, GA_VALUE_ERROR,
                    "shared %s: expected %zu bytes, got %zu", v->name, want,
                    bytes);
  return GA_NO_ERROR;
}

/* Fail unless there is a value. The caller holds the lock. */
static int check_present(const gg_var *v) {
  if (v->storage->value.data == NULL)
    return gg__fail(v->graph, GA_INVALID_ERROR,
                    "shared %s has no value: its graph has no context",
                    v->name);
  return GA_NO_ERROR;
}

int gg_shared_get(const gg_var *v, GpuArray *out) {
  memset(out, 0, sizeof *out);
  GA_TRY(check_shared(v));
  gg__storage_lock(v->storage);
  int err = check_present(v);
  if (err == GA_NO_ERROR)
    err = array_failed(v->graph, v->name,
                       GpuArray_copy(out, &v->storage->value, GA_C_ORDER));
  gg__storage_unlock(v->storage);
  return err;
}

/* The lock covers both the view and the mark: in between, a call could use the
 * memory for a new value. */
static int view_value(const gg_var *v, GpuArray *view, int lends) {
  gg__storage_lock(v->storage);
  int err = check_present(v);
  if (err == GA_NO_ERROR)
    err = array_failed(v->graph, v->name,
                       GpuArray_view(view, &v->storage->value));
  v->storage->lent |= lends && err == GA_NO_ERROR;
  gg__storage_unlock(v->storage);
  return err;
}

int gg__shared_view(const gg_var *v, GpuArray *view) {
  return view_value(v, view, 0);
}

int gg_shared_view(const gg_var *v, GpuArray *out) {
  memset(out, 0, sizeof *out);
  GA_TRY(check_shared(v));
  return view_value(v, out, 1);
}

void gg__shared_dims(const gg_var *v, size_t *dims) {
  gg__storage_lock(v->storage);
  if (v->type.nd != 0)
    memcpy(dims, v->storage->value.dimensions, v->type.nd * sizeof *dims);
  gg__storage_unlock(v->storage);
}

int gg_shared_read(const gg_var *v, void *dst, size_t bytes) {
  GpuArray now = {0};
  int err;

  GA_TRY(check_shared(v));
  GA_CHECK(gg__shared_view(v, &now));
  GA_CHECK(check_bytes(v, &now, bytes));
  GA_CHECK(array_failed(v->graph, v->name, GpuArray_read(dst, bytes, &now)));
done:
  GpuArray_clear(&now);
  return err;
}

/* Write `bytes` bytes, or zeros if src is NULL. The lock is held to the end:
 * if a call replaced the buffer meanwhile, the new value would be lost. */
static int overwrite(gg_var *v, const void *src, size_t bytes) {
  GpuArray *now = &v->storage->value;

  gg__storage_lock(v->storage);
  int err = check_present(v);
  if (err == GA_NO_ERROR && src != NULL)
    err = check_bytes(v, now, bytes);
  if (err == GA_NO_ERROR)
    err = array_failed(v->graph, v->name,
                       src != NULL ? GpuArray_write(now, src, bytes)
                                   : GpuArray_memset(now, 0));
  gg__storage_unlock(v->storage);
  return err;
}

int gg_shared_write(gg_var *v, const void *src, size_t bytes) {
  GA_TRY(check_shared(v));
  if (src == NULL && bytes != 0)
    return gg__fail(v->graph, GA_VALUE_ERROR, "shared %s: the source is NULL",
                    v->name);
  return overwrite(v, src != NULL ? src : "", bytes);
}

int gg_shared_zero(gg_var *v) {
  GA_TRY(check_shared(v));
  return overwrite(v, NULL, 0);
}

/* Fail unless `value` may replace the value of `v`. */
static int check_new_value(const gg_var *v, const GpuArray *value) {
  char here[GG_CONTEXT_TEXT], there[GG_CONTEXT_TEXT];
  const gg_type *t = &v->type;

  GA_TRY(check_given(v->graph, v->name, value));
  if (GpuArray_context(value) != t->ctx)
    return gg__fail(
        v->graph, GA_VALUE_ERROR,
        "shared %s: the array is in another context (%s) than the variable "
        "(%s)",
        v->name, gg_context_text(GpuArray_context(value), there, sizeof there),
        gg_context_text(t->ctx, here, sizeof here));
  if (value->typecode != t->dtype || value->nd != t->nd)
    return gg__fail(v->graph, GA_VALUE_ERROR,
                    "shared %s: expected %s of rank %u, got %s of rank %u",
                    v->name, ga__dtype_name(t->dtype), t->nd,
                    ga__dtype_name(value->typecode), value->nd);
  return check_sizes(v->graph, v->name, t->nd, t->dims, value->dimensions);
}

static int same_sizes(const GpuArray *a, const GpuArray *b) {
  return a->nd == 0 ||
         memcmp(a->dimensions, b->dimensions, a->nd * sizeof(size_t)) == 0;
}

/* Copy `value`: into the present buffer if the sizes are the same, else into a
 * new one. The caller holds the lock. */
static int replace_value(gg__storage *s, const GpuArray *value) {
  GpuArray copy;

  if (same_sizes(&s->value, value))
    return GpuArray_setarray(&s->value, value);
  GA_TRY(GpuArray_copy(&copy, value, GA_C_ORDER));
  GpuArray_clear(&s->value);
  s->value = copy;
  s->version++;
  s->lent = 0;
  return GA_NO_ERROR;
}

/* Use the memory of `value` itself from now on. The caller holds the lock. */
static int use_value(gg__storage *s, const GpuArray *value) {
  GpuArray view;

  GA_TRY(GpuArray_view(&view, value));
  GpuArray_clear(&s->value);
  s->value = view;
  s->version++;
  s->lent = 1;
  return GA_NO_ERROR;
}

static int replace(gg_var *v, const GpuArray *value,
                   int (*by)(gg__storage *s, const GpuArray *value)) {
  gg__storage_lock(v->storage);
  int err = by(v->storage, value);
  gg__storage_unlock(v->storage);
  return array_failed(v->graph, v->name, err);
}

int gg_shared_use(gg_var *v, const GpuArray *value) {
  GA_TRY(check_shared(v));
  GA_TRY(check_new_value(v, value));
  if (!GpuArray_CHKFLAGS(value, GA_CARRAY))
    return gg__fail(v->graph, GA_VALUE_ERROR,
                    "shared %s: the array is not C contiguous and writeable",
                    v->name);
  return replace(v, value, use_value);
}

int gg_shared_set(gg_var *v, const GpuArray *value) {
  GA_TRY(check_shared(v));
  GA_TRY(check_new_value(v, value));
  return replace(v, value, replace_value);
}
