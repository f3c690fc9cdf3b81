/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a collective on buffers: the ranks agree on the operation, and then
 * exchange chunks in mapped memory. While one chunk is exchanged, the next one
 * is read from the device and the previous one is written back. */
#include "comm/collective.h"

#include <gpuarray/error.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "base/assert.h"
#include "base/dtype.h"
#include "base/err.h"
#include "comm/load.h"
#include "ocl/memory/mapped.h"

/* Bytes of each rank's data in a chunk. */
#define CHUNK_BYTES ((size_t)4 << 20)

/* --- agreement --- */

/* What each rank sends to the others before an operation. */
typedef struct told {
  int32_t kind, typecode, op, root;
  uint64_t count;
  int32_t err, unused;
} told;

GA_NO_PADDING(told,
              6 * sizeof(int32_t) + sizeof(uint64_t)); /* compared as bytes */

int ga__collective_new(gpucomm **out, int n) {
  gpucomm *c = ga__calloc(1, sizeof *c);

  *out = NULL;
  if (c == NULL)
    return ga__fail_nomem();
  c->work = ga__malloc(3 * CHUNK_BYTES);
  c->heard = ga__calloc((size_t)n, sizeof(told));
  c->group.messages = ga__calloc(2 * (size_t)n, sizeof *c->group.messages);
  if (c->work == NULL || c->heard == NULL || c->group.messages == NULL) {
    ga__collective_free(c);
    return ga__fail_nomem();
  }
  *out = c;
  return GA_NO_ERROR;
}

/* Other ranks may still write to the memory of a lost group, so it is not
 * freed. The list keeps it reachable for leak checkers. */
static void keep_lost(gpucomm *c) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static gpucomm *lost;

  pthread_mutex_lock(&lock);
  c->next = lost;
  lost = c;
  pthread_mutex_unlock(&lock);
}

void ga__collective_free(gpucomm *c) {
  ga__free(c->group.messages);
  c->group.messages = NULL;
  if (c->group.is_lost) {
    keep_lost(c);
    return;
  }
  ga__free(c->work);
  ga__free(c->heard);
  ga__free(c);
}

static void describe(char *out, size_t bytes, const told *t) {
  static const char *const names[] = {[GA_REDUCE] = "reduce",
                                      [GA_ALL_REDUCE] = "all_reduce",
                                      [GA_REDUCE_SCATTER] = "reduce_scatter",
                                      [GA_BROADCAST] = "broadcast",
                                      [GA_ALL_GATHER] = "all_gather"};

  snprintf(out, bytes, "%s of %llu %s, operation %d, root %d", names[t->kind],
           (unsigned long long)t->count, ga__dtype_name(t->typecode), t->op,
           t->root);
}

/* Compare with rank 0, so that all ranks return the same error. */
static int compare(const told *all, int n) {
  char first[128], other[128];

  for (int r = 1; r < n; r++) {
    if (memcmp(&all[0], &all[r], sizeof *all) == 0)
      continue;
    describe(first, sizeof first, &all[0]);
    describe(other, sizeof other, &all[r]);
    return ga__fail(GA_VALUE_ERROR, "rank 0 calls %s; rank %d calls %s", first,
                    r, other);
  }
  return GA_NO_ERROR;
}

/* Tell all ranks, and hear what they tell. Fails if one of them has failed. */
static int tell(gpucomm *comm, const told *mine) {
  const told *all = (const told *)(void *)comm->heard;
  const int failed =
      ga__group_tell(&comm->group, mine, comm->heard, sizeof *mine);

  if (mine->err != GA_NO_ERROR)
    return mine->err;
  GA_TRY(failed);
  for (int r = 0; r < comm->group.n; r++) {
    if (all[r].err != GA_NO_ERROR)
      return ga__fail(GA_COMM_ERROR, "rank %d failed: %s", r,
                      gpuarray_error_str(all[r].err));
  }
  return GA_NO_ERROR;
}

static int agree(gpucomm *comm, const ga__collective *c, int err) {
  const told mine = {.kind = (int32_t)c->kind,
                     .typecode = ga__dtype_canon(c->typecode),
                     .op = c->op,
                     .root = c->root,
                     .count = c->count,
                     .err = err};

  GA_TRY(tell(comm, &mine));
  return compare((const told *)(void *)comm->heard, comm->group.n);
}

/* Check that all ranks are ready. A failure is reported to all ranks, so none
 * waits in vain, and the group stays usable. */
static int tell_ready(gpucomm *comm, int err) {
  return tell(comm, &(told){.err = err});
}

