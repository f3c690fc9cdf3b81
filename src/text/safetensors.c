/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of shared variables to and from safetensors files. */
#include <gpuarray/stream.h>
#include <gpugraph/save.h>
#include <string.h>

#include "base/dtype.h"
#include "base/file.h"
#include "base/map.h"
#include "graph/graph.h"
#include "text/json.h"
#include "text/safetensors_header.h"
#include "text/saved.h"

/* --- checks --- */

static int check_host(gg_graph *g) {
  return gg__saved_host_order() == GG_SAVED_LITTLE
             ? GA_NO_ERROR
             : gg__fail(g, GA_UNSUPPORTED_ERROR,
                        "safetensors: this host has another order of bytes");
}

static int check_name(const gg_var *v, ga__map *names) {
  const size_t n = strlen(v->name);

  if (n == 0 || strcmp(v->name, "__metadata__") == 0 ||
      !gg__is_utf8(v->name, n) || ga__map_get(names, v->name, n) != NULL)
    return gg__fail(v->graph, GA_VALUE_ERROR,
                    "safetensors: \"%s\" cannot be the name of a tensor%s",
                    v->name,
                    n != 0 && ga__map_get(names, v->name, n) != NULL
                        ? ": two variables have it"
                        : "");
  return gg__fail_err(v->graph,
                      ga__map_put(names, v->name, n, (void *)(uintptr_t)v));
}

static int check_var(gg_graph *g, gg_var *v, size_t i, ga__map *names) {
  if (gg__is_missing(v) || v->graph != g || v->kind != GG_VAR_SHARED)
    return gg__fail(g, GA_VALUE_ERROR,
                    "safetensors: variable %zu is no shared variable of the "
                    "graph",
                    i);
  return check_name(v, names);
}

/* Check a list of shared variables. *g gets their graph. */
static int check_list(gg_graph **g, gg_var *const *vars, const char *path) {
  ga__map names = GA_MAP_INIT;
  int err;

  if (vars == NULL || path == NULL || gg__is_missing(vars[0]))
    return ga__fail(GA_VALUE_ERROR, "safetensors: there is no %s",
                    path == NULL ? "path" : "variable");
  *g = vars[0]->graph;
  err = gg_graph_status(*g);
  if (err == GA_NO_ERROR)
    err = check_host(*g);
  for (size_t i = 0; err == GA_NO_ERROR && vars[i] != NULL; i++)
    err = check_var(*g, vars[i], i, &names);
  ga__map_clear(&names);
  return err;
}

/* --- writing --- */

/* A variable and a view of its value. */
typedef struct source {
  const gg_var *var;
  GpuArray now;
} source;

typedef struct saver {
  ga__newfile file;
  GA_VEC(source) sources; /* wide elements first, so that all are aligned */
  ga__strb header;
} saver;

static int view_all(saver *s, gg_var *const *vars) {
  for (size_t width = 16; width != 0; width /= 2)
    for (size_t i = 0; vars[i] != NULL; i++) {
      source x = {.var = vars[i]};

      if (ga__dtype_size(vars[i]->type.dtype) != width)
        continue;
      GA_TRY(gg__shared_view(vars[i], &x.now));
      if (ga__vec_push(&s->sources, x) != GA_NO_ERROR) {
        GpuArray_clear(&x.now);
        return gg__fail_nomem(vars[i]->graph);
      }
    }
  return GA_NO_ERROR;
}

static int put_source(saver *s, const source *x, uint64_t *at) {
  const char *word = gg__safetensors_word(x->var->type.dtype);
  uint64_t bytes = ga__dtype_size(x->var->type.dtype);

  if (word == NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "safetensors: \"%s\" is %s, which files cannot have",
                    x->var->name, ga__dtype_name(x->var->type.dtype));
  ga__strb_append(&s->header, *at == 0 && s->header.n == 1 ? "" : ",");
  gg__json_put_text(&s->header, x->var->name);
  ga__strb_appendf(&s->header, ":{\"dtype\":\"%s\",\"shape\":[", word);
  for (unsigned int i = 0; i < x->now.nd; i++) {
    ga__strb_appendf(&s->header, "%s%zu", i == 0 ? "" : ",",
                     x->now.dimensions[i]);
    bytes *= x->now.dimensions[i];
  }
  ga__strb_appendf(&s->header, "],\"data_offsets\":[%llu,%llu]}",
                   (unsigned long long)*at, (unsigned long long)*at + bytes);
  *at += bytes;
  return s->header.err;
}

