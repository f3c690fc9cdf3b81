/* SPDX-License-Identifier: BSD-2-Clause */
/* The slope and the curvature of a cubic. */
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <stdlib.h>

/* End the program if a call failed. */
static void check(int err) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "%s\n", gpuarray_error_text(err));
  exit(1);
}

int main(void) {
  gpucontext *ctx;
  check(gpucontext_open(&ctx, NULL));
  gg_graph *g = gg_graph_new(ctx);

  /* y = x^3 - 2 x, for each element of x. */
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *cube = gg_mul(x, gg_sqr(x));
  gg_var *y = gg_sub(cube, gg_mul(gg_f32(g, 2), x));

  /* What is differentiated is a scalar: the sum over all elements. */
  gg_var *slope, *curvature;
  check(gg_grad(&slope, gg_sum(y), 1, &x));
  check(gg_grad(&curvature, gg_sum(slope), 1, &x));

  gg_func *f;
  check(gg_func_new(&f, g,
                    &(gg_func_spec){.inputs = GG_VARS(x),
                                    .outputs = GG_VARS(y, slope, curvature)}));
  float xs[] = {-1, 0, 2}, out[3][3];
  gg_host_array in = {.dtype = GA_FLOAT, .nd = 1, .dims = {3}, .data = xs};
  gg_host_array outs[3];
  for (int i = 0; i < 3; i++)
    outs[i] = (gg_host_array){.data = out[i], .bytes = sizeof out[i]};
  check(gg_func_call_host(f, (const gg_host_array *[]){&in},
                          (gg_host_array *[]){&outs[0], &outs[1], &outs[2]}));
  for (int i = 0; i < 3; i++)
    printf("x %2g: y %2g, slope %2g, curvature %3g\n", (double)xs[i],
           (double)out[0][i], (double)out[1][i], (double)out[2][i]);

  gg_func_free(f);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}
