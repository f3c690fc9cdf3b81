/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/load_model.h"

#include <gpugraph/save.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "cli/cli.h"

static int ends_in(const char *path, const char *end) {
  const size_t n = strlen(path), k = strlen(end);

  return n >= k && strcmp(path + n - k, end) == 0;
}

int cli_is_model(const char *path) {
  return ends_in(path, ".onnx");
}

int cli_is_graph(const char *path) {
  static const char magic[8] = "\x89ggraph\n";
  char first[8] = "";

  if (ends_in(path, ".gg") || ends_in(path, ".txt") || cli_is_model(path))
    return !cli_is_model(path);
  FILE *f = fopen(path, "rb");
  if (f == NULL)
    return 0;
  const size_t n = fread(first, 1, sizeof first, f);
  fclose(f);
  return n == sizeof first && memcmp(first, magic, sizeof magic) == 0;
}

static int load_model(cli_model *m, const char *path, const char *function,
                      const gg_onnx_options *o) {
  GA_TRY(gg_onnx_open(&m->onnx, path));
  GA_TRY(gg_onnx_load(m->onnx, m->g, o));
  m->spec = (gg_func_spec){.name = function != NULL ? function : "model",
                           .inputs = gg_onnx_inputs(m->onnx),
                           .outputs = gg_onnx_outputs(m->onnx),
                           .flags = GG_ALLOW_UNUSED_INPUT};
  return GA_NO_ERROR;
}

static int load_graph(cli_model *m, const char *path, const char *function,
                      const gg_named_size *sizes) {
  GA_TRY(gg_graph_load_with(m->g, path, &(gg_load_options){.sizes = sizes}));
  const gg_func_spec *f = function != NULL ? gg_graph_func(m->g, function)
                                           : gg_graph_func_at(m->g, 0);
  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "%s has no function%s%s", path,
                    function != NULL ? " " : "",
                    function != NULL ? function : "");
  if (function == NULL && gg_graph_func_at(m->g, 1) != NULL)
    return ga__fail(GA_VALUE_ERROR,
                    "%s has several functions: name one with --function, such "
                    "as %s",
                    path, f->name);
  m->spec = *f;
  return GA_NO_ERROR;
}

int cli_model_load(cli_model *m, gpucontext *ctx, const char *path,
                   int is_graph, const char *function,
                   const gg_onnx_options *o) {
  m->g = gg_graph_new(ctx);
  if (m->g == NULL)
    return ga__fail_nomem();
  return is_graph ? load_graph(m, path, function, o->sizes)
                  : load_model(m, path, function, o);
}

void cli_model_clear(cli_model *m) {
  gg_graph_free(m->g);
  gg_onnx_close(m->onnx);
}

gg_var **cli_results(const gg_func_spec *s) {
  size_t n = 0, k = 0;

  while (s->outputs != NULL && s->outputs[n] != NULL)
    n++;
  while (s->updates != NULL && s->updates[k].shared != NULL)
    k++;
  gg_var **all = ga__calloc(n + k + 1, sizeof *all);
  for (size_t i = 0; all != NULL && i < n; i++)
    all[i] = s->outputs[i];
  for (size_t i = 0; all != NULL && i < k; i++)
    all[n + i] = s->updates[i].value;
  return all;
}
