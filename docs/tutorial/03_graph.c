/* SPDX-License-Identifier: BSD-2-Clause */
/* A formula becomes one kernel. */
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

  /* Build: nothing is computed yet. */
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *r = gg_sqrt(gg_add(gg_sqr(x), gg_sqr(y)));
  gg_pprint(stdout, 1, (gg_var *[]){r});

  /* Compile. */
  gg_func *f;
  check(gg_func_new(&f, g,
                    &(gg_func_spec){.name = "length",
                                    .inputs = GG_VARS(x, y),
                                    .outputs = GG_VARS(r)}));

  /* Call, with arrays of the host. */
  float xs[] = {3, 5, 8}, ys[] = {4, 12, 15}, rs[3];
  gg_host_array in_x = {.dtype = GA_FLOAT, .nd = 1, .dims = {3}, .data = xs};
  gg_host_array in_y = {.dtype = GA_FLOAT, .nd = 1, .dims = {3}, .data = ys};
  gg_host_array out = {.data = rs, .bytes = sizeof rs};
  check(gg_func_call_host(f, (const gg_host_array *[]){&in_x, &in_y},
                          (gg_host_array *[]){&out}));
  for (int i = 0; i < 3; i++)
    printf("(%g, %g) has length %g\n", (double)xs[i], (double)ys[i],
           (double)rs[i]);

  gg_func_stats stats;
  check(gg_func_stat(f, &stats));
  printf("%zu kernel\n", stats.steps);

  gg_func_free(f);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}
