/* SPDX-License-Identifier: BSD-2-Clause */
/* The provider of collectives on MPI: a library of its own, so that libgpuarray
 * does not need MPI and programs without collectives do not load it. Waits for
 * messages are bounded: they are posted and then polled. (Making and freeing a
 * communicator is not.)
 *
 * Members of a group send messages to its meeting point, the process that made
 * its name. So only members take part, and all of them get an error when they
 * disagree. */
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gpuarray/error.h>

#include "comm/provider.h"

#define MAGIC 0x6761636f /* first word of a name */
#define JOIN_TAG 24000   /* first of 1000 tags in MPI_COMM_WORLD */
#define YIELD_SECONDS 0.02
#define SLEEP_NS 50000

/* The contents of a clique id. */
typedef struct name {
  unsigned int magic;
  int meeting; /* rank of MPI_COMM_WORLD */
  unsigned int serial, pid;
} name;

typedef struct group {
  MPI_Comm comm;
  int n;
  int is_lost;
} group;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static int
fail(char *why, int code, const char *fmt, ...) {
  va_list ap;

  va_start(ap, fmt);
  vsnprintf(why, GA_COMM_WHY, fmt, ap);
  va_end(ap);
  return code;
}

static int check(char *why, const char *call, int status) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int n = 0;

  if (status == MPI_SUCCESS)
    return GA_NO_ERROR;
  MPI_Error_string(status, text, &n);
  return fail(why, GA_COMM_ERROR, "%s: %.*s", call, n, text);
}

