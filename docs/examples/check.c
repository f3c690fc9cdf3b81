/* SPDX-License-Identifier: BSD-2-Clause */
/* Is the device used? exp() of a shared vector, 1000 times: once with the
 * result left on the device, once with every result copied to the host.
 *
 *   check [calls]
 */
#include <gpugraph/gpugraph.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 10 * 30 * 768 };

/* The Mersenne twister as NumPy's RandomState seeds and reads it, so that the
 * numbers are those that RandomState(22).rand(N) gives. */
typedef struct twister {
  uint32_t s[624];
  int i;
} twister;

static void twister_seed(twister *t, uint32_t seed) {
  t->s[0] = seed;
  for (uint32_t i = 1; i < 624; i++)
    t->s[i] = 1812433253u * (t->s[i - 1] ^ (t->s[i - 1] >> 30)) + i;
  t->i = 624;
}

static uint32_t twister_next(twister *t) {
  if (t->i == 624) {
    for (int i = 0; i < 624; i++) {
      uint32_t y =
          (t->s[i] & 0x80000000u) | (t->s[(i + 1) % 624] & 0x7fffffffu);
      t->s[i] = t->s[(i + 397) % 624] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    t->i = 0;
  }
  uint32_t y = t->s[t->i++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

static double twister_uniform(twister *t) {
  uint32_t a = twister_next(t) >> 5, b = twister_next(t) >> 6;
  return (a * 67108864.0 + b) / 9007199254740992.0;
}

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int failed(const char *what, const char *why) {
  fprintf(stderr, "check: %s: %s\n", what, why);
  return 1;
}

static void print_head(const float *r) {
  printf("Result is [%.8f %.8f %.8f ... %.8f %.8f %.8f]\n", r[0], r[1], r[2],
         r[N - 3], r[N - 2], r[N - 1]);
}

int main(int argc, char **argv) {
  int calls = argc > 1 ? atoi(argv[1]) : 1000;
  size_t n = N;
  gpucontext *ctx = NULL;
  char why[256];
  int platform, device;

  if (calls < 1)
    return failed("usage", "check [calls]");
  int err = gpudevice_choose(NULL, &platform, &device, why, sizeof why);
  if (err == GA_NO_ERROR)
    err = gpucontext_open(&ctx, NULL);
  if (err != GA_NO_ERROR)
    return failed("no device", gpucontext_error(NULL, err));

  float *host = malloc(n * sizeof *host);
  if (host == NULL)
    return failed("memory", "out of host memory");
  twister rng;
  twister_seed(&rng, 22);
  for (size_t i = 0; i < n; i++)
    host[i] = (float)twister_uniform(&rng);

  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_shared_host(g, "x", GA_FLOAT, 1, &n, host);
  gg_func *f = NULL;
  err = gg_func_new(&f, g,
                    &(gg_func_spec){
                        .name = "check",
                        .outputs = GG_VARS(gg_exp(x)),
                    });
  if (err != GA_NO_ERROR)
    return failed("compile", gg_graph_error(g));

  /* The first call compiles the kernel; it is not timed. */
  GpuArray r = {0};
  err = gg_func_call(f, NULL, (GpuArray *[]){&r});
  if (err == GA_NO_ERROR)
    err = GpuArray_sync(&r);
  if (err != GA_NO_ERROR)
    return failed("first call", gg_func_error(f));
  gg_func_print(f, stdout);

  double t0 = now();
  for (int i = 0; i < calls && err == GA_NO_ERROR; i++)
    err = gg_func_call(f, NULL, (GpuArray *[]){&r});
  if (err == GA_NO_ERROR)
    err = GpuArray_sync(&r);
  if (err != GA_NO_ERROR)
    return failed("call", gg_func_error(f));
  printf("Looping %d times took %f seconds, results left on the device\n",
         calls, now() - t0);

  t0 = now();
  for (int i = 0; i < calls && err == GA_NO_ERROR; i++) {
    err = gg_func_call(f, NULL, (GpuArray *[]){&r});
    if (err == GA_NO_ERROR)
      err = GpuArray_read(host, n * sizeof *host, &r);
  }
  if (err != GA_NO_ERROR)
    return failed("call", gg_func_error(f));
  printf("Looping %d times took %f seconds, results copied to the host\n",
         calls, now() - t0);
  print_head(host);

  gg_func_stats s;
  gg_func_stat(f, &s);
  if (s.host_steps > 0)
    printf("Used the host for %zu of %zu steps\n", s.host_steps, s.steps);
  else
    printf("Used the device (%s), %zu kernel per call\n", why, s.steps);

  GpuArray_clear(&r);
  gg_func_free(f);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  free(host);
  return 0;
}
