/* SPDX-License-Identifier: BSD-2-Clause */
/* Mixed random work, then functions compiled and freed again and again, with
 * figures of the memory on the way: first functions whose kernels the context
 * keeps, then ever other ones, which leave its memory and are loaded again.
 * Where no context is open nothing may be alive that was not before, and what
 * the process holds, drivers and all, may not grow once all caches are full.
 * The driver's own share of that is what soak_plain shows.
 *
 *   soak MINUTES [CYCLES]
 */
#include <gpuarray/blas.h>
#include <gpuarray/create.h>
#include <gpuarray/profile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "layer/layer.h"
#include "ocl/ocl.h"
#include "torture/process.h"
#include "torture/scenario.h"

enum {
  FIGURES = 5,     /* printed in each part */
  WARM = 1,        /* the figure with which residence is compared */
  KEPT = 16,       /* functions whose kernels a context keeps in memory */
  VARIANTS = 640,  /* more than it keeps */
  MOST_SIDE = 300, /* of the random matrices */
  DEFAULT_CYCLES = 10000
};

/* --- figures --- */

typedef struct figure {
  double at; /* seconds or cycles */
  long objects, blocks;
  long contexts, builds; /* since the start: opened, and of source text */
  double device_mib, heap_mib, resident_mib;
} figure;

static long calls_of(int entry) {
  long calls, faults;

  layer_totals(entry, &calls, &faults);
  return calls;
}

static figure take_figure(double at, const char *unit) {
  const figure f = {at,
                    layer_live(),
                    ga__alloc_live(),
                    calls_of(LAYER_clCreateContext),
                    calls_of(LAYER_clCreateProgramWithSource),
                    (double)layer_live_bytes() / (1 << 20),
                    process_heap_mib() - (double)layer_own_bytes() / (1 << 20),
                    process_resident_mib()};

  printf("%9.0f %-7s %6ld objects %7ld blocks %9.2f MiB on the device "
         "%8.2f MiB of heap %8.1f MiB resident %6ld contexts %6ld builds\n",
         f.at, unit, f.objects, f.blocks, f.device_mib, f.heap_mib,
         f.resident_mib, f.contexts, f.builds);
  fflush(stdout);
  return f;
}

/* Whether something is left that was not there before. */
static int compare(const figure *before, const figure *after) {
  int bad = 0;

  if (after->objects > before->objects || after->blocks > before->blocks)
    bad = printf("FAILED: objects or blocks of the host are left\n");
  if (after->device_mib > before->device_mib)
    bad = printf("FAILED: memory of the device is left\n");
  return bad != 0;
}

/* Does the process grow? By what malloc has given out, of which the driver's
 * compiler may take a hundredth more, and where malloc does not tell by what is
 * resident: pages that were given back and not to the system are among that. */
static int compare_process(const figure *warm, const figure *last) {
  const double n = last->at - warm->at;
  const int tells = last->heap_mib > 0;

  printf("%+.1f KiB of heap, %+.1f KiB resident in every 1000\n",
         1024e3 * (last->heap_mib - warm->heap_mib) / n,
         1024e3 * (last->resident_mib - warm->resident_mib) / n);
  if (tells ? last->heap_mib <= 1.01 * warm->heap_mib + 1
            : last->resident_mib <= 1.1 * warm->resident_mib)
    return 0;
  printf("FAILED: the process grows\n");
  return 1;
}

/* --- mixed work --- */

static unsigned int next(unsigned int *seed, unsigned int n) {
  *seed = *seed * 1103515245u + 12345u;
  return (*seed >> 16) % n;
}

/* Those that change nothing of the process. */
static int run_scenario(const scenario *s) {
  work w = {0};
  int err = GA_NO_ERROR;

  if (s->env == NULL && s->device == NULL)
    err = s->run(&w);
  work_clear(&w);
  return err;
}

/* A matrix of random sizes and its product with itself turned: pools, plans and
 * kept launches see ever new shapes. */