/* --- checks --- */

int ga__collective_check(const gpucomm *comm) {
  if (comm != NULL)
    return GA_NO_ERROR;
  if (ga__comm_load() == NULL)
    return ga__fail(GA_DEVSUP_ERROR,
                    "collectives: this library has no provider for them");
  return ga__fail(GA_INVALID_ERROR, "the communicator is NULL");
}

static int check_range(const gpudata *d, const char *what, size_t off,
                       size_t count, size_t size, gpucontext *ctx) {
  size_t have = 0;

  if (d == NULL)
    return ga__fail(GA_INVALID_ERROR, "the %s buffer is NULL", what);
  if (gpudata_context((gpudata *)(size_t)d) != ctx)
    return ga__fail(GA_VALUE_ERROR, "the %s buffer is of another context",
                    what);
  GA_TRY(gpudata_property((gpudata *)(size_t)d, GA_BUFFER_PROP_SIZE, &have));
  if (off > have || count > (have - off) / size)
    return ga__fail(GA_VALUE_ERROR,
                    "%s: %zu elements of %zu bytes at %zu in a buffer of %zu",
                    what, count, size, off, have);
  return GA_NO_ERROR;
}

/* GA_VALUE_ERROR for overlaps, except for an operation in place, where source
 * and destination are the same bytes. */
static int check_overlap(const ga__collective *c, size_t n_src, size_t n_dst,
                         size_t at_src, size_t at_dst, size_t size) {
  if (c->src != c->dst)
    return GA_NO_ERROR;
  if (c->srcoff + at_src * size == c->dstoff + at_dst * size)
    return GA_NO_ERROR;
  if (c->srcoff + n_src * size <= c->dstoff ||
      c->dstoff + n_dst * size <= c->srcoff)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "source and destination overlap");
}

/* Check a call, and set the function that combines elements, if it has one. */
static int check_call(ga__combine *combine, const gpucomm *comm,
                      const ga__collective *c) {
  const size_t n = (size_t)comm->group.n, rank = (size_t)comm->group.rank;
  const size_t all = ga__times(c->count, n);
  const size_t n_src = c->kind == GA_REDUCE_SCATTER ? all : c->count;
  const size_t n_dst = c->kind == GA_ALL_GATHER ? all : c->count;
  const size_t size = ga__dtype_size(c->typecode);

  if (size == 0)
    return ga__fail(GA_VALUE_ERROR, "no collectives of typecode %d",
                    c->typecode);
  if (c->kind <= GA_REDUCE_SCATTER)
    GA_TRY(ga__combine_get(combine, c->typecode, c->op));
  if (c->root < 0 || c->root >= comm->group.n)
    return ga__fail(GA_VALUE_ERROR, "root %d of %d ranks", c->root,
                    comm->group.n);
  GA_TRY(check_range(c->src, "source", c->srcoff, n_src, size, comm->ctx));
  if (c->kind == GA_BROADCAST ||
      (c->kind == GA_REDUCE && comm->group.rank != c->root))
    return GA_NO_ERROR;
  GA_TRY(check_range(c->dst, "destination", c->dstoff, n_dst, size, comm->ctx));
  return check_overlap(c, n_src, n_dst,
                       c->kind == GA_REDUCE_SCATTER ? rank * c->count : 0,
                       c->kind == GA_ALL_GATHER ? rank * c->count : 0, size);
}

/* --- chunks --- */

/* The mapped part of an operation: elements [at, at + n) of each rank's
 * data. */
typedef struct chunk {
  size_t at, n;
  ga__mapped src, dst; /* one of each, */
  ga__mapped *many;    /* or one for each rank */
  unsigned char **parts;
  size_t *counts;
} chunk;

typedef struct job {
  gpucomm *comm;
  const ga__collective *c;
  size_t size, step; /* bytes of an element, elements of a chunk */
  ga__combine combine;
  chunk chunks[2];
} job;

static int is_in_place(const job *j) {
  return j->c->src == j->c->dst;
}

static int map_src(job *j, ga__mapped *m, size_t at, size_t n,
                   ga__map_mode mode) {
  return ga__mapped_start(m, j->c->src, j->c->srcoff + at * j->size,
                          n * j->size, mode);
}

static int map_dst(job *j, ga__mapped *m, size_t at, size_t n,
                   ga__map_mode mode) {
  return ga__mapped_start(m, j->c->dst, j->c->dstoff + at * j->size,
                          n * j->size, mode);
}

