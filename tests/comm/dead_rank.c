/* SPDX-License-Identifier: BSD-2-Clause */
/* The last rank is killed, or stopped, while the others wait for it: each of
 * them gets its error within the time that it was told to wait.
 *
 *   dead_rank kill|stop FOLDER
 *
 * Rank 0 lets a stopped one go on at the end. Survivors write what they were
 * told to FOLDER/<rank>: launchers lose their output when a rank dies. */
#include <gpuarray/collectives.h>
#include <gpuarray/device.h>
#include <gpuarray/error.h>

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WAIT_SECONDS "1"
enum { SLACK_SECONDS = 15 }; /* the machine has other work to do */

static int n_ranks, rank;

static void need(int err, const char *what) {
  if (err == GA_NO_ERROR)
    return;
  printf("rank %d: %s: %s\n", rank, what, gpucontext_error(NULL, err));
  fflush(stdout);
  _exit(1);
}

static gpucomm *join_all(gpucontext *ctx) {
  gpucommCliqueId id;
  gpucomm *c = NULL;

  if (rank == 0)
    need(gpucomm_gen_clique_id(ctx, &id), "clique id");
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  need(gpucomm_new(&c, ctx, id, n_ranks, rank), "join");
  return c;
}

/* Two calls: the first waits, the second knows. */
static int survive(gpucomm *c, GpuArray *a, FILE *out) {
  const double start = MPI_Wtime();
  const int first = GpuArray_all_reduce(a, a, GA_SUM, c);
  const double waited = MPI_Wtime() - start;

  fprintf(out, "%s\n", gpucontext_error(NULL, first));
  return first == GA_COMM_ERROR &&
         GpuArray_all_reduce(a, a, GA_SUM, c) == GA_COMM_ERROR &&
         waited < atoi(WAIT_SECONDS) + SLACK_SECONDS;
}

/* FOLDER/<rank>, or standard output without a folder. */
static FILE *open_report(const char *folder) {
  char path[4096];

  if (folder == NULL)
    return stdout;
  snprintf(path, sizeof path, "%s/%d", folder, rank);
  FILE *f = fopen(path, "w");
  return f != NULL ? f : stdout;
}

int main(int argc, char **argv) {
  const int is_stop = argc > 1 && strcmp(argv[1], "stop") == 0;
  const size_t n = 4;
  gpucontext *ctx;
  GpuArray a;

  setenv("GPUARRAY_COMM_TIMEOUT", WAIT_SECONDS, 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int pid = (int)getpid();
  MPI_Bcast(&pid, 1, MPI_INT, n_ranks - 1, MPI_COMM_WORLD);
  need(gpucontext_open(&ctx, NULL), "context");
  need(GpuArray_zeros(&a, ctx, GA_FLOAT, 1, &n, GA_C_ORDER), "array");
  gpucomm *c = join_all(ctx);
  if (rank == n_ranks - 1) {
    raise(is_stop ? SIGSTOP : SIGKILL);
    _exit(0);
  }
  FILE *out = open_report(argc > 2 ? argv[2] : NULL);
  int is_good = survive(c, &a, out);
  fprintf(out, "%s\n", is_good ? "survived" : "did not see it");
  fflush(out);
  if (is_stop && rank == 0) {
    sleep(1); /* let the others see it too */
    kill(pid, SIGCONT);
  }
  _exit(!is_good); /* MPI_Finalize would wait for the dead */
}
