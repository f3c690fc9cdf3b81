/* SPDX-License-Identifier: BSD-2-Clause */
/* All-reduce of floats on devices beside MPI's own on plain memory of the host,
 * in turns, and what it costs that all ranks agree before a call and before
 * each chunk of it. Run by mpirun with 2 ranks; rank 0 prints.
 *
 *   mpirun -n 2 bench_all_reduce [MiB]
 */
#include <gpuarray/collectives.h>
#include <gpuarray/device.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* MESSAGE is what a rank tells the others; a chunk is 4 MiB of each rank. */
enum { REPS = 15, AGREEMENTS = 100, MESSAGE = 32, CHUNK_BYTES = 4 << 20 };

static int n_ranks, rank;

typedef struct sides {
  gpucomm *comm;
  GpuArray from, to;
  float *host_from, *host_to;
  size_t n;
} sides;

static void open_sides(sides *s, gpucontext *ctx) {
  gpucommCliqueId id;

  if (rank == 0)
    bench_need(gpucomm_gen_clique_id(ctx, &id), "clique id");
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  bench_need(gpucomm_new(&s->comm, ctx, id, n_ranks, rank), "communicator");
  s->host_from = malloc(s->n * sizeof *s->host_from);
  s->host_to = calloc(s->n, sizeof *s->host_to);
  for (size_t i = 0; i < s->n; i++)
    s->host_from[i] = (float)(i % 1000) + (float)rank;
  bench_need(GpuArray_empty(&s->from, ctx, GA_FLOAT, 1, &s->n, GA_C_ORDER),
             "source");
  bench_need(GpuArray_zeros(&s->to, ctx, GA_FLOAT, 1, &s->n, GA_C_ORDER),
             "destination");
  bench_need(
      GpuArray_write(&s->from, s->host_from, s->n * sizeof *s->host_from),
      "write");
}

static int ours(void *arg) {
  sides *s = arg;

  MPI_Barrier(MPI_COMM_WORLD);
  int err = GpuArray_all_reduce(&s->from, &s->to, GA_SUM, s->comm);
  return err == 0 ? GpuArray_sync(&s->to) : err;
}

static int theirs(void *arg) {
  sides *s = arg;

  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(s->host_from, s->host_to, (int)s->n, MPI_FLOAT, MPI_SUM,
                MPI_COMM_WORLD);
  return 0;
}

/* Both give the same; with 2 ranks there is only one order of summing. */
static void check(sides *s) {
  float *got = malloc(s->n * sizeof *got);

  bench_need(ours(s), "all_reduce");
  theirs(s);
  bench_need(GpuArray_read(got, s->n * sizeof *got, &s->to), "read");
  bench_need(memcmp(got, s->host_to, s->n * sizeof *got) != 0, "check");
  free(got);
}

/* A call on nothing is its agreement alone. */
static int agree(void *arg) {
  sides *s = arg;
  const size_t none = 0;
  GpuArray empty;
  int err = GpuArray_zeros(&empty, gpucomm_context(s->comm), GA_FLOAT, 1, &none,
                           GA_C_ORDER);

  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < AGREEMENTS && err == 0; i++)
    err = GpuArray_all_reduce(&empty, &empty, GA_SUM, s->comm);
  GpuArray_clear(&empty);
  return err;
}

static int gather(void *arg) {
  char mine[MESSAGE] = {0}, *all = calloc((size_t)n_ranks, MESSAGE);

  (void)arg;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < AGREEMENTS && all != NULL; i++)
    MPI_Allgather(mine, MESSAGE, MPI_CHAR, all, MESSAGE, MPI_CHAR,
                  MPI_COMM_WORLD);
  free(all);
  return 0;
}

/* One before the call and one before each chunk, of `seconds` in all. */
static void bench_agreement(sides *s, double seconds) {
  const size_t chunks = (s->n * 4 + CHUNK_BYTES - 1) / CHUNK_BYTES;
  bench_time mine, mpi;

  bench_pair(agree, s, gather, s, REPS, &mine, &mpi);
  if (rank != 0)
    return;
  double once = mine.median / AGREEMENTS;
  bench_print("agreement", once * 1e6, "us", mpi.median / AGREEMENTS * 1e6);
  bench_print("its share of the call",
              100 * once * (double)(chunks + 1) / seconds, "%", 0);
}

int main(int argc, char **argv) {
  sides s = {.n = ((argc > 1 ? strtoul(argv[1], NULL, 10) : 64) << 20) / 4};
  bench_time mine, mpi;
  gpucontext *ctx;
  char name[64];

  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bench_need(gpucontext_open(&ctx, NULL), "device");
  open_sides(&s, ctx);
  check(&s);
  bench_pair(ours, &s, theirs, &s, REPS, &mine, &mpi);
  snprintf(name, sizeof name, "all-reduce %zu MiB, %d ranks", s.n >> 18,
           n_ranks);
  if (rank == 0)
    bench_print(name, (double)s.n * 4e-9 / mine.median, "GB/s",
                (double)s.n * 4e-9 / mpi.median);
  bench_agreement(&s, mine.median);
  GpuArray_clear(&s.from);
  GpuArray_clear(&s.to);
  gpucomm_free(s.comm);
  gpucontext_deref(ctx);
  free(s.host_from);
  free(s.host_to);
  MPI_Finalize();
  return 0;
}
