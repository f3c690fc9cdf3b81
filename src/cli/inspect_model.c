/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph inspect: print what a model in the ONNX format declares, and whether
 * it can be built. Needs no device. */
#include <gpugraph/onnx.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "cli/cli.h"
#include "cli/cli_json.h"

static void print_value(const char *kind, const gg_onnx_info *v) {
  printf("  %s \"%s\": %s", kind, v->name,
         v->type_name[0] == 0 ? "no tensor" : v->type_name);
  if (!v->has_shape) {
    printf(v->type_name[0] == 0 ? "\n" : ", sizes unknown\n");
    return;
  }
  printf("[");
  for (unsigned int i = 0; i < v->nd; i++) {
    printf("%s", i == 0 ? "" : ", ");
    if (v->dims[i] != GG_ANY)
      printf("%" PRId64, v->dims[i]);
    else
      printf("%s", v->size_names[i] == NULL ? "?" : v->size_names[i]);
  }
  printf("]\n");
}

static void print_model(const gg_onnx *m, const char *path) {
  const gg_onnx_summary s = gg_onnx_describe(m);
  const gg_onnx_info *v;

  printf("%s: version %" PRId64 " of the format, opset %" PRId64 "%s%s\n", path,
         s.ir_version, s.opset, s.producer[0] == 0 ? "" : ", made by ",
         s.producer);
  printf("  %zu nodes, %zu tensors, %zu functions\n", s.nodes, s.tensors,
         s.functions);
  for (size_t i = 0; (v = gg_onnx_input(m, i)) != NULL; i++)
    print_value("input", v);
  for (size_t i = 0; (v = gg_onnx_output(m, i)) != NULL; i++)
    print_value("output", v);
}

static void write_value(cli_json *j, const gg_onnx_info *v) {
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "name", v->name);
  cli_json_text(j, "type", v->type_name);
  if (v->has_shape)
    cli_json_open(j, "sizes", '[');
  for (unsigned int i = 0; v->has_shape && i < v->nd; i++) {
    if (v->dims[i] != GG_ANY)
      cli_json_count(j, NULL, (uint64_t)v->dims[i]);
    else
      cli_json_text(j, NULL, v->size_names[i] == NULL ? "?" : v->size_names[i]);
  }
  if (v->has_shape)
    cli_json_close(j, ']');
  cli_json_close(j, '}');
}

static void write_values(cli_json *j, const char *name, const gg_onnx *m,
                         const gg_onnx_info *(*at)(const gg_onnx *, size_t)) {
  const gg_onnx_info *v;

  cli_json_open(j, name, '[');
  for (size_t i = 0; (v = at(m, i)) != NULL; i++)
    write_value(j, v);
  cli_json_close(j, ']');
}

static void write_model(const gg_onnx *m, const char *path, int err) {
  const gg_onnx_summary s = gg_onnx_describe(m);
  cli_json j = {stdout, 0, 0};

  cli_json_open(&j, NULL, '{');
  cli_json_text(&j, "model", path);
  cli_json_count(&j, "format", (uint64_t)s.ir_version);
  cli_json_count(&j, "opset", (uint64_t)s.opset);
  cli_json_text(&j, "producer", s.producer);
  cli_json_count(&j, "nodes", s.nodes);
  cli_json_count(&j, "tensors", s.tensors);
  cli_json_count(&j, "functions", s.functions);
  write_values(&j, "inputs", m, gg_onnx_input);
  write_values(&j, "outputs", m, gg_onnx_output);
  cli_json_flag(&j, "supported", err == GA_NO_ERROR);
  if (err != GA_NO_ERROR)
    cli_json_text(&j, "problems", ga__err_text(err));
  cli_json_close(&j, '}');
}

int cli_inspect(const cli_command *c, int argc, char **argv) {
  const char *path;
  gg_onnx *m;
  int json;

  if (cli_read_one(c, argc, argv, &path, &json) != GA_NO_ERROR)
    return cli_wrong(c, GA_VALUE_ERROR);
  if (path == NULL)
    return cli_usage(c, "inspect takes a model");
  int err = gg_onnx_open(&m, path);
  if (err != GA_NO_ERROR)
    return cli_fail(err);
  if (!json)
    print_model(m, path);
  err = gg_onnx_check(m, NULL, NULL);
  if (json)
    write_model(m, path, err);
  else if (err == GA_NO_ERROR)
    printf("  all nodes are supported\n");
  gg_onnx_close(m);
  return err == GA_NO_ERROR ? 0 : cli_fail(err);
}
