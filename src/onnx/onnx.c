/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens models, and loads them into graphs. */
#include <gpugraph/onnx.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"
#include "onnx/build.h"
#include "onnx/ops/op_table.h"

struct gg_onnx {
  ga__arena arena; /* of the records */
  gg__bytes file;
  int is_mapped;
  gg__onnx_files files;
  char *path, *folder; /* the folder's real path, or NULL */
  gg__onnx_model model;
  gg_onnx_info *in, *out; /* in the arena */
  size_t n_in, n_out;
  ga__arena lists; /* in_vars and out_vars of the last load; end with NULL */
  gg_var **in_vars, **out_vars;
};

static gg_var *const no_vars[1];

/* --- declarations --- */

/* Put the names of tensors into a map. Inputs that have one are weights. */
static int name_tensors(const gg__onnx_graph *g, ga__map *names) {
  for (size_t i = 0; i < g->n_tensors; i++)
    GA_TRY(ga__map_put(names, g->tensors[i].name, strlen(g->tensors[i].name),
                       &g->tensors[i]));
  return GA_NO_ERROR;
}

static void fill_sizes(gg_onnx_info *out, const gg__onnx_shape *s) {
  out->has_shape = 1;
  out->nd = (unsigned int)s->nd;
  for (size_t i = 0; i < s->nd; i++) {
    const gg__onnx_dim *d = &s->dims[i];

    out->dims[i] = d->value < 0 ? GG_ANY : d->value;
    out->size_names[i] = d->name != NULL && d->name[0] != 0 ? d->name : NULL;
  }
}

static int fill_info(gg_onnx_info *out, const gg__onnx_info *in) {
  const gg__onnx_tensor_type *t = in->type.tensor;

  *out = (gg_onnx_info){.name = in->name, .type_name = "", .dtype = -1};
  if (t == NULL)
    return GA_NO_ERROR;
  out->type_name = gg__onnx_type_name(t->elem);
  out->dtype = gg__onnx_dtype(t->elem);
  if (t->shape == NULL)
    return GA_NO_ERROR;
  if (t->shape->nd > GG_MAX_ND)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "\"%s\" has %zu dimensions, at most %d are supported",
                    in->name, t->shape->nd, GG_MAX_ND);
  fill_sizes(out, t->shape);
  return GA_NO_ERROR;
}

static int fill_inputs(gg_onnx *m) {
  const gg__onnx_graph *g = &m->model.graph;
  ga__map names = GA_MAP_INIT;
  int err = name_tensors(g, &names);

  for (size_t i = 0; err == GA_NO_ERROR && i < g->n_in; i++)
    if (ga__map_get(&names, g->in[i].name, strlen(g->in[i].name)) == NULL)
      err = fill_info(&m->in[m->n_in++], &g->in[i]);
  ga__map_clear(&names);
  return err;
}

static int fill_infos(gg_onnx *m) {
  const gg__onnx_graph *g = &m->model.graph;

  m->in = ga__arena_alloc(&m->arena, (g->n_in + 1) * sizeof *m->in);
  m->out = ga__arena_alloc(&m->arena, (g->n_out + 1) * sizeof *m->out);
  if (m->in == NULL || m->out == NULL)
    return ga__fail_nomem();
  GA_TRY(fill_inputs(m));
  for (size_t i = 0; i < g->n_out; i++)
    GA_TRY(fill_info(&m->out[m->n_out++], &g->out[i]));
  return GA_NO_ERROR;
}

size_t gg_onnx_n_inputs(const gg_onnx *m) {
  return m != NULL ? m->n_in : 0;
}

size_t gg_onnx_n_outputs(const gg_onnx *m) {
  return m != NULL ? m->n_out : 0;
}

const gg_onnx_info *gg_onnx_input(const gg_onnx *m, size_t i) {
  return i < gg_onnx_n_inputs(m) ? &m->in[i] : NULL;
}

const gg_onnx_info *gg_onnx_output(const gg_onnx *m, size_t i) {
  return i < gg_onnx_n_outputs(m) ? &m->out[i] : NULL;
}

