/* SPDX-License-Identifier: BSD-2-Clause */
/* A timeline: spans on tracks. Threads have tracks, and so have devices, whose
 * clocks differ from the host's by a gap that is found while it is recorded. */
#include "ocl/timeline.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/vec.h"

enum {
  NAME = 64,
  KIND = 16,
  USUAL = 1000000,
  AWAITED = 1024 /* device spans whose times are not read yet */
};

/* A thread, or a device. */
typedef struct track {
  char name[NAME];
  const void *owner; /* the context, or NULL */
  int64_t gap;       /* from the owner's clock to the host's */
} track;

/* Times by the clock of the track. */
typedef struct span {
  char name[NAME], kind[KIND];
  unsigned int track;
  uint64_t begin, end;
} span;

typedef struct awaited {
  char name[NAME];
  cl_event first, last;
  unsigned int track;
  uint64_t host;
} awaited;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint running; /* number of the timeline, from 1; 0: none */
static struct timeline {
  unsigned int number;
  size_t most, lost;
  uint64_t origin;
  GA_VEC(track) tracks;
  GA_VEC(span) spans;
  GA_VEC(awaited) awaited;
} all;

/* The track of this thread, in the timeline of that number. */
static _Thread_local unsigned int own_track, own_number;

/* --- names --- */

/* Copy what has room, without a part of a character of UTF-8. */
static void copy_name(char *to, size_t room, const char *from) {
  size_t n = from != NULL ? strlen(from) : 0;

  if (n >= room)
    for (n = room - 1; n > 0 && ((unsigned char)from[n] & 0xC0) == 0x80; n--)
      ;
  memcpy(to, n > 0 ? from : "", n);
  to[n] = '\0';
}

/* --- tracks; lock held --- */

static int add_track(const char *name, const void *owner, unsigned int *index) {
  track t = {.owner = owner, .gap = INT64_MIN};

  if (owner == NULL)
    t.gap = 0;
  copy_name(t.name, sizeof t.name, name);
  *index = (unsigned int)all.tracks.n;
  return ga__vec_push(&all.tracks, t);
}

static int thread_track(unsigned int *index) {
  char name[NAME];

  if (own_number != all.number) {
    snprintf(name, sizeof name, "thread %zu", all.tracks.n + 1);
    GA_TRY(add_track(name, NULL, &own_track));
    own_number = all.number;
  }
  *index = own_track;
  return GA_NO_ERROR;
}

static int device_track(const gpucontext *ctx, unsigned int *index) {
  for (size_t i = 0; i < all.tracks.n; i++)
    if (all.tracks.v[i].owner == ctx) {
      *index = (unsigned int)i;
      return GA_NO_ERROR;
    }
  return add_track(ctx->dev.name, ctx, index);
}

/* --- spans; lock held --- */

static void add_span(const span *s) {
  if (all.spans.n >= all.most || ga__vec_push(&all.spans, *s) != GA_NO_ERROR)
    all.lost++;
}

static int read_time(cl_event ev, cl_profiling_info what, uint64_t *ns) {
  cl_ulong t = 0;

  GA_TRY(GA_CL(clGetEventProfilingInfo(ev, what, sizeof t, &t, NULL)));
  *ns = t;
  return GA_NO_ERROR;
}

/* A command is queued after the host saw `host`: the gap is at least the
 * difference, and the largest one is the best estimate. */
static int read_span(const awaited *a, span *s) {
  track *t = &all.tracks.v[a->track];
  uint64_t queued;

  GA_TRY(GA_CL(clWaitForEvents(1, &a->last)));
  GA_TRY(read_time(a->first, CL_PROFILING_COMMAND_QUEUED, &queued));
  GA_TRY(read_time(a->first,
                   a->first == a->last ? CL_PROFILING_COMMAND_START
                                       : CL_PROFILING_COMMAND_END,
                   &s->begin));
  GA_TRY(read_time(a->last, CL_PROFILING_COMMAND_END, &s->end));
  const int64_t gap = (int64_t)(a->host - queued);
  t->gap = gap > t->gap ? gap : t->gap;
  return GA_NO_ERROR;
}

/* Read the times of the first n device spans. */
static void settle(size_t n) {
  for (size_t i = 0; i < n; i++) {
    const awaited *a = &all.awaited.v[i];
    span s = {.kind = "device", .track = a->track};
    memcpy(s.name, a->name, sizeof s.name);
    if (read_span(a, &s) == GA_NO_ERROR)
      add_span(&s);
    else
      all.lost++;
    clReleaseEvent(a->first);
    clReleaseEvent(a->last);
  }
  all.awaited.n -= n;
  if (all.awaited.n > 0)
    memmove(all.awaited.v, all.awaited.v + n,
            all.awaited.n * sizeof *all.awaited.v);
}

