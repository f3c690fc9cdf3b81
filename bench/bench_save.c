/* SPDX-License-Identifier: BSD-2-Clause */
/* Saving and loading shared values (first argument: MiB, 1024 if there is none;
 * second: the folder, /tmp) beside what the system takes for the same bytes:
 * write() of memory to a new file, read() of the file to new memory. */
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gpuarray/device.h>
#include <gpugraph/save.h>

enum { REPS = 5, PARTS = 4, PIECE = 1 << 20 };

typedef struct bench_state {
  gpucontext *ctx;
  gg_graph *g;
  size_t bytes; /* of one part */
  char *host;   /* the values of one part */
  char saved[512], plain[512];
} bench_state;

static void need_graph(int err, const gg_graph *g) {
  if (err != GA_NO_ERROR)
    fprintf(stderr, "%s\n", gg_graph_error(g));
  bench_need(err, "graph");
}

/* --- ours --- */

static int save(void *arg) {
  bench_state *s = arg;

  return gg_graph_save(s->g, s->saved);
}

static int load(void *arg) {
  bench_state *s = arg;
  gg_graph *g = gg_graph_new(s->ctx);
  const int err = gg_graph_load(g, s->saved);

  gg_graph_free(g);
  return err;
}

/* --- the system --- */

static int write_part(const bench_state *s, int fd) {
  for (size_t at = 0; at < s->bytes; at += PIECE)
    if (write(fd, s->host + at, PIECE) != PIECE)
      return GA_SYS_ERROR;
  return GA_NO_ERROR;
}

/* To a new name, as saving does. */
static int write_plain(void *arg) {
  const bench_state *s = arg;
  char tmp[600];
  int err = GA_NO_ERROR;

  snprintf(tmp, sizeof tmp, "%s.tmp", s->plain);
  int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0)
    return GA_SYS_ERROR;
  for (int i = 0; i < PARTS && err == GA_NO_ERROR; i++)
    err = write_part(s, fd);
  return close(fd) == 0 && rename(tmp, s->plain) == 0 ? err : GA_SYS_ERROR;
}

static int read_part(const bench_state *s, int fd) {
  char *p = malloc(s->bytes);
  int err = p != NULL ? GA_NO_ERROR : GA_MEMORY_ERROR;

  for (size_t at = 0; at < s->bytes && err == GA_NO_ERROR; at += PIECE)
    err = read(fd, p + at, PIECE) == PIECE ? GA_NO_ERROR : GA_SYS_ERROR;
  free(p);
  return err;
}

static int read_plain(void *arg) {
  const bench_state *s = arg;
  int fd = open(s->plain, O_RDONLY), err = GA_NO_ERROR;

  if (fd < 0)
    return GA_SYS_ERROR;
  for (int i = 0; i < PARTS && err == GA_NO_ERROR; i++)
    err = read_part(s, fd);
  close(fd);
  return err;
}

/* --- both --- */

static void make_values(bench_state *s) {
  const size_t n = s->bytes / sizeof(float);
  char name[8];

  s->host = malloc(s->bytes);
  bench_need(s->host == NULL ? GA_MEMORY_ERROR : GA_NO_ERROR, "memory");
  for (size_t i = 0; i < n; i++)
    ((float *)s->host)[i] = (float)(i * 2654435761u % 1000003);
  s->g = gg_graph_new(s->ctx);
  for (int i = 0; i < PARTS; i++) {
    snprintf(name, sizeof name, "w%d", i);
    gg_shared_host(s->g, name, GA_FLOAT, 1, &n, s->host);
  }
  need_graph(gg_graph_status(s->g), s->g);
}

/* What is loaded is what was saved. */
static void check(bench_state *s) {
  gg_graph *g = gg_graph_new(s->ctx);
  char *got = malloc(s->bytes);

  bench_need(got == NULL ? GA_MEMORY_ERROR : GA_NO_ERROR, "memory");
  need_graph(gg_graph_save(s->g, s->saved), s->g);
  need_graph(gg_graph_load(g, s->saved), g);
  need_graph(gg_shared_read(gg_graph_find(g, "w3"), got, s->bytes), g);
  bench_need(memcmp(got, s->host, s->bytes) == 0 ? GA_NO_ERROR : GA_VALUE_ERROR,
             "values");
  free(got);
  gg_graph_free(g);
}

static void print_rate(const bench_state *s, const char *name,
                       const bench_time *ours, const bench_time *ref) {
  const double gb = 1e-9 * PARTS * (double)s->bytes;

  bench_print(name, gb / ours->median, "GB/s", gb / ref->median);
}

int main(int argc, char **argv) {
  const size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 1024;
  const char *folder = argc > 2 ? argv[2] : "/tmp";
  bench_state s = {.bytes = mib / PARTS << 20};
  bench_time ours, ref;

  snprintf(s.saved, sizeof s.saved, "%s/bench_save.gg", folder);
  snprintf(s.plain, sizeof s.plain, "%s/bench_save.raw", folder);
  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  make_values(&s);
  check(&s);
  bench_pair(save, &s, write_plain, &s, REPS, &ours, &ref);
  print_rate(&s, "save", &ours, &ref);
  bench_pair(load, &s, read_plain, &s, REPS, &ours, &ref);
  print_rate(&s, "load", &ours, &ref);
  remove(s.saved);
  remove(s.plain);
  free(s.host);
  gg_graph_free(s.g);
  gpucontext_deref(s.ctx);
  return 0;
}