static int run_shapes(gpucontext *ctx, unsigned int *seed) {
  const size_t dims[2] = {1 + next(seed, MOST_SIDE), 1 + next(seed, MOST_SIDE)};
  const unsigned int axis = next(seed, 2);
  GpuArray a = {0}, c = {0}, sum = {0};
  int err;

  GA_CHECK(GpuArray_empty(&a, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GA_CHECK(GpuArray_fill(&a, GA_FLOAT, &(float){0.5f}));
  GA_CHECK(GpuArray_empty(&c, ctx, GA_FLOAT, 2, (size_t[]){dims[0], dims[0]},
                          GA_C_ORDER));
  GA_CHECK(GpuArray_rgemm(cb_no_trans, cb_trans, 1, &a, &a, 0, &c, 0));
  GA_CHECK(GpuArray_reduction(&sum, &c, GA_REDUCE_SUM, 1, &axis, 0, -1, -1));
  err = GpuArray_sync(&sum);

done:
  GpuArray_clear(&a);
  GpuArray_clear(&c);
  GpuArray_clear(&sum);
  return err;
}

static int mixed_round(gpucontext *ctx, unsigned int *seed) {
  GA_TRY(run_scenario(&scenarios[next(seed, (unsigned int)n_scenarios)]));
  return run_shapes(ctx, seed);
}

static int fail_round(int err) {
  fprintf(stderr, "soak: %s\n", gpucontext_error(NULL, err));
  return 1;
}

/* Rounds on one context until `end`. */
static int mixed_rounds(uint64_t end, unsigned int *seed, long *rounds) {
  gpucontext *ctx;
  int err;

  GA_TRY(gpucontext_open(&ctx, NULL));
  do {
    err = mixed_round(ctx, seed);
    ++*rounds;
  } while (err == GA_NO_ERROR && ga__now_ns() < end);
  gpucontext_deref(ctx);
  return err;
}

/* All kernels have been compiled, or loaded, once. */
static int warm_up(void) {
  for (int i = 0; i < n_scenarios; i++)
    GA_TRY(run_scenario(&scenarios[i]));
  return GA_NO_ERROR;
}

static int mixed_work(double seconds) {
  figure figures[FIGURES + 1];
  unsigned int seed = 1;
  long rounds = 0;
  int err = warm_up();

  uint64_t start = ga__now_ns();
  figures[0] = take_figure(0, "s");
  for (int i = 1; err == GA_NO_ERROR && i <= FIGURES; i++) {
    err = mixed_rounds(start + (uint64_t)(1e9 * seconds * i / FIGURES), &seed,
                       &rounds);
    figures[i] = take_figure(1e-9 * (double)(ga__now_ns() - start), "s");
  }
  if (err != GA_NO_ERROR)
    return fail_round(err);
  printf("%ld rounds of mixed work\n", rounds);
  return compare(&figures[0], &figures[FIGURES]) |
         (rounds > 20 * n_scenarios &&
          compare_process(&figures[1 + WARM], &figures[FIGURES]));
}

/* --- compile and free --- */

/* Another kernel for each `variant`: constants are part of the text. */
static int compile_and_free(gpucontext *ctx, GpuArray *x, int variant) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *v = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *c = gg_f32(g, 1 + (float)variant / 1024);
  GpuArray out = {0};
  gg_func *f = NULL;
  int err;

  err =
      gg_func_new(&f, g,
                  &(gg_func_spec){.name = "soak",
                                  .inputs = GG_VARS(v),
                                  .outputs = GG_VARS(gg_add(gg_mul(v, c), v))});
  if (err == GA_NO_ERROR)
    err = gg_func_call(f, (GpuArray *[]){x}, (GpuArray *[]){&out});
  if (err == GA_NO_ERROR)
    err = GpuArray_sync(&out);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
  return err;
}

/* `cycles` times one of `variants` functions, in turn. */
static int compile_cycles(long cycles, int variants) {
  const figure before = take_figure(0, "cycles");
  figure figures[FIGURES], after;
  const size_t dim = 100;
  gpucontext *ctx = NULL;
  GpuArray x = {0};
  int n = 0;

  int err = gpucontext_open(&ctx, NULL);
  if (err == GA_NO_ERROR)
    err = GpuArray_zeros(&x, ctx, GA_FLOAT, 1, &dim, GA_C_ORDER);
  for (long i = 1; err == GA_NO_ERROR && i <= cycles; i++) {
    err = compile_and_free(ctx, &x, (int)(i % variants));
    if (i >= cycles * (n + 1) / FIGURES)
      figures[n++] = take_figure((double)i, "cycles");
  }
  GpuArray_clear(&x);
  gpucontext_deref(ctx);
  if (err != GA_NO_ERROR)
    return fail_round(err);
  after = take_figure((double)cycles, "cycles");
  return compare(&before, &after) |
         (cycles > FIGURES * variants &&
          compare_process(&figures[WARM], &figures[FIGURES - 1]));
}

int main(int argc, char **argv) {
  const double minutes = argc > 1 ? strtod(argv[1], NULL) : 0;
  const long cycles = argc > 2 ? strtol(argv[2], NULL, 10) : DEFAULT_CYCLES;
  gpucontext *ctx;

  if (minutes <= 0 || cycles < FIGURES) {
    fprintf(stderr, "usage: soak MINUTES [CYCLES]\n");
    return 2;
  }
  int err = gpucontext_open(&ctx, NULL);
  if (err == GA_NODEV_ERROR) {
    puts("no OpenCL device: skipped");
    return 77;
  }
  if (err != GA_NO_ERROR)
    return fail_round(err);
  gpucontext_deref(ctx);
  if (!layer_is_loaded()) { /* known only now */
    puts("skipped: the loader has no layers, or OPENCL_LAYERS is not set");
    return 77;
  }
  int bad = mixed_work(60 * minutes);
  printf("%d functions whose kernels stay in memory\n", KEPT);
  bad |= compile_cycles(cycles, KEPT);
  if (cycles > VARIANTS) {
    printf("%d functions whose kernels come from the disk\n", VARIANTS);
    bad |= compile_cycles(cycles, VARIANTS);
  }
  return bad;
}
