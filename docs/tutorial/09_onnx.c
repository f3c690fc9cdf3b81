/* SPDX-License-Identifier: BSD-2-Clause */
/* A classifier is written as an ONNX model, read back and run. */
#include <gpugraph/gpugraph.h>
#include <gpugraph/onnx.h>
#include <stdio.h>
#include <stdlib.h>

/* End the program if a call failed. */
static void check(int err) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "%s\n", gpuarray_error_text(err));
  exit(1);
}

/* Write softmax(x w) as a model. */
static void write_model(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  float weights[2][3] = {{1, 0, -1}, {0, 2, 0}};
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 2});
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, (size_t[]){2, 3}, weights[0]);
  gg_var *p = gg_named(gg_softmax(gg_dot(x, w)), "p");
  gg_func_spec spec = {
      .name = "classify", .inputs = GG_VARS(x), .outputs = GG_VARS(p)};
  check(gg_onnx_save(
      &spec, "classify.onnx",
      &(gg_onnx_save_options){.axes = GG_ONNX_AXES({x, 0, "rows"})}));
  gg_graph_free(g);
}

int main(void) {
  gpucontext *ctx;
  check(gpucontext_open(&ctx, NULL));
  write_model(ctx);

  /* What is in the file? */
  gg_onnx *m;
  check(gg_onnx_open(&m, "classify.onnx"));
  const gg_onnx_info *in = gg_onnx_input(m, 0), *out = gg_onnx_output(m, 0);
  printf("%s: %u axes, the first is called %s\n", in->name, in->nd,
         in->size_names[0]);
  printf("%s: %u axes\n", out->name, out->nd);

  /* Build it into a graph, and compile it. */
  gg_graph *g = gg_graph_new(ctx);
  check(gg_onnx_load(m, g, NULL));
  gg_func *f;
  check(gg_func_new(&f, g,
                    &(gg_func_spec){.inputs = gg_onnx_inputs(m),
                                    .outputs = gg_onnx_outputs(m)}));
  gg_onnx_close(m);

  float xs[2][2] = {{5, 0}, {0, 5}}, ps[2][3];
  gg_host_array arg = {.dtype = GA_FLOAT, .nd = 2, .dims = {2, 2}, .data = xs};
  gg_host_array result = {.data = ps, .bytes = sizeof ps};
  check(gg_func_call_host(f, (const gg_host_array *[]){&arg},
                          (gg_host_array *[]){&result}));
  for (int i = 0; i < 2; i++)
    printf("%.3f %.3f %.3f\n", (double)ps[i][0], (double)ps[i][1],
           (double)ps[i][2]);

  gg_func_free(f);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}