static int make_header(saver *s) {
  uint64_t at = 0;

  ga__strb_append(&s->header, "{");
  for (size_t i = 0; i < s->sources.n; i++)
    GA_TRY(put_source(s, &s->sources.v[i], &at));
  ga__strb_append(&s->header, "}");
  while (s->header.err == GA_NO_ERROR && s->header.n % 8 != 0)
    ga__strb_append(&s->header, " ");
  GA_TRY(s->header.err);
  return s->header.n <= GG_SAFETENSORS_MOST
             ? GA_NO_ERROR
             : ga__fail(GA_XLARGE_ERROR,
                        "safetensors: the header has %zu bytes, %u are allowed",
                        s->header.n, GG_SAFETENSORS_MOST);
}

static int write_piece(void *arg, const void *p, size_t n) {
  return ga__newfile_write(arg, p, n);
}

static int write_all(saver *s) {
  unsigned char length[8];

  for (int i = 0; i < 8; i++)
    length[i] = (unsigned char)((uint64_t)s->header.n >> 8 * i);
  GA_TRY(ga__newfile_write(&s->file, length, sizeof length));
  GA_TRY(ga__newfile_write(&s->file, s->header.s, s->header.n));
  for (size_t i = 0; i < s->sources.n; i++)
    GA_TRY(GpuArray_stream_out(&s->sources.v[i].now, write_piece, &s->file));
  return GA_NO_ERROR;
}

static int save(saver *s, gg_var *const *vars, const char *path) {
  GA_TRY(view_all(s, vars));
  GA_TRY(make_header(s));
  GA_TRY(ga__newfile_open(&s->file, path, 0));
  int err = write_all(s);
  int closed = ga__newfile_close(&s->file, err == GA_NO_ERROR);
  return err != GA_NO_ERROR ? err : closed;
}

int gg_safetensors_save(gg_var *const *vars, const char *path) {
  saver s = {.file = GA_NEWFILE_INIT};
  gg_graph *g;

  GA_TRY(check_list(&g, vars, path));
  int err = gg__fail_apart(g, save(&s, vars, path));
  for (size_t i = 0; i < s.sources.n; i++)
    GpuArray_clear(&s.sources.v[i].now);
  ga__vec_clear(&s.sources);
  ga__strb_clear(&s.header);
  return err;
}

/* --- reading --- */

typedef struct loader {
  gg_graph *g;
  const char *path;
  const unsigned char *bytes;
  size_t n;
  ga__arena arena;
  gg__safetensors list;
} loader;

/* Kernels rely on bools being 0 or 1. */
static int check_elements(const loader *l, const gg__safetensor *t) {
  for (uint64_t i = t->begin; t->dtype == GA_BOOL && i < t->end; i++)
    if (l->bytes[i] > 1)
      return ga__fail(GA_VALUE_ERROR, "tensor \"%s\": %d is no bool", t->name,
                      l->bytes[i]);
  return GA_NO_ERROR;
}

static int open_file(loader *l) {
  GA_TRY(ga__file_map(l->path, &l->bytes, &l->n));
  int err = gg__safetensors_read(&l->list, &l->arena, l->bytes, l->n);
  if (err == GA_NO_ERROR)
    return GA_NO_ERROR;
  ga__strb text = GA_STRB_INIT;
  ga__strb_appendf(&text, "%s: %s", l->path, ga__err_text(err));
  return ga__strb_fail(&text, err);
}

static int close_file(loader *l, int err) {
  ga__file_unmap(l->bytes, l->n);
  ga__arena_clear(&l->arena);
  ga__vec_clear(&l->list);
  return gg__fail_err(l->g, err);
}

static int check_array(const loader *l, const gg__safetensor *t) {
  if (t->dtype < 0)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "%s: tensor \"%s\": elements of type %.40s", l->path,
                    t->name, t->type);
  if (t->nd > GG_MAX_ND)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "%s: tensor \"%s\" has %u dimensions, at most %d are "
                    "supported",
                    l->path, t->name, t->nd, GG_MAX_ND);
  return check_elements(l, t);
}

/* Check that a variable can have the value of a tensor. */
static int check_fit(const loader *l, const gg_var *v,
                     const gg__safetensor *t) {
  char want[160], got[160];
  gg_type type = {.dtype = t->dtype, .nd = t->nd};
  int fits = t->dtype == v->type.dtype && t->nd == v->type.nd;

  GA_TRY(check_array(l, t));
  for (unsigned int i = 0; i < t->nd; i++) {
    type.dims[i] = (int64_t)t->dims[i];
    fits =
        fits && (v->type.dims[i] == GG_ANY || v->type.dims[i] == type.dims[i]);
  }
  return fits ? GA_NO_ERROR
              : ga__fail(GA_VALUE_ERROR, "%s: tensor \"%s\" is %s, expected %s",
                         l->path, t->name, gg_type_text(&type, got, sizeof got),
                         gg_type_text(&v->type, want, sizeof want));
}

