/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop over scenarios and failures, and the checks. */
#include "torture/torture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/err.h"
#include "layer/layer.h"

enum { HANG_SECONDS = 120, LATE = 64 };

/* What is being done, for messages. */
typedef struct session {
  const scenario *s;
  const torture_plan *plan;
  const torture_kind *kind;
  torture_sum *sum;
  const char *way; /* "from the start" or "again" */
  work want;       /* only its results */
  long nth;
  unsigned int variant;
  int is_late; /* failures of before may still show */
} session;

static void complain(const session *c, const char *what, const char *detail) {
  char text[256];

  c->kind->describe(text, sizeof text, c->nth, c->variant);
  c->sum->bad++;
  printf("torture: %s, %s, %s: %s%s%s\n", c->s->name, c->way, text, what,
         detail[0] != '\0' ? ": " : "", detail);
  fflush(stdout);
}

/* The kernels chosen may differ, when a device cannot be asked what it is. */
static int is_value(const work *w, int i, const work *want) {
  const size_t n = want->bytes[i] / sizeof(float);
  float got[WORK_BYTES / sizeof(float)], right[WORK_BYTES / sizeof(float)];

  memcpy(got, w->got[i], sizeof got);
  memcpy(right, want->got[i], sizeof right);
  if (w->bytes[i] != want->bytes[i])
    return 0;
  for (size_t k = 0; k < n; k++)
    if (!(fabsf(got[k] - right[k]) <= 1e-5f * fabsf(right[k])))
      return 0;
  return 1;
}

static int is_old(const work *w, int i) {
  for (size_t k = 0; k < w->bytes[i]; k++)
    if (w->got[i][k] != WORK_OLD)
      return 0;
  return 1;
}

/* --- checks --- */

static void check_message(const session *c, int err) {
  const char *text = gpucontext_error(NULL, err);
  const char *name = c->kind->names(c->nth, c->variant);

  if (c->kind->code != GA_NO_ERROR && err != c->kind->code)
    complain(c, "another code", text);
  /* An event that the caller hands in is known by its number. */
  if (strstr(text, name) != NULL || strstr(text, "clblast") != NULL ||
      strstr(text, ": its command failed with") != NULL)
    return;
  if (gpuarray_error_code() != err)
    complain(c, "a code without a message", text);
  else
    complain(c, "the message does not name the call", text);
}

/* After a failure the results are old or new, each as a whole. */
static void check_whole(const session *c, work *w) {
  if (!w->is_old)
    return;
  int err = work_read(w);
  if (err != GA_NO_ERROR) {
    complain(c, "the results cannot be read", gpucontext_error(NULL, err));
    return;
  }
  for (int i = 0; i < WORK_RESULTS; i++)
    if (w->bytes[i] != 0 && !is_old(w, i) && !is_value(w, i, &c->want))
      complain(c, "a result is neither old nor new", i ? "result 1" : "0");
}

static void check_result(const session *c, work *w, int err, const char *when) {
  if (err != GA_NO_ERROR) {
    complain(c, when, gpucontext_error(NULL, err));
    return;
  }
  for (int i = 0; i < WORK_RESULTS; i++)
    if (!is_value(w, i, &c->want))
      complain(c, when, "a wrong result");
}

/* Beside the results. */
static void check_harm(const session *c) {
  const char *what = c->kind->harm != NULL ? c->kind->harm() : NULL;

  if (what != NULL)
    complain(c, "harmed", what);
}

/* --- one failure --- */

/* Run, and again after failures of before that have shown only now: each slot
 * of the staging ring may hold one. */
static int run(session *c, work *w) {
  int err = c->s->run(w);

  for (int i = 0; i < LATE && err != GA_NO_ERROR && c->is_late; i++) {
    if (strstr(gpucontext_error(NULL, err),
               "clWaitForEvents: CL_EXEC_STATUS_ERROR") == NULL)
      return err;
    err = c->s->run(w);
  }
  return err;
}

/* The work with the failure, then without it. Returns whether it struck. */
static int strike(session *c, work *w) {
  long calls;

  alarm(HANG_SECONDS);
  w->is_old = 0;
  memset(w->got, 0, sizeof w->got);
  c->kind->arm(c->nth, c->variant);
  gpuarray_clear_error();
  int err = run(c, w);
  long struck = c->kind->disarm(&calls);
  c->is_late |= struck > 0 && c->kind->is_late != NULL &&
                c->kind->is_late(c->nth, c->variant);
  if (struck > 0) {
    c->sum->runs++;
    c->sum->reported += err != GA_NO_ERROR;
    c->sum->absorbed += err == GA_NO_ERROR;
  }
  if (err == GA_NO_ERROR) {
    check_result(c, w, err, "no error");
  } else if (struck == 0) {
    complain(c, "an error without a failure", gpucontext_error(NULL, err));
  } else {
    check_message(c, err);
    check_whole(c, w);
  }
  check_harm(c);
  err = run(c, w);
  check_result(c, w, err, "not the second time");
  return struck > 0;
}

