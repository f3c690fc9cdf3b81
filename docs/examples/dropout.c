/* SPDX-License-Identifier: BSD-2-Clause */
/* Dropout: y = x / keep where a coin of chance `keep` says so, else 0. Mask and
 * result are one kernel; the gradient passes through the same mask; the same
 * seed drops the same elements again.
 *
 *   dropout */
#include <string.h>

#include "op_example.h"

enum { N = 1000 };

static const float keep = 0.8f;

/* One call: the result and d sum(y) / d x, for an x of ones. */
static void step(gg_func *f, GpuArray *x, float *y, float *grad) {
  GpuArray out[2] = {{0}, {0}};
  int err =
      gg_func_call(f, (GpuArray *[]){x}, (GpuArray *[]){&out[0], &out[1]});

  if (err != GA_NO_ERROR || GpuArray_read(y, N * sizeof *y, &out[0]) ||
      GpuArray_read(grad, N * sizeof *grad, &out[1]))
    example_fail("call", gg_func_error(f));
  GpuArray_clear(&out[0]);
  GpuArray_clear(&out[1]);
}

int main(void) {
  float ones[N], first[N], second[N], again[N], grad[N];
  size_t n = N, kept = 0;
  gg_graph *g = example_open();
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *p = gg_f32(g, keep), *dx;
  gg_random *r = gg_random_new(g, GG_PHILOX, 1234);
  gg_var *coin = gg_random_bernoulli(r, GG_DRAW_LIKE(GA_FLOAT, x), p);
  gg_var *y = gg_div(gg_mul(x, coin), p);
  GpuArray in = {0};
  gg_func *f = NULL;

  gg_grad(&dx, gg_sum(y), 1, &x);
  if (gg_func_new(
          &f, g,
          &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y, dx)}))
    example_fail("compile", gg_graph_error(g));
  for (size_t i = 0; i < n; i++)
    ones[i] = 1;
  GpuArray_empty(&in, gg_graph_context(g), GA_FLOAT, 1, &n, GA_C_ORDER);
  if (GpuArray_write(&in, ones, sizeof ones) != GA_NO_ERROR)
    example_fail("no memory", "on the device");
  step(f, &in, first, grad);
  step(f, &in, second, grad);
  for (size_t i = 0; i < n; i++) {
    if (grad[i] != second[i]) /* x is 1 */
      example_fail("gradient", "has another mask");
    kept += second[i] != 0;
  }
  gg_random_seed(r, 1234);
  step(f, &in, again, grad);
  if (memcmp(first, again, sizeof first) ||
      !memcmp(first, second, sizeof first))
    example_fail("the same seed", "other numbers");
  gg_func_print(f, stdout);
  printf("kept %zu of %zu\n", kept, n);
  GpuArray_clear(&in);
  gg_func_free(f);
  gg_random_free(r);
  return example_close(g);
}
