/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph inspect: print what a model in the ONNX format declares, and whether
 * it can be built. Needs no device. */
#include <gpugraph/onnx.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "cli/cli.h"

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

int cli_inspect(int argc, char **argv) {
  gg_onnx *m;

  if (argc != 1)
    return cli_usage("inspect takes a model");
  int err = gg_onnx_open(&m, argv[0]);
  if (err != GA_NO_ERROR)
    return cli_fail(err);
  print_model(m, argv[0]);
  err = gg_onnx_check(m, NULL, NULL);
  if (err == GA_NO_ERROR)
    printf("  all nodes are supported\n");
  gg_onnx_close(m);
  return err == GA_NO_ERROR ? 0 : cli_fail(err);
}
