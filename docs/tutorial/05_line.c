/* SPDX-License-Identifier: BSD-2-Clause */
/* A line through points, by gradient descent. */
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 50, STEPS = 200 };

/* End the program if a call failed. */
static void check(int err) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "%s\n", gpuarray_error_text(err));
  exit(1);
}

/* A vector of the host's numbers on the device. */
static GpuArray upload(gpucontext *ctx, size_t n, const float *numbers) {
  GpuArray a;
  check(GpuArray_empty(&a, ctx, GA_FLOAT, 1, &n, GA_C_ORDER));
  check(GpuArray_write(&a, numbers, n * sizeof(float)));
  return a;
}

int main(void) {
  gpucontext *ctx;
  check(gpucontext_open(&ctx, NULL));
  gg_graph *g = gg_graph_new(ctx);

  /* The slope and the height of the line stay on the device. */
  gg_var *slope = gg_shared_host(g, "slope", GA_FLOAT, 0, NULL, &(float){0});
  gg_var *height = gg_shared_host(g, "height", GA_FLOAT, 0, NULL, &(float){0});

  /* How far is the line from the points? */
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *y = gg_input(g, "y", GA_FLOAT, 1);
  gg_var *line = gg_add(gg_mul(slope, x), height);
  gg_var *cost = gg_mean(gg_sqr(gg_sub(line, y)));

  /* A step against the gradient, at the end of each call. */
  gg_var *grad[2], *rate = gg_f32(g, 0.5f);
  check(gg_grad(grad, cost, 2, (gg_var *[]){slope, height}));
  gg_func *train;
  check(gg_func_new(
      &train, g,
      &(gg_func_spec){.name = "train",
                      .inputs = GG_VARS(x, y),
                      .outputs = GG_VARS(cost),
                      .updates = GG_UPDATES(
                          {slope, gg_sub(slope, gg_mul(rate, grad[0]))},
                          {height, gg_sub(height, gg_mul(rate, grad[1]))})}));

  /* Points of the line 3 x + 1. */
  float xs[POINTS], ys[POINTS];
  for (int i = 0; i < POINTS; i++) {
    xs[i] = (float)i / POINTS;
    ys[i] = 3 * xs[i] + 1;
  }
  GpuArray dx = upload(ctx, POINTS, xs), dy = upload(ctx, POINTS, ys);

  /* Calls return at once; reading a result waits for it. */
  GpuArray dcost = {0};
  for (int i = 0; i < STEPS; i++) {
    check(
        gg_func_call(train, (GpuArray *[]){&dx, &dy}, (GpuArray *[]){&dcost}));
    if (i == 0 || i == STEPS - 1) {
      float c;
      check(GpuArray_read(&c, sizeof c, &dcost));
      printf("step %3d: cost %.4f\n", i + 1, (double)c);
    }
  }

  float found[2];
  check(gg_shared_read(slope, &found[0], sizeof(float)));
  check(gg_shared_read(height, &found[1], sizeof(float)));
  printf("y = %.2f x + %.2f\n", (double)found[0], (double)found[1]);

  GpuArray_clear(&dcost);
  GpuArray_clear(&dx);
  GpuArray_clear(&dy);
  gg_func_free(train);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}