/* Set found[i] to the tensor of vars[i]. */
static int find_all(const loader *l, gg_var *const *vars,
                    const gg__safetensor **found) {
  ga__map names = GA_MAP_INIT;
  int err = GA_NO_ERROR;

  for (size_t i = 0; err == GA_NO_ERROR && i < l->list.n; i++)
    err = ga__map_put(&names, l->list.v[i].name, strlen(l->list.v[i].name),
                      &l->list.v[i]);
  for (size_t i = 0; err == GA_NO_ERROR && vars[i] != NULL; i++) {
    found[i] = ga__map_get(&names, vars[i]->name, strlen(vars[i]->name));
    err = found[i] != NULL ? check_fit(l, vars[i], found[i])
                           : ga__fail(GA_VALUE_ERROR, "%s has no tensor \"%s\"",
                                      l->path, vars[i]->name);
  }
  ga__map_clear(&names);
  return err;
}

/* Give v other sizes than it has now. */
static int replace(const loader *l, gg_var *v, const gg__safetensor *t) {
  GpuArray a = {0};
  int err;

  GA_CHECK(
      GpuArray_empty(&a, v->type.ctx, t->dtype, t->nd, t->dims, GA_C_ORDER));
  GA_CHECK(
      GpuArray_write(&a, l->bytes + t->begin, (size_t)(t->end - t->begin)));
  GA_CHECK(gg_shared_set(v, &a));
done:
  GpuArray_clear(&a);
  return err;
}

static int set_value(const loader *l, gg_var *v, const gg__safetensor *t) {
  size_t dims[GG_MAX_ND];

  gg__shared_dims(v, dims);
  if (t->nd == 0 || memcmp(dims, t->dims, t->nd * sizeof *dims) == 0)
    return gg_shared_write(v, l->bytes + t->begin, (size_t)(t->end - t->begin));
  return replace(l, v, t);
}

static int load(loader *l, gg_var *const *vars) {
  size_t n = 0;

  while (vars[n] != NULL)
    n++;
  const gg__safetensor **found = ga__arena_alloc(&l->arena, n * sizeof *found);
  if (found == NULL)
    return ga__fail_nomem();
  GA_TRY(open_file(l));
  GA_TRY(find_all(l, vars, found));
  for (size_t i = 0; i < n; i++)
    GA_TRY(set_value(l, vars[i], found[i]));
  return GA_NO_ERROR;
}

int gg_safetensors_load(gg_var *const *vars, const char *path) {
  loader l = {.path = path};

  GA_TRY(check_list(&l.g, vars, path));
  return gg__fail_apart(l.g, close_file(&l, load(&l, vars)));
}

/* --- new variables --- */

static int check_new(const loader *l) {
  for (size_t i = 0; i < l->list.n; i++) {
    const gg__safetensor *t = &l->list.v[i];

    GA_TRY(check_array(l, t));
    if (t->name[0] == '\0')
      return ga__fail(GA_VALUE_ERROR, "%s: a tensor has no name", l->path);
    if (gg_graph_find(l->g, t->name) != NULL)
      return ga__fail(GA_VALUE_ERROR, "%s: the graph has a variable \"%s\"",
                      l->path, t->name);
  }
  return GA_NO_ERROR;
}

static int add(loader *l) {
  GA_TRY(open_file(l));
  GA_TRY(check_new(l));
  for (size_t i = 0; i < l->list.n; i++) {
    const gg__safetensor *t = &l->list.v[i];

    if (gg_shared_host(l->g, t->name, t->dtype, t->nd, t->dims,
                       l->bytes + t->begin) == NULL)
      return gg_graph_status(l->g);
  }
  return GA_NO_ERROR;
}

int gg_safetensors_add(gg_graph *g, const char *path) {
  loader l = {.g = g, .path = path};

  if (g == NULL || path == NULL)
    return ga__fail(GA_VALUE_ERROR, "gg_safetensors_add: the %s is NULL",
                    g == NULL ? "graph" : "path");
  GA_TRY(gg_graph_status(g));
  GA_TRY(check_host(g));
  if (g->ctx == NULL)
    return gg__fail(g, GA_VALUE_ERROR,
                    "gg_safetensors_add: the graph has no context");
  return close_file(&l, add(&l));
}