static size_t bytes_of(const gg__onnx_graph *g) {
  size_t sum = 0;

  for (size_t i = 0; i < g->n_tensors; i++) {
    const size_t n = gg__onnx_tensor_bytes(&g->tensors[i]);
    sum = n > SIZE_MAX - sum ? SIZE_MAX : sum + n;
  }
  return sum;
}

gg_onnx_summary gg_onnx_describe(const gg_onnx *m) {
  if (m == NULL)
    return (gg_onnx_summary){.producer = ""};
  const gg__onnx_model *d = &m->model;

  return (gg_onnx_summary){.ir_version = d->ir_version,
                           .opset =
                               gg__onnx_version(d->opsets, d->n_opsets, ""),
                           .producer = d->producer,
                           .nodes = d->graph.n_nodes,
                           .tensors = d->graph.n_tensors,
                           .functions = d->n_functions,
                           .tensor_bytes = bytes_of(&d->graph)};
}

/* --- opening --- */

static int check_versions(const gg_onnx *m) {
  const gg_onnx_summary s = gg_onnx_describe(m);

  if (s.ir_version <= 0)
    return ga__fail(GA_VALUE_ERROR, "this is no model: it has no version");
  if (s.ir_version > GG_ONNX_NEWEST_IR)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "version %lld of the format is later than %d, which this "
                    "library knows",
                    (long long)s.ir_version, GG_ONNX_NEWEST_IR);
  if (s.opset > GG_ONNX_NEWEST)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "opset %lld is later than %d, which this library knows",
                    (long long)s.opset, GG_ONNX_NEWEST);
  return GA_NO_ERROR;
}

/* ONNX's own domain has two names: replace "ai.onnx" by "". */
static void name_opsets(gg__onnx_opset *opsets, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(opsets[i].domain, "ai.onnx") == 0)
      opsets[i].domain = "";
}

static int read_model(gg_onnx *m) {
  GA_TRY(gg__onnx_read(&m->model, &m->arena, m->file));
  name_opsets(m->model.opsets, m->model.n_opsets);
  for (size_t i = 0; i < m->model.n_functions; i++)
    name_opsets(m->model.functions[i].opsets, m->model.functions[i].n_opsets);
  GA_TRY(check_versions(m));
  return fill_infos(m);
}

/* Prefix the last message with the path. Those of GA_SYS_ERROR have a path. */
static int name_error(const char *path, int err) {
  ga__strb text = GA_STRB_INIT;

  if (err == GA_NO_ERROR || err == GA_SYS_ERROR || err == GA_MEMORY_ERROR)
    return err;
  ga__strb_appendf(&text, "%s: %s", path, ga__err_text(err));
  return ga__strb_fail(&text, err);
}

static int make(gg_onnx **out, const char *path) {
  gg_onnx *m = ga__calloc(1, sizeof *m);

  *out = m;
  if (m == NULL || (m->path = ga__strdup(path)) == NULL)
    return ga__fail_nomem();
  m->files.arena = &m->arena;
  return GA_NO_ERROR;
}

static int set_folder(gg_onnx *m, const char *folder) {
  m->folder = realpath(folder, NULL);
  if (m->folder == NULL)
    return ga__fail(GA_SYS_ERROR, "cannot find the folder %s", folder);
  m->files.folder = m->folder;
  return GA_NO_ERROR;
}

/* Set the folder to that of the model's file. */
static int find_folder(gg_onnx *m) {
  const char *slash = strrchr(m->path, '/');
  char *folder;

  if (slash == NULL)
    return set_folder(m, ".");
  folder = ga__strdup(m->path);
  if (folder == NULL)
    return ga__fail_nomem();
  folder[slash == m->path ? 1 : slash - m->path] = 0;
  int err = set_folder(m, folder);
  ga__free(folder);
  return err;
}

/* Return the model in *out, or free it on error. */
static int finish(gg_onnx **out, gg_onnx *m, int err) {
  *out = m;
  if (err == GA_NO_ERROR)
    return err;
  err = name_error(m == NULL || m->path == NULL ? "" : m->path, err);
  gg_onnx_close(m);
  *out = NULL;
  return err;
}