static void await(const gpucontext *ctx, const char *name, cl_event first,
                  cl_event last, uint64_t host) {
  awaited a = {.first = first, .last = last, .host = host};

  copy_name(a.name, sizeof a.name, name);
  if (all.awaited.n >= AWAITED)
    settle(AWAITED / 2);
  if (all.spans.n + all.awaited.n >= all.most ||
      device_track(ctx, &a.track) != GA_NO_ERROR ||
      ga__vec_push(&all.awaited, a) != GA_NO_ERROR) {
    all.lost++;
    return;
  }
  clRetainEvent(first);
  clRetainEvent(last);
}

void ga__timeline_device(const gpucontext *ctx, const char *name,
                         cl_event first, cl_event last, uint64_t host) {
  if (host == 0 || first == NULL)
    return;
  pthread_mutex_lock(&lock);
  if (running != 0 && host >= all.origin)
    await(ctx, name, first, last, host);
  pthread_mutex_unlock(&lock);
}

/* --- recording --- */

int gpuarray_timeline_start(size_t most) {
  static unsigned int number;

  pthread_mutex_lock(&lock);
  const int was_on = running != 0;
  if (!was_on) {
    all.most = most != 0 ? most : USUAL;
    all.origin = ga__now_ns();
    all.number = ++number;
    running = number;
  }
  pthread_mutex_unlock(&lock);
  return was_on
             ? ga__fail(GA_VALUE_ERROR, "a timeline is already being recorded")
             : GA_NO_ERROR;
}

int gpuarray_timeline_is_on(void) {
  return running != 0;
}

uint64_t gpuarray_timeline_now(void) {
  return running != 0 ? ga__now_ns() : 0;
}

void gpuarray_timeline_add(const char *name, const char *kind, uint64_t begin) {
  span s = {.begin = begin};

  if (begin == 0 || running == 0)
    return;
  s.end = ga__now_ns();
  copy_name(s.name, sizeof s.name, name);
  copy_name(s.kind, sizeof s.kind, kind);
  pthread_mutex_lock(&lock);
  if (running != 0 && begin >= all.origin) {
    if (thread_track(&s.track) == GA_NO_ERROR)
      add_span(&s);
    else
      all.lost++;
  }
  pthread_mutex_unlock(&lock);
}

void gpuarray_timeline_thread(const char *name) {
  unsigned int k;

  if (running == 0)
    return;
  pthread_mutex_lock(&lock);
  if (running != 0 && thread_track(&k) == GA_NO_ERROR)
    copy_name(all.tracks.v[k].name, NAME, name);
  pthread_mutex_unlock(&lock);
}

/* --- writing; lock held --- */

/* Microseconds: the format has no other unit. The point does not depend on the
 * locale. */
static void put_time(FILE *out, const char *key, uint64_t ns) {
  fprintf(out, ", \"%s\": %" PRIu64 ".%03u", key, ns / 1000,
          (unsigned int)(ns % 1000));
}

static uint64_t since_origin(uint64_t ns, int64_t gap) {
  const uint64_t host = ns + (uint64_t)gap;

  return host > all.origin ? host - all.origin : 0;
}

static void put_span(FILE *out, const span *s) {
  const int64_t gap = all.tracks.v[s->track].gap;
  const uint64_t begin = since_origin(s->begin, gap),
                 end = since_origin(s->end, gap);

  fputs(",\n{\"ph\": \"X\", \"pid\": 1, \"name\": ", out);
  ga__json_put_text(out, s->name);
  fputs(", \"cat\": ", out);
  ga__json_put_text(out, s->kind);
  fprintf(out, ", \"tid\": %u", s->track + 1);
  put_time(out, "ts", begin);
  put_time(out, "dur", end > begin ? end - begin : 0);
  fputc('}', out);
}

static void put_all(FILE *out) {
  fprintf(out,
          "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"lost\": %zu},\n"
          "\"traceEvents\": [\n{\"ph\": \"M\", \"pid\": 1, \"name\": "
          "\"process_name\", \"args\": {\"name\": \"gpugraph\"}}",
          all.lost);
  for (size_t i = 0; i < all.tracks.n; i++) {
    fprintf(out,
            ",\n{\"ph\": \"M\", \"pid\": 1, \"tid\": %zu, \"name\": "
            "\"thread_name\", \"args\": {\"name\": ",
            i + 1);
    ga__json_put_text(out, all.tracks.v[i].name);
    fputs("}}", out);
  }
  for (size_t i = 0; i < all.spans.n; i++)
    put_span(out, &all.spans.v[i]);
  fputs("\n]}\n", out);
}

int gpuarray_timeline_write(FILE *out) {
  pthread_mutex_lock(&lock);
  const int was_on = running != 0;
  if (was_on) {
    running = 0;
    settle(all.awaited.n);
    if (out != NULL)
      put_all(out);
    ga__vec_clear(&all.tracks);
    ga__vec_clear(&all.spans);
    ga__vec_clear(&all.awaited);
    all.lost = 0;
  }
  pthread_mutex_unlock(&lock);
  if (!was_on)
    return ga__fail(GA_VALUE_ERROR, "no timeline is being recorded");
  return out == NULL ? GA_NO_ERROR : ga__flushed(out, "the timeline");
}