#define TRY(call)                                                              \
  do {                                                                         \
    int err_ = check(why, #call, (call));                                      \
    if (err_ != GA_NO_ERROR)                                                   \
      return err_;                                                             \
  } while (0)

static double now(void) {
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- start and end of MPI --- */

static void finish(void) {
  int is_done = 0;

  MPI_Finalized(&is_done);
  if (!is_done)
    MPI_Finalize();
}

/* Start MPI unless the program has, which then also finalizes it. */
static int need_mpi(char *why) {
  int has = 0, is_done = 0, level;

  TRY(MPI_Finalized(&is_done));
  if (is_done)
    return fail(why, GA_COMM_ERROR, "MPI was finalized");
  TRY(MPI_Initialized(&has));
  if (has)
    return GA_NO_ERROR;
  TRY(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level));
  atexit(finish);
  return GA_NO_ERROR;
}

/* --- bounded waits --- */

/* Cancel the pending requests and free them. */
static void cancel(MPI_Request *r, int n) {
  for (int i = 0; i < n; i++) {
    if (r[i] == MPI_REQUEST_NULL)
      continue;
    MPI_Cancel(&r[i]);
    MPI_Request_free(&r[i]);
  }
}

static void pause_since(double start) {
  const struct timespec t = {0, SLEEP_NS};

  if (now() - start < YIELD_SECONDS)
    sched_yield();
  else
    nanosleep(&t, NULL);
}

/* Wait until all requests are complete, for at most `timeout` seconds. The lock
 * is released between polls. */
static int wait_all(MPI_Request *r, int n, double timeout, const char *what,
                    char *why) {
  const double start = now();
  int is_done = 0;

  for (;;) {
    pthread_mutex_lock(&lock);
    int status = MPI_Testall(n, r, &is_done, MPI_STATUSES_IGNORE);
    if (status != MPI_SUCCESS || (!is_done && now() - start > timeout)) {
      cancel(r, n);
      pthread_mutex_unlock(&lock);
      if (status != MPI_SUCCESS)
        return check(why, "MPI_Testall", status);
      return fail(why, GA_COMM_ERROR, "no answer for %g s while waiting for %s",
                  timeout, what);
    }
    pthread_mutex_unlock(&lock);
    if (is_done)
      return GA_NO_ERROR;
    pause_since(start);
  }
}

static int post(MPI_Comm comm, const ga__message *m, int tag, MPI_Request *r,
                char *why) {
  if (m->n > INT_MAX)
    return fail(why, GA_COMM_ERROR, "a message of %zu bytes", m->n);
  if (m->is_send)
    TRY(MPI_Isend(m->bytes, (int)m->n, MPI_BYTE, m->peer, tag, comm, r));
  else
    TRY(MPI_Irecv(m->bytes, (int)m->n, MPI_BYTE, m->peer, tag, comm, r));
  return GA_NO_ERROR;
}

/* Post all messages and wait for them. */
static int run(MPI_Comm comm, const ga__message *m, int n, int tag,
               double timeout, const char *what, char *why) {
  MPI_Request few[8], *r = few;
  int err = GA_NO_ERROR, posted = 0;

  if (n > 8)
    r = malloc((size_t)n * sizeof *r);
  if (r == NULL)
    return fail(why, GA_MEMORY_ERROR, "no memory for %d messages", n);
  pthread_mutex_lock(&lock);
  while (posted < n && err == GA_NO_ERROR) {
    r[posted] = MPI_REQUEST_NULL;
    err = post(comm, &m[posted], tag, &r[posted], why);
    posted += err == GA_NO_ERROR;
  }
  if (err != GA_NO_ERROR)
    cancel(r, posted);
  pthread_mutex_unlock(&lock);
  if (err == GA_NO_ERROR)
    err = wait_all(r, n, timeout, what, why);
  if (r != few)
    free(r);
  return err;
}

/* --- names --- */

static int make_name(char id[GA_COMM_ID_ROOM], char why[GA_COMM_WHY]) {
  static unsigned int serial;
  name made = {.magic = MAGIC, .pid = (unsigned int)getpid()};

  memset(id, 0, GA_COMM_ID_ROOM);
  pthread_mutex_lock(&lock);
  int err = need_mpi(why);
  if (err == GA_NO_ERROR)
    err = check(why, "MPI_Comm_rank",
                MPI_Comm_rank(MPI_COMM_WORLD, &made.meeting));
  made.serial = serial++;
  pthread_mutex_unlock(&lock);
  if (err == GA_NO_ERROR)
    memcpy(id, &made, sizeof made);
  return err;
}

/* --- joining --- */

/* What a member sends to the meeting point. */
typedef struct member {
  name id;
  int n, rank, world;
} member;

/* The answer to every member. On success the list of their ranks in
 * MPI_COMM_WORLD follows. */
typedef struct verdict {
  int code;
  char why[GA_COMM_WHY];
} verdict;

static int check_member(const member *m, const name *id, int n,
                        const int *world, char *why) {
  if (memcmp(&m->id, id, sizeof *id) != 0)
    return fail(why, GA_COMM_ERROR, "process %d came with another clique id",
                m->world);
  if (m->n != n)
    return fail(why, GA_VALUE_ERROR,
                "rank %d was made for %d ranks, others for %d", m->rank, m->n,
                n);
  if (m->rank < 0 || m->rank >= n || world[m->rank] >= 0)
    return fail(why, GA_VALUE_ERROR, "rank %d is there twice or is none of %d",
                m->rank, n);
  return GA_NO_ERROR;
}

/* Receive from the next member, whichever it is. */
static int next_member(member *m, int tag, double timeout, char *why) {
  const ga__message any = {MPI_ANY_SOURCE, 0, m, sizeof *m};

  return run(MPI_COMM_WORLD, &any, 1, tag, timeout, "all ranks to join", why);
}

static int hear_all(const member *own, int *world, int tag, double timeout,
                    verdict *v) {
  int err = check_member(own, &own->id, own->n, world, v->why);

  world[own->rank] = own->world;
  for (int i = 1; i < own->n; i++) {
    char why[GA_COMM_WHY] = "";
    member m;
    int bad = next_member(&m, tag, timeout, why);

    if (bad != GA_NO_ERROR) { /* tell_all() answers those that came */
      memcpy(v->why, why, sizeof why);
      return bad;
    }
    bad = check_member(&m, &own->id, own->n, world, why);
    if (bad == GA_NO_ERROR) {
      world[m.rank] = m.world;
    } else if (err == GA_NO_ERROR) {
      err = bad;
      memcpy(v->why, why, sizeof why);
    }
    if (bad != GA_NO_ERROR) { /* not in `world`, so answered here */
      verdict no = {.code = bad};
      const ga__message say = {m.world, 1, &no, sizeof no};

      memcpy(no.why, why, sizeof why);
      run(MPI_COMM_WORLD, &say, 1, tag, timeout, "an answer", why);
    }
  }
  return err;
}

static int tell_all(const member *own, int *world, int tag, double timeout,
                    verdict *v, char *why) {
  int err = GA_NO_ERROR;

  for (int r = 0; r < own->n; r++) {
    const ga__message say[2] = {
        {world[r], 1, v, sizeof *v},
        {world[r], 1, world, (size_t)own->n * sizeof *world}};
    const int bad =
        world[r] < 0 || r == own->rank
            ? GA_NO_ERROR
            : run(MPI_COMM_WORLD, say, v->code == GA_NO_ERROR ? 2 : 1, tag,
                  timeout, "an answer", why);

    err = err == GA_NO_ERROR ? bad : err;
  }
  return err;
}

static int meet(const member *own, int *world, int tag, double timeout,
                char *why) {
  verdict v = {0};

  for (int r = 0; r < own->n; r++)
    world[r] = -1;
  v.code = hear_all(own, world, tag, timeout, &v);
  int err = tell_all(own, world, tag, timeout, &v, why);
  if (v.code == GA_NO_ERROR)
    return err;
  memcpy(why, v.why, sizeof v.why);
  return v.code;
}

static int ask(const member *own, int *world, int tag, double timeout,
               char *why) {
  verdict v = {0};
  const ga__message say = {own->id.meeting, 1, (void *)(size_t)own,
                           sizeof *own};
  const ga__message hear = {own->id.meeting, 0, &v, sizeof v};
  const ga__message list = {own->id.meeting, 0, world,
                            (size_t)own->n * sizeof *world};
  int err =
      run(MPI_COMM_WORLD, &say, 1, tag, timeout, "the meeting point", why);

  /* The meeting point waits that long for each member. */
  if (err == GA_NO_ERROR)
    err = run(MPI_COMM_WORLD, &hear, 1, tag, timeout * own->n,
              "all ranks to join", why);
  if (err == GA_NO_ERROR && v.code != GA_NO_ERROR) {
    memcpy(why, v.why, sizeof v.why);
    return v.code;
  }
  return err != GA_NO_ERROR
             ? err
             : run(MPI_COMM_WORLD, &list, 1, tag, timeout, "an answer", why);
}

/* Make a communicator of the members alone, in their order. */
static int make_comm(MPI_Comm *out, const member *own, const int *world,
                     int tag, char *why) {
  MPI_Group all, some;

  TRY(MPI_Comm_group(MPI_COMM_WORLD, &all));
  int status = MPI_Group_incl(all, own->n, world, &some);
  MPI_Group_free(&all);
  if (status != MPI_SUCCESS)
    return check(why, "MPI_Group_incl", status);
  status = MPI_Comm_create_group(MPI_COMM_WORLD, some, tag, out);
  MPI_Group_free(&some);
  if (status != MPI_SUCCESS)
    return check(why, "MPI_Comm_create_group", status);
  TRY(MPI_Comm_set_errhandler(*out, MPI_ERRORS_RETURN));
  return GA_NO_ERROR;
}

static int prepare(member *own, const char *id, char *why) {
  int size = 0;

  memcpy(&own->id, id, sizeof own->id);
  pthread_mutex_lock(&lock);
  int err = need_mpi(why);
  if (err == GA_NO_ERROR)
    err = check(why, "MPI_Comm_size", MPI_Comm_size(MPI_COMM_WORLD, &size));
  if (err == GA_NO_ERROR)
    err =
        check(why, "MPI_Comm_rank", MPI_Comm_rank(MPI_COMM_WORLD, &own->world));
  pthread_mutex_unlock(&lock);
  if (err != GA_NO_ERROR)
    return err;
  if (own->id.magic != MAGIC || own->id.meeting < 0 || own->id.meeting >= size)
    return fail(why, GA_VALUE_ERROR, "the clique id is none of this provider");
  if (own->n < 1 || own->rank < 0 || own->rank >= own->n)
    return fail(why, GA_VALUE_ERROR, "rank %d of %d", own->rank, own->n);
  if (own->n > size)
    return fail(why, GA_VALUE_ERROR,
                "%d ranks, but MPI has started %d process%s", own->n, size,
                size == 1 ? "" : "es");
  return GA_NO_ERROR;
}

static int join_as(group *g, const member *own, double timeout, char *why) {
  const int tag = JOIN_TAG + (int)(own->id.serial % 1000);
  int *world = malloc((size_t)own->n * sizeof *world);

  if (world == NULL)
    return fail(why, GA_MEMORY_ERROR, "no memory for %d ranks", own->n);
  int err = own->world == own->id.meeting ? meet(own, world, tag, timeout, why)
                                          : ask(own, world, tag, timeout, why);
  if (err == GA_NO_ERROR) {
    pthread_mutex_lock(&lock);
    err = make_comm(&g->comm, own, world, tag, why);
    pthread_mutex_unlock(&lock);
  }
  free(world);
  return err;
}

static int join(void **out, const char id[GA_COMM_ID_ROOM], int n, int rank,
                double timeout, char why[GA_COMM_WHY]) {
  member own = {.n = n, .rank = rank};
  group *g;
  int err = prepare(&own, id, why);

  *out = NULL;
  if (err != GA_NO_ERROR)
    return err;
  g = calloc(1, sizeof *g);
  if (g == NULL)
    return fail(why, GA_MEMORY_ERROR, "no memory for a group");
  g->n = n;
  err = join_as(g, &own, timeout, why);
  if (err == GA_NO_ERROR)
    *out = g;
  else
    free(g);
  return err;
}

/* --- use --- */

static int exchange(void *handle, const ga__message *m, int n, double timeout,
                    char why[GA_COMM_WHY]) {
  group *g = handle;
  const int err = run(g->comm, m, n, 0, timeout, "the other ranks", why);

  g->is_lost |= err != GA_NO_ERROR;
  return err;
}

/* The communicator of a lost group is not freed: other ranks would have to take
 * part. */
static void leave(void *handle) {
  group *g = handle;
  int is_done = 0;

  pthread_mutex_lock(&lock);
  MPI_Finalized(&is_done);
  if (!is_done && !g->is_lost)
    MPI_Comm_free(&g->comm);
  pthread_mutex_unlock(&lock);
  free(g);
}

GPUARRAY_PUBLIC const ga__comm_table *ga__comm_provider(void);

const ga__comm_table *ga__comm_provider(void) {
  static const ga__comm_table table = {GA_COMM_VERSION, make_name, join,
                                       exchange, leave};

  return &table;
}
