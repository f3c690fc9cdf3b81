/* SPDX-License-Identifier: BSD-2-Clause */
/* Is the device used? exp() of 230,400 numbers, a thousand times: once with the
 * results left on the device, once with every result copied to the host.
 *
 *   check [calls] */
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 10 * 30 * 768 };

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* End the program if a call failed. */
static void check(int err, const char *what) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "check: %s: %s\n", what, gpuarray_error_text(err));
  exit(1);
}

int main(int argc, char **argv) {
  static float host[N];
  size_t n = N;
  int calls = argc > 1 ? atoi(argv[1]) : 1000;
  for (int i = 0; i < N; i++)
    host[i] = (float)i / N;

  gpucontext *ctx;
  check(gpucontext_open(&ctx, NULL), "no device");
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_shared_host(g, "x", GA_FLOAT, 1, &n, host);
  gg_func_spec spec = {.name = "check", .outputs = GG_VARS(gg_exp(x))};
  gg_func *f;
  check(gg_func_new(&f, g, &spec), "compile");

  /* The first call compiles the kernel; it is not timed. */
  GpuArray r = {0};
  check(gg_func_call(f, NULL, (GpuArray *[]){&r}), "call");
  check(GpuArray_sync(&r), "wait");
  gg_func_print(f, stdout);

  double start = now();
  for (int i = 0; i < calls; i++)
    check(gg_func_call(f, NULL, (GpuArray *[]){&r}), "call");
  check(GpuArray_sync(&r), "wait");
  printf("%d calls took %f seconds, results left on the device\n", calls,
         now() - start);

  start = now();
  for (int i = 0; i < calls; i++) {
    check(gg_func_call(f, NULL, (GpuArray *[]){&r}), "call");
    check(GpuArray_read(host, sizeof host, &r), "read");
  }
  printf("%d calls took %f seconds, results copied to the host\n", calls,
         now() - start);
  printf("exp(0) = %f, exp(0.5) = %f\n", (double)host[0], (double)host[N / 2]);

  gg_func_stats s;
  gg_func_stat(f, &s);
  printf(s.host_steps > 0 ? "Used the host\n" : "Used the device\n");

  GpuArray_clear(&r);
  gg_func_free(f);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}