static void check_left(const session *c, long allocs, long live) {
  char text[1024];

  if (c->kind->live() != live) {
    layer_live_text(text, sizeof text);
    complain(c, "objects are left", text);
  }
  if (ga__alloc_live() != allocs) {
    snprintf(text, sizeof text, "%ld", ga__alloc_live() - allocs);
    complain(c, "host memory is left", text);
  }
  if (layer_violations() > 0) {
    complain(c, "misuse", layer_violation());
    layer_forgive();
  }
}

/* A message longer than the fixed buffer is the thread's, not a leak. */
static void forget_message(void) {
  ga__fail(GA_MISC_ERROR, "none");
}

static void strike_cold(session *c, work *unused) {
  work w;

  (void)unused;
  memset(&w, 0, sizeof w);
  forget_message();
  long allocs = ga__alloc_live();
  long live = c->kind->live();
  strike(c, &w);
  work_clear(&w);
  forget_message();
  check_left(c, allocs, live);
}

static void strike_warm(session *c, work *w) {
  strike(c, w);
}

/* --- all that are wanted --- */

static unsigned int scramble(unsigned int a, unsigned int b) {
  unsigned int h = a * 2654435761u + b * 40503u;

  h ^= h >> 13;
  h *= 2246822519u;
  return h ^ (h >> 16);
}

static void each_variant(session *c, void (*one)(session *, work *), work *w,
                         unsigned int n) {
  if (c->plan->every_code) {
    for (c->variant = 0; c->variant < n; c->variant++)
      one(c, w);
  } else {
    c->variant = scramble(c->plan->seed, (unsigned int)c->nth) % n;
    one(c, w);
  }
}

static int is_chosen(const session *c, long nth, long calls) {
  const long most = c->plan->most;

  if (most == 0 || calls <= most || c->kind->is_first(nth))
    return 1;
  return (long)(scramble(c->plan->seed + 1, (unsigned int)nth) %
                (unsigned int)calls) < most;
}

/* Fail the calls of one way of running, `calls` of them. What the kind knows of
 * the run without failures is asked before it is overwritten. */
static void sweep(session *c, void (*one)(session *, work *), work *w,
                  long calls) {
  unsigned int *variants = calloc((size_t)calls + 1, sizeof *variants);

  if (variants == NULL)
    abort();
  for (long n = 1; n <= calls; n++)
    variants[n] = is_chosen(c, n, calls) ? c->kind->variants(n) : 0;
  for (c->nth = 1; c->nth <= calls; c->nth++)
    if (variants[c->nth] > 0 && c->plan->count_only)
      c->sum->runs += c->plan->every_code ? variants[c->nth] : 1;
    else if (variants[c->nth] > 0)
      each_variant(c, one, w, variants[c->nth]);
  free(variants);
}

/* Run without failures, counting. Returns the number of calls. */
static long count(session *c, work *w) {
  long calls;

  memset(w->got, 0, sizeof w->got);
  c->kind->arm(0, 0);
  int err = c->s->run(w);
  c->kind->disarm(&calls);
  if (err != GA_NO_ERROR) {
    complain(c, "does not run", gpucontext_error(NULL, err));
    return 0;
  }
  return calls;
}

static void both_ways(session *c) {
  work w;

  memset(&w, 0, sizeof w);
  c->way = "from the start";
  /* Once before, so that caches on disk are as they will be. */
  count(c, &w);
  c->want = w;
  work_clear(&w);
  long calls = count(c, &w);
  work_clear(&w);
  sweep(c, strike_cold, NULL, calls);
  count(c, &w);
  c->way = "again";
  calls = count(c, &w);
  sweep(c, strike_warm, &w, calls);
  work_clear(&w);
}

/* The variable of a scenario is set for it alone. */
static void with_env(session *c) {
  char name[64] = "";
  const char *env = c->s->env, *value = env != NULL ? strchr(env, '=') : NULL;

  if (value != NULL) {
    snprintf(name, sizeof name, "%.*s", (int)(value - env), env);
    setenv(name, value + 1, 1);
  }
  layer_play(c->s->device);
  both_ways(c);
  layer_play(NULL);
  if (value != NULL)
    unsetenv(name);
}

void torture_run(torture_sum *sum, const torture_plan *plan,
                 const torture_kind *kind) {
  for (int i = 0; i < n_scenarios; i++) {
    session c = {.s = &scenarios[i], .plan = plan, .kind = kind, .sum = sum};

    if ((c.s->flags & SCENARIO_CLBLAST) && !plan->with_clblast)
      continue;
    if (plan->only != NULL && strstr(c.s->name, plan->only) == NULL)
      continue;
    torture_sum before = *sum;
    with_env(&c);
    printf("%-20s %-12s %6ld failures: %6ld reported, %5ld absorbed, %ld bad\n",
           c.s->name, kind->what, sum->runs - before.runs,
           sum->reported - before.reported, sum->absorbed - before.absorbed,
           sum->bad - before.bad);
    fflush(stdout);
  }
  alarm(0);
}