/* Whether this rank's destination is its own part of the source. */
static int scatters_in_place(const job *j) {
  const size_t own = (size_t)j->comm->group.rank * j->c->count * j->size;

  return j->c->src == j->c->dst && j->c->srcoff + own == j->c->dstoff;
}

static int map_scatter(job *j, chunk *k) {
  const int own = scatters_in_place(j) ? j->comm->group.rank : -1;

  for (int r = 0; r < j->comm->group.n; r++)
    GA_TRY(map_src(j, &k->many[r], (size_t)r * j->c->count + k->at, k->n,
                   r == own ? GA_MAP_BOTH : GA_MAP_READ));
  return own >= 0 ? GA_NO_ERROR
                  : map_dst(j, &k->dst, k->at, k->n, GA_MAP_OVERWRITE);
}

static int map_gather(job *j, chunk *k) {
  for (int r = 0; r < j->comm->group.n; r++)
    GA_TRY(map_dst(j, &k->many[r], (size_t)r * j->c->count + k->at, k->n,
                   r == j->comm->group.rank ? GA_MAP_READ : GA_MAP_OVERWRITE));
  return GA_NO_ERROR;
}

static int map_reduce(job *j, chunk *k) {
  const int has_dst =
      j->c->kind == GA_ALL_REDUCE || j->comm->group.rank == j->c->root;

  if (has_dst && is_in_place(j) && j->c->srcoff == j->c->dstoff)
    return map_src(j, &k->src, k->at, k->n, GA_MAP_BOTH);
  GA_TRY(map_src(j, &k->src, k->at, k->n, GA_MAP_READ));
  return has_dst ? map_dst(j, &k->dst, k->at, k->n, GA_MAP_OVERWRITE)
                 : GA_NO_ERROR;
}

static int start_chunk(job *j, chunk *k, size_t at) {
  const size_t left = j->c->count - at;

  k->at = at;
  k->n = left < j->step ? left : j->step;
  switch (j->c->kind) {
  case GA_REDUCE_SCATTER:
    return map_scatter(j, k);
  case GA_ALL_GATHER:
    return map_gather(j, k);
  case GA_BROADCAST:
    return map_src(j, &k->src, k->at, k->n,
                   j->comm->group.rank == j->c->root ? GA_MAP_READ
                                                     : GA_MAP_OVERWRITE);
  default:
    return map_reduce(j, k);
  }
}

static int wait_chunk(job *j, chunk *k) {
  GA_TRY(ga__mapped_wait(&k->src));
  GA_TRY(ga__mapped_wait(&k->dst));
  for (int r = 0; r < j->comm->group.n; r++)
    GA_TRY(ga__mapped_wait(&k->many[r]));
  return GA_NO_ERROR;
}

/* End all mappings. Returns the first failure. */
static int end_chunk(job *j, chunk *k) {
  int err = ga__mapped_end(&k->src), next = ga__mapped_end(&k->dst);

  if (err == GA_NO_ERROR)
    err = next;
  for (int r = 0; r < j->comm->group.n; r++) {
    next = ga__mapped_end(&k->many[r]);
    if (err == GA_NO_ERROR)
      err = next;
  }
  return err;
}

/* --- the work on a chunk --- */

/* Divide the chunk's elements at `p` into a part for each rank. */
static ga__parts cut(const job *j, chunk *k, unsigned char *p) {
  const size_t ranks = (size_t)j->comm->group.n;
  ga__parts parts = {k->parts, k->counts, j->size};

  for (size_t r = 0; r < ranks; r++) {
    k->counts[r] = k->n / ranks + (r < k->n % ranks);
    k->parts[r] = p;
    p += k->counts[r] * j->size;
  }
  return parts;
}

static ga__parts take_many(const job *j, chunk *k) {
  ga__parts parts = {k->parts, k->counts, j->size};

  for (int r = 0; r < j->comm->group.n; r++) {
    k->counts[r] = k->n;
    k->parts[r] = k->many[r].p;
  }
  return parts;
}

static int work_reduce(job *j, chunk *k) {
  ga__group *g = &j->comm->group;
  unsigned char *spare = j->comm->work + 2 * CHUNK_BYTES, *out;
  ga__parts parts = cut(j, k, k->src.p);
  size_t before = (size_t)(k->parts[g->rank] - k->src.p);

  unsigned char *all =
      k->dst.p != NULL ? k->dst.p : k->src.p; /* in place, or no destination */
  if (j->c->kind == GA_ALL_REDUCE || g->rank == j->c->root)
    out = all + before;
  else
    out = spare;
  GA_TRY(ga__ring_reduce(g, &parts, j->combine, out, j->comm->work));
  parts = cut(j, k, all);
  k->parts[g->rank] = out;
  return j->c->kind == GA_ALL_REDUCE ? ga__ring_gather(g, &parts)
                                     : ga__group_collect(g, &parts, j->c->root);
}

