/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the cases of the frozen interface, each in a process of its own, since
 * a library that aborts must not end the others. bench/frozen.sh makes a table
 * of the output of two libraries.
 *
 *   bench_frozen [opencl<P>:<D> [SIDE [REPS [CASE]]]]
 *
 * prints a line for each case: name, "ok", "wrong", "refuses" or "fails",
 * figure, unit, GB/s of the device's copy or 0, and why, with tabs between.
 * With SIDE 0: the names alone. */
#include "frozen.h"

#include "../bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  TIMEOUT = 60, /* seconds for one case */
  BUDGET = 2    /* seconds for the calls that are timed, if two fit in there */
};

static const frozen_case *const tables[] = {
    frozen_elemwise_cases, frozen_copy_cases, frozen_fold_cases,
    frozen_host_cases};

typedef struct timed {
  const frozen_case *c;
  frozen *f;
} timed;

/* --- one case, in the child --- */

static int run_calls(void *arg) {
  timed *t = arg;

  for (int k = 0; k < t->c->calls; k++) {
    int err = t->c->run(t->f);
    if (err != GA_NO_ERROR)
      return err;
  }
  return t->f->z.data != NULL ? GpuArray_sync(&t->f->z) : GA_NO_ERROR;
}

static size_t copy_size(const frozen *f) {
  return f->side * f->side * sizeof(float);
}

static int run_copy(void *arg) {
  frozen *f = arg;
  int err = gpudata_move(f->to, 0, f->from, 0, copy_size(f));

  return err != GA_NO_ERROR ? err : gpudata_sync(f->to);
}

static gpudata *copy_buffer(frozen *f) {
  void *zeros = calloc(1, copy_size(f));
  int err = GA_NO_ERROR;

  if (zeros == NULL)
    _Exit(1);
  gpudata *d = gpudata_alloc(f->ctx, copy_size(f), zeros, GA_BUFFER_INIT, &err);
  frozen_need(f, err, "buffer");
  free(zeros);
  return d;
}

static void print_figure(const timed *t, double seconds, double limit) {
  static const char *const units[] = {"GB/s", "GB/s", "us", "ms"};
  double bytes = t->c->bytes * (double)t->f->elements;
  double figure = 1e-9 * bytes / seconds;

  if (t->c->unit == FROZEN_MICROS)
    figure = 1e6 * seconds / t->c->calls;
  if (t->c->unit == FROZEN_FIRST)
    figure = 1e3 * seconds;
  printf("ok\t%.4g\t%s\t%.4g\t\n", figure, units[t->c->unit], limit);
}

static void time_limited(timed *t, int reps) {
  bench_time time, copy;

  t->f->from = copy_buffer(t->f);
  t->f->to = copy_buffer(t->f);
  bench_pair(run_calls, t, run_copy, t->f, reps, &time, &copy);
  print_figure(t, time.median, 2e-9 * (double)copy_size(t->f) / copy.median);
}

/* Seconds of the calls, once. */
static double look(timed *t) {
  const double start = bench_now();

  frozen_need(t->f, run_calls(t), "call");
  return bench_now() - start;
}

static void time_case(timed *t, int reps) {
  const double seconds = look(t);

  if (seconds * reps > BUDGET)
    reps = (int)(BUDGET / seconds);
  if (reps == 0) /* this look is the figure */
    print_figure(t, seconds, 0);
  else if (t->c->unit == FROZEN_LIMITED)
    time_limited(t, reps);
  else
    print_figure(t, bench_median(run_calls, t, reps).median, 0);
}

static void run_case(const frozen_case *c, frozen *f, int reps) {
  timed t = {c, f};

  c->setup(f);
  double start = bench_now();
  frozen_need(f, c->run(f), "call");
  double first = bench_now() - start;
  if (!c->check(f))
    printf("wrong\t0\t-\t0\tnot the expected values\n");
  else if (c->unit == FROZEN_FIRST)
    print_figure(&t, first, 0);
  else
    time_case(&t, reps);
  fflush(stdout);
}

/* --- all of them --- */

/* Fill the caches of kernels for a case that is its first call. */
static void run_before(const frozen_case *c, const frozen *start) {
  frozen f = *start;
  const pid_t child = fork();

  if (child == 0) {
    alarm(TIMEOUT);
    c->setup(&f);
    (void)c->run(&f);
    _Exit(0);
  }
  if (child > 0)
    waitpid(child, NULL, 0);
}

/* What becomes of buffers and contexts at the end is not what is measured, so
 * the child leaves without it. */
static void run_child(const frozen_case *c, const frozen *start, int reps) {
  frozen f = *start;
  int status;

  if (c->unit == FROZEN_FIRST)
    run_before(c, start);
  printf("%s\t", c->name);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(TIMEOUT);
    run_case(c, &f, reps);
    _Exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child)
    printf("fails\t0\t-\t0\tno process\n");
  else if (WIFSIGNALED(status))
    printf("fails\t0\t-\t0\tsignal %d\n", WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    printf("fails\t0\t-\t0\tstatus %d\n", WEXITSTATUS(status));
  fflush(stdout);
}

int main(int argc, char **argv) {
  const char *device = argc > 1 ? argv[1] : "opencl0:0";
  int reps = argc > 3 ? atoi(argv[3]) : 5;
  frozen f = {.side = argc > 2 ? strtoul(argv[2], NULL, 10) : 2048};

  if (sscanf(device, "opencl%d:%d", &f.platform, &f.device) != 2 ||
      f.side % 2 != 0) {
    fprintf(stderr,
            "usage: %s [opencl<P>:<D> [SIDE [REPS [CASE]]]]\n"
            "SIDE is even; 0 lists the cases\n",
            argv[0]);
    return 2;
  }
  f.elements = f.side * f.side;
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
    for (const frozen_case *c = tables[k]; c->name != NULL; c++) {
      if (f.side == 0)
        printf("%s\n", c->name);
      else if (argc <= 4 || strcmp(argv[4], c->name) == 0)
        run_child(c, &f, reps);
    }
  return 0;
}
