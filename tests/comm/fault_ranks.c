/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures of the last rank within collectives, one after the other: each of
 * its OpenCL calls, by the fault layer, once and for good, and each of its
 * allocations. It gets an error that names the call, the others get that or
 * their results, at once, and the group works on.
 *
 * Started by mpirun with two ranks or more, under the layer. */
#include "support/device.h"

#include <gpuarray/collectives.h>

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "layer/layer.h"

/* In two chunks, of 4 MiB for each rank. */
enum { COUNT = (1 << 20) + 5, RANKS_MAX = 64 };

static int n_ranks, rank, last;
static gpucomm *comm;

/* COUNT elements, COUNT for each rank, and COUNT to receive. */
static GpuArray one, many, part;

static gpucomm *join_all(void) {
  gpucommCliqueId id;
  gpucomm *c = NULL;

  if (rank == 0)
    assert_ok(gpucomm_gen_clique_id(test_context(), &id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  assert_ok(gpucomm_new(&c, test_context(), id, n_ranks, rank));
  return c;
}

/* --- collectives --- */

static int all_reduce(void) {
  return GpuArray_all_reduce(&one, &part, GA_SUM, comm);
}

static int all_reduce_in_place(void) {
  return GpuArray_all_reduce(&one, &one, GA_MAX, comm);
}

static int reduce(void) {
  return GpuArray_reduce(&one, rank == 0 ? &part : NULL, GA_SUM, 0, comm);
}

static int reduce_scatter(void) {
  return GpuArray_reduce_scatter(&many, &part, GA_SUM, comm);
}

static int broadcast(void) {
  return GpuArray_broadcast(&part, last, comm);
}

static int all_gather(void) {
  return GpuArray_all_gather(&one, &many, comm);
}

static const struct {
  const char *name;
  int (*run)(void);
} collectives[] = {
    {"all_reduce", all_reduce}, {"all_reduce in place", all_reduce_in_place},
    {"reduce", reduce},         {"reduce_scatter", reduce_scatter},
    {"broadcast", broadcast},   {"all_gather", all_gather},
};

enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

/* --- what fails --- */

/* Arm failure number `nth`, of the calls as they were counted last; 0 counts.
 */
static void arm_call(long nth, int persistent) {
  const cl_int *codes;
  layer_fault f = {.entry = LAYER_ANY, .nth = nth, .persistent = persistent};

  if (nth > 0) {
    layer_codes(layer_called(nth), &codes);
    f.code = codes[nth % layer_codes(layer_called(nth), &codes)];
  }
  layer_arm(&f);
}

static long disarm_call(long *calls) {
  const long struck = layer_disarm();

  *calls = layer_calls();
  return struck;
}

static void arm_alloc(long nth, int persistent) {
  ga__alloc_fail(nth > 0 ? nth : LONG_MAX, nth > 0 && persistent);
}

static long disarm_alloc(long *calls) {
  const long left = ga__alloc_fail(0, 0);

  *calls = left > 0 ? LONG_MAX - left : 0;
  return left <= 0;
}

typedef struct failure {
  void (*arm)(long nth, int persistent);
  long (*disarm)(long *calls);
} failure;

static const failure of_calls = {arm_call, disarm_call};
static const failure of_allocs = {arm_alloc, disarm_alloc};

/* --- one after the other --- */

/* An error of the last rank names its call; the others are told of it. */
static void check_codes(const int *codes, long struck, const char *text) {
  const int own = codes[last];

  if (rank == last && own != GA_NO_ERROR) {
    assert_true(struck > 0);
    assert_true(own == GA_MEMORY_ERROR || strstr(text, "cl") != NULL);
  }
  if (rank == last)
    return;
  if (codes[rank] == GA_NO_ERROR)
    return;
  assert_int_equal(codes[rank], GA_COMM_ERROR);
  assert_true(own != GA_NO_ERROR);
  assert_non_null(strstr(text, "failed: "));
}

/* Run with the nth failure of the last rank. */
static void strike(int which, const failure *f, long nth, int persistent) {
  int err, codes[RANKS_MAX];
  char text[256];
  long calls, struck = 0;

  if (rank == last)
    f->arm(nth, persistent);
  err = collectives[which].run();
  if (rank == last)
    struck = f->disarm(&calls);
  snprintf(text, sizeof text, "%s", gpucontext_error(NULL, err));
  MPI_Allgather(&err, 1, MPI_INT, codes, 1, MPI_INT, MPI_COMM_WORLD);
  check_codes(codes, struck, text);
}

/* Run without failures. Returns how many there can be, on the last rank. */
static long count(int which, const failure *f) {
  long calls = 0;

  if (rank == last)
    f->arm(0, 0);
  assert_ok(collectives[which].run());
  if (rank == last)
    f->disarm(&calls);
  return calls;
}

static void sweep(const failure *f) {
  long tried = 0;

  for (int which = 0; which < COLLECTIVES; which++) {
    const long objects = layer_live();

    count(which, f);
    ga__fail(GA_MISC_ERROR, "short"); /* a long message would be kept */
    long blocks = ga__alloc_live();
    long calls = count(which, f);
    MPI_Bcast(&calls, 1, MPI_LONG, last, MPI_COMM_WORLD);
    assert_true(calls > 0);
    for (long nth = 1; nth <= calls; nth++)
      for (int persistent = 0; persistent < 2; persistent++, tried++) {
        strike(which, f, nth, persistent);
        count(which, f); /* it works on, and calls have their entries again */
      }
    assert_ok(GpuArray_sync(&one));
    ga__fail(GA_MISC_ERROR, "short");
    assert_int_equal(layer_live(), objects);
    assert_int_equal(ga__alloc_live(), blocks);
  }
  if (rank == last)
    printf("%ld failures within collectives\n", tried);
}

static void failing_calls(void **state) {
  (void)state;
  sweep(&of_calls);
}

static void failing_allocs(void **state) {
  (void)state;
  sweep(&of_allocs);
}

static void make_arrays(void) {
  const size_t n = COUNT, all = n * (size_t)n_ranks;

  assert_ok(GpuArray_zeros(&one, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&part, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
  assert_ok(
      GpuArray_zeros(&many, test_context(), GA_FLOAT, 1, &all, GA_C_ORDER));
}

static void clear_arrays(void) {
  GpuArray_clear(&one);
  GpuArray_clear(&many);
  GpuArray_clear(&part);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(failing_calls),
      cmocka_unit_test(failing_allocs),
  };

  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  last = n_ranks - 1;
  setenv("GPUARRAY_COMM_TIMEOUT", "20", 1);
  if (test_context() == NULL || !layer_is_loaded()) {
    puts("skipped: no OpenCL device, or a loader without layers");
    MPI_Finalize();
    return 77;
  }
  comm = join_all();
  make_arrays();
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  clear_arrays();
  gpucomm_free(comm);
  test_context_drop(NULL);
  if (failed > 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return failed;
}