static int work_on(job *j, chunk *k) {
  ga__group *g = &j->comm->group;
  ga__parts parts;

  switch (j->c->kind) {
  case GA_REDUCE_SCATTER:
    parts = take_many(j, k);
    return ga__ring_reduce(g, &parts, j->combine,
                           k->dst.p != NULL ? k->dst.p : k->parts[g->rank],
                           j->comm->work);
  case GA_ALL_GATHER:
    parts = take_many(j, k);
    return ga__ring_gather(g, &parts);
  case GA_BROADCAST:
    return ga__tree_broadcast(g, k->src.p, k->n * j->size, j->c->root);
  default:
    return work_reduce(j, k);
  }
}

/* Exchange all chunks. `err` is a failure of this rank after the agreement; it
 * is reported with the first chunk. */
static int run_chunks(job *j, int err) {
  int now = 0;

  if (err == GA_NO_ERROR)
    err = start_chunk(j, &j->chunks[0], 0);
  for (size_t at = 0; at < j->c->count; at += j->step) {
    chunk *k = &j->chunks[now];

    now = !now;
    if (err == GA_NO_ERROR && j->c->count - at > j->step)
      err = start_chunk(j, &j->chunks[now], at + j->step);
    if (err == GA_NO_ERROR)
      err = wait_chunk(j, k);
    GA_TRY(tell_ready(j->comm, err));
    GA_TRY(work_on(j, k));
    err = end_chunk(j, k);
  }
  return err;
}

/* --- the collective --- */

static int open_chunk(chunk *k, size_t n) {
  k->many = ga__calloc(n, sizeof *k->many);
  k->parts = ga__calloc(n, sizeof *k->parts);
  k->counts = ga__calloc(n, sizeof *k->counts);
  return k->many != NULL && k->parts != NULL && k->counts != NULL
             ? GA_NO_ERROR
             : ga__fail_nomem();
}

static void close_chunk(job *j, chunk *k) {
  if (k->many != NULL)
    end_chunk(j, k);
  ga__free(k->many);
  ga__free(k->parts);
  ga__free(k->counts);
}

/* For all_gather, copy this rank's part to its place, unless it is there. */
static int place_own(const job *j) {
  const ga__collective *c = j->c;
  const size_t bytes = c->count * j->size;
  const size_t to = c->dstoff + (size_t)j->comm->group.rank * bytes;

  if (c->kind != GA_ALL_GATHER || (c->src == c->dst && c->srcoff == to))
    return GA_NO_ERROR;
  return gpudata_move(c->dst, to, c->src, c->srcoff, bytes);
}

/* Retain the buffers of the call in which the group was lost: messages may
 * still access their memory. */
static void keep_buffers(gpucomm *comm, const ga__collective *c) {
  comm->kept[0] = c->src;
  comm->kept[1] = c->dst;
  gpudata_retain(c->src);
  if (c->dst != NULL)
    gpudata_retain(c->dst);
}

static int open_job(job *j, int err) {
  const size_t n = (size_t)j->comm->group.n;

  GA_TRY(err);
  if (j->comm->group.is_lost)
    return ga__fail(GA_COMM_ERROR, "rank %d of %zu: the group was lost before",
                    j->comm->group.rank, n);
  GA_TRY(check_call(&j->combine, j->comm, j->c));
  j->size = ga__dtype_size(j->c->typecode);
  j->step = CHUNK_BYTES / j->size;
  GA_TRY(open_chunk(&j->chunks[0], n));
  return open_chunk(&j->chunks[1], n);
}

int ga__collective_run(gpucomm *comm, const ga__collective *c, int err) {
  job j = {.comm = comm, .c = c};

  GA_TRY(ga__collective_check(comm));
  err = open_job(&j, err);
  if (!comm->group.is_lost)
    err = agree(comm, c, err);
  if (err == GA_NO_ERROR && c->count > 0)
    err = run_chunks(&j, place_own(&j));
  if (err != GA_NO_ERROR && comm->group.is_lost && j.chunks[1].counts != NULL)
    keep_buffers(comm, c);
  close_chunk(&j, &j.chunks[0]);
  close_chunk(&j, &j.chunks[1]);
  return err;
}