int gg_onnx_open(gg_onnx **out, const char *path) {
  gg_onnx *m = NULL;
  int err;

  *out = NULL;
  if (path == NULL)
    return ga__fail(GA_VALUE_ERROR, "the path is NULL");
  GA_CHECK(make(&m, path));
  GA_CHECK(find_folder(m));
  GA_CHECK(gg__mapped_open(&m->file, path));
  m->is_mapped = 1;
  err = read_model(m);
done:
  return finish(out, m, err);
}

int gg_onnx_open_memory(gg_onnx **out, const void *bytes, size_t n,
                        const char *folder) {
  gg_onnx *m = NULL;
  int err;

  *out = NULL;
  if (bytes == NULL)
    return ga__fail(GA_VALUE_ERROR, "the memory is NULL");
  GA_CHECK(make(&m, "model"));
  if (folder != NULL)
    GA_CHECK(set_folder(m, folder));
  m->file = (gg__bytes){bytes, n};
  err = read_model(m);
done:
  return finish(out, m, err);
}

void gg_onnx_close(gg_onnx *m) {
  if (m == NULL)
    return;
  gg__onnx_files_clear(&m->files);
  if (m->is_mapped)
    gg__mapped_close(&m->file);
  ga__arena_clear(&m->arena);
  ga__arena_clear(&m->lists);
  free(m->folder);
  ga__free(m->path);
  ga__free(m);
}

gg_var *const *gg_onnx_inputs(const gg_onnx *m) {
  return m != NULL && m->in_vars != NULL ? m->in_vars : no_vars;
}

gg_var *const *gg_onnx_outputs(const gg_onnx *m) {
  return m != NULL && m->out_vars != NULL ? m->out_vars : no_vars;
}

/* --- inputs --- */

static const gg_onnx_fixed *find_fixed(const gg_onnx_options *o,
                                       const char *name) {
  const gg_onnx_fixed *f = o == NULL ? NULL : o->fixed;

  for (; f != NULL && f->name != NULL; f++)
    if (strcmp(f->name, name) == 0)
      return f;
  return NULL;
}

/* The size that the options give for a name, or GG_ANY. `name` may be NULL. */
static int64_t find_size(const gg_onnx_options *o, const char *name) {
  const gg_named_size *s = o == NULL ? NULL : o->sizes;

  for (; name != NULL && s != NULL && s->name != NULL; s++)
    if (strcmp(s->name, name) == 0)
      return s->size;
  return GG_ANY;
}

/* The size that an axis of an input is declared or set to have, or GG_ANY. */
static int64_t wanted(const gg_onnx_info *d, const gg_onnx_options *o,
                      unsigned int i) {
  return d->dims[i] != GG_ANY ? d->dims[i] : find_size(o, d->size_names[i]);
}

static int check_fixed(const gg_onnx_info *d, const gg_onnx_options *o,
                       const gg_host_array *a) {
  if (a == NULL || a->dtype != d->dtype || (d->has_shape && a->nd != d->nd))
    return ga__fail(GA_VALUE_ERROR,
                    "the value for \"%s\" has dtype %s and %u dimensions, "
                    "expected %s and %u",
                    d->name, a == NULL ? "?" : ga__dtype_name(a->dtype),
                    a == NULL ? 0 : a->nd, ga__dtype_name(d->dtype), d->nd);
  for (unsigned int i = 0; d->has_shape && i < d->nd; i++)
    if (wanted(d, o, i) != GG_ANY && a->dims[i] != (size_t)wanted(d, o, i))
      return ga__fail(GA_VALUE_ERROR,
                      "dim %u of the value for \"%s\" is %zu, expected %lld", i,
                      d->name, a->dims[i], (long long)wanted(d, o, i));
  return GA_NO_ERROR;
}

