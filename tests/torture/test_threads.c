/* SPDX-License-Identifier: BSD-2-Clause */
/* Sixteen threads: on one context, and on contexts of their own. Results are
 * those of one thread; the layer sees no kernel that two threads touch between
 * an argument and its launch; nothing is left.
 *
 *   test_threads soak SECONDS    mixed work of one thread; memory must not grow
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "layer/layer.h"
#include "ocl/ocl.h"
#include "support/device.h"
#include "torture/scenario.h"

enum { THREADS = 16, ROUNDS = 4 };

/* What one thread does, again and again. */
typedef struct job {
  const scenario *s;
  gpucontext *ctx; /* shared; NULL: its own each time */
  const work *want;
  int bad;
} job;

static void *do_job(void *arg) {
  job *j = arg;
  work w;

  for (int i = 0; i < ROUNDS; i++) {
    memset(&w, 0, sizeof w);
    w.ctx = j->ctx;
    if (j->ctx != NULL)
      ga__ctx_retain(j->ctx);
    j->bad += j->s->run(&w) != GA_NO_ERROR ||
              memcmp(w.got, j->want->got, sizeof w.got) != 0;
    work_clear(&w);
  }
  ga__fail(GA_MISC_ERROR, "none"); /* no long message is left */
  return NULL;
}

/* Scenarios that have the device as it is and change nothing of the process. */
static int is_fit(const scenario *s) {
  return s->env == NULL && s->device == NULL && s->run != run_fill &&
         s->run != run_profile;
}

static void run_threads(gpucontext *ctx, const work *want) {
  pthread_t threads[THREADS];
  job jobs[THREADS];
  int k = 0;

  for (int i = 0; i < THREADS; i++) {
    while (!is_fit(&scenarios[k % n_scenarios]))
      k++;
    jobs[i] = (job){.s = &scenarios[k % n_scenarios],
                    .ctx = ctx,
                    .want = &want[k % n_scenarios]};
    k++;
    assert_int_equal(pthread_create(&threads[i], NULL, do_job, &jobs[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++)
    if (jobs[i].bad > 0)
      fail_msg("%s: %d of %d rounds", jobs[i].s->name, jobs[i].bad, ROUNDS);
}

/* The results of one thread. */
static void run_alone(work *want) {
  for (int i = 0; i < n_scenarios; i++) {
    memset(&want[i], 0, sizeof want[i]);
    if (is_fit(&scenarios[i])) {
      work w = {0};

      assert_ok(scenarios[i].run(&w));
      memcpy(want[i].got, w.got, sizeof w.got);
      work_clear(&w);
    }
  }
}

static work *want;

static void check_left(long live, long allocs) {
  char text[1024];

  layer_live_text(text, sizeof text);
  if (layer_live() != live)
    fail_msg("%ld objects are left: %s", layer_live() - live, text);
  assert_int_equal(ga__alloc_live(), allocs);
  if (layer_violations() != 0)
    fail_msg("%s", layer_violation());
}

static void test_one_context(void **state) {
  const long live = layer_live(), allocs = ga__alloc_live();
  gpucontext *ctx;

  (void)state;
  assert_ok(gpucontext_open(&ctx, NULL));
  run_threads(ctx, want);
  gpucontext_deref(ctx);
  check_left(live, allocs);
}

static void test_own_contexts(void **state) {
  const long live = layer_live(), allocs = ga__alloc_live();

  (void)state;
  run_threads(NULL, want);
  check_left(live, allocs);
}

static int setup(void **state) {
  (void)state;
  test_context();
  test_context_drop(state);
  want = calloc((size_t)n_scenarios, sizeof *want);
  if (want == NULL || !layer_is_loaded())
    return 1;
  run_alone(want);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  free(want);
  return 0;
}

/* --- soak --- */

/* Resident pages, from /proc; 0 where there is none. */
static long resident(void) {
  FILE *f = fopen("/proc/self/statm", "r");
  long pages = 0, all;

  if (f != NULL && fscanf(f, "%ld %ld", &all, &pages) != 2)
    pages = 0;
  if (f != NULL)
    fclose(f);
  return pages;
}

static int soak_round(unsigned int *seed) {
  work w = {0};
  int err = GA_NO_ERROR, i;

  *seed = *seed * 1103515245u + 12345u;
  i = (int)(*seed >> 16) % n_scenarios;
  if (is_fit(&scenarios[i]))
    err = scenarios[i].run(&w);
  work_clear(&w);
  return err;
}

/* Figures after a quarter of the time and at the end. */
static int soak(double seconds) {
  const uint64_t start = ga__now_ns();
  const double page = (double)sysconf(_SC_PAGESIZE) / (1 << 20);
  long live = -1, allocs = 0, pages = 0, rounds = 0;
  unsigned int seed = 1;
  double now = 0;

  while (now < seconds) {
    const int err = soak_round(&seed);

    if (err != GA_NO_ERROR) {
      fprintf(stderr, "soak: %s\n", gpucontext_error(NULL, err));
      return 1;
    }
    rounds++;
    now = 1e-9 * (double)(ga__now_ns() - start);
    if (live < 0 && now > seconds / 4) {
      live = layer_live();
      allocs = ga__alloc_live();
      pages = resident();
    }
  }
  printf("soak: %ld rounds in %.0f s; objects %ld to %ld, host blocks %ld to "
         "%ld, resident %.1f to %.1f MiB\n",
         rounds, now, live, layer_live(), allocs, ga__alloc_live(),
         (double)pages * page, (double)resident() * page);
  return layer_live() != live || ga__alloc_live() != allocs;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_context),
                                     cmocka_unit_test(test_own_contexts)};

  if (argc == 3 && strcmp(argv[1], "soak") == 0)
    return soak(strtod(argv[2], NULL));
  return cmocka_run_group_tests(tests, setup, teardown);
}
