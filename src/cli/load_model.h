/* SPDX-License-Identifier: BSD-2-Clause */
/* A model in a file: one in the ONNX format, or a function of a saved graph or
 * a text. */
#ifndef CLI_LOAD_MODEL_H
#define CLI_LOAD_MODEL_H

#include <gpugraph/func.h>
#include <gpugraph/onnx.h>

typedef struct cli_model {
  gg_graph *g;
  gg_onnx *onnx;     /* NULL: a saved graph */
  gg_func_spec spec; /* its lists belong to `g` or `onnx` */
} cli_model;

/* Whether the file is a saved graph or a text: its first bytes or the end of
 * its name, .gg or .txt, say so. */
int cli_is_graph(const char *path);
/* Whether the name ends in .onnx. */
int cli_is_model(const char *path);
/* Load into a new graph of the context, which may be NULL. `is_graph`: it is no
 * ONNX model. `function` is that of a saved graph; NULL: its only one. The
 * `o` has sizes for both. The zeroed model is to be cleared, also after an
 * error. */
int cli_model_load(cli_model *m, gpucontext *ctx, const char *path,
                   int is_graph, const char *function,
                   const gg_onnx_options *o);
/* Outputs and new values of shared variables, then NULL. The caller frees the
 * list; NULL without memory. */
gg_var **cli_results(const gg_func_spec *s);
void cli_model_clear(cli_model *m);

#endif