static int make_input(gg_graph *g, const gg_onnx_info *d,
                      const gg_onnx_options *o, gg_var **out) {
  const gg_onnx_fixed *f = find_fixed(o, d->name);
  int64_t dims[GG_MAX_ND];

  if (d->dtype < 0)
    return ga__fail(GA_UNSUPPORTED_ERROR, "input \"%s\" %s%s", d->name,
                    d->type_name[0] == 0 ? "is no tensor" : "has type ",
                    d->type_name);
  if (f != NULL) {
    GA_TRY(check_fixed(d, o, f->value));
    *out =
        gg_constant(g, d->dtype, f->value->nd, f->value->dims, f->value->data);
    return gg_graph_status(g);
  }
  if (!d->has_shape)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "the number of dimensions of input \"%s\" is not known",
                    d->name);
  for (unsigned int i = 0; i < d->nd; i++)
    dims[i] = wanted(d, o, i);
  *out = gg_input_sized(g, d->name, d->dtype, d->nd, dims);
  for (unsigned int i = 0; i < d->nd; i++)
    if (dims[i] == GG_ANY)
      gg_size_named(*out, i, d->size_names[i]);
  return gg_graph_status(g);
}

static int add_inputs(gg_onnx *m, gg__onnx_build *b, gg__onnx_scope *s,
                      const gg_onnx_options *o) {
  gg__onnx_value *v;
  size_t n = 0;

  for (size_t i = 0; i < m->n_in; i++) {
    gg_var *x = NULL;
    int err = make_input(b->g, &m->in[i], o, &x);

    if (err != GA_NO_ERROR)
      GA_TRY(gg__build_problem(b, NULL, 0, err));
    GA_TRY(gg__build_add(b, s, m->in[i].name, x, &v));
    if (v != NULL)
      v->failed = err != GA_NO_ERROR;
    if (find_fixed(o, m->in[i].name) == NULL)
      m->in_vars[n++] = x;
  }
  return GA_NO_ERROR;
}

static int has_size(const gg_onnx_info *list, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    for (unsigned int k = 0; k < list[i].nd; k++)
      if (list[i].size_names[k] != NULL &&
          strcmp(list[i].size_names[k], name) == 0)
        return 1;
  return 0;
}

/* Check that the model has all names that the options list. */
static int check_options(const gg_onnx *m, const gg_onnx_options *o) {
  const gg_onnx_fixed *f = o == NULL ? NULL : o->fixed;
  const gg_named_size *s = o == NULL ? NULL : o->sizes;

  for (; s != NULL && s->name != NULL; s++)
    if (!has_size(m->in, m->n_in, s->name) &&
        !has_size(m->out, m->n_out, s->name))
      return ga__fail(GA_VALUE_ERROR, "%s: no size has the name \"%s\"",
                      m->path, s->name);
  for (; f != NULL && f->name != NULL; f++) {
    size_t i = 0;

    while (i < m->n_in && strcmp(m->in[i].name, f->name) != 0)
      i++;
    if (i == m->n_in)
      return ga__fail(GA_VALUE_ERROR, "%s: no input has the name \"%s\"",
                      m->path, f->name);
  }
  return GA_NO_ERROR;
}

/* --- outputs --- */

static int add_output(gg__onnx_build *b, const gg__onnx_scope *s,
                      const gg_onnx_info *d, gg_var **out) {
  gg__onnx_value *v = gg__scope_find(s, d->name);

  if (v == NULL)
    return ga__fail(GA_VALUE_ERROR, "output \"%s\" is not computed", d->name);
  if (v->failed)
    return GA_NO_ERROR;
  GA_TRY(gg__value_need(b, v, out));
  if (gg_var_name(*out)[0] == '\0') /* no input, weight or earlier output */
    gg_named(*out, d->name);
  if (d->dtype >= 0 && gg_var_type(*out)->dtype != d->dtype)
    return ga__fail(
        GA_VALUE_ERROR, "output \"%s\" has dtype %s, declared is %s", d->name,
        ga__dtype_name(gg_var_type(*out)->dtype), ga__dtype_name(d->dtype));
  return GA_NO_ERROR;
}

