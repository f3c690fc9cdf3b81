/* SPDX-License-Identifier: BSD-2-Clause */
/* Square roots by Newton's iteration, x <- (x + a / x) / 2 for all a at once,
 * until no x changes by more than a millionth of itself:
 *
 *   newton [number ...]
 */
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBERS = 100, MAX_STEPS = 60 };

/* Build the loop: the roots of `a`, and how many steps they took. */
static void build(gg_var *a, gg_var **roots, gg_var **count) {
  gg_graph *g = gg_var_graph(a);
  gg_scan *s = gg_scan_open(g);
  gg_var *x =
      gg_scan_state(s, gg_add(gg_mul(a, gg_f32(g, 0.5f)), gg_f32(g, 0.5f)));
  gg_var *next = gg_mul(gg_add(x, gg_div(a, x)), gg_f32(g, 0.5f));
  gg_var *change = gg_max(gg_abs(gg_div(gg_sub(next, x), next)));

  gg_scan_next(s, x, next);
  gg_scan_until(s, gg_le(change, gg_f32(g, 1e-6f)));
  gg_scan_steps(s, gg_i64(g, MAX_STEPS)); /* at most */
  gg_scan_close(s);
  *roots = gg_scan_last(s, x);
  *count = gg_scan_count(s);
  gg_scan_free(s);
}

static int show(const float *a, const float *roots, size_t n, int64_t steps) {
  int wrong = 0;

  for (size_t i = 0; i < n; i++) {
    printf("sqrt(%g) = %.7g\n", (double)a[i], (double)roots[i]);
    wrong += !(fabs((double)roots[i] - sqrt(a[i])) <= 1e-6 * sqrt(a[i]));
  }
  printf("%lld steps of at most %d\n", (long long)steps, MAX_STEPS);
  return wrong != 0 || steps == MAX_STEPS;
}

/* Compile, call, and read what comes out. */
static int compute(gg_graph *g, const float *a, size_t n) {
  gg_var *in = gg_input(g, "a", GA_FLOAT, 1), *roots, *count;
  GpuArray x = {0}, y = {0}, steps = {0};
  float got[MAX_NUMBERS];
  gg_func *f = NULL;
  int64_t done = 0;
  int err;

  build(in, &roots, &count);
  err = gg_func_new(
      &f, g,
      &(gg_func_spec){.inputs = GG_VARS(in), .outputs = GG_VARS(roots, count)});
  if (err == GA_NO_ERROR)
    err = GpuArray_empty(&x, gg_graph_context(g), GA_FLOAT, 1, &n, GA_C_ORDER);
  if (err == GA_NO_ERROR)
    err = GpuArray_write(&x, a, n * sizeof *a);
  if (err == GA_NO_ERROR)
    err = gg_func_call(f, (GpuArray *[]){&x}, (GpuArray *[]){&y, &steps});
  if (err == GA_NO_ERROR)
    err = GpuArray_read(got, n * sizeof *got, &y);
  if (err == GA_NO_ERROR)
    err = GpuArray_read(&done, sizeof done, &steps);
  if (err != GA_NO_ERROR)
    fprintf(stderr, "%s%s\n", gg_graph_error(g), f ? gg_func_error(f) : "");
  else
    err = show(a, got, n, done);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&steps);
  gg_func_free(f);
  return err;
}

int main(int argc, char **argv) {
  float a[MAX_NUMBERS] = {2, 3, 0.01f, 1e6f};
  size_t n = argc > 1 ? 0 : 4;
  gpucontext *ctx = NULL;

  for (int i = 1; i < argc && n < MAX_NUMBERS; i++)
    a[n++] = strtof(argv[i], NULL);
  if (gpucontext_open(&ctx, NULL) != GA_NO_ERROR) {
    fprintf(stderr, "no OpenCL device: skipped\n");
    return 77;
  }
  gg_graph *g = gg_graph_new(ctx);
  int err = compute(g, a, n);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return err != 0;
}