static int add_outputs(gg_onnx *m, gg__onnx_build *b, const gg__onnx_scope *s) {
  for (size_t i = 0; i < m->n_out; i++) {
    int err = add_output(b, s, &m->out[i], &m->out_vars[i]);

    if (err != GA_NO_ERROR)
      GA_TRY(gg__build_problem(b, NULL, 0, err));
  }
  return GA_NO_ERROR;
}

/* --- building --- */

static int make_lists(gg_onnx *m) {
  ga__arena_clear(&m->lists);
  m->in_vars = ga__arena_alloc(&m->lists, (m->n_in + 1) * sizeof(gg_var *));
  m->out_vars = ga__arena_alloc(&m->lists, (m->n_out + 1) * sizeof(gg_var *));
  if (m->in_vars != NULL && m->out_vars != NULL)
    return GA_NO_ERROR;
  m->in_vars = m->out_vars = NULL;
  return ga__fail_nomem();
}

static int build_parts(gg_onnx *m, gg__onnx_build *b, gg__onnx_scope *s,
                       const gg_onnx_options *o) {
  const gg__onnx_graph *graph = &m->model.graph;

  GA_TRY(add_inputs(m, b, s, o));
  GA_TRY(gg__build_tensors(b, s, graph));
  GA_TRY(gg__build_nodes(b, s, graph->nodes, graph->n_nodes));
  return add_outputs(m, b, s);
}

/* Fail with all problems as one message, if there are any. */
static int report(gg_onnx *m, gg__onnx_build *b) {
  ga__strb text = GA_STRB_INIT;

  if (b->n_problems == 0)
    return GA_NO_ERROR;
  ga__strb_appendf(&text, "%s: %zu problem%s:%s", m->path, b->n_problems,
                   b->n_problems == 1 ? "" : "s", ga__strb_text(&b->problems));
  return ga__strb_fail(&text, b->code);
}

static int build(gg_onnx *m, gg_graph *g, int dry, const gg_onnx_options *o) {
  ga__arena arena = GA_ARENA_INIT;
  gg__onnx_scope s = {.opsets = m->model.opsets, .n_opsets = m->model.n_opsets};
  gg__onnx_build b = {.g = g,
                      .arena = &arena,
                      .files = &m->files,
                      .model = &m->model,
                      .path = m->path,
                      .dry = dry,
                      .left = GG_ONNX_MOST_NODES,
                      .most_vars = gg_graph_size(g) + GG_ONNX_MOST_VARS,
                      .functions = GA_MAP_INIT,
                      .key = GA_STRB_INIT,
                      .problems = GA_STRB_INIT,
                      .subgraph = gg__build_inner};
  int err = make_lists(m);

  if (err == GA_NO_ERROR)
    err = check_options(m, o);
  if (err == GA_NO_ERROR)
    err = gg__build_functions(&b);
  if (err == GA_NO_ERROR)
    err = build_parts(m, &b, &s, o);
  if (err == GA_NO_ERROR)
    err = report(m, &b);
  if (err != GA_NO_ERROR || dry)
    m->in_vars = m->out_vars = NULL;
  gg_random_free(b.random);
  ga__strb_clear(&b.problems);
  ga__strb_clear(&b.key);
  ga__map_clear(&b.functions);
  gg__scope_clear(&s);
  ga__arena_clear(&arena);
  return err;
}

int gg_onnx_check(gg_onnx *m, gpucontext *ctx, const gg_onnx_options *o) {
  if (m == NULL)
    return ga__fail(GA_VALUE_ERROR, "the model is NULL");
  gg_graph *g = gg_graph_new(ctx);
  if (g == NULL)
    return ga__fail_nomem();
  int err = build(m, g, 1, o);
  gg_graph_free(g);
  return err;
}

int gg_onnx_load(gg_onnx *m, gg_graph *g, const gg_onnx_options *o) {
  if (m == NULL || g == NULL)
    return ga__fail(GA_VALUE_ERROR, "the %s is NULL",
                    m == NULL ? "model" : "graph");
  GA_TRY(gg_graph_status(g));
  GA_TRY(gg_onnx_check(m, gg_graph_context(g), o));
  return build(m, g, 0, o);
}
